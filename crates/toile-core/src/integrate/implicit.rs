//! Implicit rules as stage problems: base, length, and what follows from the stage.

use super::stage::{Stage, Workspace};
use super::{Options, Rule, Solve, StepError, StepReport, check_finite};
use crate::contact::{Contact, Start};
use crate::force::{Moment, Rate};
use crate::parallel;
use crate::system::{Part, Past, State, System};
use glam::DVec3;
use std::borrow::Cow;

/// One step; on failure the state is untouched.
pub(super) fn step(
    workspace: &mut Workspace,
    system: &System,
    state: &mut State,
    dt: f64,
    (rule, solve): (Rule, Solve),
    options: &Options,
    contact: Option<&mut dyn Contact>,
) -> Result<StepReport, StepError> {
    let past = state.past.take();
    let mut memory = std::mem::take(&mut state.memory);
    let result = attempt(workspace, system, state, &past, &mut memory, dt, (rule, solve), options, contact);
    state.memory = memory;
    match result {
        Ok((next, report)) => {
            let step = Past {
                step: dt,
                positions: std::mem::replace(&mut state.positions, next.positions),
                velocities: std::mem::replace(&mut state.velocities, next.velocities),
            };
            state.past = Some(step);
            state.contact = next.contact;
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
    contact: Vec<f64>,
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
    mut contact: Option<&mut dyn Contact>,
) -> Result<(Next, StepReport), StepError> {
    let (x, v) = (&state.positions[..], &state.velocities[..]);
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
    let (mut base_positions, mut base_velocities) = (Cow::from(x), Cow::from(v));
    let mut terms: Vec<(f64, &[DVec3])> = vec![(1.0, x)];
    if let (Some(p), true) = (two_step, weight != 0.0) {
        base_positions = (0..x.len()).map(|i| x[i] + weight * (x[i] - p.positions[i])).collect();
        base_velocities = (0..x.len()).map(|i| v[i] + weight * (v[i] - p.velocities[i])).collect();
        terms = vec![(1.0 + weight, x), (-weight, &p.positions)];
    }
    system.prepare(&terms, memory);

    // Gripped components reach their goal at the end of the step, so the stage sees α of the way.
    let mut goal = x.to_vec();
    system.place_grips(state.time + dt, &mut goal);
    let on_the_way = |&(i, c): &(u32, u8)| {
        let (from, to) = (x[i as usize][c as usize], goal[i as usize][c as usize]);
        from + alpha * (to - from)
    };
    let held = system.held.iter().map(on_the_way).collect();
    let explicit = system.forces.iter().any(|s| s.explicit).then(|| {
        let mut forces = vec![DVec3::ZERO; x.len()];
        system.add_forces(Part::Explicit, &system.instant(state), memory, &mut forces);
        forces
    });
    let stage = Stage {
        base_positions,
        base_velocities,
        length,
        time: state.time + alpha * dt,
        elapsed: alpha * dt,
        held,
        explicit,
    };
    // A predictor would run into contact and have to be unwound: there the start of the step is the better guess.
    let guess = match &mut contact {
        None => extrapolate(x, v, past, alpha * dt, rule),
        Some(contact) => {
            let (time, memory) = (state.time, &state.contact[..]);
            let start = Start { system, positions: x, time, step: dt, end: stage.time, memory };
            contact.begin(&start).map_err(|what| StepError::Contact { time: state.time, what })?;
            x.to_vec()
        }
    };
    let (y, reactions, report) = match solve {
        Solve::Once => workspace.solve_once(system, &stage, x, guess, memory, options)?,
        Solve::Newton => {
            let contact = contact.as_mut().map(|c| &mut **c as &mut dyn Contact);
            workspace.solve_newton(system, &stage, guess, memory, options, contact)?
        }
    };
    let mut remembered = Vec::new();
    if let Some(contact) = &mut contact {
        contact.end(&y, &mut remembered);
    }
    let velocities = parallel::map(y.len(), |i| (y[i] - stage.base_positions[i]) / length);
    let reaction_forces = vec![DVec3::ZERO; x.len()];
    let mut next = Next { positions: y, velocities, contact: remembered, reactions: reaction_forces, dissipated: 0.0 };
    if alpha != 1.0 {
        for i in 0..x.len() {
            next.positions[i] = x[i] + (next.positions[i] - x[i]) / alpha;
            next.velocities[i] = v[i] + (next.velocities[i] - v[i]) / alpha;
        }
    }
    // Held components are where they should be, moving as they moved over the step.
    for (k, held) in system.held.iter().enumerate() {
        let (i, c) = (held.0 as usize, held.1 as usize);
        next.positions[i][c] = goal[i][c];
        next.velocities[i][c] = (goal[i][c] - x[i][c]) / dt;
        next.reactions[i][c] = reactions[k];
    }
    check_finite(&next.positions, &next.velocities, state.time)?;
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
    parallel::map(x.len(), |i| x[i] + length * (v[i] + share * (v[i] - p.velocities[i])))
}
