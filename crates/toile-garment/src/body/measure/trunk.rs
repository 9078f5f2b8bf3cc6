//! Torso and neck, by level sections.

use super::{Axis, Girth, MeasureError, Plane, Scan, Station, station};
use crate::body::slice::Loop;
use glam::DVec3;

/// Height of a step upward (m).
const STEP: f64 = 0.005;
/// Halvings of a step: to 0.08 mm.
const HALVINGS: usize = 6;
/// Sudden growth (m) of the middle line to one side that an arm makes.
const JUMP: f64 = 0.025;

/// What was found of the trunk. Heights in the world.
pub(super) struct Trunk {
    pub(super) girths: Vec<Girth>,
    pub(super) crotch: f64,
    pub(super) armpits: [DVec3; 2],
    pub(super) neck: DVec3,
    pub(super) neck_base: DVec3,
    pub(super) shoulders: [DVec3; 2],
    pub(super) axis: Axis,
}

/// A level of the trunk.
struct Level {
    y: f64,
    line: Loop,
    girth: f64,
}

impl Level {
    fn at(body: &Scan, y: f64) -> Option<Self> {
        body.middle_line(y).map(|line| Self { y, girth: line.girth(), line })
    }

    fn as_girth(&self, name: &'static str) -> Girth {
        Girth { name, level: self.y, length: self.girth }
    }
}

/// Finds crotch, armpits, girths, neck and shoulders.
pub(super) fn trunk(body: &Scan) -> Result<Trunk, MeasureError> {
    let crotch = crotch(body)?;
    let armpits = [1.0, -1.0].map(|side| armpit(body, crotch, side));
    let [Some(left), Some(right)] = armpits else {
        let hint = "arms must stand off the torso, in A- or T-pose";
        return Err(MeasureError::Missing { part: "an armpit", hint });
    };
    let top = left.y.min(right.y);
    let levels = levels(body, crotch + STEP, top - 0.5 * STEP);
    let missing = MeasureError::Missing { part: "the trunk", hint: "is the mesh closed, and does it face +z?" };
    let mut girths = girths(body, &levels, crotch, top).ok_or(missing)?;
    let above = self::levels(body, top + 0.03 * body.height, body.at(0.97));
    let (neck, base) = neck(&above).ok_or(MeasureError::Missing { part: "the neck", hint: "is the body whole?" })?;
    girths.push(above[neck].as_girth("neck"));
    let centre = |k: usize| station(&Plane::level(above[k].y), &above[k].line).centre;
    let shoulders = [left, right].map(|armpit| shoulder(body, armpit));
    let all = levels.iter().chain(above[..=neck].iter().filter(|level| level.y >= above[base].y));
    let stations: Vec<Station> = all.step_by(4).map(|level| station(&Plane::level(level.y), &level.line)).collect();
    Ok(Trunk {
        girths,
        crotch,
        armpits: [left, right],
        neck: centre(neck),
        neck_base: centre(base),
        shoulders,
        axis: Axis { stations },
    })
}

fn levels(body: &Scan, from: f64, to: f64) -> Vec<Level> {
    let count = ((to - from) / STEP).max(0.0) as usize;
    (0..=count).filter_map(|k| Level::at(body, from + k as f64 * STEP)).collect()
}

/// The lowest height at which one line goes round the middle.
fn crotch(body: &Scan) -> Result<f64, MeasureError> {
    let (low, high) = (body.at(0.30), body.at(0.60));
    let count = ((high - low) / STEP) as usize;
    let closed = |y: f64| body.middle_line(y).is_some();
    let first = (0..=count).map(|k| low + k as f64 * STEP).find(|y| closed(*y));
    match first {
        Some(y) if y > low => Ok(bisect(y - STEP, y, closed)),
        _ => Err(MeasureError::Missing { part: "the crotch", hint: "legs must stand apart, and y must point up" }),
    }
}

/// The height between `low` and `high` at which something sets in.
fn bisect(mut low: f64, mut high: f64, is_there: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if is_there(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// Where the middle line suddenly grows to one side: the arm has joined it.
fn armpit(body: &Scan, crotch: f64, side: f64) -> Option<DVec3> {
    let reach = |y: f64| {
        let line = body.middle_line(y)?;
        Some(if side > 0.0 { line.high.x - body.middle } else { body.middle - line.low.x })
    };
    let start = crotch + 0.15 * body.height;
    let mut before = reach(start)?;
    let count = ((body.at(0.92) - start) / STEP) as usize;
    for k in 1..=count {
        let y = start + k as f64 * STEP;
        let now = reach(y)?;
        if now > before + JUMP {
            let y = bisect(y - STEP, y, |y| reach(y).is_some_and(|r| r > before + JUMP));
            // Just below, a gap lies between the torso and the arm: its middle is the crevice.
            let lines = body.section(&Plane::level(y - 0.2 * STEP));
            let x = body.middle + side * before;
            let torso = lines.iter().find(|l| l.low.x < body.middle && l.high.x > body.middle)?;
            let inner = |l: &Loop| if side > 0.0 { l.low.x } else { -l.high.x };
            let arms = lines.iter().map(inner).filter(|inner| *inner > side * x - 0.02);
            let gap = arms.fold(f64::MAX, f64::min);
            let edge = if side > 0.0 { torso.high.x } else { torso.low.x };
            let crevice = if gap < f64::MAX { 0.5 * (edge + side * gap) } else { edge };
            return Some(DVec3::new(crevice, y, torso.centre().y));
        }
        before = now;
    }
    None
}

/// Bust, underbust, waist and hip from the levels between crotch and armpits.
fn girths(body: &Scan, levels: &[Level], crotch: f64, armpit: f64) -> Option<Vec<Girth>> {
    let height = body.height;
    let within = |low: f64, high: f64| levels.iter().filter(move |l| l.y >= low && l.y <= high);
    let by = |value: fn(&Level) -> f64| move |a: &&Level, b: &&Level| value(a).total_cmp(&value(b));
    let bust = bust(within(armpit - 0.075 * height, armpit - 0.008 * height).collect())?;
    let underbust = within(bust.y - 0.05 * height, bust.y - 0.025 * height).min_by(by(|l| l.girth))?;
    let hip = within(crotch + 0.02 * height, crotch + 0.5 * (bust.y - crotch)).max_by(by(|l| l.girth))?;
    let low = crotch + 0.45 * (bust.y - crotch);
    let narrow = within(low, bust.y - 0.05 * height).min_by(by(|l| l.girth))?;
    // A belly has no narrow place: then the waist lies where it does on average.
    let ends = [low, bust.y - 0.05 * height].iter().any(|end| (narrow.y - end).abs() < 1.5 * STEP);
    let usual = crotch + 0.68 * (bust.y - crotch);
    let waist = if ends { within(usual, bust.y).next()? } else { narrow };
    let named = [("bust", bust), ("underbust", underbust), ("waist", waist), ("hip", hip)];
    Some(named.into_iter().map(|(name, level)| level.as_girth(name)).collect())
}

/// The level that bulges furthest forward from the straight line between the ends of the range: a belly further down may reach
/// further, but leads straight up to the chest.
fn bust(levels: Vec<&Level>) -> Option<&Level> {
    let (low, high) = (levels.first()?, levels.last()?);
    let slope = (high.line.high.y - low.line.high.y) / (high.y - low.y);
    let bulge = |l: &Level| l.line.high.y - slope * (l.y - low.y);
    levels.iter().copied().max_by(|a, b| bulge(a).total_cmp(&bulge(b)))
}

/// The narrowest level of the neck, and its base: where the tape has grown by a fifth further down.
fn neck(levels: &[Level]) -> Option<(usize, usize)> {
    // The crown of the head is narrow, too: only levels below the widest of the head count.
    let top = levels.len().checked_sub(1)?;
    let wide = (levels.len() / 2..=top).max_by(|a, b| levels[*a].girth.total_cmp(&levels[*b].girth))?;
    let neck = (0..wide.max(1)).min_by(|a, b| levels[*a].girth.total_cmp(&levels[*b].girth))?;
    let base = (0..neck).rev().find(|k| levels[*k].girth > 1.2 * levels[neck].girth).unwrap_or(0);
    Some((neck, base))
}

/// The outer end of the shoulder: the highest point above the crevice of the armpit, a tenth further out, but no further than
/// bones go, which do not grow with girth.
fn shoulder(body: &Scan, armpit: DVec3) -> DVec3 {
    let most = 0.135 * body.height;
    let x = body.middle + (1.1 * (armpit.x - body.middle)).clamp(-most, most);
    let plane = Plane { origin: DVec3::new(x, 0.0, 0.0), u: DVec3::Y, v: DVec3::Z };
    let points = body.section(&plane).into_iter().flat_map(|line| line.points);
    let top = points.filter(|p| p.x > armpit.y).max_by(|a, b| a.x.total_cmp(&b.x));
    top.map_or(armpit, |p| plane.point(p))
}
