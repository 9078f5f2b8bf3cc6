//! S1-1: y′ = λy with λ = 2 and −15 on [0, 1] by every scheme. Source: Wacker05 part 3 Figs. 7 to 9, example 1.
//!
//! The engine carries y as the velocity of a particle with damping −λ. Exact: e^{λT}. Explicit schemes are stable for
//! |R(hλ)| ≤ 1: h ≤ 2/|λ| for Euler and midpoint (not the printed 1/λ, VALIDATION trap 2), 2.785293563/|λ| for RK4.

use super::ode::{self, Equation, METHODS};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use toile_core::integrate::Scheme;

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S1-1",
    title: "y' = λy: errors, orders and stability limits of the schemes",
    source: "Wacker05 part 3 example 1, exact solution",
    parameters: &[
        Parameter::number("lambda", -15.0, [-200.0, -0.01], "1/s", "λ of the decaying equation"),
        // With λ T/4 ≥ 1 the implicit schemes of the first marches have no solution.
        Parameter::number("lambda_growing", 2.0, [0.01, 3.5], "1/s", "λ of the growing equation"),
        Parameter::number("end", 1.0, [0.01, 1.0], "s", "end of the interval T"),
    ],
    run,
};

/// End of the real stability interval of RK4: root of z⁴/24 + z³/6 + z²/2 + z = 0 other than 0, with its sign turned.
const RK4_LIMIT: f64 = 2.785_293_563_405_282;

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let (lambda, end) = (settings.number("lambda"), settings.number("end"));
    let growing = settings.number("lambda_growing");
    let mut outcome = Outcome::default();
    // Störmer–Verlet is a scheme of second-order equations.
    let methods = &METHODS[..6];
    for (name, rate, problem, stem) in
        [("lambda_growing", growing, "ex1_lam2", "growing"), ("lambda", lambda, "ex1_lam-15", "decaying")]
    {
        let default = !settings.is_changed(name) && !settings.is_changed("end");
        let stored = if default { Some(ode::stored("S1-1", problem)?) } else { None };
        let equation = Equation::first_order(rate, end);
        ode::study(&mut outcome, (stem, &format!("y' = {rate} y")), &equation, methods, stored.as_ref())?;
    }
    let decaying = Equation::first_order(lambda, end);
    let limits = [
        ("explicit Euler", Scheme::ExplicitEuler, 2.0),
        ("explicit midpoint", Scheme::Midpoint, 2.0),
        ("RK4", Scheme::RungeKutta4, RK4_LIMIT),
    ];
    for (name, scheme, limit) in limits {
        // The position beside the velocity stands still and has |R| = 1: stability is that of the velocity alone.
        let found = limit_of_velocity(&decaying, scheme, lambda)?;
        let quantity = format!("longest stable step of {name} at λ = {lambda}");
        outcome.checks.push(Check::against(quantity, found, "s", limit / lambda.abs(), Tolerance::Relative(1e-6)));
    }
    outcome.notes.push("bdf2 is started by the implicit midpoint rule, as the stored errors are.".into());
    Ok(outcome)
}

/// Longest step with |v₁| ≤ |v₀|, by bisection.
fn limit_of_velocity(equation: &Equation, scheme: Scheme, lambda: f64) -> Result<f64, ExperimentError> {
    let [mut low, mut high] = [1.0 / lambda.abs(), 4.0 / lambda.abs()];
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        let steps = 8;
        let march =
            ode::march(&Equation { end: middle * steps as f64, ..*equation }, scheme, steps, ode::Second::Midpoint)?;
        if march.end()[1].abs() > 1.0 {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(0.5 * (low + high))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Other equations agree with the recursions, and keep orders and limits.
    #[test]
    fn bands_hold_for_other_parameters() {
        let mut settings = Settings::defaults(&EXPERIMENT);
        for (name, value) in [("lambda", "-40"), ("lambda_growing", "1"), ("end", "0.5")] {
            settings.set(name, value).unwrap();
        }
        let outcome = run(&settings).unwrap();
        let failed: Vec<_> = outcome.checks.iter().filter(|c| c.pass() == Some(false)).collect();
        assert!(failed.is_empty(), "{failed:#?}");
    }
}
