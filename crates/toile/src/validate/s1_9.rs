//! S1-9: a hanging square of edge springs beside finite elements. Source: Volino05 part 2 Fig. 5.
//!
//! Elements without contraction (ν = 0) keep the width; with ν = ½ they narrow. Springs along the edges of equilateral triangles narrow
//! too, though nothing asked them to: in small strain they are a plate of ν = ⅓ (each triangle carries three springs at 60°, whose
//! stiffness is E_xx : E_xy = 3 : 1). Measured is −Σε_xx/Σε_yy over the triangles of the middle of the lower half, away from the held edge.
//!
//! The width at ν = 0 is exact where every node of a row carries the same weight. So the sheet is light and the weight hangs on its
//! hem, shared out by length: a uniform pull, exact on any mesh.

use super::setup;
use super::strips;
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::HeatMap;
use glam::DVec3;
use toile_core::fabric::Material;
use toile_core::force::Load;
use toile_core::law::Linear;
use toile_core::mesh::Mesh;
use toile_garment::meshing::{self, Options};

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S1-9",
    title: "hanging square: springs beside elements",
    source: "Volino05 part 2 Fig. 5; small strain of a lattice of springs",
    parameters: &[
        Parameter::number("modulus", 100.0, [1e-3, 1e9], "N/m", "membrane modulus Y"),
        Parameter::number("poisson", 0.5, [0.05, 0.5], "–", "Poisson ratio of the second sheet of elements"),
        Parameter::number("size", 0.5, [1e-2, 10.0], "m", "side of the square"),
        Parameter::number("load", 0.01, [1e-6, 0.2], "–", "weight on the hem over Y and side"),
        Parameter::number("divisions", 24.0, [8.0, 200.0], "–", "elements along a side"),
        Parameter::word("mesh", &["structured", "unstructured"], "equilateral or irregular triangles"),
    ],
    run,
};

struct Hung {
    /// Width halfway over the rest width, less 1.
    widening: f64,
    /// −Σε_xx/Σε_yy.
    contraction: f64,
    map: HeatMap,
}

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let poisson = settings.number("poisson");
    let mesh = mesh(settings)?;
    let mut outcome = Outcome::default();
    for (stem, model, nu) in [("springs", "edge-springs", 0.0), ("none", "green", 0.0), ("poisson", "green", poisson)] {
        let name = if stem == "springs" { "springs".into() } else { format!("elements, ν = {nu}") };
        let hung = hang(settings, &mesh, model, nu, &name)?;
        let quantity = format!("contraction −ε_xx/ε_yy: {name}");
        outcome.checks.push(match stem {
            // The lattice of irregular triangles has no closed form.
            "springs" if settings.word("mesh") == "unstructured" => Check::report(quantity, hung.contraction, "–"),
            "springs" => Check::against(quantity, hung.contraction, "–", 1.0 / 3.0, Tolerance::Relative(0.05)),
            "none" => Check::against(quantity, hung.contraction, "–", 0.0, Tolerance::Absolute(1e-8)),
            _ => Check::against(quantity, hung.contraction, "–", poisson, Tolerance::Relative(0.05)),
        });
        let quantity = format!("change of the width halfway: {name}");
        outcome.checks.push(match stem {
            "none" => Check::against(quantity, hung.widening, "–", 0.0, Tolerance::Absolute(1e-8)),
            "springs" => Check::against(quantity, hung.widening, "–", 0.0, Tolerance::AtMost),
            _ => Check::report(quantity, hung.widening, "–"),
        });
        outcome.plots.push((stem.into(), hung.map.into()));
    }
    outcome
        .notes
        .push("The weight hangs on the hem, so that the pull is uniform; the paper's sheet hangs by its own.".into());
    Ok(outcome)
}

fn mesh(settings: &Settings) -> Result<Mesh, ExperimentError> {
    let side = settings.number("size");
    let edge = side / settings.number("divisions").round();
    let jitter = if settings.word("mesh") == "structured" { 0.0 } else { 0.3 };
    Ok(meshing::rectangle([side; 2], &Options { jitter, seed: 1, ..Options::of_edge(edge) })?)
}

fn hang(settings: &Settings, mesh: &Mesh, model: &str, poisson: f64, name: &str) -> Result<Hung, ExperimentError> {
    let (modulus, side) = (settings.number("modulus"), settings.number("size"));
    let fabric = setup::fabric(Material::elastic(Linear::isotropic(modulus, poisson)?), 0.1)?;
    // In its plane x is along the pull, z across.
    let (top, hem) = (setup::vertices_at(mesh, 0, 0.0), setup::vertices_at(mesh, 0, side));
    let weight = settings.number("load") * modulus * side;
    let load = Load::shared(weight * DVec3::X, &strips::shares(mesh, &hem));
    let system = setup::in_plane(mesh, &fabric).membrane(model).pin("top", top).force(Box::new(load)).build()?;
    let mut state = system.initial_state();
    setup::nudge(&system, &mut state, 0.1 * side / settings.number("divisions"));
    setup::settle(&system, &mut state, 1e-13 * modulus * side)?;
    let strained = setup::strains(mesh, &state.positions);
    let is_inside = |t: &&[u32; 3]| {
        let p = t.iter().map(|&v| mesh.positions[v as usize]).sum::<DVec3>() / (3.0 * side);
        p.x > 0.5 && p.x < 0.9 && (p.z + 0.5).abs() < 0.25
    };
    let inside = mesh.triangles.iter().zip(&strained).enumerate().filter(|(_, (t, _))| is_inside(t));
    let sums = inside.fold([0.0; 2], |s, (k, (_, e))| [0, 1].map(|i| s[i] + mesh.rest_area(k) * e[i]));
    let width = |z: f64| {
        let nodes = setup::vertices_at(mesh, 2, z);
        let points = nodes.iter().map(|&n| [mesh.positions[n as usize].x, state.positions[n as usize].z]);
        setup::interpolated(points.collect(), 0.5 * side)
    };
    let values = strained.iter().map(|e| e[1]).collect();
    let title = format!("Hanging square, {name}");
    Ok(Hung {
        widening: (width(0.0) - width(-side)) / side - 1.0,
        contraction: -sums[1] / sums[0],
        map: setup::map([&title, "strain across (–)"], mesh, &state, |p| [-p.z, -p.x], values),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_squares_hang_alike() {
        let changes = [("modulus", "7"), ("poisson", "0.3"), ("size", "0.2"), ("load", "0.002"), ("divisions", "20")];
        setup::expect_bands(&EXPERIMENT, &changes);
    }
}
