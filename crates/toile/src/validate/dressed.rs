//! Mannequins in garments, for experiments with whole garments.

use super::{Check, ExperimentError, Settings, Tolerance};
use crate::plot::HeatMap;
use glam::DVec3;
use toile_core::fabric::Fabric;
use toile_garment::body::{self, mannequin, measure};
use toile_garment::cloth::{Cloth, cut};
use toile_garment::draft::{Measurements, draft};
use toile_garment::drape::{Draped, Figure, Item, Layer, Options, Worn, drape, settle, system};
use toile_garment::fit::principal_strain;
use toile_garment::pattern::Garment;

/// A mannequin of a size, and what it measures.
pub(super) fn figure(size: &str) -> Result<(Figure, body::Figures), ExperimentError> {
    let failed = |e: &dyn std::fmt::Display| ExperimentError::Setup(format!("mannequin {size}: {e}"));
    let measurements = body::Measurements::of_size(size).map_err(|e| failed(&e))?;
    let made = mannequin(&measurements).map_err(|e| failed(&e))?;
    let surface = toile_io::body::surface(size, &made);
    let figure = Figure { vertices: surface.mesh.positions, triangles: surface.mesh.triangles };
    let figures = measure(&figure.vertices, &figure.triangles).map_err(|e| failed(&e))?;
    Ok((figure, figures))
}

/// The elastic laws of a fabric of the library.
pub(super) fn fabric(name: &str) -> Result<Fabric, ExperimentError> {
    let known = toile_io::fabric::by_name(name).map_err(|e| ExperimentError::Setup(e.to_string()))?;
    Ok(crate::lab::without_history(&known.read().fabric))
}

/// A garment on a body.
pub(super) fn dress(
    garment: &Garment,
    fabric: &Fabric,
    figure: &Figure,
    options: &Options,
) -> Result<Draped, ExperimentError> {
    Ok(drape(&[Item { garment, fabric, others: &[] }], figure, options, &mut |_| {})?)
}

/// Modulus (N/m), Poisson's ratio and bending rigidity (N·m) of a cloth so soft that triangles of 4 cm fold.
const SOFT: [f64; 3] = [50.0, 0.3, 1e-5];

/// A draft on the mannequin it is drawn for, by the parameters `size`, `fabric` and `friction`.
pub(super) struct Wearing {
    pub(super) garment: Garment,
    fabric: Fabric,
    figure: Figure,
    figures: body::Figures,
    friction: f64,
}

impl Wearing {
    /// Drawn to the measurements of the mannequin as `change` leaves them.
    pub(super) fn new(
        name: &str,
        settings: &Settings,
        change: impl FnOnce(Measurements) -> Measurements,
    ) -> Result<Self, ExperimentError> {
        let size = settings.word("size");
        let (figure, figures) = figure(size)?;
        let form = if size.starts_with('M') { 0.0 } else { 1.0 };
        let body = change(Measurements::of_body(&figures, form));
        let garment = draft(name, &body, None).map_err(|e| ExperimentError::Setup(e.to_string()))?;
        let fabric = fabric(settings.word("fabric"))?;
        Ok(Self { garment, fabric, figure, figures, friction: settings.number("friction") })
    }

    /// Edge length (m) of about so many equilateral triangles.
    pub(super) fn edge(&self, triangles: f64) -> f64 {
        (4.0 * self.garment.area() / (3f64.sqrt() * triangles)).sqrt()
    }

    /// Sewn round the mannequin and at rest, in about so many triangles.
    pub(super) fn draped(&self, triangles: f64) -> Result<Draped, ExperimentError> {
        let options = Options { edge: self.edge(triangles), ..self.options() };
        dress(&self.garment, &self.fabric, &self.figure, &options)
    }

    /// The same of a soft cloth that weighs as much and folds where triangles are coarse, on one mesh from the start.
    pub(super) fn soft(&self, triangles: f64) -> Result<Cloth, ExperimentError> {
        let soft = Fabric::isotropic(SOFT[0], SOFT[1], SOFT[2], self.fabric.density)?;
        let soft = Fabric { thickness: self.fabric.thickness, ..soft };
        let edge = self.edge(triangles);
        let options = Options { edge, coarse: edge, ..self.options() };
        Ok(dress(&self.garment, &soft, &self.figure, &options)?.cloth())
    }

    /// Cut anew into about so many triangles, put where another mesh of it lies, and at rest from there.
    pub(super) fn resettled(&self, triangles: f64, from: &Cloth) -> Result<Draped, ExperimentError> {
        let pieces = cut(&self.garment, Some(&self.figures), self.edge(triangles))?;
        let mut cloth = pieces.weld(&pieces.cloth.mesh.positions)?;
        cloth.mesh.positions = cloth.carry(from);
        self.settled(Worn::new(&self.garment, cloth))
    }

    /// At rest from where it lies.
    pub(super) fn settled(&self, worn: Worn) -> Result<Draped, ExperimentError> {
        let item = Item { garment: &self.garment, fabric: &self.fabric, others: &[] };
        Ok(settle(vec![worn], &[item], &self.figure, &self.options(), &mut |_| {})?)
    }

    /// The largest strain seen from the front.
    pub(super) fn map(&self, title: &str, cloth: &Cloth) -> Result<HeatMap, ExperimentError> {
        let strains = strains(cloth, &self.fabric)?;
        let values: Vec<f64> = strains.into_iter().map(|s| 100.0 * principal_strain(s)).collect();
        Ok(front(title, "strain (%)", cloth, &values))
    }

    fn options(&self) -> Options {
        Options { friction: self.friction, ..Options::default() }
    }
}

/// What every garment at rest must show: nothing crosses, and body and attachments carry its weight.
pub(super) fn at_rest(draped: &Draped) -> Vec<Check> {
    let Some(settled) = draped.settled.last() else { return Vec::new() };
    let carried = settled.support + settled.held;
    vec![
        Check::report("triangles", settled.triangles as f64, "–"),
        Check::against("crossings", settled.certificate.crossings as f64, "–", 0.0, Tolerance::AtMost),
        Check::against("vertical force of the body over the weight", carried, "–", 1.0, Tolerance::Relative(0.01)),
        Check::report("force left on vertices over their weight, root mean square", settled.residual, "–"),
        Check::against("at rest", f64::from(u8::from(settled.is_resting)), "–", 1.0, Tolerance::Absolute(0.0)),
    ]
}

/// Green strain (uu, vv, uv) of all triangles.
pub(super) fn strains(cloth: &Cloth, fabric: &Fabric) -> Result<Vec<[f64; 3]>, ExperimentError> {
    let layer = Layer { name: "garment", mesh: &cloth.mesh, fabric, patches: Vec::new() };
    let system = system(&[layer])?;
    Ok(system.triangle_states(&system.initial_state()).iter().map(|s| s.strain).collect())
}

/// Numbers of triangles as a map, seen along −z: what is in front hides what is behind.
pub(super) fn front(title: &str, label: &str, cloth: &Cloth, values: &[f64]) -> HeatMap {
    let place = |t: usize| cloth.mesh.triangles[t].map(|v| cloth.mesh.positions[v as usize]);
    let depth = |t: usize| place(t).iter().map(|p| p.z).sum::<f64>();
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| depth(*a).total_cmp(&depth(*b)));
    HeatMap {
        title: title.into(),
        label: label.into(),
        triangles: order.iter().map(|t| place(*t).map(|p: DVec3| [p.x, p.y])).collect(),
        values: order.iter().map(|t| values[*t]).collect(),
        range: None,
    }
}
