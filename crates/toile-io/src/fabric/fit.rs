//! From laboratory tables to a fabric file.
//!
//! Each table is a test: extension of weft and warp, shear, bending loops or a cantilever. Displacement and force become
//! strain and stress by Volino09 eq. (15) and (17); one least-squares problem then gives the middle curve, a monotone
//! polynomial spline, together with the half-width of the loop around it: σ = S(ε) + h r, where r ∈ [−1, 1] is the state of a
//! friction slider carried along the measured loading and unloading. On the straight parts of the loop that is the average
//! and half the difference of the branches; near a turn it follows the slider the simulation will use. The strain at which the
//! slider slips is found by search unless given.

mod columns;
mod history;
mod reading;
mod synthetic;

pub use synthetic::Synthetic;

use super::file::{Bending, FabricDocument, Format, Membrane, Quality, Sheet};
use super::law::{BendingCurve, BendingLaw, BendingMemory, MembraneCurve, MembraneLaw, MembraneMemory};
use super::plain::in_file;
use super::spline::{Fitted, Point, Residual, SplineError, SplineFit};
use crate::problem::Problem;
use history::Branch;
use reading::Measured;
use std::path::{Path, PathBuf};
use toile_core::law::Curve;
use toile_core::tensile::Sample;

/// What a table measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TestKind {
    /// Extension along the weft.
    Weft,
    /// Extension along the warp.
    Warp,
    /// Shear.
    Shear,
    /// Extension at 45° to the threads: another way to measure shear.
    Bias,
    /// Moment–curvature loop, bending the weft.
    BendingWeft,
    /// Moment–curvature loop, bending the warp.
    BendingWarp,
    /// Cantilever readings of both directions.
    Cantilever,
}

impl TestKind {
    /// Name for messages and options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Weft => "weft",
            Self::Warp => "warp",
            Self::Shear => "shear",
            Self::Bias => "bias",
            Self::BendingWeft => "bending-weft",
            Self::BendingWarp => "bending-warp",
            Self::Cantilever => "cantilever",
        }
    }

    fn bends(self) -> bool {
        matches!(self, Self::BendingWeft | Self::BendingWarp | Self::Cantilever)
    }
}

/// A table of measurements.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// What it measures.
    pub kind: TestKind,
    /// Name of the file, for messages and the source.
    pub path: PathBuf,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Measurement {
    /// Reads a table from disk.
    pub fn read(kind: TestKind, path: impl AsRef<Path>) -> Result<Self, FitError> {
        let path = path.as_ref().to_path_buf();
        match crate::read_limited(&path) {
            Ok(bytes) => Ok(Self { kind, path, bytes }),
            Err(source) => Err(FitError::Io { path, source }),
        }
    }
}

/// Everything known about the fabric.
#[derive(Clone, Debug, PartialEq)]
pub struct FitInput {
    /// Name of the fabric.
    pub name: String,
    /// Mass per area.
    pub density_g_per_m2: f64,
    /// Thickness.
    pub thickness_mm: f64,
    /// Size of the tensile and shear samples.
    pub sample: Sample,
    /// The tables.
    pub tests: Vec<Measurement>,
}

/// How to fit.
#[derive(Clone, Debug, PartialEq)]
pub struct FitOptions {
    /// Spline of weft and warp; Volino09 §4.1 uses three cubic segments.
    pub tensile: SplineFit,
    /// Spline of shear; Volino09 §4.1 uses three quadratic segments.
    pub shear: SplineFit,
    /// Spline of bending; order 1 gives rigidities.
    pub bending: SplineFit,
    /// Strain at which the membrane's friction slips; searched when not given.
    pub yield_strain: Option<f64>,
    /// Curvature (1/m) at which bending friction slips; searched when not given.
    pub yield_curvature_per_m: Option<f64>,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self {
            tensile: SplineFit::new(3, 3),
            shear: SplineFit::new(2, 3),
            bending: SplineFit::new(1, 1),
            yield_strain: None,
            yield_curvature_per_m: None,
        }
    }
}

/// Why no fabric came out.
#[derive(Debug, thiserror::Error)]
pub enum FitError {
    /// A table cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Tables have mistakes: all of them.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Problems(Vec<Problem>),
    /// A curve cannot be fitted.
    #[error("{}: {source}", path.display())]
    Curve {
        /// The table.
        path: PathBuf,
        /// Why.
        source: SplineError,
    },
    /// A test is missing or doubled.
    #[error("{count} tables measure {what}, one is needed")]
    Tests {
        /// What they measure.
        what: &'static str,
        /// How many there are.
        count: usize,
    },
    /// The fabric that came out is none.
    #[error(transparent)]
    Fabric(#[from] super::FabricFileError),
}

/// A point of a plot, both ways of seeing it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlotPoint {
    /// Strain (–) or curvature (1/m).
    pub strain: f64,
    /// Stress (N/m) or moment per width (N).
    pub stress: f64,
    /// Displacement of the clamp (m); curvature again in bending.
    pub displacement: f64,
    /// Force on the clamp (N); moment again in bending.
    pub force: f64,
}

/// One fitted curve, with what is needed to plot it.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedCurve {
    /// What was measured.
    pub kind: TestKind,
    /// The middle curve.
    pub curve: Curve,
    /// Half-width of the loop (N/m or N).
    pub half_width: f64,
    /// Strain or curvature at which friction slips.
    pub yield_strain: f64,
    /// How well it fits, in N/m or N.
    pub residual: Residual,
    /// Whether the curve had to be kept from falling.
    pub held_monotone: bool,
    /// Loading and unloading branches found.
    pub branches: usize,
    /// What was measured, in order.
    pub measured: Vec<PlotPoint>,
    /// The middle curve over the measured range.
    pub fitted: Vec<PlotPoint>,
}

/// A fabric made from measurements.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The fabric file.
    pub document: FabricDocument,
    /// Its text.
    pub text: String,
    /// Every fitted curve.
    pub curves: Vec<FittedCurve>,
    /// What looks wrong although it works.
    pub warnings: Vec<Problem>,
}

/// Makes a fabric file from measurements: weft and warp, shear or bias, and both bending loops or a cantilever table.
pub fn fit(input: &FitInput, options: &FitOptions) -> Result<Fit, FitError> {
    let curve = |kind: TestKind| -> Result<FittedCurve, FitError> {
        let test = input.only(kind)?;
        let measured = reading::read(test, input.sample).map_err(FitError::Problems)?;
        let failed = |source| FitError::Curve { path: test.path.clone(), source };
        fit_curve(kind, measured, input.sample, options).map_err(failed)
    };
    let has = |kind: TestKind| input.tests.iter().any(|t| t.kind == kind);
    let shear = if has(TestKind::Bias) && !has(TestKind::Shear) { TestKind::Bias } else { TestKind::Shear };
    let mut curves = vec![curve(TestKind::Weft)?, curve(TestKind::Warp)?, curve(shear)?];
    let bending = if has(TestKind::Cantilever) {
        let test = input.only(TestKind::Cantilever)?;
        let rigidity = reading::cantilever(test, input.density_g_per_m2 / 1e3).map_err(FitError::Problems)?;
        bending_of_rigidity(rigidity, &input.sources(true))
    } else {
        curves.push(curve(TestKind::BendingWeft)?);
        curves.push(curve(TestKind::BendingWarp)?);
        bending_of_loops(&curves[3], &curves[4], &input.sources(true))
    };
    let document = input.document(membrane(&curves, &input.sources(false)), bending);
    let text = document.to_toml();
    let read = super::read_str(&text, Path::new("fitted.toml"))?;
    Ok(Fit { document, text, curves, warnings: read.warnings })
}

impl FitInput {
    /// The one table of a kind.
    fn only(&self, kind: TestKind) -> Result<&Measurement, FitError> {
        let mut all = self.tests.iter().filter(|t| t.kind == kind);
        match (all.next(), all.count()) {
            (Some(test), 0) => Ok(test),
            (first, more) => Err(FitError::Tests { what: kind.name(), count: more + usize::from(first.is_some()) }),
        }
    }

    /// The tables of the membrane or of bending, as a source.
    fn sources(&self, bending: bool) -> String {
        let tables = self.tests.iter().filter(|t| t.kind.bends() == bending);
        let names = tables.map(|t| t.path.file_name().map_or("a table".into(), |n| n.to_string_lossy()));
        format!("fitted to {}", names.collect::<Vec<_>>().join(", "))
    }

    fn document(&self, membrane: Membrane, bending: Bending) -> FabricDocument {
        FabricDocument {
            format: Format::V1,
            name: self.name.clone(),
            summary: String::new(),
            composition: None,
            construction: None,
            notes: None,
            sheet: Sheet {
                density_g_per_m2: self.density_g_per_m2,
                thickness_mm: self.thickness_mm,
                source: "given with the measurements".into(),
                quality: Quality::Measured,
            },
            membrane,
            bending,
            drag: None,
            friction: None,
        }
    }
}

/// Fits the spline and the loop of one test.
fn fit_curve(kind: TestKind, m: Measured, sample: Sample, options: &FitOptions) -> Result<FittedCurve, SplineError> {
    let (spline, fixed) = match kind {
        TestKind::Weft | TestKind::Warp => (&options.tensile, options.yield_strain),
        TestKind::Shear | TestKind::Bias => (&options.shear, options.yield_strain),
        _ => (&options.bending, options.yield_curvature_per_m),
    };
    let x: Vec<f64> = m.points.iter().map(|p| p.strain).collect();
    let with = |yield_strain: Option<f64>| -> Result<Fitted, SplineError> {
        let state = yield_strain.map_or(vec![0.0; x.len()], |y| history::friction(&m.branches, &x, y));
        let point = |(i, p): (usize, &PlotPoint)| Point {
            weight: m.weights.as_ref().map_or(1.0, |w| w[i]),
            friction: state[i],
            ..Point::new(p.strain, p.stress)
        };
        spline.fit(&m.points.iter().enumerate().map(point).collect::<Vec<_>>())
    };
    // One branch alone cannot tell friction from stiffness.
    let (fitted, yield_strain) = if m.branches.len() < 2 {
        (with(None)?, 0.0)
    } else {
        let yield_strain = fixed.unwrap_or_else(|| search_yield(&x, &m.branches, &with));
        (with(Some(yield_strain))?, yield_strain)
    };
    let end = x.iter().fold(0.0f64, |a, v| a.max(v.abs()));
    let plot = (0..=200).filter_map(|i| reading::plot_point(kind, sample, end * f64::from(i) / 200.0, &fitted.curve));
    Ok(FittedCurve {
        kind,
        half_width: significant(&fitted),
        yield_strain,
        residual: fitted.residual,
        held_monotone: fitted.held_monotone,
        branches: m.branches.len(),
        fitted: plot.collect(),
        measured: m.points,
        curve: fitted.curve,
    })
}

/// The half-width, or zero when it drowns in the noise: three standard errors of a mean.
fn significant(fitted: &Fitted) -> f64 {
    let noise = 3.0 * fitted.residual.rms / (fitted.residual.points as f64).sqrt();
    if fitted.half_width > noise { fitted.half_width } else { 0.0 }
}

/// The slip strain with the least residual: a geometric scan over 0.1 % to 40 % of the range, refined by golden section.
fn search_yield(x: &[f64], branches: &[Branch], fit: &dyn Fn(Option<f64>) -> Result<Fitted, SplineError>) -> f64 {
    debug_assert!(branches.len() > 1);
    let range = x.iter().fold(0.0f64, |a, v| a.max(v.abs()));
    let miss = |log: f64| fit(Some(range * log.exp())).map_or(f64::INFINITY, |f| f.residual.rms);
    let (low, high, count) = (0.001f64.ln(), 0.4f64.ln(), 40);
    let step = (high - low) / f64::from(count);
    let scan = (0..=count).map(|i| low + step * f64::from(i)).map(|l| (miss(l), l));
    let best = scan.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(low, |(_, l)| l);
    let (mut a, mut b) = (best - step, best + step);
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    for _ in 0..40 {
        let (c, d) = (b - golden * (b - a), a + golden * (b - a));
        if miss(c) <= miss(d) { b = d } else { a = c }
    }
    range * (0.5 * (a + b)).exp()
}

/// The membrane of the first three curves.
fn membrane(curves: &[FittedCurve], source: &str) -> Membrane {
    let law = |i: usize| MembraneCurve::from_core(&curves[i].curve, source, Quality::Derived);
    let any = curves[..3].iter().any(|c| c.half_width > 0.0);
    let memory = MembraneMemory::Loop {
        width_n_per_m: std::array::from_fn(|i| 2.0 * curves[i].half_width),
        // A mode without loop needs some slip strain all the same.
        yield_strain: std::array::from_fn(|i| if curves[i].half_width > 0.0 { curves[i].yield_strain } else { 0.01 }),
        source: source.into(),
        quality: Quality::Derived,
    };
    Membrane {
        elastic: MembraneLaw::Curves { weft: law(0), warp: law(1), shear: law(2) },
        viscosity: None,
        hysteresis: if any { vec![memory] } else { Vec::new() },
    }
}

fn bending_of_rigidity(rigidity: [f64; 2], source: &str) -> Bending {
    let elastic = BendingLaw::Orthotropic {
        weft_un_m: in_file(rigidity[0], 1e6),
        warp_un_m: in_file(rigidity[1], 1e6),
        twist_un_m: None,
        coupling_un_m: 0.0,
        source: source.into(),
        quality: Quality::Derived,
    };
    Bending { elastic, viscosity: None, hysteresis: Vec::new() }
}

/// Bending of two loops: rigidities when both are straight, curves otherwise. Twist was not measured: ½√(B_weft B_warp), and
/// half the geometric mean of the loops.
fn bending_of_loops(weft: &FittedCurve, warp: &FittedCurve, source: &str) -> Bending {
    let slopes = [weft.curve.at(0.0).1, warp.curve.at(0.0).1];
    let twist = 0.5 * (slopes[0] * slopes[1]).sqrt();
    let straight = |c: &FittedCurve| c.curve.coefficients().iter().all(|row| row.len() <= 2);
    let elastic = if straight(weft) && straight(warp) {
        bending_of_rigidity(slopes, source).elastic
    } else {
        let law = |c: &Curve| BendingCurve::from_core(c, source, Quality::Derived);
        let twist = Curve::line(twist).map_or_else(|_| law(&weft.curve), |line| law(&line));
        BendingLaw::Curves { weft: law(&weft.curve), warp: law(&warp.curve), twist }
    };
    let widths = [2.0 * weft.half_width, 2.0 * warp.half_width];
    let strains = [weft, warp].map(|c| if c.half_width > 0.0 { c.yield_strain } else { 50.0 });
    let memory = BendingMemory::Loop {
        width_mn_m_per_m: [widths[0], widths[1], 0.5 * (widths[0] * widths[1]).sqrt()].map(|w| in_file(w, 1e3)),
        yield_curvature_per_m: [strains[0], strains[1], (strains[0] * strains[1]).sqrt()],
        source: source.into(),
        quality: Quality::Derived,
    };
    let hysteresis = if widths == [0.0; 2] { Vec::new() } else { vec![memory] };
    Bending { elastic, viscosity: None, hysteresis }
}
