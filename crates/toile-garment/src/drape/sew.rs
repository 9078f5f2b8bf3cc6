//! Seams closed under contact.

use super::{DrapeError, Item, Options, Way, coulomb, notions, place, sheet};
use crate::body::Figures;
use crate::cloth::{Cloth, Cut};
use crate::fit::empty_armhole;
use crate::pattern::Garment;
use glam::DVec3;
use std::collections::BTreeMap;
use toile_contact::barrier::Barrier;
use toile_contact::shapes::Shapes;
use toile_core::fabric::Fabric;
use toile_core::force::{Pull, Stitch, Ties};
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
    /// How much higher than its pattern says the garment started (m).
    pub lifted: f64,
}

/// Name of it in messages.
pub(super) const PHASE: &str = "sewing";
/// Length of a step (s). Motion is stopped after each: a step goes down the slope of the potential, held by mass alone.
const STEP: f64 = 0.02;
/// Steps before a seam that will not close is given up.
const STEPS: usize = 400;
/// Steps without any seam coming nearer before that: what is caught on an arm stays caught.
const PATIENCE: usize = 80;

/// Draws the seams of cut cloth together round what stands in the way, and welds them. `tell` hears steps and the widest open seam (m).
///
/// All seams at once is quick and serves most garments; panels that lie over others are sewn on when what they lie over hangs together. Where a seam stays open, the garment starts higher, so that straps close on top of the
/// shoulder instead of sliding off it; then also from the top down, so that a heavy skirt does not draw a bodice down before its shoulders
/// are closed.
///
/// So it does where all seams close but an arm is beside its armhole, which only bodies tell that can be measured.
pub(super) fn sew(
    item: &Item,
    cut: &Cut,
    way: &Way,
    figures: Option<&Figures>,
    options: &Options,
    tell: &mut dyn FnMut(usize, f64),
) -> Result<(Cloth, Sewing), DrapeError> {
    let seams = item.garment.seams.len();
    let all = by_layers(item.garment);
    let is_on = |cloth: &Cloth| figures.is_none_or(|f| empty_armhole(&cloth.mesh, f).is_none());
    let failed = match attempt(item, cut, way, options, all.clone(), tell) {
        Ok((cloth, sewing)) if !is_on(&cloth) => Ok((cloth, sewing)),
        Err(error) if matches!(error.cause(), DrapeError::Open { .. } | DrapeError::Step { .. }) => Err(error),
        done => return done,
    };
    let stages = from_the_top(cut, seams);
    let mut lifted = cut.clone();
    let height = place::lift(&mut lifted, stages.first().map_or(&[], Vec::as_slice), way);
    if place::part(item, &mut lifted, way, options).is_err() {
        return failed;
    }
    for order in [all, stages] {
        match attempt(item, &lifted, way, options, order, tell) {
            Ok((cloth, sewing)) if is_on(&cloth) => return Ok((cloth, Sewing { lifted: height, ..sewing })),
            _ => {}
        }
    }
    // What came of the first attempt is told: the start it was found from is the one the pattern names.
    failed
}

/// Closes seams stage by stage.
fn attempt(
    item: &Item,
    cut: &Cut,
    way: &Way,
    options: &Options,
    stages: Vec<Vec<usize>>,
    tell: &mut dyn FnMut(usize, f64),
) -> Result<(Cloth, Sewing), DrapeError> {
    let step_error = |error| DrapeError::Step { phase: PHASE, error };
    let meshes = panels(cut);
    // A stand-in: closing does not depend on the fabric, and one that wrinkles at every step only makes it slow.
    let fabric = Fabric::isotropic(400.0, 0.3, 2e-5, 0.15)?;
    let thickness = item.thickness();
    let folds = notions::folds_of(item.garment, &cut.cloth);
    let buttons = notions::fastened(item.garment, &cut.cloth, thickness);
    let system = system(cut, &meshes, &fabric, &folds, buttons)?;
    let sheets: Vec<_> =
        meshes.iter().zip(&item.garment.panels).map(|(mesh, panel)| sheet(&panel.name, mesh, thickness)).collect();
    // Without friction: panels have to find their place first.
    let mut barrier = Barrier::new(&system, &sheets, way.0.clone(), coulomb(0.0), options.settings());
    barrier.join(cut.joined());
    let mut integrator = Integrator::new(&system, super::newton()).map_err(step_error)?;
    let mut state = system.initial_state();
    let left = |error: DrapeError, state: &State| {
        let mut cloth = cut.cloth.clone();
        cloth.mesh.positions.copy_from_slice(&state.positions[..system.vertex_count()]);
        error.leaving(cloth)
    };
    let mut closing = Closing::new(stages);
    let mut sewing = Sewing::default();
    loop {
        let widths = widths(cut, item.garment.seams.len(), &state.positions);
        let (open, seam) = widest(&widths, 0..widths.len());
        sewing.open = open;
        tell(sewing.steps, open);
        if open <= closing.share() * options.closed
            && let Some(cloth) = welded(cut, &state, way, thickness)?
        {
            return Ok((cloth, sewing));
        }
        if sewing.steps == STEPS || closing.is_stuck() {
            let seam = item.garment.seams[seam].name.clone();
            return Err(left(DrapeError::Open { seam, open_mm: 1e3 * open, steps: sewing.steps }, &state));
        }
        closing.set(&system, &mut state, &widths);
        let report = integrator
            .step_in_contact(&system, &mut state, STEP, &mut barrier)
            .map_err(|error| left(step_error(error), &state))?;
        state.velocities.fill(DVec3::ZERO);
        state.past = None;
        sewing.steps += 1;
        sewing.newton += report.newton;
        sewing.linear += report.linear;
    }
}

/// How wide each seam is open (m).
fn widths(cut: &Cut, seams: usize, positions: &[DVec3]) -> Vec<f64> {
    let mut widths = vec![0.0f64; seams];
    for join in cut.sewn() {
        let width = positions[join.ends[0] as usize].distance(positions[join.ends[1] as usize]);
        widths[join.seam as usize] = widths[join.seam as usize].max(width);
    }
    widths
}

/// The widest of some seams (m), and which it is.
fn widest(widths: &[f64], of: impl IntoIterator<Item = usize>) -> (f64, usize) {
    let all = of.into_iter().map(|s| (widths[s], s));
    all.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, 0))
}

/// Seams by the outermost panel they sew, innermost first: all in one stage where no panel lies over the body of the garment. A collar that is
/// turned down would else get between the shoulders it is to lie on. Panels below (a front that another is buttoned over) come with the first.
fn by_layers(garment: &Garment) -> Vec<Vec<usize>> {
    let mut stages: BTreeMap<i32, Vec<usize>> = BTreeMap::new();
    for (number, seam) in garment.seams.iter().enumerate() {
        let layers = seam.sides.iter().flatten().map(|span| garment.panels[span.panel].layer);
        stages.entry(layers.max().unwrap_or(0).max(0)).or_default().push(number);
    }
    stages.into_values().collect()
}

/// Height (m) within which seams are closed in one stage: shoulders, then sides and sleeves, then skirts.
const STAGE: f64 = 0.12;

/// Seams by the height of their middle at the start, highest first, in stages.
fn from_the_top(cut: &Cut, seams: usize) -> Vec<Vec<usize>> {
    let mut heights = vec![(0.0, 0.0); seams];
    for join in &cut.joins {
        let sum = &mut heights[join.seam as usize];
        sum.0 += join.ends.iter().map(|v| cut.cloth.mesh.positions[*v as usize].y).sum::<f64>();
        sum.1 += 2.0;
    }
    let middle = |s: usize| if heights[s].1 > 0.0 { heights[s].0 / heights[s].1 } else { f64::NEG_INFINITY };
    let mut order: Vec<usize> = (0..seams).collect();
    order.sort_by(|a, b| middle(*b).total_cmp(&middle(*a)));
    let mut stages: Vec<Vec<usize>> = Vec::new();
    for seam in order {
        match stages.last_mut() {
            Some(stage) if middle(stage[0]) - middle(seam) <= STAGE => stage.push(seam),
            _ => stages.push(vec![seam]),
        }
    }
    stages
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
    stages: Vec<Vec<usize>>,
    /// Stages that pull.
    begun: usize,
    pull: Pull,
    /// Least width so far of the seams that pull (m).
    least: f64,
    /// Steps since they came nearer.
    idle: usize,
}

/// A pull that carries panels a few centimetres in a step: (N/m, N).
const LIGHT: Pull = Pull { stiffness: 5.0, most: 0.03 };
/// A pull that turns panels over and drags them round corners, but does not crush what lies between.
const FIRM: Pull = Pull { stiffness: 200.0, most: 1.0 };
/// A pull that no fabric withstands.
const STRONG: Pull = Pull { stiffness: 2e4, most: 30.0 };
/// Share of the width that seams may be welded at which they come to without being made to wait.
const AIM: f64 = 0.6;
/// Seams are near when none is open wider (m).
const NEAR: f64 = 0.05;

impl Closing {
    fn new(stages: Vec<Vec<usize>>) -> Self {
        Self { stages, begun: 1, pull: LIGHT, least: f64::INFINITY, idle: 0 }
    }

    fn pulling(&self) -> impl Iterator<Item = usize> + '_ {
        self.stages.iter().take(self.begun).flatten().copied()
    }

    /// Share of what a seam may be open when it is welded that is waited for: all of it where it comes no nearer. Between thighs that are nearer to
    /// each other than cloth keeps from skin nothing does.
    fn share(&self) -> f64 {
        if self.idle >= PATIENCE / 8 { 1.0 } else { AIM }
    }

    /// Whether the last stage has not come nearer for a long time.
    fn is_stuck(&self) -> bool {
        self.begun == self.stages.len() && self.idle >= PATIENCE
    }

    fn set(&mut self, system: &System, state: &mut State, widths: &[f64]) {
        let (mut open, _) = widest(widths, self.pulling());
        let is_done = open < NEAR || self.idle >= PATIENCE / 2;
        if is_done && self.begun < self.stages.len() {
            self.begun += 1;
            (open, self.least) = (widest(widths, self.pulling()).0, f64::INFINITY);
            self.idle = 0;
        }
        if open < NEAR || open > 0.97 * self.least {
            let limit = if open < NEAR { STRONG } else { FIRM };
            let grown = |now: f64, most: f64| now.max((1.3 * now).min(most));
            self.pull.stiffness = grown(self.pull.stiffness, limit.stiffness);
            self.pull.most = grown(self.pull.most, limit.most);
        }
        self.idle = if open < 0.99 * self.least { 0 } else { self.idle + 1 };
        self.least = self.least.min(open);
        if let Some(range) = system.memory_of(Stitch::NAME) {
            let memory = &mut state.memory[range];
            self.pulling().for_each(|seam| Stitch::set_pull(memory, seam, self.pull));
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

fn system(
    cut: &Cut,
    meshes: &[Mesh],
    fabric: &Fabric,
    folds: &[notions::Fold],
    buttons: Ties,
) -> Result<System, DrapeError> {
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
    let stitch = Stitch { pairs: cut.sewn().map(|j| j.ends).collect(), seams: cut.sewn().map(|j| j.seam).collect() };
    Ok(builder.gravity(DVec3::ZERO).force(Box::new(stitch)).force(Box::new(buttons)).build()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloth::cut;
    use crate::draft::{Measurements, draft};
    use crate::pattern::{Button, Curve, Edge, Panel, Placement};
    use glam::{DQuat, DVec2};

    /// Garments without layers are sewn all at once; the collar of a shirt comes after all that it lies on, fronts of both sides included.
    #[test]
    fn what_lies_over_others_is_sewn_last() {
        let body = Measurements::of_size("F38").unwrap();
        let stages = |name: &str| {
            let garment = draft(name, &body, None).unwrap();
            let names = |stage: Vec<usize>| stage.iter().map(|s| garment.seams[*s].name.clone()).collect::<Vec<_>>();
            by_layers(&garment).into_iter().map(names).collect::<Vec<_>>()
        };
        assert_eq!(stages("t-shirt").len(), 1);
        let shirt = stages("shirt");
        assert_eq!(shirt.len(), 3);
        assert!(shirt[1].iter().all(|name| name.starts_with("collar")) && shirt[1].len() == 4);
        assert_eq!(shirt[2], ["collar-roll"]);
        assert!(["left", "right"].iter().all(|side| shirt[0].contains(&format!("shoulder-{side}"))));
    }

    /// Two squares face to face, 2 cm apart: the button in their middle brings them nearer though nothing is sewn yet.
    #[test]
    fn buttons_pull_while_seams_close() {
        let square = |name: &str, z: f64| {
            let corners = [[0.0, 0.0], [0.1, 0.0], [0.1, 0.1], [0.0, 0.1]].map(DVec2::from);
            let outline = corners.map(|start| Edge { start, curve: Curve::Line, label: None }).to_vec();
            let placement = Placement::Flat { translation: DVec3::Z * z, rotation: DQuat::IDENTITY };
            Panel { name: name.into(), outline, placement, ..Panel::default() }
        };
        let middle = DVec2::splat(0.05);
        let garment = Garment {
            panels: vec![square("under", 0.0), square("over", 0.02)],
            buttons: vec![Button { name: "button".into(), ends: [(0, middle), (1, middle)] }],
            ..Garment::default()
        };
        let pieces = cut(&garment, None, 0.05).unwrap();
        let fabric = Fabric::isotropic(400.0, 0.3, 2e-5, 0.15).unwrap();
        let buttons = notions::fastened(&garment, &pieces.cloth, 0.5e-3);
        let system = system(&pieces, &panels(&pieces), &fabric, &[], buttons).unwrap();
        let (mut integrator, mut state) =
            (Integrator::new(&system, super::super::newton()).unwrap(), system.initial_state());
        integrator.step(&system, &mut state, STEP).unwrap();
        let count = pieces.vertices[0].end as usize;
        let mean = |x: &[DVec3]| x.iter().map(|p| p.z).sum::<f64>() / x.len() as f64;
        let apart = mean(&state.positions[count..]) - mean(&state.positions[..count]);
        assert!(apart < 0.015, "{apart}");
    }
}
