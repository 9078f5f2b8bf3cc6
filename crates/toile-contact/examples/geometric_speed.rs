//! Speed of geometric contact on something like a garment: a sleeve of 10 000 triangles and a wider one over it, on an ellipsoid.
//! `cargo run --release -p toile-contact --example geometric_speed [threads] [steps] [triangles]`

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use glam::{DVec2, DVec3};
use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use toile_contact::barrier::{Friction, Sheet};
use toile_contact::certify;
use toile_contact::geometric::{Geometric, Push, Settings};
use toile_contact::obstacle::{Form, Movement, Obstacle};
use toile_core::fabric::Fabric;
use toile_core::integrate::{Integrator, Options, Phase};
use toile_core::mesh::Mesh;
use toile_core::system::Builder;

/// A sleeve about the y axis.
fn sleeve(radius: f64, height: f64, middle: f64, triangles: usize) -> Mesh {
    let cell = (TAU * radius * height * 2.0 / triangles as f64).sqrt();
    let (columns, rows) = ((TAU * radius / cell).round() as u32, (height / cell).round() as u32);
    let mut mesh = Mesh::default();
    for r in 0..=rows {
        for c in 0..columns {
            let a = TAU * f64::from(c) / f64::from(columns);
            let y = middle + height * (f64::from(r) / f64::from(rows) - 0.5);
            mesh.positions.push(DVec3::new(radius * a.sin(), y, radius * a.cos()));
        }
    }
    let at = |c: u32, r: u32| r * columns + c % columns;
    let flat = |c: u32, r: u32| {
        DVec2::new(TAU * radius * f64::from(c) / f64::from(columns), height * f64::from(r) / f64::from(rows))
    };
    for r in 0..rows {
        for c in 0..columns {
            for t in [[(c, r), (c + 1, r), (c + 1, r + 1)], [(c, r), (c + 1, r + 1), (c, r + 1)]] {
                mesh.triangles.push(t.map(|(c, r)| at(c, r)));
                mesh.material.push(t.map(|(c, r)| flat(c, r)));
            }
        }
    }
    mesh
}

/// An ellipsoid as a divided octahedron, facing out.
fn ellipsoid(half: DVec3, levels: usize) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let mut vertices = vec![DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z];
    let mut triangles = vec![[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5u32]];
    for _ in 0..levels {
        let (mut middles, mut finer) = (BTreeMap::new(), Vec::new());
        for [a, b, c] in triangles {
            let mut between = |a: u32, b: u32| {
                *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                    vertices.push((vertices[a as usize] + vertices[b as usize]).normalize());
                    vertices.len() as u32 - 1
                })
            };
            let (ab, bc, ca) = (between(a, b), between(b, c), between(c, a));
            finer.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
        triangles = finer;
    }
    (vertices.into_iter().map(|v| half * v).collect(), triangles)
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
    pool.install(|| run(steps, triangles));
}

fn run(steps: usize, triangles: usize) {
    let meshes = [sleeve(0.155, 0.5, 0.1, triangles), sleeve(0.17, 0.3, 0.2, triangles / 2)];
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
        .zip(["sleeve", "over-sleeve"])
        .map(|(m, name)| Sheet {
            name: name.into(),
            vertex_count: m.vertex_count(),
            triangles: m.triangles.clone(),
            material: m.material.clone(),
            thickness: 1e-3,
        })
        .collect();
    let (vertices, body) = ellipsoid(DVec3::new(0.15, 0.5, 0.11), 5);
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
    let mut geometric = Geometric::new(&system, &sheets, vec![body], friction, Settings::default());
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
        geometric.step(&mut integrator, &system, &mut state, 0.01).unwrap();
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
    println!("{:.2} s wall, {:.1} ms per step of 10 ms", start.elapsed().as_secs_f64(), 1e3 * sum / steps as f64);
    for (name, seconds) in parts {
        println!("{name:18} {:7.2} ms {:5.1} %", 1e3 * seconds / steps as f64, 100.0 * seconds / sum);
    }
}
