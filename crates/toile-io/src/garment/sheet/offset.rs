//! Lines at a distance outside of an outline, with mitred corners.

use glam::DVec2;

/// How far a mitre may reach, in allowances; sharper corners are cut off square.
const MITRE: f64 = 3.0;

/// The line outside of a closed outline that runs counter-clockwise: `outline` has each point with the allowance of the piece
/// that starts there.
pub(super) fn cutting_line(outline: &[(DVec2, f64)]) -> Vec<DVec2> {
    let count = outline.len();
    let mut line = Vec::with_capacity(count);
    for i in 0..count {
        let (before, here, after) = (outline[(i + count - 1) % count], outline[i], outline[(i + 1) % count]);
        let (d, e) = ((here.0 - before.0).normalize_or_zero(), (after.0 - here.0).normalize_or_zero());
        // Outside is to the right.
        let (p, q) = (here.0 - d.perp() * before.1, here.0 - e.perp() * here.1);
        let turn = d.perp_dot(e);
        if turn.abs() < 1e-6 {
            if p.distance(q) < 1e-9 {
                line.push(q)
            } else {
                line.extend([p, q])
            }
            continue;
        }
        let corner = p + d * ((q - p).perp_dot(e) / turn);
        let reach = MITRE * before.1.max(here.1);
        if corner.distance(here.0) <= reach || turn < 0.0 {
            line.push(corner);
        } else {
            // A sharp corner keeps its allowance on both sides, and ahead.
            line.extend([p + d * before.1, q - e * here.1]);
        }
    }
    let least = outline.iter().map(|(_, allowance)| *allowance).fold(f64::INFINITY, f64::min);
    // Where the outline is hollowed tighter than the allowance the line would run back in a loop: those points are nearer.
    let free = |p: &DVec2| distance(outline, *p) >= 0.99 * least;
    line.into_iter().filter(free).collect()
}

/// Distance of a point from a closed outline.
fn distance(outline: &[(DVec2, f64)], p: DVec2) -> f64 {
    let count = outline.len();
    let pieces = (0..count).map(|i| (outline[i].0, outline[(i + 1) % count].0));
    let distances = pieces.map(|(a, b)| {
        let t = ((p - a).dot(b - a) / (b - a).length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        a.lerp(b, t).distance(p)
    });
    distances.fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(line: &[DVec2]) -> f64 {
        (0..line.len()).map(|i| 0.5 * line[i].perp_dot(line[(i + 1) % line.len()])).sum()
    }

    /// A square of 20 cm with 1 cm all round, and 3 cm below.
    #[test]
    fn a_square_grows_by_its_allowances() {
        let corners = [[0.0, 0.0], [0.2, 0.0], [0.2, 0.2], [0.0, 0.2]].map(DVec2::from);
        let line = cutting_line(&corners.map(|p| (p, 0.01)));
        assert_eq!(line.len(), 4);
        assert!((area(&line) - 0.22 * 0.22).abs() < 1e-12);
        let hem = [0.03, 0.01, 0.01, 0.01];
        let line = cutting_line(&std::array::from_fn::<_, 4, _>(|i| (corners[i], hem[i])));
        assert!((area(&line) - 0.22 * 0.24).abs() < 1e-12);
    }

    /// Every point of the line round a circle lies an allowance outside.
    #[test]
    fn a_circle_grows_to_a_circle() {
        let points: Vec<(DVec2, f64)> =
            (0..400).map(|k| (DVec2::from_angle(k as f64 / 400.0 * std::f64::consts::TAU) * 0.3, 0.015)).collect();
        for p in cutting_line(&points) {
            assert!((p.length() - 0.315).abs() < 1e-5);
        }
    }

    /// A notch narrower than two allowances closes without a loop.
    #[test]
    fn narrow_hollows_are_bridged() {
        let corners = [[0.0, 0.0], [0.2, 0.0], [0.2, 0.2], [0.105, 0.2], [0.1, 0.15], [0.095, 0.2], [0.0, 0.2]];
        let outline = corners.map(|p| (DVec2::from(p), 0.01));
        let line = cutting_line(&outline);
        assert!(line.iter().all(|&p| distance(&outline, p) > 0.0099));
        // All of the square with its allowance, but for a dent where the notch is.
        assert!((0.98 * 0.22 * 0.22..=0.22 * 0.22 + 1e-9).contains(&area(&line)), "{}", area(&line));
    }

    /// A point of 10 degrees is not drawn out to a spike.
    #[test]
    fn sharp_corners_are_cut_off() {
        let line = cutting_line(&[[0.0, 0.0], [0.5, 0.0], [0.5, 0.09]].map(|p| (DVec2::from(p), 0.01)));
        assert_eq!(line.len(), 4);
        assert!(line.iter().all(|p| p.x > -0.025));
    }
}
