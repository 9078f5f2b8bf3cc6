//! `barrier`: a potential that rises without bound as features approach, and a rule that no move may break.
//!
//! Starts free of intersections ⇒ stays free of them, whatever the solver does: every move is cut before anything passes through
//! anything (`limit`). Within that, the step is one minimisation with elasticity. Source: Li20, Li21; the stiffness, the kept
//! parts of the Hessian and the lengths per vertex follow the CONTACT study.

mod friction;
mod limit;
mod list;
mod near;
mod potential;
mod touch;
mod weave;

pub use friction::{Coefficient, Friction};
pub use weave::NARROWEST;

pub use crate::bodies::Sheet;
use crate::bodies::{Bodies, Plane};
use crate::detect::{Detector, Kind};
use crate::obstacle::Obstacle;
use crate::shapes::Shapes;
use friction::Rub;
use glam::{DMat3, DVec3};
use list::{List, sides};
use near::Near;
use rayon::prelude::*;
use toile_core::contact::{Contact, Couplings, Lengths, Start};
use toile_core::force::Target;
use toile_core::linalg::Pair;
use toile_core::system::System;
use touch::{Features, Touch};

/// Candidates that one thread takes at a time.
const RUN: usize = 256;

/// Force of a barrier over κĝ at 0.3 of its reach: loaded contacts are made stiff enough to rest there.
const LOADED: f64 = 3.3;

/// What load adds to the stiffness of a barrier, at most, over the stiffness of the cloth in its plane. No cloth presses harder than some ten
/// layers stretched by the reach. Bodies that close on cloth do, whatever the stiffness: without a bound it would grow with every step.
const STIFFEST: f64 = 10.0;

/// Share of the step that was asked for below which parts of it hold friction no harder. Friction of a load N is as stiff as 2μN over the way that
/// counts as sticking: it would stiffen with every cut, and what could not be solved would become harder by being cut.
const SHORTEST_STICK: f64 = 0.05;

/// How contact behaves.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Distance beyond the thickness within which features feel each other (m).
    pub reach: f64,
    /// Slack of candidate lists (m): a larger one is kept longer and has more pairs.
    pub slack: f64,
    /// Speed below which friction holds (m/s): creep at the edge of the cone.
    pub stick_speed: f64,
    /// Stiffness of the barrier over that of the cloth at the place.
    pub stiffness: f64,
    /// Whether a sheet feels itself; different sheets always feel each other.
    pub own: bool,
    /// Whether two edges press on each other with all their weight up to their ends and beyond, as in Li20. Where cloth is wound into a rope,
    /// ridges that cross near an end are seen by no vertex within reach, and sink into each other step by step while their weight
    /// fades there. Layers that lie flat on each other are held farther apart by it, and pinched ones are harder to solve.
    pub whole_edges: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { reach: 2e-3, slack: 1e-3, stick_speed: 1e-4, stiffness: 1.0, own: true, whole_edges: false }
    }
}

/// Contact by barriers.
pub struct Barrier {
    settings: Settings,
    bodies: Bodies,
    friction: Vec<Friction>,
    /// κ of each cloth vertex (N/m), for the step.
    stiffness: Vec<f64>,
    /// What forces that are not in the matrix add to it.
    yielding: Vec<f64>,
    masses: Vec<f64>,
    /// Whether κ and the loads of friction are still those of the step before.
    is_fresh: bool,
    /// Whether there was a step before.
    has_memory: bool,
    /// Length of the step that was asked for (s).
    asked: f64,
    /// 1/h² of the step.
    inertia: f64,
    list: List,
    /// Positions of all vertices where gaps and touches were last looked at.
    x: Vec<DVec3>,
    is_current: bool,
    touches: Vec<Touch>,
    rubs: Vec<Rub>,
    /// Positions of all vertices at the start of the step.
    start: Vec<DVec3>,
    /// Where the step wants obstacles.
    goal: Vec<DVec3>,
    /// How far the last limit lets obstacles go.
    way: Vec<DVec3>,
    /// Slip (m) within which friction holds in this step.
    stick: f64,
    /// How surfaces of round obstacles turn in this step.
    spins: Vec<Option<DMat3>>,
    /// Weft at each cloth vertex at the start of the step, of any length; empty where friction does not ask for it.
    wefts: Vec<DVec3>,
}

/// Figures of the last state looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// Pairs within reach.
    pub touches: usize,
    /// Those between cloth and cloth.
    pub self_touches: usize,
    /// Smallest gap (m); infinite without touches.
    pub smallest_gap: f64,
    /// Candidate lists made so far.
    pub detections: usize,
}

impl Barrier {
    /// Sheets in the order of the system's vertices, obstacles, and the friction between bodies (sheets, then obstacles).
    pub fn new(
        system: &System,
        sheets: &[Sheet],
        obstacles: Vec<Obstacle>,
        friction: impl Fn(usize, usize) -> Friction,
        settings: Settings,
    ) -> Self {
        let bodies = Bodies::new(sheets, obstacles);
        let (x, shapes) = (bodies.initial(system), &bodies.shapes);
        let yielding: Vec<f64> = (0..shapes.cloth_vertices).map(|v| system.constant_stiffness(v)).collect();
        let detector = Detector::new(shapes, &x[..shapes.vertex_count()], &bodies.material);
        let friction = bodies.table(friction);
        Self {
            list: List::new(
                detector,
                Near::new(shapes, &bodies.material, settings.reach),
                settings.reach,
                settings.slack,
            ),
            settings,
            is_fresh: true,
            has_memory: false,
            asked: 0.0,
            inertia: 0.0,
            masses: system.masses()[..shapes.cloth_vertices].to_vec(),
            wefts: wefts(&friction, yielding.len()),
            friction,
            bodies,
            stiffness: vec![1.0; yielding.len()],
            yielding,
            start: x.clone(),
            goal: x.clone(),
            way: vec![DVec3::ZERO; x.len()],
            x,
            is_current: false,
            touches: Vec::new(),
            rubs: Vec::new(),
            stick: 0.0,
            spins: Vec::new(),
        }
    }

    /// Another friction between bodies, from the next step on.
    pub fn set_friction(&mut self, friction: impl Fn(usize, usize) -> Friction) {
        self.friction = self.bodies.table(friction);
        self.wefts = wefts(&self.friction, self.yielding.len());
    }

    /// Takes vertices of the same number for one vertex: sides of seams that are being sewn. One number for each cloth vertex.
    ///
    /// # Panics
    /// If there are not that many.
    pub fn join(&mut self, numbers: Vec<u32>) {
        assert_eq!(numbers.len(), self.bodies.shapes.cloth_vertices, "one number for each cloth vertex");
        self.bodies.shapes.joined = numbers;
        self.list.forget();
        self.is_current = false;
    }

    /// What touches, for certificates and messages.
    pub fn shapes(&self) -> &Shapes {
        &self.bodies.shapes
    }

    /// Positions of the vertices of [`Barrier::shapes`], obstacles included, where they were last looked at.
    pub fn positions(&self) -> &[DVec3] {
        &self.x[..self.bodies.shapes.vertex_count()]
    }

    /// Figures of the last state looked at.
    pub fn figures(&self) -> Figures {
        let cloth = self.bodies.shapes.cloth_vertices as u32;
        let own = self.touches.iter().filter(|t| t.nodes.iter().all(|&v| v < cloth)).count();
        Figures {
            touches: self.touches.len(),
            self_touches: own,
            smallest_gap: self.touches.iter().map(|t| t.gap).fold(f64::INFINITY, f64::min),
            detections: self.list.detections,
        }
    }

    /// Forces of contact and friction on every vertex, obstacles included (N), with cloth at `y` and friction as in the last step.
    pub fn forces(&mut self, y: &[DVec3]) -> Vec<DVec3> {
        self.look(y);
        let mut forces = vec![DVec3::ZERO; self.x.len()];
        self.add_all(&mut forces);
        forces
    }

    fn plane_gap(&self, plane: &Plane, vertex: usize) -> f64 {
        plane.normal.dot(self.x[vertex] - self.x[plane.vertex as usize]) - self.bodies.shapes.radius(vertex as u32)
    }

    /// Takes over node positions, and with them gaps and touches.
    fn look(&mut self, y: &[DVec3]) {
        let cloth = self.bodies.shapes.cloth_vertices;
        if self.is_current && self.x[..cloth] == y[..cloth] {
            return;
        }
        self.x[..cloth].copy_from_slice(&y[..cloth]);
        self.is_current = true;
        let x = &self.x[..self.bodies.shapes.vertex_count()];
        if self.list.covers_place(x) {
            self.list.come_to(x);
            self.measure();
        } else {
            self.detect(None);
        }
    }

    /// Makes sure that the list has all pairs that come within reach in a motion; returns whether it did not have them.
    fn detect_for(&mut self, motion: &[DVec3]) -> bool {
        let all = self.bodies.shapes.vertex_count();
        let is_new = !self.list.covers_motion(&self.x[..all], &motion[..all]);
        if is_new {
            self.detect(Some(motion));
        }
        is_new
    }

    /// Makes the list of candidates hold for a motion from where the last ones were measured, or anew at another place, and measures
    /// what is new.
    fn detect(&mut self, motion: Option<&[DVec3]>) {
        let all = self.bodies.shapes.vertex_count();
        let motion = motion.map(|m| &m[..all]);
        let mended = self.list.detect(&self.bodies.shapes, &self.stiffness, &self.x[..all], motion);
        if !self.settings.own {
            let (bodies, cloth) = (&self.bodies.owner, self.bodies.shapes.cloth_vertices as u32);
            self.list.candidates.retain(|c| {
                let [a, b] = sides(c.kind, c.nodes);
                a.max(b) >= cloth || bodies[a as usize] != bodies[b as usize]
            });
        }
        let kept = mended.as_ref().map_or(0, |m| m.1);
        for candidate in self.list.candidates[kept..].iter_mut().filter(|c| c.kind == Kind::EdgeEdge) {
            let is_round = sides(candidate.kind, candidate.nodes).iter().any(|&v| self.bodies.is_round(v));
            candidate.is_whole = self.settings.whole_edges || is_round;
        }
        match (mended, motion) {
            (Some((strays, kept)), Some(_)) => {
                let is_plane = |t: &Touch| t.nodes[1] as usize >= all;
                self.touches.retain(|t| is_plane(t) || !t.nodes.iter().any(|&v| strays[v as usize]));
                self.measure_from(kept);
            }
            _ => self.measure(),
        }
    }

    /// Gaps of all candidates, and those within reach.
    fn measure(&mut self) {
        self.touches.clear();
        self.measure_from(0);
        self.touch_planes();
    }

    /// Gaps of the candidates from this one on that may be within reach, and those that are.
    fn measure_from(&mut self, first: usize) {
        let x = &self.x;
        let one = |c: &mut list::Candidate| {
            if c.is_out_of_reach() {
                return None;
            }
            let (gap, touch) = look_at(c, x);
            c.gap = gap;
            touch
        };
        let candidates = &mut self.list.candidates[first..];
        if candidates.len() > 4 * RUN && rayon::current_num_threads() > 1 {
            let run = |run: &mut [list::Candidate]| -> Vec<Touch> { run.iter_mut().filter_map(one).collect() };
            let found: Vec<_> = candidates.par_chunks_mut(RUN).map(run).collect();
            self.touches.extend(found.into_iter().flatten());
        } else {
            self.touches.extend(candidates.iter_mut().filter_map(one));
        }
    }

    /// The same touches with another stiffness.
    fn touch_again(&mut self) {
        let x = &self.x;
        let near = self.list.candidates.iter().filter(|c| c.gap < c.reach);
        self.touches.clear();
        self.touches.extend(near.filter_map(|c| look_at(c, x).1));
        self.touch_planes();
    }

    fn touch_planes(&mut self) {
        let reach = self.settings.reach;
        for plane in &self.bodies.planes {
            for v in 0..self.bodies.shapes.cloth_vertices {
                let gap = self.plane_gap(plane, v);
                if gap < reach {
                    let [energy, slope, curvature] = potential::barrier(gap, reach, self.stiffness[v]);
                    let p = plane.vertex;
                    self.touches.push(Touch {
                        kind: Kind::VertexVertex,
                        distance: gap,
                        nodes: [v as u32, p, p, p],
                        weights: [1.0, -1.0, 0.0, 0.0],
                        normal: plane.normal,
                        gap,
                        energy,
                        force: -slope,
                        stiffness: curvature,
                        slide: [DVec3::ZERO; 4],
                    });
                }
            }
        }
    }

    /// Makes barriers as stiff as the cloth is across itself, inertia included, and as the load they carried asks for, and notes the
    /// loads of friction. Constant over the step: then contact has a potential, and line searches something to search on.
    ///
    /// A rope of cloth presses its core a thousand times harder than cloth lies on a table. With one stiffness for both, gaps
    /// would fall to micrometres there, and the solver with them.
    fn settle(&mut self, matrix: &Target) {
        let mut normals = vec![DVec3::ZERO; self.bodies.shapes.cloth_vertices];
        for t in &self.bodies.shapes.triangles[..self.bodies.shapes.cloth_triangles] {
            let [a, b, c] = t.map(|v| self.x[v as usize]);
            let normal = (b - a).cross(c - a);
            t.iter().for_each(|&v| normals[v as usize] += normal);
        }
        self.find_wefts();
        self.rubs = self.touches.iter().filter_map(|t| self.rub(t)).collect();
        let loads = self.loads();
        for (v, normal) in normals.iter().enumerate() {
            let n = normal.normalize_or_zero();
            let across = n.dot(matrix.diagonal(v) * n).max(0.0) + self.yielding[v];
            let own = self.settings.stiffness * (self.masses[v] * self.inertia + across);
            let in_plane = trace(matrix.diagonal(v)).max(0.0);
            let wanted = own + (loads[v] / (LOADED * self.settings.reach)).min(STIFFEST * (own + in_plane));
            let last = self.stiffness[v];
            self.stiffness[v] = if self.has_memory { wanted.clamp(0.5 * last, 4.0 * last) } else { own };
        }
        self.list.set_stiffness(&self.stiffness, self.bodies.shapes.cloth_vertices);
        self.touch_again();
        if !self.has_memory {
            // The first step: there is no load yet that is known.
            self.rubs = self.touches.iter().filter_map(|t| self.rub(t)).collect();
        }
        self.is_fresh = false;
    }

    fn add_all(&self, forces: &mut [DVec3]) {
        let limit = forces.len();
        let mut add = |node: u32, force: DVec3| {
            if (node as usize) < limit {
                forces[node as usize] += force;
            }
        };
        for touch in &self.touches {
            for i in 0..4 {
                add(touch.nodes[i], touch.weights[i] * touch.force * touch.normal + touch.slide[i]);
            }
        }
        for rub in &self.rubs {
            let force = rub.force(&self.x, &self.start, self.stick);
            (0..4).for_each(|i| add(rub.nodes[i], rub.weights[i] * force));
        }
    }

    /// Weights of cloth vertices alone: obstacles are no unknowns.
    fn unknowns(&self, nodes: [u32; 4], mut weights: [f64; 4]) -> ([u32; 4], [f64; 4]) {
        for i in 0..4 {
            if nodes[i] as usize >= self.bodies.shapes.cloth_vertices {
                weights[i] = 0.0;
            }
        }
        (nodes, weights)
    }

    /// Takes over a state and makes the list of candidates anew. A step taken from here depends on the state alone, not on
    /// what was looked at before: a run that is resumed goes on with the same bytes.
    pub fn start_from(&mut self, positions: &[DVec3], time: f64) {
        self.bodies.place(time, &mut self.x);
        let cloth = self.bodies.shapes.cloth_vertices;
        self.x[..cloth].copy_from_slice(&positions[..cloth]);
        self.is_current = false;
        self.list.forget();
        self.detect(None);
    }

    /// What stands in the way.
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.bodies.obstacles
    }

    /// The vertices of an obstacle among [`Barrier::forces`]; a plane has one.
    pub fn obstacle_vertices(&self, obstacle: usize) -> std::ops::Range<usize> {
        self.bodies.ranges[obstacle].clone()
    }

    /// Normal force on every cloth vertex where it was last looked at (N), both sides of the sheet added up.
    pub fn loads(&self) -> Vec<f64> {
        let mut loads = vec![0.0; self.bodies.shapes.cloth_vertices];
        for touch in &self.touches {
            for (&v, weight) in touch.nodes.iter().zip(touch.weights) {
                if let Some(load) = loads.get_mut(v as usize) {
                    *load += weight.abs() * touch.force;
                }
            }
        }
        loads
    }
}

/// Room for the weft at each cloth vertex, where friction asks for it.
fn wefts(friction: &[Friction], vertices: usize) -> Vec<DVec3> {
    let is_woven = friction.iter().any(|f| !f.is_even());
    if is_woven { vec![DVec3::ZERO; vertices] } else { Vec::new() }
}

/// Gap of a candidate, and its touch where it is within reach.
fn look_at(candidate: &list::Candidate, x: &[DVec3]) -> (f64, Option<Touch>) {
    let at = list::of(candidate.nodes, x);
    let list::Candidate { kind, nodes, radius, is_whole, .. } = *candidate;
    let pair = Features { kind, nodes, x: &at, radius, is_whole };
    let closest = pair.closest();
    (closest.distance - candidate.radius, pair.touch(&closest, candidate.reach, candidate.stiffness))
}

fn trace(m: DMat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}

/// k n nᵀ.
fn along(k: f64, n: DVec3) -> [f64; 6] {
    [n.x * n.x, n.x * n.y, n.x * n.z, n.y * n.y, n.y * n.z, n.z * n.z].map(|v| k * v)
}

/// k (I − n nᵀ).
fn across(k: f64, n: DVec3) -> [f64; 6] {
    let own = along(-k, n);
    [k + own[0], own[1], own[2], k + own[3], own[4], k + own[5]]
}

impl Contact for Barrier {
    fn expect(&mut self, step: f64) {
        self.asked = step;
    }

    fn begin(&mut self, start: &Start) -> Result<(), String> {
        self.bodies.place(start.time, &mut self.x);
        self.bodies.place(start.end, &mut self.goal);
        self.is_current = false;
        self.has_memory = start.memory.len() == self.stiffness.len();
        if self.has_memory {
            self.stiffness.copy_from_slice(start.memory);
        } else {
            self.stiffness.fill(1.0);
        }
        self.list.set_stiffness(&self.stiffness, self.bodies.shapes.cloth_vertices);
        self.look(start.positions);
        let worst = self.list.candidates.iter().filter(|c| !(c.gap > 0.0)).map(|c| (c.kind, c.nodes));
        let below = self.touches.iter().filter(|t| !(t.gap > 0.0)).map(|t| (Kind::VertexEdge, t.nodes));
        if let Some((kind, nodes)) = worst.chain(below).next() {
            let [a, b] = sides(kind, nodes).map(|v| self.bodies.name(v));
            return Err(format!("`{a}` and `{b}` touch or overlap at vertices {nodes:?}: start them apart"));
        }
        self.stick = self.settings.stick_speed * start.step.max(SHORTEST_STICK * self.asked);
        self.spins = self.bodies.spins(start.time, start.end);
        self.inertia = 1.0 / (start.step * start.step);
        self.is_fresh = true;
        self.start.copy_from_slice(&self.x);
        Ok(())
    }

    fn is_moving(&self) -> bool {
        self.bodies.ranges.iter().any(|r| self.x[r.clone()] != self.goal[r.clone()])
    }

    fn add_forces(&mut self, y: &[DVec3], forces: &mut [DVec3]) {
        self.look(y);
        let cloth = self.bodies.shapes.cloth_vertices;
        self.add_all(&mut forces[..cloth]);
    }

    fn add_jacobian(&mut self, y: &[DVec3], forces: Option<&mut [DVec3]>, into: &mut Couplings) {
        self.look(y);
        if self.is_fresh {
            self.settle(&into.matrix);
        }
        if let Some(forces) = forces {
            let cloth = self.bodies.shapes.cloth_vertices;
            self.add_all(&mut forces[..cloth]);
        }
        for touch in &self.touches {
            let (nodes, weights) = self.unknowns(touch.nodes, touch.weights);
            into.add(&Pair { nodes, weights, block: along(touch.stiffness, touch.normal) });
            if touch.distance - touch.gap > self.settings.reach {
                touch.add_turning(&self.x, self.bodies.shapes.cloth_vertices, &mut |weights, stiffness| {
                    into.add(&Pair { nodes, weights, block: along(stiffness, touch.normal) });
                });
            }
        }
        for rub in &self.rubs {
            let (nodes, weights) = self.unknowns(rub.nodes, rub.weights);
            into.add(&Pair { nodes, weights, block: rub.block(&self.x, &self.start, self.stick) });
        }
    }

    fn add_approach(&mut self, y: &[DVec3], forces: &mut [DVec3]) {
        self.look(y);
        let cloth = self.bodies.shapes.cloth_vertices;
        let rest_of_way = |nodes: &[u32; 4], weights: &[f64; 4]| {
            let mut way = DVec3::ZERO;
            for (&v, w) in nodes.iter().zip(weights).filter(|m| *m.0 as usize >= cloth) {
                way += *w * (self.goal[v as usize] - self.x[v as usize]);
            }
            way
        };
        let mut push = |nodes: &[u32; 4], weights: &[f64; 4], change: DVec3| {
            for (&v, w) in nodes.iter().zip(weights).filter(|m| (*m.0 as usize) < cloth) {
                forces[v as usize] -= *w * change;
            }
        };
        for touch in &self.touches {
            let way = rest_of_way(&touch.nodes, &touch.weights);
            push(&touch.nodes, &touch.weights, touch.stiffness * touch.normal.dot(way) * touch.normal);
        }
        for rub in &self.rubs {
            let way = rest_of_way(&rub.nodes, &rub.weights);
            push(&rub.nodes, &rub.weights, rub.resistance(&self.x, &self.start, self.stick, way));
        }
    }

    fn potential(&mut self, y: &[DVec3]) -> f64 {
        self.look(y);
        let pressed: f64 = self.touches.iter().map(|t| t.energy).sum();
        let rubbed: f64 = self.rubs.iter().map(|r| r.energy(&self.x, &self.start, self.stick)).sum();
        pressed + rubbed
    }

    fn limit(&mut self, y: &[DVec3], d: &mut [DVec3], lengths: Lengths) -> f64 {
        self.look(y);
        let cloth = self.bodies.shapes.cloth_vertices;
        let mut motion: Vec<DVec3> = self.goal.iter().zip(&self.x).map(|(g, x)| *g - *x).collect();
        motion[..cloth].copy_from_slice(&d[..cloth]);
        if lengths == Lengths::Each {
            self.detect_for(&motion);
            self.land(&mut motion);
        }
        let mut shares = vec![1.0; motion.len()];
        self.shorten(&mut motion, &mut shares, lengths);
        d[..cloth].copy_from_slice(&motion[..cloth]);
        for v in cloth..motion.len() {
            self.way[v] = if shares[v] == 1.0 { self.goal[v] } else { self.x[v] + motion[v] };
        }
        shares.into_iter().fold(1.0, f64::min)
    }

    fn advance(&mut self) {
        let cloth = self.bodies.shapes.cloth_vertices;
        if self.x[cloth..] != self.way[cloth..] {
            self.x[cloth..].copy_from_slice(&self.way[cloth..]);
            self.is_current = false;
        }
    }

    fn obstruction(&self) -> String {
        let cloth = self.bodies.shapes.cloth_vertices;
        let late = (cloth..self.x.len()).max_by(|&a, &b| {
            let left = |v: usize| self.x[v].distance_squared(self.goal[v]);
            left(a).total_cmp(&left(b))
        });
        let tightest = self.touches.iter().min_by(|a, b| a.gap.total_cmp(&b.gap));
        let squeezed = tightest.map_or(String::new(), |t| {
            let [a, b] = [self.bodies.name(t.nodes[0]), self.bodies.name(t.nodes[3])];
            format!(
                "; the tightest place is between `{a}` and `{b}`, vertices {:?}, {:.2e} mm apart",
                t.nodes,
                1e3 * t.gap
            )
        });
        match late {
            Some(v) if self.x[v] != self.goal[v] => {
                let left = 1e3 * self.x[v].distance(self.goal[v]);
                format!("obstacle `{}` is {left:.3} mm short of its place{squeezed}", self.bodies.name(v as u32))
            }
            _ => format!("grips cannot reach their places{squeezed}"),
        }
    }

    fn end(&mut self, y: &[DVec3], memory: &mut Vec<f64>) {
        memory.clone_from(&self.stiffness);
        let cloth = self.bodies.shapes.cloth_vertices;
        self.x[..cloth].copy_from_slice(&y[..cloth]);
        self.is_current = false;
    }
}
