//! The folder of a run: begun anew, begun over, or taken up again.

use super::RunError;
use crate::results::file_name;
use glam::DVec3;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use toile_io::atomic::{WriteError, write_atomically};
use toile_io::run::StepRecord;

/// What to do with what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The folder must be new or empty.
    New,
    /// Files of an earlier run are removed.
    Over,
    /// Goes on from the checkpoint.
    Resume,
}

/// A folder for a run.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    start: Start,
}

/// Files of a run that a new one removes; whatever else is in the folder stays.
#[rustfmt::skip] // a list
const OWN: [&str; 28] = [
    "run.json", "cloth.npz", "obstacles.npz", "checkpoint.npz", "failure.npz", "steps.csv", "report.html", "preview.png", "strip.png",
    "strain_weft.png", "strain_warp.png", "strain_bias.png", "tension.png", "strain_flat.png", "maps_flat.png", "pressure.png", "pattern.svg",
    "fit.csv", "techsheet.html", "garment.glb", "garment.obj", "garment_open.obj", "garment_strain.glb", "body.glb", "body_pressure.glb",
    "failure.json", "failure.png", "failure.glb",
];

impl Folder {
    /// Looks at the folder and makes room; writes nothing.
    pub fn open(path: &Path, start: Start) -> Result<Self, RunError> {
        let own = Self { path: path.to_owned(), start };
        let mut entries = match fs::read_dir(path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound && start == Start::Resume => {
                return Err(RunError::Folder(format!("{}: there is no run to resume", path.display())));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(own),
            Err(error) => return Err(RunError::Folder(format!("{}: {error}", path.display()))),
        };
        match start {
            Start::New if entries.next().is_some() => Err(RunError::Folder(format!(
                "{} is not empty: add --resume to go on with the run in it, --force to start it anew, or -o for another folder",
                path.display()
            ))),
            Start::Over => own.clear().map(|()| own),
            _ => Ok(own),
        }
    }

    fn clear(&self) -> Result<(), RunError> {
        let gone = |result: std::io::Result<()>, path: PathBuf| match result {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(RunError::Folder(format!("cannot remove {}: {error}", path.display())))
            }
            _ => Ok(()),
        };
        for name in OWN {
            gone(fs::remove_file(self.file(name)), self.file(name))?;
        }
        gone(fs::remove_dir_all(self.file("frames")), self.file("frames"))
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What to do with what is there.
    pub fn start(&self) -> Start {
        self.start
    }

    /// A file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The table of steps, with the force of cloth on every obstacle.
    pub(super) fn write_steps(
        &self,
        records: &[StepRecord],
        obstacles: &[&str],
        forces: &[DVec3],
    ) -> Result<(), WriteError> {
        let mut text = String::from(
            "step,time_s,newton_iterations,linear_iterations,residual,cuts,kinetic_J,gravity_J,elastic_J,dissipated_J,touches,gap_mm,pressure_Pa",
        );
        for name in obstacles {
            let name = file_name(name);
            text += &format!(",{name}_x_N,{name}_y_N,{name}_z_N");
        }
        text += "\n";
        for (k, r) in records.iter().enumerate() {
            let StepRecord { time, newton, linear, residual, cuts, kinetic, gravity, elastic, dissipated, .. } = r;
            text += &format!(
                "{},{time},{newton},{linear},{residual:e},{cuts},{kinetic:e},{gravity:e},{elastic:e},{dissipated:e}",
                k + 1
            );
            text += &format!(",{},{:e},{:e}", r.touches, 1e3 * r.gap, r.pressure);
            for f in forces.get(k * obstacles.len()..(k + 1) * obstacles.len()).into_iter().flatten() {
                text += &format!(",{:e},{:e},{:e}", f.x, f.y, f.z);
            }
            text += "\n";
        }
        write_atomically(self.file("steps.csv"), text)
    }
}
