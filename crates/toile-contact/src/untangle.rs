//! `untangle`: parts what crosses at the start, so that barriers can take over.
//!
//! Rounds of smooth moves ([`solve`](self)) until nothing crosses: pieces that have come through another sheet go back, slots are
//! shortened, cloth inside solids leaves them, edges stay near their rest length. From the first state without crossings
//! on, moves are cut so that none arises again, and all pairs part to the wanted clearance. What comes out is checked by the
//! certificate and by the distances of all pairs. What cannot be parted is named.
//!
//! Source: Volino06 (contours and the gradient of their length), Baraff03 (pieces cut off by closed contours); the smooth solve and
//! the ways out of solids are ours.

mod contour;
mod exits;
mod fabric;
mod near;
mod report;
mod solid;
mod solve;

pub use report::{Tangle, Tangled};
pub use solid::Plane;

use crate::certify::{self, Meeting};
use crate::detect::{Detector, Kind};
use crate::shapes::Shapes;
use contour::Point;
use fabric::Fabric;
use glam::{DVec2, DVec3};
use near::Near;
use solve::{Smoother, Wish};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// A start to be untangled.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// Everything that touches, planes apart.
    pub shapes: &'a Shapes,
    /// Flat coordinates (m) of the corners of each cloth triangle, as in [`Detector::new`]; they give the rest lengths.
    pub material: &'a [[DVec2; 3]],
    /// Weight of each cloth vertex, its mass (kg) for one: heavy ones move less.
    pub weights: &'a [f64],
    /// Cloth vertices that may move; pinned ones may not.
    pub is_free: &'a [bool],
    /// Half-spaces.
    pub planes: &'a [Plane],
    /// Whether a sheet must not cross itself; different sheets never may.
    pub own: bool,
    /// Wanted gap beyond the radii (m): half the reach of the barrier leaves it room.
    pub clearance: f64,
    /// How far edges may be from their rest length at the end, as ratios: shortest and longest. A start that is worse may stay so.
    pub stretch: [f64; 2],
    /// Rounds after which a start is given up.
    pub max_rounds: usize,
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Untangled {
    /// Rounds of moves.
    pub iterations: usize,
    /// The longest way of a vertex (m).
    pub moved_max: f64,
    /// Pairs of an edge and a triangle that crossed at the start.
    pub crossings_before: usize,
    /// Cloth vertices inside obstacles at the start.
    pub inside_before: usize,
    /// Pairs nearer than their thickness at the start, those that cross included.
    pub overlaps_before: usize,
    /// Smallest gap at the end (m), or the clearance if all are larger.
    pub smallest_gap: f64,
    /// Shortest and longest edge over its rest length at the end.
    pub edge_ratios: [f64; 2],
}

/// What is wrong with a start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Pairs of an edge and a triangle that cross.
    pub crossings: usize,
    /// Cloth vertices inside solids or below planes.
    pub inside: usize,
    /// Pairs nearer than their thickness (gaps of zero and less), planes included.
    pub overlaps: usize,
    /// Names of the bodies that cross or overlap, two by two.
    pub between: Vec<[String; 2]>,
}

/// Where the search stands before a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// Its number, from 1.
    pub number: usize,
    /// Pairs of an edge and a triangle that cross.
    pub crossings: usize,
    /// Cloth vertices inside obstacles.
    pub inside: usize,
}

/// Rounds without fewer crossings before giving up.
const PATIENCE: usize = 60;
/// Rounds for the clearance once nothing crosses.
const CLEARING: usize = 80;
/// A start is left alone when all gaps are above this share of the clearance; at the end less is enough.
const ENOUGH: f64 = 0.5;
const LEAST: f64 = 0.02;
/// Strength of wishes about edges.
const EDGE_STRENGTH: f64 = 20.0;
/// Edges that leave this band about their rest length wish back into it.
const BAND: [f64; 2] = [0.95, 1.05];

/// Moves cloth so that nothing crosses and all gaps are positive. `positions` holds all vertices of the shapes (m); those of
/// obstacles stay. On failure they are as they were.
///
/// # Panics
/// If the slices have other lengths than the shapes ask for.
pub fn untangle(problem: &Problem, positions: &mut [DVec3]) -> Result<Untangled, Tangle> {
    untangle_telling(problem, positions, &mut |_| ControlFlow::Continue(()))
}

/// [`untangle`] that tells before each round where it stands, and ends as failed where it is told to.
///
/// # Panics
/// If the slices have other lengths than the shapes ask for.
pub fn untangle_telling(
    problem: &Problem,
    positions: &mut [DVec3],
    tell: &mut dyn FnMut(Round) -> ControlFlow<()>,
) -> Result<Untangled, Tangle> {
    let mut work = Work::new(problem, positions)?;
    let outcome = work.run(tell);
    if outcome.is_ok() {
        positions.copy_from_slice(&work.x);
    }
    outcome
}

/// What is wrong with some positions; an error where a vertex has no finite place.
///
/// # Panics
/// If the slices have other lengths than the shapes ask for.
pub fn faults(problem: &Problem, positions: &[DVec3]) -> Result<Faults, Tangle> {
    Work::new(problem, positions).map(|mut work| work.faults())
}

/// What the search works on.
struct Work<'a> {
    problem: &'a Problem<'a>,
    fabric: Fabric<'a>,
    detector: Detector,
    start: Vec<DVec3>,
    x: Vec<DVec3>,
}

/// What is wrong with a state.
struct Look {
    points: Vec<Point>,
    meetings: Vec<(Meeting, certify::Crossing)>,
    /// In which solid each cloth vertex is.
    inside: Vec<Option<u32>>,
    below: usize,
}

impl Look {
    fn is_clear(&self) -> bool {
        self.trouble() == 0
    }

    fn trouble(&self) -> usize {
        self.meetings.len() + self.insiders()
    }

    fn insiders(&self) -> usize {
        self.inside.iter().flatten().count() + self.below
    }

    fn crossings(&self) -> usize {
        self.meetings.iter().filter(|m| m.0 == Meeting::Crosses).count()
    }
}

impl<'a> Work<'a> {
    fn new(problem: &'a Problem, positions: &[DVec3]) -> Result<Self, Tangle> {
        let shapes = problem.shapes;
        assert_eq!(positions.len(), shapes.vertex_count(), "one position per vertex");
        assert_eq!(problem.weights.len(), shapes.cloth_vertices, "one weight per cloth vertex");
        assert_eq!(problem.is_free.len(), shapes.cloth_vertices, "one mark per cloth vertex");
        if let Some(v) = positions.iter().position(|p| !p.is_finite()) {
            return Err(Tangle::lost(shapes, v));
        }
        let fabric = Fabric::new(problem, positions);
        let detector = Detector::new(shapes, positions, problem.material);
        Ok(Self { problem, fabric, detector, start: positions.to_vec(), x: positions.to_vec() })
    }

    fn run(&mut self, tell: &mut dyn FnMut(Round) -> ControlFlow<()>) -> Result<Untangled, Tangle> {
        let first = self.faults();
        let mut result = Untangled {
            crossings_before: first.crossings,
            inside_before: first.inside,
            overlaps_before: first.overlaps,
            ..Untangled::default()
        };
        let mut look = self.look();
        let (mut best, mut since) = (usize::MAX, 0);
        while !look.is_clear() {
            if look.trouble() < best {
                (best, since) = (look.trouble(), 0);
            }
            since += 1;
            if since > PATIENCE || result.iterations >= self.problem.max_rounds {
                return Err(Tangle::crossing(self.problem, &look.meetings, &self.insiders(&look)));
            }
            result.iterations += 1;
            let round = Round { number: result.iterations, crossings: look.crossings(), inside: look.insiders() };
            if tell(round).is_break() {
                return Err(Tangle::stopped());
            }
            self.part(&look);
            look = self.look();
        }
        result.iterations = self.clear(result.iterations, tell)?;
        self.finish(result)
    }

    fn faults(&mut self) -> Faults {
        let (look, shapes) = (self.look(), self.problem.shapes);
        let name = |v: u32| shapes.bodies[shapes.body_of_vertex[v as usize] as usize].name.clone();
        let mut between: BTreeSet<[String; 2]> = BTreeSet::new();
        let mut note = |a: String, b: String| {
            between.insert(if a <= b { [a, b] } else { [b, a] });
        };
        for (_, pair) in look.meetings.iter().filter(|m| m.0 == Meeting::Crosses) {
            let [a, b] = pair.bodies.map(|b| shapes.bodies[b as usize].name.clone());
            note(a, b);
        }
        let pairs = near::overlaps(&self.fabric, &mut self.detector, &self.x);
        pairs.iter().for_each(|[a, b]| note(name(*a), name(*b)));
        let under: Vec<(u32, &str)> = self.fabric.under_planes(&self.x).collect();
        under.iter().for_each(|(v, plane)| note(name(*v), (*plane).to_string()));
        Faults {
            crossings: look.crossings(),
            inside: look.insiders(),
            overlaps: pairs.len() + under.len(),
            between: between.into_iter().collect(),
        }
    }

    /// Everything that is wrong with the present state.
    fn look(&self) -> Look {
        let mut meetings = certify::meetings(self.problem.shapes, &self.x);
        meetings.retain(|(_, pair)| self.fabric.is_felt(pair.bodies));
        let crossing = meetings.iter().filter(|m| m.0 == Meeting::Crosses);
        let points = crossing.filter_map(|m| Point::of(&self.fabric, &self.x, &m.1)).collect();
        let cloth = &self.x[..self.problem.shapes.cloth_vertices];
        let inside = cloth.iter().map(|&p| self.fabric.solid_at(p)).collect();
        let below =
            cloth.iter().map(|p| self.problem.planes.iter().filter(|q| q.normal.dot(*p - q.point) < 0.0).count()).sum();
        Look { points, meetings, inside, below }
    }

    /// One round of parting what crosses.
    fn part(&mut self, look: &Look) {
        let (fabric, x) = (&self.fabric, &self.x);
        let demand = contour::demand(fabric, x, &look.points, &look.inside);
        // Cloth that is inside without a contour to say so, or wholly beyond one, leaves by itself.
        let away: BTreeSet<u32> = demand.away.iter().copied().collect();
        let is_in = |v: &u32| look.inside[*v as usize].is_some() && !away.contains(v);
        let mut leaving: BTreeMap<u32, DVec3> =
            (0..look.inside.len() as u32).filter(is_in).map(|v| (v, DVec3::ZERO)).collect();
        leaving.extend(demand.swallowed.into_iter().filter(|(v, _)| !away.contains(v)));
        let mut wishes = demand.wishes;
        wishes.extend(exits::wishes(fabric, x, &look.inside, &leaving));
        wishes.extend(fabric.skewers(x, &look.meetings));
        let mut is_tangled = vec![false; x.len()];
        let shapes = self.problem.shapes;
        for point in &look.points {
            let ends = shapes.edges[point.edge as usize].into_iter();
            ends.chain(shapes.triangles[point.triangle as usize]).for_each(|v| is_tangled[v as usize] = true);
        }
        away.iter().chain(leaving.keys()).for_each(|&v| is_tangled[v as usize] = true);
        let reach = self.problem.clearance;
        for pair in near::pairs(&self.fabric, &mut self.detector, &self.x, reach) {
            let (first, second) = near::split(pair.kind, &pair.nodes);
            // A vertex that is outside a solid is on the right side of it, whatever happens beside it.
            let is_outside = pair.kind == Kind::VertexFace
                && look.inside.get(first[0] as usize).is_some_and(Option::is_none)
                && self.fabric.solids.contains_key(&shapes.body_of_vertex[second[0] as usize])
                && !away.contains(&first[0]);
            if is_outside || !first.iter().chain(second).any(|&v| is_tangled[v as usize]) {
                wishes.push(pair.wish((reach - pair.gap).min(self.fabric.stride)));
            }
        }
        let d = self.displacements(wishes);
        self.x[..d.len()].iter_mut().zip(d).for_each(|(x, d)| *x += d);
    }

    /// The smooth move for some wishes, and those of edges and planes.
    fn displacements(&self, mut wishes: Vec<Wish>) -> Vec<DVec3> {
        wishes.extend(self.fabric.edge_wishes(&self.x, BAND, EDGE_STRENGTH));
        wishes.extend(self.fabric.plane_wishes(&self.x));
        let shapes = self.problem.shapes;
        let smoother = Smoother {
            edges: &shapes.edges[..shapes.cloth_edges],
            weights: &self.fabric.weights,
            is_free: self.problem.is_free,
        };
        let mut d = smoother.displacements(&wishes);
        for d in &mut d {
            *d *= (self.fabric.stride / d.length()).min(1.0);
        }
        d
    }

    /// Parts pairs to the clearance without ever crossing, after so many rounds; returns all rounds.
    fn clear(&mut self, before: usize, tell: &mut dyn FnMut(Round) -> ControlFlow<()>) -> Result<usize, Tangle> {
        for round in before..before + CLEARING {
            let near = near::pairs(&self.fabric, &mut self.detector, &self.x, self.problem.clearance);
            if self.is_good(&near) {
                return Ok(round);
            }
            if tell(Round { number: round + 1, crossings: 0, inside: 0 }).is_break() {
                return Err(Tangle::stopped());
            }
            let goal = |p: &Near| (self.problem.clearance - p.gap).min(self.fabric.stride);
            let mut d = self.displacements(near.iter().map(|p| p.wish(goal(p))).collect());
            d.resize(self.x.len(), DVec3::ZERO);
            near::limit(&self.fabric, &mut self.detector, &self.x, &mut d);
            self.x.iter_mut().zip(&d).for_each(|(x, d)| *x += *d);
        }
        Ok(before + CLEARING)
    }

    fn is_good(&self, near: &[Near]) -> bool {
        let [shortest, longest] = self.fabric.edge_ratios(&self.x);
        let [low, high] = self.fabric.bounds(self.problem.stretch);
        let gap = near.iter().map(|p| p.gap).fold(self.fabric.plane_gap(&self.x), f64::min);
        gap >= ENOUGH * self.problem.clearance && shortest >= low && longest <= high
    }

    fn finish(&mut self, result: Untangled) -> Result<Untangled, Tangle> {
        let near = near::pairs(&self.fabric, &mut self.detector, &self.x, self.problem.clearance);
        let least = LEAST * self.problem.clearance;
        let look = self.look();
        if !look.is_clear() {
            return Err(Tangle::crossing(self.problem, &look.meetings, &self.insiders(&look)));
        }
        let tight: Vec<&Near> = near.iter().filter(|p| !(p.gap >= least)).collect();
        if !tight.is_empty() || !(self.fabric.plane_gap(&self.x) >= least) {
            return Err(Tangle::tight(self.problem, &tight, least));
        }
        let ratios = self.fabric.edge_ratios(&self.x);
        let [low, high] = self.fabric.bounds(self.problem.stretch);
        if !(ratios[0] >= low && ratios[1] <= high) {
            return Err(Tangle::stretched(self.problem, &self.fabric.beyond(&self.x, [low, high]), ratios));
        }
        let way = self.x.iter().zip(&self.start).map(|(x, s)| x.distance(*s)).fold(0.0, f64::max);
        let gap = near.iter().map(|p| p.gap).fold(self.problem.clearance, f64::min);
        Ok(Untangled { moved_max: way, smallest_gap: gap, edge_ratios: ratios, ..result })
    }

    /// Cloth vertices inside obstacles, with the body they are in.
    fn insiders(&self, look: &Look) -> Vec<(u32, String)> {
        let name = |b: u32| self.problem.shapes.bodies[b as usize].name.clone();
        let solids = look.inside.iter().enumerate().filter_map(|(v, i)| i.map(|b| (v as u32, name(b))));
        let cloth = self.x[..look.inside.len()].iter().enumerate();
        let planes = cloth.flat_map(|(v, p)| {
            let under = self.problem.planes.iter().filter(move |q| q.normal.dot(*p - q.point) < 0.0);
            under.map(move |q| (v as u32, q.name.clone()))
        });
        solids.chain(planes).collect()
    }
}
