//! `toile run`, and `toile drape` of a scene: through time, or to equilibrium.

use crate::Common;
use crate::output::{Failure, Output};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use toile::io::Problem;
use toile::io::scene::{self, Scene};
use toile::results::{file_name, finish};
use toile::run::{Clock, Event, Folder, Record, RunError, Start, Task, run as carry_out};

/// Simulate a scene in time
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Scene file, or a folder with a `scene.toml`
    scene: PathBuf,
    #[command(flatten)]
    options: Options,
}

/// Options of both commands
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Go on with the run in the folder, to the bit
    #[arg(long, conflicts_with = "force")]
    pub(crate) resume: bool,
    /// Start anew in a folder that is not empty; files of the earlier run are removed
    #[arg(long)]
    pub(crate) force: bool,
    /// Only the numbers: no pictures, exports or report
    #[arg(long)]
    pub(crate) bare: bool,
    /// Stop after this simulated time (s) instead of the scene's
    #[arg(long, value_name = "S")]
    pub(crate) duration: Option<f64>,
}

pub(crate) fn run(arguments: &Arguments, common: &Common, output: &mut Output) -> Result<(), Failure> {
    carry(Task::Run, &arguments.scene, &arguments.options, common, output)
}

/// Carries a scene through time or to equilibrium.
pub(crate) fn carry(
    task: Task,
    scene: &Path,
    arguments: &Options,
    common: &Common,
    output: &mut Output,
) -> Result<(), Failure> {
    let clock = Clock::start();
    let path = scene_path(scene);
    let (mut scene, warnings) = scene::read(&path).map_err(problems)?;
    for warning in &warnings {
        eprintln!("{warning}");
    }
    if let Some(duration) = arguments.duration {
        if !(duration >= 0.0 && duration.is_finite()) {
            return Err(Failure::input(format!("--duration {duration}: expected a time in seconds")));
        }
        scene.simulation.duration = duration;
    }
    let start = match (arguments.resume, arguments.force) {
        (true, _) => Start::Resume,
        (_, true) => Start::Over,
        _ => Start::New,
    };
    let place = common.output.clone().unwrap_or_else(|| Path::new("out").join(file_name(&scene.name)));
    let folder = Folder::open(&place, start).map_err(failure)?;
    let stop = stop_flag()?;
    let bar = bar(task, output.json);
    let outcome = {
        let mut tell = |event: &Event| tell(event, task, &bar, output);
        carry_out(&scene, task, &folder, clock.clone(), &stop, &mut tell)
    };
    bar.finish_and_clear();
    let mut record = outcome.map_err(failure)?;
    record.warnings = warnings.iter().map(ToString::to_string).collect();
    let made =
        if arguments.bare { Vec::new() } else { finish(&scene, &folder, &mut record, &clock).map_err(failure)? };
    record.take_times(&clock);
    record.write(&folder.file("run.json")).map_err(Failure::failed)?;
    summary(&scene, &record, &folder, &made, output)?;
    match &record.certificate {
        Some(c) if c.violations > 0 => {
            let first = c.by_frame.iter().position(|n| *n > 0).unwrap_or(0);
            Err(Failure::failed(format!("{}, the first in frame {first}: the result is not valid", c.said())))
        }
        _ => Ok(()),
    }
}

/// The file of a scene: a folder means its `scene.toml`.
pub(crate) fn scene_path(path: &Path) -> PathBuf {
    if path.is_dir() { path.join("scene.toml") } else { path.to_owned() }
}

/// All mistakes of an input.
pub(crate) fn problems(problems: Vec<Problem>) -> Failure {
    let count = problems.iter().filter(|p| p.is_error()).count();
    let lines = problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    Failure::input(format!("{count} mistake{} in the input\n{lines}", if count == 1 { "" } else { "s" }))
}

pub(crate) fn failure(error: RunError) -> Failure {
    match error {
        RunError::Folder(_) | RunError::Build(_) | RunError::Problems(_) => Failure::input(error),
        _ => Failure::failed(error),
    }
}

/// Set by Ctrl-C and SIGTERM; a second one ends the program at once.
fn stop_flag() -> Result<Arc<AtomicBool>, Failure> {
    let flag = Arc::new(AtomicBool::new(false));
    let seen = flag.clone();
    let handler = move || {
        if seen.swap(true, Ordering::Relaxed) {
            std::process::exit(1);
        }
        eprintln!("stopping after this step; once more to stop at once");
    };
    ctrlc::set_handler(handler).map_err(|e| Failure::failed(format!("cannot listen for Ctrl-C: {e}")))?;
    Ok(flag)
}

fn bar(task: Task, json: bool) -> ProgressBar {
    if json || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(0);
    let template = match task {
        Task::Run => "{bar:30} {percent:>3} %  step {pos}/{len}  {msg}  {elapsed} elapsed, {eta} left",
        Task::Drape => "{spinner} iteration {pos}  {msg}  {elapsed} elapsed",
    };
    bar.with_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()))
}

fn tell(event: &Event, task: Task, bar: &ProgressBar, output: &mut Output) {
    if output.json {
        // Losing a line of progress must not end a run.
        let _ = output.record(event);
        return;
    }
    match event {
        Event::Started { steps, done, .. } => {
            bar.set_length(*steps);
            bar.set_position(*done);
            bar.reset_eta();
        }
        Event::Untangle { round, crossings, inside } => {
            bar.set_message(format!("untangling: round {round}, {crossings} crossings, {inside} vertices inside"));
            bar.tick();
        }
        Event::Step { step, time_s, newton, linear, residual } => {
            bar.set_position(*step);
            bar.set_message(match task {
                Task::Run => format!("{time_s:.3} s  {newton} Newton, {linear} CG"),
                Task::Drape => format!("largest force {residual:.2e} N"),
            });
        }
        Event::Frame { .. } | Event::Checkpoint { .. } => {}
    }
}

fn summary(
    scene: &Scene,
    record: &Record,
    folder: &Folder,
    made: &[PathBuf],
    output: &mut Output,
) -> Result<(), Failure> {
    if output.json {
        return output.record(record);
    }
    let triangles: usize = scene.cloths.iter().map(|c| c.mesh.triangles.len()).sum();
    let what = match record.task {
        Task::Run => format!("{:.3} s in {} steps", record.simulated_s, record.steps),
        Task::Drape => {
            format!("equilibrium after {} iterations, largest force left {:.2e} N", record.steps, record.residual)
        }
    };
    output
        .line(format!("{}: {triangles} triangles, {what}, {:.1} s on the clock", record.name, record.seconds_total))?;
    if let Some(untangled) = &record.untangled {
        output.line(format!("  {}", untangled.said()))?;
    }
    if let Some(certificate) = &record.certificate {
        output.line(format!("  {}", certificate.said()))?;
    }
    for path in made {
        output.line(format!("  {}", path.display()))?;
    }
    output.line(format!("  {}  digest {}", folder.file("run.json").display(), record.digest))
}
