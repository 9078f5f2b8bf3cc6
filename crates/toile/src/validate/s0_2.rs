//! S0-2: a square held along two opposite edges and stretched to 1.5, for three Poisson ratios. Source: Volino09 Fig. 3.
//!
//! Without contraction (ν = 0) the state is uniform: force λ(λ²−1)/2 per width over Y, width kept. With it the held edges keep
//! their length while the middle narrows: no closed form, the stored numbers are those of a separate finite element
//! solution. The corners are singular, so the order in the edge length is between one and two. The sheet is held in its plane:
//! next to the held edges it is compressed across, and would wrinkle.

use super::setup::{self, MESH};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance, reference};
use crate::plot::HeatMap;
use glam::DVec3;
use toile_core::fabric::Material;
use toile_core::law::Linear;

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S0-2",
    title: "square stretched between two clamped edges",
    source: "Volino09 Fig. 3; closed form for ν = 0, a separate finite element solution otherwise",
    parameters: &[
        Parameter::number("modulus", 1000.0, [1e-3, 1e9], "N/m", "membrane modulus Y"),
        Parameter::number("stretch", 1.5, [1.01, 2.5], "–", "stretch λ between the edges"),
        Parameter::number("poisson_low", 0.0, [-0.5, 0.9], "–", "first of three Poisson ratios"),
        Parameter::number("poisson_high", 0.5, [-0.5, 0.9], "–", "last of three Poisson ratios"),
        Parameter::number("size", 1.0, [1e-3, 10.0], "m", "side of the square"),
        Parameter::number("divisions", 36.0, [8.0, 200.0], "–", "elements along a side of the finest of three meshes"),
        MESH,
    ],
    run,
};

/// Force over Y w, width of the middle over the rest width, and a map.
struct Stretched {
    triangles: usize,
    values: [f64; 2],
    map: HeatMap,
}

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let ends = [settings.number("poisson_low"), settings.number("poisson_high")];
    let mut outcome = Outcome::default();
    for k in 0..3 {
        let poisson = ends[0] + 0.5 * f64::from(k) * (ends[1] - ends[0]);
        let meshes = [4.0, 2.0, 1.0]
            .map(|coarser| stretched(settings, poisson, (settings.number("divisions") / coarser).round()));
        let [coarse, middle, fine] = meshes;
        let (coarse, middle, fine) = (coarse?, middle?, fine?);
        let references = expected(settings, poisson)?;
        for (m, name) in ["force/(Y w)", "width of the middle"].into_iter().enumerate() {
            let quantity = format!("{name}, ν = {poisson}, {} triangles", fine.triangles);
            outcome.checks.push(match references {
                None => Check::report(quantity, fine.values[m], "–"),
                Some((r, tolerance)) => Check::against(quantity, fine.values[m], "–", r[m], tolerance),
            });
            if let Some((r, _)) = references.filter(|_| poisson != 0.0) {
                let size = |s: &Stretched| (s.triangles as f64).powf(-0.5);
                let errors = [&coarse, &middle, &fine].map(|s| [size(s), (s.values[m] - r[m]).abs()]);
                let quantity = format!("order of the {name}, ν = {poisson}");
                outcome.checks.push(Check::against(quantity, setup::slope(&errors), "–", 1.0, Tolerance::AtLeast));
            }
        }
        outcome.plots.push((format!("strain-{k}"), fine.map.into()));
    }
    Ok(outcome)
}

/// What force and width should be: closed form, or stored for the default stretch.
fn expected(settings: &Settings, poisson: f64) -> Result<Option<([f64; 2], Tolerance)>, ExperimentError> {
    let stretch = settings.number("stretch");
    if poisson == 0.0 {
        return Ok(Some(([0.5 * stretch * (stretch * stretch - 1.0), 1.0], Tolerance::Relative(1e-8))));
    }
    let table = reference::table("S0-2")?;
    let columns = ["nu", "force/(Y*width)", "midsection_width/rest_width"].map(|c| table.numbers(c));
    let [nu, force, width] = columns;
    let (nu, force, width) = (nu?, force?, width?);
    // The last row of a ratio is the finest.
    let row = nu.iter().rposition(|n| *n == poisson).filter(|_| !settings.is_changed("stretch"));
    Ok(row.map(|i| ([force[i], width[i]], Tolerance::Relative(5e-3))))
}

fn stretched(settings: &Settings, poisson: f64, divisions: f64) -> Result<Stretched, ExperimentError> {
    let (modulus, stretch, side) = (settings.number("modulus"), settings.number("stretch"), settings.number("size"));
    let mesh = setup::rectangle(settings.word("mesh"), [side; 2], side / divisions)?;
    let fabric = setup::fabric(Material::elastic(Linear::isotropic(modulus, poisson)?), 0.1)?;
    let [near, far] = [0.0, side].map(|x| setup::vertices_at(&mesh, 0, x));
    let laid = setup::laid_out(&mesh, |p| DVec3::new(stretch * p.x, p.y, p.z));
    let system = setup::in_plane(&laid, &fabric).pin("near", near).pin("far", far).build()?;
    let mut state = system.initial_state();
    setup::nudge(&system, &mut state, 0.1 * side / divisions);
    setup::settle(&system, &mut state, 1e-13 * modulus * side)?;
    let middle = |z: f64| {
        let nodes = setup::vertices_at(&mesh, 2, z);
        let points = nodes.iter().map(|&n| [mesh.positions[n as usize].x, state.positions[n as usize].z]);
        setup::interpolated(points.collect(), 0.5 * side)
    };
    let strains = system.triangle_states(&state).iter().map(|t| t.strain[1]).collect();
    let title = format!("Square stretched to {stretch}, ν = {poisson}");
    let label = "transverse strain (–)";
    Ok(Stretched {
        triangles: mesh.triangles.len(),
        values: [system.reaction(&state, 2).x / (modulus * side), (middle(0.0) - middle(-side)) / side],
        map: setup::map([&title, label], &mesh, &state, |p| [p.x, -p.z], strains),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On coarser meshes, another modulus and size, the same numbers and orders.
    #[test]
    fn square_of_another_size_gives_the_same_numbers() {
        setup::expect_bands(&EXPERIMENT, &[("modulus", "37"), ("size", "0.2"), ("divisions", "28")]);
    }

    /// A stretch that nothing is stored for is reported, not judged, except without contraction.
    #[test]
    fn other_stretches_have_no_stored_reference() {
        let mut settings = Settings::defaults(&EXPERIMENT);
        settings.set("stretch", "1.2").unwrap();
        assert!(expected(&settings, 0.25).unwrap().is_none());
        assert_eq!(expected(&settings, 0.0).unwrap().unwrap().0[0], 0.5 * 1.2 * (1.2 * 1.2 - 1.0));
    }
}
