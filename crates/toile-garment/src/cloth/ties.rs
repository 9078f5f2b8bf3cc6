//! Layers that are sewn on without becoming one with what is below: pockets, and a third panel in a seam.
//!
//! Mechanics want a surface: no more than two triangles at an edge. A seam onto a line has three layers there, and so has one along an edge that is
//! sewn already. Such seams are not welded: their vertices stay two, are held on each other, and count as one for contact.

use super::Cloth;
use crate::pattern::{Garment, Span};
use std::collections::{BTreeMap, BTreeSet};

/// Part of an edge (fraction) that two seams may share before they are in each other's way: rounding of fractions.
const OVERLAP: f64 = 1e-6;

/// Which seams are held instead of welded.
pub(super) fn tied(garment: &Garment) -> Vec<bool> {
    let mut welded: Vec<&Span> = Vec::new();
    let on_line = |s: &&Span| matches!(s.of, crate::pattern::Of::Line(_));
    garment
        .seams
        .iter()
        .map(|seam| {
            let spans: Vec<&Span> = seam.sides.iter().flatten().collect();
            let is_tied =
                spans.iter().any(on_line) || spans.iter().any(|span| welded.iter().any(|other| overlap(span, other)));
            if !is_tied {
                welded.extend(spans);
            }
            is_tied
        })
        .collect()
}

fn overlap(a: &Span, b: &Span) -> bool {
    let [low, high] = [a, b]
        .map(|s| (s.from.min(s.to), s.from.max(s.to)))
        .into_iter()
        .fold([f64::NEG_INFINITY, f64::INFINITY], |[low, high], (from, to)| [low.max(from), high.min(to)]);
    a.panel == b.panel && a.of == b.of && high - low > OVERLAP
}

/// The same number for vertices that pairs bring together, numbered as they come.
pub(crate) fn groups(count: usize, pairs: impl Iterator<Item = [u32; 2]>) -> Vec<u32> {
    let mut root: Vec<u32> = (0..count as u32).collect();
    fn find(root: &mut [u32], mut v: u32) -> u32 {
        while root[v as usize] != v {
            root[v as usize] = root[root[v as usize] as usize];
            v = root[v as usize];
        }
        v
    }
    for pair in pairs {
        let [a, b] = pair.map(|v| find(&mut root, v));
        root[a.max(b) as usize] = a.min(b);
    }
    let mut numbers = vec![u32::MAX; count];
    let mut next = 0;
    for v in 0..count as u32 {
        let r = find(&mut root, v);
        if r == v {
            numbers[v as usize] = next;
            next += 1;
        } else {
            numbers[v as usize] = numbers[r as usize];
        }
    }
    numbers
}

impl Cloth {
    /// The same number for vertices that lie on each other, as [`Cloth::ties`] say; empty where none do.
    pub fn joined(&self) -> Vec<u32> {
        if self.ties.is_empty() {
            return Vec::new();
        }
        groups(self.mesh.positions.len(), self.ties.iter().copied())
    }

    /// Takes over pairs, each once.
    pub(super) fn set_ties(&mut self, pairs: impl Iterator<Item = [u32; 2]>) {
        let sorted = pairs.map(|[a, b]| [a.min(b), a.max(b)]).filter(|[a, b]| a != b);
        self.ties = sorted.collect::<BTreeSet<_>>().into_iter().collect();
    }

    /// Middles of sides that lie on each other: both ends do, and both run along an edge or line of the pattern.
    pub(super) fn middle_ties(&self, middles: &BTreeMap<[u32; 2], u32>) -> Vec<[u32; 2]> {
        let mut partners: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &[a, b] in &self.ties {
            partners.entry(a).or_insert_with(|| vec![a]).push(b);
            partners.entry(b).or_insert_with(|| vec![b]).push(a);
        }
        let seams = if self.ties.is_empty() { BTreeSet::new() } else { self.seam_sides() };
        let mut ties = Vec::new();
        for &[a, b] in &seams {
            let of = |v: u32| partners.get(&v).cloned().unwrap_or(vec![v]);
            for p in of(a) {
                for q in of(b) {
                    let other = [p.min(q), p.max(q)];
                    if other > [a, b] && seams.contains(&other) {
                        ties.push([middles[&[a, b]], middles[&other]]);
                    }
                }
            }
        }
        ties
    }

    /// Sides of triangles along edges and lines of the pattern, by their vertices.
    fn seam_sides(&self) -> BTreeSet<[u32; 2]> {
        let mut sides = BTreeSet::new();
        for (corners, trails) in self.mesh.triangles.iter().zip(&self.sides) {
            for k in (0..3).filter(|k| trails[*k].is_some()) {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                sides.insert([a.min(b), a.max(b)]);
            }
        }
        sides
    }
}
