//! What stands or moves in the way of cloth.

use glam::DVec3;
use std::collections::BTreeMap;
use toile_core::system::Motion;

/// A body that moves as it is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Obstacle {
    /// Name in messages.
    pub name: String,
    /// Its surface.
    pub form: Form,
    /// Its motion.
    pub movement: Movement,
}

/// The surface of an obstacle.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// Everything within a radius (m) of some vertices and edges: a ball is one vertex, a capsule one edge.
    Round {
        /// Vertices at rest (m).
        vertices: Vec<DVec3>,
        /// Edges between them.
        edges: Vec<[u32; 2]>,
        /// Radius (m).
        radius: f64,
    },
    /// A mesh.
    Mesh {
        /// Vertices at rest (m).
        vertices: Vec<DVec3>,
        /// Triangles.
        triangles: Vec<[u32; 3]>,
        /// Skin about it (m), mostly none.
        skin: f64,
    },
    /// Everything below a plane through a point. Turning it is not supported: its normal stays.
    HalfSpace {
        /// A point of the plane at rest (m).
        point: DVec3,
        /// Unit vector out of it.
        normal: DVec3,
    },
}

/// How an obstacle moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Movement {
    /// Not at all.
    #[default]
    Still,
    /// As a rigid body.
    Rigid(Motion),
    /// Vertex by vertex through frames at ascending times, linear between them and still outside them.
    Frames {
        /// Times (s).
        times: Vec<f64>,
        /// Positions of all vertices at each of them (m).
        frames: Vec<Vec<DVec3>>,
    },
}

impl Obstacle {
    /// Vertices at rest.
    pub fn vertices(&self) -> &[DVec3] {
        match &self.form {
            Form::Round { vertices, .. } | Form::Mesh { vertices, .. } => vertices,
            Form::HalfSpace { point, .. } => std::slice::from_ref(point),
        }
    }

    /// Vertices at a time, into `out`.
    pub fn place(&self, time: f64, out: &mut [DVec3]) {
        match &self.movement {
            Movement::Still => out.copy_from_slice(self.vertices()),
            Movement::Rigid(motion) => {
                out.iter_mut().zip(self.vertices()).for_each(|(to, rest)| *to = motion.place(time, *rest));
            }
            Movement::Frames { times, frames } => {
                let next = times.partition_point(|t| *t <= time);
                match (next.checked_sub(1), frames.get(next)) {
                    (Some(k), Some(after)) => {
                        let share = (time - times[k]) / (times[next] - times[k]);
                        for ((to, a), b) in out.iter_mut().zip(&frames[k]).zip(after) {
                            *to = *a + share * (*b - *a);
                        }
                    }
                    (None, Some(only)) => out.copy_from_slice(only),
                    (Some(k), None) => out.copy_from_slice(&frames[k]),
                    (None, None) => out.copy_from_slice(self.vertices()),
                }
            }
        }
    }
}

/// An ellipsoid about the origin as an octahedron divided `levels` times, facing out; `half` are its half axes (m).
pub fn ellipsoid(half: DVec3, levels: usize) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let mut vertices = vec![DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z];
    let mut triangles = vec![[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5u32]];
    for _ in 0..levels {
        let mut middles = BTreeMap::new();
        let mut finer = Vec::with_capacity(4 * triangles.len());
        for [a, b, c] in triangles {
            let mut middle = |a: u32, b: u32| {
                *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                    vertices.push((vertices[a as usize] + vertices[b as usize]).normalize());
                    vertices.len() as u32 - 1
                })
            };
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            finer.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
        triangles = finer;
    }
    (vertices.into_iter().map(|v| half * v).collect(), triangles)
}
