//! Runs as their users see them: started, stopped, killed, resumed, looked at.
#![allow(clippy::unwrap_used)] // helpers of tests

mod common;

use common::{Place, good, toile};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

impl Place {
    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

fn record(folder: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(folder.join("run.json")).unwrap()).unwrap()
}

/// A small sheet of a fabric with memory, swinging in the wind: everything a checkpoint has to carry.
fn scene(place: &Place, scheme: &str, duration: f64) -> PathBuf {
    let text = format!(
        r#"format = "toile-scene/1"
name = "swing"
[simulation]
duration_s = {duration}
step_ms = 5.0
scheme = "{scheme}"
[wind]
velocity_m_per_s = [1.0, 0.0, 2.0]
gusts = 0.4
[output]
frames_per_s = 50
checkpoint_s = 0.02
[picture]
width_px = 160
height_px = 120
[[cloth]]
name = "sheet"
fabric = "wool-gabardine"
shape = {{ kind = "rectangle", width_m = 0.3, height_m = 0.3, edge_mm = 30 }}
[[handle]]
edges = ["top"]
keys = [{{ time_s = 0.0 }}, {{ time_s = 1.0, shift_m = [0.0, 0.2, 0.0], turn_deg = [20, 0, 0] }}]
"#
    );
    let path = place.file(&format!("{scheme}.toml"));
    std::fs::write(&path, text).unwrap();
    path
}

/// Killed at twenty different moments and resumed, a run ends with the digest and the frames of one that was not.
#[test]
fn killed_runs_resume_to_the_same_bytes() {
    let place = Place::new("kill");
    let scene = scene(&place, "auto", 0.6);
    let whole = place.file("whole");
    let start = std::time::Instant::now();
    good(&toile().args(["run", "--bare", "--threads", "1"]).arg(&scene).arg("-o").arg(&whole).output().unwrap());
    let took = start.elapsed();
    let expected = record(&whole);
    let last = std::fs::read(whole.join("frames/000030.npz")).unwrap();
    let mut killed = 0;
    for k in 0..20u32 {
        let folder = place.file(&format!("cut{k}"));
        let mut child = toile()
            .args(["run", "--bare", "--threads", "1"])
            .arg(&scene)
            .arg("-o")
            .arg(&folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Moments spread over the run, in an order that is not even.
        std::thread::sleep(took.mul_f64(f64::from(k * 7 % 20) / 20.0) + Duration::from_millis(1));
        killed += u32::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        let again = if folder.exists() { "--resume" } else { "--force" };
        let resumed = toile()
            .args(["run", "--bare", "--threads", "2", again])
            .arg(&scene)
            .arg("-o")
            .arg(&folder)
            .output()
            .unwrap();
        good(&resumed);
        let found = record(&folder);
        assert_eq!(found["digest"], expected["digest"], "killed at {k}");
        assert_eq!(found["status"], "finished");
        assert_eq!(std::fs::read(folder.join("frames/000030.npz")).unwrap(), last);
        assert_eq!(
            std::fs::read(folder.join("steps.csv")).unwrap(),
            std::fs::read(whole.join("steps.csv")).unwrap(),
            "the table of steps is whole too"
        );
        std::fs::remove_dir_all(&folder).unwrap();
    }
    assert!(killed >= 5, "only {killed} of 20 runs were still going when killed");
}

/// SIGTERM ends a run at a step, with a message and a checkpoint; `drape` too goes on from where it was, to the bit.
#[cfg(unix)]
#[test]
fn stopped_runs_say_how_to_go_on() {
    let place = Place::new("stop");
    let scene = scene(&place, "backward-euler", 50.0);
    let folder = place.file("out");
    let child = toile()
        .args(["run", "--bare"])
        .arg(&scene)
        .arg("-o")
        .arg(&folder)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(700));
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{said}");
    assert!(said.contains("--resume"), "{said}");
    let found = record(&folder);
    assert_eq!(found["status"], "stopped");
    assert!(folder.join("checkpoint.npz").is_file());

    // Other inputs than those of the checkpoint are refused.
    let text = std::fs::read_to_string(&scene).unwrap();
    std::fs::write(&scene, text.replace("gusts = 0.4", "gusts = 0.5")).unwrap();
    let other = toile().args(["run", "--bare", "--resume"]).arg(&scene).arg("-o").arg(&folder).output().unwrap();
    assert_eq!(other.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&other.stderr).contains("other inputs"));
}

/// `drape` ends at the stated force and says so; where it cannot, it says what is left, and ends with 1.
#[test]
fn drape_ends_at_a_stated_force() {
    let place = Place::new("drape");
    let text = r#"format = "toile-scene/1"
[simulation]
force_tolerance_mn = 0.01
[picture]
width_px = 160
height_px = 120
[[cloth]]
name = "strip"
fabric = "cotton-canvas"
shape = { kind = "rectangle", width_m = 0.2, height_m = 0.05, edge_mm = 10 }
[[pin]]
edges = ["left"]
clamp = true
"#;
    let scene = place.file("strip.toml");
    std::fs::write(&scene, text).unwrap();
    let folder = place.file("out");
    let said = good(&toile().arg("drape").arg(&scene).arg("-o").arg(&folder).output().unwrap());
    assert!(said.contains("equilibrium"), "{said}");
    let found = record(&folder);
    assert!(found["residual"].as_f64().unwrap() <= 1e-5, "{found}");
    // What the clamp holds is the weight.
    let weight = 9.81e-3 * found["cloths"][0]["mass_g"].as_f64().unwrap();
    let held = found["reactions"][0]["force_n"][1].as_f64().unwrap();
    assert!((held - weight).abs() < 1e-3 * weight, "{held} {weight}");
    for file in ["preview.png", "report.html", "steps.csv", "frames/000001.npz"] {
        assert!(folder.join(file).is_file(), "{file}");
    }

    std::fs::write(&scene, text.replace("force_tolerance_mn = 0.01", "force_tolerance_mn = 0.01\nmax_iterations = 2"))
        .unwrap();
    let short = toile().arg("drape").arg(&scene).arg("-o").arg(place.file("short")).output().unwrap();
    assert_eq!(short.status.code(), Some(1));
    let said = String::from_utf8(short.stderr).unwrap();
    assert!(said.contains("no equilibrium after 2 iterations") && said.contains("strip"), "{said}");
    assert_eq!(record(&place.file("short"))["status"], "failed");
}

/// A step that fails is named with cloth, vertex and triangle, and `replay` opens it.
#[test]
fn failing_steps_are_named_and_replayed() {
    let place = Place::new("fail");
    let text = r#"format = "toile-scene/1"
[simulation]
duration_s = 1.0
step_ms = 40.0
scheme = "explicit-euler"
[[cloth]]
name = "sheet"
fabric = "cotton-canvas"
bending = "midedge"
shape = { kind = "rectangle", width_m = 0.2, height_m = 0.2, edge_mm = 20 }
[[pin]]
edges = ["top"]
"#;
    let scene = place.file("scene.toml");
    std::fs::write(&scene, text).unwrap();
    let folder = place.file("out");
    let run = toile().args(["run", "--bare"]).arg(&scene).arg("-o").arg(&folder).output().unwrap();
    let said = String::from_utf8(run.stderr).unwrap();
    assert_eq!(run.status.code(), Some(1), "{said}");
    assert!(said.contains("cloth \"sheet\", vertex") && said.contains("triangle"), "{said}");
    let found = record(&folder);
    assert_eq!(found["status"], "failed");
    assert!(found["failure"]["vertex"].is_u64() && found["failure"]["message"].is_string());
    let said = good(&toile().arg("replay").arg(&folder).output().unwrap());
    assert!(said.contains("ms"), "{said}");
}

/// Events as JSON lines, the record last; phases add up to the time on the clock within 5 %.
#[test]
fn json_events_and_times_add_up() {
    let place = Place::new("json");
    let scene = scene(&place, "semi-implicit", 0.2);
    let folder = place.file("out");
    let start = std::time::Instant::now();
    let said = good(&toile().args(["run", "--json"]).arg(&scene).arg("-o").arg(&folder).output().unwrap());
    let took = start.elapsed().as_secs_f64();
    let lines: Vec<Value> = said.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines[0]["event"], "started");
    assert_eq!(lines.iter().filter(|l| l["event"] == "step").count(), 40);
    assert_eq!(lines.iter().filter(|l| l["event"] == "frame").count(), 11);
    let last = lines.last().unwrap();
    assert_eq!(last["status"], "finished");
    let sum: f64 = last["seconds"].as_object().unwrap().values().map(|v| v.as_f64().unwrap()).sum();
    assert!((sum - last["seconds_total"].as_f64().unwrap()).abs() < 1e-9);
    // The clock starts when the program has started: some tenths of a second for that on a busy machine, and 5 %.
    assert!(sum <= took && sum > 0.95 * took - 0.4, "{sum} of {took} s");

    // What a folder holds can be drawn and exported again.
    let run = toile().args(["render", "--kind", "strip", "--count", "3", "--size", "160x120"]).arg(&folder).output();
    assert!(good(&run.unwrap()).contains("strip.png"));
    let run = toile().args(["render", "--paint", "strain-weft", "--size", "160x120"]).arg(&folder).output();
    assert!(good(&run.unwrap()).contains("still.png"));
    let run = toile().args(["export", "--format", "obj,npz,pc2"]).arg(&folder).output();
    assert!(good(&run.unwrap()).lines().count() >= 3);
}

/// Every example works, in a shortened form.
#[test]
fn examples_run() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let place = Place::new("examples");
    let mut count = 0;
    for entry in std::fs::read_dir(examples).unwrap().map(|e| e.unwrap().path()) {
        if !entry.join("scene.toml").is_file() {
            continue;
        }
        let folder = place.file(&count.to_string());
        let run = toile().args(["run", "--bare", "--duration", "0.04"]).arg(&entry).arg("-o").arg(&folder).output();
        good(&run.unwrap());
        assert_eq!(record(&folder)["status"], "finished", "{}", entry.display());
        count += 1;
    }
    assert!(count >= 16, "{count}");
}

/// Cloth that was written by one run is read by the next: OBJ and GLB with their UVs as material coordinates, in other units and with
/// another axis up.
#[test]
fn exported_cloth_comes_back_as_a_scene() {
    let place = Place::new("import");
    let first = scene(&place, "semi-implicit", 0.04);
    let folder = place.file("first");
    good(&toile().args(["run", "--bare"]).arg(&first).arg("-o").arg(&folder).output().unwrap());
    good(
        &toile()
            .args(["export", "--format", "obj,glb"])
            .arg(&folder)
            .arg("-o")
            .arg(place.file("files"))
            .output()
            .unwrap(),
    );
    let (before, area) = (record(&folder)["cloths"][0].clone(), 0.09);
    // A copy in centimetres with z up, as other programs write it.
    let files: Vec<PathBuf> = std::fs::read_dir(place.file("files")).unwrap().map(|e| e.unwrap().path()).collect();
    let obj = files.iter().filter(|f| f.extension().is_some_and(|e| e == "obj")).max().unwrap();
    let glb = files.iter().find(|f| f.extension().is_some_and(|e| e == "glb")).unwrap();
    let text = std::fs::read_to_string(obj).unwrap();
    let turned: Vec<String> = text
        .lines()
        .map(|line| match line.strip_prefix("v ") {
            Some(rest) => {
                let p: Vec<f64> = rest.split_whitespace().map(|n| n.parse().unwrap()).collect();
                format!("v {} {} {}", 100.0 * p[0], -100.0 * p[2], 100.0 * p[1])
            }
            None => line.to_string(),
        })
        .collect();
    std::fs::write(place.file("turned.obj"), turned.join("\n")).unwrap();
    let shapes = [
        format!("file = {:?}", obj.display().to_string()),
        format!("file = {:?}", glb.display().to_string()),
        "file = \"turned.obj\", unit = \"cm\", up = \"z\", uv_m = 1.0".to_string(),
    ];
    let mut digests = Vec::new();
    for (k, shape) in shapes.iter().enumerate() {
        let text = format!(
            "format = \"toile-scene/1\"\n[simulation]\nduration_s = 0.04\n[[cloth]]\nname = \"again\"\nfabric = \"denim\"\nshape = {{ kind = \"file\", {shape} }}\n[[pin]]\nvertices = [0, 1]\n"
        );
        let scene = place.file(&format!("again{k}.toml"));
        std::fs::write(&scene, text).unwrap();
        let folder = place.file(&format!("again{k}"));
        good(&toile().args(["run", "--bare"]).arg(&scene).arg("-o").arg(&folder).output().unwrap());
        let after = record(&folder)["cloths"][0].clone();
        assert_eq!(after["triangles"], before["triangles"], "{shape}");
        assert_eq!(after["vertices"], before["vertices"], "{shape}");
        // Left out, the scale is that of the cloth as it hangs, which is slightly stretched.
        let found = after["area_m2"].as_f64().unwrap();
        assert!((found / area - 1.0).abs() < 0.01, "{shape}: {found} m²");
        digests.push(found);
    }
    assert!((digests[2] / area - 1.0).abs() < 1e-6, "the stated scale is kept");
}

/// A scene with everything: an included studio, three shapes, an elastic, a fold, a clamp that turns. The elastic gathers its edge.
#[test]
fn scenes_may_hold_everything() {
    let place = Place::new("everything");
    let studio = "format = \"toile-scene/1\"\n[simulation]\nduration_s = 0.2\nscheme = \"semi-implicit\"\n[[cloth]]\nname = \"disc\"\nfabric = \"silk-habotai\"\nshape = { kind = \"disc\", radius_m = 0.1, edge_mm = 15 }\n[[pin]]\ncloth = \"disc\"\ncentre = true\n";
    std::fs::write(place.file("studio.toml"), studio).unwrap();
    let text = |elastic: &str| {
        format!(
            r##"format = "toile-scene/1"
include = ["studio.toml"]
[[cloth]]
name = "skirt"
fabric = "cotton-lawn"
colour = "#aabbcc"
shape = {{ kind = "rectangle", width_m = 0.3, height_m = 0.2, edge_mm = 15 }}
place = {{ position_m = [0.5, 0.3, 0.0], lay = "upright" }}
jolt_mm = 0.5
[[cloth]]
name = "flap"
fabric = "denim"
bending = "hinge"
shape = {{ kind = "polygon", points_m = [[0, 0], [0.2, 0], [0.2, 0.1], [0.05, 0.15]], edge_mm = 15, grain_deg = 30 }}
[[line]]
cloth = "skirt"
edge = "top"
stiffness_n = 20
rest_ratio = {elastic}
[[line]]
cloth = "skirt"
points_m = [[0.05, 0.1], [0.25, 0.1]]
fold_deg = 40
fold_stiffness_mn = 2
[[pin]]
cloth = "skirt"
corners = ["top-left", "top-right"]
axes = "yz"
[[handle]]
cloth = "flap"
edges = ["rim"]
axes = "xyz"
keys = [{{ time_s = 0 }}, {{ time_s = 0.2, turn_deg = [0, 0, 30] }}]
"##
        )
    };
    let width = |elastic: &str| {
        let scene = place.file("scene.toml");
        std::fs::write(&scene, text(elastic)).unwrap();
        let folder = place.file("out");
        good(&toile().args(["run", "--bare", "--force"]).arg(&scene).arg("-o").arg(&folder).output().unwrap());
        let found = record(&folder);
        assert_eq!(found["cloths"].as_array().unwrap().len(), 3);
        assert_eq!(found["inputs"].as_array().unwrap().len(), 2);
        good(
            &toile()
                .args(["export", "--format", "obj"])
                .arg(&folder)
                .arg("-o")
                .arg(place.file("files"))
                .output()
                .unwrap(),
        );
        let files = std::fs::read_dir(place.file("files")).unwrap().map(|e| e.unwrap().path());
        let last = files.filter(|f| f.file_name().unwrap().to_string_lossy().starts_with("skirt")).max().unwrap();
        let text = std::fs::read_to_string(last).unwrap();
        let places = text.lines().filter_map(|l| l.strip_prefix("v "));
        let places: Vec<Vec<f64>> =
            places.map(|l| l.split_whitespace().map(|n| n.parse().unwrap()).collect()).collect();
        // The corners are held at their height, so they are the highest, and free to come closer.
        let top = places.iter().map(|p| p[1]).fold(f64::MIN, f64::max);
        let x: Vec<f64> = places.iter().filter(|p| p[1] > top - 1e-5).map(|p| p[0]).collect();
        std::fs::remove_dir_all(place.file("files")).unwrap();
        x.iter().copied().fold(f64::MIN, f64::max) - x.iter().copied().fold(f64::MAX, f64::min)
    };
    let (plain, gathered) = (width("1.0"), width("0.6"));
    assert!(gathered < plain - 0.005, "the elastic draws the skirt in: {plain} {gathered}");
}
