//! Membrane models: how a triangle or an edge measures its strain.
//!
//! `green`, `length`, `corotational`, `particle` and `symmetric` differ only in the strain they take from the metric of the triangle
//! (U·U, V·V, U·V); all of them share one kernel ([`Triangles`]), because any such strain turns into Green components by the
//! chain rule. `edge-springs` measures along edges ([`Springs`]).

mod history;
mod jet;
mod measure;
mod springs;
mod triangles;

pub use measure::{Corotational, Green, Length, Measure, Particle, Symmetric};
pub use springs::{Spring, Springs};
pub use triangles::{TriangleState, Triangles};

use crate::fabric::Material;
use crate::force::Force;
use crate::lane::Level;
use crate::law::AnyLaw;
use crate::memory::MemoryError;
use crate::mesh::{Mesh, MeshError, Topology};

/// An entry of the registry of membrane models.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name in scenes.
    pub name: &'static str,
    /// One line for menus.
    pub summary: &'static str,
}

/// Every membrane model that a scene can name; the first is the default.
pub const MEMBRANES: &[Entry] = &[
    Entry { name: "green", summary: "Green–Lagrange strain, exact for measured curves (Volino09)" },
    Entry { name: "length", summary: "lengths of the thread vectors (Volino05)" },
    Entry { name: "corotational", summary: "linear strain in the frame of the polar rotation (Etzmuss03)" },
    Entry { name: "particle", summary: "thread lengths and the cosine between them (Eberhardt00)" },
    Entry { name: "symmetric", summary: "as stiff against pressing as against pulling, never collapses (Bazant98)" },
    Entry { name: "edge-springs", summary: "springs along mesh edges, for comparison (Provot95)" },
];

/// Why a membrane could not be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MembraneError {
    /// No such model.
    #[error(
        "there is no membrane model \"{0}\"; known: green, length, corotational, particle, symmetric, edge-springs"
    )]
    Unknown(String),
    /// A hysteresis branch does not serve.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The mesh does not serve.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

/// Makes the force of a membrane model over a whole mesh of one material.
pub fn build(name: &str, mesh: &Mesh, material: &Material, level: Level) -> Result<Box<dyn Force>, MembraneError> {
    Ok(match name {
        "green" => by_law::<Green>(mesh, material, level)?,
        "length" => by_law::<Length>(mesh, material, level)?,
        "corotational" => by_law::<Corotational>(mesh, material, level)?,
        "particle" => by_law::<Particle>(mesh, material, level)?,
        "symmetric" => by_law::<Symmetric>(mesh, material, level)?,
        "edge-springs" => {
            let topology = Topology::new(mesh)?;
            match &material.elastic {
                AnyLaw::Linear(law) => Box::new(Springs::along_edges(mesh, &topology, law.clone(), material, level)?),
                law => Box::new(Springs::along_edges(mesh, &topology, law.clone(), material, level)?),
            }
        }
        _ => return Err(MembraneError::Unknown(name.into())),
    })
}

/// Linear laws have blocks of their own, computed in lanes; curves and surfaces share one.
fn by_law<M: Measure>(mesh: &Mesh, material: &Material, level: Level) -> Result<Box<dyn Force>, MemoryError> {
    Ok(match &material.elastic {
        AnyLaw::Linear(law) => Box::new(Triangles::<M, _>::new(mesh, law.clone(), material, level)?),
        law => Box::new(Triangles::<M, _>::new(mesh, law.clone(), material, level)?),
    })
}

#[cfg(test)]
mod tests;
