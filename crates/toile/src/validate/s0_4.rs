//! S0-4: a square hangs from two corners, with a linear law and with one that stiffens from the same initial modulus.
//! Source: Volino09 Fig. 5.
//!
//! Both hold the same weight, which the reactions must equal. The linear sheet concentrates strain at the pinned corners; the
//! stiffening one, σ = Eε(1 + (ε/ε₀)²) in all three modes, cannot and spreads it: the ratio of the largest to the median strain must at
//! least be halved. Strain here is the larger principal strain of a triangle. The corners are singular, so that ratio belongs to a
//! mesh; the comparison does not. The sheet stays in its plane.

use super::setup::{self, MESH};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::Picture;
use glam::DVec3;
use toile_core::fabric::Material;
use toile_core::law::{AnyLaw, Curve, Curves};

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S0-4",
    title: "square pinned at two corners, linear and stiffening",
    source: "Volino09 Fig. 5",
    parameters: &[
        Parameter::number("modulus", 100.0, [1e-1, 1e6], "N/m", "initial weft and warp modulus E"),
        Parameter::number("shear", 50.0, [1e-1, 1e6], "N/m", "initial shear modulus"),
        Parameter::number(
            "onset",
            0.01,
            [1e-4, 1.0],
            "–",
            "strain ε₀ at which the stiffening law carries twice the linear one",
        ),
        Parameter::number("density", 0.2, [1e-3, 10.0], "kg/m²", "mass per area"),
        Parameter::number("size", 1.0, [1e-2, 10.0], "m", "side of the square"),
        Parameter::number("divisions", 20.0, [4.0, 100.0], "–", "elements along a side"),
        MESH,
    ],
    run,
};

/// What one law did.
struct Hung {
    held: f64,
    weight: f64,
    largest: f64,
    median: f64,
    pictures: [Picture; 2],
}

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let onset = settings.number("onset");
    let mut outcome = Outcome::default();
    let mut ratios = Vec::new();
    for (name, cubic) in [("linear", 0.0), ("stiffening", 1.0 / (onset * onset))] {
        let Hung { held, weight, largest, median, pictures } = hang(settings, name, cubic)?;
        let reaction = format!("force of the two pins, {name} law");
        outcome.checks.push(Check::against(reaction, held, "N", weight, Tolerance::Relative(1e-6)));
        outcome.checks.push(Check::report(format!("largest strain, {name} law"), largest, "–"));
        outcome.checks.push(Check::report(format!("median strain, {name} law"), median, "–"));
        outcome.plots.extend(["strain", "stress"].map(|p| format!("{p}-{name}")).into_iter().zip(pictures));
        ratios.push((largest, largest / median));
    }
    let [(linear, flat), (stiff, even)] = [ratios[0], ratios[1]];
    outcome.checks.push(Check::against(
        "largest strain, stiffening over linear",
        stiff / linear,
        "–",
        1.0,
        Tolerance::AtMost,
    ));
    let quantity = "largest over median strain, stiffening over linear";
    outcome.checks.push(Check::against(quantity, even / flat, "–", 0.5, Tolerance::AtMost));
    Ok(outcome)
}

fn hang(settings: &Settings, name: &str, cubic: f64) -> Result<Hung, ExperimentError> {
    let (side, density) = (settings.number("size"), settings.number("density"));
    let mesh = setup::rectangle(settings.word("mesh"), [side; 2], side / settings.number("divisions").round())?;
    let curve = |e: f64| Curve::polynomial(vec![0.0, e, 0.0, cubic * e]);
    let (thread, shear) = (settings.number("modulus"), settings.number("shear"));
    let law = AnyLaw::Curves(Curves::new(curve(thread)?, curve(thread)?, curve(shear)?));
    let fabric = setup::fabric(Material { elastic: law, viscous: None, memory: Vec::new() }, density)?;
    let gravity = DVec3::new(9.81, 0.0, 0.0);
    let corners = mesh.vertices_where(|p| p.x == 0.0 && (p.z == 0.0 || (p.z + side).abs() < 1e-9 * side));
    let system = setup::in_plane(&mesh, &fabric).gravity(gravity).pin("corners", corners).build()?;
    let mut state = system.initial_state();
    let weight = system.total_mass() * gravity.x;
    setup::settle(&system, &mut state, 1e-9 * weight)?;
    let states = system.triangle_states(&state);
    let strains: Vec<f64> =
        states.iter().map(|t| setup::principal([t.strain[0], t.strain[1], 0.5 * t.strain[2]])).collect();
    let stresses: Vec<f64> = states.iter().map(|t| setup::principal(t.stress)).collect();
    let mut sorted = strains.clone();
    sorted.sort_by(f64::total_cmp);
    let (largest, median) = (sorted[sorted.len() - 1], sorted[sorted.len() / 2]);
    let view = |p: DVec3| [-p.z, -p.x];
    let title = format!("Square pinned at two corners, {name} law");
    let picture = |label: &str, values| setup::map([&title, label], &mesh, &state, view, values).into();
    let pictures =
        [picture("larger principal strain (–)", strains), picture("larger principal stress (N/m)", stresses)];
    Ok(Hung { held: -system.reaction(&state, 1).x, weight, largest, median, pictures })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stiffening_spreads_the_strain_of_other_sheets() {
        setup::expect_bands(&EXPERIMENT, &[("divisions", "12"), ("size", "0.5"), ("modulus", "60"), ("shear", "20")]);
    }
}
