//! Jacobian blocks of [`Angular`]: A Bᵀ E B of the elements, m ∇²θ and creases of the hinges.

use super::angle::{Kind, outer};
use super::angular::{Angular, Sweep};
use super::patch::eigen;
use crate::force::{Moment, Projection, Target};
use crate::law::Sym3;
use crate::linalg::{BlockMatrix, Pattern, Real};
use crate::parallel::{Scatter, Schedule};
use glam::DVec3;
use std::ops::Range;

/// Node sets of elements, the order to work through them, and where their blocks go.
#[derive(Default)]
pub(super) struct Stencils {
    starts: Vec<u32>,
    nodes: Vec<u32>,
    pub(super) schedule: Schedule,
    /// Matrix slots of the pairs i > j of each stencil, row by row.
    slot_starts: Vec<u32>,
    slots: Vec<u32>,
}

impl Stencils {
    pub(super) fn new(node_count: usize, sets: Vec<Vec<u32>>) -> Self {
        let schedule = Schedule::new(node_count, sets.iter().map(|s| s.as_slice()));
        let mut starts = vec![0];
        let mut slot_starts = vec![0];
        let mut nodes = Vec::new();
        let mut slots = 0;
        for set in &sets {
            nodes.extend_from_slice(set);
            starts.push(nodes.len() as u32);
            slots += set.len() * set.len().saturating_sub(1) / 2;
            slot_starts.push(slots as u32);
        }
        Self { starts, nodes, schedule, slot_starts, slots: Vec::new() }
    }

    #[inline(always)]
    pub(super) fn nodes(&self, k: usize) -> &[u32] {
        &self.nodes[self.starts[k] as usize..self.starts[k + 1] as usize]
    }

    #[inline(always)]
    pub(super) fn slots(&self, k: usize) -> &[u32] {
        &self.slots[self.slot_starts[k] as usize..self.slot_starts[k + 1] as usize]
    }

    pub(super) fn bind(&mut self, pattern: &Pattern) {
        let mut slots = Vec::with_capacity(self.slot_starts.last().copied().unwrap_or(0) as usize);
        for k in 0..self.starts.len() - 1 {
            let nodes = self.nodes(k);
            for i in 0..nodes.len() {
                for j in 0..i {
                    slots.push(pattern.slot(nodes[i], nodes[j]).expect("the pattern was made from these stencils"));
                }
            }
        }
        self.slots = slots;
    }
}

/// Everything that the blocks are made from.
#[derive(Clone, Copy)]
pub(super) struct Assembly<'a> {
    pub(super) force: &'a Angular,
    pub(super) at: &'a Moment<'a>,
    pub(super) sweep: &'a Sweep,
    /// ∂E/∂θ of the hinges (N·m).
    pub(super) moments: &'a [f64],
    pub(super) projection: Projection,
}

/// Where blocks go.
#[derive(Clone, Copy)]
struct Places<'a, T> {
    diagonal: Scatter<'a, [T; 9]>,
    lower: Scatter<'a, [T; 9]>,
}

impl Assembly<'_> {
    pub(super) fn add_to(&self, target: &mut Target) {
        match target {
            Target::Single(matrix) => self.add(matrix),
            Target::Double(matrix) => self.add(matrix),
        }
    }

    fn add<T: Real>(&self, matrix: &mut BlockMatrix<T>) {
        let places = Places { diagonal: Scatter::new(&mut matrix.diagonal), lower: Scatter::new(&mut matrix.lower) };
        self.force.elements.schedule.run(|range| self.add_elements(range, places));
        self.force.hinges.schedule.run(|range| self.add_hinges(range, places));
    }

    fn add_elements<T: Real>(&self, range: Range<usize>, places: Places<T>) {
        let stencils = &self.force.elements;
        let (mut b, mut eb) = (Vec::new(), Vec::new());
        for &e in &stencils.schedule.order[range] {
            let e = e as usize;
            self.rows(e, &mut b, &mut eb);
            let (nodes, slots) = (stencils.nodes(e), stencils.slots(e));
            let mut pair = 0;
            for (i, &node) in nodes.iter().enumerate() {
                for (right, &slot) in eb[..i].iter().zip(&slots[pair..]) {
                    add_block(places.lower.at(slot as usize), &product(&b[i], right));
                }
                add_block(places.diagonal.at(node as usize), &product(&b[i], &eb[i]));
                pair += i;
            }
        }
    }

    /// B by nodes (three rows of a vector each), and A E B.
    #[inline(always)]
    fn rows(&self, element: usize, b: &mut Vec<[DVec3; 3]>, eb: &mut Vec<[DVec3; 3]>) {
        let force = self.force;
        b.clear();
        b.resize(force.elements.nodes(element).len(), [DVec3::ZERO; 3]);
        let range = force.table.range(element);
        for (column, places) in force.table.columns(element).iter().zip(&force.places[range]) {
            let gradient = &self.sweep.gradients[column.hinge as usize];
            for (g, &place) in gradient.iter().zip(places) {
                for (row, c) in b[place as usize].iter_mut().zip(column.c) {
                    *row += c * *g;
                }
            }
        }
        let mut tangent = self.sweep.responses[element].tangent;
        if self.projection != Projection::None {
            tangent = positive_part(tangent);
        }
        let e = tangent.map(|t| t * force.table.areas[element]);
        eb.clear();
        eb.extend(b.iter().map(|b| {
            [
                e[0] * b[0] + e[3] * b[1] + e[4] * b[2],
                e[3] * b[0] + e[1] * b[1] + e[5] * b[2],
                e[4] * b[0] + e[5] * b[1] + e[2] * b[2],
            ]
        }));
    }

    fn add_hinges<T: Real>(&self, range: Range<usize>, places: Places<T>) {
        let Self { force, at, sweep, moments, projection } = *self;
        for &h in &force.hinges.schedule.order[range] {
            let h = h as usize;
            let (nodes, slots) = (force.hinges.nodes(h), force.hinges.slots(h));
            if nodes.is_empty() {
                continue;
            }
            let hinge = &force.table.hinges[h];
            if moments[h] != 0.0 && projection != Projection::Clamp && hinge.kind != Kind::Slope {
                let hessian = hinge.hessian(at.positions, moments[h], projection);
                places.add_stencil(nodes, slots, &hessian);
            }
            let stiffness = force.springs[h][0];
            if stiffness > 0.0 {
                let g = sweep.gradients[h];
                let mut blocks = [[0.0; 9]; 10];
                for (k, block) in blocks.iter_mut().enumerate() {
                    let (i, j) = PAIRS[k];
                    *block = outer(stiffness * g[i], g[j]);
                }
                places.add_stencil(nodes, slots, &blocks);
            }
        }
    }
}

/// Pairs i ≥ j of four nodes, row by row.
const PAIRS: [(usize, usize); 10] = [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 0), (3, 1), (3, 2), (3, 3)];

impl<T: Real> Places<'_, T> {
    /// Adds the blocks of a hinge.
    #[inline(always)]
    fn add_stencil(&self, nodes: &[u32], slots: &[u32], blocks: &[[f64; 9]; 10]) {
        let mut pair = 0;
        for ((i, j), block) in PAIRS.into_iter().zip(blocks) {
            if i == j {
                add_block(self.diagonal.at(nodes[i] as usize), block);
                continue;
            }
            let place = self.lower.at(slots[pair] as usize);
            pair += 1;
            // Blocks are stored with the larger node as row.
            if nodes[i] > nodes[j] { add_block(place, block) } else { add_block(place, &transposed(block)) }
        }
    }
}

/// Σ_m a_m b_mᵀ, row-major.
#[inline(always)]
fn product(a: &[DVec3; 3], b: &[DVec3; 3]) -> [f64; 9] {
    let x = a[0].x * b[0] + a[1].x * b[1] + a[2].x * b[2];
    let y = a[0].y * b[0] + a[1].y * b[1] + a[2].y * b[2];
    let z = a[0].z * b[0] + a[1].z * b[1] + a[2].z * b[2];
    [x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z]
}

#[inline(always)]
fn transposed(block: &[f64; 9]) -> [f64; 9] {
    std::array::from_fn(|k| block[3 * (k % 3) + k / 3])
}

#[inline(always)]
pub(super) fn add_block<T: Real>(place: &mut [T; 9], block: &[f64; 9]) {
    for (p, b) in place.iter_mut().zip(block) {
        *p += T::from_f64(*b);
    }
}

/// Nearest positive semidefinite matrix. Diagonally dominant tangents, the usual ones, pass unchanged.
fn positive_part(e: Sym3<f64>) -> Sym3<f64> {
    let off = [e[3].abs() + e[4].abs(), e[3].abs() + e[5].abs(), e[4].abs() + e[5].abs()];
    if (0..3).all(|m| e[m] >= off[m]) {
        return e;
    }
    let (values, vectors) = eigen(&e);
    if values.iter().all(|v| *v >= 0.0) {
        return e;
    }
    let mut out = [0.0; 6];
    for k in 0..3 {
        let v = vectors.col(k);
        let products = [v.x * v.x, v.y * v.y, v.z * v.z, v.x * v.y, v.x * v.z, v.y * v.z];
        for (o, p) in out.iter_mut().zip(products) {
            *o += values[k].max(0.0) * p;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::sym_mul;

    /// The projection keeps positive matrices, and cuts the negative eigenvalue of others.
    #[test]
    fn positive_part_has_no_negative_eigenvalue() {
        let good = [2.0, 1.0, 3.0, 1.2, 0.1, 0.2];
        assert_eq!(positive_part(good), good);
        let bad = [1.0, 1.0, 2.0, 3.0, 0.5, -0.2];
        let cut = positive_part(bad);
        assert!(eigen(&cut).0.iter().all(|v| *v > -1e-14));
        let (values, vectors) = eigen(&bad);
        assert!(values.iter().any(|v| *v < 0.0));
        for k in 0..3 {
            let v = vectors.col(k).to_array();
            let got = sym_mul(&cut, v);
            assert!((0..3).all(|m| (got[m] - values[k].max(0.0) * v[m]).abs() < 1e-13));
        }
    }
}
