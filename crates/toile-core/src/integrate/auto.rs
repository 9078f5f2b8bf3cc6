//! Choice of the scheme by context, as Volino05 part 2 §3.1 does: explicit where steps are short for the stiffness, BDF-2 for
//! smooth motion, backward Euler where something jumps.

use super::{Integrator, Rule, Solve, StepError, StepReport, explicit};
use crate::force::{Moment, Projection, Rate};
use crate::system::{State, System};
use glam::DVec3;

/// RK5 is stable on the imaginary axis up to about |hω| = 1; below half of it, it is also accurate and cheaper than a solve.
const EXPLICIT_LIMIT: f64 = 0.5;
/// Steps of backward Euler after a start, a cut or a jump.
const SETTLE: u32 = 1;
/// A grip that changes its speed by more than this (m/s) within a step has jumped.
const JUMP: f64 = 1.0;

impl Integrator {
    pub(super) fn auto_step(&mut self, system: &System, state: &mut State, dt: f64) -> Result<StepReport, StepError> {
        let massless = (0..system.masses.len()).any(|i| system.masses[i] == 0.0 && system.free[i].contains(&true));
        if !massless && dt * highest_frequency(system, state) < EXPLICIT_LIMIT {
            return explicit::runge_kutta_5(system, state, dt, &self.options);
        }
        if grips_jump(system, state, dt) {
            state.pace.smooth_steps = 0;
        }
        let smooth = state.pace.smooth_steps >= SETTLE && state.past.is_some();
        let rule = if smooth { Rule::Bdf2 { alpha: 1.0 } } else { Rule::Euler { alpha: 1.0 } };
        let report = self.implicit_with_cuts(system, state, dt, (rule, Solve::Newton), None, 0)?;
        state.pace.smooth_steps = if report.cuts == 0 { state.pace.smooth_steps.saturating_add(1) } else { 0 };
        Ok(report)
    }
}

/// Highest circular frequency (1/s) of the system near this state, by a few power iterations on M⁻¹K.
fn highest_frequency(system: &System, state: &State) -> f64 {
    let n = state.positions.len();
    let at = Moment { rate: Rate::Since { per_second: 1.0 }, ..system.instant(state) };
    let mut x: Vec<DVec3> =
        (0..n).map(|i| DVec3::new((i % 7) as f64 - 3.0, (i % 5) as f64 - 2.0, (i % 3) as f64 - 1.0)).collect();
    let mut lambda = 0.0f64;
    for _ in 0..8 {
        let norm = x.iter().map(|x| x.length_squared()).sum::<f64>().sqrt();
        if norm == 0.0 {
            return 0.0;
        }
        x.iter_mut().for_each(|x| *x /= norm);
        let mut y = vec![DVec3::ZERO; n];
        system.add_product(&at, &state.memory, Projection::Exact, &x, &mut y);
        for i in 0..n {
            for c in 0..3 {
                let free = system.free[i][c] && system.masses[i] > 0.0;
                y[i][c] = if free { y[i][c] / system.masses[i] } else { 0.0 };
            }
        }
        lambda = y.iter().map(|y| y.length_squared()).sum::<f64>().sqrt();
        x = y;
    }
    // The power method approaches from below; a fifth covers what eight iterations leave.
    1.2 * lambda.sqrt()
}

/// True where a grip is about to change its speed abruptly.
fn grips_jump(system: &System, state: &State, dt: f64) -> bool {
    let mut goal = state.positions.clone();
    system.place_grips(state.time + dt, &mut goal);
    system.grips.iter().flat_map(|g| &g.nodes).any(|&n| {
        let n = n as usize;
        let speed = (goal[n] - state.positions[n]) / dt;
        let change = speed - state.velocities[n];
        (0..3).any(|c| !system.free[n][c] && change[c].abs() > JUMP)
    })
}
