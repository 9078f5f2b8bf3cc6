//! Meshes to test on: structured, union jack, random Delaunay and stretched ones.

use glam::{DVec2, DVec3};
use toile_core::mesh::{Diagonal, Grid, Mesh};

/// Numbers in [0, 1), the same every time.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// In [−1, 1).
    pub(crate) fn signed(&mut self) -> f64 {
        2.0 * self.next() - 1.0
    }

    pub(crate) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }
}

/// Kinds of meshes of BENDING's study.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// One diagonal.
    Su,
    /// Union jack.
    Uj,
    /// Random Delaunay.
    Dr,
    /// Random Delaunay, stretched threefold along u.
    Dx,
    /// Stretched threefold along v.
    Dy,
}

pub(crate) const KINDS: [Kind; 5] = [Kind::Su, Kind::Uj, Kind::Dr, Kind::Dx, Kind::Dy];

/// Place of a point (u, v) of the flat sheet raised by w: weft along x, warp along −z, outside up.
pub(crate) fn place(u: f64, v: f64, w: f64) -> DVec3 {
    DVec3::new(u, w, -v)
}

/// A rectangle with about `n` elements along u.
pub(crate) fn rectangle(kind: Kind, size: [f64; 2], n: usize) -> Mesh {
    let across = ((n as f64 * size[1] / size[0]).round() as usize).max(1);
    match kind {
        Kind::Su => Grid { cells: [n, across], size, diagonal: Diagonal::One }.mesh(),
        Kind::Uj => Grid { cells: [n, across], size, diagonal: Diagonal::Alternating }.mesh(),
        Kind::Dr => delaunay(size, size[0] / n as f64, DVec2::ONE),
        Kind::Dx => delaunay(size, size[0] / n as f64, DVec2::new(3f64.sqrt(), 1.0 / 3f64.sqrt())),
        Kind::Dy => delaunay(size, size[0] / n as f64, DVec2::new(1.0 / 3f64.sqrt(), 3f64.sqrt())),
    }
}

/// Jittered hexagonal seeds of spacing h in the rectangle shrunk by `stretch`, triangulated there, stretched back.
fn delaunay(size: [f64; 2], h: f64, stretch: DVec2) -> Mesh {
    let box_size = DVec2::from_array(size) / stretch;
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let counts = [(box_size.x / h).round().max(1.0) as usize, (box_size.y / h).round().max(1.0) as usize];
    let mut points = Vec::new();
    for i in 0..counts[0] {
        let s = i as f64 / counts[0] as f64;
        points.push(DVec2::new(s, 0.0) * box_size);
        points.push(DVec2::new(1.0 - s, 1.0) * box_size);
    }
    for j in 0..counts[1] {
        let s = j as f64 / counts[1] as f64;
        points.push(DVec2::new(1.0, s) * box_size);
        points.push(DVec2::new(0.0, 1.0 - s) * box_size);
    }
    let rows = (box_size.y / (0.866 * h)).round().max(1.0) as usize;
    for j in 1..rows {
        let y = box_size.y * j as f64 / rows as f64;
        let mut x = if j % 2 == 0 { h } else { 0.5 * h };
        while x < box_size.x {
            let p = DVec2::new(x + 0.25 * h * random.signed(), y + 0.25 * h * random.signed());
            let margin = p.min(box_size - p).min_element();
            if margin > 0.4 * h {
                points.push(p);
            }
            x += h;
        }
    }
    let mut mesh = Mesh::default();
    // Sides bulge a little while triangulating: points in a line have no Delaunay triangulation of their own.
    let bulge = |p: &DVec2| {
        let s = *p / box_size - 0.5;
        let side = DVec2::new(2.0 * s.x * (0.25 - s.y * s.y), 2.0 * s.y * (0.25 - s.x * s.x));
        *p + 1e-3
            * h
            * DVec2::new(
                if s.x.abs() > 0.5 - 1e-9 { side.x } else { 0.0 },
                if s.y.abs() > 0.5 - 1e-9 { side.y } else { 0.0 },
            )
    };
    for t in triangulate(&points.iter().map(bulge).collect::<Vec<_>>()) {
        mesh.triangles.push(t.map(|i| i as u32));
        mesh.material.push(t.map(|i| points[i] * stretch));
    }
    mesh.positions = points.iter().map(|p| *p * stretch).map(|p| place(p.x, p.y, 0.0)).collect();
    assert!((mesh.total_rest_area() / (size[0] * size[1]) - 1.0).abs() < 1e-9, "the triangulation has holes");
    mesh.check().unwrap();
    mesh
}

/// Bowyer–Watson, counter-clockwise triangles.
fn triangulate(points: &[DVec2]) -> Vec<[usize; 3]> {
    let n = points.len();
    let reach = points.iter().fold(0.0f64, |a, p| a.max(p.length())) * 1e3;
    let mut all = points.to_vec();
    all.extend([DVec2::new(-reach, -reach), DVec2::new(reach, -reach), DVec2::new(0.0, reach)]);
    let mut triangles = vec![[n, n + 1, n + 2]];
    for i in 0..n {
        let inside = |t: &[usize; 3]| {
            let [a, b, c] = t.map(|k| all[k] - all[i]);
            let rows = [a, b, c].map(|p| p.length_squared());
            rows[0] * b.perp_dot(c) + rows[1] * c.perp_dot(a) + rows[2] * a.perp_dot(b) > 0.0
        };
        let (bad, mut good): (Vec<_>, Vec<_>) = triangles.into_iter().partition(inside);
        for t in &bad {
            for k in 0..3 {
                let (p, q) = (t[k], t[(k + 1) % 3]);
                if !bad.iter().any(|o| (0..3).any(|m| (o[m], o[(m + 1) % 3]) == (q, p))) {
                    good.push([p, q, i]);
                }
            }
        }
        triangles = good;
    }
    let area = |t: &[usize; 3]| (all[t[1]] - all[t[0]]).perp_dot(all[t[2]] - all[t[0]]);
    let least = 1e-9 * points.iter().fold(0.0f64, |a, p| a.max(p.length_squared()));
    triangles.retain(|t| t.iter().all(|&k| k < n) && area(t) > least);
    triangles
}

/// Turns the material axes of the triangles with u above `limit` by `angle` and moves them away, as a panel sewn to the rest.
pub(crate) fn with_seam(mut mesh: Mesh, limit: f64, angle: f64) -> Mesh {
    let turn = DVec2::from_angle(angle);
    for corners in &mut mesh.material {
        if corners.iter().map(|c| c.x).sum::<f64>() > 3.0 * limit {
            *corners = corners.map(|c| turn.rotate(c) + DVec2::new(3.0, -7.0));
        }
    }
    mesh
}
