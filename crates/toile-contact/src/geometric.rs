//! `geometric`: after each step of any scheme, what has come too near is put right in position, velocity and acceleration.
//!
//! The scheme of the documents (Volino05 part 2 §4): no stiff forces, so the step itself stays as it is. For all pairs that are
//! nearer than their thickness at the end of a step,
//!
//! - **positions** are moved apart to the thickness;
//! - **velocities** lose their approach (perfectly damped, unless [`Geometric::with_loss`] says otherwise), and of the sliding as much as
//!   Coulomb friction can take: all of it if that needs no more than μ times the normal impulse;
//! - **accelerations**: the impulses of the step over its length are the contact force of the next one ([`Push`]), so that cloth at
//!   rest has nothing left to correct and friction holds it. What stopped a motion that was there before the step was an impact
//!   and is not repeated.
//!
//! Corrections are shared by the vertices of a pair by weight and mass; obstacles and held vertices do not give way. A few
//! sweeps over all pairs let several layers settle. What has crossed is not found again as such: fast, not safe. The forces are
//! memory of the state, all else is made anew in each step, so that a run goes on from its state with the same bytes.
//!
//! Friction has no direction here: of a pair whose coefficient goes by the weave, the mean is taken.
//!
//! **Tight cloth.** Each vertex is corrected with its own mass, and fine, stiff cloth pulls on it ten thousand times harder than that
//! can make up for in a step. So what presses on an obstacle is also held there in the next step, by a spring as stiff as the cloth
//! ([`Push`]): a sheet drawn over a ball with four hundred times its weight sinks in by half a millimetre within steps of 10 ms, where it
//! went through without holds. Layers are not held to each other, only by their corrections.

mod pairs;
mod push;

#[cfg(test)]
mod tests;

pub use push::Push;

use crate::barrier::Friction;
use crate::bodies::{Bodies, Sheet};
use crate::detect::{Detector, Kind, Pruning};
use crate::obstacle::Obstacle;
use crate::shapes::Shapes;
use glam::{DMat3, DVec3};
use pairs::Pair;
use std::collections::BTreeSet;
use std::ops::Range;
use toile_core::integrate::{Integrator, Phase, Probe, StepError, StepReport};
use toile_core::system::{State, System};

/// How contact is corrected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Gap (m) below which features count as touching: without it, contact at rest would flicker.
    pub band: f64,
    /// How deep (m) a vertex may be below the skin of a closed mesh and still be brought out.
    pub depth: f64,
    /// How often distances are taken anew while positions are corrected.
    pub passes: usize,
    /// Sweeps over all pairs, in each pass and for velocities.
    pub sweeps: usize,
    /// Slowest approach (m/s) that counts as an impact and bounces where bodies do: cloth that lies must not hop.
    pub impact_speed: f64,
    /// How cloth is kept from being compared with its own neighbourhood.
    pub pruning: Pruning,
    /// A sheet feels itself.
    pub own: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { band: 2e-4, depth: 5e-3, passes: 2, sweeps: 5, impact_speed: 0.1, pruning: Pruning::Monotone, own: true }
    }
}

/// Figures of the last correction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// Pairs that detection named.
    pub candidates: usize,
    /// Pairs that touched.
    pub contacts: usize,
    /// Deepest of them before correction (m): less than the thickness if positive.
    pub deepest: f64,
}

/// Where the vertices were before a step.
#[derive(Clone, Debug)]
pub struct Before {
    positions: Vec<DVec3>,
    velocities: Vec<DVec3>,
}

impl Before {
    /// Notes a state that is about to move.
    pub fn of(state: &State) -> Self {
        Self { positions: state.positions.clone(), velocities: state.velocities.clone() }
    }
}

/// Contact by correction after each step.
pub struct Geometric {
    settings: Settings,
    bodies: Bodies,
    friction: Vec<Friction>,
    /// Speed after an impact over that before it, of each pair of bodies.
    bounce: Vec<f64>,
    detector: Detector,
    /// 1/m of every vertex (1/kg): 0 for obstacles and held vertices.
    yielding: Vec<f64>,
    /// How stiff the cloth is about each of its vertices (N/m): 0 for held ones.
    stiffness: Vec<f64>,
    memory: Option<Range<usize>>,
    /// All vertices before and after the step, the way between; velocities before and after.
    before: Vec<DVec3>,
    x: Vec<DVec3>,
    way: Vec<DVec3>,
    v_before: Vec<DVec3>,
    v: Vec<DVec3>,
    /// Normals of closed meshes.
    normals: Vec<DVec3>,
    /// How surfaces of round obstacles turn, per second.
    spins: Vec<Option<DMat3>>,
    pairs: Vec<Pair>,
    /// Of contact in the last step: on all vertices (N), and normal ones on cloth.
    forces: Vec<DVec3>,
    loads: Vec<f64>,
    figures: Figures,
    probe: Option<Probe>,
}

impl Geometric {
    /// Sheets in the order of the system's vertices, obstacles, and the friction between bodies (sheets, then obstacles). The
    /// system should have a [`Push`] for its vertices; without it, accelerations are not corrected.
    pub fn new(
        system: &System,
        sheets: &[Sheet],
        obstacles: Vec<Obstacle>,
        friction: impl Fn(usize, usize) -> Friction,
        settings: Settings,
    ) -> Self {
        let bodies = Bodies::new(sheets, obstacles);
        let (cloth, all) = (bodies.shapes.cloth_vertices, bodies.owner.len());
        let x = bodies.initial(system);
        let moves = |i: usize| system.free()[i].iter().all(|f| *f) && system.masses()[i] > 0.0;
        let (mut yielding, rest_stiffness) = (vec![0.0; all], system.rest_stiffness());
        let mut stiffness = vec![0.0; cloth];
        for i in (0..cloth).filter(|&i| moves(i)) {
            (yielding[i], stiffness[i]) = (1.0 / system.masses()[i], rest_stiffness[i]);
        }
        let detector = Detector::new(&bodies.shapes, &x[..bodies.shapes.vertex_count()], &bodies.material);
        Self {
            settings,
            friction: bodies.table(friction),
            bounce: bodies.table(|_, _| 0.0),
            detector: detector.with_pruning(settings.pruning),
            yielding,
            stiffness,
            memory: system.memory_of(push::NAME).filter(|m| m.len() == Push::memory_len(cloth)),
            before: x.clone(),
            way: vec![DVec3::ZERO; all],
            v_before: vec![DVec3::ZERO; all],
            v: vec![DVec3::ZERO; all],
            normals: vec![DVec3::ZERO; all],
            x,
            spins: Vec::new(),
            pairs: Vec::new(),
            forces: vec![DVec3::ZERO; all],
            loads: vec![0.0; cloth],
            figures: Figures::default(),
            probe: None,
            bodies,
        }
    }

    /// Impacts that are not perfectly damped: ϑ of each pair of bodies. An impact of relative speed v takes the energy ϑ m̂ v²
    /// (FemShell §6, there per unit of mass), m̂ the reduced mass of the pair: features part with √(1 − 2ϑ) v. ϑ = ½ damps perfectly,
    /// ϑ = 0 takes nothing; numbers outside are taken as the nearer end.
    pub fn with_loss(mut self, loss: impl Fn(usize, usize) -> f64) -> Self {
        self.bounce = self.bodies.table(|a, b| (1.0 - 2.0 * loss(a, b)).clamp(0.0, 1.0).sqrt());
        self
    }

    /// What touches, for certificates and messages.
    pub fn shapes(&self) -> &Shapes {
        &self.bodies.shapes
    }

    /// Positions of the vertices of [`Geometric::shapes`], obstacles included, after the last correction.
    pub fn positions(&self) -> &[DVec3] {
        &self.x[..self.bodies.shapes.vertex_count()]
    }

    /// Figures of the last correction.
    pub fn figures(&self) -> Figures {
        self.figures
    }

    /// The obstacles.
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.bodies.obstacles
    }

    /// Vertices of an obstacle in [`Geometric::forces`].
    pub fn obstacle_vertices(&self, obstacle: usize) -> Range<usize> {
        self.bodies.ranges[obstacle].clone()
    }

    /// Forces of contact and friction on every vertex, obstacles included (N), in the mean of the last step.
    pub fn forces(&self) -> &[DVec3] {
        &self.forces
    }

    /// Normal forces on the vertices of cloth (N), those of both sides added up, in the mean of the last step.
    pub fn loads(&self) -> &[f64] {
        &self.loads
    }

    /// Has `probe` called at the start of each phase of a correction.
    pub fn set_probe(&mut self, probe: Probe) {
        self.probe = Some(probe);
    }

    /// One step of the integrator, and its correction.
    pub fn step(
        &mut self,
        integrator: &mut Integrator,
        system: &System,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        let before = Before::of(state);
        let report = integrator.step(system, state, dt)?;
        self.correct(&before, state, dt);
        Ok(report)
    }

    /// Corrects a state that has moved for `dt` seconds since `before`.
    pub fn correct(&mut self, before: &Before, state: &mut State, dt: f64) {
        let cloth = self.bodies.shapes.cloth_vertices;
        self.enter(Phase::Detection);
        self.take(before, state, dt);
        let all = self.bodies.shapes.vertex_count();
        let (shapes, x, way) = (&self.bodies.shapes, &self.before[..all], &self.way[..all]);
        self.figures.candidates = self.detector.detect(shapes, x, Some(way), self.settings.band).len();
        self.enter(Phase::Contact);
        self.bodies.add_normals(&self.x, &mut self.normals);
        for pass in 0..self.settings.passes.max(1) {
            self.collect();
            if pass == 0 {
                self.figures.contacts = self.pairs.len();
                self.figures.deepest = self.pairs.iter().map(|p| -p.gap).fold(f64::NEG_INFINITY, f64::max);
            }
            for _ in 0..self.settings.sweeps {
                self.pairs.iter().for_each(|p| p.correct_positions(&mut self.x, &self.yielding));
            }
        }
        self.forces.fill(DVec3::ZERO);
        if let Some(memory) = self.memory.clone() {
            let mut forces = Push::forces(&state.memory[memory.clone()], cloth, &state.positions, state.time);
            pairs::share_out(&mut self.pairs, &mut forces, dt);
            self.note_parted(&state.memory[memory], &forces);
        }
        let slowest = self.settings.impact_speed;
        self.pairs.iter_mut().for_each(|p| p.note_impact(&self.v_before, &self.v, slowest));
        for _ in 0..self.settings.sweeps {
            self.pairs.iter_mut().for_each(|p| p.correct_velocities(&mut self.v, &self.yielding, dt));
        }
        self.give(state, dt);
        self.enter(Phase::Other);
    }

    /// Forces of the step on vertices that no pair has any more: they were exerted all the same, by what held the vertices.
    fn note_parted(&mut self, memory: &[f64], left: &[DVec3]) {
        let push = Push::new(left.len());
        let mut sums = vec![0.0; left.len()];
        push.holds(memory).for_each(|h| h.members().for_each(|(v, w)| sums[v] += w * w));
        for hold in push.holds(memory) {
            for (v, w) in hold.members() {
                self.forces[hold.obstacle as usize] -= w * w / sums[v] * left[v];
            }
        }
        self.forces[..left.len()].copy_from_slice(left);
    }

    /// Takes positions and velocities of everything over.
    fn take(&mut self, before: &Before, state: &State, dt: f64) {
        let cloth = self.bodies.shapes.cloth_vertices;
        self.before[..cloth].copy_from_slice(&before.positions[..cloth]);
        self.x[..cloth].copy_from_slice(&state.positions[..cloth]);
        self.bodies.place(state.time - dt, &mut self.before);
        self.bodies.place(state.time, &mut self.x);
        // Backwards from the end: there pairs have their normals.
        self.spins = self.bodies.spins(state.time, state.time - dt);
        self.spins.iter_mut().flatten().for_each(|spin| *spin *= -1.0 / dt);
        for i in 0..self.x.len() {
            self.way[i] = self.x[i] - self.before[i];
            (self.v_before[i], self.v[i]) = if i < cloth {
                (before.velocities[i], state.velocities[i])
            } else {
                (self.way[i] / dt, self.way[i] / dt)
            };
        }
    }

    /// Pairs that touch.
    fn collect(&mut self) {
        self.pairs.clear();
        let scene = pairs::Scene {
            bodies: &self.bodies,
            before: &self.before,
            x: &self.x,
            normals: &self.normals,
            friction: &self.friction,
            bounce: &self.bounce,
            spins: &self.spins,
            settings: &self.settings,
        };
        let (mut sides, mut corners) = (BTreeSet::new(), BTreeSet::new());
        for (kind, nodes) in self.detector.candidates().pairs() {
            self.pairs.extend(scene.pair(kind, nodes));
            if kind == Kind::VertexFace && scene.bodies.is_round(nodes[0]) {
                let [p, a, b, c] = nodes;
                corners.extend([(p, a), (p, b), (p, c)]);
                sides.extend([(a, b), (b, c), (c, a)].map(|(a, b)| (p, a.min(b), a.max(b))));
            }
        }
        // The sides and corners of faces near a ball.
        for (p, a, b) in sides {
            self.pairs.extend(scene.pair(Kind::VertexEdge, [p, a, b, u32::MAX]));
        }
        for (p, v) in corners {
            self.pairs.extend(scene.pair(Kind::VertexVertex, [v, p, p, p]));
        }
        scene.add_planes(&mut self.pairs);
    }

    /// Gives positions, velocities and forces to the state. The step before is moved along: two-step schemes and extrapolation
    /// must not take a correction for motion.
    fn give(&mut self, state: &mut State, dt: f64) {
        let cloth = self.bodies.shapes.cloth_vertices;
        for i in 0..cloth {
            let (shift, change) = (self.x[i] - state.positions[i], self.v[i] - state.velocities[i]);
            if let Some(past) = &mut state.past {
                past.positions[i] += shift;
                past.velocities[i] += change;
            }
        }
        state.positions[..cloth].copy_from_slice(&self.x[..cloth]);
        state.velocities[..cloth].copy_from_slice(&self.v[..cloth]);
        self.loads.fill(0.0);
        for pair in &self.pairs {
            pair.add_forces(&mut self.forces, dt);
            pair.add_loads(&mut self.loads, dt);
        }
        if let Some(range) = self.memory.clone() {
            self.remember(&mut state.memory[range], state.time, dt);
        }
    }

    /// Leaves forces and holds to the next step.
    fn remember(&self, memory: &mut [f64], time: f64, dt: f64) {
        let mut lasting = vec![DVec3::ZERO; self.stiffness.len()];
        self.pairs.iter().for_each(|p| p.add_lasting(&mut lasting, dt));
        // Where a vertex is heavier than the cloth is stiff, as in explicit schemes, corrections are all it takes.
        let excess = |(k, y): (&f64, &f64)| if *y > 0.0 { (k - 2.0 / (y * dt * dt)).max(0.0) } else { 0.0 };
        let stiffness: Vec<f64> = self.stiffness.iter().zip(&self.yielding).map(excess).collect();
        let holds = self.pairs.iter().filter_map(|p| p.hold(&self.x, &self.v, &stiffness)).collect();
        Push::remember(memory, &lasting, holds, time);
    }

    fn enter(&mut self, phase: Phase) {
        if let Some(probe) = &mut self.probe {
            probe(phase);
        }
    }
}
