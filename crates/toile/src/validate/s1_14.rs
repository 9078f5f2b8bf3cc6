//! S1-14: friction alone holds a waistband. Source: Volino05 part 2 §4 (trousers that stay up without attachment); closed form: a band of
//! rest width w and hoop force N per rest length presses with 2πN w, and holds a weight W iff μ·2πN w ≥ W.
//!
//! The band is a tube stretched over an upright cylinder, with the mass of the trousers in it. First it comes to rest without weight, and
//! its normal force is read off contact; the coefficients of friction are then chosen as 1.2 and 0.8 times what would just do. Sticking
//! friction creeps by less than its stick speed; too little of it, s times enough, lets the band slide by g(1−s)t²/2.

use super::setup::{self, MESH};
use super::touching::{Touch, Touching, along_radius, cylinder, tube};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};
use glam::DVec3;
use std::f64::consts::TAU;
use toile_core::fabric::Material;
use toile_core::integrate::{Options, Precision};
use toile_core::law::Linear;
use toile_core::mesh::Mesh;
use toile_core::system::{Builder, System};

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S1-14",
    title: "friction holds trousers at the waist",
    source: "Volino05 part 2 §4, closed form of the band's normal force",
    parameters: &[
        Parameter::number("stretch", 1.1, [1.01, 1.4], "–", "hoop stretch λ of the band"),
        Parameter::number("modulus", 500.0, [10.0, 1e5], "N/m", "membrane modulus Y"),
        Parameter::number("radius", 0.12, [0.02, 0.5], "m", "radius of the waist"),
        Parameter::number("width", 0.04, [5e-3, 0.2], "m", "rest width w of the band"),
        Parameter::number("weight", 4.0, [0.01, 100.0], "N", "weight W"),
        Parameter::number("over", 1.2, [1.05, 3.0], "–", "friction over what just holds, that must hold"),
        Parameter::number("under", 0.8, [0.1, 0.95], "–", "friction over what just holds, that must slide"),
        Parameter::number("duration", 5.0, [0.5, 20.0], "s", "time"),
        Parameter::number("step", 0.05, [1e-3, 0.1], "s", "time step"),
        Parameter::number("divisions", 64.0, [24.0, 200.0], "–", "elements around"),
        MESH,
    ],
    run,
};

const GRAVITY: f64 = 9.81;
/// Way at which a sliding band counts as lost (m).
const LOST: f64 = 0.3;

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let band = Band::new(settings)?;
    let (weight, width, modulus) = (settings.number("weight"), settings.number("width"), settings.number("modulus"));
    let mut rested = band.rested()?;
    let (normal, stretch) = band.worn(&mut rested);
    let hoop = modulus * 0.5 * stretch * (stretch * stretch - 1.0);
    let mut outcome = Outcome::default();
    let quantity = format!("normal force of the band, λ = {stretch:.4}");
    outcome.checks.push(Check::against(quantity, normal, "N", TAU * hoop * width, Tolerance::Relative(0.01)));
    let mut series = Vec::new();
    for (must_hold, share) in [(true, settings.number("over")), (false, settings.number("under"))] {
        let friction = share * weight / normal;
        let slip = band.slip(&rested, friction, must_hold, settings)?;
        let [time, way] = slip[slip.len() - 1];
        let case = format!("{share} times enough (μ = {friction:.3})");
        outcome.checks.push(if must_hold {
            Check::against(format!("slip: {case}"), 1e3 * way, "mm", 1.0, Tolerance::AtMost)
        } else {
            let exact = 0.5 * GRAVITY * (1.0 - share) * time * time;
            Check::against(
                format!("slip after {time:.2} s: {case}"),
                1e3 * way,
                "mm",
                1e3 * exact,
                Tolerance::Relative(0.05),
            )
        });
        let points = slip.iter().map(|p| [p[0], 1e3 * p[1]]).collect();
        series.push(Series::new(format!("friction {case}"), Style::Line, points));
    }
    let end = settings.number("duration");
    series.push(Series::new("limit of holding", Style::Dashed, vec![[0.0, 1.0], [end, 1.0]]));
    let plot = Plot {
        title: "Waistband with a weight on it".into(),
        x: Axis::new("time (s)"),
        y: Axis { range: Some([0.0, 3.0]), ..Axis::new("slip (mm)") },
        series,
        is_equal: false,
    };
    outcome.plots.push(("slip".into(), plot.into()));
    Ok(outcome)
}

/// The band on its waist, z down.
struct Band {
    mesh: Mesh,
    modulus: f64,
    radius: f64,
    width: f64,
    edge: f64,
    /// Mass per area (kg/m²).
    density: f64,
    touch: Touch,
    total: f64,
}

impl Band {
    fn new(settings: &Settings) -> Result<Self, ExperimentError> {
        let [radius, width, stretch, modulus] =
            ["radius", "width", "stretch", "modulus"].map(|name| settings.number(name));
        let edge = TAU * radius / settings.number("divisions").round();
        let touch = Touch::smooth(1e-3);
        let middle = radius + touch.distance(edge, radius);
        let mesh = tube(settings.word("mesh"), [TAU * middle / stretch, width], edge / stretch, middle)?;
        let density = settings.number("weight") / (GRAVITY * mesh.total_rest_area());
        let total = TAU * modulus * 0.5 * stretch * (stretch * stretch - 1.0) * width;
        Ok(Self { mesh, modulus, radius, width, edge, density, touch, total })
    }

    fn among(&self, gravity: f64, friction: f64, scheme: &str) -> Result<Touching, ExperimentError> {
        let fabric = setup::fabric(Material::elastic(Linear::isotropic(self.modulus, 0.0)?), self.density)?;
        let system: System =
            Builder::new(&self.mesh, &fabric).bending("midedge-quadratic").gravity(gravity * DVec3::Z).build()?;
        let options = Options {
            precision: Precision::Double,
            tolerance: 1e-3,
            linear_tolerance: 1e-4,
            max_newton: 200,
            max_linear: 4000,
            ..Options::named(scheme).unwrap_or_default()
        };
        let touch = Touch { friction, ..self.touch };
        let bar = cylinder(self.radius, 10.0 * self.width + 1.0);
        Ok(Touching::new(&self.mesh, system, vec![bar], touch, options))
    }

    fn rested(&self) -> Result<Touching, ExperimentError> {
        let mut scene = self.among(0.0, 0.0, "backward-euler")?;
        let node = self.total / (TAU * self.radius / self.edge) * self.edge / self.width;
        scene.rest(0.03 * node, 1e-3 * self.total)?;
        Ok(scene)
    }

    /// Normal force (N) and hoop stretch of the band without its weight.
    fn worn(&self, scene: &mut Touching) -> (f64, f64) {
        let forces = scene.contact_forces();
        let normal = forces.iter().zip(&scene.state.positions).map(|(f, p)| along_radius(*f, *p)).sum();
        let strains = scene.system.triangle_states(&scene.state);
        let hoop = |t: usize| self.mesh.rest_area(t) * (1.0 + 2.0 * strains[t].strain[0]).sqrt();
        let stretch = (0..strains.len()).map(hoop).sum::<f64>() / self.mesh.total_rest_area();
        (normal, stretch)
    }

    /// Way down (m) of the band's middle over time (s), until it is lost. Sliding is followed in shorter steps, exact for a steady
    /// acceleration but for the first.
    fn slip(
        &self,
        level: &Touching,
        friction: f64,
        must_hold: bool,
        settings: &Settings,
    ) -> Result<Vec<[f64; 2]>, ExperimentError> {
        let mut scene = self.among(GRAVITY, friction, if must_hold { "backward-euler" } else { "bdf2" })?;
        scene.state.positions.clone_from(&level.state.positions);
        scene.state.contact.clone_from(&level.state.contact);
        let count = self.mesh.vertex_count();
        let middle = |places: &[DVec3]| places[..count].iter().map(|p| p.z).sum::<f64>() / count as f64;
        let start = middle(&scene.state.positions);
        let mut integrator = scene.integrator()?;
        let dt = settings.number("step") * if must_hold { 1.0 } else { 0.2 };
        let mut slip = vec![[0.0; 2]];
        for k in 1..=(settings.number("duration") / dt).round().max(2.0) as usize {
            scene.step(&mut integrator, dt)?;
            let way = middle(&scene.state.positions) - start;
            slip.push([k as f64 * dt, way]);
            if way > LOST {
                break;
            }
        }
        Ok(slip)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_bands_hold_and_slide() {
        let changes = [
            ("stretch", "1.2"),
            ("radius", "0.08"),
            ("weight", "2"),
            ("duration", "1"),
            ("over", "1.3"),
            ("divisions", "40"),
        ];
        setup::expect_bands(&EXPERIMENT, &changes);
    }
}
