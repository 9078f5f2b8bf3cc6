//! Garments put on bodies, as users see it: files, messages, exit codes.
#![allow(clippy::unwrap_used)] // helpers of tests

mod common;

use common::{Place, good, toile};
use serde_json::{Value, json};
use std::f64::consts::{PI, TAU};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Output;

/// A cap of two panels 34 cm wide and 22 cm high, sewn at the top and at both sides: a GarmentCode specification (cm).
fn cap(place: &Place) -> PathBuf {
    bag(place, 17.0, 50.0)
}

/// The same of half a width, at a height.
fn bag(place: &Place, half_width: f64, y: f64) -> PathBuf {
    let (w, h) = (half_width, 22.0);
    let panel = |vertices: [[f64; 2]; 4], z: f64| {
        let edges: Vec<Value> = (0..4).map(|k| json!({ "endpoints": [k, (k + 1) % 4] })).collect();
        json!({ "translation": [0.0, y, z], "rotation": [0, 0, 0], "vertices": vertices, "edges": edges })
    };
    let stitch = |a: usize, b: usize| json!([{ "panel": "front", "edge": a }, { "panel": "back", "edge": b }]);
    let specification = json!({
        "pattern": {
            "panels": {
                "front": panel([[-w, 0.0], [w, 0.0], [w, h], [-w, h]], 20.0),
                // Its right side faces back: clockwise.
                "back": panel([[-w, 0.0], [-w, h], [w, h], [w, 0.0]], -20.0),
            },
            "stitches": [stitch(2, 1), stitch(1, 2), stitch(3, 0)],
            "panel_order": ["front", "back"],
        },
        "properties": { "units_in_meter": 100, "curvature_coords": "relative" },
    });
    let path = place.0.join("cap_specification.json");
    std::fs::write(&path, specification.to_string()).unwrap();
    path
}

/// An egg 70 cm high, 30 cm wide and 24 cm deep.
fn egg(place: &Place, metres: f64) -> PathBuf {
    const SIDES: usize = 24;
    const RINGS: usize = 12;
    let mut text = String::new();
    let mut vertex = |p: [f64; 3]| writeln!(text, "v {} {} {}", p[0] / metres, p[1] / metres, p[2] / metres).unwrap();
    vertex([0.0, 0.7, 0.0]);
    for i in 1..RINGS {
        let polar = PI * i as f64 / RINGS as f64;
        for k in 0..SIDES {
            let angle = TAU * k as f64 / SIDES as f64;
            let (out, y) = (polar.sin(), 0.35 + 0.35 * polar.cos());
            vertex([0.15 * out * angle.sin(), y, 0.12 * out * angle.cos()]);
        }
    }
    vertex([0.0; 3]);
    let at = |ring: usize, k: usize| 2 + (ring - 1) * SIDES + k % SIDES;
    let bottom = 2 + (RINGS - 1) * SIDES;
    for k in 0..SIDES {
        writeln!(text, "f 1 {} {}", at(1, k), at(1, k + 1)).unwrap();
        writeln!(text, "f {} {bottom} {}", at(RINGS - 1, k), at(RINGS - 1, k + 1)).unwrap();
        for ring in 1..RINGS - 1 {
            let [a, b, c, d] = [at(ring, k), at(ring, k + 1), at(ring + 1, k), at(ring + 1, k + 1)];
            writeln!(text, "f {a} {c} {d}\nf {a} {d} {b}").unwrap();
        }
    }
    let path = place.0.join("egg.obj");
    std::fs::write(&path, text).unwrap();
    path
}

fn drape(garment: &Path, body: &Path, folder: &Path, more: &[&str]) -> Output {
    let mut command = toile();
    command.arg("drape").arg(garment).arg("--body").arg(body).args(["--edge-mm", "40"]).arg("-o").arg(folder);
    command.args(more).output().unwrap()
}

fn record(folder: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(folder.join("run.json")).unwrap()).unwrap()
}

fn failed(run: &Output, code: i32, words: &[&str]) {
    let said = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(code), "{said}");
    for word in words {
        assert!(said.contains(word), "{word}: {said}");
    }
}

/// The whole folder: every file is there and is what it says; the numbers agree with the pattern.
#[test]
fn a_draped_garment_fills_its_folder() {
    let place = Place::new("dress-folder");
    let (garment, body, folder) = (cap(&place), egg(&place, 1.0), place.0.join("out"));
    let said = good(&drape(&garment, &body, &folder, &[]));
    assert!(said.contains("at rest") && said.contains("report.html"), "{said}");
    for name in ["preview.png", "strain_weft.png", "strain_warp.png", "pressure.png", "strain_flat.png"] {
        let bytes = std::fs::read(folder.join(name)).unwrap();
        assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n") && bytes.len() > 10_000, "{name}: {} bytes", bytes.len());
    }
    let page = std::fs::read_to_string(folder.join("report.html")).unwrap();
    assert_eq!(page.matches("data:image/png;base64,").count(), 5);
    assert!(page.contains("data:image/svg+xml;base64,") && !page.contains("src=\"http"), "not self-contained");
    assert!(std::fs::read_to_string(folder.join("pattern.svg")).unwrap().ends_with("</svg>\n"));
    the_record_is_right(&record(&folder));
    the_surfaces_are_right(&folder);
    the_table_is_right(&std::fs::read_to_string(folder.join("fit.csv")).unwrap());
    let again = drape(&garment, &body, &folder, &["--bare"]);
    failed(&again, 2, &["not empty"]);
    good(&drape(&garment, &body, &folder, &["--bare", "--force"]));
    assert!(folder.join("run.json").exists() && !folder.join("preview.png").exists(), "the earlier run is not gone");
}

fn the_record_is_right(record: &Value) {
    assert_eq!((&record["is_resting"], &record["fault"]), (&json!(true), &Value::Null));
    assert_eq!(record["certificate"]["crossings"], 0);
    // What counts as resting at the finest level.
    assert!((record["support"].as_f64().unwrap() - 1.0).abs() <= 0.005);
    assert!(record["sewing"]["open_mm"].as_f64().unwrap() <= 0.3);
    assert_eq!(record["inputs"].as_array().unwrap().len(), 3);
    // Two panels of 34 × 22 cm, 155 g/m².
    assert!((record["garment"]["area_m2"].as_f64().unwrap() - 2.0 * 0.34 * 0.22).abs() < 1e-9);
    assert!((record["garment"]["mass_g"].as_f64().unwrap() - 155.0 * 2.0 * 0.34 * 0.22).abs() < 1e-6);
    for phase in ["reading", "placing", "sewing", "settling_0", "pictures", "writing"] {
        assert!(record["seconds"][phase].as_f64().unwrap() >= 0.0, "{phase}");
    }
}

/// Groups are panels, and no two of them share a place in the texture.
fn the_surfaces_are_right(folder: &Path) {
    for name in ["garment.glb", "body.glb"] {
        assert!(!toile::io::formats::read_mesh(&folder.join(name)).unwrap().mesh.triangles.is_empty(), "{name}");
    }
    let surface = toile::io::formats::read_mesh(&folder.join("garment.obj")).unwrap();
    let mut names: Vec<&str> = surface.parts.iter().map(|p| p.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["back", "front"]);
    let around = |part: &toile::io::surface::Part| {
        let corners = surface.mesh.material[part.triangles.clone()].as_flattened();
        corners.iter().fold([f64::MAX, f64::MAX, f64::MIN, f64::MIN], |b, m| {
            [b[0].min(m.x), b[1].min(m.y), b[2].max(m.x), b[3].max(m.y)]
        })
    };
    let [a, b]: [[f64; 4]; 2] = [0, 1].map(|k| around(&surface.parts[k]));
    for b in [a, b] {
        // Single precision in the file.
        assert!((b[2] - b[0] - 0.34).abs() < 1e-6 && (b[3] - b[1] - 0.22).abs() < 1e-6, "{b:?}");
    }
    let apart = |k: usize| a[k + 2] < b[k] || b[k + 2] < a[k];
    assert!(apart(0) || apart(1), "{a:?} {b:?}");
}

/// The table has panels, seams and skin.
fn the_table_is_right(table: &str) {
    let value = |start: &str| -> f64 {
        let line = table.lines().find(|l| l.starts_with(start)).unwrap_or_else(|| panic!("{start}: {table}"));
        line.rsplit(',').next().unwrap().parse().unwrap()
    };
    assert!((value("panel,back,area,m2") - 0.34 * 0.22).abs() < 1e-9);
    let seams = table.lines().filter(|l| l.starts_with("seam,") && l.contains(",flat_first,m,")).count();
    assert_eq!(seams, 3);
    assert!((value("seam,front.2/back.1,flat_first") - 0.34).abs() < 1e-9);
    assert!((value("seam,front.1/back.2,flat_second") - 0.22).abs() < 1e-9);
    // The cap rests on the upper part of the egg: less than half of its 0.55 m².
    let touched = value("skin,body,touched,m2");
    assert!(touched > 0.001 && touched < 0.27, "{touched}");
    assert!(value("skin,body,pressure_largest") >= value("skin,body,pressure_p99"));
}

/// JSON lines tell sewing, settling and the record; the result does not depend on the threads.
#[test]
fn events_are_told_and_threads_do_not_matter() {
    let place = Place::new("dress-threads");
    let (garment, body) = (cap(&place), egg(&place, 1.0));
    let mut digests = Vec::new();
    for threads in ["1", "2"] {
        let folder = place.0.join(threads);
        let said = good(&drape(&garment, &body, &folder, &["--bare", "--json", "--threads", threads]));
        let lines: Vec<Value> = said.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        let count = |event: &str| lines.iter().filter(|l| l["event"] == event).count();
        let last = lines.last().unwrap();
        // One before the first step.
        assert_eq!(count("sewing") as u64, last["sewing"]["steps"].as_u64().unwrap() + 1);
        assert_eq!(count("settling") as u64, last["levels"][0]["steps"].as_u64().unwrap() + 1);
        assert_eq!(last["format"], "toile-draping/1");
        assert_eq!(last["digest"], record(&folder)["digest"]);
        digests.push(last["digest"].clone());
    }
    assert_eq!(digests[0], digests[1]);
}

/// What does not serve is named, with exit code 2, and nothing is written.
#[test]
fn bad_input_is_named() {
    let place = Place::new("dress-bad");
    let (garment, body, folder) = (cap(&place), egg(&place, 1.0), place.0.join("out"));
    let odd = place.0.join("cap.txt");
    std::fs::write(&odd, "").unwrap();
    let broken = place.0.join("broken.json");
    std::fs::write(&broken, "{ \"pattern\": ").unwrap();
    let scene = place.0.join("scene.toml");
    std::fs::write(&scene, "format = \"toile-scene/1\"\n").unwrap();
    let none = place.0.join("none.obj");
    failed(&drape(&odd, &body, &folder, &[]), 2, &["cap.txt", "neither a scene nor a garment"]);
    failed(&drape(&broken, &body, &folder, &[]), 2, &["broken.json:1:"]);
    failed(&drape(&scene, &body, &folder, &[]), 2, &["--body belongs to garments"]);
    failed(&drape(&garment, &none, &folder, &[]), 2, &["none.obj", "cannot be read"]);
    failed(&drape(&garment, Path::new("F39"), &folder, &[]), 2, &["F39", "F34 to F52"]);
    failed(&drape(&garment, &body, &folder, &["--fabric", "coton-jersey"]), 2, &["did you mean \"cotton-jersey\"?"]);
    failed(&drape(&garment, &body, &folder, &["--resume"]), 2, &["--resume belongs to scenes"]);
    let coarse = toile().arg("drape").arg(&garment).args(["--edge-mm", "0.5"]).output().unwrap();
    failed(&coarse, 2, &["0.5 mm", "2 to 60 mm"]);
    let small = egg(&place, 0.01);
    failed(&drape(&garment, &small, &folder, &[]), 2, &["egg.obj", "70.000 m high"]);
    good(&drape(&garment, &small, &folder, &["--body-unit", "cm", "--bare"]));
    assert!(folder.join("run.json").exists());
}

/// A tube of 20 cm round a girth of 85 cm, at its widest place: the seam that stays open is named, with exit code 1, and there is no record.
#[test]
fn seams_that_stay_open_are_failures() {
    let place = Place::new("dress-open");
    let (garment, folder) = (bag(&place, 5.0, 20.0), place.0.join("out"));
    failed(&drape(&garment, &egg(&place, 1.0), &folder, &["--bare"]), 1, &["seam `", "still open by"]);
    assert!(!folder.join("run.json").exists());
}
