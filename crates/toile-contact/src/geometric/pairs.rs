//! One pair that touches: its weights and its corrections.
//!
//! | symbol | meaning                                                        |
//! |--------|----------------------------------------------------------------|
//! | w, n   | weights of the closest points; unit vector from second to first |
//! | g      | gap n·Σwx − radii (m)                                           |
//! | λ, τ   | normal and tangential impulse of the step (N·s)                 |
//! | m̂      | 1/Σ w²/m: what the pair weighs along any direction (kg)         |

use super::Settings;
use super::push::Hold;
use crate::barrier::Friction;
use crate::bodies::Bodies;
use crate::ccd::{Query, time_of_impact};
use crate::detect::Kind;
use glam::{DMat3, DVec3};

/// Share of a change of impulse that goes over to the remembered force. With all of it Störmer–Verlet, whose velocities lag half a
/// step, swings for ever between none and twice the weight; from here on every scheme settles within some steps.
const LEARNING: f64 = 0.8;

/// Cosine up to which features behind the skin of a mesh count as having come through it: edges that lie side by side have not.
const STRAIGHT: f64 = -0.8;

/// Sweeps in which forces that several pairs of a vertex share find theirs.
const SHARINGS: usize = 4;

/// A pair that touches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    nodes: [u32; 4],
    weights: [f64; 4],
    normal: DVec3,
    /// Sum of the radii (m).
    radius: f64,
    /// Gap at the end of the step, before correction (m).
    pub(super) gap: f64,
    /// Coefficients at rest and sliding.
    friction: [f64; 2],
    /// Tangential velocity (m/s) that the turning of round obstacles adds to that of the first feature past the second.
    passing: DVec3,
    /// Speed after an impact over that before it, and the speed (m/s) at which the pair has to part in this step.
    bounce: f64,
    parting: f64,
    /// λ and τ, those of the step included.
    normal_impulse: f64,
    tangential_impulse: DVec3,
    /// The same at the start of the correction: what the step already had.
    old_impulses: (f64, DVec3),
    /// What the step exerted on it, whatever contact can (N·s).
    shared: DVec3,
    /// Share of the approach and of the sliding that was there before the step.
    impact: [f64; 2],
    /// Friction takes all of the sliding.
    sticks: bool,
}

impl Pair {
    /// Vertices among the first ones, which are cloth, with their weights.
    fn of_cloth(&self, cloth: usize) -> impl Iterator<Item = (usize, f64)> + use<> {
        let all = self.nodes.map(|v| v as usize).into_iter().zip(self.weights);
        all.filter(move |(v, w)| *v < cloth && *w != 0.0)
    }

    fn squares(&self, cloth: usize) -> f64 {
        self.of_cloth(cloth).map(|(_, w)| w * w).sum()
    }

    fn relative(&self, of: &[DVec3]) -> DVec3 {
        self.nodes.iter().zip(self.weights).map(|(&v, w)| w * of[v as usize]).sum()
    }

    /// m̂; None if nothing gives way.
    fn mass(&self, yielding: &[f64]) -> Option<f64> {
        let sum: f64 = self.nodes.iter().zip(self.weights).map(|(&v, w)| w * w * yielding[v as usize]).sum();
        (sum > 0.0).then(|| 1.0 / sum)
    }

    fn apply(&self, impulse: DVec3, to: &mut [DVec3], yielding: &[f64]) {
        for (&v, w) in self.nodes.iter().zip(self.weights) {
            to[v as usize] += w * yielding[v as usize] * impulse;
        }
    }

    /// Moves the features apart to their thickness.
    pub(super) fn correct_positions(&self, x: &mut [DVec3], yielding: &[f64]) {
        let gap = self.normal.dot(self.relative(x)) - self.radius;
        if let Some(mass) = self.mass(yielding).filter(|_| gap < 0.0) {
            self.apply(-gap * mass * self.normal, x, yielding);
        }
    }

    /// Takes the approach and what friction can of the sliding. Impulses of the whole step count: they never pull, and friction
    /// stays in its cone.
    pub(super) fn correct_velocities(&mut self, v: &mut [DVec3], yielding: &[f64], dt: f64) {
        let Some(mass) = self.mass(yielding) else { return };
        let u = self.relative(v) + self.passing;
        let along = self.normal.dot(u);
        // A gap that is left may be closed in the next step, but for those that bounce.
        let wanted = if self.parting > 0.0 { self.parting } else { -self.gap.max(0.0) / dt };
        let pressed = (self.normal_impulse - mass * (along - wanted)).max(0.0);
        let slide = u - along * self.normal;
        let wanted = self.tangential_impulse - mass * slide;
        let needed = wanted.length();
        self.sticks = needed <= self.friction[0] * pressed;
        let held = if self.sticks { wanted } else { wanted * (self.friction[1] * pressed / needed) };
        let change = (pressed - self.normal_impulse) * self.normal + held - self.tangential_impulse;
        (self.normal_impulse, self.tangential_impulse) = (pressed, held);
        self.apply(change, v, yielding);
    }

    /// Compares velocities before and after the step, both without correction. Approaches from `slowest` (m/s) on bounce.
    pub(super) fn note_impact(&mut self, before: &[DVec3], after: &[DVec3], slowest: f64) {
        let [was, is] = [before, after].map(|v| {
            let u = self.relative(v) + self.passing;
            let along = self.normal.dot(u);
            [(-along).max(0.0), (u - along * self.normal).length()]
        });
        self.impact = [0, 1].map(|k| if is[k] > 0.0 { (was[k] / is[k]).min(1.0) } else { 0.0 });
        self.old_impulses = (self.normal_impulse, self.tangential_impulse);
        self.parting = if was[0] >= slowest { self.bounce * was[0] } else { 0.0 };
    }

    /// Normal and tangential impulse that go on: all but the impact, in the cone of friction.
    fn lasting(&self) -> DVec3 {
        let (old, old_tangential) = self.old_impulses;
        let gain = LEARNING * (self.normal_impulse - old);
        let pressed = old + if gain > 0.0 { (1.0 - self.impact[0]) * gain } else { gain };
        let held = old_tangential + LEARNING * (1.0 - self.impact[1]) * (self.tangential_impulse - old_tangential);
        let limit = self.friction[0] * pressed;
        let held = if held.length() > limit { held * (limit / held.length()) } else { held };
        pressed * self.normal + held
    }

    /// Adds the lasting impulses over the step as forces (N).
    pub(super) fn add_lasting(&self, forces: &mut [DVec3], dt: f64) {
        self.add(self.lasting() / dt, forces);
    }

    /// Adds what the step had and what the correction added over the step as forces (N): a hold that pulled has pulled.
    pub(super) fn add_forces(&self, forces: &mut [DVec3], dt: f64) {
        let (old, old_tangential) = self.old_impulses;
        let change = (self.normal_impulse - old) * self.normal + self.tangential_impulse - old_tangential;
        self.add((self.shared + change) / dt, forces);
    }

    fn add(&self, force: DVec3, forces: &mut [DVec3]) {
        for (&v, w) in self.nodes.iter().zip(self.weights) {
            if let Some(to) = forces.get_mut(v as usize) {
                *to += w * force;
            }
        }
    }

    /// Adds normal forces by vertex (N).
    pub(super) fn add_loads(&self, loads: &mut [f64], dt: f64) {
        for (&v, w) in self.nodes.iter().zip(self.weights) {
            if let Some(to) = loads.get_mut(v as usize) {
                *to += w.abs() * self.normal_impulse / dt;
            }
        }
    }

    /// What holds a pair that presses on an obstacle in the next step, with its normal impulse. `x` and `v` are those at its start,
    /// `stiffness` that of each cloth vertex (N/m). What bounces is not held.
    pub(super) fn hold(&self, x: &[DVec3], v: &[DVec3], stiffness: &[f64]) -> Option<(f64, Hold)> {
        let is_cloth = |n: &u32| (*n as usize) < stiffness.len();
        let all = || self.nodes.iter().zip(self.weights).filter(|m| m.1 != 0.0);
        if self.normal_impulse <= 0.0 || self.parting > 0.0 || all().all(|m| is_cloth(m.0)) {
            return None;
        }
        let gap = (self.normal.dot(self.relative(x)) - self.radius).max(0.0);
        let mut hold = Hold {
            nodes: [0; 3],
            weights: [0.0; 3],
            normal: self.normal,
            stiffness: 0.0,
            sticks: self.sticks,
            place: -gap * self.normal,
            velocity: -self.passing,
            obstacle: 0,
        };
        let mut count = 0;
        for (&n, w) in all() {
            if is_cloth(&n) {
                (hold.nodes[count], hold.weights[count]) = (n, w);
                count += 1;
                hold.stiffness += w.abs() * stiffness[n as usize];
                hold.place += w * x[n as usize];
            } else {
                hold.velocity -= w * v[n as usize];
                hold.obstacle = n;
            }
        }
        (hold.stiffness > 0.0).then_some((self.normal_impulse, hold))
    }
}

/// Shares the forces of the step on vertices out to the pairs they belong to: evenly where a vertex has several, and then what is left
/// over in sweeps, so that the sum is kept where edges, faces and corners share vertices.
pub(super) fn share_out(pairs: &mut [Pair], forces: &mut [DVec3], dt: f64) {
    let mut sums = vec![0.0; forces.len()];
    for pair in pairs.iter() {
        pair.of_cloth(forces.len()).for_each(|(v, w)| sums[v] += w * w);
    }
    for pair in pairs.iter_mut() {
        let even: DVec3 = pair.of_cloth(forces.len()).map(|(v, w)| w * (w * w / sums[v]) * forces[v]).sum();
        pair.shared = dt / pair.squares(forces.len()) * even;
    }
    for pair in pairs.iter() {
        pair.of_cloth(forces.len()).for_each(|(v, w)| forces[v] -= w / dt * pair.shared);
    }
    for _ in 0..SHARINGS {
        for pair in pairs.iter_mut() {
            let left: DVec3 = pair.of_cloth(forces.len()).map(|(v, w)| w * forces[v]).sum();
            let more = left / pair.squares(forces.len());
            pair.of_cloth(forces.len()).for_each(|(v, w)| forces[v] -= w * more);
            pair.shared += dt * more;
        }
    }
    for pair in pairs {
        let along = pair.normal.dot(pair.shared);
        pair.normal_impulse = along.max(0.0);
        // A hold may have held more than friction can, or pulled. That is over, and no kick to the light vertices it held.
        let held = pair.shared - along * pair.normal;
        pair.tangential_impulse = held.clamp_length_max(pair.friction[0] * pair.normal_impulse);
    }
}

/// What pairs are made from.
pub(super) struct Scene<'a> {
    pub(super) bodies: &'a Bodies,
    pub(super) before: &'a [DVec3],
    pub(super) x: &'a [DVec3],
    /// Normals of closed meshes; zero elsewhere.
    pub(super) normals: &'a [DVec3],
    pub(super) friction: &'a [Friction],
    pub(super) bounce: &'a [f64],
    /// How surfaces of round obstacles turn, per second.
    pub(super) spins: &'a [Option<DMat3>],
    pub(super) settings: &'a Settings,
}

impl Scene<'_> {
    /// The pair, if it touches at the end of the step or has passed through in it.
    pub(super) fn pair(&self, kind: Kind, mut nodes: [u32; 4]) -> Option<Pair> {
        if kind == Kind::VertexEdge {
            nodes[3] = nodes[2]; // of weight zero
        }
        let second = if kind == Kind::EdgeEdge { 2 } else { 1 };
        if !self.settings.own && self.bodies.owner[nodes[0] as usize] == self.bodies.owner[nodes[second] as usize] {
            return None;
        }
        let at = nodes.map(|v| self.x[v as usize]);
        let closest = kind.closest(&at);
        let radius = self.bodies.shapes.radius(nodes[0]) + self.bodies.shapes.radius(nodes[second]);
        // Ends of edges are vertices of other pairs, and so are sides and corners of faces near an obstacle's vertex.
        let is_ball_first = nodes[0] as usize >= self.bodies.shapes.cloth_vertices;
        if (kind == Kind::EdgeEdge || is_ball_first) && !closest.is_interior {
            return None;
        }
        let weights = closest.weights;
        let (normal, distance) = match self.outward(kind, nodes) {
            Some(n) => {
                let direction = closest.separation.try_normalize().unwrap_or(n);
                if direction.dot(n) >= 0.0 {
                    (direction, closest.distance)
                } else if closest.is_interior && closest.distance < self.settings.depth && direction.dot(n) < STRAIGHT {
                    (-direction, -closest.distance)
                } else {
                    return None;
                }
            }
            None if closest.distance < radius + self.settings.band || self.travels(&nodes, closest.distance) => {
                let was: DVec3 = nodes.iter().zip(weights).map(|(&v, w)| w * self.before[v as usize]).sum();
                let direction = closest.separation.try_normalize().or(was.try_normalize())?;
                if was.dot(direction) < 0.0 && self.has_passed(kind, nodes) {
                    (-direction, -closest.distance)
                } else {
                    (direction, closest.distance)
                }
            }
            None => return None,
        };
        let gap = distance - radius;
        (gap < self.settings.band).then(|| self.of(nodes, weights, normal, radius, gap))
    }

    fn of(&self, nodes: [u32; 4], weights: [f64; 4], normal: DVec3, radius: f64, gap: f64) -> Pair {
        let body = |v: u32| self.bodies.owner[v as usize] as usize;
        let bodies = body(nodes[0]) * self.bodies.count + body(nodes[3]);
        Pair {
            nodes,
            weights,
            normal,
            radius,
            gap,
            friction: [self.friction[bodies].rest.mean(), self.friction[bodies].sliding.mean()],
            passing: self.bodies.passing(self.spins, &nodes, normal),
            bounce: self.bounce[bodies],
            parting: 0.0,
            normal_impulse: 0.0,
            tangential_impulse: DVec3::ZERO,
            old_impulses: (0.0, DVec3::ZERO),
            shared: DVec3::ZERO,
            impact: [0.0; 2],
            sticks: false,
        }
    }

    /// Where the first feature lies from the second if cloth is outside of the closed mesh that the other one belongs to. None
    /// without such a mesh: then sides are those before the step.
    fn outward(&self, kind: Kind, nodes: [u32; 4]) -> Option<DVec3> {
        let cloth = self.bodies.shapes.cloth_vertices;
        let normal = |k: usize| self.normals[nodes[k] as usize];
        let way = match kind {
            Kind::VertexFace if nodes[0] as usize >= cloth => -normal(0),
            Kind::VertexFace if nodes[1] as usize >= cloth && normal(1) != DVec3::ZERO => {
                let [a, b, c] = [1, 2, 3].map(|k| self.x[nodes[k] as usize]);
                (b - a).cross(c - a)
            }
            Kind::EdgeEdge if nodes[2] as usize >= cloth => normal(2) + normal(3),
            _ => DVec3::ZERO,
        };
        way.try_normalize()
    }

    /// Could the pair have come as far as this from the other side in one step?
    fn travels(&self, nodes: &[u32; 4], distance: f64) -> bool {
        let way = |v: u32| self.x[v as usize] - self.before[v as usize];
        let own = way(nodes[0]);
        nodes[1..].iter().any(|&v| way(v).distance_squared(own) > distance * distance)
    }

    fn has_passed(&self, kind: Kind, nodes: [u32; 4]) -> bool {
        let x = nodes.map(|v| self.before[v as usize]);
        let d = nodes.map(|v| self.x[v as usize] - self.before[v as usize]);
        time_of_impact(&Query { kind, x, d, offset: 0.0 }, 0.0, 1.0).is_some()
    }

    /// Vertices near planes, or below them.
    pub(super) fn add_planes(&self, pairs: &mut Vec<Pair>) {
        for plane in &self.bodies.planes {
            let p = plane.vertex;
            for v in 0..self.bodies.shapes.cloth_vertices as u32 {
                let radius = self.bodies.shapes.radius(v);
                let gap = plane.normal.dot(self.x[v as usize] - self.x[p as usize]) - radius;
                if gap < self.settings.band {
                    pairs.push(self.of([v, p, p, p], [1.0, -1.0, 0.0, 0.0], plane.normal, radius, gap));
                }
            }
        }
    }
}
