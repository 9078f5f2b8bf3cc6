//! Flat shapes become meshes, and meshes are placed.

use super::file::{Cloth, Lay, Line, MeshKind, Place, Shape, Unit, Up};
use super::gather::{At, Gathered, beside};
use glam::{DQuat, DVec2, DVec3, EulerRot};
use toile_core::mesh::{Diagonal, Grid, Mesh};
use toile_garment::meshing::{self, Options};

/// Most cells of a structured mesh.
const CELLS: f64 = 1e7;

/// A cloth's mesh with its flat places.
pub(super) struct Panel {
    /// At the start.
    pub(super) mesh: Mesh,
    /// Place of every vertex in the panel (m); empty for imported meshes.
    pub(super) flat: Vec<DVec2>,
    /// Width and height of a rectangle (m).
    pub(super) size: Option<[f64; 2]>,
}

/// Makes and places the mesh of a cloth; problems go to `gathered`.
pub(super) fn panel(cloth: &Cloth, lines: &[Line], at: &At, gathered: &mut Gathered) -> Option<Panel> {
    let inner: Vec<Vec<DVec2>> = lines.iter().filter(|l| !l.points_m.is_empty()).map(|l| points(&l.points_m)).collect();
    let key = at.inside("shape");
    let made = match &cloth.shape {
        Shape::File { file, unit, up, uv_m } => {
            let mesh = imported(file, unit.unwrap_or_default(), up.unwrap_or_default(), *uv_m, &key, gathered)?;
            Panel { mesh, flat: Vec::new(), size: None }
        }
        drawn => match flat_mesh(drawn, inner) {
            Ok(mesh) => {
                // Panel (x, y) lies at (x, 0, −y).
                let flat = mesh.positions.iter().map(|p| DVec2::new(p.x, -p.z)).collect();
                let size = match drawn {
                    Shape::Rectangle { width_m, height_m, .. } => Some([*width_m, *height_m]),
                    _ => None,
                };
                Panel { mesh, flat, size }
            }
            Err(message) => {
                gathered.error(&key, message);
                return None;
            }
        },
    };
    if let Err(error) = made.mesh.check() {
        gathered.error(&key, error.to_string());
        return None;
    }
    let mut made = made;
    put(&mut made.mesh.positions, cloth.place.as_ref());
    Some(made)
}

fn points(list: &[[f64; 2]]) -> Vec<DVec2> {
    list.iter().map(|p| DVec2::from(*p)).collect()
}

fn flat_mesh(shape: &Shape, lines: Vec<Vec<DVec2>>) -> Result<Mesh, String> {
    let options = |edge_mm: &f64, grain: &Option<f64>| Options {
        grain: grain.unwrap_or(0.0).to_radians(),
        ..Options::of_edge(1e-3 * edge_mm)
    };
    let outlined = |outline: Vec<DVec2>, options: &Options| {
        meshing::Shape { outline, lines: lines.clone(), ..meshing::Shape::default() }.mesh(options)
    };
    let made = match shape {
        Shape::Rectangle { width_m, height_m, edge_mm, mesh: Some(MeshKind::Structured), grain_deg } => {
            return grid([*width_m, *height_m], 1e-3 * edge_mm, grain_deg.unwrap_or(0.0));
        }
        Shape::Rectangle { width_m, height_m, edge_mm, grain_deg, .. } => {
            let (w, h) = (*width_m, *height_m);
            outlined(points(&[[0.0, 0.0], [w, 0.0], [w, h], [0.0, h]]), &options(edge_mm, grain_deg))
        }
        Shape::Polygon { points_m, edge_mm, grain_deg } => outlined(points(points_m), &options(edge_mm, grain_deg)),
        Shape::Disc { radius_m, edge_mm, grain_deg } => meshing::disc(*radius_m, &options(edge_mm, grain_deg)),
        Shape::File { .. } => return Err("is a file".into()),
    };
    made.map_err(|e| e.to_string())
}

fn grid(size: [f64; 2], edge: f64, grain_deg: f64) -> Result<Mesh, String> {
    let cells = size.map(|s| (s / edge).round().max(1.0));
    if cells[0] * cells[1] > CELLS {
        return Err(format!("an edge of {edge} m would give {:.1e} cells, limit {CELLS:.0e}", cells[0] * cells[1]));
    }
    let grid = Grid { cells: cells.map(|c| c as usize), size, diagonal: Diagonal::Alternating };
    Ok(grid.mesh().with_grain(grain_deg.to_radians()))
}

fn imported(file: &str, unit: Unit, up: Up, uv_m: Option<f64>, at: &At, gathered: &mut Gathered) -> Option<Mesh> {
    let path = beside(gathered.path(at), file);
    // Read once: what the record of a run hashes is what was used.
    let read = crate::formats::read_file(&path)
        .and_then(|bytes| crate::formats::mesh_from_bytes(&bytes, &path).map(|surface| (surface.mesh, bytes)));
    let mut mesh = match read {
        Ok((mesh, bytes)) => {
            gathered.others.push(super::Source { path, bytes });
            mesh
        }
        Err(problems) => {
            gathered.error(&at.inside("file"), format!("cannot use {}", path.display()));
            gathered.add_problems(problems);
            return None;
        }
    };
    for p in &mut mesh.positions {
        let turned = if up == Up::Z { DVec3::new(p.x, p.z, -p.y) } else { *p };
        *p = unit.metres() * turned;
    }
    if mesh.triangles.is_empty() {
        gathered.error(&at.inside("file"), "the mesh has no triangles");
        return None;
    }
    if mesh.material.len() != mesh.triangles.len() {
        let message = "the mesh has no UVs: export it with the flat pattern as UV map";
        gathered.error(&at.inside("file"), message);
        return None;
    }
    let flat: f64 = mesh.total_rest_area();
    let world: f64 = mesh.triangles.iter().map(|t| area(t.map(|i| mesh.positions[i as usize]))).sum();
    let scale = uv_m.unwrap_or((world / flat.abs()).sqrt());
    if !(scale > 0.0 && scale.is_finite()) {
        gathered.error(&at.inside("file"), "its UVs enclose no area");
        return None;
    }
    // A map that is mirrored as a whole is a pattern seen from behind.
    let mirror = if flat < 0.0 { DVec2::new(-1.0, 1.0) } else { DVec2::ONE };
    mesh.material.iter_mut().flatten().for_each(|c| *c *= scale * mirror);
    Some(mesh)
}

fn area([a, b, c]: [DVec3; 3]) -> f64 {
    0.5 * (b - a).cross(c - a).length()
}

/// Lays, turns and moves a mesh. Imported ones without a place stay where they are.
fn put(positions: &mut [DVec3], place: Option<&Place>) {
    let Some(place) = place else { return };
    if place.lay == Some(Lay::Upright) {
        // Panel y, which lay along −z, goes up; the outside comes to the viewer.
        positions.iter_mut().for_each(|p| *p = DVec3::new(p.x, -p.z, p.y));
    }
    let middle = middle(positions);
    let turn = turn(place.turn_deg);
    let goal = place.position_m.map_or(middle, DVec3::from);
    positions.iter_mut().for_each(|p| *p = goal + turn * (*p - middle));
}

/// Turns about x, then y, then z.
pub(super) fn turn(degrees: Option<[f64; 3]>) -> DQuat {
    let [x, y, z] = degrees.unwrap_or([0.0; 3]).map(f64::to_radians);
    DQuat::from_euler(EulerRot::ZYX, z, y, x)
}

/// Centre of the bounding box.
pub(super) fn middle(positions: &[DVec3]) -> DVec3 {
    let low = positions.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = positions.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    0.5 * (low + high)
}
