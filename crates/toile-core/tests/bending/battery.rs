//! What every bending model of the registry must pass, on bent sheets with clamps, creases, seams, rest shapes, viscosity and
//! hysteresis. A new model is tested by its line in the registry.

use crate::meshes::{KINDS, Kind, Random, rectangle, with_seam};
use crate::rig::{Rig, Setup, boundary, interior};
use glam::{DQuat, DVec3};
use toile_core::bending::{BENDINGS, BendingError, Crease, Entry, Rest};
use toile_core::fabric::{Branch, Material, Rule, plate};
use toile_core::force::{Projection, Rate};
use toile_core::law::{Curve, Curves, Linear};
use toile_core::mesh::{Mesh, Topology};

fn linear() -> Material {
    Material::elastic(plate(3e-5, 1e-5, 0.3, Some(0.5e-5)).unwrap())
}

/// Measured-like curves with viscosity, a slider and a relaxation.
fn rich() -> Material {
    let curve = |k: f64| Curve::polynomial(vec![0.0, k, 0.0, 1e-3 * k]).unwrap();
    Material {
        elastic: Curves::new(curve(3e-5), curve(1e-5), curve(0.6e-5)).with_coupling(0.4e-5).unwrap().into(),
        viscous: Some(Linear::orthotropic(4e-7, 2e-7, 1e-7, 0.5e-7).unwrap().into()),
        memory: vec![
            Branch { stiffness: [1e-5; 3], rule: Rule::Slider { yield_stress: [2e-5, 1e-5, 3e-5] } },
            Branch { stiffness: [2e-5, 1e-5, 0.5e-5], rule: Rule::Relaxation { time: 0.1 } },
        ],
    }
}

/// A case: name, mesh, material, setup, whether constant matrices can do it.
struct Case {
    name: &'static str,
    mesh: Mesh,
    material: Material,
    setup: Setup,
    quadratic: bool,
}

fn sheet(kind: Kind) -> Mesh {
    rectangle(kind, [0.1, 0.08], 4)
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for kind in KINDS {
        let name = ["one diagonal", "union jack", "delaunay", "stretched along", "stretched across"][kind as usize];
        cases.push(Case { name, mesh: sheet(kind), material: linear(), setup: Setup::default(), quadratic: true });
    }
    let mesh = sheet(Kind::Dr);
    let clamps = boundary(&mesh, |p| p.x < 1e-9 || p.z > -1e-9);
    let clamped = Setup { clamps: clamps.clone(), ..Setup::default() };
    let case = |name, mesh: &Mesh, material, setup: &Setup, quadratic| Case {
        name,
        mesh: mesh.clone(),
        material,
        setup: setup.clone(),
        quadratic,
    };
    cases.push(case("clamps", &mesh, linear(), &clamped, true));
    let grid = sheet(Kind::Su);
    let line = interior(&grid, |p| (p.x - 0.05).abs() < 1e-9);
    assert!(!line.is_empty());
    let crease = |rest_angle| line.iter().map(|&edge| Crease { edge, stiffness: 2e-4, rest_angle }).collect();
    cases.push(case("joint", &grid, linear(), &Setup { creases: crease(0.0), ..Setup::default() }, true));
    let factors = (0..grid.triangles.len()).map(|t| 1.0 + 0.3 * (t % 7) as f64).collect();
    let uneven = Setup { factors, creases: crease(0.0), ..Setup::default() };
    cases.push(case("stiffer here and there", &grid, linear(), &uneven, true));
    cases.push(case("crease", &grid, rich(), &Setup { creases: crease(1.1), ..Setup::default() }, false));
    cases.push(case("seam", &with_seam(mesh.clone(), 0.05, 0.7), linear(), &clamped, true));
    cases.push(case("rich", &mesh, rich(), &clamped, false));
    let curl = Rest::with_curvature(vec![[20.0, -5.0, 8.0]; mesh.triangles.len()]);
    cases.push(case("curl", &mesh, linear(), &Setup { rest: curl, clamps: clamps.clone(), ..Setup::default() }, false));
    let edges = Topology::new(&mesh).unwrap().edges.len();
    let mut random = Random(7);
    let bent = Rest::with_angles((0..edges).map(|_| 0.5 * random.signed()).collect());
    cases.push(case("bent rest", &mesh, rich(), &Setup { rest: bent, clamps, ..Setup::default() }, false));
    cases
}

/// All models on all cases that they can do.
fn each(mut visit: impl FnMut(&Entry, &Case, Rig)) {
    for case in cases() {
        for entry in BENDINGS.iter().filter(|e| case.quadratic || !e.quadratic) {
            let rig = Rig::new(entry.name, &case.mesh, &case.material, &case.setup).unwrap();
            visit(entry, &case, rig);
        }
    }
}

/// Shakes vertices, directors and unknowns, and gives memory a past.
fn shake(rig: &mut Rig, seed: u64) {
    let mut random = Random(0x1234_5678 + seed);
    let base = rig.positions.clone();
    let mut jolt = |rig: &mut Rig, size: f64| {
        for i in 0..rig.positions.len() {
            let scale = if i < rig.vertices { 0.01 } else { 0.3 };
            rig.positions[i] = base[i] + size * scale * random.vector();
            if i >= rig.auxiliary {
                rig.positions[i] = DVec3::X * rig.positions[i].x;
            }
        }
    };
    for _ in 0..2 {
        jolt(rig, 0.3);
        rig.elapsed = 0.03;
        let mut memory = std::mem::take(&mut rig.memory);
        rig.force.prepare(&[(1.0, &rig.positions)], &mut memory);
        let lost = rig.force.commit(&rig.moment(&rig.positions), &mut memory);
        assert!(lost >= 0.0);
        rig.memory = memory;
    }
    let first = rig.positions.clone();
    jolt(rig, 0.5);
    let mut memory = std::mem::take(&mut rig.memory);
    rig.force.prepare(&[(4.0 / 3.0, &rig.positions), (-1.0 / 3.0, &first)], &mut memory);
    rig.memory = memory;
    jolt(rig, 1.0);
    rig.rate = Rate::Since { per_second: 50.0 };
    rig.elapsed = 0.02;
}

fn largest(v: &[DVec3]) -> f64 {
    v.iter().fold(0.0, |a, b| a.max(b.abs().max_element()))
}

#[test]
fn names_are_unique_and_unknown_ones_are_refused() {
    let mesh = sheet(Kind::Su);
    for (i, entry) in BENDINGS.iter().enumerate() {
        assert!(BENDINGS[..i].iter().all(|e| e.name != entry.name));
    }
    let error = Rig::new("hinges", &mesh, &linear(), &Setup::default()).err().unwrap();
    assert!(error.to_string().contains("midedge-quadratic"), "{error}");
}

/// At rest, flat or in a bent rest shape, there is no energy, force or moment.
#[test]
fn rest_state_gives_zero() {
    each(|entry, case, mut rig| {
        if case.name == "curl" {
            return; // no surface has this curvature everywhere
        }
        if case.name == "crease" {
            let fold = DQuat::from_axis_angle(DVec3::Z, 1.1);
            let line = DVec3::X * 0.05;
            for x in rig.positions.iter_mut().filter(|x| x.x > 0.05) {
                *x = fold * (*x - line) + line;
            }
        }
        if case.name == "bent rest" {
            let mesh = &case.mesh;
            let mut random = Random(99);
            let shape: Vec<DVec3> = mesh.positions.iter().map(|p| *p + 0.01 * random.vector()).collect();
            let rest = Rest::of_shape(&Topology::new(mesh).unwrap(), &shape);
            let setup = Setup { rest, ..Setup::default() };
            rig = Rig::new(entry.name, mesh, &linear(), &setup).unwrap();
            rig.positions[..shape.len()].copy_from_slice(&shape);
        }
        let forces = rig.forces(&rig.positions);
        // Rounding: moments of 1e-16 rad at rigidity 1e-5 over millimetres.
        assert!(largest(&forces) < 1e-14, "{} {}: {}", entry.name, case.name, largest(&forces));
        assert!(rig.energy() < 1e-20, "{} {}: {}", entry.name, case.name, rig.energy());
    });
}

/// Forces are minus the derivative of the potential, and the Jacobian minus the derivative of the forces; it is symmetric.
fn check_derivatives(name: &str, rig: &Rig) {
    let x = rig.positions.clone();
    let (forces, jacobian) = rig.jacobian(&x, Projection::None);
    let (size, scale) = (largest(&forces), jacobian.largest());
    for (a, b) in forces.iter().zip(rig.forces(&x)) {
        assert!((*a - b).abs().max_element() <= 1e-12 * size, "{name}: joint sweep");
    }
    // Central differences: h² times third derivatives (1/mm each) plus rounding over h.
    let (h, tight) = (1e-7, 2e-5);
    for i in 0..x.len() {
        for c in 0..if i >= rig.auxiliary { 1 } else { 3 } {
            let (mut up, mut down) = (x.clone(), x.clone());
            up[i][c] += h;
            down[i][c] -= h;
            let slope = -(rig.potential(&up) - rig.potential(&down)) / (2.0 * h);
            assert!((slope - forces[i][c]).abs() <= tight * size, "{name} force {i}.{c}: {slope} {}", forces[i][c]);
            let (fu, fd) = (rig.forces(&up), rig.forces(&down));
            for k in 0..x.len() {
                for d in 0..3 {
                    let slope = -(fu[k][d] - fd[k][d]) / (2.0 * h);
                    let value = jacobian.at(3 * k + d, 3 * i + c);
                    assert!((slope - value).abs() <= tight * scale, "{name}: {slope} {value}");
                    let other = jacobian.at(3 * i + c, 3 * k + d);
                    assert!((value - other).abs() <= 1e-12 * scale, "{name}: symmetry");
                }
            }
        }
    }
}

#[test]
fn forces_and_jacobian_are_derivatives() {
    each(|entry, case, mut rig| {
        shake(&mut rig, 1);
        let size = largest(&rig.forces(&rig.positions));
        assert_eq!(size == 0.0, entry.name == "none", "{} {}", entry.name, case.name);
        check_derivatives(&format!("{} {}", entry.name, case.name), &rig);
    });
}

/// A panel sewn to a shorter edge (ease): lengths of the two sides differ by 8 %. Angles know no lengths: flat is at rest.
#[test]
fn sides_of_a_seam_may_differ_in_length() {
    let plain = sheet(Kind::Dr);
    let mut mesh = with_seam(plain.clone(), 0.05, 0.7);
    for (corners, flat) in mesh.material.iter_mut().zip(&plain.material) {
        if corners != flat {
            *corners = corners.map(|c| 1.08 * c);
        }
    }
    for entry in BENDINGS.iter().filter(|e| e.name != "none") {
        let mut rig = Rig::new(entry.name, &mesh, &linear(), &Setup::default()).unwrap();
        if !entry.quadratic {
            assert!(rig.energy() < 1e-20, "{}: {}", entry.name, rig.energy());
        }
        shake(&mut rig, 8);
        check_derivatives(entry.name, &rig);
    }
}

/// Net force and torque vanish, and a rigid motion of everything changes nothing.
#[test]
fn rigid_motions_do_no_work() {
    let (turn, shift) =
        (DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -0.5).normalize(), 1.1), DVec3::new(0.3, -0.2, 0.5));
    each(|entry, case, mut rig| {
        shake(&mut rig, 2);
        let forces = rig.forces(&rig.positions);
        let net: DVec3 = forces[..rig.vertices].iter().sum();
        let torque: DVec3 = forces[..rig.auxiliary].iter().zip(&rig.positions).map(|(f, x)| x.cross(*f)).sum();
        let size = largest(&forces).max(1e-300);
        assert!(net.length() < 1e-10 * size, "{} {}: net force {net}", entry.name, case.name);
        assert!(torque.length() < 1e-10 * size, "{} {}: net torque {torque}", entry.name, case.name);
        let mut moved = rig.positions.clone();
        for (i, x) in moved.iter_mut().enumerate().take(rig.auxiliary) {
            *x = turn * *x + if i < rig.vertices { shift } else { DVec3::ZERO };
        }
        let (before, after) = (rig.potential(&rig.positions), rig.potential(&moved));
        assert!((before - after).abs() <= 1e-10 * before.abs(), "{} {}: {before} {after}", entry.name, case.name);
        for (i, (a, b)) in forces.iter().zip(rig.forces(&moved)).enumerate() {
            let expected = if i < rig.auxiliary { turn * *a } else { *a };
            assert!((expected - b).length() < 1e-9 * size, "{} {}: force {i}", entry.name, case.name);
        }
    });
}

/// Projected Jacobians have no negative eigenvalue, the exact one does: else the projection would be for nothing.
#[test]
fn projected_jacobians_are_positive() {
    let mut indefinite = 0;
    each(|entry, case, mut rig| {
        shake(&mut rig, 3);
        for projection in [Projection::None, Projection::Clamp, Projection::Exact] {
            let (_, mut dense) = rig.jacobian(&rig.positions, projection);
            let shift = 1e-9 * dense.largest().max(1e-300);
            for i in 0..dense.n {
                dense.add(i, i, shift);
            }
            let positive = dense.cholesky().is_some();
            match projection {
                Projection::None => indefinite += usize::from(!positive),
                _ => assert!(positive, "{} {} {projection:?}", entry.name, case.name),
            }
        }
    });
    assert!(indefinite > 10);
}

/// Collapsed triangles, edges without length and coinciding vertices give finite numbers.
#[test]
fn collapsed_elements_stay_finite() {
    each(|entry, case, mut rig| {
        shake(&mut rig, 4);
        let [a, b, c] = case.mesh.triangles[case.mesh.triangles.len() / 2].map(|i| i as usize);
        let x = rig.positions.clone();
        for to in [0.5 * (x[a] + x[b]), x[a], x[a] + 1e-12 * (x[b] - x[a])] {
            for (vertex, also) in [(c, c), (c, b)] {
                let mut collapsed = x.clone();
                collapsed[vertex] = to;
                collapsed[also] = to;
                for projection in [Projection::None, Projection::Exact] {
                    let (forces, dense) = rig.jacobian(&collapsed, projection);
                    let good = forces.iter().all(|f| f.is_finite()) && dense.a.iter().all(|v| v.is_finite());
                    assert!(good && rig.potential(&collapsed).is_finite(), "{} {}", entry.name, case.name);
                }
            }
        }
    });
}

/// What a constant matrix cannot hold is refused with the model that can.
#[test]
fn quadratic_models_name_their_alternative() {
    for case in cases().iter().filter(|c| !c.quadratic) {
        for entry in BENDINGS.iter().filter(|e| e.quadratic) {
            let error = Rig::new(entry.name, &case.mesh, &case.material, &case.setup).err().unwrap();
            let BendingError::NotQuadratic { model, instead, .. } = error else { panic!("{error}") };
            assert_eq!((model, format!("{instead}-quadratic").as_str()), (entry.name, entry.name));
        }
    }
}

/// Bad input is named.
#[test]
fn bad_input_is_refused() {
    let mesh = sheet(Kind::Su);
    let rim = boundary(&mesh, |_| true);
    let inner = interior(&mesh, |_| true);
    let refuse = |setup: Setup, part: &str| {
        let error = Rig::new("midedge", &mesh, &linear(), &setup).err().unwrap().to_string();
        assert!(error.contains(part), "{error}");
    };
    let crease = |edge, stiffness| Crease { edge, stiffness, rest_angle: 0.0 };
    refuse(Setup { clamps: vec![(inner[0], DVec3::Y)], ..Setup::default() }, "not on the boundary");
    refuse(Setup { clamps: vec![rim[0], rim[0]], ..Setup::default() }, "clamped twice");
    refuse(Setup { clamps: vec![(9999, DVec3::Y)], ..Setup::default() }, "does not exist");
    refuse(Setup { creases: vec![crease(rim[0].0, 1.0)], ..Setup::default() }, "on the boundary");
    refuse(Setup { creases: vec![crease(inner[0], f64::NAN)], ..Setup::default() }, "stiffness of crease 0");
    refuse(Setup { rest: Rest::with_angles(vec![0.0]), ..Setup::default() }, "1 rest angles given");
    refuse(Setup { rest: Rest::with_curvature(vec![[f64::NAN; 3]; mesh.triangles.len()]), ..Setup::default() }, "NaN");
}

/// Viscosity from velocities is the limit of the difference quotient, and takes out the energy it reports.
#[test]
fn instant_rate_is_the_limit_of_the_difference_quotient() {
    let mesh = sheet(Kind::Dr);
    let material = Material { viscous: rich().viscous, ..linear() };
    for model in ["midedge", "morley", "hinge"] {
        let mut rig = Rig::new(model, &mesh, &material, &Setup::default()).unwrap();
        shake(&mut rig, 5);
        let mut random = Random(5);
        let h = 1e-6;
        for i in 0..rig.positions.len() {
            rig.velocities[i] = if i < rig.vertices { 0.1 * random.vector() } else { DVec3::X * random.signed() };
        }
        let before: Vec<DVec3> = rig.positions.iter().zip(&rig.velocities).map(|(x, v)| *x - h * *v).collect();
        let mut memory = std::mem::take(&mut rig.memory);
        rig.force.prepare(&[(1.0, &before)], &mut memory);
        rig.memory = memory;
        rig.rate = Rate::Since { per_second: 1.0 / h };
        let quotient = rig.forces(&rig.positions);
        let lost = rig.force.commit(&rig.moment(&rig.positions), &mut rig.memory.clone()) / h;
        rig.rate = Rate::Instant;
        let instant = rig.forces(&rig.positions);
        rig.velocities.fill(DVec3::ZERO);
        let still = rig.forces(&rig.positions);
        let viscous = instant.iter().zip(&still).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max);
        let error = instant.iter().zip(&quotient).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max);
        assert!(viscous > 0.0 && error < 1e-3 * viscous, "{model}: {error} {viscous}");
        let mut random = Random(5);
        let mut power = 0.0;
        for i in 0..rig.positions.len() {
            let v = if i < rig.vertices { 0.1 * random.vector() } else { DVec3::X * random.signed() };
            power -= v.dot(instant[i] - still[i]);
        }
        assert!((power / lost - 1.0).abs() < 1e-3, "{model}: {power} {lost}");
    }
}

/// One and two threads give the same bytes, on a mesh large enough to be shared out.
#[test]
fn threads_do_not_change_results() {
    let mesh = rectangle(Kind::Uj, [1.0, 1.0], 48);
    assert!(mesh.vertex_count() > 2000);
    let clamps = boundary(&mesh, |p| p.x < 1e-9);
    for entry in BENDINGS {
        let material = if entry.quadratic { linear() } else { rich() };
        let setup = Setup { clamps: clamps.clone(), ..Setup::default() };
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut rig = Rig::new(entry.name, &mesh, &material, &setup).unwrap();
                shake(&mut rig, 6);
                let (forces, matrix) = rig.blocks(&rig.positions);
                (rig.energy().to_bits(), rig.potential(&rig.positions).to_bits(), forces, matrix)
            })
        };
        assert!(run(1) == run(2), "{}", entry.name);
    }
}
