//! One measured curve: stress of one strain, as a polynomial spline of any order and any number of segments.
//! Source: Volino09 §4.1 and eq. (14). In compression the curve is extended antisymmetrically, as the paper does, or
//! follows a curve of its own.
//!
//! Segment k covers [knot k, knot k+1] with σ = Σ c_i (ε − knot k)^i. Beyond the last knot the curve goes on straight with
//! its last slope: a polynomial that was fitted to data says nothing outside of it.

/// σ(ε) for ε ≥ 0, with an extension to ε < 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    tension: Side,
    /// Mirrored: a function of −ε giving −σ. None: antisymmetric.
    compression: Option<Side>,
}

#[derive(Clone, Debug, PartialEq)]
struct Side {
    /// Ascending, from 0; one more than segments. The last may be +∞: a pure polynomial.
    knots: Vec<f64>,
    /// Ascending powers of (ε − knot).
    coefficients: Vec<Vec<f64>>,
    /// ∫σ dε from 0 to each knot.
    energy: Vec<f64>,
}

/// What is wrong with a curve.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CurveError {
    /// No segment.
    #[error("a curve needs at least one segment")]
    Empty,
    /// As many coefficient rows as segments are needed.
    #[error("{knots} knots need {expected} coefficient rows, found {found}")]
    Count {
        /// Number of knots.
        knots: usize,
        /// Rows needed.
        expected: usize,
        /// Rows given.
        found: usize,
    },
    /// Knots must start at zero and ascend.
    #[error("knot {index} is {value}: knots start at 0 and ascend")]
    Knot {
        /// Position in the list.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// A coefficient is not a number, or a segment has none.
    #[error("segment {segment} has an empty or non-finite coefficient row")]
    Coefficient {
        /// Which segment.
        segment: usize,
    },
    /// The curve does not pass through the origin.
    #[error("stress at zero strain is {stress}, must be 0")]
    Origin {
        /// Stress found there.
        stress: f64,
    },
    /// Two segments do not meet in value or slope.
    #[error("segments {segment} and {} do not meet in {what} at strain {strain}: {left} against {right}", segment + 1)]
    Jump {
        /// Left segment.
        segment: usize,
        /// `value` or `slope`.
        what: &'static str,
        /// Where.
        strain: f64,
        /// Left limit.
        left: f64,
        /// Right limit.
        right: f64,
    },
    /// The initial slope must be positive, or the sheet has no stiffness to start with.
    #[error("the slope at zero strain is {slope}, must be positive")]
    Slope {
        /// Slope found.
        slope: f64,
    },
    /// The curve falls somewhere: the fabric would collapse there.
    #[error("the slope at strain {strain} is {slope}, must not be negative")]
    Falling {
        /// Where.
        strain: f64,
        /// Slope found.
        slope: f64,
    },
}

impl Curve {
    /// A spline from its knots and coefficient rows, antisymmetric in compression.
    pub fn spline(knots: Vec<f64>, coefficients: Vec<Vec<f64>>) -> Result<Self, CurveError> {
        Ok(Self { tension: Side::new(knots, coefficients)?, compression: None })
    }

    /// One polynomial Σ c_i ε^i for all strains (c_0 must be 0), antisymmetric in compression.
    pub fn polynomial(coefficients: Vec<f64>) -> Result<Self, CurveError> {
        Self::spline(vec![0.0, f64::INFINITY], vec![coefficients])
    }

    /// σ = k ε.
    pub fn line(stiffness: f64) -> Result<Self, CurveError> {
        Self::polynomial(vec![0.0, stiffness])
    }

    /// The same curve with its own compression branch, given as a curve of compression (positive) to pressure (positive).
    pub fn with_compression(mut self, compression: Curve) -> Self {
        self.compression = Some(compression.tension);
        self
    }

    /// Last strain covered by data.
    pub fn limit(&self) -> f64 {
        *self.tension.knots.last().expect("a curve has knots")
    }

    /// Knots of the tension side.
    pub fn knots(&self) -> &[f64] {
        &self.tension.knots
    }

    /// Coefficient rows of the tension side.
    pub fn coefficients(&self) -> &[Vec<f64>] {
        &self.tension.coefficients
    }

    /// Knots and coefficient rows of a given compression side.
    pub fn compression(&self) -> Option<(&[f64], &[Vec<f64>])> {
        self.compression.as_ref().map(|side| (side.knots.as_slice(), side.coefficients.as_slice()))
    }

    /// Stress, slope and energy ∫σ dε at a strain.
    #[inline]
    pub fn at(&self, strain: f64) -> (f64, f64, f64) {
        if strain >= 0.0 {
            self.tension.at(strain)
        } else {
            let (stress, slope, energy) = self.compression.as_ref().unwrap_or(&self.tension).at(-strain);
            (-stress, slope, energy)
        }
    }

    /// Stress and slope at a strain.
    #[inline]
    pub fn stress_and_slope(&self, strain: f64) -> (f64, f64) {
        let (side, sign) = if strain >= 0.0 {
            (&self.tension, 1.0)
        } else {
            (self.compression.as_ref().unwrap_or(&self.tension), -1.0)
        };
        let (stress, slope) = side.stress_and_slope(sign * strain);
        (sign * stress, slope)
    }
}

impl Side {
    fn new(knots: Vec<f64>, coefficients: Vec<Vec<f64>>) -> Result<Self, CurveError> {
        if knots.len() < 2 || coefficients.is_empty() {
            return Err(CurveError::Empty);
        }
        if coefficients.len() + 1 != knots.len() {
            return Err(CurveError::Count { knots: knots.len(), expected: knots.len() - 1, found: coefficients.len() });
        }
        for (index, &value) in knots.iter().enumerate() {
            let good = if index == 0 { value == 0.0 } else { value > knots[index - 1] };
            let finite = value.is_finite() || index + 1 == knots.len();
            if !(good && finite) {
                return Err(CurveError::Knot { index, value });
            }
        }
        for (segment, row) in coefficients.iter().enumerate() {
            if row.is_empty() || row.iter().any(|c| !c.is_finite()) {
                return Err(CurveError::Coefficient { segment });
            }
        }
        let mut side = Self { knots, coefficients, energy: vec![0.0] };
        side.check_shape()?;
        for k in 0..side.coefficients.len() {
            let width = side.knots[k + 1] - side.knots[k];
            let gain = if width.is_finite() { integral(&side.coefficients[k], width) } else { f64::INFINITY };
            side.energy.push(side.energy[k] + gain);
        }
        Ok(side)
    }

    fn check_shape(&self) -> Result<(), CurveError> {
        let (stress, slope) = horner(&self.coefficients[0], 0.0);
        if stress != 0.0 {
            return Err(CurveError::Origin { stress });
        }
        if slope <= 0.0 {
            return Err(CurveError::Slope { slope });
        }
        for k in 1..self.coefficients.len() {
            let strain = self.knots[k];
            let left = horner(&self.coefficients[k - 1], strain - self.knots[k - 1]);
            let right = horner(&self.coefficients[k], 0.0);
            // Files carry rounded decimals: nine digits must agree.
            let meets = |a: f64, b: f64, scale: f64| (a - b).abs() <= 1e-6 * scale;
            if !meets(left.0, right.0, left.0.abs().max(slope * strain)) {
                return Err(CurveError::Jump { segment: k - 1, what: "value", strain, left: left.0, right: right.0 });
            }
            if !meets(left.1, right.1, left.1.abs().max(slope)) {
                return Err(CurveError::Jump { segment: k - 1, what: "slope", strain, left: left.1, right: right.1 });
            }
        }
        for (k, row) in self.coefficients.iter().enumerate() {
            let width = self.knots[k + 1] - self.knots[k];
            let width = if width.is_finite() { width } else { 0.5 };
            // Sampled, 64 points a segment: a dip narrower than that is below what a measured curve resolves.
            for i in 0..=64 {
                let t = width * f64::from(i) / 64.0;
                let here = horner(row, t).1;
                if here < -1e-9 * slope {
                    return Err(CurveError::Falling { strain: self.knots[k] + t, slope: here });
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn segment(&self, strain: f64) -> usize {
        let mut k = 0;
        while k + 2 < self.knots.len() && strain > self.knots[k + 1] {
            k += 1;
        }
        k
    }

    #[inline]
    fn stress_and_slope(&self, strain: f64) -> (f64, f64) {
        let k = self.segment(strain);
        let inside = strain.min(self.knots[k + 1]);
        let (stress, slope) = horner(&self.coefficients[k], inside - self.knots[k]);
        (stress + slope * (strain - inside), slope)
    }

    #[inline]
    fn at(&self, strain: f64) -> (f64, f64, f64) {
        let k = self.segment(strain);
        let inside = strain.min(self.knots[k + 1]);
        let row = &self.coefficients[k];
        let (stress, slope) = horner(row, inside - self.knots[k]);
        let energy = self.energy[k] + integral(row, inside - self.knots[k]);
        let beyond = strain - inside;
        (stress + slope * beyond, slope, energy + beyond * (stress + 0.5 * slope * beyond))
    }
}

/// Value and slope of Σ c_i t^i.
#[inline]
fn horner(c: &[f64], t: f64) -> (f64, f64) {
    let (mut value, mut slope) = (0.0, 0.0);
    for &ci in c.iter().rev() {
        slope = slope * t + value;
        value = value * t + ci;
    }
    (value, slope)
}

/// ∫₀^t Σ c_i s^i ds.
#[inline]
fn integral(c: &[f64], t: f64) -> f64 {
    let mut sum = 0.0;
    for (i, &ci) in c.iter().enumerate().rev() {
        sum = sum * t + ci / (i + 1) as f64;
    }
    sum * t
}

#[cfg(test)]
mod tests {
    use super::*;

    /// σ = 800ε + 6·10⁴ε³ gives its own value, slope 800 + 1.8·10⁵ε² and energy 400ε² + 1.5·10⁴ε⁴, odd in ε.
    #[test]
    fn cubic_matches_its_closed_form() {
        let curve = Curve::polynomial(vec![0.0, 800.0, 0.0, 6e4]).unwrap();
        for e in [-0.3, -0.02, 0.0, 0.05, 0.2] {
            let (s, k, w) = curve.at(e);
            assert!((s - (800.0 * e + 6e4 * e * e * e)).abs() < 1e-10);
            assert!((k - (800.0 + 1.8e5 * e * e)).abs() < 1e-10);
            assert!((w - (400.0 * e * e + 1.5e4 * e.powi(4))).abs() < 1e-11);
            assert_eq!(curve.stress_and_slope(e), (s, k));
        }
    }

    /// Two segments of different order meet, and the curve goes on straight past its data.
    #[test]
    fn spline_continues_straight_beyond_its_last_knot() {
        // 100ε + 1000ε² up to 0.1, then a straight line of slope 300 up to 0.2.
        let curve = Curve::spline(vec![0.0, 0.1, 0.2], vec![vec![0.0, 100.0, 1000.0], vec![20.0, 300.0]]).unwrap();
        let (s, k, w) = curve.at(0.3);
        assert!((s - 80.0).abs() < 1e-12 && (k - 300.0).abs() < 1e-12);
        let direct = 0.5 + 1000.0 * 0.001 / 3.0 + (20.0 + 80.0) / 2.0 * 0.2;
        assert!((w - direct).abs() < 1e-12);
    }

    #[test]
    fn given_compression_is_used_below_zero() {
        let curve = Curve::line(500.0).unwrap().with_compression(Curve::line(20.0).unwrap());
        assert_eq!(curve.at(-0.1).0, -2.0);
        assert_eq!(curve.at(0.1).0, 50.0);
    }

    #[test]
    fn broken_curves_are_refused_with_the_place() {
        assert_eq!(Curve::spline(vec![0.0, 0.1], vec![]), Err(CurveError::Empty));
        assert!(matches!(Curve::polynomial(vec![1.0, 2.0]), Err(CurveError::Origin { .. })));
        assert!(matches!(Curve::polynomial(vec![0.0, -2.0]), Err(CurveError::Slope { .. })));
        assert!(matches!(
            Curve::spline(vec![0.0, 0.1, 0.2], vec![vec![0.0, 1.0], vec![0.5, 1.0]]),
            Err(CurveError::Jump { what: "value", .. })
        ));
        assert!(matches!(Curve::spline(vec![0.0, 0.5], vec![vec![0.0, 1.0, -3.0]]), Err(CurveError::Falling { .. })));
    }
}
