//! Formats of surfaces in motion: what other programs open, and what they hand back.

mod bytes;
pub mod npz;
mod zip;

use crate::atomic::WriteError;
use crate::problem::Problem;
use std::path::Path;

/// A surface could not be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The format cannot hold this.
    #[error("{message}; {advice}")]
    Limit {
        /// What is too much, with the number.
        message: String,
        /// What to do.
        advice: String,
    },
}

/// Largest file read (2 GiB): a minute of a large garment.
const FILE_LIMIT: u64 = 2 << 30;

/// The bytes of a file.
fn read_file(path: &Path) -> Result<Vec<u8>, Vec<Problem>> {
    let content = crate::read_up_to(path, FILE_LIMIT);
    content.map_err(|e| vec![Problem::error(path, (0, 0), "", format!("cannot be read: {e}"))])
}
