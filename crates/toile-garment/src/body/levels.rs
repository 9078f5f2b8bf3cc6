//! Heights: where floor, ankle, knee, crotch, hip, waist, bust, armpit, nape and crown lie in the tables, where they shall lie,
//! and the map between the two.

use super::BodyError;
use super::curve::Monotone;
use super::grid::{LEG_COLUMNS, TORSO_COLUMNS};
use super::measurements::Measurements;
use super::sections::Sections;
use super::tape::centroid;

/// Heights (m) in the order of [`NAMES`].
pub(super) type Levels = [f64; 10];
const NAMES: [&str; 10] = ["floor", "ankle", "knee", "crotch", "hip", "waist", "bust", "armpit", "nape", "crown"];
pub(super) const FLOOR: usize = 0;
const KNEE: usize = 2;
pub(super) const CROTCH: usize = 3;
const HIP: usize = 4;
const WAIST: usize = 5;
const BUST: usize = 6;
const ARMPIT: usize = 7;
pub(super) const NAPE: usize = 8;
pub(super) const CROWN: usize = 9;
/// Smallest height difference between neighbours (m): rows in between need room. Ranges of sane people lie well above.
const GAPS: [f64; 9] = [0.03, 0.15, 0.15, 0.02, 0.06, 0.06, 0.022, 0.03, 0.12];

/// Levels of a tabulated body.
pub(super) fn levels_of(sections: &Sections) -> Levels {
    let leg = |row| centroid(sections.leg_ring(row)).y;
    let torso = |row| centroid(sections.torso_ring(row)).y;
    let point = |row: usize, column: usize| sections.torso[row * TORSO_COLUMNS + column].y;
    let crown = sections.caps[0].iter().fold(0.0, |top: f64, p| top.max(p.y));
    let crotch = sections.seam.iter().fold(crown, |low, p| low.min(p.y));
    let floor = sections.leg[45 * LEG_COLUMNS..].iter().chain(&sections.caps[2]);
    let floor = floor.fold(crown, |low, p| low.min(p.y));
    [floor, leg(45), leg(23), crotch, torso(1), torso(20), torso(31), point(35, 16), point(51, 32), crown]
}

/// Levels wanted: given ones, and the others in proportion between them. `arm` is the upper arm's girth over the table's.
pub(super) fn wanted(m: &Measurements, table: &Levels, arm: f64) -> Result<Levels, BodyError> {
    // Heads vary less than bodies: with the 0.45th power of the scale, and the tables are already scaled.
    let head = (table[CROWN] - table[NAPE]) * m.scale().powf(-0.55);
    let mut known = [None; 10];
    known[FLOOR] = Some(0.0);
    known[KNEE] = m.knee_height;
    known[CROTCH] = m.crotch_height;
    known[NAPE] = Some(m.nape_height.unwrap_or(m.height - head));
    known[CROWN] = Some(m.height);
    let nape = known[NAPE].unwrap_or(m.height);
    known[WAIST] = m.back_length.map(|length| nape - length);
    known[BUST] = m.nape_to_bust.map(|length| nape - length);
    if let Some(length) = m.waist_to_hip {
        known[HIP] = Some(filled(&known, table)[WAIST] - length);
    }
    let mut levels = filled(&known, table);
    if known[HIP].is_none() {
        levels[HIP] = levels[HIP].max(levels[CROTCH] + GAPS[CROTCH]);
    }
    // Thick arms need a lower armpit.
    levels[ARMPIT] = (levels[ARMPIT] - 0.06 * (arm - 1.1).max(0.0)).max(levels[BUST] + GAPS[BUST]);
    for k in 0..GAPS.len() {
        if !(levels[k + 1] - levels[k] >= GAPS[k] - 1e-9) {
            let (lower, upper) = (NAMES[k], NAMES[k + 1]);
            let (low, high, gap) = (levels[k], levels[k + 1], GAPS[k]);
            return Err(BodyError::Levels { lower, low, upper, high, gap });
        }
    }
    Ok(levels)
}

/// Unknown levels keep their proportion between known neighbours.
fn filled(known: &[Option<f64>; 10], table: &Levels) -> Levels {
    let mut levels = *table;
    let mut below = 0;
    for above in 1..levels.len() {
        let (Some(low), Some(high)) = (known[below], known[above]) else { continue };
        for k in below..=above {
            let share = (table[k] - table[below]) / (table[above] - table[below]);
            levels[k] = low + share * (high - low);
        }
        below = above;
    }
    levels
}

/// The map from heights of the tables to wanted ones.
pub(super) fn map(table: &Levels, levels: &Levels) -> Monotone {
    Monotone::new(table.iter().copied().zip(levels.iter().copied()))
}
