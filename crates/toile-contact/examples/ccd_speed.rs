//! How long a query of continuous collision detection takes, by family and reserve:
//! `cargo run --release -p toile-contact --example ccd_speed`.
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::Instant;
use toile_contact::ccd::families::FAMILIES;
use toile_contact::ccd::{Query, time_of_impact};

fn main() {
    println!("{:16} {:>10} {:>10} {:>10}   ns a query at keep", "family", 0.2, 1e-2, 1e-6);
    for family in FAMILIES {
        let queries: Vec<Query> = (0..3000).map(|index| family.query(1, index)).collect();
        let time = |keep: f64| {
            let mut best = f64::INFINITY;
            for _ in 0..20 {
                let start = Instant::now();
                for query in &queries {
                    black_box(time_of_impact(black_box(query), keep, 1.0));
                }
                best = best.min(start.elapsed().as_secs_f64() / queries.len() as f64);
            }
            best * 1e9
        };
        println!("{:16} {:10.0} {:10.0} {:10.0}", family.name, time(0.2), time(1e-2), time(1e-6));
    }
}
