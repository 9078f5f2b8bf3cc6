//! S1-15: a pattern edited under a draped garment, and its mesh made finer. Source: Volino05 part 2, Figs 12–14.
//!
//! The control point of the front's hem is moved down while a T-shirt is worn. Its mesh takes the new flat shapes and stays where it is in space,
//! to the bit; areas at rest are those of the drawing, cut along the chords of the mesh; then it comes to rest again. After that the panels
//! are cut anew into finer triangles, take their places from the old mesh and settle: the same shape in space, nowhere further off than an
//! edge of the coarser mesh.

use super::dressed::{self, Wearing};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use glam::{DVec2, DVec3};
use toile_contact::distance::vertex_face;
use toile_core::mesh::Mesh;
use toile_garment::cloth::{Cloth, Trail};
use toile_garment::pattern::{Curve, Garment, Of, Panel};

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S1-15",
    title: "pattern and mesh changed under a drape",
    source: "Volino05 part 2, Figs 12–14",
    parameters: &[
        Parameter::number(
            "lower",
            120.0,
            [-150.0, 250.0],
            "mm",
            "how far the control point of the front's hem is moved down",
        ),
        Parameter::number("triangles", 800.0, [500.0, 1e5], "–", "triangles before refinement, about"),
        Parameter::number("ratio", 4.0, [1.1, 16.0], "–", "triangles after it over those before"),
        Parameter::word("size", &["F38", "F34", "F44", "M50"], "size of the mannequin"),
        Parameter::word("fabric", &["cotton-jersey", "cotton-interlock", "wool-gabardine"], "of the library"),
        Parameter::number("friction", 0.3, [0.0, 2.0], "–", "friction coefficient"),
    ],
    run,
};

/// The panel that is edited.
const EDITED: usize = 0;

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let mut shirt = Wearing::new("t-shirt", settings, |body| body)?;
    let hem = shirt.garment.panels[EDITED].outline.iter().position(|e| e.label.as_deref() == Some("hem"));
    let Some(hem) = hem else { return Err(ExperimentError::Setup("the front has no hem".into())) };
    bend(&mut shirt.garment, hem, 0.0);
    let triangles = settings.number("triangles");
    // Soft first, so that coarse triangles fold.
    let mut worn = shirt.resettled(triangles, &shirt.soft(triangles)?)?.worn.remove(0);
    let before = worn.cloth.clone();
    let mut outcome = Outcome::default();
    outcome.plots.push(("before".into(), shirt.map("Before", &before)?.into()));

    let drawn = shirt.garment.clone();
    bend(&mut shirt.garment, hem, 1e-3 * settings.number("lower"));
    if let Some(problem) = shirt.garment.problems().first() {
        return Err(ExperimentError::Setup(problem.to_string()));
    }
    worn.cloth = before.redrawn(&drawn, &shirt.garment)?;
    outcome.checks.extend(edit_checks([&drawn, &shirt.garment], [&before, &worn.cloth]));
    outcome.plots.push(("edited".into(), shirt.map("Hem drawn lower, nothing else yet", &worn.cloth)?.into()));

    let draped = shirt.settled(worn)?;
    let after = draped.cloth();
    let name = |when: &str, check: Check| Check { quantity: format!("{when}: {}", check.quantity), ..check };
    outcome.checks.extend(dressed::at_rest(&draped).into_iter().map(|c| name("edited", c)));
    let height = |cloth, garment: &Garment| height_at(cloth, garment.panels[EDITED].edge_path(hem).at(0.5));
    let sunk = height(&before, &drawn) - height(&after, &shirt.garment);
    outcome.checks.push(Check::report("edited: the middle of the hem hangs lower by", 1e3 * sunk, "mm"));
    outcome.plots.push(("after".into(), shirt.map("At rest again", &after)?.into()));

    let refined = shirt.resettled(triangles * settings.number("ratio"), &after)?;
    let fine = refined.cloth();
    outcome.checks.extend(dressed::at_rest(&refined).into_iter().map(|c| name("refined", c)));
    let apart = hausdorff(&after.mesh, &fine.mesh);
    let edge = 1e3 * shirt.edge(triangles);
    let quantity = "refined: furthest from the coarser drape, against its edge length";
    outcome.checks.push(Check::against(quantity, 1e3 * apart, "mm", edge, Tolerance::AtMost));
    outcome.plots.push(("refined".into(), shirt.map("Cut anew, finer, at rest", &fine)?.into()));
    Ok(outcome)
}

/// Draws an edge as a curve whose control point lies so far (m) out of its middle.
fn bend(garment: &mut Garment, edge: usize, out: f64) {
    let panel = &mut garment.panels[EDITED];
    let next = panel.outline[(edge + 1) % panel.outline.len()].start;
    let chord = panel.outline[edge].start.distance(next);
    // Control points are given along the chord and to its left, which is inside where the outline runs counter-clockwise.
    let inside = panel.signed_area().signum();
    panel.outline[edge].curve = Curve::Quadratic(DVec2::new(0.5, -inside * out / chord));
}

/// Nothing moves in space, areas follow the drawing, and other panels are as they were.
fn edit_checks([drawn, redrawn]: [&Garment; 2], [before, edited]: [&Cloth; 2]) -> Vec<Check> {
    let moved = before.mesh.positions.iter().zip(&edited.mesh.positions).filter(|(a, b)| a != b).count();
    let of_panel = |t: &usize| before.panels[*t] as usize == EDITED;
    let area = |cloth: &Cloth| (0..cloth.panels.len()).filter(of_panel).map(|t| cloth.mesh.rest_area(t)).sum::<f64>();
    let others = (0..before.flat.len()).filter(|t| !of_panel(t) && before.flat[*t] != edited.flat[*t]).count();
    let none = |what: &str, count: usize| Check::against(what, count as f64, "–", 0.0, Tolerance::Absolute(0.0));
    let gain = |after: f64, before: f64| 1e4 * (after - before);
    let quantity = "area of the front at rest over that of its drawing";
    let ratio = area(edited) / drawn_area(&redrawn.panels[EDITED], edited);
    vec![
        none("vertices that the edit moves in space", moved),
        Check::against(quantity, ratio, "–", 1.0, Tolerance::Absolute(1e-12)),
        none("triangles of other panels whose flat shape changes", others),
        Check::report("area that the cloth gains", gain(area(edited), area(before)), "cm²"),
        Check::report("area that the drawing gains, curves as they are", gain(redrawn.area(), drawn.area()), "cm²"),
    ]
}

/// Area (m²) of the edited panel as it is drawn, cut straight from one vertex of the mesh on its outline to the next.
fn drawn_area(panel: &Panel, cloth: &Cloth) -> f64 {
    let own = cloth.sides.iter().zip(&cloth.panels).filter(|(_, p)| **p as usize == EDITED);
    let trails = own.flat_map(|(sides, _)| sides.iter().flatten());
    let piece = |trail: &Trail| match trail.of {
        Of::Edge(edge) => {
            let path = panel.edge_path(edge);
            0.5 * path.at(trail.from).perp_dot(path.at(trail.to))
        }
        Of::Line(_) => 0.0,
    };
    trails.map(piece).sum::<f64>().abs()
}

/// Height (m) of the vertex at a point of the edited panel.
fn height_at(cloth: &Cloth, point: DVec2) -> f64 {
    let of_panel = (0..cloth.flat.len()).filter(|t| cloth.panels[*t] as usize == EDITED);
    let places = of_panel.flat_map(|t| [0, 1, 2].map(|k| (cloth.flat[t][k], cloth.mesh.triangles[t][k])));
    let nearest = places.min_by(|a, b| a.0.distance(point).total_cmp(&b.0.distance(point)));
    nearest.map_or(f64::NAN, |(_, v)| cloth.mesh.positions[v as usize].y)
}

/// Hausdorff distance (m) of two surfaces: from the vertices of each to the triangles of the other.
fn hausdorff(a: &Mesh, b: &Mesh) -> f64 {
    let from = |a: &Mesh, b: &Mesh| {
        let corners: Vec<[DVec3; 3]> = b.triangles.iter().map(|t| t.map(|v| b.positions[v as usize])).collect();
        let nearest = |x: &DVec3| corners.iter().map(|t| vertex_face(*x, *t).distance).fold(f64::INFINITY, f64::min);
        a.positions.iter().map(nearest).fold(0.0, f64::max)
    };
    from(a, b).max(from(b, a))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A triangle beside another that is larger: the far corner of the larger one counts, whichever comes first.
    #[test]
    fn hausdorff_distance_counts_both_ways() {
        let mesh = |size: f64| Mesh {
            positions: [DVec3::ZERO, DVec3::X, DVec3::Y].map(|p| size * p).to_vec(),
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        };
        let (small, large) = (mesh(1.0), mesh(1.5));
        for (a, b) in [(&small, &large), (&large, &small)] {
            assert!((hausdorff(a, b) - 0.5).abs() < 1e-15);
        }
        assert_eq!(hausdorff(&small, &small), 0.0);
    }
}
