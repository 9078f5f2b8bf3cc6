//! What cloth touches in a run: obstacles, other cloth, itself. Built from a scene; steps, forces, certificates.

mod drawn;
pub(crate) mod response;
mod start;

pub(crate) use drawn::moved;
pub use drawn::props;

use glam::DVec3;
use response::Response;
pub use response::{Figures, Forces};
use start::Pieces;
use toile_contact::barrier::Sheet;
use toile_contact::certify;
use toile_contact::obstacle::{Form, Obstacle};
use toile_contact::untangle::Plane;
use toile_core::integrate::{Integrator, Probe, StepError, StepReport};
use toile_core::system::{State, System};
use toile_io::run::FrameCertificate;
use toile_io::scene::Scene;

/// Contact of a scene.
pub struct Surroundings {
    response: Response,
    /// Rest area about every vertex (m²).
    areas: Vec<f64>,
    /// A step has been taken: forces mean something.
    is_moving: bool,
    /// A sheet feels itself.
    is_own: bool,
    /// Gap beyond the thickness that starts are parted to (m).
    clearance: f64,
    /// Starts that cross are parted.
    untangles: bool,
    pieces: Pieces,
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
        let (response, clearance) = Response::new(&contact.response, system, &sheets, obstacles, friction);
        Some(Self {
            response,
            areas: areas(scene),
            is_moving: false,
            is_own: contact.response.own(),
            clearance,
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
        self.is_moving = true;
        self.response.start_from(state);
        self.response.step(integrator, system, state, dt)
    }

    /// Has `probe` called at the start of each phase of what the response does outside of the integrator.
    pub fn set_probe(&mut self, probe: Probe) {
        self.response.set_probe(probe);
    }

    /// Forces at the end of the last step; none before the first, when stiffness and friction are not known yet.
    pub fn forces(&mut self, state: &State) -> Forces {
        if self.is_moving {
            self.response.forces(state, &self.areas)
        } else {
            self.response.no_forces(self.areas.len())
        }
    }

    /// What passes through what at a state. Obstacles are where their motion has them at this time, whatever the step did.
    pub fn certify(&self, state: &State) -> FrameCertificate {
        let cloth = &state.positions[..self.areas.len()];
        let is_below = |plane: &Plane| cloth.iter().filter(|p| !(plane.normal.dot(**p - plane.point) > 0.0)).count();
        let below: usize = self.planes(state.time).iter().map(is_below).sum();
        let found = certify(self.response.shapes(), &self.all_positions(state));
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
        for obstacle in self.response.obstacles().iter().filter(|o| !matches!(o.form, Form::HalfSpace { .. })) {
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
