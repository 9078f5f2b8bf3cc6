//! S0-6: is the Jacobian the derivative of the force, and the force that of the energy? Source: Volino09 §2.3, Fig. 8.
//!
//! A sheet is crumpled at random to strains around ±50 %. Along a random direction d the central difference of step s of the force must
//! approach the product K d of the system with s², down to rounding; likewise the energy and the force. K must be symmetric, a·Kb =
//! b·Ka, and rigid motion must neither cause nor change forces.

use super::setup::{self, MESH, Random};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};
use glam::{DQuat, DVec3};
use toile_core::fabric::Material;
use toile_core::law::{AnyLaw, Curve, Curves, Linear};
use toile_core::system::{Builder, State, System};

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S0-6",
    title: "Jacobian against differences, symmetry, rigid motion",
    source: "Volino09 §2.3, Fig. 8",
    parameters: &[
        Parameter::number("modulus", 1000.0, [1e-3, 1e9], "N/m", "membrane modulus Y"),
        Parameter::number("poisson", 0.3, [-0.9, 0.9], "–", "Poisson ratio of the linear law"),
        Parameter::number("strain", 0.5, [0.0, 0.9], "–", "size of the random strain"),
        Parameter::number("divisions", 8.0, [2.0, 50.0], "–", "elements along a side of 0.2 m"),
        Parameter::word(
            "membrane",
            &["green", "length", "corotational", "particle", "symmetric", "edge-springs"],
            "membrane model",
        ),
        Parameter::word("law", &["linear", "curves"], "linear law, or curves that stiffen"),
        MESH,
    ],
    run,
};

const SIDE: f64 = 0.2;

/// A crumpled sheet.
struct Crumpled {
    system: System,
    state: State,
    /// Mean edge length (m).
    edge: f64,
    modulus: f64,
}

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let sheet = Crumpled::new(settings)?;
    let mut random = Random(11);
    let count = sheet.state.positions.len();
    let [a, b] = [0, 1].map(|_| (0..count).map(|_| random.vector()).collect::<Vec<_>>());
    let mut outcome = Outcome::default();
    let strains = sheet.system.triangle_states(&sheet.state);
    if !strains.is_empty() {
        let of = |k: usize| strains.iter().map(move |t| t.strain[k]);
        let ends = of(0).chain(of(1)).fold((0f64, 0f64), |(l, h), s| (l.min(s), h.max(s)));
        outcome.checks.push(Check::report("smallest thread strain", ends.0, "–"));
        outcome.checks.push(Check::report("largest thread strain", ends.1, "–"));
    }
    let (force, jacobian) = sheet.differences(&a);
    for (name, errors) in [("force", &force), ("Jacobian", &jacobian)] {
        let least = errors.iter().map(|e| e[1]).fold(f64::INFINITY, f64::min);
        let quantity = format!("smallest relative error of the {name} against differences");
        outcome.checks.push(Check::against(quantity, least, "–", 0.0, Tolerance::Absolute(1e-6)));
        // The first steps: later ones meet rounding.
        let order = setup::slope(&errors[..5]);
        let quantity = format!("order of the error of the {name} in the step");
        outcome.checks.push(Check::against(quantity, order, "–", 2.0, Tolerance::Absolute(0.05)));
    }
    for (quantity, value) in sheet.invariance(&a, &b) {
        outcome.checks.push(Check::against(quantity, value, "–", 0.0, Tolerance::Absolute(1e-12)));
    }
    outcome.plots.push(("error".into(), plot(jacobian, force).into()));
    Ok(outcome)
}

fn plot(jacobian: Vec<[f64; 2]>, force: Vec<[f64; 2]>) -> Plot {
    let second = [0, 4].map(|k| [jacobian[k][0], jacobian[0][1] * (jacobian[k][0] / jacobian[0][0]).powi(2)]);
    Plot {
        title: "Error of the derivatives against central differences".into(),
        x: Axis::log("step over edge length (–)"),
        y: Axis::log("relative error (–)"),
        series: vec![
            Series::new("Jacobian of the force", Style::Points, jacobian),
            Series::new("force of the energy", Style::Points, force),
            Series::new("slope 2", Style::Dashed, second.to_vec()),
        ],
        is_equal: false,
    }
}

impl Crumpled {
    fn new(settings: &Settings) -> Result<Self, ExperimentError> {
        let (modulus, strain) = (settings.number("modulus"), settings.number("strain"));
        let edge = SIDE / settings.number("divisions").round();
        let mesh = setup::rectangle(settings.word("mesh"), [SIDE; 2], edge)?;
        let elastic = match settings.word("law") {
            "curves" => {
                let curve = |e: f64| Curve::polynomial(vec![0.0, e, 0.0, 5.0 * e]);
                AnyLaw::Curves(Curves::new(curve(modulus)?, curve(1.7 * modulus)?, curve(0.2 * modulus)?))
            }
            _ => AnyLaw::Linear(Linear::isotropic(modulus, settings.number("poisson"))?),
        };
        let fabric = setup::fabric(Material { elastic, viscous: None, memory: Vec::new() }, 0.1)?;
        let builder = Builder::new(&mesh, &fabric).membrane(settings.word("membrane")).bending("none");
        let system = builder.gravity(DVec3::ZERO).build()?;
        let mut state = system.initial_state();
        let mut random = Random(3);
        // Two ends of an edge move apart by up to twice the size of the noise, on average by half of that.
        state.positions.iter_mut().for_each(|x| *x += 0.35 * strain * edge * random.vector());
        Ok(Self { system, state, edge, modulus })
    }

    fn moved(&self, direction: &[DVec3], share: f64) -> State {
        let mut state = self.state.clone();
        state.positions.iter_mut().zip(direction).for_each(|(x, d)| *x += share * *d);
        state
    }

    /// Relative errors of force and Jacobian along d over the step, in edge lengths.
    fn differences(&self, d: &[DVec3]) -> (Vec<[f64; 2]>, Vec<[f64; 2]>) {
        let product = self.system.jacobian_product(&self.state, d);
        let push = dot(&self.system.total_forces(&self.state), d);
        let (mut force, mut jacobian) = (Vec::new(), Vec::new());
        for k in 2..=12 {
            let share = 10f64.powf(-0.5 * f64::from(k));
            let step = share * self.edge;
            let (up, down) = (self.moved(d, step), self.moved(d, -step));
            let energy = |s: &State| self.system.energies(s).elastic();
            let slope = (energy(&down) - energy(&up)) / (2.0 * step);
            force.push([share, (slope / push - 1.0).abs()]);
            let (fu, fd) = (self.system.total_forces(&up), self.system.total_forces(&down));
            let apart: Vec<DVec3> = (0..fu.len()).map(|i| (fd[i] - fu[i]) / (2.0 * step) - product[i]).collect();
            jacobian.push([share, norm(&apart) / norm(&product)]);
        }
        (force, jacobian)
    }

    /// What must vanish.
    fn invariance(&self, a: &[DVec3], b: &[DVec3]) -> [(&'static str, f64); 4] {
        let (ka, kb) = (self.system.jacobian_product(&self.state, a), self.system.jacobian_product(&self.state, b));
        let turn = DQuat::from_scaled_axis(DVec3::new(0.7, -1.9, 0.4));
        let rigid = |state: &State| {
            let mut state = state.clone();
            state.positions.iter_mut().for_each(|x| *x = turn * *x + DVec3::new(0.3, -0.1, 0.2));
            self.system.total_forces(&state)
        };
        let forces = self.system.total_forces(&self.state);
        let turned = rigid(&self.state);
        let apart: Vec<DVec3> = forces.iter().zip(&turned).map(|(f, t)| turn * *f - *t).collect();
        let rest = rigid(&self.system.initial_state());
        let net: DVec3 = forces.iter().sum();
        let scale = self.modulus * self.edge * (forces.len() as f64).sqrt();
        [
            ("asymmetry of the Jacobian, over |a||Kb|", (dot(a, &kb) - dot(b, &ka)).abs() / (norm(a) * norm(&kb))),
            ("force on a sheet at rest that was turned and moved, over Y", norm(&rest) / scale),
            ("change of the forces when the crumpled sheet is turned", norm(&apart) / norm(&forces)),
            ("sum of all forces", net.length() / norm(&forces)),
        ]
    }
}

fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

fn norm(a: &[DVec3]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every membrane model, with both laws.
    #[test]
    fn every_membrane_has_its_jacobian() {
        for membrane in ["length", "corotational", "particle", "symmetric", "edge-springs"] {
            setup::expect_bands(&EXPERIMENT, &[("membrane", membrane), ("strain", "0.3")]);
        }
        setup::expect_bands(&EXPERIMENT, &[("law", "curves")]);
    }
}
