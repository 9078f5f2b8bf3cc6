//! B-05: Euler strut after buckling, ends brought together by a given way. Source: closed form of the elastica for any
//! shortening ([`elastica`]); P_cr = π²B/L² with pinned ends and 4π²B/L² with clamped ones.
//!
//! The far end moves in by Δ and the force of its grip is P. Δ starts small with the shape of the first mode and grows. P_cr is where
//! P, as a line through the two smallest Δ, meets Δ = 0: the curve P/P_cr = 1 + Δ/2L + … is straight there.
//!
//! A clamped strut is as high in the middle as a pinned one: its middle half is a pinned strut of half the size, 0.0975 L above its
//! inflections at Δ = 0.1 L, and these stand as high again above the clamps. The stored column `clamped_mid_height/L` is the
//! height above the inflections, at L/4 and 3L/4.

use super::strips::{self, BENDING, DENSITY, INEXTENSIBILITY, LENGTH, MESH, RIGIDITY, Strip};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance, elastica};
use crate::plot::{Axis, Plot, Series, Style};
use glam::DVec3;
use std::f64::consts::{PI, TAU};
use toile_core::system::Motion;

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "B-05",
    title: "strut after buckling, pinned and clamped",
    source: "Euler44 exact elastica of a strut",
    parameters: &[
        Parameter::number("shortening", 0.1, [1e-3, 0.4], "–", "largest end shortening Δ/L"),
        Parameter::number("elements", 40.0, [8.0, 400.0], "–", "elements along the strip"),
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

/// Shortenings that are measured, of the largest.
const WAYS: [f64; 6] = [0.05, 0.1, 0.2, 0.4, 0.7, 1.0];

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let ways = WAYS.map(|share| share * settings.number("shortening"));
    let compression = Ends::Clamped.compression(settings);
    if compression > 0.2 * ways[0] {
        let least = compression / (0.2 * WAYS[0]);
        let why = format!(
            "a fifth of the smallest shortening would be compression: take {least:.4} or more, or a stiffer membrane"
        );
        return Err(ExperimentError::Setup(why));
    }
    let mut outcome = Outcome::default();
    let (mut loads, mut heights) = (Vec::new(), Vec::new());
    for (colour, ends) in [Ends::Pinned, Ends::Clamped].into_iter().enumerate() {
        let name = ends.name();
        // Each point: Δ/L, P L²/π²B, height over L of the middle, and above the quarter points.
        let measured = ends.curve(settings, &ways)?;
        let [[d0, p0, ..], [d1, p1, ..]] = [measured[0], measured[1]];
        let critical = p0 - d0 * (p1 - p0) / (d1 - d0);
        let band = Tolerance::Relative(0.01);
        let quantity = format!("{name}: P_cr L²/π²B");
        outcome.checks.push(Check::against(quantity, critical, "–", ends.waves().powi(2), band));
        for &[way, load, height, above] in &measured {
            let exact = elastica::strut(way - ends.compression(settings));
            let at = |what: &str| format!("{name}: {what} at Δ/L = {way:.4}");
            let load = load / ends.waves().powi(2);
            outcome.checks.push(Check::against(at("P/P_cr"), load, "–", exact.load, band));
            outcome.checks.push(Check::against(at("mid height/L"), height, "–", exact.height, band));
            if let Ends::Clamped = ends {
                let quantity = at("height/L above the inflections");
                outcome.checks.push(Check::against(quantity, above, "–", 0.5 * exact.height, band));
            }
        }
        let fine: Vec<f64> = (1..=60).map(|k| ways[WAYS.len() - 1] * f64::from(k) / 60.0).collect();
        let line = |y: &dyn Fn(elastica::Strut) -> f64| fine.iter().map(|d| [*d, y(elastica::strut(*d))]).collect();
        let series = |what: &str, style, points| Series {
            colour: Some(colour),
            ..Series::new(format!("{name}{what}"), style, points)
        };
        let (scale, what, column) = match ends {
            Ends::Pinned => (1.0, "", 2),
            Ends::Clamped => (0.5, " above the inflections", 3),
        };
        if let Ends::Pinned = ends {
            loads.push(Series::new("exact", Style::Line, line(&|s| s.load)));
        }
        let critical = ends.waves().powi(2);
        loads.push(series("", Style::Points, measured.iter().map(|m| [m[0], m[1] / critical]).collect()));
        heights.push(series(&format!("{what}, exact"), Style::Line, line(&|s| scale * s.height)));
        heights.push(series(
            &format!("{what}, measured"),
            Style::Points,
            measured.iter().map(|m| [m[0], m[column]]).collect(),
        ));
    }
    for (stem, title, label, series) in [
        ("load", "Strut after buckling: load", "P/P_cr (–)", loads),
        ("height", "Strut after buckling: height", "height of the middle/L (–)", heights),
    ] {
        let (x, y) = (Axis::new("end shortening Δ/L (–)"), Axis::new(label));
        outcome.plots.push((stem.into(), Plot { title: title.into(), x, y, series, is_equal: false }.into()));
    }
    Ok(outcome)
}

#[derive(Clone, Copy)]
enum Ends {
    Pinned,
    Clamped,
}

impl Ends {
    fn name(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::Clamped => "clamped",
        }
    }

    /// Pinned struts in the length.
    fn waves(self) -> f64 {
        match self {
            Self::Pinned => 1.0,
            Self::Clamped => 2.0,
        }
    }

    /// Shortening over L by compression, P_cr/Y: the part of Δ that does not bend the strip. Matters only where Δ is as small.
    fn compression(self, settings: &Settings) -> f64 {
        (PI * self.waves()).powi(2) / settings.number("inextensibility")
    }

    /// First mode, 1 in the middle, at x/L.
    fn mode(self, x: f64) -> f64 {
        match self {
            Self::Pinned => (PI * x).sin(),
            Self::Clamped => 0.5 - 0.5 * (TAU * x).cos(),
        }
    }

    /// Δ/L, P L²/π²B, height over L of the middle, and of the middle above the quarter points.
    fn curve(self, settings: &Settings, ways: &[f64]) -> Result<Vec<[f64; 4]>, ExperimentError> {
        let strip = Strip::new(settings, settings.number("width"), 0.0, settings.count("elements"))?;
        let far = match self {
            Self::Pinned => 1,
            Self::Clamped => 2, // after the director of the first clamp
        };
        let system = |way: f64| {
            let [root, tip] = [strip.root.clone(), strip.tip_vertices()];
            let mut system = match self {
                Self::Pinned => strip.builder().pin("root", root).pin("tip", tip),
                Self::Clamped => strip.builder().clamp("root", root, DVec3::Y).clamp("tip", tip, DVec3::Y),
            }
            .build()?;
            system.set_motion(far, Motion::shift(DVec3::new(-way * strip.length, 0.0, 0.0)));
            Ok(system)
        };
        let mut start = system(ways[0])?.initial_state();
        let height = strip.length * elastica::strut(ways[0]).height;
        for x in &mut start.positions[..strip.mesh.vertex_count()] {
            let along = x.x / strip.length;
            *x += DVec3::new(-ways[0] * x.x, height * self.mode(along), 0.0);
        }
        let unit = PI * PI * strip.rigidity * strip.width / (strip.length * strip.length);
        let mut points = Vec::new();
        strips::follow(&strip.statics(), (start, 0.0), ways, system, |way, system, state| {
            let push = -system.reaction(state, far).x;
            let [low, middle, high] =
                [0.25, 0.5, 0.75].map(|at| height_at(&strip, &state.positions, at) / strip.length);
            points.push([way, push / unit, middle, middle - 0.5 * (low + high)]);
        })?;
        Ok(points)
    }
}

/// Height at the share `at` of the length, from the mesh edges that cross it.
fn height_at(strip: &Strip, positions: &[DVec3], at: f64) -> f64 {
    let place = at * strip.length;
    let mut crossings = Vec::new();
    for corners in &strip.mesh.triangles {
        for k in 0..3 {
            let [a, b] = [corners[k], corners[(k + 1) % 3]].map(|v| v as usize);
            let [xa, xb] = [a, b].map(|v| strip.mesh.positions[v].x - place);
            if xa <= 0.0 && xb >= 0.0 && xa < xb {
                let t = -xa / (xb - xa);
                crossings.push(positions[a].y + t * (positions[b].y - positions[a].y));
            }
        }
    }
    crossings.iter().sum::<f64>() / crossings.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The band holds on an irregular mesh, for other models that claim it, and for another shortening.
    #[test]
    fn band_holds_for_other_parameters() {
        strips::assert_bands(
            &EXPERIMENT,
            &[("length", "0.5")],
            &[
                [("mesh", "unstructured"), ("bending", "midedge"), ("shortening", "0.1")],
                [("mesh", "structured"), ("bending", "morley"), ("shortening", "0.3")],
                [("mesh", "unstructured"), ("bending", "midedge-quadratic"), ("shortening", "0.05")],
            ],
        );
    }
}
