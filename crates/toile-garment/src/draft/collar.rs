//! A turned-down collar of stand and fall.
//!
//! Both are drawn as they are worn, seen from outside at the nape: the fall hangs from the top of the stand and outside of it. So it is turned
//! down already when it is sewn on, as a collar that starts flat would have to be by hand. Both are parts of cones that open downwards, drawn
//! with parabolas: the stand leans to the neck, the fall stands off the stand.

use super::draw::{Builder, Stroke, at, curved, outline, solve, straight, wrapped};
use crate::pattern::{Curve, Panel, Path, Seam};
use glam::DVec2;
use std::f64::consts::PI;

/// Height of the stand and of the fall in the middle of the back (m): the fall covers the seam of the stand.
const STAND: f64 = 0.03;
const FALL: f64 = 0.045;
/// How far the ends of the lower edge of the stand, and of the roll line of the fall, rise above their middle (m).
const RISE: [f64; 2] = [0.015, 0.03];
/// How far the points of the fall reach beyond its ends, and below its rim (m).
const POINT: DVec2 = DVec2::new(0.012, 0.02);
/// How much higher than they are worn stand and fall start (m): clear of the shoulders, and the fall clear of the stand. It is drawn over it from
/// above once the stand is sewn on; from beside it, points were seen to catch on the fronts and turn up.
const ABOVE: [f64; 2] = [0.04, 0.09];
/// Angle the fall is turned down to (rad): short of flat, a fold has some thickness.
const ROLL: f64 = 0.9 * PI;
/// How much stiffer than the fabric the seams of the collar are: it is interfaced.
const STIFFNESS: f64 = 8.0;

/// A parabola, open upwards: height in the middle (m), and what it rises by the square of the distance from there (1/m).
#[derive(Clone, Copy)]
struct Bowl {
    base: f64,
    rise: f64,
}

impl Bowl {
    fn at(&self, x: f64) -> DVec2 {
        at(x, self.base + self.rise * x * x)
    }

    /// The part between two places across, exactly: a parabola is a quadratic curve, and that a cubic one.
    fn stroke(&self, from: f64, to: f64, label: &'static str) -> Stroke {
        let corner = at(0.5 * (from + to), self.base + self.rise * from * to);
        let [a, b] = [from, to].map(|x| self.at(x));
        curved(a, [a.lerp(corner, 2.0 / 3.0), b.lerp(corner, 2.0 / 3.0)], b, label)
    }

    /// Length from the middle to a place across (m).
    fn length(&self, x: f64) -> f64 {
        Path::new(&[(self.at(0.0), self.stroke(0.0, x, "").curve), (self.at(x), Curve::Line)]).length()
    }

    /// The place across at a length from the middle (m).
    fn reach(&self, length: f64) -> f64 {
        solve([0.1 * length, length], length, |x| self.length(x)).unwrap_or(length)
    }

    /// Along a line square to it at a place across: how far out (m) for each metre up.
    fn lean(&self, x: f64) -> f64 {
        2.0 * self.rise * x
    }
}

/// Necklines with the part of the stand that is sewn to each, from the wearer's left to the right.
const NECKLINES: [(&str, &str, &str); 4] = [
    ("front-left", "neckline-left", "front-left"),
    ("back", "neckline-left", "back-left"),
    ("back", "neckline-right", "back-right"),
    ("front-right", "neckline-right", "front-right"),
];

/// Adds a collar as long as the neckline to the middle of the fronts, and sews it on.
pub(super) fn collar(draft: &mut Builder) {
    let [front, back, ..] = NECKLINES.map(|(panel, edge, _)| draft.length(&[(panel, edge)]));
    let (stand, roll) = stand(front, back);
    // Sewn on when what is below hangs together: a fall between the sides of a shoulder seam would keep it open.
    for ((panel, above), layer) in [stand, fall(roll)].into_iter().zip(ABOVE).zip(1..) {
        draft.add(Panel { layer, ..panel }, "body", wrapped("neck-back", at(0.0, -above)));
    }
    let first = draft.garment.seams.len();
    for (panel, edge, part) in NECKLINES {
        draft.sew(&format!("collar-{part}"), &[(panel, edge)], &[("collar-stand", part)]);
    }
    // Both edges run the same way round the neck: the underside of the fall goes on from the outside of the stand.
    let sides = ["collar-stand", "collar-fall"].map(|panel| vec![draft.edge(panel, "roll")]);
    draft.garment.seams.push(Seam { name: "collar-roll".into(), sides, fold: ROLL, ..Seam::default() });
    draft.garment.seams[first..].iter_mut().for_each(|seam| seam.stiffness = Some(STIFFNESS));
}

/// A stand for halves of a neckline, and half the length of its upper edge (m).
fn stand(front: f64, back: f64) -> (Panel, f64) {
    let lower = Bowl { base: 0.0, rise: RISE[0] / (front + back).powi(2) };
    let (end, shoulder) = (lower.reach(front + back), lower.reach(back));
    // Seen from outside at the nape, the wearer's left is to the left.
    let places = [-end, -shoulder, 0.0, shoulder, end];
    let mut strokes: Vec<Stroke> =
        places.windows(2).zip(NECKLINES).map(|(x, (_, _, part))| lower.stroke(x[0], x[1], part)).collect();
    let upper = Bowl { base: STAND, ..lower };
    // The ends are square to the neckline.
    let top = end - lower.lean(end) * STAND;
    strokes.push(straight(lower.at(end), "end-right"));
    strokes.push(upper.stroke(top, -top, "roll"));
    strokes.push(straight(upper.at(-top), "end-left"));
    (outline("collar-stand", &strokes, ""), upper.length(top))
}

/// A fall whose upper edge is twice as long as told (m).
fn fall(half: f64) -> Panel {
    let roll = Bowl { base: STAND, rise: RISE[1] / (half * half) };
    let end = roll.reach(half);
    let point = roll.at(end) + at(roll.lean(end) * FALL + POINT.x, -FALL - POINT.y);
    let rim = Bowl { base: STAND - FALL, rise: (point.y - STAND + FALL) / (point.x * point.x) };
    let strokes = [
        rim.stroke(-point.x, point.x, "rim"),
        straight(point, "end-right"),
        roll.stroke(end, -end, "roll"),
        straight(roll.at(-end), "end-left"),
    ];
    outline("collar-fall", &strokes, "")
}
