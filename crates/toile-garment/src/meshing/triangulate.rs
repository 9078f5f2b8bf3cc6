//! Triangulation, smoothing, and what lies inside.

use super::outline::{Frame, Metric};
use super::seeds::seeds;
use super::{MeshingError, Options};
use glam::{DVec2, DVec3};
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};
use toile_core::mesh::Mesh;

/// Smoothing passes. Mean quality gains less than 0.001 from further ones; a shaken lattice needs more of them.
const PASSES: usize = 6;
/// Further passes of a shaken lattice.
const JITTER_PASSES: usize = 6;

/// Passes over triangles that smoothing has left thin, and the shape (see `quality`) below which they are.
const MEND_PASSES: usize = 3;
const THIN: f64 = 0.5;

type Cdt = ConstrainedDelaunayTriangulation<Point2<f64>>;

/// Triangulates a frame and the lattice inside it.
pub(super) fn mesh(frame: Frame, options: &Options, metric: &Metric) -> Result<Mesh, MeshingError> {
    let fixed: Vec<DVec2> = frame.points.iter().map(|&p| metric.metric_from_panel(p)).collect();
    let walls = Walls::new(&frame);
    walls.check(&fixed, &frame)?;
    let mut points = fixed.clone();
    points.extend(seeds(&fixed, &frame.boundary, &frame.lines, options));
    let mut triangles = walls.triangulate(&mut points)?;
    let passes = PASSES + if options.jitter > 0.0 { JITTER_PASSES } else { 0 };
    for _ in 0..passes {
        smooth(&mut points, &triangles, fixed.len());
        triangles = walls.triangulate(&mut points)?;
    }
    for _ in 0..MEND_PASSES {
        if !mend(&mut points, &triangles, fixed.len()) {
            break;
        }
        triangles = walls.triangulate(&mut points)?;
    }
    let panel: Vec<DVec2> = (0..points.len())
        .map(|i| if i < fixed.len() { frame.points[i] } else { metric.panel_from_metric(points[i]) })
        .collect();
    walls.check_area(&panel, &triangles, &frame)?;
    Ok(ordered(&panel, &triangles, options.edge).with_grain(options.grain))
}

/// Edges that every triangulation must contain.
struct Walls {
    /// Outlines, then lines.
    edges: Vec<[usize; 2]>,
    /// Outlines only, ends and list in ascending order.
    boundary: Vec<[usize; 2]>,
}

fn ascending([a, b]: [usize; 2]) -> [usize; 2] {
    [a.min(b), a.max(b)]
}

impl Walls {
    fn new(frame: &Frame) -> Self {
        let mut boundary: Vec<_> = frame.boundary.iter().map(|&e| ascending(e)).collect();
        boundary.sort_unstable();
        Self { edges: [frame.boundary.as_slice(), &frame.lines].concat(), boundary }
    }

    /// Outlines and lines must not cross, nor pass through each other's points, nor run on top of each other.
    fn check(&self, fixed: &[DVec2], frame: &Frame) -> Result<(), MeshingError> {
        let crossing = |[a, b]: [usize; 2]| {
            let p = 0.5 * (frame.points[a] + frame.points[b]);
            MeshingError::Crossing { x: p.x, y: p.y }
        };
        let mut all: Vec<_> = self.edges.iter().map(|&e| ascending(e)).collect();
        all.sort_unstable();
        if let Some(twice) = all.windows(2).find(|w| w[0] == w[1]) {
            return Err(crossing(twice[0]));
        }
        let mut conflict = None;
        let cdt = load(fixed, &self.edges, |edge| conflict = conflict.or(Some(edge)))?;
        if let Some(edge) = conflict {
            return Err(crossing(edge));
        }
        let handle = |i: usize| spade::handles::FixedVertexHandle::from_index(i);
        match self.edges.iter().find(|e| !cdt.exists_constraint(handle(e[0]), handle(e[1]))) {
            Some(&broken) => Err(crossing(broken)),
            None => Ok(()),
        }
    }

    /// The triangles inside, counter-clockwise. Drops seeds that coincide: the list of points may get shorter.
    fn triangulate(&self, points: &mut Vec<DVec2>) -> Result<Vec<[usize; 3]>, MeshingError> {
        let cdt = load(points, &self.edges, |_| {})?;
        *points = cdt.vertices().map(|v| DVec2::new(v.position().x, v.position().y)).collect();
        // Flood fill from the outside; crossing an outline changes sides, crossing a line does not.
        let is_wall = |a: usize, b: usize| self.boundary.binary_search(&ascending([a, b])).is_ok();
        let mut side: Vec<Option<bool>> = vec![None; cdt.num_all_faces()];
        let mut queue = Vec::new();
        for edge in cdt.convex_hull() {
            let inner = if edge.face().is_outer() { edge.rev() } else { edge };
            queue.push((inner.face(), is_wall(edge.from().index(), edge.to().index())));
        }
        while let Some((face, inside)) = queue.pop() {
            let Some(face) = face.as_inner() else { continue };
            if side[face.index()].is_some() {
                continue;
            }
            side[face.index()] = Some(inside);
            for edge in face.adjacent_edges() {
                queue.push((edge.rev().face(), inside ^ is_wall(edge.from().index(), edge.to().index())));
            }
        }
        let inside = cdt.inner_faces().filter(|f| side[f.index()] == Some(true));
        Ok(inside.map(|f| f.vertices().map(|v| v.index())).collect())
    }

    /// Holes and lines must lie inside: the area says it for holes, the triangles on both sides for lines.
    fn check_area(&self, panel: &[DVec2], triangles: &[[usize; 3]], frame: &Frame) -> Result<(), MeshingError> {
        let found: f64 = triangles.iter().map(|t| area(panel, t)).sum();
        // Rounding of a sum of up to TRIANGLES terms stays far below; a hole that small would not have three points.
        if !((found - frame.area).abs() <= 1e-9 * frame.area.abs()) {
            return Err(MeshingError::HoleOutside { found, expected: frame.area });
        }
        let mut used: Vec<[usize; 2]> =
            triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]].map(ascending)).collect();
        used.sort_unstable();
        match frame.lines.iter().find(|&&e| used.binary_search(&ascending(e)).is_err()) {
            Some(&[a, b]) => {
                let p = 0.5 * (panel[a] + panel[b]);
                Err(MeshingError::LineOutside { x: p.x, y: p.y })
            }
            None => Ok(()),
        }
    }
}

fn load(points: &[DVec2], edges: &[[usize; 2]], conflict: impl FnMut([usize; 2])) -> Result<Cdt, MeshingError> {
    let points: Vec<_> = points.iter().map(|p| spade::mitigate_underflow(Point2::new(p.x, p.y))).collect();
    // Only coordinates beyond the range of exact predicates are refused, and the size check has refused those before.
    Cdt::try_bulk_load_cdt(points, edges.to_vec(), conflict)
        .map_err(|_| MeshingError::NotFinite { part: "the shape".into(), index: 0 })
}

fn area(points: &[DVec2], t: &[usize; 3]) -> f64 {
    0.5 * (points[t[1]] - points[t[0]]).perp_dot(points[t[2]] - points[t[0]])
}

/// One pass of optimal Delaunay smoothing over the points from `fixed` on.
fn smooth(points: &mut [DVec2], triangles: &[[usize; 3]], fixed: usize) {
    let mut goal = vec![(DVec2::ZERO, 0.0); points.len()];
    for t in triangles {
        let (area, centre) = (area(points, t), circumcentre(t.map(|i| points[i])));
        for &i in t {
            goal[i].0 += area * centre;
            goal[i].1 += area;
        }
    }
    let stars = Stars::new(points.len(), triangles);
    for i in fixed..points.len() {
        let (sum, weight) = goal[i];
        if weight > 0.0 {
            let old = points[i];
            let least = |points: &[DVec2]| {
                stars.of(i).iter().map(|&t| area(points, &triangles[t as usize])).fold(f64::INFINITY, f64::min)
            };
            // A move that would turn a triangle over could carry the point through an outline: it stays instead.
            points[i] = sum / weight;
            if !(least(points) > 0.0) {
                points[i] = old;
            }
        }
    }
}

/// Moves points of thin triangles to the middle of their neighbours where that makes the thinnest of them less so. In the neck of a shape no wider than
/// two triangles smoothing may lay a point against the outline. Returns whether any has moved.
fn mend(points: &mut [DVec2], triangles: &[[usize; 3]], fixed: usize) -> bool {
    let stars = Stars::new(points.len(), triangles);
    let mut has_moved = false;
    for i in fixed..points.len() {
        let thinnest = |points: &[DVec2]| {
            stars.of(i).iter().map(|&t| shape(triangles[t as usize].map(|k| points[k]))).fold(1.0, f64::min)
        };
        let before = thinnest(points);
        if before >= THIN {
            continue;
        }
        let own = stars.of(i).iter().flat_map(|&t| triangles[t as usize]).filter(|k| *k != i);
        let (sum, count) = own.fold((DVec2::ZERO, 0.0), |(sum, n), k| (sum + points[k], n + 1.0));
        let old = points[i];
        points[i] = sum / count;
        if thinnest(points) > before { has_moved = true } else { points[i] = old }
    }
    has_moved
}

/// 4√3 A / Σl²: 1 for equilateral triangles, 0 for flat ones, negative for those turned over.
fn shape([a, b, c]: [DVec2; 3]) -> f64 {
    let squares = a.distance_squared(b) + b.distance_squared(c) + c.distance_squared(a);
    2.0 * 3f64.sqrt() * (b - a).perp_dot(c - a) / squares
}

fn circumcentre([a, b, c]: [DVec2; 3]) -> DVec2 {
    let (p, q) = (b - a, c - a);
    let twice = 2.0 * p.perp_dot(q);
    a + (DVec2::new(q.y, -q.x) * p.length_squared() + DVec2::new(-p.y, p.x) * q.length_squared()) / twice
}

/// Triangles round each vertex.
struct Stars {
    start: Vec<u32>,
    triangles: Vec<u32>,
}

impl Stars {
    fn new(vertex_count: usize, triangles: &[[usize; 3]]) -> Self {
        let mut start = vec![0u32; vertex_count + 1];
        for &i in triangles.iter().flatten() {
            start[i + 1] += 1;
        }
        for i in 0..vertex_count {
            start[i + 1] += start[i];
        }
        let mut next = start.clone();
        let mut list = vec![0; 3 * triangles.len()];
        for (t, corners) in triangles.iter().enumerate() {
            for &i in corners {
                list[next[i] as usize] = t as u32;
                next[i] += 1;
            }
        }
        Self { start, triangles: list }
    }

    fn of(&self, i: usize) -> &[u32] {
        &self.triangles[self.start[i] as usize..self.start[i + 1] as usize]
    }
}

/// The mesh, numbered in bands across its longer side, so that neighbours have close numbers: factors and caches like it.
fn ordered(panel: &[DVec2], triangles: &[[usize; 3]], edge: f64) -> Mesh {
    let mut is_used = vec![false; panel.len()];
    triangles.iter().flatten().for_each(|&i| is_used[i] = true);
    let used = || (0..panel.len()).filter(|&i| is_used[i]);
    let low = used().map(|i| panel[i]).fold(DVec2::INFINITY, DVec2::min);
    let size = used().map(|i| panel[i]).fold(DVec2::NEG_INFINITY, DVec2::max) - low;
    let (along, across) = if size.x > size.y { (DVec2::X, DVec2::Y) } else { (DVec2::Y, DVec2::X) };
    let key = |i: usize| {
        let p = panel[i] - low;
        ((p.dot(along) / (0.75f64.sqrt() * edge)).round() as u64, p.dot(across))
    };
    let mut order: Vec<usize> = used().collect();
    order.sort_by(|&i, &j| {
        let (a, b) = (key(i), key(j));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(i.cmp(&j))
    });
    let mut number = vec![0u32; panel.len()];
    order.iter().enumerate().for_each(|(new, &old)| number[old] = new as u32);
    // Triangles by their smallest vertex, which also comes first: neighbours in the list are neighbours in the sheet.
    let mut corners: Vec<[usize; 3]> = triangles.to_vec();
    for t in &mut corners {
        let first = (0..3).min_by_key(|&k| number[t[k]]).unwrap_or(0);
        t.rotate_left(first);
    }
    corners.sort_by_key(|t| t.map(|i| number[i]));
    Mesh {
        positions: order.iter().map(|&i| DVec3::new(panel[i].x, 0.0, -panel[i].y)).collect(),
        triangles: corners.iter().map(|t| t.map(|i| number[i])).collect(),
        material: corners.iter().map(|t| t.map(|i| panel[i])).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A point against one side of a square goes to its middle; there it stays.
    #[test]
    fn points_leave_the_outline_they_were_laid_against() {
        let corners = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y];
        let mut points = [&corners[..], &[DVec2::new(0.5, 0.05)]].concat();
        let triangles = [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]];
        assert!(mend(&mut points, &triangles, 4));
        assert!(points[4].distance(DVec2::splat(0.5)) < 1e-12, "{}", points[4]);
        assert_eq!(points[..4], corners);
        assert!(!mend(&mut points, &triangles, 4));
    }
}
