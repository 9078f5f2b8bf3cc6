//! Skirts: A-line with darts and waistband, full circle.
//!
//! Origin is the middle of the waist; y runs up.

use super::draw::{Builder, Seen, Stroke, at, curved, outline, straight, symmetric, wrapped};
use super::{DraftError, Ease, Measurements};
use crate::pattern::{Attachment, Curve, Dart, Garment, Panel};
use std::f64::consts::PI;

/// Height of a waistband (m).
pub(super) const BAND: f64 = 0.04;

/// Width and depth of each of the two waist darts of a panel (m). A third of what hip and waist differ goes into darts, the rest
/// into the side seams; backs are rounder, their darts longer.
fn dart(body: &Measurements, ease: &Ease, back: bool) -> Dart {
    let differ = (body.hip + ease.hip - body.waist - ease.waist) / 4.0;
    let depth = if back { 0.65 } else { 0.5 } * body.waist_to_hip;
    Dart { at: 0.5, width: (differ / 3.0).clamp(0.008, 0.035), depth }
}

/// A front or back: waist with room for darts, shaped to the hip, flared from there.
pub(super) fn skirt_panel(name: &str, body: &Measurements, ease: &Ease, seen: Seen, length: f64) -> Panel {
    let width = dart(body, ease, matches!(seen, Seen::Back)).width;
    let waist = at((body.waist + ease.waist) / 4.0 + width, 0.0);
    let hip = at((body.hip + ease.hip) / 4.0, -body.waist_to_hip);
    let flare = 0.06;
    let hem = at(hip.x + flare * (length - body.waist_to_hip), -length);
    // The hip curve ends in the direction of the flare.
    let above = at(hip.x - flare * 0.4 * body.waist_to_hip, -0.6 * body.waist_to_hip);
    let half = vec![
        straight(at(0.0, hem.y), "hem"),
        straight(hem, "flare-"),
        curved(hip, [above, waist.lerp(above, 0.35)], waist, "side-"),
        straight(waist, "waist"),
    ];
    symmetric(name, &half, at(0.0, 0.0), seen)
}

/// The darts of a panel of [`skirt_panel`].
pub(super) fn skirt_darts(
    draft: &mut Builder,
    panel: &str,
    body: &Measurements,
    ease: &Ease,
) -> Result<(), DraftError> {
    let cut = dart(body, ease, panel.ends_with("back"));
    let half = (body.waist + ease.waist) / 4.0 + cut.width;
    // Half way from the middle to the side; the later one first, as fractions count from the start.
    let far = Dart { at: 0.75, ..cut };
    draft.dart(panel, "waist", far, &format!("{panel}-dart-1"))?;
    let left = 1.5 * half - 0.5 * cut.width;
    let near = Dart { at: 0.5 * half / left, ..cut };
    draft.dart(panel, "waist", near, &format!("{panel}-dart-2"))
}

pub(super) fn a_line(body: &Measurements, ease: &Ease) -> Result<Garment, DraftError> {
    let mut draft = Builder::default();
    let length = body.waist_height() - body.knee_height;
    for (name, seen) in [("front", Seen::Front), ("back", Seen::Back)] {
        draft.add(skirt_panel(name, body, ease, seen, length), "leg", wrapped(&format!("torso-{name}"), at(0.0, 0.0)));
    }
    for side in ["left", "right"] {
        for part in ["flare", "side"] {
            let label = format!("{part}-{side}");
            draft.sew(&label, &[("front", &label)], &[("back", &label)]);
        }
    }
    waistband(&mut draft, (body.waist + ease.waist) / 2.0);
    for name in ["front", "back"] {
        skirt_darts(&mut draft, name, body, ease)?;
    }
    Ok(draft.garment)
}

/// A band of two pieces above the waists of front and back, each `half` long, held at the waist.
fn waistband(draft: &mut Builder, half: f64) {
    for name in ["front", "back"] {
        let band = format!("band-{name}");
        let strokes = [
            straight(at(-0.5 * half, 0.0), "lower"),
            straight(at(0.5 * half, 0.0), "right"),
            straight(at(0.5 * half, BAND), "upper"),
            straight(at(-0.5 * half, BAND), "left"),
        ];
        draft.add(outline(&band, &strokes, ""), "body", wrapped(&format!("torso-{name}"), at(0.0, 0.0)));
        draft.sew(&format!("waist-{name}"), &[(name, "waist")], &[(&band, "lower")]);
    }
    draft.sew("band-left", &[("band-front", "right")], &[("band-back", "left")]);
    draft.sew("band-right", &[("band-front", "left")], &[("band-back", "right")]);
    let spans = ["band-front", "band-back"].map(|band| draft.edge(band, "upper")).to_vec();
    draft.garment.attachments.push(Attachment { name: "waist".into(), to: "waist".into(), spans });
}

pub(super) fn circle(body: &Measurements, ease: &Ease) -> Result<Garment, DraftError> {
    // The waist is the inner circle.
    let inner = (body.waist + ease.waist) / (2.0 * PI);
    let outer = inner + body.waist_height() - body.knee_height;
    let mut draft = Builder::default();
    for name in ["front", "back"] {
        let arc = |radius: f64, right: bool| Curve::Arc { radius, large: false, right };
        // Front half, seen from above: its middle towards −y, the wearer's left to the right. A half circle is cut in the
        // middle: half an arc could bulge either way.
        let strokes = [
            Stroke { from: at(-outer, 0.0), curve: arc(outer, true), label: "hem-start" },
            Stroke { from: at(0.0, -outer), curve: arc(outer, true), label: "hem-end" },
            straight(at(outer, 0.0), "side-end"),
            Stroke { from: at(inner, 0.0), curve: arc(inner, false), label: "waist-end" },
            Stroke { from: at(0.0, -inner), curve: arc(inner, false), label: "waist-start" },
            straight(at(-inner, 0.0), "side-start"),
        ];
        draft.add(outline(name, &strokes, ""), "leg", wrapped(&format!("waist-{name}"), at(0.0, 0.0)));
    }
    draft.sew("side-left", &[("front", "side-end")], &[("back", "side-start")]);
    draft.sew("side-right", &[("back", "side-end")], &[("front", "side-start")]);
    let waist = ["front", "back"].into_iter().flat_map(|p| ["waist-end", "waist-start"].map(|l| (p, l)));
    let spans = waist.map(|(panel, label)| draft.edge(panel, label)).collect();
    draft.garment.attachments.push(Attachment { name: "waist".into(), to: "waist".into(), spans });
    Ok(draft.garment)
}
