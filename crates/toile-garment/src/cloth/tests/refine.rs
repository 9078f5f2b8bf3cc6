//! Triangles in four.

use super::*;

#[test]
fn straight_panels_keep_their_area_and_places() {
    let garment = tube();
    let cut = cut(&garment, None, 0.06).unwrap();
    let cloth = cut.weld(&cut.cloth.mesh.positions).unwrap();
    let fine = cloth.refine(&garment);
    assert_eq!(fine.mesh.triangles.len(), 4 * cloth.mesh.triangles.len());
    fine.mesh.check().unwrap();
    for panel in 0..2 {
        assert!((panel_area(&fine, panel) / (0.3 * 0.2) - 1.0).abs() < 1e-14);
    }
    assert_eq!(fine.mesh.positions[..cloth.mesh.positions.len()], cloth.mesh.positions);
    for t in 0..fine.panels.len() {
        // The four of a triangle stand one after the other; in space and on the panel they fill it.
        let old = cloth.mesh.triangles[t / 4].map(|v| cloth.mesh.positions[v as usize]);
        assert_eq!(fine.panels[t], cloth.panels[t / 4]);
        assert!((fine.mesh.rest_area(t) / cloth.mesh.rest_area(t / 4) - 0.25).abs() < 1e-13);
        for v in fine.mesh.triangles[t] {
            let x = fine.mesh.positions[v as usize];
            let middles = [0, 1, 2].map(|k| 0.5 * (old[k] + old[(k + 1) % 3]));
            assert!(old.contains(&x) || middles.contains(&x), "{x} of {t}");
        }
    }
}

/// Outlines and lines of curved panels stay on the curves however often they are split, and the area comes to the pattern's with order 2.
#[test]
fn curved_outlines_converge_to_the_pattern() {
    let garment = curved();
    let cut = cut(&garment, None, 0.1).unwrap();
    let mut cloth = cut.weld(&cut.cloth.mesh.positions).unwrap();
    let wanted = garment.panels[0].signed_area().abs();
    let mut errors = Vec::new();
    for _ in 0..4 {
        errors.push((panel_area(&cloth, 0) - wanted).abs());
        let count: usize = fractions(&cloth).values().map(Vec::len).sum();
        cloth = cloth.refine(&garment);
        cloth.mesh.check().unwrap();
        sides_lie_where_they_say(&cloth, &garment);
        // Each piece of an edge or line is now two.
        let (paths, fine) = (fractions(&cloth).len(), fractions(&cloth).values().map(Vec::len).sum::<usize>());
        assert_eq!(fine, 2 * count - paths);
    }
    let orders: Vec<f64> = errors.windows(2).map(|w| (w[0] / w[1]).log2()).collect();
    assert!(orders.iter().all(|o| (o - 2.0).abs() < 0.1), "{orders:?} of {errors:?}");
}

/// The middle of a side that bows into its triangle lies on the curve where the four triangles have room, and nearer to the chord where
/// they have not: none is turned over or left with less than two fifths of a quarter.
#[test]
fn curves_without_room_are_split_nearer_to_their_chord() {
    let corners = [[0.0, 0.0], [1.0, 0.0], [0.5, 0.4]];
    let straight = garment(vec![polygon("fin", &corners)], vec![]);
    let cloth = cut(&straight, None, 2.0).unwrap().cloth;
    assert_eq!(cloth.flat.len(), 1, "one triangle");
    // The curve bows by half as much as its control point; halved until there is room, 0.3 becomes 0.075.
    for (control, middle) in [(0.1, 0.05), (-0.6, -0.3), (0.6, 0.075)] {
        let mut bent = straight.clone();
        bent.panels[0].outline[0].curve = Curve::Quadratic(DVec2::new(0.5, control));
        let fine = cloth.refine(&bent);
        let lowest = fine.flat.iter().flatten().find(|p| (p.x - 0.5).abs() < 1e-9 && p.y < 0.2).unwrap();
        // Half the length of the curve is found to about that.
        assert!((lowest.y - middle).abs() < 1e-9, "{control}: split at {lowest}");
        let whole = area(&cloth.flat[0]);
        for part in &fine.flat {
            assert!(area(part) / whole > 0.1, "{control}: {part:?}");
        }
        fine.mesh.check().unwrap();
    }
}
