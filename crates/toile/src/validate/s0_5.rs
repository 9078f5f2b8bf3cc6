//! S0-5: load and unload, the area of the loop is the energy lost. Source: Volino09 Fig. 6.
//!
//! A strip is stretched by a(1 − cos ωt)/2 and back, over and over, by the integrator. The work of the moved edge over a closed cycle, the
//! area of its force–displacement loop, must be what the state books as dissipated; nothing for an elastic law. Closed forms per
//! area and cycle, with the strain from 0 to e = a + a²/2 (a over the length):
//!
//! - friction slider of stiffness k and yield stress s, once e > 2s/k: 2s(e − 2s/k);
//! - relaxation with k and τ: the strain has the harmonics ε₁ = a/2 + a²/4 and ε₂ = a²/16, so Σ nπk εₙ² nωτ/(1 + (nωτ)²).
//!
//! Both bands are 10⁻⁶ of the largest stored energy: the loop is integrated by the trapezoid rule, whose error falls with the
//! square of the steps per cycle. The sheet is light, its inertia does no work in a cycle, and it is held in its plane because
//! a slider pushes on the way back.

use super::setup::{self, MESH};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};
use glam::DVec3;
use std::f64::consts::{PI, TAU};
use toile_core::fabric::{Branch, Material, Rule};
use toile_core::integrate::{Integrator, Options};
use toile_core::law::Linear;
use toile_core::system::{Key, Motion, System};

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S0-5",
    title: "load–unload loops: area is dissipated energy",
    source: "Volino09 Fig. 6; closed forms of a slider and a Prony term",
    parameters: &[
        Parameter::number("modulus", 1000.0, [1e-1, 1e6], "N/m", "membrane modulus Y, ν = 0"),
        Parameter::number("branch", 500.0, [1e-1, 1e6], "N/m", "stiffness k of the branch"),
        Parameter::number("yield_stress", 8.0, [1e-6, 1e6], "N/m", "yield stress s of the slider"),
        Parameter::number("time", 0.1, [1e-3, 1.0], "s", "relaxation time τ"),
        Parameter::number("period", 1.0, [1e-1, 10.0], "s", "period of a cycle"),
        Parameter::number("stretch", 0.1, [1e-3, 0.5], "–", "largest extension a over the length"),
        Parameter::number("steps", 4000.0, [100.0, 1e5], "–", "steps per cycle"),
        MESH,
    ],
    run,
};

/// Length and width of the strip (m).
const SIZE: [f64; 2] = [0.1, 0.05];

/// The last cycle of a run.
struct Cycle {
    /// Displacement (mm) and force (N).
    points: Vec<[f64; 2]>,
    /// Work of the moved edge (J).
    work: f64,
    /// Booked as dissipated (J).
    dissipated: f64,
    /// Largest stored energy (J).
    stored: f64,
}

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let (k, s, tau) = (settings.number("branch"), settings.number("yield_stress"), settings.number("time"));
    let (period, a) = (settings.number("period"), settings.number("stretch"));
    let area = SIZE[0] * SIZE[1];
    let strain = a + 0.5 * a * a;
    let harmonics = [0.5 * a + 0.25 * a * a, a * a / 16.0];
    let slid = if strain > 2.0 * s / k { 2.0 * s * (strain - 2.0 * s / k) } else { 0.0 };
    let relaxed = (1..3).map(|n| {
        let x = f64::from(n) * TAU * tau / period;
        f64::from(n) * PI * k * harmonics[n as usize - 1].powi(2) * x / (1.0 + x * x)
    });
    let rule = |rule| vec![Branch { stiffness: [k; 3], rule }];
    // What a relaxation branch remembers of its start is gone after three cycles, or the cycles that e⁻²⁰ takes.
    let patience = 1 + (20.0 * tau / period).ceil() as usize;
    let cases = [
        ("elastic", Vec::new(), 0.0, 2),
        ("slider", rule(Rule::Slider { yield_stress: [s; 3] }), area * slid, 2),
        ("relaxation", rule(Rule::Relaxation { time: tau }), area * relaxed.sum::<f64>(), patience),
    ];
    let mut outcome = Outcome::default();
    let mut series = Vec::new();
    for (name, memory, exact, cycles) in cases {
        let cycle = cycle(settings, memory, cycles)?;
        let band = Tolerance::Absolute(1e-6 * cycle.stored);
        let quantity = format!("area of the loop, {name}");
        outcome.checks.push(Check::against(quantity, cycle.work, "J", cycle.dissipated, band));
        let quantity = format!("dissipated in a cycle, {name}");
        outcome.checks.push(Check::against(quantity, cycle.dissipated, "J", exact, band));
        outcome.checks.push(Check::report(format!("largest stored energy, {name}"), cycle.stored, "J"));
        series.push(Series::new(name, Style::Loop, cycle.points));
    }
    let plot = Plot {
        title: "Load and unload".into(),
        x: Axis::new("displacement (mm)"),
        y: Axis::new("force (N)"),
        series,
        is_equal: false,
    };
    outcome.plots.push(("loop".into(), plot.into()));
    Ok(outcome)
}

fn strip(settings: &Settings, memory: Vec<Branch>, cycles: usize) -> Result<System, ExperimentError> {
    let elastic = Linear::isotropic(settings.number("modulus"), 0.0)?.into();
    let fabric = setup::fabric(Material { elastic, viscous: None, memory }, DENSITY)?;
    let mesh = setup::rectangle(settings.word("mesh"), SIZE, 0.5 * SIZE[1])?;
    let [near, far] = [0.0, SIZE[0]].map(|x| setup::vertices_at(&mesh, 0, x));
    let mut system = setup::in_plane(&mesh, &fabric).pin("near", near).pin("far", far).build()?;
    let (steps, period) = (settings.count("steps"), settings.number("period"));
    let reach = settings.number("stretch") * SIZE[0];
    let keys = (0..=cycles * steps).map(|i| {
        let phase = i as f64 / steps as f64;
        let x = 0.5 * reach * (1.0 - (TAU * phase).cos());
        Key::shift(period * phase, DVec3::new(x, 0.0, 0.0))
    });
    system.set_motion(2, Motion::Keys(keys.collect()));
    Ok(system)
}

/// Mass per area (kg/m²): light enough for its waves to be far faster than the cycle.
const DENSITY: f64 = 1e-3;

fn cycle(settings: &Settings, memory: Vec<Branch>, cycles: usize) -> Result<Cycle, ExperimentError> {
    let (steps, modulus) = (settings.count("steps"), settings.number("modulus"));
    let step = settings.number("period") / steps as f64;
    let system = strip(settings, memory, cycles)?;
    let named = Options::named("backward-euler").ok_or_else(|| ExperimentError::Failed("no backward Euler".into()))?;
    let options = Options {
        solver: "cholesky".into(),
        // The forces here are those of the sheet, not of its weight: the unit of the tolerance follows them.
        reference_acceleration: modulus / (DENSITY * SIZE[0]),
        ..named.exact()
    };
    let mut integrator = Integrator::new(&system, options)?;
    let mut state = system.initial_state();
    for _ in 0..(cycles - 1) * steps {
        integrator.step(&system, &mut state, step)?;
    }
    let far = system.grips()[2].nodes[0] as usize;
    let mut at = [state.positions[far].x, system.reaction(&state, 2).x];
    let before = state.dissipated;
    let mut cycle = Cycle { points: Vec::new(), work: 0.0, dissipated: 0.0, stored: 0.0 };
    for i in 0..steps {
        integrator.step(&system, &mut state, step)?;
        let next = [state.positions[far].x, system.reaction(&state, 2).x];
        cycle.work += 0.5 * (at[1] + next[1]) * (next[0] - at[0]);
        at = next;
        if i % (steps / 100) == 0 {
            cycle.points.push([1e3 * (at[0] - SIZE[0]), at[1]]);
            cycle.stored = cycle.stored.max(system.energies(&state).elastic());
        }
    }
    cycle.dissipated = state.dissipated - before;
    Ok(cycle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_loops_close_too() {
        let changes =
            [("yield_stress", "3"), ("time", "0.4"), ("stretch", "0.05"), ("branch", "200"), ("steps", "3000")];
        setup::expect_bands(&EXPERIMENT, &changes);
    }
}
