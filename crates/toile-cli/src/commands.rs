//! The subcommands. Adding one: a file here with its arguments and `run`, a variant and a line below.

mod bench;
mod fabric;
mod lab;
mod list;
mod validate;

use crate::Common;
use crate::output::{Failure, Output};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    #[command(subcommand)]
    Lab(lab::Arguments),
    #[command(subcommand)]
    Fabric(fabric::Arguments),
    Validate(validate::Arguments),
    List(list::Arguments),
    Bench(bench::Arguments),
}

impl Command {
    pub(crate) fn run(&self, common: &Common, output: &mut Output) -> Result<(), Failure> {
        match self {
            Self::Lab(arguments) => lab::run(arguments, common, output),
            Self::Fabric(arguments) => fabric::run(arguments, common, output),
            Self::Validate(arguments) => validate::run(arguments, common, output),
            Self::List(arguments) => list::run(arguments, output),
            Self::Bench(arguments) => bench::run(arguments, common, output),
        }
    }
}
