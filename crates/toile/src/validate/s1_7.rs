//! S1-7: energy of a falling square by integrator. Source: Volino05 part 2 Figs. 8 and 9.
//!
//! 50 × 50 cm, 100 N/m isotropic, 100 g/m², 2 cm² elements, one edge fixed, horizontal at the start, no damping and no bending. The
//! only loss is that of the scheme: Runge–Kutta keeps the total, much of it going to elastic jitter; backward Euler loses most,
//! BDF-2 less, its α = 1/√3 member still less, the midpoint rule nothing. Unit of energy: mgL/2.
//!
//! The midpoint rule keeps quadratic energies only: with compressed elements and steps far beyond their vibration it *gains*. At 2 ms
//! that is some hundredths in the first second; at 10 ms it blows up after 0.4 s, which is why the default step is short.

use super::setup::{MESH, rectangle, vertices_at};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};
use glam::DVec3;
use toile_core::fabric::Fabric;
use toile_core::integrate::{Integrator, Options, Precision, Rule, Scheme, Solve};
use toile_core::system::{Builder, System};

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S1-7",
    title: "energy of a falling square by integrator",
    source: "Volino05 part 2 Figs. 8 and 9",
    parameters: &[
        Parameter::number("side", 0.5, [0.05, 5.0], "m", "side L of the square"),
        Parameter::number("modulus", 100.0, [1.0, 1e5], "N/m", "membrane modulus"),
        Parameter::number("poisson", 0.0, [0.0, 0.45], "–", "Poisson ratio"),
        Parameter::number("density", 0.1, [0.01, 1.0], "kg/m²", "mass per area"),
        Parameter::number("element", 2e-4, [1e-6, 1.0], "m²", "mean area of an element"),
        Parameter::number("duration", 1.0, [0.05, 10.0], "s", "simulated time"),
        Parameter::number("step", 0.002, [1e-4, 0.1], "s", "step of the implicit schemes"),
        Parameter::number("tolerance", 1e-8, [1e-12, 1e-3], "m", "error per step of Runge–Kutta"),
        MESH,
    ],
    run,
};

/// Kinetic, gravity, elastic and total energy over time, in units of mgL/2.
struct Record {
    name: &'static str,
    rows: Vec<[f64; 5]>,
}

impl Record {
    fn total(&self) -> f64 {
        self.rows.last().map_or(f64::NAN, |r| r[4])
    }

    /// Largest distance of the total from its start.
    fn drift(&self) -> f64 {
        self.rows.iter().map(|r| r[4].abs()).fold(0.0, f64::max)
    }
}

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let (side, density) = (settings.number("side"), settings.number("density"));
    let (modulus, poisson) = (settings.number("modulus"), settings.number("poisson"));
    let mesh = rectangle(settings.word("mesh"), [side, side], (2.0 * settings.number("element")).sqrt())?;
    let fabric = Fabric::isotropic(modulus, poisson, 1e-9, density)?;
    let gravity = 9.81;
    let system = Builder::new(&mesh, &fabric)
        .bending("none")
        .gravity(DVec3::new(0.0, -gravity, 0.0))
        .pin("edge", vertices_at(&mesh, 0, 0.0))
        .build()?;
    let unit = 0.5 * system.total_mass() * gravity * side;
    let implicit = |rule| Scheme::Implicit { rule, solve: Solve::Newton };
    let schemes = [
        ("Runge–Kutta 5", Scheme::RungeKutta5),
        ("backward Euler", implicit(Rule::Euler { alpha: 1.0 })),
        ("BDF-2", implicit(Rule::Bdf2 { alpha: 1.0 })),
        ("BDF-2, α = 1/√3", implicit(Rule::Bdf2 { alpha: 1.0 / 3f64.sqrt() })),
        ("implicit midpoint", implicit(Rule::Euler { alpha: 0.5 })),
    ];
    let mut outcome = Outcome::default();
    let mut records = Vec::new();
    for (name, scheme) in schemes {
        let (record, cuts) = simulate(settings, &system, unit, name, scheme)?;
        if cuts > 0 {
            outcome.notes.push(format!("{name}: {cuts} steps had to be cut; a two-step rule restarts after a cut."));
        }
        records.push(record);
    }
    let drift = records[0].drift();
    let quantity = "Runge–Kutta: largest drift of the total energy over mgL/2";
    outcome.checks.push(Check::against(quantity, drift, "–", 0.0, Tolerance::Absolute(1e-3)));
    for record in &records {
        let quantity = format!("{}: energy lost at the end over mgL/2", record.name);
        outcome.checks.push(Check::report(quantity, -record.total(), "–"));
    }
    for pair in records[1..].windows(2) {
        let quantity = format!("{} loses more than {}, by", pair[0].name, pair[1].name);
        let more = pair[1].total() - pair[0].total();
        outcome.checks.push(Check::against(quantity, more, "–", 0.0, Tolerance::AtLeast));
    }
    let elastic = records[0].rows.iter().map(|r| r[3]).fold(0.0, f64::max);
    outcome.checks.push(Check::report("Runge–Kutta: largest elastic energy over mgL/2", elastic, "–"));
    for (k, (column, label)) in [(1, "kinetic"), (2, "potential"), (3, "elastic"), (4, "total")].into_iter().enumerate()
    {
        let line =
            |r: &Record| Series::new(r.name, Style::Line, r.rows.iter().map(|row| [row[0], row[column]]).collect());
        let plot = Plot {
            title: format!("Falling square: {label} energy"),
            x: Axis::new("time (s)"),
            y: Axis::new(format!("{label} energy over mgL/2 (–)")),
            series: records.iter().map(line).collect(),
            is_equal: false,
        };
        outcome.plots.push((format!("{}-{label}", k + 1), plot.into()));
    }
    Ok(outcome)
}

fn simulate(
    settings: &Settings,
    system: &System,
    unit: f64,
    name: &'static str,
    scheme: Scheme,
) -> Result<(Record, usize), ExperimentError> {
    let (duration, step) = (settings.number("duration"), settings.number("step"));
    let options = Options {
        // Far below the losses compared here: a hundredth of the free fall of one step.
        tolerance: 1e-2,
        linear_tolerance: 1e-2,
        precision: Precision::Double,
        explicit_tolerance: settings.number("tolerance"),
        ..Options::scheme(scheme)
    };
    let mut integrator = Integrator::new(system, options)?;
    let mut state = system.initial_state();
    let row = |state: &_| {
        let e = system.energies(state);
        [e.kinetic, e.gravity, e.elastic(), e.total()].map(|e| e / unit)
    };
    let start = row(&state);
    let mut rows = Vec::new();
    let mut cuts = 0;
    for _ in 0..=(duration / step).round() as usize {
        let now = row(&state);
        rows.push([state.time, now[0], now[1] - start[1], now[2], now[3] - start[3]]);
        let report = integrator.step(system, &mut state, step)?;
        cuts += usize::from(report.cuts > 0 && scheme != Scheme::RungeKutta5);
    }
    Ok((Record { name, rows }, cuts))
}
