//! Garment construction: from flat shapes to meshes that the mechanics can carry.

pub mod draft;
pub mod meshing;
pub mod pattern;
