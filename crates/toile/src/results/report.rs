//! `report.html` of a run.

use super::ResultError;
use super::page::Page;
use crate::plot::{Axis, Plot, Series, Style};
use crate::run::{CertificateRecord, Folder, Record, Task};
use toile_io::run::{Checkpoint, StepRecord};

/// The page, from the record, the folder's checkpoint and the pictures (PNG).
pub fn report(record: &Record, folder: &Folder, preview: &[u8], strip: Option<&[u8]>) -> Result<String, ResultError> {
    let checkpoint = Checkpoint::read(&folder.file("checkpoint.npz")).map_err(ResultError::Problems)?;
    let mut page = Page::new(&record.name);
    page.say(&said(record));
    if let Some(untangled) = &record.untangled {
        page.say(&format!("{}.", untangled.said()));
    }
    if let Some(certificate) = &record.certificate {
        page.say(&certified(certificate));
    }
    page.picture(preview, "the cloth at the end");
    if let Some(strip) = strip {
        page.picture(strip, "the run in pictures");
    }
    page.list("Warnings", &record.warnings);
    page.table("Cloths", &record.cloths);
    for plot in plots(record.task, &checkpoint.records) {
        page.plot(&plot);
    }
    page.table("Forces of the grips on the cloth", &record.reactions);
    page.table("Forces of the cloth on obstacles", &record.obstacles);
    let seconds = record.seconds.iter().map(|(phase, s)| (phase.clone(), s.as_f64().unwrap_or(0.0)));
    page.times(&seconds.collect::<Vec<_>>());
    if let Some(contact) = &record.contact {
        page.pairs("Contact", contact);
    }
    page.pairs("Settings", &record.settings);
    page.table("Inputs", &record.inputs);
    Ok(page.finish(&format!(
        "toile {}, {} threads, {} kernels, digest of the final state {}",
        record.version, record.threads, record.simd, record.digest
    )))
}

fn said(record: &Record) -> String {
    match record.task {
        Task::Run => format!(
            "{:.3} s in {} steps of {:.3} ms, {} frames; {:.2} Newton iterations a step, {:.2} linear iterations each, {} steps cut.",
            record.simulated_s,
            record.steps,
            record.step_ms,
            record.frames,
            record.newton_per_step,
            record.linear_per_newton,
            record.cut_steps
        ),
        Task::Drape => {
            format!(
                "Equilibrium after {} iterations; the largest force left on a vertex is {:.3e} N.",
                record.steps, record.residual
            )
        }
    }
}

fn certified(c: &CertificateRecord) -> String {
    let by_kind = format!(
        "{} of a cloth with itself, {} of two cloths, {} with obstacles",
        c.self_crossings, c.cloth_crossings, c.obstacle_crossings
    );
    match c.crossings {
        0 => format!("{}: nothing passes through anything in any frame.", c.said()),
        _ => format!("{}: {by_kind}.", c.said()),
    }
}

fn plots(task: Task, records: &[StepRecord]) -> Vec<Plot> {
    let curve = |name: &str, f: &dyn Fn(usize, &StepRecord) -> [f64; 2]| Series {
        name: name.into(),
        points: records.iter().enumerate().map(|(k, r)| f(k, r)).collect(),
        style: Style::Line,
        colour: None,
    };
    if task == Task::Drape {
        return vec![Plot {
            title: "Way to equilibrium".into(),
            x: Axis::new("iteration"),
            y: Axis::log("largest force on a vertex (N)"),
            series: vec![curve("", &|k, r| [k as f64, r.residual])],
            is_equal: false,
        }];
    }
    // Weight counts from where it is lowest: only differences mean something.
    let lowest = records.iter().map(|r| r.gravity).fold(f64::INFINITY, f64::min);
    let energies = vec![
        curve("kinetic", &|_, r| [r.time, r.kinetic]),
        curve("weight", &|_, r| [r.time, r.gravity - lowest]),
        curve("in the cloth", &|_, r| [r.time, r.elastic]),
        curve("dissipated by the cloth", &|_, r| [r.time, r.dissipated]),
        curve("sum of the first three", &|_, r| [r.time, r.kinetic + r.gravity - lowest + r.elastic]),
    ];
    let mut plots = vec![
        Plot {
            title: "Energy".into(),
            x: Axis::new("time (s)"),
            y: Axis::new("energy (J)"),
            series: energies,
            is_equal: false,
        },
        Plot {
            title: "Iterations".into(),
            x: Axis::new("time (s)"),
            y: Axis::new("iterations a step"),
            series: vec![curve("Newton", &|_, r| [r.time, r.newton]), curve("linear", &|_, r| [r.time, r.linear])],
            is_equal: false,
        },
    ];
    if records.iter().any(|r| r.touches > 0.0) {
        plots.push(Plot {
            title: "Contact".into(),
            x: Axis::new("time (s)"),
            y: Axis::new("pairs in contact"),
            series: vec![curve("", &|_, r| [r.time, r.touches])],
            is_equal: false,
        });
    }
    // One linear solve a step, and explicit schemes, have no residual to show.
    if records.iter().any(|r| r.residual > 0.0) {
        plots.push(Plot {
            title: "Residual".into(),
            x: Axis::new("time (s)"),
            y: Axis::log("residual (steps of free fall)"),
            series: vec![curve("", &|_, r| [r.time, r.residual])],
            is_equal: false,
        });
    }
    plots
}
