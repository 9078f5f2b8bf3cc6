//! S0-7: a square crushed, blown up or scattered at random comes back to rest. Source: Volino09 Fig. 8.
//!
//! The square is scaled by 0.2 to 5, or each vertex thrown by up to five edge lengths in any direction, and relaxed; it is held at three
//! corners against rigid motion only (six components). Its energy must fall below 10⁻¹⁰ Y·area, nothing may become infinite, and
//! the last iterations must be those of Newton: fewer than ten once the forces are small, with the residual squared by each.
//! Bending is part of it, because without it a scattered sheet may stay crumpled at no cost. It is one of the quadratic models:
//! a model of the angle between triangles has an edge at ±180°, where a sheet that was thrown through itself stays folded.

use super::setup::{self, MESH, Random};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};
use glam::DVec3;
use toile_core::fabric::Fabric;
use toile_core::integrate::{StaticOptions, relax};
use toile_core::mesh::Mesh;
use toile_core::system::{Builder, System};

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S0-7",
    title: "back to rest from crushed, blown up and scattered",
    source: "Volino09 Fig. 8",
    parameters: &[
        Parameter::number("modulus", 1000.0, [1e-1, 1e6], "N/m", "membrane modulus Y"),
        Parameter::number("poisson", 0.3, [-0.9, 0.9], "–", "Poisson ratio ν"),
        Parameter::number("rigidity", 1e-2, [1e-6, 1e3], "N·m", "bending rigidity"),
        Parameter::word("bending", &["hinge-quadratic", "midedge-quadratic"], "bending model"),
        Parameter::number("factor", 5.0, [1.0, 20.0], "–", "largest scale; its inverse is the smallest"),
        Parameter::number("noise", 5.0, [0.0, 20.0], "–", "largest shift of a scattered vertex, in edge lengths"),
        Parameter::number("size", 0.2, [1e-2, 10.0], "m", "side of the square"),
        Parameter::number("divisions", 10.0, [2.0, 50.0], "–", "elements along a side"),
        MESH,
    ],
    run,
};

/// Forces are small when they are below this share of Y times an edge length: strains of a per mille.
const NEAR: f64 = 1e-3;
const SCATTERED: &str = "scattered";

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let (modulus, side, factor) = (settings.number("modulus"), settings.number("size"), settings.number("factor"));
    let edge = side / settings.number("divisions").round();
    let mesh = setup::rectangle(settings.word("mesh"), [side; 2], edge)?;
    let fabric = Fabric::isotropic(modulus, settings.number("poisson"), settings.number("rigidity"), 0.1)?;
    let system = held(&mesh, &fabric, side, settings.word("bending"))?;
    let noise = settings.number("noise") * edge;
    // Newton's own steps from the first one: mass would only slow their end.
    let options =
        StaticOptions { force_tolerance: 1e-11 * modulus * edge, first_step: 1e5, ..StaticOptions::default() };
    let mut outcome = Outcome::default();
    let mut series = Vec::new();
    for (name, start) in starts(&mesh, factor, noise) {
        let mut state = system.initial_state();
        state.positions[..start.len()].copy_from_slice(&start);
        let found = relax(&system, &mut state, &options, None)?;
        let energy = system.energies(&state).elastic() / (modulus * side * side);
        let quantity = format!("energy over Y·area, {name}");
        outcome.checks.push(Check::against(quantity, energy, "–", 1e-10, Tolerance::AtMost));
        let history: Vec<f64> = found.history.iter().map(|r| r / (modulus * edge)).collect();
        judge(&mut outcome, &name, found.iterations, &history);
        let points = history.iter().enumerate().map(|(k, r)| [k as f64, *r]).collect();
        series.push(Series::new(name, Style::Line, points));
    }
    let plot = Plot {
        title: "Way back to rest".into(),
        x: Axis::new("iteration (–)"),
        y: Axis::log("largest force over Y·edge (–)"),
        series,
        is_equal: false,
    };
    outcome.plots.push(("residual".into(), plot.into()));
    Ok(outcome)
}

/// Disturbed positions (m) and what was done to them: scales from 1/`factor` to `factor`, and `noise` (m).
fn starts(mesh: &Mesh, factor: f64, noise: f64) -> [(String, Vec<DVec3>); 5] {
    let mut random = Random(5);
    let scattered = mesh.positions.iter().map(|p| *p + noise * random.vector()).collect();
    let scale = |by: f64| mesh.positions.iter().map(|p| by * *p).collect();
    let root = factor.sqrt();
    [
        (format!("crushed to {:.2}", 1.0 / factor), scale(1.0 / factor)),
        (format!("crushed to {:.2}", 1.0 / root), scale(1.0 / root)),
        (format!("blown up to {root:.2}"), scale(root)),
        (format!("blown up to {factor:.2}"), scale(factor)),
        (SCATTERED.into(), scattered),
    ]
}

/// Held at three corners against rigid motion alone.
fn held(mesh: &Mesh, fabric: &Fabric, side: f64, bending: &str) -> Result<System, ExperimentError> {
    let corner = |x: f64, z: f64| mesh.vertices_where(|p| (p.x - x).abs() + (p.z - z).abs() < 1e-9 * side);
    let builder = Builder::new(mesh, fabric).bending(bending).gravity(DVec3::ZERO).pin("origin", corner(0.0, 0.0));
    let builder = builder.grip("axis", corner(side, 0.0), [false, true, true]);
    Ok(builder.grip("plane", corner(0.0, -side), [false, true, false]).build()?)
}

/// Checks the end of a history of residuals.
fn judge(outcome: &mut Outcome, name: &str, iterations: usize, history: &[f64]) {
    outcome.checks.push(Check::report(format!("iterations, {name}"), iterations as f64, "–"));
    let near = &history[history.iter().rposition(|r| *r > NEAR).map_or(0, |k| k + 1)..];
    let quantity = format!("iterations near the solution, {name}");
    outcome.checks.push(Check::against(quantity, near.len() as f64, "–", 10.0, Tolerance::AtMost));
    if let [.., before, last] = history {
        let quantity = format!("fall of the residual in the last iteration, {name}");
        outcome.checks.push(Check::against(quantity, last / before, "–", 1e-3, Tolerance::AtMost));
    }
    // p of r₃/r₂ = (r₂/r₁)^p over the last three residuals above rounding, if the end has so many: a scattered sheet ends in
    // one or two strides.
    let falling = |w: &&[f64]| 0.1 > w[0] && w[0] > w[1] && w[1] > w[2] && w[2] > 1e-13;
    let triple = history.windows(3).rfind(falling);
    if let Some(w) = triple.filter(|_| name != SCATTERED) {
        let order = (w[2] / w[1]).ln() / (w[1] / w[0]).ln();
        let quantity = format!("order of the last iterations, {name}");
        outcome.checks.push(Check::against(quantity, order, "–", 1.8, Tolerance::AtLeast));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_squares_come_back() {
        setup::expect_bands(&EXPERIMENT, &[("modulus", "50"), ("poisson", "0"), ("divisions", "6"), ("noise", "3")]);
    }
}
