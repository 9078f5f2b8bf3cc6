//! Project tasks: `cargo xtask check` does what the checks do.

mod garments;
mod layers;
mod readers;
mod silhouette;

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

const USAGE: &str = "usage: cargo xtask check | readers | garments PATTERNS BODIES [OPTION…] | silhouette A.obj B.obj

check     format, lints, documentation, crate layers, tests (book coverage and document limits are tests of `toile`), readers
readers   opens the files that Toile writes with readers that are not Toile's; needs python3 with pip
garments  the table of draped GarmentCode specifications: a folder of them, a folder with their bodies, options of toile drape
silhouette  how far the outlines of two draped garments are from each other, from the front and from the side";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["check"] => check(),
        ["readers"] => readers::check(&root()),
        ["garments", patterns, bodies, extra @ ..] => {
            garments::table(&root(), Path::new(patterns), Path::new(bodies), extra)
        }
        ["silhouette", a, b] => silhouette::compare(Path::new(a), Path::new(b)),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Cheap steps first: a layering slip should not wait for the tests.
fn check() -> Result<()> {
    let root = root();
    step("layers", || layers::check(&root))?;
    step("format", || cargo(&["fmt", "--all", "--check"], &[]))?;
    let clippy = ["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"];
    step("clippy", || cargo(&clippy, &[]))?;
    let doc = ["doc", "--workspace", "--no-deps", "--quiet"];
    step("rustdoc", || cargo(&doc, &[("RUSTDOCFLAGS", "-D warnings")]))?;
    step("tests", tests)?;
    step("readers", || readers::check(&root))?;
    eprintln!("all checks passed");
    Ok(())
}

/// nextest runs test binaries side by side but no examples in documentation; those follow.
fn tests() -> Result<()> {
    let has_nextest = Command::new("cargo").args(["nextest", "--version"]).output().is_ok_and(|o| o.status.success());
    if has_nextest {
        cargo(&["nextest", "run", "--workspace", "--no-fail-fast"], &[])?;
        cargo(&["test", "--workspace", "--doc", "--quiet"], &[])
    } else {
        cargo(&["test", "--workspace", "--quiet"], &[])
    }
}

fn step(name: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
    let start = Instant::now();
    work().with_context(|| format!("{name} failed"))?;
    eprintln!("{name}: good ({:.0} s)", start.elapsed().as_secs_f64());
    Ok(())
}

fn cargo(arguments: &[&str], environment: &[(&str, &str)]) -> Result<()> {
    let status = Command::new("cargo")
        .args(arguments)
        .envs(environment.iter().copied())
        .current_dir(root())
        .status()
        .context("cannot start cargo")?;
    if !status.success() {
        bail!("cargo {} ended with {status}", arguments.join(" "));
    }
    Ok(())
}

/// The workspace, whichever folder the task was started from.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}
