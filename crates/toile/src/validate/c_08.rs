//! C-08: impacts on barriers. Source: Li20 (guarantee), momentum in closed form.
//!
//! - A sheet flies at its speed against a floor, a thin plate and a ball, with steps from 1 to 40 ms: a step may take it metres beyond them.
//!   Nothing may cross at the end of any step, and nothing may be on the other side.
//! - A sheet dropped from a few millimetres comes to rest on the floor within the reach of the barrier.
//! - Two sheets collide in free space: the momentum of both together stays.

use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};
use glam::DVec3;
use toile_contact::barrier::{self, Barrier, Friction, Sheet};
use toile_contact::certify;
use toile_contact::obstacle::{Form, Movement, Obstacle};
use toile_core::fabric::Fabric;
use toile_core::integrate::{Integrator, Options, Precision};
use toile_core::mesh::{Diagonal, Grid, Mesh};
use toile_core::system::{Builder, State, System};

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "C-08",
    title: "impacts: no tunnelling, gap at rest, momentum",
    source: "Li20 (guarantee), closed form of momentum",
    parameters: &[
        Parameter::number("speed", 100.0, [0.1, 1e4], "m/s", "speed of the flight against obstacles"),
        Parameter::number("reach", 2.0, [0.05, 10.0], "mm", "reach of the barrier"),
        Parameter::number("size", 0.1, [0.02, 1.0], "m", "side of the sheet"),
        Parameter::number("cells", 8.0, [1.0, 100.0], "–", "squares along a side"),
        Parameter::number("drop", 5.0, [0.1, 1e3], "mm", "height of the drop"),
        Parameter::number("collision_speed", 10.0, [0.01, 1e3], "m/s", "relative speed of two sheets"),
    ],
    run,
};

/// Steps (ms).
const STEPS: [f64; 5] = [1.0, 5.0, 10.0, 20.0, 40.0];
/// Thickness of the sheets (m).
const THICKNESS: f64 = 0.5e-3;

struct Scene {
    system: System,
    state: State,
    barrier: Barrier,
}

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::default();
    let (mut crossed, mut beyond) = (0.0, 0.0);
    for obstacle in obstacles(settings.number("size")) {
        for step in STEPS {
            let [c, b] = fly(settings, obstacle.clone(), 1e-3 * step)?;
            (crossed, beyond) = (crossed + c, beyond + b);
        }
    }
    outcome.checks.push(Check::against("crossings in flights", crossed, "–", 0.0, Tolerance::AtMost));
    outcome.checks.push(Check::against("vertices beyond a floor or plate", beyond, "–", 0.0, Tolerance::AtMost));
    let mut series = Vec::new();
    let reach = settings.number("reach");
    for step in STEPS {
        let points = fall(settings, 1e-3 * step)?;
        let gap = points.last().map_or(f64::NAN, |p| p[1]);
        let name = format!("{step} ms: gap at rest");
        // Below a hundredth of its reach a barrier has no room left to move in.
        outcome.checks.push(Check::against(format!("{name}, room left"), gap, "mm", 0.01 * reach, Tolerance::AtLeast));
        outcome.checks.push(Check::against(format!("{name}, within reach"), gap, "mm", reach, Tolerance::AtMost));
        series.push(Series::new(format!("{step} ms"), Style::Line, points));
    }
    let error = collide(settings)?;
    outcome.checks.push(Check::against("change of momentum over m v", error, "–", 1e-8, Tolerance::AtMost));
    series.push(Series::new("reach", Style::Dashed, vec![[0.0, reach], [TIME, reach]]));
    let plot = Plot {
        title: "Sheet dropped on a floor: smallest gap".into(),
        x: Axis::new("time (s)"),
        y: Axis { range: Some([0.2 * reach, 2.0 * (settings.number("drop") + reach)]), ..Axis::log("gap (mm)") },
        series,
        is_equal: false,
    };
    outcome.plots.push(("gap".into(), plot.into()));
    outcome.notes.push("Steps are backward Euler; flights are against a floor, a plate of 0.2 mm and a ball.".into());
    Ok(outcome)
}

/// Length of the drop (s).
const TIME: f64 = 0.4;

fn sheet(mesh: &Mesh, name: &str) -> Sheet {
    Sheet {
        name: name.into(),
        vertex_count: mesh.vertex_count(),
        triangles: mesh.triangles.clone(),
        material: mesh.material.clone(),
        thickness: THICKNESS,
    }
}

/// Sheets at some heights (m) among obstacles.
fn scene(
    settings: &Settings,
    heights: &[f64],
    gravity: f64,
    obstacles: Vec<Obstacle>,
) -> Result<Scene, ExperimentError> {
    let (size, cells) = (settings.number("size"), settings.count("cells"));
    let flat = Grid { cells: [cells; 2], size: [size; 2], diagonal: Diagonal::Alternating }.mesh();
    let at = |height: &f64| {
        let mut mesh = flat.clone();
        mesh.positions.iter_mut().for_each(|p| *p += DVec3::new(-0.5 * size, *height, 0.5 * size));
        mesh
    };
    let meshes: Vec<Mesh> = heights.iter().map(at).collect();
    let fabric = Fabric::isotropic(1000.0, 0.0, 1e-4, 0.15)?;
    let mut builder = Builder::new(&meshes[0], &fabric);
    for mesh in &meshes[1..] {
        builder = builder.sheet(mesh, &fabric);
    }
    let system = builder.gravity(DVec3::new(0.0, -gravity, 0.0)).build()?;
    let sheets: Vec<Sheet> = meshes.iter().map(|m| sheet(m, "sheet")).collect();
    let reach = 1e-3 * settings.number("reach");
    let contact = barrier::Settings { reach, ..barrier::Settings::default() };
    let barrier = Barrier::new(&system, &sheets, obstacles, |_, _| Friction::coulomb(0.3), contact);
    Ok(Scene { state: system.initial_state(), system, barrier })
}

impl Scene {
    fn integrator(&self, tolerance: f64) -> Result<Integrator, ExperimentError> {
        let options = Options {
            precision: Precision::Double,
            tolerance,
            linear_tolerance: 0.1 * tolerance,
            max_newton: 200,
            max_linear: 4000,
            solver: "cholesky".into(),
            ..Options::named("backward-euler").unwrap_or_default()
        };
        Ok(Integrator::new(&self.system, options)?)
    }

    fn step(&mut self, integrator: &mut Integrator, dt: f64) -> Result<(), ExperimentError> {
        integrator.step_in_contact(&self.system, &mut self.state, dt, &mut self.barrier)?;
        Ok(())
    }

    fn crossings(&mut self) -> usize {
        self.barrier.forces(&self.state.positions);
        certify(self.barrier.shapes(), self.barrier.positions()).crossings
    }

    fn lowest(&self) -> f64 {
        self.state.positions[..self.system.vertex_count()].iter().map(|p| p.y).fold(f64::INFINITY, f64::min)
    }
}

fn obstacles(size: f64) -> Vec<Obstacle> {
    let side = 3.0 * size;
    let corner = |x: f64, z: f64| DVec3::new(side * x, 0.0, side * z);
    let vertices = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    let forms = [
        ("floor", Form::HalfSpace { point: DVec3::ZERO, normal: DVec3::Y }),
        ("plate", Form::Mesh { vertices, triangles: vec![[0, 2, 1], [0, 3, 2]], skin: 1e-4 }),
        ("ball", Form::Round { vertices: vec![DVec3::ZERO], edges: Vec::new(), radius: 0.5 * size }),
    ];
    let still = |(name, form): (&str, Form)| Obstacle { name: name.into(), form, movement: Movement::Still };
    forms.into_iter().map(still).collect()
}

/// Crossings at the ends of all steps, and vertices that are on the far side at one of them.
fn fly(settings: &Settings, obstacle: Obstacle, dt: f64) -> Result<[f64; 2], ExperimentError> {
    let is_flat = obstacle.name != "ball";
    let mut scene = scene(settings, &[2.0 * settings.number("size")], 9.81, vec![obstacle])?;
    scene.state.velocities.fill(-settings.number("speed") * DVec3::Y);
    let mut integrator = scene.integrator(1e-2)?;
    let (mut crossed, mut beyond) = (0, 0);
    for _ in 0..8 {
        scene.step(&mut integrator, dt)?;
        crossed += scene.crossings();
        let cloth = &scene.state.positions[..scene.system.vertex_count()];
        beyond += if is_flat { cloth.iter().filter(|p| !(p.y > 0.0)).count() } else { 0 };
    }
    Ok([crossed as f64, beyond as f64])
}

/// Gap (mm) over time (s) of a sheet dropped on the floor.
fn fall(settings: &Settings, dt: f64) -> Result<Vec<[f64; 2]>, ExperimentError> {
    let above = 0.5 * THICKNESS + 1e-3 * (settings.number("drop") + settings.number("reach"));
    let mut scene = scene(settings, &[above], 9.81, obstacles(1.0)[..1].to_vec())?;
    let mut integrator = scene.integrator(1e-2)?;
    let gap = |scene: &Scene| 1e3 * (scene.lowest() - 0.5 * THICKNESS);
    let mut points = vec![[0.0, gap(&scene)]];
    while scene.state.time < TIME - 0.5 * dt {
        scene.step(&mut integrator, dt)?;
        points.push([scene.state.time, gap(&scene)]);
    }
    Ok(points)
}

/// Change of momentum in a collision of two sheets without gravity, over m v.
fn collide(settings: &Settings) -> Result<f64, ExperimentError> {
    let speed = settings.number("collision_speed");
    let (dt, apart) = (1e-3, 1e-3 * settings.number("reach") + 2.5e-3 * speed + THICKNESS);
    let mut scene = scene(settings, &[0.0, apart], 0.0, Vec::new())?;
    let count = scene.system.vertex_count();
    for i in count / 2..count {
        scene.state.velocities[i] = -speed * DVec3::Y;
    }
    let before = scene.system.momentum(&scene.state).0;
    let mut integrator = scene.integrator(1e-8)?;
    let (mut worst, mut has_hit) = (0.0_f64, false);
    for _ in 0..12 {
        scene.step(&mut integrator, dt)?;
        let now = scene.system.momentum(&scene.state).0;
        worst = worst.max((now - before).length() / before.length());
        has_hit |= scene.state.velocities[0].y < -0.1 * speed;
    }
    if has_hit { Ok(worst) } else { Err(ExperimentError::Failed("the two sheets did not meet".into())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_speeds_and_reaches_are_safe() {
        let mut settings = Settings::defaults(&EXPERIMENT);
        for (name, value) in [("speed", "7"), ("reach", "0.5"), ("cells", "5"), ("drop", "2")] {
            settings.set(name, value).unwrap();
        }
        let outcome = run(&settings).unwrap();
        assert!(outcome.pass(), "{:#?}", outcome.checks);
    }
}
