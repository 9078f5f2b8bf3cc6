//! Samples: rectangles cut at an angle to the threads.

use super::{LabError, within};
use std::f64::consts::FRAC_PI_2;
use toile_core::mesh::{Diagonal, Grid, Mesh};
use toile_garment::meshing::{self, Options, edge_for_triangles};

/// Which threads run along the pull.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Weft.
    #[default]
    Weft,
    /// Warp.
    Warp,
}

impl Direction {
    /// Name in commands and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Weft => "weft",
            Self::Warp => "warp",
        }
    }

    /// Angle of the weft to the pull (rad).
    pub fn grain(self) -> f64 {
        match self {
            Self::Weft => 0.0,
            Self::Warp => FRAC_PI_2,
        }
    }

    /// Mode of a law: 0 weft, 1 warp.
    pub fn mode(self) -> usize {
        match self {
            Self::Weft => 0,
            Self::Warp => 1,
        }
    }
}

/// Kind of mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MeshKind {
    /// Delaunay triangles of a disturbed lattice: no direction is favoured.
    #[default]
    Unstructured,
    /// Squares cut along one diagonal.
    Structured,
}

/// How a sample is cut into triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Specimen {
    /// About this many triangles.
    pub triangles: usize,
    /// Kind of mesh.
    pub mesh: MeshKind,
}

impl Default for Specimen {
    /// The 2500 unstructured triangles of Volino09 §4.1.
    fn default() -> Self {
        Self { triangles: 2500, mesh: MeshKind::Unstructured }
    }
}

impl Specimen {
    /// A rectangle (m) with the pull along x, weft at `grain` (rad) to it. Lies in x–z, facing +y: panel (x, y) is (x, 0, −y).
    pub(super) fn rectangle(&self, size: [f64; 2], grain: f64) -> Result<Mesh, LabError> {
        within("triangles", self.triangles as f64, [8.0, 1e6], "")?;
        let area = size[0] * size[1];
        match self.mesh {
            MeshKind::Unstructured => {
                let edge = edge_for_triangles(area, self.triangles);
                let options = Options { jitter: 0.3, seed: 1, grain, ..Options::of_edge(edge) };
                Ok(meshing::rectangle(size, &options)?)
            }
            MeshKind::Structured => {
                let edge = (2.0 * area / self.triangles as f64).sqrt();
                let cells = size.map(|s| (s / edge).round().max(1.0) as usize);
                Ok(Grid { cells, size, diagonal: Diagonal::One }.mesh().with_grain(grain))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sample_has_its_size_and_about_its_triangles() {
        for mesh in [MeshKind::Unstructured, MeshKind::Structured] {
            for grain in [0.0, 0.7, FRAC_PI_2] {
                let sheet = Specimen { triangles: 400, mesh }.rectangle([0.05, 0.2], grain).unwrap();
                sheet.check().unwrap();
                assert!((sheet.total_rest_area() - 0.01).abs() < 1e-14);
                assert!((300..500).contains(&sheet.triangles.len()), "{}", sheet.triangles.len());
            }
        }
        assert!(matches!(
            Specimen { triangles: 2, ..Specimen::default() }.rectangle([0.05, 0.2], 0.0),
            Err(LabError::Setting { name: "triangles", .. })
        ));
    }
}
