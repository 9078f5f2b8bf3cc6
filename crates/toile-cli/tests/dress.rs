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

/// A folder with an outfit: an egg with a cap, and a larger one over it.
fn two_caps(place: &Place) -> PathBuf {
    egg(place, 1.0);
    std::fs::rename(bag(place, 19.0, 50.0), place.0.join("outer.json")).unwrap();
    cap(place);
    let text = "format = \"toile-outfit/1\"\nname = \"two caps\"\nedge_mm = 40\nfriction = 0.4\n\
        [body]\nfile = \"egg.obj\"\n\
        [[garment]]\nfile = \"outer.json\"\nname = \"outer\"\nlayer = 1\nfabric = \"denim\"\n\
        [[garment]]\nfile = \"cap_specification.json\"\nname = \"inner\"\n";
    std::fs::write(place.0.join("outfit.toml"), text).unwrap();
    place.0.clone()
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
    let maps = ["strain_weft.png", "strain_warp.png", "strain_bias.png", "tension.png", "pressure.png"];
    for name in ["preview.png", "strain_flat.png", "maps_flat.png"].iter().chain(&maps) {
        let bytes = std::fs::read(folder.join(name)).unwrap();
        assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n") && bytes.len() > 10_000, "{name}: {} bytes", bytes.len());
    }
    let page = std::fs::read_to_string(folder.join("report.html")).unwrap();
    assert_eq!(page.matches("data:image/png;base64,").count(), 8);
    let sheet = std::fs::read_to_string(folder.join("techsheet.html")).unwrap();
    assert!(sheet.contains("cotton-jersey") && !sheet.contains("src=\"http"), "not self-contained");
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
    for name in ["garment.glb", "body.glb", "garment_strain.glb", "body_pressure.glb", "garment_open.obj"] {
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

/// A tube of 20 cm round a girth of 85 cm, at its widest place: the seam that stays open is named, with exit code 1, and instead of a record
/// there is the cloth as it lay.
#[test]
fn seams_that_stay_open_are_failures() {
    let place = Place::new("dress-open");
    let (garment, folder) = (bag(&place, 5.0, 20.0), place.0.join("out"));
    let run = drape(&garment, &egg(&place, 1.0), &folder, &["--bare"]);
    failed(&run, 1, &["seam `", "still open by", "failure.png", "failure.glb"]);
    assert!(!folder.join("run.json").exists());
    assert!(std::fs::read(folder.join("failure.png")).unwrap().starts_with(b"\x89PNG\r\n\x1a\n"));
    assert!(std::fs::read(folder.join("failure.glb")).unwrap().starts_with(b"glTF"));
    let text = std::fs::read_to_string(folder.join("failure.json")).unwrap();
    let why: Value = serde_json::from_str(&text).unwrap();
    assert!(why["error"].as_str().unwrap().contains("still open by") && why["triangles"].as_u64() > Some(20), "{text}");
}

/// Two garments of two fabrics, the inner one first whatever the order of the file: both in the record, the table, the surfaces and sheets.
#[test]
fn an_outfit_is_worn_in_layers() {
    let place = Place::new("dress-outfit");
    let (outfit, folder) = (two_caps(&place), place.0.join("out"));
    good(&toile().arg("check").arg(&outfit).output().unwrap());
    let said = good(&toile().arg("drape").arg(&outfit).arg("-o").arg(&folder).output().unwrap());
    assert!(said.contains("two caps: 4 panels"), "{said}");
    let record = record(&folder);
    assert_eq!((&record["is_resting"], &record["certificate"]["crossings"]), (&json!(true), &json!(0)));
    assert_eq!((&record["settings"]["friction"], &record["settings"]["edge_mm"]), (&json!(0.4), &json!(40.0)));
    let garments = record["garments"].as_array().unwrap();
    let names: Vec<&str> = garments.iter().map(|g| g["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["inner", "outer"]);
    // The body carries both; what the inner one carries of the outer one cancels.
    let carried: f64 = garments.iter().map(|g| g["carried_n"].as_f64().unwrap()).sum();
    let weight = 9.81e-3 * record["garment"]["mass_g"].as_f64().unwrap();
    assert!((carried / weight - record["support"].as_f64().unwrap()).abs() < 1e-6, "{carried} of {weight}");
    let area = |k: usize| garments[k]["area_m2"].as_f64().unwrap();
    assert!((area(0) - 2.0 * 0.34 * 0.22).abs() < 1e-9 && (area(1) - 2.0 * 0.38 * 0.22).abs() < 1e-9);
    // 155 g/m² of jersey inside, denim outside.
    let denim = (weight / 9.81 - 0.155 * area(0)) / area(1);
    assert!((denim - 0.324).abs() < 1e-6, "denim of {denim} kg/m²");
    let table = std::fs::read_to_string(folder.join("fit.csv")).unwrap();
    for row in ["panel,inner/front,", "panel,outer/back,", "seam,inner/front.2/back.1,"] {
        assert!(table.contains(row), "{row}: {table}");
    }
    for name in ["pattern.svg", "pattern-inner.svg", "pattern-outer.svg", "preview.png", "report.html"] {
        assert!(folder.join(name).exists(), "{name}");
    }
    let surface = toile::io::formats::read_mesh(&folder.join("garment.obj")).unwrap();
    assert_eq!(surface.parts.len(), 4);
}

/// Options count more than the outfit; drafts are known by name, and unknown ones get the nearest.
#[test]
fn outfits_drafts_and_options_go_together() {
    let place = Place::new("dress-options");
    let outfit = two_caps(&place);
    let run = |more: &[&str]| toile().arg("drape").arg(&outfit).args(more).output().unwrap();
    failed(&run(&["--edge-mm", "0.5"]), 2, &["0.5 mm", "2 to 60 mm"]);
    failed(&run(&["--fabric", "denin"]), 2, &["did you mean \"denim\"?"]);
    failed(&run(&["--body", "F39"]), 2, &["F39"]);
    failed(&run(&["--body-unit", "cm"]), 2, &["--body-unit", "--body"]);
    failed(&run(&["--body-time", "1"]), 2, &["--body-time", "--body"]);
    let egg = place.0.join("egg.obj").display().to_string();
    failed(&run(&["--body", &egg, "--body-time", "1"]), 2, &["a pose at a time is read from .glb or .gltf"]);
    failed(&toile().args(["drape", "t-shrt"]).output().unwrap(), 2, &["did you mean the draft \"t-shirt\"?"]);
    failed(&toile().args(["drape", "t-shirt", "--edge-mm", "1"]).output().unwrap(), 2, &["2 to 60 mm"]);
    std::fs::write(place.0.join("outfit.toml"), "format = \"toile-outfit/1\"\n[[garment]]\ndraf = \"shirt\"\n")
        .unwrap();
    failed(&run(&[]), 2, &["outfit.toml:3:1", "did you mean `draft`?"]);
    let schema = good(&toile().args(["schema", "outfit"]).output().unwrap());
    assert!(schema.contains("toile-outfit/1") && schema.contains("shoulder_width_cm"));
}

/// A panel with a fabric of its own: its mass is that of its fabric.
#[test]
fn panels_may_have_their_own_fabric() {
    let place = Place::new("dress-fabrics");
    let panel = |name: &str, z: i32, turn: i32, fabric: &str| {
        format!(
            "[[panel]]\nname = \"{name}\"\n{fabric}place = {{ kind = \"flat\", position_cm = [0, 50, {z}], turn_deg = [0, {turn}, 0] }}\n\
             edges = [{{ from_cm = [-17, 0] }}, {{ from_cm = [17, 0] }}, {{ from_cm = [17, 22] }}, {{ from_cm = [-17, 22] }}]\n"
        )
    };
    let seam = |a: usize, b: usize| {
        format!(
            "[[seam]]\nname = \"s{a}\"\nfirst = [{{ panel = \"front\", edge = {a} }}]\n\
             second = [{{ panel = \"back\", edge = {b}, reversed = true }}]\n"
        )
    };
    let text = format!(
        "format = \"toile-garment/1\"\nname = \"cap\"\n{}{}{}{}{}",
        panel("front", 20, 0, ""),
        panel("back", -20, 180, "fabric = \"denim\"\n"),
        seam(1, 3),
        seam(2, 2),
        seam(3, 1)
    );
    let garment = place.0.join("cap.toml");
    std::fs::write(&garment, text).unwrap();
    let folder = place.0.join("out");
    good(&drape(&garment, &egg(&place, 1.0), &folder, &["--bare"]));
    let record = record(&folder);
    assert_eq!((&record["is_resting"], &record["fault"]), (&json!(true), &Value::Null));
    assert_eq!(record["garments"][0]["panels_of_other_fabric"], 1);
    let half = 0.34 * 0.22;
    let denim = 1e-3 * record["garment"]["mass_g"].as_f64().unwrap() / half - 0.155;
    assert!((denim - 0.324).abs() < 1e-6, "denim of {denim} kg/m²");
    std::fs::write(&garment, std::fs::read_to_string(&garment).unwrap().replace("denim", "denin")).unwrap();
    failed(&drape(&garment, &egg(&place, 1.0), &folder, &["--force"]), 2, &["panel `back`", "denin"]);
}

/// Every outfit of the examples is sound, with what it names.
#[test]
fn outfits_of_the_examples_are_sound() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let folders = std::fs::read_dir(examples).unwrap().map(|e| e.unwrap().path());
    let mut outfits = Vec::new();
    for folder in folders.filter(|f| f.join("outfit.toml").is_file()) {
        assert!(folder.join("README.md").is_file(), "{}", folder.display());
        let files = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
        outfits.extend(files.filter(|f| f.file_name().is_some_and(|n| n.to_string_lossy().starts_with("outfit"))));
    }
    // Eight drafts twice, two layers, the poncho.
    assert!(outfits.len() >= 18, "{outfits:?}");
    good(&toile().arg("check").args(&outfits).output().unwrap());
}
