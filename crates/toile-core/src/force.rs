//! Forces: what the elements of a sheet, its lines, the air and gravity do to vertices.
//!
//! A [`Force`] is a block of many alike elements, so that one virtual call serves thousands of them. It reads a
//! [`Moment`] (positions, velocities, time) and its own slice of memory (rest strains), and adds forces and Jacobian
//! blocks. Within an implicit step every force derives from an incremental potential: elastic energy, plus dissipation
//! over the step. That is what makes the step a minimisation, its matrix symmetric and its line search meaningful.

mod air;
mod catch;
mod load;
mod stitch;
#[cfg(test)]
mod testing;
mod tether;
mod tie;

pub use air::{Air, Wind};
pub use catch::{Catch, Catches};
pub use load::Load;
pub use stitch::{Pull, Stitch};
pub use tether::Tether;
pub use tie::{Tie, Ties};

use crate::linalg::{BlockMatrix, Pair, Pattern};
use crate::membrane::TriangleState;
use glam::{DMat3, DVec3};

/// Where and how forces are evaluated.
#[derive(Clone, Copy)]
pub struct Moment<'a> {
    /// Node positions (m). Vertices first, then auxiliary nodes of forces that have them.
    pub positions: &'a [DVec3],
    /// Node velocities (m/s).
    pub velocities: &'a [DVec3],
    /// Time (s).
    pub time: f64,
    /// Time since memory was committed (s): relaxation uses it.
    pub elapsed: f64,
    /// How strain rates are formed.
    pub rate: Rate,
}

/// How strain rates are formed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rate {
    /// From the velocities: ε̇ = ∂ε/∂x · v. For explicit schemes; forces only.
    Instant,
    /// As a difference quotient: ε̇ = (ε − ε̂)/ĥ with the base strain ε̂ that `prepare` left in memory. Exactly zero for
    /// rigid motion, and the derivative of ĥ φ((ε − ε̂)/ĥ), so the step keeps its potential.
    Since {
        /// 1/ĥ (1/s).
        per_second: f64,
    },
}

/// How indefinite parts of a Jacobian are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Projection {
    /// Exact Jacobian; may be indefinite in compression.
    None,
    /// Compressive stress is left out of the geometric part, component by component (Volino09 §2.3).
    Clamp,
    /// Each part is replaced by its nearest positive semidefinite one.
    #[default]
    Exact,
}

/// A Jacobian being assembled, in either precision.
pub enum Target<'a> {
    /// Single precision, for dynamics.
    Single(&'a mut BlockMatrix<f32>),
    /// Double precision, for statics.
    Double(&'a mut BlockMatrix<f64>),
}

impl Target<'_> {
    /// What has been added to a diagonal block.
    pub fn diagonal(&self, node: usize) -> DMat3 {
        let block: [f64; 9] = match self {
            Self::Single(matrix) => matrix.diagonal[node].map(f64::from),
            Self::Double(matrix) => matrix.diagonal[node],
        };
        DMat3::from_cols_array(&block)
    }

    /// Adds a pair whose vertices the pattern couples; false, and nothing added, if it does not.
    pub fn add_pair(&mut self, pair: &Pair) -> bool {
        match self {
            Self::Single(matrix) => matrix.add_pair(pair),
            Self::Double(matrix) => matrix.add_pair(pair),
        }
    }
}

/// One coupling of a constant scalar matrix: vertex, vertex, value. The diagonal is given with equal vertices.
pub type ScalarEntry = (u32, u32, f64);

/// A block of alike elements.
pub trait Force: Send + Sync {
    /// Name for reports: `membrane`, `bending`, `line`, …
    fn name(&self) -> &'static str;

    /// Shows the node set of every element; all pairs inside a set couple in the Jacobian. Elements with a constant scalar
    /// matrix report theirs through `scalar_part` instead.
    fn stencils(&self, visit: &mut dyn FnMut(&[u32]));

    /// Called once after the pattern is known: look up the slots of the element blocks here.
    fn bind(&mut self, pattern: &Pattern);

    /// Constant Jacobian K⊗I of quadratic forces. In `add_jacobian` and `stencils` such a force brings only what is not of this
    /// form, if anything: clamped bending elements.
    fn scalar_part(&self) -> Vec<ScalarEntry> {
        Vec::new()
    }

    /// False where the force never looks at velocities when rates are difference quotients: then an implicit step need not
    /// form them.
    fn reads_velocities(&self) -> bool {
        true
    }

    /// Numbers of memory this block needs, zero-initialised.
    fn memory_len(&self) -> usize {
        0
    }

    /// Called at the start of a step with the base x̂ = Σ wᵢ xᵢ of its difference quotient: leaves ε̂ = Σ wᵢ ε(xᵢ) in memory.
    fn prepare(&self, _base: &[(f64, &[DVec3])], _memory: &mut [f64]) {}

    /// Stored energy (J): elastic, and the springs of memory branches.
    fn energy(&self, at: &Moment, memory: &[f64]) -> f64;

    /// Incremental potential (J) whose negative gradient is the force at this moment.
    fn potential(&self, at: &Moment, memory: &[f64]) -> f64 {
        self.energy(at, memory)
    }

    /// Adds forces (N).
    fn add_forces(&self, at: &Moment, memory: &[f64], forces: &mut [DVec3]);

    /// Adds −∂F/∂x of the force as `at.rate` defines it (N/m): for [`Rate::Since`] that includes viscosity over ĥ.
    fn add_jacobian(&self, at: &Moment, memory: &[f64], projection: Projection, target: &mut Target);

    /// Adds both in one sweep over the elements; overridden where that is cheaper.
    fn add_forces_and_jacobian(
        &self,
        at: &Moment,
        memory: &[f64],
        projection: Projection,
        forces: &mut [DVec3],
        target: &mut Target,
    ) {
        self.add_forces(at, memory, forces);
        self.add_jacobian(at, memory, projection, target);
    }

    /// Adds the same Jacobian times a direction, from the state alone and in double precision. False: not provided, the
    /// caller multiplies with an assembled matrix.
    fn add_product(
        &self,
        _at: &Moment,
        _memory: &[f64],
        _projection: Projection,
        _direction: &[DVec3],
        _product: &mut [DVec3],
    ) -> bool {
        false
    }

    /// Strain and stress of every triangle in the order of the mesh, where the force is a membrane.
    fn triangle_states(&self, _positions: &[DVec3]) -> Option<Vec<TriangleState>> {
        None
    }

    /// Called once a step is accepted: moves rest strains along, returns the energy (J) dissipated by memory and viscosity.
    fn commit(&self, _at: &Moment, _memory: &mut [f64]) -> f64 {
        0.0
    }
}
