//! Files: the only crate that knows formats. Domain types of the other crates are never serialised themselves; versioned
//! mirror types here are, with units in every key, and are converted explicitly.
//!
//! Every reader reports all mistakes of a file at once, each as a [`Problem`] with its place, and never panics on bad input.

pub mod atomic;
pub mod body;
pub mod csv;
mod document;
pub mod fabric;
pub mod formats;
pub mod garment;
mod json;
pub mod outfit;
mod problem;
pub mod run;
pub mod scene;
pub mod surface;

pub use problem::{Problem, Severity, nearest};

use std::io::{self, Read};
use std::path::Path;

/// Largest file read: a hundred times the largest sensible one.
const FILE_LIMIT: u64 = 64 << 20;

/// The bytes of a file that is not absurdly large.
pub(crate) fn read_limited(path: &Path) -> io::Result<Vec<u8>> {
    read_up_to(path, FILE_LIMIT)
}

/// The bytes of a file of at most `limit` bytes.
pub(crate) fn read_up_to(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("larger than {} MiB", limit >> 20)));
    }
    Ok(bytes)
}
