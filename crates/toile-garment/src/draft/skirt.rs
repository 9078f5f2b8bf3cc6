//! Skirts: A-line with darts and waistband, full circle.
//!
//! Origin is the middle of the waist, or of the seam of the waistband; y runs up.

use super::draw::{Builder, Seen, Stroke, at, curved, outline, solve, straight, symmetric, wrapped};
use super::{DraftError, Ease, Measurements};
use crate::pattern::{Attachment, Curve, Dart, Garment, Panel, Path};
use glam::DVec2;
use std::f64::consts::PI;

/// Height of a waistband (m).
pub(super) const BAND: f64 = 0.04;

/// The body as it is measured from the seam of a waistband, not from its waist: the upper edge of the band lies there. Drawn from the waist, the widest part
/// of a skirt would hang as much too low as the band is high, and be caught on the hips above it.
pub(super) fn below_band(body: &Measurements) -> Measurements {
    Measurements { waist_to_hip: body.waist_to_hip - BAND, crotch_depth: body.crotch_depth - BAND, ..*body }
}

/// Share of what a quarter of hip and waist differ that its dart takes, its most (m), and its depth over the way from waist to hip: front, back. The side
/// seams take the rest. A belly goes straight down from the waist, a seat stands out by several centimetres: a wide dart in front makes a
/// cone where the body is flat, and the cloth about its point buckles.
const DARTS: [(f64, f64, f64); 2] = [(0.2, 0.015, 0.35), (0.36, 0.035, 0.55)];

/// The waist dart in each half of a front or back.
fn dart(body: &Measurements, ease: &Ease, back: bool) -> Dart {
    let differ = (body.hip + ease.hip - body.waist - ease.waist) / 4.0;
    let (share, most, depth) = DARTS[usize::from(back)];
    Dart { at: 0.5, width: (share * differ).clamp(0.008, most), depth: depth * body.waist_to_hip }
}

/// How high (m) the waist of a front or back stands in its middle and at its sides.
#[derive(Clone, Copy, Default)]
pub(super) struct Top {
    middle: f64,
    side: f64,
}

/// Shares of what a quarter of hip and waist differ by which a waist stands higher than in the middle of the front: at the sides, in the middle of the back.
/// The way down over a hip is longer than straight down a belly, over a seat longer still: on the mannequin F38 by 12 and 18 mm for a difference of
/// 6.75 cm. With a level waist the skirt hangs from its back and sides, and the front has that much to spare: it lies in folds.
const RISES: [f64; 2] = [0.18, 0.27];

impl Top {
    fn of(body: &Measurements, ease: &Ease, seen: Seen) -> Self {
        let differ = ((body.hip + ease.hip - body.waist - ease.waist) / 4.0).max(0.0);
        let [side, back] = RISES.map(|share| share * differ);
        Self { middle: if matches!(seen, Seen::Back) { back } else { 0.0 }, side }
    }

    /// The waist from its right end to its left one, half as wide as told (m): level at both ends and in the middle where it is bent.
    fn curve(&self, half: f64) -> Curve {
        // Left of a line that runs to the left is down. A cubic comes three quarters as far as its control points.
        let down = (self.side - self.middle) / 0.75 / (2.0 * half);
        if down == 0.0 { Curve::Line } else { Curve::Cubic(DVec2::new(0.35, down), DVec2::new(0.65, down)) }
    }

    /// Half the width of a waist that is so long (m) from end to end.
    fn half(&self, length: f64) -> f64 {
        let long = |half: f64| {
            let ends = [at(half, self.side), at(-half, self.side)];
            Path::new(&[(ends[0], self.curve(half)), (ends[1], Curve::Line)]).length()
        };
        solve([0.4 * length, 0.5 * length], length, long).unwrap_or(0.5 * length)
    }
}

/// What skirts differ in.
pub(super) struct Skirt {
    /// Its waist.
    pub(super) top: Top,
    /// What a quarter of its waist has of the panel beside it (m).
    pub(super) shift: f64,
    /// From the middle of the waist to the hem (m).
    pub(super) length: f64,
    /// How much a side goes out on its way down from the hip.
    pub(super) flare: f64,
}

/// Hardly wider at the knee than at the hip: to walk in, no more.
pub(super) const STRAIGHT: f64 = 0.06;
/// Clear of the thighs of who stands with legs apart: a straight skirt is as tight from the seat to the front of the thighs as it is about the hip,
/// and what lies above hangs slack.
const A_LINE: f64 = 0.16;

/// A front or back: waist with room for darts, shaped to the hip, flared from there.
pub(super) fn skirt_panel(name: &str, (body, ease): (&Measurements, &Ease), seen: Seen, skirt: &Skirt) -> Panel {
    let Skirt { top, shift, length, flare } = *skirt;
    let width = dart(body, ease, matches!(seen, Seen::Back)).width;
    let half_waist = top.half((body.waist + ease.waist) / 2.0 + 2.0 * (width + shift));
    let waist = at(half_waist, top.side);
    let hip = at((body.hip + ease.hip) / 4.0, -body.waist_to_hip);
    let hem = at(hip.x + flare * (length - body.waist_to_hip), -length);
    // The hip curve ends in the direction of the flare.
    let above = at(hip.x - flare * 0.4 * body.waist_to_hip, -0.6 * body.waist_to_hip);
    let half = vec![
        straight(at(0.0, hem.y), "hem"),
        straight(hem, "flare-"),
        curved(hip, [above, waist.lerp(above, 0.35)], waist, "side-"),
        straight(waist, "waist"),
    ];
    let mut panel = symmetric(name, &half, at(0.0, top.side), seen);
    if let Some(edge) = panel.outline.iter_mut().find(|e| e.label.as_deref() == Some("waist")) {
        edge.curve = top.curve(half_waist);
    }
    panel
}

/// The darts of a panel of [`skirt_panel`].
pub(super) fn skirt_darts(
    draft: &mut Builder,
    panel: &str,
    body: &Measurements,
    ease: &Ease,
) -> Result<(), DraftError> {
    let cut = dart(body, ease, panel.ends_with("back"));
    let half = 0.5 * draft.length(&[(panel, "waist")]);
    // Half way from the middle to the side; the later one first, as fractions count from the start.
    let far = Dart { at: 0.75, ..cut };
    draft.dart(panel, "waist", far, &format!("{panel}-dart-1"))?;
    let left = 1.5 * half - 0.5 * cut.width;
    let near = Dart { at: 0.5 * half / left, ..cut };
    draft.dart(panel, "waist", near, &format!("{panel}-dart-2"))
}

pub(super) fn a_line(body: &Measurements, ease: &Ease) -> Result<Garment, DraftError> {
    let body = &below_band(body);
    let mut draft = Builder::default();
    let length = body.waist_height() - body.knee_height;
    // Side seams of front and back are alike: what the back's dart takes more, the front's waist is wider.
    let shift = 0.5 * (dart(body, ease, true).width - dart(body, ease, false).width);
    let shifts = [shift, -shift];
    for ((name, seen), shift) in [("front", Seen::Front), ("back", Seen::Back)].into_iter().zip(shifts) {
        let skirt = Skirt { top: Top::of(body, ease, seen), shift, length, flare: A_LINE };
        let panel = skirt_panel(name, (body, ease), seen, &skirt);
        draft.add(panel, "leg", wrapped(&format!("torso-{name}"), at(0.0, 0.0)));
    }
    for side in ["left", "right"] {
        for part in ["flare", "side"] {
            let label = format!("{part}-{side}");
            draft.sew(&label, &[("front", &label)], &[("back", &label)]);
        }
    }
    waistband(&mut draft, shifts.map(|shift| (body.waist + ease.waist) / 2.0 + 2.0 * shift));
    for name in ["front", "back"] {
        skirt_darts(&mut draft, name, body, ease)?;
    }
    Ok(draft.garment)
}

/// A band of two pieces above the waists of front and back, as long as told, held at the waist.
fn waistband(draft: &mut Builder, halves: [f64; 2]) {
    for (name, half) in ["front", "back"].into_iter().zip(halves) {
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
