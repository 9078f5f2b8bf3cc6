//! Convex pieces of a flat panel.

use glam::DVec2;

/// Corners of the convex hull, counter-clockwise, those on straight sides left out. Fewer than three if there is no area.
pub(super) fn hull(points: &mut Vec<DVec2>) -> Vec<DVec2> {
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    points.dedup();
    let mut hull: Vec<DVec2> = Vec::new();
    for pass in 0..2 {
        let start = hull.len();
        let mut add = |p: DVec2| {
            while hull.len() >= start + 2 {
                let (a, b) = (hull[hull.len() - 2], hull[hull.len() - 1]);
                if (b - a).perp_dot(p - b) > 0.0 {
                    break;
                }
                hull.pop();
            }
            hull.push(p);
        };
        if pass == 0 {
            points.iter().for_each(|&p| add(p));
        } else {
            points.iter().rev().for_each(|&p| add(p));
        }
        hull.pop();
    }
    hull
}

/// Area of a polygon, positive if it runs counter-clockwise.
pub(super) fn area(polygon: &[DVec2]) -> f64 {
    let Some(&origin) = polygon.first() else { return 0.0 };
    polygon.windows(2).map(|w| (w[0] - origin).perp_dot(w[1] - origin)).sum::<f64>() / 2.0
}

/// Area of the part of a triangle inside a convex polygon that runs counter-clockwise.
pub(super) fn common_area(triangle: [DVec2; 3], hull: &[DVec2], spare: &mut [Vec<DVec2>; 2]) -> f64 {
    let [piece, next] = spare;
    piece.clear();
    piece.extend(triangle);
    for k in 0..hull.len() {
        let (a, along) = (hull[k], hull[(k + 1) % hull.len()] - hull[k]);
        let height = |p: DVec2| along.perp_dot(p - a);
        next.clear();
        for i in 0..piece.len() {
            let (p, q) = (piece[i], piece[(i + 1) % piece.len()]);
            let (hp, hq) = (height(p), height(q));
            if hp >= 0.0 {
                next.push(p);
            }
            if (hp >= 0.0) != (hq >= 0.0) {
                next.push(p + (q - p) * (hp / (hp - hq)));
            }
        }
        std::mem::swap(piece, next);
        if piece.is_empty() {
            return 0.0;
        }
    }
    area(piece).abs()
}

/// Length of the part of a segment that lies in a convex polygon, `margin` or more from its outline.
pub(super) fn length_inside(ends: [DVec2; 2], hull: &[DVec2], margin: f64) -> f64 {
    let (mut from, mut to) = (0.0f64, 1.0f64);
    for k in 0..hull.len() {
        let side = hull[(k + 1) % hull.len()] - hull[k];
        let height = |p: DVec2| side.perp_dot(p - hull[k]) / side.length() - margin;
        let (h0, h1) = (height(ends[0]), height(ends[1]));
        if h0 < 0.0 && h1 < 0.0 {
            return 0.0;
        }
        let at = h0 / (h0 - h1);
        if h0 < 0.0 {
            from = from.max(at);
        } else if h1 < 0.0 {
            to = to.min(at);
        }
    }
    (to - from).max(0.0) * ends[0].distance(ends[1])
}

/// Least height of a triangle over one of its sides.
pub(super) fn least_altitude(t: [DVec2; 3]) -> f64 {
    let longest = (0..3).fold(0.0, |m: f64, k| m.max(t[k].distance(t[(k + 1) % 3])));
    (t[1] - t[0]).perp_dot(t[2] - t[0]).abs() / longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_and_lengths_inside_a_square() {
        let p = DVec2::new;
        let mut points =
            vec![p(0.0, 0.0), p(1.0, 0.0), p(0.5, 0.0), p(1.0, 1.0), p(0.0, 1.0), p(0.3, 0.4), p(1.0, 0.0)];
        let square = hull(&mut points);
        assert_eq!(square, [p(0.0, 0.0), p(1.0, 0.0), p(1.0, 1.0), p(0.0, 1.0)]);
        assert_eq!(area(&square), 1.0);
        let mut spare = Default::default();
        let half_out = [p(0.5, 0.5), p(1.5, 0.5), p(0.5, 1.5)]; // its corner at (1, 1) touches the square's
        assert!((common_area(half_out, &square, &mut spare) - 0.25).abs() < 1e-15);
        assert_eq!(common_area([p(1.0, 0.0), p(2.0, 0.0), p(1.0, 1.0)], &square, &mut spare), 0.0);
        assert!((length_inside([p(-1.0, 0.5), p(0.5, 0.5)], &square, 0.0) - 0.5).abs() < 1e-15);
        assert_eq!(length_inside([p(-1.0, 0.0), p(2.0, 0.0)], &square, 1e-9), 0.0);
        assert!((least_altitude([p(0.0, 0.0), p(3.0, 0.0), p(0.0, 4.0)]) - 2.4).abs() < 1e-15);
    }
}
