//! Dense linear least squares, small and exact enough to give back data without noise: Householder QR, and the
//! non-negative solution by active sets (Lawson and Hanson 1974, ch. 23).

/// The triangular system left of A x ≈ b after QR: same solution, as many rows as unknowns.
pub(super) struct Reduced {
    /// Upper triangle, row by row.
    r: Vec<f64>,
    /// Qᵀb, its first entries.
    c: Vec<f64>,
    n: usize,
}

/// Reduces A (rows of `n` numbers) and b. None when the columns are not independent to ten digits.
pub(super) fn reduce(mut a: Vec<f64>, n: usize, mut b: Vec<f64>) -> Option<Reduced> {
    let m = b.len();
    if n == 0 || m < n {
        return None;
    }
    let mut largest = 0.0f64;
    for k in 0..n {
        let norm = (k..m).map(|i| a[i * n + k] * a[i * n + k]).sum::<f64>().sqrt();
        largest = largest.max(norm);
        if norm.is_nan() || norm <= 1e-10 * largest {
            return None;
        }
        // v = column − αe, reflected in place; α has the sign that avoids cancellation.
        let alpha = if a[k * n + k] > 0.0 { -norm } else { norm };
        let mut v: Vec<f64> = (k..m).map(|i| a[i * n + k]).collect();
        v[0] -= alpha;
        let factor = 2.0 / v.iter().map(|x| x * x).sum::<f64>();
        for j in k..n {
            let dot: f64 = v.iter().enumerate().map(|(i, x)| x * a[(k + i) * n + j]).sum();
            for (i, x) in v.iter().enumerate() {
                a[(k + i) * n + j] -= factor * dot * x;
            }
        }
        let dot: f64 = v.iter().zip(&b[k..]).map(|(x, y)| x * y).sum();
        for (x, y) in v.iter().zip(&mut b[k..]) {
            *y -= factor * dot * x;
        }
        a[k * n + k] = alpha;
        for i in k + 1..m {
            a[i * n + k] = 0.0;
        }
    }
    a.truncate(n * n);
    b.truncate(n);
    Some(Reduced { r: a, c: b, n })
}

impl Reduced {
    /// The least-squares solution.
    pub(super) fn solve(&self) -> Vec<f64> {
        let n = self.n;
        let mut x = self.c.clone();
        for i in (0..n).rev() {
            let known: f64 = (i + 1..n).map(|j| self.r[i * n + j] * x[j]).sum();
            x[i] = (x[i] - known) / self.r[i * n + i];
        }
        x
    }

    /// The least-squares solution with every unknown at or above its floor.
    pub(super) fn solve_above(&self, floor: &[f64]) -> Vec<f64> {
        let n = self.n;
        let times = |x: &[f64], i: usize| -> f64 { (i..n).map(|j| self.r[i * n + j] * x[j]).sum() };
        let right: Vec<f64> = (0..n).map(|i| self.c[i] - times(floor, i)).collect();
        let mut x = vec![0.0; n];
        let mut free = vec![false; n];
        // Each round frees one unknown for good in practice; the bound only guards against cycling by rounding.
        for _ in 0..3 * n {
            let rest: Vec<f64> = (0..n).map(|i| right[i] - times(&x, i)).collect();
            let gain = |j: usize| -> f64 { (0..=j).map(|i| self.r[i * n + j] * rest[i]).sum() };
            let best = (0..n).filter(|&j| !free[j]).map(|j| (gain(j), j)).max_by(|a, b| a.0.total_cmp(&b.0));
            match best {
                Some((g, j)) if g > 1e-12 => free[j] = true,
                _ => break,
            }
            while !self.step(&right, &mut free, &mut x) {}
        }
        x.iter().zip(floor).map(|(a, b)| a + b).collect()
    }

    /// Moves to the solution over the free unknowns, or to the first bound on the way, which is then fixed. True when there.
    fn step(&self, right: &[f64], free: &mut [bool], x: &mut [f64]) -> bool {
        let n = self.n;
        let chosen: Vec<usize> = (0..n).filter(|&j| free[j]).collect();
        let columns = (0..n).flat_map(|i| chosen.iter().map(move |&j| (i, j)));
        let a: Vec<f64> = columns.map(|(i, j)| if j >= i { self.r[i * n + j] } else { 0.0 }).collect();
        let Some(part) = reduce(a, chosen.len(), right.to_vec()) else { return true };
        let goal = part.solve();
        let blocked = chosen.iter().zip(&goal).filter(|(_, g)| **g <= 0.0);
        let first =
            blocked.map(|(&j, g)| (x[j] / (x[j] - g).max(f64::MIN_POSITIVE), j)).min_by(|a, b| a.0.total_cmp(&b.0));
        let reach = first.map_or(1.0, |(reach, _)| reach);
        for (&j, g) in chosen.iter().zip(&goal) {
            x[j] = (x[j] + reach * (g - x[j])).max(0.0);
        }
        if let Some((_, j)) = first {
            (x[j], free[j]) = (0.0, false);
        }
        first.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn least_squares_solves_the_normal_equations() {
        // Line through (0,1), (1,3), (2,4), (3,4): 1.5 + x.
        let a = vec![1.0, 0.0, 1.0, 1.0, 1.0, 2.0, 1.0, 3.0];
        let x = reduce(a, 2, vec![1.0, 3.0, 4.0, 4.0]).unwrap().solve();
        assert!((x[0] - 1.5).abs() < 1e-14 && (x[1] - 1.0).abs() < 1e-14);
        assert!(reduce(vec![1.0, 2.0, 2.0, 4.0], 2, vec![1.0, 1.0]).is_none());
    }

    /// Known non-negative solution: the second unknown wants to be negative and is held, the first takes the rest.
    #[test]
    fn bounds_are_kept_and_the_rest_is_optimal() {
        let system = || reduce(vec![1.0, 1.0, 1.0, 2.0, 1.0, 3.0], 2, vec![3.0, 2.0, 1.0]).unwrap();
        let x = system().solve_above(&[0.0, 0.0]);
        assert!((x[0] - 2.0).abs() < 1e-12 && x[1] == 0.0, "{x:?}");
        let x = system().solve_above(&[0.0, 0.25]);
        // With x₁ = ¼ the best x₀ is mean(3 − ¼, 2 − ½, 1 − ¾) = 1.5.
        assert!((x[0] - 1.5).abs() < 1e-12 && x[1] == 0.25, "{x:?}");
    }
}
