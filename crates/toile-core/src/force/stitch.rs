//! Stitches: threads that pull pairs of nodes together while a seam is being closed.
//!
//! Potential of a pair at distance d: F²/k (√(1 + (k d/F)²) − 1). Its force rises as k d and never exceeds F: far apart the two sides
//! are drawn by a steady pull, near each other they are held by a spring. Convex everywhere, so its matrix needs no projection.
//!
//! Each seam has a k and an F of its own. They are the memory of the force, set from outside as the seams close
//! ([`System::memory_of`](crate::system::System::memory_of)).

use super::{Force, Moment, Projection, Target};
use crate::linalg::{Pair, Pattern};
use glam::DVec3;

/// Pairs of nodes that are sewn together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stitch {
    /// The nodes of each stitch.
    pub pairs: Vec<[u32; 2]>,
    /// The seam each stitch belongs to, counted from 0.
    pub seams: Vec<u32>,
}

/// How the stitches pull.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pull {
    /// k (N/m) of a short stitch.
    pub stiffness: f64,
    /// F (N), the most any of them pulls.
    pub most: f64,
}

impl Stitch {
    /// Name of the force.
    pub const NAME: &'static str = "stitch";

    /// Sets how the stitches of a seam pull, in their memory.
    pub fn set_pull(memory: &mut [f64], seam: usize, pull: Pull) {
        memory[2 * seam..2 * seam + 2].copy_from_slice(&[pull.stiffness, pull.most]);
    }

    /// The stitches that pull, and how.
    fn pulling<'a>(&'a self, memory: &'a [f64]) -> impl Iterator<Item = ([u32; 2], Pull)> + 'a {
        let with_pull = |(pair, seam): (&[u32; 2], &u32)| (*pair, Pull::of(memory, *seam as usize));
        self.pairs.iter().zip(&self.seams).map(with_pull).filter(|(_, pull)| pull.is_on())
    }

    fn offset(&self, at: &Moment, [a, b]: [u32; 2]) -> DVec3 {
        at.positions[a as usize] - at.positions[b as usize]
    }
}

impl Pull {
    fn of(memory: &[f64], seam: usize) -> Self {
        Self { stiffness: memory[2 * seam], most: memory[2 * seam + 1] }
    }

    /// √(1 + (k d/F)²).
    fn slack(&self, offset: DVec3) -> f64 {
        let s = self.stiffness / self.most;
        (1.0 + s * s * offset.length_squared()).sqrt()
    }

    /// Whether there is any.
    fn is_on(&self) -> bool {
        self.stiffness > 0.0 && self.most > 0.0
    }
}

impl Force for Stitch {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn reads_velocities(&self) -> bool {
        false
    }

    fn stencils(&self, visit: &mut dyn FnMut(&[u32])) {
        self.pairs.iter().for_each(|p| visit(p));
    }

    fn bind(&mut self, _pattern: &Pattern) {}

    fn memory_len(&self) -> usize {
        2 * self.seams.iter().max().map_or(0, |last| *last as usize + 1)
    }

    fn energy(&self, at: &Moment, memory: &[f64]) -> f64 {
        // √(1 + s²) − 1 without its cancellation.
        let term = |(pair, pull): ([u32; 2], Pull)| {
            let root = pull.slack(self.offset(at, pair));
            pull.most * pull.most / pull.stiffness * (root * root - 1.0) / (root + 1.0)
        };
        self.pulling(memory).map(term).sum()
    }

    fn add_forces(&self, at: &Moment, memory: &[f64], forces: &mut [DVec3]) {
        for (p, pull) in self.pulling(memory) {
            let offset = self.offset(at, p);
            let force = pull.stiffness / pull.slack(offset) * offset;
            forces[p[0] as usize] -= force;
            forces[p[1] as usize] += force;
        }
    }

    fn add_jacobian(&self, at: &Moment, memory: &[f64], _projection: Projection, target: &mut Target) {
        for ([a, b], pull) in self.pulling(memory) {
            let offset = self.offset(at, [a, b]);
            let root = pull.slack(offset);
            // k/r (1 − s² d dᵀ/r²), s = k/F.
            let (k, s) = (pull.stiffness / root, pull.stiffness / (pull.most * root));
            let d = s * offset;
            let block = [
                k * (1.0 - d.x * d.x),
                -k * d.x * d.y,
                -k * d.x * d.z,
                k * (1.0 - d.y * d.y),
                -k * d.y * d.z,
                k * (1.0 - d.z * d.z),
            ];
            let pair = Pair { nodes: [a, b, 0, 0], weights: [1.0, -1.0, 0.0, 0.0], block };
            let coupled = target.add_pair(&pair);
            debug_assert!(coupled, "the pattern knows the stencils");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::Rate;
    use crate::linalg::BlockMatrix;
    use std::sync::Arc;

    const PULL: Pull = Pull { stiffness: 40.0, most: 0.7 };
    const MEMORY: [f64; 4] = [PULL.stiffness, PULL.most, 0.0, 0.0];

    fn energy(stitch: &Stitch, x: &[DVec3]) -> f64 {
        let zero = vec![DVec3::ZERO; x.len()];
        let at = Moment { positions: x, velocities: &zero, time: 0.0, elapsed: 0.0, rate: Rate::Instant };
        stitch.energy(&at, &MEMORY)
    }

    fn forces(stitch: &Stitch, x: &[DVec3]) -> Vec<DVec3> {
        let mut forces = vec![DVec3::ZERO; x.len()];
        let zero = forces.clone();
        let at = Moment { positions: x, velocities: &zero, time: 0.0, elapsed: 0.0, rate: Rate::Instant };
        stitch.add_forces(&at, &MEMORY, &mut forces);
        forces
    }

    #[test]
    fn short_stitches_are_springs_and_long_ones_pull_steadily() {
        let stitch = Stitch { pairs: vec![[0, 1]], seams: vec![0] };
        let at = |d: f64| forces(&stitch, &[DVec3::X * d, DVec3::ZERO])[0].x;
        assert!((at(1e-5) + 4e-4).abs() < 1e-9);
        assert!((at(10.0) + 0.7).abs() < 1e-5);
    }

    /// Central differences of the energy give the forces, those of the forces the matrix.
    #[test]
    fn derivatives_are_those_of_the_potential() {
        // The second seam does not pull yet.
        let stitch = Stitch { pairs: vec![[1, 0], [0, 2], [1, 2]], seams: vec![0, 1, 0] };
        let x = [DVec3::new(0.01, -0.02, 0.03), DVec3::new(0.02, 0.015, -0.01), DVec3::new(-0.4, 0.3, 0.2)];
        let pattern = Arc::new(Pattern::from_stencils(3, |visit| stitch.stencils(visit)));
        let mut matrix = BlockMatrix::<f64>::zero(pattern.clone());
        let zero = [DVec3::ZERO; 3];
        let at = Moment { positions: &x, velocities: &zero, time: 0.0, elapsed: 0.0, rate: Rate::Instant };
        stitch.add_jacobian(&at, &MEMORY, Projection::None, &mut Target::Double(&mut matrix));
        let h = 1e-6;
        for i in 0..3 {
            for c in 0..3 {
                let moved = |h: f64| {
                    let mut y = x;
                    y[i][c] += h;
                    y
                };
                let slope = (energy(&stitch, &moved(h)) - energy(&stitch, &moved(-h))) / (2.0 * h);
                assert!((slope + forces(&stitch, &x)[i][c]).abs() < 1e-8);
                let (up, down) = (forces(&stitch, &moved(h)), forces(&stitch, &moved(-h)));
                let (mut direction, mut product) = (zero, zero);
                direction[i][c] = 1.0;
                matrix.add_product(&direction, &mut product);
                for j in 0..3 {
                    let difference = (down[j] - up[j]) / (2.0 * h);
                    assert!((difference - product[j]).length() < 1e-6 * PULL.stiffness, "{i} {c} {j}");
                }
            }
        }
    }
}
