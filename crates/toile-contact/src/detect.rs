//! Broad phase: which features come near each other while every vertex moves in a straight line.
//!
//! [`Detector::detect`] answers one question for contact and for continuous detection alike: which vertex–face, edge–edge and
//! vertex–edge pairs may come closer than `reach` beyond the sum of their radii at some time of the motion x + t d,
//! 0 ≤ t ≤ 1. No such pair is missed; of the others only those are listed whose 18-DOP bounds come that close.
//!
//! Cloth is one tree, every obstacle another. Both are walked together from a list of tasks that does not
//! depend on the number of threads, and the lists of the tasks are joined in order: the same bytes for any number of threads.

pub(crate) mod leaves;
mod normal_cone;
mod walk;

#[cfg(test)]
pub(crate) mod tests;

pub use crate::ccd::Kind;
use crate::monotone::Monotone;
use crate::shapes::Shapes;
use crate::tree::{self, Point, Tree};
use glam::{DVec2, DVec3};
use normal_cone::NormalCones;
use rayon::prelude::*;
use std::sync::atomic::AtomicU8;
use walk::{Rule, Task, Walk};

/// Pairs that may come near, by their vertices. No pair shares a vertex and each is there once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    /// p, a, b, c: the triangle as in [`Shapes::triangles`].
    pub vertex_face: Vec<[u32; 4]>,
    /// a, b, c, d: edges as in [`Shapes::edges`], the one that comes first there first; so cloth before obstacles.
    pub edge_edge: Vec<[u32; 4]>,
    /// p, a, b: the edge as in [`Shapes::edges`].
    pub vertex_edge: Vec<[u32; 3]>,
}

impl Candidates {
    /// Number of pairs of all kinds.
    pub fn len(&self) -> usize {
        self.vertex_face.len() + self.edge_edge.len() + self.vertex_edge.len()
    }

    /// Nothing comes near anything.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All pairs in one form: a vertex–edge pair ends with `u32::MAX`.
    pub fn pairs(&self) -> impl Iterator<Item = (Kind, [u32; 4])> + '_ {
        let vertex_face = self.vertex_face.iter().map(|&p| (Kind::VertexFace, p));
        let edge_edge = self.edge_edge.iter().map(|&p| (Kind::EdgeEdge, p));
        let vertex_edge = self.vertex_edge.iter().map(|&[p, a, b]| (Kind::VertexEdge, [p, a, b, u32::MAX]));
        vertex_face.chain(edge_edge).chain(vertex_edge)
    }

    fn retain(&mut self, keep: impl Fn(&[u32]) -> bool) {
        self.vertex_face.retain(|p| keep(p));
        self.edge_edge.retain(|p| keep(p));
        self.vertex_edge.retain(|p| keep(p));
    }

    fn clear(&mut self) {
        self.vertex_face.clear();
        self.edge_edge.clear();
        self.vertex_edge.clear();
    }

    fn append(&mut self, other: &Self) {
        self.vertex_face.extend_from_slice(&other.vertex_face);
        self.edge_edge.extend_from_slice(&other.edge_edge);
        self.vertex_edge.extend_from_slice(&other.vertex_edge);
    }
}

/// How pairs of neighbouring cloth features are kept out of the walk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pruning {
    /// Not at all.
    None,
    /// Patches whose normals lie in a half space and whose outline does not cross itself are not compared with themselves. No
    /// crossing of the end state is lost, but pairs within reach are: for responses to crossings, and for comparison.
    NormalCone,
    /// Pieces of cloth that provably stay out of their own reach are not compared with themselves: no pair is lost. Needs
    /// material coordinates.
    #[default]
    Monotone,
}

/// An obstacle and the positions its tree is fitted to: one that stands still is not refitted.
#[derive(Debug)]
struct Obstacle {
    body: usize,
    tree: Tree,
    x: Vec<DVec3>,
    /// The radius it is fitted with (m), if it is fitted to a state of rest.
    fitted_radius: Option<f64>,
    /// Largest coordinate when it was fitted.
    magnitude: f32,
}

/// The trees of all bodies and the lists that queries reuse.
#[derive(Debug)]
pub struct Detector {
    cloth: Tree,
    obstacles: Vec<Obstacle>,
    /// Positions are counted from here: single precision is finest near zero.
    origin: DVec3,
    points: Vec<Point>,
    pruning: Pruning,
    monotone: Option<Monotone>,
    cones: Option<NormalCones>,
    /// What the pruning says about each vertex in this query, see [`Walk::clears_star`].
    stars: Vec<AtomicU8>,
    /// Nodes with wanted vertices, of cloth and of each obstacle; empty if all are wanted.
    marks: Vec<Vec<bool>>,
    tasks: Vec<Task>,
    parts: Vec<Candidates>,
    candidates: Candidates,
}

/// Below this many vertices a second thread costs more than it saves.
const SERIAL_VERTICES: usize = 2048;

impl Detector {
    /// Builds the trees at positions `x` (m). `material` holds the flat coordinates (m) of the corners of each cloth triangle
    /// in the order of `shapes.triangles`, or nothing: then there is no [`Pruning::Monotone`].
    ///
    /// # Panics
    /// If `x` or a `material` that is not empty has another length than `shapes` asks for.
    pub fn new(shapes: &Shapes, x: &[DVec3], material: &[[DVec2; 3]]) -> Self {
        assert_eq!(x.len(), shapes.vertex_count(), "one position for each vertex");
        assert!(material.is_empty() || material.len() == shapes.cloth_triangles, "material of each cloth triangle");
        let mut items = leaves::items(shapes, x, material);
        let cloth_items = items.remove(0);
        let obstacles = items
            .into_iter()
            .zip(shapes.bodies.iter().position(|b| !b.is_cloth).unwrap_or(0)..)
            .map(|(items, body)| Obstacle {
                body,
                tree: Tree::new(items),
                x: Vec::new(),
                fitted_radius: None,
                magnitude: 0.0,
            })
            .collect();
        let cloth_x = &x[..shapes.cloth_vertices];
        let origin = cloth_x.iter().sum::<DVec3>() / cloth_x.len().max(1) as f64;
        let cloth = Tree::new(cloth_items);
        Self {
            monotone: (!material.is_empty()).then(|| Monotone::new(shapes, &cloth, material)),
            pruning: Pruning::default(),
            cones: None,
            stars: (0..shapes.cloth_vertices).map(|_| AtomicU8::new(0)).collect(),
            cloth,
            obstacles,
            origin: if origin.is_finite() { origin } else { DVec3::ZERO },
            points: vec![Point::new(DVec3::ZERO, DVec3::ZERO); x.len()],
            marks: Vec::new(),
            tasks: Vec::new(),
            parts: Vec::new(),
            candidates: Candidates::default(),
        }
    }

    /// The same detector with another way of pruning.
    pub fn with_pruning(self, pruning: Pruning) -> Self {
        let cones = (pruning == Pruning::NormalCone).then(|| NormalCones::new(&self.cloth, self.stars.len()));
        Self { pruning, cones, ..self }
    }

    /// All pairs that may come closer than `reach` (m) beyond the sum of their radii at any time while the vertices move from
    /// `x` to `x + d` (m) in a straight line; without `d` they rest. `shapes` must have the features the detector was built with;
    /// radii may change.
    ///
    /// Nothing is found if a coordinate is not finite: such a state has no distances, and the step that made it has to end.
    ///
    /// # Panics
    /// If `x` or `d` has another length than the detector was built with.
    pub fn detect(&mut self, shapes: &Shapes, x: &[DVec3], d: Option<&[DVec3]>, reach: f64) -> &Candidates {
        self.marks.clear();
        self.find(shapes, x, d, reach)
    }

    /// Those pairs of [`Detector::detect`] that have a vertex among the `wanted` ones: where few are wanted, few are looked at.
    ///
    /// # Panics
    /// If a list has another length than the detector was built with.
    pub fn detect_about(
        &mut self,
        shapes: &Shapes,
        x: &[DVec3],
        d: Option<&[DVec3]>,
        reach: f64,
        wanted: &[bool],
    ) -> &Candidates {
        assert_eq!(wanted.len(), x.len(), "one answer for each vertex");
        self.marks.resize_with(1 + self.obstacles.len(), Vec::new);
        let trees = std::iter::once(&self.cloth).chain(self.obstacles.iter().map(|o| &o.tree));
        trees.zip(&mut self.marks).for_each(|(tree, marks)| tree.mark(wanted, marks));
        self.find(shapes, x, d, reach);
        self.candidates.retain(|pair| pair.iter().any(|&v| wanted[v as usize]));
        &self.candidates
    }

    fn find(&mut self, shapes: &Shapes, x: &[DVec3], d: Option<&[DVec3]>, reach: f64) -> &Candidates {
        let magnitude = self.refit(shapes, x, d);
        self.candidates.clear();
        let largest_radius = shapes.bodies.iter().fold(0.0, |m: f64, b| m.max(b.radius)) as f32;
        let reach = (reach + tree::slack(magnitude + largest_radius)) as f32;
        if reach.is_finite() {
            self.walk(shapes, reach);
        }
        if !shapes.joined.is_empty() {
            self.candidates.retain(|pair| !shapes.are_joined(pair));
        }
        &self.candidates
    }

    /// What the last query found.
    pub fn candidates(&self) -> &Candidates {
        &self.candidates
    }

    /// Fits the trees to the motion and returns the largest coordinate.
    fn refit(&mut self, shapes: &Shapes, x: &[DVec3], d: Option<&[DVec3]>) -> f32 {
        assert_eq!(x.len(), self.points.len(), "one position for each vertex");
        assert!(d.is_none_or(|d| d.len() == x.len()), "one displacement for each vertex");
        let origin = self.origin;
        let place = |points: &mut [Point], first: usize| {
            tree::largest(points.iter_mut().enumerate().map(|(k, p)| {
                *p = Point::new(x[first + k] - origin, d.map_or(DVec3::ZERO, |d| d[first + k]));
                p.magnitude()
            }))
        };
        let cloth = &mut self.points[..shapes.cloth_vertices];
        let cloth_magnitude = if cloth.len() <= SERIAL_VERTICES {
            place(cloth, 0)
        } else {
            let chunks = cloth.par_chunks_mut(SERIAL_VERTICES).enumerate();
            let largest: Vec<f32> = chunks.map(|(k, points)| place(points, k * SERIAL_VERTICES)).collect();
            tree::largest(largest)
        };
        self.cloth.refit(shapes, &self.points);
        if let Some(monotone) = self.monotone.as_mut().filter(|_| self.pruning == Pruning::Monotone) {
            monotone.refit(x, d);
        }
        if let Some(cones) = &mut self.cones {
            cones.refit(x, d);
        }
        self.stars.iter_mut().for_each(|s| *s.get_mut() = 0);
        for obstacle in &mut self.obstacles {
            let body = &shapes.bodies[obstacle.body];
            let range = body.first_vertex as usize..(body.first_vertex + body.vertex_count) as usize;
            let moves = d.is_some_and(|d| d[range.clone()].iter().any(|&v| v != DVec3::ZERO));
            if moves || obstacle.fitted_radius != Some(body.radius) || obstacle.x != x[range.clone()] {
                obstacle.magnitude = place(&mut self.points[range.clone()], range.start);
                obstacle.tree.refit(shapes, &self.points);
                obstacle.x.clear();
                obstacle.x.extend_from_slice(&x[range]);
                obstacle.fitted_radius = (!moves).then_some(body.radius);
            }
        }
        tree::largest(self.obstacles.iter().map(|o| o.magnitude).chain([cloth_magnitude]))
    }

    fn walk(&mut self, shapes: &Shapes, reach: f32) {
        let obstacles: Vec<&Tree> = self.obstacles.iter().map(|o| &o.tree).collect();
        let rule = match (self.pruning, &self.monotone, &self.cones) {
            (Pruning::Monotone, Some(monotone), _) => Rule::Monotone(monotone),
            (Pruning::NormalCone, _, Some(cones)) => Rule::NormalCone(cones),
            _ => Rule::None,
        };
        let (cloth, points, stars, marks) = (&self.cloth, &self.points, &self.stars, &self.marks[..]);
        let walk = Walk { shapes, cloth, obstacles: &obstacles, points, rule, stars, marks, reach };
        walk.tasks(&mut self.tasks);
        self.parts.resize_with(self.tasks.len().max(self.parts.len()), Candidates::default);
        let work = |(task, part): (&Task, &mut Candidates)| {
            part.clear();
            walk.run(*task, part);
        };
        if self.cloth.leaves.len() <= SERIAL_VERTICES {
            self.tasks.iter().zip(&mut self.parts).for_each(work);
        } else {
            self.tasks.par_iter().zip(&mut self.parts).with_max_len(1).for_each(work);
        }
        for part in &self.parts[..self.tasks.len()] {
            self.candidates.append(part);
        }
    }
}
