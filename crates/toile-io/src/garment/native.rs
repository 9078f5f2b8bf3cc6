//! Toile's own garment files: TOML with units in every key; version 1.
//!
//! The way of a file: `file` mirrors it, `convert` turns it into a [`Garment`] in SI units, `mirror` turns a garment back, `text`
//! writes it with one line for each edge and span. Darts, pleats and pockets are short forms of a file: a garment has the edges,
//! lines and seams they stand for, and those are what is written.

mod convert;
mod file;
mod mirror;
mod text;

pub use file::GarmentDocument;

use crate::document::Document;
use crate::problem::Problem;
use serde_json::Value;
use std::path::Path;
use std::sync::LazyLock;
use toile_garment::pattern::{Garment, PatternError};

/// JSON Schema of garment files.
pub fn schema() -> Value {
    SCHEMA.clone()
}

static SCHEMA: LazyLock<Value> = LazyLock::new(|| schemars::schema_for!(GarmentDocument).to_value());

/// Reads a garment file: the garment, and what looks wrong although it works.
pub fn read(text: &str, path: &Path) -> Result<(Garment, Vec<Problem>), Vec<Problem>> {
    let mut tree = Document::parse(text, path);
    let garment = if tree.has_errors() { None } else { examine(&mut tree) };
    let mut problems = tree.problems;
    problems.sort_by_key(|p| (p.line, p.column));
    match garment {
        Some(garment) if !problems.iter().any(Problem::is_error) => Ok((garment, problems)),
        _ => Err(problems),
    }
}

fn examine(tree: &mut Document) -> Option<Garment> {
    let value = tree.checked(&SCHEMA);
    let document = match serde_json::from_value::<GarmentDocument>(value) {
        Ok(document) => document,
        Err(error) => {
            // Only after a mistake the walk has reported; if not, schema and type disagree and this says so.
            if !tree.has_errors() {
                tree.error("", error.to_string());
            }
            return None;
        }
    };
    let mut made = convert::Maker::new(&document, tree);
    let mut garment = made.garment()?;
    // Panels are checked before darts number their edges on, lengths after darts have taken theirs.
    let lengths = |e: &PatternError| matches!(e, PatternError::Mismatch { .. } | PatternError::Ratio { .. });
    let mut faults: Vec<PatternError> = garment.problems().into_iter().filter(|e| !lengths(e)).collect();
    if faults.is_empty() {
        made.shape(&mut garment)?;
        faults = garment.problems();
    }
    for fault in &faults {
        let key = made.key(fault.place());
        made.fault(&key, fault.to_string(), fault.help());
    }
    Some(garment)
}

/// Writes a garment as a file that reads back as the same garment, up to rounding of units.
pub fn write(garment: &Garment) -> String {
    text::text(&mirror::document(garment))
}
