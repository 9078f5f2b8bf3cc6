//! Bending models: the battery that every registered model passes, closed forms of plates, and equilibria of strips.

mod battery;
mod meshes;
mod plates;
mod rig;
mod strips;
