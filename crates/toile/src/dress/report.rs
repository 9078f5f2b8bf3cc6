//! `report.html` of a draping.

use super::{Event, Figures, Outcome, Record};
use crate::plot::{Axis, Plot, Series, Style};
use crate::results::Page;
use serde_json::{Value, json};

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
    picture(&mut page, "strain_flat.png", "largest strain on the flat pattern");
    page.heading("Pressure");
    page.say("Normal force of the garment on the skin over the area of the skin; the garment is left out.");
    picture(&mut page, "pressure.png", "pressure on the skin");
    page.pairs("Skin", &record.skin);
    page.table("Panels", &panels(figures));
    page.table("Seams", &seams(figures));
    page.heading("Pattern");
    page.drawing(pattern, "cutting sheet");
    page.heading("How it was draped");
    page.pairs("Garment", &record.garment);
    for plot in plots(outcome) {
        page.plot(&plot);
    }
    page.table("Panels moved before sewing", &record.moved);
    page.pairs("Sewing", &record.sewing);
    page.table("Settling", &record.levels);
    page.pairs("Certificate", &record.certificate);
    page.times(&record.seconds, record.seconds_total);
    page.pairs("Settings", &record.settings);
    page.table("Inputs", &record.inputs);
    page.finish(&format!("toile {}, {} threads, digest {}", record.version, record.threads, record.digest))
}

fn panels(figures: &Figures) -> Vec<Value> {
    let row = |p: &super::PanelFigures| {
        json!({
            "panel": p.name,
            "area, m²": rounded(p.area, 4),
            "strain weft 50 / 99 %": pair(100.0, &p.strain[0]),
            "warp": pair(100.0, &p.strain[1]),
            "shear": pair(100.0, &p.strain[2]),
            "tension weft 50 / 99, N/m": pair(1.0, &p.tension[0]),
            "tension warp": pair(1.0, &p.tension[1]),
        })
    };
    figures.panels.iter().map(row).collect()
}

fn pair(unit: f64, p: &super::Percentiles) -> String {
    format!("{:.1} / {:.1}", unit * p.p50, unit * p.p99)
}

fn seams(figures: &Figures) -> Vec<Value> {
    let row = |s: &super::SeamFigures| {
        json!({
            "seam": s.name,
            "flat, cm": format!("{:.1}, {:.1}", 100.0 * s.flat[0], 100.0 * s.flat[1]),
            "worn, cm": rounded(100.0 * s.worn, 1),
            "pull across, N/m": rounded(s.pull, 2),
            "largest": rounded(s.largest_pull, 2),
        })
    };
    figures.seams.iter().map(row).collect()
}

fn rounded(value: f64, digits: usize) -> String {
    format!("{value:.digits$}")
}

fn plots(outcome: &Outcome) -> Vec<Plot> {
    let sewing = outcome.history.iter().filter_map(|e| match e {
        Event::Sewing { steps, open_mm } => Some([*steps as f64, *open_mm]),
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
