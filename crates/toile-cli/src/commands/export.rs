//! `toile export`: files for other programs.

use super::render::failure;
use crate::Common;
use crate::output::{Failure, Output};
use std::path::PathBuf;
use toile::io::formats::FORMATS;
use toile::results::Results;

/// Write the cloths of a run in other formats, see `toile list formats`
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Folder of the run
    run: PathBuf,
    /// Formats, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "glb")]
    format: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments, common: &Common, output: &mut Output) -> Result<(), Failure> {
    for name in &arguments.format {
        if !FORMATS.iter().any(|f| f.name == name) {
            let known: Vec<&str> = FORMATS.iter().map(|f| f.name).collect();
            return Err(Failure::input(format!("there is no format \"{name}\"; known are {}", known.join(", "))));
        }
    }
    let results = Results::open(&arguments.run).map_err(failure)?;
    let folder = common.output.clone().unwrap_or_else(|| arguments.run.join("exports"));
    for name in &arguments.format {
        for path in results.export(name, &folder).map_err(failure)? {
            if output.json {
                output.record(&serde_json::json!({ "format": name, "file": path.display().to_string() }))?;
            } else {
                output.line(path.display().to_string())?;
            }
        }
    }
    Ok(())
}
