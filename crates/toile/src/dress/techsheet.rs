//! `techsheet.html`: what a garment measures when it is finished, what it takes of fabric, its panels and seams. One page to print.

use super::flat;
use super::report::girths;
use super::{Figures, Inputs};
use crate::results::Page;
use std::ffi::OsStr;
use std::path::Path;
use toile_garment::fit::Opening;
use toile_garment::pattern::{Garment, Panel, Seam, Span};
use toile_io::garment::sheet::{self, Laid, Sheet, SheetError};

/// The sheet of a garment, with a picture (PNG) and its cutting sheet (SVG).
pub(super) fn techsheet(
    inputs: &Inputs,
    figures: &Figures,
    preview: &[u8],
    pattern: &str,
) -> Result<String, SheetError> {
    let garment = &inputs.garment;
    let sheet = flat::sheet(garment, Sheet::default())?;
    let (laid, _) = sheet::layout(garment, &sheet)?;
    let mut page = Page::new(&format!("{}: tech sheet", garment.name));
    let fabrics: Vec<&str> = inputs.pieces.iter().map(|p| last(&p.fabric_name)).collect();
    page.say(&format!("Fabric {} on body {}.", fabrics.join(", "), last(&inputs.body_name)));
    page.picture(preview, "front, left and back");
    finished(&mut page, figures);
    girths(&mut page, figures);
    body(&mut page, figures);
    for piece in &inputs.pieces {
        let (own, fabric_name) = (&piece.garment, last(&piece.fabric_name));
        let title =
            if inputs.pieces.len() > 1 { format!("Fabric of {}: {fabric_name}", own.name) } else { "Fabric".into() };
        let sheet = flat::sheet(own, Sheet::default())?;
        let (_, length) = sheet::layout(own, &sheet)?;
        page.grid(&title, &["", ""], &fabric(own, &sheet, length, piece.fabric.density));
    }
    panels(&mut page, garment, &laid);
    seams(&mut page, garment);
    page.heading("Cutting sheet");
    page.drawing(pattern, "cutting sheet");
    Ok(page.finish(&format!("toile {}, digest {}", env!("CARGO_PKG_VERSION"), figures.digest)))
}

/// A name, or of a path the file.
fn last(word: &str) -> &str {
    Path::new(word).file_name().and_then(OsStr::to_str).unwrap_or(word)
}

fn cm(metres: f64) -> String {
    format!("{:.1}", 100.0 * metres)
}

/// Where the garment ends, as it was cut and as it is worn.
fn finished(page: &mut Page, figures: &Figures) {
    let row = |o: &Opening| vec![o.name.replace('_', " "), cm(o.flat), cm(o.worn)];
    let rows: Vec<Vec<String>> = figures.openings.iter().map(row).collect();
    page.grid("Finished edges", &["edge", "flat, cm", "worn, cm"], &rows);
}

/// What the body measures.
fn body(page: &mut Page, figures: &Figures) {
    let Some(body) = &figures.body else { return };
    let mut rows = vec![vec!["height".into(), cm(body.height), String::new()]];
    rows.extend(body.girths.iter().map(|g| vec![g.name.replace('_', " "), cm(g.length), cm(g.level)]));
    let arms = body.arms[0].length();
    rows.push(vec!["arm, shoulder to wrist".into(), cm(arms), String::new()]);
    rows.push(vec!["crotch above the floor".into(), cm(body.crotch_level), String::new()]);
    page.grid("Body", &["measure", "cm", "taken at a height of, cm"], &rows);
}

/// What is laid out and what is used of it.
fn fabric(garment: &Garment, sheet: &Sheet, length: f64, density: f64) -> Vec<Vec<String>> {
    let (net, lay) = (garment.area(), length * sheet.fabric_width);
    let pair = |name: &str, value: String| vec![name.to_owned(), value];
    vec![
        pair("area of the panels", format!("{net:.3} m²")),
        pair("width of the fabric", format!("{:.0} cm", 100.0 * sheet.fabric_width)),
        pair("length of the lay", format!("{length:.2} m")),
        pair("efficiency", format!("{:.0} %, without allowances", 100.0 * net / lay)),
        pair("allowances", format!("seam {:.0} mm, hem {:.0} mm", 1e3 * sheet.allowance, 1e3 * sheet.hem_allowance)),
        pair("density", format!("{:.0} g/m²", 1e3 * density)),
        pair("mass of the panels", format!("{:.0} g", 1e3 * density * net)),
        pair("mass of the lay", format!("{:.0} g", 1e3 * density * lay)),
    ]
}

fn panels(page: &mut Page, garment: &Garment, laid: &[Laid]) {
    let head =
        ["panel", "pieces", "area, cm²", "box with allowance, cm", "grain from upright, °", "edges", "lines", "fabric"];
    let row = |(number, panel): (usize, &Panel)| {
        let size = laid.iter().find(|l| l.panel == number).map_or([0.0; 2], |l| l.size);
        vec![
            panel.name.clone(),
            "1".into(),
            format!("{:.0}", 1e4 * panel.signed_area().abs()),
            format!("{} × {}", cm(size[0]), cm(size[1])),
            format!("{:.0}", panel.grain.to_degrees()),
            panel.outline.len().to_string(),
            panel.lines.len().to_string(),
            panel.fabric.clone().unwrap_or_else(|| "main".into()),
        ]
    };
    let mut rows: Vec<Vec<String>> = garment.panels.iter().enumerate().map(row).collect();
    let total = format!("{:.0}", 1e4 * garment.area());
    rows.push(["sum", &garment.panels.len().to_string(), &total, "", "", "", "", ""].map(str::to_owned).to_vec());
    page.grid("Panels", &head, &rows);
}

fn seams(page: &mut Page, garment: &Garment) {
    let head = ["seam", "joins", "lengths, cm", "ease, cm", "ease, %", "pressed to, °"];
    let row = |seam: &Seam| {
        let [a, b] = seam.sides.each_ref().map(|side| side.iter().map(|s| garment.length(s)).sum::<f64>());
        let [left, right] = seam.sides.each_ref().map(|side| joined(garment, side));
        vec![
            seam.name.clone(),
            format!("{left} – {right}"),
            format!("{}, {}", cm(a), cm(b)),
            cm((a - b).abs()),
            format!("{:.1}", 100.0 * (a - b).abs() / a.min(b).max(f64::MIN_POSITIVE)),
            format!("{:.0}", seam.fold.to_degrees()),
        ]
    };
    page.grid("Seams", &head, &garment.seams.iter().map(row).collect::<Vec<_>>());
}

/// Names of the panels of a side, each once.
fn joined(garment: &Garment, side: &[Span]) -> String {
    let mut names: Vec<&str> = side.iter().map(|span| garment.panels[span.panel].name.as_str()).collect();
    names.dedup();
    names.join(" + ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_garment::draft::{self, Measurements};

    /// A lay of 2 m of fabric 1.5 m wide and 200 g/m² weighs 600 g; a third of it is panels.
    #[test]
    fn fabric_use_is_area_over_lay() {
        let garment = draft::draft("t-shirt", &Measurements::of_size("F38").unwrap(), None).unwrap();
        let sheet = Sheet::default();
        let length = 3.0 * garment.area() / sheet.fabric_width;
        let rows = fabric(&garment, &sheet, length, 0.2);
        let value = |name: &str| rows.iter().find(|r| r[0] == name).map(|r| r[1].clone()).unwrap();
        assert_eq!(value("efficiency"), "33 %, without allowances");
        assert_eq!(value("mass of the lay"), format!("{:.0} g", 600.0 * garment.area()));
        assert_eq!(value("mass of the panels"), format!("{:.0} g", 200.0 * garment.area()));
    }
}
