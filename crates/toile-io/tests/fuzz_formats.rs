//! Damaged files of every format that is read: an answer or an error, never a panic, never memory without end.

mod common {
    pub(crate) mod sheet;
}

use common::sheet::waving_sheet;
use proptest::collection::vec;
use proptest::prelude::*;
use std::path::Path;
use std::sync::LazyLock;
use toile_io::formats::{clip_from_bytes, glb, mesh_from_bytes, ply, write};
use toile_io::surface::{Clip, Surface};

/// Valid files to begin with.
static FILES: LazyLock<Vec<(&'static str, Vec<u8>)>> = LazyLock::new(|| {
    let clip = waving_sheet(4, 3, 3);
    let still = Clip { surface: clip.surface.clone(), frames: clip.frames[..1].to_vec() };
    let folder = std::env::temp_dir().join(format!("toile-fuzz-formats-{}", std::process::id()));
    let file = |name: &str, clip: &Clip| {
        let files = write(name, clip, &folder, "f").expect("the sheet is valid");
        std::fs::read(files.last().expect("one file")).expect("just written")
    };
    let binary = glb::bytes(&clip, None).expect("the sheet is valid");
    let files = vec![
        ("a.obj", file("obj", &still)),
        ("a.ply", ply::bytes(&clip, 0, None).expect("the sheet is valid")),
        ("b.ply", text_ply(&still.surface)),
        ("a.glb", binary),
        ("a.gltf", STRIP.as_bytes().to_vec()),
        ("a.pc2", file("pc2", &clip)),
        ("a.mdd", file("mdd", &clip)),
        ("a.npz", file("npz", &clip)),
    ];
    let _ = std::fs::remove_dir_all(folder);
    files
});

fn text_ply(surface: &Surface) -> Vec<u8> {
    let mesh = &surface.mesh;
    let mut text = format!(
        "ply\nformat ascii 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n\
         element face {}\nproperty list uchar int vertex_indices\nend_header\n",
        mesh.positions.len(),
        mesh.triangles.len()
    );
    text.extend(mesh.positions.iter().map(|p| format!("{} {} {}\n", p.x, p.y, p.z)));
    text.extend(mesh.triangles.iter().map(|[a, b, c]| format!("3 {a} {b} {c}\n")));
    text.into_bytes()
}

/// Text glTF, so that damage reaches the JSON: a skinned strip with strides.
const STRIP: &str = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0,1]}],
"nodes":[{"translation":[1,0,0],"children":[2]},{"name":"a","mesh":0,"skin":0},{"rotation":[0,0,0,1],"mesh":0}],
"skins":[{"joints":[0,2]}],
"meshes":[{"primitives":[{"mode":5,"attributes":{"POSITION":0,"JOINTS_0":1,"WEIGHTS_0":2},"indices":3}]}],
"accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":4},
{"bufferView":1,"componentType":5121,"type":"VEC4","count":4},
{"bufferView":2,"componentType":5121,"normalized":true,"type":"VEC4","count":4},
{"bufferView":3,"componentType":5121,"type":"SCALAR","count":4}],
"bufferViews":[{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":16,"byteStride":4},
{"buffer":0,"byteOffset":64,"byteLength":16},{"buffer":0,"byteOffset":80,"byteLength":4}],
"buffers":[{"byteLength":84,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAACAPwAAgD8AAAAAAAAAAAABAAAAAQAAAAEAAP8AAAD/AAAA/wAAAP8AAAAAAQID"}]}"#;

/// One piece of damage; places are fractions of the file.
#[derive(Clone, Debug)]
enum Damage {
    Flip(f64, u8),
    Truncate(f64),
    Word(f64, u32),
    Number(f64, &'static str),
    Nines(f64),
    Remove(f64, usize),
    Repeat(f64, usize),
}

const NUMBERS: &[&str] =
    &["nan", "inf", "-1", "0", "1e999", "4294967295", "99999999999999999999", "18446744073709551615", "1e-320", ""];

fn damage() -> impl Strategy<Value = Damage> {
    let at = || 0.0..1.0f64;
    let words = prop_oneof![Just(u32::MAX), Just(i32::MAX as u32), Just(0x7fc0_0000), Just(0), Just(1), any::<u32>()];
    prop_oneof![
        (at(), any::<u8>()).prop_map(|(a, b)| Damage::Flip(a, b)),
        at().prop_map(Damage::Truncate),
        (at(), words).prop_map(|(a, w)| Damage::Word(a, w)),
        (at(), proptest::sample::select(NUMBERS)).prop_map(|(a, n)| Damage::Number(a, n)),
        at().prop_map(Damage::Nines),
        (at(), 1..40usize).prop_map(|(a, n)| Damage::Remove(a, n)),
        (at(), 1..40usize).prop_map(|(a, n)| Damage::Repeat(a, n)),
    ]
}

impl Damage {
    fn apply(&self, bytes: &mut Vec<u8>) {
        let place = |at: f64| (at * bytes.len() as f64) as usize;
        // The run of digits at or after a place.
        let digits = |at: f64| {
            let start = place(at) + bytes[place(at)..].iter().position(u8::is_ascii_digit)?;
            let length = bytes[start..].iter().take_while(|b| b.is_ascii_digit()).count();
            Some(start..start + length)
        };
        match *self {
            Damage::Flip(at, byte) => {
                let at = place(at);
                bytes.get_mut(at).into_iter().for_each(|b| *b = byte);
            }
            Damage::Truncate(at) => bytes.truncate(place(at)),
            Damage::Word(at, word) => {
                let at = place(at);
                bytes.iter_mut().skip(at).zip(word.to_le_bytes()).for_each(|(b, w)| *b = w);
            }
            Damage::Number(at, number) => drop(digits(at).map(|d| bytes.splice(d, number.bytes()))),
            Damage::Nines(at) => drop(digits(at).map(|d| bytes[d].fill(b'9'))),
            Damage::Remove(at, count) => {
                let at = place(at);
                bytes.drain(at..(at + count).min(bytes.len()));
            }
            Damage::Repeat(at, count) => {
                let at = place(at);
                let piece = bytes[at..(at + count).min(bytes.len())].to_vec();
                bytes.splice(at..at, piece);
            }
        }
    }
}

/// What every reader promises of what it returns.
fn check_surface(surface: &Surface) -> Result<(), TestCaseError> {
    let mesh = &surface.mesh;
    prop_assert!(mesh.positions.iter().all(|p| p.is_finite()));
    prop_assert!(mesh.triangles.iter().flatten().all(|&i| (i as usize) < mesh.positions.len()));
    prop_assert!(mesh.material.is_empty() || mesh.material.len() == mesh.triangles.len());
    prop_assert!(mesh.material.iter().flatten().all(|m| m.is_finite()));
    let mut end = 0;
    for part in &surface.parts {
        prop_assert!(end <= part.triangles.start && part.triangles.start <= part.triangles.end);
        end = part.triangles.end;
    }
    prop_assert!(end <= mesh.triangles.len());
    Ok(())
}

fn check_damaged(name: &str, bytes: Vec<u8>) -> Result<(), TestCaseError> {
    let path = Path::new("nowhere").join(name);
    let problems = if matches!(&name[2..], "pc2" | "mdd" | "npz") {
        match clip_from_bytes(bytes, &path) {
            Err(problems) => problems,
            Ok(clip) => {
                prop_assert!(!clip.frames.is_empty());
                prop_assert!(clip.frames.iter().all(|f| f.positions.len() == clip.surface.mesh.positions.len()));
                prop_assert!(clip.frames.is_sorted_by(|a, b| a.time < b.time));
                return check_surface(&clip.surface);
            }
        }
    } else {
        match mesh_from_bytes(&bytes, &path) {
            Err(problems) => problems,
            Ok(surface) => return check_surface(&surface),
        }
    };
    prop_assert!(!problems.is_empty() && problems.iter().all(|p| p.path == path && !p.message.is_empty()));
    Ok(())
}

fn damaged(index: usize, changes: &[Damage]) -> Result<(), TestCaseError> {
    let (name, mut bytes) = FILES[index].clone();
    for change in changes.iter() {
        if !bytes.is_empty() {
            change.apply(&mut bytes);
        }
    }
    check_damaged(name, bytes)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn obj(changes in vec(damage(), 1..5)) { damaged(0, &changes)?; }
    #[test]
    fn binary_ply(changes in vec(damage(), 1..5)) { damaged(1, &changes)?; }
    #[test]
    fn text_ply_file(changes in vec(damage(), 1..5)) { damaged(2, &changes)?; }
    #[test]
    fn binary_gltf(changes in vec(damage(), 1..5)) { damaged(3, &changes)?; }
    #[test]
    fn text_gltf(changes in vec(damage(), 1..5)) { damaged(4, &changes)?; }
    #[test]
    fn pc2(changes in vec(damage(), 1..5)) { damaged(5, &changes)?; }
    #[test]
    fn mdd(changes in vec(damage(), 1..5)) { damaged(6, &changes)?; }
    #[test]
    fn npz(changes in vec(damage(), 1..5)) { damaged(7, &changes)?; }
}

/// The files are valid before they are damaged: otherwise the test above says little.
#[test]
fn undamaged_files_are_read() {
    for (name, bytes) in FILES.iter() {
        let path = Path::new("nowhere").join(name);
        let good = match &name[2..] {
            "pc2" | "mdd" | "npz" => clip_from_bytes(bytes.clone(), &path).map(|_| ()),
            _ => mesh_from_bytes(bytes, &path).map(|_| ()),
        };
        assert_eq!(good, Ok(()), "{name}");
    }
}
