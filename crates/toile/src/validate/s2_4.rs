//! S2-4: energy lost in an inelastic impact, E_dis = ϑ m v². Source: FemShell §6: ϑ = 0.13 of cloth on itself, 0.45 on bodies.
//!
//! The source writes ϑ v² per unit of mass; m is the reduced mass of what collides, so ϑ = ½ is the whole energy of the approach. A flat
//! sheet falls on a plane (m its own mass), and on a sheet of its kind that floats without gravity (m half of it). Measured: mechanical energy
//! before the step of the first impact and after it. Contact is `geometric`, whose velocity corrections are impacts; `barrier` has
//! none, its steps of backward Euler damp them as they come.

use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};
use glam::DVec3;
use toile_contact::barrier::Friction;
use toile_contact::barrier::Sheet;
use toile_contact::geometric::{self, Geometric, Push};
use toile_contact::obstacle::{Form, Movement, Obstacle};
use toile_core::fabric::Fabric;
use toile_core::integrate::{Integrator, Options, Precision};
use toile_core::mesh::{Diagonal, Grid, Mesh};
use toile_core::system::Builder;

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S2-4",
    title: "energy lost in an inelastic impact",
    source: "FemShell §6, E_dis = ϑ m v²",
    parameters: &[
        Parameter::number("body", 0.45, [0.0, 0.5], "–", "ϑ of cloth on bodies"),
        Parameter::number("own", 0.13, [0.0, 0.5], "–", "ϑ of cloth on cloth"),
        Parameter::number("height", 0.2, [0.01, 10.0], "m", "of the drop"),
        Parameter::number("step", 0.5, [0.01, 10.0], "ms", "time step"),
        Parameter::number("size", 0.2, [0.02, 2.0], "m", "side of the sheet"),
        Parameter::number("cells", 6.0, [1.0, 50.0], "–", "squares along a side"),
        Parameter::number("duration", 0.6, [0.1, 10.0], "s", "of the drop"),
    ],
    run,
};

/// Thickness of the sheets (m).
const THICKNESS: f64 = 1e-3;

/// What happened.
struct Impact {
    /// Energy lost in the step of the first impact (J).
    lost: f64,
    /// Relative speed before it (m/s).
    speed: f64,
    /// Energy (J) over time (s).
    energy: Vec<[f64; 2]>,
}

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::default();
    let mass = 0.15 * settings.number("size").powi(2);
    let mut series = Vec::new();
    for (name, loss, reduced) in [("body", "body", mass), ("cloth", "own", 0.5 * mass)] {
        let loss = settings.number(loss);
        let impact = fall(settings, name == "body", loss)?;
        let expected = loss * reduced * impact.speed.powi(2);
        let name = format!("on {name}, ϑ = {loss}");
        let tolerance = if loss > 0.0 { Tolerance::Relative(0.02) } else { Tolerance::Absolute(0.01 * mass) };
        outcome.checks.push(Check::against(format!("{name}: energy lost"), impact.lost, "J", expected, tolerance));
        outcome.checks.push(Check::report(format!("{name}: speed of the impact"), impact.speed, "m/s"));
        let first = impact.energy[0][1];
        series.push(Series::new(name, Style::Line, impact.energy.iter().map(|p| [p[0], p[1] / first]).collect()));
    }
    let plot = Plot {
        title: "Flat sheets that fall: mechanical energy over that at the start".into(),
        x: Axis::new("time (s)"),
        y: Axis { range: Some([0.0, 1.1]), ..Axis::new("energy (–)") },
        series,
        is_equal: false,
    };
    outcome.plots.push(("energy".into(), plot.into()));
    outcome.notes.push("m is the reduced mass of what collides: the source's ϑ v² is per unit of mass.".into());
    Ok(outcome)
}

fn fall(settings: &Settings, is_on_body: bool, loss: f64) -> Result<Impact, ExperimentError> {
    let (size, cells, height) = (settings.number("size"), settings.count("cells"), settings.number("height"));
    let gravity = if is_on_body { 9.81 } else { 0.0 };
    let flat = Grid { cells: [cells; 2], size: [size; 2], diagonal: Diagonal::Alternating }.mesh();
    let at = |y: f64| {
        let mut mesh = flat.clone();
        mesh.positions.iter_mut().for_each(|p| p.y += y);
        mesh
    };
    let floor = Form::HalfSpace { point: DVec3::ZERO, normal: DVec3::Y };
    let floor = Obstacle { name: "floor".into(), form: floor, movement: Movement::Still };
    let (meshes, obstacles) =
        if is_on_body { (vec![at(height)], vec![floor]) } else { (vec![at(height), at(0.0)], Vec::new()) };
    let fabric = Fabric::isotropic(1000.0, 0.0, 1e-5, 0.15)?;
    let mut builder = Builder::new(&meshes[0], &fabric);
    for mesh in &meshes[1..] {
        builder = builder.sheet(mesh, &fabric);
    }
    let count = meshes.iter().map(Mesh::vertex_count).sum();
    let push = Box::new(Push::new(count));
    let system = builder.gravity(DVec3::new(0.0, -gravity, 0.0)).force(push).build()?;
    let sheet = |m: &Mesh| Sheet {
        name: "sheet".into(),
        vertex_count: m.vertex_count(),
        triangles: m.triangles.clone(),
        material: m.material.clone(),
        thickness: THICKNESS,
    };
    let sheets: Vec<Sheet> = meshes.iter().map(sheet).collect();
    let contact = geometric::Settings::default();
    let mut geometric =
        Geometric::new(&system, &sheets, obstacles, |_, _| Friction::coulomb(0.0), contact).with_loss(|_, _| loss);
    let mut state = system.initial_state();
    if !is_on_body {
        let speed = (2.0 * 9.81 * height).sqrt();
        state.velocities[..meshes[0].vertex_count()].fill(-speed * DVec3::Y);
    }
    // A millionth of a step of free fall: rounding of positions is a hundredth of that in the shortest steps.
    let options = Options::named("backward-euler").unwrap_or_default();
    let options =
        Options { precision: Precision::Double, tolerance: 1e-6, linear_tolerance: 1e-7, max_newton: 40, ..options };
    let mut integrator = Integrator::new(&system, options)?;
    let energy = |state: &_| {
        let all = system.energies(state);
        all.kinetic + all.gravity + all.elastic()
    };
    let mut points = vec![[0.0, energy(&state)]];
    let (dt, mut first) = (1e-3 * settings.number("step"), None);
    while state.time < settings.number("duration") {
        let lower = if is_on_body { 0.0 } else { state.velocities[count - 1].y };
        let speed = lower - state.velocities[0].y;
        geometric.step(&mut integrator, &system, &mut state, dt)?;
        points.push([state.time, energy(&state)]);
        if first.is_none() && geometric.figures().contacts > 0 && speed > 0.1 {
            let [before, after] = [points[points.len() - 2][1], points[points.len() - 1][1]];
            first = Some((before - after, speed));
        }
    }
    let missing = || ExperimentError::Failed("nothing was hit: let the drop last longer".into());
    let (lost, speed) = first.ok_or_else(missing)?;
    Ok(Impact { lost, speed, energy: points })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_losses_and_heights_keep_the_formula() {
        let mut settings = Settings::defaults(&EXPERIMENT);
        for (name, value) in [("body", "0.2"), ("own", "0.4"), ("height", "0.5"), ("cells", "3"), ("step", "0.25")] {
            settings.set(name, value).unwrap();
        }
        let outcome = run(&settings).unwrap();
        assert!(outcome.pass(), "{:#?}", outcome.checks);
    }
}
