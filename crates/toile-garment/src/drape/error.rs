//! Why a garment could not be draped.

use crate::body::MeasureError;
use crate::cloth::{Cloth, CutError, WeldError};
use crate::drape::{Item, Worn, name};
use toile_core::integrate::StepError;
use toile_core::law::LinearError;
use toile_core::system::BuildError;

/// What went wrong, and where.
#[derive(Debug, thiserror::Error)]
pub enum DrapeError {
    /// A panel could not be cut.
    #[error(transparent)]
    Cut(#[from] CutError),
    /// The body could not be measured, and panels are to be wrapped round it.
    #[error("the body: {0}")]
    Body(#[from] MeasureError),
    /// What is sewn is no surface.
    #[error(transparent)]
    Weld(#[from] WeldError),
    /// The mechanics could not be put together.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The stand-in for coarse levels could not be made.
    #[error(transparent)]
    Fabric(#[from] LinearError),
    /// A step failed.
    #[error("{phase}: {error}")]
    Step {
        /// `sewing` or `settling`.
        phase: &'static str,
        /// Why.
        error: StepError,
    },
    /// A seam stays open.
    #[error(
        "seam `{seam}` is still open by {open_mm:.1} mm after {steps} steps: the garment is too small for the body there, or another panel \
         lies between its sides"
    )]
    Open {
        /// Its name.
        seam: String,
        /// How wide (mm).
        open_mm: f64,
        /// Steps made.
        steps: usize,
    },
    /// Cloth that is worn is not that of the garments.
    #[error("{worn} cloths for {items} garments: each garment needs its own")]
    Count {
        /// Cloths.
        worn: usize,
        /// Garments.
        items: usize,
    },
    /// Nothing holds the garment.
    #[error(
        "{} slides off the body: it has fallen by {fall:.2} m and nothing carries it. It is too wide for the body, or was closed beside it",
        if garment.is_empty() { "the garment".into() } else { format!("garment `{garment}`") }
    )]
    SlidOff {
        /// Its name; empty where there is only one.
        garment: String,
        /// How far its centre has fallen (m).
        fall: f64,
    },
    /// Panels cross each other or the body before anything is sewn.
    #[error("the start is tangled: {0}")]
    Tangled(String),
    /// One garment of several.
    #[error("garment `{garment}`: {error}")]
    Garment {
        /// Its name.
        garment: String,
        /// What went wrong with it.
        error: Box<DrapeError>,
    },
    /// Cloth lay somewhere when it went wrong.
    #[error("{error}")]
    Left {
        /// What went wrong.
        error: Box<DrapeError>,
        /// All that was on by then, as it lay.
        cloth: Box<Cloth>,
    },
}

impl DrapeError {
    /// The same of one garment, told where there are several.
    pub(super) fn of(self, items: &[Item], item: usize) -> Self {
        if items.len() == 1 {
            return self;
        }
        Self::Garment { garment: name(items[item].garment).into(), error: Box::new(self) }
    }

    /// The same with the cloth as it lay.
    pub(super) fn leaving(self, cloth: Cloth) -> Self {
        Self::Left { error: Box::new(self), cloth: Box::new(cloth) }
    }

    /// The same with what was worn already below the cloth that was left.
    pub(super) fn over(self, worn: &[Worn]) -> Self {
        match self.left() {
            Some(cloth) if !worn.is_empty() => {
                let all = Cloth::together(worn.iter().map(|w| &w.cloth).chain([cloth]));
                self.leaving(all)
            }
            _ => self,
        }
    }

    /// What went wrong, whichever garment it was.
    pub fn cause(&self) -> &Self {
        match self {
            Self::Garment { error, .. } | Self::Left { error, .. } => error.cause(),
            other => other,
        }
    }

    /// All that was on when it went wrong, as it lay, garments in their order up to the one that failed: to be looked at. None where nothing
    /// was cut yet.
    pub fn left(&self) -> Option<&Cloth> {
        match self {
            Self::Left { cloth, .. } => Some(cloth),
            Self::Garment { error, .. } => error.left(),
            _ => None,
        }
    }
}
