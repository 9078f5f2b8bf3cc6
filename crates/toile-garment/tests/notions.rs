//! What is sewn into a garment beside its seams, on a few triangles, against closed forms.

#![allow(clippy::unwrap_used)] // test equipment: a failure is a failed test

use glam::{DQuat, DVec2, DVec3};
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use toile_contact::obstacle::ellipsoid;
use toile_core::fabric::Fabric;
use toile_core::mesh::Topology;
use toile_garment::cloth::Cloth;
use toile_garment::drape::{Draped, Figure, Item, Options, Settled, drape};
use toile_garment::pattern::{
    Attachment, Button, Curve, Edge, Garment, Line, LineKind, Of, Panel, Placement, Pocket, Seam, Span, Tape,
};

const MODULUS: f64 = 300.0;

fn rectangle(name: &str, size: [f64; 2], placement: Placement) -> Panel {
    let corners = [[-0.5, 0.0], [0.5, 0.0], [0.5, 1.0], [-0.5, 1.0]];
    let start = |c: [f64; 2]| DVec2::new(c[0] * size[0], c[1] * size[1]);
    let outline = corners.map(|c| Edge { start: start(c), curve: Curve::Line, label: None }).to_vec();
    Panel { name: name.into(), outline, placement, ..Panel::default() }
}

/// Upright before (z > 0) or behind a body, its lower edge at a height, its right side out (m).
fn upright(low: f64, z: f64) -> Placement {
    let rotation = DQuat::from_rotation_y(if z < 0.0 { PI } else { 0.0 });
    Placement::Flat { translation: DVec3::new(0.0, low, z), rotation }
}

/// Lying with its right side up (m).
fn lying(x: f64, height: f64) -> Placement {
    let rotation = DQuat::from_rotation_x(-FRAC_PI_2);
    Placement::Flat { translation: DVec3::new(x, height, 0.0), rotation }
}

fn tube(size: [f64; 2], low: f64, z: f64) -> Garment {
    let panels = vec![rectangle("front", size, upright(low, z)), rectangle("back", size, upright(low, -z))];
    let side = |name: &str, a, b| {
        let sides = [vec![Span::edge(0, a)], vec![Span::edge(1, b).reversed()]];
        Seam { name: name.into(), sides, ..Seam::default() }
    };
    Garment { panels, seams: vec![side("left", 1, 3), side("right", 3, 1)], ..Garment::default() }
}

fn draped(garment: &Garment, body: &Figure, edge: f64, coarse: f64) -> Draped {
    stiff(garment, body, edge, coarse, 2e-5)
}

fn stiff(garment: &Garment, body: &Figure, edge: f64, coarse: f64, rigidity: f64) -> Draped {
    assert_eq!(garment.problems(), vec![]);
    let fabric = Fabric::isotropic(MODULUS, 0.3, rigidity, 0.15).unwrap();
    drape(
        &[Item { garment, fabric: &fabric, others: &[] }],
        body,
        &Options { edge, coarse, ..Options::default() },
        &mut |_| {},
    )
    .unwrap()
}

/// At rest, and through nothing.
fn sound(draped: &Draped) -> &Settled {
    let settled = draped.settled.last().unwrap();
    assert!(settled.certificate.is_clear(), "{}", settled.certificate);
    assert!(settled.is_resting, "moved {} after {} steps", settled.moved, settled.steps);
    let carried = settled.support + settled.held;
    assert!((carried - 1.0).abs() < 0.01, "{carried} of the weight is carried");
    settled
}

/// An upright cylinder of so many corners about the origin.
fn cylinder(radius: f64, half: f64, corners: u32) -> Figure {
    let levels = 13;
    let mut vertices = vec![DVec3::Y * -half, DVec3::Y * half];
    for l in 0..levels {
        let y = half * (2.0 * f64::from(l) / f64::from(levels - 1) - 1.0);
        vertices.extend((0..corners).map(|k| {
            let angle = TAU * f64::from(k) / f64::from(corners);
            DVec3::new(radius * angle.sin(), y, radius * angle.cos())
        }));
    }
    let at = |l: u32, k: u32| 2 + l * corners + k % corners;
    let mut triangles = Vec::new();
    for k in 0..corners {
        triangles.push([0, at(0, k + 1), at(0, k)]);
        triangles.push([1, at(levels - 1, k), at(levels - 1, k + 1)]);
        for l in 0..levels - 1 {
            triangles.push([at(l, k), at(l, k + 1), at(l + 1, k + 1)]);
            triangles.push([at(l, k), at(l + 1, k + 1), at(l + 1, k)]);
        }
    }
    Figure { vertices, triangles }
}

/// A table whose top is at height 0.
fn table() -> Figure {
    let corner = |k: usize| {
        let sign = |bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
        DVec3::new(0.4 * sign(0), 0.05 * (sign(1) - 1.0), 0.4 * sign(2))
    };
    let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Figure { vertices: (0..8).map(corner).collect(), triangles }
}

/// Vertices of a panel at a flat place.
fn vertices_at(cloth: &Cloth, panel: u32, is_there: impl Fn(DVec2) -> bool) -> Vec<usize> {
    let mut found = Vec::new();
    for t in (0..cloth.panels.len()).filter(|t| cloth.panels[*t] == panel) {
        for k in (0..3).filter(|k| is_there(cloth.flat[t][*k])) {
            found.push(cloth.mesh.triangles[t][k] as usize);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// A tape round a cylinder, shorter than what it is sewn on. Its pressure is that of Laplace, T/r on each metre of it: with all forces of
/// the body on the cloth F at x from the axis, Σ F·x = T·(length of the tape).
#[test]
fn a_tape_presses_as_laplace_says() {
    let (radius, stiffness, ratio) = (0.1, 60.0, 0.8);
    let body = cylinder(radius, 0.3, 64);
    // As wide as the cylinder and the gap of contact: the fabric itself is not stretched.
    let width = 0.5 * TAU * (radius + 2.5e-3);
    let mut garment = tube([width, 0.12], -0.06, 0.14);
    let line = |p: &Panel| Line {
        name: format!("{}-waist", p.name),
        path: [-0.5 * width, 0.5 * width].map(|x| (DVec2::new(x, 0.06), Curve::Line)).to_vec(),
        kind: LineKind::Stitching,
    };
    garment.panels.iter_mut().for_each(|p| p.lines.push(line(p)));
    let whole = |panel| Span { panel, of: Of::Line(0), from: 0.0, to: 1.0 };
    // Without a tape nothing but this holds it.
    let spans = vec![Span::edge(0, 2), Span::edge(1, 2)];
    garment.attachments.push(Attachment { name: "top".into(), to: "waist".into(), spans });
    let free = draped(&garment, &body, 0.02, 0.02);
    garment.tapes.push(Tape { name: "elastic".into(), spans: vec![whole(0), whole(1)], ratio, stiffness });
    let taped = draped(&garment, &body, 0.02, 0.02);
    let virial = |d: &Draped| -> f64 {
        let s = sound(d);
        let on_cloth = s.contact.iter().zip(&d.worn[0].cloth.mesh.positions);
        on_cloth.map(|(f, x)| f.x * x.x + f.z * x.z).sum()
    };
    let mut length = 0.0;
    for (t, sides) in taped.worn[0].cloth.sides.iter().enumerate() {
        for k in (0..3).filter(|k| sides[*k].is_some_and(|s| s.of == Of::Line(0))) {
            let [a, b] = [k, (k + 1) % 3].map(|c| taped.worn[0].cloth.mesh.triangles[t][c] as usize);
            // Each side has a triangle above and one below.
            length += 0.5 * taped.worn[0].cloth.mesh.positions[a].distance(taped.worn[0].cloth.mesh.positions[b]);
        }
    }
    let tension = stiffness * (length / (ratio * 2.0 * width) - 1.0);
    assert!(tension > 0.2 * stiffness, "the tape pulls with {tension} N");
    let found = virial(&taped) - virial(&free);
    assert!((found / (tension * length) - 1.0).abs() < 0.03, "{found} J, by Laplace {} J", tension * length);
}

/// A strip that lies on a table, folded by 1.2 rad where a line says so: the flap of length L stands up by that angle, less what its weight takes. About
/// the fold the fabric of half a row of triangles on both sides bends, h in all: θ + σ g L²/2 · h/B · cos θ = 1.2.
#[test]
fn a_fold_line_folds() {
    let (flap, rigidity, row): (f64, f64, f64) = (0.04, 4e-4, 0.02);
    let mut garment = Garment { panels: vec![rectangle("strip", [0.1, 0.2], lying(0.0, 0.01))], ..Garment::default() };
    let path = [-0.05, 0.05].map(|x| (DVec2::new(x, 0.16), Curve::Line)).to_vec();
    garment.panels[0].lines.push(Line { name: "fold".into(), path, kind: LineKind::Fold { angle: 1.2 } });
    let result = stiff(&garment, &table(), row, row, rigidity);
    sound(&result);
    let y = |flat: f64| {
        let of = vertices_at(&result.worn[0].cloth, 0, |p| (p.y - flat).abs() < 1e-9);
        assert!(!of.is_empty());
        of.iter().map(|v| result.worn[0].cloth.mesh.positions[*v].y).sum::<f64>() / of.len() as f64
    };
    let angle = ((y(0.2) - y(0.16)) / flap).asin();
    let mut expected = 1.2f64;
    for _ in 0..50 {
        expected = 1.2 - 0.15 * 9.81 * flap * flap / 2.0 * row / rigidity * expected.cos();
    }
    assert!((angle - expected).abs() < 0.03, "{angle}, expected {expected}");
}

/// Two strips that overlap are drawn onto each other by a button two centimetres off.
#[test]
fn a_button_holds_two_flaps() {
    let panels =
        vec![rectangle("under", [0.2, 0.1], lying(-0.08, 0.01)), rectangle("over", [0.2, 0.1], lying(0.08, 0.02))];
    let ends = [(0, DVec2::new(0.085, 0.047)), (1, DVec2::new(-0.055, 0.053))];
    let buttons = vec![Button { name: "button".into(), ends }];
    let result = draped(&Garment { panels, buttons, ..Garment::default() }, &table(), 0.02, 0.02);
    let settled = sound(&result);
    assert!(settled.button_gap < 1e-3, "open by {} m", settled.button_gap);
    // Flat strips that slide and turn on the table: where the button is on each of them is one place in space, to a few millimetres.
    let spot = |(panel, p): (usize, DVec2)| {
        let corner = |x: f64, y: f64| {
            let of = vertices_at(&result.worn[0].cloth, panel as u32, |p| p.distance(DVec2::new(x, y)) < 1e-9);
            result.worn[0].cloth.mesh.positions[of[0]]
        };
        let origin = corner(-0.1, 0.0);
        origin + (p.x + 0.1) / 0.2 * (corner(0.1, 0.0) - origin) + p.y / 0.1 * (corner(-0.1, 0.1) - origin)
    };
    let spots = ends.map(spot);
    assert!(spots[0].distance(spots[1]) < 4e-3, "{spots:?}");
}

/// A tube five centimetres wider than the body all round: nothing but its upper edge holds it, six centimetres below where it was closed.
#[test]
fn an_attached_edge_carries_what_contact_does_not() {
    let (vertices, triangles) = ellipsoid(DVec3::new(0.1, 0.3, 0.1), 3);
    let body = Figure { vertices, triangles };
    let mut garment = tube([0.5, 0.2], -0.1, 0.16);
    let spans = vec![Span::edge(0, 2), Span::edge(1, 2)];
    garment.attachments.push(Attachment { name: "waist".into(), to: "waist".into(), spans });
    let result = draped(&garment, &body, 0.04, 0.08);
    let settled = sound(&result);
    assert!(settled.held > 0.9, "{} of the weight is held", settled.held);
    let top = vertices_at(&result.worn[0].cloth, 0, |p| p.y > 0.199);
    for v in top {
        let y = result.worn[0].cloth.mesh.positions[v].y;
        assert!((y - 0.04).abs() < 0.02, "the upper edge is at {y}");
    }
}

/// A pocket on the front of a tube, before and after triangles are split: nowhere off its line, and nothing crosses though no pair is left out.
#[test]
fn a_pocket_lies_on_its_line() {
    let (vertices, triangles) = ellipsoid(DVec3::new(0.15, 0.25, 0.12), 3);
    let body = Figure { vertices, triangles };
    let mut garment = tube([0.4, 0.15], 0.08, 0.17);
    garment.panels.push(rectangle("bag", [0.1, 0.08], Placement::default()));
    let pocket = Pocket { panel: 2, on: 0, at: DVec2::new(0.03, 0.03), turn: 0.1, open: vec![2] };
    garment.add_pocket(&pocket, "pocket").unwrap();
    for (edge, coarse) in [(0.03, 0.03), (0.015, 0.03)] {
        let result = draped(&garment, &body, edge, coarse);
        let settled = sound(&result);
        assert!(result.sewing().open < 0.5e-3 && settled.layer_gap < 0.5e-3, "open by {} m", settled.layer_gap);
        Topology::new(&result.worn[0].cloth.mesh).unwrap();
        // Every vertex of the three sewn edges lies on the panel below; those of the open one do not.
        let sewn = vertices_at(&result.worn[0].cloth, 2, |p| p.y < 0.0799 && (p.y < 1e-9 || p.x.abs() > 0.0499));
        assert!(sewn.len() > 6);
        for v in sewn {
            assert!(result.worn[0].cloth.ties.iter().any(|t| t.contains(&(v as u32))), "vertex {v} is loose");
        }
    }
}
