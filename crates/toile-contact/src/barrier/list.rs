//! Candidate pairs, kept for as long as they are known to be all.
//!
//! A list made for the motion x → x + d with an extra slack on every vertex holds for any other motion whose vertices start and end
//! within the slack of it: between the ends the distance to the first motion is linear. So it serves several iterations, and
//! mostly the next step, too. Vertices that have left theirs take their pairs with them: only those are looked for again.

use super::near::Near;
use crate::detect::{Detector, Kind};
use crate::shapes::Shapes;
use glam::DVec3;

/// A pair of features that may come within reach.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) kind: Kind,
    pub(super) nodes: [u32; 4],
    /// Sum of the radii (m).
    pub(super) radius: f64,
    /// Distance beyond them (m) within which it presses.
    pub(super) reach: f64,
    /// κ (N/m).
    pub(super) stiffness: f64,
    /// Gap (m) where it was last looked at; out of reach something it does not fall below.
    pub(super) gap: f64,
    /// Two edges that keep their weight up to their ends.
    pub(super) is_whole: bool,
}

impl Candidate {
    /// Whether its gap is beyond its reach for sure, whatever rounding did to it on the way.
    pub(super) fn is_out_of_reach(&self) -> bool {
        self.gap >= self.reach + ROUNDING
    }
}

/// What rounding may do to a gap (m) that is lowered again and again: far more than it does to lengths of some metres.
const ROUNDING: f64 = 1e-9;

/// The candidates and what they hold for.
pub(super) struct List {
    detector: Detector,
    near: Near,
    /// Within this beyond the radii (m).
    reach: f64,
    slack: f64,
    pub(super) candidates: Vec<Candidate>,
    from: Vec<DVec3>,
    to: Vec<DVec3>,
    /// Where gaps were last looked at.
    at: Vec<DVec3>,
    /// What each vertex has moved since (m).
    moved: Vec<f64>,
    /// How often it was made anew.
    pub(super) detections: usize,
}

impl List {
    pub(super) fn new(detector: Detector, near: Near, reach: f64, slack: f64) -> Self {
        let none = Vec::new;
        Self {
            detector,
            near,
            reach,
            slack,
            candidates: Vec::new(),
            from: none(),
            to: none(),
            at: none(),
            moved: Vec::new(),
            detections: 0,
        }
    }

    /// Takes from every gap what its features can have come nearer on their way to `x`: most candidates stay out of reach, and need
    /// not be measured to know it.
    pub(super) fn come_to(&mut self, x: &[DVec3]) {
        if self.at.len() != x.len() {
            self.candidates.iter_mut().for_each(|c| c.gap = f64::NAN);
        } else {
            self.moved.clear();
            self.moved.extend(x.iter().zip(&self.at).map(|(x, at)| x.distance(*at)));
            let moved = &self.moved;
            self.candidates.iter_mut().for_each(|c| c.gap -= sum_of_longest(c, moved));
        }
        self.at.clear();
        self.at.extend_from_slice(x);
    }

    /// Whether every pair within reach at `x` is in the list.
    pub(super) fn covers_place(&self, x: &[DVec3]) -> bool {
        !self.from.is_empty() && (self.is_near(x, &self.to) || self.is_near(x, &self.from))
    }

    /// Whether every pair within reach at any moment of x → x + d is.
    pub(super) fn covers_motion(&self, x: &[DVec3], d: &[DVec3]) -> bool {
        if self.from.is_empty() {
            return false;
        }
        let ends_near = |goal: &[DVec3]| {
            let limit = self.slack * self.slack;
            x.iter().zip(d).zip(goal).all(|((x, d), g)| (*x + *d).distance_squared(*g) <= limit)
        };
        ends_near(&self.to) && (self.is_near(x, &self.from) || self.is_near(x, &self.to))
    }

    /// κ of a pair is the mean over its cloth vertices.
    pub(super) fn set_stiffness(&mut self, stiffness: &[f64], cloth_vertices: usize) {
        for candidate in &mut self.candidates {
            let cloth = candidate.nodes.iter().filter(|&&v| (v as usize) < cloth_vertices);
            let (sum, count) = cloth.fold((0.0, 0.0), |(s, n), &v| (s + stiffness[v as usize], n + 1.0));
            candidate.stiffness = sum / count;
        }
    }

    fn is_near(&self, x: &[DVec3], place: &[DVec3]) -> bool {
        let limit = self.slack * self.slack;
        x.iter().zip(place).all(|(x, p)| x.distance_squared(*p) <= limit)
    }

    /// Nothing is known any more: the next list is made anew.
    pub(super) fn forget(&mut self) {
        self.from.clear();
    }

    /// Makes the list hold for a motion: anew, or where few vertices have left what it holds for, about those. Then returns which
    /// these are and how many candidates were kept; all others have a new vertex.
    pub(super) fn detect(
        &mut self,
        shapes: &Shapes,
        stiffness: &[f64],
        x: &[DVec3],
        d: Option<&[DVec3]>,
    ) -> Option<(Vec<bool>, usize)> {
        self.detections += 1;
        self.come_to(x);
        let reach = self.reach + 2.0 * self.slack;
        let mended = if let Some((strays, goes_on)) = self.strays(x, d) {
            self.follow(x, d, &strays, goes_on);
            self.candidates.retain(|c| !c.nodes.iter().any(|&v| strays[v as usize]));
            let motion: Vec<DVec3> = self.from.iter().zip(&self.to).map(|(from, to)| *to - *from).collect();
            let found = self.detector.detect_about(shapes, &self.from, Some(&motion), reach, &strays);
            let kept = self.candidates.len();
            self.moved.clear();
            self.moved.extend(x.iter().zip(&self.from).map(|(x, from)| x.distance(*from)));
            let way = Way { from: &self.from, motion: Some(&motion), slack: self.slack };
            let made = found.pairs().map(|p| candidate(shapes, &self.near, self.reach, p));
            let near = made.filter_map(|c| way.near(c));
            self.candidates.extend(near.map(|c| Candidate { gap: c.gap - sum_of_longest(&c, &self.moved), ..c }));
            Some((strays, kept))
        } else {
            let end = |(x, k): (&DVec3, usize)| d.map_or(*x, |d| *x + d[k]);
            self.from.clear();
            self.from.extend_from_slice(x);
            self.to.clear();
            self.to.extend(x.iter().zip(0..).map(end));
            self.candidates.clear();
            let found = self.detector.detect(shapes, x, d, reach);
            let way = Way { from: x, motion: d, slack: self.slack };
            let made = found.pairs().map(|p| candidate(shapes, &self.near, self.reach, p));
            self.candidates.extend(made.filter_map(|c| way.near(c)));
            None
        };
        self.set_stiffness(stiffness, shapes.cloth_vertices);
        mended
    }

    /// Which vertices leave what the list holds for, if they are few, and whether the others go on from where it ends.
    ///
    /// Motions are compared at the same moments: so either all others start where the list starts, or all stay where it ends.
    fn strays(&self, x: &[DVec3], d: Option<&[DVec3]>) -> Option<(Vec<bool>, bool)> {
        if self.from.is_empty() {
            return None;
        }
        let limit = self.slack * self.slack;
        let is_far = |a: DVec3, b: DVec3| a.distance_squared(b) > limit;
        let ends_far = |v: usize| d.is_some_and(|d| is_far(x[v] + d[v], self.to[v]));
        let pick = |place: &[DVec3]| -> (usize, Vec<bool>) {
            let strays: Vec<bool> = (0..x.len()).map(|v| is_far(x[v], place[v]) || ends_far(v)).collect();
            (strays.iter().filter(|s| **s).count(), strays)
        };
        let (after, along) = (pick(&self.to), pick(&self.from));
        let goes_on = after.0 <= along.0;
        let (count, strays) = if goes_on { after } else { along };
        (count <= x.len() / FEW).then_some((strays, goes_on))
    }

    /// Takes over the motion of strays; what the list holds for of the others stays as it is, as long as it is needed.
    fn follow(&mut self, x: &[DVec3], d: Option<&[DVec3]>, strays: &[bool], goes_on: bool) {
        for v in 0..x.len() {
            if strays[v] {
                (self.from[v], self.to[v]) = (x[v], d.map_or(x[v], |d| x[v] + d[v]));
            } else if goes_on {
                self.from[v] = self.to[v];
            } else if d.is_none() {
                self.to[v] = self.from[v];
            }
        }
    }
}

/// A motion that a list is made for.
struct Way<'a> {
    from: &'a [DVec3],
    motion: Option<&'a [DVec3]>,
    slack: f64,
}

impl Way<'_> {
    /// The pair with its gap at the start, if it may come within its reach on the way, or on any other within the slack. Boxes tell less: of the
    /// pairs whose boxes come near, and of those that lie near each other in the cloth itself, most never do.
    fn near(&self, candidate: Candidate) -> Option<Candidate> {
        let nodes = candidate.nodes;
        let approach = self.motion.map_or(0.0, |d| longest_approach(candidate.kind, &of(nodes, d)));
        let gap = candidate.kind.closest(&of(nodes, self.from)).distance - candidate.radius;
        // Not `gap > …`: what is not a number is kept.
        let is_apart = gap >= candidate.reach + 2.0 * self.slack + approach;
        (!is_apart).then_some(Candidate { gap, ..candidate })
    }
}

/// The values of four vertices. Not `nodes.map(…)`: with bounds to check it becomes a call for each pair.
#[inline(always)]
pub(super) fn of<T: Copy>([a, b, c, d]: [u32; 4], values: &[T]) -> [T; 4] {
    [values[a as usize], values[b as usize], values[c as usize], values[d as usize]]
}

/// What the features of a pair come nearer (m), at most, if their vertices move by these lengths.
#[inline(always)]
pub(super) fn sum_of_longest(candidate: &Candidate, moved: &[f64]) -> f64 {
    let [a, b, c, d] = of(candidate.nodes, moved);
    if candidate.kind == Kind::EdgeEdge { a.max(b) + c.max(d) } else { a + b.max(c).max(d) }
}

/// What two features come nearer (m), at most, while their vertices move by d.
pub(super) fn longest_approach(kind: Kind, d: &[DVec3; 4]) -> f64 {
    let mean = 0.25 * (d[0] + d[1] + d[2] + d[3]);
    let own = d.map(|d| d.distance_squared(mean));
    let split = if kind == Kind::EdgeEdge { 2 } else { 1 };
    let longest = |part: &[f64]| part.iter().copied().fold(0.0, f64::max).sqrt();
    longest(&own[..split]) + longest(&own[split..])
}

/// Up to this part of all vertices the list is mended; beyond, made anew.
const FEW: usize = 2;

fn candidate(shapes: &Shapes, near: &Near, reach: f64, (kind, mut nodes): (Kind, [u32; 4])) -> Candidate {
    if kind == Kind::VertexEdge {
        nodes[3] = nodes[2]; // of weight zero
    }
    let [a, b] = sides(kind, nodes);
    let radius = shapes.radius(a) + shapes.radius(b);
    let share = near.share(kind, nodes, radius + reach);
    let (radius, reach) = (share * radius, share * reach);
    Candidate { kind, nodes, radius, reach, stiffness: 0.0, gap: f64::NAN, is_whole: false }
}

/// A vertex of each side of a pair.
pub(super) fn sides(kind: Kind, nodes: [u32; 4]) -> [u32; 2] {
    match kind {
        Kind::EdgeEdge => [nodes[0], nodes[2]],
        _ => [nodes[0], nodes[1]],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::tests::{CELL, Noise, Scene};
    use std::collections::BTreeSet;

    /// A rolled sheet about a needle. In each round some vertices move on, now along a motion, now from place to place: the mended
    /// list has every pair that comes near, as one made anew would, and each once.
    #[test]
    fn mended_lists_miss_nothing() {
        let mut scene = Scene::default();
        let roll = |p: glam::DVec2| {
            let (r, a) = (0.012 + 0.0015 * p.x / CELL / 6.0, p.x / 0.012);
            DVec3::new(r * a.cos(), p.y, r * a.sin())
        };
        scene.sheet(12, roll);
        scene.obstacle(0.001, &[DVec3::new(0.0, -0.02, 0.0), DVec3::new(0.0, 0.15, 0.0)], &[], &[[0, 1]]);
        let (reach, slack, count) = (0.002, 0.0005, scene.x.len());
        let detector = Detector::new(&scene.shapes, &scene.x, &scene.material);
        let near = Near::new(&scene.shapes, &scene.material, reach);
        let mut list = List::new(detector, near, reach, slack);
        let (mut noise, mut mended, mut seen) = (Noise::new(3), 0, 0);
        for round in 0..60 {
            for v in 0..count {
                let moves = noise.next() > [0.9, 0.97, 0.1][round % 3];
                scene.d[v] = noise.vector(if moves { 0.004 } else { 0.0001 });
            }
            let holds = list.covers_motion(&scene.x, &scene.d);
            if !holds {
                mended += usize::from(list.strays(&scene.x, Some(&scene.d)).is_some());
                list.detect(&scene.shapes, &vec![1.0; count], &scene.x, Some(&scene.d));
            }
            let set: BTreeSet<_> = list.candidates.iter().map(|c| (c.kind, pair(c))).collect();
            assert_eq!(set.len(), list.candidates.len(), "pairs come once");
            list.come_to(&scene.x);
            for c in &list.candidates {
                let gap = c.kind.closest(&of(c.nodes, &scene.x)).distance - c.radius;
                assert!(
                    c.gap <= gap + ROUNDING,
                    "round {round}: gap {gap} of {:?} is said to be above {}",
                    c.nodes,
                    c.gap
                );
            }
            let near = scene.near(reach);
            let missing: Vec<_> = near.difference(&set).collect();
            assert!(missing.is_empty(), "round {round}: {} of {} missing: {:?}", missing.len(), near.len(), missing[0]);
            seen += near.len();
            if round % 2 == 0 {
                (0..count).for_each(|v| scene.x[v] += scene.d[v]);
                assert!(list.covers_place(&scene.x), "round {round}");
            }
        }
        assert!(mended > 20 && mended < 55 && seen > 10_000, "{mended} {seen}");
    }

    fn pair(c: &Candidate) -> [u32; 4] {
        let mut nodes = c.nodes;
        if c.kind == Kind::VertexEdge {
            nodes[3] = u32::MAX;
        }
        nodes
    }
}
