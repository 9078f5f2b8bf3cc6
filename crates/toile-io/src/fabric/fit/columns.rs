//! Column names of laboratory tables: which quantity, in which unit. `Force [N]`, `force_n`, `Load (cN)`, `F / N` and
//! `shear angle (°)` are all understood; a unit is never guessed.

use crate::csv::Csv;
use crate::problem::{Problem, nearest};

/// What a column may measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dimension {
    Length,
    Ratio,
    Angle,
    Force,
    ForcePerWidth,
    Curvature,
    MomentPerWidth,
}

/// A column wanted from a table.
pub(super) struct Wanted {
    /// For messages.
    pub what: &'static str,
    /// Names, lower case, words joined by `_`.
    pub names: &'static [&'static str],
    pub dimensions: &'static [Dimension],
    /// A header to imitate.
    pub example: &'static str,
}

/// A column found: values in SI.
pub(super) struct Found {
    pub dimension: Dimension,
    pub values: Vec<f64>,
    pub column: usize,
}

use Dimension as D;

/// Extension of the sample.
pub(super) const PULL: Wanted = Wanted {
    what: "extension",
    names: &[
        "displacement",
        "elongation",
        "extension",
        "strain",
        "du",
        "stroke",
        "travel",
        "weg",
        "dehnung",
        "emt",
        "d",
        "x",
    ],
    dimensions: &[D::Length, D::Ratio],
    example: "elongation_mm",
};
/// Force along the pull.
pub(super) const FORCE: Wanted = Wanted {
    what: "force",
    names: &["force", "load", "tension", "fu", "f", "kraft", "tensile_force", "standard_force"],
    dimensions: &[D::Force, D::ForcePerWidth],
    example: "force_n",
};
/// Shear of the sample.
pub(super) const SHEAR: Wanted = Wanted {
    what: "shear",
    names: &[
        "shear",
        "shear_displacement",
        "shear_angle",
        "angle",
        "displacement",
        "dv",
        "shear_strain",
        "strain",
        "phi",
    ],
    dimensions: &[D::Length, D::Ratio, D::Angle],
    example: "shear_angle_deg",
};
/// Force along the clamp.
pub(super) const SHEAR_FORCE: Wanted = Wanted {
    what: "shear force",
    names: &["shear_force", "force", "load", "fv", "fs", "f", "kraft"],
    dimensions: &[D::Force, D::ForcePerWidth],
    example: "shear_force_n",
};
/// Tension that holds the sample straight while it is sheared.
pub(super) const TENSION: Wanted = Wanted {
    what: "tension",
    names: &["tension", "fu", "pull_force", "pretension"],
    dimensions: &[D::Force, D::ForcePerWidth],
    example: "tension_n",
};
/// Curvature of the sample.
pub(super) const CURVATURE: Wanted = Wanted {
    what: "curvature",
    names: &["curvature", "k", "kappa", "bending"],
    dimensions: &[D::Curvature],
    example: "curvature_per_cm",
};
/// Moment per width.
pub(super) const MOMENT: Wanted = Wanted {
    what: "moment",
    names: &["moment", "bending_moment", "m", "moment_per_width"],
    dimensions: &[D::MomentPerWidth],
    example: "moment_gf_cm_per_cm",
};
/// Overhang of a cantilever strip.
pub(super) const OVERHANG: Wanted = Wanted {
    what: "overhang",
    names: &["overhang", "overhang_length", "length", "l"],
    dimensions: &[D::Length],
    example: "overhang_mm",
};
/// Half of it, as testers print.
pub(super) const BENDING_LENGTH: Wanted = Wanted {
    what: "bending length",
    names: &["bending_length", "c"],
    dimensions: &[D::Length],
    example: "bending_length_mm",
};
/// Angle of a cantilever strip's chord below the level.
pub(super) const ANGLE: Wanted =
    Wanted { what: "angle", names: &["angle", "chord_angle", "slope"], dimensions: &[D::Angle], example: "angle_deg" };

const GF: f64 = toile_core::tensile::STANDARD_GRAVITY * 1e-3;

/// Units as [`squeezed`] leaves them, with their factor to SI.
const UNITS: &[(&str, Dimension, f64)] = &[
    ("m", D::Length, 1.0),
    ("cm", D::Length, 1e-2),
    ("mm", D::Length, 1e-3),
    ("um", D::Length, 1e-6),
    ("in", D::Length, 0.0254),
    ("%", D::Ratio, 1e-2),
    ("percent", D::Ratio, 1e-2),
    ("pct", D::Ratio, 1e-2),
    ("-", D::Ratio, 1.0),
    ("–", D::Ratio, 1.0),
    ("1", D::Ratio, 1.0),
    ("m/m", D::Ratio, 1.0),
    ("mm/mm", D::Ratio, 1.0),
    ("deg", D::Angle, std::f64::consts::PI / 180.0),
    ("degree", D::Angle, std::f64::consts::PI / 180.0),
    ("degrees", D::Angle, std::f64::consts::PI / 180.0),
    ("°", D::Angle, std::f64::consts::PI / 180.0),
    ("rad", D::Angle, 1.0),
    ("n", D::Force, 1.0),
    ("cn", D::Force, 1e-2),
    ("mn", D::Force, 1e-3),
    ("kn", D::Force, 1e3),
    ("gf", D::Force, GF),
    ("kgf", D::Force, 1e3 * GF),
    ("n/m", D::ForcePerWidth, 1.0),
    ("n/cm", D::ForcePerWidth, 1e2),
    ("n/mm", D::ForcePerWidth, 1e3),
    ("cn/cm", D::ForcePerWidth, 1.0),
    ("mn/mm", D::ForcePerWidth, 1.0),
    ("gf/cm", D::ForcePerWidth, 1e2 * GF),
    ("1/m", D::Curvature, 1.0),
    ("m-1", D::Curvature, 1.0),
    ("1/cm", D::Curvature, 1e2),
    ("cm-1", D::Curvature, 1e2),
    ("1/mm", D::Curvature, 1e3),
    ("mm-1", D::Curvature, 1e3),
    ("n", D::MomentPerWidth, 1.0),
    ("mn", D::MomentPerWidth, 1e-3),
    ("un", D::MomentPerWidth, 1e-6),
    ("nm/m", D::MomentPerWidth, 1.0),
    ("mnm/m", D::MomentPerWidth, 1e-3),
    ("unm/m", D::MomentPerWidth, 1e-6),
    ("ncm/cm", D::MomentPerWidth, 1.0),
    ("cncm/cm", D::MomentPerWidth, 1e-2),
    ("mnmm/mm", D::MomentPerWidth, 1e-3),
    ("gfcm/cm", D::MomentPerWidth, GF),
];

impl Wanted {
    /// Finds the column and reads it. None when no column has one of the names.
    pub(super) fn find(&self, csv: &Csv) -> Result<Option<Found>, Vec<Problem>> {
        let mut unit_trouble = None;
        for (column, header) in csv.names().enumerate() {
            match self.read_header(header) {
                Header::Stranger => {}
                Header::Unit(dimension, factor) => {
                    let values = csv.numbers(column)?.into_iter().map(|v| v * factor).collect();
                    return Ok(Some(Found { dimension, values, column }));
                }
                Header::NoUnit => {
                    let message = format!("the {} has no unit, or one that does not measure it", self.what);
                    let problem = csv.header_problem(column, message);
                    unit_trouble.get_or_insert(problem.with_help(format!("write for example `{}`", self.example)));
                }
            }
        }
        unit_trouble.map_or(Ok(None), |problem| Err(vec![problem]))
    }

    /// Finds the column or complains that it is missing.
    pub(super) fn require(&self, csv: &Csv) -> Result<Found, Vec<Problem>> {
        self.find(csv)?.ok_or_else(|| {
            let names: Vec<&str> = csv.names().collect();
            let message = format!("no column holds the {}; found {}", self.what, names.join(", "));
            let near = csv.names().find(|n| nearest(&squeezed_words(n), self.names.iter().copied()).is_some());
            let help = near.map_or(String::new(), |n| format!("is it `{n}`? "));
            vec![
                csv.header_problem(usize::MAX, message)
                    .with_help(format!("{help}name it for example `{}`", self.example)),
            ]
        })
    }

    fn read_header(&self, header: &str) -> Header {
        let mut known = false;
        for (name, unit) in splits(header) {
            if !self.names.contains(&squeezed_words(name).as_str()) {
                continue;
            }
            known = true;
            let unit = squeezed(unit);
            let hit = UNITS.iter().find(|(u, d, _)| *u == unit && self.dimensions.contains(d));
            if let Some((_, dimension, factor)) = hit {
                return Header::Unit(*dimension, *factor);
            }
        }
        if known { Header::NoUnit } else { Header::Stranger }
    }
}

enum Header {
    Stranger,
    NoUnit,
    Unit(Dimension, f64),
}

/// Every way to cut a header into a name and a unit: at a bracket, at a slash, or between two words.
fn splits(header: &str) -> Vec<(&str, &str)> {
    let header = header.trim();
    if let Some(open) = header.find(['(', '[']) {
        let unit = header[open + 1..].trim_end_matches([')', ']', ' ']);
        return vec![(&header[..open], unit)];
    }
    let mut out = vec![(header, "")];
    for (i, c) in header.char_indices().filter(|(_, c)| matches!(c, '/' | '_' | ' ' | '-')) {
        out.push((&header[..i], &header[i + c.len_utf8()..]));
    }
    out
}

/// Lower case, words joined by one `_`.
fn squeezed_words(name: &str) -> String {
    let words = name.split([' ', '_', '-', '/', '.']).filter(|w| !w.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("_")
}

/// A unit without spaces, dots and powers' hats, in lower case, with `/` for per.
fn squeezed(unit: &str) -> String {
    let spread = unit.trim().to_lowercase().replace(['µ', 'μ'], "u").replace("⁻¹", "-1");
    let words: Vec<&str> = spread.split([' ', '_', '·', '⋅', '*', '.', '^']).filter(|w| !w.is_empty()).collect();
    let joined = words.join(" ").replace(" per ", "/");
    let joined = joined.strip_prefix("per ").map_or(joined.clone(), |rest| format!("1/{rest}"));
    joined.replace(' ', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(wanted: &Wanted, header: &str) -> Option<f64> {
        match wanted.read_header(header) {
            Header::Unit(_, factor) => Some(factor),
            _ => None,
        }
    }

    #[test]
    fn headers_are_understood_in_many_spellings() {
        for header in ["force_n", "Force (N)", "Load [N]", "F / N", "force N", "fu [N]"] {
            assert_eq!(unit(&FORCE, header), Some(1.0), "{header}");
        }
        assert_eq!(unit(&FORCE, "force (gf/cm)"), Some(0.980665));
        assert_eq!(unit(&FORCE, "tension_n_per_m"), Some(1.0));
        assert_eq!(unit(&PULL, "Strain [%]"), Some(0.01));
        assert_eq!(unit(&PULL, "elongation_percent"), Some(0.01));
        assert_eq!(unit(&SHEAR, "Shear angle (°)"), Some(std::f64::consts::PI / 180.0));
        assert_eq!(unit(&CURVATURE, "curvature_per_cm"), Some(100.0));
        assert_eq!(unit(&CURVATURE, "K (cm^-1)"), Some(100.0));
        assert_eq!(unit(&MOMENT, "moment_gf_cm_per_cm"), Some(9.80665e-3));
        assert_eq!(unit(&MOMENT, "M [µN·m/m]"), Some(1e-6));
        assert!(matches!(FORCE.read_header("force"), Header::NoUnit));
        assert!(matches!(FORCE.read_header("force_mm"), Header::NoUnit));
        assert!(matches!(FORCE.read_header("time_s"), Header::Stranger));
    }
}
