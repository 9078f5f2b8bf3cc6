//! Folds and bands of their own stiffness in a system, against closed forms.

#![allow(clippy::unwrap_used)] // test equipment: a failure is a failed test

use glam::DVec3;
use toile_core::bending::Crease;
use toile_core::fabric::Fabric;
use toile_core::force::Load;
use toile_core::integrate::{StaticOptions, relax};
use toile_core::mesh::{Diagonal, Grid, Mesh, Topology};
use toile_core::system::{Builder, State, System};

const RIGIDITY: f64 = 2e-5;

fn rest(system: &System) -> State {
    let mut state = system.initial_state();
    let outcome = relax(system, &mut state, &StaticOptions::default(), None).unwrap();
    assert!(outcome.converged);
    state
}

/// Interior edges along a line x = const.
fn across(mesh: &Mesh, x: f64) -> Vec<u32> {
    let topology = Topology::new(mesh).unwrap();
    let on = |v: u32| (mesh.positions[v as usize].x - x).abs() < 1e-9;
    let inner = |e: &usize| topology.edges[*e].triangles[1] != Topology::NONE;
    let edges = (0..topology.edges.len()).filter(inner);
    edges.filter(|e| topology.edges[*e].vertices.iter().all(|v| on(*v))).map(|e| e as u32).collect()
}

/// A strip without weight, held at one half: the other half turns until the fold has its angle. Fabric and fold together have one
/// rest shape, so nothing is left to balance, whichever model the fabric has.
#[test]
fn a_fold_takes_its_rest_angle() {
    let grid = Grid { cells: [8, 2], size: [0.16, 0.04], diagonal: Diagonal::Alternating };
    let (mesh, fabric) = (grid.mesh(), Fabric::isotropic(300.0, 0.3, RIGIDITY, 0.15).unwrap());
    let held = mesh.vertices_where(|p| p.x < 0.081);
    for model in ["midedge", "midedge-quadratic", "hinge-quadratic"] {
        for (angle, stiffness) in [(0.5, f64::INFINITY), (-2.4, f64::INFINITY), (2.9, 1e-3)] {
            let mut builder =
                Builder::new(&mesh, &fabric).bending(model).gravity(DVec3::ZERO).pin("half", held.clone());
            for edge in across(&mesh, 0.08) {
                builder = builder.crease(Crease { edge, stiffness, rest_angle: angle });
            }
            let state = rest(&builder.build().unwrap());
            // Positive towards the outside, +y of a flat piece.
            for v in mesh.vertices_where(|p| p.x > 0.15) {
                let x = state.positions[v as usize];
                let found = x.y.atan2(x.x - 0.08);
                assert!((found - angle).abs() < 1e-4, "{model}, {angle} rad: {found}");
            }
        }
    }
}

/// Deflection of a strip of length L and width W that is clamped at one end and lightly loaded at the other, by its factors.
fn deflection(factor: impl Fn(DVec3) -> f64) -> f64 {
    let grid = Grid { cells: [48, 12], size: [0.24, 0.06], diagonal: Diagonal::Alternating };
    let (mesh, fabric) = (grid.mesh(), Fabric::isotropic(300.0, 0.0, RIGIDITY, 0.15).unwrap());
    let centre = |t: &[u32; 3]| t.iter().map(|&v| mesh.positions[v as usize]).sum::<DVec3>() / 3.0;
    let start = mesh.vertices_where(|p| p.x == 0.0);
    let end = mesh.vertices_where(|p| p.x > 0.2399);
    let share = |v: u32| {
        let z = mesh.positions[v as usize].z;
        (v, if (-0.0599..=-1e-9).contains(&z) { 1.0 / 12.0 } else { 0.5 / 12.0 })
    };
    let shares: Vec<(u32, f64)> = end.iter().map(|&v| share(v)).collect();
    let system = Builder::new(&mesh, &fabric)
        .bending("midedge-quadratic")
        .bending_factors(mesh.triangles.iter().map(|t| factor(centre(t))).collect())
        .gravity(DVec3::ZERO)
        .clamp("wall", start, DVec3::Y)
        .force(Box::new(Load::shared(DVec3::Y * LOAD, &shares)))
        .build()
        .unwrap();
    let state = rest(&system);
    shares.iter().map(|&(v, w)| w * state.positions[v as usize].y).sum()
}

/// Bends the strip by about a hundredth of its length: a linear plate.
const LOAD: f64 = 5e-7;

/// A band along the strip bends side by side with the rest: P L³/(3 B (W + (s − 1) w)). One across it bends after the rest: its
/// compliance alone is s times less.
#[test]
fn bands_bend_as_their_stiffness_says() {
    let (length, width, s) = (0.24f64, 0.06, 6.0);
    let plain = LOAD * length.powi(3) / (3.0 * RIGIDITY * width);
    assert!((deflection(|_| 1.0) / plain - 1.0).abs() < 0.01);
    let along = |p: DVec3| if (p.z + 0.03).abs() < 0.01 { s } else { 1.0 };
    let expected = LOAD * length.powi(3) / (3.0 * RIGIDITY * (width + (s - 1.0) * 0.02));
    let found = deflection(along);
    assert!((found / expected - 1.0).abs() < 0.02, "along: {found}, expected {expected}");
    // From a to b across: ∫ (L − x)² dx over B W, s times less there.
    let (a, b) = (0.10, 0.14);
    let part = |x: f64| (length - x).powi(3) / 3.0;
    let expected = LOAD / (RIGIDITY * width) * (part(0.0) - (1.0 - 1.0 / s) * (part(a) - part(b)));
    let found = deflection(|p| if p.x > a && p.x < b { s } else { 1.0 });
    assert!((found / expected - 1.0).abs() < 0.02, "across: {found}, expected {expected}");
}
