//! S1-12: loss of a Kelvin–Voigt strip under cyclic stretch. Source: Wacker05 part 3 Fig. 6.
//!
//! A strip between two grips follows the Green–Lagrange strain ε = ε₀ sin ωt, slowly against its own vibration. Stress is
//! Yε + ηε̇, an ellipse over strain; closed form of the loss per cycle: πηωε₀² times the area (η in N·s/m stands for viscosity times
//! thickness, so area is the volume of the source). Measured twice: work of the grips over a cycle, and the engine's own account.

use super::setup::{MESH, rectangle, vertices_at};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};
use glam::DVec3;
use std::f64::consts::{PI, TAU};
use toile_core::fabric::Fabric;
use toile_core::integrate::{Integrator, Options, Precision};
use toile_core::law::Linear;
use toile_core::system::{Builder, Key, Motion};

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S1-12",
    title: "loss per cycle of a viscous strip",
    source: "Wacker05 part 3 Fig. 6, closed form",
    parameters: &[
        Parameter::number("modulus", 1000.0, [1.0, 1e6], "N/m", "elastic modulus Y"),
        Parameter::number("viscosity", 50.0, [1e-3, 1e5], "N·s/m", "viscous modulus η"),
        Parameter::number("amplitude", 0.05, [1e-4, 0.3], "–", "strain amplitude ε0"),
        Parameter::number("frequency", 1.0, [1e-3, 5.0], "Hz", "ω/2π"),
        Parameter::number("length", 0.1, [0.01, 1.0], "m", "between the grips"),
        Parameter::number("width", 0.04, [0.01, 1.0], "m", "of the strip"),
        Parameter::number("divisions", 4.0, [1.0, 50.0], "–", "elements across the width"),
        Parameter::number("steps", 200.0, [20.0, 1e5], "–", "steps per cycle"),
        Parameter::word("scheme", &["bdf2", "backward-euler", "implicit-midpoint"], "integrator"),
        MESH,
    ],
    run,
};

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let n = |name| settings.number(name);
    let (length, width, amplitude) = (n("length"), n("width"), n("amplitude"));
    let mesh = rectangle(settings.word("mesh"), [length, width], width / n("divisions"))?;
    let mut fabric = Fabric::isotropic(n("modulus"), 0.0, 1e-9, 0.1)?;
    fabric.membrane.viscous = Some(Linear::isotropic(n("viscosity"), 0.0)?.into());
    let all = mesh.vertices_where(|_| true);
    let mut system = Builder::new(&mesh, &fabric)
        .bending("none")
        .gravity(DVec3::ZERO)
        .pin("left", vertices_at(&mesh, 0, 0.0))
        .pin("right", vertices_at(&mesh, 0, length))
        .grip("plane", all, [false, true, false]) // compression would buckle it
        .build()?;
    // Keys at every step: the motion between them is not seen.
    let (steps, period) = (settings.count("steps"), 1.0 / n("frequency"));
    let cycles = 3;
    let dt = period / steps as f64;
    let strain = |t: f64| amplitude * (TAU * t / period).sin();
    let shift = |t: f64| length * ((1.0 + 2.0 * strain(t)).sqrt() - 1.0);
    let key = |k: usize| Key::shift(k as f64 * dt, DVec3::new(shift(k as f64 * dt), 0.0, 0.0));
    system.set_motion(1, Motion::Keys((0..=cycles * steps).map(key).collect()));

    let Some(options) = Options::named(settings.word("scheme")) else {
        return Err(ExperimentError::Setup("no such scheme".into()));
    };
    // Reactions are compared: solved to six digits of the weight, which is itself small against the forces here.
    let options = Options { precision: Precision::Double, tolerance: 1e-6, linear_tolerance: 1e-6, ..options };
    let mut integrator = Integrator::new(&system, options)?;
    let mut state = system.initial_state();
    // The midpoint rule knows forces in the middle of a step, the others at its end.
    let late = if settings.word("scheme") == "implicit-midpoint" { 0.5 } else { 1.0 };
    let mut rows = Vec::new();
    for k in 0..cycles * steps {
        integrator.step(&system, &mut state, dt)?;
        let time = (k as f64 + late) * dt;
        let force = system.reaction(&state, 1).x;
        rows.push(Row { strain: strain(time), shift: shift(time), force, dissipated: state.dissipated });
    }
    // One cycle and the point before it.
    Ok(report(settings, &rows[(cycles - 1) * steps - 1..]))
}

/// The strip at a force measurement.
struct Row {
    strain: f64,
    shift: f64,
    force: f64,
    /// Booked by the engine up to the end of the step (J).
    dissipated: f64,
}

fn report(settings: &Settings, cycle: &[Row]) -> Outcome {
    let n = |name| settings.number(name);
    let (omega, amplitude, length, width) = (TAU * n("frequency"), n("amplitude"), n("length"), n("width"));
    let loss = PI * n("viscosity") * omega * amplitude * amplitude * length * width;
    let work: f64 = cycle.windows(2).map(|w| 0.5 * (w[0].force + w[1].force) * (w[1].shift - w[0].shift)).sum();
    let booked = cycle[cycle.len() - 1].dissipated - cycle[0].dissipated;
    let band = Tolerance::Relative(0.01);
    // Second Piola–Kirchhoff stress of a uniform strip: force over rest width and stretch.
    let stress = |r: &Row| r.force / (width * (1.0 + r.shift / length));
    let exact = |angle: f64| {
        let rate = omega * amplitude * angle.cos();
        [amplitude * angle.sin(), n("modulus") * amplitude * angle.sin() + n("viscosity") * rate]
    };
    let largest = cycle.iter().map(stress).fold(0.0, f64::max);
    let top = amplitude * n("modulus").hypot(n("viscosity") * omega);
    let plot = Plot {
        title: "Kelvin–Voigt strip, one cycle".into(),
        x: Axis::new("Green–Lagrange strain (–)"),
        y: Axis::new("stress (N/m)"),
        series: vec![
            Series::new("closed form", Style::Loop, (0..200).map(|k| exact(TAU * f64::from(k) / 200.0)).collect()),
            Series::new("measured", Style::Points, cycle.iter().step_by(4).map(|r| [r.strain, stress(r)]).collect()),
        ],
        is_equal: false,
    };
    Outcome {
        checks: vec![
            Check::against("work of the grips per cycle", work, "J", loss, band),
            Check::against("loss per cycle booked by the engine", booked, "J", loss, band),
            Check::against("largest stress", largest, "N/m", top, band),
        ],
        plots: vec![("loop".into(), plot.into())],
        notes: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::setup::expect_bands;

    /// Every rule books the loss, at other rates and amplitudes too.
    #[test]
    fn losses_follow_the_closed_form() {
        expect_bands(&EXPERIMENT, &[("scheme", "implicit-midpoint"), ("frequency", "0.3")]);
        expect_bands(&EXPERIMENT, &[("scheme", "backward-euler"), ("amplitude", "0.2"), ("viscosity", "7")]);
    }
}
