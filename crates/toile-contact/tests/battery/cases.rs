//! The starts.

use super::Case;
use glam::{DMat3, DVec2, DVec3};
use std::f64::consts::{PI, TAU};
use toile_contact::obstacle::{self, Form, Movement, Obstacle};
use toile_core::mesh::{Diagonal, Grid, Mesh};

/// Cells along the side of a sheet, and the side (m).
const CELLS: usize = 14;
const SIDE: f64 = 0.3;
/// Size of the cells of a ring (m).
const RING_CELL: f64 = 0.01;

/// A sheet about the origin of the plane, each flat point placed.
fn sheet(size: [f64; 2], place: impl Fn(DVec2) -> DVec3) -> Mesh {
    let cells = size.map(|s| ((s / SIDE * CELLS as f64).round() as usize).max(2));
    let mut mesh = Grid { cells, size, diagonal: Diagonal::Alternating }.mesh();
    let mut flat = vec![DVec2::ZERO; mesh.vertex_count()];
    for (t, m) in mesh.triangles.iter().zip(&mesh.material) {
        t.iter().zip(m).for_each(|(v, p)| flat[*v as usize] = *p);
    }
    let middle = 0.5 * DVec2::from(size);
    mesh.positions = flat.into_iter().map(|p| place(p - middle)).collect();
    mesh
}

fn flat(p: DVec2) -> DVec3 {
    DVec3::new(p.x, 0.0, -p.y)
}

fn square(place: impl Fn(DVec2) -> DVec3) -> Mesh {
    sheet([SIDE, SIDE], place)
}

/// A band of some circumference and width, closed to a ring, placed by angle and height.
fn ring(circumference: f64, width: f64, place: impl Fn(f64, f64) -> DVec3) -> Mesh {
    let columns = (circumference / RING_CELL).round() as u32;
    let rows = (width / RING_CELL).round().max(2.0) as u32;
    let mut mesh = Mesh::default();
    for r in 0..=rows {
        for c in 0..columns {
            let angle = TAU * f64::from(c) / f64::from(columns);
            mesh.positions.push(place(angle, (f64::from(r) / f64::from(rows) - 0.5) * width));
        }
    }
    let at = |c: u32, r: u32| r * columns + c % columns;
    let flat = |c: u32, r: u32| {
        DVec2::new(circumference * f64::from(c) / f64::from(columns), width * f64::from(r) / f64::from(rows))
    };
    for r in 0..rows {
        for c in 0..columns {
            for [a, b, d] in [[(c, r), (c + 1, r), (c + 1, r + 1)], [(c, r), (c + 1, r + 1), (c, r + 1)]] {
                mesh.triangles.push([at(a.0, a.1), at(b.0, b.1), at(d.0, d.1)]);
                mesh.material.push([flat(a.0, a.1), flat(b.0, b.1), flat(d.0, d.1)]);
            }
        }
    }
    mesh
}

fn round(vertices: Vec<DVec3>, edges: Vec<[u32; 2]>, radius: f64) -> Obstacle {
    Obstacle { name: "round".into(), form: Form::Round { vertices, edges, radius }, movement: Movement::Still }
}

fn mesh(name: &str, (vertices, triangles): (Vec<DVec3>, Vec<[u32; 3]>)) -> Obstacle {
    Obstacle { name: name.into(), form: Form::Mesh { vertices, triangles, skin: 0.0 }, movement: Movement::Still }
}

fn plane(point: DVec3, normal: DVec3) -> Obstacle {
    Obstacle { name: "floor".into(), form: Form::HalfSpace { point, normal }, movement: Movement::Still }
}

/// A closed box about a point, facing out.
fn cuboid(middle: DVec3, half: DVec3, turn: DMat3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let sign = |k: u32, bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
    let corner = |k: u32| middle + turn * (half * DVec3::new(sign(k, 0), sign(k, 1), sign(k, 2)));
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6u32]];
    let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    ((0..8).map(corner).collect(), triangles)
}

/// An ellipsoid about `middle`.
fn ellipsoid(middle: DVec3, half: DVec3, levels: usize) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let (vertices, triangles) = obstacle::ellipsoid(half, levels);
    (vertices.into_iter().map(|v| middle + v).collect(), triangles)
}

fn case(name: &'static str, sheets: Vec<Mesh>, obstacles: Vec<Obstacle>) -> Case {
    Case { name, sheets, pins: Vec::new(), obstacles, has_solution: true }
}

fn about_x(angle: f64) -> DMat3 {
    DMat3::from_rotation_x(angle)
}

/// A second sheet turned by an angle about the x axis, shifted, of some size.
fn crossed(angle: f64, shift: DVec3, size: [f64; 2]) -> Vec<Mesh> {
    vec![square(flat), sheet(size, |p| about_x(angle) * flat(p) + shift)]
}

fn sheets() -> Vec<Case> {
    let small = [0.2, 0.2];
    // Shifts keep vertices off exact coincidence: real starts are not exact either.
    let off = DVec3::new(0.0037, 0.0021, 0.0043);
    let corner = |depth: f64| {
        let turn = about_x(PI / 2.0) * DMat3::from_rotation_y(PI / 4.0);
        vec![square(flat), sheet(small, |p| turn * flat(p) + DVec3::new(0.004, 0.1 * 2f64.sqrt() - depth, 0.003))]
    };
    let third = |turn: f64| square(move |p| DMat3::from_rotation_y(turn) * (about_x(1.4) * flat(p)) + 2.0 * off);
    let wave = |phase: f64| square(move |p| flat(p) + 0.008 * (30.0 * p.x + phase).sin() * DVec3::Y);
    let bump = |p: DVec2| flat(p) + DVec3::Y * (0.03 * (-p.length_squared() / 0.003).exp() - 0.015);
    vec![
        case("two sheets crossed at 90°", crossed(PI / 2.0, off, small), vec![]),
        case("two sheets crossed at 90°, equal widths", crossed(PI / 2.0, off, [SIDE, SIDE]), vec![]),
        case("two sheets crossed at 45°", crossed(PI / 4.0, off, small), vec![]),
        case("two sheets crossed at 10°", crossed(PI / 18.0, off, small), vec![]),
        case("edge through sheet, one cell", crossed(1.5, off + 0.085 * DVec3::Y, small), vec![]),
        case("edge through sheet, a third", crossed(1.5, off + 0.035 * DVec3::Y, small), vec![]),
        case("corner through sheet, shallow", corner(0.02), vec![]),
        case("corner through sheet, deep", corner(0.09), vec![]),
        case("sheets slotted into each other", crossed(1.5, off + 0.12 * DVec3::X, small), vec![]),
        case("three sheets, each through both others", [crossed(1.5, off, small), vec![third(1.2)]].concat(), vec![]),
        case("two waves through each other", vec![wave(0.0), wave(2.0)], vec![]),
        case("three waves through each other", vec![wave(0.0), wave(1.5), wave(3.0)], vec![]),
        case("bump through a sheet", vec![square(bump), square(|p| 1.1 * flat(p) / 1.1 + off)], vec![]),
        case("two sheets in the same place", vec![square(flat), square(flat)], vec![]),
    ]
}

fn bodies() -> Vec<Case> {
    let above = |h: f64| vec![square(move |p| flat(p) + DVec3::new(0.003, h, 0.002))];
    let ball = || vec![round(vec![DVec3::ZERO], vec![], 0.1)];
    let capsule = || vec![round(vec![DVec3::new(-0.1, 0.0, 0.0), DVec3::new(0.1, 0.0, 0.0)], vec![[0, 1]], 0.05)];
    let cube = || vec![mesh("box", cuboid(DVec3::ZERO, DVec3::splat(0.08), DMat3::IDENTITY))];
    let tilted = DMat3::from_rotation_x(0.615) * DMat3::from_rotation_z(PI / 4.0);
    let corner = || vec![mesh("box", cuboid(DVec3::ZERO, DVec3::splat(0.06), tilted))];
    let plate = |half: f64| vec![mesh("plate", cuboid(DVec3::ZERO, DVec3::new(0.3, half, 0.3), DMat3::IDENTITY))];
    let hung =
        |depth: f64| vec![sheet([0.2, 0.2], move |p| about_x(1.5) * flat(p) + DVec3::new(0.004, 0.1 - depth, 0.0))];
    let open = {
        let grid = sheet([0.6, 0.6], flat);
        (grid.positions, grid.triangles)
    };
    let floor = || vec![plane(DVec3::ZERO, DVec3::Y)];
    let leg = || vec![mesh("leg", ellipsoid(DVec3::new(0.006, 0.0, 0.0), DVec3::new(0.05, 0.2, 0.047), 3))];
    let sleeve = |a: f64, y: f64| DVec3::new(0.052 * a.cos(), y, 0.052 * a.sin());
    let little = vec![sheet([0.06, 0.06], |p| flat(p) + DVec3::new(0.01, 0.03, 0.0))];
    let tilt = vec![square(|p| about_x(0.4) * flat(p))];
    vec![
        case("sheet 5 mm into a ball", above(0.095), ball()),
        case("sheet half a radius into a ball", above(0.05), ball()),
        case("sheet through the middle of a ball", above(0.001), ball()),
        case("sheet 5 mm into a capsule", above(0.045), capsule()),
        case("sheet through the middle of a capsule", above(0.002), capsule()),
        case("sheet 10 mm into a box", above(0.07), cube()),
        case("sheet half into a box", above(0.03), cube()),
        case("corner of a box through a sheet", above(0.085), corner()),
        case(
            "sheet 5 mm into a meshed ball",
            above(0.095),
            vec![mesh("ball", ellipsoid(DVec3::ZERO, DVec3::splat(0.1), 3))],
        ),
        case("sheet through a thin plate", hung(0.03), plate(0.002)),
        case("sheet through a thick plate", hung(0.06), plate(0.012)),
        case("sheet through an open sheet that is fixed", hung(0.03), vec![mesh("board", open)]),
        case("tilted sheet half below the floor", tilt, floor()),
        case("sheet 2 cm below the floor", above(-0.02), floor()),
        case("sleeve cut by a leg", vec![ring(TAU * 0.052, 0.15, sleeve)], leg()),
        case(
            "small sheet wholly inside a body",
            little,
            vec![mesh("ball", ellipsoid(DVec3::ZERO, DVec3::splat(0.1), 3))],
        ),
    ]
}

/// A sheet bent round a fold at x = 0 with some gap between its halves, the upper one tilted by `slope` (negative: into the lower).
fn folded(p: DVec2, gap: f64, slope: f64) -> DVec3 {
    let (radius, s) = (0.5 * gap, p.x + 0.02);
    let arc = PI * radius;
    if s <= 0.0 {
        return DVec3::new(s, 0.0, -p.y);
    }
    if s < arc {
        let a = s / radius;
        return DVec3::new(radius * a.sin(), radius * (1.0 - a.cos()), -p.y);
    }
    DVec3::new(-(s - arc), gap + slope * (s - arc), -p.y)
}

fn selves() -> Vec<Case> {
    let fold = |slope: f64| vec![square(move |p| folded(p, 0.03, slope) + 0.001 * DVec3::Y * (40.0 * p.y).sin())];
    // The lower third of a sleeve turned up, and its rim through the sleeve.
    let cuff = |a: f64, y: f64| {
        let (low, length) = (-0.03, 0.045);
        let s = (low - y) / length;
        let (r, y) = if y >= low { (0.05, y) } else { (0.05 + 0.012 * (PI * s).sin() - 0.006 * s, low + (low - y)) };
        DVec3::new(r * a.cos(), y, r * a.sin())
    };
    // A wall of a sleeve dented through the other one, or both through each other.
    let pinch = |depths: [f64; 2]| {
        move |a: f64, y: f64| {
            let dent = |middle: f64, depth: f64| {
                let away = 0.05 * (a - middle).sin().atan2((a - middle).cos());
                depth * (-(away * away + y * y) / 0.0025).exp()
            };
            DVec3::new(0.05 * a.cos(), y, 0.05 * a.sin() - dent(PI / 2.0, depths[0]) + dent(1.5 * PI, depths[1]))
        }
    };
    let curl = |p: DVec2| {
        let (r, a) = (0.04 + 0.004 * (1.5 * (p.x - 0.07) / 0.1).tanh() * (60.0 * p.y).cos(), (p.x + 0.15) / 0.04);
        DVec3::new(r * a.cos(), r * a.sin() + 0.0007 * (50.0 * p.y).sin(), -p.y)
    };
    // One corner folded over and poked through.
    let corner =
        |p: DVec2| folded(DVec2::new((p.x + p.y) / 2f64.sqrt() - 0.12, (p.x - p.y) / 2f64.sqrt()), 0.014, -0.25);
    vec![
        case("fold pushed through itself, shallow", fold(-0.3), vec![]),
        case("fold pushed through itself, deep", fold(-0.5), vec![]),
        case("cuff through its sleeve", vec![ring(TAU * 0.05, 0.15, cuff)], vec![]),
        case("wall of a sleeve dented through the other", vec![ring(TAU * 0.05, 0.15, pinch([0.107, 0.0]))], vec![]),
        case("sleeve pinched through itself", vec![ring(TAU * 0.05, 0.15, pinch([0.056, 0.058]))], vec![]),
        case("roll through its own start", vec![square(curl)], vec![]),
        case("corner folded and poked through", vec![square(corner)], vec![]),
    ]
}

fn hopeless() -> Vec<Case> {
    let rim = |m: &Mesh| m.vertices_where(|p| p.x.abs().max(p.z.abs()) > 0.5 * SIDE - 1e-9);
    let held = square(flat);
    let pins = vec![rim(&held)];
    let rod = round(vec![DVec3::new(0.003, -0.5, 0.004), DVec3::new(0.003, 0.5, 0.004)], vec![[0, 1]], 0.015);
    let post = mesh("post", cuboid(DVec3::new(0.003, 0.0, 0.004), DVec3::new(0.02, 0.5, 0.02), DMat3::IDENTITY));
    let upright = ring(0.6, 0.18, |a, y| DVec3::new(0.095 * a.cos(), y - 0.04, 0.095 * a.sin()));
    let linked = ring(0.6, 0.06, |a, y| DVec3::new(0.095 + 0.095 * a.cos(), 0.095 * a.sin() + 0.001, y + 0.002));
    let rims = |m: &Mesh| {
        let (count, columns) = (m.vertex_count() as u32, (0.6 / RING_CELL).round() as u32);
        (0..columns).chain(count - columns..count).collect::<Vec<u32>>()
    };
    let ring_pins = vec![rims(&upright), rims(&linked)];
    let sunk = square(|p| flat(p) + 0.05 * DVec3::Y);
    let middle = sunk.vertices_where(|p| p.x.abs().max(p.z.abs()) < 0.03);
    let no = |name: &'static str, sheets: Vec<Mesh>, pins: Vec<Vec<u32>>, obstacles: Vec<Obstacle>| Case {
        name,
        sheets,
        pins,
        obstacles,
        has_solution: false,
    };
    vec![
        no("sheet with held rim speared by a rod", vec![held.clone()], pins.clone(), vec![rod]),
        no("sheet with held rim speared by a post", vec![held], pins, vec![post]),
        no("rings with held rims through each other", vec![upright, linked], ring_pins, vec![]),
        no("pins inside a ball", vec![sunk], vec![middle], vec![round(vec![DVec3::ZERO], vec![], 0.1)]),
    ]
}

/// All of them.
pub(crate) fn cases() -> Vec<Case> {
    [sheets(), bodies(), selves(), hopeless()].into_iter().flatten().collect()
}
