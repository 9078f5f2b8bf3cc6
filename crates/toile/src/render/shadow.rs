//! Maps of what a distant lamp sees, and the soft shadow of the key lamp.

use super::raster::{Corner, Facet};
use super::scene::Scene;
use glam::{DVec2, DVec3};

/// Samples for finding what stands before the lamp, and for how much of the lamp it hides. Every sample of a pixel turns the
/// pattern, so that four times as many meet in one pixel.
const SEARCH: usize = 8;
const FILTER: usize = 12;
/// Cells of a tile per side.
const TILE: usize = 32;

/// Golden angle (rad): turning by it again and again never lines up.
pub(super) const GOLDEN: f64 = 2.399_963_229_728_653;

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
        let corner = |place: DVec3| Corner { place: DVec3::new(place.x, place.y, 1.0), near: place.z };
        let places: Vec<Corner> = scene.positions.iter().map(|&p| corner(map.place(p))).collect();
        for triangle in &scene.triangles {
            let corners = triangle.corners.map(|v| places[v as usize]);
            if let Some(facet) = Facet::new(0, corners, [size; 2], 0.5) {
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
        // Light that grazes at less than three degrees finds a plane too steep to be of use.
        let steep = if facing.abs() > 1e-3 { 1.0 / facing } else { 0.0 };
        let slope = DVec2::new(self.axes[0].dot(normal), self.axes[1].dot(normal)) * -steep;
        Receiver { place: self.place(point), slope: slope.clamp_length_max(20.0) * self.cell }
    }

    /// Height (m) over the receiver's plane that casts no shadow on it: some cells, along the plane's normal rather than
    /// towards the lamp, since folds bend away from their plane most where light grazes.
    pub(super) fn bias(&self, receiver: &Receiver, cells: f64) -> f64 {
        cells * (self.cell + receiver.slope.length())
    }

    /// How far above the receiver's plane something is, some cells aside (m); not positive where it is open.
    #[inline]
    pub(super) fn cover(&self, receiver: &Receiver, aside: DVec2) -> f64 {
        let (x, y) = (receiver.place.x + aside.x, receiver.place.y + aside.y);
        let size = self.size as f64;
        if !(x >= 0.0 && y >= 0.0 && x < size && y < size) {
            return f64::NEG_INFINITY;
        }
        let (x, y) = (x as usize, y as usize);
        let height = f64::from(self.heights[y * self.size + x]);
        let moved = DVec2::new(x as f64 + 0.5 - receiver.place.x, y as f64 + 0.5 - receiver.place.y);
        height - receiver.place.z - receiver.slope.dot(moved)
    }
}

/// The key lamp: round, far away.
pub(super) struct Lamp {
    pub(super) map: DepthMap,
    /// Tangent of its angular radius.
    tangent: f64,
    search: [DVec2; SEARCH],
    filter: [DVec2; FILTER],
    /// Highest triangle over each tile of the map, to see at once where nothing is in the way.
    tiles: Vec<f32>,
}

impl Lamp {
    pub(super) fn new(map: DepthMap, softness_deg: f64) -> Self {
        let tangent = softness_deg.clamp(0.0, 45.0).to_radians().tan();
        let across = map.size.div_ceil(TILE);
        let mut tiles = vec![f32::NEG_INFINITY; across * across];
        for (cell, &height) in map.heights.iter().enumerate() {
            let tile = &mut tiles[cell / map.size / TILE * across + cell % map.size / TILE];
            *tile = tile.max(height);
        }
        Self { map, tangent, search: disc(), filter: disc(), tiles }
    }

    /// Is nothing higher than the receiver within some cells?
    fn is_clear(&self, receiver: &Receiver, reach: f64, bias: f64) -> bool {
        let across = self.map.size.div_ceil(TILE);
        let tiles = |c: f64| {
            let tile = |c: f64| (c.max(0.0) as usize / TILE).min(across);
            tile(c - reach)..(tile(c + reach) + 1).min(across)
        };
        // The plane of the receiver is at least this high there.
        let low = receiver.place.z + bias - reach * receiver.slope.length();
        let columns = tiles(receiver.place.x);
        tiles(receiver.place.y).all(|y| self.tiles[y * across..][columns.clone()].iter().all(|&h| f64::from(h) <= low))
    }

    /// Part of the lamp that is seen, from 0 to 1; `turn` (0 to 1) turns the pattern of samples. The search for what is in
    /// the way, and the width of the half shadow from its distance, are those of percentage-closer soft shadows (Fernando 2005).
    pub(super) fn seen(&self, point: DVec3, normal: DVec3, turn: f64) -> f64 {
        let receiver = self.map.receiver(point, normal);
        // Two cells hide the steps of the map on folds; that is less than two millimetres for a garment.
        let bias = self.map.bias(&receiver, 2.0);
        let room = self.map.top - receiver.place.z;
        if !(room > bias) {
            return 1.0;
        }
        let reach = self.tangent * room / self.map.cell + 1.0;
        if self.is_clear(&receiver, reach, bias) {
            return 1.0;
        }
        let turn = DVec2::from_angle(std::f64::consts::TAU * turn);
        let covers = self.search.iter().map(|&p| self.map.cover(&receiver, reach * turn.rotate(p)));
        let (mut blockers, mut distance) = (0.0, 0.0);
        for cover in covers.filter(|&c| c > bias) {
            (blockers, distance) = (blockers + 1.0, distance + cover);
        }
        if blockers == 0.0 {
            return 1.0;
        }
        // What is dark over the whole reach is dark within any half shadow.
        if blockers == SEARCH as f64 {
            return 0.0;
        }
        let radius = (self.tangent * distance / blockers / self.map.cell).max(1.5);
        let is_open = |p: &&DVec2| self.map.cover(&receiver, radius * turn.rotate(**p)) <= bias;
        self.filter.iter().filter(is_open).count() as f64 / FILTER as f64
    }
}

/// Points spread evenly over the unit disc (a golden spiral).
pub(super) fn disc<const COUNT: usize>() -> [DVec2; COUNT] {
    std::array::from_fn(|k| DVec2::from_angle(GOLDEN * k as f64) * ((k as f64 + 0.5) / COUNT as f64).sqrt())
}

/// A number from 0 to 1 for a pixel, evenly spread over every small block of pixels (Jimenez 2014, interleaved gradient).
pub(super) fn spread(x: usize, y: usize) -> f64 {
    (52.982_918_9 * (0.067_110_56 * x as f64 + 0.005_837_15 * y as f64).fract()).fract()
}
