//! `morley`: the curvature of [`super::midedge`] with φ as an unknown of every interior edge: the normal at the middle of an
//! edge turns freely about it. This is the nonconforming plate triangle of Morley (1968), carried to large rotations by
//! measuring against the turning faces. For verification and direct solvers: sparser rows, more unknowns.
//!
//! φ (rad) lives in the x component of a massless auxiliary node per interior edge.

use super::angle::{Hinge, Kind};
use super::angular::Angular;
use super::midedge::push_triangle;
use super::patch::{Line, Patch};
use super::table::Table;
use super::{Bending, BendingError, Input, Node};
use glam::DVec3;

pub(super) fn build(input: &Input) -> Result<Bending, BendingError> {
    if input.own.is_some() {
        return Err(BendingError::Mixed { model: "morley", instead: "midedge" });
    }
    let patch = Patch::new(input)?;
    let mut table = Table::new(input, &patch);
    let mut nodes = Vec::new();
    let mut slope_of = vec![None; patch.lines.len()];
    for edge in (0..patch.lines.len()).filter(|&e| patch.lines[e] == Line::Interior) {
        slope_of[edge] = Some(table.hinges.len() as u32);
        let node = input.first_node + nodes.len() as u32;
        let none = [0.0; 2];
        table.hinges.push(Hinge { nodes: [node; 4], kind: Kind::Slope, length: 0.0, heights: none, feet: none });
        nodes.push(Node { position: DVec3::ZERO, free: [true, false, false] });
    }
    let mut rest_angles = vec![0.0; table.hinges.len()];
    for (edge, &hinge) in patch.hinge_of.iter().enumerate() {
        if let Some(rest) = rest_angles.get_mut(hinge as usize) {
            *rest = patch.rest_angle(edge);
        }
    }
    for triangle in 0..patch.triangle_count() {
        let correction = |edge: usize, visit: &mut dyn FnMut(u32, f64)| {
            if let Some(slope) = slope_of[edge] {
                visit(slope, 1.0);
            }
        };
        push_triangle(&mut table, input, &patch, triangle, &rest_angles, correction);
    }
    Ok(Bending { force: Box::new(Angular::new(table, input.material)?), folds: None, nodes })
}
