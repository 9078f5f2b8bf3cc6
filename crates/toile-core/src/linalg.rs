//! Sparse linear algebra of the implicit step: 3×3 block matrices over vertices, and what solves with them.
//!
//! Solvers are chosen by name ([`SOLVERS`], [`build`]) and share one contract, [`LinearSolver`]: a solve stops when the
//! energy norm of the preconditioned residual, √(r·M⁻¹r), falls below a goal. Every sum is taken in an order that depends
//! on the mesh alone, so the bytes of a solution do not depend on the number of threads.

mod auto;
mod cg;
mod cholesky;
mod dissection;
mod eigen;
mod incomplete;
mod jacobi;
mod matrix;
mod multigrid;
mod pairs;
mod quad;
mod rows;
mod small;
mod solver;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod union;

pub use auto::Auto;
pub use cg::{Product, matrix_free_cg};
pub use cholesky::Cholesky;
pub use eigen::{positive_sym3, symmetric_eigen};
pub use incomplete::Incomplete;
pub use jacobi::Jacobi;
pub use matrix::{BlockMatrix, Operator, Pattern, Real, ScalarMatrix};
pub use multigrid::Multigrid;
pub use pairs::Pair;
pub(crate) use rows::FullRows;
pub use solver::{Entry, Layout, LinearSolver, Place, SOLVERS, SolveError, SolveReport, Stop, build};
