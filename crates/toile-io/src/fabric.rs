//! Fabric files: TOML with units in every key, and the source and quality of every group of numbers.
//!
//! [`read`] gives a [`FabricFile`]: the document as written, the core's fabric it comes down to, and warnings. [`check`] says
//! everything that is wrong with a text. [`library`] holds fabrics that come with the program, [`fit`] makes a file from
//! laboratory data.

mod convert;
mod file;
pub mod fit;
mod kes;
mod law;
mod library;
mod lsq;
mod plain;
pub mod spline;
mod table;

pub use convert::FromFabricError;
pub use file::{Bending, Drag, FabricDocument, Format, Friction, Membrane, Quality, Sheet};
pub use law::{
    BendingCurve, BendingLaw, BendingMemory, BendingViscosity, BendingViscosityCurve, MembraneCurve, MembraneLaw,
    MembraneMemory, MembraneViscosity, MembraneViscosityCurve,
};
pub use library::{LibraryFabric, UnknownFabric, by_name, library};

use crate::document::Document;
use crate::problem::Problem;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use toile_core::fabric::Fabric;

/// A fabric file that has been read.
#[derive(Clone, Debug, PartialEq)]
pub struct FabricFile {
    /// What the file says, in its own units.
    pub document: FabricDocument,
    /// What the mechanics sees.
    pub fabric: Fabric,
    /// What looks wrong although it works.
    pub warnings: Vec<Problem>,
}

/// Why a fabric file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FabricFileError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file has mistakes: all of them, warnings included.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Problems(Vec<Problem>),
}

/// JSON Schema of fabric files.
pub fn schema() -> Value {
    SCHEMA.clone()
}

static SCHEMA: LazyLock<Value> = LazyLock::new(|| schemars::schema_for!(FabricDocument).to_value());

/// Reads a fabric file.
pub fn read(path: impl AsRef<Path>) -> Result<FabricFile, FabricFileError> {
    let path = path.as_ref();
    let io = |source| FabricFileError::Io { path: path.to_path_buf(), source };
    let bytes = crate::read_limited(path).map_err(io)?;
    read_bytes(&bytes, path)
}

/// Reads a fabric from the bytes of a file; `path` names it in messages and finds tables beside it.
pub fn read_bytes(bytes: &[u8], path: &Path) -> Result<FabricFile, FabricFileError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => read_str(text, path),
        Err(e) => {
            let good = std::str::from_utf8(&bytes[..e.valid_up_to()]).unwrap_or("");
            let at = crate::problem::place(good, good.len());
            Err(FabricFileError::Problems(vec![Problem::error(path, at, "", "the file is not UTF-8 text")]))
        }
    }
}

/// Reads a fabric from text.
pub fn read_str(text: &str, path: &Path) -> Result<FabricFile, FabricFileError> {
    let (read, problems) = examine(text, path);
    match read {
        Some((document, fabric)) if !problems.iter().any(Problem::is_error) => {
            Ok(FabricFile { document, fabric, warnings: problems })
        }
        _ => Err(FabricFileError::Problems(problems)),
    }
}

/// Everything that is wrong with a fabric file, in the order of its lines; empty when nothing is.
pub fn check(text: &str, path: &Path) -> Vec<Problem> {
    examine(text, path).1
}

fn examine(text: &str, path: &Path) -> (Option<(FabricDocument, Fabric)>, Vec<Problem>) {
    let mut tree = Document::parse(text, path);
    if tree.has_errors() {
        // A tree with holes would add complaints about what was never read.
        return (None, tree.problems);
    }
    let value = tree.checked(&SCHEMA);
    let read = match serde_json::from_value::<FabricDocument>(value) {
        Ok(document) => convert::fabric(&document, &mut tree).map(|fabric| (document, fabric)),
        Err(error) => {
            // Only after a mistake the walk has reported; if not, schema and type disagree and this says so.
            if !tree.has_errors() {
                tree.error("", error.to_string());
            }
            None
        }
    };
    let mut problems = tree.problems;
    problems.sort_by_key(|p| (p.line, p.column));
    (read, problems)
}
