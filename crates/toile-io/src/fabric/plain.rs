//! Laws between file and core: SI units, one shape for every family, each part knowing the key it came from so that an error
//! can be put in its place.

use super::kes;
use super::spline::{self, SplineFit};
use std::path::Path;
use toile_core::law::{AnyLaw, Curve, Curves, Linear, Surface};

pub(super) use toile_core::fabric::{Branch, Rule};

/// A law as a file gives it.
pub(super) enum Plain<'a> {
    Linear {
        modulus: f64,
        poisson: f64,
    },
    Orthotropic {
        weft: f64,
        warp: f64,
        /// Missing only in bending.
        shear: Option<f64>,
        coupling: f64,
    },
    Anisotropic([[f64; 3]; 3]),
    Curves {
        modes: [PlainCurve<'a>; 3],
        /// Key of the third: shear or twist.
        third: &'static str,
        coupling: Option<f64>,
    },
    Surface {
        low: [f64; 3],
        high: [f64; 3],
        points: [usize; 3],
        table: Option<Vec<[f64; 3]>>,
        csv: Option<&'a str>,
        table_key: &'static str,
        csv_key: &'static str,
        /// File units per SI unit of stress.
        per: f64,
    },
}

/// A curve as a file gives it.
pub(super) enum PlainCurve<'a> {
    Spline {
        knots: Option<Vec<f64>>,
        rows: Vec<Vec<f64>>,
        compression: Option<Box<PlainCurve<'a>>>,
        keys: [&'static str; 2],
    },
    Points {
        x: &'a [f64],
        y: Vec<f64>,
        order: usize,
        segments: usize,
        compression: Option<Box<PlainCurve<'a>>>,
        keys: [&'static str; 2],
    },
    KesTensile {
        extension: f64,
        linearity: f64,
        load: f64,
    },
    KesShear {
        stiffness: f64,
        /// Shear strain at which the slope has doubled.
        doubles_at: f64,
    },
}

/// A mistake under a key, before it is located.
pub(super) struct Mistake {
    /// Key below the law, as `weft.knots_strain`.
    pub key: String,
    pub message: String,
}

impl Mistake {
    fn new(key: impl Into<String>, message: impl ToString) -> Self {
        Self { key: key.into(), message: message.to_string() }
    }

    fn below(mut self, parent: &str) -> Self {
        self.key = if self.key.is_empty() { parent.into() } else { format!("{parent}.{}", self.key) };
        self
    }
}

/// Largest number of grid points of a surface: above it, fitting the potential may take minutes.
const SURFACE_POINTS: usize = 2048;

/// Largest ratio of the axes' extents: beyond it, the fit of the potential converges slowly, and no table is made so.
const SURFACE_RATIO: f64 = 100.0;

impl Plain<'_> {
    /// The law of the core, or every mistake in it. `file` finds tables that lie beside it.
    pub(super) fn build(&self, file: &Path) -> Result<AnyLaw, Vec<Mistake>> {
        let one = |e: &dyn ToString| vec![Mistake::new("", e.to_string())];
        match self {
            Self::Linear { modulus, poisson } => {
                Linear::isotropic(*modulus, *poisson).map(AnyLaw::Linear).map_err(|e| one(&e))
            }
            Self::Orthotropic { weft, warp, shear, coupling } => {
                // The twist of a plate without Poisson effect, exact when isotropic.
                let shear = shear.unwrap_or(0.5 * (weft * warp).sqrt());
                Linear::orthotropic(*weft, *warp, shear, *coupling).map(AnyLaw::Linear).map_err(|e| one(&e))
            }
            Self::Anisotropic(m) => anisotropic(m).map_err(|e| vec![e]),
            Self::Curves { modes, third, coupling } => curves(modes, third, *coupling),
            Self::Surface { low, high, points, .. } => {
                check_grid(low, high, points).map_err(|e| vec![e])?;
                let table = self.table(file).map_err(|e| vec![e])?;
                // Squares of larger numbers overflow in the fit; nothing measured comes near.
                if low.iter().chain(high).chain(table.iter().flatten()).any(|x| x.abs() > 1e30) {
                    return Err(vec![Mistake::new("", "the strains or stresses of the table are too large")]);
                }
                Surface::fit(*low, *high, *points, &table).map(AnyLaw::Surface).map_err(|e| one(&e))
            }
        }
    }

    /// The table of a surface, inline or from its file.
    fn table(&self, file: &Path) -> Result<Vec<[f64; 3]>, Mistake> {
        let Self::Surface { table, csv, table_key, csv_key, per, .. } = self else { return Ok(Vec::new()) };
        match (table, csv) {
            (Some(table), None) => Ok(table.clone()),
            (None, Some(name)) => {
                // A fabric file must not make a server read files elsewhere.
                if Path::new(name).components().count() != 1 || Path::new(name).file_name().is_none() {
                    return Err(Mistake::new(*csv_key, "expected the name of a file beside this one, without folders"));
                }
                let path = file.parent().unwrap_or(Path::new("")).join(name);
                let rows = super::table::read(&path).map_err(|m| Mistake::new(*csv_key, m))?;
                Ok(rows.into_iter().map(|r| r.map(|y| y / per)).collect())
            }
            _ => Err(Mistake::new("", format!("a surface needs either `{table_key}` or `{csv_key}`"))),
        }
    }
}

/// Refuses grids that would take minutes to fit.
fn check_grid(low: &[f64; 3], high: &[f64; 3], points: &[usize; 3]) -> Result<(), Mistake> {
    let product = points.iter().fold(1usize, |a, b| a.saturating_mul(*b));
    if product > SURFACE_POINTS {
        let message = format!("a grid of {product} points is too large, at most {SURFACE_POINTS}");
        return Err(Mistake::new("points", message));
    }
    let extents: [f64; 3] = std::array::from_fn(|m| (high[m] - low[m]).abs());
    let (least, most) = extents.iter().fold((f64::INFINITY, 0.0f64), |(a, b), x| (a.min(*x), b.max(*x)));
    if most > SURFACE_RATIO * least {
        let message =
            format!("the axes extend over {extents:?}: at most a factor of {SURFACE_RATIO} may lie between them");
        return Err(Mistake::new("", message));
    }
    Ok(())
}

fn anisotropic(m: &[[f64; 3]; 3]) -> Result<AnyLaw, Mistake> {
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        if (m[i][j] - m[j][i]).abs() > 1e-9 * m[i][i].abs().max(m[j][j].abs()) {
            let message = format!(
                "not symmetric: row {} column {} is {}, row {} column {} is {}",
                i + 1,
                j + 1,
                m[i][j],
                j + 1,
                i + 1,
                m[j][i]
            );
            return Err(Mistake::new("", message));
        }
    }
    Linear::anisotropic([m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2]])
        .map(AnyLaw::Linear)
        .map_err(|e| Mistake::new("", e))
}

fn curves(modes: &[PlainCurve; 3], third: &str, coupling: Option<f64>) -> Result<AnyLaw, Vec<Mistake>> {
    let mut mistakes = Vec::new();
    let mut built = Vec::new();
    for (mode, name) in modes.iter().zip(["weft", "warp", third]) {
        match mode.build(name == third) {
            Ok(curve) => built.push(curve),
            Err(mistake) => mistakes.push(mistake.below(name)),
        }
    }
    let Ok([weft, warp, shear]) = <[Curve; 3]>::try_from(built) else { return Err(mistakes) };
    let curves = Curves::new(weft, warp, shear);
    match coupling {
        None => Ok(AnyLaw::Curves(curves)),
        Some(c) => curves.with_coupling(c).map(AnyLaw::Curves).map_err(|e| vec![Mistake::new("", e)]),
    }
}

impl PlainCurve<'_> {
    /// A curve that is none: refused when built.
    pub(super) const NONE: PlainCurve<'static> =
        PlainCurve::Spline { knots: None, rows: Vec::new(), compression: None, keys: ["", ""] };

    /// The curve of the core.
    pub(super) fn build(&self, shear: bool) -> Result<Curve, Mistake> {
        match self {
            Self::Spline { knots, rows, compression, keys } => {
                let knots = knots.clone().unwrap_or_else(|| vec![0.0, f64::INFINITY]);
                let curve = Curve::spline(knots, rows.clone()).map_err(|e| Mistake::new(key_of(&e, keys), e))?;
                with_compression(curve, compression.as_deref(), shear)
            }
            Self::Points { x, y, order, segments, compression, keys } => {
                if x.len() != y.len() {
                    let message = format!("{} values, but `{}` has {}", y.len(), keys[0], x.len());
                    return Err(Mistake::new(keys[1], message));
                }
                let points: Vec<spline::Point> = x.iter().zip(y).map(|(&x, &y)| spline::Point::new(x, y)).collect();
                let fit = SplineFit::new(*order, *segments).fit(&points).map_err(|e| Mistake::new(keys[0], e))?;
                with_compression(fit.curve, compression.as_deref(), shear)
            }
            Self::KesTensile { .. } if shear => {
                Err(Mistake::new("form", "`kes-tensile` describes extension, use `kes-shear` or a spline"))
            }
            Self::KesShear { .. } if !shear => {
                Err(Mistake::new("form", "`kes-shear` describes shear, use `kes-tensile` or a spline"))
            }
            Self::KesTensile { extension, linearity, load } => {
                kes::tensile_curve(*extension, *linearity, *load).map_err(|e| Mistake::new("", e))
            }
            Self::KesShear { stiffness, doubles_at } => {
                kes::shear_curve(*stiffness, *doubles_at).map_err(|e| Mistake::new("", e))
            }
        }
    }
}

fn with_compression(curve: Curve, compression: Option<&PlainCurve>, shear: bool) -> Result<Curve, Mistake> {
    let Some(plain) = compression else { return Ok(curve) };
    let side = plain.build(shear).map_err(|m| m.below("compression"))?;
    if side.compression().is_some() {
        return Err(Mistake::new("compression", "a compression curve has no compression curve of its own"));
    }
    Ok(curve.with_compression(side))
}

/// Whether a complaint is about knots or coefficients.
fn key_of(error: &toile_core::law::CurveError, keys: &[&'static str; 2]) -> &'static str {
    match error {
        toile_core::law::CurveError::Knot { .. } => keys[0],
        _ => keys[1],
    }
}

/// A number of the file from its SI value, such that reading divides it back to the same bits wherever decimals allow:
/// the shortest of 15, 16 or 17 digits that does.
pub(super) fn in_file(si: f64, per: f64) -> f64 {
    if per == 1.0 || si == 0.0 || !si.is_finite() {
        return si;
    }
    let exact = si * per;
    let candidates = [14, 15, 16].map(|digits| format!("{exact:.digits$e}").parse().unwrap_or(exact));
    candidates.into_iter().chain([exact.next_up(), exact.next_down()]).find(|y: &f64| y / per == si).unwrap_or(exact)
}
