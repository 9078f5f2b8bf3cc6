//! Explicit schemes. Source: Wacker05 part 3 §3.1 (with the corrections of VALIDATION traps 2 and 3); Dormand80 for the 5(4) pair.
//!
//! The state of the ODE is (x, v); gripped components follow their motion. Memory of the forces is moved at the end of a step,
//! stages see it as it was at the start with the time passed since.

use super::{Options, StepError, StepReport, check_finite};
use crate::force::{Moment, Rate};
use crate::system::{Part, Past, State, System};
use glam::DVec3;

/// A point of the phase space.
#[derive(Clone)]
struct Point {
    x: Vec<DVec3>,
    v: Vec<DVec3>,
}

/// (x, v) ↦ (v, a) at a time offset within the step.
fn derivative(system: &System, state: &State, point: &Point, offset: f64) -> Result<Point, StepError> {
    let at = Moment {
        positions: &point.x,
        velocities: &point.v,
        time: state.time + offset,
        elapsed: offset,
        rate: Rate::Instant,
    };
    let mut a = vec![DVec3::ZERO; point.x.len()];
    system.add_forces(Part::All, &at, &state.memory, &mut a);
    let mut v = point.v.clone();
    for i in 0..a.len() {
        for c in 0..3 {
            if !system.free[i][c] {
                a[i][c] = 0.0;
                v[i][c] = 0.0;
            } else if system.masses[i] == 0.0 {
                return Err(StepError::Massless { node: i });
            } else {
                a[i][c] /= system.masses[i];
            }
        }
    }
    Ok(Point { x: v, v: a })
}

/// start + h Σ wᵢ kᵢ, with the gripped components where they are at that time.
fn combine(system: &System, state: &State, start: &Point, h: f64, slopes: &[(f64, &Point)], offset: f64) -> Point {
    let mut out = start.clone();
    for i in 0..out.x.len() {
        for (w, k) in slopes {
            out.x[i] += h * *w * k.x[i];
            out.v[i] += h * *w * k.v[i];
        }
    }
    system.place_grips(state.time + offset, &mut out.x);
    out
}

fn start(state: &State) -> Point {
    Point { x: state.positions.clone(), v: state.velocities.clone() }
}

/// Accepts a step: past, memory, reactions and time.
fn accept(
    system: &System,
    state: &mut State,
    end: Point,
    dt: f64,
    evaluations: usize,
) -> Result<StepReport, StepError> {
    let mut next = State { positions: end.x, velocities: end.v, ..state.clone() };
    for i in 0..next.positions.len() {
        for c in (0..3).filter(|&c| !system.free[i][c]) {
            next.velocities[i][c] = (next.positions[i][c] - state.positions[i][c]) / dt;
        }
    }
    check_finite(&next.positions, &next.velocities, state.time)?;
    let at = Moment {
        positions: &next.positions,
        velocities: &next.velocities,
        time: state.time + dt,
        elapsed: dt,
        rate: Rate::Instant,
    };
    let mut memory = std::mem::take(&mut next.memory);
    next.dissipated += system.commit(&at, &mut memory);
    next.memory = memory;
    next.time = state.time + dt;
    let forces = system.total_forces(&next);
    for (i, force) in forces.iter().enumerate() {
        for c in 0..3 {
            let change = (next.velocities[i][c] - state.velocities[i][c]) / dt;
            next.reactions[i][c] = if system.free[i][c] { 0.0 } else { system.masses[i] * change - force[c] };
        }
    }
    next.past = Some(Past {
        step: dt,
        positions: std::mem::take(&mut state.positions),
        velocities: std::mem::take(&mut state.velocities),
    });
    *state = next;
    Ok(StepReport { evaluations, ..StepReport::default() })
}

pub(super) fn euler(system: &System, state: &mut State, dt: f64) -> Result<StepReport, StepError> {
    let s = start(state);
    let k = derivative(system, state, &s, 0.0)?;
    let end = combine(system, state, &s, dt, &[(1.0, &k)], dt);
    accept(system, state, end, dt, 1)
}

pub(super) fn midpoint(system: &System, state: &mut State, dt: f64) -> Result<StepReport, StepError> {
    let s = start(state);
    let k1 = derivative(system, state, &s, 0.0)?;
    let middle = combine(system, state, &s, dt, &[(0.5, &k1)], 0.5 * dt);
    let k2 = derivative(system, state, &middle, 0.5 * dt)?;
    let end = combine(system, state, &s, dt, &[(1.0, &k2)], dt);
    accept(system, state, end, dt, 2)
}

pub(super) fn runge_kutta_4(system: &System, state: &mut State, dt: f64) -> Result<StepReport, StepError> {
    let s = start(state);
    let half = 0.5 * dt;
    let k1 = derivative(system, state, &s, 0.0)?;
    let k2 = derivative(system, state, &combine(system, state, &s, dt, &[(0.5, &k1)], half), half)?;
    let k3 = derivative(system, state, &combine(system, state, &s, dt, &[(0.5, &k2)], half), half)?;
    let k4 = derivative(system, state, &combine(system, state, &s, dt, &[(1.0, &k3)], dt), dt)?;
    let (third, sixth) = (1.0 / 3.0, 1.0 / 6.0);
    let slopes = [(sixth, &k1), (third, &k2), (third, &k3), (sixth, &k4)];
    let end = combine(system, state, &s, dt, &slopes, dt);
    accept(system, state, end, dt, 4)
}

/// Leapfrog, the α = 0 member of generalised BDF-2: Q_{n+1} = Q_{n−1} + 2h Q′_n; started by the midpoint rule.
pub(super) fn leapfrog(system: &System, state: &mut State, dt: f64) -> Result<StepReport, StepError> {
    let Some(past) = state.past.clone().filter(|p| (p.step - dt).abs() < 1e-9 * dt) else {
        return midpoint(system, state, dt);
    };
    let k = derivative(system, state, &start(state), 0.0)?;
    let before = Point { x: past.positions, v: past.velocities };
    let end = combine(system, state, &before, 2.0 * dt, &[(1.0, &k)], dt);
    accept(system, state, end, dt, 1)
}

/// v_{n+½} = v_{n−½} + h a(x_n, v_{n−½}), x_{n+1} = x_n + h v_{n+½} (Wacker05 eqs. 57, 58), started half a step back.
/// The past keeps the staggered velocity; the state shows v_{n+½} plus half a step of the last acceleration.
pub(super) fn verlet(system: &System, state: &mut State, dt: f64) -> Result<StepReport, StepError> {
    let mut s = start(state);
    let mut evaluations = 1;
    match state.past.as_ref().filter(|p| (p.step - dt).abs() < 1e-9 * dt) {
        Some(past) => s.v = past.velocities.clone(),
        None => {
            let k = derivative(system, state, &s, 0.0)?;
            s.v.iter_mut().zip(&k.v).for_each(|(v, a)| *v -= 0.5 * dt * *a);
            evaluations += 1;
        }
    }
    let k = derivative(system, state, &s, 0.0)?;
    let mut end = s.clone();
    for i in 0..end.x.len() {
        end.v[i] += dt * k.v[i];
        end.x[i] += dt * end.v[i];
    }
    system.place_grips(state.time + dt, &mut end.x);
    let staggered = end.v.clone();
    end.v.iter_mut().zip(&k.v).for_each(|(v, a)| *v += 0.5 * dt * *a);
    let report = accept(system, state, end, dt, evaluations)?;
    if let Some(past) = &mut state.past {
        past.velocities = staggered;
    }
    Ok(report)
}

/// Nodes and weights of Dormand–Prince 5(4).
const C: [f64; 7] = [0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0];
const A: [[f64; 6]; 7] = [
    [0.0; 6],
    [1.0 / 5.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0],
    [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0],
    [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
/// Difference of the fifth- and fourth-order weights.
const E: [f64; 7] =
    [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0];

/// Covers `dt` with steps whose estimated error stays below the tolerance (m, and m/s over one step).
pub(super) fn runge_kutta_5(
    system: &System,
    state: &mut State,
    dt: f64,
    options: &Options,
) -> Result<StepReport, StepError> {
    let before = state.clone();
    let mut report = StepReport::default();
    let mut done = 0.0;
    let mut h = state.pace.explicit_step.unwrap_or(0.01 * dt).min(dt);
    while done < dt {
        let last = done + h >= dt * (1.0 - 1e-12);
        let length = if last { dt - done } else { h };
        let (end, error) = match dormand_prince(system, state, length) {
            Ok(result) => result,
            Err(error) => {
                *state = before;
                return Err(error);
            }
        };
        report.evaluations += 7;
        let ratio = error / options.explicit_tolerance;
        // Not `ratio > 1.0`: NaN must be refused too.
        if !(ratio <= 1.0) {
            report.cuts += 1;
            h = length * if ratio.is_finite() { (0.9 * ratio.powf(-0.2)).clamp(0.1, 0.9) } else { 0.1 };
            if h < 1e-9 * dt {
                let time = state.time;
                *state = before;
                return Err(StepError::TooStiff { step: h, time });
            }
            continue;
        }
        if let Err(error) = accept(system, state, end, length, 0) {
            *state = before;
            return Err(error);
        }
        done += length;
        let grown = length * (0.9 * ratio.max(1e-10).powf(-0.2)).min(5.0);
        h = if last { h.max(grown) } else { grown };
        state.pace.explicit_step = Some(h);
    }
    state.time = before.time + dt;
    state.past = Some(Past { step: dt, positions: before.positions, velocities: before.velocities });
    Ok(report)
}

/// One step and the largest error of a node: in position, and in velocity times the step.
fn dormand_prince(system: &System, state: &State, h: f64) -> Result<(Point, f64), StepError> {
    let s = start(state);
    let mut k: Vec<Point> = Vec::with_capacity(7);
    let mut end = s.clone();
    for stage in 0..7 {
        let slopes: Vec<(f64, &Point)> = A[stage].iter().copied().zip(&k).collect();
        end = combine(system, state, &s, h, &slopes, C[stage] * h);
        let slope = derivative(system, state, &end, C[stage] * h)?;
        k.push(slope);
    }
    let mut error = 0.0f64;
    for i in 0..s.x.len() {
        let (mut dx, mut dv) = (DVec3::ZERO, DVec3::ZERO);
        for (w, k) in E.iter().zip(&k) {
            dx += h * *w * k.x[i];
            dv += h * *w * k.v[i];
        }
        let size = dx.length().max(h * dv.length());
        // `max` would swallow NaN.
        error = if size.is_nan() { f64::NAN } else { error.max(size) };
        if error.is_nan() {
            break;
        }
    }
    Ok((end, error))
}
