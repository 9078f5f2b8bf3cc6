//! From panels to cloth and back: division, welding, refinement, mapping, carrying.

mod carry;
mod cutting;
mod mapping;
mod refine;
mod stand;
mod weld;

use super::*;
use crate::draft::Measurements;
use crate::draft::draft;
use crate::pattern::{Curve, Edge, Garment, Notch, Placement, Seam, Span};
use glam::{DQuat, DVec3};
use std::collections::BTreeMap;

/// A panel with straight edges; its front in the plane of x and y.
fn polygon(name: &str, corners: &[[f64; 2]]) -> Panel {
    let edge = |p: &[f64; 2]| Edge { start: DVec2::from(*p), curve: Curve::Line, label: None };
    Panel { name: name.into(), outline: corners.iter().map(edge).collect(), ..Panel::default() }
}

/// Edges in order: below, right, above, left.
fn rectangle(name: &str, width: f64, height: f64) -> Panel {
    polygon(name, &[[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]])
}

fn at(mut panel: Panel, x: f64, y: f64, z: f64) -> Panel {
    panel.placement = Placement::Flat { translation: DVec3::new(x, y, z), rotation: DQuat::IDENTITY };
    panel
}

fn seam(name: &str, first: Vec<Span>, second: Vec<Span>) -> Seam {
    Seam { name: name.into(), sides: [first, second], ..Seam::default() }
}

fn garment(panels: Vec<Panel>, seams: Vec<Seam>) -> Garment {
    let garment = Garment { name: "test".into(), panels, seams, ..Garment::default() };
    assert_eq!(garment.problems(), vec![]);
    garment
}

/// Two rectangles beside each other, sewn along one edge.
fn pair() -> Garment {
    let panels = vec![rectangle("left", 0.3, 0.4), at(rectangle("right", 0.25, 0.4), 0.3, 0.0, 0.0)];
    garment(panels, vec![seam("middle", vec![Span::edge(0, 1)], vec![Span::edge(1, 3).reversed()])])
}

/// Two rectangles in front of each other, sewn along both sides; right sides out.
fn tube() -> Garment {
    let mut back = at(rectangle("back", 0.3, 0.2), 0.3, 0.0, -0.1);
    if let Placement::Flat { rotation, .. } = &mut back.placement {
        *rotation = DQuat::from_rotation_y(std::f64::consts::PI);
    }
    let one = seam("one", vec![Span::edge(0, 1)], vec![Span::edge(1, 3).reversed()]);
    let other = seam("other", vec![Span::edge(0, 3)], vec![Span::edge(1, 1).reversed()]);
    garment(vec![rectangle("front", 0.3, 0.2), back], vec![one, other])
}

/// A draft for a body of usual size, its panels all at the origin: only where panels start needs a body.
fn flat_draft(name: &str) -> Garment {
    let mut garment = draft(name, &Measurements::of_size("F38").unwrap(), None).unwrap();
    garment.panels.iter_mut().for_each(|p| p.placement = Placement::default());
    garment
}

/// Curved edges of all kinds, a dart, a line inside, grain at an angle, and a clockwise neighbour.
fn curved() -> Garment {
    let mut front = polygon("front", &[[-0.24, 0.0], [0.24, 0.0], [0.18, 0.6], [-0.18, 0.6]]);
    front.outline[1].curve = Curve::Quadratic(DVec2::new(0.6, -0.06));
    front.outline[2].curve = Curve::Arc { radius: 0.5, large: false, right: false };
    front.outline[3].curve = Curve::Cubic(DVec2::new(0.3, -0.04), DVec2::new(0.7, 0.03));
    front.grain = 0.3;
    let path =
        vec![(DVec2::new(-0.1, 0.1), Curve::Quadratic(DVec2::new(0.5, 0.2))), (DVec2::new(0.1, 0.15), Curve::Line)];
    front.lines.push(crate::pattern::Line { name: "line".into(), path, kind: crate::pattern::LineKind::Stitching });
    let back = at(polygon("back", &[[-0.2, 0.0], [-0.18, 0.59], [0.18, 0.59], [0.2, 0.0]]), 0.0, 0.0, -0.3);
    let mut garment =
        garment(vec![front, back], vec![seam("side", vec![Span::edge(0, 1)], vec![Span::edge(1, 2).reversed()])]);
    let dart = crate::pattern::Dart { at: 0.4, width: 0.025, depth: 0.1 };
    garment.add_dart(0, 2, &dart, "dart").unwrap();
    assert_eq!(garment.problems(), vec![]);
    garment
}

/// Numbers between 0 and 1 that look random.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

fn area(corners: &[DVec2; 3]) -> f64 {
    0.5 * (corners[1] - corners[0]).perp_dot(corners[2] - corners[0])
}

/// Flat area of a panel's triangles (m²).
fn panel_area(cloth: &Cloth, panel: u32) -> f64 {
    (0..cloth.panels.len()).filter(|t| cloth.panels[*t] == panel).map(|t| area(&cloth.flat[t]).abs()).sum()
}

/// Fractions at which a panel's edge or line has places.
fn fractions(cloth: &Cloth) -> BTreeMap<(u32, Of), Vec<f64>> {
    let mut found: BTreeMap<(u32, Of), Vec<f64>> = BTreeMap::new();
    for (sides, panel) in cloth.sides.iter().zip(&cloth.panels) {
        for trail in sides.iter().flatten() {
            found.entry((*panel, trail.of)).or_default().extend([trail.from, trail.to]);
        }
    }
    for list in found.values_mut() {
        list.sort_by(f64::total_cmp);
        list.dedup();
    }
    found
}

/// Every side that knows its edge or line lies there, to the bit; ends of lines may lie at a vertex of the outline instead.
fn sides_lie_where_they_say(cloth: &Cloth, garment: &Garment) {
    let key = |panel: u32, p: DVec2| (panel, p.x.to_bits(), p.y.to_bits());
    let mut paths = BTreeMap::new();
    let mut on_edges = std::collections::BTreeSet::new();
    let mut ends = Vec::new();
    for (t, &panel) in cloth.panels.iter().enumerate() {
        for (k, trail) in cloth.sides[t].iter().enumerate() {
            let Some(trail) = trail else { continue };
            let path = paths.entry((panel, trail.of)).or_insert_with(|| garment.panels[panel as usize].path(trail.of));
            for (p, f) in [(cloth.flat[t][k], trail.from), (cloth.flat[t][(k + 1) % 3], trail.to)] {
                match trail.of {
                    Of::Edge(_) => _ = on_edges.insert(key(panel, p)),
                    Of::Line(_) if (f == 0.0 || f == 1.0) && p != path.at(f) => {
                        ends.push(key(panel, p));
                        continue;
                    }
                    Of::Line(_) => {}
                }
                assert_eq!(p, path.at(f), "panel {panel} {trail:?}");
            }
        }
    }
    assert!(ends.iter().all(|end| on_edges.contains(end)));
}
