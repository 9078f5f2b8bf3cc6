//! The text of a garment file: a table for each part, a line for each edge and span.

use super::file::GarmentDocument;
use serde_json::Value;
use std::fmt::Write;

/// Keys in the order they are written; the rest follows by name.
#[rustfmt::skip] // a row for each kind of table
const ORDER: [&str; 24] = [
    "format", "name", "notes", "kind",
    "label", "fabric", "layer", "grain_deg", "place",
    "panel", "edge", "line", "on",
    "from_cm", "quadratic", "cubic", "arc", "from", "to", "first", "second",
    "edges", "points_cm", "path",
];

/// A document as TOML.
pub(super) fn text(document: &GarmentDocument) -> String {
    let value = serde_json::to_value(document).unwrap_or_default();
    let mut out = String::new();
    for (key, value) in ordered(&value).into_iter().filter(|(_, v)| !is_tables(v)) {
        line(&mut out, key, value);
    }
    for (key, value) in ["panel", "seam", "pocket", "tape", "button", "attachment"].map(|k| (k, &value[k])) {
        for table in value.as_array().into_iter().flatten() {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "\n[[{key}]]");
            for (key, value) in ordered(table) {
                line(&mut out, key, value);
            }
        }
    }
    out
}

fn ordered(table: &Value) -> Vec<(&str, &Value)> {
    let members = table.as_object().into_iter().flatten().filter(|(_, v)| !v.is_null());
    let mut members: Vec<(&str, &Value)> = members.map(|(k, v)| (k.as_str(), v)).collect();
    members.sort_by_key(|(k, _)| ORDER.iter().position(|o| o == k).unwrap_or(ORDER.len()));
    members
}

fn is_tables(value: &Value) -> bool {
    value.as_array().is_some_and(|items| !items.is_empty() && items.iter().all(Value::is_object))
}

fn line(out: &mut String, key: &str, value: &Value) {
    let _ = write!(out, "{key} = ");
    match value.as_array() {
        Some(items) if is_tables(value) && items.len() > 1 => {
            out.push_str("[\n");
            for item in items {
                out.push_str("  ");
                inline(out, item);
                out.push_str(",\n");
            }
            out.push(']');
        }
        _ => inline(out, value),
    }
    out.push('\n');
}

fn inline(out: &mut String, value: &Value) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                inline(out, item);
            }
            out.push(']');
        }
        Value::Object(_) => {
            out.push_str("{ ");
            for (i, (key, value)) in ordered(value).into_iter().enumerate() {
                let _ = write!(out, "{}{key} = ", if i > 0 { ", " } else { "" });
                inline(out, value);
            }
            out.push_str(" }");
        }
        Value::String(text) => {
            let _ = write!(out, "{}", toml::Value::String(text.clone()));
        }
        Value::Number(number) => match number.as_f64() {
            // 12.0 reads better as 12, and means the same here.
            Some(v) if v == v.trunc() && v.abs() < 1e15 => {
                let _ = write!(out, "{}", v as i64);
            }
            _ => {
                let _ = write!(out, "{number}");
            }
        },
        other => {
            let _ = write!(out, "{other}");
        }
    }
}
