//! A symmetric matrix of scalars by full rows, for products in double precision: quadratic bending forces.
//!
//! Each row is one sum, so threads cannot change it. Products go through differences, Σ s_ij (x_j − x_i) + (Σ_j s_ij) x_i:
//! rounding then scales with the size of an element, not with its place in the world.

use super::ScalarMatrix;
use super::quad::{Kernel, Quad, Quads};
use crate::lane::Level;
use glam::DVec3;
use rayon::prelude::*;

/// Rows that one thread takes at a time.
const ROWS: usize = 1024;

/// A symmetric matrix of scalars with both halves stored.
pub(crate) struct FullRows {
    starts: Vec<u32>,
    /// The diagonal is left out.
    columns: Vec<u32>,
    values: Vec<f64>,
    /// Sums of the rows; empty when they are zero.
    sums: Vec<f64>,
    level: Level,
}

impl FullRows {
    /// A matrix whose rows sum to zero, from its entries (i, j ≤ i, value); the diagonal follows from the rest.
    pub(crate) fn zero_sum(len: usize, half: &[(u32, u32, f64)], level: Level) -> Self {
        let mut starts = vec![0u32; len + 1];
        for &(i, j, _) in half.iter().filter(|e| e.0 != e.1) {
            starts[i as usize + 1] += 1;
            starts[j as usize + 1] += 1;
        }
        for i in 0..len {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let (mut columns, mut values) = (vec![0; starts[len] as usize], vec![0.0; starts[len] as usize]);
        for &(i, j, value) in half.iter().filter(|e| e.0 != e.1) {
            for (row, column) in [(i, j), (j, i)] {
                let slot = &mut next[row as usize];
                (columns[*slot as usize], values[*slot as usize]) = (column, value);
                *slot += 1;
            }
        }
        Self { starts, columns, values, sums: Vec::new(), level }
    }

    /// Any symmetric matrix.
    pub(crate) fn new(matrix: &ScalarMatrix<f64>, level: Level) -> Self {
        let len = matrix.diagonal.len();
        let mut half = Vec::with_capacity(matrix.lower.len());
        let mut sums = matrix.diagonal.clone();
        for i in 0..len {
            for k in matrix.pattern.row(i) {
                let (j, value) = (matrix.pattern.columns[k], matrix.lower[k]);
                half.push((i as u32, j, value));
                sums[i] += value;
                sums[j as usize] += value;
            }
        }
        Self { sums, ..Self::zero_sum(len, &half, level) }
    }

    /// y += scale·S x.
    pub(crate) fn add_product(&self, scale: f64, x: &[DVec3], y: &mut [DVec3]) {
        let x: Vec<[f64; 4]> = x.iter().map(|x| [x.x, x.y, x.z, 0.0]).collect();
        y.par_chunks_mut(ROWS).enumerate().for_each(|(chunk, y)| {
            f64::dispatch(self.level, Rows { matrix: self, first: chunk * ROWS, scale, x: &x, y });
        });
    }
}

/// Rows from `first` on.
struct Rows<'a> {
    matrix: &'a FullRows,
    first: usize,
    scale: f64,
    x: &'a [[f64; 4]],
    y: &'a mut [DVec3],
}

impl Kernel<f64> for Rows<'_> {
    type Output = ();
    #[inline(always)]
    fn run<Q: Quad<f64>>(self) {
        let Self { matrix, first, scale, x, y } = self;
        for (k, y) in y.iter_mut().enumerate() {
            let i = first + k;
            // Nodes beyond the matrix are those of other forces.
            let Some(&end) = matrix.starts.get(i + 1) else { return };
            let own = Q::load(&x[i]);
            let row = matrix.starts[i] as usize..end as usize;
            let (columns, last_column) = matrix.columns[row.clone()].as_chunks::<2>();
            let (values, last_value) = matrix.values[row].as_chunks::<2>();
            // Two sums: one addition need not wait for the other.
            let (mut even, mut odd) = (Q::zero(), Q::zero());
            for (&[a, b], &[p, q]) in columns.iter().zip(values) {
                even = Q::splat(p).mul_add(Q::load(&x[a as usize]).sub(own), even);
                odd = Q::splat(q).mul_add(Q::load(&x[b as usize]).sub(own), odd);
            }
            for (&a, &p) in last_column.iter().zip(last_value) {
                even = Q::splat(p).mul_add(Q::load(&x[a as usize]).sub(own), even);
            }
            let mut sum = even.add(odd);
            if let Some(&s) = matrix.sums.get(i) {
                sum = Q::splat(s).mul_add(own, sum);
            }
            let mut out = [0.0; 4];
            Q::splat(scale).mul(sum).store(&mut out);
            *y += DVec3::new(out[0], out[1], out[2]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same product as by the stored half, on every level; and exact for a matrix whose rows sum to zero.
    #[test]
    fn full_rows_multiply_as_the_half_does() {
        let half = [(0, 0, 4.0), (1, 0, -1.5), (1, 1, 2.0), (2, 1, -0.25), (2, 2, 1.0), (3, 0, 0.75), (3, 2, -2.0)];
        let matrix = ScalarMatrix::<f64>::from_entries(4, &half);
        let x = [DVec3::new(1.0, 2.0, 3.0), DVec3::new(-1.0, 0.5, 0.0), DVec3::X, DVec3::new(0.0, 4.0, -8.0)];
        let mut expected = [DVec3::ONE; 5];
        matrix.add_product(&x, &mut expected[..4]);
        for level in ["scalar", "avx2", "avx512"].into_iter().filter_map(Level::by_name) {
            let mut y = [DVec3::ONE; 5];
            FullRows::new(&matrix, level).add_product(1.0, &x, &mut y);
            assert_eq!(y, expected, "{}", level.name());
            let mut still = [DVec3::ZERO; 4];
            FullRows::zero_sum(4, &half, level).add_product(-3.0, &[DVec3::splat(0.1); 4], &mut still);
            assert_eq!(still, [DVec3::ZERO; 4]);
        }
    }
}
