//! Shirt: fronts buttoned one over the other, bust darts, long sleeves, a collar of stand and fall.

use super::bodice::{Block, Sleeve, armholes};
use super::collar::collar;
use super::draw::{Builder, Seen, Stroke, at, curved, mirrored, outline, straight, wrapped};
use super::top::{shoulders, sides, sleeves, torso};
use super::{DraftError, Ease, Measurements};
use crate::pattern::{Button, Dart, Garment};

/// From the middle of the front to the edge that is buttoned (m).
const EXTENSION: f64 = 0.015;
/// How much longer the shirt is in the middle than at its sides (m).
const TAIL: f64 = 0.03;
/// Buttons down the front, the first of them below the neckline and the last above the hem by (m).
const BUTTONS: usize = 7;
const BUTTONED: [f64; 2] = [0.015, 0.08];
/// Room of a cuff round the wrist (m).
const CUFF: f64 = 0.07;
/// What a sleeve is longer than the arm (m): a bent elbow takes as much.
const BENT: f64 = 0.02;
/// What the front neckline is higher than that of garments without a collar (m): a stand belongs to the neck.
const CLOSE: f64 = 0.01;

pub(super) fn shirt(body: &Measurements, ease: &Ease) -> Result<Garment, DraftError> {
    let mut block = Block::new(body, ease, 0.004);
    block.throat += CLOSE;
    // Above the fullest part of the seat, where a hem would be caught.
    let hem = 0.85 * body.waist_to_hip;
    let dart = bust_dart(body);
    let drop = dart.unwrap_or(0.0);
    let mut draft = Builder::default();
    let left = half_front(&block, hem, drop);
    for (side, strokes) in [("left", left.clone()), ("right", mirrored(&left))] {
        draft.add(outline(&format!("front-{side}"), &strokes, side), "body", wrapped("torso-front", at(0.0, -drop)));
    }
    draft.garment.panels[1].layer = -1; // the left front is buttoned over the right one
    let back = torso(&block, "back", Seen::Back, tail(&block, 0.0, hem), hem);
    draft.add(back, "body", wrapped("torso-back", at(0.0, 0.0)));
    let sleeve = Sleeve {
        armhole: armholes(&draft.garment.panels[0], &draft.garment.panels[2]),
        width: body.upper_arm + ease.arm,
        hem: body.wrist + CUFF,
        length: body.sleeve_length + BENT,
    };
    sleeves(&mut draft, &sleeve)?;
    sides(&mut draft);
    shoulders(&mut draft, ["front-left", "front-right"]);
    collar(&mut draft);
    let [top, bottom] = [block.throat - BUTTONED[0], BUTTONED[1] - hem - drop];
    for k in 0..BUTTONS {
        let spot = at(0.0, top + (bottom - top) * k as f64 / (BUTTONS - 1) as f64);
        draft.garment.buttons.push(Button { name: format!("button-{}", k + 1), ends: [(0, spot), (1, spot)] });
    }
    if let Some(dart) = dart {
        bust_darts(&mut draft, &block, dart)?;
    }
    Ok(draft.garment)
}

/// What a bust may measure more than the girth below it without a dart (m), the share of the rest that a dart takes, its width at least and
/// at most (m): 2.5 cm for a cup B, none for most men.
const FLAT: f64 = 0.06;
const SHARE: f64 = 0.25;
const WIDTH: [f64; 2] = [0.008, 0.04];

/// Width of the dart in each side seam that makes room for the bust (m); none where there is little of it.
fn bust_dart(body: &Measurements) -> Option<f64> {
    let width = SHARE * (body.bust - body.underbust - FLAT);
    (width >= WIDTH[0]).then_some(width.min(WIDTH[1]))
}

/// Cuts the bust darts into the side seams, towards the bust points and short of them.
fn bust_darts(draft: &mut Builder, block: &Block, width: f64) -> Result<(), DraftError> {
    for side in ["left", "right"] {
        let (front, label) = (format!("front-{side}"), format!("side-{side}"));
        // On the left the seam runs up, on the right it runs down; the dart stands 3 cm below the underarm.
        let below = (0.03 + 0.5 * width) / draft.length(&[(&front, &label)]);
        let at = if side == "left" { 1.0 - below } else { below };
        draft.dart(&front, &label, Dart { at, width, depth: 0.42 * block.bust }, &format!("bust-dart-{side}"))?;
    }
    Ok(())
}

/// The hem from a place across in the middle to the side seam, which ends so far below the waist (m): shorter there, so that it clears the hip.
fn tail(block: &Block, from: f64, below: f64) -> Stroke {
    let [middle, side] = [at(from, -below - TAIL), at(block.hip, -below)];
    curved(middle, [at(0.45 * block.hip, middle.y), at(0.65 * block.hip, side.y)], side, "hem-")
}

/// The wearer's left front, with what it is buttoned on, longer by `drop`.
fn half_front(block: &Block, hem: f64, drop: f64) -> Vec<Stroke> {
    let mut strokes = vec![tail(block, -EXTENSION, hem + drop)];
    strokes.extend(block.side(hem, drop));
    let (upper, end) = block.upper(true);
    strokes.extend(upper);
    strokes.push(straight(end, "overlap"));
    strokes.push(straight(at(-EXTENSION, end.y), "edge"));
    strokes
}
