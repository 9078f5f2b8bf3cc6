//! The `toile` program: argument parsing and printing, nothing else.
//!
//! One subcommand is one file in `commands`. Exit codes: 0 done, 1 a simulation or check failed, 2 bad input.

mod commands;
mod output;

use clap::Parser;
use output::{Failure, Output};
use std::path::PathBuf;
use std::process::ExitCode;

/// Virtual garment prototyping: measured fabrics, patterns and a body in; a draped garment with its strains out.
#[derive(Parser)]
#[command(name = "toile", version, max_term_width = 100)]
struct Arguments {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: commands::Command,
}

/// Options of every command.
#[derive(clap::Args)]
pub(crate) struct Common {
    /// Print one JSON object per line on standard output, and nothing else there
    #[arg(long, global = true)]
    json: bool,
    /// Threads to use; all cores by default. Results do not depend on it
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Folder for the files a command writes
    #[arg(short, long, global = true, value_name = "DIR")]
    output: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut output = Output::new(arguments.common.json);
    let result = start_threads(&arguments.common).and_then(|()| arguments.command.run(&arguments.common, &mut output));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.exit(),
    }
}

fn start_threads(common: &Common) -> Result<(), Failure> {
    let threads = common.threads.map_or(0, usize::from); // 0: one per core
    // The thread that steps is one of them: handing each piece of work over to another and waiting costs more than the piece.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).use_current_thread().build_global();
    pool.map_err(|error| Failure::failed(format!("cannot start {threads} threads: {error}")))
}
