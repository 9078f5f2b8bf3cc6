//! JSON with places: a tree that remembers where each value stands, the order of its keys, and every number as it was written.
//!
//! `serde_json` keeps neither places nor digits. Readers that report mistakes by line, and writers that give back what they did
//! not change, need both.

use crate::problem::{Problem, place};
use std::fmt::Write;
use std::path::Path;

/// Nesting that is followed; real files go to 8.
const DEPTH: usize = 64;

/// A value and where it starts (bytes).
#[derive(Clone, Debug)]
pub(crate) struct Json {
    /// Where it starts in the text (bytes).
    pub(crate) at: usize,
    /// What it is.
    pub(crate) node: Node,
}

/// What a value is.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, in the digits it was written with.
    Number(String),
    /// A text, unescaped.
    Text(String),
    /// Values in order.
    Array(Vec<Json>),
    /// Named values in order.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// A number; anything that is none becomes `null`, as JSON has no word for it.
    pub(crate) fn number(value: f64) -> Self {
        Self::new(if value.is_finite() { Node::Number(format!("{value:?}")) } else { Node::Null })
    }

    /// A whole number.
    pub(crate) fn count(value: usize) -> Self {
        Self::new(Node::Number(value.to_string()))
    }

    /// Numbers in a row.
    pub(crate) fn numbers(values: &[f64]) -> Self {
        Self::new(Node::Array(values.iter().map(|&v| Self::number(v)).collect()))
    }

    /// A text.
    pub(crate) fn text(value: &str) -> Self {
        Self::new(Node::Text(value.into()))
    }

    /// Values in order.
    pub(crate) fn array(items: Vec<Self>) -> Self {
        Self::new(Node::Array(items))
    }

    /// Named values in order.
    pub(crate) fn object(members: Vec<(&str, Self)>) -> Self {
        Self::new(Node::Object(members.into_iter().map(|(k, v)| (k.to_string(), v)).collect()))
    }

    fn new(node: Node) -> Self {
        Self { at: 0, node }
    }

    /// The member of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        self.members().iter().find(|(k, _)| k == name).map(|(_, v)| v)
    }

    /// The member of a name.
    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut Self> {
        match &mut self.node {
            Node::Object(members) => members.iter_mut().find(|(k, _)| k == name).map(|(_, v)| v),
            _ => None,
        }
    }

    /// Puts a member into an object, in the place of the one of that name if there is one.
    pub(crate) fn set(&mut self, name: &str, value: Self) {
        if let Some(old) = self.get_mut(name) {
            *old = value;
        } else if let Node::Object(members) = &mut self.node {
            members.push((name.into(), value));
        }
    }

    /// Takes a member out of an object.
    pub(crate) fn remove(&mut self, name: &str) {
        if let Node::Object(members) = &mut self.node {
            members.retain(|(k, _)| k != name);
        }
    }

    /// Named values; none of anything but an object.
    pub(crate) fn members(&self) -> &[(String, Self)] {
        if let Node::Object(members) = &self.node { members } else { &[] }
    }

    /// Values; none of anything but an array.
    pub(crate) fn items(&self) -> &[Self] {
        if let Node::Array(items) = &self.node { items } else { &[] }
    }

    /// A finite number.
    pub(crate) fn as_f64(&self) -> Option<f64> {
        if let Node::Number(digits) = &self.node { digits.parse().ok().filter(|v: &f64| v.is_finite()) } else { None }
    }

    /// A number of a list.
    pub(crate) fn as_index(&self) -> Option<usize> {
        if let Node::Number(digits) = &self.node { digits.parse().ok() } else { None }
    }

    /// A text.
    pub(crate) fn as_str(&self) -> Option<&str> {
        if let Node::Text(text) = &self.node { Some(text) } else { None }
    }

    /// What it is, in words.
    pub(crate) fn kind(&self) -> &'static str {
        match self.node {
            Node::Null => "null",
            Node::Bool(_) => "true or false",
            Node::Number(_) => "a number",
            Node::Text(_) => "a text",
            Node::Array(_) => "a list",
            Node::Object(_) => "an object",
        }
    }

    /// The value as text, if it is a plain one.
    pub(crate) fn plain(&self) -> Option<String> {
        let plain = !matches!(self.node, Node::Array(_) | Node::Object(_));
        plain.then(|| {
            let mut out = String::new();
            self.write(&mut out, 0);
            out
        })
    }

    /// The text of a file: two spaces for each level, plain lists on one line.
    pub(crate) fn to_text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, 0);
        out.push('\n');
        out
    }

    fn write(&self, out: &mut String, depth: usize) {
        match &self.node {
            Node::Null => out.push_str("null"),
            Node::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Node::Number(digits) => out.push_str(digits),
            Node::Text(text) => quote(text, out),
            Node::Array(items) if items.iter().all(|i| i.plain().is_some()) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    out.push_str(if i > 0 { ", " } else { "" });
                    item.write(out, depth);
                }
                out.push(']');
            }
            Node::Array(items) => lines(out, depth, ['[', ']'], items, |item, out| item.write(out, depth + 1)),
            Node::Object(members) => lines(out, depth, ['{', '}'], members, |(key, value), out| {
                quote(key, out);
                out.push_str(": ");
                value.write(out, depth + 1);
            }),
        }
    }
}

/// Items on lines of their own between brackets.
fn lines<T>(out: &mut String, depth: usize, brackets: [char; 2], items: &[T], write: impl Fn(&T, &mut String)) {
    out.push(brackets[0]);
    for (i, item) in items.iter().enumerate() {
        out.push_str(if i > 0 { ",\n" } else { "\n" });
        out.push_str(&"  ".repeat(depth + 1));
        write(item, out);
    }
    if !items.is_empty() {
        out.push('\n');
        out.push_str(&"  ".repeat(depth));
    }
    out.push(brackets[1]);
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c < ' ' => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Parses a text, or says where it stops being JSON.
pub(crate) fn parse(text: &str, path: &Path) -> Result<Json, Box<Problem>> {
    let mut parser = Parser { text, at: text.len() - text.trim_start_matches('\u{feff}').len() };
    let parsed = parser.value(0).and_then(|value| {
        parser.blank();
        if parser.at < text.len() { Err(parser.fault("something follows the end of the document")) } else { Ok(value) }
    });
    parsed.map_err(|(at, message)| {
        let problem = Problem::error(path, place(text, at), "", message);
        let cut = at >= text.trim_end().len();
        Box::new(if cut { problem.with_help("the file looks cut off: get a whole copy of it") } else { problem })
    })
}

/// Where and what.
type Fault = (usize, String);

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn fault(&self, message: impl Into<String>) -> Fault {
        (self.at, message.into())
    }

    fn blank(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self, depth: usize) -> Result<Json, Fault> {
        self.blank();
        if depth > DEPTH {
            return Err(self.fault(format!("nested more than {DEPTH} deep")));
        }
        let at = self.at;
        let node = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => Node::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(_) => self.word()?,
            None => return Err(self.fault("the file ends where a value was expected")),
        };
        Ok(Json { at, node })
    }

    fn object(&mut self, depth: usize) -> Result<Node, Fault> {
        self.at += 1;
        let mut members: Vec<(String, Json)> = Vec::new();
        let mut names = std::collections::BTreeSet::new();
        self.blank();
        if self.eat(b'}') {
            return Ok(Node::Object(members));
        }
        loop {
            self.blank();
            let at = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("a name in quotes"));
            }
            let name = self.string()?;
            if !names.insert(name.clone()) {
                return Err((at, format!("the name `{name}` is used twice in one object: rename one of them")));
            }
            self.blank();
            if !self.eat(b':') {
                return Err(self.unexpected("`:`"));
            }
            members.push((name, self.value(depth + 1)?));
            self.blank();
            if self.eat(b'}') {
                return Ok(Node::Object(members));
            }
            if !self.eat(b',') {
                return Err(self.unexpected("`,` or `}`"));
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Node, Fault> {
        self.at += 1;
        let mut items = Vec::new();
        self.blank();
        if self.eat(b']') {
            return Ok(Node::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.blank();
            if self.eat(b']') {
                return Ok(Node::Array(items));
            }
            if !self.eat(b',') {
                return Err(self.unexpected("`,` or `]`"));
            }
        }
    }

    fn unexpected(&self, wanted: &str) -> Fault {
        match self.text[self.at..].chars().next() {
            Some(c) => self.fault(format!("expected {wanted}, found `{}`", c.escape_debug())),
            None => self.fault(format!("the file ends where {wanted} was expected")),
        }
    }

    fn word(&mut self) -> Result<Node, Fault> {
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let word = &rest[..length];
        let node = match word {
            "null" => Node::Null,
            "true" => Node::Bool(true),
            "false" => Node::Bool(false),
            "NaN" | "Infinity" => return Err(self.fault(format!("{word} is no number: put a finite one here"))),
            _ => return Err(self.unexpected("a value")),
        };
        self.at += length;
        Ok(node)
    }

    fn number(&mut self) -> Result<Node, Fault> {
        let start = self.at;
        self.eat(b'-');
        let first = self.at;
        let digits = self.digits();
        let good = digits > 0 && (digits == 1 || self.text.as_bytes()[first] != b'0');
        let fraction = !self.eat(b'.') || self.digits() > 0;
        let exponent = !(self.eat(b'e') || self.eat(b'E')) || {
            let _ = self.eat(b'+') || self.eat(b'-');
            self.digits() > 0
        };
        if good && fraction && exponent {
            return Ok(Node::Number(self.text[start..self.at].into()));
        }
        if self.text[first..].starts_with("Infinity") {
            return Err((start, "-Infinity is no number: put a finite one here".into()));
        }
        Err((start, "this is not how a number is written".into()))
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    fn string(&mut self) -> Result<String, Fault> {
        let start = self.at;
        self.at += 1;
        let mut out = String::new();
        loop {
            let Some(c) = self.text[self.at..].chars().next() else {
                return Err((self.text.len(), format!("a text from byte {start} on is not closed by a quote")));
            };
            match c {
                '"' => {
                    self.at += 1;
                    return Ok(out);
                }
                '\\' => out.push(self.escape()?),
                c if c < ' ' => return Err(self.fault("a text is not closed by a quote on its line")),
                c => {
                    out.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, Fault> {
        self.at += 1;
        let letter = self.peek();
        self.at += usize::from(letter.is_some_and(|b| b.is_ascii()));
        Ok(match letter {
            Some(c @ (b'"' | b'\\' | b'/')) => c as char,
            Some(b'n') => '\n',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'u') => {
                let high = self.hex()?;
                let code = if (0xd800..0xdc00).contains(&high) && self.text[self.at..].starts_with("\\u") {
                    self.at += 2;
                    let low = self.hex()?;
                    0x10000 + ((high - 0xd800) << 10) + (low.wrapping_sub(0xdc00) & 0x3ff)
                } else {
                    high
                };
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => return Err(self.fault("unknown escape in a text")),
        })
    }

    fn hex(&mut self) -> Result<u32, Fault> {
        let digits = self.text.get(self.at..self.at + 4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let code = digits.and_then(|d| u32::from_str_radix(d, 16).ok());
        self.at += 4 * usize::from(code.is_some());
        code.ok_or_else(|| self.fault("expected four hexadecimal digits after \\u"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Json, Box<Problem>> {
        parse(text, Path::new("a.json"))
    }

    /// What is read and written again is the same value, each number in its own digits.
    #[test]
    fn values_survive_reading_and_writing() {
        let text = r#"{"b": [1, -0.0, 2.50e+3, 1e-7], "a": {"ü\n\"\u00e9\ud83d\ude00": null}, "c": [[true], {}, []]}"#;
        let json = parsed(text).unwrap();
        let out = json.to_text();
        let value = |t: &str| serde_json::from_str::<serde_json::Value>(t).unwrap();
        assert_eq!(value(text), value(&out));
        assert!(out.contains("[1, -0.0, 2.50e+3, 1e-7]"));
        assert!(out.find("\"b\"").unwrap() < out.find("\"a\"").unwrap());
        assert_eq!(parsed(&out).unwrap().to_text(), out);
    }

    #[test]
    fn faults_have_a_place() {
        let cases = [
            ("{\"a\": 1,\n \"a\": 2}", 2, "used twice"),
            ("{\"a\": [1,\n 2", 2, "ends where `,` or `]`"),
            ("{\"a\":\n NaN}", 2, "no number"),
            ("[-Infinity]", 1, "no number"),
            ("[01]", 1, "not how a number"),
            ("[1.]", 1, "not how a number"),
            ("{\"a\" 1}", 1, "expected `:`, found `1`"),
            ("[1] 2", 1, "follows the end"),
            ("\"abc", 1, "not closed"),
            ("[\"\\x\"]", 1, "unknown escape"),
            ("[\"\\u12\"]", 1, "hexadecimal"),
            ("", 1, "ends where a value"),
            ("[tru]", 1, "expected a value"),
        ];
        for (text, line, words) in cases {
            let problem = parsed(text).unwrap_err();
            assert!(problem.line == line && problem.message.contains(words), "{text}: {problem}");
        }
        assert!(parsed(&"[".repeat(100_000)).unwrap_err().message.contains("deep"));
    }
}
