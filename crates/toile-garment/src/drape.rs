//! From cut panels to garments on a body: sewn under contact, welded, settled, refined.
//!
//! 0. Garments are put on one after the other, the innermost first; what is worn already stands still while the next one is sewn, and all
//!    settle together once it is on.
//! 1. `sew`: panels start apart from the body and from each other; stitches draw the sides of seams together while barriers keep
//!    everything from passing through anything. No gravity yet.
//! 2. The seams are welded: cloth in one piece.
//! 3. `settle`: gravity, until the garment rests. Coarse triangles cannot fold where cloth would, and lock into tents: a soft stand-in
//!    hangs as it should. The real fabric comes with the first splitting of triangles.
//! 4. Triangles are split in four and the garment settles again, until the wanted edge length is reached.
//!
//! [`fn@settle`] is the last of it alone, for cloth that is on already and whose pattern, triangles, fabric or body have changed.

mod error;
mod fall;
mod notions;
mod place;
mod settle;
mod sew;

use notions::{Grip, Holds, Notions};

pub use error::DrapeError;
pub use settle::Settled;
pub use sew::Sewing;

use crate::body::{Figures, measure};
use crate::cloth::{Cloth, cut};
use crate::fit::empty_armhole;
use crate::pattern::{Garment, Placement};
use glam::DVec3;
use std::ops::Range;
use toile_contact::barrier::{Friction, Settings, Sheet};
use toile_contact::obstacle::{Form, Movement, Obstacle};
use toile_contact::shapes::Shapes;
use toile_core::fabric::Fabric;
use toile_core::integrate;
use toile_core::mesh::Mesh;
use toile_core::system::{BuildError, Builder, System};

/// One garment to put on.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// What is cut and sewn. It must be sound ([`Garment::problems`]).
    pub garment: &'a Garment,
    /// What it is made of.
    pub fabric: &'a Fabric,
    /// Panels of fabrics of their own.
    pub others: &'a [(usize, Fabric)],
}

impl Item<'_> {
    /// Thickness (m) that contact keeps: that of the thickest fabric.
    fn thickness(&self) -> f64 {
        self.others.iter().map(|o| o.1.thickness).fold(self.fabric.thickness, f64::max)
    }
}

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
    /// Distance beyond the thickness at which surfaces feel each other (m).
    pub reach: f64,
    /// Friction between fabric and skin, and fabric and fabric.
    pub friction: f64,
    /// Widest a seam may be open when it is welded (m).
    pub closed: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { edge: 10e-3, coarse: 45e-3, reach: 2e-3, friction: 0.3, closed: 0.5e-3 }
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
        /// Number of the garment, from 0.
        item: usize,
        /// Steps so far.
        steps: usize,
        /// Widest open seam (m).
        open: f64,
    },
    /// A step of settling.
    Settling {
        /// Number of the level, from 0: one for each garment that was put on, then one for each splitting of triangles.
        level: usize,
        /// Levels there are.
        levels: usize,
        /// Steps so far, and at most.
        steps: [usize; 2],
        /// The longest way of a vertex in the last step (m).
        moved: f64,
    },
}

/// A garment that is on.
#[derive(Clone, Debug, Default)]
pub struct Worn {
    /// Sewn, refined and at rest.
    pub cloth: Cloth,
    /// How far each panel was moved out of the way before sewing (m).
    pub moved: Vec<f64>,
    /// How the seams were closed.
    pub sewing: Sewing,
    /// Where attached edges are held.
    holds: Holds,
}

impl Worn {
    /// A garment as sewn cloth that lies somewhere: attached edges are held from where they are now. To let go on what was draped before, keep
    /// its own [`Worn`] and change the cloth: its edges stay held where they were.
    pub fn new(garment: &Garment, cloth: Cloth) -> Self {
        let holds = Holds::new(garment, &cloth, None);
        Self { cloth, moved: vec![0.0; garment.panels.len()], sewing: Sewing::default(), holds }
    }
}

/// Garments on a body.
#[derive(Clone, Debug, Default)]
pub struct Draped {
    /// One by one, the innermost first.
    pub worn: Vec<Worn>,
    /// How all settled together on each level, coarse to fine: after each garment that was put on, then after each splitting of triangles.
    pub settled: Vec<Settled>,
    /// A garment that has an armhole an arm should go through and does not, and which arm: `left` or `right`.
    pub missed_arm: Option<(usize, &'static str)>,
}

impl Draped {
    /// All garments as one mesh; panels are numbered through.
    pub fn cloth(&self) -> Cloth {
        Cloth::together(self.worn.iter().map(|w| &w.cloth))
    }

    /// How the seams of all garments were closed: work added up, the widest of them.
    pub fn sewing(&self) -> Sewing {
        self.worn.iter().map(|w| w.sewing).fold(Sewing::default(), |all, one| Sewing {
            steps: all.steps + one.steps,
            newton: all.newton + one.newton,
            linear: all.linear + one.linear,
            open: all.open.max(one.open),
            lifted: all.lifted.max(one.lifted),
        })
    }

    /// Vertices of a garment among those of all, as [`Settled::contact`] counts them.
    pub fn vertices(&self, item: usize) -> Range<usize> {
        let first = self.worn[..item].iter().map(|w| w.cloth.mesh.vertex_count()).sum();
        first..first + self.worn[item].cloth.mesh.vertex_count()
    }

    /// Force of body and cloth on each vertex of a garment at the end (N).
    pub fn contact(&self, item: usize) -> &[DVec3] {
        self.settled.last().map_or(&[], |s| &s.contact[self.vertices(item)])
    }
}

/// Cloth of one garment among others, as mechanics sees it.
#[derive(Clone)]
pub struct Layer<'a> {
    /// Name of the garment.
    pub name: &'a str,
    /// Its mesh.
    pub mesh: &'a Mesh,
    /// What it is made of.
    pub fabric: &'a Fabric,
    /// Triangles of other fabrics.
    pub patches: Vec<(&'a Fabric, Vec<u32>)>,
}

impl Layer<'_> {
    /// Thickness (m) that contact keeps: that of the thickest fabric.
    fn thickness(&self) -> f64 {
        self.patches.iter().map(|p| p.0.thickness).fold(self.fabric.thickness, f64::max)
    }
}

/// The mechanics of draped cloth: garments as sheets of one system, in their order, without what is sewn into them beside their seams.
pub fn system(layers: &[Layer]) -> Result<System, DrapeError> {
    let bare: Vec<Notions> = layers.iter().map(|_| Notions::default()).collect();
    mechanics(layers, &bare)
}

/// The same with folds, tapes, buttons and all else.
fn mechanics(layers: &[Layer], notions: &[Notions]) -> Result<System, DrapeError> {
    let first = layers.first().ok_or(BuildError::Empty)?;
    let (mut builder, mut vertices) = (Builder::new(first.mesh, first.fabric), 0);
    for (k, (layer, notions)) in layers.iter().zip(notions).enumerate() {
        builder = if k == 0 { builder } else { builder.sheet(layer.mesh, layer.fabric) };
        builder = builder.membrane(MEMBRANE).bending(BENDING);
        for (fabric, triangles) in &layer.patches {
            builder = builder.patch(fabric, triangles.clone());
        }
        builder = notions.add_to(builder, vertices)?;
        vertices += layer.mesh.vertex_count() as u32;
    }
    Ok(builder.build()?)
}

const MEMBRANE: &str = "green";
const BENDING: &str = "midedge-quadratic";
/// Most steps of a coarse level, and of the finest.
const STEPS: [usize; 2] = [40, 150];
/// Modulus (N/m) of the stand-in for coarse levels.
const SOFT: f64 = 50.0;

/// Sews garments round a body, the innermost first, and lets them come to rest together.
///
/// Where a seam will not close or panels cannot be put apart, all is tried again with edges half as long, if that is not shorter than wanted: coarse
/// triangles catch on arms and on each other where finer ones slide past.
pub fn drape(
    items: &[Item],
    body: &Figure,
    options: &Options,
    tell: &mut dyn FnMut(Progress),
) -> Result<Draped, DrapeError> {
    let error = match attempt(items, body, options, tell) {
        Err(error) => error,
        done => return done,
    };
    let is_sewing = match error.cause() {
        DrapeError::Open { .. } | DrapeError::Tangled(_) => true,
        DrapeError::Step { phase, .. } => *phase == sew::PHASE,
        _ => false,
    };
    let (coarse, splits) = options.levels();
    if !is_sewing || splits == 0 {
        return Err(error);
    }
    let finer = Options { coarse: 0.5 * coarse, ..*options };
    // What went wrong at first is told: that is what the pattern is to be looked at for.
    drape(items, body, &finer, tell).map_err(|_| error)
}

fn attempt(
    items: &[Item],
    body: &Figure,
    options: &Options,
    tell: &mut dyn FnMut(Progress),
) -> Result<Draped, DrapeError> {
    let levels = items.len() + options.levels().1;
    let panels = || items.iter().flat_map(|item| &item.garment.panels);
    let needs_figures = panels().any(|p| matches!(p.placement, Placement::Wrapped { .. }));
    let figures = match measure(&body.vertices, &body.triangles) {
        Err(error) if needs_figures => return Err(error.into()),
        // What is no standing person has neither waist nor armholes to be looked after.
        figures => figures.ok(),
    };
    let waist = waist(items, figures.as_ref());
    let soft: Vec<Made> = items.iter().map(Made::soft).collect::<Result<_, _>>()?;
    let real: Vec<Made> = items.iter().map(Made::of).collect();
    let mut draped = Draped::default();
    for level in 0..levels {
        if let Some(item) = items.get(level) {
            let way = Way::of(body, items, &draped.worn);
            let mut tell_open = |steps, open| tell(Progress::Sewing { item: level, steps, open });
            let worn = put_on(item, &way, (figures.as_ref(), waist), options, &mut tell_open);
            draped.worn.push(worn.map_err(|e| e.of(items, level).over(&draped.worn))?);
        } else {
            draped.worn.iter_mut().zip(items).for_each(|(w, item)| w.cloth = w.cloth.refine(item.garment));
        }
        let is_coarse = level < items.len() && level + 1 < levels;
        let made = if is_coarse { &soft } else { &real };
        // Pulled up by hand, then let go.
        let is_pulled = level < items.len() && draped.worn[level].holds.can_be_pulled();
        let turn = Turn { level, levels, is_pulled };
        draped.come_to_rest(items, made, body, options, &turn, tell).map_err(|e| e.leaving(draped.cloth()))?;
    }
    let missed = |worn: &Worn| empty_armhole(&worn.cloth.mesh, figures.as_ref()?);
    draped.missed_arm = (0..).zip(&draped.worn).find_map(|(k, worn)| Some((k, missed(worn)?)));
    Ok(draped)
}

/// Lets garments that are sewn already come to rest together from where they lie, as on the finest level of [`drape`]: in their own fabric, first
/// smoothed down, then held by all their friction. They are the items, in their order.
///
/// For what has changed beneath a drape: the pattern ([`Cloth::redrawn`]), the triangles ([`Cloth::carry`], [`Cloth::refine`]), the fabric, or the body.
/// Cloth that crosses itself or the body is parted first, if it can be. Of the options, edge lengths have no say.
pub fn settle(
    worn: Vec<Worn>,
    items: &[Item],
    body: &Figure,
    options: &Options,
    tell: &mut dyn FnMut(Progress),
) -> Result<Draped, DrapeError> {
    if worn.len() != items.len() {
        return Err(DrapeError::Count { worn: worn.len(), items: items.len() });
    }
    let real: Vec<Made> = items.iter().map(Made::of).collect();
    let mut draped = Draped { worn, ..Draped::default() };
    draped.come_to_rest(items, &real, body, options, &Turn { level: 0, levels: 1, is_pulled: false }, tell)?;
    Ok(draped)
}

impl Draped {
    /// Parts what is worn and lets it settle on a level of so many.
    fn come_to_rest(
        &mut self,
        items: &[Item],
        made: &[Made],
        body: &Figure,
        options: &Options,
        turn: &Turn,
        tell: &mut dyn FnMut(Progress),
    ) -> Result<(), DrapeError> {
        let Turn { level, levels, is_pulled } = *turn;
        place::clear(&mut self.worn, items, body, options)?;
        let is_last = level + 1 == levels;
        let rest = settle::Rest {
            moved: if is_last { 0.5e-3 } else { 1e-3 },
            balance: if is_last { 0.005 } else { 0.05 },
            residual: if is_last { 0.1 } else { f64::INFINITY },
            steps: STEPS[usize::from(is_last)],
            is_final: is_last,
        };
        let mut tell_level =
            |steps, moved| tell(Progress::Settling { level, levels, steps: [steps, rest.steps], moved });
        // What is pulled is let go on the next level, where there is one.
        if is_pulled && is_last {
            let rest = settle::Rest { is_final: false, ..rest };
            self.settle_all(items, made, Grip::Pulled, body, options, &rest, &mut tell_level)?;
        }
        let grip = if is_pulled && !is_last { Grip::Pulled } else { Grip::Loose };
        let figures = self.settle_all(items, made, grip, body, options, &rest, &mut tell_level)?;
        self.settled.push(figures);
        Ok(())
    }

    /// Lets all that is on settle once.
    #[allow(clippy::too_many_arguments)] // what is on, what it is made of and where, and how
    fn settle_all(
        &mut self,
        items: &[Item],
        made: &[Made],
        grip: Grip,
        body: &Figure,
        options: &Options,
        rest: &settle::Rest,
        tell: &mut dyn FnMut(usize, f64),
    ) -> Result<Settled, DrapeError> {
        let layers = layers(items, &self.worn, made);
        let notions = notions(items, &self.worn, grip);
        let mut positions = self.cloth().mesh.positions;
        let settled = settle::settle(&layers, &notions, body, options, rest, &mut positions, tell);
        share(&mut self.worn, &positions);
        settled.map_err(|e| alone(e, items, self.worn.len()))
    }
}

/// A level of so many that garments settle on.
struct Turn {
    level: usize,
    levels: usize,
    /// The garment that was put on last is pulled up to the waist.
    is_pulled: bool,
}

/// Height (m) of the waist, where something belongs there and the body is one that has a waist.
fn waist(items: &[Item], figures: Option<&Figures>) -> Option<f64> {
    let mut attachments = items.iter().flat_map(|item| &item.garment.attachments);
    attachments.any(|a| a.to == notions::WAIST).then_some(())?;
    let figures = figures?;
    figures.girths.iter().find(|g| g.name == "waist").map(|g| figures.floor + g.level)
}

/// Names the garment that was on alone when something went wrong; where there were several, the error does.
fn alone(error: DrapeError, items: &[Item], worn: usize) -> DrapeError {
    if worn == 1 { error.of(items, 0) } else { error }
}

/// Cuts, places and sews one garment, by the figures of the body and the height of its waist (m).
fn put_on(
    item: &Item,
    way: &Way,
    (figures, waist): (Option<&Figures>, Option<f64>),
    options: &Options,
    tell: &mut dyn FnMut(usize, f64),
) -> Result<Worn, DrapeError> {
    let mut pieces = cut(item.garment, figures, options.levels().0)?;
    let moved = place::part(item, &mut pieces, way, options).map_err(|e| e.leaving(pieces.cloth.clone()))?;
    let (cloth, sewing) = sew::sew(item, &pieces, way, figures, options, tell)?;
    let holds = Holds::new(item.garment, &cloth, waist);
    Ok(Worn { cloth, moved, sewing, holds })
}

/// What a garment is made of on a level.
#[derive(Clone)]
struct Made {
    fabric: Fabric,
    others: Vec<(usize, Fabric)>,
}

impl Made {
    fn of(item: &Item) -> Self {
        Self { fabric: item.fabric.clone(), others: item.others.to_vec() }
    }

    /// Of soft stand-ins.
    fn soft(item: &Item) -> Result<Self, DrapeError> {
        let other = |(panel, fabric): &(usize, Fabric)| stand_in(fabric).map(|soft| (*panel, soft));
        let others = item.others.iter().map(other).collect::<Result<_, _>>()?;
        Ok(Self { fabric: stand_in(item.fabric)?, others })
    }

    /// Triangles of the panels that are of another fabric.
    fn patches(&self, cloth: &Cloth) -> Vec<(&Fabric, Vec<u32>)> {
        let own = |panel: usize| (0..).zip(&cloth.panels).filter(move |(_, p)| **p as usize == panel).map(|(t, _)| t);
        self.others.iter().map(|(panel, fabric)| (fabric, own(*panel).collect())).collect()
    }
}

/// A soft stand-in for a fabric on coarse levels. Its density is that of the fabric: what hangs is right at once, only how it stretches
/// is not.
fn stand_in(fabric: &Fabric) -> Result<Fabric, DrapeError> {
    let soft = Fabric::isotropic(SOFT, 0.3, 1e-5, fabric.density)?;
    Ok(Fabric { thickness: fabric.thickness, ..soft })
}

/// What is worn as mechanics sees it.
fn layers<'a>(items: &[Item<'a>], worn: &'a [Worn], made: &'a [Made]) -> Vec<Layer<'a>> {
    let layer = |((item, worn), made): ((&Item<'a>, &'a Worn), &'a Made)| Layer {
        name: name(item.garment),
        mesh: &worn.cloth.mesh,
        fabric: &made.fabric,
        patches: made.patches(&worn.cloth),
    };
    items.iter().zip(worn).zip(made).map(layer).collect()
}

/// What is sewn into them beside their seams.
fn notions(items: &[Item], worn: &[Worn], grip: Grip) -> Vec<Notions> {
    let one =
        |(item, worn): (&Item, &Worn)| Notions::new(item.garment, &worn.cloth, (&worn.holds, grip), item.thickness());
    items.iter().zip(worn).map(one).collect()
}

/// The same number for vertices of all garments that count as one for contact, from those of each and how many vertices it has; empty where
/// none do.
fn joined(garments: impl Iterator<Item = (Vec<u32>, usize)>) -> Vec<u32> {
    let (mut numbers, mut next, mut any) = (Vec::new(), 0, false);
    for (own, count) in garments {
        any |= !own.is_empty();
        let own = if own.is_empty() { (0..count as u32).collect() } else { own };
        numbers.extend(own.iter().map(|n| n + next));
        next += own.iter().max().map_or(0, |n| n + 1);
    }
    if any { numbers } else { Vec::new() }
}

/// Gives each garment its share of the positions of all.
fn share(worn: &mut [Worn], positions: &[DVec3]) {
    let mut first = 0;
    for worn in worn {
        let count = worn.cloth.mesh.vertex_count();
        worn.cloth.mesh.positions.copy_from_slice(&positions[first..first + count]);
        first += count;
    }
}

/// What stands in the way of a garment: the body, and the garments that are on already.
struct Way(Vec<Obstacle>);

impl Way {
    fn of(body: &Figure, items: &[Item], worn: &[Worn]) -> Self {
        let cloth = |(item, worn): (&Item, &Worn)| {
            let Mesh { positions, triangles, .. } = worn.cloth.mesh.clone();
            let form = Form::Mesh { vertices: positions, triangles, skin: 0.5 * item.thickness() };
            Obstacle { name: format!("garment {}", name(item.garment)), form, movement: Movement::Still }
        };
        Self(std::iter::once(body.obstacle()).chain(items.iter().zip(worn).map(cloth)).collect())
    }

    /// Adds all of it behind the cloth.
    fn add_to(&self, shapes: &mut Shapes) {
        for obstacle in &self.0 {
            if let Form::Mesh { vertices, triangles, skin } = &obstacle.form {
                shapes.add(&obstacle.name, false, *skin, vertices.len(), triangles, &[]);
            }
        }
    }

    /// Positions (m) of cloth and of all of it.
    fn behind(&self, cloth: &[DVec3]) -> Vec<DVec3> {
        let still = self.0.iter().flat_map(|o| o.vertices());
        cloth.iter().chain(still).copied().collect()
    }
}

/// Name of a garment in messages.
fn name(garment: &Garment) -> &str {
    if garment.name.is_empty() { "garment" } else { &garment.name }
}

/// How steps are solved: places to about a millimetre, as many iterations as it takes.
fn newton() -> integrate::Options {
    let settings = integrate::Options::named("backward-euler").unwrap_or_default();
    integrate::Options { tolerance: 0.1, linear_tolerance: 0.01, max_newton: 60, max_cuts: 3, ..settings }
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
