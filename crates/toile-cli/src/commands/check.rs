//! `toile check`: what is wrong with a file, without running it.

use super::run::scene_path;
use crate::output::{Failure, Output};
use std::path::{Path, PathBuf};
use toile::io::{Problem, fabric, garment, scene};

/// Say everything that is wrong with scene, fabric and garment files
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Scene, fabric or garment files, or folders with a `scene.toml`
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    let mut errors = 0;
    for file in &arguments.files {
        let path = scene_path(file);
        let problems = check(&path);
        errors += problems.iter().filter(|p| p.is_error()).count();
        if problems.is_empty() && !output.json {
            output.line(format!("{}: good", path.display()))?;
        }
        for problem in &problems {
            if output.json {
                output.record(&as_json(problem))?;
            } else {
                output.line(problem.to_string())?;
            }
        }
    }
    match errors {
        0 => Ok(()),
        1 => Err(Failure::input("1 mistake")),
        n => Err(Failure::input(format!("{n} mistakes"))),
    }
}

/// Fabric and garment files say so in their first key, and JSON is a GarmentCode pattern; everything else is taken for a scene.
fn check(path: &Path) -> Vec<Problem> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let json = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
    if text.contains("toile-fabric/") {
        fabric::check(&text, path)
    } else if json || text.contains("toile-garment/") {
        garment::check(path)
    } else {
        scene::check(path)
    }
}

fn as_json(p: &Problem) -> serde_json::Value {
    serde_json::json!({
        "file": p.path.display().to_string(),
        "line": p.line,
        "column": p.column,
        "severity": if p.is_error() { "error" } else { "warning" },
        "key": p.key,
        "value": p.value,
        "message": p.message,
        "help": p.help,
    })
}
