//! The `toile` program.
fn main() {}
