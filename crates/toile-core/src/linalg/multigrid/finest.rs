//! From the operator's matrices to the finest level: vertices in the order of the panels, blocks and scalars merged.

use super::super::quad::{Kernel, Quad};
use super::super::small::{Fault, masked_inverse};
use super::super::{Layout, Operator, Pattern, Real, SolveError};
use super::level::{Couplings, Level, TRANSPOSED};
use super::sweep::block_rows;

/// A pair without stiffness: only scalars stand there.
const NONE: u32 = u32::MAX;

/// Where the numbers of the finest level come from.
#[derive(Clone, Debug, Default)]
pub(super) struct Finest<T> {
    /// Vertex of each node.
    pub(super) order: Vec<u32>,
    /// Node of each vertex.
    pub(super) rank: Vec<u32>,
    /// Where each stored pair comes from, with the mark [`TRANSPOSED`].
    source: Vec<u32>,
    /// Nodes with fixed components: 1 in the lanes of free ones.
    pub(super) fixed: Vec<(u32, [T; 4])>,
    /// Those of them that have free components, too.
    pub(super) partial: Vec<(u32, [T; 4])>,
    /// Blocks at partly fixed nodes: block, row, column.
    masked: Vec<(u32, u32, u32)>,
}

impl<T: Real> Finest<T> {
    /// The level without values, its couplings, and the place of each coupled pair.
    pub(super) fn new(layout: &Layout<T>, order: Vec<u32>) -> (Self, Couplings, Level<T>, Vec<u32>) {
        let mut rank = vec![0u32; order.len()];
        order.iter().enumerate().for_each(|(k, &v)| rank[v as usize] = k as u32);
        let mask = |k: u32| layout.free[order[k as usize] as usize];
        let is_partial = |k: u32| mask(k).iter().any(|&c| c != mask(k)[0]);
        let (couplings, sources) = couplings(layout, &order, &rank, is_partial);
        let (level, index) = Level::new(&couplings);
        let quad = |k: u32| (k, [mask(k)[0], mask(k)[1], mask(k)[2], T::default()]);
        let all = 0..order.len() as u32;
        let fixed: Vec<_> = all.filter(|&k| mask(k).contains(&T::default())).map(quad).collect();
        let partial = fixed.iter().filter(|f| is_partial(f.0)).copied().collect();
        let mut masked = Vec::new();
        for i in 0..couplings.blocks.len() {
            for k in couplings.blocks.row(i) {
                let j = couplings.blocks.columns[k];
                if is_partial(i as u32) || is_partial(j) {
                    masked.push((index[k], i as u32, j));
                }
            }
        }
        let mut source: Vec<(u32, u32)> = index.iter().copied().zip(sources).collect();
        source.sort_unstable();
        let source = source.into_iter().map(|s| s.1).collect();
        (Self { order, rank, source, fixed, partial, masked }, couplings, level, index)
    }

    /// The work of copying the values of `a` to the blocks from `first` on, as many as fit in `out`.
    pub(super) fn copy<'a>(
        &'a self,
        a: &'a Operator<'a, T>,
        constant: &'a [T],
        first: usize,
        out: &'a mut [T],
    ) -> Copy<'a, T> {
        Copy { from: self, a, constant, first, out }
    }

    /// Clears rows and columns of fixed components where the coarse matrices would see them.
    pub(super) fn mask(&self, a: &Operator<T>, blocks: &mut [T]) {
        let free = |node: u32| &a.free[self.order[node as usize] as usize];
        let own = self.fixed.iter().map(|f| (f.0, f.0, f.0));
        for (k, i, j) in own.chain(self.masked.iter().copied()) {
            for e in 0..9 {
                let value = &mut blocks[9 * k as usize + e];
                *value = *value * free(i)[e / 3] * free(j)[e % 3];
            }
        }
    }

    /// Names the first vertex with a block that is not finite: what goes wrong on a coarse level began here.
    pub(super) fn not_finite(&self, level: &Level<T>) -> Option<SolveError> {
        let is_bad = |k: usize| level.blocks[9 * k..9 * k + 9].iter().any(|v| !v.to_f64().is_finite());
        let bad = (0..level.constant.len()).find(|&k| is_bad(k))?;
        let border = &level.border;
        let owner = match border.blocks.iter().position(|b| b.1 as usize == bad) {
            Some(entry) => border.nodes[border.starts.partition_point(|&s| s as usize <= entry) - 1] as usize,
            None if bad < level.len => bad,
            None => level.rows.starts.partition_point(|&s| s as usize <= bad - level.len) - 1,
        };
        Some(SolveError::NotFinite { what: "matrix", vertex: self.order[owner] as usize })
    }
}

/// Writes a run of blocks of the finest level: diagonal blocks first, then pairs.
pub(super) struct Copy<'a, T> {
    from: &'a Finest<T>,
    a: &'a Operator<'a, T>,
    constant: &'a [T],
    first: usize,
    out: &'a mut [T],
}

impl<T: Real> Kernel<T> for Copy<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<Q: Quad<T>>(self) {
        let Self { from: Finest { order, source, .. }, a, constant, first, out } = self;
        let one = T::from_f64(1.0);
        let identity = std::array::from_fn(|e| if e.is_multiple_of(4) { one } else { T::default() });
        let (out, _) = out.as_chunks_mut::<9>();
        let (diagonal, lower) = out.split_at_mut(order.len().saturating_sub(first).min(out.len()));
        let pairs = (first + diagonal.len()).saturating_sub(order.len());
        for ((to, &v), &s) in diagonal.iter_mut().zip(order.iter().skip(first)).zip(constant.iter().skip(first)) {
            let block = Q::add_nine(one, &a.blocks.diagonal[v as usize], Q::no_nine());
            Q::store_nine(Q::add_nine(s + a.lumped[v as usize], &identity, block), to);
        }
        for ((to, &k), &s) in lower.iter_mut().zip(&source[pairs..]).zip(&constant[order.len() + pairs..]) {
            let mut block = Q::add_nine(s, &identity, Q::no_nine());
            if k != NONE {
                let from = &a.blocks.lower[(k & !TRANSPOSED) as usize];
                block = Q::add_nine(one, from, block);
                if k & TRANSPOSED != 0 {
                    block = Q::transposed_nine(block);
                }
            }
            Q::store_nine(block, to);
        }
    }
}

/// Pairs in the new order with their sources: a block of the operator, or a scalar alone next to a partly fixed vertex, where
/// the mask makes three different numbers of it.
fn couplings<T: Real>(
    layout: &Layout<T>,
    order: &[u32],
    rank: &[u32],
    is_partial: impl Fn(u32) -> bool,
) -> (Couplings, Vec<u32>) {
    let key = |a: u32, b: u32| u64::from(a.max(b)) << 32 | u64::from(a.min(b));
    let mut pairs: Vec<(u64, u32)> = Vec::with_capacity(layout.blocks.columns.len());
    for (i, k, j) in entries(&layout.blocks) {
        let (a, b) = (rank[i], rank[j]);
        pairs.push((key(a, b), k as u32 | if a < b { TRANSPOSED } else { 0 }));
    }
    pairs.sort_unstable();
    let (mut scalars, mut diagonal) = (Vec::new(), vec![0.0; order.len()]);
    if let Some(s) = &layout.scalars {
        scalars.extend(entries(&s.pattern).map(|(i, k, j)| (key(rank[i], rank[j]), s.lower[k].to_f64())));
        scalars.sort_unstable_by_key(|s| s.0);
        order.iter().zip(&mut diagonal).for_each(|(&v, d)| *d = s.diagonal[v as usize].to_f64());
    }
    let has_block = |pairs: &[(u64, u32)], key: u64| pairs.binary_search_by_key(&key, |p| p.0).ok();
    let wide = scalars.iter().filter(|s| is_partial((s.0 >> 32) as u32) || is_partial(s.0 as u32));
    let added: Vec<_> = wide.filter(|s| has_block(&pairs, s.0).is_none()).map(|s| (s.0, NONE)).collect();
    pairs.extend(added);
    pairs.sort_unstable();
    let mut merged = vec![0.0; pairs.len()];
    scalars.retain(|s| match has_block(&pairs, s.0) {
        Some(k) => {
            merged[k] = s.1;
            false
        }
        None => true,
    });
    let couplings = Couplings {
        blocks: pattern(order.len(), pairs.iter().map(|p| p.0)),
        merged_diagonal: diagonal,
        merged,
        scalars: pattern(order.len(), scalars.iter().map(|s| s.0)),
        values: scalars.iter().map(|s| s.1).collect(),
    };
    (couplings, pairs.into_iter().map(|p| p.1).collect())
}

/// (row, position, column) of all pairs.
fn entries(pattern: &Pattern) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
    (0..pattern.len()).flat_map(move |i| pattern.row(i).map(move |k| (i, k, pattern.columns[k] as usize)))
}

/// A pattern from sorted pairs.
fn pattern(len: usize, keys: impl Iterator<Item = u64>) -> Pattern {
    let mut pattern = Pattern { starts: vec![0; len + 1], columns: Vec::new() };
    for key in keys {
        pattern.starts[(key >> 32) as usize + 1] += 1;
        pattern.columns.push(key as u32);
    }
    (0..len).for_each(|i| pattern.starts[i + 1] += pattern.starts[i]);
    pattern
}

/// D⁻¹ of the nodes from `first` on; fails with the one that has none. A component with a zero on the diagonal is no unknown.
/// On the finest level only those in `fixed` may have one.
pub(super) struct Invert<'a, T> {
    pub(super) blocks: &'a [T],
    pub(super) fixed: Option<&'a [(u32, [T; 4])]>,
    pub(super) first: usize,
    pub(super) inverse: &'a mut [[T; 12]],
}

impl<T: Real> Kernel<T> for Invert<'_, T> {
    type Output = Result<(), (usize, Fault)>;
    #[inline(always)]
    fn run<Q: Quad<T>>(self) -> Self::Output {
        for (i, to) in self.inverse.iter_mut().enumerate() {
            let (rows, _) = to.as_chunks_mut::<4>();
            if !invert_whole(block_rows::<T, Q>(self.blocks, self.first + i), rows) {
                let d: &[T; 9] = self.blocks[9 * (self.first + i)..][..9].try_into().expect("nine numbers");
                invert_part(d, self.fixed, self.first + i, rows).map_err(|fault| (self.first + i, fault))?;
            }
        }
        Ok(())
    }
}

/// Inverse on the components with something on the diagonal.
#[cold]
fn invert_part<T: Real>(
    d: &[T; 9],
    fixed: Option<&[(u32, [T; 4])]>,
    node: usize,
    to: &mut [[T; 4]],
) -> Result<(), Fault> {
    let free = [d[0], d[4], d[8]].map(|v| if v == T::default() { v } else { T::from_f64(1.0) });
    if let Some(fixed) = fixed {
        let listed = fixed.binary_search_by_key(&node, |f| f.0 as usize).map(|k| fixed[k].1);
        let is_fixed = |c: usize| listed.is_ok_and(|mask| mask[c] == T::default());
        if (0..3).any(|c| free[c] == T::default() && !is_fixed(c)) {
            return Err(Fault::NotPositive);
        }
    }
    let m = masked_inverse(d, &free)?;
    (0..3).for_each(|r| to[r] = [m[3 * r], m[3 * r + 1], m[3 * r + 2], T::default()]);
    Ok(())
}

#[inline(always)]
fn cross<Q: Quad<f64>>(p: Q, q: Q) -> Q {
    p.mul(q.turned()).sub(p.turned().mul(q)).turned()
}

/// Inverse by cofactors, in `f64` because they cancel; false, and nothing of use written, unless all minors are positive.
#[inline(always)]
fn invert_whole<T: Real, Q: Quad<T>>([a, b, c]: [Q; 3], to: &mut [[T; 4]]) -> bool {
    let (a, b, c) = (a.widen(), b.widen(), c.widen());
    // The spare lanes cancel: cross products leave a zero there.
    let (bc, ca, ab) = (cross(b, c), cross(c, a), cross(a, b));
    let det = Q::Wide::total(a.add_product(bc, Q::Wide::no_sum()));
    let scale = Q::Wide::splat(1.0 / det);
    for (to, column) in to.iter_mut().zip([bc, ca, ab]) {
        Q::narrow(column.mul(scale)).store(to);
    }
    let [mut corner, mut minors] = [[0.0; 4]; 2];
    a.store(&mut corner);
    ab.store(&mut minors);
    corner[0] > 0.0 && minors[2] > 0.0 && det > 0.0 && det.is_finite()
}
