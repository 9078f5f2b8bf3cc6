//! The start of a run in contact: what is wrong with it, and parting what crosses.

use super::Surroundings;
use glam::{DVec2, DVec3};
use std::ops::ControlFlow;
use toile_contact::obstacle::Form;
use toile_contact::untangle::{Faults, Plane, Problem, Round, Tangle, faults, untangle_telling};
use toile_core::system::{State, System};
use toile_io::run::{FrameCertificate, Untangling};
use toile_io::scene::Scene;

/// Edges keep within these ratios of their rest length when a start is untangled: beyond them the first step would throw the cloth about.
const STRETCH: [f64; 2] = [0.8, 1.2];
/// Rounds after which a start is given up; those that can be parted take some tens.
const MAX_ROUNDS: usize = 400;

/// What untangling needs to know about the cloth.
pub(super) struct Pieces {
    /// Flat coordinates of the corners of all triangles (m).
    material: Vec<[DVec2; 3]>,
    /// Masses of all vertices (kg).
    weights: Vec<f64>,
    /// Vertices that no grip holds.
    is_free: Vec<bool>,
}

impl Pieces {
    pub(super) fn of(scene: &Scene, system: &System) -> Self {
        let count = scene.cloths.iter().map(|c| c.mesh.vertex_count()).sum();
        Self {
            material: scene.cloths.iter().flat_map(|c| c.mesh.material.iter().copied()).collect(),
            weights: system.masses()[..count].to_vec(),
            is_free: system.free()[..count].iter().map(|axes| axes.iter().all(|a| *a)).collect(),
        }
    }
}

impl Surroundings {
    /// What is wrong with a state to start from: crossings and overlaps that the scene does not allow.
    pub fn fault(&self, state: &State) -> Option<String> {
        let planes = self.planes(state.time);
        let found = match faults(&self.problem(&planes), &self.all_positions(state)) {
            Ok(found) if found.crossings + if self.response.parts() { 0 } else { found.overlaps } == 0 => return None,
            Ok(found) => found,
            Err(lost) => return Some(format!("contact cannot start at {} s: {lost}", state.time)),
        };
        let FrameCertificate { own, cloths, obstacles, .. } = self.certify(state);
        let ways_out =
            if self.untangles { "start them apart" } else { "start them apart, or set `untangle = true` in [contact]" };
        Some(format!(
            "contact cannot start at {} s: {own} crossings of a cloth with itself, {cloths} of two cloths, {obstacles} with obstacles, {} pairs nearer than their thickness ({}); {ways_out}",
            state.time,
            found.overlaps,
            names(&found)
        ))
    }

    /// Parts what crosses or overlaps in a state to start from, where the scene asks for it and there is anything. `tell` hears before
    /// each round how many crossings and vertices inside obstacles are left, and may end it. The state is as it was on failure.
    pub fn untangle(
        &self,
        state: &mut State,
        tell: &mut dyn FnMut(Round) -> ControlFlow<()>,
    ) -> Result<Option<Untangling>, Tangle> {
        if !self.untangles {
            return Ok(None);
        }
        let planes = self.planes(state.time);
        let (problem, mut positions) = (self.problem(&planes), self.all_positions(state));
        let before = faults(&problem, &positions)?;
        if before.crossings + before.inside + before.overlaps == 0 {
            return Ok(None);
        }
        let done = untangle_telling(&problem, &mut positions, tell)?;
        let cloth = self.areas.len();
        state.positions[..cloth].copy_from_slice(&positions[..cloth]);
        Ok(Some(Untangling {
            crossings_before: before.crossings as u64,
            inside_before: before.inside as u64,
            overlaps_before: before.overlaps as u64,
            crossings_after: faults(&problem, &positions)?.crossings as u64,
            rounds: done.iterations as u64,
            moved_max: done.moved_max,
            smallest_gap: done.smallest_gap,
        }))
    }

    fn problem<'a>(&'a self, planes: &'a [Plane]) -> Problem<'a> {
        Problem {
            shapes: self.response.shapes(),
            material: &self.pieces.material,
            weights: &self.pieces.weights,
            is_free: &self.pieces.is_free,
            planes,
            own: self.is_own,
            clearance: self.clearance,
            stretch: STRETCH,
            max_rounds: MAX_ROUNDS,
        }
    }

    /// Half-spaces where they are at a time.
    pub(super) fn planes(&self, time: f64) -> Vec<Plane> {
        let mut planes = Vec::new();
        for obstacle in self.response.obstacles() {
            if let Form::HalfSpace { normal, .. } = obstacle.form {
                let mut point = [DVec3::ZERO];
                obstacle.place(time, &mut point);
                planes.push(Plane { name: obstacle.name.clone(), point: point[0], normal });
            }
        }
        planes
    }
}

/// `"sheet" and "ball", "sheet" and itself`.
fn names(found: &Faults) -> String {
    let pair = |[a, b]: &[String; 2]| {
        if a == b { format!("\"{a}\" and itself") } else { format!("\"{a}\" and \"{b}\"") }
    };
    found.between.iter().map(pair).collect::<Vec<_>>().join(", ")
}
