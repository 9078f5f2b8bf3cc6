//! S0-1: uniaxial stretch of the Green–Lagrange strain with a linear law. Source: Volino09 Fig. 2.
//!
//! The sheet is stretched by λ along the weft with free sides and the force on its moved edge is summed from the forces of the
//! triangles there, f_j = −A Σ σ_m ∂ε_m/∂P_j. Closed form: f = Y w λ(λ²−1)/2 for any Poisson ratio, because free sides carry
//! no stress and take up the lateral stretch √(1−2νe), e = (λ²−1)/2. It falls to −Y w/3√3 at λ = 1/√3 and rises to nothing
//! at λ = 0: a sheet crushed further no longer resists.

use super::reference;
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};
use glam::{DVec2, DVec3};
use toile_core::law::{Law, Linear};
use toile_core::mesh::{Diagonal, Grid, Mesh};
use toile_garment::meshing::{self, Options};

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S0-1",
    title: "force of a uniaxial stretch, from crushed to 1.6",
    source: "Volino09 Fig. 2, closed form",
    parameters: &[
        Parameter::number("modulus", 1000.0, [1e-3, 1e9], "N/m", "membrane modulus Y"),
        Parameter::number("poisson", 0.0, [-0.9, 0.9], "–", "Poisson ratio ν"),
        Parameter::number("length", 0.1, [1e-3, 10.0], "m", "rest length along the pull"),
        Parameter::number("width", 0.05, [1e-3, 10.0], "m", "rest width w"),
        Parameter::number("low", 0.05, [1e-3, 0.99], "–", "smallest stretch"),
        Parameter::number("high", 1.6, [1.01, 5.0], "–", "largest stretch"),
        Parameter::number("divisions", 4.0, [1.0, 100.0], "–", "elements along the width"),
        Parameter::word("mesh", &["structured", "unstructured"], "kind of mesh"),
    ],
    run,
};

/// Summation of some hundred forces in double precision leaves 1e-13; 1e-9 is the band of the experiment.
const BAND: Tolerance = Tolerance::Relative(1e-9);

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let (modulus, poisson) = (settings.number("modulus"), settings.number("poisson"));
    let (low, high) = (settings.number("low"), settings.number("high"));
    let law = Linear::isotropic(modulus, poisson)?;
    let size = [settings.number("length"), settings.number("width")];
    let mesh = sample(settings, size)?;
    if !(has_sides(high, poisson) && has_sides(low, poisson)) {
        return Err(ExperimentError::Setup(format!("ν = {poisson}: the sides would meet before a stretch of {high}")));
    }
    // f/(Y w), as the figure has it.
    let force = |stretch: f64| edge_force(&mesh, &law, stretch, poisson) / (modulus * size[1]);
    let stretches = (0..=31).map(|k| low + (high - low) * f64::from(k) / 31.0);
    let measured: Vec<[f64; 2]> = stretches.map(|l| [l, force(l)]).collect();
    let checks = checks(&measured, &force, poisson)?;
    Ok(Outcome { checks, plots: vec![("force".into(), plot(measured, low, high).into())], notes: Vec::new() })
}

fn checks(measured: &[[f64; 2]], force: &impl Fn(f64) -> f64, poisson: f64) -> Result<Vec<Check>, ExperimentError> {
    let mut checks = Vec::new();
    for &[l, f] in measured.iter().filter(|p| exact(p[0]) != 0.0) {
        checks.push(Check::against(format!("f/(Y w) at λ = {l:.3}"), f, "–", exact(l), BAND));
    }
    for [l, f] in reference::table("S0-1")?.points("stretch", "force_per_width/Y")? {
        if has_sides(l, poisson) {
            // The table has nine digits.
            let quantity = format!("f/(Y w) at the stored λ = {l}");
            checks.push(Check::against(quantity, force(l), "–", f, Tolerance::Absolute(6e-10)));
        }
    }
    if has_sides(1e-9, poisson) {
        let (at, least) = minimum(force, 0.2, 1.0);
        checks.push(Check::against("minimum of f/(Y w)", least, "–", -1.0 / 27f64.sqrt(), BAND));
        // A minimum is flat: its place is known to the root of the precision.
        checks.push(Check::against("λ of the minimum", at, "–", 1.0 / 3f64.sqrt(), Tolerance::Relative(1e-6)));
        checks.push(Check::against("f/(Y w) at λ = 1e-9", force(1e-9), "–", -5e-10, BAND));
    }
    Ok(checks)
}

fn plot(measured: Vec<[f64; 2]>, low: f64, high: f64) -> Plot {
    let curve = (0..=200).map(|k| low + (high - low) * f64::from(k) / 200.0).map(|l| [l, exact(l)]).collect();
    Plot {
        title: "Uniaxial stretch, linear law of Green–Lagrange strain".into(),
        x: Axis::new("stretch λ (–)"),
        y: Axis::new("force f/(Y w) (–)"),
        series: vec![
            Series::new("λ(λ²−1)/2", Style::Line, curve),
            Series::new("measured", Style::Points, measured),
            Series::new("spring: λ − 1", Style::Dashed, vec![[low, low - 1.0], [high, high - 1.0]]),
        ],
        is_equal: false,
    }
}

fn sample(settings: &Settings, size: [f64; 2]) -> Result<Mesh, ExperimentError> {
    let divisions = settings.count("divisions");
    let edge = size[1] / divisions as f64;
    Ok(match settings.word("mesh") {
        "unstructured" => meshing::rectangle(size, &Options::irregular(edge, 1))?,
        _ => {
            let along = (size[0] / edge).round().clamp(1.0, 1e4) as usize;
            Grid { cells: [along, divisions], size, diagonal: Diagonal::One }.mesh()
        }
    })
}

/// Green–Lagrange strain of a stretch.
fn strain(stretch: f64) -> f64 {
    0.5 * (stretch * stretch - 1.0)
}

/// f/(Y w) in closed form.
fn exact(stretch: f64) -> f64 {
    stretch * strain(stretch)
}

/// Is there a lateral stretch √(1−2νe) that leaves the sides free of stress?
fn has_sides(stretch: f64, poisson: f64) -> bool {
    poisson * strain(stretch) < 0.5
}

/// Force (N) that holds the far edge of a sheet stretched uniformly along u with free sides.
fn edge_force(mesh: &Mesh, law: &Linear, stretch: f64, poisson: f64) -> f64 {
    let lateral = (1.0 - 2.0 * poisson * strain(stretch)).sqrt();
    let far = mesh.positions.iter().map(|p| p.x).fold(0.0, f64::max);
    let place = |p: DVec3| DVec3::new(stretch * p.x, 0.0, lateral * p.z);
    let mut total = 0.0;
    for (t, corners) in mesh.triangles.iter().enumerate() {
        let rest = corners.map(|v| mesh.positions[v as usize]);
        let pull = triangle_forces(mesh.material[t], rest.map(place), law);
        total -= (0..3).filter(|&i| rest[i].x == far).map(|i| pull[i].x).sum::<f64>();
    }
    total
}

/// Volino09 eq. (7), (9) and (11), in the letters of the paper.
fn triangle_forces(uv: [DVec2; 3], p: [DVec3; 3], law: &Linear) -> [DVec3; 3] {
    let d = (uv[1] - uv[0]).perp_dot(uv[2] - uv[0]);
    let r = [0, 1, 2].map(|i| {
        let (next, last) = (uv[(i + 1) % 3], uv[(i + 2) % 3]);
        DVec2::new(next.y - last.y, last.x - next.x) / d
    });
    let u: DVec3 = (0..3).map(|i| r[i].x * p[i]).sum();
    let v: DVec3 = (0..3).map(|i| r[i].y * p[i]).sum();
    let s = law.stress([0.5 * (u.dot(u) - 1.0), 0.5 * (v.dot(v) - 1.0), u.dot(v)]);
    r.map(|r| -0.5 * d * (s[0] * r.x * u + s[1] * r.y * v + s[2] * (r.x * v + r.y * u)))
}

/// Place and value of the minimum of a function with one valley, by golden section.
fn minimum(f: &impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> (f64, f64) {
    let ratio = 0.5 * (5f64.sqrt() - 1.0);
    for _ in 0..60 {
        let (a, b) = (high - ratio * (high - low), low + ratio * (high - low));
        if f(a) < f(b) {
            high = b;
        } else {
            low = a;
        }
    }
    let at = 0.5 * (low + high);
    (at, f(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Other sizes, meshes and Poisson ratios follow the same closed form.
    #[test]
    fn closed_form_holds_for_other_parameters() {
        for (mesh, poisson) in [("structured", "0.3"), ("unstructured", "0"), ("unstructured", "0.4")] {
            let mut settings = Settings::defaults(&EXPERIMENT);
            for (name, value) in [("mesh", mesh), ("poisson", poisson), ("modulus", "37"), ("width", "0.23")] {
                settings.set(name, value).unwrap();
            }
            let outcome = run(&settings).unwrap();
            assert!(outcome.pass() && outcome.checks.len() > 30, "{mesh} {poisson}: {:?}", outcome.checks);
        }
    }

    #[test]
    fn impossible_sides_are_refused() {
        let mut settings = Settings::defaults(&EXPERIMENT);
        settings.set("poisson", "0.9").unwrap();
        settings.set("high", "2").unwrap();
        assert!(matches!(run(&settings), Err(ExperimentError::Setup(_))));
    }
}
