//! Features that lie near each other in the cloth itself.
//!
//! Where triangles are smaller than cloth is thick and its barriers reach, features that share no vertex are within reach of each other while the
//! cloth lies flat. Barriers between them would press on cloth that nothing touches: at a shoulder with a seam of 6 mm they did so with a
//! newton, and the garment did not come to rest. The thickness and reach of such a pair together are half their distance in the cloth; they can pass
//! through each other as little as any.

use crate::detect::Kind;
use crate::shapes::Shapes;
use glam::DVec2;
use std::collections::BTreeMap;

/// Share of the distance in the cloth that thickness and reach of a pair may take.
const SHARE: f64 = 0.5;

/// Vertices near each vertex in the cloth.
pub(super) struct Near {
    /// With their distance along edges at rest (m), by their numbers; empty for most vertices.
    of: Vec<Vec<(u32, f64)>>,
}

impl Near {
    /// Of cloth with these material coordinates, as far as pairs of this reach (m) are concerned.
    pub(super) fn new(shapes: &Shapes, material: &[[DVec2; 3]], reach: f64) -> Self {
        let count = shapes.cloth_vertices;
        let thickest = (0..count as u32).map(|v| 2.0 * shapes.radius(v)).fold(0.0, f64::max);
        let within = (thickest + reach) / SHARE;
        let mut short: Vec<BTreeMap<u32, f64>> = vec![BTreeMap::new(); count];
        for (triangle, places) in shapes.triangles[..shapes.cloth_triangles].iter().zip(material) {
            for (k, l) in [(0, 1), (1, 2), (2, 0)] {
                let length = places[k].distance(places[l]);
                if length < within {
                    for (a, b) in [(triangle[k], triangle[l]), (triangle[l], triangle[k])] {
                        let known = short[a as usize].entry(b).or_insert(length);
                        *known = known.min(length);
                    }
                }
            }
        }
        Self { of: (0..count as u32).map(|v| reached(&short, v, within)).collect() }
    }

    /// What thickness and reach of a pair are multiplied by; `whole` is their sum (m).
    pub(super) fn share(&self, kind: Kind, nodes: [u32; 4], whole: f64) -> f64 {
        let (one, other) = match kind {
            Kind::EdgeEdge => (&nodes[..2], &nodes[2..]),
            _ => (&nodes[..1], &nodes[1..]),
        };
        let pairs = one.iter().flat_map(|a| other.iter().map(move |b| (*a, *b)));
        let nearest = pairs.filter_map(|(a, b)| self.distance(a, b)).fold(f64::INFINITY, f64::min);
        (SHARE * nearest / whole).min(1.0)
    }

    fn distance(&self, a: u32, b: u32) -> Option<f64> {
        let near = self.of.get(a as usize)?;
        near.binary_search_by_key(&b, |n| n.0).ok().map(|k| near[k].1)
    }
}

/// Vertices within a distance (m) of one, along edges.
fn reached(short: &[BTreeMap<u32, f64>], from: u32, within: f64) -> Vec<(u32, f64)> {
    let mut found = BTreeMap::from([(from, 0.0)]);
    let mut open = vec![(0.0f64, from)];
    // Few vertices are open at a time: the nearest is found by looking at all.
    while let Some(k) = (0..open.len()).min_by(|a, b| open[*a].0.total_cmp(&open[*b].0)) {
        let (way, v) = open.swap_remove(k);
        for (&next, length) in &short[v as usize] {
            let way = way + length;
            if way < within && found.get(&next).is_none_or(|known| way < *known) {
                found.insert(next, way);
                open.push((way, next));
            }
        }
    }
    found.remove(&from);
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A strip of squares of 1 mm: distances go along its edges, pairs far apart are left as they are.
    #[test]
    fn small_triangles_make_pairs_thin() {
        let (count, cell) = (12, 1e-3);
        let place = |v: u32| DVec2::new(f64::from(v / 2) * cell, f64::from(v % 2) * cell);
        let mut triangles = Vec::new();
        for k in 0..count - 1 {
            let v = 2 * k;
            triangles.extend([[v, v + 2, v + 3], [v, v + 3, v + 1]]);
        }
        let material: Vec<[DVec2; 3]> = triangles.iter().map(|t| t.map(place)).collect();
        let mut shapes = Shapes::default();
        shapes.add("strip", true, 0.25e-3, 2 * count as usize, &triangles, &[]);
        let near = Near::new(&shapes, &material, 2e-3);
        assert_eq!(near.distance(0, 4), Some(2.0 * cell));
        // Two cells apart: half of 2 mm for 2.5 mm of thickness and reach.
        let share = near.share(Kind::VertexFace, [0, 4, 6, 7], 2.5e-3);
        assert!((share - 0.4).abs() < 1e-12, "{share}");
        assert_eq!(near.share(Kind::VertexFace, [0, 14, 16, 17], 2.5e-3), 1.0);
        assert_eq!(near.share(Kind::EdgeEdge, [0, 1, 20, 21], 2.5e-3), 1.0);
        // An obstacle is in no cloth.
        assert_eq!(near.share(Kind::VertexFace, [0, 100, 101, 102], 2.5e-3), 1.0);
    }
}
