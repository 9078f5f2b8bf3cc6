//! Second-order jets: a value with its gradient and Hessian over three variables, carried through arithmetic.
//! Strain measures are written once as functions of jets; their exact derivatives follow.

use crate::lane::Lane;
use std::ops::{Add, Div, Mul, Sub};

/// Value, gradient and Hessian (in the order of [`crate::law::Sym3`]).
#[derive(Clone, Copy)]
pub(super) struct Jet<L> {
    pub(super) value: L,
    pub(super) gradient: [L; 3],
    pub(super) hessian: [L; 6],
}

/// Places of the Hessian's entries.
const PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];

impl<L: Lane> Jet<L> {
    /// Variable number `index`, growing with `slope`.
    #[inline(always)]
    pub(super) fn variable(value: L, index: usize, slope: f64) -> Self {
        let mut jet = Self::constant(value);
        jet.gradient[index] = L::splat(slope);
        jet
    }

    #[inline(always)]
    pub(super) fn constant(value: L) -> Self {
        Self { value, gradient: [L::splat(0.0); 3], hessian: [L::splat(0.0); 6] }
    }

    /// f(self) from f, f′ and f″ at the value.
    #[inline(always)]
    fn chain(self, f: L, df: L, ddf: L) -> Self {
        Self {
            value: f,
            gradient: self.gradient.map(|g| df * g),
            hessian: std::array::from_fn(|k| {
                let (i, j) = PAIRS[k];
                df.mul_add(self.hessian[k], ddf * self.gradient[i] * self.gradient[j])
            }),
        }
    }

    /// Square root of the value or of `floor`, whichever is larger: a collapsed element stays finite.
    #[inline(always)]
    pub(super) fn sqrt_above(self, floor: f64) -> Self {
        let x = self.value.max(L::splat(floor));
        let root = x.sqrt();
        let df = L::splat(0.5) / root;
        self.chain(root, df, -(L::splat(0.5) * df / x))
    }

    #[inline(always)]
    pub(super) fn scale(self, factor: f64) -> Self {
        let f = L::splat(factor);
        Self { value: self.value * f, gradient: self.gradient.map(|g| g * f), hessian: self.hessian.map(|h| h * f) }
    }

    #[inline(always)]
    fn reciprocal(self) -> Self {
        let r = L::splat(1.0) / self.value;
        self.chain(r, -(r * r), L::splat(2.0) * r * r * r)
    }
}

impl<L: Lane> Add for Jet<L> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self {
            value: self.value + o.value,
            gradient: std::array::from_fn(|i| self.gradient[i] + o.gradient[i]),
            hessian: std::array::from_fn(|i| self.hessian[i] + o.hessian[i]),
        }
    }
}

impl<L: Lane> Sub for Jet<L> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self {
            value: self.value - o.value,
            gradient: std::array::from_fn(|i| self.gradient[i] - o.gradient[i]),
            hessian: std::array::from_fn(|i| self.hessian[i] - o.hessian[i]),
        }
    }
}

impl<L: Lane> Mul for Jet<L> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Self {
            value: self.value * o.value,
            gradient: std::array::from_fn(|i| self.value.mul_add(o.gradient[i], o.value * self.gradient[i])),
            hessian: std::array::from_fn(|k| {
                let (i, j) = PAIRS[k];
                let cross = self.gradient[i].mul_add(o.gradient[j], self.gradient[j] * o.gradient[i]);
                self.value.mul_add(o.hessian[k], o.value.mul_add(self.hessian[k], cross))
            }),
        }
    }
}

impl<L: Lane> Div for Jet<L> {
    type Output = Self;
    #[allow(clippy::suspicious_arithmetic_impl)] // a quotient is the product with the reciprocal
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        self * o.reciprocal()
    }
}
