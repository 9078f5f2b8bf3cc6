//! Documents that must keep up with the code: the book, ARCHITECTURE.md, README.md.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::path::{Path, PathBuf};
use toile::registry::registries;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn pages() -> Vec<(String, String)> {
    let mut pages = Vec::new();
    let mut folders = vec![root().join("docs/book/src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "md") {
                let name = path.strip_prefix(root().join("docs/book/src")).unwrap().display().to_string();
                pages.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    pages.sort();
    pages
}

/// A registry entry has a heading with its name in code quotes, a row of a table that starts with it, or a page of its name.
#[test]
fn every_registry_name_is_in_the_book() {
    let pages = pages();
    let mut missing = Vec::new();
    for registry in registries() {
        for entry in registry.entries {
            let quoted = format!("`{}`", entry.name);
            let has_page = pages.iter().any(|(name, _)| name.ends_with(&format!("/{}.md", entry.name)));
            let has_section = pages.iter().any(|(_, text)| {
                text.lines()
                    .any(|l| (l.starts_with('#') && l.contains(&quoted)) || l.starts_with(&format!("| {quoted} |")))
            });
            if !has_page && !has_section {
                missing.push(format!("{} {}", registry.name, entry.name));
            }
        }
    }
    assert!(missing.is_empty(), "no page or section in docs/book/src for: {}", missing.join(", "));
}

/// The summary lists every page, and only pages that exist.
#[test]
fn summary_and_pages_agree() {
    let summary = read("docs/book/src/SUMMARY.md");
    let linked: Vec<&str> = summary.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    for page in &linked {
        assert!(root().join("docs/book/src").join(page).is_file(), "SUMMARY.md links to {page}");
    }
    for (name, _) in pages() {
        assert!(name == "SUMMARY.md" || linked.contains(&name.as_str()), "{name} is not in SUMMARY.md");
    }
}

/// Sources of experiments use keys of the references page.
#[test]
fn sources_are_in_the_references() {
    let references = read("docs/book/src/references.md");
    for experiment in toile::validate::EXPERIMENTS {
        let key = experiment.source.split_whitespace().next().unwrap();
        assert!(references.contains(&format!("**{key}**")), "{}: {key}", experiment.id);
    }
}

/// Every path that ARCHITECTURE.md puts in code quotes exists.
#[test]
fn architecture_names_real_paths() {
    let text = read("ARCHITECTURE.md");
    assert!(text.lines().count() <= 250);
    let quoted = text.split('`').skip(1).step_by(2);
    let paths: Vec<&str> = quoted.filter(|q| q.contains('/') && !q.contains([' ', '<', '*', ':', '('])).collect();
    assert!(paths.len() > 15);
    for path in paths {
        assert!(root().join(path).exists(), "ARCHITECTURE.md names {path}");
    }
}

#[test]
fn readme_is_short_and_its_test_command_is_what_ci_runs() {
    let readme = read("README.md");
    assert!(readme.lines().count() <= 120);
    assert!(readme.contains("cargo xtask check") && read(".ci/run").contains("\ncargo xtask check"));
}
