//! The virtual textile laboratory: the tests of a fabric laboratory, run on a real mesh with the mechanics of a garment.
//!
//! A [`Test`] is a plan: it meshes a sample, moves its clamps, and compares what the clamps feel with the fabric's own law,
//! evaluated at one point that sees the same strains ([`Point`]). The difference is the error of everything between law
//! and garment: elements, meshes, solver. Tests: [`Stretch`] (tensile and shear), [`Bias`], [`Bend`], [`Cantilever`] and
//! [`Cyclic`]; no law knows the answer of [`Drape`]. [`Outcome`] holds rows, figures and plots; [`write()`] puts them into files.
//!
//! Quasi-static throughout: relaxation branches have let go at every reading, viscosity is silent, friction sliders keep
//! their history. Fabrics with hysteresis are compared with the law *and* its memory along the same path.

mod bend;
mod bias;
mod cantilever;
mod cyclic;
mod drape;
mod outcome;
mod point;
mod rig;
mod specimen;
mod stretch;
mod write;

pub use bend::Bend;
pub use bias::Bias;
pub use cantilever::{Cantilever, STANDARD_ANGLE};
pub use cyclic::{Cycle, Cyclic, Mode};
pub use drape::{Drape, DrapeReading, Hold};
pub use outcome::{ErrorScale, Figure, Outcome, Path, Quantity, Row};
pub use point::Point;
pub use specimen::{Direction, MeshKind, Specimen};
pub use stretch::{Edges, Kind, Stretch};
pub use write::{SaveError, json_lines, table, write};

use toile_core::fabric::Fabric;
use toile_core::tensile::Sample;

/// A plan of a laboratory test.
pub trait Test {
    /// Readings the test will take at most, for a progress bar.
    fn steps(&self) -> usize;
    /// Carries it out; `tick` is called after each reading.
    fn run(&self, fabric: &Fabric, tick: &mut dyn FnMut()) -> Result<Outcome, LabError>;
}

/// Name and one line of every test, as the command and the book list them.
pub const TESTS: &[(&str, &str)] = &[
    ("tensile", "pull a wide sample between its long clamps (KES-FB1)"),
    ("shear", "shift the clamps of the same sample along each other (KES-FB1)"),
    ("bias", "pull a long strip cut at an angle to the threads"),
    ("bend", "turn one clamp against the other: moment over curvature (KES-FB2)"),
    ("cantilever", "let a strip hang over an edge: bending length and rigidity"),
    ("cyclic", "load and unload with growing amplitude: loops and dissipation"),
    ("drape", "let a round sample hang over a round support: drape coefficient and folds (Cusick)"),
];

/// The fabric without hysteresis and viscosity: its elastic laws alone, under a name that says so.
pub fn without_history(fabric: &Fabric) -> Fabric {
    let mut elastic = Fabric { name: format!("{} (elastic)", fabric.name), ..fabric.clone() };
    for material in [&mut elastic.membrane, &mut elastic.bending] {
        material.viscous = None;
        material.memory.clear();
    }
    elastic
}

/// Why a test gave no result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LabError {
    /// A setting out of range.
    #[error("{name} is {value} {unit}, must lie between {low} and {high} {unit}")]
    Setting {
        /// Which.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Smallest allowed.
        low: f64,
        /// Largest allowed.
        high: f64,
        /// Unit of the three.
        unit: &'static str,
    },
    /// The sample cannot be meshed.
    #[error(transparent)]
    Meshing(#[from] toile_garment::meshing::MeshingError),
    /// The sample cannot be put into the rig.
    #[error(transparent)]
    Build(#[from] toile_core::system::BuildError),
    /// A memory branch of the fabric does not serve.
    #[error(transparent)]
    Memory(#[from] toile_core::memory::MemoryError),
    /// The solver gave up.
    #[error("at {at}: {source}")]
    Step {
        /// Reading.
        at: String,
        /// Why.
        source: toile_core::integrate::StepError,
    },
    /// No equilibrium.
    #[error("at {at}: no equilibrium after {iterations} iterations, {residual:.1e} N are left on a node")]
    Unbalanced {
        /// Reading.
        at: String,
        /// Newton iterations made.
        iterations: usize,
        /// Largest force left (N).
        residual: f64,
    },
    /// A strip that hangs straight down.
    #[error(
        "the chord of the strip hangs at {chord_degrees:.1}°: beyond 89.4° it tells nothing of the rigidity; shorten the overhang"
    )]
    Limp {
        /// Angle below the level (°).
        chord_degrees: f64,
    },
    /// A picture could not be made.
    #[error(transparent)]
    Render(#[from] crate::render::RenderError),
    /// The law does not answer a question about itself.
    #[error("at {at}: the law has no state of uniaxial stress there")]
    NoUniaxialState {
        /// Reading.
        at: String,
    },
}

impl LabError {
    /// Is it the plan that is wrong, rather than the calculation that failed?
    pub fn is_input(&self) -> bool {
        matches!(self, Self::Setting { .. } | Self::Limp { .. } | Self::Meshing(_) | Self::Build(_) | Self::Memory(_))
    }
}

/// A tensile sample of a length between the clamps and a width along them (m).
pub fn sample(length: f64, width: f64) -> Result<Sample, LabError> {
    within("length of the sample", 1e3 * length, [1.0, 1e4], "mm")?;
    within("width of the sample", 1e3 * width, [1.0, 1e4], "mm")?;
    Ok(Sample { length, width })
}

/// Refuses a setting out of range. Units are those of the message.
fn within(name: &'static str, value: f64, [low, high]: [f64; 2], unit: &'static str) -> Result<(), LabError> {
    if value >= low && value <= high {
        return Ok(());
    }
    Err(LabError::Setting { name, value, low, high, unit })
}

#[cfg(test)]
mod tests;
