//! Sparse Cholesky factor, for statics and many digits.
//!
//! The pattern is analysed once, the factor taken at each update, always in `f64`. The solve is conjugate gradients with
//! the factor as preconditioner: one application gives the answer, the next confirms it and removes the rounding, and a
//! factor of a shifted matrix still leads to the answer of the true one.

use super::cg::{Cg, Stop};
use super::dissection;
use super::small::dot;
use super::solver::{check_operator, check_vectors};
use super::union::Union;
use super::{BlockMatrix, Layout, LinearSolver, Operator, Real, SolveError, SolveReport};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, LltRegularization};
use faer::perm::PermRef;
use faer::sparse::linalg::cholesky::{LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side, Spec};

/// Sparse Cholesky solver. Fixed components are rows of the identity.
pub struct Cholesky<T> {
    union: Union,
    matrix: BlockMatrix<f64>,
    /// Upper half by columns, one per component: the same order as the lower half by rows.
    columns: Columns,
    symbolic: SymbolicCholesky<u32>,
    factor: Vec<f64>,
    memory: MemBuffer,
    shifts: Vec<f64>,
    cg: Cg<f64>,
    b: Vec<[f64; 3]>,
    x: Vec<[f64; 3]>,
    free: Vec<[f64; 3]>,
    _operator: std::marker::PhantomData<T>,
}

struct Columns {
    starts: Vec<u32>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

impl<T: Real> Cholesky<T> {
    /// Analyses the pattern. Fails when an index overflows or memory runs out.
    pub fn new(layout: &Layout<T>) -> Result<Self, SolveError> {
        let union = Union::new(layout);
        let columns = Columns::new(&union);
        let order = dissection::order(&union.pattern, &layout.places);
        let symbolic = analyse(&columns, order.as_deref()).map_err(|e| factor_error(&e))?;
        let request = symbolic
            .factorize_numeric_llt_scratch::<f64>(Par::Seq, Spec::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        let memory = MemBuffer::try_new(request).map_err(|_| factor_error(&"out of memory"))?;
        let zero = vec![[0.0; 3]; layout.len()];
        Ok(Self {
            matrix: BlockMatrix::zero(union.pattern.clone()),
            union,
            columns,
            factor: vec![0.0; symbolic.len_val()],
            symbolic,
            memory,
            shifts: vec![0.0],
            cg: Cg::default(),
            b: zero.clone(),
            x: zero.clone(),
            free: zero,
            _operator: std::marker::PhantomData,
        })
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
        let (upper, memory) = (self.columns.matrix(), MemStack::new(&mut self.memory));
        let rule = LltRegularization::default();
        self.symbolic
            .factorize_numeric_llt(&mut self.factor, upper, Side::Upper, rule, Par::Seq, memory, Spec::default())
            .map(|_| ())
            .map_err(|LltError::NonPositivePivot { index }| {
                // The pivot is counted in the order of elimination.
                let pivot = index.min(self.columns.len().saturating_sub(1));
                let component = self.symbolic.perm().map_or(pivot, |p| p.arrays().0[pivot] as usize);
                SolveError::NotPositive { vertex: component / 3 }
            })
    }
}

/// z = (L Lᵀ)⁻¹ r.
fn apply(symbolic: &SymbolicCholesky<u32>, factor: &[f64], memory: &mut MemBuffer, r: &[[f64; 3]], z: &mut [[f64; 3]]) {
    z.copy_from_slice(r);
    let z = z.as_flattened_mut();
    let rows = z.len();
    let right = MatMut::from_column_major_slice_mut(z, rows, 1);
    LltRef::new(symbolic, factor).solve_in_place_with_conj(Conj::No, right, Par::Seq, MemStack::new(memory));
}

fn factor_error(reason: &dyn std::fmt::Debug) -> SolveError {
    SolveError::Factor { reason: format!("{reason:?}") }
}

fn analyse(columns: &Columns, order: Option<&[u32]>) -> Result<SymbolicCholesky<u32>, faer::sparse::FaerError> {
    let forward: Option<Vec<u32>> = order.map(|o| o.iter().flat_map(|&v| [3 * v, 3 * v + 1, 3 * v + 2]).collect());
    let inverse: Option<Vec<u32>> = forward.as_ref().map(|forward| {
        let mut inverse = vec![0; forward.len()];
        forward.iter().enumerate().for_each(|(k, &v)| inverse[v as usize] = k as u32);
        inverse
    });
    let ordering = match (&forward, &inverse) {
        (Some(f), Some(i)) => SymmetricOrdering::Custom(PermRef::new_checked(f, i, f.len())),
        _ => SymmetricOrdering::Amd,
    };
    factorize_symbolic_cholesky(columns.symbolic(), Side::Upper, ordering, Default::default())
}

impl Columns {
    fn new(union: &Union) -> Self {
        let pattern = &*union.pattern;
        let (mut starts, mut rows) = (vec![0], Vec::with_capacity(9 * pattern.columns.len() + 6 * pattern.len()));
        for i in 0..pattern.len() {
            for c in 0..3u32 {
                rows.extend(pattern.columns[pattern.row(i)].iter().flat_map(|&j| [3 * j, 3 * j + 1, 3 * j + 2]));
                rows.extend((0..=c).map(|r| 3 * i as u32 + r));
                starts.push(rows.len() as u32);
            }
        }
        Self { values: vec![0.0; rows.len()], starts, rows }
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn symbolic(&self) -> SymbolicSparseColMatRef<'_, u32> {
        SymbolicSparseColMatRef::new_checked(self.len(), self.len(), &self.starts, None, &self.rows)
    }

    fn matrix(&self) -> SparseColMatRef<'_, u32, f64> {
        SparseColMatRef::new(self.symbolic(), &self.values)
    }

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
        self.union.assemble(a, &mut self.matrix)?;
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
        goal: f64,
        max_iterations: usize,
    ) -> Result<SolveReport, SolveError> {
        check_vectors(self.free.len(), b, x)?;
        for i in 0..b.len() {
            self.b[i] = b[i].map(Real::to_f64);
            self.x[i] = x[i].map(Real::to_f64);
        }
        let (symbolic, factor, memory) = (&self.symbolic, &self.factor, &mut self.memory);
        let (matrix, lumped) = (&self.matrix, vec![0.0; self.free.len()]);
        let a = Operator { blocks: matrix, scalars: None, lumped: &lumped, free: &self.free };
        let report = self.cg.solve(
            &self.free,
            (&self.b, &mut self.x),
            Stop { goal, max_iterations },
            |x, y| a.multiply(x, y),
            |r, z| apply(symbolic, factor, memory, r, z),
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
        apply(&self.symbolic, &self.factor, &mut self.memory, &self.b, &mut self.x);
        for (to, from) in z.iter_mut().zip(&self.x) {
            *to = from.map(T::from_f64);
        }
        dot(r, z)
    }
}
