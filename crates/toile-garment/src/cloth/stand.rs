//! Where panels start: flat in the world, or bent round a limb.
//!
//! Panels of torso and legs start flat in front of the body and behind it, out of the way of the arms, those of two legs side by side. Sleeves
//! and collars start bent round the limb, on a cylinder wide enough for both. Ponchos lie level above the shoulders. Skirts cut as rings hang
//! from the waist in folds about a cone: spread flat they would lie across the arms.

use super::CutError;
use crate::body::{Axis, Figures, Station};
use crate::pattern::{Garment, Panel, Placement};
use glam::{DQuat, DVec2, DVec3};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Room between the body and a panel (m).
const ROOM: f64 = 0.05;
/// Room between panels of the two legs (m).
const BETWEEN: f64 = 0.02;
/// Room between a limb and what is bent round it (m): shoulders are wider than arms.
const ROUND: f64 = 0.03;

/// The same at the wrist: hands are wider (m).
const AT_THE_WRIST: f64 = 0.027;
/// How far a sleeve starts beside the wrist there, towards its seam (m).
const ASIDE: f64 = 0.012;

/// Room between the base of the neck and what lies on the shoulders (m).
const ABOVE: f64 = 0.03;

/// Where a panel starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stand {
    /// x = rotation (p, 0) + translation.
    Flat {
        /// Of the panel's origin (m).
        translation: DVec3,
        /// Of its axes.
        rotation: DQuat,
    },
    /// On a cylinder, or a cone below some place: y of the panel along the axis, x round it.
    Bent {
        /// Panel point that lies at `out` (m).
        anchor: DVec2,
        /// Point of the axis behind it (m).
        centre: DVec3,
        /// Unit vector along the axis, the panel's y.
        up: DVec3,
        /// Unit vector from the axis to the anchor.
        out: DVec3,
        /// Radius of the cylinder (m).
        radius: f64,
        /// How the axis bows, as arms do: none for straight ones.
        bow: Bow,
        /// How the radius shrinks, as limbs do: not at all for collars.
        taper: Taper,
    },
    /// A ring about its anchor, as a cone that opens downwards. The cone is too narrow for it: it starts in folds.
    Cone {
        /// Middle of the ring on the panel (m).
        anchor: DVec2,
        /// Inner radius of the ring (m).
        inner: f64,
        /// Middle of its upper rim (m).
        centre: DVec3,
        /// Radius of the upper rim (m).
        rim: f64,
        /// Turn about the vertical (rad): none with the panel's −y to the front.
        yaw: f64,
    },
}

/// The bow of an axis: a parabola over its chord.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bow {
    /// From the middle of the chord to the axis (m).
    pub middle: DVec3,
    /// Length of the chord (m).
    pub length: f64,
    /// How far below the start of the chord the anchor lies (m).
    pub start: f64,
}

impl Bow {
    /// From the chord to the axis (m) at a distance below the anchor (m).
    pub(super) fn at(&self, below: f64) -> DVec3 {
        if self.length > 0.0 {
            let share = ((self.start + below) / self.length).max(0.0);
            4.0 * share * (1.0 - share) * self.middle
        } else {
            DVec3::ZERO
        }
    }
}

/// A radius that shrinks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Taper {
    /// Height on the panel below which it does (m).
    pub below: f64,
    /// Share of the radius lost on each metre.
    pub per_metre: f64,
    /// How far the axis moves away from the anchor's side on each metre.
    pub aside: f64,
    /// Whether it counts: for the next try where an even tube did not close.
    pub is_on: bool,
}

impl Taper {
    /// Share of the radius at a height on the panel (m).
    fn at(&self, y: f64) -> f64 {
        1.0 - self.per_metre * (self.below - y).max(0.0)
    }
}

/// Half the angle of the cones of ring skirts (rad): clear of the arms.
const HALF_ANGLE: f64 = PI / 6.0;
/// Folds of a whole ring, an even number so that halves go on in each other.
const FOLDS: f64 = 10.0;

impl Stand {
    /// Place in the world of a place on the panel (m).
    pub fn place(&self, p: DVec2) -> DVec3 {
        match *self {
            Self::Flat { translation, rotation } => rotation * DVec3::new(p.x, p.y, 0.0) + translation,
            Self::Bent { anchor, centre, up, out, radius, bow, taper } => {
                let centre = centre + bow.at(anchor.y - p.y);
                let taper = if taper.is_on { taper } else { Taper::default() };
                let centre = centre - taper.aside * (taper.below - p.y).max(0.0) * out;
                let radius = radius * taper.at(p.y);
                let (angle, right) = ((p.x - anchor.x) / radius, up.cross(out));
                centre + (p.y - anchor.y) * up + radius * (angle.cos() * out + angle.sin() * right)
            }
            Self::Cone { anchor, inner, centre, rim, yaw } => {
                let (from, slant) = (p - anchor, (p - anchor).length() - inner);
                let radius = rim + HALF_ANGLE.sin() * slant;
                // The panel's angle from +x towards −y; a circle of it goes into `FOLDS` meanders of its own length.
                let angle = (-from.y).atan2(from.x);
                let bend = bend(from.length() / radius);
                let [along, out] = meander(bend, FOLDS * angle);
                let middle = 0.5 * meander(bend, PI)[1];
                let (size, turn) = (from.length() / FOLDS, along / (FOLDS * share(bend)));
                let level = DQuat::from_rotation_y(yaw) * DVec3::new(turn.cos(), 0.0, turn.sin());
                centre + (radius + size * (out - middle)) * level - DVec3::Y * (HALF_ANGLE.cos() * slant)
            }
        }
    }

    /// The same further out by a distance (m): a flat panel whose right side faces along (1) or against (−1) its own z is moved that way, a
    /// bent one is bent less.
    pub fn further(self, distance: f64, facing: f64) -> Self {
        match self {
            Self::Flat { translation, rotation } => {
                Self::Flat { translation: translation + facing * distance * (rotation * DVec3::Z), rotation }
            }
            Self::Bent { radius, anchor, centre, up, out, bow, taper } => {
                Self::Bent { radius: radius + distance, anchor, centre, up, out, bow, taper }
            }
            Self::Cone { anchor, inner, centre, rim, yaw } => {
                Self::Cone { rim: rim + distance, anchor, inner, centre, yaw }
            }
        }
    }

    /// The same higher by a distance (m).
    pub fn higher(mut self, distance: f64) -> Self {
        match &mut self {
            Self::Flat { translation: place, .. }
            | Self::Bent { centre: place, .. }
            | Self::Cone { centre: place, .. } => {
                place.y += distance;
            }
        }
        self
    }

    /// The same on a radius that shrinks as it can: the next try for a sleeve that did not close round its arm. A shirt sewn so from the start closes
    /// sooner, and its collar is caught.
    pub fn tapered(mut self) -> Self {
        if let Self::Bent { taper, .. } = &mut self {
            taper.is_on = true;
        }
        self
    }

    /// Of a panel; wrapped ones need a body.
    pub(super) fn of(panel: &Panel, body: Option<&Figures>) -> Result<Self, CutError> {
        let (point, anchor, turn) = match &panel.placement {
            Placement::Flat { translation, rotation } => {
                return Ok(Self::Flat { translation: *translation, rotation: *rotation });
            }
            Placement::Wrapped { point, anchor, turn } => (point, *anchor, *turn),
        };
        let missing = || CutError::NoBody { panel: panel.name.clone(), point: point.clone() };
        let body = body.ok_or_else(missing)?;
        let unknown = || CutError::Point { panel: panel.name.clone(), point: point.clone() };
        let leaning = |place: DVec3, yaw: f64, lean: f64| {
            let rotation = DQuat::from_rotation_z(lean) * DQuat::from_rotation_y(yaw) * DQuat::from_rotation_z(turn);
            Self::Flat { translation: place - rotation * DVec3::new(anchor.x, anchor.y, 0.0), rotation }
        };
        let at = |place: DVec3, yaw: f64| leaning(place, yaw, 0.0);
        let [front, back] = depths(body);
        let waist = body.girths.iter().find(|g| g.name == "waist").map(|g| body.floor + g.level).ok_or_else(missing)?;
        let crotch = body.floor + body.crotch_level;
        let leg = |side: f64, z: f64, yaw: f64| {
            // Seen from outside the panel's x runs to the wearer's left in front and to the right behind.
            let [low, high] = panel.bounds();
            let left_is_right = if yaw == 0.0 { 1.0 } else { -1.0 };
            let inner = if side * left_is_right > 0.0 { anchor.x - low.x } else { high.x - anchor.x };
            let place = DVec3::new(side * (inner + BETWEEN), crotch, z);
            let wanted = lean(body, side, place, anchor.y - low.y);
            // As far as it does not come to the other leg.
            let mut stands = (1..=LEANS).rev().map(|k| leaning(place, yaw, wanted * f64::from(k) / f64::from(LEANS)));
            stands.find(|s| stays_on_its_side(s, panel, side)).unwrap_or_else(|| at(place, yaw))
        };
        Ok(match point.as_str() {
            "torso-front" => at(DVec3::new(0.0, waist, front), 0.0),
            "torso-back" => at(DVec3::new(0.0, waist, back), PI),
            "leg-left-front" => leg(1.0, front, 0.0),
            "leg-right-front" => leg(-1.0, front, 0.0),
            "leg-left-back" => leg(1.0, back, PI),
            "leg-right-back" => leg(-1.0, back, PI),
            "arm-left" => sleeve(panel, anchor, &body.arms[0], body.shoulders[0]).ok_or_else(missing)?,
            "arm-right" => sleeve(panel, anchor, &body.arms[1], body.shoulders[1]).ok_or_else(missing)?,
            "neck-back" => {
                let neck = body.girths.iter().find(|g| g.name == "neck").map_or(0.4, |g| g.length);
                let radius = wide_enough(panel, neck / TAU);
                Self::Bent {
                    anchor,
                    centre: body.neck_base,
                    up: DVec3::Y,
                    out: DVec3::NEG_Z,
                    radius,
                    bow: Bow::default(),
                    taper: Taper::default(),
                }
            }
            "shoulders-front" => level(body, anchor, turn, 0.0),
            "shoulders-back" => level(body, anchor, turn, PI),
            "waist-front" => ring(panel, anchor, body, waist, 0.0).ok_or_else(missing)?,
            "waist-back" => ring(panel, anchor, body, waist, PI).ok_or_else(missing)?,
            _ => return Err(unknown()),
        })
    }
}

/// A meander of unit speed, whose direction swings by `bend` (rad) about straight on: how far along and aside it is after a time.
fn meander(bend: f64, time: f64) -> [f64; 2] {
    // Simpson's rule; directions are smooth, and a hundredth of a fold is far below what a mesh shows.
    let steps = 2 * (time.abs() / 0.2).ceil().max(1.0) as usize;
    let h = time / steps as f64;
    let mut sum = [0.0; 2];
    for k in 0..=steps {
        let weight = if k == 0 || k == steps { 1.0 } else { [2.0, 4.0][k % 2] };
        let direction = bend * (k as f64 * h).sin();
        sum[0] += weight * direction.cos();
        sum[1] += weight * direction.sin();
    }
    sum.map(|s| s * h / 3.0)
}

/// How far along a meander gets for its length.
fn share(bend: f64) -> f64 {
    meander(bend, TAU)[0] / TAU
}

/// The swing (rad) of a meander that is so many times longer than straight on; none for shorter ones.
fn bend(times: f64) -> f64 {
    let [mut low, mut high] = [0.0, 2.0];
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if times * share(middle) > 1.0 { low = middle } else { high = middle }
    }
    low
}

/// Angles that are tried for the lean of a leg.
const LEANS: u32 = 20;

/// How a panel of a leg has to be turned in its plane (rad) for the leg to be behind it from end to end. Crotches are wide and legs stand close: upright
/// a panel would have its inner edge over the middle of the shin, and be drawn round the wrong side of the leg.
fn lean(body: &Figures, side: f64, place: DVec3, length: f64) -> f64 {
    let end = place.y - length;
    let stations = body.legs.iter().flat_map(|leg| &leg.stations).filter(|s| s.centre.x * side > 0.0);
    let nearest = stations.min_by(|a, b| (a.centre.y - end).abs().total_cmp(&(b.centre.y - end).abs()));
    nearest.map_or(0.0, |s| (s.centre.x - place.x).atan2(length))
}

/// Whether a panel has all of its outline on one side of the body, half the room between legs off its middle.
fn stays_on_its_side(stand: &Stand, panel: &Panel, side: f64) -> bool {
    let mut points = (0..panel.outline.len()).flat_map(|e| panel.edge_path(e).into_points());
    points.all(|p| side * stand.place(p).x >= 0.5 * BETWEEN)
}

/// Planes in front of the body and behind it (m).
fn depths(body: &Figures) -> [f64; 2] {
    let axes = [&body.torso, &body.legs[0], &body.legs[1]];
    let stations = || axes.iter().flat_map(|a| &a.stations);
    let front = stations().map(|s| s.centre.z + s.half_depth).fold(f64::NEG_INFINITY, f64::max);
    let back = stations().map(|s| s.centre.z - s.half_depth).fold(f64::INFINITY, f64::min);
    [front + ROOM, back - ROOM]
}

fn sleeve(panel: &Panel, anchor: DVec2, arm: &Axis, shoulder: DVec3) -> Option<Stand> {
    let (first, last) = (arm.stations.first()?.centre, arm.stations.last()?.centre);
    let down = (last - first).normalize();
    let side = DVec3::X * first.x.signum();
    let out = (side - down * down.dot(side)).normalize();
    let widest = arm.stations.iter().map(|s| s.girth / TAU).fold(0.0, f64::max);
    let start = down.dot(shoulder - first);
    let middle = arm.stations[arm.stations.len() / 2].centre - first;
    // Across the chord: elbows of people who stand are not straight, and a straight sleeve would have the forearm beside it.
    let bow = Bow { middle: middle - down * down.dot(middle), length: first.distance(last), start };
    let radius = wide_enough(panel, widest);
    let taper = taper(panel, radius, arm.stations.last()?.girth / TAU);
    Some(Stand::Bent { anchor, centre: first + down * start, up: -down, out, radius, bow, taper })
}

/// Towards its lower end a sleeve starts on a narrower circle, where it still goes round most of it: half way round a wide one the arm would lie between
/// its sides, and stitches across it draw the sides against the arm instead of round it.
fn taper(panel: &Panel, radius: f64, wrist: f64) -> Taper {
    let points: Vec<DVec2> = (0..panel.outline.len()).flat_map(|e| panel.edge_path(e).into_points()).collect();
    let [low, high] = panel.bounds();
    let widest = points.iter().filter(|p| p.x == high.x).map(|p| p.y).fold(f64::INFINITY, f64::min);
    let end = |p: &&DVec2| p.y - low.y < 0.05 * (high.y - low.y);
    let [left, right] =
        points.iter().filter(end).fold([f64::INFINITY, f64::NEG_INFINITY], |[l, r], p| [l.min(p.x), r.max(p.x)]);
    let narrow = round_open(right - left).max(wrist + AT_THE_WRIST);
    let long = widest - low.y;
    if long > 0.0 && narrow < radius {
        Taper { below: widest, per_metre: (1.0 - narrow / radius) / long, aside: ASIDE / long, is_on: false }
    } else {
        Taper::default()
    }
}

/// Lying level a little above the shoulders, its anchor in the middle of the neck and its −y to the front if it is not turned.
fn level(body: &Figures, anchor: DVec2, turn: f64, yaw: f64) -> Stand {
    let rotation = DQuat::from_rotation_y(yaw) * DQuat::from_rotation_x(-FRAC_PI_2) * DQuat::from_rotation_z(turn);
    let share = ABOVE / (body.neck.y - body.neck_base.y).max(ABOVE);
    let middle = body.neck_base.lerp(body.neck, share);
    Stand::Flat { translation: middle - rotation * DVec3::new(anchor.x, anchor.y, 0.0), rotation }
}

/// Hanging from the waist, clear of the body there.
fn ring(panel: &Panel, anchor: DVec2, body: &Figures, waist: f64, yaw: f64) -> Option<Stand> {
    let near = |a: &&Station, b: &&Station| (a.centre.y - waist).abs().total_cmp(&(b.centre.y - waist).abs());
    let station = body.torso.stations.iter().min_by(near)?;
    let points = (0..panel.outline.len()).flat_map(|e| panel.edge_path(e).into_points());
    let inner = points.map(|p| p.distance(anchor)).fold(f64::INFINITY, f64::min);
    let rim = inner.max(station.half_width.max(station.half_depth) + ROUND);
    let centre = DVec3::new(station.centre.x, waist, station.centre.z);
    Some(Stand::Cone { anchor, inner, centre, rim, yaw })
}

/// Radius on which a panel does not reach round to itself, clear of a limb of another radius (m).
fn wide_enough(panel: &Panel, limb: f64) -> f64 {
    let [low, high] = panel.bounds();
    round_open(high.x - low.x).max(limb + ROUND)
}

/// Radius (m) on which a width goes round but for a sixteenth of the way.
fn round_open(width: f64) -> f64 {
    width / TAU * 16.0 / 15.0
}

/// Where all panels start.
pub(super) fn stands(garment: &Garment, body: Option<&Figures>) -> Result<Vec<Stand>, CutError> {
    garment.panels.iter().map(|panel| Stand::of(panel, body)).collect()
}
