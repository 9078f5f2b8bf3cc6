//! Friction in whole steps: surfaces that turn drag cloth along.

#![allow(clippy::unwrap_used)]

use glam::DVec3;
use toile_contact::barrier::{Barrier, Friction, Settings, Sheet};
use toile_contact::certify;
use toile_contact::obstacle::{Form, Movement, Obstacle};
use toile_core::fabric::Fabric;
use toile_core::integrate::{Integrator, Options};
use toile_core::mesh::{Diagonal, Grid, Mesh};
use toile_core::system::{Builder, Key, Motion, State, System};

struct Scene {
    system: System,
    state: State,
    barrier: Barrier,
    integrator: Integrator,
}

impl Scene {
    fn new(mesh: &Mesh, system: System, obstacles: Vec<Obstacle>, friction: Friction) -> Self {
        let sheet = Sheet {
            name: "sheet".into(),
            vertex_count: mesh.vertex_count(),
            triangles: mesh.triangles.clone(),
            material: mesh.material.clone(),
            thickness: 0.5e-3,
        };
        let barrier = Barrier::new(&system, &[sheet], obstacles, |_, _| friction, Settings::default());
        // Tight: forces are compared, and friction is stiff in the norm that the tolerance is in.
        let options = Options::named("backward-euler").unwrap();
        let options = Options { tolerance: 5e-5, linear_tolerance: 5e-6, max_newton: 100, ..options };
        let integrator = Integrator::new(&system, options).unwrap();
        Self { state: system.initial_state(), system, barrier, integrator }
    }

    fn step(&mut self, dt: f64) {
        self.integrator.step_in_contact(&self.system, &mut self.state, dt, &mut self.barrier).unwrap();
        self.barrier.forces(&self.state.positions);
        assert!(certify(self.barrier.shapes(), self.barrier.positions()).is_clear());
    }

    fn middle(&self) -> DVec3 {
        self.state.positions[..self.system.vertex_count()].iter().copied().sum::<DVec3>()
            / self.system.vertex_count() as f64
    }
}

/// A square sheet about the origin, in the plane y = 0.
fn square(cells: usize, size: f64) -> Mesh {
    let mut mesh: Mesh = Grid { cells: [cells; 2], size: [size; 2], diagonal: Diagonal::Alternating }.mesh();
    mesh.positions.iter_mut().for_each(|p| *p += DVec3::new(-0.5 * size, 0.0, 0.5 * size));
    mesh
}

/// A ball or a capsule that touches the plane y = −1.5 mm from below and turns about its middle with `spin` (rad/s).
fn turning(ends: &[DVec3], radius: f64, spin: DVec3) -> Obstacle {
    let vertices: Vec<DVec3> = ends.iter().map(|e| *e - (radius + 1.5e-3) * DVec3::Y).collect();
    let pivot = vertices.iter().copied().sum::<DVec3>() / vertices.len() as f64;
    let key = |time: f64| Key { time, translation: DVec3::ZERO, rotation: time * spin, pivot };
    let edges = if ends.len() == 2 { vec![[0, 1]] } else { Vec::new() };
    Obstacle {
        name: "turning".into(),
        form: Form::Round { vertices, edges, radius },
        movement: Movement::Rigid(Motion::Keys(vec![key(0.0), key(100.0)])),
    }
}

/// A stiff plate that can only go up and down lies on rollers or balls that turn under it: they drag it with μ times its weight, the way
/// their tops go.
#[test]
fn what_turns_drags_with_the_cone_of_friction() {
    let (coefficient, radius) = (0.3, 0.02);
    let (roll, mixed) = (DVec3::new(0.0, 0.0, 4.0), DVec3::new(1.0, 2.0, -0.5));
    let roller = |x: f64| turning(&[DVec3::new(x, 0.0, -0.05), DVec3::new(x, 0.0, 0.05)], radius, roll);
    let foot = |x: f64, z: f64| turning(&[DVec3::new(x, 0.0, z)], radius, mixed);
    let supports = [
        (vec![roller(-0.021), roller(0.022)], roll),
        (vec![foot(-0.023, -0.022), foot(0.022, -0.021), foot(0.003, 0.024)], mixed),
    ];
    for (obstacles, spin) in supports {
        let mesh = square(6, 0.06);
        let fabric = Fabric::isotropic(1000.0, 0.0, 1e-2, 0.5).unwrap();
        let all = (0..mesh.vertex_count() as u32).collect();
        let system = Builder::new(&mesh, &fabric)
            .bending("midedge-quadratic")
            .gravity(-9.81 * DVec3::Y)
            .grip("guide", all, [true, false, true])
            .build()
            .unwrap();
        let weight = 9.81 * system.total_mass();
        let mut scene = Scene::new(&mesh, system, obstacles, Friction::coulomb(coefficient));
        for _ in 0..40 {
            scene.step(0.01);
            scene.state.velocities.fill(DVec3::ZERO);
        }
        let forces = scene.barrier.forces(&scene.state.positions);
        let force: DVec3 = forces[..mesh.vertex_count()].iter().sum();
        let expected = coefficient * weight * spin.cross(DVec3::Y).normalize() + weight * DVec3::Y;
        assert!((force - expected).length() < 0.01 * weight, "{force} {expected}");
    }
}

/// A patch on top of a ball that turns slowly turns with it. Friction makes the middle of the cloth go as fast as the surface below it;
/// since that is nearer to the axis, the patch turns more slowly by as much.
#[test]
fn a_patch_turns_with_the_ball_it_lies_on() {
    let (spin, radius) = (0.5, 0.1);
    let mesh = square(6, 0.05);
    let fabric = Fabric::isotropic(1000.0, 0.0, 1e-5, 0.15).unwrap();
    let system = Builder::new(&mesh, &fabric).bending("midedge-quadratic").gravity(-9.81 * DVec3::Y).build().unwrap();
    let ball = turning(&[DVec3::ZERO], radius, spin * DVec3::Y);
    let mut scene = Scene::new(&mesh, system, vec![ball], Friction::coulomb(0.5));
    let heading = |scene: &Scene| {
        let side = scene.state.positions[6] - scene.state.positions[0];
        (-side.z).atan2(side.x)
    };
    (0..50).for_each(|_| scene.step(0.01));
    let before = heading(&scene);
    (0..50).for_each(|_| scene.step(0.01));
    let turned = heading(&scene) - before;
    let centre = DVec3::new(0.0, -radius - 1.5e-3, 0.0);
    let (loads, load) = (scene.barrier.loads(), scene.barrier.loads().iter().sum::<f64>());
    let of_load = |(p, l): (&DVec3, &f64)| p.distance(centre) * l / load;
    let distance: f64 = scene.state.positions.iter().zip(&loads).map(of_load).sum();
    assert!((turned / (spin * 0.5) - radius / distance).abs() < 0.003, "{turned} {distance}");
    assert!(scene.middle().with_y(0.0).length() < 1e-4, "it stays on top: {}", scene.middle());
}
