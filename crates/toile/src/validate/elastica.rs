//! Exact shapes of inextensible elastic strips, for any load: the reference of the bending experiments.
//!
//! Cantilevers by shooting in arclength from the free end. With the angle φ of the strip to the vertical and the way t from the
//! tip (in lengths), moment equilibrium is φ″ = (α² + Γ t) sin φ with φ′ = 0 at the tip and φ = π/2 at the horizontal clamp;
//! α² = P L²/B is the end load, Γ = q L³/B the weight. A hanging tip is nearly vertical: its small φ grows by orders of
//! magnitude towards the clamp, so it is sought on a logarithmic scale and keeps its relative precision.
//!
//! Struts by complete elliptic integrals: with the end slope a, k = sin(a/2), P L²/B = 4K², shortening 2 − 2E/K and mid height
//! k/K of a pinned strut. A clamped strut is two of them, half as large, at four times the load.

use std::f64::consts::FRAC_PI_2;

/// Runge–Kutta steps per natural length 1/√load: global error below 1e-10.
const STEPS: f64 = 150.0;

/// A cantilever at rest, in units of its length; the clamp is horizontal at the origin.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cantilever {
    /// Drop of the tip.
    pub(super) drop: f64,
    /// Horizontal way from clamp to tip.
    pub(super) reach: f64,
    /// Slope of the tip below the horizontal (rad).
    pub(super) tip_angle: f64,
    /// Curvature at the clamp.
    pub(super) root_curvature: f64,
    /// Points (x, −drop) from the clamp to the tip, evenly spaced.
    pub(super) shape: Vec<[f64; 2]>,
}

/// A buckled strut with pinned ends, in units of its length; loads over the Euler load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Strut {
    /// Load over π²B/L².
    pub(super) load: f64,
    /// Deflection in the middle.
    pub(super) height: f64,
    /// Slope at the ends (rad).
    pub(super) slope: f64,
}

/// φ, φ′ and the way (x, y) from the tip.
type Point = [f64; 4];

/// The cantilever under an end load α² and its own weight Γ, not both zero.
pub(super) fn cantilever(end_load: f64, weight: f64) -> Cantilever {
    let growth = (end_load + weight).sqrt();
    let steps = (STEPS * (2.0 + growth)).ceil() as usize;
    let turn = |log: f64| shoot(end_load, weight, log.exp(), steps, |_, _| ())[0] - FRAC_PI_2;
    // From a tip that is as good as vertical up to the first that reaches the clamp's direction: the hanging shape.
    let mut low = -growth - 3.0;
    while turn(low + 0.5) < 0.0 && low < 0.0 {
        low += 0.5;
    }
    let tip = root(turn, low, (low + 0.5).min(FRAC_PI_2.ln())).exp();
    let mut points = Vec::with_capacity(steps + 1);
    let end = shoot(end_load, weight, tip, steps, |_, p| points.push([p[2], p[3]]));
    let shape = points.iter().rev().map(|p| [end[2] - p[0], p[1] - end[3]]).collect();
    Cantilever { drop: end[3], reach: end[2], tip_angle: FRAC_PI_2 - tip, root_curvature: end[1], shape }
}

/// Integrates from the tip angle φ to the clamp; `visit` sees every point from the tip on.
fn shoot(end_load: f64, weight: f64, tip: f64, steps: usize, mut visit: impl FnMut(f64, &Point)) -> Point {
    let slope = |t: f64, p: &Point| {
        let (sin, cos) = p[0].sin_cos();
        [p[1], (end_load + weight * t) * sin, sin, cos]
    };
    let h = 1.0 / steps as f64;
    let mut p = [tip, 0.0, 0.0, 0.0];
    for n in 0..steps {
        let t = n as f64 * h;
        visit(t, &p);
        let ahead = |k: &Point, share: f64| std::array::from_fn(|i| p[i] + share * h * k[i]);
        let k1 = slope(t, &p);
        let k2 = slope(t + 0.5 * h, &ahead(&k1, 0.5));
        let k3 = slope(t + 0.5 * h, &ahead(&k2, 0.5));
        let k4 = slope(t + h, &ahead(&k3, 1.0));
        p = std::array::from_fn(|i| p[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
    }
    visit(1.0, &p);
    p
}

/// The pinned strut at an end shortening between 0 and 1 lengths.
pub(super) fn strut(shortening: f64) -> Strut {
    let of = |modulus: f64| 2.0 - 2.0 * elliptic(modulus)[1] / elliptic(modulus)[0];
    // Shortening 1 is an end slope of 130.7°, k = 0.909.
    let modulus = root(|k| of(k) - shortening, 0.0, 0.95);
    let [k, _] = elliptic(modulus);
    Strut { load: (k / FRAC_PI_2).powi(2), height: modulus / k, slope: 2.0 * modulus.asin() }
}

/// Complete elliptic integrals K(k), E(k) by the arithmetic–geometric mean.
fn elliptic(modulus: f64) -> [f64; 2] {
    let (mut a, mut g, mut c) = (1.0, (1.0 - modulus * modulus).sqrt(), modulus);
    let (mut sum, mut weight) = (0.5 * c * c, 0.5);
    while c.abs() > 1e-16 {
        (a, g, c) = (0.5 * (a + g), (a * g).sqrt(), 0.5 * (a - g));
        weight *= 2.0;
        sum += weight * c * c;
    }
    [FRAC_PI_2 / a, FRAC_PI_2 / a * (1.0 - sum)]
}

/// Where a function changes sign between `a` and `b`, to rounding.
pub(super) fn root(f: impl Fn(f64) -> f64, a: f64, b: f64) -> f64 {
    let Ok(place) = find_root(|x| Ok::<_, std::convert::Infallible>(f(x)), a, b, 4.0 * f64::EPSILON);
    place
}

/// The same for a function that may fail, to a relative precision: secant steps that keep the bracket (Illinois).
pub(super) fn find_root<E>(
    mut f: impl FnMut(f64) -> Result<f64, E>,
    mut a: f64,
    mut b: f64,
    precision: f64,
) -> Result<f64, E> {
    let (mut fa, mut fb) = (f(a)?, f(b)?);
    for _ in 0..100 {
        let c = b - fb * (b - a) / (fb - fa);
        if fb == 0.0 || !c.is_finite() || (b - a).abs() <= precision * b.abs() {
            break;
        }
        let (near, fc) = ((c - b).abs() <= precision * c.abs(), f(c)?);
        if (fc < 0.0) == (fb < 0.0) {
            fa *= 0.5; // the other end has stayed: draw the secant towards it
        } else {
            (a, fa) = (b, fb);
        }
        (b, fb) = (c, fc);
        if near {
            break;
        }
    }
    Ok(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::reference;

    fn assert_digits(found: f64, stored: f64, what: &str) {
        // The tables have eight digits.
        assert!((found - stored).abs() <= 6e-8 * stored.abs(), "{what}: {found} against {stored}");
    }

    #[test]
    fn end_loads_give_the_table_of_bisshopp() {
        let table = reference::table("B-01").unwrap();
        let column = |name| table.numbers(name).unwrap();
        let (drop, reach, angle, root) =
            (column("drop/L"), column("xtip/L"), column("tip_angle_deg"), column("root_curvature*L"));
        for (k, alpha) in column("alpha2=P*L^2/B").into_iter().enumerate() {
            let found = cantilever(alpha, 0.0);
            assert_digits(found.drop, drop[k], "drop");
            assert_digits(found.reach, reach[k], "reach");
            assert_digits(found.tip_angle.to_degrees(), angle[k], "tip angle");
            assert_digits(found.root_curvature, root[k], "root curvature");
        }
    }

    #[test]
    fn own_weight_gives_the_table_of_romero() {
        let table = reference::table("B-02").unwrap();
        let column = |name| table.numbers(name).unwrap();
        let (drop, reach, ratio, root) =
            (column("H=drop/L"), column("W=xtip/L"), column("H/W"), column("root_curvature*L"));
        for (k, gamma) in column("Gamma=sigma*g*L^3/B").into_iter().enumerate() {
            let found = cantilever(0.0, gamma);
            assert_digits(found.drop, drop[k], "H");
            assert_digits(found.reach, reach[k], "W");
            assert_digits(found.drop / found.reach, ratio[k], "H/W");
            assert_digits(found.root_curvature, root[k], "root curvature");
        }
    }

    #[test]
    fn struts_give_the_table_of_euler() {
        let table = reference::table("B-05").unwrap();
        let column = |name| table.numbers(name).unwrap();
        let (load, height, slope) = (column("P/Pcr"), column("pinned_mid_height/L"), column("max_slope_deg"));
        for (k, shortening) in column("end_shortening/L").into_iter().enumerate() {
            let found = strut(shortening);
            assert_digits(found.load, load[k], "load");
            assert_digits(found.height, height[k], "height");
            assert_digits(found.slope.to_degrees(), slope[k], "slope");
        }
    }

    #[test]
    fn small_loads_are_those_of_the_beam() {
        let point = cantilever(1e-4, 0.0);
        assert!((point.drop / (1e-4 / 3.0) - 1.0).abs() < 1e-7, "{point:?}");
        assert!((cantilever(0.0, 1e-4).drop / (1e-4 / 8.0) - 1.0).abs() < 1e-7);
        assert!((strut(1e-6).load - 1.0 - 0.5e-6).abs() < 1e-9);
    }

    #[test]
    fn shapes_end_at_the_tip() {
        let c = cantilever(3.0, 20.0);
        assert!(c.shape[0] == [0.0, 0.0] || c.shape[0][0].abs() < 1e-15);
        let tip = c.shape[c.shape.len() - 1];
        assert!((tip[0] - c.reach).abs() < 1e-15 && (tip[1] + c.drop).abs() < 1e-15);
        let length: f64 = c.shape.windows(2).map(|w| (w[1][0] - w[0][0]).hypot(w[1][1] - w[0][1])).sum();
        assert!((length - 1.0).abs() < 1e-5);
    }
}
