//! Coulomb friction as a potential of the step: smoothed, with the normal forces of the step's start.
//!
//! A pair that slides by u over the step, tangentially, feels λ F(|u|/(ε h)) against u, λ the force that pressed it at the start of
//! the step and ε the speed below which it sticks:
//!
//! ```text
//! F(y) = μs (2y − y²)                             y < 1
//!        μk + (μs − μk) (1 − S((y − 1)/2))        1 ≤ y, S = 3y² − 2y³ up to 1
//! ```
//!
//! Balls and capsules that turn carry their surface past their axis: that way is part of u.
//!
//! Source: Li20 §5 (lagged, smoothed); the fall from static to kinetic is ours. The kept Hessian is λF/|u| (I − nnᵀ): positive, and
//! never softer than the true one.

use super::potential::smooth;
use super::{Barrier, Touch};
use glam::DVec3;

/// Coefficients of a pair of materials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friction {
    /// Holds up to this times the normal force.
    pub rest: f64,
    /// Slides against this times the normal force.
    pub sliding: f64,
}

impl Friction {
    /// The same coefficient at rest and sliding.
    pub fn coulomb(coefficient: f64) -> Self {
        Self { rest: coefficient, sliding: coefficient }
    }

    /// F and its integral ∫F dy.
    pub(super) fn at(&self, y: f64) -> [f64; 2] {
        if y < 1.0 {
            return [self.rest * y * (2.0 - y), self.rest * y * y * (1.0 - y / 3.0)];
        }
        let (fall, z) = (self.rest - self.sliding, (y - 1.0) / 2.0);
        // ∫S dz = z³ − z⁴/2 up to 1, then z − ½.
        let area = if z < 1.0 { z * z * z * (1.0 - 0.5 * z) } else { z - 0.5 };
        let force = self.sliding + fall * (1.0 - smooth(z)[0]);
        [force, self.rest * 2.0 / 3.0 + self.sliding * (y - 1.0) + fall * 2.0 * (z - area)]
    }
}

/// A pair that rubs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rub {
    pub(super) nodes: [u32; 4],
    pub(super) weights: [f64; 4],
    pub(super) normal: DVec3,
    /// λ (N).
    pub(super) load: f64,
    pub(super) friction: Friction,
    /// What the turning of round obstacles adds to the slip over the whole step (m), tangential.
    pub(super) passing: DVec3,
}

impl Barrier {
    /// Friction of a touch in this step, if it has any.
    pub(super) fn rub(&self, touch: &Touch) -> Option<Rub> {
        let first = self.bodies.owner[touch.nodes[0] as usize] as usize;
        let second = self.bodies.owner[touch.nodes[3] as usize] as usize;
        let friction = self.friction[first * self.bodies.count + second];
        (friction.rest > 0.0 && touch.force > 0.0).then(|| Rub {
            nodes: touch.nodes,
            weights: touch.weights,
            normal: touch.normal,
            load: touch.force,
            friction,
            passing: self.bodies.passing(&self.spins, &touch.nodes, touch.normal),
        })
    }
}

impl Rub {
    /// Tangential slip since the step's start (m).
    fn slip(&self, x: &[DVec3], start: &[DVec3]) -> DVec3 {
        let mut u = DVec3::ZERO;
        for (&i, w) in self.nodes.iter().zip(self.weights) {
            u += w * (x[i as usize] - start[i as usize]);
        }
        u - self.normal * self.normal.dot(u) + self.passing
    }

    /// Friction on the first feature (N) and the stiffness λF/|u| (N/m); `stick` is ε h (m).
    pub(super) fn force(&self, x: &[DVec3], start: &[DVec3], stick: f64) -> (DVec3, f64) {
        let u = self.slip(x, start);
        let y = u.length() / stick;
        // F/y → 2μ as y → 0.
        let ratio = if y > 1e-9 { self.friction.at(y)[0] / y } else { 2.0 * self.friction.rest };
        let stiffness = self.load * ratio / stick;
        (-stiffness * u, stiffness)
    }

    /// Potential (J).
    pub(super) fn energy(&self, x: &[DVec3], start: &[DVec3], stick: f64) -> f64 {
        self.load * stick * self.friction.at(self.slip(x, start).length() / stick)[1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn force_is_the_slope_of_the_potential() {
        for friction in [Friction::coulomb(0.3), Friction { rest: 0.6, sliding: 0.4 }] {
            for k in 1..60 {
                let (y, h) = (0.1 * k as f64 + 0.003, 1e-6);
                let slope = (friction.at(y + h)[1] - friction.at(y - h)[1]) / (2.0 * h);
                assert!((slope - friction.at(y)[0]).abs() < 1e-8, "{y}: {slope} {:?}", friction.at(y));
            }
            assert!((friction.at(1.0)[0] - friction.rest).abs() < 1e-15);
            assert!((friction.at(9.0)[0] - friction.sliding).abs() < 1e-15);
        }
    }

    /// A block pushed with a force inside the cone rests, outside it slides; the force opposes the slip.
    #[test]
    fn friction_opposes_slip_up_to_its_cone() {
        let rub = Rub {
            nodes: [0, 1, 1, 1],
            weights: [1.0, -1.0, 0.0, 0.0],
            normal: DVec3::Y,
            load: 2.0,
            friction: Friction::coulomb(0.3),
            passing: DVec3::ZERO,
        };
        let start = [DVec3::Y, DVec3::ZERO];
        for slip in [1e-7, 1e-5, 1e-2] {
            let x = [DVec3::Y + DVec3::new(slip, 0.3, -slip), DVec3::ZERO];
            let (force, stiffness) = rub.force(&x, &start, 1e-5);
            assert!(force.y == 0.0 && force.x < 0.0 && force.z > 0.0 && stiffness > 0.0);
            let expected = if slip * 2f64.sqrt() > 1e-5 { 0.6 } else { 0.0 };
            assert!(force.length() <= 0.6 + 1e-12 && force.length() >= expected - 1e-12, "{force}");
        }
    }
}
