//! What can touch: bodies made of vertices, edges and triangles, each with a radius about it.
//!
//! Two features touch when their distance falls to the sum of their radii. That makes round shapes exact: a ball is a
//! vertex, a capsule an edge, and both are tested against cloth by the same pairs as a mesh.

use std::collections::BTreeSet;

/// One sheet or obstacle.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Name in messages.
    pub name: String,
    /// Radius about its features (m): half the thickness of cloth, the radius of a ball.
    pub radius: f64,
    /// Cloth moves by forces and touches everything, itself included. Obstacles move as they are told and touch cloth only.
    pub is_cloth: bool,
    /// First vertex.
    pub first_vertex: u32,
    /// Vertices.
    pub vertex_count: u32,
}

/// All bodies, their vertices numbered through: those of cloth first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shapes {
    /// Sheets, then obstacles.
    pub bodies: Vec<Body>,
    /// Body of each vertex.
    pub body_of_vertex: Vec<u32>,
    /// Triangles of all bodies; those of cloth first.
    pub triangles: Vec<[u32; 3]>,
    /// Edges of all bodies, each once; those of cloth first.
    pub edges: Vec<[u32; 2]>,
    /// Edges without triangles (capsules): cloth vertices are tested against them, too.
    pub bare_edges: Vec<u32>,
    /// Vertices of cloth come first: there are so many.
    pub cloth_vertices: usize,
    /// Triangles of cloth.
    pub cloth_triangles: usize,
    /// Edges of cloth.
    pub cloth_edges: usize,
    /// A number for each cloth vertex, the same for vertices that are to become one: sides of a seam being sewn. They count as one
    /// vertex: features that share it are neighbours. Empty where nothing is sewn.
    pub joined: Vec<u32>,
}

impl Shapes {
    /// Adds a body with its own vertex numbers from 0 on; cloth must come before obstacles. Edges are those of the triangles and
    /// the `bare` ones. Returns the number of the body.
    pub fn add(
        &mut self,
        name: &str,
        is_cloth: bool,
        radius: f64,
        vertex_count: usize,
        triangles: &[[u32; 3]],
        bare: &[[u32; 2]],
    ) -> usize {
        assert!(!is_cloth || self.bodies.iter().all(|b| b.is_cloth), "cloth comes before obstacles");
        let first = self.body_of_vertex.len() as u32;
        let body = self.bodies.len() as u32;
        self.body_of_vertex.extend(std::iter::repeat_n(body, vertex_count));
        self.triangles.extend(triangles.iter().map(|t| t.map(|v| first + v)));
        let mut edges = BTreeSet::new();
        for t in triangles {
            for k in 0..3 {
                let (a, b) = (t[k], t[(k + 1) % 3]);
                edges.insert([a.min(b), a.max(b)]);
            }
        }
        self.edges.extend(edges.iter().map(|e| e.map(|v| first + v)));
        for e in bare.iter().filter(|e| !edges.contains(&[e[0].min(e[1]), e[0].max(e[1])])) {
            self.bare_edges.push(self.edges.len() as u32);
            self.edges.push(e.map(|v| first + v));
        }
        if is_cloth {
            self.cloth_vertices = self.body_of_vertex.len();
            self.cloth_triangles = self.triangles.len();
            self.cloth_edges = self.edges.len();
        }
        self.bodies.push(Body {
            name: name.to_owned(),
            radius,
            is_cloth,
            first_vertex: first,
            vertex_count: vertex_count as u32,
        });
        body as usize
    }

    /// Whether two of these vertices are to become one.
    pub fn are_joined(&self, vertices: &[u32]) -> bool {
        let of = |v: u32| self.joined.get(v as usize).copied();
        (1..vertices.len()).any(|i| {
            let own = of(vertices[i]);
            own.is_some() && vertices[..i].iter().any(|&v| of(v) == own)
        })
    }

    /// Number of vertices of all bodies.
    pub fn vertex_count(&self) -> usize {
        self.body_of_vertex.len()
    }

    /// Radius about a vertex and the features it belongs to (m).
    pub fn radius(&self, vertex: u32) -> f64 {
        self.bodies[self.body_of_vertex[vertex as usize] as usize].radius
    }
}
