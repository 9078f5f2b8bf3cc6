//! Where a run stands, to the bit.

use super::{Arrays, vectors};
use crate::formats::ExportError;
use crate::formats::npz::{self, Array, Data};
use crate::problem::Problem;
use glam::DVec3;
use std::path::Path;
use toile_core::integrate::StaticPace;
use toile_core::system::{Pace, Past, State};

/// Names of the phases whose times are kept.
pub const PHASES: [&str; 11] =
    ["read", "build", "forces", "assembly", "setup", "solve", "contact", "detection", "other", "write", "pictures"];

/// Where a run stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Hash of the inputs it belongs to.
    pub inputs: [u8; 32],
    /// Steps done.
    pub step: u64,
    /// The state.
    pub state: State,
    /// What every step did.
    pub records: Vec<StepRecord>,
    /// Force of cloth on every obstacle (N), obstacle by obstacle and step by step.
    pub obstacle_forces: Vec<DVec3>,
    /// What was found in every frame written so far; empty without contact.
    pub certificates: Vec<FrameCertificate>,
    /// What was done to a start that crossed.
    pub untangled: Option<Untangling>,
    /// For `drape`: pace and residuals so far.
    pub relaxation: Option<(StaticPace, Vec<f64>)>,
    /// Seconds spent in each of [`PHASES`].
    pub seconds: [f64; PHASES.len()],
}

/// What a step did and what came out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepRecord {
    /// Time at its end (s).
    pub time: f64,
    /// Newton iterations.
    pub newton: f64,
    /// Linear iterations.
    pub linear: f64,
    /// Residual at the end, in steps of free fall.
    pub residual: f64,
    /// Halvings of the step.
    pub cuts: f64,
    /// Kinetic energy (J).
    pub kinetic: f64,
    /// Potential energy of weight (J).
    pub gravity: f64,
    /// Energy stored in the cloth (J).
    pub elastic: f64,
    /// Energy taken by viscosity and hysteresis so far (J).
    pub dissipated: f64,
    /// Pairs in contact.
    pub touches: f64,
    /// Smallest gap between them (m); infinite without contact.
    pub gap: f64,
    /// Largest pressure of contact on a vertex (Pa).
    pub pressure: f64,
}

const RECORD: usize = 12;

#[rustfmt::skip] // rows
impl StepRecord {
    fn to_row(self) -> [f64; RECORD] {
        let Self { time, newton, linear, residual, cuts, kinetic, gravity, elastic, dissipated, touches, gap, pressure } = self;
        [time, newton, linear, residual, cuts, kinetic, gravity, elastic, dissipated, touches, gap, pressure]
    }

    fn from_row(row: &[f64; RECORD]) -> Self {
        let [time, newton, linear, residual, cuts, kinetic, gravity, elastic, dissipated, touches, gap, pressure] = *row;
        Self { time, newton, linear, residual, cuts, kinetic, gravity, elastic, dissipated, touches, gap, pressure }
    }
}

/// What passes through what in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameCertificate {
    /// Crossings of a cloth with itself.
    pub own: u64,
    /// Of two cloths.
    pub cloths: u64,
    /// Of a cloth with an obstacle, vertices below a plane included.
    pub obstacles: u64,
    /// Pairs that touch exactly without crossing.
    pub touching: u64,
    /// Vertices without finite places.
    pub lost: u64,
}

const CERTIFICATE: usize = 5;

impl FrameCertificate {
    /// All crossings.
    pub fn crossings(&self) -> u64 {
        self.own + self.cloths + self.obstacles
    }

    fn to_row(self) -> [i64; CERTIFICATE] {
        [self.own, self.cloths, self.obstacles, self.touching, self.lost].map(|n| n as i64)
    }

    fn from_row(row: &[f64; CERTIFICATE]) -> Self {
        let [own, cloths, obstacles, touching, lost] = row.map(|n| n as u64);
        Self { own, cloths, obstacles, touching, lost }
    }
}

/// What was done to a start that crossed or overlapped.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Untangling {
    /// Pairs of an edge and a triangle that crossed.
    pub crossings_before: u64,
    /// Cloth vertices inside obstacles.
    pub inside_before: u64,
    /// Pairs nearer than their thickness.
    pub overlaps_before: u64,
    /// Pairs that still cross.
    pub crossings_after: u64,
    /// Rounds of moves.
    pub rounds: u64,
    /// The longest way of a vertex (m).
    pub moved_max: f64,
    /// Smallest gap at the end (m).
    pub smallest_gap: f64,
}

const UNTANGLING: usize = 7;

impl Untangling {
    fn to_row(self) -> [f64; UNTANGLING] {
        let Self { crossings_before, inside_before, overlaps_before, crossings_after, rounds, .. } = self;
        let [a, b, c, d, e] =
            [crossings_before, inside_before, overlaps_before, crossings_after, rounds].map(|n| n as f64);
        [a, b, c, d, e, self.moved_max, self.smallest_gap]
    }

    fn from_row(row: &[f64; UNTANGLING]) -> Self {
        let [crossings_before, inside_before, overlaps_before, crossings_after, rounds, ..] = row.map(|n| n as u64);
        let [.., moved_max, smallest_gap] = *row;
        Self { crossings_before, inside_before, overlaps_before, crossings_after, rounds, moved_max, smallest_gap }
    }
}

impl Checkpoint {
    /// Writes it, whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), ExportError> {
        let state = &self.state;
        let numbers = |v: Vec<f64>| Array::new(vec![v.len()], Data::F64(v));
        let pace = vec![state.pace.explicit_step.unwrap_or(f64::NAN), f64::from(state.pace.smooth_steps)];
        let rows = self.records.iter().flat_map(|r| r.to_row()).collect();
        let found: Vec<i64> = self.certificates.iter().flat_map(|c| c.to_row()).collect();
        let mut arrays = vec![
            ("inputs", Array::new(vec![32], Data::U8(self.inputs.to_vec()))),
            ("step", Array::new(vec![], Data::I64(vec![self.step as i64]))),
            ("time", numbers(vec![state.time])),
            ("positions", vectors(&state.positions)),
            ("velocities", vectors(&state.velocities)),
            ("reactions", vectors(&state.reactions)),
            ("memory", numbers(state.memory.clone())),
            ("contact", numbers(state.contact.clone())),
            ("dissipated", numbers(vec![state.dissipated])),
            ("pace", numbers(pace)),
            ("records", Array::new(vec![self.records.len(), RECORD], Data::F64(rows))),
            ("obstacle_forces", vectors(&self.obstacle_forces)),
            ("certificates", Array::new(vec![self.certificates.len(), CERTIFICATE], Data::I64(found))),
            ("seconds", numbers(self.seconds.to_vec())),
        ];
        if let Some(past) = &state.past {
            arrays.push(("past_step", numbers(vec![past.step])));
            arrays.push(("past_positions", vectors(&past.positions)));
            arrays.push(("past_velocities", vectors(&past.velocities)));
        }
        if let Some((pace, history)) = &self.relaxation {
            arrays.push(("static_pace", numbers(vec![pace.step, f64::from(u8::from(pace.is_exact))])));
            arrays.push(("static_history", numbers(history.clone())));
        }
        if let Some(untangled) = self.untangled {
            arrays.push(("untangled", numbers(untangled.to_row().to_vec())));
        }
        npz::write(path, &arrays)
    }

    /// Reads it back.
    pub fn read(path: &Path) -> Result<Self, Vec<Problem>> {
        let mut arrays = Arrays::open(path)?;
        let inputs = arrays.bytes("inputs")?;
        let inputs = inputs.try_into().map_err(|_| arrays.fault("inputs", "expected 32 bytes"))?;
        let step = arrays.number("step")? as u64;
        let pace = arrays.numbers("pace")?;
        let [explicit_step, smooth_steps] = pace[..] else { return Err(arrays.fault("pace", "expected two numbers")) };
        let pace =
            Pace { explicit_step: Some(explicit_step).filter(|h| !h.is_nan()), smooth_steps: smooth_steps as u32 };
        let past = match arrays.all.contains_key("past_step") {
            true => Some(Past {
                step: arrays.number("past_step")?,
                positions: arrays.vectors("past_positions")?,
                velocities: arrays.vectors("past_velocities")?,
            }),
            false => None,
        };
        let relaxation = match arrays.all.contains_key("static_pace") {
            true => {
                let pace = arrays.numbers("static_pace")?;
                let [step, exact] = pace[..] else { return Err(arrays.fault("static_pace", "expected two numbers")) };
                Some((StaticPace { step, is_exact: exact != 0.0 }, arrays.numbers("static_history")?))
            }
            false => None,
        };
        let state = State {
            time: arrays.number("time")?,
            positions: arrays.vectors("positions")?,
            velocities: arrays.vectors("velocities")?,
            memory: arrays.numbers("memory")?,
            contact: arrays.numbers("contact")?,
            past,
            pace,
            reactions: arrays.vectors("reactions")?,
            dissipated: arrays.number("dissipated")?,
        };
        let records = arrays.rows::<RECORD>("records")?.iter().map(StepRecord::from_row).collect();
        let obstacle_forces = arrays.vectors("obstacle_forces")?;
        let certificates = arrays.rows::<CERTIFICATE>("certificates")?.iter().map(FrameCertificate::from_row).collect();
        let untangled = match arrays.all.contains_key("untangled") {
            true => arrays.rows::<UNTANGLING>("untangled")?.first().map(Untangling::from_row),
            false => None,
        };
        let seconds = arrays.numbers("seconds")?;
        let seconds = seconds.try_into().map_err(|_| arrays.fault("seconds", "expected a number for each phase"))?;
        Ok(Self { inputs, step, state, records, obstacle_forces, certificates, untangled, relaxation, seconds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything comes back to the bit, also numbers that are hard to write down.
    #[test]
    fn checkpoints_come_back_to_the_bit() {
        let odd = [0.1 + 0.2, -0.0, f64::MIN_POSITIVE / 8.0, 1e300];
        let positions: Vec<DVec3> = (0..5).map(|i| DVec3::new(odd[i % 4], 1.0 / 3.0, i as f64)).collect();
        let past = Past { step: 0.01, positions: positions.clone(), velocities: positions.clone() };
        let state = State {
            time: 0.7,
            positions: positions.clone(),
            velocities: positions.iter().map(|p| -*p).collect(),
            memory: odd.to_vec(),
            contact: odd.to_vec(),
            past: Some(past),
            pace: Pace { explicit_step: Some(1e-4 / 3.0), smooth_steps: 7 },
            reactions: positions,
            dissipated: 1.0 / 7.0,
        };
        let records =
            vec![StepRecord { time: 0.1, elastic: 1.0 / 9.0, gap: f64::INFINITY, ..StepRecord::default() }; 3];
        let pace = StaticPace { step: 0.3, is_exact: true };
        let one = Checkpoint {
            inputs: [7; 32],
            step: 70,
            state,
            records,
            obstacle_forces: vec![DVec3::new(1.0 / 3.0, -0.0, 7.0); 6],
            certificates: vec![FrameCertificate { own: 1, cloths: 2, obstacles: 3, touching: 4, lost: 5 }; 2],
            untangled: None,
            relaxation: None,
            seconds: [0.5; PHASES.len()],
        };
        let folder = std::env::temp_dir().join(format!("toile-checkpoint-{}", std::process::id()));
        let path = folder.join("checkpoint.npz");
        let untangled = Untangling {
            crossings_before: 1,
            inside_before: 2,
            overlaps_before: 3,
            crossings_after: 4,
            rounds: 5,
            moved_max: 0.1 + 0.2,
            smallest_gap: 1e-3 / 3.0,
        };
        let relaxation = Some((pace, vec![3.0, 2.0]));
        for checkpoint in [one.clone(), Checkpoint { relaxation, untangled: Some(untangled), ..one }] {
            checkpoint.write(&path).unwrap();
            let back = Checkpoint::read(&path).unwrap();
            assert_eq!(back, checkpoint);
            assert!(back.state.positions[1].x.is_sign_negative(), "minus zero stays");
        }
        // Cut short anywhere it is an error, never a panic.
        let bytes = std::fs::read(&path).unwrap();
        for cut in (0..bytes.len()).step_by(97) {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            assert!(Checkpoint::read(&path).is_err(), "{cut}");
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
