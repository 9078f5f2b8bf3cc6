//! Curves through points: natural cubic splines for tables, monotone cubics (Fritsch–Carlson) for what must not swing over.

/// Second derivatives of the natural cubic spline through points with ascending `x`.
fn bends(x: &[f64], y: &[f64]) -> Vec<f64> {
    let n = x.len();
    let (mut bend, mut upper) = (vec![0.0; n], vec![0.0; n]);
    for i in 1..n.saturating_sub(1) {
        let (before, after) = (x[i] - x[i - 1], x[i + 1] - x[i]);
        let share = before / (before + after);
        let pivot = share * upper[i - 1] + 2.0;
        upper[i] = (share - 1.0) / pivot;
        let jump = (y[i + 1] - y[i]) / after - (y[i] - y[i - 1]) / before;
        bend[i] = (6.0 * jump / (before + after) - share * bend[i - 1]) / pivot;
    }
    for i in (1..n.saturating_sub(1)).rev() {
        bend[i] += upper[i] * bend[i + 1];
    }
    bend
}

/// The interval `x` falls in, ends included.
fn interval(x: &[f64], at: f64) -> usize {
    x.partition_point(|p| *p <= at).clamp(1, x.len() - 1) - 1
}

/// Values of the natural cubic spline through points (at least two, `x` ascending) at the integers `0..count`.
pub(super) fn natural(x: &[f64], y: &[f64], count: usize) -> Vec<f64> {
    let bend = bends(x, y);
    let value = |at: f64| {
        let i = interval(x, at);
        let h = x[i + 1] - x[i];
        let (a, b) = ((x[i + 1] - at) / h, (at - x[i]) / h);
        let cubic = (a * a * a - a) * bend[i] + (b * b * b - b) * bend[i + 1];
        a * y[i] + b * y[i + 1] + cubic * h * h / 6.0
    };
    (0..count).map(|row| value(row as f64)).collect()
}

/// A cubic through points that rises, falls or rests where they do; constant outside of them.
#[derive(Clone, Debug)]
pub(super) struct Monotone {
    x: Vec<f64>,
    y: Vec<f64>,
    slopes: Vec<f64>,
}

impl Monotone {
    /// Through at least two points with ascending `x`.
    pub(super) fn new(points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let (x, y): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
        let n = x.len();
        let step = |i: usize| x[i + 1] - x[i];
        let rise = |i: usize| (y[i + 1] - y[i]) / step(i);
        let mut slopes = vec![0.0; n];
        for i in 1..n - 1 {
            let (before, after) = (rise(i - 1), rise(i));
            if before * after > 0.0 {
                let (p, q) = (2.0 * step(i) + step(i - 1), step(i) + 2.0 * step(i - 1));
                slopes[i] = (p + q) / (p / before + q / after);
            }
        }
        slopes[0] = if n == 2 { rise(0) } else { end_slope(step(0), step(1), rise(0), rise(1)) };
        slopes[n - 1] = if n == 2 { rise(0) } else { end_slope(step(n - 2), step(n - 3), rise(n - 2), rise(n - 3)) };
        Self { x, y, slopes }
    }

    /// Value at a place.
    pub(super) fn at(&self, at: f64) -> f64 {
        let at = at.clamp(self.x[0], self.x[self.x.len() - 1]);
        let i = interval(&self.x, at);
        let h = self.x[i + 1] - self.x[i];
        let t = (at - self.x[i]) / h;
        let (s, tt) = (1.0 - t, t * t);
        (1.0 + 2.0 * t) * s * s * self.y[i]
            + t * s * s * h * self.slopes[i]
            + tt * (3.0 - 2.0 * t) * self.y[i + 1]
            + tt * (t - 1.0) * h * self.slopes[i + 1]
    }
}

/// Slope at an end from the two nearest intervals, kept from swinging over.
fn end_slope(near: f64, far: f64, rise: f64, next: f64) -> f64 {
    let slope = ((2.0 * near + far) * rise - near * next) / (near + far);
    if slope * rise <= 0.0 {
        0.0
    } else if rise * next <= 0.0 && slope.abs() > 3.0 * rise.abs() {
        3.0 * rise
    } else {
        slope
    }
}

/// 0 below 0, 1 above 1, smooth between.
pub(super) fn smoothstep(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// From `a` at 0 to `b` at 1.
pub(super) fn mix(a: f64, b: f64, t: f64) -> f64 {
    a + (b - a) * t
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A straight line stays one, points are passed, and a half wave (no bend at its ends) is met as closely as cubics can.
    #[test]
    fn natural_spline_passes_points_and_follows_a_half_wave() {
        let straight = natural(&[0.0, 3.0, 4.0, 8.0], &[1.0, 7.0, 9.0, 17.0], 9);
        assert!(straight.iter().enumerate().all(|(x, v)| (v - 1.0 - 2.0 * x as f64).abs() < 1e-12));
        let wave = |x: f64| (x * std::f64::consts::PI / 24.0).sin();
        let x: Vec<f64> = (0..=12).map(|k| f64::from(2 * k)).collect();
        let y: Vec<f64> = x.iter().map(|x| wave(*x)).collect();
        let values = natural(&x, &y, 25);
        let worst = values.iter().enumerate().map(|(x, v)| (v - wave(x as f64)).abs()).fold(0.0, f64::max);
        // Error of a cubic spline: 5/384 h⁴ max|y⁗|.
        assert!(worst < 5.0 / 384.0 * 16.0 * (std::f64::consts::PI / 24.0).powi(4) * 1.1, "{worst}");
    }

    /// A monotone cubic passes its points, never leaves the range of an interval and is constant outside.
    #[test]
    fn monotone_cubic_never_swings_over() {
        let points = [(0.0, 0.0), (1.0, 0.1), (2.0, 5.0), (4.0, 5.0), (5.0, 3.0)];
        let curve = Monotone::new(points);
        for pair in points.windows(2) {
            let (low, high) = (pair[0].1.min(pair[1].1), pair[0].1.max(pair[1].1));
            assert!((curve.at(pair[0].0) - pair[0].1).abs() < 1e-15);
            for k in 0..=50 {
                let y = curve.at(mix(pair[0].0, pair[1].0, f64::from(k) / 50.0));
                assert!(y >= low - 1e-12 && y <= high + 1e-12, "{y} outside {low}..{high}");
            }
        }
        assert_eq!((curve.at(-3.0), curve.at(9.0)), (0.0, 3.0));
    }
}
