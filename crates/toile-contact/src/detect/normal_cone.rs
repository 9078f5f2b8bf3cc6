//! The classical curvature test, for comparison: a connected patch does not cross itself if all its normals lie in one half
//! space and its outline, seen along the axis of that half space, does not cross itself (Volino and Magnenat-Thalmann 1994).
//!
//! It proves that nothing crosses, not that nothing is near: a fold may close to a hair's breadth under it. So pairs within reach
//! are lost, and it serves responses to crossings only; contact at a distance needs [`crate::monotone`]. Normals are
//! bounded over the whole motion, outlines are looked at its two ends.

use crate::tree::Tree;
use glam::{DVec2, DVec3};
use std::collections::{BTreeMap, BTreeSet};

/// Patches are as large as those of the monotone test.
const SIZES: std::ops::RangeInclusive<u32> = 8..=256;

/// Outlines of the patches of all cloth, and the normals they are tested with.
#[derive(Debug)]
pub(crate) struct NormalCones {
    corners: Vec<[u32; 3]>,
    /// Vertices about each node's patch; empty if it is no disc.
    outlines: Vec<Vec<u32>>,
    /// Leaves about each vertex and their outline.
    stars: Vec<(Vec<u32>, Vec<u32>)>,
    /// Of each leaf over the motion: control points of a quadratic Bézier curve.
    normals: Vec<[DVec3; 3]>,
    x: Vec<DVec3>,
    end: Vec<DVec3>,
}

impl NormalCones {
    pub(crate) fn new(tree: &Tree, vertex_count: usize) -> Self {
        let corners: Vec<[u32; 3]> = tree.leaves.iter().map(|l| l.corners).collect();
        let outline = |own: &[u32]| {
            let are_triangles = own.iter().all(|&l| tree.leaves[l as usize].size == 3);
            if are_triangles {
                outline(own.iter().map(|&l| corners[l as usize])).unwrap_or_default()
            } else {
                Vec::new()
            }
        };
        let of_node = |n: &crate::tree::Node| {
            let own: Vec<u32> = (n.first..n.first + n.count).collect();
            if SIZES.contains(&n.count) { outline(&own) } else { Vec::new() }
        };
        let outlines = tree.nodes.iter().map(of_node).collect();
        let mut stars = vec![Vec::new(); vertex_count];
        for (k, leaf) in tree.leaves.iter().enumerate() {
            leaf.corners.iter().for_each(|&v| stars[v as usize].push(k as u32));
        }
        let stars = stars.into_iter().map(|own| (outline(&own), own)).map(|(outline, own)| (own, outline)).collect();
        Self { corners, outlines, stars, normals: Vec::new(), x: Vec::new(), end: Vec::new() }
    }

    pub(crate) fn refit(&mut self, x: &[DVec3], d: Option<&[DVec3]>) {
        self.x = x.to_vec();
        self.end = d.map_or_else(|| x.to_vec(), |d| x.iter().zip(d).map(|(x, d)| *x + *d).collect());
        let normal = |t: &[u32; 3]| {
            let edges = |x: &[DVec3]| {
                let [a, b, c] = t.map(|v| x[v as usize]);
                (b - a, c - a)
            };
            let ((p, q), (r, s)) = (edges(&self.x), edges(&self.end));
            [p.cross(q), 0.5 * (p.cross(s) + r.cross(q)), r.cross(s)]
        };
        self.normals = self.corners.iter().map(normal).collect();
    }

    /// Is it sure that the leaves below a node do not cross?
    pub(crate) fn clears_node(&self, node: u32, tree: &Tree) -> bool {
        let n = tree.nodes[node as usize];
        self.clears(n.first..n.first + n.count, &self.outlines[node as usize])
    }

    /// Is it sure that the triangles about a vertex do not cross?
    pub(crate) fn clears_star(&self, vertex: u32) -> bool {
        let (own, outline) = &self.stars[vertex as usize];
        self.clears(own.iter().copied(), outline)
    }

    fn clears(&self, own: impl Iterator<Item = u32> + Clone, outline: &[u32]) -> bool {
        if outline.is_empty() {
            return false;
        }
        let axis = own.clone().map(|l| self.normals[l as usize][1]).sum::<DVec3>();
        let all_ahead = own.clone().all(|l| self.normals[l as usize].iter().all(|n| n.dot(axis) > 0.0));
        all_ahead && [&self.x, &self.end].iter().all(|x| is_simple(outline, x, axis.normalize()))
    }
}

/// The vertices about a disc of triangles that are wound alike, in order; nothing if they are no disc.
fn outline(triangles: impl Iterator<Item = [u32; 3]>) -> Option<Vec<u32>> {
    let mut sides = BTreeSet::new();
    let (mut vertices, mut count) = (BTreeSet::new(), 0);
    for t in triangles {
        count += 1;
        for k in 0..3 {
            vertices.insert(t[k]);
            if !sides.insert((t[k], t[(k + 1) % 3])) {
                return None;
            }
        }
    }
    let next: BTreeMap<u32, u32> = sides.iter().filter(|(a, b)| !sides.contains(&(*b, *a))).copied().collect();
    let outer = sides.iter().filter(|(a, b)| !sides.contains(&(*b, *a))).count();
    let edges = (sides.len() + outer) / 2;
    let &start = next.keys().next()?;
    let mut outline = vec![start];
    while let Some(&v) = next.get(&outline[outline.len() - 1])
        && v != start
        && outline.len() <= outer
    {
        outline.push(v);
    }
    // One simple outline and Euler's number of a disc.
    (outline.len() == outer && vertices.len() + count == edges + 1).then_some(outline)
}

/// Does the outline not cross itself, seen along the axis?
fn is_simple(outline: &[u32], x: &[DVec3], axis: DVec3) -> bool {
    let (u, v) = axis.any_orthonormal_pair();
    let seen: Vec<DVec2> = outline.iter().map(|&k| x[k as usize]).map(|p| DVec2::new(p.dot(u), p.dot(v))).collect();
    let n = seen.len();
    let side = |k: usize| (seen[k], seen[(k + 1) % n]);
    (0..n).all(|i| {
        let (a, b) = side(i);
        (i + 2..n).filter(|j| (j + 1) % n != i).all(|j| {
            let (c, d) = side(j);
            let turn = |p: DVec2, q: DVec2, r: DVec2| (q - p).perp_dot(r - p);
            turn(a, b, c) * turn(a, b, d) > 0.0 || turn(c, d, a) * turn(c, d, b) > 0.0
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::tests::{Scene, flat};
    use crate::detect::{Detector, Pruning};

    fn pairs(scene: &Scene, pruning: Pruning, reach: f64) -> usize {
        let mut detector = Detector::new(&scene.shapes, &scene.x, &scene.material).with_pruning(pruning);
        detector.detect(&scene.shapes, &scene.x, Some(&scene.d), reach).len()
    }

    /// It sees curvature, not nearness: flat cloth is cleared even where the reach spans neighbours, folded cloth is not.
    #[test]
    fn curved_patches_are_tested_and_flat_ones_are_not() {
        let mut scene = Scene::default();
        scene.sheet(8, |p| flat(p) + 0.002 * (60.0 * p.x).sin() * glam::DVec3::Y);
        assert_eq!(pairs(&scene, Pruning::NormalCone, 0.001), 0);
        let mut folded = Scene::default();
        folded.sheet(8, |p| if p.x > 0.043 { DVec3::new(0.086 - p.x, 0.002, p.y) } else { flat(p) });
        assert!(pairs(&folded, Pruning::NormalCone, 0.003) > 100);
        // A motion that folds it is seen, too.
        scene.d = folded.x.iter().zip(&scene.x).map(|(f, x)| *f - *x).collect();
        assert!(pairs(&scene, Pruning::NormalCone, 0.003) > 100);
    }

    /// All normals of a flat spiral ramp point up, but its outline crosses itself.
    #[test]
    fn outline_that_crosses_itself_is_not_cleared() {
        let at = |k: u32| {
            let angle = 0.5 * f64::from(k / 2);
            let radius = [0.02, 0.03][k as usize % 2];
            DVec3::new(radius * angle.cos(), 0.0001 * angle, -radius * angle.sin())
        };
        for (rungs, clear) in [(12, true), (16, false)] {
            let triangles: Vec<[u32; 3]> =
                (0..2 * rungs - 2).map(|k| [[k, k + 1, k + 2], [k + 1, k, k + 2]][k as usize % 2]).collect();
            let outline = outline(triangles.iter().copied()).unwrap();
            let x: Vec<DVec3> = (0..2 * rungs).map(at).collect();
            assert_eq!(outline.len(), x.len());
            assert_eq!(is_simple(&outline, &x, DVec3::Y), clear);
        }
    }
}
