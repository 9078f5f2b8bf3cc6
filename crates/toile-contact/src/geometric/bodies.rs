//! Sheets and obstacles as the correction sees them.

use crate::barrier::Sheet;
use crate::obstacle::{Form, Obstacle};
use crate::shapes::Shapes;
use glam::{DVec2, DVec3};
use std::collections::BTreeMap;
use std::ops::Range;

/// A half-space; its point lies behind the vertices of the shapes.
pub(super) struct Plane {
    pub(super) vertex: u32,
    pub(super) normal: DVec3,
}

pub(super) struct Bodies {
    pub(super) shapes: Shapes,
    pub(super) material: Vec<[DVec2; 3]>,
    pub(super) planes: Vec<Plane>,
    /// Sheet or obstacle of each vertex, points of planes included; obstacles count on from the sheets.
    pub(super) owner: Vec<u32>,
    pub(super) count: usize,
    /// Closed meshes know their outside.
    pub(super) is_closed: Vec<bool>,
    obstacles: Vec<(Obstacle, Range<usize>)>,
}

impl Bodies {
    pub(super) fn new(sheets: &[Sheet], obstacles: Vec<Obstacle>) -> Self {
        let (mut shapes, mut material, mut planes) = (Shapes::default(), Vec::new(), Vec::new());
        for sheet in sheets {
            shapes.add(&sheet.name, true, 0.5 * sheet.thickness, sheet.vertex_count, &sheet.triangles, &[]);
            material.extend_from_slice(&sheet.material);
        }
        let mut owner = shapes.body_of_vertex.clone();
        let count = sheets.len() + obstacles.len();
        let mut is_closed = vec![false; count];
        let mut placed: Vec<(Obstacle, Range<usize>)> = Vec::new();
        // Planes behind all others: they are no part of the shapes.
        let is_plane = |o: &Obstacle| matches!(o.form, Form::HalfSpace { .. });
        let (flat, full): (Vec<_>, Vec<_>) = (sheets.len()..).zip(obstacles).partition(|o| is_plane(&o.1));
        for (body, obstacle) in full.into_iter().chain(flat) {
            let (first, size) = (owner.len(), obstacle.vertices().len());
            match &obstacle.form {
                Form::Round { edges, radius, .. } => {
                    shapes.add(&obstacle.name, false, *radius, size, &[], edges);
                }
                Form::Mesh { triangles, skin, .. } => {
                    shapes.add(&obstacle.name, false, *skin, size, triangles, &[]);
                    is_closed[body] = is_closed_mesh(triangles);
                }
                Form::HalfSpace { normal, .. } => planes.push(Plane { vertex: first as u32, normal: *normal }),
            }
            owner.extend(std::iter::repeat_n(body as u32, size));
            placed.push((obstacle, first..first + size));
        }
        Self { shapes, material, planes, owner, count, is_closed, obstacles: placed }
    }

    /// Normals at the vertices of closed meshes, of any length; zero elsewhere.
    pub(super) fn add_normals(&self, x: &[DVec3], normals: &mut [DVec3]) {
        normals.fill(DVec3::ZERO);
        let is_closed = |t: &&[u32; 3]| self.is_closed[self.owner[t[0] as usize] as usize];
        for t in self.shapes.triangles[self.shapes.cloth_triangles..].iter().filter(is_closed) {
            let [a, b, c] = t.map(|v| x[v as usize]);
            let normal = (b - a).cross(c - a);
            t.iter().for_each(|&v| normals[v as usize] += normal);
        }
    }

    /// Is this the middle of a ball, or an end of a capsule?
    pub(super) fn is_round(&self, vertex: u32) -> bool {
        let vertex = vertex as usize;
        vertex >= self.shapes.cloth_vertices
            && self.obstacles.iter().any(|(o, r)| r.contains(&vertex) && matches!(o.form, Form::Round { .. }))
    }

    /// Puts the vertices of obstacles where they are at a time.
    pub(super) fn place(&self, time: f64, x: &mut [DVec3]) {
        self.obstacles.iter().for_each(|(obstacle, range)| obstacle.place(time, &mut x[range.clone()]));
    }
}

/// Has every side one neighbour that runs the other way?
fn is_closed_mesh(triangles: &[[u32; 3]]) -> bool {
    let mut sides: BTreeMap<[u32; 2], [u32; 2]> = BTreeMap::new();
    for t in triangles {
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            sides.entry([a.min(b), a.max(b)]).or_default()[usize::from(a > b)] += 1;
        }
    }
    sides.values().all(|s| *s == [1, 1])
}
