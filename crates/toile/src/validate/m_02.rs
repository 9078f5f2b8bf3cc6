//! M-02: three homogeneous stretches of the Saint Venant–Kirchhoff sheet. Closed form, with e = (λ²−1)/2:
//!
//! | mode        | held                   | force per width over Y | sides                        |
//! |-------------|------------------------|------------------------|------------------------------|
//! | uniaxial    | two edges, x only      | λe                     | free: lateral √(1−2νe)       |
//! | strip       | and the sides, z only  | λe/(1−ν²)              | held at 1: force νe/(1−ν²)   |
//! | equibiaxial | the same, both moved   | λe/(1−ν)               | the same force               |
//!
//! Pulled sheets start from a disturbed shape with its old width and find everything but the position of the held edges by
//! themselves. Compressed ones are led: below λ = 1/√3 the force falls while the sheet shortens and the uniform state, which
//! is the reference, is an equilibrium that a free sheet would leave. There every node is led along x (uniaxial: its width is
//! still found) or in both directions, and no inner node may need any force for that.

use super::setup::{self, MESH};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};
use glam::DVec3;
use toile_core::fabric::{Fabric, Material};
use toile_core::law::Linear;
use toile_core::mesh::Mesh;

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "M-02",
    title: "uniaxial, strip biaxial and equibiaxial stretch",
    source: "Volino09 eq. (3) and (9), closed form",
    parameters: &[
        Parameter::number("modulus", 1000.0, [1e-3, 1e9], "N/m", "membrane modulus Y"),
        Parameter::number("poisson_low", 0.0, [-0.9, 0.9], "–", "first of three Poisson ratios"),
        Parameter::number("poisson_high", 0.5, [-0.9, 0.9], "–", "last of three Poisson ratios"),
        Parameter::number("low", 0.3, [0.05, 0.99], "–", "smallest stretch"),
        Parameter::number("high", 1.5, [1.01, 3.0], "–", "largest stretch"),
        Parameter::number("steps", 9.0, [2.0, 100.0], "–", "stretches"),
        Parameter::number("length", 0.12, [1e-3, 10.0], "m", "rest length along the pull"),
        Parameter::number("width", 0.1, [1e-3, 10.0], "m", "rest width"),
        Parameter::number("divisions", 5.0, [1.0, 50.0], "–", "elements along the width"),
        MESH,
    ],
    run,
};

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Uniaxial,
    Strip,
    Equibiaxial,
}

const MODES: [(Mode, &str); 3] =
    [(Mode::Uniaxial, "uniaxial"), (Mode::Strip, "strip biaxial"), (Mode::Equibiaxial, "equibiaxial")];

impl Mode {
    /// Forces per width along and across the pull over Y, and the lateral stretch.
    fn exact(self, poisson: f64, stretch: f64) -> [f64; 3] {
        let e = 0.5 * (stretch * stretch - 1.0);
        let plate = 1.0 - poisson * poisson;
        match self {
            Self::Uniaxial => [stretch * e, 0.0, (1.0 - 2.0 * poisson * e).sqrt()],
            Self::Strip => [stretch * e / plate, poisson * e / plate, 1.0],
            Self::Equibiaxial => [stretch * e / (1.0 - poisson), stretch * e / (1.0 - poisson), stretch],
        }
    }
}

/// The sheet of one Poisson ratio.
struct Sample {
    rest: Mesh,
    fabric: Fabric,
    size: [f64; 2],
    modulus: f64,
}

/// What was measured, in the order of [`Mode::exact`], and the largest force on a led inner node over Y w.
struct Pulled {
    values: [f64; 3],
    astray: f64,
}

impl Sample {
    fn pull(&self, mode: Mode, stretch: f64) -> Result<Pulled, ExperimentError> {
        let [length, width] = self.size;
        let lateral = if mode == Mode::Equibiaxial { stretch } else { 1.0 };
        let laid = setup::laid_out(&self.rest, |p| DVec3::new(stretch * p.x, p.y, lateral * p.z));
        let [near, far] = [0.0, length].map(|x| setup::vertices_at(&self.rest, 0, x));
        let [side, other] = [0.0, -width].map(|z| setup::vertices_at(&self.rest, 2, z));
        let (along, across) = ([true, false, false], [false, false, true]);
        let mut builder = setup::in_plane(&laid, &self.fabric);
        let led = stretch < 1.0;
        let all = || self.rest.vertices_where(|_| true);
        builder = if led { builder.grip("led", all(), along) } else { builder.grip("near", near.clone(), along) };
        builder = builder.grip("far", far.clone(), along);
        builder = match (mode, led) {
            (Mode::Uniaxial, _) => builder.grip("origin", vec![side[0]], across),
            (_, true) => builder.grip("led across", all(), across),
            (_, false) => builder.grip("sides", [side.clone(), other.clone()].concat(), across),
        };
        let system = builder.build()?;
        let mut state = system.initial_state();
        if !led || mode == Mode::Uniaxial {
            setup::nudge(&system, &mut state, 0.01 * width);
        }
        setup::settle(&system, &mut state, 1e-13 * self.modulus * width)?;
        let sum = |nodes: &[u32], axis: usize| nodes.iter().map(|&n| state.reactions[n as usize][axis]).sum::<f64>();
        let mean =
            |nodes: &[u32]| nodes.iter().map(|&n| state.positions[n as usize].z).sum::<f64>() / nodes.len() as f64;
        let rim = setup::rim(&self.rest, self.size);
        let inside = (0..self.rest.vertex_count()).filter(|n| !rim.contains(&(*n as u32)));
        Ok(Pulled {
            values: [
                sum(&far, 0) / (self.modulus * width),
                sum(&side, 2) / (self.modulus * length),
                (mean(&side) - mean(&other)) / width,
            ],
            astray: inside.map(|n| state.reactions[n].length()).fold(0.0, f64::max) / (self.modulus * width),
        })
    }
}

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let (low, high, steps) = (settings.number("low"), settings.number("high"), settings.count("steps"));
    let ends = [settings.number("poisson_low"), settings.number("poisson_high")];
    let mut outcome = Outcome::default();
    let (mut series, mut astray) = (Vec::new(), 0f64);
    for k in 0..3 {
        let poisson = ends[0] + 0.5 * f64::from(k) * (ends[1] - ends[0]);
        let sample = sample(settings, poisson)?;
        for (m, (mode, name)) in MODES.iter().enumerate() {
            let mut measured = Vec::new();
            for step in 0..steps {
                let stretch = low + (high - low) * step as f64 / (steps - 1) as f64;
                let exact = mode.exact(poisson, stretch);
                if !(exact[2] > 0.0) {
                    let what = format!("ν = {poisson}: the sides would meet before a stretch of {stretch}");
                    return Err(ExperimentError::Setup(what));
                }
                let pulled = sample.pull(*mode, stretch)?;
                astray = astray.max(pulled.astray);
                measured.push([stretch, pulled.values[0]]);
                judge(&mut outcome, &format!("{name}, ν = {poisson}, λ = {stretch:.4}"), *mode, &pulled.values, &exact);
            }
            let at = |i: i32| low + (high - low) * f64::from(i) / 200.0;
            let curve = (0..=200).map(|i| [at(i), mode.exact(poisson, at(i))[0]]).collect();
            // The uniaxial curve does not depend on ν, and without contraction the three modes are one: drawn once.
            let place = if m == 0 || poisson == 0.0 { 0 } else { 2 * k as usize + m };
            let colour = Some(place);
            if place > 0 || (k == 0 && m == 0) {
                let name = if m == 0 { "uniaxial, any ν".into() } else { format!("{name}, ν = {poisson}") };
                series.push(Series { colour, ..Series::new(name, Style::Line, curve) });
            }
            series.push(Series { colour, ..Series::new("", Style::Points, measured) });
        }
    }
    let quantity = "largest force on an inner node that is led, over Y w";
    outcome.checks.push(Check::against(quantity, astray, "–", 0.0, Tolerance::Absolute(1e-12)));
    outcome.plots.push(("force".into(), plot(series).into()));
    Ok(outcome)
}

fn plot(series: Vec<Series>) -> Plot {
    Plot {
        title: "Homogeneous stretch: closed form (lines) and sheet (marks)".into(),
        x: Axis::new("stretch λ (–)"),
        y: Axis::new("force per width over Y (–)"),
        series,
        is_equal: false,
    }
}

fn sample(settings: &Settings, poisson: f64) -> Result<Sample, ExperimentError> {
    let (size, modulus) = ([settings.number("length"), settings.number("width")], settings.number("modulus"));
    let rest = setup::rectangle(settings.word("mesh"), size, size[1] / settings.number("divisions").round())?;
    let fabric = setup::fabric(Material::elastic(Linear::isotropic(modulus, poisson)?), 0.1)?;
    Ok(Sample { rest, fabric, size, modulus })
}

fn judge(outcome: &mut Outcome, case: &str, mode: Mode, values: &[f64; 3], exact: &[f64; 3]) {
    let mut check = |what: &str, k: usize| {
        // Near λ = 1 and across a free side there is no force to compare with: what is left counts against Y.
        let tolerance = if exact[k].abs() > 1e-3 { Tolerance::Relative(1e-8) } else { Tolerance::Absolute(1e-11) };
        outcome.checks.push(Check::against(format!("{what}: {case}"), values[k], "–", exact[k], tolerance));
    };
    check("f/Y", 0);
    check("side force/Y", 1);
    if mode == Mode::Uniaxial {
        check("lateral stretch", 2);
    }
}

#[cfg(test)]
mod tests {
    use super::super::reference;
    use super::*;

    /// The stored table, made elsewhere, agrees with the closed form to its nine digits.
    #[test]
    fn closed_form_is_that_of_the_table() {
        let table = reference::table("M-02").unwrap();
        let column = |name: &str| table.numbers(name).unwrap();
        let (nu, stretch) = (column("nu"), column("stretch"));
        let names = ["uniaxial_force_per_width/Y", "strip_biaxial(lat=1)_force/Y", "equibiaxial_force/Y"];
        for (k, name) in names.iter().enumerate() {
            for (i, f) in column(name).into_iter().enumerate() {
                assert!((MODES[k].0.exact(nu[i], stretch[i])[0] - f).abs() < 1e-8 * f.abs());
            }
        }
        for (i, l) in column("uniaxial_lateral_stretch").into_iter().enumerate() {
            assert!((Mode::Uniaxial.exact(nu[i], stretch[i])[2] - l).abs() < 1e-8);
        }
        for (i, f) in column("strip_biaxial_lateral_force/Y").into_iter().enumerate() {
            assert!((Mode::Strip.exact(nu[i], stretch[i])[1] - f).abs() < 1e-8);
        }
    }

    #[test]
    fn other_sheets_follow_too() {
        let changes = [("steps", "4"), ("poisson_low", "-0.3"), ("poisson_high", "0.35"), ("width", "0.05")];
        setup::expect_bands(&EXPERIMENT, &changes);
    }
}
