//! A sheet with a bending model, dense matrices, and a small Newton solver: test equipment.

use glam::{DVec2, DVec3};
use std::sync::Arc;
use toile_core::bending::{self, BendingError, Clamp, Crease, Input, Rest};
use toile_core::fabric::Material;
use toile_core::force::{Force, Moment, Projection, Rate, Target};
use toile_core::linalg::{BlockMatrix, Pattern};
use toile_core::mesh::{Mesh, Topology};

/// What a sheet is built with, beside its mesh and material.
#[derive(Clone, Default)]
pub(crate) struct Setup {
    pub(crate) rest: Rest,
    pub(crate) creases: Vec<Crease>,
    /// Rigidity by triangle over that of the material.
    pub(crate) factors: Vec<f64>,
    /// Boundary edges to clamp, with the normal of the clamp.
    pub(crate) clamps: Vec<(u32, DVec3)>,
}

/// A force with its nodes: vertices, directors, auxiliary unknowns.
pub(crate) struct Rig {
    pub(crate) force: Box<dyn Force>,
    pub(crate) positions: Vec<DVec3>,
    pub(crate) velocities: Vec<DVec3>,
    pub(crate) memory: Vec<f64>,
    pub(crate) rate: Rate,
    pub(crate) elapsed: f64,
    /// Number of mesh vertices; directors follow, then auxiliary nodes from `auxiliary`.
    pub(crate) vertices: usize,
    pub(crate) auxiliary: usize,
    pattern: Arc<Pattern>,
}

impl Rig {
    pub(crate) fn new(model: &str, mesh: &Mesh, material: &Material, setup: &Setup) -> Result<Self, BendingError> {
        let topology = Topology::new(mesh).unwrap();
        let mut positions = mesh.positions.clone();
        let mut clamps = Vec::new();
        for &(edge, normal) in &setup.clamps {
            clamps.push(Clamp { edge, director: positions.len() as u32 });
            positions.push(normal);
        }
        let auxiliary = positions.len();
        let input = Input {
            mesh,
            topology: &topology,
            material,
            own: None,
            rest: setup.rest.clone(),
            clamps,
            creases: setup.creases.clone(),
            factors: setup.factors.clone(),
            first_node: auxiliary as u32,
            level: toile_core::lane::Level::detect(),
        };
        let mut built = bending::build(model, &input)?;
        positions.extend(built.nodes.iter().map(|n| n.position));
        let count = positions.len();
        let pattern = Arc::new(Pattern::from_stencils(count, |visit| built.force.stencils(visit)));
        built.force.bind(&pattern);
        Ok(Self {
            memory: vec![0.0; built.force.memory_len()],
            velocities: vec![DVec3::ZERO; count],
            force: built.force,
            positions,
            rate: Rate::Since { per_second: 0.0 },
            elapsed: 0.0,
            vertices: mesh.vertex_count(),
            auxiliary,
            pattern,
        })
    }

    pub(crate) fn moment<'a>(&'a self, positions: &'a [DVec3]) -> Moment<'a> {
        Moment { positions, velocities: &self.velocities, time: 0.0, elapsed: self.elapsed, rate: self.rate }
    }

    pub(crate) fn energy(&self) -> f64 {
        self.force.energy(&self.moment(&self.positions), &self.memory)
    }

    pub(crate) fn potential(&self, positions: &[DVec3]) -> f64 {
        self.force.potential(&self.moment(positions), &self.memory)
    }

    pub(crate) fn forces(&self, positions: &[DVec3]) -> Vec<DVec3> {
        let mut forces = vec![DVec3::ZERO; positions.len()];
        self.force.add_forces(&self.moment(positions), &self.memory, &mut forces);
        forces
    }

    /// Forces and Jacobian from the joint sweep, the Jacobian dense and with its scalar part.
    pub(crate) fn jacobian(&self, positions: &[DVec3], projection: Projection) -> (Vec<DVec3>, Dense) {
        let mut matrix = BlockMatrix::<f64>::zero(self.pattern.clone());
        let mut forces = vec![DVec3::ZERO; positions.len()];
        let at = self.moment(positions);
        let mut target = Target::Double(&mut matrix);
        self.force.add_forces_and_jacobian(&at, &self.memory, projection, &mut forces, &mut target);
        let mut dense = Dense::from_blocks(&matrix);
        for (i, j, value) in self.force.scalar_part() {
            let (i, j) = (i as usize, j as usize);
            for c in 0..3 {
                dense.add(3 * i + c, 3 * j + c, value);
                if i != j {
                    dense.add(3 * j + c, 3 * i + c, value);
                }
            }
        }
        (forces, dense)
    }

    /// Bits of the forces and of the single-precision Jacobian.
    pub(crate) fn blocks(&self, positions: &[DVec3]) -> (Vec<u64>, Vec<u32>) {
        let mut matrix = BlockMatrix::<f32>::zero(self.pattern.clone());
        let mut forces = vec![DVec3::ZERO; positions.len()];
        let mut target = Target::Single(&mut matrix);
        let at = self.moment(positions);
        self.force.add_forces_and_jacobian(&at, &self.memory, Projection::Exact, &mut forces, &mut target);
        let bits = forces.iter().flat_map(|f| f.to_array()).map(f64::to_bits).collect();
        (bits, matrix.diagonal.iter().chain(&matrix.lower).flatten().map(|v| v.to_bits()).collect())
    }

    /// Moves vertices to a surface; directors take its normals at the middles of their edges.
    pub(crate) fn bend(&mut self, mesh: &Mesh, setup: &Setup, surface: impl Fn(DVec2) -> (DVec3, DVec3)) {
        let topology = Topology::new(mesh).unwrap();
        for i in 0..self.vertices {
            let p = mesh.positions[i];
            self.positions[i] = surface(DVec2::new(p.x, -p.z)).0;
        }
        for (k, (edge, _)) in setup.clamps.iter().enumerate() {
            let [a, b] = topology.edges[*edge as usize].vertices.map(|v| mesh.positions[v as usize]);
            let m = 0.5 * (a + b);
            self.positions[self.vertices + k] = surface(DVec2::new(m.x, -m.z)).1;
        }
    }

    /// Lets the auxiliary unknowns find their equilibrium with everything else held.
    pub(crate) fn relax_auxiliary(&mut self) {
        let dofs: Vec<usize> = (self.auxiliary..self.positions.len()).map(|i| 3 * i).collect();
        for _ in 0..if dofs.is_empty() { 0 } else { 3 } {
            let (forces, dense) = self.jacobian(&self.positions, Projection::None);
            let right: Vec<f64> = dofs.iter().map(|&d| forces[d / 3].x).collect();
            let step = dense.part(&dofs).cholesky().expect("definite in the slopes").solve(&right);
            for (&d, s) in dofs.iter().zip(step) {
                self.positions[d / 3].x += s;
            }
        }
    }
}

/// Boundary edges whose middle satisfies a condition, with the upward normal.
pub(crate) fn boundary(mesh: &Mesh, condition: impl Fn(DVec3) -> bool) -> Vec<(u32, DVec3)> {
    let topology = Topology::new(mesh).unwrap();
    let middle = |e: usize| {
        let [a, b] = topology.edges[e].vertices.map(|v| mesh.positions[v as usize]);
        0.5 * (a + b)
    };
    let wanted = |e: &usize| topology.edges[*e].triangles[1] == Topology::NONE && condition(middle(*e));
    (0..topology.edges.len()).filter(wanted).map(|e| (e as u32, DVec3::Y)).collect()
}

/// Interior edges with both ends satisfying a condition.
pub(crate) fn interior(mesh: &Mesh, condition: impl Fn(DVec3) -> bool) -> Vec<u32> {
    let topology = Topology::new(mesh).unwrap();
    let wanted = |e: &usize| {
        let edge = &topology.edges[*e];
        edge.triangles[1] != Topology::NONE && edge.vertices.iter().all(|&v| condition(mesh.positions[v as usize]))
    };
    (0..topology.edges.len()).filter(wanted).map(|e| e as u32).collect()
}

/// A dense symmetric matrix.
#[derive(Clone)]
pub(crate) struct Dense {
    pub(crate) n: usize,
    pub(crate) a: Vec<f64>,
}

impl Dense {
    pub(crate) fn zero(n: usize) -> Self {
        Self { n, a: vec![0.0; n * n] }
    }

    pub(crate) fn at(&self, i: usize, j: usize) -> f64 {
        self.a[i * self.n + j]
    }

    pub(crate) fn add(&mut self, i: usize, j: usize, value: f64) {
        self.a[i * self.n + j] += value;
    }

    fn from_blocks(matrix: &BlockMatrix<f64>) -> Self {
        let count = matrix.pattern.len();
        let mut dense = Self::zero(3 * count);
        for i in 0..count {
            for k in 0..9 {
                dense.add(3 * i + k / 3, 3 * i + k % 3, matrix.diagonal[i][k]);
            }
            for slot in matrix.pattern.row(i) {
                let j = matrix.pattern.columns[slot] as usize;
                for k in 0..9 {
                    let (r, c) = (3 * i + k / 3, 3 * j + k % 3);
                    dense.add(r, c, matrix.lower[slot][k]);
                    dense.add(c, r, matrix.lower[slot][k]);
                }
            }
        }
        dense
    }

    pub(crate) fn largest(&self) -> f64 {
        self.a.iter().fold(0.0, |a, b| a.max(b.abs()))
    }

    /// Rows and columns of the given unknowns.
    pub(crate) fn part(&self, dofs: &[usize]) -> Self {
        let a = dofs.iter().flat_map(|&i| dofs.iter().map(move |&j| self.at(i, j))).collect();
        Self { n: dofs.len(), a }
    }

    /// LLᵀ, or nothing when a pivot is not positive. Zeros before the first entry of a row stay zero and are skipped.
    pub(crate) fn cholesky(mut self) -> Option<Self> {
        let n = self.n;
        let first: Vec<usize> = (0..n).map(|i| (0..i).find(|&j| self.at(i, j) != 0.0).unwrap_or(i)).collect();
        for i in 0..n {
            for j in first[i]..=i {
                let (ri, rj, start) = (i * n, j * n, first[i].max(first[j]).min(j));
                let (left, right) = (&self.a[ri + start..ri + j], &self.a[rj + start..rj + j]);
                let known: f64 = left.iter().zip(right).map(|(x, y)| x * y).sum();
                let value = self.a[ri + j] - known;
                if i == j {
                    if value.is_nan() || value <= 0.0 {
                        return None;
                    }
                    self.a[ri + j] = value.sqrt();
                } else {
                    self.a[ri + j] = value / self.a[rj + j];
                }
            }
        }
        Some(self)
    }

    /// Solves with the factor that `cholesky` left.
    pub(crate) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let n = self.n;
        let mut x = right.to_vec();
        for i in 0..n {
            let known: f64 = (0..i).map(|j| self.at(i, j) * x[j]).sum();
            x[i] = (x[i] - known) / self.at(i, i);
        }
        for i in (0..n).rev() {
            x[i] /= self.at(i, i);
            for j in 0..i {
                x[j] -= self.at(i, j) * x[i];
            }
        }
        x
    }
}
