//! Ponchos: two halves joined over the shoulders, with a round neck the head passes through.
//!
//! Drawn as seen from above: x to the wearer's left, −y to the front; the origin is the middle of the neck.

use super::draw::{Builder, Stroke, at, outline, straight, wrapped};
use super::{DraftError, Ease, Measurements};
use crate::pattern::{Curve, Garment};
use glam::DVec2;
use std::f64::consts::PI;

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
    for name in ["front", "back"] {
        draft.add(outline(name, &strokes, ""), "body", wrapped(&format!("shoulders-{name}"), at(0.0, 0.0)));
    }
    draft.sew("shoulder-left", &[("front", "shoulder-end")], &[("back", "shoulder-start")]);
    draft.sew("shoulder-right", &[("back", "shoulder-end")], &[("front", "shoulder-start")]);
    Ok(draft.garment)
}
