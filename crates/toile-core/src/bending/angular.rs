//! A [`Table`] with true angles: forces and Jacobians for any law, viscosity, hysteresis and rest shape.
//!
//! Sweeps, each deterministic for any number of threads: angles of the hinges; moments σ of the elements; then per hinge
//! m_f = Σ A C_fᵀσ and the forces −m_f ∇θ_f. The Jacobian is
//! ```text
//! Σ_T A Bᵀ E B  +  Σ_f m_f ∇²θ_f          B = Σ_f C_f ∇θ_fᵀ,  E the tangent of the law
//! ```
//! The first part (Gauss–Newton) is positive semidefinite for every convex law. Projections: `None` keeps both parts exactly,
//! `Clamp` leaves the second out, `Exact` takes the positive part of each of its terms ([`super::angle`]); either also
//! projects E, for tabulated laws that are not convex everywhere.
//!
//! Viscosity answers the rate of κ; its base curvature and the rest curvatures of the memory branches are kept per element.
//! With [`Rate::Instant`] the Jacobian leaves viscosity out: explicit schemes do not ask for it.

use super::angle::Gradient;
use super::assembly::{Assembly, Stencils};
use super::table::Table;
use crate::fabric::Material;
use crate::force::{Force, Moment, Projection, Rate, Target};
use crate::law::{AnyLaw, Law, Response};
use crate::linalg::Pattern;
use crate::memory::{Branches, MemoryError};
use crate::parallel::{self, Scatter};
use glam::DVec3;

/// Elements over true angles.
pub(super) struct Angular {
    pub(super) table: Table,
    elastic: AnyLaw,
    viscous: Option<AnyLaw>,
    branches: Branches,
    /// Per hinge: elements that use it.
    user_starts: Vec<u32>,
    users: Vec<(u32, [f64; 3])>,
    /// Per hinge: its crease, as K and θ̄; K = 0 without.
    pub(super) springs: Vec<[f64; 2]>,
    pub(super) elements: Stencils,
    /// Per column, in the order of the table: places of the hinge's nodes among those of the element.
    pub(super) places: Vec<[u16; 4]>,
    pub(super) hinges: Stencils,
}

/// Everything about the elements at one moment.
pub(super) struct Sweep {
    pub(super) gradients: Vec<Gradient>,
    pub(super) responses: Vec<Response<f64>>,
    angles: Vec<f64>,
}

impl Angular {
    pub(super) fn new(table: Table, material: &Material) -> Result<Self, MemoryError> {
        let branches = Branches::new(&material.memory)?;
        let (user_starts, users) = table.users();
        let mut springs = vec![[0.0; 2]; table.hinges.len()];
        for spring in &table.springs {
            springs[spring.hinge as usize] = [spring.stiffness, spring.rest];
        }
        let count = table.node_count();
        let sets: Vec<Vec<u32>> = (0..table.len()).map(|e| table.nodes(e)).collect();
        let mut places = Vec::with_capacity(table.column_count());
        for (e, set) in sets.iter().enumerate() {
            for column in table.columns(e) {
                let nodes = table.hinges[column.hinge as usize].nodes;
                places.push(nodes.map(|n| set.binary_search(&n).expect("a hinge lies in its element") as u16));
            }
        }
        // Hinges that nothing answers to (beside free corners) have no moment and need no blocks.
        let used = |h: usize| user_starts[h] != user_starts[h + 1] || springs[h][0] != 0.0;
        let lists = table.hinges.iter().enumerate();
        let hinge_sets = lists.map(|(h, hinge)| if used(h) { hinge.nodes().to_vec() } else { Vec::new() }).collect();
        Ok(Self {
            elastic: material.elastic.clone(),
            viscous: material.viscous.clone(),
            branches,
            user_starts,
            users,
            springs,
            elements: Stencils::new(count, sets),
            places,
            hinges: Stencils::new(count, hinge_sets),
            table,
        })
    }

    /// Numbers of memory per element: base curvature of the rate, then the branches.
    fn stride(&self) -> usize {
        self.base_len() + self.branches.len()
    }

    fn base_len(&self) -> usize {
        if self.viscous.is_some() { 3 } else { 0 }
    }

    /// An element's base curvature and branch memory.
    fn memory<'m>(&self, element: usize, memory: &'m [f64]) -> (&'m [f64], &'m [f64]) {
        let stride = self.stride();
        memory.get(element * stride..(element + 1) * stride).unwrap_or(&[]).split_at(self.base_len())
    }

    fn angles(&self, x: &[DVec3]) -> Vec<f64> {
        parallel::map(self.table.hinges.len(), |h| self.table.hinges[h].angle(x))
    }

    #[inline]
    fn curvature(&self, element: usize, angles: &[f64]) -> [f64; 3] {
        let mut kappa = self.table.rest[element].map(|k| -k);
        for column in self.table.columns(element) {
            let theta = angles[column.hinge as usize];
            for m in 0..3 {
                kappa[m] += column.c[m] * theta;
            }
        }
        kappa
    }

    /// κ̇ from velocities.
    fn curvature_rate(&self, element: usize, at: &Moment) -> [f64; 3] {
        let mut rate = [0.0; 3];
        for column in self.table.columns(element) {
            let hinge = &self.table.hinges[column.hinge as usize];
            let gradient = hinge.gradient(at.positions).1;
            let speed: f64 = hinge.nodes().iter().zip(gradient).map(|(&n, g)| g.dot(at.velocities[n as usize])).sum();
            for m in 0..3 {
                rate[m] += column.c[m] * speed;
            }
        }
        rate
    }

    /// The viscous law, the rate of κ, and 1/ĥ: how fast the rate grows with κ.
    fn rate(&self, element: usize, kappa: [f64; 3], base: &[f64], at: &Moment) -> Option<(&AnyLaw, [f64; 3], f64)> {
        let law = self.viscous.as_ref()?;
        Some(match at.rate {
            Rate::Instant => (law, self.curvature_rate(element, at), 0.0),
            Rate::Since { per_second } => (law, std::array::from_fn(|m| (kappa[m] - base[m]) * per_second), per_second),
        })
    }

    fn stress(&self, element: usize, kappa: [f64; 3], at: &Moment, memory: &[f64]) -> [f64; 3] {
        let mut stress = self.elastic.stress(kappa);
        let mut add = |more: [f64; 3]| stress = std::array::from_fn(|m| stress[m] + more[m]);
        let (base, q) = self.memory(element, memory);
        if !self.branches.is_empty() {
            add(self.branches.stress(kappa, at.elapsed, q));
        }
        if let Some((law, rate, _)) = self.rate(element, kappa, base, at) {
            add(law.stress(rate));
        }
        stress
    }

    fn respond(&self, element: usize, kappa: [f64; 3], at: &Moment, memory: &[f64]) -> Response<f64> {
        let mut total = self.elastic.respond(kappa);
        let mut add = |more: Response<f64>, slope: f64| {
            total.stress = std::array::from_fn(|m| total.stress[m] + more.stress[m]);
            total.tangent = std::array::from_fn(|m| total.tangent[m] + slope * more.tangent[m]);
        };
        let (base, q) = self.memory(element, memory);
        if !self.branches.is_empty() {
            add(self.branches.respond(kappa, at.elapsed, q), 1.0);
        }
        if let Some((law, rate, per_second)) = self.rate(element, kappa, base, at) {
            add(law.respond(rate), per_second);
        }
        total
    }

    /// Moment of a hinge (N·m): derivative of the potential by its angle.
    #[inline]
    fn hinge_moment(&self, hinge: usize, angle: f64, stress: impl Fn(usize) -> [f64; 3]) -> f64 {
        let [k, rest] = self.springs[hinge];
        let mut m = if k > 0.0 { k * (angle - rest) } else { 0.0 };
        let range = self.user_starts[hinge] as usize..self.user_starts[hinge + 1] as usize;
        for &(element, c) in &self.users[range] {
            let s = stress(element as usize);
            m += self.table.areas[element as usize] * (c[0] * s[0] + c[1] * s[1] + c[2] * s[2]);
        }
        m
    }

    fn spring_energy(&self, angles: &[f64]) -> f64 {
        let one = |s: &super::table::Spring| 0.5 * s.stiffness * (angles[s.hinge as usize] - s.rest).powi(2);
        self.table.springs.iter().map(one).sum()
    }

    fn scatter_forces(&self, gradient: impl Fn(usize) -> Gradient + Sync, moments: &[f64], forces: &mut [DVec3]) {
        let forces = Scatter::new(forces);
        self.hinges.schedule.run(|range| {
            for &h in &self.hinges.schedule.order[range] {
                let h = h as usize;
                let nodes = self.hinges.nodes(h);
                if nodes.is_empty() {
                    continue;
                }
                for (&node, g) in nodes.iter().zip(gradient(h)) {
                    *forces.at(node as usize) -= moments[h] * g;
                }
            }
        });
    }

    fn sweep(&self, at: &Moment, memory: &[f64]) -> Sweep {
        let x = at.positions;
        let both = parallel::map(self.table.hinges.len(), |h| self.table.hinges[h].gradient(x));
        let (angles, gradients): (Vec<f64>, Vec<Gradient>) = both.into_iter().unzip();
        let responses = parallel::map(self.table.len(), |e| self.respond(e, self.curvature(e, &angles), at, memory));
        Sweep { gradients, angles, responses }
    }

    fn moments(&self, sweep: &Sweep) -> Vec<f64> {
        parallel::map(self.table.hinges.len(), |h| self.hinge_moment(h, sweep.angles[h], |e| sweep.responses[e].stress))
    }
}

impl Force for Angular {
    fn name(&self) -> &'static str {
        "bending"
    }

    fn reads_velocities(&self) -> bool {
        false
    }

    fn stencils(&self, visit: &mut dyn FnMut(&[u32])) {
        for e in 0..self.table.len() {
            visit(self.elements.nodes(e));
        }
        // Folds beside creases may belong to no element.
        for spring in &self.table.springs {
            visit(self.hinges.nodes(spring.hinge as usize));
        }
    }

    fn bind(&mut self, pattern: &Pattern) {
        self.elements.bind(pattern);
        self.hinges.bind(pattern);
    }

    fn memory_len(&self) -> usize {
        self.stride() * self.table.len()
    }

    fn prepare(&self, base: &[(f64, &[DVec3])], memory: &mut [f64]) {
        if self.viscous.is_none() {
            return;
        }
        let stride = self.stride();
        for part in memory.chunks_mut(stride) {
            part[..3].fill(0.0);
        }
        for &(weight, x) in base {
            let angles = self.angles(x);
            for (e, part) in memory.chunks_mut(stride).enumerate() {
                let kappa = self.curvature(e, &angles);
                for m in 0..3 {
                    part[m] += weight * kappa[m];
                }
            }
        }
    }

    fn energy(&self, at: &Moment, memory: &[f64]) -> f64 {
        let angles = self.angles(at.positions);
        let elements = parallel::sum(self.table.len(), |e| {
            let kappa = self.curvature(e, &angles);
            let stored = self.branches.stored(kappa, at.elapsed, self.memory(e, memory).1);
            self.table.areas[e] * (self.elastic.energy(kappa) + stored)
        });
        elements + self.spring_energy(&angles)
    }

    fn potential(&self, at: &Moment, memory: &[f64]) -> f64 {
        let angles = self.angles(at.positions);
        let elements = parallel::sum(self.table.len(), |e| {
            let kappa = self.curvature(e, &angles);
            let (base, q) = self.memory(e, memory);
            let mut sum = self.elastic.energy(kappa) + self.branches.potential(kappa, at.elapsed, q);
            if let Some((law, rate, per_second)) = self.rate(e, kappa, base, at)
                && per_second > 0.0
            {
                sum += law.energy(rate) / per_second;
            }
            self.table.areas[e] * sum
        });
        elements + self.spring_energy(&angles)
    }

    fn add_forces(&self, at: &Moment, memory: &[f64], forces: &mut [DVec3]) {
        let angles = self.angles(at.positions);
        let stress = parallel::map(self.table.len(), |e| self.stress(e, self.curvature(e, &angles), at, memory));
        let moments = parallel::map(self.table.hinges.len(), |h| self.hinge_moment(h, angles[h], |e| stress[e]));
        self.scatter_forces(|h| self.table.hinges[h].gradient(at.positions).1, &moments, forces);
    }

    fn add_jacobian(&self, at: &Moment, memory: &[f64], projection: Projection, target: &mut Target) {
        let sweep = self.sweep(at, memory);
        let moments = self.moments(&sweep);
        Assembly { force: self, at, sweep: &sweep, moments: &moments, projection }.add_to(target);
    }

    fn add_forces_and_jacobian(
        &self,
        at: &Moment,
        memory: &[f64],
        projection: Projection,
        forces: &mut [DVec3],
        target: &mut Target,
    ) {
        let sweep = self.sweep(at, memory);
        let moments = self.moments(&sweep);
        self.scatter_forces(|h| sweep.gradients[h], &moments, forces);
        Assembly { force: self, at, sweep: &sweep, moments: &moments, projection }.add_to(target);
    }

    fn commit(&self, at: &Moment, memory: &mut [f64]) -> f64 {
        if self.stride() == 0 {
            return 0.0;
        }
        let angles = self.angles(at.positions);
        let kappas = parallel::map(self.table.len(), |e| self.curvature(e, &angles));
        let mut lost = 0.0;
        for (e, part) in memory.chunks_mut(self.stride()).enumerate() {
            let (base, q) = part.split_at_mut(self.base_len());
            let mut one = self.branches.commit(kappas[e], at.elapsed, q);
            if let Some((law, rate, per_second)) = self.rate(e, kappas[e], base, at) {
                let time = if per_second > 0.0 { 1.0 / per_second } else { at.elapsed };
                let s = law.stress(rate);
                one += time * (s[0] * rate[0] + s[1] * rate[1] + s[2] * rate[2]);
            }
            lost += self.table.areas[e] * one;
        }
        lost
    }
}
