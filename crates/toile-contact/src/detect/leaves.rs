//! What the trees are built over: triangles, bare edges and bare vertices, and who owns which vertex and edge.

use crate::shapes::Shapes;
use crate::tree::{Item, Leaf};
use glam::{DVec2, DVec3};
use std::collections::BTreeMap;

/// Leaves of all cloth, then of each obstacle.
pub(crate) fn items(shapes: &Shapes, x: &[DVec3], material: &[[DVec2; 3]]) -> Vec<Vec<Item>> {
    let panels = panels(shapes, material);
    let centres = patch_centres(shapes, x, &panels);
    let first_obstacle = shapes.bodies.iter().take_while(|b| b.is_cloth).count();
    let mut items: Vec<Vec<Item>> = (first_obstacle..=shapes.bodies.len()).map(|_| Vec::new()).collect();
    for leaf in leaves(shapes) {
        let group = (leaf.body as usize + 1).saturating_sub(first_obstacle);
        let corners = &leaf.corners[..leaf.size as usize];
        let in_space = corners.iter().map(|&v| x[v as usize]).sum::<DVec3>() / corners.len() as f64;
        let flat = material.get(leaf.triangle as usize).map(|m| ((m[0] + m[1] + m[2]) / 3.0).extend(0.0));
        let patch = panels.get(leaf.triangle as usize).copied().unwrap_or(u32::MAX);
        let patch_centre = centres.get(patch as usize).copied().unwrap_or(in_space);
        items[group].push(Item { leaf, place: flat.unwrap_or(in_space), patch, patch_centre });
    }
    items
}

/// All triangles, then the bare edges, then vertices that belong to neither. The first leaf that has a feature owns it.
fn leaves(shapes: &Shapes) -> Vec<Leaf> {
    let edge_of: BTreeMap<[u32; 2], u32> =
        shapes.edges.iter().enumerate().map(|(k, e)| ([e[0].min(e[1]), e[0].max(e[1])], k as u32)).collect();
    let mut vertex_is_owned = vec![false; shapes.vertex_count()];
    let mut edge_is_owned = vec![false; shapes.edges.len()];
    let mut leaf = |corners: &[u32], triangle: u32| {
        let last = corners.len() - 1;
        let mut leaf = Leaf {
            corners: std::array::from_fn(|k| corners[k.min(last)]),
            edges: [u32::MAX; 3],
            vertices: [u32::MAX; 3],
            edge_count: 0,
            vertex_count: 0,
            size: corners.len() as u8,
            triangle,
            body: shapes.body_of_vertex[corners[0] as usize],
        };
        for (k, &v) in corners.iter().enumerate() {
            if !std::mem::replace(&mut vertex_is_owned[v as usize], true) {
                leaf.vertices[leaf.vertex_count as usize] = v;
                leaf.vertex_count += 1;
            }
            let w = corners[(k + 1) % corners.len()];
            if let Some(&e) = edge_of.get(&[v.min(w), v.max(w)])
                && !std::mem::replace(&mut edge_is_owned[e as usize], true)
            {
                leaf.edges[leaf.edge_count as usize] = e;
                leaf.edge_count += 1;
            }
        }
        leaf
    };
    let mut leaves: Vec<Leaf> = shapes.triangles.iter().enumerate().map(|(k, t)| leaf(t, k as u32)).collect();
    leaves.extend(shapes.bare_edges.iter().map(|&e| leaf(&shapes.edges[e as usize], u32::MAX)));
    let mut is_used = vec![false; shapes.vertex_count()];
    leaves.iter().flat_map(|l| l.corners).for_each(|v| is_used[v as usize] = true);
    let bare = (0..shapes.vertex_count() as u32).filter(|&v| !is_used[v as usize]);
    leaves.extend(bare.map(|v| leaf(&[v], u32::MAX)));
    leaves
}

/// Panel of each cloth triangle: triangles are of one panel if they are joined by edges with the same flat ends.
pub(crate) fn panels(shapes: &Shapes, material: &[[DVec2; 3]]) -> Vec<u32> {
    let neighbours = neighbours(shapes, material);
    let mut panels = vec![u32::MAX; material.len()];
    let mut count = 0;
    for start in 0..material.len() {
        if panels[start] != u32::MAX {
            continue;
        }
        panels[start] = count;
        let mut stack = vec![start];
        while let Some(t) = stack.pop() {
            for &n in neighbours[t].iter().filter(|&&n| n != u32::MAX) {
                if panels[n as usize] == u32::MAX {
                    panels[n as usize] = count;
                    stack.push(n as usize);
                }
            }
        }
        count += 1;
    }
    panels
}

/// The triangle behind each side (from corner k to the next) of each cloth triangle that continues it in the flat state: the
/// same two vertices at the same flat places. `u32::MAX` where there is none (an outline, a seam, a dart) or more than one.
pub(crate) fn neighbours(shapes: &Shapes, material: &[[DVec2; 3]]) -> Vec<[u32; 3]> {
    let mut sides: BTreeMap<[u32; 2], Vec<(u32, usize)>> = BTreeMap::new();
    for (t, corners) in shapes.triangles[..material.len()].iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (corners[k], corners[(k + 1) % 3]);
            sides.entry([a.min(b), a.max(b)]).or_default().push((t as u32, k));
        }
    }
    let mut neighbours = vec![[u32::MAX; 3]; material.len()];
    for side in sides.values() {
        if let [(t, k), (u, l)] = side[..] {
            // Sides of neighbours run opposite ways if both are wound alike; a mirrored one is no continuation.
            let ends = |t: u32, k: usize| {
                let (m, v) = (&material[t as usize], &shapes.triangles[t as usize]);
                [(v[k], m[k]), (v[(k + 1) % 3], m[(k + 1) % 3])]
            };
            let (a, b) = (ends(t, k), ends(u, l));
            if a[0] == b[1] && a[1] == b[0] {
                neighbours[t as usize][k] = u;
                neighbours[u as usize][l] = t;
            }
        }
    }
    neighbours
}

fn patch_centres(shapes: &Shapes, x: &[DVec3], panels: &[u32]) -> Vec<DVec3> {
    let count = panels.iter().max().map_or(0, |&m| m as usize + 1);
    let mut sums = vec![(DVec3::ZERO, 0.0); count];
    for (&panel, corners) in panels.iter().zip(&shapes.triangles) {
        let sum = &mut sums[panel as usize];
        sum.0 += corners.iter().map(|&v| x[v as usize]).sum::<DVec3>();
        sum.1 += 3.0;
    }
    sums.into_iter().map(|(sum, count)| sum / count).collect()
}
