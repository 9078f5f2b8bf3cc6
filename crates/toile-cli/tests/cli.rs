//! The program as its users see it: text, JSON and exit codes.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::path::PathBuf;
use std::process::{Command, Output};

fn toile(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_toile")).args(arguments).output().unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A folder of its own for each test.
fn folder(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("toile-cli-{name}-{}", std::process::id()))
}

#[test]
fn validate_prints_json_lines_and_writes_a_report() {
    let folder = folder("json");
    let run = toile(&["validate", "S0-1", "s1-5", "--json", "-o", folder.to_str().unwrap()]);
    assert_eq!(code(&run), 0, "{}", text(&run.stderr));
    let keys = ["id", "quantity", "value", "reference", "relative_error", "tolerance", "pass"];
    for line in text(&run.stdout).lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let record = record.as_object().unwrap();
        assert!(keys.iter().all(|k| record.contains_key(*k)), "{line}");
        assert!(record.keys().all(|k| keys.contains(&k.as_str()) || k == "unit" || k == "mesh"), "{line}");
        assert_eq!(record["pass"], true, "{line}");
    }
    let files = ["S0-1-structured.csv", "S0-1-unstructured-force.svg", "S1-5.csv", "S1-5-regions.svg", "report.html"];
    for file in files {
        assert!(folder.join(file).is_file(), "{file}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn same_bytes_for_one_and_two_threads() {
    let folder = folder("threads");
    let run = |threads| {
        let out = folder.join(threads);
        let run = toile(&["validate", "S0-1", "--json", "--threads", threads, "-o", out.to_str().unwrap()]);
        assert_eq!(code(&run), 0);
        (run.stdout, std::fs::read(out.join("report.html")).unwrap())
    };
    assert_eq!(run("1"), run("2"));
    std::fs::remove_dir_all(folder).unwrap();
}

/// A reader that goes away early costs no files and no exit code.
#[test]
fn closed_pipe_does_not_stop_the_work() {
    let folder = folder("pipe");
    let mut command = Command::new(env!("CARGO_BIN_EXE_toile"));
    command.args(["validate", "S0-1", "--json", "-o", folder.to_str().unwrap()]);
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(folder.join("report.html").is_file());
    std::fs::remove_dir_all(folder).unwrap();
}

/// A parameter changes the measured numbers, not the lines.
#[test]
fn set_changes_a_parameter() {
    let folder = folder("set");
    let out = folder.to_str().unwrap();
    let run = toile(&["validate", "S0-1", "--json", "--set", "high=1.2", "--set", "mesh=unstructured", "-o", out]);
    assert_eq!(code(&run), 0, "{}", text(&run.stderr));
    let stdout = text(&run.stdout);
    assert!(stdout.contains("λ = 1.200") && stdout.contains("\"mesh\":\"unstructured\""));
    std::fs::remove_dir_all(folder).unwrap();
}

/// A scan too coarse for its band fails: exit code 1, the line says so.
#[test]
fn failed_check_is_exit_code_one() {
    let folder = folder("fail");
    let out = folder.to_str().unwrap();
    let run = toile(&["validate", "S1-5", "--json", "--set", "cells=100", "--set", "extent=100", "-o", out]);
    assert_eq!(code(&run), 1);
    assert!(text(&run.stdout).contains("\"pass\":false"));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn bad_input_is_exit_code_two_with_a_hint() {
    let cases: [(&[&str], &str); 8] = [
        (&["validate", "S0-11x"], "did you mean S0-11?"),
        (&["validate", "nonsense-name"], "toile validate --list"),
        (&["validate", "S0-1", "--set", "modulos=1"], "did you mean \"modulus\"?"),
        (&["validate", "S0-1", "--set", "modulus=heavy"], "expected a number"),
        (&["validate", "S0-1", "--set", "mesh=grid"], "structured or unstructured"),
        (&["validate", "S0-1", "--set", "modulus"], "NAME=VALUE"),
        (&["list", "lows"], "did you mean \"laws\"?"),
        (&["validat"], "validate"),
    ];
    for (arguments, hint) in cases {
        let run = toile(arguments);
        let message = text(&run.stderr);
        assert_eq!(code(&run), 2, "{arguments:?}: {message}");
        assert!(message.contains(hint), "{arguments:?}: {message}");
        assert!(run.stdout.is_empty());
    }
}

#[test]
fn lists_name_everything() {
    let run = toile(&["list"]);
    assert_eq!(code(&run), 0);
    for name in ["laws", "linear", "coupled-curves", "experiments", "S0-9"] {
        assert!(text(&run.stdout).contains(name), "{name}");
    }
    let run = toile(&["validate", "--list", "--json"]);
    let records: Vec<serde_json::Value> = text(&run.stdout).lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert!(records.len() >= 3);
    assert!(records.iter().all(|r| r["parameters"].is_array() && r["title"].is_string()));
}

#[test]
fn help_fits_a_screen() {
    for arguments in [&["--help"][..], &["validate", "--help"], &["list", "--help"]] {
        let run = toile(arguments);
        assert_eq!(code(&run), 0);
        assert!(text(&run.stdout).lines().count() <= 40);
    }
}
