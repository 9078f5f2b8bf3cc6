//! Pairs on the levels: H = D_c + E.
//!
//! D_c is the diagonal share of [`super::super::Pair`]; it goes into D before that is inverted. The rest E is applied with old
//! values in both sweeps, like the couplings between chunks, so every identity of [`super::sweep`] stays true with C + E in
//! place of C. Coarse pairs have the weights Pᵀw: exact Galerkin products without a matrix.

use super::super::Real;
use super::super::pairs::{Pair, multiply};
use super::transfer::Gather;

/// Coarse weights below this are dropped: the two sides of a contact often hang on the same coarse nodes and cancel.
const NEGLIGIBLE: f64 = 1e-3;

/// The pairs of one level.
#[derive(Clone, Debug)]
pub(super) struct LevelPairs<T> {
    starts: Vec<u32>,
    members: Vec<(u32, T)>,
    blocks: Vec<[T; 6]>,
    /// D_c of the nodes that have some, by node.
    shares: Vec<(u32, [T; 6])>,
}

impl<T: Real> LevelPairs<T> {
    /// The finest level: `rank` is the node of each vertex.
    pub(super) fn finest(pairs: &[Pair], rank: &[u32]) -> Self {
        let mut level = Self::empty();
        for pair in pairs {
            let members = pair.members().map(|(v, w)| (rank[v as usize], T::from_f64(w)));
            level.push(members, pair.block.map(T::from_f64));
        }
        level.gather_shares();
        level
    }

    /// Those of the next coarser level.
    pub(super) fn coarser(&self, up: &Gather<T>) -> Self {
        let (mut level, mut sums) = (Self::empty(), Vec::<(u32, T)>::new());
        for (k, block) in self.blocks.iter().enumerate() {
            sums.clear();
            for &(i, w) in self.members(k) {
                for &(j, p) in up.entries(i as usize) {
                    match sums.iter_mut().find(|s| s.0 == j) {
                        Some(sum) => sum.1 += w * p,
                        None => sums.push((j, w * p)),
                    }
                }
            }
            level.push(sums.iter().copied().filter(|s| s.1.to_f64().abs() > NEGLIGIBLE), *block);
        }
        level.gather_shares();
        level
    }

    fn empty() -> Self {
        Self { starts: vec![0], members: Vec::new(), blocks: Vec::new(), shares: Vec::new() }
    }

    fn push(&mut self, members: impl Iterator<Item = (u32, T)>, block: [T; 6]) {
        let before = self.members.len();
        self.members.extend(members);
        if self.members.len() > before {
            self.blocks.push(block);
            self.starts.push(self.members.len() as u32);
        }
    }

    fn members(&self, pair: usize) -> &[(u32, T)] {
        &self.members[self.starts[pair] as usize..self.starts[pair + 1] as usize]
    }

    fn gather_shares(&mut self) {
        let magnitude = |v: T| if v < T::default() { -v } else { v };
        let half = T::from_f64(0.5);
        let nodes = self.members.iter().map(|m| m.0 as usize + 1).max().unwrap_or(0);
        let mut sums: Vec<Option<[T; 6]>> = vec![None; nodes];
        for (k, block) in self.blocks.iter().enumerate() {
            let members = &self.members[self.starts[k] as usize..self.starts[k + 1] as usize];
            let total = members.iter().fold(T::default(), |sum, m| sum + magnitude(m.1));
            for &(node, w) in members {
                let sum = sums[node as usize].get_or_insert([T::default(); 6]);
                (0..6).for_each(|e| sum[e] += half * magnitude(w) * total * block[e]);
            }
        }
        self.shares.extend(sums.into_iter().zip(0..).filter_map(|(sum, node)| sum.map(|s| (node, s))));
    }

    /// Adds D_c to the diagonal blocks and returns what stood there.
    pub(super) fn add_shares(&self, blocks: &mut [T]) -> Vec<[T; 9]> {
        let mut before = Vec::with_capacity(self.shares.len());
        for (node, share) in &self.shares {
            let block: &mut [T; 9] = (&mut blocks[9 * *node as usize..][..9]).try_into().expect("nine numbers");
            before.push(*block);
            (0..9).for_each(|e| block[e] += share[FULL[e]]);
        }
        before
    }

    /// Puts back what [`LevelPairs::add_shares`] found.
    pub(super) fn take_shares(&self, blocks: &mut [T], before: &[[T; 9]]) {
        for ((node, _), block) in self.shares.iter().zip(before) {
            blocks[9 * *node as usize..][..9].copy_from_slice(block);
        }
    }

    /// out += E x.
    pub(super) fn add_rest(&self, x: &[[T; 4]], out: &mut [[T; 4]]) {
        for (k, block) in self.blocks.iter().enumerate() {
            let mut v = [T::default(); 4];
            for &(i, w) in self.members(k) {
                let xi = &x[i as usize];
                (0..4).for_each(|c| v[c] += w * xi[c]);
            }
            let f = multiply(block, &[v[0], v[1], v[2]]);
            let f = [f[0], f[1], f[2], T::default()];
            for &(i, w) in self.members(k) {
                let to = &mut out[i as usize];
                (0..4).for_each(|c| to[c] += w * f[c]);
            }
        }
        for (node, share) in &self.shares {
            let (x, to) = (&x[*node as usize], &mut out[*node as usize]);
            let f = multiply(share, &[x[0], x[1], x[2]]);
            (0..3).for_each(|c| to[c] -= f[c]);
        }
    }

    /// Every block (i, j ≤ i) of H.
    pub(super) fn visit(&self, mut show: impl FnMut(usize, usize, [f64; 9])) {
        for (k, block) in self.blocks.iter().enumerate() {
            for &(i, p) in self.members(k) {
                for &(j, q) in self.members(k).iter().filter(|m| m.0 <= i) {
                    let weight = p.to_f64() * q.to_f64();
                    show(i as usize, j as usize, std::array::from_fn(|e| weight * block[FULL[e]].to_f64()));
                }
            }
        }
    }
}

/// Places of a symmetric block's six numbers in the full one.
const FULL: [usize; 9] = [0, 1, 2, 1, 3, 4, 2, 4, 5];
