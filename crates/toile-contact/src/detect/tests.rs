//! Detection against all pairs, with distances at many times of the motion.

use super::*;
use std::collections::BTreeSet;

/// Numbers in −1..1, the same every time.
pub(crate) struct Noise(u64);

impl Noise {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(crate) fn vector(&mut self, size: f64) -> DVec3 {
        size * DVec3::new(self.next(), self.next(), self.next())
    }
}

/// A state to detect in.
#[derive(Clone, Default)]
pub(crate) struct Scene {
    pub(crate) shapes: Shapes,
    pub(crate) material: Vec<[DVec2; 3]>,
    pub(crate) x: Vec<DVec3>,
    pub(crate) d: Vec<DVec3>,
}

pub(crate) const CELL: f64 = 0.01;

impl Scene {
    /// Adds cloth from flat vertices, placed by `place`.
    pub(crate) fn cloth(
        &mut self,
        flat: &[DVec2],
        triangles: &[[u32; 3]],
        radius: f64,
        place: impl Fn(DVec2) -> DVec3,
    ) {
        self.shapes.add("cloth", true, radius, flat.len(), triangles, &[]);
        self.material.extend(triangles.iter().map(|t| t.map(|v| flat[v as usize])));
        self.x.extend(flat.iter().map(|&p| place(p)));
        self.d.resize(self.x.len(), DVec3::ZERO);
    }

    /// Adds a square sheet of n × n cells.
    pub(crate) fn sheet(&mut self, n: u32, place: impl Fn(DVec2) -> DVec3) {
        let (flat, triangles) = grid(n);
        self.cloth(&flat, &triangles, 0.0005, place);
    }

    pub(crate) fn obstacle(&mut self, radius: f64, x: &[DVec3], triangles: &[[u32; 3]], bare: &[[u32; 2]]) {
        self.shapes.add("obstacle", false, radius, x.len(), triangles, bare);
        self.x.extend(x);
        self.d.resize(self.x.len(), DVec3::ZERO);
    }

    pub(crate) fn shake(&mut self, seed: u64, x: f64, d: f64) {
        let mut noise = Noise::new(seed);
        self.x.iter_mut().for_each(|p| *p += noise.vector(x));
        self.d.iter_mut().for_each(|p| *p += noise.vector(d));
    }

    /// Every pair that comes within reach at one of a few times, by its definition.
    pub(crate) fn near(&self, reach: f64) -> BTreeSet<(Kind, [u32; 4])> {
        let s = &self.shapes;
        let is_cloth = |v: u32| (v as usize) < s.cloth_vertices;
        let mut near = BTreeSet::new();
        let mut add = |kind: Kind, pair: [u32; 4], features: [&[u32]; 2]| {
            let shared = features[0].iter().any(|v| features[1].contains(v));
            if !shared && features.iter().any(|f| is_cloth(f[0])) && self.is_near(kind, pair, reach) {
                near.insert((kind, pair));
            }
        };
        for p in 0..s.vertex_count() as u32 {
            for t in &s.triangles {
                add(Kind::VertexFace, [p, t[0], t[1], t[2]], [&[p], t]);
            }
            for &e in &s.bare_edges {
                let e = &s.edges[e as usize];
                add(Kind::VertexEdge, [p, e[0], e[1], u32::MAX], [&[p], e]);
            }
        }
        for (k, e) in s.edges.iter().enumerate() {
            for f in &s.edges[k + 1..] {
                add(Kind::EdgeEdge, [e[0], e[1], f[0], f[1]], [e, f]);
            }
        }
        near
    }

    /// Does a pair come within reach at one of a few times?
    pub(crate) fn is_near(&self, kind: Kind, pair: [u32; 4], reach: f64) -> bool {
        let split = if kind == Kind::EdgeEdge { 2 } else { 1 };
        let end = if kind == Kind::VertexEdge { 3 } else { 4 };
        let limit = reach + self.shapes.radius(pair[0]) + self.shapes.radius(pair[split]);
        (0..=8).any(|k| {
            let at = |v: u32| {
                let v = v as usize;
                self.x.get(v).map_or(DVec3::ZERO, |x| *x + self.d[v] * f64::from(k) / 8.0)
            };
            let x = pair.map(at);
            distance(&x[..split], &x[split..end]) <= limit
        })
    }

    /// Detects and checks that every pair is there once, is allowed, and that none of the near ones is missing. Returns what was
    /// found and how many of these are near.
    pub(crate) fn check(&self, detector: &mut Detector, reach: f64) -> (Candidates, usize) {
        let found = detector.detect(&self.shapes, &self.x, Some(&self.d), reach).clone();
        let set: BTreeSet<_> = found.pairs().collect();
        assert_eq!(set.len(), found.len(), "pairs come once");
        for (_, pair) in &set {
            assert_eq!(pair.iter().collect::<BTreeSet<_>>().len(), 4, "pair {pair:?} shares a vertex");
            assert!(pair.iter().any(|&v| (v as usize) < self.shapes.cloth_vertices), "pair {pair:?} of obstacles");
        }
        let near = self.near(reach);
        let missing: Vec<_> = near.difference(&set).collect();
        assert!(missing.is_empty(), "{} of {} pairs are missing: {:?}", missing.len(), near.len(), missing[0]);
        (found, near.len())
    }

    pub(crate) fn check_new(&self, reach: f64) -> (Candidates, usize) {
        self.check(&mut Detector::new(&self.shapes, &self.x, &self.material), reach)
    }
}

pub(crate) fn grid(n: u32) -> (Vec<DVec2>, Vec<[u32; 3]>) {
    let flat = (0..=n).flat_map(|j| (0..=n).map(move |i| DVec2::new(f64::from(i), f64::from(j)) * CELL)).collect();
    let mut triangles = Vec::new();
    for (i, j) in (0..n).flat_map(|j| (0..n).map(move |i| (i, j))) {
        let a = j * (n + 1) + i;
        let (b, c, d) = (a + 1, a + n + 1, a + n + 2);
        triangles.extend(if (i + j) % 2 == 0 { [[a, b, d], [a, d, c]] } else { [[a, b, c], [b, d, c]] });
    }
    (flat, triangles)
}

/// Distance of a point or segment from a segment or triangle.
fn distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    match (a.len(), b.len()) {
        (1, 2) => to_segment(a[0], b[0], b[1]),
        (1, 3) => to_triangle(a[0], [b[0], b[1], b[2]]),
        _ => {
            // Inner points of both, or an end of one.
            let (u, v, w) = (a[1] - a[0], b[1] - b[0], a[0] - b[0]);
            let n = u.cross(v);
            let (s, t) = (-w.cross(v).dot(n) / n.length_squared(), -w.cross(u).dot(n) / n.length_squared());
            let ends = [(a[0], b), (a[1], b), (b[0], a), (b[1], a)].map(|(p, e)| to_segment(p, e[0], e[1]));
            let inner = if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
                (w + s * u - t * v).length()
            } else {
                f64::INFINITY
            };
            ends.into_iter().fold(inner, f64::min)
        }
    }
}

fn to_segment(p: DVec3, a: DVec3, b: DVec3) -> f64 {
    let t = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
    (p - a - t * (b - a)).length()
}

fn to_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let n = (b - a).cross(c - a).normalize();
    let inside = [(a, b), (b, c), (c, a)].iter().all(|&(s, e)| (e - s).cross(p - s).dot(n) >= 0.0);
    if inside {
        return (p - a).dot(n).abs();
    }
    to_segment(p, a, b).min(to_segment(p, b, c)).min(to_segment(p, c, a))
}

pub(crate) fn flat(p: DVec2) -> DVec3 {
    DVec3::new(p.x, 0.0, p.y)
}

/// A cone of triangles about the origin, open below: an obstacle with vertices of many triangles.
fn cone(at: DVec3, size: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let ring = (0..9).map(|k| {
        let angle = f64::from(k) * std::f64::consts::TAU / 9.0;
        at + size * DVec3::new(angle.cos(), -1.0, angle.sin())
    });
    let x = std::iter::once(at).chain(ring).collect();
    (x, (0..9).map(|k| [0, 1 + (k + 1) % 9, 1 + k]).collect())
}

#[test]
fn flat_sheet_has_no_pairs_within_a_small_reach() {
    let mut scene = Scene::default();
    scene.sheet(12, flat);
    let (found, near) = scene.check_new(0.001);
    assert_eq!((found.len(), near), (0, 0));
    let (_, near) = scene.check_new(0.012); // more than a cell: neighbours of neighbours
    assert!(near > 1000, "{near}");
}

#[test]
fn crumpled_sheet_loses_no_pair() {
    for seed in 1..4 {
        let mut scene = Scene::default();
        scene.sheet(10, flat);
        scene.shake(seed, 0.012, 0.006);
        let (found, near) = scene.check_new(0.002);
        assert!(near > 500 && found.len() < 5 * near, "{near} near, {} found", found.len());
    }
}

#[test]
fn sheet_that_folds_shut_loses_no_pair() {
    let mut scene = Scene::default();
    scene.sheet(12, |p| if p.x > 0.06 { DVec3::new(0.12 - p.x, 0.02, p.y) } else { flat(p) });
    for (x, d) in scene.x.iter().zip(&mut scene.d) {
        d.y = -0.85 * x.y;
    }
    let (found, near) = scene.check_new(0.002); // two layers, 3 mm apart at the end with radii
    assert!(near > 500 && found.len() < 8 * near, "{near} near, {} found", found.len());
    scene.d.fill(DVec3::ZERO);
    assert!(scene.check_new(0.002).0.len() < found.len() / 4, "far apart at the start");
}

#[test]
fn sheets_that_shoot_past_each_other_are_seen() {
    let mut scene = Scene::default();
    scene.sheet(8, flat);
    scene.sheet(8, |p| DVec3::new(0.7 * p.x + 0.013, 0.1, p.y + 0.02));
    for k in 0..81 {
        scene.d[k].y = 0.3;
        scene.d[81 + k].y = -0.2;
    }
    scene.shake(5, 0.001, 0.001);
    // The times tried hit the moment of crossing (0.1 m at 0.5 m per step) only if it is one of them.
    scene.d.iter_mut().for_each(|d| *d *= 0.8);
    assert!(scene.check_new(0.004).1 > 100);
}

/// Only relative motion counts: a fast rigid motion finds what rest finds.
#[test]
fn falling_sheet_costs_nothing() {
    let mut scene = Scene::default();
    scene.sheet(10, flat);
    scene.shake(2, 0.01, 0.0);
    let (rest, _) = scene.check_new(0.002);
    scene.d.fill(DVec3::new(0.3, -2.0, 0.5));
    let (falling, _) = scene.check_new(0.002);
    assert!(falling.len() <= rest.len() + rest.len() / 100, "{} at rest, {} falling", rest.len(), falling.len());
}

#[test]
fn balls_capsules_and_meshes_meet_cloth() {
    let mut scene = Scene::default();
    scene.sheet(8, flat);
    scene.sheet(4, |p| flat(p) + 0.04 * DVec3::Y);
    scene.obstacle(0.02, &[DVec3::new(0.04, -0.0215, 0.03)], &[], &[]);
    scene.obstacle(0.01, &[DVec3::new(0.0, -0.02, 0.0), DVec3::new(0.075, -0.011, 0.075)], &[], &[[0, 1]]);
    let (x, triangles) = cone(DVec3::new(0.05, -0.004, 0.02), 0.02);
    scene.obstacle(0.001, &x, &triangles, &[]);
    let first = scene.shapes.bodies[4].first_vertex as usize;
    scene.d[first..].fill(DVec3::new(0.01, 0.05, 0.004));
    scene.shake(3, 0.0005, 0.0005);
    let (found, _) = scene.check_new(0.002);
    let ball = scene.shapes.bodies[2].first_vertex;
    assert!(found.vertex_face.iter().any(|p| p[0] == ball), "the ball against faces");
    assert!(found.vertex_face.iter().any(|p| p[0] == ball + 2), "an end of the capsule against faces");
    assert!(!found.vertex_edge.is_empty(), "cloth vertices against the capsule");
    assert!(found.vertex_face.iter().any(|p| p[1] >= first as u32), "cloth vertices against the mesh");
    assert!(found.vertex_face.iter().any(|p| p[0] >= first as u32), "cloth faces against the mesh");
    assert!(found.edge_edge.iter().any(|p| p[2] >= first as u32), "edges against edges of the mesh");
}

/// A detector that is used again answers like a new one: obstacles that stood still, were moved between queries or move now.
#[test]
fn obstacles_are_refitted_when_they_move() {
    let mut scene = Scene::default();
    scene.sheet(8, flat);
    let (x, triangles) = cone(DVec3::new(0.04, -0.003, 0.04), 0.03);
    scene.obstacle(0.001, &x, &triangles, &[]);
    scene.obstacle(0.01, &[DVec3::new(0.04, 0.012, 0.03)], &[], &[]);
    let mut used = Detector::new(&scene.shapes, &scene.x, &scene.material);
    let cone_range = 81..91;
    for round in 0..7 {
        match round {
            2 => scene.x[cone_range.clone()].iter_mut().for_each(|p| p.y -= 0.01),
            3 => scene.d[cone_range.clone()].fill(DVec3::new(0.0, 0.02, 0.0)),
            4 => scene.d[cone_range.clone()].fill(DVec3::ZERO),
            5 => scene.x[91].y -= 0.0005,
            6 => scene.shapes.bodies[2].radius *= 1.5,
            _ => {}
        }
        let (found, _) = scene.check(&mut used, 0.002);
        // The built order differs after the cone has moved: compare as sets.
        let fresh = scene.check_new(0.002).0;
        assert_eq!(found.pairs().collect::<BTreeSet<_>>(), fresh.pairs().collect::<BTreeSet<_>>(), "round {round}");
        assert!(!found.is_empty());
    }
}

#[test]
fn any_number_of_threads_gives_the_same_list() {
    let mut scene = Scene::default();
    scene.sheet(48, |p| DVec3::new(p.x, 0.03 * (40.0 * p.x).sin(), p.y));
    scene.obstacle(0.05, &[DVec3::new(0.2, -0.08, 0.2)], &[], &[]);
    scene.shake(7, 0.006, 0.003);
    let lists = [1, 2, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut detector = Detector::new(&scene.shapes, &scene.x, &scene.material);
            detector.detect(&scene.shapes, &scene.x, Some(&scene.d), 0.002).clone()
        })
    });
    assert!(lists[0].len() > 10_000);
    assert_eq!(lists[0], lists[1]);
    assert_eq!(lists[0], lists[2]);
}

#[test]
fn nothing_to_detect_is_no_failure() {
    let mut scene = Scene::default();
    assert!(scene.check_new(0.1).0.is_empty());
    scene.obstacle(0.1, &[DVec3::ZERO], &[], &[]);
    assert!(scene.check_new(0.1).0.is_empty());
    let mut scene = Scene::default();
    scene.sheet(4, flat);
    let mut detector = Detector::new(&scene.shapes, &scene.x, &scene.material);
    scene.x[3].y = f64::NAN;
    assert!(detector.detect(&scene.shapes, &scene.x, None, 0.02).is_empty());
}
