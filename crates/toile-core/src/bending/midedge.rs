//! `midedge`: one curvature per triangle from the normals at the middles of its edges, on vertices only.
//! ```text
//! κ_T = Σ_i (l_i/A) (½(θ_i − θ̄_i) + s_i φ_i) g_i − κ̄_T       φ_e = Σ_f c_ef (θ_f − θ̄_f)       E = Σ_T A w(P κ_T)
//! ```
//! with the reconstruction c_ef of [`super::patch`]. Exact on quadratic surfaces in every direction on every mesh, and never
//! softer than `morley`, which is this energy minimised over φ: so it has no spurious mode. On meshes symmetric about the
//! middles of their edges c = 0 and the edge normal is the mean of the two faces.
//!
//! | symbol | meaning                                                        | unit |
//! |--------|----------------------------------------------------------------|------|
//! | l_i, A | edge length, area of the triangle, at rest                     | m, m² |
//! | g_i    | (t_u², t_v², 2t_u t_v) of the edge's outward normal t          | –    |
//! | s_i    | +1 in the first triangle of the edge, −1 in the second         | –    |
//! | P      | takes the moment across free edges and creases to zero         | –    |
//!
//! Where fabrics meet, κ is that of the sheet as a whole, and each triangle answers it with its own law.
//!
//! On free edges, clamps and creases φ = 0. Creases stay out of all φ. Limits: the linear membrane triangle locks in
//! bending when elements are stretched along the direction of strong curvature; no bending model cures that.

use super::angular::Angular;
use super::patch::{Line, Patch, dot, relaxation};
use super::quadratic::Quadratic;
use super::table::{Column, Table};
use super::{Bending, BendingError, Input};
use crate::mesh::Topology;
use crate::parallel;

pub(super) fn build(input: &Input) -> Result<Bending, BendingError> {
    let force = Angular::new(table(input)?, input.material)?;
    Ok(Bending { force: Box::new(force), folds: None, nodes: Vec::new() })
}

pub(super) fn build_quadratic(input: &Input) -> Result<Bending, BendingError> {
    let force = Quadratic::new("midedge-quadratic", "midedge", table(input)?, input)?;
    Ok(Bending { force: Box::new(force), folds: None, nodes: Vec::new() })
}

fn table(input: &Input) -> Result<Table, BendingError> {
    let patch = Patch::new(input)?;
    let mut table = Table::new(input, &patch);
    let is_needed = |e: usize| {
        let triangles = input.topology.edges[e].triangles;
        triangles.iter().any(|&t| t != Topology::NONE && input.owns(t as usize))
    };
    let corrections = parallel::map(patch.lines.len(), |e| match patch.lines[e] {
        Line::Interior if is_needed(e) => patch.reconstruction(e),
        _ => Vec::new(),
    });
    let mut rest_angles = vec![0.0; patch.hinges.len()];
    for (edge, &hinge) in patch.hinge_of.iter().enumerate() {
        if let Some(rest) = rest_angles.get_mut(hinge as usize) {
            *rest = patch.rest_angle(edge);
        }
    }
    for triangle in (0..patch.triangle_count()).filter(|t| input.owns(*t)) {
        let correction = |edge: usize, visit: &mut dyn FnMut(u32, f64)| {
            for &(hinge, c) in &corrections[edge] {
                visit(hinge, c);
            }
        };
        push_triangle(&mut table, input, &patch, triangle, &rest_angles, correction);
    }
    Ok(table)
}

/// Adds the element of a triangle; `correction` shows the hinges that make up φ of an edge, with their weights.
pub(super) fn push_triangle(
    table: &mut Table,
    input: &Input,
    patch: &Patch,
    triangle: usize,
    rest_angles: &[f64],
    correction: impl Fn(usize, &mut dyn FnMut(u32, f64)),
) {
    let area = patch.area(triangle);
    let sides = patch.sides(triangle);
    let ends = |line: Line| matches!(line, Line::Free | Line::Crease);
    let free: Vec<[f64; 3]> = sides.iter().filter(|s| ends(patch.lines[s.edge as usize])).map(|s| s.g).collect();
    let p = relaxation(&input.material.elastic, &free);
    let mut columns = Vec::new();
    for side in sides.iter().filter(|s| !ends(patch.lines[s.edge as usize])) {
        let edge = side.edge as usize;
        let mut add = |hinge: u32, weight: f64| {
            let g = side.g.map(|x| x * weight * side.length / area);
            columns.push(Column { hinge, c: std::array::from_fn(|k| dot(p[k], g)) });
        };
        add(patch.hinge_of[edge], 0.5);
        correction(edge, &mut |hinge, c| add(hinge, side.sign * c));
    }
    let mut rest = std::array::from_fn(|k| dot(p[k], patch.rest_curvature(triangle)));
    for column in &columns {
        for k in 0..3 {
            rest[k] += column.c[k] * rest_angles.get(column.hinge as usize).copied().unwrap_or(0.0);
        }
    }
    // The energy of an element is its area times that of the law: a stiffer one counts for more.
    table.push(patch.factor(triangle) * area, columns, rest);
}
