//! One round of moves: the smoothest displacements that do what a list of wishes asks for.
//!
//! d minimises Σ k (n·Σ w d − D)² over the wishes, plus λ|d_a − d_b|² over the edges of the cloth, plus μ m|d|²: neighbours go along, so
//! that sheets move as a whole and hardly stretch, and heavy ones move less. Solved by conjugate gradients.

use glam::DVec3;

/// A wish: n·Σ wᵢ dᵢ = D.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wish {
    /// Vertices; unused ones have weight 0.
    pub(super) nodes: [u32; 5],
    pub(super) weights: [f64; 5],
    /// Unit vector.
    pub(super) direction: DVec3,
    /// D (m).
    pub(super) goal: f64,
    /// k over λ.
    pub(super) strength: f64,
}

impl Wish {
    /// Of four vertices or less, as in a closest pair.
    pub(super) fn of_pair(nodes: [u32; 4], w: [f64; 4], direction: DVec3, goal: f64, strength: f64) -> Self {
        // A vertex that is not there has weight 0: any number serves.
        let nodes = nodes.map(|v| if v == u32::MAX { nodes[0] } else { v });
        let [a, b, c, d] = nodes;
        Self { nodes: [a, b, c, d, a], weights: [w[0], w[1], w[2], w[3], 0.0], direction, goal, strength }
    }
}

/// Everything but the wishes.
pub(super) struct Smoother<'a> {
    /// Edges of the cloth.
    pub(super) edges: &'a [[u32; 2]],
    /// Weight of each vertex, about 1.
    pub(super) weights: &'a [f64],
    /// Vertices that may move.
    pub(super) is_free: &'a [bool],
}

/// μ: a push is felt some 1/√μ edges away.
const ANCHOR: f64 = 2e-3;
/// Iterations, and the share of the residual at which they end: wishes are renewed in every round anyway.
const ITERATIONS: usize = 120;
const TOLERANCE: f64 = 1e-3;

impl Smoother<'_> {
    fn product(&self, wishes: &[Wish], d: &[DVec3], out: &mut [DVec3]) {
        for (o, (m, d)) in out.iter_mut().zip(self.weights.iter().zip(d)) {
            *o = ANCHOR * *m * *d;
        }
        for &[a, b] in self.edges {
            let pull = d[a as usize] - d[b as usize];
            out[a as usize] += pull;
            out[b as usize] -= pull;
        }
        for wish in wishes {
            let mut moved = DVec3::ZERO;
            for (&v, w) in wish.nodes.iter().zip(wish.weights) {
                moved += w * d.get(v as usize).copied().unwrap_or_default();
            }
            let push = wish.strength * moved.dot(wish.direction) * wish.direction;
            self.scatter(wish, push, out);
        }
        self.hold(out);
    }

    fn scatter(&self, wish: &Wish, push: DVec3, out: &mut [DVec3]) {
        for (&v, w) in wish.nodes.iter().zip(wish.weights) {
            if let Some(o) = out.get_mut(v as usize) {
                *o += w * push;
            }
        }
    }

    fn hold(&self, d: &mut [DVec3]) {
        d.iter_mut().zip(self.is_free).filter(|f| !f.1).for_each(|f| *f.0 = DVec3::ZERO);
    }

    /// Displacements of the cloth vertices (m).
    pub(super) fn displacements(&self, wishes: &[Wish]) -> Vec<DVec3> {
        let n = self.weights.len();
        let dot = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum::<f64>();
        let mut d = vec![DVec3::ZERO; n];
        let mut r = vec![DVec3::ZERO; n];
        for wish in wishes {
            self.scatter(wish, wish.strength * wish.goal * wish.direction, &mut r);
        }
        self.hold(&mut r);
        let (mut p, mut q) = (r.clone(), vec![DVec3::ZERO; n]);
        let mut rr = dot(&r, &r);
        let goal = TOLERANCE * TOLERANCE * rr;
        for _ in 0..ITERATIONS {
            if !(rr > goal) {
                break;
            }
            self.product(wishes, &p, &mut q);
            let curvature = dot(&p, &q);
            if !(curvature > 0.0) {
                break;
            }
            let length = rr / curvature;
            for i in 0..n {
                d[i] += length * p[i];
                r[i] -= length * q[i];
            }
            let next = dot(&r, &r);
            let share = next / rr;
            rr = next;
            for i in 0..n {
                p[i] = r[i] + share * p[i];
            }
        }
        d
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain pulled at one end comes along whole; held at the other, it spans the difference; what is held does not move.
    #[test]
    fn neighbours_come_along_and_held_vertices_stay() {
        let edges: Vec<[u32; 2]> = (0..9).map(|k| [k, k + 1]).collect();
        let weights = vec![1.0; 10];
        let pull = Wish::of_pair([9, 9, 9, 9], [1.0, 0.0, 0.0, 0.0], DVec3::Y, 0.01, 100.0);
        let free = Smoother { edges: &edges, weights: &weights, is_free: &[true; 10] };
        let d = free.displacements(&[pull]);
        assert!(d.iter().all(|d| d.y > 0.007 && d.y < 0.01 && d.x == 0.0), "{d:?}");
        let mut is_free = [true; 10];
        is_free[0] = false;
        let d = Smoother { is_free: &is_free, ..free }.displacements(&[pull]);
        assert_eq!(d[0], DVec3::ZERO);
        assert!((d[5].y / d[9].y - 5.0 / 9.0).abs() < 0.05, "{d:?}");
    }
}
