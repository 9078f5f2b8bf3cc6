//! The flat state of cloth, and the search for convex pieces of it.

use super::{Found, NONE, Piece, flat};
use crate::detect::leaves::neighbours;
use crate::shapes::Shapes;
use crate::tree::{Leaf, Tree};
use glam::DVec2;

/// How well triangles must fill a hull, relative to its area.
const FILLED: f64 = 1e-9;

/// The flat state by leaves of the tree.
pub(super) struct Panels {
    /// Corners; all zero for leaves that are no triangles.
    flat: Vec<[DVec2; 3]>,
    corners: Vec<[u32; 3]>,
    /// Leaf behind each side, see [`neighbours`].
    neighbours: Vec<[u32; 3]>,
    body: Vec<u32>,
}

/// Lists that the search for pieces reuses.
#[derive(Default)]
pub(super) struct Search {
    seen: Vec<u32>,
    round: u32,
    points: Vec<DVec2>,
    queue: Vec<u32>,
    spare: [Vec<DVec2>; 2],
}

impl Search {
    fn start(&mut self, own: &[u32], count: usize) {
        self.seen.resize(count, 0);
        self.round += 1;
        own.iter().for_each(|&t| self.seen[t as usize] = self.round);
        self.queue.clear();
        self.queue.extend(own);
    }
}

impl Panels {
    pub(super) fn new(shapes: &Shapes, tree: &Tree, material: &[[DVec2; 3]]) -> Self {
        let mut leaf_of = vec![NONE; material.len()];
        for (k, leaf) in tree.leaves.iter().enumerate().filter(|(_, l)| l.triangle != NONE) {
            leaf_of[leaf.triangle as usize] = k as u32;
        }
        let across = neighbours(shapes, material);
        let by_leaf = |l: &Leaf| match across.get(l.triangle as usize) {
            Some(sides) => sides.map(|n| leaf_of.get(n as usize).copied().unwrap_or(NONE)),
            None => [NONE; 3],
        };
        Self {
            flat: tree.leaves.iter().map(|l| material.get(l.triangle as usize).copied().unwrap_or_default()).collect(),
            corners: tree.leaves.iter().map(|l| l.corners).collect(),
            neighbours: tree.leaves.iter().map(by_leaf).collect(),
            body: tree.leaves.iter().map(|l| l.body).collect(),
        }
    }

    /// Leaves about each vertex.
    pub(super) fn stars(&self, vertex_count: usize) -> Vec<Vec<u32>> {
        let mut stars = vec![Vec::new(); vertex_count];
        for (k, corners) in self.corners.iter().enumerate() {
            corners.iter().for_each(|&v| stars[v as usize].push(k as u32));
        }
        stars
    }

    /// Inverse of the flat edge matrix of each leaf.
    pub(super) fn inverses(&self) -> Vec<[f64; 4]> {
        let inverse = |t: &[DVec2; 3]| {
            let (p, q) = (t[1] - t[0], t[2] - t[0]);
            let det = p.perp_dot(q);
            [q.y / det, -p.y / det, -q.x / det, p.x / det]
        };
        self.flat.iter().map(inverse).collect()
    }

    /// The hull of some triangles as a piece and the other triangles it cuts through; nothing if it is of no use.
    pub(super) fn piece(&self, own: &[u32], search: &mut Search) -> Option<Found> {
        let &start = own.first()?;
        search.points.clear();
        search.points.extend(own.iter().flat_map(|&t| self.flat[t as usize]));
        let hull = flat::hull(&mut search.points);
        let whole = flat::area(&hull);
        if hull.len() < 3 || whole <= 0.0 {
            return None;
        }
        search.start(own, self.flat.len());
        let turn = flat::area(&self.flat[start as usize]).signum();
        let (mut filled, mut gap) = (0.0, f64::INFINITY);
        let mut at = 0;
        while at < search.queue.len() {
            let t = search.queue[at] as usize;
            let area = turn * flat::area(&self.flat[t]);
            if area <= 0.0 || !self.spread(t, &hull, whole, search) {
                return None;
            }
            let is_inside = at < own.len();
            filled += if is_inside { area } else { flat::common_area(self.flat[t], &hull, &mut search.spare) };
            gap = gap.min(flat::least_altitude(self.flat[t]));
            at += 1;
        }
        if (filled - whole).abs() > FILLED * whole {
            return None;
        }
        let others = search.queue[own.len()..].to_vec();
        Some((Piece { gap: (gap * (1.0 - 1e-6)) as f32, body: self.body[start as usize], ..Piece::default() }, others))
    }

    /// Adds the neighbours of triangle `t` inside the hull to the search. False if an outline runs through the hull there.
    fn spread(&self, t: usize, hull: &[DVec2], whole: f64, search: &mut Search) -> bool {
        let corners = self.flat[t];
        let margin = FILLED * whole.sqrt();
        for k in 0..3 {
            let n = self.neighbours[t][k];
            if n == NONE {
                if flat::length_inside([corners[k], corners[(k + 1) % 3]], hull, margin) > margin {
                    return false;
                }
            } else if search.seen[n as usize] != search.round {
                search.seen[n as usize] = search.round;
                // Slivers that only rounding makes do not count.
                if flat::common_area(self.flat[n as usize], hull, &mut search.spare) > 0.01 * FILLED * whole {
                    search.queue.push(n);
                }
            }
        }
        true
    }
}
