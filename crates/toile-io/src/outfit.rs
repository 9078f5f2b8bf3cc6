//! Outfit files: who wears what, of which fabric. TOML with units in every key; version 1.
//!
//! The way of a file: `file` mirrors it, `convert` turns it into an [`Outfit`]. Bodies, garments and fabrics it names are opened to see
//! whether they serve, so that all mistakes are told at once; they are made by whoever drapes, since drafts are drawn to the body.

mod convert;
mod file;

pub use file::OutfitDocument;

use crate::body::Import;
use crate::document::Document;
use crate::problem::Problem;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use toile_garment::body::Measurements;
use toile_garment::draft::Ease;

/// Garments on a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Outfit {
    /// Name.
    pub name: String,
    /// Who wears it.
    pub wearer: Wearer,
    /// What is worn, the innermost first.
    pub pieces: Vec<Piece>,
    /// Edge length of the triangles (m), if it says so.
    pub edge: Option<f64>,
    /// Friction of cloth on skin and on cloth, if it says so.
    pub friction: Option<f64>,
}

/// Who wears an outfit.
#[derive(Clone, Debug, PartialEq)]
pub enum Wearer {
    /// The mannequin of a size.
    Size(String),
    /// The mannequin of measurements.
    Measured(Box<Measurements>),
    /// A body from a file.
    File {
        /// The file.
        path: PathBuf,
        /// How its numbers are meant.
        import: Import,
        /// Form, 0 female to 1 male, for what cannot be measured on it.
        form: f64,
    },
}

impl Default for Wearer {
    /// The mannequin of size F38.
    fn default() -> Self {
        Self::Size("F38".into())
    }
}

/// One garment of an outfit.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Name, if it has one of its own.
    pub name: Option<String>,
    /// How it is cut.
    pub pattern: Pattern,
    /// Fabric, by name or file; none where it is not told.
    pub fabric: Option<String>,
    /// Higher ones lie further out.
    pub layer: i32,
    /// Colour in pictures (sRGB, 0 to 1).
    pub colour: Option<[f32; 3]>,
}

/// How a garment is cut.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// Drawn to the measurements of the body.
    Draft {
        /// Name of the draft.
        name: &'static str,
        /// What it is wider than the body.
        ease: Ease,
    },
    /// As a garment file says.
    File(PathBuf),
}

/// JSON Schema of outfit files.
pub fn schema() -> Value {
    SCHEMA.clone()
}

static SCHEMA: LazyLock<Value> = LazyLock::new(|| schemars::schema_for!(OutfitDocument).to_value());

/// Reads an outfit: the outfit, and what looks wrong although it works. All problems when it cannot be used.
pub fn read(path: &Path) -> Result<(Outfit, Vec<Problem>), Vec<Problem>> {
    let fault = |message: String| vec![Problem::error(path, (0, 0), "", message)];
    let bytes = crate::read_limited(path).map_err(|e| fault(format!("cannot be read: {e}")))?;
    let text = String::from_utf8(bytes).map_err(|_| fault("the file is not UTF-8 text".into()))?;
    from_text(&text, path)
}

/// The same from memory; paths count from the folder of `path`.
pub fn from_text(text: &str, path: &Path) -> Result<(Outfit, Vec<Problem>), Vec<Problem>> {
    let mut tree = Document::parse(text, path);
    let (outfit, elsewhere) = if tree.has_errors() { (None, Vec::new()) } else { examine(&mut tree) };
    let mut problems = tree.problems;
    problems.sort_by_key(|p| (p.line, p.column));
    problems.extend(elsewhere);
    match outfit {
        Some(outfit) if !problems.iter().any(Problem::is_error) => Ok((outfit, problems)),
        _ => Err(problems),
    }
}

fn examine(tree: &mut Document) -> (Option<Outfit>, Vec<Problem>) {
    let value = tree.checked(&SCHEMA);
    let document = match serde_json::from_value::<OutfitDocument>(value) {
        Ok(document) => document,
        Err(error) => {
            // Only after a mistake the walk has reported; if not, schema and type disagree and this says so.
            if !tree.has_errors() {
                tree.error("", error.to_string());
            }
            return (None, Vec::new());
        }
    };
    let mut maker = convert::Maker { document: &document, tree, elsewhere: Vec::new() };
    (maker.outfit(), maker.elsewhere)
}

/// Everything that is wrong with an outfit file and what it names; empty when nothing is.
pub fn check(path: &Path) -> Vec<Problem> {
    read(path).map_or_else(|problems| problems, |(_, warnings)| warnings)
}
