//! What the rounds need to know about the meshes: neighbours, rest lengths, areas, solids.

use super::Problem;
use super::solid::{Plane, Solid};
use super::solve::Wish;
use crate::certify::{Crossing, Feature, Meeting};
use crate::shapes::Shapes;
use glam::DVec3;
use std::collections::BTreeMap;

/// Share of the heights about a plane that must be on one side to say which side it is.
const ONE_SIDED: f64 = 0.5;
/// Strength of wishes to leave planes and rods.
const STRENGTH: f64 = 10.0;

pub(super) struct Fabric<'a> {
    pub(super) shapes: &'a Shapes,
    problem: &'a Problem<'a>,
    /// Triangles at each edge; `u32::MAX` where there is none.
    pub(super) triangles_of_edge: Vec<[u32; 2]>,
    /// Edge and other end, vertex by vertex.
    links: Vec<(u32, u32)>,
    first_link: Vec<usize>,
    /// Triangles about cloth vertices, like links.
    fans: Vec<Vec<u32>>,
    /// Share of the surface of each vertex (m²).
    pub(super) areas: Vec<f64>,
    /// Rest length of each cloth edge (m).
    lengths: Vec<f64>,
    /// Shortest and longest edge over its rest length at the start.
    start_ratios: [f64; 2],
    /// Weights of cloth vertices over their mean.
    pub(super) weights: Vec<f64>,
    /// Obstacles with an inside, by body.
    pub(super) solids: BTreeMap<u32, Solid>,
    /// How far a vertex goes in one round at most (m).
    pub(super) stride: f64,
    /// By how much what is sent back goes beyond (m).
    pub(super) margin: f64,
}

impl<'a> Fabric<'a> {
    pub(super) fn new(problem: &'a Problem, x: &[DVec3]) -> Self {
        let shapes = problem.shapes;
        let at = |v: u32| x[v as usize];
        let number: BTreeMap<[u32; 2], usize> =
            shapes.edges.iter().enumerate().map(|(k, e)| ([e[0].min(e[1]), e[0].max(e[1])], k)).collect();
        let mut triangles_of_edge = vec![[u32::MAX; 2]; shapes.edges.len()];
        let mut areas = vec![0.0; shapes.vertex_count()];
        let mut fans = vec![Vec::new(); shapes.cloth_vertices];
        let mut rest = vec![(0.0, 0.0); shapes.cloth_edges];
        for (t, corners) in shapes.triangles.iter().enumerate() {
            let [a, b, c] = corners.map(at);
            let area = 0.5 * (b - a).cross(c - a).length();
            for k in 0..3 {
                let (v, w) = (corners[k], corners[(k + 1) % 3]);
                areas[v as usize] += area / 3.0;
                if let Some(fan) = fans.get_mut(v as usize) {
                    fan.push(t as u32);
                }
                let Some(&e) = number.get(&[v.min(w), v.max(w)]) else { continue };
                let of_edge = &mut triangles_of_edge[e];
                of_edge[usize::from(of_edge[0] != u32::MAX)] = t as u32;
                if let Some(m) = problem.material.get(t).filter(|_| e < rest.len()) {
                    rest[e].0 += m[k].distance(m[(k + 1) % 3]);
                    rest[e].1 += 1.0;
                }
            }
        }
        let length = |(e, (sum, count)): (usize, &(f64, f64))| {
            let [a, b] = shapes.edges[e].map(at);
            if *count > 0.0 { sum / count } else { a.distance(b) }
        };
        let lengths: Vec<f64> = rest.iter().enumerate().map(length).collect();
        let mean = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
        let weight = problem.weights.iter().sum::<f64>() / problem.weights.len().max(1) as f64;
        let (links, first_link) = links(shapes);
        let obstacles = (0..shapes.bodies.len()).filter(|&b| !shapes.bodies[b].is_cloth);
        let mut fabric = Self {
            shapes,
            problem,
            triangles_of_edge,
            links,
            first_link,
            fans,
            areas,
            lengths,
            start_ratios: [1.0; 2],
            weights: problem.weights.iter().map(|w| if weight > 0.0 { w / weight } else { 1.0 }).collect(),
            solids: obstacles.filter_map(|b| Some((b as u32, Solid::of(shapes, b, x)?))).collect(),
            stride: 0.6 * mean,
            margin: 0.5 * problem.clearance,
        };
        fabric.start_ratios = fabric.edge_ratios(x);
        fabric
    }

    /// Edges at a vertex and their other ends.
    pub(super) fn neighbours(&self, v: u32) -> &[(u32, u32)] {
        &self.links[self.first_link[v as usize]..self.first_link[v as usize + 1]]
    }

    /// The solid a point is in.
    pub(super) fn solid_at(&self, p: DVec3) -> Option<u32> {
        self.solids.iter().find(|(_, s)| s.way_out(p).is_some()).map(|(b, _)| *b)
    }

    /// Whether two bodies must not cross: not where a sheet need not feel itself.
    pub(super) fn is_felt(&self, [a, b]: [u32; 2]) -> bool {
        self.problem.own || a != b
    }

    /// Normal at a cloth vertex, as long as twice the area about it.
    pub(super) fn normal(&self, x: &[DVec3], v: u32) -> DVec3 {
        let of = |t: &u32| {
            let [a, b, c] = self.shapes.triangles[*t as usize].map(|v| x[v as usize]);
            (b - a).cross(c - a)
        };
        self.fans.get(v as usize).map_or(DVec3::ZERO, |fan| fan.iter().map(of).sum())
    }

    /// Where the first of two features that touch goes: along the normal of the body named last, or against that of the first; to
    /// the side where most of it lies already, where it does.
    pub(super) fn parting(&self, x: &[DVec3], first: &[u32], second: &[u32]) -> DVec3 {
        let body = |v: u32| self.shapes.body_of_vertex[v as usize];
        let mean = |feature: &[u32]| feature.iter().map(|&v| self.normal(x, v)).sum::<DVec3>();
        let is_ahead = body(first[0]) <= body(second[0]);
        let (guide, other) = if is_ahead { (mean(second), mean(first)) } else { (-mean(first), -mean(second)) };
        let guide = if guide == DVec3::ZERO { other } else { guide };
        let guide = guide.try_normalize().unwrap_or(DVec3::Y);
        let (moved, still, across) = if is_ahead { (first, second, guide) } else { (second, first, -guide) };
        self.side(x, moved, x[still[0] as usize], across) * guide
    }

    /// On which side of a plane the surroundings of a cloth feature lie: −1, or 1, also where they lie on both sides or in it.
    fn side(&self, x: &[DVec3], feature: &[u32], point: DVec3, normal: DVec3) -> f64 {
        let fans = feature.iter().filter_map(|&v| self.fans.get(v as usize)).flatten();
        let corners = fans.flat_map(|&t| self.shapes.triangles[t as usize]);
        let heights = corners.map(|v| normal.dot(x[v as usize] - point));
        let [sum, size] = heights.fold([0.0, 0.0], |[sum, size], h| [sum + h, size + h.abs()]);
        // A sheet that runs through the plane has as much on either side: the order of the bodies decides then, for all pairs alike.
        if sum < -ONE_SIDED * size && size > self.margin { -1.0 } else { 1.0 }
    }

    /// The radius that nothing may enter: that of balls and capsules; the thickness of cloth may be, on the way.
    pub(super) fn core(&self, v: u32) -> f64 {
        let body = self.shapes.body_of_vertex[v as usize];
        if matches!(self.solids.get(&body), Some(Solid::Round { .. })) { self.shapes.radius(v) } else { 0.0 }
    }

    fn ratio(&self, x: &[DVec3], edge: usize) -> f64 {
        let [a, b] = self.shapes.edges[edge].map(|v| x[v as usize]);
        a.distance(b) / self.lengths[edge]
    }

    pub(super) fn edge_ratios(&self, x: &[DVec3]) -> [f64; 2] {
        let ratios = (0..self.lengths.len()).map(|e| self.ratio(x, e));
        ratios.fold([1.0, 1.0], |[low, high], r| [low.min(r), high.max(r)])
    }

    /// The allowed ratios, or those of the start if they were worse.
    pub(super) fn bounds(&self, [low, high]: [f64; 2]) -> [f64; 2] {
        [low.min(self.start_ratios[0]), high.max(self.start_ratios[1])]
    }

    /// Edges that leave the bounds.
    pub(super) fn beyond(&self, x: &[DVec3], [low, high]: [f64; 2]) -> Vec<u32> {
        let is_beyond = |e: &usize| !(low..=high).contains(&self.ratio(x, *e));
        (0..self.lengths.len()).filter(is_beyond).map(|e| e as u32).collect()
    }

    pub(super) fn edge_wishes(&self, x: &[DVec3], band: [f64; 2], strength: f64) -> Vec<Wish> {
        let [low, high] = self.bounds(band);
        let wish = |e: usize| {
            let ratio = self.ratio(x, e);
            let goal = (ratio.clamp(low, high) - ratio) * self.lengths[e];
            let [a, b] = self.shapes.edges[e];
            let along = (x[a as usize] - x[b as usize]).normalize_or_zero();
            (goal != 0.0).then(|| Wish::of_pair([a, b, a, a], [1.0, -1.0, 0.0, 0.0], along, goal, strength))
        };
        (0..self.lengths.len()).filter_map(wish).collect()
    }

    fn plane_gaps<'b>(&'b self, x: &'b [DVec3]) -> impl Iterator<Item = (u32, &'b Plane, f64)> + 'b {
        self.problem.planes.iter().flat_map(move |plane| {
            let gap = move |v: u32| plane.normal.dot(x[v as usize] - plane.point) - self.shapes.radius(v);
            (0..self.shapes.cloth_vertices as u32).map(move |v| (v, plane, gap(v)))
        })
    }

    /// Vertices nearer to a plane than their radius, with its name.
    pub(super) fn under_planes<'b>(&'b self, x: &'b [DVec3]) -> impl Iterator<Item = (u32, &'b str)> + 'b {
        self.plane_gaps(x).filter(|p| !(p.2 > 0.0)).map(|(v, plane, _)| (v, plane.name.as_str()))
    }

    /// Smallest gap to a plane (m).
    pub(super) fn plane_gap(&self, x: &[DVec3]) -> f64 {
        self.plane_gaps(x).map(|p| p.2).fold(f64::INFINITY, f64::min)
    }

    pub(super) fn plane_wishes(&self, x: &[DVec3]) -> Vec<Wish> {
        let clearance = self.problem.clearance;
        let low = self.plane_gaps(x).filter(|p| p.2 < clearance);
        low.map(|(v, plane, gap)| {
            let goal = (clearance - gap).min(self.stride);
            Wish::of_pair([v; 4], [1.0, 0.0, 0.0, 0.0], plane.normal, goal, STRENGTH)
        })
        .collect()
    }

    /// Wishes of triangles that balls and capsules run through: out over the nearer end of an axis that pierces them, or straight
    /// away from it.
    pub(super) fn skewers(&self, x: &[DVec3], meetings: &[(Meeting, Crossing)]) -> Vec<Wish> {
        let at = |v: u32| x[v as usize];
        let mut wishes = Vec::new();
        for (_, pair) in meetings {
            let corners = self.shapes.triangles[pair.triangle as usize];
            let [a, b, c] = corners.map(at);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            let (ends, radius) = match pair.feature {
                Feature::Ball(v) => ([v, v], self.shapes.radius(v)),
                Feature::Edge(e) if self.shapes.bare_edges.contains(&e) => {
                    let ends = self.shapes.edges[e as usize];
                    (ends, self.shapes.radius(ends[0]))
                }
                Feature::Edge(_) => continue,
            };
            let heights = ends.map(|v| (at(v) - a).dot(normal));
            // Ends on the two sides: over the nearer one. Both on one side: away from the nearer one.
            let is_pierced = heights[0] * heights[1] < 0.0;
            let nearer = usize::from(heights[1].abs() < heights[0].abs());
            let height = heights[nearer];
            let side = if is_pierced { height.signum() } else { -height.signum() };
            let way = if is_pierced { radius + height.abs() } else { radius - height.abs() };
            let goal = (way + self.margin).clamp(0.0, self.stride);
            for v in corners {
                wishes.push(Wish::of_pair([v; 4], [1.0, 0.0, 0.0, 0.0], side * normal, goal, 0.3 * STRENGTH));
            }
        }
        wishes
    }
}

/// Edges and neighbours of each vertex.
fn links(shapes: &Shapes) -> (Vec<(u32, u32)>, Vec<usize>) {
    let mut own = vec![Vec::new(); shapes.vertex_count()];
    for (e, &[a, b]) in shapes.edges.iter().enumerate() {
        own[a as usize].push((e as u32, b));
        own[b as usize].push((e as u32, a));
    }
    let mut first = vec![0];
    let mut links = Vec::new();
    for mut list in own {
        links.append(&mut list);
        first.push(links.len());
    }
    (links, first)
}
