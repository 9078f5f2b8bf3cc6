//! Clearance: pairs that are too near wish to part, and moves that would make anything cross are cut short.

use super::Fabric;
use super::solve::Wish;
use crate::ccd::{Query, time_of_impact};
use crate::detect::{Detector, Kind};
use glam::DVec3;

/// Strength of the wishes.
const STRENGTH: f64 = 5.0;
/// Share of its distance that a pair keeps in one move.
const KEEP: f64 = 0.2;
/// Rounds of cutting before the move is given up.
const ROUNDS: usize = 24;

/// A pair nearer than wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    pub(super) kind: Kind,
    pub(super) nodes: [u32; 4],
    pub(super) weights: [f64; 4],
    pub(super) direction: DVec3,
    /// Distance less the radii (m).
    pub(super) gap: f64,
}

impl Near {
    pub(super) fn wish(&self, goal: f64) -> Wish {
        Wish::of_pair(self.nodes, self.weights, self.direction, goal, STRENGTH)
    }
}

/// Vertices of the two features of a pair.
pub(super) fn split(kind: Kind, nodes: &[u32; 4]) -> (&[u32], &[u32]) {
    match kind {
        Kind::EdgeEdge => nodes.split_at(2),
        Kind::VertexFace => nodes.split_at(1),
        Kind::VertexEdge => (&nodes[..1], &nodes[1..3]),
        Kind::VertexVertex => (&nodes[..1], &nodes[1..2]),
    }
}

/// All pairs nearer than `reach` beyond their radii.
pub(super) fn pairs(fabric: &Fabric, detector: &mut Detector, x: &[DVec3], reach: f64) -> Vec<Near> {
    let mut near = Vec::new();
    for (kind, nodes) in detector.detect(fabric.shapes, x, None, reach).pairs().filter(|p| is_felt(fabric, p)) {
        let at = nodes.map(|v| x.get(v as usize).copied().unwrap_or_default());
        let closest = kind.closest(&at);
        let (first, second) = split(kind, &nodes);
        let gap = closest.distance - fabric.shapes.radius(first[0]) - fabric.shapes.radius(second[0]);
        if !(gap < reach) || (kind == Kind::EdgeEdge && !closest.is_interior) {
            continue;
        }
        let direction = if closest.distance > TOUCH {
            closest.separation / closest.distance
        } else {
            fabric.parting(x, first, second)
        };
        near.push(Near { kind, nodes, weights: closest.weights, direction, gap });
    }
    near
}

/// A vertex of each side of every pair whose gap is used up.
pub(super) fn overlaps(fabric: &Fabric, detector: &mut Detector, x: &[DVec3]) -> Vec<[u32; 2]> {
    let mut found = Vec::new();
    for (kind, nodes) in detector.detect(fabric.shapes, x, None, 0.0).pairs().filter(|p| is_felt(fabric, p)) {
        let at = nodes.map(|v| x.get(v as usize).copied().unwrap_or_default());
        let (first, second) = split(kind, &nodes);
        let radius = fabric.shapes.radius(first[0]) + fabric.shapes.radius(second[0]);
        if !(kind.closest(&at).distance > radius) {
            found.push([first[0], second[0]]);
        }
    }
    found
}

fn is_felt(fabric: &Fabric, (kind, nodes): &(Kind, [u32; 4])) -> bool {
    let (first, second) = split(*kind, nodes);
    fabric.is_felt([first[0], second[0]].map(|v| fabric.shapes.body_of_vertex[v as usize]))
}

/// Distance (m) below which the direction between closest points is rounding.
const TOUCH: f64 = 1e-9;

/// Cuts a move of a state without crossings so that none arises; vertex by vertex.
pub(super) fn limit(fabric: &Fabric, detector: &mut Detector, x: &[DVec3], d: &mut [DVec3]) {
    let whole = d.to_vec();
    let mut shares = vec![1.0f64; d.len()];
    for _ in 0..ROUNDS {
        let mut left = vec![1.0f64; d.len()];
        for (kind, nodes) in detector.detect(fabric.shapes, x, Some(d), 0.0).pairs().filter(|p| is_felt(fabric, p)) {
            let at = |from: &[DVec3]| nodes.map(|v| from.get(v as usize).copied().unwrap_or_default());
            let (first, second) = split(kind, &nodes);
            let query = Query { kind, x: at(x), d: at(d), offset: fabric.core(first[0]) + fabric.core(second[0]) };
            if let Some(time) = time_of_impact(&query, KEEP, 1.0) {
                first.iter().chain(second).for_each(|&v| left[v as usize] = left[v as usize].min(time));
            }
        }
        if left.iter().all(|&l| l == 1.0) {
            return;
        }
        for v in 0..d.len() {
            shares[v] *= left[v];
            d[v] = shares[v] * whole[v];
        }
    }
    d.fill(DVec3::ZERO);
}
