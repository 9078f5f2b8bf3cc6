//! Garment construction: from flat shapes to meshes that the mechanics can carry.

pub mod cloth;
pub mod drape;
pub mod meshing;
pub mod pattern;
