//! What several writers need of a surface.

use crate::surface::{Frame, Surface};
use glam::{DVec2, DVec3, Vec3};
use std::collections::HashMap;
use std::ops::Range;
use toile_core::mesh::Mesh;

/// Name of the object, never empty.
pub(super) fn name(surface: &Surface) -> &str {
    if surface.name.is_empty() { "surface" } else { &surface.name }
}

/// The parts in order, and what lies between them without a name; none is empty.
pub(super) fn pieces(surface: &Surface) -> Vec<(Option<&str>, Range<usize>)> {
    let mut pieces = Vec::new();
    let mut at = 0;
    for part in &surface.parts {
        pieces.push((None, at..part.triangles.start));
        pieces.push((Some(part.name.as_str()), part.triangles.clone()));
        at = part.triangles.end;
    }
    pieces.push((None, at..surface.mesh.triangles.len()));
    pieces.retain(|(_, triangles)| !triangles.is_empty());
    pieces
}

/// Unit normals of the vertices, weighted by area; upwards where there is no surface.
pub(super) fn normals(triangles: &[[u32; 3]], positions: &[DVec3]) -> Vec<Vec3> {
    let mut sums = vec![DVec3::ZERO; positions.len()];
    for corners in triangles {
        let [a, b, c] = corners.map(|i| positions[i as usize]);
        let area = (b - a).cross(c - a);
        for &i in corners {
            sums[i as usize] += area;
        }
    }
    sums.iter().map(|n| n.try_normalize().unwrap_or(DVec3::Y).as_vec3()).collect()
}

/// Smallest and largest coordinates.
pub(super) fn bounds(positions: impl IntoIterator<Item = Vec3>) -> [Vec3; 2] {
    let start = [Vec3::INFINITY, Vec3::NEG_INFINITY];
    positions.into_iter().fold(start, |[low, high], p| [low.min(p), high.max(p)])
}

/// Triangles whose vertices have one place in the material each: those on seams are doubled.
pub(super) struct Split {
    /// The vertex of the mesh behind each vertex.
    pub(super) source: Vec<u32>,
    /// Material coordinates of each vertex (m); empty when the mesh has none.
    pub(super) material: Vec<DVec2>,
    /// Corners.
    pub(super) triangles: Vec<[u32; 3]>,
}

impl Split {
    /// Splits a run of triangles, vertices in the order of their first use.
    pub(super) fn new(mesh: &Mesh, run: Range<usize>) -> Self {
        let mut split = Self { source: Vec::new(), material: Vec::new(), triangles: Vec::with_capacity(run.len()) };
        let mut known = HashMap::new();
        for t in run {
            let corners = [0, 1, 2].map(|c| {
                let vertex = mesh.triangles[t][c];
                let place = mesh.material.get(t).map(|m| m[c]);
                let key = (vertex, place.map(|p| [p.x.to_bits(), p.y.to_bits()]));
                *known.entry(key).or_insert_with(|| {
                    split.source.push(vertex);
                    split.material.extend(place);
                    split.source.len() as u32 - 1
                })
            });
            split.triangles.push(corners);
        }
        split
    }
}

/// A surface with its seams open: each part has vertices of its own, and where two places of the material meet in one vertex, as at the legs
/// of a dart, there are two. Triangles keep their order. Returns the vertex of the closed surface behind each vertex, too.
pub fn opened(surface: &Surface) -> (Surface, Vec<u32>) {
    let mut open =
        Surface { mesh: Mesh { material: surface.mesh.material.clone(), ..Mesh::default() }, ..surface.clone() };
    let mut source = Vec::new();
    for (_, run) in pieces(surface) {
        let split = Split::new(&surface.mesh, run);
        let first = source.len() as u32;
        open.mesh.triangles.extend(split.triangles.iter().map(|t| t.map(|v| first + v)));
        source.extend(split.source);
    }
    open.mesh.positions = source.iter().map(|v| surface.mesh.positions[*v as usize]).collect();
    (open, source)
}

/// The step between frames (s) when it is the same everywhere, to a ten-thousandth.
pub(super) fn even_step(frames: &[Frame]) -> Option<f64> {
    let (first, last) = (frames.first()?.time, frames.last()?.time);
    let step = (last - first) / (frames.len() - 1) as f64;
    let even = frames.iter().enumerate().all(|(k, f)| (f.time - first - k as f64 * step).abs() <= 1e-4 * step);
    (frames.len() > 1 && even).then_some(step)
}

/// How a frame of a series is named: `_000012` of many, nothing of one.
pub(super) fn number(frame: usize, count: usize) -> String {
    if count > 1 { format!("_{frame:06}") } else { String::new() }
}

/// A name that is a letter or `_` followed by letters, digits and `_`, and is not among those taken.
pub(super) fn identifier(name: &str, taken: &[String]) -> String {
    let mut word: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        word.insert(0, '_');
    }
    let free = |w: &String| !taken.contains(w);
    let numbered = (2..).map(|k| format!("{word}_{k}"));
    std::iter::once(word.clone()).chain(numbered).find(free).unwrap_or_default()
}

/// A name without white space: what line-based formats can hold.
pub(super) fn word(name: &str) -> String {
    let word: String = name.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect();
    if word.is_empty() { "_".into() } else { word }
}

/// Colour of the surface (sRGB), 8 bits a channel, opaque.
pub(super) fn colour(surface: &Surface) -> [u8; 4] {
    let [r, g, b] = surface.colour.map(|c| (c.clamp(0.0, 1.0) * 255.0).round() as u8);
    [r, g, b, 255]
}

/// Linear light of an sRGB value (both 0 to 1). Source: IEC 61966-2-1.
pub(super) fn linear(srgb: f32) -> f32 {
    let c = srgb.clamp(0.0, 1.0);
    if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}
