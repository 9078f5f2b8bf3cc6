//! `report.html` of a draping.

use super::{Event, Figures, Outcome, PanelFigures, Percentiles, Record, SeamFigures};
use crate::plot::{Axis, Plot, Series, Style};
use crate::results::Page;
use serde_json::Value;
use toile_garment::drape::Settled;
use toile_garment::fit::{GirthFit, RegionPressure};

/// The page, from the record, the figures and the pictures (PNG) by name.
pub(super) fn report(
    record: &Record,
    figures: &Figures,
    outcome: &Outcome,
    pictures: &[(&str, Vec<u8>)],
    pattern: &str,
) -> String {
    let mut page = Page::new(&record.name);
    page.say(&format!("{}.", record.said()));
    match &record.fault {
        Some(fault) => page.say(fault),
        None => page.say("Nothing passes through anything: neither the body nor the garment itself."),
    }
    let picture = |page: &mut Page, name: &str, what: &str| {
        if let Some((_, png)) = pictures.iter().find(|p| p.0 == name) {
            page.picture(png, what);
        }
    };
    picture(&mut page, "preview.png", "the garment on the body");
    page.list("Warnings", &record.warnings);
    page.heading("Strain");
    page.say("Green strain along the threads; blue is none or shorter than flat, red the number at the end of the bar and above.");
    picture(&mut page, "strain_weft.png", "strain along the weft");
    picture(&mut page, "strain_warp.png", "strain along the warp");
    picture(&mut page, "strain_bias.png", "strain along the bias");
    picture(&mut page, "strain_flat.png", "largest strain on the flat pattern");
    page.heading("Tension");
    page.say("The largest of all directions; on the flat pattern strain and tension along the threads, too.");
    picture(&mut page, "tension.png", "largest tension");
    picture(&mut page, "maps_flat.png", "strain and tension on the flat pattern");
    girths(&mut page, figures);
    page.heading("Pressure");
    page.say("Normal force of the garment on the skin over the area of the skin; the garment is left out.");
    picture(&mut page, "pressure.png", "pressure on the skin");
    page.pairs("Skin", &record.skin);
    regions(&mut page, figures);
    panels(&mut page, figures);
    seams(&mut page, figures);
    page.heading("Pattern");
    page.drawing(pattern, "cutting sheet");
    page.heading("How it was draped");
    page.pairs("Garment", &record.garment);
    page.table("Garments", &record.garments);
    for plot in plots(outcome) {
        page.plot(&plot);
    }
    moved(&mut page, record);
    page.pairs("Sewing", &record.sewing);
    settling(&mut page, outcome);
    page.pairs("Certificate", &record.certificate);
    page.times(&record.phases);
    page.pairs("Settings", &record.settings);
    page.table("Inputs", &record.inputs);
    page.finish(&format!("toile {}, {} threads, digest {}", record.version, record.threads, record.digest))
}

/// Girths of body and garment.
pub(super) fn girths(page: &mut Page, figures: &Figures) {
    let head = [
        "girth",
        "body, cm",
        "tape round it, cm",
        "cloth worn, cm",
        "cloth flat, cm",
        "ease worn, cm",
        "ease flat, cm",
    ];
    let row = |g: &GirthFit| {
        let lengths = [g.body, g.tape, g.worn, g.flat, g.ease(), g.flat_ease()];
        let numbers = lengths.iter().map(|metres| format!("{:.1}", 100.0 * metres));
        std::iter::once(g.name.clone()).chain(numbers).collect()
    };
    page.grid("Girths and ease", &head, &figures.girths.iter().map(row).collect::<Vec<_>>());
}

/// Pressure by part of the body.
fn regions(page: &mut Page, figures: &Figures) {
    let head = ["part", "touched, cm²", "mean, kPa", "95 %, kPa", "largest, kPa", "limit, kPa", "above it, %", ""];
    let row = |r: &RegionPressure| {
        let kpa = |pascal: f64| format!("{:.3}", 1e-3 * pascal);
        let limit = r.comfort.map_or("–".into(), |c| format!("{:.2} ({})", 1e-3 * c.limit, c.meaning));
        let verdict = if r.exceeds() { "too much" } else { "" };
        let cells = [kpa(r.mean), kpa(r.p95), kpa(r.largest), limit, format!("{:.1}", 100.0 * r.above), verdict.into()];
        [r.name.clone(), format!("{:.0}", 1e4 * r.touched)].into_iter().chain(cells).collect()
    };
    page.grid("Pressure by part of the body", &head, &figures.skin.regions.iter().map(row).collect::<Vec<_>>());
}

fn panels(page: &mut Page, figures: &Figures) {
    let head = [
        "panel",
        "area, cm²",
        "strain weft, %",
        "strain warp, %",
        "shear, %",
        "strain bias, %",
        "strain largest, %",
        "tension weft, N/m",
        "tension warp, N/m",
        "tension largest, N/m",
    ];
    let row = |p: &PanelFigures| {
        let strain = p.strain.iter().map(|s| pair(100.0, s));
        let tension = [0, 1, 4].map(|m| pair(1.0, &p.tension[m]));
        let start = [p.name.clone(), format!("{:.0}", 1e4 * p.area)];
        start.into_iter().chain(strain).chain(tension).collect()
    };
    page.grid("Panels (median / 99 %)", &head, &figures.panels.iter().map(row).collect::<Vec<_>>());
}

fn pair(unit: f64, p: &Percentiles) -> String {
    format!("{:.1} / {:.1}", unit * p.p50, unit * p.p99)
}

fn seams(page: &mut Page, figures: &Figures) {
    let head = ["seam", "flat, cm", "worn, cm", "pull across, N/m", "largest, N/m"];
    let row = |s: &SeamFigures| {
        vec![
            s.name.clone(),
            format!("{:.1}, {:.1}", 100.0 * s.flat[0], 100.0 * s.flat[1]),
            format!("{:.1}", 100.0 * s.worn),
            format!("{:.2}", s.pull),
            format!("{:.2}", s.largest_pull),
        ]
    };
    page.grid("Seams", &head, &figures.seams.iter().map(row).collect::<Vec<_>>());
}

/// Panels that were in the way of something.
fn moved(page: &mut Page, record: &Record) {
    let far = |row: &Value| row["moved_mm"].as_f64().filter(|m| *m > 0.0);
    let row = |v: &Value| far(v).map(|m| vec![v["panel"].as_str().unwrap_or_default().into(), format!("{m:.0}")]);
    let rows: Vec<Vec<String>> = record.moved.iter().filter_map(row).collect();
    page.grid("Panels moved before sewing", &["panel", "mm"], &rows);
}

fn settling(page: &mut Page, outcome: &Outcome) {
    let head = [
        "level",
        "triangles",
        "steps",
        "Newton",
        "linear",
        "last way, mm",
        "carried, %",
        "held, %",
        "residual",
        "at rest",
    ];
    let row = |(k, s): (usize, &Settled)| {
        vec![
            k.to_string(),
            s.triangles.to_string(),
            s.steps.to_string(),
            s.newton.to_string(),
            s.linear.to_string(),
            format!("{:.3}", 1e3 * s.moved),
            format!("{:.1}", 100.0 * s.support),
            format!("{:.1}", 100.0 * s.held),
            format!("{:.3}", s.residual),
            if s.is_resting { "yes" } else { "no" }.into(),
        ]
    };
    page.grid("Settling", &head, &outcome.draped.settled.iter().enumerate().map(row).collect::<Vec<_>>());
}

fn plots(outcome: &Outcome) -> Vec<Plot> {
    let sewing = outcome.history.iter().filter_map(|e| match e {
        Event::Sewing { steps, open_mm, .. } => Some([*steps as f64, *open_mm]),
        Event::Settling { .. } => None,
    });
    let level = |wanted: usize| {
        let points = outcome.history.iter().filter_map(|e| match e {
            Event::Settling { level, steps, moved_mm: Some(moved), .. } if *level == wanted => {
                Some([*steps as f64, *moved])
            }
            _ => None,
        });
        Series::new(format!("level {wanted}"), Style::Line, points.collect())
    };
    vec![
        Plot {
            title: "Seams closing".into(),
            x: Axis::new("step"),
            y: Axis::log("widest open seam (mm)"),
            series: vec![Series::new("", Style::Line, sewing.collect())],
            is_equal: false,
        },
        Plot {
            title: "Settling".into(),
            x: Axis::new("step"),
            y: Axis::log("longest way of a vertex in the step (mm)"),
            series: (0..outcome.draped.settled.len()).map(level).collect(),
            is_equal: false,
        },
    ]
}
