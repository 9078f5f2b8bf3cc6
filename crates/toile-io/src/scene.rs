//! Scene files: what is simulated, how, and what is written. TOML with units in every key; version 1.
//!
//! The way of a file: `file` mirrors it, `gather` reads it with what it includes, `convert` turns it into a [`Scene`] whose
//! fabrics are read, whose meshes are made (`shape`) and whose grips are vertices (`select`). Every mistake is reported at once,
//! at its place in its file.

mod contact;
mod convert;
mod file;
mod gather;
mod select;
mod shape;

pub(crate) use convert::colour;
pub use file::{Animation, Paint, SceneDocument, Unit, Up};

use crate::problem::Problem;
use glam::DVec3;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use toile_contact::barrier::{self, Friction};
use toile_contact::geometric;
use toile_core::fabric::Fabric;
use toile_core::force::Wind;
use toile_core::integrate::Options;
use toile_core::lane::Level;
use toile_core::mesh::Mesh;
use toile_core::system::{Line, Motion};

/// A scene: everything a simulation needs, in SI units.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Name.
    pub name: String,
    /// Files it was read from, with their bytes.
    pub sources: Vec<Source>,
    /// Cloths, at least one.
    pub cloths: Vec<Cloth>,
    /// Pins and handles.
    pub grips: Vec<Grip>,
    /// Tapes, elastics, folds, each with the cloth it is on.
    pub lines: Vec<(usize, Line)>,
    /// What stands or moves in the way of cloth.
    pub obstacles: Vec<Obstacle>,
    /// How bodies are kept apart; they pass through each other without it.
    pub contact: Option<Contact>,
    /// Wind.
    pub wind: Option<Wind>,
    /// Time and how it is stepped.
    pub simulation: Simulation,
    /// What is written.
    pub output: Output,
    /// How it is drawn.
    pub picture: Picture,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its path as written, from the folder of the scene.
    pub path: PathBuf,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// A cloth, meshed and placed.
#[derive(Clone, Debug)]
pub struct Cloth {
    /// Name.
    pub name: String,
    /// Fabric as the mechanics sees it.
    pub fabric: Fabric,
    /// Name or file of the fabric in the scene.
    pub fabric_name: String,
    /// Membrane model.
    pub membrane: String,
    /// Bending model.
    pub bending: String,
    /// Colour (sRGB, 0 to 1).
    pub colour: [f32; 3],
    /// Mesh at the start.
    pub mesh: Mesh,
    /// Rest curvature along weft and warp, and twist (1/m).
    pub rest_curvature: Option<[f64; 3]>,
}

/// Vertices of a cloth that are held or led.
#[derive(Clone, Debug)]
pub struct Grip {
    /// Name.
    pub name: String,
    /// Number of the cloth.
    pub cloth: usize,
    /// Vertices of the cloth.
    pub vertices: Vec<u32>,
    /// Held directions.
    pub axes: [bool; 3],
    /// Normal of the sheet that is held too.
    pub clamp: Option<DVec3>,
    /// Motion of the vertices.
    pub motion: Motion,
    /// Motion of the held normal.
    pub turning: Motion,
}

/// What stands or moves in the way of cloth.
#[derive(Clone, Debug)]
pub struct Obstacle {
    /// Name, surface and motion.
    pub body: toile_contact::obstacle::Obstacle,
    /// Colour (sRGB, 0 to 1).
    pub colour: [f32; 3],
}

/// How bodies are kept apart.
#[derive(Clone, Debug)]
pub struct Contact {
    /// What keeps them apart.
    pub response: Response,
    /// Friction between every two bodies, row by row: cloths, then obstacles.
    pub friction: Vec<Friction>,
    /// Thickness of each cloth (m).
    pub thicknesses: Vec<f64>,
    /// Whether a start that crosses or overlaps is parted before the first step.
    pub untangle: bool,
}

/// What keeps bodies apart.
#[derive(Clone, Debug)]
pub enum Response {
    /// A potential in the step: lengths, speeds and stiffness of it.
    Barrier(barrier::Settings),
    /// Corrections after the step.
    Geometric {
        /// Lengths and sweeps.
        settings: geometric::Settings,
        /// What `drape` says to it: corrections need steps in time.
        drape: Problem,
    },
}

impl Response {
    /// Whether a cloth feels itself.
    pub fn own(&self) -> bool {
        match self {
            Self::Barrier(settings) => settings.own,
            Self::Geometric { settings, .. } => settings.own,
        }
    }
}

/// Time and how it is stepped.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// Simulated time (s).
    pub duration: f64,
    /// Longest step (s).
    pub step: f64,
    /// Scheme, solver, tolerances.
    pub options: Options,
    /// Scheme by name.
    pub scheme: String,
    /// Gravity (m/s²).
    pub gravity: DVec3,
    /// Largest force on a vertex at which `drape` ends (N).
    pub force_tolerance: f64,
    /// Iterations of `drape`.
    pub max_iterations: usize,
    /// Instruction level of the kernels.
    pub level: Level,
}

/// What is written.
#[derive(Clone, Debug)]
pub struct Output {
    /// Frames per simulated second.
    pub frames_per_second: f64,
    /// Formats written at the end.
    pub formats: Vec<String>,
    /// Time on the clock between checkpoints (s).
    pub checkpoint_seconds: f64,
}

/// How it is drawn.
#[derive(Clone, Debug)]
pub struct Picture {
    /// What colours the cloth.
    pub paint: Paint,
    /// Side of a square of the checker (m).
    pub checker: f64,
    /// Value at the red end of a map (% or N/m); the largest of the run when left out.
    pub map_maximum: Option<f64>,
    /// Degrees from the front (+z) towards the right (+x), and above the horizon.
    pub camera_deg: [f64; 2],
    /// Width and height (px).
    pub size: [usize; 2],
    /// Height of the floor (m).
    pub floor: Option<f64>,
    /// Times side by side.
    pub strip: usize,
    /// Moving picture.
    pub animation: Option<Animation>,
}

/// JSON Schema of scene files.
pub fn schema() -> Value {
    SCHEMA.clone()
}

static SCHEMA: LazyLock<Value> = LazyLock::new(|| schemars::schema_for!(SceneDocument).to_value());

/// Reads a scene; also returns what looks wrong although it works. All problems when the scene cannot be used.
pub fn read(path: &Path) -> Result<(Scene, Vec<Problem>), Vec<Problem>> {
    let mut gathered = gather::gather(path)?;
    let scene = convert::scene(&mut gathered);
    let problems = gathered.into_problems();
    match scene {
        Some(scene) if !problems.iter().any(Problem::is_error) => Ok((scene, problems)),
        _ => Err(problems),
    }
}

/// Everything that is wrong with a scene and what it includes; empty when nothing is.
pub fn check(path: &Path) -> Vec<Problem> {
    read(path).map_or_else(|problems| problems, |(_, warnings)| warnings)
}
