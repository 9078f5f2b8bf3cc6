//! M-01: patch test. Source: MacNeal85, the membrane patch: 0.24 × 0.12, five quadrilaterals around four inner nodes.
//!
//! The rim follows u = a(x + y/2), v = a(y + x/2), a = 10⁻³. An affine field has constant strain, and constant strain is balanced
//! at every inner node of any mesh: inner nodes must land on the field, all triangles must show the same strain and
//! stress. That is exact for the Green strain as well, so it holds for any a: e = ½(FᵀF − I), F = I + a [1 ½; ½ 1].
//! Here each quadrilateral is cut into two triangles; `unstructured` takes an irregular mesh of the same rectangle.

use super::setup::{self, MESH};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance, reference};
use crate::plot::HeatMap;
use glam::{DVec2, DVec3};
use toile_core::fabric::Material;
use toile_core::law::{Law, Linear};
use toile_core::mesh::Mesh;

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "M-01",
    title: "patch test: an affine rim gives constant strain",
    source: "MacNeal85 patch test, membrane",
    parameters: &[
        Parameter::number("modulus", 1000.0, [1e-3, 1e9], "N/m", "membrane modulus Y"),
        Parameter::number("poisson", 0.25, [-0.9, 0.9], "–", "Poisson ratio ν"),
        Parameter::number("amount", 1e-3, [1e-6, 0.5], "–", "a: size of the field"),
        Parameter::number("divisions", 5.0, [2.0, 50.0], "–", "elements along the short side, unstructured mesh"),
        MESH,
    ],
    run,
};

/// Sides of the patch (m).
const SIZE: [f64; 2] = [0.24, 0.12];
/// The five quadrilaterals, numbered as the nodes of the table.
const QUADS: [[u32; 4]; 5] = [[0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7], [4, 5, 6, 7]];

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let (modulus, amount) = (settings.number("modulus"), settings.number("amount"));
    let law = Linear::isotropic(modulus, settings.number("poisson"))?;
    let rest = match settings.word("mesh") {
        "unstructured" => setup::rectangle("unstructured", SIZE, SIZE[1] / settings.number("divisions").round())?,
        _ => patch()?,
    };
    let field = |p: DVec3| {
        let (x, y) = (p.x, -p.z);
        DVec3::new(x + amount * (x + 0.5 * y), 0.0, -(y + amount * (y + 0.5 * x)))
    };
    let fabric = setup::fabric(Material::elastic(law.clone()), 0.1)?;
    let exact = setup::laid_out(&rest, field);
    let system = setup::in_plane(&exact, &fabric).pin("rim", setup::rim(&rest, SIZE)).build()?;
    let mut state = system.initial_state();
    for (x, (p, free)) in state.positions.iter_mut().zip(rest.positions.iter().zip(system.free())) {
        *x = if free[0] { *p } else { *x };
    }
    // Rounding leaves about 1e-16 Y in the strain of a triangle, times its side.
    setup::settle(&system, &mut state, 1e-15 * modulus * SIZE[0])?;
    let furthest = |from: &[DVec3]| from.iter().zip(&exact.positions).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    let (u, v) = (DVec2::new(1.0 + amount, 0.5 * amount), DVec2::new(0.5 * amount, 1.0 + amount));
    let strain = [0.5 * (u.length_squared() - 1.0), 0.5 * (v.length_squared() - 1.0), u.dot(v)];
    let stress = law.stress(strain);
    let states = system.triangle_states(&state);
    let apart = |a: [f64; 3], b: [f64; 3]| (0..3).map(|m| (a[m] - b[m]).abs()).fold(0.0, f64::max);
    let strain_error = states.iter().map(|t| apart(t.strain, strain)).fold(0.0, f64::max);
    let stress_error = states.iter().map(|t| apart(t.stress, stress)).fold(0.0, f64::max);
    let zero = |quantity: &str, value| Check::against(quantity, value, "–", 0.0, Tolerance::Absolute(1e-12));
    let checks = vec![
        zero(
            "largest error of an inner node over the largest motion",
            furthest(&state.positions) / furthest(&rest.positions),
        ),
        zero("largest error of a strain", strain_error),
        zero("largest error of a stress, over Y", stress_error / modulus),
        Check::report("weft strain", strain[0], "–"),
        Check::report("weft stress", stress[0], "N/m"),
        Check::report("shear stress", stress[2], "N/m"),
    ];
    let errors = states.iter().map(|t| (t.strain[0] - strain[0]) / strain[0]).collect();
    let map = HeatMap::flat("Patch test: what rounding leaves", "relative error of the weft strain (–)", &rest, errors);
    Ok(Outcome { checks, plots: vec![("error".into(), map.into())], notes: Vec::new() })
}

/// The patch of the paper.
fn patch() -> Result<Mesh, ExperimentError> {
    let table = reference::table("M-01")?;
    let places: Vec<DVec2> = table.points("x", "y")?.into_iter().map(DVec2::from).collect();
    let triangles: Vec<[u32; 3]> = QUADS.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Ok(Mesh {
        positions: places.iter().map(|p| DVec3::new(p.x, 0.0, -p.y)).collect(),
        material: triangles.iter().map(|t| t.map(|v| places[v as usize])).collect(),
        triangles,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patch_passes_for_other_fields_and_laws() {
        setup::expect_bands(&EXPERIMENT, &[("amount", "0.2"), ("poisson", "0.45")]);
        setup::expect_bands(&EXPERIMENT, &[("poisson", "0"), ("modulus", "3.7")]);
    }
}
