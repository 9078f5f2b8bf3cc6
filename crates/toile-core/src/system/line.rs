//! Lines on a sheet: piping, tape, elastic, fold lines. A chain of mesh edges that pulls by itself, folds by itself, or both.

use super::BuildError;
use crate::bending::Crease;
use crate::fabric::Material;
use crate::force::Force;
use crate::lane::Level;
use crate::law::Linear;
use crate::membrane::{Spring, Springs};
use crate::mesh::{Mesh, Topology};

/// A chain of vertices, each joined to the next by a mesh edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Name for messages.
    pub name: String,
    /// Vertices in order.
    pub vertices: Vec<u32>,
    /// Force per strain along the line (N); 0 for a line that does not pull.
    pub stiffness: f64,
    /// Rest length over the length in the flat pattern: below 1 for elastic.
    pub rest_ratio: f64,
    /// Rigidity (N·m per m and rad) and rest angle (rad) of a fold along the line.
    pub fold: Option<(f64, f64)>,
}

/// The spring force of a line, where it pulls, and the creases of its fold.
pub(super) type Made = (Option<Box<dyn Force>>, Vec<Crease>);

impl Line {
    /// The spring force of the line, and the creases of its fold.
    pub(super) fn make(&self, mesh: &Mesh, topology: &Topology, level: Level) -> Result<Made, BuildError> {
        let bad = |reason: &'static str| BuildError::Line { line: self.name.clone(), reason };
        if !(self.rest_ratio > 0.0 && self.rest_ratio.is_finite()) {
            return Err(bad("the rest ratio must be positive"));
        }
        if !(self.stiffness >= 0.0 && self.stiffness.is_finite()) {
            return Err(bad("the stiffness must be 0 or more"));
        }
        let mut edges = Vec::new();
        for pair in self.vertices.windows(2) {
            let ends = [pair[0].min(pair[1]), pair[0].max(pair[1])];
            // Edges are sorted by their ends.
            let found = topology
                .edges
                .binary_search_by_key(&ends, |e| [e.vertices[0].min(e.vertices[1]), e.vertices[0].max(e.vertices[1])]);
            edges.push(found.map_err(|_| bad("two of its vertices in a row are not joined by a mesh edge"))?);
        }
        if edges.is_empty() {
            return Err(bad("it needs at least two vertices"));
        }
        let springs = edges.iter().map(|&e| {
            let length = self.rest_ratio * flat_length(mesh, topology, e);
            Spring::of_line(topology.edges[e].vertices, length)
        });
        let force: Option<Box<dyn Force>> = if self.stiffness > 0.0 {
            let law = Linear::orthotropic(self.stiffness, self.stiffness, self.stiffness, 0.0)
                .map_err(|_| bad("the stiffness must be positive"))?;
            let material = Material::elastic(law.clone());
            let springs = Springs::new("line", mesh.vertex_count(), springs.collect(), law, &material, level);
            Some(Box::new(springs.map_err(|_| bad("it cannot have memory"))?))
        } else {
            None
        };
        let crease =
            |&e: &usize| self.fold.map(|(stiffness, rest_angle)| Crease { edge: e as u32, stiffness, rest_angle });
        Ok((force, edges.iter().filter_map(crease).collect()))
    }
}

/// Length of an edge in the flat pattern (m).
fn flat_length(mesh: &Mesh, topology: &Topology, edge: usize) -> f64 {
    let e = &topology.edges[edge];
    let t = e.triangles[0] as usize;
    let place = |v: u32| {
        let k = mesh.triangles[t].iter().position(|&c| c == v).expect("edge of its triangle");
        mesh.material[t][k]
    };
    place(e.vertices[0]).distance(place(e.vertices[1]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::Fabric;
    use crate::integrate::{StaticOptions, relax};
    use crate::mesh::{Diagonal, Grid};
    use crate::system::Builder;
    use glam::DVec3;

    /// An elastic tape sewn on a strip draws it together until both pull alike: the strip of stiffness Y w and the tape of
    /// stiffness k at rest ratio ρ meet where Y w λ(λ²−1)/2 + k(λ/ρ − 1) = 0 along the whole strip.
    #[test]
    fn tape_gathers_a_strip_to_the_balance_of_both() {
        let grid = Grid { cells: [20, 1], size: [0.2, 0.01], diagonal: Diagonal::One };
        let mesh = grid.mesh();
        let (modulus, k, ratio) = (500.0, 30.0, 0.9);
        let fabric = Fabric::isotropic(modulus, 0.0, 1e-4, 0.1).unwrap();
        // Both long edges, so that the strip stays straight; held in its plane and line.
        let tape = |row: usize| Line {
            name: "tape".into(),
            vertices: (0..=20).map(|i| grid.vertex(i, row)).collect(),
            stiffness: 0.5 * k,
            rest_ratio: ratio,
            fold: None,
        };
        let all: Vec<u32> = (0..mesh.vertex_count() as u32).collect();
        let start = mesh.vertices_where(|p| p.x == 0.0);
        let system = Builder::new(&mesh, &fabric)
            .gravity(DVec3::ZERO)
            .grip("plane", all, [false, true, true])
            .grip("start", start, [true, false, false])
            .line(tape(0))
            .line(tape(1))
            .build()
            .unwrap();
        let mut state = system.initial_state();
        assert!(relax(&system, &mut state, &StaticOptions::default(), None).unwrap().converged);
        let stretch = state.positions[20].x / 0.2;
        // Tension of the strip per its law, and of the tape: strain λ/ρ − 1, force per strain k.
        let balance = modulus * 0.01 * 0.5 * stretch * (stretch * stretch - 1.0) + k * (stretch / ratio - 1.0);
        assert!(balance.abs() < 1e-9 * k, "stretch {stretch}, balance {balance}");
        assert!(stretch < 1.0 && stretch > ratio);
    }

    #[test]
    fn lines_off_the_mesh_are_refused() {
        let grid = Grid { cells: [3, 3], size: [0.3, 0.3], diagonal: Diagonal::One };
        let (mesh, fabric) = (grid.mesh(), Fabric::isotropic(100.0, 0.0, 1e-5, 0.1).unwrap());
        let line = |vertices| Line { name: "l".into(), vertices, stiffness: 1.0, rest_ratio: 1.0, fold: None };
        for vertices in [vec![0, 15], vec![3], vec![]] {
            assert!(matches!(Builder::new(&mesh, &fabric).line(line(vertices)).build(), Err(BuildError::Line { .. })));
        }
        let broken = Line { rest_ratio: f64::NAN, ..line(vec![0, 1]) };
        assert!(Builder::new(&mesh, &fabric).line(broken).build().is_err());
    }
}
