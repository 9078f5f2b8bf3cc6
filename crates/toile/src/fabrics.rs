//! Fabrics by name or file, and what there is to say about them.

use crate::lab::Point;
use crate::plot::{Axis, Plot, Series, Style};
use serde_json::Value;
use std::path::Path;
use toile_core::fabric::{Branch, Fabric, Material, Rule};
use toile_core::law::Law;
use toile_core::tensile::unit::KES_TENSION;
use toile_io::fabric::fit::{Fit, FittedCurve, PlotPoint, TestKind};
use toile_io::fabric::{FabricFile, FabricFileError, UnknownFabric, by_name, read};

/// Why a fabric could not be had.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Neither in the library nor a file.
    #[error("{0}; see `toile fabric list`, or name a file")]
    Unknown(#[from] UnknownFabric),
    /// The file does not serve.
    #[error(transparent)]
    File(#[from] FabricFileError),
}

/// A fabric by its name in the library, or else by the path of its file.
pub fn open(word: &str) -> Result<FabricFile, OpenError> {
    match by_name(word) {
        Ok(known) => Ok(known.read()),
        Err(unknown) => {
            let path = Path::new(word);
            let is_path = path.exists() || path.components().count() > 1 || path.extension().is_some();
            if is_path { Ok(read(path)?) } else { Err(unknown.into()) }
        }
    }
}

/// The numbers by which fabrics are compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// Mass per area (g/m²).
    pub density_g_per_m2: f64,
    /// Thickness (mm).
    pub thickness_mm: f64,
    /// Initial membrane stiffness of weft, warp and shear (N/m).
    pub stiffness_n_per_m: [f64; 3],
    /// Tension (N/m) at 5 % extension of weft and warp, at 8° for shear (strain 0.14).
    pub tension_n_per_m: [f64; 3],
    /// Initial bending rigidity of weft, warp and twist (µN·m).
    pub bending_un_m: [f64; 3],
    /// Full width of the friction loops: weft, warp, shear (N/m).
    pub loop_n_per_m: [f64; 3],
    /// Full width of the bending loops: weft, warp, twist (mN·m/m).
    pub bending_loop_mn_m_per_m: [f64; 3],
    /// Static and kinetic friction against itself.
    pub friction: Option<[f64; 2]>,
    /// Quality of sheet, membrane and bending: the weakest of each group.
    pub quality: [&'static str; 3],
}

/// Words of quality, weakest first.
const QUALITIES: [&str; 3] = ["estimate", "derived", "measured"];

impl Figures {
    /// Those of a fabric.
    pub fn of(file: &FabricFile) -> Self {
        let (document, fabric) = (&file.document, &file.fabric);
        let first = |m: &Material| {
            let k = m.elastic.stiffness();
            [k[0], k[1], k[2]]
        };
        let strains = [extension_strain(0.05), extension_strain(0.05), 0.14];
        Self {
            density_g_per_m2: 1e3 * fabric.density,
            thickness_mm: 1e3 * fabric.thickness,
            stiffness_n_per_m: first(&fabric.membrane),
            tension_n_per_m: std::array::from_fn(|m| stress(&fabric.membrane, m, strains[m])),
            bending_un_m: first(&fabric.bending).map(|b| 1e6 * b),
            loop_n_per_m: loop_width(&fabric.membrane),
            bending_loop_mn_m_per_m: loop_width(&fabric.bending).map(|w| 1e3 * w),
            friction: document.friction.as_ref().map(|f| [f.static_coefficient, f.kinetic_coefficient]),
            quality: [quality(&document.sheet), quality(&document.membrane), quality(&document.bending)],
        }
    }
}

/// Weakest quality of a part of a document.
fn quality(part: &impl serde::Serialize) -> &'static str {
    let tree = serde_json::to_value(part).unwrap_or(Value::Null);
    weakest(&tree).map_or("", |q| QUALITIES[q])
}

/// Weakest `quality` anywhere in a tree.
fn weakest(tree: &Value) -> Option<usize> {
    match tree {
        Value::Object(map) => {
            let own = map.get("quality").and_then(Value::as_str).and_then(|q| QUALITIES.iter().position(|k| *k == q));
            map.values().filter_map(weakest).chain(own).min()
        }
        Value::Array(list) => list.iter().filter_map(weakest).min(),
        _ => None,
    }
}

/// Green strain of an extension.
fn extension_strain(e: f64) -> f64 {
    e + 0.5 * e * e
}

/// Elastic stress of one mode at a strain of that mode alone.
fn stress(material: &Material, mode: usize, strain: f64) -> f64 {
    let mut e = [0.0; 3];
    e[mode] = strain;
    material.elastic.stress(e)[mode]
}

/// Twice the yield stress of all sliders, per mode.
fn loop_width(material: &Material) -> [f64; 3] {
    std::array::from_fn(|m| {
        let branches = material.memory.iter().filter(|b| b.stiffness[m] > 0.0);
        let width = |b: &Branch| if let Rule::Slider { yield_stress } = &b.rule { 2.0 * yield_stress[m] } else { 0.0 };
        branches.map(width).fold(0.0, |a, w| a + w)
    })
}

/// Points on a branch of a drawn loop.
const POINTS: usize = 120;

/// Curves of a fabric: tension of weft and warp over extension, shear and bending with their loops.
pub fn plots(fabric: &Fabric) -> Vec<(&'static str, Plot)> {
    let tension = |mode: usize, name: &str| {
        // As far as the instrument pulls, and a little further.
        let is_measured = |e: &f64| stress(&fabric.membrane, mode, extension_strain(*e)) < 1.2 * KES_TENSION;
        let end = (1..=40).map(|k| 0.01 * f64::from(k)).take_while(is_measured).last().unwrap_or(0.01);
        let path = ramp(0.0, end).chain(ramp(end, 0.0));
        let points = path.map(|e| (e, extension_strain(e)));
        Series::new(name, Style::Line, curve(&fabric.membrane, mode, points, |e, s| [100.0 * e, s * (1.0 + e)]))
    };
    let both = |material: &Material, mode: usize, a: f64, name: &str, unit: f64| {
        let path = ramp(0.0, a).chain(ramp(a, -a)).chain(ramp(-a, a)).map(|x| (x, x));
        Series::new(name, Style::Line, curve(material, mode, path, move |x, s| [x, unit * s]))
    };
    let plot = |what: &str, x: &str, y: &str, series| Plot {
        title: format!("{}: {what}", fabric.name),
        x: Axis::new(x),
        y: Axis::new(y),
        series,
        is_equal: false,
    };
    vec![
        (
            "tension",
            plot("tension", "extension (%)", "force per width (N/m)", vec![tension(0, "weft"), tension(1, "warp")]),
        ),
        (
            "shear",
            plot("shear", "shear strain (–)", "shear stress (N/m)", vec![both(&fabric.membrane, 2, 0.3, "shear", 1.0)]),
        ),
        (
            "bending",
            plot("bending", "curvature (1/m)", "moment per width (mN·m/m)", {
                vec![both(&fabric.bending, 0, 250.0, "weft", 1e3), both(&fabric.bending, 1, 250.0, "warp", 1e3)]
            }),
        ),
    ]
}

/// Measured points and fitted curves of a fit, one picture for each table.
pub fn fit_plots(fit: &Fit) -> Vec<(&'static str, Plot)> {
    let picture = |c: &FittedCurve| {
        let bends = matches!(c.kind, TestKind::BendingWeft | TestKind::BendingWarp);
        let (x, y, scale) = if bends {
            ("curvature (1/m)", "moment per width (mN·m/m)", 1e3)
        } else {
            ("strain (–)", "stress (N/m)", 1.0)
        };
        let points = |list: &[PlotPoint]| list.iter().map(|p| [p.strain, scale * p.stress]).collect::<Vec<_>>();
        let plot = Plot {
            title: format!("{}: {}", fit.document.name, c.kind.name()),
            x: Axis::new(x),
            y: Axis::new(y),
            series: vec![
                Series::new("measured", Style::Points, points(&c.measured)),
                Series::new("fitted middle curve", Style::Line, points(&c.fitted)),
            ],
            is_equal: false,
        };
        (c.kind.name(), plot)
    };
    fit.curves.iter().map(picture).collect()
}

fn ramp(from: f64, to: f64) -> impl Iterator<Item = f64> {
    (0..=POINTS).map(move |k| from + (to - from) * k as f64 / POINTS as f64)
}

/// Stress of one mode along a path of (x, strain), with memory; nothing where the memory does not serve.
fn curve(
    material: &Material,
    mode: usize,
    path: impl Iterator<Item = (f64, f64)>,
    place: impl Fn(f64, f64) -> [f64; 2],
) -> Vec<[f64; 2]> {
    let Ok(mut point) = Point::new(material, 0.0) else { return Vec::new() };
    let along = path.map(|(x, strain)| {
        let mut e = [0.0; 3];
        e[mode] = strain;
        let stress = point.respond(e).0[mode];
        point.commit(e);
        place(x, stress)
    });
    along.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn library_fabrics_have_figures_and_curves() {
        for entry in toile_io::fabric::library() {
            let file = open(entry.name).unwrap();
            let figures = Figures::of(&file);
            assert!(figures.quality.iter().all(|q| QUALITIES.contains(q)), "{}: {:?}", entry.name, figures.quality);
            assert!(figures.stiffness_n_per_m.iter().chain(&figures.bending_un_m).all(|k| *k > 0.0), "{}", entry.name);
            for (name, plot) in plots(&file.fabric) {
                let finite = plot.series.iter().flat_map(|s| &s.points).flatten().all(|v| v.is_finite());
                assert!(finite && plot.series.iter().all(|s| s.points.len() > POINTS), "{} {name}", entry.name);
            }
        }
    }

    /// Numbers of the file come back: poplin of 118 g/m², 95 N/m in shear, a shear loop of 2.4 N/m.
    #[test]
    fn figures_are_those_of_the_file() {
        let figures = Figures::of(&open("cotton-poplin").unwrap());
        assert!((figures.density_g_per_m2 - 118.0).abs() < 1e-9);
        assert!((figures.stiffness_n_per_m[2] / 95.0 - 1.0).abs() < 1e-9, "{:?}", figures.stiffness_n_per_m);
        assert!((figures.loop_n_per_m[2] - 2.4).abs() < 1e-9);
        assert_eq!(figures.quality, ["estimate", "estimate", "derived"]);
    }

    #[test]
    fn strangers_are_refused_with_a_hint() {
        let error = open("coton-poplin").unwrap_err().to_string();
        assert!(error.contains("cotton-poplin") && error.contains("toile fabric list"), "{error}");
        assert!(matches!(open("no/such.toml"), Err(OpenError::File(FabricFileError::Io { .. }))));
    }
}
