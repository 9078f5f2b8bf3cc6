//! Mannequins in garments, for experiments with whole garments.

use super::{Check, ExperimentError, Tolerance};
use crate::plot::HeatMap;
use glam::DVec3;
use toile_core::fabric::Fabric;
use toile_garment::body::{self, mannequin, measure};
use toile_garment::cloth::Cloth;
use toile_garment::drape::{Draped, Figure, Item, Layer, Options, drape, system};
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
