//! Garment construction: from flat shapes to meshes that the mechanics can carry.

pub mod body;
pub mod meshing;
