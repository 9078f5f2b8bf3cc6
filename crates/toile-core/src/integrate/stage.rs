//! The stage problem of every implicit rule, and Newton's method on it. Source of the recipe and its figures: STEP study,
//! book page "The implicit step".
//!
//! r(y) = F(y, (y − x̂)/ĥ) − M(y − x̃)/ĥ², x̃ = x̂ + ĥv̂; A = M/ĥ² + K. Tolerances are in the energy norm √(r·A⁻¹r), seen through the
//! preconditioner, over that of one step of free fall, ĥ·g·√m. Residuals and positions are double; matrix and corrections
//! may be single, because corrections are small.

use super::matrix_free::OnTheFly;
use super::{Options, Phase, Precision, Probe, StepError, StepReport};
use crate::force::{Moment, Projection, Rate, Target};
use crate::linalg::{self, BlockMatrix, Layout, LinearSolver, Operator, Real, ScalarMatrix};
use crate::system::{Part, System};
use glam::DVec3;
use std::sync::Arc;

/// What an implicit rule asks for.
pub(super) struct Stage {
    pub(super) base_positions: Vec<DVec3>,
    pub(super) base_velocities: Vec<DVec3>,
    /// ĥ (s).
    pub(super) length: f64,
    pub(super) time: f64,
    /// Time since memory was committed (s).
    pub(super) elapsed: f64,
    /// Positions of the gripped components.
    pub(super) gripped: Vec<DVec3>,
    /// Forces that are left out of the matrix.
    pub(super) explicit: Vec<DVec3>,
}

/// Matrix, solver and vectors, kept from step to step.
pub(super) struct Workspace {
    pub(super) probe: Option<Probe>,
    lin: Linear,
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
        Ok(Self { probe: None, lin })
    }

    /// Newton from `guess`; returns the stage positions and the forces of the grips.
    pub(super) fn solve_newton(
        &mut self,
        system: &System,
        stage: &Stage,
        guess: Vec<DVec3>,
        memory: &[f64],
        options: &Options,
    ) -> Result<(Vec<DVec3>, Vec<DVec3>, StepReport), StepError> {
        let mut problem = Problem::new(system, stage, memory, options, self.probe.as_mut());
        match &mut self.lin {
            Linear::Single(t) => problem.newton(t.as_mut(), guess),
            Linear::Double(t) => problem.newton(t.as_mut(), guess),
            Linear::Free(t) => problem.newton(t, guess),
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
    ) -> Result<(Vec<DVec3>, Vec<DVec3>, StepReport), StepError> {
        let mut problem = Problem::new(system, stage, memory, options, self.probe.as_mut());
        match &mut self.lin {
            Linear::Single(t) => problem.once(t.as_mut(), x, guess),
            Linear::Double(t) => problem.once(t.as_mut(), x, guess),
            Linear::Free(t) => problem.once(t, x, guess),
        }
    }
}

/// A way to solve with A: stored in some precision, or computed on the fly.
pub(super) trait Engine {
    /// Adds forces at `y` and takes over the Jacobian there.
    fn assemble(&mut self, problem: &mut Problem, y: &[DVec3], forces: &mut [DVec3]) -> Result<(), StepError>;
    /// d = A⁻¹ r to the goal; returns the iterations.
    fn solve(&mut self, problem: &mut Problem, r: &[DVec3], d: &mut [DVec3], goal: f64) -> Result<usize, StepError>;
    /// z ≈ A⁻¹ r by the preconditioner; returns r·z.
    fn precondition(&mut self, problem: &mut Problem, r: &[DVec3], z: &mut [DVec3]) -> f64;
}

/// A stage problem with its surroundings.
pub(super) struct Problem<'a> {
    pub(super) system: &'a System,
    pub(super) stage: &'a Stage,
    pub(super) memory: &'a [f64],
    pub(super) options: &'a Options,
    probe: Option<&'a mut Probe>,
    /// x̃.
    target: Vec<DVec3>,
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
        let target = (0..stage.base_positions.len())
            .map(|i| stage.base_positions[i] + stage.length * stage.base_velocities[i])
            .collect();
        let scale = stage.length * options.reference_acceleration * system.total_mass().sqrt();
        Self { system, stage, memory, options, probe, target, scale }
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

    pub(super) fn velocities(&self, y: &[DVec3]) -> Vec<DVec3> {
        y.iter().zip(&self.stage.base_positions).map(|(y, x)| (*y - *x) / self.stage.length).collect()
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
        self.enter(Phase::Other);
    }

    fn forces(&mut self, y: &[DVec3]) -> Vec<DVec3> {
        let mut forces = self.stage.explicit.clone();
        self.add_forces(y, &mut forces);
        forces
    }

    /// Turns forces into the residual; the gripped components, with opposite sign, are what the grips have to hold.
    fn residual(&self, y: &[DVec3], mut forces: Vec<DVec3>) -> (Vec<DVec3>, Vec<DVec3>) {
        let inertia = self.inertia();
        let mut reactions = vec![DVec3::ZERO; forces.len()];
        for (i, f) in forces.iter_mut().enumerate() {
            *f -= inertia * self.system.masses()[i] * (y[i] - self.target[i]);
            for c in (0..3).filter(|&c| !self.system.free()[i][c]) {
                reactions[i][c] = -f[c];
                f[c] = 0.0;
            }
        }
        (forces, reactions)
    }

    fn put_grips(&self, y: &mut [DVec3]) {
        for (i, free) in self.system.free().iter().enumerate() {
            for c in (0..3).filter(|&c| !free[c]) {
                y[i][c] = self.stage.gripped[i][c];
            }
        }
    }

    /// ½ĥ⁻²‖y − x̃‖²_M plus the incremental potential.
    fn merit(&mut self, y: &[DVec3]) -> f64 {
        let u = self.velocities(y);
        let mut sum = self.system.potential(&self.moment(y, &u), self.memory);
        for i in 0..y.len() {
            sum += 0.5 * self.inertia() * self.system.masses()[i] * y[i].distance_squared(self.target[i]);
            sum -= self.stage.explicit[i].dot(y[i]);
        }
        sum
    }

    fn newton(&mut self, engine: &mut dyn Engine, guess: Vec<DVec3>) -> Result<Solved, StepError> {
        let mut y = guess;
        self.put_grips(&mut y);
        let mut report = StepReport::default();
        let mut norm = f64::INFINITY;
        let mut forces: Option<Vec<DVec3>> = None;
        let (mut d, mut z) = (vec![DVec3::ZERO; y.len()], vec![DVec3::ZERO; y.len()]);
        loop {
            let force = match forces.take() {
                Some(f) if self.options.simplified => f,
                _ => {
                    let mut f = self.stage.explicit.clone();
                    engine.assemble(self, &y, &mut f)?;
                    f
                }
            };
            let (r, _) = self.residual(&y, force);
            let goal = (self.options.linear_tolerance * self.scale)
                .min(self.options.forcing * norm)
                .max(0.1 * self.options.tolerance * self.scale);
            report.linear += engine.solve(self, &r, &mut d, goal)?;
            report.newton += 1;
            let decrement = dot(&r, &d).max(0.0).sqrt();
            let before = norm.min(decrement);
            let mut trial: Vec<DVec3> = y.iter().zip(&d).map(|(y, d)| *y + *d).collect();
            let mut force = self.forces(&trial);
            let (mut next, mut reactions) = self.residual(&trial, force.clone());
            norm = engine.precondition(self, &next, &mut z).max(0.0).sqrt();
            // Not `norm > before`: NaN must search too.
            if self.options.line_search && !(norm <= before.max(self.options.tolerance * self.scale)) {
                report.backtracks += self.backtrack(&y, &d, &r, &mut trial)?;
                force = self.forces(&trial);
                (next, reactions) = self.residual(&trial, force.clone());
                norm = engine.precondition(self, &next, &mut z).max(0.0).sqrt();
            }
            y = trial;
            report.residual = norm / self.scale;
            if norm <= self.options.tolerance * self.scale {
                // The last correction is free and makes the error two to three times smaller.
                for (y, z) in y.iter_mut().zip(&z) {
                    *y += *z;
                }
                return Ok((y, reactions, report));
            }
            if report.newton >= self.options.max_newton || !norm.is_finite() {
                return Err(self.not_converged(&next, &report));
            }
            forces = Some(force);
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
    fn backtrack(&mut self, y: &[DVec3], d: &[DVec3], r: &[DVec3], trial: &mut [DVec3]) -> Result<usize, StepError> {
        let slope = dot(r, d);
        let start = self.merit(y);
        let mut share = 1.0;
        for halvings in 0..30 {
            let merit = self.merit(trial);
            // Below rounding of the merit there is nothing left to compare: take the step.
            let rounding = 1e-12 * start.abs();
            if merit <= start - 1e-4 * share * slope + rounding {
                return Ok(halvings);
            }
            share *= 0.5;
            for i in 0..y.len() {
                trial[i] = y[i] + share * d[i];
            }
        }
        Ok(30)
    }

    fn once(&mut self, engine: &mut dyn Engine, x: &[DVec3], guess: Vec<DVec3>) -> Result<Solved, StepError> {
        let mut start = guess;
        self.put_grips(&mut start);
        let mut forces = self.stage.explicit.clone();
        engine.assemble(self, x, &mut forces)?;
        let offset: Vec<DVec3> = start.iter().zip(x).map(|(s, x)| *s - *x).collect();
        // Linearised force at the start value, formed in double: in single precision the product of a stiff matrix with
        // centimetres of motion drags fine meshes (measured: 7 cm of tip at 204 800 triangles).
        self.enter(Phase::Forces);
        let mut product = vec![DVec3::ZERO; x.len()];
        let u = self.velocities(x);
        let projection = self.options.projection;
        self.system.add_product(&self.moment(x, &u), self.memory, projection, &offset, &mut product);
        self.enter(Phase::Other);
        for (f, p) in forces.iter_mut().zip(&product) {
            *f -= *p;
        }
        // Reactions of the linearised forces at the start value: what the solve still adds is a few per cent of a step.
        let (r, reactions) = self.residual(&start, forces);
        let mut d = vec![DVec3::ZERO; x.len()];
        let goal = self.options.linear_tolerance * self.scale;
        let linear = engine.solve(self, &r, &mut d, goal)?;
        let y: Vec<DVec3> = start.iter().zip(&d).map(|(s, d)| *s + *d).collect();
        Ok((y, reactions, StepReport { newton: 1, linear, ..StepReport::default() }))
    }
}

/// Stage positions, forces of the grips, report.
type Solved = (Vec<DVec3>, Vec<DVec3>, StepReport);

pub(super) fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
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
            let at = Moment { elapsed: 0.0, ..problem.moment(&problem.system.start, &zero) };
            let mut unused = zero.clone();
            let mut target = Target::from(&mut matrix);
            problem.system.add_forces_and_jacobian(&at, problem.memory, Projection::Exact, &mut unused, &mut target);
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
            fn assemble(&mut self, problem: &mut Problem, y: &[DVec3], forces: &mut [DVec3]) -> Result<(), StepError> {
                problem.enter(Phase::Assembly);
                self.matrix.clear();
                let u = problem.velocities(y);
                let (at, projection) = (problem.moment(y, &u), problem.options.projection);
                let mut target = Target::$target(&mut self.matrix);
                problem.system.add_forces_and_jacobian(&at, problem.memory, projection, forces, &mut target);
                if problem.options.current_jacobian < 1.0 {
                    self.blend_with_rest(problem, problem.options.current_jacobian);
                }
                problem.enter(Phase::Setup);
                let inertia = problem.inertia();
                for (l, m) in self.lumped.iter_mut().zip(problem.system.masses()) {
                    *l = (inertia * m) as $real;
                }
                let scalars = self.scalars.as_deref();
                let a = Operator { blocks: &self.matrix, scalars, lumped: &self.lumped, free: &self.free };
                self.solver.update(&a)?;
                problem.enter(Phase::Other);
                Ok(())
            }

            fn solve(
                &mut self,
                problem: &mut Problem,
                r: &[DVec3],
                d: &mut [DVec3],
                goal: f64,
            ) -> Result<usize, StepError> {
                problem.enter(Phase::Solve);
                for (b, r) in self.right.iter_mut().zip(r) {
                    *b = [r.x as $real, r.y as $real, r.z as $real];
                }
                self.solution.fill([0.0; 3]);
                let scalars = self.scalars.as_deref();
                let a = Operator { blocks: &self.matrix, scalars, lumped: &self.lumped, free: &self.free };
                let limit = problem.options.max_linear;
                let report = self.solver.solve(&a, &self.right, &mut self.solution, goal, limit)?;
                for (d, x) in d.iter_mut().zip(&self.solution) {
                    *d = DVec3::new(f64::from(x[0]), f64::from(x[1]), f64::from(x[2]));
                }
                problem.enter(Phase::Other);
                Ok(report.iterations)
            }

            fn precondition(&mut self, problem: &mut Problem, r: &[DVec3], z: &mut [DVec3]) -> f64 {
                problem.enter(Phase::Solve);
                for (b, r) in self.right.iter_mut().zip(r) {
                    *b = [r.x as $real, r.y as $real, r.z as $real];
                }
                let scalars = self.scalars.as_deref();
                let a = Operator { blocks: &self.matrix, scalars, lumped: &self.lumped, free: &self.free };
                let product = self.solver.precondition(&a, &self.right, &mut self.solution);
                for (z, x) in z.iter_mut().zip(&self.solution) {
                    *z = DVec3::new(f64::from(x[0]), f64::from(x[1]), f64::from(x[2]));
                }
                problem.enter(Phase::Other);
                product
            }
        }
    };
}

stored_engine!(f32, Single);
stored_engine!(f64, Double);
