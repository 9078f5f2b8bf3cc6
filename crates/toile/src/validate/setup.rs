//! What experiments on sheets share: both kinds of mesh, places on them, numbers that look random.

use super::{ExperimentError, Parameter};
use glam::DVec3;
use toile_core::mesh::{Diagonal, Grid, Mesh};
use toile_garment::meshing::{self, Options};

/// The kind of mesh, a parameter of every experiment that has one.
pub(super) const MESH: Parameter = Parameter::word("mesh", &["structured", "unstructured"], "kind of mesh");

/// A rectangle of `size` (m) in the x–z plane, u along x and v along −z: squares of side `edge` (m) cut in two, or as many
/// irregular triangles.
pub(super) fn rectangle(kind: &str, size: [f64; 2], edge: f64) -> Result<Mesh, ExperimentError> {
    Ok(match kind {
        "unstructured" => {
            let edge = meshing::edge_for_triangles(edge * edge, 2);
            meshing::rectangle(size, &Options { jitter: 0.3, seed: 1, ..Options::of_edge(edge) })?
        }
        _ => {
            let cells = size.map(|s| (s / edge).round().clamp(1.0, 1e4) as usize);
            Grid { cells, size, diagonal: Diagonal::One }.mesh()
        }
    })
}

/// Vertices whose coordinate (0: x, 1: y, 2: z) is at a place (m).
pub(super) fn vertices_at(mesh: &Mesh, axis: usize, place: f64) -> Vec<u32> {
    let extent = mesh.positions.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    mesh.vertices_where(|p| (p[axis] - place).abs() < 1e-9 * extent)
}

/// Numbers that look random and are the same everywhere (splitmix64).
pub(super) struct Random(pub(super) u64);

impl Random {
    /// Even between −1 and 1.
    pub(super) fn signed(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as f64 / (u64::MAX as f64) * 2.0 - 1.0
    }

    /// A vector in the cube of side 2 about the origin.
    pub(super) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }
}

/// Runs an experiment with other settings on both kinds of mesh and expects every band to be met.
#[cfg(test)]
pub(super) fn expect_bands(experiment: &'static super::Experiment, changes: &[(&str, &str)]) {
    for mesh in ["structured", "unstructured"] {
        let mut settings = super::Settings::defaults(experiment);
        settings.set("mesh", mesh).unwrap();
        changes.iter().for_each(|(name, value)| settings.set(name, value).unwrap());
        let outcome = (experiment.run)(&settings).unwrap();
        let failed: Vec<_> = outcome.checks.iter().filter(|c| c.pass() == Some(false)).collect();
        assert!(failed.is_empty(), "{} on a {mesh} mesh: {failed:#?}", experiment.id);
    }
}
