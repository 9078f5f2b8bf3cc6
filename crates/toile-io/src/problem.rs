//! What is wrong with a file, and where: every reader of the crate reports in these terms.

use std::fmt;
use std::path::{Path, PathBuf};

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The file works, but a number looks wrong: a unit mistake, most often.
    Warning,
    /// The file cannot be used.
    Error,
}

/// One problem of one file, located.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// The file.
    pub path: PathBuf,
    /// Line, from 1; 0 when the problem is the file as a whole.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Key with its tables, as `membrane.elastic.weft.lt`; a column name in a table of data; may be empty.
    pub key: String,
    /// The offending value as written, shortened.
    pub value: Option<String>,
    /// What is wrong and what was expected.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Problem {
    /// An error without value or help.
    pub fn error(path: &Path, place: (usize, usize), key: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            path: path.to_path_buf(),
            line: place.0,
            column: place.1,
            key: key.into(),
            value: None,
            message: message.into(),
            help: None,
        }
    }

    /// The same as a warning.
    pub fn warning(self) -> Self {
        Self { severity: Severity::Warning, ..self }
    }

    /// The same with the offending value, cut to a readable length.
    pub fn with_value(mut self, value: &str) -> Self {
        self.value = Some(shortened(value));
        self
    }

    /// The same with advice.
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Whether the file cannot be used.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.is_error() { "error" } else { "warning" };
        write!(f, "{}:{}:{}: {word}: ", self.path.display(), self.line, self.column)?;
        if !self.key.is_empty() {
            write!(f, "`{}`", self.key)?;
            match &self.value {
                Some(value) => write!(f, " = {value}: ")?,
                None => write!(f, ": ")?,
            }
        }
        write!(f, "{}", self.message)?;
        if let Some(help) = &self.help {
            write!(f, "\n  help: {help}")?;
        }
        Ok(())
    }
}

/// At most 60 characters of a value, on one line.
fn shortened(value: &str) -> String {
    let line: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).take(61).collect();
    if line.chars().count() > 60 { line.chars().take(57).chain("…".chars()).collect() } else { line }
}

/// Line and column (from 1, in characters) of a byte offset.
pub(crate) fn place(text: &str, offset: usize) -> (usize, usize) {
    let mut end = offset.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |i| i + 1);
    (line, before[start..].chars().count() + 1)
}

/// The candidate that differs least from `word`, if it is near enough to be what was meant.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A third of the letters may differ, at least two: one slip in a short word, a wrong unit suffix in a long one.
    let limit = (word.chars().count() / 3).max(2);
    let scored = candidates.into_iter().map(|c| (edit_distance(word, c), c));
    scored.filter(|(d, _)| *d <= limit).min_by_key(|(d, _)| *d).map(|(_, c)| c)
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (case ignored, first 64 characters).
fn edit_distance(a: &str, b: &str) -> usize {
    let letters = |s: &str| -> Vec<char> { s.chars().flat_map(char::to_lowercase).take(64).collect() };
    let (a, b) = (letters(a), letters(b));
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut best = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(rows[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_key_forgives_slips_and_refuses_strangers() {
        let keys = ["density_g_per_m2", "thickness_mm", "source"];
        assert_eq!(nearest("densty_g_per_m2", keys), Some("density_g_per_m2"));
        assert_eq!(nearest("thickness_m", keys), Some("thickness_mm"));
        assert_eq!(nearest("soruce", keys), Some("source"));
        assert_eq!(nearest("colour", keys), None);
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("kitten", "sitting"), 3);
    }

    #[test]
    fn place_counts_lines_and_characters() {
        let text = "a = 1\nµ = 22\n";
        assert_eq!(place(text, 0), (1, 1));
        assert_eq!(place(text, text.find('2').unwrap()), (2, 5));
        assert_eq!(place(text, 999), (3, 1));
        // Inside a character: its beginning.
        assert_eq!(place(text, 7), (2, 1));
    }
}
