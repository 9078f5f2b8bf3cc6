//! Reading glTF 2.0, text or binary: the scene as it stands. Source: Khronos, glTF 2.0 Specification (ISO/IEC 12113).
//!
//! Every mesh of the default scene is placed by its nodes, or by its joints when it has a skin, at rest or at a time of the first
//! animation; morph targets are passed over. Counts are checked against the buffers before anything is allocated, and nodes must form a tree.

mod accessor;
mod motion;

use super::faults::{Faults, add_fan};
use crate::problem::Problem;
use crate::surface::{Part, Surface};
use accessor::Buffers;
use glam::{DMat4, DQuat, DVec2, DVec3, DVec4};
use motion::Moved;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Vertices and triangles after placing: a small file can name one mesh a million times.
const COUNT_LIMIT: usize = 20_000_000;

/// Reads a surface with one part for every primitive of a mesh, at a time (s) of the first animation or at rest.
pub(super) fn read(bytes: &[u8], path: &Path, time: Option<f64>) -> Result<Surface, Vec<Problem>> {
    let mut faults = Faults::new(path);
    let surface = parse(bytes, path, time).unwrap_or_else(|message| {
        faults.add(0, "", message);
        Surface::default()
    });
    faults.finish(surface)
}

fn parse(bytes: &[u8], path: &Path, time: Option<f64>) -> Result<Surface, String> {
    let (text, binary) = chunks(bytes)?;
    let document: Value = serde_json::from_slice(text).map_err(|e| format!("its JSON is broken: {e}"))?;
    let version = document["asset"]["version"].as_str().unwrap_or("none");
    if !version.starts_with("2.") {
        return Err(format!("it is glTF of version {version}; version 2 is read"));
    }
    for name in document["extensionsRequired"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if ["KHR_draco_mesh_compression", "EXT_meshopt_compression"].contains(&name) {
            return Err(format!("it is compressed ({name}): export it without compression"));
        }
    }
    let buffers = Buffers::load(&document, binary, path)?;
    let moved = time.map_or_else(|| Ok(Moved::new()), |time| motion::at(&document, &buffers, time))?;
    let worlds = worlds(&document, &moved)?;
    let mut build = Build::default();
    for (node, world) in &worlds {
        let node = &document["nodes"][*node];
        if let Some(mesh) = index(&node["mesh"]) {
            let joints = match index(&node["skin"]) {
                Some(skin) => Some(joints(&document, &buffers, skin, &worlds)?),
                None => None,
            };
            build.mesh(&document, &buffers, (node, mesh), *world, joints.as_deref())?;
        }
    }
    Ok(build.finish())
}

/// The JSON and the first binary chunk of either kind of file.
fn chunks(bytes: &[u8]) -> Result<(&[u8], &[u8]), String> {
    if !bytes.starts_with(b"glTF") {
        return Ok((bytes, &[]));
    }
    let mut reader = super::bytes::Bytes::little(&bytes[4..]);
    let (version, _length) = (reader.u32()?, reader.u32()?);
    if version != 2 {
        return Err(format!("it is GLB of version {version}; version 2 is read"));
    }
    let (mut text, mut binary) = (None, &[][..]);
    while reader.left() >= 8 {
        let (length, kind) = (reader.u32()? as usize, reader.take(4)?);
        let chunk = reader.take(length)?;
        match kind {
            b"JSON" if text.is_none() => text = Some(chunk),
            b"BIN\0" if binary.is_empty() => binary = chunk,
            _ => {}
        }
    }
    Ok((text.ok_or("it has no JSON")?, binary))
}

fn index(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|i| usize::try_from(i).ok())
}

fn indices(value: &Value) -> impl Iterator<Item = usize> {
    value.as_array().into_iter().flatten().filter_map(index)
}

/// The nodes of the default scene (of all, without one) with their transforms.
fn worlds(document: &Value, moved: &Moved) -> Result<BTreeMap<usize, DMat4>, String> {
    let nodes = document["nodes"].as_array().map_or(&[][..], Vec::as_slice);
    let scene = &document["scenes"][index(&document["scene"]).unwrap_or(0)];
    let mut pending: Vec<(usize, DMat4)> = if scene.is_null() {
        let children: Vec<usize> = nodes.iter().flat_map(|n| indices(&n["children"])).collect();
        let children: std::collections::BTreeSet<usize> = children.into_iter().collect();
        (0..nodes.len()).filter(|n| !children.contains(n)).map(|n| (n, DMat4::IDENTITY)).collect()
    } else {
        indices(&scene["nodes"]).map(|n| (n, DMat4::IDENTITY)).collect()
    };
    let mut worlds = BTreeMap::new();
    while let Some((number, parent)) = pending.pop() {
        let node = nodes.get(number).ok_or_else(|| format!("there is no node {number}"))?;
        let world = parent * moved.get(&number).copied().unwrap_or_else(|| local(node));
        if worlds.insert(number, world).is_some() {
            return Err(format!("node {number} is reached twice: nodes must form a tree"));
        }
        pending.extend(indices(&node["children"]).map(|child| (child, world)));
    }
    Ok(worlds)
}

/// The transform of a node to its parent.
fn local(node: &Value) -> DMat4 {
    let numbers = |key: &str| -> Option<Vec<f64>> { node[key].as_array()?.iter().map(Value::as_f64).collect() };
    if let Some(matrix) = numbers("matrix").and_then(|m| <[f64; 16]>::try_from(m).ok()) {
        return DMat4::from_cols_array(&matrix);
    }
    let (scale, turn, shift) = local_parts(node);
    DMat4::from_scale_rotation_translation(scale, turn, shift)
}

/// Scale, rotation and translation of a node to its parent.
fn local_parts(node: &Value) -> (DVec3, DQuat, DVec3) {
    let numbers = |key: &str| -> Option<Vec<f64>> { node[key].as_array()?.iter().map(Value::as_f64).collect() };
    let triple = |key: &str, default: DVec3| {
        numbers(key).and_then(|n| <[f64; 3]>::try_from(n).ok()).map_or(default, DVec3::from_array)
    };
    let turn = numbers("rotation").and_then(|n| <[f64; 4]>::try_from(n).ok());
    let turn = turn.map_or(DQuat::IDENTITY, |q| DQuat::from_array(q).normalize());
    (triple("scale", DVec3::ONE), turn, triple("translation", DVec3::ZERO))
}

/// From the rest pose to the world, for every joint of a skin.
fn joints(
    document: &Value,
    buffers: &Buffers,
    skin: usize,
    worlds: &BTreeMap<usize, DMat4>,
) -> Result<Vec<DMat4>, String> {
    let skin = &document["skins"][skin];
    let inverse = match index(&skin["inverseBindMatrices"]) {
        Some(accessor) => Some(buffers.numbers(document, accessor, 16)?),
        None => None,
    };
    let pose = |(j, node): (usize, usize)| {
        let world = worlds.get(&node).copied().ok_or_else(|| format!("joint node {node} is not in the scene"))?;
        let rest = match &inverse {
            None => DMat4::IDENTITY,
            Some(all) => DMat4::from_cols_slice(all.get(16 * j..16 * j + 16).ok_or("a skin has too few matrices")?),
        };
        Ok(world * rest)
    };
    indices(&skin["joints"]).enumerate().map(pose).collect()
}

/// The surface so far.
#[derive(Default)]
struct Build {
    surface: Surface,
    /// Some triangle has no texture coordinates.
    bare: bool,
    /// The vertex each vertex was before seams were split, as far as all say so.
    sources: Option<Vec<u32>>,
    named: bool,
}

impl Build {
    fn mesh(
        &mut self,
        document: &Value,
        buffers: &Buffers,
        (node, number): (&Value, usize),
        world: DMat4,
        joints: Option<&[DMat4]>,
    ) -> Result<(), String> {
        let mesh = &document["meshes"][number];
        let name = node["name"].as_str().or(mesh["name"].as_str()).unwrap_or_default();
        if self.surface.name.is_empty() {
            self.surface.name = name.to_owned();
        }
        for primitive in mesh["primitives"].as_array().into_iter().flatten() {
            let own = primitive["extras"]["part"].as_str();
            let material = index(&primitive["material"]).and_then(|m| document["materials"][m]["name"].as_str());
            self.named |= own.is_some();
            let part = own.or(material).unwrap_or(name).to_owned();
            let begin = self.surface.mesh.triangles.len();
            self.primitive(document, buffers, primitive, world, joints)?;
            self.surface.parts.push(Part { name: part, triangles: begin..self.surface.mesh.triangles.len() });
        }
        Ok(())
    }

    fn primitive(
        &mut self,
        document: &Value,
        buffers: &Buffers,
        primitive: &Value,
        world: DMat4,
        joints: Option<&[DMat4]>,
    ) -> Result<(), String> {
        let attribute = |name: &str| index(&primitive["attributes"][name]);
        let numbers = |name: &str, width: usize| -> Result<Option<Vec<f64>>, String> {
            attribute(name).map(|a| buffers.numbers(document, a, width)).transpose()
        };
        let mode = primitive["mode"].as_u64().unwrap_or(4);
        let Some(positions) = numbers("POSITION", 3)?.filter(|_| (4..=6).contains(&mode)) else { return Ok(()) };
        let mut positions: Vec<DVec3> = positions.as_chunks::<3>().0.iter().copied().map(DVec3::from_array).collect();
        match joints {
            None => positions.iter_mut().for_each(|p| *p = world.transform_point3(*p)),
            Some(joints) => skin(&mut positions, joints, &numbers)?,
        }
        if let Some(v) = positions.iter().position(|p| !p.is_finite()) {
            return Err(format!("vertex {v} of a mesh is not finite"));
        }
        let texture = numbers("TEXCOORD_0", 2)?;
        let corners = match index(&primitive["indices"]) {
            Some(accessor) => buffers.numbers(document, accessor, 1)?,
            None => (0..positions.len()).map(|i| i as f64).collect(),
        };
        if self.surface.mesh.positions.len() + positions.len() + self.surface.mesh.triangles.len() + corners.len()
            > COUNT_LIMIT
        {
            return Err(format!("it has more than {COUNT_LIMIT} vertices and triangles"));
        }
        self.triangles(mode, &corners, positions.len(), texture.as_deref())?;
        self.remember(numbers("_SOURCE_VERTEX", 1)?, positions.len());
        self.surface.mesh.positions.append(&mut positions);
        Ok(())
    }

    fn triangles(&mut self, mode: u64, corners: &[f64], count: usize, texture: Option<&[f64]>) -> Result<(), String> {
        if let Some(i) = corners.iter().find(|&&i| !(i < count as f64)) {
            return Err(format!("a triangle uses vertex {i}, but there are {count}"));
        }
        let base = self.surface.mesh.positions.len();
        // v runs downwards in the file.
        let place = |v: usize| texture.and_then(|t| t.get(2 * v..2 * v + 2)).map(|t| DVec2::new(t[0], 1.0 - t[1]));
        let corner = |i: usize| (base as u32 + corners[i] as u32, place(corners[i] as usize));
        let runs: Vec<[usize; 3]> = match mode {
            4 => (0..corners.len() / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect(),
            // Every other triangle of a strip is turned.
            5 => (2..corners.len()).map(|i| if i % 2 == 0 { [i - 2, i - 1, i] } else { [i - 1, i - 2, i] }).collect(),
            _ => (2..corners.len()).map(|i| [0, i - 1, i]).collect(),
        };
        for run in runs {
            let fan = run.map(corner);
            if fan.iter().any(|c| c.1.is_some_and(|p| !p.is_finite())) {
                return Err("texture coordinates are not finite".into());
            }
            self.bare |= add_fan(&mut self.surface, &fan);
        }
        Ok(())
    }

    fn remember(&mut self, sources: Option<Vec<f64>>, count: usize) {
        let known = if self.surface.mesh.positions.is_empty() { Some(Vec::new()) } else { self.sources.take() };
        let whole = |n: &f64| *n >= 0.0 && *n < f64::from(u32::MAX);
        self.sources =
            known.zip(sources.filter(|s| s.len() == count && s.iter().all(whole))).map(|(mut known, new)| {
                known.extend(new.iter().map(|n| *n as u32));
                known
            });
    }

    fn finish(mut self) -> Surface {
        if let Some(sources) = self.sources.take() {
            weld(&mut self.surface, &sources);
        }
        if self.bare {
            self.surface.mesh.material.clear();
        }
        self.surface.parts.retain(|p| !p.triangles.is_empty());
        if self.surface.parts.len() == 1 && !self.named {
            self.surface.parts.clear();
        }
        self.surface.colour = [0.8; 3];
        self.surface
    }
}

/// Joins vertices that were one, in their old order; not when they have moved apart.
fn weld(surface: &mut Surface, sources: &[u32]) {
    let mesh = &mut surface.mesh;
    let mut first: BTreeMap<u32, usize> = BTreeMap::new();
    for (v, &source) in sources.iter().enumerate() {
        if mesh.positions[*first.entry(source).or_insert(v)] != mesh.positions[v] {
            return;
        }
    }
    let new: BTreeMap<u32, u32> = first.keys().enumerate().map(|(i, &source)| (source, i as u32)).collect();
    for i in mesh.triangles.as_flattened_mut() {
        *i = new[&sources[*i as usize]];
    }
    mesh.positions = first.values().map(|&v| mesh.positions[v]).collect();
}

/// The numbers of an attribute, so many to a vertex, if it is there.
type Attribute<'a> = dyn Fn(&str, usize) -> Result<Option<Vec<f64>>, String> + 'a;

/// Moves vertices by their joints, in proportion to the weights.
fn skin(positions: &mut [DVec3], joints: &[DMat4], numbers: &Attribute<'_>) -> Result<(), String> {
    let mut moved = vec![DVec4::ZERO; positions.len()];
    // Four joints a set; more than four sets do not occur.
    for set in 0..4 {
        let (Some(names), Some(weights)) =
            (numbers(&format!("JOINTS_{set}"), 4)?, numbers(&format!("WEIGHTS_{set}"), 4)?)
        else {
            break;
        };
        if names.len() < 4 * positions.len() || weights.len() < 4 * positions.len() {
            return Err("a skin has fewer weights than vertices".into());
        }
        for (i, (&joint, &weight)) in names.iter().zip(&weights).enumerate().take(4 * positions.len()) {
            if weight != 0.0 {
                let pose = joints.get(joint as usize).ok_or_else(|| format!("a skin has no joint {joint}"))?;
                moved[i / 4] += weight * (*pose * positions[i / 4].extend(1.0));
            }
        }
    }
    for (p, sum) in positions.iter_mut().zip(&moved) {
        // The weights of a vertex may not quite add up to one; one without weights stays.
        if sum.w != 0.0 {
            *p = sum.truncate() / sum.w;
        }
    }
    Ok(())
}
