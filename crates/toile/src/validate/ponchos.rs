//! The ponchos of the FEM document (FemShell Tables 1 and 2): how they are drawn, and what is asked of both shapes.

use super::dressed::Wearing;
use super::{Check, ExperimentError, Outcome, Settings};
use toile_garment::cloth::Cloth;
use toile_garment::draft::Measurements;

/// A poncho of a width (m) on a mannequin.
pub(super) fn poncho(draft: &str, width: f64, settings: &Settings) -> Result<Wearing, ExperimentError> {
    // Drafts reach from the neck to three quarters of the arm.
    let arm_length = |body: &Measurements| (0.5 * width - 0.5 * body.shoulder_width) / 0.75;
    Wearing::new(draft, settings, |body| Measurements { arm_length: arm_length(&body), ..body })
}

/// Counts what leaves the bounds of the paper, and draws the largest strain.
pub(super) fn look(worn: &Wearing, cloth: &Cloth, outcome: &mut Outcome) -> Result<(), ExperimentError> {
    let [distances, corners] = distortions(cloth);
    outcome.checks.push(Check::report("sides beyond 0.6 to 1.3 of rest", distances as f64, "–"));
    outcome.checks.push(Check::report("corners beyond 30° to 85°", corners as f64, "–"));
    outcome.plots.push(("poncho".into(), worn.map("Poncho: largest strain", cloth)?.into()));
    Ok(())
}

/// Sides of triangles too short or too long, and corners too narrow or too wide.
fn distortions(cloth: &Cloth) -> [usize; 2] {
    let (mut sides, mut corners) = (0, 0);
    for (t, m) in cloth.mesh.triangles.iter().zip(&cloth.mesh.material) {
        let x = t.map(|v| cloth.mesh.positions[v as usize]);
        for k in 0..3 {
            let (next, last) = ((k + 1) % 3, (k + 2) % 3);
            let ratio = x[k].distance(x[next]) / m[k].distance(m[next]);
            sides += usize::from(!(0.6..=1.3).contains(&ratio));
            let angle = (x[next] - x[k]).angle_between(x[last] - x[k]).to_degrees();
            corners += usize::from(!(30.0..=85.0).contains(&angle));
        }
    }
    [sides, corners]
}
