//! Starts that cross, and what becomes of them: cloth of 0.3 m × 0.3 m, 1 mm thick.

#![allow(clippy::unwrap_used)] // shared by a test and an example

mod cases;

pub(crate) use cases::cases;

use glam::DVec3;
use toile_contact::barrier::{Barrier, Friction, Settings, Sheet};
use toile_contact::certify;
use toile_contact::obstacle::{Form, Obstacle};
use toile_contact::untangle::{Plane, Problem, Tangle, Untangled, untangle};
use toile_core::fabric::Fabric;
use toile_core::integrate::{Integrator, Options};
use toile_core::mesh::Mesh;
use toile_core::system::{Builder, System};

/// A start.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) sheets: Vec<Mesh>,
    /// Held vertices of each sheet.
    pub(crate) pins: Vec<Vec<u32>>,
    pub(crate) obstacles: Vec<Obstacle>,
    /// Whether it can be parted at all.
    pub(crate) has_solution: bool,
}

/// What became of a start.
pub(crate) struct Outcome {
    pub(crate) result: Result<Untangled, Tangle>,
    pub(crate) crossings_before: usize,
    /// What is wrong after some steps with barriers, if anything.
    pub(crate) fault: Option<String>,
    /// Where everything was, and is.
    pub(crate) start: Vec<DVec3>,
    pub(crate) positions: Vec<DVec3>,
}

const THICKNESS: f64 = 1e-3;
const STEPS: usize = 3;

impl Case {
    pub(crate) fn run(&self) -> Outcome {
        let fabric = Fabric::isotropic(500.0, 0.3, 1e-5, 0.15).unwrap();
        let system = self.system(&fabric);
        let settings = Settings::default();
        let sheets: Vec<Sheet> = self.sheets.iter().enumerate().map(|(k, mesh)| sheet(k, mesh)).collect();
        let friction = |_: usize, _: usize| Friction::coulomb(0.3);
        let mut barrier = Barrier::new(&system, &sheets, self.obstacles.clone(), friction, settings.clone());
        let cloth = barrier.shapes().cloth_vertices;
        let material: Vec<_> = self.sheets.iter().flat_map(|m| m.material.clone()).collect();
        let is_free: Vec<bool> = system.free()[..cloth].iter().map(|f| f.iter().all(|a| *a)).collect();
        let problem = Problem {
            shapes: barrier.shapes(),
            material: &material,
            weights: &system.masses()[..cloth],
            is_free: &is_free,
            planes: &planes(&self.obstacles),
            own: settings.own,
            clearance: 0.5 * settings.reach,
            stretch: [0.8, 1.2],
            max_rounds: 400,
        };
        let start = barrier.positions().to_vec();
        let mut positions = start.clone();
        let crossings_before = certify(problem.shapes, &positions).crossings;
        let result = untangle(&problem, &mut positions);
        let fault = if result.is_ok() { simulate(&system, &mut barrier, &positions[..cloth]) } else { None };
        Outcome { result, crossings_before, fault, start, positions }
    }

    fn system(&self, fabric: &Fabric) -> System {
        let mut builder = Builder::new(&self.sheets[0], fabric).bending("midedge-quadratic");
        for (k, mesh) in self.sheets.iter().enumerate() {
            if k > 0 {
                builder = builder.sheet(mesh, fabric).bending("midedge-quadratic");
            }
            if let Some(pins) = self.pins.get(k).filter(|p| !p.is_empty()) {
                builder = builder.pin("pin", pins.clone());
            }
        }
        builder.build().unwrap()
    }
}

fn sheet(number: usize, mesh: &Mesh) -> Sheet {
    Sheet {
        name: format!("sheet {number}"),
        vertex_count: mesh.vertex_count(),
        triangles: mesh.triangles.clone(),
        material: mesh.material.clone(),
        thickness: THICKNESS,
    }
}

fn planes(obstacles: &[Obstacle]) -> Vec<Plane> {
    let plane = |o: &Obstacle| match o.form {
        Form::HalfSpace { point, normal } => Some(Plane { name: o.name.clone(), point, normal }),
        _ => None,
    };
    obstacles.iter().filter_map(plane).collect()
}

/// Takes some steps with barriers from the parted start.
fn simulate(system: &System, barrier: &mut Barrier, positions: &[DVec3]) -> Option<String> {
    let options = Options::named("backward-euler").unwrap();
    let mut integrator =
        Integrator::new(system, Options { tolerance: 0.3, linear_tolerance: 0.03, max_newton: 60, ..options }).unwrap();
    let mut state = system.initial_state();
    state.positions[..positions.len()].copy_from_slice(positions);
    for _ in 0..STEPS {
        if let Err(error) = integrator.step_in_contact(system, &mut state, 5e-3, barrier) {
            return Some(error.to_string());
        }
    }
    barrier.forces(&state.positions);
    let certificate = certify(barrier.shapes(), barrier.positions());
    (!certificate.is_clear()).then(|| certificate.to_string())
}
