//! The arm: hung on the new armhole, stretched to length, thickened, and lifted off a wide torso.

use super::curve::{Monotone, mix, smoothstep};
use super::grid::{ARM_COLUMNS, ARM_ROWS, TORSO_COLUMNS, loop_place};
use super::measurements::{ELBOW, GIRTHS, Girths, UPPER_ARM, WRIST};
use super::sections::Sections;
use super::tape::{centroid, girth, mean_radius};
use super::torso::growth_of_rows;
use glam::{DQuat, DVec3};

/// Smallest gap between arm and torso below the armpit (m).
const GAP: f64 = 0.015;
/// Largest angle the arm is lifted by (rad): 35°.
const LIFT: f64 = 0.61;
/// Rows over which the lift sets in.
const LIFT_ROWS: f64 = 8.0;
/// Steps of the search for the angle.
const LIFT_STEPS: u32 = 140;

/// Bends the arm of `sections`, whose torso has its new shape, to wanted girths; `stretch` is its length over that of the tables,
/// `scale` the body's height over theirs. Returns the angle it was lifted by (rad).
pub(super) fn reshape(sections: &mut Sections, aim: &Girths, stretch: f64, scale: f64) -> f64 {
    let armhole: Vec<DVec3> =
        (0..ARM_COLUMNS).map(loop_place).map(|(row, column)| sections.torso[row * TORSO_COLUMNS + column]).collect();
    let hand = scale.powf(-0.3);
    let growth = growth(sections, aim, mean_radius(&armhole), hand);
    let mut centre = centroid(&armhole);
    let pivot = centre;
    let mut before = centroid(sections.arm_ring(0));
    for row in 0..ARM_ROWS {
        let ring = &mut sections.arm[row * ARM_COLUMNS..(row + 1) * ARM_COLUMNS];
        let old = centroid(ring);
        centre += (old - before) * if row <= GIRTHS[WRIST].row { stretch } else { hand };
        before = old;
        // Thick arms grow upward, not into the armpit.
        let rise = smoothstep(row as f64 / 3.0) * (1.0 - smoothstep(row as f64 / 16.0));
        let push = 0.42 * (growth[row] - 1.12).max(0.0) * rise * (ring[0] - ring[ARM_COLUMNS / 2]);
        ring.iter_mut().for_each(|p| *p = centre + push + growth[row] * (*p - old));
        if row == ARM_ROWS - 1 {
            sections.caps[1].iter_mut().for_each(|p| *p = centre + growth[row] * (*p - old));
        }
    }
    lift(sections, pivot)
}

/// Factor of every ring about its centre.
fn growth(sections: &Sections, aim: &Girths, armhole: f64, hand: f64) -> Vec<f64> {
    let table: Vec<f64> = (0..ARM_ROWS).map(|row| girth(sections.arm_ring(row))).collect();
    let nodes = [UPPER_ARM, ELBOW, WRIST].map(|k| (GIRTHS[k].row, aim[k]));
    let along = growth_of_rows(&table, &nodes);
    let [upper, wrist] = [UPPER_ARM, WRIST].map(|k| GIRTHS[k].row);
    let root = armhole / mean_radius(sections.arm_ring(0));
    let thick = along[upper];
    let top =
        Monotone::new([(0.0, root), (4.0, mix(root, thick, 0.25)), (7.0, mix(root, thick, 0.6)), (upper as f64, thick)]);
    let palm = hand * (0.7 + 0.3 * along[wrist]);
    let factor = |row: usize| match row {
        _ if row < upper => top.at(row as f64),
        _ if row > wrist => mix(along[wrist], palm, smoothstep((row - wrist) as f64 / 3.0)),
        _ => along[row],
    };
    (0..ARM_ROWS).map(factor).collect()
}

/// Opens the pose until the arm keeps its gap to the side of the torso.
fn lift(sections: &mut Sections, pivot: DVec3) -> f64 {
    let torso: Vec<DVec3> = (0..34)
        .flat_map(|row| (8..25).map(move |column| row * TORSO_COLUMNS + column))
        .map(|n| sections.torso[n])
        .collect();
    let start = LIFT_ROWS as usize * ARM_COLUMNS;
    let below: Vec<DVec3> = sections.arm[start..].iter().copied().collect();
    let clears = |turn: DQuat| {
        below.iter().map(|p| pivot + turn * (*p - pivot)).all(|p| {
            torso.iter().all(|q| (p.x - q.x).abs() > GAP || (p.y - q.y).abs() > GAP || p.distance(*q) >= GAP)
                && torso.iter().all(|q| (p.y - q.y).abs() > 0.01 || p.x > q.x - GAP || (p.z - q.z).abs() > 0.02)
        })
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
