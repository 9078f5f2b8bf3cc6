//! One HTML page that holds everything, pictures included.

use crate::plot::{Plot, escaped};
use serde_json::Value;
use std::fmt::Write;

/// A page under way.
pub(crate) struct Page {
    text: String,
}

impl Page {
    /// A page with its title.
    pub(crate) fn new(title: &str) -> Self {
        let title = escaped(title);
        let text = format!(
            "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title><style>{STYLE}</style></head><body><h1>{title}</h1>"
        );
        Self { text }
    }

    /// A paragraph.
    pub(crate) fn say(&mut self, text: &str) {
        let _ = write!(self.text, "<p>{}</p>", escaped(text));
    }

    /// A heading.
    pub(crate) fn heading(&mut self, title: &str) {
        let _ = write!(self.text, "<h2>{}</h2>", escaped(title));
    }

    /// A PNG.
    pub(crate) fn picture(&mut self, png: &[u8], what: &str) {
        self.embed("png", png, what);
    }

    /// An SVG file, kept apart from the page: its styles are its own.
    pub(crate) fn drawing(&mut self, svg: &str, what: &str) {
        self.embed("svg+xml", svg.as_bytes(), what);
    }

    fn embed(&mut self, kind: &str, bytes: &[u8], what: &str) {
        let _ = write!(
            self.text,
            "<figure><img alt=\"{}\" src=\"data:image/{kind};base64,{}\"></figure>",
            escaped(what),
            base64(bytes)
        );
    }

    /// A plot.
    pub(crate) fn plot(&mut self, plot: &Plot) {
        let _ = write!(self.text, "<figure>{}</figure>", plot.svg());
    }

    /// A list; nothing if it is empty.
    pub(crate) fn list(&mut self, title: &str, lines: &[String]) {
        if lines.is_empty() {
            return;
        }
        let _ = write!(self.text, "<h2>{title}</h2><ul>");
        for line in lines {
            let _ = write!(self.text, "<li>{}</li>", escaped(line));
        }
        self.text.push_str("</ul>");
    }

    /// A table of records with the same keys.
    pub(crate) fn table(&mut self, title: &str, rows: &[Value]) {
        let Some(first) = rows.first().and_then(Value::as_object) else { return };
        let head: Vec<&str> = first.keys().map(String::as_str).collect();
        let rows = rows.iter().filter_map(Value::as_object);
        self.grid(title, &head, &rows.map(|row| row.values().map(plain).collect()).collect::<Vec<_>>());
    }

    /// A table by rows; nothing if there are none.
    pub(crate) fn grid(&mut self, title: &str, head: &[&str], rows: &[Vec<String>]) {
        if rows.is_empty() {
            return;
        }
        let _ = write!(self.text, "<h2>{title}</h2><table><tr>");
        for key in head {
            let _ = write!(self.text, "<th>{}</th>", escaped(key));
        }
        self.text.push_str("</tr>");
        for row in rows {
            self.text.push_str("<tr>");
            for cell in row {
                let _ = write!(self.text, "<td>{}</td>", escaped(cell));
            }
            self.text.push_str("</tr>");
        }
        self.text.push_str("</table>");
    }

    /// Names and values.
    pub(crate) fn pairs(&mut self, title: &str, values: &Value) {
        let _ = write!(self.text, "<h2>{title}</h2><table>");
        for (key, value) in values.as_object().into_iter().flatten() {
            let _ = write!(self.text, "<tr><th>{}</th><td>{}</td></tr>", escaped(key), escaped(&plain(value)));
        }
        self.text.push_str("</table>");
    }

    /// Seconds by phase.
    pub(crate) fn times(&mut self, phases: &[(String, f64)]) {
        let total: f64 = phases.iter().map(|p| p.1).sum();
        let row = |(phase, seconds): &(String, f64)| {
            vec![phase.clone(), format!("{seconds:.3}"), format!("{:.1}", 100.0 * seconds / total.max(1e-9))]
        };
        let mut rows: Vec<Vec<String>> = phases.iter().map(row).collect();
        rows.push(vec!["sum".into(), format!("{total:.3}"), String::new()]);
        self.grid("Time", &["phase", "s", "%"], &rows);
    }

    /// The whole page, with a line in small print at its end.
    pub(crate) fn finish(mut self, small: &str) -> String {
        let _ = write!(self.text, "<p class=\"small\">{}</p></body></html>", escaped(small));
        self.text
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(n) => n.as_f64().map_or(n.to_string(), short),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Null => "–".into(),
        other => other.to_string(),
    }
}

/// Five digits are enough to read.
fn short(value: f64) -> String {
    if value != 0.0 && !(1e-3..1e6).contains(&value.abs()) {
        return format!("{value:.3e}");
    }
    let text = format!("{value:.5}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Bytes as text.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0u32, |w, b| w << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        for k in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * k) & 63) as usize];
            text.push(if k <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

const STYLE: &str = "body{font:15px/1.5 Helvetica,Arial,'DejaVu Sans',sans-serif;color:#222;max-width:64rem;margin:2rem auto;padding:0 1rem}\
figure{margin:1rem 0}img,svg{max-width:100%;height:auto}table{border-collapse:collapse;margin:.5rem 0}\
th,td{padding:.15rem .8rem .15rem 0;text-align:left;border-bottom:1px solid #ddd;vertical-align:top;word-break:break-word}\
.small{color:#777;font-size:13px}\
@media print{body{margin:0;max-width:none;font-size:11px}h2{break-after:avoid}tr,figure{break-inside:avoid}img{max-height:24cm}}";

#[cfg(test)]
mod tests {
    use super::*;

    /// Examples of RFC 4648.
    #[test]
    fn base64_is_that_of_the_standard() {
        let pairs = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (plain, coded) in pairs {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(short(0.25), "0.25");
        assert_eq!(short(118.00000000001447), "118");
        assert_eq!(short(1.0e-7), "1.000e-7");
        assert_eq!(short(0.0), "0");
    }
}
