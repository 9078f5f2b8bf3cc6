//! C-03: a square of cloth on a slope. Source: Li20 (its block on a slope); closed form of Coulomb's law: it sticks as long as
//! tan θ ≤ μ, and otherwise slides by g(sin θ − μ cos θ)t²/2.
//!
//! The cloth first comes to rest under the part of gravity across the slope, then the part along it is added: a change of the former
//! would let it bounce, and friction, whose normal forces are those of the step before, loses some of every impact. Half a degree below the angle
//! of friction it may creep, by less than the speed that counts as sticking; half a degree above, and at a steeper angle, it must go
//! the way of the closed form. BDF-2 gives that way exactly but for its first step.

use super::setup::{self, MESH};
use super::touching::{Touch, Touching};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};
use glam::DVec3;
use toile_contact::obstacle::{Form, Movement, Obstacle};
use toile_core::fabric::Material;
use toile_core::integrate::{Options, Precision};
use toile_core::law::Linear;
use toile_core::system::Builder;

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "C-03",
    title: "cloth on a slope sticks and slides",
    source: "Li20 (block on a slope), closed form of Coulomb's law",
    parameters: &[
        Parameter::number("friction_low", 0.1, [0.01, 1.0], "–", "first of three coefficients of friction μ"),
        Parameter::number("friction_high", 0.5, [0.01, 1.0], "–", "last of three coefficients of friction"),
        Parameter::number("margin", 0.5, [0.05, 5.0], "°", "what is tried on both sides of the angle of friction"),
        Parameter::number("steeper", 10.0, [1.0, 40.0], "°", "what the steep slope has over the angle of friction"),
        Parameter::number("size", 0.1, [0.01, 1.0], "m", "side of the cloth"),
        Parameter::number("divisions", 6.0, [2.0, 40.0], "–", "elements along a side"),
        Parameter::number("stick_speed", 1e-4, [1e-6, 1e-2], "m/s", "speed below which friction holds"),
        Parameter::number("duration", 1.0, [0.1, 5.0], "s", "time"),
        Parameter::number("step", 0.01, [1e-4, 0.05], "s", "time step"),
        MESH,
    ],
    run,
};

const GRAVITY: f64 = 9.81;
/// Steps in which the cloth comes to rest.
const SETTLING: usize = 60;

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let ends = [settings.number("friction_low"), settings.number("friction_high")];
    let (margin, steeper) = (settings.number("margin").to_radians(), settings.number("steeper").to_radians());
    let mut outcome = Outcome::default();
    let mut series = Vec::new();
    for k in 0..3 {
        let friction = ends[0] + 0.5 * k as f64 * (ends[1] - ends[0]);
        let critical = friction.atan();
        for (m, over) in [-margin, margin, steeper].into_iter().enumerate() {
            let angle = critical + over;
            let way = slide(settings, friction, angle)?;
            let case = format!("μ = {friction:.3}, {:.3}° ({:+.2}°)", angle.to_degrees(), over.to_degrees());
            let exact = |t: f64| 0.5 * GRAVITY * (angle.sin() - friction * angle.cos()) * t * t;
            let (last, before) = (way[way.len() - 1], way[way.len() / 2]);
            if m == 0 {
                let creep = 1e3 * (last[1] - before[1]) / (last[0] - before[0]);
                outcome.checks.push(Check::against(format!("creep: {case}"), creep, "mm/s", 1.0, Tolerance::AtMost));
                continue;
            }
            let two = Tolerance::Relative(0.02);
            outcome.checks.push(Check::against(format!("way: {case}"), last[1], "m", exact(last[0]), two));
            let colour = Some(2 * k + m - 1);
            let law = way.iter().map(|p| [p[0], exact(p[0])]).collect();
            series.push(Series { colour, ..Series::new(case, Style::Line, law) });
            let every = (way.len() / 12).max(1);
            let marks = way.iter().step_by(every).copied().collect();
            series.push(Series { colour, ..Series::new("", Style::Points, marks) });
        }
    }
    outcome.plots.push(("way".into(), plot(series).into()));
    Ok(outcome)
}

fn plot(series: Vec<Series>) -> Plot {
    Plot {
        title: "Cloth on a slope: closed form (lines) and contact (marks)".into(),
        x: Axis::new("time (s)"),
        y: Axis::new("way down the slope (m)"),
        series,
        is_equal: false,
    }
}

/// Way of the middle (m) over time (s), down a slope of an angle (rad).
fn slide(settings: &Settings, friction: f64, angle: f64) -> Result<Vec<[f64; 2]>, ExperimentError> {
    let (size, dt) = (settings.number("size"), settings.number("step"));
    let touch = Touch { friction, stick_speed: settings.number("stick_speed"), ..Touch::smooth(1e-3) };
    let mesh = setup::rectangle(settings.word("mesh"), [size; 2], size / settings.number("divisions").round())?;
    let mesh = setup::laid_out(&mesh, |p| p + (0.5 * touch.thickness + 0.5 * touch.reach) * DVec3::Y);
    let fabric = setup::fabric(Material::elastic(Linear::isotropic(1000.0, 0.0)?), 0.15)?;
    // Tight: half a degree of slope is a hundredth of the weight, and friction is stiff in the norm that the tolerance is in.
    let options = Options {
        precision: Precision::Double,
        tolerance: 5e-5,
        linear_tolerance: 5e-6,
        max_newton: 100,
        ..Options::named("bdf2").unwrap_or_default()
    };
    let among = |gravity: DVec3| {
        let system = Builder::new(&mesh, &fabric).bending("midedge-quadratic").gravity(gravity).build()?;
        let form = Form::HalfSpace { point: DVec3::ZERO, normal: DVec3::Y };
        let slope = Obstacle { name: "slope".into(), form, movement: Movement::Still };
        Ok::<_, ExperimentError>(Touching::new(&mesh, system, vec![slope], touch, options.clone()))
    };
    let mut level = among(-GRAVITY * angle.cos() * DVec3::Y)?;
    // With the step of the slide: how stiff barriers are, and so how far the cloth lies above the slope, depends on it.
    let mut integrator = level.integrator()?;
    for _ in 0..SETTLING {
        level.step(&mut integrator, dt)?;
        level.state.velocities.fill(DVec3::ZERO);
        level.state.past = None;
    }
    let mut scene = among(GRAVITY * DVec3::new(angle.sin(), -angle.cos(), 0.0))?;
    scene.state.positions.clone_from(&level.state.positions);
    scene.state.contact.clone_from(&level.state.contact);
    let middle = |places: &[DVec3]| places.iter().map(|p| p.x).sum::<f64>() / places.len() as f64;
    let start = middle(&scene.state.positions[..mesh.vertex_count()]);
    let mut integrator = scene.integrator()?;
    let mut way = vec![[0.0; 2]];
    for k in 1..=(settings.number("duration") / dt).round().max(2.0) as usize {
        scene.step(&mut integrator, dt)?;
        way.push([k as f64 * dt, middle(&scene.state.positions[..mesh.vertex_count()]) - start]);
    }
    Ok(way)
}

#[cfg(test)]
mod tests {
    use super::super::reference;
    use super::*;

    /// The stored table, made elsewhere, agrees with the closed form.
    #[test]
    fn closed_form_is_that_of_the_table() {
        let table = reference::table("C-03").unwrap();
        let column = |name: &str| table.numbers(name).unwrap();
        let (mu, angle, way) = (column("mu"), column("test_angle_deg"), column("slide_after_1s_m"));
        for i in 0..mu.len() {
            let a = angle[i].to_radians();
            let exact = 0.5 * GRAVITY * (a.sin() - mu[i] * a.cos()).max(0.0);
            assert!((exact - way[i]).abs() < 1e-8 * way[i].max(1e-9), "{exact} {}", way[i]);
        }
    }

    #[test]
    fn other_slopes_follow_too() {
        let changes = [
            ("friction_low", "0.2"),
            ("friction_high", "0.7"),
            ("size", "0.06"),
            ("duration", "0.4"),
            ("steeper", "4"),
        ];
        setup::expect_bands(&EXPERIMENT, &changes);
    }
}
