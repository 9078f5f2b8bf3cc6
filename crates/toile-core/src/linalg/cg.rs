//! Preconditioned conjugate gradients, over any product and any preconditioner.
//!
//! | symbol | meaning                                   |
//! |--------|-------------------------------------------|
//! | r, z   | residual b − A x, z = M⁻¹ r               |
//! | p, s   | search direction, s = A p                 |
//! | α, β   | step along p, share of the old direction  |

use super::matrix::mul;
use super::small::{dot, first_not_finite, masked_inverse};
use super::solver::check_vectors;
use super::{Operator, Real, SolveError, SolveReport, Stop};

/// A symmetric positive definite matrix known by what it does.
pub trait Product<T: Real> {
    /// y = A x. Fixed components of x are zero; those of y are ignored.
    fn multiply(&self, x: &[[T; 3]], y: &mut [[T; 3]]);
    /// Diagonal block of vertex i, for the preconditioner.
    fn diagonal(&self, i: usize) -> [T; 9];
}

impl<T: Real> Product<T> for Operator<'_, T> {
    fn multiply(&self, x: &[[T; 3]], y: &mut [[T; 3]]) {
        Operator::multiply(self, x, y);
    }
    fn diagonal(&self, i: usize) -> [T; 9] {
        self.diagonal_block(i)
    }
}

/// The vectors of a solve, kept from one to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Cg<T> {
    r: Vec<[T; 3]>,
    z: Vec<[T; 3]>,
    p: Vec<[T; 3]>,
    s: Vec<[T; 3]>,
}

impl<T: Real> Cg<T> {
    /// Solves A x = b from the start value in x; see [`super::LinearSolver::solve`] for the test.
    pub(super) fn solve(
        &mut self,
        free: &[[T; 3]],
        (b, x): (&[[T; 3]], &mut [[T; 3]]),
        stop: Stop,
        mut multiply: impl FnMut(&[[T; 3]], &mut [[T; 3]]),
        mut precondition: impl FnMut(&[[T; 3]], &mut [[T; 3]]),
    ) -> Result<SolveReport, SolveError> {
        check_vectors(free.len(), b, x)?;
        for v in [&mut self.r, &mut self.z, &mut self.p, &mut self.s] {
            v.clear();
            v.resize(free.len(), [T::default(); 3]);
        }
        self.start(free, b, x, &mut multiply);
        let mut report = SolveReport { iterations: 0, residual: f64::INFINITY, converged: false, fallback: None };
        let mut last = f64::INFINITY;
        for iteration in 1..=stop.max_iterations {
            precondition(&self.r, &mut self.z);
            let rz = dot(&self.r, &self.z);
            report = SolveReport { iterations: iteration, residual: rz.max(0.0).sqrt(), ..report };
            check_curvature("preconditioner", iteration, rz, rz >= 0.0, || self.culprit(b, x))?;
            if report.residual <= stop.goal {
                // The closing correction is free, and leaves an error two to three times smaller.
                axpy(x, T::from_f64(1.0), &self.z);
                return Ok(SolveReport { converged: true, ..report });
            }
            let beta = T::from_f64(rz / last);
            last = rz;
            for (p, z) in self.p.iter_mut().zip(&self.z) {
                *p = std::array::from_fn(|c| z[c] + beta * p[c]);
            }
            multiply(&self.p, &mut self.s);
            mask(&mut self.s, free);
            let ps = dot(&self.p, &self.s);
            check_curvature("matrix", iteration, ps, ps > 0.0, || self.culprit(b, x))?;
            let alpha = T::from_f64(rz / ps);
            axpy(x, alpha, &self.p);
            axpy(&mut self.r, -alpha, &self.s);
        }
        Ok(report)
    }

    /// r = b − A x on the free components.
    fn start(
        &mut self,
        free: &[[T; 3]],
        b: &[[T; 3]],
        x: &[[T; 3]],
        multiply: &mut impl FnMut(&[[T; 3]], &mut [[T; 3]]),
    ) {
        self.r.copy_from_slice(b);
        if x.iter().any(|v| *v != [T::default(); 3]) {
            multiply(x, &mut self.s);
            axpy(&mut self.r, T::from_f64(-1.0), &self.s);
        }
        mask(&mut self.r, free);
    }

    /// Names what was not finite: an input, or else the result of the preconditioner, hence the matrix.
    fn culprit(&self, b: &[[T; 3]], x: &[[T; 3]]) -> SolveError {
        let inputs = [("right side", b), ("iterate", x), ("matrix or its preconditioner", &self.z[..])];
        let (what, vertex) =
            inputs.iter().find_map(|(what, v)| first_not_finite(v).map(|i| (*what, i))).unwrap_or(("product", 0));
        SolveError::NotFinite { what, vertex }
    }
}

/// A form that should be positive: fails with the reason when it is not.
fn check_curvature(
    what: &'static str,
    iteration: usize,
    curvature: f64,
    positive: bool,
    culprit: impl FnOnce() -> SolveError,
) -> Result<(), SolveError> {
    if !curvature.is_finite() {
        return Err(culprit());
    }
    if !positive {
        return Err(SolveError::Indefinite { what, iteration, curvature });
    }
    Ok(())
}

fn axpy<T: Real>(y: &mut [[T; 3]], a: T, x: &[[T; 3]]) {
    for (y, x) in y.iter_mut().zip(x) {
        for c in 0..3 {
            y[c] += a * x[c];
        }
    }
}

pub(super) fn mask<T: Real>(y: &mut [[T; 3]], free: &[[T; 3]]) {
    for (y, f) in y.iter_mut().zip(free) {
        for c in 0..3 {
            // Not a product: a fixed component may hold anything, even what is not a number.
            y[c] = if f[c] == T::default() { f[c] } else { y[c] };
        }
    }
}

/// Conjugate gradients without a stored matrix: products come from `a`, the preconditioner from its diagonal blocks.
pub fn matrix_free_cg<T: Real>(
    a: &impl Product<T>,
    free: &[[T; 3]],
    b: &[[T; 3]],
    x: &mut [[T; 3]],
    goal: f64,
    max_iterations: usize,
) -> Result<SolveReport, SolveError> {
    let inverse = diagonal_inverse(a, free)?;
    let stop = Stop::at(goal, max_iterations);
    Cg::default().solve(free, (b, x), stop, |x, y| a.multiply(x, y), |r, z| apply_blocks(&inverse, r, z))
}

/// Inverse diagonal blocks on the free components.
fn diagonal_inverse<T: Real>(a: &impl Product<T>, free: &[[T; 3]]) -> Result<Vec<[T; 9]>, SolveError> {
    free.iter().enumerate().map(|(i, f)| masked_inverse(&a.diagonal(i), f).map_err(|fault| fault.at(i))).collect()
}

/// z = D⁻¹ r.
pub(super) fn apply_blocks<T: Real>(inverse: &[[T; 9]], r: &[[T; 3]], z: &mut [[T; 3]]) {
    for ((z, r), d) in z.iter_mut().zip(r).zip(inverse) {
        *z = mul(d, r);
    }
}
