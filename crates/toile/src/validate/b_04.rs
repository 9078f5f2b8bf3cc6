//! B-04: lateral buckling of a plate on edge under its own weight. Source: Romero21 (lateral buckling test).
//!
//! A plate L × w stands in a vertical plane, clamped on one vertical edge. At Γ* = σ g L³/D it tips over sideways and twists.
//! References: Ritz' method for any plate
//! ([`edgewise`]); stored, Γ* = 18.47 (ν = 0.3) and 22.0 (ν = 0) at w/L = 0.3; for w/L → 0, 12.8538 √(2(1−ν)(1−ν²)).
//!
//! Γ* is where the lowest eigenvalue of the Hessian about the flat equilibrium passes zero: no imperfection, no threshold. The fork
//! is drawn with a small sideways load at the tip, which picks a side. Slender plates approach the limit linearly in w/L, because
//! the clamp hinders warping over a length w: the limit is read from the line through w/L = 0.05 and 0.1.

use super::strips::{self, BENDING, DENSITY, INEXTENSIBILITY, LENGTH, MESH, RIGIDITY, Strip};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance, edgewise, elastica};
use crate::plot::{Axis, Plot, Series, Style};
use glam::DVec3;
use toile_core::force::Load;
use toile_core::integrate::{ModeOptions, modes, relax};
use toile_core::system::System;

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "B-04",
    title: "lateral buckling of a plate on edge",
    source: "Romero21 lateral buckling test",
    parameters: &[
        Parameter::number("ratio", 0.3, [0.02, 1.0], "–", "width over length w/L"),
        Parameter::number("poisson", 0.3, [0.0, 0.49], "–", "Poisson ratio ν"),
        Parameter::number("elements", 32.0, [8.0, 200.0], "–", "elements along the plate"),
        Parameter::number("reach", 1.5, [1.05, 3.0], "–", "end of the fork, of Γ*"),
        LENGTH,
        RIGIDITY,
        DENSITY,
        INEXTENSIBILITY,
        MESH,
        BENDING,
    ],
    run,
};

/// Γ* at w/L = 0.3 by Poisson ratio, Romero21.
const STORED: [[f64; 2]; 2] = [[0.3, 18.47], [0.0, 22.0]];

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let (ratio, poisson, elements) = (settings.number("ratio"), settings.number("poisson"), settings.count("elements"));
    let band = Tolerance::Relative(0.05);
    let mut outcome = Outcome::default();
    let first = critical(settings, ratio, poisson, elements)?;
    let mut found = vec![[poisson, first]];
    if poisson != 0.0 {
        found.push([0.0, critical(settings, ratio, 0.0, elements)?]);
    }
    for [nu, value] in found {
        let quantity = format!("Γ* at w/L = {ratio}, ν = {nu}");
        let exact = edgewise::critical_weight(ratio, nu);
        outcome.checks.push(Check::against(format!("{quantity}, against Ritz"), value, "–", exact, band));
        if let Some([_, stored]) = STORED.iter().find(|s| s[0] == nu && !settings.is_changed("ratio")) {
            outcome.checks.push(Check::against(format!("{quantity}, against Romero21"), value, "–", *stored, band));
        }
    }
    // Four elements across at least.
    let (wide, narrow) = (critical(settings, 0.1, poisson, 40)?, critical(settings, 0.05, poisson, 80)?);
    let limit = 12.8538 * (2.0 * (1.0 - poisson) * (1.0 - poisson * poisson)).sqrt();
    let quantity = format!("Γ* as w/L → 0, ν = {poisson}");
    outcome.checks.push(Check::against(quantity, 2.0 * narrow - wide, "–", limit, band));
    outcome.plots.push(("fork".into(), fork(settings, first)?.into()));
    Ok(outcome)
}

/// The plate in the plane of x and z; gravity along z.
struct Plate {
    strip: Strip,
}

impl Plate {
    fn new(settings: &Settings, ratio: f64, poisson: f64, elements: usize) -> Result<Self, ExperimentError> {
        Ok(Self { strip: Strip::new(settings, ratio * settings.number("length"), poisson, elements)? })
    }

    /// At a weight Γ, with a sideways load at the tip in units of D w/L².
    fn system(&self, gamma: f64, sideways: f64) -> Result<System, ExperimentError> {
        let s = &self.strip;
        let g = gamma * s.rigidity / (s.fabric.density * s.length.powi(3));
        let push = sideways * s.rigidity * s.width / (s.length * s.length);
        let builder = s.builder().gravity(DVec3::new(0.0, 0.0, g)).clamp("edge", s.root.clone(), DVec3::Y);
        Ok(builder.force(Box::new(Load::shared(DVec3::new(0.0, push, 0.0), &s.tip))).build()?)
    }

    /// Lowest eigenvalue about the flat equilibrium, in units of D/(σL⁴).
    fn lowest(&self, gamma: f64) -> Result<f64, ExperimentError> {
        let s = &self.strip;
        let system = self.system(gamma, 0.0)?;
        let mut state = system.initial_state();
        let found = relax(&system, &mut state, &s.statics(), None)?;
        if !found.converged {
            let left = found.residual;
            return Err(ExperimentError::Failed(format!("no flat equilibrium at Γ = {gamma}: {left:e} N left")));
        }
        let unit = s.rigidity / (s.fabric.density * s.length.powi(4));
        let options = ModeOptions { shift: 20.0 * unit, tolerance: 1e-7, ..ModeOptions::default() };
        Ok(modes(&system, &state, &options)?[0].eigenvalue / unit)
    }
}

/// Γ* by the sign of the lowest eigenvalue.
fn critical(settings: &Settings, ratio: f64, poisson: f64, elements: usize) -> Result<f64, ExperimentError> {
    let plate = Plate::new(settings, ratio, poisson, elements)?;
    // The lowest eigenvalue falls from about 12, faster and faster: one secant from below and one from above close in.
    let mut high = 16.0;
    while plate.lowest(high)? > 0.0 {
        high *= 1.5;
        if high > 1e3 {
            return Err(ExperimentError::Failed(format!("no buckling up to Γ = {high:.0}")));
        }
    }
    elastica::find_root(|gamma| plate.lowest(gamma), high / 2.0, high, 1e-4)
}

/// Largest sideways displacement over Γ, tipping to either side.
fn fork(settings: &Settings, critical: f64) -> Result<Plot, ExperimentError> {
    let (ratio, poisson) = (settings.number("ratio"), settings.number("poisson"));
    let plate = Plate::new(settings, ratio, poisson, (settings.count("elements") / 2).max(8))?;
    let last = settings.number("reach") * critical;
    let gammas: Vec<f64> = (1..=30).map(|k| last * f64::from(k) / 30.0).collect();
    let mut series = Vec::new();
    for (name, side) in [("tipping to one side", 1.0), ("to the other", -1.0)] {
        let start = plate.system(0.0, 0.0)?.initial_state();
        let mut line = vec![[0.0, 0.0]];
        let system = |gamma: f64| plate.system(gamma, 0.002 * side);
        strips::follow(&plate.strip.statics(), (start, 0.0), &gammas, system, |gamma, _, state| {
            let most = state.positions[..plate.strip.mesh.vertex_count()].iter().map(|p| p.y.abs()).fold(0.0, f64::max);
            line.push([gamma, side * most / plate.strip.length]);
        })?;
        series.push(Series::new(name, Style::Line, line));
    }
    series.push(Series::new("Γ* from the eigenvalue", Style::Dashed, vec![[critical, -0.5], [critical, 0.5]]));
    Ok(Plot {
        title: format!("Plate on edge, w/L = {ratio}, ν = {poisson}"),
        x: Axis::new("Γ = σ g L³/D (–)"),
        y: Axis::new("largest sideways displacement/L (–)"),
        series,
        is_equal: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An irregular mesh and the cross-check model agree with the stored values too.
    #[test]
    fn band_holds_for_other_meshes_and_models() {
        for (mesh, bending) in [("unstructured", "midedge"), ("structured", "morley")] {
            let mut settings = Settings::defaults(&EXPERIMENT);
            for (name, value) in [("mesh", mesh), ("bending", bending), ("density", "0.25")] {
                settings.set(name, value).unwrap();
            }
            for [poisson, exact] in STORED {
                let found = critical(&settings, 0.3, poisson, 24).unwrap();
                assert!((found / exact - 1.0).abs() < 0.05, "{mesh} {bending} ν = {poisson}: {found} for {exact}");
            }
        }
    }
}
