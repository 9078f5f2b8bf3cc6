//! Light of the sky, less where folds hide it.
//!
//! The sky is a number of lamps spread evenly over the whole sphere, each with a coarse map of what it sees. Lamps above the
//! horizon are sky, those below the light that the floor throws back. Each pixel asks every map once, a little aside in a
//! pattern of 4 × 4 pixels; the mean over such a block, taken on the same surface only, is smooth. The floor is far from what
//! hides it, so it is asked on a grid of its own, with lamps as wide as their part of the sky.

use super::camera::{Eye, bounds};
use super::raster::Visible;
use super::scene::Scene;
use super::shadow::{DepthMap, GOLDEN, disc};
use glam::{DVec2, DVec3};
use rayon::prelude::*;

/// Lamps of the sky: with fewer, the shadow of each can be made out.
const LAMPS: usize = 40;
/// Tangent of the angular radius of a lamp's part of the sky.
const WIDTH: f64 = 0.3;
/// Cells of a map per side.
const CELLS: usize = 320;
/// Radius of the pattern (cells), and the height that casts no shadow (cells): what the curvature of a fold takes within it.
const ASIDE: f64 = 3.0;
const BIAS: f64 = 1.0;
/// Pixels of the mean, in each direction.
const BLOCK: usize = 4;
/// Cells of the floor's grid per side, and how far it reaches (radii of what is drawn).
const FLOOR_CELLS: usize = 96;
const FLOOR_REACH: f64 = 3.0;

/// The lamps of the sky.
pub(super) struct Sky {
    /// Lowest and highest corner of what is drawn (m).
    pub(super) bounds: [DVec3; 2],
    lamps: Vec<DepthMap>,
    /// Where the map of a lamp is asked (cells aside), by place in the block of pixels.
    aside: Vec<[DVec2; BLOCK * BLOCK]>,
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
    /// The sky over a scene; None if nothing is drawn.
    pub(super) fn new(scene: &Scene) -> Option<Self> {
        let seen: Vec<DVec3> = scene.seen().collect();
        let bounds = bounds(&seen)?;
        let direction = |k: usize| {
            let height = 1.0 - (2.0 * k as f64 + 1.0) / LAMPS as f64;
            let flat = DVec2::from_angle(GOLDEN * k as f64) * (1.0 - height * height).sqrt();
            DVec3::new(flat.x, height, flat.y)
        };
        let map = |k| DepthMap::new(scene, bounds, direction(k), CELLS);
        let spiral = disc::<{ BLOCK * BLOCK }>();
        let turned = |k: usize| spiral.map(|p| ASIDE * DVec2::from_angle(GOLDEN * k as f64).rotate(p));
        let lamps = (0..LAMPS).into_par_iter().map(map).collect();
        Some(Self { bounds, lamps, aside: (0..LAMPS).map(turned).collect() })
    }

    /// Light at a point of a surface; `turn` says where in its block of pixels it is.
    fn light(&self, position: DVec3, normal: DVec3, turn: usize) -> SkyLight {
        let (mut above, mut below, mut all) = (0.0, 0.0, 0.0);
        for (map, aside) in self.lamps.iter().zip(&self.aside) {
            let cosine = normal.dot(map.toward);
            if cosine <= 0.0 {
                continue;
            }
            all += cosine;
            let receiver = map.receiver(position, normal);
            if map.cover(&receiver, aside[turn]) <= map.bias(&receiver, BIAS) {
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

    /// How open the sky is over the floor at a height, under what is drawn.
    pub(super) fn floor(&self, middle: DVec3, radius: f64, height: f64) -> FloorSky {
        let corner = middle - DVec3::splat(FLOOR_REACH * radius);
        let cell = 2.0 * FLOOR_REACH * radius / (FLOOR_CELLS - 1) as f64;
        let open = |k: usize| {
            let (x, z) = ((k % FLOOR_CELLS) as f64 * cell, (k / FLOOR_CELLS) as f64 * cell);
            self.open(DVec3::new(corner.x + x, height, corner.z + z), middle)
        };
        let open = (0..FLOOR_CELLS * FLOOR_CELLS).into_par_iter().map(open).collect();
        FloorSky { corner: DVec2::new(corner.x, corner.z), cell: cell.max(1e-9), open }
    }

    /// Part of the sky that a point of the floor sees.
    fn open(&self, point: DVec3, middle: DVec3) -> f32 {
        let (mut open, mut all) = (0.0, 0.0);
        for (map, aside) in self.lamps.iter().zip(&self.aside).filter(|(map, _)| map.toward.y > 0.0) {
            // A lamp spreads by its width over the way from what is drawn to the floor.
            let spread = WIDTH * (middle - point).dot(map.toward).max(0.0) / map.cell / ASIDE;
            let receiver = map.receiver(point, DVec3::Y);
            let is_open = |p: &&DVec2| map.cover(&receiver, spread * **p) <= map.bias(&receiver, BIAS);
            let seen = aside.iter().step_by(2).filter(is_open).count() as f64 / (BLOCK * BLOCK / 2) as f64;
            open += map.toward.y * seen;
            all += map.toward.y;
        }
        (open / all) as f32
    }
}

/// Openness of the sky over the floor, on a grid.
pub(super) struct FloorSky {
    corner: DVec2,
    cell: f64,
    open: Vec<f32>,
}

impl FloorSky {
    /// Part of the sky seen at a point of the floor; all of it outside the grid.
    pub(super) fn at(&self, point: DVec3) -> f64 {
        let place = (DVec2::new(point.x, point.z) - self.corner) / self.cell;
        let last = (FLOOR_CELLS - 1) as f64;
        if !(place.min_element() >= 0.0 && place.max_element() < last) {
            return 1.0;
        }
        let (x, y) = (place.x as usize, place.y as usize);
        let at = |x: usize, y: usize| f64::from(self.open[y * FLOOR_CELLS + x]);
        let (s, t) = (place.x.fract(), place.y.fract());
        let row = |y: usize| at(x, y) + s * (at(x + 1, y) - at(x, y));
        row(y) + t * (row(y + 1) - row(y))
    }
}

/// Light of the sky at every pixel.
pub(super) struct SkyImage {
    size: [usize; 2],
    /// Light and distance along the view (m); distance 0 where nothing is.
    pixels: Vec<(SkyLight, f32)>,
}

impl SkyImage {
    /// Asks the sky at the first sample of every pixel.
    pub(super) fn new(scene: &Scene, sky: &Sky, eye: &Eye, visible: &Visible, samples: usize) -> Self {
        let width = visible.width / samples;
        let height = visible.depth.len() / visible.width / samples;
        let mut pixels = vec![(SkyLight::default(), 0.0f32); width * height];
        pixels.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
            for (x, pixel) in row.iter_mut().enumerate() {
                if let Some(spot) = visible.spot(samples * x, samples * y) {
                    let point = scene.point(&spot, eye.origin);
                    let distance = eye.forward.dot(point.position - eye.origin);
                    *pixel = (sky.light(point.raised, point.normal, order(x, y)), distance as f32);
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

/// A number from 0 to 15 for a pixel: each block of 4 × 4 pixels has all of them, neighbours far apart (Bayer 1973).
pub(super) fn order(x: usize, y: usize) -> usize {
    const ORDER: [[u8; BLOCK]; BLOCK] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];
    ORDER[y % BLOCK][x % BLOCK].into()
}
