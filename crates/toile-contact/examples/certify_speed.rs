//! How long the certificate takes on one thread: `cargo run --release -p toile-contact --example certify_speed`.
#![allow(clippy::print_stdout)]

use glam::DVec3;
use std::time::Instant;
use toile_contact::{Shapes, certify};

fn main() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread");
    type Place = fn(f64, f64) -> DVec3;
    let states: [(&str, Place); 4] = [
        ("flat", |u, v| DVec3::new(u, 0.0, v)),
        ("tilted", |u, v| DVec3::new(u, 0.3 * u + 0.77 * v + 1.1, 0.9 * v)),
        ("wavy", |u, v| DVec3::new(u, 0.05 * (20.0 * u).sin() * (17.0 * v).cos(), v)),
        ("eight layers", |u, v| {
            let (layer, t) = ((8.0 * u).floor(), (8.0 * u).fract());
            let back = if layer as i32 % 2 == 0 { t } else { 1.0 - t };
            DVec3::new(0.125 * back + 0.01 * (9.0 * v).sin(), 0.002 * (layer + t), v)
        }),
    ];
    for n in [80usize, 160] {
        let id = |i: usize, j: usize| (i * (n + 1) + j) as u32;
        let cells = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        let halves = |(i, j)| [[id(i, j), id(i + 1, j), id(i + 1, j + 1)], [id(i, j), id(i + 1, j + 1), id(i, j + 1)]];
        let triangles: Vec<[u32; 3]> = cells.flat_map(halves).collect();
        let mut shapes = Shapes::default();
        shapes.add("sheet", true, 1e-4, (n + 1) * (n + 1), &triangles, &[]);
        shapes.add("ball", false, 0.25, 1, &[], &[]);
        for (name, place) in states {
            let at = |k: usize| place((k / (n + 1)) as f64 / n as f64, (k % (n + 1)) as f64 / n as f64);
            let mut positions: Vec<DVec3> = (0..(n + 1) * (n + 1)).map(at).collect();
            positions.push(DVec3::new(0.5, -0.31, 0.5));
            let mut best = f64::INFINITY;
            let mut certificate = None;
            for _ in 0..5 {
                let start = Instant::now();
                certificate = Some(pool.install(|| certify(&shapes, &positions)));
                best = best.min(start.elapsed().as_secs_f64());
            }
            let verdict = certificate.map(|c| c.to_string()).unwrap_or_default();
            let first = verdict.lines().next().unwrap_or_default();
            println!("{:6} triangles, {name:12} {:7.1} ms   {first}", triangles.len(), best * 1e3);
        }
    }
}
