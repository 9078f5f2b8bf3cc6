//! Never through: how far vertices may go along a move before a pair has used up what it may of its gap.
//!
//! Source: the CONTACT study, section 3. Each vertex has a length of its own: the vertices of a pair that would lose more than its
//! share of the gap are held back, and pairs they belong to are looked at again, until none is left. One length for
//! all would let a single pair stop the whole sheet.
//!
//! Before that, moves that bring pairs into reach are softened (`land`): the matrix they come from knows nothing of the barriers ahead.

use super::list::{Candidate, longest_approach, of, sum_of_longest};
use super::{Barrier, potential};
use crate::ccd::{Query, time_of_impact};
use crate::detect::Kind;
use crate::distance::Closest;
use glam::DVec3;
use rayon::prelude::*;
use toile_core::contact::Lengths;

/// Share of its gap that a pair keeps in one move. At ½ contact is taken up too slowly, below 0.1 gaps collapse.
const KEEP: f64 = 0.2;
/// Gap (m) below which no approach is allowed at all: above what rounding does to distances of a few metres.
const FLOOR: f64 = 1e-6;
/// Rounds of looking again before pairs that hit are stopped.
const ROUNDS: usize = 60;
/// Rounds of stopping before the move is given up: each stops at least one vertex for good, mostly a whole crowd.
const STOPS: usize = 200;
/// Rounds in which the vertices of a pair keep shares of their own.
const OWN_ROUNDS: usize = 3;
/// Share of a move below which a pair counts as stuck.
const STUCK: f64 = 1e-2;
/// Candidates that one thread takes at a time.
const RUN: usize = 256;
/// Barriers that a vertex meets at once: the faces about it all feel what it touches.
const FACES: f64 = 6.0;
/// Share of the reach below which nothing lands: impacts go on from there with their barriers in the matrix.
const DEEPEST: f64 = 0.3;

impl Barrier {
    /// Ends moves that would take a pair from out of reach well into it about where its barrier will hold it. A vertex as stiff as its
    /// barrier that would get to the gap g by itself is held at uĝ, where (uĝ − g)/ĝ is the force of the barriers over κĝ.
    ///
    /// Only a guess at the answer: without it, cloth that wraps round a body overshoots at every vertex that comes to touch it, and each
    /// costs an iteration of its own.
    pub(super) fn land(&self, motion: &mut [DVec3]) {
        let cloth = self.bodies.shapes.cloth_vertices;
        let (mut changes, mut weights) = (vec![DVec3::ZERO; cloth], vec![0.0; cloth]);
        let lengths = lengths(motion);
        for candidate in &self.list.candidates {
            let is_far = sum_of_longest(candidate, &lengths) < candidate.gap - candidate.reach;
            let landing = if is_far { None } else { self.landing(candidate, motion) };
            let Some((closest, more)) = landing else { continue };
            let normal = closest.separation / closest.distance;
            let own = candidate.nodes.iter().zip(closest.weights).filter(|n| (*n.0 as usize) < cloth);
            let total: f64 = own.clone().map(|(_, w)| w * w).sum();
            for (&v, w) in own {
                changes[v as usize] += w.abs() * w / total * more * normal;
                weights[v as usize] += w.abs();
            }
        }
        for ((m, change), weight) in motion.iter_mut().zip(changes).zip(weights) {
            if weight > 0.0 {
                *m += change / weight;
            }
        }
    }

    /// Closest points at the end of a move that enters the reach, and what the gap should be more there.
    fn landing(&self, candidate: &Candidate, motion: &[DVec3]) -> Option<(Closest, f64)> {
        let (reach, kind, gap) = (candidate.reach, candidate.kind, candidate.gap);
        let d = of(candidate.nodes, motion);
        if gap < reach || longest_approach(kind, &d) < gap - reach {
            return None;
        }
        let x = of(candidate.nodes, &self.x);
        let (before, after) = (kind.closest(&x), kind.closest(&std::array::from_fn(|i| x[i] + d[i])));
        let end = after.distance - candidate.radius;
        let has_passed = before.separation.dot(after.separation) <= 0.0;
        if has_passed || end >= reach || (kind == Kind::EdgeEdge && !after.is_interior) {
            return None;
        }
        let is_held = |u: f64| u - end / reach < -FACES * potential::barrier(u, 1.0, 1.0)[1];
        let (mut low, mut high) = (DEEPEST, 1.0);
        for _ in 0..10 {
            let middle = 0.5 * (low + high);
            if is_held(middle) { low = middle } else { high = middle }
        }
        let more = low * reach - end;
        (more > 0.0).then_some((after, more))
    }

    /// Shortens `motion` (all vertices) in place; the share left of each vertex's motion goes to `shares`.
    pub(super) fn shorten(&mut self, motion: &mut [DVec3], shares: &mut [f64], lengths: Lengths) {
        let whole = motion.to_vec();
        let mut changed: Option<Vec<bool>> = None;
        for round in 0..ROUNDS + STOPS {
            if self.detect_for(motion) {
                changed = None;
            }
            let hits = self.hits(motion, changed.as_deref());
            if hits.is_empty() {
                return;
            }
            if lengths == Lengths::Common && hits.iter().all(|h| h.1 >= STUCK) {
                // The same share for all only slows the move down: what was safe so far stays so.
                let least = hits.iter().map(|h| h.1).fold(1.0, f64::min);
                shares.iter_mut().for_each(|s| *s *= least);
                motion.iter_mut().for_each(|m| *m *= least);
                return;
            }
            let mut left = vec![1.0f64; motion.len()];
            for (nodes, time) in &hits {
                // Pairs that cannot move at all would stop everything that shares their length: they stay behind alone.
                if lengths == Lengths::Common {
                    let stays = if *time < STUCK { 0.0 } else { 1.0 };
                    nodes.iter().for_each(|&v| left[v as usize] = left[v as usize].min(stays));
                    continue;
                }
                // Shares of their own change how the vertices of a pair move against each other, and can bring on the next hit. From
                // some round on, pairs that hit go on together: what is left is then a slower motion, not another one.
                let slowest = nodes.iter().map(|&v| shares[v as usize]).fold(1.0, f64::min);
                // Too many knock-on cuts: what still hits stays where it is.
                let time = if round < ROUNDS { *time } else { 0.0 };
                for &v in nodes {
                    let v = v as usize;
                    let own = if round < OWN_ROUNDS || shares[v] == 0.0 { 1.0 } else { slowest / shares[v] };
                    left[v] = left[v].min(own * time);
                }
            }
            for v in 0..motion.len() {
                shares[v] *= left[v];
                motion[v] = shares[v] * whole[v];
            }
            changed = Some(left.iter().map(|&l| l < 1.0).collect());
        }
        motion.fill(DVec3::ZERO);
        shares.fill(0.0);
    }

    /// Pairs with a changed vertex that would lose too much of their gap, and when.
    fn hits(&self, motion: &[DVec3], changed: Option<&[bool]>) -> Vec<([u32; 4], f64)> {
        let lengths = lengths(motion);
        let concerns = |nodes: &[u32; 4]| changed.is_none_or(|c| nodes.iter().any(|&v| c[v as usize]));
        let test = |candidate: &Candidate| {
            // Most pairs do not come near each other by any move of this length: known without looking at directions.
            let is_asked =
                concerns(&candidate.nodes) && !is_safe(candidate, candidate.gap, sum_of_longest(candidate, &lengths));
            let time = is_asked.then(|| self.impact(candidate, motion)).flatten();
            time.map(|t| (candidate.nodes, t))
        };
        let candidates = &self.list.candidates;
        let mut hits: Vec<_> = if candidates.len() > 4 * RUN && rayon::current_num_threads() > 1 {
            let run = |run: &[Candidate]| -> Vec<_> { run.iter().filter_map(test).collect() };
            let found: Vec<Vec<_>> = candidates.par_chunks(RUN).map(run).collect();
            found.into_iter().flatten().collect()
        } else {
            candidates.iter().filter_map(test).collect()
        };
        hits.extend(self.plane_hits(motion));
        hits
    }

    fn impact(&self, candidate: &Candidate, motion: &[DVec3]) -> Option<f64> {
        let d = of(candidate.nodes, motion);
        let approach = longest_approach(candidate.kind, &d);
        if is_safe(candidate, candidate.gap, approach) {
            return None;
        }
        let x = of(candidate.nodes, &self.x);
        let mut gap = candidate.gap;
        if candidate.is_out_of_reach() {
            gap = candidate.kind.closest(&x).distance - candidate.radius;
            if is_safe(candidate, gap, approach) {
                return None;
            }
        }
        let floor = least_gap(gap, candidate.reach);
        let (offset, keep) =
            if gap > FLOOR { (candidate.radius, floor / gap) } else { (candidate.radius + gap.max(0.0), 0.0) };
        time_of_impact(&Query { kind: candidate.kind, x, d, offset }, keep, 1.0)
    }

    fn plane_hits(&self, motion: &[DVec3]) -> Vec<([u32; 4], f64)> {
        let mut hits = Vec::new();
        for plane in &self.bodies.planes {
            for v in 0..self.bodies.shapes.cloth_vertices {
                let approach = plane.normal.dot(motion[plane.vertex as usize] - motion[v]);
                let gap = self.plane_gap(plane, v);
                let room = gap - least_gap(gap, self.settings.reach);
                if approach > room.max(0.0) {
                    let share = if gap > FLOOR { room / approach } else { 0.0 };
                    let p = plane.vertex;
                    hits.push(([v as u32, p, p, p], share));
                }
            }
        }
        hits
    }
}

/// How far each vertex goes (m).
fn lengths(motion: &[DVec3]) -> Vec<f64> {
    motion.iter().map(|m| m.length()).collect()
}

/// Whether a pair with this gap may come nearer by that much (m).
fn is_safe(candidate: &Candidate, gap: f64, approach: f64) -> bool {
    approach < gap - least_gap(gap, candidate.reach) && gap > FLOOR
}

/// What a pair with this gap and reach (m) keeps of its gap in one move. From afar it may come well within reach at once: stopping short of
/// that would only delay the barrier's say.
fn least_gap(gap: f64, reach: f64) -> f64 {
    (KEEP * gap).min(0.5 * reach)
}
