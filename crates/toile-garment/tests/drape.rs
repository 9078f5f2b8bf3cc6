//! A tube of two panels sewn round an ellipsoid: the way of a garment from cutting to rest, on few triangles.

use glam::{DQuat, DVec2, DVec3};
use std::f64::consts::PI;
use toile_contact::obstacle::ellipsoid;
use toile_core::fabric::Fabric;
use toile_garment::cloth::cut;
use toile_garment::drape::{DrapeError, Draped, Figure, Item, Options, Progress, Worn, drape, settle};
use toile_garment::pattern::{Attachment, Curve, Edge, Garment, Panel, Placement, Seam, Span};

/// A rectangle before or behind a body, its lower edge at a height, its right side out (m).
fn panel(name: &str, [width, height]: [f64; 2], low: f64, z: f64) -> Panel {
    let corners = [[-0.5, 0.0], [0.5, 0.0], [0.5, 1.0], [-0.5, 1.0]];
    let start = |c: [f64; 2]| DVec2::new(c[0] * width, c[1] * height);
    let outline = corners.map(|c| Edge { start: start(c), curve: Curve::Line, label: None }).to_vec();
    let rotation = DQuat::from_rotation_y(if z < 0.0 { PI } else { 0.0 });
    let placement = Placement::Flat { translation: DVec3::new(0.0, low, z), rotation };
    Panel { name: name.into(), outline, placement, ..Panel::default() }
}

fn tube(size: [f64; 2], low: f64, z: f64) -> Garment {
    let panels = vec![panel("front", size, low, z), panel("back", size, low, -z)];
    let side = |name: &str, a, b| {
        let sides = [vec![Span::edge(0, a)], vec![Span::edge(1, b).reversed()]];
        Seam { name: name.into(), sides, ..Seam::default() }
    };
    let garment = Garment { panels, seams: vec![side("left", 1, 3), side("right", 3, 1)], ..Garment::default() };
    assert_eq!(garment.problems(), vec![]);
    garment
}

fn body(half: DVec3) -> Figure {
    let (vertices, triangles) = ellipsoid(half, 3);
    Figure { vertices, triangles }
}

fn draped(garment: &Garment, body: &Figure, edge: f64) -> Result<Draped, DrapeError> {
    let fabric = Fabric::isotropic(300.0, 0.3, 2e-5, 0.15)?;
    let item = Item { garment, fabric: &fabric, others: &[] };
    drape(&[item], body, &Options { edge, coarse: edge, ..Options::default() }, &mut |_| {})
}

/// 80 cm round, where the body is 85 cm at its widest: the tube comes to rest above that. All of its weight is on the body.
#[test]
fn a_tube_closes_and_rests_on_the_body() {
    let (garment, body) = (tube([0.4, 0.15], 0.08, 0.17), body(DVec3::new(0.15, 0.25, 0.12)));
    let first = draped(&garment, &body, 0.05).unwrap();
    assert!(first.worn[0].sewing.open < 0.5e-3, "{:?}", first.worn[0].sewing);
    let settled = first.settled.last().unwrap();
    assert!(settled.certificate.is_clear());
    assert!(settled.is_resting, "moved {} after {} steps", settled.moved, settled.steps);
    assert!((settled.support - 1.0).abs() < 0.01, "the body carries {} of the weight", settled.support);
    let heights = || first.worn[0].cloth.mesh.positions.iter().map(|x| x.y);
    let middle = heights().sum::<f64>() / heights().count() as f64;
    assert!(middle > 0.0 && middle < 0.25, "the middle of the tube is at {middle}");
    let second = draped(&garment, &body, 0.05).unwrap();
    assert_eq!(first.worn[0].cloth, second.worn[0].cloth);
    assert_eq!(settled, second.settled.last().unwrap());
}

/// A heavy band of soft cloth, 64 cm round, on a body of 85 cm. Its upper edge stretches and slides down to hang from its attachment; attached to the
/// waist it keeps its length, and the body carries it.
#[test]
fn a_waist_rests_where_its_length_fits() {
    let body = body(DVec3::new(0.15, 0.25, 0.12));
    let worn = |to: &str| {
        let mut garment = tube([0.32, 0.06], 0.1, 0.17);
        let spans = vec![Span::edge(0, 2), Span::edge(1, 2)];
        garment.attachments.push(Attachment { name: "top".into(), to: to.into(), spans });
        let fabric = Fabric::isotropic(20.0, 0.3, 2e-5, 2.5).unwrap();
        let item = Item { garment: &garment, fabric: &fabric, others: &[] };
        let options = Options { edge: 0.03, coarse: 0.03, ..Options::default() };
        let draped = drape(&[item], &body, &options, &mut |_| {}).unwrap();
        let cloth = &draped.worn[0].cloth;
        let top =
            cloth.flat.iter().flatten().zip(cloth.mesh.triangles.iter().flatten()).filter(|(flat, _)| flat.y > 0.0599);
        let heights: Vec<f64> = top.map(|(_, v)| cloth.mesh.positions[*v as usize].y).collect();
        let settled = draped.settled.last().unwrap().clone();
        assert!(settled.is_resting && settled.certificate.is_clear());
        (heights.iter().sum::<f64>() / heights.len() as f64, settled)
    };
    // As wide as the edge, with a gap of a millimetre or two: √(1 − (64/85)²) of 25 cm is 16 cm above the middle.
    let (height, settled) = worn("waist");
    assert!((height - 0.165).abs() < 0.015, "at {height} m");
    assert!(settled.held < 0.01 && (settled.support - 1.0).abs() < 0.01, "{} + {}", settled.support, settled.held);
    let (_, slid) = worn("elsewhere");
    assert!(slid.held > 0.1, "held by {} without a stay", slid.held);
}

/// The drape taken over to triangles of half the size: nowhere further from the old one than an edge, in both directions (S1-15). The pattern
/// drawn wider leaves every vertex where it is, and its cloth has the area of the new pattern.
#[test]
fn a_drape_outlives_its_mesh_and_its_pattern() {
    let (garment, body) = (tube([0.4, 0.15], 0.08, 0.17), body(DVec3::new(0.15, 0.25, 0.12)));
    let old = draped(&garment, &body, 0.05).unwrap().worn.remove(0).cloth;
    let pieces = cut(&garment, None, 0.025).unwrap();
    let mut fine = pieces.weld(&pieces.cloth.mesh.positions).unwrap();
    fine.mesh.positions = fine.carry(&old);
    assert!(fine.mesh.triangles.len() > 3 * old.mesh.triangles.len());
    let apart = |a: &[DVec3], b: &[DVec3]| {
        let nearest = |x: &DVec3| b.iter().map(|y| x.distance(*y)).fold(f64::INFINITY, f64::min);
        a.iter().map(nearest).fold(0.0, f64::max)
    };
    assert!(apart(&fine.mesh.positions, &old.mesh.positions) < 0.05);
    assert!(apart(&old.mesh.positions, &fine.mesh.positions) < 0.025);
    let wider = tube([0.44, 0.15], 0.08, 0.17);
    let redrawn = old.redrawn(&garment, &wider).unwrap();
    assert_eq!(redrawn.mesh.positions, old.mesh.positions);
    assert!((redrawn.mesh.total_rest_area() / wider.area() - 1.0).abs() < 1e-12);
}

/// A worn tube drawn narrower comes to rest from where it is, without being sewn again: further up, where the body is narrower. What rests
/// already hardly moves. Cloths must be as many as garments.
#[test]
fn a_worn_garment_settles_after_an_edit() {
    let (garment, body) = (tube([0.4, 0.15], 0.08, 0.17), body(DVec3::new(0.15, 0.25, 0.12)));
    let fabric = Fabric::isotropic(300.0, 0.3, 2e-5, 0.15).unwrap();
    let options = Options { edge: 0.05, coarse: 0.05, ..Options::default() };
    let mut old = draped(&garment, &body, 0.05).unwrap();
    let again = |worn: Vec<Worn>, garment: &Garment| {
        let item = Item { garment, fabric: &fabric, others: &[] };
        let is_settling = |p: &Progress| matches!(p, Progress::Settling { level: 0, levels: 1, .. });
        settle(worn, &[item], &body, &options, &mut |p| assert!(is_settling(&p), "{p:?}"))
    };
    let rested = again(old.worn.clone(), &garment).unwrap();
    let moved = |a: &Draped, b: &Draped| {
        let places = |d: &Draped| d.worn[0].cloth.mesh.positions.clone();
        places(a).iter().zip(places(b)).map(|(a, b)| a.distance(b)).fold(0.0, f64::max)
    };
    assert!(moved(&old, &rested) < 5e-3, "moved by {}", moved(&old, &rested));
    let narrower = tube([0.36, 0.15], 0.08, 0.17);
    old.worn[0].cloth = old.worn[0].cloth.redrawn(&garment, &narrower).unwrap();
    let new = again(old.worn.clone(), &narrower).unwrap();
    let settled = new.settled.last().unwrap();
    assert!(settled.is_resting && settled.certificate.is_clear() && (settled.support - 1.0).abs() < 0.01);
    let middle = |d: &Draped| {
        let positions = &d.worn[0].cloth.mesh.positions;
        positions.iter().map(|x| x.y).sum::<f64>() / positions.len() as f64
    };
    assert!(middle(&new) > middle(&old) + 0.01, "{} after {}", middle(&new), middle(&old));
    let error = again(Vec::new(), &narrower).unwrap_err();
    assert!(matches!(error, DrapeError::Count { worn: 0, items: 1 }), "{error}");
}

/// 32 cm round a body of 1.3 m: no fabric does that, and the seam is named.
#[test]
fn a_tube_that_is_far_too_small_stays_open() {
    let garment = tube([0.16, 0.15], -0.075, 0.15);
    let error = match draped(&garment, &body(DVec3::new(0.3, 1.0, 0.1)), 0.05) {
        Ok(draped) => panic!("closed to {} m", draped.worn[0].sewing.open),
        Err(error) => error,
    };
    let DrapeError::Open { seam, open_mm, .. } = error.cause() else { panic!("{error}") };
    assert!(["left", "right"].contains(&seam.as_str()));
    assert!(*open_mm > 50.0, "{error}");
    // What is left shows it: both panels, as wide apart as the message says.
    let cloth = error.left().unwrap();
    let [front, back] = [0, 1].map(|p| {
        let own = cloth.panels.iter().zip(&cloth.mesh.triangles).filter(|(panel, _)| **panel == p);
        own.flat_map(|(_, t)| t.map(|v| cloth.mesh.positions[v as usize])).collect::<Vec<_>>()
    });
    let nearest = |a: &DVec3| back.iter().map(|b| a.distance(*b)).fold(f64::INFINITY, f64::min);
    let apart = front.iter().map(nearest).fold(f64::INFINITY, f64::min);
    assert!(apart > 0.02 && apart <= 1e-3 * open_mm, "{apart} m for {open_mm} mm");
}

/// What cannot be sewn with coarse triangles is tried again with edges half as long, down to the wanted length and no further; when that fails,
/// too, what is told is the first failure.
#[test]
fn sewing_that_fails_is_tried_again_with_finer_triangles() {
    let (garment, body) = (tube([0.16, 0.15], -0.075, 0.15), body(DVec3::new(0.3, 1.0, 0.1)));
    let fabric = Fabric::isotropic(300.0, 0.3, 2e-5, 0.15).unwrap();
    let tried = |edge: f64| {
        let (mut told, item) = (Vec::new(), Item { garment: &garment, fabric: &fabric, others: &[] });
        let options = Options { edge, coarse: 0.05, ..Options::default() };
        let mut tell = |p| match p {
            Progress::Sewing { steps, open, .. } => told.push((steps, open)),
            Progress::Settling { .. } => panic!("sewn"),
        };
        let error = drape(&[item], &body, &options, &mut tell).unwrap_err();
        let DrapeError::Open { open_mm, .. } = *error.cause() else { panic!("{error}") };
        (told, open_mm)
    };
    let (once, open) = tried(0.05);
    let (twice, first) = tried(0.025);
    assert_eq!(first, open, "the first failure is told");
    assert_eq!(twice[..once.len()], once[..]);
    let again = &twice[once.len()..];
    assert!(!again.is_empty() && again[0].0 <= once[0].0, "not tried again");
    // Other triangles close otherwise.
    assert!(again.iter().zip(&once).any(|(a, b)| a.1 != b.1), "the same triangles again");
}

/// A tube over another: both rest, the body carries both, the outer one lies further out wherever they meet, and forces are told garment by
/// garment.
#[test]
fn a_tube_is_worn_over_another() {
    let body = body(DVec3::new(0.15, 0.25, 0.12));
    let (mut inner, mut outer) = (tube([0.40, 0.12], 0.09, 0.17), tube([0.42, 0.16], 0.06, 0.17));
    (inner.name, outer.name) = ("inner".into(), "outer".into());
    let fabric = Fabric::isotropic(300.0, 0.3, 2e-5, 0.15).unwrap();
    let options = Options { edge: 0.05, coarse: 0.05, ..Options::default() };
    let items = [&inner, &outer].map(|garment| Item { garment, fabric: &fabric, others: &[] });
    let draped = drape(&items, &body, &options, &mut |_| {}).unwrap();
    assert_eq!((draped.worn.len(), draped.settled.len()), (2, 2));
    let last = draped.settled.last().unwrap();
    assert!(last.certificate.is_clear() && last.is_resting, "moved {} after {} steps", last.moved, last.steps);
    let weight = |k: usize| 9.81 * 0.15 * draped.worn[k].cloth.mesh.total_rest_area();
    let carried = [0, 1].map(|k| draped.contact(k).iter().map(|f| f.y).sum::<f64>());
    // The body carries all; cloth on cloth cancels.
    assert!((carried[0] + carried[1] - weight(0) - weight(1)).abs() < 0.01 * (weight(0) + weight(1)));
    let on_body: f64 = last.on_body.iter().map(|f| f.y).sum();
    assert!((on_body + carried[0] + carried[1]).abs() < 1e-9, "{on_body} {carried:?}");
    // The outer tube presses on the inner one, and nothing of it is nearer to the axis where the inner one is.
    assert!((carried[1] - weight(1)).abs() < 0.05 * weight(1), "{carried:?} of {}", weight(1));
    let out = |x: &DVec3| (x.x / 0.15).hypot(x.z / 0.12);
    for x in &draped.worn[1].cloth.mesh.positions {
        let nearest =
            draped.worn[0].cloth.mesh.positions.iter().min_by(|a, b| a.distance(*x).total_cmp(&b.distance(*x)));
        let nearest = nearest.unwrap();
        assert!(nearest.distance(*x) > 0.03 || out(x) > out(nearest) - 0.1, "{x} is inside of {nearest}");
    }
}

/// A garment that slides off and a seam that cannot close name their garment where there are several.
#[test]
fn a_garment_that_fails_is_named_among_others() {
    let body = body(DVec3::new(0.3, 1.0, 0.1));
    let fabric = Fabric::isotropic(300.0, 0.3, 2e-5, 0.15).unwrap();
    let options = Options { edge: 0.05, coarse: 0.05, ..Options::default() };
    let mut small = tube([0.16, 0.15], -0.075, 0.15);
    small.name = "small".into();
    // 1.6 m round a body of 1.3 m, and 1.2 m: that one rests where the body is as wide.
    for (width, name, words) in [(0.8, "wide", "slides off"), (0.6, "small", "still open")] {
        let mut first = tube([width, 0.15], 0.4, 0.15);
        first.name = "wide".into();
        let items = [&first, &small].map(|garment| Item { garment, fabric: &fabric, others: &[] });
        let error = drape(&items, &body, &options, &mut |_| {}).unwrap_err();
        assert!(matches!(error.cause(), DrapeError::Open { .. } | DrapeError::SlidOff { .. }), "{error}");
        let said = error.to_string();
        assert!(said.contains(&format!("garment `{name}`")) && said.contains(words), "{said}");
    }
}
