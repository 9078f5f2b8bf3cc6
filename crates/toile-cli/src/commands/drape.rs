//! `toile drape`: a garment on a body, or a scene to equilibrium.

use super::run::{self, Options};
use crate::Common;
use crate::output::{Failure, Output};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use toile::dress::{self, BodySource, DressError, Event, Inputs, Laps, Record, Request, Subject};
use toile::io::body::Import;
use toile::results::file_name;
use toile::run::{Folder, Start, Task};

/// Put garments on a body, or relax a scene to equilibrium
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Outfit (`.toml`, or a folder with an `outfit.toml`), garment (`.json` of GarmentCode, or `.toml`), draft by name (`t-shirt`), or
    /// scene (`.toml`, or a folder with a `scene.toml`)
    #[arg(value_name = "SPEC")]
    file: PathBuf,
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    garment: Garment,
}

/// What a garment is put on and made of
#[derive(clap::Args)]
#[command(next_help_heading = "Garments")]
struct Garment {
    /// Body: a file (.obj, .ply, .glb, .gltf) or a size of the mannequin, F34 to F52 and M44 to M60 [default: that of the outfit, or F38]
    #[arg(long)]
    body: Option<String>,
    /// Unit of the body file [default: m]
    #[arg(long, value_name = "UNIT", value_parser = ["m", "cm", "mm", "in"])]
    body_unit: Option<String>,
    /// Axis that points up in the body file [default: y]
    #[arg(long, value_name = "AXIS", value_parser = ["y", "z"])]
    body_up: Option<String>,
    /// Time of the first animation of the body file to take its pose at (s) [default: the pose at rest]
    #[arg(long, value_name = "S")]
    body_time: Option<f64>,
    /// Fabric: a name (see `toile fabric list`) or a file, for all garments [default: those of the outfit, or cotton-jersey]
    #[arg(long)]
    fabric: Option<String>,
    /// Edge length of the triangles (mm) [default: that of the outfit, or 10]
    #[arg(long, value_name = "MM")]
    edge_mm: Option<f64>,
}

pub(crate) fn run(arguments: &Arguments, common: &Common, output: &mut Output) -> Result<(), Failure> {
    let Some(subject) = dress::subject(&arguments.file).map_err(run::problems)? else {
        return match arguments.garment.first_given() {
            Some(option) => Err(Failure::input(format!("{option} belongs to garments: a scene names its own"))),
            None => run::carry(Task::Drape, &arguments.file, &arguments.options, common, output),
        };
    };
    let Options { resume, force, bare, duration } = arguments.options;
    if resume || duration.is_some() {
        let option = if resume { "--resume" } else { "--duration" };
        return Err(Failure::input(format!("{option} belongs to scenes: a garment is draped in one go")));
    }
    let mut laps = Laps::start("reading");
    let inputs = dress::read(&arguments.garment.request(subject)?).map_err(failure)?;
    for warning in &inputs.warnings {
        eprintln!("warning: {warning}");
    }
    let place = common.output.clone().unwrap_or_else(|| Path::new("out").join(file_name(&inputs.name)));
    let folder = Folder::open(&place, if force { Start::Over } else { Start::New }).map_err(run::failure)?;
    let bar = bar(output.json);
    let outcome = dress::dress(&inputs, &mut laps, &mut |event| tell(event, &bar, output));
    bar.finish_and_clear();
    if let Err(error) = &outcome {
        leave(&inputs, error, &folder, &laps);
    }
    let outcome = outcome.map_err(failure)?;
    let (record, made) = dress::write(&inputs, &outcome, &folder, bare, &mut laps).map_err(failure)?;
    summary(&record, &folder, &made, output)?;
    record.fault.map_or(Ok(()), |fault| Err(Failure::failed(fault)))
}

impl Garment {
    fn first_given(&self) -> Option<&'static str> {
        let given = [
            (self.body.is_some(), "--body"),
            (self.body_unit.is_some(), "--body-unit"),
            (self.body_up.is_some(), "--body-up"),
            (self.body_time.is_some(), "--body-time"),
            (self.fabric.is_some(), "--fabric"),
            (self.edge_mm.is_some(), "--edge-mm"),
        ];
        given.into_iter().find(|g| g.0).map(|g| g.1)
    }

    fn request(&self, subject: Subject) -> Result<Request, Failure> {
        if self.body.is_none() && (self.body_unit.is_some() || self.body_up.is_some() || self.body_time.is_some()) {
            let options = "--body-unit, --body-up and --body-time";
            return Err(Failure::input(format!("{options} belong to a body file: name it with --body")));
        }
        let word = |given: &Option<String>, usual: &str| given.clone().unwrap_or_else(|| usual.to_owned());
        let import = Import {
            unit: serde_json::from_value(word(&self.body_unit, "m").into()).map_err(Failure::input)?,
            up: serde_json::from_value(word(&self.body_up, "y").into()).map_err(Failure::input)?,
            time: self.body_time,
        };
        Ok(Request {
            subject,
            body: self.body.clone().map(|word| BodySource { word, import }),
            fabric: self.fabric.clone(),
            edge: self.edge_mm.map(|mm| 1e-3 * mm),
        })
    }
}

/// Writes what a failed draping left, and says where. Why it failed is told after it, whatever becomes of the files.
fn leave(inputs: &Inputs, error: &DressError, folder: &Folder, laps: &Laps) {
    match dress::write_failure(inputs, error, folder, laps) {
        Ok(made) if made.is_empty() => {}
        Ok(made) => {
            let files: Vec<String> = made.iter().map(|path| path.display().to_string()).collect();
            eprintln!("the cloth as it lay: {}", files.join(", "));
        }
        Err(lost) => eprintln!("warning: the cloth as it lay could not be written: {lost}"),
    }
}

fn failure(error: DressError) -> Failure {
    match error {
        DressError::Problems(problems) => run::problems(problems),
        error if error.is_input() => Failure::input(error),
        error => Failure::failed(error),
    }
}

fn bar(json: bool) -> ProgressBar {
    if json || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{spinner} {msg}  {elapsed} elapsed");
    ProgressBar::new_spinner().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
}

fn tell(event: &Event, bar: &ProgressBar, output: &mut Output) {
    if output.json {
        // Losing a line of progress must not end a draping.
        let _ = output.record(event);
        return;
    }
    bar.set_message(match event {
        Event::Sewing { garment, steps, open_mm } => {
            format!("sewing garment {}: step {steps}, widest seam open {open_mm:.1} mm", garment + 1)
        }
        Event::Settling { level, levels, steps, most, moved_mm } => {
            let moved = moved_mm.map_or(String::new(), |m| format!(", moved {m:.2} mm"));
            format!("settling: level {} of {levels}, step {steps} of at most {most}{moved}", level + 1)
        }
    });
    bar.tick();
}

fn summary(record: &Record, folder: &Folder, made: &[PathBuf], output: &mut Output) -> Result<(), Failure> {
    if output.json {
        return output.record(record);
    }
    output.line(format!("{}: {}", record.name, record.said()))?;
    for path in made {
        output.line(format!("  {}", path.display()))?;
    }
    output.line(format!("  {}  digest {}", folder.file("run.json").display(), record.digest))
}
