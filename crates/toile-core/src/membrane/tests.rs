//! The battery of every membrane model with every law.

use super::*;
use crate::fabric::{Branch, Rule};
use crate::force::{Moment, Projection, Rate, Target};
use crate::law::LAWS;
use crate::linalg::{BlockMatrix, Pattern, symmetric_eigen};
use crate::mesh::{Diagonal, Grid};
use glam::{DQuat, DVec3};
use std::sync::Arc;

/// Deterministic numbers in −1…1.
struct Noise(u64);
impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}

/// A small sheet with an oblique grain, its vertices thrown about by up to `amount` of a cell.
fn crumpled(amount: f64) -> (Mesh, Vec<DVec3>) {
    let mesh = Grid { cells: [3, 2], size: [0.3, 0.2], diagonal: Diagonal::Alternating }.mesh().with_grain(0.4);
    let mut noise = Noise(7);
    let positions = mesh.positions.iter().map(|p| *p + amount * 0.1 * noise.vector()).collect();
    (mesh, positions)
}

fn materials(law: AnyLaw) -> Vec<Material> {
    let plain = Material { elastic: law.clone(), viscous: None, memory: vec![] };
    let viscous = Material { viscous: Some(law.clone()), ..plain.clone() };
    let memory = vec![
        Branch { stiffness: [300.0, 200.0, 20.0], rule: Rule::Slider { yield_stress: [9.0, 4.0, 0.3] } },
        Branch { stiffness: [100.0, 150.0, 10.0], rule: Rule::Relaxation { time: 0.05 } },
    ];
    vec![plain.clone(), viscous.clone(), Material { memory, ..viscous }]
}

/// Calls `check` for every model × law × (plain, viscous, viscous with memory).
fn battery(check: impl Fn(&str, &Material, &mut Box<dyn Force>, &Mesh)) {
    for model in MEMBRANES {
        for law in LAWS {
            for (k, material) in materials((law.sample)()).iter().enumerate() {
                let (mesh, _) = crumpled(0.0);
                let mut force = build(model.name, &mesh, material, Level::detect()).unwrap();
                check(&format!("{} × {} #{k}", model.name, law.name), material, &mut force, &mesh);
            }
        }
    }
}

fn moment<'a>(positions: &'a [DVec3], velocities: &'a [DVec3]) -> Moment<'a> {
    Moment { positions, velocities, time: 0.0, elapsed: 0.02, rate: Rate::Since { per_second: 50.0 } }
}

fn forces(force: &dyn Force, at: &Moment, memory: &[f64]) -> Vec<DVec3> {
    let mut out = vec![DVec3::ZERO; at.positions.len()];
    force.add_forces(at, memory, &mut out);
    out
}

fn dense_jacobian(force: &mut dyn Force, at: &Moment, memory: &[f64], projection: Projection) -> Vec<f64> {
    let n = at.positions.len();
    let pattern = Arc::new(Pattern::from_stencils(n, |visit| force.stencils(visit)));
    force.bind(&pattern);
    let mut matrix = BlockMatrix::<f64>::zero(pattern.clone());
    force.add_jacobian(at, memory, projection, &mut Target::Double(&mut matrix));
    let mut dense = vec![0.0; 9 * n * n];
    let size = 3 * n;
    for i in 0..n {
        for k in 0..9 {
            dense[(3 * i + k / 3) * size + 3 * i + k % 3] = matrix.diagonal[i][k];
        }
        for slot in pattern.row(i) {
            let j = pattern.columns[slot] as usize;
            for k in 0..9 {
                dense[(3 * i + k / 3) * size + 3 * j + k % 3] = matrix.lower[slot][k];
                dense[(3 * j + k % 3) * size + 3 * i + k / 3] = matrix.lower[slot][k];
            }
        }
    }
    dense
}

/// Memory after a committed step from a slightly deformed state, so that rates, sliders and Prony terms are all at work.
fn worked_memory(force: &dyn Force, mesh: &Mesh) -> Vec<f64> {
    let mut memory = vec![0.0; force.memory_len()];
    let mut noise = Noise(3);
    let before: Vec<DVec3> = mesh.positions.iter().map(|p| *p + 0.004 * noise.vector()).collect();
    let zero = vec![DVec3::ZERO; before.len()];
    force.prepare(&[(1.0, &mesh.positions)], &mut memory);
    force.commit(&moment(&before, &zero), &mut memory);
    force.prepare(&[(1.0, &before)], &mut memory);
    memory
}

/// Rest gives no force; net force and torque vanish in any state.
#[test]
fn forces_balance() {
    battery(|name, _, force, mesh| {
        let zero = vec![DVec3::ZERO; mesh.vertex_count()];
        let mut memory = vec![0.0; force.memory_len()];
        force.prepare(&[(1.0, &mesh.positions)], &mut memory);
        let rest = forces(force.as_ref(), &moment(&mesh.positions, &zero), &memory);
        assert!(rest.iter().all(|f| f.length() < 1e-9), "{name}: force at rest");
        let positions = crumpled(0.4).1;
        let memory = worked_memory(force.as_ref(), mesh);
        let f = forces(force.as_ref(), &moment(&positions, &zero), &memory);
        let scale: f64 = f.iter().map(|f| f.length()).sum();
        let torque: DVec3 = f.iter().zip(&positions).map(|(f, x)| x.cross(*f)).sum();
        assert!(f.iter().sum::<DVec3>().length() < 1e-12 * scale, "{name}: net force");
        assert!(torque.length() < 1e-12 * scale, "{name}: net torque");
    });
}

/// Turning and moving the whole sheet turns the forces along, viscosity and memory included.
#[test]
fn rigid_motion_changes_nothing() {
    let turn = DQuat::from_euler(glam::EulerRot::XYZ, 1.1, -0.6, 2.3);
    battery(|name, _, force, mesh| {
        let positions = crumpled(0.4).1;
        let zero = vec![DVec3::ZERO; positions.len()];
        let memory = worked_memory(force.as_ref(), mesh);
        let moved: Vec<DVec3> = positions.iter().map(|p| turn * *p + DVec3::new(3.0, -2.0, 1.0)).collect();
        let f = forces(force.as_ref(), &moment(&positions, &zero), &memory);
        let g = forces(force.as_ref(), &moment(&moved, &zero), &memory);
        let scale = f.iter().map(|f| f.length()).fold(0.0, f64::max);
        for (a, b) in f.iter().zip(&g) {
            // Coordinates grew to 4 m: sixteen digits of those are left over 0.1 m cells.
            assert!((turn * *a - *b).length() < 1e-11 * scale, "{name}");
        }
    });
}

/// The force is minus the gradient of the potential, and the Jacobian its derivative, by central differences.
#[test]
fn derivatives_match_finite_differences() {
    battery(|name, _, force, mesh| {
        let positions = crumpled(0.4).1;
        let zero = vec![DVec3::ZERO; positions.len()];
        let memory = worked_memory(force.as_ref(), mesh);
        let f = forces(force.as_ref(), &moment(&positions, &zero), &memory);
        let jacobian = dense_jacobian(force.as_mut(), &moment(&positions, &zero), &memory, Projection::None);
        let (force_scale, scale) =
            (f.iter().map(|f| f.length()).fold(0.0, f64::max), jacobian.iter().fold(0.0f64, |a, b| a.max(b.abs())));
        let h = 1e-6;
        for k in 0..3 * positions.len() {
            let shifted = |d: f64| {
                let mut x = positions.clone();
                x[k / 3][k % 3] += d;
                x
            };
            let (up, down) = (shifted(h), shifted(-h));
            let (up, down) = (moment(&up, &zero), moment(&down, &zero));
            let slope = (force.potential(&up, &memory) - force.potential(&down, &memory)) / (2.0 * h);
            assert!(
                (slope + f[k / 3][k % 3]).abs() < 1e-6 * force_scale,
                "{name}: force {k}: {slope} {}",
                f[k / 3][k % 3]
            );
            let (fu, fd) = (forces(force.as_ref(), &up, &memory), forces(force.as_ref(), &down, &memory));
            for r in 0..3 * positions.len() {
                let slope = -(fu[r / 3][r % 3] - fd[r / 3][r % 3]) / (2.0 * h);
                let exact = jacobian[r * 3 * positions.len() + k];
                assert!((slope - exact).abs() < 1e-6 * scale, "{name}: J[{r},{k}] {exact} against {slope}");
            }
        }
    });
}

/// Products from the state agree with the assembled matrix, for each projection, on every instruction level.
#[test]
fn products_match_the_assembled_matrix() {
    battery(|name, material, force, mesh| {
        let positions = crumpled(0.4).1;
        let zero = vec![DVec3::ZERO; positions.len()];
        let memory = worked_memory(force.as_ref(), mesh);
        let at = moment(&positions, &zero);
        let mut noise = Noise(11);
        let direction: Vec<DVec3> = positions.iter().map(|_| noise.vector()).collect();
        for projection in [Projection::None, Projection::Clamp, Projection::Exact] {
            let dense = dense_jacobian(force.as_mut(), &at, &memory, projection);
            let size = 3 * positions.len();
            for level in ["scalar", "avx2", "avx512"].iter().filter_map(|l| Level::by_name(l)) {
                let model = name.split(' ').next().unwrap();
                let other = build(model, mesh, material, level).unwrap();
                let mut product = vec![DVec3::ZERO; positions.len()];
                assert!(other.add_product(&at, &memory, projection, &direction, &mut product));
                for r in 0..size {
                    let exact: f64 = (0..size).map(|c| dense[r * size + c] * direction[c / 3][c % 3]).sum();
                    let scale: f64 = (0..size).map(|c| dense[r * size + c].abs()).sum();
                    assert!((product[r / 3][r % 3] - exact).abs() < 1e-11 * scale, "{name} {projection:?} {level:?}");
                }
            }
        }
    });
}

/// The exact projection leaves no negative eigenvalue, even in a crushed and inverted sheet; nor does the Jacobian lose symmetry.
#[test]
fn projected_jacobians_are_positive() {
    battery(|name, _, force, mesh| {
        for amount in [0.5, 3.0] {
            let positions = crumpled(amount).1;
            let zero = vec![DVec3::ZERO; positions.len()];
            let memory = worked_memory(force.as_ref(), mesh);
            let dense = dense_jacobian(force.as_mut(), &moment(&positions, &zero), &memory, Projection::Exact);
            let size = 3 * positions.len();
            let (values, _) = symmetric_eigen(&dense, size);
            let top = values.iter().fold(0.0f64, |a, b| a.max(b.abs()));
            for v in values {
                assert!(v > -1e-12 * top, "{name}: eigenvalue {v} against {top}");
            }
        }
    });
}

/// Folded onto a line or a point, forces and Jacobians stay finite.
#[test]
fn collapsed_elements_stay_finite() {
    battery(|name, _, force, mesh| {
        let zero = vec![DVec3::ZERO; mesh.vertex_count()];
        let line: Vec<DVec3> = mesh.positions.iter().map(|p| DVec3::new(p.x, 0.0, 0.0)).collect();
        for positions in [line, zero.clone()] {
            let memory = worked_memory(force.as_ref(), mesh);
            let at = moment(&positions, &zero);
            assert!(forces(force.as_ref(), &at, &memory).iter().all(|f| f.is_finite()), "{name}");
            let dense = dense_jacobian(force.as_mut(), &at, &memory, Projection::Exact);
            assert!(dense.iter().all(|x| x.is_finite()), "{name}");
        }
    });
}

/// A uniaxial stretch λ of a linear sheet gives σ = Y times each measure's own strain.
#[test]
fn uniaxial_energy_is_that_of_the_measure() {
    let law = crate::law::Linear::isotropic(1000.0, 0.0).unwrap();
    let mesh = Grid { cells: [2, 2], size: [0.2, 0.2], diagonal: Diagonal::One }.mesh();
    let lambda = 1.3;
    let stretched: Vec<DVec3> = mesh.positions.iter().map(|p| DVec3::new(lambda * p.x, p.y, p.z)).collect();
    let zero = vec![DVec3::ZERO; stretched.len()];
    let linear = 0.5 * 1000.0 * (lambda - 1.0) * (lambda - 1.0) * 0.04;
    let green = 0.5 * 1000.0 * (0.5 * (lambda * lambda - 1.0)) * (0.5 * (lambda * lambda - 1.0)) * 0.04;
    for (name, exact) in [("green", green), ("corotational", linear), ("particle", linear)] {
        let force = build(name, &mesh, &Material::elastic(law.clone()), Level::Scalar).unwrap();
        let energy = force.energy(&moment(&stretched, &zero), &[]);
        assert!((energy / exact - 1.0).abs() < 1e-13, "{name}: {energy} {exact}");
    }
}
