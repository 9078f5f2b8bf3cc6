//! S0-12: a garment on a body, its stretch as a map. Source: Volino09 Fig. 12.
//!
//! A draft drawn to the measurements of a mannequin is sewn round it and comes to rest. The sum of the vertical contact forces is its weight,
//! nothing crosses, and the map shows the strain of the elements. Our body and garment: those of the paper are not public.

use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, dressed};
use toile_garment::draft::{self, Measurements, draft};
use toile_garment::drape::Options;
use toile_garment::fit::principal_strain;

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S0-12",
    title: "stretch of a garment on a body",
    source: "Volino09 Fig. 12",
    parameters: &[
        Parameter::word("garment", &["t-shirt", "trousers", "sheath-dress", "poncho-round"], "which draft"),
        Parameter::word("size", &["F38", "F34", "F44", "M50"], "size of the mannequin"),
        Parameter::word("fabric", &["cotton-jersey", "cotton-interlock", "wool-gabardine"], "of the library"),
        Parameter::number("edge", 40.0, [5.0, 60.0], "mm", "edge length of the triangles"),
        Parameter::number("friction", 0.3, [0.0, 2.0], "–", "friction coefficient"),
    ],
    run,
};

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let (figure, figures) = dressed::figure(settings.word("size"))?;
    let form = if settings.word("size").starts_with('M') { 0.0 } else { 1.0 };
    let name = settings.word("garment");
    let garment = draft(name, &Measurements::of_body(&figures, form), None)
        .map_err(|e: draft::DraftError| ExperimentError::Setup(e.to_string()))?;
    let fabric = dressed::fabric(settings.word("fabric"))?;
    let edge = 1e-3 * settings.number("edge");
    let options = Options { edge, friction: settings.number("friction"), ..Options::default() };
    let draped = dressed::dress(&garment, &fabric, &figure, &options)?;
    let mut outcome = Outcome { checks: dressed::at_rest(&draped), ..Outcome::default() };
    let cloth = draped.cloth();
    let values: Vec<f64> =
        dressed::strains(&cloth, &fabric)?.into_iter().map(|s| 100.0 * principal_strain(s)).collect();
    let mut sorted = values.clone();
    sorted.sort_by(f64::total_cmp);
    let share = |s: f64| sorted.get((s * sorted.len() as f64) as usize).copied().unwrap_or(0.0);
    outcome.checks.push(Check::report("largest strain, median of the triangles", share(0.5), "%"));
    outcome.checks.push(Check::report("largest strain, 95 % of the triangles have less", share(0.95), "%"));
    let title = format!("{name} on {}: largest strain", settings.word("size"));
    outcome.plots.push(("stretch".into(), dressed::front(&title, "strain (%)", &cloth, &values).into()));
    outcome.notes.push("Body and garment are ours: those of the paper are not public.".into());
    Ok(outcome)
}
