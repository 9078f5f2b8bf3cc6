//! Curves between two points, and paths that are walked by arc length.

use glam::DVec2;
use std::f64::consts::{PI, TAU};

/// Pieces a curve is cut into. A quarter circle is then known to 4e-7 of its length and 2e-6 of its area, and a panel's seams to micrometres.
const PIECES: usize = 512;

/// The way from a start to an end. Control points are told relative to the chord: x as a fraction along it, y as a fraction of its
/// length to its left. Moving an end thus carries the curve along.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Curve {
    /// Straight.
    #[default]
    Line,
    /// Quadratic Bézier.
    Quadratic(DVec2),
    /// Cubic Bézier.
    Cubic(DVec2, DVec2),
    /// Part of a circle.
    Arc {
        /// Radius (m), at least half the chord.
        radius: f64,
        /// The longer of the two arcs.
        large: bool,
        /// Bulges to the right of the chord.
        right: bool,
    },
}

impl Curve {
    /// Cuts the way from `a` to `b` (m) at a fraction of its length, not at its ends: the point there, and the two pieces.
    pub fn cut(&self, a: DVec2, b: DVec2, fraction: f64) -> (DVec2, [Self; 2]) {
        let path = Path::new(&[(a, *self), (b, Self::Line)]);
        let chord = b - a;
        let absolute = |p: DVec2| a + chord * p.x + chord.perp() * p.y;
        let relative = |p: DVec2, from: DVec2, to: DVec2| {
            let (chord, p) = (to - from, p - from);
            DVec2::new(p.dot(chord), chord.perp_dot(p)) / chord.length_squared()
        };
        match *self {
            Self::Line => (a.lerp(b, fraction), [Self::Line; 2]),
            Self::Quadratic(c) => {
                let (c, t) = (absolute(c), path.parameter(fraction));
                let (p, q) = (a.lerp(c, t), c.lerp(b, t));
                let m = p.lerp(q, t);
                (m, [Self::Quadratic(relative(p, a, m)), Self::Quadratic(relative(q, m, b))])
            }
            Self::Cubic(c, d) => {
                let (c, d, t) = (absolute(c), absolute(d), path.parameter(fraction));
                let [p, q, r] = [a.lerp(c, t), c.lerp(d, t), d.lerp(b, t)];
                let (u, v) = (p.lerp(q, t), q.lerp(r, t));
                let m = u.lerp(v, t);
                let first = Self::Cubic(relative(p, a, m), relative(u, a, m));
                (m, [first, Self::Cubic(relative(v, m, b), relative(r, m, b))])
            }
            Self::Arc { radius, large, right } => {
                let (centre, radius, start, turn) = circle(a, b, radius, large, right);
                let piece = |share: f64| Self::Arc { radius, large: turn.abs() * share > PI, right };
                let at = centre + DVec2::from_angle(start + turn * fraction) * radius;
                (at, [piece(fraction), piece(1.0 - fraction)])
            }
        }
    }

    /// Points of the curve, its start and end included.
    fn points(&self, a: DVec2, b: DVec2) -> Vec<DVec2> {
        let chord = b - a;
        let at = |p: DVec2| a + chord * p.x + chord.perp() * p.y;
        let sampled = |f: &dyn Fn(f64) -> DVec2| -> Vec<DVec2> {
            let inner = (1..PIECES).map(|k| f(k as f64 / PIECES as f64));
            std::iter::once(a).chain(inner).chain([b]).collect()
        };
        match *self {
            Self::Line => vec![a, b],
            Self::Quadratic(c) => {
                let c = at(c);
                sampled(&|t| a.lerp(c, t).lerp(c.lerp(b, t), t))
            }
            Self::Cubic(c, d) => {
                let (c, d) = (at(c), at(d));
                sampled(&|t| {
                    let (p, q, r) = (a.lerp(c, t), c.lerp(d, t), d.lerp(b, t));
                    p.lerp(q, t).lerp(q.lerp(r, t), t)
                })
            }
            Self::Arc { radius, large, right } => {
                let (centre, radius, start, turn) = circle(a, b, radius, large, right);
                sampled(&|t| centre + DVec2::from_angle(start + turn * t) * radius)
            }
        }
    }
}

/// Centre and radius (m) of an arc from `a` to `b`, the angle it starts at and the angle it turns by (rad).
fn circle(a: DVec2, b: DVec2, radius: f64, large: bool, right: bool) -> (DVec2, f64, f64, f64) {
    let chord = b - a;
    let half = 0.5 * chord.length();
    // A radius below half the chord reaches the end only as half a circle, up to rounding of the file.
    let radius = radius.max(half);
    let rise = (radius * radius - half * half).max(0.0).sqrt();
    // An arc that bulges right turns left: its centre is to the left of the chord, unless it is the larger one.
    let side = if right != large { 1.0 } else { -1.0 };
    let centre = 0.5 * (a + b) + chord.perp() / (2.0 * half).max(f64::MIN_POSITIVE) * (side * rise);
    let start = (a - centre).to_angle();
    let swept = ((b - centre).to_angle() - start).rem_euclid(TAU);
    (centre, radius, start, if right { swept } else { swept - TAU })
}

/// Points along curves with the length up to each of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    points: Vec<DVec2>,
    lengths: Vec<f64>,
}

impl Path {
    /// From each point by its curve to the next; the last curve is not used.
    pub fn new(stations: &[(DVec2, Curve)]) -> Self {
        let mut points: Vec<DVec2> = stations.first().map(|s| s.0).into_iter().collect();
        for pair in stations.windows(2) {
            points.extend(pair[0].1.points(pair[0].0, pair[1].0).into_iter().skip(1));
        }
        let mut lengths = vec![0.0; points.len()];
        for i in 1..points.len() {
            lengths[i] = lengths[i - 1] + points[i].distance(points[i - 1]);
        }
        Self { points, lengths }
    }

    /// Length (m).
    pub fn length(&self) -> f64 {
        self.lengths.last().copied().unwrap_or(0.0)
    }

    /// Point at a fraction of the length; the ends exactly.
    pub fn at(&self, fraction: f64) -> DVec2 {
        let last = self.points.len() - 1;
        if fraction <= 0.0 || last == 0 {
            return self.points[0];
        }
        if fraction >= 1.0 {
            return self.points[last];
        }
        let target = fraction * self.length();
        let i = self.lengths.partition_point(|&l| l <= target).clamp(1, last);
        let (from, to) = (self.lengths[i - 1], self.lengths[i]);
        self.points[i - 1].lerp(self.points[i], if to > from { (target - from) / (to - from) } else { 0.0 })
    }

    /// Fraction of the length at the point nearest to another one, and how far that is (m).
    pub fn nearest(&self, p: DVec2) -> (f64, f64) {
        let mut best = (0.0, self.points[0].distance(p));
        for i in 1..self.points.len() {
            let (a, b) = (self.points[i - 1], self.points[i]);
            let share = ((p - a).dot(b - a) / a.distance_squared(b).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
            let distance = a.lerp(b, share).distance(p);
            if distance < best.1 {
                let length = self.lengths[i - 1] + share * (self.lengths[i] - self.lengths[i - 1]);
                best = (length / self.length(), distance);
            }
        }
        best
    }

    /// Parameter of a single curve at a fraction of its length.
    fn parameter(&self, fraction: f64) -> f64 {
        let (last, target) = (self.points.len() - 1, fraction * self.length());
        let i = self.lengths.partition_point(|&l| l <= target).clamp(1, last);
        let (from, to) = (self.lengths[i - 1], self.lengths[i]);
        let share = if to > from { (target - from) / (to - from) } else { 0.0 };
        ((i - 1) as f64 + share) / last as f64
    }

    /// Area swept by the ray from the origin (m²), counter-clockwise positive.
    pub fn swept_area(&self) -> f64 {
        self.points.windows(2).map(|w| 0.5 * w[0].perp_dot(w[1])).sum()
    }

    /// Its points.
    pub fn points(&self) -> &[DVec2] {
        &self.points
    }

    /// Its points.
    pub fn into_points(self) -> Vec<DVec2> {
        self.points
    }

    /// Sharpest turn (rad) between neighbouring pieces.
    pub fn sharpest_turn(&self) -> f64 {
        let turns = self.points.windows(3).map(|w| (w[1] - w[0]).angle_to(w[2] - w[1]).abs());
        turns.fold(0.0, f64::max).min(PI)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(curve: Curve) -> Path {
        Path::new(&[(DVec2::new(1.0, 0.0), curve), (DVec2::new(0.0, 1.0), Curve::Line)])
    }

    /// From (1, 0) to (0, 1) on the unit circle. Chords of angle δ are short by δ²/24 and their area by δ²/6.
    #[test]
    fn arcs_have_the_lengths_and_sides_of_their_circle() {
        let quarter = path(Curve::Arc { radius: 1.0, large: false, right: true });
        assert!((quarter.length() - PI / 2.0).abs() < 1e-6);
        assert!((quarter.at(0.5) - DVec2::splat(0.5f64.sqrt())).length() < 1e-6);
        assert!((quarter.swept_area() - PI / 4.0).abs() < 2e-6);
        let rest = path(Curve::Arc { radius: 1.0, large: true, right: true });
        assert!((rest.length() - 1.5 * PI).abs() < 2e-5);
        let left = path(Curve::Arc { radius: 1.0, large: false, right: false });
        assert!((left.at(0.5) - DVec2::splat(1.0 - 0.5f64.sqrt())).length() < 1e-6);
        assert!((left.swept_area() - (1.0 - PI / 4.0)).abs() < 2e-6);
    }

    /// A parabola from (0, 0) over control (½, 1) to (1, 0): its length in closed form, its top at half its control.
    #[test]
    fn bezier_curves_follow_their_control_points() {
        let stations = |curve| [(DVec2::ZERO, curve), (DVec2::new(2.0, 0.0), Curve::Line)];
        let quadratic = Path::new(&stations(Curve::Quadratic(DVec2::new(0.5, 0.5))));
        assert!((quadratic.at(0.5) - DVec2::new(1.0, 0.5)).length() < 1e-9);
        // y = x − x²/2 on [0, 2]: length √2 + asinh 1.
        assert!((quadratic.length() - (2f64.sqrt() + 1f64.asinh())).abs() < 1e-5);
        // The same curve, its degree raised.
        let cubic = Curve::Cubic(DVec2::new(1.0 / 3.0, 1.0 / 3.0), DVec2::new(2.0 / 3.0, 1.0 / 3.0));
        let cubic = Path::new(&stations(cubic));
        for k in 0..=10 {
            let f = k as f64 / 10.0;
            assert!((cubic.at(f) - quadratic.at(f)).length() < 1e-9);
        }
    }

    /// A point beside a curve finds its foot: on a circle about the origin along its radius.
    #[test]
    fn points_find_their_place_on_a_curve() {
        let quarter = path(Curve::Arc { radius: 1.0, large: false, right: true });
        for k in 0..=10 {
            let fraction = f64::from(k) / 10.0;
            let foot = DVec2::from_angle(fraction * PI / 2.0);
            for radius in [0.9, 1.0, 1.2] {
                let (at, distance) = quarter.nearest(radius * foot);
                // Chords of 3 mrad lie inside by a micrometre, which shifts feet by as much.
                assert!((at - fraction).abs() < 1e-3 && (distance - (radius - 1.0).abs()).abs() < 2e-6);
            }
        }
        assert_eq!(quarter.nearest(DVec2::new(2.0, -1.0)).0, 0.0);
    }

    /// Two pieces of a curve run where the whole one does, and are as long together.
    #[test]
    fn cut_curves_stay_where_they_were() {
        let (a, b) = (DVec2::new(0.1, 0.2), DVec2::new(0.6, 0.4));
        let curves = [
            Curve::Line,
            Curve::Quadratic(DVec2::new(0.3, 0.4)),
            Curve::Cubic(DVec2::new(0.2, 0.5), DVec2::new(0.9, -0.3)),
            Curve::Arc { radius: 0.3, large: false, right: true },
            Curve::Arc { radius: 0.3, large: true, right: false },
        ];
        for curve in curves {
            let whole = Path::new(&[(a, curve), (b, Curve::Line)]);
            for cut in [0.1, 0.35, 0.8] {
                let (m, [first, second]) = curve.cut(a, b, cut);
                let both = Path::new(&[(a, first), (m, second), (b, Curve::Line)]);
                assert!((both.length() / whole.length() - 1.0).abs() < 1e-5, "{curve:?} {cut}");
                for k in 0..=20 {
                    let at = k as f64 / 20.0;
                    assert!(both.at(at).distance(whole.at(at)) < 1e-5, "{curve:?} {cut} {at}");
                }
            }
        }
    }
}
