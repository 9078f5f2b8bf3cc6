//! Cusick's drape test: a round sample hangs over the edge of a smaller round support. Source: Cusick68; BS 5058, ISO 9073-9.
//!
//! The shadow in parallel light says how limp the fabric is: with areas A of shadow, support and flat sample the drape coefficient is
//!
//! ```text
//! DC = (A_shadow − A_support)/(A_sample − A_support)
//! ```
//!
//! 100 % for a board, near 0 for a rag. The sample lies between two plates, as the standards have it, and the sheet leaves them level
//! ([`Hold::Plates`]); or it lies on the lower one by its weight and friction alone ([`Hold::Weight`]). Contact with the support, whose edge
//! is round, and with itself is real. Bending friction keeps a sample from hanging as deep as its elastic rigidity would let it.
//!
//! Where folds begin is decided by a disturbance of the flat sample, waves of up to a hundredth of slope that follow from a seed. Several
//! fold numbers are at rest in one fabric, in reality (Kenkare06) as here: `repeats` shows the spread.

mod hang;
mod pictures;
mod shadow;

use super::outcome::{DRAPE, Path, Quantity, SEED};
use super::{LabError, Outcome, Row, Specimen, Test, within};
use hang::{Hanging, hang};
use shadow::{Shadow, area, folds};
use std::f64::consts::PI;
use toile_core::fabric::Fabric;

/// Height of the rows in which the shadow is measured (m).
const ROW: f64 = 1e-4;
/// Height of the support (m): hanging cloth that swings in meets a wall.
const HEIGHT: f64 = 0.02;

const FOLDS: Quantity = Quantity { key: "folds", law_key: "", name: "folds", unit: "–", per_si: 1.0 };
const DEPTH: Quantity = Quantity { key: "fold_depth_mm", law_key: "", name: "fold depth", unit: "mm", per_si: 1e3 };
const IRREGULARITY: Quantity =
    Quantity { key: "fold_irregularity_percent", law_key: "", name: "irregularity", unit: "%", per_si: 100.0 };
const DROP: Quantity = Quantity { key: "mean_drop_mm", law_key: "", name: "mean drop", unit: "mm", per_si: 1e3 };

/// What holds the sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hold {
    /// An upper plate as large as the support.
    #[default]
    Plates,
    /// Its weight, and friction.
    Weight,
}

/// A drape test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drape {
    /// Mesh of the free part of the sample.
    pub specimen: Specimen,
    /// Diameter of the sample (m); the standards have 24, 30 and 36 cm.
    pub diameter: f64,
    /// Diameter of the support (m); 18 cm.
    pub support: f64,
    /// Radius of the support's round edge (m).
    pub edge_radius: f64,
    /// What holds the sample.
    pub hold: Hold,
    /// Friction of the sample with the support and with itself.
    pub friction: f64,
    /// Seed of the disturbance; repeats count on from it.
    pub seed: u64,
    /// Samples.
    pub repeats: usize,
    /// Largest force left on a node, over its mean weight.
    pub tolerance: f64,
}

impl Default for Drape {
    fn default() -> Self {
        Self {
            specimen: Specimen::default(),
            diameter: 0.30,
            support: 0.18,
            edge_radius: 1e-3,
            hold: Hold::Plates,
            friction: 0.3,
            seed: 1,
            repeats: 1,
            tolerance: 0.01,
        }
    }
}

/// What is read off a sample.
#[derive(Clone, Debug, PartialEq)]
pub struct DrapeReading {
    /// Drape coefficient (–).
    pub coefficient: f64,
    /// Largest radius of the shadow (m) in even directions from the weft on.
    pub outline: Vec<f64>,
    /// Direction (rad) and radius (m) of the crests of the outline.
    pub crests: Vec<[f64; 2]>,
    /// Mean height of the crests over the valleys between them (m).
    pub fold_depth: f64,
    /// Standard deviation over mean of the angles between crests.
    pub irregularity: f64,
    /// Least, mean and largest drop of the rim below the held part (m).
    pub drops: [f64; 3],
    /// Triangles of the free part.
    pub triangles: usize,
    /// Newton iterations.
    pub iterations: usize,
    /// Largest force left on a node (N).
    pub residual: f64,
    /// Crossings of the sample with itself or the support, by the exact test.
    pub crossings: usize,
    /// Pairs of the sample in touch with itself.
    pub self_touches: usize,
}

impl Test for Drape {
    fn steps(&self) -> usize {
        self.repeats
    }

    fn run(&self, fabric: &Fabric, tick: &mut dyn FnMut()) -> Result<Outcome, LabError> {
        self.check()?;
        let mut outcome = Outcome::new("drape", &fabric.name, format!("{:.0} cm", 1e2 * self.diameter), SEED, DRAPE);
        outcome.path = Path::Trials;
        let mut beside = [FOLDS, DEPTH, IRREGULARITY, DROP].map(|q| (q, Vec::new()));
        for k in 0..self.repeats {
            let seed = self.seed + k as u64;
            let hanging = hang(self, fabric, seed)?;
            let reading = self.read(&hanging);
            let row = Row { x: seed as f64, measured: reading.coefficient, law: 0.0, iterations: reading.iterations };
            outcome.rows.push(row);
            let folds = reading.crests.len() as f64;
            let values = [folds, reading.fold_depth, reading.irregularity, reading.drops[1]];
            beside.iter_mut().zip(values).for_each(|(b, v)| b.1.push(v));
            if k == 0 {
                describe(&mut outcome, &reading);
                self.draw(&mut outcome, &hanging, &reading)?;
            }
            tick();
        }
        outcome.beside = beside.to_vec();
        self.summarise(&mut outcome);
        Ok(outcome)
    }
}

impl Drape {
    fn check(&self) -> Result<(), LabError> {
        within("triangles", self.specimen.triangles as f64, [100.0, 1e5], "")?;
        within("diameter of the support", 1e3 * self.support, [10.0, 1e3], "mm")?;
        within("diameter of the sample", 1e3 * self.diameter, [1.1e3 * self.support, 5e3 * self.support], "mm")?;
        within("radius of the edge", 1e3 * self.edge_radius, [0.05, 50.0 * self.support], "mm")?;
        within("friction", self.friction, [0.0, 10.0], "")?;
        within("repeats", self.repeats as f64, [1.0, 1e4], "")?;
        within("force left on a node", self.tolerance, [1e-8, 1.0], "of its weight")
    }

    /// Drapes one sample and reads it, without pictures.
    pub fn measure(&self, fabric: &Fabric, seed: u64) -> Result<DrapeReading, LabError> {
        self.check()?;
        Ok(self.read(&hang(self, fabric, seed)?))
    }

    fn read(&self, hanging: &Hanging) -> DrapeReading {
        let shadow = Shadow::new(&hanging.mesh.positions, &hanging.mesh.triangles);
        let disc = |diameter: f64| 0.25 * PI * diameter * diameter;
        let [plate, sample] = [self.support, self.diameter].map(disc);
        let covered = area(&shadow.rows(ROW, 0.5 * self.support), ROW);
        let outline = shadow.outline(0.5 * self.support);
        let folds = folds(&outline);
        let drops: Vec<f64> = hanging.rim.iter().map(|&v| -hanging.mesh.positions[v as usize].y).collect();
        let mean = drops.iter().sum::<f64>() / drops.len() as f64;
        let [least, most] = [f64::min, f64::max].map(|f| drops.iter().copied().reduce(f).unwrap_or(f64::NAN));
        DrapeReading {
            coefficient: (covered - plate) / (sample - plate),
            outline,
            fold_depth: folds.depth(),
            irregularity: folds.irregularity(),
            crests: folds.crests,
            drops: [least, mean, most],
            triangles: hanging.triangles,
            iterations: hanging.newton,
            residual: hanging.residual,
            crossings: hanging.crossings,
            self_touches: hanging.self_touches,
        }
    }

    /// Pictures of a sample.
    fn draw(&self, outcome: &mut Outcome, hanging: &Hanging, reading: &DrapeReading) -> Result<(), LabError> {
        let coefficient = 100.0 * reading.coefficient;
        let of = format!("{}, {}", outcome.fabric, outcome.direction);
        let title = format!("{of}: DC {coefficient:.1} %, {} folds", reading.crests.len());
        outcome.plots.push(("rim", self.rim_plot(title.clone(), reading)));
        outcome.plots.push(("outline", self.outline_plot(title, reading)));
        let shadow = Shadow::new(&hanging.mesh.positions, &hanging.mesh.triangles);
        outcome.files.push(("shadow.png", pictures::shadow(self, &shadow).png()?));
        outcome.files.push(("cloth.png", pictures::cloth(self, hanging)?.png()?));
        outcome.files.push(("rim.csv", rim_table(reading).into_bytes()));
        Ok(())
    }

    /// Mean and spread over the samples.
    fn summarise(&self, outcome: &mut Outcome) {
        let count = outcome.rows.len() as f64;
        if count > 1.0 {
            let values: Vec<f64> = outcome.rows.iter().map(|r| 100.0 * r.measured).collect();
            let mean = values.iter().sum::<f64>() / count;
            let deviation = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (count - 1.0)).sqrt();
            outcome.figure("mean_drape_coefficient_percent", "drape coefficient, mean of all", mean, "%");
            outcome.figure("drape_coefficient_deviation_percent", "its standard deviation", deviation, "%");
            let folds = &outcome.beside[0].1;
            let [fewest, most] = [f64::min, f64::max].map(|f| folds.iter().copied().reduce(f).unwrap_or(0.0));
            outcome.figure("fewest_folds", "folds, fewest", fewest, "–");
            outcome.figure("most_folds", "folds, most", most, "–");
            outcome.note(format!("pictures and the figures above are those of seed {}", self.seed));
        }
    }
}

/// Figures of a sample.
fn describe(outcome: &mut Outcome, reading: &DrapeReading) {
    outcome.triangles = reading.triangles;
    let [low, high] = [f64::min, f64::max].map(|f| 1e3 * reading.outline.iter().copied().reduce(f).unwrap_or(0.0));
    let [least, mean, most] = reading.drops.map(|d| 1e3 * d);
    outcome.figure("drape_coefficient_percent", "drape coefficient", 100.0 * reading.coefficient, "%");
    outcome.figure("folds", "folds", reading.crests.len() as f64, "–");
    outcome.figure("fold_depth_mm", "mean crest over mean valley", 1e3 * reading.fold_depth, "mm");
    outcome.figure(
        "fold_irregularity_percent",
        "deviation of the angles between folds",
        100.0 * reading.irregularity,
        "%",
    );
    outcome.figure("least_radius_mm", "least radius of the shadow", low, "mm");
    outcome.figure("largest_radius_mm", "largest radius of the shadow", high, "mm");
    outcome.figure("least_drop_mm", "drop of the rim, least", least, "mm");
    outcome.figure("mean_drop_mm", "drop of the rim, mean", mean, "mm");
    outcome.figure("largest_drop_mm", "drop of the rim, most", most, "mm");
    outcome.figure("residual_un", "largest force left on a node", 1e6 * reading.residual, "µN");
    outcome.figure("crossings", "crossings with itself or the support", reading.crossings as f64, "–");
    outcome.figure("self_touches", "pairs in touch with itself", reading.self_touches as f64, "–");
}

/// Outline by direction.
fn rim_table(reading: &DrapeReading) -> String {
    let mut out = String::from("direction_degrees,radius_mm\n");
    for (k, radius) in reading.outline.iter().enumerate() {
        out.push_str(&format!("{},{}\n", 360.0 * k as f64 / reading.outline.len() as f64, 1e3 * radius));
    }
    out
}
