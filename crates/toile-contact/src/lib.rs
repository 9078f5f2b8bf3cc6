//! Contact: what comes near what, what would pass through what, and what keeps them apart.
//!
//! Everything that touches is described by [`Shapes`]: vertices, edges and triangles with a radius. Cloth is triangles with
//! half its thickness as radius, a ball is one vertex with a large radius, a capsule one edge, a body a mesh.

pub mod barrier;
mod bodies;
pub mod ccd;
pub mod certify;
pub mod detect;
pub mod distance;
#[cfg(test)]
mod exact_grid;
pub mod geometric;
mod monotone;
pub mod obstacle;
pub mod shapes;
mod tree;
pub mod untangle;

pub use certify::{Certificate, certify};
pub use detect::{Candidates, Detector, Kind, Pruning};
pub use distance::Closest;
pub use shapes::{Body, Shapes};
