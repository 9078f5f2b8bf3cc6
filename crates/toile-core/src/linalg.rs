//! Sparse linear algebra of the implicit step: 3×3 block matrices over vertices, and what solves with them.

mod matrix;

pub use matrix::{BlockMatrix, Operator, Pattern, Real, ScalarMatrix};
