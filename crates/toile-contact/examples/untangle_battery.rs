//! What becomes of starts that cross: one line each.
//! `cargo run --release -p toile-contact --example untangle_battery [part of a name]`

#![allow(clippy::print_stdout)]

#[path = "../tests/battery/mod.rs"]
mod battery;

use std::time::Instant;

fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    let (mut parted, mut solvable) = (0, 0);
    for case in battery::cases().into_iter().filter(|c| c.name.contains(&filter)) {
        let start = Instant::now();
        let outcome = case.run();
        let ms = 1e3 * start.elapsed().as_secs_f64();
        let vertices = outcome.start.len();
        debug_assert_eq!(vertices, outcome.positions.len());
        solvable += usize::from(case.has_solution);
        let said = match (&outcome.result, &outcome.fault) {
            (Ok(u), None) => {
                parted += usize::from(case.has_solution);
                let [low, high] = u.edge_ratios;
                let (moved, gap) = (1e3 * u.moved_max, 1e3 * u.smallest_gap);
                format!(
                    "parted in {:3} rounds, moved {moved:5.1} mm, gap {gap:.2} mm, edges {low:.2}–{high:.2}",
                    u.iterations
                )
            }
            (Ok(_), Some(fault)) => format!("parted, but then: {fault}"),
            (Err(tangle), _) => format!("refused: {tangle}"),
        };
        println!("{:42} {vertices:5} vertices {:5} crossings {ms:7.0} ms  {said}", case.name, outcome.crossings_before);
    }
    println!("{parted} of {solvable} that can be parted are");
}
