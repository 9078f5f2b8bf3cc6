//! Ties: two points of cloth held together by a short thread. Buttons, and layers sewn onto a line of another.
//!
//! A point is a weighted mean of nodes. Potential at distance d with slack ℓ, e = max(0, d − ℓ): F²/k (√(1 + (k e/F)²) − 1), as a
//! [`Stitch`](super::Stitch) that is loose below ℓ: k e near, never more than F far apart. Convex, so its matrix needs no projection:
//! ```text
//! H = p″ nnᵀ + p′/d (1 − nnᵀ)        p′ = k e/r,  p″ = k/r³,  r = √(1 + (k e/F)²),  n the direction of d
//! ```
//! At d = ℓ = 0 both are k.

use super::{Force, Moment, Projection, Pull, Target};
use crate::linalg::{BlockMatrix, Pattern, Real};
use glam::{DMat3, DVec3};

/// Below this distance (m) two points have no direction; a thread without slack is then a spring the same in all of them.
const POINT: f64 = 1e-12;

/// Two points of cloth.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tie {
    /// Nodes with their weights: of the first point positive, of the second negative.
    members: Vec<(u32, f64)>,
}

impl Tie {
    /// Two points, each as nodes with weights that sum to one.
    pub fn new(first: &[(u32, f64)], second: &[(u32, f64)]) -> Self {
        let mut members: Vec<(u32, f64)> = first.to_vec();
        members.extend(second.iter().map(|&(node, weight)| (node, -weight)));
        members.sort_by_key(|m| m.0);
        members.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                kept.1 += next.1;
            }
            is_same
        });
        Self { members }
    }

    /// The same among nodes that are numbered from `first` on.
    pub fn numbered_from(&self, first: u32) -> Self {
        Self { members: self.members.iter().map(|&(node, weight)| (node + first, weight)).collect() }
    }

    /// From the second point to the first (m).
    pub fn offset(&self, positions: &[DVec3]) -> DVec3 {
        self.members.iter().map(|&(node, weight)| weight * positions[node as usize]).sum()
    }
}

/// Ties that are alike.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ties {
    ties: Vec<Tie>,
    pull: [f64; 2],
    slack: f64,
    /// Places in the matrix of pairs i > j of members, tie by tie.
    slots: Vec<Vec<u32>>,
}

impl Ties {
    /// Threads that pull alike and are loose up to a distance (m).
    pub fn new(ties: Vec<Tie>, pull: Pull, slack: f64) -> Self {
        Self { ties, pull: [pull.stiffness, pull.most], slack, slots: Vec::new() }
    }

    /// Distance and direction of a tie, how far it is stretched, and r.
    fn stretch(&self, tie: &Tie, at: &Moment) -> (f64, DVec3, f64, f64) {
        let offset = tie.offset(at.positions);
        let distance = offset.length();
        let stretch = (distance - self.slack).max(0.0);
        let s = self.pull[0] / self.pull[1] * stretch;
        (distance, offset.normalize_or_zero(), stretch, (1.0 + s * s).sqrt())
    }

    /// −∂F/∂offset of a tie.
    fn block(&self, tie: &Tie, at: &Moment) -> DMat3 {
        let (distance, n, stretch, r) = self.stretch(tie, at);
        if stretch == 0.0 && self.slack > 0.0 {
            return DMat3::ZERO;
        }
        let k = self.pull[0] / r;
        if distance < POINT {
            return DMat3::IDENTITY * k;
        }
        let outer = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
        let across = k * stretch / distance;
        outer * (k / (r * r) - across) + DMat3::IDENTITY * across
    }

    fn assemble<T: Real>(&self, at: &Moment, matrix: &mut BlockMatrix<T>) {
        for (tie, slots) in self.ties.iter().zip(&self.slots) {
            let block = self.block(tie, at).to_cols_array();
            let add = |to: &mut [T; 9], weight: f64| (0..9).for_each(|e| to[e] += T::from_f64(weight * block[e]));
            let mut slot = slots.iter();
            for (i, &(node, weight)) in tie.members.iter().enumerate() {
                add(&mut matrix.diagonal[node as usize], weight * weight);
                for (&(_, other), &place) in tie.members[..i].iter().zip(slot.by_ref()) {
                    add(&mut matrix.lower[place as usize], weight * other);
                }
            }
        }
    }
}

impl Force for Ties {
    fn name(&self) -> &'static str {
        "tie"
    }

    fn reads_velocities(&self) -> bool {
        false
    }

    fn stencils(&self, visit: &mut dyn FnMut(&[u32])) {
        for tie in &self.ties {
            visit(&tie.members.iter().map(|m| m.0).collect::<Vec<_>>());
        }
    }

    fn bind(&mut self, pattern: &Pattern) {
        let of = |tie: &Tie| {
            let nodes: Vec<u32> = tie.members.iter().map(|m| m.0).collect();
            let pairs = (0..nodes.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
            pairs.map(|(i, j)| pattern.slot(nodes[i], nodes[j]).expect("the pattern knows the stencils")).collect()
        };
        self.slots = self.ties.iter().map(of).collect();
    }

    fn energy(&self, at: &Moment, _memory: &[f64]) -> f64 {
        let [k, most] = self.pull;
        let one = |tie: &Tie| {
            let r = self.stretch(tie, at).3;
            // √(1 + s²) − 1 without its cancellation.
            (r * r - 1.0) / (r + 1.0)
        };
        most * most / k * self.ties.iter().map(one).sum::<f64>()
    }

    fn add_forces(&self, at: &Moment, _memory: &[f64], forces: &mut [DVec3]) {
        for tie in &self.ties {
            let (_, n, stretch, r) = self.stretch(tie, at);
            let force = self.pull[0] * stretch / r * n;
            for &(node, weight) in &tie.members {
                forces[node as usize] -= weight * force;
            }
        }
    }

    fn add_jacobian(&self, at: &Moment, _memory: &[f64], _projection: Projection, target: &mut Target) {
        match target {
            Target::Single(matrix) => self.assemble(at, matrix),
            Target::Double(matrix) => self.assemble(at, matrix),
        }
    }

    fn add_product(
        &self,
        at: &Moment,
        _memory: &[f64],
        _projection: Projection,
        direction: &[DVec3],
        product: &mut [DVec3],
    ) -> bool {
        for tie in &self.ties {
            let force = self.block(tie, at) * tie.offset(direction);
            for &(node, weight) in &tie.members {
                product[node as usize] += weight * force;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::testing::{check_derivatives, forces_at};

    const PULL: Pull = Pull { stiffness: 40.0, most: 0.7 };

    #[test]
    fn ties_are_loose_then_springs_then_pull_steadily() {
        let ties = Ties::new(vec![Tie::new(&[(0, 1.0)], &[(1, 1.0)])], PULL, 0.01);
        let at = |d: f64| forces_at(&ties, &[DVec3::X * d, DVec3::ZERO])[0].x;
        assert_eq!(at(0.0), 0.0);
        assert_eq!(at(0.009), 0.0);
        assert!((at(0.01 + 1e-5) + 4e-4).abs() < 1e-9);
        assert!((at(10.0) + 0.7).abs() < 1e-5);
    }

    /// A point of a triangle against one of another that shares a node with it.
    #[test]
    fn derivatives_are_those_of_the_potential() {
        let x = [
            DVec3::new(0.01, -0.02, 0.03),
            DVec3::new(0.02, 0.015, -0.01),
            DVec3::new(-0.04, 0.03, 0.02),
            DVec3::new(0.05, 0.01, 0.02),
            DVec3::new(0.0, 0.06, -0.03),
        ];
        let tie = Tie::new(&[(0, 0.2), (1, 0.5), (2, 0.3)], &[(2, 0.1), (4, 0.5), (3, 0.4)]);
        for slack in [0.0, 0.01] {
            check_derivatives(&mut Ties::new(vec![tie.clone()], PULL, slack), &x, 1e-6 * PULL.stiffness);
        }
        // Both points at one place.
        let shut = Ties::new(vec![Tie::new(&[(0, 1.0)], &[(1, 1.0)])], PULL, 0.0);
        let at = [DVec3::ONE; 2];
        let at = Moment { positions: &at, velocities: &at, time: 0.0, elapsed: 0.0, rate: crate::force::Rate::Instant };
        assert_eq!(shut.block(&shut.ties[0], &at), DMat3::IDENTITY * PULL.stiffness);
    }
}
