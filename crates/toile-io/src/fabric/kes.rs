//! Curves from the summary readings of the Kawabata tester, for fabrics whose full curves were never published.
//!
//! | reading | meaning                                                       | unit        |
//! |---------|---------------------------------------------------------------|-------------|
//! | EMT     | extension at the largest load                                 | % (here –)  |
//! | LT      | energy to that point over the energy of a straight line to it | –           |
//! | WT      | that energy, WT = ½ LT · load · EMT                           | J/m²        |
//! | G       | slope of the shear loop's middle line                         | N/m per rad |
//!
//! *Tension.* The force per width f over the extension e is taken as f/load = a s + (1 − a) sⁿ with s = e/EMT: a soft start
//! that stiffens as the crimp is pulled out. It passes the point (EMT, load) for any a; its energy fixes
//! a = (LT − 2/(n+1)) / (1 − 2/(n+1)). n = 3, and n = 5 below LT = 0.55 where a cubic would begin with next to no stiffness.
//! Force and extension are then turned into stress and strain by Volino09 eq. (15) and (17) and fitted by a cubic spline.
//!
//! *Shear.* G γ + G γ³/(3 γ₂²): the slope starts at G and is 2G at γ₂, where the threads begin to lock; straight beyond 2γ₂.

use super::spline::{Point, SplineError, SplineFit};
use toile_core::law::{Curve, CurveError};
use toile_core::tensile::{Motion, Sample};

/// Largest linearity for which a cubic is too soft at the start: 2·0.55 − 1 = a tenth of the mean slope.
const CUBIC_FROM: f64 = 0.55;

/// Force per width (N/m) at an extension (–) of the assumed law.
fn force(extension: f64, emt: f64, linearity: f64, load: f64) -> f64 {
    let power = if linearity >= CUBIC_FROM { 3 } else { 5 };
    let floor = 2.0 / f64::from(power + 1);
    let a = (linearity - floor) / (1.0 - floor);
    let s = extension / emt;
    load * (a * s + (1.0 - a) * s.powi(power))
}

/// Strain–stress curve of a direction with the given EMT (–), LT and load (N/m).
pub(super) fn tensile_curve(emt: f64, linearity: f64, load: f64) -> Result<Curve, SplineError> {
    // A sample of unit size: forces per width, displacement as extension.
    let sample = Sample { length: 1.0, width: 1.0 };
    let points: Vec<Point> = (0..=32)
        .map(|i| {
            let d = Motion { pull: emt * f64::from(i) / 32.0, shear: 0.0 };
            let f = Motion { pull: force(d.pull, emt, linearity, load), shear: 0.0 };
            Point::new(sample.strain(d)[0], sample.stress(f, d)[0])
        })
        .collect();
    SplineFit::new(3, 3).fit(&points).map(|fit| fit.curve)
}

/// Shear curve with stiffness G (N/m) that doubles at the shear strain γ₂.
pub(super) fn shear_curve(stiffness: f64, doubles_at: f64) -> Result<Curve, CurveError> {
    let cubic = stiffness / (3.0 * doubles_at * doubles_at);
    Curve::spline(vec![0.0, 2.0 * doubles_at], vec![vec![0.0, stiffness, 0.0, cubic]])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A virtual tensile test of the curve gives back EMT, LT and the load.
    #[test]
    fn tensile_curve_gives_back_its_readings() {
        let sample = Sample { length: 1.0, width: 1.0 };
        for (emt, linearity, load) in [(0.035, 0.72, 490.3), (0.09, 0.6, 490.3), (0.4, 0.5, 49.03), (0.02, 1.0, 490.3)]
        {
            let curve = tensile_curve(emt, linearity, load).unwrap();
            let pull = |e: f64| {
                let d = Motion { pull: e, shear: 0.0 };
                sample.force([curve.at(sample.strain(d)[0]).0, 0.0], d).pull
            };
            // The spline is a least-squares fit of a smooth function: a few parts in ten thousand.
            assert!((pull(emt) / load - 1.0).abs() < 2e-3, "{emt}: {}", pull(emt));
            let n = 2000;
            let energy: f64 =
                (0..n).map(|i| pull(emt * (f64::from(i) + 0.5) / f64::from(n)) * emt / f64::from(n)).sum();
            let lt = energy / (0.5 * load * emt);
            assert!((lt - linearity).abs() < 1e-3, "{lt} against {linearity}");
        }
    }

    #[test]
    fn shear_curve_doubles_its_stiffness_at_the_angle() {
        let curve = shear_curve(40.0, 0.2).unwrap();
        assert!((curve.at(0.0).1 - 40.0).abs() < 1e-12);
        assert!((curve.at(0.2).1 - 80.0).abs() < 1e-12);
        assert!((curve.at(0.4).1 - curve.at(0.6).1).abs() < 1e-12);
    }
}
