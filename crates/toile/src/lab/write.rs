//! Outcomes as text, lines for machines, and files.

use super::{Cycle, Outcome, Quantity, Row};
use crate::plot::PlotError;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use toile_io::atomic::{WriteError, write_atomically};

/// Size of the PNG pictures (px).
const PIXELS: [u32; 2] = [1080, 675];

/// Why files could not be written.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The disk refused.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A picture could not be made.
    #[error(transparent)]
    Plot(#[from] PlotError),
}

/// A table for people, line by line.
pub fn table(outcome: &Outcome) -> Vec<String> {
    let title =
        format!("{}  {}, {}, {} triangles", outcome.name(), outcome.fabric, outcome.direction, outcome.triangles);
    let mut out = vec![title];
    out.extend(if outcome.has_law() { beside_law(outcome) } else { by_itself(outcome) });
    out.extend(outcome.figures.iter().map(|f| format!("  {:<50} {:>12} {}", f.name, number(f.value), f.unit)));
    for (k, c) in outcome.cycles.iter().enumerate() {
        let [area, dissipated, stored] = [c.work, c.dissipated, c.stored].map(|e| number(1e3 * e));
        out.push(format!("  cycle {}: area {area} mJ = dissipated {dissipated} mJ + stored {stored} mJ", k + 1));
    }
    out.extend(outcome.notes.iter().map(|n| format!("  {n}")));
    out
}

/// Readings with the law's own.
fn beside_law(outcome: &Outcome) -> Vec<String> {
    let (x, y) = (outcome.x, outcome.y);
    let mut out = vec![
        format!("  {:>14} {:>14} {:>14} {:>10} {:>7}", x.name, y.name, "law", "error", "Newton"),
        format!("  {:>14} {:>14} {:>14} {:>10} {:>7}", x.unit, y.unit, y.unit, "–", "steps"),
    ];
    for row in &outcome.rows {
        let error = outcome.relative_error(row).map_or(String::new(), |e| format!("{e:+.1e}"));
        out.push(format!(
            "  {:>14.4} {:>14.6} {:>14.6} {error:>10} {:>7}",
            row.x * x.per_si,
            row.measured * y.per_si,
            row.law * y.per_si,
            row.iterations
        ));
    }
    out.push(format!(
        "  largest error {:.1e}, at most {} Newton steps",
        outcome.max_relative_error(),
        outcome.max_newton_iterations()
    ));
    out
}

/// Readings of which no law knows, with what was read besides.
fn by_itself(outcome: &Outcome) -> Vec<String> {
    let quantities: Vec<_> = [outcome.x, outcome.y].into_iter().chain(outcome.beside.iter().map(|b| b.0)).collect();
    let heads =
        |text: fn(&Quantity) -> &str| quantities.iter().map(|q| format!(" {:>13}", text(q))).collect::<String>();
    let mut out =
        vec![format!(" {} {:>7}", heads(|q| q.name), "Newton"), format!(" {} {:>7}", heads(|q| q.unit), "steps")];
    for (k, row) in outcome.rows.iter().enumerate() {
        let values = [row.x, row.measured].into_iter().chain(outcome.beside.iter().map(|b| b.1[k]));
        let cells: String = values.zip(&quantities).map(|(v, q)| format!(" {:>13.3}", v * q.per_si)).collect();
        out.push(format!(" {cells} {:>7}", row.iterations));
    }
    out
}

/// Six digits, with an exponent where they would be lost.
fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || (1e-2..1e6).contains(&size) { format!("{value:.5}") } else { format!("{value:.4e}") }
}

/// One JSON object per reading, then the summary.
pub fn json_lines(outcome: &Outcome) -> Vec<String> {
    let start = || {
        let mut map = Map::new();
        map.insert("test".into(), json!(outcome.test));
        map.insert("fabric".into(), json!(outcome.fabric));
        map.insert("direction".into(), json!(outcome.direction));
        if !outcome.mode.is_empty() {
            map.insert("mode".into(), json!(outcome.mode));
        }
        map
    };
    let record = |(k, row): (usize, &Row)| {
        let mut map = start();
        map.insert(outcome.x.key.into(), json!(row.x * outcome.x.per_si));
        map.insert(outcome.y.key.into(), json!(row.measured * outcome.y.per_si));
        if outcome.has_law() {
            map.insert(outcome.y.law_key.into(), json!(row.law * outcome.y.per_si));
            map.insert("relative_error".into(), json!(outcome.relative_error(row)));
        }
        map.insert("newton_iterations".into(), json!(row.iterations));
        for (quantity, values) in &outcome.beside {
            map.insert(quantity.key.into(), json!(values.get(k).map(|v| v * quantity.per_si)));
        }
        Value::Object(map).to_string()
    };
    let mut lines: Vec<String> = outcome.rows.iter().enumerate().map(record).collect();
    let mut summary = start();
    if outcome.has_law() {
        summary.insert("max_relative_error".into(), json!(outcome.max_relative_error()));
    }
    summary.insert("max_newton_iterations".into(), json!(outcome.max_newton_iterations()));
    summary.insert("triangles".into(), json!(outcome.triangles));
    summary.insert("notes".into(), json!(outcome.notes));
    if !outcome.cycles.is_empty() {
        let cycle = |c: &Cycle| json!({"area_mj": 1e3 * c.work, "dissipated_mj": 1e3 * c.dissipated, "stored_mj": 1e3 * c.stored});
        summary.insert("cycles".into(), outcome.cycles.iter().map(cycle).collect());
    }
    for figure in &outcome.figures {
        summary.insert(figure.key.into(), json!(figure.value));
    }
    lines.push(Value::Object(summary).to_string());
    lines
}

/// The readings as a table for other programs.
fn csv(outcome: &Outcome) -> String {
    let (x, y) = (outcome.x, outcome.y);
    let law_keys = if outcome.has_law() { format!(",{},relative_error", y.law_key) } else { String::new() };
    let beside_keys: String = outcome.beside.iter().map(|(q, _)| format!(",{}", q.key)).collect();
    let mut out = format!("{},{}{law_keys},newton_iterations{beside_keys}\n", x.key, y.key);
    for (k, row) in outcome.rows.iter().enumerate() {
        let error = outcome.relative_error(row).map_or(String::new(), |e| e.to_string());
        let [a, b, c] = [row.x * x.per_si, row.measured * y.per_si, row.law * y.per_si];
        let law = if outcome.has_law() { format!(",{c},{error}") } else { String::new() };
        let beside = outcome.beside.iter().filter_map(|(q, values)| Some(format!(",{}", values.get(k)? * q.per_si)));
        out.push_str(&format!("{a},{b}{law},{}{}\n", row.iterations, beside.collect::<String>()));
    }
    out
}

/// Writes CSV, SVG, PNG and what else the test made into a folder; returns the files.
pub fn write(folder: &Path, outcome: &Outcome) -> Result<Vec<PathBuf>, SaveError> {
    let stem = slug(&format!("{}-{}-{}", outcome.name(), outcome.fabric, outcome.direction));
    let mut files = vec![(format!("{stem}.csv"), csv(outcome).into_bytes())];
    for (name, plot) in outcome.pictures() {
        let stem = if name.is_empty() { stem.clone() } else { format!("{stem}-{name}") };
        files.push((format!("{stem}.svg"), plot.svg().into_bytes()));
        files.push((format!("{stem}.png"), plot.png(PIXELS[0], PIXELS[1])?));
    }
    files.extend(outcome.files.iter().map(|(end, content)| (format!("{stem}-{end}"), content.clone())));
    let mut paths = Vec::new();
    for (name, content) in files {
        let path = folder.join(name);
        write_atomically(&path, content)?;
        paths.push(path);
    }
    Ok(paths)
}

/// A file name of any text: letters and digits, the rest as single dashes.
pub(crate) fn slug(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    out.trim_end_matches('-').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::outcome::{DISPLACEMENT, FORCE};

    fn outcome() -> Outcome {
        let mut outcome = Outcome::new("tensile", "Fabric \"A/1\"", "weft", DISPLACEMENT, FORCE);
        outcome.rows = vec![
            Row { x: 0.0, measured: 0.0, law: 0.0, iterations: 0 },
            Row { x: 1e-3, measured: 2.02, law: 2.0, iterations: 4 },
        ];
        outcome.triangles = 12;
        outcome
    }

    #[test]
    fn lines_carry_units_and_errors() {
        let lines: Vec<Value> = json_lines(&outcome()).iter().map(|l| serde_json::from_str(l).unwrap()).collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[0]["relative_error"], Value::Null);
        assert_eq!(lines[1]["displacement_mm"], 1.0);
        assert!((lines[1]["relative_error"].as_f64().unwrap() - 0.01).abs() < 1e-12);
        assert!((lines[2]["max_relative_error"].as_f64().unwrap() - 0.01).abs() < 1e-12);
        assert_eq!(lines[2]["max_newton_iterations"], 4);
        assert_eq!(slug("tensile-Fabric \"A/1\"-45°"), "tensile-fabric-a-1-45");
    }

    #[test]
    fn files_are_named_after_the_test() {
        let folder = std::env::temp_dir().join(format!("toile-lab-write-{}", std::process::id()));
        let files = write(&folder, &outcome()).unwrap();
        let names: Vec<_> = files.iter().map(|p| p.file_name().unwrap().to_string_lossy().into_owned()).collect();
        let stem = "tensile-fabric-a-1-weft";
        let wanted = [".csv", ".svg", ".png", "-error.svg", "-error.png"].map(|e| format!("{stem}{e}"));
        assert_eq!(names, wanted);
        assert!(std::fs::read_to_string(&files[0]).unwrap().starts_with("displacement_mm,force_n,law_n,"));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
