//! Sparse linear algebra of the implicit step: 3×3 block matrices over vertices, and what solves with them.

mod eigen;
mod matrix;

pub use eigen::{positive_sym3, symmetric_eigen};
pub use matrix::{BlockMatrix, Operator, Pattern, Real, ScalarMatrix};
