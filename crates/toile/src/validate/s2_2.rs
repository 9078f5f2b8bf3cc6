//! S2-2: the round poncho of the FEM document on a dummy, and its folds. Source: FemShell Table 2, Fig. 2b.
//!
//! A disc of 1.10 m of the fabric of S2-1 in 4712 elements. At rest the body carries its weight and nothing crosses. The distance of the rim from
//! the upright line through its middle, over the angle on the flat disc, is split into waves; its folds are the strongest wave of three or
//! more. One wave is a poncho that lies to one side, two are the shoulders and arms that hold it up: these are the body's, not folds.
//!
//! Cloth on a body rests with several fold numbers, and chance has its say when it is sewn in mid-air: each mesh then comes down in its own way.
//! So the poncho is put on once, as soft cloth of few triangles; meshes that are cut each on its own take their places from there and come to
//! rest in the fabric itself. What is tested is that the mesh does not choose the folds. With `start = own` each is sewn for itself.

use super::ponchos::{look, poncho};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance, dressed};
use crate::plot::{Axis, Picture, Plot, Series, Style};
use glam::DVec2;
use std::f64::consts::{PI, TAU};
use toile_garment::cloth::Cloth;
use toile_garment::pattern::{Garment, Of};

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S2-2",
    title: "round poncho on a dummy: folds",
    source: "FemShell Table 2, Fig. 2b",
    parameters: &[
        Parameter::number("diameter", 1.1, [0.8, 1.6], "m", "of the disc"),
        Parameter::number("triangles", 4712.0, [500.0, 1e5], "–", "triangles of the finest mesh, about"),
        Parameter::number("meshes", 3.0, [1.0, 5.0], "–", "meshes"),
        Parameter::number("ratio", 2.0, [1.1, 4.0], "–", "triangles of a mesh over those of the next coarser one"),
        Parameter::word("start", &["common", "own"], "all meshes from one soft drape, or each sewn for itself"),
        Parameter::number("start_triangles", 1178.0, [500.0, 1e5], "–", "triangles of the common start, about"),
        Parameter::word("size", &["F38", "F34", "F44", "M50"], "size of the mannequin"),
        Parameter::word("fabric", &["silk-polyester", "polyester-faille", "wool-gabardine"], "of the library"),
        Parameter::number("friction", 0.3, [0.0, 2.0], "–", "friction coefficient"),
    ],
    run,
};

/// Directions in which the rim is looked at: one degree apart, finer than any triangle.
const DIRECTIONS: usize = 360;
/// Fewest waves that are folds, and most that are looked at: 15° apart.
const FOLDS: [usize; 2] = [3, 24];

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let poncho = poncho("poncho-round", settings.number("diameter"), settings)?;
    let is_common = settings.word("start") == "common";
    let start = is_common.then(|| poncho.soft(settings.number("start_triangles"))).transpose()?;
    let mut outcome = Outcome::default();
    let (mut rims, mut spectra, mut folds) = (Vec::new(), Vec::new(), Vec::new());
    for coarser in (0..settings.count("meshes").max(1)).rev() {
        let triangles = settings.number("triangles") / settings.number("ratio").powi(coarser as i32);
        let draped = match &start {
            Some(start) => poncho.resettled(triangles, start)?,
            None => poncho.draped(triangles)?,
        };
        let cloth = draped.cloth();
        let name = format!("{} triangles", cloth.mesh.triangles.len());
        let radii = rim(&poncho.garment, &cloth);
        let waves = waves(&radii);
        let found = folds_of(&waves);
        let of_mesh = |check: Check| Check { quantity: format!("{name}: {}", check.quantity), ..check };
        outcome.checks.extend(dressed::at_rest(&draped).into_iter().skip(1).map(of_mesh));
        outcome.checks.push(Check::report(format!("{name}: folds"), found as f64, "–"));
        outcome.checks.push(Check::report(format!("{name}: their amplitude"), 1e3 * waves[found], "mm"));
        folds.push(found as f64);
        let degrees = |k: usize| 360.0 * k as f64 / DIRECTIONS as f64;
        rims.push(series(&name, radii.iter().enumerate().map(|(k, r)| [degrees(k), 1e3 * r])));
        spectra.push(series(&name, waves.iter().enumerate().skip(1).map(|(n, a)| [n as f64, 1e3 * a])));
        if coarser == 0 {
            look(&poncho, &cloth, &mut outcome)?;
        }
    }
    let finest = folds.last().copied().unwrap_or(f64::NAN);
    let apart = folds.iter().map(|n| (n - finest).abs()).fold(0.0, f64::max);
    outcome.checks.push(Check::against("folds from mesh to mesh", apart, "–", 1.0, Tolerance::AtMost));
    outcome.plots.push(("rim".into(), plot("Rim of the poncho", ["angle on the flat disc (°)", "radius (mm)"], rims)));
    outcome.plots.push(("waves".into(), plot("Waves of its rim", ["waves once round", "amplitude (mm)"], spectra)));
    outcome.notes.push("One and two waves are how the poncho lies on the body; folds begin with three.".into());
    Ok(outcome)
}

fn series(name: &str, points: impl Iterator<Item = [f64; 2]>) -> Series {
    Series::new(name, Style::Line, points.collect())
}

fn plot(title: &str, [x, y]: [&str; 2], series: Vec<Series>) -> Picture {
    Plot { title: title.into(), x: Axis::new(x), y: Axis::new(y), series, ..Plot::default() }.into()
}

/// Distance (m) of the rim from the upright line through its middle, by the angle on the flat disc: from the wearer's left over the back.
fn rim(garment: &Garment, cloth: &Cloth) -> Vec<f64> {
    let mut places = Vec::new();
    for (t, corners) in cloth.mesh.triangles.iter().enumerate() {
        let panel = &garment.panels[cloth.panels[t] as usize];
        // Both halves are drawn as the front one; the back one is turned half round.
        let turn = if panel.name == "back" { PI } else { 0.0 };
        for k in 0..3 {
            let Some(Of::Edge(edge)) = cloth.sides[t][k].map(|trail| trail.of) else { continue };
            if panel.outline[edge].label.as_deref().is_some_and(|label| label.starts_with("hem")) {
                let x = cloth.mesh.positions[corners[k] as usize];
                places.push(((cloth.flat[t][k].to_angle() + turn).rem_euclid(TAU), DVec2::new(x.x, x.z)));
            }
        }
    }
    places.sort_by(|a, b| a.0.total_cmp(&b.0));
    let points: Vec<DVec2> = (0..DIRECTIONS).map(|k| between(&places, TAU * k as f64 / DIRECTIONS as f64)).collect();
    let middle = points.iter().sum::<DVec2>() / DIRECTIONS as f64;
    points.iter().map(|p| p.distance(middle)).collect()
}

/// The place at an angle, straight between the known ones, once round.
fn between(places: &[(f64, DVec2)], angle: f64) -> DVec2 {
    let next = places.partition_point(|p| p.0 <= angle);
    let [a, b] = [next + places.len() - 1, next].map(|k| places[k % places.len()]);
    let share = (angle - a.0).rem_euclid(TAU) / (b.0 - a.0).rem_euclid(TAU);
    a.1.lerp(b.1, share)
}

/// Amplitudes (m) of the waves of a closed line, by how many go round: its discrete Fourier transform, the mean first.
fn waves(radii: &[f64]) -> Vec<f64> {
    let count = radii.len();
    let amplitude = |n: usize| {
        let turned = |(k, r): (usize, &f64)| *r * DVec2::from_angle(TAU * (n * k % count) as f64 / count as f64);
        let sides = if n == 0 { 1.0 } else { 2.0 };
        sides * radii.iter().enumerate().map(turned).sum::<DVec2>().length() / count as f64
    };
    (0..=FOLDS[1]).map(amplitude).collect()
}

/// The strongest wave that is a fold of the cloth.
fn folds_of(waves: &[f64]) -> usize {
    (FOLDS[0]..=FOLDS[1]).max_by(|a, b| waves[*a].total_cmp(&waves[*b])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An oval rim with seven folds: each wave has its amplitude, and the oval is no fold.
    #[test]
    fn folds_are_told_from_the_shape_of_the_body() {
        let radius = |angle: f64| 0.5 + 0.1 * (2.0 * angle + 0.4).cos() + 0.03 * (7.0 * angle - 1.0).cos();
        let radii: Vec<f64> = (0..DIRECTIONS).map(|k| radius(TAU * k as f64 / DIRECTIONS as f64)).collect();
        let waves = waves(&radii);
        for (n, amplitude) in waves.iter().enumerate() {
            let exact = [(0, 0.5), (2, 0.1), (7, 0.03)].iter().find(|w| w.0 == n).map_or(0.0, |w| w.1);
            assert!((amplitude - exact).abs() < 1e-14, "{n}: {amplitude}");
        }
        assert_eq!(folds_of(&waves), 7);
    }

    /// Places between those known, also across the start of the circle.
    #[test]
    fn places_are_read_once_round() {
        let places: Vec<(f64, DVec2)> = [0.5, 2.0, 6.0].map(|a| (a, DVec2::new(a, 1.0))).to_vec();
        assert_eq!(between(&places, 2.0), places[1].1);
        assert!((between(&places, 4.0).x - 4.0).abs() < 1e-12);
        let way = 0.5 + TAU - 6.0;
        assert!((between(&places, 0.0).x - (6.0 - 5.5 * (TAU - 6.0) / way)).abs() < 1e-12);
    }
}
