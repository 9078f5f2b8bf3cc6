//! Sparse Cholesky factors behind plain slices.
//!
//! A crate of its own because the generic kernels underneath take longer to compile than all the mechanics: here they are
//! compiled once, not with every change of `toile-core`.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, LltRegularization};
use faer::perm::PermRef;
use faer::sparse::linalg::cholesky::{LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side, Spec};

/// L Lᵀ of a symmetric positive definite matrix, analysed once and factorised as often as its values change.
pub struct Factor {
    starts: Vec<u32>,
    rows: Vec<u32>,
    symbolic: SymbolicCholesky<u32>,
    values: Vec<f64>,
    memory: MemBuffer,
}

/// Why a matrix could not be factorised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FactorError {
    /// A pivot that is not positive, at this row of the matrix.
    NotPositive {
        /// Row, in the order of the matrix.
        row: usize,
    },
    /// Too large for memory or for the index type.
    TooLarge(String),
}

impl Factor {
    /// Analyses the upper half of a matrix, column by column (`starts`, `rows` ascending, diagonal included and last), with an
    /// order of elimination or, without one, approximate minimum degree.
    pub fn analyse(starts: Vec<u32>, rows: Vec<u32>, order: Option<&[u32]>) -> Result<Self, FactorError> {
        let inverse: Option<Vec<u32>> = order.map(|forward| {
            let mut inverse = vec![0; forward.len()];
            forward.iter().enumerate().for_each(|(k, &v)| inverse[v as usize] = k as u32);
            inverse
        });
        let ordering = match (order, &inverse) {
            (Some(f), Some(i)) => SymmetricOrdering::Custom(PermRef::new_checked(f, i, f.len())),
            _ => SymmetricOrdering::Amd,
        };
        let too_large = |reason: String| FactorError::TooLarge(reason);
        let symbolic = factorize_symbolic_cholesky(pattern(&starts, &rows), Side::Upper, ordering, Default::default());
        let symbolic = symbolic.map_err(|e| too_large(format!("{e:?}")))?;
        let request = symbolic
            .factorize_numeric_llt_scratch::<f64>(Par::Seq, Spec::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        let memory = MemBuffer::try_new(request).map_err(|_| too_large("out of memory".into()))?;
        Ok(Self { values: vec![0.0; symbolic.len_val()], starts, rows, symbolic, memory })
    }

    /// Numbers in the factor.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// True for an empty matrix.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Takes the factor of new values, in the order of the pattern.
    pub fn factorise(&mut self, values: &[f64]) -> Result<(), FactorError> {
        let upper = SparseColMatRef::new(pattern(&self.starts, &self.rows), values);
        let memory = MemStack::new(&mut self.memory);
        let rule = LltRegularization::default();
        self.symbolic
            .factorize_numeric_llt(&mut self.values, upper, Side::Upper, rule, Par::Seq, memory, Spec::default())
            .map(|_| ())
            .map_err(|LltError::NonPositivePivot { index }| {
                // The pivot is counted in the order of elimination.
                let pivot = index.min(self.starts.len().saturating_sub(2));
                let row = self.symbolic.perm().map_or(pivot, |p| p.arrays().0[pivot] as usize);
                FactorError::NotPositive { row }
            })
    }

    /// x ← (L Lᵀ)⁻¹ x.
    pub fn solve(&mut self, x: &mut [f64]) {
        let rows = x.len();
        let right = MatMut::from_column_major_slice_mut(x, rows, 1);
        let factor = LltRef::new(&self.symbolic, &self.values);
        factor.solve_in_place_with_conj(Conj::No, right, Par::Seq, MemStack::new(&mut self.memory));
    }
}

fn pattern<'a>(starts: &'a [u32], rows: &'a [u32]) -> SymbolicSparseColMatRef<'a, u32> {
    let n = starts.len() - 1;
    SymbolicSparseColMatRef::new_checked(n, n, starts, None, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tridiagonal matrix solves its own product, and an indefinite one names the row.
    #[test]
    fn factor_solves_and_names_the_bad_row() {
        let n = 50u32;
        let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..n {
            if i > 0 {
                rows.push(i - 1);
                values.push(-1.0);
            }
            rows.push(i);
            values.push(2.5);
            starts.push(rows.len() as u32);
        }
        let mut factor = Factor::analyse(starts, rows, None).unwrap();
        factor.factorise(&values).unwrap();
        let x: Vec<f64> = (0..n).map(|i| f64::from(i).sin()).collect();
        let at = |i: i64| if (0..i64::from(n)).contains(&i) { x[i as usize] } else { 0.0 };
        let mut b: Vec<f64> = (0..i64::from(n)).map(|i| 2.5 * at(i) - at(i - 1) - at(i + 1)).collect();
        factor.solve(&mut b);
        assert!(b.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-14));
        let last = values.len() - 1;
        values[last] = -1.0;
        assert!(matches!(factor.factorise(&values), Err(FactorError::NotPositive { .. })));
    }
}
