//! The inner loops: Gauss–Seidel sweeps and products over the chunks of a level.
//!
//! With A = D + L + Lᵀ + C (see [`super::level`]) the smoother is M = D + L. Everything the cycle needs falls out of two
//! sweeps, each of which reads L once:
//!
//! | step     | row i                                         | leaves                                        |
//! |----------|-----------------------------------------------|-----------------------------------------------|
//! | forward  | t = b − L x, x = D⁻¹ t, u += Lᵀ x             | residual b − A x = −(u + C x)                 |
//! | coarse   | e from the residual, x += e                   |                                               |
//! | backward | z = D⁻¹ (t − L e − C x − u), u += Lᵀ z        | the result z of the symmetric cycle           |
//! | product  | A z = b + (L + C)(z − x)                      | half a product instead of a whole one         |
//!
//! Couplings between chunks (C) always see old values: chunks can run at the same time, and the cycle stays symmetric.

use super::super::Real;
use super::super::quad::{Kernel, Quad};
use super::level::{Border, Rows, TRANSPOSED};

/// The matrix of one chunk of nodes.
#[derive(Clone, Copy)]
pub(super) struct Chunk<'a, T> {
    pub(super) range: (usize, usize),
    pub(super) chunk: usize,
    pub(super) len: usize,
    pub(super) blocks: &'a [T],
    pub(super) inverse: &'a [[T; 12]],
    pub(super) rows: &'a Rows<T>,
    pub(super) border: &'a Border<T>,
}

#[inline(always)]
pub(super) fn block_rows<T: Real, Q: Quad<T>>(blocks: &[T], k: usize) -> [Q; 3] {
    let ten: &[T; 10] = blocks[9 * k..9 * k + 10].try_into().expect("ten numbers");
    let quad = |at: usize| -> &[T; 4] { ten[at..at + 4].try_into().expect("four numbers") };
    // The spare lane of a row holds the number behind it; vectors have a zero there, results are not used.
    [Q::load(quad(0)), Q::load(quad(3)), Q::load(quad(6))]
}

impl<'a, T: Real> Chunk<'a, T> {
    /// Positions of row i (counted in the chunk) among the couplings.
    #[inline(always)]
    fn row(&self, i: usize) -> std::ops::Range<usize> {
        let i = self.range.0 + i;
        self.rows.starts[i] as usize..self.rows.starts[i + 1] as usize
    }

    #[inline(always)]
    fn scalar_row(&self, i: usize) -> std::ops::Range<usize> {
        let i = self.range.0 + i;
        self.rows.scalar_starts[i] as usize..self.rows.scalar_starts[i + 1] as usize
    }

    /// (L v)_i.
    #[inline(always)]
    fn gather<Q: Quad<T>>(&self, i: usize, v: &[[T; 4]]) -> Q {
        let [mut a, mut b, mut c] = [Q::zero(); 3];
        let mut sum = Q::zero();
        let row = self.scalar_row(i);
        for (&j, &s) in self.rows.scalar_columns[row.clone()].iter().zip(&self.rows.scalars[row]) {
            sum = Q::splat(s).mul_add(Q::load(&v[j as usize]), sum);
        }
        let row = self.row(i);
        for (k, &j) in row.clone().zip(&self.rows.columns[row]) {
            let x = Q::load(&v[j as usize]);
            let [p, q, r] = block_rows::<T, Q>(self.blocks, self.len + k);
            a = p.mul_add(x, a);
            b = q.mul_add(x, b);
            c = r.mul_add(x, c);
        }
        Q::row_sums(a, b, c).add(sum)
    }

    /// u += (Lᵀ)_·i x.
    #[inline(always)]
    fn scatter<Q: Quad<T>>(&self, i: usize, x: Q, u: &mut [[T; 4]]) {
        let [x0, x1, x2] = x.spread();
        let row = self.row(i);
        for (k, &j) in row.clone().zip(&self.rows.columns[row]) {
            let [p, q, r] = block_rows::<T, Q>(self.blocks, self.len + k);
            let to = &mut u[j as usize];
            r.mul_add(x2, q.mul_add(x1, p.mul_add(x0, Q::load(to)))).store(to);
        }
        let row = self.scalar_row(i);
        for (&j, &s) in self.rows.scalar_columns[row.clone()].iter().zip(&self.rows.scalars[row]) {
            let to = &mut u[j as usize];
            Q::splat(s).mul_add(x, Q::load(to)).store(to);
        }
    }

    /// D⁻¹ t.
    #[inline(always)]
    fn solve<Q: Quad<T>>(&self, i: usize, t: Q) -> Q {
        let d = &self.inverse[self.range.0 + i];
        let row = |r: usize| -> Q { Q::load(d[4 * r..4 * r + 4].try_into().expect("four numbers")) };
        let [t0, t1, t2] = t.spread();
        // Symmetric: rows serve as columns.
        row(2).mul_add(t2, row(1).mul_add(t1, row(0).mul_add(t0, Q::zero())))
    }

    /// (C v) for the k-th border node; v are the values of all nodes.
    #[inline(always)]
    fn border<Q: Quad<T>>(&self, k: usize, v: &[[T; 4]]) -> Q {
        let border = self.border;
        let [mut a, mut b, mut c] = [Q::zero(); 3];
        let mut sum = Q::zero();
        for &(j, place) in &border.blocks[border.starts[k] as usize..border.starts[k + 1] as usize] {
            let x = Q::load(&v[j as usize]);
            let [p, q, r] = block_rows::<T, Q>(self.blocks, (place & !TRANSPOSED) as usize);
            if place & TRANSPOSED == 0 {
                a = p.mul_add(x, a);
                b = q.mul_add(x, b);
                c = r.mul_add(x, c);
            } else {
                let [x0, x1, x2] = x.spread();
                sum = r.mul_add(x2, q.mul_add(x1, p.mul_add(x0, sum)));
            }
        }
        for &(j, s) in &border.scalars[border.scalar_starts[k] as usize..border.scalar_starts[k + 1] as usize] {
            sum = Q::splat(s).mul_add(Q::load(&v[j as usize]), sum);
        }
        Q::row_sums(a, b, c).add(sum)
    }

    /// The chunk's own border nodes.
    #[inline(always)]
    fn border_nodes(&self) -> std::ops::Range<usize> {
        self.border.chunks[self.chunk] as usize..self.border.chunks[self.chunk + 1] as usize
    }
}

/// Forward sweep from zero: x, t and u = Lᵀ x of the chunk.
pub(super) struct Forward<'a, T> {
    pub(super) a: Chunk<'a, T>,
    pub(super) b: &'a [[T; 4]],
    pub(super) x: &'a mut [[T; 4]],
    pub(super) t: &'a mut [[T; 4]],
    pub(super) u: &'a mut [[T; 4]],
}

impl<T: Real> Kernel<T> for Forward<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<Q: Quad<T>>(self) {
        let Self { a, b, x, t, u } = self;
        for i in 0..b.len() {
            let ti = Q::load(&b[i]).sub(a.gather::<Q>(i, x));
            let xi = a.solve(i, ti);
            ti.store(&mut t[i]);
            xi.store(&mut x[i]);
            Q::zero().store(&mut u[i]);
            a.scatter(i, xi, u);
        }
    }
}

/// u += C x at the border of the chunk.
pub(super) struct AddBorder<'a, T> {
    pub(super) a: Chunk<'a, T>,
    pub(super) x: &'a [[T; 4]],
    pub(super) u: &'a mut [[T; 4]],
}

impl<T: Real> Kernel<T> for AddBorder<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<Q: Quad<T>>(self) {
        for k in self.a.border_nodes() {
            let to = &mut self.u[self.a.border.nodes[k] as usize - self.a.range.0];
            Q::load(to).add(self.a.border::<Q>(k, self.x)).store(to);
        }
    }
}

/// Backward sweep: z of the chunk, and e becomes z − x. Returns b·z.
pub(super) struct Backward<'a, T> {
    pub(super) a: Chunk<'a, T>,
    pub(super) b: &'a [[T; 4]],
    pub(super) t: &'a [[T; 4]],
    /// Of all nodes.
    pub(super) x: &'a [[T; 4]],
    pub(super) u: &'a mut [[T; 4]],
    pub(super) e: &'a mut [[T; 4]],
    pub(super) z: &'a mut [[T; 4]],
}

impl<T: Real> Kernel<T> for Backward<'_, T> {
    type Output = f64;
    #[inline(always)]
    fn run<Q: Quad<T>>(self) -> f64 {
        let Self { a, b, t, x, u, e, z } = self;
        AddBorder { a, x, u }.run::<Q>();
        let x = &x[a.range.0..a.range.1];
        let mut sum = Q::no_sum();
        for i in (0..b.len()).rev() {
            let si = Q::load(&t[i]).sub(a.gather::<Q>(i, e)).sub(Q::load(&u[i]));
            let zi = a.solve(i, si);
            zi.store(&mut z[i]);
            zi.sub(Q::load(&x[i])).store(&mut e[i]);
            a.scatter(i, zi, u);
            sum = Q::load(&b[i]).add_product(zi, sum);
        }
        Q::total(sum)
    }
}

/// p = z + β p, s = A z + β s with A z = b + (L + C) e, on the unknown components. Returns p·s.
pub(super) struct Direction<'a, T> {
    pub(super) a: Chunk<'a, T>,
    pub(super) b: &'a [[T; 4]],
    pub(super) z: &'a [[T; 4]],
    /// Of all nodes.
    pub(super) e: &'a [[T; 4]],
    pub(super) beta: T,
    /// Nodes of the chunk with fixed components, and their masks.
    pub(super) fixed: &'a [(u32, [T; 4])],
    pub(super) p: &'a mut [[T; 4]],
    pub(super) s: &'a mut [[T; 4]],
}

impl<T: Real> Kernel<T> for Direction<'_, T> {
    type Output = f64;
    #[inline(always)]
    fn run<Q: Quad<T>>(self) -> f64 {
        let Self { a, b, z, e, beta, fixed, p, s } = self;
        let (beta, inner) = (Q::splat(beta), &e[a.range.0..a.range.1]);
        for i in 0..b.len() {
            let az = Q::load(&b[i]).add(a.gather::<Q>(i, inner));
            beta.mul_add(Q::load(&s[i]), az).store(&mut s[i]);
        }
        for k in a.border_nodes() {
            let to = &mut s[a.border.nodes[k] as usize - a.range.0];
            Q::load(to).add(a.border::<Q>(k, e)).store(to);
        }
        for (node, mask) in fixed {
            let to = &mut s[*node as usize - a.range.0];
            *to = std::array::from_fn(|c| to[c] * mask[c]);
        }
        let mut sum = Q::no_sum();
        for i in 0..b.len() {
            let pi = beta.mul_add(Q::load(&p[i]), Q::load(&z[i]));
            pi.store(&mut p[i]);
            sum = pi.add_product(Q::load(&s[i]), sum);
        }
        Q::total(sum)
    }
}

/// y += α x.
pub(super) struct Axpy<'a, T> {
    pub(super) alpha: T,
    pub(super) x: &'a [[T; 4]],
    pub(super) y: &'a mut [[T; 4]],
}

impl<T: Real> Kernel<T> for Axpy<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<Q: Quad<T>>(self) {
        let alpha = Q::splat(self.alpha);
        for (y, x) in self.y.iter_mut().zip(self.x) {
            alpha.mul_add(Q::load(x), Q::load(y)).store(y);
        }
    }
}
