//! Strain measures: strains as functions of the metric a = U·U, b = V·V, c = U·V of a triangle.
//!
//! With the Green components G = (½(a−1), ½(b−1), c) as common currency, a law in strains ε(G) has the stress
//! Jᵀσ and the tangent JᵀEJ + Σ σ_n ∂²ε_n/∂G² in Green components, J = ∂ε/∂G, and every measure shares the kernel of `green`.

use super::jet::Jet;
use crate::lane::Lane;
use crate::law::{Response, Sym3};

/// Below this squared stretch an element counts as collapsed: derivatives are kept at their value there.
const COLLAPSED: f64 = 1e-10;

/// A way to measure strain.
pub trait Measure: Copy + Default + Send + Sync + 'static {
    /// True where strain is the Green strain itself: nothing to convert.
    const GREEN: bool = false;
    /// (weft, warp, engineering shear) strains of the metric (a, b, c).
    fn strain<L: Lane>(metric: [L; 3]) -> [L; 3];
    /// Stress and tangent of the law, converted to Green components.
    fn pull_back<L: Lane>(metric: [L; 3], response: Response<L>) -> Response<L>;
    /// J x: rate of the strains when the Green components change at rate x.
    fn push_forward<L: Lane>(metric: [L; 3], green: [L; 3]) -> [L; 3];
}

/// Green–Lagrange strain. Source: Volino09 eq. (9). ε_uv = U·V is the engineering shear.
#[derive(Clone, Copy, Debug, Default)]
pub struct Green;

impl Measure for Green {
    const GREEN: bool = true;
    #[inline(always)]
    fn strain<L: Lane>([a, b, c]: [L; 3]) -> [L; 3] {
        let half = L::splat(0.5);
        let one = L::splat(1.0);
        [half * (a - one), half * (b - one), c]
    }
    #[inline(always)]
    fn pull_back<L: Lane>(_metric: [L; 3], response: Response<L>) -> Response<L> {
        response
    }
    #[inline(always)]
    fn push_forward<L: Lane>(_metric: [L; 3], green: [L; 3]) -> [L; 3] {
        green
    }
}

/// Length-based strain. Source: Volino05: ε_uu = |U|−1, ε_vv = |V|−1, ε_uv = (|U+V|−|U−V|)/√2.
/// The paper's forces use thread directions in place of ∂ε_uv/∂U; here they are the exact gradient, so that energy exists.
#[derive(Clone, Copy, Debug, Default)]
pub struct Length;

/// Corotational strain ε = S − I, where S = √(FᵀF) is the stretch of the polar decomposition F = R S of F = [U V].
/// Source: Etzmuss03, Wacker05. For isotropic laws the force is the papers' R K (Rᵀx − x̄); for anisotropic ones it is
/// the exact gradient of the energy, which theirs is not. Closed form: S = (C + √det C · I)/√(tr C + 2√det C).
#[derive(Clone, Copy, Debug, Default)]
pub struct Corotational;

/// Finite-difference particles: ε_uu = |U|−1, ε_vv = |V|−1, ε_uv = U·V. Source: Wacker05 eq. (12) after Eberhardt00, where
/// the shear stress is ½μ U·V: take the shear modulus of the law as ½μ (VALIDATION trap 5).
#[derive(Clone, Copy, Debug, Default)]
pub struct Particle;

/// Symmetric strain ε = (S − S⁻¹)/2 with the stretch S of the polar decomposition. Source: Bazant98, its first tensor. As large for a thread
/// pressed to half its length as for one pulled to twice: no triangle collapses, however hard it is pressed, and energy stays convex
/// along a thread, which Green's strain loses below 0.58 of the rest length. Along a thread it is sinh of Hencky's strain.
#[derive(Clone, Copy, Debug, Default)]
pub struct Symmetric;

macro_rules! measure_by_jets {
    ($name:ty, |$a:ident, $b:ident, $c:ident| $strain:expr) => {
        impl $name {
            #[inline(always)]
            fn jets<L: Lane>(metric: [L; 3]) -> [Jet<L>; 3] {
                // da = 2 dG_uu, db = 2 dG_vv, dc = dG_uv.
                let $a = Jet::variable(metric[0], 0, 2.0);
                let $b = Jet::variable(metric[1], 1, 2.0);
                let $c = Jet::variable(metric[2], 2, 1.0);
                $strain
            }
        }
        impl Measure for $name {
            #[inline(always)]
            fn strain<L: Lane>(metric: [L; 3]) -> [L; 3] {
                Self::jets(metric).map(|jet| jet.value)
            }
            #[inline(always)]
            fn pull_back<L: Lane>(metric: [L; 3], response: Response<L>) -> Response<L> {
                pull_back(&Self::jets(metric), &response)
            }
            #[inline(always)]
            fn push_forward<L: Lane>(metric: [L; 3], green: [L; 3]) -> [L; 3] {
                Self::jets(metric).map(|jet| dot(jet.gradient, green))
            }
        }
    };
}

measure_by_jets!(Length, |a, b, c| {
    let one = Jet::constant(L::splat(1.0));
    let sum = (a + b + c.scale(2.0)).sqrt_above(COLLAPSED);
    let difference = (a + b - c.scale(2.0)).sqrt_above(COLLAPSED);
    let shear = (sum - difference).scale(std::f64::consts::FRAC_1_SQRT_2);
    [a.sqrt_above(COLLAPSED) - one, b.sqrt_above(COLLAPSED) - one, shear]
});

measure_by_jets!(Corotational, |a, b, c| {
    let one = Jet::constant(L::splat(1.0));
    let s = (a * b - c * c).sqrt_above(COLLAPSED);
    let t = (a + b + s.scale(2.0)).sqrt_above(COLLAPSED);
    [(a + s) / t - one, (b + s) / t - one, c.scale(2.0) / t]
});

measure_by_jets!(Particle, |a, b, c| {
    let one = Jet::constant(L::splat(1.0));
    [a.sqrt_above(COLLAPSED) - one, b.sqrt_above(COLLAPSED) - one, c]
});

measure_by_jets!(Symmetric, |a, b, c| {
    let s = (a * b - c * c).sqrt_above(COLLAPSED);
    let t = (a + b + s.scale(2.0)).sqrt_above(COLLAPSED);
    let (weft, warp, across) = ((a + s) / t, (b + s) / t, c / t);
    [(weft - warp / s).scale(0.5), (warp - weft / s).scale(0.5), across + across / s]
});

#[inline(always)]
fn dot<L: Lane>(a: [L; 3], b: [L; 3]) -> L {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))
}

#[inline(always)]
fn pull_back<L: Lane>(jets: &[Jet<L>; 3], response: &Response<L>) -> Response<L> {
    let s = response.stress;
    let stress = std::array::from_fn(|m| dot(s, [jets[0].gradient[m], jets[1].gradient[m], jets[2].gradient[m]]));
    let columns: [[L; 3]; 3] =
        std::array::from_fn(|m| crate::law::sym_mul(&response.tangent, std::array::from_fn(|n| jets[n].gradient[m])));
    let entry = |k: usize, i: usize, j: usize| {
        let bend = dot(s, [jets[0].hessian[k], jets[1].hessian[k], jets[2].hessian[k]]);
        bend + dot(columns[i], std::array::from_fn(|n| jets[n].gradient[j]))
    };
    let tangent: Sym3<L> =
        [entry(0, 0, 0), entry(1, 1, 1), entry(2, 2, 2), entry(3, 0, 1), entry(4, 0, 2), entry(5, 1, 2)];
    Response { stress, tangent }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For small strain all measures agree with the Green strain to second order.
    #[test]
    fn measures_agree_near_rest() {
        let d = 1e-4;
        let metric: [f64; 3] = [1.0 + 2.0 * d, 1.0 - d, 0.7 * d];
        let green = Green::strain(metric);
        let all =
            [Length::strain(metric), Corotational::strain(metric), Particle::strain(metric), Symmetric::strain(metric)];
        for strain in all {
            for m in 0..3 {
                assert!((strain[m] - green[m]).abs() < 2.0 * d * d, "{strain:?} {green:?}");
            }
        }
    }

    /// A thread pressed to 1/s of its length is strained as one pulled to s times it, and the strain is that of its logarithm to third order.
    #[test]
    fn symmetric_strain_knows_no_preferred_sign() {
        for s in [1.1f64, 1.5, 2.0, 7.0] {
            let [pulled, across, shear] = Symmetric::strain([s * s, 1.0, 0.0]);
            let pressed = Symmetric::strain([1.0 / (s * s), 1.0, 0.0])[0];
            assert!((pulled + pressed).abs() < 1e-14 * pulled && across == 0.0 && shear == 0.0);
        }
        let log = |e: f64| Symmetric::strain([(2.0 * e).exp(), 1.0, 0.0])[0] - e;
        assert!(log(1e-2).abs() < 1e-6 && log(1e-2) > 0.0); // sinh(e) = e + e³/6 + …
    }

    /// S of the polar decomposition squares to the metric.
    #[test]
    fn corotational_stretch_squares_to_the_metric() {
        let (a, b, c) = (1.7, 0.6, 0.45);
        let [su, sv, ss] = Corotational::strain::<f64>([a, b, c]);
        let (s11, s22, s12) = (su + 1.0, sv + 1.0, 0.5 * ss);
        assert!((s11 * s11 + s12 * s12 - a).abs() < 1e-14);
        assert!((s22 * s22 + s12 * s12 - b).abs() < 1e-14);
        assert!((s12 * (s11 + s22) - c).abs() < 1e-14);
    }
}
