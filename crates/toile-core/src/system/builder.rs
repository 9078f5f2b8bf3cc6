//! Puts a system together: mesh, fabric, models by name, grips, lines, air.

use super::{Grip, Line, Slot, System};
use crate::bending::{self, BendingError, Clamp, Crease, Input, Rest};
use crate::fabric::Fabric;
use crate::force::Force;
use crate::lane::Level;
use crate::linalg::{FullRows, Pattern, Place, ScalarMatrix};
use crate::membrane::{self, MembraneError};
use crate::mesh::{Mesh, MeshError, Topology};
use glam::DVec3;
use std::sync::Arc;

/// Collects what a system is made of.
pub struct Builder<'a> {
    mesh: &'a Mesh,
    fabric: &'a Fabric,
    membrane: String,
    bending: String,
    level: Level,
    gravity: DVec3,
    rest: Rest,
    clamps: Vec<(Vec<u32>, DVec3)>,
    creases: Vec<Crease>,
    lines: Vec<Line>,
    grips: Vec<Grip>,
    extra: Vec<Box<dyn Force>>,
    explicit: Vec<&'static str>,
}

/// Why a system could not be put together.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// The mesh does not serve.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The membrane could not be made.
    #[error(transparent)]
    Membrane(#[from] MembraneError),
    /// The bending could not be made.
    #[error(transparent)]
    Bending(#[from] BendingError),
    /// Density must be positive.
    #[error("the density of fabric \"{fabric}\" is {density} kg/m², must be positive")]
    Density {
        /// Fabric name.
        fabric: String,
        /// Value.
        density: f64,
    },
    /// A grip holds a node that does not exist.
    #[error("grip \"{grip}\" holds node {node}, but there are only {count}")]
    Node {
        /// Grip name.
        grip: String,
        /// Node.
        node: u32,
        /// Number of nodes.
        count: usize,
    },
    /// A line that does not serve.
    #[error("line \"{line}\": {reason}")]
    Line {
        /// Line name.
        line: String,
        /// What is wrong.
        reason: &'static str,
    },
    /// Clamped vertices that are not joined by a boundary edge.
    #[error("clamp {clamp} has no boundary edge between its {vertices} vertices")]
    Clamp {
        /// Number of the clamp.
        clamp: usize,
        /// Vertices given.
        vertices: usize,
    },
}

impl<'a> Builder<'a> {
    /// A sheet of one fabric with the default models and gravity downwards.
    pub fn new(mesh: &'a Mesh, fabric: &'a Fabric) -> Self {
        Self {
            mesh,
            fabric,
            membrane: "green".into(),
            bending: "midedge".into(),
            level: Level::detect(),
            gravity: DVec3::new(0.0, -9.81, 0.0),
            rest: Rest::default(),
            clamps: Vec::new(),
            creases: Vec::new(),
            lines: Vec::new(),
            grips: Vec::new(),
            extra: Vec::new(),
            explicit: Vec::new(),
        }
    }

    /// Membrane model by name.
    pub fn membrane(mut self, name: &str) -> Self {
        self.membrane = name.into();
        self
    }

    /// Bending model by name.
    pub fn bending(mut self, name: &str) -> Self {
        self.bending = name.into();
        self
    }

    /// Instruction level of the kernels.
    pub fn level(mut self, level: Level) -> Self {
        self.level = level;
        self
    }

    /// Gravity (m/s²).
    pub fn gravity(mut self, gravity: DVec3) -> Self {
        self.gravity = gravity;
        self
    }

    /// Rest angles or curvature.
    pub fn rest(mut self, rest: Rest) -> Self {
        self.rest = rest;
        self
    }

    /// A fold line's edge.
    pub fn crease(mut self, crease: Crease) -> Self {
        self.creases.push(crease);
        self
    }

    /// A line with its own stiffness, rest length or fold.
    pub fn line(mut self, line: Line) -> Self {
        self.lines.push(line);
        self
    }

    /// Holds nodes at their place.
    pub fn pin(self, name: &str, nodes: Vec<u32>) -> Self {
        self.grip(name, nodes, [true; 3])
    }

    /// Holds some components of nodes at their place.
    pub fn grip(mut self, name: &str, nodes: Vec<u32>, axes: [bool; 3]) -> Self {
        let rest = nodes.iter().map(|&n| self.mesh.positions.get(n as usize).copied().unwrap_or_default()).collect();
        self.grips.push(Grip { name: name.into(), nodes, axes, motion: super::Motion::Still, rest });
        self
    }

    /// Holds vertices and the direction of the sheet at the boundary edges between them, with the given unit normal. Makes two
    /// grips: `name` for the vertices and `name director` for the normal, whose motion turns the clamp.
    pub fn clamp(self, name: &str, nodes: Vec<u32>, normal: DVec3) -> Self {
        self.pin(name, nodes.clone()).director(name, nodes, normal)
    }

    /// Holds the direction of the sheet at the boundary edges between vertices, but not the vertices: they go where they like
    /// while the sheet keeps the given unit normal about each edge. Makes the grip `name director`; its motion turns the sheet,
    /// and its reaction, across the normal, is the moment (N·m).
    pub fn director(mut self, name: &str, nodes: Vec<u32>, normal: DVec3) -> Self {
        self.clamps.push((nodes, normal));
        self.grips.push(Grip {
            name: format!("{name} director"),
            nodes: Vec::new(), // numbered when the system is built
            axes: [true; 3],
            motion: super::Motion::Still,
            rest: vec![normal],
        });
        self
    }

    /// Any further force: lines, air, tethers.
    pub fn force(mut self, force: Box<dyn Force>) -> Self {
        self.extra.push(force);
        self
    }

    /// Takes forces of this name from the start of each implicit step (IMEX): for weak ones only.
    pub fn explicit(mut self, name: &'static str) -> Self {
        self.explicit.push(name);
        self
    }

    /// Checks everything and makes the system.
    pub fn build(self) -> Result<System, BuildError> {
        self.mesh.check()?;
        // Not `<= 0.0`: NaN must fail too.
        if !(self.fabric.density > 0.0) {
            return Err(BuildError::Density { fabric: self.fabric.name.clone(), density: self.fabric.density });
        }
        let topology = Topology::new(self.mesh)?;
        let vertex_count = self.mesh.vertex_count();
        let mut start = self.mesh.positions.clone();
        let mut masses = self.mesh.lumped_masses(self.fabric.density);
        let mut free = vec![[true; 3]; vertex_count];
        let mut grips = self.grips;
        let clamps = number_clamps(&self.clamps, &topology, &mut start, &mut grips)?;
        masses.resize(start.len(), 0.0);
        free.resize(start.len(), [false; 3]);

        let (mut creases, mut extra) = (self.creases, self.extra);
        for line in &self.lines {
            let (force, folds) = line.make(self.mesh, &topology, self.level)?;
            extra.extend(force);
            creases.extend(folds);
        }
        let mut forces = vec![membrane::build(&self.membrane, self.mesh, &self.fabric.membrane, self.level)?];
        if self.bending != "none" {
            let bending = bending::build(
                &self.bending,
                &Input {
                    mesh: self.mesh,
                    topology: &topology,
                    material: &self.fabric.bending,
                    rest: self.rest,
                    clamps,
                    creases,
                    first_node: start.len() as u32,
                    level: self.level,
                },
            )?;
            for node in bending.nodes {
                start.push(node.position);
                masses.push(0.0);
                free.push(node.free);
            }
            forces.push(bending.force);
        }
        forces.extend(extra);
        for grip in &grips {
            for &node in &grip.nodes {
                let count = start.len();
                let held = free.get_mut(node as usize);
                let held = held.ok_or(BuildError::Node { grip: grip.name.clone(), node, count })?;
                for c in (0..3).filter(|&c| grip.axes[c]) {
                    held[c] = false;
                }
            }
        }
        let (gravity, places) = (self.gravity, places(self.mesh));
        let (explicit, level) = (&self.explicit, self.level);
        Ok(System::assemble(vertex_count, start, masses, free, gravity, grips, forces, explicit, places, level))
    }
}

/// Gives each clamp its director node and finds its boundary edges.
fn number_clamps(
    clamps: &[(Vec<u32>, DVec3)],
    topology: &Topology,
    start: &mut Vec<DVec3>,
    grips: &mut [Grip],
) -> Result<Vec<Clamp>, BuildError> {
    let mut out = Vec::new();
    let mut unnumbered = grips.iter_mut().filter(|g| g.nodes.is_empty() && g.name.ends_with(" director"));
    for (k, (vertices, normal)) in clamps.iter().enumerate() {
        let director = start.len() as u32;
        start.push(*normal);
        if let Some(grip) = unnumbered.next() {
            grip.nodes = vec![director];
        }
        let before = out.len();
        for (e, edge) in topology.edges.iter().enumerate() {
            if edge.triangles[1] == Topology::NONE && edge.vertices.iter().all(|v| vertices.contains(v)) {
                out.push(Clamp { edge: e as u32, director });
            }
        }
        if out.len() == before {
            return Err(BuildError::Clamp { clamp: k, vertices: vertices.len() });
        }
    }
    Ok(out)
}

/// Material place of every vertex, taken from the first triangle that has it; panels are connected parts of the material.
fn places(mesh: &Mesh) -> Vec<Option<Place>> {
    let mut places = vec![None; mesh.vertex_count()];
    for (corners, material) in mesh.triangles.iter().zip(&mesh.material) {
        for (v, m) in corners.iter().zip(material) {
            places[*v as usize].get_or_insert(Place { panel: 0, uv: [m.x, m.y] });
        }
    }
    places
}

impl System {
    /// Free particles under forces and gravity, without a sheet: test equations, ropes.
    pub fn of_particles(positions: Vec<DVec3>, masses: Vec<f64>, gravity: DVec3, forces: Vec<Box<dyn Force>>) -> Self {
        let count = positions.len();
        Self::assemble(
            count,
            positions,
            masses,
            vec![[true; 3]; count],
            gravity,
            Vec::new(),
            forces,
            &[],
            vec![None; count],
            Level::detect(),
        )
    }

    #[allow(clippy::too_many_arguments)] // one caller above; a struct would only repeat the fields of System
    fn assemble(
        vertex_count: usize,
        start: Vec<DVec3>,
        masses: Vec<f64>,
        free: Vec<[bool; 3]>,
        gravity: DVec3,
        grips: Vec<Grip>,
        mut forces: Vec<Box<dyn Force>>,
        explicit: &[&str],
        mut places: Vec<Option<Place>>,
        level: Level,
    ) -> Self {
        let is_explicit = |force: &dyn Force| explicit.contains(&force.name());
        let pattern = Pattern::from_stencils(start.len(), |visit| {
            for force in forces.iter().filter(|f| !is_explicit(f.as_ref())) {
                force.stencils(visit);
            }
        });
        let mut entries = Vec::new();
        for force in &mut forces {
            if !is_explicit(force.as_ref()) {
                force.bind(&pattern);
                entries.extend(force.scalar_part());
            }
        }
        let scalars = (!entries.is_empty()).then(|| Arc::new(ScalarMatrix::from_entries(start.len(), &entries)));
        let scalar_rows = scalars.as_ref().map(|s| FullRows::new(s, level));
        let held = (0..start.len() as u32).flat_map(|i| (0..3).map(move |c| (i, c)));
        let held = held.filter(|&(i, c)| !free[i as usize][c as usize]).collect();
        let mut at = 0;
        let slots = forces.into_iter().map(|force| {
            let memory = at..at + force.memory_len();
            at = memory.end;
            Slot { explicit: is_explicit(force.as_ref()), force, memory }
        });
        places.resize(start.len(), None);
        Self {
            vertex_count,
            masses,
            gravity,
            forces: slots.collect(),
            grips,
            free,
            pattern: Arc::new(pattern),
            held,
            scalars,
            scalar_rows,
            places,
            start,
            level,
        }
    }
}
