//! Prints queries of continuous collision detection and our answers, one a line, for comparison with other programs:
//! `cargo run --release -p toile-contact --example ccd_queries -- 1000 > queries.csv` (the number is per family).
//!
//! Columns: family, kind (`vf` or `ee`), ξ, the 12 coordinates at time 0, the 12 at time 1, keep, our time (empty: no impact).
#![allow(clippy::print_stdout)]

use toile_contact::ccd::families::FAMILIES;
use toile_contact::ccd::{Kind, time_of_impact};

fn main() {
    let count = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1000u64);
    let keep = 1e-7;
    for family in FAMILIES {
        for query in (0..count).map(|index| family.query(1, index)) {
            let kind = match query.kind {
                Kind::VertexFace => "vf",
                Kind::EdgeEdge => "ee",
                Kind::VertexEdge | Kind::VertexVertex => continue,
            };
            // The other program is given both ends of the way: let ours be the way between these, too.
            let ends = [0, 1, 2, 3].map(|i| query.x[i] + query.d[i]);
            let d = [0, 1, 2, 3].map(|i| ends[i] - query.x[i]);
            let time = time_of_impact(&toile_contact::ccd::Query { d, ..query }, keep, 1.0);
            let numbers: Vec<String> =
                query.x.iter().chain(&ends).flat_map(|p| p.to_array()).map(|x| format!("{x:?}")).collect();
            let time = time.map(|t| format!("{t:?}")).unwrap_or_default();
            println!("{},{kind},{:?},{},{keep:?},{time}", family.name, query.offset, numbers.join(","));
        }
    }
}
