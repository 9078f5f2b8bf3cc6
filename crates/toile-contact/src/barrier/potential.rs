//! The potential that keeps two features apart, and the weights that make edges against edges smooth.
//!
//! | symbol | meaning                                                                     |
//! |--------|-----------------------------------------------------------------------------|
//! | g, ĝ   | gap (distance less the radii), reach within which features feel each other (m) |
//! | κ      | stiffness (N/m)                                                              |
//! | b      | −κ (g − ĝ)² ln(g/ĝ) (J): twice continuously differentiable, zero from ĝ on, infinite at touch |
//!
//! Source: Li20 eq. (6), in the distance instead of its square.

/// b, db/dg ≤ 0 and d²b/dg² ≥ 0 at a gap; zeros from the reach on.
#[inline]
pub(super) fn barrier(gap: f64, reach: f64, stiffness: f64) -> [f64; 3] {
    if gap >= reach {
        return [0.0; 3];
    }
    if !(gap > 0.0) {
        return [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY];
    }
    let (e, s) = (gap - reach, gap / reach);
    let log = s.ln();
    let energy = -stiffness * e * e * log;
    let slope = -stiffness * (2.0 * e * log + e * e / gap);
    let curvature = -stiffness * (2.0 * log + 4.0 * e / gap - e * e / (gap * gap));
    [energy, slope, curvature]
}

/// 3y² − 2y³ on [0, 1] and its derivative, constant beyond.
#[inline]
pub(super) fn smooth(y: f64) -> [f64; 2] {
    if y <= 0.0 {
        [0.0, 0.0]
    } else if y >= 1.0 {
        [1.0, 0.0]
    } else {
        [y * y * (3.0 - 2.0 * y), 6.0 * y * (1.0 - y)]
    }
}

/// Weight along an edge, by the parameter of its closest point: 1 in the middle, 0 at the ends, where vertices take over from it.
#[inline]
pub(super) fn along(s: f64) -> [f64; 2] {
    let y = 2.0 * s.min(1.0 - s);
    let [value, slope] = smooth(y);
    [value, if s < 0.5 { 2.0 * slope } else { -2.0 * slope }]
}

/// sin² of the angle below which two edges count as parallel, and fade: there the closest points jump along them.
const PARALLEL: f64 = 0.02;

/// Weight by sin² of the angle between two edges.
#[inline]
pub(super) fn across(sine_squared: f64) -> [f64; 2] {
    let [value, slope] = smooth(sine_squared / PARALLEL);
    [value, slope / PARALLEL]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_slopes() {
        let h = 1e-7;
        for k in 1..40 {
            let gap = 2e-3 * k as f64 / 40.0;
            let at = |g: f64| barrier(g, 2e-3, 50.0);
            let (up, down, mid) = (at(gap + h * gap), at(gap - h * gap), at(gap));
            let scale = 2.0 * h * gap;
            assert!(((up[0] - down[0]) / scale - mid[1]).abs() < 1e-5 * mid[1].abs().max(1e-4), "{gap}");
            assert!(((up[1] - down[1]) / scale - mid[2]).abs() < 1e-5 * mid[2].abs().max(1.0), "{gap}");
            assert!(mid[0] >= 0.0 && mid[1] <= 0.0 && mid[2] >= 0.0);
            let y = k as f64 / 40.0;
            let narrow = |y: f64| across(PARALLEL * y);
            let scaled = |y: f64| [narrow(y)[0], PARALLEL * narrow(y)[1]];
            let functions: [&dyn Fn(f64) -> [f64; 2]; 3] = [&smooth, &along, &scaled];
            for f in functions {
                assert!(
                    ((f(y + h)[0] - f(y - h)[0]) / (2.0 * h) - f(y)[1]).abs() < 1e-3 * f(y)[1].abs().max(1.0),
                    "{y}"
                );
            }
        }
    }

    #[test]
    fn the_end_of_reach_is_smooth_and_touch_is_infinite() {
        assert_eq!(barrier(2e-3, 2e-3, 50.0), [0.0; 3]);
        let near = barrier(2e-3 * (1.0 - 1e-6), 2e-3, 50.0);
        assert!(near[0].abs() < 1e-18 && near[1].abs() < 1e-10 && near[2] < 1e-3);
        assert_eq!(barrier(0.0, 2e-3, 50.0)[0], f64::INFINITY);
        assert_eq!(barrier(f64::NAN, 2e-3, 50.0)[0], f64::INFINITY);
    }
}
