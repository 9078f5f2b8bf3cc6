//! T-shirt and shirt.

use super::bodice::{Block, Sleeve, armholes};
use super::draw::{Builder, Seen, at, mirrored, outline, straight, symmetric, wrapped};
use super::{DraftError, Ease, Measurements};
use crate::pattern::{Button, Curve, Garment, Line, LineKind, Panel};
use std::f64::consts::PI;

pub(super) fn t_shirt(body: &Measurements, ease: &Ease) -> Result<Garment, DraftError> {
    let block = Block::new(body, ease, 0.02);
    // Above the fullest part of the seat: a hem that has to pass it is caught there, and the back bunches in the hollow above.
    let hem = 0.75 * body.waist_to_hip;
    let mut draft = Builder::default();
    for (name, seen) in [("front", Seen::Front), ("back", Seen::Back)] {
        draft.add(torso(&block, name, seen, hem), "body", wrapped(&format!("torso-{name}"), at(0.0, 0.0)));
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

/// A front or back to the hip line.
fn torso(block: &Block, name: &str, seen: Seen, hem: f64) -> Panel {
    let mut half = vec![straight(at(0.0, -hem), "hem")];
    half.extend(block.side(hem));
    let (upper, end) = block.upper(matches!(seen, Seen::Front));
    half.extend(upper);
    symmetric(name, &half, end, seen)
}

/// Adds both sleeves and sews them shut and into the armholes of `front-…` and back.
fn sleeves(draft: &mut Builder, sleeve: &Sleeve) -> Result<(), DraftError> {
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

fn sides(draft: &mut Builder) {
    for side in ["left", "right"] {
        let front = front_of(draft, side);
        let [hip, upper] = [format!("hip-side-{side}"), format!("side-{side}")];
        draft.sew(&hip, &[(front, &hip)], &[("back", &hip)]);
        draft.sew(&upper, &[(front, &upper)], &[("back", &upper)]);
    }
}

fn shoulders(draft: &mut Builder, fronts: [&str; 2]) {
    for (front, side) in fronts.into_iter().zip(["left", "right"]) {
        let label = format!("shoulder-{side}");
        draft.sew(&label, &[(front, &label)], &[("back", &label)]);
    }
}

/// From the middle of the front to the edge that is buttoned (m).
const EXTENSION: f64 = 0.015;
/// Height of the collar's stand and of what falls over it (m).
const COLLAR: [f64; 2] = [0.032, 0.042];

pub(super) fn shirt(body: &Measurements, ease: &Ease) -> Result<Garment, DraftError> {
    let block = Block::new(body, ease, 0.004);
    let hem = body.waist_to_hip;
    let mut draft = Builder::default();
    let left = half_front(&block, hem);
    draft.add(outline("front-left", &left, "left"), "body", wrapped("torso-front", at(0.0, 0.0)));
    draft.add(outline("front-right", &mirrored(&left), "right"), "body", wrapped("torso-front", at(0.0, 0.0)));
    draft.garment.panels[0].layer = 1; // the left front is buttoned over the right one
    draft.add(torso(&block, "back", Seen::Back, hem), "body", wrapped("torso-back", at(0.0, 0.0)));
    let sleeve = Sleeve {
        armhole: armholes(&draft.garment.panels[0], &draft.garment.panels[2]),
        width: body.upper_arm + ease.arm,
        hem: body.wrist + 0.06,
        length: body.arm_length,
    };
    sleeves(&mut draft, &sleeve)?;
    sides(&mut draft);
    shoulders(&mut draft, ["front-left", "front-right"]);
    collar(&mut draft);
    let count = 7;
    for k in 0..count {
        let share = k as f64 / (count - 1) as f64;
        let spot = at(0.0, (block.throat - 0.03) * (1.0 - share) + (0.08 - hem) * share);
        draft.garment.buttons.push(Button { name: format!("button-{}", k + 1), ends: [(0, spot), (1, spot)] });
    }
    Ok(draft.garment)
}

/// The wearer's left front, with what it is buttoned on.
fn half_front(block: &Block, hem: f64) -> Vec<super::draw::Stroke> {
    let mut strokes = vec![straight(at(-EXTENSION, -hem), "hem")];
    strokes.extend(block.side(hem));
    let (upper, end) = block.upper(true);
    strokes.extend(upper);
    strokes.push(straight(end, "overlap"));
    strokes.push(straight(at(-EXTENSION, end.y), "edge"));
    strokes
}

/// A turned-down collar as long as the neckline, folded where its stand ends.
fn collar(draft: &mut Builder) {
    let front = [("front-left", "neckline-left"), ("front-right", "neckline-right")];
    let back = [("back", "neckline-left"), ("back", "neckline-right")];
    let lengths = [front[0], back[0], back[1], front[1]].map(|edge| draft.length(&[edge]));
    let half = 0.5 * lengths.iter().sum::<f64>();
    // Seen from outside at the nape, the wearer's left is to the left.
    let stations = [-half, -lengths[1], 0.0, lengths[2]];
    let labels = ["front-left", "back-left", "back-right", "front-right"];
    let mut strokes: Vec<_> = stations.iter().zip(labels).map(|(&x, label)| straight(at(x, 0.0), label)).collect();
    let top = COLLAR[0] + COLLAR[1];
    strokes.push(straight(at(half, 0.0), "end-right"));
    strokes.push(straight(at(half + 0.01, top), "rim"));
    strokes.push(straight(at(-half - 0.01, top), "end-left"));
    let mut panel = outline("collar", &strokes, "");
    let lean = 0.01 * COLLAR[0] / top;
    let fold = [at(-half - lean, COLLAR[0]), at(half + lean, COLLAR[0])];
    panel.lines.push(Line {
        name: "roll".into(),
        path: fold.map(|p| (p, Curve::Line)).to_vec(),
        kind: LineKind::Fold { angle: 0.9 * PI },
    });
    draft.add(panel, "body", wrapped("neck-back", at(0.0, 0.0)));
    for (panel, label, part) in [
        (front[0].0, front[0].1, "front-left"),
        (back[0].0, back[0].1, "back-left"),
        (back[1].0, back[1].1, "back-right"),
        (front[1].0, front[1].1, "front-right"),
    ] {
        draft.sew(&format!("collar-{part}"), &[(panel, label)], &[("collar", part)]);
    }
}
