//! Speed of geometric contact on something like a garment: a cape of 10 000 triangles and a smaller one over it, on an
//! ellipsoid.
//! `cargo run --release -p toile-contact --example geometric_speed [threads] [steps] [triangles] [monotone|none|cone] [step in ms]`

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use glam::DVec3;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use toile_contact::barrier::{Friction, Sheet};
use toile_contact::geometric::{Geometric, Push, Settings};
use toile_contact::obstacle::{Form, Movement, Obstacle, ellipsoid};
use toile_contact::{Pruning, certify};
use toile_core::fabric::Fabric;
use toile_core::integrate::{Integrator, Options, Phase};
use toile_core::mesh::{Diagonal, Grid, Mesh};
use toile_core::system::Builder;

/// Half axes of the body (m).
const BODY: DVec3 = DVec3::new(0.25, 0.15, 0.2);

/// A square sheet above the body.
fn cape(side: f64, height: f64, triangles: usize) -> Mesh {
    let cells = (0.5 * triangles as f64).sqrt().round() as usize;
    let mut mesh = Grid { cells: [cells, cells], size: [side; 2], diagonal: Diagonal::Alternating }.mesh();
    mesh.positions.iter_mut().for_each(|p| *p += DVec3::new(-0.5 * side, height, 0.5 * side));
    mesh
}

/// Seconds in each phase.
#[derive(Default)]
struct Clock {
    spent: BTreeMap<&'static str, f64>,
    now: Option<(&'static str, Instant)>,
}

impl Clock {
    fn enter(&mut self, phase: &'static str) {
        if let Some((name, start)) = self.now.replace((phase, Instant::now())) {
            *self.spent.entry(name).or_default() += start.elapsed().as_secs_f64();
        }
    }
}

fn main() {
    let arguments: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let threads = arguments.first().copied().unwrap_or(1);
    let steps = arguments.get(1).copied().unwrap_or(100);
    let triangles = arguments.get(2).copied().unwrap_or(10_000);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let pruning = match std::env::args().nth(4).as_deref() {
        Some("none") => Pruning::None,
        Some("cone") => Pruning::NormalCone,
        _ => Pruning::Monotone,
    };
    let dt = std::env::args().nth(5).and_then(|a| a.parse().ok()).map_or(0.01, |ms: f64| 1e-3 * ms);
    pool.install(|| run(steps, triangles, pruning, dt));
}

fn run(steps: usize, triangles: usize, pruning: Pruning, dt: f64) {
    let meshes = [cape(0.8, 0.16, triangles), cape(0.6, 0.163, triangles / 2)];
    let fabric = Fabric::isotropic(500.0, 0.3, 1e-5, 0.15).unwrap();
    let count = meshes.iter().map(Mesh::vertex_count).sum();
    let system = Builder::new(&meshes[0], &fabric)
        .bending("midedge-quadratic")
        .sheet(&meshes[1], &fabric)
        .bending("midedge-quadratic")
        .force(Box::new(Push::new(count)))
        .build()
        .unwrap();
    let sheets: Vec<Sheet> = meshes
        .iter()
        .zip(["cape", "over-layer"])
        .map(|(m, name)| Sheet {
            name: name.into(),
            vertex_count: m.vertex_count(),
            triangles: m.triangles.clone(),
            material: m.material.clone(),
            thickness: 1e-3,
        })
        .collect();
    let (vertices, body) = ellipsoid(BODY, 5);
    println!(
        "{} + {} triangles of cloth, {} of the body",
        meshes[0].triangles.len(),
        meshes[1].triangles.len(),
        body.len()
    );
    let body = Obstacle {
        name: "body".into(),
        form: Form::Mesh { vertices, triangles: body, skin: 0.0 },
        movement: Movement::Still,
    };
    let friction = |_: usize, _: usize| Friction::coulomb(0.4);
    let mut geometric =
        Geometric::new(&system, &sheets, vec![body], friction, Settings { pruning, ..Settings::default() });
    let mut integrator = Integrator::new(&system, Options::named("semi-implicit").unwrap()).unwrap();
    let clock = Arc::new(Mutex::new(Clock::default()));
    let probe = || {
        let clock = clock.clone();
        Box::new(move |phase: Phase| {
            let name = match phase {
                Phase::Detection => "detection",
                Phase::Contact => "correction",
                Phase::Forces | Phase::Assembly => "forces and matrix",
                Phase::Setup | Phase::Solve => "solve",
                Phase::Other => "other",
            };
            clock.lock().unwrap().enter(name);
        })
    };
    integrator.set_probe(probe());
    geometric.set_probe(probe());
    let mut state = system.initial_state();
    let start = Instant::now();
    for step in 0..steps {
        geometric.step(&mut integrator, &system, &mut state, dt).unwrap();
        if (step + 1) % (steps / 5).max(1) == 0 {
            let f = geometric.figures();
            let certificate = certify(geometric.shapes(), geometric.positions());
            clock.lock().unwrap().enter("certificate");
            println!(
                "step {:4}: {:6} candidates {:6} contacts, deepest {:6.3} mm, {} crossings ({} with the body)",
                step + 1,
                f.candidates,
                f.contacts,
                1e3 * f.deepest,
                certificate.crossings,
                certificate.obstacle_crossings
            );
        }
    }
    clock.lock().unwrap().enter("other");
    let clock = clock.lock().unwrap();
    let parts: Vec<_> = clock.spent.iter().filter(|p| *p.0 != "certificate").collect();
    let sum: f64 = parts.iter().map(|p| p.1).sum();
    println!("{:.2} s wall, {:.1} ms per step", start.elapsed().as_secs_f64(), 1e3 * sum / steps as f64);
    for (name, seconds) in parts {
        println!("{name:18} {:7.2} ms {:5.1} %", 1e3 * seconds / steps as f64, 100.0 * seconds / sum);
    }
}
