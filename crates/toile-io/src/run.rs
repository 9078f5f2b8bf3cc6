//! The folder of a run: checkpoints, frames, and the cloth they belong to, all as numpy archives.
//!
//! | file               | content                                                                     |
//! |--------------------|-----------------------------------------------------------------------------|
//! | `run.json`         | the record: inputs, settings, times, result (written by the caller)         |
//! | `cloth.npz`        | names, colours, triangles and material coordinates, positions at the start  |
//! | `obstacles.npz`    | the same of what stands in the way, where there is anything                 |
//! | `frames/000012.npz`| time, positions, velocities, strain and stress of every triangle, contact   |
//! | `checkpoint.npz`   | the whole state, to the bit                                                 |
//! | `failure.npz`      | the same before a step that failed                                          |
//!
//! Files appear whole or not at all.

mod checkpoint;
mod frames;
mod props;

pub use checkpoint::{Checkpoint, FrameCertificate, PHASES, StepRecord, Untangling};
pub use frames::{Frame, Wardrobe, frame_count, frame_path, read_frame, write_frame};
pub use props::Props;

use crate::formats::npz::{Array, Data};
use crate::problem::Problem;
use crate::scene::Source;
use glam::DVec3;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;

/// SHA-256 of some bytes.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// One hash for all inputs of a run, in their order.
pub fn inputs_hash(sources: &[Source]) -> [u8; 32] {
    let mut all = Sha256::new();
    for source in sources {
        all.update(sha256(&source.bytes));
    }
    all.finalize().into()
}

/// Hash as text.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn vectors(list: &[DVec3]) -> Array {
    Array::new(vec![list.len(), 3], Data::F64(list.iter().flat_map(|v| v.to_array()).collect()))
}

/// The arrays of a file, taken one by one with their shapes checked.
struct Arrays<'a> {
    path: &'a Path,
    all: BTreeMap<String, Array>,
}

impl<'a> Arrays<'a> {
    fn open(path: &'a Path) -> Result<Self, Vec<Problem>> {
        Ok(Self { path, all: crate::formats::npz::read(path)? })
    }

    fn fault(&self, name: &str, message: &str) -> Vec<Problem> {
        let problem = Problem::error(self.path, (0, 0), name, message);
        vec![problem.with_help("the file is damaged or from another version: start the run anew with --force")]
    }

    fn take(&mut self, name: &str) -> Result<Array, Vec<Problem>> {
        self.all.remove(name).ok_or_else(|| self.fault(name, "missing array"))
    }

    fn numbers(&mut self, name: &str) -> Result<Vec<f64>, Vec<Problem>> {
        Ok(self.take(name)?.data.to_f64())
    }

    /// An array with so many numbers a row.
    fn rows<const N: usize>(&mut self, name: &str) -> Result<Vec<[f64; N]>, Vec<Problem>> {
        let values = self.numbers(name)?;
        let (rows, rest) = values.as_chunks::<N>();
        if rest.is_empty() { Ok(rows.to_vec()) } else { Err(self.fault(name, &format!("expected {N} numbers a row"))) }
    }

    fn singles(&mut self, name: &str) -> Result<Vec<f32>, Vec<Problem>> {
        match self.take(name)?.data {
            Data::F32(v) => Ok(v),
            _ => Err(self.fault(name, "expected 32-bit numbers")),
        }
    }

    fn number(&mut self, name: &str) -> Result<f64, Vec<Problem>> {
        let values = self.numbers(name)?;
        values.first().copied().ok_or_else(|| self.fault(name, "expected a number"))
    }

    fn counts(&mut self, name: &str) -> Result<Vec<u32>, Vec<Problem>> {
        let found = self.take(name)?.data.to_u32();
        found.ok_or_else(|| self.fault(name, "expected whole numbers"))
    }

    fn bytes(&mut self, name: &str) -> Result<Vec<u8>, Vec<Problem>> {
        match self.take(name)?.data {
            Data::U8(v) => Ok(v),
            _ => Err(self.fault(name, "expected bytes")),
        }
    }

    fn vectors(&mut self, name: &str) -> Result<Vec<DVec3>, Vec<Problem>> {
        Ok(self.rows::<3>(name)?.into_iter().map(DVec3::from).collect())
    }
}
