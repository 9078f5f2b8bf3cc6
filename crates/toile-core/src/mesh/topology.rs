//! Edges of a mesh and the triangles beside them.

use super::{Mesh, MeshError};

/// No triangle on this side.
const NONE: u32 = u32::MAX;

/// An edge, directed as triangle 1 runs along it (counter-clockwise).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Ends, in the direction of the first triangle.
    pub vertices: [u32; 2],
    /// The triangles; the second is [`Topology::NONE`] on a boundary.
    pub triangles: [u32; 2],
    /// Vertices across the edge in each triangle; [`Topology::NONE`] where there is none.
    pub opposite: [u32; 2],
}

/// Edges and the way from triangles to edges.
#[derive(Clone, Debug, Default)]
pub struct Topology {
    /// Every edge once, ordered by its smaller then larger vertex.
    pub edges: Vec<Edge>,
    /// For each triangle the edge from corner i to corner i+1.
    pub triangle_edges: Vec<[u32; 3]>,
}

impl Topology {
    /// Marks a missing triangle or vertex.
    pub const NONE: u32 = NONE;

    /// Finds the edges; fails on edges with more than two triangles or with inconsistent winding.
    pub fn new(mesh: &Mesh) -> Result<Self, MeshError> {
        // Half-edges sorted by their unordered ends: neighbours in the list share an edge. No hash map: order is fixed.
        let mut half: Vec<(u32, u32, u32, u8)> = Vec::with_capacity(mesh.triangles.len() * 3);
        for (t, c) in mesh.triangles.iter().enumerate() {
            for i in 0..3 {
                let (a, b) = (c[i], c[(i + 1) % 3]);
                half.push((a.min(b), a.max(b), t as u32, i as u8));
            }
        }
        half.sort_unstable();
        let mut topology =
            Self { edges: Vec::with_capacity(half.len() / 2), triangle_edges: vec![[NONE; 3]; mesh.triangles.len()] };
        let mut k = 0;
        while k < half.len() {
            let (a, b, t1, i1) = half[k];
            let count = half[k..].iter().take_while(|h| (h.0, h.1) == (a, b)).count();
            let corners = |t: u32, i: u8| {
                let c = mesh.triangles[t as usize];
                let i = i as usize;
                ([c[i], c[(i + 1) % 3]], c[(i + 2) % 3])
            };
            let (vertices, across) = corners(t1, i1);
            let mut edge = Edge { vertices, triangles: [t1, NONE], opposite: [across, NONE] };
            if count == 2 {
                let (_, _, t2, i2) = half[k + 1];
                let (other, across) = corners(t2, i2);
                if other[0] == vertices[0] {
                    return Err(MeshError::NonManifold { a, b, count });
                }
                edge.triangles[1] = t2;
                edge.opposite[1] = across;
                topology.triangle_edges[t2 as usize][i2 as usize] = topology.edges.len() as u32;
            } else if count > 2 {
                return Err(MeshError::NonManifold { a, b, count });
            }
            topology.triangle_edges[t1 as usize][i1 as usize] = topology.edges.len() as u32;
            topology.edges.push(edge);
            k += count;
        }
        Ok(topology)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Diagonal, Grid};
    use super::*;

    /// V − E + F = 1 on a disc, and every triangle finds its edges.
    #[test]
    fn euler_characteristic_of_a_sheet_is_one() {
        let mesh = Grid { cells: [7, 4], size: [0.7, 0.4], diagonal: Diagonal::Alternating }.mesh();
        let topology = Topology::new(&mesh).unwrap();
        let chi = mesh.vertex_count() as i64 - topology.edges.len() as i64 + mesh.triangles.len() as i64;
        assert_eq!(chi, 1);
        for (t, edges) in topology.triangle_edges.iter().enumerate() {
            for (i, &e) in edges.iter().enumerate() {
                let edge = topology.edges[e as usize];
                let side = usize::from(edge.triangles[1] == t as u32);
                assert_eq!(edge.triangles[side], t as u32);
                assert_eq!(edge.opposite[side], mesh.triangles[t][(i + 2) % 3]);
            }
        }
    }

    #[test]
    fn three_triangles_on_an_edge_are_refused() {
        let mut mesh = Grid { cells: [1, 1], size: [1.0, 1.0], diagonal: Diagonal::One }.mesh();
        let (extra, material) = (mesh.triangles[0], mesh.material[0]);
        mesh.triangles.push(extra);
        mesh.material.push(material);
        assert!(matches!(Topology::new(&mesh), Err(MeshError::NonManifold { .. })));
    }
}
