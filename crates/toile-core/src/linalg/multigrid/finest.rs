//! From the operator's matrices to the finest level: vertices in the order of the panels, blocks and scalars merged.

use super::super::small::{Fault, masked_inverse};
use super::super::{Layout, Operator, Pattern, Real, SolveError};
use super::level::{Couplings, Level, TRANSPOSED};

/// A pair without stiffness: only scalars stand there.
const NONE: u32 = u32::MAX;

/// Where the numbers of the finest level come from.
#[derive(Clone, Debug, Default)]
pub(super) struct Finest<T> {
    /// Vertex of each node.
    pub(super) order: Vec<u32>,
    /// Stored block of each pair, and where it comes from, with the mark [`TRANSPOSED`].
    source: Vec<(u32, u32)>,
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
        (Self { order, source, fixed, partial, masked }, couplings, level, index)
    }

    /// Copies the values of `a` and inverts the diagonal.
    pub(super) fn update(&self, a: &Operator<T>, level: &mut Level<T>) -> Result<(), SolveError> {
        let (constant, blocks) = (&level.constant, &mut level.blocks);
        let (diagonal, lower) = blocks.split_at_mut(9 * level.len);
        for ((to, &v), &s) in diagonal.chunks_exact_mut(9).zip(&self.order).zip(constant) {
            to.copy_from_slice(&a.blocks.diagonal[v as usize]);
            let s = s + a.lumped[v as usize];
            (0..3).for_each(|c| to[4 * c] += s);
        }
        let pairs = lower.chunks_exact_mut(9).zip(&self.source).zip(&constant[level.len..]);
        for ((to, &(_, from)), &s) in pairs {
            match from {
                NONE => to.fill(T::default()),
                _ if from & TRANSPOSED == 0 => to.copy_from_slice(&a.blocks.lower[from as usize]),
                _ => {
                    let b = &a.blocks.lower[(from & !TRANSPOSED) as usize];
                    to.copy_from_slice(&[b[0], b[3], b[6], b[1], b[4], b[7], b[2], b[5], b[8]]);
                }
            }
            (0..3).for_each(|c| to[4 * c] += s);
        }
        self.mask(a, blocks);
        invert(level).map_err(|(node, fault)| fault.at(self.order[node] as usize))?;
        self.check_unknowns(level)
    }

    /// Clears rows and columns of fixed components where the coarse matrices would see them.
    fn mask(&self, a: &Operator<T>, blocks: &mut [T]) {
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

    /// Only a fixed component may have a zero on the diagonal.
    fn check_unknowns(&self, level: &Level<T>) -> Result<(), SolveError> {
        let mut fixed = self.fixed.iter().peekable();
        for (node, d) in level.blocks.chunks_exact(9).take(level.len).enumerate() {
            let is_listed = fixed.next_if(|f| f.0 as usize == node);
            for c in 0..3 {
                let is_fixed = is_listed.is_some_and(|f| f.1[c] == T::default());
                if d[4 * c] == T::default() && !is_fixed {
                    return Err(SolveError::NotPositive { vertex: self.order[node] as usize });
                }
            }
        }
        Ok(())
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

/// D⁻¹ of a level. Components with a zero on the diagonal are no unknowns. Fails with the node.
pub(super) fn invert<T: Real>(level: &mut Level<T>) -> Result<(), (usize, Fault)> {
    let one = T::from_f64(1.0);
    for (node, (d, to)) in level.blocks.chunks_exact(9).zip(&mut level.inverse).enumerate() {
        let d: &[T; 9] = d.try_into().expect("nine numbers");
        let free = [d[0], d[4], d[8]].map(|v| if v == T::default() { v } else { one });
        let m = masked_inverse(d, &free).map_err(|fault| (node, fault))?;
        let z = T::default();
        *to = [m[0], m[1], m[2], z, m[3], m[4], m[5], z, m[6], m[7], m[8], z];
    }
    Ok(())
}
