use super::*;
use std::f64::consts::PI;
use toile_core::mesh::Topology;

/// V − E + F.
fn euler(mesh: &Mesh) -> i64 {
    let edges = Topology::new(mesh).unwrap().edges.len() as i64;
    mesh.vertex_count() as i64 - edges + mesh.triangles.len() as i64
}

fn points(list: &[[f64; 2]]) -> Vec<DVec2> {
    list.iter().map(|&p| p.into()).collect()
}

#[test]
fn rectangles_are_exact_and_well_shaped() {
    for (size, edge) in [([0.2, 0.05], 0.0029), ([1.0, 1.0], 0.03), ([0.3, 1.0], 0.05)] {
        // Half an edge of jitter leaves no lattice at all: good triangles, but not as good.
        for (jitter, seed, mean, angle) in [(0.0, 0, 0.97, 25.0), (0.3, 1, 0.97, 25.0), (0.5, 7, 0.94, 20.0)] {
            let mesh = rectangle(size, &Options { jitter, seed, ..Options::of_edge(edge) }).unwrap();
            mesh.check().unwrap();
            assert_eq!(euler(&mesh), 1);
            assert!((mesh.total_rest_area() / (size[0] * size[1]) - 1.0).abs() < 1e-12);
            let q = quality(&mesh);
            println!("{size:?} {edge} jitter {jitter}: {} triangles {q:?}", mesh.triangles.len());
            assert!(q.mean > mean, "{size:?} jitter {jitter}: mean quality {}", q.mean);
            assert!(q.min_angle.to_degrees() > angle, "{size:?} jitter {jitter}: {}°", q.min_angle.to_degrees());
            // Rim vertices lie on the sides, bit by bit, and sides are divided evenly.
            let topology = Topology::new(&mesh).unwrap();
            for e in topology.edges.iter().filter(|e| e.triangles[1] == Topology::NONE) {
                let [a, b] = e.vertices.map(|v| mesh.positions[v as usize]);
                let same = |f: fn(glam::DVec3) -> f64, at: f64| f(a) == at && f(b) == at;
                let (x, z) = (|p: glam::DVec3| p.x, |p: glam::DVec3| -p.z);
                assert!(same(x, 0.0) || same(x, size[0]) || same(z, 0.0) || same(z, size[1]), "{a} {b}");
                assert!((a.distance(b) / edge - 1.0).abs() < 0.15);
            }
        }
    }
}

#[test]
fn triangle_count_comes_close_to_the_wish() {
    for count in [300, 2500, 20_000] {
        let mesh = rectangle([0.2, 0.05], &Options::of_edge(edge_for_triangles(0.01, count))).unwrap();
        let ratio = mesh.triangles.len() as f64 / count as f64;
        assert!((ratio - 1.0).abs() < 0.1, "{count}: {}", mesh.triangles.len());
    }
}

/// A regular polygon of n corners has the area ½ n r² sin(2π/n); the ring between two has none of their insides.
#[test]
fn discs_and_rings_have_the_area_of_their_polygons() {
    let options = Options::of_edge(0.01);
    let polygon_area = |r: f64| {
        let n = (TAU * r / options.edge).round();
        0.5 * n * r * r * (TAU / n).sin()
    };
    let disc = disc(0.15, &options).unwrap();
    disc.check().unwrap();
    assert_eq!(euler(&disc), 1);
    assert!((disc.total_rest_area() / polygon_area(0.15) - 1.0).abs() < 1e-6);
    let ring = annulus(0.03, 0.15, &options).unwrap();
    ring.check().unwrap();
    assert_eq!(euler(&ring), 0);
    assert!((ring.total_rest_area() / (polygon_area(0.15) - polygon_area(0.03)) - 1.0).abs() < 1e-6);
    for mesh in [&disc, &ring] {
        let q = quality(mesh);
        println!("{} triangles {q:?}", mesh.triangles.len());
        assert!(q.mean > 0.97 && q.min_angle.to_degrees() > 25.0, "{q:?}");
        let rim = mesh.positions.iter().filter(|p| (p.length() - 0.15).abs() < 1e-15).count();
        assert_eq!(rim, 94);
    }
}

/// An L with a square hole, outlines in both directions: exact area, χ = 0, no vertex lost.
#[test]
fn polygons_with_holes_keep_their_corners() {
    let corners = points(&[[0.0, 0.0], [0.4, 0.0], [0.4, 0.2], [0.2, 0.2], [0.2, 0.5], [0.0, 0.5]]);
    let mut hole = points(&[[0.05, 0.05], [0.15, 0.05], [0.15, 0.15], [0.05, 0.15]]);
    for _ in 0..2 {
        hole.reverse();
        let mesh = polygon(&corners, &[hole.clone()], &Options::of_edge(0.012)).unwrap();
        mesh.check().unwrap();
        assert_eq!(euler(&mesh), 0);
        assert!((mesh.total_rest_area() - (0.08 + 0.06 - 0.01)).abs() < 1e-14);
        for c in corners.iter().chain(&hole) {
            assert!(mesh.positions.iter().any(|p| p.x == c.x && -p.z == c.y), "corner {c} is missing");
        }
        assert!(quality(&mesh).mean > 0.96);
    }
}

/// A finely drawn curve is thinned to the edge length; its straight sides and corners stay.
#[test]
fn smooth_curves_are_resampled() {
    let mut shape: Vec<DVec2> = (0..=180).map(|k| 0.1 * DVec2::from_angle(PI * k as f64 / 180.0)).collect();
    shape.extend(points(&[[-0.1, -0.2], [0.1, -0.2]]));
    let mesh = polygon(&shape, &[], &Options::of_edge(0.02)).unwrap();
    let rim = Topology::new(&mesh).unwrap().edges.iter().filter(|e| e.triangles[1] == Topology::NONE).count();
    assert_eq!(rim, 16 + 10 + 10 + 10); // 0.1π + 0.2 + 0.2 + 0.2 over 0.02
    assert!((mesh.total_rest_area() - (0.04 + 0.005 * PI)).abs() < 2e-4);
    assert!(quality(&mesh).min_angle.to_degrees() > 25.0);
}

/// Stretched elements are longer along the weft, wherever the grain points, and the area stays exact.
#[test]
fn elements_follow_the_grain() {
    for grain in [0.0, 0.6, -1.2] {
        let options = Options { stretch: 3.0, grain, ..Options::of_edge(0.02) };
        let mesh = rectangle([0.5, 0.4], &options).unwrap();
        mesh.check().unwrap();
        assert!((mesh.total_rest_area() - 0.2).abs() < 1e-13);
        // Mean of side vectors squared, in material coordinates: 3² apart for equilateral triangles drawn out by 3.
        let mut spread = DVec2::ZERO;
        for c in &mesh.material {
            for i in 0..3 {
                let side = c[(i + 1) % 3] - c[i];
                spread += side * side;
            }
        }
        let ratio = (spread.x / spread.y).sqrt();
        assert!((ratio / 3.0 - 1.0).abs() < 0.1, "grain {grain}: {ratio}");
        // Material coordinates are the panel's, turned back by the grain.
        let (t, p) = (mesh.triangles[0][0] as usize, mesh.material[0][0]);
        let back = DVec2::from_angle(grain).rotate(p);
        assert!((back - DVec2::new(mesh.positions[t].x, -mesh.positions[t].z)).length() < 1e-15);
    }
}

/// Edges follow a dart from the rim and a fold across the sheet; the sheet stays whole.
#[test]
fn lines_become_edges() {
    let (edge, outline) = (0.02, points(&[[0.0, 0.0], [0.4, 0.0], [0.4, 0.3], [0.0, 0.3]]));
    let dart = points(&[[0.13, 0.0], [0.15, 0.1], [0.16, 0.17]]);
    let fold = points(&[[0.3, 0.0], [0.3, 0.3]]);
    let shape = Shape { outline, lines: vec![dart.clone(), fold], ..Shape::default() };
    let mesh = shape.mesh(&Options::of_edge(edge)).unwrap();
    mesh.check().unwrap();
    assert_eq!(euler(&mesh), 1);
    assert!((mesh.total_rest_area() - 0.12).abs() < 1e-14);
    let on_fold = mesh.vertices_where(|p| p.x == 0.3);
    assert_eq!(on_fold.len(), 16);
    let topology = Topology::new(&mesh).unwrap();
    let along = topology.edges.iter().filter(|e| e.vertices.iter().all(|v| on_fold.contains(v))).count();
    assert_eq!(along, 15);
    for c in dart {
        assert!(mesh.positions.iter().any(|p| p.x == c.x && -p.z == c.y), "{c} is missing");
    }
}

#[test]
fn kept_boundaries_have_just_their_points() {
    let outline: Vec<DVec2> = (0..17).map(|k| 0.1 * DVec2::from_angle(TAU * k as f64 / 17.0)).collect();
    let shape = Shape { outline, boundary: Boundary::Kept, ..Shape::default() };
    let mesh = shape.mesh(&Options::of_edge(0.01)).unwrap();
    let rim = Topology::new(&mesh).unwrap().edges.iter().filter(|e| e.triangles[1] == Topology::NONE).count();
    assert_eq!(rim, 17);
}

#[test]
fn same_seed_same_mesh() {
    let options = Options { jitter: 0.4, seed: 3, ..Options::of_edge(0.05) };
    let mesh = rectangle([1.0, 0.7], &options).unwrap();
    assert_eq!(mesh, rectangle([1.0, 0.7], &options).unwrap());
    assert_ne!(mesh, rectangle([1.0, 0.7], &Options { seed: 4, ..options }).unwrap());
}

/// Share of inner vertices that do not have six neighbours: the lattice has almost none, the irregular mesh many.
#[test]
fn irregular_meshes_have_no_lattice() {
    let share = |options: &Options| {
        let mesh = rectangle([1.0, 0.7], options).unwrap();
        let mut neighbours = vec![0; mesh.vertex_count()];
        let mut is_rim = vec![false; mesh.vertex_count()];
        for edge in Topology::new(&mesh).unwrap().edges {
            for v in edge.vertices {
                neighbours[v as usize] += 1;
                is_rim[v as usize] |= edge.triangles[1] == Topology::NONE;
            }
        }
        let inner: Vec<usize> = (0..neighbours.len()).filter(|&v| !is_rim[v]).collect();
        inner.iter().filter(|&&v| neighbours[v] != 6).count() as f64 / inner.len() as f64
    };
    let (regular, irregular) = (share(&Options::of_edge(0.02)), share(&Options::irregular(0.02, 1)));
    println!("regular {regular:.3}, irregular {irregular:.3}");
    assert!(regular < 0.05 && irregular > 0.15, "{regular} {irregular}");
}

/// Neighbours have close numbers: a band holds the vertices across the narrow side, and edges span at most two bands.
#[test]
fn numbers_of_neighbours_are_close() {
    for size in [[1.0, 0.2], [0.2, 1.0]] {
        let mesh = rectangle(size, &Options::of_edge(0.02)).unwrap();
        let edges = Topology::new(&mesh).unwrap().edges;
        let widest = edges.iter().map(|e| e.vertices[0].abs_diff(e.vertices[1])).max().unwrap();
        assert!(widest <= 2 * 12 + 2, "{widest}");
    }
}

#[test]
fn bad_shapes_are_refused() {
    let options = Options::of_edge(0.02);
    let mesh = |list: &[[f64; 2]]| polygon(&points(list), &[], &options);
    let square = points(&[[0.0, 0.0], [0.1, 0.0], [0.1, 0.1], [0.0, 0.1]]);
    let bow = mesh(&[[0.0, 0.0], [0.1, 0.1], [0.1, 0.0], [0.0, 0.12]]);
    assert!(matches!(bow, Err(MeshingError::Crossing { .. })), "{bow:?}");
    // A spike that runs back on itself, and a corner that touches the opposite side.
    let spike = mesh(&[[0.0, 0.0], [0.1, 0.0], [0.2, 0.0], [0.1, 0.0], [0.1, 0.1]]);
    assert!(matches!(spike, Err(MeshingError::Crossing { .. })), "{spike:?}");
    let touch = mesh(&[[0.0, 0.0], [0.2, 0.0], [0.2, 0.1], [0.1, 0.0], [0.0, 0.1]]);
    assert!(matches!(touch, Err(MeshingError::Crossing { .. })), "{touch:?}");
    assert!(matches!(mesh(&[]), Err(MeshingError::TooFew { .. })));
    assert!(matches!(mesh(&[[0.0, 0.0], [0.1, 0.0], [0.1, 0.0]]), Err(MeshingError::TooFew { .. })));
    assert!(matches!(mesh(&[[0.0, 0.0], [0.1, 0.0], [0.3, 0.0]]), Err(MeshingError::Flat { .. })));
    assert!(matches!(mesh(&[[0.0, 0.0], [f64::NAN, 0.0], [0.3, 0.0]]), Err(MeshingError::NotFinite { .. })));
    assert!(matches!(rectangle([1e-9, 1e-9], &options), Err(MeshingError::Extent { .. })));
    assert!(matches!(rectangle([1e9, 1.0], &options), Err(MeshingError::Extent { .. })));
    assert!(matches!(rectangle([0.0, 1.0], &options), Err(MeshingError::Flat { .. } | MeshingError::TooFew { .. })));
    assert!(matches!(disc(f64::NAN, &options), Err(MeshingError::Extent { .. })));
    assert!(matches!(rectangle([1.0, 1.0], &Options::of_edge(1e-6)), Err(MeshingError::TooMany { .. })));
    assert!(matches!(disc(1e3, &Options::of_edge(1e-6)), Err(MeshingError::TooMany { .. })));
    for edge in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(rectangle([1.0, 1.0], &Options::of_edge(edge)), Err(MeshingError::Option { .. })));
    }
    let outside = polygon(&square, &[points(&[[0.2, 0.2], [0.3, 0.2], [0.3, 0.3]])], &options);
    assert!(matches!(outside, Err(MeshingError::HoleOutside { .. })), "{outside:?}");
    let line = |a: [f64; 2], b: [f64; 2]| {
        Shape { outline: square.clone(), lines: vec![points(&[a, b])], ..Shape::default() }.mesh(&options)
    };
    assert!(matches!(line([0.05, 0.05], [0.05, 0.2]), Err(MeshingError::Crossing { .. })));
    assert!(matches!(line([0.2, 0.05], [0.2, 0.2]), Err(MeshingError::LineOutside { .. })));
}

/// An edge longer than the shape gives the coarsest mesh there is.
#[test]
fn coarse_edges_leave_the_corners() {
    let mesh = rectangle([0.1, 0.1], &Options::of_edge(1.0)).unwrap();
    assert_eq!((mesh.vertex_count(), mesh.triangles.len()), (4, 2));
}

/// Any drawing gives a sound mesh or an error, never a panic: random outlines, most of them crossing, with a random hole.
#[test]
fn random_outlines_are_meshed_or_refused() {
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1u64 << 24) as f64
    };
    let (mut meshed, mut refused) = (0, 0);
    for case in 0..300 {
        let count = 3 + case % 9;
        let star = case % 2 == 0;
        let mut corner = |k: usize, size: f64| {
            let turn = if star { (k as f64 + 0.8 * random()) / count as f64 } else { random() };
            DVec2::from_angle(TAU * turn) * size * (0.2 + random())
        };
        let outline: Vec<DVec2> = (0..count).map(|k| corner(k, 0.3)).collect();
        let hole: Vec<DVec2> = (0..count).map(|k| corner(k, 0.04)).collect();
        let options =
            Options { edge: 0.01 + 0.1 * random(), jitter: random(), seed: case as u64, ..Options::of_edge(1.0) };
        match polygon(&outline, &[hole], &options) {
            Ok(mesh) => {
                mesh.check().unwrap_or_else(|e| panic!("case {case}: {e}"));
                meshed += 1;
            }
            Err(MeshingError::Crossing { .. } | MeshingError::HoleOutside { .. }) => refused += 1,
            Err(other) => panic!("case {case}: {other}"),
        }
    }
    println!("{meshed} meshed, {refused} refused");
    assert!(meshed > 50 && refused > 50);
}

/// A sheet of 40 cm at 20 mm with a line divided at 10 mm: as fine there as the line, coarse at the rim, never more than three
/// times as large as the neighbour, and of the usual quality.
#[test]
fn triangles_are_small_near_short_edges_and_grow_evenly() {
    let side = |from: [f64; 2], to: [f64; 2], n: usize| -> Vec<DVec2> {
        let (a, b) = (DVec2::from(from), DVec2::from(to));
        (0..n).map(|k| a.lerp(b, k as f64 / n as f64)).collect()
    };
    let corners = [[0.0, 0.0], [0.4, 0.0], [0.4, 0.4], [0.0, 0.4]];
    let outline = (0..4).flat_map(|k| side(corners[k], corners[(k + 1) % 4], 20)).collect();
    let line = side([0.12, 0.2], [0.29, 0.2], 17);
    let shape = Shape { outline, lines: vec![line], boundary: Boundary::Kept, ..Shape::default() };
    let mesh = shape.mesh(&Options::of_edge(0.02)).unwrap();
    let q = quality(&mesh);
    println!("{} triangles {q:?}", mesh.triangles.len());
    assert!(q.mean > 0.95 && q.min_angle.to_degrees() > 25.0, "{q:?}");
    let even = 0.25 * 3f64.sqrt() * 0.02 * 0.02;
    let (mut near, mut far) = (Vec::new(), Vec::new());
    for t in 0..mesh.triangles.len() {
        let middle = mesh.triangles[t].iter().map(|&v| mesh.positions[v as usize]).sum::<glam::DVec3>() / 3.0;
        if (middle.z + 0.2).abs() < 0.01 && (0.13..0.27).contains(&middle.x) {
            near.push(mesh.rest_area(t) / even);
        } else if (middle.z + 0.2).abs() > 0.12 {
            far.push(mesh.rest_area(t) / even);
        }
    }
    let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len() as f64;
    // A quarter of the area at half the edge length.
    assert!(mean(&near) < 0.36 && (mean(&far) - 1.0).abs() < 0.1, "{} near, {} far", mean(&near), mean(&far));
    let topology = Topology::new(&mesh).unwrap();
    for e in topology.edges.iter().filter(|e| e.triangles[1] != Topology::NONE) {
        let [a, b] = e.triangles.map(|t| mesh.rest_area(t as usize));
        assert!(a.max(b) < 3.0 * a.min(b), "{a} beside {b}");
    }
}
