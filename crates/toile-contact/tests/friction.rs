//! Friction in whole steps: surfaces that turn drag cloth along, and the weave decides how cloth slides.

#![allow(clippy::unwrap_used)]

use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_2;
use toile_contact::barrier::{Barrier, Coefficient, Friction, Settings, Sheet};
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
        Self::of(&[mesh], system, obstacles, friction)
    }

    fn of(meshes: &[&Mesh], system: System, obstacles: Vec<Obstacle>, friction: Friction) -> Self {
        let sheet = |mesh: &&Mesh| Sheet {
            name: "sheet".into(),
            vertex_count: mesh.vertex_count(),
            triangles: mesh.triangles.clone(),
            material: mesh.material.clone(),
            thickness: 0.5e-3,
        };
        let sheets: Vec<Sheet> = meshes.iter().map(sheet).collect();
        let barrier = Barrier::new(&system, &sheets, obstacles, |_, _| friction, Settings::default());
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

/// Coefficients along weft and warp, the same at rest and sliding.
fn woven(weft: f64, warp: f64) -> Friction {
    let coefficient = Coefficient { weft, warp };
    Friction { rest: coefficient, sliding: coefficient }
}

/// Acceleration (m/s²) of a block on a slope of an angle that falls at `fall` from the weft, in the axes of the weave: what is left of weight
/// after sliding friction, in the direction in which it slides.
fn block(friction: &Coefficient, angle: f64, fall: f64) -> [f64; 2] {
    let pull = [fall.cos(), fall.sin()].map(|t| 9.81 * angle.sin() * t);
    // With κ = N/|E a| it is pull/(1 + κ E²), and κ |E a| grows with κ up to N.
    let at = |kappa: f64| {
        let a = [pull[0] / (1.0 + kappa * friction.weft.powi(2)), pull[1] / (1.0 + kappa * friction.warp.powi(2))];
        (a, kappa * (friction.weft * a[0]).hypot(friction.warp * a[1]))
    };
    let (mut low, mut high) = (0.0f64, 1e9f64);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if at(middle).1 < 9.81 * angle.cos() { low = middle } else { high = middle }
    }
    at(low).0
}

/// A sheet whose weft lies at 35° in the plane of a slope that falls at `fall` from the weft, steeper by `degrees` than what friction
/// holds: its way in half a second, in the axes of the weave, and what a block would do.
fn way_down(friction: Friction, fall: f64, degrees: f64) -> ([f64; 2], [f64; 2]) {
    let holds = 1.0 / (fall.cos() / friction.rest.weft).hypot(fall.sin() / friction.rest.warp);
    let angle = holds.atan() + f64::to_radians(degrees);
    let turn = DQuat::from_rotation_y(0.6);
    // The weft of a grid is x, its warp −z.
    let (weft, warp) = (turn * DVec3::X, turn * -DVec3::Z);
    let mut mesh = square(6, 0.1);
    mesh.positions.iter_mut().for_each(|p| *p = turn * *p);
    let gravity = 9.81 * (angle.sin() * (fall.cos() * weft + fall.sin() * warp) - angle.cos() * DVec3::Y);
    let fabric = Fabric::isotropic(1000.0, 0.0, 1e-4, 0.15).unwrap();
    let system = Builder::new(&mesh, &fabric).bending("midedge-quadratic").gravity(gravity).build().unwrap();
    let slope = Form::HalfSpace { point: DVec3::new(0.0, -2e-3, 0.0), normal: DVec3::Y };
    let slope = Obstacle { name: "slope".into(), form: slope, movement: Movement::Still };
    let mut scene = Scene::new(&mesh, system, vec![slope], friction);
    // It settles first, without gaining speed: what slides once may go on where it would not have started.
    for _ in 0..30 {
        scene.step(0.01);
        scene.state.velocities.fill(DVec3::ZERO);
    }
    let start = scene.middle();
    (0..50).for_each(|_| scene.step(0.01));
    let way = scene.middle() - start;
    // Steps of backward Euler: each moves by the speed at its end.
    let expected = block(&friction.sliding, angle, fall).map(|a| a * 1e-4 * 50.0 * 51.0 / 2.0);
    ([weft.dot(way), warp.dot(way)], expected)
}

/// A sheet rests below the angle of its friction and slides above it, along the weft, along the warp and between them; there it slips nearer to the
/// easy direction than the slope falls, as a block does.
#[test]
fn friction_goes_by_the_weave() {
    for friction in [woven(0.2, 0.4), Friction { sliding: 0.15.into(), ..woven(0.3, 0.2) }] {
        for fall in [0.0, 90.0, 45.0f64] {
            let (held, _) = way_down(friction, fall.to_radians(), -0.5);
            assert!(held[0].hypot(held[1]) < 0.5e-3, "{friction:?} {fall}: {held:?}");
            let (way, expected) = way_down(friction, fall.to_radians(), 0.5);
            let off = (way[0] - expected[0]).hypot(way[1] - expected[1]);
            assert!(off < 0.02 * expected[0].hypot(expected[1]), "{friction:?} {fall}: {way:?} {expected:?}");
        }
    }
}

/// A sheet on a sheet whose weave crosses its own feels the root of the mean square of both coefficients in every direction.
#[test]
fn crossed_sheets_rub_the_same_in_all_directions() {
    let fabric = Fabric::isotropic(1000.0, 0.0, 1e-4, 0.15).unwrap();
    let coefficient: f64 = 0.1f64.sqrt();
    for (fall, degrees, slides) in [(0.0, -0.5, false), (0.0, 0.5, true), (70.0f64, -0.5, false), (70.0, 0.5, true)] {
        let below = square(4, 0.2).with_grain(FRAC_PI_2);
        let mut above = square(4, 0.06);
        above.positions.iter_mut().for_each(|p| p.y += 2e-3);
        let (angle, (sin, cos)) = (coefficient.atan() + f64::to_radians(degrees), fall.to_radians().sin_cos());
        let gravity = 9.81 * DVec3::new(angle.sin() * cos, -angle.cos(), -angle.sin() * sin);
        let all = (0..below.vertex_count() as u32).collect();
        let system = Builder::new(&below, &fabric)
            .bending("midedge-quadratic")
            .pin("all", all)
            .gravity(gravity)
            .sheet(&above, &fabric)
            .bending("midedge-quadratic")
            .build()
            .unwrap();
        let mut scene = Scene::of(&[&below, &above], system, Vec::new(), woven(0.2, 0.4));
        let first = below.vertex_count();
        let middle =
            |scene: &Scene| scene.state.positions[first..].iter().copied().sum::<DVec3>() / above.vertex_count() as f64;
        (0..40).for_each(|_| scene.step(0.01));
        let start = middle(&scene);
        (0..30).for_each(|_| scene.step(0.01));
        let way = middle(&scene) - start;
        // From rest at best: half of g (sin − μ cos) t² is 4 mm.
        assert_eq!(way.length() > 2e-3, slides, "{fall} {degrees}: {way}");
    }
}

/// Friction by the weave gives the same bytes on one and two threads.
#[test]
fn threads_do_not_change_the_bytes_of_the_weave() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mesh = square(30, 0.3);
            let fabric = Fabric::isotropic(1000.0, 0.0, 1e-5, 0.15).unwrap();
            let system =
                Builder::new(&mesh, &fabric).bending("midedge-quadratic").gravity(-9.81 * DVec3::Y).build().unwrap();
            let ball = turning(&[DVec3::ZERO], 0.1, DVec3::new(0.3, 2.0, 0.1));
            let mut scene = Scene::new(&mesh, system, vec![ball], woven(0.2, 0.4));
            (0..6).for_each(|_| scene.step(0.02));
            assert!(scene.barrier.figures().touches > 100);
            scene.state
        })
    };
    assert_eq!(run(1), run(2));
}
