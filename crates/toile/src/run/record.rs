//! `run.json`: what went in, what was done, what came out.

use super::{Clock, Task};
use glam::DVec3;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::path::Path;
use toile_core::system::{State, System};
use toile_io::atomic::{WriteError, write_atomically};
use toile_io::run::{FrameCertificate, PHASES, StepRecord, Untangling, hex, sha256};
use toile_io::scene::{Cloth, Obstacle, Response, Scene};

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Under way, or killed.
    Running,
    /// Done.
    Finished,
    /// Stopped by somebody; can be resumed.
    Stopped,
    /// A step failed for good.
    Failed,
}

/// The record of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Record {
    /// Kind and version of the file.
    pub format: &'static str,
    /// Version of the program.
    pub version: &'static str,
    /// What was asked for.
    pub task: Task,
    /// How it stands.
    pub status: Status,
    /// Name of the scene.
    pub name: String,
    /// Files that were read, the scene first, with their SHA-256.
    pub inputs: Vec<Value>,
    /// Scheme, solver, tolerances.
    pub settings: Value,
    /// Threads; results do not depend on them.
    pub threads: usize,
    /// Instruction level of the kernels; last bits depend on it.
    pub simd: &'static str,
    /// Cloths with their fabrics and sizes.
    pub cloths: Vec<Value>,
    /// Steps done.
    pub steps: u64,
    /// Length of a step (ms).
    pub step_ms: f64,
    /// Frames written.
    pub frames: usize,
    /// Simulated time (s).
    pub simulated_s: f64,
    /// Seconds by phase.
    pub seconds: Map<String, Value>,
    /// Sum of the phases (s).
    pub seconds_total: f64,
    /// Newton iterations per step in the mean.
    pub newton_per_step: f64,
    /// Linear iterations per Newton iteration in the mean.
    pub linear_per_newton: f64,
    /// Steps that had to be cut.
    pub cut_steps: usize,
    /// Residual of the last step.
    pub residual: f64,
    /// Force of each grip on the cloth (N) in the last step.
    pub reactions: Vec<Value>,
    /// Reach, thickness and the like, where there is contact.
    pub contact: Option<Value>,
    /// Obstacles with the force of the cloth on them (N) in the last step.
    pub obstacles: Vec<Value>,
    /// What was done to a start that crossed.
    pub untangled: Option<UntangleRecord>,
    /// What passes through what in the frames, where there is contact.
    pub certificate: Option<CertificateRecord>,
    /// Why it failed.
    pub failure: Option<Failure>,
    /// What looks wrong although it works.
    pub warnings: Vec<String>,
    /// Digest of the final state: equal bytes give equal digests.
    pub digest: String,
}

/// The certificates of all frames.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CertificateRecord {
    /// Frames looked at.
    pub frames: usize,
    /// Crossings in all of them.
    pub crossings: u64,
    /// Of a cloth with itself.
    pub self_crossings: u64,
    /// Of two cloths.
    pub cloth_crossings: u64,
    /// Of a cloth with an obstacle.
    pub obstacle_crossings: u64,
    /// Pairs that touch exactly.
    pub touching: u64,
    /// Vertices without finite places.
    pub lost_vertices: u64,
    /// Crossings of each frame.
    pub by_frame: Vec<u64>,
    /// Crossings that should not be there: all, but those of a cloth with itself where the scene does not keep it apart.
    pub violations: u64,
}

impl CertificateRecord {
    fn of(frames: &[FrameCertificate], own: bool) -> Self {
        let sum = |f: fn(&FrameCertificate) -> u64| frames.iter().map(f).sum::<u64>();
        let (self_crossings, crossings) = (sum(|c| c.own), sum(FrameCertificate::crossings));
        let lost_vertices = sum(|c| c.lost);
        Self {
            frames: frames.len(),
            crossings,
            self_crossings,
            cloth_crossings: sum(|c| c.cloths),
            obstacle_crossings: sum(|c| c.obstacles),
            touching: sum(|c| c.touching),
            lost_vertices,
            by_frame: frames.iter().map(FrameCertificate::crossings).collect(),
            violations: crossings - if own { 0 } else { self_crossings } + lost_vertices,
        }
    }

    /// One line for people.
    pub fn said(&self) -> String {
        format!("certified: {} frames, {} crossings", self.frames, self.crossings)
    }
}

/// What was done to a start that crossed or overlapped.
#[derive(Clone, Debug, Serialize)]
pub struct UntangleRecord {
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
    /// The longest way of a vertex (mm).
    pub moved_max_mm: f64,
    /// Smallest gap beyond the thickness at the end (mm), or half the reach where all are larger.
    pub smallest_gap_mm: f64,
}

impl UntangleRecord {
    pub(super) fn of(done: &Untangling) -> Self {
        Self {
            crossings_before: done.crossings_before,
            inside_before: done.inside_before,
            overlaps_before: done.overlaps_before,
            crossings_after: done.crossings_after,
            rounds: done.rounds,
            moved_max_mm: 1e3 * done.moved_max,
            smallest_gap_mm: 1e3 * done.smallest_gap,
        }
    }

    /// One line for people.
    pub fn said(&self) -> String {
        format!(
            "untangled: {} crossings, {} vertices inside obstacles and {} overlaps at the start, {} crossings after {} rounds; vertices went up to {:.2} mm",
            self.crossings_before,
            self.inside_before,
            self.overlaps_before,
            self.crossings_after,
            self.rounds,
            self.moved_max_mm
        )
    }
}

/// Why and where a run failed.
#[derive(Clone, Debug, Serialize)]
pub struct Failure {
    /// What happened.
    pub message: String,
    /// Simulated time (s).
    pub time_s: f64,
    /// The cloth concerned.
    pub cloth: Option<String>,
    /// Its vertex.
    pub vertex: Option<usize>,
    /// Where that is (m).
    pub place_m: Option<[f64; 3]>,
    /// A triangle there.
    pub triangle: Option<usize>,
}

impl Failure {
    /// A failure at a node of the system.
    pub(super) fn at(message: String, node: Option<usize>, scene: &Scene, state: &State) -> Self {
        let mut failure =
            Self { message, time_s: state.time, cloth: None, vertex: None, place_m: None, triangle: None };
        let mut first = 0;
        for cloth in &scene.cloths {
            let count = cloth.mesh.vertex_count();
            if let Some(vertex) = node.and_then(|n| n.checked_sub(first)).filter(|v| *v < count) {
                let triangle = cloth.mesh.triangles.iter().position(|t| t.contains(&(vertex as u32)));
                failure.message += &format!(" (cloth \"{}\", vertex {vertex}", cloth.name);
                failure.message += &triangle.map_or(")".into(), |t| format!(", triangle {t})"));
                failure.place_m = state.positions.get(first + vertex).map(|p| p.to_array());
                (failure.cloth, failure.vertex, failure.triangle) = (Some(cloth.name.clone()), Some(vertex), triangle);
                break;
            }
            first += count;
        }
        failure
    }
}

impl Record {
    pub(super) fn of(scene: &Scene, task: Task, status: Status) -> Self {
        let s = &scene.simulation;
        let input =
            |path: &Path, bytes: &[u8]| json!({ "path": path.display().to_string(), "sha256": hex(&sha256(bytes)) });
        let settings = json!({
            "scheme": s.scheme,
            "solver": s.options.solver,
            "tolerance": s.options.tolerance,
            "linear_tolerance": s.options.linear_tolerance,
            "max_newton": s.options.max_newton,
            "gravity_m_per_s2": s.gravity.to_array(),
            "duration_s": s.duration,
            "force_tolerance_mn": 1e3 * s.force_tolerance,
            "frames_per_s": scene.output.frames_per_second,
            "wind_m_per_s": scene.wind.as_ref().map(|w| w.velocity.to_array()),
        });
        Self {
            format: "toile-run/1",
            version: env!("CARGO_PKG_VERSION"),
            task,
            status,
            name: scene.name.clone(),
            inputs: scene.sources.iter().map(|i| input(&i.path, &i.bytes)).collect(),
            settings,
            threads: rayon::current_num_threads(),
            simd: s.level.name(),
            cloths: scene.cloths.iter().map(cloth).collect(),
            steps: 0,
            step_ms: 0.0,
            frames: 0,
            simulated_s: 0.0,
            seconds: Map::new(),
            seconds_total: 0.0,
            newton_per_step: 0.0,
            linear_per_newton: 0.0,
            cut_steps: 0,
            residual: 0.0,
            reactions: Vec::new(),
            contact: None,
            obstacles: Vec::new(),
            untangled: None,
            certificate: None,
            failure: None,
            warnings: Vec::new(),
            digest: String::new(),
        }
    }

    /// Takes over seconds by phase.
    pub fn take_times(&mut self, clock: &Clock) {
        let seconds = clock.seconds();
        self.seconds = PHASES.iter().zip(seconds).map(|(name, s)| ((*name).to_string(), json!(s))).collect();
        self.seconds_total = seconds.iter().sum();
    }

    pub(super) fn take_steps(&mut self, records: &[StepRecord]) {
        let sum = |f: fn(&StepRecord) -> f64| records.iter().map(f).sum::<f64>();
        self.newton_per_step = sum(|r| r.newton) / records.len().max(1) as f64;
        self.linear_per_newton = sum(|r| r.linear) / sum(|r| r.newton).max(1.0);
        self.cut_steps = records.iter().filter(|r| r.cuts > 0.0).count();
        self.residual = records.last().map_or(0.0, |r| r.residual);
    }

    pub(super) fn take_contact(&mut self, scene: &Scene, forces: &[DVec3], frames: &[FrameCertificate]) {
        let Some(contact) = &scene.contact else { return };
        let own = contact.response.own();
        let mut settings = match &contact.response {
            Response::Barrier(s) => json!({
                "response": "barrier",
                "reach_mm": 1e3 * s.reach,
                "stick_mm_per_s": 1e3 * s.stick_speed,
            }),
            Response::Geometric { settings: s, .. } => json!({ "response": "geometric", "band_mm": 1e3 * s.band }),
        };
        settings["self"] = json!(own);
        settings["untangle"] = json!(contact.untangle);
        settings["thickness_mm"] = json!(contact.thicknesses.iter().map(|t| 1e3 * t).collect::<Vec<_>>());
        self.contact = Some(settings);
        let last = forces.len().checked_sub(scene.obstacles.len()).map_or(&[][..], |first| &forces[first..]);
        let force = |k: usize| last.get(k).map_or([0.0; 3], |f| f.to_array());
        let one = |(k, o): (usize, &Obstacle)| json!({ "obstacle": o.body.name, "force_n": force(k) });
        self.obstacles = scene.obstacles.iter().enumerate().map(one).collect();
        self.certificate = Some(CertificateRecord::of(frames, own));
    }

    /// Writes it, whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), WriteError> {
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        write_atomically(path, text + "\n")
    }
}

fn cloth(cloth: &Cloth) -> Value {
    json!({
        "name": cloth.name,
        "fabric": cloth.fabric_name,
        "membrane": cloth.membrane,
        "bending": cloth.bending,
        "vertices": cloth.mesh.vertex_count(),
        "triangles": cloth.mesh.triangles.len(),
        "area_m2": cloth.mesh.total_rest_area(),
        "mass_g": 1e3 * cloth.fabric.density * cloth.mesh.total_rest_area(),
    })
}

/// Force of each grip on the cloth.
pub(super) fn reactions(system: &System, state: &State) -> Vec<Value> {
    let one = |(k, grip): (usize, &toile_core::system::Grip)| json!({ "grip": grip.name, "force_n": system.reaction(state, k).to_array() });
    system.grips().iter().enumerate().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything that crosses is counted; only a cloth that need not keep apart from itself is forgiven.
    #[test]
    fn crossings_are_violations_unless_they_are_allowed() {
        let one = FrameCertificate { own: 2, cloths: 1, obstacles: 3, touching: 5, lost: 0 };
        let frames = [FrameCertificate::default(), one, FrameCertificate { lost: 4, ..FrameCertificate::default() }];
        let strict = CertificateRecord::of(&frames, true);
        assert_eq!((strict.crossings, strict.violations), (6, 10));
        assert_eq!(strict.by_frame, [0, 6, 0]);
        assert_eq!(CertificateRecord::of(&frames, false).violations, 8);
        assert_eq!(strict.said(), "certified: 3 frames, 6 crossings");
    }
}
