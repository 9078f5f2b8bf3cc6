//! What of the body goes through which opening of a garment.
//!
//! Lines from the middle of the trunk leave the body through head, arms and legs. How often each of them passes through a surface that an
//! opening is the rim of does not depend on the surface, up to a number that is the same for all lines: openings are told apart by
//! which lines differ. A strap that slid off its shoulder leaves an armhole that nothing goes through.

use super::openings::{borders, opening};
use crate::body::Figures;
use crate::cloth::groups;
use glam::DVec3;
use toile_core::mesh::Mesh;

/// Lines out of the body: head, left and right arm, left and right leg.
const LIMBS: usize = 5;
const ARMS: [usize; 2] = [1, 2];
/// How far a line goes on beyond the end of a limb (m): past all cloth.
const BEYOND: f64 = 4.0;

/// An armhole beside the arm: `left` or `right`, where that arm goes through no opening of its own, and there is one large enough for it that
/// nothing goes through. Of what is not worn round the body (pockets that are held on it) nothing is asked.
pub fn empty_armhole(cloth: &Mesh, figures: &Figures) -> Option<&'static str> {
    let lines = lines(figures);
    let pieces = groups(cloth.vertex_count(), cloth.triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]]]));
    let rims: Vec<Rim> = borders(cloth)
        .iter()
        .map(|border| {
            let vertex = |&(t, k): &(usize, usize)| cloth.triangles[t][k];
            let rim: Vec<DVec3> = border.iter().map(|side| cloth.positions[vertex(side) as usize]).collect();
            Rim {
                passed: lines.each_ref().map(|line| crossings(&rim, line)),
                length: opening(cloth, border, None).flat,
                piece: border.first().map_or(0, |side| pieces[vertex(side) as usize]),
            }
        })
        .collect();
    let arm = figures.girth("upper_arm").unwrap_or(f64::INFINITY);
    let is_worn = |piece: u32| rims.iter().any(|rim| rim.piece == piece && !rim.is_empty());
    let is_missed = rims.iter().any(|rim| rim.is_empty() && rim.length >= arm && is_worn(rim.piece));
    let has_own = |limb: usize| rims.iter().any(|rim| rim.is_for(limb));
    let without = ARMS.into_iter().zip(["left", "right"]).find(|(limb, _)| !has_own(*limb))?;
    is_missed.then_some(without.1)
}

/// The rim of an opening.
struct Rim {
    /// How often each line passes through it.
    passed: [i32; LIMBS],
    /// In the flat panels (m).
    length: f64,
    /// Which piece of cloth it belongs to.
    piece: u32,
}

impl Rim {
    /// Nothing of the body goes through it.
    fn is_empty(&self) -> bool {
        self.passed.iter().all(|n| *n == self.passed[0])
    }

    /// One limb goes through it and nothing else does.
    fn is_for(&self, limb: usize) -> bool {
        let others = || (0..LIMBS).filter(|other| *other != limb).map(|other| self.passed[other]);
        others().all(|n| n != self.passed[limb] && Some(n) == others().next())
    }
}

/// From the middle of the trunk through the ends of the limbs.
fn lines(figures: &Figures) -> [Vec<DVec3>; LIMBS] {
    let trunk: Vec<DVec3> = figures.torso.stations.iter().map(|s| s.centre).collect();
    let middle = trunk.len() / 2;
    let up_to = |y: f64| trunk[middle..].iter().copied().take_while(move |p| p.y < y);
    let arm = |side: usize| {
        let mut line: Vec<DVec3> = up_to(figures.shoulders[side].y).collect();
        line.extend(figures.arms[side].stations.iter().map(|s| s.centre));
        let out = (line[line.len() - 1] - figures.shoulders[side]).normalize_or_zero();
        line.push(line[line.len() - 1] + BEYOND * out);
        line
    };
    let leg = |side: usize| {
        let mut line: Vec<DVec3> = trunk[..=middle.min(trunk.len() - 1)].iter().rev().copied().collect();
        line.extend(figures.legs[side].stations.iter().map(|s| s.centre));
        line.push(line[line.len() - 1] - BEYOND * DVec3::Y);
        line
    };
    let mut head: Vec<DVec3> = up_to(figures.neck.y).collect();
    head.extend([figures.neck, figures.neck + BEYOND * DVec3::Y]);
    [head, arm(0), arm(1), leg(0), leg(1)]
}

/// How often a line passes through the fan from the middle of a rim to its sides, there and back again counted as none.
fn crossings(rim: &[DVec3], line: &[DVec3]) -> i32 {
    // Any hub serves; one that no line goes through by design, as through the middle of a neckline.
    let hub = rim.iter().sum::<DVec3>() / rim.len().max(1) as f64 + 1e-4 * DVec3::new(0.31, 0.73, 0.53);
    let sides = (0..rim.len()).map(|k| [rim[k], rim[(k + 1) % rim.len()]]);
    sides.map(|[p, q]| line.windows(2).map(|pair| pierces([pair[0], pair[1]], [hub, p, q])).sum::<i32>()).sum()
}

/// 1 or −1 where the way from `a` to `b` passes through a triangle, by side; 0 where it passes by.
fn pierces([a, b]: [DVec3; 2], [p, q, r]: [DVec3; 3]) -> i32 {
    // Signed volumes: the way passes inside of all three sides, and its ends lie on either side of the plane.
    let volume = |u: DVec3, v: DVec3, w: DVec3| (u - a).dot((v - a).cross(w - a)) >= 0.0;
    let is_before = (q - p).cross(r - p).dot(a - p) >= 0.0;
    let is_behind = (q - p).cross(r - p).dot(b - p) < 0.0;
    if is_before != is_behind {
        return 0;
    }
    let inside = [volume(b, p, q), volume(b, q, r), volume(b, r, p)];
    if inside.iter().all(|s| *s == inside[0]) { if is_before { 1 } else { -1 } } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{Measurements, mannequin, measure};
    use std::f64::consts::TAU;

    /// A tube round the trunk of F38 from the hip up past the shoulders, with holes 28 cm high and 50° wide at some directions (rad, from the left
    /// towards the front), their middles 1.27 m above the floor.
    fn tube(holes: &[f64]) -> Mesh {
        const SIDES: usize = 72;
        const ROWS: usize = 32;
        let (radius, low, high) = (0.27, 0.85, 1.5);
        let mut mesh = Mesh::default();
        let angle = |k: usize| TAU * (k as f64 + 0.5) / SIDES as f64;
        let height = |row: usize| low + (high - low) * row as f64 / (ROWS - 1) as f64;
        for row in 0..ROWS {
            let place = |k: usize| DVec3::new(radius * angle(k).cos(), height(row), radius * angle(k).sin());
            mesh.positions.extend((0..SIDES).map(place));
        }
        let vertex = |row: usize, k: usize| (row * SIDES + k % SIDES) as u32;
        for row in 0..ROWS - 1 {
            for k in 0..SIDES {
                let is_hole = holes.iter().any(|hole| {
                    let away = (angle(k) + 0.5 * TAU / SIDES as f64 - hole + 2.5 * TAU).rem_euclid(TAU) - 0.5 * TAU;
                    away.abs() < 25f64.to_radians() && (height(row) - 1.26).abs() < 0.14
                });
                let corners = [vertex(row, k), vertex(row, k + 1), vertex(row + 1, k + 1), vertex(row + 1, k)];
                if !is_hole {
                    mesh.triangles.extend([[0, 2, 1], [0, 3, 2]].map(|t| t.map(|c: usize| corners[c])));
                }
            }
        }
        let flat = |v: u32| glam::DVec2::new(radius * angle(v as usize % SIDES), height(v as usize / SIDES));
        mesh.material = mesh.triangles.iter().map(|t| t.map(flat)).collect();
        mesh
    }

    /// Holes at both arms are armholes; one in front is one that its arm is beside, and a tube without any is no garment with arms.
    #[test]
    fn armholes_beside_the_arm_are_found() {
        let body = mannequin(&Measurements::of_size("F38").unwrap()).unwrap();
        let figures = measure(&body.vertices, &body.triangles).unwrap();
        let [left, front, right] = [0.0, 0.25, 0.5].map(|turns| turns * TAU);
        assert_eq!(borders(&tube(&[left, right])).len(), 4);
        assert_eq!(empty_armhole(&tube(&[left, right]), &figures), None);
        assert_eq!(empty_armhole(&tube(&[left, front]), &figures), Some("right"));
        assert_eq!(empty_armhole(&tube(&[front, right]), &figures), Some("left"));
        assert_eq!(empty_armhole(&tube(&[]), &figures), None);
    }

    /// Rims round neck, one arm, both legs, and beside the body.
    #[test]
    fn lines_of_the_body_pass_through_their_openings() {
        let body = mannequin(&Measurements::of_size("F38").unwrap()).unwrap();
        let figures = measure(&body.vertices, &body.triangles).unwrap();
        let lines = lines(&figures);
        let ring = |middle: DVec3, axis: DVec3, radius: f64| -> Vec<DVec3> {
            let (u, v) = axis.normalize().any_orthonormal_pair();
            (0..40).map(|k| TAU * f64::from(k) / 40.0).map(|a| middle + radius * (a.cos() * u + a.sin() * v)).collect()
        };
        let passes = |rim: Vec<DVec3>| lines.each_ref().map(|line| crossings(&rim, line));
        let from_the_legs = |n: [i32; LIMBS]| n.map(|k| (k - n[3]).abs());
        assert_eq!(from_the_legs(passes(ring(figures.neck, DVec3::Y, 0.09))), [1, 0, 0, 0, 0]);
        let elbow = &figures.arms[1].stations;
        let (a, b) = (elbow[elbow.len() / 2].centre, elbow[elbow.len() / 2 + 1].centre);
        assert_eq!(from_the_legs(passes(ring(a, b - a, 0.08))), [0, 0, 1, 0, 0]);
        let knees = DVec3::Y * (figures.floor + 0.4);
        assert_eq!(from_the_legs(passes(ring(knees, DVec3::Y, 0.4))), [1, 1, 1, 0, 0]);
        assert_eq!(passes(ring(DVec3::new(0.9, 1.0, 0.0), DVec3::Y, 0.2)), [0; LIMBS]);
    }
}
