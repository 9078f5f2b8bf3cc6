//! Sheath dress: bodice and skirt with darts, joined at the waist.

use super::bodice::Block;
use super::draw::{Builder, Seen, at, curved, straight, symmetric, wrapped};
use super::skirt::{STRAIGHT, Skirt, Top, skirt_darts, skirt_panel};
use super::{DraftError, Ease, Measurements};
use crate::pattern::{Dart, Garment, Panel};

/// Width and depth of the bust dart in the side seam (m).
const BUST_DART: [f64; 2] = [0.025, 0.09];

pub(super) fn sheath(body: &Measurements, ease: &Ease) -> Result<Garment, DraftError> {
    let block = Block::new(body, ease, 0.03);
    // What the waist is narrower than the bust goes into two darts and two side seams of each panel, half and half.
    let dart = (0.5 * (block.bust - block.waist)).clamp(0.01, 0.045);
    let mut draft = Builder::default();
    for (name, seen) in [("front", Seen::Front), ("back", Seen::Back)] {
        let drop = if matches!(seen, Seen::Front) { BUST_DART[0] } else { 0.0 };
        let placement = wrapped(&format!("torso-{name}"), at(0.0, -drop));
        draft.add(bodice(&block, name, seen, dart, drop), "body", placement);
        let skirt = format!("skirt-{name}");
        let length = body.waist_height() - body.knee_height;
        draft.add(
            skirt_panel(
                &skirt,
                (body, ease),
                seen,
                &Skirt { top: Top::default(), shift: 0.0, length, flare: STRAIGHT },
            ),
            "leg",
            wrapped(&format!("torso-{name}"), at(0.0, 0.0)),
        );
    }
    for side in ["left", "right"] {
        let [shoulder, seam, flare] = ["shoulder", "side", "flare"].map(|l| format!("{l}-{side}"));
        draft.sew(&shoulder, &[("front", &shoulder)], &[("back", &shoulder)]);
        draft.sew(&seam, &[("front", &seam)], &[("back", &seam)]);
        draft.sew(&format!("skirt-side-{side}"), &[("skirt-front", &seam)], &[("skirt-back", &seam)]);
        draft.sew(&flare, &[("skirt-front", &flare)], &[("skirt-back", &flare)]);
    }
    for name in ["front", "back"] {
        draft.sew(&format!("waist-{name}"), &[(name, "waist")], &[(&format!("skirt-{name}"), "waist")]);
        draft.notch(name, "waist", 0.5);
    }
    for side in ["left", "right"] {
        let label = format!("side-{side}");
        let length = draft.length(&[("front", &label)]);
        // On the left the seam runs up, on the right it runs down; the dart stands 6 cm below the underarm.
        let below = (0.06 + 0.5 * BUST_DART[0]) / length;
        let cut = Dart {
            at: if side == "left" { 1.0 - below } else { below },
            width: BUST_DART[0],
            depth: BUST_DART[1].min(0.6 * block.bust),
        };
        draft.dart("front", &label, cut, &format!("bust-dart-{side}"))?;
    }
    for name in ["front", "back"] {
        let depth = if name == "front" { 0.5 } else { 0.65 } * block.underarm;
        waist_darts(&mut draft, name, block.waist, dart, depth)?;
        skirt_darts(&mut draft, &format!("skirt-{name}"), body, ease)?;
    }
    Ok(draft.garment)
}

/// A bodice; its waist is wider by two darts, its front longer by the bust dart.
fn bodice(block: &Block, name: &str, seen: Seen, dart: f64, drop: f64) -> Panel {
    let waist = at(block.waist + dart, -drop);
    let underarm = at(block.bust, block.underarm);
    let mut half = vec![
        straight(at(0.0, -drop), "waist"),
        curved(waist, [waist.lerp(underarm, 0.3), waist.lerp(underarm, 0.7)], underarm, "side-"),
    ];
    let (upper, end) = block.upper(matches!(seen, Seen::Front));
    half.extend(upper);
    symmetric(name, &half, end, seen)
}

/// Two darts in the waist of a panel that is `2 (half + width)` wide there.
fn waist_darts(draft: &mut Builder, panel: &str, half: f64, width: f64, depth: f64) -> Result<(), DraftError> {
    let total = 2.0 * (half + width);
    // Below the bust points: half way from the middle to the side. The later one first, as fractions count from the start.
    let middle = 0.5 * (half + width);
    let far = Dart { at: 0.5 + middle / total, width, depth };
    draft.dart(panel, "waist", far, &format!("{panel}-dart-1"))?;
    let left = 0.5 * total + middle - 0.5 * width;
    let near = Dart { at: (0.5 * total - middle) / left, width, depth };
    draft.dart(panel, "waist", near, &format!("{panel}-dart-2"))
}
