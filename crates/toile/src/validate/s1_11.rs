//! S1-11: corotational triangles under rigid rotation, and convergence of the particle model on a rectangular grid.
//! Source: Wacker05 part 3 §§2.2.5, 2.2.6.
//!
//! A turned and shifted sheet carries no force: the linear strain is taken in the frame of the polar rotation. The particle
//! model (thread lengths and the cosine between them) is claimed to converge linearly on rectangles only. It is given the
//! rim of a sheet in pure bending in its plane, u = c x y, v = −c x²/2, which is exact for ν = 0 and small c: ε_uu = c y, the other
//! strains zero. The root mean square of the strain error over the triangles falls as the edge length.

use super::setup::{MESH, Random, rectangle};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};
use glam::{DQuat, DVec3};
use toile_core::fabric::Fabric;
use toile_core::integrate::{StaticOptions, relax};
use toile_core::mesh::Mesh;
use toile_core::system::Builder;

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S1-11",
    title: "corotational triangles turn without force; the particle model converges",
    source: "Wacker05 part 3 sections 2.2.5 and 2.2.6, closed form",
    parameters: &[
        Parameter::number("modulus", 1000.0, [1.0, 1e6], "N/m", "membrane modulus Y"),
        Parameter::number("poisson", 0.3, [0.0, 0.45], "–", "Poisson ratio of the turned sheet"),
        Parameter::number("side", 0.2, [0.01, 5.0], "m", "side a of both sheets"),
        Parameter::number(
            "divisions",
            8.0,
            [2.0, 64.0],
            "–",
            "elements along the side, on the coarsest of three meshes",
        ),
        Parameter::number("bend", 1e-5, [1e-8, 1e-4], "–", "strain c a of the bent sheet at its edge"),
        MESH,
    ],
    run,
};

const MODELS: [&str; 4] = ["corotational", "green", "length", "particle"];

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::default();
    turn(settings, &mut outcome)?;
    converge(settings, &mut outcome)?;
    Ok(outcome)
}

/// Largest force on a vertex of a rigidly turned sheet, over Y a.
fn turn(settings: &Settings, outcome: &mut Outcome) -> Result<(), ExperimentError> {
    let (side, modulus) = (settings.number("side"), settings.number("modulus"));
    let mesh = rectangle(settings.word("mesh"), [side, side], side / settings.number("divisions"))?;
    let fabric = Fabric::isotropic(modulus, settings.number("poisson"), 1e-9, 0.1)?;
    let axis = Random(3).vector().normalize();
    let mut series = Vec::new();
    for model in MODELS {
        let system = Builder::new(&mesh, &fabric).membrane(model).bending("none").gravity(DVec3::ZERO).build()?;
        let mut points = Vec::new();
        for degrees in (0..=360).step_by(5).map(f64::from) {
            let turn = DQuat::from_axis_angle(axis, degrees.to_radians());
            let mut state = system.initial_state();
            for x in &mut state.positions {
                *x = turn * *x + side * DVec3::new(0.3, -0.7, 0.2);
            }
            let force = system.total_forces(&state).iter().map(|f| f.length()).fold(0.0, f64::max);
            points.push([degrees, force / (modulus * side)]);
        }
        let largest = points.iter().map(|p| p[1]).fold(0.0, f64::max);
        let quantity = format!("{model}: largest force on a vertex, 0 to 360°, over Y a");
        outcome.checks.push(Check::against(quantity, largest, "–", 0.0, Tolerance::Absolute(1e-10)));
        series.push(Series::new(model, Style::Line, points));
    }
    let plot = Plot {
        title: "Force on a rigidly turned sheet".into(),
        x: Axis::new("angle (°)"),
        y: Axis { range: Some([1e-18, 1e-9]), ..Axis::log("largest force over Y a (–)") },
        series,
        is_equal: false,
    };
    outcome.plots.push(("rotation".into(), plot.into()));
    Ok(())
}

/// Strain error of the particle model on a sheet in pure bending, on three meshes.
fn converge(settings: &Settings, outcome: &mut Outcome) -> Result<(), ExperimentError> {
    let (side, modulus) = (settings.number("side"), settings.number("modulus"));
    let rate = settings.number("bend") / side;
    let fabric = Fabric::isotropic(modulus, 0.0, 1e-9, 0.1)?;
    let mut errors: Vec<[f64; 2]> = Vec::new();
    for refinement in [1.0, 2.0, 4.0] {
        let edge = side / (refinement * settings.number("divisions"));
        let mesh = rectangle(settings.word("mesh"), [side, side], edge)?;
        errors.push([edge, strain_error(&mesh, &fabric, side, rate)? / settings.number("bend")]);
    }
    for [edge, error] in &errors {
        let quantity = format!("particle model: strain error at edge {edge:.2e} m over c a");
        outcome.checks.push(Check::report(quantity, *error, "–"));
    }
    let order = (errors[1][1] / errors[2][1]).log2();
    let quantity = "particle model: order of the strain error";
    // One, approached from below on the regular mesh: three digits.
    outcome.checks.push(Check::against(quantity, order, "–", 0.999, Tolerance::AtLeast));
    let plot = Plot {
        title: "Particle model, pure bending in the plane".into(),
        x: Axis::log("edge length (m)"),
        y: Axis::log("root mean square of the strain error over c a (–)"),
        series: vec![
            Series::new("measured", Style::Points, errors.clone()),
            Series::new(
                "slope 1",
                Style::Dashed,
                errors.iter().map(|e| [e[0], errors[2][1] * e[0] / errors[2][0]]).collect(),
            ),
        ],
        is_equal: false,
    };
    outcome.plots.push(("convergence".into(), plot.into()));
    Ok(())
}

/// Root mean square over the sheet of the distance between the strain of the triangles and the exact one.
fn strain_error(mesh: &Mesh, fabric: &Fabric, side: f64, rate: f64) -> Result<f64, ExperimentError> {
    // Panel coordinates about the centre: v runs along −z.
    let centred = |p: DVec3| [p.x - 0.5 * side, -p.z - 0.5 * side];
    let moved = |p: DVec3| {
        let [x, y] = centred(p);
        p + DVec3::new(rate * x * y, 0.0, 0.5 * rate * x * x)
    };
    let close = 1e-9 * side;
    let rim = mesh.vertices_where(|p| centred(p).iter().any(|x| (x.abs() - 0.5 * side).abs() < close));
    let bent = Mesh {
        positions: (0..mesh.vertex_count() as u32)
            .map(|i| if rim.contains(&i) { moved(mesh.positions[i as usize]) } else { mesh.positions[i as usize] })
            .collect(),
        ..mesh.clone()
    };
    let all = mesh.vertices_where(|_| true);
    let system = Builder::new(&bent, fabric)
        .membrane("particle")
        .bending("none")
        .gravity(DVec3::ZERO)
        .pin("rim", rim)
        .grip("plane", all, [false, true, false])
        .build()?;
    let mut state = system.initial_state();
    // Eight digits of the stress c a Y over an edge.
    let force = 1e-8 * rate * side * fabric.membrane.elastic.stiffness()[0] * side / 64.0;
    let options = StaticOptions { force_tolerance: force, first_step: 1e5, ..StaticOptions::default() };
    let found = relax(&system, &mut state, &options, None)?;
    if !found.converged {
        return Err(ExperimentError::Failed(format!("no equilibrium: {:e} N left", found.residual)));
    }
    let states = system.triangle_states(&state);
    let (mut sum, mut area) = (0.0, 0.0);
    for (t, found) in states.iter().enumerate() {
        // Middles of the sides integrate squares of linear fields exactly.
        for k in 0..3 {
            let [a, b] = [k, (k + 1) % 3].map(|k| mesh.positions[mesh.triangles[t][k] as usize]);
            let y = centred(0.5 * (a + b))[1];
            let [uu, vv, uv] = found.strain;
            let share = mesh.rest_area(t) / 3.0;
            sum += share * ((uu - rate * y).powi(2) + vv * vv + 0.5 * uv * uv);
            area += share;
        }
    }
    Ok((sum / area).sqrt())
}
