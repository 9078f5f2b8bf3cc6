//! Light of the sky, less where folds hide it.
//!
//! The sky is a number of lamps spread evenly over the whole sphere, each with a coarse map of what it sees. Lamps above the
//! horizon are sky, those below the light that the floor throws back. Each pixel asks every map once, a little aside in a pattern of
//! 4 × 4 pixels; the mean over such a block, taken on the same surface only, is smooth.

use super::camera::Eye;
use super::raster::Visible;
use super::scene::Scene;
use super::shadow::{DepthMap, disc};
use glam::{DVec2, DVec3};
use rayon::prelude::*;

/// Lamps of the sky: with fewer, the shadow of each can be made out.
const LAMPS: usize = 56;
/// Cells of a map per side.
const CELLS: usize = 384;
/// Radius of the pattern (cells), and the height that casts no shadow (cells): what the curvature of a fold takes within it.
const ASIDE: f64 = 3.0;
const BIAS: f64 = 1.6;
/// Pixels of the mean, in each direction.
const BLOCK: usize = 4;

/// The lamps of the sky.
pub(super) struct Sky {
    lamps: Vec<DepthMap>,
}

/// Light of the sky on a surface; 1 is a full open sky.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SkyLight {
    /// From above the horizon.
    pub(super) above: f32,
    /// From below.
    pub(super) below: f32,
    /// Part of what an unhidden surface would get.
    pub(super) open: f32,
}

impl Sky {
    pub(super) fn new(scene: &Scene, bounds: [DVec3; 2]) -> Self {
        let direction = |k: usize| {
            let height = 1.0 - (2.0 * k as f64 + 1.0) / LAMPS as f64;
            let flat = DVec2::from_angle(2.399_963_229_728_653 * k as f64) * (1.0 - height * height).sqrt();
            DVec3::new(flat.x, height, flat.y)
        };
        let map = |k| DepthMap::new(scene, bounds, direction(k), CELLS);
        Self { lamps: (0..LAMPS).into_par_iter().map(map).collect() }
    }

    /// Light at a point of a surface; `turn` (0 to 1) chooses where the maps are asked.
    pub(super) fn light(&self, position: DVec3, normal: DVec3, flat: DVec3, turn: f64) -> SkyLight {
        let (mut above, mut below, mut all) = (0.0, 0.0, 0.0);
        for (k, map) in self.lamps.iter().enumerate() {
            let cosine = normal.dot(map.toward);
            // What lies behind the flat triangle cannot be asked of a map: the surface itself is in the way.
            if cosine <= 0.0 || flat.dot(map.toward) <= 0.0 {
                all += cosine.max(0.0);
                continue;
            }
            all += cosine;
            let aside = disc(k % 8, 8, turn) * ASIDE;
            if map.cover(&map.receiver(position, flat), aside) <= BIAS * map.cell {
                let share = 0.5 + 0.5 * map.toward.y;
                above += share * cosine;
                below += (1.0 - share) * cosine;
            }
        }
        // The mean cosine over the sphere is a quarter.
        let scale = 4.0 / LAMPS as f64;
        let open = if all > 0.0 { (above + below) / all } else { 1.0 };
        SkyLight { above: (scale * above) as f32, below: (scale * below) as f32, open: open as f32 }
    }
}

/// Light of the sky at every pixel.
pub(super) struct SkyImage {
    size: [usize; 2],
    /// Light and distance along the view (m); distance 0 where nothing is.
    pixels: Vec<(SkyLight, f32)>,
}

impl SkyImage {
    /// Asks the sky at the first sample of every pixel. `floor` gives the point of the floor seen at a pixel.
    pub(super) fn new(
        scene: &Scene,
        sky: &Sky,
        eye: &Eye,
        visible: &Visible,
        samples: usize,
        floor: impl Fn(usize, usize) -> Option<DVec3> + Sync,
    ) -> Self {
        let width = visible.width / samples;
        let height = visible.depth.len() / visible.width / samples;
        let mut pixels = vec![(SkyLight::default(), 0.0f32); width * height];
        pixels.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
            for (x, pixel) in row.iter_mut().enumerate() {
                let turn = ordered(x, y);
                if let Some(spot) = visible.spot(samples * x, samples * y) {
                    let point = scene.point(&spot, eye.origin);
                    let distance = eye.forward.dot(point.position - eye.origin);
                    *pixel = (sky.light(point.position, point.normal, point.flat, turn), distance as f32);
                } else if let Some(point) = floor(x, y) {
                    let distance = eye.forward.dot(point - eye.origin);
                    *pixel = (sky.light(point, DVec3::Y, DVec3::Y, turn), distance as f32);
                }
            }
        });
        Self { size: [width, height], pixels }.smoothed()
    }

    /// The mean over a block, of pixels at about the same distance.
    fn smoothed(self) -> Self {
        let [width, height] = self.size;
        let mean = |pixel: usize| {
            let (x, y) = (pixel % width, pixel / width);
            let centre = self.pixels[pixel].1;
            if centre == 0.0 {
                return self.pixels[pixel];
            }
            let (mut sum, mut weight) = ([0.0f32; 3], 0.0f32);
            for row in (y + 1).saturating_sub(BLOCK / 2)..(y + 1 + BLOCK / 2).min(height) {
                for column in (x + 1).saturating_sub(BLOCK / 2)..(x + 1 + BLOCK / 2).min(width) {
                    let (light, distance) = self.pixels[row * width + column];
                    if (distance - centre).abs() < 0.01 * centre {
                        sum = [sum[0] + light.above, sum[1] + light.below, sum[2] + light.open];
                        weight += 1.0;
                    }
                }
            }
            let [above, below, open] = sum.map(|s| s / weight);
            (SkyLight { above, below, open }, centre)
        };
        Self { size: self.size, pixels: (0..width * height).into_par_iter().map(mean).collect() }
    }

    /// Light for a sample of a pixel at a distance along the view (m): that of the neighbour whose distance is closest, since the
    /// pixel's own may be that of another surface.
    pub(super) fn at(&self, x: usize, y: usize, distance: f64) -> SkyLight {
        let [width, height] = self.size;
        let off = |pixel: &(SkyLight, f32)| (f64::from(pixel.1) - distance).abs();
        let own = &self.pixels[y * width + x];
        if off(own) < 0.005 * distance {
            return own.0;
        }
        let rows = y.saturating_sub(1)..(y + 2).min(height);
        let around =
            rows.flat_map(|row| &self.pixels[row * width + x.saturating_sub(1)..row * width + (x + 2).min(width)]);
        around.min_by(|a, b| off(a).total_cmp(&off(b))).map_or(own.0, |p| p.0)
    }
}

/// A number from 0 to 1 for a pixel: each block of 4 × 4 pixels has all sixteen, neighbours far apart (Bayer 1973).
pub(super) fn ordered(x: usize, y: usize) -> f64 {
    const ORDER: [[u8; BLOCK]; BLOCK] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];
    (f64::from(ORDER[y % BLOCK][x % BLOCK]) + 0.5) / (BLOCK * BLOCK) as f64
}
