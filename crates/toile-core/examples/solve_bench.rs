//! Speed of the linear solvers on a hanging sheet: `cargo run --release -p toile-core --example solve_bench [solver] [threads]`.
//!
//! A square of 1 m, 150 g/m², E = 1000 N/m, ν = 0, bending 8.3e-5 N·m falls from the horizontal, one edge fixed, in steps of
//! 10 ms of backward Euler. Printed for meshes of n × n cells: set-up of the
//! structure, set-up of the values and one iteration (best of all), iterations per solve to 3 % of a step of free fall, mean
//! time of a solve, and the end of the free edge, which should be 0.933 m beyond and 0.291 m below the fixed one.

#![allow(clippy::print_stdout)] // it is a program

use glam::{DMat3, DVec2, DVec3};
use std::sync::Arc;
use std::time::{Duration, Instant};
use toile_core::lane::Level;
use toile_core::linalg::{BlockMatrix, Layout, Operator, Pattern, Place, ScalarMatrix, Stop, build};
use toile_core::mesh::{Diagonal, Grid, Mesh, Topology};

const STEP: f64 = 0.01; // s
const STEPS: usize = 100;
const GRAVITY: f64 = 9.81; // m/s²
const TOLERANCE: f64 = 3e-2;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let name = arguments.first().map_or("multigrid", |s| s.as_str());
    let threads = arguments.get(1).and_then(|s| s.parse().ok()).unwrap_or(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a thread pool");
    println!("{name}, {threads} threads");
    println!(
        "cells triangles  structure ms  update ms  iteration ms  iterations  Newton  solve ms  tip beyond/below m"
    );
    for cells in arguments.get(2).and_then(|s| s.parse().ok()).map_or(vec![40, 80, 160, 320], |n| vec![n]) {
        pool.install(|| run(name, cells));
    }
}

fn run(name: &str, cells: usize) {
    let mut sheet = Sheet::new(cells);
    let start = Instant::now();
    let mut solver = build(name, &sheet.layout).expect("a known solver");
    let structure = start.elapsed();
    let n = sheet.x.len();
    let goal = TOLERANCE * STEP * GRAVITY * sheet.masses.iter().sum::<f64>().sqrt();
    let mut v = vec![DVec3::ZERO; n];
    let (mut updates, mut solves, mut cycles) = (Vec::new(), Vec::new(), Vec::new());
    let mut iterations = 0;
    for _ in 0..STEPS {
        let base: Vec<DVec3> = (0..n).map(|i| sheet.x[i] + v[i] * STEP).collect();
        let old = std::mem::replace(&mut sheet.x, base.clone());
        // Newton until one more cycle would not matter: the residual in the energy norm, 10 % of a step of free fall.
        for newton in 0..12 {
            let b = sheet.assemble(&base);
            let (a, mut dx) = (sheet.operator(), vec![[0.0f32; 3]; n]);
            let is_done = newton > 0 && solver.precondition(&a, &b, &mut dx).sqrt() <= 0.1 / TOLERANCE * goal;
            if !is_done {
                dx.fill([0.0; 3]);
                let start = Instant::now();
                solver.update(&a).expect("a positive definite matrix");
                updates.push(start.elapsed());
                let start = Instant::now();
                let report = solver.solve(&a, &b, &mut dx, Stop::at(goal, 1000)).expect("a solution");
                solves.push(start.elapsed());
                cycles.push(start.elapsed() / report.iterations as u32);
                iterations += report.iterations;
                assert!(report.converged, "{report:?}");
            }
            for (x, d) in sheet.x.iter_mut().zip(&dx) {
                *x += DVec3::from_array(d.map(f64::from));
            }
            if is_done {
                break;
            }
        }
        for i in 0..n {
            v[i] = (sheet.x[i] - old[i]) / STEP;
        }
    }
    let best = |times: &[Duration]| times.iter().min().map_or(0.0, |t| t.as_secs_f64() * 1e3);
    let mean = |times: &[Duration]| times.iter().sum::<Duration>().as_secs_f64() * 1e3 / times.len() as f64;
    let tip = sheet.x[n - 1 - cells / 2 * (cells + 1)];
    println!(
        "{cells:5} {:9}  {:12.1}  {:9.3}  {:12.3}  {:10.2}  {:6.2}  {:8.3}  {:.4} {:.4}",
        2 * cells * cells,
        structure.as_secs_f64() * 1e3,
        best(&updates),
        best(&cycles),
        iterations as f64 / solves.len() as f64,
        solves.len() as f64 / STEPS as f64,
        mean(&solves),
        -tip.x,
        -tip.y
    );
}

/// Mesh, state and matrices.
struct Sheet {
    mesh: Mesh,
    x: Vec<DVec3>,
    masses: Vec<f64>,
    lumped: Vec<f32>,
    blocks: BlockMatrix<f32>,
    /// Block of each pair of corners, ordered (1, 0), (2, 1), (0, 2).
    slots: Vec<[u32; 3]>,
    /// In `f64` for the forces: rounded entries would pull at a sheet that is merely displaced.
    bending: ScalarMatrix<f64>,
    layout: Layout<f32>,
}

impl Sheet {
    fn new(cells: usize) -> Self {
        let mesh = Grid { cells: [cells, cells], size: [1.0, 1.0], diagonal: Diagonal::Alternating }.mesh();
        let n = mesh.vertex_count();
        let pattern = Arc::new(Pattern::from_stencils(n, |visit| mesh.triangles.iter().for_each(|t| visit(t))));
        let slot = |a: u32, b: u32| pattern.slot(a, b).expect("a coupled pair");
        let slots = mesh.triangles.iter().map(|t| [slot(t[1], t[0]), slot(t[2], t[1]), slot(t[0], t[2])]).collect();
        let masses = mesh.lumped_masses(0.15);
        let bending = bending(&mesh, 8.3e-5);
        let single = |values: &[f64]| values.iter().map(|&v| v as f32).collect();
        let scalars = ScalarMatrix {
            pattern: bending.pattern.clone(),
            diagonal: single(&bending.diagonal),
            lower: single(&bending.lower),
        };
        let layout = Layout {
            blocks: pattern.clone(),
            scalars: Some(Arc::new(scalars)),
            free: mesh.positions.iter().map(|p| [f32::from(u8::from(p.x > 0.0)); 3]).collect(),
            places: mesh.positions.iter().map(|p| Some(Place { panel: 0, uv: [p.x, -p.z] })).collect(),
            simd: Level::detect(),
        };
        let lumped = masses.iter().map(|m| (m / (STEP * STEP)) as f32).collect();
        Self {
            x: mesh.positions.clone(),
            masses,
            lumped,
            blocks: BlockMatrix::zero(pattern),
            slots,
            bending,
            layout,
            mesh,
        }
    }

    fn operator(&self) -> Operator<'_, f32> {
        let scalars = self.layout.scalars.as_deref();
        Operator { blocks: &self.blocks, scalars, lumped: &self.lumped, pairs: &[], free: &self.layout.free }
    }

    /// Fills the matrix and returns the residual of the step whose inertial position is `base`.
    fn assemble(&mut self, base: &[DVec3]) -> Vec<[f32; 3]> {
        self.blocks.clear();
        let mut f: Vec<DVec3> = (0..base.len())
            .map(|i| self.masses[i] * (DVec3::new(0.0, -GRAVITY, 0.0) - (self.x[i] - base[i]) / (STEP * STEP)))
            .collect();
        for t in 0..self.mesh.triangles.len() {
            self.add_triangle(t, &mut f);
        }
        let s = &self.bending;
        for i in 0..f.len() {
            f[i] -= self.x[i] * s.diagonal[i];
            for k in s.pattern.row(i) {
                let j = s.pattern.columns[k] as usize;
                f[i] -= self.x[j] * s.lower[k];
                f[j] -= self.x[i] * s.lower[k];
            }
        }
        f.iter()
            .zip(&self.layout.free)
            .map(|(f, m)| [f.x as f32 * m[0], f.y as f32 * m[1], f.z as f32 * m[2]])
            .collect()
    }

    /// Linear membrane of Green strains, compressive stress left out of the geometric part.
    fn add_triangle(&mut self, t: usize, f: &mut [DVec3]) {
        let (corners, area) = (self.mesh.triangles[t], self.mesh.rest_area(t));
        let [a, b, c] = self.mesh.material[t];
        let turn = |d: DVec2| DVec2::new(-d.y, d.x) / (2.0 * area);
        let g = [turn(c - b), turn(a - c), turn(b - a)]; // gradients of the corner functions
        let p = corners.map(|v| self.x[v as usize]);
        let (xu, xv) = (g[0].x * p[0] + g[1].x * p[1] + g[2].x * p[2], g[0].y * p[0] + g[1].y * p[1] + g[2].y * p[2]);
        let strain = [0.5 * (xu.dot(xu) - 1.0), 0.5 * (xv.dot(xv) - 1.0), xu.dot(xv)];
        let stiffness = [1000.0, 1000.0, 500.0];
        let stress: [f64; 3] = std::array::from_fn(|m| area * stiffness[m] * strain[m]);
        let d = g.map(|g| [g.x * xu, g.y * xv, g.x * xv + g.y * xu]); // ∂ε/∂x of each corner
        for i in 0..3 {
            f[corners[i] as usize] -= d[i][0] * stress[0] + d[i][1] * stress[1] + d[i][2] * stress[2];
            for j in 0..=i {
                let geometric = stress[0].max(0.0) * g[i].x * g[j].x + stress[1].max(0.0) * g[i].y * g[j].y;
                let mut k = DMat3::from_diagonal(DVec3::splat(geometric));
                for m in 0..3 {
                    let e = d[j][m] * (area * stiffness[m]);
                    k += DMat3::from_cols(d[i][m] * e.x, d[i][m] * e.y, d[i][m] * e.z);
                }
                self.add_block(t, (i, j), corners, &k);
            }
        }
    }

    fn add_block(&mut self, t: usize, (i, j): (usize, usize), corners: [u32; 3], k: &DMat3) {
        let rows = if corners[i] >= corners[j] { k.transpose() } else { *k }.to_cols_array();
        let to = match (i, j) {
            _ if i == j => &mut self.blocks.diagonal[corners[i] as usize],
            (1, 0) => &mut self.blocks.lower[self.slots[t][0] as usize],
            (2, 1) => &mut self.blocks.lower[self.slots[t][1] as usize],
            _ => &mut self.blocks.lower[self.slots[t][2] as usize],
        };
        to.iter_mut().zip(rows).for_each(|(to, v)| *to += v as f32);
    }
}

/// Quadratic bending of flat rest shapes: per inner edge ½ (3 B/A) |Σ w x|², weights from the cotangents beside the edge.
fn bending(mesh: &Mesh, rigidity: f64) -> ScalarMatrix<f64> {
    let topology = Topology::new(mesh).expect("a sound mesh");
    let flat = |v: u32| DVec2::new(mesh.positions[v as usize].x, -mesh.positions[v as usize].z);
    let cot = |at: u32, a: u32, b: u32| {
        let (p, q) = (flat(a) - flat(at), flat(b) - flat(at));
        p.dot(q) / p.perp_dot(q).abs()
    };
    let inner: Vec<_> = topology.edges.iter().filter(|e| e.triangles[1] != Topology::NONE).collect();
    let stencil = |e: &toile_core::mesh::Edge| [e.vertices[0], e.vertices[1], e.opposite[0], e.opposite[1]];
    let n = mesh.vertex_count();
    let pattern = Arc::new(Pattern::from_stencils(n, |visit| inner.iter().for_each(|e| visit(&stencil(e)))));
    let mut matrix = ScalarMatrix { diagonal: vec![0.0; n], lower: vec![0.0; pattern.columns.len()], pattern };
    for e in inner {
        let [a, b, c, d] = stencil(e);
        let (ac, ad, bc, bd) = (cot(a, b, c), cot(a, b, d), cot(b, a, c), cot(b, a, d));
        let w = [bc + bd, ac + ad, -ac - bc, -ad - bd];
        let area: f64 = e.triangles.iter().map(|&t| mesh.rest_area(t as usize)).sum();
        let corners = [a, b, c, d];
        for i in 0..4 {
            matrix.diagonal[corners[i] as usize] += 3.0 * rigidity / area * w[i] * w[i];
            for j in 0..i {
                let slot = matrix.pattern.slot(corners[i], corners[j]).expect("a coupled pair") as usize;
                matrix.lower[slot] += 3.0 * rigidity / area * w[i] * w[j];
            }
        }
    }
    matrix
}
