//! Four numbers in one register: a vector of three components with a spare lane, for the sweeps of the multigrid solver.
//!
//! Kernels are written once, generic over [`Quad`], and run inside a function compiled for fused multiply–add where the
//! machine has it. Wider registers do not help: a Gauss–Seidel sweep works on one vertex after the other.

use crate::lane::Level;

/// Lanes 0–2 hold a vector, lane 3 is spare.
pub(super) trait Quad<T>: Copy {
    /// Sum in `f64`.
    type Sum: Copy;
    /// The same in `f64`.
    type Wide: Quad<f64>;
    /// A 3×3 block.
    type Nine: Copy;
    fn zero() -> Self;
    fn splat(value: T) -> Self;
    fn load(from: &[T; 4]) -> Self;
    fn store(self, to: &mut [T; 4]);
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// self·a + b.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// Lanes 0, 1, 2, each in all lanes.
    fn spread(self) -> [Self; 3];
    /// (Σa, Σb, Σc, 0) over all four lanes.
    fn row_sums(a: Self, b: Self, c: Self) -> Self;
    /// Lanes 1, 2, 0, 3.
    fn turned(self) -> Self;
    fn widen(self) -> Self::Wide;
    fn narrow(wide: Self::Wide) -> Self;
    fn no_nine() -> Self::Nine;
    /// sum + weight·block.
    fn add_nine(weight: T, block: &[T; 9], sum: Self::Nine) -> Self::Nine;
    fn plus_nine(a: Self::Nine, b: Self::Nine) -> Self::Nine;
    fn transposed_nine(block: Self::Nine) -> Self::Nine;
    fn store_nine(block: Self::Nine, to: &mut [T; 9]);
    fn no_sum() -> Self::Sum;
    /// sum + self·other, lane by lane.
    fn add_product(self, other: Self, sum: Self::Sum) -> Self::Sum;
    fn total(sum: Self::Sum) -> f64;
}

/// A piece of work written once for all quads.
pub trait Kernel<T> {
    /// What it returns.
    type Output;
    /// Does the work; `#[inline(always)]` in every implementation.
    #[allow(private_bounds)]
    fn run<Q: Quad<T>>(self) -> Self::Output;
}

/// Numbers that come in quads.
pub trait Quads: Sized {
    /// Runs the kernel in code compiled for `level`.
    fn dispatch<K: Kernel<Self>>(level: Level, kernel: K) -> K::Output;
}

/// Plain arrays, for machines without the instructions below.
#[derive(Clone, Copy)]
struct Portable<T>([T; 4]);

macro_rules! portable {
    ($t:ty) => {
        impl Quad<$t> for Portable<$t> {
            type Sum = [f64; 4];
            type Wide = Portable<f64>;
            type Nine = [$t; 9];
            #[inline(always)]
            fn zero() -> Self {
                Self([0.0; 4])
            }
            #[inline(always)]
            fn splat(value: $t) -> Self {
                Self([value; 4])
            }
            #[inline(always)]
            fn load(from: &[$t; 4]) -> Self {
                Self(*from)
            }
            #[inline(always)]
            fn store(self, to: &mut [$t; 4]) {
                *to = self.0;
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                Self(std::array::from_fn(|c| self.0[c] + other.0[c]))
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                Self(std::array::from_fn(|c| self.0[c] - other.0[c]))
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                Self(std::array::from_fn(|c| self.0[c] * other.0[c]))
            }
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                Self(std::array::from_fn(|c| self.0[c] * a.0[c] + b.0[c]))
            }
            #[inline(always)]
            fn turned(self) -> Self {
                Self([self.0[1], self.0[2], self.0[0], self.0[3]])
            }
            #[inline(always)]
            fn widen(self) -> Portable<f64> {
                Portable(self.0.map(f64::from))
            }
            #[inline(always)]
            fn narrow(wide: Portable<f64>) -> Self {
                Self(wide.0.map(|v| v as $t))
            }
            #[inline(always)]
            fn no_nine() -> [$t; 9] {
                [0.0; 9]
            }
            #[inline(always)]
            fn add_nine(weight: $t, block: &[$t; 9], sum: [$t; 9]) -> [$t; 9] {
                std::array::from_fn(|k| weight * block[k] + sum[k])
            }
            #[inline(always)]
            fn plus_nine(a: [$t; 9], b: [$t; 9]) -> [$t; 9] {
                std::array::from_fn(|k| a[k] + b[k])
            }
            #[inline(always)]
            fn transposed_nine(b: [$t; 9]) -> [$t; 9] {
                [b[0], b[3], b[6], b[1], b[4], b[7], b[2], b[5], b[8]]
            }
            #[inline(always)]
            fn store_nine(block: [$t; 9], to: &mut [$t; 9]) {
                *to = block;
            }
            #[inline(always)]
            fn spread(self) -> [Self; 3] {
                [Self([self.0[0]; 4]), Self([self.0[1]; 4]), Self([self.0[2]; 4])]
            }
            #[inline(always)]
            fn row_sums(a: Self, b: Self, c: Self) -> Self {
                let sum = |v: [$t; 4]| (v[0] + v[2]) + (v[1] + v[3]);
                Self([sum(a.0), sum(b.0), sum(c.0), 0.0])
            }
            #[inline(always)]
            fn no_sum() -> [f64; 4] {
                [0.0; 4]
            }
            #[inline(always)]
            fn add_product(self, other: Self, sum: [f64; 4]) -> [f64; 4] {
                std::array::from_fn(|c| sum[c] + f64::from(self.0[c]) * f64::from(other.0[c]))
            }
            #[inline(always)]
            fn total(sum: [f64; 4]) -> f64 {
                (sum[0] + sum[2]) + (sum[1] + sum[3])
            }
        }
    };
}
portable!(f32);
portable!(f64);

macro_rules! quads {
    ($t:ty, $avx2:path, $avx512:path) => {
        impl Quads for $t {
            #[inline]
            fn dispatch<K: Kernel<Self>>(level: Level, kernel: K) -> K::Output {
                #[cfg(target_arch = "x86_64")]
                match level {
                    Level::Avx512 if Level::detect() == Level::Avx512 => return $avx512(kernel),
                    Level::Avx2 if Level::detect() != Level::Scalar => return $avx2(kernel),
                    _ => {}
                }
                let _ = level;
                kernel.run::<Portable<$t>>()
            }
        }
    };
}
quads!(f32, simd::f32_avx2, simd::f32_avx512);
quads!(f64, simd::f64_avx2, simd::f64_avx512);

#[cfg(target_arch = "x86_64")]
mod simd {
    // The one place of the solvers where instructions are named. Sound because the types below are only handed to kernels
    // inside the runners, which `dispatch` calls only after the processor was asked.
    #![allow(unsafe_code)]

    use super::{Kernel, Quad};
    use std::arch::x86_64::*;

    macro_rules! runner {
        ($name:ident, $t:ty, $quad:ty, $features:literal) => {
            pub(super) fn $name<K: Kernel<$t>>(kernel: K) -> K::Output {
                #[target_feature(enable = $features)]
                fn inner<K: Kernel<$t>>(kernel: K) -> K::Output {
                    kernel.run::<$quad>()
                }
                // SAFETY: see the head of the module.
                unsafe { inner(kernel) }
            }
        };
    }
    runner!(f32_avx2, f32, F32x4, "avx2,fma");
    runner!(f64_avx2, f64, F64x4, "avx2,fma");
    runner!(f32_avx512, f32, F32x4Avx512, "avx512f,avx512dq,avx2,fma");
    runner!(f64_avx512, f64, F64x4, "avx512f,avx512dq,avx2,fma");

    #[derive(Clone, Copy)]
    struct F32x4(__m128);
    /// The same, with blocks of nine in one register.
    #[derive(Clone, Copy)]
    struct F32x4Avx512(__m128);
    #[derive(Clone, Copy)]
    struct F64x4(__m256d);

    // SAFETY of all bodies below: the instructions exist (head of the module), and loads and stores go through references.
    macro_rules! quad {
        ($quad:ident, $t:ty, $zero:ident, $splat:ident, $load:ident, $store:ident, $add:ident, $sub:ident, $mul:ident, $fma:ident) => {
            #[inline(always)]
            fn zero() -> Self {
                $quad(unsafe { $zero() })
            }
            #[inline(always)]
            fn splat(value: $t) -> Self {
                $quad(unsafe { $splat(value) })
            }
            #[inline(always)]
            fn load(from: &[$t; 4]) -> Self {
                $quad(unsafe { $load(from.as_ptr()) })
            }
            #[inline(always)]
            fn store(self, to: &mut [$t; 4]) {
                unsafe { $store(to.as_mut_ptr(), self.0) }
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                $quad(unsafe { $add(self.0, other.0) })
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                $quad(unsafe { $sub(self.0, other.0) })
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                $quad(unsafe { $mul(self.0, other.0) })
            }
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                $quad(unsafe { $fma(self.0, a.0, b.0) })
            }
        };
    }

    macro_rules! sums {
        () => {
            type Sum = F64x4;
            type Wide = F64x4;
            #[inline(always)]
            fn no_sum() -> F64x4 {
                F64x4(unsafe { _mm256_setzero_pd() })
            }
            #[inline(always)]
            fn total(sum: F64x4) -> f64 {
                let mut s = [0.0; 4];
                unsafe { _mm256_storeu_pd(s.as_mut_ptr(), sum.0) };
                (s[0] + s[2]) + (s[1] + s[3])
            }
        };
    }

    macro_rules! quad_f32 {
        ($quad:ident) => {
            quad!(
                $quad,
                f32,
                _mm_setzero_ps,
                _mm_set1_ps,
                _mm_loadu_ps,
                _mm_storeu_ps,
                _mm_add_ps,
                _mm_sub_ps,
                _mm_mul_ps,
                _mm_fmadd_ps
            );
            sums!();
            #[inline(always)]
            fn spread(self) -> [Self; 3] {
                let v = self.0;
                unsafe {
                    [
                        $quad(_mm_shuffle_ps(v, v, 0)),
                        $quad(_mm_shuffle_ps(v, v, 0x55)),
                        $quad(_mm_shuffle_ps(v, v, 0xAA)),
                    ]
                }
            }
            #[inline(always)]
            fn row_sums(a: Self, b: Self, c: Self) -> Self {
                unsafe {
                    let zero = _mm_setzero_ps();
                    let ab = _mm_add_ps(_mm_unpacklo_ps(a.0, b.0), _mm_unpackhi_ps(a.0, b.0));
                    let c = _mm_add_ps(_mm_unpacklo_ps(c.0, zero), _mm_unpackhi_ps(c.0, zero));
                    $quad(_mm_add_ps(_mm_movelh_ps(ab, c), _mm_movehl_ps(c, ab)))
                }
            }
            #[inline(always)]
            fn turned(self) -> Self {
                $quad(unsafe { _mm_shuffle_ps(self.0, self.0, 0b11_00_10_01) })
            }
            #[inline(always)]
            fn widen(self) -> F64x4 {
                F64x4(unsafe { _mm256_cvtps_pd(self.0) })
            }
            #[inline(always)]
            fn narrow(wide: F64x4) -> Self {
                $quad(unsafe { _mm256_cvtpd_ps(wide.0) })
            }
            #[inline(always)]
            fn add_product(self, other: Self, sum: F64x4) -> F64x4 {
                F64x4(unsafe { _mm256_fmadd_pd(_mm256_cvtps_pd(self.0), _mm256_cvtps_pd(other.0), sum.0) })
            }
        };
    }

    impl Quad<f32> for F32x4 {
        quad_f32!(F32x4);
        type Nine = (__m256, f32);
        #[inline(always)]
        fn no_nine() -> Self::Nine {
            (unsafe { _mm256_setzero_ps() }, 0.0)
        }
        #[inline(always)]
        fn add_nine(weight: f32, block: &[f32; 9], sum: Self::Nine) -> Self::Nine {
            let eight = unsafe { _mm256_fmadd_ps(_mm256_set1_ps(weight), _mm256_loadu_ps(block.as_ptr()), sum.0) };
            (eight, weight.mul_add(block[8], sum.1))
        }
        #[inline(always)]
        fn plus_nine(a: Self::Nine, b: Self::Nine) -> Self::Nine {
            (unsafe { _mm256_add_ps(a.0, b.0) }, a.1 + b.1)
        }
        #[inline(always)]
        fn transposed_nine(block: Self::Nine) -> Self::Nine {
            (unsafe { _mm256_permutevar8x32_ps(block.0, _mm256_setr_epi32(0, 3, 6, 1, 4, 7, 2, 5)) }, block.1)
        }
        #[inline(always)]
        fn store_nine(block: Self::Nine, to: &mut [f32; 9]) {
            unsafe { _mm256_storeu_ps(to.as_mut_ptr(), block.0) };
            to[8] = block.1;
        }
    }

    impl Quad<f32> for F32x4Avx512 {
        quad_f32!(F32x4Avx512);
        type Nine = __m512;
        #[inline(always)]
        fn no_nine() -> __m512 {
            unsafe { _mm512_setzero_ps() }
        }
        #[inline(always)]
        fn add_nine(weight: f32, block: &[f32; 9], sum: __m512) -> __m512 {
            // The mask keeps the load inside the block.
            unsafe { _mm512_fmadd_ps(_mm512_set1_ps(weight), _mm512_maskz_loadu_ps(0x1FF, block.as_ptr()), sum) }
        }
        #[inline(always)]
        fn plus_nine(a: __m512, b: __m512) -> __m512 {
            unsafe { _mm512_add_ps(a, b) }
        }
        #[inline(always)]
        fn transposed_nine(block: __m512) -> __m512 {
            unsafe {
                let order = _mm512_setr_epi32(0, 3, 6, 1, 4, 7, 2, 5, 8, 9, 10, 11, 12, 13, 14, 15);
                _mm512_permutexvar_ps(order, block)
            }
        }
        #[inline(always)]
        fn store_nine(block: __m512, to: &mut [f32; 9]) {
            unsafe { _mm512_mask_storeu_ps(to.as_mut_ptr(), 0x1FF, block) };
        }
    }

    impl Quad<f64> for F64x4 {
        quad!(
            F64x4,
            f64,
            _mm256_setzero_pd,
            _mm256_set1_pd,
            _mm256_loadu_pd,
            _mm256_storeu_pd,
            _mm256_add_pd,
            _mm256_sub_pd,
            _mm256_mul_pd,
            _mm256_fmadd_pd
        );
        sums!();
        type Nine = [f64; 9];
        #[inline(always)]
        fn no_nine() -> [f64; 9] {
            [0.0; 9]
        }
        #[inline(always)]
        fn add_nine(weight: f64, block: &[f64; 9], sum: [f64; 9]) -> [f64; 9] {
            std::array::from_fn(|k| weight.mul_add(block[k], sum[k]))
        }
        #[inline(always)]
        fn plus_nine(a: [f64; 9], b: [f64; 9]) -> [f64; 9] {
            std::array::from_fn(|k| a[k] + b[k])
        }
        #[inline(always)]
        fn transposed_nine(b: [f64; 9]) -> [f64; 9] {
            [b[0], b[3], b[6], b[1], b[4], b[7], b[2], b[5], b[8]]
        }
        #[inline(always)]
        fn store_nine(block: [f64; 9], to: &mut [f64; 9]) {
            *to = block;
        }
        #[inline(always)]
        fn turned(self) -> Self {
            F64x4(unsafe { _mm256_permute4x64_pd(self.0, 0b11_00_10_01) })
        }
        #[inline(always)]
        fn widen(self) -> F64x4 {
            self
        }
        #[inline(always)]
        fn narrow(wide: F64x4) -> Self {
            wide
        }
        #[inline(always)]
        fn spread(self) -> [Self; 3] {
            unsafe {
                [
                    F64x4(_mm256_permute4x64_pd(self.0, 0)),
                    F64x4(_mm256_permute4x64_pd(self.0, 0x55)),
                    F64x4(_mm256_permute4x64_pd(self.0, 0xAA)),
                ]
            }
        }
        #[inline(always)]
        fn row_sums(a: Self, b: Self, c: Self) -> Self {
            unsafe {
                let ab = _mm256_hadd_pd(a.0, b.0);
                let c = _mm256_hadd_pd(c.0, _mm256_setzero_pd());
                F64x4(_mm256_add_pd(_mm256_permute2f128_pd(ab, c, 0x20), _mm256_permute2f128_pd(ab, c, 0x31)))
            }
        }
        #[inline(always)]
        fn add_product(self, other: Self, sum: F64x4) -> F64x4 {
            F64x4(unsafe { _mm256_fmadd_pd(self.0, other.0, sum.0) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Everything;
    impl Kernel<f32> for Everything {
        type Output = Vec<f64>;
        #[inline(always)]
        fn run<Q: Quad<f32>>(self) -> Vec<f64> {
            everything::<f32, Q>([[1.0, 2.0, 3.0, 4.0], [5.0, -6.0, 7.0, 8.0], [0.5, 0.25, -1.0, 2.0]], f64::from)
        }
    }
    impl Kernel<f64> for Everything {
        type Output = Vec<f64>;
        #[inline(always)]
        fn run<Q: Quad<f64>>(self) -> Vec<f64> {
            everything::<f64, Q>([[1.0, 2.0, 3.0, 4.0], [5.0, -6.0, 7.0, 8.0], [0.5, 0.25, -1.0, 2.0]], |v| v)
        }
    }

    #[inline(always)]
    fn everything<T: Copy + Default, Q: Quad<T>>(v: [[T; 4]; 3], widen: impl Fn(T) -> f64 + Copy) -> Vec<f64> {
        let [a, b, c] = [Q::load(&v[0]), Q::load(&v[1]), Q::load(&v[2])];
        let [x, y, z] = a.spread();
        let mut out = vec![Q::total(a.add_product(b, b.add_product(c, Q::no_sum())))];
        let quads = [
            a.add(b),
            a.sub(b),
            a.mul_add(b, c),
            x,
            y,
            z,
            Q::row_sums(a, b, c),
            Q::zero(),
            Q::splat(v[1][1]),
            a.mul(b),
        ];
        for quad in quads {
            let mut four = [T::default(); 4];
            quad.store(&mut four);
            out.extend(four.map(widen));
            Q::narrow(quad.turned().widen()).store(&mut four);
            out.extend(four.map(widen));
        }
        let block = std::array::from_fn(|k| v[k / 4][k % 4]);
        let nine = Q::add_nine(v[0][1], &block, Q::add_nine(v[0][0], &block, Q::no_nine()));
        let mut both = block;
        Q::store_nine(Q::plus_nine(nine, Q::transposed_nine(nine)), &mut both);
        out.extend(both.map(widen));
        out
    }

    /// The numbers are small integers and binary fractions: every operation is exact, so all levels agree to the bit.
    #[test]
    fn all_levels_do_the_same() {
        let plain = f64::dispatch(Level::Scalar, Everything);
        assert_eq!(plain[0], 56.0); // 5 − 12 + 21 + 32 and 2.5 − 1.5 − 7 + 16
        assert_eq!(plain[49..57], [10.0, 14.0, 1.75, 0.0, 14.0, 1.75, 10.0, 0.0]); // row sums, and turned
        assert_eq!(plain[plain.len() - 9..], [2.0, 6.0, 10.0, 6.0, 10.0, 2.0, 10.0, 2.0, 1.0].map(|v| 3.0 * v));
        for level in ["scalar", "avx2", "avx512"].into_iter().filter_map(Level::by_name) {
            assert_eq!(f32::dispatch(level, Everything), plain);
            assert_eq!(f64::dispatch(level, Everything), plain);
        }
    }
}
