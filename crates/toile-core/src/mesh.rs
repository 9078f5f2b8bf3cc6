//! Triangle meshes with material coordinates on their corners.

mod grid;
mod topology;

pub use grid::{Diagonal, Grid};
pub use topology::{Edge, Topology};

use glam::{DVec2, DVec3};

/// A triangle mesh in space whose triangles know their flat shape.
///
/// Material coordinates (u, v) in metres along weft and warp belong to corners, not to vertices: a vertex on a seam has a
/// different place in each panel it joins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertex positions in the world (m, y up).
    pub positions: Vec<DVec3>,
    /// Vertex numbers of the corners, counter-clockwise seen from the outside.
    pub triangles: Vec<[u32; 3]>,
    /// Material coordinates of the corners (m), in the order of `triangles`.
    pub material: Vec<[DVec2; 3]>,
}

/// What makes a mesh unusable.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// Lists of different length.
    #[error("{triangles} triangles but {material} sets of material coordinates")]
    Length {
        /// Number of triangles.
        triangles: usize,
        /// Number of corner triples.
        material: usize,
    },
    /// A corner points past the vertices.
    #[error("triangle {triangle} uses vertex {vertex}, but there are only {count}")]
    Index {
        /// Triangle.
        triangle: usize,
        /// Offending vertex.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// A triangle uses a vertex twice.
    #[error("triangle {triangle} uses vertex {vertex} twice")]
    Repeated {
        /// Triangle.
        triangle: usize,
        /// Vertex.
        vertex: u32,
    },
    /// A coordinate is not a number.
    #[error("{what} {index} is not finite")]
    NotFinite {
        /// `vertex` or `triangle`.
        what: &'static str,
        /// Which.
        index: usize,
    },
    /// No or negative rest area.
    #[error(
        "triangle {triangle} has a rest area of {area} m²: it is flat, turned over or its coordinates are not metres"
    )]
    Area {
        /// Triangle.
        triangle: usize,
        /// Signed rest area.
        area: f64,
    },
    /// Three or more triangles on an edge, or two that disagree about the outside.
    #[error("edge {a}–{b} is used by {count} triangles, or its two triangles face opposite ways")]
    NonManifold {
        /// One end.
        a: u32,
        /// Other end.
        b: u32,
        /// Triangles there.
        count: usize,
    },
    /// Nothing to simulate.
    #[error("the mesh has no triangles")]
    Empty,
}

impl Mesh {
    /// Checks everything that forces rely on.
    pub fn check(&self) -> Result<(), MeshError> {
        if self.triangles.is_empty() {
            return Err(MeshError::Empty);
        }
        if self.triangles.len() != self.material.len() {
            return Err(MeshError::Length { triangles: self.triangles.len(), material: self.material.len() });
        }
        if let Some(index) = self.positions.iter().position(|p| !p.is_finite()) {
            return Err(MeshError::NotFinite { what: "vertex", index });
        }
        for (triangle, corners) in self.triangles.iter().enumerate() {
            for (i, &vertex) in corners.iter().enumerate() {
                if vertex as usize >= self.positions.len() {
                    return Err(MeshError::Index { triangle, vertex, count: self.positions.len() });
                }
                if corners[..i].contains(&vertex) {
                    return Err(MeshError::Repeated { triangle, vertex });
                }
            }
            if self.material[triangle].iter().any(|c| !c.is_finite()) {
                return Err(MeshError::NotFinite { what: "triangle", index: triangle });
            }
            let area = self.rest_area(triangle);
            if !(area > 0.0) {
                return Err(MeshError::Area { triangle, area });
            }
        }
        Topology::new(self).map(|_| ())
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.positions.len()
    }

    /// Signed flat area of a triangle (m²).
    pub fn rest_area(&self, triangle: usize) -> f64 {
        let [a, b, c] = self.material[triangle];
        0.5 * (b - a).perp_dot(c - a)
    }

    /// Flat area of all triangles (m²).
    pub fn total_rest_area(&self) -> f64 {
        (0..self.triangles.len()).map(|t| self.rest_area(t)).sum()
    }

    /// Lumped vertex masses (kg): a third of every adjacent triangle, Volino09 §3.
    pub fn lumped_masses(&self, density: f64) -> Vec<f64> {
        let mut masses = vec![0.0; self.positions.len()];
        for (t, corners) in self.triangles.iter().enumerate() {
            let third = density * self.rest_area(t) / 3.0;
            for &v in corners {
                masses[v as usize] += third;
            }
        }
        masses
    }

    /// Turns the grain: material coordinates are rotated by −`angle` (rad), so that the weft lies at `angle` to the panel's u.
    pub fn with_grain(mut self, angle: f64) -> Self {
        let turn = DVec2::from_angle(-angle);
        for corners in &mut self.material {
            for c in corners {
                *c = turn.rotate(*c);
            }
        }
        self
    }

    /// Vertices whose position satisfies a condition.
    pub fn vertices_where(&self, condition: impl Fn(DVec3) -> bool) -> Vec<u32> {
        (0..self.positions.len() as u32).filter(|&i| condition(self.positions[i as usize])).collect()
    }
}
