//! Ponchos: two halves joined over the shoulders, with a round neck the head passes through.
//!
//! Drawn as seen from above: x to the wearer's left, −y to the front; the origin is the middle of the neck.

use super::draw::{Builder, Stroke, at, outline, straight};
use super::{DraftError, Ease, Measurements};
use crate::pattern::{Curve, Garment, Placement};
use glam::{DQuat, DVec2, DVec3};
use std::f64::consts::{FRAC_PI_2, PI};

pub(super) fn square(body: &Measurements, ease: &Ease) -> Result<Garment, DraftError> {
    let reach = reach(body);
    poncho(
        body,
        ease,
        &[
            straight(at(-reach, 0.0), "edge-start"),
            straight(at(-reach, -reach), "hem"),
            straight(at(reach, -reach), "edge-end"),
        ],
        reach,
    )
}

pub(super) fn round(body: &Measurements, ease: &Ease) -> Result<Garment, DraftError> {
    let reach = reach(body);
    let arc = Curve::Arc { radius: reach, large: false, right: true };
    let hem = |from: DVec2, label| Stroke { from, curve: arc, label };
    poncho(body, ease, &[hem(at(-reach, 0.0), "hem-start"), hem(at(0.0, -reach), "hem-end")], reach)
}

/// From the neck to the wrist, spread arms being half as long as the body.
fn reach(body: &Measurements) -> f64 {
    0.5 * body.shoulder_width + 0.75 * body.arm_length
}

fn poncho(body: &Measurements, ease: &Ease, hem: &[Stroke], reach: f64) -> Result<Garment, DraftError> {
    let neck = (body.head + 0.02 + ease.bust.max(0.0)) / (2.0 * PI);
    let mut draft = Builder::default();
    let inner = Curve::Arc { radius: neck, large: false, right: false };
    let mut strokes = hem.to_vec();
    strokes.push(straight(at(reach, 0.0), "shoulder-end"));
    strokes.push(Stroke { from: at(neck, 0.0), curve: inner, label: "neckline-end" });
    strokes.push(Stroke { from: at(0.0, -neck), curve: inner, label: "neckline-start" });
    strokes.push(straight(at(-neck, 0.0), "shoulder-start"));
    for (name, turn) in [("front", 0.0), ("back", PI)] {
        // Lying a little above the shoulders, the neck in its middle.
        let rotation = DQuat::from_rotation_y(turn) * DQuat::from_rotation_x(-FRAC_PI_2);
        let translation = DVec3::new(0.0, body.nape_height() + 0.03, 0.0);
        draft.add(outline(name, &strokes, ""), "body", Placement::Flat { translation, rotation });
    }
    draft.sew("shoulder-left", &[("front", "shoulder-end")], &[("back", "shoulder-start")]);
    draft.sew("shoulder-right", &[("back", "shoulder-end")], &[("front", "shoulder-start")]);
    Ok(draft.garment)
}
