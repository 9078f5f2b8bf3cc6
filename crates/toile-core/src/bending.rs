//! Bending: energies of the curvature of a triangulated sheet.
//!
//! All models see the sheet through the angles θ of its hinges (two triangles at an edge, `angle.rs`) and turn them into
//! curvatures κ = Σ C θ − κ̄ of small elements that a law answers with moments (`table.rs`). The models differ only in the
//! coefficients C, so a model is a short builder of a table:
//! - `midedge`: one curvature per triangle, reconstructed so that it is exact on quadratic surfaces. The default: gives the
//!   rigidity of the law on every mesh, in every direction, with ν and twist.
//! - `morley`: the same with one rotation unknown per edge instead of the reconstruction. Slightly too soft where
//!   `midedge` is slightly too stiff: the two bracket the truth.
//! - `hinge`: each hinge on its own, as most systems do it. Mesh dependent: ±20 % on good Delaunay meshes, three times too
//!   stiff at 45° on a grid with one diagonal. Kept for comparison.
//!
//! `angular.rs` evaluates a table with true angles, `quadratic.rs` with linear ones: a constant matrix, for small hinge angles.
//!
//! Signs and units: κ = n·∂²x in 1/m, positive where the sheet bends towards its outside (a bowl seen from inside); moments
//! per width in N; θ in rad, positive like κ.

mod angle;
mod angular;
mod assembly;
mod hinge;
mod midedge;
mod morley;
mod patch;
mod quadratic;
mod table;

use crate::fabric::Material;
use crate::force::Force;
use crate::lane::Level;
use crate::memory::MemoryError;
use crate::mesh::{Mesh, Topology};
use glam::DVec3;

/// What a bending model is made from.
pub struct Input<'a> {
    /// Sheet; only its triangles and material coordinates are used.
    pub mesh: &'a Mesh,
    /// Its edges.
    pub topology: &'a Topology,
    /// Laws over curvature (κ_uu, κ_vv, 2κ_uv) in 1/m, giving moments per width (N).
    pub material: &'a Material,
    /// Triangles made of it, where the sheet has several fabrics: true for each of them. Others lend their shape, and answer to a model of
    /// their own. Creases belong to the fabric of their first triangle.
    pub own: Option<&'a [bool]>,
    /// Shape without moments.
    pub rest: Rest,
    /// Edges held in direction.
    pub clamps: Vec<Clamp>,
    /// Fold lines with a rigidity of their own.
    pub creases: Vec<Crease>,
    /// Rigidity of each triangle over that of the material; empty where all have that of the material.
    pub factors: Vec<f64>,
    /// Number of the first auxiliary node that the model may create.
    pub first_node: u32,
    /// Instruction level of the kernels.
    pub level: Level,
}

/// Shape in which a sheet has no moments. The default is flat.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest {
    /// Angle θ̄ of every edge of the topology (rad); empty for none. Clamped edges count the mirrored angle, twice that of the
    /// face; creases have their own and ignore this one.
    pub angles: Vec<f64>,
    /// Curvature κ̄ of every triangle (1/m) as (uu, vv, 2uv) in its own material axes; empty for none.
    pub curvature: Vec<[f64; 3]>,
}

impl Rest {
    /// Rest angle per edge (rad).
    pub fn with_angles(angles: Vec<f64>) -> Self {
        Self { angles, ..Self::default() }
    }

    /// Rest curvature per triangle (1/m).
    pub fn with_curvature(curvature: Vec<[f64; 3]>) -> Self {
        Self { curvature, ..Self::default() }
    }

    /// The shape of `positions`: every edge rests at the angle it has there.
    pub fn of_shape(topology: &Topology, positions: &[DVec3]) -> Self {
        Self::with_angles(angle::fold_angles(topology, positions))
    }

    fn is_flat(&self) -> bool {
        self.angles.iter().all(|a| *a == 0.0) && self.curvature.iter().flatten().all(|k| *k == 0.0)
    }
}

/// A boundary edge held in direction, as if the sheet went on mirrored behind it. Hold the vertices of the edge as well, but no
/// second row: that would put the clamp half an element too far back (VALIDATION trap 10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clamp {
    /// Boundary edge.
    pub edge: u32,
    /// Node whose *position* is the normal of the clamp (a direction; only its angle about the edge counts). It is a
    /// prescribed node: a turning clamp is a moving node, and the force on it is the moment of the clamp.
    pub director: u32,
}

/// A fold line: an interior edge that turns with its own rigidity, in series with the fabric beside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crease {
    /// Interior edge.
    pub edge: u32,
    /// Moment per length and angle (N·m per m and rad). 0 is a free joint; infinite a fold as stiff as the fabric.
    pub stiffness: f64,
    /// Angle without moment (rad).
    pub rest_angle: f64,
}

/// A massless unknown of a bending model, numbered from [`Input::first_node`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// Start value.
    pub position: DVec3,
    /// Components that are unknowns; the others stay at zero.
    pub free: [bool; 3],
}

/// A bending model for one sheet.
pub struct Bending {
    /// The force.
    pub force: Box<dyn Force>,
    /// Creases with a rest angle, by true angles, beside a force that has none.
    pub folds: Option<Box<dyn Force>>,
    /// Auxiliary unknowns it brings.
    pub nodes: Vec<Node>,
}

/// Why a bending model cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BendingError {
    /// No such model.
    #[error("there is no bending model \"{name}\"; known are {known}")]
    Unknown {
        /// Name asked for.
        name: String,
        /// Names of the registry.
        known: String,
    },
    /// A list whose length does not fit the mesh.
    #[error("{found} {what} given, the mesh has {expected}")]
    Length {
        /// What the list holds.
        what: &'static str,
        /// Length needed.
        expected: usize,
        /// Length found.
        found: usize,
    },
    /// A number that is not finite, or negative where it may not be.
    #[error("{what} {index} is {value}")]
    Value {
        /// What it is.
        what: &'static str,
        /// Position in its list.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// An edge that is not where a clamp or crease can be.
    #[error("{what} {index}: edge {edge} {reason}")]
    Edge {
        /// `clamp` or `crease`.
        what: &'static str,
        /// Position in its list.
        index: usize,
        /// The edge.
        edge: u32,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A constant matrix cannot express this.
    #[error("\"{model}\" has a constant matrix and cannot have {what}; use \"{instead}\"")]
    NotQuadratic {
        /// Model asked for.
        model: &'static str,
        /// What it cannot have.
        what: &'static str,
        /// Model that can.
        instead: &'static str,
    },
    /// Unknowns of its own that two fabrics would have to share.
    #[error("\"{model}\" cannot have several fabrics in a sheet; use \"{instead}\"")]
    Mixed {
        /// Model asked for.
        model: &'static str,
        /// Model that can.
        instead: &'static str,
    },
    /// A memory branch of the material.
    #[error("bending: {0}")]
    Memory(#[from] MemoryError),
}

/// An entry of the registry of bending models.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Name in files.
    pub name: &'static str,
    /// One line for menus.
    pub summary: &'static str,
    /// Gives the plate rigidity of the law whatever the mesh.
    pub consistent: bool,
    /// Linear law, flat rest shape and small hinge angles only.
    pub quadratic: bool,
    build: fn(&Input) -> Result<Bending, BendingError>,
}

/// Every bending model; the first is the default.
pub const BENDINGS: &[Entry] = &[
    Entry {
        name: "midedge",
        summary: "curvature per triangle from reconstructed edge normals; right on every mesh",
        consistent: true,
        quadratic: false,
        build: midedge::build,
    },
    Entry {
        name: "midedge-quadratic",
        summary: "the same for small hinge angles: constant matrix, fastest",
        consistent: true,
        quadratic: true,
        build: midedge::build_quadratic,
    },
    Entry {
        name: "morley",
        summary: "curvature per triangle with one rotation unknown per edge; for verification",
        consistent: true,
        quadratic: false,
        build: morley::build,
    },
    Entry {
        name: "hinge",
        summary: "moments about each edge by itself; mesh dependent, for comparison",
        consistent: false,
        quadratic: false,
        build: hinge::build,
    },
    Entry {
        name: "hinge-quadratic",
        summary: "the same for small hinge angles",
        consistent: false,
        quadratic: true,
        build: hinge::build_quadratic,
    },
    Entry { name: "none", summary: "no resistance", consistent: false, quadratic: false, build: build_none },
];

/// Builds the model called `name`.
pub fn build(name: &str, input: &Input) -> Result<Bending, BendingError> {
    let entry = BENDINGS.iter().find(|e| e.name == name).ok_or_else(|| BendingError::Unknown {
        name: name.into(),
        known: BENDINGS.iter().map(|e| e.name).collect::<Vec<_>>().join(", "),
    })?;
    check(input)?;
    let is_folded = |c: &Crease| c.rest_angle != 0.0;
    if !entry.quadratic || !input.creases.iter().any(is_folded) {
        return (entry.build)(input);
    }
    // A constant matrix knows no rest angle: there the fabric ends, and hinges of true angles hold its two sides together.
    let part = |creases| Input {
        mesh: input.mesh,
        topology: input.topology,
        material: input.material,
        own: input.own,
        rest: input.rest.clone(),
        clamps: input.clamps.clone(),
        creases,
        factors: input.factors.clone(),
        first_node: input.first_node,
        level: input.level,
    };
    let open = |c: &Crease| if is_folded(c) { Crease { stiffness: 0.0, rest_angle: 0.0, ..*c } } else { *c };
    let flat = (entry.build)(&part(input.creases.iter().map(open).collect()))?;
    let folded = part(input.creases.iter().filter(|c| is_folded(c)).copied().collect());
    let table = table::Table::new(&folded, &patch::Patch::new(&folded)?).creases_alone();
    Ok(Bending { folds: Some(Box::new(angular::Angular::new(table, input.material)?)), ..flat })
}

impl Input<'_> {
    /// Whether a triangle is made of the material.
    fn owns(&self, triangle: usize) -> bool {
        self.own.is_none_or(|own| own[triangle])
    }
}

fn build_none(input: &Input) -> Result<Bending, BendingError> {
    let force = angular::Angular::new(table::Table::default(), input.material)?;
    Ok(Bending { force: Box::new(force), folds: None, nodes: Vec::new() })
}

fn check(input: &Input) -> Result<(), BendingError> {
    let (edges, triangles) = (&input.topology.edges, input.mesh.triangles.len());
    let length = |what, expected, found| BendingError::Length { what, expected, found };
    if input.mesh.material.len() != triangles {
        return Err(length("sets of material coordinates", triangles, input.mesh.material.len()));
    }
    if input.topology.triangle_edges.len() != triangles {
        return Err(length("triangles of the topology", triangles, input.topology.triangle_edges.len()));
    }
    if let Some(index) = (0..triangles).find(|&t| !input.mesh.rest_area(t).is_normal() || input.mesh.rest_area(t) < 0.0)
    {
        return Err(BendingError::Value { what: "rest area", index, value: input.mesh.rest_area(index) });
    }
    if let Some(own) = input.own.filter(|own| own.len() != triangles) {
        return Err(length("marks of triangles", triangles, own.len()));
    }
    let rest = &input.rest;
    if !rest.angles.is_empty() && rest.angles.len() != edges.len() {
        return Err(length("rest angles", edges.len(), rest.angles.len()));
    }
    if !rest.curvature.is_empty() && rest.curvature.len() != triangles {
        return Err(length("rest curvatures", triangles, rest.curvature.len()));
    }
    let factors = &input.factors;
    if !factors.is_empty() && factors.len() != triangles {
        return Err(length("factors of rigidity", triangles, factors.len()));
    }
    if let Some((index, &value)) = factors.iter().enumerate().find(|(_, f)| !(f.is_finite() && **f > 0.0)) {
        return Err(BendingError::Value { what: "factor of rigidity", index, value });
    }
    if let Some((index, &value)) = rest.angles.iter().enumerate().find(|(_, a)| !a.is_finite()) {
        return Err(BendingError::Value { what: "rest angle", index, value });
    }
    if let Some((k, &value)) = rest.curvature.iter().flatten().enumerate().find(|(_, a)| !a.is_finite()) {
        return Err(BendingError::Value { what: "rest curvature", index: k / 3, value });
    }
    check_lines(input)
}

fn check_lines(input: &Input) -> Result<(), BendingError> {
    let boundary = |edge: u32| input.topology.edges.get(edge as usize).map(|e| e.triangles[1] == Topology::NONE);
    let clamps = input.clamps.iter().map(|c| ("clamp", c.edge, true));
    let creases = input.creases.iter().map(|c| ("crease", c.edge, false));
    for (index, (what, edge, wanted)) in clamps.chain(creases).enumerate() {
        let index = if what == "clamp" { index } else { index - input.clamps.len() };
        let reason = match boundary(edge) {
            None => "does not exist",
            Some(false) if wanted => "is not on the boundary",
            Some(true) if !wanted => "is on the boundary",
            Some(_) => continue,
        };
        return Err(BendingError::Edge { what, index, edge, reason });
    }
    for (index, c) in input.creases.iter().enumerate() {
        if c.stiffness.is_nan() || c.stiffness < 0.0 {
            return Err(BendingError::Value { what: "stiffness of crease", index, value: c.stiffness });
        }
        if !c.rest_angle.is_finite() {
            return Err(BendingError::Value { what: "rest angle of crease", index, value: c.rest_angle });
        }
    }
    Ok(())
}
