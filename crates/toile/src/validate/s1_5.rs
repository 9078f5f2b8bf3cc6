//! S1-5: where in the plane of z = hλ explicit Euler, implicit Euler and the implicit midpoint rule are stable.
//! Source: Wacker05 Fig. 10: |R(z)| < 1 with R = 1+z, 1/(1−z), (1+z/2)/(1−z/2).
//!
//! Lines of equal imaginary part are scanned for changes of |R| < 1 and each change is placed by interpolation. Closed form:
//! inside the unit circle about −1; outside the unit circle about 1; left of the imaginary axis.

use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S1-5",
    title: "stability regions of three schemes",
    source: "Wacker05 Fig. 10, closed form",
    parameters: &[
        Parameter::number("extent", 4.0, [2.5, 100.0], "–", "half width of the scanned square of z"),
        Parameter::number("cells", 600.0, [100.0, 5000.0], "–", "scanned points per line and lines"),
    ],
    run,
};

#[derive(Clone, Copy)]
struct Complex {
    re: f64,
    im: f64,
}

impl Complex {
    fn square(self) -> f64 {
        self.re * self.re + self.im * self.im
    }
}

/// A scheme: name, |R|² as numerator and denominator, distance from its exact boundary.
struct Scheme {
    name: &'static str,
    squared: fn(Complex) -> [f64; 2],
    off_boundary: fn(Complex) -> f64,
}

const SCHEMES: [Scheme; 3] = [
    Scheme {
        name: "explicit Euler",
        squared: |z| [Complex { re: 1.0 + z.re, ..z }.square(), 1.0],
        off_boundary: |z| (1.0 + z.re).hypot(z.im) - 1.0,
    },
    Scheme {
        name: "implicit Euler",
        squared: |z| [1.0, Complex { re: 1.0 - z.re, im: -z.im }.square()],
        off_boundary: |z| (1.0 - z.re).hypot(z.im) - 1.0,
    },
    Scheme {
        name: "implicit midpoint",
        squared: |z| {
            let (re, im) = (0.5 * z.re, 0.5 * z.im);
            [Complex { re: 1.0 + re, im }.square(), Complex { re: 1.0 - re, im: -im }.square()]
        },
        off_boundary: |z| z.re,
    },
];

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let (extent, cells) = (settings.number("extent"), settings.count("cells"));
    let mut outcome = Outcome::default();
    let mut series = Vec::new();
    let edges: Vec<Vec<Complex>> = SCHEMES.iter().map(|s| scan(s, extent, cells)).collect();
    for (scheme, boundary) in SCHEMES.iter().zip(&edges) {
        if boundary.is_empty() {
            return Err(ExperimentError::Failed(format!("no boundary of {} found", scheme.name)));
        }
        let off = boundary.iter().map(|&z| (scheme.off_boundary)(z).abs()).fold(0.0, f64::max);
        let quantity = format!("{}: largest distance of the boundary from the exact one", scheme.name);
        outcome.checks.push(Check::against(quantity, off, "–", 0.0, Tolerance::Absolute(1e-3)));
    }
    let on_axis = |k: usize| edges[k].iter().filter(|z| z.im.abs() < 1e-12).map(|z| z.re);
    let left = on_axis(0).fold(f64::INFINITY, f64::min);
    let right = on_axis(1).fold(f64::NEG_INFINITY, f64::max);
    let near = Tolerance::Absolute(1e-3);
    outcome.checks.push(Check::against("explicit Euler: stable on the real axis from", left, "–", -2.0, near));
    outcome.checks.push(Check::against("implicit Euler: unstable on the real axis up to", right, "–", 2.0, near));
    for (k, name) in ["stable: explicit Euler", "unstable: implicit Euler"].into_iter().enumerate() {
        series.push(Series::new(name, Style::Loop, outline(&edges[k])));
    }
    let line = edges[2].iter().map(|z| [z.re, z.im]).collect();
    series.push(Series::new("implicit midpoint: stable to the left", Style::Dashed, line));
    let range = Some([-3.0, 3.0]);
    let plot = Plot {
        title: "Boundaries of stability, |R(z)| = 1".into(),
        x: Axis { range, ..Axis::new("Re z (–)") },
        y: Axis { range, ..Axis::new("Im z (–)") },
        series,
        is_equal: true,
    };
    outcome.plots.push(("regions".into(), plot.into()));
    Ok(outcome)
}

/// Points of the boundary, line by line from below. Odd counts put a line on the real axis.
fn scan(scheme: &Scheme, extent: f64, cells: usize) -> Vec<Complex> {
    let count = cells | 1;
    let at = |k: usize| extent * (2.0 * k as f64 - (count - 1) as f64) / (count - 1) as f64;
    // Numerator less denominator: no pole to step over, and of the sign of |R| − 1.
    let excess = |re: f64, im: f64| {
        let [top, bottom] = (scheme.squared)(Complex { re, im });
        top - bottom
    };
    let mut points = Vec::new();
    for im in (0..count).map(at) {
        // Half a cell off, so that no point lies on the boundary by luck.
        let places = (0..=count).map(|k| at(k) - extent / (count - 1) as f64);
        let values: Vec<[f64; 2]> = places.map(|re| [re, excess(re, im)]).collect();
        for pair in values.windows(2) {
            let [[a, fa], [b, fb]] = [pair[0], pair[1]];
            if (fa < 0.0) != (fb < 0.0) {
                points.push(Complex { re: a + (b - a) * fa / (fa - fb), im });
            }
        }
    }
    points
}

/// A closed outline from the crossings of a convex region: up the right side, down the left.
fn outline(points: &[Complex]) -> Vec<[f64; 2]> {
    let mean = points.iter().map(|z| z.re).sum::<f64>() / points.len() as f64;
    let right = points.iter().filter(|z| z.re >= mean);
    let left = points.iter().rev().filter(|z| z.re < mean);
    right.chain(left).map(|z| [z.re, z.im]).collect()
}
