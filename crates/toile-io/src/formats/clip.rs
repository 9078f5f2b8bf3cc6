//! Clips as a whole: whether they hold together, and their arrays in numpy's format.

use super::npz::{Archive, Array};
use super::{ExportError, Sink, npz};
use crate::problem::Problem;
use crate::surface::{Clip, Field, Frame, On, Part, Surface};
use glam::{DVec2, DVec3};
use serde_json::{Value, json};
use std::path::Path;
use toile_core::mesh::Mesh;

/// Checks what every writer relies on.
pub(super) fn check(clip: &Clip) -> Result<(), ExportError> {
    let mesh = &clip.surface.mesh;
    let (vertices, triangles) = (mesh.positions.len(), mesh.triangles.len());
    if clip.frames.is_empty() {
        return Err(ExportError::Empty("the clip has no frames"));
    }
    if triangles == 0 {
        return Err(ExportError::Empty("the surface has no triangles"));
    }
    let fail = |message: String| Err(ExportError::Inconsistent(message));
    if let Some(t) = mesh.triangles.iter().position(|c| c.iter().any(|&i| i as usize >= vertices)) {
        return fail(format!("triangle {t} uses a vertex past the {vertices} there are"));
    }
    if !mesh.material.is_empty() && mesh.material.len() != triangles {
        return fail(format!("{triangles} triangles, but {} with material coordinates", mesh.material.len()));
    }
    if let Some(t) = mesh.material.iter().position(|c| c.iter().any(|p| !p.is_finite())) {
        return fail(format!("material coordinates of triangle {t} are not finite"));
    }
    let mut at = 0;
    for part in &clip.surface.parts {
        if part.triangles.start < at || part.triangles.end < part.triangles.start || part.triangles.end > triangles {
            return fail(format!("part `{}` overlaps another or ends past the {triangles} triangles", part.name));
        }
        at = part.triangles.end;
    }
    if let Some(v) = mesh.positions.iter().position(|p| !p.is_finite()) {
        return fail(format!("vertex {v} at rest is not finite"));
    }
    clip.frames.iter().enumerate().try_for_each(|(k, frame)| check_frame(clip, k, frame).or_else(fail))
}

fn check_frame(clip: &Clip, k: usize, frame: &Frame) -> Result<(), String> {
    let (vertices, triangles) = (clip.surface.mesh.positions.len(), clip.surface.mesh.triangles.len());
    if frame.positions.len() != vertices {
        return Err(format!("frame {k} has {} positions for {vertices} vertices", frame.positions.len()));
    }
    if let Some(v) = frame.positions.iter().position(|p| !p.is_finite()) {
        return Err(format!("vertex {v} of frame {k} is not finite"));
    }
    if !frame.time.is_finite() || k > 0 && !(frame.time > clip.frames[k - 1].time) {
        return Err(format!("frame {k} is at {} s, not after the one before", frame.time));
    }
    let described = |f: &Frame| -> Vec<(String, On)> { f.fields.iter().map(|f| (f.name.clone(), f.on)).collect() };
    if described(frame) != described(&clip.frames[0]) {
        return Err(format!("frame {k} has other fields than frame 0"));
    }
    for (i, field) in frame.fields.iter().enumerate() {
        let count = if field.on == On::Vertices { vertices } else { triangles };
        if field.values.len() != count {
            return Err(format!("field `{}` of frame {k} has {} values, not {count}", field.name, field.values.len()));
        }
        if frame.fields[..i].iter().any(|other| other.name == field.name) {
            return Err(format!("frame {k} has two fields `{}`", field.name));
        }
    }
    Ok(())
}

/// Names of arrays that are no fields.
const RESERVED: &[&str] = &["about", "times", "rest", "positions", "triangles", "material"];

/// Writes everything a clip holds. Names and units are JSON text in the array `about`.
pub(super) fn write_npz(clip: &Clip, sink: &mut Sink<'_>) -> Result<(), ExportError> {
    let mesh = &clip.surface.mesh;
    let (frames, vertices, triangles) = (clip.frames.len(), mesh.positions.len(), mesh.triangles.len());
    let about = about(clip).to_string().into_bytes();
    let flat = |points: &[DVec3]| -> Vec<f64> { points.iter().flat_map(DVec3::to_array).collect() };
    let positions: Vec<f64> = clip.frames.iter().flat_map(|f| flat(&f.positions)).collect();
    let mut arrays = vec![
        ("about".to_owned(), Array::new([about.len()], about)),
        ("times".into(), Array::new([frames], clip.frames.iter().map(|f| f.time).collect::<Vec<_>>())),
        ("rest".into(), Array::new([vertices, 3], flat(&mesh.positions))),
        ("positions".into(), Array::new([frames, vertices, 3], positions)),
        ("triangles".into(), Array::new([triangles, 3], mesh.triangles.concat())),
    ];
    if !mesh.material.is_empty() {
        let corners: Vec<f64> = mesh.material.iter().flatten().flat_map(DVec2::to_array).collect();
        arrays.push(("material".into(), Array::new([triangles, 3, 2], corners)));
    }
    for (i, field) in clip.frames[0].fields.iter().enumerate() {
        let values: Vec<f32> = clip.frames.iter().flat_map(|f| f.fields[i].values.iter().copied()).collect();
        arrays.push((array_name(&field.name), Array::new([frames, field.values.len()], values)));
    }
    sink.put(".npz", npz::to_bytes(&arrays)?)
}

fn array_name(field: &str) -> String {
    if RESERVED.contains(&field) { format!("field_{field}") } else { field.to_owned() }
}

fn about(clip: &Clip) -> Value {
    let parts = clip.surface.parts.iter();
    let parts: Vec<Value> =
        parts.map(|p| json!({"name": p.name, "first": p.triangles.start, "end": p.triangles.end})).collect();
    let on = |f: &Field| if f.on == On::Vertices { "vertices" } else { "triangles" };
    let fields = clip.frames[0].fields.iter();
    let fields: Vec<Value> =
        fields.map(|f| json!({"name": f.name, "unit": f.unit, "on": on(f), "array": array_name(&f.name)})).collect();
    json!({
        "name": clip.surface.name, "colour_srgb": clip.surface.colour, "parts": parts, "fields": fields,
        "units": {"positions": "m", "material": "m", "times": "s"}, "up": "y",
    })
}

/// Reads a clip; only `positions` must be there.
pub(super) fn read_npz(bytes: Vec<u8>, path: &Path) -> Result<Clip, Vec<Problem>> {
    let archive = Archive::from_bytes(bytes, path)?;
    let has = |name: &str| archive.names().any(|n| n == name);
    let fail = |name: &str, message: String| vec![Problem::error(path, (0, 0), name, message)];
    let positions = archive.array("positions")?;
    let &[frames, vertices, 3] = positions.shape.as_slice() else {
        return Err(fail("positions", format!("shape {:?}, expected frames × vertices × 3", positions.shape)));
    };
    let positions = points(&positions);
    if let Some(i) = positions.iter().position(|p| !p.is_finite()) {
        return Err(fail("positions", format!("vertex {} of frame {} is not finite", i % vertices, i / vertices)));
    }
    if frames == 0 || vertices == 0 {
        return Err(fail("positions", "no frame or no vertex".into()));
    }
    let times =
        if has("times") { archive.array("times")?.data.to_f64() } else { (0..frames).map(|k| k as f64).collect() };
    if times.len() != frames || !times.iter().all(|t| t.is_finite()) || !times.is_sorted_by(|a, b| a < b) {
        return Err(fail("times", format!("{frames} frames need as many ascending times, there are {}", times.len())));
    }
    let mut surface =
        Surface { mesh: Mesh { positions: positions[..vertices].to_vec(), ..Mesh::default() }, ..Surface::default() };
    read_rest(&archive, &mut surface.mesh).map_err(|(name, message)| fail(name, message))?;
    let about = if has("about") { parse_about(&archive) } else { Value::Null };
    describe(&mut surface, &about);
    let frames = times.iter().zip(positions.chunks_exact(vertices));
    let frames = frames.map(|(&time, p)| Frame { time, positions: p.to_vec(), fields: Vec::new() }).collect();
    let mut clip = Clip { surface, frames };
    read_fields(&archive, &about, &mut clip);
    Ok(clip)
}

fn points(array: &Array) -> Vec<DVec3> {
    array.data.to_f64().as_chunks::<3>().0.iter().copied().map(DVec3::from_array).collect()
}

/// Rest positions, triangles and material coordinates, where they are.
fn read_rest(archive: &Archive, mesh: &mut Mesh) -> Result<(), (&'static str, String)> {
    let array = |name: &'static str, tail: &[usize]| {
        if !archive.names().any(|n| n == name) {
            return Ok(None);
        }
        let array =
            archive.array(name).map_err(|p| (name, p.first().map_or_else(String::new, |p| p.message.clone())))?;
        match array.shape.split_first() {
            Some((_, rest)) if rest == tail => Ok(Some(array)),
            _ => Err((name, format!("shape {:?}, expected count × {tail:?}", array.shape))),
        }
    };
    let vertices = mesh.positions.len();
    if let Some(rest) = array("rest", &[3])? {
        let rest = points(&rest);
        if rest.len() != vertices || rest.iter().any(|p| !p.is_finite()) {
            return Err(("rest", format!("{vertices} finite points expected")));
        }
        mesh.positions = rest;
    }
    if let Some(triangles) = array("triangles", &[3])? {
        let corners = triangles.data.to_u32().ok_or(("triangles", "not all are vertex numbers".to_owned()))?;
        if let Some(i) = corners.iter().find(|&&i| i as usize >= vertices) {
            return Err(("triangles", format!("vertex {i} of {vertices}")));
        }
        mesh.triangles = corners.as_chunks::<3>().0.to_vec();
    }
    if let Some(material) = array("material", &[3, 2])? {
        let corners = material.data.to_f64();
        let corners = corners.as_chunks::<6>().0.iter();
        mesh.material =
            corners.map(|&[a, b, c, d, e, f]| [DVec2::new(a, b), DVec2::new(c, d), DVec2::new(e, f)]).collect();
        if mesh.material.len() != mesh.triangles.len() || mesh.material.iter().flatten().any(|p| !p.is_finite()) {
            return Err(("material", "not one finite triple of places for every triangle".into()));
        }
    }
    Ok(())
}

fn parse_about(archive: &Archive) -> Value {
    // Another program may use the name for something else: then it says nothing about names and units.
    let Ok(Array { data: npz::Data::U8(text), .. }) = archive.array("about") else { return Value::Null };
    serde_json::from_slice(&text).unwrap_or(Value::Null)
}

fn describe(surface: &mut Surface, about: &Value) {
    surface.name = about["name"].as_str().unwrap_or_default().to_owned();
    if let Some([r, g, b]) = about["colour_srgb"].as_array().map(Vec::as_slice) {
        surface.colour = [r, g, b].map(|c| c.as_f64().unwrap_or(0.0) as f32);
    }
    for part in about["parts"].as_array().into_iter().flatten() {
        let index = |key: &str| part[key].as_u64().and_then(|i| usize::try_from(i).ok());
        let (Some(start), Some(end)) = (index("first"), index("end")) else { continue };
        let at = surface.parts.last().map_or(0, |p| p.triangles.end);
        if at <= start && start <= end && end <= surface.mesh.triangles.len() {
            let name = part["name"].as_str().unwrap_or_default().to_owned();
            surface.parts.push(Part { name, triangles: start..end });
        }
    }
}

/// The arrays that `about` calls fields, as far as they fit.
fn read_fields(archive: &Archive, about: &Value, clip: &mut Clip) {
    for field in about["fields"].as_array().into_iter().flatten() {
        let text = |key: &str| field[key].as_str().unwrap_or_default().to_owned();
        let on = if text("on") == "triangles" { On::Triangles } else { On::Vertices };
        let mesh = &clip.surface.mesh;
        let count = if on == On::Vertices { mesh.positions.len() } else { mesh.triangles.len() };
        let Ok(Array { shape, data: npz::Data::F32(values) }) = archive.array(&text("array")) else { continue };
        if shape != [clip.frames.len(), count] || count == 0 {
            continue;
        }
        for (frame, values) in clip.frames.iter_mut().zip(values.chunks_exact(count)) {
            frame.fields.push(Field { name: text("name"), unit: text("unit"), on, values: values.to_vec() });
        }
    }
}
