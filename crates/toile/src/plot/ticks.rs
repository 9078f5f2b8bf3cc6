//! Scales from numbers to pixels, and where their ticks stand.

/// A number axis laid over an interval of pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) log: bool,
    /// Pixels of `low` and `high`.
    pub(crate) pixels: [f64; 2],
}

/// Ticks with their labels, and the power of ten taken out of the labels.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Ticks {
    pub(crate) major: Vec<(f64, String)>,
    pub(crate) minor: Vec<f64>,
    pub(crate) power: Option<String>,
}

impl Scale {
    /// The range of some values with a margin, or a given range. Values that cannot be shown are left out.
    pub(crate) fn over(values: impl Iterator<Item = f64>, given: Option<[f64; 2]>, log: bool) -> Self {
        let shown = |v: &f64| v.is_finite() && (!log || *v > 0.0);
        let warp = |v: f64| if log { v.log10() } else { v };
        let (low, high) =
            values.filter(shown).map(warp).fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        let (low, high) = match (low, high) {
            (l, h) if l > h => (0.0, 1.0),
            // One value only: room for a tick on either side.
            (l, h) if h - l <= 1e-12 * l.abs().max(h.abs()) => {
                let room = if log || l == 0.0 { 0.5 } else { 0.5 * l.abs() };
                (l - room, h + room)
            }
            (l, h) => (l - 0.04 * (h - l), h + 0.04 * (h - l)),
        };
        // Not to the ends of the number range: ticks need room to compute.
        let unwarp = |v: f64| if log { 10f64.powf(v.clamp(-300.0, 300.0)) } else { v.clamp(-1e300, 1e300) };
        let [low, high] = match given {
            Some([l, h]) if l < h && shown(&l) && shown(&h) => [l, h],
            _ => [unwarp(low), unwarp(high)],
        };
        Self { low, high, log, pixels: [0.0, 1.0] }
    }

    /// Pixel of a value; None if it cannot be shown.
    pub(crate) fn pixel(&self, value: f64) -> Option<f64> {
        let t = if self.log {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        // Far outside is as good as infinity, and keeps the numbers of the picture short.
        t.is_finite().then(|| self.pixels[0] + t.clamp(-20.0, 20.0) * (self.pixels[1] - self.pixels[0]))
    }

    /// Ticks about `spacing` pixels apart.
    pub(crate) fn ticks(&self, spacing: f64) -> Ticks {
        let count = ((self.pixels[1] - self.pixels[0]).abs() / spacing).max(2.0);
        let decades = (self.high / self.low).log10();
        if self.log && decades > 0.9 { self.log_ticks(count) } else { self.linear_ticks(count) }
    }

    fn linear_ticks(&self, count: f64) -> Ticks {
        let rough = (self.high - self.low) / count;
        let power = 10f64.powf(rough.log10().floor());
        let step = power * [1.0, 2.0, 5.0, 10.0].into_iter().find(|m| m * power >= 0.999 * rough).unwrap_or(10.0);
        let largest = self.low.abs().max(self.high.abs());
        let exponent = largest.log10().floor() as i32;
        let shift = if (-2..5).contains(&exponent) { 0 } else { exponent };
        let decimals = (shift - (step.log10() + 1e-9).floor() as i32).max(0) as usize;
        let first = (self.low / step - 1e-9).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        let major = (first..=last)
            .map(|k| {
                let label = format!("{:.decimals$}", k as f64 * step / 10f64.powi(shift));
                (k as f64 * step, label.replace('-', "−"))
            })
            .collect();
        Ticks { major, minor: Vec::new(), power: (shift != 0).then(|| format!("×{}", power_of_ten(shift))) }
    }

    fn log_ticks(&self, count: f64) -> Ticks {
        let inside = |v: &f64| *v >= self.low * (1.0 - 1e-9) && *v <= self.high * (1.0 + 1e-9);
        let first = self.low.log10().floor() as i32;
        let last = self.high.log10().ceil() as i32;
        let stride = ((self.high / self.low).log10() / count).ceil().max(1.0) as i32;
        let mut ticks = Ticks::default();
        for exponent in first..=last {
            let power = 10f64.powi(exponent);
            if exponent.rem_euclid(stride) == 0 && inside(&power) {
                ticks.major.push((power, decade(exponent)));
            }
            if stride == 1 {
                ticks.minor.extend((2..10).map(|m| f64::from(m) * power).filter(inside));
            }
        }
        if ticks.major.len() < 3 {
            let labelled = ticks.minor.iter().copied().filter(|v| {
                let digit = (v / 10f64.powf(v.log10().floor())).round();
                digit == 2.0 || digit == 5.0
            });
            ticks.major.extend(labelled.map(|v| (v, plain(v))).collect::<Vec<_>>());
            ticks.major.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        ticks
    }
}

fn decade(exponent: i32) -> String {
    if (-2..=3).contains(&exponent) { plain(10f64.powi(exponent)) } else { power_of_ten(exponent) }
}

/// Shortest text of a number, with powers of ten far from 1.
fn plain(value: f64) -> String {
    let exponent = value.abs().log10().floor() as i32;
    if (-3..5).contains(&exponent) {
        let decimals = (-exponent).max(0) as usize;
        format!("{value:.decimals$}")
    } else {
        format!("{:.0}·{}", value / 10f64.powi(exponent), power_of_ten(exponent))
    }
}

fn power_of_ten(exponent: i32) -> String {
    let digits: String = exponent
        .to_string()
        .chars()
        .filter_map(|c| match c {
            '-' => Some('⁻'),
            digit => digit.to_digit(10).and_then(|d| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(d as usize)),
        })
        .collect();
    format!("10{digits}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64, log: bool) -> Vec<String> {
        let scale = Scale { low, high, log, pixels: [0.0, 400.0] };
        scale.ticks(80.0).major.into_iter().map(|t| t.1).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(labels(-0.1, 1.02, false), ["0.0", "0.5", "1.0"]);
        assert_eq!(labels(-30.0, 42.0, false), ["−20", "0", "20", "40"]);
        assert_eq!(labels(0.0, 5.1e-4, false), ["0", "2", "4"]);
        assert_eq!(labels(0.05, 2e3, true), ["0.1", "1", "10", "100", "1000"]);
        assert_eq!(labels(3e-7, 2e3, true).last().map(String::as_str), Some("100"));
        assert_eq!(labels(1.0, 30.0, true), ["1", "2", "5", "10", "20"]);
    }

    #[test]
    fn powers_are_taken_out_of_small_numbers() {
        let scale = Scale { low: 0.0, high: 5e-4, log: false, pixels: [0.0, 400.0] };
        assert_eq!(scale.ticks(80.0).power.as_deref(), Some("×10⁻⁴"));
    }

    #[test]
    fn odd_data_gives_a_usable_scale() {
        for values in [vec![], vec![f64::NAN], vec![3.0, 3.0], vec![0.0], vec![-1.0, 0.0]] {
            for log in [false, true] {
                let scale = Scale::over(values.iter().copied(), None, log);
                assert!(scale.low < scale.high && scale.low.is_finite() && scale.high.is_finite(), "{values:?}");
                assert!(!log || scale.low > 0.0);
            }
        }
    }
}
