//! Every triangle in four.

use super::{Cloth, Trail};
use crate::pattern::Garment;
use glam::DVec2;
use std::collections::BTreeMap;

impl Cloth {
    /// Splits every triangle at the middles of its sides. In space new vertices lie on the old triangles: what crossed nothing still
    /// crosses nothing. On the panel those of outlines and lines lie on the curves of the pattern.
    pub fn refine(&self, garment: &Garment) -> Self {
        let mut fine = Self { weaves: self.weaves.clone(), ..Self::default() };
        fine.mesh.positions = self.mesh.positions.clone();
        let mut middles: BTreeMap<[u32; 2], u32> = BTreeMap::new();
        let middles_flat = self.flat_middles(garment);
        for t in 0..self.mesh.triangles.len() {
            let (corners, flat, panel) = (self.mesh.triangles[t], self.flat[t], self.panels[t]);
            let mid: [u32; 3] = [0, 1, 2].map(|k| {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                    let [p, q] = [a, b].map(|v| self.mesh.positions[v as usize]);
                    fine.mesh.positions.push(0.5 * (p + q));
                    fine.mesh.positions.len() as u32 - 1
                })
            });
            let mid_flat = middles_flat[t];
            let material = |p: DVec2| self.weaves[panel as usize].material(p);
            let halves = self.sides[t].map(halves);
            // The three at the corners, then the one in the middle.
            for k in 0..3 {
                let l = (k + 2) % 3;
                let places = [flat[k], mid_flat[k], mid_flat[l]];
                fine.mesh.triangles.push([corners[k], mid[k], mid[l]]);
                fine.mesh.material.push(places.map(material));
                fine.flat.push(places);
                fine.sides.push([halves[k][0], None, halves[l][1]]);
                fine.panels.push(panel);
            }
            fine.mesh.triangles.push(mid);
            fine.mesh.material.push(mid_flat.map(material));
            fine.flat.push(mid_flat);
            fine.sides.push([None; 3]);
            fine.panels.push(panel);
        }
        fine.set_ties(self.ties.iter().copied().chain(self.middle_ties(&middles)));
        fine
    }
}

/// Smallest part of its quarter of a triangle that each of the four keeps on the panel.
const ROOM: f64 = 0.4;
/// Halvings of a curve's bulge over its chord before the chord is taken.
const HALVINGS: usize = 6;

impl Cloth {
    /// Middles of the sides of each triangle on its panel (m): on the curves of the pattern, or nearer to their chords where a curve would leave
    /// one of the four triangles next to nothing.
    fn flat_middles(&self, garment: &Garment) -> Vec<[DVec2; 3]> {
        let mut paths = BTreeMap::new();
        let mut bulge = |t: usize, k: usize| {
            let Some(trail) = self.sides[t][k] else { return DVec2::ZERO };
            let panel = self.panels[t];
            let path = paths.entry((panel, trail.of)).or_insert_with(|| garment.panels[panel as usize].path(trail.of));
            path.at(0.5 * (trail.from + trail.to)) - self.chord_middle(t, k)
        };
        let bulges: Vec<[DVec2; 3]> = (0..self.flat.len()).map(|t| [0, 1, 2].map(|k| bulge(t, k))).collect();
        // Both triangles at a line within a panel see the same curve.
        let key = |t: usize, k: usize| {
            let [a, b] = [self.mesh.triangles[t][k], self.mesh.triangles[t][(k + 1) % 3]];
            (self.panels[t], a.min(b), a.max(b))
        };
        let mut shares: BTreeMap<(u32, u32, u32), f64> = BTreeMap::new();
        let middles = |t: usize, shares: &BTreeMap<(u32, u32, u32), f64>| {
            [0, 1, 2].map(|k| self.chord_middle(t, k) + shares.get(&key(t, k)).copied().unwrap_or(1.0) * bulges[t][k])
        };
        let curved: Vec<usize> = (0..self.flat.len()).filter(|t| bulges[*t] != [DVec2::ZERO; 3]).collect();
        for halving in 0..=HALVINGS {
            let tight: Vec<usize> =
                curved.iter().copied().filter(|t| !has_room(self.flat[*t], middles(*t, &shares))).collect();
            if tight.is_empty() {
                break;
            }
            for (t, k) in tight.iter().flat_map(|t| [0, 1, 2].map(|k| (*t, k))) {
                shares.insert(key(t, k), if halving == HALVINGS { 0.0 } else { 0.5f64.powi(halving as i32 + 1) });
            }
        }
        (0..self.flat.len()).map(|t| middles(t, &shares)).collect()
    }

    fn chord_middle(&self, t: usize, k: usize) -> DVec2 {
        0.5 * (self.flat[t][k] + self.flat[t][(k + 1) % 3])
    }
}

/// Whether each of the four triangles between corners and middles of sides keeps enough of its quarter.
fn has_room(corners: [DVec2; 3], middles: [DVec2; 3]) -> bool {
    let area = |[a, b, c]: [DVec2; 3]| (b - a).perp_dot(c - a);
    let quarter = 0.25 * area(corners);
    let parts = [0, 1, 2].map(|k| [corners[k], middles[k], middles[(k + 2) % 3]]);
    parts.into_iter().chain([middles]).all(|part| area(part) * quarter.signum() >= ROOM * quarter.abs())
}

fn halves(side: Option<Trail>) -> [Option<Trail>; 2] {
    let Some(trail) = side else { return [None; 2] };
    let middle = 0.5 * (trail.from + trail.to);
    [Some(Trail { to: middle, ..trail }), Some(Trail { from: middle, ..trail })]
}
