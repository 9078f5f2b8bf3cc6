//! Which triangle is seen where.
//!
//! Corners are kept in homogeneous pixels (x w, y w, w). The weight of a corner at a pixel p = (x, y, 1) is then
//! p · (next × after next), for perspective and parallel light alike, and no triangle has to be cut: where it passes behind
//! the eye the weights turn negative by themselves. Neighbours compute the weights of their common edge with exactly opposite
//! signs, so meshes have no pinholes.

use glam::DVec3;
use rayon::prelude::*;
use std::ops::Range;

/// Rows of a band; each band is drawn by one thread.
const BAND: usize = 32;
/// Marks a pixel without a triangle.
pub(super) const NONE: u32 = u32::MAX;

/// A corner in the picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    /// Homogeneous pixels.
    pub(super) place: DVec3,
    /// Numerator of the nearness at this corner.
    pub(super) near: f64,
}

/// A triangle in the picture.
#[derive(Clone, Debug)]
pub(super) struct Facet {
    /// Number of the triangle.
    pub(super) triangle: u32,
    /// Weight of each corner at a pixel (x, y, 1), up to a common factor.
    edges: [DVec3; 3],
    /// Nearness at a pixel (x, y, 1): larger is in front.
    near: DVec3,
    /// It is not drawn where it is nearer than this: the near plane, for a triangle that passes through it.
    nearest: f32,
    /// Pixels it may cover.
    columns: Range<u32>,
    rows: Range<u32>,
}

/// A point on a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot<'a> {
    /// Number of the triangle.
    pub(super) triangle: usize,
    /// Weights of its corners; they sum to one.
    pub(super) weights: DVec3,
    facet: &'a Facet,
    /// Centre of the pixel.
    pixel: DVec3,
}

impl Spot<'_> {
    /// Change of the weights to the next pixel on the right and below.
    pub(super) fn slopes(&self) -> [DVec3; 2] {
        [DVec3::X, DVec3::Y].map(|step| self.facet.weights(self.pixel + step) - self.weights)
    }
}

impl Facet {
    /// A triangle in a picture of a size; None if it covers no pixel centre or lies nearer than `near` altogether.
    pub(super) fn new(triangle: u32, corners: [Corner; 3], size: [usize; 2], near: f64) -> Option<Self> {
        let [a, b, c] = corners.map(|c| c.place);
        let (columns, rows) = extent(&[a, b, c], size, near)?;
        let edges = [b.cross(c), c.cross(a), a.cross(b)];
        let determinant = a.dot(edges[0]);
        let edges = if determinant < 0.0 { edges.map(|e| -e) } else { edges };
        let sum: DVec3 = (0..3).map(|k| corners[k].near * edges[k]).sum();
        let nearest = if [a, b, c].iter().all(|p| p.z >= near) { f32::INFINITY } else { (1.0 / near) as f32 };
        let near = sum / determinant.abs();
        near.is_finite().then_some(Self { triangle, edges, near, nearest, columns, rows })
    }

    /// Its point at a pixel.
    #[inline]
    pub(super) fn spot(&self, x: usize, y: usize) -> Spot<'_> {
        let pixel = centre(x, y);
        Spot { triangle: self.triangle as usize, weights: self.weights(pixel), facet: self, pixel }
    }

    /// Weights of its corners at a point of the picture.
    #[inline]
    fn weights(&self, p: DVec3) -> DVec3 {
        let weights = DVec3::new(self.edges[0].dot(p), self.edges[1].dot(p), self.edges[2].dot(p));
        weights / weights.element_sum()
    }

    /// Draws the rows of a band that starts at row `first`; `put` is told the pixels where it is in front.
    #[inline]
    pub(super) fn fill(&self, first: usize, width: usize, depth: &mut [f32], mut put: impl FnMut(usize)) {
        let last = (first + depth.len() / width) as u32;
        for y in self.rows.start.max(first as u32)..self.rows.end.min(last) {
            let row = (y as usize - first) * width;
            let fy = f64::from(y) + 0.5;
            let [a, b, c] = self.edges.map(|e| e.z + e.y * fy);
            let near = self.near.z + self.near.y * fy;
            for x in self.columns.clone() {
                let fx = f64::from(x) + 0.5;
                let inside = a + self.edges[0].x * fx >= 0.0
                    && b + self.edges[1].x * fx >= 0.0
                    && c + self.edges[2].x * fx >= 0.0;
                if inside {
                    let nearness = (near + self.near.x * fx) as f32;
                    let pixel = row + x as usize;
                    if nearness > depth[pixel] && nearness <= self.nearest {
                        depth[pixel] = nearness;
                        put(pixel);
                    }
                }
            }
        }
    }
}

fn centre(x: usize, y: usize) -> DVec3 {
    DVec3::new(x as f64 + 0.5, y as f64 + 0.5, 1.0)
}

/// Columns and rows whose centres may lie in a triangle, after what is nearer than `near` is cut off.
fn extent(corners: &[DVec3; 3], size: [usize; 2], near: f64) -> Option<(Range<u32>, Range<u32>)> {
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    let mut include = |p: DVec3| {
        for (k, c) in [p.x / p.z, p.y / p.z].into_iter().enumerate() {
            (low[k], high[k]) = (low[k].min(c), high[k].max(c));
        }
    };
    for k in 0..3 {
        let (a, b) = (corners[k], corners[(k + 1) % 3]);
        if a.z >= near {
            include(a);
        }
        if (a.z >= near) != (b.z >= near) {
            include(a + (near - a.z) / (b.z - a.z) * (b - a));
        }
    }
    // Casts saturate, and NaN becomes zero: wild corners are harmless.
    let range = |k: usize| {
        let start = (low[k] - 0.5).clamp(0.0, size[k] as f64);
        let first = start as u32;
        // Rounded up and down by casts: the processor's common subset has no instruction for it.
        first + u32::from(f64::from(first) < start)..(high[k] + 0.5).clamp(0.0, size[k] as f64) as u32
    };
    let (columns, rows) = (range(0), range(1));
    (columns.start < columns.end && rows.start < rows.end).then_some((columns, rows))
}

/// What is seen at each pixel.
pub(super) struct Visible {
    pub(super) width: usize,
    /// Facets by number.
    pub(super) facets: Vec<Facet>,
    /// Number of the facet in front, or [`NONE`].
    pub(super) front: Vec<u32>,
    /// Nearness of the facet in front.
    pub(super) depth: Vec<f32>,
}

impl Visible {
    /// Draws `count` triangles; what is nearer to the eye than `near` is not seen.
    pub(super) fn new(
        count: usize,
        [width, height]: [usize; 2],
        corners: impl Fn(usize) -> Option<[Corner; 3]> + Sync,
        near: f64,
    ) -> Self {
        let facet = |t: usize| Facet::new(t as u32, corners(t)?, [width, height], near);
        let facets: Vec<Facet> = (0..count).into_par_iter().filter_map(facet).collect();
        let mut bands = vec![Vec::new(); height.div_ceil(BAND)];
        for (f, facet) in facets.iter().enumerate() {
            for band in facet.rows.start as usize / BAND..=(facet.rows.end as usize - 1) / BAND {
                bands[band].push(f as u32);
            }
        }
        // The nearness 0 lies at infinity; beyond it is what is behind the eye.
        let mut depth = vec![0.0; width * height];
        let mut front = vec![NONE; width * height];
        let rows = depth.par_chunks_mut(BAND * width).zip(front.par_chunks_mut(BAND * width)).zip(&bands).enumerate();
        rows.for_each(|(band, ((depth, front), members))| {
            for &f in members {
                facets[f as usize].fill(BAND * band, width, depth, |pixel| front[pixel] = f);
            }
        });
        Self { width, facets, front, depth }
    }

    /// The point in front at a pixel.
    pub(super) fn spot(&self, x: usize, y: usize) -> Option<Spot<'_>> {
        let front = self.front[y * self.width + x];
        (front != NONE).then(|| self.facets[front as usize].spot(x, y))
    }
}
