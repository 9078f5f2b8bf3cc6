//! Newton steps without a stored matrix: products of the current Jacobian are computed from the state in every iteration of
//! the conjugate gradients. Source: Volino05 part 2 §3.2. Saves memory; a stored matrix is faster once there is bending.

use super::stage::{Engine, Problem};
use super::{Phase, StepError};
use crate::linalg::{Product, Stop, matrix_free_cg};
use glam::DVec3;

/// Remembers where the Jacobian is taken, and how stiff each node is at rest for the preconditioner.
#[derive(Default)]
pub(super) struct OnTheFly {
    y: Vec<DVec3>,
    /// A third of the trace of each diagonal block in the rest shape (N/m): rotation does not change it.
    stiffness: Vec<f64>,
}

impl OnTheFly {
    /// Rest stiffness, once per system: the one time a matrix is assembled, to keep its diagonal only.
    pub(super) fn new(problem: &Problem) -> Self {
        Self { y: Vec::new(), stiffness: problem.system.rest_stiffness() }
    }

    fn cg(&self, problem: &Problem, r: &[DVec3], d: &mut [DVec3], goal: f64) -> Result<usize, StepError> {
        let u = problem.velocities(&self.y);
        let product = Jacobian { engine: self, problem, u: &u };
        let free: Vec<[f64; 3]> = problem.system.free.iter().map(|f| f.map(|b| if b { 1.0 } else { 0.0 })).collect();
        let b: Vec<[f64; 3]> = r.iter().map(|r| r.to_array()).collect();
        let mut x = vec![[0.0; 3]; b.len()];
        let report = matrix_free_cg(&product, &free, &b, &mut x, goal, problem.options.max_linear)?;
        for (d, x) in d.iter_mut().zip(&x) {
            *d = DVec3::from(*x);
        }
        Ok(report.iterations)
    }
}

struct Jacobian<'a, 'p> {
    engine: &'a OnTheFly,
    problem: &'a Problem<'p>,
    u: &'a [DVec3],
}

impl Product<f64> for Jacobian<'_, '_> {
    fn multiply(&self, x: &[[f64; 3]], y: &mut [[f64; 3]]) {
        let direction: Vec<DVec3> = x.iter().map(|x| DVec3::from(*x)).collect();
        let mut product = vec![DVec3::ZERO; x.len()];
        let at = self.problem.moment(&self.engine.y, self.u);
        let projection = self.problem.options.projection;
        self.problem.system.add_product(&at, self.problem.memory, projection, &direction, &mut product);
        let inertia = self.problem.inertia();
        for i in 0..x.len() {
            y[i] = (product[i] + inertia * self.problem.system.masses[i] * direction[i]).to_array();
        }
    }

    fn diagonal(&self, i: usize) -> [f64; 9] {
        let d = self.problem.inertia() * self.problem.system.masses[i] + self.engine.stiffness[i];
        [d, 0.0, 0.0, 0.0, d, 0.0, 0.0, 0.0, d]
    }
}

impl Engine for OnTheFly {
    fn assemble(&mut self, problem: &mut Problem, y: &[DVec3], forces: Option<&mut [DVec3]>) -> Result<(), StepError> {
        if self.stiffness.is_empty() {
            *self = Self::new(problem);
        }
        self.y = y.to_vec();
        if let Some(forces) = forces {
            problem.add_forces(y, forces);
        }
        Ok(())
    }

    /// Without contact there is never a way left: grips are in place from the start.
    fn solve(
        &mut self,
        problem: &mut Problem,
        r: &[DVec3],
        _way: &[DVec3],
        d: &mut [DVec3],
        stop: Stop,
    ) -> Result<usize, StepError> {
        problem.enter(Phase::Solve);
        let iterations = self.cg(problem, r, d, stop.goal);
        problem.enter(Phase::Other);
        iterations
    }

    fn precondition(&mut self, problem: &mut Problem, r: &[DVec3], z: &mut [DVec3]) -> f64 {
        // The diagonal alone would overrate smooth residuals many times: a few iterations see the size of the error.
        let guess = super::stage::dot(r, r).sqrt();
        if guess == 0.0 {
            z.fill(DVec3::ZERO);
            return 0.0;
        }
        match self.cg(problem, r, z, 0.1 * problem.options.tolerance * problem.scale()) {
            Ok(_) => super::stage::dot(r, z),
            Err(_) => f64::NAN,
        }
    }
}
