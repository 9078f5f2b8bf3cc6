//! What experiments with contact share: a sheet among obstacles, stepped or brought to rest; cylinders; tubes of cloth.

use super::{ExperimentError, setup};
use glam::{DVec2, DVec3};
use std::f64::consts::TAU;
use toile_contact::barrier::{Barrier, Friction, Settings as Contact, Sheet};
use toile_contact::obstacle::{Form, Movement, Obstacle};
use toile_core::integrate::{Integrator, Options, Precision, StepReport};
use toile_core::mesh::Mesh;
use toile_core::system::{State, System};

/// Longest step of [`Touching::rest`] over its first: inertia is nothing there.
const LONGEST: f64 = 30.0;
/// Steps that [`Touching::rest`] may take: it needs twenty.
const PATIENCE: usize = 100;

/// A sheet of one mesh among obstacles.
pub(super) struct Touching {
    pub(super) system: System,
    pub(super) state: State,
    pub(super) barrier: Barrier,
    options: Options,
    reach: f64,
}

/// How contact is made in an experiment.
#[derive(Clone, Copy)]
pub(super) struct Touch {
    /// Thickness of the cloth (m).
    pub(super) thickness: f64,
    /// Reach of the barrier (m).
    pub(super) reach: f64,
    /// Coefficient of friction with everything.
    pub(super) friction: f64,
    /// Speed below which friction holds (m/s).
    pub(super) stick_speed: f64,
    /// Whether the sheet feels itself.
    pub(super) own: bool,
}

impl Touch {
    /// Without friction, cloth of half a millimetre.
    pub(super) fn smooth(reach: f64) -> Self {
        Self { thickness: 5e-4, reach, friction: 0.0, stick_speed: 1e-4, own: false }
    }

    /// Distance at which vertices of cloth in elements of `edge` start about a cylinder of `radius` (m): the middles of edges, which lie
    /// deeper, are within reach then.
    pub(super) fn distance(&self, edge: f64, radius: f64) -> f64 {
        // Edges of irregular meshes are up to half longer.
        0.5 * self.thickness + 0.5 * self.reach + (1.5 * edge).powi(2) / (8.0 * radius)
    }
}

impl Touching {
    /// `mesh` is that of the system; its vertices start where the system has them.
    pub(super) fn new(mesh: &Mesh, system: System, obstacles: Vec<Obstacle>, touch: Touch, options: Options) -> Self {
        let sheet = Sheet {
            name: "sheet".into(),
            vertex_count: mesh.vertex_count(),
            triangles: mesh.triangles.clone(),
            material: mesh.material.clone(),
            thickness: touch.thickness,
        };
        let contact = Contact {
            reach: touch.reach,
            slack: touch.reach.max(5e-4),
            stick_speed: touch.stick_speed,
            own: touch.own,
            ..Contact::default()
        };
        let friction = Friction::coulomb(touch.friction);
        let barrier = Barrier::new(&system, &[sheet], obstacles, |_, _| friction, contact);
        Self { state: system.initial_state(), system, barrier, options, reach: touch.reach }
    }

    /// What carries it in time.
    pub(super) fn integrator(&self) -> Result<Integrator, ExperimentError> {
        Ok(Integrator::new(&self.system, self.options.clone())?)
    }

    /// One step in time (s).
    pub(super) fn step(&mut self, by: &mut Integrator, dt: f64) -> Result<StepReport, ExperimentError> {
        Ok(by.step_in_contact(&self.system, &mut self.state, dt, &mut self.barrier)?)
    }

    /// Brings it to rest, up to a mean force (N) on a node and a largest sum of those outward from the z axis: steps of
    /// backward Euler from rest that grow until inertia is nothing beside the forces, solved the tighter the less is left.
    pub(super) fn rest(&mut self, mean: f64, outward: f64) -> Result<(), ExperimentError> {
        // Cloth in tension is light: a millisecond may be for ever to it. The first step is what takes it through the reach.
        let forces = self.system.total_forces(&self.state);
        let pull = |(f, m): (&DVec3, &f64)| if *m > 0.0 { f.length() / m } else { 0.0 };
        let acceleration = forces.iter().zip(self.system.masses()).map(pull).fold(9.81, f64::max);
        let shortest = (self.reach / acceleration).sqrt();
        let (mut dt, mut first, mut left) = (shortest, 0.0, f64::INFINITY);
        for _ in 0..PATIENCE {
            let share: f64 = if first > 0.0 { left / first } else { 1.0 };
            // The unit of the tolerance grows with the step.
            let tolerance = 1e-3 * share.clamp(1e-5, 1.0) * shortest / dt;
            let options = Options {
                precision: Precision::Double,
                tolerance,
                linear_tolerance: 0.1 * tolerance,
                max_newton: 100,
                max_linear: 4000,
                reference_acceleration: acceleration,
                ..Options::named("backward-euler").unwrap_or_default()
            };
            let mut integrator = Integrator::new(&self.system, options)?;
            let report = self.step(&mut integrator, dt)?;
            self.state.velocities.fill(DVec3::ZERO);
            (self.state.past, self.state.time) = (None, 0.0);
            let forces = self.left();
            left = (forces.iter().map(|f| f.length_squared()).sum::<f64>() / forces.len() as f64).sqrt();
            let sum: f64 = forces.iter().zip(&self.state.positions).map(|(f, p)| along_radius(*f, *p)).sum();
            first = if first > 0.0 { first } else { left };
            if left <= mean && sum.abs() <= outward {
                return Ok(());
            }
            dt = if report.cuts > 0 { 0.5 * dt } else { (1.6 * dt).min(LONGEST * shortest) };
        }
        Err(ExperimentError::Failed(format!(
            "no equilibrium in contact after {PATIENCE} steps: {left:.1e} N left on a node in the mean, wanted {mean:.1e} N"
        )))
    }

    /// Force on the free components of every node, contact included (N).
    fn left(&mut self) -> Vec<DVec3> {
        let mut forces = self.system.total_forces(&self.state);
        let touching = self.contact_forces();
        forces.iter_mut().zip(touching).for_each(|(f, c)| *f += c);
        for (f, free) in forces.iter_mut().zip(self.system.free()) {
            (0..3).filter(|&c| !free[c]).for_each(|c| f[c] = 0.0);
        }
        forces
    }

    /// Force of contact on every vertex of the cloth (N).
    pub(super) fn contact_forces(&mut self) -> Vec<DVec3> {
        let cloth = self.barrier.shapes().cloth_vertices;
        let mut forces = self.barrier.forces(&self.state.positions);
        forces.truncate(cloth);
        forces
    }
}

/// A still round bar along z through the origin, from −`half` to `half` (m) and rounded beyond.
pub(super) fn cylinder(radius: f64, half: f64) -> Obstacle {
    let vertices = vec![DVec3::new(0.0, 0.0, -half), DVec3::new(0.0, 0.0, half)];
    let form = Form::Round { vertices, edges: vec![[0, 1]], radius };
    Obstacle { name: "cylinder".into(), form, movement: Movement::Still }
}

/// A tube of cloth about the z axis, laid out at a radius (m): a rectangle of a circumference and a length (m) with its sides
/// joined, u around and v along −z, its middle at z = 0. Outside is outward.
pub(super) fn tube(kind: &str, size: [f64; 2], edge: f64, radius: f64) -> Result<Mesh, ExperimentError> {
    let flat = setup::rectangle(kind, size, edge)?;
    let (left, right) = (setup::vertices_at(&flat, 0, 0.0), setup::vertices_at(&flat, 0, size[0]));
    let mut renamed: Vec<u32> = (0..flat.vertex_count() as u32).collect();
    for &r in &right {
        let z = flat.positions[r as usize].z;
        let twin = left.iter().find(|&&l| (flat.positions[l as usize].z - z).abs() < 1e-9 * size[1]);
        let missing = || ExperimentError::Setup("the two sides of the tube do not match".into());
        renamed[r as usize] = *twin.ok_or_else(missing)?;
    }
    let mut places = vec![u32::MAX; flat.vertex_count()];
    let mut positions = Vec::new();
    for (v, p) in flat.positions.iter().enumerate() {
        if renamed[v] == v as u32 {
            places[v] = positions.len() as u32;
            positions.push(around(TAU * p.x / size[0], radius, p.z + 0.5 * size[1]));
        }
    }
    let triangles = flat.triangles.iter().map(|t| t.map(|v| places[renamed[v as usize] as usize])).collect();
    Ok(Mesh { positions, triangles, material: flat.material })
}

/// The point at an angle (rad) from the top, clockwise seen against z, at a radius and height (m).
pub(super) fn around(angle: f64, radius: f64, z: f64) -> DVec3 {
    DVec3::new(radius * angle.sin(), radius * angle.cos(), z)
}

/// Distance from the z axis (m).
pub(super) fn radius(p: DVec3) -> f64 {
    DVec2::new(p.x, p.y).length()
}

/// Component of a force at a place that points away from the z axis.
pub(super) fn along_radius(force: DVec3, place: DVec3) -> f64 {
    (force.x * place.x + force.y * place.y) / radius(place).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tube has one side less of vertices, two rims, and triangles that face outward.
    #[test]
    fn tubes_are_closed_around() {
        for kind in ["structured", "unstructured"] {
            let mesh = tube(kind, [0.3, 0.1], 0.01, 0.05).unwrap();
            mesh.check().unwrap();
            let faces = mesh.triangles.iter().map(|t| t.map(|v| mesh.positions[v as usize]));
            for [a, b, c] in faces {
                let middle = (a + b + c) / 3.0;
                assert!((b - a).cross(c - a).dot(DVec3::new(middle.x, middle.y, 0.0)) > 0.0, "{kind}");
            }
            let rims = mesh.vertices_where(|p| p.z.abs() > 0.05 - 1e-9).len();
            // Euler: a tube has V − E + F = 0, and 2E = 3F + rims.
            assert_eq!(2 * mesh.vertex_count(), mesh.triangles.len() + rims, "{kind}");
        }
    }
}
