//! Garments drawn to measure: blocks of pattern making, each a function from body measurements and ease to a sewn [`Garment`].
//!
//! All panels are drawn as they are seen from outside, right side up, so that outlines run counter-clockwise. On the front of the
//! torso the drawing's right is the wearer's left; on the back it is the wearer's right.
//!
//! # Arrangement points
//! A wrapped panel says which of its points, the anchor, comes to lie on which point of the body; its y runs up along the axis of
//! the torso or limb, its x round it, to the right seen from outside.
//!
//! | point | where on the body |
//! |---|---|
//! | `torso-front`, `torso-back` | middle of front and back at the height of the waist |
//! | `arm-left`, `arm-right` | outside of the arm at the tip of the shoulder |
//! | `leg-left-front`, `leg-left-back`, `leg-right-front`, `leg-right-back` | middle of the leg's front and back at the height of the crotch |
//! | `neck-back` | nape, the back of the neck base |
//! | `shoulders-front`, `shoulders-back` | middle of the neck, level above the shoulders; the panel's −y runs forwards and backwards |
//! | `waist-front`, `waist-back` | middle of the waist; a ring about the anchor hangs from it in folds |
//!
//! # Girths
//! Width is spread evenly over front and back. At bust, waist and hip the finished garment measures the body's girth plus the
//! ease asked for; a T-shirt, which ends above the hip line, does so at its hem. The bust line is drawn at the depth of the armhole, as usual in drafting.

mod bodice;
mod collar;
mod draw;
mod dress;
mod measurements;
mod poncho;
mod shirt;
mod skirt;
mod top;
mod trousers;

pub use measurements::{Measurements, SIZES, Size};

use crate::pattern::{Garment, PatternError};

/// What a garment is wider than the body (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ease {
    /// At the bust line.
    pub bust: f64,
    /// At the waist.
    pub waist: f64,
    /// At the hip line.
    pub hip: f64,
    /// At the upper arm.
    pub arm: f64,
}

/// A garment that can be drawn.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name.
    pub name: &'static str,
    /// What it is.
    pub summary: &'static str,
    /// Ease it usually has.
    pub ease: Ease,
    draw: fn(&Measurements, &Ease) -> Result<Garment, DraftError>,
}

const fn ease(bust: f64, waist: f64, hip: f64, arm: f64) -> Ease {
    Ease { bust, waist, hip, arm }
}

/// All garments.
#[rustfmt::skip] // one line each: it is a table
pub const DRAFTS: &[Entry] = &[
    Entry { name: "t-shirt", summary: "T-shirt: front, back, two short sleeves", ease: ease(0.10, 0.22, 0.08, 0.07), draw: top::t_shirt },
    Entry { name: "shirt", summary: "shirt: buttoned fronts, back, long sleeves, turned-down collar", ease: ease(0.12, 0.22, 0.06, 0.12), draw: shirt::shirt },
    Entry { name: "sheath-dress", summary: "sheath dress to the knee: bust and waist darts, waist seam", ease: ease(0.06, 0.05, 0.07, 0.05), draw: dress::sheath },
    Entry { name: "a-line-skirt", summary: "A-line skirt to the knee: waist darts and waistband", ease: ease(0.0, 0.02, 0.09, 0.0), draw: skirt::a_line },
    Entry { name: "circle-skirt", summary: "full circle skirt of two half rings", ease: ease(0.0, 0.02, 0.0, 0.0), draw: skirt::circle },
    Entry { name: "trousers", summary: "straight trousers: crotch curves, darts, waistband", ease: ease(0.0, 0.02, 0.06, 0.0), draw: trousers::trousers },
    Entry { name: "poncho-square", summary: "square poncho of two halves with a round neck", ease: ease(0.0, 0.0, 0.0, 0.0), draw: poncho::square },
    Entry { name: "poncho-round", summary: "round poncho of two halves with a round neck", ease: ease(0.0, 0.0, 0.0, 0.0), draw: poncho::round },
];

/// Why a garment cannot be drawn.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DraftError {
    /// There is no garment of this name.
    #[error("there is no draft `{name}`; there are {}", DRAFTS.iter().map(|d| d.name).collect::<Vec<_>>().join(", "))]
    Unknown {
        /// The name.
        name: String,
    },
    /// A measurement that no body has, or an ease no garment has.
    #[error("{what} is {:.1} cm, must lie between {:.1} and {:.1} cm", 100.0 * value, 100.0 * low, 100.0 * high)]
    Range {
        /// Which.
        what: &'static str,
        /// Its value (m).
        value: f64,
        /// Smallest allowed (m).
        low: f64,
        /// Largest allowed (m).
        high: f64,
    },
    /// A length that has to be met cannot be.
    #[error("{what} cannot be drawn for these measurements: {advice}")]
    Unmet {
        /// What.
        what: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// The drawing contradicts itself.
    #[error("these measurements do not fit together: {0}")]
    Unsound(PatternError),
}

/// Draws a garment by name; with its usual ease if none is given.
pub fn draft(name: &str, body: &Measurements, ease: Option<Ease>) -> Result<Garment, DraftError> {
    let entry = DRAFTS.iter().find(|d| d.name == name).ok_or_else(|| DraftError::Unknown { name: name.into() })?;
    body.check()?;
    let ease = ease.unwrap_or(entry.ease);
    // Knits are cut narrower than the body, coats wider by far.
    for (what, value) in
        [("bust ease", ease.bust), ("waist ease", ease.waist), ("hip ease", ease.hip), ("arm ease", ease.arm)]
    {
        measurements::within(what, value, [-0.2, 0.6])?;
    }
    let garment = (entry.draw)(body, &ease)?;
    match garment.problems().into_iter().next() {
        Some(problem) => Err(DraftError::Unsound(problem)),
        None => Ok(Garment { name: name.into(), ..garment }),
    }
}

#[cfg(test)]
mod tests;
