//! The arm: hung on the new armhole, stretched to length, thickened, and lifted off a wide torso.

use super::curve::{Monotone, mix, smoothstep};
use super::grid::{ARM_COLUMNS, ARM_ROWS, TORSO_COLUMNS, loop_place};
use super::measurements::{ELBOW, GIRTHS, Girths, UPPER_ARM, WRIST};
use super::sections::Sections;
use super::tape::{centroid, girth};
use super::torso::growth_of_rows;
use glam::{DQuat, DVec3};

/// Smallest gap between arm and torso below the armpit (m).
const GAP: f64 = 0.015;
/// Largest angle the arm is lifted by (rad): 35°.
const LIFT: f64 = 0.61;
/// Rows over which the lift sets in.
const LIFT_ROWS: f64 = 8.0;
/// Rows over which the shape of the armhole fades out.
const ROOT_ROWS: f64 = 14.0;
/// Steps of the search for the angle.
const LIFT_STEPS: u32 = 140;

/// Bends the arm of `sections`, whose torso has its new shape, to wanted girths; `stretch` is its length over that of the tables,
/// `scale` the body's height over theirs. Returns the angle it was lifted by (rad).
pub(super) fn reshape(sections: &mut Sections, aim: &Girths, stretch: f64, scale: f64) -> f64 {
    let armhole: Vec<DVec3> =
        (0..ARM_COLUMNS).map(loop_place).map(|(row, column)| sections.torso[row * TORSO_COLUMNS + column]).collect();
    let hand = scale.powf(-0.3);
    let along = along(sections, aim, hand);
    // The armhole grows in depth with the bust, in height with the levels: the ring at the root follows it in both.
    let [height, depth] = {
        let (new, old) = (extents(&armhole), extents(sections.arm_ring(0)));
        [0, 1].map(|k| from_root(&along, new[k] / old[k]))
    };
    let mut centre = centroid(&armhole);
    let pivot = centre;
    let mut before = centroid(sections.arm_ring(0));
    // What the armhole's shape has over that of the first ring fades out along the arm: the tube leaves it without a step.
    let root = DVec3::new(height[0], height[0], depth[0]);
    let excess: Vec<DVec3> =
        armhole.iter().zip(sections.arm_ring(0)).map(|(new, old)| *new - pivot - root * (*old - before)).collect();
    for row in 0..ARM_ROWS {
        let ring = &mut sections.arm[row * ARM_COLUMNS..(row + 1) * ARM_COLUMNS];
        let old = centroid(ring);
        centre += (old - before) * if row <= GIRTHS[WRIST].row { stretch } else { hand };
        before = old;
        // Thick arms grow upward, not into the armpit.
        let rise = smoothstep(row as f64 / 7.0) * (1.0 - smoothstep((row as f64 - 7.0) / 9.0));
        let push = 0.42 * (along[row] - 1.12).max(0.0) * rise * (ring[0] - ring[ARM_COLUMNS / 2]);
        let factor = DVec3::new(height[row], height[row], depth[row]);
        let fade = 1.0 - smoothstep(row as f64 / ROOT_ROWS);
        ring.iter_mut().zip(&excess).for_each(|(p, e)| *p = centre + push + factor * (*p - old) + fade * *e);
        if row == ARM_ROWS - 1 {
            sections.caps[1].iter_mut().for_each(|p| *p = centre + factor * (*p - old));
        }
    }
    lift(sections, pivot)
}

/// Extents of a ring: from underside to top, from back to front.
fn extents(ring: &[DVec3]) -> [f64; 2] {
    let across = |k: usize| ring[k].distance(ring[k + ARM_COLUMNS / 2]);
    [across(0), across(ARM_COLUMNS / 4)]
}

/// Factor of every ring about its centre, by the girths alone; constant above the upper arm.
fn along(sections: &Sections, aim: &Girths, hand: f64) -> Vec<f64> {
    let table: Vec<f64> = (0..ARM_ROWS).map(|row| girth(sections.arm_ring(row))).collect();
    let nodes = [UPPER_ARM, ELBOW, WRIST].map(|k| (GIRTHS[k].row, aim[k]));
    let along = growth_of_rows(&table, &nodes);
    let [upper, wrist] = [UPPER_ARM, WRIST].map(|k| GIRTHS[k].row);
    let palm = hand * (0.7 + 0.3 * along[wrist]);
    let factor = |row: usize| match row {
        _ if row > wrist => mix(along[wrist], palm, smoothstep((row - wrist) as f64 / 3.0)),
        _ => along[row.max(upper)],
    };
    (0..ARM_ROWS).map(factor).collect()
}

/// The factors with another one at the root, led over to the upper arm.
fn from_root(along: &[f64], root: f64) -> Vec<f64> {
    let upper = GIRTHS[UPPER_ARM].row;
    let thick = along[upper];
    let nodes = [(0.0, root), (4.0, mix(root, thick, 0.25)), (7.0, mix(root, thick, 0.6)), (upper as f64, thick)];
    let top = Monotone::new(nodes);
    along.iter().enumerate().map(|(row, own)| if row < upper { top.at(row as f64) } else { *own }).collect()
}

/// Opens the pose until the arm keeps its gap to the side of the torso.
fn lift(sections: &mut Sections, pivot: DVec3) -> f64 {
    let torso: Vec<DVec3> = (0..34)
        .flat_map(|row| (8..25).map(move |column| row * TORSO_COLUMNS + column))
        .map(|n| sections.torso[n])
        .collect();
    let below = sections.arm[LIFT_ROWS as usize * ARM_COLUMNS..].to_vec();
    // Of points side by side, that of the arm must lie further out.
    let is_beside = |p: DVec3, q: DVec3| (p.y - q.y).abs() < GAP && (p.z - q.z).abs() < GAP;
    let clears = |turn: DQuat| {
        let mut turned = below.iter().map(|p| pivot + turn * (*p - pivot));
        turned.all(|p| torso.iter().all(|q| p.x >= q.x + GAP || !is_beside(p, *q)))
    };
    let angles = (0..=LIFT_STEPS).map(|k| LIFT * f64::from(k) / f64::from(LIFT_STEPS));
    let angle = angles.into_iter().find(|a| clears(DQuat::from_rotation_z(*a))).unwrap_or(LIFT);
    if angle > 0.0 {
        for row in 0..ARM_ROWS {
            let turn = DQuat::from_rotation_z(angle * smoothstep(row as f64 / LIFT_ROWS));
            let ring = &mut sections.arm[row * ARM_COLUMNS..(row + 1) * ARM_COLUMNS];
            ring.iter_mut().for_each(|p| *p = pivot + turn * (*p - pivot));
        }
        let turn = DQuat::from_rotation_z(angle);
        sections.caps[1].iter_mut().for_each(|p| *p = pivot + turn * (*p - pivot));
    }
    angle
}
