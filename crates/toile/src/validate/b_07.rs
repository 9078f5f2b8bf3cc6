//! B-07: cantilever rolled up by an end moment, to a full circle. Source: Sze04 example 3.2; closed form: under a moment M the strip
//! is an arc of angle θ = M L/D, with tip displacements −U = L(1 − sin θ/θ) and W = L(1 − cos θ)/θ.
//!
//! The direction of the sheet at the far edge is turned in steps while the edge itself is free to move in the plane of the roll;
//! the grip that turns it feels the moment. The edge is kept in that plane: a free one tilts out of it before the roll closes (the
//! lowest eigenvalue of the Hessian passes zero at 5.9 rad). D = E h³/12 at Poisson ratio 0.

use super::strips::{self, BENDING, MESH};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};
use glam::DVec3;
use std::f64::consts::TAU;
use toile_core::fabric::Fabric;
use toile_core::integrate::StaticOptions;
use toile_core::system::{Builder, Key, Motion};

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "B-07",
    title: "cantilever rolled up by an end moment",
    source: "Sze04 example 3.2, closed form",
    parameters: &[
        Parameter::number("length", 12.0, [1e-2, 1e3], "m", "length L"),
        Parameter::number("width", 1.0, [1e-3, 1e3], "m", "width b"),
        Parameter::number("thickness", 0.1, [1e-4, 10.0], "m", "thickness h"),
        Parameter::number("modulus", 1.2e6, [1.0, 1e12], "Pa", "Young's modulus E"),
        Parameter::number("turns", 1.0, [0.05, 1.0], "–", "turns of the end at the largest moment"),
        Parameter::number("steps", 20.0, [4.0, 200.0], "–", "steps of the moment"),
        Parameter::number("elements", 48.0, [8.0, 400.0], "–", "elements along the strip"),
        MESH,
        BENDING,
    ],
    run,
};

/// Number of the grip that turns the far edge: after the root and its director.
const DIRECTOR: usize = 2;

/// What is measured at one angle: displacements −U, W of the tip and moment per width.
struct Point {
    angle: f64,
    tip: [f64; 2],
    moment: f64,
}

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let [length, thickness, modulus] = ["length", "thickness", "modulus"].map(|name| settings.number(name));
    let rigidity = modulus * thickness.powi(3) / 12.0;
    let (points, shapes) = roll(settings, rigidity)?;
    let mut outcome = Outcome::default();
    for (k, point) in points.iter().enumerate() {
        if (k + 1) % (points.len() / 4).max(1) != 0 {
            continue;
        }
        let (angle, turns) = (point.angle, point.angle / TAU);
        let exact = [1.0 - angle.sin() / angle, (1.0 - angle.cos()) / angle].map(|d| length * d);
        for (name, value, exact) in [("−U", point.tip[0], exact[0]), ("W", point.tip[1], exact[1])] {
            // Of the length, since W comes back to nothing at a full turn.
            let band = Tolerance::Absolute(0.01 * length);
            outcome.checks.push(Check::against(format!("{name} at {turns:.3} turns"), value, "m", exact, band));
        }
        let quantity = format!("moment per width at {turns:.3} turns");
        let exact = rigidity * angle / length;
        outcome.checks.push(Check::against(quantity, point.moment, "N", exact, Tolerance::Relative(0.01)));
    }
    let series =
        |name: &str, style, colour, points| Series { colour: Some(colour), ..Series::new(name, style, points) };
    let fine = |y: fn(f64) -> f64| {
        let last = points.last().map_or(TAU, |p| p.angle);
        (1..=100).map(|k| last * f64::from(k) / 100.0).map(|a| [a / TAU, y(a)]).collect()
    };
    let dots = |y: &dyn Fn(&Point) -> f64| points.iter().map(|p| [p.angle / TAU, y(p)]).collect();
    let curves = vec![
        series("−U/L, circle", Style::Line, 0, fine(|a| 1.0 - a.sin() / a)),
        series("−U/L, measured", Style::Points, 0, dots(&|p| p.tip[0] / length)),
        series("W/L, circle", Style::Line, 1, fine(|a| (1.0 - a.cos()) / a)),
        series("W/L, measured", Style::Points, 1, dots(&|p| p.tip[1] / length)),
        series("M L/2πD, exact", Style::Line, 2, fine(|a| a / TAU)),
        series("M L/2πD, measured", Style::Points, 2, dots(&|p| p.moment * length / (TAU * rigidity))),
    ];
    let (x, y) = (Axis::new("turns of the end (–)"), Axis::new("displacement over L, moment (–)"));
    let title = "Cantilever with an end moment".to_owned();
    outcome.plots.push(("curve".into(), Plot { title, x, y, series: curves, is_equal: false }.into()));
    let title = "Cantilever rolled up by an end moment".to_owned();
    let (x, y) = (Axis::new("x (m)"), Axis::new("y (m)"));
    outcome.plots.push(("shape".into(), Plot { title, x, y, series: shapes, is_equal: true }.into()));
    Ok(outcome)
}

/// Turns the far edge in steps; shapes at the quarters of the way.
fn roll(settings: &Settings, rigidity: f64) -> Result<(Vec<Point>, Vec<Series>), ExperimentError> {
    let [length, width, thickness, modulus] =
        ["length", "width", "thickness", "modulus"].map(|name| settings.number(name));
    let fabric = Fabric::isotropic(modulus * thickness, 0.0, rigidity, 1000.0 * thickness)?;
    let mesh = strips::sheet(settings.word("mesh"), [length, width], settings.count("elements"))?;
    let (root, tip) = (strips::column(&mesh, 0.0), strips::column(&mesh, length));
    let shares = strips::shares(&mesh, &tip);
    let system = |angle: f64| {
        let builder = Builder::new(&mesh, &fabric).bending(settings.word("bending")).gravity(DVec3::ZERO);
        let builder = builder.clamp("root", root.clone(), DVec3::Y).director("tip", tip.clone(), DVec3::Y);
        let builder = builder.grip("tip", tip.clone(), [false, false, true]);
        let mut system = builder.build()?;
        let turn = Key { rotation: angle * DVec3::Z, ..Key::shift(0.0, DVec3::ZERO) };
        system.set_motion(DIRECTOR, Motion::Keys(vec![turn]));
        Ok(system)
    };
    let steps = settings.count("steps").next_multiple_of(4);
    let last = TAU * settings.number("turns");
    let angles: Vec<f64> = (1..=steps).map(|k| last * k as f64 / steps as f64).collect();
    let options = StaticOptions {
        force_tolerance: 1e-7 * rigidity * width / (length * length),
        first_step: 1e3,
        max_iterations: 60,
        ..StaticOptions::default()
    };
    let start = (system(0.0)?.initial_state(), 0.0);
    let (mut points, mut shapes) = (Vec::new(), Vec::new());
    strips::follow(&options, start, &angles, system, |angle, system, state| {
        let place: DVec3 = shares.iter().map(|&(v, share)| share * state.positions[v as usize]).sum();
        let normal = DVec3::new(-angle.sin(), angle.cos(), 0.0);
        let moment = normal.cross(system.reaction(state, DIRECTOR)).z / width;
        points.push(Point { angle, tip: [length - place.x, place.y], moment });
        if points.len() % (steps / 4) == 0 {
            let mut line = mesh.vertices_where(|p| p.z == 0.0);
            line.sort_by(|a, b| mesh.positions[*a as usize].x.total_cmp(&mesh.positions[*b as usize].x));
            let edge = line.iter().map(|v| state.positions[*v as usize]).map(|p| [p.x, p.y]).collect();
            shapes.push(Series::new(format!("{:.3} turns", angle / TAU), Style::Line, edge));
        }
    })?;
    Ok((points, shapes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The band holds on an irregular mesh, for the cross-check model, and for other sizes.
    #[test]
    fn band_holds_for_other_parameters() {
        for (mesh, bending, turns) in [("unstructured", "midedge", "1"), ("structured", "morley", "0.5")] {
            let mut settings = Settings::defaults(&EXPERIMENT);
            for (name, value) in [("mesh", mesh), ("bending", bending), ("turns", turns), ("modulus", "7e5")] {
                settings.set(name, value).unwrap();
            }
            let outcome = run(&settings).unwrap();
            assert!(outcome.pass(), "{mesh} {bending}: {:#?}", outcome.checks);
        }
    }
}
