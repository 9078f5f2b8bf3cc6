//! `toile lab` and `toile fabric` as their users see them: text, JSON, files and exit codes.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

fn toile(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_toile")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A folder of its own for each test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("toile-cli-lab-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn join(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().into()
    }

    fn files(&self) -> Vec<String> {
        let names = std::fs::read_dir(&self.0).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn records(run: &Output) -> Vec<Value> {
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    text(&run.stdout).lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

#[test]
fn tensile_prints_rows_and_a_summary_and_writes_files() {
    let folder = Folder::new("tensile");
    let out = folder.0.to_str().unwrap();
    let plan = ["lab", "tensile", "denim", "--direction", "warp", "--triangles", "200", "--points", "4", "--json"];
    let lines = records(&toile(&[&plan[..], &["-o", out]].concat()));
    assert_eq!(lines.len(), 5);
    for (k, row) in lines[..4].iter().enumerate() {
        assert_eq!((&row["test"], &row["direction"]), (&"tensile".into(), &"warp".into()));
        assert!((row["displacement_mm"].as_f64().unwrap() - 2.5 * (k + 1) as f64).abs() < 1e-12);
        assert!(row["force_n"].is_number() && row["law_n"].is_number());
        assert!(row["relative_error"].as_f64().unwrap().abs() < 1e-6);
        assert!(row["newton_iterations"].as_u64().unwrap() < 10);
    }
    assert!(lines[4]["max_relative_error"].as_f64().unwrap() < 1e-6);
    assert!(lines[4]["max_newton_iterations"].as_u64().unwrap() < 10 && lines[4]["triangles"].as_u64().unwrap() > 100);
    let stem = "tensile-denim-11-oz-warp";
    let wanted = ["-error.png", "-error.svg", ".csv", ".png", ".svg"].map(|e| format!("{stem}{e}"));
    assert_eq!(folder.files(), wanted);
    let csv = std::fs::read_to_string(folder.join(&format!("{stem}.csv"))).unwrap();
    assert_eq!(csv.lines().count(), 5);
}

/// Every test runs from the command line with few triangles, and says its numbers with their units.
#[test]
fn every_test_runs() {
    let folder = Folder::new("all");
    let out = folder.0.to_str().unwrap();
    let cases: [(&[&str], &[&str]); 6] = [
        (
            &["shear", "wool-tropical", "--points", "2", "--mesh", "structured", "--edges", "free"],
            &["force_n", "law_n"],
        ),
        (&["shear", "wool-tropical", "--points", "2", "--tension-n-per-m", "9.8"], &["displacement_mm"]),
        (&["bias", "wool-tropical", "--points", "2", "--angle", "-30"], &["gauge_extension_percent"]),
        (&["bend", "wool-tropical", "--points", "2"], &["curvature_per_m", "moment_mn_m_per_m", "law_mn_m_per_m"]),
        (&["cantilever", "wool-tropical", "--overhang-mm", "40"], &["overhang_mm", "rigidity_un_m"]),
        (&["cyclic", "wool-tropical", "--mode", "shear", "--points", "3", "--cycles", "2"], &["force_n", "mode"]),
    ];
    for (arguments, keys) in cases {
        let all = [&["lab"], arguments, &["--triangles", "150", "--json", "-o", out]].concat();
        let lines = records(&toile(&all));
        assert!(keys.iter().all(|k| !lines[0][k].is_null()), "{arguments:?}: {}", lines[0]);
        assert!(lines.last().unwrap()["max_relative_error"].is_number(), "{arguments:?}");
    }
    let text_form = toile(&["lab", "cyclic", "wool-tropical", "--triangles", "60", "--points", "2", "-o", out]);
    let shown = text(&text_form.stdout);
    assert!(shown.contains("dissipated") && shown.contains("cycle 3:") && shown.contains("displacement"), "{shown}");
}

#[test]
fn elastic_leaves_out_friction() {
    let folder = Folder::new("elastic");
    let plan = ["lab", "cyclic", "denim", "--mode", "shear", "--triangles", "60", "--points", "4", "--json", "-o"];
    let lost = |extra: &[&str]| {
        let lines = records(&toile(&[&plan[..], &[folder.0.to_str().unwrap()], extra].concat()));
        lines.last().unwrap()["dissipated_mj"].as_f64().unwrap()
    };
    assert!(lost(&[]) > 0.1);
    assert_eq!(lost(&["--elastic"]), 0.0);
}

#[test]
fn bad_input_is_exit_code_two_with_a_reason() {
    let folder = Folder::new("bad");
    let file = folder.join("broken.toml");
    std::fs::write(&file, "format = \"toile-fabric/1\"\nname = \"x\"\n[sheet]\ndensity_g_per_m2 = -3\n").unwrap();
    let cases: [(&[&str], &str); 13] = [
        (&["lab", "tensile", "denin"], "did you mean \"denim\"?"),
        (&["lab", "tensile", "no/such/file.toml"], "no/such/file.toml"),
        (&["lab", "tensile", &file], "broken.toml:4"),
        (&["lab", "tensile"], "<FABRIC>"),
        (&["lab", "pull", "denim"], "pull"),
        (&["lab", "tensile", "denim", "--max-strain-percent", "-5"], "maximum strain is -5 %"),
        (&["lab", "tensile", "denim", "--max-strain-percent=-5"], "maximum strain is -5 %"),
        (&["lab", "tensile", "denim", "--points", "0"], "points"),
        (&["lab", "tensile", "denim", "--triangles", "1"], "triangles"),
        (&["lab", "tensile", "denim", "--direction", "bias"], "weft"),
        (&["lab", "bend", "denim", "--max-curvature-per-m", "nan"], "curvature"),
        (&["lab", "cantilever", "denim", "--overhang-mm", "0"], "overhang"),
        (&["fabric", "show", "silk"], "toile fabric list"),
    ];
    for (arguments, hint) in cases {
        let run = toile(arguments);
        let message = text(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains(hint), "{arguments:?}: {message}");
        assert!(run.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn help_fits_a_screen() {
    let tests = ["tensile", "shear", "bias", "bend", "cantilever", "cyclic"];
    let lab = tests.iter().map(|t| ["lab", t, "-h"]);
    for arguments in lab.chain([["fabric", "fit", "-h"]]) {
        let run = toile(&arguments);
        assert_eq!(run.status.code(), Some(0));
        assert!(text(&run.stdout).lines().count() <= 40, "{arguments:?}");
    }
}

#[test]
fn fabric_list_and_show_name_their_units() {
    let shown = text(&toile(&["fabric", "list"]).stdout);
    assert!(shown.contains("cotton-poplin") && shown.contains("µN·m") && shown.contains("e estimate"), "{shown}");
    let lines = records(&toile(&["fabric", "list", "--json"]));
    assert!(lines.len() > 20 && lines.iter().all(|l| l["quality"]["membrane"].is_string()));
    let folder = Folder::new("show");
    let run = toile(&["fabric", "show", "denim", "-o", folder.0.to_str().unwrap()]);
    assert_eq!(run.status.code(), Some(0));
    assert!(text(&run.stdout).contains("324.0") && text(&run.stdout).contains("estimate"));
    assert_eq!(folder.files().len(), 6);
    assert!(folder.files().contains(&"denim-bending.png".to_string()));
}

/// Check reports every mistake with its line; a sound file passes.
#[test]
fn fabric_check_reports_lines() {
    let folder = Folder::new("check");
    let good = folder.join("good.toml");
    std::fs::write(&good, include_str!("../../../data/fabrics/denim.toml")).unwrap();
    let run = toile(&["fabric", "check", &good]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stdout));
    let bad = folder.join("bad.toml");
    let broken = include_str!("../../../data/fabrics/denim.toml")
        .replace("density_g_per_m2 = 324", "density_g_per_m2 = -324")
        .replace("thickness_mm", "thicknes_mm");
    std::fs::write(&bad, broken).unwrap();
    let run = toile(&["fabric", "check", &bad]);
    assert_eq!(run.status.code(), Some(2));
    let shown = text(&run.stdout);
    assert!(
        shown.contains("bad.toml:8:") && shown.contains("bad.toml:9:") && shown.contains("thickness_mm"),
        "{shown}"
    );
    let run = toile(&["fabric", "check", &bad, "--json"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(text(&run.stdout).lines().all(|l| serde_json::from_str::<Value>(l).unwrap()["line"].is_number()));
    std::fs::write(&bad, [0x66, 0xff, 0xfe]).unwrap();
    let run = toile(&["fabric", "check", &bad]);
    assert_eq!(run.status.code(), Some(2));
    assert!(text(&run.stdout).contains("UTF-8"));
    assert_eq!(toile(&["fabric", "check", &folder.join("absent.toml")]).status.code(), Some(2));
}

/// The readings of the virtual laboratory are tables that the fit understands: a fabric measured and fitted comes back.
#[test]
fn fabric_fit_reads_what_the_laboratory_writes() {
    let folder = Folder::new("fit");
    let out = folder.0.to_str().unwrap();
    let measure = |arguments: &[&str]| {
        let all = [&["lab"], arguments, &["cotton-canvas", "--triangles", "80", "--elastic", "--json", "-o", out]];
        records(&toile(&all.concat()));
    };
    measure(&["tensile", "--max-strain-percent", "5"]);
    measure(&["tensile", "--max-strain-percent", "5", "--direction", "warp"]);
    measure(&["shear", "--max-strain-percent", "8"]);
    measure(&["bend", "--points", "6"]);
    measure(&["bend", "--points", "6", "--direction", "warp"]);
    let stems: Vec<String> = folder.files().into_iter().filter(|f| f.ends_with(".csv")).collect();
    assert_eq!(stems.len(), 5, "{stems:?}");
    let table = |test: &str, direction: &str| {
        let found = stems.iter().find(|s| s.starts_with(test) && s.ends_with(&format!("{direction}.csv"))).unwrap();
        folder.join(found)
    };
    let fabric = folder.join("fitted.toml");
    let run = toile(&[
        "fabric",
        "fit",
        "--weft",
        &table("tensile", "weft"),
        "--warp",
        &table("tensile", "warp"),
        "--shear",
        &table("shear", "weft"),
        "--bending",
        &table("bend", "weft"),
        "--bending-warp",
        &table("bend", "warp"),
        "--density-g-per-m2",
        "300",
        "--thickness-mm",
        "0.6",
        "-o",
        &fabric,
    ]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    assert_eq!(toile(&["fabric", "check", &fabric]).status.code(), Some(0));
    let shown = |word: &str| records(&toile(&["fabric", "show", word, "--json"])).remove(0);
    let (truth, found) = (shown("cotton-canvas"), shown(&fabric));
    for (key, parts) in [("stiffness_n_per_m", 3), ("bending_un_m", 2)] {
        for m in 0..parts {
            let [a, b] = [&truth, &found].map(|f| f[key][m].as_f64().unwrap());
            // A linear law: splines hold it exactly; readings of bending are 2e-3 off on eighty triangles.
            assert!((b / a - 1.0).abs() < 0.02, "{key} {m}: {a} {b}");
        }
    }
}

#[test]
fn fabric_fit_refuses_bad_tables() {
    let folder = Folder::new("unfit");
    let table = folder.join("t.csv");
    std::fs::write(&table, "elongation_mm,force_n\n0,0\n1,abc\n").unwrap();
    let base =
        ["fabric", "fit", "--weft", &table, "--warp", &table, "--density-g-per-m2", "300", "--thickness-mm", "0.6"];
    let run = toile(&[&base[..], &["--shear", &table, "--bending", &table, "-o", &folder.join("f.toml")]].concat());
    assert_eq!(run.status.code(), Some(2));
    assert!(text(&run.stderr).contains("t.csv:3"), "{}", text(&run.stderr));
    // Without shear, without bending, without a file to write.
    assert_eq!(toile(&[&base[..], &["--bending", &table]].concat()).status.code(), Some(2));
    assert_eq!(toile(&[&base[..], &["--shear", &table]].concat()).status.code(), Some(2));
    let run = toile(&[&base[..], &["--shear", &table, "--bending", &table]].concat());
    assert!(run.status.code() == Some(2) && text(&run.stderr).contains("-o FILE"));
    assert!(!folder.files().contains(&"f.toml".to_string()));
}

#[test]
fn drape_reports_coefficient_and_folds_and_writes_its_shadow() {
    let folder = Folder::new("drape");
    let out = folder.0.to_str().unwrap();
    let plan =
        ["lab", "drape", "cotton-lawn", "--triangles", "300", "--elastic", "--repeats", "2", "--json", "-o", out];
    let lines = records(&toile(&plan));
    assert_eq!(lines.len(), 3);
    for (k, row) in lines[..2].iter().enumerate() {
        assert_eq!((row["test"].as_str(), row["seed"].as_f64()), (Some("drape"), Some(k as f64 + 1.0)));
        let percent = row["drape_coefficient_percent"].as_f64().unwrap();
        assert!((5.0..95.0).contains(&percent) && row["folds"].as_f64().unwrap() >= 2.0, "{row}");
        assert!(row.get("relative_error").is_none());
    }
    let summary = &lines[2];
    assert_eq!(summary["crossings"], 0.0);
    assert!(summary["mean_drape_coefficient_percent"].is_number() && summary["largest_drop_mm"].is_number());
    let files = folder.files();
    for end in ["shadow.png", "cloth.png", "rim.csv", "rim.svg", "outline.png", "cm.csv"] {
        assert!(files.iter().any(|f| f.ends_with(end)), "{end}: {files:?}");
    }
    let bad = toile(&["lab", "drape", "denim", "--diameter-cm", "12"]);
    assert_eq!(bad.status.code(), Some(2));
    assert!(text(&bad.stderr).contains("diameter of the sample"), "{}", text(&bad.stderr));
}
