//! Constant-strain triangles of any measure and law. Source: Volino09 eqs. (5)–(13); MODELS S0.
//!
//! | paper    | here            | meaning                                                    |
//! |----------|-----------------|------------------------------------------------------------|
//! | U, V     | `u`, `v`        | world vectors of one metre of weft and warp                |
//! | r_uj     | `weft`          | weights of the corners b, c in U; that of a is minus their sum |
//! | r_vj     | `warp`          | the same for V                                             |
//! | \|d\|/2  | `area`          | rest area (m²)                                             |
//! | σ, ∂σ/∂ε | `Response`      | in Green components, whatever the measure                  |
//!
//! The Jacobian is built over (U, V): three 3×3 blocks H_UU, H_UV, H_VV per triangle, of which every vertex block is a
//! combination. Corners are sorted by descending vertex number, so that the three off-diagonal blocks fall into the stored
//! lower half untransposed; diagonal blocks are minus the sums of the others, because translation costs nothing.

use super::history::History;
use super::measure::Measure;
use crate::fabric::Material;
use crate::force::{Force, Moment, Projection, Rate, Target};
use crate::lane::{Kernel, Lane, Level};
use crate::law::{AnyLaw, Law, Response};
use crate::linalg::{BlockMatrix, Pattern, Real};
use crate::memory::MemoryError;
use crate::mesh::Mesh;
use crate::parallel::{Scatter, Schedule};
use glam::{DVec2, DVec3};
use rayon::prelude::*;
use std::marker::PhantomData;
use std::ops::Range;

/// Triangles of one measure, one law and one material.
pub struct Triangles<M, P> {
    law: P,
    viscous: Option<AnyLaw>,
    history: History,
    level: Level,
    schedule: Schedule,
    /// In the order of the schedule.
    elements: Vec<Element>,
    _measure: PhantomData<M>,
}

/// A triangle with its corners sorted by descending vertex number.
#[derive(Clone, Copy)]
struct Element {
    corners: [u32; 3],
    /// Slots of the blocks (a,b), (a,c), (b,c).
    slots: [u32; 3],
    weft: [f64; 2],
    warp: [f64; 2],
    area: f64,
    /// Number in the mesh: its place in memory.
    number: u32,
}

/// Strain and stress of one triangle, for maps and reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriangleState {
    /// Strains in the measure of the model.
    pub strain: [f64; 3],
    /// Stress of the elastic law (N/m).
    pub stress: [f64; 3],
}

impl<M: Measure, P: Law> Triangles<M, P> {
    /// All triangles of a mesh.
    pub fn new(mesh: &Mesh, law: P, material: &Material, level: Level) -> Result<Self, MemoryError> {
        let schedule = Schedule::new(mesh.vertex_count(), mesh.triangles.iter().map(|t| t.as_slice()));
        let elements = schedule.order.iter().map(|&t| Element::new(mesh, t)).collect();
        Ok(Self {
            law,
            viscous: material.viscous.clone(),
            history: History::new(material)?,
            level,
            schedule,
            elements,
            _measure: PhantomData,
        })
    }

    /// Strain and stress of every triangle, in the order of the mesh.
    pub fn states(&self, positions: &[DVec3]) -> Vec<TriangleState> {
        let mut out = vec![TriangleState { strain: [0.0; 3], stress: [0.0; 3] }; self.elements.len()];
        for e in &self.elements {
            let strain = M::strain(e.metric(positions));
            out[e.number as usize] = TriangleState { strain, stress: self.law.stress(strain) };
        }
        out
    }

    fn sum(&self, term: impl Fn(&Element) -> f64 + Sync) -> f64 {
        // Fixed pieces, added in order: the same sum on any number of threads.
        let parts: Vec<f64> = self.elements.par_chunks(2048).map(|c| c.iter().map(&term).sum()).collect();
        parts.iter().sum()
    }

    fn strain_and_rate(&self, e: &Element, at: &Moment, memory: &[f64]) -> ([f64; 3], [f64; 3]) {
        let metric = e.metric(at.positions);
        let strain = M::strain(metric);
        let rate = match at.rate {
            Rate::Instant => M::push_forward(metric, e.green_rate(at)),
            Rate::Since { per_second } => {
                let base = self.history.base(memory, e.number as usize);
                std::array::from_fn(|m| per_second * (strain[m] - base[m]))
            }
        };
        (strain, rate)
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
            let sweep =
                Sweep::<_, _, _, JACOBIAN> { block: self, range, at, memory, projection, forces, diagonal, lower };
            // Comparison models with curves stay scalar: their laws are, and each lane copy costs seconds of compilation.
            if const { M::GREEN || P::CONVEX } { self.level.dispatch(sweep) } else { sweep.run::<f64>() }
        });
    }
}

impl Element {
    fn new(mesh: &Mesh, triangle: u32) -> Self {
        let t = triangle as usize;
        let mut corners: [(u32, DVec2); 3] = std::array::from_fn(|i| (mesh.triangles[t][i], mesh.material[t][i]));
        corners.sort_unstable_by_key(|c| std::cmp::Reverse(c.0));
        let [a, b, c] = corners.map(|c| c.1);
        // Twice the signed area; the sign follows the sorting and cancels in r.
        let d = (b - a).perp_dot(c - a);
        Self {
            corners: corners.map(|c| c.0),
            slots: [0; 3],
            weft: [(c.y - a.y) / d, (a.y - b.y) / d],
            warp: [(a.x - c.x) / d, (b.x - a.x) / d],
            area: 0.5 * d.abs(),
            number: triangle,
        }
    }

    fn threads(&self, at: &[DVec3]) -> (DVec3, DVec3) {
        let [a, b, c] = self.corners.map(|i| at[i as usize]);
        let (ab, ac) = (b - a, c - a);
        (self.weft[0] * ab + self.weft[1] * ac, self.warp[0] * ab + self.warp[1] * ac)
    }

    fn metric(&self, positions: &[DVec3]) -> [f64; 3] {
        let (u, v) = self.threads(positions);
        [u.dot(u), v.dot(v), u.dot(v)]
    }

    /// Volino09 eq. (9′).
    fn green_rate(&self, at: &Moment) -> [f64; 3] {
        let (u, v) = self.threads(at.positions);
        let (du, dv) = self.threads(at.velocities);
        [u.dot(du), v.dot(dv), u.dot(dv) + v.dot(du)]
    }
}

impl<M: Measure, P: Law> Force for Triangles<M, P> {
    fn name(&self) -> &'static str {
        "membrane"
    }

    fn reads_velocities(&self) -> bool {
        false
    }

    fn stencils(&self, visit: &mut dyn FnMut(&[u32])) {
        self.elements.iter().for_each(|e| visit(&e.corners));
    }

    fn bind(&mut self, pattern: &Pattern) {
        for e in &mut self.elements {
            let [a, b, c] = e.corners;
            e.slots = [(a, b), (a, c), (b, c)].map(|(i, j)| pattern.slot(i, j).expect("stencil is in the pattern"));
        }
    }

    fn memory_len(&self) -> usize {
        self.history.len(self.elements.len())
    }

    fn prepare(&self, base: &[(f64, &[DVec3])], memory: &mut [f64]) {
        if self.viscous.is_none() {
            return;
        }
        for e in &self.elements {
            let mut strain = [0.0; 3];
            for (weight, positions) in base {
                let s = M::strain(e.metric(positions));
                for m in 0..3 {
                    strain[m] += weight * s[m];
                }
            }
            self.history.set_base(memory, e.number as usize, strain);
        }
    }

    fn energy(&self, at: &Moment, memory: &[f64]) -> f64 {
        self.sum(|e| {
            let strain = M::strain(e.metric(at.positions));
            let stored = self.history.stored(memory, e.number as usize, strain, at.elapsed);
            e.area * (self.law.energy(strain) + stored)
        })
    }

    fn potential(&self, at: &Moment, memory: &[f64]) -> f64 {
        self.sum(|e| {
            let (strain, rate) = self.strain_and_rate(e, at, memory);
            let mut w = self.law.energy(strain) + self.history.potential(memory, e.number as usize, strain, at.elapsed);
            if let (Some(law), Rate::Since { per_second }) = (&self.viscous, at.rate) {
                w += law.energy(rate) / per_second;
            }
            e.area * w
        })
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
        let product = Scatter::new(product);
        self.schedule.run(|range| {
            let work = Product { block: self, range, at, memory, projection, direction, product };
            if const { M::GREEN } { self.level.dispatch(work) } else { work.run::<f64>() }
        });
        true
    }

    fn commit(&self, at: &Moment, memory: &mut [f64]) -> f64 {
        if memory.is_empty() {
            return 0.0;
        }
        let mut dissipated = 0.0;
        for e in &self.elements {
            let (strain, rate) = self.strain_and_rate(e, at, memory);
            if let Some(law) = &self.viscous {
                let stress = law.stress(rate);
                dissipated += e.area * at.elapsed * (0..3).map(|m| stress[m] * rate[m]).sum::<f64>();
            }
            dissipated += e.area * self.history.commit(memory, e.number as usize, strain, at.elapsed);
        }
        dissipated
    }

    fn triangle_states(&self, positions: &[DVec3]) -> Option<Vec<TriangleState>> {
        Some(self.states(positions))
    }
}

/// A few elements in lanes: corner positions, weights, area.
struct Packed<L> {
    weft: [L; 2],
    warp: [L; 2],
    area: L,
}

type Vec3<L> = [L; 3];
type Mat3<L> = [[L; 3]; 3];

impl<M: Measure, P: Law> Triangles<M, P> {
    /// The elements from `start`; past the end of the range the last one is repeated and ignored by the caller.
    #[inline(always)]
    fn pack<L: Lane>(&self, start: usize, end: usize) -> (Packed<L>, [usize; 8]) {
        let index: [usize; 8] = std::array::from_fn(|i| (start + i).min(end - 1));
        let mut table = [[0.0; 8]; 5];
        for i in 0..L::WIDTH {
            let e = &self.elements[index[i]];
            (table[0][i], table[1][i], table[2][i], table[3][i]) = (e.weft[0], e.weft[1], e.warp[0], e.warp[1]);
            table[4][i] = e.area;
        }
        let [a, b, c, d, area] = &table;
        let packed = Packed { weft: [L::load(a), L::load(b)], warp: [L::load(c), L::load(d)], area: L::load(area) };
        (packed, index)
    }

    /// U and V of any field over the vertices.
    #[inline(always)]
    fn thread_vectors<L: Lane>(&self, packed: &Packed<L>, index: &[usize; 8], field: &[DVec3]) -> (Vec3<L>, Vec3<L>) {
        // Edges are formed before the lanes: fewer numbers to turn around. Plain loops, because closures over wide registers
        // are not always inlined, and a call outside the kernel passes them through memory.
        let (mut ab, mut ac) = ([[0.0; 8]; 3], [[0.0; 8]; 3]);
        for i in 0..L::WIDTH {
            let [a, b, c] = self.elements[index[i]].corners;
            let a = field[a as usize];
            let (b, c) = (field[b as usize] - a, field[c as usize] - a);
            (ab[0][i], ab[1][i], ab[2][i]) = (b.x, b.y, b.z);
            (ac[0][i], ac[1][i], ac[2][i]) = (c.x, c.y, c.z);
        }
        let (mut u, mut v) = ([L::splat(0.0); 3], [L::splat(0.0); 3]);
        for k in 0..3 {
            let (b, c) = (L::load(&ab[k]), L::load(&ac[k]));
            u[k] = packed.weft[0].mul_add(b, packed.weft[1] * c);
            v[k] = packed.warp[0].mul_add(b, packed.warp[1] * c);
        }
        (u, v)
    }

    /// Stress and tangent in Green components, with viscosity and memory.
    #[inline(always)]
    fn respond<L: Lane>(
        &self,
        metric: [L; 3],
        green_rate: impl FnOnce() -> [L; 3],
        index: &[usize; 8],
        at: &Moment,
        memory: &[f64],
    ) -> Response<L> {
        let strain = M::strain(metric);
        let mut response = self.law.respond(strain);
        if self.viscous.is_some() || self.history.has_branches() {
            let rate = match at.rate {
                Rate::Instant => M::push_forward(metric, green_rate()),
                Rate::Since { .. } => [L::splat(0.0); 3],
            };
            let mut lanes = [Response { stress: [0.0; 3], tangent: [0.0; 6] }; 8];
            for (i, lane) in lanes.iter_mut().enumerate().take(L::WIDTH) {
                let (strain, rate) = (strain.map(|s| s.lane(i)), rate.map(|s| s.lane(i)));
                *lane = self.inelastic(index[i], strain, rate, at, memory);
            }
            for m in 0..3 {
                response.stress[m] += L::from_fn(|i| lanes[i].stress[m]);
            }
            for k in 0..6 {
                response.tangent[k] += L::from_fn(|i| lanes[i].tangent[k]);
            }
        }
        M::pull_back(metric, response)
    }

    /// Viscosity and hysteresis of one element; `instant` is used where rates come from velocities.
    #[inline(never)]
    fn inelastic(
        &self,
        position: usize,
        strain: [f64; 3],
        instant: [f64; 3],
        at: &Moment,
        memory: &[f64],
    ) -> Response<f64> {
        let number = self.elements[position].number as usize;
        let mut response = self.history.respond(memory, number, strain, at.elapsed);
        if let Some(law) = &self.viscous {
            // No Jacobian is taken of explicit forces: there the weight does not matter.
            let (rate, weight) = match at.rate {
                Rate::Instant => (instant, 0.0),
                Rate::Since { per_second } => {
                    let base = self.history.base(memory, number);
                    (std::array::from_fn(|m| per_second * (strain[m] - base[m])), per_second)
                }
            };
            let viscous = law.respond(rate);
            for m in 0..3 {
                response.stress[m] += viscous.stress[m];
            }
            for k in 0..6 {
                response.tangent[k] += weight * viscous.tangent[k];
            }
        }
        response
    }
}

#[inline(always)]
fn dot<L: Lane>(a: &Vec3<L>, b: &Vec3<L>) -> L {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))
}

/// Makes the Jacobian positive where asked: stress of the geometric part, and the tangent where a law or measure may bend down.
#[inline(always)]
fn project<M: Measure, P: Law, L: Lane>(response: &mut Response<L>, projection: Projection) {
    let zero = L::splat(0.0);
    match projection {
        Projection::None => return,
        Projection::Clamp => {
            response.stress[0] = response.stress[0].max(zero);
            response.stress[1] = response.stress[1].max(zero);
        }
        Projection::Exact => response.stress = positive_part(response.stress),
    }
    if !(M::GREEN && P::CONVEX) {
        positive_tangent(&mut response.tangent);
    }
}

/// Nearest positive semidefinite 2×2 stress [[σ_uu, σ_uv], [σ_uv, σ_vv]].
///
/// Eigenvalues are m ± r; the positive part is S⁺ = Σ max(λ,0) P_λ with projectors P± = ½(I ± (S − mI)/r).
#[inline(always)]
fn positive_part<L: Lane>([a, b, c]: [L; 3]) -> [L; 3] {
    let half = L::splat(0.5);
    let zero = L::splat(0.0);
    let (m, d) = (half * (a + b), half * (a - b));
    // The floor avoids 0/0 at isotropic stress, where the split between the projectors does not matter.
    let r = d.mul_add(d, c * c).sqrt().max(L::splat(1e-30));
    let (high, low) = ((m + r).max(zero), (m - r).max(zero));
    let (mean, spread) = (half * (high + low), half * (high - low) / r);
    [spread.mul_add(d, mean), mean - spread * d, spread * c]
}

/// Replaces tangents that are not positive semidefinite, lane by lane: rare, so the eigenvalue work is scalar.
#[inline(always)]
fn positive_tangent<L: Lane>(tangent: &mut [L; 6]) {
    let mut lanes = [[0.0; 6]; 8];
    let mut changed = false;
    for (i, t) in lanes.iter_mut().enumerate().take(L::WIDTH) {
        *t = std::array::from_fn(|k| tangent[k].lane(i));
        let [a, b, c, d, e, f] = *t;
        let minor = a * b - d * d;
        let determinant = c * minor - f * (a * f - d * e) + e * (d * f - b * e);
        if !(a > 0.0 && minor > 0.0 && determinant > 0.0) {
            *t = crate::linalg::positive_sym3(*t);
            changed = true;
        }
    }
    if changed {
        for k in 0..6 {
            tangent[k] = L::from_fn(|i| lanes[i][k]);
        }
    }
}

/// Blocks of the energy's Hessian over (U, V), times the area.
#[inline(always)]
fn thread_hessian<L: Lane>(u: &Vec3<L>, v: &Vec3<L>, r: &Response<L>, area: L) -> [Mat3<L>; 3] {
    let [euu, evv, ess, euv, eus, evs] = r.tangent.map(|e| area * e);
    let [su, sv, ss] = r.stress.map(|s| area * s);
    let mut h = [[[L::splat(0.0); 3]; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            let (uu, vv) = (u[i] * u[j], v[i] * v[j]);
            let (uv, vu) = (u[i] * v[j], v[i] * u[j]);
            h[0][i][j] = euu.mul_add(uu, eus.mul_add(uv + vu, ess * vv));
            h[1][i][j] = euv.mul_add(uv, eus.mul_add(uu, evs.mul_add(vv, ess * vu)));
            h[2][i][j] = evv.mul_add(vv, evs.mul_add(uv + vu, ess * uu));
        }
        h[0][i][i] += su;
        h[1][i][i] += ss;
        h[2][i][i] += sv;
    }
    h
}

/// Block (j, i) = r_uj r_ui H_UU + r_uj r_vi H_UV + r_vj r_ui H_UVᵀ + r_vj r_vi H_VV.
#[inline(always)]
fn vertex_block<L: Lane>(h: &[Mat3<L>; 3], (uj, vj): (L, L), (ui, vi): (L, L)) -> [L; 9] {
    let (uu, uv, vu, vv) = (uj * ui, uj * vi, vj * ui, vj * vi);
    std::array::from_fn(|k| {
        let (r, c) = (k / 3, k % 3);
        uu.mul_add(h[0][r][c], uv.mul_add(h[1][r][c], vu.mul_add(h[1][c][r], vv * h[2][r][c])))
    })
}

/// Forces and Jacobian of a range of elements.
struct Sweep<'a, M, P, T, const JACOBIAN: bool> {
    block: &'a Triangles<M, P>,
    range: Range<usize>,
    at: &'a Moment<'a>,
    memory: &'a [f64],
    projection: Projection,
    forces: Option<Scatter<'a, DVec3>>,
    diagonal: Scatter<'a, [T; 9]>,
    lower: Scatter<'a, [T; 9]>,
}

impl<M: Measure, P: Law, T: Real, const JACOBIAN: bool> Kernel for Sweep<'_, M, P, T, JACOBIAN> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let mut start = self.range.start;
        while start < self.range.end {
            let count = L::WIDTH.min(self.range.end - start);
            let (packed, index) = self.block.pack::<L>(start, self.range.end);
            let (u, v) = self.block.thread_vectors(&packed, &index, self.at.positions);
            let metric = [dot(&u, &u), dot(&v, &v), dot(&u, &v)];
            let green_rate = || {
                let (du, dv) = self.block.thread_vectors(&packed, &index, self.at.velocities);
                [dot(&u, &du), dot(&v, &dv), dot(&u, &dv) + dot(&v, &du)]
            };
            let mut response = self.block.respond(metric, green_rate, &index, self.at, self.memory);
            if let Some(forces) = &self.forces {
                self.scatter_forces(forces, &packed, &u, &v, &response, &index[..count]);
            }
            if JACOBIAN {
                project::<M, P, L>(&mut response, self.projection);
                self.scatter_blocks(&packed, &u, &v, &response, &index[..count]);
            }
            start += L::WIDTH;
        }
    }
}

impl<M: Measure, P: Law, T: Real, const JACOBIAN: bool> Sweep<'_, M, P, T, JACOBIAN> {
    /// Volino09 eq. (11).
    #[inline(always)]
    fn scatter_forces<L: Lane>(
        &self,
        forces: &Scatter<DVec3>,
        p: &Packed<L>,
        u: &Vec3<L>,
        v: &Vec3<L>,
        r: &Response<L>,
        index: &[usize],
    ) {
        let [su, sv, ss] = r.stress.map(|s| p.area * s);
        let mut f = [[L::splat(0.0); 3]; 2];
        for k in 0..3 {
            let tu = su.mul_add(u[k], ss * v[k]);
            let tv = sv.mul_add(v[k], ss * u[k]);
            for (corner, force) in f.iter_mut().enumerate() {
                force[k] = -p.weft[corner].mul_add(tu, p.warp[corner] * tv);
            }
        }
        let mut g = [[[0.0; 8]; 3]; 2];
        for corner in 0..2 {
            for k in 0..3 {
                g[corner][k] = f[corner][k].to_array();
            }
        }
        for (i, &e) in index.iter().enumerate() {
            let [a, b, c] = self.block.elements[e].corners;
            let fb = DVec3::new(g[0][0][i], g[0][1][i], g[0][2][i]);
            let fc = DVec3::new(g[1][0][i], g[1][1][i], g[1][2][i]);
            *forces.at(b as usize) += fb;
            *forces.at(c as usize) += fc;
            *forces.at(a as usize) -= fb + fc;
        }
    }

    /// Volino09 eqs. (12), (13).
    #[inline(always)]
    fn scatter_blocks<L: Lane>(&self, p: &Packed<L>, u: &Vec3<L>, v: &Vec3<L>, r: &Response<L>, index: &[usize]) {
        let h = thread_hessian(u, v, r, p.area);
        let weights =
            [(-(p.weft[0] + p.weft[1]), -(p.warp[0] + p.warp[1])), (p.weft[0], p.warp[0]), (p.weft[1], p.warp[1])];
        // Transposed through a small table: lanes in, one block per element out. Plain loops: closures over wide registers
        // are not always inlined, and a call outside the kernel passes them through memory.
        let mut table = [[[T::default(); 8]; 9]; 3];
        for (pair, (j, i)) in [(0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
            let block = vertex_block(&h, weights[j], weights[i]);
            for k in 0..9 {
                let lanes = block[k].to_array();
                for l in 0..L::WIDTH {
                    table[pair][k][l] = T::from_f64(lanes[l]);
                }
            }
        }
        for (i, &e) in index.iter().enumerate() {
            let element = &self.block.elements[e];
            let mut blocks = [[T::default(); 9]; 3];
            for pair in 0..3 {
                for k in 0..9 {
                    blocks[pair][k] = table[pair][k][i];
                }
            }
            let [ab, ac, bc] = blocks;
            for (slot, block) in element.slots.iter().zip([&ab, &ac, &bc]) {
                let to = self.lower.at(*slot as usize);
                for k in 0..9 {
                    to[k] += block[k];
                }
            }
            let [a, b, c] = element.corners.map(|c| c as usize);
            let (da, db, dc) = (self.diagonal.at(a), self.diagonal.at(b), self.diagonal.at(c));
            for k in 0..9 {
                let t = 3 * (k % 3) + k / 3;
                da[k] -= ab[k] + ac[k];
                db[k] -= ab[t] + bc[k];
                dc[k] -= ac[t] + bc[t];
            }
        }
    }
}

/// Jacobian times a direction, from the state alone (no stored matrix).
struct Product<'a, M, P> {
    block: &'a Triangles<M, P>,
    range: Range<usize>,
    at: &'a Moment<'a>,
    memory: &'a [f64],
    projection: Projection,
    direction: &'a [DVec3],
    product: Scatter<'a, DVec3>,
}

impl<M: Measure, P: Law> Kernel for Product<'_, M, P> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let mut start = self.range.start;
        while start < self.range.end {
            let count = L::WIDTH.min(self.range.end - start);
            let (packed, index) = self.block.pack::<L>(start, self.range.end);
            let (u, v) = self.block.thread_vectors(&packed, &index, self.at.positions);
            let (du, dv) = self.block.thread_vectors(&packed, &index, self.direction);
            let metric = [dot(&u, &u), dot(&v, &v), dot(&u, &v)];
            let zero_rate = || [L::splat(0.0); 3];
            let mut r = self.block.respond(metric, zero_rate, &index, self.at, self.memory);
            project::<M, P, L>(&mut r, self.projection);
            // dσ = E dε with dε = (U·dU, V·dV, U·dV + V·dU), then d(σ_uu U + σ_uv V) and its partner.
            let strain = [dot(&u, &du), dot(&v, &dv), dot(&u, &dv) + dot(&v, &du)];
            let ds = crate::law::sym_mul(&r.tangent, strain);
            let [su, sv, ss] = r.stress;
            let mut f = [[L::splat(0.0); 3]; 2];
            for k in 0..3 {
                let tu = ds[0].mul_add(u[k], ds[2].mul_add(v[k], su.mul_add(du[k], ss * dv[k])));
                let tv = ds[1].mul_add(v[k], ds[2].mul_add(u[k], sv.mul_add(dv[k], ss * du[k])));
                for (corner, force) in f.iter_mut().enumerate() {
                    force[k] = packed.area * packed.weft[corner].mul_add(tu, packed.warp[corner] * tv);
                }
            }
            let mut g = [[[0.0; 8]; 3]; 2];
            for corner in 0..2 {
                for k in 0..3 {
                    g[corner][k] = f[corner][k].to_array();
                }
            }
            for (i, &e) in index.iter().enumerate().take(count) {
                let [a, b, c] = self.block.elements[e].corners;
                let fb = DVec3::new(g[0][0][i], g[0][1][i], g[0][2][i]);
                let fc = DVec3::new(g[1][0][i], g[1][1][i], g[1][2][i]);
                *self.product.at(b as usize) += fb;
                *self.product.at(c as usize) += fc;
                *self.product.at(a as usize) -= fb + fc;
            }
            start += L::WIDTH;
        }
    }
}
