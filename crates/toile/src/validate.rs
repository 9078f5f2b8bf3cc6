//! Published experiments: what `toile validate` runs, how it is judged and reported.
//!
//! An [`Experiment`] is one file below this module and one line in [`EXPERIMENTS`]. It reads its parameters from [`Settings`],
//! measures, and returns an [`Outcome`]: checks with their references, plots, notes. The signed error is always reported,
//! never only pass or fail. Reference numbers lie in `validation/<id>/` and are read through [`mod@reference`].

mod b_01;
mod b_02;
mod b_04;
mod b_05;
mod b_07;
mod b_12;
mod c_01;
mod c_03;
mod c_04;
mod c_08;
mod c_09;
mod d_01;
mod dressed;
mod edgewise;
mod elastica;
mod m_01;
mod m_02;
mod m_03;
mod m_04;
mod m_05;
mod m_07;
mod ode;
mod outcome;
mod ponchos;
mod record;
pub mod reference;
mod report;
mod s0_1;
mod s0_10;
mod s0_11;
mod s0_12;
mod s0_2;
mod s0_3;
mod s0_4;
mod s0_5;
mod s0_6;
mod s0_7;
mod s0_8;
mod s0_9;
mod s1_1;
mod s1_10;
mod s1_11;
mod s1_12;
mod s1_13;
mod s1_14;
mod s1_15;
mod s1_16;
mod s1_18;
mod s1_2;
mod s1_3;
mod s1_4;
mod s1_5;
mod s1_6;
mod s1_7;
mod s1_8;
mod s1_9;
mod s2_1;
mod s2_2;
mod s2_4;
mod settings;
mod setup;
mod strips;
mod touching;

pub use outcome::{Check, Outcome, Tolerance};
pub use record::{check_line, experiment_line};
pub use report::{Finished, write_report};
pub use settings::{Kind, Parameter, Setting, SettingError, Settings};

/// A published or closed-form experiment.
#[derive(Debug)]
pub struct Experiment {
    /// Short name: `S0-1`.
    pub id: &'static str,
    /// One line for menus.
    pub title: &'static str,
    /// Where it comes from, with a key of the book's references.
    pub source: &'static str,
    /// What `--set` can change.
    pub parameters: &'static [Parameter],
    /// Measures.
    pub run: fn(&Settings) -> Result<Outcome, ExperimentError>,
}

/// Every experiment.
#[rustfmt::skip] // one per line
pub const EXPERIMENTS: &[&Experiment] = &[
    &s0_1::EXPERIMENT,
    &s0_2::EXPERIMENT,
    &s0_3::EXPERIMENT,
    &s0_4::EXPERIMENT,
    &s0_5::EXPERIMENT,
    &s0_6::EXPERIMENT,
    &s0_7::EXPERIMENT,
    &s0_8::EXPERIMENT,
    &s0_9::EXPERIMENT,
    &s0_10::EXPERIMENT,
    &s0_11::EXPERIMENT,
    &s0_12::EXPERIMENT,
    &s1_1::EXPERIMENT,
    &s1_2::EXPERIMENT,
    &s1_3::EXPERIMENT,
    &s1_4::EXPERIMENT,
    &s1_5::EXPERIMENT,
    &s1_6::EXPERIMENT,
    &s1_7::EXPERIMENT,
    &s1_8::EXPERIMENT,
    &s1_9::EXPERIMENT,
    &s1_10::EXPERIMENT,
    &s1_11::EXPERIMENT,
    &s1_12::EXPERIMENT,
    &s1_13::EXPERIMENT,
    &s1_14::EXPERIMENT,
    &s1_15::EXPERIMENT,
    &s1_16::EXPERIMENT,
    &s1_18::EXPERIMENT,
    &s2_1::EXPERIMENT,
    &s2_2::EXPERIMENT,
    &s2_4::EXPERIMENT,
    &m_01::EXPERIMENT,
    &m_02::EXPERIMENT,
    &m_03::EXPERIMENT,
    &m_04::EXPERIMENT,
    &m_05::EXPERIMENT,
    &m_07::EXPERIMENT,
    &b_01::EXPERIMENT,
    &b_02::EXPERIMENT,
    &b_04::EXPERIMENT,
    &b_05::EXPERIMENT,
    &b_07::EXPERIMENT,
    &b_12::EXPERIMENT,
    &c_01::EXPERIMENT,
    &c_03::EXPERIMENT,
    &c_04::EXPERIMENT,
    &c_08::EXPERIMENT,
    &c_09::EXPERIMENT,
    &d_01::EXPERIMENT,
];

/// The experiment of an id; case does not count.
pub fn experiment(id: &str) -> Option<&'static Experiment> {
    EXPERIMENTS.iter().find(|e| e.id.eq_ignore_ascii_case(id)).copied()
}

/// Why an experiment could not be carried out. A check that fails is no error: it is reported.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// The parameters do not describe a possible set-up.
    #[error("{0}")]
    Setup(String),
    /// The measurement broke down.
    #[error("{0}")]
    Failed(String),
    /// No such fabric.
    #[error(transparent)]
    Linear(#[from] toile_core::law::LinearError),
    /// No such curve.
    #[error(transparent)]
    Curve(#[from] toile_core::law::CurveError),
    /// No such mesh.
    #[error(transparent)]
    Mesh(#[from] toile_core::mesh::MeshError),
    /// The sample cannot be meshed.
    #[error(transparent)]
    Meshing(#[from] toile_garment::meshing::MeshingError),
    /// Panels cannot be cut.
    #[error(transparent)]
    Cut(#[from] toile_garment::cloth::CutError),
    /// A mesh cannot follow its pattern.
    #[error(transparent)]
    Mapping(#[from] toile_garment::cloth::MappingError),
    /// Panels cannot be sewn.
    #[error(transparent)]
    Weld(#[from] toile_garment::cloth::WeldError),
    /// A garment cannot be draped.
    #[error(transparent)]
    Drape(#[from] toile_garment::drape::DrapeError),
    /// The system could not be put together.
    #[error(transparent)]
    Build(#[from] toile_core::system::BuildError),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] toile_core::integrate::StepError),
    /// A laboratory test gave no result.
    #[error(transparent)]
    Lab(#[from] crate::lab::LabError),
    /// A table of reference numbers is damaged.
    #[error(transparent)]
    Reference(#[from] reference::ReferenceError),
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every experiment of the registry runs with its defaults, checks something, and meets its bands.
    #[test]
    fn experiments_meet_their_bands() {
        for experiment in EXPERIMENTS {
            let outcome = (experiment.run)(&Settings::defaults(experiment)).unwrap();
            assert!(outcome.checks.iter().any(|c| c.pass().is_some()), "{} checks nothing", experiment.id);
            for check in &outcome.checks {
                assert_ne!(check.pass(), Some(false), "{}: {check:?}", experiment.id);
            }
            for (stem, picture) in &outcome.plots {
                assert!(!stem.is_empty() && picture.csv().lines().count() > 2, "{}: {stem} is empty", experiment.id);
            }
        }
    }

    #[test]
    fn ids_are_unique_and_found_in_any_case() {
        for (i, a) in EXPERIMENTS.iter().enumerate() {
            assert!(EXPERIMENTS[..i].iter().all(|b| b.id != a.id));
            assert_eq!(experiment(&a.id.to_lowercase()).map(|e| e.id), Some(a.id));
            for (k, p) in a.parameters.iter().enumerate() {
                assert!(a.parameters[..k].iter().all(|q| q.name != p.name), "{}: {}", a.id, p.name);
            }
        }
        assert!(experiment("S9-9").is_none());
    }
}
