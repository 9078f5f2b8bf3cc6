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

/// Collects what a system is made of: one sheet or several, each of one fabric or of several, in one space.
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
    /// Triangles of other fabrics.
    patches: Vec<(&'a Fabric, Vec<u32>)>,
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
            patches: Vec::new(),
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
        for fabric in std::iter::once(self.fabric).chain(self.patches.iter().map(|p| p.0)) {
            // Not `<= 0.0`: NaN must fail too.
            if !(fabric.density > 0.0) {
                return Err(BuildError::Density { fabric: fabric.name.clone(), density: fabric.density });
            }
        }
        let count = self.mesh.triangles.len();
        match self.patches.iter().flat_map(|p| &p.1).find(|&&t| t as usize >= count) {
            Some(&triangle) => Err(BuildError::Triangle { triangle, count }),
            None => Ok(()),
        }
    }

    /// Its fabrics, each with the triangles made of it, ascending; the later patch counts. Fabrics without triangles are left out.
    fn fabrics(&self) -> Vec<(&'a Fabric, Vec<u32>)> {
        let mut of = vec![0; self.mesh.triangles.len()];
        for (k, (_, triangles)) in self.patches.iter().enumerate() {
            triangles.iter().for_each(|t| of[*t as usize] = k + 1);
        }
        let all = std::iter::once(self.fabric).chain(self.patches.iter().map(|p| p.0));
        let own = |k: usize| (0..of.len() as u32).filter(|t| of[*t as usize] == k).collect::<Vec<u32>>();
        all.enumerate().map(|(k, fabric)| (fabric, own(k))).filter(|(_, own)| !own.is_empty()).collect()
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

/// Some triangles of a mesh, with all of its vertices; the mesh itself if they are all.
fn some<'m>(mesh: &'m Mesh, triangles: &[u32]) -> Cow<'m, Mesh> {
    if triangles.len() == mesh.triangles.len() {
        return Cow::Borrowed(mesh);
    }
    Cow::Owned(Mesh {
        positions: mesh.positions.clone(),
        triangles: triangles.iter().map(|&t| mesh.triangles[t as usize]).collect(),
        material: triangles.iter().map(|&t| mesh.material[t as usize]).collect(),
    })
}

/// Why a system could not be put together.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// No sheet at all.
    #[error("a system needs a sheet")]
    Empty,
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
    /// A patch has a triangle that does not exist.
    #[error("a patch of another fabric has triangle {triangle}, but there are only {count}")]
    Triangle {
        /// Triangle.
        triangle: u32,
        /// Number of triangles of the sheet.
        count: usize,
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

    /// Makes some triangles of the sheet of another fabric. Membrane, mass and air are those of each triangle; the curvature is that of the
    /// sheet as a whole, answered by the law of each triangle.
    pub fn patch(mut self, fabric: &'a Fabric, triangles: Vec<u32>) -> Self {
        self.last().patches.push((fabric, triangles));
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
            let first = masses.len();
            masses.resize(vertices.len(), 0.0);
            for (fabric, own) in sheet.fabrics() {
                let lumped = some(sheet.mesh, &own).lumped_masses(fabric.density);
                masses[first..].iter_mut().zip(lumped).for_each(|(sum, m)| *sum += m);
            }
            places.extend(places_on(sheet.mesh, &mut panels));
        }
        let mut start = vertices.clone();
        let mut free = vec![[true; 3]; vertices.len()];
        let (mut forces, mut clamps, mut order, mut first_triangle) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for sheet in &sheets {
            let topology = Topology::new(&sheet.among(&vertices))?;
            clamps.push(number_clamps(&sheet.clamps, &topology, &mut start, &mut grips)?);
        }
        masses.resize(start.len(), 0.0);
        free.resize(start.len(), [false; 3]);
        for (sheet, clamps) in sheets.into_iter().zip(clamps) {
            let mesh = sheet.among(&vertices);
            let topology = Topology::new(&mesh)?;
            let mut creases = sheet.creases.clone();
            for line in &sheet.lines {
                let (force, folds) = line.make(&mesh, &topology, level)?;
                extra.extend(force);
                creases.extend(folds);
            }
            let fabrics = sheet.fabrics();
            let is_mixed = fabrics.len() > 1;
            for (fabric, own) in &fabrics {
                let part = some(&mesh, own);
                if let Some(wind) = &wind {
                    extra.push(Box::new(Air::new(&part, fabric.drag, wind.clone())));
                }
                forces.push(membrane::build(&sheet.membrane, &part, &fabric.membrane, level)?);
                order.extend(own.iter().map(|t| t + first_triangle));
            }
            first_triangle += mesh.triangles.len() as u32;
            if sheet.bending == "none" {
                continue;
            }
            for (fabric, own) in &fabrics {
                let marks = is_mixed.then(|| marked(mesh.triangles.len(), own));
                let input = Input {
                    mesh: &mesh,
                    topology: &topology,
                    material: &fabric.bending,
                    own: marks.as_deref(),
                    rest: sheet.rest.clone(),
                    clamps: clamps.clone(),
                    creases: creases.clone(),
                    factors: sheet.factors.clone(),
                    first_node: start.len() as u32,
                    level,
                };
                let bending = bending::build(&sheet.bending, &input)?;
                for node in bending.nodes {
                    start.push(node.position);
                    masses.push(0.0);
                    free.push(node.free);
                }
                forces.push(bending.force);
                forces.extend(bending.folds);
            }
        }
        forces.extend(extra);
        hold(&grips, &mut free)?;
        let count = vertices.len();
        let system = System::assemble(count, start, masses, free, gravity, grips, forces, &explicit, places, level);
        Ok(System { triangle_order: order, ..system })
    }
}

/// True for some of a number of triangles.
fn marked(count: usize, triangles: &[u32]) -> Vec<bool> {
    let mut marks = vec![false; count];
    triangles.iter().for_each(|t| marks[*t as usize] = true);
    marks
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
            triangle_order: Vec::new(),
            places,
            start,
            level,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Diagonal, Grid};
    use crate::system::State;

    /// A strip of two fabrics, one after the other along its length.
    struct Strip {
        mesh: Mesh,
        fabrics: [Fabric; 2],
        /// Triangles of the second fabric.
        second: Vec<u32>,
    }

    const LENGTH: f64 = 0.4;
    const WIDTH: f64 = 0.1;
    const MODULI: [f64; 2] = [200.0, 500.0];

    fn strip() -> Strip {
        let mesh = Grid { cells: [8, 2], size: [LENGTH, WIDTH], diagonal: Diagonal::Alternating }.mesh();
        let middle = |t: &u32| mesh.material[*t as usize].iter().map(|m| m.x).sum::<f64>() / 3.0;
        let start = mesh.material.iter().flatten().map(|m| m.x).fold(f64::INFINITY, f64::min);
        let second = (0..mesh.triangles.len() as u32).filter(|t| middle(t) > start + 0.5 * LENGTH).collect();
        let fabric = |k: usize| Fabric::isotropic(MODULI[k], 0.0, [1e-5, 4e-5][k], [0.1, 0.3][k]).unwrap();
        Strip { mesh, fabrics: [fabric(0), fabric(1)], second }
    }

    /// Stretches at which both fabrics pull with the same tension (N/m): λ (λ² − 1)/2 E = T, Green strain, no lateral contraction.
    fn stretches(tension: f64) -> [f64; 2] {
        MODULI.map(|modulus| {
            let mut stretch = 1.0f64;
            for _ in 0..50 {
                let miss = 0.5 * modulus * stretch * (stretch * stretch - 1.0) - tension;
                stretch -= miss / (0.5 * modulus * (3.0 * stretch * stretch - 1.0));
            }
            stretch
        })
    }

    /// In series under a pull each fabric stretches as its stiffness says: inside nothing is left over, the end feels the whole pull, and
    /// triangles tell their own strain and stress in the order of the mesh.
    #[test]
    fn two_fabrics_in_series_share_the_pull() {
        let Strip { mesh, fabrics, second } = strip();
        let builder = Builder::new(&mesh, &fabrics[0]).patch(&fabrics[1], second.clone()).gravity(DVec3::ZERO);
        let system = builder.bending("none").build().unwrap();
        let tension = 20.0;
        let stretches = stretches(tension);
        let start = mesh.positions.iter().map(|x| x.x).fold(f64::INFINITY, f64::min);
        let half = 0.5 * LENGTH;
        let mut state: State = system.initial_state();
        for x in &mut state.positions {
            let u = x.x - start;
            x.x = start + stretches[0] * u.min(half) + stretches[1] * (u - half).max(0.0);
        }
        let forces = system.total_forces(&state);
        let mut pull = 0.0;
        for (rest, force) in mesh.positions.iter().zip(&forces) {
            let u = rest.x - start;
            if u > LENGTH - 1e-9 {
                pull -= force.x;
            } else if u > 1e-9 {
                assert!(force.length() < 1e-10, "{rest}: {force}");
            }
        }
        assert!((pull - tension * WIDTH).abs() < 1e-9, "{pull}");
        for (t, told) in system.triangle_states(&state).iter().enumerate() {
            let k = usize::from(second.contains(&(t as u32)));
            let strain = 0.5 * (stretches[k].powi(2) - 1.0);
            assert!((told.strain[0] - strain).abs() < 1e-12, "triangle {t}: {told:?}");
            assert!((told.stress[0] - MODULI[k] * strain).abs() < 1e-9, "triangle {t}: {told:?}");
        }
    }

    /// Each half weighs what its fabric says.
    #[test]
    fn masses_are_those_of_each_triangle() {
        let Strip { mesh, fabrics, second } = strip();
        let system = Builder::new(&mesh, &fabrics[0]).patch(&fabrics[1], second).build().unwrap();
        let half = 0.5 * LENGTH * WIDTH;
        assert!((system.total_mass() - (0.1 + 0.3) * half).abs() < 1e-12);
        let moment: f64 = system.masses().iter().zip(&mesh.positions).map(|(m, x)| m * x.x).sum();
        let middle = mesh.positions.iter().map(|x| x.x).sum::<f64>() / mesh.vertex_count() as f64;
        // Centres of the halves lie a quarter of the length off the middle.
        let expected = system.total_mass() * middle + 0.25 * LENGTH * half * (0.3 - 0.1);
        assert!((moment - expected).abs() < 1e-12, "{moment} {expected}");
    }

    /// Bending energy is linear in the rigidities: two strips with the halves swapped hold as much as one of each fabric. The border is
    /// neither a hinge nor an end.
    #[test]
    fn bending_of_two_fabrics_adds_up() {
        let Strip { mesh, fabrics, second } = strip();
        let first: Vec<u32> = (0..mesh.triangles.len() as u32).filter(|t| !second.contains(t)).collect();
        for model in ["midedge", "midedge-quadratic", "hinge", "hinge-quadratic"] {
            let energy = |builder: Builder| {
                let system = builder.bending(model).build().unwrap();
                let mut state = system.initial_state();
                for x in &mut state.positions {
                    x.y += 0.5 * x.x * x.x + 0.2 * x.x * x.z;
                }
                let energies = system.energies(&state).stored;
                energies.iter().find(|e| e.0 == "bending").unwrap().1
            };
            let [a, b] = &fabrics;
            let (mixed, swapped) = (
                energy(Builder::new(&mesh, a).patch(b, second.clone())),
                energy(Builder::new(&mesh, a).patch(b, first.clone())),
            );
            let (one, other) = (energy(Builder::new(&mesh, a)), energy(Builder::new(&mesh, b)));
            assert!((mixed + swapped - one - other).abs() < 1e-9 * other, "{model}: {mixed} {swapped} {one} {other}");
            assert!(one < mixed && mixed < other, "{model}: {one} {mixed} {other}");
        }
        let mixed = Builder::new(&mesh, &fabrics[0]).patch(&fabrics[1], first).bending("morley").build();
        assert!(matches!(mixed, Err(BuildError::Bending(BendingError::Mixed { .. }))));
        let missing = Builder::new(&mesh, &fabrics[0]).patch(&fabrics[1], vec![10_000]).build();
        assert!(matches!(missing, Err(BuildError::Triangle { triangle: 10_000, .. })));
    }
}
