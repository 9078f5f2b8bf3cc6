//! `toile bench`: speed on fixed tasks.

use crate::Common;
use crate::output::{Failure, Output, progress};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use toile::bench::BenchError;
use toile::bench::{self, Common as Contact, ContactResult, Sheet, SheetResult, Sphere, StepRow, Tell, Twist, sheet};
use toile_core::lane::Level;
use toile_core::membrane::MEMBRANES;

/// Measure speed on a fixed task, with its answer
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(clap::Subcommand)]
enum Task {
    /// A square metre hung by an edge and let go (Volino09 Fig. 11)
    Sheet(SheetArguments),
    /// A square metre dropped on a ball, every step certified
    Sphere(SphereArguments),
    /// A square metre whose opposite edges are turned against each other, every step certified
    Twist(TwistArguments),
}

#[derive(clap::Args)]
struct SphereArguments {
    /// Triangles. A list runs one after the other
    #[arg(long, value_delimiter = ',', default_value = "12800")]
    triangles: Vec<usize>,
    /// Unstructured mesh instead of a grid
    #[arg(long)]
    unstructured: bool,
    /// The ball as a mesh of 2048 triangles
    #[arg(long)]
    meshed_ball: bool,
    #[command(flatten)]
    contact: ContactArguments,
    /// Simulated seconds
    #[arg(long, default_value_t = 2.0)]
    duration_s: f64,
}

#[derive(clap::Args)]
struct TwistArguments {
    /// Triangles. A list runs one after the other
    #[arg(long, value_delimiter = ',', default_value = "3200")]
    triangles: Vec<usize>,
    /// Full turns of each edge
    #[arg(long, default_value_t = 2.0)]
    turns: f64,
    /// How far the edges may approach each other, in millimetres, to keep the cloth within `--longest`
    #[arg(long, default_value_t = 0.0)]
    approach_mm: f64,
    /// Longest edge over its rest length that the edges approach to avoid
    #[arg(long, default_value_t = 1.05)]
    longest: f64,
    #[command(flatten)]
    contact: ContactArguments,
    /// Simulated seconds; 2 for each turn by default
    #[arg(long)]
    duration_s: Option<f64>,
}

#[derive(clap::Args)]
struct ContactArguments {
    /// Length of a step in milliseconds
    #[arg(long, default_value_t = 20.0)]
    step_ms: f64,
    /// Membrane modulus in N/m
    #[arg(long, default_value_t = 1000.0)]
    stiffness: f64,
    /// Strain measure of the membrane; green for the sphere, symmetric for the twist by default
    #[arg(long)]
    membrane: Option<String>,
    /// Bending rigidity in N·m
    #[arg(long, default_value_t = 8.3e-5)]
    bending: f64,
    /// Thickness of the cloth in millimetres
    #[arg(long, default_value_t = 0.0)]
    thickness_mm: f64,
    /// Friction coefficient
    #[arg(long, default_value_t = 0.3)]
    friction: f64,
    /// What keeps cloth apart: barriers in the step, or corrections after it
    #[arg(long, value_enum, default_value_t = Response::Barrier)]
    response: Response,
    /// Scheme: backward-euler or bdf2 with barriers, any with corrections
    #[arg(long, default_value = "backward-euler")]
    scheme: String,
    /// Newton tolerance in steps of free fall
    #[arg(long, default_value_t = 0.2)]
    tolerance: f64,
    /// Distance in millimetres within which cloth feels what is near
    #[arg(long, default_value_t = 2.0)]
    reach_mm: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Response {
    Barrier,
    Geometric,
}

impl ContactArguments {
    fn common(&self, duration: f64, membrane: &str) -> Contact {
        Contact {
            duration,
            step: 1e-3 * self.step_ms,
            stiffness: self.stiffness,
            membrane: self.membrane.clone().unwrap_or_else(|| membrane.into()),
            bending: self.bending,
            thickness: 1e-3 * self.thickness_mm,
            friction: self.friction,
            scheme: self.scheme.clone(),
            tolerance: self.tolerance,
            reach: 1e-3 * self.reach_mm,
            geometric: self.response == Response::Geometric,
        }
    }
}

#[derive(clap::Args)]
struct SheetArguments {
    /// Triangles; the nearest square grid is taken. A list runs one after the other
    #[arg(long, value_delimiter = ',', default_value = "12800")]
    triangles: Vec<usize>,
    /// Steps
    #[arg(long, default_value_t = 100)]
    steps: usize,
    /// Length of a step in milliseconds
    #[arg(long, default_value_t = 10.0)]
    step_ms: f64,
    /// Membrane model, or `all` for the table of models
    #[arg(long, default_value = "green")]
    membrane: String,
    /// Bending model
    #[arg(long, default_value = "midedge-quadratic")]
    bending: String,
    /// Stiffening curves instead of the linear law
    #[arg(long)]
    curves: bool,
    /// Scheme
    #[arg(long, default_value = "backward-euler")]
    scheme: String,
    /// Linear solver
    #[arg(long, default_value = "auto")]
    solver: String,
    /// Instruction level: scalar, avx2, avx512
    #[arg(long)]
    simd: Option<String>,
    /// Newton tolerance in steps of free fall
    #[arg(long)]
    tolerance: Option<f64>,
    /// Runs; the fastest counts
    #[arg(long, default_value_t = 1)]
    repeat: usize,
}

pub(crate) fn run(arguments: &Arguments, common: &Common, output: &mut Output) -> Result<(), Failure> {
    match &arguments.task {
        Task::Sheet(a) => run_sheet(a, output),
        Task::Sphere(a) => contact_table(output, common, &a.triangles, |triangles, tell| {
            let common = a.contact.common(a.duration_s, "green");
            bench::sphere(&Sphere { triangles, unstructured: a.unstructured, meshed_ball: a.meshed_ball, common }, tell)
        }),
        Task::Twist(a) if !(a.longest > 1.0) => {
            Err(Failure::input(format!("--longest {}: expected more than 1", a.longest)))
        }
        Task::Twist(a) => contact_table(output, common, &a.triangles, |triangles, tell| {
            // Green's strain lets the rope crush threads to a tenth of their length, for next to no force.
            let common = a.contact.common(a.duration_s.unwrap_or(2.0 * a.turns), "symmetric");
            let approach = 1e-3 * a.approach_mm;
            bench::twist(&Twist { triangles, turns: a.turns, approach, longest: a.longest, common }, tell)
        }),
    }
}

/// Runs a task with contact for each size. With a folder, every step goes to its `steps.jsonl` as it is done: a run of hours that is
/// stopped has not been for nothing.
fn contact_table(
    output: &mut Output,
    common: &Common,
    sizes: &[usize],
    task: impl Fn(usize, Tell) -> Result<ContactResult, BenchError>,
) -> Result<(), Failure> {
    let mut costs = Vec::new();
    let mut steps = common.output.as_deref().map(steps_file).transpose()?;
    for &triangles in sizes {
        check_triangles(triangles)?;
        let bar = progress(0);
        let mut lost = None;
        let result = task(triangles, &mut |row| {
            bar.set_length(row.steps as u64);
            bar.set_position(row.step as u64);
            if let Some(Err(error)) = steps.as_mut().map(|file| write_row(file, row)) {
                lost = Some(error);
            }
        })
        .map_err(Failure::input)?;
        if let Some(error) = lost {
            return Err(Failure::failed(format!("steps.jsonl: {error}")));
        }
        bar.finish_and_clear();
        costs.push((result.triangles as f64, result.cpu_s_per_simulated_s));
        if output.json {
            output.record(&result)?;
        } else {
            output.line(contact_row(&result))?;
        }
        if let Some(failure) = result.failure {
            return Err(Failure::failed(format!("{} of {triangles} triangles ended early: {failure}", result.task)));
        }
    }
    if !output.json && costs.len() > 1 {
        output.line(format!("cost grows as triangles^{:.2}", exponent(&costs)))?;
    }
    Ok(())
}

fn steps_file(folder: &Path) -> Result<File, Failure> {
    let path = folder.join("steps.jsonl");
    let made = std::fs::create_dir_all(folder).and_then(|()| File::create(&path));
    made.map_err(|error| Failure::input(format!("{}: {error}", path.display())))
}

fn write_row(file: &mut File, row: &StepRow) -> std::io::Result<()> {
    writeln!(file, "{}", serde_json::to_string(row)?)
}

fn contact_row(r: &ContactResult) -> String {
    let p = &r.phases;
    let mut text = format!(
        "{} {} triangles, {} steps of {} ms on {} threads: {:.3} CPU s per simulated s\n  \
         intersections {}, unconverged {}, cut {}, edges {:.4}-{:.4}, least gap {:.4} mm\n  \
         newton {:.2} per step (at most {}), cg {:.1} per solve, detections {:.2} per step, touches {} (cloth-cloth {})\n  \
         forces {:.3} assembly {:.3} setup {:.3} solve {:.3} contact {:.3} detection {:.3} other {:.3} s, detection {:.1} %",
        r.task,
        r.triangles,
        r.steps,
        1e3 * r.step_s,
        r.threads,
        r.cpu_s_per_simulated_s,
        r.intersections,
        r.unconverged_steps,
        r.cut_steps,
        r.edge_ratio_min,
        r.edge_ratio_max,
        r.min_gap_mm,
        r.newton_per_step,
        r.newton_max,
        r.iterations_per_solve,
        r.detections_per_step,
        r.touches_max,
        r.self_touches_max,
        p.forces,
        p.assembly,
        p.setup,
        p.solve,
        p.contact,
        p.detection,
        p.other,
        100.0 * r.detection_share
    );
    if let Some(gap) = r.vertex_gap_mm {
        text += &format!("\n  least distance of a vertex to the ball {gap:.3} mm");
    }
    text
}

fn check_triangles(triangles: usize) -> Result<(), Failure> {
    if (2..=20_000_000).contains(&triangles) {
        return Ok(());
    }
    Err(Failure::input(format!("--triangles {triangles}: expected 2 to 20000000")))
}

/// Slope of the last against the first in logarithms.
fn exponent(costs: &[(f64, f64)]) -> f64 {
    let (first, last) = (costs[0], costs[costs.len() - 1]);
    (last.1 / first.1).ln() / (last.0 / first.0).ln()
}

fn run_sheet(a: &SheetArguments, output: &mut Output) -> Result<(), Failure> {
    let level = match &a.simd {
        None => Level::detect(),
        Some(name) => Level::by_name(name)
            .ok_or_else(|| Failure::input(format!("this machine has no instruction level \"{name}\"")))?,
    };
    if !output.json {
        output.line(HEADER)?;
    }
    let all = a.membrane == "all";
    let mut exponents = Vec::new();
    for &triangles in &a.triangles {
        check_triangles(triangles)?;
        let base = Sheet {
            triangles,
            steps: a.steps,
            step: a.step_ms * 1e-3,
            membrane: a.membrane.clone(),
            bending: a.bending.clone(),
            curves: a.curves,
            scheme: a.scheme.clone(),
            solver: a.solver.clone(),
            level,
            tolerance: a.tolerance,
            repeat: a.repeat,
        };
        let mut tasks = vec![base.clone()];
        if all {
            let models = MEMBRANES.iter().filter(|m| m.name != "particle");
            tasks = models.map(|m| Sheet { membrane: m.name.into(), ..base.clone() }).collect();
            tasks.push(Sheet { membrane: "green".into(), curves: true, ..base });
        }
        for task in tasks {
            let result = sheet(&task).map_err(Failure::input)?;
            exponents.push((result.triangles as f64, result.seconds));
            if output.json {
                output.record(&result)?;
            } else {
                output.line(row(&result))?;
            }
        }
    }
    if !output.json && !all && exponents.len() > 1 {
        output.line(format!("cost grows as triangles^{:.2}", exponent(&exponents)))?;
    }
    Ok(())
}

const HEADER: &str = "triangles  membrane      law     scheme          threads  seconds   cpu s  el·steps/s  newton  cg/solve   beyond    below  forces assembly  setup  solve  other";

fn row(r: &SheetResult) -> String {
    let p = &r.phases;
    format!(
        "{:>9}  {:<12}  {:<6}  {:<14}  {:>7}  {:>7.3} {:>7.3}  {:>10.0}  {:>6.2}  {:>8.2}  {:>7.4}  {:>7.4}  {:>6.3} {:>8.3} {:>6.3} {:>6.3} {:>6.3}",
        r.triangles,
        r.membrane,
        r.law,
        r.scheme,
        r.threads,
        r.seconds,
        r.cpu_seconds,
        r.element_steps_per_s,
        r.newton_per_step,
        r.iterations_per_solve,
        r.tip_beyond_m,
        r.tip_below_m,
        p.forces,
        p.assembly,
        p.setup,
        p.solve,
        p.other
    )
}
