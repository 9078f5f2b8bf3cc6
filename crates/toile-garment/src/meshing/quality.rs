//! Figures that say how good triangles are.

use toile_core::mesh::Mesh;

/// Shape of the flat triangles of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    /// Smallest angle (rad); 60° at best.
    pub min_angle: f64,
    /// Largest angle (rad).
    pub max_angle: f64,
    /// Mean of 4√3 A / Σl²: 1 for equilateral triangles, 0 for flat ones.
    pub mean: f64,
    /// Worst of the same.
    pub min: f64,
    /// Mean length of triangle sides (m).
    pub mean_edge: f64,
}

/// Quality of the flat triangles of a mesh.
pub fn quality(mesh: &Mesh) -> Quality {
    let mut total = Quality { min_angle: f64::INFINITY, max_angle: 0.0, mean: 0.0, min: f64::INFINITY, mean_edge: 0.0 };
    for (t, corners) in mesh.material.iter().enumerate() {
        let mut squares = 0.0;
        for i in 0..3 {
            let (p, q) = (corners[(i + 1) % 3] - corners[i], corners[(i + 2) % 3] - corners[i]);
            let angle = p.perp_dot(q).atan2(p.dot(q));
            total.min_angle = total.min_angle.min(angle);
            total.max_angle = total.max_angle.max(angle);
            squares += p.length_squared();
            total.mean_edge += p.length() / 3.0;
        }
        let shape = 4.0 * 3f64.sqrt() * mesh.rest_area(t) / squares;
        total.mean += shape;
        total.min = total.min.min(shape);
    }
    let count = mesh.triangles.len().max(1) as f64;
    Quality { mean: total.mean / count, mean_edge: total.mean_edge / count, ..total }
}
