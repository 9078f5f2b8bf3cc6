//! Sheets and obstacles as the responses see them: shapes, planes, who owns which vertex.

use crate::obstacle::{Form, Movement, Obstacle};
use crate::shapes::Shapes;
use glam::{DMat3, DVec2, DVec3};
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

    /// How the surfaces of balls and capsules turn about their axes from one time to another, by body: r (R − 1) (m), whose product with the
    /// unit vector out of the surface is what its point moves more than that of the axis. Empty where none turns. Frames tell nothing about
    /// turning.
    pub(crate) fn spins(&self, from: f64, to: f64) -> Vec<Option<DMat3>> {
        let mut spins = Vec::new();
        for (k, obstacle) in self.obstacles.iter().enumerate() {
            let (Form::Round { radius, .. }, Movement::Rigid(motion)) = (&obstacle.form, &obstacle.movement) else {
                continue;
            };
            let (before, after) = (motion.turn(from), motion.turn(to));
            if before != after {
                spins.resize(self.count, None);
                let turn = DMat3::from_quat(after * before.conjugate());
                spins[self.count - self.obstacles.len() + k] = Some(*radius * (turn - DMat3::IDENTITY));
            }
        }
        spins
    }

    /// What the turning of round bodies adds to the motion of the first feature past the second, tangentially (m). On either side the
    /// surface lies towards the other body, and the motion of the second counts against that of the first: one sign for both.
    pub(crate) fn passing(&self, spins: &[Option<DMat3>], nodes: &[u32; 4], normal: DVec3) -> DVec3 {
        let mut way = DVec3::ZERO;
        if !spins.is_empty() {
            for v in [nodes[0], nodes[3]] {
                way -= spins[self.owner[v as usize] as usize].map_or(DVec3::ZERO, |spin| spin * normal);
            }
        }
        way - normal * normal.dot(way)
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

#[cfg(test)]
mod tests {
    use super::*;
    use toile_core::system::{Key, Motion};

    /// Way of the axis and what turning adds to it are the way of the point of the surface; what does not turn adds nothing.
    #[test]
    fn surfaces_move_by_their_axis_and_their_turning() {
        let (radius, [from, to]) = (0.07, [0.3, 0.5]);
        let ends = [DVec3::new(0.3, 0.1, -0.2), DVec3::new(0.1, 0.4, 0.2)];
        let key = |time: f64, turn: f64| Key {
            time,
            translation: time * DVec3::new(0.2, -0.1, 0.3),
            rotation: turn * DVec3::new(0.5, -0.8, 0.3),
            pivot: DVec3::new(0.05, 0.02, 0.01),
        };
        let capsule = |turn: f64| Obstacle {
            name: "capsule".into(),
            form: Form::Round { vertices: ends.to_vec(), edges: vec![[0, 1]], radius },
            movement: Movement::Rigid(Motion::Keys(vec![key(0.0, 0.0), key(1.0, turn)])),
        };
        let bodies = Bodies::new(&[], vec![capsule(0.0), capsule(1.7)]);
        let spins = bodies.spins(from, to);
        assert_eq!(spins[0], None);
        assert!(bodies.spins(2.0, 3.0).is_empty() && Bodies::new(&[], vec![capsule(0.0)]).spins(from, to).is_empty());
        let Movement::Rigid(motion) = &bodies.obstacles[1].movement else { panic!() };
        let rest = ends[0].lerp(ends[1], 0.3);
        let normal = motion.turn(from) * (ends[1] - ends[0]).any_orthonormal_vector();
        // Where the point of the surface was before the motion.
        let surface = rest + motion.turn(from).inverse() * (radius * normal);
        let way = |p: DVec3| motion.place(to, p) - motion.place(from, p);
        let more = way(surface) - way(rest);
        let tangential = more - normal * normal.dot(more);
        assert!(tangential.length() > 1e-3);
        // The second capsule has the vertices 2 and 3; seen from the other side the normal is turned round, too.
        for (nodes, normal) in [([2, 0, 0, 0], -normal), ([0, 2, 3, 3], normal)] {
            let sign = if nodes[0] == 2 { 1.0 } else { -1.0 };
            assert!((bodies.passing(&spins, &nodes, normal) - sign * tangential).length() < 1e-15);
        }
    }
}
