//! Where panels start.

use super::*;
use crate::body::{mannequin, measure};
use std::f64::consts::TAU;

/// On a cylinder two places are dy and the chord 2 R sin(dx / 2R) apart: nothing is stretched.
#[test]
fn bent_panels_keep_their_lengths() {
    let (up, out) = (DVec3::new(0.6, 0.8, 0.0), DVec3::new(0.0, 0.0, -1.0));
    let (anchor, centre, radius) = (DVec2::new(0.1, 0.4), DVec3::new(0.2, 1.3, 0.1), 0.08);
    let stand = Stand::Bent { anchor, centre, up, out, radius, bow: Bow::default(), taper: Taper::default() };
    assert!(stand.place(anchor).distance(centre + radius * out) < 1e-15);
    let mut numbers = Numbers(5);
    for _ in 0..100 {
        let [p, q] = [0, 1].map(|_| DVec2::new(0.4 * numbers.next() - 0.1, numbers.next()));
        let (x, y) = (stand.place(p), stand.place(q));
        let chord = 2.0 * radius * ((p.x - q.x) / (2.0 * radius)).sin();
        assert!((x.distance(y) - chord.hypot(p.y - q.y)).abs() < 1e-14);
        let from_axis = x - centre - up * up.dot(x - centre);
        assert!((from_axis.length() - radius).abs() < 1e-15);
    }
    // The panel's z, its right side, faces away from the axis.
    let step = |d: DVec2| stand.place(anchor + 1e-6 * d) - stand.place(anchor);
    assert!(step(DVec2::X).cross(step(DVec2::Y)).normalize().dot(out) > 1.0 - 1e-9);
}

/// Further out: a flat panel the way it faces, a bent one on a wider cylinder, still without stretch.
#[test]
fn panels_in_the_way_move_out() {
    let rotation = DQuat::from_rotation_y(0.5);
    let flat = Stand::Flat { translation: DVec3::ONE, rotation };
    let p = DVec2::new(0.3, 0.2);
    for facing in [1.0, -1.0] {
        let moved = flat.further(0.05, facing).place(p) - flat.place(p);
        assert!(moved.distance(facing * 0.05 * (rotation * DVec3::Z)) < 1e-15);
    }
    let (bow, taper) = (Bow::default(), Taper::default());
    let bent = Stand::Bent { anchor: p, centre: DVec3::ZERO, up: DVec3::Y, out: DVec3::X, radius: 0.1, bow, taper };
    let (near, far) = (bent.place(p + DVec2::Y), bent.further(0.02, 1.0).place(p + DVec2::Y));
    assert!(near.distance(DVec3::new(0.1, 1.0, 0.0)) < 1e-15 && far.distance(DVec3::new(0.12, 1.0, 0.0)) < 1e-15);
}

/// The panels of a T-shirt and of trousers round a mannequin: anchors at their points, nothing in the body, legs beside each other.
#[test]
fn panels_start_clear_of_the_body() {
    let body = mannequin(&crate::body::Measurements::of_size("F38").unwrap()).unwrap();
    let figures = measure(&body.vertices, &body.triangles).unwrap();
    let waist = figures.floor + figures.girths.iter().find(|g| g.name == "waist").unwrap().level;
    let torso = || body.vertices.iter().filter(|x| (x.y - waist).abs() < 0.05 && x.x.abs() < 0.2).map(|x| x.z);
    for name in ["t-shirt", "trousers"] {
        let garment = draft(name, &Measurements::of_size("F38").unwrap(), None).unwrap();
        let cut = cut(&garment, Some(&figures), 0.04).unwrap();
        for (p, panel) in garment.panels.iter().enumerate() {
            let Placement::Wrapped { point, anchor, .. } = &panel.placement else { panic!("{}", panel.name) };
            let x = cut.stands[p].place(*anchor);
            let own = &cut.cloth.mesh.positions[cut.vertices[p].start as usize..cut.vertices[p].end as usize];
            match (point.as_str(), cut.stands[p]) {
                ("torso-front" | "torso-back", Stand::Flat { .. }) => {
                    assert!(x.x.abs() < 1e-12 && (x.y - waist).abs() < 1e-12, "{point}: {x}");
                    let is_clear = if point == "torso-front" {
                        torso().fold(f64::MIN, f64::max) < x.z
                    } else {
                        torso().fold(f64::MAX, f64::min) > x.z
                    };
                    assert!(is_clear && own.iter().all(|y| (y.z - x.z).abs() < 1e-12), "{point}: {x}");
                }
                ("arm-left" | "arm-right", Stand::Bent { centre, up, out, radius, .. }) => {
                    let side = if point == "arm-left" { 1.0 } else { -1.0 };
                    assert!(x.distance(centre + radius * out) < 5e-3, "bowed by {}", x.distance(centre + radius * out));
                    assert!(side * out.x > 0.0 && up.y > 0.0 && up.dot(out).abs() < 1e-12);
                    let shoulder = figures.shoulders[usize::from(side < 0.0)];
                    // The bow is across the arm.
                    assert!((up.dot(x - shoulder)).abs() < 1e-9, "{point} is at {x}, the shoulder at {shoulder}");
                }
                (leg, Stand::Flat { .. }) if leg.starts_with("leg") => {
                    let side = if leg.contains("left") { 1.0 } else { -1.0 };
                    assert!(own.iter().all(|y| side * y.x > 0.0), "{leg} reaches over the middle");
                    // The shin is behind its lower end, which an upright panel would have beside it.
                    let low = own.iter().map(|y| y.y).fold(f64::MAX, f64::min);
                    let hem: Vec<f64> = own.iter().filter(|y| y.y < low + 0.05).map(|y| y.x).collect();
                    let middle = hem.iter().sum::<f64>() / hem.len() as f64;
                    let legs = figures.legs.iter().flat_map(|l| l.stations.last());
                    let shin = legs.map(|s| s.centre.x).find(|x| x * side > 0.0).unwrap();
                    assert!((middle - shin).abs() < 0.5 * (x.x - shin).abs(), "{leg}: {middle} {shin} {}", x.x);
                }
                (_, Stand::Bent { .. } | Stand::Flat { .. }) => {}
                (point, Stand::Cone { .. }) => panic!("{point} is no place of {name}"),
            }
        }
    }
}

/// Ponchos lie level above the shoulders, the neck in their middle; a ring skirt hangs from the waist, clear of body and arms, front and
/// back edge to edge. What is longer than the cone is round lies in folds: below the waist no edge is stretched or pressed by
/// three tenths, where a plain cone would press the hem to six tenths.
#[test]
fn rings_start_round_the_body() {
    let body = mannequin(&crate::body::Measurements::of_size("F38").unwrap()).unwrap();
    let figures = measure(&body.vertices, &body.triangles).unwrap();
    let measures = Measurements::of_body(&figures, 0.0);
    let poncho = cut(&draft("poncho-round", &measures, None).unwrap(), Some(&figures), 0.04).unwrap();
    let (low, high) = (figures.neck_base.y, figures.neck.y);
    assert!(poncho.cloth.mesh.positions.iter().all(|x| x.y > low && x.y < high), "between {low} and {high}");
    let apart = |cut: &Cut| cut.widest(&cut.cloth.mesh.positions).unwrap().0;
    assert!(apart(&poncho) < 1e-12);
    let skirt = cut(&draft("circle-skirt", &measures, None).unwrap(), Some(&figures), 0.04).unwrap();
    assert!(apart(&skirt) < 1e-12);
    for (range, side) in skirt.vertices.iter().zip([1.0, -1.0]) {
        let own = &skirt.cloth.mesh.positions[range.start as usize..range.end as usize];
        let Stand::Cone { centre, rim, .. } = skirt.stands[0] else { panic!("{:?}", skirt.stands[0]) };
        for x in own {
            let out = (x.x - centre.x).hypot(x.z - centre.z);
            // Folds of the sides swing over the middle by a hand's breadth; arcs are walked in chords, known to a micrometre.
            assert!(side * (x.z - centre.z) > -0.1 && out > rim - 0.02 && x.y < centre.y + 2e-6, "{x}");
            // Hands hang further out than the cone is wide there.
            let wrist = figures.wrists[0];
            assert!(
                (x.y - wrist.y).abs() > 0.05 || out < (wrist.x - centre.x).abs() - 0.05,
                "{x} is at the wrist, {wrist}"
            );
        }
    }
    let Cloth { mesh, flat, .. } = &skirt.cloth;
    for (corners, places) in mesh.triangles.iter().zip(flat).filter(|(_, p)| p.iter().all(|p| p.length() > 0.25)) {
        for k in 0..3 {
            let [x, y] = [k, (k + 1) % 3].map(|k| mesh.positions[corners[k] as usize]);
            let ratio = x.distance(y) / places[k].distance(places[(k + 1) % 3]);
            assert!((0.7..1.3).contains(&ratio), "{ratio} at {x}");
        }
    }
    // Folds turn sideways; all together the right side is outside.
    let facing = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
        (b - a).cross(c - a).dot((a + b + c) / 3.0 - DVec3::Y * a.y)
    };
    assert!(mesh.triangles.iter().map(facing).sum::<f64>() > 0.0, "the skirt faces the body");
}

/// The axis of a long sleeve keeps to the arm, from shoulder to wrist.
#[test]
fn sleeves_follow_bent_arms() {
    let body = mannequin(&crate::body::Measurements::of_size("F38").unwrap()).unwrap();
    let figures = measure(&body.vertices, &body.triangles).unwrap();
    let measures = Measurements::of_body(&figures, 0.0);
    let garment = draft("shirt", &measures, None).unwrap();
    let cut = cut(&garment, Some(&figures), 0.04).unwrap();
    let stand = cut.stands[garment.panel("sleeve-left").unwrap()].tapered();
    let Stand::Bent { anchor, centre, up, out, bow, taper, .. } = stand else { panic!("{stand:?}") };
    for station in &figures.arms[0].stations {
        let below = -up.dot(station.centre - centre);
        let axis = centre - up * below + bow.at(below);
        assert!(axis.distance(station.centre) < 0.02, "{} is beside the arm at {}", axis, station.centre);
    }
    assert!(anchor.y > 0.0 && bow.middle.length() > 5e-3, "{bow:?}");
    // At the wrist both sides of the seam are behind the arm, and the line between them passes it.
    let sleeve = &garment.panels[garment.panel("sleeve-left").unwrap()];
    let hem = sleeve.edge_path(sleeve.outline.iter().position(|e| e.label.as_deref() == Some("hem")).unwrap());
    let wrist = figures.arms[0].stations.last().unwrap();
    for end in [0.0, 1.0].map(|at| stand.place(hem.at(at))) {
        let behind = -out.dot(end - (centre - up * (anchor.y - hem.at(0.0).y) + bow.at(anchor.y - hem.at(0.0).y)));
        assert!(behind > wrist.girth / TAU, "{behind} for a wrist of {}", wrist.girth / TAU);
    }
    assert!(taper.below.abs() < 1e-9 && taper.per_metre > 0.1, "{taper:?}");
}
