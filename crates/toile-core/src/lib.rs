//! Mechanics of cloth: meshes, fabric laws, forces, linear solvers and integrators.
//!
//! Pure: no files, no clock, no printing. SI units and `f64` throughout; strain and stress are ordered
//! (uu, vv, uv) = (weft, warp, engineering shear) everywhere.
//!
//! The way through the crate: a [`mesh::Mesh`] and a [`fabric::Fabric`] make forces ([`force`], [`bending`]), forces
//! and pins make a [`system::System`], and an integrator of [`integrate`] carries its [`system::State`] in time.

pub mod bending;
pub mod contact;
pub mod fabric;
pub mod force;
pub mod integrate;
pub mod lane;
pub mod law;
pub mod linalg;
pub mod membrane;
pub mod memory;
pub mod mesh;
pub mod parallel;
pub mod system;
pub mod tensile;
