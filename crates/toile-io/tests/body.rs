//! Bodies through files: units, axes, poses of animations, and what our own mannequins look like elsewhere.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

use glam::DVec3;
use std::path::{Path, PathBuf};
use toile_garment::body::{Body, Measurements, mannequin, measure};
use toile_io::body::{Import, from_bytes, read, still, surface};
use toile_io::formats;
use toile_io::scene::{Unit, Up};

fn body() -> Body {
    mannequin(&Measurements::of_size("F40").unwrap()).unwrap()
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("toile-body-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Written as OBJ, PLY and GLB and read back, a mannequin measures the same and keeps its regions.
#[test]
fn mannequins_survive_files() {
    let body = body();
    let folder = folder("formats");
    for format in ["obj", "ply", "glb"] {
        let files = formats::write(format, &still(surface("mannequin", &body)), &folder, "mannequin").unwrap();
        let read = read(files.last().unwrap(), &Import::default()).unwrap();
        assert_eq!(read.mesh.positions.len(), body.vertices.len(), "{format}");
        assert_eq!(read.mesh.triangles.len(), body.triangles.len(), "{format}");
        if format == "obj" {
            assert!(read.parts.iter().map(|p| &p.name).eq(&body.regions), "{:?}", read.parts);
        }
        let figures = measure(&read.mesh.positions, &read.mesh.triangles).unwrap();
        // Files hold single precision: 0.1 µm at this size.
        assert!((figures.height - 1.68).abs() < 3e-4, "{format}");
        let own = measure(&body.vertices, &body.triangles).unwrap();
        assert!((figures.girth("waist").unwrap() - own.girth("waist").unwrap()).abs() < 1e-5, "{format}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// Vertices and triangles as OBJ text, through a change of numbers.
fn obj(body: &Body, change: impl Fn(DVec3) -> DVec3) -> Vec<u8> {
    let vertex = |p: DVec3| format!("v {} {} {}\n", p.x, p.y, p.z);
    let face = |t: &[u32; 3]| format!("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
    let vertices: String = body.vertices.iter().map(|p| vertex(change(*p))).collect();
    let faces: String = body.triangles.iter().map(face).collect();
    (vertices + &faces).into_bytes()
}

/// A wrong unit or axis is an error that names the right one; once named, the body is in metres and upright.
#[test]
fn units_and_axes_are_looked_at() {
    let body = body();
    let path = Path::new("body.obj");
    for (factor, unit, word) in
        [(100.0, Unit::Centimetre, "cm"), (1e3, Unit::Millimetre, "mm"), (1.0 / 0.0254, Unit::Inch, "in")]
    {
        let bytes = obj(&body, |p| p * factor);
        let problem = &from_bytes(&bytes, path, &Import::default()).unwrap_err()[0];
        assert!(problem.to_string().contains(&format!("unit = \"{word}\"")), "{problem}");
        let read = from_bytes(&bytes, path, &Import { unit, ..Import::default() }).unwrap();
        assert!(read.mesh.positions.iter().zip(&body.vertices).all(|(a, b)| a.distance(*b) < 1e-9));
    }
    let bytes = obj(&body, |p| DVec3::new(p.x, -p.z, p.y));
    let problem = &from_bytes(&bytes, path, &Import::default()).unwrap_err()[0];
    assert!(problem.to_string().contains("up = \"z\""), "{problem}");
    let read = from_bytes(&bytes, path, &Import { up: Up::Z, ..Import::default() }).unwrap();
    assert!(read.mesh.positions.iter().zip(&body.vertices).all(|(a, b)| a.distance(*b) < 1e-12));
    assert!(from_bytes(b"v 0 0 0\n", path, &Import::default()).is_err());
    assert!(from_bytes(&obj(&body, |p| p), path, &Import { time: Some(1.0), ..Import::default() }).is_err());
}

/// A GLB of one triangle, 2 m high, on a node that an animation shifts and turns.
fn animated(kind: &str, shifts: &[f32]) -> Vec<u8> {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let points: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0];
    let (times, turns) = ([0.0f32, 2.0], [0.0f32, 0.0, 0.0, 1.0, 0.0, half, 0.0, half]);
    let numbers = points.iter().chain(&times).chain(&turns).chain(shifts);
    let mut binary: Vec<u8> = numbers.flat_map(|n| n.to_le_bytes()).collect();
    let view =
        |at: usize, count: usize| format!(r#"{{"buffer":0,"byteOffset":{},"byteLength":{}}}"#, 4 * at, 4 * count);
    let views = [view(0, 9), view(9, 2), view(11, 8), view(19, shifts.len())].join(",");
    let accessor = |view: usize, count: usize, kind: &str| {
        format!(r#"{{"bufferView":{view},"componentType":5126,"count":{count},"type":"{kind}"}}"#)
    };
    let accessors = [
        accessor(0, 3, "VEC3"),
        accessor(1, 2, "SCALAR"),
        accessor(2, 2, "VEC4"),
        accessor(3, shifts.len() / 3, "VEC3"),
    ];
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{{"mesh":0,"translation":[5,0,0]}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
        "animations":[{{"samplers":[{{"input":1,"output":3,"interpolation":"{kind}"}},{{"input":1,"output":2}}],
        "channels":[{{"sampler":0,"target":{{"node":0,"path":"translation"}}}},{{"sampler":1,"target":{{"node":0,"path":"rotation"}}}}]}}],
        "buffers":[{{"byteLength":{}}}],"bufferViews":[{views}],"accessors":[{}]}}"#,
        binary.len(),
        accessors.join(",")
    );
    let mut json = json.into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    binary.resize(binary.len().next_multiple_of(4), 0);
    let mut glb = b"glTF".to_vec();
    glb.extend(2u32.to_le_bytes());
    glb.extend((28 + json.len() as u32 + binary.len() as u32).to_le_bytes());
    for (name, chunk) in [(b"JSON", &json), (b"BIN\0", &binary)] {
        glb.extend((chunk.len() as u32).to_le_bytes());
        glb.extend(name);
        glb.extend(chunk);
    }
    glb
}

/// Poses of an animation: linear, stepped and cubic shifts, turns along the arc, held at the ends; at rest without a time.
#[test]
fn poses_are_taken_at_a_time() {
    let corner = |glb: &[u8], time: Option<f64>| {
        let import = Import { time, ..Import::default() };
        let read = from_bytes(glb, Path::new("body.glb"), &import).unwrap();
        [read.mesh.positions[0], read.mesh.positions[1]]
    };
    let near = |a: DVec3, b: [f64; 3]| assert!(a.distance(DVec3::from(b)) < 1e-6, "{a} is not {b:?}");
    let linear = animated("LINEAR", &[0.0, 0.0, 0.0, 0.0, 4.0, 0.0]);
    near(corner(&linear, None)[0], [5.0, 0.0, 0.0]);
    let half = std::f64::consts::FRAC_1_SQRT_2;
    // Halfway through a quarter turn about y.
    near(corner(&linear, Some(1.0))[0], [0.0, 2.0, 0.0]);
    near(corner(&linear, Some(1.0))[1], [half, 2.0, -half]);
    near(corner(&linear, Some(9.0))[1], [0.0, 4.0, -1.0]);
    near(corner(&linear, Some(-1.0))[1], [1.0, 0.0, 0.0]);
    near(corner(&animated("STEP", &[0.0, 0.0, 0.0, 0.0, 4.0, 0.0]), Some(1.9))[0], [0.0, 0.0, 0.0]);
    // Value and slope of x³ at 0 and 2: its cubic is the function itself.
    let mut cubic = vec![0.0; 18];
    (cubic[9], cubic[12], cubic[15]) = (12.0, 8.0, 12.0);
    near(corner(&animated("CUBICSPLINE", &cubic), Some(1.0))[0], [1.0, 0.0, 0.0]);
    let short = from_bytes(
        &animated("CUBICSPLINE", &cubic[..6]),
        Path::new("a.glb"),
        &Import { time: Some(1.0), ..Import::default() },
    );
    assert!(short.unwrap_err()[0].to_string().contains("channel 0"));
}

/// A skinned walk made elsewhere: at rest it can be measured, and later it has walked on. Skipped where the file is not at hand.
#[test]
fn a_walking_body_is_read_at_a_time() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/bodies/makehuman/mh_female_walk.glb");
    if !path.exists() {
        println!("skipped: no {}", path.display());
        return;
    }
    let rest = read(&path, &Import::default()).unwrap();
    let figures = measure(&rest.mesh.positions, &rest.mesh.triangles).unwrap();
    assert!((figures.height - 1.59).abs() < 5e-3, "{}", figures.height);
    let later = read(&path, &Import { time: Some(3.0), ..Import::default() }).unwrap();
    assert_eq!(later.mesh.triangles, rest.mesh.triangles);
    let mean = |s: &toile_io::surface::Surface| {
        s.mesh.positions.iter().map(|p| p.z).sum::<f64>() / s.mesh.positions.len() as f64
    };
    assert!(mean(&later) > mean(&rest) + 1.0, "{}", mean(&later));
}
