//! Edges held on the body.
//!
//! An attached edge may not sink more than 6 cm below where it was when the seams were shut; to the sides it goes where cloth and body let it. So a
//! skirt that is too wide for the waist stays up, and one that fits finds its own place on the body: what contact carries is not taken from
//! it. Necklines come to lie on the shoulders, and the waist of a dress hangs from them.
//!
//! Free edges that belong at the waist are pulled up to it first, as everybody does who puts on trousers, and then let go: how high seams close in mid-air
//! says nothing of where a garment is worn.

use super::WAIST;
use super::sides::Sides;
use crate::cloth::Cloth;
use crate::pattern::{Garment, Span};
use toile_core::force::{Catch, Catches};

/// Stiffness of a held edge (N/m by metre of edge): a skirt of half a kilogram on 70 cm of waist sinks by a millimetre and a half.
const STIFFNESS: f64 = 5e3;
/// How far an edge may slip (m): from where it was closed to where it lies, and not off the body. Held where it was sewn, the waist of trousers stood
/// above the narrowest girth: the body pressed it down with twice its weight, and the attachment bore that.
const SLIP: f64 = 0.06;

/// Whether a garment is being put on or worn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::drape) enum Grip {
    /// Hands pull its waist up to that of the body.
    Pulled,
    /// It hangs as it does, and is only kept from falling off.
    Loose,
}

/// Attached edges and how high they are held.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::drape) struct Holds {
    edges: Vec<Hold>,
}

/// One attached edge.
#[derive(Clone, Debug, PartialEq)]
struct Hold {
    span: Span,
    /// Places on the edge (fraction) and the height there (m), ascending.
    heights: Vec<[f64; 2]>,
    /// Height (m) that the edge is pulled up to while it is put on.
    pulled: Option<f64>,
}

impl Holds {
    /// Holds the attached edges of sewn cloth, on a body whose waist is so high (m) if it has one.
    pub(in crate::drape) fn new(garment: &Garment, cloth: &Cloth, waist: Option<f64>) -> Self {
        let sides = Sides::of(cloth);
        let height = |v: u32| cloth.mesh.positions[v as usize].y;
        let mut edges = Vec::new();
        for attachment in &garment.attachments {
            for span in &attachment.spans {
                let along = sides.along(span);
                let ends = along.iter().flat_map(|s| [0, 1].map(|k| [s.at[k], height(s.ends[k]) - SLIP]));
                let mut heights: Vec<[f64; 2]> = ends.collect();
                heights.sort_by(|a, b| a[0].total_cmp(&b[0]));
                heights.dedup_by(|a, b| a[0] == b[0]);
                let is_free = along.iter().all(|side| sides.is_free(side));
                let pulled = waist.filter(|_| is_free && attachment.to == WAIST);
                edges.push(Hold { span: *span, heights, pulled });
            }
        }
        Self { edges }
    }

    /// Whether there is anything to pull up.
    pub(in crate::drape) fn can_be_pulled(&self) -> bool {
        self.edges.iter().any(|e| e.pulled.is_some())
    }

    /// The springs of all vertices along the edges on some level of triangles.
    pub(super) fn catches(&self, sides: &Sides, grip: Grip) -> Catches {
        let mut all = Vec::new();
        for edge in self.edges.iter().filter(|e| !e.heights.is_empty()) {
            for side in sides.along(&edge.span) {
                let stiffness = 0.5 * STIFFNESS * side.length;
                for (node, at) in side.ends.into_iter().zip(side.at) {
                    let pulled = edge.pulled.filter(|_| grip == Grip::Pulled);
                    all.push(Catch { node, height: pulled.unwrap_or(edge.height(at)), stiffness });
                }
            }
        }
        Catches { all }
    }
}

impl Hold {
    /// Height (m) at a place, between the known ones.
    fn height(&self, at: f64) -> f64 {
        let next = self.heights.partition_point(|h| h[0] < at);
        let (a, b) = (self.heights[next.saturating_sub(1)], self.heights[next.min(self.heights.len() - 1)]);
        if b[0] > a[0] { a[1] + (at - a[0]) / (b[0] - a[0]) * (b[1] - a[1]) } else { a[1] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_are_read_between_the_known_ones() {
        let heights = vec![[0.0, 1.0], [0.5, 2.0], [1.0, 1.0]];
        let hold = Hold { span: Span::edge(0, 0), heights, pulled: None };
        for (at, height) in [(0.0, 1.0), (0.25, 1.5), (0.5, 2.0), (0.9, 1.2), (1.0, 1.0)] {
            assert!((hold.height(at) - height).abs() < 1e-12, "{at}");
        }
    }
}
