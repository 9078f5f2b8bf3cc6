//! Points inside: a hexagonal lattice along the grain, kept away from outlines and lines.

use super::Options;
use super::sizes::{RATIO, Sizes};
use glam::DVec2;

/// Closest a lattice point may come to an outline or line, in edge lengths. Every other row of the lattice starts at half an
/// edge from the side of a rectangle: above 0.5 those points are lost, triangles on the rim get too large, and the mean quality
/// of a sheet 6 edges wide falls from 0.974 to 0.959; below 0.4 the smallest angles of a shaken lattice fall.
const CLEARANCE: f64 = 0.42;

/// Closest points of two lattices may come to each other, in edge lengths of the coarser one.
const APART: f64 = 0.65;

/// Points in the metric plane. `corners` are the fixed points there; `boundary` edges tell inside from outside, `lines` only
/// keep points away. Near fixed edges that are short the lattice is finer.
pub(super) fn seeds(corners: &[DVec2], boundary: &[[usize; 2]], lines: &[[usize; 2]], options: &Options) -> Vec<DVec2> {
    let sizes = Sizes::new(corners, boundary.iter().chain(lines), options.edge);
    let walls = Walls::new(corners, boundary.iter().chain(lines), options.edge);
    let mut random = SplitMix(options.seed);
    let mut result: Vec<DVec2> = Vec::new();
    // The finest first: where two meet the coarser one gives way.
    for number in (0..sizes.lattices()).rev() {
        let (edge, finer) = (options.edge * RATIO.powi(number as i32), result.len());
        lattice(corners, boundary, edge, |mut p| {
            if options.jitter > 0.0 {
                p += options.jitter * edge * DVec2::new(random.symmetric(), random.symmetric());
            }
            let crowded = |q: &DVec2| q.distance_squared(p) < (APART * edge).powi(2);
            // A shifted point may have crossed a wall only if it was close to it before or is close to it now, or
            // lies outside: the flood fill drops those.
            if sizes.lattice(p) == number && !walls.near(p, CLEARANCE * edge) && !result[..finer].iter().any(crowded) {
                result.push(p);
            }
        });
    }
    result
}

/// Visits the points of a hexagonal lattice inside a boundary.
fn lattice(corners: &[DVec2], boundary: &[[usize; 2]], edge: f64, mut visit: impl FnMut(DVec2)) {
    let low = corners.iter().copied().fold(DVec2::INFINITY, DVec2::min);
    let size = corners.iter().copied().fold(DVec2::NEG_INFINITY, DVec2::max) - low;
    // It fits the bounding box, so that a rectangle gets rows parallel to its sides at the right distance.
    let columns = (size.x / edge).round().max(1.0);
    let rows = (size.y / (edge * 0.75f64.sqrt())).round().max(1.0);
    let step = DVec2::new(size.x / columns, size.y / rows);
    for (row, crossings) in scan_lines(corners, boundary, low.y, step.y, rows as usize).iter().enumerate() {
        let shift = 0.5 * (row % 2) as f64;
        for span in crossings.chunks_exact(2) {
            let first = ((span[0] - low.x) / step.x - shift).ceil() as i64;
            let last = ((span[1] - low.x) / step.x - shift).floor() as i64;
            for column in first..=last {
                visit(low + DVec2::new(column as f64 + shift, row as f64) * step);
            }
        }
    }
}

/// Sorted crossings of the boundary with each lattice row, in pairs of entry and exit.
fn scan_lines(corners: &[DVec2], boundary: &[[usize; 2]], low: f64, step: f64, rows: usize) -> Vec<Vec<f64>> {
    let mut lines = vec![Vec::new(); rows + 1];
    for &[i, j] in boundary {
        let (a, b) = if corners[i].y <= corners[j].y { (corners[i], corners[j]) } else { (corners[j], corners[i]) };
        // Half-open in y: a corner on a row counts once for the two edges that meet there.
        let first = ((a.y - low) / step).ceil().max(0.0) as usize;
        for row in first..=rows {
            let y = low + step * row as f64;
            if y >= b.y {
                break;
            }
            if y >= a.y {
                lines[row].push(a.x + (b.x - a.x) * ((y - a.y) / (b.y - a.y)));
            }
        }
    }
    for line in &mut lines {
        line.sort_unstable_by(f64::total_cmp);
    }
    lines
}

/// Edges, found by the cells they pass.
struct Walls<'a> {
    corners: &'a [DVec2],
    cell: f64,
    /// (cell, edge), sorted.
    entries: Vec<((i64, i64), [usize; 2])>,
}

impl<'a> Walls<'a> {
    fn new(corners: &'a [DVec2], edges: impl Iterator<Item = &'a [usize; 2]>, cell: f64) -> Self {
        let mut entries = Vec::new();
        for &edge in edges {
            let [a, b] = edge.map(|i| corners[i]);
            let samples = (2.0 * a.distance(b) / cell).ceil().max(1.0) as usize;
            for k in 0..=samples {
                let p = a.lerp(b, k as f64 / samples as f64) / cell;
                entries.push(((p.x.floor() as i64, p.y.floor() as i64), edge));
            }
        }
        entries.sort_unstable();
        entries.dedup();
        Self { corners, cell, entries }
    }

    /// Is the point closer than `distance` to an edge? Up to half a cell: edges are entered every half cell, so a nearest
    /// point at that distance has an entry in the cells around.
    fn near(&self, p: DVec2, distance: f64) -> bool {
        let (x, y) = ((p.x / self.cell).floor() as i64, (p.y / self.cell).floor() as i64);
        (x - 1..=x + 1).any(|x| {
            let from = self.entries.partition_point(|e| e.0 < (x, y - 1));
            self.entries[from..].iter().take_while(|e| e.0 <= (x, y + 1)).any(|(_, edge)| {
                let [a, b] = edge.map(|i| self.corners[i]);
                let t = ((p - a).dot(b - a) / a.distance_squared(b)).clamp(0.0, 1.0);
                a.lerp(b, t).distance_squared(p) < distance * distance
            })
        })
    }
}

/// Steele, Lea & Flood 2014: a counter through a mixing function. Enough for shifts, and the same everywhere.
struct SplitMix(u64);

impl SplitMix {
    /// Uniform in [−1, 1).
    fn symmetric(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}
