//! The tape: girths as convex hulls, since a tape bridges hollows.

use glam::{DVec2, DVec3};

/// Length of the convex hull of points of a plane.
pub(crate) fn hull_length(points: &[DVec2]) -> f64 {
    let hull = hull(points);
    (0..hull.len()).map(|k| hull[k].distance(hull[(k + 1) % hull.len()])).sum()
}

/// Convex hull, anticlockwise (Andrew's two chains).
pub(super) fn hull(points: &[DVec2]) -> Vec<DVec2> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    let chain = |points: &mut dyn Iterator<Item = DVec2>| {
        let mut chain: Vec<DVec2> = Vec::new();
        for p in points {
            while let [.., a, b] = chain[..] {
                if (b - a).perp_dot(p - b) > 0.0 {
                    break;
                }
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let mut hull = chain(&mut sorted.iter().copied());
    hull.extend(chain(&mut sorted.iter().rev().copied()));
    hull
}

/// Girth of a ring: hull in the plane of its mean normal (Newell).
pub(super) fn girth(ring: &[DVec3]) -> f64 {
    let centre = centroid(ring);
    let normal: DVec3 = (0..ring.len()).map(|k| (ring[k] - centre).cross(ring[(k + 1) % ring.len()] - centre)).sum();
    let (u, v) = normal.normalize_or(DVec3::Y).any_orthonormal_pair();
    let flat: Vec<DVec2> = ring.iter().map(|p| DVec2::new((p - centre).dot(u), (p - centre).dot(v))).collect();
    hull_length(&flat)
}

/// Mean of points.
pub(super) fn centroid(points: &[DVec3]) -> DVec3 {
    points.iter().sum::<DVec3>() / points.len() as f64
}

/// Mean distance of points from their mean.
pub(super) fn mean_radius(points: &[DVec3]) -> f64 {
    let centre = centroid(points);
    points.iter().map(|p| p.distance(centre)).sum::<f64>() / points.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    /// A tape round a star touches its tips only, in any plane.
    #[test]
    fn girth_bridges_hollows_in_any_plane() {
        let turn = glam::DQuat::from_scaled_axis(DVec3::new(0.3, -0.4, 0.9));
        let star: Vec<DVec3> = (0..12)
            .map(|k| {
                let radius = if k % 2 == 0 { 1.0 } else { 0.3 };
                let angle = TAU * f64::from(k) / 12.0;
                turn * (radius * DVec3::new(angle.cos(), angle.sin(), 0.0)) + DVec3::new(3.0, 1.0, 2.0)
            })
            .collect();
        assert!((girth(&star) - 6.0).abs() < 1e-12);
        let square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.5, 0.5), (0.0, 1.0), (0.0, 1.0)].map(DVec2::from);
        assert_eq!(hull_length(&square), 4.0);
    }
}
