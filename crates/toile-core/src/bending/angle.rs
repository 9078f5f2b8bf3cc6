//! The angle of a hinge, its gradient and its Hessian.
//!
//! Hinge: edge a→b, counter-clockwise in triangle 1 with opposite vertex c; d opposite in triangle 2. Per side:
//!
//! | symbol | meaning                                                                      | unit |
//! |--------|------------------------------------------------------------------------------|------|
//! | l, ê   | length and direction of the edge                                             | m, – |
//! | s, h   | foot of the opposite vertex on the edge (0 at a, 1 at b), its height         | –, m |
//! | τ, n   | unit vector from the edge to the opposite vertex, face normal                | –    |
//! | y      | motion of the opposite vertex against its foot, δc − (1−s)δa − sδb           | m    |
//! | d      | motion δb − δa of the edge                                                   | m    |
//!
//! θ = −atan2((n₁×n₂)·ê, n₁·n₂), positive where the sheet bends towards its outside. First and second variation (ours;
//! the gradient is the classical one) are sums over the two sides:
//! ```text
//! δθ  = Σ  n·y/h
//! δ²θ = Σ  −2 (y·τ/h)(y·n/h) − 2 (d·n/l)(y·ê/h) − (d·n/l)(d·τ/l)
//! ```
//! Every term of δ²θ is a product 2cXY of two dimensionless linear forms, with eigenvalues of either sign. Its positive part is
//! known in closed form, ½|c|(X ± Y)²: projection costs nothing. Written by nodes i, j, with Y_i the weights of y over h and
//! D_i those of d over l, each side adds the block
//! ```text
//! Y_iY_j S + D_iD_j Z + D_iY_j U + Y_iD_j Uᵀ        T = τnᵀ + nτᵀ,  Q = (τ ± n)(τ ± n)ᵀ,  ± = −sgn m
//! exact     S = −mT              Z = −½mT              U = −m nêᵀ
//! positive  S = ½|m|(Q + êêᵀ)    Z = ½|m|(½Q + nnᵀ)    U = −½m nêᵀ
//! ```
//!
//! A clamp measures the angle from the clamp normal k to the face normal, twice (the mirrored hinge). That is the hinge whose
//! second "triangle" is spanned by the edge and k itself, less a right angle: d = a + k.

use crate::force::Projection;
use crate::mesh::Topology;
use glam::DVec3;

/// Lengths below this part of their rest value are taken as this part: forces of a collapsed triangle stay finite.
const FLOOR: f64 = 1e-4;

/// What a hinge measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Angle between two triangles.
    Fold,
    /// Twice the angle between a clamp and a triangle; the fourth node is the director.
    Clamp,
    /// An auxiliary unknown, the x component of the first node.
    Slope,
}

/// A measured angle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hinge {
    /// a, b, c, d; a slope repeats its node.
    pub(super) nodes: [u32; 4],
    pub(super) kind: Kind,
    /// Rest length of the edge (m).
    pub(super) length: f64,
    /// Rest heights of the two sides (m); a clamp has 1 for its director.
    pub(super) heights: [f64; 2],
    /// Rest feet of the two sides.
    pub(super) feet: [f64; 2],
}

/// Gradient of an angle by its nodes.
pub(super) type Gradient = [DVec3; 4];

/// Blocks of m ∇²θ by pairs of nodes i ≥ j, row by row: aa, ba, bb, ca, …; 3×3, row-major.
pub(super) type Hessian = [[f64; 9]; 10];

/// S, Z and U of the blocks of one side.
type Parts = ([f64; 9], [f64; 9], [f64; 9]);

struct Side {
    tau: DVec3,
    n: DVec3,
    h: f64,
    /// Weights of y by nodes.
    y: [f64; 4],
}

impl Hinge {
    /// Nodes that move the angle.
    pub(super) fn nodes(&self) -> &[u32] {
        if self.kind == Kind::Slope { &self.nodes[..1] } else { &self.nodes }
    }

    /// Edge vector and the two vectors that span the faces with it.
    #[inline(always)]
    fn vectors(&self, x: &[DVec3]) -> [DVec3; 3] {
        let [a, b, c, d] = self.nodes.map(|i| x[i as usize]);
        [b - a, c - a, if self.kind == Kind::Clamp { d } else { d - a }]
    }

    /// The angle (rad).
    #[inline]
    pub(super) fn angle(&self, x: &[DVec3]) -> f64 {
        if self.kind == Kind::Slope {
            return x[self.nodes[0] as usize].x;
        }
        let [e, f1, f2] = self.vectors(x);
        turn(self.kind, e, e.cross(f1), f2.cross(e))
    }

    /// The angle and its gradient.
    #[inline]
    pub(super) fn gradient(&self, x: &[DVec3]) -> (f64, Gradient) {
        if self.kind == Kind::Slope {
            return (x[self.nodes[0] as usize].x, [DVec3::X, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO]);
        }
        let [e, f1, f2] = self.vectors(x);
        let (n1, n2) = (e.cross(f1), f2.cross(e));
        let l2 = e.length_squared().max(self.length * self.length * (FLOOR * FLOOR));
        let (l, floor) = (l2.sqrt(), l2 * (FLOOR * FLOOR));
        // n/h = l N/|N|².
        let p = n1 * (l / n1.length_squared().max(floor * self.heights[0] * self.heights[0]));
        let r = n2 * (l / n2.length_squared().max(floor * self.heights[1] * self.heights[1]));
        let (s1, s2) = (f1.dot(e) / l2, f2.dot(e) / l2);
        let (scale, own) = if self.kind == Kind::Clamp { (2.0, 0.0) } else { (1.0, 1.0) };
        let gradient = [-((1.0 - s1) * p + (own - s2) * r), -(s1 * p + s2 * r), p, r];
        (turn(self.kind, e, n1, n2), gradient.map(|g| scale * g))
    }

    #[inline(always)]
    fn sides(&self, x: &[DVec3]) -> (DVec3, f64, [Side; 2]) {
        let [e, f1, f2] = self.vectors(x);
        let l = e.length().max(self.length * FLOOR);
        let axis = e / l;
        let side = |f: DVec3, k: usize| {
            let s = f.dot(axis) / l;
            let across = f - s * e;
            let h = across.length().max(self.heights[k] * FLOOR);
            let tau = across / h;
            let own = if k == 1 && self.kind == Kind::Clamp { 0.0 } else { 1.0 };
            let mut y = [s - own, -s, 0.0, 0.0];
            y[2 + k] = 1.0;
            Side { tau, n: if k == 0 { axis.cross(tau) } else { tau.cross(axis) }, h, y }
        };
        (axis, l, [side(f1, 0), side(f2, 1)])
    }

    /// m ∇²θ of a fold or clamp, exact or its positive part.
    #[inline(always)]
    pub(super) fn hessian(&self, x: &[DVec3], m: f64, projection: Projection) -> Hessian {
        let (axis, l, sides) = self.sides(x);
        let m = if self.kind == Kind::Clamp { 2.0 * m } else { m };
        let mut blocks = [[0.0; 9]; 10];
        for (k, side) in sides.iter().enumerate() {
            let (s, z, u) = if projection == Projection::None { side.exact(axis, m) } else { side.positive(axis, m) };
            let ut = [u[0], u[3], u[6], u[1], u[4], u[7], u[2], u[5], u[8]];
            let c = 2 + k;
            let (a, b, y) = (side.y[0] / side.h, side.y[1] / side.h, 1.0 / side.h);
            let d = 1.0 / l;
            // (block, Y_iY_j, D_iD_j, D_iY_j, Y_iD_j); the opposite vertices do not couple with each other.
            let row = c * (c + 1) / 2;
            for (place, yy, dd, dy, yd) in [
                (0, a * a, d * d, -d * a, -d * a),
                (1, b * a, -d * d, d * a, -d * b),
                (2, b * b, d * d, d * b, d * b),
                (row, y * a, 0.0, 0.0, -y * d),
                (row + 1, y * b, 0.0, 0.0, y * d),
                (row + c, y * y, 0.0, 0.0, 0.0),
            ] {
                for (q, block) in blocks[place].iter_mut().enumerate() {
                    *block += yy * s[q] + dd * z[q] + dy * u[q] + yd * ut[q];
                }
            }
        }
        blocks
    }
}

impl Side {
    /// S, Z and U of the exact second variation.
    #[inline(always)]
    fn exact(&self, axis: DVec3, m: f64) -> Parts {
        let (tn, nt) = (outer(self.tau, self.n), outer(self.n, self.tau));
        let t: [f64; 9] = std::array::from_fn(|k| -m * (tn[k] + nt[k]));
        (t, t.map(|t| 0.5 * t), outer(-m * self.n, axis))
    }

    /// S, Z and U of its positive part.
    #[inline(always)]
    fn positive(&self, axis: DVec3, m: f64) -> Parts {
        let (half, sum) = (0.5 * m.abs(), self.tau - m.signum() * self.n);
        let (q, ee, nn) = (outer(half * sum, sum), outer(half * axis, axis), outer(half * self.n, self.n));
        let s = std::array::from_fn(|k| q[k] + ee[k]);
        (s, std::array::from_fn(|k| 0.5 * q[k] + nn[k]), outer(-0.5 * m * self.n, axis))
    }
}

/// θ from unnormalised normals. A clamp's second normal lies in the sheet: a right angle less, then doubled.
#[inline(always)]
fn turn(kind: Kind, e: DVec3, n1: DVec3, n2: DVec3) -> f64 {
    let length = e.length().max(f64::MIN_POSITIVE);
    let (sin, cos) = (-n1.cross(n2).dot(e) / length, n1.dot(n2));
    if kind == Kind::Clamp { 2.0 * (-cos).atan2(sin) } else { sin.atan2(cos) }
}

/// a bᵀ, row-major.
#[inline(always)]
pub(super) fn outer(a: DVec3, b: DVec3) -> [f64; 9] {
    let (x, y, z) = (a.x * b, a.y * b, a.z * b);
    [x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z]
}

/// Angle of every edge at the given positions; 0 on boundaries.
pub(super) fn fold_angles(topology: &Topology, positions: &[DVec3]) -> Vec<f64> {
    let angle = |edge: &crate::mesh::Edge| {
        if edge.triangles[1] == Topology::NONE {
            return 0.0;
        }
        let [a, b] = edge.vertices.map(|i| positions[i as usize]);
        let [c, d] = edge.opposite.map(|i| positions[i as usize]);
        let e = b - a;
        turn(Kind::Fold, e, e.cross(c - a), (d - a).cross(e))
    };
    topology.edges.iter().map(angle).collect()
}
