//! 3×3 blocks and sums in a fixed order.

use super::Real;
use crate::parallel::{chunk_count, chunk_range};
use rayon::prelude::*;

/// Why a block has no inverse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    NotFinite,
    NotPositive,
}

impl Fault {
    pub(super) fn at(self, vertex: usize) -> super::SolveError {
        match self {
            Self::NotFinite => super::SolveError::NotFinite { what: "matrix", vertex },
            Self::NotPositive => super::SolveError::NotPositive { vertex },
        }
    }
}

/// Rows and columns of fixed components replaced by those of the identity.
#[inline]
pub(super) fn masked<T: Real>(d: &[T; 9], free: &[T; 3]) -> [T; 9] {
    let mut m: [T; 9] = std::array::from_fn(|k| d[k] * free[k / 3] * free[k % 3]);
    for c in 0..3 {
        m[4 * c] += T::from_f64(1.0) - free[c];
    }
    m
}

/// Inverse of a symmetric positive definite block on its free components, zero elsewhere. In `f64`: a nearly flat
/// block loses half its digits in the cofactors.
pub(super) fn masked_inverse<T: Real>(d: &[T; 9], free: &[T; 3]) -> Result<[T; 9], Fault> {
    let d = masked(&d.map(Real::to_f64), &free.map(Real::to_f64));
    let c00 = d[4] * d[8] - d[5] * d[7];
    let c01 = d[5] * d[6] - d[3] * d[8];
    let c02 = d[3] * d[7] - d[4] * d[6];
    let det = d[0] * c00 + d[1] * c01 + d[2] * c02;
    if !det.is_finite() {
        return Err(Fault::NotFinite);
    }
    // Sylvester: all leading minors are positive.
    if !(d[0] > 0.0 && d[0] * d[4] - d[1] * d[3] > 0.0 && det > 0.0) {
        return Err(Fault::NotPositive);
    }
    let c11 = d[0] * d[8] - d[2] * d[6];
    let c12 = d[1] * d[6] - d[0] * d[7];
    let c22 = d[0] * d[4] - d[1] * d[3];
    let cofactors = [c00, c01, c02, c01, c11, c12, c02, c12, c22];
    Ok(std::array::from_fn(|k| T::from_f64(cofactors[k] / det) * free[k / 3] * free[k % 3]))
}

/// A Bᵀ.
#[inline(always)]
pub(super) fn mul_bt<T: Real>(a: &[T; 9], b: &[T; 9]) -> [T; 9] {
    std::array::from_fn(|k| {
        let (r, c) = (3 * (k / 3), 3 * (k % 3));
        a[r] * b[c] + a[r + 1] * b[c + 1] + a[r + 2] * b[c + 2]
    })
}

/// A B.
#[inline(always)]
pub(super) fn mul_mat<T: Real>(a: &[T; 9], b: &[T; 9]) -> [T; 9] {
    std::array::from_fn(|k| {
        let (r, c) = (3 * (k / 3), k % 3);
        a[r] * b[c] + a[r + 1] * b[3 + c] + a[r + 2] * b[6 + c]
    })
}

/// Σ over the chunks of `len` vertices, each chunk by one thread, added up in the order of the chunks.
pub(super) fn chunked_sum(len: usize, part: impl Fn(std::ops::Range<usize>) -> f64 + Sync) -> f64 {
    let chunks = chunk_count(len);
    if chunks == 1 || rayon::current_num_threads() == 1 {
        return (0..chunks).map(|c| part(chunk_range(len, c))).sum();
    }
    (0..chunks).into_par_iter().map(|c| part(chunk_range(len, c))).collect::<Vec<f64>>().into_iter().sum()
}

/// a·b in `f64`, the same for any number of threads.
pub(super) fn dot<T: Real>(a: &[[T; 3]], b: &[[T; 3]]) -> f64 {
    chunked_sum(a.len(), |range| {
        let mut sums = [0.0; 3];
        for (p, q) in a[range.clone()].iter().zip(&b[range]) {
            for c in 0..3 {
                sums[c] += p[c].to_f64() * q[c].to_f64();
            }
        }
        sums[0] + sums[1] + sums[2]
    })
}

/// First vertex with a number that is infinite or not one.
pub(super) fn first_not_finite<T: Real>(v: &[[T; 3]]) -> Option<usize> {
    v.iter().position(|p| p.iter().any(|c| !c.to_f64().is_finite()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masked_inverse_inverts_the_free_part() {
        let d = [4.0, 1.0, 0.5, 1.0, 3.0, -0.25, 0.5, -0.25, 2.0f64];
        let full = mul_mat(&d, &masked_inverse(&d, &[1.0; 3]).unwrap());
        for k in 0..9 {
            assert!((full[k] - if k.is_multiple_of(4) { 1.0 } else { 0.0 }).abs() < 1e-15);
        }
        let part = masked_inverse(&d, &[1.0, 0.0, 1.0]).unwrap(); // inverse of [[4, ½], [½, 2]] is [[2, −½], [−½, 4]]/7.75
        let expected = [2.0, 0.0, -0.5, 0.0, 0.0, 0.0, -0.5, 0.0, 4.0].map(|v| v / 7.75);
        for k in 0..9 {
            assert!((part[k] - expected[k]).abs() < 1e-15);
        }
    }

    #[test]
    fn bad_blocks_are_told_apart() {
        let mut d = [1.0, 2.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 1.0f64];
        assert_eq!(masked_inverse(&d, &[1.0; 3]), Err(Fault::NotPositive));
        assert!(masked_inverse(&d, &[1.0, 0.0, 1.0]).is_ok());
        d[8] = f64::NAN;
        assert_eq!(masked_inverse(&d, &[1.0; 3]), Err(Fault::NotFinite));
    }
}
