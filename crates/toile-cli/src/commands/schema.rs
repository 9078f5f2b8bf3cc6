//! `toile schema`: JSON Schemas of the files, for editors.

use crate::output::{Failure, Output};
use toile::io::{fabric, garment, outfit, scene};

/// Print the JSON Schema of a kind of file
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Kind of file
    kind: Kind,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Kind {
    /// Scene files
    Scene,
    /// Fabric files
    Fabric,
    /// Garment files
    Garment,
    /// Outfit files
    Outfit,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    let schema = match arguments.kind {
        Kind::Scene => scene::schema(),
        Kind::Fabric => fabric::schema(),
        Kind::Garment => garment::native::schema(),
        Kind::Outfit => outfit::schema(),
    };
    output.line(serde_json::to_string_pretty(&schema).map_err(Failure::failed)?)
}
