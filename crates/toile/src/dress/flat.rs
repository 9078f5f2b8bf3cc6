//! The pattern as it lies on the fabric: texture coordinates, cutting sheet, and maps on it.

use super::{DressError, Figures, Inputs, Piece};
use crate::plot::{HeatMap, Picture};
use crate::results::rounded_up;
use glam::DVec2;
use toile_core::mesh::Mesh;
use toile_garment::cloth::Cloth;
use toile_garment::pattern::Garment;
use toile_io::garment::sheet::{self, Sheet, SheetError};
use toile_io::surface::{Part, Surface};

/// Pixels of the map.
const SIZE: [u32; 2] = [1600, 1100];

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
    /// One garment of it, in its colour.
    pub(super) fn piece(&self, piece: &Piece) -> Surface {
        let own =
            |list: &[Part]| list.first().map_or(0, |p| p.triangles.start)..list.last().map_or(0, |p| p.triangles.end);
        let triangles = own(&self.surface.parts[piece.panels.clone()]);
        let Mesh { positions, triangles: all, material } = &self.surface.mesh;
        let mesh = Mesh {
            positions: positions.clone(),
            triangles: all[triangles.clone()].to_vec(),
            material: material[triangles].to_vec(),
        };
        Surface { name: piece.garment.name.clone(), mesh, parts: Vec::new(), colour: piece.colour }
    }
}

/// Largest principal strain on the flat pattern, as a PNG.
pub(super) fn map(worn: &Worn, figures: &Figures) -> Result<Vec<u8>, DressError> {
    let values: Vec<f64> = worn.order.iter().map(|t| 100.0 * principal(figures.strains[*t])).collect();
    let mut sorted = values.clone();
    sorted.sort_by(f64::total_cmp);
    let high = sorted.get(sorted.len() * 99 / 100).copied().unwrap_or(1.0);
    let map = HeatMap {
        title: format!("{}: largest strain on the pattern", worn.surface.name),
        label: "strain (%)".into(),
        triangles: worn.surface.mesh.material.iter().map(|t| t.map(|p| p.to_array())).collect(),
        values,
        range: Some([0.0, rounded_up(high)]),
    };
    Ok(Picture::from(map).png(SIZE[0], SIZE[1])?)
}

/// Larger principal value of a Green strain; its shear is twice the tensor's.
fn principal([uu, vv, uv]: [f64; 3]) -> f64 {
    0.5 * (uu + vv) + (0.5 * (uu - vv)).hypot(0.5 * uv)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn principal_strain_does_not_depend_on_the_axes() {
        // Ten per cent along the bias: the same as along weft.
        assert!((principal([0.1, 0.0, 0.0]) - 0.1).abs() < 1e-15);
        assert!((principal([0.05, 0.05, 0.1]) - 0.1).abs() < 1e-15);
        assert!((principal([-0.02, -0.01, 0.0]) + 0.01).abs() < 1e-15);
    }
}
