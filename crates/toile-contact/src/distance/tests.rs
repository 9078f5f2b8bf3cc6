use super::*;
use crate::exact_grid::{self, Grid};
use proptest::prelude::*;

fn real(p: Grid) -> DVec3 {
    DVec3::new(p[0] as f64, p[1] as f64, p[2] as f64)
}

/// Points of a small grid: repeated points, collinear triangles and parallel edges are frequent.
fn grid() -> impl Strategy<Value = [Grid; 4]> {
    let coordinate = prop_oneof![3 => -2i128..=2, 1 => -50i128..=50, 1 => -100_000i128..=100_000];
    let point = [coordinate.clone(), coordinate.clone(), coordinate];
    [point.clone(), point.clone(), point.clone(), point]
}

/// The weights are those of two features, give the separation back, and the distance is its length.
fn expect_consistent(closest: &Closest, x: [DVec3; 4], first: usize) {
    let (one, two) = closest.weights.split_at(first);
    assert!(one.iter().all(|w| (0.0..=1.0).contains(w)) && two.iter().all(|w| (-1.0..=0.0).contains(w)), "{closest:?}");
    assert!((one.iter().sum::<f64>() - 1.0).abs() < 1e-15 && (two.iter().sum::<f64>() + 1.0).abs() < 1e-15);
    let size = x.iter().fold(0f64, |m, p| m.max((*p - x[0]).length()));
    let sum: DVec3 = (0..4).map(|i| closest.weights[i] * (x[i] - x[0])).sum();
    assert!((sum - closest.separation).length() <= 1e-14 * size, "{closest:?} {sum}");
    assert_eq!(closest.distance, closest.separation.length());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..ProptestConfig::default() })]

    /// Squared distances are those of exact integer arithmetic; the error is some ε·size.
    #[test]
    fn distances_are_exact_to_rounding(g in grid()) {
        let x = g.map(real);
        let size = x.iter().fold(0f64, |m, p| m.max((*p - x[0]).length()));
        let check = |closest: Closest, exact: f64, first: usize| {
            expect_consistent(&closest, x, first);
            assert!((closest.distance - exact).abs() <= 4e-15 * size, "{closest:?}: {exact} of {g:?}");
        };
        check(vertex_face(x[0], [x[1], x[2], x[3]]), exact_grid::vertex_face(g[0], [g[1], g[2], g[3]]), 1);
        check(edge_edge([x[0], x[1]], [x[2], x[3]]), exact_grid::edge_edge([g[0], g[1]], [g[2], g[3]]), 2);
        check(vertex_edge(x[0], [x[1], x[2]]), exact_grid::vertex_edge(g[0], [g[1], g[2]]), 1);
    }

    /// No sampled pair of points is closer, slivers and nearly parallel edges down to sin = 1e-12 included, 1 km off.
    #[test]
    fn no_other_pair_is_closer(r in proptest::array::uniform12(-1f64..1.0), flat in -12i32..=0, far in prop::bool::ANY) {
        let shift = if far { DVec3::new(1e3, -700.0, 300.0) } else { DVec3::ZERO };
        let thin = DVec3::new(1.0, 10f64.powi(flat), 1.0);
        let x: [DVec3; 4] = std::array::from_fn(|i| shift + thin * DVec3::new(r[3 * i], r[3 * i + 1], 0.1 * r[3 * i + 2]));
        let face = vertex_face(x[0], [x[1], x[2], x[3]]);
        let edges = edge_edge([x[0], x[1]], [x[2], x[3]]);
        expect_consistent(&face, x, 1);
        expect_consistent(&edges, x, 2);
        for i in 0..=12 {
            for j in 0..=12 {
                let (s, t) = (f64::from(i) / 12.0, f64::from(j) / 12.0);
                let pair = (x[0] - x[2]) + s * (x[1] - x[0]) - t * (x[3] - x[2]);
                assert!(edges.distance <= pair.length() + 1e-14, "{edges:?} {s} {t}");
                let (v, w) = (s * (1.0 - t), s * t);
                let pair = (x[0] - x[1]) - v * (x[2] - x[1]) - w * (x[3] - x[1]);
                assert!(face.distance <= pair.length() + 1e-14, "{face:?} {v} {w}");
            }
        }
    }

    /// The vector between closest points separates the features: no vertex pair is nearer along it (the condition of
    /// optimality).
    #[test]
    fn closest_points_meet_the_conditions_of_optimality(r in proptest::array::uniform12(-1f64..1.0), flat in -9i32..=0) {
        let thin = DVec3::new(1.0, 10f64.powi(flat), 1.0);
        let x: [DVec3; 4] = std::array::from_fn(|i| thin * DVec3::new(r[3 * i], r[3 * i + 1], r[3 * i + 2]));
        for (closest, first) in [(vertex_face(x[0], [x[1], x[2], x[3]]), 1), (edge_edge([x[0], x[1]], [x[2], x[3]]), 2)] {
            for i in 0..first {
                for j in first..4 {
                    let along = (x[i] - x[j]).dot(closest.separation);
                    assert!(along >= closest.distance.powi(2) - 1e-14, "{closest:?} {along}");
                }
            }
        }
    }

    #[test]
    fn boxes_are_never_farther_than_what_they_hold(g in grid()) {
        let x = g.map(real);
        assert!(box_gap_squared(&x[..1], &x[1..]) <= exact_grid::vertex_face(g[0], [g[1], g[2], g[3]]).powi(2) * (1.0 + 1e-15));
        assert!(box_gap_squared(&x[..2], &x[2..]) <= exact_grid::edge_edge([g[0], g[1]], [g[2], g[3]]).powi(2) * (1.0 + 1e-15));
    }
}

/// Two nearly parallel edges that cross within 1e-9 of their middles: the crossing is found, not an end.
#[test]
fn nearly_parallel_edges_find_their_crossing() {
    for angle in [1e-3, 1e-6, 1e-9, 1e-12] {
        let first = [DVec3::new(-1.0, 0.0, 0.0), DVec3::new(1.0, 0.0, 0.0)];
        let second = [DVec3::new(-1.0, -angle, 1e-15), DVec3::new(1.0, angle, 1e-15)];
        let closest = edge_edge(first, second);
        assert!((closest.distance - 1e-15).abs() < 1e-16, "{angle}: {closest:?}");
        let lines = crossing(first, second);
        assert!((lines.sine_squared / (angle * angle) - 1.0).abs() < 1e-5, "{angle}: {lines:?}");
        let [s, t] = lines.parameters.unwrap();
        assert!((s - 0.5).abs() < 1e-3 && (t - 0.5).abs() < 1e-3, "{angle}: {s} {t}");
    }
}

#[test]
fn lines_cross_outside_the_edges() {
    let first = [DVec3::ZERO, DVec3::X];
    let second = [DVec3::new(3.0, 1.0, 1.0), DVec3::new(3.0, 2.0, 1.0)];
    let lines = crossing(first, second);
    assert_eq!((lines.sine_squared, lines.parameters), (1.0, Some([3.0, -1.0])));
    assert_eq!(crossing(first, [DVec3::Z, DVec3::Z + DVec3::X]).parameters, None);
    assert_eq!(crossing([DVec3::X; 2], second), Crossing { sine_squared: 0.0, parameters: None });
}

/// Where the closest points are decides whether a pair counts in the contact of edges.
#[test]
fn insides_are_told_from_ends() {
    let face = [DVec3::ZERO, DVec3::X, DVec3::Y];
    assert!(vertex_face(DVec3::new(0.2, 0.2, 1.0), face).is_interior);
    for outside in [DVec3::new(-0.1, 0.5, 1.0), DVec3::new(0.6, 0.6, 0.0), DVec3::new(2.0, -1.0, 1.0)] {
        assert!(!vertex_face(outside, face).is_interior);
    }
    let edge = [DVec3::new(0.5, -1.0, 0.1), DVec3::new(0.5, 1.0, 0.1)];
    assert!(edge_edge([DVec3::ZERO, DVec3::X], edge).is_interior);
    assert!(!edge_edge([DVec3::ZERO, 0.5 * DVec3::X], edge).is_interior);
    assert!(vertex_edge(DVec3::new(0.5, 1.0, 0.0), [DVec3::ZERO, DVec3::X]).is_interior);
    assert!(!vertex_edge(DVec3::Y, [DVec3::ZERO, DVec3::X]).is_interior);
}

#[test]
fn numbers_that_are_none_stay_so() {
    let bad = DVec3::new(f64::NAN, 0.0, 0.0);
    assert!(vertex_face(bad, [DVec3::ZERO, DVec3::X, DVec3::Y]).distance.is_nan());
    assert!(edge_edge([bad, DVec3::X], [DVec3::Y, DVec3::Z]).distance.is_nan());
    assert!(vertex_edge(bad, [DVec3::Y, DVec3::Z]).distance.is_nan());
}
