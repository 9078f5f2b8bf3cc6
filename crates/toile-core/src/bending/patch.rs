//! Rest geometry of a sheet: edges of triangles in the material plane, hinges, and the reconstruction of edge slopes.
//!
//! Reconstruction: the mean of two face slopes at the middle of an edge e is not the slope of the surface there. The
//! correction φ_e = Σ c_ef θ_f over the hinges f around is exact on quadratic surfaces z_k = ½u², ½v², uv (Hessian H_k) when
//! Σ_f c_ef α_fk = β_k with
//! ```text
//! β_k  = t·(H_k m − ½(∇z_k|₁ + ∇z_k|₂))          m the middle of e, ∇z|₁,₂ slopes of its faces, t normal to e
//! α_fk = t_f·(∇z_k|₂ − ∇z_k|₁)                    what hinge f sees of z_k
//! c    = W α (αᵀ W α)⁻¹ β,  W = diag(l_f²/(A₁+A₂))
//! ```
//! of which there are many; the weights pick the smallest correction in the energy of the hinges. Usually the five hinges of
//! the two triangles of e suffice; near corners the next rings are added until β is met. Faces are unfolded about the edges
//! that lead to them, so seams and closed sheets are no special case. The construction is ours, no paper is claimed for it.

use super::angle::{Hinge, Kind};
use super::{BendingError, Input};
use crate::law::{AnyLaw, Sym3, sym_mul};
use crate::mesh::Topology;
use glam::{DMat3, DVec2, DVec3};

const NONE: u32 = Topology::NONE;

/// What lies at an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Line {
    /// Fabric goes on.
    Interior,
    /// End of the fabric: no moment.
    Free,
    /// Held in direction.
    Clamp,
    /// Fold line with its own stiffness: to the fabric beside it an end, like `Free`.
    Crease,
}

/// One side of a triangle in its own material plane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) edge: u32,
    /// Rest length (m).
    pub(super) length: f64,
    /// (t_u², t_v², 2 t_u t_v) of the outward unit normal t.
    pub(super) g: [f64; 3],
    /// +1 in the first triangle of the edge, −1 in the second.
    pub(super) sign: f64,
}

/// Rest geometry of a sheet.
pub(super) struct Patch<'a> {
    input: &'a Input<'a>,
    pub(super) lines: Vec<Line>,
    /// The hinge of every edge; none on free edges.
    pub(super) hinge_of: Vec<u32>,
    pub(super) hinges: Vec<Hinge>,
}

impl<'a> Patch<'a> {
    pub(super) fn new(input: &'a Input<'a>) -> Result<Self, BendingError> {
        let edges = &input.topology.edges;
        let mut lines: Vec<Line> =
            edges.iter().map(|e| if e.triangles[1] == NONE { Line::Free } else { Line::Interior }).collect();
        let mut directors = vec![NONE; edges.len()];
        for (index, clamp) in input.clamps.iter().enumerate() {
            let edge = clamp.edge as usize;
            if lines[edge] == Line::Clamp {
                return Err(BendingError::Edge { what: "clamp", index, edge: clamp.edge, reason: "is clamped twice" });
            }
            lines[edge] = Line::Clamp;
            directors[edge] = clamp.director;
        }
        for (index, crease) in input.creases.iter().enumerate() {
            let edge = crease.edge as usize;
            if lines[edge] == Line::Crease {
                return Err(BendingError::Edge {
                    what: "crease",
                    index,
                    edge: crease.edge,
                    reason: "is creased twice",
                });
            }
            lines[edge] = Line::Crease;
        }
        let mut patch = Self { input, lines, hinge_of: vec![NONE; edges.len()], hinges: Vec::new() };
        for e in 0..edges.len() {
            if patch.lines[e] != Line::Free {
                patch.hinge_of[e] = patch.hinges.len() as u32;
                patch.hinges.push(patch.hinge(e, directors[e]));
            }
        }
        Ok(patch)
    }

    pub(super) fn triangle_count(&self) -> usize {
        self.input.mesh.triangles.len()
    }

    pub(super) fn area(&self, triangle: usize) -> f64 {
        self.input.mesh.rest_area(triangle)
    }

    /// Rigidity of a triangle over that of the material.
    pub(super) fn factor(&self, triangle: usize) -> f64 {
        self.input.factors.get(triangle).copied().unwrap_or(1.0)
    }

    /// Of the two triangles at an edge together, by their areas: in series, as about a hinge one bends after the other.
    pub(super) fn mean_factor(&self, edge: usize) -> f64 {
        let triangles = self.input.topology.edges[edge].triangles;
        let of = |k: usize| self.factor(if triangles[k] == NONE { triangles[0] } else { triangles[k] } as usize);
        let [first, second] = self.areas(edge);
        (first + second) / (first / of(0) + second / of(1))
    }

    /// Areas of the two triangles at an edge; a boundary has its own twice, as if mirrored.
    pub(super) fn areas(&self, edge: usize) -> [f64; 2] {
        let [t1, t2] = self.input.topology.edges[edge].triangles;
        let first = self.area(t1 as usize);
        [first, if t2 == NONE { first } else { self.area(t2 as usize) }]
    }

    pub(super) fn rest_angle(&self, edge: usize) -> f64 {
        self.input.rest.angles.get(edge).copied().unwrap_or(0.0)
    }

    pub(super) fn rest_curvature(&self, triangle: usize) -> [f64; 3] {
        self.input.rest.curvature.get(triangle).copied().unwrap_or([0.0; 3])
    }

    /// The sides of a triangle, from corner i to corner i+1.
    pub(super) fn sides(&self, triangle: usize) -> [Side; 3] {
        std::array::from_fn(|i| {
            let m = self.input.mesh.material[triangle];
            let e = m[(i + 1) % 3] - m[i];
            let t = DVec2::new(e.y, -e.x) / e.length();
            let edge = self.input.topology.triangle_edges[triangle][i];
            let first = self.input.topology.edges[edge as usize].triangles[0] as usize == triangle;
            Side {
                edge,
                length: e.length(),
                g: [t.x * t.x, t.y * t.y, 2.0 * t.x * t.y],
                sign: if first { 1.0 } else { -1.0 },
            }
        })
    }

    /// The side of a triangle on a given edge.
    pub(super) fn side(&self, triangle: usize, edge: usize) -> Side {
        let sides = self.sides(triangle);
        *sides.iter().find(|s| s.edge as usize == edge).expect("a triangle knows its edges")
    }

    /// Material coordinates of a triangle as (start, end, opposite) of one of its edges, in its own winding.
    fn around(&self, triangle: usize, edge: usize) -> [DVec2; 3] {
        let i = self.input.topology.triangle_edges[triangle].iter().position(|&e| e as usize == edge);
        let i = i.expect("a triangle knows its edges");
        let m = self.input.mesh.material[triangle];
        [m[i], m[(i + 1) % 3], m[(i + 2) % 3]]
    }

    fn hinge(&self, edge: usize, director: u32) -> Hinge {
        let e = &self.input.topology.edges[edge];
        let [a, b] = e.vertices;
        let (s1, h1, length) = foot(self.around(e.triangles[0] as usize, edge));
        if e.triangles[1] == NONE {
            let nodes = [a, b, e.opposite[0], director];
            return Hinge { nodes, kind: Kind::Clamp, length, heights: [h1, 1.0], feet: [s1, 0.0] };
        }
        let (s2, h2, _) = foot(self.around(e.triangles[1] as usize, edge));
        let nodes = [a, b, e.opposite[0], e.opposite[1]];
        Hinge { nodes, kind: Kind::Fold, length, heights: [h1, h2], feet: [s1, 1.0 - s2] }
    }

    /// Rigidity (N·m) of bending about an edge, mean of its sides.
    pub(super) fn rigidity(&self, edge: usize) -> f64 {
        let d = self.input.material.elastic.stiffness();
        let [t1, t2] = self.input.topology.edges[edge].triangles;
        let of = |t: u32| {
            let g = self.side(t as usize, edge).g;
            dot(g, sym_mul(&d, g))
        };
        if t2 == NONE { of(t1) } else { 0.5 * (of(t1) + of(t2)) }
    }

    /// c_ef of an interior edge, as (hinge, coefficient). Empty where the faces' mean is already right.
    pub(super) fn reconstruction(&self, edge: usize) -> Vec<(u32, f64)> {
        let e = &self.input.topology.edges[edge];
        let [a, b, c] = self.around(e.triangles[0] as usize, edge);
        // Origin in the middle of e and lengths in l: H_k m = 0, and tolerances are plain numbers.
        let (middle, scale) = (0.5 * (a + b), 1.0 / (b - a).length());
        let first = [a, b, c].map(|p| (p - middle) * scale);
        let t = outward(first[0], first[1]);
        let second = self.unfold(e.triangles[1] as usize, edge, first[0], first[1]);
        let beta = -0.5 * t_dot(t, slopes(first), slopes(second));
        if beta.abs().max_element() < 1e-13 {
            return Vec::new();
        }
        let mut faces = vec![Face { triangle: e.triangles[0] as usize, corners: first, entry: edge }];
        faces.push(Face { triangle: e.triangles[1] as usize, corners: second, entry: edge });
        let mut best = Vec::new();
        for _ring in 0..4 {
            let (hinges, alpha, weights) = self.view(&faces);
            let (c, residual) = solve(&alpha, &weights, beta);
            best = hinges.into_iter().zip(c).collect();
            if residual < 1e-9 {
                break;
            }
            self.grow(&mut faces);
        }
        best
    }

    /// Places a triangle beyond an edge that runs from p to q in the face before it: (start, end, opposite) as that triangle
    /// runs. Heights are kept, and feet as parts of the length, so sides of different length (ease) still share the edge.
    fn unfold(&self, triangle: usize, edge: usize, p: DVec2, q: DVec2) -> [DVec2; 3] {
        let (s, h, length) = foot(self.around(triangle, edge));
        let stretch = (q - p).length() / length;
        [q, p, q + s * (p - q) + h * stretch * outward(p, q)]
    }

    /// α and W of all hinges of the faces.
    fn view(&self, faces: &[Face]) -> (Vec<u32>, Vec<DVec3>, Vec<f64>) {
        let (mut hinges, mut alpha, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for face in faces {
            for (edge, p, q) in face.edges(self) {
                let hinge = self.hinge_of[edge];
                if hinge == NONE || self.lines[edge] == Line::Crease || hinges.contains(&hinge) {
                    continue;
                }
                let t = outward(p, q);
                let here = slopes(face.corners);
                let row = match self.beyond(face.triangle, edge) {
                    Some(next) => t_dot(t, slopes(self.unfold(next, edge, p, q)), here.map(|s| -s)),
                    // A clamp sees twice the slope of the surface against the face.
                    None => 2.0 * t_dot(t, hessian_times(0.5 * (p + q)), here.map(|s| -s)),
                };
                let [a1, a2] = self.areas(edge);
                hinges.push(hinge);
                alpha.push(row);
                weights.push(self.hinges[hinge as usize].length.powi(2) / (a1 + a2));
            }
        }
        (hinges, alpha, weights)
    }

    fn beyond(&self, triangle: usize, edge: usize) -> Option<usize> {
        let [t1, t2] = self.input.topology.edges[edge].triangles;
        let other = if t1 as usize == triangle { t2 } else { t1 };
        (other != NONE).then_some(other as usize)
    }

    /// Adds the faces beyond all edges.
    fn grow(&self, faces: &mut Vec<Face>) {
        for k in 0..faces.len() {
            for (edge, p, q) in faces[k].edges(self) {
                let Some(triangle) = self.beyond(faces[k].triangle, edge) else { continue };
                if self.lines[edge] != Line::Crease && faces.iter().all(|f| f.triangle != triangle) {
                    faces.push(Face { triangle, corners: self.unfold(triangle, edge, p, q), entry: edge });
                }
            }
        }
    }
}

/// A triangle laid into the plane of the reconstruction; `corners` start with the edge it was entered by.
struct Face {
    triangle: usize,
    corners: [DVec2; 3],
    entry: usize,
}

impl Face {
    /// Its edges with their ends, as the triangle runs.
    fn edges(&self, patch: &Patch) -> [(usize, DVec2, DVec2); 3] {
        let edges = patch.input.topology.triangle_edges[self.triangle];
        let i = edges.iter().position(|&e| e as usize == self.entry).expect("a face was entered by its edge");
        std::array::from_fn(|k| (edges[(i + k) % 3] as usize, self.corners[k], self.corners[(k + 1) % 3]))
    }
}

/// Foot (part of the length from the start), height and length of (start, end, opposite).
fn foot([p, q, r]: [DVec2; 3]) -> (f64, f64, f64) {
    let (e, f) = (q - p, r - p);
    (f.dot(e) / e.length_squared(), e.perp_dot(f) / e.length(), e.length())
}

/// Unit normal pointing out of a counter-clockwise triangle across its edge p→q.
fn outward(p: DVec2, q: DVec2) -> DVec2 {
    let e = q - p;
    DVec2::new(e.y, -e.x) / e.length()
}

/// Slopes ∇z_k of the linear interpolants of ½u², ½v², uv over a triangle.
fn slopes([p, q, r]: [DVec2; 3]) -> [DVec2; 3] {
    let (e, f) = (q - p, r - p);
    let det = e.perp_dot(f);
    let z = |x: DVec2| [0.5 * x.x * x.x, 0.5 * x.y * x.y, x.x * x.y];
    let (zp, zq, zr) = (z(p), z(q), z(r));
    std::array::from_fn(|k| {
        let (a, b) = (zq[k] - zp[k], zr[k] - zp[k]);
        DVec2::new(a * f.y - b * e.y, b * e.x - a * f.x) / det
    })
}

/// Exact slopes H_k m of the three quadratics.
fn hessian_times(m: DVec2) -> [DVec2; 3] {
    [DVec2::new(m.x, 0.0), DVec2::new(0.0, m.y), DVec2::new(m.y, m.x)]
}

fn t_dot(t: DVec2, a: [DVec2; 3], b: [DVec2; 3]) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|k| t.dot(a[k] + b[k])))
}

/// Smallest c in the norm of W⁻¹ with αᵀ c = β, and how far β is missed. Directions that the hinges hardly see are left out.
fn solve(alpha: &[DVec3], weights: &[f64], beta: DVec3) -> (Vec<f64>, f64) {
    let mut normal = [0.0; 6];
    for (a, w) in alpha.iter().zip(weights) {
        let products = [a.x * a.x, a.y * a.y, a.z * a.z, a.x * a.y, a.x * a.z, a.y * a.z];
        for (n, p) in normal.iter_mut().zip(products) {
            *n += w * p;
        }
    }
    let y = pseudo_inverse_times(&normal, beta);
    let c: Vec<f64> = alpha.iter().zip(weights).map(|(a, w)| w * a.dot(y)).collect();
    let met: DVec3 = alpha.iter().zip(&c).map(|(a, c)| *a * *c).sum();
    (c, (met - beta).abs().max_element())
}

/// S⁺ b for a symmetric positive semidefinite S, eigenvalues below 1e-9 of the largest taken as zero.
fn pseudo_inverse_times(s: &Sym3<f64>, b: DVec3) -> DVec3 {
    let (values, vectors) = eigen(s);
    let cut = 1e-9 * values.iter().fold(0.0f64, |a, v| a.max(*v));
    (0..3).filter(|&k| values[k] > cut).map(|k| vectors.col(k) * (vectors.col(k).dot(b) / values[k])).sum()
}

/// Eigenvalues and eigenvectors (columns) of a symmetric 3×3 matrix by Jacobi rotations.
pub(super) fn eigen(s: &Sym3<f64>) -> ([f64; 3], DMat3) {
    let mut a = [[s[0], s[3], s[4]], [s[3], s[1], s[5]], [s[4], s[5], s[2]]];
    let mut v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _sweep in 0..12 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q] == 0.0 {
                continue;
            }
            let theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let rotate = |x: f64, y: f64| (c * x - t * c * y, t * c * x + c * y);
            for row in &mut a {
                (row[p], row[q]) = rotate(row[p], row[q]);
            }
            for k in 0..3 {
                (a[p][k], a[q][k]) = rotate(a[p][k], a[q][k]);
                (v[p][k], v[q][k]) = rotate(v[p][k], v[q][k]);
            }
        }
    }
    ([a[0][0], a[1][1], a[2][2]], DMat3::from_cols_array_2d(&v))
}

pub(super) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// P = I − G (GᵀDG)⁺ GᵀD, rows: curvature relaxes so that no moment acts across the given edges.
/// For a linear law w(Pκ) = ½ κᵀD*κ with the D* of the condensed plate.
pub(super) fn relaxation(law: &AnyLaw, free: &[[f64; 3]]) -> [[f64; 3]; 3] {
    let d = law.stiffness();
    let mut p = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    // One column after the other, each made D-orthogonal to those before: a dependent one vanishes and is skipped.
    let mut basis: Vec<[f64; 3]> = Vec::new();
    for &g in free {
        let start = dot(g, sym_mul(&d, g));
        let mut q = g;
        for b in &basis {
            let share = dot(*b, sym_mul(&d, q));
            q = std::array::from_fn(|k| q[k] - share * b[k]);
        }
        let left = dot(q, sym_mul(&d, q));
        if left > 1e-12 * start {
            let b = q.map(|x| x / left.sqrt());
            let db = sym_mul(&d, b);
            for (row, b) in p.iter_mut().zip(b) {
                for (x, db) in row.iter_mut().zip(db) {
                    *x -= b * db;
                }
            }
            basis.push(b);
        }
    }
    p
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bending::Rest;
    use crate::fabric::{Material, plate};
    use crate::mesh::{Diagonal, Grid};

    /// A grid with jolted vertices.
    fn jolted(cells: [usize; 2]) -> crate::mesh::Mesh {
        let size = cells.map(|c| 0.2 * c as f64);
        let mut mesh = Grid { cells, size, diagonal: Diagonal::Alternating }.mesh();
        let jolt = |k: u32| f64::from(k.wrapping_mul(2_654_435_761) >> 16) / 65_536.0 - 0.5;
        for (t, corners) in mesh.triangles.iter().enumerate() {
            for (place, &v) in mesh.material[t].iter_mut().zip(corners) {
                *place += 0.06 * DVec2::new(jolt(2 * v), jolt(2 * v + 1));
            }
        }
        mesh
    }

    /// On sheets with free edges too, φ brings the mean of the face slopes to the slope of any quadratic. All edges of a wide
    /// sheet do with the hinges of their two triangles; the ends of a strip one cell wide need the next ring.
    #[test]
    fn reconstructed_slopes_are_those_of_the_quadratic() {
        for (cells, next_ring) in [([6, 5], false), ([5, 1], true)] {
            let mesh = jolted(cells);
            let topology = Topology::new(&mesh).unwrap();
            let material = Material::elastic(plate(1.0, 1.0, 0.0, None).unwrap());
            let input = Input {
                mesh: &mesh,
                topology: &topology,
                material: &material,
                own: None,
                rest: Rest::default(),
                clamps: Vec::new(),
                creases: Vec::new(),
                factors: Vec::new(),
                first_node: 0,
                level: crate::lane::Level::detect(),
            };
            let patch = Patch::new(&input).unwrap();
            let z = |p: DVec2| 0.7 * p.x * p.x - 0.4 * p.y * p.y + 1.3 * p.x * p.y;
            let slope = |t: u32| {
                let [p, q, r] = mesh.material[t as usize];
                let (e, f) = (q - p, r - p);
                let (a, b) = (z(q) - z(p), z(r) - z(p));
                DVec2::new(a * f.y - b * e.y, b * e.x - a * f.x) / e.perp_dot(f)
            };
            let ends = |e: usize| {
                let [p, q, _] = patch.around(topology.edges[e].triangles[0] as usize, e);
                (p, q)
            };
            let angle = |e: usize| {
                let (p, q) = ends(e);
                outward(p, q).dot(slope(topology.edges[e].triangles[1]) - slope(topology.edges[e].triangles[0]))
            };
            let mut wide = 0;
            for e in (0..topology.edges.len()).filter(|&e| patch.lines[e] == Line::Interior) {
                let (p, q) = ends(e);
                let m = 0.5 * (p + q);
                let exact = DVec2::new(1.4 * m.x + 1.3 * m.y, 1.3 * m.x - 0.8 * m.y);
                let [t1, t2] = topology.edges[e].triangles;
                let correction = patch.reconstruction(e);
                let of_hinge = |h: u32| patch.hinge_of.iter().position(|&k| k == h).unwrap();
                let phi: f64 = correction.iter().map(|&(h, c)| c * angle(of_hinge(h))).sum();
                let found = outward(p, q).dot(0.5 * (slope(t1) + slope(t2))) + phi;
                assert!((found - outward(p, q).dot(exact)).abs() < 1e-8, "edge {e}: {found}");
                let around = |h: u32| {
                    let edge = &topology.edges[of_hinge(h)];
                    edge.triangles.iter().any(|t| [t1, t2].contains(t))
                };
                wide += usize::from(!correction.iter().all(|&(h, _)| around(h)));
            }
            assert_eq!(wide > 0, next_ring, "{wide} edges needed the next ring");
        }
    }

    /// Relaxed curvature has no moment across the free edges, and the rest of the energy is that of the condensed plate.
    #[test]
    fn relaxation_takes_out_the_moment_of_free_edges() {
        let law: AnyLaw = plate(3.0, 1.0, 0.3, Some(0.4)).unwrap().into();
        let kappa = [0.3, -0.2, 0.5];
        let (g, k) = ([0.36, 0.64, 0.96], [0.0, 1.0, 0.0]);
        for free in [vec![g], vec![g, k], vec![g, g]] {
            let p = relaxation(&law, &free);
            let relaxed = p.map(|row| dot(row, kappa));
            let moment = sym_mul(&law.stiffness(), relaxed);
            assert!(free.iter().all(|g| dot(*g, moment).abs() < 1e-14));
            // P is a projection: relaxing twice changes nothing.
            let again = p.map(|row| dot(row, relaxed));
            assert!((0..3).all(|m| (again[m] - relaxed[m]).abs() < 1e-14));
        }
        let gone = relaxation(&law, &[g, k, [1.0, 0.0, 0.0]]).map(|row| dot(row, kappa));
        assert!(gone.iter().all(|x| x.abs() < 1e-14));
    }
}
