//! Conjugate gradients with the inverse diagonal blocks as preconditioner.

use super::cg::{Cg, apply_blocks};
use super::small::{dot, masked_inverse};
use super::solver::check_operator;
use super::{LinearSolver, Operator, Real, SolveError, SolveReport, Stop};

/// Block-Jacobi preconditioned CG. Iterations grow with the number of vertices along the sheet.
#[derive(Clone, Debug)]
pub struct Jacobi<T> {
    inverse: Vec<[T; 9]>,
    cg: Cg<T>,
}

impl<T: Real> Jacobi<T> {
    /// For `vertex_count` vertices.
    pub fn new(vertex_count: usize) -> Self {
        Self { inverse: vec![[T::default(); 9]; vertex_count], cg: Cg::default() }
    }
}

impl<T: Real> LinearSolver<T> for Jacobi<T> {
    fn name(&self) -> &'static str {
        "jacobi"
    }

    fn update(&mut self, a: &Operator<T>) -> Result<(), SolveError> {
        check_operator(a, self.inverse.len())?;
        let mut blocks: Vec<[T; 9]> = (0..a.len()).map(|i| a.diagonal_block(i)).collect();
        for (i, share) in a.pair_shares() {
            (0..9).for_each(|e| blocks[i as usize][e] += T::from_f64(share[e]));
        }
        let invert = |(i, (d, free))| masked_inverse(d, free).map_err(|fault| fault.at(i));
        self.inverse = blocks.iter().zip(a.free).enumerate().map(invert).collect::<Result<_, _>>()?;
        Ok(())
    }

    fn solve(
        &mut self,
        a: &Operator<T>,
        b: &[[T; 3]],
        x: &mut [[T; 3]],
        stop: Stop,
    ) -> Result<SolveReport, SolveError> {
        check_operator(a, self.inverse.len())?;
        let inverse = &self.inverse;
        self.cg.solve(a.free, (b, x), stop, |x, y| a.multiply(x, y), |r, z| apply_blocks(inverse, r, z))
    }

    fn precondition(&mut self, _a: &Operator<T>, r: &[[T; 3]], z: &mut [[T; 3]]) -> f64 {
        apply_blocks(&self.inverse, r, z);
        dot(r, z)
    }
}
