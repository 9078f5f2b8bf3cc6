//! Distances of features with integer corners, in integers up to the last division: what the tests of this crate
//! compare with. Coordinates up to 1e6 keep every product below 2¹²⁷.

pub(crate) type Grid = [i128; 3];

fn minus(a: Grid, b: Grid) -> Grid {
    std::array::from_fn(|k| a[k] - b[k])
}

fn dot(a: Grid, b: Grid) -> i128 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

fn cross(a: Grid, b: Grid) -> Grid {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// √(n/d) with n and d exact.
fn root(numerator: i128, denominator: i128) -> f64 {
    (numerator as f64).sqrt() / (denominator as f64).sqrt()
}

pub(crate) fn vertex_edge(p: Grid, [a, b]: [Grid; 2]) -> f64 {
    let (along, from) = (minus(b, a), minus(p, a));
    let reach = dot(from, along);
    if reach <= 0 {
        return root(dot(from, from), 1);
    }
    if reach >= dot(along, along) {
        return root(dot(minus(p, b), minus(p, b)), 1);
    }
    let area = cross(along, from);
    root(dot(area, area), dot(along, along))
}

pub(crate) fn vertex_face(p: Grid, corners: [Grid; 3]) -> f64 {
    let [a, b, c] = corners;
    let normal = cross(minus(b, a), minus(c, a));
    let is_above = |k: usize| {
        let side = minus(corners[(k + 1) % 3], corners[k]);
        dot(cross(side, minus(p, corners[k])), normal) >= 0
    };
    if normal != [0; 3] && (0..3).all(is_above) {
        // |n·(p−a)|/|n|; the product can be large, its square would not fit.
        return dot(normal, minus(p, a)).abs() as f64 / root(dot(normal, normal), 1);
    }
    (0..3).map(|k| vertex_edge(p, [corners[k], corners[(k + 1) % 3]])).fold(f64::INFINITY, f64::min)
}

pub(crate) fn edge_edge(first: [Grid; 2], second: [Grid; 2]) -> f64 {
    let (e, f) = (minus(first[1], first[0]), minus(second[1], second[0]));
    let (normal, r) = (cross(e, f), minus(second[0], first[0]));
    let size = dot(normal, normal);
    // Parameters of the crossing times |n|².
    let (s, t) = (dot(cross(r, f), normal), dot(cross(r, e), normal));
    if size > 0 && (0..=size).contains(&s) && (0..=size).contains(&t) {
        return dot(normal, r).abs() as f64 / root(size, 1);
    }
    let ends = [
        vertex_edge(first[0], second),
        vertex_edge(first[1], second),
        vertex_edge(second[0], first),
        vertex_edge(second[1], first),
    ];
    ends.into_iter().fold(f64::INFINITY, f64::min)
}

/// Is the point between the ends of an edge at which it passes from one side of a triangle to the other in the triangle?
pub(crate) fn crosses([p, q]: [Grid; 2], [a, b, c]: [Grid; 3]) -> bool {
    let normal = cross(minus(b, a), minus(c, a));
    let (above, below) = (dot(normal, minus(p, a)), dot(normal, minus(q, a)));
    if above.signum() * below.signum() >= 0 {
        return false;
    }
    // The point times (above − below), relative to it: an integer point against integer corners.
    let scale = above - below;
    let at: Grid = std::array::from_fn(|k| above * q[k] - below * p[k]);
    let [a, b, c] = [a, b, c].map(|v| v.map(|x| x * scale));
    let side = |s: Grid, e: Grid| dot(cross(minus(e, s), minus(at, s)), normal);
    let sides = [side(a, b), side(b, c), side(c, a)].map(i128::signum);
    sides.iter().all(|s| s * scale.signum() >= 0) || sides.iter().all(|s| *s >= 0)
}

/// Have an edge and a triangle a point in common?
pub(crate) fn meets(edge: [Grid; 2], triangle: [Grid; 3]) -> bool {
    let [a, b, c] = triangle;
    crosses(edge, triangle)
        || edge.iter().any(|p| vertex_face(*p, triangle) == 0.0)
        || [[a, b], [b, c], [c, a]].into_iter().any(|side| edge_edge(edge, side) == 0.0)
}
