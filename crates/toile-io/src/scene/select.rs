//! Which vertices a grip or line means.

use super::file::{Corner, EdgeName, Grip};
use super::shape::{Panel, middle};
use glam::{DVec2, DVec3};
use std::collections::BTreeSet;
use toile_core::mesh::{Mesh, Topology};

/// A key inside a grip, and what is wrong there.
pub(super) type Fault = (&'static str, String);

/// Vertices of a grip, ascending.
pub(super) fn vertices(grip: &Grip, panel: &Panel) -> Result<Vec<u32>, Fault> {
    let mesh = &panel.mesh;
    let mut chosen = BTreeSet::new();
    for corner in &grip.corners {
        let [w, h] = panel.size.ok_or_else(|| ("corners", only_rectangles("corners")))?;
        let place = match corner {
            Corner::BottomLeft => DVec2::ZERO,
            Corner::BottomRight => DVec2::new(w, 0.0),
            Corner::TopLeft => DVec2::new(0.0, h),
            Corner::TopRight => DVec2::new(w, h),
        };
        chosen.extend(nearest(&panel.flat, |p| p.distance_squared(place)));
    }
    for edge in &grip.edges {
        chosen.extend(along(*edge, panel)?);
    }
    if grip.centre {
        let centre = middle(&mesh.positions);
        chosen.extend(nearest(&mesh.positions, |p| p.distance_squared(centre)));
    }
    if let Some([low, high]) = grip.within_m.map(|b| b.map(DVec3::from)) {
        let inside = |p: DVec3| p.cmpge(low).all() && p.cmple(high).all();
        let found = mesh.vertices_where(inside);
        if found.is_empty() {
            return Err(("within_m", "no vertex starts inside this box".into()));
        }
        chosen.extend(found);
    }
    for place in &grip.nearest_m {
        chosen.extend(nearest(&mesh.positions, |p| p.distance_squared(DVec3::from(*place))));
    }
    for &vertex in &grip.vertices {
        if vertex as usize >= mesh.vertex_count() {
            let count = mesh.vertex_count();
            return Err(("vertices", format!("there is no vertex {vertex}: the cloth has {count}, counted from 0")));
        }
        chosen.insert(vertex);
    }
    if chosen.is_empty() {
        return Err(("", "chooses no vertex: give corners, edges, centre, within_m, nearest_m or vertices".into()));
    }
    Ok(chosen.into_iter().collect())
}

fn only_rectangles(what: &str) -> String {
    format!("only rectangles have {what}: use \"rim\", within_m, nearest_m or vertices")
}

fn nearest<T: Copy>(list: &[T], distance: impl Fn(T) -> f64) -> Option<u32> {
    (0..list.len()).min_by(|&a, &b| distance(list[a]).total_cmp(&distance(list[b]))).map(|i| i as u32)
}

/// Vertices of an edge, in order along it; those of a rim ascending.
pub(super) fn along(edge: EdgeName, panel: &Panel) -> Result<Vec<u32>, Fault> {
    if edge == EdgeName::Rim {
        return Ok(rim(&panel.mesh));
    }
    let [w, h] = panel.size.ok_or_else(|| ("edges", only_rectangles("named edges")))?;
    let near = 1e-9 * (w + h);
    let on = |p: &DVec2| match edge {
        EdgeName::Left => p.x < near,
        EdgeName::Right => p.x > w - near,
        EdgeName::Bottom => p.y < near,
        EdgeName::Top => p.y > h - near,
        EdgeName::Rim => false,
    };
    let mut list: Vec<u32> = (0..panel.flat.len() as u32).filter(|&i| on(&panel.flat[i as usize])).collect();
    let sum = |i: u32| panel.flat[i as usize].x + panel.flat[i as usize].y;
    list.sort_by(|&a, &b| sum(a).total_cmp(&sum(b)));
    Ok(list)
}

fn rim(mesh: &Mesh) -> Vec<u32> {
    let edges = Topology::new(mesh).map(|t| t.edges).unwrap_or_default();
    let rim = edges.iter().filter(|e| e.triangles[1] == Topology::NONE).flat_map(|e| e.vertices);
    rim.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Vertices on a broken line of the panel, in order.
pub(super) fn on_points(points: &[[f64; 2]], panel: &Panel) -> Result<Vec<u32>, Fault> {
    if panel.flat.is_empty() {
        return Err(("points_m", "lines by points need a shape that is meshed here, not a file".into()));
    }
    let mut chain: Vec<u32> = Vec::new();
    for pair in points.windows(2) {
        let (a, b) = (DVec2::from(pair[0]), DVec2::from(pair[1]));
        let length = a.distance(b);
        if !(length > 0.0) {
            return Err(("points_m", "two points in a row are the same".into()));
        }
        let way = (b - a) / length;
        let mut on: Vec<(f64, u32)> = Vec::new();
        for (i, p) in panel.flat.iter().enumerate() {
            let (along, across) = ((*p - a).dot(way), (*p - a).perp_dot(way).abs());
            if across < 1e-7 * length && along > -1e-7 * length && along < length * (1.0 + 1e-7) {
                on.push((along, i as u32));
            }
        }
        on.sort_by(|p, q| p.0.total_cmp(&q.0));
        for (_, i) in on {
            if chain.last() != Some(&i) {
                chain.push(i);
            }
        }
    }
    if chain.len() < 2 {
        return Err(("points_m", "fewer than two vertices lie on the line: is it inside the panel, in metres?".into()));
    }
    Ok(chain)
}

/// Mean unit normal of the triangles at the given vertices.
pub(super) fn normal(mesh: &Mesh, vertices: &[u32]) -> Option<DVec3> {
    let held: BTreeSet<u32> = vertices.iter().copied().collect();
    let mut sum = DVec3::ZERO;
    for t in mesh.triangles.iter().filter(|t| t.iter().any(|v| held.contains(v))) {
        let [a, b, c] = t.map(|i| mesh.positions[i as usize]);
        sum += (b - a).cross(c - a);
    }
    sum.try_normalize()
}
