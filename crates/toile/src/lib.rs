//! Toile's facade: scenes and virtual tests over the mechanics, plots, and the published experiments.

pub mod bench;
pub mod dress;
pub mod fabrics;
pub mod lab;
pub mod nearest;
pub mod plot;
pub mod registry;
pub mod render;
pub mod results;
pub mod run;
pub mod simulation;
pub mod surroundings;
pub mod validate;

pub use toile_io as io;
