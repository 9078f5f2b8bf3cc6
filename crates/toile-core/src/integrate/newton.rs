//! Newton's method on a stage problem, among bodies that must not pass through each other where there is contact.
//!
//! Each iteration: matrix and residual at y, a linear solve, the move cut by contact, the residual at its end. The move is
//! lengthened where the projected matrix is too stiff, and shortened where the residual grew and the merit does not fall.

use super::stage::{Engine, Problem, Solved, Vectors, add, dot};
use super::{Phase, StepError, StepReport};
use crate::contact::Lengths;
use crate::linalg::Stop;
use crate::parallel;
use glam::DVec3;

/// Share of the residual along a move that is left after it, from which on the move is made longer.
const SLOW: f64 = 0.5;
/// Longest such move over the first.
const LONGEST: f64 = 8.0;
/// Squared error on one vertex over its share of the tolerance, by mass, from which on a step in contact is not done. All of a
/// tolerance of 0.3 on one vertex would stretch the cloth there by 6 % in a mesh of 12 800 triangles, and twice as much in a finer one.
const CONCENTRATED: f64 = 100.0;

impl Problem<'_> {
    pub(super) fn newton(
        &mut self,
        engine: &mut dyn Engine,
        v: &mut Vectors,
        guess: Vec<DVec3>,
    ) -> Result<Solved, StepError> {
        let mut y = guess;
        if self.contact.is_none() {
            self.put_grips(&mut y);
        }
        v.fit(y.len());
        let tolerance = self.options.tolerance * self.scale;
        let (mut report, mut norm, mut reactions) = (StepReport::default(), f64::INFINITY, Vec::new());
        // `merit`: at y, where a search has found it already.
        let (mut uneven, mut merit) = (0, None);
        loop {
            self.linearise(engine, v, &y, &report)?;
            let is_moving = self.find_way(&y, &mut v.way);
            report.linear += self.solve(engine, v, &y, norm, is_moving)?;
            report.newton += 1;
            let before = smaller(norm, root(dot(&v.r, &v.d), tolerance));
            // Seen through the matrix at hand, contacts included, the residual at y is small enough: the last move. Without contact
            // the matrix hardly changes, and the test below has seen it.
            let is_last = self.contact.is_some() && report.newton > 1 && !is_moving && before <= tolerance;
            if is_last && (uneven >= self.options.contact_patience || self.is_even(&v.r, &v.d)) {
                self.limit(&y, &mut v.d, Lengths::Common);
                add(&mut y, &v.d);
                return Ok((y, reactions, StepReport { residual: before / self.scale, ..report }));
            }
            self.move_along(v, &y);
            reactions = self.evaluate(&v.trial, &mut v.next);
            // While grips and obstacles are on their way the merit may rise: there is nothing to search on.
            let searches = self.options.line_search && !is_moving;
            if searches && self.extend(v) {
                report.extensions += 1;
                reactions = self.evaluate(&v.trial, &mut v.next);
            }
            norm = root(engine.precondition(self, &v.next, &mut v.z), tolerance);
            // Not `norm > before`: NaN must search too.
            let known = merit.take();
            if searches && !(norm <= before.max(tolerance)) {
                let found = self.backtrack(&y, v, known);
                report.backtracks += found.halvings;
                merit = found.has_fallen.then_some(found.merit);
                if found.has_moved {
                    reactions = self.evaluate(&v.trial, &mut v.next);
                    norm = root(engine.precondition(self, &v.next, &mut v.z), tolerance);
                }
            }
            std::mem::swap(&mut y, &mut v.trial);
            report.residual = norm / self.scale;
            let has_arrived = !is_moving || !self.find_way(&y, &mut v.way);
            if norm <= tolerance && has_arrived {
                if uneven >= self.options.contact_patience || self.is_even(&v.next, &v.z) {
                    self.correct(v, &mut y);
                    return Ok((y, reactions, report));
                }
                uneven += 1;
            }
            if report.newton >= self.options.max_newton || !norm.is_finite() {
                return Err(self.not_converged(&v.next, &report, has_arrived));
            }
        }
    }

    /// Matrix at y, and the residual there: known from the test of the last iteration, but for the first.
    fn linearise(
        &mut self,
        engine: &mut dyn Engine,
        v: &mut Vectors,
        y: &[DVec3],
        report: &StepReport,
    ) -> Result<(), StepError> {
        if report.newton == 0 {
            self.start_forces(&mut v.r);
            engine.assemble(self, y, Some(&mut v.r))?;
            self.subtract_inertia(y, &mut v.r);
            return Ok(());
        }
        std::mem::swap(&mut v.r, &mut v.next);
        if self.options.simplified { Ok(()) } else { engine.assemble(self, y, None) }
    }

    /// d from the residual and from what grips and obstacles still have to go; returns the linear iterations.
    fn solve(
        &mut self,
        engine: &mut dyn Engine,
        v: &mut Vectors,
        y: &[DVec3],
        norm: f64,
        is_moving: bool,
    ) -> Result<usize, StepError> {
        let options = self.options;
        let tolerance = options.tolerance * self.scale;
        let floor = options.contact_forcing.min(0.1) * tolerance;
        let goal = (options.linear_tolerance * self.scale).min(options.forcing * norm).max(floor);
        let is_later = self.contact.is_some() && norm.is_finite();
        let goal = if is_later { options.contact_forcing * norm.min(tolerance) } else { goal };
        if let (true, Some(contact)) = (is_moving, &mut self.contact) {
            contact.add_approach(y, &mut v.r);
            self.system.held.iter().for_each(|&(i, c)| v.r[i as usize][c as usize] = 0.0);
        }
        let stop = Stop { goal, max_iterations: options.max_linear, unchecked: true };
        engine.solve(self, &v.r, &v.way, &mut v.d, stop)
    }

    /// `trial` = y + d, where contact cuts d.
    fn move_along(&mut self, v: &mut Vectors, y: &[DVec3]) {
        if self.contact.is_some() {
            v.whole.clone_from(&v.d);
            self.limit(y, &mut v.d, Lengths::Each);
        }
        v.trial.copy_from_slice(y);
        add(&mut v.trial, &v.d);
    }

    /// The last correction is free and makes the error two to three times smaller. In contact it is left out where it would be cut,
    /// or is longer than the move before it: a corner that swings.
    fn correct(&mut self, v: &mut Vectors, y: &mut [DVec3]) {
        let is_good = self.contact.is_none() || longest(&v.z) <= longest(&v.d);
        if is_good && self.limit(y, &mut v.z, Lengths::Common) == 1.0 {
            add(y, &v.z);
        }
    }

    /// Grips and obstacles in contact cannot jump to their places: notes what is left of the grips' way, and tells whether
    /// anything is.
    fn find_way(&self, y: &[DVec3], way: &mut Vec<DVec3>) -> bool {
        way.clear();
        let Some(contact) = &self.contact else { return false };
        let left = |(&(i, c), goal): (&(u32, u8), &f64)| goal - y[i as usize][c as usize];
        if self.system.held.iter().zip(&self.stage.held).all(|h| left(h) == 0.0) {
            return contact.is_moving();
        }
        way.resize(y.len(), DVec3::ZERO);
        for held in self.system.held.iter().zip(&self.stage.held) {
            way[held.0.0 as usize][held.0.1 as usize] = left(held);
        }
        true
    }

    /// Cuts a move so that nothing passes through anything, and lets obstacles go on.
    fn limit(&mut self, y: &[DVec3], d: &mut [DVec3], lengths: Lengths) -> f64 {
        let Some(contact) = &mut self.contact else { return 1.0 };
        if let Some(probe) = &mut self.probe {
            probe(Phase::Detection);
        }
        let share = contact.limit(y, d, lengths);
        contact.advance();
        self.enter(Phase::Other);
        share
    }

    /// Whether no vertex bears much more of the error r·d than its mass. Without contact errors spread by themselves.
    fn is_even(&self, r: &[DVec3], d: &[DVec3]) -> bool {
        let (masses, count) = (self.system.masses(), self.system.vertex_count());
        let limit = CONCENTRATED * (self.options.tolerance * self.scale).powi(2) / self.system.total_mass();
        self.contact.is_none() || (0..count).all(|i| r[i].dot(d[i]) <= limit * masses[i])
    }

    fn not_converged(&self, residual: &[DVec3], report: &StepReport, has_arrived: bool) -> StepError {
        if let (Some(contact), false) = (&self.contact, has_arrived) {
            return StepError::Blocked { time: self.stage.time, what: contact.obstruction() };
        }
        let size = |r: &DVec3| if r.is_finite() { r.length_squared() } else { f64::INFINITY };
        let node = (0..residual.len()).max_by(|&a, &b| size(&residual[a]).total_cmp(&size(&residual[b]))).unwrap_or(0);
        StepError::NoConvergence {
            time: self.stage.time,
            residual: report.residual,
            newton: report.newton,
            cuts: 0,
            node,
        }
    }

    /// Goes on along d where most of the residual along it is left: the projected matrix is stiffer than the true one wherever cloth
    /// buckles, and would creep. By the secant rule, as far as the merit falls; moves `trial` and returns whether it did.
    fn extend(&mut self, v: &mut Vectors) -> bool {
        let (before, after) = (dot(&v.r, &v.d), dot(&v.next, &v.d));
        if !(after > SLOW * before && before > 0.0) {
            return false;
        }
        let stretch = if after < before { (before / (before - after)).min(LONGEST) } else { LONGEST };
        v.more.clear();
        v.more.extend(v.d.iter().map(|d| (stretch - 1.0) * *d));
        let mut more = std::mem::take(&mut v.more);
        self.limit(&v.trial, &mut more, Lengths::Common);
        let start = self.merit(&v.trial);
        parallel::each(&mut more, |i, m| *m += v.trial[i]);
        let falls = self.merit(&more) < start;
        if falls {
            std::mem::swap(&mut v.trial, &mut more);
        }
        v.more = more;
        falls
    }

    /// Halves the step along d until the merit falls as its slope −r·d promises (Armijo, 10⁻⁴); leaves the point in `trial`.
    /// Where contact cut vertices to lengths of their own, d may have lost its descent: then the whole direction is tried.
    fn backtrack(&mut self, y: &[DVec3], v: &mut Vectors, known: Option<f64>) -> Search {
        let start = known.unwrap_or_else(|| self.merit(y));
        let first = self.search(y, start, v);
        if first.has_fallen || self.contact.is_none() {
            return Search { has_moved: first.halvings > 0, ..first };
        }
        std::mem::swap(&mut v.d, &mut v.whole);
        self.limit(y, &mut v.d, Lengths::Common);
        v.trial.copy_from_slice(y);
        add(&mut v.trial, &v.d);
        let second = self.search(y, start, v);
        Search { halvings: first.halvings + second.halvings, has_moved: true, ..second }
    }

    /// Backtracking from `trial` = y + d.
    fn search(&mut self, y: &[DVec3], start: f64, v: &mut Vectors) -> Search {
        let slope = dot(&v.r, &v.d);
        let mut found = Search { merit: f64::NAN, halvings: 0, has_fallen: false, has_moved: false };
        if self.contact.is_some() && !(slope > 0.0) {
            return found;
        }
        let mut share = 1.0;
        while found.halvings < 30 {
            found.merit = self.merit(&v.trial);
            // Below rounding of the merit there is nothing left to compare: take the step.
            let rounding = 1e-12 * start.abs();
            found.has_fallen = found.merit <= start - 1e-4 * share * slope + rounding;
            if found.has_fallen {
                return found;
            }
            found.halvings += 1;
            share *= 0.5;
            for i in 0..y.len() {
                v.trial[i] = y[i] + share * v.d[i];
            }
        }
        found
    }
}

/// What a search along a move came to.
struct Search {
    /// At `trial`, if it has fallen.
    merit: f64,
    halvings: usize,
    has_fallen: bool,
    /// `trial` is another point than before.
    has_moved: bool,
}

/// Square root of a form that should not be negative. Where it is by more than rounding, the preconditioner has lost its sign: that, too, is no number,
/// and not zero. `f64::max` would take both for a residual that is solved.
fn root(squared: f64, tolerance: f64) -> f64 {
    let rounding = (1e-6 * tolerance).powi(2);
    if squared < 0.0 && squared >= -rounding { 0.0 } else { squared.sqrt() }
}

/// The smaller of two norms, the first of which may be unknown; none where the second is none.
fn smaller(known: f64, new: f64) -> f64 {
    if new.is_nan() { new } else { known.min(new) }
}

fn longest(a: &[DVec3]) -> f64 {
    a.iter().map(|d| d.length_squared()).fold(0.0, f64::max).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A residual that is no number is not a small one: steps that end there have to be searched, or told. Neither is one that a
    /// preconditioner without a sign makes of a large one.
    #[test]
    fn norms_that_are_none_stay_so() {
        assert!(root(f64::NAN, 1.0).is_nan() && root(-0.1, 1.0).is_nan() && smaller(1.0, f64::NAN).is_nan());
        assert_eq!([root(-1e-20, 1.0), root(4.0, 1.0), smaller(f64::INFINITY, 3.0)], [0.0, 2.0, 3.0]);
    }
}
