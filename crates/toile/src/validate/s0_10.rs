//! S0-10: a disk pushed into cloth that is clamped on a round frame. Source: Volino09 Fig. 10, §4.2.
//!
//! The cloth is fixed to the disk, as in the axisymmetric solution that the stored numbers come from (cloth that slips on the disk gives a
//! quarter less): so the ring between disk and frame is simulated, its inner rim moved by δ, and F is the reaction there. No gravity, no
//! bending, isotropic linear law. Hoop tension is nowhere negative, so nothing wrinkles.
//!
//! The reference is solved here for any parameters, as two equations over the rest radius R with a force F that passes every circle:
//!
//! ```text
//! N λ₁ = √(H² + V²)/R,  V = F/2π,  ρ' = λ₁ H/√(H² + V²),  z' = λ₁ V/√(H² + V²),  H' = N₂ ρ/R
//! N = Y(e₁ + νe₂)/(1−ν²),  N₂ = Y(e₂ + νe₁)/(1−ν²),  e₁ = (λ₁²−1)/2,  e₂ = (ρ²/R²−1)/2
//! ```
//!
//! from the disk (ρ = R) to the frame (ρ = R, z = δ), shooting for H and V.

use super::setup;
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, HeatMap, Plot, Series, Style};
use glam::DVec3;
use std::f64::consts::TAU;
use toile_core::fabric::Material;
use toile_core::law::Linear;
use toile_core::mesh::Mesh;
use toile_core::system::{Builder, Motion, State};
use toile_garment::meshing::{self, Options};

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S0-10",
    title: "disk pushed into clamped cloth",
    source: "Volino09 Fig. 10; axisymmetric solution of the same sheet",
    parameters: &[
        Parameter::number("modulus", 1000.0, [1e-3, 1e9], "N/m", "membrane modulus Y"),
        Parameter::number("poisson", 0.3, [0.0, 0.5], "–", "Poisson ratio of the second sheet; the first has none"),
        Parameter::number("disk", 0.03, [1e-3, 1.0], "m", "radius of the disk"),
        Parameter::number("frame", 0.15, [2e-3, 2.0], "m", "radius of the frame"),
        Parameter::number("depth", 0.05, [1e-4, 1.0], "m", "largest depth δ"),
        Parameter::number("steps", 5.0, [1.0, 50.0], "–", "depths up to it"),
        Parameter::number("edge", 5e-3, [1e-3, 0.1], "m", "element size"),
        Parameter::word("mesh", &["structured", "unstructured"], "rings of triangles, or irregular ones"),
    ],
    run,
};

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let (depth, steps) = (settings.number("depth"), settings.count("steps"));
    let mut outcome = Outcome::default();
    let mut series = Vec::new();
    for (k, poisson) in [0.0, settings.number("poisson")].into_iter().enumerate() {
        let ring = Ring::new(settings, poisson)?;
        let pushed = ring.push(depth, steps)?;
        for &[depth, force] in &pushed.forces {
            let quantity = format!("F/Y, ν = {poisson}, δ = {:.1} mm", 1e3 * depth);
            let exact = ring.exact(depth)?;
            outcome.checks.push(Check::against(quantity, force, "m", exact, Tolerance::Relative(0.01)));
        }
        let mut curve = Vec::new();
        for i in 1..=60 {
            let depth = depth * f64::from(i) / 60.0;
            curve.push([1e3 * depth, 1e3 * ring.exact(depth)?]);
        }
        let marks = pushed.forces.iter().map(|p| p.map(|v| 1e3 * v)).collect();
        series.push(Series { colour: Some(k), ..Series::new(format!("ν = {poisson}"), Style::Line, curve) });
        series.push(Series { colour: Some(k), ..Series::new("", Style::Points, marks) });
        outcome.plots.push((format!("strain-{k}"), pushed.map.into()));
    }
    let plot = Plot {
        title: "Disk in clamped cloth: axisymmetric (lines) and triangles (marks)".into(),
        x: Axis::new("depth δ (mm)"),
        y: Axis::new("force F/Y (mm)"),
        series,
        is_equal: false,
    };
    outcome.plots.insert(0, ("force".into(), plot.into()));
    outcome.notes.push("The cloth is fixed to the disk; F is the reaction of the disk.".into());
    Ok(outcome)
}

/// The cloth between disk and frame.
struct Ring {
    mesh: Mesh,
    radii: [f64; 2],
    modulus: f64,
    poisson: f64,
    edge: f64,
}

struct Pushed {
    /// Depth (m) and F/Y (m).
    forces: Vec<[f64; 2]>,
    map: HeatMap,
}

impl Ring {
    fn new(settings: &Settings, poisson: f64) -> Result<Self, ExperimentError> {
        let (radii, edge) = ([settings.number("disk"), settings.number("frame")], settings.number("edge"));
        if radii[1] < radii[0] + 2.0 * edge {
            return Err(ExperimentError::Setup("the frame must be two elements wider than the disk".into()));
        }
        let mesh = match settings.word("mesh") {
            "structured" => rings(radii, edge),
            _ => meshing::annulus(radii[0], radii[1], &Options { jitter: 0.3, seed: 1, ..Options::of_edge(edge) })?,
        };
        Ok(Self { mesh, radii, modulus: settings.number("modulus"), poisson, edge })
    }

    fn push(&self, depth: f64, steps: usize) -> Result<Pushed, ExperimentError> {
        let fabric = setup::fabric(Material::elastic(Linear::isotropic(self.modulus, self.poisson)?), 0.1)?;
        let [inner, outer] = self.radii.map(|r| self.mesh.vertices_where(|p| (p.length() - r).abs() < 1e-6 * r));
        let mut system = Builder::new(&self.mesh, &fabric)
            .bending("none")
            .gravity(DVec3::ZERO)
            .pin("disk", inner)
            .pin("frame", outer)
            .build()?;
        let mut state = system.initial_state();
        let [a, b] = self.radii;
        let mut forces = Vec::new();
        for k in 1..=steps {
            // A cone to start with, since flat cloth has no stiffness across itself; then the last shape, deepened.
            for (x, rest) in state.positions.iter_mut().zip(&self.mesh.positions) {
                let cone = -depth / steps as f64 * (b - rest.length()) / (b - a);
                x.y = if k == 1 { cone } else { x.y * k as f64 / (k - 1) as f64 };
            }
            let depth = depth * k as f64 / steps as f64;
            system.set_motion(0, Motion::shift(-depth * DVec3::Y));
            setup::settle(&system, &mut state, 1e-11 * self.modulus * self.edge)?;
            forces.push([depth, -system.reaction(&state, 0).y / self.modulus]);
        }
        let strains = system.triangle_states(&state).iter().map(|t| setup::principal(tensor(t.strain))).collect();
        Ok(Pushed { forces, map: self.map(&state, depth, strains) })
    }

    /// The deformed mesh from above and to the side.
    fn map(&self, state: &State, depth: f64, strains: Vec<f64>) -> HeatMap {
        let title = format!("Cloth pushed in by {:.0} mm, ν = {}, seen from the side above", 1e3 * depth, self.poisson);
        let view = |p: DVec3| [p.x, 0.5 * -p.z + 0.85 * p.y];
        setup::map([&title, "largest strain (–)"], &self.mesh, state, view, strains)
    }

    /// F/Y (m) at a depth.
    fn exact(&self, depth: f64) -> Result<f64, ExperimentError> {
        let [a, b] = self.radii;
        // A cone of the same depth: N = Y δ²/2(b−a)², H = aN, V = H δ/(b−a).
        let slope = depth / (b - a);
        let mut x = [0.5 * a * slope * slope, 0.5 * a * slope.powi(3)];
        for _ in 0..50 {
            let miss = self.shoot(x, depth);
            let steps = x.map(|v| 1e-6 * v);
            let columns = [0, 1].map(|k| {
                let mut y = x;
                y[k] += steps[k];
                let other = self.shoot(y, depth);
                [0, 1].map(|i| (other[i] - miss[i]) / steps[k])
            });
            let [[p, r], [q, s]] = columns;
            let determinant = p * s - q * r;
            let way = [(s * miss[0] - q * miss[1]) / determinant, (p * miss[1] - r * miss[0]) / determinant];
            // At most half of each: both stay positive.
            let share = (0..2).map(|k| 0.5 * x[k] / way[k].abs()).fold(1.0, f64::min);
            (0..2).for_each(|k| x[k] -= share * way[k]);
            if miss.iter().all(|m| m.abs() < 1e-12 * b) {
                return Ok(TAU * x[1]);
            }
        }
        Err(ExperimentError::Failed(format!("no axisymmetric solution at a depth of {depth} m")))
    }

    /// What is missed at the frame, ρ − b and z − δ (m), with H and V over Y (m) at the disk; Runge–Kutta over the radius.
    fn shoot(&self, [h, v]: [f64; 2], depth: f64) -> [f64; 2] {
        const STEPS: usize = 400;
        let [a, b] = self.radii;
        let step = (b - a) / STEPS as f64;
        let mut x = [a, 0.0, h];
        let add = |x: [f64; 3], s: f64, d: [f64; 3]| [0, 1, 2].map(|k| x[k] + s * d[k]);
        for i in 0..STEPS {
            let r = a + step * i as f64;
            let k1 = self.slopes(r, x, v);
            let k2 = self.slopes(r + 0.5 * step, add(x, 0.5 * step, k1), v);
            let k3 = self.slopes(r + 0.5 * step, add(x, 0.5 * step, k2), v);
            let k4 = self.slopes(r + step, add(x, step, k3), v);
            x = [0, 1, 2].map(|k| x[k] + step / 6.0 * (k1[k] + 2.0 * k2[k] + 2.0 * k3[k] + k4[k]));
        }
        [x[0] - b, x[1] - depth]
    }

    /// ρ', z', H' at a rest radius.
    fn slopes(&self, r: f64, [rho, _, h]: [f64; 3], v: f64) -> [f64; 3] {
        let (nu, plate) = (self.poisson, 1.0 - self.poisson * self.poisson);
        let pull = h.hypot(v);
        let e2 = 0.5 * (rho * rho / (r * r) - 1.0);
        // λ((λ²−1)/2 + νe₂)/(1−ν²) = pull/R, by Newton.
        let mut l = 1.0 + pull / r;
        for _ in 0..30 {
            let miss = l * (0.5 * (l * l - 1.0) + nu * e2) / plate - pull / r;
            l -= miss * plate / (1.5 * l * l - 0.5 + nu * e2);
        }
        let e1 = 0.5 * (l * l - 1.0);
        [l * h / pull, l * v / pull, (e2 + nu * e1) / plate * rho / r]
    }
}

/// Shear as a tensor component.
fn tensor([uu, vv, uv]: [f64; 3]) -> [f64; 3] {
    [uu, vv, 0.5 * uv]
}

/// Rings of triangles that grow with the radius, diagonals alternating.
fn rings([inner, outer]: [f64; 2], edge: f64) -> Mesh {
    // As many around as make elements as wide as high halfway.
    let around = (TAU * 0.5 * (inner + outer) / edge).ceil() as usize;
    let rows = ((outer - inner) / edge).ceil() as usize;
    let mut mesh = Mesh::default();
    for j in 0..=rows {
        let r = inner + (outer - inner) * j as f64 / rows as f64;
        for i in 0..around {
            let angle = TAU * i as f64 / around as f64;
            mesh.positions.push(DVec3::new(r * angle.cos(), 0.0, -r * angle.sin()));
        }
    }
    let vertex = |i: usize, j: usize| (j * around + i % around) as u32;
    for j in 0..rows {
        for i in 0..around {
            let [a, b, c, d] = [vertex(i, j), vertex(i, j + 1), vertex(i + 1, j + 1), vertex(i + 1, j)];
            let cut = if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
            for t in cut {
                mesh.triangles.push(t);
                let place = |v: u32| mesh.positions[v as usize];
                mesh.material.push(t.map(|v| glam::DVec2::new(place(v).x, -place(v).z)));
            }
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::super::reference;
    use super::*;

    /// The stored numbers, from another solution, agree with the one here.
    #[test]
    fn axisymmetric_solution_is_that_of_the_table() {
        let table = reference::table("S0-10").unwrap();
        let column = |name: &str| table.numbers(name).unwrap();
        let (nu, depth, force) = (column("nu"), column("delta_m"), column("F/Y (m)"));
        for i in 0..nu.len() {
            let ring = Ring { poisson: nu[i], ..Ring::new(&Settings::defaults(&EXPERIMENT), 0.0).unwrap() };
            let exact = ring.exact(depth[i]).unwrap();
            assert!((exact / force[i] - 1.0).abs() < 1e-5, "{exact} {}", force[i]);
        }
    }

    #[test]
    fn other_disks_follow_too() {
        let changes = [
            ("modulus", "70"),
            ("poisson", "0.45"),
            ("disk", "0.02"),
            ("frame", "0.08"),
            ("edge", "0.002"),
            ("steps", "2"),
        ];
        setup::expect_bands(&EXPERIMENT, &changes);
    }
}
