//! The pattern as it lies on the fabric: texture coordinates, cutting sheet, and maps on it.

use super::{DressError, Figures, Inputs, MODES, Piece};
use crate::plot::{self, HeatMap, Picture};
use crate::results::rounded_up;
use glam::DVec2;
use std::ops::Range;
use toile_core::mesh::Mesh;
use toile_garment::cloth::Cloth;
use toile_garment::pattern::Garment;
use toile_io::garment::sheet::{self, Sheet, SheetError};
use toile_io::surface::{Part, Surface};

/// Pixels of the map of the largest strain.
const SIZE: [u32; 2] = [1600, 1100];
/// Maps in a row of the sheet, and the pixels of each.
const COLUMNS: usize = 3;
const EACH: [u32; 2] = [720, 520];

/// A sheet as wide as the widest panel asks for.
pub(super) fn sheet(garment: &Garment, wanted: Sheet) -> Result<Sheet, SheetError> {
    let mut sheet = wanted;
    loop {
        match sheet::layout(garment, &sheet) {
            Ok(_) => return Ok(sheet),
            // The next one to complain is wider: this ends after the widest.
            Err(SheetError::TooWide { width, .. }) => sheet.fabric_width = (100.0 * width).ceil() / 100.0,
            Err(error) => return Err(error),
        }
    }
}

/// A garment as files and pictures have it.
pub(super) struct Worn {
    /// Panels one after the other as parts, their material coordinates side by side.
    pub(super) surface: Surface,
    /// Number in the cloth of each triangle.
    pub(super) order: Vec<usize>,
}

/// The garment as a surface: along the grain a panel keeps its directions, only its place on the sheet is its own.
pub(super) fn worn(inputs: &Inputs, cloth: &Cloth) -> Result<Worn, SheetError> {
    let garment = &inputs.garment;
    let colour = inputs.pieces.first().map_or([0.5; 3], |p| p.colour);
    let bare = sheet(garment, Sheet { allowance: 0.0, hem_allowance: 0.0, ..Sheet::default() })?;
    let (laid, length) = sheet::layout(garment, &bare)?;
    let mut order: Vec<usize> = (0..cloth.panels.len()).collect();
    order.sort_by_key(|t| cloth.panels[*t]);
    let mut mesh = Mesh { positions: cloth.mesh.positions.clone(), ..Mesh::default() };
    let mut parts = Vec::new();
    for (p, panel) in garment.panels.iter().enumerate() {
        let own = order.iter().filter(|t| cloth.panels[**t] as usize == p);
        let corners = own.clone().flat_map(|t| cloth.mesh.material[*t]);
        let low = corners.fold(DVec2::INFINITY, DVec2::min);
        let place = laid.iter().find(|l| l.panel == p);
        // Sheets count downwards, textures upwards.
        let corner = place.map_or(DVec2::ZERO, |l| DVec2::new(l.corner[0], length - l.corner[1] - l.size[1]));
        let first = mesh.triangles.len();
        for &t in own {
            mesh.triangles.push(cloth.mesh.triangles[t]);
            mesh.material.push(cloth.mesh.material[t].map(|m| m - low + corner));
        }
        parts.push(Part { name: panel.name.clone(), triangles: first..mesh.triangles.len() });
    }
    Ok(Worn { surface: Surface { name: garment.name.clone(), mesh, parts, colour }, order })
}

impl Worn {
    /// Triangles of one garment of it.
    pub(super) fn triangles(&self, piece: &Piece) -> Range<usize> {
        let own = &self.surface.parts[piece.panels.clone()];
        own.first().map_or(0, |p| p.triangles.start)..own.last().map_or(0, |p| p.triangles.end)
    }

    /// Garment by garment, each in its colour.
    pub(super) fn pieces(&self, inputs: &Inputs) -> Vec<Surface> {
        inputs.pieces.iter().map(|p| self.piece(p)).collect()
    }

    /// One garment of it.
    fn piece(&self, piece: &Piece) -> Surface {
        let triangles = self.triangles(piece);
        let Mesh { positions, triangles: all, material } = &self.surface.mesh;
        let mesh = Mesh {
            positions: positions.clone(),
            triangles: all[triangles.clone()].to_vec(),
            material: material[triangles].to_vec(),
        };
        Surface { name: piece.garment.name.clone(), mesh, parts: Vec::new(), colour: piece.colour }
    }
}

/// Maps of strain and tension on the flat pattern: names and bytes (PNG).
pub(super) fn maps(worn: &Worn, figures: &Figures) -> Result<Vec<(&'static str, Vec<u8>)>, DressError> {
    let strain = |mode: usize| {
        let title = format!("{}: {} strain on the pattern", worn.surface.name, MODES[mode]);
        let values = worn.order.iter().map(|t| 100.0 * figures.strain_of(*t)[mode]).collect();
        map(worn, title, "strain (%)", values, 100.0 * figures.strain[mode].p99)
    };
    let tension = |mode: usize| {
        let title = format!("{}: {} tension on the pattern", worn.surface.name, MODES[mode]);
        let values = worn.order.iter().map(|t| figures.tension_of(*t)[mode]).collect();
        map(worn, title, "tension (N/m)", values, figures.tension[mode].p99)
    };
    let sheet = [strain(0), strain(1), strain(3), tension(0), tension(1), tension(4)];
    Ok(vec![
        ("strain_flat.png", Picture::from(strain(4)).png(SIZE[0], SIZE[1])?),
        ("maps_flat.png", plot::sheet(&sheet, COLUMNS, EACH)?),
    ])
}

/// A map from none to the value that one per cent exceeds, rounded up.
fn map(worn: &Worn, title: String, label: &str, values: Vec<f64>, high: f64) -> HeatMap {
    HeatMap {
        title,
        label: label.into(),
        triangles: worn.surface.mesh.material.iter().map(|t| t.map(|p| p.to_array())).collect(),
        values,
        range: Some([0.0, rounded_up(high)]),
    }
}
