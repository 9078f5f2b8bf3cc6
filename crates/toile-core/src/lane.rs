//! Lanes: several elements in one register, so that one kernel text serves scalar, AVX2 and AVX-512 code.
//!
//! A kernel is written once, generic over [`Lane`], and marked `#[inline(always)]`; [`Level::dispatch`] calls it inside
//! a function compiled for the instruction set that the machine has. Fused multiply–add is asked for by name
//! ([`Lane::mul_add`]), so the level changes the last bits of a result: it belongs in the record of a run and can be fixed
//! ([`Level::by_name`]) where bytes must agree between machines.

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// `WIDTH` numbers that are computed together.
pub trait Lane:
    Copy
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
{
    /// How many elements share a register.
    const WIDTH: usize;
    /// The same number in every lane.
    fn splat(value: f64) -> Self;
    /// The first `WIDTH` of eight numbers.
    fn load(values: &[f64; 8]) -> Self;
    /// Lane i takes `f(i)`.
    fn from_fn(f: impl FnMut(usize) -> f64) -> Self;
    /// The number in lane i.
    fn lane(self, i: usize) -> f64;
    /// All lanes; those beyond `WIDTH` are zero.
    fn to_array(self) -> [f64; 8];
    /// self·a + b, in one rounding where the level has it.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// The larger of the two, lane by lane.
    fn max(self, other: Self) -> Self;
    /// The smaller of the two, lane by lane.
    fn min(self, other: Self) -> Self;
}

impl Lane for f64 {
    const WIDTH: usize = 1;
    #[inline(always)]
    fn splat(value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn load(values: &[f64; 8]) -> Self {
        values[0]
    }
    #[inline(always)]
    fn from_fn(mut f: impl FnMut(usize) -> f64) -> Self {
        f(0)
    }
    #[inline(always)]
    fn lane(self, _i: usize) -> f64 {
        self
    }
    #[inline(always)]
    fn to_array(self) -> [f64; 8] {
        [self, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    }
    // Two roundings on purpose: without the FMA instruction `f64::mul_add` is a slow library call.
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        self * a + b
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        f64::max(self, other)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        f64::min(self, other)
    }
}

/// Instruction-set level of the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// One element at a time; runs everywhere.
    Scalar,
    /// Four elements, fused multiply–add.
    Avx2,
    /// Eight elements, fused multiply–add.
    Avx512,
}

impl Level {
    /// The best level of this machine.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
                return Self::Avx512;
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                return Self::Avx2;
            }
        }
        Self::Scalar
    }

    /// The level called `name`, if this machine has it.
    pub fn by_name(name: &str) -> Option<Self> {
        let wanted = match name {
            "scalar" => Self::Scalar,
            "avx2" => Self::Avx2,
            "avx512" => Self::Avx512,
            _ => return None,
        };
        (wanted as u8 <= Self::detect() as u8).then_some(wanted)
    }

    /// Name for records and the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// Runs the kernel in code compiled for this level.
    #[inline]
    pub fn dispatch<K: Kernel>(self, kernel: K) -> K::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 if Self::detect() == Self::Avx512 => simd::run_avx512(kernel),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 if Self::detect() != Self::Scalar => simd::run_avx2(kernel),
            _ => kernel.run::<f64>(),
        }
    }
}

/// A piece of work written once for all lanes.
pub trait Kernel {
    /// What it returns.
    type Output;
    /// Does the work. Implementations are `#[inline(always)]`, or the lanes are not inlined and speed is lost.
    fn run<L: Lane>(self) -> Self::Output;
}

#[cfg(target_arch = "x86_64")]
mod simd {
    // The one place where instruction sets are named. Sound because the types below are only handed to kernels inside
    // `run_avx2` and `run_avx512`, and `Level::dispatch` calls those only after the processor was asked.
    #![allow(unsafe_code)]

    use super::{Kernel, Lane};
    use std::arch::x86_64::*;
    use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

    pub(super) fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
        #[target_feature(enable = "avx512f,avx512dq,avx2,fma")]
        fn inner<K: Kernel>(kernel: K) -> K::Output {
            kernel.run::<F64x8>()
        }
        // SAFETY: see the head of the module.
        unsafe { inner(kernel) }
    }

    pub(super) fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
        #[target_feature(enable = "avx2,fma")]
        fn inner<K: Kernel>(kernel: K) -> K::Output {
            kernel.run::<F64x4>()
        }
        // SAFETY: see the head of the module.
        unsafe { inner(kernel) }
    }

    macro_rules! lane_type {
        ($name:ident, $raw:ty, $width:literal, $add:ident, $sub:ident, $mul:ident, $div:ident, $fma:ident, $sqrt:ident,
         $max:ident, $min:ident, $splat:ident, $load:ident, $store:ident) => {
            #[derive(Clone, Copy)]
            pub(super) struct $name($raw);
            impl Add for $name {
                type Output = Self;
                #[inline(always)]
                fn add(self, o: Self) -> Self {
                    Self(unsafe { $add(self.0, o.0) })
                }
            }
            impl Sub for $name {
                type Output = Self;
                #[inline(always)]
                fn sub(self, o: Self) -> Self {
                    Self(unsafe { $sub(self.0, o.0) })
                }
            }
            impl Mul for $name {
                type Output = Self;
                #[inline(always)]
                fn mul(self, o: Self) -> Self {
                    Self(unsafe { $mul(self.0, o.0) })
                }
            }
            impl Div for $name {
                type Output = Self;
                #[inline(always)]
                fn div(self, o: Self) -> Self {
                    Self(unsafe { $div(self.0, o.0) })
                }
            }
            impl Neg for $name {
                type Output = Self;
                #[inline(always)]
                fn neg(self) -> Self {
                    Self::splat(-0.0) - self
                }
            }
            impl AddAssign for $name {
                #[inline(always)]
                fn add_assign(&mut self, o: Self) {
                    *self = *self + o;
                }
            }
            impl SubAssign for $name {
                #[inline(always)]
                fn sub_assign(&mut self, o: Self) {
                    *self = *self - o;
                }
            }
            impl Lane for $name {
                const WIDTH: usize = $width;
                #[inline(always)]
                fn splat(value: f64) -> Self {
                    Self(unsafe { $splat(value) })
                }
                #[inline(always)]
                fn load(values: &[f64; 8]) -> Self {
                    Self(unsafe { $load(values.as_ptr()) })
                }
                #[inline(always)]
                fn from_fn(f: impl FnMut(usize) -> f64) -> Self {
                    let values: [f64; $width] = std::array::from_fn(f);
                    Self(unsafe { $load(values.as_ptr()) })
                }
                #[inline(always)]
                fn lane(self, i: usize) -> f64 {
                    let mut values = [0.0; $width];
                    unsafe { $store(values.as_mut_ptr(), self.0) };
                    values[i]
                }
                #[inline(always)]
                fn to_array(self) -> [f64; 8] {
                    let mut values = [0.0; 8];
                    unsafe { $store(values.as_mut_ptr(), self.0) };
                    values
                }
                #[inline(always)]
                fn mul_add(self, a: Self, b: Self) -> Self {
                    Self(unsafe { $fma(self.0, a.0, b.0) })
                }
                #[inline(always)]
                fn sqrt(self) -> Self {
                    Self(unsafe { $sqrt(self.0) })
                }
                #[inline(always)]
                fn max(self, o: Self) -> Self {
                    Self(unsafe { $max(self.0, o.0) })
                }
                #[inline(always)]
                fn min(self, o: Self) -> Self {
                    Self(unsafe { $min(self.0, o.0) })
                }
            }
        };
    }

    lane_type!(
        F64x4,
        __m256d,
        4,
        _mm256_add_pd,
        _mm256_sub_pd,
        _mm256_mul_pd,
        _mm256_div_pd,
        _mm256_fmadd_pd,
        _mm256_sqrt_pd,
        _mm256_max_pd,
        _mm256_min_pd,
        _mm256_set1_pd,
        _mm256_loadu_pd,
        _mm256_storeu_pd
    );
    lane_type!(
        F64x8,
        __m512d,
        8,
        _mm512_add_pd,
        _mm512_sub_pd,
        _mm512_mul_pd,
        _mm512_div_pd,
        _mm512_fmadd_pd,
        _mm512_sqrt_pd,
        _mm512_max_pd,
        _mm512_min_pd,
        _mm512_set1_pd,
        _mm512_loadu_pd,
        _mm512_storeu_pd
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Norm<'a>(&'a [f64]);
    impl Kernel for Norm<'_> {
        type Output = Vec<f64>;
        #[inline(always)]
        fn run<L: Lane>(self) -> Vec<f64> {
            let mut out = Vec::new();
            for chunk in self.0.chunks_exact(L::WIDTH) {
                let x = L::from_fn(|i| chunk[i]);
                let y = x.mul_add(x, L::splat(1.0)).sqrt().max(L::splat(2.0)) - -x / L::splat(4.0);
                out.extend((0..L::WIDTH).map(|i| y.lane(i)));
            }
            out
        }
    }

    /// Every level of this machine computes the same function, up to the rounding of the fused product.
    #[test]
    fn levels_agree_to_rounding() {
        let x: Vec<f64> = (0..32).map(|i| f64::from(i) * 0.37 - 3.0).collect();
        let scalar = Level::Scalar.dispatch(Norm(&x));
        for name in ["avx2", "avx512"] {
            let Some(level) = Level::by_name(name) else { continue };
            for (a, b) in scalar.iter().zip(level.dispatch(Norm(&x))) {
                assert!((a - b).abs() <= 4.0 * f64::EPSILON * a.abs(), "{name}: {a} {b}");
            }
        }
    }
}
