//! Measurements a pattern is drawn to, their defaults, and named sizes.

use super::DraftError;
use crate::body::Figures;
use glam::DVec3;

/// Measurements of a body (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measurements {
    /// Height without shoes.
    pub height: f64,
    /// Girth of the bust or chest at its fullest.
    pub bust: f64,
    /// Girth below the bust.
    pub underbust: f64,
    /// Girth of the waist.
    pub waist: f64,
    /// Girth of the hip at its fullest.
    pub hip: f64,
    /// Girth of the neck base.
    pub neck: f64,
    /// Between the tips of the shoulders, over the back.
    pub shoulder_width: f64,
    /// From nape to waist.
    pub back_length: f64,
    /// From nape to the height of the underarm.
    pub armhole_depth: f64,
    /// From waist to hip line.
    pub waist_to_hip: f64,
    /// From waist to crotch, sitting.
    pub crotch_depth: f64,
    /// From crotch to floor.
    pub inseam: f64,
    /// From floor to knee.
    pub knee_height: f64,
    /// From the shoulder to the wrist; where it is measured on a body, along the middle of the arm from the height of the armpit.
    pub arm_length: f64,
    /// From the tip of the shoulder over the elbow to the wrist: a long sleeve.
    pub sleeve_length: f64,
    /// Girth of the upper arm.
    pub upper_arm: f64,
    /// Girth of the wrist.
    pub wrist: f64,
    /// Girth of the thigh.
    pub thigh: f64,
    /// Girth of the knee.
    pub knee: f64,
    /// Girth of the ankle.
    pub ankle: f64,
    /// Girth of the head.
    pub head: f64,
}

impl Measurements {
    /// Form (0 female to 1 male), height, bust, waist and hip (m); the rest in the proportions that pattern making uses where
    /// nothing else was measured. Lengths follow the height: nape at 0.86 of it, a quarter of it from nape to waist, crotch at
    /// 0.46. The depth of the armhole is a tenth of the bust and a hand's breadth; the neck a fifth of the bust and as much again.
    pub fn new(form: f64, height: f64, bust: f64, waist: f64, hip: f64) -> Self {
        let back_length = 0.2475 * height + 0.01 * form;
        let inseam = 0.46 * height;
        Self {
            height,
            bust,
            // Women by a cup B.
            underbust: bust - 0.15 + 0.09 * form,
            waist,
            hip,
            neck: 0.18 + 0.2 * bust + 0.02 * form,
            shoulder_width: 0.175 * height + 0.1 * bust + 0.04 * form,
            back_length,
            armhole_depth: 0.1 * bust + 0.105 + 0.015 * form,
            waist_to_hip: 0.12 * height,
            crotch_depth: 0.86 * height - back_length - inseam,
            inseam,
            knee_height: 0.28 * height,
            arm_length: (0.352 + 0.009 * form) * height,
            sleeve_length: (0.352 + 0.009 * form) * height,
            upper_arm: (0.295 + 0.02 * form) * bust,
            wrist: (0.095 + 0.003 * form) * height,
            thigh: 0.58 * hip * (0.97 + 0.03 * form),
            knee: 0.223 * height,
            ankle: 0.135 * height,
            head: 0.56 + 0.01 * form,
        }
    }

    /// Measurements of a body as it stands, and its form (0 female to 1 male) for what cannot be measured on it.
    pub fn of_body(body: &Figures, form: f64) -> Self {
        let girth = |name: &str, or: f64| body.girth(name).unwrap_or(or);
        let level = |name: &str, or: f64| body.girths.iter().find(|g| g.name == name).map_or(or, |g| g.level);
        let height = body.height;
        let usual = Self::new(
            form,
            height,
            girth("bust", 0.55 * height),
            girth("waist", 0.43 * height),
            girth("hip", 0.57 * height),
        );
        let arm = &body.arms[0].stations;
        // By way of the middle station, near the elbow: arms are not straight.
        let over_elbow = |elbow: DVec3| body.shoulders[0].distance(elbow) + elbow.distance(body.wrists[0]);
        let (waist, nape) = (level("waist", usual.waist_height()), body.neck_base.y - body.floor);
        Self {
            // The neck is measured where it is narrowest; where it leaves the shoulders it is wider by about an eighth.
            neck: 1.125 * girth("neck", usual.neck / 1.125),
            shoulder_width: body.shoulders[0].distance(body.shoulders[1]),
            back_length: nape - waist,
            // Two fingers below the armpit.
            armhole_depth: nape - body.armpit_level + 0.03,
            waist_to_hip: waist - level("hip", waist - usual.waist_to_hip),
            // Sitting adds a little room.
            crotch_depth: waist - body.crotch_level + 0.01,
            inseam: body.crotch_level - 0.01,
            knee_height: level("knee", usual.knee_height),
            underbust: girth("underbust", usual.underbust),
            arm_length: body.arms[0].length(),
            sleeve_length: arm.get(arm.len() / 2).map_or(usual.sleeve_length, |s| over_elbow(s.centre)),
            upper_arm: girth("upper_arm", usual.upper_arm),
            wrist: girth("wrist", usual.wrist),
            thigh: girth("thigh", usual.thigh),
            knee: girth("knee", usual.knee),
            ankle: girth("ankle", usual.ankle),
            ..usual
        }
    }

    /// Measurements of a named size, see [`SIZES`].
    pub fn of_size(name: &str) -> Option<Self> {
        let size = SIZES.iter().find(|size| size.name.eq_ignore_ascii_case(name))?;
        let [height, bust, waist, hip] = size.lengths_cm.map(|cm| f64::from(cm) / 100.0);
        Some(Self::new(if size.name.starts_with('M') { 1.0 } else { 0.0 }, height, bust, waist, hip))
    }

    /// Height of the nape above the floor (m).
    pub fn nape_height(&self) -> f64 {
        self.waist_height() + self.back_length
    }

    /// Height of the waist above the floor (m).
    pub fn waist_height(&self) -> f64 {
        self.inseam + self.crotch_depth
    }

    /// Whether all of it is within what bodies have, children to giants.
    pub(super) fn check(&self) -> Result<(), DraftError> {
        for (what, value, range) in [
            ("height", self.height, [0.8, 2.4]),
            ("bust", self.bust, [0.45, 1.8]),
            ("underbust", self.underbust, [0.4, 1.8]),
            ("waist", self.waist, [0.4, 1.8]),
            ("hip", self.hip, [0.45, 2.0]),
            ("neck", self.neck, [0.2, 0.7]),
            ("shoulder width", self.shoulder_width, [0.2, 0.7]),
            ("back length", self.back_length, [0.2, 0.65]),
            ("armhole depth", self.armhole_depth, [0.1, 0.35]),
            ("waist to hip", self.waist_to_hip, [0.08, 0.35]),
            ("crotch depth", self.crotch_depth, [0.12, 0.45]),
            ("inseam", self.inseam, [0.3, 1.2]),
            ("knee height", self.knee_height, [0.2, 0.75]),
            ("arm length", self.arm_length, [0.25, 0.95]),
            ("sleeve length", self.sleeve_length, [0.25, 0.95]),
            ("upper arm", self.upper_arm, [0.13, 0.7]),
            ("wrist", self.wrist, [0.09, 0.35]),
            ("thigh", self.thigh, [0.25, 1.1]),
            ("knee", self.knee, [0.2, 0.8]),
            ("ankle", self.ankle, [0.12, 0.5]),
            ("head", self.head, [0.4, 0.75]),
        ] {
            within(what, value, range)?;
        }
        Ok(())
    }
}

/// A value within its range, or an error that names both.
pub(super) fn within(what: &'static str, value: f64, [low, high]: [f64; 2]) -> Result<(), DraftError> {
    if value >= low && value <= high { Ok(()) } else { Err(DraftError::Range { what, value, low, high }) }
}

/// A named size: a letter for the form (F, M) and the usual European number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Name.
    pub name: &'static str,
    /// Height, bust, waist, hip (cm).
    pub lengths_cm: [u32; 4],
}

const fn size(name: &'static str, height: u32, bust: u32, waist: u32, hip: u32) -> Size {
    Size { name, lengths_cm: [height, bust, waist, hip] }
}

/// Named sizes, near to common European tables (those differ from country to country and maker to maker).
pub const SIZES: [Size; 19] = [
    size("F34", 168, 82, 64, 90),
    size("F36", 168, 86, 68, 94),
    size("F38", 168, 90, 72, 97),
    size("F40", 168, 94, 76, 101),
    size("F42", 168, 98, 80, 104),
    size("F44", 168, 102, 84, 108),
    size("F46", 168, 107, 89, 112),
    size("F48", 168, 113, 95, 117),
    size("F50", 168, 119, 101, 122),
    size("F52", 168, 125, 107, 127),
    size("M44", 174, 88, 73, 91),
    size("M46", 176, 92, 77, 94),
    size("M48", 178, 96, 81, 97),
    size("M50", 180, 100, 85, 100),
    size("M52", 181, 104, 90, 103),
    size("M54", 182, 108, 95, 106),
    size("M56", 183, 112, 100, 109),
    size("M58", 184, 116, 105, 112),
    size("M60", 185, 120, 110, 115),
];
