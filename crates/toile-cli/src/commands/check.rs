//! `toile check`: what is wrong with a file, without running it.

use super::run::scene_path;
use crate::output::{Failure, Output};
use std::path::{Path, PathBuf};
use toile::dress::{Subject, subject};
use toile::io::{Problem, fabric, garment, outfit, scene};

/// Say everything that is wrong with scene, outfit, fabric and garment files
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Scene, outfit, fabric or garment files, or folders with a `scene.toml` or `outfit.toml`
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    let mut errors = 0;
    for file in &arguments.files {
        let outfit = file.join("outfit.toml");
        let path = if outfit.exists() { outfit } else { scene_path(file) };
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

/// Fabric, outfit and garment files say so in their first key, and JSON is a GarmentCode pattern; everything else is taken for a scene.
fn check(path: &Path) -> Vec<Problem> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    if text.contains("toile-fabric/") {
        return fabric::check(&text, path);
    }
    match subject(path) {
        Ok(Some(Subject::Outfit(path))) => outfit::check(&path),
        Ok(Some(Subject::Garment(path))) => garment::check(&path),
        _ => scene::check(path),
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
