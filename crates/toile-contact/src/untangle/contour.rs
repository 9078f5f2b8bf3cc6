//! Where surfaces cross: contours, what they cut off, and which way leads back.
//!
//! An edge that runs through a triangle is a point of a contour; points are joined where they belong to the same two triangles.
//! A contour lies on two strands of surface, one of the edges and one of the triangles at each of its points.
//!
//! - If it **cuts off** a piece of a strand, the piece has come through and goes back, its rim first: each end beyond wishes to
//!   lie on the other side of the triangle. Of the two strands, the one that loses less area gives way.
//! - If it cuts off neither (sheets slotted into each other), it is **shortened**: along the gradient of its length
//!   (Volino06) the end of a slot slides out.

use super::Fabric;
use super::solve::Wish;
use crate::certify::{Crossing, Feature};
use glam::DVec3;
use std::collections::{BTreeMap, BTreeSet};

/// Strength of the wishes.
const STRENGTH: f64 = 10.0;
/// Mean gradient of a contour from which on all of it is moved along.
const COMMON: f64 = 0.05;

/// An edge through a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) edge: u32,
    pub(super) triangle: u32,
    /// Ends of the edge: on the side of the normal, and behind.
    ends: [u32; 2],
    /// Distances of both from the plane (m), both positive.
    heights: [f64; 2],
    /// Barycentric coordinates of the point in the triangle.
    shares: [f64; 3],
    normal: DVec3,
    place: DVec3,
}

impl Point {
    /// None for features that are not edges, and where the plane is not defined well enough.
    pub(super) fn of(fabric: &Fabric, x: &[DVec3], crossing: &Crossing) -> Option<Self> {
        let Feature::Edge(edge) = crossing.feature else { return None };
        let [p, q] = fabric.shapes.edges[edge as usize];
        let corners = fabric.shapes.triangles[crossing.triangle as usize];
        let [a, b, c] = corners.map(|v| x[v as usize]);
        let normal = (b - a).cross(c - a);
        let (area, n) = (normal.length(), normal.normalize_or_zero());
        let [above, below] = [p, q].map(|v| (x[v as usize] - a).dot(n));
        if !(area > 0.0 && above * below < 0.0) {
            return None;
        }
        let (ends, heights) = if above > 0.0 { ([p, q], [above, -below]) } else { ([q, p], [below, -above]) };
        let place = x[ends[0] as usize].lerp(x[ends[1] as usize], heights[0] / (heights[0] + heights[1]));
        let share = |u: DVec3, v: DVec3| ((u - place).cross(v - place).dot(n) / area).clamp(0.0, 1.0);
        let shares = [share(b, c), share(c, a), share(a, b)];
        let sum = shares.iter().sum::<f64>();
        let shares = if sum > 0.0 { shares.map(|s| s / sum) } else { [1.0 / 3.0; 3] };
        Some(Self { edge, triangle: crossing.triangle, ends, heights, shares, normal: n, place })
    }

    /// Moves `vertex` relative to the triangle.
    fn wish(&self, fabric: &Fabric, nodes: [(u32, f64); 2], direction: DVec3, goal: f64) -> Wish {
        let [a, b, c] = fabric.shapes.triangles[self.triangle as usize];
        let [s, t, u] = self.shares;
        Wish {
            nodes: [nodes[0].0, nodes[1].0, a, b, c],
            weights: [nodes[0].1, nodes[1].1, -s, -t, -u],
            direction,
            goal,
            strength: STRENGTH,
        }
    }

    /// The gradient of the contour's length, against: where to move the edge relative to the triangle.
    fn shortening(&self, fabric: &Fabric, x: &[DVec3]) -> DVec3 {
        let [p, q] = self.ends.map(|v| x[v as usize]);
        let along = (p - q).normalize_or_zero();
        let slope = along.dot(self.normal);
        let mut sum = DVec3::ZERO;
        for &t in fabric.triangles_of_edge[self.edge as usize].iter().filter(|&&t| t != u32::MAX) {
            let corners = fabric.shapes.triangles[t as usize];
            let Some(&third) = corners.iter().find(|v| !self.ends.contains(v)) else { continue };
            let [a, b, c] = corners.map(|v| x[v as usize]);
            let line = (b - a).cross(c - a).cross(self.normal).normalize_or_zero();
            let inward = x[third as usize] - self.place;
            let inward = inward - inward.dot(along) * along;
            let ray = if line.dot(inward) < 0.0 { -line } else { line };
            sum += ray - along.dot(ray) / slope * self.normal;
        }
        sum
    }
}

/// Points that hang together, each on one of two strands.
struct Contour {
    strands: [Vec<usize>; 2],
}

/// Groups points by the triangles they share.
fn contours(fabric: &Fabric, points: &[Point]) -> Vec<Contour> {
    let mut sets = Strands::new(points.len());
    let mut seen: BTreeMap<[u32; 2], (usize, bool)> = BTreeMap::new();
    for (k, point) in points.iter().enumerate() {
        for &t in fabric.triangles_of_edge[point.edge as usize].iter().filter(|&&t| t != u32::MAX) {
            let key = [t.min(point.triangle), t.max(point.triangle)];
            let edge_is_lower = t < point.triangle;
            match seen.get(&key) {
                Some(&(other, is_lower)) => sets.join(other, k, is_lower != edge_is_lower),
                None => {
                    seen.insert(key, (k, edge_is_lower));
                }
            }
        }
    }
    let mut groups: BTreeMap<usize, Contour> = BTreeMap::new();
    for k in 0..points.len() {
        let (root, is_other) = sets.root(k);
        let group = groups.entry(root).or_insert_with(|| Contour { strands: [Vec::new(), Vec::new()] });
        group.strands[usize::from(is_other)].push(k);
    }
    groups.into_values().collect()
}

/// Sets of points that know which strand each member's edge is on, relative to their root.
struct Strands {
    parent: Vec<(usize, bool)>,
}

impl Strands {
    fn new(count: usize) -> Self {
        Self { parent: (0..count).map(|k| (k, false)).collect() }
    }

    fn root(&mut self, k: usize) -> (usize, bool) {
        let (mut node, mut is_other) = (k, false);
        while self.parent[node].0 != node {
            is_other ^= self.parent[node].1;
            node = self.parent[node].0;
        }
        self.parent[k] = (node, is_other);
        (node, is_other)
    }

    fn join(&mut self, a: usize, b: usize, is_other: bool) {
        let ((ra, pa), (rb, pb)) = (self.root(a), self.root(b));
        if ra != rb {
            let (low, high) = (ra.min(rb), ra.max(rb));
            self.parent[high] = (low, pa ^ pb ^ is_other);
        }
    }
}

/// A piece that a contour cuts off.
struct Piece {
    vertices: Vec<u32>,
    /// On the side of the normals (0) or behind them (1).
    side: usize,
    area: f64,
    /// The piece is all inside a solid and has to leave it; the area outside (m²) that calls it there. None: it goes back.
    call: Option<f64>,
}

/// What the contours of a state ask for.
#[derive(Default)]
pub(super) struct Demand {
    pub(super) wishes: Vec<Wish>,
    /// Vertices of pieces that have come through.
    pub(super) away: Vec<u32>,
    /// Vertices that have to leave solids by themselves, each with the way that leads back through the contour.
    pub(super) swallowed: BTreeMap<u32, DVec3>,
}

/// Looks at all contours. `inside` says in which solid a cloth vertex is.
pub(super) fn demand(fabric: &Fabric, x: &[DVec3], points: &[Point], inside: &[Option<u32>]) -> Demand {
    let mut demand = Demand::default();
    for contour in contours(fabric, points) {
        let pieces: [Option<Piece>; 2] = [0, 1].map(|s| cut_off(fabric, points, &contour.strands[s], inside));
        if (0..2).any(|s| pieces[s].is_none() && leaves_by_itself(fabric, points, &contour.strands[s], inside)) {
            continue;
        }
        let chosen = match &pieces {
            [Some(a), _] if a.call.is_some() => Some(0),
            [_, Some(b)] if b.call.is_some() => Some(1),
            [Some(a), Some(b)] => Some(usize::from(b.area < a.area)),
            [Some(_), None] => Some(0),
            [None, Some(_)] => Some(1),
            [None, None] => None,
        };
        match chosen.and_then(|s| pieces[s].as_ref().map(|p| (s, p))) {
            Some((s, Piece { vertices, call: Some(call), .. })) => {
                let back = *call * contour.strands[s].iter().map(|&k| points[k].normal).sum::<DVec3>();
                for &v in vertices {
                    *demand.swallowed.entry(v).or_insert(DVec3::ZERO) += back;
                }
            }
            Some((s, piece)) => {
                demand.away.extend(&piece.vertices);
                send_back(fabric, points, &contour.strands[s], piece.side, &mut demand.wishes);
            }
            None => shorten(fabric, x, points, &contour, &mut demand.wishes),
        }
    }
    demand
}

/// Is this a strand of cloth through a solid, with vertices inside? They leave it, whatever else the contour would ask for.
fn leaves_by_itself(fabric: &Fabric, points: &[Point], strand: &[usize], inside: &[Option<u32>]) -> bool {
    let is_in = |v: &u32| inside.get(*v as usize).is_some_and(Option::is_some);
    let body = |t: u32| fabric.shapes.body_of_vertex[fabric.shapes.triangles[t as usize][0] as usize];
    strand.iter().any(|&k| fabric.solids.contains_key(&body(points[k].triangle)) && points[k].ends.iter().any(is_in))
}

/// Each end beyond wishes to lie on the other side.
fn send_back(fabric: &Fabric, points: &[Point], strand: &[usize], side: usize, wishes: &mut Vec<Wish>) {
    for point in strand.iter().map(|&k| &points[k]) {
        let direction = if side == 0 { -point.normal } else { point.normal };
        let goal = (point.heights[side] + fabric.margin).min(fabric.stride);
        let end = (point.ends[side], 1.0);
        wishes.push(point.wish(fabric, [end, (end.0, 0.0)], direction, goal));
    }
}

fn shorten(fabric: &Fabric, x: &[DVec3], points: &[Point], contour: &Contour, wishes: &mut Vec<Wish>) {
    let sum: DVec3 = (0..2)
        .map(|s| {
            let sign = if s == 0 { 1.0 } else { -1.0 };
            let bounded = |g: DVec3| g / g.length().max(1.0);
            contour.strands[s].iter().map(|&k| sign * bounded(points[k].shortening(fabric, x))).sum::<DVec3>()
        })
        .sum();
    let count = contour.strands.iter().map(Vec::len).sum::<usize>() as f64;
    for (s, strand) in contour.strands.iter().enumerate() {
        for point in strand.iter().map(|&k| &points[k]) {
            let own = point.shortening(fabric, x);
            let sign = if s == 0 { 1.0 } else { -1.0 };
            let common = if sum.length() > COMMON * count.sqrt() { sign * sum.normalize() } else { DVec3::ZERO };
            let way = own / own.length().max(1.0) + common;
            if let Some(direction) = way.try_normalize().filter(|_| way.length() > 1e-3) {
                let [above, below] = point.heights;
                let share = below / (above + below);
                let ends = [(point.ends[0], share), (point.ends[1], 1.0 - share)];
                wishes.push(point.wish(fabric, ends, direction, way.length().min(1.0) * 0.5 * fabric.stride));
            }
        }
    }
}

/// The piece that a strand loses if it is cut along the contour; none if it hangs together all the same.
fn cut_off(fabric: &Fabric, points: &[Point], strand: &[usize], inside: &[Option<u32>]) -> Option<Piece> {
    let first = &points[*strand.first()?];
    let cuts: BTreeSet<u32> = strand.iter().map(|&k| points[k].edge).collect();
    let seeds = [0, 1].map(|s| strand.iter().map(|&k| points[k].ends[s]).collect::<BTreeSet<u32>>());
    if seeds[0].intersection(&seeds[1]).next().is_some() {
        return None;
    }
    let area = |vertices: &[u32]| vertices.iter().map(|&v| fabric.areas[v as usize]).sum::<f64>();
    let body = |t: u32| fabric.shapes.body_of_vertex[fabric.shapes.triangles[t as usize][0] as usize];
    let solid = body(first.triangle);
    let is_in = |v: u32| inside.get(v as usize).is_some_and(|i| *i == Some(solid));
    let is_pierced = (first.ends[0] as usize) < fabric.shapes.cloth_vertices && fabric.solids.contains_key(&solid);
    let swallowed = if is_pierced { grow(fabric, &cuts, &seeds[1], is_in) } else { Vec::new() };
    if is_pierced && grow(fabric, &cuts, &seeds[1], |_| true).len() == swallowed.len() {
        return Some(Piece { vertices: swallowed, side: 1, area: 0.0, call: Some(1.0) });
    }
    let (side, vertices) = race(fabric, &cuts, &seeds)?;
    let own = area(&vertices);
    // A corner that has come out of a solid does not go back in for the larger rest.
    if side == 0 && area(&swallowed) > own && !vertices.iter().any(|&v| is_in(v)) {
        return Some(Piece { vertices: swallowed, side: 1, area: 0.0, call: Some(own) });
    }
    Some(Piece { vertices, side, area: own, call: None })
}

/// All that hangs together with the seeds and is `good`.
fn grow(fabric: &Fabric, cuts: &BTreeSet<u32>, seeds: &BTreeSet<u32>, good: impl Fn(u32) -> bool) -> Vec<u32> {
    let mut seen: BTreeSet<u32> = seeds.iter().copied().filter(|&v| good(v)).collect();
    let mut queue: Vec<u32> = seen.iter().copied().collect();
    let mut k = 0;
    while let Some(&v) = queue.get(k) {
        k += 1;
        for &(_, w) in fabric.neighbours(v).iter().filter(|n| !cuts.contains(&n.0)) {
            if good(w) && seen.insert(w) {
                queue.push(w);
            }
        }
    }
    queue
}

/// Both sides grow in turns: the smaller ends first. None if they meet.
fn race(fabric: &Fabric, cuts: &BTreeSet<u32>, seeds: &[BTreeSet<u32>; 2]) -> Option<(usize, Vec<u32>)> {
    let mut owner: BTreeMap<u32, usize> = BTreeMap::new();
    let mut queues = seeds.clone().map(|s| s.into_iter().collect::<Vec<u32>>());
    for s in 0..2 {
        queues[s].iter().for_each(|&v| {
            owner.insert(v, s);
        });
    }
    let mut heads = [0, 0];
    loop {
        for s in 0..2 {
            let Some(&v) = queues[s].get(heads[s]) else { return Some((s, std::mem::take(&mut queues[s]))) };
            heads[s] += 1;
            for &(_, w) in fabric.neighbours(v).iter().filter(|n| !cuts.contains(&n.0)) {
                match owner.get(&w) {
                    Some(&o) if o != s => return None,
                    Some(_) => {}
                    None => {
                        owner.insert(w, s);
                        queues[s].push(w);
                    }
                }
            }
        }
    }
}
