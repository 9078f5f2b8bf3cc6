//! Speed, measured on tasks that other simulators run too.
//!
//! `sheet` is the task of Volino09 Fig. 11 and of the peers' drivers: 1 m × 1 m, one edge fixed, horizontal start, E = 1000 N/m,
//! ν = 0, 150 g/m², bending 8.3·10⁻⁵ N·m, steps of 10 ms, no contact. By t = 1 s the free edge has swung under the fixed one to the
//! other side. A speed counts only with the right answer, so the tip is reported with it. A dense chain in double precision
//! (80 links) gives 0.889 m beyond and 0.356 m below the fixed edge with one linear solve per step, 0.931 and 0.294 with converged
//! backward Euler, 0.913 and 0.180 with BDF-2.

mod contact;

pub use contact::{Common, ContactResult, Sphere, StepRow, Tell, Twist, sphere, twist};

use glam::DVec3;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use toile_core::fabric::{Fabric, Material};
use toile_core::integrate::{Integrator, Options, Phase, Probe, StepError};
use toile_core::lane::Level;
use toile_core::law::{Curve, CurveError, Curves, LinearError};
use toile_core::mesh::{Diagonal, Grid, Mesh};
use toile_core::system::{BuildError, Builder, State, System};

/// What to run.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// Wanted number of triangles; the nearest square grid is taken.
    pub triangles: usize,
    /// Steps of `step` seconds.
    pub steps: usize,
    /// Step (s).
    pub step: f64,
    /// Membrane model.
    pub membrane: String,
    /// Bending model.
    pub bending: String,
    /// Measured curves instead of the linear law.
    pub curves: bool,
    /// Scheme of the registry.
    pub scheme: String,
    /// Linear solver of the registry.
    pub solver: String,
    /// Instruction level; the machine's best by default.
    pub level: Level,
    /// Newton tolerance in steps of free fall; that of the scheme by default.
    pub tolerance: Option<f64>,
    /// Runs; the fastest counts.
    pub repeat: usize,
}

impl Default for Sheet {
    fn default() -> Self {
        Self {
            triangles: 12_800,
            steps: 100,
            step: 0.01,
            membrane: "green".into(),
            bending: "midedge-quadratic".into(),
            curves: false,
            scheme: "backward-euler".into(),
            solver: "auto".into(),
            level: Level::detect(),
            tolerance: None,
            repeat: 1,
        }
    }
}

/// What came out.
#[derive(Clone, Debug, serde::Serialize)]
pub struct SheetResult {
    /// Task name.
    pub task: &'static str,
    /// Triangles of the mesh.
    pub triangles: usize,
    /// Steps done.
    pub steps: usize,
    /// Membrane model.
    pub membrane: String,
    /// Bending model.
    pub bending: String,
    /// `linear` or `curves`.
    pub law: &'static str,
    /// Scheme.
    pub scheme: String,
    /// Linear solver.
    pub solver: String,
    /// Threads used.
    pub threads: usize,
    /// Instruction level.
    pub simd: &'static str,
    /// Wall time of the steps (s), without building.
    pub seconds: f64,
    /// Processor time of the steps (s), all threads.
    pub cpu_seconds: f64,
    /// Wall time of mesh, system and solver set-up (s).
    pub build_seconds: f64,
    /// Triangles times steps per second of wall time.
    pub element_steps_per_s: f64,
    /// Newton iterations per step.
    pub newton_per_step: f64,
    /// Linear iterations per solve.
    pub iterations_per_solve: f64,
    /// Steps that had to be cut.
    pub cut_steps: usize,
    /// Mean position of the free edge: beyond the fixed edge (m).
    pub tip_beyond_m: f64,
    /// And below it (m).
    pub tip_below_m: f64,
    /// Farthest vertex beyond the fixed edge (m), as bounding boxes of other programs have it.
    pub farthest_beyond_m: f64,
    /// Lowest vertex below it (m).
    pub lowest_below_m: f64,
    /// Longest edge over its rest length.
    pub edge_ratio_max: f64,
    /// Wall time by phase (s).
    pub phases: Phases,
    /// Digest of the end state: equal bytes give equal digests.
    pub digest: String,
}

/// Wall time by phase (s).
#[derive(Clone, Copy, Debug, Default, serde::Serialize)]
pub struct Phases {
    /// Element forces.
    pub forces: f64,
    /// Element forces and Jacobian together.
    pub assembly: f64,
    /// Set-up of the linear solver.
    pub setup: f64,
    /// Linear solve.
    pub solve: f64,
    /// Contact forces and their Jacobian.
    pub contact: f64,
    /// Detection of contact and cuts to moves.
    pub detection: f64,
    /// The rest.
    pub other: f64,
}

impl Phases {
    fn sum(&self) -> f64 {
        self.forces + self.assembly + self.setup + self.solve + self.contact + self.detection + self.other
    }
}

/// Why a benchmark could not run.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// No such scheme.
    #[error("there is no scheme \"{0}\"")]
    Scheme(String),
    /// The system could not be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The material is impossible.
    #[error(transparent)]
    Linear(#[from] LinearError),
    /// The curves are impossible.
    #[error(transparent)]
    Curve(#[from] CurveError),
    /// No such mesh.
    #[error(transparent)]
    Mesh(#[from] toile_garment::meshing::MeshingError),
}

/// Adds up the time between phase changes.
#[derive(Default)]
struct Clock {
    phases: Phases,
    now: Option<(Phase, Instant)>,
}

impl Clock {
    /// What follows is no part of the task.
    fn pause(&mut self) {
        self.enter(Phase::Other);
        self.now = None;
    }

    fn enter(&mut self, phase: Phase) {
        let at = Instant::now();
        if let Some((last, since)) = self.now.replace((phase, at)) {
            let spent = (at - since).as_secs_f64();
            match last {
                Phase::Forces => self.phases.forces += spent,
                Phase::Assembly => self.phases.assembly += spent,
                Phase::Setup => self.phases.setup += spent,
                Phase::Solve => self.phases.solve += spent,
                Phase::Contact => self.phases.contact += spent,
                Phase::Detection => self.phases.detection += spent,
                Phase::Other => self.phases.other += spent,
            }
        }
    }
}

/// Has the phases of an integrator timed.
fn watch(integrator: &mut Integrator) -> Arc<Mutex<Clock>> {
    let clock = Arc::new(Mutex::new(Clock::default()));
    integrator.set_probe(probe(&clock));
    clock
}

/// Moves a clock from phase to phase.
fn probe(clock: &Arc<Mutex<Clock>>) -> Probe {
    let clock = Arc::clone(clock);
    Box::new(move |phase| {
        if let Ok(mut clock) = clock.lock() {
            clock.enter(phase);
        }
    })
}

/// Runs the task `repeat` times on the current thread pool and keeps the fastest run.
pub fn sheet(task: &Sheet) -> Result<SheetResult, BenchError> {
    let mut best: Option<SheetResult> = None;
    for _ in 0..task.repeat.max(1) {
        let result = run(task)?;
        if best.as_ref().is_none_or(|b| result.seconds < b.seconds) {
            best = Some(result);
        }
    }
    Ok(best.expect("at least one run"))
}

fn run(task: &Sheet) -> Result<SheetResult, BenchError> {
    let started = Instant::now();
    let cells = ((task.triangles as f64 / 2.0).sqrt().round() as usize).max(1);
    let mesh = Grid { cells: [cells, cells], size: [1.0, 1.0], diagonal: Diagonal::Alternating }.mesh();
    let fabric = fabric(task.curves)?;
    let edge = mesh.vertices_where(|p| p.x == 0.0);
    let system = Builder::new(&mesh, &fabric)
        .membrane(&task.membrane)
        .bending(&task.bending)
        .level(task.level)
        .pin("edge", edge)
        .build()?;
    let options = Options::named(&task.scheme).ok_or_else(|| BenchError::Scheme(task.scheme.clone()))?;
    let tolerance = task.tolerance.unwrap_or(options.tolerance);
    let linear_tolerance = options.linear_tolerance.min(0.3 * tolerance);
    let options = Options { solver: task.solver.clone(), tolerance, linear_tolerance, ..options };
    let mut integrator = Integrator::new(&system, options)?;
    let clock = watch(&mut integrator);
    let mut state = system.initial_state();
    let build_seconds = started.elapsed().as_secs_f64();
    let (mut newton, mut linear, mut cut_steps) = (0, 0, 0);
    let (started, cpu) = (Instant::now(), cpu_seconds());
    for _ in 0..task.steps {
        let report = integrator.step(&system, &mut state, task.step)?;
        newton += report.newton;
        linear += report.linear;
        cut_steps += usize::from(report.cuts > 0);
    }
    let (seconds, cpu) = (started.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    let phases = clock.lock().map(|c| c.phases).unwrap_or_default();
    let (beyond, below) = tip(&mesh, &state);
    Ok(SheetResult {
        task: "sheet",
        triangles: mesh.triangles.len(),
        steps: task.steps,
        membrane: task.membrane.clone(),
        bending: task.bending.clone(),
        law: if task.curves { "curves" } else { "linear" },
        scheme: task.scheme.clone(),
        solver: task.solver.clone(),
        threads: rayon::current_num_threads(),
        simd: task.level.name(),
        seconds,
        cpu_seconds: cpu,
        build_seconds,
        element_steps_per_s: (mesh.triangles.len() * task.steps) as f64 / seconds,
        newton_per_step: newton as f64 / task.steps.max(1) as f64,
        iterations_per_solve: linear as f64 / newton.max(1) as f64,
        cut_steps,
        tip_beyond_m: beyond,
        tip_below_m: below,
        farthest_beyond_m: state.positions.iter().map(|p| -p.x).fold(f64::MIN, f64::max),
        lowest_below_m: state.positions.iter().map(|p| -p.y).fold(f64::MIN, f64::max),
        edge_ratio_max: edge_ratios(&mesh, &state)[1],
        phases,
        digest: digest(&system, &state),
    })
}

fn fabric(curves: bool) -> Result<Fabric, BenchError> {
    let mut fabric = Fabric::isotropic(1000.0, 0.0, 8.3e-5, 0.15)?;
    if curves {
        // Stiffening threads of the same initial modulus, so that the motion stays comparable.
        let thread = Curve::spline(
            vec![0.0, 0.01, 0.03, 0.1],
            vec![vec![0.0, 1000.0], vec![10.0, 1000.0, 2e4], vec![38.0, 1800.0, 4e4]],
        )?;
        let shear = Curve::spline(vec![0.0, 0.05, 0.2], vec![vec![0.0, 500.0], vec![25.0, 500.0, 1000.0]])?;
        fabric.membrane = Material::elastic(Curves::new(thread.clone(), thread, shear));
    }
    Ok(fabric)
}

/// Mean place of the free edge: beyond the fixed edge and below it.
fn tip(mesh: &Mesh, state: &State) -> (f64, f64) {
    let free = mesh.vertices_where(|p| p.x == 1.0);
    let mean: DVec3 = free.iter().map(|&i| state.positions[i as usize]).sum::<DVec3>() / free.len().max(1) as f64;
    (-mean.x, -mean.y)
}

/// Shortest and longest edge over their rest lengths.
fn edge_ratios(mesh: &Mesh, state: &State) -> [f64; 2] {
    let mut ratios = [f64::INFINITY, 0.0f64];
    for (t, flat) in mesh.triangles.iter().zip(&mesh.material) {
        for k in 0..3 {
            let (a, b) = (t[k] as usize, t[(k + 1) % 3] as usize);
            let ratio = state.positions[a].distance(state.positions[b]) / flat[k].distance(flat[(k + 1) % 3]);
            ratios = [ratios[0].min(ratio), ratios[1].max(ratio)];
        }
    }
    ratios
}

/// FNV-1a over the bytes of positions and velocities.
pub fn digest(system: &System, state: &State) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for v in state.positions.iter().chain(&state.velocities).take(2 * system.masses().len()) {
        for byte in v.to_array().iter().flat_map(|c| c.to_le_bytes()) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}

/// Processor time of all threads of this process (s); 0 where the system does not say.
fn cpu_seconds() -> f64 {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return 0.0 };
    let nanoseconds = |entry: std::fs::DirEntry| -> Option<f64> {
        let text = std::fs::read_to_string(entry.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse().ok()
    };
    tasks.flatten().filter_map(nanoseconds).sum::<f64>() * 1e-9
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With ν = 0 the sheet moves as a chain. A dense double-precision chain of 20 links with the same membrane and bending, written
    /// separately in another language and solved to 1e-9 m in every step, ends at these places (m beyond, m below).
    #[test]
    fn tip_is_where_a_dense_chain_ends() {
        let cases = [
            // One linear solve depends on how the geometric stiffness is projected: a centimetre.
            ("semi-implicit", 0.8810, 0.3688, 0.01),
            ("backward-euler", 0.9305, 0.2974, 5e-4),
            ("bdf2", 0.8852, 0.1882, 5e-4),
        ];
        for (scheme, beyond, below, band) in cases {
            let task = Sheet { triangles: 800, scheme: scheme.into(), tolerance: Some(1e-3), ..Sheet::default() };
            let result = sheet(&task).unwrap();
            assert!((result.tip_beyond_m - beyond).abs() < band, "{scheme}: {result:?}");
            assert!((result.tip_below_m - below).abs() < band, "{scheme}: {result:?}");
            assert!(result.edge_ratio_max < 1.01);
        }
    }

    /// One and two threads give the same bytes: a mesh large enough to be divided, each scheme and a bending model with
    /// full blocks.
    #[test]
    fn threads_do_not_change_the_bytes() {
        for (scheme, bending) in
            [("semi-implicit", "midedge-quadratic"), ("backward-euler", "midedge"), ("bdf2", "midedge-quadratic")]
        {
            let task =
                Sheet { triangles: 5000, steps: 4, scheme: scheme.into(), bending: bending.into(), ..Sheet::default() };
            let digest = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| sheet(&task).unwrap().digest)
            };
            assert_eq!(digest(1), digest(2), "{scheme} {bending}");
        }
    }
}
