use super::families::FAMILIES;
use super::oracle::{self, Truth};
use super::*;

fn query(kind: Kind, x: [DVec3; 4], d: [DVec3; 4], offset: f64) -> Query {
    Query { kind, x, d, offset }
}

/// Vertex above the unit triangle, motion of the vertex only.
fn falling(height: f64, motion: DVec3, offset: f64) -> Query {
    let z = DVec3::ZERO;
    query(Kind::VertexFace, [DVec3::new(0.25, 0.25, height), z, DVec3::X, DVec3::Y], [motion, z, z, z], offset)
}

/// No hit is missed, no time is late, the reserve is kept: against proven truth, for several reserves.
#[test]
fn no_hit_is_missed_in_any_family() {
    for family in FAMILIES {
        let (mut hits, mut clear, mut false_alarms) = (0, 0, 0);
        for index in 0..600 {
            let query = family.query(7, index);
            let keep = [0.0, 1e-6, 1e-2, 0.2, 0.9][index as usize % 5];
            let toi = time_of_impact(&query, keep, 1.0);
            let start = oracle::start_distance(&query);
            let level = query.offset + keep * (start - query.offset) * (1.0 - 1e-12);
            match oracle::first_time(&query, level, toi.unwrap_or(1.0)) {
                Truth::Clear => {}
                // At time 0 the level and the distance may be the same.
                Truth::Reaches { .. } if toi == Some(0.0) => {}
                other => panic!("{} {index}: keep {keep}, {toi:?} but {other:?}: {query:?}", family.name),
            }
            match oracle::first_time(&query, query.offset, 1.0) {
                Truth::Clear => {
                    clear += 1;
                    false_alarms += usize::from(keep <= 1e-6 && toi.is_some());
                }
                Truth::Reaches { by, .. } => {
                    hits += 1;
                    assert!(toi.is_some_and(|t| t <= by), "{} {index}: {toi:?} {by}: {query:?}", family.name);
                }
                Truth::Unknown => panic!("{} {index}: no truth: {query:?}", family.name),
            }
        }
        assert!(false_alarms * 20 <= clear.max(1), "{}: {false_alarms} of {clear}", family.name);
        assert!(hits > 20 || family.name == "near miss", "{}: {hits} hits, {clear} clear", family.name);
    }
}

/// Heads straight on: the time is the exact one, up to the tolerance of the search and never above.
#[test]
fn straight_impacts_are_timed() {
    for (offset, keep) in [(0.0, 0.0), (0.25, 0.0), (0.0, 0.2), (0.25, 0.2)] {
        let exact = 0.5 * (1.0 - offset) * (1.0 - keep);
        let toi = time_of_impact(&falling(1.0, DVec3::new(0.1, 0.0, -2.0), offset), keep, 1.0).unwrap();
        assert!(toi <= exact && toi > exact - 2e-3 * keep - 1e-9, "{toi} {exact}");
    }
    let short = falling(1.0, DVec3::new(0.1, 0.0, -2.0), 0.0);
    assert_eq!(time_of_impact(&short, 0.0, 0.49), None);
    assert!(time_of_impact(&short, 0.0, 0.51).is_some());
    assert!(time_of_impact(&falling(1.0, -0.5 * DVec3::Z, 0.0), 0.0, 3.0).is_some_and(|t| (t - 2.0).abs() < 1e-8));
}

/// Each kind meets what it should: two edges crossing, a vertex on an edge, two vertices.
#[test]
fn every_kind_is_timed() {
    let (z, up) = (DVec3::ZERO, DVec3::Z);
    let cross = [DVec3::new(-1.0, 0.0, 1.0), DVec3::new(1.0, 0.0, 1.0), -DVec3::Y, DVec3::Y];
    let cases = [
        query(Kind::EdgeEdge, cross, [-2.0 * up, -2.0 * up, z, z], 0.0),
        query(Kind::VertexEdge, [up, -DVec3::Y, DVec3::Y, up], [-2.0 * up, z, z, z], 0.0),
        query(Kind::VertexVertex, [up, z, up, up], [-up, up, up, up], 0.0),
    ];
    for query in cases {
        let toi = time_of_impact(&query, 0.0, 1.0).unwrap();
        assert!(toi <= 0.5 && toi > 0.5 - 1e-8, "{toi} {query:?}");
    }
}

#[test]
fn sliding_past_and_parting_are_free() {
    assert_eq!(time_of_impact(&falling(1e-6, DVec3::new(100.0, 30.0, 0.0), 0.0), 0.9, 1.0), None);
    assert_eq!(time_of_impact(&falling(1e-6, 100.0 * DVec3::Z, 0.0), 0.9, 1.0), None);
}

/// Starts nearer than the offset: no way in, every way out.
#[test]
fn pairs_inside_the_offset_may_only_part() {
    let inside = |motion| time_of_impact(&falling(0.1, motion, 0.25), 0.2, 1.0);
    assert_eq!(inside(-1e-9 * DVec3::Z), Some(0.0));
    assert_eq!(inside(DVec3::new(5.0, 0.0, -0.1)), Some(0.0));
    assert_eq!(inside(DVec3::Z), None);
    assert_eq!(inside(DVec3::ZERO), None);
    assert_eq!(inside(0.1 * DVec3::X), None);
    // Exactly at the offset counts as inside.
    assert_eq!(time_of_impact(&falling(0.25, -DVec3::Z, 0.25), 0.0, 1.0), Some(0.0));
    assert_eq!(time_of_impact(&falling(0.25, DVec3::Z, 0.25), 0.0, 1.0), None);
    // Parts, while the triangle turns about the closest point and one corner comes up.
    let mut turning = falling(0.1, 0.5 * DVec3::Z, 0.25);
    (turning.d[1], turning.d[2]) = (0.05 * DVec3::Z, -0.05 * DVec3::Z);
    assert_eq!(time_of_impact(&turning, 0.2, 1.0), None);
    // Parts first and comes back: stopped before it is nearer than it was.
    turning.d[1..].iter_mut().for_each(|d| *d = DVec3::ZERO);
    (turning.d[0], turning.x[0]) = (DVec3::new(0.0, -3.0, 0.01), DVec3::new(0.25, 2.0, -0.01));
    let toi = time_of_impact(&Query { offset: 5.0, ..turning }, 0.2, 1.0);
    assert_eq!(toi, Some(0.0), "approaches from the side");
}

#[test]
fn touching_pairs_stay_or_move_together() {
    assert_eq!(time_of_impact(&falling(0.0, DVec3::Z, 0.0), 0.2, 1.0), Some(0.0));
    assert_eq!(time_of_impact(&falling(0.0, -DVec3::Z, 0.1), 0.2, 1.0), Some(0.0));
    let together = Query { d: [DVec3::splat(3.0); 4], ..falling(0.0, DVec3::ZERO, 0.0) };
    assert_eq!(time_of_impact(&together, 0.2, 1.0), None);
}

/// 1e-7 m above the face, 1 km from the origin, 1 km down: the rounded place is still above.
#[test]
fn rounding_does_not_pass_through() {
    for shift in [0.0, 1.0, 1e3, -777.7] {
        for height in [1e-7, 1e-9, 1e-3] {
            let base = falling(0.0, -1e3 * DVec3::Z, 0.0);
            let mut query = Query { x: base.x.map(|p| p + DVec3::splat(shift)), ..base };
            query.x[0].z += height;
            let floor = query.x[1].z;
            let start = query.x[0].z - floor;
            if let Some(t) = time_of_impact(&query, 0.2, 1.0) {
                let left = query.x[0].z + t * query.d[0].z - floor;
                assert!(left >= 0.2 * start, "{left} of {start} at {shift}");
                assert!(left <= 0.21 * start + 1e-9, "stops early: {left} of {start} at {shift}");
            } else {
                panic!("passes through at {shift}, {height}");
            }
        }
    }
}

#[test]
fn common_motion_does_not_count() {
    for index in 0..500 {
        let query = FAMILIES[0].query(3, index);
        let common = DVec3::new(64.0, -128.0, 32.0);
        let carried = Query { d: query.d.map(|d| d + common), ..query };
        let (a, b) = (time_of_impact(&query, 0.1, 1.0), time_of_impact(&carried, 0.1, 1.0));
        let same = match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() < 1e-6,
            (a, b) => a == b,
        };
        assert!(same, "{a:?} {b:?}: {query:?}");
    }
}

#[test]
fn numbers_that_are_none_do_not_move() {
    for bad in [f64::NAN, f64::INFINITY] {
        assert_eq!(time_of_impact(&falling(bad, DVec3::ZERO, 0.0), 0.2, 1.0), Some(0.0));
        assert_eq!(time_of_impact(&falling(1.0, DVec3::splat(bad), 0.0), 0.2, 1.0), Some(0.0));
        assert_eq!(time_of_impact(&falling(1.0, DVec3::ZERO, bad), 0.2, 1.0), Some(0.0));
    }
}

/// The proof of the oracle fails where it should: a level above the distance is never certified, one below always.
#[test]
fn oracle_knows_built_cases() {
    let through = falling(1.0, -2.0 * DVec3::Z, 0.0);
    let Truth::Reaches { after, by } = oracle::first_time(&through, 0.0, 1.0) else { panic!("missed") };
    assert!(after <= 0.5 && by >= 0.5 - 1e-14 && by - after < 1e-13, "{after} {by}");
    assert!(matches!(oracle::first_time(&through, 0.25, 1.0), Truth::Reaches { by, .. } if (by - 0.375).abs() < 1e-13));
    // Beside the triangle by 2⁻²⁰ m: proven clear; at its very corner: reached.
    let beside = |x: f64| Query { x: [DVec3::new(x, 0.0, 1.0), DVec3::ZERO, DVec3::X, DVec3::Y], ..through };
    assert_eq!(oracle::first_time(&beside(-1.0 / (1u64 << 20) as f64), 0.0, 1.0), Truth::Clear);
    assert!(matches!(oracle::first_time(&beside(0.0), 0.0, 1.0), Truth::Reaches { .. }));
    // Ends exactly on it.
    assert!(matches!(oracle::first_time(&falling(1.0, -DVec3::Z, 0.0), 0.0, 1.0), Truth::Reaches { .. }));
    assert_eq!(oracle::first_time(&falling(1.0, -0.999_999 * DVec3::Z, 0.0), 0.0, 1.0), Truth::Clear);
}
