//! The truth about a query, slowly: bisection of time with certificates in outward rounded intervals.
//!
//! It shares no code with [`time_of_impact`](super::time_of_impact) and its distances. Over a span of time the distance
//! is *above* a level if some direction separates all vertex pairs by more at both of its ends (each pair moves
//! linearly); the direction is a guess, the certificate is checked with every operation rounded outward. The distance
//! *reaches* the level when a pair of points is found within a rounding of it. What is neither is bisected, the earlier
//! half first.

use super::{Kind, Query};
use glam::DVec3;

/// What is known about the first time at which the distance of two features falls to a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Truth {
    /// It stays above, proven.
    Clear,
    /// It stays above until `after`, proven; at `by` it is at most the level and [`witness_margin`].
    Reaches {
        /// Proven to be above until then.
        after: f64,
        /// Found to be there.
        by: f64,
    },
    /// Neither proven nor found after a great many bisections.
    Unknown,
}

/// How far above the level a pair of points may be to count as having reached it (m): the rounding of relative places.
pub fn witness_margin(query: &Query) -> f64 {
    let size = |v: &[DVec3; 4]| (1..count(query.kind)).map(|i| (v[i] - v[0]).length()).fold(0.0, f64::max);
    (size(&query.x) + size(&query.d)) / (1u64 << 48) as f64
}

/// First time in [0, until] at which the distance falls to `level`.
pub fn first_time(query: &Query, level: f64, until: f64) -> Truth {
    let motion = Motion::of(query);
    let margin = witness_margin(query);
    let mut pending = vec![[0.0, until]];
    for _ in 0..100_000 {
        let Some([from, to]) = pending.pop() else { return Truth::Clear };
        if motion.upper(from) <= level + margin {
            return Truth::Reaches { after: from, by: from };
        }
        let middle = 0.5 * (from + to);
        if motion.guesses(middle).iter().any(|g| motion.is_above(g.direction, [from, to], level)) {
            continue;
        }
        if !(from < middle && middle < to) {
            return if motion.upper(to) <= level + margin {
                Truth::Reaches { after: from, by: to }
            } else {
                Truth::Unknown
            };
        }
        pending.push([middle, to]);
        pending.push([from, middle]);
    }
    Truth::Unknown
}

/// Distance at time 0 (m), by enumeration.
pub fn start_distance(query: &Query) -> f64 {
    Motion::of(query).upper(0.0)
}

fn count(kind: Kind) -> usize {
    match kind {
        Kind::VertexFace | Kind::EdgeEdge => 4,
        Kind::VertexEdge => 3,
        Kind::VertexVertex => 2,
    }
}

/// A pair of points: their distance, and the direction that would separate the features if they were the closest.
#[derive(Clone, Copy)]
struct Guess {
    direction: DVec3,
    distance: f64,
}

impl Guess {
    const NONE: Self = Self { direction: DVec3::ZERO, distance: f64::INFINITY };

    fn between(p: DVec3, q: DVec3) -> Self {
        Self { direction: p - q, distance: (p - q).length() }
    }

    fn flipped(self) -> Self {
        Self { direction: -self.direction, ..self }
    }
}

/// Relative places and motions: rounded for guesses, as intervals for proofs.
struct Motion {
    kind: Kind,
    x: [DVec3; 4],
    d: [DVec3; 4],
    first: usize,
    query: Query,
}

impl Motion {
    fn of(query: &Query) -> Self {
        let relative = |v: &[DVec3; 4]| v.map(|p| p - v[0]);
        let first = if query.kind == Kind::EdgeEdge { 2 } else { 1 };
        Self { kind: query.kind, x: relative(&query.x), d: relative(&query.d), first, query: *query }
    }

    /// Distance of some pair of points at a time.
    fn upper(&self, time: f64) -> f64 {
        self.guesses(time).iter().fold(f64::INFINITY, |m, g| m.min(g.distance))
    }

    /// All pairs of points that can be the closest.
    fn guesses(&self, time: f64) -> [Guess; 9] {
        let [a, b, c, d]: [DVec3; 4] = std::array::from_fn(|i| self.x[i] + time * self.d[i]);
        let mut all = [Guess::NONE; 9];
        match self.kind {
            Kind::VertexVertex => all[0] = Guess::between(a, b),
            Kind::VertexEdge => {
                all[0] = Guess::between(a, b);
                all[1] = Guess::between(a, c);
                all[2] = to_line(a, b, c);
            }
            Kind::VertexFace => {
                for (k, (p, q)) in [(b, c), (c, d), (d, b)].into_iter().enumerate() {
                    all[2 * k] = Guess::between(a, p);
                    all[2 * k + 1] = to_line(a, p, q);
                }
                all[6] = to_plane(a, [b, c, d]);
            }
            Kind::EdgeEdge => {
                for (k, (p, q)) in [(a, c), (a, d), (b, c), (b, d)].into_iter().enumerate() {
                    all[k] = Guess::between(p, q);
                }
                (all[4], all[5]) = (to_line(a, c, d), to_line(b, c, d));
                (all[6], all[7]) = (to_line(c, a, b).flipped(), to_line(d, a, b).flipped());
                all[8] = line_to_line([a, b], [c, d]);
            }
        }
        all
    }

    /// Is every point of the first feature ahead of every point of the second by more than `level` along a direction, over a
    /// span of time? Proven, not rounded.
    fn is_above(&self, direction: DVec3, span: [f64; 2], level: f64) -> bool {
        let rounded = |i: usize, j: usize, t: f64| {
            ((self.x[i] - self.x[j]) + t * (self.d[i] - self.d[j])).dot(direction) > level * direction.length()
        };
        let pairs = || (0..self.first).flat_map(|i| (self.first..count(self.kind)).map(move |j| (i, j)));
        let is_promising = pairs().all(|(i, j)| span.into_iter().all(|t| rounded(i, j, t)));
        if !is_promising {
            return false;
        }
        let n = direction.to_array().map(Interval::from);
        let length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).root();
        let threshold = (Interval::from(level) * length).high;
        pairs().all(|(i, j)| span.into_iter().all(|t| self.ahead(i, j, t, &n).low > threshold))
    }

    fn ahead(&self, i: usize, j: usize, time: f64, n: &[Interval; 3]) -> Interval {
        let minus = |v: &[DVec3; 4], k: usize| Interval::from(v[i][k]) + Interval::from(-v[j][k]);
        let part = |k: usize| n[k] * (minus(&self.query.x, k) + Interval::from(time) * minus(&self.query.d, k));
        part(0) + part(1) + part(2)
    }
}

/// The foot of the perpendicular on the line p q, if it lies between them.
fn to_line(a: DVec3, p: DVec3, q: DVec3) -> Guess {
    let along = q - p;
    let t = (a - p).dot(along) / along.dot(along);
    if !(0.0..=1.0).contains(&t) {
        return Guess::NONE;
    }
    let guess = Guess::between(a, p.lerp(q, t));
    // At right angles to the edge even where rounding is all that is left of the distance.
    Guess { direction: guess.direction - guess.direction.dot(along) / along.dot(along) * along, ..guess }
}

/// What is left of a vector without its part along another; twice, so that the rest is at right angles to rounding.
fn beside(v: DVec3, e: DVec3) -> DVec3 {
    let once = v - v.dot(e) / e.length_squared() * e;
    once - once.dot(e) / e.length_squared() * e
}

/// The direction at right angles to two others, however small the angle between them.
fn normal(e: DVec3, f: DVec3) -> DVec3 {
    let height = beside(f, e);
    beside(beside(e.cross(height), e), height)
}

/// The foot on the plane of a triangle, if it lies in it. The direction is the normal: it is right even at no distance.
fn to_plane(a: DVec3, corners: [DVec3; 3]) -> Guess {
    let normal = normal(corners[1] - corners[0], corners[2] - corners[0]);
    let height = (a - corners[0]).dot(normal) / normal.length_squared();
    let foot = a - height * normal;
    let is_inside = (0..3).all(|k| {
        let (p, q) = (corners[k], corners[(k + 1) % 3]);
        (q - p).cross(foot - p).dot(normal) >= 0.0
    });
    if !(is_inside && height.is_finite()) {
        return Guess::NONE;
    }
    Guess { direction: height.signum() * normal, distance: height.abs() * normal.length() }
}

/// The common perpendicular of two edges, if it meets both.
fn line_to_line([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> Guess {
    let (e, f, r) = (b - a, d - c, a - c);
    let height = beside(f, e);
    let t = height.dot(beside(r, e)) / height.length_squared();
    let s = (t * f - r).dot(e) / e.length_squared();
    if !((0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t)) {
        return Guess::NONE;
    }
    let normal = normal(e, f);
    let side = r.dot(normal).signum();
    Guess { direction: side * normal, distance: (r + s * e - t * f).length() }
}

/// Numbers between two bounds; every operation rounds outward.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Interval {
    low: f64,
    high: f64,
}

impl From<f64> for Interval {
    fn from(x: f64) -> Self {
        Self { low: x, high: x }
    }
}

impl Interval {
    fn outward(low: f64, high: f64) -> Self {
        Self { low: low.next_down(), high: high.next_up() }
    }

    fn root(self) -> Self {
        Self::outward(self.low.max(0.0).sqrt(), self.high.sqrt())
    }
}

impl std::ops::Add for Interval {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::outward(self.low + other.low, self.high + other.high)
    }
}

impl std::ops::Mul for Interval {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let products = [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high];
        let low = products.into_iter().fold(f64::INFINITY, f64::min);
        Self::outward(low, products.into_iter().fold(f64::NEG_INFINITY, f64::max))
    }
}
