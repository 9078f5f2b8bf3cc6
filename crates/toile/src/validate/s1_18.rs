//! S1-18: a strip that hardly stretches hung between two points (catenary). Source: Cordier05 eqs. (1)–(5), Fig. 4; without bending
//! y = a cosh(x/a), sag a(cosh(r/a) − 1), length 2a sinh(r/a), with 2r the distance of the points.
//!
//! A sheet of modulus Y stretches by about σgL/Y: chosen so small that sag and length agree to a tenth of their band.

use super::setup::{self, MESH};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};
use glam::DVec3;
use toile_core::fabric::Material;
use toile_core::integrate::{StaticOptions, relax};
use toile_core::law::Linear;
use toile_core::system::Builder;

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S1-18",
    title: "strip hung between two points",
    source: "Cordier05 eqs. (1)-(5), closed form of the catenary",
    parameters: &[
        Parameter::number("length", 1.0, [0.05, 10.0], "m", "length L of the strip"),
        Parameter::number("span_low", 0.3, [0.05, 0.99], "–", "first of three distances of the points over L"),
        Parameter::number("span_high", 0.95, [0.05, 0.99], "–", "last of three distances over L"),
        Parameter::number("width", 0.02, [1e-3, 1.0], "m", "width of the strip"),
        Parameter::number("density", 0.1, [1e-3, 10.0], "kg/m²", "mass per area σ"),
        Parameter::number("stretch", 1e-5, [1e-8, 1e-2], "–", "weight over stiffness σgL/Y"),
        Parameter::number("divisions", 140.0, [8.0, 1000.0], "–", "elements along the strip"),
        MESH,
    ],
    run,
};

const GRAVITY: f64 = 9.81;

/// a over r of a catenary whose length is `ratio` times the distance of its ends: a sinh(1/a) = ratio.
fn parameter(ratio: f64) -> f64 {
    // a sinh(1/a) falls with a from any length down to 1.
    let (mut low, mut high) = (1e-2f64, 1e6f64);
    for _ in 0..200 {
        let middle = (low * high).sqrt();
        if middle * (1.0 / middle).sinh() > ratio { low = middle } else { high = middle }
    }
    low
}

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let ends = [settings.number("span_low"), settings.number("span_high")];
    let mut outcome = Outcome::default();
    let mut series = Vec::new();
    for k in 0..3 {
        let span = ends[0] + 0.5 * k as f64 * (ends[1] - ends[0]);
        let length = settings.number("length");
        let half = 0.5 * span * length;
        let a = half * parameter(1.0 / span);
        let shape = hang(settings, half)?;
        let sag = -shape.iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
        let exact = a * ((half / a).cosh() - 1.0);
        let quantity = format!("sag, span {span:.3} L");
        outcome.checks.push(Check::against(quantity, sag, "m", exact, Tolerance::Relative(2e-3)));
        let curve = |i: i32| {
            let x = half * f64::from(i) / 100.0;
            [x, a * ((x / a).cosh() - (half / a).cosh())]
        };
        let off = |p: &[f64; 2]| (p[1] - a * ((p[0] / a).cosh() - (half / a).cosh())).abs();
        let worst = shape.iter().map(off).fold(0.0, f64::max) / exact;
        let quantity = format!("largest way off the curve over the sag, span {span:.3} L");
        outcome.checks.push(Check::report(quantity, worst, "–"));
        let colour = Some(k);
        let name = format!("span {span:.3} L");
        series.push(Series { colour, ..Series::new(name, Style::Line, (-100..=100).map(curve).collect()) });
        let every = (shape.len() / 30).max(1);
        let marks = shape.iter().step_by(every).copied().collect();
        series.push(Series { colour, ..Series::new("", Style::Points, marks) });
    }
    let plot = Plot {
        title: "Hanging strip: catenary (lines) and sheet (marks)".into(),
        x: Axis::new("x (m)"),
        y: Axis::new("height (m)"),
        series,
        is_equal: true,
    };
    outcome.plots.push(("shape".into(), plot.into()));
    Ok(outcome)
}

/// Places of the vertices of the strip (m) between points at ±`half`, in order of x.
fn hang(settings: &Settings, half: f64) -> Result<Vec<[f64; 2]>, ExperimentError> {
    let (length, width, density) = (settings.number("length"), settings.number("width"), settings.number("density"));
    let flat = setup::rectangle(settings.word("mesh"), [length, width], length / settings.number("divisions").round())?;
    // A broken line down and up: as long as the strip, and nothing like the answer.
    let depth = (0.25 * length * length - half * half).sqrt();
    let mesh = setup::laid_out(&flat, |p| {
        let s = 2.0 * p.x / length - 1.0;
        DVec3::new(half * s, depth * (s.abs() - 1.0), p.z)
    });
    let modulus = density * GRAVITY * length / settings.number("stretch");
    let fabric = setup::fabric(Material::elastic(Linear::isotropic(modulus, 0.0)?), density)?;
    let ends = [0.0, length].map(|x| setup::vertices_at(&flat, 0, x)).concat();
    let gravity = -GRAVITY * DVec3::Y;
    let system = Builder::new(&mesh, &fabric).bending("none").gravity(gravity).pin("ends", ends).build()?;
    let mut state = system.initial_state();
    let weight = density * length * width * GRAVITY;
    let options = StaticOptions { force_tolerance: 1e-7 * weight, max_iterations: 2000, ..StaticOptions::default() };
    let found = relax(&system, &mut state, &options, None)?;
    if !found.converged {
        let what = format!("no equilibrium after {} iterations: {:.1e} N left", found.iterations, found.residual);
        return Err(ExperimentError::Failed(what));
    }
    let mut shape: Vec<[f64; 2]> = state.positions.iter().map(|p| [p.x, p.y]).collect();
    shape.sort_by(|a, b| a[0].total_cmp(&b[0]));
    Ok(shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn catenaries_are_as_long_as_asked() {
        for ratio in [1.001, 1.3, 3.0, 10.0] {
            let a = parameter(ratio);
            assert!((a * (1.0 / a).sinh() / ratio - 1.0).abs() < 1e-9, "{ratio}");
        }
    }

    #[test]
    fn other_strips_follow_too() {
        let changes = [
            ("length", "0.3"),
            ("span_low", "0.6"),
            ("span_high", "0.9"),
            ("density", "0.3"),
            ("divisions", "100"),
            ("width", "0.008"),
        ];
        setup::expect_bands(&EXPERIMENT, &changes);
    }
}
