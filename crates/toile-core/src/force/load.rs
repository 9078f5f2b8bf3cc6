//! Dead loads: constant forces on nodes that keep their direction, F = const, potential −F·x.

use super::{Force, Moment, Projection, Target};
use crate::linalg::Pattern;
use glam::DVec3;

/// Constant forces.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// Loaded nodes and the force on each (N).
    pub forces: Vec<(u32, DVec3)>,
}

impl Load {
    /// A force (N) shared out over nodes by weights that add up to one.
    pub fn shared(force: DVec3, shares: &[(u32, f64)]) -> Self {
        Self { forces: shares.iter().map(|&(node, share)| (node, share * force)).collect() }
    }
}

impl Force for Load {
    fn name(&self) -> &'static str {
        "load"
    }

    fn reads_velocities(&self) -> bool {
        false
    }

    fn stencils(&self, visit: &mut dyn FnMut(&[u32])) {
        self.forces.iter().for_each(|(n, _)| visit(&[*n]));
    }

    fn bind(&mut self, _pattern: &Pattern) {}

    fn energy(&self, at: &Moment, _memory: &[f64]) -> f64 {
        self.forces.iter().map(|(n, f)| -f.dot(at.positions[*n as usize])).sum()
    }

    fn add_forces(&self, _at: &Moment, _memory: &[f64], forces: &mut [DVec3]) {
        for (n, f) in &self.forces {
            forces[*n as usize] += *f;
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::Rate;

    /// Forces are the slope of the potential, and do not depend on the place.
    #[test]
    fn load_is_the_slope_of_its_potential() {
        let load = Load::shared(DVec3::new(0.3, -2.0, 1.1), &[(0, 0.25), (2, 0.75)]);
        let mut positions = vec![DVec3::new(0.1, 0.2, 0.3), DVec3::ONE, DVec3::new(-0.4, 0.5, 2.0)];
        let zero = vec![DVec3::ZERO; 3];
        let energy = |x: &[DVec3]| {
            load.energy(&Moment { positions: x, velocities: &zero, time: 0.0, elapsed: 0.0, rate: Rate::Instant }, &[])
        };
        let mut forces = zero.clone();
        let at = Moment { positions: &positions, velocities: &zero, time: 0.0, elapsed: 0.0, rate: Rate::Instant };
        load.add_forces(&at, &[], &mut forces);
        assert!((forces.iter().sum::<DVec3>() - DVec3::new(0.3, -2.0, 1.1)).length() < 1e-15);
        for i in 0..3 {
            for c in 0..3 {
                let (h, x) = (1e-3, positions[i][c]);
                positions[i][c] = x + h;
                let up = energy(&positions);
                positions[i][c] = x - h;
                let down = energy(&positions);
                positions[i][c] = x;
                assert!(((down - up) / (2.0 * h) - forces[i][c]).abs() < 1e-12, "{i} {c}");
            }
        }
    }
}
