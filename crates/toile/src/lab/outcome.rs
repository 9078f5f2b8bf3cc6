//! What a test returns.

use super::Cycle;
use crate::plot::{Axis, Plot, Series, Style};

/// A measured quantity: SI inside, with a unit outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    /// Key in files, with the unit: `displacement_mm`.
    pub key: &'static str,
    /// Key of the law's own value; empty for quantities of which a law knows nothing.
    pub law_key: &'static str,
    /// Name for axes and tables.
    pub name: &'static str,
    /// Unit outside.
    pub unit: &'static str,
    /// Units outside per SI unit.
    pub per_si: f64,
}

/// Way of a clamp.
pub(super) const DISPLACEMENT: Quantity =
    Quantity { key: "displacement_mm", law_key: "", name: "displacement", unit: "mm", per_si: 1e3 };
/// Force on a clamp.
pub(super) const FORCE: Quantity = Quantity { key: "force_n", law_key: "law_n", name: "force", unit: "N", per_si: 1.0 };
/// Extension between gauge marks.
pub(super) const GAUGE: Quantity =
    Quantity { key: "gauge_extension_percent", law_key: "", name: "gauge extension", unit: "%", per_si: 100.0 };
/// Curvature between clamps.
pub(super) const CURVATURE: Quantity =
    Quantity { key: "curvature_per_m", law_key: "", name: "curvature", unit: "1/m", per_si: 1.0 };
/// Moment per width.
pub(super) const MOMENT: Quantity =
    Quantity { key: "moment_mn_m_per_m", law_key: "law_mn_m_per_m", name: "moment", unit: "mN·m/m", per_si: 1e3 };
/// Free length of a strip.
pub(super) const OVERHANG: Quantity =
    Quantity { key: "overhang_mm", law_key: "", name: "overhang", unit: "mm", per_si: 1e3 };
/// Bending rigidity per width.
pub(super) const RIGIDITY: Quantity =
    Quantity { key: "rigidity_un_m", law_key: "law_un_m", name: "rigidity", unit: "µN·m", per_si: 1e6 };

/// Number of a specimen.
pub(super) const SEED: Quantity = Quantity { key: "seed", law_key: "", name: "seed", unit: "–", per_si: 1.0 };
/// Share of the overhang that the shadow covers.
pub(super) const DRAPE: Quantity =
    Quantity { key: "drape_coefficient_percent", law_key: "", name: "drape coeff.", unit: "%", per_si: 100.0 };

/// One reading, in SI units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Where.
    pub x: f64,
    /// What the clamp showed.
    pub measured: f64,
    /// What the law says by itself; nothing where it knows nothing.
    pub law: f64,
    /// Newton iterations of the reading.
    pub iterations: usize,
}

/// What errors are relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorScale {
    /// The law's value of the same row.
    Row,
    /// The law's largest value: loops pass through zero.
    Largest,
}

/// How the readings lie: decides what is drawn of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// A curve that begins at rest.
    FromRest,
    /// A curve that begins elsewhere.
    Elsewhere,
    /// Trials of one measurement: no curve.
    Trials,
}

/// A number beside the rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// Key in files, with the unit.
    pub key: &'static str,
    /// What it is.
    pub name: &'static str,
    /// Value in the unit of the key.
    pub value: f64,
    /// That unit.
    pub unit: &'static str,
}

/// Result of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Name of the test.
    pub test: &'static str,
    /// Kind of loading, for tests that have several; empty otherwise.
    pub mode: &'static str,
    /// Name of the fabric.
    pub fabric: String,
    /// Direction: `weft`, `warp` or an angle.
    pub direction: String,
    /// Quantity of `Row::x`.
    pub x: Quantity,
    /// Quantity of `Row::measured` and `Row::law`.
    pub y: Quantity,
    /// Readings in order.
    pub rows: Vec<Row>,
    /// How they lie.
    pub path: Path,
    /// Further quantities of every reading, in SI units.
    pub beside: Vec<(Quantity, Vec<f64>)>,
    /// What errors are relative to.
    pub scale: ErrorScale,
    /// Triangles of the sample.
    pub triangles: usize,
    /// Further numbers.
    pub figures: Vec<Figure>,
    /// Energies, for tests that go round.
    pub cycles: Vec<Cycle>,
    /// What to know when reading the numbers.
    pub notes: Vec<String>,
    /// Further pictures, by name.
    pub plots: Vec<(&'static str, Plot)>,
    /// Further curves (SI) in the picture of the rows.
    pub plot_extra: Vec<Series>,
    /// Further files: the end of the name, and what is in it.
    pub files: Vec<(&'static str, Vec<u8>)>,
}

impl Outcome {
    pub(super) fn new(
        test: &'static str,
        fabric: &str,
        direction: impl Into<String>,
        x: Quantity,
        y: Quantity,
    ) -> Self {
        Self {
            test,
            mode: "",
            fabric: fabric.into(),
            direction: direction.into(),
            x,
            y,
            rows: Vec::new(),
            path: Path::FromRest,
            beside: Vec::new(),
            scale: ErrorScale::Row,
            triangles: 0,
            figures: Vec::new(),
            cycles: Vec::new(),
            notes: Vec::new(),
            plots: Vec::new(),
            plot_extra: Vec::new(),
            files: Vec::new(),
        }
    }

    pub(super) fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    pub(super) fn figure(&mut self, key: &'static str, name: &'static str, value: f64, unit: &'static str) {
        self.figures.push(Figure { key, name, value, unit });
    }

    /// (measured − law) over the scale; None where that is zero.
    pub fn relative_error(&self, row: &Row) -> Option<f64> {
        let scale = match self.scale {
            ErrorScale::Row => row.law.abs(),
            ErrorScale::Largest => self.rows.iter().map(|r| r.law.abs()).fold(0.0, f64::max),
        };
        (scale > 0.0).then(|| (row.measured - row.law) / scale)
    }

    /// Largest size of the relative errors.
    pub fn max_relative_error(&self) -> f64 {
        // NaN must win.
        let larger = |a: f64, b: f64| if b <= a { a } else { b };
        self.rows.iter().filter_map(|r| self.relative_error(r)).map(f64::abs).fold(0.0, larger)
    }

    /// Most Newton iterations of a reading.
    pub fn max_newton_iterations(&self) -> usize {
        self.rows.iter().map(|r| r.iterations).max().unwrap_or(0)
    }

    /// Every picture: the readings beside the law, the errors, and those of the test itself.
    pub fn pictures(&self) -> Vec<(&'static str, Plot)> {
        let mut all = Vec::new();
        if self.path != Path::Trials {
            all.push(("", self.curve()));
            if self.scale == ErrorScale::Row {
                all.push(("error", self.errors()));
            }
        }
        all.extend(self.plots.iter().cloned());
        all
    }

    /// Whether readings stand beside those of a law.
    pub fn has_law(&self) -> bool {
        !self.y.law_key.is_empty()
    }

    /// Name of the test with its mode.
    pub fn name(&self) -> String {
        if self.mode.is_empty() { self.test.into() } else { format!("{} {}", self.test, self.mode) }
    }

    fn title(&self) -> String {
        format!("{}, {}: {}", self.fabric, self.direction, self.name())
    }

    fn outside(&self, p: [f64; 2]) -> [f64; 2] {
        [p[0] * self.x.per_si, p[1] * self.y.per_si]
    }

    fn curve(&self) -> Plot {
        let points = |y: fn(&Row) -> f64| self.rows.iter().map(|r| self.outside([r.x, y(r)])).collect::<Vec<_>>();
        let mut law = points(|r| r.law);
        if self.path == Path::FromRest {
            law.insert(0, [0.0, 0.0]);
        }
        let mut series = vec![
            Series::new("law", Style::Line, law),
            Series::new(format!("{} triangles", self.triangles), Style::Points, points(|r| r.measured)),
        ];
        for extra in &self.plot_extra {
            let points = extra.points.iter().map(|p| self.outside(*p)).collect();
            series.push(Series { points, ..extra.clone() });
        }
        let axis = |q: &Quantity| Axis::new(format!("{} ({})", q.name, q.unit));
        Plot { title: self.title(), x: axis(&self.x), y: axis(&self.y), series, is_equal: false }
    }

    fn errors(&self) -> Plot {
        let error = |r: &Row| Some([r.x * self.x.per_si, self.relative_error(r)?.abs()]);
        let points = self.rows.iter().filter_map(error).collect();
        Plot {
            title: format!("{}, difference from the law", self.title()),
            x: Axis::new(format!("{} ({})", self.x.name, self.x.unit)),
            y: Axis::log(format!("relative error of {} (–)", self.y.name)),
            series: vec![Series::new("", Style::Points, points)],
            is_equal: false,
        }
    }
}
