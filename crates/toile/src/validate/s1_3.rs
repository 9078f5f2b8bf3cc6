//! S1-3: a hanging spring, m = 0.1, k = 100, l₀ = −1, d = 1, g = −10, z(0) = −1, v(0) = −5 on [0, 2]. Source: Wacker05 part 3
//! Figs. 8, 9 and 11, example 3.
//!
//! Exact: z(2) = −1.00999690, v(2) = −2.18776e-4; at rest l₀ + mg/k = −1.01. Explicit Euler is stable for h < d/k where the
//! spring is underdamped: |1 + hμ|² = 1 − hd/m + h²k/m.

use super::ode::{self, Equation, METHODS, Second};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};
use toile_core::integrate::{Scheme, StaticOptions, relax};

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S1-3",
    title: "hanging spring: errors, orders and stability of the schemes",
    source: "Wacker05 part 3 example 3, exact solution",
    parameters: &[
        Parameter::number("mass", 0.1, [1e-3, 100.0], "kg", "m"),
        Parameter::number("stiffness", 100.0, [0.1, 1e5], "N/m", "k"),
        Parameter::number("damping", 1.0, [0.0, 100.0], "N·s/m", "d"),
        Parameter::number("length", -1.0, [-100.0, 100.0], "m", "l0, place of the unloaded spring"),
        Parameter::number("gravity", -10.0, [-100.0, 100.0], "m/s²", "g"),
        Parameter::number("position", -1.0, [-100.0, 100.0], "m", "z(0)"),
        Parameter::number("velocity", -5.0, [-100.0, 100.0], "m/s", "v(0)"),
        Parameter::number("end", 2.0, [0.01, 20.0], "s", "end of the interval T"),
    ],
    run,
};

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let n = |name| settings.number(name);
    let equation = Equation {
        mass: n("mass"),
        stiffness: n("stiffness"),
        damping: n("damping"),
        anchor: n("length"),
        gravity: n("gravity"),
        start: [n("position"), n("velocity")],
        end: n("end"),
        observed: 0,
    };
    let stored = if settings.is_any_changed() { None } else { Some(ode::stored("S1-3", "ex3")?) };
    let mut outcome = Outcome::default();
    ode::study(&mut outcome, ("work", "hanging spring"), &equation, &METHODS, stored.as_ref())?;
    let fine = ode::march(&equation, Scheme::RungeKutta4, 1 << 14, Second::Midpoint)?.end();
    let exact = equation.exact(equation.end);
    let printed = [-1.009_996_90, -2.187_76e-4];
    for (i, (name, unit, digits)) in [("z(T)", "m", 5e-9), ("v(T)", "m/s", 5e-10)].into_iter().enumerate() {
        let (reference, band) = if stored.is_some() {
            (printed[i], Tolerance::Absolute(digits))
        } else {
            (exact[i], Tolerance::Absolute(1e-6 * exact[i].abs() + 1e-12))
        };
        outcome.checks.push(Check::against(format!("{name} by RK4, 16384 steps"), fine[i], unit, reference, band));
    }
    let system = equation.system();
    let mut state = system.initial_state();
    relax(&system, &mut state, &StaticOptions::default(), None)?;
    let rest = state.positions[0].x;
    outcome.checks.push(Check::against("place at rest", rest, "m", equation.rest(), Tolerance::Absolute(1e-10)));
    if equation.damping > 0.0 && equation.damping * equation.damping < 4.0 * equation.mass * equation.stiffness {
        let free = Equation { anchor: 0.0, gravity: 0.0, ..equation };
        let limit = equation.damping / equation.stiffness;
        let found = ode::stability_limit(&free, Scheme::ExplicitEuler, [0.2 * limit, 5.0 * limit])?;
        let quantity = "longest stable step of explicit Euler";
        outcome.checks.push(Check::against(quantity, found, "s", limit, Tolerance::Relative(1e-6)));
    }
    outcome.plots.push(("motion".into(), motion(&equation)?.into()));
    outcome
        .notes
        .push("Störmer–Verlet with damping is of order 1 (trap 3); bdf2 starts by the implicit midpoint rule.".into());
    Ok(outcome)
}

/// z(t) in the first quarter of the interval, 64 steps in it.
fn motion(equation: &Equation) -> Result<Plot, ExperimentError> {
    let short = Equation { end: 0.25 * equation.end, ..*equation };
    let steps = 64;
    let time = |k: usize, of: usize| short.end * k as f64 / of as f64;
    let exact = (0..=400).map(|k| [time(k, 400), short.exact(time(k, 400))[0]]).collect();
    let mut series = vec![Series::new("exact", Style::Line, exact)];
    for method in METHODS.iter().filter(|m| ["explicit_euler", "implicit_euler", "bdf2"].contains(&m.name)) {
        let march = ode::march(&short, method.scheme, steps, Second::Midpoint)?;
        let points = march.path.iter().enumerate().map(|(k, q)| [time(k, steps), q[0]]).collect();
        series.push(Series::new(method.name.replace('_', " "), Style::Dashed, points));
    }
    Ok(Plot {
        title: format!("Hanging spring, h = {} s", short.end / steps as f64),
        x: Axis::new("time (s)"),
        y: Axis::new("z (m)"),
        series,
        is_equal: false,
    })
}
