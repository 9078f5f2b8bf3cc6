//! Garments put on bodies: what goes in, the draping, and the folder that comes out.
//!
//! [`subject`] says what a word stands for; [`read`] takes garments, a body and fabrics; [`dress`] drapes; [`write()`] measures the fit and fills the folder with
//! numbers, pictures, surfaces and a report. Of a draping that failed, [`write_failure`] writes what there was of it.

mod failure;
mod figures;
mod flat;
mod input;
mod pictures;
mod record;
mod report;
mod subject;
mod techsheet;
mod write;

pub use failure::write_failure;
pub use figures::{Figures, MODES, PanelFigures, Percentiles, SeamFigures, Skin, Wearer};
pub use input::{BodySource, DEFAULT_FABRIC, Inputs, Piece, Request, read};
pub use record::Record;
pub use subject::{Subject, subject};
pub use write::write;

use crate::render::RenderError;
use crate::run::Clock;
use serde::Serialize;
use toile_core::system::BuildError;
use toile_garment::cloth::Cloth;
use toile_garment::drape::{DrapeError, Draped, Options, Progress};
use toile_io::Problem;
use toile_io::atomic::WriteError;
use toile_io::formats::ExportError;
use toile_io::garment::sheet::SheetError;

/// Why a garment was not put on.
#[derive(Debug, thiserror::Error)]
pub enum DressError {
    /// The garment or body file does not serve; bad input.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Problems(Vec<Problem>),
    /// A name or number does not serve; bad input.
    #[error("{0}")]
    Input(String),
    /// Draping failed.
    #[error(transparent)]
    Drape(#[from] DrapeError),
    /// The draped garment could not be measured.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The panels could not be laid out.
    #[error(transparent)]
    Sheet(#[from] SheetError),
    /// A picture could not be made.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// A map could not be made.
    #[error(transparent)]
    Plot(#[from] crate::plot::PlotError),
    /// A surface could not be written.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl DressError {
    /// Whether the input is to blame, rather than what was made of it.
    pub fn is_input(&self) -> bool {
        match self {
            Self::Problems(_) | Self::Input(_) | Self::Sheet(_) | Self::Build(_) => true,
            Self::Drape(error) => {
                use DrapeError::{Open, SlidOff, Step, Tangled};
                !matches!(error.cause(), Open { .. } | SlidOff { .. } | Tangled(_) | Step { .. })
            }
            _ => false,
        }
    }
}

/// What draping tells while it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Event {
    /// A step of sewing.
    Sewing {
        /// Number of the garment, from 0: the innermost.
        garment: usize,
        /// Steps so far.
        steps: usize,
        /// Widest open seam (mm).
        open_mm: f64,
    },
    /// A step of settling.
    Settling {
        /// Number of the level, from 0.
        level: usize,
        /// Levels there are.
        levels: usize,
        /// Steps so far.
        steps: usize,
        /// Steps at most.
        most: usize,
        /// The longest way of a vertex in the last step (mm); none before the first.
        moved_mm: Option<f64>,
    },
}

impl From<Progress> for Event {
    fn from(progress: Progress) -> Self {
        match progress {
            Progress::Sewing { item: garment, steps, open } => Self::Sewing { garment, steps, open_mm: 1e3 * open },
            Progress::Settling { level, levels, steps: [steps, most], moved } => {
                let moved_mm = moved.is_finite().then_some(1e3 * moved);
                Self::Settling { level, levels, steps, most, moved_mm }
            }
        }
    }
}

/// A draped garment, and how it came about.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The garments on the body.
    pub draped: Draped,
    /// All of them as one mesh.
    pub cloth: Cloth,
    /// How it was draped.
    pub options: Options,
    /// All that was told.
    pub history: Vec<Event>,
}

/// Seconds by phase, in the order of the phases.
#[derive(Clone)]
pub struct Laps {
    clock: Clock,
    now: String,
    done: Vec<(String, f64)>,
}

impl Laps {
    /// Starts with a phase.
    pub fn start(phase: &str) -> Self {
        Self { clock: Clock::start(), now: phase.into(), done: Vec::new() }
    }

    /// From now on time counts for another phase.
    pub fn enter(&mut self, phase: &str) {
        if self.now != phase {
            let seconds = self.clock.since_mark();
            self.clock.mark();
            let done = std::mem::replace(&mut self.now, phase.into());
            // Sewing comes back with every garment.
            match self.done.iter_mut().find(|d| d.0 == done) {
                Some(known) => known.1 += seconds,
                None => self.done.push((done, seconds)),
            }
        }
    }

    /// Phases with their seconds until now.
    pub fn seconds(&self) -> Vec<(String, f64)> {
        let mut all = self.done.clone();
        all.push((self.now.clone(), self.clock.since_mark()));
        all
    }
}

/// Puts a garment on a body; `tell` hears how far it has come.
pub fn dress(inputs: &Inputs, laps: &mut Laps, tell: &mut dyn FnMut(&Event)) -> Result<Outcome, DressError> {
    let usual = Options::default();
    let options = Options { edge: inputs.edge, friction: inputs.friction.unwrap_or(usual.friction), ..usual };
    let mut history = Vec::new();
    laps.enter("placing");
    let mut hear = |progress: Progress| {
        let event = Event::from(progress);
        match event {
            Event::Sewing { .. } => laps.enter("sewing"),
            Event::Settling { level, .. } => laps.enter(&format!("settling_{level}")),
        }
        tell(&event);
        history.push(event);
    };
    let draped = toile_garment::drape::drape(&inputs.items(), &inputs.figure(), &options, &mut hear)?;
    Ok(Outcome { cloth: draped.cloth(), draped, options, history })
}

/// Widest gap (m) of what counts as buttoned or sewn on.
const OPEN: f64 = 3e-3;

/// What is wrong with a draped garment; none where it is at rest, sewn, and passes through nothing.
pub fn fault(outcome: &Outcome) -> Option<String> {
    let settled = outcome.draped.settled.last()?;
    if !settled.certificate.is_clear() {
        return Some(format!("the result is not valid: {}", settled.certificate));
    }
    if let Some((_, arm)) = outcome.draped.missed_arm {
        return Some(format!(
            "the {arm} arm is not in its armhole: a shoulder closed beside the body; start the panels higher or further apart"
        ));
    }
    if !settled.is_resting {
        return Some(format!(
            "the garment is not at rest after {} steps: it still moves {:.2} mm in a step and body and attachments carry {:.1} % of its weight",
            settled.steps,
            1e3 * settled.moved,
            100.0 * (settled.support + settled.held)
        ));
    }
    for (gap, what, why) in [
        (settled.button_gap, "a button", "the garment is too small there, or something lies between"),
        (settled.layer_gap, "a layer sewn on a line", "it is too small for what it is sewn on"),
    ] {
        if gap > OPEN {
            return Some(format!("{what} is open by {:.1} mm: {why}", 1e3 * gap));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_garment::drape::Settled;

    fn outcome(settled: Settled) -> Outcome {
        let draped = Draped { settled: vec![settled], ..Draped::default() };
        Outcome { draped, cloth: Cloth::default(), options: Options::default(), history: Vec::new() }
    }

    /// Crossings are told before motion: they are worse.
    #[test]
    fn faults_are_named() {
        let resting = Settled { is_resting: true, ..Settled::default() };
        assert_eq!(fault(&outcome(resting.clone())), None);
        let moving = Settled { steps: 150, moved: 2e-3, support: 0.9, ..Settled::default() };
        let said = fault(&outcome(moving.clone())).unwrap();
        assert!(said.contains("not at rest after 150 steps") && said.contains("2.00 mm"), "{said}");
        let unbuttoned = Settled { button_gap: 0.012, ..resting.clone() };
        assert!(fault(&outcome(unbuttoned)).unwrap().contains("a button is open by 12.0 mm"));
        let loose = Settled { layer_gap: 0.004, ..resting.clone() };
        assert!(fault(&outcome(loose)).unwrap().contains("a layer sewn on a line is open by 4.0 mm"));
        for mut settled in [resting, moving] {
            settled.certificate.crossings = 3;
            let said = fault(&outcome(settled)).unwrap();
            assert!(said.contains("not valid: 3 crossings"), "{said}");
        }
    }

    /// Work that fails and input that does not serve are told apart.
    #[test]
    fn input_is_blamed_for_what_it_is_to_blame_for() {
        let open = DrapeError::Open { seam: "side".into(), open_mm: 5.0, steps: 400 };
        assert!(!DressError::from(open).is_input());
        let mesh = toile_garment::cloth::CutError::NoBody { panel: "front".into(), point: "torso".into() };
        assert!(DressError::from(DrapeError::from(mesh)).is_input());
    }
}
