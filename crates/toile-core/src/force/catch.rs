//! Catches: nodes that may not sink below a height. An edge of a garment that is held on the body.
//!
//! Potential ½k max(0, h − y)²: nothing above the height, a spring to it below. The force is upright, so what all of them carry is
//! what they take of the weight.

use super::{Force, Moment, Projection, Target};
use crate::linalg::Pattern;
use glam::DVec3;

/// One caught node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Catch {
    /// Node.
    pub node: u32,
    /// h (m).
    pub height: f64,
    /// k (N/m).
    pub stiffness: f64,
}

/// Caught nodes. One may be caught several times: its springs add up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catches {
    /// All of them.
    pub all: Vec<Catch>,
}

impl Catch {
    fn depth(&self, positions: &[DVec3]) -> f64 {
        (self.height - positions[self.node as usize].y).max(0.0)
    }

    /// Upright force (N).
    pub fn force(&self, positions: &[DVec3]) -> f64 {
        self.stiffness * self.depth(positions)
    }
}

impl Force for Catches {
    fn name(&self) -> &'static str {
        "catch"
    }

    fn reads_velocities(&self) -> bool {
        false
    }

    fn stencils(&self, visit: &mut dyn FnMut(&[u32])) {
        self.all.iter().for_each(|c| visit(&[c.node]));
    }

    fn bind(&mut self, _pattern: &Pattern) {}

    fn energy(&self, at: &Moment, _memory: &[f64]) -> f64 {
        self.all.iter().map(|c| 0.5 * c.stiffness * c.depth(at.positions).powi(2)).sum()
    }

    fn add_forces(&self, at: &Moment, _memory: &[f64], forces: &mut [DVec3]) {
        for c in &self.all {
            forces[c.node as usize].y += c.force(at.positions);
        }
    }

    fn add_jacobian(&self, at: &Moment, _memory: &[f64], _projection: Projection, target: &mut Target) {
        for c in self.all.iter().filter(|c| c.depth(at.positions) > 0.0) {
            match target {
                Target::Single(m) => m.diagonal[c.node as usize][4] += c.stiffness as f32,
                Target::Double(m) => m.diagonal[c.node as usize][4] += c.stiffness,
            }
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
        for c in self.all.iter().filter(|c| c.depth(at.positions) > 0.0) {
            product[c.node as usize].y += c.stiffness * direction[c.node as usize].y;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::testing::{check_derivatives, forces_at};

    #[test]
    fn what_sinks_is_held_and_what_rises_is_not() {
        let mut catches = Catches {
            all: vec![
                Catch { node: 0, height: 0.5, stiffness: 30.0 },
                Catch { node: 1, height: 0.1, stiffness: 20.0 },
                Catch { node: 0, height: 0.4, stiffness: 7.0 },
            ],
        };
        let x = [DVec3::new(0.3, 0.25, 0.1), DVec3::new(-0.1, 0.2, 0.4)];
        let forces = forces_at(&catches, &x);
        assert!((forces[0] - DVec3::Y * (30.0 * 0.25 + 7.0 * 0.15)).length() < 1e-12);
        assert_eq!(forces[1], DVec3::ZERO);
        check_derivatives(&mut catches, &x, 1e-6);
    }
}
