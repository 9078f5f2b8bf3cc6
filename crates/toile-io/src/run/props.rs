//! What stands in the way of the cloths of a run, as it is drawn and exported.

use super::{Arrays, Frame, Wardrobe};
use crate::formats::ExportError;
use crate::formats::npz::{self, Array, Data};
use crate::problem::Problem;
use crate::surface::Surface;
use glam::{DVec2, DVec3};
use std::path::Path;
use toile_core::mesh::Mesh;

/// The obstacles of a run as surfaces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Props {
    /// Each at its start; without material coordinates.
    pub surfaces: Vec<Surface>,
    /// Whether it moves: then its vertices are in every frame.
    pub is_moving: Vec<bool>,
    /// Whether it is a piece cut out of something without end: pictures need not show all of it.
    pub is_endless: Vec<bool>,
    /// Height of the floor of the scene (m), for pictures; it is no surface of its own there.
    pub floor: Option<f64>,
}

impl Props {
    /// Writes them.
    pub fn write(&self, path: &Path) -> Result<(), ExportError> {
        let flat = |s: &Surface| Mesh { material: vec![[DVec2::ZERO; 3]; s.mesh.triangles.len()], ..s.mesh.clone() };
        let surfaces = self.surfaces.iter().map(|s| Surface { mesh: flat(s), ..s.clone() }).collect();
        let flags = |list: &[bool]| Array::new(vec![list.len()], Data::U8(list.iter().map(|f| u8::from(*f)).collect()));
        let mut arrays = Wardrobe { surfaces }.arrays();
        arrays.push(("is_moving", flags(&self.is_moving)));
        arrays.push(("is_endless", flags(&self.is_endless)));
        arrays.push(("floor", Array::new(vec![1], Data::F64(vec![self.floor.unwrap_or(f64::NAN)]))));
        npz::write(path, &arrays)
    }

    /// Reads them back; nothing where there is no such file.
    pub fn read(path: &Path) -> Result<Self, Vec<Problem>> {
        if !path.exists() {
            return Ok(Self::default());
        }
        let mut arrays = Arrays::open(path)?;
        let (is_moving, is_endless) = (arrays.bytes("is_moving")?, arrays.bytes("is_endless")?);
        let floor = Some(arrays.number("floor")?).filter(|f| !f.is_nan());
        // No names at all read as one that is empty.
        let mut surfaces = if is_moving.is_empty() { Vec::new() } else { Wardrobe::from_arrays(&mut arrays)?.surfaces };
        if is_moving.len() != surfaces.len() || is_endless.len() != surfaces.len() {
            return Err(arrays.fault("is_moving", "the arrays do not fit each other"));
        }
        surfaces.iter_mut().for_each(|s| s.mesh.material.clear());
        let flags = |list: Vec<u8>| list.into_iter().map(|f| f != 0).collect();
        Ok(Self { surfaces, is_moving: flags(is_moving), is_endless: flags(is_endless), floor })
    }

    /// Vertices of every obstacle in a frame; at the start where the frame does not say.
    pub fn positions(&self, frame: &Frame) -> Vec<Vec<DVec3>> {
        let mut first = 0;
        let mut all = Vec::new();
        for (surface, is_moving) in self.surfaces.iter().zip(&self.is_moving) {
            let rest = &surface.mesh.positions;
            let moved = is_moving.then(|| frame.obstacles.get(first..first + rest.len())).flatten();
            first += if *is_moving { rest.len() } else { 0 };
            all.push(moved.unwrap_or(rest).to_vec());
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Obstacles come back as they were, and frames move those that move and no others.
    #[test]
    fn obstacles_come_back_and_move() {
        let mesh = |x: f64| Mesh {
            positions: vec![DVec3::new(x, 0.0, 0.0), DVec3::new(x, 1.0, 0.0), DVec3::new(x, 0.0, 1.0)],
            triangles: vec![[0, 1, 2]],
            material: Vec::new(),
        };
        let surface = |name: &str, x: f64| Surface { name: name.into(), mesh: mesh(x), ..Surface::default() };
        let props = Props {
            surfaces: vec![surface("still", 0.0), surface("moving", 5.0)],
            is_moving: vec![false, true],
            is_endless: vec![true, false],
            floor: Some(-1.5),
        };
        let folder = std::env::temp_dir().join(format!("toile-props-{}", std::process::id()));
        let path = folder.join("obstacles.npz");
        for one in [props.clone(), Props { floor: Some(0.0), ..Props::default() }] {
            one.write(&path).unwrap();
            assert_eq!(Props::read(&path).unwrap(), one);
        }
        std::fs::remove_dir_all(folder).unwrap();
        assert_eq!(Props::read(&path).unwrap(), Props::default());
        let frame = Frame { obstacles: vec![DVec3::ONE; 3], ..Frame::default() };
        assert_eq!(props.positions(&frame), vec![mesh(0.0).positions, vec![DVec3::ONE; 3]]);
        assert_eq!(props.positions(&Frame::default())[1], mesh(5.0).positions);
    }
}
