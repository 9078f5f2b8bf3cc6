//! Torso and head: how much each row grows, and the point of its depth that stays.

use super::curve::Monotone;
use super::grid::{TORSO_COLUMNS, TORSO_ROWS};
use super::measurements::{BUST, GIRTHS, Girths, HIP, NECK, UNDERBUST, WAIST};
use super::sections::Sections;
use super::tape::girth;
use glam::DVec3;

/// The resting point of a ring's depth, as a share from back to front: belly and bust grow forward, seat backward.
const REST: [(f64, f64); 8] =
    [(1.0, 0.58), (10.0, 0.50), (20.0, 0.36), (27.0, 0.34), (31.0, 0.32), (36.0, 0.35), (43.0, 0.45), (51.0, 0.5)];

/// Factors of a row in x and z, and the z that stays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Growth {
    pub(super) x: f64,
    pub(super) z: f64,
    pub(super) rest: f64,
}

impl Growth {
    /// The point after growth; its height is untouched.
    pub(super) fn of(&self, p: DVec3) -> DVec3 {
        DVec3::new(self.x * p.x, p.y, self.depth(p.z))
    }

    /// The depth after growth.
    pub(super) fn depth(&self, z: f64) -> f64 {
        self.rest + self.z * (z - self.rest)
    }
}

/// What shapes the torso besides its girths.
pub(super) struct Frame {
    /// Wanted shoulder width over that of the tables.
    pub(super) shoulder: f64,
    /// Head width over that of the scaled tables.
    pub(super) head: f64,
    /// How much of the bust's growth over the underbust's the ring itself takes, as a power; the cup does the rest.
    pub(super) bust_power: f64,
}

/// Factors that bring rows from the tables' girths to wanted ones. The difference of girths is interpolated between the
/// nodes, not the factor: factors would bulge beside every node.
pub(super) fn growth_of_rows(table: &[f64], nodes: &[(usize, f64)]) -> Vec<f64> {
    let curve = |value: &dyn Fn(&(usize, f64)) -> f64| {
        let first = nodes.first().map(|n| (n.0 as f64 - 7.0, value(n)));
        let last = nodes.last().map(|n| (n.0 as f64 + 7.0, value(n)));
        Monotone::new(first.into_iter().chain(nodes.iter().map(|n| (n.0 as f64, value(n)))).chain(last))
    };
    let (from, to) = (curve(&|n| table[n.0]), curve(&|n| n.1));
    let factor = |(row, girth): (usize, &f64)| (to.at(row as f64) + girth - from.at(row as f64)) / girth;
    table.iter().enumerate().map(factor).collect()
}

/// Growth of every row from the tables' girths to `aim`.
pub(super) fn growth(sections: &Sections, aim: &Girths, frame: &Frame) -> Vec<Growth> {
    let last = GIRTHS[BUST].row;
    let table: Vec<f64> = (0..=last).map(|row| girth(sections.torso_ring(row))).collect();
    let factor = |k: usize| aim[k] / table[GIRTHS[k].row];
    let under = factor(UNDERBUST);
    let bust = under * (factor(BUST) / under).powf(frame.bust_power);
    let node = |k: usize| (GIRTHS[k].row, aim[k]);
    let nodes = [node(HIP), node(WAIST), node(UNDERBUST), (last, bust * table[last])];
    let lower = growth_of_rows(&table, &nodes);
    let neck = aim[NECK] / girth(sections.torso_ring(GIRTHS[NECK].row));
    let (shoulder, head) = (frame.shoulder, frame.head);
    let rows = [31.0, 35.0, 43.0, 51.0, 54.0, 60.0];
    let slim = neck.powf(0.9);
    let base = 0.8 * slim + 0.2 * shoulder;
    let x = [bust, 1.03 * bust, 0.8 * shoulder + 0.2 * bust, base, neck, head];
    let z = [bust, bust, (0.6 * bust + 0.4 * neck).powf(0.8), slim, neck, head];
    let [x, z] = [x, z].map(|factors| Monotone::new(rows.into_iter().zip(factors)));
    let rest = Monotone::new(REST);
    let grow = |row: usize| {
        let at = row as f64;
        let depths = sections.torso_ring(row).iter().map(|p| p.z);
        let (back, front) = depths.fold((f64::MAX, f64::MIN), |(low, high), z| (low.min(z), high.max(z)));
        let [x, z] = if row <= last { [lower[row]; 2] } else { [x.at(at), z.at(at)] };
        Growth { x, z, rest: back + rest.at(at) * (front - back) }
    };
    (0..TORSO_ROWS).map(grow).collect()
}

/// Grows torso, head and seam and moves them to new heights.
pub(super) fn reshape(sections: &mut Sections, growth: &[Growth], height: &Monotone) {
    let moved = |growth: &Growth, p: &DVec3| growth.of(DVec3::new(p.x, height.at(p.y), p.z));
    for (row, growth) in growth.iter().enumerate() {
        for p in &mut sections.torso[row * TORSO_COLUMNS..(row + 1) * TORSO_COLUMNS] {
            *p = moved(growth, p);
        }
    }
    sections.caps[0].iter_mut().for_each(|p| *p = moved(&growth[TORSO_ROWS - 1], p));
    sections.seam.iter_mut().for_each(|p| *p = moved(&growth[0], p));
}
