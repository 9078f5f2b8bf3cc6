//! Garment files: flat patterns with their seams.
//!
//! Every reader ends with the same checks ([`Garment::problems`]), so that what it hands out can be meshed and sewn.

mod angles;
pub mod garmentcode;
pub mod native;
pub mod sheet;

use crate::atomic::{WriteError, write_atomically};
use crate::problem::Problem;
use std::path::Path;
use toile_garment::pattern::Garment;

/// A garment as it was read.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What is cut and sewn, in SI units.
    pub garment: Garment,
    /// The file it was read from: writing into it keeps all that Toile does not know.
    pub source: Source,
    /// What looks wrong although it works.
    pub warnings: Vec<Problem>,
}

/// The file of a garment.
#[derive(Clone, Debug)]
pub enum Source {
    /// A GarmentCode specification.
    GarmentCode(garmentcode::Document),
    /// A garment file of Toile.
    Native,
}

/// Reads a garment from a file; all problems when it cannot be used.
pub fn read(path: &Path) -> Result<Loaded, Vec<Problem>> {
    let fault = |message: String| vec![Problem::error(path, (0, 0), "", message)];
    let bytes = crate::read_limited(path).map_err(|e| fault(format!("cannot be read: {e}")))?;
    let text = String::from_utf8(bytes).map_err(|_| fault("the file is not UTF-8 text".into()))?;
    from_text(&text, path)
}

/// The same from memory; the path names the format and the garment.
pub fn from_text(text: &str, path: &Path) -> Result<Loaded, Vec<Problem>> {
    match extension(path).as_str() {
        "json" => {
            let (garment, document, warnings) = garmentcode::read(text, path)?;
            Ok(Loaded { garment, source: Source::GarmentCode(document), warnings })
        }
        "toml" => {
            let (garment, warnings) = native::read(text, path)?;
            Ok(Loaded { garment, source: Source::Native, warnings })
        }
        _ => {
            let problem = Problem::error(path, (0, 0), "", "the extension names no garment format");
            Err(vec![problem.with_help("a garment is read from .toml, or from .json (GarmentCode)")])
        }
    }
}

/// Writes a garment to a `.toml` or `.json` file, whole or not at all, and says what the format cannot hold. Into a
/// specification goes what changed since it was read from its source.
pub fn write(path: &Path, garment: &Garment, source: Option<&Source>) -> Result<Vec<String>, WriteError> {
    let written = match (extension(path).as_str(), source) {
        ("json", Some(Source::GarmentCode(document))) => garmentcode::write(garment, Some(document)),
        ("json", _) => garmentcode::write(garment, None),
        ("toml", _) => garmentcode::Written { text: native::write(garment), lost: Vec::new() },
        _ => {
            let message = "the extension names no garment format: use .toml or .json";
            let source = std::io::Error::new(std::io::ErrorKind::InvalidInput, message);
            return Err(WriteError { path: path.into(), source });
        }
    };
    write_atomically(path, written.text)?;
    Ok(written.lost)
}

fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

/// Everything that is wrong with a garment file; empty when nothing is.
pub fn check(path: &Path) -> Vec<Problem> {
    read(path).map_or_else(|problems| problems, |loaded| loaded.warnings)
}
