//! Rings from coefficients: the tabulated bodies as points of the grid, left limbs only.
//!
//! Everything is linear in the tables, so shapes are turned into points once and then mixed as points.

use super::curve::natural;
use super::grid::{ARM_COLUMNS, ARM_ROWS, CAPS, LEG_COLUMNS, LEG_ROWS, SEAM, TORSO_COLUMNS, TORSO_ROWS};
use super::tables::{self, Coefficients, Stations};
use glam::DVec3;
use std::f64::consts::TAU;

/// Points of a body (m) by tube, row and column; torso points in the armholes and the cap borders included.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sections {
    pub(super) torso: Vec<DVec3>,
    pub(super) arm: Vec<DVec3>,
    /// Row 0 is empty: it belongs to torso and seam.
    pub(super) leg: Vec<DVec3>,
    pub(super) seam: Vec<DVec3>,
    /// Head, hand, toes.
    pub(super) caps: [Vec<DVec3>; 3],
}

/// The tabulated shapes: female and male, and differences to them.
pub(super) struct Shapes {
    base: [Sections; 2],
    heavy: [Sections; 2],
    light: [Sections; 2],
    bust: [Sections; 2],
}

impl Shapes {
    /// Reads the tables.
    pub(super) fn new() -> Self {
        let shapes = tables::shapes();
        let full = &shapes["f"];
        let of = |names: [&str; 2]| names.map(|name| Sections::of(&shapes[name], full));
        Self {
            base: of(["f", "m"]),
            heavy: of(["f_heavy", "m_heavy"]),
            light: of(["f_light", "m_light"]),
            bust: of(["f_bust_up", "f_bust_down"]),
        }
    }

    /// The body of a form (0 female, 1 male), bulk (negative for light) and cup (negative for small), of table height times `scale`.
    pub(super) fn mixed(&self, form: f64, bulk: f64, cup: f64, scale: f64) -> Sections {
        let [female, male] = [1.0 - form, form];
        let bulks = if bulk < 0.0 { &self.light } else { &self.heavy };
        let bust = &self.bust[usize::from(cup < 0.0)];
        let terms = [
            (&self.base[0], female),
            (&self.base[1], male),
            (&bulks[0], female * bulk.abs()),
            (&bulks[1], male * bulk.abs()),
            (bust, female * cup.abs()),
        ];
        let mut sum = self.base[0].clone();
        for (k, list) in sum.lists_mut().into_iter().enumerate() {
            for (n, point) in list.iter_mut().enumerate() {
                *point = terms.iter().map(|(shape, weight)| weight * scale * shape.lists()[k][n]).sum();
            }
        }
        sum
    }
}

impl Sections {
    /// Points of a shape; a station that it lacks and `full` has counts as zero.
    fn of(shape: &Coefficients, full: &Coefficients) -> Self {
        let torso = rows(&shape.torso, &full.torso, TORSO_ROWS);
        let arm = rows(&shape.arm, &full.arm, ARM_ROWS);
        let leg = rows(&shape.leg, &full.leg, LEG_ROWS);
        let ring = |rows: &[Vec<f64>], columns: usize| {
            let count = rows.len() * columns;
            (0..count).map(|n| limb_point(&rows[n / columns], n % columns, columns)).collect()
        };
        let mut leg: Vec<DVec3> = ring(&leg, LEG_COLUMNS);
        leg[..LEG_COLUMNS].fill(DVec3::ZERO);
        let seam = (0..SEAM).map(|i| shape.seam.get(i).map_or(DVec3::ZERO, |[y, z]| DVec3::new(0.0, *y, *z)));
        Self {
            torso: (0..TORSO_ROWS * TORSO_COLUMNS)
                .map(|n| torso_point(&torso[n / TORSO_COLUMNS], n % TORSO_COLUMNS))
                .collect(),
            arm: ring(&arm, ARM_COLUMNS),
            leg,
            seam: seam.collect(),
            caps: [0, 1, 2].map(|kind| cap_points(&shape.caps[kind], CAPS[kind])),
        }
    }

    fn lists(&self) -> [&Vec<DVec3>; 7] {
        let [head, hand, toes] = &self.caps;
        [&self.torso, &self.arm, &self.leg, &self.seam, head, hand, toes]
    }

    fn lists_mut(&mut self) -> [&mut Vec<DVec3>; 7] {
        let [head, hand, toes] = &mut self.caps;
        [&mut self.torso, &mut self.arm, &mut self.leg, &mut self.seam, head, hand, toes]
    }

    /// A torso ring.
    pub(super) fn torso_ring(&self, row: usize) -> &[DVec3] {
        &self.torso[row * TORSO_COLUMNS..(row + 1) * TORSO_COLUMNS]
    }

    /// A ring of the arm.
    pub(super) fn arm_ring(&self, row: usize) -> &[DVec3] {
        &self.arm[row * ARM_COLUMNS..(row + 1) * ARM_COLUMNS]
    }

    /// A ring of the leg, from row 1 on.
    pub(super) fn leg_ring(&self, row: usize) -> &[DVec3] {
        &self.leg[row * LEG_COLUMNS..(row + 1) * LEG_COLUMNS]
    }
}

/// Coefficients of every row: natural splines over the stations.
fn rows(own: &Stations, full: &Stations, count: usize) -> Vec<Vec<f64>> {
    let x: Vec<f64> = full.keys().map(|row| *row as f64).collect();
    let width = full.values().next().map_or(0, Vec::len);
    let mut rows = vec![vec![0.0; width]; count];
    for k in 0..width {
        let y: Vec<f64> = full.keys().map(|row| own.get(row).map_or(0.0, |c| c[k])).collect();
        natural(&x, &y, count).into_iter().zip(&mut rows).for_each(|(value, row)| row[k] = value);
    }
    rows
}

/// x = Σ aₖ sin kθ, y and z = Σ bₖ cos kθ: the torso is its own mirror image.
fn torso_point(coefficients: &[f64], column: usize) -> DVec3 {
    // Angles of the right half are taken from the left one, so that the image is exact.
    let left = column.min(TORSO_COLUMNS - column);
    let angle = |k: usize| TAU * ((k * left) % TORSO_COLUMNS) as f64 / TORSO_COLUMNS as f64;
    let x: f64 = (1..=10).map(|k| coefficients[k - 1] * angle(k).sin()).sum();
    let wave = |first: usize| (0..=10).map(|k| coefficients[first + k] * angle(k).cos()).sum();
    let x = if left.is_multiple_of(TORSO_COLUMNS / 2) { 0.0 } else { x };
    DVec3::new(if column > left { -x } else { x }, wave(10), wave(21))
}

/// x, y and z = Σ cₖ cos kθ + sₖ sin kθ.
fn limb_point(coefficients: &[f64], column: usize, columns: usize) -> DVec3 {
    let each = coefficients.len() / 3;
    let degree = each / 2;
    let angle = |k: usize| TAU * ((k * column) % columns) as f64 / columns as f64;
    let wave = |c: &[f64]| -> f64 {
        let sines: f64 = (1..=degree).map(|k| c[degree + k] * angle(k).sin()).sum();
        sines + (0..=degree).map(|k| c[k] * angle(k).cos()).sum::<f64>()
    };
    DVec3::from_array([0, 1, 2].map(|axis| wave(&coefficients[axis * each..(axis + 1) * each])))
}

/// Σ cᵢⱼ Tᵢ(u) Tⱼ(v) over a square grid.
fn cap_points(terms: &[(usize, usize, [f64; 3])], n: usize) -> Vec<DVec3> {
    let chebyshev = |degree: usize, step: usize| {
        let u = (2.0 * step as f64 / n as f64 - 1.0).clamp(-1.0, 1.0);
        (degree as f64 * u.acos()).cos()
    };
    let point = |a: usize, b: usize| -> DVec3 {
        terms.iter().map(|(i, j, c)| chebyshev(*i, a) * chebyshev(*j, b) * DVec3::from_array(*c)).sum()
    };
    (0..(n + 1) * (n + 1)).map(|m| point(m / (n + 1), m % (n + 1))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tape::girth;
    use super::*;

    const PROFILE: &str = include_str!("../../../../data/bodies/sections/girth_profile.csv");

    /// Level and girth of every tabulated row come back from the coefficients: to half a millimetre of
    /// girth, since coefficients are rounded to 0.1 mm and lie at stations only.
    #[test]
    fn tables_give_back_the_girth_profile() {
        let shapes = Shapes::new();
        let mut rows = 0;
        for line in PROFILE.lines().filter(|l| !l.starts_with('#')).skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let shape = &shapes.base[usize::from(cells[0] == "m")];
            let row: usize = cells[2].parse().unwrap();
            let ring = match cells[1] {
                "T" => shape.torso_ring(row),
                "A" => shape.arm_ring(row),
                _ => shape.leg_ring(row),
            };
            let wanted = [3, 4].map(|k| 1e-3 * cells[k].parse::<f64>().unwrap());
            let level = ring.iter().map(|p| p.y).sum::<f64>() / ring.len() as f64;
            assert!((girth(ring) - wanted[1]).abs() < 5e-4, "{line}: girth {}", girth(ring));
            assert!((level - wanted[0]).abs() < 3e-4, "{line}: level {level}");
            rows += 1;
        }
        assert_eq!(rows, 218);
    }

    /// Borders of the caps run along the last rings, in the order the grid joins them.
    #[test]
    fn caps_meet_the_rings_they_close() {
        let shapes = Shapes::new();
        for shape in &shapes.base {
            let rings = [shape.torso_ring(71), shape.arm_ring(48), shape.leg_ring(65)];
            for kind in 0..3 {
                let n = CAPS[kind];
                let first = [8, 4, 0][kind];
                for (k, (a, b)) in [(0, 0), (0, n), (n, n), (n, 0)].into_iter().enumerate() {
                    let corner = shape.caps[kind][a * (n + 1) + b];
                    let ring = rings[kind][(first + k * n) % (4 * n)];
                    assert!(corner.distance(ring) < 4e-3, "cap {kind}, corner {k}");
                }
            }
        }
    }
}
