//! B-01: massless cantilever with an end load. Source: Bisshopp45; the exact curve is computed for any load ([`elastica`]).
//!
//! A strip clamped horizontally carries a dead load P on its far edge, raised in steps. Measured: drop and shortening of the tip
//! over α² = P L²/B. The clamp holds one vertex row and the direction of the sheet: second order (two rows would put the clamp
//! half an element back). Poisson ratio 0, so the width plays no part.

use super::strips::{self, BENDING, DENSITY, INEXTENSIBILITY, LENGTH, MESH, RIGIDITY, Strip};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance, elastica};
use crate::plot::{Axis, Plot, Series, Style};
use glam::DVec3;
use toile_core::force::Load;

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "B-01",
    title: "cantilever with an end load",
    source: "Bisshopp45 exact elastica",
    parameters: &[
        Parameter::number("load", 10.0, [1e-3, 100.0], "–", "largest load α² = P L²/B"),
        Parameter::number("elements", 40.0, [8.0, 400.0], "–", "elements along the strip, on the finest mesh"),
        LENGTH,
        Parameter::number("width", 0.02, [1e-4, 10.0], "m", "width w"),
        RIGIDITY,
        DENSITY,
        INEXTENSIBILITY,
        MESH,
        BENDING,
    ],
    run,
};

/// Loads that are measured, of the largest.
const LOADS: [f64; 7] = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0];

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let (load, elements) = (settings.number("load"), settings.count("elements"));
    let loads = LOADS.map(|share| share * load);
    let exact = loads.map(|a| elastica::cantilever(a, 0.0)).map(|c| [c.drop, 1.0 - c.reach]);
    let mut curves = Vec::new();
    for part in [4, 2, 1] {
        curves.push(curve(settings, &loads, elements / part)?);
    }
    let mut outcome = Outcome::default();
    for (k, name) in ["drop", "shortening"].into_iter().enumerate() {
        for (i, alpha) in loads.iter().enumerate() {
            let quantity = format!("{name}/L at α² = {alpha:.4}");
            let value = curves[2][i][k];
            outcome.checks.push(Check::against(quantity, value, "–", exact[i][k], Tolerance::Relative(0.005)));
        }
        let errors: Vec<f64> = curves.iter().map(|c| c[LOADS.len() - 1][k] - exact[LOADS.len() - 1][k]).collect();
        let quantity = format!("order of convergence of the {name}");
        // On irregular meshes errors of different sign meet and the order between two of them says little.
        outcome.checks.push(match settings.word("mesh") {
            "structured" => Check::against(quantity, strips::order(&errors), "–", 2.0, Tolerance::Absolute(0.25)),
            _ => Check::report(quantity, strips::order(&errors), "–"),
        });
    }
    outcome.plots.push(("load".into(), picture(load, &loads, &curves[2]).into()));
    Ok(outcome)
}

/// Drop and shortening over L at each load.
fn curve(settings: &Settings, loads: &[f64], elements: usize) -> Result<Vec<[f64; 2]>, ExperimentError> {
    let strip = Strip::new(settings, settings.number("width"), 0.0, elements)?;
    let unit = strip.rigidity * strip.width / (strip.length * strip.length);
    let system = |alpha: f64| {
        let force = Load::shared(DVec3::new(0.0, -alpha * unit, 0.0), &strip.tip);
        let builder = strip.builder().clamp("root", strip.root.clone(), DVec3::Y).force(Box::new(force));
        Ok(builder.build()?)
    };
    let start = system(0.0)?.initial_state();
    let mut curve = Vec::new();
    strips::follow(&strip.statics(), (start, 0.0), loads, system, |_, _, state| {
        let tip = strip.tip_place(state) / strip.length;
        curve.push([-tip.y, 1.0 - tip.x]);
    })?;
    Ok(curve)
}

fn picture(load: f64, loads: &[f64], measured: &[[f64; 2]]) -> Plot {
    let fine: Vec<f64> = (1..=60).map(|k| load * f64::from(k) / 60.0).collect();
    let exact: Vec<_> = fine.iter().map(|a| elastica::cantilever(*a, 0.0)).collect();
    let points = |k: usize| loads.iter().zip(measured).map(|(a, m)| [*a, m[k]]).collect();
    let line = |y: fn(&elastica::Cantilever) -> f64| fine.iter().zip(&exact).map(|(a, c)| [*a, y(c)]).collect();
    let series =
        |name: &str, style, colour, points| Series { colour: Some(colour), ..Series::new(name, style, points) };
    Plot {
        title: "Cantilever with an end load".into(),
        x: Axis::new("load α² = P L²/B (–)"),
        y: Axis::new("displacement of the tip over L (–)"),
        series: vec![
            series("drop, exact", Style::Line, 0, line(|c| c.drop)),
            series("drop, measured", Style::Points, 0, points(0)),
            series("shortening, exact", Style::Line, 1, line(|c| 1.0 - c.reach)),
            series("shortening, measured", Style::Points, 1, points(1)),
        ],
        is_equal: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The band holds on both meshes, for other models that claim it and for another load.
    #[test]
    fn band_holds_for_other_parameters() {
        strips::assert_bands(
            &EXPERIMENT,
            &[("rigidity", "2e-3")],
            &[
                [("mesh", "unstructured"), ("bending", "midedge"), ("load", "10")],
                [("mesh", "unstructured"), ("bending", "morley"), ("load", "3")],
                [("mesh", "structured"), ("bending", "midedge-quadratic"), ("load", "4")],
            ],
        );
    }
}
