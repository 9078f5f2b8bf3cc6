//! The force that contact exerts during a step, remembered from the one before.

use glam::DVec3;
use toile_core::force::{Force, Moment, Projection, Target};
use toile_core::linalg::Pattern;

/// Name of the force in a system.
pub(super) const NAME: &str = "contact";

/// Constant forces on vertices whose values are memory of the state: [`Geometric`](super::Geometric) sets them after each step, and
/// they are stored and brought back with the state. A system with geometric contact has one.
#[derive(Clone, Debug)]
pub struct Push {
    vertex_count: usize,
}

impl Push {
    /// For the first vertices of a system.
    pub fn new(vertex_count: usize) -> Self {
        Self { vertex_count }
    }

    /// Force on vertex `i` (N).
    pub(super) fn force(memory: &[f64], i: usize) -> DVec3 {
        DVec3::from_slice(&memory[3 * i..3 * i + 3])
    }
}

impl Force for Push {
    fn name(&self) -> &'static str {
        NAME
    }

    fn reads_velocities(&self) -> bool {
        false
    }

    fn stencils(&self, visit: &mut dyn FnMut(&[u32])) {
        (0..self.vertex_count as u32).for_each(|n| visit(&[n]));
    }

    fn bind(&mut self, _pattern: &Pattern) {}

    fn memory_len(&self) -> usize {
        3 * self.vertex_count
    }

    /// Contact stores none.
    fn energy(&self, _at: &Moment, _memory: &[f64]) -> f64 {
        0.0
    }

    fn potential(&self, at: &Moment, memory: &[f64]) -> f64 {
        (0..self.vertex_count).map(|i| -Self::force(memory, i).dot(at.positions[i])).sum()
    }

    fn add_forces(&self, _at: &Moment, memory: &[f64], forces: &mut [DVec3]) {
        (0..self.vertex_count).for_each(|i| forces[i] += Self::force(memory, i));
    }

    fn add_jacobian(&self, _at: &Moment, _memory: &[f64], _projection: Projection, _target: &mut Target) {}

    fn add_product(
        &self,
        _at: &Moment,
        _memory: &[f64],
        _projection: Projection,
        _direction: &[DVec3],
        _product: &mut [DVec3],
    ) -> bool {
        true // constant forces have no Jacobian
    }
}
