//! Obstacles with an inside: the way out of them.
//!
//! Balls and capsules know it exactly. A closed mesh takes the closest point of its surface, and the side from the normal there:
//! that of the triangle, or the mean over the triangles about an edge or a vertex weighted by their angles, which tells
//! inside from outside for every closed mesh without crossings (Baerentzen05).

use crate::distance::{vertex_edge, vertex_face, vertex_vertex};
use crate::shapes::Shapes;
use glam::DVec3;
use std::collections::BTreeMap;

/// A half-space in the way of cloth.
#[derive(Clone, Debug, PartialEq)]
pub struct Plane {
    /// Name in messages.
    pub name: String,
    /// A point of it (m).
    pub point: DVec3,
    /// Unit vector out of it.
    pub normal: DVec3,
}

/// An obstacle with an inside.
pub(super) enum Solid {
    /// Vertices and edges with a radius.
    Round { radius: f64, centres: Vec<DVec3>, axes: Vec<[DVec3; 2]> },
    /// A closed mesh.
    Mesh(Surface),
}

impl Solid {
    /// The obstacle of a body; none if it is a mesh that is not closed.
    pub(super) fn of(shapes: &Shapes, body: usize, x: &[DVec3]) -> Option<Self> {
        let b = &shapes.bodies[body];
        let range = b.first_vertex..b.first_vertex + b.vertex_count;
        let triangles: Vec<[u32; 3]> =
            shapes.triangles[shapes.cloth_triangles..].iter().filter(|t| range.contains(&t[0])).copied().collect();
        if !triangles.is_empty() {
            return Surface::new(&triangles, x).map(Self::Mesh);
        }
        let at = |v: u32| x[v as usize];
        let axes: Vec<[DVec3; 2]> = shapes
            .bare_edges
            .iter()
            .map(|&e| shapes.edges[e as usize])
            .filter(|e| range.contains(&e[0]))
            .map(|e| e.map(at))
            .collect();
        let centres = if axes.is_empty() { range.map(at).collect() } else { Vec::new() };
        Some(Self::Round { radius: b.radius, centres, axes })
    }

    /// The way from a point inside to the nearest point of the surface (m).
    pub(super) fn way_out(&self, p: DVec3) -> Option<DVec3> {
        match self {
            Self::Round { radius, centres, axes } => {
                let points = centres.iter().map(|c| vertex_vertex(p, *c));
                let nearest = points
                    .chain(axes.iter().map(|a| vertex_edge(p, *a)))
                    .min_by(|a, b| a.distance.total_cmp(&b.distance))?;
                let out = nearest.separation.try_normalize().unwrap_or(DVec3::Y);
                (nearest.distance < *radius).then(|| (radius - nearest.distance) * out)
            }
            Self::Mesh(surface) => surface.way_out(p),
        }
    }

    /// How far it is from `p` along the unit vector `u` until the surface is reached from inside (m): the distance to the surface
    /// can be gone in any direction.
    pub(super) fn way_along(&self, p: DVec3, u: DVec3) -> f64 {
        let mut s = 0.0;
        for _ in 0..MARCH {
            match self.way_out(p + s * u) {
                Some(out) => s += out.length().max(MARCH_STEP),
                None => break,
            }
        }
        s
    }
}

/// Steps of the march along a direction; its least step (m).
const MARCH: usize = 400;
const MARCH_STEP: f64 = 2e-4;
/// Triangles in a leaf of the tree.
const LEAF: usize = 4;

/// A closed mesh with a tree of boxes.
pub(super) struct Surface {
    triangles: Vec<[u32; 3]>,
    corners: Vec<[DVec3; 3]>,
    /// low, high, first triangle, count (0: inner), right child.
    nodes: Vec<Node>,
    /// Normals of the mesh: of triangles, of edges and of vertices.
    faces: Vec<DVec3>,
    edges: BTreeMap<[u32; 2], DVec3>,
    vertices: BTreeMap<u32, DVec3>,
}

struct Node {
    low: DVec3,
    high: DVec3,
    first: usize,
    count: usize,
    right: usize,
}

impl Surface {
    fn new(triangles: &[[u32; 3]], x: &[DVec3]) -> Option<Self> {
        let mut sides: BTreeMap<[u32; 2], i32> = BTreeMap::new();
        for t in triangles {
            for k in 0..3 {
                let (a, b) = (t[k], t[(k + 1) % 3]);
                *sides.entry([a.min(b), a.max(b)]).or_default() += if a < b { 1 } else { 0x1_0000 };
            }
        }
        if sides.values().any(|&s| s != 0x1_0001) {
            return None;
        }
        let mut order: Vec<usize> = (0..triangles.len()).collect();
        let corners: Vec<[DVec3; 3]> = triangles.iter().map(|t| t.map(|v| x[v as usize])).collect();
        let mut nodes = Vec::new();
        build(&corners, &mut order, 0, &mut nodes);
        let triangles: Vec<[u32; 3]> = order.iter().map(|&k| triangles[k]).collect();
        let corners: Vec<[DVec3; 3]> = order.iter().map(|&k| corners[k]).collect();
        let mut surface =
            Self { triangles, corners, nodes, faces: Vec::new(), edges: BTreeMap::new(), vertices: BTreeMap::new() };
        surface.add_normals();
        Some(surface)
    }

    fn add_normals(&mut self) {
        for (t, c) in self.triangles.iter().zip(&self.corners) {
            let normal = (c[1] - c[0]).cross(c[2] - c[0]).normalize_or_zero();
            self.faces.push(normal);
            for k in 0..3 {
                let (a, b) = (t[k], t[(k + 1) % 3]);
                *self.edges.entry([a.min(b), a.max(b)]).or_insert(DVec3::ZERO) += normal;
                let angle = (c[(k + 1) % 3] - c[k]).angle_between(c[(k + 2) % 3] - c[k]);
                *self.vertices.entry(a).or_insert(DVec3::ZERO) += angle * normal;
            }
        }
    }

    fn way_out(&self, p: DVec3) -> Option<DVec3> {
        let gap = |n: &Node| (n.low - p).max(p - n.high).max(DVec3::ZERO).length_squared();
        let root = self.nodes.first()?;
        if gap(root) > 0.0 {
            return None;
        }
        let (mut best, mut nearest) = (f64::INFINITY, None);
        let mut stack = vec![0];
        while let Some(k) = stack.pop() {
            let node = &self.nodes[k];
            if gap(node) >= best {
                continue;
            }
            if node.count == 0 {
                let (left, right) = (k + 1, node.right);
                let is_left_nearer = gap(&self.nodes[left]) < gap(&self.nodes[right]);
                stack.extend(if is_left_nearer { [right, left] } else { [left, right] });
            }
            for t in node.first..node.first + node.count {
                let closest = vertex_face(p, self.corners[t]);
                if closest.distance * closest.distance < best {
                    best = closest.distance * closest.distance;
                    nearest = Some((t, closest));
                }
            }
        }
        let (t, closest) = nearest?;
        let on: Vec<usize> = (0..3).filter(|&k| closest.weights[k + 1] != 0.0).collect();
        let corner = |k: usize| self.triangles[t][on[k]];
        let normal = match on.len() {
            1 => self.vertices.get(&corner(0)).copied(),
            2 => self.edges.get(&[corner(0).min(corner(1)), corner(0).max(corner(1))]).copied(),
            _ => Some(self.faces[t]),
        };
        (normal?.dot(closest.separation) < 0.0).then_some(-closest.separation)
    }
}

/// Adds the subtree of some triangles, in place; returns its number.
fn build(corners: &[[DVec3; 3]], order: &mut [usize], first: usize, nodes: &mut Vec<Node>) -> usize {
    let infinity = DVec3::splat(f64::INFINITY);
    let points = order.iter().flat_map(|&k| corners[k]);
    let (low, high) = points.fold((infinity, -infinity), |(l, h), p| (l.min(p), h.max(p)));
    let own = nodes.len();
    let is_leaf = order.len() <= LEAF;
    nodes.push(Node { low, high, first, count: if is_leaf { order.len() } else { 0 }, right: 0 });
    if !is_leaf {
        let size = high - low;
        let axis = (0..3).max_by(|&a, &b| size[a].total_cmp(&size[b])).unwrap_or(0);
        let middle = |k: &usize| corners[*k].iter().map(|c| c[axis]).sum::<f64>();
        order.sort_by(|a, b| middle(a).total_cmp(&middle(b)).then(a.cmp(b)));
        let half = order.len() / 2;
        let (left, right) = order.split_at_mut(half);
        build(corners, left, first, nodes);
        nodes[own].right = build(corners, right, first + half, nodes);
    }
    own
}
