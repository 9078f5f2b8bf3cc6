//! Sides of triangles along edges and lines of the pattern, and points of panels in triangles.

use crate::cloth::Cloth;
use crate::pattern::{Button, Of, Span};
use glam::DVec2;
use std::collections::{BTreeMap, BTreeSet};
use toile_core::force::Tie;

/// A side of a triangle on an edge or line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::drape) struct Side {
    /// Its ends.
    pub(super) ends: [u32; 2],
    /// The triangle.
    pub(super) triangle: usize,
    /// Where the ends are, as fractions of the edge or line.
    pub(super) at: [f64; 2],
    /// Places of the ends on the panel (m).
    pub(super) flat: [DVec2; 2],
    /// Length on the panel (m).
    pub(super) length: f64,
}

impl Side {
    pub(super) fn sorted(&self) -> [u32; 2] {
        let [a, b] = self.ends;
        [a.min(b), a.max(b)]
    }
}

/// All sides by panel and edge or line.
pub(in crate::drape) struct Sides {
    all: BTreeMap<(usize, Of), Vec<Side>>,
    /// Ends of sides that two triangles have on edges or lines: seams, and lines inside of panels.
    shared: BTreeSet<[u32; 2]>,
}

impl Sides {
    pub(in crate::drape) fn of(cloth: &Cloth) -> Self {
        let mut all: BTreeMap<(usize, Of), Vec<Side>> = BTreeMap::new();
        let (mut known, mut shared) = (BTreeSet::new(), BTreeSet::new());
        for (t, trails) in cloth.sides.iter().enumerate() {
            for k in 0..3 {
                let Some(trail) = trails[k] else { continue };
                let next = (k + 1) % 3;
                let flat = [cloth.flat[t][k], cloth.flat[t][next]];
                let ends = [cloth.mesh.triangles[t][k], cloth.mesh.triangles[t][next]];
                let length = flat[0].distance(flat[1]);
                let side = Side { ends, triangle: t, at: [trail.from, trail.to], flat, length };
                if !known.insert(side.sorted()) {
                    shared.insert(side.sorted());
                }
                all.entry((cloth.panels[t] as usize, trail.of)).or_default().push(side);
            }
        }
        Self { all, shared }
    }

    /// Whether nothing is sewn on there.
    pub(super) fn is_free(&self, side: &Side) -> bool {
        !self.shared.contains(&side.sorted())
    }

    /// The sides of a span whose middles lie in it; each once, though a line has triangles on both sides.
    pub(super) fn along(&self, span: &Span) -> Vec<&Side> {
        let (low, high) = (span.from.min(span.to), span.from.max(span.to));
        let inside = |side: &&Side| (low..=high).contains(&(0.5 * (side.at[0] + side.at[1])));
        let mut known = BTreeSet::new();
        let of = self.all.get(&(span.panel, span.of)).map_or(&[][..], Vec::as_slice);
        of.iter().filter(inside).filter(|side| known.insert(side.sorted())).collect()
    }
}

/// The two points of a button; none if a panel has no triangle.
pub(super) fn button(cloth: &Cloth, button: &Button) -> Option<Tie> {
    let [first, second] = button.ends.map(|(panel, point)| spot(cloth, panel as u32, point));
    Some(Tie::new(&first?, &second?))
}

/// The triangle of a panel at a point, or the nearest one, with weights of its corners.
fn spot(cloth: &Cloth, panel: u32, point: DVec2) -> Option<[(u32, f64); 3]> {
    let own = (0..cloth.panels.len()).filter(|t| cloth.panels[*t] == panel);
    // How far outside: the most negative weight.
    let weighed = own.map(|t| (t, weights(cloth.flat[t], point)));
    let outside = |w: &[f64; 3]| -w.iter().copied().fold(f64::INFINITY, f64::min);
    let (t, weights) = weighed.min_by(|a, b| outside(&a.1).total_cmp(&outside(&b.1)))?;
    let inside = weights.map(|w| w.max(0.0));
    let sum: f64 = inside.iter().sum();
    let corners = cloth.mesh.triangles[t];
    Some([0, 1, 2].map(|k| (corners[k], inside[k] / sum)))
}

fn weights([a, b, c]: [DVec2; 3], p: DVec2) -> [f64; 3] {
    let whole = (b - a).perp_dot(c - a);
    [(b - p).perp_dot(c - p) / whole, (c - p).perp_dot(a - p) / whole, (a - p).perp_dot(b - p) / whole]
}
