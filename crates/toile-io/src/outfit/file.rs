//! The outfit document: mirror types of the file, version 1.

use crate::scene::{Unit, Up};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An outfit file: garments on a body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutfitDocument {
    /// Kind and version of the file.
    pub format: Format,
    /// Name of the outfit; that of its folder or file when left out.
    pub name: Option<String>,
    /// Anything worth knowing.
    pub notes: Option<String>,
    /// Edge length of the triangles; 10 when left out.
    #[schemars(extend("minimum" = 2, "maximum" = 60, "x-unit" = "mm"))]
    pub edge_mm: Option<f64>,
    /// Friction of cloth on skin and on cloth; 0.3 when left out.
    #[schemars(extend("minimum" = 0, "maximum" = 2))]
    pub friction: Option<f64>,
    /// Who wears it; size F38 when left out.
    pub body: Option<Body>,
    /// What is worn, the innermost first unless layers say otherwise.
    pub garment: Vec<Garment>,
}

/// Kind and version of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Format {
    /// The first version.
    #[default]
    #[serde(rename = "toile-outfit/1")]
    V1,
}

/// Who wears it: one of size, file and measurements.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Size of the mannequin: F34 to F52, M44 to M60.
    pub size: Option<String>,
    /// OBJ, PLY, GLB or glTF file, from this file.
    pub file: Option<String>,
    /// Unit of the file.
    pub unit: Option<Unit>,
    /// Axis that points up in the file.
    pub up: Option<Up>,
    /// Time of the first animation in the file to take the pose at; the pose at rest when left out.
    #[schemars(extend("minimum" = 0, "x-unit" = "s"))]
    pub time_s: Option<f64>,
    /// Form of a body from a file, 0 female to 1 male, for what drafts cannot measure on it; 0.5 when left out.
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub form: Option<f64>,
    /// Measurements of a mannequin.
    pub measurements: Option<Measurements>,
}

/// Measurements of a mannequin; what is left out follows from the rest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Measurements {
    /// Form, 0 female to 1 male.
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub form: f64,
    /// Height without shoes.
    #[schemars(extend("minimum" = 120, "maximum" = 230, "x-unit" = "cm"))]
    pub height_cm: f64,
    /// Girth of the bust or chest at its fullest.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "cm"))]
    pub bust_cm: f64,
    /// Girth of the waist.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "cm"))]
    pub waist_cm: f64,
    /// Girth of the hip at its fullest.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "cm"))]
    pub hip_cm: f64,
    /// Girth under the bust.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "cm"))]
    pub underbust_cm: Option<f64>,
    /// Girth of the neck at its middle.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "cm"))]
    pub neck_cm: Option<f64>,
    /// Girth of the upper arm.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "cm"))]
    pub upper_arm_cm: Option<f64>,
    /// Girth of the elbow.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "cm"))]
    pub elbow_cm: Option<f64>,
    /// Girth of the wrist.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "cm"))]
    pub wrist_cm: Option<f64>,
    /// Girth of the thigh, a hand's breadth below the crotch.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "cm"))]
    pub thigh_cm: Option<f64>,
    /// Girth of the knee.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "cm"))]
    pub knee_cm: Option<f64>,
    /// Girth of the calf.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "cm"))]
    pub calf_cm: Option<f64>,
    /// Girth above the ankle.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "cm"))]
    pub ankle_cm: Option<f64>,
    /// Straight distance between the tips of the shoulders.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "cm"))]
    pub shoulder_width_cm: Option<f64>,
    /// From the outer end of the shoulder to the wrist.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "cm"))]
    pub arm_length_cm: Option<f64>,
    /// Height of the nape.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "cm"))]
    pub nape_height_cm: Option<f64>,
    /// From nape down to waist.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "cm"))]
    pub back_length_cm: Option<f64>,
    /// From nape down to bust.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "cm"))]
    pub nape_to_bust_cm: Option<f64>,
    /// From waist down to hip.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "cm"))]
    pub waist_to_hip_cm: Option<f64>,
    /// Height of the crotch: the inseam.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "cm"))]
    pub crotch_height_cm: Option<f64>,
    /// Height of the knee.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "cm"))]
    pub knee_height_cm: Option<f64>,
}

/// One garment: drawn to the body's measurements, or read from a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Garment {
    /// Name; that of the draft or file when left out.
    pub name: Option<String>,
    /// Draft by name, see `toile list drafts`.
    pub draft: Option<String>,
    /// Garment file (`.toml`, or `.json` of GarmentCode), from this file.
    pub file: Option<String>,
    /// What a draft is wider than the body; usual for the draft where left out.
    pub ease: Option<Ease>,
    /// Fabric of the library, or the path of a fabric file from this file; `cotton-jersey` when left out.
    pub fabric: Option<String>,
    /// Higher layers lie further out; 0 when left out, and equal ones in the order of the file.
    #[schemars(extend("minimum" = -1000, "maximum" = 1000))]
    pub layer: Option<i32>,
    /// Colour in pictures as `#rrggbb`.
    pub colour: Option<String>,
}

/// What a garment is wider than the body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ease {
    /// At the bust line.
    #[schemars(extend("minimum" = -20, "maximum" = 60, "x-unit" = "cm"))]
    pub bust_cm: Option<f64>,
    /// At the waist.
    #[schemars(extend("minimum" = -20, "maximum" = 60, "x-unit" = "cm"))]
    pub waist_cm: Option<f64>,
    /// At the hip line.
    #[schemars(extend("minimum" = -20, "maximum" = 60, "x-unit" = "cm"))]
    pub hip_cm: Option<f64>,
    /// At the upper arm.
    #[schemars(extend("minimum" = -20, "maximum" = 60, "x-unit" = "cm"))]
    pub arm_cm: Option<f64>,
}
