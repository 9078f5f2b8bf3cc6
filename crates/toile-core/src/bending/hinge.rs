//! `hinge`: moments about each edge by itself, from the angle between its two triangles. Source of the idea: Volino05 part 2
//! (edge moments, anisotropic); weights as in the literature on discrete hinges, k·3l²/A₁₂·θ² with k = B/6.
//! ```text
//! E = Σ_f A₁₂ w(κ g),   κ = (l/A₁₂)(θ − θ̄),   A₁₂ = A₁ + A₂           (linear law: ½ B(φ) (l²/A₁₂)(θ − θ̄)², B(φ) = gᵀDg)
//! ```
//! g from the edge's normal as in [`super::midedge`]. A clamp has half the energy of the mirrored hinge. Mesh dependent in
//! value and direction, no Poisson effect, wrong twist: for comparison with other systems only.

use super::angular::Angular;
use super::patch::{Line, Patch, dot};
use super::quadratic::Quadratic;
use super::table::{Column, Table};
use super::{Bending, BendingError, Input};

pub(super) fn build(input: &Input) -> Result<Bending, BendingError> {
    let force = Angular::new(table(input)?, input.material)?;
    Ok(Bending { force: Box::new(force), folds: None, nodes: Vec::new() })
}

pub(super) fn build_quadratic(input: &Input) -> Result<Bending, BendingError> {
    let force = Quadratic::new("hinge-quadratic", "hinge", table(input)?, input)?;
    Ok(Bending { force: Box::new(force), folds: None, nodes: Vec::new() })
}

fn table(input: &Input) -> Result<Table, BendingError> {
    let patch = Patch::new(input)?;
    let mut table = Table::new(input, &patch);
    for edge in (0..patch.lines.len()).filter(|&e| matches!(patch.lines[e], Line::Interior | Line::Clamp)) {
        let both: f64 = patch.areas(edge).iter().sum();
        // Each side by itself, with half the area: at a seam the two have different material axes.
        let mut halves = Vec::new();
        let factor = patch.mean_factor(edge);
        for &triangle in input.topology.edges[edge].triangles.iter().filter(|&&t| t != crate::mesh::Topology::NONE) {
            let side = patch.side(triangle as usize, edge);
            let c = side.g.map(|g| g * side.length / both);
            let bent = patch.rest_curvature(triangle as usize);
            // Of a rest curvature the hinge sees the part across its edge, tᵀκ̄t; g and κ̄ both carry 2uv.
            let across = side.g[0] * bent[0] + side.g[1] * bent[1] + 0.5 * side.g[2] * bent[2];
            let rest = std::array::from_fn(|k| c[k] * patch.rest_angle(edge) + side.g[k] * across);
            if input.owns(triangle as usize) {
                halves.push((Column { hinge: patch.hinge_of[edge], c }, rest));
            }
        }
        let same = |a: [f64; 3], b: [f64; 3]| (0..3).all(|k| (a[k] - b[k]).abs() <= 1e-12 * dot(a, a).sqrt());
        if let [(first, rest), (second, other)] = &halves[..]
            && same(first.c, second.c)
            && same(*rest, *other)
        {
            table.push(factor * both, [*first], *rest);
            continue;
        }
        for (column, rest) in halves {
            table.push(factor * 0.5 * both, [column], rest);
        }
    }
    Ok(table)
}
