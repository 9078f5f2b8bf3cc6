//! Couplings that come and go: contacts between far parts of a sheet.
//!
//! A [`Pair`] is the matrix (w wᵀ) ⊗ B over up to four vertices. It stays out of the stored matrix, whose pattern is that of the
//! mesh, and is added to products. Preconditioners that cannot hold the coupling take its diagonal share
//! ½|w_i|Σ|w_j| B: never less than half of the pair, which is what keeps a smoother built on it convergent.

use super::Real;

/// One coupling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Vertices; those with weight zero do not count.
    pub nodes: [u32; 4],
    /// Weights w.
    pub weights: [f64; 4],
    /// Symmetric positive semidefinite B: xx, xy, xz, yy, yz, zz.
    pub block: [f64; 6],
}

impl Pair {
    /// Vertices that count, with their weights.
    pub(super) fn members(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.nodes.iter().copied().zip(self.weights).filter(|m| m.1 != 0.0)
    }

    /// B in full.
    pub(super) fn full(&self) -> [f64; 9] {
        let [xx, xy, xz, yy, yz, zz] = self.block;
        [xx, xy, xz, xy, yy, yz, xz, yz, zz]
    }

    /// Factor of B in the diagonal share of a member.
    pub(super) fn share(&self, weight: f64) -> f64 {
        0.5 * weight.abs() * self.weights.iter().map(|w| w.abs()).sum::<f64>()
    }
}

/// y += Σ (w wᵀ ⊗ B) x.
pub(super) fn add_product<T: Real>(pairs: &[Pair], x: &[[T; 3]], y: &mut [[T; 3]]) {
    for pair in pairs {
        let mut relative = [0.0; 3];
        for (i, w) in pair.members() {
            (0..3).for_each(|c| relative[c] += w * x[i as usize][c].to_f64());
        }
        let force = multiply(&pair.block, &relative);
        for (i, w) in pair.members() {
            (0..3).for_each(|c| y[i as usize][c] += T::from_f64(w * force[c]));
        }
    }
}

/// B v.
#[inline(always)]
pub(super) fn multiply<T: Real>(b: &[T; 6], v: &[T; 3]) -> [T; 3] {
    [
        b[0] * v[0] + b[1] * v[1] + b[2] * v[2],
        b[1] * v[0] + b[3] * v[1] + b[4] * v[2],
        b[2] * v[0] + b[4] * v[1] + b[5] * v[2],
    ]
}
