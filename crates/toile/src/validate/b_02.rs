//! B-02: cantilever under its own weight, Γ = σ g L³/B from 0.1 to 1000. Source: Romero21 (cantilever test); the exact curve is
//! computed for any Γ ([`elastica`]).
//!
//! The strip leaves its clamp horizontally and gravity is raised in equal ratios. Measured: height over width H/W of the chord from
//! clamp to tip. At large Γ all bending happens within ℓ = (B/σg)^⅓ = L Γ^−⅓ of the clamp, so the element is a share of ℓ.

use super::strips::{self, BENDING, DENSITY, INEXTENSIBILITY, LENGTH, MESH, RIGIDITY, Strip};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance, elastica};
use crate::plot::{Axis, Plot, Series, Style};
use glam::DVec3;

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "B-02",
    title: "cantilever under its own weight",
    source: "Romero21 cantilever test, exact elastica",
    parameters: &[
        Parameter::number("low", 0.1, [1e-3, 100.0], "–", "smallest Γ = σ g L³/B"),
        Parameter::number("high", 1000.0, [0.01, 1e4], "–", "largest Γ"),
        Parameter::number("points", 9.0, [2.0, 50.0], "–", "number of Γ, in equal ratios"),
        Parameter::number("resolution", 8.0, [2.0, 50.0], "–", "elements per (B/σg)^⅓ at the largest Γ"),
        LENGTH,
        Parameter::number("width", 0.01, [1e-4, 10.0], "m", "width w"),
        RIGIDITY,
        DENSITY,
        INEXTENSIBILITY,
        MESH,
        BENDING,
    ],
    run,
};

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let (low, high, count) = (settings.number("low"), settings.number("high"), settings.count("points"));
    if low >= high {
        return Err(ExperimentError::Setup(format!("the smallest Γ, {low}, must lie below the largest, {high}")));
    }
    // Γ in powers of ten: equal steps of the exponent.
    let exponents: Vec<f64> =
        (0..count).map(|k| low.log10() + (high / low).log10() * k as f64 / (count - 1) as f64).collect();
    let elements = (settings.number("resolution") * high.cbrt()).ceil().max(40.0) as usize;
    let strip = Strip::new(settings, settings.number("width"), 0.0, elements)?;
    let system = |exponent: f64| {
        let g = 10f64.powf(exponent) * strip.rigidity / (strip.fabric.density * strip.length.powi(3));
        let builder = strip.builder().gravity(DVec3::new(0.0, -g, 0.0)).clamp("root", strip.root.clone(), DVec3::Y);
        Ok(builder.build()?)
    };
    let start = (system(exponents[0])?.initial_state(), exponents[0] - 1.0);
    let (mut outcome, mut points, mut shapes) = (Outcome::default(), Vec::new(), Vec::new());
    strips::follow(&strip.statics(), start, &exponents, system, |exponent, _, state| {
        let gamma = 10f64.powf(exponent);
        let exact = elastica::cantilever(0.0, gamma);
        let tip = strip.tip_place(state);
        let quantity = format!("H/W at Γ = {gamma:.4}");
        let (value, wanted) = (-tip.y / tip.x, exact.drop / exact.reach);
        outcome.checks.push(Check::against(quantity, value, "–", wanted, Tolerance::Relative(0.02)));
        points.push([gamma, value]);
        if points.len() % 2 == 1 {
            let colour = Some(shapes.len() / 2);
            shapes.push(Series { colour, ..Series::new(format!("Γ = {gamma:.3}"), Style::Line, exact.shape) });
            shapes.push(Series { colour, ..Series::new("", Style::Points, strip.profile(state)) });
        }
    })?;
    outcome.plots.push(("master".into(), master_curve(low, high, points).into()));
    let plot = Plot {
        title: "Cantilever under its own weight: exact lines, measured points".into(),
        x: Axis::new("x/L (–)"),
        y: Axis::new("y/L (–)"),
        series: shapes,
        is_equal: true,
    };
    outcome.plots.push(("shapes".into(), plot.into()));
    Ok(outcome)
}

fn master_curve(low: f64, high: f64, measured: Vec<[f64; 2]>) -> Plot {
    let gammas = (0..=80).map(|k| low * (high / low).powf(f64::from(k) / 80.0));
    let exact = gammas.map(|g| (g, elastica::cantilever(0.0, g))).map(|(g, c)| [g, c.drop / c.reach]);
    Plot {
        title: "Cantilever under its own weight".into(),
        x: Axis::log("Γ = σ g L³/B (–)"),
        y: Axis::log("H/W of the tip (–)"),
        series: vec![
            Series::new("exact elastica", Style::Line, exact.collect()),
            Series::new("measured", Style::Points, measured),
            Series::new("small Γ: Γ/8", Style::Dashed, vec![[low, low / 8.0], [high.min(20.0), high.min(20.0) / 8.0]]),
        ],
        is_equal: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The band holds on an irregular mesh, for the other consistent models, and for other fabrics.
    #[test]
    fn band_holds_for_other_parameters() {
        strips::assert_bands(
            &EXPERIMENT,
            &[("low", "0.7"), ("density", "0.3")],
            &[
                [("mesh", "unstructured"), ("bending", "midedge"), ("high", "300")],
                [("mesh", "structured"), ("bending", "morley"), ("high", "50")],
                [("mesh", "unstructured"), ("bending", "midedge-quadratic"), ("high", "20")],
            ],
        );
    }
}
