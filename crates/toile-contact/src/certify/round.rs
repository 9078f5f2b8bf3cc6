//! Distance of a triangle from the axis of a ball or a capsule: plain and slow, of its own on purpose.

use glam::DVec3;

fn to_edge(p: DVec3, a: DVec3, b: DVec3) -> f64 {
    let along = b - a;
    let length = along.length();
    let t = if length > 0.0 { ((p - a).dot(along / length) / length).clamp(0.0, 1.0) } else { 0.0 };
    p.distance(a + t * along)
}

/// Distance (m) of a point from a triangle.
pub(super) fn point_to_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let rim = to_edge(p, a, b).min(to_edge(p, b, c)).min(to_edge(p, c, a));
    let normal = (b - a).cross(c - a).normalize_or_zero();
    let is_above = |s: DVec3, e: DVec3| (e - s).cross(p - s).dot(normal) > 0.0;
    if is_above(a, b) && is_above(b, c) && is_above(c, a) { rim.min((p - a).dot(normal).abs()) } else { rim }
}

/// Distance (m) of an edge from a triangle: along the edge the distance is convex, so its least value is found by sections.
/// Each shortens the bracket by 0.618: 80 of them reach rounding.
pub(super) fn edge_to_triangle([p, q]: [DVec3; 2], triangle: [DVec3; 3]) -> f64 {
    let at = |s: f64| point_to_triangle(p.lerp(q, s), triangle);
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (0.0, 1.0);
    let (mut left, mut right) = (1.0 - golden, golden);
    let (mut at_left, mut at_right) = (at(left), at(right));
    for _ in 0..80 {
        if at_left < at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - golden * (high - low);
            at_left = at(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + golden * (high - low);
            at_right = at(right);
        }
    }
    at_left.min(at_right).min(at(0.0)).min(at(1.0))
}
