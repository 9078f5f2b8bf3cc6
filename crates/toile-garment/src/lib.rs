//! Garment construction: from flat shapes to meshes that the mechanics can carry.

pub mod cloth;
pub mod meshing;
pub mod pattern;
