//! The section tables that ship with Toile, read once.
//!
//! They are part of the program: a fault in them is a fault of the build, found by the tests, so reading them panics instead of
//! returning errors.

use std::collections::BTreeMap;

/// Text of the tables.
const TORSO: &str = include_str!("../../../../data/bodies/sections/torso.csv");
const ARM: &str = include_str!("../../../../data/bodies/sections/arm.csv");
const LEG: &str = include_str!("../../../../data/bodies/sections/leg.csv");
const SEAM_CAPS: &str = include_str!("../../../../data/bodies/sections/seam_caps.csv");
const JOINTS: &str = include_str!("../../../../data/bodies/sections/joints.csv");
const LANDMARKS: &str = include_str!("../../../../data/bodies/sections/landmarks.csv");

/// Unit of the tables (m).
const UNIT: f64 = 1e-4;

/// Coefficients of one tube and shape by station row (m).
pub(super) type Stations = BTreeMap<usize, Vec<f64>>;

/// Coefficients of one shape, all lengths in metres.
#[derive(Clone, Debug, Default)]
pub(super) struct Coefficients {
    /// x by sines, y and z by cosines of torso rings.
    pub(super) torso: Stations,
    /// Cosines and sines of x, y and z of arm rings.
    pub(super) arm: Stations,
    /// The same of leg rings.
    pub(super) leg: Stations,
    /// y and z of seam vertices, back to front.
    pub(super) seam: Vec<[f64; 2]>,
    /// Chebyshev coefficients of head, hand and toe caps: the two degrees and x, y, z.
    pub(super) caps: [Vec<(usize, usize, [f64; 3])>; 3],
}

/// A joint: its name, the joint it hangs on, and the ring it is placed by.
#[derive(Clone, Debug)]
pub(super) struct JointRule {
    pub(super) name: &'static str,
    pub(super) parent: Option<&'static str>,
    /// `T`, `A` or `L`.
    pub(super) tube: char,
    pub(super) row: usize,
    /// Offset from the centroid of the ring, in mean ring radii.
    pub(super) offset: [f64; 3],
}

/// A line of the table of landmarks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    /// `girth`, `point` or `region`.
    pub(super) kind: &'static str,
    pub(super) name: &'static str,
    /// `T`, `A`, `L` or `seam`.
    pub(super) tube: &'static str,
    /// First and last row.
    pub(super) rows: (usize, usize),
    /// Columns as written.
    pub(super) columns: &'static str,
}

/// Lines without comments and heading, split at commas.
fn lines(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    text.lines().filter(|line| !line.starts_with('#')).skip(1).map(|line| line.split(',').collect())
}

fn number<T: std::str::FromStr>(text: &str) -> T {
    text.parse().ok().expect("tables hold numbers")
}

fn lengths<const N: usize>(cells: &[&str]) -> [f64; N] {
    std::array::from_fn(|k| UNIT * cells.get(k).map_or(0.0, |cell| number::<f64>(cell)))
}

/// Coefficients by the name of the shape.
pub(super) fn shapes() -> BTreeMap<&'static str, Coefficients> {
    let mut shapes: BTreeMap<&str, Coefficients> = BTreeMap::new();
    for (tube, text) in [TORSO, ARM, LEG].into_iter().enumerate() {
        for cells in lines(text) {
            let values = cells[2..].iter().map(|cell| UNIT * number::<f64>(cell)).collect();
            let shape = shapes.entry(cells[0]).or_default();
            [&mut shape.torso, &mut shape.arm, &mut shape.leg][tube].insert(number(cells[1]), values);
        }
    }
    for cells in lines(SEAM_CAPS) {
        let shape = shapes.entry(cells[0]).or_default();
        match cells[1] {
            "seam" => shape.seam.push(lengths(&cells[4..])),
            part => {
                let kind = ["head", "hand", "toe"].iter().position(|p| *p == part).expect("a known cap");
                shape.caps[kind].push((number(cells[2]), number(cells[3]), lengths(&cells[4..])));
            }
        }
    }
    shapes
}

/// Joints of the middle and the left side.
pub(super) fn joints() -> Vec<JointRule> {
    let rule = |cells: Vec<&'static str>| JointRule {
        name: cells[0],
        parent: (cells[1] != "-").then_some(cells[1]),
        tube: cells[2].chars().next().expect("a tube"),
        row: number(cells[3]),
        offset: [4, 5, 6].map(|k| number(cells[k])),
    };
    lines(JOINTS).map(rule).collect()
}

/// Landmarks, girths and regions of the middle and the left side.
pub(super) fn marks() -> Vec<Mark> {
    let mark = |cells: Vec<&'static str>| {
        let (first, last) = cells[3].split_once('-').unwrap_or((cells[3], cells[3]));
        let rows = (number(first), number(last));
        Mark { kind: cells[0], name: cells[1], tube: cells[2], rows, columns: cells[4] }
    };
    lines(LANDMARKS).map(mark).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All tables are read, with the stations, coefficients and marks the recipe names.
    #[test]
    fn tables_hold_what_the_recipe_names() {
        let shapes = shapes();
        let names = ["f", "f_bust_down", "f_bust_up", "f_heavy", "f_light", "m", "m_heavy", "m_light"];
        assert!(shapes.keys().eq(names.iter()));
        for name in ["f", "m"] {
            let shape = &shapes[name];
            assert_eq!([shape.torso.len(), shape.arm.len(), shape.leg.len(), shape.seam.len()], [46, 25, 34, 11]);
            assert!(shape.torso.values().all(|c| c.len() == 32) && shape.arm.values().all(|c| c.len() == 39));
            assert!(shape.leg.values().all(|c| c.len() == 51));
            assert_eq!(shape.caps.each_ref().map(Vec::len), [49, 9, 9]);
        }
        assert_eq!(joints().len(), 14);
        let count = |kind| marks().iter().filter(|m| m.kind == kind).count();
        assert_eq!(["girth", "point", "region"].map(count), [12, 17, 18]);
    }
}
