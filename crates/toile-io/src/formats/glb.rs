//! glTF 2.0 binary. Source: Khronos, glTF 2.0 Specification (ISO/IEC 12113).
//!
//! A clip of several frames is the first of them with the others as morph targets, each fully on at its own time. A vertex on
//! a seam is doubled, and `_SOURCE_VERTEX` remembers which vertex of the garment it was.

use super::shape::{Split, bounds, linear, name, normals, pieces};
use super::{ExportError, Sink};
use crate::surface::Clip;
use glam::Vec3;
use serde_json::{Value, json};

/// Largest file (256 MiB): browsers and viewers give up somewhere above.
const SIZE_LIMIT: usize = 256 << 20;
/// Texture coordinates are material coordinates divided by this (m): one texture tile is a metre of cloth.
const METRES_PER_UV: f64 = 1.0;

const ARRAY: u32 = 34962;
const ELEMENTS: u32 = 34963;
const FLOAT: u32 = 5126;
const UNSIGNED: u32 = 5125;
const UNSIGNED_SHORT: u32 = 5123;

pub(super) fn write(clip: &Clip, sink: &mut Sink<'_>) -> Result<(), ExportError> {
    sink.put(".glb", bytes(clip, None)?)
}

/// A clip as the bytes of a GLB file, with a colour (sRGB and opacity) for every vertex of the surface if given.
pub fn bytes(clip: &Clip, colours: Option<&[[u8; 4]]>) -> Result<Vec<u8>, ExportError> {
    let vertices = clip.surface.mesh.positions.len();
    if let Some(c) = colours.filter(|c| c.len() != vertices) {
        return Err(ExportError::Inconsistent(format!("{} colours for {vertices} vertices", c.len())));
    }
    together(std::slice::from_ref(clip), colours)
}

/// Several clips in one GLB file, a node for each and one animation for all.
pub fn scene_bytes(clips: &[Clip]) -> Result<Vec<u8>, ExportError> {
    if clips.is_empty() {
        return Err(ExportError::Empty("there are no surfaces"));
    }
    together(clips, None)
}

fn together(clips: &[Clip], colours: Option<&[[u8; 4]]>) -> Result<Vec<u8>, ExportError> {
    let mut size = 0usize;
    for clip in clips {
        super::clip::check(clip)?;
        let splits = pieces(&clip.surface).into_iter().map(|(_, run)| Split::new(&clip.surface.mesh, run).source.len());
        // 24 bytes of position and normal a frame; the rest is small beside them.
        size = size.saturating_add(splits.sum::<usize>().saturating_mul(24 * clip.frames.len() + 20));
        size = size.saturating_add(12 * clip.surface.mesh.triangles.len());
    }
    if size > SIZE_LIMIT {
        let frames = clips.iter().map(|c| c.frames.len()).max().unwrap_or(0);
        let vertices: usize = clips.iter().map(|c| c.surface.mesh.positions.len()).sum();
        return Err(ExportError::Limit {
            message: format!(
                "{frames} frames of {vertices} vertices need {} MiB of GLB; the limit is 256 MiB",
                size >> 20
            ),
            advice: "export usda, pc2 or mdd, or fewer frames".into(),
        });
    }
    let mut content = Content::default();
    for clip in clips {
        content.add(clip, colours);
    }
    Ok(container(&content.document(), content.buffer.bytes))
}

/// What a file holds, surface by surface.
#[derive(Default)]
struct Content {
    buffer: Buffer,
    nodes: Vec<Value>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
}

impl Content {
    fn add(&mut self, clip: &Clip, colours: Option<&[[u8; 4]]>) {
        let pieces = pieces(&clip.surface);
        let normals: Vec<_> = clip.frames.iter().map(|f| normals(&clip.surface.mesh.triangles, &f.positions)).collect();
        let first = self.materials.len();
        let mut primitives = Vec::new();
        for (i, (part, run)) in pieces.iter().enumerate() {
            let split = Split::new(&clip.surface.mesh, run.clone());
            primitives.push(primitive(&mut self.buffer, clip, &normals, colours, &split, (first + i, *part)));
            self.materials.push(material(clip, *part, colours.is_some()));
        }
        let mut mesh = json!({
            "name": name(&clip.surface),
            "primitives": primitives,
            "extras": {"metres_per_uv": METRES_PER_UV},
        });
        let node = self.nodes.len();
        if clip.frames.len() > 1 {
            mesh["weights"] = vec![0.0; clip.frames.len() - 1].into();
            mesh["extras"]["targetNames"] = (1..clip.frames.len()).map(|k| format!("frame_{k:06}")).collect();
            self.channels.push(json!({"sampler": self.samplers.len(), "target": {"node": node, "path": "weights"}}));
            self.samplers.push(sampler(&mut self.buffer, clip));
        }
        self.meshes.push(mesh);
        self.nodes.push(json!({"name": name(&clip.surface), "mesh": node}));
    }

    fn document(&self) -> Value {
        let mut document = json!({
            "asset": {"version": "2.0", "generator": concat!("Toile ", env!("CARGO_PKG_VERSION"))},
            "scene": 0,
            "scenes": [{"nodes": (0..self.nodes.len()).collect::<Vec<_>>()}],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "materials": self.materials,
            "buffers": [{"byteLength": self.buffer.bytes.len()}],
            "bufferViews": self.buffer.views,
            "accessors": self.buffer.accessors,
        });
        if !self.channels.is_empty() {
            let motion = json!({"name": "motion", "samplers": self.samplers, "channels": self.channels});
            document["animations"] = vec![motion].into();
        }
        document
    }
}

/// One part: its vertices, triangles and morph targets.
fn primitive(
    buffer: &mut Buffer,
    clip: &Clip,
    normals: &[Vec<Vec3>],
    colours: Option<&[[u8; 4]]>,
    split: &Split,
    (material, part): (usize, Option<&str>),
) -> Value {
    let position = |frame: usize, v: u32| clip.frames[frame].positions[v as usize].as_vec3();
    let normal = |frame: usize, v: u32| normals[frame][v as usize];
    let at = |value: &dyn Fn(u32) -> Vec3| -> Vec<Vec3> { split.source.iter().map(|&v| value(v)).collect() };
    let mut attributes = json!({
        "POSITION": buffer.vectors(&at(&|v| position(0, v)), true),
        "NORMAL": buffer.vectors(&at(&|v| normal(0, v)), false),
    });
    more_attributes(buffer, &mut attributes, colours, split);
    let corners = split.triangles.iter().flatten().map(|i| i.to_le_bytes());
    let mut primitive = json!({
        "attributes": attributes,
        "indices": buffer.accessor(UNSIGNED, "SCALAR", ELEMENTS, corners),
        "material": material,
    });
    if let Some(part) = part {
        primitive["extras"] = json!({ "part": part });
    }
    let target = |k: usize| {
        let moved = at(&|v| position(k, v) - position(0, v));
        let turned = at(&|v| normal(k, v) - normal(0, v));
        json!({"POSITION": buffer.vectors(&moved, true), "NORMAL": buffer.vectors(&turned, false)})
    };
    if clip.frames.len() > 1 {
        primitive["targets"] = (1..clip.frames.len()).map(target).collect();
    }
    primitive
}

/// What does not move: the vertex of the garment, the place in the material, the colour.
fn more_attributes(buffer: &mut Buffer, attributes: &mut Value, colours: Option<&[[u8; 4]]>, split: &Split) {
    // Attributes of our own must not be 32-bit integers; as floats they are exact up to 16 million vertices.
    let sources = split.source.iter().map(|&v| (v as f32).to_le_bytes());
    attributes["_SOURCE_VERTEX"] = buffer.accessor(FLOAT, "SCALAR", ARRAY, sources);
    if !split.material.is_empty() {
        // Texture coordinates start at the upper left corner of the picture, material coordinates at the lower.
        let uv = split.material.iter().map(|m| *m / METRES_PER_UV).map(|m| [m.x as f32, (1.0 - m.y) as f32]);
        let uv = uv.map(|uv| join::<4, 8>(&uv.map(f32::to_le_bytes)));
        attributes["TEXCOORD_0"] = buffer.accessor(FLOAT, "VEC2", ARRAY, uv);
    }
    if let Some(colours) = colours {
        // 16 bits: 8 of linear light show steps in the shadows.
        let colour = |&v: &u32| {
            let [r, g, b, a] = colours[v as usize].map(|c| f32::from(c) / 255.0);
            let channels = [linear(r), linear(g), linear(b), a];
            join::<2, 8>(&channels.map(|c| ((c * 65535.0).round() as u16).to_le_bytes()))
        };
        attributes["COLOR_0"] = buffer.accessor(UNSIGNED_SHORT, "VEC4", ARRAY, split.source.iter().map(colour));
        buffer.last()["normalized"] = true.into();
    }
}

fn material(clip: &Clip, part: Option<&str>, white: bool) -> Value {
    // Colours of vertices multiply the colour of the material.
    let [r, g, b] = if white { [1.0; 3] } else { clip.surface.colour.map(linear) };
    json!({
        "name": part.unwrap_or(name(&clip.surface)),
        "pbrMetallicRoughness": {"baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.9},
        "doubleSided": true,
    })
}

/// Weights over time: each frame fully on at its own time, neighbours blended between.
fn sampler(buffer: &mut Buffer, clip: &Clip) -> Value {
    // glTF knows no time before zero.
    let begin = clip.frames[0].time.min(0.0);
    let times: Vec<f32> = clip.frames.iter().map(|f| (f.time - begin) as f32).collect();
    let input = buffer.accessor(FLOAT, "SCALAR", 0, times.iter().map(|t| t.to_le_bytes()));
    buffer.last()["min"] = json!([f64::from(times[0])]);
    buffer.last()["max"] = json!([f64::from(times[times.len() - 1])]);
    let targets = clip.frames.len() - 1;
    let weight = |i: usize| if i / targets == i % targets + 1 { 1.0f32 } else { 0.0 };
    let output = buffer.accessor(FLOAT, "SCALAR", 0, (0..clip.frames.len() * targets).map(|i| weight(i).to_le_bytes()));
    json!({"input": input, "output": output, "interpolation": "LINEAR"})
}

/// Header, JSON padded with spaces, numbers padded with zeros.
fn container(document: &Value, mut numbers: Vec<u8>) -> Vec<u8> {
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    numbers.resize(numbers.len().next_multiple_of(4), 0);
    let total = 12 + 8 + text.len() + 8 + numbers.len();
    let mut out = Vec::with_capacity(total);
    // Within 32 bits by the limit of size.
    out.extend(b"glTF");
    out.extend(2u32.to_le_bytes());
    out.extend((total as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", text), (b"BIN\0", numbers)] {
        out.extend((chunk.len() as u32).to_le_bytes());
        out.extend(kind);
        out.extend(chunk);
    }
    out
}

/// The numbers of a file and their description.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Buffer {
    /// Adds elements of 4 or 8 bytes and returns the number of their accessor; `target` 0 is none.
    fn accessor<const N: usize>(
        &mut self,
        component: u32,
        kind: &str,
        target: u32,
        elements: impl Iterator<Item = [u8; N]>,
    ) -> Value {
        let begin = self.bytes.len();
        elements.for_each(|e| self.bytes.extend(e));
        let length = self.bytes.len() - begin;
        let mut view = json!({"buffer": 0, "byteOffset": begin, "byteLength": length});
        if target != 0 {
            view["target"] = target.into();
        }
        self.views.push(view);
        let view = self.views.len() - 1;
        self.accessors.push(json!({"bufferView": view, "componentType": component, "count": length / N, "type": kind}));
        (self.accessors.len() - 1).into()
    }

    /// Adds vectors, with their bounds if asked.
    fn vectors(&mut self, vectors: &[Vec3], bounded: bool) -> Value {
        let bytes = vectors.iter().map(|v| join::<4, 12>(&v.to_array().map(f32::to_le_bytes)));
        let accessor = self.accessor(FLOAT, "VEC3", ARRAY, bytes);
        if bounded {
            // As f64: exactly the numbers in the buffer.
            let [low, high] = bounds(vectors.iter().copied()).map(|b| b.to_array().map(f64::from));
            self.last()["min"] = json!(low);
            self.last()["max"] = json!(high);
        }
        accessor
    }

    /// The accessor added last.
    fn last(&mut self) -> &mut Value {
        self.accessors.last_mut().expect("called after an accessor was added")
    }
}

/// Bytes of several numbers in one array.
fn join<const B: usize, const N: usize>(parts: &[[u8; B]]) -> [u8; N] {
    let mut out = [0; N];
    out.copy_from_slice(parts.as_flattened());
    out
}
