//! C-04: a light strip pulled round a still cylinder (capstan). Source: Euler69 (his rope on a drum); closed form T₂/T₁ = e^{μθ}.
//!
//! | symbol | meaning                                                                      |
//! |--------|------------------------------------------------------------------------------|
//! | T₁     | dead load on one end, along the strip there (N)                              |
//! | T₂     | reaction of the grip that draws the other end on, at a constant speed (N)     |
//! | θ      | angle of wrap: that between the two forces, whole turns added (rad)           |
//!
//! The form neither knows the radius nor the speed, as long as every part slips: so the end is drawn much faster than friction
//! sticks, and further than the strip stretches. The strip has no bending, and does not feel itself: turns lie upon each other as if
//! they lay side by side.

use super::setup::{self, MESH};
use super::strips;
use super::touching::{Touch, Touching, around, cylinder};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};
use glam::DVec3;
use std::f64::consts::TAU;
use toile_core::fabric::Material;
use toile_core::force::Load;
use toile_core::integrate::{Options, Precision};
use toile_core::law::Linear;
use toile_core::system::{Builder, Key, Motion};

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "C-04",
    title: "capstan: a strip pulled round a cylinder",
    source: "Euler69 (rope on a drum), closed form",
    parameters: &[
        Parameter::number("friction_low", 0.1, [0.0, 1.0], "–", "first of three coefficients of friction μ"),
        Parameter::number("friction_high", 0.5, [0.0, 1.0], "–", "last of three coefficients of friction"),
        Parameter::number("wrap_low", 90.0, [20.0, 720.0], "°", "first of four angles of wrap θ"),
        Parameter::number("wrap_high", 360.0, [20.0, 720.0], "°", "last of four angles of wrap"),
        Parameter::number("radius", 0.05, [0.01, 1.0], "m", "radius of the cylinder"),
        Parameter::number("width", 0.01, [1e-3, 0.1], "m", "width of the strip"),
        Parameter::number("modulus", 1e5, [1e3, 1e7], "N/m", "membrane modulus of the strip"),
        Parameter::number("load", 0.2, [1e-3, 100.0], "N", "force T₁ on the slack end"),
        Parameter::number("speed", 0.02, [1e-3, 0.1], "m/s", "speed of the drawn end"),
        Parameter::number("way", 4e-3, [1e-4, 0.05], "m", "way of the drawn end"),
        Parameter::number("edge", 5e-3, [5e-4, 0.05], "m", "element size"),
        Parameter::number("step", 0.01, [1e-4, 0.1], "s", "time step"),
        MESH,
    ],
    run,
};

/// Straight part of the strip at each end, in radii.
const TAIL: f64 = 0.4;

/// What one pull gave.
struct Pull {
    /// Angle between the two forces (rad).
    wrap: f64,
    /// T₂/T₁ at the end.
    ratio: f64,
    /// T₂/T₁ over the way of the end (m).
    history: Vec<[f64; 2]>,
}

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let between = |name: &str, share: f64| {
        let ends = ["low", "high"].map(|end| settings.number(&format!("{name}_{end}")));
        ends[0] + share * (ends[1] - ends[0])
    };
    let mut outcome = Outcome::default();
    let (mut points, mut histories, mut longest) = (Vec::new(), Vec::new(), 0f64);
    for i in 0..3 {
        let friction = between("friction", f64::from(i) / 2.0);
        let mut measured = Vec::new();
        for k in 0..4 {
            let wrap = between("wrap", f64::from(k) / 3.0).to_radians();
            let pull = pull(settings, friction, wrap)?;
            let exact = (friction * pull.wrap).exp();
            let quantity = format!("T₂/T₁, μ = {friction:.3}, θ = {:.2}°", pull.wrap.to_degrees());
            outcome.checks.push(Check::against(quantity, pull.ratio, "–", exact, Tolerance::Relative(0.03)));
            measured.push([friction * pull.wrap, pull.ratio.ln()]);
            longest = longest.max(friction * pull.wrap);
            if k == 3 {
                let name = format!("μ = {friction:.3}, θ = {:.0}°", wrap.to_degrees());
                histories.push(Series::new(name, Style::Line, pull.history));
            }
        }
        points.push(Series::new(format!("μ = {friction:.3}"), Style::Points, measured));
    }
    let mut series = vec![Series::new("T₂ = T₁ e^{μθ}", Style::Line, vec![[0.0, 0.0], [longest, longest]])];
    series.extend(points);
    outcome.plots.push(("ratio".into(), plot(["Capstan", "μθ (–)", "ln T₂/T₁ (–)"], series).into()));
    let labels = ["Capstan: force while the end is drawn on", "way of the end (mm)", "T₂/T₁ (–)"];
    outcome.plots.push(("history".into(), plot(labels, histories).into()));
    outcome.notes.push("θ is the angle between the two end forces as measured, not as asked for.".into());
    Ok(outcome)
}

fn plot([title, x, y]: [&str; 3], series: Vec<Series>) -> Plot {
    Plot { title: title.into(), x: Axis::new(x), y: Axis::new(y), series, is_equal: false }
}

fn pull(settings: &Settings, friction: f64, wrap: f64) -> Result<Pull, ExperimentError> {
    let [radius, width, load, edge] = ["radius", "width", "load", "edge"].map(|name| settings.number(name));
    let touch = Touch { friction, ..Touch::smooth(2e-4) };
    let (middle, tail) = (radius + touch.distance(edge, radius), TAIL * radius);
    let length = 2.0 * tail + wrap * middle;
    let flat = setup::rectangle(settings.word("mesh"), [length, width], edge)?;
    let forward = |angle: f64| DVec3::new(angle.cos(), -angle.sin(), 0.0);
    let mesh = setup::laid_out(&flat, |p| {
        let s = p.x - tail;
        let angle = (s / middle).clamp(0.0, wrap);
        around(angle, middle, p.z + 0.5 * width) + (s - angle * middle) * forward(angle)
    });
    let fabric = setup::fabric(Material::elastic(Linear::isotropic(settings.number("modulus"), 0.0)?), 0.05)?;
    let slack = strips::shares(&flat, &setup::vertices_at(&flat, 0, 0.0));
    let mut system = Builder::new(&mesh, &fabric)
        .bending("none")
        .gravity(DVec3::ZERO)
        .force(Box::new(Load::shared(-load * DVec3::X, &slack)))
        .pin("drawn", setup::vertices_at(&flat, 0, length))
        .build()?;
    let (way, dt) = (settings.number("way"), settings.number("step"));
    let steps = (way / settings.number("speed") / dt).ceil().max(2.0);
    let end = Key::shift(steps * dt, way * forward(wrap));
    system.set_motion(0, Motion::Keys(vec![Key::shift(0.0, DVec3::ZERO), end]));
    let options = Options {
        precision: Precision::Double,
        tolerance: 1e-3,
        linear_tolerance: 1e-4,
        max_newton: 200,
        max_linear: 4000,
        ..Options::named("backward-euler").unwrap_or_default()
    };
    let mut scene = Touching::new(&mesh, system, vec![cylinder(radius, width)], touch, options);
    let mut integrator = scene.integrator()?;
    let mut history = Vec::new();
    let mut drawn = DVec3::ZERO;
    for k in 1..=steps as usize {
        scene.step(&mut integrator, dt)?;
        drawn = scene.system.reaction(&scene.state, 0);
        history.push([1e3 * way * k as f64 / steps, drawn.length() / load]);
    }
    // T₂ points along the strip where it leaves: its angle, with the whole turns of the set-up.
    let angle = (-drawn.y).atan2(drawn.x);
    let turns = ((wrap - angle) / TAU).round();
    Ok(Pull { wrap: angle + turns * TAU, ratio: drawn.length() / load, history })
}

#[cfg(test)]
mod tests {
    use super::super::reference;
    use super::*;

    /// The stored table, made elsewhere, agrees with the closed form.
    #[test]
    fn closed_form_is_that_of_the_table() {
        let table = reference::table("C-04").unwrap();
        let column = |name: &str| table.numbers(name).unwrap();
        let angles = column("mu").into_iter().zip(column("wrap_deg"));
        for ((mu, wrap), ratio) in angles.zip(column("T2/T1")) {
            assert!(((mu * wrap.to_radians()).exp() / ratio - 1.0).abs() < 1e-8);
        }
    }

    /// Another drum, another strip, more than a turn.
    #[test]
    fn other_drums_follow_too() {
        let changes = [
            ("friction_low", "0.2"),
            ("friction_high", "0.35"),
            ("wrap_low", "60"),
            ("wrap_high", "500"),
            ("radius", "0.03"),
            ("load", "0.5"),
            ("edge", "0.003"),
        ];
        setup::expect_bands(&EXPERIMENT, &changes);
    }
}
