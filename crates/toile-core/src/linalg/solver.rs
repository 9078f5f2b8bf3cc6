//! The contract of linear solvers and their registry.

use super::{Auto, Cholesky, Incomplete, Jacobi, Multigrid, Operator, Pattern, Real, ScalarMatrix};
use crate::lane::Level;
use std::sync::Arc;

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveReport {
    /// Applications of the preconditioner.
    pub iterations: usize,
    /// √(r·M⁻¹r) of the last residual that was looked at, r = b − A x before the closing correction: an upper estimate of
    /// the energy norm of the error, as far as M resembles A.
    pub residual: f64,
    /// True when `residual` is at or below the goal.
    pub converged: bool,
    /// The solver that had to take over, where `auto` changed horses.
    pub fallback: Option<&'static str>,
}

/// Why a solver gave up.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SolveError {
    /// No solver of that name.
    #[error("no linear solver is called `{name}`; known are {known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// Parts that do not belong together.
    #[error("{what}: expected {expected} entries, found {found}")]
    Length {
        /// Which part.
        what: &'static str,
        /// Length it should have.
        expected: usize,
        /// Length it has.
        found: usize,
    },
    /// A number that is infinite or not a number.
    #[error("{what} is not finite at vertex {vertex}")]
    NotFinite {
        /// Which input or result.
        what: &'static str,
        /// First vertex concerned.
        vertex: usize,
    },
    /// A pivot that is not positive.
    #[error(
        "the matrix is not positive definite: elimination fails at vertex {vertex}; project the element matrices or shorten the step"
    )]
    NotPositive {
        /// Vertex of the failing pivot.
        vertex: usize,
    },
    /// A direction along which the quadratic form does not grow.
    #[error(
        "the {what} is not positive definite: curvature {curvature:e} in iteration {iteration}; project the element matrices or shorten the step"
    )]
    Indefinite {
        /// Matrix or preconditioner.
        what: &'static str,
        /// Iteration, from 1.
        iteration: usize,
        /// pᵀAp or rᵀM⁻¹r.
        curvature: f64,
    },
    /// The factor does not fit.
    #[error("the sparse factor could not be set up: {reason}")]
    Factor {
        /// What the factorisation says.
        reason: String,
    },
}

/// When a solve ends.
#[derive(Clone, Copy, Debug)]
pub struct Stop {
    /// Energy norm √(r·M⁻¹r) of the residual.
    pub goal: f64,
    /// Applications of the preconditioner.
    pub max_iterations: usize,
    /// A solver may leave out its last look at the residual where that will be below the goal if it falls as it did before: for
    /// callers that look themselves. Saves multigrid one cycle of three.
    pub unchecked: bool,
}

impl Stop {
    /// At the goal, checked.
    pub fn at(goal: f64, max_iterations: usize) -> Self {
        Self { goal, max_iterations, unchecked: false }
    }
}

/// Solves A x = b for symmetric positive definite A of a fixed pattern.
pub trait LinearSolver<T: Real>: Send {
    /// Name in the registry.
    fn name(&self) -> &'static str;

    /// Takes over new matrix values, same pattern.
    fn update(&mut self, a: &Operator<T>) -> Result<(), SolveError>;

    /// Solves A x = b from the start value in x, whose fixed components are zero. `a` has the values of the last update.
    fn solve(&mut self, a: &Operator<T>, b: &[[T; 3]], x: &mut [[T; 3]], stop: Stop)
    -> Result<SolveReport, SolveError>;

    /// z = M⁻¹ r once: one cycle, one pair of triangular solves. Returns r·z.
    fn precondition(&mut self, a: &Operator<T>, r: &[[T; 3]], z: &mut [[T; 3]]) -> f64;
}

/// Where a vertex lies in its flat panel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Panel number.
    pub panel: u32,
    /// Material coordinates (m).
    pub uv: [f64; 2],
}

/// What solvers know before the first matrix.
#[derive(Clone, Debug)]
pub struct Layout<T> {
    /// Pattern of the blocks.
    pub blocks: Arc<Pattern>,
    /// The constant scalar part, if there is one.
    pub scalars: Option<Arc<ScalarMatrix<T>>>,
    /// 1 for free components, 0 for fixed ones. May change later: solvers follow the operator's mask at each update.
    pub free: Vec<[T; 3]>,
    /// Place of each vertex; `None` for auxiliary nodes. A vertex on a seam takes either of its places.
    pub places: Vec<Option<Place>>,
    /// Instruction set of the sweeps; it changes the last bits.
    pub simd: Level,
}

impl<T: Real> Layout<T> {
    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// True without vertices.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    fn check(&self) -> Result<(), SolveError> {
        let expected = self.len();
        let scalars = self.scalars.as_ref().map_or(expected, |s| s.pattern.len());
        let parts = [
            ("scalar pattern", scalars),
            ("mask of free components", self.free.len()),
            ("material places", self.places.len()),
        ];
        match parts.into_iter().find(|p| p.1 != expected) {
            Some((what, found)) => Err(SolveError::Length { what, expected, found }),
            None => Ok(()),
        }
    }
}

/// A member of the registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Name in scene files and on the command line.
    pub name: &'static str,
    /// One line for menus.
    pub summary: &'static str,
}

/// Linear solvers. Matrix-free products have a function of their own, [`super::matrix_free_cg`].
pub const SOLVERS: &[Entry] = &[
    Entry { name: "auto", summary: "multigrid, incomplete or full Cholesky by size and shape, with fallback" },
    Entry {
        name: "multigrid",
        summary: "conjugate gradients, multigrid cycle over the flat panels: fastest on sheets",
    },
    Entry { name: "jacobi", summary: "conjugate gradients, block-Jacobi preconditioner: least set-up" },
    Entry { name: "ic0", summary: "conjugate gradients, incomplete block Cholesky without fill" },
    Entry { name: "cholesky", summary: "sparse Cholesky factor in double precision: statics, many digits" },
];

/// Makes the solver called `name`.
pub fn build<T: Real>(name: &str, layout: &Layout<T>) -> Result<Box<dyn LinearSolver<T>>, SolveError> {
    layout.check()?;
    Ok(match name {
        "auto" => Box::new(Auto::new(layout)),
        "multigrid" => Box::new(Multigrid::new(layout)),
        "jacobi" => Box::new(Jacobi::new(layout.len())),
        "ic0" => Box::new(Incomplete::new(layout)),
        "cholesky" => Box::new(Cholesky::new(layout)?),
        _ => {
            let known = SOLVERS.iter().map(|e| e.name).collect::<Vec<_>>().join(", ");
            return Err(SolveError::Unknown { name: name.to_owned(), known });
        }
    })
}

/// Fails when the operator does not fit a solver made for `len` vertices.
pub(super) fn check_operator<T: Real>(a: &Operator<T>, len: usize) -> Result<(), SolveError> {
    let scalars = a.scalars.map_or(len, |s| s.pattern.len());
    let parts = [
        ("matrix rows", a.blocks.pattern.len()),
        ("diagonal blocks", a.blocks.diagonal.len()),
        ("scalar matrix rows", scalars),
        ("lumped diagonal", a.lumped.len()),
        ("mask of free components", a.free.len()),
    ];
    match parts.into_iter().find(|p| p.1 != len) {
        Some((what, found)) => Err(SolveError::Length { what, expected: len, found }),
        None => Ok(()),
    }
}

/// Fails when a vector does not fit.
pub(super) fn check_vectors<T>(len: usize, b: &[[T; 3]], x: &[[T; 3]]) -> Result<(), SolveError> {
    for (what, found) in [("right side", b.len()), ("start value", x.len())] {
        if found != len {
            return Err(SolveError::Length { what, expected: len, found });
        }
    }
    Ok(())
}
