//! Stanford PLY. Source: G. Turk, "The PLY polygon file format", 1994.
//!
//! Written binary, least significant byte first: position, normal, colour and the fields of each vertex, then the triangles with
//! their texture coordinates (`texcoord`, as MeshLab writes them) and fields. Units of fields are in comments.

mod read;

pub(super) use read::read;

use super::shape::{colour, normals, number, word};
use super::{ExportError, Sink};
use crate::surface::{Clip, Frame, On, Surface};

pub(super) fn write(clip: &Clip, sink: &mut Sink<'_>) -> Result<(), ExportError> {
    for (k, frame) in clip.frames.iter().enumerate() {
        sink.put(&format!("{}.ply", number(k, clip.frames.len())), frame_bytes(&clip.surface, frame, None))?;
    }
    Ok(())
}

/// A frame as the bytes of a PLY file, with a colour (sRGB and opacity) for every vertex if given.
pub fn bytes(clip: &Clip, frame: usize, colours: Option<&[[u8; 4]]>) -> Result<Vec<u8>, ExportError> {
    super::clip::check(clip)?;
    let vertices = clip.surface.mesh.positions.len();
    if let Some(c) = colours.filter(|c| c.len() != vertices) {
        return Err(ExportError::Inconsistent(format!("{} colours for {vertices} vertices", c.len())));
    }
    let count = clip.frames.len();
    let frame = clip.frames.get(frame);
    let frame = frame.ok_or_else(|| ExportError::Inconsistent(format!("there are only {count} frames")))?;
    Ok(frame_bytes(&clip.surface, frame, colours))
}

fn frame_bytes(surface: &Surface, frame: &Frame, colours: Option<&[[u8; 4]]>) -> Vec<u8> {
    let mesh = &surface.mesh;
    let on = |on: On| frame.fields.iter().filter(move |f| f.on == on);
    let mut out = header(surface, frame).into_bytes();
    let plain = colour(surface);
    let normals = normals(&mesh.triangles, &frame.positions);
    for (v, position) in frame.positions.iter().enumerate() {
        let numbers = [position.as_vec3(), normals[v]];
        out.extend(numbers.iter().flat_map(|n| n.to_array()).flat_map(f32::to_le_bytes));
        out.extend(colours.map_or(plain, |c| c[v]));
        out.extend(on(On::Vertices).flat_map(|f| f.values[v].to_le_bytes()));
    }
    for (t, corners) in mesh.triangles.iter().enumerate() {
        out.push(3);
        out.extend(corners.iter().flat_map(|i| i.to_le_bytes()));
        if let Some(places) = mesh.material.get(t) {
            out.push(6);
            out.extend(places.iter().flat_map(|p| [p.x as f32, p.y as f32]).flat_map(f32::to_le_bytes));
        }
        out.extend(on(On::Triangles).flat_map(|f| f.values[t].to_le_bytes()));
    }
    out
}

fn header(surface: &Surface, frame: &Frame) -> String {
    let mesh = &surface.mesh;
    let mut out = String::from("ply\nformat binary_little_endian 1.0\ncomment Toile: metres, y up\n");
    out += &format!("comment time_s {}\n", frame.time);
    for field in &frame.fields {
        out += &format!("comment unit {} {}\n", word(&field.name), word(&field.unit));
    }
    out += &format!("element vertex {}\n", mesh.positions.len());
    for name in ["x", "y", "z", "nx", "ny", "nz"] {
        out += &format!("property float {name}\n");
    }
    for name in ["red", "green", "blue", "alpha"] {
        out += &format!("property uchar {name}\n");
    }
    let fields = |on: On| frame.fields.iter().filter(move |f| f.on == on);
    out.extend(fields(On::Vertices).map(|f| format!("property float {}\n", word(&f.name))));
    out += &format!("element face {}\nproperty list uchar int vertex_indices\n", mesh.triangles.len());
    if !mesh.material.is_empty() {
        out += "property list uchar float texcoord\n";
    }
    out.extend(fields(On::Triangles).map(|f| format!("property float {}\n", word(&f.name))));
    out + "end_header\n"
}
