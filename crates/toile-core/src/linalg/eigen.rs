//! Eigenvalues of small symmetric matrices by Jacobi rotations: for projections and tests.

/// Eigenvalues and eigenvectors (columns of the second, row-major) of a symmetric n×n matrix.
pub fn symmetric_eigen(matrix: &[f64], n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut a = matrix.to_vec();
    let mut v = vec![0.0; n * n];
    for i in 0..n {
        v[i * n + i] = 1.0;
    }
    let scale: f64 = a.iter().map(|x| x * x).sum::<f64>().sqrt();
    for _sweep in 0..64 {
        let off: f64 = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| a[i * n + j].powi(2)).sum();
        // Not `off > …`: a matrix with NaN must end the loop too.
        if !(off.sqrt() > 1e-15 * scale) {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut a, &mut v, n, p, q);
            }
        }
    }
    ((0..n).map(|i| a[i * n + i]).collect(), v)
}

fn rotate(a: &mut [f64], v: &mut [f64], n: usize, p: usize, q: usize) {
    let apq = a[p * n + q];
    if apq == 0.0 {
        return;
    }
    let theta = (a[q * n + q] - a[p * n + p]) / (2.0 * apq);
    let t = 1.0_f64.copysign(theta) / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    for k in 0..n {
        let (x, y) = (a[k * n + p], a[k * n + q]);
        (a[k * n + p], a[k * n + q]) = (c * x - s * y, s * x + c * y);
    }
    for k in 0..n {
        let (x, y) = (a[p * n + k], a[q * n + k]);
        (a[p * n + k], a[q * n + k]) = (c * x - s * y, s * x + c * y);
        let (x, y) = (v[k * n + p], v[k * n + q]);
        (v[k * n + p], v[k * n + q]) = (c * x - s * y, s * x + c * y);
    }
}

/// Nearest positive semidefinite matrix, in the order of [`crate::law::Sym3`].
pub fn positive_sym3([a, b, c, d, e, f]: [f64; 6]) -> [f64; 6] {
    let (values, v) = symmetric_eigen(&[a, d, e, d, b, f, e, f, c], 3);
    let entry = |i: usize, j: usize| (0..3).map(|k| values[k].max(0.0) * v[3 * i + k] * v[3 * j + k]).sum();
    [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvectors_rebuild_the_matrix() {
        let m = [4.0, 1.0, -2.0, 1.0, 3.0, 0.5, -2.0, 0.5, -1.0];
        let (values, v) = symmetric_eigen(&m, 3);
        for i in 0..3 {
            for j in 0..3 {
                let sum: f64 = (0..3).map(|k| values[k] * v[3 * i + k] * v[3 * j + k]).sum();
                assert!((sum - m[3 * i + j]).abs() < 1e-13);
            }
        }
        assert!(values.iter().any(|&x| x < 0.0));
        let positive = positive_sym3([4.0, 3.0, -1.0, 1.0, -2.0, 0.5]);
        let [a, b, c, d, e, f] = positive;
        assert!(symmetric_eigen(&[a, d, e, d, b, f, e, f, c], 3).0.iter().all(|&x| x > -1e-13));
    }
}
