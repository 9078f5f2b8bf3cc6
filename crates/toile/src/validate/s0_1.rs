//! S0-1: uniaxial stretch of the Green–Lagrange strain with a linear law. Source: Volino09 Fig. 2.
//!
//! The sheet is laid out stretched by λ along the weft, with the lateral stretch √(1−2νe), e = (λ²−1)/2, that leaves its sides
//! free, and the system says what force its moved edge needs: f = Y w λ(λ²−1)/2 for any Poisson ratio. It falls to −Y w/3√3
//! at λ = 1/√3 and rises to nothing at λ = 0: a sheet crushed further no longer resists. That is why the uniform state is
//! laid out, not sought: beyond the minimum it is an equilibrium that no search would find. Nothing may pull at other nodes.

use super::reference;
use super::setup::{self, MESH};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};
use glam::DVec3;
use toile_core::fabric::Material;
use toile_core::law::Linear;
use toile_core::mesh::Mesh;
use toile_core::system::System;

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S0-1",
    title: "force of a uniaxial stretch, from crushed to 1.6",
    source: "Volino09 Fig. 2, closed form",
    parameters: &[
        Parameter::number("modulus", 1000.0, [1e-3, 1e9], "N/m", "membrane modulus Y"),
        Parameter::number("poisson", 0.0, [-0.9, 0.9], "–", "Poisson ratio ν"),
        Parameter::number("length", 0.1, [1e-3, 10.0], "m", "rest length along the pull"),
        Parameter::number("width", 0.05, [1e-3, 10.0], "m", "rest width w"),
        Parameter::number("low", 0.05, [1e-3, 0.99], "–", "smallest stretch"),
        Parameter::number("high", 1.6, [1.01, 5.0], "–", "largest stretch"),
        Parameter::number("divisions", 4.0, [1.0, 100.0], "–", "elements along the width"),
        MESH,
    ],
    run,
};

/// Summation of some hundred forces in double precision leaves 1e-13; 1e-9 is the band of the experiment.
const BAND: Tolerance = Tolerance::Relative(1e-9);

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let (modulus, poisson) = (settings.number("modulus"), settings.number("poisson"));
    let (low, high) = (settings.number("low"), settings.number("high"));
    let scale = modulus * settings.number("width");
    let sample = Sample::new(settings)?;
    if !(poisson * strain(high) < 0.5 && poisson * strain(low) < 0.5) {
        return Err(ExperimentError::Setup(format!("ν = {poisson}: the sides would meet before a stretch of {high}")));
    }
    // f/(Y w), as the figure has it.
    let force = |stretch: f64| sample.pull(stretch).0 / scale;
    let exact = |stretch: f64| stretch * strain(stretch);
    let stretches = (0..=31).map(|k| low + (high - low) * f64::from(k) / 31.0);
    let measured: Vec<[f64; 2]> = stretches.map(|l| [l, force(l)]).collect();
    let mut checks = Vec::new();
    for &[l, f] in measured.iter().filter(|p| exact(p[0]) != 0.0) {
        checks.push(Check::against(format!("f/(Y w) at λ = {l:.3}"), f, "–", exact(l), BAND));
    }
    let astray = measured.iter().map(|p| sample.pull(p[0]).1 / scale).fold(0.0, f64::max);
    let quantity = "largest force on a node that nothing holds, over Y w";
    checks.push(Check::against(quantity, astray, "–", 0.0, Tolerance::Absolute(1e-12)));
    let table = reference::table("S0-1")?;
    for [l, f] in table.points("stretch", "force_per_width/Y")? {
        if poisson * strain(l) < 0.5 {
            // The table has nine digits.
            let quantity = format!("f/(Y w) at the stored λ = {l}");
            checks.push(Check::against(quantity, force(l), "–", f, Tolerance::Absolute(6e-10)));
        }
    }
    if poisson * strain(1e-9) < 0.5 {
        let (at, least) = minimum(&force, 0.2, 1.0);
        checks.push(Check::against("minimum of f/(Y w)", least, "–", -1.0 / 27f64.sqrt(), BAND));
        // A minimum is flat: its place is known to the root of the precision.
        checks.push(Check::against("λ of the minimum", at, "–", 1.0 / 3f64.sqrt(), Tolerance::Relative(1e-6)));
        checks.push(Check::against("f/(Y w) at λ = 1e-9", force(1e-9), "–", -5e-10, BAND));
    }
    let curve = (0..=200).map(|k| low + (high - low) * f64::from(k) / 200.0).map(|l| [l, exact(l)]).collect();
    let plot = Plot {
        title: "Uniaxial stretch, linear law of Green–Lagrange strain".into(),
        x: Axis::new("stretch λ (–)"),
        y: Axis::new("force f/(Y w) (–)"),
        series: vec![
            Series::new("λ(λ²−1)/2", Style::Line, curve),
            Series::new("measured", Style::Points, measured),
            Series::new("spring: λ − 1", Style::Dashed, vec![[low, low - 1.0], [high, high - 1.0]]),
        ],
        is_equal: false,
    };
    Ok(Outcome { checks, plots: vec![("force".into(), plot.into())], notes: Vec::new() })
}

/// Green–Lagrange strain of a stretch.
fn strain(stretch: f64) -> f64 {
    0.5 * (stretch * stretch - 1.0)
}

/// A sheet to be laid out.
struct Sample {
    mesh: Mesh,
    system: System,
    poisson: f64,
}

impl Sample {
    fn new(settings: &Settings) -> Result<Self, ExperimentError> {
        let size = [settings.number("length"), settings.number("width")];
        let poisson = settings.number("poisson");
        let mesh = setup::rectangle(settings.word("mesh"), size, size[1] / settings.number("divisions").round())?;
        let law = Linear::isotropic(settings.number("modulus"), poisson)?;
        let fabric = setup::fabric(Material::elastic(law), 0.1)?;
        let system = setup::in_plane(&mesh, &fabric).build()?;
        Ok(Self { mesh, system, poisson })
    }

    /// Force (N) that holds the far edge of the sheet stretched uniformly along u with free sides, and the largest force on a
    /// node that nothing holds.
    fn pull(&self, stretch: f64) -> (f64, f64) {
        let lateral = (1.0 - 2.0 * self.poisson * strain(stretch)).sqrt();
        let far = self.mesh.positions.iter().map(|p| p.x).fold(0.0, f64::max);
        let mut state = self.system.initial_state();
        for x in &mut state.positions {
            *x = DVec3::new(stretch * x.x, 0.0, lateral * x.z);
        }
        let (mut total, mut astray) = (0.0, 0f64);
        for (rest, force) in self.mesh.positions.iter().zip(self.system.total_forces(&state)) {
            if rest.x == far {
                total -= force.x;
            }
            astray = astray.max(if rest.x == 0.0 || rest.x == far { force.z.abs() } else { force.length() });
        }
        (total, astray)
    }
}

/// Place and value of the minimum of a function with one valley, by golden section.
fn minimum(f: &impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> (f64, f64) {
    let ratio = 0.5 * (5f64.sqrt() - 1.0);
    for _ in 0..60 {
        let (a, b) = (high - ratio * (high - low), low + ratio * (high - low));
        if f(a) < f(b) {
            high = b;
        } else {
            low = a;
        }
    }
    let at = 0.5 * (low + high);
    (at, f(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Other sizes, meshes and Poisson ratios follow the same closed form.
    #[test]
    fn closed_form_holds_for_other_parameters() {
        for (mesh, poisson) in [("structured", "0.3"), ("unstructured", "0"), ("unstructured", "0.4")] {
            let mut settings = Settings::defaults(&EXPERIMENT);
            for (name, value) in [("mesh", mesh), ("poisson", poisson), ("modulus", "37"), ("width", "0.23")] {
                settings.set(name, value).unwrap();
            }
            let outcome = run(&settings).unwrap();
            assert!(outcome.pass() && outcome.checks.len() > 30, "{mesh} {poisson}: {:?}", outcome.checks);
        }
    }

    #[test]
    fn impossible_sides_are_refused() {
        let mut settings = Settings::defaults(&EXPERIMENT);
        settings.set("poisson", "0.9").unwrap();
        settings.set("high", "2").unwrap();
        assert!(matches!(run(&settings), Err(ExperimentError::Setup(_))));
    }
}
