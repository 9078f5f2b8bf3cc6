//! Load–unload cycles of growing amplitude: loops, and where their energy goes.
//!
//! Work is the area under the readings, ∮ f dx by the trapezoid rule; it must equal what the sample has stored more and
//! what its memory reports as dissipated. The rule cuts the corners of a loop, where friction starts to slip: the balance
//! closes with the square of the step. An elastic fabric retraces its own points and its loops have no area at all.

use super::bend::{Bend, Press};
use super::outcome::{CURVATURE, DISPLACEMENT, ErrorScale, FORCE, MOMENT};
use super::rig::{Rig, follow, steps};
use super::stretch::{Clamps, Kind, Stretch};
use super::{Direction, LabError, Outcome, Row, Specimen, Test, within};
use toile_core::fabric::Fabric;

/// What is loaded and unloaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// The tensile test, from rest and back.
    #[default]
    Tension,
    /// The shear test, to both sides.
    Shear,
    /// The bending test, to both sides.
    Bending,
}

impl Mode {
    /// Name in commands.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tension => "tension",
            Self::Shear => "shear",
            Self::Bending => "bending",
        }
    }
}

/// A cyclic test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cyclic {
    /// Kind of loading.
    pub mode: Mode,
    /// Threads that are loaded.
    pub direction: Direction,
    /// Mesh.
    pub specimen: Specimen,
    /// Largest amplitude: strain (–), curvature (1/m) in bending.
    pub amplitude: f64,
    /// Cycles; the k-th of n goes to k/n of the amplitude.
    pub cycles: usize,
    /// Readings on a quarter of a cycle.
    pub points: usize,
}

impl Default for Cyclic {
    fn default() -> Self {
        Self {
            mode: Mode::Tension,
            direction: Direction::Weft,
            specimen: Specimen::default(),
            amplitude: 0.06,
            cycles: 3,
            points: 12,
        }
    }
}

/// Energy of one cycle (J).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cycle {
    /// Area of the loop: work of the clamp.
    pub work: f64,
    /// Change of the energy stored.
    pub stored: f64,
    /// Energy dissipated by the memory of the fabric.
    pub dissipated: f64,
}

impl Test for Cyclic {
    fn steps(&self) -> usize {
        self.cycles * self.points * if self.mode == Mode::Tension { 2 } else { 4 }
    }

    fn run(&self, fabric: &Fabric, tick: &mut dyn FnMut()) -> Result<Outcome, LabError> {
        within("cycles", self.cycles as f64, [1.0, 100.0], "")?;
        let (mut rig, triangles, full) = self.rig(fabric)?;
        let (x, y) = if self.mode == Mode::Bending { (CURVATURE, MOMENT) } else { (DISPLACEMENT, FORCE) };
        let mut outcome = Outcome::new("cyclic", &fabric.name, self.direction.name(), x, y);
        outcome.mode = self.mode.name();
        outcome.scale = ErrorScale::Largest;
        outcome.triangles = triangles;
        let mut cycles = Vec::new();
        let mut before = Row { x: 0.0, measured: 0.0, law: 0.0, iterations: 0 };
        let mut peak = 0.0f64;
        for k in 1..=self.cycles {
            let start = rig.energy();
            let rows = follow(rig.as_mut(), &self.path(full * k as f64 / self.cycles as f64), tick)?;
            let end = rig.energy();
            let mut work = 0.0;
            for row in &rows {
                work += 0.5 * (row.measured + before.measured) * (row.x - before.x) * rig.work_unit();
                peak = peak.max(work);
                before = *row;
            }
            cycles.push(Cycle { work, stored: end[0] - start[0], dissipated: end[1] - start[1] });
            outcome.rows.extend(rows);
        }
        Self::describe(&mut outcome, &cycles, peak);
        outcome.cycles = cycles;
        Ok(outcome)
    }
}

impl Cyclic {
    /// The rig, its triangles, and the amplitude as the rig counts it.
    fn rig(&self, fabric: &Fabric) -> Result<(Box<dyn Rig>, usize, f64), LabError> {
        let (direction, specimen, points) = (self.direction, self.specimen, self.points);
        if self.mode == Mode::Bending {
            let plan = Bend { direction, specimen, points, max_curvature: self.amplitude, ..Bend::default() };
            plan.check()?;
            let press = Press::new(&plan, fabric)?;
            let triangles = press.triangles;
            return Ok((Box::new(press), triangles, self.amplitude));
        }
        let kind = if self.mode == Mode::Tension { Kind::Tensile } else { Kind::Shear };
        let plan = Stretch { kind, direction, specimen, points, max_strain: self.amplitude, ..Stretch::default() };
        plan.check()?;
        let clamps = Clamps::new(&plan, fabric)?;
        let triangles = clamps.triangles;
        Ok((Box::new(clamps), triangles, self.amplitude * plan.sample.length))
    }

    fn path(&self, a: f64) -> Vec<f64> {
        let n = self.points;
        if self.mode == Mode::Tension {
            return steps(0.0, a, n).chain(steps(a, 0.0, n)).collect();
        }
        steps(0.0, a, n).chain(steps(a, -a, 2 * n)).chain(steps(-a, 0.0, n)).collect()
    }

    fn describe(outcome: &mut Outcome, cycles: &[Cycle], peak: f64) {
        let sum = |part: fn(&Cycle) -> f64| 1e3 * cycles.iter().map(part).sum::<f64>();
        let (work, stored, dissipated) = (sum(|c| c.work), sum(|c| c.stored), sum(|c| c.dissipated));
        outcome.figure("loop_area_mj", "area of all loops", work, "mJ");
        outcome.figure("dissipated_mj", "energy dissipated", dissipated, "mJ");
        outcome.figure("stored_mj", "energy stored at the end", stored, "mJ");
        let open = (work - stored - dissipated) / (1e3 * peak);
        outcome.figure("balance", "area − dissipated − stored, over the largest work", open, "–");
        outcome.note("errors are relative to the largest reading of the law");
    }
}
