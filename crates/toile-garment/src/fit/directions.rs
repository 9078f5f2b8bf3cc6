//! Strain and tension along a direction of the cloth.
//!
//! Components are those of a triangle, ordered (uu, vv, uv) along weft and warp. The shear of strain is the engineering one, twice that of the
//! tensor; that of stress is the tensor's own, so that stress times strain is work.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

/// A direction of the cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Direction {
    /// Across the grain.
    Weft,
    /// Along the grain.
    Warp,
    /// Halfway between weft and warp, to either side of the grain: the side with the larger value. Panels are often mirrored, and so are their
    /// diagonals.
    Bias,
    /// An angle (rad) from weft towards warp.
    At(f64),
}

impl Direction {
    /// Angles (rad) from weft towards warp.
    fn angles(self) -> [f64; 2] {
        match self {
            Self::Weft => [0.0; 2],
            Self::Warp => [FRAC_PI_2; 2],
            Self::Bias => [FRAC_PI_4, -FRAC_PI_4],
            Self::At(angle) => [angle; 2],
        }
    }

    /// Green strain along it.
    pub fn strain(self, strain: [f64; 3]) -> f64 {
        let [a, b] = self.angles().map(|angle| strain_along(strain, angle));
        a.max(b)
    }

    /// Tension along it (N/m).
    pub fn tension(self, stress: [f64; 3]) -> f64 {
        let [a, b] = self.angles().map(|angle| tension_along(stress, angle));
        a.max(b)
    }
}

/// Green strain along an angle (rad) from weft towards warp: d·E·d.
pub fn strain_along([uu, vv, uv]: [f64; 3], angle: f64) -> f64 {
    let (s, c) = angle.sin_cos();
    c * c * uu + s * s * vv + s * c * uv
}

/// Tension (N/m) across a line at right angles to an angle (rad) from weft towards warp: d·S·d.
pub fn tension_along([uu, vv, uv]: [f64; 3], angle: f64) -> f64 {
    let (s, c) = angle.sin_cos();
    c * c * uu + s * s * vv + 2.0 * s * c * uv
}

/// Largest Green strain of all directions.
pub fn principal_strain([uu, vv, uv]: [f64; 3]) -> f64 {
    0.5 * (uu + vv) + (0.5 * (uu - vv)).hypot(0.5 * uv)
}

/// Largest tension (N/m) of all directions.
pub fn principal_tension([uu, vv, uv]: [f64; 3]) -> f64 {
    0.5 * (uu + vv) + (0.5 * (uu - vv)).hypot(uv)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DMat2, DVec2};

    /// Components of an extension e along an angle: F = 1 + e d dᵀ, E = (FᵀF − 1) / 2.
    fn extended(e: f64, angle: f64) -> [f64; 3] {
        let d = DVec2::from_angle(angle);
        let f = DMat2::IDENTITY + e * DMat2::from_cols(d.x * d, d.y * d);
        let green = 0.5 * (f.transpose() * f - DMat2::IDENTITY);
        [green.x_axis.x, green.y_axis.y, 2.0 * green.x_axis.y]
    }

    /// Along its own direction an extension e is e + e²/2, across it nothing, between them by the square of the cosine.
    #[test]
    fn strain_along_is_that_of_the_extension() {
        let e = 0.2;
        for own in [0.0, 0.3, FRAC_PI_4, 1.2, FRAC_PI_2, -0.7] {
            let strain = extended(e, own);
            for turn in [0.0, 0.5, FRAC_PI_2, 2.0] {
                let wanted = (e + 0.5 * e * e) * f64::cos(turn).powi(2);
                let found = strain_along(strain, own + turn);
                assert!((found - wanted).abs() < 1e-15, "{own} {turn}: {found} for {wanted}");
            }
            assert!((principal_strain(strain) - 0.22).abs() < 1e-15, "{own}");
        }
    }

    #[test]
    fn named_directions_are_angles() {
        let strain = [0.03, -0.01, 0.05];
        assert_eq!((Direction::Weft.strain(strain), Direction::Weft.tension(strain)), (0.03, 0.03));
        assert!((Direction::Warp.strain(strain) + 0.01).abs() < 1e-16);
        // Half of the sum of the threads and half of the shear; the other diagonal gets shorter by it.
        assert!((Direction::Bias.strain(strain) - (0.01 + 0.025)).abs() < 1e-16);
        assert!((Direction::Bias.strain([0.03, -0.01, -0.05]) - (0.01 + 0.025)).abs() < 1e-16);
        assert!((Direction::At(-FRAC_PI_4).strain(strain) - (0.01 - 0.025)).abs() < 1e-16);
    }

    /// Pulled with T along an angle: T there, nothing across, and T as the largest of all. Tension times strain is work: both are
    /// asked along the same lines.
    #[test]
    fn tension_along_is_that_of_the_pull() {
        for own in [0.0, 0.4, FRAC_PI_4, 2.1] {
            let (s, c) = f64::sin_cos(own);
            let stress = [7.0 * c * c, 7.0 * s * s, 7.0 * s * c];
            assert!(
                (tension_along(stress, own) - 7.0).abs() < 1e-14
                    && tension_along(stress, own + FRAC_PI_2).abs() < 1e-14
            );
            assert!((principal_tension(stress) - 7.0).abs() < 1e-14);
        }
        // Pure shear S is a pull of S along one diagonal and a push along the other.
        assert!((Direction::Bias.tension([0.0, 0.0, 2.0]) - 2.0).abs() < 1e-15);
        assert!((tension_along([0.0, 0.0, 2.0], -FRAC_PI_4) + 2.0).abs() < 1e-15);
    }

    #[test]
    fn principal_strain_does_not_depend_on_the_axes() {
        // Ten per cent along the bias: the same as along weft.
        assert!((principal_strain([0.1, 0.0, 0.0]) - 0.1).abs() < 1e-15);
        assert!((principal_strain([0.05, 0.05, 0.1]) - 0.1).abs() < 1e-15);
        assert!((principal_strain([-0.02, -0.01, 0.0]) + 0.01).abs() < 1e-15);
    }
}
