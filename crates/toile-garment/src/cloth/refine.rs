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
        let mut paths = BTreeMap::new();
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
            let mid_flat: [DVec2; 3] = [0, 1, 2].map(|k| match self.sides[t][k] {
                Some(trail) => {
                    let of = &garment.panels[panel as usize];
                    paths
                        .entry((panel, trail.of))
                        .or_insert_with(|| of.path(trail.of))
                        .at(0.5 * (trail.from + trail.to))
                }
                None => 0.5 * (flat[k] + flat[(k + 1) % 3]),
            });
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

fn halves(side: Option<Trail>) -> [Option<Trail>; 2] {
    let Some(trail) = side else { return [None; 2] };
    let middle = 0.5 * (trail.from + trail.to);
    [Some(Trail { to: middle, ..trail }), Some(Trail { from: middle, ..trail })]
}
