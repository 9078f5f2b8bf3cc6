//! Files of a validation run: a CSV and pictures per experiment, and one HTML page that holds everything.

use super::{Check, Experiment, ExperimentError, Outcome, Settings};
use crate::plot::escaped;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use toile_io::atomic::{WriteError, write_atomically};

/// An experiment that was run.
#[derive(Debug)]
pub struct Finished {
    /// Which.
    pub experiment: &'static Experiment,
    /// With which parameters.
    pub settings: Settings,
    /// What came of it.
    pub outcome: Result<Outcome, ExperimentError>,
}

impl Finished {
    /// Names the run within a report: the id, and the kind of mesh where the experiment has one.
    pub fn label(&self) -> String {
        match self.settings.mesh() {
            Some(mesh) => format!("{}-{mesh}", self.experiment.id),
            None => self.experiment.id.to_owned(),
        }
    }

    /// Carried out, and every check passed?
    pub fn pass(&self) -> bool {
        self.outcome.as_ref().is_ok_and(Outcome::pass)
    }
}

/// Writes `<label>.csv` (checks), `<label>-<stem>.svg` and `.csv` (pictures and the numbers behind them) and `report.html` into a
/// folder; returns the paths.
pub fn write_report(folder: &Path, finished: &[Finished]) -> Result<Vec<PathBuf>, WriteError> {
    let mut files: Vec<(String, String)> = Vec::new();
    for run in finished {
        let Ok(outcome) = &run.outcome else { continue };
        let id = run.label();
        files.push((format!("{id}.csv"), csv(outcome)));
        for (stem, picture) in &outcome.plots {
            files.push((format!("{id}-{stem}.svg"), picture.svg()));
            files.push((format!("{id}-{stem}.csv"), picture.csv()));
        }
    }
    files.push(("report.html".into(), html(finished)));
    let mut paths = Vec::new();
    for (name, content) in files {
        let path = folder.join(name);
        write_atomically(&path, content)?;
        paths.push(path);
    }
    Ok(paths)
}

fn csv(outcome: &Outcome) -> String {
    let mut out = String::from("quantity,value,unit,reference,relative_error,tolerance,pass\n");
    // Debug form: shortest digits that read back exactly, with an exponent where that is shorter.
    let number = |v: Option<f64>| v.map(|v| format!("{v:?}")).unwrap_or_default();
    for check in &outcome.checks {
        let quantity = check.quantity.replace('"', "\"\"");
        let tolerance = check.tolerance.map(|t| t.to_string()).unwrap_or_default();
        let pass = check.pass().map(|p| p.to_string()).unwrap_or_default();
        let (reference, error) = (number(check.reference), number(check.relative_error()));
        out.push_str(&format!(
            "\"{quantity}\",{:?},{},{reference},{error},{tolerance},{pass}\n",
            check.value, check.unit
        ));
    }
    out
}

const STYLE: &str = "body{font:15px/1.5 Helvetica,Arial,'DejaVu Sans',sans-serif;color:#222;max-width:62rem;margin:2rem auto;padding:0 1rem}\
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2.5rem;border-top:1px solid #ddd;padding-top:1rem}\
table{border-collapse:collapse;margin:.6rem 0}td,th{padding:.15rem .7rem;border-bottom:1px solid #e4e4e4;text-align:left}\
td.n{text-align:right;font-variant-numeric:tabular-nums}.pass{color:#00704f}.fail{color:#b03a00;font-weight:bold}\
.open,.source{color:#777}svg{max-width:100%;height:auto}";

fn html(finished: &[Finished]) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Toile validation</title>\n\
         <style>{STYLE}</style></head><body>\n<h1>Toile validation</h1>\n"
    );
    // Writing to a string cannot fail, here and below.
    let passed = finished.iter().filter(|f| f.pass()).count();
    let _ = writeln!(out, "<p>{passed} of {} runs within their bands.</p>", finished.len());
    out.push_str("<table><tr><th>experiment</th><th>checks</th><th>result</th></tr>\n");
    for run in finished {
        let (id, title) = (run.label(), escaped(run.experiment.title));
        let checks = run.outcome.as_ref().map_or(0, |o| o.checks.len());
        let _ = writeln!(
            out,
            "<tr><td><a href=\"#{id}\">{id}</a> {title}</td><td class=\"n\">{checks}</td>{}</tr>",
            verdict(Some(run.pass()))
        );
    }
    out.push_str("</table>\n");
    finished.iter().for_each(|run| section(&mut out, run));
    out.push_str("</body></html>\n");
    out
}

fn section(out: &mut String, run: &Finished) {
    let Experiment { title, source, .. } = *run.experiment;
    let id = run.label();
    let _ = writeln!(out, "<h2 id=\"{id}\">{id} {}</h2>\n<p class=\"source\">{}</p>", escaped(title), escaped(source));
    parameters(out, &run.settings);
    let outcome = match &run.outcome {
        Ok(outcome) => outcome,
        Err(error) => {
            let _ = writeln!(out, "<p class=\"fail\">{}</p>", escaped(&error.to_string()));
            return;
        }
    };
    out.push_str(
        "<table><tr><th>quantity</th><th>value</th><th>reference</th><th>unit</th><th>error</th><th>tolerance</th><th>result</th></tr>\n",
    );
    outcome.checks.iter().for_each(|check| row(out, check));
    out.push_str("</table>\n");
    for note in &outcome.notes {
        let _ = writeln!(out, "<p>{}</p>", escaped(note));
    }
    for (_, picture) in &outcome.plots {
        out.push_str(&picture.svg());
    }
}

fn parameters(out: &mut String, settings: &Settings) {
    if settings.values().next().is_some() {
        out.push_str("<table><tr><th>parameter</th><th>value</th><th>unit</th><th>meaning</th></tr>\n");
        for (p, value) in settings.values() {
            let (name, meaning) = (p.name, escaped(p.meaning));
            let mark = if settings.is_changed(name) { " (set)" } else { "" };
            let _ = writeln!(
                out,
                "<tr><td>{name}</td><td class=\"n\">{value}{mark}</td><td>{}</td><td>{meaning}</td></tr>",
                p.unit
            );
        }
        out.push_str("</table>\n");
    }
}

fn row(out: &mut String, check: &Check) {
    let error = match (check.relative_error(), check.reference) {
        (Some(e), _) if e.abs() >= 1e-5 => format!("{:+.3} %", 100.0 * e),
        (Some(e), _) => format!("{e:+.1e}"),
        (None, Some(r)) => format!("{:+.1e} absolute", check.value - r),
        (None, None) => String::new(),
    };
    let _ = writeln!(
        out,
        "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td><td class=\"n\">{error}</td><td>{}</td>{}</tr>",
        escaped(&check.quantity),
        short(check.value),
        check.reference.map(short).unwrap_or_default(),
        check.unit,
        check.tolerance.map(|t| t.to_string()).unwrap_or_default(),
        verdict(check.pass()),
    );
}

/// Eight digits; the CSV has them all.
fn short(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || (1e-3..1e6).contains(&size) {
        let decimals = if value == 0.0 { 0 } else { (7 - size.log10().floor() as i32).clamp(0, 10) as usize };
        let text = format!("{value:.decimals$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    } else {
        format!("{value:.7e}")
    }
}

fn verdict(pass: Option<bool>) -> &'static str {
    match pass {
        Some(true) => "<td class=\"pass\">pass</td>",
        Some(false) => "<td class=\"fail\">fail</td>",
        None => "<td class=\"open\">–</td>",
    }
}

#[cfg(test)]
mod tests {
    use super::super::{EXPERIMENTS, Tolerance, experiment};
    use super::*;

    fn run(experiment: &'static Experiment) -> Finished {
        let settings = Settings::defaults(experiment);
        Finished { experiment, outcome: (experiment.run)(&settings), settings }
    }

    /// The page stands alone: checks, parameters and pictures inside, nothing fetched from elsewhere; files as promised.
    #[test]
    fn report_is_self_contained() {
        let folder = std::env::temp_dir().join(format!("toile-report-{}", std::process::id()));
        // Three quick ones, with and without a mesh: that every experiment runs is tested where the registry is.
        let quick: Vec<&'static Experiment> = ["S0-1", "S0-9", "S1-5"].iter().filter_map(|id| experiment(id)).collect();
        let finished: Vec<Finished> = quick.into_iter().map(run).collect();
        let paths = write_report(&folder, &finished).unwrap();
        let page = std::fs::read_to_string(folder.join("report.html")).unwrap();
        for run in &finished {
            assert!(folder.join(format!("{}.csv", run.label())).is_file());
            assert!(page.contains(&format!("id=\"{}\"", run.label())));
        }
        assert!(page.contains("<svg") && !page.contains("src=") && !page.contains("<link"));
        assert!(paths.iter().filter(|p| p.extension().is_some_and(|e| e == "svg")).count() >= 2);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), paths.len());
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn failures_are_shown() {
        let experiment = EXPERIMENTS[0];
        let settings = Settings::defaults(experiment);
        let failed = Finished {
            experiment,
            settings: settings.clone(),
            outcome: Err(ExperimentError::Failed("no <descent>".into())),
        };
        let checks = vec![Check::against("tip", 2.0, "m", 1.0, Tolerance::Relative(0.1))];
        let off = Finished { experiment, settings, outcome: Ok(Outcome { checks, ..Outcome::default() }) };
        assert!(!failed.pass() && !off.pass());
        let page = html(&[failed, off]);
        assert!(page.contains("no &lt;descent&gt;") && page.contains("+100.000 %") && page.contains("0 of 2"));
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(short(0.0), "0");
        assert_eq!(short(-0.19245008972987526), "-0.19245009");
        assert_eq!(short(1.5), "1.5");
        assert_eq!(short(1.2345678e-7), "1.2345678e-7");
        assert_eq!(short(1200.0), "1200");
    }
}
