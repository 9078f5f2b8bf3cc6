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
    let mut work = Work::new(system, &options.solver)?;
    let mut enter = |phase| {
        if let Some(p) = &mut probe {
            p(phase);
        }
    };
    system.prepare(&[(1.0, &state.positions)], &mut state.memory);
    state.velocities.fill(DVec3::ZERO);
    system.place_grips(state.time, &mut state.positions);
    let mut tau = options.first_step;
    let mut found =
        Equilibrium { converged: false, iterations: 0, residual: f64::INFINITY, worst_node: 0, history: Vec::new() };
    let mut projection = Projection::Exact;
    loop {
        enter(Phase::Assembly);
        let forces = work.assemble(system, state, projection);
        let (residual, reactions) = split(system, forces);
        (found.worst_node, found.residual) = worst(&residual);
        // A matrix that is refused is assembled again at the same place: that is no iteration.
        if found.history.len() == found.iterations {
            found.history.push(found.residual);
        }
        state.reactions = reactions;
        if !found.residual.is_finite() {
            return Err(StepError::NotFinite { node: found.worst_node, time: state.time });
        }
        if found.residual <= options.force_tolerance {
            found.converged = true;
            break;
        }
        if found.iterations >= options.max_iterations {
            break;
        }
        enter(Phase::Solve);
        let direction = match work.solve(system, &residual, tau) {
            Ok(d) => d,
            Err(StepError::Solve(
                SolveError::NotPositive { .. } | SolveError::Indefinite { .. } | SolveError::NotFinite { .. },
            )) => {
                // An exact Jacobian may be indefinite away from equilibrium; a projected one only singular.
                if projection == Projection::None {
                    projection = Projection::Exact;
                } else {
                    tau = tau.min(1e3) / 8.0;
                    if tau < 1e-9 {
                        return Err(StepError::TooStiff { step: tau, time: state.time });
                    }
                }
                continue;
            }
            Err(error) => return Err(error),
        };
        found.iterations += 1;
        enter(Phase::Other);
        let share = search(system, state, &residual, &direction, options);
        for (x, d) in state.positions.iter_mut().zip(&direction) {
            *x += share * *d;
        }
        let gain = 0.5 * dot(&residual, &direction);
        if options.energy_tolerance > 0.0 && share == 1.0 && gain.abs() <= options.energy_tolerance {
            found.converged = true;
        }
        tau = if share == 1.0 {
            (4.0 * tau).min(options.max_step)
        } else {
            tau.min(1e3) * if share > 0.2 { 1.0 } else { 0.25 }
        };
        // Full steps mean the projected Jacobian leads somewhere: near the end the exact one converges quadratically.
        projection = if share == 1.0 { Projection::None } else { Projection::Exact };
        if found.converged {
            break;
        }
    }
    let velocities = vec![DVec3::ZERO; state.positions.len()];
    state.dissipated += system.commit(&quasi_static(&state.positions, &velocities, state.time), &mut state.memory);
    state.past = None;
    Ok(found)
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
