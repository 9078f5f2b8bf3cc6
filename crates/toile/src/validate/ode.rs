//! Linear test equations m y″ = −k (y − l) − d y′ + m g, marched by the engine and by recursions written down separately.
//! Source: Wacker05 part 3 §3 (examples 1 to 3), Volino05 part 2 eqs. (14), (15).
//!
//! y′ = λy is the velocity of a particle with damping −λ and no spring. The recursions work on Q = (y, y′) with Q′ = AQ + b as
//! the formulas are printed (VALIDATION traps 2 to 4 applied); the engine solves for positions and takes velocities from
//! their differences, so its rounding grows as 1/h.

use super::{Check, ExperimentError, Outcome, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};
use glam::DVec3;
use toile_core::force::Tether;
use toile_core::integrate::{Integrator, Options, Precision, Rule, Scheme, Solve, StepError};
use toile_core::system::{Past, State, System};

/// Position and velocity.
pub(super) type Point = [f64; 2];

/// A test equation and its initial values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Equation {
    pub(super) mass: f64,
    pub(super) stiffness: f64,
    pub(super) damping: f64,
    /// Where the spring is at rest.
    pub(super) anchor: f64,
    pub(super) gravity: f64,
    pub(super) start: Point,
    /// T.
    pub(super) end: f64,
    /// 0 for an equation of y, 1 for one of y′.
    pub(super) observed: usize,
}

impl Equation {
    /// y′ = λy with y(0) = 1, as the velocity of a particle.
    pub(super) fn first_order(lambda: f64, end: f64) -> Self {
        let (damping, start) = (-lambda, [0.0, 1.0]);
        Self { mass: 1.0, stiffness: 0.0, damping, anchor: 0.0, gravity: 0.0, start, end, observed: 1 }
    }

    /// y″ = −k y − d y′, y(0) = 0, y′(0) = v.
    pub(super) fn oscillator(stiffness: f64, damping: f64, velocity: f64, end: f64) -> Self {
        let start = [0.0, velocity];
        Self { mass: 1.0, stiffness, damping, anchor: 0.0, gravity: 0.0, start, end, observed: 0 }
    }

    /// Position without force; that of the anchor where there is no spring.
    pub(super) fn rest(&self) -> f64 {
        if self.stiffness == 0.0 { self.anchor } else { self.anchor + self.mass * self.gravity / self.stiffness }
    }

    /// The exact solution, without cancellation between decaying exponentials.
    pub(super) fn exact(&self, t: f64) -> Point {
        let (k, c) = (self.stiffness / self.mass, 0.5 * self.damping / self.mass);
        let [u, v] = [self.start[0] - self.rest(), self.start[1]];
        let square = c * c - k;
        if square > 0.0 {
            let far = -(c + square.sqrt().copysign(c));
            let near = k / far;
            let (a, b) = ((v - far * u) / (near - far), (near * u - v) / (near - far));
            let (ea, eb) = (a * (near * t).exp(), b * (far * t).exp());
            return [self.rest() + ea + eb, near * ea + far * eb];
        }
        let w = (-square).sqrt();
        let (cos, sin) = if w > 0.0 { ((w * t).cos(), (w * t).sin() / w) } else { (1.0, t) };
        let decay = (-c * t).exp();
        [self.rest() + decay * (u * cos + (v + c * u) * sin), decay * (v * cos - (c * v + k * u) * sin)]
    }

    /// Q′ = AQ + b.
    fn slope(&self, q: Point) -> Point {
        let force = -self.stiffness * (q[0] - self.anchor) - self.damping * q[1];
        [q[1], force / self.mass + self.gravity]
    }

    /// (I − aA)⁻¹ r.
    fn solve(&self, a: f64, r: Point) -> Point {
        let (k, d) = (self.stiffness / self.mass, self.damping / self.mass);
        let determinant = 1.0 + a * d + a * a * k;
        [((1.0 + a * d) * r[0] + a * r[1]) / determinant, (r[1] - a * k * r[0]) / determinant]
    }

    /// The particle.
    pub(super) fn system(&self) -> System {
        let at = |y: f64| DVec3::new(y, 0.0, 0.0);
        let (stiffness, damping) = (self.stiffness, self.damping);
        let tether = Tether { nodes: vec![0], anchors: vec![at(self.anchor)], stiffness, damping };
        System::of_particles(vec![at(self.start[0])], vec![self.mass], at(self.gravity), vec![Box::new(tether)])
    }

    /// Size of an error: energy norm of an oscillator, so that a zero crossing at T does not hide it; else the value itself.
    pub(super) fn size(&self, error: Point) -> f64 {
        if self.observed == 1 {
            return error[1].abs();
        }
        (self.stiffness * error[0] * error[0] + self.mass * error[1] * error[1]).sqrt()
    }
}

/// A scheme as the tables name it.
pub(super) struct Method {
    pub(super) name: &'static str,
    pub(super) scheme: Scheme,
    order: u32,
}

impl Method {
    /// Order on an equation: Störmer–Verlet with damping drops to 1 (VALIDATION trap 3).
    pub(super) fn order(&self, equation: &Equation) -> f64 {
        let damped = self.scheme == Scheme::Verlet && equation.damping != 0.0;
        if damped { 1.0 } else { f64::from(self.order) }
    }
}

const fn implicit(rule: Rule) -> Scheme {
    Scheme::Implicit { rule, solve: Solve::Newton }
}

/// The schemes of the tables. Störmer–Verlet, a scheme of second-order equations, is last.
pub(super) const METHODS: [Method; 7] = [
    Method { name: "explicit_euler", scheme: Scheme::ExplicitEuler, order: 1 },
    Method { name: "explicit_midpoint", scheme: Scheme::Midpoint, order: 2 },
    Method { name: "rk4", scheme: Scheme::RungeKutta4, order: 4 },
    Method { name: "implicit_euler", scheme: implicit(Rule::Euler { alpha: 1.0 }), order: 1 },
    Method { name: "implicit_midpoint", scheme: implicit(Rule::Euler { alpha: 0.5 }), order: 2 },
    Method { name: "bdf2", scheme: implicit(Rule::Bdf2 { alpha: 1.0 }), order: 2 },
    Method { name: "verlet", scheme: Scheme::Verlet, order: 2 },
];

/// Where a two-step rule has its second value from.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Second {
    /// The implicit midpoint rule.
    Midpoint,
    /// The exact solution.
    Exact,
}

/// A linear step is exact after one Newton iteration with a direct solver. Tighter tolerances, as of `Options::exact`, would lie
/// below the rounding of velocities at short steps.
pub(super) fn direct(scheme: Scheme) -> Options {
    Options { precision: Precision::Double, solver: "cholesky".into(), ..Options::scheme(scheme) }
}

fn put(state: &mut State, q: Point) {
    state.positions[0].x = q[0];
    state.velocities[0].x = q[1];
}

fn point(state: &State) -> Point {
    [state.positions[0].x, state.velocities[0].x]
}

/// A march: its end, and the work of it in force evaluations and linear solves.
pub(super) struct March {
    pub(super) path: Vec<Point>,
    pub(super) work: usize,
}

impl March {
    pub(super) fn end(&self) -> Point {
        self.path.last().copied().unwrap_or([f64::NAN; 2])
    }
}

/// Marches to T with the engine.
pub(super) fn march(equation: &Equation, scheme: Scheme, steps: usize, second: Second) -> Result<March, StepError> {
    let (system, h) = (equation.system(), equation.end / steps as f64);
    let mut state = system.initial_state();
    put(&mut state, equation.start);
    let mut integrator = Integrator::new(&system, direct(scheme))?;
    let mut starter = Integrator::new(&system, direct(implicit(Rule::Euler { alpha: 0.5 })))?;
    let two_step = matches!(scheme, Scheme::Implicit { rule: Rule::Bdf2 { .. }, .. });
    let mut march = March { path: vec![equation.start], work: 0 };
    for k in 0..steps {
        let report = match (k, two_step, second) {
            (0, true, Second::Exact) => {
                let past = Past { step: h, positions: state.positions.clone(), velocities: state.velocities.clone() };
                state.past = Some(past);
                state.time = h;
                put(&mut state, equation.exact(h));
                march.path.push(point(&state));
                continue;
            }
            (0, true, Second::Midpoint) => starter.step(&system, &mut state, h)?,
            _ => integrator.step(&system, &mut state, h)?,
        };
        // A Newton iteration: forces with the Jacobian, a solve, forces at its end.
        march.work += report.evaluations + 3 * report.newton;
        march.path.push(point(&state));
    }
    Ok(march)
}

/// One step of the recursion from Q and the point before it.
fn recur(equation: &Equation, scheme: Scheme, h: f64, q: Point, before: Point) -> Point {
    let f = |q: Point| equation.slope(q);
    let ahead = |w: f64, k: Point| [q[0] + w * k[0], q[1] + w * k[1]];
    match scheme {
        Scheme::ExplicitEuler => ahead(h, f(q)),
        Scheme::Midpoint => ahead(h, f(ahead(0.5 * h, f(q)))),
        Scheme::RungeKutta4 => {
            let k1 = f(q);
            let k2 = f(ahead(0.5 * h, k1));
            let k3 = f(ahead(0.5 * h, k2));
            let k4 = f(ahead(h, k3));
            ahead(h / 6.0, [0, 1].map(|i| k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))
        }
        Scheme::Implicit { rule: Rule::Euler { alpha }, .. } => ahead(h, equation.solve(alpha * h, f(q))),
        Scheme::Implicit { rule: Rule::Bdf2 { alpha }, .. } => {
            let (beta, delta) = ((2.0 * alpha - 1.0) / (2.0 * alpha + 1.0), 2.0 * h / (2.0 * alpha + 1.0));
            let slope = f(q);
            let right = [0, 1].map(|i| beta * (q[i] - before[i]) + delta * slope[i]);
            ahead(1.0, equation.solve(alpha * delta, right))
        }
        // `before` carries the velocity half a step back.
        Scheme::Verlet => {
            let v = before[1] + h * f([q[0], before[1]])[1];
            [q[0] + h * v, v]
        }
        Scheme::RungeKutta5 | Scheme::Auto => [f64::NAN; 2],
    }
}

/// Marches to T by the recursion. The velocity of Störmer–Verlet is the one half a step back.
pub(super) fn recursion(equation: &Equation, scheme: Scheme, steps: usize, second: Second) -> Point {
    let h = equation.end / steps as f64;
    let (mut before, mut q) = (equation.start, equation.start);
    let mut left = steps;
    if let Scheme::Implicit { rule: Rule::Bdf2 { .. }, .. } = scheme {
        q = match second {
            Second::Exact => equation.exact(h),
            Second::Midpoint => recur(equation, implicit(Rule::Euler { alpha: 0.5 }), h, q, q),
        };
        left -= 1;
    }
    if scheme == Scheme::Verlet {
        before[1] -= 0.5 * h * equation.slope(q)[1];
    }
    for _ in 0..left {
        let next = recur(equation, scheme, h, q, before);
        before = if scheme == Scheme::Verlet { next } else { q };
        q = next;
    }
    q
}

/// Largest amplification per step of an equation without load: spectral radius of the map (Q, Q₋₁) ↦ (Q₊₁, Q), its columns taken
/// from steps out of the four unit points.
fn radius(mut step: impl FnMut(Point, Point) -> Result<Point, StepError>) -> Result<f64, StepError> {
    let mut m = [[0.0; 4]; 4];
    for j in 0..4 {
        let mut unit = [0.0; 4];
        unit[j] = 1.0;
        let next = step([unit[0], unit[1]], [unit[2], unit[3]])?;
        for (i, value) in [next[0], next[1], unit[0], unit[1]].into_iter().enumerate() {
            m[i][j] = value;
        }
    }
    // ‖M^(2^n)‖^(1/2^n): rounding of a squaring is halved with each further one.
    let mut logarithm = 0.0;
    let mut share = 1.0;
    for _ in 0..50 {
        let norm = m.iter().flatten().fold(0.0f64, |a, x| a.max(x.abs()));
        logarithm += share * norm.ln();
        share *= 0.5;
        let n = m.map(|row| row.map(|x| x / norm));
        m = std::array::from_fn(|i| std::array::from_fn(|j| (0..4).map(|k| n[i][k] * n[k][j]).sum()));
    }
    Ok(logarithm.exp())
}

/// Amplification per step of length h by the engine.
pub(super) fn amplification(equation: &Equation, scheme: Scheme, h: f64) -> Result<f64, StepError> {
    let system = equation.system();
    let mut integrator = Integrator::new(&system, direct(scheme))?;
    radius(|now, before| {
        let mut state = system.initial_state();
        put(&mut state, before);
        let past = Past { step: h, positions: state.positions.clone(), velocities: state.velocities.clone() };
        put(&mut state, now);
        state.past = Some(past);
        integrator.step(&system, &mut state, h)?;
        Ok(point(&state))
    })
}

/// The same by the recursion.
pub(super) fn recursive_amplification(equation: &Equation, scheme: Scheme, h: f64) -> Result<f64, StepError> {
    radius(|now, before| Ok(recur(equation, scheme, h, now, before)))
}

/// Longest stable step between `low` and `high` (s) by bisection on the engine's amplification.
pub(super) fn stability_limit(equation: &Equation, scheme: Scheme, range: [f64; 2]) -> Result<f64, StepError> {
    let [mut low, mut high] = range;
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if amplification(equation, scheme, middle)? > 1.0 {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(0.5 * (low + high))
}

/// Rounding (of the observed value) that a march may end with: one unit per step, as a random walk; an implicit step rounds the
/// position and with it the velocity by as much over h, which an oscillator turns back into position at 1/ω.
pub(super) fn rounding(equation: &Equation, scheme: Scheme, path: &[Point]) -> f64 {
    let steps = path.len() as f64;
    let largest = |i: usize| path.iter().map(|q| q[i].abs()).fold(0.0, f64::max);
    let unit = match scheme {
        Scheme::Implicit { .. } if equation.observed == 0 => {
            largest(0) * (steps / equation.end / (equation.stiffness / equation.mass).sqrt()).max(1.0)
        }
        // What was rounded early grows with the solution.
        Scheme::Implicit { .. } => {
            let growth = (equation.exact(equation.end)[1] / equation.start[1]).abs().max(1.0);
            growth * largest(0) * steps / equation.end
        }
        _ => largest(equation.observed),
    };
    4.0 * f64::EPSILON * unit * steps.sqrt()
}

/// Six digits of an error, or what rounding adds to it.
pub(super) fn band(reference: f64, rounding: f64) -> Tolerance {
    if 1e-6 * reference >= rounding { Tolerance::Relative(1e-6) } else { Tolerance::Absolute(rounding) }
}

/// Stored errors of one problem: (method, steps) → |error| at T.
pub(super) type Stored = Vec<(String, usize, f64)>;

/// The rows of a problem in the table of an experiment.
pub(super) fn stored(id: &str, problem: &str) -> Result<Stored, ExperimentError> {
    let table = super::reference::table(id)?.only("problem", problem)?;
    let (names, steps) = (table.words("method")?, table.numbers("steps")?);
    let errors = table.numbers("abs_err_first_component_at_T")?;
    Ok((0..names.len()).map(|i| (names[i].to_owned(), steps[i] as usize, errors[i])).collect())
}

/// Work–precision study of an equation: errors at T for 4, 8, … steps against the stored ones (or, for other parameters, the
/// recursion), measured orders, and the diagram.
pub(super) fn study(
    outcome: &mut Outcome,
    (stem, title): (&str, &str),
    equation: &Equation,
    methods: &[Method],
    stored: Option<&Stored>,
) -> Result<(), ExperimentError> {
    let exact = equation.exact(equation.end)[equation.observed];
    let mut series = Vec::new();
    for (colour, method) in methods.iter().enumerate() {
        let (mut measured, mut expected) = (Vec::new(), Vec::new());
        for steps in (2..=14).map(|n| 1usize << n) {
            let march = march(equation, method.scheme, steps, Second::Midpoint)?;
            let error = (march.end()[equation.observed] - exact).abs();
            let row = stored.and_then(|s| s.iter().find(|r| r.0 == method.name && r.1 == steps));
            let reference = row.map_or_else(
                || (recursion(equation, method.scheme, steps, Second::Midpoint)[equation.observed] - exact).abs(),
                |r| r.2,
            );
            let rounding = rounding(equation, method.scheme, &march.path);
            let band = band(reference, rounding);
            let quantity = format!("{title}: |error| at T, {}, {steps} steps", method.name);
            outcome.checks.push(Check::against(quantity, error, "–", reference, band));
            measured.push([march.work as f64, error]);
            expected.push([march.work as f64, reference]);
        }
        let quantity = format!("{title}: order of {}", method.name);
        let slope = order(equation, method)?;
        outcome.checks.push(Check::against(quantity, slope, "–", method.order(equation), Tolerance::Absolute(0.05)));
        let line = Series::new(method.name.replace('_', " "), Style::Line, measured);
        series.push(Series { colour: Some(colour), ..line });
        series.push(Series { colour: Some(colour), ..Series::new("", Style::Points, expected) });
    }
    let plot = Plot {
        title: format!("{title}: lines measured, marks reference"),
        x: Axis::log("work (force evaluations and solves)"),
        // Unstable marches end anywhere.
        y: Axis { range: Some([1e-16, 1e2]), ..Axis::log("error at T (–)") },
        series,
        is_equal: false,
    };
    outcome.plots.push((stem.into(), plot.into()));
    Ok(())
}

/// Order between the two finest marches whose errors stand clear of rounding. A first-order equation is followed over two of its
/// own times at most: later there is nothing left of a decaying solution but rounding.
fn order(equation: &Equation, method: &Method) -> Result<f64, ExperimentError> {
    let most = if method.order(equation) > 1.5 { 13 } else { 17 };
    let end = if equation.observed == 1 { equation.end.min(2.0 / equation.damping.abs()) } else { equation.end };
    let equation = &Equation { end, ..*equation };
    let exact = equation.exact(end);
    let scale = match method.scheme {
        // Below 1e-8 of the start, rounding of the finest marches shows in the second digit.
        Scheme::Implicit { .. } => 1e-8 * equation.size([equation.start[0] - equation.rest(), equation.start[1]]),
        // A hundred roundings of the finest march.
        _ => 1e4 * f64::EPSILON * equation.size(exact),
    };
    let mut errors: Vec<f64> = Vec::new();
    for n in 6..=most {
        let end = march(equation, method.scheme, 1 << n, Second::Midpoint)?.end();
        let error = equation.size([end[0] - exact[0], end[1] - exact[1]]);
        if error < scale && errors.len() > 1 {
            break;
        }
        errors.push(error);
    }
    match errors[..] {
        [.., coarse, fine] => Ok((coarse / fine).log2()),
        _ => Err(ExperimentError::Failed("no two marches to compare".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The exact solutions solve their equations, over- and underdamped, with and without a spring.
    #[test]
    fn exact_solutions_satisfy_the_equation() {
        let spring = Equation { anchor: -1.0, gravity: -10.0, ..Equation::oscillator(100.0, 1.0, -5.0, 2.0) };
        let equations = [Equation::first_order(-15.0, 1.0), Equation::oscillator(2.5, 5.0, 1.0, 10.0), spring];
        for equation in equations {
            assert!((equation.exact(0.0)[0] - equation.start[0]).abs() < 1e-14);
            for t in [0.1, 0.7] {
                let h = 1e-5;
                let (a, b) = (equation.exact(t - h), equation.exact(t + h));
                let slope = equation.slope(equation.exact(t));
                for i in 0..2 {
                    // Central differences: h² of third derivatives up to 1e4.
                    assert!(
                        ((b[i] - a[i]) / (2.0 * h) - slope[i]).abs() < 1e-6 * (1.0 + slope[i].abs()),
                        "{equation:?}"
                    );
                }
            }
        }
    }

    /// y(10) of both readings of example 2, and the end of example 3, as printed in VALIDATION.
    #[test]
    fn exact_ends_are_the_printed_ones() {
        assert!((Equation::oscillator(2.5, 5.0, 1.0, 10.0).exact(10.0)[0] - 9.2187e-4).abs() < 5e-9);
        assert!((Equation::oscillator(5.0, 5.0, 1.0, 10.0).exact(10.0)[0] - 4.4536e-7).abs() < 5e-12);
    }
}
