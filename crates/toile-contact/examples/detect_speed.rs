//! Speed of the broad phase: a wavy, a draped and a crumpled sheet of 12 800 triangles above a ball.
//! `cargo run --release -p toile-contact --example detect_speed [threads] [repetitions] [scene]`

#![allow(clippy::print_stdout)]

use glam::{DVec2, DVec3};
use std::time::Instant;
use toile_contact::{Detector, Pruning, Shapes};

/// Cells along a side of the sheet of 1 m × 1 m.
const CELLS: u32 = 80;

fn main() {
    let arguments: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let threads = arguments.first().copied().unwrap_or(1);
    let repetitions = arguments.get(1).copied().unwrap_or(50);
    let scene = std::env::args().nth(3).unwrap_or_default();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
    pool.install(|| {
        for name in ["wavy", "draped", "crumpled"].into_iter().filter(|n| n.starts_with(&scene)) {
            measure(name, repetitions);
        }
    });
}

fn measure(name: &str, repetitions: usize) {
    let (flat, triangles) = grid();
    let mut shapes = Shapes::default();
    shapes.add("sheet", true, 0.0005, flat.len(), &triangles, &[]);
    shapes.add("ball", false, 0.25, 1, &[], &[]);
    let material: Vec<[DVec2; 3]> = triangles.iter().map(|t| t.map(|v| flat[v as usize])).collect();
    let mut x: Vec<DVec3> = flat.iter().map(|&p| place(name, p)).collect();
    let mut d: Vec<DVec3> = x.iter().map(|p| DVec3::new(0.0, -0.02, 0.002 * (9.0 * p.x).sin())).collect();
    x.push(DVec3::new(0.5, -0.26, 0.5));
    d.push(DVec3::ZERO);
    for (label, pruning) in
        [("no pruning", Pruning::None), ("normal cone", Pruning::NormalCone), ("monotone", Pruning::Monotone)]
    {
        let start = Instant::now();
        let mut detector = Detector::new(&shapes, &x, &material).with_pruning(pruning);
        let build = start.elapsed();
        let mut best = f64::INFINITY;
        let mut count = 0;
        for _ in 0..repetitions {
            let start = Instant::now();
            count = detector.detect(&shapes, &x, Some(&d), 0.003).len();
            best = best.min(start.elapsed().as_secs_f64());
        }
        let c = detector.candidates();
        println!(
            "{name:9} {label:12} build {:6.1} ms  detect {:7.3} ms  {count} pairs ({} vf, {} ee)",
            1e3 * build.as_secs_f64(),
            1e3 * best,
            c.vertex_face.len(),
            c.edge_edge.len()
        );
    }
}

fn place(name: &str, p: DVec2) -> DVec3 {
    let wave = |k: f64, p: DVec2| (k * p.x + 0.7 * k * p.y).sin() * (0.6 * k * p.y - 0.3 * k * p.x + 1.0).cos();
    match name {
        "wavy" => DVec3::new(p.x, 0.02 * wave(20.0, p), p.y),
        // Over a ball of 0.25 m about the middle, then down in six folds.
        "draped" => {
            let (q, r) = (p - 0.5, 0.25);
            let (s, angle) = (q.length(), q.y.atan2(q.x));
            let top = s.min(r * 1.2);
            let rest = s - top;
            let out = 0.3 + 0.3 * (6.0 * angle).cos();
            let radius = r * (top / r).sin() + rest * out;
            let height = r * (top / r).cos() - r - rest * (1.0 - out * out).sqrt();
            DVec3::new(0.5 + radius * angle.cos(), height, 0.5 + radius * angle.sin())
        }
        _ => {
            let height = 0.15 * wave(12.0, p) + 0.03 * wave(47.0, p) + 0.01 * wave(110.0, p);
            let q = p - 0.5;
            DVec3::new(0.5 + 0.35 * q.x + 0.08 * wave(23.0, p), height + 0.05, 0.5 + 0.35 * q.y + 0.08 * wave(31.0, p))
        }
    }
}

fn grid() -> (Vec<DVec2>, Vec<[u32; 3]>) {
    let n = CELLS;
    let place = |i, j| DVec2::new(f64::from(i), f64::from(j)) / f64::from(n);
    let flat = (0..=n).flat_map(|j| (0..=n).map(move |i| place(i, j))).collect();
    let mut triangles = Vec::new();
    for (i, j) in (0..n).flat_map(|j| (0..n).map(move |i| (i, j))) {
        let a = j * (n + 1) + i;
        let (b, c, d) = (a + 1, a + n + 1, a + n + 2);
        triangles.extend(if (i + j) % 2 == 0 { [[a, b, d], [a, d, c]] } else { [[a, b, c], [b, d, c]] });
    }
    (flat, triangles)
}
