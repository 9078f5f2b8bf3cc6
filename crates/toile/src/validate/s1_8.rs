//! S1-8: a square torn out of shape at random, with steps of 1 ms to 1 s. Source: Volino05 part 2 Fig. 7.
//!
//! Every vertex is moved by up to `noise` edge lengths in each direction, which crushes, inverts and overstretches elements.
//! Backward Euler must take every step, never gain energy and end near rest; explicit schemes at these steps must report that they
//! diverge, within a stated number of steps.

use super::setup::{MESH, Random, rectangle};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};
use glam::DVec3;
use toile_core::fabric::Fabric;
use toile_core::integrate::{Integrator, Options, Precision, StepError};
use toile_core::system::{Builder, State, System};

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S1-8",
    title: "a square torn out of shape: implicit calms, explicit reports",
    source: "Volino05 part 2 Fig. 7",
    parameters: &[
        Parameter::number("side", 0.24, [0.01, 5.0], "m", "side of the square"),
        Parameter::number("edge", 0.04, [1e-3, 1.0], "m", "edge length"),
        Parameter::number("modulus", 1000.0, [1.0, 1e6], "N/m", "membrane modulus"),
        Parameter::number("poisson", 0.3, [0.0, 0.45], "–", "Poisson ratio"),
        Parameter::number("rigidity", 1e-5, [1e-9, 1.0], "N·m", "bending rigidity"),
        Parameter::number("density", 0.1, [0.01, 10.0], "kg/m²", "mass per area"),
        Parameter::number("noise", 1.0, [0.01, 10.0], "–", "largest shift of a vertex along an axis, in edge lengths"),
        Parameter::number("seed", 1.0, [0.0, 1e6], "–", "seed of the shifts"),
        Parameter::number("steps", 30.0, [10.0, 1e5], "–", "implicit steps of each length"),
        Parameter::number("tolerance", 1e-8, [1e-10, 1e-3], "–", "of a step, in units of its first acceleration"),
        MESH,
    ],
    run,
};

/// Step lengths (s).
const STEPS: [f64; 4] = [1e-3, 1e-2, 1e-1, 1.0];
/// Backward Euler loses energy wherever the elastic energy is convex. A crumpled sheet that snaps out of a fold is on a ridge for a
/// moment, where the rule runs ahead of the motion: gains of this part of the start are its own, and the same however
/// tightly steps are solved.
const GAIN: f64 = 1e-4;
/// Explicit schemes diverge in tens of steps; one that has not after these is reported as not having noticed.
const PATIENCE: usize = 2000;

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let edge = settings.number("edge");
    let (modulus, poisson) = (settings.number("modulus"), settings.number("poisson"));
    let fabric = Fabric::isotropic(modulus, poisson, settings.number("rigidity"), settings.number("density"))?;
    let mesh = rectangle(settings.word("mesh"), [settings.number("side"); 2], edge)?;
    let system = Builder::new(&mesh, &fabric).gravity(DVec3::ZERO).build()?;
    let mut random = Random(settings.count("seed") as u64);
    let mut start = system.initial_state();
    for x in &mut start.positions[..mesh.vertex_count()] {
        *x += settings.number("noise") * edge * random.vector();
    }
    let first = system.energies(&start).total();
    let mut outcome = Outcome::default();
    outcome.checks.push(Check::report("energy at the start", first, "J"));
    let mut series = Vec::new();
    for dt in STEPS {
        let (points, growth, cuts) = calm(settings, &system, start.clone(), dt)?;
        let end = points.last().map_or(f64::NAN, |p| p[1]);
        let highest = points[1..].iter().map(|p| p[1]).fold(0.0, f64::max);
        let quantity = format!("backward Euler, {dt} s: highest energy over that of the start");
        outcome.checks.push(Check::against(quantity, highest, "–", 1.0, Tolerance::AtMost));
        let quantity = format!("backward Euler, {dt} s: largest gain of energy in a step over the start");
        outcome.checks.push(Check::against(quantity, growth, "–", GAIN, Tolerance::AtMost));
        let quantity = format!("backward Euler, {dt} s: energy left over that of the start");
        outcome.checks.push(Check::against(quantity, end, "–", 0.01, Tolerance::AtMost));
        outcome.checks.push(Check::report(format!("backward Euler, {dt} s: steps that were cut"), cuts, "–"));
        series.push(Series::new(format!("{dt} s"), Style::Line, points));
    }
    for name in ["explicit-euler", "explicit-midpoint", "rk4", "verlet"] {
        for dt in STEPS {
            let noticed = divergence(&system, start.clone(), name, dt)?;
            let quantity = format!("{name}, {dt} s: steps until divergence is reported");
            outcome.checks.push(Check::against(quantity, noticed, "–", PATIENCE as f64, Tolerance::AtMost));
        }
    }
    let plot = Plot {
        title: "A square torn out of shape, backward Euler".into(),
        x: Axis::log("step (–)"),
        y: Axis::log("kinetic and elastic energy over the start (–)"),
        series,
        is_equal: false,
    };
    outcome.plots.push(("energy".into(), plot.into()));
    outcome
        .notes
        .push("rk5 is left out: it shortens its steps until the motion is resolved and does not diverge.".into());
    Ok(outcome)
}

/// Energy over steps (both from 1), largest gain in a step, and steps that were cut; energies over that of the start.
fn calm(
    settings: &Settings,
    system: &System,
    mut state: State,
    dt: f64,
) -> Result<(Vec<[f64; 2]>, f64, f64), ExperimentError> {
    let options = Options {
        tolerance: settings.number("tolerance"),
        linear_tolerance: settings.number("tolerance"),
        precision: Precision::Double,
        solver: "cholesky".into(),
        max_newton: 100,
        // Without gravity the unit of tolerances is what the torn sheet does to a vertex: Y·noise over the mass of a cell.
        reference_acceleration: settings.number("modulus") * settings.number("noise")
            / (settings.number("density") * settings.number("edge")),
        ..Options::named("backward-euler").unwrap_or_default()
    };
    let mut integrator = Integrator::new(system, options)?;
    let first = system.energies(&state).total();
    let mut points = vec![[1.0, 1.0]];
    let (mut growth, mut cuts) = (f64::NEG_INFINITY, 0);
    for k in 0..settings.count("steps") {
        let report = integrator.step(system, &mut state, dt)?;
        cuts += usize::from(report.cuts > 0);
        let energy = system.energies(&state).total() / first;
        growth = growth.max(energy - points[points.len() - 1][1]);
        points.push([k as f64 + 2.0, energy]);
    }
    Ok((points, growth, cuts as f64))
}

/// Steps until a scheme reports that the state is no longer finite; infinite if it never does.
fn divergence(system: &System, mut state: State, name: &str, dt: f64) -> Result<f64, ExperimentError> {
    let mut integrator = Integrator::new(system, Options::named(name).unwrap_or_default())?;
    for k in 1..=PATIENCE {
        match integrator.step(system, &mut state, dt) {
            Ok(_) => {}
            Err(StepError::NotFinite { .. } | StepError::TooStiff { .. }) => return Ok(k as f64),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(f64::INFINITY)
}
