use super::exact::{edge_and_triangle, shared_vertex};
use super::*;
use crate::ccd::families::Dice;
use crate::exact_grid::{self, Grid};
use proptest::prelude::*;

fn real(p: Grid) -> DVec3 {
    DVec3::new(p[0] as f64, p[1] as f64, p[2] as f64)
}

fn grid() -> impl Strategy<Value = [Grid; 5]> {
    let coordinate = prop_oneof![4 => -2i128..=2, 1 => -1000i128..=1000];
    proptest::array::uniform5(proptest::array::uniform3(coordinate))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 50_000, failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(2), ..ProptestConfig::default() })]

    /// Crossing, touching and apart are those of integer arithmetic; flat, collapsed and repeated points are frequent.
    #[test]
    fn meetings_are_exact(g in grid(), turn in 0usize..3) {
        let (edge, triangle) = ([g[0], g[1]], [g[2], g[3], g[4]]);
        let expected = match (exact_grid::crosses(edge, triangle), exact_grid::meets(edge, triangle)) {
            (true, _) => Meeting::Crosses,
            (false, true) => Meeting::Touches,
            (false, false) => Meeting::Apart,
        };
        let corners: [DVec3; 3] = std::array::from_fn(|k| real(triangle[(k + turn) % 3]));
        prop_assert_eq!(edge_and_triangle(edge.map(real), corners), expected);
        prop_assert_eq!(edge_and_triangle([real(edge[1]), real(edge[0])], [corners[1], corners[0], corners[2]]), expected);
    }

    /// An edge with a vertex of the triangle touches it if a point a hair along the edge lies in the triangle.
    #[test]
    fn shared_vertices_are_exact(g in proptest::array::uniform4(proptest::array::uniform3(-3i128..=3))) {
        let [q, a, b, c] = g;
        let hair: Grid = std::array::from_fn(|k| 1000 * a[k] + q[k] - a[k]);
        let large = [a, b, c].map(|v| v.map(|x| 1000 * x));
        let expected = if exact_grid::vertex_face(hair, large) == 0.0 { Meeting::Touches } else { Meeting::Apart };
        prop_assert_eq!(shared_vertex(real(q), [a, b, c].map(real)), expected);
    }
}

/// A sheet of n × n cells, each two triangles, in the unit square, placed by a map.
fn sheet(n: usize, place: impl Fn(f64, f64) -> DVec3) -> (Vec<[u32; 3]>, Vec<DVec3>) {
    let id = |i: usize, j: usize| (i * (n + 1) + j) as u32;
    let mut triangles = Vec::new();
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
        triangles.push([id(i, j), id(i + 1, j), id(i + 1, j + 1)]);
        triangles.push([id(i, j), id(i + 1, j + 1), id(i, j + 1)]);
    }
    let at = |k: usize| place((k / (n + 1)) as f64 / n as f64, (k % (n + 1)) as f64 / n as f64);
    (triangles, (0..(n + 1) * (n + 1)).map(at).collect())
}

fn one_sheet(n: usize, place: impl Fn(f64, f64) -> DVec3) -> Certificate {
    let (triangles, positions) = sheet(n, place);
    let mut shapes = Shapes::default();
    shapes.add("sheet", true, 1e-4, positions.len(), &triangles, &[]);
    certify(&shapes, &positions)
}

#[test]
fn whole_sheets_are_clear() {
    let tilt = glam::DQuat::from_scaled_axis(DVec3::new(0.3, 0.7, -0.2));
    assert!(one_sheet(20, |u, v| DVec3::new(u, v, 0.0)).is_clear());
    assert!(one_sheet(20, |u, v| tilt * DVec3::new(u, v, 0.0) + DVec3::splat(3.3)).is_clear());
    assert!(one_sheet(20, |u, v| DVec3::new(u, v, 0.1 * (9.0 * u).sin() * (7.0 * v).cos())).is_clear());
    // A roll with 10 mm between its turns.
    let roll = |u: f64, v: f64| {
        let (angle, radius) = (40.0 * u, 0.02 + 0.4 * u / std::f64::consts::TAU);
        DVec3::new(radius * angle.cos(), v, radius * angle.sin())
    };
    assert!(one_sheet(60, roll).is_clear());
}

/// A sheet folded so that its halves cross is caught, and the pairs are of that sheet.
#[test]
fn sheet_through_itself_is_caught() {
    let folded = |u: f64, v: f64| {
        let height = if u < 0.5 { 0.1 - 0.3 * u } else { 0.6 * u - 0.4 + 0.02 * v };
        DVec3::new((u - 0.5).abs(), v, height)
    };
    let certificate = one_sheet(20, folded);
    assert!(certificate.crossings > 20 && certificate.self_crossings == certificate.crossings, "{certificate}");
    assert_eq!(certificate.pairs.len(), 20);
    assert!(certificate.pairs.is_sorted());
    assert!(certificate.to_string().contains("\"sheet\" edge"), "{certificate}");
}

/// Two triangles on given places; the second may use vertices of the first.
fn two(triangles: &[[u32; 3]], positions: &[[f64; 3]]) -> Certificate {
    let mut shapes = Shapes::default();
    shapes.add("cloth", true, 0.0, positions.len(), triangles, &[]);
    certify(&shapes, &positions.iter().map(|p| DVec3::from_array(*p)).collect::<Vec<_>>())
}

#[test]
fn shared_vertices_and_edges_are_told_apart() {
    let base = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let with = |more: &[[f64; 3]]| [&base[..], more].concat();
    // Share vertex 0 and cross through the far edge of the second.
    let hinge = two(&[[0, 1, 2], [0, 3, 4]], &with(&[[0.4, 0.2, 0.3], [0.2, 0.4, -0.3]]));
    assert_eq!((hinge.crossings, hinge.touching), (1, 0), "{hinge}");
    // Share vertex 0, the other lies above: clear.
    assert!(two(&[[0, 1, 2], [0, 3, 4]], &with(&[[0.4, 0.2, 0.3], [0.2, 0.4, 0.1]])).is_clear());
    // Share the edge 0 1: open, folded nearly shut, folded flat.
    for (height, touching) in [(1.0, 0), (1e-300, 0), (0.0, 1)] {
        let fold = two(&[[0, 1, 2], [1, 0, 3]], &with(&[[0.3, 0.3, height]]));
        assert_eq!((fold.crossings, fold.touching > 0), (0, touching > 0), "{height}: {fold}");
    }
    // Flat on the other side of the edge: the sheet as cut.
    assert!(two(&[[0, 1, 2], [1, 0, 3]], &with(&[[0.3, -0.3, 0.0]])).is_clear());
}

#[test]
fn exact_touching_is_no_crossing() {
    let base = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let with = |tip: f64| {
        two(&[[0, 1, 2], [3, 4, 5]], &[&base[..], &[[0.25, 0.25, tip], [0.3, 0.2, 1.0], [0.2, 0.3, 1.0]]].concat())
    };
    assert!(with(1e-16).is_clear());
    let on = with(0.0);
    assert_eq!((on.crossings, on.touching), (0, 2), "{on}"); // two edges end there
    let through = with(-1e-16);
    assert_eq!((through.crossings, through.touching), (2, 0), "{through}");
    // Flat on each other.
    let flat =
        two(&[[0, 1, 2], [3, 4, 5]], &[&base[..], &[[0.1, 0.1, 0.0], [2.0, 0.1, 0.0], [0.1, 2.0, 0.0]]].concat());
    assert!(flat.crossings == 0 && flat.touching > 0, "{flat}");
    // Exactly through the edge of a triangle: its rim belongs to it.
    let rim =
        two(&[[0, 1, 2], [3, 4, 5]], &[&base[..], &[[0.5, 0.5, 1.0], [0.5, 0.5, -1.0], [3.0, 3.0, 0.5]]].concat());
    assert!(rim.crossings > 0, "{rim}");
}

/// An obstacle through a sheet, from either side of the pair; obstacles among themselves do not count.
#[test]
fn obstacles_are_caught() {
    let (triangles, mut positions) = sheet(10, |u, v| DVec3::new(u, v, 0.0));
    let mut shapes = Shapes::default();
    shapes.add("cloth", true, 0.0, positions.len(), &triangles, &[]);
    // A large triangle standing in the sheet, and one standing in that: levels of the grid far apart.
    shapes.add("wall", false, 0.0, 3, &[[0, 1, 2]], &[]);
    shapes.add("other", false, 0.0, 3, &[[0, 1, 2]], &[]);
    positions.extend([[0.52, -90.0, -40.0], [0.52, 90.0, -40.0], [0.52, 0.0, 70.0]].map(DVec3::from_array));
    positions.extend([[0.0, 0.0, 20.0], [1.0, 0.0, 20.0], [0.5, 1.0, 21.0]].map(DVec3::from_array));
    let certificate = certify(&shapes, &positions);
    // 11 edges along u and 10 diagonals run through x = 0.52.
    assert_eq!((certificate.crossings, certificate.obstacle_crossings), (21, 21), "{certificate}");
    assert!(certificate.to_string().contains("crosses \"wall\" triangle 200"), "{certificate}");
}

#[test]
fn balls_and_capsules_are_round() {
    let (triangles, sheet) = sheet(10, |u, v| DVec3::new(u, v, 0.0));
    let mut shapes = Shapes::default();
    shapes.add("cloth", true, 0.0, sheet.len(), &triangles, &[]);
    shapes.add("ball", false, 0.25, 1, &[], &[]);
    shapes.add("capsule", false, 0.1, 2, &[], &[[0, 1]]);
    let at = |ball: f64, capsule: [f64; 2]| {
        let mut positions = sheet.clone();
        positions.push(DVec3::new(0.55, 0.55, ball));
        positions.extend(capsule.map(|z| DVec3::new(0.05 + z, 0.45, z)));
        certify(&shapes, &positions)
    };
    assert!(at(0.25, [0.1, 0.9]).is_clear(), "touching is not nearer");
    let pressed = at(0.249, [0.2, 0.9]);
    assert_eq!((pressed.crossings, pressed.pairs[0].feature), (2, Feature::Ball(121)), "{pressed}");
    let through = at(0.3, [-0.02, 0.4]);
    assert!(through.crossings > 2 && through.pairs.iter().all(|p| p.bodies == [2, 0]), "{through}");
    assert!(through.to_string().contains("\"capsule\" edge"));
    assert!(at(0.3, [0.101, 0.101]).is_clear() && !at(0.3, [0.099, 0.099]).is_clear());
}

/// The grid finds what trying all pairs finds: triangles of sizes from 1 mm to 10 m.
#[test]
fn soups_agree_with_all_pairs() {
    let mut dice = Dice(5);
    for round in 0..20 {
        let count = 120;
        let mut triangles = Vec::new();
        let mut positions = Vec::new();
        for _ in 0..count {
            let size = if round % 2 == 0 { 0.3 } else { dice.power(-3.0, 1.0) };
            let middle = dice.vector(1.0);
            triangles.push([0, 1, 2].map(|k| positions.len() as u32 + k));
            positions.extend([0, 1, 2].map(|_| middle + dice.vector(size)));
        }
        let mut shapes = Shapes::default();
        let (cloth, hard) = triangles.split_at(80);
        shapes.add("cloth", true, 0.0, 240, cloth, &[]);
        let own: Vec<[u32; 3]> = hard.iter().map(|t| t.map(|v| v - 240)).collect();
        shapes.add("hard", false, 0.0, 120, &own, &[]);
        let mut expected = Vec::new();
        for (e, edge) in shapes.edges.iter().enumerate() {
            for (t, corners) in shapes.triangles.iter().enumerate() {
                let at = |v: u32| positions[v as usize];
                let counts = edge[0] < 240 || corners[0] < 240;
                if counts
                    && !corners.contains(&edge[0])
                    && edge_and_triangle(edge.map(at), corners.map(at)) == Meeting::Crosses
                {
                    expected.push((e as u32, t as u32));
                }
            }
        }
        let certificate = certify(&shapes, &positions);
        assert!(expected.len() > 20 && certificate.touching == 0);
        assert_eq!(certificate.crossings, expected.len());
        for (pair, (e, t)) in certificate.pairs.iter().zip(&expected) {
            assert_eq!((pair.feature, pair.triangle), (Feature::Edge(*e), *t));
        }
    }
}

#[test]
fn threads_do_not_matter() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| one_sheet(30, |u, v| DVec3::new((8.0 * u).sin(), (7.0 * v).cos(), (5.0 * u * v).sin())))
    };
    let one = run(1);
    assert!(one.crossings > 100);
    assert!([2, 4].into_iter().all(|threads| run(threads) == one));
}

#[test]
fn lost_vertices_are_reported() {
    let certificate = one_sheet(4, |u, v| DVec3::new(u, if u == 0.5 && v == 0.5 { f64::NAN } else { v }, 0.0));
    assert!(!certificate.is_clear() && certificate.lost_vertices == 1 && certificate.crossings == 0);
    assert!(certificate.to_string().contains("1 vertices without finite places"));
    assert!(certify(&Shapes::default(), &[]).is_clear());
}
