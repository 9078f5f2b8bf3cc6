//! A tabulated strain–stress surface σ(ε_uu, ε_vv, ε_uv) with every coupling between the modes, Volino09 eq. (2).
//!
//! Interpolating three stress tables on their own would give a fabric that is not elastic (no potential, unsymmetric
//! tangent). So the table is replaced by the potential that explains it best: w = ½ εᵀE₀ε + r(φ(ε)), where E₀ is the
//! linear law nearest to the table and r a tensor-product cubic B-spline over its grid, twice continuously
//! differentiable, whose coefficients minimise the squared difference between ∂w/∂ε and the tabulated stress. Third
//! differences are lightly penalised, which fixes what the data leave open. [`Surface::residual`] says how far the table was
//! from being elastic. Inside the table φ is the identity; outside each coordinate saturates within one cell, so that only
//! the linear law E₀ goes on.

use super::{AnyLaw, Law, Response, Sym3, sym_mul};
use crate::lane::Lane;

/// Stress over a grid of strains, as a potential.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    axes: [Axis; 3],
    linear: Sym3<f64>,
    coefficients: Vec<f64>,
    residual: f64,
}

/// Evenly spaced strains of one mode.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Axis {
    low: f64,
    spacing: f64,
    points: usize,
}

/// What is wrong with a table.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SurfaceError {
    /// An axis needs at least two ascending finite ends.
    #[error(
        "axis {mode} runs from {low} to {high} with {points} points: it must ascend, hold 0 and have 3 to 33 points"
    )]
    Axis {
        /// Which mode: weft, warp or shear.
        mode: &'static str,
        /// Lowest strain.
        low: f64,
        /// Highest strain.
        high: f64,
        /// Number of points.
        points: usize,
    },
    /// The number of stresses does not match the grid.
    #[error("the grid has {expected} points, the table has {found} stresses")]
    Count {
        /// Points of the grid.
        expected: usize,
        /// Rows found.
        found: usize,
    },
    /// A stress is not finite.
    #[error("stress {index} of the table is not a finite number")]
    Stress {
        /// Row in the table.
        index: usize,
    },
}

impl Surface {
    /// Fits the potential to `stress`, tabulated with shear running fastest, then warp, then weft, over the inclusive
    /// ranges `low..=high` with `points` values each. Stress at zero strain is taken out: a fabric at rest pulls nowhere.
    pub fn fit(low: [f64; 3], high: [f64; 3], points: [usize; 3], stress: &[[f64; 3]]) -> Result<Self, SurfaceError> {
        for m in 0..3 {
            let good = low[m].is_finite() && high[m].is_finite() && low[m] < high[m] && low[m] <= 0.0 && high[m] >= 0.0;
            if !good || !(3..=33).contains(&points[m]) {
                let mode = ["weft", "warp", "shear"][m];
                return Err(SurfaceError::Axis { mode, low: low[m], high: high[m], points: points[m] });
            }
        }
        let expected = points.iter().product();
        if stress.len() != expected {
            return Err(SurfaceError::Count { expected, found: stress.len() });
        }
        if let Some(index) = stress.iter().position(|s| s.iter().any(|c| !c.is_finite())) {
            return Err(SurfaceError::Stress { index });
        }
        let axes: [Axis; 3] = std::array::from_fn(|m| Axis {
            low: low[m],
            spacing: (high[m] - low[m]) / (points[m] - 1) as f64,
            points: points[m],
        });
        let count = axes.iter().map(|a| a.points + 2).product();
        let mut surface = Self { axes, linear: [0.0; 6], coefficients: vec![0.0; count], residual: 0.0 };
        surface.linear = surface.nearest_linear_law(stress);
        surface.solve(stress);
        Ok(surface)
    }

    /// Root mean square difference between the potential's stress and the table, over the table's root mean square.
    pub fn residual(&self) -> f64 {
        self.residual
    }

    fn index(&self, i: [usize; 3]) -> usize {
        (i[0] * (self.axes[1].points + 2) + i[1]) * (self.axes[2].points + 2) + i[2]
    }

    /// Rows of the least-squares problem: gradient at every grid point, then weighted third differences.
    fn rows(&self) -> Vec<Vec<(usize, f64)>> {
        let n = self.axes.map(|a| a.points);
        let mut rows = Vec::new();
        for p in grid_indices(n) {
            let at: [f64; 3] = std::array::from_fn(|m| self.axes[m].low + self.axes[m].spacing * p[m] as f64);
            for m in 0..3 {
                let mut row = Vec::new();
                let basis: [Basis; 3] = std::array::from_fn(|k| self.axes[k].basis(at[k]));
                for a in grid_indices([4, 4, 4]) {
                    let mut weight = 1.0;
                    for k in 0..3 {
                        weight *= if k == m { basis[k].slope[a[k]] } else { basis[k].value[a[k]] };
                    }
                    if weight != 0.0 {
                        row.push((self.index(std::array::from_fn(|k| basis[k].first + a[k])), weight));
                    }
                }
                rows.push(row);
            }
        }
        for p in grid_indices(n.map(|k| k + 2)) {
            for m in 0..3 {
                if p[m] + 3 < n[m] + 2 {
                    // Small against any gradient row (bias of order 1e-5), large enough that CG ends in hundreds of steps.
                    let weight = 3e-3 / self.axes[m].spacing;
                    let row = [-1.0, 3.0, -3.0, 1.0].iter().enumerate().map(|(s, c)| {
                        let mut q = p;
                        q[m] += s;
                        (self.index(q), c * weight)
                    });
                    rows.push(row.collect());
                }
            }
        }
        rows
    }

    /// Strains of the table's points, in its order.
    fn points(&self) -> impl Iterator<Item = [f64; 3]> + '_ {
        let place = |p: [usize; 3]| std::array::from_fn(|m| self.axes[m].low + self.axes[m].spacing * p[m] as f64);
        grid_indices(self.axes.map(|a| a.points)).map(place)
    }

    /// Symmetric E₀ with the smallest Σ |E₀ε − σ|² over the table: normal equations of its six entries.
    fn nearest_linear_law(&self, stress: &[[f64; 3]]) -> Sym3<f64> {
        let mut a = [[0.0; 6]; 6];
        let mut b = [0.0; 6];
        for ([u, v, g], s) in self.points().zip(stress) {
            let rows = [[u, 0.0, 0.0, v, g, 0.0], [0.0, v, 0.0, u, 0.0, g], [0.0, 0.0, g, 0.0, u, v]];
            for (row, value) in rows.iter().zip(s) {
                for i in 0..6 {
                    b[i] += row[i] * value;
                    for j in 0..6 {
                        a[i][j] += row[i] * row[j];
                    }
                }
            }
        }
        // Positive definite: every axis has points away from zero, and the grid is a full product. Gauss without pivots.
        for k in 0..6 {
            for i in k + 1..6 {
                let f = a[i][k] / a[k][k];
                for j in k..6 {
                    a[i][j] -= f * a[k][j];
                }
                b[i] -= f * b[k];
            }
        }
        for k in (0..6).rev() {
            let known: f64 = (k + 1..6).map(|j| a[k][j] * b[j]).sum();
            b[k] = (b[k] - known) / a[k][k];
        }
        b
    }

    /// Conjugate gradients on the normal equations; a table has at most a few thousand coefficients.
    fn solve(&mut self, stress: &[[f64; 3]]) {
        let rows = self.rows();
        let measured: f64 = stress.iter().flatten().map(|s| s * s).sum();
        let linear: Vec<[f64; 3]> = self.points().map(|e| sym_mul(&self.linear, e)).collect();
        let data: Vec<f64> = stress.iter().flatten().zip(linear.iter().flatten()).map(|(s, l)| s - l).collect();
        let mut scale = vec![0.0; self.coefficients.len()];
        for row in &rows {
            for &(i, w) in row {
                scale[i] += w * w;
            }
        }
        let apply = |x: &[f64]| -> Vec<f64> { rows.iter().map(|r| r.iter().map(|&(i, w)| w * x[i]).sum()).collect() };
        let transpose = |y: &[f64]| -> Vec<f64> {
            let mut out = vec![0.0; scale.len()];
            for (row, v) in rows.iter().zip(y) {
                for &(i, w) in row {
                    out[i] += w * v;
                }
            }
            out
        };
        let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(x, y)| x * y).sum() };
        let mut x = vec![0.0; scale.len()];
        let mut rest = vec![0.0; rows.len()];
        rest[..data.len()].copy_from_slice(&data);
        let mut r = transpose(&rest);
        let mut z: Vec<f64> = r.iter().zip(&scale).map(|(a, b)| a / b.max(1e-300)).collect();
        let mut p = z.clone();
        let mut rz = dot(&r, &z);
        let goal = rz * 1e-26;
        for _ in 0..20 * scale.len().max(100) {
            if rz.is_nan() || rz <= goal {
                break;
            }
            let q = apply(&p);
            let alpha = rz / dot(&q, &q).max(1e-300);
            for i in 0..x.len() {
                x[i] += alpha * p[i];
            }
            for (a, b) in rest.iter_mut().zip(&q) {
                *a -= alpha * b;
            }
            r = transpose(&rest);
            z = r.iter().zip(&scale).map(|(a, b)| a / b.max(1e-300)).collect();
            let next = dot(&r, &z);
            let beta = next / rz;
            rz = next;
            for (a, b) in p.iter_mut().zip(&z) {
                *a = b + beta * *a;
            }
        }
        let miss = dot(&rest[..data.len()], &rest[..data.len()]);
        self.residual = (miss / measured.max(1e-300)).sqrt();
        self.coefficients = x;
        self.take_out_rest_stress();
    }

    /// Makes r(0) = 0 and ∂r(0) = 0 by subtracting an affine function, which a cubic B-spline holds exactly.
    fn take_out_rest_stress(&mut self) {
        let (w, s, _) = self.spline([0.0; 3]);
        for i in grid_indices(self.axes.map(|a| a.points + 2)) {
            // The coefficient of a linear function is its value at the node (Greville abscissa).
            let at: [f64; 3] = std::array::from_fn(|m| self.axes[m].low + self.axes[m].spacing * (i[m] as f64 - 1.0));
            let k = self.index(i);
            self.coefficients[k] -= w + s[0] * at[0] + s[1] * at[1] + s[2] * at[2];
        }
    }

    /// Energy, stress and tangent.
    fn evaluate(&self, strain: [f64; 3]) -> (f64, [f64; 3], [f64; 6]) {
        let ends: [[f64; 3]; 3] = std::array::from_fn(|m| self.axes[m].saturate(strain[m]));
        let (mut w, r, b) = self.spline(ends.map(|e| e[0]));
        let d = ends.map(|e| e[1]);
        let mut s = sym_mul(&self.linear, strain);
        w += 0.5 * (s[0] * strain[0] + s[1] * strain[1] + s[2] * strain[2]);
        let mut t = self.linear;
        for (k, (i, j)) in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
            t[k] += b[k] * d[i] * d[j];
        }
        for m in 0..3 {
            s[m] += r[m] * d[m];
            t[m] += r[m] * ends[m][2];
        }
        (w, s, t)
    }

    /// The spline r with its first and second derivatives.
    fn spline(&self, strain: [f64; 3]) -> (f64, [f64; 3], [f64; 6]) {
        let b: [Basis; 3] = std::array::from_fn(|m| self.axes[m].basis(strain[m]));
        let (mut w, mut s, mut t) = (0.0, [0.0; 3], [0.0; 6]);
        for i in 0..4 {
            for j in 0..4 {
                for k in 0..4 {
                    let c = self.coefficients[self.index([b[0].first + i, b[1].first + j, b[2].first + k])];
                    let (u, v, g) = (b[0].value[i], b[1].value[j], b[2].value[k]);
                    let (du, dv, dg) = (b[0].slope[i], b[1].slope[j], b[2].slope[k]);
                    w += c * u * v * g;
                    s[0] += c * du * v * g;
                    s[1] += c * u * dv * g;
                    s[2] += c * u * v * dg;
                    t[0] += c * b[0].bend[i] * v * g;
                    t[1] += c * u * b[1].bend[j] * g;
                    t[2] += c * u * v * b[2].bend[k];
                    t[3] += c * du * dv * g;
                    t[4] += c * du * v * dg;
                    t[5] += c * u * dv * dg;
                }
            }
        }
        (w, s, t)
    }
}

/// Four basis functions that live on a cell, with derivatives.
#[derive(Clone, Copy)]
struct Basis {
    first: usize,
    value: [f64; 4],
    slope: [f64; 4],
    bend: [f64; 4],
}

impl Axis {
    /// φ, φ′, φ″: the identity inside the table; beyond its ends tanh, whose second derivative starts at zero.
    fn saturate(&self, strain: f64) -> [f64; 3] {
        let high = self.low + self.spacing * (self.points - 1) as f64;
        let end = strain.clamp(self.low, high);
        if end == strain {
            return [strain, 1.0, 0.0];
        }
        let t = ((strain - end) / self.spacing).tanh();
        let slope = 1.0 - t * t;
        [end + self.spacing * t, slope, -2.0 * t * slope / self.spacing]
    }

    fn basis(&self, strain: f64) -> Basis {
        let h = self.spacing;
        let position = (strain - self.low) / h;
        let cells = (self.points - 1) as f64;
        let inside = position.clamp(0.0, cells);
        let first = (inside.floor() as usize).min(self.points - 2);
        let t = position - first as f64;
        let s = 1.0 - t;
        let value = [s * s * s, 3.0 * t * t * t - 6.0 * t * t + 4.0, 3.0 * s * s * s - 6.0 * s * s + 4.0, t * t * t];
        let slope = [-3.0 * s * s, 9.0 * t * t - 12.0 * t, -9.0 * s * s + 12.0 * s, 3.0 * t * t];
        let bend = [6.0 * s, 18.0 * t - 12.0, 18.0 * s - 12.0, 6.0 * t];
        let mut out = Basis { first, value: [0.0; 4], slope: [0.0; 4], bend: [0.0; 4] };
        for a in 0..4 {
            out.value[a] = value[a] / 6.0;
            out.slope[a] = slope[a] / (6.0 * h);
            out.bend[a] = bend[a] / (6.0 * h * h);
        }
        out
    }
}

fn grid_indices(n: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    (0..n[0]).flat_map(move |i| (0..n[1]).flat_map(move |j| (0..n[2]).map(move |k| [i, j, k])))
}

impl Law for Surface {
    #[inline(always)]
    fn respond<L: Lane>(&self, strain: [L; 3]) -> Response<L> {
        let mut values = [[0.0; 9]; 8];
        for (i, v) in values.iter_mut().enumerate().take(L::WIDTH) {
            let (_, s, t) = self.evaluate(strain.map(|e| e.lane(i)));
            v[..3].copy_from_slice(&s);
            v[3..].copy_from_slice(&t);
        }
        Response {
            stress: std::array::from_fn(|m| L::from_fn(|i| values[i][m])),
            tangent: std::array::from_fn(|m| L::from_fn(|i| values[i][3 + m])),
        }
    }
    #[inline(always)]
    fn energy<L: Lane>(&self, strain: [L; 3]) -> L {
        L::from_fn(|i| self.evaluate(strain.map(|e| e.lane(i))).0)
    }
}

/// A stiffening fabric whose warp stiffens with weft strain (crimp interchange), tabulated on a 6×6×5 grid.
pub(super) fn sample() -> AnyLaw {
    let (low, high, points) = ([-0.1, -0.1, -0.2], [0.2, 0.2, 0.2], [6, 6, 5]);
    let mut table = Vec::new();
    for i in grid_indices(points) {
        let e: [f64; 3] = std::array::from_fn(|m| low[m] + (high[m] - low[m]) * i[m] as f64 / (points[m] - 1) as f64);
        let [u, v, g] = e;
        // w = 400u² + 600v² + 40g² + 150uv + 800u²v + 900uv² + 300(u+v)g²
        table.push([
            800.0 * u + 150.0 * v + 1600.0 * u * v + 900.0 * v * v + 300.0 * g * g,
            1200.0 * v + 150.0 * u + 800.0 * u * u + 1800.0 * u * v + 300.0 * g * g,
            80.0 * g + 600.0 * (u + v) * g,
        ]);
    }
    AnyLaw::Surface(Surface::fit(low, high, points, &table).expect("valid sample"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Linear;

    /// A table of a linear law gives back that law everywhere, also outside the table.
    #[test]
    fn table_of_a_linear_law_is_exact() {
        let law = Linear::anisotropic([800.0, 2000.0, 90.0, 150.0, 40.0, -25.0]).unwrap();
        let (low, high, points) = ([-0.1, 0.0, -0.2], [0.2, 0.3, 0.2], [4, 3, 5]);
        let mut table = Vec::new();
        for i in grid_indices(points) {
            let e = std::array::from_fn(|m| low[m] + (high[m] - low[m]) * i[m] as f64 / (points[m] - 1) as f64);
            table.push(law.stress::<f64>(e));
        }
        let surface = Surface::fit(low, high, points, &table).unwrap();
        assert!(surface.residual() < 1e-8, "{}", surface.residual());
        for e in [[0.05, 0.1, 0.02], [0.5, -0.4, 0.7]] {
            for (a, b) in surface.stress::<f64>(e).iter().zip(law.stress::<f64>(e)) {
                assert!((a - b).abs() < 1e-5 * 2000.0, "{a} {b}");
            }
        }
    }

    /// A table that no potential explains says so in its residual.
    #[test]
    fn inelastic_table_is_reported() {
        let mut table = Vec::new();
        for i in grid_indices([4, 4, 3]) {
            let e: [f64; 3] = std::array::from_fn(|m| i[m] as f64 * 0.1);
            table.push([100.0 * e[0] + 80.0 * e[1], 100.0 * e[1] - 80.0 * e[0], 50.0 * e[2]]);
        }
        let surface = Surface::fit([0.0; 3], [0.3, 0.3, 0.2], [4, 4, 3], &table).unwrap();
        assert!(surface.residual() > 0.1);
    }
}
