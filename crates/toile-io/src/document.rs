//! A TOML file checked against the JSON Schema of its type, with every mistake located.
//!
//! Serde stops at the first mistake and knows keys but no places. So a file is parsed into a tree with positions, the tree is
//! walked along the schema generated from the mirror type (keys, types, ranges, choices), and what the schema understood is
//! handed to serde as a JSON value. One type definition thus gives reader, schema and messages.
//!
//! Two words of ours in the schema: `x-unit`, named in messages, and `x-usual`, a range outside of which a number is
//! possible but suspicious: a wrong unit, most often.

use crate::problem::{Problem, nearest, place};
use serde_json::{Map, Number, Value};
use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Problems reported before the reader gives up on a file.
const PROBLEM_LIMIT: usize = 100;

/// A parsed file.
pub(crate) struct Document<'a> {
    text: &'a str,
    path: &'a Path,
    root: Spanned<DeTable<'a>>,
    /// Everything found so far.
    pub(crate) problems: Vec<Problem>,
}

impl<'a> Document<'a> {
    /// Parses a file; mistakes of syntax are among the problems.
    pub(crate) fn parse(text: &'a str, path: &'a Path) -> Self {
        let (root, errors) = DeTable::parse_recoverable(text);
        let mut document = Self { text, path, root, problems: Vec::new() };
        for error in errors.into_iter().take(PROBLEM_LIMIT) {
            let at = error.span().map_or(0, |s| s.start);
            let problem = Problem::error(path, place(text, at), "", error.message());
            document.problems.push(problem);
        }
        document
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        self.path
    }

    /// Whether any problem is an error.
    pub(crate) fn has_errors(&self) -> bool {
        self.problems.iter().any(Problem::is_error)
    }

    /// Walks the file along a schema and returns what it understood; the rest is among the problems.
    pub(crate) fn checked(&mut self, schema: &Value) -> Value {
        let mut walk = Walk { text: self.text, path: self.path, root: schema, problems: Vec::new() };
        let whole = self.root.span();
        let value = walk.table(self.root.get_ref(), whole, schema, "");
        self.problems.append(&mut walk.problems);
        value.unwrap_or(Value::Null)
    }

    /// Reports an error at a key like `membrane.elastic.weft`; at the nearest table above it when the key is not in the file.
    pub(crate) fn error(&mut self, key: &str, message: impl Into<String>) {
        let problem = self.problem(key, message);
        self.add(problem);
    }

    /// Reports a warning at a key.
    pub(crate) fn warning(&mut self, key: &str, message: impl Into<String>, help: impl Into<String>) {
        let problem = self.problem(key, message).warning().with_help(help);
        self.add(problem);
    }

    fn add(&mut self, problem: Problem) {
        if self.problems.len() < PROBLEM_LIMIT {
            self.problems.push(problem);
        }
    }

    fn problem(&self, key: &str, message: impl Into<String>) -> Problem {
        let (span, leaf) = self.find(key);
        let problem = Problem::error(self.path, place(self.text, span.start), key, message);
        if leaf { problem.with_value(self.text.get(span).unwrap_or("")) } else { problem }
    }

    /// Span of a key's value, and whether it is a plain value.
    fn find(&self, key: &str) -> (Range<usize>, bool) {
        let mut table = self.root.get_ref();
        let mut span = 0..0;
        let mut leaf = false;
        for part in key.split('.').filter(|p| !p.is_empty()) {
            let (name, index) = match part.split_once('[') {
                Some((name, rest)) => (name, rest.trim_end_matches(']').parse::<usize>().ok()),
                None => (part, None),
            };
            let Some((found, mut value)) = table.get_key_value(name) else { break };
            span = found.span();
            if let (Some(i), DeValue::Array(items)) = (index, value.get_ref())
                && let Some(item) = items.get(i)
            {
                value = item;
                span = item.span();
            }
            match value.get_ref() {
                DeValue::Table(inner) => (table, leaf) = (inner, false),
                DeValue::Array(_) => return (span, false),
                _ => return (value.span(), true),
            }
        }
        (span, leaf)
    }
}

/// One walk along a schema.
struct Walk<'a> {
    text: &'a str,
    path: &'a Path,
    root: &'a Value,
    problems: Vec<Problem>,
}

impl<'a> Walk<'a> {
    fn report(&mut self, at: Range<usize>, key: &str, message: impl Into<String>) -> Option<&mut Problem> {
        if self.problems.len() >= PROBLEM_LIMIT {
            return None;
        }
        self.problems.push(Problem::error(self.path, place(self.text, at.start), key, message));
        self.problems.last_mut()
    }

    fn report_value(&mut self, at: Range<usize>, key: &str, message: impl Into<String>) -> Option<&mut Problem> {
        let value = self.text.get(at.clone()).unwrap_or("").to_string();
        let problem = self.report(at, key, message)?;
        *problem = problem.clone().with_value(&value);
        Some(problem)
    }

    /// Follows references and takes the part of a choice with null that is not null; a choice of several types stays.
    fn resolve(&self, mut schema: &'a Value) -> &'a Value {
        // A schema is a few references deep; the bound keeps a circular one from hanging.
        for _ in 0..8 {
            if let Some(name) = schema.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix("#/$defs/")) {
                schema = &self.root["$defs"][name];
            } else if let [some] = options(schema)[..] {
                schema = some;
            }
        }
        schema
    }

    /// What a schema asks for, in words.
    fn expected(&self, schema: &'a Value) -> String {
        let schema = self.resolve(schema);
        match &options(schema)[..] {
            [] => described(type_name(schema), schema),
            several => several.iter().map(|s| self.expected(s)).collect::<Vec<_>>().join(" or "),
        }
    }

    /// Of a choice of types the one that a value has; the schema itself if there is none.
    fn fitting(&self, value: &DeValue<'a>, schema: &'a Value) -> &'a Value {
        let fits = |schema: &&'a Value| match type_name(schema) {
            "object" => value.is_table(),
            "number" => value.is_float() || value.is_integer(),
            "array" => value.is_array(),
            "boolean" => value.is_bool(),
            "integer" => value.is_integer(),
            _ => value.is_str(),
        };
        options(schema).into_iter().map(|s| self.resolve(s)).find(fits).unwrap_or(schema)
    }

    fn value(&mut self, value: &Spanned<DeValue<'a>>, schema: &'a Value, key: &str) -> Option<Value> {
        let schema = self.fitting(value.get_ref(), self.resolve(schema));
        let span = value.span();
        let kind = if options(schema).is_empty() { type_name(schema) } else { "" };
        match (kind, value.get_ref()) {
            ("object", DeValue::Table(table)) => self.table(table, span, schema, key),
            ("array", DeValue::Array(items)) => {
                let length = items.len();
                self.array_length(length, span, schema, key);
                let inner = &schema["items"];
                let mut out = Vec::with_capacity(length);
                for (i, item) in items.iter().enumerate() {
                    out.push(self.value(item, inner, &format!("{key}[{i}]"))?);
                }
                Some(Value::Array(out))
            }
            ("string", DeValue::String(text)) => self.string(text, span, schema, key),
            ("boolean", DeValue::Boolean(b)) => Some(Value::Bool(*b)),
            ("number", DeValue::Float(f)) => self.number(f.as_str().parse().ok(), span, schema, key),
            ("number", DeValue::Integer(i)) => {
                let value = i64::from_str_radix(i.as_str(), i.radix())
                    .map_or_else(|_| i.as_str().parse().ok(), |i| Some(i as f64));
                self.number(value, span, schema, key)
            }
            ("integer", DeValue::Integer(i)) => {
                let value = i64::from_str_radix(i.as_str(), i.radix()).ok();
                self.number(value.map(|i| i as f64), span, schema, key)?;
                value.map(Value::from)
            }
            (_, other) => {
                let message = format!("expected {}, found {}", self.expected(schema), article(other.type_str()));
                self.report_value(span, key, message);
                None
            }
        }
    }

    fn array_length(&mut self, length: usize, span: Range<usize>, schema: &Value, key: &str) {
        let bound = |name| schema.get(name).and_then(Value::as_u64).map(|n| n as usize);
        let (low, high) = (bound("minItems").unwrap_or(0), bound("maxItems").unwrap_or(usize::MAX));
        if length < low || length > high {
            let wanted = if low == high { format!("{low}") } else { format!("at least {low}") };
            self.report(span, key, format!("expected {wanted} values, found {length}"));
        }
    }

    fn string(&mut self, text: &str, span: Range<usize>, schema: &'a Value, key: &str) -> Option<Value> {
        let choices = choices(schema);
        if !choices.is_empty() && !choices.contains(&text) {
            let help = nearest(text, choices.iter().copied()).map(|c| format!("did you mean \"{c}\"?"));
            let message = format!("expected one of {}", listed(&choices));
            if let Some(problem) = self.report_value(span, key, message) {
                problem.help = help;
            }
            return None;
        }
        Some(Value::String(text.to_string()))
    }

    fn number(&mut self, number: Option<f64>, span: Range<usize>, schema: &Value, key: &str) -> Option<Value> {
        let Some(value) = number.filter(|v| v.is_finite()) else {
            self.report_value(span, key, "expected a finite number");
            return None;
        };
        let unit = schema.get("x-unit").and_then(Value::as_str).map_or(String::new(), |u| format!(" {u}"));
        if let Some(range) = violated(value, schema) {
            self.report_value(span, key, format!("must be {range}{unit}"));
        } else if let Some([low, high]) = usual(schema)
            && !(low..=high).contains(&value)
        {
            let message = format!("unusual, fabrics have {low} to {high}{unit}");
            let help = unit_advice(value, low, high);
            if let Some(problem) = self.report_value(span, key, message) {
                *problem = problem.clone().warning();
                problem.help = help;
            }
        }
        Number::from_f64(value).map(Value::Number)
    }

    fn table(&mut self, table: &DeTable<'a>, span: Range<usize>, schema: &'a Value, key: &str) -> Option<Value> {
        let schema = self.branch(table, span.clone(), schema, key)?;
        let known = schema.get("properties").and_then(Value::as_object)?;
        let mut out = Map::new();
        for (name, value) in table {
            // Enough has been said; a file of a million strangers must not cost a million searches for the nearest key.
            if self.problems.len() >= PROBLEM_LIMIT {
                break;
            }
            let here = joined(key, name.get_ref());
            match known.get(name.get_ref().as_ref()) {
                Some(inner) => {
                    if let Some(value) = self.value(value, inner, &here) {
                        out.insert(name.get_ref().to_string(), value);
                    }
                }
                None => self.unknown_key(name, &here, known),
            }
        }
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        for name in required.filter_map(Value::as_str) {
            if !table.contains_key(name) {
                let what = self.expected(&known[name]);
                self.report(span.clone(), &joined(key, name), format!("missing: expected {what}"));
            }
        }
        Some(Value::Object(out))
    }

    fn unknown_key(&mut self, name: &Spanned<Cow<'a, str>>, key: &str, known: &Map<String, Value>) {
        let all = || known.keys().cloned().collect::<Vec<_>>().join(", ");
        // A key without its unit is the most likely slip.
        let unit = format!("{}_", name.get_ref());
        let with_unit = known.keys().map(String::as_str).find(|k| k.starts_with(&unit));
        let near = nearest(name.get_ref(), known.keys().map(String::as_str)).or(with_unit);
        let help = near.map_or_else(|| format!("known keys: {}", all()), |n| format!("did you mean `{n}`?"));
        if let Some(problem) = self.report(name.span(), key, "unknown key") {
            problem.help = Some(help);
        }
    }

    /// Of a choice of tables told apart by one word, the one whose word the table has.
    fn branch(&mut self, table: &DeTable<'a>, span: Range<usize>, schema: &'a Value, key: &str) -> Option<&'a Value> {
        let Some(options) = schema.get("oneOf").and_then(Value::as_array) else { return Some(schema) };
        let tag = options.first()?.get("properties")?.as_object()?.iter().find(|(_, s)| s.get("const").is_some())?.0;
        let word = |option: &'a Value| option["properties"][tag.as_str()]["const"].as_str().unwrap_or("");
        let words: Vec<&str> = options.iter().map(word).collect();
        let here = joined(key, tag);
        let Some(given) = table.get(tag.as_str()) else {
            self.report(span, &here, format!("missing: expected one of {}", listed(&words)));
            return None;
        };
        let text = given.get_ref().as_str().unwrap_or("");
        let found = options.iter().find(|o| word(o) == text);
        if found.is_none() {
            let help = nearest(text, words.iter().copied()).map(|w| format!("did you mean \"{w}\"?"));
            let message = format!("expected one of {}", listed(&words));
            if let Some(problem) = self.report_value(given.span(), &here, message) {
                problem.help = help;
            }
        }
        found
    }
}

fn joined(key: &str, name: &str) -> String {
    if key.is_empty() { name.to_string() } else { format!("{key}.{name}") }
}

/// The schemas of a choice of types, null aside; empty where there is no choice.
fn options(schema: &Value) -> Vec<&Value> {
    let all = schema.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    all.filter(|s| s.get("type").and_then(Value::as_str) != Some("null")).collect()
}

/// The type a schema asks for, null aside.
fn type_name(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(name)) => name,
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).find(|n| *n != "null").unwrap_or("object"),
        _ if choices(schema).is_empty() => "object",
        _ => "string",
    }
}

/// The words a string may be; empty when it is free.
fn choices(schema: &Value) -> Vec<&str> {
    let listed = schema.get("enum").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let options = schema.get("oneOf").and_then(Value::as_array).into_iter().flatten();
    let documented = options.filter_map(|o| o.get("const").and_then(Value::as_str));
    listed.chain(documented).chain(schema.get("const").and_then(Value::as_str)).collect()
}

fn listed(words: &[&str]) -> String {
    words.iter().map(|w| format!("\"{w}\"")).collect::<Vec<_>>().join(", ")
}

fn described(kind: &str, schema: &Value) -> String {
    let what = match kind {
        "object" => "a table",
        "array" => "an array",
        "string" => "a text in quotes",
        "boolean" => "true or false",
        "integer" => "a whole number",
        _ => "a number",
    };
    match schema.get("x-unit").and_then(Value::as_str) {
        Some(unit) => format!("{what} ({unit})"),
        None => what.to_string(),
    }
}

fn article(kind: &str) -> String {
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {kind}")
}

/// The allowed range in words when a number is outside of it.
fn violated(value: f64, schema: &Value) -> Option<String> {
    let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
    let below = bound("minimum").is_some_and(|b| value < b) || bound("exclusiveMinimum").is_some_and(|b| value <= b);
    let above = bound("maximum").is_some_and(|b| value > b) || bound("exclusiveMaximum").is_some_and(|b| value >= b);
    if !(below || above) {
        return None;
    }
    let low =
        bound("minimum").map(|b| format!("at least {b}")).or(bound("exclusiveMinimum").map(|b| format!("above {b}")));
    let high =
        bound("maximum").map(|b| format!("at most {b}")).or(bound("exclusiveMaximum").map(|b| format!("below {b}")));
    Some([low, high].into_iter().flatten().collect::<Vec<_>>().join(" and "))
}

fn usual(schema: &Value) -> Option<[f64; 2]> {
    let range = schema.get("x-usual")?.as_array()?;
    Some([range.first()?.as_f64()?, range.get(1)?.as_f64()?])
}

/// Which power of a thousand would make a number usual.
fn unit_advice(value: f64, low: f64, high: f64) -> Option<String> {
    let fits = |factor: f64| (low..=high).contains(&(value * factor));
    if fits(1e3) || fits(1e6) {
        Some("too small by a thousand or more: check the unit".into())
    } else if fits(1e-3) || fits(1e-6) {
        Some("too large by a thousand or more: check the unit".into())
    } else {
        None
    }
}
