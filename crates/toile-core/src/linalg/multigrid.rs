//! Conjugate gradients preconditioned by one multigrid V-cycle over the flat panels.
//!
//! Coarse grids lie over the material coordinates ([`grids`]), interpolation is bilinear, coarse matrices are A_c = PᵀAP
//! ([`transfer`]), the smoother is one forward and one backward Gauss–Seidel sweep ([`sweep`]), the coarsest level has a
//! factor. Iterations hardly depend on the size of the mesh: two to five on a sheet whose membrane is 10⁴ times
//! stiffer than its bending. A vertex without material coordinates is left to the smoother.
//!
//! The structure is built once; it is built again when the mask or the constant scalar part of the operator changes.

mod coarsest;
mod finest;
mod grids;
mod level;
mod pairs;
mod sweep;
mod transfer;

use super::small::{self, first_not_finite};
use super::solver::{check_operator, check_vectors};
use super::{Layout, LinearSolver, Operator, Real, SolveError, SolveReport, Stop};
use crate::parallel::SERIAL_NODES;
use coarsest::Envelope;
use finest::{Finest, Invert};
use level::Level;
use pairs::LevelPairs;
use rayon::prelude::*;
use std::sync::Arc;
use sweep::{AddBorder, Axpy, Backward, Chunk, Direction, Forward};
use transfer::{CoarseShape, Prolong, Restrict, Transfer};

/// The largest coarsest level that is factored; above it is only smoothed.
const FACTOR_NODES: usize = 150;

/// Multigrid preconditioned CG.
pub struct Multigrid<T: Real> {
    layout: Layout<T>,
    finest: Finest<T>,
    levels: Vec<Level<T>>,
    transfers: Vec<Transfer<T>>,
    coarsest: Option<Envelope>,
    /// Couplings outside the pattern, level by level; empty without any.
    pairs: Vec<LevelPairs<T>>,
    simd: crate::lane::Level,
    x: Vec<[T; 4]>,
    p: Vec<[T; 4]>,
    s: Vec<[T; 4]>,
}

impl<T: Real> Multigrid<T> {
    /// Builds the hierarchy.
    pub fn new(layout: &Layout<T>) -> Self {
        let grids = grids::build(layout);
        let (finest, mut couplings, level, mut index) = Finest::new(layout, grids.order);
        let (mut levels, mut transfers) = (vec![level], Vec::new());
        for weights in &grids.transfers {
            let (transfer, coarse, level, coarse_index) = Transfer::new(weights, &couplings, &index);
            (couplings, index) = (coarse, coarse_index);
            transfers.push(transfer);
            levels.push(level);
        }
        let last = levels.last().expect("there is a finest level");
        let coarsest = (last.len <= FACTOR_NODES).then(|| Envelope::new(last));
        let zero = vec![[T::default(); 4]; layout.len()];
        Self {
            layout: layout.clone(),
            finest,
            levels,
            transfers,
            coarsest,
            pairs: Vec::new(),
            simd: layout.simd,
            x: zero.clone(),
            p: zero.clone(),
            s: zero,
        }
    }

    /// Nodes of each level, the finest first.
    pub fn level_sizes(&self) -> Vec<usize> {
        self.levels.iter().map(|l| l.len).collect()
    }

    /// Rebuilds the structure when mask or constant part are no longer those it was built for.
    fn follow(&mut self, a: &Operator<T>) -> Result<(), SolveError> {
        check_operator(a, self.layout.len())?;
        let same_scalars = match (a.scalars, &self.layout.scalars) {
            (Some(new), Some(old)) => {
                std::ptr::eq(new, old.as_ref()) || same(&new.diagonal, &old.diagonal) && same(&new.lower, &old.lower)
            }
            (None, None) => true,
            _ => false,
        };
        if a.blocks.lower.len() != self.layout.blocks.columns.len() {
            let (expected, found) = (self.layout.blocks.columns.len(), a.blocks.lower.len());
            return Err(SolveError::Length { what: "matrix blocks", expected, found });
        }
        if !same_scalars || !same(a.free.as_flattened(), self.layout.free.as_flattened()) {
            let scalars = a.scalars.map(|s| Arc::new(s.clone()));
            *self = Self::new(&Layout { free: a.free.to_vec(), scalars, ..self.layout.clone() });
        }
        Ok(())
    }

    /// Values of the finest level.
    fn copy(&mut self, a: &Operator<T>) {
        let (level, finest, simd) = (&mut self.levels[0], &self.finest, self.simd);
        let (constant, count) = (&level.constant, level.constant.len());
        let runs = even_bounds(count);
        let scaled: Vec<usize> = runs.iter().map(|r| 9 * r).collect();
        each(is_parallel(level.len), split(&mut level.blocks[..9 * count], &scaled), |c, out| {
            T::dispatch(simd, finest.copy(a, constant, runs[c], out));
        });
        finest.mask(a, &mut level.blocks);
    }

    /// Pairs of all levels.
    fn load_pairs(&mut self, a: &Operator<T>) {
        self.pairs.clear();
        if a.pairs.is_empty() {
            return;
        }
        self.pairs.push(LevelPairs::finest(a.pairs, &self.finest.rank));
        for transfer in &self.transfers {
            let coarser = self.pairs[self.pairs.len() - 1].coarser(&transfer.up);
            self.pairs.push(coarser);
        }
    }

    /// D⁻¹ of a level, its pairs' share included.
    fn invert(&mut self, l: usize, is_finest: bool) -> Result<(), (usize, small::Fault)> {
        let (level, fixed) = (&mut self.levels[l], is_finest.then_some(&self.finest.fixed[..]));
        let Some(pairs) = self.pairs.get(l) else { return level.invert(self.simd, fixed) };
        let before = pairs.add_shares(&mut level.blocks);
        if is_finest {
            // Fixed components have nothing on the diagonal: that is how they are told.
            for (node, mask) in &self.finest.fixed {
                let block = &mut level.blocks[9 * *node as usize..][..9];
                (0..9).for_each(|e| block[e] = block[e] * mask[e / 3] * mask[e % 3]);
            }
        }
        let outcome = level.invert(self.simd, fixed);
        pairs.take_shares(&mut level.blocks, &before);
        outcome
    }

    fn galerkin(&mut self, l: usize) {
        let (fine, coarse) = self.levels.split_at_mut(l + 1);
        let (fine, coarse, simd) = (&fine[l], &mut coarse[0], self.simd);
        let transfer = &self.transfers[l];
        let count = coarse.constant.len();
        let shape = CoarseShape { constant: &coarse.constant, diagonals: coarse.len };
        let runs = even_bounds(count);
        let scaled: Vec<usize> = runs.iter().map(|r| 9 * r).collect();
        each(is_parallel(fine.len), split(&mut coarse.blocks[..9 * count], &scaled), |c, out| {
            T::dispatch(simd, transfer.product(&fine.blocks, &shape, runs[c], out));
        });
    }

    /// z = M⁻¹ b on level l; returns b·z on the finest.
    fn cycle(&mut self, l: usize) -> f64 {
        let is_last = l + 1 == self.levels.len();
        let level = &mut self.levels[l];
        if let (true, Some(envelope)) = (is_last, &mut self.coarsest) {
            envelope.solve(&level.b, &mut level.z);
            level.e.fill([T::default(); 4]); // A z = b + (L + C) e holds with e = 0
            return level.b.iter().zip(&level.z).map(|(b, z)| quad_dot(b, z)).sum();
        }
        level.forward(self.simd);
        if is_last {
            level.e.fill([T::default(); 4]);
            level.u.fill([T::default(); 4]);
        } else {
            level.add_border(self.simd);
            if let Some(pairs) = self.pairs.get(l) {
                pairs.add_rest(&level.x, &mut level.u);
            }
            if l == 0 {
                self.finest.partial.iter().for_each(|(i, mask)| multiply(&mut level.u[*i as usize], mask));
            }
            self.restrict(l);
            self.cycle(l + 1);
            self.prolong(l);
        }
        let level = &mut self.levels[l];
        if let Some(pairs) = self.pairs.get(l) {
            pairs.add_rest(&level.x, &mut level.u);
        }
        level.backward(self.simd)
    }

    fn restrict(&mut self, l: usize) {
        let (fine, coarse) = self.levels.split_at_mut(l + 1);
        let (fine, coarse, simd, down) = (&fine[l], &mut coarse[0], self.simd, &self.transfers[l].down);
        let bounds = even_bounds(coarse.len);
        each(is_parallel(fine.len), split(&mut coarse.b, &bounds), |c, b| {
            T::dispatch(simd, Restrict { down, u: &fine.u, first: bounds[c], b });
        });
    }

    fn prolong(&mut self, l: usize) {
        let (fine, coarse) = self.levels.split_at_mut(l + 1);
        let (fine, coarse, simd, up) = (&mut fine[l], &coarse[0], self.simd, &self.transfers[l].up);
        let bounds = &fine.bounds;
        let tasks = zip3(split(&mut fine.e, bounds), split(&mut fine.x, bounds), split(&mut fine.u, bounds));
        each(is_parallel(fine.len), tasks, |c, (e, x, u)| {
            T::dispatch(simd, Prolong { up, z: &coarse.z, first: bounds[c], e, x, u });
        });
        if l == 0 {
            for (i, mask) in &self.finest.partial {
                let i = *i as usize;
                let whole = fine.e[i];
                multiply(&mut fine.e[i], mask);
                (0..3).for_each(|c| fine.x[i][c] += fine.e[i][c] - whole[c]);
            }
        }
    }

    /// p = z + β p, s = A p; returns p·s.
    fn direction(&mut self, beta: f64) -> f64 {
        // A z = b + (L + C + E) e: what pairs add to b is put where the sweeps left nothing of use.
        if let Some(pairs) = self.pairs.first() {
            let level = &mut self.levels[0];
            level.t.copy_from_slice(&level.b);
            pairs.add_rest(&level.e, &mut level.t);
        }
        let right = if self.pairs.is_empty() { &self.levels[0].b } else { &self.levels[0].t };
        let (level, simd, fixed) = (&self.levels[0], self.simd, &self.finest.fixed);
        let tasks = zip2(split(&mut self.p, &level.bounds), split(&mut self.s, &level.bounds));
        let sums = each(is_parallel(level.len), tasks, |c, (p, s)| {
            let a = level.chunk(c);
            let own = a.range.0..a.range.1;
            let listed = |end: usize| fixed.partition_point(|f| (f.0 as usize) < end);
            let fixed = &fixed[listed(own.start)..listed(own.end)];
            let (b, z) = (&right[own.clone()], &level.z[own]);
            T::dispatch(simd, Direction { a, b, z, e: &level.e, beta: T::from_f64(beta), fixed, p, s })
        });
        sums.into_iter().sum()
    }

    /// x += α p, b −= α s.
    fn advance(&mut self, alpha: f64) {
        let (level, simd, p, s) = (&mut self.levels[0], self.simd, &self.p, &self.s);
        let bounds = &level.bounds;
        let tasks = zip2(split(&mut self.x, bounds), split(&mut level.b, bounds));
        each(is_parallel(level.len), tasks, |c, (x, b)| {
            let own = bounds[c]..bounds[c + 1];
            T::dispatch(simd, Axpy { alpha: T::from_f64(alpha), x: &p[own.clone()], y: x });
            T::dispatch(simd, Axpy { alpha: T::from_f64(-alpha), x: &s[own], y: b });
        });
    }

    /// Right side of the finest level: free components, in the order of the nodes.
    fn load(&mut self, r: &[[T; 3]]) {
        for (to, &v) in self.levels[0].b.iter_mut().zip(&self.finest.order) {
            let from = &r[v as usize];
            *to = [from[0], from[1], from[2], T::default()];
        }
        for (node, mask) in &self.finest.fixed {
            let b = &mut self.levels[0].b[*node as usize];
            *b = std::array::from_fn(|c| if mask[c] == T::default() { mask[c] } else { b[c] });
        }
    }

    fn iterate(&mut self, stop: Stop) -> Result<SolveReport, SolveError> {
        for v in [&mut self.x, &mut self.p, &mut self.s] {
            v.fill([T::default(); 4]);
        }
        let mut report = SolveReport { iterations: 0, residual: f64::INFINITY, converged: false, fallback: None };
        let mut last = f64::INFINITY;
        for iteration in 1..=stop.max_iterations {
            let rz = self.cycle(0);
            report = SolveReport { iterations: iteration, residual: rz.max(0.0).sqrt(), ..report };
            check_curvature("preconditioner", iteration, rz, rz >= 0.0)?;
            if report.residual <= stop.goal {
                let (simd, alpha) = (self.simd, T::from_f64(1.0));
                T::dispatch(simd, Axpy { alpha, x: &self.levels[0].z, y: &mut self.x });
                return Ok(SolveReport { converged: true, ..report });
            }
            let ps = self.direction(rz / last);
            check_curvature("matrix", iteration, ps, ps > 0.0)?;
            self.advance(rz / ps);
            // In the first iteration nothing is known of the rate: `last` is infinite.
            let expected = if iteration > 1 { rz / last.sqrt() } else { f64::INFINITY };
            if stop.unchecked && expected <= stop.goal {
                return Ok(SolveReport { converged: true, residual: expected, ..report });
            }
            last = rz;
        }
        Ok(report)
    }
}

/// A form that should be positive. What is not finite is named by the caller, who has the inputs.
fn check_curvature(what: &'static str, iteration: usize, curvature: f64, positive: bool) -> Result<(), SolveError> {
    if !curvature.is_finite() {
        return Err(SolveError::NotFinite { what: "matrix or its preconditioner", vertex: 0 });
    }
    if positive { Ok(()) } else { Err(SolveError::Indefinite { what, iteration, curvature }) }
}

impl<T: Real> LinearSolver<T> for Multigrid<T> {
    fn name(&self) -> &'static str {
        "multigrid"
    }

    fn update(&mut self, a: &Operator<T>) -> Result<(), SolveError> {
        self.follow(a)?;
        self.copy(a);
        self.load_pairs(a);
        let outcome = self.invert(0, true);
        outcome.map_err(|(node, fault)| fault.at(self.finest.order[node] as usize))?;
        for l in 0..self.transfers.len() {
            self.galerkin(l);
            if l + 1 < self.transfers.len() || self.coarsest.is_none() {
                let unfit = SolveError::Indefinite { what: "coarse matrix", iteration: 0, curvature: 0.0 };
                let outcome = self.invert(l + 1, false);
                outcome.map_err(|_| self.finest.not_finite(&self.levels[0]).unwrap_or(unfit))?;
            }
        }
        match (&mut self.coarsest, self.levels.last()) {
            (Some(envelope), Some(level)) => envelope
                .update(level, self.pairs.last())
                .map_err(|unfit| self.finest.not_finite(&self.levels[0]).unwrap_or(unfit)),
            _ => Ok(()),
        }
    }

    fn solve(
        &mut self,
        a: &Operator<T>,
        b: &[[T; 3]],
        x: &mut [[T; 3]],
        stop: Stop,
    ) -> Result<SolveReport, SolveError> {
        check_operator(a, self.layout.len())?;
        check_vectors(self.layout.len(), b, x)?;
        if x.iter().any(|v| *v != [T::default(); 3]) {
            let mut r = vec![[T::default(); 3]; b.len()];
            a.multiply(x, &mut r);
            r.iter_mut().zip(b).for_each(|(r, b)| *r = std::array::from_fn(|c| b[c] - r[c]));
            self.load(&r);
        } else {
            self.load(b);
        }
        let outcome = self.iterate(stop);
        if let Err(SolveError::NotFinite { .. }) = outcome {
            let inputs = [("right side", b), ("start value", &*x)];
            let found = inputs.iter().find_map(|(what, v)| first_not_finite(v).map(|vertex| (*what, vertex)));
            return found.map_or(outcome, |(what, vertex)| Err(SolveError::NotFinite { what, vertex }));
        }
        for (from, &v) in self.x.iter().zip(&self.finest.order) {
            (0..3).for_each(|c| x[v as usize][c] += from[c]);
        }
        outcome
    }

    fn precondition(&mut self, _a: &Operator<T>, r: &[[T; 3]], z: &mut [[T; 3]]) -> f64 {
        self.load(r);
        let rz = self.cycle(0);
        for (from, &v) in self.levels[0].z.iter().zip(&self.finest.order) {
            z[v as usize] = [from[0], from[1], from[2]];
        }
        rz
    }
}

impl<T: Real> Level<T> {
    fn chunk(&self, chunk: usize) -> Chunk<'_, T> {
        chunk_of(chunk, &self.bounds, &self.blocks, &self.inverse, (&self.rows, &self.border))
    }

    /// D⁻¹; fails with the node.
    fn invert(
        &mut self,
        simd: crate::lane::Level,
        fixed: Option<&[(u32, [T; 4])]>,
    ) -> Result<(), (usize, small::Fault)> {
        let (bounds, blocks) = (&self.bounds, &self.blocks);
        let outcomes = each(is_parallel(self.len), split(&mut self.inverse, bounds), |c, inverse| {
            T::dispatch(simd, Invert { blocks, fixed, first: bounds[c], inverse })
        });
        outcomes.into_iter().collect()
    }

    fn forward(&mut self, simd: crate::lane::Level) {
        let bounds = &self.bounds;
        let tasks = zip3(split(&mut self.x, bounds), split(&mut self.t, bounds), split(&mut self.u, bounds));
        let (blocks, inverse, rows) = (&self.blocks, &self.inverse, (&self.rows, &self.border));
        let b = &self.b;
        each(is_parallel(self.len), tasks, |c, (x, t, u)| {
            let a = chunk_of(c, bounds, blocks, inverse, rows);
            T::dispatch(simd, Forward { a, b: &b[bounds[c]..bounds[c + 1]], x, t, u });
        });
    }

    fn add_border(&mut self, simd: crate::lane::Level) {
        if self.border.nodes.is_empty() {
            return;
        }
        let bounds = &self.bounds;
        let (blocks, inverse, rows, x) = (&self.blocks, &self.inverse, (&self.rows, &self.border), &self.x);
        each(is_parallel(self.len), split(&mut self.u, bounds), |c, u| {
            T::dispatch(simd, AddBorder { a: chunk_of(c, bounds, blocks, inverse, rows), x, u });
        });
    }

    fn backward(&mut self, simd: crate::lane::Level) -> f64 {
        let bounds = &self.bounds;
        let tasks = zip3(split(&mut self.u, bounds), split(&mut self.e, bounds), split(&mut self.z, bounds));
        let (blocks, inverse, rows) = (&self.blocks, &self.inverse, (&self.rows, &self.border));
        let (b, t, x) = (&self.b, &self.t, &self.x);
        let sums = each(is_parallel(self.len), tasks, |c, (u, e, z)| {
            let (a, own) = (chunk_of(c, bounds, blocks, inverse, rows), bounds[c]..bounds[c + 1]);
            T::dispatch(simd, Backward { a, b: &b[own.clone()], t: &t[own], x, u, e, z })
        });
        sums.into_iter().sum()
    }
}

fn chunk_of<'a, T>(
    chunk: usize,
    bounds: &[usize],
    blocks: &'a [T],
    inverse: &'a [[T; 12]],
    (rows, border): (&'a level::Rows<T>, &'a level::Border<T>),
) -> Chunk<'a, T> {
    Chunk { range: (bounds[chunk], bounds[chunk + 1]), chunk, len: inverse.len(), blocks, inverse, rows, border }
}

/// Equality in blocks without an early way out, which the compiler turns into wide comparisons: this runs at every update.
fn same<T: Real>(a: &[T], b: &[T]) -> bool {
    let alike = |(p, q): (&[T], &[T])| p.iter().zip(q).fold(true, |all, (x, y)| all & (x == y));
    a.len() == b.len() && a.chunks(128).zip(b.chunks(128)).all(alike)
}

fn is_parallel(nodes: usize) -> bool {
    nodes >= SERIAL_NODES && rayon::current_num_threads() > 1
}

/// Runs of about equal length, for work whose result does not depend on where it is cut.
fn even_bounds(len: usize) -> Vec<usize> {
    (0..=8).map(|c| len * c / 8).collect()
}

/// Cuts a slice at the bounds.
fn split<'a, X>(mut slice: &'a mut [X], bounds: &[usize]) -> Vec<&'a mut [X]> {
    let mut parts = Vec::with_capacity(bounds.len());
    for pair in bounds.windows(2) {
        let (part, rest) = slice.split_at_mut(pair[1] - pair[0]);
        parts.push(part);
        slice = rest;
    }
    parts
}

fn zip2<A, B>(a: Vec<A>, b: Vec<B>) -> Vec<(A, B)> {
    a.into_iter().zip(b).collect()
}

fn zip3<A, B, C>(a: Vec<A>, b: Vec<B>, c: Vec<C>) -> Vec<(A, B, C)> {
    a.into_iter().zip(b).zip(c).map(|((a, b), c)| (a, b, c)).collect()
}

/// Runs the tasks, at the same time if wanted; results in the order of the tasks.
fn each<X: Send, R: Send>(parallel: bool, tasks: Vec<X>, work: impl Fn(usize, X) -> R + Sync) -> Vec<R> {
    if parallel {
        tasks.into_par_iter().enumerate().map(|(c, task)| work(c, task)).collect()
    } else {
        tasks.into_iter().enumerate().map(|(c, task)| work(c, task)).collect()
    }
}

fn multiply<T: Real>(v: &mut [T; 4], mask: &[T; 4]) {
    (0..4).for_each(|c| v[c] = v[c] * mask[c]);
}

fn quad_dot<T: Real>(a: &[T; 4], b: &[T; 4]) -> f64 {
    (0..3).map(|c| a[c].to_f64() * b[c].to_f64()).sum()
}
