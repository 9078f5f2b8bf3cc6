//! Buckling weight of a plate on edge for any width and Poisson ratio: the reference of B-04, by Ritz' method.
//!
//! A thin plate 1 × b, clamped at x = 0, carries a unit weight per area along −y in its own plane. First the plane stress N of that
//! weight, then the smallest Γ at which the energy of a sideways displacement w is no longer positive:
//! ```text
//! ½∫ [(w_xx + w_yy)² − 2(1−ν)(w_xx w_yy − w_xy²)]  +  ½ Γ ∫ [N_xx w_x² + 2 N_xy w_x w_y + N_yy w_y²]          (D = L = 1)
//! ```
//! Displacements are polynomials, Legendre in both directions with a factor x (in plane) or x² (sideways) for the clamp.
//! It knows nothing of triangles or of the simulator.

use toile_core::linalg::symmetric_eigen;

/// Polynomials along x and y of the displacement in plane.
const IN_PLANE: [usize; 2] = [9, 5];
/// Those of the sideways displacement: many along x, because narrow plates warp freely only some widths away from the clamp.
const SIDEWAYS: [usize; 2] = [16, 5];
/// Points of the quadrature in each direction: exact for the products of degree 42 that occur.
const POINTS: usize = 22;

/// Value and derivatives of one basis function at a point.
#[derive(Clone, Copy, Default)]
struct Jet {
    x: f64,
    y: f64,
    xx: f64,
    xy: f64,
    yy: f64,
    value: f64,
}

/// The smallest Γ* = σ g L³/D of a plate of width w/L = `ratio`.
pub(super) fn critical_weight(ratio: f64, poisson: f64) -> f64 {
    let points = quadrature(ratio);
    let stress = plane_stress(&points, ratio, poisson);
    let jets: Vec<Vec<Jet>> = points.iter().map(|&(x, y, _)| basis(x, y, ratio, 2, SIDEWAYS)).collect();
    let bending = form(&points, &jets, |_, a, b| {
        (a.xx + a.yy) * (b.xx + b.yy) - (1.0 - poisson) * (a.xx * b.yy + a.yy * b.xx - 2.0 * a.xy * b.xy)
    });
    let weight = form(&points, &jets, |k, a, b| {
        let [xx, yy, xy] = stress[k];
        xx * a.x * b.x + yy * a.y * b.y + xy * (a.x * b.y + a.y * b.x)
    });
    1.0 / largest_ratio(&weight, &bending, jets[0].len())
}

/// N = (xx, yy, xy) at each point for a modulus of one; the stress of a dead load does not depend on it.
fn plane_stress(points: &[(f64, f64, f64)], ratio: f64, poisson: f64) -> Vec<[f64; 3]> {
    let jets: Vec<Vec<Jet>> = points.iter().map(|&(x, y, _)| basis(x, y, ratio, 1, IN_PLANE)).collect();
    let count = jets[0].len();
    // Unknown i < count moves along x, the others along y.
    let strain = |jets: &[Jet], i: usize| match jets.get(i) {
        Some(j) => [j.x, 0.0, j.y],
        None => [0.0, jets[i - count].y, jets[i - count].x],
    };
    let scale = 1.0 / (1.0 - poisson * poisson);
    let law = |e: [f64; 3]| {
        [scale * (e[0] + poisson * e[1]), scale * (e[1] + poisson * e[0]), 0.5 * scale * (1.0 - poisson) * e[2]]
    };
    let (n, mut matrix, mut load) = (2 * count, vec![0.0; 4 * count * count], vec![0.0; 2 * count]);
    for (jets, point) in jets.iter().zip(points) {
        let strains: Vec<[f64; 3]> = (0..n).map(|i| strain(jets, i)).collect();
        for i in 0..n {
            let s = law(strains[i]);
            for j in 0..=i {
                matrix[i * n + j] += point.2 * (0..3).map(|m| s[m] * strains[j][m]).sum::<f64>();
            }
        }
        (0..count).for_each(|i| load[count + i] -= point.2 * jets[i].value);
    }
    mirror(&mut matrix, n);
    let (values, vectors) = symmetric_eigen(&matrix, n);
    let shares = |k: usize| (0..n).map(|i| vectors[i * n + k] * load[i]).sum::<f64>() / values[k];
    let shares: Vec<f64> = (0..n).map(shares).collect();
    let solution: Vec<f64> = (0..n).map(|i| (0..n).map(|k| vectors[i * n + k] * shares[k]).sum()).collect();
    let total = |jets: &Vec<Jet>| {
        let add = |sum: [f64; 3], i: usize| {
            let e = strain(jets, i);
            std::array::from_fn(|m| sum[m] + solution[i] * e[m])
        };
        law((0..n).fold([0.0; 3], add))
    };
    jets.iter().map(total).collect()
}

/// Matrix of a symmetric form of two basis functions, integrated over the plate.
fn form(points: &[(f64, f64, f64)], jets: &[Vec<Jet>], f: impl Fn(usize, &Jet, &Jet) -> f64) -> Vec<f64> {
    let n = jets[0].len();
    let mut matrix = vec![0.0; n * n];
    for (k, jets) in jets.iter().enumerate() {
        for i in 0..n {
            for j in 0..=i {
                matrix[i * n + j] += points[k].2 * f(k, &jets[i], &jets[j]);
            }
        }
    }
    mirror(&mut matrix, n);
    matrix
}

fn mirror(matrix: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..i {
            matrix[j * n + i] = matrix[i * n + j];
        }
    }
}

/// Largest |vᵀAv|/vᵀBv, B positive definite.
fn largest_ratio(a: &[f64], b: &[f64], n: usize) -> f64 {
    let (values, q) = symmetric_eigen(b, n);
    let t = |i: usize, k: usize| q[i * n + k] / values[k].sqrt();
    let mut reduced = vec![0.0; n * n];
    for k in 0..n {
        let column: Vec<f64> = (0..n).map(|i| (0..n).map(|j| a[i * n + j] * t(j, k)).sum()).collect();
        for l in 0..n {
            reduced[l * n + k] = (0..n).map(|i| t(i, l) * column[i]).sum();
        }
    }
    symmetric_eigen(&reduced, n).0.iter().fold(0.0, |most, v| v.abs().max(most))
}

/// Every basis function at a point: x^power P_i(2x − 1) P_j(2y/b).
fn basis(x: f64, y: f64, ratio: f64, power: i32, degrees: [usize; 2]) -> Vec<Jet> {
    let along: Vec<[f64; 3]> = legendre(2.0 * x - 1.0, degrees[0])
        .into_iter()
        .map(|[p, d, dd]| {
            let (p, d, dd) = (p, 2.0 * d, 4.0 * dd);
            let n = f64::from(power);
            let (f, df, ddf) = (x.powi(power), n * x.powi(power - 1), n * (n - 1.0));
            [f * p, df * p + f * d, ddf * p + 2.0 * df * d + f * dd]
        })
        .collect();
    let scale = 2.0 / ratio;
    let across = legendre(scale * y, degrees[1]);
    let mut jets = Vec::with_capacity(degrees[0] * degrees[1]);
    for [a, da, dda] in along {
        for [c, dc, ddc] in &across {
            let (dc, ddc) = (scale * dc, scale * scale * ddc);
            jets.push(Jet { value: a * c, x: da * c, y: a * dc, xx: dda * c, xy: da * dc, yy: a * ddc });
        }
    }
    jets
}

/// Legendre polynomials P₀ … with first and second derivative.
fn legendre(x: f64, count: usize) -> Vec<[f64; 3]> {
    let mut p = vec![[1.0, 0.0, 0.0], [x, 1.0, 0.0]];
    for k in 1..count.saturating_sub(1) {
        let n = k as f64;
        let next = |m: usize, extra: f64| ((2.0 * n + 1.0) * (x * p[k][m] + extra) - n * p[k - 1][m]) / (n + 1.0);
        let value = [next(0, 0.0), next(1, p[k][0]), next(2, 2.0 * p[k][1])];
        p.push(value);
    }
    p.truncate(count);
    p
}

/// Gauss points (x, y, weight) of the plate.
fn quadrature(ratio: f64) -> Vec<(f64, f64, f64)> {
    let line: Vec<[f64; 2]> = (0..POINTS)
        .map(|k| {
            let mut x = -(std::f64::consts::PI * (k as f64 + 0.75) / (POINTS as f64 + 0.5)).cos();
            for _ in 0..20 {
                let [p, d, _] = legendre(x, POINTS + 1)[POINTS];
                x -= p / d;
            }
            let d = legendre(x, POINTS + 1)[POINTS][1];
            [x, 2.0 / ((1.0 - x * x) * d * d)]
        })
        .collect();
    let at = |a: &[f64; 2], b: &[f64; 2]| (0.5 + 0.5 * a[0], 0.5 * ratio * b[0], 0.25 * ratio * a[1] * b[1]);
    line.iter().flat_map(|a| line.iter().map(move |b| at(a, b))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quadrature_is_exact_for_polynomials() {
        let sum: f64 = quadrature(0.4).iter().map(|(x, y, w)| w * x.powi(20) * y.powi(4)).sum();
        assert!((sum / (1.0 / 21.0 * 2.0 * 0.2f64.powi(5) / 5.0) - 1.0).abs() < 1e-12);
    }

    /// The stress does on a displacement (−xy, x²/2), which strains only along x, the work of the weight: ∫ N_xx y = b/6.
    #[test]
    fn stress_carries_the_weight() {
        let ratio = 0.2;
        let points = quadrature(ratio);
        let stress = plane_stress(&points, ratio, 0.3);
        let moment: f64 = points.iter().zip(&stress).map(|((_, y, w), s)| w * y * s[0]).sum();
        assert!((moment / (ratio / 6.0) - 1.0).abs() < 1e-9, "{moment}");
    }

    /// Romero's values at w/L = 0.3, and the slender limit 12.8538 √(2(1−ν)(1−ν²)).
    #[test]
    fn published_values_come_out() {
        for (poisson, stored) in [(0.3, 18.47), (0.0, 22.0)] {
            let found = critical_weight(0.3, poisson);
            assert!((found / stored - 1.0).abs() < 0.005, "{poisson}: {found} for {stored}");
            let limit = 2.0 * critical_weight(0.05, poisson) - critical_weight(0.1, poisson);
            let exact = 12.8538 * (2.0 * (1.0 - poisson) * (1.0 - poisson * poisson)).sqrt();
            assert!((limit / exact - 1.0).abs() < 0.01, "{poisson}: {limit} for {exact}");
        }
    }
}
