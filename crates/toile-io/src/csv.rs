//! Tables of measurements as laboratories write them: comma, semicolon or tab between columns, decimal point or comma,
//! comments, quoted fields. Tolerant of layout, strict about numbers: every mistake is reported with its place.

use crate::problem::{Problem, place};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// A table: a header line and rows of as many fields.
#[derive(Clone, Debug)]
pub struct Csv<'a> {
    path: PathBuf,
    /// Names as written.
    header: Vec<Field<'a>>,
    rows: Vec<Vec<Field<'a>>>,
    /// Whether a comma may be the decimal sign: it is not the separator.
    decimal_comma: bool,
}

#[derive(Clone, Debug)]
struct Field<'a> {
    text: Cow<'a, str>,
    line: usize,
    column: usize,
}

/// What a reader accepts before it gives up.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Problems reported.
    pub problems: usize,
}

impl Default for Limits {
    /// A million rows of 64 columns; fifty problems say enough about a file.
    fn default() -> Self {
        Self { rows: 1_000_000, columns: 64, problems: 50 }
    }
}

impl<'a> Csv<'a> {
    /// Reads a table. The first line that is neither empty nor a comment (`#`, `//`) names the columns.
    pub fn parse(bytes: &'a [u8], path: &Path, limits: Limits) -> Result<Self, Vec<Problem>> {
        let text = utf8(bytes, path)?;
        let mut lines = text
            .lines()
            .enumerate()
            .map(|(i, line)| (i + 1, line))
            .filter(|(_, line)| !line.trim().is_empty() && !is_comment(line));
        let Some((number, first)) = lines.next() else {
            return Err(vec![Problem::error(path, (1, 1), "", "the table is empty")]);
        };
        let separator = ['\t', ';', ','].into_iter().find(|s| first.contains(*s)).unwrap_or(',');
        let mut header = fields(first, number, separator);
        while header.len() > 1 && header.last().is_some_and(|f| f.text.trim().is_empty()) {
            header.pop();
        }
        if header.len() > limits.columns {
            let message = format!("{} columns are too many, at most {}", header.len(), limits.columns);
            return Err(vec![Problem::error(path, (number, 1), "", message)]);
        }
        let mut csv = Self { path: path.into(), header, rows: Vec::new(), decimal_comma: separator != ',' };
        if csv.header.iter().all(|f| csv.number(f).is_some()) {
            let problem = Problem::error(path, (number, 1), "", "the first line holds numbers, not column names")
                .with_help("begin with a line like `displacement_mm,force_n`");
            return Err(vec![problem]);
        }
        csv.read_rows(lines, separator, limits)?;
        Ok(csv)
    }

    fn read_rows(
        &mut self,
        lines: impl Iterator<Item = (usize, &'a str)>,
        separator: char,
        limits: Limits,
    ) -> Result<(), Vec<Problem>> {
        let mut problems = Vec::new();
        for (number, line) in lines {
            let mut row = fields(line, number, separator);
            // A separator at the end of the line is a habit, not a column.
            while row.len() > self.header.len() && row.last().is_some_and(|f| f.text.trim().is_empty()) {
                row.pop();
            }
            if row.len() != self.header.len() {
                let message = format!("{} fields, the header has {}", row.len(), self.header.len());
                problems.push(Problem::error(&self.path, (number, 1), "", message));
            } else if self.rows.len() == limits.rows {
                problems.push(Problem::error(&self.path, (number, 1), "", format!("more than {} rows", limits.rows)));
                break;
            } else {
                self.rows.push(row);
            }
            if problems.len() >= limits.problems {
                break;
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }

    /// Where it came from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Column names as written.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.header.iter().map(|f| f.text.trim())
    }

    /// The column whose name is `name`, up to case and a unit behind it.
    pub fn column_named(&self, name: &str) -> Option<usize> {
        let plain = |s: &str| s.split(['(', '[', '/', '_']).next().unwrap_or("").trim().to_lowercase();
        self.names().position(|n| plain(n) == name)
    }

    /// Number of rows.
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// A field as text.
    pub fn text(&self, row: usize, column: usize) -> &str {
        self.rows.get(row).and_then(|r| r.get(column)).map_or("", |f| f.text.trim())
    }

    /// A problem at a field.
    pub fn problem(&self, row: usize, column: usize, message: impl Into<String>) -> Problem {
        let name = self.header.get(column).map_or("", |f| f.text.trim());
        let Some(field) = self.rows.get(row).and_then(|r| r.get(column)) else {
            return self.header_problem(column, message);
        };
        Problem::error(&self.path, (field.line, field.column), name, message).with_value(field.text.trim())
    }

    /// A problem at a column name, or at the header as a whole.
    pub fn header_problem(&self, column: usize, message: impl Into<String>) -> Problem {
        let place = self.header.get(column).or(self.header.first()).map_or((1, 1), |f| (f.line, f.column));
        let name = self.header.get(column).map_or("", |f| f.text.trim());
        Problem::error(&self.path, place, name, message)
    }

    /// A column of finite numbers, or every field that is none (at most fifty).
    pub fn numbers(&self, column: usize) -> Result<Vec<f64>, Vec<Problem>> {
        let mut problems = Vec::new();
        let mut values = Vec::with_capacity(self.rows.len());
        for (i, row) in self.rows.iter().enumerate() {
            match row.get(column).and_then(|f| self.number(f)) {
                Some(value) if value.is_finite() => values.push(value),
                Some(_) => problems.push(self.problem(i, column, "expected a finite number")),
                None => problems.push(self.problem(i, column, "expected a number")),
            }
            if problems.len() >= Limits::default().problems {
                break;
            }
        }
        if problems.is_empty() { Ok(values) } else { Err(problems) }
    }

    fn number(&self, field: &Field) -> Option<f64> {
        let text = field.text.trim();
        if self.decimal_comma && text.contains(',') && !text.contains('.') {
            return text.replacen(',', ".", 1).parse().ok();
        }
        text.parse().ok()
    }
}

fn utf8<'a>(bytes: &'a [u8], path: &Path) -> Result<&'a str, Vec<Problem>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|e| {
        let good = std::str::from_utf8(&bytes[..e.valid_up_to()]).unwrap_or("");
        let byte = bytes.get(e.valid_up_to()).copied().unwrap_or(0);
        let message = format!("byte 0x{byte:02x} is not UTF-8 text");
        let problem = Problem::error(path, place(good, good.len()), "", message);
        vec![problem.with_help("save the file with the encoding UTF-8")]
    })
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with('#') || line.starts_with("//")
}

/// Splits a line. A field in double quotes may hold separators; two quotes stand for one.
fn fields(line: &str, number: usize, separator: char) -> Vec<Field<'_>> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut column = 1;
    loop {
        let rest = &line[start..];
        let field = |text| Field { text, line: number, column };
        let quoted = rest.trim_start_matches([' ', '\u{feff}']).strip_prefix('"');
        let end = match quoted {
            Some(inner) => {
                let offset = line.len() - inner.len();
                let close = closing_quote(inner);
                let text = &inner[..close];
                out.push(field(if text.contains("\"\"") { text.replace("\"\"", "\"").into() } else { text.into() }));
                let after = (offset + close + 1).min(line.len());
                line[after..].find(separator).map(|i| after + i)
            }
            None => {
                let end = rest.find(separator);
                out.push(field(rest[..end.unwrap_or(rest.len())].into()));
                end.map(|i| start + i)
            }
        };
        let Some(end) = end else { return out };
        column += line[start..end].chars().count() + 1;
        start = end + separator.len_utf8();
    }
}

/// Where a quoted field ends: at its quote, or at the end of the line when that is missing.
fn closing_quote(inner: &str) -> usize {
    let bytes = inner.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        if bytes[i] == b'"' {
            if bytes.get(i + 1) != Some(&b'"') {
                return i;
            }
            i += 1;
        }
        i += 1;
    }
    inner.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Csv<'_>, Vec<Problem>> {
        Csv::parse(text.as_bytes(), Path::new("t.csv"), Limits::default())
    }

    #[test]
    fn separators_decimals_comments_and_quotes_are_understood() {
        for text in [
            "# KES\nx (mm),f [N]\n0.5,1e-3\n\n1.5,-2\n",
            "x (mm);f [N]\r\n0,5;1e-3\r\n1,5;-2;\r\n",
            "\u{feff}\"x (mm)\"\t\"f \"\"x\"\" [N]\"\n0,5\t0.001\n// turn\n1.5\t-2",
        ] {
            let csv = parse(text).unwrap();
            assert_eq!(csv.numbers(0).unwrap(), [0.5, 1.5], "{text}");
            assert_eq!(csv.numbers(1).unwrap(), [1e-3, -2.0], "{text}");
            assert_eq!(csv.column_named("x"), Some(0));
        }
    }

    #[test]
    fn every_bad_field_is_located() {
        let csv = parse("d_mm,f_n\n0,0\n1,abc\n2,\n3,nan\n4,1e999").unwrap();
        let problems = csv.numbers(1).unwrap_err();
        let places: Vec<_> = problems.iter().map(|p| (p.line, p.column, p.value.clone().unwrap())).collect();
        let expected = [(3, 3, "abc"), (4, 3, ""), (5, 3, "nan"), (6, 3, "1e999")];
        assert_eq!(places, expected.map(|(l, c, v)| (l, c, v.to_string())));
        assert_eq!(problems[0].to_string(), "t.csv:3:3: error: `f_n` = abc: expected a number");
    }

    #[test]
    fn broken_tables_are_refused() {
        assert!(parse("").unwrap_err()[0].message.contains("empty"));
        assert!(parse("1,2\n3,4").unwrap_err()[0].message.contains("column names"));
        let problems = parse("a,b\n1\n1,2,3\n").unwrap_err();
        assert_eq!((problems.len(), problems[0].line, problems[1].line), (2, 2, 3));
        let bad = Csv::parse(b"a,b\n1,\xff2\n", Path::new("t.csv"), Limits::default()).unwrap_err();
        assert_eq!((bad[0].line, bad[0].column), (2, 3));
    }
}
