//! Sheets and obstacles as the responses see them: shapes, planes, who owns which vertex.

use crate::obstacle::{Form, Obstacle};
use crate::shapes::Shapes;
use glam::{DVec2, DVec3};
use std::collections::BTreeMap;
use std::ops::Range;
use toile_core::system::System;

/// One sheet of cloth as contact sees it.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// Name in messages.
    pub name: String,
    /// Vertices of the system that belong to it.
    pub vertex_count: usize,
    /// Triangles, counting from its first vertex.
    pub triangles: Vec<[u32; 3]>,
    /// Flat coordinates of the corners of each triangle (m).
    pub material: Vec<[DVec2; 3]>,
    /// Thickness (m).
    pub thickness: f64,
}

/// A half-space; its point lies behind the vertices of the shapes.
pub(crate) struct Plane {
    pub(crate) vertex: u32,
    pub(crate) normal: DVec3,
}

/// Everything that touches.
pub(crate) struct Bodies {
    pub(crate) shapes: Shapes,
    pub(crate) material: Vec<[DVec2; 3]>,
    pub(crate) planes: Vec<Plane>,
    /// Sheet or obstacle of each vertex, points of planes included; obstacles count on from the sheets.
    pub(crate) owner: Vec<u32>,
    /// Sheets and obstacles.
    pub(crate) count: usize,
    /// Closed meshes know their outside.
    pub(crate) is_closed: Vec<bool>,
    pub(crate) obstacles: Vec<Obstacle>,
    /// Vertices of each obstacle.
    pub(crate) ranges: Vec<Range<usize>>,
}

impl Bodies {
    pub(crate) fn new(sheets: &[Sheet], obstacles: Vec<Obstacle>) -> Self {
        let (mut shapes, mut material, mut planes) = (Shapes::default(), Vec::new(), Vec::new());
        for sheet in sheets {
            shapes.add(&sheet.name, true, 0.5 * sheet.thickness, sheet.vertex_count, &sheet.triangles, &[]);
            material.extend_from_slice(&sheet.material);
        }
        let mut owner = shapes.body_of_vertex.clone();
        let count = sheets.len() + obstacles.len();
        let (mut is_closed, mut ranges) = (vec![false; count], vec![0..0; obstacles.len()]);
        // Planes behind all others: they are no part of the shapes.
        let is_plane = |k: &usize| matches!(obstacles[*k].form, Form::HalfSpace { .. });
        let (flat, full): (Vec<usize>, Vec<usize>) = (0..obstacles.len()).partition(is_plane);
        for k in full.into_iter().chain(flat) {
            let (obstacle, body) = (&obstacles[k], sheets.len() + k);
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
            ranges[k] = first..first + size;
        }
        Self { shapes, material, planes, owner, count, is_closed, obstacles, ranges }
    }

    /// Positions of everything at the start: cloth as the system has it, obstacles at time zero.
    pub(crate) fn initial(&self, system: &System) -> Vec<DVec3> {
        let mut x = system.initial_state().positions;
        x.truncate(self.shapes.cloth_vertices);
        x.resize(self.owner.len(), DVec3::ZERO);
        self.place(0.0, &mut x);
        x
    }

    /// A value for each pair of bodies.
    pub(crate) fn table<T>(&self, value: impl Fn(usize, usize) -> T) -> Vec<T> {
        (0..self.count * self.count).map(|k| value(k / self.count, k % self.count)).collect()
    }

    /// Name of the sheet or obstacle that a vertex belongs to.
    pub(crate) fn name(&self, vertex: u32) -> &str {
        let body = self.owner[vertex as usize] as usize;
        match body.checked_sub(self.count - self.obstacles.len()) {
            Some(obstacle) => &self.obstacles[obstacle].name,
            None => &self.shapes.bodies[body].name,
        }
    }

    /// Normals at the vertices of closed meshes, of any length; zero elsewhere.
    pub(crate) fn add_normals(&self, x: &[DVec3], normals: &mut [DVec3]) {
        normals.fill(DVec3::ZERO);
        let is_closed = |t: &&[u32; 3]| self.is_closed[self.owner[t[0] as usize] as usize];
        for t in self.shapes.triangles[self.shapes.cloth_triangles..].iter().filter(is_closed) {
            let [a, b, c] = t.map(|v| x[v as usize]);
            let normal = (b - a).cross(c - a);
            t.iter().for_each(|&v| normals[v as usize] += normal);
        }
    }

    /// Is this the middle of a ball, or an end of a capsule?
    pub(crate) fn is_round(&self, vertex: u32) -> bool {
        let vertex = vertex as usize;
        vertex >= self.shapes.cloth_vertices
            && self
                .obstacles
                .iter()
                .zip(&self.ranges)
                .any(|(o, r)| r.contains(&vertex) && matches!(o.form, Form::Round { .. }))
    }

    /// Puts the vertices of obstacles where they are at a time.
    pub(crate) fn place(&self, time: f64, x: &mut [DVec3]) {
        for (obstacle, range) in self.obstacles.iter().zip(&self.ranges) {
            obstacle.place(time, &mut x[range.clone()]);
        }
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
