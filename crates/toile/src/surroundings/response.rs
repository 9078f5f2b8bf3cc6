//! The two ways in which bodies are kept apart: by a potential in the step, or by corrections after it.

use glam::DVec3;
use std::ops::Range;
use toile_contact::Shapes;
use toile_contact::barrier::{Barrier, Friction, Sheet};
use toile_contact::geometric::Geometric;
use toile_contact::obstacle::Obstacle;
use toile_core::integrate::{Integrator, Probe, StepError, StepReport};
use toile_core::system::{State, System};
use toile_io::scene;

/// What keeps bodies apart.
pub(crate) enum Response {
    Barrier(Box<Barrier>),
    Geometric(Box<Geometric>),
}

/// Forces of contact.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Forces {
    /// On every vertex of cloth, friction included (N).
    pub cloth: Vec<DVec3>,
    /// Pressure on every vertex (Pa), both sides added up.
    pub pressure: Vec<f64>,
    /// Of cloth on every obstacle (N).
    pub obstacles: Vec<DVec3>,
    /// Pairs in contact and the smallest gap.
    pub figures: Figures,
}

/// Figures of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// Pairs in contact.
    pub touches: usize,
    /// Smallest gap of them (m), infinite without one; that of `geometric` is the one it corrected, below zero for what was
    /// nearer than its thickness.
    pub smallest_gap: f64,
}

impl Response {
    /// That of a scene, and the gap that starts are parted to (m).
    pub(super) fn new(
        wanted: &scene::Response,
        system: &System,
        sheets: &[Sheet],
        obstacles: Vec<Obstacle>,
        friction: impl Fn(usize, usize) -> Friction,
    ) -> (Self, f64) {
        match wanted {
            scene::Response::Barrier(settings) => {
                let barrier = Barrier::new(system, sheets, obstacles, friction, settings.clone());
                (Self::Barrier(Box::new(barrier)), 0.5 * settings.reach)
            }
            scene::Response::Geometric { settings, .. } => {
                let geometric = Geometric::new(system, sheets, obstacles, friction, *settings);
                (Self::Geometric(Box::new(geometric)), 0.5 * settings.band)
            }
        }
    }

    /// Forgets what earlier steps looked at: the next one depends on the state alone.
    pub(super) fn start_from(&mut self, state: &State) {
        if let Self::Barrier(barrier) = self {
            barrier.start_from(&state.positions, state.time);
        }
    }

    /// One step.
    pub(crate) fn step(
        &mut self,
        integrator: &mut Integrator,
        system: &System,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        match self {
            Self::Barrier(barrier) => integrator.step_in_contact(system, state, dt, barrier.as_mut()),
            Self::Geometric(geometric) => geometric.step(integrator, system, state, dt),
        }
    }

    /// Barriers are part of the integrator's phases already.
    pub(crate) fn set_probe(&mut self, probe: Probe) {
        if let Self::Geometric(geometric) = self {
            geometric.set_probe(probe);
        }
    }

    /// Whether it parts what is nearer than its thickness.
    pub(super) fn parts(&self) -> bool {
        matches!(self, Self::Geometric(_))
    }

    pub(super) fn shapes(&self) -> &Shapes {
        match self {
            Self::Barrier(barrier) => barrier.shapes(),
            Self::Geometric(geometric) => geometric.shapes(),
        }
    }

    pub(super) fn obstacles(&self) -> &[Obstacle] {
        match self {
            Self::Barrier(barrier) => barrier.obstacles(),
            Self::Geometric(geometric) => geometric.obstacles(),
        }
    }

    fn obstacle_vertices(&self, obstacle: usize) -> Range<usize> {
        match self {
            Self::Barrier(barrier) => barrier.obstacle_vertices(obstacle),
            Self::Geometric(geometric) => geometric.obstacle_vertices(obstacle),
        }
    }

    /// Forces at the end of the last step, which ended at `state`. `areas` are those about the vertices of cloth (m²).
    pub(super) fn forces(&mut self, state: &State, areas: &[f64]) -> Forces {
        let (all, loads, figures) = match self {
            Self::Barrier(barrier) => {
                let all = barrier.forces(&state.positions);
                let found = barrier.figures();
                let figures = Figures { touches: found.touches, smallest_gap: found.smallest_gap };
                (all, barrier.loads(), figures)
            }
            Self::Geometric(geometric) => {
                let found = geometric.figures();
                let figures = Figures { touches: found.contacts, smallest_gap: -found.deepest };
                (geometric.forces().to_vec(), geometric.loads().to_vec(), figures)
            }
        };
        Forces {
            pressure: loads.iter().zip(areas).map(|(load, area)| load / area).collect(),
            obstacles: (0..self.obstacles().len()).map(|k| all[self.obstacle_vertices(k)].iter().sum()).collect(),
            figures,
            cloth: all[..areas.len()].to_vec(),
        }
    }

    pub(super) fn no_forces(&self, vertices: usize) -> Forces {
        Forces {
            cloth: vec![DVec3::ZERO; vertices],
            pressure: vec![0.0; vertices],
            obstacles: vec![DVec3::ZERO; self.obstacles().len()],
            figures: Figures { touches: 0, smallest_gap: f64::INFINITY },
        }
    }
}
