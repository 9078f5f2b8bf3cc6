//! The first frame: nothing may cross in it, for contact keeps apart and does not part. What crosses is untangled where the scene
//! asks for it, and refused otherwise.

use super::{Event, Failure, Part, Run, RunError};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use toile_contact::untangle::Tangle;

impl Run<'_> {
    /// The first frame, if it is not there yet.
    pub(super) fn begin(&mut self) -> Result<(), RunError> {
        if self.step > 0 {
            return Ok(());
        }
        let outcome = self.untangle();
        self.frame(0)?;
        outcome?;
        match self.contact.as_ref().and_then(|c| c.fault(&self.state)) {
            Some(message) => Err(RunError::Step(Box::new(Failure::at(message, None, self.scene, &self.state)))),
            None => Ok(()),
        }
    }

    fn untangle(&mut self) -> Result<(), RunError> {
        let Some(contact) = self.contact.as_ref().filter(|_| self.untangled.is_none()) else { return Ok(()) };
        self.clock.enter(Part::Build);
        let (tell, stop) = (&mut *self.tell, self.stop);
        let outcome = contact.untangle(&mut self.state, &mut |round| {
            tell(&Event::Untangle { round: round.number, crossings: round.crossings, inside: round.inside });
            if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        match outcome {
            Ok(done) => {
                self.untangled = done;
                Ok(())
            }
            Err(_) if stop.load(Ordering::Relaxed) => {
                Err(RunError::Stopped { time_s: self.state.time, steps: self.step })
            }
            Err(tangle) => Err(self.tangled(&tangle)),
        }
    }

    /// What could not be parted, by name.
    fn tangled(&self, tangle: &Tangle) -> RunError {
        let message = format!("the start cannot be untangled: {tangle}");
        let mut failure = Failure::at(message, None, self.scene, &self.state);
        let is_cloth = |name: &str| self.scene.cloths.iter().any(|c| c.name == name);
        if let Some(place) = tangle.places.iter().find(|p| is_cloth(&p.body)) {
            failure.cloth = Some(place.body.clone());
            failure.triangle = place.triangles.first().map(|t| *t as usize);
        }
        RunError::Step(Box::new(failure))
    }
}
