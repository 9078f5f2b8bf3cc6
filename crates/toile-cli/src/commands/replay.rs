//! `toile replay`: opens the step that failed.

use super::run::{problems, scene_path};
use crate::output::{Failure, Output};
use std::path::PathBuf;
use toile::io::scene;
use toile::run::{RunError, replay};

/// Try the failing step of a run again and say what happens in it
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Folder of the run
    run: PathBuf,
    /// Scene file; the one the run was started with when left out
    #[arg(long)]
    scene: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    let path = match &arguments.scene {
        Some(path) => scene_path(path),
        None => recorded_scene(arguments)?,
    };
    let (scene, _) = scene::read(&path).map_err(problems)?;
    let found = replay(&scene, &arguments.run).map_err(|error| match error {
        RunError::Problems(list) => problems(list),
        other => Failure::input(other),
    })?;
    output.line(format!("step {} at {:.6} s", found.steps_before + 1, found.time_s))?;
    for attempt in &found.attempts {
        let said = match (&attempt.report, &attempt.message) {
            (Some(r), _) => {
                format!("succeeds: {} Newton, {} linear iterations, residual {:.3}", r.newton, r.linear, r.residual)
            }
            (_, Some(message)) => format!("fails: {message}"),
            _ => String::new(),
        };
        output.line(format!("  {:>9.4} ms  {said}", attempt.step_ms))?;
    }
    Ok(())
}

fn recorded_scene(arguments: &Arguments) -> Result<PathBuf, Failure> {
    let record = arguments.run.join("run.json");
    let text = std::fs::read_to_string(&record).map_err(|e| Failure::input(format!("{}: {e}", record.display())))?;
    let value: serde_json::Value =
        serde_json::from_str(&text).map_err(|e| Failure::input(format!("{}: {e}", record.display())))?;
    let path = value["inputs"][0]["path"].as_str().map(PathBuf::from);
    path.ok_or_else(|| Failure::input(format!("{} names no scene: give it with --scene", record.display())))
}
