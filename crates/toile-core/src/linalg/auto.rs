//! Chooses a solver by size and shape, and another when that one fails.

use super::solver::check_vectors;
use super::{Cholesky, Incomplete, Layout, LinearSolver, Multigrid, Operator, Real, SolveError, SolveReport, Stop};

/// Up to here a factor is cheaper than setting up anything else.
const DIRECT_VERTICES: usize = 300;
/// A preconditioner that needs more iterations than this is the wrong one for the matrix.
const STALL: usize = 80;
/// Shifts of the last resort: a slightly indefinite matrix still gets its factor, as a preconditioner.
const SHIFTS: [f64; 3] = [1e-8, 1e-4, 1e-2];

/// `auto`: Cholesky for small meshes, multigrid where there are material coordinates, IC(0) where not; each falls back to
/// the next sturdier one when it stalls or breaks down. The choice depends on the problem alone, never on time.
pub struct Auto<T: Real> {
    layout: Layout<T>,
    /// From the first choice to the last resort; those not needed yet are not built.
    ladder: Vec<Rung<T>>,
}

struct Rung<T: Real> {
    kind: Kind,
    solver: Option<Box<dyn LinearSolver<T>>>,
    /// What became of the last update; `None` before it was needed.
    updated: Option<Result<(), SolveError>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Multigrid,
    Incomplete,
    Cholesky,
}

impl<T: Real> Rung<T> {
    fn new(kind: Kind) -> Self {
        Self { kind, solver: None, updated: None }
    }

    /// The solver, built and updated if that has not happened since the matrix changed.
    fn ready(&mut self, layout: &Layout<T>, a: &Operator<T>) -> Result<&mut dyn LinearSolver<T>, SolveError> {
        if self.solver.is_none() {
            self.solver = Some(match self.kind {
                Kind::Multigrid => Box::new(Multigrid::new(layout)),
                Kind::Incomplete => Box::new(Incomplete::new(layout)),
                Kind::Cholesky => Box::new(Cholesky::new(layout)?.with_shifts(&SHIFTS)),
            });
        }
        let solver = self.solver.as_mut().expect("built above");
        self.updated.get_or_insert_with(|| solver.update(a)).clone()?;
        Ok(solver.as_mut())
    }
}

impl<T: Real> Auto<T> {
    /// Chooses; builds nothing before the first update.
    pub fn new(layout: &Layout<T>) -> Self {
        // A few auxiliary nodes without a place can be left to the smoother, many cannot.
        let placed = layout.places.iter().flatten().count();
        let kinds: &[Kind] = match layout.len() {
            n if n <= DIRECT_VERTICES => &[Kind::Cholesky],
            n if 2 * placed >= n => &[Kind::Multigrid, Kind::Incomplete, Kind::Cholesky],
            _ => &[Kind::Incomplete, Kind::Cholesky],
        };
        Self { layout: layout.clone(), ladder: kinds.iter().map(|&k| Rung::new(k)).collect() }
    }
}

impl<T: Real> LinearSolver<T> for Auto<T> {
    fn name(&self) -> &'static str {
        "auto"
    }

    /// Updates the first rung that takes the matrix; the error of the last one if none does.
    fn update(&mut self, a: &Operator<T>) -> Result<(), SolveError> {
        self.ladder.iter_mut().for_each(|rung| rung.updated = None);
        let mut outcome = Ok(());
        for rung in &mut self.ladder {
            outcome = rung.ready(&self.layout, a).map(|_| ());
            match outcome {
                Err(SolveError::NotPositive { .. } | SolveError::Indefinite { .. }) => {}
                _ => break,
            }
        }
        outcome
    }

    fn solve(
        &mut self,
        a: &Operator<T>,
        b: &[[T; 3]],
        x: &mut [[T; 3]],
        stop: Stop,
    ) -> Result<SolveReport, SolveError> {
        check_vectors(self.layout.len(), b, x)?;
        let start = x.to_vec();
        let (mut left, rungs) = (stop.max_iterations, self.ladder.len());
        let mut outcome = Ok(SolveReport { iterations: 0, residual: f64::INFINITY, converged: false, fallback: None });
        for (k, rung) in self.ladder.iter_mut().enumerate() {
            let max_iterations = if k + 1 < rungs { left.min(STALL) } else { left };
            outcome = rung.ready(&self.layout, a).and_then(|solver| {
                let mut report = solver.solve(a, b, x, Stop { max_iterations, ..stop })?;
                report.iterations += stop.max_iterations - left;
                report.fallback = (k > 0).then_some(solver.name());
                Ok(report)
            });
            match &outcome {
                Ok(report) if report.converged || report.iterations >= stop.max_iterations => break,
                Ok(report) => left = stop.max_iterations - report.iterations,
                Err(SolveError::NotPositive { .. } | SolveError::Indefinite { .. }) => x.copy_from_slice(&start),
                Err(_) => break,
            }
        }
        outcome
    }

    fn precondition(&mut self, a: &Operator<T>, r: &[[T; 3]], z: &mut [[T; 3]]) -> f64 {
        for rung in &mut self.ladder {
            let product = rung.ready(&self.layout, a).map_or(f64::NAN, |solver| solver.precondition(a, r, z));
            // In single precision very stiff contacts can cost a cycle its sign; what lies below it is slower and keeps it.
            if product >= 0.0 {
                return product;
            }
        }
        // No factor exists: the identity is all that is left, and the caller's residual test stays honest.
        z.copy_from_slice(r);
        super::cg::mask(z, a.free);
        super::small::dot(r, z)
    }
}
