//! GarmentCode specifications: what is read is what was meant, and nothing is lost on the way back.
#![allow(clippy::unwrap_used)] // helpers of tests

use glam::{DVec2, DVec3};
use serde_json::Value;
use std::path::{Path, PathBuf};
use toile_garment::pattern::{Curve, Edge, Garment, Panel, Placement, Seam, Span};
use toile_io::garment::{garmentcode, native};

/// Half a skirt of two panels: arcs, curves, labels, keys nobody knows, a panel whose right side faces back.
const SKIRT: &str = r#"{
 "pattern": {
  "panels": {
   "front": {"translation": [0.0, 100, 12.50], "rotation": [0, -0.0, 0.0],
    "vertices": [[-20, 0], [20.0, 0], [1.4e1, 60], [-14, 60.0]],
    "edges": [{"endpoints": [0, 1]},
     {"endpoints": [1, 2], "curvature": {"type": "quadratic", "params": [[0.6, -0.05]]}},
     {"endpoints": [2, 3], "label": "lower_interface", "curvature": {"type": "circle", "params": [30.25, 0, 1]}, "note": {"by": "hand"}},
     {"endpoints": [3, 0], "curvature": {"type": "cubic", "params": [[0.3, -0.02], [0.7, -0.05]]}}],
    "label": "leg", "colour": "red"},
   "back": {"translation": [0, 100, -12.5], "rotation": [0, 180, 0],
    "vertices": [[-20, 0], [20, 0], [14, 60], [-14, 60]],
    "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2]}, {"endpoints": [2, 3], "label": "lower_interface"},
     {"endpoints": [3, 0]}]}
  },
  "stitches": [[{"panel": "front", "edge": 1}, {"panel": "back", "edge": 3}], [{"panel": "front", "edge": 3, "why": 1}, {"panel": "back", "edge": 1}]],
  "panel_order": ["back", "front"], "author": null
 },
 "parameters": {"length": {"value": 0.30000000000000004}}, "parameter_order": ["length"],
 "properties": {"curvature_coords": "relative", "normalize_panel_translation": false, "normalized_edge_loops": true, "units_in_meter": 100}
}"#;

/// The old form: millimetres, bare control points in panel coordinates, edges joined start to start.
const OLD: &str = r#"{
 "pattern": {
  "panels": {
   "collar": {"translation": [0, 0, 0], "rotation": [90, 0, 0], "vertices": [[0, 0], [400, 0], [400, 80], [0, 80]],
    "edges": [{"endpoints": [0, 1], "curvature": [200, 30]}, {"endpoints": [1, 2]}, {"endpoints": [2, 3]}, {"endpoints": [3, 0]}]},
   "stand": {"translation": [0, 0, 0], "rotation": [0, 0, 90], "vertices": [[0, 0], [400, 0], [400, 40], [0, 40]],
    "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2]}, {"endpoints": [2, 3]}, {"endpoints": [3, 0]}]}
  },
  "stitches": [[{"panel": "collar", "edge": 2}, {"panel": "stand", "edge": 2}, "right_wrong"]]
 },
 "properties": {"curvature_coords": "absolute", "units_in_meter": 1000}
}"#;

fn read(text: &str) -> (Garment, garmentcode::Document) {
    let (garment, document, warnings) = garmentcode::read(text, Path::new("skirt_specification.json")).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    (garment, document)
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Every number of a text in the order of the file, digit for digit.
fn digits(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut quoted = false;
    let mut number = String::new();
    for c in text.chars() {
        quoted ^= c == '"';
        if !quoted && (c.is_ascii_digit() || (!number.is_empty() && "+.eE-".contains(c)) || c == '-') {
            number.push(c);
        } else if !number.is_empty() {
            found.push(std::mem::take(&mut number));
        }
    }
    found
}

/// The specifications kept beside the project, if they are there.
fn collection() -> Vec<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|f| f.join("shared/data/patterns/garmentcode"));
    let Some(root) = beside.into_iter().find(|f| f.is_dir()) else {
        eprintln!("skipped: there is no collection of specifications beside the project");
        return Vec::new();
    };
    let folders = ["generated", "upstream"].map(|f| root.join(f));
    let files = folders.iter().filter_map(|f| std::fs::read_dir(f).ok()).flatten().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|p| p.extension().is_some_and(|e| e == "json")).collect();
    files.sort();
    files
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

#[test]
fn a_specification_means_what_it_says() {
    let (garment, _) = read(SKIRT);
    assert_eq!(garment.name, "skirt");
    let front = &garment.panels[0];
    assert_eq!(front.name, "front");
    assert_eq!(front.label.as_deref(), Some("leg"));
    assert_eq!(front.outline[2].start, DVec2::new(0.14, 0.6));
    assert_eq!(front.outline[1].curve, Curve::Quadratic(DVec2::new(0.6, -0.05)));
    assert_eq!(front.outline[2].curve, Curve::Arc { radius: 0.3025, large: false, right: true });
    // The waist runs from right to left and bulges to the right of that: up, by r − √(r² − half²).
    let top = front.edge_path(2).at(0.5);
    assert!((top.y - 0.6 - (0.3025 - (0.3025f64 * 0.3025 - 0.14 * 0.14).sqrt())).abs() < 1e-6, "{top}");
    // A hip bulges out: to the right of an edge that runs up the right side of a counter-clockwise outline.
    assert!(front.edge_path(1).at(0.4).x > 0.2 - 0.4 * 0.06 + 0.005);
    assert!(front.signed_area() > 0.0);
    let Placement::Flat { translation, rotation } = garment.panels[1].placement else { panic!() };
    assert_eq!(translation, DVec3::new(0.0, 1.0, -0.125));
    assert!((rotation * DVec3::X + DVec3::X).length() < 1e-15);
    assert_eq!(garment.seams[0].sides, [vec![Span::edge(0, 1)], vec![Span::edge(1, 3).reversed()]]);
    let held = &garment.attachments[0];
    assert_eq!((held.name.as_str(), held.to.as_str()), ("lower_interface", "waist"));
    assert_eq!(held.spans, [Span::edge(0, 2), Span::edge(1, 2)]);
}

#[test]
fn the_old_form_is_read_too() {
    let (garment, document) = read(OLD);
    let collar = &garment.panels[0];
    assert_eq!(collar.outline[1].start, DVec2::new(0.4, 0.0));
    // The control point (200, 30) mm: half way along, 3/40 of the chord to its left.
    let Curve::Quadratic(control) = collar.outline[0].curve else { panic!() };
    assert!((control - DVec2::new(0.5, 0.075)).length() < 1e-15);
    assert!((collar.edge_path(0).at(0.5) - DVec2::new(0.2, 0.015)).length() < 1e-9);
    let Placement::Flat { rotation, .. } = collar.placement else { panic!() };
    assert!((rotation * DVec3::Y - DVec3::Z).length() < 1e-12);
    assert_eq!(garment.seams[0].sides, [vec![Span::edge(0, 2)], vec![Span::edge(1, 2)]]);
    assert_eq!(value(&garmentcode::write(&garment, Some(&document)).text), value(OLD));
}

/// R = Rz Ry Rx: turned about x first, about z last.
#[test]
fn rotations_go_about_x_then_y_then_z() {
    let (garment, _) = read(&SKIRT.replace("[0, 180, 0]", "[90, 90, 90]"));
    let Placement::Flat { rotation, .. } = garment.panels[1].placement else { panic!() };
    // x → (x) x → (y) −z → (z) −z;  y → (x) z → (y) x → (z) y.
    assert!((rotation * DVec3::X + DVec3::Z).length() < 1e-12);
    assert!((rotation * DVec3::Y - DVec3::Y).length() < 1e-12);
}

#[test]
fn reading_and_writing_loses_nothing() {
    for text in [SKIRT, OLD] {
        let (garment, document) = read(text);
        let written = garmentcode::write(&garment, Some(&document));
        assert_eq!(value(&written.text), value(text));
        assert_eq!(digits(&written.text), digits(text));
        assert_eq!(written.lost, Vec::<String>::new());
    }
}

#[test]
fn reading_and_writing_the_collection_loses_nothing() {
    for path in collection() {
        let text = std::fs::read_to_string(&path).unwrap();
        let (garment, document, warnings) = garmentcode::read(&text, &path).unwrap_or_else(|p| panic!("{p:#?}"));
        let written = garmentcode::write(&garment, Some(&document));
        assert_eq!(value(&written.text), value(&text), "{}", path.display());
        assert_eq!(digits(&written.text), digits(&text), "{}", path.display());
        assert!(written.lost.is_empty() && warnings.is_empty(), "{}: {:?}", path.display(), written.lost);
    }
}

/// Without its document a garment is written anew, and means the same to a rounding.
#[test]
fn a_garment_written_anew_is_the_same_garment() {
    for text in [SKIRT, OLD] {
        let (garment, _) = read(text);
        let written = garmentcode::write(&garment, None);
        let (again, _) = read(&written.text);
        assert_eq!(again.seams, garment.seams);
        assert_eq!(again.attachments, garment.attachments);
        for (a, b) in again.panels.iter().zip(&garment.panels) {
            assert_eq!((&a.name, &a.label, a.outline.len()), (&b.name, &b.label, b.outline.len()));
            for (e, f) in a.outline.iter().zip(&b.outline) {
                assert!(e.start.distance(f.start) < 1e-15 && e.label == f.label);
            }
            assert!((a.signed_area() - b.signed_area()).abs() < 1e-12);
            let (Placement::Flat { rotation: r, .. }, Placement::Flat { rotation: s, .. }) =
                (&a.placement, &b.placement)
            else {
                panic!()
            };
            assert!(r.dot(*s).abs() > 1.0 - 1e-12);
        }
    }
}

#[test]
fn only_what_changed_is_written_anew() {
    let (mut garment, document) = read(SKIRT);
    garment.panels[0].outline[2].start.y = 0.61;
    garment.panels[0].outline[3].curve = Curve::Line;
    garment.panels[0].outline[0].label = Some("hem".into());
    garment.panels[1].placement =
        Placement::Flat { translation: DVec3::new(0.0, 1.0, -0.2), rotation: Default::default() };
    garment.seams.remove(0);
    let written = value(&garmentcode::write(&garment, Some(&document)).text);
    let mut wanted = value(SKIRT);
    let panels = &mut wanted["pattern"]["panels"];
    panels["front"]["vertices"][2] = serde_json::json!([14.000000000000002, 61.0]);
    panels["front"]["edges"][3].as_object_mut().unwrap().remove("curvature");
    panels["front"]["edges"][0]["label"] = "hem".into();
    panels["back"]["translation"] = serde_json::json!([0.0, 100.0, -20.0]);
    panels["back"]["rotation"] = serde_json::json!([0.0, 0.0, 0.0]);
    wanted["pattern"]["stitches"].as_array_mut().unwrap().remove(0);
    assert_eq!(written, wanted);
}

#[test]
fn panels_and_edges_come_and_go() {
    let (mut garment, document) = read(SKIRT);
    // The hem of the front gets a corner in its middle; the back goes, a pocket comes.
    garment.panels[0].outline.insert(1, Edge { start: DVec2::new(0.0, -0.02), curve: Curve::Line, label: None });
    let edge = |x: f64, y: f64| Edge { start: DVec2::new(x, y), curve: Curve::Line, label: None };
    let outline = vec![edge(0.0, 0.0), edge(0.1, 0.0), edge(0.1, 0.1)];
    garment.panels[1] = Panel { name: "pocket".into(), outline, ..Panel::default() };
    garment.seams =
        vec![Seam { sides: [vec![Span::edge(0, 2)], vec![Span::edge(1, 0).reversed()]], ..Seam::default() }];
    garment.attachments.clear();
    let written = value(&garmentcode::write(&garment, Some(&document)).text);
    let front = &written["pattern"]["panels"]["front"];
    assert_eq!(front["edges"].as_array().unwrap().len(), 5);
    assert_eq!(front["edges"][3]["note"]["by"], "hand");
    assert_eq!(front["edges"][3]["endpoints"], serde_json::json!([3, 4]));
    assert_eq!(front["vertices"][1], serde_json::json!([0.0, -2.0]));
    assert_eq!(front["colour"], "red");
    assert!(written["pattern"]["panels"].get("back").is_none());
    assert_eq!(written["pattern"]["panel_order"], serde_json::json!(["front", "pocket"]));
    assert_eq!(
        written["pattern"]["stitches"],
        serde_json::json!([[{"panel": "front", "edge": 2}, {"panel": "pocket", "edge": 0}]])
    );
}

#[test]
fn what_the_format_cannot_hold_is_told() {
    let (mut garment, document) = read(SKIRT);
    garment.panels[0].grain = 0.1;
    garment.panels[0].fabric = Some("denim".into());
    garment.seams[0].ratio = Some(1.0);
    garment.seams[1].sides[0][0].to = 0.5;
    let lost = garmentcode::write(&garment, Some(&document)).lost.join("\n");
    for words in [
        "panel `front`: grain",
        "panel `front`: fabric",
        "seam `front.1/back.3`: ratio",
        "seam `front.3/back.1` does not join",
    ] {
        assert!(lost.contains(words), "{words}: {lost}");
    }
}

/// As files of our own, the patterns of the collection keep their areas, lengths and seams.
#[test]
fn the_collection_survives_as_garment_files() {
    for path in collection() {
        let (garment, ..) = garmentcode::read(&std::fs::read_to_string(&path).unwrap(), &path).unwrap();
        let text = native::write(&garment);
        let (again, warnings) = native::read(&text, Path::new("a.toml")).unwrap_or_else(|p| panic!("{p:#?}"));
        assert!(warnings.is_empty());
        assert_eq!((&again.seams, &again.attachments), (&garment.seams, &garment.attachments));
        assert_eq!(native::write(&again), text);
        assert!((again.area() - garment.area()).abs() < 1e-12, "{}", path.display());
    }
}

/// Largest length ratio of the sides of a seam, as the program that made the files reports it.
#[test]
fn stitched_lengths_of_the_collection_are_those_of_its_program() {
    let told = [
        ("tshirt", 1.00, 1.01),
        ("tank_top", 1.00, 1.00),
        ("fitted_longsleeve_darts", 1.08, 1.08),
        ("hoodie", 1.00, 1.00),
        ("lapel_shirt", 1.00, 1.00),
        ("pencil_skirt", 1.05, 1.05),
        ("circle_skirt", 1.06, 1.06),
        ("gathered_skirt", 1.80, 1.80),
        ("tiered_skirt", 1.50, 1.50),
        ("godet_skirt", 1.05, 1.05),
        ("trousers", 1.10, 1.10),
        ("shorts", 1.10, 1.10),
        ("dress_fitted_circle", 1.08, 1.08),
        ("dress_shift_sleeved", 1.00, 1.00),
        ("jumpsuit", 1.10, 1.10),
    ];
    for path in collection() {
        let (garment, ..) = garmentcode::read(&std::fs::read_to_string(&path).unwrap(), &path).unwrap();
        let ratios = garment.seams.iter().map(|seam| {
            let [a, b] = seam.sides.each_ref().map(|side| garment.length(&side[0]));
            a.max(b) / a.min(b)
        });
        let found = ratios.fold(1.0, f64::max);
        println!("{}: {found:.4}", stem(&path));
        if let Some((_, low, high)) = told.iter().find(|(name, ..)| stem(&path).starts_with(name)) {
            assert!((low - 0.005..high + 0.005).contains(&found), "{}: {found}", path.display());
        }
    }
}

/// A stitch joins the start of one edge with the end of the other: placed round the body, those ends are nearer to each other than
/// the ends that are not joined, summed over each file.
#[test]
fn stitched_ends_of_the_collection_are_near_each_other() {
    for path in collection() {
        let (garment, ..) = garmentcode::read(&std::fs::read_to_string(&path).unwrap(), &path).unwrap();
        let point = |span: &Span, at: f64| {
            let panel = &garment.panels[span.panel];
            let Placement::Flat { translation, rotation } = panel.placement else { panic!() };
            rotation * panel.path(span.of).at(at).extend(0.0) + translation
        };
        let (mut joined, mut crossed) = (0.0, 0.0);
        for seam in &garment.seams {
            let [a, b] = [seam.sides[0][0], seam.sides[1][0]];
            joined += point(&a, a.from).distance(point(&b, b.from)) + point(&a, a.to).distance(point(&b, b.to));
            crossed += point(&a, a.from).distance(point(&b, b.to)) + point(&a, a.to).distance(point(&b, b.from));
        }
        println!("{}: {joined:.2} m, the other way {crossed:.2} m", stem(&path));
        assert!(joined < crossed, "{}", path.display());
    }
}
