//! One level of the hierarchy: its matrix as the sweeps read it, and its vectors.
//!
//! A = D + L + Lᵀ + C. D are the diagonal blocks, L the couplings inside the fixed chunks of nodes, C those between
//! chunks. A pair of nodes is stored once: as a block where the stiffness couples it, with the scalar part merged in, and as a
//! scalar otherwise (the far vertices of a hinge).

use super::super::{Pattern, Real};
use crate::parallel::SERIAL_NODES;

/// Marks a block that is used transposed.
pub(super) const TRANSPOSED: u32 = 1 << 31;

/// Couplings as a graph of lower pairs: blocks, and scalars on other pairs.
#[derive(Clone, Debug, Default)]
pub(super) struct Couplings {
    pub(super) blocks: Pattern,
    /// Scalar part of the diagonal and of the pairs with a block, constant.
    pub(super) merged_diagonal: Vec<f64>,
    pub(super) merged: Vec<f64>,
    pub(super) scalars: Pattern,
    pub(super) values: Vec<f64>,
}

/// Couplings inside chunks, by rows; columns count from the first node of the chunk.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows<T> {
    pub(super) starts: Vec<u32>,
    pub(super) columns: Vec<u32>,
    pub(super) scalar_starts: Vec<u32>,
    pub(super) scalar_columns: Vec<u32>,
    pub(super) scalars: Vec<T>,
}

/// Couplings between chunks, both directions, for the nodes that have some.
#[derive(Clone, Debug, Default)]
pub(super) struct Border<T> {
    /// First entry of `nodes` for each chunk, and their number at the end.
    pub(super) chunks: Vec<u32>,
    pub(super) nodes: Vec<u32>,
    pub(super) starts: Vec<u32>,
    /// Other node, and block with the mark [`TRANSPOSED`].
    pub(super) blocks: Vec<(u32, u32)>,
    pub(super) scalar_starts: Vec<u32>,
    pub(super) scalars: Vec<(u32, T)>,
}

/// A level.
#[derive(Clone, Debug, Default)]
pub(super) struct Level<T> {
    pub(super) len: usize,
    /// First node of each chunk, and `len` at the end.
    pub(super) bounds: Vec<usize>,
    /// Nine numbers a block, row-major: the diagonal, then the rows inside chunks, then the pairs between chunks. One
    /// number more at the end, so that the last row of the last block can be read as a quad.
    pub(super) blocks: Vec<T>,
    /// Scalar part of each block.
    pub(super) constant: Vec<T>,
    /// D⁻¹ on the unknown components, rows as quads with a zero in the spare lane.
    pub(super) inverse: Vec<[T; 12]>,
    pub(super) rows: Rows<T>,
    pub(super) border: Border<T>,
    /// Right side.
    pub(super) b: Vec<[T; 4]>,
    /// First b − L x of the forward sweep.
    pub(super) t: Vec<[T; 4]>,
    /// Lᵀ x as it accumulates.
    pub(super) u: Vec<[T; 4]>,
    /// Value after the forward sweep, then with the coarse correction.
    pub(super) x: Vec<[T; 4]>,
    /// Coarse correction, then what the backward sweep changed.
    pub(super) e: Vec<[T; 4]>,
    /// Result of the cycle.
    pub(super) z: Vec<[T; 4]>,
}

impl<T: Real> Level<T> {
    /// Builds the level and tells where each pair of `couplings.blocks` is stored.
    pub(super) fn new(couplings: &Couplings) -> (Self, Vec<u32>) {
        let len = couplings.blocks.len();
        let chunks = chunk_count(len);
        let bounds: Vec<usize> = (0..=chunks).map(|c| len * c / chunks).collect();
        let mut chunk_of = vec![0u8; len];
        for c in 0..bounds.len() - 1 {
            chunk_of[bounds[c]..bounds[c + 1]].fill(c as u8);
        }
        let inside = |i: usize, j: u32| chunk_of[i] == chunk_of[j as usize];
        let index = places(&couplings.blocks, len, inside);
        let mut constant = vec![T::default(); len + couplings.merged.len()];
        for (to, from) in constant.iter_mut().zip(&couplings.merged_diagonal) {
            *to = T::from_f64(*from);
        }
        for (&k, &v) in index.iter().zip(&couplings.merged) {
            constant[k as usize] = T::from_f64(v);
        }
        let zero = vec![[T::default(); 4]; len];
        let level = Self {
            len,
            blocks: vec![T::default(); 9 * constant.len() + 1],
            constant,
            inverse: vec![[T::default(); 12]; len],
            rows: Rows::new(couplings, &bounds, &chunk_of),
            border: Border::new(couplings, &index, &bounds, &chunk_of),
            bounds,
            b: zero.clone(),
            t: zero.clone(),
            u: zero.clone(),
            x: zero.clone(),
            e: zero.clone(),
            z: zero,
        };
        (level, index)
    }
}

/// Chunks of a level: a function of its size alone, never of the threads. Every border between them costs the smoother a little.
fn chunk_count(len: usize) -> usize {
    match len {
        ..SERIAL_NODES => 1,
        SERIAL_NODES..2000 => 4,
        _ => 8,
    }
}

/// Position of each pair among the blocks: diagonal first, then pairs inside chunks, then the others.
fn places(pattern: &Pattern, len: usize, inside: impl Fn(usize, u32) -> bool) -> Vec<u32> {
    let mut index = vec![0u32; pattern.columns.len()];
    let mut next = len as u32;
    for wanted in [true, false] {
        for i in 0..len {
            for k in pattern.row(i) {
                if inside(i, pattern.columns[k]) == wanted {
                    index[k] = next;
                    next += 1;
                }
            }
        }
    }
    index
}

impl<T: Real> Rows<T> {
    fn new(couplings: &Couplings, bounds: &[usize], chunk_of: &[u8]) -> Self {
        let local = |pattern: &Pattern, i: usize, k: usize| {
            let (j, chunk) = (pattern.columns[k], chunk_of[i]);
            (chunk_of[j as usize] == chunk).then(|| j - bounds[chunk as usize] as u32)
        };
        let mut rows = Self { starts: vec![0], scalar_starts: vec![0], ..Self::default() };
        for i in 0..chunk_of.len() {
            rows.columns.extend(couplings.blocks.row(i).filter_map(|k| local(&couplings.blocks, i, k)));
            rows.starts.push(rows.columns.len() as u32);
            for k in couplings.scalars.row(i) {
                if let Some(j) = local(&couplings.scalars, i, k) {
                    rows.scalar_columns.push(j);
                    rows.scalars.push(T::from_f64(couplings.values[k]));
                }
            }
            rows.scalar_starts.push(rows.scalar_columns.len() as u32);
        }
        rows
    }
}

impl<T: Real> Border<T> {
    fn new(couplings: &Couplings, index: &[u32], bounds: &[usize], chunk_of: &[u8]) -> Self {
        let len = chunk_of.len();
        let mut blocks: Vec<Vec<(u32, u32)>> = vec![Vec::new(); len];
        let mut scalars: Vec<Vec<(u32, T)>> = vec![Vec::new(); len];
        for i in 0..len {
            for k in couplings.blocks.row(i) {
                let j = couplings.blocks.columns[k];
                if chunk_of[i] != chunk_of[j as usize] {
                    blocks[i].push((j, index[k]));
                    blocks[j as usize].push((i as u32, index[k] | TRANSPOSED));
                }
            }
            for k in couplings.scalars.row(i) {
                let j = couplings.scalars.columns[k];
                if chunk_of[i] != chunk_of[j as usize] {
                    let value = T::from_f64(couplings.values[k]);
                    scalars[i].push((j, value));
                    scalars[j as usize].push((i as u32, value));
                }
            }
        }
        let mut border = Self { starts: vec![0], scalar_starts: vec![0], ..Self::default() };
        for chunk in bounds.windows(2) {
            border.chunks.push(border.nodes.len() as u32);
            for i in (chunk[0]..chunk[1]).filter(|&i| !blocks[i].is_empty() || !scalars[i].is_empty()) {
                border.nodes.push(i as u32);
                border.blocks.extend_from_slice(&blocks[i]);
                border.starts.push(border.blocks.len() as u32);
                border.scalars.extend_from_slice(&scalars[i]);
                border.scalar_starts.push(border.scalars.len() as u32);
            }
        }
        border.chunks.push(border.nodes.len() as u32);
        border
    }
}
