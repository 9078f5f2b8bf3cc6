//! Mannequins: closed, clean, symmetric, as long and as wide as asked for; and the measuring of any body.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

use glam::{DQuat, DVec3};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use toile_contact::certify::certify;
use toile_contact::shapes::Shapes;
use toile_garment::body::{Body, BodyError, MeasureError, Measurements, SIZES, mannequin, measure};

/// Twelve bodies from slim to heavy, short to tall (form, height, bust, waist, hip in metres).
const TWELVE: [(&str, [f64; 5]); 12] = [
    ("F38", [0.0, 1.68, 0.90, 0.72, 0.97]),
    ("F46", [0.0, 1.68, 1.07, 0.89, 1.12]),
    ("F52", [0.0, 1.68, 1.25, 1.07, 1.27]),
    ("M44", [1.0, 1.74, 0.88, 0.73, 0.91]),
    ("M50", [1.0, 1.80, 1.00, 0.85, 1.00]),
    ("M60", [1.0, 1.85, 1.20, 1.10, 1.15]),
    ("petite", [0.0, 1.50, 0.80, 0.60, 0.85]),
    ("tall", [0.0, 1.95, 0.88, 0.68, 0.95]),
    ("hourglass", [0.0, 1.70, 1.05, 0.70, 1.08]),
    ("apple", [0.0, 1.50, 1.30, 1.20, 1.30]),
    ("middle", [0.5, 1.70, 0.92, 0.78, 0.96]),
    ("giant", [1.0, 1.95, 1.30, 1.20, 1.35]),
];

fn twelve() -> impl Iterator<Item = (&'static str, Measurements)> {
    TWELVE
        .into_iter()
        .map(|(name, [form, height, bust, waist, hip])| (name, Measurements::new(form, height, bust, waist, hip)))
}

fn assert_clean(name: &str, body: &Body, vertices: &[DVec3]) {
    let mut shapes = Shapes::default();
    shapes.add(name, true, 0.0, vertices.len(), &body.triangles, &[]);
    let certificate = certify(&shapes, vertices);
    assert!(certificate.is_clear(), "{name}: {certificate}");
}

/// Lengths asked for by name (m).
fn given(m: &Measurements) -> Vec<(&'static str, f64)> {
    let optional = [
        ("underbust", m.underbust),
        ("neck", m.neck),
        ("upperarm_l", m.upper_arm),
        ("elbow_l", m.elbow),
        ("wrist_r", m.wrist),
        ("thigh_l", m.thigh),
        ("knee_r", m.knee),
        ("calf_l", m.calf),
        ("ankle_r", m.ankle),
    ];
    let needed = [("bust", m.bust), ("waist", m.waist), ("hip", m.hip)];
    needed.into_iter().chain(optional.into_iter().filter_map(|(name, v)| v.map(|v| (name, v)))).collect()
}

/// Twelve sizes have no self-intersection, stand on the floor, and measure what was asked for to 0.2 mm.
#[test]
fn twelve_sizes_are_clean_and_to_measure() {
    for (name, m) in twelve() {
        let body = mannequin(&m).unwrap();
        assert_clean(name, &body, &body.vertices);
        for (girth, wanted) in given(&m) {
            let got = body.girth(girth).unwrap();
            assert!((got - wanted).abs() < 2e-4, "{name}: {girth} {got} wanted {wanted}");
        }
        let ys = || body.vertices.iter().map(|p| p.y);
        let (low, high) = (ys().fold(f64::MAX, f64::min), ys().fold(f64::MIN, f64::max));
        assert!((0.0..2e-4).contains(&low) && (high - m.height).abs() < 2e-4, "{name} from {low} to {high}");
        let edges = body.quads.iter().flat_map(|q| (0..4).map(move |k| [q[k], q[(k + 1) % 4]]));
        let lengths = edges.map(|[a, b]| body.vertices[a as usize].distance(body.vertices[b as usize]));
        assert!(lengths.into_iter().all(|length| (0.001..0.05).contains(&length)), "{name}");
    }
}

/// Every named size exists and every optional measurement is met, too.
#[test]
fn all_measurements_are_met_together() {
    let m = Measurements {
        underbust: Some(0.80),
        neck: Some(0.36),
        upper_arm: Some(0.31),
        elbow: Some(0.26),
        wrist: Some(0.165),
        thigh: Some(0.60),
        knee: Some(0.385),
        calf: Some(0.38),
        ankle: Some(0.225),
        shoulder_width: Some(0.39),
        arm_length: Some(0.57),
        nape_height: Some(1.46),
        back_length: Some(0.40),
        nape_to_bust: Some(0.27),
        waist_to_hip: Some(0.22),
        crotch_height: Some(0.76),
        knee_height: Some(0.46),
        ..Measurements::new(0.0, 1.70, 0.98, 0.80, 1.04)
    };
    let body = mannequin(&m).unwrap();
    assert_clean("all", &body, &body.vertices);
    for (girth, wanted) in given(&m) {
        let got = body.girth(girth).unwrap();
        assert!((got - wanted).abs() < 2e-4, "{girth} {got} wanted {wanted}");
    }
    let y = |name| body.landmark(name).unwrap().y;
    let [nape, waist, bust, hip] = ["nape", "waist_back", "bust_point_l", "hip_side_l"].map(y);
    let width = body.landmark("shoulder_l").unwrap().x - body.landmark("shoulder_r").unwrap().x;
    let crotch = body.vertices.iter().filter(|p| p.x == 0.0).fold(f64::MAX, |low, p| low.min(p.y));
    for (what, got, wanted) in [
        ("nape", nape, 1.46),
        ("waist", waist, 1.06),
        ("bust", bust, 1.19),
        ("hip", hip, 0.84),
        ("shoulder width", width, 0.39),
        ("crotch", crotch, 0.76),
    ] {
        assert!((got - wanted).abs() < 1.5e-3, "{what} {got} wanted {wanted}");
    }
}

/// Every named size becomes a body; names ignore case, unknown ones are an error that lists them.
#[test]
fn named_sizes_exist() {
    for size in SIZES {
        let m = Measurements::of_size(&size.name.to_lowercase()).unwrap();
        let body = mannequin(&m).unwrap();
        assert!((body.girth("waist").unwrap() - f64::from(size.lengths_cm[2]) * 0.01).abs() < 2e-4, "{}", size.name);
    }
    let error = Measurements::of_size("F39").unwrap_err();
    assert!(error.to_string().contains("\"F39\"") && error.to_string().contains("F34 to F52"), "{error}");
}

/// At every corner of the ranges of bust, waist and hip bodies are clean.
#[test]
fn ranges_end_before_bodies_cross_themselves() {
    for form in [0.0, 0.5, 1.0] {
        let sane = Measurements::new(form, 1.7, 0.92, 0.74, 0.97);
        let range = |nonsense: Measurements| match mannequin(&nonsense) {
            Err(BodyError::Range { low, high, .. }) => [low * (1.0 + 1e-9), high * (1.0 - 1e-9)],
            other => panic!("{:?}", other.map(|_| "a body")),
        };
        let bust = range(Measurements { bust: 9.0, ..sane });
        let waist = range(Measurements { waist: 9.0, ..sane });
        let hip = range(Measurements { hip: 9.0, ..sane });
        for k in 0..8 {
            let m = Measurements::new(form, 1.7, bust[k & 1], waist[(k >> 1) & 1], hip[k >> 2]);
            let body = mannequin(&m).unwrap();
            assert_clean(&format!("{m:?}"), &body, &body.vertices);
        }
    }
}

/// Closed and outward, the right side the exact image of the left, and the same bytes every time.
#[test]
fn bodies_are_closed_symmetric_and_repeatable() {
    let m = Measurements::of_size("F42").unwrap();
    let body = mannequin(&m).unwrap();
    let edges: BTreeSet<(u32, u32)> =
        body.triangles.iter().flat_map(|t| (0..3).map(move |k| (t[k], t[(k + 1) % 3]))).collect();
    assert_eq!(edges.len(), 3 * body.triangles.len());
    assert!(edges.iter().all(|(a, b)| edges.contains(&(*b, *a))));
    let volume =
        body.triangles.iter().map(|t| t.map(|v| body.vertices[v as usize])).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0);
    let volume: f64 = volume.sum();
    assert!((0.055..0.090).contains(&volume), "{volume} m³");
    let bits = |p: &DVec3| p.to_array().map(f64::to_bits);
    let own: BTreeSet<[u64; 3]> = body.vertices.iter().map(bits).collect();
    let image = |p: &DVec3| DVec3::new(if p.x == 0.0 { 0.0 } else { -p.x }, p.y, p.z);
    assert_eq!(own.len(), body.vertices.len());
    assert!(body.vertices.iter().all(|p| own.contains(&bits(&image(p)))));
    let again = mannequin(&m).unwrap();
    assert!(again.vertices.iter().map(bits).eq(body.vertices.iter().map(bits)));
    assert_eq!(again, body);
}

/// Nonsense is refused with the name of the value and its range.
#[test]
fn nonsense_is_refused_by_name() {
    let sane = Measurements::of_size("F38").unwrap();
    let range = |m: Measurements, wanted: &str| match mannequin(&m) {
        Err(BodyError::Range { name, low, high, .. }) => {
            assert_eq!(name, wanted);
            assert!(low < high);
        }
        other => panic!("{wanted}: {:?}", other.map(|_| "a body")),
    };
    range(Measurements { waist: 3.0, ..sane }, "waist");
    range(Measurements { waist: f64::NAN, ..sane }, "waist");
    range(Measurements { hip: -0.97, ..sane }, "hip");
    range(Measurements { height: 0.2, ..sane }, "height");
    range(Measurements { height: 168.0, ..sane }, "height");
    range(Measurements { form: 1.5, ..sane }, "form");
    range(Measurements { bust: f64::INFINITY, ..sane }, "bust");
    range(Measurements { neck: Some(0.0), ..sane }, "neck");
    range(Measurements { shoulder_width: Some(0.9), ..sane }, "shoulder_width");
    range(Measurements { arm_length: Some(f64::NAN), ..sane }, "arm_length");
    let levels = |m: Measurements| matches!(mannequin(&m), Err(BodyError::Levels { .. }));
    assert!(levels(Measurements { crotch_height: Some(1.2), ..sane }));
    assert!(levels(Measurements { nape_height: Some(f64::NAN), ..sane }));
    assert!(levels(Measurements { back_length: Some(-0.4), ..sane }));
    assert!(levels(Measurements { knee_height: Some(0.05), ..sane }));
}

/// A vertex and its image follow joints of opposite sides by the same shares.
fn assert_mirrored(body: &Body) {
    let key = |p: DVec3| p.to_array().map(|c| (c + 0.0).to_bits());
    let numbers: BTreeMap<[u64; 3], usize> = body.vertices.iter().enumerate().map(|(v, p)| (key(*p), v)).collect();
    let joints = &body.skeleton.joints;
    let opposite = |joint: usize| {
        let name = &joints[joint].name;
        let other = match name.rsplit_once('_') {
            Some((stem, "l")) => format!("{stem}_r"),
            Some((stem, "r")) => format!("{stem}_l"),
            _ => name.clone(),
        };
        body.skeleton.joint(&other).unwrap()
    };
    for (v, p) in body.vertices.iter().enumerate() {
        let image = numbers[&key(DVec3::new(-p.x, p.y, p.z))];
        let shares = |v: usize, is_image: bool| {
            let mut all = vec![0.0; joints.len()];
            let influence = &body.skeleton.influences[v];
            for (joint, share) in influence.joints.iter().zip(influence.shares) {
                let joint = usize::from(*joint);
                all[if is_image { opposite(joint) } else { joint }] += share;
            }
            all
        };
        let (own, other) = (shares(v, false), shares(image, true));
        assert!(own.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-9), "vertex {v} and its image {image}");
    }
    for (k, joint) in joints.iter().enumerate() {
        let image = joints[opposite(k)].rest;
        assert_eq!(DVec3::new(0.0 - image.x, image.y, image.z), joint.rest + DVec3::ZERO, "{}", joint.name);
    }
}

/// Weights add up to one, are the image of each other, and moderate poses stay free of self-intersection.
#[test]
fn skeleton_carries_the_skin() {
    let body = mannequin(&Measurements::of_size("F38").unwrap()).unwrap();
    let skeleton = &body.skeleton;
    assert_eq!(skeleton.joints.len(), 22);
    for (v, influence) in skeleton.influences.iter().enumerate() {
        assert!((influence.shares.iter().sum::<f64>() - 1.0).abs() < 1e-12, "vertex {v}");
        assert!(influence.shares.iter().all(|s| (0.0..=1.0).contains(s)));
    }
    assert_mirrored(&body);
    let rest = skeleton.posed(&body.vertices, &skeleton.rest());
    assert!(rest.iter().zip(&body.vertices).all(|(a, b)| a.distance(*b) < 1e-12));
    let turned = |turns: &[(&str, DVec3)]| {
        let mut pose = skeleton.rest();
        for (name, turn) in turns {
            pose.rotations[skeleton.joint(name).unwrap()] = DQuat::from_scaled_axis(*turn);
        }
        skeleton.posed(&body.vertices, &pose)
    };
    let lowered = turned(&[("upperarm_l", DVec3::Z * -0.45), ("upperarm_r", DVec3::Z * 0.45)]);
    assert_clean("arms lowered by 26°", &body, &lowered);
    let hand = body.landmarks.iter().find(|m| m.name == "wrist_outer_l").unwrap().vertex as usize;
    assert!(lowered[hand].y < body.vertices[hand].y - 0.08);
    let flexed = turned(&[("thigh_l", DVec3::X * -0.6), ("shin_l", DVec3::X * 0.8)]);
    assert_clean("leg flexed by 34°", &body, &flexed);
    let knee = body.landmarks.iter().find(|m| m.name == "knee_front_l").unwrap().vertex as usize;
    assert!(flexed[knee].z > body.vertices[knee].z + 0.15);
}

/// Regions cover the body; pairs are of equal size.
#[test]
fn regions_come_in_pairs() {
    let body = mannequin(&Measurements::of_size("M50").unwrap()).unwrap();
    let count = |name: &str| {
        let region = body.regions.iter().position(|r| r == name).unwrap_or_else(|| panic!("no {name}"));
        body.region_of_quad.iter().filter(|r| usize::from(**r) == region).count()
    };
    let pairs = [
        "shoulder",
        "chest_side",
        "upperarm",
        "elbow",
        "forearm",
        "wrist",
        "hand",
        "thigh",
        "knee",
        "calf",
        "ankle",
        "foot",
    ];
    for name in pairs {
        assert_eq!(count(&format!("{name}_l")), count(&format!("{name}_r")), "{name}");
    }
    assert_eq!(body.regions.len(), 6 + 2 * pairs.len(), "{:?}", body.regions);
    assert_eq!(count("waist"), 15 * 64);
    assert_eq!(body.region_of_triangle().len(), body.triangles.len());
}

/// Measuring a mannequin finds what it was made to, without knowing its grid.
#[test]
fn measuring_gives_back_the_measurements() {
    for (name, m) in twelve() {
        let body = mannequin(&m).unwrap();
        let figures = measure(&body.vertices, &body.triangles).unwrap();
        assert!((figures.height - m.height).abs() < 3e-4, "{name}");
        // The rules choose the narrowest waist and the fullest hip; the mannequin's rows lie near to them.
        let bounds = [("bust", m.bust, -0.025..0.02), ("waist", m.waist, -0.03..0.01), ("hip", m.hip, -0.002..0.02)];
        for (girth, wanted, bound) in bounds {
            let got = figures.girth(girth).unwrap();
            assert!(bound.contains(&(got / wanted - 1.0)), "{name}: {girth} {got} wanted {wanted}");
        }
        let crotch = body.vertices.iter().filter(|p| p.x == 0.0).fold(f64::MAX, |low, p| low.min(p.y));
        assert!((figures.crotch_level - crotch).abs() < 3e-3, "{name}: crotch {}", figures.crotch_level);
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let mark = |stem: &str| body.landmark(&format!("{stem}{}", ["_l", "_r"][side])).unwrap();
            assert!(
                figures.shoulders[side].distance(mark("shoulder")) < 0.06,
                "{name}: shoulder {}",
                figures.shoulders[side]
            );
            assert!(figures.armpits[side].distance(mark("armpit")) < 0.05, "{name}: armpit {}", figures.armpits[side]);
            assert!(
                figures.wrists[side].distance(mark("wrist_outer")) < 0.06,
                "{name}: wrist {}",
                figures.wrists[side]
            );
            assert!(sign * figures.ankles[side].x > 0.05);
            let arm = &figures.arms[side].stations;
            assert!(arm.len() > 20 && arm.windows(2).all(|p| p[1].centre.distance(p[0].centre) < 0.2), "{name}");
        }
    }
}

/// A tape at the level of a row measures what the row does: rows are level.
#[test]
fn rows_are_level() {
    for (name, m) in twelve() {
        let body = mannequin(&m).unwrap();
        for girth in ["bust", "underbust", "waist", "hip", "thigh_l", "knee_l", "calf_l", "ankle_l"] {
            let line = body.girth_lines.iter().find(|line| line.name == girth).unwrap();
            let ys: Vec<f64> = line.vertices.iter().map(|v| body.vertices[*v as usize].y).collect();
            let (low, high) = ys.iter().fold((f64::MAX, f64::MIN), |(l, h), y| (l.min(*y), h.max(*y)));
            assert!(high - low < 6e-3, "{name}: {girth} from {low} to {high}");
        }
    }
}

/// What is no body in metres is refused, with a word on the unit.
#[test]
fn measuring_refuses_what_is_no_body() {
    let body = mannequin(&Measurements::of_size("F38").unwrap()).unwrap();
    let scaled: Vec<DVec3> = body.vertices.iter().map(|p| *p * 100.0).collect();
    let error = measure(&scaled, &body.triangles).unwrap_err();
    assert!(error.to_string().contains("looks like centimetres"), "{error}");
    let lying: Vec<DVec3> = body.vertices.iter().map(|p| DVec3::new(p.y, p.x + 1.0, p.z)).collect();
    assert!(measure(&lying, &body.triangles).is_err());
    let mut broken = body.vertices.clone();
    broken[7].x = f64::NAN;
    assert_eq!(measure(&broken, &body.triangles), Err(MeasureError::NotFinite { vertex: 7 }));
    assert!(matches!(measure(&body.vertices, &[[0, 1, 99_999]]), Err(MeasureError::Index { vertex: 99_999, .. })));
    assert!(measure(&[], &[]).is_err());
    assert!(measure(&body.vertices, &[]).is_err());
}

/// Boxes, soups of triangles and torn bodies are errors or figures, never a panic.
#[test]
fn measuring_never_panics() {
    let mut state = 7u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1u64 << 31) as f64
    };
    for count in [3, 5, 30, 300, 3000] {
        for _ in 0..6 {
            let vertices: Vec<DVec3> =
                (0..count).map(|_| DVec3::new(random() - 0.5, 1.7 * random(), 0.4 * random())).collect();
            let triangles: Vec<[u32; 3]> =
                (0..2 * count).map(|_| [0; 3].map(|_: u32| (random() * count as f64) as u32)).collect();
            let _ = measure(&vertices, &triangles);
        }
    }
    let body = mannequin(&Measurements::of_size("M48").unwrap()).unwrap();
    for kept in [0.05, 0.5, 0.9, 0.99] {
        let torn: Vec<[u32; 3]> = body.triangles.iter().filter(|_| random() < kept).copied().collect();
        let _ = measure(&body.vertices, &torn);
    }
    // Without head, without an arm, without legs.
    let cuts: [fn(DVec3) -> bool; 3] = [|p| p.y < 1.4, |p| p.x < 0.2 || p.y < 0.8, |p| p.y > 0.7];
    for cut in cuts {
        let keep = |t: &&[u32; 3]| t.iter().all(|v| cut(body.vertices[*v as usize]));
        let part: Vec<[u32; 3]> = body.triangles.iter().filter(keep).copied().collect();
        let _ = measure(&body.vertices, &part);
    }
    let tall = [0.0, 0.3, 0.6, 1.0].map(|x| DVec3::new(x, 1.7 * x, x * x));
    assert!(measure(&tall, &[[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]).is_err());
}

/// Vertices and triangles of an OBJ file, or the line that is none of it.
fn obj(text: &str) -> Result<(Vec<DVec3>, Vec<[u32; 3]>), String> {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
        let numbers = rest.split_whitespace().map(|word| word.split('/').next().unwrap_or(word).parse::<f64>());
        match kind {
            "v" => {
                let c = numbers.collect::<Result<Vec<f64>, _>>().map_err(|_| line.to_owned())?;
                vertices.push(DVec3::from_slice(&c[..3]));
            }
            "f" => {
                let f = numbers.collect::<Result<Vec<f64>, _>>().map_err(|_| line.to_owned())?;
                let f: Vec<u32> = f.into_iter().map(|n| n as u32 - 1).collect();
                triangles.extend((1..f.len() - 1).map(|k| [f[0], f[k], f[k + 1]]));
            }
            _ => {}
        }
    }
    Ok((vertices, triangles))
}

/// Figures of bodies made elsewhere against the tables that come with them. Skipped where the files are not at hand.
#[test]
fn figures_of_other_bodies_match_their_tables() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/bodies/garmentcode-mean");
    for name in ["mean_all", "mean_female", "mean_male"] {
        let read = |end: &str| std::fs::read_to_string(folder.join(format!("{name}.{end}")));
        let (Ok(text), Ok(table)) = (read("obj"), read("yaml")) else {
            println!("skipped: no {name} in {}", folder.display());
            continue;
        };
        let (vertices, triangles) = obj(&text).unwrap();
        let figures = measure(&vertices, &triangles).unwrap();
        let wanted = |key: &str| -> f64 {
            let line = table.lines().find_map(|l| l.trim().strip_prefix(&format!("{key}:"))).unwrap();
            line.trim().parse::<f64>().unwrap() * 0.01
        };
        assert!((figures.height - wanted("height")).abs() < 1e-3);
        for (girth, key) in
            [("bust", "bust"), ("underbust", "underbust"), ("waist", "waist"), ("hip", "hips"), ("wrist", "wrist")]
        {
            let got = figures.girth(girth).unwrap();
            // Their levels are set by hand: 15 mm is a level apart.
            assert!((got - wanted(key)).abs() < 0.015, "{name}: {girth} {got} wanted {}", wanted(key));
        }
    }
}
