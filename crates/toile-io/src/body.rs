//! Bodies in files: imported from OBJ, PLY and glTF with a look at unit and axis, and written with regions as groups.

use crate::formats;
use crate::problem::Problem;
use crate::scene::{Unit, Up};
use crate::surface::{Clip, Frame, Part, Surface};
use glam::DVec3;
use std::collections::BTreeMap;
use std::path::Path;
use toile_core::mesh::Mesh;
use toile_garment::body::Body;

/// Heights (m) a body may have.
const HEIGHTS: [f64; 2] = [0.5, 2.5];
/// How many times deeper than high a body must be to be taken for lying.
const LYING: f64 = 1.5;
/// Colour of mannequins (sRGB).
const COLOUR: [f32; 3] = [0.80, 0.74, 0.69];

/// How the numbers of a body file are meant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Import {
    /// Unit of its lengths.
    pub unit: Unit,
    /// Axis that points up.
    pub up: Up,
    /// Time (s) of the first animation to take the pose at; none for the pose at rest.
    pub time: Option<f64>,
}

/// Reads a body from OBJ, PLY, GLB or glTF: metres, y up, vertices at the same place joined.
///
/// # Errors
/// If the file cannot be read, or its height cannot be that of a person: with a word on the unit or axis it looks like.
pub fn read(path: &Path, import: &Import) -> Result<Surface, Vec<Problem>> {
    from_bytes(&formats::read_file(path)?, path, import)
}

/// The same from memory; the path names the format.
pub fn from_bytes(bytes: &[u8], path: &Path, import: &Import) -> Result<Surface, Vec<Problem>> {
    let mut surface = match import.time {
        None => formats::mesh_from_bytes(bytes, path)?,
        Some(time) => formats::posed_mesh_from_bytes(bytes, path, time)?,
    };
    let metres = import.unit.metres();
    for p in &mut surface.mesh.positions {
        let upright = if import.up == Up::Z { DVec3::new(p.x, p.z, -p.y) } else { *p };
        *p = metres * upright;
    }
    check(&surface.mesh, path)?;
    Ok(welded(surface))
}

fn check(mesh: &Mesh, path: &Path) -> Result<(), Vec<Problem>> {
    let fault = |message: String| Problem::error(path, (0, 0), "", message);
    if mesh.triangles.is_empty() {
        return Err(vec![fault("the body has no triangles".into())]);
    }
    let low = mesh.positions.iter().copied().fold(DVec3::MAX, DVec3::min);
    let high = mesh.positions.iter().copied().fold(DVec3::MIN, DVec3::max);
    let size = high - low;
    if size.z > LYING * size.y {
        let message = format!("the body is {:.3} m deep and only {:.3} m high", size.z, size.y);
        return Err(vec![fault(message).with_help("it looks like z is up: say so, `up = \"z\"`")]);
    }
    if !(HEIGHTS[0]..=HEIGHTS[1]).contains(&size.y) {
        let message = format!("the body is {:.3} m high, expected {} to {} m", size.y, HEIGHTS[0], HEIGHTS[1]);
        return Err(vec![match looks_like(size.y) {
            Some(unit) => fault(message).with_help(format!("its numbers look like {unit}: name the unit")),
            None => fault(message),
        }]);
    }
    Ok(())
}

/// The unit in which a number would be the height of a person.
fn looks_like(height: f64) -> Option<&'static str> {
    let units = [("cm, `unit = \"cm\"`", 0.01), ("mm, `unit = \"mm\"`", 0.001), ("inches, `unit = \"in\"`", 0.0254)];
    // Grown-ups first: an inch is only guessed where nothing else fits.
    units.into_iter().find(|(_, metres)| (1.2..2.3).contains(&(height * metres))).map(|(name, _)| name)
}

/// Joins vertices at exactly the same place: files split them where textures have seams, and a split body is not closed.
fn welded(mut surface: Surface) -> Surface {
    let mut places: BTreeMap<[u64; 3], u32> = BTreeMap::new();
    let mut positions: Vec<DVec3> = Vec::new();
    let number = |p: &DVec3| {
        // Minus zero is zero.
        let place = (*p + DVec3::ZERO).to_array().map(f64::to_bits);
        *places.entry(place).or_insert_with(|| {
            positions.push(*p);
            positions.len() as u32 - 1
        })
    };
    let numbers: Vec<u32> = surface.mesh.positions.iter().map(number).collect();
    surface.mesh.positions = positions;
    surface.mesh.triangles.iter_mut().for_each(|t| *t = t.map(|v| numbers[v as usize]));
    surface
}

/// A mannequin as a surface, its triangles ordered by region and every region a part.
pub fn surface(name: &str, body: &Body) -> Surface {
    let of_triangle = body.region_of_triangle();
    let mut triangles = Vec::with_capacity(body.triangles.len());
    let mut parts = Vec::new();
    for (region, name) in body.regions.iter().enumerate() {
        let first = triangles.len();
        let own = body.triangles.iter().zip(&of_triangle).filter(|(_, r)| usize::from(**r) == region);
        triangles.extend(own.map(|(t, _)| *t));
        parts.push(Part { name: name.clone(), triangles: first..triangles.len() });
    }
    let mesh = Mesh { positions: body.vertices.clone(), triangles, ..Mesh::default() };
    Surface { name: name.into(), mesh, parts, colour: COLOUR }
}

/// The surface as a clip of one frame, which every writer of [`formats`] takes.
pub fn still(surface: Surface) -> Clip {
    let frame = Frame { time: 0.0, positions: surface.mesh.positions.clone(), fields: Vec::new() };
    Clip { surface, frames: vec![frame] }
}
