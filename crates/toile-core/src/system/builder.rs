//! Puts a system together: sheets of fabric, models by name, grips, lines, air.

use super::{Grip, Line, Slot, System};
use crate::bending::{self, BendingError, Clamp, Crease, Input, Rest};
use crate::fabric::Fabric;
use crate::force::{Air, Force, Wind};
use crate::lane::Level;
use crate::linalg::{FullRows, Pattern, Place, ScalarMatrix};
use crate::membrane::{self, MembraneError};
use crate::mesh::{Mesh, MeshError, Topology};
use glam::DVec3;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Collects what a system is made of: one sheet or several, each of one fabric, in one space.
///
/// What is said about models, rest shapes, lines and grips concerns the sheet named last, and counts its vertices.
pub struct Builder<'a> {
    sheets: Vec<Sheet<'a>>,
    level: Level,
    gravity: DVec3,
    wind: Option<Wind>,
    grips: Vec<Grip>,
    extra: Vec<Box<dyn Force>>,
    explicit: Vec<&'static str>,
}

/// One sheet with its models.
struct Sheet<'a> {
    mesh: &'a Mesh,
    fabric: &'a Fabric,
    /// Number of its first vertex in the system.
    first: u32,
    membrane: String,
    bending: String,
    rest: Rest,
    clamps: Vec<(Vec<u32>, DVec3)>,
    creases: Vec<Crease>,
    factors: Vec<f64>,
    lines: Vec<Line>,
}

impl<'a> Sheet<'a> {
    fn new(mesh: &'a Mesh, fabric: &'a Fabric, first: u32) -> Self {
        Self {
            mesh,
            fabric,
            first,
            membrane: "green".into(),
            bending: "midedge".into(),
            rest: Rest::default(),
            clamps: Vec::new(),
            creases: Vec::new(),
            factors: Vec::new(),
            lines: Vec::new(),
        }
    }

    fn check(&self) -> Result<(), BuildError> {
        self.mesh.check()?;
        // Not `<= 0.0`: NaN must fail too.
        if !(self.fabric.density > 0.0) {
            return Err(BuildError::Density { fabric: self.fabric.name.clone(), density: self.fabric.density });
        }
        Ok(())
    }

    /// Its triangles among the vertices of the system.
    fn among(&self, positions: &[DVec3]) -> Cow<'a, Mesh> {
        if positions.len() == self.mesh.positions.len() {
            return Cow::Borrowed(self.mesh);
        }
        let triangles = self.mesh.triangles.iter().map(|t| t.map(|v| v + self.first)).collect();
        Cow::Owned(Mesh { positions: positions.to_vec(), triangles, material: self.mesh.material.clone() })
    }
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
            sheets: vec![Sheet::new(mesh, fabric, 0)],
            level: Level::detect(),
            gravity: DVec3::new(0.0, -9.81, 0.0),
            wind: None,
            grips: Vec::new(),
            extra: Vec::new(),
            explicit: Vec::new(),
        }
    }

    /// A further sheet. Its vertices follow those of the sheets before it.
    pub fn sheet(mut self, mesh: &'a Mesh, fabric: &'a Fabric) -> Self {
        let first = self.sheets.iter().map(|s| s.mesh.vertex_count()).sum::<usize>() as u32;
        self.sheets.push(Sheet::new(mesh, fabric, first));
        self
    }

    fn last(&mut self) -> &mut Sheet<'a> {
        self.sheets.last_mut().expect("a builder starts with a sheet")
    }

    /// Membrane model by name.
    pub fn membrane(mut self, name: &str) -> Self {
        self.last().membrane = name.into();
        self
    }

    /// Bending model by name.
    pub fn bending(mut self, name: &str) -> Self {
        self.last().bending = name.into();
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

    /// Air around every sheet, with the drag of its fabric.
    pub fn wind(mut self, wind: Wind) -> Self {
        self.wind = Some(wind);
        self
    }

    /// Rest angles or curvature.
    pub fn rest(mut self, rest: Rest) -> Self {
        self.last().rest = rest;
        self
    }

    /// A fold line's edge.
    pub fn crease(mut self, crease: Crease) -> Self {
        self.last().creases.push(crease);
        self
    }

    /// Bending rigidity of each triangle over that of the fabric.
    pub fn bending_factors(mut self, factors: Vec<f64>) -> Self {
        self.last().factors = factors;
        self
    }

    /// A line with its own stiffness, rest length or fold.
    pub fn line(mut self, mut line: Line) -> Self {
        let first = self.last().first;
        line.vertices.iter_mut().for_each(|v| *v += first);
        self.last().lines.push(line);
        self
    }

    /// Holds nodes at their place.
    pub fn pin(self, name: &str, nodes: Vec<u32>) -> Self {
        self.grip(name, nodes, [true; 3])
    }

    /// Holds some components of nodes at their place.
    pub fn grip(mut self, name: &str, mut nodes: Vec<u32>, axes: [bool; 3]) -> Self {
        let sheet = self.last();
        let rest = nodes.iter().map(|&n| sheet.mesh.positions.get(n as usize).copied().unwrap_or_default()).collect();
        let first = sheet.first;
        nodes.iter_mut().for_each(|n| *n += first);
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
    pub fn director(mut self, name: &str, mut nodes: Vec<u32>, normal: DVec3) -> Self {
        let sheet = self.last();
        nodes.iter_mut().for_each(|n| *n += sheet.first);
        sheet.clamps.push((nodes, normal));
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
        let Self { sheets, level, gravity, wind, mut grips, mut extra, explicit } = self;
        let (mut vertices, mut masses, mut places) = (Vec::new(), Vec::new(), Vec::new());
        let mut panels = 0;
        for sheet in &sheets {
            sheet.check()?;
            vertices.extend_from_slice(&sheet.mesh.positions);
            masses.extend(sheet.mesh.lumped_masses(sheet.fabric.density));
            places.extend(places_on(sheet.mesh, &mut panels));
        }
        let mut start = vertices.clone();
        let mut free = vec![[true; 3]; vertices.len()];
        let (mut forces, mut clamps) = (Vec::new(), Vec::new());
        for sheet in &sheets {
            let topology = Topology::new(&sheet.among(&vertices))?;
            clamps.push(number_clamps(&sheet.clamps, &topology, &mut start, &mut grips)?);
        }
        masses.resize(start.len(), 0.0);
        free.resize(start.len(), [false; 3]);
        for (sheet, clamps) in sheets.into_iter().zip(clamps) {
            let mesh = sheet.among(&vertices);
            let topology = Topology::new(&mesh)?;
            let mut creases = sheet.creases;
            for line in &sheet.lines {
                let (force, folds) = line.make(&mesh, &topology, level)?;
                extra.extend(force);
                creases.extend(folds);
            }
            if let Some(wind) = &wind {
                extra.push(Box::new(Air::new(&mesh, sheet.fabric.drag, wind.clone())));
            }
            forces.push(membrane::build(&sheet.membrane, &mesh, &sheet.fabric.membrane, level)?);
            if sheet.bending == "none" {
                continue;
            }
            let material = &sheet.fabric.bending;
            let first_node = start.len() as u32;
            let (rest, mesh, topology) = (sheet.rest, &*mesh, &topology);
            let input =
                Input { mesh, topology, material, rest, clamps, creases, factors: sheet.factors, first_node, level };
            let bending = bending::build(&sheet.bending, &input)?;
            for node in bending.nodes {
                start.push(node.position);
                masses.push(0.0);
                free.push(node.free);
            }
            forces.push(bending.force);
            forces.extend(bending.folds);
        }
        forces.extend(extra);
        hold(&grips, &mut free)?;
        Ok(System::assemble(vertices.len(), start, masses, free, gravity, grips, forces, &explicit, places, level))
    }
}

/// Takes the gripped components out of the free ones.
fn hold(grips: &[Grip], free: &mut [[bool; 3]]) -> Result<(), BuildError> {
    let count = free.len();
    for grip in grips {
        for &node in &grip.nodes {
            let held = free.get_mut(node as usize);
            let held = held.ok_or_else(|| BuildError::Node { grip: grip.name.clone(), node, count })?;
            for c in (0..3).filter(|&c| grip.axes[c]) {
                held[c] = false;
            }
        }
    }
    Ok(())
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

/// Material place of every vertex, taken from the first triangle that has it. Panels of a sewn sheet are told apart: triangles belong
/// together where they meet at the same flat place. They are numbered on from `panels`, which is moved past them.
fn places_on(mesh: &Mesh, panels: &mut u32) -> Vec<Option<Place>> {
    let panel_of = panels_of(mesh);
    let mut places = vec![None; mesh.vertex_count()];
    for (t, (corners, material)) in mesh.triangles.iter().zip(&mesh.material).enumerate() {
        for (v, m) in corners.iter().zip(material) {
            places[*v as usize].get_or_insert(Place { panel: *panels + panel_of[t], uv: [m.x, m.y] });
        }
    }
    *panels += panel_of.iter().max().map_or(0, |p| p + 1);
    places
}

/// Panel of each triangle.
fn panels_of(mesh: &Mesh) -> Vec<u32> {
    let mut at: BTreeMap<(u32, [u64; 2]), Vec<u32>> = BTreeMap::new();
    for (t, (corners, material)) in mesh.triangles.iter().zip(&mesh.material).enumerate() {
        for (v, m) in corners.iter().zip(material) {
            at.entry((*v, [m.x.to_bits(), m.y.to_bits()])).or_default().push(t as u32);
        }
    }
    let mut neighbours = vec![Vec::new(); mesh.triangles.len()];
    for around in at.values() {
        for pair in around.windows(2) {
            neighbours[pair[0] as usize].push(pair[1]);
            neighbours[pair[1] as usize].push(pair[0]);
        }
    }
    let (mut panels, mut count, mut stack) = (vec![u32::MAX; mesh.triangles.len()], 0, Vec::new());
    for start in 0..mesh.triangles.len() {
        if panels[start] != u32::MAX {
            continue;
        }
        panels[start] = count;
        stack.push(start);
        while let Some(t) = stack.pop() {
            for &n in &neighbours[t] {
                if panels[n as usize] == u32::MAX {
                    panels[n as usize] = count;
                    stack.push(n as usize);
                }
            }
        }
        count += 1;
    }
    panels
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
