//! `toile bench`: speed on fixed tasks.

use crate::Common;
use crate::output::{Failure, Output};
use toile::bench::{Sheet, SheetResult, sheet};
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

pub(crate) fn run(arguments: &Arguments, _common: &Common, output: &mut Output) -> Result<(), Failure> {
    let Task::Sheet(a) = &arguments.task;
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
        if !(2..=20_000_000).contains(&triangles) {
            return Err(Failure::input(format!("--triangles {triangles}: expected 2 to 20000000")));
        }
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
        let (first, last) = (exponents[0], exponents[exponents.len() - 1]);
        let exponent = (last.1 / first.1).ln() / (last.0 / first.0).ln();
        output.line(format!("cost grows as triangles^{exponent:.2}"))?;
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
