//! Surfaces in motion, as they are written, read back and drawn.

use std::ops::Range;
use toile_core::mesh::Mesh;

/// A surface at rest: the first thing of every file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Name of the object in files.
    pub name: String,
    /// Positions (m, y up) and triangles. Material coordinates (m) may be missing: then the list is empty.
    pub mesh: Mesh,
    /// Panels and other named pieces, in order, without overlap; what is in none of them has no name.
    pub parts: Vec<Part>,
    /// Colour (sRGB, 0 to 1).
    pub colour: [f32; 3],
}

/// A named run of triangles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Name.
    pub name: String,
    /// Its triangles.
    pub triangles: Range<usize>,
}

/// Numbers over a surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Name in files: `strain_weft`, `stress_warp`.
    pub name: String,
    /// Unit, `–` for none.
    pub unit: String,
    /// What the numbers belong to.
    pub on: On,
    /// One per vertex or triangle.
    pub values: Vec<f32>,
}

/// What the numbers of a field belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// Vertices.
    Vertices,
    /// Triangles.
    Triangles,
}

/// A surface at a time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Time (s).
    pub time: f64,
    /// Positions of the vertices (m).
    pub positions: Vec<glam::DVec3>,
    /// Numbers over the surface at this time.
    pub fields: Vec<Field>,
}

/// A surface in motion: at least one frame, times ascending, the same fields in every frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clip {
    /// Names, triangles, material coordinates; its positions are those at rest.
    pub surface: Surface,
    /// Frames.
    pub frames: Vec<Frame>,
}

impl Field {
    /// The numbers at the vertices: those of triangles are averaged, weighted by their rest area.
    pub fn at_vertices(&self, mesh: &Mesh) -> Vec<f32> {
        if self.on == On::Vertices {
            return self.values.clone();
        }
        let (mut sums, mut weights) = (vec![0.0f64; mesh.positions.len()], vec![0.0f64; mesh.positions.len()]);
        for (t, corners) in mesh.triangles.iter().enumerate() {
            let [a, b, c] = corners.map(|i| mesh.positions[i as usize]);
            let area = (b - a).cross(c - a).length();
            for &i in corners {
                sums[i as usize] += area * f64::from(self.values[t]);
                weights[i as usize] += area;
            }
        }
        sums.iter().zip(&weights).map(|(s, w)| if *w > 0.0 { (s / w) as f32 } else { 0.0 }).collect()
    }
}
