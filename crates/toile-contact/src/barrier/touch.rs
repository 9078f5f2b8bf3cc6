//! One pair of features within reach of each other: potential, force and stiffness.
//!
//! With d = |Σ wᵢxᵢ| and n its direction, a vertex on a face or an edge has the potential b(d − r), force −b′ wᵢ n on vertex i, and
//! of the Hessian the positive part b″ (w wᵀ) ⊗ (n nᵀ) is kept. Two edges have m·b with a weight m that fades where their
//! closest points leave the inside of either (vertices see that place, too) and where they become parallel: without it the
//! potential would jump, and no line search could follow it. The axis of a capsule is far from the cloth: there a small tilt of an
//! edge sends the closest point from one end to the other, and a weight that follows it would push harder than the contact
//! itself, by reach·distance/length². So these pairs keep the weight 1 up to the ends of the edge and fade where parallel only;
//! so do all edges where the settings ask for it.
//!
//! A vertex does not see the triangle it belongs to. Where that triangle collapses, or is still to be sewn to the vertex, an edge from the
//! vertex can lie along the opposite side with nothing to hold it off but the rule that forbids the rest of the way: the step is stuck. So in
//! the last `BARE` of the reach the weight comes back: M = m + (1 − m) ψ, ψ = (1 − gap/bare)².

use super::potential::{across, along, barrier};
use crate::detect::Kind;
use crate::distance::Closest;
use glam::DVec3;

/// Share of the reach within which two edges press on each other whatever their weight. Contacts that are guarded rest at a tenth of the
/// reach and more: they never come here.
const BARE: f64 = 0.02;

/// A pair within reach.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    pub(super) kind: Kind,
    /// Vertices; the last repeats where there are three.
    pub(super) nodes: [u32; 4],
    /// Distance between the closest points (m).
    pub(super) distance: f64,
    /// Weights of the vector between the closest points.
    pub(super) weights: [f64; 4],
    /// Its direction.
    pub(super) normal: DVec3,
    /// Distance less the radii (m).
    pub(super) gap: f64,
    /// Potential (J).
    pub(super) energy: f64,
    /// Force pressing the features apart (N).
    pub(super) force: f64,
    /// Kept stiffness along the normal (N/m).
    pub(super) stiffness: f64,
    /// Forces of the changing weight of two edges (N).
    pub(super) slide: [DVec3; 4],
}

impl Touch {
    /// Stiffness against turning, which matters where the lever from the closest points is long: balls and capsules. A face at
    /// distance d from the middle of a ball that turns by φ about its closest point comes nearer by ½dφ², so its potential
    /// grows by ½ force·d·φ²; an edge by as much over sin² of its angle with the other. As pairs of the first `cloth` vertices: n · (Σ uᵢ
    /// Δxᵢ) is an angle, of stiffness force·d.
    pub(super) fn add_turning(&self, x: &[DVec3], cloth: usize, add: &mut dyn FnMut([f64; 4], f64)) {
        let at = self.nodes.map(|v| x[v as usize]);
        let is_cloth = |i: usize| (self.nodes[i] as usize) < cloth;
        let stiffness = self.force * self.distance;
        let tilt = |a: usize, b: usize| {
            let mut weights = [0.0; 4];
            let length = at[a].distance(at[b]);
            (weights[a], weights[b]) = (-1.0 / length, 1.0 / length);
            weights
        };
        match self.kind {
            Kind::VertexFace if is_cloth(1) => {
                let carriers: Vec<usize> = (1..4).filter(|&i| self.weights[i] != 0.0).collect();
                match carriers[..] {
                    [a, b] => add(tilt(a, b), stiffness),
                    [_, _, _] => {
                        let (e, f) = (at[2] - at[1], at[3] - at[1]);
                        let u = e.normalize();
                        let v = (f - f.dot(u) * u).normalize();
                        // Slopes of the linear field with values at the corners, along u and v.
                        let (eu, fu, fv) = (e.dot(u), f.dot(u), f.dot(v));
                        add([0.0, -1.0 / eu, 1.0 / eu, 0.0], stiffness);
                        add([0.0, (fu / eu - 1.0) / fv, -fu / (eu * fv), 1.0 / fv], stiffness);
                    }
                    _ => {}
                }
            }
            Kind::EdgeEdge if self.weights.iter().all(|w| *w != 0.0) => {
                let (e, f) = ((at[1] - at[0]).normalize(), (at[3] - at[2]).normalize());
                let sine_squared = (1.0 - e.dot(f) * e.dot(f)).max(1e-3);
                for (a, b) in [(0, 1), (2, 3)] {
                    if is_cloth(a) {
                        add(tilt(a, b), stiffness / sine_squared);
                    }
                }
            }
            _ => {}
        }
    }
}

/// What a pair is made of.
pub(super) struct Features<'a> {
    pub(super) kind: Kind,
    pub(super) nodes: [u32; 4],
    pub(super) x: &'a [DVec3; 4],
    /// Sum of the radii (m).
    pub(super) radius: f64,
    /// Two edges that keep their weight up to their ends.
    pub(super) is_whole: bool,
}

impl Features<'_> {
    pub(super) fn closest(&self) -> Closest {
        self.kind.closest(self.x)
    }

    /// The touch at this distance, if it is within reach and counts.
    pub(super) fn touch(&self, closest: &Closest, reach: f64, stiffness: f64) -> Option<Touch> {
        let gap = closest.distance - self.radius;
        let is_fading = self.kind == Kind::EdgeEdge && !closest.is_interior && !self.is_whole;
        if gap >= reach || (is_fading && gap >= BARE * reach) {
            return None;
        }
        let [energy, slope, curvature] = barrier(gap, reach, stiffness);
        let normal = closest.separation / closest.distance;
        let mut touch = Touch {
            kind: self.kind,
            nodes: self.nodes,
            distance: closest.distance,
            weights: closest.weights,
            normal,
            gap,
            energy,
            force: -slope,
            stiffness: curvature,
            slide: [DVec3::ZERO; 4],
        };
        if self.kind == Kind::EdgeEdge {
            let (weight, gradient) = if is_fading { (0.0, [DVec3::ZERO; 4]) } else { self.crossing_weight(closest) };
            let [bare, fall, bend] = bare(gap, reach);
            let whole = weight + (1.0 - weight) * bare;
            if whole == 0.0 {
                return None;
            }
            touch.slide = gradient.map(|g| -energy * (1.0 - bare) * g);
            touch.energy *= whole;
            touch.force = touch.force * whole - energy * (1.0 - weight) * fall;
            touch.stiffness = touch.stiffness * whole + (1.0 - weight) * (2.0 * slope * fall + energy * bend);
        }
        Some(touch)
    }

    /// m = φ(s) φ(t) χ(sin²) of two edges with inner closest points, and its gradient.
    fn crossing_weight(&self, closest: &Closest) -> (f64, [DVec3; 4]) {
        let [x0, x1, x2, x3] = *self.x;
        let (e, f, r, w) = (x1 - x0, x3 - x2, closest.separation, closest.weights);
        let (s, t) = (w[1], -w[3]);
        let (a, b, c) = (e.dot(e), e.dot(f), f.dot(f));
        let sine = (1.0 - b * b / (a * c)).max(0.0);
        let [q, dq] = across(sine);
        let ([ps, dps], [pt, dpt]) = if self.is_whole { ([1.0, 0.0], [1.0, 0.0]) } else { (along(s), along(t)) };
        let weight = ps * pt * q;
        if weight == 0.0 {
            return (0.0, [DVec3::ZERO; 4]);
        }
        // e·r = 0 and f·r = 0 define s and t: their differentials follow from a 2×2 system with determinant −ac sin².
        let det = b * b - a * c;
        let (from_e, from_f) = ([-1.0, 1.0, 0.0, 0.0], [0.0, 0.0, -1.0, 1.0]);
        // sin² = 1 − b²/(ac).
        let sine_e = 2.0 * b * (b * e / a - f) / (a * c);
        let sine_f = 2.0 * b * (b * f / c - e) / (a * c);
        let gradient = std::array::from_fn(|i| {
            let across_e = from_e[i] * r + w[i] * e;
            let across_f = from_f[i] * r + w[i] * f;
            let ds = (c * across_e - b * across_f) / det;
            let dt = (b * across_e - a * across_f) / det;
            let dsine = from_e[i] * sine_e + from_f[i] * sine_f;
            dps * pt * q * ds + ps * dpt * q * dt + ps * pt * dq * dsine
        });
        (weight, gradient)
    }
}

/// ψ and its first two derivatives by the gap.
fn bare(gap: f64, reach: f64) -> [f64; 3] {
    let length = BARE * reach;
    let left = (1.0 - gap / length).max(0.0);
    if left == 0.0 { [0.0; 3] } else { [left * left, -2.0 * left / length, 2.0 / (length * length)] }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two edges one along the other, almost touching, closest points at an end or inside: they press on each other, and forces are
    /// the negative slope of the potential there, too.
    #[test]
    fn edges_that_nothing_guards_still_press() {
        let (mut random, mut seen) = (Random(11), 0);
        for k in 0..2_000 {
            let gap = 5e-3 * BARE * (0.05 + 0.9 * random.next().abs());
            let (tilt, shift) = (1e-3 * random.next(), if k % 2 == 0 { 0.006 } else { 0.03 } * random.next());
            let high = 1e-3 + gap;
            let x = [
                DVec3::new(-0.01, 0.0, 0.0),
                DVec3::new(0.01, 0.0, 0.0),
                DVec3::new(shift - 0.005, high, -0.005 * tilt),
                DVec3::new(shift + 0.005, high + 1e-7 * random.next(), 0.005 * tilt),
            ];
            let Some(touch) = energy(Kind::EdgeEdge, false, &x) else { continue };
            assert!(touch.force > 0.0 && touch.stiffness > 0.0);
            // Steps must not reach a bend, where another end becomes the closest.
            let h = 1e-9;
            for i in 0..4 {
                let shifted = |h: f64| {
                    let mut y = x;
                    y[i].y += h;
                    energy(Kind::EdgeEdge, false, &y).map_or(0.0, |t| t.energy)
                };
                let slope = (shifted(h) - shifted(-h)) / (2.0 * h);
                let force = (touch.weights[i] * touch.force * touch.normal + touch.slide[i]).y;
                let is_same = |h: f64| {
                    let weights = energy(Kind::EdgeEdge, false, &moved(&x, i, h)).map_or([0.0; 4], |t| t.weights);
                    (0..4).all(|k| (touch.weights[k] - weights[k]).abs() < 1e-4)
                };
                if is_same(h) && is_same(-h) {
                    assert!((slope + force).abs() < 1e-3 * touch.force, "{k} {i}: {slope} {force}");
                    seen += 1;
                }
            }
        }
        assert!(seen > 1_000, "{seen}");
    }

    fn moved(x: &[DVec3; 4], i: usize, h: f64) -> [DVec3; 4] {
        let mut y = *x;
        y[i].y += h;
        y
    }

    /// Numbers in (−1, 1).
    struct Random(u64);
    impl Random {
        fn next(&mut self) -> f64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }
    }

    fn energy(kind: Kind, is_whole: bool, x: &[DVec3; 4]) -> Option<Touch> {
        let pair = Features { kind, nodes: [0, 1, 2, 3], x, radius: 1e-3, is_whole };
        pair.touch(&pair.closest(), 5e-3, 80.0)
    }

    /// Forces are the negative slope of the potential, for every kind of pair, the fading weights of edges included.
    #[test]
    fn forces_are_slopes_of_the_potential() {
        let (mut random, mut seen) = (Random(5), [0; 4]);
        for _ in 0..20_000 {
            let mut point = |size: f64| size * DVec3::new(random.next(), random.next(), random.next());
            let edges = [(Kind::EdgeEdge, false), (Kind::EdgeEdge, true)];
            let kinds = [(Kind::VertexFace, false), edges[0], edges[1], (Kind::VertexEdge, false)];
            for (k, (kind, is_whole)) in kinds.into_iter().enumerate() {
                let x = [point(0.006), point(0.006), point(0.006), point(0.006)];
                let Some(touch) = energy(kind, is_whole, &x) else { continue };
                // Where the closest features change, the potential has a bend; steps must not cross it.
                if touch.gap < 5e-4 || touch.energy < 1e-9 {
                    continue;
                }
                let count = if kind == Kind::VertexEdge { 3 } else { 4 };
                let mut worst = 0.0f64;
                for i in 0..count {
                    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                        let h = 1e-8;
                        let at = |h: f64| {
                            let mut moved = x;
                            moved[i] += h * axis;
                            energy(kind, is_whole, &moved).map_or(0.0, |t| t.energy)
                        };
                        let slope = (at(h) - at(-h)) / (2.0 * h);
                        let force = touch.weights[i] * touch.force * touch.normal + touch.slide[i];
                        worst = worst.max((slope + force.dot(axis)).abs());
                    }
                }
                assert!(worst < 2e-4 * (touch.force + touch.slide[0].length()), "{kind:?} {worst:e} {touch:?}");
                seen[k] += 1;
            }
        }
        assert!(seen.iter().all(|&n| n > 300), "{seen:?}");
    }
}
