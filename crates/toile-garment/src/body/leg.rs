//! The leg: thickened about its centres, its top led by the hip, its inner side kept off the other leg.

use super::curve::{Monotone, mix, smoothstep};
use super::grid::{LEG_COLUMNS, LEG_ROWS};
use super::measurements::{ANKLE, CALF, GIRTHS, Girths, KNEE, THIGH};
use super::sections::Sections;
use super::tape::{centroid, girth};
use super::torso::{Growth, growth_of_rows};
use glam::DVec3;

/// Smallest distance of the inner side from the middle (m).
const APART: f64 = 0.007;
/// How fast a shift outward fades along the leg (m per row).
const FADE: f64 = 0.0022;
/// Standard deviation (rows) of the smoothing of that shift.
const BLUR: f64 = 2.0;

/// Reshapes the leg of `sections` (at table heights and widths) to wanted girths. `hip` is the growth of the torso row it hangs on,
/// `scale` the body's height over the tables'.
pub(super) fn reshape(sections: &mut Sections, aim: &Girths, hip: Growth, scale: f64, height: &Monotone) {
    let ankle = GIRTHS[ANKLE].row;
    let table: Vec<f64> = (1..LEG_ROWS).map(|row| girth(sections.leg_ring(row))).collect();
    let nodes = [THIGH, KNEE, CALF, ANKLE].map(|k| (GIRTHS[k].row - 1, aim[k]));
    let along = growth_of_rows(&table, &nodes);
    let foot = scale.powf(-0.15) * (0.8 + 0.2 * along[ankle - 1]);
    let heel = centroid(sections.leg_ring(ankle));
    let mut last = (DVec3::ZERO, DVec3::ZERO, foot);
    for row in 1..LEG_ROWS {
        let ring = &mut sections.leg[row * LEG_COLUMNS..(row + 1) * LEG_COLUMNS];
        let old = centroid(ring);
        // The foot keeps its shape: all of it grows by one factor about the ankle.
        let settled = smoothstep((row as f64 - ankle as f64) / 5.0);
        let factor = mix(along[row - 1], foot, settled);
        let centre = if row <= ankle { led(old, row, hip) } else { led(heel, ankle, hip) + foot * (old - heel) };
        spread(ring, row, factor, old, centre, hip);
        last = (old, centre, factor);
    }
    let (old, centre, factor) = last;
    for p in &mut sections.caps[2] {
        let moved = centre + factor * (*p - old);
        *p = DVec3::new(moved.x, p.y, moved.z);
    }
    keep_apart(sections);
    let mapped = |p: &mut DVec3| p.y = height.at(p.y);
    sections.leg[LEG_COLUMNS..].iter_mut().for_each(mapped);
    sections.caps[2].iter_mut().for_each(mapped);
}

/// Centre of a ring: sideways with the hip, fading to the ankle; in depth as the torso above, fading out over the thigh.
fn led(old: DVec3, row: usize, hip: Growth) -> DVec3 {
    let down = row as f64 / GIRTHS[ANKLE].row as f64;
    let depth = smoothstep((20.0 - row as f64) / 15.0);
    DVec3::new(old.x * mix(hip.x, 1.0, smoothstep(down)), old.y, mix(old.z, hip.depth(old.z), depth))
}

/// Scales a ring about its centre; near the hip its outer side and its depth follow the torso.
fn spread(ring: &mut [DVec3], row: usize, factor: f64, old: DVec3, centre: DVec3, hip: Growth) {
    let outer = ring.iter().fold(f64::MIN, |most, p| most.max(p.x));
    let reach = outer - old.x;
    let led = smoothstep(1.0 - row as f64 / 12.0);
    let side = mix(centre.x + factor * reach, hip.x * outer, led);
    let outward = (side - centre.x) / reach;
    let depth = mix(factor, hip.z, smoothstep(1.0 - row as f64 / 9.0));
    for p in ring {
        let offset = *p - old;
        // Full growth of the outer side at the outermost point, none at the innermost.
        let share = smoothstep(0.5 + 0.5 * offset.x / reach);
        *p = DVec3::new(centre.x + mix(factor, outward, share) * offset.x, p.y, centre.z + depth * offset.z);
    }
}

/// Shifts rings outward where the inner side comes too near to the middle.
fn keep_apart(sections: &mut Sections) {
    let inner = |row: usize| sections.leg_ring(row).iter().fold(f64::MAX, |least, p| least.min(p.x));
    let lack: Vec<f64> = (1..LEG_ROWS).map(|row| (APART - inner(row)).max(0.0)).collect();
    let spread = |row: usize| {
        lack.iter().enumerate().fold(0.0, |most: f64, (k, lack)| most.max(lack - FADE * k.abs_diff(row) as f64))
    };
    let envelope: Vec<f64> = (0..lack.len()).map(spread).collect();
    for row in 0..lack.len() {
        let (mut sum, mut weights) = (0.0, 0.0);
        for (k, shift) in envelope.iter().enumerate() {
            let weight = (-0.5 * (k.abs_diff(row) as f64 / BLUR).powi(2)).exp();
            sum += weight * shift;
            weights += weight;
        }
        let shift = sum / weights;
        let ring = &mut sections.leg[(row + 1) * LEG_COLUMNS..(row + 2) * LEG_COLUMNS];
        ring.iter_mut().for_each(|p| p.x += shift);
        if row + 1 == lack.len() {
            sections.caps[2].iter_mut().for_each(|p| p.x += shift);
        }
    }
}
