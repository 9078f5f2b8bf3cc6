//! S1-13: strain limit by a biphasic law on edge springs. Source: Wacker05 part 3 Fig. 3 (springs of two phases, after Provot95).
//!
//! A square held by two corners falls from the horizontal. With a linear law the springs at the corners are stretched far; the
//! biphasic law is the same nearly up to the limit and hard beyond, so that no edge passes the limit by more than 1 % of
//! its length, at any time. Provot corrects positions after the step instead, which changes energy unaccountably; a law
//! keeps the step a minimisation, and backward Euler never gains energy.

use super::setup::{MESH, rectangle};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};
use glam::DVec3;
use toile_core::fabric::{Fabric, Material};
use toile_core::integrate::{Integrator, Options, Precision};
use toile_core::law::{AnyLaw, Curve, Curves, Linear};
use toile_core::mesh::{Mesh, Topology};
use toile_core::system::{Builder, State};

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S1-13",
    title: "a biphasic law limits the strain of every edge",
    source: "Wacker05 part 3 Fig. 3",
    parameters: &[
        Parameter::number("side", 0.5, [0.05, 5.0], "m", "side of the square"),
        Parameter::number("edge", 0.025, [1e-3, 1.0], "m", "edge length"),
        Parameter::number("modulus", 50.0, [1.0, 1e5], "N/m", "modulus of the first phase"),
        Parameter::number("limit", 0.1, [0.01, 0.5], "–", "strain where the second phase is reached"),
        Parameter::number("second_modulus", 2e5, [1e3, 1e7], "N/m", "modulus of the second phase"),
        Parameter::number("density", 0.1, [0.01, 1.0], "kg/m²", "mass per area"),
        Parameter::number("duration", 0.8, [0.05, 20.0], "s", "simulated time"),
        Parameter::number("step", 0.005, [1e-4, 0.1], "s", "time step"),
        MESH,
    ],
    run,
};

/// What became of a sheet.
struct Fall {
    /// Largest strain of an edge at any step.
    largest: f64,
    /// Largest gain of energy in a step (J).
    gain: f64,
    /// Strain of every edge at the end.
    strains: Vec<f64>,
}

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let (side, limit) = (settings.number("side"), settings.number("limit"));
    let mesh = rectangle(settings.word("mesh"), [side, side], settings.number("edge"))?;
    let linear = Linear::orthotropic(settings.number("modulus"), settings.number("modulus"), shear(settings), 0.0)?;
    let plain = fall(settings, &mesh, linear.into())?;
    let limited = fall(settings, &mesh, phases(settings)?.into())?;
    let unit = 0.5 * settings.number("density") * side.powi(3) * 9.81;
    let mut outcome = Outcome::default();
    outcome.checks.push(Check::report("linear law: largest strain of an edge", plain.largest, "–"));
    outcome.checks.push(Check::report("biphasic law: largest strain of an edge", limited.largest, "–"));
    let over = (1.0 + limited.largest) / (1.0 + limit) - 1.0;
    let quantity = "biphasic law: longest edge over its limit, at any step";
    outcome.checks.push(Check::against(quantity, over, "–", 0.01, Tolerance::AtMost));
    let reached =
        Check::against("linear law passes the limit, by", plain.largest - limit, "–", 0.0, Tolerance::AtLeast);
    outcome.checks.push(reached);
    let quantity = "biphasic law: largest gain of energy in a step over mgL/2";
    outcome.checks.push(Check::against(quantity, limited.gain / unit, "–", 1e-6, Tolerance::AtMost));
    outcome.plots.push(("histogram".into(), histogram(&plain.strains, &limited.strains, limit).into()));
    outcome.notes.push("The limit is a second phase of the law, not Provot's correction after the step.".into());
    Ok(outcome)
}

/// Shear stiffness of an isotropic sheet without Poisson effect.
fn shear(settings: &Settings) -> f64 {
    0.5 * settings.number("modulus")
}

/// Share of its strain that an edge gives to the mode it strains most, at least: an edge at atan ½ to the weft strains weft and
/// shear by 0.8 of its own strain (cos²φ = sin 2φ), any other one of the modes more. Modes limited to that share limit every edge.
const SHARE: f64 = 0.8;

/// Slope k up to nine tenths of the limit of the mode, then rising to the second modulus (by as much for shear) at the limit, then
/// straight; symmetric.
fn biphasic(settings: &Settings, stiffness: f64) -> Result<Curve, ExperimentError> {
    let ratio = settings.number("second_modulus") / settings.number("modulus");
    if ratio <= 1.0 {
        return Err(ExperimentError::Setup("the second phase must be the stiffer one".into()));
    }
    let limit = SHARE * settings.number("limit");
    let (knee, ramp) = (0.9 * limit, 0.1 * limit);
    let rise = 0.5 * (ratio - 1.0) * stiffness / ramp;
    let rows = vec![vec![0.0, stiffness], vec![stiffness * knee, stiffness, rise]];
    Ok(Curve::spline(vec![0.0, knee, limit], rows)?)
}

/// The three modes. Compressed threads stay soft, cloth buckles; shear has no soft sign.
fn phases(settings: &Settings) -> Result<Curves, ExperimentError> {
    let modulus = settings.number("modulus");
    let thread = biphasic(settings, modulus)?.with_compression(Curve::line(modulus)?);
    Ok(Curves::new(thread.clone(), thread, biphasic(settings, shear(settings))?))
}

fn fall(settings: &Settings, mesh: &Mesh, law: AnyLaw) -> Result<Fall, ExperimentError> {
    let side = settings.number("side");
    let mut fabric = Fabric::isotropic(settings.number("modulus"), 0.0, 1e-6, settings.number("density"))?;
    fabric.membrane = Material::elastic(law);
    let corners = mesh.vertices_where(|p| p.x == 0.0 && (p.z == 0.0 || (p.z + side).abs() < 1e-9 * side));
    let system = Builder::new(mesh, &fabric).membrane("edge-springs").pin("corners", corners).build()?;
    let options = Options::named("backward-euler").unwrap_or_default();
    let options =
        Options { tolerance: 1e-3, linear_tolerance: 1e-3, precision: Precision::Double, max_newton: 60, ..options };
    let mut integrator = Integrator::new(&system, options)?;
    let mut state = system.initial_state();
    let topology = Topology::new(mesh)?;
    let mut fall = Fall { largest: 0.0, gain: f64::NEG_INFINITY, strains: Vec::new() };
    let mut energy = system.energies(&state).total();
    for _ in 0..(settings.number("duration") / settings.number("step")).round() as usize {
        integrator.step(&system, &mut state, settings.number("step"))?;
        let now = system.energies(&state).total();
        fall.gain = fall.gain.max(now - energy);
        energy = now;
        fall.strains = strains(mesh, &topology, &state);
        fall.largest = fall.strains.iter().copied().fold(fall.largest, f64::max);
    }
    Ok(fall)
}

fn strains(mesh: &Mesh, topology: &Topology, state: &State) -> Vec<f64> {
    let length = |x: &[DVec3], [a, b]: [u32; 2]| x[a as usize].distance(x[b as usize]);
    let strain = |e: [u32; 2]| length(&state.positions, e) / length(&mesh.positions, e) - 1.0;
    topology.edges.iter().map(|e| strain(e.vertices)).collect()
}

/// Share of the edges per bin of strain, as steps.
fn histogram(plain: &[f64], limited: &[f64], limit: f64) -> Plot {
    let width = 0.1 * limit;
    let bins = |name: &str, strains: &[f64]| {
        let low = (strains.iter().copied().fold(0.0, f64::min) / width).floor() as i64;
        let high = (strains.iter().copied().fold(0.0, f64::max) / width).ceil() as i64;
        let mut points = Vec::new();
        for bin in low..=high.max(low) {
            let [a, b] = [bin, bin + 1].map(|b| b as f64 * width);
            let count = strains.iter().filter(|s| (a..b).contains(*s)).count();
            let share = count as f64 / strains.len() as f64;
            points.extend([[a, share], [b, share]]);
        }
        Series::new(name, Style::Line, points)
    };
    let top = 1.0;
    Plot {
        title: "Strain of the edges of a square held by two corners".into(),
        x: Axis::new("strain (–)"),
        y: Axis { range: Some([1e-4, top]), ..Axis::log("share of the edges per bin (–)") },
        series: vec![
            bins("linear law", plain),
            bins("biphasic law", limited),
            Series::new("limit", Style::Dashed, vec![[limit, 1e-4], [limit, top]]),
        ],
        is_equal: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::setup::expect_bands;

    /// Softer cloth and a tighter limit, on both kinds of mesh: edges of every direction are held.
    #[test]
    fn every_edge_is_held() {
        expect_bands(&EXPERIMENT, &[("modulus", "20"), ("limit", "0.05"), ("duration", "0.5")]);
    }
}
