//! Equilibrium: Newton's method on the potential, held by mass where it needs holding.
//!
//! Each iteration solves (K + M/τ²) d = F. The pseudo-time step τ grows fourfold after a full step and shrinks when the line
//! search has to cut or the matrix is not positive: far from equilibrium this is a damped descent that buckles and folds as
//! it likes, near it plain Newton with quadratic convergence. Ends at a stated force, not after a number of steps.

use super::stage::dot;
use super::{Phase, Probe, StepError};
use crate::force::{Moment, Projection, Rate, Target};
use crate::linalg::{self, BlockMatrix, Layout, LinearSolver, Operator, SolveError, Stop};
use crate::system::{Part, State, System};
use glam::DVec3;

/// How equilibrium is sought.
#[derive(Clone, Debug, PartialEq)]
pub struct StaticOptions {
    /// Largest force (N) left on any node.
    pub force_tolerance: f64,
    /// Also done when the energy still to be gained, ½ F·d, is below this (J); 0 asks for the force alone.
    pub energy_tolerance: f64,
    /// Newton iterations before giving up.
    pub max_iterations: usize,
    /// First pseudo-time step τ (s).
    pub first_step: f64,
    /// Largest τ; finite where rigid motions are free. Above 10⁴ s mass is left out altogether.
    pub max_step: f64,
    /// Linear solver by name.
    pub solver: String,
    /// Longest way of a node per iteration (m): keeps wild starts from flying apart.
    pub max_move: f64,
}

impl Default for StaticOptions {
    fn default() -> Self {
        Self {
            force_tolerance: 1e-9,
            energy_tolerance: 0.0,
            max_iterations: 500,
            first_step: 0.3,
            max_step: f64::INFINITY,
            solver: "cholesky".into(),
            max_move: f64::INFINITY,
        }
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Equilibrium {
    /// True if the tolerance was met.
    pub converged: bool,
    /// Newton iterations.
    pub iterations: usize,
    /// Largest force (N) left on a node.
    pub residual: f64,
    /// Node with that force.
    pub worst_node: usize,
    /// Largest residual before each iteration (N).
    pub history: Vec<f64>,
}

/// Moves the state to equilibrium under its grips at the state's time; velocities end at zero, reactions hold the weight.
/// Memory is committed once, as one quasi-static step. The state is returned as far as it came when the limit is reached.
pub fn relax(
    system: &System,
    state: &mut State,
    options: &StaticOptions,
    mut probe: Option<&mut Probe>,
) -> Result<Equilibrium, StepError> {
    let mut relaxation = Relaxation::new(system, state, options)?;
    while !relaxation.is_over(options) {
        relaxation.advance(system, state, options, probe.as_deref_mut())?;
    }
    Ok(relaxation.finish(system, state))
}

/// The way to equilibrium, iteration by iteration: for callers that show it, stop it and go on later.
pub struct Relaxation {
    work: Work,
    pace: StaticPace,
    found: Equilibrium,
}

/// All that an iteration depends on beside the state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StaticPace {
    /// Pseudo-time step τ (s).
    pub step: f64,
    /// Whether the Jacobian is taken as it is, not projected.
    pub is_exact: bool,
}

impl Relaxation {
    /// Starts from a state: brings grips to their place and stops all motion.
    pub fn new(system: &System, state: &mut State, options: &StaticOptions) -> Result<Self, StepError> {
        system.prepare(&[(1.0, &state.positions)], &mut state.memory);
        state.velocities.fill(DVec3::ZERO);
        system.place_grips(state.time, &mut state.positions);
        Self::resumed(system, options, StaticPace { step: options.first_step, is_exact: false }, Vec::new())
    }

    /// Goes on from a state that [`Relaxation::advance`] left, with the same bytes as without the break. `history` are the
    /// residuals so far, one for each iteration.
    pub fn resumed(
        system: &System,
        options: &StaticOptions,
        pace: StaticPace,
        history: Vec<f64>,
    ) -> Result<Self, StepError> {
        let iterations = history.len();
        let residual = f64::INFINITY;
        let found = Equilibrium { converged: false, iterations, residual, worst_node: 0, history };
        Ok(Self { work: Work::new(system, &options.solver)?, pace, found })
    }

    /// What has been found so far.
    pub fn found(&self) -> &Equilibrium {
        &self.found
    }

    /// What the next iteration depends on beside the state.
    pub fn pace(&self) -> StaticPace {
        self.pace
    }

    /// Whether the tolerance is met or the iterations are used up.
    pub fn is_over(&self, options: &StaticOptions) -> bool {
        // The residual of the last point is only known once it has been looked at: one more history than iterations.
        let looked = self.found.history.len() > self.found.iterations;
        self.found.converged || (looked && self.found.iterations >= options.max_iterations)
    }

    /// Looks at the residual and, unless that is small enough or the limit is reached, makes one iteration.
    pub fn advance(
        &mut self,
        system: &System,
        state: &mut State,
        options: &StaticOptions,
        mut probe: Option<&mut Probe>,
    ) -> Result<(), StepError> {
        let mut enter = |phase| {
            if let Some(p) = &mut probe {
                p(phase);
            }
        };
        loop {
            enter(Phase::Assembly);
            let projection = if self.pace.is_exact { Projection::None } else { Projection::Exact };
            let forces = self.work.assemble(system, state, projection);
            let (residual, reactions) = split(system, forces);
            let found = &mut self.found;
            (found.worst_node, found.residual) = worst(&residual);
            // A matrix that is refused is assembled again at the same place: that is no iteration.
            if found.history.len() == found.iterations {
                found.history.push(found.residual);
            }
            state.reactions = reactions;
            if !found.residual.is_finite() {
                return Err(StepError::NotFinite { node: found.worst_node, time: state.time });
            }
            found.converged = found.residual <= options.force_tolerance;
            if found.converged || found.iterations >= options.max_iterations {
                enter(Phase::Other);
                return Ok(());
            }
            enter(Phase::Solve);
            let direction = self.work.solve(system, &residual, self.pace.step);
            enter(Phase::Other);
            match direction {
                Ok(direction) => {
                    self.take(system, state, options, &residual, &direction);
                    return Ok(());
                }
                Err(StepError::Solve(
                    SolveError::NotPositive { .. } | SolveError::Indefinite { .. } | SolveError::NotFinite { .. },
                )) => self.hold_back(state.time)?,
                Err(error) => return Err(error),
            }
        }
    }

    /// After a refused matrix: an exact Jacobian may be indefinite away from equilibrium; a projected one only singular.
    fn hold_back(&mut self, time: f64) -> Result<(), StepError> {
        if self.pace.is_exact {
            self.pace.is_exact = false;
            return Ok(());
        }
        self.pace.step = self.pace.step.min(1e3) / 8.0;
        if self.pace.step < 1e-9 { Err(StepError::TooStiff { step: self.pace.step, time }) } else { Ok(()) }
    }

    fn take(
        &mut self,
        system: &System,
        state: &mut State,
        options: &StaticOptions,
        residual: &[DVec3],
        direction: &[DVec3],
    ) {
        self.found.iterations += 1;
        let share = search(system, state, residual, direction, options);
        for (x, d) in state.positions.iter_mut().zip(direction) {
            *x += share * *d;
        }
        let gain = 0.5 * dot(residual, direction);
        if options.energy_tolerance > 0.0 && share == 1.0 && gain.abs() <= options.energy_tolerance {
            self.found.converged = true;
        }
        let tau = self.pace.step;
        self.pace.step = if share == 1.0 {
            (4.0 * tau).min(options.max_step)
        } else {
            tau.min(1e3) * if share > 0.2 { 1.0 } else { 0.25 }
        };
        // Full steps mean the projected Jacobian leads somewhere: near the end the exact one converges quadratically.
        self.pace.is_exact = share == 1.0;
    }

    /// Commits memory, once.
    pub fn finish(self, system: &System, state: &mut State) -> Equilibrium {
        let velocities = vec![DVec3::ZERO; state.positions.len()];
        state.dissipated += system.commit(&quasi_static(&state.positions, &velocities, state.time), &mut state.memory);
        state.past = None;
        self.found
    }
}

/// Memory sees a long time pass: relaxation branches let go, sliders do not care.
fn quasi_static<'a>(positions: &'a [DVec3], velocities: &'a [DVec3], time: f64) -> Moment<'a> {
    Moment { positions, velocities, time, elapsed: 1e9, rate: Rate::Since { per_second: 1e-9 } }
}

/// Residual on the free components; what the grips hold on the others.
fn split(system: &System, mut forces: Vec<DVec3>) -> (Vec<DVec3>, Vec<DVec3>) {
    let mut reactions = vec![DVec3::ZERO; forces.len()];
    for (i, f) in forces.iter_mut().enumerate() {
        for c in (0..3).filter(|&c| !system.free[i][c]) {
            reactions[i][c] = -f[c];
            f[c] = 0.0;
        }
    }
    (forces, reactions)
}

fn worst(residual: &[DVec3]) -> (usize, f64) {
    let mut worst = (0, 0.0);
    for (i, r) in residual.iter().enumerate() {
        let size = r.length();
        // Not `size > worst`: NaN must win.
        if !(size <= worst.1) {
            worst = (i, size);
        }
    }
    worst
}

/// Share of the direction that lowers the potential as its slope promises.
fn search(system: &System, state: &State, residual: &[DVec3], direction: &[DVec3], options: &StaticOptions) -> f64 {
    let longest = direction.iter().map(|d| d.length()).fold(0.0, f64::max);
    let mut share = if longest > options.max_move { options.max_move / longest } else { 1.0 };
    let slope = dot(residual, direction);
    let zero = vec![DVec3::ZERO; direction.len()];
    let merit = |x: &[DVec3]| system.potential(&quasi_static(x, &zero, state.time), &state.memory);
    let start = merit(&state.positions);
    for _ in 0..40 {
        let trial: Vec<DVec3> = state.positions.iter().zip(direction).map(|(x, d)| *x + share * *d).collect();
        let end = merit(&trial);
        // A gain below the rounding of the potential cannot be seen in it: there Newton's step stands.
        if end <= start - 1e-4 * share * slope
            || (slope <= 1e-9 * start.abs().max(1e-12) && end <= start + 1e-10 * start.abs())
        {
            return share;
        }
        share *= 0.5;
    }
    share
}

/// Matrix and solver in double precision.
pub(super) struct Work {
    matrix: BlockMatrix<f64>,
    lumped: Vec<f64>,
    free: Vec<[f64; 3]>,
    solver: Box<dyn LinearSolver<f64>>,
}

impl Work {
    pub(super) fn new(system: &System, solver: &str) -> Result<Self, StepError> {
        let free: Vec<[f64; 3]> = system.free.iter().map(|f| f.map(|b| if b { 1.0 } else { 0.0 })).collect();
        let layout = Layout {
            blocks: system.pattern.clone(),
            scalars: system.scalars.clone(),
            free: free.clone(),
            places: system.places.clone(),
            simd: system.level,
        };
        Ok(Self {
            matrix: BlockMatrix::zero(system.pattern.clone()),
            lumped: vec![0.0; system.masses.len()],
            free,
            solver: linalg::build(solver, &layout)?,
        })
    }

    pub(super) fn assemble(&mut self, system: &System, state: &State, projection: Projection) -> Vec<DVec3> {
        self.matrix.clear();
        let zero = vec![DVec3::ZERO; state.positions.len()];
        let mut forces = zero.clone();
        let at = quasi_static(&state.positions, &zero, state.time);
        let mut target = Target::Double(&mut self.matrix);
        system.add_forces_and_jacobian(&at, &state.memory, projection, &mut forces, &mut target);
        system.add_forces(Part::Explicit, &at, &state.memory, &mut forces);
        forces
    }

    fn solve(&mut self, system: &System, residual: &[DVec3], tau: f64) -> Result<Vec<DVec3>, StepError> {
        self.factorise(system, if tau < 1e4 { 1.0 / (tau * tau) } else { 0.0 })?;
        self.apply_inverse(system, residual)
    }

    /// Makes K + `inertia` M ready to be solved with.
    pub(super) fn factorise(&mut self, system: &System, inertia: f64) -> Result<(), StepError> {
        for (l, m) in self.lumped.iter_mut().zip(&system.masses) {
            *l = inertia * m;
        }
        self.solver.update(&Operator {
            blocks: &self.matrix,
            scalars: system.scalars.as_deref(),
            lumped: &self.lumped,
            pairs: &[],
            free: &self.free,
        })?;
        Ok(())
    }

    /// Solves with what was last factorised. Fixed components of `right` must be zero.
    pub(super) fn apply_inverse(&mut self, system: &System, right: &[DVec3]) -> Result<Vec<DVec3>, StepError> {
        let a = Operator {
            blocks: &self.matrix,
            scalars: system.scalars.as_deref(),
            lumped: &self.lumped,
            pairs: &[],
            free: &self.free,
        };
        let b: Vec<[f64; 3]> = right.iter().map(|r| r.to_array()).collect();
        let mut x = vec![[0.0; 3]; b.len()];
        let size = right.iter().map(|r| r.length_squared()).sum::<f64>().sqrt();
        // Iterative solvers: four digits of each Newton step. Direct ones give all of them anyway.
        let goal = 1e-4 * size * x.len() as f64 * f64::EPSILON.sqrt();
        self.solver.solve(&a, &b, &mut x, Stop::at(goal, 5000))?;
        Ok(x.iter().map(|x| DVec3::from(*x)).collect())
    }
}
