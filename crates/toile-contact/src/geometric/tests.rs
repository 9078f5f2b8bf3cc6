//! Cloth that falls, lies, slides and collides.

use super::*;
use crate::obstacle::{Form, Movement};
use toile_core::fabric::Fabric;
use toile_core::integrate::Options;
use toile_core::mesh::{Diagonal, Grid, Mesh};
use toile_core::system::{Builder, Key, Motion};

const THICKNESS: f64 = 1e-3;

fn square(cells: usize, height: f64) -> Mesh {
    sheet(0.3, cells, height)
}

fn sheet(side: f64, cells: usize, height: f64) -> Mesh {
    let mut mesh = Grid { cells: [cells, cells], size: [side; 2], diagonal: Diagonal::Alternating }.mesh();
    mesh.positions.iter_mut().for_each(|p| *p += DVec3::new(-0.5 * side, height, 0.5 * side));
    mesh
}

struct World {
    system: System,
    state: State,
    geometric: Geometric,
    integrator: Integrator,
}

impl World {
    fn new(meshes: &[Mesh], obstacles: Vec<Obstacle>, friction: f64, gravity: DVec3, scheme: &str) -> Self {
        Self::of(meshes, obstacles, friction, gravity, scheme, (500.0, THICKNESS))
    }

    /// With a stiffness (N/m) and a thickness (m).
    fn of(
        meshes: &[Mesh],
        obstacles: Vec<Obstacle>,
        friction: f64,
        gravity: DVec3,
        scheme: &str,
        (stiffness, thickness): (f64, f64),
    ) -> Self {
        let fabric = Fabric::isotropic(stiffness, 0.3, 1e-5, 0.15).unwrap();
        let count = meshes.iter().map(Mesh::vertex_count).sum();
        let mut builder = Builder::new(&meshes[0], &fabric).bending("midedge-quadratic").gravity(gravity);
        for mesh in &meshes[1..] {
            builder = builder.sheet(mesh, &fabric).bending("midedge-quadratic");
        }
        let system = builder.force(Box::new(Push::new(count))).build().unwrap();
        let sheet = |m: &Mesh| Sheet {
            name: "sheet".into(),
            vertex_count: m.vertex_count(),
            triangles: m.triangles.clone(),
            material: m.material.clone(),
            thickness,
        };
        let sheets: Vec<Sheet> = meshes.iter().map(sheet).collect();
        let coulomb = |_: usize, _: usize| Friction::coulomb(friction);
        let geometric = Geometric::new(&system, &sheets, obstacles, coulomb, Settings::default());
        let options = Options { max_newton: 60, ..Options::named(scheme).unwrap() };
        let integrator = Integrator::new(&system, options).unwrap();
        Self { state: system.initial_state(), system, geometric, integrator }
    }

    /// A sheet whose left and right edges are drawn down by 8 cm in 0.4 s, over obstacles.
    fn pulled(mesh: Mesh, obstacles: Vec<Obstacle>, stiffness: f64, scheme: &str) -> Self {
        let fabric = Fabric::isotropic(stiffness, 0.3, 1e-5, 0.15).unwrap();
        let (low, high) = (mesh.positions[0].x, mesh.positions[mesh.vertex_count() - 1].x);
        let edge = mesh.vertices_where(|p| (p.x - low).abs() < 1e-9 || (p.x - high).abs() < 1e-9);
        let builder = Builder::new(&mesh, &fabric).bending("midedge-quadratic").pin("edges", edge);
        let mut system = builder.force(Box::new(Push::new(mesh.vertex_count()))).build().unwrap();
        let down = [0.0, 0.4].map(|t| toile_core::system::Key::shift(t, -0.2 * t * DVec3::Y));
        system.set_motion(0, toile_core::system::Motion::Keys(down.to_vec()));
        let sheet = Sheet {
            name: "sheet".into(),
            vertex_count: mesh.vertex_count(),
            triangles: mesh.triangles.clone(),
            material: mesh.material.clone(),
            thickness: THICKNESS,
        };
        let coulomb = |_: usize, _: usize| Friction::coulomb(0.3);
        let geometric = Geometric::new(&system, &[sheet], obstacles, coulomb, Settings::default());
        let options = Options { tolerance: 0.3, max_newton: 60, ..Options::named(scheme).unwrap() };
        let integrator = Integrator::new(&system, options).unwrap();
        Self { state: system.initial_state(), system, geometric, integrator }
    }

    fn step(&mut self, dt: f64) {
        self.geometric.step(&mut self.integrator, &self.system, &mut self.state, dt).unwrap();
    }

    fn cloth(&self) -> &[DVec3] {
        &self.state.positions[..self.system.vertex_count()]
    }
}

const DOWN: DVec3 = DVec3::new(0.0, -9.81, 0.0);

fn obstacle(form: Form) -> Vec<Obstacle> {
    vec![Obstacle { name: "obstacle".into(), form, movement: Movement::Still }]
}

fn floor() -> Vec<Obstacle> {
    obstacle(Form::HalfSpace { point: DVec3::ZERO, normal: DVec3::Y })
}

fn ball() -> Vec<Obstacle> {
    obstacle(Form::Round { vertices: vec![DVec3::ZERO], edges: Vec::new(), radius: 0.1 })
}

fn cube() -> Vec<Obstacle> {
    let sign = |k: u32, bit: u32| if k >> bit & 1 == 1 { 0.1 } else { -0.1 };
    let vertices = (0..8).map(|k| DVec3::new(sign(k, 0), sign(k, 1), sign(k, 2))).collect();
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6u32]];
    let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    obstacle(Form::Mesh { vertices, triangles, skin: 0.0 })
}

/// Implicit schemes land cloth on a floor: it comes to rest half its thickness above, and stays.
#[test]
fn cloth_comes_to_rest_on_a_floor() {
    let (dt, steps) = (0.01, 40);
    for scheme in ["semi-implicit", "backward-euler", "bdf2"] {
        let mut world = World::new(&[square(6, 0.01)], floor(), 0.3, DOWN, scheme);
        (0..steps).for_each(|_| world.step(dt));
        let heights = world.cloth().iter().map(|p| p.y - 0.5 * THICKNESS);
        let [low, high] = heights.fold([f64::INFINITY, -f64::INFINITY], |[l, h], y| [l.min(y), h.max(y)]);
        assert!(low > -1e-5 && high < 2e-4, "{scheme}: {low} {high}");
        let fastest = world.state.velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
        assert!(fastest < 1e-3, "{scheme}: {fastest}");
        // What it rests on carries its weight.
        let lift: f64 = world.geometric.forces()[..world.system.vertex_count()].iter().map(|f| f.y).sum();
        let weight = 9.81 * world.system.total_mass();
        assert!((lift / weight - 1.0).abs() < 0.02, "{scheme}: {lift} {weight}");
    }
}

/// Draped over a ball and a box, no vertex sinks in by more than a tenth of the thickness.
#[test]
fn cloth_stays_outside_of_a_ball_and_a_box() {
    for (name, obstacles) in [("ball", ball()), ("box", cube())] {
        let mut world = World::new(&[square(20, 0.115)], obstacles, 0.3, DOWN, "semi-implicit");
        for step in 0..80 {
            world.step(0.01);
            let depth = |p: &DVec3| match name {
                "ball" => 0.1 + 0.5 * THICKNESS - p.length(),
                _ => (0.1 - p.abs()).min_element(),
            };
            let deepest = world.cloth().iter().map(depth).fold(f64::NEG_INFINITY, f64::max);
            assert!(deepest < 0.1 * THICKNESS, "{name}, step {step}: {deepest}");
        }
        let lowest = world.cloth().iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
        assert!(lowest < 0.08, "{name}: it hangs over, {lowest}");
    }
}

/// Two sheets thrown at each other stop at their thickness: momentum is kept, the energy of their approach is gone, and none is
/// gained on the way. (Corrected positions may stretch cloth a little: a hundredth of the energy of the impact.)
#[test]
fn sheets_that_collide_keep_momentum_and_lose_their_approach() {
    for friction in [0.0, 0.4] {
        let meshes = [square(8, 0.0), sheet(0.2, 7, 0.0052)];
        let mut world = World::new(&meshes, Vec::new(), friction, DVec3::ZERO, "semi-implicit");
        let (first, count) = (meshes[0].vertex_count(), world.system.vertex_count());
        for i in 0..count {
            world.state.velocities[i] =
                if i < first { DVec3::new(0.1, 0.3, 0.0) } else { DVec3::new(-0.05, -0.5, 0.02) };
        }
        let (momentum, _) = world.system.momentum(&world.state);
        let start = world.system.energies(&world.state).total();
        let mut last = start;
        for step in 0..30 {
            world.step(0.002);
            let energies = world.system.energies(&world.state);
            assert!(energies.total() < last + 0.01 * start, "step {step}: {energies:?} {last}");
            last = energies.total();
            let (p, _) = world.system.momentum(&world.state);
            assert!((p - momentum).length() < 1e-5 * momentum.length(), "step {step}: {p} {momentum}");
        }
        let mean = |r: Range<usize>| r.clone().map(|i| world.state.velocities[i]).sum::<DVec3>() / r.len() as f64;
        let apart = mean(first..count) - mean(0..first);
        assert!(last < 0.7 * start, "{last} {start}");
        if friction > 0.0 {
            assert!(apart.x.abs() < 0.05, "friction stops the sliding: {apart}");
        } else {
            assert!((apart.x + 0.15).abs() < 0.01, "nothing stops the sliding: {apart}");
        }
    }
}

/// A sheet on a slope holds up to the angle of friction and slides from there on, to a degree, as fast as it should.
#[test]
fn friction_holds_up_to_its_angle() {
    let coefficient: f64 = 0.3;
    let limit = coefficient.atan();
    for (angle, slides) in [(limit - 0.0157, false), (limit + 0.0157, true)] {
        let gravity = 9.81 * DVec3::new(angle.sin(), -angle.cos(), 0.0);
        let mut world = World::new(&[square(6, 0.5 * THICKNESS)], floor(), coefficient, gravity, "semi-implicit");
        let middle = |w: &World| w.cloth().iter().sum::<DVec3>() / w.cloth().len() as f64;
        let start = middle(&world);
        (0..100).for_each(|_| world.step(0.01));
        let way = (middle(&world) - start).x;
        let free = 0.5 * 9.81 * (angle.sin() - coefficient * angle.cos());
        if slides {
            assert!((way / free - 1.0).abs() < 0.1, "{way} {free}");
        } else {
            assert!(way.abs() < 1e-3, "{way}");
        }
    }
}

/// A ball that rises carries the cloth on it; a held rim stays.
#[test]
fn moving_obstacles_take_cloth_along() {
    let keys = vec![
        toile_core::system::Key::shift(0.0, DVec3::ZERO),
        toile_core::system::Key::shift(0.5, DVec3::new(0.0, 0.1, 0.0)),
    ];
    let mut obstacles = ball();
    obstacles[0].movement = Movement::Rigid(toile_core::system::Motion::Keys(keys));
    let mut world = World::new(&[square(14, 0.102)], obstacles, 0.3, DOWN, "semi-implicit");
    (0..50).for_each(|_| world.step(0.01));
    let centre = DVec3::new(0.0, 0.1, 0.0);
    let nearest = world.cloth().iter().map(|p| p.distance(centre)).fold(f64::INFINITY, f64::min);
    assert!(nearest > 0.1 + 0.45 * THICKNESS, "{nearest}");
    let top = world.cloth().iter().map(|p| p.y).fold(f64::NEG_INFINITY, f64::max);
    assert!(top > 0.2, "{top}");
}

/// A run goes on from its state with the same bytes, and one or two threads give the same.
#[test]
fn states_go_on_with_the_same_bytes() {
    let make = || World::new(&[square(20, 0.103), square(18, 0.107)], ball(), 0.3, DOWN, "semi-implicit");
    let run = |threads: usize, cut: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = make();
            for step in 0..24 {
                if step == cut {
                    let state = world.state.clone();
                    world = make();
                    world.state = state;
                }
                world.step(0.01);
            }
            assert!(world.geometric.figures().contacts > 50);
            world.state
        })
    };
    let whole = run(1, usize::MAX);
    assert_eq!(whole, run(2, usize::MAX));
    assert_eq!(whole, run(1, 11));
}

/// A sheet that falls flat on the floor parts from it with √(1 − 2ϑ) of its speed, and comes to rest in the end.
#[test]
fn impacts_take_their_share_of_energy() {
    for loss in [0.13, 0.45, 0.5] {
        let mut world = World::new(&[square(4, 0.05)], floor(), 0.0, DOWN, "backward-euler");
        world.geometric = world.geometric.with_loss(|_, _| loss);
        let mut before = 0.0;
        while world.state.velocities[0].y <= 0.0 && world.geometric.figures().contacts == 0 {
            before = world.state.velocities[0].y;
            world.step(1e-3);
        }
        for v in &world.state.velocities[..world.system.vertex_count()] {
            let expected = -before * (1.0 - 2.0 * loss).max(0.0).sqrt();
            // What perfect damping leaves is the way to the floor that is left.
            assert!(
                (v.y - expected).abs() < 0.01 * before.abs() || loss == 0.5 && v.y.abs() < 0.2,
                "{loss}: {} {before}",
                v.y
            );
        }
        (0..3000).for_each(|_| world.step(1e-3));
        let height = world.cloth().iter().map(|p| p.y).fold(0.0, f64::max);
        assert!(height < 0.5 * THICKNESS + 3e-4, "{loss}: {height}");
    }
}

/// A patch on top of a ball that turns slowly turns with it. Contact of a draped patch comes and goes, and each time it slips a little.
#[test]
fn a_patch_turns_with_the_ball_it_lies_on() {
    let (spin, radius) = (0.5, 0.1);
    let key = |time: f64| Key { time, translation: DVec3::ZERO, rotation: time * spin * DVec3::Y, pivot: DVec3::ZERO };
    let mut obstacles = ball();
    obstacles[0].movement = Movement::Rigid(Motion::Keys(vec![key(0.0), key(10.0)]));
    let patch = sheet(0.05, 6, radius + 0.5 * THICKNESS + 1e-4);
    let mut world = World::new(&[patch], obstacles, 0.5, DOWN, "semi-implicit");
    let heading = |world: &World| {
        let side = world.cloth()[6] - world.cloth()[0];
        (-side.z).atan2(side.x)
    };
    (0..300).for_each(|_| world.step(0.001));
    let before = heading(&world);
    (0..500).for_each(|_| world.step(0.001));
    let turned = heading(&world) - before;
    assert!((turned / (spin * 0.5) - 1.0).abs() < 0.05, "{turned}");
}

/// Stiff cloth drawn over a body at steps of 10 ms presses on it with a hundred times its weight: it sinks in by no more than twice its
/// thickness within a step, by half of it (the chords of a mesh) after the step, and crosses nothing.
#[test]
fn tight_cloth_does_not_sink_into_bodies() {
    let (vertices, triangles) = crate::obstacle::ellipsoid(DVec3::splat(0.1), 4);
    let mesh = obstacle(Form::Mesh { vertices, triangles, skin: 0.0 });
    for (name, obstacles, scheme) in
        [("ball", ball(), "semi-implicit"), ("ball", ball(), "backward-euler"), ("mesh", mesh, "semi-implicit")]
    {
        let mut world = World::pulled(square(24, 0.1 + THICKNESS), obstacles, 2000.0, scheme);
        for step in 0..60 {
            world.step(0.01);
            let sunk = world.geometric.figures().deepest;
            assert!(sunk < 2.0 * THICKNESS, "{name}, {scheme}, step {step}: {sunk} before the correction");
            let depth = |p: &DVec3| 0.1 + 0.5 * THICKNESS - p.length();
            let left = world.cloth().iter().map(depth).fold(f64::NEG_INFINITY, f64::max);
            assert!(left < 0.5 * THICKNESS, "{name}, {scheme}, step {step}: {left}");
            let found = crate::certify(world.geometric.shapes(), world.geometric.positions());
            assert_eq!(found.crossings, 0, "{name}, {scheme}, step {step}");
        }
        let (load, weight) = (world.geometric.loads().iter().sum::<f64>(), 9.81 * world.system.total_mass());
        assert!(load > 100.0 * weight, "{name}, {scheme}: {load} N, {weight} N");
    }
}

/// Real cloth with thin skin and coarse triangles comes to rest on a ball, which carries its weight; nothing crosses on the way, its rim
/// neither. Holds that exert more than friction can must not throw it about.
#[test]
fn a_ball_carries_the_weight_of_thin_cloth() {
    for scheme in ["semi-implicit", "backward-euler"] {
        let mut world = World::of(&[square(20, 0.105)], ball(), 0.3, DOWN, scheme, (5000.0, 2.5e-4));
        let (mut lift, weight) = (0.0, 9.81 * world.system.total_mass());
        for step in 0..120 {
            world.step(0.01);
            let found = crate::certify(world.geometric.shapes(), world.geometric.positions());
            assert_eq!(found.crossings, 0, "{scheme}, step {step}");
            if step >= 80 {
                lift -= world.geometric.forces()[world.geometric.obstacle_vertices(0)][0].y / 40.0;
            }
        }
        assert!((lift / weight - 1.0).abs() < 0.05, "{scheme}: {lift} N, {weight} N");
    }
}
