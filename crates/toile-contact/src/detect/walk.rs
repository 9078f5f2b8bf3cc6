//! Two trees walked together.

use super::Candidates;
use super::normal_cone::NormalCones;
use crate::monotone::Monotone;
use crate::shapes::Shapes;
use crate::tree::{Bounds, Leaf, Node, Point, Tree};
use std::sync::atomic::{AtomicU8, Ordering};
use toile_core::lane::{Kernel, Lane, Level};

/// Two subtrees to compare: of cloth with itself, or of cloth with an obstacle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Task {
    /// Obstacle, or `SELF`.
    other: u32,
    a: u32,
    b: u32,
}

const SELF: u32 = u32::MAX;
const NONE: u32 = u32::MAX;

/// What says that cloth need not be compared with itself.
#[derive(Clone, Copy)]
pub(super) enum Rule<'a> {
    None,
    Monotone(&'a Monotone),
    NormalCone(&'a NormalCones),
}

/// One query.
#[derive(Clone, Copy)]
pub(super) struct Walk<'a> {
    pub(super) shapes: &'a Shapes,
    pub(super) cloth: &'a Tree,
    pub(super) obstacles: &'a [&'a Tree],
    pub(super) points: &'a [Point],
    pub(super) rule: Rule<'a>,
    /// What the rule says about each cloth vertex: 0 not asked yet, 1 clear, 2 not. It depends on the state alone, so it makes no
    /// difference which thread asks first.
    pub(super) stars: &'a [AtomicU8],
    /// Which nodes have wanted vertices, of cloth and then of each obstacle; empty if all are wanted.
    pub(super) marks: &'a [Vec<bool>],
    /// Bounds further apart than this (m) are apart.
    pub(super) reach: f32,
}

/// Subtrees are divided among threads down to this many leaves, or a sixteenth of all.
const TASK_LEAVES: u32 = 256;

impl Walk<'_> {
    /// The work in pieces; which ones depends on the meshes and the motion, never on the threads.
    pub(super) fn tasks(&self, tasks: &mut Vec<Task>) {
        tasks.clear();
        if self.cloth.nodes.is_empty() {
            return;
        }
        tasks.push(Task { other: SELF, a: 0, b: 0 });
        let obstacles = (0..self.obstacles.len() as u32).filter(|&o| !self.obstacles[o as usize].nodes.is_empty());
        tasks.extend(obstacles.map(|other| Task { other, a: 0, b: 0 }));
        tasks.retain(|t| !self.is_apart(*t));
        let limit = TASK_LEAVES.max(self.cloth.leaves.len() as u32 / 16);
        while tasks.iter().any(|t| self.cloth.nodes[t.a as usize].count > limit) {
            let all = std::mem::take(tasks);
            for task in all {
                if self.cloth.nodes[task.a as usize].count > limit {
                    tasks.extend(self.parts(task).into_iter().flatten().filter(|t| !self.is_apart(*t)));
                } else {
                    tasks.push(task);
                }
            }
        }
    }

    /// Need the leaves below a node of cloth not be compared?
    #[inline(always)]
    fn clears_node(&self, node: u32) -> bool {
        match self.rule {
            Rule::None => false,
            Rule::Monotone(m) => m.clears_node(node, self.shapes, self.reach),
            Rule::NormalCone(c) => c.clears_node(node, self.cloth),
        }
    }

    /// Need the triangles about a cloth vertex not be compared?
    #[inline(always)]
    fn clears_star(&self, vertex: u32) -> bool {
        let known = &self.stars[vertex as usize];
        let state = known.load(Ordering::Relaxed);
        if state != 0 {
            return state == 1;
        }
        let is_clear = match self.rule {
            Rule::None => false,
            Rule::Monotone(m) => m.clears_star(vertex, self.shapes, self.reach),
            Rule::NormalCone(c) => c.clears_star(vertex),
        };
        known.store(if is_clear { 1 } else { 2 }, Ordering::Relaxed);
        is_clear
    }

    #[inline(always)]
    fn radius(&self, leaf: &Leaf) -> f32 {
        self.shapes.bodies[leaf.body as usize].radius as f32
    }

    fn other(&self, task: Task) -> &Tree {
        if task.other == SELF { self.cloth } else { self.obstacles[task.other as usize] }
    }

    /// Marks of cloth and of what it is compared with, where not all vertices are wanted.
    fn marks(&self, task: Task) -> Option<[&[bool]; 2]> {
        let other = if task.other == SELF { 0 } else { task.other as usize + 1 };
        (!self.marks.is_empty()).then(|| [&self.marks[0][..], &self.marks[other][..]])
    }

    fn is_apart(&self, task: Task) -> bool {
        if self.marks(task).is_some_and(|[a, b]| !a[task.a as usize] && !b[task.b as usize]) {
            return true;
        }
        (task.other != SELF || task.a != task.b)
            && self.cloth.bounds[task.a as usize].apart(&self.other(task).bounds[task.b as usize], self.reach)
    }

    /// The same work in two or three pieces; `a` is an inner node.
    fn parts(&self, task: Task) -> [Option<Task>; 3] {
        let Task { other, a, b } = task;
        let [left, right] = self.cloth.children(a);
        if other == SELF && a == b {
            return [(left, left), (right, right), (left, right)].map(|(a, b)| Some(Task { other, a, b }));
        }
        [Some(Task { other, a: left, b }), Some(Task { other, a: right, b }), None]
    }

    /// Adds the pairs of a task.
    pub(super) fn run(&self, task: Task, out: &mut Candidates) {
        Level::detect().dispatch(Run { walk: *self, task, out });
    }
}

struct Run<'a, 'b> {
    walk: Walk<'a>,
    task: Task,
    out: &'b mut Candidates,
}

impl Kernel for Run<'_, '_> {
    type Output = ();

    // No lanes are named: the loops over axes are compiled for the instruction set at hand. Sums and comparisons are the same
    // to the bit at every level.
    #[inline(always)]
    fn run<L: Lane>(self) {
        let Run { walk, task, out } = self;
        let (tree_a, tree_b) = (walk.cloth, walk.other(task));
        let is_self = task.other == SELF;
        let marks = walk.marks(task);
        let is_unwanted = |a: u32, b: u32| marks.is_some_and(|[m, n]| !m[a as usize] && !n[b as usize]);
        let mut stack = Vec::with_capacity(128);
        stack.push((task.a, task.b));
        while let Some((a, b)) = stack.pop() {
            if is_unwanted(a, b) {
                continue;
            }
            let (node_a, node_b) = (tree_a.nodes[a as usize], tree_b.nodes[b as usize]);
            if is_self && a == b {
                if node_a.count > 1 && !walk.clears_node(a) {
                    let (left, right) = (a + 1, node_a.right);
                    if !tree_a.bounds[left as usize].apart(&tree_a.bounds[right as usize], walk.reach) {
                        stack.push((left, right));
                    }
                    stack.push((right, right));
                    stack.push((left, left));
                }
            } else if node_a.count == 1 && node_b.count == 1 {
                let (first, second) = (&tree_a.leaves[node_a.first as usize], &tree_b.leaves[node_b.first as usize]);
                if is_self && first.corners.iter().any(|&v| second.has(v) && walk.clears_star(v)) {
                    continue;
                }
                let bounds = [&tree_a.bounds[a as usize], &tree_b.bounds[b as usize]];
                pair(&walk, [first, second], bounds, out);
            } else {
                // Both at once: four tests where one side at a time takes up to six.
                let children = |node: u32, n: Node| if n.count == 1 { [node, NONE] } else { [n.right, node + 1] };
                let (below_a, below_b) = (children(a, node_a), children(b, node_b));
                for child_a in below_a.into_iter().filter(|&c| c != NONE) {
                    let bounds = &tree_a.bounds[child_a as usize];
                    for child_b in below_b.into_iter().filter(|&c| c != NONE) {
                        if !bounds.apart(&tree_b.bounds[child_b as usize], walk.reach) {
                            stack.push((child_a, child_b));
                        }
                    }
                }
            }
        }
    }
}

/// Adds the pairs of features that two leaves own.
#[inline(always)]
fn pair(walk: &Walk, leaves: [&Leaf; 2], bounds: [&Bounds; 2], out: &mut Candidates) {
    for (leaf, other, bound) in [(leaves[0], leaves[1], bounds[1]), (leaves[1], leaves[0], bounds[0])] {
        if other.size == 1 {
            continue;
        }
        for &v in &leaf.vertices[..leaf.vertex_count as usize] {
            if other.has(v) || Bounds::of([&walk.points[v as usize]], walk.radius(leaf)).apart(bound, walk.reach) {
                continue;
            }
            let [a, b, c] = other.corners;
            if other.size == 3 {
                out.vertex_face.push([v, a, b, c]);
            } else {
                out.vertex_edge.push([v, a, b]);
            }
        }
    }
    let others = &leaves[1].edges[..leaves[1].edge_count as usize];
    for &e in &leaves[0].edges[..leaves[0].edge_count as usize] {
        let edge = walk.shapes.edges[e as usize];
        let meets = |f: &u32| walk.shapes.edges[*f as usize].iter().any(|v| edge.contains(v));
        // Most leaves are neighbours, and most of their edges meet: looked at before any bounds.
        if others.iter().all(meets) {
            continue;
        }
        let bound = edge_bounds(walk, edge, leaves[0]);
        if bound.apart(bounds[1], walk.reach) {
            continue;
        }
        for f in others {
            let other = walk.shapes.edges[*f as usize];
            if !meets(f) && !edge_bounds(walk, other, leaves[1]).apart(&bound, walk.reach) {
                let (p, q) = if e < *f { (edge, other) } else { (other, edge) };
                out.edge_edge.push([p[0], p[1], q[0], q[1]]);
            }
        }
    }
}

#[inline(always)]
fn edge_bounds(walk: &Walk, edge: [u32; 2], leaf: &Leaf) -> Bounds {
    Bounds::of([&walk.points[edge[0] as usize], &walk.points[edge[1] as usize]], walk.radius(leaf))
}
