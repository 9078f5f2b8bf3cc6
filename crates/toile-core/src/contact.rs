//! Contact as the implicit step sees it: forces that appear and vanish, and a limit to how far an iteration may go.
//!
//! The step minimises inertia + elasticity + contact over the end positions y. Contact brings a potential that keeps bodies
//! apart, friction as a potential with the normal forces of the step's start, and its share of the matrix. After each linear
//! solve it shortens the move so that nothing passes through anything. Obstacles are not unknowns: they travel from where
//! they are to where the end of the step wants them, as far as each iteration can let them, and so do the grips.
//!
//! Implementations live in `toile-contact`.

use crate::force::Target;
use crate::linalg::Pair;
use crate::system::System;
use glam::DVec3;

/// A step about to be solved.
pub struct Start<'a> {
    /// The system.
    pub system: &'a System,
    /// Node positions at the start of the step (m).
    pub positions: &'a [DVec3],
    /// Time at the start (s).
    pub time: f64,
    /// Length of the step (s).
    pub step: f64,
    /// Time (s) at which the stage ends: where obstacles have to be.
    pub end: f64,
    /// What the last step left; empty before the first.
    pub memory: &'a [f64],
}

/// What a move is cut to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lengths {
    /// Every vertex goes as far as it can: those in the clear need not wait for those in contact.
    Each,
    /// All go the same share: the direction stays, and with it the promise of descent.
    Common,
}

/// Where contact puts its share of the matrix.
pub struct Couplings<'a> {
    /// Blocks between vertices that an element couples anyway.
    pub matrix: Target<'a>,
    /// All others.
    pub pairs: &'a mut Vec<Pair>,
}

impl Couplings<'_> {
    /// Adds a coupling to the matrix if its vertices are coupled there, to the pairs otherwise.
    pub fn add(&mut self, pair: &Pair) {
        if !self.matrix.add_pair(pair) {
            self.pairs.push(*pair);
        }
    }
}

/// Keeps bodies apart during implicit steps.
pub trait Contact: Send {
    /// A step of this length is asked for (s). What begins may be a part of it, where the whole could not be solved.
    fn expect(&mut self, step: f64);

    /// Starts a step: notes friction's normal forces and where obstacles have to go. Fails, with the reason, on a start that it
    /// cannot take over.
    fn begin(&mut self, start: &Start) -> Result<(), String>;

    /// Whether obstacles are still on their way.
    fn is_moving(&self) -> bool;

    /// Adds the forces at `y` (N).
    fn add_forces(&mut self, y: &[DVec3], forces: &mut [DVec3]);

    /// Adds −∂F/∂y at `y`, made positive semidefinite, and forces where a place for them is given.
    fn add_jacobian(&mut self, y: &[DVec3], forces: Option<&mut [DVec3]>, into: &mut Couplings);

    /// Adds to the right side what the rest of the obstacles' way does to the forces at `y`, to first order.
    fn add_approach(&mut self, y: &[DVec3], forces: &mut [DVec3]);

    /// Potential of the forces at `y` (J); infinite where something has passed through.
    fn potential(&mut self, y: &[DVec3]) -> f64;

    /// Shortens the move from `y` along `d`, and that of the obstacles, so that nothing passes through anything at any moment
    /// of it. Returns the smallest share that was left.
    fn limit(&mut self, y: &[DVec3], d: &mut [DVec3], lengths: Lengths) -> f64;

    /// Lets the obstacles go the way that the last `limit` left them.
    fn advance(&mut self);

    /// What keeps obstacles from their place, for the error message.
    fn obstruction(&self) -> String;

    /// The step is accepted with its end at `y`; what the next one has to know goes to `memory`.
    fn end(&mut self, y: &[DVec3], memory: &mut Vec<f64>);
}
