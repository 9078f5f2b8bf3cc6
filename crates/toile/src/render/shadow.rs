//! Maps of what a distant lamp sees, and the soft shadow of the key lamp.

use super::raster::{Corner, Facet};
use super::scene::Scene;
use glam::{DVec2, DVec3};

/// Samples for finding what stands before the lamp, and for how much of the lamp it hides. Every sample of a pixel turns the
/// pattern, so that four times as many meet in one pixel.
const SEARCH: usize = 12;
const FILTER: usize = 16;

/// Heights towards a distant lamp, over a square grid.
pub(super) struct DepthMap {
    /// Towards the lamp.
    pub(super) toward: DVec3,
    axes: [DVec3; 2],
    middle: DVec3,
    /// Width of a cell (m).
    pub(super) cell: f64,
    size: usize,
    /// Highest triangle over each cell (m from the middle).
    heights: Vec<f32>,
    /// Highest of all (m from the middle).
    top: f64,
}

/// A point that light may reach.
#[derive(Clone, Copy, Debug)]
pub(super) struct Receiver {
    /// Place in the map, in cells, and height (m).
    place: DVec3,
    /// Change of the height of the surface per cell in both directions (m).
    slope: DVec2,
}

impl DepthMap {
    /// Draws a scene as seen from a direction, over its bounds.
    pub(super) fn new(scene: &Scene, [low, high]: [DVec3; 2], toward: DVec3, size: usize) -> Self {
        let (right, up) = toward.any_orthonormal_pair();
        let middle = 0.5 * (low + high);
        // Two cells of margin, so that filters stay inside.
        let cell = ((high - low).length() / (size as f64 - 4.0)).max(1e-9);
        let mut map = Self { toward, axes: [right, up], middle, cell, size, heights: Vec::new(), top: 0.0 };
        let mut heights = vec![f32::NEG_INFINITY; size * size];
        for t in 0..scene.triangles.len() {
            let corners = scene.corners(t).map(|p| {
                let place = map.place(p);
                Corner { place: DVec3::new(place.x, place.y, 1.0), near: place.z }
            });
            if let Some(facet) = Facet::new(t as u32, corners, [size; 2], 0.5) {
                facet.fill(0, size, &mut heights, |_| ());
            }
        }
        map.top = heights.iter().fold(f32::NEG_INFINITY, |a, &b| a.max(b)).into();
        map.heights = heights;
        map
    }

    /// Cells and height (m) of a point.
    fn place(&self, point: DVec3) -> DVec3 {
        let p = point - self.middle;
        let half = 0.5 * self.size as f64;
        DVec3::new(self.axes[0].dot(p) / self.cell + half, self.axes[1].dot(p) / self.cell + half, self.toward.dot(p))
    }

    /// A point on a surface with a normal. Heights are compared along its tangent plane: a filter on a slope would else
    /// find the surface itself in the way.
    pub(super) fn receiver(&self, point: DVec3, normal: DVec3) -> Receiver {
        let facing = self.toward.dot(normal);
        // At grazing light the plane is too steep to be of use: a slope of 5 is the limit.
        let steep = if facing.abs() > 1e-3 { 1.0 / facing } else { 0.0 };
        let slope = DVec2::new(self.axes[0].dot(normal), self.axes[1].dot(normal)) * -steep;
        Receiver { place: self.place(point), slope: slope.clamp_length_max(5.0) * self.cell }
    }

    /// How far above the receiver's plane something is, some cells aside (m); not positive where it is open.
    #[inline]
    pub(super) fn cover(&self, receiver: &Receiver, aside: DVec2) -> f64 {
        let (x, y) = ((receiver.place.x + aside.x).floor(), (receiver.place.y + aside.y).floor());
        let size = self.size as f64;
        if !(x >= 0.0 && y >= 0.0 && x < size && y < size) {
            return f64::NEG_INFINITY;
        }
        let height = f64::from(self.heights[y as usize * self.size + x as usize]);
        let moved = DVec2::new(x + 0.5 - receiver.place.x, y + 0.5 - receiver.place.y);
        height - receiver.place.z - receiver.slope.dot(moved)
    }

    /// Part of a round lamp that is seen, from 0 to 1. `tangent` is that of the lamp's angular radius, `bias` the height (m)
    /// that casts no shadow, `turn` (0 to 1) turns the pattern of samples. Sources: the search for blockers and the width
    /// of the half shadow from their distance are those of percentage-closer soft shadows (Fernando 2005).
    pub(super) fn lit(&self, receiver: &Receiver, tangent: f64, bias: f64, turn: f64) -> f64 {
        let reach = tangent * (self.top - receiver.place.z).max(0.0) / self.cell;
        if reach <= 0.0 {
            return 1.0;
        }
        let (mut blockers, mut distance) = (0, 0.0);
        for k in 0..SEARCH {
            let cover = self.cover(receiver, disc(k, SEARCH, turn) * (reach + 1.0));
            if cover > bias {
                (blockers, distance) = (blockers + 1, distance + cover);
            }
        }
        if blockers == 0 {
            return 1.0;
        }
        let radius = (tangent * distance / f64::from(blockers) / self.cell).max(1.5);
        let open = (0..FILTER).filter(|&k| self.cover(receiver, disc(k, FILTER, turn) * radius) <= bias).count();
        open as f64 / FILTER as f64
    }
}

/// The k-th of some points spread evenly over the unit disc (a golden spiral), turned by a part of a full turn.
pub(super) fn disc(k: usize, count: usize, turn: f64) -> DVec2 {
    const GOLDEN: f64 = 2.399_963_229_728_653; // rad
    let radius = ((k as f64 + 0.5) / count as f64).sqrt();
    DVec2::from_angle(GOLDEN * k as f64 + std::f64::consts::TAU * turn) * radius
}

/// A number from 0 to 1 for a pixel, evenly spread over every small block of pixels (Jimenez 2014, interleaved gradient).
pub(super) fn spread(x: usize, y: usize) -> f64 {
    (52.982_918_9 * (0.067_110_56 * x as f64 + 0.005_837_15 * y as f64).fract()).fract()
}
