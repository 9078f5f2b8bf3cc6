//! Seams closed under contact.

use super::{DrapeError, Item, Options, Way, coulomb, notions, sheet};
use crate::cloth::{Cloth, Cut};
use glam::DVec3;
use toile_contact::barrier::Barrier;
use toile_contact::shapes::Shapes;
use toile_core::fabric::Fabric;
use toile_core::force::{Pull, Stitch};
use toile_core::integrate::Integrator;
use toile_core::mesh::Mesh;
use toile_core::system::{Builder, State, System};

/// How seams were closed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sewing {
    /// Steps made.
    pub steps: usize,
    /// Newton iterations.
    pub newton: usize,
    /// Linear iterations.
    pub linear: usize,
    /// Widest open seam before welding (m).
    pub open: f64,
}

/// Length of a step (s). Motion is stopped after each: a step goes down the slope of the potential, held by mass alone.
const STEP: f64 = 0.02;
/// Steps before a seam that will not close is given up.
const STEPS: usize = 400;

/// Draws the seams of cut cloth together round what stands in the way, and welds them. `tell` hears steps and the widest open seam (m).
pub(super) fn sew(
    item: &Item,
    cut: &Cut,
    way: &Way,
    options: &Options,
    tell: &mut dyn FnMut(usize, f64),
) -> Result<(Cloth, Sewing), DrapeError> {
    let step_error = |error| DrapeError::Step { phase: "sewing", error };
    let meshes = panels(cut);
    // A stand-in: closing does not depend on the fabric, and one that wrinkles at every step only makes it slow.
    let fabric = Fabric::isotropic(400.0, 0.3, 2e-5, 0.15)?;
    let folds = notions::folds_of(item.garment, &cut.cloth);
    let system = system(cut, &meshes, &fabric, &folds)?;
    let thickness = item.thickness();
    let sheets: Vec<_> =
        meshes.iter().zip(&item.garment.panels).map(|(mesh, panel)| sheet(&panel.name, mesh, thickness)).collect();
    // Without friction: panels have to find their place first.
    let mut barrier = Barrier::new(&system, &sheets, way.0.clone(), coulomb(0.0), options.settings());
    barrier.join(cut.joined());
    let mut integrator = Integrator::new(&system, super::newton()).map_err(step_error)?;
    let mut state = system.initial_state();
    let mut closing = Closing { pull: LIGHT, least: f64::INFINITY };
    let mut sewing = Sewing::default();
    loop {
        let (open, seam) = cut.widest(&state.positions).unwrap_or((0.0, 0));
        sewing.open = open;
        tell(sewing.steps, open);
        if open <= options.closed
            && let Some(cloth) = welded(cut, &state, way, thickness)?
        {
            return Ok((cloth, sewing));
        }
        if sewing.steps == STEPS {
            let seam = item.garment.seams[seam as usize].name.clone();
            return Err(DrapeError::Open { seam, open_mm: 1e3 * open, steps: STEPS });
        }
        closing.set(&system, &mut state, open);
        let report = integrator.step_in_contact(&system, &mut state, STEP, &mut barrier).map_err(step_error)?;
        state.velocities.fill(DVec3::ZERO);
        state.past = None;
        sewing.steps += 1;
        sewing.newton += report.newton;
        sewing.linear += report.linear;
    }
}

/// Cloth in one piece, unless the last fraction of a millimetre made something cross: then the seams have to come nearer first.
fn welded(cut: &Cut, state: &State, way: &Way, thickness: f64) -> Result<Option<Cloth>, DrapeError> {
    let cloth = cut.weld(&state.positions)?;
    let mut shapes = Shapes::default();
    let mesh = &cloth.mesh;
    shapes.add("garment", true, 0.5 * thickness, mesh.vertex_count(), &mesh.triangles, &[]);
    way.add_to(&mut shapes);
    shapes.joined = cloth.joined();
    let positions = way.behind(&mesh.positions);
    Ok(notions::certify_joined(&shapes, &positions).is_clear().then_some(cloth))
}

/// How the pull of the stitches grows: light and steady while the sides are far apart, ever more like a stiff spring once they are near or
/// come no nearer.
struct Closing {
    pull: Pull,
    least: f64,
}

/// A pull that carries panels a few centimetres in a step: (N/m, N).
const LIGHT: Pull = Pull { stiffness: 5.0, most: 0.03 };
/// A pull that turns panels over and drags them round corners, but does not crush what lies between.
const FIRM: Pull = Pull { stiffness: 200.0, most: 1.0 };
/// A pull that no fabric withstands.
const STRONG: Pull = Pull { stiffness: 2e4, most: 30.0 };
/// Seams are near when none is open wider (m).
const NEAR: f64 = 0.05;

impl Closing {
    fn set(&mut self, system: &System, state: &mut State, open: f64) {
        if open < NEAR || open > 0.97 * self.least {
            let limit = if open < NEAR { STRONG } else { FIRM };
            let grown = |now: f64, most: f64| now.max((1.3 * now).min(most));
            self.pull.stiffness = grown(self.pull.stiffness, limit.stiffness);
            self.pull.most = grown(self.pull.most, limit.most);
        }
        self.least = self.least.min(open);
        if let Some(range) = system.memory_of(Stitch::NAME) {
            Stitch::set_pull(&mut state.memory[range], self.pull);
        }
    }
}

/// One mesh for each panel.
fn panels(cut: &Cut) -> Vec<Mesh> {
    let whole = &cut.cloth.mesh;
    cut.vertices
        .iter()
        .enumerate()
        .map(|(p, range)| {
            let own = |t: &usize| cut.cloth.panels[*t] as usize == p;
            let triangles: Vec<usize> = (0..whole.triangles.len()).filter(own).collect();
            Mesh {
                positions: whole.positions[range.start as usize..range.end as usize].to_vec(),
                triangles: triangles.iter().map(|&t| whole.triangles[t].map(|v| v - range.start)).collect(),
                material: triangles.iter().map(|&t| whole.material[t]).collect(),
            }
        })
        .collect()
}

fn system(cut: &Cut, meshes: &[Mesh], fabric: &Fabric, folds: &[notions::Fold]) -> Result<System, DrapeError> {
    let mut builder = Builder::new(&meshes[0], fabric);
    for (p, mesh) in meshes.iter().enumerate() {
        if p > 0 {
            builder = builder.sheet(mesh, fabric);
        }
        builder = builder.membrane("corotational").bending("midedge-quadratic");
        let range = &cut.vertices[p];
        let own: Vec<_> = folds.iter().filter_map(|f| f.among(range.start, range.len() as u32)).collect();
        for crease in notions::creases(mesh, &own) {
            builder = builder.crease(crease);
        }
    }
    let stitch = Stitch { pairs: cut.sewn().map(|j| j.ends).collect() };
    Ok(builder.gravity(DVec3::ZERO).force(Box::new(stitch)).build()?)
}
