//! T-shirt, and what it shares with the shirt.

use super::bodice::{Block, Sleeve, armholes};
use super::draw::{Builder, Seen, Stroke, at, mirrored, outline, straight, symmetric, wrapped};
use super::{DraftError, Ease, Measurements};
use crate::pattern::{Garment, Panel};

pub(super) fn t_shirt(body: &Measurements, ease: &Ease) -> Result<Garment, DraftError> {
    let block = Block::new(body, ease, 0.02);
    // Above the fullest part of the seat: a hem that has to pass it is caught there, and the back bunches in the hollow above.
    let hem = 0.75 * body.waist_to_hip;
    let mut draft = Builder::default();
    for (name, seen) in [("front", Seen::Front), ("back", Seen::Back)] {
        draft.add(
            torso(&block, name, seen, straight(at(0.0, -hem), "hem"), hem),
            "body",
            wrapped(&format!("torso-{name}"), at(0.0, 0.0)),
        );
    }
    let width = body.upper_arm + ease.arm;
    let sleeve = Sleeve {
        armhole: armholes(&draft.garment.panels[0], &draft.garment.panels[1]),
        width,
        hem: 0.94 * width,
        length: 0.36 * body.arm_length,
    };
    sleeves(&mut draft, &sleeve)?;
    sides(&mut draft);
    shoulders(&mut draft, ["front", "front"]);
    Ok(draft.garment)
}

/// A front or back, its side seams as long below the waist as told (m).
pub(super) fn torso(block: &Block, name: &str, seen: Seen, hem: Stroke, below: f64) -> Panel {
    let mut half = vec![hem];
    half.extend(block.side(below, 0.0));
    let (upper, end) = block.upper(matches!(seen, Seen::Front));
    half.extend(upper);
    symmetric(name, &half, end, seen)
}

/// Adds both sleeves and sews them shut and into the armholes of `front-…` and back.
pub(super) fn sleeves(draft: &mut Builder, sleeve: &Sleeve) -> Result<(), DraftError> {
    let (left, height) = sleeve.left()?;
    for side in ["left", "right"] {
        let name = format!("sleeve-{side}");
        let strokes = if side == "left" { left.clone() } else { mirrored(&left) };
        draft.add(outline(&name, &strokes, side), "arm", wrapped(&format!("arm-{side}"), at(0.0, height)));
        draft.sew(&format!("underarm-{side}"), &[(&name, "under-front")], &[(&name, "under-back")]);
        let front = front_of(draft, side);
        let armhole = format!("armhole-{side}");
        draft.sew(&format!("armhole-front-{side}"), &[(front, &armhole)], &[(&name, "cap-front")]);
        draft.sew(&format!("armhole-back-{side}"), &[("back", &armhole)], &[(&name, "cap-back")]);
        // One notch for the front, at the same distance from the underarm on both; cap and armhole run against each other.
        let up = if side == "left" { 0.4 } else { 0.6 };
        draft.notch(front, &armhole, up);
        draft.notch(&name, "cap-front", 1.0 - up);
    }
    Ok(())
}

/// The front panel of a side: one for both, or one for each.
fn front_of(draft: &Builder, side: &str) -> &'static str {
    match (draft.garment.panel("front"), side) {
        (Some(_), _) => "front",
        (None, "left") => "front-left",
        _ => "front-right",
    }
}

pub(super) fn sides(draft: &mut Builder) {
    for side in ["left", "right"] {
        let front = front_of(draft, side);
        let [hip, upper] = [format!("hip-side-{side}"), format!("side-{side}")];
        draft.sew(&hip, &[(front, &hip)], &[("back", &hip)]);
        draft.sew(&upper, &[(front, &upper)], &[("back", &upper)]);
    }
}

pub(super) fn shoulders(draft: &mut Builder, fronts: [&str; 2]) {
    for (front, side) in fronts.into_iter().zip(["left", "right"]) {
        let label = format!("shoulder-{side}");
        draft.sew(&label, &[(front, &label)], &[("back", &label)]);
    }
}
