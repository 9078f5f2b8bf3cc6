//! Springs along edges: the comparison model, and the lines of a garment (piping, tape, elastic).
//! Source: Provot95 for springs; stiffness so that a sheet has the law's stiffness along each edge.
//!
//! A spring on an edge at angle φ to the weft stands for the area A of a band of fabric: a mesh edge for the triangles
//! beside it, a line for its own cross-section. Its strain is ε·d with d = (cos²φ, sin²φ, 2 cos φ sin φ) and its energy
//! A w(ε d), ε = |x|/l − 1. On a mesh of equilateral triangles A = A₁ + A₂ gives exactly the modulus of the law and, as every
//! such net, a Poisson ratio of ⅓ whatever the law says.

use super::history::History;
use crate::fabric::Material;
use crate::force::{Force, Moment, Projection, Rate, Target};
use crate::lane::{Kernel, Lane, Level};
use crate::law::{AnyLaw, Law};
use crate::linalg::{BlockMatrix, Pattern, Real};
use crate::memory::MemoryError;
use crate::mesh::{Mesh, Topology};
use crate::parallel::{Scatter, Schedule};
use glam::DVec3;
use std::ops::Range;

/// Edges that pull.
pub struct Springs<P = AnyLaw> {
    name: &'static str,
    law: P,
    viscous: Option<AnyLaw>,
    history: History,
    level: Level,
    schedule: Schedule,
    /// In the order of the schedule.
    elements: Vec<Spring>,
}

/// A spring between two nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Ends; sorted by descending number when the block is made.
    pub ends: [u32; 2],
    /// Rest length (m).
    pub length: f64,
    /// Strain of the fabric per strain of the spring.
    pub direction: [f64; 3],
    /// Area of fabric it stands for (m²).
    pub area: f64,
    slot: u32,
    number: u32,
}

impl Spring {
    /// A spring of a line: direction along the weft, `length` at rest, standing for one metre of width.
    pub fn of_line(ends: [u32; 2], length: f64) -> Self {
        Self { ends, length, direction: [1.0, 0.0, 0.0], area: length, slot: 0, number: 0 }
    }
}

impl<P: Law> Springs<P> {
    /// One spring per mesh edge.
    pub fn along_edges(
        mesh: &Mesh,
        topology: &Topology,
        law: P,
        material: &Material,
        level: Level,
    ) -> Result<Self, MemoryError> {
        let springs = topology.edges.iter().map(|edge| {
            let t = edge.triangles[0] as usize;
            let corner = |v: u32| {
                let k = mesh.triangles[t].iter().position(|&c| c == v).expect("edge of its triangle");
                mesh.material[t][k]
            };
            let d = corner(edge.vertices[1]) - corner(edge.vertices[0]);
            let length = d.length();
            let (c, s) = (d.x / length, d.y / length);
            let beside = edge.triangles.iter().filter(|&&t| t != Topology::NONE);
            let area = beside.map(|&t| mesh.rest_area(t as usize)).sum();
            Spring { ends: edge.vertices, length, direction: [c * c, s * s, 2.0 * c * s], area, slot: 0, number: 0 }
        });
        Self::new("membrane", mesh.vertex_count(), springs.collect(), law, material, level)
    }

    /// Any springs, over nodes below `node_count`.
    pub fn new(
        name: &'static str,
        node_count: usize,
        springs: Vec<Spring>,
        law: P,
        material: &Material,
        level: Level,
    ) -> Result<Self, MemoryError> {
        let schedule = Schedule::new(node_count, springs.iter().map(|s| s.ends.as_slice()));
        let elements = schedule.order.iter().map(|&k| {
            let mut spring = springs[k as usize];
            spring.ends.sort_unstable_by_key(|&v| std::cmp::Reverse(v));
            spring.number = k;
            spring
        });
        Ok(Self {
            name,
            law,
            viscous: material.viscous.clone(),
            history: History::new(material)?,
            level,
            elements: elements.collect(),
            schedule,
        })
    }

    fn strain(&self, s: &Spring, positions: &[DVec3]) -> f64 {
        positions[s.ends[0] as usize].distance(positions[s.ends[1] as usize]) / s.length - 1.0
    }

    fn strain_and_rate(&self, s: &Spring, at: &Moment, memory: &[f64]) -> ([f64; 3], [f64; 3]) {
        let e = self.strain(s, at.positions);
        let strain = s.direction.map(|d| e * d);
        let rate = match at.rate {
            Rate::Instant => {
                let [i, j] = s.ends.map(|i| i as usize);
                let along = (at.positions[i] - at.positions[j]).normalize_or_zero();
                let speed = along.dot(at.velocities[i] - at.velocities[j]) / s.length;
                s.direction.map(|d| speed * d)
            }
            Rate::Since { per_second } => {
                let base = self.history.base(memory, s.number as usize);
                std::array::from_fn(|m| per_second * (strain[m] - base[m]))
            }
        };
        (strain, rate)
    }

    /// Tension per width and stiffness of one spring with viscosity and memory: N/m of stress along the edge.
    fn slow_respond(&self, s: &Spring, at: &Moment, memory: &[f64]) -> (f64, f64) {
        let (strain, rate) = self.strain_and_rate(s, at, memory);
        let mut response = self.law.respond(strain);
        if let Some(law) = &self.viscous {
            let viscous = law.respond(rate);
            let weight = if let Rate::Since { per_second } = at.rate { per_second } else { 0.0 };
            for m in 0..3 {
                response.stress[m] += viscous.stress[m];
            }
            for k in 0..6 {
                response.tangent[k] += weight * viscous.tangent[k];
            }
        }
        if self.history.has_branches() {
            let branch = self.history.respond(memory, s.number as usize, strain, at.elapsed);
            for m in 0..3 {
                response.stress[m] += branch.stress[m];
                response.tangent[m] += branch.tangent[m];
            }
        }
        let d = s.direction;
        let column = crate::law::sym_mul(&response.tangent, d);
        ((0..3).map(|m| d[m] * response.stress[m]).sum(), (0..3).map(|m| d[m] * column[m]).sum())
    }

    /// Forces where a place for them is given, the Jacobian if `JACOBIAN`.
    fn sweep<T: Real, const JACOBIAN: bool>(
        &self,
        at: &Moment,
        memory: &[f64],
        projection: Projection,
        forces: Option<&mut [DVec3]>,
        matrix: Option<&mut BlockMatrix<T>>,
    ) {
        let (diagonal, lower) = match matrix {
            Some(m) => (Scatter::new(&mut m.diagonal), Scatter::new(&mut m.lower)),
            None => (Scatter::new(&mut []), Scatter::new(&mut [])),
        };
        let forces = forces.map(Scatter::new);
        self.schedule.run(|range| {
            self.level.dispatch(Sweep::<_, _, JACOBIAN> {
                block: self,
                range,
                at,
                memory,
                projection,
                forces,
                diagonal,
                lower,
            });
        });
    }

    fn is_simple(&self) -> bool {
        self.viscous.is_none() && !self.history.has_branches()
    }
}

impl<P: Law> Force for Springs<P> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn reads_velocities(&self) -> bool {
        false
    }

    fn stencils(&self, visit: &mut dyn FnMut(&[u32])) {
        self.elements.iter().for_each(|s| visit(&s.ends));
    }

    fn bind(&mut self, pattern: &Pattern) {
        for s in &mut self.elements {
            s.slot = pattern.slot(s.ends[0], s.ends[1]).expect("stencil is in the pattern");
        }
    }

    fn memory_len(&self) -> usize {
        self.history.len(self.elements.len())
    }

    fn prepare(&self, base: &[(f64, &[DVec3])], memory: &mut [f64]) {
        if self.viscous.is_none() {
            return;
        }
        for s in &self.elements {
            let e: f64 = base.iter().map(|(weight, positions)| weight * self.strain(s, positions)).sum();
            self.history.set_base(memory, s.number as usize, s.direction.map(|d| e * d));
        }
    }

    fn energy(&self, at: &Moment, memory: &[f64]) -> f64 {
        let one = |s: &Spring| {
            let e = self.strain(s, at.positions);
            let strain = s.direction.map(|d| e * d);
            s.area * (self.law.energy(strain) + self.history.stored(memory, s.number as usize, strain, at.elapsed))
        };
        self.elements.iter().map(one).sum()
    }

    fn potential(&self, at: &Moment, memory: &[f64]) -> f64 {
        let one = |s: &Spring| {
            let (strain, rate) = self.strain_and_rate(s, at, memory);
            let branches = self.history.potential(memory, s.number as usize, strain, at.elapsed);
            let viscous = match (&self.viscous, at.rate) {
                (Some(law), Rate::Since { per_second }) => law.energy(rate) / per_second,
                _ => 0.0,
            };
            s.area * (self.law.energy(strain) + branches + viscous)
        };
        self.elements.iter().map(one).sum()
    }

    fn add_forces(&self, at: &Moment, memory: &[f64], forces: &mut [DVec3]) {
        self.sweep::<f64, false>(at, memory, Projection::None, Some(forces), None);
    }

    fn add_jacobian(&self, at: &Moment, memory: &[f64], projection: Projection, target: &mut Target) {
        match target {
            Target::Single(m) => self.sweep::<f32, true>(at, memory, projection, None, Some(m)),
            Target::Double(m) => self.sweep::<f64, true>(at, memory, projection, None, Some(m)),
        }
    }

    fn add_forces_and_jacobian(
        &self,
        at: &Moment,
        memory: &[f64],
        projection: Projection,
        forces: &mut [DVec3],
        target: &mut Target,
    ) {
        match target {
            Target::Single(m) => self.sweep::<f32, true>(at, memory, projection, Some(forces), Some(m)),
            Target::Double(m) => self.sweep::<f64, true>(at, memory, projection, Some(forces), Some(m)),
        }
    }

    fn add_product(
        &self,
        at: &Moment,
        memory: &[f64],
        projection: Projection,
        direction: &[DVec3],
        product: &mut [DVec3],
    ) -> bool {
        for s in &self.elements {
            let [i, j] = s.ends.map(|i| i as usize);
            let (stress, stiffness) = self.slow_respond(s, at, memory);
            let x = at.positions[i] - at.positions[j];
            let length = x.length().max(1e-9 * s.length);
            let (n, d) = (x / length, direction[i] - direction[j]);
            let k = s.area * stiffness / (s.length * s.length);
            let (along, across) = coefficients(k, s.area * stress / (s.length * length), projection);
            let f = across * d + (along - across) * n.dot(d) * n;
            product[i] += f;
            product[j] -= f;
        }
        true
    }

    fn commit(&self, at: &Moment, memory: &mut [f64]) -> f64 {
        if memory.is_empty() {
            return 0.0;
        }
        let mut dissipated = 0.0;
        for s in &self.elements {
            let (strain, rate) = self.strain_and_rate(s, at, memory);
            if let Some(law) = &self.viscous {
                let stress = law.stress(rate);
                dissipated += s.area * at.elapsed * (0..3).map(|m| stress[m] * rate[m]).sum::<f64>();
            }
            dissipated += s.area * self.history.commit(memory, s.number as usize, strain, at.elapsed);
        }
        dissipated
    }
}

/// Stiffness along and across a spring (N/m). Under compression a spring pushes sideways; a projection leaves that out.
#[inline(always)]
fn coefficients<L: Lane>(stiffness: L, tension_over_length: L, projection: Projection) -> (L, L) {
    match projection {
        Projection::None => (stiffness, tension_over_length),
        Projection::Clamp | Projection::Exact => (stiffness.max(L::splat(0.0)), tension_over_length.max(L::splat(0.0))),
    }
}

/// Forces and Jacobian of a range of springs.
struct Sweep<'a, P, T, const JACOBIAN: bool> {
    block: &'a Springs<P>,
    range: Range<usize>,
    at: &'a Moment<'a>,
    memory: &'a [f64],
    projection: Projection,
    forces: Option<Scatter<'a, DVec3>>,
    diagonal: Scatter<'a, [T; 9]>,
    lower: Scatter<'a, [T; 9]>,
}

impl<P: Law, T: Real, const JACOBIAN: bool> Kernel for Sweep<'_, P, T, JACOBIAN> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let springs = &self.block.elements;
        let simple = self.block.is_simple();
        let mut start = self.range.start;
        while start < self.range.end {
            let count = L::WIDTH.min(self.range.end - start);
            let index: [usize; 8] = std::array::from_fn(|i| (start + i).min(self.range.end - 1));
            let mut edge = [[0.0; 8]; 3];
            for i in 0..L::WIDTH {
                let [a, b] = springs[index[i]].ends.map(|v| self.at.positions[v as usize]);
                (edge[0][i], edge[1][i], edge[2][i]) = (a.x - b.x, a.y - b.y, a.z - b.z);
            }
            let x: [L; 3] = std::array::from_fn(|c| L::from_fn(|i| edge[c][i]));
            let rest = L::from_fn(|i| springs[index[i]].length);
            let area = L::from_fn(|i| springs[index[i]].area);
            let length = x[0].mul_add(x[0], x[1].mul_add(x[1], x[2] * x[2])).sqrt();
            // Ends on top of each other have no direction; the floor keeps the force finite.
            let safe = length.max(L::splat(1e-9) * rest);
            let n = x.map(|c| c / safe);
            let (stress, stiffness) = if simple {
                self.fast_respond(length / rest - L::splat(1.0), &index)
            } else {
                let mut slow = [(0.0, 0.0); 8];
                for i in 0..L::WIDTH {
                    slow[i] = self.block.slow_respond(&springs[index[i]], self.at, self.memory);
                }
                (L::from_fn(|i| slow[i].0), L::from_fn(|i| slow[i].1))
            };
            let tension = area * stress / rest;
            if let Some(forces) = &self.forces {
                let f = n.map(|c| (-(tension * c)).to_array());
                for i in 0..count {
                    let [a, b] = springs[index[i]].ends;
                    let force = DVec3::new(f[0][i], f[1][i], f[2][i]);
                    *forces.at(a as usize) += force;
                    *forces.at(b as usize) -= force;
                }
            }
            if JACOBIAN {
                let k = area * stiffness / (rest * rest);
                self.scatter_blocks(&n, coefficients(k, tension / safe, self.projection), &index[..count]);
            }
            start += L::WIDTH;
        }
    }
}

impl<P: Law, T: Real, const JACOBIAN: bool> Sweep<'_, P, T, JACOBIAN> {
    /// Stress along the edges and its slope, from the elastic law alone.
    #[inline(always)]
    fn fast_respond<L: Lane>(&self, strain: L, index: &[usize; 8]) -> (L, L) {
        let springs = &self.block.elements;
        let d: [L; 3] = std::array::from_fn(|m| L::from_fn(|i| springs[index[i]].direction[m]));
        let response = self.block.law.respond(d.map(|m| m * strain));
        let column = crate::law::sym_mul(&response.tangent, d);
        let dot = |a: &[L; 3]| a[0].mul_add(d[0], a[1].mul_add(d[1], a[2] * d[2]));
        (dot(&response.stress), dot(&column))
    }

    /// H = k n nᵀ + t (I − n nᵀ) on the diagonals, −H between the ends.
    #[inline(always)]
    fn scatter_blocks<L: Lane>(&self, n: &[L; 3], (along, across): (L, L), index: &[usize]) {
        let h: [L; 9] = std::array::from_fn(|k| {
            let (r, c) = (k / 3, k % 3);
            let outer = (along - across) * n[r] * n[c];
            if r == c { outer + across } else { outer }
        });
        let h = h.map(L::to_array);
        for (i, &e) in index.iter().enumerate() {
            let spring = &self.block.elements[e];
            let [a, b] = spring.ends.map(|v| v as usize);
            let block: [T; 9] = std::array::from_fn(|k| T::from_f64(h[k][i]));
            let lower = self.lower.at(spring.slot as usize);
            for k in 0..9 {
                lower[k] -= block[k];
            }
            for v in [a, b] {
                let diagonal = self.diagonal.at(v);
                for k in 0..9 {
                    diagonal[k] += block[k];
                }
            }
        }
    }
}
