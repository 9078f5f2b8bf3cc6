//! M-07: pressure of a graduated compression sleeve on a rigid cylinder, in mmHg. Source: Laplace06, p = T/r with T the hoop tension per
//! length as it is and r the radius; 1 mmHg = 133.322 Pa, so 50 N/m on 5 cm press with 7.50 mmHg.
//!
//! The sleeve is knitted to measure: at every height its rest circumference is such that stretched over the limb it carries the wanted
//! tension, Y λe = T with e = (λ²−1)/2. It is smooth and free at its ends; without contraction (ν = 0) its length stays. Rings of
//! different tension shear each other in nothing but second order. The law holds on rigid cylinders, not on soft or small limbs.

use super::setup::{self, MESH};
use super::touching::{Touch, Touching, along_radius, cylinder, radius, tube};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, HeatMap, Plot, Series, Style};
use glam::DVec3;
use std::f64::consts::TAU;
use toile_core::fabric::Material;
use toile_core::integrate::Options;
use toile_core::law::Linear;
use toile_core::mesh::Mesh;
use toile_core::system::Builder;

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "M-07",
    title: "pressure of a compression sleeve in mmHg",
    source: "Laplace06 (pressure under a stretched surface), closed form",
    parameters: &[
        Parameter::number("tension_low", 50.0, [1.0, 1000.0], "N/m", "hoop tension T at the lower end"),
        Parameter::number("tension_high", 30.0, [1.0, 1000.0], "N/m", "hoop tension at the upper end"),
        Parameter::number("radius", 0.05, [0.01, 0.5], "m", "radius of the limb, to the middle of the cloth"),
        Parameter::number("length", 0.12, [0.02, 1.0], "m", "length of the sleeve"),
        Parameter::number("modulus", 200.0, [10.0, 1e4], "N/m", "membrane modulus Y"),
        Parameter::number("divisions", 64.0, [24.0, 400.0], "–", "elements around"),
        MESH,
    ],
    run,
};

/// Pascals in a millimetre of mercury.
const MMHG: f64 = 133.322;
/// Parts of the length that pressures are compared on.
const BANDS: usize = 4;

/// Stretch λ at which λ(λ²−1)/2 reaches a tension over Y.
fn stretch(tension: f64) -> f64 {
    let mut x = 1.0 + tension / (1.0 + tension);
    for _ in 0..60 {
        x -= (0.5 * x * (x * x - 1.0) - tension) / (1.5 * x * x - 0.5);
    }
    x
}

/// A sleeve on its limb.
struct Worn {
    mesh: Mesh,
    places: Vec<DVec3>,
    /// Force on the limb at each vertex (N).
    forces: Vec<f64>,
    /// Area of each vertex as it is (m²).
    areas: Vec<f64>,
    /// Hoop stretch of each triangle.
    stretches: Vec<f64>,
}

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let (bar, length, modulus) = (settings.number("radius"), settings.number("length"), settings.number("modulus"));
    let ends = [settings.number("tension_low"), settings.number("tension_high")];
    let tension = |z: f64| ends[0] + (ends[1] - ends[0]) * (z / length + 0.5);
    let worn = wear(settings, &tension)?;
    let mut outcome = Outcome::default();
    let mut profile = Vec::new();
    for k in 0..BANDS {
        let middle = ((k as f64 + 0.5) / BANDS as f64 - 0.5) * length;
        let band = |z: f64| (((z / length + 0.5) * BANDS as f64) as usize).min(BANDS - 1) == k;
        let ordered = |v: usize| worn.areas[v] * tension(worn.mesh.positions[v].z) / bar;
        let pressure = worn.pressure(&band, &|v| worn.forces[v]) / MMHG;
        let wanted = worn.pressure(&band, &ordered) / MMHG;
        let name = format!("pressure about {:.0} mm", 1e3 * (middle + 0.5 * length));
        let one = Tolerance::Relative(0.01);
        outcome.checks.push(Check::against(&name, pressure, "mmHg", wanted, one));
        let found = worn.laplace(&band, modulus) / MMHG;
        outcome.checks.push(Check::against(format!("{name}, by its own T/r"), pressure, "mmHg", found, one));
        profile.push([1e3 * (middle + 0.5 * length), pressure]);
    }
    let law = [-0.5, 0.5].map(|z| [1e3 * (z + 0.5) * length, tension(z * length) / bar / MMHG]).to_vec();
    let series = vec![Series::new("T/r", Style::Line, law), Series::new("contact", Style::Points, profile)];
    outcome.plots.push(("map".into(), worn.map(bar).into()));
    outcome.plots.push(("profile".into(), plot(series).into()));
    outcome
        .notes
        .push("The wanted T/r is that of the limb as ordered; the own one has stretch and radius as found.".into());
    Ok(outcome)
}

fn plot(series: Vec<Series>) -> Plot {
    Plot {
        title: "Graduated sleeve: Laplace's law and contact".into(),
        x: Axis::new("height along the limb (mm)"),
        y: Axis::new("pressure (mmHg)"),
        series,
        is_equal: false,
    }
}

fn wear(settings: &Settings, tension: &dyn Fn(f64) -> f64) -> Result<Worn, ExperimentError> {
    let (bar, length, modulus) = (settings.number("radius"), settings.number("length"), settings.number("modulus"));
    let divisions = settings.number("divisions").round();
    let edge = TAU * bar / divisions;
    let touch = Touch::smooth(5e-5);
    let mut mesh = tube(settings.word("mesh"), [TAU * bar, length], edge, bar + touch.distance(edge, bar))?;
    for (t, corners) in mesh.triangles.iter().zip(&mut mesh.material) {
        let z = t.iter().map(|&v| mesh.positions[v as usize].z).sum::<f64>() / 3.0;
        corners.iter_mut().for_each(|c| c.x /= stretch(tension(z) / modulus));
    }
    let fabric = setup::fabric(Material::elastic(Linear::isotropic(modulus, 0.0)?), 0.1)?;
    let system = Builder::new(&mesh, &fabric).bending("midedge-quadratic").gravity(DVec3::ZERO).build()?;
    // The polygon touches with the middles of its sides: the circle as long as it has 1 + x²/3 times their radius, x = π/n.
    let inside = bar * (1.0 - (0.5 * TAU / divisions).powi(2) / 3.0) - 0.5 * touch.thickness - 0.3 * touch.reach;
    let mut scene = Touching::new(&mesh, system, vec![cylinder(inside, length)], touch, Options::default());
    let total = tension(0.0) * TAU * length;
    scene.rest(0.01 * total / divisions * edge / length, 5e-4 * total)?;
    let forces = scene.contact_forces();
    let places = scene.state.positions[..mesh.vertex_count()].to_vec();
    let forces = forces.iter().zip(&places).map(|(f, p)| along_radius(*f, *p)).collect();
    let strains = scene.system.triangle_states(&scene.state);
    let stretches = strains.iter().map(|s| (1.0 + 2.0 * s.strain[0]).sqrt()).collect();
    let mut areas = vec![0.0; places.len()];
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|v| places[v as usize]);
        t.iter().for_each(|&v| areas[v as usize] += (b - a).cross(c - a).length() / 6.0);
    }
    Ok(Worn { mesh, places, forces, areas, stretches })
}

impl Worn {
    /// Mean pressure on the vertices of a band (Pa) that forces (N) on them make.
    fn pressure(&self, band: &dyn Fn(f64) -> bool, force: &dyn Fn(usize) -> f64) -> f64 {
        let mut sums = [0.0; 2];
        for v in (0..self.places.len()).filter(|&v| band(self.mesh.positions[v].z)) {
            sums[0] += force(v);
            sums[1] += self.areas[v];
        }
        sums[0] / sums[1]
    }

    /// T/r of a band from the stretch and radius found (Pa): Y λe over the length as it is, which ν = 0 leaves at rest.
    fn laplace(&self, band: &dyn Fn(f64) -> bool, modulus: f64) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        for (t, l) in self.mesh.triangles.iter().zip(&self.stretches) {
            let corners = t.map(|v| v as usize);
            if corners.iter().all(|&v| band(self.mesh.positions[v].z)) {
                let r = corners.iter().map(|&v| radius(self.places[v])).sum::<f64>() / 3.0;
                sum += modulus * 0.5 * l * (l * l - 1.0) / r;
                count += 1.0;
            }
        }
        sum / count
    }

    /// The unrolled sleeve.
    fn map(&self, bar: f64) -> HeatMap {
        let unrolled = |v: u32, seam: f64| {
            let p = self.places[v as usize];
            let angle = p.x.atan2(p.y);
            // A triangle across the seam keeps to one side of it.
            let turns = ((seam - angle) / TAU).round();
            [bar * (angle + turns * TAU), p.z]
        };
        let triangle = |t: &[u32; 3]| {
            let first = self.places[t[0] as usize];
            t.map(|v| unrolled(v, first.x.atan2(first.y)))
        };
        let value = |t: &[u32; 3]| {
            let sums = t.iter().fold([0.0; 2], |s, &v| [s[0] + self.forces[v as usize], s[1] + self.areas[v as usize]]);
            sums[0] / sums[1] / MMHG
        };
        HeatMap {
            title: "Compression sleeve, unrolled".into(),
            label: "pressure (mmHg)".into(),
            triangles: self.mesh.triangles.iter().map(triangle).collect(),
            values: self.mesh.triangles.iter().map(value).collect(),
            range: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tension_is_turned_into_stretch_and_millimetres_of_mercury() {
        for tension in [1e-3, 0.1155, 0.672, 3.0] {
            let l = stretch(tension);
            assert!((0.5 * l * (l * l - 1.0) - tension).abs() < 1e-12 * tension.max(1.0));
        }
        assert!((50.0 / 0.05 / MMHG - 7.50).abs() < 1e-3);
    }

    #[test]
    fn other_sleeves_follow_too() {
        let changes =
            [("tension_low", "20"), ("tension_high", "35"), ("radius", "0.03"), ("length", "0.06"), ("modulus", "120")];
        setup::expect_bands(&EXPERIMENT, &changes);
    }
}
