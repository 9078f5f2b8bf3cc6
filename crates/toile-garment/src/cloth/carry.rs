//! Places in space carried from one mesh of a garment to another, by where they are on the fabric.
//!
//! A garment that was cut anew (finer, or to a changed pattern) takes its drape from the old mesh: each place on a panel is looked up
//! in the old mesh of that panel and lies on its triangle, or beyond the old outline in the plane of the nearest one.

use super::Cloth;
use glam::{DVec2, DVec3};
use std::collections::BTreeMap;

/// Weight of a corner below which a place counts as outside of a triangle: rounding of coordinates, far below any edge.
const INSIDE: f64 = -1e-9;

impl Cloth {
    /// Places in space (m) of the vertices, taken from another mesh of the same panels at the same places of the fabric. Vertices that have several
    /// places on the fabric lie in the middle of what those say; those of a panel the other mesh does not have stay where they are.
    pub fn carry(&self, from: &Self) -> Vec<DVec3> {
        self.carried(from).0
    }

    /// Also counts the triangles that were looked at.
    pub(super) fn carried(&self, from: &Self) -> (Vec<DVec3>, usize) {
        let mut maps: BTreeMap<u32, Map> = BTreeMap::new();
        let mut known = BTreeMap::new();
        let mut found = self.mesh.positions.clone();
        let mut count = vec![0.0; found.len()];
        for (t, corners) in self.mesh.triangles.iter().enumerate() {
            let panel = self.panels[t];
            let map = maps.entry(panel).or_insert_with(|| Map::of(from, panel));
            for (&v, p) in corners.iter().zip(&self.flat[t]) {
                // One voice for each place, however many triangles meet there.
                if map.triangles.is_empty() || known.insert((panel, p.x.to_bits(), p.y.to_bits()), ()).is_some() {
                    continue;
                }
                let v = v as usize;
                count[v] += 1.0;
                let x = map.position(*p);
                // A running mean: voices that agree are heard to the bit.
                found[v] = if count[v] == 1.0 { x } else { found[v] + (x - found[v]) / count[v] };
            }
        }
        (found, maps.values().map(|m| m.looks).sum())
    }
}

/// The triangles of a panel in square buckets about as large as they are.
struct Map<'a> {
    from: &'a Cloth,
    triangles: Vec<u32>,
    low: DVec2,
    cell: f64,
    size: [usize; 2],
    /// Triangles whose box reaches into a bucket: `starts` of each bucket in `entries`.
    starts: Vec<u32>,
    entries: Vec<u32>,
    looks: usize,
}

impl<'a> Map<'a> {
    fn of(from: &'a Cloth, panel: u32) -> Self {
        let triangles: Vec<u32> = (0..from.panels.len() as u32).filter(|t| from.panels[*t as usize] == panel).collect();
        let corners = || triangles.iter().flat_map(|t| from.flat[*t as usize]);
        let (low, high) =
            (corners().fold(DVec2::INFINITY, DVec2::min), corners().fold(DVec2::NEG_INFINITY, DVec2::max));
        let mut map =
            Self { from, triangles, low, cell: 1.0, size: [0; 2], starts: Vec::new(), entries: Vec::new(), looks: 0 };
        if map.triangles.is_empty() {
            return map;
        }
        // As many buckets as triangles, whatever the shape of the panel.
        let extent = (high - low).max(DVec2::splat(1e-9 * (high - low).max_element()));
        map.cell = (extent.x * extent.y / map.triangles.len() as f64).sqrt().max(extent.max_element() / 1e4);
        map.size = [extent.x, extent.y].map(|e| (e / map.cell) as usize + 1);
        map.fill();
        map
    }

    /// Counted, then filled in: two passes, no lists of lists.
    fn fill(&mut self) {
        let mut starts = vec![0u32; self.size[0] * self.size[1] + 1];
        for &t in &self.triangles {
            self.reach(t).for_each(|bucket| starts[bucket + 1] += 1);
        }
        (1..starts.len()).for_each(|k| starts[k] += starts[k - 1]);
        let mut next = starts.clone();
        let mut entries = vec![0; starts[starts.len() - 1] as usize];
        for &t in &self.triangles {
            for bucket in self.reach(t) {
                entries[next[bucket] as usize] = t;
                next[bucket] += 1;
            }
        }
        (self.starts, self.entries) = (starts, entries);
    }

    fn column_row(&self, p: DVec2) -> [usize; 2] {
        let at = (p - self.low) / self.cell;
        // A cast of what is negative gives 0.
        [(at.x as usize).min(self.size[0] - 1), (at.y as usize).min(self.size[1] - 1)]
    }

    /// Buckets the box of a triangle reaches into.
    fn reach(&self, t: u32) -> impl Iterator<Item = usize> + use<> {
        let [a, b, c] = self.from.flat[t as usize];
        let [low, high] = [self.column_row(a.min(b).min(c)), self.column_row(a.max(b).max(c))];
        let width = self.size[0];
        (low[1]..=high[1]).flat_map(move |y| (low[0]..=high[0]).map(move |x| y * width + x))
    }

    /// Place in space of a place on the panel.
    fn position(&mut self, p: DVec2) -> DVec3 {
        let (t, weights) = self.containing(p).unwrap_or_else(|| self.nearest(p));
        let corners = self.from.mesh.triangles[t as usize].map(|v| self.from.mesh.positions[v as usize]);
        (0..3).map(|k| weights[k] * corners[k]).fold(DVec3::ZERO, |a, b| a + b)
    }

    fn bucket(&self, x: usize, y: usize) -> std::ops::Range<usize> {
        let k = y * self.size[0] + x;
        self.starts[k] as usize..self.starts[k + 1] as usize
    }

    fn containing(&mut self, p: DVec2) -> Option<(u32, [f64; 3])> {
        let [x, y] = self.column_row(p);
        for k in self.bucket(x, y) {
            let t = self.entries[k];
            self.looks += 1;
            let weights = weights(&self.from.flat[t as usize], p);
            if weights.iter().all(|w| *w >= INSIDE) {
                return Some((t, weights));
            }
        }
        None
    }

    /// The nearest triangle of a place outside of all, ring by ring of buckets; of those as near (about a corner) the one that is drawn out least.
    fn nearest(&mut self, p: DVec2) -> (u32, [f64; 3]) {
        let [x, y] = self.column_row(p);
        let high = self.low + DVec2::new(self.size[0] as f64, self.size[1] as f64) * self.cell;
        let outside = p.distance_squared(p.clamp(self.low, high));
        let mut best = (f64::INFINITY, f64::INFINITY, 0, [0.0; 3]);
        for ring in 0..self.size[0].max(self.size[1]) {
            for (x, y) in self.ring([x, y], ring) {
                for k in self.bucket(x, y) {
                    let t = self.entries[k];
                    self.looks += 1;
                    let flat = &self.from.flat[t as usize];
                    let weights = weights(flat, p);
                    let drawn_out = -weights.iter().copied().fold(f64::INFINITY, f64::min);
                    let found = (distance_squared(flat, p), drawn_out, t, weights);
                    if (found.0, found.1) < (best.0, best.1) {
                        best = found;
                    }
                }
            }
            // What lies in rings further out is at least this far, by Pythagoras also where p is beside the buckets.
            if best.0 <= outside + (ring as f64 * self.cell).powi(2) {
                break;
            }
        }
        (best.2, best.3)
    }

    /// Buckets at a distance from one, inside the map.
    fn ring(&self, [x, y]: [usize; 2], ring: usize) -> impl Iterator<Item = (usize, usize)> + use<> {
        let [width, height] = self.size;
        let (low, high) = (y.saturating_sub(ring), (y + ring).min(height - 1));
        (low..=high).flat_map(move |row| {
            let whole = row + ring == y || row == y + ring;
            let step = if whole { 1 } else { (2 * ring).max(1) };
            let columns = (0..=2 * ring).step_by(step).map(move |k| (x + k).checked_sub(ring));
            columns.flatten().filter(move |column| *column < width).map(move |column| (column, row))
        })
    }
}

/// Weights of the corners: 1 and 0 to the bit where the place is a corner.
fn weights([a, b, c]: &[DVec2; 3], p: DVec2) -> [f64; 3] {
    let (ab, ac, ap) = (*b - *a, *c - *a, p - *a);
    let area = ab.perp_dot(ac);
    let (v, w) = (ap.perp_dot(ac) / area, ab.perp_dot(ap) / area);
    [1.0 - v - w, v, w]
}

/// Squared distance to a triangle's sides from outside of it; to its corners exactly, so that triangles about a corner are equally near.
fn distance_squared(corners: &[DVec2; 3], p: DVec2) -> f64 {
    let side = |a: DVec2, b: DVec2| {
        let t = (p - a).dot(b - a) / a.distance_squared(b);
        let at = if t <= 0.0 {
            a
        } else if t >= 1.0 {
            b
        } else {
            a.lerp(b, t)
        };
        p.distance_squared(at)
    };
    let [a, b, c] = *corners;
    side(a, b).min(side(b, c)).min(side(c, a))
}
