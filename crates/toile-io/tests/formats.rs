//! Formats: what is written comes back, through our readers and through readers that are not ours.

mod common {
    pub(crate) mod sheet;
}

use common::sheet::waving_sheet;
use glam::{DVec2, DVec3};
use ndarray_npy::NpzReader;
use ply_rs_bw::parser::Parser;
use ply_rs_bw::ply::{DefaultElement, Property};
use std::collections::BTreeSet;
use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use toile_io::formats::{ExportError, FORMATS, glb, mesh_from_bytes, opened, ply, read_clip, read_mesh, write};
use toile_io::surface::{Clip, Surface};

/// A folder of its own for every test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("toile-formats-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The number as formats with 32 bits keep it.
fn single(points: &[DVec3]) -> Vec<DVec3> {
    points.iter().map(|p| p.as_vec3().as_dvec3()).collect()
}

fn still(clip: &Clip) -> Clip {
    Clip { surface: clip.surface.clone(), frames: clip.frames[clip.frames.len() - 1..].to_vec() }
}

/// Every triangle has the same places in the material, to single precision.
fn assert_same_material(found: &Surface, wanted: &Surface) {
    assert_eq!(found.mesh.material.len(), wanted.mesh.material.len());
    for (f, w) in found.mesh.material.iter().flatten().zip(wanted.mesh.material.iter().flatten()) {
        // Coordinates below 2 m, and glTF stores 1 − v: two roundings of 1.2e-7 at most.
        assert!((*f - *w).abs().max_element() < 3e-7, "{f} for {w}");
    }
}

#[test]
fn meshes_come_back_through_our_readers() {
    let folder = Folder::new("meshes");
    let clip = still(&waving_sheet(10, 6, 3));
    for format in ["obj", "ply", "glb"] {
        let files = write(format, &clip, &folder.0, "still").unwrap();
        assert_eq!(files, [folder.0.join(format!("still.{format}"))]);
        let surface = read_mesh(&files[0]).unwrap();
        // OBJ has the shortest decimals that are the same number in single precision.
        assert!(single(&surface.mesh.positions) == single(&clip.frames[0].positions), "{format}");
        assert_eq!(surface.mesh.triangles, clip.surface.mesh.triangles, "{format}");
        assert_same_material(&surface, &clip.surface);
        let names: Vec<(&str, usize)> = surface.parts.iter().map(|p| (p.name.as_str(), p.triangles.len())).collect();
        match format {
            "obj" => assert_eq!(names, [("front", 60), ("back_left", 60)]),
            "glb" => assert_eq!(names, [("front", 60), ("back left", 60)]),
            _ => assert!(names.is_empty()),
        }
    }
}

/// Two sheets of 10 × 6 cells sewn along a side: open, each has its own vertices there, and everything else is as before.
#[test]
fn open_seams_double_their_vertices() {
    let surface = waving_sheet(10, 6, 1).surface;
    let (open, source) = opened(&surface);
    let ends = |s: &Surface, part: usize| -> BTreeSet<u32> {
        s.mesh.triangles[s.parts[part].triangles.clone()].iter().flatten().copied().collect()
    };
    let shared: Vec<u32> = ends(&surface, 0).intersection(&ends(&surface, 1)).copied().collect();
    assert!(!shared.is_empty() && ends(&open, 0).is_disjoint(&ends(&open, 1)));
    assert_eq!(open.mesh.positions.len(), surface.mesh.positions.len() + shared.len());
    assert_eq!((&open.parts, &open.mesh.material), (&surface.parts, &surface.mesh.material));
    for (a, b) in open.mesh.triangles.iter().zip(&surface.mesh.triangles) {
        assert_eq!(a.map(|v| source[v as usize]), *b);
        assert_eq!(a.map(|v| open.mesh.positions[v as usize]), b.map(|v| surface.mesh.positions[v as usize]));
    }
}

#[test]
fn a_surface_without_material_and_parts_comes_back_bare() {
    let folder = Folder::new("bare");
    let mut clip = still(&waving_sheet(4, 3, 1));
    clip.surface.mesh.material.clear();
    clip.surface.parts.clear();
    clip.frames[0].fields.clear();
    for format in FORMATS {
        let files = write(format.name, &clip, &folder.0.join(format.name), "bare").unwrap();
        if ["obj", "ply", "glb"].contains(&format.name) {
            let surface = read_mesh(&files[0]).unwrap();
            assert!(surface.mesh.material.is_empty() && surface.parts.is_empty(), "{}", format.name);
            assert_eq!(surface.mesh.triangles, clip.surface.mesh.triangles);
        }
    }
}

#[test]
fn motion_comes_back_through_our_readers() {
    let folder = Folder::new("motion");
    let clip = waving_sheet(10, 6, 5);
    for format in ["pc2", "mdd", "npz"] {
        let files = write(format, &clip, &folder.0.join(format), "moving").unwrap();
        let back = read_clip(files.last().unwrap()).unwrap();
        assert_eq!(back.frames.len(), 5);
        assert_eq!(back.surface.mesh.triangles, clip.surface.mesh.triangles, "{format}");
        assert_same_material(&back.surface, &clip.surface);
        for (found, wanted) in back.frames.iter().zip(&clip.frames) {
            // Times in single precision; PC2 rounds first and step.
            assert!((found.time - wanted.time).abs() < 1e-8, "{format}: {} for {}", found.time, wanted.time);
            if format == "npz" {
                assert_eq!(found, wanted);
            } else {
                assert!(found.positions == single(&wanted.positions), "{format}");
            }
        }
        if format == "npz" {
            assert_eq!(back, clip);
        }
    }
    // Without its mesh a cache is points alone; with another mesh it is refused.
    let mdd = folder.0.join("mdd/moving.mdd");
    fs::write(mdd.with_extension("obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    assert!(read_clip(&mdd).unwrap_err()[0].message.contains("3 vertices"));
    fs::remove_file(mdd.with_extension("obj")).unwrap();
    assert!(read_clip(&mdd).unwrap().surface.mesh.triangles.is_empty());
}

#[test]
fn series_are_numbered_and_indices_come_last() {
    let folder = Folder::new("series");
    let clip = waving_sheet(4, 3, 3);
    let names = |format: &str| -> Vec<String> {
        let files = write(format, &clip, &folder.0.join(format), "w").unwrap();
        files.iter().map(|f| f.file_name().unwrap().to_string_lossy().into_owned()).collect()
    };
    assert_eq!(names("obj"), ["w_000000.obj", "w_000001.obj", "w_000002.obj"]);
    assert_eq!(names("vtp"), ["w_000000.vtp", "w_000001.vtp", "w_000002.vtp", "w.pvd"]);
    assert_eq!(names("pc2"), ["w.obj", "w.pc2"]);
    assert_eq!(names("usda"), ["w.usda"]);
}

#[test]
fn same_clip_gives_the_same_bytes() {
    let folder = Folder::new("bytes");
    for format in FORMATS {
        let content = |run: &str| -> Vec<Vec<u8>> {
            let clip = waving_sheet(10, 6, 3);
            let files = write(format.name, &clip, &folder.0.join(run), "same").unwrap();
            files.iter().map(|f| fs::read(f).unwrap()).collect()
        };
        assert!(content("a") == content("b"), "{}", format.name);
    }
}

#[test]
fn what_cannot_be_written_is_said() {
    let folder = Folder::new("errors");
    let clip = waving_sheet(4, 3, 2);
    let error = |name: &str, clip: &Clip| write(name, clip, &folder.0, "x").unwrap_err();
    assert_eq!(error("usd", &clip).to_string(), "there is no format `usd`; did you mean `usda`?");
    assert!(matches!(error("alembic", &clip), ExportError::Unknown { nearest: None, .. }));
    assert!(matches!(error("obj", &Clip { frames: Vec::new(), ..clip.clone() }), ExportError::Empty(_)));
    let broken = |change: &dyn Fn(&mut Clip)| {
        let mut broken = clip.clone();
        change(&mut broken);
        error("npz", &broken).to_string()
    };
    assert!(broken(&|c| c.frames[1].positions[7].y = f64::NAN).contains("vertex 7 of frame 1"));
    assert!(broken(&|c| c.frames[1].positions.truncate(19)).contains("19 positions for 20"));
    assert!(broken(&|c| c.frames[1].fields.truncate(1)).contains("other fields"));
    assert!(broken(&|c| c.frames[1].time = 0.0).contains("not after"));
    assert!(broken(&|c| c.surface.mesh.triangles[3][0] = 20).contains("triangle 3"));
    assert!(broken(&|c| c.surface.parts[1].triangles.start = 5).contains("back left"));
    let uneven = waving_sheet(4, 3, 4);
    let uneven = Clip { frames: [0, 1, 3].map(|k| uneven.frames[k].clone()).to_vec(), ..uneven };
    assert!(error("pc2", &uneven).to_string().contains("mdd"));
    assert!(write("obj", &clip, &folder.0, "../up").is_err());
    assert!(!folder.0.exists(), "nothing was written");
}

/// 320 MB of morph targets are refused before they are made.
#[test]
fn morph_targets_have_a_limit() {
    let small = waving_sheet(4, 3, 2);
    let mut clip = waving_sheet(200, 200, 1);
    let frame = clip.frames[0].clone();
    clip.frames = (0..330)
        .map(|k| toile_io::surface::Frame { time: f64::from(k), fields: Vec::new(), ..frame.clone() })
        .collect();
    let error = glb::bytes(&clip, None).unwrap_err().to_string();
    assert!(error.contains("330 frames") && error.contains("usda"), "{error}");
    assert!(glb::bytes(&small, Some(&[[0; 4]; 3])).is_err());
}

/// The `gltf` crate reads the scene, and its own validation finds nothing.
#[test]
fn gltf_crate_reads_our_glb() {
    let clip = waving_sheet(10, 6, 4);
    let colours = vec![[255, 128, 0, 255]; clip.surface.mesh.positions.len()];
    let bytes = glb::bytes(&clip, Some(&colours)).unwrap();
    let file = gltf::Gltf::from_slice(&bytes).unwrap();
    let blob = file.blob.clone().unwrap();
    let mesh = file.meshes().next().unwrap();
    assert_eq!(mesh.name(), Some("sheet"));
    let (mut triangles, mut split) = (0, 0);
    for primitive in mesh.primitives() {
        assert!(primitive.material().double_sided());
        let reader = primitive.reader(|_| Some(&blob));
        let positions: Vec<[f32; 3]> = reader.read_positions().unwrap().collect();
        let low = positions.iter().fold([f32::INFINITY; 3], |b, p| [0, 1, 2].map(|i| b[i].min(p[i])));
        assert_eq!(primitive.bounding_box().min, low);
        assert_eq!(reader.read_normals().unwrap().count(), positions.len());
        assert_eq!(reader.read_tex_coords(0).unwrap().into_f32().count(), positions.len());
        // sRGB 128 is 0.2159 in linear light.
        let colour = reader.read_colors(0).unwrap().into_rgba_f32().next().unwrap();
        assert!((colour[0] - 1.0).abs() < 1e-6 && (colour[1] - 0.2159).abs() < 1e-4 && colour[2] == 0.0, "{colour:?}");
        triangles += reader.read_indices().unwrap().into_u32().count() / 3;
        split += positions.len();
        let targets: Vec<_> = reader.read_morph_targets().collect();
        assert_eq!(targets.len(), 3);
    }
    assert_eq!(triangles, 120);
    // The seam of seven vertices is there twice.
    assert_eq!(split, clip.surface.mesh.positions.len() + 7);
    let animation = file.animations().next().unwrap();
    let channel = animation.channels().next().unwrap();
    let times: Vec<f32> = channel.reader(|_| Some(&blob)).read_inputs().unwrap().collect();
    assert_eq!(times, [0.0, 0.04, 0.08, 0.12]);
}

/// A scene of a surface in motion and one at rest: a node for each, and only the first is animated.
#[test]
fn gltf_crate_reads_our_scenes() {
    let (moving, mut at_rest) = (waving_sheet(10, 6, 4), still(&waving_sheet(4, 3, 1)));
    at_rest.surface.name = "table".into();
    at_rest.surface.mesh.material.clear();
    let file = gltf::Gltf::from_slice(&glb::scene_bytes(&[at_rest, moving.clone()]).unwrap()).unwrap();
    let names: Vec<&str> = file.nodes().filter_map(|n| n.name()).collect();
    assert_eq!(names, ["table", "sheet"]);
    assert_eq!(file.scenes().next().unwrap().nodes().count(), 2);
    let channels: Vec<_> = file.animations().flat_map(|a| a.channels().collect::<Vec<_>>()).collect();
    assert_eq!(channels.len(), 1);
    assert_eq!(channels[0].target().node().name(), Some("sheet"));
    let materials: Vec<usize> =
        file.meshes().flat_map(|m| m.primitives().filter_map(|p| p.material().index()).collect::<Vec<_>>()).collect();
    assert_eq!(materials, (0..materials.len()).collect::<Vec<_>>(), "every part has a material of its own");
    assert!(glb::scene_bytes(&[]).is_err());
}

#[test]
fn tobj_reads_our_obj() {
    let folder = Folder::new("tobj");
    let clip = still(&waving_sheet(10, 6, 2));
    let files = write("obj", &clip, &folder.0, "w").unwrap();
    let options = tobj::LoadOptions { triangulate: false, single_index: false, ..tobj::LoadOptions::default() };
    let (models, _) = tobj::load_obj(&files[0], &options).unwrap();
    let names: Vec<&str> = models.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["front", "back_left"]);
    assert_eq!(models.iter().map(|m| m.mesh.indices.len()).sum::<usize>(), 360);
    assert!(models.iter().all(|m| m.mesh.texcoord_indices.len() == m.mesh.indices.len()));
    let found: BTreeSet<u32> = models.iter().flat_map(|m| &m.mesh.positions).map(|x| x.to_bits()).collect();
    let wanted: BTreeSet<u32> =
        clip.frames[0].positions.iter().flat_map(|p| p.as_vec3().to_array()).map(f32::to_bits).collect();
    assert_eq!(found, wanted);
}

#[test]
fn ply_rs_reads_our_ply() {
    let clip = waving_sheet(10, 6, 2);
    let bytes = ply::bytes(&clip, 1, None).unwrap();
    let file = Parser::<DefaultElement>::new().read_ply(&mut bytes.as_slice()).unwrap();
    let (vertices, faces) = (&file.payload["vertex"], &file.payload["face"]);
    assert_eq!((vertices.len(), faces.len()), (77, 120));
    for (v, vertex) in vertices.iter().enumerate() {
        let p = clip.frames[1].positions[v].as_vec3();
        assert_eq!([&vertex["x"], &vertex["y"], &vertex["z"]], [p.x, p.y, p.z].map(Property::Float).each_ref());
        assert_eq!(vertex["height"], Property::Float(clip.frames[1].fields[0].values[v]));
        assert_eq!(vertex["red"], Property::UChar(179));
    }
    for (t, face) in faces.iter().enumerate() {
        let corners = clip.surface.mesh.triangles[t].map(|i| i as i32).to_vec();
        assert_eq!(face["vertex_indices"], Property::ListInt(corners));
        assert_eq!(face["strain_weft"], Property::Float(clip.frames[1].fields[1].values[t]));
    }
}

#[test]
fn ndarray_reads_our_npz() {
    let folder = Folder::new("ndarray");
    let clip = waving_sheet(10, 6, 3);
    let files = write("npz", &clip, &folder.0, "w").unwrap();
    let mut archive = NpzReader::new(Cursor::new(fs::read(&files[0]).unwrap())).unwrap();
    let positions: ndarray::Array3<f64> = archive.by_name("positions").unwrap();
    assert_eq!(positions.shape(), [3, 77, 3]);
    assert_eq!(positions[[2, 76, 1]], clip.frames[2].positions[76].y);
    let strain: ndarray::Array2<f32> = archive.by_name("strain_weft").unwrap();
    assert_eq!(strain[[1, 119]], clip.frames[1].fields[1].values[119]);
    let triangles: ndarray::Array2<u32> = archive.by_name("triangles").unwrap();
    assert_eq!(triangles.row(7).to_vec(), clip.surface.mesh.triangles[7]);
}

/// A node turned, stretched and moved, a strip and a shared buffer in a data URI: what our writer never makes.
#[test]
fn gltf_nodes_strips_and_data_uris_are_read() {
    // Four corners of a unit square as f32, in the order of a strip.
    let corners: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
    let bytes: Vec<u8> = corners.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    let text = format!(
        r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0]}}],
        "nodes": [{{"translation": [10, 0, 0], "children": [1, 2]}}, {{"name": "a", "mesh": 0, "scale": [2, 2, 2]}},
                  {{"name": "b", "mesh": 0, "rotation": [0, 0, 0.7071067811865476, 0.7071067811865476]}}],
        "meshes": [{{"primitives": [{{"mode": 5, "attributes": {{"POSITION": 0}}}}]}}],
        "accessors": [{{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 4}}],
        "bufferViews": [{{"buffer": 0, "byteLength": 48}}],
        "buffers": [{{"byteLength": 48, "uri": "data:application/octet-stream;base64,{}"}}]}}"#,
        base64(&bytes)
    );
    let surface = mesh_from_bytes(text.as_bytes(), Path::new("square.gltf")).unwrap();
    assert_eq!(surface.mesh.triangles, [[0, 1, 2], [2, 1, 3], [4, 5, 6], [6, 5, 7]]);
    assert_eq!(surface.mesh.positions[3], DVec3::new(12.0, 2.0, 0.0));
    // A quarter turn about z takes x to y.
    assert!((surface.mesh.positions[5] - DVec3::new(10.0, 1.0, 0.0)).length() < 1e-12);
    let names: Vec<&str> = surface.parts.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    let refused = |from: &str, to: &str| {
        let problems = mesh_from_bytes(text.replace(from, to).as_bytes(), Path::new("square.gltf")).unwrap_err();
        problems[0].message.clone()
    };
    assert!(refused("\"children\": [1, 2]", "\"children\": [1, 0]").contains("tree"));
    assert!(refused("\"count\": 4", "\"count\": 400000000000").contains("do not fit"));
    assert!(refused("\"count\": 4", "\"count\": 4, \"byteOffset\": 18446744073709551615").contains("do not fit"));
    assert!(refused("data:application/octet-stream;base64,", "../../secret/").contains("folder"));
    assert!(refused("\"2.0\"", "\"1.0\"").contains("version 1.0"));
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    assert_eq!(bytes.len() % 3, 0, "no padding here");
    let groups = bytes.chunks(3).map(|c| u32::from_be_bytes([0, c[0], c[1], c[2]]));
    groups.flat_map(|g| [18, 12, 6, 0].map(|shift| char::from(DIGITS[(g >> shift) as usize & 63]))).collect()
}

#[test]
fn ply_of_both_byte_orders_is_read() {
    let head = "element vertex 3\nproperty float x\nproperty float y\nproperty float z\nproperty list uchar short extra\n\
        element face 1\nproperty list uint ushort vertex_indices\nend_header\n";
    let points = [[0.0f32, 1.0, 2.0], [3.0, 4.0, 5.5], [6.0, 7.0, -8.0]];
    for big in [false, true] {
        let order = if big { "big" } else { "little" };
        let mut bytes = format!("ply\nformat binary_{order}_endian 1.0\ncomment here\n{head}").into_bytes();
        let mut put = |little: &[u8]| {
            let mut number = little.to_vec();
            if big {
                number.reverse();
            }
            bytes.extend(number);
        };
        for point in points {
            point.iter().for_each(|x| put(&x.to_le_bytes()));
            put(&[2]);
            put(&(-7i16).to_le_bytes());
            put(&8i16.to_le_bytes());
        }
        put(&3u32.to_le_bytes());
        [2u16, 0, 1].iter().for_each(|i| put(&i.to_le_bytes()));
        let surface = mesh_from_bytes(&bytes, Path::new("a.ply")).unwrap();
        assert_eq!(surface.mesh.triangles, [[2, 0, 1]]);
        assert_eq!(surface.mesh.positions[1], DVec3::new(3.0, 4.0, 5.5));
    }
}

/// Bodies of other projects, where they are at hand: `TOILE_DATA` names the folder that holds `bodies`.
#[test]
fn bodies_of_other_projects_are_read() {
    let Some(data) = std::env::var_os("TOILE_DATA").map(PathBuf::from).filter(|d| d.join("bodies").is_dir()) else {
        eprintln!("skipped: TOILE_DATA names no folder with bodies in it");
        return;
    };
    // Vertices, triangles and height (m) as their sources state them.
    let bodies = [
        ("garmentcode-mean/mean_female.obj", 23752, 47500, 1.662),
        ("garmentcode-mean/mean_male.obj", 23752, 47500, 1.789),
        ("makehuman/mh_female_average.obj", 13380, 26756, 1.590),
        ("makehuman/mh_female_walk.glb", 13380, 26756, 1.590),
        ("makehuman/mh_male_walk.glb", 13380, 26756, 1.730),
    ];
    for (name, vertices, triangles, height) in bodies {
        let mesh = read_mesh(&data.join("bodies").join(name)).unwrap().mesh;
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (vertices, triangles), "{name}");
        let heights = || mesh.positions.iter().map(|p| p.y);
        let found = heights().fold(f64::MIN, f64::max) - heights().fold(f64::MAX, f64::min);
        assert!((found - height).abs() < 0.001, "{name} is {found} m high");
    }
    // Standing along y once the joints have turned it: 1.5 m high, arms out.
    let man = read_mesh(&data.join("bodies/gltf-samples/CesiumMan.glb")).unwrap().mesh;
    assert_eq!((man.positions.len(), man.material.len()), (3273, man.triangles.len()));
    let low = man.positions.iter().fold(DVec3::INFINITY, |b, p| b.min(*p));
    let size = man.positions.iter().fold(DVec3::NEG_INFINITY, |b, p| b.max(*p)) - low;
    assert!(size.y > size.x && size.y > size.z && (1.4..1.6).contains(&size.y), "{size}");
    assert!(man.material.iter().flatten().all(|m| m.clamp(DVec2::ZERO, DVec2::ONE).distance(*m) < 1e-3));
}
