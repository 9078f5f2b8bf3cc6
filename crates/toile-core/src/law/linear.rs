//! Linear law: σ = E ε. Source: Volino09 eq. (3), isotropic matrix of eq. (4).
//! Valid while E is positive definite. As stiff in compression as in tension: buckling is left to bending.
//!
//! | paper | here        | unit  | note                                            |
//! |-------|-------------|-------|-------------------------------------------------|
//! | E     | `stiffness` | N/m   | engineering shear: G = e / 2(1+ν), VALIDATION M-04 |
//! | e, ν  | arguments of `isotropic` | N/m, – |                                   |

use super::{AnyLaw, Law, Response, Sym3, sym_mul};
use crate::lane::Lane;

/// σ = E ε with a symmetric positive definite E.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    stiffness: Sym3<f64>,
}

/// A stiffness that no material has.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LinearError {
    /// A parameter is outside its range.
    #[error("{name} is {value}, must be {range}")]
    OutOfRange {
        /// Which parameter.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What is allowed.
        range: &'static str,
    },
    /// The matrix would release energy in some deformation.
    #[error("the stiffness matrix is not positive definite: leading minor {order} is {minor}")]
    NotPositive {
        /// Order of the minor.
        order: usize,
        /// Its value.
        minor: f64,
    },
}

impl Linear {
    /// Isotropic: modulus (N/m) and Poisson ratio, −1 < ν < 1 (ν ≤ ½ for solids; thin fabrics may exceed it).
    pub fn isotropic(modulus: f64, poisson: f64) -> Result<Self, LinearError> {
        positive("modulus", modulus)?;
        if !(poisson > -1.0 && poisson < 1.0) {
            return Err(LinearError::OutOfRange { name: "poisson", value: poisson, range: "between -1 and 1" });
        }
        let e = modulus / (1.0 - poisson * poisson);
        Self::anisotropic([e, e, 0.5 * (1.0 - poisson) * e, poisson * e, 0.0, 0.0])
    }

    /// Orthotropic: weft, warp and shear stiffness and the weft–warp coupling E_uu,vv (N/m).
    pub fn orthotropic(weft: f64, warp: f64, shear: f64, coupling: f64) -> Result<Self, LinearError> {
        positive("weft", weft)?;
        positive("warp", warp)?;
        positive("shear", shear)?;
        Self::anisotropic([weft, warp, shear, coupling, 0.0, 0.0])
    }

    /// Any symmetric positive definite matrix, in the order of [`Sym3`].
    pub fn anisotropic(stiffness: Sym3<f64>) -> Result<Self, LinearError> {
        let [a, b, c, d, e, f] = stiffness;
        let minors = [a, a * b - d * d, a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e)];
        for (i, &minor) in minors.iter().enumerate() {
            // Not `minor <= 0.0`: NaN must fail too.
            if !(minor > 0.0 && minor.is_finite()) {
                return Err(LinearError::NotPositive { order: i + 1, minor });
            }
        }
        Ok(Self { stiffness })
    }

    /// The stiffness matrix.
    pub fn stiffness(&self) -> Sym3<f64> {
        self.stiffness
    }
}

fn positive(name: &'static str, value: f64) -> Result<(), LinearError> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(LinearError::OutOfRange { name, value, range: "positive and finite" })
    }
}

impl Law for Linear {
    const CONVEX: bool = true;
    #[inline(always)]
    fn respond<L: Lane>(&self, strain: [L; 3]) -> Response<L> {
        let tangent = self.stiffness.map(L::splat);
        Response { stress: sym_mul(&tangent, strain), tangent }
    }
    #[inline(always)]
    fn energy<L: Lane>(&self, strain: [L; 3]) -> L {
        let s = self.stress(strain);
        L::splat(0.5) * (s[0] * strain[0] + s[1] * strain[1] + s[2] * strain[2])
    }
}

pub(super) fn sample_isotropic() -> AnyLaw {
    AnyLaw::Linear(Linear::isotropic(1000.0, 0.3).expect("valid sample"))
}
pub(super) fn sample_orthotropic() -> AnyLaw {
    AnyLaw::Linear(Linear::orthotropic(800.0, 2000.0, 60.0, 150.0).expect("valid sample"))
}
pub(super) fn sample_anisotropic() -> AnyLaw {
    AnyLaw::Linear(Linear::anisotropic([800.0, 2000.0, 90.0, 150.0, 40.0, -25.0]).expect("valid sample"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uniaxial tension with free sides feels the modulus itself, and contracts by ν.
    #[test]
    fn isotropic_law_has_its_modulus_and_poisson_ratio() {
        let law = Linear::isotropic(500.0, 0.25).unwrap();
        let s = law.stress([0.01, -0.0025, 0.0]);
        assert!((s[0] - 5.0).abs() < 1e-12 && s[1].abs() < 1e-12);
        // Engineering shear: G = e / 2(1+ν).
        assert!((law.stress([0.0, 0.0, 0.02])[2] - 500.0 / 2.5 * 0.02).abs() < 1e-12);
    }

    #[test]
    fn impossible_stiffness_is_refused() {
        assert!(Linear::isotropic(f64::NAN, 0.0).is_err());
        assert!(Linear::isotropic(100.0, 1.0).is_err());
        assert!(Linear::orthotropic(100.0, 100.0, 10.0, 101.0).is_err());
    }
}
