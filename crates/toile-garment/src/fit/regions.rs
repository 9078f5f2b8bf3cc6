//! Parts of any body, from what it measures.
//!
//! Mannequins know their regions; these are the same by name for bodies that come as a bare mesh. An arm is what hangs together with its finger
//! tips outside of the plane through shoulder and armpit; legs lie below the crotch; the rest is told apart by levels, and the chest by the
//! angle round its axis. Borders along limbs and trunk are set where those of the mannequin lie.

use crate::body::{Axis, Figures};
use glam::{DVec2, DVec3};

/// Shares of an arm's length, from the shoulder to the wrist, at which upper arm, elbow and forearm end.
const ARM: [f64; 3] = [0.43, 0.62, 0.96];
/// Shares of the way from ankle to crotch at which ankle, calf and knee end.
const LEG: [f64; 3] = [0.08, 0.46, 0.68];
/// Share of the way from hip to waist at which the hip ends.
const HIP: f64 = 0.63;

/// Regions of a body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Regions {
    /// Names: `waist`, `upperarm_l`.
    pub names: Vec<String>,
    /// Region of each triangle.
    pub of_triangle: Vec<u16>,
}

/// Regions of a measured body.
pub fn measured_regions(figures: &Figures, vertices: &[DVec3], triangles: &[[u32; 3]]) -> Regions {
    let arms = [0, 1].map(|side| arm(figures, vertices, triangles, side));
    let mut regions = Regions::default();
    let names = triangles.iter().map(|corners| {
        let centre = corners.iter().map(|v| vertices[*v as usize]).sum::<DVec3>() / 3.0;
        let most = |side: usize| corners.iter().filter(|v| arms[side][**v as usize]).count() >= 2;
        match [0, 1].into_iter().find(|side| most(*side)) {
            Some(side) => (arm_part(&figures.arms[side], centre), Some(side)),
            None => trunk_part(figures, centre),
        }
    });
    for (part, side) in names.collect::<Vec<_>>() {
        let name = side.map_or(part.to_owned(), |side| format!("{part}{}", ["_l", "_r"][side]));
        let known = regions.names.iter().position(|n| *n == name);
        let number = known.unwrap_or_else(|| {
            regions.names.push(name);
            regions.names.len() - 1
        });
        regions.of_triangle.push(number as u16);
    }
    regions
}

/// Vertices of an arm: those joined with the finger tips outside of the armhole.
fn arm(figures: &Figures, vertices: &[DVec3], triangles: &[[u32; 3]], side: usize) -> Vec<bool> {
    let sign = [1.0, -1.0][side];
    let (shoulder, armpit) = (figures.shoulders[side], figures.armpits[side]);
    let normal = (shoulder - armpit).cross(DVec3::Z);
    let outward = if normal.x * sign < 0.0 { -normal } else { normal };
    let is_outside: Vec<bool> = vertices.iter().map(|p| (*p - armpit).dot(outward) > 0.0).collect();
    let mut root: Vec<u32> = (0..vertices.len() as u32).collect();
    fn find(root: &mut [u32], mut v: u32) -> u32 {
        while root[v as usize] != v {
            root[v as usize] = root[root[v as usize] as usize];
            v = root[v as usize];
        }
        v
    }
    for t in triangles.iter().filter(|t| t.iter().all(|v| is_outside[*v as usize])) {
        let [a, b, c] = t.map(|v| find(&mut root, v));
        let first = a.min(b).min(c);
        for v in [a, b, c] {
            root[v as usize] = first;
        }
    }
    let tip = (0..vertices.len()).max_by(|a, b| (sign * vertices[*a].x).total_cmp(&(sign * vertices[*b].x)));
    let Some(tip) = tip.map(|v| find(&mut root, v as u32)) else { return Vec::new() };
    (0..vertices.len() as u32).map(|v| is_outside[v as usize] && find(&mut root, v) == tip).collect()
}

/// Part of an arm by the place along it.
fn arm_part(axis: &Axis, point: DVec3) -> &'static str {
    let total = axis.length();
    let (mut walked, mut best) = (0.0, (f64::INFINITY, 0.0));
    let last = axis.stations.len().saturating_sub(2);
    for (k, pair) in axis.stations.windows(2).enumerate() {
        let (a, along) = (pair[0].centre, pair[1].centre - pair[0].centre);
        let share = (point - a).dot(along) / along.length_squared().max(f64::MIN_POSITIVE);
        // Beyond the wrist the arm goes on straight: hands.
        let share = share.clamp(0.0, if k == last { f64::INFINITY } else { 1.0 });
        let distance = point.distance(a + share * along);
        if distance < best.0 {
            best = (distance, (walked + share * along.length()) / total);
        }
        walked += along.length();
    }
    match best.1 {
        s if s < ARM[0] => "upperarm",
        s if s < ARM[1] => "elbow",
        s if s < ARM[2] => "forearm",
        s if s <= 1.02 => "wrist",
        _ => "hand",
    }
}

/// Part of trunk, head or legs, with its side if it is one of a pair.
fn trunk_part(figures: &Figures, point: DVec3) -> (&'static str, Option<usize>) {
    let middle = 0.5 * (figures.armpits[0].x + figures.armpits[1].x);
    let side = Some(usize::from(point.x < middle));
    let y = point.y - figures.floor;
    let level = |name: &str| figures.girths.iter().find(|g| g.name == name).map_or(0.0, |g| g.level);
    if y < figures.crotch_level {
        return (leg_part(figures, y), side);
    }
    let (hip, waist, neck) = (level("hip"), level("waist"), level("neck"));
    let base = figures.neck_base.y - figures.floor;
    match y {
        y if y < hip + HIP * (waist - hip) => ("hip", None),
        // The tape under the bust is laid where it is shortest; on the mannequin a quarter of the way further up.
        y if y < level("underbust") + 0.25 * (level("bust") - level("underbust")) => ("waist", None),
        y if y < base => chest_part(figures, point, side),
        y if y < neck + 0.5 * (neck - base) => ("neck", None),
        _ => ("head", None),
    }
}

fn leg_part(figures: &Figures, y: f64) -> &'static str {
    let ankle = 0.5 * (figures.ankles[0].y + figures.ankles[1].y) - figures.floor;
    let share = (y - ankle) / (figures.crotch_level - ankle);
    match share {
        s if s < -0.05 => "foot",
        s if s < LEG[0] => "ankle",
        s if s < LEG[1] => "calf",
        s if s < LEG[2] => "knee",
        _ => "thigh",
    }
}

/// Front, back, side or shoulder, by the angle round the trunk, stretched to a circle.
fn chest_part(figures: &Figures, point: DVec3, side: Option<usize>) -> (&'static str, Option<usize>) {
    // Above the armpits sections hold the shoulders: the widest below them tells the shape of the trunk.
    let armpit = figures.floor + figures.armpit_level;
    let off = |y: f64| (y - point.y.min(armpit)).abs();
    let below = figures.torso.stations.iter().filter(|s| s.centre.y <= armpit);
    let Some(station) = below.min_by(|a, b| off(a.centre.y).total_cmp(&off(b.centre.y))) else {
        return ("chest_front", None);
    };
    let p = DVec2::new(
        (point.x - station.centre.x) / station.half_width,
        (point.z - station.centre.z) / station.half_depth,
    );
    if p.y > p.x.abs() {
        ("chest_front", None)
    } else if -p.y > p.x.abs() {
        ("back_upper", None)
    } else if point.y < armpit {
        ("chest_side", side)
    } else {
        ("shoulder", side)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{Measurements, mannequin, measure};

    /// On mannequins, which know their regions, at least 85 % of the skin is told right: borders alone differ.
    #[test]
    fn measured_regions_are_those_of_the_mannequin() {
        for size in ["F34", "F38", "F50", "M48", "M58"] {
            let body = mannequin(&Measurements::of_size(size).unwrap()).unwrap();
            let figures = measure(&body.vertices, &body.triangles).unwrap();
            let found = measured_regions(&figures, &body.vertices, &body.triangles);
            let known = body.region_of_triangle();
            let (mut right, mut all) = (0.0, 0.0);
            for (t, corners) in body.triangles.iter().enumerate() {
                let [a, b, c] = corners.map(|v| body.vertices[v as usize]);
                let area = 0.5 * (b - a).cross(c - a).length();
                let names = [&body.regions[usize::from(known[t])], &found.names[usize::from(found.of_triangle[t])]];
                right += if names[0] == names[1] { area } else { 0.0 };
                all += area;
            }
            assert!(right > 0.85 * all, "{size}: {}", right / all);
        }
    }
}
