//! Speed of the renderer: `cargo run --release -p toile --example render_bench [threads] [triangles]`.
//!
//! A pleated sheet of about 100 000 triangles, 1280 × 960 pixels, 2 × 2 samples; the best of five pictures is printed.

#![allow(clippy::print_stdout)] // it is a program

use std::error::Error;
use std::time::Instant;
use toile::render::{Drawn, Paint, View, still};
use toile_core::mesh::{Diagonal, Grid};
use toile_io::surface::Surface;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let threads = arguments.next().map_or(Ok(1), |n| n.parse())?;
    let wanted: f64 = arguments.next().map_or(Ok(1e5), |n| n.parse())?;
    let cells = (0.5 * wanted).sqrt().round().max(1.0) as usize;
    let mut mesh = Grid { cells: [cells, cells], size: [1.0, 1.0], diagonal: Diagonal::Alternating }.mesh();
    for p in &mut mesh.positions {
        p.y = 0.05 * (40.0 * p.x).sin() * (1.0 + p.z) + 0.03 * (17.0 * p.z + 5.0 * p.x).cos();
    }
    let surface = Surface { mesh, colour: [0.24, 0.33, 0.50], ..Surface::default() };
    let sheet = Drawn::new(&surface, &surface.mesh.positions, Paint::Fabric);
    let view = View { floor: Some(-0.3), ..View::default() };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        pool.install(|| still(&[sheet], &view))?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("{} triangles, {threads} threads: {best:.3} s", surface.mesh.triangles.len());
    Ok(())
}
