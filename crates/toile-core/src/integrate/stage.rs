//! The stage problem of every implicit rule, and Newton's method on it. Source of the recipe and its figures: STEP study,
//! book page "The implicit step".
//!
//! r(y) = F(y, (y − x̂)/ĥ) − M(y − x̃)/ĥ², x̃ = x̂ + ĥv̂; A = M/ĥ² + K. Tolerances are in the energy norm √(r·A⁻¹r), seen through the
//! preconditioner, over that of one step of free fall, ĥ·g·√m. Residuals and positions are double; matrix and corrections
//! may be single, because corrections are small.

use super::matrix_free::OnTheFly;
use super::{Options, Phase, Precision, Probe, StepError, StepReport};
use crate::contact::{Contact, Couplings, Lengths};
use crate::force::{Moment, Projection, Rate, Target};
use crate::linalg::{self, BlockMatrix, Layout, LinearSolver, Operator, Pair, Real, ScalarMatrix, Stop};
use crate::parallel;
use crate::system::{Part, System};
use glam::DVec3;
use std::borrow::Cow;
use std::sync::Arc;

/// What an implicit rule asks for.
pub(super) struct Stage<'a> {
    /// x̂.
    pub(super) base_positions: Cow<'a, [DVec3]>,
    /// v̂.
    pub(super) base_velocities: Cow<'a, [DVec3]>,
    /// ĥ (s).
    pub(super) length: f64,
    pub(super) time: f64,
    /// Time since memory was committed (s).
    pub(super) elapsed: f64,
    /// Places of the held components, in the order of the system's list.
    pub(super) held: Vec<f64>,
    /// Forces that are left out of the matrix, if any are.
    pub(super) explicit: Option<Vec<DVec3>>,
}

impl Stage<'_> {
    /// x̃ of a node.
    fn target(&self, i: usize) -> DVec3 {
        self.base_positions[i] + self.length * self.base_velocities[i]
    }
}

/// Matrix, solver and vectors, kept from step to step.
pub(super) struct Workspace {
    pub(super) probe: Option<Probe>,
    lin: Linear,
    vectors: Vectors,
}

/// Solver in the chosen precision.
enum Linear {
    Single(Box<Typed<f32>>),
    Double(Box<Typed<f64>>),
    /// Products on the fly.
    Free(OnTheFly),
}

/// Everything of one precision.
pub(super) struct Typed<T: Real> {
    matrix: BlockMatrix<T>,
    rest_matrix: Option<BlockMatrix<T>>,
    scalars: Option<Arc<ScalarMatrix<T>>>,
    lumped: Vec<T>,
    pairs: Vec<Pair>,
    free: Vec<[T; 3]>,
    solver: Box<dyn LinearSolver<T>>,
    right: Vec<[T; 3]>,
    solution: Vec<[T; 3]>,
}

impl Workspace {
    pub(super) fn new(system: &System, options: &Options) -> Result<Self, StepError> {
        let lin = match (options.matrix_free, options.precision) {
            (true, _) => Linear::Free(OnTheFly::default()),
            (_, Precision::Single) => Linear::Single(Box::new(Typed::new(system, options)?)),
            (_, Precision::Double) => Linear::Double(Box::new(Typed::new(system, options)?)),
        };
        Ok(Self { probe: None, lin, vectors: Vectors::default() })
    }

    /// Newton from `guess`, which with contact is where nothing has passed through anything yet; returns the stage positions
    /// and the forces of the grips.
    pub(super) fn solve_newton(
        &mut self,
        system: &System,
        stage: &Stage,
        guess: Vec<DVec3>,
        memory: &[f64],
        options: &Options,
        contact: Option<&mut dyn Contact>,
    ) -> Result<Solved, StepError> {
        let mut problem = Problem::new(system, stage, memory, options, self.probe.as_mut());
        problem.contact = contact.map(|c| c as &mut dyn Contact);
        let v = &mut self.vectors;
        match &mut self.lin {
            Linear::Single(t) => problem.newton(t.as_mut(), v, guess),
            Linear::Double(t) => problem.newton(t.as_mut(), v, guess),
            Linear::Free(t) => problem.newton(t, v, guess),
        }
    }

    /// One linear solve with the Jacobian at `x`, the solve started from `guess`.
    pub(super) fn solve_once(
        &mut self,
        system: &System,
        stage: &Stage,
        x: &[DVec3],
        guess: Vec<DVec3>,
        memory: &[f64],
        options: &Options,
    ) -> Result<Solved, StepError> {
        let mut problem = Problem::new(system, stage, memory, options, self.probe.as_mut());
        let v = &mut self.vectors;
        match &mut self.lin {
            Linear::Single(t) => problem.once(t.as_mut(), v, x, guess),
            Linear::Double(t) => problem.once(t.as_mut(), v, x, guess),
            Linear::Free(t) => problem.once(t, v, x, guess),
        }
    }
}

/// A way to solve with A: stored in some precision, or computed on the fly.
pub(super) trait Engine {
    /// Takes over the Jacobian at `y`; adds the forces there where a place for them is given.
    fn assemble(&mut self, problem: &mut Problem, y: &[DVec3], forces: Option<&mut [DVec3]>) -> Result<(), StepError>;
    /// d = A⁻¹ r with the held components of d as in `way`, or zero where that is empty; returns the iterations.
    fn solve(
        &mut self,
        problem: &mut Problem,
        r: &[DVec3],
        way: &[DVec3],
        d: &mut [DVec3],
        stop: Stop,
    ) -> Result<usize, StepError>;
    /// z ≈ A⁻¹ r by the preconditioner; returns r·z.
    fn precondition(&mut self, problem: &mut Problem, r: &[DVec3], z: &mut [DVec3]) -> f64;
}

/// A stage problem with its surroundings.
pub(super) struct Problem<'a> {
    pub(super) system: &'a System,
    pub(super) stage: &'a Stage<'a>,
    pub(super) memory: &'a [f64],
    pub(super) options: &'a Options,
    contact: Option<&'a mut dyn Contact>,
    projection: Projection,
    probe: Option<&'a mut Probe>,
    reads_velocities: bool,
    /// Energy norm of one step of free fall.
    scale: f64,
}

impl<'a> Problem<'a> {
    fn new(
        system: &'a System,
        stage: &'a Stage,
        memory: &'a [f64],
        options: &'a Options,
        probe: Option<&'a mut Probe>,
    ) -> Self {
        let scale = stage.length * options.reference_acceleration * system.total_mass().sqrt();
        Self {
            system,
            stage,
memory, options, contact: None, projection: options.projection, probe,
            reads_velocities: system.reads_velocities(),
            scale,
        }
    }

    pub(super) fn enter(&mut self, phase: Phase) {
        if let Some(probe) = &mut self.probe {
            probe(phase);
        }
    }

    pub(super) fn moment<'b>(&self, y: &'b [DVec3], u: &'b [DVec3]) -> Moment<'b> {
        let per_second = 1.0 / self.stage.length;
        let rate = Rate::Since { per_second };
        Moment { positions: y, velocities: u, time: self.stage.time, elapsed: self.stage.elapsed, rate }
    }

    /// Velocities of the stage, where a force reads them.
    pub(super) fn velocities(&self, y: &[DVec3]) -> Vec<DVec3> {
        if !self.reads_velocities {
            return Vec::new();
        }
        y.iter().zip(self.stage.base_positions.iter()).map(|(y, x)| (*y - *x) / self.stage.length).collect()
    }

    /// 1/ĥ².
    pub(super) fn inertia(&self) -> f64 {
        1.0 / (self.stage.length * self.stage.length)
    }

    /// Energy norm of one step of free fall, the unit of tolerances.
    pub(super) fn scale(&self) -> f64 {
        self.scale
    }

    pub(super) fn add_forces(&mut self, y: &[DVec3], forces: &mut [DVec3]) {
        self.enter(Phase::Forces);
        let u = self.velocities(y);
        self.system.add_forces(Part::Implicit, &self.moment(y, &u), self.memory, forces);
        if let Some(contact) = &mut self.contact {
            if let Some(probe) = &mut self.probe {
                probe(Phase::Contact);
            }
            contact.add_forces(y, forces);
        }
        self.enter(Phase::Other);
    }

    /// What no iteration changes.
    fn start_forces(&self, forces: &mut [DVec3]) {
        match &self.stage.explicit {
            Some(explicit) => forces.copy_from_slice(explicit),
            None => forces.fill(DVec3::ZERO),
        }
    }

    /// The residual at `y`, into `r`; returns the forces of the grips.
    fn evaluate(&mut self, y: &[DVec3], r: &mut [DVec3]) -> Vec<f64> {
        self.start_forces(r);
        self.add_forces(y, r);
        self.subtract_inertia(y, r)
    }

    /// Turns forces into the residual; its held components, with opposite sign, are what the grips have to hold.
    fn subtract_inertia(&self, y: &[DVec3], forces: &mut [DVec3]) -> Vec<f64> {
        let (inertia, masses, stage) = (self.inertia(), self.system.masses(), self.stage);
        parallel::each(forces, |i, f| *f -= inertia * masses[i] * (y[i] - stage.target(i)));
        let hold = |&(i, c): &(u32, u8)| -std::mem::take(&mut forces[i as usize][c as usize]);
        self.system.held.iter().map(hold).collect()
    }

    fn put_grips(&self, y: &mut [DVec3]) {
        for (&(i, c), goal) in self.system.held.iter().zip(&self.stage.held) {
            y[i as usize][c as usize] = *goal;
        }
    }

    /// ½ĥ⁻²‖y − x̃‖²_M plus the incremental potential.
    fn merit(&mut self, y: &[DVec3]) -> f64 {
        let u = self.velocities(y);
        let mut sum = self.system.potential(&self.moment(y, &u), self.memory);
        for i in 0..y.len() {
            sum += 0.5 * self.inertia() * self.system.masses()[i] * y[i].distance_squared(self.stage.target(i));
        }
        if let Some(explicit) = &self.stage.explicit {
            sum -= dot(explicit, y);
        }
        if let Some(contact) = &mut self.contact {
            sum += contact.potential(y);
        }
        sum
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

    fn newton(&mut self, engine: &mut dyn Engine, v: &mut Vectors, guess: Vec<DVec3>) -> Result<Solved, StepError> {
        let mut y = guess;
        if self.contact.is_none() {
            self.put_grips(&mut y);
        }
        v.fit(y.len());
        let (tolerance, mut report, mut norm) =
            (self.options.tolerance * self.scale, StepReport::default(), f64::INFINITY);
        let mut reactions = Vec::new();
        let exact: f64 = std::env::var("EXACT").ok().and_then(|v| v.parse().ok()).unwrap_or(0.0);
        if exact >= 2.0 { self.projection = Projection::None; }
        loop {
            if report.newton == 0 {
                self.start_forces(&mut v.r);
                engine.assemble(self, &y, Some(&mut v.r))?;
                self.subtract_inertia(&y, &mut v.r);
            } else {
                // The residual here is known from the test of the last iteration.
                std::mem::swap(&mut v.r, &mut v.next);
                if !self.options.simplified {
                    self.projection = if exact >= 1.0 { Projection::None } else { self.options.projection };
                    if let Err(e) = engine.assemble(self, &y, None) {
                        if self.projection == self.options.projection { return Err(e); }
                        if std::env::var_os("TOILE_NEWTON").is_some() { eprintln!("   refused {e}"); }
                        self.projection = self.options.projection;
                        engine.assemble(self, &y, None)?;
                    }
                }
            }
            let goal =
                (self.options.linear_tolerance * self.scale).min(self.options.forcing * norm).max(0.1 * tolerance);
            let stop = Stop { goal, max_iterations: self.options.max_linear, unchecked: true };
            let is_moving = self.find_way(&y, &mut v.way);
            if let (true, Some(contact)) = (is_moving, &mut self.contact) {
                contact.add_approach(&y, &mut v.r);
                self.system.held.iter().for_each(|&(i, c)| v.r[i as usize][c as usize] = 0.0);
            }
            let solved = engine.solve(self, &v.r, &v.way, &mut v.d, stop);
            report.linear += match solved {
                Err(e) if self.projection != self.options.projection => {
                    if std::env::var_os("TOILE_NEWTON").is_some() { eprintln!("   refused in solve {e}"); }
                    self.projection = self.options.projection;
                    engine.assemble(self, &y, None)?;
                    engine.solve(self, &v.r, &v.way, &mut v.d, stop)?
                }
                other => other?,
            };
            report.newton += 1;
            let before = norm.min(dot(&v.r, &v.d).max(0.0).sqrt());
            if self.contact.is_some() {
                v.whole.clone_from(&v.d);
                // Seen through the matrix at hand, contacts included, the residual here is small enough: the last move.
                if report.newton > 1 && !is_moving && before <= tolerance {
                    self.limit(&y, &mut v.d, Lengths::Common);
                    add(&mut y, &v.d);
                    return Ok((y, reactions, StepReport { residual: before / self.scale, ..report }));
                }
                self.limit(&y, &mut v.d, Lengths::Each);
            }
            v.trial.copy_from_slice(&y);
            add(&mut v.trial, &v.d);
            reactions = self.evaluate(&v.trial, &mut v.next);
            norm = engine.precondition(self, &v.next, &mut v.z).max(0.0).sqrt();
            // Not `norm > before`: NaN must search too.
            if self.options.line_search && !is_moving && !(norm <= before.max(tolerance)) {
                report.backtracks += self.backtrack(&y, v);
                reactions = self.evaluate(&v.trial, &mut v.next);
                norm = engine.precondition(self, &v.next, &mut v.z).max(0.0).sqrt();
            }
            std::mem::swap(&mut y, &mut v.trial);
            report.residual = norm / self.scale;
            if std::env::var_os("TOILE_NEWTON").is_some() {
                let dmax = v.d.iter().map(|d| d.length()).fold(0.0, f64::max);
                let wmax = v.whole.iter().map(|d| d.length()).fold(0.0, f64::max);
                eprintln!(
                    "   it {} lin {} before {:.3} norm {:.3} d {:.2e} whole {:.2e} back {}",
                    report.newton,
                    report.linear,
                    before / self.scale,
                    norm / self.scale,
                    dmax,
                    wmax,
                    report.backtracks
                );
            }
            let has_arrived = !is_moving || !self.find_way(&y, &mut v.way);
            if norm <= tolerance && has_arrived {
                if std::env::var_os("TOILE_NEWTON").is_some() {
                    let i = (0..v.z.len()).max_by(|&a, &b| v.z[a].length().total_cmp(&v.z[b].length())).unwrap();
                    eprintln!("   close z {:?} at {i}: r {:?} y {:?}", v.z[i], v.next[i], y[i]);
                }
                // The last correction is free and makes the error two to three times smaller. In contact it is left out where it
                // would be cut, or is longer than the move before it: a corner that swings.
                let is_good = self.contact.is_none() || longest(&v.z) <= longest(&v.d);
                if is_good && self.limit(&y, &mut v.z, Lengths::Common) == 1.0 {
                    add(&mut y, &v.z);
                }
                return Ok((y, reactions, report));
            }
            if report.newton >= self.options.max_newton || !norm.is_finite() {
                return Err(match &self.contact {
                    Some(contact) if !has_arrived => {
                        StepError::Blocked { time: self.stage.time, what: contact.obstruction() }
                    }
                    _ => self.not_converged(&v.next, &report),
                });
            }
        }
    }

    fn not_converged(&self, residual: &[DVec3], report: &StepReport) -> StepError {
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

    /// Halves the step along d until the merit falls as its slope −r·d promises (Armijo, 10⁻⁴); leaves the point in `trial`.
    /// Where contact cut vertices to lengths of their own, d may have lost its descent: then the whole direction is tried.
    fn backtrack(&mut self, y: &[DVec3], v: &mut Vectors) -> usize {
        let start = self.merit(y);
        let (count, has_fallen) = self.search(y, start, v);
        if has_fallen || self.contact.is_none() {
            return count;
        }
        std::mem::swap(&mut v.d, &mut v.whole);
        self.limit(y, &mut v.d, Lengths::Common);
        v.trial.copy_from_slice(y);
        add(&mut v.trial, &v.d);
        count + self.search(y, start, v).0
    }

    /// Backtracking from `trial` = y + d; returns the halvings and whether the merit fell.
    fn search(&mut self, y: &[DVec3], start: f64, v: &mut Vectors) -> (usize, bool) {
        let slope = dot(&v.r, &v.d);
        if self.contact.is_some() && !(slope > 0.0) {
            return (0, false);
        }
        let mut share = 1.0;
        for halvings in 0..30 {
            let merit = self.merit(&v.trial);
            // Below rounding of the merit there is nothing left to compare: take the step.
            let rounding = 1e-12 * start.abs();
            if merit <= start - 1e-4 * share * slope + rounding {
                return (halvings, true);
            }
            share *= 0.5;
            for i in 0..y.len() {
                v.trial[i] = y[i] + share * v.d[i];
            }
        }
        (30, false)
    }

    fn once(
        &mut self,
        engine: &mut dyn Engine,
        v: &mut Vectors,
        x: &[DVec3],
        guess: Vec<DVec3>,
    ) -> Result<Solved, StepError> {
        let mut y = guess;
        self.put_grips(&mut y);
        v.fit(y.len());
        self.start_forces(&mut v.r);
        engine.assemble(self, x, Some(&mut v.r))?;
        // Linearised force at the start value, formed in double: in single precision the product of a stiff matrix with
        // centimetres of motion drags fine meshes (measured: 7 cm of tip at 204 800 triangles).
        self.enter(Phase::Forces);
        parallel::each(&mut v.trial, |i, offset| *offset = x[i] - y[i]);
        let u = self.velocities(x);
        self.system.add_product(&self.moment(x, &u), self.memory, self.options.projection, &v.trial, &mut v.r);
        self.enter(Phase::Other);
        // Reactions of the linearised forces at the start value: what the solve still adds is a few per cent of a step.
        let reactions = self.subtract_inertia(&y, &mut v.r);
        let goal = self.options.linear_tolerance * self.scale;
        let stop = Stop { goal, max_iterations: self.options.max_linear, unchecked: true };
        let linear = engine.solve(self, &v.r, &[], &mut v.d, stop)?;
        add(&mut y, &v.d);
        Ok((y, reactions, StepReport { newton: 1, linear, ..StepReport::default() }))
    }
}

/// Stage positions, forces of the grips on the held components, report.
pub(super) type Solved = (Vec<DVec3>, Vec<f64>, StepReport);

/// The vectors of Newton's method, kept from step to step.
#[derive(Default)]
struct Vectors {
    r: Vec<DVec3>,
    d: Vec<DVec3>,
    trial: Vec<DVec3>,
    /// Residual at `trial`.
    next: Vec<DVec3>,
    z: Vec<DVec3>,
    /// d before contact cut it.
    whole: Vec<DVec3>,
    /// What the grips still have to go; empty when they are there.
    way: Vec<DVec3>,
}

impl Vectors {
    fn fit(&mut self, len: usize) {
        for v in [&mut self.r, &mut self.d, &mut self.trial, &mut self.next, &mut self.z] {
            v.resize(len, DVec3::ZERO);
        }
    }
}

pub(super) fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    parallel::sum(a.len(), |i| a[i].dot(b[i]))
}

fn longest(a: &[DVec3]) -> f64 {
    a.iter().map(|d| d.length_squared()).fold(0.0, f64::max).sqrt()
}

fn add(a: &mut [DVec3], b: &[DVec3]) {
    parallel::each(a, |i, a| *a += b[i]);
}

impl<T: Real> Typed<T> {
    pub(super) fn new(system: &System, options: &Options) -> Result<Self, StepError> {
        let scalars = system.scalars.as_ref().map(|s| Arc::new(s.converted::<T>()));
        let one = |free: bool| T::from_f64(if free { 1.0 } else { 0.0 });
        let free: Vec<[T; 3]> = system.free.iter().map(|f| f.map(one)).collect();
        let layout = Layout {
            blocks: system.pattern.clone(),
            scalars: scalars.clone(),
            free: free.clone(),
            places: system.places.clone(),
            simd: system.level,
        };
        let count = system.masses.len();
        Ok(Self {
            matrix: BlockMatrix::zero(system.pattern.clone()),
            rest_matrix: None,
            scalars,
            lumped: vec![T::default(); count],
            pairs: Vec::new(),
            free,
            solver: linalg::build(&options.solver, &layout)?,
            right: vec![[T::default(); 3]; count],
            solution: vec![[T::default(); 3]; count],
        })
    }

    /// Replaces the matrix by `share` of itself and the rest of the Jacobian of the rest shape.
    fn blend_with_rest(&mut self, problem: &Problem, share: f64)
    where
        for<'b> Target<'b>: From<&'b mut BlockMatrix<T>>,
    {
        let rest = self.rest_matrix.get_or_insert_with(|| {
            let mut matrix = BlockMatrix::zero(problem.system.pattern.clone());
            let zero = vec![DVec3::ZERO; problem.system.start.len()];
            // Without memory: the rest shape must not depend on the step in which it is first asked for.
            let memory = vec![0.0; problem.memory.len()];
            let at = Moment { elapsed: 0.0, time: 0.0, ..problem.moment(&problem.system.start, &zero) };
            problem.system.add_jacobian(&at, &memory, Projection::Exact, &mut Target::from(&mut matrix));
            matrix
        });
        let (keep, add) = (T::from_f64(share), T::from_f64(1.0 - share));
        let mix = |to: &mut [[T; 9]], from: &[[T; 9]]| {
            for (a, b) in to.iter_mut().zip(from) {
                for k in 0..9 {
                    a[k] = keep * a[k] + add * b[k];
                }
            }
        };
        mix(&mut self.matrix.diagonal, &rest.diagonal);
        mix(&mut self.matrix.lower, &rest.lower);
    }
}

macro_rules! stored_engine {
    ($real:ty, $target:ident) => {
        impl<'b> From<&'b mut BlockMatrix<$real>> for Target<'b> {
            fn from(matrix: &'b mut BlockMatrix<$real>) -> Self {
                Target::$target(matrix)
            }
        }

        impl Engine for Typed<$real> {
            fn assemble(
                &mut self,
                problem: &mut Problem,
                y: &[DVec3],
                mut forces: Option<&mut [DVec3]>,
            ) -> Result<(), StepError> {
                problem.enter(Phase::Assembly);
                self.matrix.clear();
                let u = problem.velocities(y);
                let (at, projection) = (problem.moment(y, &u), problem.projection);
                let mut target = Target::$target(&mut self.matrix);
                let (system, memory) = (problem.system, problem.memory);
                match forces.as_deref_mut() {
                    Some(f) => system.add_forces_and_jacobian(&at, memory, projection, f, &mut target),
                    None => system.add_jacobian(&at, memory, projection, &mut target),
                }
                if problem.options.current_jacobian < 1.0 {
                    self.blend_with_rest(problem, problem.options.current_jacobian);
                }
                self.pairs.clear();
                if let Some(contact) = &mut problem.contact {
                    if let Some(probe) = &mut problem.probe {
                        probe(Phase::Contact);
                    }
                    let matrix = Target::$target(&mut self.matrix);
                    contact.add_jacobian(y, forces, &mut Couplings { matrix, pairs: &mut self.pairs });
                }
                problem.enter(Phase::Setup);
                let inertia = problem.inertia();
                for (l, m) in self.lumped.iter_mut().zip(problem.system.masses()) {
                    *l = (inertia * m) as $real;
                }
                let scalars = self.scalars.as_deref();
                let a = Operator {
                    blocks: &self.matrix,
                    scalars,
                    lumped: &self.lumped,
                    pairs: &self.pairs,
                    free: &self.free,
                };
                self.solver.update(&a)?;
                problem.enter(Phase::Other);
                Ok(())
            }

            fn solve(
                &mut self,
                problem: &mut Problem,
                r: &[DVec3],
                way: &[DVec3],
                d: &mut [DVec3],
                stop: Stop,
            ) -> Result<usize, StepError> {
                problem.enter(Phase::Solve);
                parallel::each(&mut self.right, |i, b| *b = [r[i].x as $real, r[i].y as $real, r[i].z as $real]);
                let scalars = self.scalars.as_deref();
                let a = Operator {
                    blocks: &self.matrix,
                    scalars,
                    lumped: &self.lumped,
                    pairs: &self.pairs,
                    free: &self.free,
                };
                if !way.is_empty() {
                    let given: Vec<_> = way.iter().map(|w| w.to_array().map(|c| c as $real)).collect();
                    a.multiply(&given, &mut self.solution);
                    let taken = &self.solution;
                    self.right.iter_mut().zip(taken).for_each(|(b, t)| (0..3).for_each(|c| b[c] -= t[c]));
                }
                self.solution.fill([0.0; 3]);
                let report = self.solver.solve(&a, &self.right, &mut self.solution, stop)?;
                let x = &self.solution;
                parallel::each(d, |i, d| *d = DVec3::new(x[i][0].into(), x[i][1].into(), x[i][2].into()));
                // Held components are exact: what is left of the way must come to nothing.
                d.iter_mut().zip(way).for_each(|(d, w)| *d += *w);
                problem.enter(Phase::Other);
                Ok(report.iterations)
            }

            fn precondition(&mut self, problem: &mut Problem, r: &[DVec3], z: &mut [DVec3]) -> f64 {
                problem.enter(Phase::Solve);
                parallel::each(&mut self.right, |i, b| *b = [r[i].x as $real, r[i].y as $real, r[i].z as $real]);
                let scalars = self.scalars.as_deref();
                let a = Operator {
                    blocks: &self.matrix,
                    scalars,
                    lumped: &self.lumped,
                    pairs: &self.pairs,
                    free: &self.free,
                };
                let product = self.solver.precondition(&a, &self.right, &mut self.solution);
                let x = &self.solution;
                parallel::each(z, |i, z| *z = DVec3::new(x[i][0].into(), x[i][1].into(), x[i][2].into()));
                problem.enter(Phase::Other);
                product
            }
        }
    };
}

stored_engine!(f32, Single);
stored_engine!(f64, Double);
