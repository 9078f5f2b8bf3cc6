//! Obstacles and contact in the scene document.

use super::{Key, Unit, Up};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that stands or moves in the way of cloth: exactly one of `mesh`, `sphere`, `capsule`, `box`, `plane`, `floor`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Obstacle {
    /// Name, for friction, messages and files.
    pub name: String,
    /// A mesh: OBJ, PLY or GLB file, from this file.
    pub mesh: Option<String>,
    /// Unit of the positions in the files of mesh and frames.
    pub unit: Option<Unit>,
    /// Axis that points up in these files.
    pub up: Option<Up>,
    /// A ball, exactly round.
    pub sphere: Option<Sphere>,
    /// A capsule, exactly round.
    pub capsule: Option<Capsule>,
    /// A box.
    #[serde(rename = "box")]
    pub cuboid: Option<Cuboid>,
    /// Everything below a plane.
    pub plane: Option<Plane>,
    /// Everything below a height.
    pub floor: Option<Floor>,
    /// Key frames of a rigid motion, in ascending time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<Key>,
    /// Motion of the mesh, vertex by vertex: PC2, MDD or NPZ file, from this file.
    pub frames: Option<String>,
    /// Time of the first frame; that of the file when left out.
    #[schemars(extend("x-unit" = "s"))]
    pub frames_start_s: Option<f64>,
    /// Frames per second; the times of the file when left out.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 10000, "x-unit" = "1/s"))]
    pub frames_per_s: Option<f64>,
    /// Friction coefficient of cloth on it; that of `contact` when left out.
    pub friction: Option<Coefficient>,
    /// Distance about it that cloth keeps out of.
    #[schemars(extend("minimum" = 0, "maximum" = 1000, "x-unit" = "mm"))]
    pub skin_mm: Option<f64>,
    /// Colour as `#rrggbb`.
    pub colour: Option<String>,
}

/// A ball.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sphere {
    /// Its centre.
    #[schemars(extend("x-unit" = "m"))]
    pub centre_m: [f64; 3],
    /// Its radius.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1000, "x-unit" = "m"))]
    pub radius_m: f64,
}

/// Everything within a radius of a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Capsule {
    /// One end of the line.
    #[schemars(extend("x-unit" = "m"))]
    pub from_m: [f64; 3],
    /// The other end.
    #[schemars(extend("x-unit" = "m"))]
    pub to_m: [f64; 3],
    /// Its radius.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1000, "x-unit" = "m"))]
    pub radius_m: f64,
}

/// A box.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cuboid {
    /// Its centre.
    #[schemars(extend("x-unit" = "m"))]
    pub centre_m: [f64; 3],
    /// Its sides.
    #[schemars(extend("x-unit" = "m"))]
    pub size_m: [f64; 3],
    /// Turns about x, then y, then z through the centre.
    #[schemars(extend("x-unit" = "°"))]
    pub turn_deg: Option<[f64; 3]>,
}

/// Everything below a plane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plane {
    /// A point of it.
    #[schemars(extend("x-unit" = "m"))]
    pub point_m: [f64; 3],
    /// Direction out of it, of any length.
    pub normal: [f64; 3],
}

/// Everything below a height.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Floor {
    /// The height.
    #[schemars(extend("x-unit" = "m"))]
    pub height_m: f64,
}

/// How bodies are kept apart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Contact {
    /// What keeps them apart.
    pub response: Option<Response>,
    /// Whether a cloth feels itself; different cloths always feel each other.
    #[serde(rename = "self")]
    pub own: Option<bool>,
    /// For `barrier`: distance beyond the thickness within which bodies feel each other; chosen from the mesh when left out.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 100, "x-unit" = "mm"))]
    pub reach_mm: Option<f64>,
    /// For `geometric`: gap below which features count as touching; contact at rest would flicker without it.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 10, "x-unit" = "mm"))]
    pub band_mm: Option<f64>,
    /// Friction coefficient where nothing else is said.
    pub friction: Option<Coefficient>,
    /// For `barrier`: speed below which friction holds: creep of what sticks.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1000, "x-unit" = "mm/s"))]
    pub stick_mm_per_s: Option<f64>,
    /// Whether a start that crosses or overlaps is parted before the first step; it is refused when left out.
    pub untangle: Option<bool>,
    /// Friction between two bodies; later entries decide over earlier ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pair: Vec<Pair>,
}

/// What keeps bodies apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Response {
    /// A potential that rises without bound: what starts apart stays apart.
    #[default]
    Barrier,
    /// Corrections after each step of any scheme: fast, not safe.
    Geometric,
    /// Nothing: bodies pass through each other.
    None,
}

/// Friction between two bodies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// Names of cloths or obstacles; `cloth` means all cloths, `obstacle` all obstacles.
    pub between: [String; 2],
    /// Holds up to this times the normal force.
    #[serde(rename = "static")]
    pub rest: Coefficient,
    /// Slides against this times the normal force; the same as `static` when left out.
    #[serde(rename = "kinetic")]
    pub sliding: Option<Coefficient>,
}

/// A friction coefficient: one number, or `{ weft = 0.2, warp = 0.3 }`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Coefficient {
    /// The same in all directions.
    #[schemars(extend("minimum" = 0, "maximum" = 10))]
    Even(f64),
    /// By the direction of slip against the weave of the cloth.
    Woven(Woven),
}

/// A friction coefficient by the direction of slip against the weave of the cloth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Woven {
    /// Along the weft.
    #[schemars(extend("minimum" = 0, "maximum" = 10))]
    pub weft: f64,
    /// Along the warp.
    #[schemars(extend("minimum" = 0, "maximum" = 10))]
    pub warp: f64,
}
