//! Structured rectangles.

use super::Mesh;
use glam::{DVec2, DVec3};

/// How the cells of a grid are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Diagonal {
    /// All diagonals the same way.
    One,
    /// Diagonals alternate like a chess board (union jack).
    Alternating,
}

/// A rectangle of `cells` in u and v, `size` in metres; lies in the x–z plane facing +y, corner at the origin, u along +x and
/// v along −z, so that weft, warp and the upward normal are right-handed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Cells along u and v.
    pub cells: [usize; 2],
    /// Extent along u and v (m).
    pub size: [f64; 2],
    /// Cutting of the cells.
    pub diagonal: Diagonal,
}

impl Grid {
    /// Vertex at column i (u) and row j (v).
    pub fn vertex(&self, i: usize, j: usize) -> u32 {
        (j * (self.cells[0] + 1) + i) as u32
    }

    /// Makes the mesh, row by row.
    pub fn mesh(&self) -> Mesh {
        let [nu, nv] = self.cells;
        let place =
            |i: usize, j: usize| DVec2::new(self.size[0] * i as f64 / nu as f64, self.size[1] * j as f64 / nv as f64);
        let mut mesh = Mesh::default();
        for j in 0..=nv {
            for i in 0..=nu {
                let m = place(i, j);
                mesh.positions.push(DVec3::new(m.x, 0.0, -m.y));
            }
        }
        for j in 0..nv {
            for i in 0..nu {
                let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
                let forward = self.diagonal == Diagonal::One || (i + j) % 2 == 0;
                let cut: [[usize; 3]; 2] = if forward { [[0, 1, 2], [0, 2, 3]] } else { [[0, 1, 3], [1, 2, 3]] };
                for t in cut {
                    mesh.triangles.push(t.map(|k| self.vertex(corners[k].0, corners[k].1)));
                    mesh.material.push(t.map(|k| place(corners[k].0, corners[k].1)));
                }
            }
        }
        mesh
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grid_has_its_area_and_faces_up() {
        for diagonal in [Diagonal::One, Diagonal::Alternating] {
            let mesh = Grid { cells: [5, 3], size: [0.5, 0.6], diagonal }.mesh();
            mesh.check().unwrap();
            assert!((mesh.total_rest_area() - 0.3).abs() < 1e-15);
            let [a, b, c] = mesh.triangles[0].map(|i| mesh.positions[i as usize]);
            assert!((b - a).cross(c - a).y > 0.0);
        }
    }

    /// A lumped triangle turns four times as heavily as a solid one (VALIDATION trap 8): M/9·Σl² against M/36·Σl².
    #[test]
    fn lumped_rotational_inertia_is_four_times_the_plate() {
        let mesh = Grid { cells: [1, 1], size: [0.3, 0.2], diagonal: Diagonal::One }.mesh();
        let [a, b, c] = mesh.triangles[0].map(|i| mesh.positions[i as usize]);
        let mass = mesh.rest_area(0);
        let centre = (a + b + c) / 3.0;
        let lumped: f64 = [a, b, c].iter().map(|p| mass / 3.0 * p.distance_squared(centre)).sum();
        let sides = a.distance_squared(b) + b.distance_squared(c) + c.distance_squared(a);
        assert!((lumped - mass / 9.0 * sides).abs() < 1e-15);
    }
}
