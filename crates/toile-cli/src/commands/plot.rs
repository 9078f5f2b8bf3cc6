//! `toile plot`: runs side by side as curves over time.

use crate::Common;
use crate::output::{Failure, Output};
use std::path::{Path, PathBuf};
use toile::io::atomic::write_atomically;
use toile::io::run::{Checkpoint, StepRecord};
use toile::plot::{Axis, Plot, Series, Style};

/// Plot what happened in one run or several: energies, iterations, residuals over time
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Folders of the runs
    #[arg(required = true)]
    runs: Vec<PathBuf>,
    /// What is plotted
    #[arg(long, value_enum, default_value = "energy")]
    of: Quantity,
    /// File to write, .svg or .png
    #[arg(long, default_value = "plot.svg")]
    file: PathBuf,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Quantity {
    /// Kinetic, of weight and stored in the cloth together
    Energy,
    /// Kinetic alone
    Kinetic,
    /// Newton iterations
    Newton,
    /// Linear iterations
    Linear,
    /// Residual
    Residual,
    /// Pairs in contact
    Touches,
    /// Smallest gap between them
    Gap,
    /// Largest pressure of contact on a vertex
    Pressure,
}

pub(crate) fn run(arguments: &Arguments, _common: &Common, output: &mut Output) -> Result<(), Failure> {
    let (label, value): (&str, fn(&StepRecord) -> f64) = match arguments.of {
        Quantity::Energy => ("kinetic + weight + elastic energy (J)", |r| r.kinetic + r.gravity + r.elastic),
        Quantity::Kinetic => ("kinetic energy (J)", |r| r.kinetic),
        Quantity::Newton => ("Newton iterations a step", |r| r.newton),
        Quantity::Linear => ("linear iterations a step", |r| r.linear),
        Quantity::Residual => ("residual (steps of free fall)", |r| r.residual),
        Quantity::Touches => ("pairs in contact", |r| r.touches),
        Quantity::Gap => ("smallest gap (mm)", |r| if r.gap.is_finite() { 1e3 * r.gap } else { f64::NAN }),
        Quantity::Pressure => ("largest pressure (Pa)", |r| r.pressure),
    };
    let mut series = Vec::new();
    for folder in &arguments.runs {
        let checkpoint = Checkpoint::read(&folder.join("checkpoint.npz")).map_err(super::run::problems)?;
        series.push(Series {
            name: name(folder),
            points: checkpoint.records.iter().map(|r| [r.time, value(r)]).collect(),
            style: Style::Line,
            colour: None,
        });
    }
    let plot = Plot { title: String::new(), x: Axis::new("time (s)"), y: Axis::new(label), series, is_equal: false };
    let bytes = match arguments.file.extension().and_then(|e| e.to_str()) {
        Some("svg") => plot.svg().into_bytes(),
        Some("png") => plot.png(960, 600).map_err(Failure::failed)?,
        _ => return Err(Failure::input(format!("{}: expected a file called .svg or .png", arguments.file.display()))),
    };
    write_atomically(&arguments.file, bytes).map_err(Failure::failed)?;
    output.line(arguments.file.display().to_string())
}

/// The folder's own name: runs of one scene differ in it.
fn name(folder: &Path) -> String {
    folder.file_name().map_or_else(|| folder.display().to_string(), |n| n.to_string_lossy().into_owned())
}
