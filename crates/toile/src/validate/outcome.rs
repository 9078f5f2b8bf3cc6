//! What an experiment returns.

use crate::plot::Picture;

/// One measured quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// What was measured.
    pub quantity: String,
    /// Measured value.
    pub value: f64,
    /// Unit of value and reference; `–` for plain numbers.
    pub unit: &'static str,
    /// What it should be; None where there is nothing to compare with.
    pub reference: Option<f64>,
    /// How far it may be off.
    pub tolerance: Option<Tolerance>,
}

/// How far a value may be from its reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// |value − reference| ≤ t·|reference|.
    Relative(f64),
    /// |value − reference| ≤ t, in the unit of the value.
    Absolute(f64),
    /// value ≤ reference.
    AtMost,
    /// value ≥ reference.
    AtLeast,
}

impl Check {
    /// A value with nothing to compare to.
    pub fn report(quantity: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Self { quantity: quantity.into(), value, unit, reference: None, tolerance: None }
    }

    /// A value against a reference.
    pub fn against(
        quantity: impl Into<String>,
        value: f64,
        unit: &'static str,
        reference: f64,
        tolerance: Tolerance,
    ) -> Self {
        Self { quantity: quantity.into(), value, unit, reference: Some(reference), tolerance: Some(tolerance) }
    }

    /// (value − reference)/|reference|; None without a reference or where it is zero.
    pub fn relative_error(&self) -> Option<f64> {
        self.reference.filter(|r| *r != 0.0).map(|r| (self.value - r) / r.abs())
    }

    /// Is the value within its tolerance? None if there is nothing to compare with. A value that is not a number fails.
    pub fn pass(&self) -> Option<bool> {
        let (reference, tolerance) = (self.reference?, self.tolerance?);
        Some(match tolerance {
            Tolerance::Relative(t) => (self.value - reference).abs() <= t * reference.abs(),
            Tolerance::Absolute(t) => (self.value - reference).abs() <= t,
            Tolerance::AtMost => self.value <= reference,
            Tolerance::AtLeast => self.value >= reference,
        })
    }

    /// The tolerance as one number: the largest |relative error|, so absolute ones are divided by the reference where it is
    /// not zero; 0 for one-sided limits.
    pub fn tolerance_number(&self) -> Option<f64> {
        Some(match self.tolerance? {
            Tolerance::Relative(t) => t,
            Tolerance::Absolute(t) => match self.reference {
                Some(r) if r != 0.0 => t / r.abs(),
                _ => t,
            },
            Tolerance::AtMost | Tolerance::AtLeast => 0.0,
        })
    }
}

impl std::fmt::Display for Tolerance {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Relative(t) if *t >= 1e-4 => write!(f, "{} %", (t * 1e8).round() / 1e6),
            Self::Relative(t) => write!(f, "{t:e} relative"),
            Self::Absolute(t) => write!(f, "{t:e} absolute"),
            Self::AtMost => f.write_str("at most"),
            Self::AtLeast => f.write_str("at least"),
        }
    }
}

/// Everything an experiment found out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Measured quantities.
    pub checks: Vec<Check>,
    /// Pictures with the stem of their file name.
    pub plots: Vec<(String, Picture)>,
    /// What a reader should know: conventions, deviations from the source.
    pub notes: Vec<String>,
}

impl Outcome {
    /// Did every check that can fail pass?
    pub fn pass(&self) -> bool {
        self.checks.iter().all(|c| c.pass() != Some(false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_signed_and_bands_are_kept() {
        let check = |value, reference, tolerance| Check::against("q", value, "N", reference, tolerance);
        let low = check(-1.1, -1.0, Tolerance::Relative(0.05));
        assert!((low.relative_error().unwrap() + 0.1).abs() < 1e-15 && low.pass() == Some(false));
        assert_eq!(check(1.04, 1.0, Tolerance::Relative(0.05)).pass(), Some(true));
        assert_eq!(check(1e-9, 0.0, Tolerance::Absolute(1e-8)).pass(), Some(true));
        assert_eq!(check(1e-9, 0.0, Tolerance::Relative(0.1)).pass(), Some(false));
        assert_eq!(check(31.0, 30.0, Tolerance::AtMost).pass(), Some(false));
        assert_eq!(check(31.0, 30.0, Tolerance::AtLeast).pass(), Some(true));
        assert_eq!(check(f64::NAN, 1.0, Tolerance::AtMost).pass(), Some(false));
        assert_eq!(check(f64::NAN, 1.0, Tolerance::Absolute(1.0)).pass(), Some(false));
        assert_eq!(Check::report("q", 1.0, "N").pass(), None);
        assert_eq!(check(1.0, 0.0, Tolerance::Absolute(2.0)).relative_error(), None);
        assert_eq!(check(9.0, 10.0, Tolerance::Absolute(2.0)).tolerance_number(), Some(0.2));
    }
}
