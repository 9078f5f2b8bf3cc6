//! M-03: a sheet hanging from its top edge under its own weight, ν = 0. Closed form: λ(λ²−1)/2 = k(1−X) at rest depth X of 1, with
//! k = σgL/Y; with d the extension at the top, tip/L = (d²/2 + d³ + 3d⁴/8)/k.
//!
//! In n rows of triangles the row i carries the lumped mass below its middle: λᵢ(λᵢ²−1)/2 = k(1 − (i+½)/n), exactly, if every
//! node of a row carries the same mass. The corners at the lower end of a flat sheet do not: one belongs to one triangle and one to
//! two, a third and two thirds of a cell where a half is due. So the rows are measured on a sleeve, which has no sides: its
//! threads hang straight down and its polygon keeps its size. The flat sheet is measured on both meshes against the curve.

use super::setup::{self, MESH};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};
use glam::{DVec2, DVec3};
use std::f64::consts::TAU;
use toile_core::fabric::{Fabric, Material};
use toile_core::law::Linear;
use toile_core::mesh::{Diagonal, Grid, Mesh};
use toile_core::system::{Builder, State, System};

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "M-03",
    title: "sheet hanging from its top edge",
    source: "Volino09 eq. (11), closed form of one dimension, exact and for rows of elements",
    parameters: &[
        Parameter::number("modulus", 50.0, [1e-3, 1e9], "N/m", "membrane modulus Y"),
        Parameter::number("low", 0.001, [1e-6, 10.0], "–", "smallest load k = σgL/Y"),
        Parameter::number("high", 2.0, [1e-6, 10.0], "–", "largest load k"),
        Parameter::number("load", 1.0, [1e-6, 10.0], "–", "load k of the refinement"),
        Parameter::number("length", 0.5, [1e-3, 10.0], "m", "rest length L"),
        Parameter::number("width", 0.2, [1e-3, 10.0], "m", "rest width"),
        Parameter::number("rows", 10.0, [2.0, 200.0], "–", "rows n of the sleeve, and of the coarsest sheet"),
        MESH,
    ],
    run,
};

/// Extension d of a stretch 1 + d that carries a force p over Y: d + 3d²/2 + d³/2 = p.
fn extension(p: f64) -> f64 {
    let mut d = p;
    for _ in 0..60 {
        d -= (d + 1.5 * d * d + 0.5 * d * d * d - p) / (1.0 + 3.0 * d + 1.5 * d * d);
    }
    d
}

/// Tip displacement over L of the continuous sheet.
fn exact_tip(k: f64) -> f64 {
    let d = extension(k);
    (0.5 * d * d + d * d * d + 0.375 * d.powi(4)) / k
}

/// Displacement over L at the rest depth X (of 1) of the continuous sheet: what the tip gains from all rows above X.
fn exact_displacement(k: f64, depth: f64) -> f64 {
    exact_tip(k) - if depth < 1.0 { (1.0 - depth) * exact_tip(k * (1.0 - depth)) } else { 0.0 }
}

/// Tip displacement over L of n rows.
fn discrete_tip(k: f64, n: usize) -> f64 {
    (0..n).map(|i| extension(k * (1.0 - (i as f64 + 0.5) / n as f64))).sum::<f64>() / n as f64
}

struct Setup {
    fabric: Fabric,
    size: [f64; 2],
    modulus: f64,
    kind: &'static str,
}

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let (modulus, kind) = (settings.number("modulus"), settings.word("mesh"));
    let fabric = setup::fabric(Material::elastic(Linear::isotropic(modulus, 0.0)?), 0.2)?;
    let setup = Setup { fabric, size: [settings.number("length"), settings.number("width")], modulus, kind };
    let (rows, load) = (settings.count("rows"), settings.number("load"));
    let mut outcome = Outcome::default();
    let tips = setup.sleeves(settings, rows, &mut outcome)?;
    let refined = setup.refine(load, rows, &mut outcome)?;
    outcome.plots.push(("stretch".into(), stretch_plot(load, refined.profile).into()));
    outcome.plots.push(("tip".into(), tip_plot(rows, tips).into()));
    outcome.plots.push(("convergence".into(), convergence_plot(kind, load, refined.errors).into()));
    Ok(outcome)
}

fn stretch_plot(load: f64, profile: Vec<[f64; 2]>) -> Plot {
    let at = |i: i32| f64::from(i) / 200.0;
    let curve = (0..=200).map(|i| [at(i), 1.0 + extension(load * (1.0 - at(i)))]).collect();
    Plot {
        title: format!("Hanging sheet, σgL/Y = {load}"),
        x: Axis::new("rest depth X/L (–)"),
        y: Axis::new("stretch λ (–)"),
        series: vec![Series::new("closed form", Style::Line, curve), Series::new("triangles", Style::Points, profile)],
        is_equal: false,
    }
}

fn tip_plot(rows: usize, tips: Vec<[f64; 2]>) -> Plot {
    let of = |value: fn(f64) -> f64| tips.iter().map(|p| [p[0], value(p[0])]).collect();
    let series = vec![
        Series::new("closed form", Style::Line, of(exact_tip)),
        Series::new("small strain: k/2", Style::Dashed, of(|k| 0.5 * k)),
        Series::new(format!("{rows} rows"), Style::Points, tips),
    ];
    Plot {
        title: "Tip of a hanging sheet by its load".into(),
        x: Axis::log("load σgL/Y (–)"),
        y: Axis::log("tip displacement over L (–)"),
        series,
        is_equal: false,
    }
}

fn convergence_plot(kind: &str, load: f64, errors: Vec<[f64; 2]>) -> Plot {
    let first = errors[0];
    let second = errors.iter().map(|e| [e[0], first[1] * (e[0] / first[0]).powi(2)]).collect();
    Plot {
        title: format!("Displacement of a flat sheet, k = {load}"),
        x: Axis::log("triangles^(−1/2) (–)"),
        y: Axis::log("mean error over the tip displacement (–)"),
        series: vec![Series::new(kind, Style::Points, errors), Series::new("slope 2", Style::Dashed, second)],
        is_equal: false,
    }
}

/// Three flat sheets.
struct Refined {
    /// Error of the displacement over triangles^(−½).
    errors: Vec<[f64; 2]>,
    /// λ(X) of the coarsest.
    profile: Vec<[f64; 2]>,
}

impl Setup {
    /// Gravity that gives the load k.
    fn gravity(&self, k: f64) -> f64 {
        k * self.modulus / (self.fabric.density * self.size[0])
    }

    fn settle(&self, system: &System, k: f64) -> Result<State, ExperimentError> {
        let mut state = system.initial_state();
        // Stretched evenly to start with: a heavy sheet would tear at its first row otherwise.
        let top = 1.0 + exact_tip(k);
        for (x, free) in state.positions.iter_mut().zip(system.free()) {
            x.x *= if free[0] { top } else { 1.0 };
        }
        setup::settle(system, &mut state, 1e-14 * self.modulus * self.size[0])?;
        Ok(state)
    }

    /// Tips of sleeves over the range of loads.
    fn sleeves(&self, settings: &Settings, rows: usize, out: &mut Outcome) -> Result<Vec<[f64; 2]>, ExperimentError> {
        let (low, high) = (settings.number("low"), settings.number("high"));
        let mesh = sleeve(self.size, [rows, 6]);
        let mut tips = Vec::new();
        for step in 0..7 {
            let k = low * (high / low).powf(f64::from(step) / 6.0);
            let system = self.hung(&mesh, [false, true, true], k)?;
            let state = self.settle(&system, k)?;
            let tip = self.tip(&mesh, &state);
            let quantity = format!("tip/L of {rows} rows, k = {k:.4}");
            out.checks.push(Check::against(quantity, tip, "–", discrete_tip(k, rows), Tolerance::Relative(1e-8)));
            let weight = system.total_mass() * self.gravity(k);
            let held = -system.reaction(&state, 1).x;
            out.checks.push(Check::against(
                format!("force of the grip, k = {k:.4}"),
                held,
                "N",
                weight,
                Tolerance::Relative(1e-8),
            ));
            tips.push([k, tip]);
        }
        Ok(tips)
    }

    fn hung(&self, mesh: &Mesh, rails: [bool; 3], k: f64) -> Result<System, ExperimentError> {
        let builder = Builder::new(mesh, &self.fabric).bending("none").gravity(DVec3::new(self.gravity(k), 0.0, 0.0));
        let (all, top) = (mesh.vertices_where(|_| true), setup::vertices_at(mesh, 0, 0.0));
        Ok(builder.grip("rails", all, rails).pin("top", top).build()?)
    }

    /// Mean displacement of the lower end over L.
    fn tip(&self, mesh: &Mesh, state: &State) -> f64 {
        let lower = setup::vertices_at(mesh, 0, self.size[0]);
        let mean = lower.iter().map(|&n| state.positions[n as usize].x).sum::<f64>() / lower.len() as f64;
        mean / self.size[0] - 1.0
    }

    /// Root mean square error of the displacement over the tip displacement. A single point on an irregular mesh may be right by
    /// chance; all of them are not.
    fn error(&self, mesh: &Mesh, state: &State, k: f64) -> f64 {
        let length = self.size[0];
        let square =
            |(rest, x): (&DVec3, &DVec3)| ((x.x - rest.x) / length - exact_displacement(k, rest.x / length)).powi(2);
        let sum: f64 = mesh.positions.iter().zip(&state.positions).map(square).sum();
        (sum / mesh.vertex_count() as f64).sqrt() / exact_tip(k)
    }

    /// Refines the flat sheet twice.
    fn refine(&self, k: f64, rows: usize, out: &mut Outcome) -> Result<Refined, ExperimentError> {
        let (mut errors, mut profile) = (Vec::new(), Vec::new());
        for level in 0..3 {
            let mesh = setup::rectangle(self.kind, self.size, self.size[0] / (rows << level) as f64)?;
            let system = self.hung(&mesh, [false, true, false], k)?;
            let state = self.settle(&system, k)?;
            let tip = self.tip(&mesh, &state);
            errors.push([(mesh.triangles.len() as f64).powf(-0.5), self.error(&mesh, &state, k)]);
            out.checks.push(Check::report(
                format!("tip/L of a flat sheet, {} triangles", mesh.triangles.len()),
                tip,
                "–",
            ));
            if level == 0 {
                for (t, s) in mesh.triangles.iter().zip(system.triangle_states(&state)) {
                    let depth = t.iter().map(|&v| mesh.positions[v as usize].x).sum::<f64>() / 3.0;
                    profile.push([depth / self.size[0], (1.0 + 2.0 * s.strain[0]).sqrt()]);
                }
            }
        }
        let finest = errors[2][1];
        out.checks.push(Check::report("error of the displacement, finest sheet", finest, "–"));
        let quantity = format!("order of the displacement of a flat sheet, k = {k}");
        out.checks.push(Check::against(quantity, setup::slope(&errors), "–", 2.0, Tolerance::Absolute(0.25)));
        Ok(Refined { errors, profile })
    }
}

/// A polygonal tube about the x axis whose circumference is the width; u runs along x.
fn sleeve(size: [f64; 2], cells: [usize; 2]) -> Mesh {
    let flat = Grid { cells, size, diagonal: Diagonal::One }.mesh();
    let [rows, around] = cells;
    let radius = 0.5 * size[1] / (around as f64 * (0.5 * TAU / around as f64).sin());
    let place = |p: &DVec3| {
        let turn = DVec2::from_angle(TAU * -p.z / size[1]);
        DVec3::new(p.x, -radius * turn.y, -radius * turn.x)
    };
    let count = ((rows + 1) * around) as u32;
    Mesh {
        positions: flat.positions[..count as usize].iter().map(place).collect(),
        // The last line of vertices is the first one again.
        triangles: flat.triangles.iter().map(|t| t.map(|v| v % count)).collect(),
        material: flat.material,
    }
}

#[cfg(test)]
mod tests {
    use super::super::reference;
    use super::*;

    /// The stored table, made elsewhere, agrees with both closed forms.
    #[test]
    fn closed_forms_are_those_of_the_table() {
        let table = reference::table("M-03").unwrap();
        let column = |name: &str| table.numbers(name).unwrap();
        for (i, k) in column("sigma*g*L/Y").into_iter().enumerate() {
            let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 2e-8, "k = {k}: {a} {b}");
            close(exact_tip(k), column("tip_displacement/L_exact")[i]);
            for (n, name) in [(5, "discrete_n5"), (10, "discrete_n10"), (20, "discrete_n20")] {
                close(discrete_tip(k, n), column(name)[i]);
            }
            close(1.0 + extension(k), column("top_stretch")[i]);
        }
    }

    #[test]
    fn other_sheets_hang_alike() {
        let changes = [("rows", "7"), ("load", "0.3"), ("modulus", "900"), ("length", "0.31"), ("low", "0.02")];
        setup::expect_bands(&EXPERIMENT, &changes);
    }

    #[test]
    fn sleeve_keeps_its_flat_shape() {
        let mesh = sleeve([0.5, 0.2], [4, 6]);
        mesh.check().unwrap();
        for (t, m) in mesh.triangles.iter().zip(&mesh.material) {
            for (i, j) in [(0, 1), (1, 2), (2, 0)] {
                let length = mesh.positions[t[i] as usize].distance(mesh.positions[t[j] as usize]);
                assert!((length - m[i].distance(m[j])).abs() < 1e-15);
            }
        }
    }
}
