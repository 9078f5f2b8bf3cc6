//! Where panels start: flat in the world, or bent round a limb.
//!
//! Panels of torso and legs start flat in front of the body and behind it, out of the way of the arms, those of two legs side by side. Sleeves
//! and collars start bent round the limb, on a cylinder wide enough for both.

use super::CutError;
use crate::body::{Axis, Figures};
use crate::pattern::{Garment, Panel, Placement};
use glam::{DQuat, DVec2, DVec3};
use std::f64::consts::{PI, TAU};

/// Room between the body and a panel (m).
const ROOM: f64 = 0.05;
/// Room between panels of the two legs (m).
const BETWEEN: f64 = 0.02;
/// Room between a limb and what is bent round it (m): shoulders are wider than arms.
const ROUND: f64 = 0.03;

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
    /// On a cylinder: y of the panel along the axis, x round it.
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
    },
}

impl Stand {
    /// Place in the world of a place on the panel (m).
    pub fn place(&self, p: DVec2) -> DVec3 {
        match *self {
            Self::Flat { translation, rotation } => rotation * DVec3::new(p.x, p.y, 0.0) + translation,
            Self::Bent { anchor, centre, up, out, radius } => {
                let (angle, right) = ((p.x - anchor.x) / radius, up.cross(out));
                centre + (p.y - anchor.y) * up + radius * (angle.cos() * out + angle.sin() * right)
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
            Self::Bent { radius, anchor, centre, up, out } => {
                Self::Bent { radius: radius + distance, anchor, centre, up, out }
            }
        }
    }

    /// The same higher by a distance (m).
    pub fn higher(self, distance: f64) -> Self {
        let up = distance * DVec3::Y;
        match self {
            Self::Flat { translation, rotation } => Self::Flat { translation: translation + up, rotation },
            Self::Bent { radius, anchor, centre, up: axis, out } => {
                Self::Bent { radius, anchor, centre: centre + up, up: axis, out }
            }
        }
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
        let at = |place: DVec3, yaw: f64| {
            let rotation = DQuat::from_rotation_y(yaw) * DQuat::from_rotation_z(turn);
            Self::Flat { translation: place - rotation * DVec3::new(anchor.x, anchor.y, 0.0), rotation }
        };
        let [front, back] = depths(body);
        let waist = body.girths.iter().find(|g| g.name == "waist").map(|g| body.floor + g.level).ok_or_else(missing)?;
        let crotch = body.floor + body.crotch_level;
        let leg = |side: f64, z: f64, yaw: f64| {
            // Seen from outside the panel's x runs to the wearer's left in front and to the right behind.
            let [low, high] = panel.bounds();
            let left_is_right = if yaw == 0.0 { 1.0 } else { -1.0 };
            let inner = if side * left_is_right > 0.0 { anchor.x - low.x } else { high.x - anchor.x };
            at(DVec3::new(side * (inner + BETWEEN), crotch, z), yaw)
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
                Self::Bent { anchor, centre: body.neck_base, up: DVec3::Y, out: DVec3::NEG_Z, radius }
            }
            _ => return Err(unknown()),
        })
    }
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
    let centre = first + down * down.dot(shoulder - first);
    Some(Stand::Bent { anchor, centre, up: -down, out, radius: wide_enough(panel, widest) })
}

/// Radius on which a panel does not reach round to itself, clear of a limb of another radius (m).
fn wide_enough(panel: &Panel, limb: f64) -> f64 {
    let [low, high] = panel.bounds();
    // A sixteenth of the way round stays open.
    ((high.x - low.x) / TAU * 16.0 / 15.0).max(limb + ROUND)
}

/// Where all panels start.
pub(super) fn stands(garment: &Garment, body: Option<&Figures>) -> Result<Vec<Stand>, CutError> {
    garment.panels.iter().map(|panel| Stand::of(panel, body)).collect()
}
