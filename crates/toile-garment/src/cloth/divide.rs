//! Where vertices go on edges and lines, so that both sides of every seam have as many.
//!
//! Each edge is cut at its ends, where spans of seams end, and where the other side of a seam is cut. Pieces between cuts that are sewn
//! to each other form a class; all of a class are divided into the same number of parts.

use crate::pattern::{Garment, Of, Path, Seam, Span};
use std::collections::BTreeMap;

/// Cuts closer than this part of an edge length are taken for one: a seam may be off by that without a sliver.
const SNAP: f64 = 0.4;
/// Rounds of carrying cuts across seams. Each reaches one seam further; garments have chains of a few.
const ROUNDS: usize = 16;

/// An edge or line of a panel.
pub(super) type Key = (usize, Of);

/// A piece of a side, the edge or line it is of, and whether the side runs along it backwards.
type Run = (usize, Key, bool);

/// Fractions of all vertices on each edge, ascending from 0 to 1, and which of them are sewn to which.
#[derive(Debug, Default)]
pub(super) struct Division {
    /// Vertices on each edge or line.
    pub(super) fractions: BTreeMap<Key, Vec<f64>>,
    /// Seam and the two vertices, as numbers on their edge or line.
    pub(super) joins: Vec<(u32, [(Key, usize); 2])>,
}

struct Work<'a> {
    garment: &'a Garment,
    edge: f64,
    paths: BTreeMap<Key, Path>,
    cuts: BTreeMap<Key, Vec<f64>>,
}

/// Divides all edges and those lines that seams use, at about the wanted edge length (m).
pub(super) fn divide(garment: &Garment, edge: f64) -> Division {
    let mut work = Work { garment, edge, paths: BTreeMap::new(), cuts: BTreeMap::new() };
    for (p, panel) in garment.panels.iter().enumerate() {
        let edges = (0..panel.outline.len()).map(Of::Edge);
        for of in edges.chain((0..panel.lines.len()).map(Of::Line)) {
            work.paths.insert((p, of), panel.path(of));
            work.cuts.insert((p, of), vec![0.0, 1.0]);
        }
        for notch in &panel.notches {
            work.cut((p, Of::Edge(notch.edge)), notch.at);
        }
    }
    for seam in &garment.seams {
        for span in seam.sides.iter().flatten() {
            for at in [span.from, span.to] {
                work.cut((span.panel, span.of), at);
            }
        }
    }
    for _ in 0..ROUNDS {
        let count = work.cut_count();
        for seam in &garment.seams {
            work.carry(seam);
        }
        if work.cut_count() == count {
            break;
        }
    }
    work.finish()
}

impl Work<'_> {
    fn cut_count(&self) -> usize {
        self.cuts.values().map(Vec::len).sum()
    }

    /// Cuts a path at a fraction unless it is cut nearby; returns where it is cut.
    fn cut(&mut self, key: Key, at: f64) -> f64 {
        let near = SNAP * self.edge / self.paths[&key].length();
        let cuts = self.cuts.entry(key).or_default();
        let nearest = cuts.iter().copied().min_by(|a, b| (a - at).abs().total_cmp(&(b - at).abs()));
        match nearest {
            Some(nearest) if (nearest - at).abs() <= near => nearest,
            _ => {
                let place = cuts.partition_point(|c| *c < at);
                cuts.insert(place, at);
                at
            }
        }
    }

    /// Cuts of one side of a seam: fraction of the side, and where that is.
    fn stations(&self, side: &[Span]) -> Vec<(f64, Key, f64)> {
        let total: f64 = side.iter().map(|s| self.garment.length(s)).sum();
        let mut done = 0.0;
        let mut stations = Vec::new();
        for span in side {
            let key = (span.panel, span.of);
            let length = self.garment.length(span);
            let (low, high) = (span.from.min(span.to), span.from.max(span.to));
            let near = SNAP * self.edge / self.paths[&key].length();
            // Span ends may have been snapped to a cut nearby.
            let inside = self.cuts[&key].iter().copied().filter(|c| *c >= low - near && *c <= high + near);
            let mut own: Vec<f64> = inside.collect();
            if span.from > span.to {
                own.reverse();
            }
            for at in own {
                let share = ((at - span.from) / (span.to - span.from)).clamp(0.0, 1.0);
                stations.push(((done + share * length) / total, key, at));
            }
            done += length;
        }
        stations
    }

    /// The point of a side at a fraction of its length.
    fn place(&self, side: &[Span], fraction: f64) -> (Key, f64) {
        let total: f64 = side.iter().map(|s| self.garment.length(s)).sum();
        let mut left = fraction * total;
        for (k, span) in side.iter().enumerate() {
            let length = self.garment.length(span);
            if left <= length || k + 1 == side.len() {
                let share = (left / length).clamp(0.0, 1.0);
                return ((span.panel, span.of), span.from + share * (span.to - span.from));
            }
            left -= length;
        }
        ((side[0].panel, side[0].of), side[0].from)
    }

    /// Cuts each side where the other one is cut.
    fn carry(&mut self, seam: &Seam) {
        for (own, other) in [(0, 1), (1, 0)] {
            for (fraction, _, _) in self.stations(&seam.sides[own]) {
                let (key, at) = self.place(&seam.sides[other], fraction);
                self.cut(key, at);
            }
        }
    }

    /// Divides the pieces between cuts, all of a class alike.
    fn finish(self) -> Division {
        // Pieces of all paths, numbered through.
        let mut pieces: BTreeMap<Key, usize> = BTreeMap::new();
        let mut lengths = Vec::new();
        for (key, cuts) in &self.cuts {
            pieces.insert(*key, lengths.len());
            let length = self.paths[key].length();
            lengths.extend(cuts.windows(2).map(|w| (w[1] - w[0]) * length));
        }
        let mut classes: Vec<usize> = (0..lengths.len()).collect();
        let mut matches = Vec::new();
        for (s, seam) in self.garment.seams.iter().enumerate() {
            let [a, b] = [0, 1].map(|side| self.runs(&seam.sides[side], &pieces));
            for (a, b) in a.into_iter().zip(b) {
                let (x, y) = (root(&mut classes, a.0), root(&mut classes, b.0));
                classes[x.max(y)] = x.min(y);
                matches.push((s as u32, a, b));
            }
        }
        let (mut sums, mut counts) = (vec![0.0; lengths.len()], vec![0.0; lengths.len()]);
        for piece in 0..lengths.len() {
            let class = root(&mut classes, piece);
            sums[class] += lengths[piece];
            counts[class] += 1.0;
        }
        let parts: Vec<usize> = (0..lengths.len())
            .map(|piece| {
                let class = root(&mut classes, piece);
                ((sums[class] / counts[class] / self.edge).round() as usize).max(1)
            })
            .collect();
        self.number(&pieces, &parts, matches)
    }

    /// The pieces of a side in its order.
    fn runs(&self, side: &[Span], pieces: &BTreeMap<Key, usize>) -> Vec<Run> {
        let mut runs = Vec::new();
        for span in side {
            let key = (span.panel, span.of);
            let cuts = &self.cuts[&key];
            let nearest = |at: f64| {
                (0..cuts.len()).min_by(|&a, &b| (cuts[a] - at).abs().total_cmp(&(cuts[b] - at).abs())).unwrap_or(0)
            };
            let (from, to) = (nearest(span.from), nearest(span.to));
            if from <= to {
                runs.extend((from..to).map(|k| (pieces[&key] + k, key, false)));
            } else {
                runs.extend((to..from).rev().map(|k| (pieces[&key] + k, key, true)));
            }
        }
        runs
    }

    fn number(&self, pieces: &BTreeMap<Key, usize>, parts: &[usize], matches: Vec<(u32, Run, Run)>) -> Division {
        let mut division = Division::default();
        // Number of the first vertex of each piece on its path.
        let mut first = vec![0; parts.len()];
        for (key, cuts) in &self.cuts {
            let mut fractions = vec![0.0];
            for (k, w) in cuts.windows(2).enumerate() {
                let piece = pieces[key] + k;
                first[piece] = fractions.len() - 1;
                let n = parts[piece];
                fractions.extend((1..n).map(|i| w[0] + (w[1] - w[0]) * (i as f64 / n as f64)));
                fractions.push(w[1]);
            }
            division.fractions.insert(*key, fractions);
        }
        for (seam, a, b) in matches {
            let n = parts[a.0];
            for i in 0..=n {
                let at = |(piece, key, backwards): Run| (key, first[piece] + if backwards { n - i } else { i });
                division.joins.push((seam, [at(a), at(b)]));
            }
        }
        division
    }
}

fn root(classes: &mut [usize], mut k: usize) -> usize {
    while classes[k] != k {
        classes[k] = classes[classes[k]];
        k = classes[k];
    }
    k
}
