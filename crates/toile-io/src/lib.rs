//! Files: the only crate that knows formats.

pub mod atomic;
