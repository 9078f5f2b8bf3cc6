//! Integrators: how a state moves in time, and how it comes to rest.
//!
//! Explicit schemes (`explicit`) evaluate forces and add them up. Every implicit scheme is one stage problem
//! (`stage`): find y with M(y − x̃)/ĥ² = F(y, (y − x̂)/ĥ), that is minimise ½ĥ⁻²‖y − x̃‖²_M plus potential. The rule only decides the
//! base x̂, v̂ and the stage length ĥ (`implicit`); "semi-implicit" is one Newton iteration of it. `statics` minimises the
//! potential alone, [`modes`] finds how a state vibrates about its equilibrium and whether it is one that lasts.
//!
//! | rule                    | x̂ (v̂ alike)              | ĥ          | then                       |
//! |-------------------------|---------------------------|------------|----------------------------|
//! | implicit Euler, α       | x_n                       | α h        | x_n + (y − x_n)/α          |
//! | BDF-2, α; β=(2α−1)/(2α+1), δ=2h/(2α+1) | x_n + αβ(x_n − x_{n−1}) | α δ | x_n + (y − x_n)/α |
//!
//! Source: Volino05 part 2 eqs. (14), (15) (generalised forms), Wacker05 part 3 §3 (the rest). α = 1 is backward Euler and
//! BDF-2, α = ½ the implicit midpoint rule, α = 0 explicit Euler and leapfrog.

mod auto;
mod explicit;
mod implicit;
mod matrix_free;
mod modes;
mod newton;
mod stage;
mod statics;

pub use modes::{Mode, ModeOptions, modes};
pub use statics::{Equilibrium, Relaxation, StaticOptions, StaticPace, relax};

use crate::contact::Contact;
use crate::force::Projection;
use crate::linalg::SolveError;
use crate::parallel;
use crate::system::{State, System};
use glam::DVec3;
use stage::Workspace;

/// An entry of the registry of schemes.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name in scenes.
    pub name: &'static str,
    /// One line for menus.
    pub summary: &'static str,
    /// Order of accuracy on smooth problems.
    pub order: u32,
    /// What it is.
    pub scheme: Scheme,
}

/// Every scheme that a scene can name.
pub const SCHEMES: &[Entry] = &[
    Entry {
        name: "explicit-euler",
        summary: "one force evaluation, tiny steps",
        order: 1,
        scheme: Scheme::ExplicitEuler,
    },
    Entry { name: "explicit-midpoint", summary: "two evaluations", order: 2, scheme: Scheme::Midpoint },
    Entry { name: "rk4", summary: "four evaluations, fixed step", order: 4, scheme: Scheme::RungeKutta4 },
    Entry { name: "rk5", summary: "Dormand–Prince 5(4) with error control", order: 5, scheme: Scheme::RungeKutta5 },
    Entry { name: "verlet", summary: "Störmer–Verlet on staggered velocities", order: 2, scheme: Scheme::Verlet },
    Entry {
        name: "semi-implicit",
        summary: "backward Euler with one linear solve",
        order: 1,
        scheme: Scheme::Implicit { rule: Rule::Euler { alpha: 1.0 }, solve: Solve::Once },
    },
    Entry {
        name: "backward-euler",
        summary: "solved to the end in every step; damps",
        order: 1,
        scheme: Scheme::Implicit { rule: Rule::Euler { alpha: 1.0 }, solve: Solve::Newton },
    },
    Entry {
        name: "implicit-midpoint",
        summary: "keeps energy, rings",
        order: 2,
        scheme: Scheme::Implicit { rule: Rule::Euler { alpha: 0.5 }, solve: Solve::Newton },
    },
    Entry {
        name: "bdf2",
        summary: "second order, damps little: the default for motion",
        order: 2,
        scheme: Scheme::Implicit { rule: Rule::Bdf2 { alpha: 1.0 }, solve: Solve::Newton },
    },
    Entry { name: "auto", summary: "BDF-2, backward Euler or RK5 by context", order: 2, scheme: Scheme::Auto },
];

/// How a state moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scheme {
    /// x += h v, v += h a.
    ExplicitEuler,
    /// Explicit midpoint rule.
    Midpoint,
    /// Classical Runge–Kutta.
    RungeKutta4,
    /// Dormand–Prince 5(4); the step is divided as the error asks.
    RungeKutta5,
    /// Störmer–Verlet; with damping its order drops to 1 (VALIDATION trap 3).
    Verlet,
    /// An implicit rule, solved once or by Newton's method.
    Implicit {
        /// Which rule.
        rule: Rule,
        /// How far it is solved.
        solve: Solve,
    },
    /// Chosen step by step: RK5 while the step is within the stability of explicit schemes, else BDF-2; backward Euler after
    /// a start, a cut or a jump of a grip.
    Auto,
}

/// Implicit rules, each with its α.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// Generalised implicit Euler.
    Euler {
        /// 0 < α ≤ 1.
        alpha: f64,
    },
    /// Generalised BDF-2. α = 1/√3 is second order as a semi-implicit formula (VALIDATION trap 4).
    Bdf2 {
        /// 0 ≤ α ≤ 1; 0 is explicit leapfrog.
        alpha: f64,
    },
}

/// How far an implicit rule is solved in each step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solve {
    /// One linear solve with the Jacobian at the start of the step.
    Once,
    /// Newton's method to the tolerance.
    Newton,
}

/// Everything about the solution of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Scheme.
    pub scheme: Scheme,
    /// Linear solver by name.
    pub solver: String,
    /// Precision of matrix and solve; residuals are always double.
    pub precision: Precision,
    /// Treatment of indefinite Jacobians.
    pub projection: Projection,
    /// Newton stops at this energy norm of the residual, in units of one step of free fall h·g·√m. 0.05 keeps a hanging sheet
    /// within a millimetre of the exact step in 1.24 iterations; at 0.1 the extrapolated start feeds on its own error and some
    /// meshes need 2.2.
    pub tolerance: f64,
    /// Goal of the linear solves in the same unit; later Newton iterations solve to `forcing` of the residual they start from.
    pub linear_tolerance: f64,
    /// Inexact Newton: linear goal over current residual (Wacker05: 0.02).
    pub forcing: f64,
    /// The same in contact, from the second iteration on: contacts change with every move, so that exact answers to passing questions are
    /// wasted. Where nothing moves any more, forces are as exact as the last answers.
    pub contact_forcing: f64,
    /// Iterations that a step in contact spends at most on errors that few vertices bear: in a tight rope of cloth some contact always bears
    /// more.
    pub contact_patience: usize,
    /// Newton iterations before the step is cut.
    pub max_newton: usize,
    /// Linear iterations before a solve counts as failed.
    pub max_linear: usize,
    /// Keeps the first matrix of a step for all its Newton iterations. Fails when elements turn by 0.1 rad in a step.
    pub simplified: bool,
    /// Backtracks where a Newton step makes the residual grow.
    pub line_search: bool,
    /// Halvings of a failing step before giving up.
    pub max_cuts: u32,
    /// Products on the fly instead of a stored matrix, with block-Jacobi (Volino05 §3.2).
    pub matrix_free: bool,
    /// Share of the current Jacobian; the rest is the Jacobian of the rest shape (Volino05 §3.2). 1: fully current.
    pub current_jacobian: f64,
    /// Unit of the tolerances (m/s²): weight of the problem. Gravity, unless there is none.
    pub reference_acceleration: f64,
    /// Error per step that RK5 accepts, in m and m/s over the first step.
    pub explicit_tolerance: f64,
}

/// Precision of matrix and solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// `f32`: half the memory traffic; enough for dynamics, whose residual is double.
    Single,
    /// `f64`.
    Double,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            scheme: Scheme::Implicit { rule: Rule::Bdf2 { alpha: 1.0 }, solve: Solve::Newton },
            solver: "auto".into(),
            precision: Precision::Single,
            projection: Projection::Exact,
            tolerance: 0.05,
            linear_tolerance: 0.015,
            forcing: 0.02,
            contact_forcing: 0.3,
            contact_patience: 6,
            max_newton: 12,
            max_linear: 400,
            simplified: false,
            line_search: true,
            max_cuts: 8,
            matrix_free: false,
            current_jacobian: 1.0,
            reference_acceleration: 9.81,
            explicit_tolerance: 1e-6,
        }
    }
}

impl Options {
    /// Defaults with another scheme.
    pub fn scheme(scheme: Scheme) -> Self {
        Self { scheme, ..Self::default() }
    }

    /// Defaults with a scheme of the registry.
    pub fn named(name: &str) -> Option<Self> {
        SCHEMES.iter().find(|e| e.name == name).map(|e| Self::scheme(e.scheme))
    }

    /// The same, solved to rounding in double precision: for studies of the schemes themselves.
    pub fn exact(self) -> Self {
        Self {
            precision: Precision::Double,
            tolerance: 1e-11,
            linear_tolerance: 1e-12,
            forcing: 1e-3,
            max_newton: 40,
            max_linear: 10_000,
            ..self
        }
    }
}

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Newton iterations (linear solves).
    pub newton: usize,
    /// Linear iterations of all of them.
    pub linear: usize,
    /// Force evaluations of explicit schemes.
    pub evaluations: usize,
    /// Residual at the end, in the unit of [`Options::tolerance`].
    pub residual: f64,
    /// Halvings that were needed.
    pub cuts: u32,
    /// Backtracking steps of line searches.
    pub backtracks: usize,
    /// Moves that were made longer because the matrix was too stiff.
    pub extensions: usize,
}

impl StepReport {
    fn add(&mut self, other: &Self) {
        self.newton += other.newton;
        self.linear += other.linear;
        self.evaluations += other.evaluations;
        self.residual = self.residual.max(other.residual);
        self.cuts = self.cuts.max(other.cuts);
        self.backtracks += other.backtracks;
        self.extensions += other.extensions;
    }
}

/// Why a step failed. The state is as it was before the step.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// A number ran away.
    #[error("node {node} is no longer finite after {time} s; shorten the step or use an implicit scheme")]
    NotFinite {
        /// First node concerned.
        node: usize,
        /// Time at the start of the step (s).
        time: f64,
    },
    /// Newton did not end in time, however short the step.
    #[error(
        "no convergence at {time} s: residual {residual:.3} of one step of free fall after {newton} iterations and {cuts} cuts of the step, worst at node {node}"
    )]
    NoConvergence {
        /// Time at the start of the step (s).
        time: f64,
        /// Residual over its unit.
        residual: f64,
        /// Newton iterations.
        newton: usize,
        /// Cuts tried.
        cuts: u32,
        /// Node with the largest residual force.
        node: usize,
    },
    /// The error control would need steps below rounding.
    #[error("the explicit scheme needs steps below {step:e} s at {time} s: the system is too stiff for it or diverges")]
    TooStiff {
        /// Step it came to (s).
        step: f64,
        /// Time (s).
        time: f64,
    },
    /// Explicit schemes cannot move nodes without mass.
    #[error("node {node} has no mass: explicit schemes cannot move it (use an implicit one, or another bending model)")]
    Massless {
        /// The node.
        node: usize,
    },
    /// Obstacles or grips cannot reach their places.
    #[error("blocked at {time} s: {what}")]
    Blocked {
        /// Time at the end of the stage (s).
        time: f64,
        /// What is in the way.
        what: String,
    },
    /// A start that contact cannot take over.
    #[error("contact cannot start at {time} s: {what}")]
    Contact {
        /// Time at the start of the step (s).
        time: f64,
        /// Why.
        what: String,
    },
    /// Contact needs a stage that ends where the step ends.
    #[error("contact by barriers needs the scheme backward-euler or bdf2 with a stored matrix")]
    Scheme,
    /// The linear solver gave up.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// A step that is not a positive number.
    #[error("the time step is {0} s, must be positive")]
    Step(f64),
    /// α out of range.
    #[error("alpha is {0}, must be above 0 (Euler) or at least 0 (BDF-2), and at most 1")]
    Alpha(f64),
}

/// Phases of a step, for timing by the caller: core has no clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Element forces.
    Forces,
    /// Element forces and Jacobian together.
    Assembly,
    /// Set-up of the linear solver.
    Setup,
    /// Linear solve.
    Solve,
    /// Contact forces and their Jacobian.
    Contact,
    /// Detection of contact and cuts to moves.
    Detection,
    /// Everything else.
    Other,
}

/// Called at the start of each phase.
pub type Probe = Box<dyn FnMut(Phase) + Send>;

/// Carries states of one system in time. All that a step depends on is in the state: an integrator made anew goes on with the
/// same bytes.
pub struct Integrator {
    options: Options,
    workspace: Workspace,
}

impl Integrator {
    /// Prepares for a system: patterns, solver, work space.
    pub fn new(system: &System, options: Options) -> Result<Self, StepError> {
        match options.scheme {
            Scheme::Implicit { rule: Rule::Euler { alpha }, .. } if !(alpha > 0.0 && alpha <= 1.0) => {
                return Err(StepError::Alpha(alpha));
            }
            Scheme::Implicit { rule: Rule::Bdf2 { alpha }, .. } if !(0.0..=1.0).contains(&alpha) => {
                return Err(StepError::Alpha(alpha));
            }
            _ => {}
        }
        let workspace = Workspace::new(system, &options)?;
        Ok(Self { options, workspace })
    }

    /// What it was made with.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Sets the unit of the tolerances (m/s²): for callers that change the length of the step and want the same places out of it.
    pub fn set_reference_acceleration(&mut self, acceleration: f64) {
        self.options.reference_acceleration = acceleration;
    }

    /// Sets [`Options::contact_patience`].
    pub fn set_contact_patience(&mut self, iterations: usize) {
        self.options.contact_patience = iterations;
    }

    /// Sets [`Options::linear_tolerance`] and [`Options::contact_forcing`].
    pub fn set_linear_goals(&mut self, tolerance: f64, contact_forcing: f64) {
        self.options.linear_tolerance = tolerance;
        self.options.contact_forcing = contact_forcing;
    }

    /// Has `probe` called at the start of each phase.
    pub fn set_probe(&mut self, probe: Probe) {
        self.workspace.probe = Some(probe);
    }

    /// Moves the state by `dt` seconds. A failing implicit step is halved and tried again; after the last cut, the state is
    /// put back as it was.
    pub fn step(&mut self, system: &System, state: &mut State, dt: f64) -> Result<StepReport, StepError> {
        // Not `dt <= 0.0`: NaN must fail too.
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(StepError::Step(dt));
        }
        parallel::awake(system.masses.len(), || self.step_by_scheme(system, state, dt))
    }

    /// The same among bodies that must not pass through each other. Only backward Euler and BDF-2 solved by Newton's method can:
    /// their stage ends where the step ends.
    pub fn step_in_contact(
        &mut self,
        system: &System,
        state: &mut State,
        dt: f64,
        contact: &mut dyn Contact,
    ) -> Result<StepReport, StepError> {
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(StepError::Step(dt));
        }
        let Scheme::Implicit { rule, solve: Solve::Newton } = self.options.scheme else {
            return Err(StepError::Scheme);
        };
        let (Rule::Euler { alpha } | Rule::Bdf2 { alpha }) = rule;
        if alpha != 1.0 || self.options.matrix_free {
            return Err(StepError::Scheme);
        }
        contact.expect(dt);
        let nodes = system.masses.len();
        parallel::awake(nodes, || self.implicit_with_cuts(system, state, dt, (rule, Solve::Newton), Some(contact), 0))
    }

    fn step_by_scheme(&mut self, system: &System, state: &mut State, dt: f64) -> Result<StepReport, StepError> {
        match self.options.scheme {
            Scheme::Implicit { rule: Rule::Bdf2 { alpha: 0.0 }, .. } => explicit::leapfrog(system, state, dt),
            Scheme::Implicit { rule, solve } => self.implicit_with_cuts(system, state, dt, (rule, solve), None, 0),
            Scheme::Auto => self.auto_step(system, state, dt),
            Scheme::RungeKutta5 => explicit::runge_kutta_5(system, state, dt, &self.options),
            Scheme::ExplicitEuler => explicit::euler(system, state, dt),
            Scheme::Midpoint => explicit::midpoint(system, state, dt),
            Scheme::RungeKutta4 => explicit::runge_kutta_4(system, state, dt),
            Scheme::Verlet => explicit::verlet(system, state, dt),
        }
    }

    fn implicit_with_cuts(
        &mut self,
        system: &System,
        state: &mut State,
        dt: f64,
        (rule, solve): (Rule, Solve),
        mut contact: Option<&mut dyn Contact>,
        cuts: u32,
    ) -> Result<StepReport, StepError> {
        let touch = contact.as_mut().map(|c| &mut **c as &mut dyn Contact);
        // The unit of the tolerance shrinks with the step. With √2 for each cut the squared errors of the parts add up to what
        // the whole step is allowed.
        let easier = 0.5f64.sqrt().powi(-(cuts as i32));
        let options = Options {
            tolerance: easier * self.options.tolerance,
            linear_tolerance: easier * self.options.linear_tolerance,
            ..self.options.clone()
        };
        let error = match implicit::step(&mut self.workspace, system, state, dt, (rule, solve), &options, touch) {
            Ok(report) => return Ok(StepReport { cuts, ..report }),
            Err(error) => error,
        };
        let curable =
            !matches!(error, StepError::Contact { .. } | StepError::Step(_) | StepError::Alpha(_) | StepError::Scheme);
        if !curable || cuts >= self.options.max_cuts {
            return Err(match error {
                StepError::NoConvergence { time, residual, newton, node, .. } => {
                    StepError::NoConvergence { time, residual, newton, cuts, node }
                }
                other => other,
            });
        }
        let before = state.clone();
        let mut report = StepReport::default();
        for _ in 0..2 {
            let touch = contact.as_mut().map(|c| &mut **c as &mut dyn Contact);
            match self.implicit_with_cuts(system, state, 0.5 * dt, (rule, solve), touch, cuts + 1) {
                Ok(half) => report.add(&half),
                Err(error) => {
                    *state = before;
                    return Err(error);
                }
            }
        }
        Ok(report)
    }
}

fn check_finite(positions: &[DVec3], velocities: &[DVec3], time: f64) -> Result<(), StepError> {
    match (0..positions.len()).find(|&i| !(positions[i].is_finite() && velocities[i].is_finite())) {
        Some(node) => Err(StepError::NotFinite { node, time }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
