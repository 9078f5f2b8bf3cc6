//! `report.html`: one page that holds everything, pictures included.

use super::ResultError;
use crate::plot::{Axis, Plot, Series, Style, escaped};
use crate::run::{CertificateRecord, Folder, Record, Task};
use serde_json::Value;
use std::fmt::Write;
use toile_io::run::{Checkpoint, StepRecord};

/// The page, from the record, the folder's checkpoint and the pictures (PNG).
pub fn report(record: &Record, folder: &Folder, preview: &[u8], strip: Option<&[u8]>) -> Result<String, ResultError> {
    let checkpoint = Checkpoint::read(&folder.file("checkpoint.npz")).map_err(ResultError::Problems)?;
    let mut page = String::new();
    let name = escaped(&record.name);
    let _ = write!(
        page,
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{name}</title><style>{STYLE}</style></head><body><h1>{name}</h1>"
    );
    let _ = write!(page, "<p>{}</p>", escaped(&said(record)));
    if let Some(untangled) = &record.untangled {
        let _ = write!(page, "<p>{}.</p>", escaped(&untangled.said()));
    }
    if let Some(certificate) = &record.certificate {
        let _ = write!(page, "<p>{}</p>", escaped(&certified(certificate)));
    }
    picture(&mut page, preview, "the cloth at the end");
    if let Some(strip) = strip {
        picture(&mut page, strip, "the run in pictures");
    }
    list(&mut page, "Warnings", &record.warnings);
    table(&mut page, "Cloths", &record.cloths);
    for plot in plots(record.task, &checkpoint.records) {
        let _ = write!(page, "<figure>{}</figure>", plot.svg());
    }
    table(&mut page, "Forces of the grips on the cloth", &record.reactions);
    table(&mut page, "Forces of the cloth on obstacles", &record.obstacles);
    times(&mut page, record);
    if let Some(contact) = &record.contact {
        pairs(&mut page, "Contact", contact);
    }
    pairs(&mut page, "Settings", &record.settings);
    table(&mut page, "Inputs", &record.inputs);
    let _ = write!(
        page,
        "<p class=\"small\">toile {}, {} threads, {} kernels, digest of the final state {}</p></body></html>",
        record.version, record.threads, record.simd, record.digest
    );
    Ok(page)
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

fn picture(page: &mut String, png: &[u8], what: &str) {
    let _ = write!(page, "<figure><img alt=\"{what}\" src=\"data:image/png;base64,{}\"></figure>", base64(png));
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

fn list(page: &mut String, title: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    let _ = write!(page, "<h2>{title}</h2><ul>");
    for line in lines {
        let _ = write!(page, "<li>{}</li>", escaped(line));
    }
    page.push_str("</ul>");
}

/// A table of records with the same keys.
fn table(page: &mut String, title: &str, rows: &[Value]) {
    let Some(first) = rows.first().and_then(Value::as_object) else { return };
    let _ = write!(page, "<h2>{title}</h2><table><tr>");
    for key in first.keys() {
        let _ = write!(page, "<th>{}</th>", escaped(key));
    }
    page.push_str("</tr>");
    for row in rows.iter().filter_map(Value::as_object) {
        page.push_str("<tr>");
        for value in row.values() {
            let _ = write!(page, "<td>{}</td>", escaped(&plain(value)));
        }
        page.push_str("</tr>");
    }
    page.push_str("</table>");
}

fn pairs(page: &mut String, title: &str, values: &Value) {
    let _ = write!(page, "<h2>{title}</h2><table>");
    for (key, value) in values.as_object().into_iter().flatten() {
        let _ = write!(page, "<tr><th>{}</th><td>{}</td></tr>", escaped(key), escaped(&plain(value)));
    }
    page.push_str("</table>");
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(n) => n.as_f64().map_or(n.to_string(), short),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Null => "–".into(),
        other => other.to_string(),
    }
}

/// Five digits are enough to read.
fn short(value: f64) -> String {
    if value != 0.0 && !(1e-3..1e6).contains(&value.abs()) {
        return format!("{value:.3e}");
    }
    let text = format!("{value:.5}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

fn times(page: &mut String, record: &Record) {
    let _ = write!(page, "<h2>Time</h2><table><tr><th>phase</th><th>s</th><th>%</th></tr>");
    for (phase, seconds) in &record.seconds {
        let seconds = seconds.as_f64().unwrap_or(0.0);
        let share = 100.0 * seconds / record.seconds_total.max(1e-9);
        let _ = write!(page, "<tr><td>{phase}</td><td>{seconds:.3}</td><td>{share:.1}</td></tr>");
    }
    let _ = write!(page, "<tr><th>sum</th><th>{:.3}</th><th></th></tr></table>", record.seconds_total);
}

/// Bytes as text.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0u32, |w, b| w << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        for k in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * k) & 63) as usize];
            text.push(if k <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

const STYLE: &str = "body{font:15px/1.5 Helvetica,Arial,'DejaVu Sans',sans-serif;color:#222;max-width:64rem;margin:2rem auto;padding:0 1rem}\
figure{margin:1rem 0}img,svg{max-width:100%;height:auto}table{border-collapse:collapse;margin:.5rem 0}\
th,td{padding:.15rem .8rem .15rem 0;text-align:left;border-bottom:1px solid #ddd;vertical-align:top;word-break:break-word}\
.small{color:#777;font-size:13px}";

#[cfg(test)]
mod tests {
    use super::*;

    /// Examples of RFC 4648.
    #[test]
    fn base64_is_that_of_the_standard() {
        let pairs = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (plain, coded) in pairs {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(short(0.25), "0.25");
        assert_eq!(short(118.00000000001447), "118");
        assert_eq!(short(1.0e-7), "1.000e-7");
        assert_eq!(short(0.0), "0");
    }
}
