//! A system: masses, forces and grips ready to move, and the state that moves.
//!
//! Nodes are the mesh vertices, then auxiliary nodes that forces asked for (edge rotations, clamp directors). A [`System`]
//! is fixed while it runs; everything that changes is in the [`State`], which can be stored and brought back exactly.

mod builder;
mod grip;
mod line;

pub use builder::{BuildError, Builder};
pub use grip::{Grip, Key, Motion};
pub use line::Line;

use crate::force::{Force, Moment, Projection, Rate, Target};
use crate::lane::Level;
use crate::linalg::{BlockMatrix, FullRows, Pattern, Place, ScalarMatrix};
use crate::membrane::TriangleState;
use glam::DVec3;
use std::ops::Range;
use std::sync::Arc;

/// Masses, forces, grips and the sparsity they share.
pub struct System {
    pub(crate) vertex_count: usize,
    pub(crate) masses: Vec<f64>,
    pub(crate) gravity: DVec3,
    pub(crate) forces: Vec<Slot>,
    pub(crate) grips: Vec<Grip>,
    /// True where a component moves by itself.
    pub(crate) free: Vec<[bool; 3]>,
    pub(crate) pattern: Arc<Pattern>,
    /// The others: node and axis.
    pub(crate) held: Vec<(u32, u8)>,
    pub(crate) scalars: Option<Arc<ScalarMatrix<f64>>>,
    /// The same for products in double precision.
    pub(crate) scalar_rows: Option<FullRows>,
    /// Triangles in the order in which membranes tell their states: fabric by fabric in each sheet.
    pub(crate) triangle_order: Vec<u32>,
    pub(crate) places: Vec<Option<Place>>,
    pub(crate) start: Vec<DVec3>,
    pub(crate) level: Level,
}

/// A force and its share of the memory.
pub(crate) struct Slot {
    pub(crate) force: Box<dyn Force>,
    pub(crate) memory: Range<usize>,
    /// Left out of the matrix and taken from the start of the step (IMEX).
    pub(crate) explicit: bool,
}

/// Everything that changes with time.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Time (s).
    pub time: f64,
    /// Node positions (m).
    pub positions: Vec<DVec3>,
    /// Node velocities (m/s).
    pub velocities: Vec<DVec3>,
    /// Rest strains of the forces.
    pub memory: Vec<f64>,
    /// What contact remembers from one step to the next; empty before the first and without contact.
    pub contact: Vec<f64>,
    /// The state one step back, for two-step schemes and extrapolation.
    pub past: Option<Past>,
    /// For schemes that choose their own steps.
    pub pace: Pace,
    /// Force of the grips on the sheet (N) in the last step; zero on free components.
    pub reactions: Vec<DVec3>,
    /// Energy dissipated by viscosity and hysteresis so far (J).
    pub dissipated: f64,
}

/// What schemes that choose their own steps remember from one to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pace {
    /// Step (s) that error control would take next.
    pub explicit_step: Option<f64>,
    /// Steps since a start, a cut or a jump, for the automatic choice.
    pub smooth_steps: u32,
}

/// Positions and velocities one step back.
#[derive(Clone, Debug, PartialEq)]
pub struct Past {
    /// Length of that step (s).
    pub step: f64,
    /// Node positions (m).
    pub positions: Vec<DVec3>,
    /// Node velocities (m/s).
    pub velocities: Vec<DVec3>,
}

/// Energies of a state (J).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Energies {
    /// ½ Σ m v².
    pub kinetic: f64,
    /// −Σ m g·x.
    pub gravity: f64,
    /// Stored by each force, by name; forces of one name are added up.
    pub stored: Vec<(&'static str, f64)>,
    /// Dissipated since the start by viscosity and hysteresis.
    pub dissipated: f64,
}

impl Energies {
    /// Stored by all forces.
    pub fn elastic(&self) -> f64 {
        self.stored.iter().map(|s| s.1).sum()
    }

    /// Kinetic, gravity and stored together.
    pub fn total(&self) -> f64 {
        self.kinetic + self.gravity + self.elastic()
    }
}

/// Which forces are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// All of them.
    All,
    /// Those in the matrix.
    Implicit,
    /// Those left out of it.
    Explicit,
}

impl Part {
    fn has(self, slot: &Slot) -> bool {
        match self {
            Self::All => true,
            Self::Implicit => !slot.explicit,
            Self::Explicit => slot.explicit,
        }
    }
}

impl System {
    /// The state at the start: as built, at rest.
    pub fn initial_state(&self) -> State {
        let zero = vec![DVec3::ZERO; self.start.len()];
        let mut state = State {
            time: 0.0,
            positions: self.start.clone(),
            velocities: zero.clone(),
            memory: vec![0.0; self.forces.last().map_or(0, |s| s.memory.end)],
            contact: Vec::new(),
            past: None,
            pace: Pace::default(),
            reactions: zero,
            dissipated: 0.0,
        };
        self.place_grips(0.0, &mut state.positions);
        state
    }

    /// Number of mesh vertices; nodes beyond are auxiliary.
    pub fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// Masses of the nodes (kg).
    pub fn masses(&self) -> &[f64] {
        &self.masses
    }

    /// Mass of everything (kg).
    pub fn total_mass(&self) -> f64 {
        self.masses.iter().sum()
    }

    /// Gravity (m/s²).
    pub fn gravity(&self) -> DVec3 {
        self.gravity
    }

    /// Where in [`State::memory`] the forces of a name keep theirs: for forces whose memory is set from outside, like contact.
    /// None without such a force, or with several.
    pub fn memory_of(&self, name: &str) -> Option<Range<usize>> {
        let mut named = self.forces.iter().filter(|s| s.force.name() == name);
        let first = named.next()?;
        named.next().is_none().then(|| first.memory.clone())
    }

    /// Grips in the order they were added.
    pub fn grips(&self) -> &[Grip] {
        &self.grips
    }

    /// Gives a grip another motion: for tests that are run by hand, displacement by displacement.
    pub fn set_motion(&mut self, grip: usize, motion: Motion) {
        self.grips[grip].motion = motion;
    }

    /// True where a component moves by itself.
    pub fn free(&self) -> &[[bool; 3]] {
        &self.free
    }

    /// Force of one grip on the sheet (N) in the last step.
    pub fn reaction(&self, state: &State, grip: usize) -> DVec3 {
        let axes = self.grips[grip].axes.map(|a| if a { 1.0 } else { 0.0 });
        self.grips[grip].nodes.iter().map(|&n| DVec3::from(axes) * state.reactions[n as usize]).sum()
    }

    /// Energies of a state.
    pub fn energies(&self, state: &State) -> Energies {
        let mut energies = Energies { dissipated: state.dissipated, ..Energies::default() };
        for i in 0..self.masses.len() {
            energies.kinetic += 0.5 * self.masses[i] * state.velocities[i].length_squared();
            energies.gravity -= self.masses[i] * self.gravity.dot(state.positions[i]);
        }
        let at = Moment { elapsed: 0.0, ..self.instant(state) };
        for slot in &self.forces {
            let energy = slot.force.energy(&at, &state.memory[slot.memory.clone()]);
            match energies.stored.iter_mut().find(|s| s.0 == slot.force.name()) {
                Some(entry) => entry.1 += energy,
                None => energies.stored.push((slot.force.name(), energy)),
            }
        }
        energies
    }

    /// Momentum (kg·m/s) and angular momentum about the origin (kg·m²/s).
    pub fn momentum(&self, state: &State) -> (DVec3, DVec3) {
        let mut sum = (DVec3::ZERO, DVec3::ZERO);
        for i in 0..self.masses.len() {
            let p = self.masses[i] * state.velocities[i];
            sum.0 += p;
            sum.1 += state.positions[i].cross(p);
        }
        sum
    }

    /// Strain and stress of every triangle, sheet by sheet in the order of its mesh; none for edge springs.
    pub fn triangle_states(&self, state: &State) -> Vec<TriangleState> {
        let told: Vec<TriangleState> =
            self.forces.iter().filter_map(|s| s.force.triangle_states(&state.positions)).flatten().collect();
        let mut states = told.clone();
        // Edge springs tell none, and then nothing has an order.
        if told.len() == self.triangle_order.len() {
            self.triangle_order.iter().zip(&told).for_each(|(&t, told)| states[t as usize] = *told);
        }
        states
    }

    /// Total force on every node at this state (N), gravity included.
    pub fn total_forces(&self, state: &State) -> Vec<DVec3> {
        let mut out = vec![DVec3::ZERO; self.masses.len()];
        self.add_forces(Part::All, &self.instant(state), &state.memory, &mut out);
        out
    }

    /// −∂F/∂x of the forces in the matrix at this state, times a direction (N): exact, not projected, with memory as it stands
    /// and without viscosity. For studies of the Jacobian.
    pub fn jacobian_product(&self, state: &State, direction: &[DVec3]) -> Vec<DVec3> {
        let mut product = vec![DVec3::ZERO; self.masses.len()];
        // A rate of nothing per second: viscous stress and its share of the tangent vanish.
        let at = Moment { rate: Rate::Since { per_second: 0.0 }, ..self.instant(state) };
        self.add_product(&at, &state.memory, Projection::None, direction, &mut product);
        product
    }

    /// Stiffness that quadratic forces have at a node in every direction and state (N/m): it is not in assembled matrices.
    pub fn constant_stiffness(&self, node: usize) -> f64 {
        self.scalars.as_ref().map_or(0.0, |s| s.diagonal[node])
    }

    /// How stiff each node is in the rest shape (N/m): a third of the trace of its diagonal block, which no rotation changes.
    pub fn rest_stiffness(&self) -> Vec<f64> {
        let mut matrix = BlockMatrix::<f64>::zero(self.pattern.clone());
        let state = self.initial_state();
        let at = Moment { rate: Rate::Since { per_second: 0.0 }, ..self.instant(&state) };
        self.add_jacobian(&at, &state.memory, Projection::Exact, &mut Target::Double(&mut matrix));
        let mean = |(i, d): (usize, &[f64; 9])| (d[0] + d[4] + d[8]) / 3.0 + self.constant_stiffness(i);
        matrix.diagonal.iter().enumerate().map(mean).collect()
    }

    pub(crate) fn instant<'a>(&self, state: &'a State) -> Moment<'a> {
        Moment {
            positions: &state.positions,
            velocities: &state.velocities,
            time: state.time,
            elapsed: 0.0,
            rate: Rate::Instant,
        }
    }

    /// Puts gripped components where their motion says.
    pub(crate) fn place_grips(&self, time: f64, positions: &mut [DVec3]) {
        for grip in &self.grips {
            for (k, &node) in grip.nodes.iter().enumerate() {
                let goal = grip.motion.place(time, grip.rest[k]);
                for c in (0..3).filter(|&c| grip.axes[c]) {
                    positions[node as usize][c] = goal[c];
                }
            }
        }
    }

    /// Forces of a part; gravity belongs to the implicit one.
    pub(crate) fn add_forces(&self, part: Part, at: &Moment, memory: &[f64], forces: &mut [DVec3]) {
        if part != Part::Explicit {
            for (f, m) in forces.iter_mut().zip(&self.masses) {
                *f += *m * self.gravity;
            }
        }
        for slot in self.forces.iter().filter(|s| part.has(s)) {
            slot.force.add_forces(at, &memory[slot.memory.clone()], forces);
        }
    }

    /// Forces and −∂F/∂x of the implicit part.
    pub(crate) fn add_forces_and_jacobian(
        &self,
        at: &Moment,
        memory: &[f64],
        projection: Projection,
        forces: &mut [DVec3],
        target: &mut Target,
    ) {
        for (f, m) in forces.iter_mut().zip(&self.masses) {
            *f += *m * self.gravity;
        }
        for slot in self.forces.iter().filter(|s| Part::Implicit.has(s)) {
            slot.force.add_forces_and_jacobian(at, &memory[slot.memory.clone()], projection, forces, target);
        }
    }

    /// −∂F/∂x of the implicit part.
    pub(crate) fn add_jacobian(&self, at: &Moment, memory: &[f64], projection: Projection, target: &mut Target) {
        for slot in self.forces.iter().filter(|s| Part::Implicit.has(s)) {
            slot.force.add_jacobian(at, &memory[slot.memory.clone()], projection, target);
        }
    }

    /// Whether an implicit step has to form velocities.
    pub(crate) fn reads_velocities(&self) -> bool {
        self.forces.iter().any(|s| Part::Implicit.has(s) && s.force.reads_velocities())
    }

    /// Jacobian of the implicit part times a direction, without the scalar parts' own matrices being stored.
    pub(crate) fn add_product(
        &self,
        at: &Moment,
        memory: &[f64],
        projection: Projection,
        direction: &[DVec3],
        product: &mut [DVec3],
    ) {
        for slot in self.forces.iter().filter(|s| Part::Implicit.has(s)) {
            let memory = &memory[slot.memory.clone()];
            if !slot.force.add_product(at, memory, projection, direction, product) {
                let mut matrix = BlockMatrix::<f64>::zero(self.pattern.clone());
                slot.force.add_jacobian(at, memory, projection, &mut Target::Double(&mut matrix));
                matrix.add_product(direction, product);
            }
        }
        if let Some(s) = &self.scalar_rows {
            s.add_product(1.0, direction, product);
        }
    }

    /// Incremental potential of the implicit part, gravity included.
    pub(crate) fn potential(&self, at: &Moment, memory: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (x, m) in at.positions.iter().zip(&self.masses) {
            sum -= m * self.gravity.dot(*x);
        }
        for slot in self.forces.iter().filter(|s| Part::Implicit.has(s)) {
            sum += slot.force.potential(at, &memory[slot.memory.clone()]);
        }
        sum
    }

    pub(crate) fn prepare(&self, base: &[(f64, &[DVec3])], memory: &mut [f64]) {
        for slot in &self.forces {
            slot.force.prepare(base, &mut memory[slot.memory.clone()]);
        }
    }

    /// Moves memory to the end of an accepted step; returns the energy it dissipated.
    pub(crate) fn commit(&self, at: &Moment, memory: &mut [f64]) -> f64 {
        self.forces.iter().map(|slot| slot.force.commit(at, &mut memory[slot.memory.clone()])).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::Fabric;
    use crate::mesh::{Diagonal, Grid};

    /// The product is the derivative of the forces, bending and membrane together, on a bent and stretched sheet.
    #[test]
    fn jacobian_product_is_the_slope_of_the_forces() {
        let mesh = Grid { cells: [3, 2], size: [0.3, 0.2], diagonal: Diagonal::Alternating }.mesh();
        let fabric = Fabric::isotropic(100.0, 0.3, 1e-2, 0.1).unwrap();
        let system = Builder::new(&mesh, &fabric).build().unwrap();
        let mut state = system.initial_state();
        let wave =
            |i: usize, a: f64| DVec3::new((a * i as f64).sin(), (2.0 + a * i as f64).cos(), (a * i as f64).cos());
        for (i, x) in state.positions.iter_mut().enumerate() {
            *x += 0.01 * wave(i, 1.7);
        }
        let direction: Vec<DVec3> = (0..state.positions.len()).map(|i| wave(i, 2.9)).collect();
        let product = system.jacobian_product(&state, &direction);
        let h = 1e-6;
        let at = |share: f64| {
            let mut moved = state.clone();
            moved.positions.iter_mut().zip(&direction).for_each(|(x, d)| *x += share * *d);
            system.total_forces(&moved)
        };
        let (up, down) = (at(h), at(-h));
        let largest = product.iter().map(|p| p.length()).fold(0.0, f64::max);
        for i in 0..product.len() {
            let slope = (down[i] - up[i]) / (2.0 * h);
            assert!((slope - product[i]).length() < 1e-6 * largest, "node {i}: {slope} {}", product[i]);
        }
    }
}
