//! The scene document: mirror types of the file, version 1. Everything but the format may be left out, so that a part of a scene
//! can stand in a file of its own and be included.

mod contact;

pub(super) use contact::{Coefficient, Contact, Cuboid, Obstacle, Response, Woven};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A scene file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SceneDocument {
    /// Kind and version of the file.
    pub format: Format,
    /// Name of the scene.
    pub name: Option<String>,
    /// Anything worth knowing.
    pub notes: Option<String>,
    /// Scene files whose parts are added to this one; what both say, this one decides. Paths count from this file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<String>,
    /// Time and how it is stepped.
    pub simulation: Option<Simulation>,
    /// Wind; still air when left out.
    pub wind: Option<Wind>,
    /// How bodies are kept apart; on by default where there are obstacles or this table.
    pub contact: Option<Contact>,
    /// What is written.
    pub output: Option<Output>,
    /// How it is drawn.
    pub picture: Option<Picture>,
    /// Pieces of cloth.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cloth: Vec<Cloth>,
    /// Points held at their place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pin: Vec<Grip>,
    /// Points led along key frames.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub handle: Vec<Grip>,
    /// Tapes, elastics and folds on the cloth.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub line: Vec<Line>,
    /// What stands or moves in the way of cloth.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub obstacle: Vec<Obstacle>,
}

/// Kind and version of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Format {
    /// The first version.
    #[default]
    #[serde(rename = "toile-scene/1")]
    V1,
}

/// Time and how it is stepped.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Simulation {
    /// Simulated time.
    #[schemars(extend("minimum" = 0, "maximum" = 100000, "x-unit" = "s"))]
    pub duration_s: Option<f64>,
    /// Longest step; the step taken divides the time between frames.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1000, "x-unit" = "ms"))]
    pub step_ms: Option<f64>,
    /// Scheme by name, see `toile list schemes`.
    pub scheme: Option<String>,
    /// Linear solver by name, see `toile list solvers`.
    pub solver: Option<String>,
    /// Newton stops at this share of a step of free fall.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 10))]
    pub tolerance: Option<f64>,
    /// Newton iterations before a step is cut.
    #[schemars(extend("minimum" = 1, "maximum" = 1000))]
    pub max_newton: Option<u32>,
    /// Precision of matrix and solve.
    pub precision: Option<Precision>,
    /// Gravity.
    #[schemars(extend("x-unit" = "m/s²"))]
    pub gravity_m_per_s2: Option<[f64; 3]>,
    /// `drape` ends when no vertex feels more than this.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1000, "x-unit" = "mN"))]
    pub force_tolerance_mn: Option<f64>,
    /// Iterations of `drape` before it gives up.
    #[schemars(extend("minimum" = 1, "maximum" = 100000))]
    pub max_iterations: Option<u32>,
    /// Instruction level of the kernels: `scalar`, `avx2`, `avx512`; the best of the machine when left out.
    pub simd: Option<String>,
}

/// Precision of matrix and solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// 32 bits.
    Single,
    /// 64 bits.
    Double,
}

/// Wind, the same everywhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wind {
    /// Mean velocity.
    #[schemars(extend("x-unit" = "m/s"))]
    pub velocity_m_per_s: [f64; 3],
    /// Root mean square of the gusts over the mean speed.
    #[schemars(extend("minimum" = 0, "maximum" = 5))]
    pub gusts: Option<f64>,
    /// Period of the strongest gusts.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1000, "x-unit" = "s"))]
    pub period_s: Option<f64>,
    /// Chooses one of many gusty days.
    #[schemars(extend("minimum" = 0))]
    pub seed: Option<i64>,
}

/// What is written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// Frames per simulated second.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 10000, "x-unit" = "1/s"))]
    pub frames_per_s: Option<f64>,
    /// Formats written at the end, see `toile list formats`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub formats: Vec<String>,
    /// Time on the clock between checkpoints.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 86400, "x-unit" = "s"))]
    pub checkpoint_s: Option<f64>,
}

/// How pictures are made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Picture {
    /// What colours the cloth.
    pub paint: Option<Paint>,
    /// Side of a square of the checker, or width of a stripe.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 10000, "x-unit" = "mm"))]
    pub checker_mm: Option<f64>,
    /// Value at the red end of a map: % of strain, N/m of stress, Pa of pressure.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub map_maximum: Option<f64>,
    /// Where the camera stands: degrees from the front (+z) towards the right (+x).
    #[schemars(extend("x-unit" = "°"))]
    pub azimuth_deg: Option<f64>,
    /// Degrees above the horizon.
    #[schemars(extend("minimum" = -90, "maximum" = 90, "x-unit" = "°"))]
    pub elevation_deg: Option<f64>,
    /// Width.
    #[schemars(extend("minimum" = 16, "maximum" = 8192))]
    pub width_px: Option<u32>,
    /// Height.
    #[schemars(extend("minimum" = 16, "maximum" = 8192))]
    pub height_px: Option<u32>,
    /// Height of the floor; left out: just below the cloth.
    #[schemars(extend("x-unit" = "m"))]
    pub floor_m: Option<f64>,
    /// Times shown side by side in `strip.png`; none when 0.
    #[schemars(extend("minimum" = 0, "maximum" = 24))]
    pub strip: Option<u32>,
    /// Moving picture of the run.
    pub animation: Option<Animation>,
}

/// What colours the cloth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Paint {
    /// The colour of the fabric.
    #[default]
    Fabric,
    /// Squares along weft and warp.
    Checker,
    /// Stripes along the warp.
    Stripes,
    /// Strain along the weft (%).
    StrainWeft,
    /// Strain along the warp (%).
    StrainWarp,
    /// Shear strain (%).
    StrainShear,
    /// Stress along the weft (N/m).
    StressWeft,
    /// Stress along the warp (N/m).
    StressWarp,
    /// Shear stress (N/m).
    StressShear,
    /// Pressure of contact (Pa).
    Pressure,
}

/// Moving picture of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Animation {
    /// Animated PNG.
    Apng,
    /// GIF.
    Gif,
}

/// A piece of cloth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cloth {
    /// Name, for grips, lines and files.
    pub name: String,
    /// Fabric of the library, or the path of a fabric file from this file.
    pub fabric: String,
    /// Its flat shape.
    pub shape: Shape,
    /// Membrane model by name, see `toile list membranes`.
    pub membrane: Option<String>,
    /// Bending model by name, see `toile list bendings`.
    pub bending: Option<String>,
    /// Colour as `#rrggbb`.
    pub colour: Option<String>,
    /// Where it starts.
    pub place: Option<Place>,
    /// Curvature without moments along weft and warp, and twist.
    #[schemars(extend("x-unit" = "1/m"))]
    pub rest_curvature_per_m: Option<[f64; 3]>,
    /// Distance that contact keeps between layers; the thickness of the fabric when left out.
    #[schemars(extend("minimum" = 0, "maximum" = 100, "x-unit" = "mm"))]
    pub thickness_mm: Option<f64>,
    /// Largest random shift of a vertex across the sheet at the start: breaks symmetry.
    #[schemars(extend("minimum" = 0, "maximum" = 100, "x-unit" = "mm"))]
    pub jolt_mm: Option<f64>,
}

/// A flat shape and its mesh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Shape {
    /// A rectangle; its weft lies along the width unless the grain turns it.
    Rectangle {
        /// Along x of the panel.
        #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1000, "x-unit" = "m"))]
        width_m: f64,
        /// Along y of the panel.
        #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1000, "x-unit" = "m"))]
        height_m: f64,
        /// Edge length of the mesh.
        #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 100000, "x-unit" = "mm"))]
        edge_mm: f64,
        /// Kind of mesh.
        mesh: Option<MeshKind>,
        /// Angle of the weft to the width.
        #[schemars(extend("minimum" = -360, "maximum" = 360, "x-unit" = "°"))]
        grain_deg: Option<f64>,
    },
    /// A disc about its centre.
    Disc {
        /// Radius.
        #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1000, "x-unit" = "m"))]
        radius_m: f64,
        /// Edge length of the mesh.
        #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 100000, "x-unit" = "mm"))]
        edge_mm: f64,
        /// Angle of the weft to the panel's x axis.
        #[schemars(extend("minimum" = -360, "maximum" = 360, "x-unit" = "°"))]
        grain_deg: Option<f64>,
    },
    /// A polygon.
    Polygon {
        /// Corners in order.
        #[schemars(length(min = 3), extend("x-unit" = "m"))]
        points_m: Vec<[f64; 2]>,
        /// Edge length of the mesh.
        #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 100000, "x-unit" = "mm"))]
        edge_mm: f64,
        /// Angle of the weft to the panel's x axis.
        #[schemars(extend("minimum" = -360, "maximum" = 360, "x-unit" = "°"))]
        grain_deg: Option<f64>,
    },
    /// A mesh from another program; its UVs are the material coordinates.
    File {
        /// OBJ, PLY or GLB file, from this file.
        file: String,
        /// Unit of the positions.
        unit: Option<Unit>,
        /// Axis that points up in the file.
        up: Option<Up>,
        /// Metres of cloth per unit of UV; left out: as many as the mesh at its start has in the mean.
        #[schemars(extend("exclusiveMinimum" = 0, "x-unit" = "m"))]
        uv_m: Option<f64>,
    },
}

/// Kind of mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MeshKind {
    /// Nearly equilateral triangles along the grain.
    #[default]
    Delaunay,
    /// A grid whose cells are cut by alternating diagonals.
    Structured,
}

/// Unit of length of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Unit {
    /// Metre.
    #[default]
    #[serde(rename = "m")]
    Metre,
    /// Centimetre.
    #[serde(rename = "cm")]
    Centimetre,
    /// Millimetre.
    #[serde(rename = "mm")]
    Millimetre,
    /// Inch.
    #[serde(rename = "in")]
    Inch,
}

impl Unit {
    /// Metres in it.
    pub fn metres(self) -> f64 {
        match self {
            Self::Metre => 1.0,
            Self::Centimetre => 0.01,
            Self::Millimetre => 0.001,
            Self::Inch => 0.0254,
        }
    }
}

/// Axis that points up in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Up {
    /// As here.
    #[default]
    Y,
    /// As in Blender and CAD.
    Z,
}

/// Where a cloth starts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// Place of the centre of its bounding box.
    #[schemars(extend("x-unit" = "m"))]
    pub position_m: Option<[f64; 3]>,
    /// How the panel lies before it is turned.
    pub lay: Option<Lay>,
    /// Turns about x, then y, then z through the centre.
    #[schemars(extend("x-unit" = "°"))]
    pub turn_deg: Option<[f64; 3]>,
}

/// How a panel lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Lay {
    /// On the floor, its outside up; its y away from the viewer.
    #[default]
    Flat,
    /// Standing, its outside to the viewer (+z); its y up.
    Upright,
}

/// Points held or led. Those chosen by any of the ways are taken together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grip {
    /// Name, for reports.
    pub name: Option<String>,
    /// Which cloth; may be left out where there is only one.
    pub cloth: Option<String>,
    /// Corners of a rectangle.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub corners: Vec<Corner>,
    /// Edges of a rectangle, or `rim` for the whole boundary of any shape.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<EdgeName>,
    /// The vertex nearest to the middle of the panel.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub centre: bool,
    /// Everything inside a box at the start, from its lower to its upper corner.
    #[schemars(extend("x-unit" = "m"))]
    pub within_m: Option<[[f64; 3]; 2]>,
    /// The vertex nearest to each of these places at the start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-unit" = "m"))]
    pub nearest_m: Vec<[f64; 3]>,
    /// Vertices by number, from 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vertices: Vec<u32>,
    /// Which directions are held: some of the letters x, y, z. All when left out.
    pub axes: Option<String>,
    /// Holds the direction of the sheet at these boundary edges too: a clamp.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub clamp: bool,
    /// Key frames of a handle, in ascending time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<Key>,
}

/// Corners of a rectangle, seen from the outside with its y up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Corner {
    /// At x = 0, y = 0.
    BottomLeft,
    /// At x = width.
    BottomRight,
    /// At y = height.
    TopLeft,
    /// At x = width, y = height.
    TopRight,
}

/// Edges of a shape, seen from the outside with its y up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EdgeName {
    /// x = 0.
    Left,
    /// x = width.
    Right,
    /// y = 0.
    Bottom,
    /// y = height.
    Top,
    /// The whole boundary.
    Rim,
}

/// Where a handle is at a time, seen from where it starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// Time.
    #[schemars(extend("minimum" = 0, "x-unit" = "s"))]
    pub time_s: f64,
    /// Shift.
    #[schemars(extend("x-unit" = "m"))]
    pub shift_m: Option<[f64; 3]>,
    /// Turn: axis times angle, more than a full turn is allowed.
    #[schemars(extend("x-unit" = "°"))]
    pub turn_deg: Option<[f64; 3]>,
    /// Centre of the turn; the middle of the held points when left out.
    #[schemars(extend("x-unit" = "m"))]
    pub about_m: Option<[f64; 3]>,
}

/// A tape, elastic or fold along a line on the panel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Name, for messages.
    pub name: Option<String>,
    /// Which cloth; may be left out where there is only one.
    pub cloth: Option<String>,
    /// Along an edge of a rectangle,
    pub edge: Option<EdgeName>,
    /// or through these points of the panel; the mesh follows them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-unit" = "m"))]
    pub points_m: Vec<[f64; 2]>,
    /// Force per strain along the line; 0 for a line that does not pull.
    #[schemars(extend("minimum" = 0, "x-unit" = "N"))]
    pub stiffness_n: Option<f64>,
    /// Rest length over the length in the panel: below 1 for elastic.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 10))]
    pub rest_ratio: Option<f64>,
    /// Rest angle of a fold along the line.
    #[schemars(extend("minimum" = -180, "maximum" = 180, "x-unit" = "°"))]
    pub fold_deg: Option<f64>,
    /// Moment of the fold per metre and radian.
    #[schemars(extend("minimum" = 0, "x-unit" = "mN·m/m"))]
    pub fold_stiffness_mn: Option<f64>,
}
