//! The certificate: does anything pass through anything? Exact, and independent of what keeps things apart: no code is shared
//! with detection, distances or continuous collision detection.
//!
//! Two triangles that have a point in common have one on an edge of either: their intersection is convex, and its corners lie
//! on edges. So every edge is held against every triangle, both closed, with exact signs:
//! - **crossing**: the ends lie strictly on the two sides of the triangle and the edge runs through it, its rim
//!   included. An edge exactly through the edge between two triangles crosses both: pairs are counted, not points;
//! - **touching**: a point in common otherwise. An end exactly in the triangle, an edge flat on it, any contact with a
//!   triangle without area. Whether that leads through is for the other edges there to tell; a state is
//!   [clear](Certificate::is_clear) only without either.
//!
//! An edge and a triangle that share a vertex have that point in common by construction and can share more only in one
//! plane: if the edge starts into the closed angle of the triangle they touch (a crease folded flat, two sides on top
//! of each other). Two triangles that share a vertex cross through the edges opposite to it: those share nothing and
//! are tested like all. Edges of the triangle itself are left out.
//!
//! Cloth is held against cloth and obstacles, obstacles not against each other. Meshes count as surfaces without thickness.
//! Round obstacles (a vertex without edges, an edge without triangles) cross each cloth triangle that comes nearer than their
//! radius by more than [`MARGIN`], decided in floating point.

mod exact;
mod grid;
mod round;

use crate::shapes::Shapes;
pub(crate) use exact::Meeting;
use glam::DVec3;
use grid::Bounds;
use std::fmt;

/// How much nearer than its radius a round obstacle must be to count (m): far above rounding (1e-15 at this scale), far below
/// any gap that is kept.
pub const MARGIN: f64 = 1e-9;
/// Pairs listed.
const LISTED: usize = 20;

/// What runs through a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// An edge of a mesh, or of a capsule with its radius.
    Edge(u32),
    /// A vertex with its radius: a ball.
    Ball(u32),
}

/// A feature that meets a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Crossing {
    /// What runs through.
    pub feature: Feature,
    /// What it runs through.
    pub triangle: u32,
    /// Bodies of the two.
    pub bodies: [u32; 2],
}

/// What was found: numbers of pairs of a feature and a triangle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Certificate {
    /// All crossings.
    pub crossings: usize,
    /// Of a sheet with itself.
    pub self_crossings: usize,
    /// Of a sheet with an obstacle. What is neither is between two sheets.
    pub obstacle_crossings: usize,
    /// Pairs that touch exactly without crossing.
    pub touching: usize,
    /// Vertices without finite places: what belongs to them could not be looked at.
    pub lost_vertices: usize,
    /// The first crossings, in the order of features and triangles.
    pub pairs: Vec<Crossing>,
    /// The first pairs that touch.
    pub touching_pairs: Vec<Crossing>,
    names: Vec<String>,
}

impl Certificate {
    /// Nothing crosses, nothing touches, everything was looked at.
    pub fn is_clear(&self) -> bool {
        self.crossings == 0 && self.touching == 0 && self.lost_vertices == 0
    }
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.is_clear() {
            return f.write_str("nothing crosses");
        }
        write!(f, "{} crossings ({} of a sheet with itself", self.crossings, self.self_crossings)?;
        write!(f, ", {} with obstacles), {} touching", self.obstacle_crossings, self.touching)?;
        if self.lost_vertices > 0 {
            write!(f, ", {} vertices without finite places", self.lost_vertices)?;
        }
        let name = |body: u32| self.names.get(body as usize).map_or("?", String::as_str);
        for (verb, pairs) in [("crosses", &self.pairs), ("touches", &self.touching_pairs)] {
            for pair in pairs {
                let (what, number) = match pair.feature {
                    Feature::Edge(e) => ("edge", e),
                    Feature::Ball(v) => ("ball at vertex", v),
                };
                let [own, other] = pair.bodies.map(name);
                write!(f, "\n  \"{own}\" {what} {number} {verb} \"{other}\" triangle {}", pair.triangle)?;
            }
        }
        Ok(())
    }
}

/// Looks at all of cloth, against itself and the obstacles.
///
/// # Panics
/// If there is not one position per vertex.
pub fn certify(shapes: &Shapes, positions: &[DVec3]) -> Certificate {
    let mut certificate = Certificate {
        lost_vertices: positions.iter().filter(|p| !p.is_finite()).count(),
        names: shapes.bodies.iter().map(|b| b.name.clone()).collect(),
        ..Certificate::default()
    };
    for (meeting, pair) in meetings(shapes, positions) {
        certificate.add(shapes, meeting, pair);
    }
    certificate
}

/// Every pair that meets, in the order of features and triangles.
pub(crate) fn meetings(shapes: &Shapes, positions: &[DVec3]) -> Vec<(Meeting, Crossing)> {
    assert_eq!(positions.len(), shapes.vertex_count(), "one position per vertex");
    let scene = Scene::of(shapes, positions);
    let mut found = grid::pairs(&scene.feature_bounds, &scene.triangle_bounds, |f, t| scene.meeting(f, t));
    found.sort_unstable_by_key(|(_, pair)| *pair);
    found
}

impl Certificate {
    fn add(&mut self, shapes: &Shapes, meeting: Meeting, pair: Crossing) {
        if meeting == Meeting::Touches {
            self.touching += 1;
            if self.touching_pairs.len() < LISTED {
                self.touching_pairs.push(pair);
            }
            return;
        }
        self.crossings += 1;
        if !pair.bodies.iter().all(|b| shapes.bodies[*b as usize].is_cloth) {
            self.obstacle_crossings += 1;
        } else if pair.bodies[0] == pair.bodies[1] {
            self.self_crossings += 1;
        }
        if self.pairs.len() < LISTED {
            self.pairs.push(pair);
        }
    }
}

/// Features with the radius they are tested with: 0 for edges of meshes.
struct Scene<'a> {
    shapes: &'a Shapes,
    positions: &'a [DVec3],
    features: Vec<(Feature, f64)>,
    feature_bounds: Vec<Bounds>,
    triangle_bounds: Vec<Bounds>,
}

impl<'a> Scene<'a> {
    fn of(shapes: &'a Shapes, positions: &'a [DVec3]) -> Self {
        let at = |v: &u32| positions[*v as usize];
        let mut radii = vec![0.0; shapes.edges.len()];
        for &edge in shapes.bare_edges.iter().filter(|e| **e as usize >= shapes.cloth_edges) {
            radii[edge as usize] = shapes.radius(shapes.edges[edge as usize][0]);
        }
        let mut is_used = vec![false; positions.len()];
        shapes.edges.iter().flatten().for_each(|v| is_used[*v as usize] = true);
        let edges = (0..shapes.edges.len()).map(|e| (Feature::Edge(e as u32), radii[e]));
        let alone = (shapes.cloth_vertices..positions.len()).filter(|v| !is_used[*v]);
        let balls = alone.map(|v| (Feature::Ball(v as u32), shapes.radius(v as u32)));
        let features: Vec<(Feature, f64)> = edges.chain(balls).collect();
        let feature_bounds = features.iter().map(|(feature, radius)| match feature {
            Feature::Edge(e) => Bounds::of(&shapes.edges[*e as usize].each_ref().map(at), *radius),
            Feature::Ball(v) => Bounds::of(&[at(v)], *radius),
        });
        let feature_bounds = feature_bounds.collect();
        let triangle_bounds = shapes.triangles.iter().map(|t| Bounds::of(&t.each_ref().map(at), 0.0)).collect();
        Self { shapes, positions, features, feature_bounds, triangle_bounds }
    }

    /// None if a pair does not meet or does not count.
    fn meeting(&self, feature: u32, triangle: u32) -> Option<(Meeting, Crossing)> {
        let (feature, radius) = self.features[feature as usize];
        let corners = self.shapes.triangles[triangle as usize];
        let first = match feature {
            Feature::Edge(e) => self.shapes.edges[e as usize][0],
            Feature::Ball(v) => v,
        };
        if first as usize >= self.shapes.cloth_vertices && corners[0] as usize >= self.shapes.cloth_vertices {
            return None;
        }
        let at = |v: u32| self.positions[v as usize];
        let meeting = match feature {
            Feature::Ball(v) => nearer(round::point_to_triangle(at(v), corners.map(at)), radius),
            Feature::Edge(e) if radius > 0.0 => {
                let edge = self.shapes.edges[e as usize].map(at);
                let through = exact::edge_and_triangle(edge, corners.map(at));
                let near = nearer(round::edge_to_triangle(edge, corners.map(at)), radius);
                if through == Meeting::Crosses { through } else { near }
            }
            Feature::Edge(e) => self.edge_meeting(self.shapes.edges[e as usize], corners),
        };
        let body = |v: u32| self.shapes.body_of_vertex[v as usize];
        let pair = Crossing { feature, triangle, bodies: [body(first), body(corners[0])] };
        (meeting != Meeting::Apart).then_some((meeting, pair))
    }

    fn edge_meeting(&self, edge: [u32; 2], corners: [u32; 3]) -> Meeting {
        let at = |v: u32| self.positions[v as usize];
        let shared = |v: u32| corners.iter().position(|c| *c == v);
        // Sides of an open seam are neighbours already, though not at one place yet.
        if edge.iter().any(|v| corners.iter().any(|c| c != v && self.shapes.are_joined(&[*v, *c]))) {
            return Meeting::Apart;
        }
        match edge.map(shared) {
            [None, None] => exact::edge_and_triangle(edge.map(at), corners.map(at)),
            [Some(_), Some(_)] => Meeting::Apart,
            [own, other] => {
                let (k, end) = match own.or(other) {
                    Some(k) if own.is_some() => (k, edge[1]),
                    Some(k) => (k, edge[0]),
                    None => return Meeting::Apart,
                };
                exact::shared_vertex(at(end), [0, 1, 2].map(|i| at(corners[(k + i) % 3])))
            }
        }
    }
}

fn nearer(distance: f64, radius: f64) -> Meeting {
    if distance < radius - MARGIN { Meeting::Crosses } else { Meeting::Apart }
}

#[cfg(test)]
mod tests;
