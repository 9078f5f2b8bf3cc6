//! Garment construction: bodies, patterns and the way from flat panels to a sewn garment that rests on a body.

pub mod body;
pub mod cloth;
pub mod draft;
pub mod drape;
pub mod fit;
pub mod meshing;
pub mod pattern;
mod sparse;
