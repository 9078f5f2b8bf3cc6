//! The subcommands. Adding one: a file here with its arguments and `run`, a variant and a line below.

mod bench;
mod check;
mod drape;
mod export;
mod fabric;
mod lab;
mod list;
mod plot;
mod render;
mod replay;
mod run;
mod schema;
mod validate;

use crate::Common;
use crate::output::{Failure, Output};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    Run(run::Arguments),
    Drape(drape::Arguments),
    Check(check::Arguments),
    Render(render::Arguments),
    Export(export::Arguments),
    Plot(plot::Arguments),
    Replay(replay::Arguments),
    #[command(subcommand)]
    Lab(lab::Arguments),
    #[command(subcommand)]
    Fabric(fabric::Arguments),
    Validate(validate::Arguments),
    List(list::Arguments),
    Bench(bench::Arguments),
    Schema(schema::Arguments),
}

impl Command {
    pub(crate) fn run(&self, common: &Common, output: &mut Output) -> Result<(), Failure> {
        match self {
            Self::Run(arguments) => run::run(arguments, common, output),
            Self::Drape(arguments) => drape::run(arguments, common, output),
            Self::Check(arguments) => check::run(arguments, output),
            Self::Render(arguments) => render::run(arguments, common, output),
            Self::Plot(arguments) => plot::run(arguments, common, output),
            Self::Export(arguments) => export::run(arguments, common, output),
            Self::Replay(arguments) => replay::run(arguments, output),
            Self::Lab(arguments) => lab::run(arguments, common, output),
            Self::Fabric(arguments) => fabric::run(arguments, common, output),
            Self::Validate(arguments) => validate::run(arguments, common, output),
            Self::List(arguments) => list::run(arguments, output),
            Self::Bench(arguments) => bench::run(arguments, common, output),
            Self::Schema(arguments) => schema::run(arguments, output),
        }
    }
}
