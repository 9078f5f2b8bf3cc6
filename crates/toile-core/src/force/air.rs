//! Resistance of the air, by direction of the relative wind, steady or in gusts.
//!
//! A triangle of area A moving at v in wind w feels, along each of its three axes (normal n, weft, warp), the pressure
//! ½ρ C s|s| of the relative speed s = (w − v)·axis. It derives from the dissipation ρA C|s|³/6, convex in v, so implicit steps keep
//! their potential. Axes and area are those at the start of the step: the wind turns the sheet, not the other way round.

use super::{Force, Moment, Projection, Rate, Target};
use crate::fabric::Drag;
use crate::linalg::{BlockMatrix, Pattern, Real};
use crate::mesh::Mesh;
use glam::DVec3;

/// Density of air at 20 °C (kg/m³).
const AIR: f64 = 1.204;
/// Numbers kept per triangle: three axes, area.
const KEPT: usize = 10;

/// Wind, the same everywhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Wind {
    /// Mean velocity (m/s).
    pub velocity: DVec3,
    /// Root mean square of the gusts over the mean speed; 0 is steady.
    pub gusts: f64,
    /// Period of the strongest gusts (s).
    pub period: f64,
    /// Chooses one of many gusty days.
    pub seed: u64,
}

impl Default for Wind {
    /// Still air.
    fn default() -> Self {
        Self { velocity: DVec3::ZERO, gusts: 0.0, period: 2.0, seed: 1 }
    }
}

impl Wind {
    /// Wind at a time: the mean, times one plus a sum of six sines with golden-ratio periods, so that it never repeats.
    pub fn at(&self, time: f64) -> DVec3 {
        if self.gusts == 0.0 {
            return self.velocity;
        }
        let mut phase = self.seed;
        let mut sum = 0.0;
        let mut norm = 0.0;
        for k in 0..6 {
            phase = phase.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let start = (phase >> 11) as f64 / (1u64 << 53) as f64;
            let (scale, size) = (1.618_033_988_749_895f64.powi(k - 1), 0.8f64.powi(k));
            sum += size * (std::f64::consts::TAU * (time * scale / self.period + start)).sin();
            norm += 0.5 * size * size;
        }
        self.velocity * (1.0 + self.gusts * sum / norm.sqrt())
    }
}

/// Air around a sheet.
pub struct Air {
    /// Wind.
    pub wind: Wind,
    drag: Drag,
    triangles: Vec<[u32; 3]>,
    /// Weights of the corners b − a and c − a in weft and warp vectors.
    weights: Vec<[[f64; 2]; 2]>,
    slots: Vec<[u32; 3]>,
}

impl Air {
    /// Air around every triangle of a mesh.
    pub fn new(mesh: &Mesh, drag: Drag, wind: Wind) -> Self {
        let weights = mesh.material.iter().map(|[a, b, c]| {
            let d = (*b - *a).perp_dot(*c - *a);
            [[(c.y - a.y) / d, (a.y - b.y) / d], [(a.x - c.x) / d, (b.x - a.x) / d]]
        });
        let slots = vec![[0; 3]; mesh.triangles.len()];
        Self { wind, drag, triangles: mesh.triangles.clone(), weights: weights.collect(), slots }
    }

    /// Normal, weft and warp directions and the area of a triangle.
    fn axes(&self, t: usize, positions: &[DVec3]) -> ([DVec3; 3], f64) {
        let [a, b, c] = self.triangles[t].map(|i| positions[i as usize]);
        let (ab, ac) = (b - a, c - a);
        let normal = ab.cross(ac);
        let along = |w: [f64; 2]| (w[0] * ab + w[1] * ac).normalize_or_zero();
        let [weft, warp] = self.weights[t].map(along);
        ([normal.normalize_or_zero(), weft, warp], 0.5 * normal.length())
    }

    fn kept(&self, t: usize, at: &Moment, memory: &[f64]) -> ([DVec3; 3], f64) {
        match at.rate {
            Rate::Instant => self.axes(t, at.positions),
            Rate::Since { .. } => {
                let m = &memory[KEPT * t..KEPT * (t + 1)];
                (std::array::from_fn(|k| DVec3::from_slice(&m[3 * k..3 * k + 3])), m[9])
            }
        }
    }

    fn relative_wind(&self, t: usize, at: &Moment) -> DVec3 {
        let mean: DVec3 = self.triangles[t].iter().map(|&i| at.velocities[i as usize]).sum();
        self.wind.at(at.time) - mean / 3.0
    }

    fn coefficients(&self) -> [f64; 3] {
        [self.drag.normal, self.drag.weft, self.drag.warp]
    }

    /// Force on a triangle (N).
    fn force(&self, t: usize, at: &Moment, memory: &[f64]) -> DVec3 {
        let (axes, area) = self.kept(t, at, memory);
        let wind = self.relative_wind(t, at);
        let along = |k: usize| {
            let s = wind.dot(axes[k]);
            0.5 * AIR * area * self.coefficients()[k] * s * s.abs() * axes[k]
        };
        along(0) + along(1) + along(2)
    }

    /// −∂F/∂v of a triangle (N·s/m): Σ ρ A C|s| axis axisᵀ.
    fn resistance(&self, t: usize, at: &Moment, memory: &[f64]) -> [f64; 9] {
        let (axes, area) = self.kept(t, at, memory);
        let wind = self.relative_wind(t, at);
        let mut out = [0.0; 9];
        for (axis, c) in axes.iter().zip(self.coefficients()) {
            let d = AIR * area * c * wind.dot(*axis).abs();
            for k in 0..9 {
                out[k] += d * axis[k / 3] * axis[k % 3];
            }
        }
        out
    }

    fn assemble<T: Real>(&self, at: &Moment, memory: &[f64], matrix: &mut BlockMatrix<T>) {
        let Rate::Since { per_second } = at.rate else { return };
        for (t, corners) in self.triangles.iter().enumerate() {
            // Velocity is the mean of three corners and so is the force: a ninth each.
            let block = self.resistance(t, at, memory).map(|r| T::from_f64(r * per_second / 9.0));
            for &c in corners {
                matrix.diagonal[c as usize].iter_mut().zip(block).for_each(|(a, b)| *a += b);
            }
            for &slot in &self.slots[t] {
                matrix.lower[slot as usize].iter_mut().zip(block).for_each(|(a, b)| *a += b);
            }
        }
    }
}

impl Force for Air {
    fn name(&self) -> &'static str {
        "air"
    }

    fn stencils(&self, visit: &mut dyn FnMut(&[u32])) {
        self.triangles.iter().for_each(|t| visit(t));
    }

    fn bind(&mut self, pattern: &Pattern) {
        for (slots, [a, b, c]) in self.slots.iter_mut().zip(&self.triangles) {
            *slots =
                [(*a, *b), (*a, *c), (*b, *c)].map(|(i, j)| pattern.slot(i, j).expect("stencil is in the pattern"));
        }
    }

    fn memory_len(&self) -> usize {
        KEPT * self.triangles.len()
    }

    fn prepare(&self, base: &[(f64, &[DVec3])], memory: &mut [f64]) {
        let Some((_, positions)) = base.first() else { return };
        for t in 0..self.triangles.len() {
            let (axes, area) = self.axes(t, positions);
            let m = &mut memory[KEPT * t..KEPT * (t + 1)];
            for k in 0..3 {
                m[3 * k..3 * k + 3].copy_from_slice(&axes[k].to_array());
            }
            m[9] = area;
        }
    }

    fn energy(&self, _at: &Moment, _memory: &[f64]) -> f64 {
        0.0
    }

    fn potential(&self, at: &Moment, memory: &[f64]) -> f64 {
        let Rate::Since { per_second } = at.rate else { return 0.0 };
        let one = |t: usize| {
            let (axes, area) = self.kept(t, at, memory);
            let wind = self.relative_wind(t, at);
            let cube = |k: usize| self.coefficients()[k] * wind.dot(axes[k]).abs().powi(3);
            AIR * area * (cube(0) + cube(1) + cube(2)) / 6.0
        };
        (0..self.triangles.len()).map(one).sum::<f64>() / per_second
    }

    fn add_forces(&self, at: &Moment, memory: &[f64], forces: &mut [DVec3]) {
        for (t, corners) in self.triangles.iter().enumerate() {
            let third = self.force(t, at, memory) / 3.0;
            for &c in corners {
                forces[c as usize] += third;
            }
        }
    }

    fn add_jacobian(&self, at: &Moment, memory: &[f64], _projection: Projection, target: &mut Target) {
        match target {
            Target::Single(m) => self.assemble(at, memory, m),
            Target::Double(m) => self.assemble(at, memory, m),
        }
    }

    fn add_product(
        &self,
        at: &Moment,
        memory: &[f64],
        _projection: Projection,
        direction: &[DVec3],
        product: &mut [DVec3],
    ) -> bool {
        let Rate::Since { per_second } = at.rate else { return true };
        for (t, corners) in self.triangles.iter().enumerate() {
            let sum: DVec3 = corners.iter().map(|&c| direction[c as usize]).sum();
            let r = self.resistance(t, at, memory);
            let row = |k: usize| DVec3::from_slice(&r[3 * k..3 * k + 3]).dot(sum);
            let share = DVec3::new(row(0), row(1), row(2)) * per_second / 9.0;
            for &c in corners {
                product[c as usize] += share;
            }
        }
        true
    }

    fn commit(&self, at: &Moment, memory: &mut [f64]) -> f64 {
        // Work done against the air; wind may also do work on the sheet, then it is negative.
        let one = |t: usize| {
            let mean: DVec3 = self.triangles[t].iter().map(|&i| at.velocities[i as usize]).sum::<DVec3>() / 3.0;
            -self.force(t, at, memory).dot(mean)
        };
        at.elapsed * (0..self.triangles.len()).map(one).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Diagonal, Grid};

    fn sheet() -> Mesh {
        Grid { cells: [3, 2], size: [0.6, 0.5], diagonal: Diagonal::One }.mesh()
    }

    /// A plate across the wind feels ½ρCAv², along the weft the skin friction of the weft.
    #[test]
    fn plate_feels_its_drag() {
        let (mesh, drag) = (sheet(), Drag { normal: 1.5, weft: 0.1, warp: 0.02 });
        let still = vec![DVec3::ZERO; mesh.vertex_count()];
        let cases =
            [(DVec3::new(0.0, 3.0, 0.0), 1.5), (DVec3::new(3.0, 0.0, 0.0), 0.1), (DVec3::new(0.0, 0.0, 3.0), 0.02)];
        for (velocity, c) in cases {
            let air = Air::new(&mesh, drag, Wind { velocity, ..Wind::default() });
            let mut forces = still.clone();
            let at =
                Moment { positions: &mesh.positions, velocities: &still, time: 0.0, elapsed: 0.0, rate: Rate::Instant };
            air.add_forces(&at, &[], &mut forces);
            let total: DVec3 = forces.iter().sum();
            let exact = 0.5 * AIR * c * 0.3 * 3.0 * velocity;
            assert!((total - exact).length() < 1e-12, "{total} {exact}");
        }
    }

    /// Force is minus the gradient of the potential over the end positions, and the Jacobian its derivative.
    #[test]
    fn derivatives_match_finite_differences() {
        let mesh = sheet();
        let mut air =
            Air::new(&mesh, Drag::default(), Wind { velocity: DVec3::new(2.0, 1.0, -0.5), ..Wind::default() });
        let pattern = std::sync::Arc::new(Pattern::from_stencils(mesh.vertex_count(), |visit| air.stencils(visit)));
        air.bind(&pattern);
        let mut memory = vec![0.0; air.memory_len()];
        air.prepare(&[(1.0, &mesh.positions)], &mut memory);
        let per_second = 100.0;
        let end: Vec<DVec3> =
            mesh.positions.iter().map(|p| *p + 0.01 * DVec3::new(p.z, 2.0 * p.x, p.x * p.z)).collect();
        let eval = |x: &[DVec3]| {
            let u: Vec<DVec3> = x.iter().zip(&mesh.positions).map(|(a, b)| per_second * (*a - *b)).collect();
            let rate = Rate::Since { per_second };
            let at = Moment { positions: x, velocities: &u, time: 0.3, elapsed: 0.01, rate };
            let mut f = vec![DVec3::ZERO; x.len()];
            air.add_forces(&at, &memory, &mut f);
            let mut m = BlockMatrix::<f64>::zero(pattern.clone());
            air.add_jacobian(&at, &memory, Projection::None, &mut Target::Double(&mut m));
            (air.potential(&at, &memory), f, m)
        };
        let (_, f, matrix) = eval(&end);
        let h = 1e-6;
        for k in 0..3 * end.len() {
            let mut unit = vec![DVec3::ZERO; end.len()];
            unit[k / 3][k % 3] = 1.0;
            let shifted = |s: f64| -> Vec<DVec3> { end.iter().zip(&unit).map(|(x, u)| *x + s * *u).collect() };
            let (up, down) = (eval(&shifted(h)), eval(&shifted(-h)));
            let slope = (up.0 - down.0) / (2.0 * h);
            assert!((slope + f[k / 3][k % 3]).abs() < 1e-7, "{slope} {}", f[k / 3][k % 3]);
            let mut column = vec![DVec3::ZERO; end.len()];
            matrix.add_product(&unit, &mut column);
            for i in 0..end.len() {
                let slope = (down.1[i] - up.1[i]) / (2.0 * h);
                assert!((slope - column[i]).length() < 1e-5, "{slope} {}", column[i]);
            }
        }
    }

    /// Gusts have the root mean square that was asked for, and another seed is another day.
    #[test]
    fn gusts_have_their_strength() {
        let wind = Wind { velocity: DVec3::X, gusts: 0.3, period: 1.0, seed: 5 };
        let n = 20_000;
        let mean: f64 = (0..n).map(|i| wind.at(0.01 * f64::from(i)).x).sum::<f64>() / f64::from(n);
        let var: f64 = (0..n).map(|i| (wind.at(0.01 * f64::from(i)).x - 1.0).powi(2)).sum::<f64>() / f64::from(n);
        assert!((mean - 1.0).abs() < 0.01 && (var.sqrt() / 0.3 - 1.0).abs() < 0.05, "{mean} {var}");
        assert_ne!(Wind { seed: 6, ..wind.clone() }.at(1.0), wind.at(1.0));
    }
}
