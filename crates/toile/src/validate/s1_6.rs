//! S1-6: generalised BDF-2 by α. Source: Volino05 part 2 eqs. (14), (15).
//!
//! ΔQ = (I − αδ ∂Q′/∂Q)⁻¹(β(Q − Q₋₁) + δQ′), β = (2α−1)/(2α+1), δ = 2h/(2α+1), as a semi-implicit formula: one linear solve per
//! step. Its order is 2, but 3 at α = ⅓ (which amplifies oscillations); the third order printed for 1/√3 holds only if Q′(t + αh) is
//! known exactly (VALIDATION trap 4). α = ½ is the implicit midpoint rule, α = 0 leapfrog. The second value is the exact one.

use super::ode::{self, Equation, Second};
use super::reference;
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};
use toile_core::integrate::{Rule, Scheme, Solve};

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S1-6",
    title: "orders of generalised BDF-2 by α",
    source: "Volino05 part 2 eqs. (14), (15)",
    parameters: &[
        Parameter::number("alpha", 0.75, [0.0, 1.0], "–", "a further α beside 1, 1/√3, ½, ⅓ and 0"),
        Parameter::number("stiffness", 5.0, [0.01, 1000.0], "1/s²", "k of the undamped oscillator"),
        Parameter::number("lambda", -15.0, [-200.0, -0.01], "1/s", "λ of y' = λy"),
    ],
    run,
};

const INVERSE_ROOT: f64 = 0.577_350_269_189_625_8;

struct Problem {
    name: &'static str,
    equation: Equation,
    stored: bool,
}

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let spring = Equation {
        mass: 0.1,
        stiffness: 100.0,
        damping: 1.0,
        anchor: -1.0,
        gravity: -10.0,
        start: [-1.0, -5.0],
        end: 2.0,
        observed: 0,
    };
    let problems = [
        Problem {
            name: "undamped",
            equation: Equation::oscillator(settings.number("stiffness"), 0.0, 1.0, 10.0),
            stored: !settings.is_changed("stiffness"),
        },
        Problem { name: "ex3", equation: spring, stored: true },
        Problem {
            name: "ex1_lam-15",
            equation: Equation::first_order(settings.number("lambda"), 1.0),
            stored: !settings.is_changed("lambda"),
        },
    ];
    let mut outcome = Outcome::default();
    let mut series = Vec::new();
    let chosen = settings.number("alpha");
    for alpha in [1.0, INVERSE_ROOT, 0.5, 1.0 / 3.0, 0.0, chosen] {
        // Leapfrog has a root that grows under damping: only the undamped equation tells its order.
        let count = if alpha == 0.0 { 1 } else { problems.len() };
        for problem in &problems[..count] {
            orders(&mut outcome, problem, alpha)?;
        }
        let errors = [256, 512, 1024, 2048, 4096].map(|n| Ok([n as f64, error(&problems[0].equation, alpha, n)?.0]));
        let points = errors.into_iter().collect::<Result<Vec<_>, ExperimentError>>()?;
        series.push(Series::new(format!("α = {alpha:.3}"), Style::Line, points));
    }
    identities(&mut outcome, &problems[0].equation)?;
    let plot = Plot {
        title: "Generalised BDF-2 on the undamped oscillator".into(),
        x: Axis::log("steps (–)"),
        y: Axis::log("error at T (–)"),
        series,
        is_equal: false,
    };
    outcome.plots.push(("orders".into(), plot.into()));
    outcome.notes.push("1/√3 is of order 2 as printed, not 3 (trap 4). The second value is the exact one.".into());
    Ok(outcome)
}

fn scheme(alpha: f64) -> Scheme {
    Scheme::Implicit { rule: Rule::Bdf2 { alpha }, solve: Solve::Once }
}

/// |Error| at T of the engine and what rounding may add to it.
fn error(equation: &Equation, alpha: f64, steps: usize) -> Result<(f64, f64), ExperimentError> {
    let march = ode::march(equation, scheme(alpha), steps, Second::Exact)?;
    let rounding = ode::rounding(equation, scheme(alpha), &march.path);
    Ok(((march.end()[equation.observed] - equation.exact(equation.end)[equation.observed]).abs(), rounding))
}

/// Errors for 512, 1024 and 2048 steps against the table or the recursion, and the order.
fn orders(outcome: &mut Outcome, problem: &Problem, alpha: f64) -> Result<(), ExperimentError> {
    let equation = &problem.equation;
    let table = reference::table("S1-6")?.only("problem", problem.name)?;
    let row = table.numbers("alpha")?.iter().position(|a| problem.stored && (a - alpha).abs() < 1e-9);
    for steps in [512, 1024, 2048] {
        let (found, rounding) = error(equation, alpha, steps)?;
        let expected = match row {
            Some(row) => table.numbers(&format!("err_N{steps}"))?[row],
            None => {
                let end = ode::recursion(equation, scheme(alpha), steps, Second::Exact);
                (end[equation.observed] - equation.exact(equation.end)[equation.observed]).abs()
            }
        };
        let band = ode::band(expected, rounding);
        let quantity = format!("{}: |error| at T, α = {alpha:.4}, {steps} steps", problem.name);
        outcome.checks.push(Check::against(quantity, found, "–", expected, band));
    }
    let slope = slope(equation, alpha)?;
    let order = if (alpha - 1.0 / 3.0).abs() < 1e-9 { 3.0 } else { 2.0 };
    let quantity = format!("{}: order at α = {alpha:.4}", problem.name);
    // Near ⅓ the second-order term is small and both orders mix.
    let mixed = (alpha - 1.0 / 3.0).abs() < 0.05 && order == 2.0;
    outcome.checks.push(if mixed {
        Check::report(quantity, slope, "–")
    } else {
        Check::against(quantity, slope, "–", order, Tolerance::Absolute(0.05))
    });
    Ok(())
}

/// Order between the finest two marches, up to 2048 steps, whose errors stand clear of rounding.
fn slope(equation: &Equation, alpha: f64) -> Result<f64, ExperimentError> {
    let mut errors: Vec<f64> = Vec::new();
    for steps in [64, 128, 256, 512, 1024, 2048] {
        let (found, rounding) = error(equation, alpha, steps)?;
        if found < 30.0 * rounding && errors.len() > 1 {
            break;
        }
        // In the energy norm: an error of position alone may cross zero at T.
        let (end, exact) =
            (ode::march(equation, scheme(alpha), steps, Second::Exact)?.end(), equation.exact(equation.end));
        errors.push(equation.size([end[0] - exact[0], end[1] - exact[1]]));
    }
    let [.., coarse, fine] = errors[..] else { return Ok(f64::NAN) };
    Ok((coarse / fine).log2())
}

/// α = ½ against the engine's implicit midpoint rule, α = 0 against Q₊₁ = Q₋₁ + 2hQ′ written down here.
fn identities(outcome: &mut Outcome, equation: &Equation) -> Result<(), ExperimentError> {
    let steps = 512;
    let h = equation.end / steps as f64;
    let later = Equation { start: equation.exact(h), end: equation.end - h, ..*equation };
    let midpoint = Scheme::Implicit { rule: Rule::Euler { alpha: 0.5 }, solve: Solve::Once };
    let rule = ode::march(&later, midpoint, steps - 1, Second::Exact)?.path;
    let half = ode::march(equation, scheme(0.5), steps, Second::Exact)?.path;
    let zero = ode::march(equation, scheme(0.0), steps, Second::Exact)?.path;
    let mut leap = vec![equation.start, equation.exact(h)];
    while leap.len() <= steps {
        let [before, now] = [leap[leap.len() - 2], leap[leap.len() - 1]];
        leap.push([before[0] + 2.0 * h * now[1], before[1] - 2.0 * h * equation.stiffness * now[0]]);
    }
    let farthest = |a: &[ode::Point], b: &[ode::Point]| {
        a.iter().zip(b).map(|(a, b)| (a[0] - b[0]).abs().max((a[1] - b[1]).abs())).fold(0.0, f64::max)
    };
    // 512 steps of rounding, carried into velocities by the division through h.
    let band = Tolerance::Absolute(1e-11);
    let apart = farthest(&half[1..], &rule);
    outcome.checks.push(Check::against("α = ½ less the implicit midpoint rule, largest", apart, "–", 0.0, band));
    let apart = farthest(&zero, &leap);
    outcome.checks.push(Check::against("α = 0 less leapfrog, largest", apart, "–", 0.0, band));
    Ok(())
}
