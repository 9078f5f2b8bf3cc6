//! A [`Table`] with linear angles: a constant matrix K ⊗ I for small hinge angles.
//!
//! Each hinge sees the vector ϑ = R x, the sum of the two unit vectors from its edge to the opposite vertices as the rest
//! shape has them: normal to the sheet, of length 2 sin(θ/2). So the energy of a hinge is 2 % too small at 30°, 9 % at 60°
//! and 19 % at 90°. With M = Σ A CᵀDC over the angles,
//! ```text
//! E = ½ (Rx)ᵀ M (Rx),   K = RᵀMR.
//! ```
//! Energy is evaluated through ϑ, never as xᵀKx: rounding in the latter is 10⁵ times larger and stops line searches. Forces
//! are −Σ K_ij (x_j − x_i), six times faster than through ϑ; the differences keep their rounding at that of an element.
//! Needs a flat rest shape, a linear law and a nearly inextensible membrane.
//!
//! A clamp adds what K cannot hold: ϑ = 2 (τ + e×k/l) with the face's unit vector τ and the outward tangent of the clamp,
//! which turns with its normal k. This part is exact too: affine forces, and Jacobian blocks on the few clamped elements.

use super::angle::{Hinge, Kind};
use super::assembly::add_block;
use super::patch::dot;
use super::table::Table;
use super::{BendingError, Input};
use crate::force::{Force, Moment, Projection, ScalarEntry, Target};
use crate::law::{AnyLaw, Sym3, sym_mul};
use crate::linalg::{BlockMatrix, FullRows, Pattern, Real};
use crate::parallel::{self, Scatter, Schedule};
use glam::{DMat3, DVec3};

/// Elements over linear angles.
pub(super) struct Quadratic {
    table: Table,
    stiffness: Sym3<f64>,
    /// R by hinge and node.
    rows: Vec<[f64; 4]>,
    user_starts: Vec<u32>,
    users: Vec<(u32, [f64; 3])>,
    /// Crease stiffness by hinge.
    springs: Vec<f64>,
    schedule: Schedule,
    clamped: Vec<Clamped>,
    /// K by full rows, where no clamp adds to it.
    rows_of_k: Option<FullRows>,
}

/// Drops couplings that are zero but for rounding: on a grid, a fifth of all. What they held goes to the diagonal, so that rows
/// still sum to zero.
fn without_rounding(mut entries: Vec<ScalarEntry>, node_count: usize) -> Vec<ScalarEntry> {
    let mut diagonal = vec![0.0; node_count];
    for &(i, _, value) in entries.iter().filter(|e| e.0 == e.1) {
        diagonal[i as usize] = value;
    }
    let mut dropped = vec![0.0; node_count];
    entries.retain(|&(i, j, value)| {
        let keep = i == j || value * value > 1e-26 * diagonal[i as usize] * diagonal[j as usize];
        if !keep {
            dropped[i as usize] += value;
            dropped[j as usize] += value;
        }
        keep
    });
    for entry in entries.iter_mut().filter(|e| e.0 == e.1) {
        entry.2 += dropped[entry.0 as usize];
    }
    entries
}

/// An element that touches a clamp: its nodes and matrix slots.
struct Clamped {
    element: usize,
    nodes: Vec<u32>,
    /// Pairs i > j, row by row.
    slots: Vec<u32>,
}

impl Clamped {
    fn place(&self, node: u32) -> usize {
        self.nodes.binary_search(&node).expect("a hinge lies in its element")
    }
}

impl Quadratic {
    pub(super) fn new(
        model: &'static str,
        instead: &'static str,
        table: Table,
        input: &Input,
    ) -> Result<Self, BendingError> {
        let refuse = |what| Err(BendingError::NotQuadratic { model, what, instead });
        let AnyLaw::Linear(law) = &input.material.elastic else { return refuse("a nonlinear moment–curvature law") };
        if input.material.viscous.is_some() {
            return refuse("viscosity");
        }
        if !input.material.memory.is_empty() {
            return refuse("hysteresis");
        }
        if !input.rest.is_flat() || input.creases.iter().any(|c| c.rest_angle != 0.0) {
            return refuse("a rest shape that is not flat");
        }
        let (user_starts, users) = table.users();
        let mut springs = vec![0.0; table.hinges.len()];
        for spring in &table.springs {
            springs[spring.hinge as usize] = spring.stiffness;
        }
        let schedule = Schedule::new(table.node_count(), table.hinges.iter().map(|h| h.nodes()));
        let touches = |e: &usize| table.columns(*e).iter().any(|c| table.hinges[c.hinge as usize].kind == Kind::Clamp);
        let clamped = (0..table.len())
            .filter(touches)
            .map(|element| Clamped { element, nodes: table.nodes(element), slots: Vec::new() })
            .collect();
        let rows = table.hinges.iter().map(row).collect();
        let stiffness = law.stiffness();
        let mut quadratic =
            Self { stiffness, rows, user_starts, users, springs, schedule, clamped, table, rows_of_k: None };
        if quadratic.clamped.is_empty() {
            let entries = quadratic.scalar_part();
            quadratic.rows_of_k = Some(FullRows::zero_sum(quadratic.table.node_count(), &entries, input.level));
        }
        Ok(quadratic)
    }

    /// ϑ of a hinge.
    #[inline]
    fn vector(&self, h: usize, x: &[DVec3]) -> DVec3 {
        let hinge = &self.table.hinges[h];
        let p = hinge.nodes.map(|n| x[n as usize]);
        // Differences to a first: rounding then scales with the element, not with the place in the world.
        let [_, rb, rc, rd] = self.rows[h];
        let base = rb * (p[1] - p[0]) + rc * (p[2] - p[0]);
        if hinge.kind == Kind::Clamp {
            base + (p[1] - p[0]).cross(p[3]) * (2.0 / hinge.length)
        } else {
            base + rd * (p[3] - p[0])
        }
    }

    fn vectors(&self, x: &[DVec3]) -> Vec<DVec3> {
        parallel::map(self.rows.len(), |h| self.vector(h, x))
    }

    #[inline]
    fn curvature(&self, element: usize, vectors: &[DVec3]) -> [DVec3; 3] {
        let mut kappa = [DVec3::ZERO; 3];
        for column in self.table.columns(element) {
            for m in 0..3 {
                kappa[m] += column.c[m] * vectors[column.hinge as usize];
            }
        }
        kappa
    }

    /// A D κ.
    #[inline]
    fn stress(&self, element: usize, kappa: [DVec3; 3]) -> [DVec3; 3] {
        let d = self.stiffness.map(|d| d * self.table.areas[element]);
        [
            d[0] * kappa[0] + d[3] * kappa[1] + d[4] * kappa[2],
            d[3] * kappa[0] + d[1] * kappa[1] + d[5] * kappa[2],
            d[4] * kappa[0] + d[5] * kappa[1] + d[2] * kappa[2],
        ]
    }

    /// ∂E/∂ϑ of every hinge.
    fn moments(&self, vectors: &[DVec3]) -> Vec<DVec3> {
        let stress = parallel::map(self.table.len(), |e| self.stress(e, self.curvature(e, vectors)));
        parallel::map(self.rows.len(), |h| {
            let range = self.user_starts[h] as usize..self.user_starts[h + 1] as usize;
            let mut m = self.springs[h] * vectors[h];
            for &(e, c) in &self.users[range] {
                let s = &stress[e as usize];
                m += c[0] * s[0] + c[1] * s[1] + c[2] * s[2];
            }
            m
        })
    }

    /// Coupling M_fg = A C_fᵀ D C_g of two columns of an element.
    fn coupling(&self, element: usize, f: [f64; 3], g: [f64; 3]) -> f64 {
        self.table.areas[element] * dot(f, sym_mul(&self.stiffness, g))
    }

    /// ∂ϑ/∂x of a hinge by the nodes of an element: the scalar R, and what a clamp adds to it.
    fn derivatives(&self, one: &Clamped, h: usize, x: &[DVec3]) -> (Vec<f64>, Vec<DMat3>) {
        let (mut scalar, mut full) = (vec![0.0; one.nodes.len()], vec![DMat3::ZERO; one.nodes.len()]);
        let hinge = &self.table.hinges[h];
        for (&node, r) in hinge.nodes.iter().zip(self.rows[h]) {
            scalar[one.place(node)] += r;
        }
        if hinge.kind == Kind::Clamp {
            let [a, b, _, k] = hinge.nodes;
            let scale = 2.0 / hinge.length;
            let by_edge = cross(x[k as usize]) * -scale;
            full[one.place(b)] += by_edge;
            full[one.place(a)] -= by_edge;
            full[one.place(k)] += cross(x[b as usize] - x[a as usize]) * scale;
        }
        (scalar, full)
    }

    /// Blocks of one clamped element beyond K ⊗ I: JᵀMJ less its scalar part, and m·∂²ϑ.
    fn clamp_blocks(&self, one: &Clamped, at: &Moment, projection: Projection) -> Vec<[f64; 9]> {
        let n = one.nodes.len();
        let columns = self.table.columns(one.element);
        let derivatives: Vec<_> =
            columns.iter().map(|c| self.derivatives(one, c.hinge as usize, at.positions)).collect();
        let mut blocks = vec![DMat3::ZERO; n * (n + 1) / 2];
        for (f, (rf, jf)) in columns.iter().zip(&derivatives) {
            for (g, (rg, jg)) in columns.iter().zip(&derivatives) {
                let m = self.coupling(one.element, f.c, g.c);
                for i in 0..n {
                    for j in 0..=i {
                        let part = jf[i].transpose() * jg[j] + jf[i].transpose() * rg[j] + jg[j] * rf[i];
                        blocks[i * (i + 1) / 2 + j] += part * m;
                    }
                }
            }
        }
        if projection == Projection::None {
            self.add_turning(one, at, &mut blocks);
        }
        // Column-major to row-major.
        blocks.iter().map(|b| b.transpose().to_cols_array()).collect()
    }

    /// m·∂²ϑ of the clamps that this element holds, with its own share of their moments: edge against director.
    fn add_turning(&self, one: &Clamped, at: &Moment, blocks: &mut [DMat3]) {
        let columns = self.table.columns(one.element);
        let mut kappa = [DVec3::ZERO; 3];
        for column in columns {
            let vector = self.vector(column.hinge as usize, at.positions);
            for m in 0..3 {
                kappa[m] += column.c[m] * vector;
            }
        }
        let s = self.stress(one.element, kappa);
        for column in columns {
            let hinge = &self.table.hinges[column.hinge as usize];
            if hinge.kind != Kind::Clamp {
                continue;
            }
            let moment = column.c[0] * s[0] + column.c[1] * s[1] + column.c[2] * s[2];
            let block = cross(moment) * (-2.0 / hinge.length);
            let [a, b, _, k] = hinge.nodes;
            for (node, part) in [(b, block), (a, -block)] {
                let (i, j) = (one.place(node), one.place(k));
                if i > j {
                    blocks[i * (i + 1) / 2 + j] += part;
                } else {
                    blocks[j * (j + 1) / 2 + i] += part.transpose();
                }
            }
        }
    }

    fn assemble<T: Real>(&self, at: &Moment, projection: Projection, matrix: &mut BlockMatrix<T>) {
        for one in &self.clamped {
            let blocks = self.clamp_blocks(one, at, projection);
            let (mut k, mut pair) = (0, 0);
            for i in 0..one.nodes.len() {
                for _j in 0..i {
                    add_block(&mut matrix.lower[one.slots[pair] as usize], &blocks[k]);
                    (k, pair) = (k + 1, pair + 1);
                }
                add_block(&mut matrix.diagonal[one.nodes[i] as usize], &blocks[k]);
                k += 1;
            }
        }
    }
}

/// R of a hinge: heights over feet, both sides; a clamp has its face alone, twice.
fn row(hinge: &Hinge) -> [f64; 4] {
    let ([h1, h2], [s1, s2]) = (hinge.heights, hinge.feet);
    match hinge.kind {
        Kind::Fold => [-(1.0 - s1) / h1 - (1.0 - s2) / h2, -s1 / h1 - s2 / h2, 1.0 / h1, 1.0 / h2],
        Kind::Clamp => [-2.0 * (1.0 - s1) / h1, -2.0 * s1 / h1, 2.0 / h1, 0.0],
        Kind::Slope => [0.0; 4],
    }
}

/// Matrix of v ↦ a × v.
fn cross(a: DVec3) -> DMat3 {
    DMat3::from_cols(a.cross(DVec3::X), a.cross(DVec3::Y), a.cross(DVec3::Z))
}

impl Force for Quadratic {
    fn name(&self) -> &'static str {
        "bending"
    }

    fn reads_velocities(&self) -> bool {
        false
    }

    fn stencils(&self, visit: &mut dyn FnMut(&[u32])) {
        for one in &self.clamped {
            visit(&one.nodes);
        }
    }

    fn bind(&mut self, pattern: &Pattern) {
        for one in &mut self.clamped {
            let nodes = &one.nodes;
            let pairs = (0..nodes.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
            let slot = |(i, j): (usize, usize)| pattern.slot(nodes[i], nodes[j]);
            one.slots = pairs.map(|p| slot(p).expect("the pattern was made from these stencils")).collect();
        }
    }

    fn scalar_part(&self) -> Vec<ScalarEntry> {
        let mut entries: Vec<ScalarEntry> = Vec::new();
        let mut add = |f: usize, g: usize, m: f64| {
            let (hf, hg) = (&self.table.hinges[f], &self.table.hinges[g]);
            for (&a, ra) in hf.nodes.iter().zip(self.rows[f]) {
                for (&b, rb) in hg.nodes.iter().zip(self.rows[g]) {
                    if a >= b && ra * rb != 0.0 {
                        entries.push((a, b, m * ra * rb));
                    }
                }
            }
        };
        for e in 0..self.table.len() {
            for f in self.table.columns(e) {
                for g in self.table.columns(e) {
                    add(f.hinge as usize, g.hinge as usize, self.coupling(e, f.c, g.c));
                }
            }
        }
        for spring in &self.table.springs {
            add(spring.hinge as usize, spring.hinge as usize, spring.stiffness);
        }
        entries.sort_by_key(|e| (e.0, e.1));
        entries.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            if same {
                kept.2 += next.2;
            }
            same
        });
        without_rounding(entries, self.table.node_count())
    }

    fn energy(&self, at: &Moment, _memory: &[f64]) -> f64 {
        let vectors = self.vectors(at.positions);
        let elements = parallel::sum(self.table.len(), |e| {
            let kappa = self.curvature(e, &vectors);
            let s = self.stress(e, kappa);
            0.5 * (kappa[0].dot(s[0]) + kappa[1].dot(s[1]) + kappa[2].dot(s[2]))
        });
        let springs = self.table.springs.iter();
        elements + springs.map(|s| 0.5 * s.stiffness * vectors[s.hinge as usize].length_squared()).sum::<f64>()
    }

    fn add_forces(&self, at: &Moment, _memory: &[f64], forces: &mut [DVec3]) {
        let x = at.positions;
        if let Some(rows) = &self.rows_of_k {
            return rows.add_product(-1.0, x, forces);
        }
        let moments = self.moments(&self.vectors(x));
        let forces = Scatter::new(forces);
        self.schedule.run(|range| {
            for &h in &self.schedule.order[range] {
                let (hinge, m) = (&self.table.hinges[h as usize], moments[h as usize]);
                for (&node, r) in hinge.nodes.iter().zip(self.rows[h as usize]) {
                    *forces.at(node as usize) -= r * m;
                }
                if hinge.kind == Kind::Clamp {
                    let [a, b, _, k] = hinge.nodes.map(|n| n as usize);
                    let m = m * (2.0 / hinge.length);
                    *forces.at(b) -= x[k].cross(m);
                    *forces.at(a) += x[k].cross(m);
                    *forces.at(k) -= m.cross(x[b] - x[a]);
                }
            }
        });
    }

    fn add_jacobian(&self, at: &Moment, _memory: &[f64], projection: Projection, target: &mut Target) {
        match target {
            Target::Single(matrix) => self.assemble(at, projection, matrix),
            Target::Double(matrix) => self.assemble(at, projection, matrix),
        }
    }

    fn add_product(
        &self,
        _at: &Moment,
        _memory: &[f64],
        _projection: Projection,
        _direction: &[DVec3],
        _product: &mut [DVec3],
    ) -> bool {
        // Without clamps the scalar part is all there is, and the caller multiplies with that.
        self.clamped.is_empty()
    }
}
