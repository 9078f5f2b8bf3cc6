//! S2-1: the square poncho of the FEM document on a dummy. Source: FemShell Tables 1 and 2, Fig. 2a.
//!
//! 1.10 × 1.10 m of a silk and polyester fabric (70 g/m², 3657 and 3267 N/m) in 3325 elements. At rest the body carries its weight and nothing
//! crosses. The paper guards its nodes: distances within 0.6 to 1.3 of rest, corners within 30° to 85°; what leaves these is counted, on
//! our three-node triangles.

use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, dressed};
use toile_garment::cloth::Cloth;
use toile_garment::draft::{Measurements, draft};
use toile_garment::drape::Options;
use toile_garment::fit::principal_strain;
use toile_garment::pattern::Garment;

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S2-1",
    title: "square poncho on a dummy",
    source: "FemShell Tables 1 and 2, Fig. 2a",
    parameters: &[
        Parameter::number("side", 1.1, [0.8, 1.6], "m", "side of the square"),
        Parameter::number("triangles", 3325.0, [500.0, 1e5], "–", "triangles, about"),
        Parameter::word("size", &["F38", "F34", "F44", "M50"], "size of the mannequin"),
        Parameter::word("fabric", &["silk-polyester", "polyester-faille", "wool-gabardine"], "of the library"),
        Parameter::number("friction", 0.3, [0.0, 2.0], "–", "friction coefficient"),
    ],
    run,
};

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let (figure, figures) = dressed::figure(settings.word("size"))?;
    let garment = poncho("poncho-square", 0.5 * settings.number("side"), Measurements::of_body(&figures, 1.0))?;
    let fabric = dressed::fabric(settings.word("fabric"))?;
    let edge = (4.0 * garment.area() / (3f64.sqrt() * settings.number("triangles"))).sqrt();
    let options = Options { edge, friction: settings.number("friction"), ..Options::default() };
    let draped = dressed::dress(&garment, &fabric, &figure, &options)?;
    let cloth = draped.cloth();
    let mut outcome = Outcome { checks: dressed::at_rest(&draped), ..Outcome::default() };
    let [distances, corners] = distortions(&cloth);
    outcome.checks.push(Check::report("sides beyond 0.6 to 1.3 of rest", distances as f64, "–"));
    outcome.checks.push(Check::report("corners beyond 30° to 85°", corners as f64, "–"));
    let values: Vec<f64> =
        dressed::strains(&cloth, &fabric)?.into_iter().map(|s| 100.0 * principal_strain(s)).collect();
    outcome
        .plots
        .push(("poncho".into(), dressed::front("Poncho: largest strain", "strain (%)", &cloth, &values).into()));
    outcome.notes.push("The paper counts 300 distortions; the dummy is our mannequin.".into());
    Ok(outcome)
}

/// A poncho that reaches so far (m) from the middle of the neck.
fn poncho(name: &str, reach: f64, body: Measurements) -> Result<Garment, ExperimentError> {
    let arm_length = (reach - 0.5 * body.shoulder_width) / 0.75;
    draft(name, &Measurements { arm_length, ..body }, None).map_err(|e| ExperimentError::Setup(e.to_string()))
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
