//! Where vertices go on edges and lines, so that both sides of every seam have as many.
//!
//! Each edge is cut at its ends, where spans of seams and tapes end, at notches, where lines end on it, and where the other side of a seam is cut. Pieces
//! between cuts that are sewn to each other form a class; all of a class are divided into the same number of parts.

use super::CutError;
use crate::pattern::{Garment, LineKind, Of, Path, Seam, Span};
use glam::DVec2;
use std::collections::BTreeMap;

/// Notches and cuts of the other side that are nearer to a cut than this part of an edge length are taken for it: a seam may be off by that
/// without a sliver.
const SNAP: f64 = 0.4;
/// Ends of spans nearer than this (m) are one. No more than that: what lies between two of them is sewn to something.
const SAME: f64 = 1e-4;
/// How far from an edge a line may end to end on it (m), as patterns are checked.
const TOUCH: f64 = 1e-4;
/// Edge length along darts and folds over that elsewhere.
const FINE: f64 = 0.6;
/// Most that an edge of the mesh may stand for of a curve's turning (rad), and how short edges get for it at most, over the wanted length. A curve
/// that bulges far over its chord leaves no room for the triangle behind it when edges are split.
const TURN: f64 = 0.6;
const SHORTEST: f64 = 0.35;
/// Rounds of carrying cuts across seams. Each reaches one seam further; garments have chains of a few.
const ROUNDS: usize = 16;

/// An edge or line of a panel.
pub(super) type Key = (usize, Of);

/// A piece of a side, the edge or line it is of, and whether the side runs along it backwards.
type Run = (usize, Key, bool);

/// Fractions of all vertices on each edge, ascending from 0 to 1, and which of them are sewn to which.
#[derive(Debug, Default)]
pub(super) struct Division {
    /// Places on the panel of these vertices (m).
    pub(super) points: BTreeMap<Key, Vec<DVec2>>,
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
    /// Lines whose start or end is on an edge: the place of the vertex there.
    line_ends: BTreeMap<(Key, bool), DVec2>,
}

/// Divides all edges and lines, at about the wanted edge length (m).
pub(super) fn divide(garment: &Garment, edge: f64) -> Result<Division, CutError> {
    let mut work = Work { garment, edge, paths: BTreeMap::new(), cuts: BTreeMap::new(), line_ends: BTreeMap::new() };
    for (p, panel) in garment.panels.iter().enumerate() {
        let edges = (0..panel.outline.len()).map(Of::Edge);
        for of in edges.chain((0..panel.lines.len()).map(Of::Line)) {
            work.paths.insert((p, of), panel.path(of));
            work.cuts.insert((p, of), vec![0.0, 1.0]);
        }
    }
    for span in garment.seams.iter().flat_map(|seam| seam.sides.iter().flatten()) {
        for at in [span.from, span.to] {
            work.cut((span.panel, span.of), at, SAME);
        }
    }
    let tapes = garment.tapes.iter().flat_map(|tape| &tape.spans);
    for span in tapes.chain(garment.attachments.iter().flat_map(|held| &held.spans)) {
        for at in [span.from, span.to] {
            work.cut((span.panel, span.of), at, SNAP * edge);
        }
    }
    for (p, panel) in garment.panels.iter().enumerate() {
        for line in 0..panel.lines.len() {
            work.attach((p, Of::Line(line)));
        }
        for notch in &panel.notches {
            work.cut((p, Of::Edge(notch.edge)), notch.at, SNAP * edge);
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

    /// Cuts a path at a fraction unless it is cut within a length (m); returns where it is cut.
    fn cut(&mut self, key: Key, at: f64, within: f64) -> f64 {
        let near = within / self.paths[&key].length();
        let cuts = self.cuts.entry(key).or_default();
        let nearest = cuts[nearest(cuts, at)];
        if (nearest - at).abs() <= near {
            return nearest;
        }
        let place = cuts.partition_point(|c| *c < at);
        cuts.insert(place, at);
        at
    }

    /// Cuts the edges that a line ends on.
    fn attach(&mut self, line: Key) {
        for is_end in [false, true] {
            let p = self.paths[&line].at(if is_end { 1.0 } else { 0.0 });
            let edges = (0..self.garment.panels[line.0].outline.len()).map(|e| (line.0, Of::Edge(e)));
            let found = edges.map(|key| (key, self.paths[&key].nearest(p)));
            let Some((key, (at, distance))) = found.min_by(|a, b| a.1.1.total_cmp(&b.1.1)) else { continue };
            if distance <= TOUCH {
                let mut cut = self.cut(key, at, SNAP * self.edge);
                // A short line must not have both ends at one vertex.
                if is_end && self.line_ends.get(&(line, false)) == Some(&self.paths[&key].at(cut)) {
                    cut = self.cut(key, at, SAME);
                }
                self.line_ends.insert((line, is_end), self.paths[&key].at(cut));
            }
        }
    }

    /// Numbers of the cuts at the ends of a span.
    fn ends(&self, span: &Span) -> [usize; 2] {
        let cuts = &self.cuts[&(span.panel, span.of)];
        [span.from, span.to].map(|at| nearest(cuts, at))
    }

    /// Cuts of one side of a seam as fractions of it; where two spans meet there is one.
    fn stations(&self, side: &[Span]) -> Vec<f64> {
        let total: f64 = side.iter().map(|s| self.garment.length(s)).sum();
        let mut done = 0.0;
        let mut stations = vec![0.0];
        for span in side {
            let (cuts, length) = (&self.cuts[&(span.panel, span.of)], self.garment.length(span));
            let [from, to] = self.ends(span);
            let inner = &cuts[from.min(to) + 1..from.max(to).max(from.min(to) + 1)];
            let place = |at: &f64| (done + (at - span.from) / (span.to - span.from) * length) / total;
            let first = stations.len();
            stations.extend(inner.iter().map(place));
            if from > to {
                stations[first..].reverse();
            }
            done += length;
            stations.push(done / total);
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

    /// Cuts each side where the other one is cut and it has nothing to match.
    fn carry(&mut self, seam: &Seam) {
        let total = |side: &[Span]| side.iter().map(|s| self.garment.length(s)).sum::<f64>();
        let near = SNAP * self.edge / total(&seam.sides[0]).max(total(&seam.sides[1]));
        let [a, b] = [0, 1].map(|k| self.stations(&seam.sides[k]));
        for (side, alone) in unmatched(&a, &b, near) {
            let (key, at) = self.place(&seam.sides[1 - side], alone);
            self.cut(key, at, 0.0);
        }
    }

    /// Divides the pieces between cuts, all of a class alike.
    fn finish(self) -> Result<Division, CutError> {
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
            if a.len() != b.len() {
                return Err(CutError::Seam { seam: seam.name.clone(), pieces: [a.len(), b.len()] });
            }
            for (a, b) in a.into_iter().zip(b) {
                let (x, y) = (root(&mut classes, a.0), root(&mut classes, b.0));
                classes[x.max(y)] = x.min(y);
                matches.push((s as u32, a, b));
            }
        }
        let parts = self.parts(&pieces, &lengths, &mut classes);
        Ok(self.number(&pieces, &parts, matches))
    }

    /// Whether an edge or line is a leg of a dart or folds: there cloth bends most.
    fn is_fine(&self, (panel, of): &Key) -> bool {
        match of {
            Of::Line(line) => matches!(self.garment.panels[*panel].lines[*line].kind, LineKind::Fold { .. }),
            Of::Edge(_) => self.garment.seams.iter().any(|seam| {
                let ([a], [b]) = (&seam.sides[0][..], &seam.sides[1][..]) else { return false };
                let is_own = a.panel == *panel && b.panel == *panel && (a.of == *of || b.of == *of);
                // Legs that meet at their tip: it is sewn to itself.
                is_own
                    && a.of != b.of
                    && [(a.from, b.from), (a.to, b.to)].into_iter().any(|(s, t)| {
                        let [p, q] = [(a.of, s), (b.of, t)].map(|(of, at)| self.paths[&(*panel, of)].at(at));
                        p.distance(q) < SAME
                    })
            }),
        }
    }

    /// How many parts each piece is divided into.
    fn parts(&self, pieces: &BTreeMap<Key, usize>, lengths: &[f64], classes: &mut [usize]) -> Vec<usize> {
        let (mut sums, mut counts) = (vec![0.0; lengths.len()], vec![0.0; lengths.len()]);
        for piece in 0..lengths.len() {
            let class = root(classes, piece);
            sums[class] += lengths[piece];
            counts[class] += 1.0;
        }
        let mut least = vec![1; lengths.len()];
        let mut wanted = vec![self.edge; lengths.len()];
        for (key, piece) in pieces {
            if self.is_fine(key) {
                for own in *piece..*piece + self.cuts[key].len() - 1 {
                    wanted[root(classes, own)] = FINE * self.edge;
                }
            }
            for (k, cut) in self.cuts[key].windows(2).enumerate() {
                let most = lengths[piece + k] / (SHORTEST * self.edge);
                let parts = (turning(&self.paths[key], [cut[0], cut[1]]) / TURN).ceil().min(most) as usize;
                let class = root(classes, piece + k);
                least[class] = least[class].max(parts);
            }
            // A bow from the outline to the outline in one piece could be a side of the outline.
            if self.cuts[key].len() == 2 && [false, true].iter().all(|end| self.line_ends.contains_key(&(*key, *end))) {
                let class = root(classes, *piece);
                least[class] = least[class].max(2);
            }
        }
        (0..lengths.len())
            .map(|piece| {
                let class = root(classes, piece);
                ((sums[class] / counts[class] / wanted[class]).round() as usize).max(least[class])
            })
            .collect()
    }

    /// The pieces of a side in its order.
    fn runs(&self, side: &[Span], pieces: &BTreeMap<Key, usize>) -> Vec<Run> {
        let mut runs = Vec::new();
        for span in side {
            let key = (span.panel, span.of);
            let [from, to] = self.ends(span);
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
            let mut points: Vec<DVec2> = fractions.iter().map(|f| self.paths[key].at(*f)).collect();
            let last = points.len() - 1;
            for (is_end, k) in [(false, 0), (true, last)] {
                points[k] = self.line_ends.get(&(*key, is_end)).copied().unwrap_or(points[k]);
            }
            division.points.insert(*key, points);
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

/// By how much a path turns between two fractions (rad).
fn turning(path: &Path, [from, to]: [f64; 2]) -> f64 {
    let points: Vec<DVec2> = (0..=16).map(|k| path.at(from + (to - from) * f64::from(k) / 16.0)).collect();
    let chords: Vec<DVec2> = points.windows(2).map(|w| w[1] - w[0]).collect();
    chords.windows(2).map(|w| w[0].angle_to(w[1]).abs()).sum()
}

/// Number of the cut nearest to a fraction.
fn nearest(cuts: &[f64], at: f64) -> usize {
    (0..cuts.len()).min_by(|&a, &b| (cuts[a] - at).abs().total_cmp(&(cuts[b] - at).abs())).unwrap_or(0)
}

/// Stations of two sides, both ascending, that have no partner on the other one, each with its side. Partners are nearer than `near`, in
/// order, and each has one: of two that could take a station the nearer one does.
fn unmatched(a: &[f64], b: &[f64], near: f64) -> Vec<(usize, f64)> {
    let (mut i, mut j) = (0, 0);
    let mut alone = Vec::new();
    while i < a.len() || j < b.len() {
        let apart = |i: usize, j: usize| match (a.get(i), b.get(j)) {
            (Some(a), Some(b)) => (a - b).abs(),
            _ => f64::INFINITY,
        };
        let own = apart(i, j);
        if own <= near && own <= apart(i + 1, j) && own <= apart(i, j + 1) {
            (i, j) = (i + 1, j + 1);
        } else if j == b.len() || (i < a.len() && a[i] <= b[j]) {
            alone.push((0, a[i]));
            i += 1;
        } else {
            alone.push((1, b[j]));
            j += 1;
        }
    }
    alone
}

fn root(classes: &mut [usize], mut k: usize) -> usize {
    while classes[k] != k {
        classes[k] = classes[classes[k]];
        k = classes[k];
    }
    k
}
