//! Arms and legs, by sections across them.

use super::trunk::Trunk;
use super::{Axis, Girth, MeasureError, Plane, Scan, Station, station};
use crate::body::slice::Loop;
use glam::{DVec2, DVec3};

/// Sections along an arm, and along a leg.
const STATIONS: usize = 40;

/// What was found of a pair of limbs, left and right.
pub(super) struct Limbs {
    pub(super) girths: Vec<Girth>,
    pub(super) axes: [Axis; 2],
    pub(super) ends: [DVec3; 2],
}

fn girth(name: &'static str, station: &Station) -> Girth {
    Girth { name, level: station.centre.y, length: station.girth }
}

fn narrowest<'a>(stations: impl Iterator<Item = &'a Station>) -> Option<&'a Station> {
    stations.min_by(|a, b| a.girth.total_cmp(&b.girth))
}

fn widest<'a>(stations: impl Iterator<Item = &'a Station>) -> Option<&'a Station> {
    stations.max_by(|a, b| a.girth.total_cmp(&b.girth))
}

/// Legs: level sections from the crotch to the ankle.
pub(super) fn legs(body: &Scan, trunk: &Trunk) -> Result<Limbs, MeasureError> {
    let missing = MeasureError::Missing { part: "a leg", hint: "is the mesh closed, and do the legs stand apart?" };
    let sides = [1.0, -1.0].map(|side| leg(body, trunk, side));
    let [Some(left), Some(right)] = sides else { return Err(missing) };
    let height = |s: &&Station| (s.centre.y - body.floor) / body.height;
    let within = |low: f64, high: f64| left.stations.iter().filter(move |s| (low..=high).contains(&height(s)));
    let crotch = (trunk.crotch - body.floor) / body.height;
    let calf = widest(within(0.16, 0.24)).ok_or(missing.clone())?;
    let shin = height(&calf);
    let parts = [
        ("thigh", widest(within(crotch - 0.04, crotch - 0.02))),
        ("knee", narrowest(within(shin + 0.03, shin + 0.12))),
        ("calf", Some(calf)),
        ("ankle", narrowest(within(0.03, 0.10))),
    ];
    let girths = parts.into_iter().filter_map(|(name, s)| s.map(|s| girth(name, s))).collect();
    let axes = [left, right];
    let ankle =
        |axis: &Axis| narrowest(axis.stations.iter().filter(|s| (0.03..=0.10).contains(&height(s)))).map(|s| s.centre);
    let [Some(a), Some(b)] = axes.each_ref().map(ankle) else { return Err(missing) };
    let cut = |axis: &Axis, end: DVec3| Axis {
        stations: axis.stations.iter().filter(|s| s.centre.y >= end.y).copied().collect(),
    };
    Ok(Limbs { girths, axes: [cut(&axes[0], a), cut(&axes[1], b)], ends: [a, b] })
}

/// Of the lines at a level, the leg is that nearest to the middle on its side; hands hang further out.
fn leg(body: &Scan, trunk: &Trunk, side: f64) -> Option<Axis> {
    let count = 2 * STATIONS;
    let (top, bottom) = (trunk.crotch - 0.01 * body.height, body.at(0.03));
    let mut stations = Vec::new();
    for k in 0..=count {
        let plane = Plane::level(top + (bottom - top) * k as f64 / count as f64);
        let lines = body.section(&plane);
        let own = lines.iter().filter(|l| side * (l.centre().x - body.middle) > 0.0 && l.girth() > 0.08);
        let nearest = own.min_by(|a, b| (side * a.centre().x).total_cmp(&(side * b.centre().x)))?;
        stations.push(station(&plane, nearest));
    }
    Some(Axis { stations })
}

/// Arms: sections across the line from the shoulder to the finger tips.
pub(super) fn arms(body: &Scan, trunk: &Trunk) -> Result<Limbs, MeasureError> {
    let missing = MeasureError::Missing { part: "an arm", hint: "arms must stand off the torso, in A- or T-pose" };
    let [Some(left), Some(right)] = [0, 1].map(|side| arm(body, trunk, side)) else { return Err(missing) };
    let (axis, _) = &left;
    let along = axis.stations.len();
    let upper = widest(axis.stations[along / 4..along / 2].iter()).ok_or(missing.clone())?;
    let wrist = axis.stations.last().ok_or(missing)?;
    let girths = vec![girth("upper_arm", upper), girth("wrist", wrist)];
    Ok(Limbs { girths, ends: [left.1, right.1], axes: [left.0, right.0] })
}

/// Axis of an arm and the middle of its wrist.
fn arm(body: &Scan, trunk: &Trunk, side: usize) -> Option<(Axis, DVec3)> {
    let sign = [1.0, -1.0][side];
    let root = 0.5 * (trunk.shoulders[side] + trunk.armpits[side]);
    let tip = *body.vertices.iter().max_by(|a, b| (sign * a.x).total_cmp(&(sign * b.x)))?;
    // Hands take about 0.11 of the height: the wrist is the narrowest place before them.
    let end = tip + (root - tip).normalize_or_zero() * (0.085 * body.height);
    let straight: Vec<DVec3> = (0..=STATIONS).map(|k| root.lerp(end, k as f64 / STATIONS as f64)).collect();
    // Across the straight line first, then across the line through the middles that gave.
    let rough = across(body, trunk, &straight);
    let middles: Vec<DVec3> = std::iter::once(root).chain(rough.iter().map(|s| s.centre)).collect();
    let mut stations = across(body, trunk, &resampled(&smoothed(&middles), STATIONS));
    let late = stations.len() * 2 / 3;
    let wrist = (late..stations.len()).min_by(|a, b| stations[*a].girth.total_cmp(&stations[*b].girth))?;
    stations.truncate(wrist + 1);
    let (first, last) = (*stations.first()?, *stations.last()?);
    if first.centre.distance(root) > 0.01 {
        stations.insert(0, Station { centre: root, ..first });
    }
    Some((Axis { stations }, last.centre))
}

/// Sections across a line. Near the armpit they run into the torso: such sections are left out.
fn across(body: &Scan, trunk: &Trunk, line: &[DVec3]) -> Vec<Station> {
    let bust = trunk.girths[0].length;
    let at = |k: usize| {
        let direction = line[(k + 3).min(line.len() - 1)] - line[k.saturating_sub(3)];
        let plane = Plane::across(line[k], direction.normalize_or(DVec3::X));
        let found = station(&plane, &nearest(body, &plane)?);
        let is_arm = found.girth < 0.55 * bust && found.centre.distance(plane.origin) < 0.08 * body.height;
        is_arm.then_some(found)
    };
    (0..line.len()).filter_map(at).collect()
}

fn smoothed(line: &[DVec3]) -> Vec<DVec3> {
    let mean = |k: usize| (line[k - 1] + line[k] + line[k + 1]) / 3.0;
    let last = line.len().saturating_sub(1);
    (0..line.len()).map(|k| if k == 0 || k == last { line[k] } else { mean(k) }).collect()
}

/// Points at even distances along a line.
fn resampled(line: &[DVec3], count: usize) -> Vec<DVec3> {
    let mut walked = vec![0.0];
    for pair in line.windows(2) {
        walked.push(walked[walked.len() - 1] + pair[0].distance(pair[1]));
    }
    let total = walked[walked.len() - 1];
    let at = |share: f64| {
        let k = walked.partition_point(|w| *w <= share * total).clamp(1, line.len() - 1);
        let step = walked[k] - walked[k - 1];
        line[k - 1].lerp(line[k], if step > 0.0 { (share * total - walked[k - 1]) / step } else { 0.0 })
    };
    if line.len() < 2 { line.to_vec() } else { (0..=count).map(|k| at(k as f64 / count as f64)).collect() }
}

/// The line nearest to the plane's origin.
fn nearest(body: &Scan, plane: &Plane) -> Option<Loop> {
    let lines = body.section(plane).into_iter().filter(|l| l.girth() > 0.08);
    lines.min_by(|a, b| a.centre().distance(DVec2::ZERO).total_cmp(&b.centre().distance(DVec2::ZERO)))
}
