//! Unstructured triangle meshes of flat shapes.
//!
//! The way of a shape: its outline is resampled at the wanted edge length (`outline`), a hexagonal lattice laid along the
//! grain fills it (`seeds`), a constrained Delaunay triangulation joins the points, a few passes of optimal Delaunay
//! smoothing even them out (ODT: each free vertex moves to the area-weighted mean of the circumcentres around it), and
//! what lies inside becomes a mesh (`triangulate`). Where fixed edges are short the lattice is finer, and coarsens with the distance (`sizes`).
//!
//! All lengths are measured in the *metric plane*: turned so that the grain is horizontal, and squeezed along it by the square
//! root of [`Options::stretch`] (and drawn out across it by as much, so areas stay). Equilateral triangles there are
//! triangles drawn out along the grain in the panel.
//!
//! Meshes lie as [`toile_core::mesh::Grid`] does: panel (x, y) becomes world (x, 0, −y), facing +y.

mod outline;
mod quality;
mod seeds;
mod sizes;
mod triangulate;

pub use quality::{Quality, quality};

use glam::DVec2;
use std::f64::consts::TAU;
use toile_core::mesh::Mesh;

/// Smallest and largest extent of a shape (m): outside of it the unit is almost certainly not the metre.
const EXTENT: [f64; 2] = [1e-6, 1e4];
/// Most triangles a mesh may have; more is a wrong edge length, and would fill the memory before anyone noticed.
const TRIANGLES: f64 = 2e7;

/// How a shape is cut into triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Wanted edge length (m) of the equilateral triangle with the mean area.
    pub edge: f64,
    /// How many times longer elements are along the weft (u) than across it; 1 for round elements.
    pub stretch: f64,
    /// Largest random shift of a lattice point, in edge lengths (0 to 1). Smoothing leads a slightly shaken lattice back to
    /// itself; at 0.5 four vertices in ten no longer have six neighbours, see [`Options::irregular`].
    pub jitter: f64,
    /// Seed of the shifts: same seed, same mesh.
    pub seed: u64,
    /// Angle of the weft to the panel's x axis (rad). The lattice follows it, and material coordinates are turned as by
    /// [`Mesh::with_grain`].
    pub grain: f64,
}

impl Options {
    /// Regular round elements of a given edge length (m), weft along x.
    pub fn of_edge(edge: f64) -> Self {
        Self { edge, stretch: 1.0, jitter: 0.0, seed: 0, grain: 0.0 }
    }

    /// Round elements without any lattice: the mesh for tests of mesh dependence.
    pub fn irregular(edge: f64, seed: u64) -> Self {
        Self { jitter: 0.5, seed, ..Self::of_edge(edge) }
    }

    fn check(&self) -> Result<(), MeshingError> {
        let ranges = [
            ("edge", self.edge, EXTENT[0] * 1e-3, EXTENT[1]),
            ("stretch", self.stretch, 0.05, 20.0),
            ("jitter", self.jitter, 0.0, 1.0),
            ("grain", self.grain, -100.0, 100.0),
        ];
        for (name, value, low, high) in ranges {
            if !(value >= low && value <= high) {
                return Err(MeshingError::Option { name, value, low, high });
            }
        }
        Ok(())
    }
}

/// What becomes of the points of an outline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Boundary {
    /// Corners and the ends of long straight segments stay, everything between is spaced evenly at the edge length.
    #[default]
    Resampled,
    /// Points are used as they are: for seams, whose two sides need equal counts.
    Kept,
}

/// A flat shape: one outline, holes in it, and lines that mesh edges must follow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    /// Corners of the outline (m), in either direction; the last point joins the first.
    pub outline: Vec<DVec2>,
    /// Outlines of holes (m).
    pub holes: Vec<Vec<DVec2>>,
    /// Open lines inside (m): darts, folds, stitching. They may end on an outline or meet at their points.
    pub lines: Vec<Vec<DVec2>>,
    /// What becomes of the points.
    pub boundary: Boundary,
}

/// Why a shape cannot be meshed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshingError {
    /// An option is out of range.
    #[error("{name} is {value}, must lie between {low} and {high}")]
    Option {
        /// Which.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Smallest allowed.
        low: f64,
        /// Largest allowed.
        high: f64,
    },
    /// A coordinate is not a number.
    #[error("point {index} of {part} is not finite")]
    NotFinite {
        /// `the outline`, `hole 0`, `line 2`.
        part: String,
        /// Which point.
        index: usize,
    },
    /// Nothing to mesh.
    #[error("{part} has {points} different points, needs {needed}")]
    TooFew {
        /// Which outline or line.
        part: String,
        /// Points found.
        points: usize,
        /// Points needed.
        needed: usize,
    },
    /// The shape is too small or too large to be in metres.
    #[error("the shape extends over {extent} m, must be between {} and {}: are its points in metres?", EXTENT[0], EXTENT[1])]
    Extent {
        /// Larger side of its bounding box.
        extent: f64,
    },
    /// The outline encloses nothing.
    #[error("{part} encloses no area")]
    Flat {
        /// Which outline.
        part: String,
    },
    /// The edge length is out of proportion.
    #[error("an edge of {edge} m would give about {triangles:.1e} triangles, limit {TRIANGLES:.0e}")]
    TooMany {
        /// Edge length (m).
        edge: f64,
        /// Estimate.
        triangles: f64,
    },
    /// Outlines or lines cross or touch.
    #[error(
        "outlines cross or touch near ({x:.6}, {y:.6}) m: an outline must not meet itself, a hole or a line except at line ends"
    )]
    Crossing {
        /// Place of the trouble.
        x: f64,
        /// Place of the trouble.
        y: f64,
    },
    /// A hole is not inside the outline, or inside another hole.
    #[error("holes lie outside of the outline or in each other: {found} m² are inside, outlines say {expected} m²")]
    HoleOutside {
        /// Area enclosed as found (m²).
        found: f64,
        /// Area of the outline less that of the holes (m²).
        expected: f64,
    },
    /// A line is not inside the outline.
    #[error("a line leaves the shape near ({x:.6}, {y:.6}) m")]
    LineOutside {
        /// Place of the trouble.
        x: f64,
        /// Place of the trouble.
        y: f64,
    },
}

impl Shape {
    /// Makes the mesh. Deterministic: the same shape and options give the same bytes.
    pub fn mesh(&self, options: &Options) -> Result<Mesh, MeshingError> {
        options.check()?;
        let metric = outline::Metric::new(options);
        let frame = outline::Frame::new(self, options, &metric)?;
        triangulate::mesh(frame, options, &metric)
    }
}

/// A rectangle with a corner at the origin, `size` along x and y (m).
pub fn rectangle(size: [f64; 2], options: &Options) -> Result<Mesh, MeshingError> {
    let [w, h] = size;
    let corners = [DVec2::ZERO, DVec2::new(w, 0.0), DVec2::new(w, h), DVec2::new(0.0, h)];
    polygon(&corners, &[], options)
}

/// A polygon with holes (m); outlines in either direction.
pub fn polygon(outline: &[DVec2], holes: &[Vec<DVec2>], options: &Options) -> Result<Mesh, MeshingError> {
    Shape { outline: outline.to_vec(), holes: holes.to_vec(), ..Shape::default() }.mesh(options)
}

/// A disc about the origin (m). Its rim is a polygon with corners on the circle.
pub fn disc(radius: f64, options: &Options) -> Result<Mesh, MeshingError> {
    let outline = circle(radius, options)?;
    Shape { outline, boundary: Boundary::Kept, ..Shape::default() }.mesh(options)
}

/// A ring about the origin (m). Its rims are polygons with corners on the circles.
pub fn annulus(inner: f64, outer: f64, options: &Options) -> Result<Mesh, MeshingError> {
    let (outline, hole) = (circle(outer, options)?, circle(inner, options)?);
    Shape { outline, holes: vec![hole], boundary: Boundary::Kept, ..Shape::default() }.mesh(options)
}

/// Edge length (m) that cuts an area (m²) into about `count` triangles.
pub fn edge_for_triangles(area: f64, count: usize) -> f64 {
    (4.0 * area / (3f64.sqrt() * count.max(1) as f64)).sqrt()
}

/// Points on a circle, at least six, spaced evenly in the metric plane.
fn circle(radius: f64, options: &Options) -> Result<Vec<DVec2>, MeshingError> {
    options.check()?;
    if !(2.0 * radius >= EXTENT[0] && 2.0 * radius <= EXTENT[1]) {
        return Err(MeshingError::Extent { extent: 2.0 * radius });
    }
    if !(TAU * radius / options.edge < TRIANGLES) {
        return Err(MeshingError::TooMany { edge: options.edge, triangles: TAU * radius / options.edge });
    }
    let metric = outline::Metric::new(options);
    // Arc length of the ellipse that the circle is in the metric plane, over the angle. 4096 chords know an ellipse of
    // ratio 20 to 1e-5, and only the spacing depends on them: points lie on the circle whatever the error.
    const CHORDS: usize = 4096;
    let at = |angle: f64| DVec2::from_angle(angle) * radius;
    let mut length = vec![0.0; CHORDS + 1];
    for k in 0..CHORDS {
        let [a, b] = [k, k + 1].map(|k| metric.metric_from_panel(at(TAU * k as f64 / CHORDS as f64)));
        length[k + 1] = length[k] + a.distance(b);
    }
    let count = (length[CHORDS] / options.edge).round().max(6.0) as usize;
    let angle = |target: f64| {
        let k = length.partition_point(|&l| l <= target).clamp(1, CHORDS) - 1;
        TAU / CHORDS as f64 * (k as f64 + (target - length[k]) / (length[k + 1] - length[k]))
    };
    Ok((0..count).map(|i| at(angle(length[CHORDS] * i as f64 / count as f64))).collect())
}

#[cfg(test)]
mod tests;
