//! Between two levels: interpolation P, restriction Pᵀ, and the coarse matrix A_c = PᵀAP from flat lists.

use super::super::quad::{Kernel, Quad};
use super::super::{Pattern, Real};
use super::grids::Weights;
use super::level::{Couplings, Level};

/// P or Pᵀ by rows.
#[derive(Clone, Debug)]
pub(super) struct Gather<T> {
    starts: Vec<u32>,
    entries: Vec<(u32, T)>,
}

impl<T: Real> Gather<T> {
    fn new(weights: &Weights) -> Self {
        let entries = weights.nodes.iter().zip(&weights.weights).map(|(&n, &w)| (n, T::from_f64(w))).collect();
        Self { starts: weights.starts.clone(), entries }
    }

    /// Entries of row i.
    pub(super) fn entries(&self, i: usize) -> &[(u32, T)] {
        &self.entries[self.starts[i] as usize..self.starts[i + 1] as usize]
    }

    #[inline(always)]
    fn row<Q: Quad<T>>(&self, i: usize, v: &[[T; 4]]) -> Q {
        let mut sum = Q::zero();
        for &(j, w) in &self.entries[self.starts[i] as usize..self.starts[i + 1] as usize] {
            sum = Q::splat(w).mul_add(Q::load(&v[j as usize]), sum);
        }
        sum
    }
}

/// Fine blocks and weights that make up each coarse block k: two lists a (from 2k) and b (from 2k+1). A pair of nodes gets
/// a + bᵀ, the diagonal a + b + bᵀ.
#[derive(Clone, Debug)]
struct Lists<T> {
    starts: Vec<u32>,
    entries: Vec<(u32, T)>,
}

/// What connects a level with the next coarser one.
#[derive(Clone, Debug)]
pub(super) struct Transfer<T> {
    pub(super) down: Gather<T>,
    pub(super) up: Gather<T>,
    lists: Lists<T>,
}

struct Term {
    row: u32,
    column: u32,
    /// 1 for what is transposed.
    list: u32,
    block: u32,
    weight: f64,
}

impl<T: Real> Transfer<T> {
    /// Builds the transfer and the coarse level under `fine`, whose pair k is stored as block `index[k]`.
    pub(super) fn new(weights: &Weights, fine: &Couplings, index: &[u32]) -> (Self, Couplings, Level<T>, Vec<u32>) {
        let terms = terms(weights, &fine.blocks, index);
        let couplings = coarse_couplings(weights, fine, &terms);
        let (level, coarse_index) = Level::new(&couplings);
        let lists = Lists::new(&terms, &level, &coarse_index);
        let transfer = Self { down: Gather::new(&weights.transposed()), up: Gather::new(weights), lists };
        (transfer, couplings, level, coarse_index)
    }

    /// The work of writing the coarse blocks `first..`, as many as fit in `out`.
    pub(super) fn product<'a>(
        &'a self,
        fine: &'a [T],
        coarse: &'a CoarseShape<'a, T>,
        first: usize,
        out: &'a mut [T],
    ) -> Galerkin<'a, T> {
        Galerkin { lists: &self.lists, fine, constant: coarse.constant, diagonals: coarse.diagonals, first, out }
    }
}

/// What [`Galerkin`] needs to know about the coarse level besides its blocks.
pub(super) struct CoarseShape<'a, T> {
    pub(super) constant: &'a [T],
    pub(super) diagonals: usize,
}

/// Every fine block with every coarse pair it goes to, sorted by coarse pair.
fn terms(weights: &Weights, blocks: &Pattern, index: &[u32]) -> Vec<Term> {
    let mut terms = Vec::new();
    for i in 0..blocks.len() {
        for (row, p) in weights.row(i) {
            for (column, q) in weights.row(i).filter(|c| c.0 <= row) {
                terms.push(Term { row, column, list: 0, block: i as u32, weight: p * q });
            }
        }
        for k in blocks.row(i) {
            for (a, p) in weights.row(i) {
                for (b, q) in weights.row(blocks.columns[k] as usize) {
                    let list = u32::from(a <= b);
                    terms.push(Term { row: a.max(b), column: a.min(b), list, block: index[k], weight: p * q });
                }
            }
        }
    }
    terms.sort_unstable_by_key(|t| {
        (u64::from(t.row) << 32 | u64::from(t.column), u64::from(t.list) << 32 | u64::from(t.block))
    });
    terms
}

fn coarse_couplings(weights: &Weights, fine: &Couplings, terms: &[Term]) -> Couplings {
    let len = weights.coarse;
    let mut blocks = Pattern { starts: vec![0; len + 1], columns: Vec::new() };
    for group in terms.chunk_by(|a, b| (a.row, a.column) == (b.row, b.column)) {
        if group[0].row != group[0].column {
            blocks.columns.push(group[0].column);
            blocks.starts[group[0].row as usize + 1] += 1;
        }
    }
    (0..len).for_each(|i| blocks.starts[i + 1] += blocks.starts[i]);
    let mut sums: Vec<(u64, f64)> = Vec::new();
    for i in 0..fine.scalars.len() {
        for k in fine.scalars.row(i) {
            for (a, p) in weights.row(i) {
                for (b, q) in weights.row(fine.scalars.columns[k] as usize) {
                    let twice = if a == b { 2.0 } else { 1.0 };
                    sums.push((u64::from(a.max(b)) << 32 | u64::from(a.min(b)), twice * p * q * fine.values[k]));
                }
            }
        }
    }
    sums.sort_by_key(|s| s.0); // stable: the sums below are taken in a fixed order
    let mut coarse = Couplings {
        merged_diagonal: vec![0.0; len],
        merged: vec![0.0; blocks.columns.len()],
        blocks,
        scalars: Pattern { starts: vec![0; len + 1], columns: Vec::new() },
        values: Vec::new(),
    };
    for group in sums.chunk_by(|a, b| a.0 == b.0) {
        let (row, column) = ((group[0].0 >> 32) as u32, group[0].0 as u32);
        let value = group.iter().map(|s| s.1).sum();
        if row == column {
            coarse.merged_diagonal[row as usize] = value;
        } else if let Some(slot) = coarse.blocks.slot(row, column) {
            coarse.merged[slot as usize] = value;
        } else {
            coarse.scalars.columns.push(column);
            coarse.scalars.starts[row as usize + 1] += 1;
            coarse.values.push(value);
        }
    }
    (0..len).for_each(|i| coarse.scalars.starts[i + 1] += coarse.scalars.starts[i]);
    coarse
}

impl<T: Real> Lists<T> {
    fn new(terms: &[Term], level: &Level<T>, index: &[u32]) -> Self {
        let mut groups: Vec<&[Term]> = vec![&[]; level.constant.len()];
        let mut slot = 0;
        for group in terms.chunk_by(|a, b| (a.row, a.column) == (b.row, b.column)) {
            if group[0].row == group[0].column {
                groups[group[0].row as usize] = group;
            } else {
                groups[index[slot] as usize] = group;
                slot += 1;
            }
        }
        let mut lists = Self { starts: vec![0], entries: Vec::with_capacity(terms.len()) };
        for group in groups {
            let middle = group.partition_point(|t| t.list == 0);
            for part in [&group[..middle], &group[middle..]] {
                lists.entries.extend(part.iter().map(|t| (t.block, T::from_f64(t.weight))));
                lists.starts.push(lists.entries.len() as u32);
            }
        }
        lists
    }
}

impl<T: Real> Lists<T> {
    /// Weighted sum of the blocks in a list. Not a closure: only what is inlined by force is compiled for the wide registers.
    #[inline(always)]
    fn sum<Q: Quad<T>>(&self, list: usize, fine: &[[T; 9]]) -> Q::Nine {
        // Two sums: one addition need not wait for the other.
        let (mut even, mut odd) = (Q::no_nine(), Q::no_nine());
        let entries = &self.entries[self.starts[list] as usize..self.starts[list + 1] as usize];
        let (pairs, last) = entries.as_chunks::<2>();
        for &[(i, p), (j, q)] in pairs {
            even = Q::add_nine(p, &fine[i as usize], even);
            odd = Q::add_nine(q, &fine[j as usize], odd);
        }
        for &(i, p) in last {
            even = Q::add_nine(p, &fine[i as usize], even);
        }
        Q::plus_nine(even, odd)
    }
}

/// Writes a run of coarse blocks.
pub(super) struct Galerkin<'a, T> {
    lists: &'a Lists<T>,
    fine: &'a [T],
    constant: &'a [T],
    diagonals: usize,
    first: usize,
    out: &'a mut [T],
}

impl<T: Real> Kernel<T> for Galerkin<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<Q: Quad<T>>(self) {
        let Self { lists, fine, constant, diagonals, first, out } = self;
        let (fine, _) = fine.as_chunks::<9>();
        let (out, _) = out.as_chunks_mut::<9>();
        let identity = std::array::from_fn(|e| T::from_f64(if e.is_multiple_of(4) { 1.0 } else { 0.0 }));
        for (n, block) in out.iter_mut().enumerate() {
            let k = first + n;
            let (a, b) = (lists.sum::<Q>(2 * k, fine), lists.sum::<Q>(2 * k + 1, fine));
            let mut sum = Q::plus_nine(a, Q::transposed_nine(b));
            if k < diagonals {
                sum = Q::plus_nine(sum, b);
            }
            Q::store_nine(Q::add_nine(constant[k], &identity, sum), block);
        }
    }
}

/// b_c = −Pᵀ u for the coarse nodes from `first` on.
pub(super) struct Restrict<'a, T> {
    pub(super) down: &'a Gather<T>,
    pub(super) u: &'a [[T; 4]],
    pub(super) first: usize,
    pub(super) b: &'a mut [[T; 4]],
}

impl<T: Real> Kernel<T> for Restrict<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<Q: Quad<T>>(self) {
        for (n, b) in self.b.iter_mut().enumerate() {
            Q::zero().sub(self.down.row::<Q>(self.first + n, self.u)).store(b);
        }
    }
}

/// e = P z_c, x += e, u = 0 for the fine nodes from `first` on.
pub(super) struct Prolong<'a, T> {
    pub(super) up: &'a Gather<T>,
    pub(super) z: &'a [[T; 4]],
    pub(super) first: usize,
    pub(super) e: &'a mut [[T; 4]],
    pub(super) x: &'a mut [[T; 4]],
    pub(super) u: &'a mut [[T; 4]],
}

impl<T: Real> Kernel<T> for Prolong<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<Q: Quad<T>>(self) {
        for (n, ((e, x), u)) in self.e.iter_mut().zip(self.x).zip(self.u).enumerate() {
            let ei = self.up.row::<Q>(self.first + n, self.z);
            ei.store(e);
            Q::load(x).add(ei).store(x);
            Q::zero().store(u);
        }
    }
}
