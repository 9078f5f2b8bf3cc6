//! Blocks and scalars on one pattern, for solvers that factor.

use super::pairs::Pair;
use super::small::masked;
use super::{BlockMatrix, Layout, Operator, Pattern, Real, SolveError};
use std::sync::Arc;

/// The pattern of blocks and scalars together, and where the entries of each go.
#[derive(Clone, Debug)]
pub(super) struct Union {
    pub(super) pattern: Arc<Pattern>,
    block_slots: Vec<u32>,
    scalar_slots: Vec<u32>,
}

/// What becomes of pairs in a pattern that does not have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coupling {
    /// Their diagonal share takes their place: for preconditioners.
    Shared,
    /// They have their place: the union was made with them.
    Full,
}

impl Union {
    /// Blocks, scalars and these pairs.
    pub(super) fn with_pairs<T: Real>(layout: &Layout<T>, pairs: &[Pair]) -> Self {
        let plain = Self::new(layout);
        if plain.holds(pairs) {
            return plain;
        }
        let old = &plain.pattern;
        let pattern = Pattern::from_stencils(old.len(), |visit| {
            for i in 0..old.len() {
                old.columns[old.row(i)].iter().for_each(|&j| visit(&[i as u32, j]));
            }
            for pair in pairs {
                let members: Vec<u32> = pair.members().map(|m| m.0).collect();
                visit(&members);
            }
        });
        let rows: Vec<u32> = (0..old.len()).flat_map(|i| old.row(i).map(move |_| i as u32)).collect();
        let moved = |slots: &[u32]| -> Vec<u32> {
            let place = |&s: &u32| pattern.slot(rows[s as usize], old.columns[s as usize]).expect("a larger pattern");
            slots.iter().map(place).collect()
        };
        let (block_slots, scalar_slots) = (moved(&plain.block_slots), moved(&plain.scalar_slots));
        Self { pattern: Arc::new(pattern), block_slots, scalar_slots }
    }

    /// Whether every coupling of the pairs has its place.
    pub(super) fn holds(&self, pairs: &[Pair]) -> bool {
        let has = |i: u32, j: u32| i <= j || self.pattern.slot(i, j).is_some();
        pairs.iter().all(|p| p.members().all(|(i, _)| p.members().all(|(j, _)| has(i, j))))
    }

    pub(super) fn new<T: Real>(layout: &Layout<T>) -> Self {
        let blocks = &layout.blocks;
        let Some(scalars) = layout.scalars.as_ref().map(|s| &s.pattern) else {
            let block_slots = (0..blocks.columns.len() as u32).collect();
            return Self { pattern: blocks.clone(), block_slots, scalar_slots: Vec::new() };
        };
        let mut pattern = Pattern { starts: vec![0], columns: Vec::with_capacity(scalars.columns.len()) };
        let (mut block_slots, mut scalar_slots) = (Vec::new(), Vec::new());
        for i in 0..blocks.len() {
            let (mut left, mut right) = (blocks.row(i).peekable(), scalars.row(i).peekable());
            loop {
                let a = left.peek().map(|&k| blocks.columns[k]);
                let b = right.peek().map(|&k| scalars.columns[k]);
                let Some(j) = a.into_iter().chain(b).min() else { break };
                let slot = pattern.columns.len() as u32;
                if a == Some(j) {
                    block_slots.push(slot);
                    left.next();
                }
                if b == Some(j) {
                    scalar_slots.push(slot);
                    right.next();
                }
                pattern.columns.push(j);
            }
            pattern.starts.push(pattern.columns.len() as u32);
        }
        Self { pattern: Arc::new(pattern), block_slots, scalar_slots }
    }

    /// Writes A, fixed components replaced by identity rows and columns. Fails on numbers that are not finite.
    pub(super) fn assemble<T: Real, S: Real>(
        &self,
        a: &Operator<T>,
        coupling: Coupling,
        out: &mut BlockMatrix<S>,
    ) -> Result<(), SolveError> {
        let scalar_count = a.scalars.map_or(0, |s| s.lower.len());
        for (what, expected, found) in [
            ("matrix blocks", self.block_slots.len(), a.blocks.lower.len()),
            ("scalar matrix entries", self.scalar_slots.len(), scalar_count),
        ] {
            if expected != found {
                return Err(SolveError::Length { what, expected, found });
            }
        }
        let widen = |v: T| S::from_f64(v.to_f64());
        out.clear();
        for (k, &slot) in self.block_slots.iter().enumerate() {
            out.lower[slot as usize] = a.blocks.lower[k].map(widen);
        }
        for (k, &slot) in self.scalar_slots.iter().enumerate() {
            let s = a.scalars.map_or(S::default(), |s| widen(s.lower[k]));
            for c in 0..3 {
                out.lower[slot as usize][4 * c] += s;
            }
        }
        for i in 0..self.pattern.len() {
            out.diagonal[i] = a.diagonal_block(i).map(widen);
        }
        self.add_pairs(a, coupling, out);
        for i in 0..self.pattern.len() {
            let free = a.free[i].map(widen);
            out.diagonal[i] = masked(&out.diagonal[i], &free);
            for k in self.pattern.row(i) {
                let other = a.free[self.pattern.columns[k] as usize].map(widen);
                let block = &mut out.lower[k];
                *block = std::array::from_fn(|e| block[e] * free[e / 3] * other[e % 3]);
            }
            let row = self.pattern.row(i);
            let mut all = out.lower[row].iter().chain([&out.diagonal[i]]).flatten();
            if all.any(|v| !v.to_f64().is_finite()) {
                return Err(SolveError::NotFinite { what: "matrix", vertex: i });
            }
        }
        Ok(())
    }

    fn add_pairs<T: Real, S: Real>(&self, a: &Operator<T>, coupling: Coupling, out: &mut BlockMatrix<S>) {
        let add = |to: &mut [S; 9], weight: f64, block: &[f64; 9]| {
            (0..9).for_each(|e| to[e] += S::from_f64(weight * block[e]));
        };
        if coupling == Coupling::Shared {
            a.pair_shares().iter().for_each(|(i, share)| add(&mut out.diagonal[*i as usize], 1.0, share));
            return;
        }
        for pair in a.pairs {
            let block = pair.full();
            for (i, p) in pair.members() {
                add(&mut out.diagonal[i as usize], p * p, &block);
                for (j, q) in pair.members().filter(|m| m.0 < i) {
                    let slot = self.pattern.slot(i, j).expect("the union was made with the pairs");
                    add(&mut out.lower[slot as usize], p * q, &block);
                }
            }
        }
    }
}
