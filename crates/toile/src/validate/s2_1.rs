//! S2-1: the square poncho of the FEM document on a dummy. Source: FemShell Tables 1 and 2, Fig. 2a.
//!
//! 1.10 × 1.10 m of a silk and polyester fabric (70 g/m², 3657 and 3267 N/m) in 3325 elements. At rest the body carries its weight and nothing
//! crosses. The paper guards its nodes: distances within 0.6 to 1.3 of rest, corners within 30° to 85°; what leaves these is counted, on
//! our three-node triangles.

use super::ponchos::{look, poncho};
use super::{Experiment, ExperimentError, Outcome, Parameter, Settings, dressed};

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
    let poncho = poncho("poncho-square", settings.number("side"), settings)?;
    let draped = poncho.draped(settings.number("triangles"))?;
    let mut outcome = Outcome { checks: dressed::at_rest(&draped), ..Outcome::default() };
    look(&poncho, &draped.cloth(), &mut outcome)?;
    outcome.notes.push("The paper counts 300 distortions; the dummy is our mannequin.".into());
    Ok(outcome)
}
