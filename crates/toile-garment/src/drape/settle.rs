//! Sewn garments come to rest.

use super::fall::Falls;
use super::notions::{Notions, certify_joined};
use super::{DrapeError, Figure, Layer, Options, coulomb, joined, mechanics, sheet};
use glam::DVec3;
use toile_contact::barrier::Barrier;
use toile_contact::certify::Certificate;
use toile_core::integrate::Integrator;
use toile_core::system::{State, System};

/// How a garment came to rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settled {
    /// Triangles.
    pub triangles: usize,
    /// Steps made.
    pub steps: usize,
    /// Newton iterations.
    pub newton: usize,
    /// Linear iterations.
    pub linear: usize,
    /// The longest way of a vertex in the last step (m).
    pub moved: f64,
    /// Whether it moved little enough and its weight was carried.
    pub is_resting: bool,
    /// Force left on vertices over their weight, root mean square of all.
    pub residual: f64,
    /// Vertical force of the body on the garment over the garment's weight.
    pub support: f64,
    /// Upright force of attachments over the garment's weight.
    pub held: f64,
    /// The widest gap between a button and its hole beyond the thickness (m).
    pub button_gap: f64,
    /// The widest gap between layers that are sewn on without being welded (m).
    pub layer_gap: f64,
    /// What crosses at the end.
    pub certificate: Certificate,
    /// Force of body and cloth on each vertex of the cloth (N), garment by garment.
    pub contact: Vec<DVec3>,
    /// Force of the cloth on each vertex of the body (N).
    pub on_body: Vec<DVec3>,
}

/// When a garment counts as resting, and how far it is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rest {
    /// The longest way of a vertex in a long step (m).
    pub(super) moved: f64,
    /// Largest error of [`Settled::support`].
    pub(super) balance: f64,
    /// [`Settled::residual`] above which a few exact steps follow.
    pub(super) residual: f64,
    /// Steps at most.
    pub(super) steps: usize,
    /// Whether the garment is held by its own friction in the end, not by the little that it finds its place with.
    pub(super) is_final: bool,
}

pub(super) const GRAVITY: f64 = 9.81;
/// Friction while a garment finds its place: nobody leaves a garment as it was pulled on. Sewn in mid-air, cloth comes down on the body anywhere,
/// and with all its friction it would stay there: the back of a T-shirt bunched above the seat, each mesh at another height. None at all lets
/// cloth creep for ever.
const SMOOTHED: f64 = 0.02;
/// First length of a step (s). Motion is stopped after each; steps grow while they are easy: the way down gets longer as it gets flatter.
const FIRST_STEP: f64 = 0.02;
/// A step from which on not moving means resting (s): gravity alone would carry cloth 40 cm in it.
const LONG_STEP: f64 = 0.2;
/// Longest step (s).
const LONGEST_STEP: f64 = 0.5;
/// Goals of linear solves once nothing moves any more: of the first over a step of free fall, of the others over the residual. Forces that
/// skin and friction hold need no motion to be wrong: with a tighter Newton tolerance and loose solves, shorts of 13 376 triangles had not balanced
/// after 250 s; with these goals they did in two steps.
const EXACT: [f64; 2] = [1e-4, 1e-3];
/// Exact steps at most for the sake of the residual, and their share of the tolerance. They are short: where cloth lies in slack folds, a tenth of a
/// millimetre across it weighs as much in the membrane as the cloth itself, and long steps chase that down flat slopes without an end. What
/// is left of forces is stiff, and mass holds the rest.
const POLISH: usize = 10;
const POLISHED: f64 = 0.05;
/// Smallest share of the tolerance that is asked for in the end.
const FINEST: f64 = 0.25;
/// Steps in a row that may fail before settling does, and how much shorter the next one is.
const FAILURES: usize = 6;
const SHORTER: f64 = 0.2;
/// Iterations spent on single vertices that bear most of what is left, on the way and once nothing moves any more. On the way they are the next
/// step's: of a T-shirt at 5 mm half of all iterations went there.
const PATIENCE: [usize; 2] = [1, 6];
/// Newton iterations of a step that may be followed by a longer one, and by a shorter one.
const EASY: usize = 6;
const HARD: usize = 16;

/// Lets cloth settle on a body under gravity. Positions (m) follow, also when it fails.
pub(super) fn settle(
    layers: &[Layer],
    notions: &[Notions],
    body: &Figure,
    options: &Options,
    rest: &Rest,
    positions: &mut Vec<DVec3>,
    tell: &mut dyn FnMut(usize, f64),
) -> Result<Settled, DrapeError> {
    let step_error = |error| DrapeError::Step { phase: "settling", error };
    let system = mechanics(layers, notions)?;
    let sheets: Vec<_> = layers.iter().map(|l| sheet(l.name, l.mesh, l.thickness())).collect();
    let mut friction = SMOOTHED.min(options.friction);
    let mut barrier = Barrier::new(&system, &sheets, vec![body.obstacle()], coulomb(friction), options.settings());
    let joined = joined(notions.iter().zip(layers).map(|(n, l)| (n.joined().to_vec(), l.mesh.vertex_count())));
    if !joined.is_empty() {
        barrier.join(joined);
    }
    // A failing step is made shorter here, not there: half as long is seldom enough.
    let loose = toile_core::integrate::Options { max_cuts: 0, max_newton: 40, ..super::newton() };
    let mut integrator = Integrator::new(&system, loose.clone()).map_err(step_error)?;
    let (mut state, mut failures) = (system.initial_state(), 0);
    let (mut step, mut falls, mut precision, mut polished) = (FIRST_STEP, Falls::new(layers), 1.0f64, 0);
    let triangles = layers.iter().map(|l| l.mesh.triangles.len()).sum();
    let mut settled = Settled { triangles, moved: f64::INFINITY, ..Settled::default() };
    loop {
        positions.clear();
        positions.extend_from_slice(&state.positions[..system.vertex_count()]);
        settled.look(&system, &state, &mut barrier);
        settled.look_at_notions(&system, &state, &falls, notions);
        tell(settled.steps, settled.moved);
        let mut is_still = settled.moved <= rest.moved && step >= LONG_STEP;
        if is_still && rest.is_final && friction < options.friction {
            friction = options.friction;
            barrier.set_friction(coulomb(friction));
            is_still = false;
        }
        settled.is_resting = is_still && (settled.support + settled.held - 1.0).abs() <= rest.balance;
        let is_polished = settled.residual <= rest.residual || polished >= POLISH;
        if settled.is_resting && is_polished || settled.steps == rest.steps {
            settled.certificate = certify_joined(barrier.shapes(), barrier.positions());
            return Ok(settled);
        }
        let is_polishing = settled.is_resting;
        if is_still {
            // Nothing moves any more, and yet forces do not balance: what is left is the error of the last answers.
            integrator.set_contact_patience(PATIENCE[1]);
            integrator.set_linear_goals(EXACT[0], EXACT[1]);
            polished += usize::from(is_polishing);
            precision = if is_polishing { POLISHED } else { (0.5 * precision).max(FINEST) };
        } else if settled.moved > rest.moved {
            // On its way again: exact answers to passing questions are wasted.
            integrator.set_linear_goals(loose.linear_tolerance, loose.contact_forcing);
            precision = 1.0;
            integrator.set_contact_patience(PATIENCE[0]);
        }
        // The same tolerance in metres whatever the step.
        let length = if is_polishing { FIRST_STEP } else { step };
        integrator.set_reference_acceleration(precision * GRAVITY * (FIRST_STEP / length).powi(2));
        let before = state.positions.clone();
        let report = match integrator.step_in_contact(&system, &mut state, length, &mut barrier) {
            Ok(report) => {
                failures = 0;
                report
            }
            // It rests already: what more exact steps would mend stays as it is.
            Err(_) if settled.is_resting => {
                polished = POLISH;
                continue;
            }
            // The state is as it was: a shorter step, solved as before.
            Err(error) if failures == FAILURES => return Err(step_error(error)),
            Err(_) => {
                failures += 1;
                step *= SHORTER;
                settled.moved = f64::INFINITY;
                continue;
            }
        };
        state.velocities.fill(DVec3::ZERO);
        state.past = None;
        settled.steps += 1;
        settled.newton += report.newton;
        settled.linear += report.linear;
        match falls.add(&system, [&before, &state.positions], &settled.contact, notions) {
            // What slides off when it is smoothed may stay where it was sewn.
            Err(DrapeError::SlidOff { .. }) if friction < options.friction => {
                friction = options.friction;
                barrier.set_friction(coulomb(friction));
                (state, falls, step) = (system.initial_state(), Falls::new(layers), FIRST_STEP);
                settled.moved = f64::INFINITY;
                continue;
            }
            other => other?,
        }
        let moved = before.iter().zip(&state.positions).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        if is_polishing && moved <= rest.moved {
            // It rests as it did: a short step says nothing new of that.
            continue;
        }
        settled.moved = moved;
        // Where little moves, a single contact may take some iterations without making the next step any harder.
        let easy = if settled.moved <= rest.moved { HARD - 1 } else { EASY };
        step = match report.newton {
            n if n <= easy => (1.5 * step).min(LONGEST_STEP),
            HARD.. => (0.6 * step).max(FIRST_STEP),
            _ => step,
        };
    }
}

impl Settled {
    /// Forces at a state.
    fn look(&mut self, system: &System, state: &State, barrier: &mut Barrier) {
        let mut contact = barrier.forces(&state.positions);
        self.on_body = contact.split_off(system.vertex_count());
        let forces = system.total_forces(state);
        let weight = |v: usize| GRAVITY * system.masses()[v];
        let (mut left, mut all) = (0.0, 0.0);
        for v in 0..contact.len() {
            left += (forces[v] + contact[v]).length_squared();
            all += weight(v).powi(2);
        }
        self.residual = (left / all).sqrt();
        self.support = contact.iter().map(|f| f.y).sum::<f64>() / (GRAVITY * system.total_mass());
        self.contact = contact;
    }

    /// What attachments carry, and how well buttons and layers are shut.
    fn look_at_notions(&mut self, system: &System, state: &State, falls: &Falls, notions: &[Notions]) {
        let own = || notions.iter().zip(falls.vertices()).map(|(n, range)| (n, &state.positions[range]));
        self.held = own().map(|(n, x)| n.held(x)).sum::<f64>() / (GRAVITY * system.total_mass());
        self.button_gap = own().map(|(n, x)| n.button_gap(x)).fold(0.0, f64::max);
        self.layer_gap = own().map(|(n, x)| n.layer_gap(x)).fold(0.0, f64::max);
    }
}
