//! What a body is asked to measure, the defaults of what is not given, and named sizes.

use super::BodyError;
use super::sections::{Sections, Shapes};
use super::tape::girth;

/// Measurements of a person. Lengths in metres; what is `None` follows from the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measurements {
    /// Form, 0 female to 1 male; between them the two are mixed.
    pub form: f64,
    /// Height without shoes.
    pub height: f64,
    /// Girth of the bust or chest at its fullest.
    pub bust: f64,
    /// Girth of the waist.
    pub waist: f64,
    /// Girth of the hip at its fullest.
    pub hip: f64,
    /// Girth under the bust.
    pub underbust: Option<f64>,
    /// Girth of the neck at its middle.
    pub neck: Option<f64>,
    /// Girth of the upper arm.
    pub upper_arm: Option<f64>,
    /// Girth of the elbow.
    pub elbow: Option<f64>,
    /// Girth of the wrist.
    pub wrist: Option<f64>,
    /// Girth of the thigh, a hand's breadth below the crotch.
    pub thigh: Option<f64>,
    /// Girth of the knee.
    pub knee: Option<f64>,
    /// Girth of the calf.
    pub calf: Option<f64>,
    /// Girth above the ankle.
    pub ankle: Option<f64>,
    /// Straight distance between the tips of the shoulders.
    pub shoulder_width: Option<f64>,
    /// From the outer end of the shoulder along the outside of the arm to the wrist.
    pub arm_length: Option<f64>,
    /// Height of the nape: back of the neck base.
    pub nape_height: Option<f64>,
    /// Height difference of nape and waist.
    pub back_length: Option<f64>,
    /// Height difference of nape and bust.
    pub nape_to_bust: Option<f64>,
    /// Height difference of waist and hip.
    pub waist_to_hip: Option<f64>,
    /// Height of the crotch: the inseam.
    pub crotch_height: Option<f64>,
    /// Height of the knee.
    pub knee_height: Option<f64>,
}

/// Height of the tabulated female and male bodies (m).
pub(super) const TABLE_HEIGHT: [f64; 2] = [1.590, 1.730];

/// Girths in the order of [`GIRTHS`].
pub(super) type Girths = [f64; 12];
pub(super) const HIP: usize = 0;
pub(super) const WAIST: usize = 1;
pub(super) const UNDERBUST: usize = 2;
pub(super) const BUST: usize = 3;
pub(super) const NECK: usize = 4;
pub(super) const UPPER_ARM: usize = 5;
pub(super) const ELBOW: usize = 6;
pub(super) const WRIST: usize = 7;
pub(super) const THIGH: usize = 8;
pub(super) const KNEE: usize = 9;
pub(super) const CALF: usize = 10;
pub(super) const ANKLE: usize = 11;

/// A girth: its name, the tube and row it is taken at, and how far it may lie from that of the average body of the same height.
pub(super) struct GirthRule {
    pub(super) name: &'static str,
    pub(super) tube: char,
    pub(super) row: usize,
    pub(super) range: [f64; 2],
}

/// All girths. Within the ranges of bust, waist and hip, at all their corners, bodies are free of self-intersection.
pub(super) const GIRTHS: [GirthRule; 12] = [
    GirthRule { name: "hip", tube: 'T', row: 1, range: [0.80, 1.70] },
    GirthRule { name: "waist", tube: 'T', row: 20, range: [0.75, 2.05] },
    GirthRule { name: "underbust", tube: 'T', row: 27, range: [0.75, 1.80] },
    GirthRule { name: "bust", tube: 'T', row: 31, range: [0.78, 1.70] },
    GirthRule { name: "neck", tube: 'T', row: 54, range: [0.75, 1.50] },
    GirthRule { name: "upper_arm", tube: 'A', row: 10, range: [0.65, 1.90] },
    GirthRule { name: "elbow", tube: 'A', row: 20, range: [0.70, 1.70] },
    GirthRule { name: "wrist", tube: 'A', row: 35, range: [0.75, 1.60] },
    GirthRule { name: "thigh", tube: 'L', row: 5, range: [0.70, 1.65] },
    GirthRule { name: "knee", tube: 'L', row: 23, range: [0.75, 1.60] },
    GirthRule { name: "calf", tube: 'L', row: 30, range: [0.70, 1.60] },
    GirthRule { name: "ankle", tube: 'L', row: 45, range: [0.75, 1.60] },
];

/// Girths of a tabulated or mixed body.
pub(super) fn girths_of(sections: &Sections) -> Girths {
    std::array::from_fn(|k| {
        let rule = &GIRTHS[k];
        girth(match rule.tube {
            'T' => sections.torso_ring(rule.row),
            'A' => sections.arm_ring(rule.row),
            _ => sections.leg_ring(rule.row),
        })
    })
}

impl Measurements {
    /// Form, height, bust, waist and hip (m); all else by default.
    pub fn new(form: f64, height: f64, bust: f64, waist: f64, hip: f64) -> Self {
        Self { form, height, bust, waist, hip, ..Self::default() }
    }

    /// Measurements of a named size: `F34` to `F52`, `M44` to `M60`, see [`SIZES`].
    pub fn of_size(name: &str) -> Result<Self, BodyError> {
        let size = SIZES.iter().find(|size| size.name.eq_ignore_ascii_case(name));
        let size = size.ok_or_else(|| BodyError::Size { name: name.to_owned() })?;
        let [height, bust, waist, hip] = size.lengths_cm.map(|cm| f64::from(cm) * 0.01);
        Ok(Self::new(if size.name.starts_with('M') { 1.0 } else { 0.0 }, height, bust, waist, hip))
    }

    /// Height over that of the tables.
    pub(super) fn scale(&self) -> f64 {
        self.height / (TABLE_HEIGHT[0] + self.form * (TABLE_HEIGHT[1] - TABLE_HEIGHT[0]))
    }

    fn given(&self) -> [Option<f64>; 12] {
        let torso = [Some(self.hip), Some(self.waist), self.underbust, Some(self.bust), self.neck];
        let limbs = [self.upper_arm, self.elbow, self.wrist, self.thigh, self.knee, self.calf, self.ankle];
        std::array::from_fn(|k| if k < 5 { torso[k] } else { limbs[k - 5] })
    }

    /// Girths as given, and by default in proportion to what is given: formulas of the recipe (book page "Bodies").
    pub(super) fn girths(&self, shapes: &Shapes) -> Result<Girths, BodyError> {
        check("form", self.form, [0.0, 1.0])?;
        check("height", self.height, [1.2, 2.3])?;
        let table = girths_of(&shapes.mixed(self.form, 0.0, 0.0, self.scale()));
        let female = 1.0 - self.form;
        let given = self.given();
        let mut girths: Girths = table;
        let ratio = |girths: &Girths, k: usize| girths[k] / table[k];
        // Each default builds on those before it.
        let order = [HIP, WAIST, BUST, UNDERBUST, NECK, UPPER_ARM, ELBOW, WRIST, THIGH, KNEE, CALF, ANKLE];
        for k in order {
            let [bust, waist, arm, thigh] = [BUST, WAIST, UPPER_ARM, THIGH].map(|n| ratio(&girths, n));
            let default = match k {
                // Under a belly the mean would bulge out below the chest.
                UNDERBUST => (table[k] * 0.5 * (bust + waist)).min(0.97 * self.bust),
                NECK => table[k] * bust.powf(0.45) * (1.0 + 0.04 * female),
                UPPER_ARM => (0.295 + 0.02 * self.form) * self.bust,
                ELBOW => table[k] * arm.powf(0.8),
                WRIST => table[k] * arm.powf(0.35) * (1.0 + 0.08 * female),
                THIGH => 0.58 * self.hip * (1.0 - 0.03 * female),
                KNEE => table[k] * thigh.powf(0.7),
                CALF => table[k] * thigh.powf(0.65),
                ANKLE => table[k] * thigh.powf(0.4),
                _ => table[k],
            };
            girths[k] = given[k].unwrap_or(default);
            if given[k].is_some() {
                let [low, high] = GIRTHS[k].range;
                // Larger male chests meet the arm in front of the armpit.
                let high = if k == BUST { high - 0.1 * self.form } else { high };
                check(GIRTHS[k].name, girths[k], [low * table[k], high * table[k]])?;
            }
        }
        Ok(girths)
    }
}

/// A value within its range, or an error that names both.
pub(super) fn check(name: &'static str, value: f64, [low, high]: [f64; 2]) -> Result<(), BodyError> {
    if value >= low && value <= high { Ok(()) } else { Err(BodyError::Range { name, value, low, high }) }
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

/// Named sizes: Toile's own table, near to common European ones (those differ from country to country and maker to maker).
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
