//! Closest points of the pairs of features that can touch first: vertex–face, edge–edge, vertex–edge.
//!
//! Projections are done in orthogonalised directions (right side, too), not through the normal equations: their error is some
//! ε·size, not ε·size/sin, so slivers and nearly parallel edges keep their digits. Features that are degenerate
//! to rounding fall back to their own edges and ends: the pair returned is always a true closest one.
//!
//! Lengths in m. Nothing is allocated, nothing panics; coordinates that are not numbers give a distance that is not one.

use glam::DVec3;

/// Squared sine below which a projection is compared with the ends of the features. At sin = 1e-7 orthogonalised
/// directions have still 9 digits; above it the comparison would only cost time.
const NEARLY_PARALLEL: f64 = 1e-14;

/// A closest pair of points on two features with together up to four vertices x₀…x₃.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// Σ wᵢ xᵢ is the vector from the closest point of the second feature to that of the first. The weights of each feature
    /// sum to 1 and −1.
    pub weights: [f64; 4],
    /// That vector (m), formed from differences: keeps its digits far from the origin.
    pub separation: DVec3,
    /// Its length (m), at least 0.
    pub distance: f64,
    /// Are both points away from the ends and edges of their features? A vertex counts as its own inside.
    pub is_interior: bool,
}

impl Closest {
    fn new(weights: [f64; 4], separation: DVec3, is_interior: bool) -> Self {
        Self { weights, separation, distance: separation.length(), is_interior }
    }

    fn nearer(self, other: Self) -> Self {
        if other.distance < self.distance { other } else { self }
    }
}

/// Two vertices: weights 1, −1.
pub fn vertex_vertex(p: DVec3, q: DVec3) -> Closest {
    Closest::new([1.0, -1.0, 0.0, 0.0], p - q, true)
}

/// A vertex and an edge: weights 1, −(1−t), −t.
pub fn vertex_edge(p: DVec3, [a, b]: [DVec3; 2]) -> Closest {
    let along = b - a;
    let per_length_squared = 1.0 / along.length_squared();
    // `max` turns the 0/0 of an edge without length into 0, which `clamp` would not.
    let ahead = ((p - a).dot(along) * per_length_squared).max(0.0);
    let t = ahead.min(1.0);
    // From the nearer end: exact at the ends. No branches: where the foot lies is as good as random.
    let (end, rest) = if t < 0.5 { (a, t) } else { (b, t - 1.0) };
    let apart = (p - end) - rest * along;
    let is_interior = t > 0.0 && t < 1.0;
    let turn = if is_interior { apart.dot(along) * per_length_squared } else { 0.0 };
    Closest::new([1.0, t - 1.0, -t, 0.0], apart - turn * along, is_interior)
}

/// What is left of a vector without its parts along directions that are orthogonal to each other, given with squared lengths.
/// Between closest points these parts are rounding, but at a distance of 1e-9 m they turn the vector visibly.
fn across<const N: usize>(vector: DVec3, directions: [(DVec3, f64); N]) -> DVec3 {
    directions.into_iter().fold(vector, |v, (e, squared)| v - (v.dot(e) / squared) * e)
}

/// A vertex and a triangle: weights 1, −b_a, −b_b, −b_c with the barycentric coordinates b.
pub fn vertex_face(p: DVec3, [a, b, c]: [DVec3; 3]) -> Closest {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (ab_squared, ac_squared) = (ab.length_squared(), ac.length_squared());
    let slope = ab.dot(ac) / ab_squared;
    let height = ac - slope * ab;
    let height_squared = height.length_squared();
    if !(height_squared > NEARLY_PARALLEL * ac_squared) {
        return sliver(p, [a, b, c], height);
    }
    let foot = ap.dot(ab) / ab_squared;
    let w = (ap - foot * ab).dot(height) / height_squared;
    let v = foot - w * slope;
    let u = 1.0 - v - w;
    if u > 0.0 && v > 0.0 && w > 0.0 {
        let apart = across(ap - v * ab - w * ac, [(ab, ab_squared), (height, height_squared)]);
        return Closest::new([1.0, -u, -v, -w], apart, true);
    }
    // Outside, the closest point lies on a side the vertex is beyond: there are one or two of them.
    let corners = [a, b, c];
    match (w > 0.0, u > 0.0, v > 0.0) {
        (false, true, true) => on_side(p, corners, 0),
        (true, false, true) => on_side(p, corners, 1),
        (true, true, false) => on_side(p, corners, 2),
        (false, false, true) => on_side(p, corners, 0).nearer(on_side(p, corners, 1)),
        (true, false, false) => on_side(p, corners, 1).nearer(on_side(p, corners, 2)),
        _ => on_side(p, corners, 0).nearer(on_side(p, corners, 2)),
    }
}

/// A vertex and side k of a triangle (from corner k to the next), with the weights of the triangle.
fn on_side(p: DVec3, corners: [DVec3; 3], k: usize) -> Closest {
    let next = (k + 1) % 3;
    let side = vertex_edge(p, [corners[k], corners[next]]);
    let mut weights = [1.0, 0.0, 0.0, 0.0];
    (weights[1 + k], weights[1 + next]) = (side.weights[1], side.weights[2]);
    Closest { weights, is_interior: false, ..side }
}

/// A vertex and a triangle that is nearly a line: the best of its sides and of its inside, if it has one.
#[cold]
fn sliver(p: DVec3, [a, b, c]: [DVec3; 3], height: DVec3) -> Closest {
    let corners = [a, b, c];
    let best = on_side(p, corners, 0).nearer(on_side(p, corners, 1)).nearer(on_side(p, corners, 2));
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let foot = ap.dot(ab) / ab.length_squared();
    let w = (ap - foot * ab).dot(height) / height.length_squared();
    let v = (ap - w * ac).dot(ab) / ab.length_squared();
    let u = 1.0 - v - w;
    if u > 0.0 && v > 0.0 && w > 0.0 {
        return best.nearer(Closest::new([1.0, -u, -v, -w], ap - v * ab - w * ac, true));
    }
    best
}

/// Two edges: weights 1−s, s, −(1−t), −t. For parallel edges any closest pair is right; one with an end of an edge is
/// returned.
pub fn edge_edge([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> Closest {
    let (e, f, r) = (b - a, d - c, a - c);
    let (e_squared, f_squared) = (e.length_squared(), f.length_squared());
    let (ef, er) = (e.dot(f), e.dot(r));
    let height = f - (ef / e_squared) * e;
    let height_squared = height.length_squared();
    if !(height_squared > NEARLY_PARALLEL * f_squared) {
        return nearly_parallel([a, b], [c, d], height);
    }
    // On the lines, then pulled into the first interval and the second: right because the squared distance is convex
    // (Ericson05 sec. 5.1.9).
    let mut t = (height.dot(r - (er / e_squared) * e) / height_squared).clamp(0.0, 1.0);
    let mut s = (t * ef - er) / e_squared;
    if !(s > 0.0) {
        (s, t) = (0.0, (f.dot(r) / f_squared).clamp(0.0, 1.0));
    } else if s >= 1.0 {
        (s, t) = (1.0, (f.dot(b - c) / f_squared).clamp(0.0, 1.0));
    }
    let closest = at_parameters([a, b], [c, d], s, t);
    let apart = closest.separation;
    let apart = match (s > 0.0 && s < 1.0, t > 0.0 && t < 1.0) {
        (true, true) => across(apart, [(e, e_squared), (height, height_squared)]),
        (true, false) => across(apart, [(e, e_squared)]),
        (false, true) => across(apart, [(f, f_squared)]),
        (false, false) => apart,
    };
    Closest { separation: apart, distance: apart.length(), ..closest }
}

fn at_parameters([a, b]: [DVec3; 2], [c, d]: [DVec3; 2], s: f64, t: f64) -> Closest {
    let is_interior = s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0;
    Closest::new([1.0 - s, s, t - 1.0, -t], (a - c) + s * (b - a) - t * (d - c), is_interior)
}

/// Edges without a direction of their own, or with the same: the best of the four ends and of the crossing, if there is one.
#[cold]
fn nearly_parallel(first: [DVec3; 2], second: [DVec3; 2], height: DVec3) -> Closest {
    let mut best = from_end(first, second, 0).nearer(from_end(first, second, 1));
    for k in 0..2 {
        let end = from_end(second, first, k);
        let [p, q, r, s] = end.weights;
        best = best.nearer(Closest { weights: [-r, -s, -p, -q], separation: -end.separation, ..end });
    }
    let (e, r) = (first[1] - first[0], first[0] - second[0]);
    let foot = e.dot(r) / e.length_squared();
    let t = (height.dot(r - foot * e) / height.length_squared()).clamp(0.0, 1.0);
    let s = (t * e.dot(second[1] - second[0]) - e.dot(r)) / e.length_squared();
    if s > 0.0 && s < 1.0 { best.nearer(at_parameters(first, second, s, t)) } else { best }
}

/// End k of the first edge and the second edge, with the weights of two edges.
fn from_end(first: [DVec3; 2], second: [DVec3; 2], k: usize) -> Closest {
    let end = vertex_edge(first[k], second);
    let mut weights = [0.0, 0.0, end.weights[1], end.weights[2]];
    weights[k] = 1.0;
    Closest { weights, is_interior: false, ..end }
}

/// How two edges cross: what a mollifier of nearly parallel pairs needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// |e×f|²/(|e|²|f|²): squared sine of the angle between them; 0 if an edge has no length.
    pub sine_squared: f64,
    /// Parameters of the closest points of the *lines*: inside (0, 1) where the edges pass each other. `None` for edges that
    /// are parallel to rounding: such lines have no such points.
    pub parameters: Option<[f64; 2]>,
}

/// How two edges cross.
pub fn crossing([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> Crossing {
    let (e, f, r) = (b - a, d - c, a - c);
    let (e_squared, f_squared) = (e.length_squared(), f.length_squared());
    let height = f - (e.dot(f) / e_squared) * e;
    let height_squared = height.length_squared();
    let sine_squared = height_squared / f_squared;
    if !(sine_squared > 1e-30) {
        return Crossing { sine_squared: 0.0, parameters: None };
    }
    let t = height.dot(r - (e.dot(r) / e_squared) * e) / height_squared;
    let s = (t * e.dot(f) - e.dot(r)) / e_squared;
    Crossing { sine_squared: sine_squared.min(1.0), parameters: Some([s, t]) }
}

/// A lower bound of the squared distance (m²) of two sets of points and of everything between the points of each: that of
/// their boxes. Rounded down, cheap: no division, no root.
pub fn box_gap_squared(first: &[DVec3], second: &[DVec3]) -> f64 {
    let bounds = |points: &[DVec3]| {
        let infinity = DVec3::splat(f64::INFINITY);
        points.iter().fold((infinity, -infinity), |(low, high), p| (low.min(*p), high.max(*p)))
    };
    let ((low, high), (other_low, other_high)) = (bounds(first), bounds(second));
    let gap = (low - other_high).max(other_low - high).max(DVec3::ZERO);
    // Each difference, square and sum rounds once: together less than 6 units in the last place.
    gap.length_squared() * (1.0 - 8.0 * f64::EPSILON)
}

#[cfg(test)]
mod tests;
