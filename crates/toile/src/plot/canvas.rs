//! What a picture consists of, and its SVG form. Coordinates are pixels, y down.

use std::fmt::Write;

/// A colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Colour(pub(crate) [u8; 3]);

impl Colour {
    pub(crate) const BLACK: Self = Self([0x22, 0x22, 0x22]);
    pub(crate) const GREY: Self = Self([0x77, 0x77, 0x77]);
    pub(crate) const PALE: Self = Self([0xe4, 0xe4, 0xe4]);
    pub(crate) const WHITE: Self = Self([0xff; 3]);

    fn hex(self) -> String {
        let [r, g, b] = self.0;
        format!("#{r:02x}{g:02x}{b:02x}")
    }
}

/// Where a text is anchored horizontally; vertically it is centred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

pub(crate) enum Item {
    /// A line through points.
    Line { points: Vec<[f64; 2]>, colour: Colour, width: f64, dash: Option<f64> },
    /// Filled polygons of one colour.
    Fill { polygons: Vec<Vec<[f64; 2]>>, colour: Colour, opacity: f64 },
    /// Text; turned to read upwards if `upright` is false.
    Text { at: [f64; 2], text: String, size: f64, anchor: Anchor, colour: Colour, upright: bool },
}

/// A picture as a list of items, drawn in order.
pub(crate) struct Canvas {
    pub(crate) size: [f64; 2],
    /// Data is drawn inside this box only: left, top, right, bottom.
    pub(crate) clip: [f64; 4],
    /// Items and whether they are clipped.
    pub(crate) items: Vec<(Item, bool)>,
}

impl Canvas {
    pub(crate) fn new(size: [f64; 2]) -> Self {
        Self { size, clip: [0.0, 0.0, size[0], size[1]], items: Vec::new() }
    }

    pub(crate) fn line(&mut self, points: Vec<[f64; 2]>, colour: Colour, width: f64) {
        self.items.push((Item::Line { points, colour, width, dash: None }, false));
    }

    pub(crate) fn text(&mut self, at: [f64; 2], text: impl Into<String>, size: f64, anchor: Anchor) {
        let item = Item::Text { at, text: text.into(), size, anchor, colour: Colour::BLACK, upright: true };
        self.items.push((item, false));
    }

    pub(crate) fn clipped(&mut self, item: Item) {
        self.items.push((item, true));
    }

    /// SVG text. Numbers have two decimals: a hundredth of a pixel, and the same bytes everywhere.
    pub(crate) fn svg(&self) -> String {
        let [w, h] = self.size;
        let [left, top, right, bottom] = self.clip;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" \
             font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n<rect width=\"{w}\" height=\"{h}\" fill=\"#ffffff\"/>\n"
        );
        // A nested viewport clips without an id, so several pictures can stand in one page.
        let view = format!(
            "<svg x=\"{left:.2}\" y=\"{top:.2}\" width=\"{:.2}\" height=\"{:.2}\" viewBox=\"{left:.2} {top:.2} {:.2} {:.2}\">\n",
            right - left,
            bottom - top,
            right - left,
            bottom - top
        );
        let mut inside = false;
        for (item, clipped) in &self.items {
            if *clipped != inside {
                out.push_str(if inside { "</svg>\n" } else { &view });
                inside = *clipped;
            }
            item.svg(&mut out);
        }
        out.push_str(if inside { "</svg>\n</svg>\n" } else { "</svg>\n" });
        out
    }
}

impl Item {
    fn svg(&self, out: &mut String) {
        // Writing to a string cannot fail.
        let _ = match self {
            Self::Line { points, colour, width, dash } => {
                let dash = dash.map(|d| format!(" stroke-dasharray=\"{d} {:.1}\"", 0.7 * d)).unwrap_or_default();
                let path = path(points);
                let colour = colour.hex();
                writeln!(
                    out,
                    "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" \
                     stroke-linejoin=\"round\" stroke-linecap=\"round\"{dash}/>"
                )
            }
            Self::Fill { polygons, colour, opacity } => {
                let path: String = polygons.iter().map(|p| path(p) + "Z").collect();
                let colour = colour.hex();
                if *opacity < 1.0 {
                    writeln!(
                        out,
                        "<path d=\"{path}\" fill=\"{colour}\" fill-opacity=\"{opacity}\" fill-rule=\"evenodd\"/>"
                    )
                } else {
                    // The thin outline closes the hairlines that browsers leave between neighbours.
                    writeln!(out, "<path d=\"{path}\" fill=\"{colour}\" stroke=\"{colour}\" stroke-width=\"0.4\"/>")
                }
            }
            Self::Text { at: [x, y], text, size, anchor, colour, upright } => {
                let anchor = match anchor {
                    Anchor::Start => "start",
                    Anchor::Middle => "middle",
                    Anchor::End => "end",
                };
                let turn = if *upright { String::new() } else { format!(" transform=\"rotate(-90 {x:.2} {y:.2})\"") };
                let (colour, text) = (colour.hex(), escaped(text));
                writeln!(
                    out,
                    "<text x=\"{x:.2}\" y=\"{y:.2}\" dy=\"0.35em\" font-size=\"{size}\" text-anchor=\"{anchor}\" \
                     fill=\"{colour}\"{turn}>{text}</text>"
                )
            }
        };
    }
}

fn path(points: &[[f64; 2]]) -> String {
    let mut path = String::with_capacity(14 * points.len());
    for (i, [x, y]) in points.iter().enumerate() {
        let _ = write!(path, "{}{x:.2} {y:.2}", if i == 0 { 'M' } else { 'L' });
    }
    path
}

/// Text as it may stand in XML and HTML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
