//! Between the document and the core's fabric, with the checks that need physics.

use super::file::{Bending, Drag, FabricDocument, Format, Membrane, Quality, Sheet};
use super::law::{BendingLaw, BendingMemory, BendingViscosity, MembraneLaw, MembraneMemory, MembraneViscosity};
use super::plain::{Branch, Plain, Rule, in_file};
use crate::document::Document;
use std::path::{Path, PathBuf};
use toile_core::fabric::{Drag as CoreDrag, Fabric, Material};
use toile_core::law::AnyLaw;

/// The fabric of a document; mistakes and doubts go to the tree.
pub(super) fn fabric(document: &FabricDocument, tree: &mut Document) -> Option<Fabric> {
    let file = tree.path().to_path_buf();
    let membrane = &document.membrane;
    let membrane = material(
        tree,
        &file,
        "membrane",
        membrane.elastic.plain(),
        membrane.viscosity.as_ref().map(MembraneViscosity::plain),
        membrane.hysteresis.iter().map(MembraneMemory::branch).collect(),
    );
    let bending = &document.bending;
    let bending = material(
        tree,
        &file,
        "bending",
        bending.elastic.plain(),
        bending.viscosity.as_ref().map(BendingViscosity::plain),
        bending.hysteresis.iter().map(BendingMemory::branch).collect(),
    );
    if let Some(f) = &document.friction
        && f.kinetic_coefficient > f.static_coefficient
    {
        tree.error("friction.kinetic_coefficient", format!("above the static coefficient {}", f.static_coefficient));
    }
    let (membrane, bending) = (membrane?, bending?);
    doubts(&membrane, &bending, tree);
    let drag = document.drag.as_ref().map_or_else(CoreDrag::default, |d| CoreDrag {
        normal: d.normal_coefficient,
        weft: d.weft_coefficient,
        warp: d.warp_coefficient,
    });
    Some(Fabric {
        name: document.name.clone(),
        density: document.sheet.density_g_per_m2 / 1e3,
        thickness: document.sheet.thickness_mm / 1e3,
        membrane,
        bending,
        drag,
    })
}

/// Builds one material and reports every mistake in it.
fn material(
    tree: &mut Document,
    file: &Path,
    group: &str,
    elastic: Plain,
    viscosity: Option<Plain>,
    memory: Vec<Branch>,
) -> Option<Material> {
    let mut build = |plain: &Plain, name: &str| -> Option<AnyLaw> {
        plain
            .build(file)
            .map_err(|mistakes| {
                for m in mistakes {
                    let dot = if m.key.is_empty() { "" } else { "." };
                    tree.error(&format!("{group}.{name}{dot}{}", m.key), m.message);
                }
            })
            .ok()
    };
    let elastic = build(&elastic, "elastic");
    let viscous = viscosity.map(|plain| build(&plain, "viscosity"));
    check_memory(tree, group, &memory);
    let viscous = match viscous {
        Some(law) => Some(law?),
        None => None,
    };
    Some(Material { elastic: elastic?, viscous, memory })
}

/// Reports branches that no slider or spring can be.
fn check_memory(tree: &mut Document, group: &str, memory: &[Branch]) {
    for (i, branch) in memory.iter().enumerate() {
        let numbers = match &branch.rule {
            Rule::Slider { yield_stress } => *yield_stress,
            Rule::Relaxation { time } => [*time; 3],
        };
        if branch.stiffness.iter().chain(&numbers).any(|x| !x.is_finite()) {
            tree.error(&format!("{group}.hysteresis[{i}]"), "the numbers are too large");
        } else if branch.stiffness == [0.0; 3] {
            tree.warning(&format!("{group}.hysteresis[{i}]"), "every mode is off", "remove it, or give a width");
        }
        let inconsistent = matches!(&branch.rule, Rule::Slider { yield_stress }
            if branch.stiffness.iter().zip(yield_stress).any(|(k, y)| (*k == 0.0) != (*y == 0.0)));
        if inconsistent {
            tree.error(
                &format!("{group}.hysteresis[{i}]"),
                "stiffness and yield must both be zero in a mode, or neither",
            );
        }
    }
}

/// Warnings about laws that are possible but look like mistakes.
fn doubts(membrane: &Material, bending: &Material, tree: &mut Document) {
    let m = membrane.elastic.stiffness();
    let b = bending.elastic.stiffness();
    for (mode, name) in ["weft", "warp"].iter().enumerate() {
        if !(3.0..=2e5).contains(&m[mode]) {
            let message = format!("the {name} starts with {:.3e} N/m, fabrics have 3 to 200 000 N/m", m[mode]);
            tree.warning("membrane.elastic", message, "check the unit of the stress and that strain is not in percent");
        }
        if !(2e-7..=2e-3).contains(&b[mode]) {
            let message = format!("the {name} starts with {:.3e} µN·m, fabrics have 0.2 to 2000 µN·m", b[mode] * 1e6);
            tree.warning("bending.elastic", message, "check the unit of moment and curvature");
        }
    }
    // A woven is ten to a thousand times softer in shear; a sheet stiffer in shear than both its threads is no fabric.
    if m[2] > m[0].max(m[1]) {
        let message = format!("shear starts with {:.3e} N/m, stiffer than weft and warp", m[2]);
        tree.warning("membrane.elastic", message, "shear stress is over engineering shear strain, in radians");
    }
}

/// Why a fabric cannot be written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FromFabricError {
    /// A surface is a fitted potential and keeps no table.
    #[error("a surface law keeps no table: write the document it was read from")]
    Surface,
}

impl FabricDocument {
    /// The document of a fabric, every law written out, with one source and quality for all numbers.
    pub fn from_fabric(fabric: &Fabric, source: &str, quality: Quality) -> Result<Self, FromFabricError> {
        let (m, b) = (&fabric.membrane, &fabric.bending);
        let surface = FromFabricError::Surface;
        let membrane = Membrane {
            elastic: MembraneLaw::from_core(&m.elastic, source, quality).ok_or(surface.clone())?,
            viscosity: written(&m.viscous, |law| MembraneViscosity::from_core(law, source, quality))?,
            hysteresis: m.memory.iter().map(|branch| MembraneMemory::from_core(branch, source, quality)).collect(),
        };
        let bending = Bending {
            elastic: BendingLaw::from_core(&b.elastic, source, quality).ok_or(surface)?,
            viscosity: written(&b.viscous, |law| BendingViscosity::from_core(law, source, quality))?,
            hysteresis: b.memory.iter().map(|branch| BendingMemory::from_core(branch, source, quality)).collect(),
        };
        Ok(Self {
            format: Format::V1,
            name: fabric.name.clone(),
            summary: String::new(),
            composition: None,
            construction: None,
            notes: None,
            sheet: Sheet {
                density_g_per_m2: in_file(fabric.density, 1e3),
                thickness_mm: in_file(fabric.thickness, 1e3),
                source: source.into(),
                quality,
            },
            membrane,
            bending,
            drag: Some(Drag {
                normal_coefficient: fabric.drag.normal,
                weft_coefficient: fabric.drag.weft,
                warp_coefficient: fabric.drag.warp,
                source: source.into(),
                quality,
            }),
            friction: None,
        })
    }

    /// The fabric the mechanics sees, or every problem; `path` finds tables beside the file.
    pub fn fabric(&self, path: &Path) -> Result<Fabric, super::FabricFileError> {
        super::read_str(&self.to_toml(), path).map(|read| read.fabric)
    }

    /// The same with a path that has no neighbours.
    pub fn fabric_alone(&self) -> Result<Fabric, super::FabricFileError> {
        self.fabric(&PathBuf::from("fabric.toml"))
    }
}

/// An optional law in the units of the file.
fn written<T>(law: &Option<AnyLaw>, write: impl Fn(&AnyLaw) -> Option<T>) -> Result<Option<T>, FromFabricError> {
    law.as_ref().map(|law| write(law).ok_or(FromFabricError::Surface)).transpose()
}
