//! Least-squares polynomial splines through the origin: any order and number of segments, continuous in value and slope,
//! never falling. Points below zero are folded over: the curves of the core are odd unless told otherwise.
//!
//! The unknowns are the increments d of the Bézier control values, segment by segment. The first increment of a segment
//! follows from the last one of its predecessor (equal slope), the others are free; a control polygon that never falls
//! makes a curve that never falls. So a plain least-squares solution is tried first (it may rise without its polygon doing
//! so), and non-negative least squares over the increments is the fallback.

use super::lsq;
use toile_core::law::{Curve, CurveError};

/// A measured point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Strain or curvature.
    pub x: f64,
    /// Stress or moment.
    pub y: f64,
    /// Relative weight of the squared difference.
    pub weight: f64,
    /// State of a friction slider at that point, −1 to 1: the difference to the curve that friction explains.
    pub friction: f64,
}

impl Point {
    /// A point of weight 1 without friction.
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y, weight: 1.0, friction: 0.0 }
    }
}

/// What to fit.
#[derive(Clone, Debug, PartialEq)]
pub struct SplineFit {
    /// Degree of the polynomials, 1 to 7.
    pub order: usize,
    /// Number of segments, 1 to 32.
    pub segments: usize,
    /// Ends of the segments, from 0; evenly spaced over the data when not given.
    pub knots: Option<Vec<f64>>,
}

/// A fitted curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// The spline.
    pub curve: Curve,
    /// Half-width of the friction loop, in the unit of y; 0 when no point has friction.
    pub half_width: f64,
    /// How well it fits.
    pub residual: Residual,
    /// Whether the curve had to be kept from falling.
    pub held_monotone: bool,
}

/// How far the points lie from the curve, friction included.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residual {
    /// Root mean square difference, in the unit of y.
    pub rms: f64,
    /// Largest difference, in the unit of y.
    pub max: f64,
    /// Part of the variance explained, at most 1.
    pub r_squared: f64,
    /// Number of points.
    pub points: usize,
}

/// Why no spline was found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SplineError {
    /// Order or number of segments out of range.
    #[error("order {order} with {segments} segments: the order is 1 to 7, segments are 1 to 32")]
    Shape {
        /// Order asked for.
        order: usize,
        /// Segments asked for.
        segments: usize,
    },
    /// Knots do not fit.
    #[error("{segments} segments need {} finite knots that start at 0 and ascend", segments + 1)]
    Knots {
        /// Segments asked for.
        segments: usize,
    },
    /// A point is unusable.
    #[error("point {index} ({x}, {y}) is not finite or its weight is negative")]
    Point {
        /// Position in the list.
        index: usize,
        /// Strain.
        x: f64,
        /// Stress.
        y: f64,
    },
    /// No extent to fit over, or more unknowns than the points fix.
    #[error("{points} points do not determine the {unknowns} coefficients: measure more, or lower order and segments")]
    Undetermined {
        /// Points given.
        points: usize,
        /// Unknowns of the spline.
        unknowns: usize,
    },
    /// Too many points for one curve.
    #[error("{points} points are too many, at most {limit}")]
    Many {
        /// Points given.
        points: usize,
        /// Largest number.
        limit: usize,
    },
    /// The data do not rise: no fabric behaves like that.
    #[error("the data do not rise with strain: {0}")]
    Shapeless(CurveError),
}

/// Largest number of points of one curve: seconds of work, and far more than any tester writes.
const POINT_LIMIT: usize = 100_000;

impl SplineFit {
    /// A spline with evenly spaced knots.
    pub fn new(order: usize, segments: usize) -> Self {
        Self { order, segments, knots: None }
    }

    /// Fits the points.
    pub fn fit(&self, points: &[Point]) -> Result<Fitted, SplineError> {
        let points = self.folded(points)?;
        let knots = self.knots_for(&points)?;
        let layout = Layout::new(self.order, &knots);
        let scale = points.iter().fold(0.0f64, |a, p| a.max(p.y.abs())).max(f64::MIN_POSITIVE);
        let friction = points.iter().any(|p| p.friction != 0.0);
        let unknowns = layout.unknowns() + usize::from(friction);
        let undetermined = SplineError::Undetermined { points: points.len(), unknowns };
        let system = layout.system(&points, scale, unknowns).ok_or(undetermined)?;
        let width = |u: &[f64]| if friction { u[unknowns - 1] * scale } else { 0.0 };
        let done = |curve: Curve, u: &[f64], held_monotone: bool| {
            let half_width = width(u);
            Fitted { residual: residual(&curve, half_width, &points), curve, half_width, held_monotone }
        };
        let free = system.solve();
        if width(&free) < 0.0 {
            // A loop that runs backwards is noise: there is no friction in these data.
            return self.fit(&points.iter().map(|p| Point { friction: 0.0, ..*p }).collect::<Vec<_>>());
        }
        if let Ok(curve) = layout.curve(&free, scale) {
            return Ok(done(curve, &free, false));
        }
        // The sheet must begin with some stiffness: a thousandth of the mean slope at least.
        let mut floor = vec![0.0; unknowns];
        floor[0] = 1e-3 / self.order as f64 * layout.width(0) / layout.end();
        let held = system.solve_above(&floor);
        let curve = layout.curve(&held, scale).map_err(SplineError::Shapeless)?;
        Ok(done(curve, &held, true))
    }

    /// Checked points with x ≥ 0.
    fn folded(&self, points: &[Point]) -> Result<Vec<Point>, SplineError> {
        if !(1..=7).contains(&self.order) || !(1..=32).contains(&self.segments) {
            return Err(SplineError::Shape { order: self.order, segments: self.segments });
        }
        if points.len() > POINT_LIMIT {
            return Err(SplineError::Many { points: points.len(), limit: POINT_LIMIT });
        }
        // Squares of larger numbers would overflow; nothing measured comes near.
        let usable = |v: f64| v.abs() < 1e100;
        for (index, p) in points.iter().enumerate() {
            if !(usable(p.x) && usable(p.y) && p.friction.abs() <= 1.0 && p.weight >= 0.0 && usable(p.weight)) {
                return Err(SplineError::Point { index, x: p.x, y: p.y });
            }
        }
        let fold = |p: &Point| if p.x < 0.0 { Point { x: -p.x, y: -p.y, friction: -p.friction, ..*p } } else { *p };
        Ok(points.iter().map(fold).collect())
    }

    fn knots_for(&self, points: &[Point]) -> Result<Vec<f64>, SplineError> {
        let count = self.segments;
        let knots = match &self.knots {
            Some(knots) => knots.clone(),
            None => {
                let end = points.iter().fold(0.0f64, |a, p| a.max(p.x));
                if end < 1e-100 {
                    return Err(SplineError::Undetermined { points: points.len(), unknowns: self.order });
                }
                (0..=count).map(|i| end * i as f64 / count as f64).collect()
            }
        };
        let ascending = knots.windows(2).all(|k| k[0] < k[1]) && knots.iter().all(|k| k.abs() < 1e100);
        let good = knots.len() == count + 1 && knots.first() == Some(&0.0) && ascending;
        if good { Ok(knots) } else { Err(SplineError::Knots { segments: count }) }
    }
}

/// Where the increments of every segment sit among the unknowns.
struct Layout<'a> {
    order: usize,
    knots: &'a [f64],
    /// Unknown and factor of increment j of segment k, at k·order + j.
    places: Vec<(usize, f64)>,
}

impl<'a> Layout<'a> {
    fn new(order: usize, knots: &'a [f64]) -> Self {
        let mut places: Vec<(usize, f64)> = (0..order).map(|j| (j, 1.0)).collect();
        for k in 1..knots.len() - 1 {
            let (index, factor) = places[places.len() - 1];
            let stretch = (knots[k + 1] - knots[k]) / (knots[k] - knots[k - 1]);
            places.push((index, factor * stretch));
            let first = order + (k - 1) * (order - 1);
            places.extend((0..order - 1).map(|j| (first + j, 1.0)));
        }
        Self { order, knots, places }
    }

    fn segments(&self) -> usize {
        self.knots.len() - 1
    }

    fn unknowns(&self) -> usize {
        self.order + (self.segments() - 1) * (self.order - 1)
    }

    fn end(&self) -> f64 {
        self.knots[self.segments()]
    }

    fn width(&self, segment: usize) -> f64 {
        self.knots[segment + 1] - self.knots[segment]
    }

    /// The least-squares problem of all points, stresses over `scale`; friction, if wanted, is the last unknown.
    fn system(&self, points: &[Point], scale: f64, unknowns: usize) -> Option<lsq::Reduced> {
        let mut rows = vec![0.0; points.len() * unknowns];
        let mut right = Vec::with_capacity(points.len());
        for (p, row) in points.iter().zip(rows.chunks_exact_mut(unknowns)) {
            let weight = p.weight.sqrt();
            self.row(p.x, row);
            if unknowns > self.unknowns() {
                row[unknowns - 1] = p.friction;
            }
            row.iter_mut().for_each(|a| *a *= weight);
            right.push(p.y / scale * weight);
        }
        lsq::reduce(rows, unknowns, right)
    }

    /// Adds to `row` what each unknown contributes to the value at x.
    fn row(&self, x: f64, row: &mut [f64]) {
        let last = self.segments() - 1;
        let k = (0..last).find(|&k| x <= self.knots[k + 1]).unwrap_or(last);
        for &(index, factor) in &self.places[..k * self.order] {
            row[index] += factor;
        }
        let t = (x - self.knots[k]) / self.width(k);
        let inside = t.min(1.0);
        let parts = bernstein(self.order, inside);
        let mut above = 0.0;
        for j in (0..self.order).rev() {
            // Increment j lifts every control value above it.
            above += parts[j + 1];
            let (index, factor) = self.places[k * self.order + j];
            row[index] += factor * above;
        }
        if t > 1.0 {
            // Straight on, with the slope at the end.
            let (index, factor) = self.places[k * self.order + self.order - 1];
            row[index] += factor * self.order as f64 * (t - 1.0);
        }
    }

    /// The core's curve with these increments.
    fn curve(&self, unknowns: &[f64], scale: f64) -> Result<Curve, CurveError> {
        let mut start = 0.0;
        let mut rows = Vec::with_capacity(self.segments());
        for k in 0..self.segments() {
            let increments: Vec<f64> = (0..self.order)
                .map(|j| self.places[k * self.order + j])
                .map(|(i, f)| unknowns[i] * f * scale)
                .collect();
            rows.push(power_row(start, &increments, self.width(k)));
            start += increments.iter().sum::<f64>();
        }
        Curve::spline(self.knots.to_vec(), rows)
    }
}

/// Bernstein polynomials of degree p at t.
fn bernstein(order: usize, t: f64) -> [f64; 8] {
    let mut b = [0.0; 8];
    b[0] = 1.0;
    for degree in 1..=order {
        for i in (0..=degree).rev() {
            let left = if i > 0 { b[i - 1] } else { 0.0 };
            b[i] = t * left + (1.0 - t) * if i < degree { b[i] } else { 0.0 };
        }
    }
    b
}

/// Coefficients of ascending powers from the first control value and the increments: c_i = binomial(p, i) Δⁱb₀ / hⁱ.
fn power_row(start: f64, increments: &[f64], width: f64) -> Vec<f64> {
    let order = increments.len();
    let mut differences = increments.to_vec();
    let mut row = vec![start];
    let (mut binomial, mut power) = (1.0, 1.0);
    for i in 1..=order {
        binomial *= (order + 1 - i) as f64 / i as f64;
        power *= width;
        row.push(binomial * differences[0] / power);
        differences = differences.windows(2).map(|d| d[1] - d[0]).collect();
    }
    row
}

fn residual(curve: &Curve, half_width: f64, points: &[Point]) -> Residual {
    let count = points.len() as f64;
    let mean = points.iter().map(|p| p.y).sum::<f64>() / count;
    let (mut miss, mut spread, mut max) = (0.0, 0.0, 0.0f64);
    for p in points {
        let off = p.y - curve.at(p.x).0 - half_width * p.friction;
        miss += off * off;
        spread += (p.y - mean) * (p.y - mean);
        max = max.max(off.abs());
    }
    let r_squared = if spread > 0.0 { 1.0 - miss / spread } else { 0.0 };
    Residual { rms: (miss / count).sqrt(), max, r_squared, points: points.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Curve {
        Curve::spline(
            vec![0.0, 0.02, 0.05, 0.08],
            vec![vec![0.0, 300.0, 0.0, 2e5], vec![7.6, 540.0, 12e3, 1e5], vec![37.3, 1530.0, 21e3]],
        )
        .unwrap()
    }

    /// Without noise the fit is the curve itself, to rounding; so are knots given unevenly, and friction on top.
    #[test]
    fn exact_data_give_back_the_spline() {
        let curve = known();
        let fit = SplineFit { order: 3, segments: 3, knots: Some(curve.knots().to_vec()) };
        let points: Vec<Point> = (0..200)
            .map(|i| {
                let x = -0.08 + 0.16 * f64::from(i) / 199.0;
                let friction = if i % 2 == 0 { 1.0 } else { -1.0 };
                Point { friction, ..Point::new(x, curve.at(x).0 + 1.7 * friction) }
            })
            .collect();
        let fitted = fit.fit(&points).unwrap();
        assert!((fitted.half_width - 1.7).abs() < 1e-11, "{}", fitted.half_width);
        assert!(!fitted.held_monotone && fitted.residual.max < 1e-11, "{:?}", fitted.residual);
        for i in 0..=100 {
            let x = 0.1 * f64::from(i) / 100.0;
            let (a, b) = (fitted.curve.at(x), curve.at(x));
            assert!((a.0 - b.0).abs() < 1e-10 && (a.1 - b.1).abs() < 1e-7 * b.1, "{x}: {a:?} {b:?}");
        }
    }

    /// Data that fall somewhere are held: the fitted curve rises everywhere and starts with stiffness.
    #[test]
    fn falling_data_give_a_rising_curve() {
        let points: Vec<Point> = (0..60)
            .map(|i| {
                let x = f64::from(i) / 59.0;
                Point::new(x, if x < 0.4 { 0.0 } else { (x - 0.4) * 10.0 - 3.0 * (12.0 * x).sin() })
            })
            .collect();
        let fitted = SplineFit::new(3, 6).fit(&points).unwrap();
        assert!(fitted.held_monotone);
        assert!((0..=1000).all(|i| fitted.curve.at(f64::from(i) / 1000.0).1 >= -1e-9));
    }

    #[test]
    fn order_one_is_a_line_and_weights_count() {
        let points = [Point::new(1.0, 2.0), Point { weight: 0.0, ..Point::new(2.0, 400.0) }, Point::new(4.0, 8.0)];
        let fitted = SplineFit::new(1, 3).fit(&points).unwrap();
        assert!((fitted.curve.at(3.0).0 - 6.0).abs() < 1e-12);
    }

    #[test]
    fn impossible_fits_are_refused() {
        let p = |n: usize| (0..n).map(|i| Point::new(i as f64, i as f64)).collect::<Vec<_>>();
        assert!(matches!(SplineFit::new(3, 3).fit(&p(5)), Err(SplineError::Undetermined { .. })));
        assert!(matches!(SplineFit::new(0, 3).fit(&p(50)), Err(SplineError::Shape { .. })));
        assert!(matches!(SplineFit::new(3, 3).fit(&[]), Err(SplineError::Undetermined { .. })));
        assert!(matches!(SplineFit::new(1, 1).fit(&[Point::new(f64::NAN, 0.0)]), Err(SplineError::Point { .. })));
        // All points in one place do not determine a curve of two segments.
        assert!(SplineFit { order: 3, segments: 2, knots: Some(vec![0.0, 1.0, 2.0]) }.fit(&p(1).repeat(50)).is_err());
        let falling: Vec<Point> = (1..20).map(|i| Point::new(f64::from(i), -f64::from(i))).collect();
        // The best rising curve under falling data: next to nothing, but a curve.
        assert!(SplineFit::new(2, 2).fit(&falling).is_ok_and(|f| f.held_monotone));
        let bad = SplineFit { order: 2, segments: 2, knots: Some(vec![0.0, 2.0, 1.0]) };
        assert!(matches!(bad.fit(&p(20)), Err(SplineError::Knots { .. })));
    }
}
