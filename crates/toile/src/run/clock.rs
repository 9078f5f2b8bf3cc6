//! Time by phase.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use toile_core::integrate::{Phase, Probe};
use toile_io::run::PHASES;

/// What time is spent on, in the order of [`PHASES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Reading the scene, making meshes.
    Read,
    /// Putting the system together.
    Build,
    /// Element forces.
    Forces,
    /// Element forces and Jacobian together.
    Assembly,
    /// Set-up of the linear solver.
    Setup,
    /// Linear solve.
    Solve,
    /// Contact forces and their Jacobian.
    Contact,
    /// Detection of contact and cuts to moves.
    Detection,
    /// The rest of the steps.
    Other,
    /// Frames, checkpoints, records, exports.
    Write,
    /// Pictures.
    Pictures,
}

/// Adds up the time between changes of phase, over all parts of a run that was taken up again.
#[derive(Clone)]
pub struct Clock {
    inner: Arc<Mutex<Inner>>,
}

struct Inner {
    seconds: [f64; PHASES.len()],
    now: (Part, Instant),
    mark: Instant,
}

impl Clock {
    /// Starts with reading.
    pub fn start() -> Self {
        let now = Instant::now();
        let inner = Inner { seconds: [0.0; PHASES.len()], now: (Part::Read, now), mark: now };
        Self { inner: Arc::new(Mutex::new(inner)) }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on time counts for this part.
    pub fn enter(&self, part: Part) {
        self.lock().enter(part);
    }

    /// Adds what was spent before.
    pub(super) fn add(&self, seconds: &[f64; PHASES.len()]) {
        let mut inner = self.lock();
        for (to, from) in inner.seconds.iter_mut().zip(seconds) {
            *to += from;
        }
    }

    /// Seconds by phase until now.
    pub fn seconds(&self) -> [f64; PHASES.len()] {
        let mut inner = self.lock();
        let part = inner.now.0;
        inner.enter(part);
        inner.seconds
    }

    /// Seconds since the last mark.
    pub(crate) fn since_mark(&self) -> f64 {
        self.lock().mark.elapsed().as_secs_f64()
    }

    /// Sets a mark.
    pub(crate) fn mark(&self) {
        self.lock().mark = Instant::now();
    }

    /// Follows the phases of an integrator.
    pub(super) fn probe(&self) -> Probe {
        let clock = self.clone();
        Box::new(move |phase| {
            clock.enter(match phase {
                Phase::Forces => Part::Forces,
                Phase::Assembly => Part::Assembly,
                Phase::Setup => Part::Setup,
                Phase::Solve => Part::Solve,
                Phase::Contact => Part::Contact,
                Phase::Detection => Part::Detection,
                Phase::Other => Part::Other,
            });
        })
    }
}

impl Inner {
    fn enter(&mut self, part: Part) {
        let at = Instant::now();
        let (last, since) = std::mem::replace(&mut self.now, (part, at));
        self.seconds[last as usize] += (at - since).as_secs_f64();
    }
}
