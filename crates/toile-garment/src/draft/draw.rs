//! Drawing: strokes, halves that are mirrored, panels and seams by the labels of edges.

use super::DraftError;
use crate::pattern::{Curve, Dart, Edge, Garment, Notch, Panel, Placement, Seam, Span};
use glam::DVec2;

/// A point (m).
pub(super) fn at(x: f64, y: f64) -> DVec2 {
    DVec2::new(x, y)
}

/// A way from a point to the next one, and the label of the edge. A label that ends in `-` gets the wearer's side.
#[derive(Clone, Copy)]
pub(super) struct Stroke {
    pub(super) from: DVec2,
    pub(super) curve: Curve,
    pub(super) label: &'static str,
}

/// A straight stroke.
pub(super) fn straight(from: DVec2, label: &'static str) -> Stroke {
    Stroke { from, curve: Curve::Line, label }
}

/// A stroke with control points of the drawing (m) to a point.
pub(super) fn curved(from: DVec2, controls: [DVec2; 2], to: DVec2, label: &'static str) -> Stroke {
    Stroke { from, curve: cubic(from, controls, to), label }
}

/// A cubic with control points of the drawing (m).
pub(super) fn cubic(from: DVec2, controls: [DVec2; 2], to: DVec2) -> Curve {
    let chord = to - from;
    let relative = |p: DVec2| DVec2::new((p - from).dot(chord), chord.perp_dot(p - from)) / chord.length_squared();
    Curve::Cubic(relative(controls[0]), relative(controls[1]))
}

/// Where a drawing is, for mirrors: what its right and its left are to the wearer.
#[derive(Clone, Copy)]
pub(super) enum Seen {
    /// From the front: its right is the wearer's left.
    Front,
    /// From the back.
    Back,
}

impl Seen {
    /// The wearer's side of the drawing's right.
    pub(super) fn right(self) -> &'static str {
        if matches!(self, Self::Front) { "left" } else { "right" }
    }

    fn left(self) -> &'static str {
        if matches!(self, Self::Front) { "right" } else { "left" }
    }
}

fn sided(label: &str, side: &str) -> Option<String> {
    match label {
        "" => None,
        l if l.ends_with('-') => Some(format!("{l}{side}")),
        l => Some(l.to_string()),
    }
}

/// The mirror of a stroke about x = 0, run the other way: from the mirror of `to`.
fn mirror(stroke: &Stroke, to: DVec2) -> Stroke {
    let flip = |p: DVec2| DVec2::new(-p.x, p.y);
    // Mirroring swaps left and right of the chord, running back swaps them again.
    let turned = |p: DVec2| DVec2::new(1.0 - p.x, p.y);
    let curve = match stroke.curve {
        Curve::Quadratic(c) => Curve::Quadratic(turned(c)),
        Curve::Cubic(c, d) => Curve::Cubic(turned(d), turned(c)),
        other => other,
    };
    Stroke { from: flip(to), curve, label: stroke.label }
}

/// A panel from strokes all round.
pub(super) fn outline(name: &str, strokes: &[Stroke], side: &str) -> Panel {
    let edge = |s: &Stroke| Edge { start: s.from, curve: s.curve, label: sided(s.label, side) };
    Panel { name: name.into(), outline: strokes.iter().map(edge).collect(), ..Panel::default() }
}

/// The mirror image of strokes all round.
pub(super) fn mirrored(strokes: &[Stroke]) -> Vec<Stroke> {
    let count = strokes.len();
    (0..count).rev().map(|i| mirror(&strokes[i], strokes[(i + 1) % count].from)).collect()
}

/// A symmetric panel from its right half: strokes from the centre line below up to `end` on the centre line above. A straight
/// first or last stroke becomes one edge with its mirror.
pub(super) fn symmetric(name: &str, half: &[Stroke], end: DVec2, seen: Seen) -> Panel {
    let next = |i: usize| half.get(i + 1).map_or(end, |s| s.from);
    let straight = |i: usize| half[i].curve == Curve::Line && half[i].from.y == next(i).y;
    let last = half.len() - 1;
    let edge = |s: Stroke, side: &str| Edge { start: s.from, curve: s.curve, label: sided(s.label, side) };
    let mut left: Vec<Edge> = (0..=last).rev().map(|i| edge(mirror(&half[i], next(i)), seen.left())).collect();
    let mut right: Vec<Edge> = half.iter().map(|s| edge(*s, seen.right())).collect();
    if straight(last) {
        left.remove(0);
    }
    if straight(0) {
        right[0].start = left.pop().map_or(right[0].start, |e| e.start);
    }
    Panel { name: name.into(), outline: right.into_iter().chain(left).collect(), ..Panel::default() }
}

/// Where a panel is wrapped.
pub(super) fn wrapped(point: &str, anchor: DVec2) -> Placement {
    Placement::Wrapped { point: point.into(), anchor, turn: 0.0 }
}

/// Garment in the making. Panels and edges are named; those names are ours, and have to be there.
#[derive(Default)]
pub(super) struct Builder {
    pub(super) garment: Garment,
}

impl Builder {
    /// Adds a panel.
    pub(super) fn add(&mut self, panel: Panel, label: &str, placement: Placement) {
        self.garment.panels.push(Panel { label: Some(label.into()), placement, ..panel });
    }

    /// The edge of a label.
    pub(super) fn edge(&self, panel: &str, label: &str) -> Span {
        let index = self.garment.panel(panel).unwrap_or_else(|| unreachable!("no panel {panel}"));
        let mut edges = self.garment.panels[index].outline.iter();
        let edge = edges.position(|e| e.label.as_deref() == Some(label));
        Span::edge(index, edge.unwrap_or_else(|| unreachable!("no edge {label} of {panel}")))
    }

    /// Length of the edges (m).
    pub(super) fn length(&self, edges: &[(&str, &str)]) -> f64 {
        edges.iter().map(|(panel, label)| self.garment.length(&self.edge(panel, label))).sum()
    }

    /// Sews edges to edges; those of the second side run against those of the first.
    pub(super) fn sew(&mut self, name: &str, first: &[(&str, &str)], second: &[(&str, &str)]) {
        let sides = [
            first.iter().map(|(panel, label)| self.edge(panel, label)).collect(),
            second.iter().map(|(panel, label)| self.edge(panel, label).reversed()).collect(),
        ];
        self.garment.seams.push(Seam { name: name.into(), sides, ..Seam::default() });
    }

    /// Marks an edge.
    pub(super) fn notch(&mut self, panel: &str, label: &str, at: f64) {
        let span = self.edge(panel, label);
        if let crate::pattern::Of::Edge(edge) = span.of {
            self.garment.panels[span.panel].notches.push(Notch { edge, at });
        }
    }

    /// Cuts a dart; after all seams, as edges get new numbers.
    pub(super) fn dart(&mut self, panel: &str, edge: &str, dart: Dart, name: &str) -> Result<(), DraftError> {
        let span = self.edge(panel, edge);
        let crate::pattern::Of::Edge(edge) = span.of else { return Ok(()) };
        let made = self.garment.add_dart(span.panel, edge, &dart, name);
        made.map_err(|_| DraftError::Unmet {
            what: "a dart",
            advice: "bust, waist and hip are too far from each other",
        })
    }
}

/// The argument in a range at which a monotone function has a value; nothing if it is not in the range. False position with the
/// Illinois weights: a dozen evaluations instead of the fifty of halving, and each of ours walks a curve.
pub(super) fn solve([mut low, mut high]: [f64; 2], value: f64, f: impl Fn(f64) -> f64) -> Option<f64> {
    let (mut below, mut above) = (f(low) - value, f(high) - value);
    if !(below * above <= 0.0) {
        return None;
    }
    let mut last = 0.0;
    for _ in 0..80 {
        let x = (low * above - high * below) / (above - below);
        let found = f(x) - value;
        // A micrometre's thousandth, far below what a curve is known to.
        if found.abs() < 1e-12 || !x.is_finite() {
            return Some(x).filter(|x| x.is_finite());
        }
        if found * above > 0.0 {
            (high, above) = (x, found);
            below *= if last == 1.0 { 0.5 } else { 1.0 };
            last = 1.0;
        } else {
            (low, below) = (x, found);
            above *= if last == -1.0 { 0.5 } else { 1.0 };
            last = -1.0;
        }
    }
    Some(0.5 * (low + high))
}
