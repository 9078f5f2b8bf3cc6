//! S1-10: rest curvature, fold lines, lines with a length of their own, and rigidity by direction. Source: Volino05 part 2 Fig. 6.
//!
//! Closed forms: a free strip of rest curvature κ₀ is an arc of radius 1/κ₀ and closes at Lκ₀ = 2π; a fold line with a rest angle
//! takes it, the strip beside it staying flat; lines of stiffness K (N) and rest length s per length along both edges of a long strip
//! of width w draw it to the stretch λ with Ywλ(λ²−1)/2 + 2K(λ/s − 1) = 0 (the Green–Lagrange sheet and its lines in parallel);
//! strips cut along weft and warp droop as the heavy elastica of their own Γ = σgL³/B.

use super::setup::{MESH, rectangle, vertices_at};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};
use glam::{DVec2, DVec3};
use std::f64::consts::{FRAC_PI_2, TAU};
use toile_core::bending::{Crease, Rest};
use toile_core::fabric::{Fabric, Material, plate};
use toile_core::integrate::{StaticOptions, relax};
use toile_core::lane::Level;
use toile_core::law::Linear;
use toile_core::membrane::{MembraneError, Spring, Springs};
use toile_core::mesh::{Mesh, Topology};
use toile_core::system::{BuildError, Builder, State, System};
use toile_core::tensile::{Cantilever, cantilever_of_tip};
use toile_garment::meshing::{self, Shape};

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S1-10",
    title: "rest curvature, fold lines, drawn lines and rigidity by direction",
    source: "Volino05 part 2 Fig. 6, closed forms",
    parameters: &[
        Parameter::number("length", 0.2, [0.02, 2.0], "m", "length L of the strips"),
        Parameter::number("width", 0.02, [0.005, 1.0], "m", "width w of the strips"),
        Parameter::number("rigidity", 1e-4, [1e-7, 1.0], "N·m", "bending rigidity B of the weft"),
        Parameter::number("rigidity_warp", 4e-4, [1e-7, 1.0], "N·m", "bending rigidity of the warp"),
        Parameter::number("poisson", 0.3, [0.0, 0.45], "–", "Poisson ratio of curved and folded strips"),
        Parameter::number("curvature", 10.0, [0.1, 100.0], "1/m", "rest curvature κ0"),
        Parameter::number("fold", 60.0, [-150.0, 150.0], "°", "rest angle of the fold line"),
        Parameter::number("fold_stiffness", 1e-3, [1e-7, 10.0], "N", "moment per length and radian of the fold line"),
        Parameter::number("line_stiffness", 20.0, [0.01, 1e4], "N", "K of each line"),
        Parameter::number("line_length", 0.9, [0.5, 1.2], "–", "rest length s of the lines over that of the edge"),
        Parameter::number("density", 0.1, [0.01, 10.0], "kg/m²", "mass per area σ"),
        Parameter::number("divisions", 40.0, [8.0, 200.0], "–", "elements along the strips"),
        MESH,
    ],
    run,
};

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::default();
    let mut shapes = Vec::new();
    let (length, chosen) = (settings.number("length"), settings.number("curvature"));
    for curvature in [chosen, TAU / length] {
        shapes.push(curl(settings, curvature, &mut outcome)?);
    }
    shapes.push(fold(settings, &mut outcome)?);
    line(settings, &mut outcome)?;
    let droops = [("weft", 0.0, "rigidity"), ("warp", FRAC_PI_2, "rigidity_warp")];
    for (name, grain, rigidity) in droops {
        shapes.extend(droop(settings, name, grain, settings.number(rigidity), &mut outcome)?);
    }
    let plot = Plot {
        title: "Curled, closed, folded and drooping strips".into(),
        x: Axis::new("x (m)"),
        y: Axis::new("y (m)"),
        series: shapes,
        is_equal: true,
    };
    outcome.plots.push(("shapes".into(), plot.into()));
    Ok(outcome)
}

/// A strip along x of `divisions` elements, with an edge column at half its length.
fn strip(settings: &Settings) -> Result<Mesh, ExperimentError> {
    let (length, width) = (settings.number("length"), settings.number("width"));
    let half = (0.5 * settings.number("divisions")).round();
    let edge = 0.5 * length / half;
    if settings.word("mesh") != "unstructured" {
        return rectangle("structured", [length, width], edge);
    }
    let corner = |x: f64, y: f64| DVec2::new(x, y);
    let shape = Shape {
        outline: vec![corner(0.0, 0.0), corner(length, 0.0), corner(length, width), corner(0.0, width)],
        lines: vec![vec![corner(0.5 * length, 0.0), corner(0.5 * length, width)]],
        ..Shape::default()
    };
    let options = meshing::Options::of_edge(meshing::edge_for_triangles(edge * edge, 2));
    Ok(shape.mesh(&meshing::Options { jitter: 0.3, seed: 1, ..options })?)
}

/// Almost inextensible against bending: Y L²/B.
const INEXTENSIBILITY: f64 = 1e6;

fn fabric(settings: &Settings, weft: f64, warp: f64, poisson: f64) -> Result<Fabric, ExperimentError> {
    let length = settings.number("length");
    let modulus = INEXTENSIBILITY * weft.max(warp) / (length * length);
    let mut fabric = Fabric::isotropic(modulus, poisson, weft, settings.number("density"))?;
    fabric.bending = Material::elastic(plate(weft, warp, poisson, None)?);
    Ok(fabric)
}

/// Equilibrium to seven digits of the force scale B w/L². Rigid motions are free, so mass holds the strip to the end.
fn settle(settings: &Settings, system: &System, state: &mut State) -> Result<(), ExperimentError> {
    let (length, width) = (settings.number("length"), settings.number("width"));
    let rigidity = settings.number("rigidity");
    let time = (settings.number("density") * length.powi(4) / rigidity).sqrt();
    let options = StaticOptions {
        force_tolerance: 1e-7 * rigidity * width / (length * length),
        first_step: time,
        max_step: 100.0 * time,
        ..StaticOptions::default()
    };
    let found = relax(system, state, &options, None)?;
    if found.converged {
        return Ok(());
    }
    Err(ExperimentError::Failed(format!(
        "no equilibrium after {} iterations: {:e} N left on node {}",
        found.iterations, found.residual, found.worst_node
    )))
}

/// A strip seen from its long side: the vertices of its edge z = 0 in order, as (x, y).
fn profile(mesh: &Mesh, state: &State) -> Vec<[f64; 2]> {
    let mut edge = vertices_at(mesh, 2, 0.0);
    edge.sort_by(|a, b| mesh.positions[*a as usize].x.total_cmp(&mesh.positions[*b as usize].x));
    edge.iter().map(|&v| state.positions[v as usize]).map(|p| [p.x, p.y]).collect()
}

/// Lets a free strip of rest curvature go; its radius and the gap between its ends.
fn curl(settings: &Settings, curvature: f64, outcome: &mut Outcome) -> Result<Series, ExperimentError> {
    let (rigidity, length) = (settings.number("rigidity"), settings.number("length"));
    let mesh = strip(settings)?;
    let fabric = fabric(settings, rigidity, rigidity, settings.number("poisson"))?;
    // In stages: a flat strip that wants to be a full circle pushes its ends through each other on the way.
    let stages = (curvature * length / 0.8).ceil().max(1.0);
    let mut state: Option<State> = None;
    for k in 1..=stages as usize {
        let rest = [curvature * k as f64 / stages, 0.0, 0.0];
        let system = Builder::new(&mesh, &fabric)
            .gravity(DVec3::ZERO)
            .rest(Rest::with_curvature(vec![rest; mesh.triangles.len()]))
            .build()?;
        let mut next = system.initial_state();
        if let Some(before) = &state {
            next.positions.clone_from(&before.positions);
        }
        settle(settings, &system, &mut next)?;
        state = Some(next);
    }
    let Some(state) = state else { return Err(ExperimentError::Setup("no curvature".into())) };
    let radius = circle_radius(&state.positions[..mesh.vertex_count()]);
    let quantity = format!("radius of a free strip with κ0 = {curvature:.4}/m");
    outcome.checks.push(Check::against(quantity, radius, "m", 1.0 / curvature, Tolerance::Relative(5e-3)));
    let points = profile(&mesh, &state);
    let [a, b] = [points[0], points[points.len() - 1]];
    let gap = (a[0] - b[0]).hypot(a[1] - b[1]) / length;
    let exact = (2.0 / (curvature * length) * (0.5 * curvature * length).sin()).abs();
    let quantity = format!("distance of its ends over L with Lκ0 = {:.4}", curvature * length);
    outcome.checks.push(Check::against(quantity, gap, "–", exact, Tolerance::Absolute(5e-3)));
    Ok(Series::new(format!("κ0 = {curvature:.1}/m"), Style::Line, points))
}

/// Radius of the circle nearest to points in x and y: least squares of x² + y² = 2ax + 2by + c about the mean.
fn circle_radius(points: &[DVec3]) -> f64 {
    let count = points.len() as f64;
    let mean = points.iter().sum::<DVec3>() / count;
    let (mut xx, mut xy, mut yy, mut xr, mut yr, mut r) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    for p in points {
        let (x, y) = (p.x - mean.x, p.y - mean.y);
        let square = x * x + y * y;
        (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y);
        (xr, yr, r) = (xr + x * square, yr + y * square, r + square);
    }
    let determinant = xx * yy - xy * xy;
    let (a, b) = (0.5 * (xr * yy - yr * xy) / determinant, 0.5 * (yr * xx - xr * xy) / determinant);
    (r / count + a * a + b * b).sqrt()
}

/// A strip with a fold line across its middle.
fn fold(settings: &Settings, outcome: &mut Outcome) -> Result<Series, ExperimentError> {
    let (rigidity, length) = (settings.number("rigidity"), settings.number("length"));
    let mesh = strip(settings)?;
    let fabric = fabric(settings, rigidity, rigidity, settings.number("poisson"))?;
    let angle = settings.number("fold");
    let middle = vertices_at(&mesh, 0, 0.5 * length);
    let mut builder = Builder::new(&mesh, &fabric).gravity(DVec3::ZERO);
    for (e, edge) in Topology::new(&mesh)?.edges.iter().enumerate() {
        if edge.vertices.iter().all(|v| middle.contains(v)) {
            builder = builder.crease(Crease {
                edge: e as u32,
                stiffness: settings.number("fold_stiffness"),
                rest_angle: angle.to_radians(),
            });
        }
    }
    let system = builder.build()?;
    let mut state = system.initial_state();
    settle(settings, &system, &mut state)?;
    let normals: Vec<(bool, DVec3)> = (0..mesh.triangles.len())
        .map(|t| {
            let [a, b, c] = mesh.triangles[t].map(|v| state.positions[v as usize]);
            let centre = mesh.triangles[t].iter().map(|&v| mesh.positions[v as usize].x).sum::<f64>() / 3.0;
            (centre < 0.5 * length, (b - a).cross(c - a).normalize())
        })
        .collect();
    let mean = |left: bool| normals.iter().filter(|n| n.0 == left).map(|n| n.1).sum::<DVec3>().normalize();
    let (left, right) = (mean(true), mean(false));
    let found = left.angle_between(right).to_degrees();
    let near = Tolerance::Absolute(0.1);
    outcome.checks.push(Check::against("angle at the fold line", found, "°", angle.abs(), near));
    let bend = normals.iter().map(|n| n.1.angle_between(if n.0 { left } else { right })).fold(0.0, f64::max);
    let quantity = "largest angle of a triangle to its half of the strip";
    outcome.checks.push(Check::against(quantity, bend.to_degrees(), "°", 0.0, near));
    Ok(Series::new(format!("fold of {angle}°"), Style::Line, profile(&mesh, &state)))
}

/// A strip drawn together by lines along both of its long edges, kept flat; the stretch of its middle third.
fn line(settings: &Settings, outcome: &mut Outcome) -> Result<(), ExperimentError> {
    let (width, share) = (settings.number("width"), settings.number("line_length"));
    let stiffness = settings.number("line_stiffness");
    // Long and of its own modulus: ends even out over about a width.
    let (length, modulus) = (8.0 * width, 1000.0);
    let mesh = rectangle(settings.word("mesh"), [length, width], width / 8.0)?;
    let fabric = Fabric::isotropic(modulus, 0.0, 1e-6, settings.number("density"))?;
    let edges = [0.0, -width].map(|z| vertices_at(&mesh, 2, z));
    let springs = Topology::new(&mesh)?.edges.into_iter().map(|e| e.vertices);
    let along = springs.filter(|ends| edges.iter().any(|edge| ends.iter().all(|v| edge.contains(v))));
    let rest = |[a, b]: [u32; 2]| share * mesh.positions[a as usize].distance(mesh.positions[b as usize]);
    let springs = along.map(|ends| Spring::of_line(ends, rest(ends))).collect();
    let law = Linear::isotropic(stiffness, 0.0)?;
    let material = Material::elastic(law.clone());
    let lines = Springs::new("line", mesh.vertex_count(), springs, law, &material, Level::detect());
    let lines = lines.map_err(|e| BuildError::from(MembraneError::from(e)))?;
    let all = mesh.vertices_where(|_| true);
    let system = Builder::new(&mesh, &fabric)
        .bending("none")
        .gravity(DVec3::ZERO)
        .force(Box::new(lines))
        .grip("plane", all, [false, true, false])
        .build()?;
    let mut state = system.initial_state();
    let options = StaticOptions { force_tolerance: 1e-9 * stiffness, max_step: 1.0, ..StaticOptions::default() };
    relax(&system, &mut state, &options, None)?;
    // Mean stretch between the thirds, over all vertices: slope of x over its rest.
    let inside = |p: &DVec3| p.x > length / 3.0 && p.x < 2.0 * length / 3.0;
    let pairs: Vec<[f64; 2]> =
        mesh.positions.iter().zip(&state.positions).filter(|(r, _)| inside(r)).map(|(r, x)| [r.x, x.x]).collect();
    let mean = [0, 1].map(|k| pairs.iter().map(|p| p[k]).sum::<f64>() / pairs.len() as f64);
    let above: f64 = pairs.iter().map(|p| (p[0] - mean[0]) * (p[1] - mean[1])).sum();
    let found = above / pairs.iter().map(|p| (p[0] - mean[0]).powi(2)).sum::<f64>();
    let force = |l: f64| modulus * width * l * (l * l - 1.0) / 2.0 + 2.0 * stiffness * (l / share - 1.0);
    let exact = bisect(0.3, 1.5, |l| force(l) > 0.0);
    let quantity = format!("stretch of a strip drawn by lines of {share} of its length");
    outcome.checks.push(Check::against(quantity, found, "–", exact, Tolerance::Relative(5e-3)));
    let share_of_way = (1.0 - found) / (1.0 - share);
    outcome.checks.push(Check::report("share of their shortening that the lines reach", share_of_way, "–"));
    Ok(())
}

/// Where a condition turns true.
fn bisect(mut low: f64, mut high: f64, above: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if above(middle) { high = middle } else { low = middle }
    }
    0.5 * (low + high)
}

/// The heavy elastica of a Γ.
fn elastica(load: f64) -> Result<Cantilever, ExperimentError> {
    let tip = bisect(1e-9, FRAC_PI_2, |tip| cantilever_of_tip(tip).is_none_or(|c| c.load > load));
    let missing = || ExperimentError::Setup(format!("Γ = {load} is beyond the elastica"));
    cantilever_of_tip(tip).filter(|c| (c.load / load - 1.0).abs() < 1e-3).ok_or_else(missing)
}

/// A strip clamped level at x = 0 under its own weight; the grain turned by `grain`.
fn droop(
    settings: &Settings,
    name: &str,
    grain: f64,
    rigidity: f64,
    outcome: &mut Outcome,
) -> Result<Vec<Series>, ExperimentError> {
    let (length, gravity) = (settings.number("length"), 9.81);
    let mesh = strip(settings)?.with_grain(grain);
    let fabric = fabric(settings, settings.number("rigidity"), settings.number("rigidity_warp"), 0.0)?;
    let system = Builder::new(&mesh, &fabric)
        .gravity(DVec3::new(0.0, -gravity, 0.0))
        .clamp("root", vertices_at(&mesh, 0, 0.0), DVec3::Y)
        .build()?;
    let mut state = system.initial_state();
    settle(settings, &system, &mut state)?;
    let tip = vertices_at(&mesh, 0, length);
    let place = tip.iter().map(|&v| state.positions[v as usize]).sum::<DVec3>() / tip.len() as f64;
    let load = settings.number("density") * gravity * length.powi(3) / rigidity;
    let exact = elastica(load)?;
    let quantity = format!("{name} strip: drop over reach at its own Γ = {load:.3}");
    let found = -place.y / place.x;
    let reference = exact.drop / exact.reach;
    outcome.checks.push(Check::against(quantity, found, "–", reference, Tolerance::Relative(0.02)));
    let mark = Series::new(
        format!("tip of the elastica, {name}"),
        Style::Points,
        vec![[exact.reach * length, -exact.drop * length]],
    );
    Ok(vec![Series::new(format!("{name}, Γ = {load:.1}"), Style::Line, profile(&mesh, &state)), mark])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::setup::expect_bands;

    #[test]
    fn circles_are_found() {
        let at = |k: i32| 0.7 * DVec3::new((0.1 * f64::from(k)).cos(), (0.1 * f64::from(k)).sin(), 0.3 * f64::from(k));
        let points: Vec<DVec3> = (0..20).map(|k| at(k) + DVec3::new(3.0, -1.0, 0.0)).collect();
        assert!((circle_radius(&points) - 0.7).abs() < 1e-9);
    }

    /// Other curvatures, folds and lines follow the closed forms on both kinds of mesh.
    #[test]
    fn closed_forms_hold_for_other_parameters() {
        expect_bands(&EXPERIMENT, &[("curvature", "23"), ("fold", "-100"), ("line_stiffness", "3"), ("poisson", "0")]);
    }
}
