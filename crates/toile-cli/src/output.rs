//! Printing: lines on standard output, progress and messages on standard error.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::{ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

/// Why a command ends early. Each kind has its exit code.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input is wrong: 2.
    Input(String),
    /// The work or a check failed: 1. The message may be empty where the output already said it.
    Failed(String),
}

impl Failure {
    pub(crate) fn input(message: impl ToString) -> Self {
        Self::Input(message.to_string())
    }

    pub(crate) fn failed(message: impl ToString) -> Self {
        Self::Failed(message.to_string())
    }

    /// Says what happened and gives the exit code.
    pub(crate) fn exit(self) -> ExitCode {
        let (message, code) = match self {
            Self::Input(message) => (message, 2),
            Self::Failed(message) => (message, 1),
        };
        if !message.is_empty() {
            eprintln!("error: {message}");
        }
        ExitCode::from(code)
    }
}

/// Where results go.
pub(crate) struct Output {
    /// Lines for machines?
    pub(crate) json: bool,
    stream: std::io::StdoutLock<'static>,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        Self { json, stream: std::io::stdout().lock() }
    }

    /// A line on standard output. A reader that has seen enough (`toile validate | head`) is no failure: the work goes on,
    /// and its files are written.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> Result<(), Failure> {
        match writeln!(self.stream, "{}", text.as_ref()) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(Failure::failed(format!("standard output: {error}")))
            }
            _ => Ok(()),
        }
    }

    /// A serialisable record as one line of JSON.
    pub(crate) fn record(&mut self, record: &impl serde::Serialize) -> Result<(), Failure> {
        let line = serde_json::to_string(record).map_err(Failure::failed)?;
        self.line(line)
    }
}

/// A progress bar on a terminal; nothing where standard error is a file or a pipe.
pub(crate) fn progress(steps: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(steps as u64);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} {elapsed}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
