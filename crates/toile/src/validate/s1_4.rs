//! S1-4: the undamped oscillator y″ = −5y, y(0) = 0, y′(0) = 1 on [0, 10], and the amplification per step of the implicit schemes.
//! Source: Wacker05 part 3 Fig. 13 (caption; the text lost the sign, VALIDATION trap 2).
//!
//! |R| of implicit Euler is 1/√(1 + z²), of the midpoint rule 1, with z = ωh; those of the two-step rules are the larger
//! root of their recursion. Measured as the spectral radius of the engine's step map.

use super::ode::{self, Equation, METHODS};
use super::reference;
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};
use toile_core::integrate::{Rule, Scheme, Solve};

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S1-4",
    title: "undamped oscillator: orders and amplification per step",
    source: "Wacker05 part 3 Fig. 13, exact solution",
    parameters: &[
        Parameter::number("stiffness", 5.0, [0.01, 1000.0], "1/s²", "k = ω²"),
        Parameter::number("velocity", 1.0, [-1e3, 1e3], "m/s", "y'(0)"),
        Parameter::number("end", 10.0, [0.1, 100.0], "s", "end of the interval T"),
        Parameter::number("angle", 1.0, [1e-3, 1e3], "–", "a further ωh for the table of amplifications"),
    ],
    run,
};

/// Column of the table and rule.
const RULES: [(&str, Rule); 5] = [
    ("implicit_euler", Rule::Euler { alpha: 1.0 }),
    ("implicit_midpoint", Rule::Euler { alpha: 0.5 }),
    ("bdf2_max_root", Rule::Bdf2 { alpha: 1.0 }),
    ("gen_bdf2_alpha_1/sqrt3", Rule::Bdf2 { alpha: 0.577_350_269_189_625_8 }),
    ("gen_bdf2_alpha_1/3", Rule::Bdf2 { alpha: 1.0 / 3.0 }),
];

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let (stiffness, velocity) = (settings.number("stiffness"), settings.number("velocity"));
    let equation = Equation::oscillator(stiffness, 0.0, velocity, settings.number("end"));
    let default = !["stiffness", "velocity", "end"].iter().any(|n| settings.is_changed(n));
    let stored = if default { Some(ode::stored("S1-4", "undamped")?) } else { None };
    let mut outcome = Outcome::default();
    let title = format!("y'' = −{stiffness} y");
    ode::study(&mut outcome, ("work", &title), &equation, &METHODS, stored.as_ref())?;

    let table = reference::named_table("S1-4", "amplification.csv")?;
    let omega = stiffness.sqrt();
    let mut series = Vec::new();
    for (name, rule) in RULES {
        let scheme = Scheme::Implicit { rule, solve: Solve::Newton };
        let label = name.replace("_max_root", "").replace('_', " ");
        for [angle, expected] in table.points("omega*h", name)? {
            let found = ode::amplification(&equation, scheme, angle / omega)?;
            // Positions cancel to ωh of their digits.
            let band = Tolerance::Relative(1e-9);
            outcome.checks.push(Check::against(format!("|R| of {label} at ωh = {angle}"), found, "–", expected, band));
        }
        let angle = settings.number("angle");
        let found = ode::amplification(&equation, scheme, angle / omega)?;
        let expected = ode::recursive_amplification(&equation, scheme, angle / omega)?;
        let quantity = format!("|R| of {label} at the chosen ωh = {angle}");
        outcome.checks.push(Check::against(quantity, found, "–", expected, Tolerance::Relative(1e-9)));
        let mut points = Vec::new();
        for k in 0..=60 {
            let angle = 10f64.powf(-2.0 + 4.0 * f64::from(k) / 60.0);
            points.push([angle, ode::amplification(&equation, scheme, angle / omega)?]);
        }
        series.push(Series::new(label, Style::Line, points));
    }
    let plot = Plot {
        title: "Amplification of an undamped oscillator per step".into(),
        x: Axis::log("ωh (–)"),
        y: Axis::new("|R| (–)"),
        series,
        is_equal: false,
    };
    outcome.plots.push(("amplification".into(), plot.into()));
    outcome.notes.push("bdf2 is started by the implicit midpoint rule, as the stored errors are.".into());
    Ok(outcome)
}
