//! M-05: a tube of cloth on a rigid cylinder that is too large for it, without friction. Closed form of the Saint Venant–Kirchhoff
//! sheet and of Laplace's law, with λ the hoop stretch, e = (λ²−1)/2, and p the pressure on the cylinder:
//!
//! ```text
//! N = Y λe                          hoop force per rest length, ends free
//! p r/Y = λe/√(1−2νe)               per length as it is: the free tube shortens by √(1−2νe)
//! p r/Y = λe/(1−ν²)                 length held
//! ```
//!
//! The pressure is the sum of the contact forces along the radius over the area 2πr·l of the tube as it is. r is the radius of the
//! middle of the cloth, as found: that of the circle as long as the polygon around. It is larger than that of the cylinder by half the
//! thickness and the gap.

use super::setup::{self, MESH};
use super::touching::{Touch, Touching, along_radius, cylinder, tube};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};
use glam::DVec3;
use std::f64::consts::TAU;
use toile_core::fabric::Material;
use toile_core::integrate::Options;
use toile_core::law::Linear;
use toile_core::membrane::TriangleState;
use toile_core::system::Builder;

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "M-05",
    title: "pressure of a tube on a cylinder",
    source: "Laplace06 (law of the stretched membrane) with Volino09 eq. (3), closed form",
    parameters: &[
        Parameter::number("modulus", 1000.0, [1.0, 1e6], "N/m", "membrane modulus Y"),
        Parameter::number("poisson", 0.3, [0.0, 0.5], "–", "Poisson ratio of the second tube; the first has none"),
        Parameter::number("low", 1.02, [1.005, 1.4], "–", "smallest hoop stretch λ"),
        Parameter::number("high", 1.4, [1.005, 1.4], "–", "largest hoop stretch"),
        Parameter::number("steps", 4.0, [2.0, 50.0], "–", "stretches"),
        Parameter::number("radius", 0.05, [5e-3, 1.0], "m", "radius of the cylinder"),
        Parameter::number("length", 0.03, [1e-3, 1.0], "m", "rest length of the tube"),
        Parameter::number("divisions", 64.0, [12.0, 400.0], "–", "elements around"),
        Parameter::number("reach", 2e-4, [1e-5, 2e-3], "m", "reach of the contact"),
        MESH,
    ],
    run,
};

/// What a tube does along its length.
#[derive(Clone, Copy, PartialEq)]
enum Ends {
    Free,
    Held,
}

impl Ends {
    /// p r/Y and the axial stretch.
    fn exact(self, poisson: f64, stretch: f64) -> [f64; 2] {
        let e = 0.5 * (stretch * stretch - 1.0);
        match self {
            Self::Free => {
                let axial = (1.0 - 2.0 * poisson * e).sqrt();
                [stretch * e / axial, axial]
            }
            Self::Held => [stretch * e / (1.0 - poisson * poisson), 1.0],
        }
    }
}

/// A tube at rest on its cylinder.
struct Seated {
    /// Hoop stretch of the middle of the cloth.
    stretch: f64,
    /// Its distance from the cylinder (m).
    gap: f64,
    /// p r/Y.
    pressure: f64,
    /// Axial stretch.
    axial: f64,
}

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let (low, high, steps) = (settings.number("low"), settings.number("high"), settings.count("steps"));
    let mut outcome = Outcome::default();
    let (mut series, mut farthest) = (Vec::new(), 0f64);
    let cases = [(0.0, Ends::Free), (settings.number("poisson"), Ends::Free), (settings.number("poisson"), Ends::Held)];
    for (k, (poisson, ends)) in cases.into_iter().enumerate() {
        let name = format!("ν = {poisson}, {}", if ends == Ends::Free { "ends free" } else { "length held" });
        let mut measured = Vec::new();
        for step in 0..steps {
            let wanted = low + (high - low) * step as f64 / (steps - 1) as f64;
            let seated = seat(settings, poisson, ends, wanted)?;
            let [pressure, axial] = ends.exact(poisson, seated.stretch);
            let case = format!("{name}, λ = {:.4}", seated.stretch);
            let one = Tolerance::Relative(0.01);
            outcome.checks.push(Check::against(format!("p r/Y: {case}"), seated.pressure, "–", pressure, one));
            if ends == Ends::Free {
                outcome.checks.push(Check::against(format!("axial stretch: {case}"), seated.axial, "–", axial, one));
            }
            farthest = farthest.max(seated.gap);
            measured.push([seated.stretch, seated.pressure]);
        }
        let at = |i: i32| 1.0 + (high - 1.0) * f64::from(i) / 200.0;
        let curve = (0..=200).map(|i| [at(i), ends.exact(poisson, at(i))[0]]).collect();
        series.push(Series { colour: Some(k), ..Series::new(name, Style::Line, curve) });
        series.push(Series { colour: Some(k), ..Series::new("", Style::Points, measured) });
    }
    let quantity = "largest distance of the middle of the cloth from the cylinder";
    outcome.checks.push(Check::report(quantity, 1e3 * farthest, "mm"));
    outcome.plots.push(("pressure".into(), plot(series).into()));
    outcome.notes.push("λ is that of the middle of the cloth as found, gap and half thickness included.".into());
    Ok(outcome)
}

fn plot(series: Vec<Series>) -> Plot {
    Plot {
        title: "Tube on a cylinder: closed form (lines) and contact (marks)".into(),
        x: Axis::new("hoop stretch λ (–)"),
        y: Axis::new("pressure p r/Y (–)"),
        series,
        is_equal: false,
    }
}

fn seat(settings: &Settings, poisson: f64, ends: Ends, stretch: f64) -> Result<Seated, ExperimentError> {
    let (modulus, length) = (settings.number("modulus"), settings.number("length"));
    let (bar, divisions) = (settings.number("radius"), settings.number("divisions").round());
    let touch = Touch::smooth(settings.number("reach"));
    let middle = bar + touch.distance(TAU * bar / divisions, bar);
    let around = TAU * middle / stretch;
    let edge = around / divisions;
    let mesh = tube(settings.word("mesh"), [around, length], edge, middle)?;
    let fabric = setup::fabric(Material::elastic(Linear::isotropic(modulus, poisson)?), 0.1)?;
    let rims = mesh.vertices_where(|p| p.z.abs() > (0.5 - 1e-9) * length);
    let mut builder = Builder::new(&mesh, &fabric).bending("midedge-quadratic").gravity(DVec3::ZERO);
    if ends == Ends::Held {
        builder = builder.grip("rims", rims.clone(), [false, false, true]);
    }
    let mut scene = Touching::new(&mesh, builder.build()?, vec![cylinder(bar, length)], touch, Options::default());
    // What is left on a node is in the mean 0.3 % of what it presses with, 2N sin(π/n) over the length of an element; the sum, which the
    // pressure is made of, is a hundred times tighter than its band.
    let total = ends.exact(poisson, stretch)[0] * modulus * TAU * length;
    scene.rest(3e-3 * total / divisions * edge / length, 1e-4 * total)?;
    let forces = scene.contact_forces();
    let places = &scene.state.positions;
    let total: f64 = forces.iter().zip(places).map(|(f, p)| along_radius(*f, *p)).sum();
    let axial = rims.iter().map(|&v| places[v as usize].z.abs()).sum::<f64>() / (0.5 * length * rims.len() as f64);
    let strains = scene.system.triangle_states(&scene.state);
    let hoop = |(t, s): (usize, &TriangleState)| mesh.rest_area(t) * (1.0 + 2.0 * s.strain[0]).sqrt();
    let stretch = strains.iter().enumerate().map(hoop).sum::<f64>() / mesh.total_rest_area();
    // p r = F/(2π l)
    let pressure = total / (TAU * axial * length) / modulus;
    Ok(Seated { stretch, gap: stretch * around / TAU - bar, pressure, axial })
}

#[cfg(test)]
mod tests {
    use super::super::reference;
    use super::*;

    /// The stored table, made elsewhere, agrees with the closed form.
    #[test]
    fn closed_form_is_that_of_the_table() {
        let table = reference::table("M-05").unwrap();
        let column = |name: &str| table.numbers(name).unwrap();
        let (nu, stretch) = (column("nu"), column("hoop_stretch"));
        let (free, held) = (column("p*Rc/Y free_ends"), column("p*Rc/Y axial_length_held"));
        for i in 0..nu.len() {
            assert!((Ends::Free.exact(nu[i], stretch[i])[0] / free[i] - 1.0).abs() < 1e-8);
            assert!((Ends::Held.exact(nu[i], stretch[i])[0] / held[i] - 1.0).abs() < 1e-8);
        }
    }

    #[test]
    fn other_tubes_follow_too() {
        let changes = [("modulus", "150"), ("poisson", "0.2"), ("radius", "0.02"), ("length", "0.01"), ("steps", "2")];
        setup::expect_bands(&EXPERIMENT, &changes);
    }
}
