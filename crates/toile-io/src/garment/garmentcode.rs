//! GarmentCode specifications (JSON): panels with relative curves, stitches between whole edges.
//!
//! Facts of the format, each checked on files of it:
//!
//! | in the file | meaning |
//! |---|---|
//! | `units_in_meter` | 100: lengths in cm |
//! | `rotation` | degrees about the fixed axes x, then y, then z: R = Rz Ry Rx |
//! | `endpoints` | vertex numbers; edges stand in loop order |
//! | `quadratic`, `cubic` | control points along the chord and to its **left**, as shares of its length; a bare pair is quadratic |
//! | `circle` | radius, larger arc (0/1), bulges to the **right** of the chord (0/1) |
//! | stitch | the first edge from start to end with the second from **end to start**; `right_wrong`: start with start |
//! | `lower_interface`, `left_collar`, `right_collar`, `strapless_top` | edges that the simulator of GarmentCode holds on the body: at waist level, outside of the neck, at underarm level |
//!
//! The document stays beside the garment. Writing goes through it value by value: what still means the same keeps its digits, and
//! keys that Toile does not know stay where they are.

mod read;
mod write;

pub use read::read;
pub use write::{Written, write};

use crate::json::{Json, Node};
use glam::{DVec2, DVec3};
use toile_garment::pattern::{Attachment, Curve, Of, Panel, Span};

/// A specification as it was read.
#[derive(Clone, Debug)]
pub struct Document {
    root: Json,
}

/// Labels of edges that are held on the body, and where.
const HELD: [(&str, &str); 4] = [
    ("lower_interface", "waist"),
    ("left_collar", "collar"),
    ("right_collar", "collar"),
    ("strapless_top", "underarm"),
];

/// How numbers of a file are meant.
#[derive(Clone, Copy, Debug)]
struct Meaning {
    /// Units in a metre.
    units: f64,
    /// Control points are points of the panel instead of shares of the chord.
    absolute: bool,
}

impl Meaning {
    /// A point or vector (m).
    fn lengths<const N: usize>(&self, json: &Json) -> Option<[f64; N]> {
        numbers(json).map(|v| v.map(|x| x / self.units))
    }

    /// A control point relative to the chord from `a` to `b` (m).
    fn control(&self, point: [f64; 2], a: DVec2, b: DVec2) -> DVec2 {
        let point = DVec2::from(point);
        if !self.absolute {
            return point;
        }
        let (chord, from) = (b - a, point / self.units - a);
        DVec2::new(from.dot(chord), chord.perp_dot(from)) / chord.length_squared()
    }

    /// The curve an edge has in the file, from `a` to `b` (m).
    fn curve(&self, curvature: Option<&Json>, a: DVec2, b: DVec2) -> Result<Curve, CurveFault> {
        let Some(json) = curvature else { return Ok(Curve::Line) };
        if let Some(pair) = numbers(json) {
            return Ok(Curve::Quadratic(self.control(pair, a, b)));
        }
        let (Some(kind), Some(params)) = (json.get("type").and_then(Json::as_str), json.get("params")) else {
            return Err(CurveFault::Form);
        };
        let points: Vec<DVec2> = params.items().iter().filter_map(numbers).map(|p| self.control(p, a, b)).collect();
        match (kind, params.items().len(), &points[..]) {
            ("quadratic", 1, &[c]) => Ok(Curve::Quadratic(c)),
            ("cubic", 2, &[c, d]) => Ok(Curve::Cubic(c, d)),
            ("circle", ..) => self.arc(params),
            ("quadratic", ..) => Err(CurveFault::Params("one point, as [[0.5, 0.2]]")),
            ("cubic", ..) => Err(CurveFault::Params("two points, as [[0.3, 0.1], [0.7, 0.1]]")),
            _ => Err(CurveFault::Type),
        }
    }

    fn arc(&self, params: &Json) -> Result<Curve, CurveFault> {
        let [radius, large, right] = numbers(params).ok_or(CurveFault::Params(ARC))?;
        if !(large == 0.0 || large == 1.0) || !(right == 0.0 || right == 1.0) {
            return Err(CurveFault::Params(ARC));
        }
        Ok(Curve::Arc { radius: radius / self.units, large: large == 1.0, right: right == 1.0 })
    }
}

const ARC: &str = "a radius and two flags of 0 or 1, as [12.5, 0, 1]";

/// Why a curvature cannot be read.
enum CurveFault {
    /// Neither a pair nor an object with `type` and `params`.
    Form,
    /// A type that is not known.
    Type,
    /// Parameters that do not fit the type: what it needs.
    Params(&'static str),
}

/// What an edge says of its shape.
fn curvature(edge: &Json) -> Option<&Json> {
    edge.get("curvature").filter(|c| !matches!(c.node, Node::Null))
}

/// As many numbers as are asked for, all finite.
fn numbers<const N: usize>(json: &Json) -> Option<[f64; N]> {
    let values: Option<Vec<f64>> = json.items().iter().map(Json::as_f64).collect();
    values?.try_into().ok()
}

/// What labels of edges say about holding.
fn attachments(panels: &[Panel]) -> Vec<Attachment> {
    let spans = |label: &str| -> Vec<Span> {
        let edges = panels.iter().enumerate().flat_map(|(p, panel)| (0..panel.outline.len()).map(move |e| (p, e)));
        let labelled = edges.filter(|&(p, e)| panels[p].outline[e].label.as_deref() == Some(label));
        labelled.map(|(p, e)| Span::edge(p, e)).collect()
    };
    let all = HELD.iter().map(|&(label, to)| Attachment { name: label.into(), to: to.into(), spans: spans(label) });
    all.filter(|a| !a.spans.is_empty()).collect()
}

/// The panel and edge of a span that is a whole edge, and whether it runs backwards.
fn whole_edge(span: &Span) -> Option<(usize, usize, bool)> {
    let Of::Edge(edge) = span.of else { return None };
    let backwards = match [span.from, span.to] {
        [0.0, 1.0] => false,
        [1.0, 0.0] => true,
        _ => return None,
    };
    Some((span.panel, edge, backwards))
}

/// A point in space (m) of a translation in the file.
fn vector(values: [f64; 3]) -> DVec3 {
    DVec3::from(values)
}
