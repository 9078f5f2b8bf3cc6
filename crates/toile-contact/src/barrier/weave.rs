//! Friction by the direction of slip against the weave: an ellipse in the place of Coulomb's circle.
//!
//! | symbol | meaning                                                                            |
//! |--------|------------------------------------------------------------------------------------|
//! | u, ε h | slip over the step in the plane of contact, slip within which it sticks (m)        |
//! | Q      | in the axes of the weave diag(μ₁², μ₂²), weft and warp: Qs at rest, Qk sliding     |
//! | s, k   | √(uᵀQs u), √(uᵀQk u) (m)                                                           |
//! | y      | s/(m ε h), with m² half the trace of Qs                                            |
//! | B, C   | shares of rest and sliding in F of the circle: F = μs B + μk C                     |
//!
//! Sliding dissipates λk, and friction is the slope of that, λ Qk u/k. So forces lie on the ellipse with the half axes λμ₁ and λμ₂, and of
//! all forces within it the one that dissipates most answers a slip. A sled that is led at φ from the weft feels
//! √(μ₁² cos²φ + μ₂² sin²φ) along its way. A free one on a slope in this direction rests up to 1/√(cos²φ/μ₁² + sin²φ/μ₂²), and then slips
//! nearer to the easy direction than the slope falls, as a ski does. Tests of textiles are often fitted by μ₁ cos²φ + μ₂ sin²φ: the same
//! along the threads, and between them up to 2 % less for μ₂/μ₁ = 1.5, 6 % for 2. As a force straight against the slip, that has no
//! potential; as a dissipation it is not convex beyond 2.
//!
//! At rest and between rest and sliding, the potential of the step is λ m ε h (∫B dy + (k/s) ∫C dy), with the circle's if both
//! coefficients are the same. The direction of slip is not lagged, only load, normal and weave are. Its slope is λ(αQs + βQk) u with
//!
//! ```text
//! α = (B + (k/s)(C − ∫C/y))/s,   β = ∫C/(y k),
//! ```
//!
//! both positive; αQs + βQk stands in the matrix, softer than the true Hessian by no more than 3e-5 of itself. Two sheets give the mean of their Q: exact where they lie thread on thread.

use super::friction::{Coefficient, Cone, Friction};
use glam::DVec3;

/// The larger coefficient over the smaller one, at most: a narrower ellipse is a rail, with a corner where sliding turns round.
pub const NARROWEST: f64 = 10.0;

/// Sliding and resting by direction, in one place.
#[derive(Clone, Debug)]
pub(super) struct Weave {
    /// Weft of the first sheet and the direction across it, in the plane of contact.
    axes: [DVec3; 2],
    /// Qs and Qk in these axes: 11, 12, 22.
    rest: [f64; 3],
    sliding: [f64; 3],
    /// m.
    size: f64,
}

impl Weave {
    /// For sheets with these wefts, of any length and direction, at a contact with a unit normal.
    pub(super) fn new(friction: &Friction, normal: DVec3, wefts: &[DVec3]) -> Self {
        let flat = |w: DVec3| (w - normal * normal.dot(w)).try_normalize();
        let first = wefts.iter().find_map(|w| flat(*w)).unwrap_or_else(|| normal.any_orthonormal_vector());
        let axes = [first, normal.cross(first)];
        let mean = |coefficient: &Coefficient| {
            let mut sum = [0.0; 3];
            for weft in wefts {
                let one = squares(coefficient, flat(*weft).map(|w| axes.map(|a| a.dot(w))));
                (0..3).for_each(|k| sum[k] += one[k] / wefts.len() as f64);
            }
            sum
        };
        let (rest, sliding) = (mean(&friction.rest), mean(&friction.sliding));
        Self { axes, rest, sliding, size: (0.5 * (rest[0] + rest[2])).sqrt() }
    }

    /// αQs + βQk in the axes (1/m).
    fn secant(&self, u: DVec3, stick: f64) -> [f64; 3] {
        let a = self.axes.map(|e| e.dot(u));
        let (s, stick) = (norm(&self.rest, a), self.size * stick);
        let y = s / stick;
        if y < 1.0 {
            return self.rest.map(|q| (2.0 - y) / stick * q);
        }
        let k = norm(&self.sliding, a);
        let ([b, _], [c, area]) = (Cone::RESTING.at(y), Cone::SLIDING.at(y));
        let alpha = (b + k / s * (c - area / y)) / s;
        let beta = if k > 0.0 { area / (y * k) } else { 0.0 };
        std::array::from_fn(|i| alpha * self.rest[i] + beta * self.sliding[i])
    }

    /// What resists a way `d` at the slip `u`, per load (–); at d = u it is friction itself.
    pub(super) fn product(&self, u: DVec3, d: DVec3, stick: f64) -> DVec3 {
        let ([k11, k12, k22], [e, f]) = (self.secant(u, stick), self.axes);
        let (d1, d2) = (e.dot(d), f.dot(d));
        (k11 * d1 + k12 * d2) * e + (k12 * d1 + k22 * d2) * f
    }

    /// The same as a symmetric matrix: xx, xy, xz, yy, yz, zz (1/m).
    pub(super) fn block(&self, u: DVec3, stick: f64) -> [f64; 6] {
        let ([k11, k12, k22], [e, f]) = (self.secant(u, stick), self.axes);
        let entry = |i: usize, j: usize| k11 * e[i] * e[j] + k12 * (e[i] * f[j] + f[i] * e[j]) + k22 * f[i] * f[j];
        [entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)]
    }

    /// Potential per load (m).
    pub(super) fn energy(&self, u: DVec3, stick: f64) -> f64 {
        let a = self.axes.map(|e| e.dot(u));
        let (s, stick) = (norm(&self.rest, a), self.size * stick);
        let y = s / stick;
        let own = Cone::RESTING.at(y)[1];
        stick * if y < 1.0 { own } else { own + norm(&self.sliding, a) / s * Cone::SLIDING.at(y)[1] }
    }
}

/// Q of a coefficient whose weft has these components; the same in all directions where the weft stands upright.
fn squares(coefficient: &Coefficient, weft: Option<[f64; 2]>) -> [f64; 3] {
    let least = coefficient.weft.max(coefficient.warp) / NARROWEST;
    let [along, across] = [coefficient.weft, coefficient.warp].map(|c| c.max(least).powi(2));
    match weft {
        Some([c, s]) => [along * c * c + across * s * s, (along - across) * c * s, along * s * s + across * c * c],
        None => [0.5 * (along + across), 0.0, 0.5 * (along + across)],
    }
}

/// √(aᵀQa).
fn norm(q: &[f64; 3], [a, b]: [f64; 2]) -> f64 {
    (q[0] * a * a + 2.0 * q[1] * a * b + q[2] * b * b).max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DMat3;

    const STICK: f64 = 1e-6;

    fn laws() -> Vec<(Friction, Vec<DVec3>)> {
        let by = |weft: f64, warp: f64| Coefficient { weft, warp };
        let (one, two) = (DVec3::new(0.8, 0.3, -0.4), DVec3::new(-0.2, 0.1, 0.9));
        vec![
            (Friction { rest: by(0.2, 0.4), sliding: by(0.2, 0.4) }, vec![one]),
            (Friction { rest: by(0.5, 0.4), sliding: by(0.3, 0.35) }, vec![one]),
            (Friction { rest: by(0.3, 0.6), sliding: by(0.3, 0.2) }, vec![one, two]),
            (Friction { rest: by(0.4, 0.5), sliding: 0.0.into() }, vec![two, one]),
            (Friction { rest: by(0.8, 0.8), sliding: by(0.8, 0.1) }, vec![two]),
        ]
    }

    fn slips(normal: DVec3) -> impl Iterator<Item = DVec3> {
        let across = normal.any_orthonormal_vector();
        let size = [0.03, 0.4, 0.97, 1.3, 2.2, 2.9, 4.0, 60.0];
        let turned = move |k: usize| (0.4 * k as f64).sin_cos();
        size.into_iter().flat_map(move |y| {
            (0..16).map(move |k| y * STICK * (turned(k).1 * across + turned(k).0 * normal.cross(across)))
        })
    }

    /// Friction is the slope of the potential in every direction in the plane, for one sheet and for two.
    #[test]
    fn friction_is_the_slope_of_the_potential() {
        let normal = DVec3::new(0.1, 0.9, -0.2).normalize();
        for (friction, wefts) in laws() {
            let weave = Weave::new(&friction, normal, &wefts);
            for u in slips(normal) {
                let force = weave.product(u, u, STICK);
                for d in [weave.axes[0], weave.axes[1], (weave.axes[0] - weave.axes[1]).normalize()] {
                    let h = 1e-5 * STICK;
                    let slope = (weave.energy(u + h * d, STICK) - weave.energy(u - h * d, STICK)) / (2.0 * h);
                    assert!((slope - force.dot(d)).abs() < 1e-6, "{friction:?} {u}: {slope} {}", force.dot(d));
                }
                let block = weave.block(u, STICK);
                let matrix = DMat3::from_cols_array(&[
                    block[0], block[1], block[2], block[1], block[3], block[4], block[2], block[4], block[5],
                ]);
                assert!(
                    (matrix * u - force).length() < 1e-12
                        && (matrix * normal).length() < 1e-12 * matrix.x_axis.length() + 1e-9
                );
            }
        }
    }

    /// The matrix is never softer than the true Hessian if rest and sliding have ellipses of one shape, but for what differences of forces
    /// leave. On the way from one shape to another the force turns, and up to 3e-5 of the stiffness is missing: far less than
    /// Newton's method would notice.
    #[test]
    fn the_kept_stiffness_bounds_the_true_one() {
        let normal = DVec3::Y;
        for (friction, wefts) in laws() {
            let missing = if friction.rest == friction.sliding { 1e-8 } else { 1e-4 };
            let weave = Weave::new(&friction, normal, &wefts);
            for u in slips(normal) {
                let [e, f] = weave.axes;
                let h = 1e-5 * STICK;
                let slope = |d: DVec3, along: DVec3| {
                    let at = |h: f64| weave.product(u + h * d, u + h * d, STICK).dot(along);
                    (at(h) - at(-h)) / (2.0 * h)
                };
                let kept = weave.secant(u, STICK);
                let left = [kept[0] - slope(e, e), kept[1] - slope(e, f), kept[2] - slope(f, f)];
                let least = 0.5 * (left[0] + left[2]) - (0.25 * (left[0] - left[2]).powi(2) + left[1] * left[1]).sqrt();
                assert!((slope(e, f) - slope(f, e)).abs() < 1e-5 / STICK, "a potential's Hessian is symmetric");
                let scale = kept[0] + kept[2];
                assert!(least >= -missing * scale, "{friction:?} {u}: {least:e} of {scale:e}");
            }
        }
    }

    /// Along the threads it is Coulomb's with their coefficients; between them the law of the ellipse. A circle is a circle.
    #[test]
    fn the_law_is_an_ellipse() {
        let friction =
            Friction { rest: Coefficient { weft: 0.3, warp: 0.5 }, sliding: Coefficient { weft: 0.2, warp: 0.4 } };
        let weave = Weave::new(&friction, DVec3::Y, &[2.0 * DVec3::X + DVec3::Y]);
        let sliding = |angle: f64| {
            let d = DVec3::new(angle.cos(), 0.0, angle.sin());
            weave.product(1e4 * STICK * d, 1e4 * STICK * d, STICK)
        };
        for degrees in [0.0, 20.0, 45.0, 90.0, 160.0f64] {
            let angle = degrees.to_radians();
            let force = sliding(angle);
            let drag = force.dot(DVec3::new(angle.cos(), 0.0, angle.sin()));
            assert!((drag - (0.2 * angle.cos()).hypot(0.4 * angle.sin())).abs() < 1e-12, "{degrees}");
            // Beside the way it falls off with the way that was needed to get loose.
            assert!(((force.x / 0.2).hypot(force.z / 0.4) - 1.0).abs() < 1e-4, "{degrees}: {force}");
        }
        let even = Friction { rest: 0.5.into(), sliding: 0.3.into() };
        let weave = Weave::new(&even, DVec3::Y, &[DVec3::X, DVec3::new(0.3, 0.0, 0.7)]);
        for u in slips(DVec3::Y) {
            let cone = Cone { rest: 0.5, sliding: 0.3 };
            let [force, energy] = cone.at(u.length() / STICK);
            assert!((weave.product(u, u, STICK) - force * u.normalize()).length() < 1e-12, "{u}");
            assert!((weave.energy(u, STICK) - STICK * energy).abs() < 1e-12 * STICK * energy.max(1.0), "{u}");
        }
    }

    /// Two sheets whose weaves cross at a right angle have no direction left; a weft that stands upright has none either.
    #[test]
    fn crossed_weaves_are_even() {
        let friction =
            Friction { rest: Coefficient { weft: 0.2, warp: 0.4 }, sliding: Coefficient { weft: 0.2, warp: 0.4 } };
        for wefts in [vec![DVec3::X, -DVec3::Z], vec![DVec3::Y]] {
            let weave = Weave::new(&friction, DVec3::Y, &wefts);
            for u in [DVec3::X, DVec3::Z, DVec3::new(0.6, 0.0, -0.8)] {
                assert!((weave.product(u, u, STICK) - 0.1f64.sqrt() * u).length() < 1e-12);
            }
        }
    }

    /// No slip, no coefficient along one thread or none at all: numbers stay numbers.
    #[test]
    fn the_ends_of_the_law_are_finite() {
        let by = |weft: f64, warp: f64| Coefficient { weft, warp };
        for (rest, sliding) in
            [(by(0.0, 0.4), by(0.0, 0.4)), (by(0.3, 0.4), by(0.0, 0.0)), (by(0.3, 0.1), by(0.3, 0.0))]
        {
            let weave = Weave::new(&Friction { rest, sliding }, DVec3::Y, &[DVec3::X]);
            for u in [DVec3::ZERO, STICK * DVec3::X, DVec3::X, DVec3::Z] {
                let parts = weave.block(u, STICK).into_iter().chain(weave.product(u, u, STICK).to_array());
                assert!(parts.chain([weave.energy(u, STICK)]).all(f64::is_finite), "{rest:?} {sliding:?} {u}");
            }
        }
    }
}
