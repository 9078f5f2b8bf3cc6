//! What cloth touches in a run: obstacles, other cloth, itself. Built from a scene; steps, forces, certificates.

mod drawn;
mod start;

pub(crate) use drawn::moved;
pub use drawn::props;

use glam::DVec3;
use start::Pieces;
use toile_contact::barrier::{Barrier, Figures, Sheet};
use toile_contact::certify;
use toile_contact::obstacle::{Form, Obstacle};
use toile_contact::untangle::Plane;
use toile_core::integrate::{Integrator, StepError, StepReport};
use toile_core::system::{State, System};
use toile_io::run::FrameCertificate;
use toile_io::scene::Scene;

/// Contact of a scene.
pub struct Surroundings {
    barrier: Barrier,
    /// Rest area about every vertex (m²).
    areas: Vec<f64>,
    /// A step has been taken: forces mean something.
    is_moving: bool,
    /// A sheet feels itself.
    is_own: bool,
    /// Distance beyond the thickness within which bodies feel each other (m).
    reach: f64,
    /// Starts that cross are parted.
    untangles: bool,
    pieces: Pieces,
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

impl Surroundings {
    /// Those of a scene; none where bodies pass through each other.
    pub fn of(scene: &Scene, system: &System) -> Option<Self> {
        let contact = scene.contact.as_ref()?;
        let sheet = |(cloth, thickness): (&toile_io::scene::Cloth, &f64)| Sheet {
            name: cloth.name.clone(),
            vertex_count: cloth.mesh.vertex_count(),
            triangles: cloth.mesh.triangles.clone(),
            material: cloth.mesh.material.clone(),
            thickness: *thickness,
        };
        let sheets: Vec<Sheet> = scene.cloths.iter().zip(&contact.thicknesses).map(sheet).collect();
        let obstacles: Vec<Obstacle> = scene.obstacles.iter().map(|o| o.body.clone()).collect();
        let bodies = sheets.len() + obstacles.len();
        let friction = |a: usize, b: usize| contact.friction[a * bodies + b];
        let barrier = Barrier::new(system, &sheets, obstacles, friction, contact.settings.clone());
        Some(Self {
            barrier,
            areas: areas(scene),
            is_moving: false,
            is_own: contact.settings.own,
            reach: contact.settings.reach,
            untangles: contact.untangle,
            pieces: Pieces::of(scene, system),
        })
    }

    /// One step. What it does depends on the state alone.
    pub fn step(
        &mut self,
        integrator: &mut Integrator,
        system: &System,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        self.barrier.start_from(&state.positions, state.time);
        self.is_moving = true;
        integrator.step_in_contact(system, state, dt, &mut self.barrier)
    }

    /// Forces at the end of the last step; none before the first, when stiffness and friction are not known yet.
    pub fn forces(&mut self, state: &State) -> Forces {
        let cloth = self.areas.len();
        if !self.is_moving {
            let none = vec![DVec3::ZERO; cloth];
            let obstacles = vec![DVec3::ZERO; self.barrier.obstacles().len()];
            let figures = Figures { smallest_gap: f64::INFINITY, ..Figures::default() };
            return Forces { cloth: none, pressure: vec![0.0; cloth], obstacles, figures };
        }
        let all = self.barrier.forces(&state.positions);
        let loads = self.barrier.loads();
        let on = |k: usize| all[self.barrier.obstacle_vertices(k)].iter().sum();
        Forces {
            pressure: loads.iter().zip(&self.areas).map(|(load, area)| load / area).collect(),
            obstacles: (0..self.barrier.obstacles().len()).map(on).collect(),
            figures: self.barrier.figures(),
            cloth: all[..cloth].to_vec(),
        }
    }

    /// What passes through what at a state. Obstacles are where their motion has them at this time, whatever the step did.
    pub fn certify(&self, state: &State) -> FrameCertificate {
        let cloth = &state.positions[..self.areas.len()];
        let is_below = |plane: &Plane| cloth.iter().filter(|p| !(plane.normal.dot(**p - plane.point) > 0.0)).count();
        let below: usize = self.planes(state.time).iter().map(is_below).sum();
        let found = certify(self.barrier.shapes(), &self.all_positions(state));
        FrameCertificate {
            own: found.self_crossings as u64,
            cloths: (found.crossings - found.self_crossings - found.obstacle_crossings) as u64,
            obstacles: (found.obstacle_crossings + below) as u64,
            touching: found.touching as u64,
            lost: found.lost_vertices as u64,
        }
    }

    /// Positions of all vertices of the shapes: cloth, then obstacles where their motion has them, planes apart.
    fn all_positions(&self, state: &State) -> Vec<DVec3> {
        let mut positions = state.positions[..self.areas.len()].to_vec();
        for obstacle in self.barrier.obstacles().iter().filter(|o| !matches!(o.form, Form::HalfSpace { .. })) {
            let first = positions.len();
            positions.resize(first + obstacle.vertices().len(), DVec3::ZERO);
            obstacle.place(state.time, &mut positions[first..]);
        }
        positions
    }
}

/// Rest area about every vertex: a third of each of its triangles.
fn areas(scene: &Scene) -> Vec<f64> {
    let mut areas = Vec::new();
    for cloth in &scene.cloths {
        let first = areas.len();
        areas.resize(first + cloth.mesh.vertex_count(), 0.0);
        for (corners, [a, b, c]) in cloth.mesh.triangles.iter().zip(&cloth.mesh.material) {
            let third = (*b - *a).perp_dot(*c - *a).abs() / 6.0;
            corners.iter().for_each(|&v| areas[first + v as usize] += third);
        }
    }
    areas
}
