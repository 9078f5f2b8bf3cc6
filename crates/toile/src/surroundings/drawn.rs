//! Obstacles as surfaces, for pictures and exports. Contact does not see these: round shapes are exactly round there.

use glam::DVec3;
use std::f64::consts::{PI, TAU};
use toile_contact::obstacle::{Form, Movement, Obstacle};
use toile_core::mesh::Mesh;
use toile_io::run::Props;
use toile_io::scene::Scene;
use toile_io::surface::Surface;

/// Sides of a round obstacle as it is drawn.
const SIDES: u32 = 64;

/// The obstacles of a scene as surfaces.
pub fn props(scene: &Scene) -> Props {
    let mut props = Props::default();
    let around = bounds(scene);
    for obstacle in &scene.obstacles {
        let body = &obstacle.body;
        if let Form::HalfSpace { point, normal } = &body.form
            && *normal == DVec3::Y
            && body.movement == Movement::Still
            && props.floor.is_none_or(|f| f < point.y)
        {
            props.floor = Some(point.y);
        }
        let mesh = mesh(&body.form, around);
        props.is_moving.push(body.movement != Movement::Still);
        props.is_endless.push(matches!(body.form, Form::HalfSpace { .. }));
        props.surfaces.push(Surface { name: body.name.clone(), mesh, parts: Vec::new(), colour: obstacle.colour });
    }
    props
}

/// Vertices of the drawn obstacles that move, at a time.
pub(crate) fn moved(scene: &Scene, props: &Props, time: f64) -> Vec<DVec3> {
    let mut all = Vec::new();
    for (k, obstacle) in scene.obstacles.iter().enumerate().filter(|(k, _)| props.is_moving[*k]) {
        all.extend(placed(&obstacle.body, &props.surfaces[k].mesh.positions, time));
    }
    all
}

fn placed(body: &Obstacle, rest: &[DVec3], time: f64) -> Vec<DVec3> {
    match &body.movement {
        Movement::Still => rest.to_vec(),
        Movement::Rigid(motion) => rest.iter().map(|p| motion.place(time, *p)).collect(),
        Movement::Frames { .. } => {
            let mut out = rest.to_vec();
            body.place(time, &mut out);
            out
        }
    }
}

/// Middle and radius of what has ends, at the start.
fn bounds(scene: &Scene) -> (DVec3, f64) {
    let cloth = scene.cloths.iter().flat_map(|c| &c.mesh.positions);
    let solid = scene.obstacles.iter().filter(|o| !matches!(o.body.form, Form::HalfSpace { .. }));
    let points = cloth.chain(solid.flat_map(|o| o.body.vertices())).copied();
    let (low, high) = points.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
    (0.5 * (low + high), 0.5 * low.distance(high))
}

fn mesh(form: &Form, (middle, radius): (DVec3, f64)) -> Mesh {
    let (positions, triangles) = match form {
        Form::Mesh { vertices, triangles, .. } => (vertices.clone(), triangles.clone()),
        Form::Round { vertices, edges, radius } if edges.is_empty() => {
            let balls: Vec<_> = vertices.iter().map(|v| capsule(*v, *v, *radius)).collect();
            joined(balls)
        }
        Form::Round { vertices, edges, radius } => {
            let ends = |e: &[u32; 2]| e.map(|v| vertices[v as usize]);
            joined(edges.iter().map(ends).map(|[a, b]| capsule(a, b, *radius)).collect())
        }
        Form::HalfSpace { point, normal } => {
            let foot = middle - normal.dot(middle - *point) * *normal;
            let (u, v) = normal.any_orthonormal_pair();
            let corner = |a: f64, b: f64| foot + 1.5 * radius * (a * u + b * v);
            let corners = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
            (corners, vec![[0, 1, 2], [0, 2, 3]])
        }
    };
    Mesh { positions, triangles, material: Vec::new() }
}

type Piece = (Vec<DVec3>, Vec<[u32; 3]>);

fn joined(pieces: Vec<Piece>) -> Piece {
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for (vertices, corners) in pieces {
        let first = positions.len() as u32;
        positions.extend(vertices);
        triangles.extend(corners.iter().map(|t| t.map(|v| first + v)));
    }
    (positions, triangles)
}

/// A capsule by rings about its axis, a ball where its ends are one.
fn capsule(from: DVec3, to: DVec3, radius: f64) -> Piece {
    let axis = (to - from).normalize_or(DVec3::Y);
    let (u, v) = axis.any_orthonormal_pair();
    let rings = SIDES / 2;
    let mut vertices = vec![from - radius * axis];
    let mut ring = |centre: DVec3, polar: f64| {
        for k in 0..SIDES {
            let angle = TAU * f64::from(k) / f64::from(SIDES);
            let out = polar.sin() * (angle.cos() * u + angle.sin() * v) - polar.cos() * axis;
            vertices.push(centre + radius * out);
        }
    };
    for k in 1..rings {
        let polar = PI * f64::from(k) / f64::from(rings);
        // The ring in the middle is there twice where the capsule has a length.
        if 2 * k == rings && from != to {
            ring(from, polar);
        }
        ring(if 2 * k < rings { from } else { to }, polar);
    }
    let count = (vertices.len() as u32 - 1) / SIDES;
    vertices.push(to + radius * axis);
    let last = vertices.len() as u32 - 1;
    let at = |ring: u32, k: u32| 1 + ring * SIDES + k % SIDES;
    let mut triangles = Vec::new();
    for k in 0..SIDES {
        triangles.push([0, at(0, k + 1), at(0, k)]);
        for r in 1..count {
            triangles.push([at(r - 1, k), at(r - 1, k + 1), at(r, k + 1)]);
            triangles.push([at(r - 1, k), at(r, k + 1), at(r, k)]);
        }
        triangles.push([at(count - 1, k), at(count - 1, k + 1), last]);
    }
    (vertices, triangles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Drawn balls and capsules are closed, face out and enclose nearly the volume they stand for.
    #[test]
    fn round_obstacles_are_closed_and_face_out() {
        for (to, volume) in [(DVec3::ZERO, 0.0), (DVec3::new(0.3, 0.4, 1.2), PI * 1.3)] {
            let (vertices, triangles) = capsule(DVec3::ZERO, to, 1.0);
            let mut edges = BTreeMap::new();
            let mut found = 0.0;
            for t in &triangles {
                let [a, b, c] = t.map(|v| vertices[v as usize]);
                found += a.dot(b.cross(c)) / 6.0;
                for k in 0..3 {
                    *edges.entry((t[k], t[(k + 1) % 3])).or_insert(0) += 1;
                }
            }
            assert!(edges.iter().all(|((a, b), n)| *n == 1 && edges.contains_key(&(*b, *a))));
            let exact = volume + 4.0 / 3.0 * PI;
            assert!((found / exact - 1.0).abs() < 0.01, "{found} {exact}");
        }
    }
}
