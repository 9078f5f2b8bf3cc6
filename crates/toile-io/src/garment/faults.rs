//! What is wrong with a pattern, in the words of a file.

use crate::problem::Problem;
use std::path::Path;
use toile_garment::pattern::PatternError;

/// A fault of a garment at its place in the file.
pub(super) fn problem(error: &PatternError, path: &Path, at: (usize, usize), key: String) -> Problem {
    Problem::error(path, at, key, error.to_string()).with_help(help(error))
}

/// What to do about it.
pub(super) fn help(error: &PatternError) -> &'static str {
    error.help()
}
