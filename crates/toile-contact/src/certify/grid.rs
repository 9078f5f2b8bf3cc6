//! Which features lie near which triangles: a grid of several levels, sorted cell keys, no hashing.
//!
//! Every box is put into the cells of a level whose cells are as large as itself, at most eight. The smaller of a pair looks
//! among the larger ones. A pair is reported in one cell only: that of the lower corner of what the two boxes share.

use glam::DVec3;
use rayon::prelude::*;

/// A box; empty ones (of features without finite places) meet nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    low: DVec3,
    high: DVec3,
}

impl Bounds {
    pub(super) fn of(points: &[DVec3], radius: f64) -> Self {
        let infinity = DVec3::splat(f64::INFINITY);
        let (low, high) = points.iter().fold((infinity, -infinity), |(l, h), p| (l.min(*p), h.max(*p)));
        if !points.iter().all(|p| p.is_finite()) {
            return Self { low: infinity, high: -infinity };
        }
        // A radius of 0 must not round a box open: the sum is exact then.
        Self { low: low - radius * (1.0 + 1e-12), high: high + radius * (1.0 + 1e-12) }
    }

    fn is_empty(&self) -> bool {
        !self.low.cmple(self.high).all()
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }

    fn extent(&self) -> f64 {
        (self.high - self.low).max_element()
    }
}

/// Bits per axis of a cell key.
const BITS: u32 = 21;
/// Boxes in one piece of work.
const CHUNK: usize = 512;

/// Cells of the finest level; those of level l are 2ˡ as wide.
struct Frame {
    origin: DVec3,
    per_cell: f64,
}

impl Frame {
    /// Cells twice as wide as the mean box, so that nearly all boxes are of the finest level.
    fn around(boxes: &[&[Bounds]]) -> Self {
        let infinity = DVec3::splat(f64::INFINITY);
        let (mut low, mut high, mut sum, mut count) = (infinity, -infinity, 0.0, 0.0);
        for b in boxes.iter().flat_map(|b| b.iter()).filter(|b| !b.is_empty()) {
            (low, high) = (low.min(b.low), high.max(b.high));
            (sum, count) = (sum + b.extent(), count + 1.0);
        }
        let finest = (high - low).max_element() / f64::from(1 << (BITS - 1));
        let cell = (2.0 * sum / count).max(finest).max(f64::MIN_POSITIVE * 1e20);
        Self { origin: low, per_cell: 1.0 / cell }
    }

    /// Corners of the finest level. Rounding keeps the order, so boxes that overlap share a cell.
    fn corners(&self, b: &Bounds) -> [[u64; 3]; 2] {
        let cell = |p: DVec3| ((p - self.origin) * self.per_cell).to_array().map(|x| x as u64);
        [cell(b.low), cell(b.high)]
    }

    fn level(&self, b: &Bounds) -> u32 {
        (b.extent() * self.per_cell).max(1.0).log2().ceil() as u32
    }
}

fn key(cell: [u64; 3]) -> u64 {
    cell[0] | cell[1] << BITS | cell[2] << (2 * BITS)
}

/// Calls `visit` with each cell of a level between two corners.
fn for_cells(corners: &[[u64; 3]; 2], level: u32, mut visit: impl FnMut([u64; 3])) {
    let [low, high] = corners.map(|c| c.map(|x| x >> level));
    for x in low[0]..=high[0] {
        for y in low[1]..=high[1] {
            for z in low[2]..=high[2] {
                visit([x, y, z]);
            }
        }
    }
}

/// Boxes of one level, by cell.
struct Level {
    level: u32,
    entries: Vec<(u64, u32)>,
}

fn levels(frame: &Frame, boxes: &[Bounds], from: u32) -> Vec<Level> {
    let mut all: Vec<Level> = Vec::new();
    for (i, b) in boxes.iter().enumerate().filter(|(_, b)| !b.is_empty()) {
        let level = frame.level(b);
        if level < from {
            continue;
        }
        let found = all.iter().position(|l| l.level == level).unwrap_or_else(|| {
            all.push(Level { level, entries: Vec::new() });
            all.len() - 1
        });
        for_cells(&frame.corners(b), level, |cell| all[found].entries.push((key(cell), i as u32)));
    }
    all.sort_by_key(|l| l.level);
    all.par_iter_mut().for_each(|l| l.entries.par_sort_unstable());
    all
}

/// All pairs (feature, triangle) whose boxes overlap and for which `test` has an answer, in an order that does not
/// depend on the threads.
pub(super) fn pairs<T: Send>(
    features: &[Bounds],
    triangles: &[Bounds],
    test: impl Fn(u32, u32) -> Option<T> + Sync,
) -> Vec<T> {
    if features.iter().all(Bounds::is_empty) || triangles.iter().all(Bounds::is_empty) {
        return Vec::new();
    }
    let frame = Frame::around(&[features, triangles]);
    let among_triangles = levels(&frame, triangles, 0);
    // No triangle is below the finest level: features of that level need not be found.
    let among_features = levels(&frame, features, 1);
    let mut found = look_up(&frame, features, triangles, &among_triangles, |own, other| other >= own, &test);
    found.extend(look_up(&frame, triangles, features, &among_features, |own, other| other > own, |t, f| test(f, t)));
    found
}

fn look_up<T: Send>(
    frame: &Frame,
    seekers: &[Bounds],
    targets: &[Bounds],
    levels: &[Level],
    is_sought: impl Fn(u32, u32) -> bool + Sync,
    test: impl Fn(u32, u32) -> Option<T> + Sync,
) -> Vec<T> {
    let chunk = |(number, boxes): (usize, &[Bounds])| {
        let mut found = Vec::new();
        for (i, own) in boxes.iter().enumerate().filter(|(_, b)| !b.is_empty()) {
            let (index, corners, own_level) = ((number * CHUNK + i) as u32, frame.corners(own), frame.level(own));
            for level in levels.iter().filter(|l| is_sought(own_level, l.level)) {
                for_cells(&corners, level.level, |cell| {
                    let key = key(cell);
                    let start = level.entries.partition_point(|e| e.0 < key);
                    for &(_, target) in level.entries[start..].iter().take_while(|e| e.0 == key) {
                        let other = &targets[target as usize];
                        if !own.overlaps(other) {
                            continue;
                        }
                        let shared = Bounds { low: own.low.max(other.low), high: own.low.max(other.low) };
                        if frame.corners(&shared)[0].map(|x| x >> level.level) == cell {
                            found.extend(test(index, target));
                        }
                    }
                });
            }
        }
        found
    };
    if levels.is_empty() {
        return Vec::new();
    }
    let parts: Vec<Vec<T>> = seekers.par_chunks(CHUNK).enumerate().map(chunk).collect();
    parts.into_iter().flatten().collect()
}
