//! Does an edge meet a triangle? Signs of determinants are exact (Shewchuk97); floating point only answers where it is
//! certain.

use glam::DVec3;
use robust::{Coord, Coord3D};

/// How an edge and a triangle lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meeting {
    Apart,
    /// A point in common, but the edge does not lead from one side to the other.
    Touches,
    /// The ends lie strictly on the two sides, the point between them in the triangle, its rim included.
    Crosses,
}

/// Rounding of a product of a difference with a direction, over their sizes: 45 times what can occur.
const CERTAIN: f64 = 1e-14;

fn orient3(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    let coord = |p: DVec3| Coord3D { x: p.x, y: p.y, z: p.z };
    robust::orient3d(coord(a), coord(b), coord(c), coord(d))
}

/// A point without one of its coordinates; all of its images are exact.
fn drop_axis(p: DVec3, axis: usize) -> Coord<f64> {
    Coord { x: p[(axis + 1) % 3], y: p[(axis + 2) % 3] }
}

fn orient2(axis: usize, a: DVec3, b: DVec3, c: DVec3) -> f64 {
    robust::orient2d(drop_axis(a, axis), drop_axis(b, axis), drop_axis(c, axis))
}

/// The axis along which a triangle is seen with an area; None if it has none.
fn open_axis(a: DVec3, b: DVec3, c: DVec3) -> Option<usize> {
    (0..3).find(|axis| orient2(*axis, a, b, c) != 0.0)
}

/// Edge p q and triangle a b c without a common vertex.
pub(super) fn edge_and_triangle([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> Meeting {
    if is_surely_apart([p, q], [a, b, c]) {
        return Meeting::Apart;
    }
    let (above, below) = (orient3(a, b, c, p), orient3(a, b, c, q));
    if above > 0.0 && below > 0.0 || above < 0.0 && below < 0.0 {
        return Meeting::Apart;
    }
    if above == 0.0 && below == 0.0 {
        let meets = flat_meets([p, q], [a, b, c]);
        return if meets { Meeting::Touches } else { Meeting::Apart };
    }
    let sides = [orient3(p, q, a, b), orient3(p, q, b, c), orient3(p, q, c, a)];
    if sides.iter().any(|s| *s > 0.0) && sides.iter().any(|s| *s < 0.0) {
        return Meeting::Apart;
    }
    if above == 0.0 || below == 0.0 { Meeting::Touches } else { Meeting::Crosses }
}

/// Edge a q and triangle a b c: more than their vertex in common?
pub(super) fn shared_vertex(q: DVec3, [a, b, c]: [DVec3; 3]) -> Meeting {
    if is_surely_outside_wedge(q, [a, b, c]) || orient3(a, b, c, q) != 0.0 {
        return Meeting::Apart;
    }
    let touches = match open_axis(a, b, c) {
        Some(axis) => {
            let side = orient2(axis, a, b, c).signum();
            orient2(axis, a, b, q) * side >= 0.0 && orient2(axis, a, q, c) * side >= 0.0
        }
        None => leads_along([a, q], b) || leads_along([a, q], c),
    };
    if touches { Meeting::Touches } else { Meeting::Apart }
}

/// Does the way from a to q start along that from a to b? Exactly. A way to a itself does; along one to a itself there
/// is none.
fn leads_along([a, q]: [DVec3; 2], b: DVec3) -> bool {
    if q == a || b == a {
        return q == a;
    }
    // On one line the same way: the signs of the coordinates agree.
    open_axis(a, q, b).is_none() && (0..3).all(|k| q[k].partial_cmp(&a[k]) == b[k].partial_cmp(&a[k]))
}

/// An edge in the plane of a triangle; a triangle without area is its sides.
fn flat_meets([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    if let Some(axis) = open_axis(a, b, c) {
        let side = orient2(axis, a, b, c).signum();
        let is_in = |p| [(a, b), (b, c), (c, a)].iter().all(|&(s, e)| orient2(axis, s, e, p) * side >= 0.0);
        if is_in(p) || is_in(q) {
            return true;
        }
    }
    [[a, b], [b, c], [c, a]].into_iter().any(|side| edges_meet([p, q], side))
}

/// Have two edges a point in common?
fn edges_meet([p, q]: [DVec3; 2], [a, b]: [DVec3; 2]) -> bool {
    if orient3(p, q, a, b) != 0.0 {
        return false;
    }
    let triples = [(p, q, a), (p, q, b), (a, b, p), (a, b, q)];
    let Some(axis) = triples.iter().find_map(|&(s, e, t)| open_axis(s, e, t)) else {
        // All on one line: their spans decide.
        return p.min(q).cmple(a.max(b)).all() && a.min(b).cmple(p.max(q)).all();
    };
    let differ = |s: f64, t: f64| s == 0.0 || t == 0.0 || (s > 0.0) != (t > 0.0);
    let [pa, pb, ap, aq] = triples.map(|(s, e, t)| orient2(axis, s, e, t));
    differ(pa, pb) && differ(ap, aq)
}

/// Is there a direction along which they are apart by more than rounding? Tried: the normal, and across each side in
/// the plane. Spares the exact signs, which are slow exactly where cloth is flat.
fn is_surely_apart([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    let (ab, ac, ap, aq) = (b - a, c - a, p - a, q - a);
    let size = ab.abs().max(ac.abs()).max(ap.abs()).max(aq.abs()).max_element();
    let is_apart = |n: DVec3| {
        let margin = CERTAIN * size * n.abs().element_sum();
        let (edge, triangle) = ([ap.dot(n), aq.dot(n)], [0.0, ab.dot(n), ac.dot(n)]);
        let low = |v: &[f64]| v.iter().fold(f64::INFINITY, |m, x| m.min(*x));
        let high = |v: &[f64]| v.iter().fold(f64::NEG_INFINITY, |m, x| m.max(*x));
        low(&edge) > high(&triangle) + margin || high(&edge) < low(&triangle) - margin
    };
    let normal = ab.cross(ac);
    is_apart(normal)
        || is_apart(normal.cross(ab))
        || is_apart(normal.cross(ac))
        || is_apart(normal.cross(c - b))
        || is_apart(normal.cross(q - p))
}

/// Is the way from a to q outside the plane or the angle b a c by more than rounding?
fn is_surely_outside_wedge(q: DVec3, [a, b, c]: [DVec3; 3]) -> bool {
    let (ab, ac, aq) = (b - a, c - a, q - a);
    let size = ab.abs().max(ac.abs()).max(aq.abs()).max_element();
    let normal = ab.cross(ac);
    let margin = |n: DVec3| CERTAIN * size * n.abs().element_sum();
    if aq.dot(normal).abs() > margin(normal) {
        return true;
    }
    // Across a side towards the other, leant a little along the side: both sides ahead, q behind.
    let is_behind = |side: DVec3, across: DVec3| {
        let n = across + 0.1 * (across.length() / side.length()) * side;
        aq.dot(n) < -margin(n) && ab.dot(n) > margin(n) && ac.dot(n) > margin(n)
    };
    is_behind(ab, normal.cross(ab)) || is_behind(ac, ac.cross(normal))
}
