//! What all rigs have in common: a path of readings, each beside the law's own.

use super::{LabError, Row};
use toile_core::integrate::{Equilibrium, StaticOptions, StepError};

/// A sample in its clamps, and the law of its fabric at one point.
pub(super) trait Rig {
    /// Moves the clamp to `x` and lets the sample come to rest.
    fn go(&mut self, x: f64) -> Result<Reading, LabError>;
    /// What the law says at `x`; its memory goes along.
    fn law(&mut self, x: f64) -> Result<f64, LabError>;
    /// Energy stored in the sample and dissipated by it so far (J).
    fn energy(&self) -> [f64; 2];
    /// Work (J) of one unit of reading over one unit of x.
    fn work_unit(&self) -> f64;
}

/// What the clamp shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reading {
    pub(super) value: f64,
    pub(super) iterations: usize,
}

/// Takes readings along a path.
pub(super) fn follow(rig: &mut dyn Rig, path: &[f64], tick: &mut dyn FnMut()) -> Result<Vec<Row>, LabError> {
    let mut rows = Vec::with_capacity(path.len());
    for &x in path {
        let reading = rig.go(x)?;
        rows.push(Row { x, measured: reading.value, law: rig.law(x)?, iterations: reading.iterations });
        tick();
    }
    Ok(rows)
}

/// `count` even steps from one x to another, the start left out.
pub(super) fn steps(from: f64, to: f64, count: usize) -> impl Iterator<Item = f64> {
    (1..=count).map(move |k| if k == count { to } else { from + (to - from) * k as f64 / count as f64 })
}

/// Static solution to a force (N) that no reading notices.
pub(super) fn to_force(force_tolerance: f64) -> StaticOptions {
    StaticOptions { force_tolerance, max_iterations: 400, ..StaticOptions::default() }
}

/// Iterations of a solution that was found; says where it was not.
pub(super) fn settled(found: Result<Equilibrium, StepError>, at: impl Fn() -> String) -> Result<usize, LabError> {
    match found {
        Ok(f) if f.converged => Ok(f.iterations),
        Ok(f) => Err(LabError::Unbalanced { at: at(), iterations: f.iterations, residual: f.residual }),
        Err(source) => Err(LabError::Step { at: at(), source }),
    }
}
