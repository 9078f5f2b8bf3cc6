//! JSON lines for machines.

use super::{Check, Experiment, Kind};
use serde::Serialize;

/// One check as a line.
#[derive(Serialize)]
struct CheckRecord<'a> {
    id: &'a str,
    quantity: &'a str,
    value: f64,
    reference: Option<f64>,
    relative_error: Option<f64>,
    tolerance: Option<f64>,
    pass: Option<bool>,
    unit: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mesh: Option<&'a str>,
}

/// A check as one line of JSON. `tolerance` is the largest |relative_error|; where the reference is zero it is absolute and
/// `relative_error` is null. A value that is not a number is null.
pub fn check_line(id: &str, mesh: Option<&str>, check: &Check) -> String {
    line(&CheckRecord {
        id,
        quantity: &check.quantity,
        value: check.value,
        reference: check.reference,
        relative_error: check.relative_error(),
        tolerance: check.tolerance_number(),
        pass: check.pass(),
        unit: check.unit,
        mesh,
    })
}

#[derive(Serialize)]
struct ExperimentRecord<'a> {
    id: &'a str,
    title: &'a str,
    source: &'a str,
    parameters: Vec<ParameterRecord<'a>>,
}

#[derive(Serialize)]
struct ParameterRecord<'a> {
    name: &'a str,
    default: Default<'a>,
    unit: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed: Option<&'a [&'a str]>,
    meaning: &'a str,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Default<'a> {
    Number(f64),
    Word(&'a str),
}

/// An experiment and its parameters as one line of JSON.
pub fn experiment_line(experiment: &Experiment) -> String {
    let parameters = experiment.parameters.iter().map(|p| {
        let (default, range, allowed) = match p.kind {
            Kind::Number { default, range } => (Default::Number(default), Some(range), None),
            Kind::Word { default, allowed } => (Default::Word(default), None, Some(allowed)),
        };
        ParameterRecord { name: p.name, default, unit: p.unit, range, allowed, meaning: p.meaning }
    });
    let Experiment { id, title, source, .. } = *experiment;
    line(&ExperimentRecord { id, title, source, parameters: parameters.collect() })
}

fn line(record: &impl Serialize) -> String {
    serde_json::to_string(record).expect("records hold numbers, text and lists only")
}

#[cfg(test)]
mod tests {
    use super::super::{EXPERIMENTS, Tolerance};
    use super::*;

    #[test]
    fn lines_have_the_agreed_keys() {
        let check = Check::against("tip", 1.5, "m", 2.0, Tolerance::Relative(0.1));
        assert_eq!(
            check_line("B-01", None, &check),
            r#"{"id":"B-01","quantity":"tip","value":1.5,"reference":2.0,"relative_error":-0.25,"tolerance":0.1,"pass":false,"unit":"m"}"#
        );
        let open = Check::report("time", f64::NAN, "s");
        assert_eq!(
            check_line("B-01", Some("structured"), &open),
            r#"{"id":"B-01","quantity":"time","value":null,"reference":null,"relative_error":null,"tolerance":null,"pass":null,"unit":"s","mesh":"structured"}"#
        );
    }

    #[test]
    fn experiments_list_their_parameters() {
        for experiment in EXPERIMENTS {
            let value: serde_json::Value = serde_json::from_str(&experiment_line(experiment)).unwrap();
            assert_eq!(value["id"], experiment.id);
            let parameters = value["parameters"].as_array().unwrap();
            assert_eq!(parameters.len(), experiment.parameters.len());
            assert!(parameters.iter().all(|p| !p["default"].is_null() && p["unit"].is_string()));
        }
    }
}
