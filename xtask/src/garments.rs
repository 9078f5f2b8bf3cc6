//! Drapes every GarmentCode specification of a folder on its body and prints the table of `docs/book/src/draping.md`.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const HEAD: &str = "| garment | triangles | sewing / settling / all (s) | Newton: sewing; finest | support + held | residual | weft, warp strain 50, 95, 99 % | outcome |\n\
                    |---|---|---|---|---|---|---|---|";

/// A row for each `*_specification.json` below `patterns`, as it is done. The end of a name tells the body: `…_mean_female` goes on
/// `mean_female.obj` of `bodies`, a name that tells none on `mean_all.obj`. Extra arguments go to `toile drape`.
pub(crate) fn table(root: &Path, patterns: &Path, bodies: &Path, extra: &[&str]) -> Result<()> {
    let mut specifications = Vec::new();
    find(patterns, &mut specifications)?;
    specifications.sort();
    if specifications.is_empty() {
        bail!("{}: no file ends with _specification.json", patterns.display());
    }
    let build = Command::new("cargo").args(["build", "--release", "--bin", "toile"]).current_dir(root).status()?;
    if !build.success() {
        bail!("cargo build ended with {build}");
    }
    let mut out = std::io::stdout();
    writeln!(out, "{HEAD}")?;
    for path in &specifications {
        let name = path.file_name().map(|n| n.to_string_lossy().replace("_specification.json", "")).unwrap_or_default();
        let of = ["mean_female", "mean_male"].into_iter().find(|body| name.ends_with(body)).unwrap_or("mean_all");
        let folder = root.join("target/garments").join(&name);
        if folder.exists() {
            std::fs::remove_dir_all(&folder)?;
        }
        let mut drape = Command::new(root.join("target/release/toile"));
        drape.arg("drape").arg(path).arg("--body").arg(bodies.join(of).with_extension("obj"));
        drape.args(["--edge-mm", "10", "--threads", "1", "--bare", "-o"]).arg(&folder).args(extra);
        let output = drape.output().context("cannot start toile")?;
        let record = std::fs::read_to_string(folder.join("run.json")).ok();
        let errors = String::from_utf8_lossy(&output.stderr);
        let reason = errors.lines().find(|line| line.starts_with("error")).unwrap_or("error without a message");
        let outcome = if output.status.success() { "at rest, nothing crosses" } else { reason };
        writeln!(out, "{}", row(&name, record.and_then(|r| serde_json::from_str(&r).ok()), outcome))?;
    }
    Ok(())
}

fn find(folder: &Path, into: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, into)?;
        } else if path.to_string_lossy().ends_with("_specification.json") {
            into.push(path);
        }
    }
    Ok(())
}

fn row(name: &str, record: Option<Value>, outcome: &str) -> String {
    let Some(record) = record else { return format!("| {name} | | | | | | | {outcome} |") };
    let number = |pointer: &str| record.pointer(pointer).and_then(Value::as_f64).unwrap_or(f64::NAN);
    let seconds = record["seconds"].as_object();
    let phase = |start: &str| -> f64 {
        let of = seconds.into_iter().flatten().filter(|(key, _)| key.starts_with(start));
        of.filter_map(|(_, value)| value.as_f64()).sum()
    };
    let finest = record["levels"]
        .as_array()
        .and_then(|levels| levels.last())
        .map_or(0, |level| level["newton"].as_u64().unwrap_or(0));
    let strain = |of: &str| {
        ["p50", "p95", "p99"].map(|p| format!("{:.1}", 100.0 * number(&format!("/strain/{of}/{p}")))).join(" / ")
    };
    format!(
        "| {name} | {} | {:.0} / {:.0} / {:.0} | {}; {finest} | {:.3} + {:.3} | {:.2} | {}, {} | {outcome} |",
        number("/garment/triangles"),
        phase("sewing"),
        phase("settling"),
        number("/seconds_total"),
        number("/sewing/newton"),
        number("/support"),
        number("/held"),
        number("/residual"),
        strain("weft"),
        strain("warp"),
    )
}
