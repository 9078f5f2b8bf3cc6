//! Contact by barriers in whole steps: nothing passes through, friction holds up to its cone, the impossible is refused.

#![allow(clippy::unwrap_used)]

use glam::DVec3;
use std::f64::consts::FRAC_PI_2;
use toile_contact::barrier::{Barrier, Friction, Settings, Sheet};
use toile_contact::certify;
use toile_contact::obstacle::{Form, Movement, Obstacle};
use toile_core::fabric::Fabric;
use toile_core::integrate::{Integrator, Options, StepError};
use toile_core::mesh::{Diagonal, Grid, Mesh};
use toile_core::system::{Builder, Key, Motion, State, System};

struct Scene {
    system: System,
    state: State,
    barrier: Barrier,
    integrator: Integrator,
}

/// A square sheet with its middle at `middle`, among obstacles.
fn scene(cells: usize, size: f64, middle: DVec3, gravity: DVec3, obstacles: Vec<Obstacle>, friction: f64) -> Scene {
    let mut mesh: Mesh = Grid { cells: [cells; 2], size: [size; 2], diagonal: Diagonal::Alternating }.mesh();
    mesh.positions.iter_mut().for_each(|p| *p += middle + DVec3::new(-0.5 * size, 0.0, 0.5 * size));
    scene_of(&mesh, gravity, obstacles, friction)
}

/// Some sheet among obstacles.
fn scene_of(mesh: &Mesh, gravity: DVec3, obstacles: Vec<Obstacle>, friction: f64) -> Scene {
    let fabric = Fabric::isotropic(1000.0, 0.0, 1e-4, 0.15).unwrap();
    let system = Builder::new(mesh, &fabric).bending("midedge-quadratic").gravity(gravity).build().unwrap();
    let sheet = Sheet {
        name: "sheet".into(),
        vertex_count: mesh.vertex_count(),
        triangles: mesh.triangles.clone(),
        material: mesh.material.clone(),
        thickness: 0.5e-3,
    };
    let coefficient = Friction::coulomb(friction);
    let barrier = Barrier::new(&system, &[sheet], obstacles, |_, _| coefficient, Settings::default());
    let options = Options::named("backward-euler").unwrap();
    // Tight: half a degree of slope is a hundredth of the weight, and friction is stiff in the norm that the tolerance is in.
    let options = Options { tolerance: 5e-5, linear_tolerance: 5e-6, max_newton: 100, ..options };
    let integrator = Integrator::new(&system, options).unwrap();
    Scene { state: system.initial_state(), system, barrier, integrator }
}

impl Scene {
    fn step(&mut self, dt: f64) -> Result<(), StepError> {
        self.integrator.step_in_contact(&self.system, &mut self.state, dt, &mut self.barrier).map(|_| ())
    }

    fn is_certified(&mut self) -> bool {
        self.barrier.forces(&self.state.positions);
        certify(self.barrier.shapes(), self.barrier.positions()).is_clear()
    }

    fn middle(&self) -> DVec3 {
        self.state.positions.iter().copied().sum::<DVec3>() / self.state.positions.len() as f64
    }
}

fn ball(radius: f64, movement: Movement) -> Obstacle {
    let form = Form::Round { vertices: vec![DVec3::ZERO], edges: Vec::new(), radius };
    Obstacle { name: "ball".into(), form, movement }
}

fn plane(name: &str, point: DVec3, normal: DVec3, movement: Movement) -> Obstacle {
    Obstacle { name: name.into(), form: Form::HalfSpace { point, normal }, movement }
}

/// At 100 m/s a step of 40 ms takes the sheet four metres: far beyond a ball, a plate of 1 mm and the floor. It stays before each.
#[test]
fn nothing_passes_through_at_any_speed() {
    let plate = Form::Mesh {
        vertices: vec![
            DVec3::new(-0.4, 0.0, -0.4),
            DVec3::new(0.4, 0.0, -0.4),
            DVec3::new(0.4, 0.0, 0.4),
            DVec3::new(-0.4, 0.0, 0.4),
        ],
        triangles: vec![[0, 2, 1], [0, 3, 2]],
        skin: 0.0,
    };
    let obstacles = [
        ball(0.05, Movement::Still),
        Obstacle { name: "plate".into(), form: plate, movement: Movement::Still },
        plane("floor", DVec3::ZERO, DVec3::Y, Movement::Still),
    ];
    for obstacle in obstacles {
        for dt in [1e-3, 5e-3, 4e-2] {
            let name = obstacle.name.clone();
            let start = DVec3::new(0.0, 0.2, 0.0);
            let mut scene = scene(8, 0.1, start, -9.81 * DVec3::Y, vec![obstacle.clone()], 0.0);
            scene.state.velocities.fill(-100.0 * DVec3::Y);
            for _ in 0..6 {
                scene.step(dt).unwrap();
                assert!(scene.is_certified(), "{name} {dt}");
                if name != "ball" {
                    let lowest = scene.state.positions.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
                    // A bounce is allowed, a way round the edge of the plate is not on a straight fall.
                    assert!(lowest > 0.0, "{name} {dt}: {lowest}");
                }
            }
        }
    }
}

/// A sheet on a slope holds below the angle of friction and slides above it, with the acceleration of a block.
#[test]
fn friction_holds_up_to_its_cone() {
    let coefficient: f64 = 0.3;
    for (degrees, slides) in [(-0.5, false), (0.5, true)] {
        let angle = coefficient.atan() + f64::to_radians(degrees);
        let gravity = 9.81 * DVec3::new(angle.sin(), -angle.cos(), 0.0);
        let floor = plane("slope", DVec3::new(0.0, -2e-3, 0.0), DVec3::Y, Movement::Still);
        let mut scene = scene(6, 0.1, DVec3::ZERO, gravity, vec![floor], coefficient);
        // It settles on the slope first: the load of friction is that of the step before.
        (0..50).for_each(|_| scene.step(0.01).unwrap());
        let (start, speed) = (scene.middle().x, scene.state.velocities[0].x);
        (0..50).for_each(|_| scene.step(0.01).unwrap());
        let way = scene.middle().x - start;
        if slides {
            let expected = speed * 0.5 + 0.5 * 9.81 * (angle.sin() - coefficient * angle.cos()) * 0.25;
            assert!((way - expected).abs() < 0.02 * expected, "{way} {expected}");
        } else {
            assert!(way.abs() < 0.5e-3, "{way}");
        }
    }
}

/// Two planes that close on a sheet thinner than its own thickness: the step is refused by name, and the state is as before.
#[test]
fn an_impossible_squeeze_is_refused() {
    let down = Motion::Keys(vec![Key::shift(0.0, DVec3::ZERO), Key::shift(0.1, DVec3::new(0.0, -0.02, 0.0))]);
    let obstacles = vec![
        plane("table", DVec3::new(0.0, -0.01, 0.0), DVec3::Y, Movement::Still),
        plane("press", DVec3::new(0.0, 0.01, 0.0), -DVec3::Y, Movement::Rigid(down)),
    ];
    let mut scene = scene(4, 0.1, DVec3::ZERO, -9.81 * DVec3::Y, obstacles, 0.3);
    let mut before = scene.state.clone();
    let error = (0..30).find_map(|_| {
        before = scene.state.clone();
        scene.step(0.01).err()
    });
    let Some(StepError::Blocked { what, .. }) = error else { panic!("{error:?}") };
    assert!(what.contains("`press`") && what.contains("`sheet`"), "{what}");
    assert_eq!(scene.state, before);
}

/// A moving ball pushes the sheet along, and one and two threads give the same bytes.
#[test]
fn threads_do_not_change_the_bytes() {
    let push = Motion::Keys(vec![Key::shift(0.0, DVec3::ZERO), Key::shift(0.5, DVec3::new(0.0, 0.3, 0.0))]);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let start = DVec3::new(0.0, 0.105, 0.0);
            let rising = ball(0.1, Movement::Rigid(push.clone()));
            let mut scene = scene(40, 0.5, start, -9.81 * DVec3::Y, vec![rising], 0.3);
            (0..8).for_each(|_| scene.step(0.02).unwrap());
            assert!(scene.is_certified());
            assert!(scene.state.positions.iter().map(|p| p.y).fold(0.0, f64::max) > 0.19);
            scene.state
        })
    };
    assert_eq!(run(1), run(2));
}

/// A sheet of 120 mm × 60 mm folded in two about the z axis, its layers 12 mm apart and to the left.
fn folded() -> Mesh {
    let (size, radius) = ([0.12, 0.06], 6e-3);
    let mut mesh: Mesh = Grid { cells: [12, 6], size, diagonal: Diagonal::Alternating }.mesh();
    for p in &mut mesh.positions {
        let along = p.x - 0.5 * size[0];
        let angle = (along / radius).clamp(-FRAC_PI_2, FRAC_PI_2);
        let straight = along.abs() - (radius * angle).abs();
        *p = DVec3::new(radius * angle.cos() - straight, radius * angle.sin(), p.z + 0.5 * size[1]);
    }
    mesh
}

/// Two plates, or two balls, close on a fold until 0.3 mm are left beyond its two layers of 0.5 mm, hold it and open again. Nothing ever
/// passes through anything, the fold presses back while it is held, and at the end it is open and touches neither.
#[test]
fn a_pinched_fold_stays_apart_and_comes_free() {
    let (half_gap, radius) = (0.65e-3, 0.03);
    let jaw = |is_round: bool, side: f64| {
        let key = |time: f64, way: f64| Key::shift(time, side * way * DVec3::Y);
        let movement = Movement::Rigid(Motion::Keys(vec![key(0.0, 7e-3), key(0.4, 0.0), key(0.6, 0.0), key(1.0, 0.1)]));
        let middle = DVec3::new(-0.03, side * (half_gap + radius), 0.0);
        match is_round {
            true => Obstacle {
                form: Form::Round { vertices: vec![middle], edges: vec![], radius },
                ..ball(radius, movement)
            },
            false => plane("plate", side * half_gap * DVec3::Y, -side * DVec3::Y, movement),
        }
    };
    for (is_round, dt) in [(false, 0.02), (false, 0.04), (true, 0.02), (true, 0.04)] {
        let mut scene = scene_of(&folded(), DVec3::ZERO, [-1.0, 1.0].map(|s| jaw(is_round, s)).to_vec(), 0.3);
        // As scenes have it: what is looked at are places, not forces. What the jaws feel is the barrier at the gap that they leave, far
        // more than cloth presses by itself.
        let options = Options::named("backward-euler").unwrap();
        let options = Options { tolerance: 0.3, linear_tolerance: 0.03, max_newton: 60, ..options };
        scene.integrator = Integrator::new(&scene.system, options).unwrap();
        let mut held = 0.0f64;
        for step in 1..=f64::round(1.2 / dt) as usize {
            let Scene { integrator, system, state, barrier } = &mut scene;
            integrator.step_in_contact(system, state, dt, barrier).unwrap();
            assert!(scene.is_certified(), "round {is_round}, {dt} s, step {step}");
            let load: DVec3 =
                scene.barrier.forces(&scene.state.positions)[scene.barrier.obstacle_vertices(1)].iter().sum();
            if (0.4..0.6).contains(&scene.state.time) {
                held = held.max(load.y);
            } else if scene.state.time > 1.1 {
                assert_eq!(load, DVec3::ZERO, "round {is_round}, {dt} s, step {step}");
            }
        }
        let heights = scene.state.positions.iter().map(|p| p.y);
        let [low, high] = heights.fold([f64::INFINITY, -f64::INFINITY], |[l, h], y| [l.min(y), h.max(y)]);
        assert!(held > 0.1 && high - low > 0.02, "round {is_round}, {dt} s: {held} N, {}", high - low);
    }
}
