//! Candidate pairs, kept for as long as they are known to be all.
//!
//! A list made for the motion x → x + d with an extra slack on every vertex holds for any other motion whose vertices start and end
//! within the slack of it: between the ends the distance to the first motion is linear. So it serves several iterations, and
//! mostly the next step, too.

use crate::detect::{Detector, Kind};
use crate::shapes::Shapes;
use glam::DVec3;

/// A pair of features that may come within reach.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) kind: Kind,
    pub(super) nodes: [u32; 4],
    /// Sum of the radii (m).
    pub(super) radius: f64,
    /// κ (N/m).
    pub(super) stiffness: f64,
    /// One of two edges is the axis of a capsule.
    pub(super) is_round: bool,
}

/// The candidates and what they hold for.
pub(super) struct List {
    detector: Detector,
    /// Within this beyond the radii (m).
    reach: f64,
    slack: f64,
    pub(super) candidates: Vec<Candidate>,
    from: Vec<DVec3>,
    to: Vec<DVec3>,
    /// How often it was made anew.
    pub(super) detections: usize,
}

impl List {
    pub(super) fn new(detector: Detector, reach: f64, slack: f64) -> Self {
        Self { detector, reach, slack, candidates: Vec::new(), from: Vec::new(), to: Vec::new(), detections: 0 }
    }

    /// Whether every pair within reach at `x` is in the list.
    pub(super) fn covers_place(&self, x: &[DVec3]) -> bool {
        !self.from.is_empty() && (self.is_near(x, &self.to) || self.is_near(x, &self.from))
    }

    /// Whether every pair within reach at any moment of x → x + d is.
    pub(super) fn covers_motion(&self, x: &[DVec3], d: &[DVec3]) -> bool {
        if self.from.is_empty() {
            return false;
        }
        let ends_near = |goal: &[DVec3]| {
            let limit = self.slack * self.slack;
            x.iter().zip(d).zip(goal).all(|((x, d), g)| (*x + *d).distance_squared(*g) <= limit)
        };
        ends_near(&self.to) && (self.is_near(x, &self.from) || self.is_near(x, &self.to))
    }

    /// κ of a pair is the mean over its cloth vertices.
    pub(super) fn set_stiffness(&mut self, stiffness: &[f64], cloth_vertices: usize) {
        for candidate in &mut self.candidates {
            let cloth = candidate.nodes.iter().filter(|&&v| (v as usize) < cloth_vertices);
            let (sum, count) = cloth.fold((0.0, 0.0), |(s, n), &v| (s + stiffness[v as usize], n + 1.0));
            candidate.stiffness = sum / count;
        }
    }

    fn is_near(&self, x: &[DVec3], place: &[DVec3]) -> bool {
        let limit = self.slack * self.slack;
        x.iter().zip(place).all(|(x, p)| x.distance_squared(*p) <= limit)
    }

    /// Makes the list anew for a motion.
    pub(super) fn detect(&mut self, shapes: &Shapes, stiffness: &[f64], x: &[DVec3], d: Option<&[DVec3]>) {
        self.detections += 1;
        let found = self.detector.detect(shapes, x, d, self.reach + 2.0 * self.slack);
        self.candidates.clear();
        for (kind, mut nodes) in found.pairs() {
            if kind == Kind::VertexEdge {
                nodes[3] = nodes[2]; // of weight zero
            }
            let [a, b] = sides(kind, nodes);
            let radius = shapes.radius(a) + shapes.radius(b);
            self.candidates.push(Candidate { kind, nodes, radius, stiffness: 0.0, is_round: false });
        }
        self.set_stiffness(stiffness, shapes.cloth_vertices);
        self.from.clear();
        self.from.extend_from_slice(x);
        self.to.clear();
        match d {
            Some(d) => self.to.extend(x.iter().zip(d).map(|(x, d)| *x + *d)),
            None => self.to.extend_from_slice(x),
        }
    }
}

/// A vertex of each side of a pair.
pub(super) fn sides(kind: Kind, nodes: [u32; 4]) -> [u32; 2] {
    match kind {
        Kind::EdgeEdge => [nodes[0], nodes[2]],
        _ => [nodes[0], nodes[1]],
    }
}
