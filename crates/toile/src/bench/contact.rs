//! Tasks with contact, with the certificate of every step.
//!
//! `sphere`: 1 m × 1 m, 150 g/m², dropped from 1 cm on a fixed ball of radius 0.25 m, friction 0.3, 2 s. `twist`: the same sheet without
//! gravity, two opposite edges turned against each other, 2 s for each turn. Both are tasks of the peers' drivers (t2, t3).

use super::{BenchError, Clock, Phases, cpu_seconds, digest, edge_ratios, probe, watch};
use crate::surroundings::response::Response;
use glam::DVec3;
use std::f64::consts::TAU;
use std::sync::{Arc, Mutex};
use toile_contact::barrier::{Barrier, Figures, Friction, Settings, Sheet};
use toile_contact::certify::certify;
use toile_contact::geometric::{self, Geometric, Push};
use toile_contact::obstacle::{Form, Movement, Obstacle, ellipsoid};
use toile_core::fabric::Fabric;
use toile_core::integrate::{Integrator, Options};
use toile_core::mesh::{Diagonal, Grid, Mesh};
use toile_core::system::{Builder, Key, Motion, State, System};
use toile_garment::meshing;

/// The task `sphere`.
#[derive(Clone, Debug)]
pub struct Sphere {
    /// Wanted number of triangles.
    pub triangles: usize,
    /// An unstructured mesh instead of the grid.
    pub unstructured: bool,
    /// The ball as a mesh instead of a round shape.
    pub meshed_ball: bool,
    /// Everything that both tasks have.
    pub common: Common,
}

/// The task `twist`.
#[derive(Clone, Debug)]
pub struct Twist {
    /// Wanted number of triangles.
    pub triangles: usize,
    /// Full turns of each edge.
    pub turns: f64,
    /// How far the edges may approach each other (m), as the cloth asks for.
    pub approach: f64,
    /// Longest edge over its rest length that they approach to avoid.
    pub longest: f64,
    /// Everything that both tasks have.
    pub common: Common,
}

/// What tasks with contact share.
#[derive(Clone, Debug)]
pub struct Common {
    /// Simulated time (s).
    pub duration: f64,
    /// Step (s).
    pub step: f64,
    /// Membrane modulus (N/m).
    pub stiffness: f64,
    /// Strain measure of the registry.
    pub membrane: String,
    /// Bending rigidity (N·m).
    pub bending: f64,
    /// Thickness of the cloth (m).
    pub thickness: f64,
    /// Friction coefficient.
    pub friction: f64,
    /// Scheme of the registry.
    pub scheme: String,
    /// Newton tolerance in steps of free fall.
    pub tolerance: f64,
    /// Reach of the barrier (m).
    pub reach: f64,
    /// Corrections after the step instead of barriers in it.
    pub geometric: bool,
}

impl Default for Common {
    fn default() -> Self {
        Self {
            duration: 2.0,
            step: 0.02,
            stiffness: 1000.0,
            membrane: "green".into(),
            bending: 8.3e-5,
            thickness: 0.0,
            friction: 0.3,
            scheme: "backward-euler".into(),
            tolerance: 0.2,
            reach: 2e-3,
            geometric: false,
        }
    }
}

/// What came out.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct ContactResult {
    /// Task name.
    pub task: &'static str,
    /// Triangles of the cloth.
    pub triangles: usize,
    /// Steps done.
    pub steps: usize,
    /// Step (s).
    pub step_s: f64,
    /// Threads used.
    pub threads: usize,
    /// Processor time of the steps per simulated second.
    pub cpu_s_per_simulated_s: f64,
    /// Processor time of the steps (s), without certificates.
    pub cpu_seconds: f64,
    /// Intersections, summed over all steps.
    pub intersections: usize,
    /// Steps that did not converge. A step that still fails after its last cut ends the run.
    pub unconverged_steps: usize,
    /// Steps that were cut.
    pub cut_steps: usize,
    /// Shortest edge over its rest length, all steps.
    pub edge_ratio_min: f64,
    /// Longest edge over its rest length, all steps.
    pub edge_ratio_max: f64,
    /// Smallest gap of all steps (mm).
    pub min_gap_mm: f64,
    /// Smallest distance of a vertex to the ball at the end (mm).
    pub vertex_gap_mm: Option<f64>,
    /// Newton iterations per step.
    pub newton_per_step: f64,
    /// Most of them in one step.
    pub newton_max: usize,
    /// Linear iterations per solve.
    pub iterations_per_solve: f64,
    /// Candidate lists made per step.
    pub detections_per_step: f64,
    /// Most pairs within reach.
    pub touches_max: usize,
    /// Most of them between cloth and cloth.
    pub self_touches_max: usize,
    /// Wall time by phase (s).
    pub phases: Phases,
    /// Share of detection in all of them.
    pub detection_share: f64,
    /// Digest of the end state.
    pub digest: String,
    /// Why the run ended early.
    pub failure: Option<String>,
}

/// A step as it was done.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct StepRow {
    /// Number of the step, from 1.
    pub step: usize,
    /// Steps of the task.
    pub steps: usize,
    /// Time at its end (s).
    pub time_s: f64,
    /// Processor time (s).
    pub cpu_s: f64,
    /// Newton iterations.
    pub newton: usize,
    /// Linear iterations.
    pub linear: usize,
    /// Halvings.
    pub cuts: u32,
    /// Pairs within reach.
    pub touches: usize,
    /// Smallest gap (mm).
    pub gap_mm: f64,
    /// Shortest edge over its rest length.
    pub edge_ratio_min: f64,
    /// Longest edge over its rest length.
    pub edge_ratio_max: f64,
    /// What crosses.
    pub intersections: usize,
    /// Distance between the first two grips (mm): of a twist that between the turned edges.
    pub apart_mm: Option<f64>,
}

/// Hears of every step.
pub type Tell<'a> = &'a mut dyn FnMut(&StepRow);

/// Runs the task `sphere`.
pub fn sphere(task: &Sphere, tell: Tell) -> Result<ContactResult, BenchError> {
    let c = &task.common;
    let mut mesh = square(task.triangles, task.unstructured)?;
    mesh.positions.iter_mut().for_each(|p| *p += DVec3::new(-0.5, RADIUS + 0.01, 0.5));
    let fabric = Fabric::isotropic(c.stiffness, 0.0, c.bending, 0.15)?;
    let builder = Builder::new(&mesh, &fabric).membrane(&c.membrane).bending("midedge-quadratic");
    let system = c.built(builder, &mesh)?;
    let form = if task.meshed_ball {
        let (vertices, triangles) = ellipsoid(DVec3::splat(RADIUS), 4);
        Form::Mesh { vertices, triangles, skin: 0.0 }
    } else {
        Form::Round { vertices: vec![DVec3::ZERO], edges: Vec::new(), radius: RADIUS }
    };
    let obstacle = Obstacle { name: "ball".into(), form, movement: Movement::Still };
    let mut result = run("sphere", &mesh, system, vec![obstacle], c, &mut |_, _| None, tell)?;
    let gap = result.1.positions.iter().map(|p| p.length() - RADIUS - 0.5 * c.thickness).fold(f64::INFINITY, f64::min);
    result.0.vertex_gap_mm = Some(1e3 * gap);
    Ok(result.0)
}

/// Speed (m/s) below which friction holds: what Li20 takes for things a metre long. Nothing here rests on a slope.
const STICK_SPEED: f64 = 1e-3;

/// Radius of the ball (m).
const RADIUS: f64 = 0.25;

/// Runs the task `twist`.
pub fn twist(task: &Twist, tell: Tell) -> Result<ContactResult, BenchError> {
    let c = &task.common;
    let mut mesh = square(task.triangles, false)?;
    mesh.positions.iter_mut().for_each(|p| *p += DVec3::new(-0.5, 0.0, 0.5));
    let fabric = Fabric::isotropic(c.stiffness, 0.0, c.bending, 0.15)?;
    let edges = [-0.5, 0.5].map(|x| mesh.vertices_where(|p| p.x == x));
    let builder = Builder::new(&mesh, &fabric).membrane(&c.membrane).bending("midedge-quadratic").gravity(DVec3::ZERO);
    let [left, right] = edges;
    let system = c.built(builder.pin("left", left).pin("right", right), &mesh)?;
    let mut apart = 1.0;
    let mut lead = |system: &mut System, state: &State| {
        let next = task.next_apart(apart, edge_ratios(&mesh, state)[1]);
        for (grip, sign) in [(0, 1.0), (1, -1.0)] {
            // About the axis through the middles of the edges; between keys a motion is steady.
            let key = |time: f64, apart: f64| Key {
                time,
                translation: sign * 0.5 * (1.0 - apart) * DVec3::X,
                rotation: sign * time / c.duration * task.turns * TAU * DVec3::X,
                pivot: DVec3::ZERO,
            };
            system.set_motion(grip, Motion::Keys(vec![key(state.time, apart), key(state.time + c.step, next)]));
        }
        apart = next;
        Some(apart)
    };
    Ok(run("twist", &mesh, system, Vec::new(), c, &mut lead, tell)?.0)
}

impl Twist {
    /// How far the edges are to be apart at the end of a step (m), from how far they are and the longest edge of the cloth. They start to
    /// approach at half of the stretch that is allowed, and at all of it they are as fast as the outermost threads can ask for: of
    /// edges turned by θ against each other these stay as long as they are at a distance of cos(θ/2).
    fn next_apart(&self, apart: f64, longest: f64) -> f64 {
        let need = 2.0 * (longest - 1.0) / (self.longest - 1.0) - 1.0;
        let fastest = self.turns * TAU / self.common.duration;
        // Edges that touch each other would be in each other's way.
        let nearest = (1.0 - self.approach).max(2.0 * (self.common.reach + self.common.thickness)).min(apart);
        (apart - need.clamp(0.0, 1.0) * fastest * self.common.step).max(nearest)
    }
}

/// Moves the grips of a task before each step; returns how far they will be apart (m), where that is told.
type Lead<'a> = &'a mut dyn FnMut(&mut System, &State) -> Option<f64>;

fn run(
    name: &'static str,
    mesh: &Mesh,
    mut system: System,
    obstacles: Vec<Obstacle>,
    c: &Common,
    lead: Lead,
    tell: Tell,
) -> Result<(ContactResult, State), BenchError> {
    let sheet = Sheet {
        name: "sheet".into(),
        vertex_count: mesh.vertex_count(),
        triangles: mesh.triangles.clone(),
        material: mesh.material.clone(),
        thickness: c.thickness,
    };
    let options = Options::named(&c.scheme).ok_or_else(|| BenchError::Scheme(c.scheme.clone()))?;
    let options = Options { tolerance: c.tolerance, linear_tolerance: 0.1 * c.tolerance, max_newton: 60, ..options };
    let mut integrator = Integrator::new(&system, options)?;
    let clock: Arc<Mutex<Clock>> = watch(&mut integrator);
    let mut response = c.response(&system, sheet, obstacles);
    response.set_probe(probe(&clock));
    let mut state = system.initial_state();
    let steps = (c.duration / c.step).round() as usize;
    let mut result = ContactResult {
        task: name,
        triangles: mesh.triangles.len(),
        step_s: c.step,
        threads: rayon::current_num_threads(),
        edge_ratio_min: f64::INFINITY,
        min_gap_mm: f64::INFINITY,
        ..ContactResult::default()
    };
    let (mut newton, mut linear) = (0, 0);
    for step in 0..steps {
        let apart = lead(&mut system, &state);
        let before = cpu_seconds();
        let outcome = response.step(&mut integrator, &system, &mut state, c.step);
        let cpu_s = cpu_seconds() - before;
        result.cpu_seconds += cpu_s;
        if let Ok(mut clock) = clock.lock() {
            clock.pause();
        }
        let report = match outcome {
            Ok(report) => report,
            Err(error) => {
                result.unconverged_steps += 1;
                result.failure = Some(error.to_string());
                break;
            }
        };
        result.steps += 1;
        newton += report.newton;
        linear += report.linear;
        result.newton_max = result.newton_max.max(report.newton);
        result.cut_steps += usize::from(report.cuts > 0);
        let (figures, intersections) = look(&mut response, &state);
        result.touches_max = result.touches_max.max(figures.touches);
        result.self_touches_max = result.self_touches_max.max(figures.self_touches);
        result.min_gap_mm = result.min_gap_mm.min(1e3 * figures.smallest_gap);
        result.intersections += intersections;
        let [shortest, longest] = edge_ratios(mesh, &state);
        result.edge_ratio_min = result.edge_ratio_min.min(shortest);
        result.edge_ratio_max = result.edge_ratio_max.max(longest);
        tell(&StepRow {
            step: step + 1,
            steps,
            time_s: state.time,
            cpu_s,
            newton: report.newton,
            linear: report.linear,
            cuts: report.cuts,
            touches: figures.touches,
            gap_mm: 1e3 * figures.smallest_gap,
            edge_ratio_min: shortest,
            edge_ratio_max: longest,
            intersections,
            apart_mm: apart.map(|a| 1e3 * a),
        });
    }
    let done = result.steps.max(1) as f64;
    result.cpu_s_per_simulated_s = result.cpu_seconds / (done * c.step);
    result.newton_per_step = newton as f64 / done;
    result.iterations_per_solve = linear as f64 / newton.max(1) as f64;
    result.detections_per_step = match &response {
        Response::Barrier(barrier) => barrier.figures().detections as f64 / done,
        Response::Geometric(_) => 1.0,
    };
    result.phases = clock.lock().map(|c| c.phases).unwrap_or_default();
    result.detection_share = result.phases.detection / result.phases.sum();
    result.digest = digest(&system, &state);
    Ok((result, state))
}

impl Common {
    fn response(&self, system: &System, sheet: Sheet, obstacles: Vec<Obstacle>) -> Response {
        let friction = |_: usize, _: usize| Friction::coulomb(self.friction);
        if self.geometric {
            let settings = geometric::Settings::default();
            return Response::Geometric(Box::new(Geometric::new(system, &[sheet], obstacles, friction, settings)));
        }
        let settings =
            Settings { reach: self.reach, stick_speed: STICK_SPEED, whole_edges: true, ..Settings::default() };
        Response::Barrier(Box::new(Barrier::new(system, &[sheet], obstacles, friction, settings)))
    }

    /// The system, with what its response needs.
    fn built(&self, builder: Builder, mesh: &Mesh) -> Result<System, BenchError> {
        let push = || Box::new(Push::new(mesh.vertex_count()));
        Ok(if self.geometric { builder.force(push()) } else { builder }.build()?)
    }
}

/// Figures of the last step, of `geometric` those before its correction, and what crosses after it.
fn look(response: &mut Response, state: &State) -> (Figures, usize) {
    match response {
        Response::Barrier(barrier) => {
            barrier.forces(&state.positions);
            (barrier.figures(), certify(barrier.shapes(), barrier.positions()).crossings)
        }
        Response::Geometric(geometric) => {
            let found = geometric.figures();
            let figures = Figures { touches: found.contacts, smallest_gap: -found.deepest, ..Figures::default() };
            (figures, certify(geometric.shapes(), geometric.positions()).crossings)
        }
    }
}

/// A square metre of about so many triangles.
fn square(triangles: usize, unstructured: bool) -> Result<Mesh, BenchError> {
    if unstructured {
        let edge = meshing::edge_for_triangles(1.0, triangles);
        return Ok(meshing::rectangle([1.0, 1.0], &meshing::Options::of_edge(edge))?);
    }
    let cells = ((triangles as f64 / 2.0).sqrt().round() as usize).max(1);
    Ok(Grid { cells: [cells, cells], size: [1.0, 1.0], diagonal: Diagonal::Alternating }.mesh())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Edges stay where they are while the cloth is within half of its stretch, approach the faster the more it is stretched, and
    /// never farther than they may or into each other.
    #[test]
    fn edges_approach_as_the_cloth_asks() {
        let task = |approach| Twist { triangles: 2, turns: 2.0, approach, longest: 1.05, common: Common::default() };
        let way = |longest: f64| 1.0 - task(0.7).next_apart(1.0, longest);
        // 2 turns in 2 s: θ/2 grows by 2π each second, in steps of 20 ms.
        let fastest = TAU * 0.02;
        for (longest, expected) in [(0.9, 0.0), (1.025, 0.0), (1.0375, 0.5 * fastest), (1.05, fastest), (3.0, fastest)]
        {
            assert!((way(longest) - expected).abs() < 1e-12, "{longest}: {}", way(longest));
        }
        assert_eq!([task(0.01), task(0.0)].map(|t| t.next_apart(1.0, 2.0)), [0.99, 1.0]);
        assert_eq!([0.05, 0.004, 0.003].map(|apart| task(1.0).next_apart(apart, 2.0)), [0.004, 0.004, 0.003]);
    }
}
