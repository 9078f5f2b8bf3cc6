//! From cut panels to a garment on a body: sewn under contact, welded, settled, refined.
//!
//! 1. `sew`: panels start apart from the body and from each other; stitches draw the sides of seams together while barriers keep
//!    everything from passing through anything. No gravity yet.
//! 2. The seams are welded: cloth in one piece.
//! 3. `settle`: gravity, until the garment rests. Coarse triangles cannot fold where cloth would, and lock into tents: a soft stand-in
//!    hangs as it should. The real fabric comes with the finest triangles.
//! 4. Triangles are split in four and the garment settles again, until the wanted edge length is reached.

mod error;
mod place;
mod settle;
mod sew;

pub use error::DrapeError;
pub use settle::Settled;
pub use sew::Sewing;

use crate::body::measure;
use crate::cloth::{Cloth, cut};
use crate::pattern::{Garment, Placement};
use glam::DVec3;
use toile_contact::barrier::{Friction, Settings, Sheet};
use toile_contact::obstacle::{Form, Movement, Obstacle};
use toile_core::fabric::Fabric;
use toile_core::integrate;
use toile_core::mesh::Mesh;

/// What a garment is put on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// Vertices (m, y up).
    pub vertices: Vec<DVec3>,
    /// Triangles, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Figure {
    fn obstacle(&self) -> Obstacle {
        let form = Form::Mesh { vertices: self.vertices.clone(), triangles: self.triangles.clone(), skin: 0.0 };
        Obstacle { name: BODY.into(), form, movement: Movement::Still }
    }
}

/// Name of the body in messages.
const BODY: &str = "body";

/// How a garment is draped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Wanted edge length (m) of the result.
    pub edge: f64,
    /// Edge length (m) that seams are closed at, at most: the wanted one times a power of two.
    pub coarse: f64,
    /// Thickness of the fabric (m).
    pub thickness: f64,
    /// Distance beyond the thickness at which surfaces feel each other (m).
    pub reach: f64,
    /// Friction between fabric and skin, and fabric and fabric.
    pub friction: f64,
    /// Widest a seam may be open when it is welded (m).
    pub closed: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { edge: 10e-3, coarse: 45e-3, thickness: 0.5e-3, reach: 2e-3, friction: 0.3, closed: 0.3e-3 }
    }
}

impl Options {
    /// Edge length (m) that seams are closed at, and how often triangles are then split in four.
    pub fn levels(&self) -> (f64, usize) {
        let (mut edge, mut splits) = (self.edge, 0);
        while 2.0 * edge <= self.coarse {
            edge *= 2.0;
            splits += 1;
        }
        (edge, splits)
    }

    fn settings(&self) -> Settings {
        Settings { reach: self.reach, ..Settings::default() }
    }
}

/// How far a draping has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Progress {
    /// A step of sewing.
    Sewing {
        /// Steps so far.
        steps: usize,
        /// Widest open seam (m).
        open: f64,
    },
    /// A step of settling.
    Settling {
        /// Number of the level, from 0.
        level: usize,
        /// Levels there are.
        levels: usize,
        /// Steps so far, and at most.
        steps: [usize; 2],
        /// The longest way of a vertex in the last step (m).
        moved: f64,
    },
}

/// A garment on a body.
#[derive(Clone, Debug)]
pub struct Draped {
    /// Sewn, refined and at rest.
    pub cloth: Cloth,
    /// How far each panel was moved out of the way before sewing (m).
    pub moved: Vec<f64>,
    /// How the seams were closed.
    pub sewing: Sewing,
    /// How the garment settled on each level, coarse to fine.
    pub settled: Vec<Settled>,
}

/// Most steps of a coarse level, and of the finest.
const STEPS: [usize; 2] = [40, 150];
/// Modulus (N/m) of the stand-in for coarse levels.
const SOFT: f64 = 50.0;

/// Sews a garment round a body and lets it come to rest. The garment must be sound ([`Garment::problems`]).
pub fn drape(
    garment: &Garment,
    fabric: &Fabric,
    body: &Figure,
    options: &Options,
    tell: &mut dyn FnMut(Progress),
) -> Result<Draped, DrapeError> {
    let (edge, splits) = options.levels();
    let needs_figures = garment.panels.iter().any(|p| matches!(p.placement, Placement::Wrapped { .. }));
    let figures = needs_figures.then(|| measure(&body.vertices, &body.triangles)).transpose()?;
    let mut pieces = cut(garment, figures.as_ref(), edge)?;
    let moved = place::part(garment, &mut pieces, body, options)?;
    let (mut cloth, sewing) = sew::sew(garment, &pieces, body, options, tell)?;
    // Its own density: what hangs is right at once, only how it stretches is not.
    let soft = Fabric { density: fabric.density, ..Fabric::isotropic(SOFT, 0.3, 1e-5, fabric.density)? };
    let mut settled = Vec::new();
    for level in 0..=splits {
        if level > 0 {
            cloth = cloth.refine(garment);
        }
        place::clear(&mut cloth, body, options)?;
        let is_last = level == splits;
        let rest = settle::Rest {
            moved: if is_last { 0.5e-3 } else { 1e-3 },
            balance: if is_last { 0.005 } else { 0.05 },
            residual: if is_last { 0.1 } else { f64::INFINITY },
            steps: STEPS[usize::from(is_last)],
        };
        let fabric = if is_last { fabric } else { &soft };
        let mut tell_level = |steps, moved| {
            tell(Progress::Settling { level, levels: splits + 1, steps: [steps, rest.steps], moved });
        };
        let (positions, figures) = settle::settle(&cloth, fabric, body, options, &rest, &mut tell_level)?;
        cloth.mesh.positions = positions;
        settled.push(figures);
    }
    Ok(Draped { cloth, moved, sewing, settled })
}

/// How steps are solved: places to about a millimetre, as many iterations as it takes.
fn newton() -> integrate::Options {
    let settings = integrate::Options::named("backward-euler").unwrap_or_default();
    integrate::Options { tolerance: 0.1, linear_tolerance: 0.01, max_newton: 60, ..settings }
}

fn coulomb(coefficient: f64) -> impl Fn(usize, usize) -> Friction {
    move |_, _| Friction::coulomb(coefficient)
}

/// A mesh as contact sees it.
fn sheet(name: &str, mesh: &Mesh, thickness: f64) -> Sheet {
    Sheet {
        name: name.into(),
        vertex_count: mesh.vertex_count(),
        triangles: mesh.triangles.clone(),
        material: mesh.material.clone(),
        thickness,
    }
}
