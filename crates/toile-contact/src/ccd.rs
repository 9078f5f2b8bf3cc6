//! Continuous collision detection: how long two features can move before they come too near.
//!
//! Additive advancement as in Li21 sec. 5: from the present distance follows a step that is safe, the steps are added
//! until the distance is used up. The bound of a step is ours and sharper. Along the present unit direction n between
//! the closest points, vertex i of the first feature stays (xᵢ−xⱼ)·n + δ (dᵢ−dⱼ)·n ahead of vertex j of the second; the
//! features cannot be nearer than the least of these numbers, at *any* later time. So the step is the first δ at which
//! one of them falls to the limit. It is never shorter than that of Li21 (whose speeds count in all directions), sees
//! only relative motion, and is endless for features that slide past or move apart. Where a feature turns, a fixed
//! direction is used up soon: then a leap is tried, proven by a direction that turns with it (`Path::is_clear`), and
//! taken back if the proof fails.
//!
//! **Rounding.** With M the largest |xᵢ| plus the largest motion, evaluating one of the numbers above is off by less
//! than 70 uM (u = 2⁻⁵³), extrapolating it by as much, a direction of length 1 ± 4u by 28 uM, and `x + t·d` formed by
//! the caller by 7 uM: below 256 uM = 2⁻⁴⁵ M in all. That much is added to every limit, so the promises below hold for
//! the rounded positions, too (6e-14 m at arm's length; 6e-11 m for motions of 1 km, 1 km from the origin).

#[doc(hidden)]
pub mod families;
#[doc(hidden)]
pub mod oracle;

use crate::distance::{self, Closest};
use glam::DVec3;

/// Steps after which a query ends with the safe time reached: half of the hits take up to 4, 99 % up to 25 (random
/// motion, keep 0.2).
const STEP_LIMIT: usize = 128;
/// Largest error over M: see the module documentation.
const ROUNDING: f64 = 1.0 / (1u64 << 45) as f64;
/// What a pair that starts inside the offset and parts keeps of its distance: rotation may bring it nearer again.
const KEEP_INSIDE: f64 = 0.99;

/// Which vertices belong to which feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Vertex 0 and triangle 1 2 3.
    VertexFace,
    /// Edge 0 1 and edge 2 3.
    EdgeEdge,
    /// Vertex 0 and edge 1 2; vertex 3 is not looked at.
    VertexEdge,
    /// Vertices 0 and 1; the others are not looked at.
    VertexVertex,
}

impl Kind {
    /// Pairs of a vertex of the first feature and one of the second.
    fn pairs(self) -> &'static [(usize, usize)] {
        match self {
            Self::VertexFace => &[(0, 1), (0, 2), (0, 3)],
            Self::EdgeEdge => &[(0, 2), (0, 3), (1, 2), (1, 3)],
            Self::VertexEdge => &[(0, 1), (0, 2)],
            Self::VertexVertex => &[(0, 1)],
        }
    }

    fn vertex_count(self) -> usize {
        match self {
            Self::VertexFace | Self::EdgeEdge => 4,
            Self::VertexEdge => 3,
            Self::VertexVertex => 2,
        }
    }

    /// Closest points at given places.
    pub fn closest(self, [a, b, c, d]: &[DVec3; 4]) -> Closest {
        match self {
            Self::VertexFace => distance::vertex_face(*a, [*b, *c, *d]),
            Self::EdgeEdge => distance::edge_edge([*a, *b], [*c, *d]),
            Self::VertexEdge => distance::vertex_edge(*a, [*b, *c]),
            Self::VertexVertex => distance::vertex_vertex(*a, *b),
        }
    }
}

/// Two features and their motion: vertex i goes from `x[i]` to `x[i] + d[i]` while time goes from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Query {
    /// Which vertices belong to which feature.
    pub kind: Kind,
    /// Places at time 0 (m).
    pub x: [DVec3; 4],
    /// Motions in unit time (m).
    pub d: [DVec3; 4],
    /// Minimum separation ξ ≥ 0 (m): the sum of the radii.
    pub offset: f64,
}

/// The time up to which a motion is safe; `None` if all of it, up to `max_time`, is.
///
/// With d₀ the distance at time 0 and `keep` from 0 to 1 (outside is clamped):
/// - **d₀ > ξ.** Over [0, t] the distance stays above ξ + keep·(d₀−ξ). The time lies at most a hundredth of that reserve
///   (one part in 1e9 of d₀−ξ where that is more) before the first time it would not, or at the limit of 128 steps.
/// - **d₀ ≤ ξ**, or above it by rounding only. If the closest points approach, the answer is `Some(0)`. If they part,
///   slide, or rest, the motion is safe as long as the distance stays above 0.99 d₀: a pair can always leave.
/// - **d₀ = 0**, or nearly so (below 128 roundings, 7e-12 m at arm's length). There is no telling which way is apart:
///   `Some(0)` unless the features do not move relative to each other.
/// - Numbers that are not finite: `Some(0)`.
pub fn time_of_impact(query: &Query, keep: f64, max_time: f64) -> Option<f64> {
    let path = match Path::of(query, max_time) {
        Some(path) => path,
        None => return Some(0.0),
    };
    let Some(limit) = path.limit(query.offset, keep.clamp(0.0, 1.0)) else {
        return path.is_moving().then_some(0.0);
    };
    if limit.is_refused {
        return Some(0.0);
    }
    path.advance(&limit)
}

/// The motion relative to vertex 0: only differences matter, and they keep their digits.
struct Path {
    kind: Kind,
    x: [DVec3; 4],
    d: [DVec3; 4],
    max_time: f64,
    /// Rounding of all that follows (m).
    slack: f64,
}

/// How near a pair may come.
struct Limit {
    start: Closest,
    distance: f64,
    /// How far above the limit a search ends (m).
    tolerance: f64,
    /// Starts inside the offset and approaches.
    is_refused: bool,
}

impl Path {
    /// None if a number is not finite.
    fn of(query: &Query, max_time: f64) -> Option<Self> {
        let count = query.kind.vertex_count();
        let largest = |v: &[DVec3; 4]| v[..count].iter().fold(DVec3::ZERO, |m, p| m.max(p.abs())).max_element();
        let sum: f64 = (0..count).map(|i| (query.x[i] + query.d[i]).element_sum()).sum();
        if !(sum + max_time + query.offset).is_finite() {
            return None;
        }
        let slack = ROUNDING * (largest(&query.x) + max_time.abs().max(1.0) * largest(&query.d));
        let (x, d) = (query.x.map(|p| p - query.x[0]), query.d.map(|p| p - query.d[0]));
        Some(Self { kind: query.kind, x, d, max_time, slack })
    }

    fn at(&self, time: f64) -> [DVec3; 4] {
        std::array::from_fn(|i| self.x[i] + time * self.d[i])
    }

    fn is_moving(&self) -> bool {
        self.d[1..self.kind.vertex_count()].iter().any(|d| *d != DVec3::ZERO)
    }

    /// None if the features touch.
    fn limit(&self, offset: f64, keep: f64) -> Option<Limit> {
        let start = self.kind.closest(&self.x);
        let (distance, room) = (start.distance, start.distance - offset);
        if !(distance > 128.0 * self.slack) {
            return None;
        }
        let reserve = keep * room;
        if room - reserve > 2.0 * self.slack {
            let tolerance = (0.01 * reserve).max(1e-9 * room);
            return Some(Limit { start, distance: offset + reserve, tolerance, is_refused: false });
        }
        let motion: DVec3 = (0..4).map(|i| start.weights[i] * self.d[i]).sum();
        let approach = -motion.dot(start.separation) / distance;
        let limit = KEEP_INSIDE * distance;
        let is_refused = approach * self.max_time > self.slack;
        Some(Limit { start, distance: limit, tolerance: 0.1 * (distance - limit), is_refused })
    }

    /// Adds safe steps until the limit or the end of time.
    fn advance(&self, limit: &Limit) -> Option<f64> {
        let floor = limit.distance + self.slack;
        let (mut time, mut closest, mut boldness) = (0.0, limit.start, 0.9);
        for _ in 0..STEP_LIMIT {
            let (lower, step) = self.safe_step(time, &closest, floor);
            // A plane proves nothing unless the features lie on its two sides.
            if !(lower > self.slack) {
                return Some(time);
            }
            if time + step >= self.max_time {
                return None;
            }
            if !(lower > floor + limit.tolerance) {
                return Some(time);
            }
            let leap = boldness * self.expected(&closest, lower - floor);
            if leap > 1.5 * step {
                let later = (time + leap).min(self.max_time);
                let next = self.kind.closest(&self.at(later));
                if self.is_clear([time, later], [&closest, &next], floor) {
                    if later >= self.max_time {
                        return None;
                    }
                    (time, closest, boldness) = (later, next, 0.9);
                    continue;
                }
                boldness *= 0.5;
            }
            boldness = (boldness * 1.3).min(0.9);
            time += step;
            closest = self.kind.closest(&self.at(time));
        }
        Some(time)
    }

    /// When the gap would be used up if the closest points went on as they do: a guess.
    fn expected(&self, closest: &Closest, gap: f64) -> f64 {
        let motion: DVec3 = (0..4).map(|i| closest.weights[i] * self.d[i]).sum();
        let closing = -motion.dot(closest.separation);
        if closing > 0.0 { gap * closest.distance / closing } else { f64::INFINITY }
    }

    /// Do the features stay apart by more than `limit` between two times? The direction n turns linearly from one
    /// closest pair to the other, so its length is at most 1, and what a vertex pair is apart along it is a quadratic
    /// in time: it is above the limit if its three Bernstein coefficients are.
    fn is_clear(&self, times: [f64; 2], closest: [&Closest; 2], limit: f64) -> bool {
        let normals = closest.map(|c| c.separation / c.distance);
        self.kind.pairs().iter().all(|&(i, j)| {
            let (x, d) = (self.x[i] - self.x[j], self.d[i] - self.d[j]);
            let [from, to] = times.map(|t| x + t * d);
            let middle = 0.5 * (from.dot(normals[1]) + to.dot(normals[0]));
            from.dot(normals[0]) > limit && middle > limit && to.dot(normals[1]) > limit
        })
    }

    /// The distance at least present at `time`, and how much later it can first have fallen to `limit`.
    fn safe_step(&self, time: f64, closest: &Closest, limit: f64) -> (f64, f64) {
        let normal = closest.separation / closest.distance;
        let ahead = self.x.map(|p| p.dot(normal));
        let speed = self.d.map(|p| p.dot(normal));
        let (mut lower, mut step) = (f64::INFINITY, f64::INFINITY);
        for &(i, j) in self.kind.pairs() {
            let closing = speed[j] - speed[i];
            let gap = (ahead[i] - ahead[j]) - time * closing;
            lower = lower.min(gap);
            if closing > 0.0 {
                step = step.min((gap - limit) / closing);
            }
        }
        (lower, step)
    }
}

#[cfg(test)]
mod tests;
