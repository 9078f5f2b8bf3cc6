//! Both sides of every seam are divided alike.

use super::*;
use crate::pattern::{Dart, Line, LineKind, Pleat};
use std::collections::BTreeSet;

/// Vertex of each place on an edge or line, by fraction.
type Places = BTreeMap<(u32, Of), Vec<(f64, u32)>>;

fn places(cloth: &Cloth) -> Places {
    let mut found = Places::new();
    for t in 0..cloth.panels.len() {
        for (k, trail) in cloth.sides[t].iter().enumerate() {
            let Some(trail) = trail else { continue };
            let list = found.entry((cloth.panels[t], trail.of)).or_default();
            list.push((trail.from, cloth.mesh.triangles[t][k]));
            list.push((trail.to, cloth.mesh.triangles[t][(k + 1) % 3]));
        }
    }
    for list in found.values_mut() {
        list.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        list.dedup();
    }
    found
}

/// Fractions of a side with the vertices there: two where spans meet.
fn stations(garment: &Garment, side: &[Span], places: &Places) -> Vec<(f64, Vec<u32>)> {
    let total: f64 = side.iter().map(|s| garment.length(s)).sum();
    let mut done = 0.0;
    let mut stations: Vec<(f64, Vec<u32>)> = Vec::new();
    for span in side {
        let length = garment.length(span);
        let (low, high) = (span.from.min(span.to), span.from.max(span.to));
        let list = &places[&(span.panel as u32, span.of)];
        let mut own: Vec<_> = list.iter().filter(|(f, _)| *f >= low - 1e-9 && *f <= high + 1e-9).collect();
        if span.from > span.to {
            own.reverse();
        }
        for (f, v) in own {
            let fraction = (done + (f - span.from) / (span.to - span.from) * length) / total;
            match stations.last_mut() {
                Some((last, vertices)) if (*last - fraction).abs() < 1e-9 => vertices.push(*v),
                _ => stations.push((fraction, vec![*v])),
            }
        }
        done += length;
    }
    stations
}

/// Both sides of all seams have as many vertices at fractions that agree within a length (m), and those are joined: both ends, the whole way.
fn seams_match(garment: &Garment, edge: f64, off: f64) -> Cut {
    let cut = cut(garment, None, edge).unwrap();
    let (groups, places) = (cut.groups(), places(&cut.cloth));
    for seam in &garment.seams {
        let [a, b] = [0, 1].map(|k| stations(garment, &seam.sides[k], &places));
        let name = &seam.name;
        assert_eq!(a.len(), b.len(), "seam {name} at {edge}: {a:?} and {b:?}");
        assert!(a.len() >= 2);
        assert!(a[0].0.abs() < 1e-9 && (a[a.len() - 1].0 - 1.0).abs() < 1e-9, "{name}: {a:?}");
        let longer = [0, 1].map(|k| seam.sides[k].iter().map(|s| garment.length(s)).sum::<f64>());
        let tolerance = off / longer[0].max(longer[1]) + 1e-12;
        for (x, y) in a.iter().zip(&b) {
            assert!((x.0 - y.0).abs() <= tolerance, "seam {name} at {edge}: {} to {}", x.0, y.0);
            let mut all = x.1.iter().chain(&y.1).map(|v| groups[*v as usize]);
            let first = all.next().unwrap();
            assert!(all.all(|g| g == first), "seam {name} at {edge} is open at {}", x.0);
        }
    }
    cut.cloth.mesh.check().unwrap();
    sides_lie_where_they_say(&cut.cloth, garment);
    cut
}

/// Every boundary side of the panels knows where it is.
fn outlines_are_known(cloth: &Cloth) {
    let mut count: BTreeMap<[u32; 2], usize> = BTreeMap::new();
    let sides = |t: usize| [0, 1, 2].map(|k| (cloth.mesh.triangles[t][k], cloth.mesh.triangles[t][(k + 1) % 3]));
    for t in 0..cloth.panels.len() {
        sides(t).iter().for_each(|(a, b)| *count.entry([*a.min(b), *a.max(b)]).or_default() += 1);
    }
    for t in 0..cloth.panels.len() {
        for (k, (a, b)) in sides(t).iter().enumerate() {
            let is_edge = matches!(cloth.sides[t][k], Some(Trail { of: Of::Edge(_), .. }));
            assert_eq!(is_edge, count[&[*a.min(b), *a.max(b)]] == 1, "{:?}", cloth.flat[t]);
        }
    }
}

#[test]
fn drafts_are_divided_alike_on_both_sides() {
    for entry in crate::draft::DRAFTS {
        let garment = flat_draft(entry.name);
        for edge in [0.045, 0.02] {
            let cut = seams_match(&garment, edge, 0.4 * edge);
            outlines_are_known(&cut.cloth);
        }
    }
}

/// One edge to two, to parts of three, backwards, and gathered.
#[test]
fn one_to_many_and_many_to_many() {
    let long = rectangle("long", 0.9, 0.2);
    let part = |panel, of, from, to| Span { panel, of: Of::Edge(of), from, to };
    let [a, b, c] = ["a", "b", "c"].map(|name| rectangle(name, 0.3, 0.25));
    // 1:N, the T junctions at both thirds.
    let tops = vec![Span::edge(1, 2), Span::edge(2, 2), Span::edge(3, 2)];
    let one = garment(
        vec![long.clone(), a.clone(), b.clone(), c.clone()],
        vec![seam("s", vec![Span::edge(0, 0).reversed()], tops)],
    );
    for edge in [0.2, 0.07, 0.031f64] {
        let cut = seams_match(&one, edge, 0.0);
        // 0.9 m and three of 0.3 m: corners meet.
        assert!(cut.joins.len() > 3 * ((0.3 / edge).round() as usize));
    }
    // M:N, parts of edges in both directions, one side half as long again.
    let first = vec![part(0, 0, 0.8, 0.5), part(0, 0, 0.5, 0.1)];
    let second = vec![part(1, 2, 0.0, 0.4), part(2, 0, 0.9, 0.2), part(3, 2, 0.5, 1.0)];
    let many = garment(vec![long, a, b, c], vec![seam("s", first, second)]);
    for edge in [0.2, 0.07, 0.031] {
        seams_match(&many, edge, 0.0);
    }
}

/// Notches wherever they are leave both sides with as many vertices, joined in order; random cases, the seed is the case.
#[test]
fn notches_anywhere_do_not_shift_seams() {
    for case in 0..200 {
        let mut numbers = Numbers(case);
        let ratio = 1.0 + numbers.next();
        let mut panels = vec![rectangle("a", 0.2, 0.5), rectangle("b", 0.2, 0.5 * ratio), rectangle("c", 0.2, 0.3)];
        for panel in &mut panels {
            for _ in 0..(5.0 * numbers.next()) as usize {
                let edge = 1 + 2 * (2.0 * numbers.next()) as usize;
                panel.notches.push(Notch { edge, at: 0.01 + 0.98 * numbers.next() });
            }
        }
        // A chain: a to b, b to parts of c and a again.
        let split = 0.02 + 0.96 * numbers.next();
        let part = |panel, of, from, to| Span { panel, of: Of::Edge(of), from, to };
        let seams = vec![
            seam("ab", vec![Span::edge(0, 1)], vec![Span::edge(1, 3).reversed()]),
            seam("bc", vec![part(1, 1, 0.0, split)], vec![part(2, 3, 1.0, 0.2)]),
            seam("ba", vec![part(1, 1, split, 1.0)], vec![part(0, 3, 0.9, 0.0)]),
        ];
        let mut garment = Garment { panels, seams, ..Garment::default() };
        let ratios: Vec<f64> =
            garment.seams.iter().map(|s| garment.length(&s.sides[1][0]) / garment.length(&s.sides[0][0])).collect();
        garment.seams.iter_mut().zip(ratios).for_each(|(s, r)| s.ratio = Some(r));
        for edge in [0.1, 0.03] {
            let cut = seams_match(&garment, edge, 0.4 * edge);
            notches_are_vertices(&garment, &cut, 0.4 * edge);
        }
    }
}

/// Within a length (m) along the edge.
fn notches_are_vertices(garment: &Garment, cut: &Cut, off: f64) {
    let places = places(&cut.cloth);
    for (p, panel) in (0..).zip(&garment.panels) {
        for notch in &panel.notches {
            let length = panel.edge_path(notch.edge).length();
            let list = &places[&(p, Of::Edge(notch.edge))];
            let nearest = list.iter().map(|(f, _)| (f - notch.at).abs() * length).fold(f64::INFINITY, f64::min);
            assert!(nearest <= off + 1e-12, "{} {notch:?}: {nearest} m off", panel.name);
        }
    }
}

#[test]
fn notches_are_vertices_on_both_sides() {
    let mut garment = pair();
    garment.panels[0].notches = vec![Notch { edge: 1, at: 0.37 }, Notch { edge: 0, at: 0.5 }];
    garment.panels[1].notches = vec![Notch { edge: 3, at: 0.2 }];
    let cut = seams_match(&garment, 0.03, 0.0);
    notches_are_vertices(&garment, &cut, 0.0);
    let at = |panel: u32, of: usize| fractions(&cut.cloth)[&(panel, Of::Edge(of))].clone();
    let has = |list: Vec<f64>, at: f64| list.iter().any(|f| (f - at).abs() < 1e-15);
    assert!(has(at(1, 3), 1.0 - 0.37) && has(at(0, 1), 0.8));
}

/// A dart of one panel closes: its legs have as many vertices, its point is one vertex.
#[test]
fn darts_close() {
    let mut one = garment(vec![rectangle("p", 0.4, 0.5)], vec![]);
    one.add_dart(0, 2, &Dart { at: 0.4, width: 0.03, depth: 0.12 }, "dart").unwrap();
    for edge in [0.1, 0.02] {
        let cut = seams_match(&one, edge, 0.0);
        let legs = fractions(&cut.cloth)[&(0, Of::Edge(3))].len();
        assert_eq!(cut.joins.len(), legs - 1);
        let cloth = cut.weld(&cut.cloth.mesh.positions).unwrap();
        assert_eq!(cloth.mesh.positions.len(), cut.cloth.mesh.positions.len() - cut.joins.len());
    }
}

/// Lines that end on an edge end at a vertex of it, whatever the edge length and however it is sewn.
#[test]
fn lines_end_at_vertices_of_the_outline() {
    let mut garment = pair();
    let path = vec![(DVec2::new(0.1, 0.2), Curve::Line), (DVec2::new(0.3, 0.273), Curve::Line)];
    garment.panels[0].lines.push(Line { name: "l".into(), path, kind: LineKind::Stitching });
    garment.panels[0].notches.push(Notch { edge: 1, at: 0.7 });
    for edge in [0.1, 0.04, 0.017] {
        let cut = seams_match(&garment, edge, 0.0);
        outlines_are_known(&cut.cloth);
        let places = places(&cut.cloth);
        let line = &places[&(0, Of::Line(0))];
        let on_edge: BTreeSet<u32> = places[&(0, Of::Edge(1))].iter().map(|(_, v)| *v).collect();
        assert_eq!(line[line.len() - 1].0, 1.0);
        assert!(on_edge.contains(&line[line.len() - 1].1), "at {edge}");
    }
}

/// A small bow with both ends on a sewn edge, beside a notch that both would be taken for: at any size the edge stays the edge.
#[test]
fn short_lines_do_not_collapse() {
    let mut garment = pair();
    let path =
        vec![(DVec2::new(0.3, 0.265), Curve::Quadratic(DVec2::new(0.5, 1.0))), (DVec2::new(0.3, 0.295), Curve::Line)];
    garment.panels[0].lines.push(Line { name: "bow".into(), path, kind: LineKind::Stitching });
    garment.panels[0].notches.push(Notch { edge: 1, at: 0.7 });
    assert_eq!(garment.problems(), vec![]);
    for edge in [0.1, 0.05, 0.02, 0.005] {
        let cut = seams_match(&garment, edge, 0.0);
        outlines_are_known(&cut.cloth);
        let sewn = cut.weld(&cut.cloth.mesh.positions).unwrap();
        sides_lie_where_they_say(&sewn.refine(&garment), &garment);
    }
}

/// A pleat in a sewn edge: its folds are lines that start on it.
#[test]
fn pleats_are_tacked() {
    let mut one = pair();
    one.seams[0].ratio = Some(0.4 / 0.36);
    one.add_pleat(0, 1, &Pleat { at: 0.45, depth: 0.02, length: 0.1, towards_start: false }, "pleat").unwrap();
    assert_eq!(one.problems(), vec![]);
    for edge in [0.1, 0.04, 0.015] {
        let cut = seams_match(&one, edge, 0.4 * edge);
        outlines_are_known(&cut.cloth);
        let cloth = cut.weld(&cut.cloth.mesh.positions).unwrap();
        assert!(cloth.mesh.positions.len() < cut.cloth.mesh.positions.len());
    }
}

/// A clockwise panel faces −z: its triangles run the other way, its weave is mirrored, its flat places are the same.
#[test]
fn clockwise_panels_are_mirrored() {
    let right = rectangle("r", 0.3, 0.2);
    let left = polygon("l", &[[0.0, 0.0], [0.0, 0.2], [0.3, 0.2], [0.3, 0.0]]);
    for (panel, facing) in [(right, 1.0), (left, -1.0)] {
        let mut panel = panel;
        panel.grain = 0.2;
        let cloth = cut(&garment(vec![panel], vec![]), None, 0.05).unwrap().cloth;
        for t in 0..cloth.panels.len() {
            let [a, b, c] = cloth.mesh.triangles[t].map(|v| cloth.mesh.positions[v as usize]);
            assert!(facing * (b - a).cross(c - a).z > 0.0);
            assert!(cloth.mesh.rest_area(t) > 0.0);
            assert!((area(&cloth.flat[t]) * facing / cloth.mesh.rest_area(t) - 1.0).abs() < 1e-12);
            // The warp, material v, lies at the grain's angle to the panel's y: up to a mirror of u the same weave.
            let turned = DVec2::from_angle(-0.2).rotate(cloth.flat[t][0]);
            assert!(cloth.mesh.material[t][0].distance(DVec2::new(facing * turned.x, turned.y)) < 1e-15);
        }
    }
}

#[test]
fn what_cannot_be_cut_is_named() {
    let mut wrapped = pair();
    wrapped.panels[1].placement = Placement::Wrapped { point: "torso-front".into(), anchor: DVec2::ZERO, turn: 0.0 };
    let error = cut(&wrapped, None, 0.05).unwrap_err();
    assert!(error.to_string().contains("`right` is placed at `torso-front`"), "{error}");
    for edge in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-300] {
        assert!(cut(&pair(), None, edge).unwrap_err().to_string().contains("edge length"));
    }
    let error = cut(&pair(), None, 1e-6).unwrap_err();
    assert!(matches!(&error, CutError::Panel { panel, .. } if panel == "left"), "{error}");
    // An edge sewn to all of another and to half of it: every cut asks for one at half its place, without end.
    let mut twice = pair();
    let half = Span { to: 0.5, ..Span::edge(1, 3) };
    twice.seams.push(seam("again", vec![Span::edge(0, 1).reversed()], vec![half]));
    assert_eq!(twice.problems(), vec![]);
    let error = cut(&twice, None, 0.05).unwrap_err();
    assert!(error.to_string().contains("its sides are cut into"), "{error}");
}
