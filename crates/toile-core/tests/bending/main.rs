//! Bending models: the battery that every registered model passes, closed forms of plates, and equilibria of strips.

// Helpers of tests, outside of test functions: a failed unwrap is a failed test.
#![allow(clippy::unwrap_used)]

mod battery;
mod meshes;
mod plates;
mod rig;
mod strips;
