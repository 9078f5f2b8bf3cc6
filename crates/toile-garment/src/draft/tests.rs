//! Drafts measure what was asked for, in all sizes.

use super::skirt::BAND;
use super::*;
use crate::pattern::{Of, Placement};
use glam::DVec2;

fn drawn(name: &str, body: &Measurements) -> Garment {
    draft(name, body, None).unwrap_or_else(|e| panic!("{name}: {e} for {body:?}"))
}

fn ease_of(name: &str) -> Ease {
    DRAFTS.iter().find(|d| d.name == name).unwrap().ease
}

/// Width of a panel along a horizontal line (m): ways inside the outline.
fn width(garment: &Garment, panel: &str, y: f64) -> f64 {
    let panel = &garment.panels[garment.panel(panel).unwrap()];
    let mut crossings = Vec::new();
    for edge in 0..panel.outline.len() {
        for pair in panel.edge_path(edge).points().windows(2) {
            if (pair[0].y > y) != (pair[1].y > y) {
                crossings.push(pair[0].x + (pair[1].x - pair[0].x) * (y - pair[0].y) / (pair[1].y - pair[0].y));
            }
        }
    }
    crossings.sort_by(f64::total_cmp);
    crossings.chunks_exact(2).map(|c| c[1] - c[0]).sum()
}

fn side(garment: &Garment, seam: &str, side: usize) -> f64 {
    let seam = garment.seams.iter().find(|s| s.name == seam).unwrap_or_else(|| panic!("no seam {seam}"));
    seam.sides[side].iter().map(|s| garment.length(s)).sum()
}

fn close(found: f64, wanted: f64, what: &str) {
    // A tenth of a millimetre: levels are measured a micrometre beside corners.
    assert!((found - wanted).abs() < 1e-4, "{what}: {found} instead of {wanted}");
}

fn sizes() -> impl Iterator<Item = (&'static str, Measurements)> {
    SIZES.iter().map(|size| (size.name, Measurements::of_size(size.name).unwrap()))
}

/// Every draft in every size is sound, and the sides of each seam agree within two per cent.
#[test]
fn seams_fit_in_all_sizes() {
    for entry in DRAFTS {
        for (size, body) in sizes() {
            let garment = drawn(entry.name, &body);
            for seam in &garment.seams {
                let [a, b] = [0, 1].map(|k| side(&garment, &seam.name, k));
                assert!((a / b - 1.0).abs() < 0.02, "{} {size}: {} {a} to {b}", entry.name, seam.name);
            }
        }
    }
}

/// Caps are as long as their armholes, half by half.
#[test]
fn sleeves_fit_their_armholes() {
    for name in ["t-shirt", "shirt"] {
        for (size, body) in sizes() {
            let garment = drawn(name, &body);
            for seam in ["armhole-front-left", "armhole-back-left", "armhole-front-right", "armhole-back-right"] {
                let [a, b] = [0, 1].map(|k| side(&garment, seam, k));
                assert!((a / b - 1.0).abs() < 1e-6, "{name} {size} {seam}: {a} {b}");
            }
            let arm = width(&garment, "sleeve-left", -1e-6);
            close(arm, body.upper_arm + ease_of(name).arm, "upper arm");
        }
    }
}

#[test]
fn tops_measure_body_and_ease() {
    for (_, body) in sizes() {
        let (garment, ease) = (drawn("t-shirt", &body), ease_of("t-shirt"));
        let girth = |y: f64| width(&garment, "front", y) + width(&garment, "back", y);
        let underarm = body.back_length - body.armhole_depth - 0.15 * ease.bust;
        close(girth(underarm - 1e-6), body.bust + ease.bust, "bust");
        close(girth(0.0), body.waist + ease.waist, "waist");
        close(girth(1e-6 - 0.75 * body.waist_to_hip), body.hip + ease.hip, "hem");
        let (garment, ease) = (drawn("shirt", &body), ease_of("shirt"));
        // Two fronts overlap by three centimetres, and are longer than the back by their bust darts.
        let front = |y| width(&garment, "front-left", y) + width(&garment, "front-right", y) - 0.03;
        let drop = if garment.seams.iter().any(|s| s.name == "bust-dart-left") { dart_width(&body) } else { 0.0 };
        let underarm = body.back_length - body.armhole_depth - 0.15 * ease.bust;
        close(front(underarm - 1e-6) + width(&garment, "back", underarm - 1e-6), body.bust + ease.bust, "shirt");
        close(front(-drop) + width(&garment, "back", 0.0), body.waist + ease.waist, "waist of the shirt");
    }
}

fn dart_width(body: &Measurements) -> f64 {
    0.25 * (body.bust - body.underbust - 0.06)
}

/// Women's shirts have bust darts, men's have none. Sleeves are as long as the arm and 2 cm, their ends wider than the wrist by 7 cm.
#[test]
fn shirts_have_room_for_bust_and_arms() {
    for (size, body) in sizes() {
        let garment = drawn("shirt", &body);
        let is_dart = |side: &str| garment.seams.iter().any(|s| s.name == format!("bust-dart-{side}"));
        assert_eq!([is_dart("left"), is_dart("right")], [size.starts_with('F'); 2], "{size}");
        let sleeve = &garment.panels[garment.panel("sleeve-left").unwrap()];
        let [low, high] = sleeve.bounds();
        close(high.y - low.y, body.sleeve_length + 0.02, "sleeve");
        let hem = sleeve.outline.iter().position(|e| e.label.as_deref() == Some("hem")).unwrap();
        close(sleeve.edge_path(hem).length(), body.wrist + 0.07, "cuff");
    }
}

/// The fall of a collar starts outside of the stand and hangs from its top, its underside going on from the outside of the stand; it covers the
/// seam of the stand, and its rim is longer than its roll line.
#[test]
fn collars_are_drawn_turned_down() {
    let garment = drawn("shirt", &Measurements::of_size("F38").unwrap());
    let [stand, fall] = ["collar-stand", "collar-fall"].map(|name| garment.panel(name).unwrap());
    let roll = garment.seams.iter().find(|s| s.name == "collar-roll").unwrap();
    let ends = [0, 1].map(|k| garment.panels[roll.sides[k][0].panel].path(roll.sides[k][0].of));
    assert!(roll.fold > 0.0 && ends.iter().all(|path| path.at(0.0).x > 0.1 && path.at(1.0).x < -0.1));
    assert!((ends[0].length() / ends[1].length() - 1.0).abs() < 1e-6);
    let low = |panel: usize| garment.panels[panel].edge_path(0).at(0.5).y;
    assert!(low(fall) < low(stand), "{} {}", low(fall), low(stand));
    assert!(garment.panels[fall].edge_path(0).length() > ends[1].length() + 0.02);
    assert!(garment.panels[fall].layer > garment.panels[stand].layer);
}

#[test]
fn dresses_and_skirts_measure_body_and_ease() {
    for (_, body) in sizes() {
        let (garment, ease) = (drawn("sheath-dress", &body), ease_of("sheath-dress"));
        let underarm = body.back_length - body.armhole_depth - 0.15 * ease.bust;
        let bust = width(&garment, "front", underarm - 1e-6) + width(&garment, "back", underarm - 1e-6);
        close(bust, body.bust + ease.bust, "bust");
        let waist: f64 = ["waist-front", "waist-back"].iter().map(|s| side(&garment, s, 1)).sum();
        close(waist, body.waist + ease.waist, "waist");
        let hip: f64 = ["skirt-front", "skirt-back"].iter().map(|p| width(&garment, p, -body.waist_to_hip)).sum();
        close(hip, body.hip + ease.hip, "hip");
        let (garment, ease) = (drawn("a-line-skirt", &body), ease_of("a-line-skirt"));
        let hip: f64 = ["front", "back"].iter().map(|p| width(&garment, p, BAND - body.waist_to_hip)).sum();
        close(hip, body.hip + ease.hip, "hip of the skirt");
        let waist: f64 = ["waist-front", "waist-back"].iter().map(|s| side(&garment, s, 0)).sum();
        close(waist, body.waist + ease.waist, "waist of the skirt");
        let garment = drawn("circle-skirt", &body);
        let waist: f64 = garment.attachments[0].spans.iter().map(|s| garment.length(s)).sum();
        close(waist, body.waist + 0.02, "waist of the circle");
    }
}

#[test]
fn trousers_measure_body_and_ease() {
    for (_, body) in sizes() {
        let (garment, ease) = (drawn("trousers", &body), ease_of("trousers"));
        let legs = ["left-front", "left-back", "right-front", "right-back"];
        let top = body.crotch_depth - BAND + 0.012;
        let level = top - (body.waist_to_hip - BAND).min(top - 0.04);
        let hip: f64 = legs.iter().map(|p| width(&garment, p, level)).sum();
        close(hip, body.hip + ease.hip, "hip");
        let waist: f64 = legs
            .iter()
            .map(|p| {
                let (side_of, face) = p.split_once('-').unwrap();
                side(&garment, &format!("waist-{side_of}-{face}"), 0)
            })
            .sum();
        close(waist, body.waist + ease.waist, "waist");
        // A leg goes through.
        let thigh = width(&garment, "left-front", -0.02) + width(&garment, "left-back", -0.02);
        assert!(thigh > body.thigh, "{thigh} {}", body.thigh);
        close(
            side(&garment, "inner-thigh-left", 0) + side(&garment, "inner-calf-left", 0),
            side(&garment, "inner-thigh-left", 1) + side(&garment, "inner-calf-left", 1),
            "inseam",
        );
    }
}

/// Whatever is asked for is where the body is: wrapped panels have their anchors on themselves, all outlines run
/// counter-clockwise, all edges are labelled or part of a dart, and hems are there.
#[test]
fn panels_are_placed_and_labelled() {
    const POINTS: [&str; 13] = [
        "torso-front",
        "torso-back",
        "arm-left",
        "arm-right",
        "leg-left-front",
        "leg-left-back",
        "leg-right-front",
        "leg-right-back",
        "neck-back",
        "shoulders-front",
        "shoulders-back",
        "waist-front",
        "waist-back",
    ];
    let body = Measurements::of_size("f38").unwrap();
    for entry in DRAFTS {
        let garment = drawn(entry.name, &body);
        assert_eq!(garment.name, entry.name);
        let darts: Vec<_> =
            garment.seams.iter().filter(|s| s.name.contains("dart")).flat_map(|s| s.sides.concat()).collect();
        for (p, panel) in garment.panels.iter().enumerate() {
            assert!(panel.signed_area() > 0.0, "{} {}", entry.name, panel.name);
            let [low, high] = panel.bounds();
            if let Placement::Wrapped { point, anchor, .. } = &panel.placement {
                assert!(POINTS.contains(&point.as_str()), "{point}");
                // Collars start up to 9 cm above where they belong.
                let low = if panel.name.starts_with("collar") { low - DVec2::Y * 0.09 } else { low };
                let inside = anchor.cmpge(low - 1e-9).all() && anchor.cmple(high + 1e-9).all();
                assert!(inside, "{} {}: {anchor} is not in {low} {high}", entry.name, panel.name);
            }
            for (e, edge) in panel.outline.iter().enumerate() {
                let dart = darts.iter().any(|s| s.panel == p && s.of == Of::Edge(e));
                assert!(edge.label.is_some() || dart, "{} {} {e}", entry.name, panel.name);
            }
        }
        let hems = garment
            .panels
            .iter()
            .flat_map(|p| &p.outline)
            .filter(|e| e.label.as_ref().is_some_and(|l| l.starts_with("hem")));
        assert!(hems.count() >= 2, "{}", entry.name);
    }
}

/// Left and right are what they are to the wearer: the left sleeve is sewn to the sides of front and back that face +x.
#[test]
fn left_is_the_wearers_left() {
    let garment = drawn("t-shirt", &Measurements::of_size("F38").unwrap());
    let seam = |name: &str| garment.seams.iter().find(|s| s.name == name).unwrap().sides[0][0];
    let front = seam("armhole-front-left");
    assert!(garment.panels[front.panel].path(front.of).at(0.5).x > 0.1);
    let back = seam("armhole-back-left");
    assert!(garment.panels[back.panel].path(back.of).at(0.5).x < -0.1);
}

#[test]
fn impossible_bodies_are_refused() {
    let body = Measurements::of_size("M50").unwrap();
    let told = |body: Measurements, ease| draft("t-shirt", &body, ease).unwrap_err().to_string();
    assert!(told(Measurements { bust: f64::NAN, ..body }, None).contains("bust is NaN cm"));
    assert!(told(Measurements { height: 18.0, ..body }, None).contains("height is 1800.0 cm"));
    assert!(told(body, Some(Ease { arm: 2.0, ..ease_of("t-shirt") })).contains("arm ease is 200.0 cm"));
    assert!(told(Measurements { upper_arm: 0.69, ..body }, None).contains("arm with its ease does not fit"));
    assert!(draft("toga", &body, None).unwrap_err().to_string().contains("there are t-shirt, shirt"));
    assert!(Measurements::of_size("F39").is_none());
}
