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

/// Pull by strain (N), about that of an interfaced band 3 cm wide. Chosen out of two that were tried: with 1 kN the same skirts and shorts rest at the waist, too, but a
/// pencil skirt took 100 steps instead of 26; without a stay bands of jersey slid 6 cm down on their attachments.
pub(super) const STIFFNESS: f64 = 300.0;

/// Springs of all stays.
pub(super) fn springs(garment: &Garment, sides: &Sides) -> Vec<Spring> {
    let waists = garment.attachments.iter().filter(|a| a.to == WAIST);
    let along = waists.flat_map(|a| &a.spans).flat_map(|span| sides.along(span));
    along.filter(|side| sides.is_free(side)).map(|side| Spring::of_line(side.ends, side.length)).collect()
}
