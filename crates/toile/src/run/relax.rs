//! To equilibrium: Newton's method where nothing touches, steps without inertia where something does.

use super::{Failure, Part, Run, RunError};
use toile_core::integrate::{Integrator, Options, Precision, Relaxation, StaticOptions, StaticPace, StepReport};
use toile_core::system::State;

/// Longest step of `settle` (s): inertia is nothing there.
const LONGEST: f64 = 0.3;
/// Newton's tolerance at the start of `settle`, in steps of free fall.
const LOOSEST: f64 = 1e-4;
/// Growth of the steps.
const GROWTH: f64 = 1.6;

impl Run<'_> {
    /// Equilibrium without contact.
    pub(super) fn relax(&mut self) -> Result<(), RunError> {
        let s = &self.scene.simulation;
        let options = StaticOptions {
            force_tolerance: s.force_tolerance,
            max_iterations: s.max_iterations,
            solver: if s.options.solver == "auto" { "cholesky".into() } else { s.options.solver.clone() },
            max_move: 0.1,
            ..StaticOptions::default()
        };
        let relaxation = match self.relaxation.take() {
            Some((pace, history)) => Relaxation::resumed(&self.system, &options, pace, history),
            None => Relaxation::new(&self.system, &mut self.state, &options),
        };
        let mut relaxation = relaxation.map_err(|e| self.failed(e))?;
        self.begin()?;
        let mut probe = self.clock.probe();
        while !relaxation.is_over(&options) {
            self.clock.enter(Part::Other);
            let outcome = relaxation.advance(&self.system, &mut self.state, &options, Some(&mut probe));
            outcome.map_err(|e| self.failed(e))?;
            self.step += 1;
            self.relaxation = Some((relaxation.pace(), relaxation.found().history.clone()));
            let report = StepReport { newton: 1, residual: relaxation.found().residual, ..StepReport::default() };
            self.note(&report);
            if !relaxation.is_over(&options) {
                self.pause()?;
            }
        }
        let found = relaxation.finish(&self.system, &mut self.state);
        self.relaxation = None;
        self.frame(1)?;
        if found.converged {
            return Ok(());
        }
        let message = format!(
            "no equilibrium after {} iterations: {:.3e} N are left on vertex {}, {:.3e} N were asked for; allow more with max_iterations, ask for less with force_tolerance_mn, or let it swing out with `toile run`",
            found.iterations, found.residual, found.worst_node, options.force_tolerance
        );
        Err(RunError::Step(Box::new(Failure::at(message, Some(found.worst_node), self.scene, &self.state))))
    }

    /// Equilibrium with contact: steps of backward Euler that start at rest and grow until inertia is nothing beside the forces.
    /// Friction holds what it holds at the end of such a step.
    pub(super) fn settle(&mut self) -> Result<(), RunError> {
        let s = &self.scene.simulation;
        self.begin()?;
        let (mut pace, mut history) =
            self.relaxation.take().unwrap_or((StaticPace { step: s.step, is_exact: false }, Vec::new()));
        let (mut worst, mut left) = (0, history.last().copied().unwrap_or(f64::INFINITY));
        while left > s.force_tolerance && (self.step as usize) < s.max_iterations {
            self.clock.enter(Part::Other);
            let start = history.first().copied().unwrap_or(1.0);
            let mut integrator = self.settler(history.last().map_or(1.0, |left| left / start))?;
            let Some(contact) = &mut self.contact else { break };
            let outcome = contact.step(&mut integrator, &self.system, &mut self.state, pace.step);
            let report = outcome.map_err(|e| self.failed(e))?;
            self.rest();
            (worst, left) = self.largest_force();
            self.step += 1;
            self.note(&StepReport { residual: left, ..report });
            pace.step = if report.cuts > 0 { 0.5 * pace.step } else { (GROWTH * pace.step).min(LONGEST) };
            history.push(left);
            self.relaxation = Some((pace, history.clone()));
            self.pause()?;
        }
        self.relaxation = None;
        self.frame(1)?;
        if left <= s.force_tolerance {
            return Ok(());
        }
        let message = format!(
            "no equilibrium after {} steps: {left:.3e} N are left on vertex {worst}, {:.3e} N were asked for; allow more with max_iterations, ask for less with force_tolerance_mn, or let it swing out with `toile run`",
            self.step, s.force_tolerance
        );
        Err(RunError::Step(Box::new(Failure::at(message, Some(worst), self.scene, &self.state))))
    }

    /// What solves a step whose start has this share of the first force left. Loose at first, and then tighter with the square of
    /// it: what Newton leaves is then always less than what is there to be reduced.
    fn settler(&self, share: f64) -> Result<Integrator, RunError> {
        let tolerance = LOOSEST * (share * share).clamp(1e-5, 1.0);
        let options = Options {
            precision: Precision::Double,
            tolerance,
            linear_tolerance: 0.1 * tolerance,
            max_newton: 200,
            max_linear: 4000,
            ..self.scene.simulation.options.clone()
        };
        let mut integrator = Integrator::new(&self.system, options).map_err(|e| self.failed(e))?;
        integrator.set_probe(self.clock.probe());
        Ok(integrator)
    }

    /// Takes the speed out of the state; time stands still.
    fn rest(&mut self) {
        let State { velocities, past, time, .. } = &mut self.state;
        velocities.fill(glam::DVec3::ZERO);
        (*past, *time) = (None, 0.0);
    }

    /// The node with the largest force on its free components, contact and friction included (N).
    fn largest_force(&mut self) -> (usize, f64) {
        let mut forces = self.system.total_forces(&self.state);
        if let Some(contact) = &mut self.contact {
            let touching = contact.forces(&self.state).cloth;
            forces.iter_mut().zip(touching).for_each(|(f, c)| *f += c);
        }
        let free = self.system.free();
        let size = |i: usize| (0..3).filter(|&c| free[i][c]).map(|c| forces[i][c] * forces[i][c]).sum::<f64>().sqrt();
        (0..forces.len()).map(|i| (i, size(i))).fold((0, 0.0), |a, b| if b.1 > a.1 { b } else { a })
    }
}
