//! Bodies: a mannequin made to measure, and the measuring of any body.
//!
//! [`mannequin`] turns about twenty measurements into a closed body in A-pose with skeleton, skin weights, landmarks and
//! regions. No mesh is bundled: tables of cross-sections are mixed, moved to height, grown to girth, blended where the
//! tubes meet by one linear solve, measured and corrected. Every body has the same grid, so vertex numbers mean
//! the same place on all of them. Book page: "Bodies".
//!
//! World: metres, y up, facing +z, left is +x, feet on y = 0.
//!
//! ```
//! use toile_garment::body::{Measurements, mannequin, measure};
//!
//! let m = Measurements { upper_arm: Some(0.30), ..Measurements::of_size("F38")? };
//! let body = mannequin(&m)?;
//! let figures = measure(&body.vertices, &body.triangles)?;
//! assert!((figures.height - 1.68).abs() < 1e-3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arm;
mod curve;
mod fairing;
mod generate;
mod grid;
mod landmarks;
mod leg;
mod levels;
mod measure;
mod measurements;
mod sections;
mod skeleton;
pub(crate) mod slice;
mod tables;
pub(crate) mod tape;
mod torso;

pub use landmarks::{GirthLine, Landmark};
pub use measure::{Axis, Figures, Girth, MeasureError, Station, measure};
pub use measurements::{Measurements, SIZES, Size};
pub use skeleton::{Influence, Joint, Pose, Skeleton};

use glam::DVec3;
use grid::Grid;
use sections::Shapes;
use std::sync::OnceLock;

/// A mannequin.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Vertices (m).
    pub vertices: Vec<DVec3>,
    /// Triangles, outward by the right hand: two per quad, in the order of the quads.
    pub triangles: Vec<[u32; 3]>,
    /// Quads; the first and third corner are the ends of the diagonal that splits them.
    pub quads: Vec<[u32; 4]>,
    /// Named vertices: nape, shoulders, bust points.
    pub landmarks: Vec<Landmark>,
    /// Named closed lines: bust, waist, hip, thighs.
    pub girth_lines: Vec<GirthLine>,
    /// Names of the regions: `waist`, `upperarm_l`.
    pub regions: Vec<String>,
    /// Region of each quad.
    pub region_of_quad: Vec<u16>,
    /// Joints and skin weights.
    pub skeleton: Skeleton,
}

impl Body {
    /// Place of a landmark (m).
    pub fn landmark(&self, name: &str) -> Option<DVec3> {
        let mark = self.landmarks.iter().find(|mark| mark.name == name)?;
        Some(self.vertices[mark.vertex as usize])
    }

    /// Length of a tape round a girth line (m).
    pub fn girth(&self, name: &str) -> Option<f64> {
        let line = self.girth_lines.iter().find(|line| line.name == name)?;
        Some(tape::girth(&line.vertices.iter().map(|v| self.vertices[*v as usize]).collect::<Vec<_>>()))
    }

    /// Region of each triangle.
    pub fn region_of_triangle(&self) -> Vec<u16> {
        self.region_of_quad.iter().flat_map(|region| [*region; 2]).collect()
    }
}

/// Why there is no body.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BodyError {
    /// A measurement is out of range.
    #[error(
        "{name} is {value:.3}, must lie between {low:.3} and {high:.3} (lengths in metres; girths in proportion to the height)"
    )]
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
    #[error(
        "the {upper} at {high:.3} m must lie at least {gap:.3} m above the {lower} at {low:.3} m: check the lengths given"
    )]
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

/// What all bodies have in common, made on first use.
struct Common {
    grid: Grid,
    shapes: Shapes,
    influences: Vec<Influence>,
}

fn common() -> Result<&'static Common, BodyError> {
    static COMMON: OnceLock<Result<Common, BodyError>> = OnceLock::new();
    let make = || {
        let grid = Grid::new();
        let influences = skeleton::influences(&grid)?;
        Ok(Common { grid, shapes: Shapes::new(), influences })
    };
    COMMON.get_or_init(make).as_ref().map_err(Clone::clone)
}

/// Makes a body to measure.
///
/// # Errors
/// If a measurement is out of range or contradicts the others.
pub fn mannequin(measurements: &Measurements) -> Result<Body, BodyError> {
    let Common { grid, shapes, influences } = common()?;
    let generated = generate::generate(measurements, grid, shapes)?;
    let joints = skeleton::joints(grid, &generated);
    let (regions, region_of_quad) = landmarks::regions(grid);
    Ok(Body {
        vertices: generated.points,
        triangles: grid.triangles(),
        quads: grid.quads.clone(),
        landmarks: landmarks::landmarks(grid),
        girth_lines: landmarks::girth_lines(grid),
        regions,
        region_of_quad,
        skeleton: Skeleton { joints, influences: influences.clone() },
    })
}
