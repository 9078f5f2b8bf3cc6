//! Rest shapes follow the pattern, places stay (S1-15).

use super::*;

/// Points of all outlines moved by some millimetres, curves bent otherwise.
fn edited(garment: &Garment) -> Garment {
    let mut new = garment.clone();
    let mut numbers = Numbers(3);
    for panel in &mut new.panels {
        for edge in &mut panel.outline {
            edge.start += 0.006 * DVec2::new(numbers.next() - 0.5, numbers.next() - 0.5);
            match &mut edge.curve {
                Curve::Quadratic(c) => c.y += 0.02,
                Curve::Cubic(c, d) => (c.y, d.x) = (c.y - 0.01, d.x + 0.05),
                Curve::Arc { radius, .. } => *radius *= 1.1,
                Curve::Line => {}
            }
        }
    }
    new
}

/// Polygon of the points of a panel's outline at given fractions (m²).
fn polygon_area(panel: &Panel, number: u32, fractions: &BTreeMap<(u32, Of), Vec<f64>>) -> f64 {
    let mut points: Vec<DVec2> = Vec::new();
    for e in 0..panel.outline.len() {
        let path = panel.edge_path(e);
        points.extend(fractions[&(number, Of::Edge(e))].iter().map(|f| path.at(*f)));
    }
    let next = points.iter().cycle().skip(1);
    points.iter().zip(next).map(|(a, b)| 0.5 * a.perp_dot(*b)).sum::<f64>().abs()
}

#[test]
fn rest_areas_follow_the_pattern() {
    for old in [curved(), flat_draft("sheath-dress"), flat_draft("t-shirt")] {
        let pieces = cut(&old, None, 0.03).unwrap();
        let welded = pieces.weld(&pieces.cloth.mesh.positions).unwrap();
        let new = edited(&old);
        for cloth in [pieces.cloth, welded.refine(&old), welded] {
            let moved = cloth.redrawn(&old, &new).unwrap();
            let at = fractions(&cloth);
            for (p, panel) in (0..).zip(&new.panels) {
                let (found, wanted) = (panel_area(&moved, p), polygon_area(panel, p, &at));
                assert!((found / wanted - 1.0).abs() < 1e-12, "{}: {found} instead of {wanted}", panel.name);
                let before = panel_area(&cloth, p);
                assert!((found / before - 1.0).abs() > 1e-5, "{} has not changed", panel.name);
            }
            sides_lie_where_they_say(&moved, &new);
            assert_eq!(moved.mesh.positions, cloth.mesh.positions);
            assert_eq!(moved.mesh.triangles, cloth.mesh.triangles);
            moved.mesh.check().unwrap();
            let rest: f64 = (0..).zip(&new.panels).map(|(p, _)| panel_area(&moved, p)).sum();
            assert!((moved.mesh.total_rest_area() / rest - 1.0).abs() < 1e-12);
        }
    }
}

/// Shear, stretch and turn of a panel with straight edges; turn and growth of one with curves.
#[test]
fn affine_edits_give_affine_maps() {
    let corners = [[0.0, 0.0], [0.5, -0.1], [0.6, 0.3], [0.3, 0.2], [0.1, 0.5]];
    let matrix = glam::DMat2::from_cols_array(&[1.2, 0.3, -0.4, 0.9]);
    let shift = DVec2::new(0.7, -2.0);
    let (x, y) = (DVec2::from_angle(0.8) * 1.3, DVec2::from_angle(0.8).perp() * 1.3);
    for (old, matrix) in
        [(garment(vec![polygon("p", &corners)], vec![]), matrix), (curved(), glam::DMat2::from_cols(x, y))]
    {
        let mut new = old.clone();
        for panel in &mut new.panels {
            for edge in &mut panel.outline {
                edge.start = matrix * edge.start + shift;
                if let Curve::Arc { radius, .. } = &mut edge.curve {
                    *radius *= 1.3;
                }
            }
            panel.lines.iter_mut().flat_map(|l| &mut l.path).for_each(|(p, _)| *p = matrix * *p + shift);
        }
        let cloth = cut(&old, None, 0.03).unwrap().cloth;
        let moved = cloth.redrawn(&old, &new).unwrap();
        for (a, b) in cloth.flat.iter().flatten().zip(moved.flat.iter().flatten()) {
            // Coordinates of two metres are known to 4e-16; the solve adds two digits.
            assert!((matrix * *a + shift).distance(*b) < 1e-13, "{a} came to {b}");
        }
    }
}

/// A straight hem becomes the parabola y = 4 h t (1 − t), t = x / L.
#[test]
fn vertices_of_a_bent_edge_lie_on_its_curve() {
    let old = garment(vec![rectangle("p", 0.4, 0.3)], vec![]);
    let mut new = old.clone();
    new.panels[0].outline[0].curve = Curve::Quadratic(DVec2::new(0.5, 0.2));
    let cloth = cut(&old, None, 0.02).unwrap().cloth;
    let moved = cloth.redrawn(&old, &new).unwrap();
    let mut count = 0;
    for (before, after) in cloth.flat.iter().flatten().zip(moved.flat.iter().flatten()).filter(|(b, _)| b.y == 0.0) {
        let t = after.x / 0.4;
        // The curve is known as 512 chords, which lie inside by 0.32 / (8 · 512²) = 1.53e-7 at most.
        assert!((after.y - 0.4 * 0.2 * 2.0 * t * (1.0 - t)).abs() < 1.6e-7, "{before} came to {after}");
        count += usize::from(before.x > 0.0 && before.x < 0.4);
    }
    assert!(count > 30);
    // Opposite to it nothing moves, in the middle less than below.
    let moves = || cloth.flat.iter().flatten().zip(moved.flat.iter().flatten());
    assert!(moves().filter(|(b, _)| b.y == 0.3).all(|(b, a)| a == b));
    assert!(moves().all(|(b, a)| a.y - b.y >= -1e-15 && a.y - b.y < 0.0401));
}

/// Vertices of inner lines lie on the new line; panels that stay keep their bits; a new grain turns the weave alone.
#[test]
fn lines_move_and_other_panels_stay() {
    let old = curved();
    let mut new = old.clone();
    new.panels[0].lines[0].path[1].0 += DVec2::new(0.01, 0.02);
    new.panels[1].grain = 0.5;
    let cloth = cut(&old, None, 0.03).unwrap().cloth;
    let moved = cloth.redrawn(&old, &new).unwrap();
    sides_lie_where_they_say(&moved, &new);
    assert!(fractions(&moved)[&(0, Of::Line(0))].len() > 5);
    for t in 0..cloth.panels.len() {
        if cloth.panels[t] == 1 {
            assert_eq!(moved.flat[t], cloth.flat[t]);
            assert!((moved.mesh.rest_area(t) / cloth.mesh.rest_area(t) - 1.0).abs() < 1e-12);
        }
    }
    assert_ne!(moved.mesh.material, cloth.mesh.material);
    let mut back = new.clone();
    back.panels[1].grain = 0.0;
    let same = cloth.redrawn(&old, &old).unwrap();
    assert_eq!(same, cloth);
    assert_eq!(moved.redrawn(&new, &back).unwrap().mesh.material.last(), cloth.mesh.material.last());
}

#[test]
fn what_cannot_be_mapped_is_named() {
    let old = curved();
    let cloth = cut(&old, None, 0.04).unwrap().cloth;
    let refused = |edit: &dyn Fn(&mut Garment)| {
        let mut new = old.clone();
        edit(&mut new);
        cloth.redrawn(&old, &new).unwrap_err().to_string()
    };
    let panels = refused(&|g| g.panels[1].name = "rear".into());
    assert!(panels.contains("front, rear instead of front, back"), "{panels}");
    let edges = refused(&|g| drop(g.panels[1].outline.pop()));
    assert!(edges.contains("panel `back` now has 3 edges instead of 4"), "{edges}");
    let lines = refused(&|g| g.panels[0].lines.clear());
    assert!(lines.contains("panel `front` now has 0 lines instead of 1"), "{lines}");
    let seams = refused(&|g| g.seams[0].sides[0][0].to = 0.9);
    assert!(seams.contains("seam `side`"), "{seams}");
    let fewer = refused(&|g| drop(g.seams.pop()));
    assert!(fewer.contains("seam `dart`"), "{fewer}");
    // The lower right corner goes up beyond the waist.
    let over = refused(&|g| g.panels[1].outline[3].start = DVec2::new(-0.3, 0.7));
    assert!(over.contains("panel `back`") && over.contains("turn over"), "{over}");
    let other = cut(&pair(), None, 0.1).unwrap().cloth;
    let strange = garment(vec![polygon("a", &[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), rectangle("b", 1.0, 1.0)], vec![]);
    assert!(matches!(other.redrawn(&strange, &strange), Err(MappingError::Stranger { panel }) if panel == "a"));
}
