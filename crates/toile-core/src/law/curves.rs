//! Independent weft, warp and shear curves. Source: Volino09 eq. (14), with an optional Poisson-like coupling (ours).
//!
//! w = W_u(ε_uu) + W_v(ε_vv) + W_s(ε_uv) + C ε_uu ε_vv. The coupling C (N/m) leaves the Kawabata test as it was measured,
//! because its wide sample keeps ε_vv ≈ 0, and makes a narrow strip contract. Positive while C² is below the product of
//! the two slopes; slopes are smallest at rest for stiffening fabrics, so that is where it is checked.

use super::{AnyLaw, Curve, Law, LinearError, Response};
use crate::lane::Lane;

/// Three measured curves.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    modes: [Curve; 3],
    coupling: f64,
}

impl Curves {
    /// Weft, warp and shear curves (N/m over strain) without coupling.
    pub fn new(weft: Curve, warp: Curve, shear: Curve) -> Self {
        Self { modes: [weft, warp, shear], coupling: 0.0 }
    }

    /// The same with a coupling C (N/m) between weft and warp.
    pub fn with_coupling(mut self, coupling: f64) -> Result<Self, LinearError> {
        let product = self.modes[0].at(0.0).1 * self.modes[1].at(0.0).1;
        let minor = product - coupling * coupling;
        // Not `minor <= 0.0`: NaN must fail too.
        if !(minor > 0.0) {
            return Err(LinearError::NotPositive { order: 2, minor });
        }
        self.coupling = coupling;
        Ok(self)
    }

    /// Weft, warp and shear curve.
    pub fn modes(&self) -> &[Curve; 3] {
        &self.modes
    }

    /// Coupling (N/m).
    pub fn coupling(&self) -> f64 {
        self.coupling
    }
}

impl Law for Curves {
    #[inline(always)]
    fn respond<L: Lane>(&self, strain: [L; 3]) -> Response<L> {
        // Lane by lane: neighbouring elements sit on different segments.
        let mut stress = [L::splat(0.0); 3];
        let mut slope = [L::splat(0.0); 3];
        for m in 0..3 {
            let mut s = [0.0; 8];
            let mut k = [0.0; 8];
            for i in 0..L::WIDTH {
                (s[i], k[i]) = self.modes[m].stress_and_slope(strain[m].lane(i));
            }
            stress[m] = L::from_fn(|i| s[i]);
            slope[m] = L::from_fn(|i| k[i]);
        }
        let c = L::splat(self.coupling);
        let zero = L::splat(0.0);
        Response {
            stress: [c.mul_add(strain[1], stress[0]), c.mul_add(strain[0], stress[1]), stress[2]],
            tangent: [slope[0], slope[1], slope[2], c, zero, zero],
        }
    }

    #[inline(always)]
    fn energy<L: Lane>(&self, strain: [L; 3]) -> L {
        let modes = L::from_fn(|i| (0..3).map(|m| self.modes[m].at(strain[m].lane(i)).2).sum());
        modes + L::splat(self.coupling) * strain[0] * strain[1]
    }
}

fn sample_curves() -> Curves {
    let weft = Curve::spline(vec![0.0, 0.05, 0.1], vec![vec![0.0, 400.0, 0.0, 4e4], vec![25.0, 700.0, 6000.0]]);
    Curves::new(
        weft.expect("valid sample"),
        Curve::polynomial(vec![0.0, 800.0, 0.0, 6e4]).expect("valid sample"),
        Curve::polynomial(vec![0.0, 60.0, 0.0, 900.0]).expect("valid sample"),
    )
}

pub(super) fn sample() -> AnyLaw {
    AnyLaw::Curves(sample_curves())
}

pub(super) fn sample_coupled() -> AnyLaw {
    AnyLaw::Curves(sample_curves().with_coupling(120.0).expect("valid sample"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A strip with free sides contracts by C/f_v′ for small strain, and keeps its measured curve when held.
    #[test]
    fn coupling_contracts_a_free_strip_and_leaves_a_held_one_alone() {
        let free = sample_curves();
        let coupled = sample_curves().with_coupling(120.0).unwrap();
        assert_eq!(free.stress([0.03, 0.0, 0.0])[0], coupled.stress([0.03, 0.0, 0.0])[0]);
        let side = coupled.stress([1e-4, -1e-4 * 120.0 / 800.0, 0.0])[1];
        assert!(side.abs() < 1e-6);
        assert!(sample_curves().with_coupling(600.0).is_err());
        assert!(sample_curves().with_coupling(f64::NAN).is_err());
    }
}
