//! Cloth: the panels of a garment as meshes, first cut and placed, then sewn into one, then refined.
//!
//! The way of a garment: edges that are sewn together are divided alike (`divide`), each panel is meshed and placed
//! ([`cut`]), what the seams join becomes one vertex ([`Cut::weld`]), and triangles are split in four ([`Cloth::refine`]):
//! new vertices lie on the old triangles, so cloth that crosses nothing still crosses nothing. When the pattern changes, the same mesh takes
//! its new shapes ([`Cloth::redrawn`]), or a new mesh its places in space from the old one ([`Cloth::carry`]).

mod carry;
mod cut;
mod divide;
mod mapping;
mod orient;
mod refine;
mod stand;
mod ties;
mod weld;

pub use cut::{CutError, cut};
pub use mapping::MappingError;
pub use stand::{Bow, Stand, Taper};
pub(crate) use ties::groups;
pub use weld::WeldError;

use crate::pattern::{Of, Panel};
use glam::DVec2;
use std::ops::Range;
use toile_core::mesh::Mesh;

/// Meshed panels, cut apart or sewn together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cloth {
    /// Vertices in the world, triangles counter-clockwise seen from outside, material coordinates by the grain.
    pub mesh: Mesh,
    /// Places of the corners on their panel (m).
    pub flat: Vec<[DVec2; 3]>,
    /// Panel of each triangle.
    pub panels: Vec<u32>,
    /// Where the side from each corner to the next lies on an edge or line of the pattern.
    pub sides: Vec<[Option<Trail>; 3]>,
    /// Vertices that lie on each other without being one: layers sewn onto a line or into a seam of others.
    pub ties: Vec<[u32; 2]>,
    /// How the weave of each panel lies.
    weaves: Vec<Weave>,
}

impl Cloth {
    /// Cloth of several garments as one, vertices and panels numbered through; nothing is joined.
    pub fn together<'a>(cloths: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut all = Self::default();
        for cloth in cloths {
            let (vertices, panels) = (all.mesh.positions.len() as u32, all.weaves.len() as u32);
            all.mesh.positions.extend_from_slice(&cloth.mesh.positions);
            all.mesh.triangles.extend(cloth.mesh.triangles.iter().map(|t| t.map(|v| v + vertices)));
            all.mesh.material.extend_from_slice(&cloth.mesh.material);
            all.flat.extend_from_slice(&cloth.flat);
            all.panels.extend(cloth.panels.iter().map(|p| p + panels));
            all.sides.extend_from_slice(&cloth.sides);
            all.weaves.extend_from_slice(&cloth.weaves);
        }
        all
    }
}

/// Part of an edge or line, as fractions of its length at both ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trail {
    /// Which edge or line.
    pub of: Of,
    /// At the start of the side.
    pub from: f64,
    /// At its end.
    pub to: f64,
}

/// Two vertices of cut cloth that a seam makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Join {
    /// Which seam.
    pub seam: u32,
    /// The vertices.
    pub ends: [u32; 2],
}

/// Cut cloth: panels one after the other, and what joins them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cut {
    /// The panels.
    pub cloth: Cloth,
    /// Vertices of each panel.
    pub vertices: Vec<Range<u32>>,
    /// Where each panel starts.
    pub stands: Vec<Stand>,
    /// What seams join. Vertices that are one already (the point of a dart) are left out.
    pub joins: Vec<Join>,
    /// What seams hold on each other where joining it would leave no surface: three layers at a line.
    pub ties: Vec<Join>,
}

/// How the weave lies in a panel.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Weave {
    turn: DVec2,
    faces_back: bool,
}

impl Weave {
    fn of(panel: &Panel) -> Self {
        Self { turn: DVec2::from_angle(-panel.grain), faces_back: panel.signed_area() < 0.0 }
    }

    /// Material coordinates (m) of a place on the panel. Seen from its right side a panel that runs clockwise is mirrored, and so is its
    /// weave.
    fn material(&self, p: DVec2) -> DVec2 {
        let m = self.turn.rotate(p);
        if self.faces_back { DVec2::new(-m.x, m.y) } else { m }
    }
}

#[cfg(test)]
mod tests;
