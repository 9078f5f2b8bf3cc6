//! Sides of sewn panels made to agree.
//!
//! A seam that joins right side to wrong side (a lapel turned over) leaves two panels facing opposite ways. Mechanics want one outside:
//! the panel that was cut later is turned over, and with it all that is sewn to it the ordinary way.

use super::{Cloth, Trail, WeldError};
use glam::DVec2;
use std::collections::{BTreeMap, BTreeSet};

impl Cloth {
    /// Turns panels over until neighbouring triangles agree about the outside.
    pub(super) fn orient(&mut self) -> Result<(), WeldError> {
        let links = self.links();
        let mut turned: Vec<Option<bool>> = vec![None; self.weaves.len()];
        for start in 0..self.weaves.len() as u32 {
            if turned[start as usize].is_some() {
                continue;
            }
            turned[start as usize] = Some(false);
            let mut stack = vec![start];
            while let Some(panel) = stack.pop() {
                let own = turned[panel as usize] == Some(true);
                for &(a, b, agree) in links.range((panel, 0, false)..=(panel, u32::MAX, true)) {
                    let wanted = own == agree;
                    match turned[b as usize] {
                        None => {
                            turned[b as usize] = Some(wanted);
                            stack.push(b);
                        }
                        Some(found) if found != wanted => return Err(WeldError::OneSided { panel: a.max(b) }),
                        Some(_) => {}
                    }
                }
            }
        }
        for panel in (0..self.weaves.len() as u32).filter(|p| turned[*p as usize] == Some(true)) {
            self.turn_over(panel);
        }
        Ok(())
    }

    /// Which panels meet at an edge, both ways round, and whether they agree there. Two panels may do both, at different seams.
    fn links(&self) -> BTreeSet<(u32, u32, bool)> {
        let mut sides: BTreeMap<[u32; 2], Vec<(u32, bool)>> = BTreeMap::new();
        for (t, corners) in self.mesh.triangles.iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                sides.entry([a.min(b), a.max(b)]).or_default().push((self.panels[t], a < b));
            }
        }
        let mut links = BTreeSet::new();
        for meeting in sides.values() {
            // Three at an edge are no surface whichever way they face: that is told by the check of the mesh.
            let &[(a, a_forward), (b, b_forward)] = meeting.as_slice() else { continue };
            let agree = a_forward != b_forward;
            if a != b || !agree {
                links.extend([(a, b, agree), (b, a, agree)]);
            }
        }
        links
    }

    fn turn_over(&mut self, panel: u32) {
        self.weaves[panel as usize].faces_back ^= true;
        for t in (0..self.panels.len()).filter(|t| self.panels[*t] == panel) {
            self.mesh.triangles[t].swap(1, 2);
            self.flat[t].swap(1, 2);
            self.mesh.material[t].swap(1, 2);
            self.mesh.material[t].iter_mut().for_each(|m| *m = DVec2::new(-m.x, m.y));
            let back = |side: Option<Trail>| side.map(|s| Trail { from: s.to, to: s.from, ..s });
            let [a, b, c] = self.sides[t];
            self.sides[t] = [back(c), back(b), back(a)];
        }
    }
}
