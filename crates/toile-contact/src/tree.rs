//! A binary tree of moving bounds, built once and refitted for every query.
//!
//! A node holds the extent along nine axes (an 18-DOP) of the positions x **and of the displacements d** of its features, so
//! that only relative motion counts: two pieces of a sheet that falls at 2 m/s are as far apart as at rest. Numbers are stored
//! in single precision, rounded to nearest; [`slack`] is what the query adds to its reach to stay on the safe side.
//!
//! Nodes lie in preorder: the left child follows its parent, a subtree is one stretch of memory, and children come after
//! parents, so a refit is one pass from back to front.

use crate::shapes::Shapes;
use glam::DVec3;

const DIAGONAL: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Coordinates of a vector along the nine unit axes: x, y, z and the six face diagonals.
#[inline(always)]
fn project(v: DVec3) -> [f32; 9] {
    [
        v.x as f32,
        v.y as f32,
        v.z as f32,
        ((v.x + v.y) * DIAGONAL) as f32,
        ((v.x - v.y) * DIAGONAL) as f32,
        ((v.y + v.z) * DIAGONAL) as f32,
        ((v.y - v.z) * DIAGONAL) as f32,
        ((v.z + v.x) * DIAGONAL) as f32,
        ((v.z - v.x) * DIAGONAL) as f32,
    ]
}

/// A vertex and its displacement along the nine axes: eight of x, eight of d, the ninth of both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point([f32; 18]);

impl Point {
    #[inline(always)]
    pub(crate) fn new(x: DVec3, d: DVec3) -> Self {
        let (x, d) = (project(x), project(d));
        let mut p = [0.0; 18];
        p[..8].copy_from_slice(&x[..8]);
        p[8..16].copy_from_slice(&d[..8]);
        p[16] = x[8];
        p[17] = d[8];
        Self(p)
    }

    /// Largest absolute coordinate; not a number if one is not finite.
    #[inline(always)]
    pub(crate) fn magnitude(&self) -> f32 {
        largest(self.0.map(f32::abs))
    }
}

/// The largest of numbers that are not negative; not a number if one is not finite.
#[inline(always)]
pub(crate) fn largest(values: impl IntoIterator<Item = f32>) -> f32 {
    // ∞ × 0 and NaN × 0 are NaN and stay so in the sum.
    let (largest, poison) = values.into_iter().fold((0.0, 0.0), |(m, p), v| (larger(m, v), p + v * 0.0));
    largest + poison
}

/// What rounding can take from a gap between two [`Bounds`] (m) if no coordinate exceeds `magnitude`.
///
/// The gap is a sum of four stored numbers with radii: at most 8 roundings of numbers up to 4 × magnitude, of 2⁻²⁴ each.
/// Twice that.
pub(crate) fn slack(magnitude: f32) -> f64 {
    64.0 * 2f64.powi(-24) * f64::from(magnitude)
}

#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    // Not `f32::max`: its care for NaN costs three instructions instead of one.
    if a > b { a } else { b }
}

/// Largest x, largest −x, largest d and largest −d of a set of vertices along eight axes, then the same of the ninth: every
/// operation is a maximum over 36 numbers, and the test of two bounds works on whole registers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds([f32; 36]);

impl Bounds {
    pub(crate) const EMPTY: Self = Self([f32::NEG_INFINITY; 36]);

    /// Of the points, widened by a radius (m).
    #[inline(always)]
    pub(crate) fn of<'a>(points: impl IntoIterator<Item = &'a Point>, radius: f32) -> Self {
        let mut b = [f32::NEG_INFINITY; 36];
        for Point(p) in points {
            for k in 0..8 {
                b[k] = larger(b[k], p[k]);
                b[8 + k] = larger(b[8 + k], -p[k]);
                b[16 + k] = larger(b[16 + k], p[8 + k]);
                b[24 + k] = larger(b[24 + k], -p[8 + k]);
            }
            b[32] = larger(b[32], p[16]);
            b[33] = larger(b[33], -p[16]);
            b[34] = larger(b[34], p[17]);
            b[35] = larger(b[35], -p[17]);
        }
        b[..16].iter_mut().for_each(|v| *v += radius);
        b[32] += radius;
        b[33] += radius;
        Self(b)
    }

    #[inline(always)]
    pub(crate) fn union(&self, other: &Self) -> Self {
        let mut b = self.0;
        for k in 0..36 {
            b[k] = larger(b[k], other.0[k]);
        }
        Self(b)
    }

    /// Do the two stay further apart than `reach` (m) along some axis at all times 0 ≤ t ≤ 1 of the motion x + t d?
    #[inline(always)]
    pub(crate) fn apart(&self, other: &Self, reach: f32) -> bool {
        let (a, b) = (&self.0, &other.0);
        let mut any = false;
        for k in 0..8 {
            let up = a[k] + b[8 + k] + larger(a[16 + k] + b[24 + k], 0.0);
            let down = a[8 + k] + b[k] + larger(a[24 + k] + b[16 + k], 0.0);
            any |= (if up < down { up } else { down }) < -reach;
        }
        any || a[32] + b[33] + larger(a[34] + b[35], 0.0) < -reach
            || a[33] + b[32] + larger(a[35] + b[34], 0.0) < -reach
    }
}

/// A triangle, a bare edge or a bare vertex, and what it owns: each vertex and edge belongs to one leaf, so that pairs come once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf {
    /// Vertices; the last one repeated if there are fewer than three.
    pub(crate) corners: [u32; 3],
    /// Owned edges, `edge_count` of them.
    pub(crate) edges: [u32; 3],
    /// Owned vertices, `vertex_count` of them.
    pub(crate) vertices: [u32; 3],
    pub(crate) edge_count: u8,
    pub(crate) vertex_count: u8,
    /// 3 for a triangle, 2 for a bare edge, 1 for a bare vertex.
    pub(crate) size: u8,
    /// Triangle, or `u32::MAX`.
    pub(crate) triangle: u32,
    /// Body, for its radius.
    pub(crate) body: u32,
}

impl Leaf {
    #[inline(always)]
    pub(crate) fn has(&self, vertex: u32) -> bool {
        self.corners.contains(&vertex)
    }
}

/// What the tree is built over: a leaf, where it lies, and the patch that is kept together above all.
pub(crate) struct Item {
    pub(crate) leaf: Leaf,
    /// Where it is sorted to: in the flat state for cloth with material coordinates, in space otherwise.
    pub(crate) place: DVec3,
    /// Leaves of different patches are separated first; `place` is compared within a patch only.
    pub(crate) patch: u32,
    /// Centre of the patch in space.
    pub(crate) patch_centre: DVec3,
}

/// An inner node has its left child right behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// First leaf below.
    pub(crate) first: u32,
    /// Leaves below; 1 for a leaf.
    pub(crate) count: u32,
    /// Right child; nothing for a leaf.
    pub(crate) right: u32,
}

/// The tree of one body, or of all cloth.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    pub(crate) bounds: Vec<Bounds>,
    /// From left to right.
    pub(crate) leaves: Vec<Leaf>,
}

impl Tree {
    pub(crate) fn new(mut items: Vec<Item>) -> Self {
        let mut nodes = Vec::with_capacity(2 * items.len());
        if !items.is_empty() {
            build(&mut items, 0, &mut nodes);
        }
        let bounds = vec![Bounds::EMPTY; nodes.len()];
        Self { nodes, bounds, leaves: items.into_iter().map(|i| i.leaf).collect() }
    }

    /// Children of an inner node.
    #[inline(always)]
    pub(crate) fn children(&self, node: u32) -> [u32; 2] {
        [node + 1, self.nodes[node as usize].right]
    }

    /// Notes for every node whether a leaf below it has one of the wanted vertices.
    pub(crate) fn mark(&self, wanted: &[bool], marks: &mut Vec<bool>) {
        marks.clear();
        marks.resize(self.nodes.len(), false);
        for (k, node) in self.nodes.iter().enumerate().rev() {
            marks[k] = if node.count == 1 {
                self.leaves[node.first as usize].corners.iter().any(|&v| wanted[v as usize])
            } else {
                marks[k + 1] || marks[node.right as usize]
            };
        }
    }

    /// Sets all bounds to those of the points, widened by the radii of the bodies.
    pub(crate) fn refit(&mut self, shapes: &Shapes, points: &[Point]) {
        if !self.nodes.is_empty() {
            refit(&Refit { nodes: &self.nodes, leaves: &self.leaves, shapes, points }, &mut self.bounds, 0);
        }
    }
}

/// Appends the nodes over `items`, the first of which is leaf `first`, and sorts the items into the order of the leaves.
fn build(items: &mut [Item], first: u32, nodes: &mut Vec<Node>) {
    let at = nodes.len();
    let count = items.len() as u32;
    nodes.push(Node { first, count, right: 0 });
    if count == 1 {
        return;
    }
    let half = split(items);
    let (left, right) = items.split_at_mut(half);
    build(left, first, nodes);
    nodes[at].right = nodes.len() as u32;
    build(right, first + half as u32, nodes);
}

/// Divides the items in two along the longest extent: patches from patches, then at the median. Returns the size of the first half.
fn split(items: &mut [Item]) -> usize {
    let half = items.len() / 2;
    if items.iter().all(|i| i.patch == items[0].patch) {
        let axis = longest(items.iter().map(|i| i.place));
        let key = |i: &Item| (i.place[axis], i.leaf.triangle, i.leaf.corners[0]);
        items.select_nth_unstable_by(half, |a, b| {
            let (a, b) = (key(a), key(b));
            a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2)))
        });
        return half;
    }
    let axis = longest(items.iter().map(|i| i.patch_centre));
    items.sort_by(|a, b| a.patch_centre[axis].total_cmp(&b.patch_centre[axis]).then(a.patch.cmp(&b.patch)));
    (1..items.len())
        .filter(|&k| items[k].patch != items[k - 1].patch)
        .min_by_key(|&k| k.abs_diff(half))
        .expect("there are at least two patches")
}

fn longest(places: impl Iterator<Item = DVec3>) -> usize {
    let (lo, hi) =
        places.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(lo, hi): (DVec3, DVec3), p| (lo.min(p), hi.max(p)));
    let size = hi - lo;
    if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    }
}

struct Refit<'a> {
    nodes: &'a [Node],
    leaves: &'a [Leaf],
    shapes: &'a Shapes,
    points: &'a [Point],
}

/// Below this many leaves a second thread costs more than it saves.
const SERIAL_LEAVES: u32 = 2048;

/// Refits the subtree of `node`, whose bounds are `bounds`.
fn refit(tree: &Refit, bounds: &mut [Bounds], node: usize) {
    let Node { count, right, .. } = tree.nodes[node];
    if count <= SERIAL_LEAVES {
        toile_core::lane::Level::detect().dispatch(Pass { tree, bounds, node });
        return;
    }
    let right = right as usize - node;
    let (left_part, right_part) = bounds.split_at_mut(right);
    rayon::join(|| refit(tree, &mut left_part[1..], node + 1), || refit(tree, right_part, node + right));
    left_part[0] = left_part[1].union(&right_part[0]);
}

/// One subtree from back to front. No lanes are named: the loops over axes are compiled for the instruction set at hand.
struct Pass<'a> {
    tree: &'a Refit<'a>,
    bounds: &'a mut [Bounds],
    node: usize,
}

impl toile_core::lane::Kernel for Pass<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: toile_core::lane::Lane>(self) {
        let Pass { tree, bounds, node } = self;
        let last = 2 * tree.nodes[node].count as usize - 1;
        let nodes = &tree.nodes[node..node + last];
        for (k, n) in nodes.iter().enumerate().rev() {
            bounds[k] = if n.count == 1 {
                let leaf = &tree.leaves[n.first as usize];
                let points = leaf.corners.map(|v| &tree.points[v as usize]);
                Bounds::of(points, tree.shapes.bodies[leaf.body as usize].radius as f32)
            } else {
                bounds[k + 1].union(&bounds[n.right as usize - node])
            };
        }
    }
}
