//! Pictures of simulated cloth: `cargo run --release -p toile --example render_demo FOLDER [cells]`.
//!
//! Two sheets of 0.8 m fall for two seconds, one hung from five points that come together, one lying on a round table. Every paint is shown,
//! fabrics of three colours, a turntable (animated PNG and GIF) and a strip in time.

#![allow(clippy::print_stdout)] // it is a program

use glam::DVec3;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;
use toile::render::{Camera, Drawn, Image, Paint, View, apng, gif, still, strip, turntable};
use toile_core::fabric::Fabric;
use toile_core::integrate::{Integrator, Options};
use toile_core::mesh::{Diagonal, Grid, Mesh};
use toile_core::system::{Builder, Key, Motion};
use toile_io::surface::{Field, On, Surface};

const SIDE: f64 = 0.8; // m
const TABLE: f64 = 0.19; // m, radius
const STEP: f64 = 0.01; // s
const STEPS: usize = 200;
const INDIGO: [f32; 3] = [0.24, 0.33, 0.50];
const COTTON: [f32; 3] = [0.92, 0.91, 0.89];
const SILK: [f32; 3] = [0.66, 0.06, 0.10];

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A simulated sheet: positions at every tenth of a second, and the strain at the end.
struct Fall {
    surface: Surface,
    frames: Vec<Vec<DVec3>>,
    strain: Field,
}

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("a folder for the pictures is needed")?);
    let cells = arguments.next().map_or(Ok(90), |n| n.parse())?;
    std::fs::create_dir_all(&folder)?;
    let curtain = curtain(cells)?;
    let table = tablecloth(cells)?;
    paints(&folder, &curtain, &table)?;
    colours(&folder, &curtain, &table)?;
    in_time(&folder, &curtain)?;
    Ok(())
}

fn save(folder: &Path, name: &str, bytes: &[u8]) -> Outcome<()> {
    toile_io::atomic::write_atomically(folder.join(name), bytes)?;
    println!("{name}: {} kB", bytes.len() / 1000);
    Ok(())
}

fn draw(folder: &Path, name: &str, make: impl FnOnce() -> Result<Image, toile::render::RenderError>) -> Outcome<()> {
    let start = Instant::now();
    let image = make()?;
    println!("{name} drawn in {:.2} s", start.elapsed().as_secs_f64());
    save(folder, name, &image.png()?)
}

fn view(azimuth_deg: f64, elevation_deg: f64, floor: f64) -> View {
    let camera = Camera::Orbit { azimuth_deg, elevation_deg, distance: None };
    View { camera, size: [960, 960], floor: Some(floor), ..View::default() }
}

/// Hangs from five points of its upper edge, which come together.
fn curtain(cells: usize) -> Outcome<Fall> {
    let holds: Vec<_> = (0..5).map(|k| SIDE * (f64::from(k) / 4.0 - 0.5)).collect();
    let reach = 0.51 * SIDE / cells as f64;
    let at = |x: f64| move |p: DVec3| (p.x - x).abs() < reach && p.y > 0.5 * SIDE - 1e-6;
    let inward =
        |x: f64| Motion::Keys(vec![Key::shift(0.0, DVec3::ZERO), Key::shift(1.0, DVec3::new(-0.35 * x, 0.0, 0.0))]);
    let places: Vec<_> = holds.iter().map(|&x| (at(x), inward(x))).collect();
    let holds: Vec<Hold> =
        places.iter().map(|(place, motion)| (place as &dyn Fn(DVec3) -> bool, motion.clone())).collect();
    let mut mesh = sheet(cells);
    for p in &mut mesh.positions {
        *p = DVec3::new(p.x, -p.z, p.y);
    }
    fall(mesh, &holds)
}

/// Lies on a round table.
fn tablecloth(cells: usize) -> Outcome<Fall> {
    fall(sheet(cells), &[(&|p: DVec3| p.length() < TABLE, Motion::Still)])
}

type Hold<'a> = (&'a dyn Fn(DVec3) -> bool, Motion);

fn fall(mesh: Mesh, holds: &[Hold]) -> Outcome<Fall> {
    let start = Instant::now();
    let fabric = Fabric::isotropic(500.0, 0.3, 1e-5, 0.15)?;
    let mut builder = Builder::new(&mesh, &fabric).bending("midedge-quadratic");
    for (k, (place, _)) in holds.iter().enumerate() {
        builder = builder.pin(&format!("hold {k}"), mesh.vertices_where(place));
    }
    let mut system = builder.build()?;
    for (k, (_, motion)) in holds.iter().enumerate() {
        system.set_motion(k, motion.clone());
    }
    let mut integrator = Integrator::new(&system, Options::named("backward-euler").ok_or("no such scheme")?)?;
    let mut state = system.initial_state();
    let mut frames = vec![state.positions[..mesh.vertex_count()].to_vec()];
    for step in 1..=STEPS {
        integrator.step(&system, &mut state, STEP)?;
        if step % 10 == 0 {
            frames.push(state.positions[..mesh.vertex_count()].to_vec());
        }
    }
    let values = system.triangle_states(&state).iter().map(|s| s.strain[1] as f32).collect();
    let strain = Field { name: "strain_warp".into(), unit: "–".into(), on: On::Triangles, values };
    println!("{} triangles, {STEPS} steps in {:.1} s", mesh.triangles.len(), start.elapsed().as_secs_f64());
    Ok(Fall { surface: Surface { name: "sheet".into(), mesh, colour: INDIGO, ..Surface::default() }, frames, strain })
}

/// A square round the origin, very slightly uneven so that it may buckle.
fn sheet(cells: usize) -> Mesh {
    let mut mesh = Grid { cells: [cells, cells], size: [SIDE, SIDE], diagonal: Diagonal::Alternating }.mesh();
    let middle = mesh.positions.iter().sum::<DVec3>() / mesh.vertex_count() as f64;
    for p in &mut mesh.positions {
        *p -= middle;
        p.y += 2e-4 * ((31.0 * p.x).sin() * (23.0 * p.z).cos() + (13.0 * p.x + 17.0 * p.z).sin());
    }
    mesh
}

fn paints(folder: &Path, curtain: &Fall, table: &Fall) -> Outcome<()> {
    let end = &curtain.frames[STEPS / 10];
    let map = Paint::Map { field: &curtain.strain, max: 0.02, label: "strain warp" };
    let all = [
        ("fabric", Paint::Fabric),
        ("checker", Paint::Checker { size_m: 0.04 }),
        ("stripes", Paint::Stripes { size_m: 0.02 }),
        ("map", map),
    ];
    for (name, paint) in all {
        let drawn = Drawn::new(&curtain.surface, end, paint);
        draw(folder, &format!("curtain-{name}.png"), || still(&[drawn], &view(20.0, 8.0, -0.45)))?;
    }
    let last = &table.frames[STEPS / 10];
    let tableed = Drawn::new(&table.surface, last, Paint::Checker { size_m: 0.05 });
    draw(folder, "table-checker.png", || still(&[tableed], &view(30.0, 25.0, -0.42)))?;
    let wires = View { wires: true, ..view(30.0, 25.0, -0.42) };
    draw(folder, "table-wires.png", || still(&[Drawn::new(&table.surface, last, Paint::Fabric)], &wires))
}

fn colours(folder: &Path, curtain: &Fall, table: &Fall) -> Outcome<()> {
    for (name, colour, gloss) in [("denim", INDIGO, 0.0), ("cotton", COTTON, 0.0), ("silk", SILK, 0.7)] {
        for (shape, fall, view) in
            [("curtain", curtain, view(-25.0, 8.0, -0.45)), ("table", table, view(30.0, 25.0, -0.42))]
        {
            let surface = Surface { colour, ..fall.surface.clone() };
            let drawn = Drawn::new(&surface, &fall.frames[STEPS / 10], Paint::Fabric).with_gloss(gloss);
            draw(folder, &format!("{shape}-{name}.png"), || still(&[drawn], &view))?;
        }
    }
    let ball = ball(TABLE, DVec3::new(0.0, -TABLE - 0.002, 0.0));
    let surface = Surface { colour: COTTON, ..table.surface.clone() };
    let sheet = Drawn::new(&surface, &table.frames[20], Paint::Fabric);
    let body = Drawn::new(&ball, &ball.mesh.positions, Paint::BODY);
    draw(folder, "ball.png", || still(&[sheet, body], &view(30.0, -4.0, -0.45)))
}

fn in_time(folder: &Path, curtain: &Fall) -> Outcome<()> {
    let drawn = |k: usize| vec![Drawn::new(&curtain.surface, &curtain.frames[k], Paint::Checker { size_m: 0.08 })];
    let times: Vec<(f64, Vec<Drawn>)> = [0, 2, 4, 7, 20].iter().map(|&k| (0.1 * k as f64, drawn(k))).collect();
    let small = View { size: [360, 420], ..view(20.0, 8.0, -0.45) };
    draw(folder, "strip.png", || strip(&times, &small))?;
    let start = Instant::now();
    let surface = Surface { colour: SILK, ..curtain.surface.clone() };
    let cloth = Drawn::new(&surface, &curtain.frames[20], Paint::Fabric).with_gloss(0.5);
    let turns = turntable(&[cloth], &small, 12)?;
    println!("turntable drawn in {:.2} s", start.elapsed().as_secs_f64());
    save(folder, "turntable.apng", &apng(&turns, 0.1)?)?;
    save(folder, "turntable.gif", &gif(&turns, 0.1)?)
}

/// A ball of latitudes and longitudes, outside out.
fn ball(radius: f64, middle: DVec3) -> Surface {
    let (rows, columns) = (32u32, 64u32);
    let point = |r: u32, c: u32| {
        let (a, b) = (
            f64::from(r) * std::f64::consts::PI / f64::from(rows),
            f64::from(c) * std::f64::consts::TAU / f64::from(columns),
        );
        middle + radius * DVec3::new(a.sin() * b.sin(), a.cos(), a.sin() * b.cos())
    };
    let positions = (0..=rows).flat_map(|r| (0..columns).map(move |c| point(r, c))).collect();
    let at = |r: u32, c: u32| r * columns + c % columns;
    let cells = (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c)));
    let triangles = cells
        .flat_map(|(r, c)| [[at(r, c), at(r + 1, c), at(r + 1, c + 1)], [at(r, c), at(r + 1, c + 1), at(r, c + 1)]]);
    let mesh = Mesh { positions, triangles: triangles.collect(), material: Vec::new() };
    Surface { name: "ball".into(), mesh, ..Surface::default() }
}
