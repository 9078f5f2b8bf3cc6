//! `toile validate`: published experiments, their checks and a report.

use crate::Common;
use crate::output::{Failure, Output, progress};
use std::path::Path;
use toile::nearest::nearest;
use toile::validate::{
    Check, EXPERIMENTS, Experiment, ExperimentError, Finished, Kind, Settings, check_line, experiment, experiment_line,
    write_report,
};

/// Run published experiments and write a report
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Experiments; all of them by default
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Change a parameter of the experiments that have it
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// List the experiments and their parameters instead of running them
    #[arg(long)]
    list: bool,
}

pub(crate) fn run(arguments: &Arguments, common: &Common, output: &mut Output) -> Result<(), Failure> {
    let chosen = chosen(&arguments.ids)?;
    if arguments.list {
        return list(&chosen, output);
    }
    let runs = runs(&chosen, &arguments.set)?;
    let bar = progress(runs.len());
    let mut finished = Vec::new();
    for (experiment, settings) in runs {
        bar.set_message(experiment.id);
        let run = Finished { experiment, outcome: (experiment.run)(&settings), settings };
        bar.suspend(|| print(&run, output))?;
        finished.push(run);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let folder = common.output.as_deref().unwrap_or(Path::new("out/validate"));
    let passed = finished.iter().filter(|f| f.pass()).count();
    write_report(folder, &finished).map_err(Failure::failed)?;
    if !output.json {
        output.line(format!("{passed} of {} runs within their bands", finished.len()))?;
        output.line(format!("report: {}", folder.join("report.html").display()))?;
    }
    conclude(&finished)
}

/// The experiments asked for, or all.
fn chosen(ids: &[String]) -> Result<Vec<&'static Experiment>, Failure> {
    if ids.is_empty() {
        return Ok(EXPERIMENTS.to_vec());
    }
    let find = |id: &String| {
        experiment(id).ok_or_else(|| {
            let hint = match nearest(id, EXPERIMENTS.iter().map(|e| e.id)) {
                Some(close) => format!("did you mean {close}?"),
                None => "see `toile validate --list`".into(),
            };
            Failure::input(format!("no experiment \"{id}\": {hint}"))
        })
    };
    ids.iter().map(find).collect()
}

/// Every experiment once on each kind of mesh it knows, unless the kind was set.
fn runs(chosen: &[&'static Experiment], set: &[String]) -> Result<Vec<(&'static Experiment, Settings)>, Failure> {
    let is_set = set.iter().any(|s| s.split_once('=').is_some_and(|(name, _)| name.trim() == "mesh"));
    let mut runs = Vec::new();
    for (&experiment, settings) in chosen.iter().zip(settings(chosen, set)?) {
        let mesh = experiment.parameters.iter().find(|p| p.name == "mesh" && !is_set);
        match mesh.map(|p| p.kind) {
            Some(Kind::Word { allowed, .. }) => {
                for word in allowed {
                    let mut settings = settings.clone();
                    settings.set("mesh", word).map_err(Failure::input)?;
                    runs.push((experiment, settings));
                }
            }
            _ => runs.push((experiment, settings)),
        }
    }
    Ok(runs)
}

/// Values for each experiment. A name that only some of them know changes only those; one that none knows is an error.
fn settings(chosen: &[&'static Experiment], set: &[String]) -> Result<Vec<Settings>, Failure> {
    let mut all: Vec<Settings> = chosen.iter().map(|e| Settings::defaults(e)).collect();
    for text in set {
        let (name, value) =
            text.split_once('=').ok_or_else(|| Failure::input(format!("--set {text}: expected NAME=VALUE")))?;
        let name = name.trim();
        let knows = |settings: &Settings| settings.values().any(|(p, _)| p.name == name);
        let is_known = all.iter().any(knows);
        // An unknown name goes to the first experiment, whose refusal names the nearest parameter.
        for (k, settings) in all.iter_mut().enumerate() {
            if knows(settings) || (!is_known && k == 0) {
                settings.set(name, value).map_err(Failure::input)?;
            }
        }
    }
    Ok(all)
}

fn list(chosen: &[&'static Experiment], output: &mut Output) -> Result<(), Failure> {
    for experiment in chosen {
        if output.json {
            output.line(experiment_line(experiment))?;
            continue;
        }
        output.line(format!("{:<6} {} ({})", experiment.id, experiment.title, experiment.source))?;
        for p in experiment.parameters {
            let default = match p.kind {
                Kind::Number { default, .. } => format!("{default} {}", p.unit),
                Kind::Word { allowed, .. } => allowed.join("|"),
            };
            output.line(format!("         {:<12} {:<24} {}", p.name, default, p.meaning))?;
        }
    }
    Ok(())
}

fn print(run: &Finished, output: &mut Output) -> Result<(), Failure> {
    let id = run.experiment.id;
    if !output.json {
        output.line(format!("{}  {}", run.label(), run.experiment.title))?;
    }
    match &run.outcome {
        Err(error) => eprintln!("error: {id}: {error}"),
        Ok(outcome) => {
            for check in &outcome.checks {
                let json = output.json;
                output.line(if json { check_line(id, run.settings.mesh(), check) } else { row(check) })?;
            }
        }
    }
    Ok(())
}

/// A check as a line of text.
fn row(check: &Check) -> String {
    let verdict = match check.pass() {
        Some(true) => "pass",
        Some(false) => "FAIL",
        None => "–",
    };
    let error = match (check.relative_error(), check.reference) {
        (Some(error), _) => format!("{error:+.1e}"),
        (None, Some(reference)) => format!("{:+.1e}", check.value - reference),
        (None, None) => String::new(),
    };
    let tolerance = check.tolerance.map(|t| t.to_string()).unwrap_or_default();
    format!("  {verdict:<5} {:<62} {:>14.7e} {:<4} {error:>9}  {tolerance}", check.quantity, check.value, check.unit)
}

fn conclude(finished: &[Finished]) -> Result<(), Failure> {
    // A set-up that the given parameters make impossible is bad input; everything else that went wrong is a failure.
    let is_input = |f: &Finished| {
        f.settings.values().any(|(p, _)| p.name != "mesh" && f.settings.is_changed(p.name))
            && matches!(f.outcome, Err(ExperimentError::Setup(_)))
    };
    if let Some(run) = finished.iter().find(|f| is_input(f)) {
        return Err(Failure::input(format!("{}: these parameters cannot be set up", run.experiment.id)));
    }
    if finished.iter().all(Finished::pass) { Ok(()) } else { Err(Failure::failed("")) }
}
