//! How a garment fits, as far as geometry tells: girths and ease, parts of the body, strain and tension along any direction of the cloth,
//! pressure on the skin against what people find comfortable.
//!
//! All of it works on one cloth and one body at a time. Book page: "Draping garments".

mod comfort;
mod directions;
mod girths;
mod openings;
mod passages;
mod pressure;
mod regions;

pub use comfort::{Comfort, comfort, comforts};
pub use directions::{Direction, principal_strain, principal_tension, strain_along, tension_along};
pub use girths::{GirthFit, GirthPlane, girth_planes, girths};
pub use openings::{Opening, openings};
pub use passages::empty_armhole;
pub use pressure::{RegionPressure, Skin, by_region, skin};
pub use regions::{Regions, measured_regions};

/// The value below which a share (0 to 1) of the weight lies, of values with weights in ascending order; 0 of none.
pub fn quantile(sorted: &[(f64, f64)], share: f64) -> f64 {
    let total: f64 = sorted.iter().map(|v| v.1).sum();
    let mut below = 0.0;
    let found = sorted.iter().find(|(_, weight)| {
        below += weight;
        below >= share * total
    });
    found.or(sorted.last()).map_or(0.0, |v| v.0)
}
