//! Dependencies between crates point one way, and the mechanics stay free of files, threads of control and logs.

use anyhow::{Context, Result, bail};
use std::path::Path;

/// From the bottom up; crates of one rank do not know each other.
const RANKS: &[&[&str]] = &[
    &["toile-factor"],
    &["toile-core"],
    &["toile-contact"],
    &["toile-garment"],
    &["toile-io"],
    &["toile"],
    &["toile-cli", "toile-studio", "toile-py"],
];

/// Crates that must stay pure, and starts of names that they must not depend on.
const PURE: &[&str] = &["toile-core", "toile-contact"];
const IMPURE: &[&str] =
    &["serde", "tokio", "async", "futures", "smol", "log", "env_logger", "tracing", "reqwest", "hyper", "axum"];

/// Reads every `crates/*/Cargo.toml`.
pub(crate) fn check(root: &Path) -> Result<()> {
    let mut faults = Vec::new();
    for entry in std::fs::read_dir(root.join("crates"))? {
        let path = entry?.path().join("Cargo.toml");
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        faults.extend(violations(&text).with_context(|| path.display().to_string())?);
    }
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    Ok(())
}

fn rank(name: &str) -> Option<usize> {
    RANKS.iter().position(|layer| layer.contains(&name))
}

/// What is wrong with a manifest. Development dependencies may point anywhere: they are not shipped.
fn violations(manifest: &str) -> Result<Vec<String>> {
    let manifest: toml::Table = manifest.parse()?;
    let name = manifest.get("package").and_then(|p| p.get("name")).and_then(|n| n.as_str()).context("no name")?;
    let Some(own) = rank(name) else {
        return Ok(vec![format!("{name} is in no layer: add it to xtask/src/layers.rs")]);
    };
    let mut faults = Vec::new();
    for section in ["dependencies", "build-dependencies"] {
        let Some(table) = manifest.get(section).and_then(|d| d.as_table()) else { continue };
        for other in table.keys() {
            if rank(other).is_some_and(|other| other >= own) {
                faults.push(format!("{name} must not depend on {other}: dependencies point towards toile-core"));
            }
            if PURE.contains(&name) && IMPURE.iter().any(|start| other.starts_with(start)) {
                faults.push(format!("{name} must not depend on {other}: it has no files, no async and no logs"));
            }
        }
    }
    Ok(faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(name: &str, dependency: &str) -> usize {
        let text = format!("[package]\nname = \"{name}\"\n[dependencies]\n{dependency}.workspace = true\n");
        violations(&text).unwrap().len()
    }

    #[test]
    fn arrows_point_one_way() {
        assert_eq!(faults("toile", "toile-core"), 0);
        assert_eq!(faults("toile-io", "toile"), 1);
        assert_eq!(faults("toile-studio", "toile-cli"), 1);
        assert_eq!(faults("toile-core", "toile-core"), 1);
        assert_eq!(faults("toile-unknown", "glam"), 1);
    }

    #[test]
    fn mechanics_are_pure() {
        assert_eq!(faults("toile-core", "serde_json"), 1);
        assert_eq!(faults("toile-contact", "tracing"), 1);
        assert_eq!(faults("toile-core", "glam"), 0);
        assert_eq!(faults("toile-io", "serde"), 0);
    }

    #[test]
    fn this_workspace_is_layered() {
        check(&super::super::root()).unwrap();
    }
}
