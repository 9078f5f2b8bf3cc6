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
//! Every term of δ²θ is a product of two dimensionless linear forms X, Y, with eigenvalues of either sign. Its positive part
//! is known in closed form, ¼|c|(X ± Y)²: projection costs nothing.
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

/// Rows and columns of a Hessian part by nodes: 3×3, row-major.
pub(super) type Block = [f64; 9];

/// Linear form over the motion of the nodes: Σ weight_i v·δx_i.
#[derive(Clone, Copy)]
struct Form {
    weights: [f64; 4],
    v: DVec3,
}

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

    /// Adds m ∇²θ by nodes through `add(i, j, block)`, for i ≥ j. [`Projection::Clamp`] leaves it out: Gauss–Newton.
    pub(super) fn add_hessian(
        &self,
        x: &[DVec3],
        m: f64,
        projection: Projection,
        mut add: impl FnMut(usize, usize, &Block),
    ) {
        if self.kind == Kind::Slope || m == 0.0 || projection == Projection::Clamp {
            return;
        }
        let (axis, l, sides) = self.sides(x);
        let m = if self.kind == Kind::Clamp { 2.0 * m } else { m };
        let mut blocks = [[0.0; 9]; 10];
        for side in &sides {
            let form = |weights: [f64; 4], scale: f64, v: DVec3| Form { weights: weights.map(|w| w / scale), v };
            let d = [-1.0, 1.0, 0.0, 0.0];
            let (y_tau, y_n, y_e) =
                (form(side.y, side.h, side.tau), form(side.y, side.h, side.n), form(side.y, side.h, axis));
            let (d_tau, d_n) = (form(d, l, side.tau), form(d, l, side.n));
            for (c, a, b) in [(-2.0 * m, &y_tau, &y_n), (-2.0 * m, &d_n, &y_e), (-m, &d_n, &d_tau)] {
                match projection {
                    Projection::None => add_product(&mut blocks, c, a, b),
                    _ => add_positive_part(&mut blocks, c, a, b),
                }
            }
        }
        let mut k = 0;
        for i in 0..4 {
            for j in 0..=i {
                add(i, j, &blocks[k]);
                k += 1;
            }
        }
    }
}

/// θ from unnormalised normals. A clamp's second normal lies in the sheet: a right angle less, then doubled.
#[inline(always)]
fn turn(kind: Kind, e: DVec3, n1: DVec3, n2: DVec3) -> f64 {
    let length = e.length().max(f64::MIN_POSITIVE);
    let (sin, cos) = (-n1.cross(n2).dot(e) / length, n1.dot(n2));
    if kind == Kind::Clamp { 2.0 * (-cos).atan2(sin) } else { sin.atan2(cos) }
}

/// Matrix of the quadratic form c X Y.
fn add_product(blocks: &mut [Block; 10], c: f64, x: &Form, y: &Form) {
    let (u, v) = (x.v.to_array(), y.v.to_array());
    let mut k = 0;
    for i in 0..4 {
        for j in 0..=i {
            let (p, q) = (0.5 * c * x.weights[i] * y.weights[j], 0.5 * c * y.weights[i] * x.weights[j]);
            if p != 0.0 || q != 0.0 {
                for r in 0..3 {
                    for s in 0..3 {
                        blocks[k][3 * r + s] += p * u[r] * v[s] + q * v[r] * u[s];
                    }
                }
            }
            k += 1;
        }
    }
}

/// Matrix of ¼|c|(X + sgn(c) Y)², the positive part of c X Y.
fn add_positive_part(blocks: &mut [Block; 10], c: f64, x: &Form, y: &Form) {
    let z: [[f64; 3]; 4] = std::array::from_fn(|i| (x.weights[i] * x.v + c.signum() * y.weights[i] * y.v).to_array());
    let mut k = 0;
    for i in 0..4 {
        for j in 0..=i {
            for r in 0..3 {
                for s in 0..3 {
                    blocks[k][3 * r + s] += 0.25 * c.abs() * z[i][r] * z[j][s];
                }
            }
            k += 1;
        }
    }
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
