//! The garment document: mirror types of the file, version 1.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A garment file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GarmentDocument {
    /// Kind and version of the file.
    pub format: Format,
    /// Name of the garment; that of the file when left out.
    pub name: Option<String>,
    /// Anything worth knowing.
    pub notes: Option<String>,
    /// Pieces of fabric.
    pub panel: Vec<Panel>,
    /// What is sewn to what.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seam: Vec<Seam>,
    /// Panels sewn on others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pocket: Vec<Pocket>,
    /// Elastic, belts and stays along edges or lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tape: Vec<Tape>,
    /// Points fastened to points.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub button: Vec<Button>,
    /// Edges held on the body.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachment: Vec<Attachment>,
}

/// Kind and version of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Format {
    /// The first version.
    #[default]
    #[serde(rename = "toile-garment/1")]
    V1,
}

/// A flat piece of fabric.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Panel {
    /// Name, unique in the garment.
    pub name: String,
    /// What part of the body it belongs to: `body`, `arm`, `leg`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Fabric, if not that of the garment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fabric: Option<String>,
    /// Higher layers lie further out; 0 when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = -1000, "maximum" = 1000))]
    pub layer: Option<i32>,
    /// From the panel's y axis to the grain line, counter-clockwise; 0 when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = -360, "maximum" = 360, "x-unit" = "°"))]
    pub grain_deg: Option<f64>,
    /// Where it starts; flat at the origin when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Its outline, each edge from its point to that of the next one; counter-clockwise seen from the right side.
    #[schemars(extend("minItems" = 2))]
    pub edges: Vec<Edge>,
    /// Lines on it: folds and stitching lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<Line>,
    /// Wedges taken out of edges and sewn shut.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub darts: Vec<Dart>,
    /// Folds laid into edges.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pleats: Vec<Pleat>,
}

/// One edge of an outline: straight, or exactly one of `quadratic`, `cubic`, `arc`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Edge {
    /// Its start.
    #[schemars(extend("x-unit" = "cm"))]
    pub from_cm: [f64; 2],
    /// What it is for; seams may name it by this if no other edge of the panel has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Control point: share of the chord along it, share of its length to its left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quadratic: Option<[f64; 2]>,
    /// Two such control points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cubic: Option<[[f64; 2]; 2]>,
    /// Part of a circle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arc: Option<Arc>,
    /// Marks on it, as fractions of its length.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notches: Vec<f64>,
}

/// Part of a circle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arc {
    /// Its radius, at least half of the chord.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 100000, "x-unit" = "cm"))]
    pub radius_cm: f64,
    /// To which side of the chord it bulges.
    pub bulge: Bulge,
    /// The longer of the two arcs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub large: bool,
}

/// A side of a chord, looking along it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Bulge {
    /// To its left: into a panel whose outline runs counter-clockwise.
    Left,
    /// To its right: out of such a panel.
    Right,
}

/// A line on a panel: `points_cm` or `path`; a stitching line, unless it has `fold_deg`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Name, unique in the panel.
    pub name: String,
    /// Points joined by straight lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-unit" = "cm"))]
    pub points_cm: Vec<[f64; 2]>,
    /// Points with curves from each to the next; the last curve is not used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<Edge>,
    /// The fabric is folded by this angle, positive towards the right side.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = -180, "maximum" = 180, "x-unit" = "°"))]
    pub fold_deg: Option<f64>,
}

/// A wedge taken out of an edge and sewn shut.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dart {
    /// Which edge: its number from 0, or its label.
    pub edge: EdgeName,
    /// Middle of its mouth, as a fraction of the edge's length.
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub at: f64,
    /// Width of its mouth.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 100, "x-unit" = "cm"))]
    pub width_cm: f64,
    /// From the mouth to the tip.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 200, "x-unit" = "cm"))]
    pub depth_cm: f64,
}

/// A knife pleat, laid to the wrong side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pleat {
    /// Which edge: its number from 0, or its label.
    pub edge: EdgeName,
    /// Middle of what it takes, as a fraction of the edge's length.
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub at: f64,
    /// How far it goes under; it takes twice that of the edge.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 100, "x-unit" = "cm"))]
    pub depth_cm: f64,
    /// How far its folds are pressed into the panel.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 300, "x-unit" = "cm"))]
    pub length_cm: f64,
    /// Laid towards the start of the edge instead of its end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub towards_start: bool,
}

/// Which edge of a panel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum EdgeName {
    /// By number, from 0.
    Number(u32),
    /// By label.
    Label(String),
}

/// Where a panel starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Place {
    /// Flat in the world.
    Flat {
        /// Of the panel's origin.
        #[schemars(extend("x-unit" = "cm"))]
        position_cm: [f64; 3],
        /// Turns about the fixed axes x, then y, then z.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-unit" = "°"))]
        turn_deg: Option<[f64; 3]>,
    },
    /// Wrapped round a part of the body.
    Wrapped {
        /// Arrangement point: `torso-front`, `arm-left`.
        point: String,
        /// Panel point that comes to lie there.
        #[schemars(extend("x-unit" = "cm"))]
        anchor_cm: [f64; 2],
        /// Turn of the panel on the body.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(extend("minimum" = -360, "maximum" = 360, "x-unit" = "°"))]
        turn_deg: Option<f64>,
    },
}

/// Two sides that are sewn together, point by point at equal fractions of their lengths.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Seam {
    /// Name, unique among seams.
    pub name: Option<String>,
    /// Edges and lines of one side, one after the other.
    #[schemars(extend("minItems" = 1))]
    pub first: Vec<Span>,
    /// Those of the other side: its start is sewn to the start of the first.
    #[schemars(extend("minItems" = 1))]
    pub second: Vec<Span>,
    /// Length of the second side over the first, where one is eased or gathered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 100))]
    pub ratio: Option<f64>,
    /// Angle the seam is pressed to; flat when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = -180, "maximum" = 180, "x-unit" = "°"))]
    pub fold_deg: Option<f64>,
    /// Bending rigidity of the seam over that of the fabric.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 0, "maximum" = 1000000))]
    pub stiffness: Option<f64>,
}

/// An edge, a line, or a part of one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Span {
    /// Which panel.
    pub panel: String,
    /// Which edge of it: its number from 0, or its label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edge: Option<EdgeName>,
    /// Which line of it, instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// Where it starts, as a fraction of the length.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub from: Option<f64>,
    /// Where it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub to: Option<f64>,
    /// Runs from its end to its start.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reversed: bool,
}

/// A panel sewn on another one along its own outline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pocket {
    /// The panel that is sewn on.
    pub panel: String,
    /// The panel it is sewn to.
    pub on: String,
    /// Where its origin comes to lie there.
    #[schemars(extend("x-unit" = "cm"))]
    pub at_cm: [f64; 2],
    /// How it is turned there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = -360, "maximum" = 360, "x-unit" = "°"))]
    pub turn_deg: Option<f64>,
    /// Edges of it that are left open.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<EdgeName>,
}

/// A tape along edges or lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tape {
    /// Name, unique among tapes.
    pub name: String,
    /// Where it is sewn on.
    #[schemars(extend("minItems" = 1))]
    pub spans: Vec<Span>,
    /// Its rest length over that of the spans: below 1 for elastic.
    #[schemars(extend("minimum" = 0.01, "maximum" = 10))]
    pub ratio: f64,
    /// Force per strain.
    #[schemars(extend("minimum" = 0, "maximum" = 1000000000, "x-unit" = "N"))]
    pub stiffness_n: f64,
}

/// Two points fastened to each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Button {
    /// Name, unique among buttons.
    pub name: String,
    /// The button.
    pub from: Spot,
    /// Its hole.
    pub to: Spot,
}

/// A point of a panel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spot {
    /// Which panel.
    pub panel: String,
    /// Where on it.
    #[schemars(extend("x-unit" = "cm"))]
    pub at_cm: [f64; 2],
}

/// Edges held on the body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attachment {
    /// Name, unique among attachments.
    pub name: String,
    /// Where: `waist`, `collar`.
    pub to: String,
    /// Which edges.
    #[schemars(extend("minItems" = 1))]
    pub spans: Vec<Span>,
}
