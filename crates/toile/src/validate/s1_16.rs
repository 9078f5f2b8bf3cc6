//! S1-16: two panels sewn together. Source: Wacker05 (Volino05 part 3) §6, Figs 17–19.
//!
//! A seam is a list of pairs of vertices; sewing makes each pair one vertex in the middle between the two. The flat shapes must not change by
//! it, and a seam of equal lengths between panels that lie flat edge to edge must not strain anything. With a gap between the panels
//! only the triangles along the seam are stretched.

use super::setup;
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::HeatMap;
use glam::{DQuat, DVec2, DVec3};
use std::collections::BTreeSet;
use toile_garment::cloth::{Cloth, Join, cut};
use toile_garment::pattern::{Curve, Edge, Garment, Panel, Placement, Seam, Span};

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S1-16",
    title: "two panels sewn together",
    source: "Wacker05 §6, Figs 17–19",
    parameters: &[
        Parameter::number("width", 0.3, [0.02, 5.0], "m", "of a panel, across the seam"),
        Parameter::number("height", 0.4, [0.02, 5.0], "m", "of a panel, along the seam"),
        Parameter::number("bulge", 0.1, [-0.4, 0.4], "–", "of the seam's curve over its length"),
        Parameter::number("gap", 20.0, [0.0, 1000.0], "mm", "between the panels before sewing"),
        Parameter::number("edge", 20.0, [1.0, 500.0], "mm", "edge length of the triangles"),
        Parameter::word("mesh", &["structured", "unstructured"], "seeds along the seam or turned by 17°"),
    ],
    run,
};

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::default();
    let edge = 1e-3 * settings.number("edge");
    let together = cut(&panels(settings, 0.0), None, edge)?;
    let sewn = together.weld(&together.cloth.mesh.positions)?;
    let pairs = together.joins.len();
    let merged = together.cloth.mesh.positions.len() - sewn.mesh.positions.len();
    let exact =
        |what: &str, value: f64, reference: f64| Check::against(what, value, "–", reference, Tolerance::Absolute(0.0));
    outcome.checks.push(Check::report("pairs of the seam", pairs as f64, "–"));
    outcome.checks.push(exact("vertices less for each pair", merged as f64 / pairs as f64, 1.0));
    let reshaped = sewn.mesh.material.iter().zip(&together.cloth.mesh.material).filter(|(a, b)| a != b).count();
    outcome.checks.push(exact("triangles whose flat shape has changed", reshaped as f64, 0.0));
    let strain = strains(&sewn).into_iter().fold(0.0, f64::max);
    outcome.checks.push(Check::against("largest strain, edge to edge", strain, "–", 0.0, Tolerance::Absolute(1e-12)));

    let apart = cut(&panels(settings, 1e-3 * settings.number("gap")), None, edge)?;
    let sewn = apart.weld(&apart.cloth.mesh.positions)?;
    let groups = apart.groups();
    let off = |join: &Join| {
        let [a, b] = join.ends.map(|v| apart.cloth.mesh.positions[v as usize]);
        sewn.mesh.positions[groups[join.ends[0] as usize] as usize].distance(0.5 * (a + b))
    };
    let off = apart.joins.iter().map(off).fold(0.0, f64::max);
    outcome.checks.push(Check::against("from the middle of a pair", off, "m", 0.0, Tolerance::Absolute(1e-15)));
    let strained = strains(&sewn);
    let seam: BTreeSet<u32> = apart.joins.iter().map(|j| groups[j.ends[0] as usize]).collect();
    let is_sewn = |t: usize| sewn.mesh.triangles[t].iter().any(|v| seam.contains(v));
    let elsewhere = (0..strained.len()).filter(|t| !is_sewn(*t)).map(|t| strained[t]).fold(0.0, f64::max);
    let quantity = "largest strain away from the seam, with a gap";
    outcome.checks.push(Check::against(quantity, elsewhere, "–", 0.0, Tolerance::Absolute(1e-12)));
    outcome.plots.push(("sewn".into(), map(&sewn, strained).into()));
    outcome.notes.push("The panels are two of a kind, mirrored at a curved seam.".into());
    Ok(outcome)
}

/// Left and right panel with a common curved edge, a gap (m) apart.
fn panels(settings: &Settings, gap: f64) -> Garment {
    let (width, height) = (settings.number("width"), settings.number("height"));
    let grain = if settings.word("mesh") == "structured" { 0.0 } else { 0.3 };
    let curve = Curve::Quadratic(DVec2::new(0.5, settings.number("bulge")));
    let place = |x: f64| Placement::Flat { translation: DVec3::new(x, 0.0, 0.0), rotation: DQuat::IDENTITY };
    let panel = |name: &str, corners: [[f64; 2]; 4], curved: usize, curve: Curve, x: f64| Panel {
        name: name.into(),
        outline: (0..4)
            .map(|k| Edge {
                start: DVec2::from(corners[k]),
                curve: if k == curved { curve } else { Curve::Line },
                label: None,
            })
            .collect(),
        grain,
        placement: place(x),
        ..Panel::default()
    };
    // Up along the right side of the left panel, down along the left side of the right one: the same curve from its other end.
    let left = panel("left", [[-width, 0.0], [0.0, 0.0], [0.0, height], [-width, height]], 1, curve, -0.5 * gap);
    let back = Curve::Quadratic(DVec2::new(0.5, -settings.number("bulge")));
    let right = panel("right", [[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]], 3, back, 0.5 * gap);
    let sides = [vec![Span::edge(0, 1)], vec![Span::edge(1, 3).reversed()]];
    let seam = Seam { name: "middle".into(), sides, ..Seam::default() };
    Garment { name: "pair".into(), panels: vec![left, right], seams: vec![seam], ..Garment::default() }
}

/// Largest component of the Green strain of each triangle.
fn strains(cloth: &Cloth) -> Vec<f64> {
    let largest = |s: [f64; 3]| s.into_iter().map(f64::abs).fold(0.0, f64::max);
    setup::strains(&cloth.mesh, &cloth.mesh.positions).into_iter().map(largest).collect()
}

fn map(cloth: &Cloth, values: Vec<f64>) -> HeatMap {
    let places = cloth.mesh.triangles.iter().map(|t| t.map(|v| cloth.mesh.positions[v as usize]));
    HeatMap {
        title: "Two panels, sewn across a gap".into(),
        label: "largest component of the strain (–)".into(),
        triangles: places.map(|t| t.map(|p| [p.x, p.y])).collect(),
        values,
        range: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_panels_are_sewn_alike() {
        let changes = [("width", "0.1"), ("height", "0.9"), ("bulge", "-0.2"), ("gap", "3"), ("edge", "11")];
        setup::expect_bands(&EXPERIMENT, &changes);
    }
}
