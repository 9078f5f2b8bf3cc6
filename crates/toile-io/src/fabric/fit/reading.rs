//! From a table to strain and stress.

use super::columns::{
    ANGLE, BENDING_LENGTH, CURVATURE, Dimension, FORCE, Found, MOMENT, OVERHANG, PULL, SHEAR, SHEAR_FORCE, TENSION,
};
use super::history::{self, Branch};
use super::{Measurement, PlotPoint, TestKind};
use crate::csv::{Csv, Limits};
use crate::problem::Problem;
use toile_core::law::Curve;
use toile_core::tensile::{Motion, Sample, unit};
use toile_core::tensile::{
    bending_length_rigidity, bias_extension, bias_force, bias_strain, bias_stress, cantilever_rigidity,
};

/// A test in the fabric's own measures.
pub(super) struct Measured {
    pub points: Vec<PlotPoint>,
    pub branches: Vec<Branch>,
    pub weights: Option<Vec<f64>>,
}

/// Reads a tensile, shear or bending table.
pub(super) fn read(test: &Measurement, sample: Sample) -> Result<Measured, Vec<Problem>> {
    let csv = Csv::parse(&test.bytes, &test.path, Limits::default())?;
    let points = match test.kind {
        TestKind::Weft | TestKind::Warp => tension(&csv, sample),
        TestKind::Shear => shear(&csv, sample),
        TestKind::Bias => bias(&csv, sample),
        _ => bending(&csv),
    }?;
    let x: Vec<f64> = points.iter().map(|p| p.strain).collect();
    let branches = history::branches(&csv, &x)?;
    let weights = csv.column_named("weight").map(|c| csv.numbers(c)).transpose()?;
    Ok(Measured { points, branches, weights })
}

/// Both columns, or what is wrong with either.
fn pair(a: Result<Found, Vec<Problem>>, b: Result<Found, Vec<Problem>>) -> Result<(Found, Found), Vec<Problem>> {
    match (a, b) {
        (Ok(a), Ok(b)) => Ok((a, b)),
        (Err(mut a), Err(b)) => {
            a.extend(b);
            Err(a)
        }
        (Err(e), _) | (_, Err(e)) => Err(e),
    }
}

/// A force on the whole clamp.
fn total(found: &Found, sample: Sample, row: usize) -> f64 {
    found.values[row] * if found.dimension == Dimension::ForcePerWidth { sample.width } else { 1.0 }
}

fn tension(csv: &Csv, sample: Sample) -> Result<Vec<PlotPoint>, Vec<Problem>> {
    let (pull, force) = pair(PULL.require(csv), FORCE.require(csv))?;
    let scale = if pull.dimension == Dimension::Ratio { sample.length } else { 1.0 };
    let mut problems = Vec::new();
    let mut points = Vec::with_capacity(csv.row_count());
    for row in 0..csv.row_count() {
        let d = Motion { pull: pull.values[row] * scale, shear: 0.0 };
        if d.pull <= -sample.length {
            problems.push(csv.problem(row, pull.column, "the sample would be shorter than nothing"));
            break;
        }
        let f = Motion { pull: total(&force, sample, row), shear: 0.0 };
        let (strain, stress) = (sample.strain(d)[0], sample.stress(f, d)[0]);
        points.push(PlotPoint { strain, stress, displacement: d.pull, force: f.pull });
    }
    if problems.is_empty() { Ok(points) } else { Err(problems) }
}

/// Shear with the sample's length kept. The part of the shear force that the tension has is taken out, eq. (17).
fn shear(csv: &Csv, sample: Sample) -> Result<Vec<PlotPoint>, Vec<Problem>> {
    let (motion, force) = pair(SHEAR.require(csv), SHEAR_FORCE.require(csv))?;
    // A lone column called tension or fu is a pull; a table whose shear force is called so has been read above.
    let tension = TENSION.find(csv)?.filter(|t| t.column != force.column);
    let mut points = Vec::with_capacity(csv.row_count());
    for row in 0..csv.row_count() {
        let value = motion.values[row];
        let shear = match motion.dimension {
            Dimension::Length => value,
            Dimension::Angle if value.abs() < 1.5 => value.tan() * sample.length,
            Dimension::Angle => return Err(vec![csv.problem(row, motion.column, "expected less than 86°")]),
            _ => value * sample.length,
        };
        let d = Motion { pull: 0.0, shear };
        let pull = tension.as_ref().map_or(0.0, |t| total(t, sample, row));
        let f = Motion { pull, shear: total(&force, sample, row) };
        let stress = sample.stress(f, d)[1];
        points.push(PlotPoint {
            strain: sample.strain(d)[1],
            stress,
            displacement: shear,
            force: stress * sample.width,
        });
    }
    Ok(points)
}

/// A strip cut at 45° to the threads, which keep their length while it is pulled.
fn bias(csv: &Csv, sample: Sample) -> Result<Vec<PlotPoint>, Vec<Problem>> {
    let pulled = tension(csv, sample)?;
    let shear = |p: PlotPoint| {
        let extension = p.displacement / sample.length;
        let stress = bias_stress(p.force / sample.width, extension);
        PlotPoint { strain: bias_strain(extension), stress, ..p }
    };
    Ok(pulled.into_iter().map(shear).collect())
}

fn bending(csv: &Csv) -> Result<Vec<PlotPoint>, Vec<Problem>> {
    let (curvature, moment) = pair(CURVATURE.require(csv), MOMENT.require(csv))?;
    let values = curvature.values.into_iter().zip(moment.values);
    Ok(values.map(|(k, m)| PlotPoint { strain: k, stress: m, displacement: k, force: m }).collect())
}

/// A point of the fitted curve. None where no displacement gives the strain.
pub(super) fn plot_point(kind: TestKind, sample: Sample, strain: f64, curve: &Curve) -> Option<PlotPoint> {
    let stress = curve.at(strain).0;
    Some(match kind {
        TestKind::Weft | TestKind::Warp => {
            let d = sample.displacement([strain, 0.0])?;
            PlotPoint { strain, stress, displacement: d.pull, force: sample.force([stress, 0.0], d).pull }
        }
        TestKind::Shear => {
            PlotPoint { strain, stress, displacement: strain * sample.length, force: stress * sample.width }
        }
        TestKind::Bias => {
            let extension = bias_extension(strain)?;
            let force = bias_force(stress, extension) * sample.width;
            PlotPoint { strain, stress, displacement: extension * sample.length, force }
        }
        _ => PlotPoint { strain, stress, displacement: strain, force: stress },
    })
}

/// 0 for the weft, 1 for the warp, in the words of weavers and knitters.
fn side(word: &str) -> Option<usize> {
    match word.to_lowercase().as_str() {
        "weft" | "fill" | "course" => Some(0),
        "warp" | "wale" => Some(1),
        _ => None,
    }
}

/// Mean rigidity (N·m) of weft and warp from cantilever readings: a `direction` column, and overhangs with their angle
/// (41.5° when not given) or bending lengths.
pub(super) fn cantilever(test: &Measurement, density: f64) -> Result<[f64; 2], Vec<Problem>> {
    let csv = Csv::parse(&test.bytes, &test.path, Limits::default())?;
    let Some(direction) = ["direction", "sample", "side"].into_iter().find_map(|n| csv.column_named(n)) else {
        let problem = csv.header_problem(usize::MAX, "no column `direction`: weft or warp");
        return Err(vec![problem]);
    };
    let bending_length = BENDING_LENGTH.find(&csv)?;
    let overhang = if bending_length.is_none() { Some(OVERHANG.require(&csv)?) } else { None };
    let angle = ANGLE.find(&csv)?;
    let mut problems = Vec::new();
    let mut sums = [(0.0, 0u32); 2];
    for row in 0..csv.row_count() {
        let Some(side) = side(csv.text(row, direction)) else {
            problems.push(csv.problem(row, direction, "expected \"weft\" or \"warp\""));
            continue;
        };
        let (column, rigidity) = match (&bending_length, &overhang) {
            (Some(c), _) => (c.column, Some(bending_length_rigidity(density, c.values[row]))),
            (None, Some(l)) => {
                let chord = angle.as_ref().map_or(41.5 * unit::DEGREE, |a| a.values[row]);
                (l.column, cantilever_rigidity(density, l.values[row], chord))
            }
            (None, None) => continue,
        };
        match rigidity.filter(|b| b.is_finite() && *b > 0.0) {
            Some(b) => sums[side] = (sums[side].0 + b, sums[side].1 + 1),
            None => {
                problems.push(csv.problem(row, column, "expected a positive length and an angle between 0° and 89°"))
            }
        }
        if problems.len() >= 50 {
            break;
        }
    }
    for (name, (_, count)) in ["weft", "warp"].iter().zip(&sums) {
        if *count == 0 && problems.is_empty() {
            problems.push(csv.header_problem(direction, format!("no reading along the {name}")));
        }
    }
    if problems.is_empty() { Ok(sums.map(|(sum, count)| sum / f64::from(count))) } else { Err(problems) }
}
