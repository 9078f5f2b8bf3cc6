//! Seams shut: vertices that are sewn together become one.

use super::{Cloth, Cut};
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
        let count = self.cloth.mesh.positions.len();
        let mut root: Vec<u32> = (0..count as u32).collect();
        fn find(root: &mut [u32], mut v: u32) -> u32 {
            while root[v as usize] != v {
                root[v as usize] = root[root[v as usize] as usize];
                v = root[v as usize];
            }
            v
        }
        for join in &self.joins {
            let [a, b] = join.ends.map(|v| find(&mut root, v));
            root[a.max(b) as usize] = a.min(b);
        }
        let mut numbers = vec![u32::MAX; count];
        let mut next = 0;
        for v in 0..count as u32 {
            let r = find(&mut root, v);
            if r == v {
                numbers[v as usize] = next;
                next += 1;
            } else {
                numbers[v as usize] = numbers[r as usize];
            }
        }
        numbers
    }

    /// Widest open seam at some positions (m), with its number; none without seams.
    pub fn widest(&self, positions: &[DVec3]) -> Option<(f64, u32)> {
        let open = |j: &super::Join| positions[j.ends[0] as usize].distance(positions[j.ends[1] as usize]);
        self.joins.iter().map(|j| (open(j), j.seam)).max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Cloth in one piece: vertices of a group lie in the middle of what they were. Shapes at rest do not change.
    pub fn weld(&self, positions: &[DVec3]) -> Result<Cloth, WeldError> {
        let groups = self.groups();
        let count = groups.iter().max().map_or(0, |g| *g as usize + 1);
        let mut sums = vec![(DVec3::ZERO, 0.0); count];
        for (v, &g) in groups.iter().enumerate() {
            sums[g as usize].0 += positions[v];
            sums[g as usize].1 += 1.0;
        }
        let mut cloth = self.cloth.clone();
        cloth.mesh.positions = sums.into_iter().map(|(sum, n)| sum / n).collect();
        cloth.mesh.triangles.iter_mut().for_each(|t| *t = t.map(|v| groups[v as usize]));
        cloth.orient()?;
        cloth.mesh.check().map_err(WeldError::Mesh)?;
        Ok(cloth)
    }
}
