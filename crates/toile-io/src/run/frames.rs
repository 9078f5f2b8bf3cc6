//! The cloths of a run and their frames.

use super::{Arrays, vectors};
use crate::formats::ExportError;
use crate::formats::npz::{self, Array, Data};
use crate::problem::Problem;
use crate::surface::{self, Clip, Field, On, Surface};
use glam::{DVec2, DVec3, Vec3};
use std::path::{Path, PathBuf};
use toile_core::mesh::Mesh;

/// The cloths of a run, in the order of their vertices in a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Wardrobe {
    /// Each at its start.
    pub surfaces: Vec<Surface>,
}

/// All cloths at a time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Time (s).
    pub time: f64,
    /// Positions (m).
    pub positions: Vec<DVec3>,
    /// Velocities (m/s).
    pub velocities: Vec<[f32; 3]>,
    /// Strain of every triangle along weft, warp and in shear; empty for models without triangles.
    pub strain: Vec<[f32; 3]>,
    /// Stress of every triangle (N/m).
    pub stress: Vec<[f32; 3]>,
    /// Force of contact on every vertex, friction included (N); empty without contact.
    pub contact_force: Vec<[f32; 3]>,
    /// Pressure of contact on every vertex (Pa), both sides added up; empty without contact.
    pub pressure: Vec<f32>,
    /// Vertices of the obstacles that move (m), in the order of [`Props`](super::Props).
    pub obstacles: Vec<DVec3>,
}

/// Name, unit and scale of the fields that frames give.
const FIELDS: [(&str, &str, f32); 6] = [
    ("strain_weft", "%", 100.0),
    ("strain_warp", "%", 100.0),
    ("strain_shear", "%", 100.0),
    ("stress_weft", "N/m", 1.0),
    ("stress_warp", "N/m", 1.0),
    ("stress_shear", "N/m", 1.0),
];

impl Wardrobe {
    /// Writes the cloths.
    pub fn write(&self, path: &Path) -> Result<(), ExportError> {
        npz::write(path, &self.arrays())
    }

    pub(super) fn arrays(&self) -> Vec<(&'static str, Array)> {
        let names = self.surfaces.iter().map(|s| s.name.as_str()).collect::<Vec<_>>().join("\n");
        let count = |f: fn(&Mesh) -> usize| self.surfaces.iter().map(|s| f(&s.mesh) as u32).collect::<Vec<u32>>();
        let (vertices, triangles) = (count(|m| m.positions.len()), count(|m| m.triangles.len()));
        let corners: Vec<u32> = self.surfaces.iter().flat_map(|s| s.mesh.triangles.iter().flatten().copied()).collect();
        let material: Vec<f64> =
            self.surfaces.iter().flat_map(|s| s.mesh.material.iter().flatten().flat_map(|c| c.to_array())).collect();
        let colours: Vec<f32> = self.surfaces.iter().flat_map(|s| s.colour).collect();
        let positions: Vec<DVec3> = self.surfaces.iter().flat_map(|s| s.mesh.positions.iter().copied()).collect();
        vec![
            ("names", Array::new(vec![names.len()], Data::U8(names.into_bytes()))),
            ("vertex_counts", Array::new(vec![vertices.len()], Data::U32(vertices))),
            ("triangle_counts", Array::new(vec![triangles.len()], Data::U32(triangles))),
            ("triangles", Array::new(vec![corners.len() / 3, 3], Data::U32(corners))),
            ("material", Array::new(vec![material.len() / 6, 3, 2], Data::F64(material))),
            ("colours", Array::new(vec![colours.len() / 3, 3], Data::F32(colours))),
            ("positions", vectors(&positions)),
        ]
    }

    /// Reads them back.
    pub fn read(path: &Path) -> Result<Self, Vec<Problem>> {
        Self::from_arrays(&mut Arrays::open(path)?)
    }

    pub(super) fn from_arrays(arrays: &mut Arrays) -> Result<Self, Vec<Problem>> {
        let names = String::from_utf8(arrays.bytes("names")?).map_err(|_| arrays.fault("names", "not text"))?;
        let (vertices, counts) = (arrays.counts("vertex_counts")?, arrays.counts("triangle_counts")?);
        let (corners, material) = (arrays.counts("triangles")?, arrays.numbers("material")?);
        let (colours, positions) = (arrays.singles("colours")?, arrays.vectors("positions")?);
        let names: Vec<&str> = names.split('\n').collect();
        let total = |list: &[u32]| list.iter().map(|&n| n as usize).sum::<usize>();
        let fits = names.len() == vertices.len()
            && counts.len() == vertices.len()
            && colours.len() == 3 * vertices.len()
            && positions.len() == total(&vertices)
            && corners.len() == 3 * total(&counts)
            && material.len() == 6 * total(&counts);
        if !fits {
            return Err(arrays.fault("", "the arrays do not fit each other"));
        }
        let (mut v, mut t, mut surfaces) = (0, 0, Vec::new());
        for k in 0..names.len() {
            let (nv, nt) = (vertices[k] as usize, counts[k] as usize);
            let mesh = Mesh {
                positions: positions[v..v + nv].to_vec(),
                triangles: corners[3 * t..3 * (t + nt)].as_chunks::<3>().0.to_vec(),
                material: material[6 * t..6 * (t + nt)].as_chunks::<6>().0.iter().map(material_corners).collect(),
            };
            if mesh.triangles.iter().flatten().any(|&i| i as usize >= nv) {
                return Err(arrays.fault("triangles", "a corner points past the vertices"));
            }
            let colour = [colours[3 * k], colours[3 * k + 1], colours[3 * k + 2]];
            surfaces.push(Surface { name: names[k].to_string(), mesh, parts: Vec::new(), colour });
            (v, t) = (v + nv, t + nt);
        }
        Ok(Self { surfaces })
    }

    /// Vertices and triangles of all cloths.
    pub fn counts(&self) -> [usize; 2] {
        let sum = |f: fn(&Mesh) -> usize| self.surfaces.iter().map(|s| f(&s.mesh)).sum();
        [sum(|m| m.positions.len()), sum(|m| m.triangles.len())]
    }

    /// One cloth of a frame, as files and pictures have it.
    pub fn cut(&self, frame: &Frame, cloth: usize) -> surface::Frame {
        let before = |f: fn(&Mesh) -> usize| self.surfaces[..cloth].iter().map(|s| f(&s.mesh)).sum::<usize>();
        let (v, t) = (before(|m| m.positions.len()), before(|m| m.triangles.len()));
        let mesh = &self.surfaces[cloth].mesh;
        let mut fields = Vec::new();
        for (k, (name, unit, scale)) in FIELDS.iter().enumerate() {
            let source = if k < 3 { &frame.strain } else { &frame.stress };
            let Some(part) = source.get(t..t + mesh.triangles.len()) else { continue };
            let values = part.iter().map(|s| scale * s[k % 3]).collect();
            fields.push(Field { name: (*name).into(), unit: (*unit).into(), on: On::Triangles, values });
        }
        let vertices = v..v + mesh.positions.len();
        if let (Some(forces), Some(pressure)) =
            (frame.contact_force.get(vertices.clone()), frame.pressure.get(vertices.clone()))
        {
            let field = |name: &str, unit: &str, values| Field {
                name: name.into(),
                unit: unit.into(),
                on: On::Vertices,
                values,
            };
            let size = |f: &[f32; 3]| Vec3::from(*f).length();
            fields.push(field("pressure", "Pa", pressure.to_vec()));
            fields.push(field("contact_force", "N", forces.iter().map(size).collect()));
        }
        let positions = frame.positions[vertices].to_vec();
        surface::Frame { time: frame.time, positions, fields }
    }

    /// A cloth with all its frames.
    pub fn clip(&self, frames: &[Frame], cloth: usize) -> Clip {
        let frames = frames.iter().map(|f| self.cut(f, cloth)).collect();
        Clip { surface: self.surfaces[cloth].clone(), frames }
    }
}

fn material_corners(m: &[f64; 6]) -> [DVec2; 3] {
    [DVec2::new(m[0], m[1]), DVec2::new(m[2], m[3]), DVec2::new(m[4], m[5])]
}

/// File of a frame.
pub fn frame_path(folder: &Path, number: usize) -> PathBuf {
    folder.join("frames").join(format!("{number:06}.npz"))
}

/// Frames in a folder: those that follow each other from the first.
pub fn frame_count(folder: &Path) -> usize {
    (0..).take_while(|&n| frame_path(folder, n).exists()).count()
}

/// Writes a frame, whole or not at all.
pub fn write_frame(folder: &Path, number: usize, frame: &Frame) -> Result<(), ExportError> {
    let triples = |list: &[[f32; 3]]| Array::new(vec![list.len(), 3], Data::F32(list.as_flattened().to_vec()));
    let mut arrays = vec![
        ("time", Array::new(vec![], Data::F64(vec![frame.time]))),
        ("positions", vectors(&frame.positions)),
        ("velocities", triples(&frame.velocities)),
        ("strain", triples(&frame.strain)),
        ("stress", triples(&frame.stress)),
    ];
    if !frame.pressure.is_empty() {
        let pressure = Array::new(vec![frame.pressure.len()], Data::F32(frame.pressure.clone()));
        arrays.extend([("contact_force", triples(&frame.contact_force)), ("pressure", pressure)]);
    }
    if !frame.obstacles.is_empty() {
        arrays.push(("obstacles", vectors(&frame.obstacles)));
    }
    npz::write(frame_path(folder, number), &arrays)
}

/// Reads a frame of a folder, which must fit the cloths.
pub fn read_frame(folder: &Path, number: usize, wardrobe: &Wardrobe) -> Result<Frame, Vec<Problem>> {
    let path = frame_path(folder, number);
    let mut arrays = Arrays::open(&path)?;
    let mut triples = |name: &str| arrays.singles(name).map(|v| v.as_chunks::<3>().0.to_vec());
    let (velocities, strain, stress) = (triples("velocities")?, triples("strain")?, triples("stress")?);
    let is_in_contact = arrays.all.contains_key("pressure");
    let mut frame = Frame {
        time: arrays.number("time")?,
        positions: arrays.vectors("positions")?,
        velocities,
        strain,
        stress,
        ..Frame::default()
    };
    if is_in_contact {
        frame.pressure = arrays.singles("pressure")?;
        frame.contact_force = arrays.singles("contact_force")?.as_chunks::<3>().0.to_vec();
    }
    if arrays.all.contains_key("obstacles") {
        frame.obstacles = arrays.vectors("obstacles")?;
    }
    let [vertices, triangles] = wardrobe.counts();
    let fits = |list: &[[f32; 3]]| list.is_empty() || list.len() == triangles;
    let touches_fit = !is_in_contact || frame.pressure.len() == vertices && frame.contact_force.len() == vertices;
    if frame.positions.len() != vertices || !fits(&frame.strain) || !fits(&frame.stress) || !touches_fit {
        return Err(arrays.fault("positions", "the frame does not belong to the cloths of this run"));
    }
    Ok(frame)
}
