//! C-01: continuous collision detection against the truth, on families of hard queries. Source: Wang21 (its measures and sorts of
//! queries; the queries are made here from a seed).
//!
//! The truth comes from bisection of time with certificates in outward rounded intervals, independent of what is tested. Per query:
//! - **missed**: the distance truly reaches the minimum separation ξ, no impact was reported;
//! - **false alarm**: an impact was reported, though the distance provably never reaches ξ. It depends on the reserve kept: a pair may by
//!   contract be stopped at ξ + keep·(d₀−ξ);
//! - **late**: the time reported is after the true one, or the distance provably falls below the reserve before it.

use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};
use rayon::prelude::*;
use toile_contact::ccd::families::{FAMILIES, Family};
use toile_contact::ccd::oracle::{self, Truth};
use toile_contact::ccd::time_of_impact;

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "C-01",
    title: "continuous collision detection: missed, false, late",
    source: "Wang21 (measures and sorts of queries); truth by interval bisection",
    parameters: &[
        Parameter::number("queries", 10_000.0, [100.0, 1e7], "–", "queries of each family"),
        Parameter::number("seed", 1.0, [0.0, 1e9], "–", "of the queries"),
        Parameter::number("keep", 1e-7, [0.0, 0.9], "–", "share of d₀−ξ that is kept"),
        Parameter::number(
            "solver_keep",
            0.2,
            [0.0, 0.9],
            "–",
            "the same in a simulation: its alarms are reported, not judged",
        ),
    ],
    run,
};

/// Counts of a family.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Tally {
    hits: usize,
    clear: usize,
    missed: usize,
    false_alarms: usize,
    solver_alarms: usize,
    late: usize,
    unknown: usize,
    /// Sum of what was given away of the time to a hit.
    early: f64,
}

impl Tally {
    fn plus(self, other: Self) -> Self {
        Self {
            hits: self.hits + other.hits,
            clear: self.clear + other.clear,
            missed: self.missed + other.missed,
            false_alarms: self.false_alarms + other.false_alarms,
            solver_alarms: self.solver_alarms + other.solver_alarms,
            late: self.late + other.late,
            unknown: self.unknown + other.unknown,
            early: self.early + other.early,
        }
    }

    fn percent(&self, alarms: usize) -> f64 {
        100.0 * alarms as f64 / self.clear.max(1) as f64
    }
}

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let (queries, seed) = (settings.count("queries") as u64, settings.count("seed") as u64);
    let keeps = [settings.number("keep"), settings.number("solver_keep")];
    let mut outcome = Outcome::default();
    let mut tallies = Vec::new();
    for family in FAMILIES {
        let starts: Vec<u64> = (0..queries).step_by(100).collect();
        let part = |start: &u64| {
            let range = *start..(start + 100).min(queries);
            range.fold(Tally::default(), |sum, index| sum.plus(judged(family, seed, index, keeps)))
        };
        let parts: Vec<Tally> = starts.par_iter().map(part).collect();
        let tally = parts.into_iter().fold(Tally::default(), Tally::plus);
        outcome.checks.extend(checks(family.name, &tally));
        tallies.push(tally);
    }
    outcome.plots.push(("alarms".into(), bars(&tallies).into()));
    outcome.notes.push(format!("A false alarm is judged at keep = {}: reported, but provably never at ξ.", keeps[0]));
    let names: Vec<String> = FAMILIES.iter().enumerate().map(|(k, f)| format!("{} {}", k + 1, f.name)).collect();
    outcome.notes.push(format!("Families: {}.", names.join(", ")));
    Ok(outcome)
}

fn judged(family: &Family, seed: u64, index: u64, [keep, solver_keep]: [f64; 2]) -> Tally {
    let query = family.query(seed, index);
    let found = time_of_impact(&query, keep, 1.0);
    let in_solver = time_of_impact(&query, solver_keep, 1.0);
    let mut tally = Tally::default();
    match oracle::first_time(&query, query.offset, 1.0) {
        Truth::Clear => {
            tally.clear = 1;
            tally.false_alarms = usize::from(found.is_some());
            tally.solver_alarms = usize::from(in_solver.is_some());
        }
        Truth::Reaches { by, .. } => {
            tally.hits = 1;
            tally.missed = usize::from(found.is_none() || in_solver.is_none());
            tally.late = usize::from(found.is_some_and(|t| t > by));
            tally.early = found.map_or(0.0, |t| (by - t) / by.max(f64::MIN_POSITIVE));
        }
        Truth::Unknown => tally.unknown = 1,
    }
    let room = oracle::start_distance(&query) - query.offset;
    for (keep, found) in [(keep, found), (solver_keep, in_solver)] {
        // The reserve itself is only known to rounding.
        let reserve = query.offset + keep * room * (1.0 - 1e-12);
        let until = found.unwrap_or(1.0);
        match oracle::first_time(&query, reserve, until) {
            Truth::Reaches { .. } if until > 0.0 => tally.late += 1,
            Truth::Unknown => tally.unknown += 1,
            _ => {}
        }
    }
    tally
}

fn checks(name: &str, tally: &Tally) -> Vec<Check> {
    let most = |what: &str, value: f64, unit, limit: f64| {
        Check::against(format!("{name}: {what}"), value, unit, limit, Tolerance::AtMost)
    };
    vec![
        Check::report(format!("{name}: truly collide"), tally.hits as f64, "–"),
        most("missed", tally.missed as f64, "–", 0.0),
        most("late", tally.late as f64, "–", 0.0),
        most("without a truth", tally.unknown as f64, "–", 0.0),
        most("false alarms", tally.percent(tally.false_alarms), "%", 5.0),
        Check::report(format!("{name}: alarms of the solver"), tally.percent(tally.solver_alarms), "%"),
        Check::report(format!("{name}: time given away"), 100.0 * tally.early / tally.hits.max(1) as f64, "%"),
    ]
}

/// Two bars a family: false alarms, and what was missed.
fn bars(tallies: &[Tally]) -> Plot {
    let mut series = Vec::new();
    for (k, tally) in tallies.iter().enumerate() {
        let missed = 100.0 * tally.missed as f64 / tally.hits.max(1) as f64;
        let measured = [("false alarms", tally.percent(tally.false_alarms)), ("missed", missed)];
        for (m, (name, height)) in measured.into_iter().enumerate() {
            let left = k as f64 + 0.65 + 0.35 * m as f64;
            let points = vec![[left, 0.0], [left, height], [left + 0.3, height], [left + 0.3, 0.0]];
            let name = if k == 0 { name } else { "" };
            series.push(Series { colour: Some(m), ..Series::new(name, Style::Loop, points) });
        }
    }
    let limit = vec![[0.5, 5.0], [tallies.len() as f64 + 0.5, 5.0]];
    series.push(Series { colour: Some(2), ..Series::new("limit of false alarms", Style::Dashed, limit) });
    Plot {
        title: "Collision detection: share of clear queries alarmed, of hits missed".into(),
        x: Axis { range: Some([0.5, tallies.len() as f64 + 0.5]), ..Axis::new("family, as numbered in the notes") },
        y: Axis { range: Some([0.0, 6.0]), ..Axis::new("share (%)") },
        series,
        is_equal: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_seeds_and_reserves_are_safe() {
        let mut settings = Settings::defaults(&EXPERIMENT);
        for (name, value) in [("queries", "300"), ("seed", "77"), ("keep", "1e-8"), ("solver_keep", "0.5")] {
            settings.set(name, value).unwrap();
        }
        let outcome = run(&settings).unwrap();
        assert!(outcome.pass(), "{:?}", outcome.checks);
    }

    /// The judge sees what it should: with nothing to tell the truth from, a blind detector would miss every hit.
    #[test]
    fn families_hold_hits_and_misses() {
        for family in FAMILIES {
            let tally = (0..300).fold(Tally::default(), |sum, i| sum.plus(judged(family, 1, i, [0.5, 0.5])));
            assert!(tally.hits > 10 || family.name == "near miss", "{}: {tally:?}", family.name);
            assert!(tally.clear > 10 || family.name == "grazing", "{}: {tally:?}", family.name);
            assert_eq!((tally.missed, tally.late, tally.unknown), (0, 0, 0), "{}", family.name);
        }
    }
}
