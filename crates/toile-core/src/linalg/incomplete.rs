//! Conjugate gradients with an incomplete block Cholesky factor without fill.
//!
//! M = (U + D) D⁻¹ (D + Uᵀ), U strictly lower on the pattern of A (blocks and scalars together), chosen so that M = A on
//! the pattern:
//!
//! ```text
//! U_ij = A_ij − Σ_k U_ik D_k⁻¹ U_jkᵀ      D_i = A_ii − Σ_k U_ik D_k⁻¹ U_ikᵀ
//! ```
//!
//! Dropped fill can make a D_i indefinite although A is not, or the factor a bad one: then the diagonal is raised and the factor
//! taken again.
//! Vertices keep their order: natural orders of sheets did better than minimum degree, dissection or colouring.

use super::cg::Cg;
use super::matrix::{mul, mul_transposed};
use super::small::{Fault, dot, masked_inverse, mul_bt, mul_mat};
use super::solver::check_operator;
use super::union::{Coupling, Union};
use super::{BlockMatrix, Layout, LinearSolver, Operator, Real, SolveError, SolveReport, Stop};
use std::cmp::Ordering;

/// Shares of its own diagonal added to A before the factor, tried in turn.
const SHIFTS: [f64; 4] = [0.0, 0.01, 0.05, 0.2];

/// Block-IC(0) preconditioned CG: the fallback where there are no material coordinates.
#[derive(Clone, Debug)]
pub struct Incomplete<T> {
    union: Union,
    /// A, whose lower half is overwritten with U.
    factor: BlockMatrix<T>,
    /// D⁻¹ on the free components.
    inverse: Vec<[T; 9]>,
    shift: f64,
    cg: Cg<T>,
}

impl<T: Real> Incomplete<T> {
    /// For matrices of this layout.
    pub fn new(layout: &Layout<T>) -> Self {
        let union = Union::new(layout);
        let factor = BlockMatrix::zero(union.pattern.clone());
        Self { union, factor, inverse: vec![[T::default(); 9]; layout.len()], shift: 0.0, cg: Cg::default() }
    }

    /// Share of the diagonal that had to be added for the factor in use.
    pub fn shift(&self) -> f64 {
        self.shift
    }

    /// Factors `a` with the first shift from `lowest` on that works; fails with the last error.
    fn climb(&mut self, a: &Operator<T>, lowest: f64) -> Result<(), SolveError> {
        let mut failure = Fault::NotPositive.at(0);
        for shift in SHIFTS.into_iter().filter(|&s| s >= lowest) {
            self.union.assemble(a, Coupling::Shared, &mut self.factor)?;
            self.shift = shift;
            match self.factorise(a.free, shift) {
                Err(e @ SolveError::NotPositive { .. }) => failure = e,
                done => return done,
            }
        }
        Err(failure)
    }

    fn factorise(&mut self, free: &[[T; 3]], shift: f64) -> Result<(), SolveError> {
        let raise = T::from_f64(1.0 + shift);
        let (pattern, factor) = (&*self.union.pattern, &mut self.factor);
        let mut scaled: Vec<[T; 9]> = Vec::new(); // W_ik = U_ik D_k⁻¹ of the row in work
        for i in 0..pattern.len() {
            let mut d = factor.diagonal[i].map(|v| v * raise);
            let row = pattern.row(i);
            scaled.clear();
            for slot in row.clone() {
                let j = pattern.columns[slot] as usize;
                let mut u = factor.lower[slot];
                let (mut a, mut b, end) = (row.start, pattern.row(j).start, pattern.row(j).end);
                while a < slot && b < end {
                    match pattern.columns[a].cmp(&pattern.columns[b]) {
                        Ordering::Less => a += 1,
                        Ordering::Greater => b += 1,
                        Ordering::Equal => {
                            subtract(&mut u, &mul_bt(&scaled[a - row.start], &factor.lower[b]));
                            (a, b) = (a + 1, b + 1);
                        }
                    }
                }
                let w = mul_mat(&u, &self.inverse[j]);
                subtract(&mut d, &mul_bt(&w, &u));
                factor.lower[slot] = u;
                scaled.push(w);
            }
            self.inverse[i] = masked_inverse(&d, &free[i]).map_err(|fault| fault.at(i))?;
        }
        Ok(())
    }
}

fn subtract<T: Real>(a: &mut [T; 9], b: &[T; 9]) {
    for k in 0..9 {
        a[k] -= b[k];
    }
}

/// z = M⁻¹ r: (U + D) y = r, then (I + D⁻¹ Uᵀ) z = y.
fn apply<T: Real>(factor: &BlockMatrix<T>, inverse: &[[T; 9]], r: &[[T; 3]], z: &mut [[T; 3]]) {
    let pattern = &*factor.pattern;
    for i in 0..pattern.len() {
        let mut t = r[i];
        for slot in pattern.row(i) {
            let v = mul(&factor.lower[slot], &z[pattern.columns[slot] as usize]);
            (0..3).for_each(|c| t[c] -= v[c]);
        }
        z[i] = mul(&inverse[i], &t);
    }
    for i in (0..pattern.len()).rev() {
        let zi = z[i];
        for slot in pattern.row(i) {
            let j = pattern.columns[slot] as usize;
            let v = mul(&inverse[j], &mul_transposed(&factor.lower[slot], &zi));
            (0..3).for_each(|c| z[j][c] -= v[c]);
        }
    }
}

impl<T: Real> LinearSolver<T> for Incomplete<T> {
    fn name(&self) -> &'static str {
        "ic0"
    }

    fn update(&mut self, a: &Operator<T>) -> Result<(), SolveError> {
        check_operator(a, self.inverse.len())?;
        self.climb(a, 0.0)
    }

    fn solve(
        &mut self,
        a: &Operator<T>,
        b: &[[T; 3]],
        x: &mut [[T; 3]],
        stop: Stop,
    ) -> Result<SolveReport, SolveError> {
        check_operator(a, self.inverse.len())?;
        // Positive pivots do not make a good factor: on plates the triangular solves may amplify without any sign of it but the
        // iterations. What takes longer than any sheet of this size should is factored again with a larger shift.
        let patience = 64 + a.len().isqrt();
        let (mut spent, limit) = (0, stop.max_iterations);
        loop {
            let is_last = self.shift >= SHIFTS[SHIFTS.len() - 1];
            let left = limit - spent;
            let max_iterations = if is_last { left } else { left.min(patience) };
            let stop = Stop { max_iterations, ..stop };
            let (factor, inverse) = (&self.factor, &self.inverse);
            let products = |x: &[[T; 3]], y: &mut [[T; 3]]| a.multiply(x, y);
            let report = self.cg.solve(a.free, (b, x), stop, products, |r, z| apply(factor, inverse, r, z))?;
            spent += report.iterations;
            if report.converged || is_last || spent >= limit {
                return Ok(SolveReport { iterations: spent, ..report });
            }
            self.climb(a, self.shift + f64::EPSILON)?;
        }
    }

    fn precondition(&mut self, _a: &Operator<T>, r: &[[T; 3]], z: &mut [[T; 3]]) -> f64 {
        apply(&self.factor, &self.inverse, r, z);
        dot(r, z)
    }
}
