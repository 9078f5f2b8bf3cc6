//! Broken scenes: each gives a clear message, ends with 2, and leaves nothing behind. The table of messages is in the book.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::path::{Path, PathBuf};
use std::process::Command;

/// A scene that works.
const GOOD: &str = r#"format = "toile-scene/1"
name = "test"

[simulation]
duration_s = 0.04
step_ms = 10.0
scheme = "backward-euler"

[output]
frames_per_s = 25

[[cloth]]
name = "sheet"
fabric = "cotton-poplin"
shape = { kind = "rectangle", width_m = 0.2, height_m = 0.2, edge_mm = 40 }

[[pin]]
edges = ["top"]
"#;

/// What is done to it.
enum Break {
    /// A text is replaced by another.
    Replace(&'static str, &'static str),
    /// Something is added at the end.
    Append(&'static str),
    /// The whole file is this.
    Bytes(Vec<u8>),
    /// The sheet is a mesh file with this name and content.
    Mesh(&'static str, Vec<u8>),
    /// The fabric is a file with this content.
    Fabric(&'static str),
    /// Other arguments than the scene.
    Arguments(&'static [&'static str]),
}
use Break::{Append, Arguments, Bytes, Fabric, Mesh, Replace};

const GOOD_FABRIC: &str = include_str!("../../../data/fabrics/cotton-lawn.toml");

fn obj(text: &str) -> Break {
    Mesh("mesh.obj", text.as_bytes().to_vec())
}

/// Name, break, and a part of the message it must give.
fn cases() -> Vec<(&'static str, Break, &'static str)> {
    let quad = "v 0 0 0\nv 1 0 0\nv 1 0 -1\nv 0 0 -1\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n";
    let with = |faces: &str| obj(&format!("{quad}{faces}"));
    vec![
        ("empty file", Bytes(Vec::new()), "missing"),
        ("not TOML", Bytes(b"this is = = not\n".to_vec()), "scene.toml:1:"),
        ("unclosed string", Replace("name = \"test\"", "name = \"test"), "scene.toml:2:"),
        ("unclosed table", Replace("[simulation]", "[simulation"), "scene.toml:4:"),
        ("duplicate key", Replace("step_ms = 10.0", "step_ms = 10.0\nstep_ms = 5.0"), "duplicate"),
        ("bad UTF-8", Bytes(b"format = \"toile-scene/1\"\nname = \"\xff\xfe\"\n".to_vec()), "not UTF-8"),
        ("binary rubbish", Bytes((0..=255).cycle().take(5000).collect()), "error"),
        ("wrong format", Replace("toile-scene/1", "toile-scene/9"), "toile-scene/1"),
        ("fabric instead of scene", Replace("toile-scene/1", "toile-fabric/1"), "toile-scene/1"),
        ("missing format", Replace("format = \"toile-scene/1\"\n", ""), "`format`: missing"),
        ("unknown key", Replace("step_ms", "step_mss"), "did you mean `step_ms`?"),
        ("wrong unit in the key", Replace("duration_s = 0.04", "duration_ms = 40"), "did you mean `duration_s`?"),
        ("unknown table", Append("[weather]\nrain = true\n"), "unknown key"),
        ("text for a number", Replace("duration_s = 0.04", "duration_s = \"long\""), "expected a number (s), found a string"),
        ("number for a text", Replace("name = \"test\"", "name = 3"), "expected a text in quotes"),
        ("boolean for a number", Replace("step_ms = 10.0", "step_ms = true"), "expected a number (ms)"),
        ("table for a number", Replace("duration_s = 0.04", "duration_s = { s = 1 }"), "expected a number"),
        ("date for a number", Replace("duration_s = 0.04", "duration_s = 2026-01-01"), "expected a number"),
        ("negative duration", Replace("duration_s = 0.04", "duration_s = -1.0"), "must be"),
        ("zero step", Replace("step_ms = 10.0", "step_ms = 0.0"), "must be"),
        ("NaN", Replace("step_ms = 10.0", "step_ms = nan"), "finite"),
        ("infinity", Replace("duration_s = 0.04", "duration_s = inf"), "finite"),
        ("number too large to be one", Replace("step_ms = 10.0", "step_ms = 1e999"), "finite"),
        ("unknown scheme", Replace("backward-euler", "backwards-euler"), "did you mean \"backward-euler\"?"),
        ("unknown solver", Replace("step_ms = 10.0", "step_ms = 10.0\nsolver = \"magic\""), "expected one of"),
        ("unknown instruction level", Replace("step_ms = 10.0", "step_ms = 10.0\nsimd = \"neon\""), "instruction level"),
        ("gravity with two numbers", Replace("step_ms = 10.0", "step_ms = 10.0\ngravity_m_per_s2 = [0, -9.81]"), "expected 3 values"),
        ("gravity with a word", Replace("step_ms = 10.0", "step_ms = 10.0\ngravity_m_per_s2 = [0, \"down\", 0]"), "expected a number"),
        ("zero frame rate", Replace("frames_per_s = 25", "frames_per_s = 0"), "must be"),
        ("a million frames", Replace("duration_s = 0.04", "duration_s = 99999"),
            "more than a million frames",
        ),
        ("unknown format", Replace("frames_per_s = 25", "frames_per_s = 25\nformats = [\"fbx\"]"), "expected one of"),
        ("unknown fabric", Replace("cotton-poplin", "cotton-popplin"), "did you mean \"cotton-poplin\"?"),
        ("missing fabric file", Replace("cotton-poplin", "nowhere/fabric.toml"), "nowhere"),
        ("unknown shape", Replace("rectangle", "rectangel"), "did you mean \"rectangle\"?"),
        ("shape without kind", Replace("kind = \"rectangle\", ", ""), "`cloth[0].shape.kind`: missing"),
        ("missing width", Replace("width_m = 0.2, ", ""), "`cloth[0].shape.width_m`: missing"),
        ("negative width", Replace("width_m = 0.2", "width_m = -0.2"), "must be"),
        ("edge far too short", Replace("edge_mm = 40", "edge_mm = 0.0001"), "triangles"),
        ("structured edge far too short", Replace("edge_mm = 40", "mesh = \"structured\", edge_mm = 0.001"), "cells"),
        ("polygon that crosses itself", Replace("kind = \"rectangle\", width_m = 0.2, height_m = 0.2", "kind = \"polygon\", points_m = [[0,0],[1,1],[1,0],[0,0.7]]"), "cross"),
        ("polygon of two points", Replace("kind = \"rectangle\", width_m = 0.2, height_m = 0.2", "kind = \"polygon\", points_m = [[0,0],[1,1]]"), "at least 3"),
        ("bad colour", Replace("fabric =", "colour = \"blue\"\nfabric ="), "#rrggbb"),
        ("unknown membrane", Replace("fabric =", "membrane = \"gren\"\nfabric ="), "did you mean \"green\"?"),
        ("unknown bending", Replace("fabric =", "bending = \"cubic\"\nfabric ="), "expected one of"),
        ("bending that cannot hold hysteresis", Replace("fabric =", "bending = \"midedge-quadratic\"\nfabric ="), "midedge"),
        ("two cloths of one name", Append("[[cloth]]\nname = \"sheet\"\nfabric = \"denim\"\nshape = { kind = \"disc\", radius_m = 0.1, edge_mm = 20 }\n"), "name already"),
        ("no cloth", Bytes(b"format = \"toile-scene/1\"\n".to_vec()), "no [[cloth]]"),
        ("pin on no cloth", Replace("edges = [\"top\"]", "edges = [\"top\"]\ncloth = \"shet\""), "did you mean \"sheet\"?"),
        ("pin that holds nothing", Replace("edges = [\"top\"]", "name = \"pin\""), "chooses no vertex"),
        ("pin at no such edge", Replace("\"top\"", "\"upper\""), "expected one of"),
        ("pin past the vertices", Replace("edges = [\"top\"]", "vertices = [100000]"), "no vertex 100000"),
        ("pin in an empty box", Replace("edges = [\"top\"]", "within_m = [[5,5,5],[6,6,6]]"), "inside this box"),
        ("corners of a disc", Replace("kind = \"rectangle\", width_m = 0.2, height_m = 0.2", "kind = \"disc\", radius_m = 0.1"), "only rectangles"),
        ("pin with wrong axes", Replace("edges = [\"top\"]", "edges = [\"top\"]\naxes = \"abc\""), "letters x, y, z"),
        ("pin that moves", Replace("edges = [\"top\"]", "edges = [\"top\"]\nkeys = [{ time_s = 0 }]"), "[[handle]]"),
        ("handle without keys", Replace("[[pin]]", "[[handle]]"), "key frames"),
        ("keys out of order", Append("[[handle]]\ncorners = [\"bottom-left\"]\nkeys = [{ time_s = 1 }, { time_s = 0.5 }]\n"), "ascending"),
        ("line without a place", Append("[[line]]\nstiffness_n = 5\n"), "either `edge` or `points_m`"),
        ("line outside the panel", Append("[[line]]\npoints_m = [[0.1, 0.1], [3.0, 3.0]]\nstiffness_n = 5\n"), "line"),
        ("include of nothing", Replace("name = \"test\"", "name = \"test\"\ninclude = [\"gone.toml\"]"), "gone.toml"),
        ("include of itself", Replace("name = \"test\"", "name = \"test\"\ninclude = [\"scene.toml\"]"), "includes itself"),
        ("wind without velocity", Append("[wind]\ngusts = 0.2\n"), "`wind.velocity_m_per_s`: missing"),
        ("missing mesh", Replace("kind = \"rectangle\", width_m = 0.2, height_m = 0.2, edge_mm = 40", "kind = \"file\", file = \"gone.obj\""), "gone.obj"),
        ("mesh of unknown kind", Mesh("mesh.fbx", b"FBX".to_vec()), ".obj, .ply, .glb"),
        ("empty mesh", obj(""), "mesh.obj"),
        ("mesh without UVs", obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), "no UVs"),
        ("mesh with a zero-area triangle", with("f 1/1 2/2 2/2\n"), "mesh.obj"),
        ("mesh with flat UVs", with("f 1/1 2/1 3/1\n"), "area"),
        ("non-manifold mesh", obj(&format!("{quad}v 0 1 0\nf 1/1 2/2 3/3\nf 2/1 1/2 4/3\nf 1/1 2/2 5/3\n")), "edge"),
        ("mesh with a corner past the end", with("f 1/1 2/2 99/3\n"), "mesh.obj"),
        ("mesh with NaN", obj("v nan 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\n"), "mesh.obj"),
        ("truncated GLB", Mesh("mesh.glb", b"glTF\x02\x00\x00\x00\xff\xff\x00\x00\x10".to_vec()), "mesh.glb"),
        ("PLY that promises too much", Mesh("mesh.ply", b"ply\nformat ascii 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\nproperty float z\nend_header\n".to_vec()), "mesh.ply"),
        ("fabric file with negative density", Fabric("density_g_per_m2 = -103.6"), "fabric.toml"),
        ("fabric file with a wrong key", Fabric("density_kg_per_m2 = 0.1"), "did you mean `density_g_per_m2`?"),
        ("obstacle without a shape", Append("[[obstacle]]\nname = \"thing\"\n"), "exactly one of"),
        ("obstacle with two shapes", Append("[[obstacle]]\nname = \"thing\"\nfloor = { height_m = -1 }\nsphere = { centre_m = [0,-1,0], radius_m = 0.1 }\n"), "exactly one of"),
        ("obstacle of unknown shape", Append("[[obstacle]]\nname = \"thing\"\nspere = { centre_m = [0,-1,0], radius_m = 0.1 }\n"), "did you mean `sphere`?"),
        ("obstacle without a name", Append("[[obstacle]]\nfloor = { height_m = -1 }\n"), "`obstacle[0].name`: missing"),
        ("obstacle with the name of a cloth", Append("[[obstacle]]\nname = \"sheet\"\nfloor = { height_m = -1 }\n"), "name already"),
        ("sphere without a radius", Append("[[obstacle]]\nname = \"ball\"\nsphere = { centre_m = [0,-1,0] }\n"), "`obstacle[0].sphere.radius_m`: missing"),
        ("sphere of negative radius", Append("[[obstacle]]\nname = \"ball\"\nsphere = { centre_m = [0,-1,0], radius_m = -0.1 }\n"), "must be"),
        ("capsule without a length", Append("[[obstacle]]\nname = \"arm\"\ncapsule = { from_m = [0,-1,0], to_m = [0,-1,0], radius_m = 0.1 }\n"), "sphere"),
        ("flat box", Append("[[obstacle]]\nname = \"table\"\nbox = { centre_m = [0,-1,0], size_m = [1, 0, 1] }\n"), "above 0"),
        ("plane without a direction", Append("[[obstacle]]\nname = \"slope\"\nplane = { point_m = [0,-1,0], normal = [0,0,0] }\n"), "no length"),
        ("plane that turns", Append("[[obstacle]]\nname = \"slope\"\nplane = { point_m = [0,-1,0], normal = [0,1,0] }\nkeys = [{ time_s = 0, turn_deg = [10,0,0] }]\n"), "not turned"),
        ("obstacle keys out of order", Append("[[obstacle]]\nname = \"floor\"\nfloor = { height_m = -1 }\nkeys = [{ time_s = 1 }, { time_s = 0 }]\n"), "ascending"),
        ("missing obstacle mesh", Append("[[obstacle]]\nname = \"body\"\nmesh = \"gone.obj\"\n"), "gone.obj"),
        ("obstacle mesh of unknown kind", Append("[[obstacle]]\nname = \"body\"\nmesh = \"scene.toml\"\n"), ".obj, .ply, .glb"),
        ("frames without a mesh", Append("[[obstacle]]\nname = \"ball\"\nsphere = { centre_m = [0,-1,0], radius_m = 0.1 }\nframes = \"walk.npz\"\n"), "only a `mesh`"),
        ("rate without frames", Append("[[obstacle]]\nname = \"floor\"\nfloor = { height_m = -1 }\nframes_per_s = 30\n"), "add `frames`"),
        ("obstacle of bad colour", Append("[[obstacle]]\nname = \"floor\"\ncolour = \"grey\"\nfloor = { height_m = -1 }\n"), "#rrggbb"),
        ("unknown response", Append("[contact]\nresponse = \"bounce\"\n"), "expected one of"),
        ("setting of the other response", Append("[contact]\nresponse = \"geometric\"\nreach_mm = 1\n"), "only for `response = \"barrier\"`"),
        ("setting of corrections with barriers", Append("[contact]\nband_mm = 0.1\n"), "only for `response = \"geometric\"`"),
        ("negative friction", Append("[contact]\nfriction = -0.3\n"), "must be"),
        ("friction with nobody", Append("[[contact.pair]]\nbetween = [\"shet\", \"cloth\"]\nstatic = 0.3\n"), "did you mean \"sheet\"?"),
        ("friction that grows by sliding", Append("[[contact.pair]]\nbetween = [\"cloth\", \"cloth\"]\nstatic = 0.3\nkinetic = 0.5\n"), "at most `static`"),
        ("friction of a text", Append("[contact]\nfriction = \"high\"\n"), "expected a number or a table"),
        ("friction along the weft alone", Append("[contact]\nfriction = { weft = 0.3 }\n"), "`contact.friction.warp`: missing"),
        ("negative friction along the warp", Append("[[contact.pair]]\nbetween = [\"cloth\", \"cloth\"]\nstatic = { weft = 0.3, warp = -0.3 }\n"), "must be"),
        ("friction along one thread only", Append("[contact]\nfriction = { weft = 0.3, warp = 0.0 }\n"), "factor of 10"),
        ("contact with an explicit scheme", Replace("scheme = \"backward-euler\"", "scheme = \"rk4\"\n[contact]"), "needs \"backward-euler\" or \"bdf2\""),
        ("unknown command", Arguments(&["rnu", "scene.toml"]), "rnu"),
        ("missing scene", Arguments(&["run", "gone/scene.toml"]), "gone"),
        ("resume without a run", Arguments(&["run", "scene.toml", "-o", "nothing", "--resume"]), "no run to resume"),
        ("folder that is not empty", Arguments(&["run", "scene.toml", "-o", "full"]), "not empty"),
        ("render of no run", Arguments(&["render", "full"]), "no frames"),
        ("export of no run", Arguments(&["export", "full"]), "no frames"),
        ("export to an unknown format", Arguments(&["export", "full", "--format", "fbx"]), "no format"),
        ("duration that is no number, on the command line", Arguments(&["run", "scene.toml", "--duration", "nan"]), "--duration"),
    ]
}

struct Place(PathBuf);

impl Place {
    fn new(number: usize) -> Self {
        let path = std::env::temp_dir().join(format!("toile-broken-{}-{number}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(path.join("full")).unwrap();
        std::fs::write(path.join("full").join("notes.txt"), "mine").unwrap();
        Self(path)
    }

    fn files(&self) -> Vec<PathBuf> {
        fn walk(folder: &Path, out: &mut Vec<PathBuf>) {
            for entry in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
                if entry.is_dir() { walk(&entry, out) } else { out.push(entry) }
            }
        }
        let mut out = Vec::new();
        walk(&self.0, &mut out);
        out.sort();
        out
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Writes the scene of a case and returns the arguments.
fn prepare(place: &Place, case: &Break) -> Vec<String> {
    let scene = place.0.join("scene.toml");
    let mut text = GOOD.as_bytes().to_vec();
    match case {
        Replace(from, to) => {
            assert!(GOOD.contains(from), "{from}");
            text = GOOD.replacen(from, to, 1).into_bytes();
        }
        Append(more) => text.extend_from_slice(more.as_bytes()),
        Bytes(bytes) => text = bytes.clone(),
        Mesh(name, bytes) => {
            std::fs::write(place.0.join(name), bytes).unwrap();
            let shape = "kind = \"rectangle\", width_m = 0.2, height_m = 0.2, edge_mm = 40";
            let pin = ("edges = [\"top\"]", "vertices = [0]");
            text =
                GOOD.replace(shape, &format!("kind = \"file\", file = \"{name}\"")).replace(pin.0, pin.1).into_bytes();
        }
        Fabric(line) => {
            let fabric = GOOD_FABRIC.replace("density_g_per_m2 = 103.6", line);
            assert_ne!(fabric, GOOD_FABRIC);
            std::fs::write(place.0.join("fabric.toml"), fabric).unwrap();
            text = GOOD.replace("\"cotton-poplin\"", "\"fabric.toml\"").into_bytes();
        }
        Arguments(list) => {
            std::fs::write(&scene, &text).unwrap();
            return list.iter().map(|a| (*a).to_string()).collect();
        }
    }
    std::fs::write(&scene, &text).unwrap();
    ["run", "scene.toml", "-o", "out"].map(String::from).to_vec()
}

#[test]
fn broken_inputs_are_told_apart_and_leave_nothing() {
    let mut table = String::from("| input | message |\n|---|---|\n");
    let mut faults = Vec::new();
    let cases = cases();
    assert!(cases.len() >= 60);
    for (number, (name, case, expected)) in cases.iter().enumerate() {
        let place = Place::new(number);
        let arguments = prepare(&place, case);
        let before = place.files();
        let run = Command::new(env!("CARGO_BIN_EXE_toile")).args(&arguments).current_dir(&place.0).output().unwrap();
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        if run.status.code() != Some(2) {
            faults.push(format!("{name}: ended with {:?}\n{said}", run.status.code()));
        }
        if said.contains("panicked") {
            faults.push(format!("{name}: panicked\n{said}"));
        }
        if !said.contains(expected) {
            faults.push(format!("{name}: expected \"{expected}\" in\n{said}"));
        }
        if place.files() != before {
            faults.push(format!("{name}: left files behind: {:?}", place.files()));
        }
        let message = said.trim().lines().find(|l| l.contains(": error: ") || l.contains("error")).unwrap_or("");
        let row = said.lines().find(|l| l.contains(": error: ")).unwrap_or(message);
        table += &format!("| {name} | {} |\n", row.replace('|', "\\|"));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n---\n"));
    // The book shows this table; a changed message changes it there too.
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book/src/messages.md");
    let head = "# Messages for broken inputs\n\nWhat `toile` says to each of these inputs. All end with exit code 2 and leave no files.\n\n";
    let wanted = format!("{head}{table}");
    if std::env::var_os("TOILE_BLESS").is_some() {
        std::fs::write(&page, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&page).unwrap_or_default();
    assert!(found == wanted, "docs/book/src/messages.md is out of date: run this test once with TOILE_BLESS=1");
}
