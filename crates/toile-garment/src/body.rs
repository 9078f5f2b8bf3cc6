//! Bodies: a mannequin made to measure, and the measuring of any body.
//!
//! [`mannequin`] turns about twenty measurements into a closed body in A-pose with skeleton, skin weights, landmarks and
//! regions. No mesh is bundled: tables of cross-sections are mixed, moved to height, grown to girth, blended where the
//! tubes meet by one linear solve, measured and corrected. Every body has the same grid, so vertex numbers mean
//! the same place on all of them. Book page: "Bodies".
//!
//! World: metres, y up, facing +z, left is +x, feet on y = 0.

mod arm;
mod curve;
mod fairing;
mod generate;
mod grid;
mod leg;
mod levels;
mod measurements;
mod sections;
mod tables;
mod tape;
mod torso;

pub use measurements::{Measurements, SIZES, Size};

use glam::DVec3;
use grid::Grid;
use sections::Shapes;
use std::sync::OnceLock;

/// A body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Vertices (m).
    pub vertices: Vec<DVec3>,
    /// Triangles, outward by the right hand: two per quad, in the order of the quads.
    pub triangles: Vec<[u32; 3]>,
    /// Quads; the first and third corner are the ends of the diagonal that splits them.
    pub quads: Vec<[u32; 4]>,
}

/// Why there is no body.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BodyError {
    /// A measurement is out of range.
    #[error("{name} is {value:.3}, must lie between {low:.3} and {high:.3} (lengths in metres; girths in proportion to the height)")]
    Range {
        /// Which.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Smallest allowed.
        low: f64,
        /// Largest allowed.
        high: f64,
    },
    /// There is no size of that name.
    #[error("there is no size \"{name}\": sizes are F34 to F52 and M44 to M60, even numbers")]
    Size {
        /// Name asked for.
        name: String,
    },
    /// Two levels of the body are out of order or too near to each other.
    #[error("the {upper} at {high:.3} m must lie at least {gap:.3} m above the {lower} at {low:.3} m: check the lengths given")]
    Levels {
        /// Name of the lower level.
        lower: &'static str,
        /// Its height (m).
        low: f64,
        /// Name of the upper level.
        upper: &'static str,
        /// Its height (m).
        high: f64,
        /// Smallest difference (m).
        gap: f64,
    },
    /// A measurement could not be met together with the others.
    #[error("{name} of {wanted:.4} m cannot be met together with the other measurements: the body has {got:.4} m")]
    Missed {
        /// Which.
        name: &'static str,
        /// Value asked for (m).
        wanted: f64,
        /// Value reached (m).
        got: f64,
    },
    /// The linear solve failed.
    #[error("the points of the body could not be solved for: {reason}")]
    Solver {
        /// Why.
        reason: String,
    },
}

/// The grid and the tabulated shapes: the same for all bodies, made on first use.
fn shared() -> &'static (Grid, Shapes) {
    static SHARED: OnceLock<(Grid, Shapes)> = OnceLock::new();
    SHARED.get_or_init(|| (Grid::new(), Shapes::new()))
}

/// Makes a body to measure.
///
/// # Errors
/// If a measurement is out of range or contradicts the others.
pub fn mannequin(measurements: &Measurements) -> Result<Body, BodyError> {
    let (grid, shapes) = shared();
    let generated = generate::generate(measurements, grid, shapes)?;
    Ok(Body { vertices: generated.points, triangles: grid.triangles(), quads: grid.quads.clone() })
}
