//! Implicit rules as stage problems: base, length, and what follows from the stage.

use super::stage::{Stage, Workspace};
use super::{Options, Rule, Solve, StepError, StepReport, check_finite};
use crate::force::{Moment, Rate};
use crate::system::{Part, Past, State, System};
use glam::DVec3;

/// One step; on failure the state is untouched.
pub(super) fn step(
    workspace: &mut Workspace,
    system: &System,
    state: &mut State,
    dt: f64,
    (rule, solve): (Rule, Solve),
    options: &Options,
) -> Result<StepReport, StepError> {
    let past = state.past.take();
    let mut memory = std::mem::take(&mut state.memory);
    let result = attempt(workspace, system, state, &past, &mut memory, dt, (rule, solve), options);
    state.memory = memory;
    match result {
        Ok((next, report)) => {
            let step = Past {
                step: dt,
                positions: std::mem::replace(&mut state.positions, next.positions),
                velocities: std::mem::replace(&mut state.velocities, next.velocities),
            };
            state.past = Some(step);
            state.reactions = next.reactions;
            state.dissipated += next.dissipated;
            state.time += dt;
            Ok(report)
        }
        Err(error) => {
            state.past = past;
            Err(error)
        }
    }
}

struct Next {
    positions: Vec<DVec3>,
    velocities: Vec<DVec3>,
    reactions: Vec<DVec3>,
    dissipated: f64,
}

#[allow(clippy::too_many_arguments)] // the pieces of a state, taken apart so that a failed step can be undone for free
fn attempt(
    workspace: &mut Workspace,
    system: &System,
    state: &State,
    past: &Option<Past>,
    memory: &mut [f64],
    dt: f64,
    (rule, solve): (Rule, Solve),
    options: &Options,
) -> Result<(Next, StepReport), StepError> {
    let (x, v) = (&state.positions, &state.velocities);
    // A two-step rule needs a past of the same length; the first step and those after a change are backward Euler.
    let two_step = past.as_ref().filter(|p| (p.step - dt).abs() < 1e-9 * dt);
    let (alpha, weight) = match (rule, two_step) {
        (Rule::Euler { alpha }, _) => (alpha, 0.0),
        (Rule::Bdf2 { alpha }, Some(_)) => (alpha, alpha * (2.0 * alpha - 1.0) / (2.0 * alpha + 1.0)),
        (Rule::Bdf2 { .. }, None) => (1.0, 0.0),
    };
    let length = match (rule, two_step) {
        (Rule::Bdf2 { alpha }, Some(_)) => alpha * 2.0 * dt / (2.0 * alpha + 1.0),
        _ => alpha * dt,
    };
    let mut base_x = x.clone();
    let mut base_v = v.clone();
    let mut terms: Vec<(f64, &[DVec3])> = vec![(1.0, x)];
    if let (Some(p), true) = (two_step, weight != 0.0) {
        for i in 0..x.len() {
            base_x[i] += weight * (x[i] - p.positions[i]);
            base_v[i] += weight * (v[i] - p.velocities[i]);
        }
        terms = vec![(1.0 + weight, x), (-weight, &p.positions)];
    }
    system.prepare(&terms, memory);

    // Gripped components reach their goal at the end of the step, so the stage sees α of the way.
    let mut goal = x.clone();
    system.place_grips(state.time + dt, &mut goal);
    let end_of_stage: Vec<DVec3> = x.iter().zip(&goal).map(|(a, b)| *a + alpha * (*b - *a)).collect();
    let mut explicit = vec![DVec3::ZERO; x.len()];
    system.add_forces(Part::Explicit, &system.instant(state), memory, &mut explicit);
    let stage = Stage {
        base_positions: base_x,
        base_velocities: base_v,
        length,
        time: state.time + alpha * dt,
        elapsed: alpha * dt,
        gripped: end_of_stage,
        explicit,
    };
    let guess = extrapolate(x, v, past, alpha * dt, rule);
    let (y, reactions, report) = match solve {
        Solve::Once => workspace.solve_once(system, &stage, x, guess, memory, options)?,
        Solve::Newton => workspace.solve_newton(system, &stage, guess, memory, options)?,
    };
    let velocities: Vec<DVec3> = (0..y.len()).map(|i| (y[i] - stage.base_positions[i]) / length).collect();

    let mut next = Next { positions: y, velocities, reactions, dissipated: 0.0 };
    if alpha != 1.0 {
        for i in 0..x.len() {
            next.positions[i] = x[i] + (next.positions[i] - x[i]) / alpha;
            next.velocities[i] = v[i] + (next.velocities[i] - v[i]) / alpha;
        }
    }
    settle_grips(system, &goal, x, dt, &mut next);
    let end = State {
        time: state.time,
        positions: next.positions,
        velocities: next.velocities,
        memory: Vec::new(),
        past: None,
        reactions: Vec::new(),
        dissipated: 0.0,
    };
    check_finite(&end, state.time)?;
    (next.positions, next.velocities) = (end.positions, end.velocities);
    // What viscosity took is counted over the whole step, Δε/h from x_n: base and length of the stage are those of the rule, and
    // with α < 1 the positions here lie beyond its end.
    system.prepare(&[(1.0, x)], memory);
    let at = Moment {
        positions: &next.positions,
        velocities: &next.velocities,
        time: state.time + dt,
        elapsed: dt,
        rate: Rate::Since { per_second: 1.0 / dt },
    };
    next.dissipated = system.commit(&at, memory);
    Ok((next, report))
}

/// Gripped components are where they should be, moving as they moved over the step.
fn settle_grips(system: &System, goal: &[DVec3], before: &[DVec3], dt: f64, next: &mut Next) {
    for (i, free) in system.free().iter().enumerate() {
        for c in (0..3).filter(|&c| !free[c]) {
            next.positions[i][c] = goal[i][c];
            next.velocities[i][c] = (goal[i][c] - before[i][c]) / dt;
        }
    }
}

/// Where the stage probably ends: constant acceleration, from the last change of velocity.
fn extrapolate(x: &[DVec3], v: &[DVec3], past: &Option<Past>, length: f64, rule: Rule) -> Vec<DVec3> {
    let Some(p) = past else { return x.iter().zip(v).map(|(x, v)| *x + length * *v).collect() };
    let r = length / p.step;
    // Backward Euler's velocity is that of the chord: the next chord differs by a whole Δv. A second-order velocity is that of
    // the end: half of it.
    let share = match rule {
        Rule::Euler { alpha } if alpha > 0.75 => r,
        _ => 0.5 * r,
    };
    (0..x.len()).map(|i| x[i] + length * (v[i] + share * (v[i] - p.velocities[i]))).collect()
}
