//! Straight trousers.
//!
//! Origin of each panel is the crease, the middle of the leg, at the height of the crotch; y runs up. The front of the left leg
//! is drawn with its outer side to the right; the back is its mirror, wider at the fork and raised at the middle.

use super::draw::{Builder, Stroke, at, curved, mirrored, outline, solve, straight, wrapped};
use super::skirt::{BAND, below_band};
use super::{DraftError, Ease, Measurements};
use crate::pattern::{Attachment, Curve, Dart, Garment, Path};
use glam::DVec2;

/// What fronts and backs differ in (m).
struct Part {
    /// From the crease to the outer side at the hip line.
    side: f64,
    /// Width at the hip line.
    hip: f64,
    /// Width at the waist, the dart included.
    waist: f64,
    /// How far the fork reaches beyond the middle.
    fork: f64,
    /// How far the fork lies below the crotch: it makes the inseams of front and back as long as each other.
    drop: f64,
    /// How far the middle stands above the waist, and leans outwards there.
    raise: f64,
    lean: f64,
    /// Widths at knee and hem.
    knee: f64,
    hem: f64,
}

/// Ease of the crotch depth (m).
const SEAT: f64 = 0.012;

impl Part {
    fn new(body: &Measurements, ease: &Ease, back: bool) -> Self {
        let sign = if back { 1.0 } else { -1.0 };
        let hip = body.hip + ease.hip;
        // A fork is a twentieth of the hip girth at the front, twice that at the back.
        let fork = hip * if back { 0.10 } else { 0.048 };
        let knee = (0.5 * (body.knee + 0.09)).max(0.2 * hip) + sign * 0.01;
        // The crease of the front is the middle of its width at the crotch. The back's lies as far from its outer side, so that
        // the outer seams are one line; knee and hem are a centimetre wider there.
        let front = 0.5 * (hip / 4.0 - 0.005 + hip * 0.048);
        Self {
            side: if back { front + 0.01 } else { front },
            hip: hip / 4.0 + sign * 0.005,
            waist: (body.waist + ease.waist) / 4.0,
            fork,
            drop: 0.0,
            raise: if back { 0.02 } else { 0.0 },
            lean: if back { 0.025 } else { 0.008 },
            knee,
            hem: knee - 0.015,
        }
    }

    /// Points of the left front, or of the right back.
    fn strokes(&self, body: &Measurements, dart: f64) -> Vec<Stroke> {
        let top = body.crotch_depth + SEAT;
        let hip_level = top - body.waist_to_hip.min(top - 0.04);
        let (knee_level, hem_level) = (body.knee_height - body.inseam, 0.03 - body.inseam);
        let side = self.side;
        let middle = side - self.hip;
        let fork = at(middle - self.fork, -self.drop);
        let centre_hip = at(middle, hip_level);
        let centre = at(middle + self.lean, top + self.raise);
        let waist = at(centre.x + (((self.waist + dart).powi(2) - self.raise.powi(2)).max(0.0)).sqrt(), top);
        let hip = at(side, hip_level);
        let (knee, knee_in) = (at(0.5 * self.knee, knee_level), at(-0.5 * self.knee, knee_level));
        let outside = [hip.lerp(waist, 0.4) + at(0.15 * (side - waist.x), 0.0), waist.lerp(hip, 0.3)];
        let crotch = [at(middle, 0.35 * hip_level), at(middle - 0.25 * self.fork, fork.y)];
        // Thigh curves go on straight where the calf begins.
        let calf = |from: DVec2, hem: f64| (from - at(hem, hem_level)).normalize_or_zero();
        let rise = 0.35 * (hip_level - knee_level);
        let outer = [knee + calf(knee, 0.5 * self.hem) * rise, hip - at(0.0, rise)];
        let inner = [fork.lerp(knee_in, 0.3), knee_in + calf(knee_in, -0.5 * self.hem) * (0.4 * -knee_level)];
        vec![
            straight(at(-0.5 * self.hem, hem_level), "hem"),
            straight(at(0.5 * self.hem, hem_level), "outer-calf"),
            curved(knee, outer, hip, "outer-thigh"),
            curved(hip, outside, waist, "outer-hip"),
            straight(waist, "waist"),
            straight(centre, "middle"),
            curved(centre_hip, crotch, fork, "crotch"),
            curved(fork, inner, knee_in, "inner-thigh"),
            straight(knee_in, "inner-calf"),
        ]
    }

    fn inseam(&self, body: &Measurements) -> f64 {
        let strokes = self.strokes(body, 0.0);
        let way: Vec<(DVec2, Curve)> = [7, 8, 0].map(|i| (strokes[i].from, strokes[i].curve)).to_vec();
        Path::new(&way).length()
    }
}

pub(super) fn trousers(body: &Measurements, ease: &Ease) -> Result<Garment, DraftError> {
    let body = &below_band(body);
    let mut parts = [false, true].map(|back| Part::new(body, ease, back));
    let front = parts[0].inseam(body);
    let lowered = |drop: f64| Part { drop, ..Part::new(body, ease, true) }.inseam(body);
    // The longer fork of the back makes its inseam longer; lowering it takes that away again.
    parts[1].drop = solve([-0.02, 0.06], front, lowered)
        .ok_or(DraftError::Unmet { what: "an inseam", advice: "hip, crotch depth and inseam do not go together" })?;
    // The waist is taken in by a dart in each panel and by the side seams.
    let darts = [0.012, 0.03].map(|most| ((parts[1].hip - parts[1].waist) / 3.0).clamp(0.008, most));
    // By as much in front as behind, so that the outer seams are alike: where darts and the middle take more, the waist is narrower.
    let [front, back] = [0, 1].map(|k| parts[k].hip - parts[k].lean - parts[k].waist - darts[k]);
    parts[0].waist += 0.5 * (front - back);
    parts[1].waist -= 0.5 * (front - back);
    let (front, back) = (parts[0].strokes(body, darts[0]), parts[1].strokes(body, darts[1]));
    let mut draft = Builder::default();
    for (name, strokes) in [
        ("left-front", front.clone()),
        ("left-back", mirrored(&back)),
        ("right-front", mirrored(&front)),
        ("right-back", back),
    ] {
        draft.add(outline(name, &strokes, ""), "leg", wrapped(&format!("leg-{name}"), at(0.0, 0.0)));
    }
    sew(&mut draft, &parts);
    for (name, face) in [("left-front", 0), ("right-front", 0), ("left-back", 1), ("right-back", 1)] {
        let cut = Dart { at: 0.5, width: darts[face], depth: [0.35, 0.55][face] * body.waist_to_hip };
        draft.dart(name, "waist", cut, &format!("{name}-dart"))?;
    }
    Ok(draft.garment)
}

fn sew(draft: &mut Builder, parts: &[Part; 2]) {
    for side in ["left", "right"] {
        let [front, back] = ["front", "back"].map(|p| format!("{side}-{p}"));
        for part in ["outer-calf", "outer-thigh", "outer-hip", "inner-thigh", "inner-calf"] {
            draft.sew(&format!("{part}-{side}"), &[(&front, part)], &[(&back, part)]);
        }
    }
    for face in ["front", "back"] {
        let [left, right] = ["left", "right"].map(|s| format!("{s}-{face}"));
        for part in ["middle", "crotch"] {
            draft.sew(&format!("{part}-{face}"), &[(&left, part)], &[(&right, part)]);
        }
    }
    // Bands, seen from outside: on the front the wearer's left is to the right, on the back to the left.
    for (face, part, order) in [("front", &parts[0], ["right", "left"]), ("back", &parts[1], ["left", "right"])] {
        let (band, half) = (format!("band-{face}"), part.waist);
        let strokes = [
            straight(at(-half, 0.0), "lower-start"),
            straight(at(0.0, 0.0), "lower-end"),
            straight(at(half, 0.0), "end"),
            straight(at(half, BAND), "upper"),
            straight(at(-half, BAND), "start"),
        ];
        draft.add(outline(&band, &strokes, ""), "body", wrapped(&format!("torso-{face}"), at(0.0, 0.0)));
        for (side, lower) in order.into_iter().zip(["lower-start", "lower-end"]) {
            draft.sew(&format!("waist-{side}-{face}"), &[(&format!("{side}-{face}"), "waist")], &[(&band, lower)]);
        }
    }
    draft.sew("band-left", &[("band-front", "end")], &[("band-back", "start")]);
    draft.sew("band-right", &[("band-front", "start")], &[("band-back", "end")]);
    let spans = ["band-front", "band-back"].map(|band| draft.edge(band, "upper")).to_vec();
    draft.garment.attachments.push(Attachment { name: "waist".into(), to: "waist".into(), spans });
}
