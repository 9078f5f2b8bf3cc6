//! S0-11: cost of a hanging sheet over mesh size and membrane model. Source: Volino09 Fig. 11, §4.3.
//!
//! 1 m × 1 m, E = 1000 N/m, ν = 0, one edge fixed, horizontal start, backward Euler with steps of 10 ms. The paper found time in
//! proportion to elements, 15 % more than edge springs, half that of the corotational model, 10 % more for nonlinear curves, and
//! 10 to 15 iterations of conjugate gradients per step. Iterations and answers are judged always. Times depend on the
//! machine and what else it does: they are reported, and judged only with `timing=judged`.

use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::bench::{Sheet, SheetResult, sheet};
use crate::plot::{Axis, Plot, Series, Style};

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S0-11",
    title: "cost of a hanging sheet over mesh size and membrane model",
    source: "Volino09 Fig. 11",
    parameters: &[
        Parameter::number(
            "smallest",
            800.0,
            [200.0, 1e6],
            "–",
            "triangles of the coarsest mesh; then four and sixteen times as many",
        ),
        Parameter::number("meshes", 2.0, [2.0, 5.0], "–", "number of meshes"),
        Parameter::number("steps", 100.0, [5.0, 1000.0], "–", "steps of 10 ms"),
        Parameter::number("repeat", 1.0, [1.0, 20.0], "–", "runs per mesh; the fastest counts"),
        Parameter::word("timing", &["reported", "judged"], "whether times have to meet their bands"),
    ],
    run,
};

/// Model, curves instead of the linear law, name in the figure.
const MODELS: [(&str, bool, &str); 5] = [
    ("green", false, "Green–Lagrange"),
    ("edge-springs", false, "edge springs"),
    ("corotational", false, "corotational"),
    ("length", false, "length"),
    ("green", true, "Green–Lagrange, curves"),
];

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let sizes: Vec<usize> = (0..settings.count("meshes")).map(|k| settings.count("smallest") << (2 * k)).collect();
    let mut table: Vec<Vec<SheetResult>> = Vec::new();
    // Times are those of one thread: threads that wait for work count as time too.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.map_err(|e| ExperimentError::Failed(e.to_string()))?;
    for (membrane, curves, _) in MODELS {
        let one = |&triangles: &usize| {
            let (steps, repeat) = (settings.count("steps"), settings.count("repeat"));
            let task = Sheet { triangles, steps, repeat, membrane: membrane.into(), curves, ..Sheet::default() };
            pool.install(|| sheet(&task)).map_err(|e| ExperimentError::Failed(e.to_string()))
        };
        table.push(sizes.iter().map(one).collect::<Result<_, _>>()?);
    }
    let judged = settings.word("timing") == "judged";
    let mut checks = Vec::new();
    for (results, (_, _, name)) in table.iter().zip(MODELS) {
        for r in results {
            let per_step = r.iterations_per_solve * r.newton_per_step;
            let quantity = format!("linear iterations per step, {name}, {} triangles", r.triangles);
            checks.push(Check::against(quantity, per_step, "–", 30.0, Tolerance::AtMost));
        }
        checks.push(timed(format!("exponent of time over triangles, {name}"), exponent(results), 1.2, judged));
    }
    if settings.count("steps") == 100 {
        // Converged backward Euler; the coarse meshes of this experiment are within 1 cm of the limit.
        for (what, value, reference) in
            [("beyond", table[0][0].tip_beyond_m, 0.9327), ("below", table[0][0].tip_below_m, 0.2912)]
        {
            checks.push(Check::against(
                format!("tip {what} the edge after 1 s"),
                value,
                "m",
                reference,
                Tolerance::Absolute(0.01),
            ));
        }
    }
    let last = |k: usize| table[k].last().map_or(f64::NAN, |r| r.cpu_seconds);
    checks.push(timed("time over that of edge springs".into(), last(0) / last(1), 1.3, judged));
    checks.push(Check::report("time of corotational over Green–Lagrange (the paper: 2)", last(2) / last(0), "–"));
    checks.push(Check::report("time with curves over linear (the paper: 1.1)", last(4) / last(0), "–"));
    let series = table.iter().zip(MODELS).map(|(results, (_, _, name))| {
        Series::new(name, Style::Line, results.iter().map(|r| [r.triangles as f64, r.cpu_seconds]).collect())
    });
    let plot = Plot {
        title: "Cost of 100 steps of a hanging sheet".into(),
        x: Axis::log("triangles (–)"),
        y: Axis::log("processor time (s)"),
        series: series.collect(),
        is_equal: false,
    };
    Ok(Outcome { checks, plots: vec![("time".into(), plot.into())], notes: Vec::new() })
}

fn timed(quantity: String, value: f64, most: f64, judged: bool) -> Check {
    if judged {
        Check::against(quantity, value, "–", most, Tolerance::AtMost)
    } else {
        Check::report(quantity, value, "–")
    }
}

/// Slope of log time over log triangles, between the coarsest and the finest mesh.
fn exponent(results: &[SheetResult]) -> f64 {
    let (Some(a), Some(b)) = (results.first(), results.last()) else { return f64::NAN };
    (b.cpu_seconds / a.cpu_seconds).ln() / (b.triangles as f64 / a.triangles as f64).ln()
}
