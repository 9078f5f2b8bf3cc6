//! From the outlines and lines of a shape to the fixed points and edges of its mesh.

use super::{Boundary, EXTENT, MeshingError, Options, Shape, TRIANGLES};
use glam::DVec2;
use std::collections::BTreeMap;

/// Turn (rad, 20°) from which a point of an outline counts as a corner and is kept. A smooth curve drawn with a point every
/// few degrees stays below it, a notch does not.
const CORNER: f64 = 0.35;
/// Distance, in edge lengths, at which the end of a line counts as lying on an outline.
const ATTACH: f64 = 1e-6;

/// The plane in which elements are round; see the head of the module above.
pub(super) struct Metric {
    turn: DVec2,
    root: f64,
}

impl Metric {
    pub(super) fn new(options: &Options) -> Self {
        Self { turn: DVec2::from_angle(options.grain), root: options.stretch.sqrt() }
    }

    pub(super) fn metric_from_panel(&self, p: DVec2) -> DVec2 {
        let along = DVec2::new(self.turn.x, -self.turn.y).rotate(p);
        DVec2::new(along.x / self.root, along.y * self.root)
    }

    pub(super) fn panel_from_metric(&self, p: DVec2) -> DVec2 {
        self.turn.rotate(DVec2::new(p.x * self.root, p.y / self.root))
    }
}

/// The fixed part of a mesh: points of outlines and lines, and the edges between them.
#[derive(Default)]
pub(super) struct Frame {
    /// In the panel (m), exactly as they end up in the mesh.
    pub(super) points: Vec<DVec2>,
    /// Edges of the outline and of holes.
    pub(super) boundary: Vec<[usize; 2]>,
    /// Edges of lines.
    pub(super) lines: Vec<[usize; 2]>,
    /// Area of the outline less that of the holes, as resampled (m²).
    pub(super) area: f64,
}

/// A point of a polyline and whether it must stay.
type Marked = (DVec2, bool);

impl Frame {
    pub(super) fn new(shape: &Shape, options: &Options, metric: &Metric) -> Result<Self, MeshingError> {
        let mut loops = vec![cleaned(&shape.outline, "the outline".into(), 3)?];
        for (k, hole) in shape.holes.iter().enumerate() {
            loops.push(cleaned(hole, format!("hole {k}"), 3)?);
        }
        let mut lines = Vec::new();
        for (k, line) in shape.lines.iter().enumerate() {
            lines.push(cleaned(line, format!("line {k}"), 2)?);
        }
        check_size(&loops, &lines, options)?;
        for line in &mut lines {
            attach(line, &mut loops, ATTACH * options.edge);
        }
        let edge = options.edge;
        let spaced = |points: &[Marked], closed: bool| match shape.boundary {
            Boundary::Kept => points.iter().map(|p| p.0).collect(),
            _ => resampled(points, closed, edge, metric),
        };
        let mut frame = Self::default();
        let mut known = BTreeMap::new();
        for (k, points) in loops.iter().enumerate() {
            let divided = spaced(points, true);
            let area = signed_area(divided.iter().copied()).abs();
            frame.area += if k == 0 { area } else { -area };
            frame.add_loop(&divided, &mut known)?;
        }
        for points in &lines {
            frame.add_line(&spaced(points, false), &mut known);
        }
        Ok(frame)
    }

    fn add_loop(&mut self, points: &[DVec2], known: &mut BTreeMap<[u64; 2], usize>) -> Result<(), MeshingError> {
        let first = self.points.len();
        for (i, &p) in points.iter().enumerate() {
            if known.insert(bits(p), first + i).is_some() {
                return Err(MeshingError::Crossing { x: p.x, y: p.y });
            }
            self.points.push(p);
            self.boundary.push([first + i, first + (i + 1) % points.len()]);
        }
        Ok(())
    }

    /// Lines may share points with outlines and each other.
    fn add_line(&mut self, points: &[DVec2], known: &mut BTreeMap<[u64; 2], usize>) {
        let mut last = None;
        for &p in points {
            let index = *known.entry(bits(p)).or_insert_with(|| {
                self.points.push(p);
                self.points.len() - 1
            });
            self.lines.extend(last.map(|l| [l, index]));
            last = Some(index);
        }
    }
}

fn bits(p: DVec2) -> [u64; 2] {
    [p.x.to_bits(), p.y.to_bits()]
}

pub(super) fn signed_area(points: impl ExactSizeIterator<Item = DVec2> + Clone) -> f64 {
    let next = points.clone().cycle().skip(1);
    0.5 * points.zip(next).map(|(a, b)| a.perp_dot(b)).sum::<f64>()
}

/// Finite, without repeated points.
fn cleaned(points: &[DVec2], part: String, needed: usize) -> Result<Vec<Marked>, MeshingError> {
    if let Some(index) = points.iter().position(|p| !p.is_finite()) {
        return Err(MeshingError::NotFinite { part, index });
    }
    // Adding zero turns −0 into 0, so that equal points have equal bits.
    let mut clean: Vec<DVec2> = points.iter().map(|p| *p + DVec2::ZERO).collect();
    clean.dedup();
    while needed == 3 && clean.len() > 1 && clean.first() == clean.last() {
        clean.pop();
    }
    if clean.len() < needed {
        return Err(MeshingError::TooFew { part, points: clean.len(), needed });
    }
    if needed == 3 {
        let spread = clean.iter().map(|p| p.distance_squared(clean[0])).fold(0.0, f64::max);
        // Relative: an outline of which all points lie on a line, up to the rounding of its coordinates.
        if !(signed_area(clean.iter().map(|p| *p - clean[0])).abs() > 1e-12 * spread) {
            return Err(MeshingError::Flat { part });
        }
    }
    Ok(clean.into_iter().map(|p| (p, false)).collect())
}

fn check_size(loops: &[Vec<Marked>], lines: &[Vec<Marked>], options: &Options) -> Result<(), MeshingError> {
    let all = || loops.iter().chain(lines).flatten().map(|p| p.0);
    let low = all().fold(DVec2::INFINITY, DVec2::min);
    let high = all().fold(DVec2::NEG_INFINITY, DVec2::max);
    let extent = (high - low).max_element().max(low.abs().max_element()).max(high.abs().max_element());
    let side = (high - low).max_element();
    if !(side >= EXTENT[0] && extent <= EXTENT[1]) {
        return Err(MeshingError::Extent { extent: if side < EXTENT[0] { side } else { extent } });
    }
    let edge = options.edge;
    let area = signed_area(loops[0].iter().map(|p| p.0)).abs();
    let length: f64 = loops.iter().chain(lines).flat_map(|l| l.windows(2)).map(|w| w[0].0.distance(w[1].0)).sum();
    // The second term covers thin shapes, whose triangles are on the rim (at most √stretch shorter there).
    let root = options.stretch.max(1.0 / options.stretch).sqrt();
    let triangles = area / (0.25 * 3f64.sqrt() * edge * edge) + 2.0 * length * root / edge;
    if triangles > TRIANGLES {
        return Err(MeshingError::TooMany { edge, triangles });
    }
    Ok(())
}

/// Gives outlines a point where a line ends on them, and the line exactly that point.
fn attach(line: &mut [Marked], loops: &mut [Vec<Marked>], tolerance: f64) {
    let last = line.len() - 1;
    for end in [0, last] {
        let p = line[end].0;
        for outline in loops.iter_mut() {
            let count = outline.len();
            let hit = (0..count).find_map(|i| {
                let (a, b) = (outline[i].0, outline[(i + 1) % count].0);
                let t = ((p - a).dot(b - a) / a.distance_squared(b)).clamp(0.0, 1.0);
                (a.lerp(b, t).distance(p) <= tolerance).then_some((i, a, b))
            });
            let Some((i, a, b)) = hit else { continue };
            if p.distance(a) <= tolerance {
                line[end].0 = a;
                outline[i].1 = true;
            } else if p.distance(b) <= tolerance {
                line[end].0 = b;
                outline[(i + 1) % count].1 = true;
            } else {
                outline.insert(i + 1, (p, true));
            }
            break;
        }
    }
}

/// Keeps corners, marked points and the ends of long segments; spaces the rest evenly, on the polyline.
fn resampled(points: &[Marked], closed: bool, edge: f64, metric: &Metric) -> Vec<DVec2> {
    let count = points.len();
    let segments = if closed { count } else { count - 1 };
    let at = |i: usize| metric.metric_from_panel(points[i % count].0);
    let length: Vec<f64> = (0..segments).map(|i| at(i).distance(at(i + 1))).collect();
    let kept = kept_points(points, closed, &length, edge);
    // A closed curve needs three points whatever the edge length.
    let least = if closed && kept.len() < 3 { 4 - kept.len() } else { 1 };
    let mut result = Vec::new();
    for (k, &start) in kept.iter().enumerate() {
        let end = match kept.get(k + 1) {
            Some(&next) => next,
            None if closed => kept[0] + count,
            None => break,
        };
        divide(points, &length, start..end, (edge, least), &mut result);
    }
    if !closed {
        result.push(points[count - 1].0);
    }
    result
}

/// Numbers of the points that stay, ascending; at least one.
fn kept_points(points: &[Marked], closed: bool, length: &[f64], edge: f64) -> Vec<usize> {
    let (count, segments) = (points.len(), length.len());
    let at = |i: usize| points[i % count].0;
    let mut kept: Vec<usize> = (0..count)
        .filter(|&i| {
            let is_end = !closed && (i == 0 || i + 1 == count);
            let before = (i + segments - 1) % segments;
            is_end
                || points[i].1
                || length[before] > edge
                || length[i] > edge
                || (at(i) - at(before)).angle_to(at(i + 1) - at(i)).abs() > CORNER
        })
        .collect();
    if kept.is_empty() {
        kept.push(0); // a smooth closed curve
    }
    kept
}

/// Adds evenly spaced points on the segments `chain`, without the last; `least` pieces at least.
fn divide(
    points: &[Marked],
    length: &[f64],
    chain: std::ops::Range<usize>,
    (edge, least): (f64, usize),
    result: &mut Vec<DVec2>,
) {
    let count = points.len();
    let total: f64 = chain.clone().map(|i| length[i % count]).sum();
    let pieces = (total / edge).round().max(least as f64) as usize;
    let (mut segment, mut done) = (chain.start, 0.0);
    for piece in 0..pieces {
        let target = total * piece as f64 / pieces as f64;
        while segment + 1 < chain.end && done + length[segment % count] <= target {
            done += length[segment % count];
            segment += 1;
        }
        let (a, b) = (points[segment % count].0, points[(segment + 1) % count].0);
        // a + (b − a) t: exact on lines along an axis.
        result.push(a + (b - a) * ((target - done) / length[segment % count]));
    }
}
