//! M-04: simple shear, all four edges led along x = u + γv. Closed form over Y, per rest length:
//!
//! τ = γ/2(1+ν) + γ³/2(1−ν²) along the edges that slide, N = γ²/2(1−ν²) across them, and γ²(1/2(1+ν) + ν/2(1−ν²)) across the others.
//! A factor of two in the shear strain shows here first (engineering shear, VALIDATION trap 5). Inner nodes start disturbed and
//! find their places. Forces are mean nominal stresses from the work of the rim, P = Σ R⊗X / A.

use super::setup::{self, MESH};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};
use glam::DVec3;
use toile_core::fabric::Material;
use toile_core::law::Linear;

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "M-04",
    title: "simple shear, tangential and normal force",
    source: "Volino09 eq. (9) and (15), closed form of simple shear",
    parameters: &[
        Parameter::number("modulus", 1000.0, [1e-3, 1e9], "N/m", "membrane modulus Y"),
        Parameter::number("poisson_low", 0.0, [-0.9, 0.9], "–", "first Poisson ratio"),
        Parameter::number("poisson_high", 0.3, [-0.9, 0.9], "–", "second Poisson ratio"),
        Parameter::number("low", 0.01, [1e-4, 2.0], "–", "smallest shear γ"),
        Parameter::number("high", 0.5, [1e-4, 2.0], "–", "largest shear γ"),
        Parameter::number("steps", 6.0, [2.0, 100.0], "–", "values of γ"),
        Parameter::number("length", 0.2, [1e-3, 10.0], "m", "length of the sliding edges"),
        Parameter::number("height", 0.05, [1e-3, 10.0], "m", "distance between them"),
        Parameter::number("divisions", 6.0, [2.0, 50.0], "–", "elements along the height"),
        MESH,
    ],
    run,
};

/// τ, N and the normal force across the other edges, over Y.
fn exact(poisson: f64, g: f64) -> [f64; 3] {
    let (shear, plate) = (0.5 / (1.0 + poisson), 1.0 - poisson * poisson);
    [shear * g + 0.5 * g.powi(3) / plate, 0.5 * g * g / plate, shear * g * g + 0.5 * poisson * g * g / plate]
}

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let (low, high, steps) = (settings.number("low"), settings.number("high"), settings.count("steps"));
    let mut outcome = Outcome::default();
    let mut series = Vec::new();
    for (k, name) in ["poisson_low", "poisson_high"].into_iter().enumerate() {
        let poisson = settings.number(name);
        let mut measured = [Vec::new(), Vec::new()];
        for step in 0..steps {
            let g = low + (high - low) * step as f64 / (steps - 1) as f64;
            let forces = sheared(settings, poisson, g)?;
            let names = ["tangential", "normal", "normal, other edges"];
            for (m, (value, reference)) in forces.into_iter().zip(exact(poisson, g)).enumerate() {
                let quantity = format!("{} force/Y at ν = {poisson}, γ = {g:.4}", names[m]);
                outcome.checks.push(Check::against(quantity, value, "–", reference, Tolerance::Relative(1e-8)));
            }
            measured[0].push([g, forces[0]]);
            measured[1].push([g, forces[1]]);
        }
        for (m, points) in measured.into_iter().enumerate() {
            let curve = (0..=100).map(|i| high * f64::from(i) / 100.0).map(|g| [g, exact(poisson, g)[m]]).collect();
            let (letter, colour) = (["τ", "N"][m], Some(2 * k + m));
            series.push(Series { colour, ..Series::new(format!("{letter}, ν = {poisson}"), Style::Line, curve) });
            series.push(Series { colour, ..Series::new("", Style::Points, points) });
        }
    }
    let plot = Plot {
        title: "Simple shear: closed form (lines) and sheet (marks)".into(),
        x: Axis::new("shear γ (–)"),
        y: Axis::new("force per length over Y (–)"),
        series,
        is_equal: false,
    };
    outcome.plots.push(("shear".into(), plot.into()));
    Ok(outcome)
}

/// Forces per length over Y, in the order of [`exact`].
fn sheared(settings: &Settings, poisson: f64, g: f64) -> Result<[f64; 3], ExperimentError> {
    let (size, modulus) = ([settings.number("length"), settings.number("height")], settings.number("modulus"));
    let edge = size[1] / settings.number("divisions").round();
    let rest = setup::rectangle(settings.word("mesh"), size, edge)?;
    let fabric = setup::fabric(Material::elastic(Linear::isotropic(modulus, poisson)?), 0.1)?;
    let laid = setup::laid_out(&rest, |p| DVec3::new(p.x - g * p.z, p.y, p.z));
    let system = setup::in_plane(&laid, &fabric).pin("rim", setup::rim(&rest, size)).build()?;
    let mut state = system.initial_state();
    setup::nudge(&system, &mut state, 0.1 * edge);
    setup::settle(&system, &mut state, 1e-14 * modulus * size[0].max(size[1]))?;
    let [along_u, along_v] = setup::mean_stress(&rest, &state);
    Ok([along_v.x / modulus, along_v.y / modulus, along_u.x / modulus])
}

#[cfg(test)]
mod tests {
    use super::super::reference;
    use super::*;

    /// The stored table, made elsewhere, agrees with the closed form.
    #[test]
    fn closed_form_is_that_of_the_table() {
        let table = reference::table("M-04").unwrap();
        let column = |name: &str| table.numbers(name).unwrap();
        let names =
            ["tangential_force_per_len/Y", "normal_force_per_len/Y(along_height)", "normal_force_per_len/Y(across)"];
        for (m, name) in names.iter().enumerate() {
            for (i, f) in column(name).into_iter().enumerate() {
                let e = exact(column("nu")[i], column("gamma")[i])[m];
                assert!((e - f).abs() < 1e-8 * f.abs(), "{name}: {e} {f}");
            }
        }
    }

    #[test]
    fn other_sheets_shear_alike() {
        setup::expect_bands(
            &EXPERIMENT,
            &[("poisson_low", "-0.4"), ("poisson_high", "0.6"), ("steps", "3"), ("height", "0.11")],
        );
    }
}
