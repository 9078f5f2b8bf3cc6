//! Garment files: what they mean, and that writing and reading them again changes nothing.
#![allow(clippy::unwrap_used)] // helpers of tests

use glam::{DVec2, DVec3};
use std::path::Path;
use toile_garment::pattern::{Curve, Garment, LineKind, Of, Placement};
use toile_io::garment::native;

const SKIRT: &str = include_str!("data/skirt.toml");

fn read(text: &str) -> Garment {
    let (garment, warnings) = native::read(text, Path::new("skirt.toml"))
        .unwrap_or_else(|p| panic!("{}\n{text}", p.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")));
    assert!(warnings.is_empty(), "{warnings:?}");
    garment
}

fn length(garment: &Garment, seam: &str, side: usize) -> f64 {
    let seam = garment.seams.iter().find(|s| s.name == seam).unwrap();
    seam.sides[side].iter().map(|s| garment.length(s)).sum()
}

#[test]
fn a_file_means_what_it_says() {
    let garment = read(SKIRT);
    assert_eq!(garment.panels.len(), 4);
    let front = &garment.panels[0];
    // Two darts of three edges each.
    assert_eq!(front.outline.len(), 10);
    assert_eq!(front.outline[0].start, DVec2::new(-0.24, 0.0));
    assert_eq!(front.outline[1].curve, Curve::Quadratic(DVec2::new(0.6, -0.03)));
    assert!((front.grain - 45f64.to_radians()).abs() < 1e-15);
    assert_eq!(front.notches.iter().map(|n| n.edge).collect::<Vec<_>>(), [1, 9]);
    assert_eq!(front.lines[0].kind, LineKind::Stitching);
    assert!(matches!(front.lines[1].kind, LineKind::Fold { angle } if (angle - 20f64.to_radians()).abs() < 1e-15));
    let Placement::Wrapped { point, anchor, .. } = &front.placement else { panic!() };
    assert_eq!((point.as_str(), *anchor), ("torso-front", DVec2::new(0.0, 0.6)));
    // What is sewn to the waist, and holds it, goes on at both sides of the darts.
    let waist = garment.seams.iter().find(|s| s.name == "waist").unwrap();
    assert_eq!(waist.sides[0].len(), 5);
    assert_eq!(garment.attachments[0].spans.len(), 5);
    let back = garment.panels[1].edge_path(2).length() - 0.03;
    assert!((length(&garment, "waist", 0) - (0.3625 - 0.05 + back)).abs() < 5e-3);
    assert_eq!(length(&garment, "front-dart-1", 0), length(&garment, "front-dart-1", 1));
    // The first dart of the file is the one nearer to the start of the edge.
    let mouth = |name: &str| {
        let span = garment.seams.iter().find(|s| s.name == name).unwrap().sides[0][0];
        garment.panels[0].path(span.of).at(0.0).x
    };
    assert!(mouth("front-dart-1") > 0.05 && mouth("front-dart-2") < -0.05);
    assert_eq!(garment.panels[1].lines.iter().filter(|l| matches!(l.kind, LineKind::Fold { .. })).count(), 2);
    // Three sides of the pocket are sewn to lines of the back, in its layer above.
    let sewn = garment.seams.iter().filter(|s| matches!(s.sides[1][0].of, Of::Line(_))).count();
    assert_eq!((sewn, garment.panels[3].layer), (3, 1));
    let Placement::Flat { translation, .. } = garment.panels[3].placement else { panic!() };
    assert!((translation - DVec3::new(-0.05, 0.65, -0.21)).length() < 1e-12, "{translation}");
    assert_eq!(garment.tapes[0].stiffness, 40.0);
    assert_eq!(garment.buttons[0].ends[1], (2, DVec2::new(0.633, 0.02)));
}

/// Once read, short forms are edges and seams; from then on nothing changes any more, to the last bit of the text.
#[test]
fn writing_and_reading_again_changes_nothing() {
    let garment = read(SKIRT);
    let text = native::write(&garment);
    let again = read(&text);
    assert_eq!(native::write(&again), text);
    assert_eq!(again.seams.len(), garment.seams.len());
    assert_eq!(
        (&again.tapes, &again.buttons, &again.attachments),
        (&garment.tapes, &garment.buttons, &garment.attachments)
    );
    for (a, b) in again.panels.iter().zip(&garment.panels) {
        assert_eq!((&a.name, &a.label, &a.fabric, a.layer, a.grain), (&b.name, &b.label, &b.fabric, b.layer, b.grain));
        assert_eq!(a.notches, b.notches);
        for (e, f) in a.outline.iter().zip(&b.outline) {
            assert!(e.start.distance(f.start) < 1e-15 && e.label == f.label, "{e:?} {f:?}");
        }
        assert_eq!(a.lines.len(), b.lines.len());
    }
}

/// Numbers of a person come back as they were written.
#[test]
fn digits_of_a_person_are_kept() {
    let text = native::write(&read(SKIRT));
    for words in [
        "{ label = \"hem\", from_cm = [-24, 0] }",
        "grain_deg = 45",
        "radius_cm = 90",
        "turn_deg = [0, 180, 0]",
        "from_cm = [64.3, 4]",
        "at_cm = [63.3, 2]",
        "{ panel = \"band\", edge = 2, from = 0.1, to = 0.9 }",
        "fold_deg = 20",
        "stiffness = 2.5",
    ] {
        assert!(text.contains(words), "{words} is not in\n{text}");
    }
}

/// To a file and back, in both formats; what a format cannot hold is told.
#[test]
fn garments_are_written_by_extension() {
    let garment = read(SKIRT);
    let folder = std::env::temp_dir().join(format!("toile-garments-{}", std::process::id()));
    let own = folder.join("skirt.toml");
    assert!(toile_io::garment::write(&own, &garment, None).unwrap().is_empty());
    assert_eq!(toile_io::garment::read(&own).unwrap().garment.seams.len(), garment.seams.len());
    let other = folder.join("skirt_specification.json");
    let lost = toile_io::garment::write(&other, &garment, None).unwrap().join("\n");
    for words in [
        "panel `front` is wrapped",
        "panel `front`: notches",
        "seam `waist` does not join one whole edge",
        "tape `elastic`",
    ] {
        assert!(lost.contains(words), "{words}: {lost}");
    }
    let again = toile_io::garment::read(&other).unwrap();
    assert!((again.garment.area() - garment.area()).abs() < 1e-12);
    assert_eq!(again.garment.name, "skirt");
    let unknown = toile_io::garment::write(&folder.join("skirt.dxf"), &garment, None).unwrap_err().to_string();
    assert!(unknown.contains("use .toml or .json"));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// The schema knows every key of a written file, and a stranger is told by it.
#[test]
fn the_schema_is_that_of_the_files() {
    let schema = native::schema();
    for key in ["format", "panel", "seam", "pocket", "tape", "button", "attachment"] {
        assert!(schema["properties"].get(key).is_some(), "{key}");
    }
    assert_eq!(schema["additionalProperties"], false);
}
