//! Cutting sheets: all panels of a garment on a width of fabric, as SVG in millimetres at full size.
//!
//! Panels are seen from the right side of the fabric with the grain along its length, laid out in shelves. Each has its sewing line
//! (dashed), its cutting line outside of it by the seam allowance, with mitred corners, grain, notches, lines, and the
//! names of its edges. Darts are cut across: their wedge is folded away, not cut out.

mod offset;
mod shape;

use offset::cutting_line;
use shape::Shape;
use std::fmt::Write;
use toile_garment::pattern::Garment;

/// How a sheet is laid out (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sheet {
    /// Usable width of the fabric.
    pub fabric_width: f64,
    /// Seam allowance.
    pub allowance: f64,
    /// Allowance of edges whose label starts with `hem`.
    pub hem_allowance: f64,
    /// Space between panels.
    pub gap: f64,
}

impl Default for Sheet {
    fn default() -> Self {
        Self { fabric_width: 1.5, allowance: 0.01, hem_allowance: 0.025, gap: 0.02 }
    }
}

/// Why there is no sheet.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SheetError {
    /// A panel wider than the fabric.
    #[error(
        "panel `{panel}` is {:.1} cm wide with its allowance, the fabric {:.1} cm: use a wider one or split the panel",
        100.0 * width, 100.0 * fabric
    )]
    TooWide {
        /// Panel.
        panel: String,
        /// Its width (m).
        width: f64,
        /// Of the fabric (m).
        fabric: f64,
    },
    /// A garment that cannot be cut.
    #[error("the garment cannot be cut: {0}")]
    Unsound(toile_garment::pattern::PatternError),
    /// A length that is none.
    #[error("{what} is {value} m, must lie between {low} and {high}")]
    Range {
        /// Which.
        what: &'static str,
        /// Its value (m).
        value: f64,
        /// Smallest allowed (m).
        low: f64,
        /// Largest allowed (m).
        high: f64,
    },
}

/// Place of a panel on the sheet (m): the corner of its box, x to the right, y down.
#[derive(Clone, Debug, PartialEq)]
pub struct Laid {
    /// Number of the panel.
    pub panel: usize,
    /// Left and upper end of its box.
    pub corner: [f64; 2],
    /// Width and height of its box.
    pub size: [f64; 2],
}

/// Millimetres at the top for title and scale.
const HEAD: f64 = 130.0;

/// Where all panels lie, and the length of fabric they take (m).
pub fn layout(garment: &Garment, sheet: &Sheet) -> Result<(Vec<Laid>, f64), SheetError> {
    let shapes = shapes(garment, sheet)?;
    Ok(shelves(&shapes, sheet))
}

/// The sheet as text of an SVG file.
pub fn svg(garment: &Garment, sheet: &Sheet) -> Result<String, SheetError> {
    let shapes = shapes(garment, sheet)?;
    let (laid, length) = shelves(&shapes, sheet);
    let (width, height) = (1000.0 * sheet.fabric_width, 1000.0 * length + HEAD);
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.1}mm\" height=\"{height:.1}mm\" viewBox=\"0 0 {width:.1} {height:.1}\">\n\
         <style>\n\
         path {{ fill: none; stroke: #000; stroke-width: 0.6 }}\n\
         .cut {{ fill: #f6f4ef }} .sew {{ stroke-dasharray: 5 3; stroke-width: 0.4 }} .fold {{ stroke-dasharray: 9 2 2 2; stroke-width: 0.4 }}\n\
         .line {{ stroke-dasharray: 1.5 1.5; stroke-width: 0.4 }} .grain {{ stroke: #b03020; stroke-width: 0.5 }} .notch {{ stroke-width: 0.9 }}\n\
         text {{ font-family: sans-serif; text-anchor: middle }} .name {{ font-size: 11px; font-weight: bold }} .note {{ font-size: 6px }}\n\
         .edge {{ font-size: 4.5px; fill: #444 }} .head {{ text-anchor: start }}\n\
         </style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
    );
    head(&mut out, garment, sheet, length, laid.len());
    for laid in &laid {
        let shape = &shapes[laid.panel];
        let shift = [1000.0 * laid.corner[0], 1000.0 * laid.corner[1] + HEAD];
        shape.draw(&mut out, &garment.panels[laid.panel], shift);
    }
    out.push_str("</svg>\n");
    Ok(out)
}

fn shapes(garment: &Garment, sheet: &Sheet) -> Result<Vec<Shape>, SheetError> {
    for (what, value, [low, high]) in [
        ("the width of the fabric", sheet.fabric_width, [0.1, 20.0]),
        ("the seam allowance", sheet.allowance, [0.0, 0.1]),
        ("the hem allowance", sheet.hem_allowance, [0.0, 0.2]),
        ("the gap", sheet.gap, [0.0, 1.0]),
    ] {
        if !(low..=high).contains(&value) {
            return Err(SheetError::Range { what, value, low, high });
        }
    }
    if let Some(problem) = garment.problems().into_iter().next() {
        return Err(SheetError::Unsound(problem));
    }
    (0..garment.panels.len())
        .map(|p| {
            let shape = Shape::new(garment, p, sheet);
            let width = shape.size.x + 2.0 * sheet.gap;
            let fabric = sheet.fabric_width;
            let panel = &garment.panels[p].name;
            if width > fabric { Err(SheetError::TooWide { panel: panel.clone(), width, fabric }) } else { Ok(shape) }
        })
        .collect()
}

/// Highest panels first, each on the first shelf that has room for its width.
fn shelves(shapes: &[Shape], sheet: &Sheet) -> (Vec<Laid>, f64) {
    let mut order: Vec<usize> = (0..shapes.len()).collect();
    order.sort_by(|&a, &b| shapes[b].size.y.total_cmp(&shapes[a].size.y).then(a.cmp(&b)));
    let mut laid = Vec::new();
    let mut bottom = sheet.gap;
    // Upper end and used width of each shelf.
    let mut shelves: Vec<[f64; 2]> = Vec::new();
    for panel in order {
        let size = shapes[panel].size;
        let room = |shelf: &[f64; 2]| shelf[1] + size.x + sheet.gap <= sheet.fabric_width;
        let shelf = shelves.iter().position(room).unwrap_or_else(|| {
            shelves.push([bottom, sheet.gap]);
            bottom += size.y + sheet.gap;
            shelves.len() - 1
        });
        let [top, x] = shelves[shelf];
        laid.push(Laid { panel, corner: [x, top], size: size.to_array() });
        shelves[shelf][1] += size.x + sheet.gap;
    }
    (laid, bottom)
}

fn head(out: &mut String, garment: &Garment, sheet: &Sheet, length: f64, count: usize) {
    let used = 100.0 * garment.area() / (length * sheet.fabric_width);
    let _ = writeln!(
        out,
        "<path d=\"M 10 15 h 100 v 100 h -100 Z\"/>\n<text class=\"note\" x=\"60\" y=\"68\">10 cm × 10 cm</text>\n\
         <text class=\"name head\" x=\"125\" y=\"30\">{}</text>\n\
         <text class=\"note head\" x=\"125\" y=\"45\">{count} panels on {:.2} m of fabric {:.0} cm wide, {used:.0} % of it used</text>\n\
         <text class=\"note head\" x=\"125\" y=\"56\">seam allowance {:.0} mm, hem {:.0} mm; solid line: cut, dashed line: sew</text>\n\
         <text class=\"note head\" x=\"125\" y=\"67\">right side up, grain along the red arrow; print at 100 % and check the square</text>",
        escaped(&garment.name),
        length,
        100.0 * sheet.fabric_width,
        1000.0 * sheet.allowance,
        1000.0 * sheet.hem_allowance,
    );
}

/// Text that stands for itself in XML.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
