//! The fabric document: mirror types of the file, version 1.

use super::law::{BendingLaw, BendingMemory, BendingViscosity, MembraneLaw, MembraneMemory, MembraneViscosity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A fabric file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FabricDocument {
    /// Kind and version of the file.
    pub format: Format,
    /// Name of the fabric.
    pub name: String,
    /// One line for menus.
    #[serde(default)]
    pub summary: String,
    /// Fibres and their shares.
    pub composition: Option<String>,
    /// Weave or knit.
    pub construction: Option<String>,
    /// Anything else worth knowing.
    pub notes: Option<String>,
    /// Mass and thickness.
    pub sheet: Sheet,
    /// In the plane of the sheet.
    pub membrane: Membrane,
    /// Out of it.
    pub bending: Bending,
    /// Resistance of the air; that of a smooth plate when left out.
    pub drag: Option<Drag>,
    /// Friction against itself.
    pub friction: Option<Friction>,
}

/// Kind and version of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Format {
    /// The first version.
    #[serde(rename = "toile-fabric/1")]
    V1,
}

/// How numbers were obtained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Quality {
    /// Measured on this fabric.
    Measured,
    /// Computed from measured numbers.
    Derived,
    /// Judged from fabrics of the same kind.
    Estimate,
}

/// Mass and thickness.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sheet {
    /// Mass per area.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "g/m²", "x-usual" = [8, 2000]))]
    pub density_g_per_m2: f64,
    /// Thickness under light pressure.
    #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "mm", "x-usual" = [0.03, 20]))]
    pub thickness_mm: f64,
    /// Where the numbers come from.
    pub source: String,
    /// How they were obtained.
    pub quality: Quality,
}

/// Behaviour in the plane of the sheet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Membrane {
    /// Stress of strain.
    pub elastic: MembraneLaw,
    /// Stress of strain rate.
    pub viscosity: Option<MembraneViscosity>,
    /// Friction loops and relaxation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hysteresis: Vec<MembraneMemory>,
}

/// Behaviour out of the plane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bending {
    /// Moment of curvature.
    pub elastic: BendingLaw,
    /// Moment of the rate of curvature.
    pub viscosity: Option<BendingViscosity>,
    /// Friction loops and relaxation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hysteresis: Vec<BendingMemory>,
}

/// Resistance of the air by direction of the relative wind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Drag {
    /// Wind across the sheet.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub normal_coefficient: f64,
    /// Wind along the weft.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub weft_coefficient: f64,
    /// Wind along the warp.
    #[schemars(range(min = 0.0, max = 10.0))]
    pub warp_coefficient: f64,
    /// Where the numbers come from.
    pub source: String,
    /// How they were obtained.
    pub quality: Quality,
}

/// Friction of the fabric against itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Friction {
    /// Coefficient before it slips.
    #[schemars(extend("minimum" = 0, "maximum" = 5, "x-usual" = [0.05, 1.5]))]
    pub static_coefficient: f64,
    /// Coefficient while it slips; not above the static one.
    #[schemars(extend("minimum" = 0, "maximum" = 5, "x-usual" = [0.05, 1.5]))]
    pub kinetic_coefficient: f64,
    /// Where the numbers come from.
    pub source: String,
    /// How they were obtained.
    pub quality: Quality,
}

impl FabricDocument {
    /// The text of the file.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("the mirror types hold only what TOML can say")
    }
}
