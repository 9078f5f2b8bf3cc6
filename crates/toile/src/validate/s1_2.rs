//! S1-2: y″ = −5y′ − 2.5y and y″ = −5y′ − 5y, y(0) = 0, y′(0) = 1 on [0, 10]. Source: Wacker05 part 3 Figs. 9 and 11, example 2.
//!
//! The text, the captions and the printed solution of the source disagree (VALIDATION trap 1): the printed solution solves the
//! first equation, the captions name the second. Both are run. Exact: y(10) = 9.2187e-4 and 4.4536e-7.

use super::ode::{self, Equation, METHODS};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use toile_core::integrate::Scheme;

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S1-2",
    title: "overdamped oscillator: errors and orders of the schemes",
    source: "Wacker05 part 3 example 2, exact solution",
    parameters: &[
        Parameter::number("stiffness", 2.5, [0.01, 1000.0], "1/s²", "k of y'' = −d y' − k y"),
        Parameter::number("caption_stiffness", 5.0, [0.01, 1000.0], "1/s²", "k of the second equation"),
        Parameter::number("damping", 5.0, [0.0, 200.0], "1/s", "d of both equations"),
        Parameter::number("velocity", 1.0, [-1e3, 1e3], "m/s", "y'(0)"),
        Parameter::number("end", 10.0, [0.1, 100.0], "s", "end of the interval T"),
    ],
    run,
};

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let (damping, velocity, end) = (settings.number("damping"), settings.number("velocity"), settings.number("end"));
    let shared = ["damping", "velocity", "end"].iter().any(|n| settings.is_changed(n));
    let mut outcome = Outcome::default();
    for (name, problem, stem, value, digits) in [
        ("stiffness", "ex2", "printed", 9.2187e-4, 5e-9),
        ("caption_stiffness", "ex2_caption", "caption", 4.4536e-7, 5e-12),
    ] {
        let stiffness = settings.number(name);
        let default = !shared && !settings.is_changed(name);
        let stored = if default { Some(ode::stored("S1-2", problem)?) } else { None };
        let equation = Equation::oscillator(stiffness, damping, velocity, end);
        let title = format!("y'' = −{damping} y' − {stiffness} y");
        ode::study(&mut outcome, (stem, &title), &equation, &METHODS, stored.as_ref())?;
        let fine = ode::march(&equation, Scheme::RungeKutta4, 1 << 14, ode::Second::Midpoint)?.end()[0];
        let (reference, band) = if default {
            (value, Tolerance::Absolute(digits))
        } else {
            let exact = equation.exact(end)[0];
            (exact, Tolerance::Absolute(1e-6 * exact.abs() + 1e-13 * velocity.abs()))
        };
        outcome.checks.push(Check::against(format!("{title}: y(T) by RK4, 16384 steps"), fine, "m", reference, band));
    }
    outcome
        .notes
        .push("Störmer–Verlet with damping is of order 1 (trap 3); bdf2 starts by the implicit midpoint rule.".into());
    Ok(outcome)
}
