//! Symmetric sparse matrices with one 3×3 block, or one scalar times the identity, per pair of vertices.
//!
//! Only the strictly lower half (column < row) and the diagonal are stored: half the memory traffic of the solve. A block
//! (i, j) is row-major, `block[3·r + c]` = ∂²/∂x_i,r ∂x_j,c.

use super::pairs::{self, Pair};
use glam::DVec3;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};
use std::sync::Arc;

/// `f32` or `f64`: the dynamics solve in `f32` (half the bytes), statics in `f64`.
pub trait Real:
    Copy
    + Send
    + Sync
    + 'static
    + PartialOrd
    + Default
    + std::fmt::Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + super::quad::Quads
{
    /// Rounds from `f64`.
    fn from_f64(value: f64) -> Self;
    /// Widens to `f64`.
    fn to_f64(self) -> f64;
}

impl Real for f32 {
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value as f32
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

impl Real for f64 {
    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
}

/// Which pairs of vertices are coupled: for each row i the columns j < i, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    /// Start of each row in `columns`; one longer than the rows.
    pub starts: Vec<u32>,
    /// Columns.
    pub columns: Vec<u32>,
}

impl Pattern {
    /// Couples all vertices of each stencil with each other.
    pub fn from_stencils(vertex_count: usize, mut stencils: impl FnMut(&mut dyn FnMut(&[u32]))) -> Self {
        let mut pairs: Vec<u64> = Vec::new();
        stencils(&mut |stencil: &[u32]| {
            for (k, &a) in stencil.iter().enumerate() {
                for &b in &stencil[..k] {
                    if a != b {
                        pairs.push(u64::from(a.max(b)) << 32 | u64::from(a.min(b)));
                    }
                }
            }
            // Neighbouring stencils repeat pairs: thin out before the list outgrows the result many times.
            if pairs.len() > 1 << 22 && pairs.len() == pairs.capacity() {
                pairs.sort_unstable();
                pairs.dedup();
            }
        });
        pairs.sort_unstable();
        pairs.dedup();
        let mut starts = vec![0u32; vertex_count + 1];
        for &p in &pairs {
            starts[(p >> 32) as usize + 1] += 1;
        }
        for i in 0..vertex_count {
            starts[i + 1] += starts[i];
        }
        Self { starts, columns: pairs.iter().map(|&p| p as u32).collect() }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Positions of row i in `columns`.
    #[inline(always)]
    pub fn row(&self, i: usize) -> std::ops::Range<usize> {
        self.starts[i] as usize..self.starts[i + 1] as usize
    }

    /// Position of the pair (either order) in `columns`, if it is coupled.
    pub fn slot(&self, a: u32, b: u32) -> Option<u32> {
        let row = self.row(a.max(b) as usize);
        self.columns[row.clone()].binary_search(&a.min(b)).ok().map(|k| (row.start + k) as u32)
    }
}

/// Symmetric block matrix.
#[derive(Clone, Debug)]
pub struct BlockMatrix<T> {
    /// Coupled pairs.
    pub pattern: Arc<Pattern>,
    /// Diagonal blocks.
    pub diagonal: Vec<[T; 9]>,
    /// Blocks of the pairs, row index > column index.
    pub lower: Vec<[T; 9]>,
}

impl<T: Real> BlockMatrix<T> {
    /// The zero matrix.
    pub fn zero(pattern: Arc<Pattern>) -> Self {
        let zero = [T::default(); 9];
        Self { diagonal: vec![zero; pattern.len()], lower: vec![zero; pattern.columns.len()], pattern }
    }

    /// Back to zero.
    pub fn clear(&mut self) {
        self.diagonal.fill([T::default(); 9]);
        self.lower.fill([T::default(); 9]);
    }
}

impl<T: Real> BlockMatrix<T> {
    /// Adds a pair whose vertices the pattern couples; false, and nothing added, if it does not.
    pub fn add_pair(&mut self, pair: &Pair) -> bool {
        let mut slots = [(0u32, 0.0); 6];
        let mut count = 0;
        for (k, (i, p)) in pair.members().enumerate() {
            for (j, q) in pair.members().take(k) {
                let Some(slot) = self.pattern.slot(i, j) else { return false };
                slots[count] = (slot, p * q);
                count += 1;
            }
        }
        let block = pair.full();
        let add = |to: &mut [T; 9], weight: f64| (0..9).for_each(|e| to[e] += T::from_f64(weight * block[e]));
        pair.members().for_each(|(i, p)| add(&mut self.diagonal[i as usize], p * p));
        slots[..count].iter().for_each(|&(slot, weight)| add(&mut self.lower[slot as usize], weight));
        true
    }
}

impl BlockMatrix<f64> {
    /// y += A x.
    pub fn add_product(&self, x: &[DVec3], y: &mut [DVec3]) {
        for i in 0..self.diagonal.len() {
            y[i] += DVec3::from(mul(&self.diagonal[i], &x[i].to_array()));
            for k in self.pattern.row(i) {
                let j = self.pattern.columns[k] as usize;
                y[i] += DVec3::from(mul(&self.lower[k], &x[j].to_array()));
                y[j] += DVec3::from(mul_transposed(&self.lower[k], &x[i].to_array()));
            }
        }
    }
}

/// Symmetric matrix of scalars s_ij standing for s_ij·I: mass and quadratic bending.
#[derive(Clone, Debug)]
pub struct ScalarMatrix<T> {
    /// Coupled pairs.
    pub pattern: Arc<Pattern>,
    /// Diagonal.
    pub diagonal: Vec<T>,
    /// Values of the pairs.
    pub lower: Vec<T>,
}

impl<T: Real> ScalarMatrix<T> {
    /// Sums entries (i, j, value); a pair is given once, in either order, the diagonal as (i, i, value).
    pub fn from_entries(len: usize, entries: &[(u32, u32, f64)]) -> Self {
        let pattern = Pattern::from_stencils(len, |visit| entries.iter().for_each(|&(i, j, _)| visit(&[i, j])));
        let (mut diagonal, mut lower) = (vec![0.0; len], vec![0.0; pattern.columns.len()]);
        for &(i, j, value) in entries {
            match pattern.slot(i, j) {
                Some(slot) if i != j => lower[slot as usize] += value,
                _ => diagonal[i as usize] += value,
            }
        }
        let round = |values: Vec<f64>| values.into_iter().map(T::from_f64).collect();
        Self { pattern: Arc::new(pattern), diagonal: round(diagonal), lower: round(lower) }
    }

    /// The same matrix in another precision.
    pub fn converted<S: Real>(&self) -> ScalarMatrix<S> {
        let round = |values: &[T]| values.iter().map(|v| S::from_f64(v.to_f64())).collect();
        ScalarMatrix { pattern: self.pattern.clone(), diagonal: round(&self.diagonal), lower: round(&self.lower) }
    }
}

impl ScalarMatrix<f64> {
    /// y += (S ⊗ I) x.
    pub fn add_product(&self, x: &[DVec3], y: &mut [DVec3]) {
        for i in 0..self.diagonal.len() {
            y[i] += self.diagonal[i] * x[i];
            for k in self.pattern.row(i) {
                let j = self.pattern.columns[k] as usize;
                y[i] += self.lower[k] * x[j];
                y[j] += self.lower[k] * x[i];
            }
        }
    }
}

/// A = blocks + scalars ⊗ I + lumped ⊗ I + pairs, restricted to the free components.
///
/// A fixed component (mask 0) is not an unknown: solvers keep it at zero and ignore its residual. So no row or column of
/// the matrices has to be touched when pins change.
#[derive(Clone, Copy)]
pub struct Operator<'a, T> {
    /// Stiffness.
    pub blocks: &'a BlockMatrix<T>,
    /// Constant scalar part, if a force has one.
    pub scalars: Option<&'a ScalarMatrix<T>>,
    /// Added to the diagonal: mass over the squared step.
    pub lumped: &'a [T],
    /// Couplings outside the pattern: contacts.
    pub pairs: &'a [Pair],
    /// 1 for free components, 0 for fixed ones.
    pub free: &'a [[T; 3]],
}

impl<T: Real> Operator<'_, T> {
    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.lumped.len()
    }

    /// True without vertices.
    pub fn is_empty(&self) -> bool {
        self.lumped.is_empty()
    }

    /// Diagonal block i of everything but the pairs.
    #[inline]
    pub fn diagonal_block(&self, i: usize) -> [T; 9] {
        let mut d = self.blocks.diagonal[i];
        let mut s = self.lumped[i];
        if let Some(scalars) = self.scalars {
            s += scalars.diagonal[i];
        }
        d[0] += s;
        d[4] += s;
        d[8] += s;
        d
    }

    /// y = A x on the free components; those of y that are fixed come out zero.
    pub fn multiply(&self, x: &[[T; 3]], y: &mut [[T; 3]]) {
        let n = self.len();
        for i in 0..n {
            y[i] = mul(&self.diagonal_block(i), &x[i]);
        }
        let p = &self.blocks.pattern;
        for i in 0..n {
            for k in p.row(i) {
                let j = p.columns[k] as usize;
                let b = &self.blocks.lower[k];
                add(&mut y[i], &mul(b, &x[j]));
                add(&mut y[j], &mul_transposed(b, &x[i]));
            }
        }
        if let Some(s) = self.scalars {
            for i in 0..n {
                for k in s.pattern.row(i) {
                    let j = s.pattern.columns[k] as usize;
                    for c in 0..3 {
                        y[i][c] += s.lower[k] * x[j][c];
                        y[j][c] += s.lower[k] * x[i][c];
                    }
                }
            }
        }
        pairs::add_product(self.pairs, x, y);
        for i in 0..n {
            for c in 0..3 {
                y[i][c] = y[i][c] * self.free[i][c];
            }
        }
    }

    /// The share of the pairs in each diagonal block that preconditioners without room for couplings take.
    pub(super) fn pair_shares(&self) -> Vec<(u32, [f64; 9])> {
        let mut shares: Vec<(u32, [f64; 9])> = Vec::new();
        for pair in self.pairs {
            let full = pair.full();
            shares.extend(pair.members().map(|(i, w)| (i, full.map(|b| pair.share(w) * b))));
        }
        shares
    }
}

#[inline(always)]
fn add<T: Real>(a: &mut [T; 3], b: &[T; 3]) {
    for c in 0..3 {
        a[c] += b[c];
    }
}

/// B x.
#[inline(always)]
pub(crate) fn mul<T: Real>(b: &[T; 9], x: &[T; 3]) -> [T; 3] {
    std::array::from_fn(|r| b[3 * r] * x[0] + b[3 * r + 1] * x[1] + b[3 * r + 2] * x[2])
}

/// Bᵀ x.
#[inline(always)]
pub(crate) fn mul_transposed<T: Real>(b: &[T; 9], x: &[T; 3]) -> [T; 3] {
    std::array::from_fn(|c| b[c] * x[0] + b[3 + c] * x[1] + b[6 + c] * x[2])
}
