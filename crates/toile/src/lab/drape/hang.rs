//! The drapemeter: a sample over the round edge of a plate, come to rest.

use super::{Drape, HEIGHT, Hold, LabError};
use crate::lab::MeshKind;
use glam::{DVec2, DVec3};
use std::f64::consts::TAU;
use toile_contact::barrier::{Barrier, Friction, Settings, Sheet};
use toile_contact::certify;
use toile_contact::obstacle::{Form, Movement, Obstacle};
use toile_core::fabric::Fabric;
use toile_core::integrate::{Integrator, Options, Precision, StaticOptions, StepError, StepReport, relax};
use toile_core::mesh::Mesh;
use toile_core::system::{Builder, State, System};
use toile_core::tensile::STANDARD_GRAVITY;
use toile_garment::meshing::{self, edge_for_triangles};

/// Corners of the support: its sides leave the circle by 0.02 mm.
const CORNERS: usize = 144;
/// Longest reach of contact (m).
const REACH: f64 = 0.5e-3;
/// First and longest step (s), and how they grow: inertia is nothing at the end.
const STEPS: [f64; 2] = [0.01, 0.5];
const GROWTH: f64 = 1.4;
/// Newton's tolerance of the longest step, in steps of free fall.
const TOLERANCE: f64 = 1e-4;
/// What moves less than this (m) in a step is at rest; or close to it.
const STILL: f64 = 2e-5;
const CLOSE: f64 = 5e-4;
/// Steps at most.
const MOST: usize = 400;
/// Largest slope of the disturbance that decides where folds begin.
const DISTURBANCE: f64 = 0.01;
/// Waves of the disturbance around the rim.
const WAVES: std::ops::RangeInclusive<usize> = 2..=20;

/// A sample at rest.
pub(super) struct Hanging {
    /// The whole sample as it hangs, the part between the plates included.
    pub(super) mesh: Mesh,
    pub(super) triangles: usize,
    /// Vertices of the rim.
    pub(super) rim: Vec<u32>,
    /// The support, for pictures.
    pub(super) support: Mesh,
    pub(super) newton: usize,
    /// Largest force left on a node (N).
    pub(super) residual: f64,
    pub(super) self_touches: usize,
    pub(super) crossings: usize,
}

/// Sample, support, and what is between them.
struct Rig {
    mesh: Mesh,
    system: System,
    barrier: Barrier,
    support: Mesh,
}

/// Lets a sample come to rest.
pub(super) fn hang(plan: &Drape, fabric: &Fabric, seed: u64) -> Result<Hanging, LabError> {
    let mut rig = Rig::new(plan, fabric)?;
    let mut state = rig.system.initial_state();
    disturb(plan, &rig.mesh, seed, &mut state);
    let found = rig.settle(plan, &mut state)?;
    let count = rig.mesh.vertex_count();
    rig.barrier.forces(&state.positions);
    let figures = rig.barrier.figures();
    let crossings = certify(rig.barrier.shapes(), rig.barrier.positions()).crossings;
    let rim = rig.mesh.vertices_where(|p| p.x.hypot(p.z) > 0.5 * plan.diameter * (1.0 - 1e-9));
    let triangles = rig.mesh.triangles.len();
    let mut mesh = Mesh { positions: state.positions[..count].to_vec(), ..rig.mesh };
    if plan.hold == Hold::Plates {
        weld(&mut mesh, &meshing::disc(0.5 * plan.support, &meshing::Options::of_edge(plan.edge()))?);
    }
    Ok(Hanging {
        mesh,
        triangles,
        rim,
        support: rig.support,
        newton: found.newton,
        residual: found.residual,
        self_touches: figures.self_touches,
        crossings,
    })
}

struct Rest {
    newton: usize,
    residual: f64,
}

impl Rig {
    fn new(plan: &Drape, fabric: &Fabric) -> Result<Self, LabError> {
        let mesh = plan.sample()?;
        let narrowest = narrowest(&mesh);
        let reach = (0.25 * narrowest).min(REACH);
        let thickness = fabric.thickness.min(0.5 * narrowest);
        let held_radius = 0.5 * plan.support;
        let mut builder = Builder::new(&mesh, fabric).gravity(DVec3::new(0.0, -STANDARD_GRAVITY, 0.0));
        if plan.hold == Hold::Plates {
            let held = mesh.vertices_where(|p| p.x.hypot(p.z) < held_radius * (1.0 + 1e-9));
            builder = builder.clamp("plates", held, DVec3::Y);
        }
        let system = builder.build()?;
        let sheet = Sheet {
            name: "sample".into(),
            vertex_count: mesh.vertex_count(),
            triangles: mesh.triangles.clone(),
            material: mesh.material.clone(),
            thickness,
        };
        // Just out of reach: a flat sample is not pushed off its plate.
        let support = support(0.5 * plan.support - plan.edge_radius, -(0.5 * thickness + reach + plan.edge_radius));
        let form = Form::Mesh {
            vertices: support.positions.clone(),
            triangles: support.triangles.clone(),
            skin: plan.edge_radius,
        };
        let obstacle = Obstacle { name: "support".into(), form, movement: Movement::Still };
        let settings = Settings { reach, slack: reach, ..Settings::default() };
        let friction = Friction::coulomb(plan.friction);
        let barrier = Barrier::new(&system, &[sheet], vec![obstacle], |_, _| friction, settings);
        Ok(Self { mesh, system, barrier, support })
    }

    /// To rest: steps of backward Euler that start at rest and grow, until nothing moves any more. As soon as little does and nothing
    /// touches, Newton's method on the forces alone ends it.
    fn settle(&mut self, plan: &Drape, state: &mut State) -> Result<Rest, LabError> {
        let wanted = plan.tolerance * STANDARD_GRAVITY * self.system.total_mass() / self.mesh.vertex_count() as f64;
        let (mut newton, mut residual, mut dt, mut still) = (0, f64::INFINITY, STEPS[0], 0);
        for steps in 1..=MOST {
            let failed = |source: StepError| LabError::Step { at: format!("step {steps}"), source };
            let report = self.step(state, dt).map_err(failed)?;
            newton += report.newton;
            let moved = state.velocities.iter().map(|v| v.length()).fold(0.0, f64::max) * dt;
            state.velocities.fill(DVec3::ZERO);
            (state.past, state.time) = (None, 0.0);
            residual = self.largest_force(state);
            if moved < CLOSE && self.barrier.figures().touches == 0 {
                let (iterations, end) = self.equilibrium(plan, state, wanted).map_err(failed)?;
                newton += iterations;
                if let Some(end) = end {
                    *state = end;
                    return Ok(Rest { newton, residual: self.largest_force(state) });
                }
            }
            still = if moved < STILL { still + 1 } else { 0 };
            if still == 3 || residual <= wanted {
                return Ok(Rest { newton, residual });
            }
            dt = if report.cuts > 0 { 0.5 * dt } else { (GROWTH * dt).min(STEPS[1]) };
        }
        Err(LabError::Unbalanced { at: format!("step {MOST}"), iterations: newton, residual })
    }

    fn step(&mut self, state: &mut State, dt: f64) -> Result<StepReport, StepError> {
        // Tolerances count in steps of free fall: the same force in long steps and in short ones.
        let tolerance = TOLERANCE * STEPS[1] / dt;
        let options = Options {
            precision: Precision::Double,
            tolerance,
            linear_tolerance: 0.1 * tolerance,
            max_newton: 100,
            solver: "cholesky".into(),
            ..Options::named("backward-euler").unwrap_or_default()
        };
        let mut integrator = Integrator::new(&self.system, options)?;
        self.barrier.start_from(&state.positions, 0.0);
        integrator.step_in_contact(&self.system, state, dt, &mut self.barrier)
    }

    /// Iterations and the equilibrium without contact, if nothing touches there either.
    fn equilibrium(&mut self, plan: &Drape, start: &State, wanted: f64) -> Result<(usize, Option<State>), StepError> {
        let options = StaticOptions {
            force_tolerance: wanted,
            max_move: 0.05 * plan.diameter,
            max_iterations: 200,
            ..StaticOptions::default()
        };
        let mut state = start.clone();
        let found = relax(&self.system, &mut state, &options, None)?;
        self.barrier.start_from(&state.positions, 0.0);
        let is_clear =
            self.barrier.figures().touches == 0 && certify(self.barrier.shapes(), self.barrier.positions()).is_clear();
        Ok((found.iterations, (found.converged && is_clear).then_some(state)))
    }

    /// Forces on the nodes, contact included (N).
    fn forces(&mut self, state: &State) -> Vec<DVec3> {
        let mut forces = self.system.total_forces(state);
        let touching = self.barrier.forces(&state.positions);
        forces.iter_mut().zip(touching).take(self.mesh.vertex_count()).for_each(|(f, c)| *f += c);
        forces
    }

    fn largest_force(&mut self, state: &State) -> f64 {
        let forces = self.forces(state);
        let free = self.system.free();
        let size =
            |i: usize| DVec3::from_array([0, 1, 2].map(|c| if free[i][c] { forces[i][c] } else { 0.0 })).length();
        (0..forces.len()).map(size).fold(0.0, f64::max)
    }
}

impl Drape {
    /// Edge length of the triangles (m).
    pub(super) fn edge(&self) -> f64 {
        let [outer, inner] = [0.5 * self.diameter, 0.5 * self.support].map(|r| 0.5 * TAU * r * r);
        edge_for_triangles(outer - inner, self.specimen.triangles)
    }

    /// The sample, or what the plates leave free of it, in x–z.
    fn sample(&self) -> Result<Mesh, LabError> {
        let jitter = if self.specimen.mesh == MeshKind::Structured { 0.0 } else { 0.3 };
        let options = meshing::Options { jitter, seed: 1, ..meshing::Options::of_edge(self.edge()) };
        let outer = 0.5 * self.diameter;
        Ok(match self.hold {
            Hold::Plates => meshing::annulus(0.5 * self.support, outer, &options)?,
            Hold::Weight => meshing::disc(outer, &options)?,
        })
    }
}

/// Lowest height of a triangle (m).
fn narrowest(mesh: &Mesh) -> f64 {
    let height = |t: &[DVec2; 3]| {
        let longest = (0..3).map(|k| t[k].distance(t[(k + 1) % 3])).fold(0.0, f64::max);
        (t[1] - t[0]).perp_dot(t[2] - t[0]).abs() / longest
    };
    mesh.material.iter().map(height).fold(f64::INFINITY, f64::min)
}

/// Waves of random height and phase around the rim, rising outwards: the same for all meshes.
fn disturb(plan: &Drape, mesh: &Mesh, seed: u64, state: &mut State) {
    let mut random = Random(seed);
    let waves: Vec<[f64; 3]> = WAVES.map(|n| [n as f64, random.next(), TAU * random.next()]).collect();
    let (inner, outer) = (0.5 * plan.support, 0.5 * plan.diameter);
    let most = DISTURBANCE * (outer - inner) / waves.len() as f64;
    for (x, rest) in state.positions.iter_mut().zip(&mesh.positions) {
        let (radius, angle) = (rest.x.hypot(rest.z), rest.z.atan2(rest.x));
        let out = ((radius - inner) / (outer - inner)).max(0.0);
        x.y += waves.iter().map(|[n, a, p]| most * a * (n * angle + p).sin()).sum::<f64>() * out * out;
    }
}

/// Numbers between 0 and 1 that look random and are the same everywhere (splitmix64: Steele14).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as f64 / u64::MAX as f64
    }
}

/// A round plate with its top at a height (m): rings of corners, half as many on each ring further in.
fn support(radius: f64, top: f64) -> Mesh {
    let mut mesh = Mesh { positions: Vec::new(), triangles: Vec::new(), material: Vec::new() };
    for (y, is_top) in [(top, true), (top - HEIGHT, false)] {
        let first = mesh.positions.len() as u32;
        let (mut count, mut size, mut ring) = (CORNERS, radius, first);
        loop {
            let point = |k: usize| {
                let angle = TAU * k as f64 / count as f64;
                DVec3::new(size * angle.cos(), y, -size * angle.sin())
            };
            mesh.positions.extend((0..count).map(point));
            let n = count as u32;
            if count % 2 == 1 {
                (1..n - 1).for_each(|k| add(&mut mesh, [ring, ring + k, ring + k + 1], is_top));
                break;
            }
            let next = ring + n;
            for k in 0..n / 2 {
                let [a, b, c] = [2 * k, 2 * k + 1, (2 * k + 2) % n].map(|i| ring + i);
                let [d, e] = [k, (k + 1) % (n / 2)].map(|i| next + i);
                for t in [[a, b, d], [b, e, d], [b, c, e]] {
                    add(&mut mesh, t, is_top);
                }
            }
            (count, size, ring) = (count / 2, 0.8 * size, next);
        }
    }
    let (n, below) = (CORNERS as u32, mesh.positions.len() as u32 / 2);
    for k in 0..n {
        let next = (k + 1) % n;
        add(&mut mesh, [k, below + k, below + next], true);
        add(&mut mesh, [k, below + next, next], true);
    }
    mesh
}

fn add(mesh: &mut Mesh, [a, b, c]: [u32; 3], is_up: bool) {
    mesh.triangles.push(if is_up { [a, b, c] } else { [a, c, b] });
}

/// Adds the triangles of another mesh; vertices in the same place become one.
fn weld(mesh: &mut Mesh, other: &Mesh) {
    let known = mesh.positions.len();
    let mut numbers = Vec::with_capacity(other.positions.len());
    for p in &other.positions {
        let same = mesh.positions[..known].iter().position(|q| q.distance_squared(*p) < 1e-20);
        numbers.push(same.unwrap_or(mesh.positions.len()) as u32);
        if same.is_none() {
            mesh.positions.push(*p);
        }
    }
    mesh.triangles.extend(other.triangles.iter().map(|t| t.map(|v| numbers[v as usize])));
    mesh.material.extend_from_slice(&other.material);
}
