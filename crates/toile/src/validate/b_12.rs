//! B-12: vibration of a clamped strip at small amplitude. Closed form: f = (βL)²/(2πL²)·√(B/σ) with cosh βL cos βL = −1.
//!
//! Two ways that share only the mesh: the lowest eigenvalues of stiffness over mass, and free vibrations in time. Each run starts at
//! rest in one mode shape of the beam, and its component along that shape is recorded; its period is the mean way between
//! crossings of zero. The scheme is the implicit midpoint rule, which keeps amplitude and, at ωh = 0.1, slows by (ωh)²/12 = 0.1 %.

use super::strips::{BENDING, DENSITY, INEXTENSIBILITY, LENGTH, MESH, RIGIDITY, Strip};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance, elastica};
use crate::plot::{Axis, Plot, Series, Style};
use glam::DVec3;
use std::f64::consts::{PI, TAU};
use toile_core::integrate::{Integrator, ModeOptions, Options, modes};
use toile_core::system::System;

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "B-12",
    title: "vibration of a clamped strip",
    source: "Euler44 vibrating beam, closed form",
    parameters: &[
        Parameter::number("amplitude", 1e-3, [1e-6, 5e-3], "–", "amplitude of the tip over L"),
        Parameter::number("periods", 3.0, [1.0, 100.0], "–", "periods per run"),
        Parameter::number("steps", 64.0, [16.0, 1000.0], "–", "time steps per period"),
        Parameter::number("elements", 48.0, [8.0, 400.0], "–", "elements along the strip"),
        LENGTH,
        Parameter::number("width", 0.02, [1e-4, 10.0], "m", "width w"),
        RIGIDITY,
        DENSITY,
        INEXTENSIBILITY,
        MESH,
        BENDING,
    ],
    run,
};

/// Modes looked at.
const COUNT: usize = 3;

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let strip = Strip::new(settings, settings.number("width"), 0.0, settings.count("elements"))?;
    let system = strip.builder().clamp("root", strip.root.clone(), DVec3::Y).build()?;
    let unit = (strip.rigidity / strip.fabric.density).sqrt() / (TAU * strip.length * strip.length);
    let betas: [f64; COUNT] = std::array::from_fn(beta);
    let exact = betas.map(|b| b * b * unit);
    let band = Tolerance::Relative(0.01);
    let mut outcome = Outcome::default();
    for (k, value) in eigenfrequencies(&system, &strip, exact[0])?.into_iter().enumerate() {
        outcome.checks.push(Check::against(format!("f{} from the eigenvalue", k + 1), value, "Hz", exact[k], band));
    }
    let mut series = Vec::new();
    for (k, beta) in betas.into_iter().enumerate() {
        let step = 1.0 / (exact[k] * settings.number("steps"));
        let signal = vibrate(settings, &strip, &system, (beta, TAU * exact[k]), step)?;
        let value = frequency(&signal, step).unwrap_or(f64::NAN);
        outcome.checks.push(Check::against(format!("f{} from a vibration", k + 1), value, "Hz", exact[k], band));
        series.push(Series::new(format!("started in mode {}", k + 1), Style::Line, spectrum(&signal, step, &exact)));
    }
    for (k, f) in exact.into_iter().enumerate() {
        let name = if k == 0 { "exact frequencies" } else { "" };
        let line = vec![[f, 1e-4], [f, 2.0]];
        series.push(Series { colour: Some(COUNT), ..Series::new(name, Style::Dashed, line) });
    }
    let plot = Plot {
        title: "Clamped strip: spectra of free vibrations".into(),
        x: Axis::log("frequency (Hz)"),
        y: Axis { range: Some([1e-4, 2.0]), ..Axis::log("amplitude over that of the start (–)") },
        series,
        is_equal: false,
    };
    outcome.plots.push(("spectrum".into(), plot.into()));
    Ok(outcome)
}

/// βL of the k-th mode from 0: the root of cos b + 1/cosh b near (k + ½)π.
fn beta(k: usize) -> f64 {
    let middle = (k as f64 + 0.5) * PI;
    elastica::root(|b| b.cos() + 1.0 / b.cosh(), middle - 0.4, middle + 0.4)
}

/// Shape of the beam's mode at s = x/L, 1 at the tip.
fn shape(beta: f64, s: f64) -> f64 {
    let value = |s: f64| {
        let b = beta * s;
        let ratio = (beta.cosh() + beta.cos()) / (beta.sinh() + beta.sin());
        b.cosh() - b.cos() - ratio * (b.sinh() - b.sin())
    };
    value(s) / value(1.0)
}

/// The lowest frequencies (Hz) of bending along the strip. Twisting and sideways modes lie between them and are left out: the
/// mode's mean over the width is what bending has and they have not.
fn eigenfrequencies(system: &System, strip: &Strip, first: f64) -> Result<Vec<f64>, ExperimentError> {
    let shift = 0.1 * (TAU * first).powi(2);
    let state = system.initial_state();
    let mut count = 2 * COUNT;
    loop {
        let found = modes(system, &state, &ModeOptions { count, shift, ..ModeOptions::default() })?;
        let bends = |shape: &[DVec3]| {
            let mean: DVec3 = strip.tip.iter().map(|&(v, share)| share * shape[v as usize]).sum();
            let largest = strip.tip.iter().map(|&(v, _)| shape[v as usize].length()).fold(0.0, f64::max);
            mean.y.abs() > 0.5 * largest
        };
        let bending = found.iter().filter(|m| bends(&m.shape)).map(|m| m.eigenvalue.max(0.0).sqrt() / TAU);
        let values: Vec<f64> = bending.take(COUNT).collect();
        if values.len() == COUNT {
            return Ok(values);
        }
        if count > 60 {
            let found = values.len();
            return Err(ExperimentError::Failed(format!("only {found} bending modes among the lowest {count}")));
        }
        count *= 2;
    }
}

/// Component along a mode shape of the beam over time (over its start), vibrating from it.
fn vibrate(
    settings: &Settings,
    strip: &Strip,
    system: &System,
    (beta, omega): (f64, f64),
    step: f64,
) -> Result<Vec<f64>, ExperimentError> {
    let mut state = system.initial_state();
    let weights: Vec<f64> = strip.mesh.positions.iter().map(|p| shape(beta, p.x / strip.length)).collect();
    let height = settings.number("amplitude") * strip.length;
    for (x, w) in state.positions.iter_mut().zip(&weights) {
        x.y = height * w;
    }
    // To 1e-4 of the acceleration of the vibration: far below the step's own error, above the rounding of the stiff membrane.
    let options = Options {
        solver: "cholesky".into(),
        tolerance: 1e-4,
        linear_tolerance: 1e-6,
        reference_acceleration: height * omega * omega,
        ..Options::named("implicit-midpoint").unwrap_or_default().exact()
    };
    let mut integrator = Integrator::new(system, options)?;
    let norm: f64 = weights.iter().zip(system.masses()).map(|(w, m)| m * w * w).sum();
    let count = (settings.number("periods") * settings.number("steps")).ceil() as usize;
    let mut signal = Vec::with_capacity(count + 1);
    loop {
        let along = (0..weights.len()).map(|i| system.masses()[i] * weights[i] * state.positions[i].y).sum::<f64>();
        signal.push(along / (norm * height));
        if signal.len() > count {
            return Ok(signal);
        }
        integrator.step(system, &mut state, step)?;
    }
}

/// Frequency (Hz) from the first to the last crossing of zero; None with fewer than two.
fn frequency(signal: &[f64], step: f64) -> Option<f64> {
    let crossing = |k: usize, w: &[f64]| (w[0] * w[1] < 0.0).then(|| (k as f64 + w[0] / (w[0] - w[1])) * step);
    let times: Vec<f64> = signal.windows(2).enumerate().filter_map(|(k, w)| crossing(k, w)).collect();
    let (first, last) = (times.first()?, times.last()?);
    (times.len() > 1).then(|| 0.5 * (times.len() - 1) as f64 / (last - first))
}

/// Amplitudes over frequency, of the windowed signal (Hann), over the amplitude of a pure vibration of height 1.
fn spectrum(signal: &[f64], step: f64, exact: &[f64; COUNT]) -> Vec<[f64; 2]> {
    let span = signal.len() as f64 * step;
    let window = |k: usize| 1.0 - (TAU * (k as f64 + 0.5) / signal.len() as f64).cos();
    let line = |f: f64| {
        let mut sum = [0.0, 0.0];
        for (k, s) in signal.iter().enumerate() {
            let (sin, cos) = (TAU * f * k as f64 * step).sin_cos();
            sum = [sum[0] + window(k) * s * cos, sum[1] + window(k) * s * sin];
        }
        2.0 * sum[0].hypot(sum[1]) / signal.len() as f64
    };
    let [low, high] = [(0.3 * exact[0]).max(0.5 / span), 2.0 * exact[COUNT - 1]];
    (0..=300).map(|k| low * (high / low).powf(f64::from(k) / 300.0)).map(|f| [f, line(f)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_and_shapes_are_those_of_the_beam() {
        for (k, b) in [1.875_104_068_711_961, 4.694_091_132_974_175, 7.854_757_438_237_613].into_iter().enumerate() {
            assert!((beta(k) - b).abs() < 1e-12);
        }
        assert!(shape(beta(1), 0.0).abs() < 1e-12 && (shape(beta(1), 1.0) - 1.0).abs() < 1e-12);
        // The second mode has its node at 0.7834 of the length.
        assert!(shape(beta(1), 0.783).signum() != shape(beta(1), 0.784).signum());
    }

    #[test]
    fn crossings_give_the_frequency() {
        let signal: Vec<f64> = (0..200).map(|k| (TAU * 3.0 * 0.01 * f64::from(k)).cos()).collect();
        assert!((frequency(&signal, 0.01).unwrap() - 3.0).abs() < 1e-3);
        assert!(frequency(&signal[..3], 0.01).is_none());
    }

    /// The band holds on an irregular mesh, for another model and fabric.
    #[test]
    fn band_holds_for_other_parameters() {
        for (mesh, bending) in
            [("unstructured", "midedge"), ("structured", "midedge-quadratic"), ("structured", "morley")]
        {
            let mut settings = Settings::defaults(&EXPERIMENT);
            for (name, value) in [("mesh", mesh), ("bending", bending), ("rigidity", "3e-4"), ("length", "0.3")] {
                settings.set(name, value).unwrap();
            }
            let outcome = run(&settings).unwrap();
            assert!(outcome.pass(), "{mesh} {bending}: {:#?}", outcome.checks);
        }
    }
}
