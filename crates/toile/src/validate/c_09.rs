//! C-09: two scenes of codimensional contact. Source: Li21 (its public scenes, here with fewer triangles).
//!
//! `sphere`: a square cloth falls on a ball mesh of radius 0.3 m above a floor, friction 0.4; after a second the ball turns at 180°/s. `cylinder`: a
//! cloth tube whose ends turn against each other at 72°/s and approach each other at 5 mm/s. Steps of 40 ms. Every step is certified
//! by the exact test: no crossings. Strains are those of the membrane, which is elastic here, without the limit of the source.

use super::setup;
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, HeatMap, Plot, Series, Style};
use glam::{DVec2, DVec3};
use std::f64::consts::TAU;
use toile_contact::barrier::{self, Barrier, Friction, Sheet};
use toile_contact::certify;
use toile_contact::obstacle::{Form, Movement, Obstacle, ellipsoid};
use toile_core::fabric::Fabric;
use toile_core::integrate::{Integrator, Options};
use toile_core::mesh::{Diagonal, Grid, Mesh};
use toile_core::system::{Builder, Key, Motion, State, System};

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "C-09",
    title: "cloth on a turning ball, twisted tube",
    source: "Li21 (public scenes), fewer triangles",
    parameters: &[
        Parameter::word("scene", &["both", "sphere", "cylinder"], "which scene"),
        Parameter::number("triangles", 1500.0, [200.0, 2e5], "–", "triangles of the cloth"),
        Parameter::number("step", 40.0, [1.0, 100.0], "ms", "time step"),
        Parameter::number("sphere_time", 2.0, [0.1, 20.0], "s", "length of the scene `sphere`"),
        Parameter::number("cylinder_time", 2.0, [0.1, 20.0], "s", "length of the scene `cylinder`"),
        Parameter::number("friction", 0.4, [0.0, 2.0], "–", "friction coefficient"),
        Parameter::number("turning", 180.0, [0.0, 720.0], "°/s", "of the ball, after one second"),
        Parameter::number("twisting", 72.0, [0.0, 720.0], "°/s", "of each end of the tube"),
        Parameter::number("approach", 5.0, [0.0, 100.0], "mm/s", "of each end of the tube"),
        Parameter::number("modulus", 1000.0, [10.0, 1e6], "N/m", "membrane modulus"),
        Parameter::number("rigidity", 1e-5, [1e-8, 1e-2], "N·m", "bending rigidity"),
    ],
    run,
};

/// Radius of the ball (m), and of the tube.
const BALL: f64 = 0.3;
const TUBE: f64 = 0.25;
/// Length of the tube (m).
const LENGTH: f64 = 1.0;
/// Thickness of the cloth (m): the gap of the source.
const THICKNESS: f64 = 1.5e-3;

struct Scene {
    name: &'static str,
    mesh: Mesh,
    system: System,
    obstacles: Vec<Obstacle>,
    duration: f64,
}

/// What a scene was like.
#[derive(Default)]
struct Record {
    crossings: usize,
    /// Smallest gap (mm) over time (s).
    gaps: Vec<[f64; 2]>,
    /// Largest principal strain (%) over time (s).
    strains: Vec<[f64; 2]>,
    newton: usize,
    steps: usize,
    cuts: usize,
}

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::default();
    let word = settings.word("scene");
    let (mut gaps, mut strains) = (Vec::new(), Vec::new());
    if word != "cylinder" {
        scene_to(&mut outcome, settings, sphere(settings)?, &mut gaps, &mut strains)?;
    }
    if word != "sphere" {
        scene_to(&mut outcome, settings, cylinder(settings)?, &mut gaps, &mut strains)?;
    }
    let plot = |title: &str, y: Axis, series| Plot {
        title: title.into(),
        x: Axis::new("time (s)"),
        y,
        series,
        is_equal: false,
    };
    outcome
        .plots
        .push(("gap".into(), plot("Smallest gap at the end of each step", Axis::log("gap (mm)"), gaps).into()));
    let axis = Axis::new("largest principal strain (%)");
    outcome.plots.push(("strain".into(), plot("Largest strain of the membrane", axis, strains).into()));
    outcome.notes.push("Sizes of cloth, ball and tube are ours where the source's scripts give none.".into());
    Ok(outcome)
}

fn scene_to(
    outcome: &mut Outcome,
    settings: &Settings,
    scene: Scene,
    gaps: &mut Vec<Series>,
    strains: &mut Vec<Series>,
) -> Result<(), ExperimentError> {
    let (record, state) = simulate(settings, &scene)?;
    let name = scene.name;
    let most =
        |what: &str, value: f64, unit| Check::against(format!("{name}: {what}"), value, unit, 0.0, Tolerance::AtMost);
    outcome.checks.push(most("crossings in all steps", record.crossings as f64, "–"));
    let least = record.gaps.iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
    let largest = record.strains.iter().map(|p| p[1]).fold(0.0, f64::max);
    outcome.checks.push(Check::report(format!("{name}: triangles"), scene.mesh.triangles.len() as f64, "–"));
    outcome.checks.push(Check::report(format!("{name}: smallest gap"), least, "mm"));
    outcome.checks.push(Check::report(format!("{name}: largest strain"), largest, "%"));
    let per_step = record.newton as f64 / record.steps.max(1) as f64;
    outcome.checks.push(Check::report(format!("{name}: Newton iterations per step"), per_step, "–"));
    outcome.checks.push(Check::report(format!("{name}: steps that were cut"), record.cuts as f64, "–"));
    gaps.push(Series::new(name, Style::Line, record.gaps));
    strains.push(Series::new(name, Style::Line, record.strains));
    outcome.plots.push((name.into(), frame(&scene, &state).into()));
    Ok(())
}

/// The end of a scene seen from the front and above, what is near drawn over what is far.
fn frame(scene: &Scene, state: &State) -> HeatMap {
    let strains = principal_strains(&scene.system, state);
    let corners = |k: usize| scene.mesh.triangles[k].map(|v| state.positions[v as usize]);
    let depth = |k: usize| corners(k).iter().map(|p| p.z + 0.25 * p.y).sum::<f64>();
    let mut order: Vec<usize> = (0..strains.len()).collect();
    order.sort_by(|&a, &b| depth(a).total_cmp(&depth(b)));
    HeatMap {
        title: format!("{} after {} s", scene.name, scene.duration),
        label: "principal strain (%)".into(),
        triangles: order.iter().map(|&k| corners(k).map(|p| [p.x, p.y - 0.25 * p.z])).collect(),
        values: order.iter().map(|&k| strains[k]).collect(),
        range: None,
    }
}

fn principal_strains(system: &System, state: &State) -> Vec<f64> {
    let of = |s: [f64; 3]| 100.0 * setup::principal([s[0], s[1], 0.5 * s[2]]);
    system.triangle_states(state).iter().map(|t| of(t.strain)).collect()
}

fn simulate(settings: &Settings, scene: &Scene) -> Result<(Record, State), ExperimentError> {
    let sheet = Sheet {
        name: "cloth".into(),
        vertex_count: scene.mesh.vertex_count(),
        triangles: scene.mesh.triangles.clone(),
        material: scene.mesh.material.clone(),
        thickness: THICKNESS,
    };
    let friction = Friction::coulomb(settings.number("friction"));
    let contact = barrier::Settings { reach: 1.5e-3, ..barrier::Settings::default() };
    let mut barrier = Barrier::new(&scene.system, &[sheet], scene.obstacles.clone(), |_, _| friction, contact);
    let options = Options::named("backward-euler").unwrap_or_default();
    let options = Options { tolerance: 0.3, linear_tolerance: 0.03, max_newton: 100, ..options };
    let mut integrator = Integrator::new(&scene.system, options)?;
    let (mut state, mut record) = (scene.system.initial_state(), Record::default());
    let dt = 1e-3 * settings.number("step");
    while state.time < scene.duration - 0.5 * dt {
        let report = integrator.step_in_contact(&scene.system, &mut state, dt, &mut barrier)?;
        record.newton += report.newton;
        record.steps += 1;
        record.cuts += usize::from(report.cuts > 0);
        barrier.forces(&state.positions);
        record.crossings += certify(barrier.shapes(), barrier.positions()).crossings;
        let figures = barrier.figures();
        if figures.touches > 0 {
            record.gaps.push([state.time, 1e3 * figures.smallest_gap]);
        }
        let strain = principal_strains(&scene.system, &state).into_iter().fold(0.0, f64::max);
        record.strains.push([state.time, strain]);
    }
    Ok((record, state))
}

fn fabric(settings: &Settings) -> Result<Fabric, ExperimentError> {
    Ok(Fabric::isotropic(settings.number("modulus"), 0.0, settings.number("rigidity"), 0.15)?)
}

/// A square metre above the ball.
fn sphere(settings: &Settings) -> Result<Scene, ExperimentError> {
    let cells = ((0.5 * settings.number("triangles")).sqrt().round() as usize).max(2);
    let mut mesh = Grid { cells: [cells; 2], size: [1.0; 2], diagonal: Diagonal::Alternating }.mesh();
    mesh.positions.iter_mut().for_each(|p| *p += DVec3::new(-0.5, BALL + 0.02, 0.5));
    let system = Builder::new(&mesh, &fabric(settings)?).bending("midedge-quadratic").build()?;
    let (vertices, triangles) = ellipsoid(DVec3::splat(BALL), 3);
    let duration = settings.number("sphere_time");
    let turned = (settings.number("turning") * (duration - 1.0).max(0.0)).to_radians();
    let key =
        |time: f64, angle: f64| Key { time, translation: DVec3::ZERO, rotation: angle * DVec3::Y, pivot: DVec3::ZERO };
    let keys = vec![key(0.0, 0.0), key(1.0, 0.0), key(duration.max(1.0) + 1e-6, turned)];
    let ball = Obstacle {
        name: "ball".into(),
        form: Form::Mesh { vertices, triangles, skin: 0.0 },
        movement: Movement::Rigid(Motion::Keys(keys)),
    };
    let form = Form::HalfSpace { point: DVec3::new(0.0, -BALL - 0.02, 0.0), normal: DVec3::Y };
    let floor = Obstacle { name: "floor".into(), form, movement: Movement::Still };
    Ok(Scene { name: "sphere", mesh, system, obstacles: vec![ball, floor], duration })
}

/// A tube about the x axis, made of one sheet that closes on itself.
fn cylinder(settings: &Settings) -> Result<Scene, ExperimentError> {
    let mesh = tube(settings.count("triangles"));
    let fabric = fabric(settings)?;
    let ends = [-1.0, 1.0].map(|s| mesh.vertices_where(|p| (p.x - 0.5 * s * LENGTH).abs() < 1e-9));
    let [left, right] = ends;
    let builder = Builder::new(&mesh, &fabric).bending("midedge-quadratic").gravity(DVec3::ZERO);
    let mut system = builder.pin("left", left).pin("right", right).build()?;
    let duration = settings.number("cylinder_time");
    for (grip, sign) in [(0, 1.0), (1, -1.0)] {
        let end = Key {
            time: duration,
            translation: sign * 1e-3 * settings.number("approach") * duration * DVec3::X,
            rotation: sign * (settings.number("twisting") * duration).to_radians() * DVec3::X,
            pivot: DVec3::ZERO,
        };
        system.set_motion(grip, Motion::Keys(vec![Key::shift(0.0, DVec3::ZERO), end]));
    }
    Ok(Scene { name: "cylinder", mesh, system, obstacles: Vec::new(), duration })
}

/// Squares cut in two, about as many triangles as wanted.
fn tube(triangles: usize) -> Mesh {
    let around = TAU * TUBE;
    let edge = (2.0 * around * LENGTH / triangles as f64).sqrt();
    let [n, m] = [around, LENGTH].map(|l| (l / edge).round().max(3.0) as usize);
    let mut mesh = Mesh { positions: Vec::new(), triangles: Vec::new(), material: Vec::new() };
    for i in 0..=m {
        for k in 0..n {
            let angle = TAU * k as f64 / n as f64;
            let x = LENGTH * (i as f64 / m as f64 - 0.5);
            mesh.positions.push(DVec3::new(x, TUBE * angle.cos(), TUBE * angle.sin()));
        }
    }
    // Chords, not arcs: the tube is at rest as it is.
    let width = 2.0 * TUBE * (0.5 * TAU / n as f64).sin();
    let flat = |i: usize, k: usize| DVec2::new(LENGTH * i as f64 / m as f64, width * k as f64);
    for i in 0..m {
        for k in 0..n {
            let vertex = |i: usize, k: usize| (i * n + k % n) as u32;
            for corners in [[(i, k), (i + 1, k), (i + 1, k + 1)], [(i, k), (i + 1, k + 1), (i, k + 1)]] {
                mesh.triangles.push(corners.map(|(i, k)| vertex(i, k)));
                mesh.material.push(corners.map(|(i, k)| flat(i, k)));
            }
        }
    }
    mesh
}
