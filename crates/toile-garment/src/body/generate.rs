//! From measurements to points: the recipe's rounds of reshaping, fairing, measuring and correcting.

use super::BodyError;
use super::fairing::Fairing;
use super::grid::{ARM_COLUMNS, CAPS, Grid, LEG_COLUMNS, LEG_ROWS, TORSO_COLUMNS, TORSO_ROWS};
use super::levels::{self, CROTCH, CROWN, FLOOR, Levels, NAPE};
use super::measurements::{BUST, GIRTHS, Girths, HIP, Measurements, THIGH, UNDERBUST, UPPER_ARM, WAIST};
use super::measurements::{check, girths_of};
use super::sections::{Sections, Shapes};
use super::tape::girth;
use super::torso::{self, Frame};
use super::{arm, leg};
use glam::DVec3;

/// Rounds of measuring and correcting. The first five only find the cup; after seven, girths are within 0.1 mm.
const ROUNDS: usize = 9;
/// Rounds in which the cup takes up what the bust lacks.
const CUP_ROUNDS: usize = 4;
/// From this form on there is no cup.
const NO_CUP: f64 = 0.7;
/// Largest miss of a girth or length (m). Sane bodies miss by 0.2 mm at most; more means that measurements contradict each other.
const MISS: f64 = 1e-3;
/// Bulk is not drawn out further than the tables allow: beyond, bodies grow ledges.
const BULK: [f64; 2] = [-1.0, 1.2];

/// What is wanted: girths, shoulder width, arm length (m) and levels.
struct Wanted {
    girths: Girths,
    shoulder: f64,
    arm: f64,
    levels: Levels,
}

/// A body's points before and after fairing, and how its arms were lifted (rad).
pub(super) struct Generated {
    pub(super) target: Sections,
    pub(super) points: Vec<DVec3>,
    pub(super) lift: f64,
}

/// Generates the points of a body.
pub(super) fn generate(m: &Measurements, grid: &Grid, shapes: &Shapes) -> Result<Generated, BodyError> {
    let girths = m.girths(shapes)?;
    let scale = m.scale();
    let average = shapes.mixed(m.form, 0.0, 0.0, scale);
    let bulk = bulk(m, shapes, &girths);
    let table = shapes.mixed(m.form, bulk, 0.0, scale);
    let arm = girths[UPPER_ARM] / girths_of(&average)[UPPER_ARM];
    let wanted = Wanted {
        shoulder: shoulder(m, &table, &girths)?,
        arm: arm_length(m, &table)?,
        levels: levels::wanted(m, &levels::levels_of(&table), arm)?,
        girths,
    };
    let mut fairing = Fairing::new(grid)?;
    let mut aim = Aim::of(&wanted, &table);
    let mut body = None;
    for round in 0..ROUNDS {
        let has_cup = m.form < NO_CUP && round < CUP_ROUNDS;
        let (target, lift) = aim.target(&shapes.mixed(m.form, bulk, aim.cup, scale), scale, has_cup);
        let points = fairing.solve(grid, &scattered(grid, &target));
        let got = Got::of(grid, &points);
        aim.correct(&wanted, &got, has_cup.then_some(4.0 / (1.3 - m.form)));
        if round + 1 == ROUNDS {
            got.check(&wanted)?;
        }
        body = Some(Generated { target, points, lift });
    }
    body.ok_or_else(|| BodyError::Solver { reason: "no round was made".into() })
}

/// The bulk whose tables come nearest to the girths, in the sum of squared log ratios.
fn bulk(m: &Measurements, shapes: &Shapes, girths: &Girths) -> f64 {
    let given = [(BUST, true), (UNDERBUST, m.underbust.is_some()), (WAIST, true), (HIP, true)];
    let limbs = [(THIGH, m.thigh.is_some()), (UPPER_ARM, m.upper_arm.is_some())];
    let counted: Vec<usize> =
        given.into_iter().chain(limbs).filter(|(_, is_given)| *is_given).map(|(k, _)| k).collect();
    let cost = |bulk: f64| -> f64 {
        let table = girths_of(&shapes.mixed(m.form, bulk, 0.0, m.scale()));
        counted.iter().map(|k| (girths[*k] / table[*k]).ln().powi(2)).sum()
    };
    // Golden section: 22 steps leave 6e-5 of the range, far below what can be seen.
    let share = 0.5 * (5f64.sqrt() - 1.0);
    let [mut low, mut high] = BULK;
    let (mut a, mut b) = (high - share * (high - low), low + share * (high - low));
    let (mut at_a, mut at_b) = (cost(a), cost(b));
    for _ in 0..22 {
        if at_a < at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - share * (high - low);
            at_a = cost(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + share * (high - low);
            at_b = cost(b);
        }
    }
    0.5 * (low + high)
}

/// Shoulder width: as given, or the table's with a third of the bust's growth.
fn shoulder(m: &Measurements, table: &Sections, girths: &Girths) -> Result<f64, BodyError> {
    let own = 2.0 * table.torso[43 * TORSO_COLUMNS + 16].x;
    match m.shoulder_width {
        None => Ok(own * (girths[BUST] / girths_of(table)[BUST]).powf(0.35)),
        Some(width) => check("shoulder_width", width, [0.8 * own, 1.3 * own]).map(|()| width),
    }
}

/// Length of the arm: as given, or the table's.
fn arm_length(m: &Measurements, table: &Sections) -> Result<f64, BodyError> {
    let points: Vec<DVec3> = (0..=35).map(|row| table.arm_ring(row)[0]).collect();
    let own = length(&points);
    match m.arm_length {
        None => Ok(own),
        Some(length) => check("arm_length", length, [0.75 * own, 1.3 * own]).map(|()| length),
    }
}

fn length(points: &[DVec3]) -> f64 {
    points.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
}

/// What the sections are shaped to so that the faired body comes out as wanted.
struct Aim {
    girths: Girths,
    /// Factors on the tables.
    shoulder: f64,
    arm: f64,
    levels: Levels,
    cup: f64,
}

impl Aim {
    fn of(wanted: &Wanted, table: &Sections) -> Self {
        let shoulder = wanted.shoulder / (2.0 * table.torso[43 * TORSO_COLUMNS + 16].x);
        let arm: Vec<DVec3> = (0..=35).map(|row| table.arm_ring(row)[0]).collect();
        Self { girths: wanted.girths, shoulder, arm: wanted.arm / length(&arm), levels: wanted.levels, cup: 0.0 }
    }

    /// Reshaped sections and the angle the arms were lifted by.
    fn target(&self, table: &Sections, scale: f64, has_cup: bool) -> (Sections, f64) {
        let height = levels::map(&levels::levels_of(table), &self.levels);
        let bust_power = if has_cup { 0.35 } else { 1.0 };
        let frame = Frame { shoulder: self.shoulder, head: scale.powf(-0.55), bust_power };
        let growth = torso::growth(table, &self.girths, &frame);
        let mut sections = table.clone();
        torso::reshape(&mut sections, &growth, &height);
        leg::reshape(&mut sections, &self.girths, growth[0], scale, &height);
        let lift = arm::reshape(&mut sections, &self.girths, self.arm, scale);
        (sections, lift)
    }

    /// Moves the aim by what was missed; with a `cup` rate, what the bust lacks goes into the cup.
    fn correct(&mut self, wanted: &Wanted, got: &Got, cup: Option<f64>) {
        for k in 0..GIRTHS.len() {
            let ratio = wanted.girths[k] / got.girths[k];
            match cup {
                Some(rate) if k == BUST => self.cup = (self.cup + rate * (ratio - 1.0)).clamp(-1.0, 1.5),
                _ => self.girths[k] *= ratio,
            }
        }
        self.shoulder *= wanted.shoulder / got.shoulder;
        self.arm *= wanted.arm / got.arm;
        for (level, at) in [(FLOOR, got.floor), (CROTCH, got.crotch), (NAPE, got.nape), (CROWN, got.crown)] {
            self.levels[level] += wanted.levels[level] - at;
        }
    }
}

/// What a faired body measures (m).
struct Got {
    girths: Girths,
    shoulder: f64,
    arm: f64,
    floor: f64,
    crotch: f64,
    nape: f64,
    crown: f64,
}

impl Got {
    fn of(grid: &Grid, points: &[DVec3]) -> Self {
        let at = |v: u32| points[v as usize];
        let along = |ring: &[u32]| girth(&ring.iter().map(|v| at(*v)).collect::<Vec<_>>());
        let girths = std::array::from_fn(|k| match GIRTHS[k].tube {
            'T' => along(&grid.torso_ring(GIRTHS[k].row)),
            'A' => along(grid.arm_ring(0, GIRTHS[k].row)),
            _ => along(grid.leg_ring(0, GIRTHS[k].row)),
        });
        let torso = |row, column| grid.torso(row, column).map_or(DVec3::ZERO, at);
        let arm: Vec<DVec3> = (0..=35).map(|row| at(grid.arm(0, row, 0))).collect();
        Self {
            girths,
            shoulder: 2.0 * torso(43, 16).x,
            arm: length(&arm),
            floor: points.iter().fold(f64::MAX, |low, p| low.min(p.y)),
            crotch: grid.seam.iter().fold(f64::MAX, |low, v| low.min(at(*v).y)),
            nape: torso(51, 32).y,
            crown: points.iter().fold(0.0, |top: f64, p| top.max(p.y)),
        }
    }

    fn check(&self, wanted: &Wanted) -> Result<(), BodyError> {
        let levels =
            [("crotch_height", CROTCH, self.crotch), ("nape_height", NAPE, self.nape), ("height", CROWN, self.crown)];
        let levels = levels.map(|(name, k, got)| (name, wanted.levels[k], got));
        let others = [("shoulder_width", wanted.shoulder, self.shoulder), ("arm_length", wanted.arm, self.arm)];
        let girths = (0..GIRTHS.len()).map(|k| (GIRTHS[k].name, wanted.girths[k], self.girths[k]));
        for (name, wanted, got) in girths.chain(others).chain(levels) {
            if !((wanted - got).abs() <= MISS) {
                return Err(BodyError::Missed { name, wanted, got });
            }
        }
        Ok(())
    }
}

/// Sections at the vertices of the grid; armhole loops lie between torso and arm.
fn scattered(grid: &Grid, sections: &Sections) -> Vec<DVec3> {
    let mut points = vec![DVec3::ZERO; grid.vertex_count];
    for n in 0..TORSO_ROWS * TORSO_COLUMNS {
        if let Some(v) = grid.torso(n / TORSO_COLUMNS, n % TORSO_COLUMNS) {
            points[v as usize] = sections.torso[n];
        }
    }
    for (v, p) in grid.seam.iter().zip(&sections.seam) {
        points[*v as usize] = *p;
    }
    for (side, image) in [(0, DVec3::ONE), (1, DVec3::new(-1.0, 1.0, 1.0))] {
        for (n, p) in sections.arm.iter().enumerate() {
            let v = grid.arm(side, n / ARM_COLUMNS, n % ARM_COLUMNS) as usize;
            points[v] = if n < ARM_COLUMNS { 0.5 * (points[v] + image * p) } else { image * p };
        }
        for n in LEG_COLUMNS..LEG_ROWS * LEG_COLUMNS {
            points[grid.leg(side, n / LEG_COLUMNS, n % LEG_COLUMNS) as usize] = image * sections.leg[n];
        }
        for kind in (0..3).filter(|kind| *kind > 0 || side == 0) {
            let n = CAPS[kind];
            for a in 1..n {
                for b in 1..n {
                    let m = a * (n + 1) + b;
                    points[grid.cap(kind, side)[m] as usize] = image * sections.caps[kind][m];
                }
            }
        }
    }
    points
}
