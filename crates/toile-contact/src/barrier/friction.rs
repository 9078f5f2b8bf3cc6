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
//! Where μ depends on the direction of slip against the weave, see `weave`. Balls and capsules that turn carry their surface past their axis: that way is part of u.
//!
//! Source: Li20 §5 (lagged, smoothed); the fall from static to kinetic is ours. The kept Hessian is λF/|u| (I − nnᵀ): positive, and
//! never softer than the true one.

use super::potential::smooth;
use super::weave::Weave;
use super::{Barrier, Touch, across};
use glam::DVec3;

/// Friction of a pair of materials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friction {
    /// Holds up to this times the normal force.
    pub rest: Coefficient,
    /// Slides against this times the normal force.
    pub sliding: Coefficient,
}

/// Tangential over normal force, by the direction of slip against the threads of the cloth. Between them it goes by the ellipse; two
/// sheets give the root of the mean square of theirs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficient {
    /// Along the weft.
    pub weft: f64,
    /// Across the weft: along the warp of cloth that is not sheared. Smaller than a tenth of the other counts as a tenth
    /// ([`NARROWEST`](super::NARROWEST)), and so does `weft`.
    pub warp: f64,
}

impl From<f64> for Coefficient {
    /// The same in all directions.
    fn from(coefficient: f64) -> Self {
        Self { weft: coefficient, warp: coefficient }
    }
}

impl Coefficient {
    fn is_even(&self) -> bool {
        self.weft == self.warp
    }

    /// Of both directions.
    pub fn mean(&self) -> f64 {
        0.5 * (self.weft + self.warp)
    }
}

impl Friction {
    /// The same coefficient at rest and sliding, in all directions.
    pub fn coulomb(coefficient: f64) -> Self {
        Self { rest: coefficient.into(), sliding: coefficient.into() }
    }

    /// Is it the same in all directions?
    pub fn is_even(&self) -> bool {
        self.rest.is_even() && self.sliding.is_even()
    }
}

/// Friction that is the same in all directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cone {
    pub(super) rest: f64,
    pub(super) sliding: f64,
}

impl Cone {
    /// Its parts: F is linear in the coefficients.
    pub(super) const RESTING: Self = Self { rest: 1.0, sliding: 0.0 };
    pub(super) const SLIDING: Self = Self { rest: 0.0, sliding: 1.0 };

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

    /// λF/|u| (N/m) at a slip.
    fn stiffness(&self, load: f64, u: DVec3, stick: f64) -> f64 {
        let y = u.length() / stick;
        // F/y → 2μ as y → 0.
        let ratio = if y > 1e-9 { self.at(y)[0] / y } else { 2.0 * self.rest };
        load * ratio / stick
    }
}

/// By direction, or not.
#[derive(Clone, Debug)]
pub(super) enum Law {
    Even(Cone),
    Woven(Box<Weave>),
}

/// A pair that rubs.
#[derive(Clone, Debug)]
pub(super) struct Rub {
    pub(super) nodes: [u32; 4],
    pub(super) weights: [f64; 4],
    pub(super) normal: DVec3,
    /// λ (N).
    pub(super) load: f64,
    pub(super) law: Law,
    /// What the turning of round obstacles adds to the slip over the whole step (m), tangential.
    pub(super) passing: DVec3,
}

impl Barrier {
    /// Friction of a touch in this step, if it has any.
    pub(super) fn rub(&self, touch: &Touch) -> Option<Rub> {
        let first = self.bodies.owner[touch.nodes[0] as usize] as usize;
        let second = self.bodies.owner[touch.nodes[3] as usize] as usize;
        let friction = &self.friction[first * self.bodies.count + second];
        let Friction { rest, sliding } = friction;
        (rest.weft.max(rest.warp) > 0.0 && touch.force > 0.0).then(|| Rub {
            nodes: touch.nodes,
            weights: touch.weights,
            normal: touch.normal,
            load: touch.force,
            law: if friction.is_even() {
                Law::Even(Cone { rest: rest.weft, sliding: sliding.weft })
            } else {
                Law::Woven(Box::new(Weave::new(friction, touch.normal, &self.wefts_at(touch))))
            },
            passing: self.bodies.passing(&self.spins, &touch.nodes, touch.normal),
        })
    }

    /// Weft at every vertex of cloth: the mean of ∂x/∂u over its triangles, by area.
    pub(super) fn find_wefts(&mut self) {
        if self.wefts.is_empty() {
            return;
        }
        self.wefts.fill(DVec3::ZERO);
        let cloth = &self.bodies.shapes.triangles[..self.bodies.shapes.cloth_triangles];
        for (t, [a, b, c]) in cloth.iter().zip(&self.bodies.material) {
            let [xa, xb, xc] = t.map(|v| self.x[v as usize]);
            let area = (*b - *a).perp_dot(*c - *a);
            let weft = area.signum() * ((b.y - c.y) * xa + (c.y - a.y) * xb + (a.y - b.y) * xc);
            t.iter().for_each(|&v| self.wefts[v as usize] += weft);
        }
    }

    /// Weft of each cloth that touches, at the closest points.
    fn wefts_at(&self, touch: &Touch) -> Vec<DVec3> {
        let mut found = Vec::with_capacity(2);
        // The first feature has the positive weights.
        for sign in [1.0, -1.0] {
            let side = touch.nodes.iter().zip(touch.weights).filter(|(_, w)| sign * w > 0.0);
            let wefts = side.filter_map(|(&v, w)| self.wefts.get(v as usize).map(|weft| sign * w * *weft));
            found.extend(wefts.reduce(|a, b| a + b));
        }
        found
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

    /// Friction on the first feature (N); `stick` is ε h (m).
    pub(super) fn force(&self, x: &[DVec3], start: &[DVec3], stick: f64) -> DVec3 {
        let u = self.slip(x, start);
        match &self.law {
            Law::Even(cone) => -cone.stiffness(self.load, u, stick) * u,
            Law::Woven(weave) => -self.load * weave.product(u, u, stick),
        }
    }

    /// The kept stiffness λF/|u| (I − nnᵀ), or what weave has in its place (N/m): xx, xy, xz, yy, yz, zz.
    pub(super) fn block(&self, x: &[DVec3], start: &[DVec3], stick: f64) -> [f64; 6] {
        let u = self.slip(x, start);
        match &self.law {
            Law::Even(cone) => across(cone.stiffness(self.load, u, stick), self.normal),
            Law::Woven(weave) => weave.block(u, stick).map(|k| self.load * k),
        }
    }

    /// Its product with a further way (N).
    pub(super) fn resistance(&self, x: &[DVec3], start: &[DVec3], stick: f64, way: DVec3) -> DVec3 {
        let u = self.slip(x, start);
        match &self.law {
            Law::Even(cone) => cone.stiffness(self.load, u, stick) * (way - self.normal * self.normal.dot(way)),
            Law::Woven(weave) => self.load * weave.product(u, way, stick),
        }
    }

    /// Potential (J).
    pub(super) fn energy(&self, x: &[DVec3], start: &[DVec3], stick: f64) -> f64 {
        let u = self.slip(x, start);
        match &self.law {
            Law::Even(cone) => self.load * stick * cone.at(u.length() / stick)[1],
            Law::Woven(weave) => self.load * weave.energy(u, stick),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Settings, Sheet};
    use super::*;
    use toile_core::contact::{Contact, Start};
    use toile_core::fabric::Fabric;
    use toile_core::mesh::{Diagonal, Grid};
    use toile_core::system::Builder;

    #[test]
    fn force_is_the_slope_of_the_potential() {
        for friction in [Cone { rest: 0.3, sliding: 0.3 }, Cone { rest: 0.6, sliding: 0.4 }] {
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
            law: Law::Even(Cone { rest: 0.3, sliding: 0.3 }),
            passing: DVec3::ZERO,
        };
        let start = [DVec3::Y, DVec3::ZERO];
        for slip in [1e-7, 1e-5, 1e-2] {
            let x = [DVec3::Y + DVec3::new(slip, 0.3, -slip), DVec3::ZERO];
            let force = rub.force(&x, &start, 1e-5);
            assert!(force.y == 0.0 && force.x < 0.0 && force.z > 0.0);
            assert!(rub.resistance(&x, &start, 1e-5, DVec3::new(slip, 7.0, -slip)).distance(-force) < 1e-12);
            let expected = if slip * 2f64.sqrt() > 1e-5 { 0.6 } else { 0.0 };
            assert!(force.length() <= 0.6 + 1e-12 && force.length() >= expected - 1e-12, "{force}");
        }
    }

    /// Whole steps stick within their own length, parts of a step within a twentieth of the whole at least.
    #[test]
    fn friction_of_cut_steps_has_an_end() {
        let mesh = Grid { cells: [1, 1], size: [0.1, 0.1], diagonal: Diagonal::Alternating }.mesh();
        let system = Builder::new(&mesh, &Fabric::isotropic(100.0, 0.0, 1e-5, 0.15).unwrap()).build().unwrap();
        let sheet = Sheet {
            name: "sheet".into(),
            vertex_count: mesh.vertex_count(),
            triangles: mesh.triangles.clone(),
            material: mesh.material.clone(),
            thickness: 0.0,
        };
        let settings = Settings { stick_speed: 1e-3, ..Settings::default() };
        let mut barrier = Barrier::new(&system, &[sheet], Vec::new(), |_, _| Friction::coulomb(0.3), settings);
        for (step, expected) in [(0.02, 2e-5), (0.0025, 2.5e-6), (0.02 / 64.0, 1e-6)] {
            barrier.expect(0.02);
            let start = Start { system: &system, positions: &mesh.positions, time: 0.0, step, end: step, memory: &[] };
            barrier.begin(&start).unwrap();
            assert!((barrier.stick - expected).abs() < 1e-12, "{step}: {}", barrier.stick);
        }
    }
}
