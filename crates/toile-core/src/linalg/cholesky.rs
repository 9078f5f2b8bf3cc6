//! Sparse Cholesky factor, for statics and many digits.
//!
//! The pattern is analysed once, the factor taken at each update, always in `f64`. The solve is conjugate gradients with
//! the factor as preconditioner: one application gives the answer, the next confirms it and removes the rounding, and a
//! factor of a shifted matrix still leads to the answer of the true one.

use super::cg::Cg;
use super::dissection;
use super::small::dot;
use super::solver::{check_operator, check_vectors};
use super::union::{Coupling, Union};
use super::{BlockMatrix, Layout, LinearSolver, Operator, Real, SolveError, SolveReport, Stop};
use toile_factor::{Factor, FactorError};

/// Sparse Cholesky solver. Fixed components are rows of the identity.
pub struct Cholesky<T> {
    layout: Layout<T>,
    union: Union,
    matrix: BlockMatrix<f64>,
    columns: Columns,
    factor: Factor,
    shifts: Vec<f64>,
    cg: Cg<f64>,
    b: Vec<[f64; 3]>,
    x: Vec<[f64; 3]>,
    free: Vec<[f64; 3]>,
}

/// Values of the upper half, column by column.
struct Columns {
    values: Vec<f64>,
}

impl<T: Real> Cholesky<T> {
    /// Analyses the pattern. Fails when an index overflows or memory runs out.
    pub fn new(layout: &Layout<T>) -> Result<Self, SolveError> {
        Self::with_union(layout.clone(), Union::new(layout))
    }

    fn with_union(layout: Layout<T>, union: Union) -> Result<Self, SolveError> {
        let (starts, rows) = upper_columns(&union);
        let columns = Columns { values: vec![0.0; rows.len()] };
        let order = dissection::order(&union.pattern, &layout.places);
        let order: Option<Vec<u32>> = order.map(|o| o.iter().flat_map(|&v| [3 * v, 3 * v + 1, 3 * v + 2]).collect());
        let factor = Factor::analyse(starts, rows, order.as_deref()).map_err(failure)?;
        let zero = vec![[0.0; 3]; layout.len()];
        Ok(Self {
            matrix: BlockMatrix::zero(union.pattern.clone()),
            layout,
            union,
            columns,
            factor,
            shifts: vec![0.0],
            cg: Cg::default(),
            b: zero.clone(),
            x: zero.clone(),
            free: zero,
        })
    }

    /// Analyses anew where pairs of the matrix have no place.
    fn fit(&mut self, a: &Operator<T>) -> Result<(), SolveError> {
        if self.union.holds(a.pairs) {
            return Ok(());
        }
        let shifts = std::mem::take(&mut self.shifts);
        let layout = self.layout.clone();
        *self = Self { shifts, ..Self::with_union(layout.clone(), Union::with_pairs(&layout, a.pairs))? };
        Ok(())
    }

    /// Shares of its own diagonal to add, in turn, when the matrix is not positive definite. By default none: that the
    /// matrix is indefinite is an answer.
    pub fn with_shifts(mut self, shifts: &[f64]) -> Self {
        self.shifts = [&[0.0], shifts].concat();
        self
    }

    /// Numbers in the factor.
    pub fn factor_len(&self) -> usize {
        self.factor.len()
    }

    fn factorise(&mut self, shift: f64) -> Result<(), SolveError> {
        self.columns.fill(&self.matrix, shift);
        self.factor.factorise(&self.columns.values).map_err(failure)
    }
}

/// z = (L Lᵀ)⁻¹ r.
fn apply(factor: &mut Factor, r: &[[f64; 3]], z: &mut [[f64; 3]]) {
    z.copy_from_slice(r);
    factor.solve(z.as_flattened_mut());
}

fn failure(error: FactorError) -> SolveError {
    match error {
        FactorError::NotPositive { row } => SolveError::NotPositive { vertex: row / 3 },
        FactorError::TooLarge(reason) => SolveError::Factor { reason },
    }
}

/// Upper half by columns, one per component: the same order as the lower half by rows.
fn upper_columns(union: &Union) -> (Vec<u32>, Vec<u32>) {
    let pattern = &*union.pattern;
    let (mut starts, mut rows) = (vec![0], Vec::with_capacity(9 * pattern.columns.len() + 6 * pattern.len()));
    for i in 0..pattern.len() {
        for c in 0..3u32 {
            rows.extend(pattern.columns[pattern.row(i)].iter().flat_map(|&j| [3 * j, 3 * j + 1, 3 * j + 2]));
            rows.extend((0..=c).map(|r| 3 * i as u32 + r));
            starts.push(rows.len() as u32);
        }
    }
    (starts, rows)
}

impl Columns {
    fn fill(&mut self, matrix: &BlockMatrix<f64>, shift: f64) {
        let mut next = 0;
        let mut push = |v: f64| {
            self.values[next] = v;
            next += 1;
        };
        for (i, d) in matrix.diagonal.iter().enumerate() {
            for c in 0..3 {
                for block in &matrix.lower[matrix.pattern.row(i)] {
                    (0..3).for_each(|r| push(block[3 * c + r]));
                }
                (0..c).for_each(|r| push(d[3 * c + r]));
                push(d[4 * c] * (1.0 + shift));
            }
        }
    }
}

impl<T: Real> LinearSolver<T> for Cholesky<T> {
    fn name(&self) -> &'static str {
        "cholesky"
    }

    fn update(&mut self, a: &Operator<T>) -> Result<(), SolveError> {
        check_operator(a, self.free.len())?;
        self.fit(a)?;
        self.union.assemble(a, Coupling::Full, &mut self.matrix)?;
        for (to, from) in self.free.iter_mut().zip(a.free) {
            *to = from.map(Real::to_f64);
        }
        let mut outcome = Ok(());
        for k in 0..self.shifts.len() {
            outcome = self.factorise(self.shifts[k]);
            if outcome.is_ok() {
                break;
            }
        }
        outcome
    }

    fn solve(
        &mut self,
        _a: &Operator<T>,
        b: &[[T; 3]],
        x: &mut [[T; 3]],
        stop: Stop,
    ) -> Result<SolveReport, SolveError> {
        check_vectors(self.free.len(), b, x)?;
        for i in 0..b.len() {
            self.b[i] = b[i].map(Real::to_f64);
            self.x[i] = x[i].map(Real::to_f64);
        }
        let factor = &mut self.factor;
        let (matrix, lumped) = (&self.matrix, vec![0.0; self.free.len()]);
        let a = Operator { blocks: matrix, scalars: None, lumped: &lumped, pairs: &[], free: &self.free };
        let report = self.cg.solve(
            &self.free,
            (&self.b, &mut self.x),
            stop,
            |x, y| a.multiply(x, y),
            |r, z| apply(factor, r, z),
        )?;
        for (to, from) in x.iter_mut().zip(&self.x) {
            *to = from.map(T::from_f64);
        }
        Ok(report)
    }

    fn precondition(&mut self, a: &Operator<T>, r: &[[T; 3]], z: &mut [[T; 3]]) -> f64 {
        for i in 0..r.len() {
            self.b[i] = std::array::from_fn(|c| r[i][c].to_f64() * a.free[i][c].to_f64());
        }
        apply(&mut self.factor, &self.b, &mut self.x);
        for (to, from) in z.iter_mut().zip(&self.x) {
            *to = from.map(T::from_f64);
        }
        dot(r, z)
    }
}
