//! Waists that do not stretch.
//!
//! No maker leaves the upper edge of a skirt as the fabric is: it is taped or faced with something firm, so that it keeps the length that it was cut to
//! and rests where the body is as wide as that. Cut from jersey and left as it is, a band passes over any hip.
//!
//! So every free edge that is attached to the waist has a stay: a chain of springs as long as the edge is on its panel. Where the edge is sewn to a bodice the bodice
//! carries it, and there is none.

use super::WAIST;
use super::sides::Sides;
use crate::pattern::Garment;
use toile_core::membrane::Spring;

/// Pull by strain (N), of an interfaced band 3 cm wide whose cloth takes 10 kN/m. Skirts of 3 N rest on it within a centimetre of where they fit. Without it, bands of
/// jersey slid 6 cm down on their attachments; with 1 kN they got there, too, in four times as many steps.
pub(super) const STIFFNESS: f64 = 300.0;

/// Springs of all stays.
pub(super) fn springs(garment: &Garment, sides: &Sides) -> Vec<Spring> {
    let waists = garment.attachments.iter().filter(|a| a.to == WAIST);
    let along = waists.flat_map(|a| &a.spans).flat_map(|span| sides.along(span));
    along.filter(|side| sides.is_free(side)).map(|side| Spring::of_line(side.ends, side.length)).collect()
}
