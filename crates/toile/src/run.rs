//! Runs: a scene carried through time or to equilibrium, in a folder that can be left and taken up again at any moment.
//!
//! The loop is short: step, record, write a frame where one is due, write a checkpoint now and then. All that the next step depends
//! on is in the checkpoint, so a run that was killed and resumed ends with the bytes of one that was not. Pictures, exports
//! and the report are made at the end, from the folder alone.

mod begin;
mod clock;
mod folder;
mod record;
mod relax;

pub use clock::{Clock, Part};
pub use folder::{Folder, Start};
pub use record::{CertificateRecord, Failure, Record, Status, UntangleRecord};

use crate::bench::digest;
use crate::simulation;
use crate::surroundings::{self, Surroundings};
use glam::DVec3;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use toile_core::integrate::{Integrator, StepError, StepReport};
use toile_core::system::{BuildError, State, System};
use toile_io::Problem;
use toile_io::atomic::WriteError;
use toile_io::formats::ExportError;
use toile_io::run::{Checkpoint, FrameCertificate, Props, StepRecord, Untangling, inputs_hash};
use toile_io::scene::{Response, Scene};

/// What a run tells while it goes on.
#[derive(Clone, Debug, serde::Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Event {
    /// It begins, or goes on after so many steps.
    Started {
        /// Steps of the whole run; 0 where it is not known.
        steps: u64,
        /// Steps done before.
        done: u64,
        /// Vertices of all cloths.
        vertices: usize,
        /// Triangles.
        triangles: usize,
    },
    /// A start that crosses is being parted; before each round.
    Untangle {
        /// Its number, from 1.
        round: usize,
        /// Pairs of an edge and a triangle that cross.
        crossings: usize,
        /// Cloth vertices inside obstacles.
        inside: usize,
    },
    /// A step is done.
    Step {
        /// Its number, from 1.
        step: u64,
        /// Simulated time (s); for `drape` 0.
        time_s: f64,
        /// Newton iterations.
        newton: usize,
        /// Linear iterations.
        linear: usize,
        /// Residual: in steps of free fall, or the largest force (N) for `drape`.
        residual: f64,
    },
    /// A frame was written.
    Frame {
        /// Its number, from 0.
        frame: usize,
        /// Its time (s).
        time_s: f64,
        /// What passes through what in it, where there is contact.
        crossings: Option<u64>,
    },
    /// A checkpoint was written.
    Checkpoint {
        /// Steps it holds.
        step: u64,
    },
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// Simulate in time.
    Run,
    /// Relax to equilibrium.
    Drape,
}

/// Why a run ended before its end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The folder does not serve; bad input.
    #[error("{0}")]
    Folder(String),
    /// A file of the folder cannot be used.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Problems(Vec<Problem>),
    /// The system could not be put together.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A step failed for good. The folder holds the state before it.
    #[error("{}", .0.message)]
    Step(Box<Failure>),
    /// A file could not be written.
    #[error("{source}\n  the run can be taken up where it stood: make room and add --resume")]
    Write {
        /// Which and why.
        source: ExportError,
    },
    /// Somebody asked to stop.
    #[error("stopped at {time_s:.3} s after {steps} steps; go on with --resume")]
    Stopped {
        /// Simulated time (s).
        time_s: f64,
        /// Steps done.
        steps: u64,
    },
}

impl From<ExportError> for RunError {
    fn from(source: ExportError) -> Self {
        Self::Write { source }
    }
}

impl From<WriteError> for RunError {
    fn from(source: WriteError) -> Self {
        Self::Write { source: source.into() }
    }
}

/// A run under way.
struct Run<'a> {
    scene: &'a Scene,
    task: Task,
    folder: &'a Folder,
    system: System,
    contact: Option<Surroundings>,
    props: Props,
    state: State,
    step: u64,
    records: Vec<StepRecord>,
    obstacle_forces: Vec<DVec3>,
    certificates: Vec<FrameCertificate>,
    untangled: Option<Untangling>,
    relaxation: Option<(toile_core::integrate::StaticPace, Vec<f64>)>,
    clock: Clock,
    inputs: [u8; 32],
    stop: &'a AtomicBool,
    tell: &'a mut dyn FnMut(&Event),
}

/// Carries out a task into a folder. `stop` is looked at after every step; `tell` hears what happens. `clock` has counted since
/// the program began to read the scene.
pub fn run(
    scene: &Scene,
    task: Task,
    folder: &Folder,
    clock: Clock,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(&Event),
) -> Result<Record, RunError> {
    clock.enter(Part::Build);
    if let (Task::Drape, Some(Response::Geometric { drape, .. })) = (task, scene.contact.as_ref().map(|c| &c.response))
    {
        return Err(RunError::Problems(vec![drape.clone()]));
    }
    let held = (task == Task::Drape).then(|| simulation::held(scene));
    let scene = held.as_ref().unwrap_or(scene);
    let system = simulation::system(scene)?;
    let inputs = inputs_hash(&scene.sources);
    let state = system.initial_state();
    let mut run = Run {
        scene,
        task,
        folder,
        contact: Surroundings::of(scene, &system),
        props: surroundings::props(scene),
        system,
        state,
        step: 0,
        records: Vec::new(),
        obstacle_forces: Vec::new(),
        certificates: Vec::new(),
        untangled: None,
        relaxation: None,
        clock,
        inputs,
        stop,
        tell,
    };
    run.take_up()?;
    let wardrobe = simulation::wardrobe(scene);
    let [vertices, triangles] = wardrobe.counts();
    run.clock.enter(Part::Write);
    wardrobe.write(&folder.file("cloth.npz"))?;
    if !run.props.surfaces.is_empty() {
        run.props.write(&folder.file("obstacles.npz"))?;
    }
    let steps = if task == Task::Run { Plan::of(scene).steps } else { 0 };
    (run.tell)(&Event::Started { steps, done: run.step, vertices, triangles });
    run.record(Status::Running, None)?;
    let outcome = match (task, run.contact.is_some()) {
        (Task::Run, _) => run.through_time(),
        (Task::Drape, false) => run.relax(),
        (Task::Drape, true) => run.settle(),
    };
    run.end(outcome)
}

/// How a duration is divided.
struct Plan {
    steps_per_frame: u64,
    steps: u64,
    step: f64,
}

impl Plan {
    /// Steps that divide the time between frames, none longer than the scene allows.
    fn of(scene: &Scene) -> Self {
        let (s, rate) = (&scene.simulation, scene.output.frames_per_second);
        let frames = (s.duration * rate).round().max(0.0) as u64;
        // A hair of rounding must not cost a whole step.
        let steps_per_frame = (1.0 / (rate * s.step) - 1e-9).ceil().max(1.0) as u64;
        Self { steps_per_frame, steps: frames * steps_per_frame, step: 1.0 / (rate * steps_per_frame as f64) }
    }
}

impl Run<'_> {
    /// Goes back to the checkpoint of the folder, where there is one to go on from.
    fn take_up(&mut self) -> Result<(), RunError> {
        let path = self.folder.file("checkpoint.npz");
        if self.folder.start() != Start::Resume || !path.exists() {
            return Ok(());
        }
        let checkpoint = Checkpoint::read(&path).map_err(RunError::Problems)?;
        let fits = checkpoint.state.positions.len() == self.state.positions.len()
            && checkpoint.state.memory.len() == self.state.memory.len();
        if checkpoint.inputs != self.inputs || !fits {
            let message = format!(
                "{} belongs to other inputs: the scene or a file it names has changed since; start anew with --force",
                path.display()
            );
            return Err(RunError::Folder(message));
        }
        let Checkpoint { step, state, records, obstacle_forces, certificates, untangled, relaxation, seconds, .. } =
            checkpoint;
        (self.step, self.state, self.records, self.relaxation) = (step, state, records, relaxation);
        (self.obstacle_forces, self.certificates, self.untangled) = (obstacle_forces, certificates, untangled);
        self.clock.add(&seconds);
        Ok(())
    }

    fn through_time(&mut self) -> Result<(), RunError> {
        let plan = Plan::of(self.scene);
        let options = self.scene.simulation.options.clone();
        let mut integrator = Integrator::new(&self.system, options).map_err(|e| self.failed(e))?;
        integrator.set_probe(self.clock.probe());
        if let Some(contact) = &mut self.contact {
            contact.set_probe(self.clock.probe());
        }
        self.begin()?;
        while self.step < plan.steps {
            self.clock.enter(Part::Other);
            // The place before the step is only needed where it fails; the integrator leaves the state untouched then.
            let outcome = match &mut self.contact {
                Some(contact) => contact.step(&mut integrator, &self.system, &mut self.state, plan.step),
                None => integrator.step(&self.system, &mut self.state, plan.step),
            };
            let report = outcome.map_err(|e| self.failed(e))?;
            self.step += 1;
            self.note(&report);
            if self.step.is_multiple_of(plan.steps_per_frame) {
                self.frame((self.step / plan.steps_per_frame) as usize)?;
            }
            self.pause()?;
        }
        Ok(())
    }

    /// Notes what a step did.
    fn note(&mut self, report: &StepReport) {
        self.clock.enter(Part::Write);
        let energies = self.system.energies(&self.state);
        let forces = self.contact.as_mut().map(|c| c.forces(&self.state));
        self.obstacle_forces.extend(forces.iter().flat_map(|f| &f.obstacles));
        self.records.push(StepRecord {
            time: self.state.time,
            newton: report.newton as f64,
            linear: report.linear as f64,
            residual: report.residual,
            cuts: f64::from(report.cuts),
            kinetic: energies.kinetic,
            gravity: energies.gravity,
            elastic: energies.elastic(),
            dissipated: energies.dissipated,
            touches: forces.as_ref().map_or(0.0, |f| f.figures.touches as f64),
            gap: forces.as_ref().map_or(f64::INFINITY, |f| f.figures.smallest_gap),
            pressure: forces.map_or(0.0, |f| f.pressure.into_iter().fold(0.0, f64::max)),
        });
        (self.tell)(&Event::Step {
            step: self.step,
            time_s: self.state.time,
            newton: report.newton,
            linear: report.linear,
            residual: report.residual,
        });
    }

    fn frame(&mut self, number: usize) -> Result<(), RunError> {
        self.clock.enter(Part::Write);
        let mut frame = simulation::frame(&self.system, &self.state);
        frame.obstacles = surroundings::moved(self.scene, &self.props, self.state.time);
        let mut crossings = None;
        if let Some(contact) = &mut self.contact {
            let forces = contact.forces(&self.state);
            frame.contact_force = forces.cloth.iter().map(|f| f.as_vec3().to_array()).collect();
            frame.pressure = forces.pressure.iter().map(|p| *p as f32).collect();
            let found = contact.certify(&self.state);
            self.certificates.truncate(number);
            self.certificates.push(found);
            crossings = Some(found.crossings());
        }
        toile_io::run::write_frame(self.folder.path(), number, &frame)?;
        (self.tell)(&Event::Frame { frame: number, time_s: self.state.time, crossings });
        Ok(())
    }

    /// Between two steps: a checkpoint where one is due, the end where somebody asked for it.
    fn pause(&mut self) -> Result<(), RunError> {
        let stopped = self.stop.load(Ordering::Relaxed);
        if stopped || self.clock.since_mark() > self.scene.output.checkpoint_seconds {
            self.checkpoint("checkpoint.npz")?;
            self.clock.mark();
        }
        if stopped { Err(RunError::Stopped { time_s: self.state.time, steps: self.step }) } else { Ok(()) }
    }

    fn checkpoint(&mut self, name: &str) -> Result<(), RunError> {
        self.clock.enter(Part::Write);
        let checkpoint = Checkpoint {
            inputs: self.inputs,
            step: self.step,
            state: self.state.clone(),
            records: self.records.clone(),
            obstacle_forces: self.obstacle_forces.clone(),
            certificates: self.certificates.clone(),
            untangled: self.untangled,
            relaxation: self.relaxation.clone(),
            seconds: self.clock.seconds(),
        };
        checkpoint.write(&self.folder.file(name))?;
        (self.tell)(&Event::Checkpoint { step: self.step });
        Ok(())
    }

    fn failed(&self, error: StepError) -> RunError {
        let node = match &error {
            StepError::NotFinite { node, .. }
            | StepError::NoConvergence { node, .. }
            | StepError::Massless { node } => Some(*node),
            _ => None,
        };
        RunError::Step(Box::new(Failure::at(error.to_string(), node, self.scene, &self.state)))
    }

    /// Writes down how it ended.
    fn end(mut self, outcome: Result<(), RunError>) -> Result<Record, RunError> {
        match outcome {
            Ok(()) => {
                self.checkpoint("checkpoint.npz")?;
                self.write_steps()?;
                self.record(Status::Finished, None)
            }
            Err(RunError::Stopped { time_s, steps }) => {
                self.write_steps()?;
                self.record(Status::Stopped, None)?;
                Err(RunError::Stopped { time_s, steps })
            }
            Err(RunError::Step(failure)) => {
                self.checkpoint("failure.npz")?;
                self.write_steps()?;
                self.record(Status::Failed, Some(failure.as_ref().clone()))?;
                Err(RunError::Step(failure))
            }
            Err(other) => Err(other),
        }
    }

    fn write_steps(&self) -> Result<(), WriteError> {
        let names: Vec<&str> = self.scene.obstacles.iter().map(|o| o.body.name.as_str()).collect();
        let names = if self.contact.is_some() { &names[..] } else { &[] };
        self.folder.write_steps(&self.records, names, &self.obstacle_forces)
    }

    fn record(&mut self, status: Status, failure: Option<Failure>) -> Result<Record, RunError> {
        self.clock.enter(Part::Write);
        let mut record = Record::of(self.scene, self.task, status);
        record.steps = self.step;
        record.frames = toile_io::run::frame_count(self.folder.path());
        record.simulated_s = self.state.time;
        record.step_ms = 1e3 * Plan::of(self.scene).step;
        record.take_times(&self.clock);
        record.take_steps(&self.records);
        record.digest = digest(&self.system, &self.state);
        record.reactions = record::reactions(&self.system, &self.state);
        if self.contact.is_some() {
            record.take_contact(self.scene, &self.obstacle_forces, &self.certificates);
        }
        record.untangled = self.untangled.as_ref().map(UntangleRecord::of);
        record.failure = failure;
        record.write(&self.folder.file("run.json"))?;
        Ok(record)
    }
}

/// Takes up the step that failed in a folder and tells what happens in it: residuals and the place of the worst.
pub fn replay(scene: &Scene, folder: &Path) -> Result<Replay, RunError> {
    let system = simulation::system(scene)?;
    let path = folder.join("failure.npz");
    let checkpoint = Checkpoint::read(&path).map_err(RunError::Problems)?;
    if checkpoint.inputs != inputs_hash(&scene.sources) || checkpoint.state.positions.len() != system.masses().len() {
        return Err(RunError::Folder(format!("{} belongs to other inputs than the scene has now", path.display())));
    }
    let mut state = checkpoint.state;
    let mut contact = Surroundings::of(scene, &system);
    let step = Plan::of(scene).step;
    let mut attempts = Vec::new();
    for cuts in 0..=scene.simulation.options.max_cuts {
        let options = toile_core::integrate::Options { max_cuts: 0, ..scene.simulation.options.clone() };
        let dt = step * 0.5f64.powi(cuts as i32);
        let before = state.clone();
        let outcome = Integrator::new(&system, options).and_then(|mut i| match &mut contact {
            Some(contact) => contact.step(&mut i, &system, &mut state, dt),
            None => i.step(&system, &mut state, dt),
        });
        let message = outcome.as_ref().err().map(ToString::to_string);
        attempts.push(Attempt { step_ms: 1e3 * dt, report: outcome.ok(), message });
        if attempts.last().is_some_and(|a| a.report.is_some()) {
            break;
        }
        state = before;
    }
    Ok(Replay { steps_before: checkpoint.step, time_s: state.time, attempts })
}

/// What became of a failing step when it was tried again.
#[derive(Clone, Debug)]
pub struct Replay {
    /// Steps before it.
    pub steps_before: u64,
    /// Time at its start (s).
    pub time_s: f64,
    /// The whole step, then half of it, and so on until it succeeds.
    pub attempts: Vec<Attempt>,
}

/// One try of a step.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// Its length (ms).
    pub step_ms: f64,
    /// What it did, where it succeeded.
    pub report: Option<StepReport>,
    /// Why not, where it did not.
    pub message: Option<String>,
}
