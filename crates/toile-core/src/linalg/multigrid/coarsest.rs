//! The few nodes of the coarsest level, solved by a Cholesky factor in their envelope.

use super::super::{Real, SolveError};
use super::level::Level;
use super::pairs::LevelPairs;

/// Rows of L from the first nonzero of the matrix to the diagonal, in `f64`.
#[derive(Clone, Debug, Default)]
pub(super) struct Envelope {
    /// First column of each row, in components.
    first: Vec<usize>,
    /// Start of each row in `values`; one longer than the rows.
    starts: Vec<usize>,
    values: Vec<f64>,
    y: Vec<f64>,
    /// Made for pairs that may be gone by the next update.
    is_widened: bool,
}

impl Envelope {
    pub(super) fn new<T: Real>(level: &Level<T>) -> Self {
        Self::with_pairs(level, None)
    }

    /// Room for pairs, too: they widen the envelope.
    fn with_pairs<T: Real>(level: &Level<T>, pairs: Option<&LevelPairs<T>>) -> Self {
        let mut lowest: Vec<usize> = (0..level.len).collect();
        visit(level, pairs, |i, j, _| lowest[i] = lowest[i].min(j));
        let (mut first, mut starts, mut end) = (Vec::new(), vec![0], 0);
        for row in 0..3 * level.len {
            first.push(3 * lowest[row / 3]);
            end += row + 1 - first[row];
            starts.push(end);
        }
        Self { first, starts, values: vec![0.0; end], y: vec![0.0; 3 * level.len], is_widened: false }
    }

    /// Factors the level's matrix. A component with a zero diagonal is no unknown: its answer is zero.
    pub(super) fn update<T: Real>(
        &mut self,
        level: &Level<T>,
        pairs: Option<&LevelPairs<T>>,
    ) -> Result<(), SolveError> {
        if pairs.is_some() || self.is_widened {
            *self = Self { is_widened: pairs.is_some(), ..Self::with_pairs(level, pairs) };
        }
        self.values.fill(0.0);
        let (first, starts, values) = (&self.first, &self.starts, &mut self.values);
        let is_unknown = |k: usize| level.blocks[9 * (k / 3) + 4 * (k % 3)] != T::default();
        visit(level, pairs, |i, j, block| {
            for r in (0..3).filter(|r| is_unknown(3 * i + r)) {
                let row = 3 * i + r;
                for c in (0..3).filter(|c| 3 * j + c <= row && is_unknown(3 * j + c)) {
                    values[starts[row] + 3 * j + c - first[row]] += block[3 * r + c];
                }
            }
        });
        for i in 0..first.len() {
            let (done, rest) = values.split_at_mut(starts[i]);
            let row = &mut rest[..starts[i + 1] - starts[i]];
            for j in first[i]..i {
                let other = &done[starts[j]..starts[j + 1]];
                let low = first[i].max(first[j]);
                let sum = dot(&row[low - first[i]..j - first[i]], &other[low - first[j]..j - first[j]]);
                row[j - first[i]] = (row[j - first[i]] - sum) / other[j - first[j]];
            }
            let (left, diagonal) = row.split_at_mut(i - first[i]);
            let pivot = diagonal[0] - dot(left, left);
            diagonal[0] = match pivot {
                p if p > 0.0 && p.is_finite() => p.sqrt(),
                0.0 if left.iter().all(|&v| v == 0.0) => f64::INFINITY,
                p => return Err(SolveError::Indefinite { what: "coarse matrix", iteration: 0, curvature: p }),
            };
        }
        Ok(())
    }

    /// z = A⁻¹ b.
    pub(super) fn solve<T: Real>(&mut self, b: &[[T; 4]], z: &mut [[T; 4]]) {
        let (first, starts, values, y) = (&self.first, &self.starts, &self.values, &mut self.y);
        for i in 0..first.len() {
            let row = &values[starts[i]..starts[i + 1]];
            let (left, diagonal) = row.split_at(i - first[i]);
            y[i] = (b[i / 3][i % 3].to_f64() - dot(left, &y[first[i]..i])) / diagonal[0];
        }
        for i in (0..first.len()).rev() {
            let row = &values[starts[i]..starts[i + 1]];
            let (left, diagonal) = row.split_at(i - first[i]);
            y[i] /= diagonal[0];
            let value = y[i];
            for (to, l) in y[first[i]..i].iter_mut().zip(left) {
                *to -= l * value;
            }
            z[i / 3][i % 3] = T::from_f64(value);
        }
    }
}

/// Four partial sums: the order is fixed, and the loop is not bound by the latency of one addition after the other.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (p, q) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = p.remainder().iter().zip(q.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in p.zip(q) {
        (0..4).for_each(|c| sums[c] += x[c] * y[c]);
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest
}

/// Shows every block (i, j ≤ i) of a level that has a single chunk, and of its pairs.
fn visit<T: Real>(level: &Level<T>, pairs: Option<&LevelPairs<T>>, mut show: impl FnMut(usize, usize, [f64; 9])) {
    if let Some(pairs) = pairs {
        pairs.visit(&mut show);
    }
    let block = |k: usize| std::array::from_fn(|e| level.blocks[9 * k + e].to_f64());
    for i in 0..level.len {
        show(i, i, block(i));
        let row = level.rows.starts[i] as usize..level.rows.starts[i + 1] as usize;
        for k in row {
            show(i, level.rows.columns[k] as usize, block(level.len + k));
        }
        let row = level.rows.scalar_starts[i] as usize..level.rows.scalar_starts[i + 1] as usize;
        for k in row {
            let s = level.rows.scalars[k].to_f64();
            show(i, level.rows.scalar_columns[k] as usize, std::array::from_fn(|e| if e % 4 == 0 { s } else { 0.0 }));
        }
    }
}
