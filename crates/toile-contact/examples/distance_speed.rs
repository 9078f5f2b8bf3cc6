//! How long a closest pair takes: `cargo run --release -p toile-contact --example distance_speed`.
#![allow(clippy::print_stdout)]

use glam::DVec3;
use std::hint::black_box;
use std::time::Instant;
use toile_contact::distance;

fn main() {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut point = || DVec3::new(next(), next(), next());
    let pairs: Vec<[DVec3; 4]> = (0..4096).map(|_| [point(), point(), point(), point()]).collect();
    let time = |name: &str, f: &dyn Fn(&[DVec3; 4]) -> f64| {
        let mut best = f64::INFINITY;
        for _ in 0..50 {
            let start = Instant::now();
            for pair in &pairs {
                black_box(f(black_box(pair)));
            }
            best = best.min(start.elapsed().as_secs_f64() / pairs.len() as f64);
        }
        println!("{name:12} {:6.1} ns", best * 1e9);
    };
    time("vertex-face", &|[p, a, b, c]| distance::vertex_face(*p, [*a, *b, *c]).distance);
    time("edge-edge", &|[a, b, c, d]| distance::edge_edge([*a, *b], [*c, *d]).distance);
    time("vertex-edge", &|[p, a, b, _]| distance::vertex_edge(*p, [*a, *b]).distance);
    time("box gap", &|x| distance::box_gap_squared(&x[..1], &x[1..]));
    time("crossing", &|[a, b, c, d]| distance::crossing([*a, *b], [*c, *d]).sine_squared);
}
