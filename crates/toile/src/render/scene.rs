//! All that is drawn, as one list of triangles with smooth normals; how it is painted is told apart from it.

use super::raster::Spot;
use super::{Drawn, RenderError};
use glam::{DVec2, DVec3};
use toile_io::surface::Surface;

/// Surfaces ready to be drawn.
pub(super) struct Scene<'a> {
    pub(super) positions: Vec<DVec3>,
    /// Smooth normals of the vertices.
    normals: Vec<DVec3>,
    pub(super) triangles: Vec<Triangle>,
    surfaces: Vec<&'a Surface>,
    /// Vertices of the surfaces before.
    offsets: Vec<usize>,
}

/// A triangle of one of the surfaces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Triangle {
    /// Numbers of its vertices among all.
    pub(super) corners: [u32; 3],
    /// Number of its surface.
    surface: u32,
    /// Its number in the surface.
    index: u32,
}

/// A point of a surface as the lamps and the eye see it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) position: DVec3,
    /// Smooth, towards the eye.
    pub(super) normal: DVec3,
    /// Where light is caught: on the smooth surface that the triangles stand for.
    pub(super) raised: DVec3,
    /// Is the inside seen?
    pub(super) is_back: bool,
}

impl<'a> Scene<'a> {
    pub(super) fn new(drawn: &[Drawn<'a>]) -> Result<Self, RenderError> {
        let mut scene = Self {
            positions: Vec::new(),
            normals: Vec::new(),
            triangles: Vec::new(),
            surfaces: Vec::new(),
            offsets: Vec::new(),
        };
        for (number, item) in drawn.iter().enumerate() {
            check(item)?;
            let offset = scene.positions.len();
            let members = item.surface.mesh.triangles.iter().enumerate();
            let is_whole = |corners: &[u32; 3]| corners.iter().all(|&v| item.positions[v as usize].is_finite());
            let triangles = members.filter(|(_, corners)| is_whole(corners)).map(|(index, corners)| Triangle {
                corners: corners.map(|v| offset as u32 + v),
                surface: number as u32,
                index: index as u32,
            });
            scene.triangles.extend(triangles);
            scene.positions.extend(item.positions);
            scene.surfaces.push(item.surface);
            scene.offsets.push(offset);
        }
        scene.normals = normals(&scene.positions, &scene.triangles);
        Ok(scene)
    }

    pub(super) fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].corners.map(|v| self.positions[v as usize])
    }

    /// The vertices of all triangles.
    pub(super) fn seen(&self) -> impl Iterator<Item = DVec3> + '_ {
        self.triangles.iter().flat_map(|t| t.corners.map(|v| self.positions[v as usize]))
    }

    /// Number of the surface of a spot.
    pub(super) fn surface(&self, spot: &Spot) -> usize {
        self.triangles[spot.triangle].surface as usize
    }

    /// Place and normals of a spot, seen from the eye.
    pub(super) fn point(&self, spot: &Spot, eye: DVec3) -> Point {
        let [a, b, c] = self.corners(spot.triangle);
        let position = mix(spot.weights, [a, b, c]);
        let view = (eye - position).normalize_or_zero();
        let outward = (b - a).cross(c - a).normalize_or_zero();
        let is_back = outward.dot(view) < 0.0;
        let sign = if is_back { -1.0 } else { 1.0 };
        let normals = self.triangles[spot.triangle].corners.map(|v| sign * self.normals[v as usize]);
        // Lifted to the tangent planes of the corners where the surface bulges: else flat triangles would shade themselves
        // where light grazes (Hanika 2021).
        let planes = [(a, normals[0]), (b, normals[1]), (c, normals[2])];
        let raised = position + mix(spot.weights, planes.map(|(p, n)| (p - position).dot(n).max(0.0) * n));
        let normal = mix(spot.weights, normals).normalize_or(sign * outward);
        // At an outline the smooth normal may look away from the eye: it is bent back until it is seen edge-on.
        let normal = (normal - normal.dot(view).min(0.0) * view).normalize_or(sign * outward);
        Point { position, normal, raised, is_back }
    }

    /// Material coordinates (m) at a spot and their change to the next pixels; None if the surface has none.
    pub(super) fn material(&self, spot: &Spot) -> Option<[DVec2; 3]> {
        let triangle = self.triangles[spot.triangle];
        let [a, b, c] = *self.surfaces[triangle.surface as usize].mesh.material.get(triangle.index as usize)?;
        let at = |w: DVec3| w.x * a + w.y * b + w.z * c;
        let [right, below] = spot.slopes();
        Some([at(spot.weights), at(right), at(below)])
    }

    /// Numbers of the vertices of a spot's triangle in its own surface.
    pub(super) fn vertices(&self, spot: &Spot) -> [usize; 3] {
        let triangle = self.triangles[spot.triangle];
        triangle.corners.map(|v| v as usize - self.offsets[triangle.surface as usize])
    }
}

fn check(item: &Drawn) -> Result<(), RenderError> {
    let (mesh, name) = (&item.surface.mesh, || item.surface.name.clone());
    let count = mesh.positions.len();
    if item.positions.len() != count {
        return Err(RenderError::Positions { name: name(), vertices: count, positions: item.positions.len() });
    }
    for (triangle, corners) in mesh.triangles.iter().enumerate() {
        if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= count) {
            return Err(RenderError::Index { name: name(), triangle, vertex, count });
        }
    }
    Ok(())
}

fn mix(weights: DVec3, [a, b, c]: [DVec3; 3]) -> DVec3 {
    weights.x * a + weights.y * b + weights.z * c
}

/// Normals of the vertices: those of the triangles, weighted by their angle there, so that the mesh does not show.
fn normals(positions: &[DVec3], triangles: &[Triangle]) -> Vec<DVec3> {
    let mut sums = vec![DVec3::ZERO; positions.len()];
    for triangle in triangles {
        let p = triangle.corners.map(|v| positions[v as usize]);
        let normal = (p[1] - p[0]).cross(p[2] - p[0]).normalize_or_zero();
        for k in 0..3 {
            let (a, b) = (p[(k + 1) % 3] - p[k], p[(k + 2) % 3] - p[k]);
            let angle = a.cross(b).length().atan2(a.dot(b));
            sums[triangle.corners[k] as usize] += angle * normal;
        }
    }
    sums.into_iter().map(DVec3::normalize_or_zero).collect()
}
