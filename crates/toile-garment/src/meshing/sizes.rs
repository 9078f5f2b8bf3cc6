//! How large triangles are to be: the wanted edge length, and less near fixed edges that are shorter.

use glam::DVec2;

/// Fixed edges shorter than this part of the wanted length make triangles smaller about them.
const SHORT: f64 = 0.75;
/// The smallest triangles, over the wanted length: a stitch of a millimetre is no reason for thousands of them.
const SMALLEST: f64 = 0.35;
/// How many lengths of a short edge about it triangles stay as small: two rows of them.
const ROWS: f64 = 1.5;
/// How much larger they may be for each length beyond.
const GRADE: f64 = 0.3;
/// From one lattice to the next finer one.
pub(super) const RATIO: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Sizes over the metric plane.
pub(super) struct Sizes {
    edge: f64,
    /// Ends and length of short edges.
    short: Vec<([DVec2; 2], f64)>,
}

impl Sizes {
    pub(super) fn new<'a>(corners: &[DVec2], edges: impl Iterator<Item = &'a [usize; 2]>, edge: f64) -> Self {
        let ends = edges.map(|e| e.map(|i| corners[i]));
        let measured = ends.map(|[a, b]| ([a, b], a.distance(b).max(SMALLEST * edge)));
        Self { edge, short: measured.filter(|(_, length)| *length < SHORT * edge).collect() }
    }

    /// Wanted edge length at a point.
    fn at(&self, p: DVec2) -> f64 {
        let one = |([a, b], length): &([DVec2; 2], f64)| {
            let along = *b - *a;
            let t = ((p - *a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
            length + GRADE * (p.distance(*a + t * along) - ROWS * length).max(0.0)
        };
        self.short.iter().map(one).fold(self.edge, f64::min)
    }

    /// Number of the lattice a point belongs to: 0 has the wanted edge length, each further one [`RATIO`] of it.
    pub(super) fn lattice(&self, p: DVec2) -> usize {
        ((self.at(p) / self.edge).ln() / RATIO.ln()).round() as usize
    }

    /// Lattices there are.
    pub(super) fn lattices(&self) -> usize {
        let least = self.short.iter().map(|s| s.1).fold(self.edge, f64::min);
        ((least / self.edge).ln() / RATIO.ln()).round() as usize + 1
    }
}
