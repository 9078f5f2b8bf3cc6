//! Seams shut: vertices that are sewn together become one.

use super::ties::groups;
use super::{Cloth, Cut, Join};
use glam::DVec3;
use toile_core::mesh::MeshError;

/// Why panels cannot be made one piece.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WeldError {
    /// The right side of a panel would have to be its wrong side.
    #[error("panel {panel} is sewn so that its right side comes to lie on its wrong side: turn one of its seams round")]
    OneSided {
        /// Number of the panel.
        panel: u32,
    },
    /// What is sewn is no surface.
    #[error("the sewn mesh does not serve: {0}")]
    Mesh(MeshError),
}

impl Cut {
    /// The same number for vertices that are to become one, numbered as they come: what the vertices of the welded cloth will be.
    pub fn groups(&self) -> Vec<u32> {
        groups(self.cloth.mesh.positions.len(), self.joins.iter().map(|j| j.ends))
    }

    /// The same number for vertices that are to come to one place, welded or not.
    pub fn joined(&self) -> Vec<u32> {
        groups(self.cloth.mesh.positions.len(), self.sewn().map(|j| j.ends))
    }

    /// All that seams bring together.
    pub fn sewn(&self) -> impl Iterator<Item = &Join> {
        self.joins.iter().chain(&self.ties)
    }

    /// Widest open seam at some positions (m), with its number; none without seams.
    pub fn widest(&self, positions: &[DVec3]) -> Option<(f64, u32)> {
        let open = |j: &Join| positions[j.ends[0] as usize].distance(positions[j.ends[1] as usize]);
        self.sewn().map(|j| (open(j), j.seam)).max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Cloth in one piece: vertices of a group lie in the middle of what they were, and so do those that are held on each other. Shapes
    /// at rest do not change.
    pub fn weld(&self, positions: &[DVec3]) -> Result<Cloth, WeldError> {
        let (groups, places) = (self.groups(), self.joined());
        let count = groups.iter().max().map_or(0, |g| *g as usize + 1);
        let mut sums = vec![(DVec3::ZERO, 0.0); count];
        for (v, &place) in places.iter().enumerate() {
            sums[place as usize].0 += positions[v];
            sums[place as usize].1 += 1.0;
        }
        let mut cloth = self.cloth.clone();
        cloth.mesh.positions = vec![DVec3::ZERO; count];
        for (&group, &place) in groups.iter().zip(&places) {
            let (sum, n) = sums[place as usize];
            cloth.mesh.positions[group as usize] = sum / n;
        }
        cloth.mesh.triangles.iter_mut().for_each(|t| *t = t.map(|v| groups[v as usize]));
        let ties = self.ties.iter().map(|j| j.ends.map(|v| groups[v as usize]));
        cloth.set_ties(ties);
        cloth.orient()?;
        cloth.mesh.check().map_err(WeldError::Mesh)?;
        Ok(cloth)
    }
}
