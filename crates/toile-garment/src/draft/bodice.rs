//! Bodices and sleeves: the neck, shoulder and armhole that tops and dresses share.
//!
//! Origin of a bodice is the middle of the waist; y runs up to the nape. A sleeve has its origin in the middle of the line
//! round the upper arm, and its cap above it.

use super::draw::{Stroke, at, cubic, curved, solve, straight};
use super::{DraftError, Ease, Measurements};
use crate::pattern::{Curve, Panel, Path};
use glam::DVec2;

/// Lengths that a front and a back share (m).
pub(super) struct Block {
    /// Half the width at the bust line.
    pub(super) bust: f64,
    /// Half the width at the waist.
    pub(super) waist: f64,
    /// Half the width at the hip line.
    pub(super) hip: f64,
    /// Height of the bust line above the waist.
    pub(super) underarm: f64,
    /// Where neck and shoulder meet.
    pub(super) neck: DVec2,
    /// Outer end of the shoulder.
    pub(super) tip: DVec2,
    /// Height of the neckline in the middle of the back.
    nape: f64,
    /// Height of the neckline in the middle of the front.
    pub(super) throat: f64,
}

impl Block {
    /// A block; `wide` is how much wider and deeper its neckline is than the neck base (m).
    pub(super) fn new(body: &Measurements, ease: &Ease, wide: f64) -> Self {
        // A fifth of the neck girth is the width of its base; the side of the neck stands two centimetres above the nape.
        let base = at(body.neck / 5.0, body.back_length + 0.02);
        let half = 0.5 * body.shoulder_width;
        // Shoulders slope by 20 degrees.
        let slope = 20f64.to_radians().tan();
        let neck = at(base.x + wide, base.y - wide * slope);
        let tip = at(half, base.y - (half - base.x) * slope);
        Self {
            bust: (body.bust + ease.bust) / 4.0,
            waist: (body.waist + ease.waist) / 4.0,
            hip: (body.hip + ease.hip) / 4.0,
            underarm: body.back_length - body.armhole_depth - 0.15 * ease.bust,
            neck,
            tip,
            nape: body.back_length - 0.3 * wide,
            throat: base.y - body.neck / 5.0 - 0.012 - wide,
        }
    }

    /// Armhole, shoulder and neckline of the right half, from the underarm to the middle, and where they end. The front is
    /// hollowed more than the back.
    pub(super) fn upper(&self, front: bool) -> (Vec<Stroke>, DVec2) {
        let start = at(self.bust, self.underarm);
        let hollow = self.tip.x.min(self.bust) - if front { 0.025 } else { 0.012 };
        let rise = self.tip.y - self.underarm;
        let armhole = [at(hollow, self.underarm), at(hollow, self.underarm + 0.45 * rise)];
        let end = at(0.0, if front { self.throat } else { self.nape });
        // The front starts down along the neck; the back is shallow, and too tight a bend could not be sewn.
        let drop = self.neck.y - end.y;
        let neckline = if front {
            [at(self.neck.x, end.y + 0.45 * drop), at(0.55 * self.neck.x, end.y)]
        } else {
            [at(0.8 * self.neck.x, end.y + 0.2 * drop), at(0.5 * self.neck.x, end.y)]
        };
        let strokes = vec![
            curved(start, armhole, self.tip, "armhole-"),
            straight(self.tip, "shoulder-"),
            curved(self.neck, neckline, end, "neckline-"),
        ];
        (strokes, end)
    }

    /// Side seam from the hip line over the waist to the underarm, smooth at the waist; waist and hip are lower by `drop`, what
    /// a bust dart in the seam takes up.
    pub(super) fn side(&self, below: f64, drop: f64) -> Vec<Stroke> {
        let (hip, waist, bust) = (at(self.hip, -below - drop), at(self.waist, -drop), at(self.bust, self.underarm));
        let above = self.underarm + drop;
        // Straight up at the waist, unless both ends lie on one side of it.
        let lean = if (self.hip - self.waist) * (self.bust - self.waist) > 0.0 {
            0.0
        } else {
            (self.bust - self.hip) / (above + below)
        };
        let below_waist = waist + 0.35 * below * at(-lean, -1.0);
        let above_waist = waist + 0.35 * above * at(lean, 1.0);
        vec![
            curved(hip, [hip.lerp(waist, 0.3), below_waist], waist, "hip-side-"),
            curved(waist, [above_waist, bust.lerp(waist, 0.3)], bust, "side-"),
        ]
    }
}

/// What a sleeve is drawn to (m).
pub(super) struct Sleeve {
    /// Lengths of the armhole's front and back.
    pub(super) armhole: [f64; 2],
    /// Width at the upper arm.
    pub(super) width: f64,
    /// Width of the hem.
    pub(super) hem: f64,
    /// From the top of the cap to the hem.
    pub(super) length: f64,
}

/// Shortest seam under the arm (m). Deep armholes of large sizes ask for caps as high as a short sleeve is long.
const UNDERARM: f64 = 0.04;

impl Sleeve {
    /// Strokes of a left sleeve, front to the left, and the height of its cap. Its cap is as long as the armhole, front
    /// to front and back to back: its height follows.
    pub(super) fn left(&self) -> Result<(Vec<Stroke>, f64), DraftError> {
        let half = |height: f64, side: usize| {
            solve([0.01, 1.0], self.armhole[side], |width| length(width, height)).unwrap_or(0.0)
        };
        let wide = |height: f64| half(height, 0) + half(height, 1);
        // A cap can be as high as the shorter armhole half is long.
        let highest = 0.97 * self.armhole[0].min(self.armhole[1]);
        let height = solve([0.005, highest], self.width, wide).ok_or(DraftError::Unmet {
            what: "a sleeve",
            advice: "the upper arm with its ease does not fit the armhole; change arm or bust ease",
        })?;
        let (front, back) = (-half(height, 0), half(height, 1));
        let below = (height - self.length).min(-UNDERARM);
        // The hem stands in the middle under the arm line.
        let middle = 0.5 * (front + back);
        let top = at(0.0, height);
        let strokes = vec![
            straight(at(middle - 0.5 * self.hem, below), "hem"),
            straight(at(middle + 0.5 * self.hem, below), "under-back"),
            Stroke { from: at(back, 0.0), curve: cap(back, height), label: "cap-back" },
            Stroke { from: top, curve: turned(cap(-front, height)), label: "cap-front" },
            straight(at(front, 0.0), "under-front"),
        ];
        Ok((strokes, height))
    }
}

/// Half a cap, from the underarm at the right up to the top: level at both ends.
fn cap(width: f64, height: f64) -> Curve {
    let (start, top) = (at(width, 0.0), at(0.0, height));
    cubic(start, [at(0.5 * width, 0.0), at(0.5 * width, height)], top)
}

/// The same mirrored and run from the top down to the left.
fn turned(curve: Curve) -> Curve {
    match curve {
        Curve::Cubic(c, d) => Curve::Cubic(DVec2::new(1.0 - d.x, d.y), DVec2::new(1.0 - c.x, c.y)),
        other => other,
    }
}

fn length(width: f64, height: f64) -> f64 {
    Path::new(&[(at(width, 0.0), cap(width, height)), (at(0.0, height), Curve::Line)]).length()
}

/// Lengths of the front's and the back's armhole on the wearer's left (m).
pub(super) fn armholes(front: &Panel, back: &Panel) -> [f64; 2] {
    [front, back].map(|panel| {
        let edge = panel.outline.iter().position(|e| e.label.as_deref() == Some("armhole-left"));
        edge.map_or(0.0, |e| panel.edge_path(e).length())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sleeve for a deep armhole and a slim arm: its cap is higher than the sleeve should be long, and yet there is something under the arm.
    #[test]
    fn short_sleeves_have_a_seam_under_the_arm() {
        let sleeve = Sleeve { armhole: [0.29, 0.29], width: 0.38, hem: 0.36, length: 0.18 };
        let (strokes, height) = sleeve.left().unwrap();
        assert!(height > sleeve.length, "{height}");
        let of = |label: &str| strokes.iter().find(|s| s.label == label).unwrap().from.y;
        assert!((of("hem") + UNDERARM).abs() < 1e-12 && of("cap-back") == 0.0, "{} {}", of("hem"), of("cap-back"));
    }
}
