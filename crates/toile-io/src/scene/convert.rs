//! From what the files say to a scene in SI units.

use super::file::{self, Precision as FilePrecision};
use super::gather::{At, Gathered, beside};
use super::shape::{self, Panel};
use super::{Cloth, Grip, Output, Picture, Response, Scene, Simulation, contact, select};
use crate::fabric;
use crate::problem::nearest;
use glam::DVec3;
use std::path::Path;
use toile_core::bending::BENDINGS;
use toile_core::fabric::Fabric;
use toile_core::force::Wind;
use toile_core::integrate::{Options, Precision, SCHEMES};
use toile_core::lane::Level;
use toile_core::linalg::SOLVERS;
use toile_core::membrane::MEMBRANES;
use toile_core::system::{Key, Line, Motion};

/// Colours given to cloths without one.
const COLOURS: [[f32; 3]; 6] = [
    [0.33, 0.45, 0.62],
    [0.76, 0.36, 0.30],
    [0.47, 0.58, 0.42],
    [0.83, 0.68, 0.38],
    [0.52, 0.41, 0.56],
    [0.36, 0.58, 0.58],
];

/// The scene, as far as it can be made; problems are with `gathered`.
pub(super) fn scene(gathered: &mut Gathered) -> Option<Scene> {
    let document = std::mem::take(&mut gathered.scene);
    if document.cloth.is_empty() {
        let at = gathered.table("cloth");
        gathered.error(&at, "the scene has no [[cloth]]");
    }
    let mut cloths: Vec<Option<(Cloth, Panel)>> = Vec::new();
    for (k, (cloth, at)) in document.cloth.iter().zip(gathered.cloths.clone()).enumerate() {
        if document.cloth[..k].iter().any(|other| other.name == cloth.name) {
            gathered.error(&at.inside("name"), "another cloth has this name already");
        }
        let on_it = document.line.iter().filter(|l| l.cloth.as_ref().is_none_or(|name| *name == cloth.name));
        let lines: Vec<file::Line> = on_it.cloned().collect();
        cloths.push(one_cloth(cloth, &lines, k, &at, gathered));
    }
    let mut grips = Vec::new();
    let (pins, handles) = (gathered.pins.clone(), gathered.handles.clone());
    for (k, (pin, at)) in document.pin.iter().zip(&pins).enumerate() {
        if !pin.keys.is_empty() {
            gathered.error(&at.inside("keys"), "a pin does not move: make it a [[handle]]");
        }
        grips.extend(grip(pin, format!("pin {}", k + 1), at, &document.cloth, &cloths, gathered));
    }
    for (k, (handle, at)) in document.handle.iter().zip(&handles).enumerate() {
        if handle.keys.is_empty() {
            gathered.error(
                &at.inside("keys"),
                "a handle needs key frames, as keys = [{ time_s = 0.0, shift_m = [0, 0, 0] }]",
            );
        }
        grips.extend(grip(handle, format!("handle {}", k + 1), at, &document.cloth, &cloths, gathered));
    }
    let mut lines = Vec::new();
    for (k, (line, at)) in document.line.iter().zip(gathered.lines.clone()).enumerate() {
        lines.extend(one_line(line, k, &at, &document.cloth, &cloths, gathered));
    }
    let wind = document.wind.as_ref().map(|w| Wind {
        velocity: DVec3::from(w.velocity_m_per_s),
        gusts: w.gusts.unwrap_or(0.0),
        period: w.period_s.unwrap_or(2.0),
        seed: w.seed.unwrap_or(1) as u64,
    });
    let obstacles = contact::obstacles(&document, gathered);
    let touching = contact::contact(&document, &cloths, gathered);
    let simulation =
        simulation(&document.simulation.unwrap_or_default(), touching.as_ref().map(|c| &c.response), gathered);
    let output = output(&document.output.unwrap_or_default(), gathered);
    if simulation.duration * output.frames_per_second > 1e6 {
        let at = gathered.table("output.frames_per_s");
        gathered.error(&at, "more than a million frames: lower the rate or the duration");
    }
    let all_made = grips.len() == document.pin.len() + document.handle.len();
    for (k, at) in gathered.cloths.clone().iter().enumerate().filter(|_| all_made) {
        if simulation.gravity != DVec3::ZERO && obstacles.is_empty() && !grips.iter().any(|g: &Grip| g.cloth == k) {
            gathered.warning(
                at,
                "nothing holds this cloth: it will fall",
                "add a [[pin]] or an [[obstacle]], or set gravity_m_per_s2 to zero",
            );
        }
    }
    let name = document.name.unwrap_or_else(|| stem(gathered.root()));
    let cloths: Option<Vec<Cloth>> = cloths.into_iter().map(|c| c.map(|c| c.0)).collect();
    Some(Scene {
        name,
        sources: gathered.sources(),
        cloths: cloths?,
        grips,
        lines,
        obstacles,
        contact: touching,
        wind,
        simulation,
        output,
        picture: picture(&document.picture.unwrap_or_default()),
    })
}

/// Name of a scene without one: its file, or the folder of a file called `scene.toml`.
fn stem(path: &Path) -> String {
    let own = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let folder = path.parent().and_then(Path::file_name).map(|f| f.to_string_lossy().into_owned());
    if own == "scene" { folder.unwrap_or(own) } else { own }
}

fn one_cloth(
    cloth: &file::Cloth,
    lines: &[file::Line],
    number: usize,
    at: &At,
    gathered: &mut Gathered,
) -> Option<(Cloth, Panel)> {
    let fabric = fabric(&cloth.fabric, at, gathered);
    let colour = match &cloth.colour {
        None => Some(COLOURS[number % COLOURS.len()]),
        Some(text) => colour(text).or_else(|| {
            gathered.error(&at.inside("colour"), "expected a colour as \"#rrggbb\"");
            None
        }),
    };
    let membrane = word(&cloth.membrane, "green", MEMBRANES.iter().map(|m| m.name), &at.inside("membrane"), gathered);
    let bendings = BENDINGS.iter().map(|b| b.name).chain(["none"]);
    let bending = word(&cloth.bending, "midedge", bendings, &at.inside("bending"), gathered);
    let mut panel = shape::panel(cloth, lines, at, gathered)?;
    jolt(&mut panel, 1e-3 * cloth.jolt_mm.unwrap_or(0.0));
    let cloth = Cloth {
        name: cloth.name.clone(),
        fabric: fabric?,
        fabric_name: cloth.fabric.clone(),
        membrane: membrane?,
        bending: bending?,
        colour: colour?,
        mesh: panel.mesh.clone(),
        rest_curvature: cloth.rest_curvature_per_m,
    };
    Some((cloth, panel))
}

/// Shifts every vertex across the sheet by up to `size` (m), the same every time.
fn jolt(panel: &mut Panel, size: f64) {
    if size == 0.0 {
        return;
    }
    let mesh = &mut panel.mesh;
    let Some(normal) = select::normal(mesh, &(0..mesh.vertex_count() as u32).collect::<Vec<_>>()) else { return };
    let mut seed = 0x2545_f491_4f6c_dd1du64;
    for p in &mut mesh.positions {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        *p += size * (2.0 * (seed >> 11) as f64 / (1u64 << 53) as f64 - 1.0) * normal;
    }
}

fn fabric(word: &str, at: &At, gathered: &mut Gathered) -> Option<Fabric> {
    let unknown = match fabric::by_name(word) {
        Ok(known) => return Some(known.read().fabric),
        Err(unknown) => unknown,
    };
    let path = beside(gathered.path(at), word);
    let is_path = path.exists() || Path::new(word).components().count() > 1 || Path::new(word).extension().is_some();
    let key = at.inside("fabric");
    if !is_path {
        gathered.error(&key, format!("{unknown}; see `toile fabric list`, or name a file"));
        return None;
    }
    // Read once: what the record of a run hashes is what was used.
    let bytes = match crate::read_limited(&path) {
        Ok(bytes) => bytes,
        Err(error) => {
            gathered.error(&key, format!("cannot read {}: {error}", path.display()));
            return None;
        }
    };
    match fabric::read_bytes(&bytes, &path) {
        Ok(file) => {
            gathered.others.push(super::Source { path, bytes });
            gathered.add_problems(file.warnings);
            Some(file.fabric)
        }
        Err(fabric::FabricFileError::Problems(problems)) => {
            gathered.error(&key, format!("cannot use {}", path.display()));
            gathered.add_problems(problems);
            None
        }
        Err(error) => {
            gathered.error(&key, format!("cannot read {error}"));
            None
        }
    }
}

/// A word of a registry.
fn word<'a>(
    given: &Option<String>,
    default: &str,
    known: impl Iterator<Item = &'a str>,
    at: &At,
    gathered: &mut Gathered,
) -> Option<String> {
    let Some(given) = given else { return Some(default.to_string()) };
    let known: Vec<&str> = known.collect();
    if known.contains(&given.as_str()) {
        return Some(given.clone());
    }
    let near = nearest(given, known.iter().copied()).map(|n| format!("; did you mean \"{n}\"?")).unwrap_or_default();
    let list = known.iter().map(|k| format!("\"{k}\"")).collect::<Vec<_>>().join(", ");
    gathered.error(at, format!("expected one of {list}{near}"));
    None
}

/// `#rrggbb` as three numbers from 0 to 1.
pub(crate) fn colour(text: &str) -> Option<[f32; 3]> {
    let digits = text.strip_prefix('#').filter(|d| d.len() == 6 && d.is_ascii())?;
    let value = u32::from_str_radix(digits, 16).ok()?;
    Some([value >> 16, value >> 8 & 255, value & 255].map(|c| c as f32 / 255.0))
}

/// The cloth an entry means; `None` after reporting.
fn meant(name: &Option<String>, cloths: &[file::Cloth], at: &At, gathered: &mut Gathered) -> Option<usize> {
    match name {
        Some(name) => {
            let found = cloths.iter().position(|c| c.name == *name);
            if found.is_none() {
                let near = nearest(name, cloths.iter().map(|c| c.name.as_str()));
                let near = near.map(|n| format!(", did you mean \"{n}\"?")).unwrap_or_default();
                gathered.error(&at.inside("cloth"), format!("there is no cloth \"{name}\"{near}"));
            }
            found
        }
        None if cloths.len() == 1 => Some(0),
        None => {
            gathered.error(&at.inside("cloth"), "missing: there is more than one cloth");
            None
        }
    }
}

fn grip(
    grip: &file::Grip,
    default_name: String,
    at: &At,
    documents: &[file::Cloth],
    cloths: &[Option<(Cloth, Panel)>],
    gathered: &mut Gathered,
) -> Option<Grip> {
    let cloth = meant(&grip.cloth, documents, at, gathered)?;
    let (_, panel) = cloths[cloth].as_ref()?;
    let vertices = match select::vertices(grip, panel) {
        Ok(vertices) => vertices,
        Err((key, message)) => {
            gathered.error(&if key.is_empty() { at.clone() } else { at.inside(key) }, message);
            return None;
        }
    };
    let axes = match grip.axes.as_deref() {
        None => [true; 3],
        Some(letters) if !letters.is_empty() && letters.chars().all(|c| "xyz".contains(c)) => {
            ['x', 'y', 'z'].map(|axis| letters.contains(axis))
        }
        Some(_) => {
            gathered.error(&at.inside("axes"), "expected some of the letters x, y, z, as \"xz\"");
            return None;
        }
    };
    let clamp = if grip.clamp { select::normal(&panel.mesh, &vertices) } else { None };
    let centre = vertices.iter().map(|&v| panel.mesh.positions[v as usize]).sum::<DVec3>() / vertices.len() as f64;
    if grip.keys.windows(2).any(|k| k[1].time_s <= k[0].time_s) {
        gathered.error(&at.inside("keys"), "key frames must have ascending times");
        return None;
    }
    let (motion, turning) = motion(&grip.keys, centre);
    let name = grip.name.clone().unwrap_or(default_name);
    Some(Grip { name, cloth, vertices, axes, clamp, motion, turning })
}

pub(super) fn motion(keys: &[file::Key], centre: DVec3) -> (Motion, Motion) {
    if keys.is_empty() {
        return (Motion::Still, Motion::Still);
    }
    let vector = |v: Option<[f64; 3]>| DVec3::from(v.unwrap_or([0.0; 3]));
    let turn = |k: &file::Key| vector(k.turn_deg.map(|t| t.map(f64::to_radians)));
    let whole = keys.iter().map(|k| Key {
        time: k.time_s,
        translation: vector(k.shift_m),
        rotation: turn(k),
        pivot: k.about_m.map_or(centre, DVec3::from),
    });
    let turning = keys.iter().map(|k| Key { rotation: turn(k), ..Key::shift(k.time_s, DVec3::ZERO) });
    (Motion::Keys(whole.collect()), Motion::Keys(turning.collect()))
}

fn one_line(
    line: &file::Line,
    number: usize,
    at: &At,
    documents: &[file::Cloth],
    cloths: &[Option<(Cloth, Panel)>],
    gathered: &mut Gathered,
) -> Option<(usize, Line)> {
    let cloth = meant(&line.cloth, documents, at, gathered)?;
    let (_, panel) = cloths[cloth].as_ref()?;
    let vertices = match (line.edge, line.points_m.is_empty()) {
        (Some(file::EdgeName::Rim), _) => {
            Err(("edge", "a line runs along one edge: left, right, bottom or top".into()))
        }
        (Some(edge), true) => select::along(edge, panel).map_err(|(_, message)| ("edge", message)),
        (None, false) => select::on_points(&line.points_m, panel),
        _ => Err(("", "expected either `edge` or `points_m`".into())),
    };
    let vertices = match vertices {
        Ok(vertices) => vertices,
        Err((key, message)) => {
            gathered.error(&if key.is_empty() { at.clone() } else { at.inside(key) }, message);
            return None;
        }
    };
    let fold = match (line.fold_stiffness_mn, line.fold_deg) {
        (None, None) => None,
        (stiffness, angle) => Some((1e-3 * stiffness.unwrap_or(1.0), angle.unwrap_or(0.0).to_radians())),
    };
    let line = Line {
        name: line.name.clone().unwrap_or(format!("line {}", number + 1)),
        vertices,
        stiffness: line.stiffness_n.unwrap_or(0.0),
        rest_ratio: line.rest_ratio.unwrap_or(1.0),
        fold,
    };
    Some((cloth, line))
}

/// Schemes whose stage ends where the step ends: barriers need that.
const CONTACT_SCHEMES: [&str; 2] = ["backward-euler", "bdf2"];
/// Newton's tolerance with contact, in steps of free fall: what touches is stiff, and the residual there falls late.
const CONTACT_TOLERANCE: f64 = 0.3;
/// Newton iterations with contact: every pair that is new costs one.
const CONTACT_NEWTON: usize = 60;

fn simulation(s: &file::Simulation, response: Option<&Response>, gathered: &mut Gathered) -> Simulation {
    let at = |key: &str, gathered: &Gathered| gathered.table(&format!("simulation.{key}"));
    let place = at("scheme", gathered);
    let default = if response.is_some() { CONTACT_SCHEMES[0] } else { "bdf2" };
    let scheme = word(&s.scheme, default, SCHEMES.iter().map(|e| e.name), &place, gathered);
    let place = at("solver", gathered);
    let solver = word(&s.solver, "auto", SOLVERS.iter().map(|e| e.name), &place, gathered);
    let level = match &s.simd {
        None => Level::detect(),
        Some(name) => Level::by_name(name).unwrap_or_else(|| {
            let place = at("simd", gathered);
            gathered.error(&place, "this machine has no such instruction level; known are scalar, avx2, avx512");
            Level::Scalar
        }),
    };
    let scheme = scheme.unwrap_or_default();
    let mut options = Options::named(&scheme).unwrap_or_default();
    options.solver = solver.unwrap_or_default();
    if response.is_some() && CONTACT_SCHEMES.contains(&scheme.as_str()) {
        (options.tolerance, options.max_newton) = (CONTACT_TOLERANCE, CONTACT_NEWTON);
        options.linear_tolerance = 0.1 * CONTACT_TOLERANCE;
    } else if matches!(response, Some(Response::Barrier(_))) && !scheme.is_empty() {
        let place = at("scheme", gathered);
        gathered.error(
            &place,
            "contact by barriers needs \"backward-euler\" or \"bdf2\"; or set `response = \"geometric\"` or `\"none\"` in [contact]",
        );
    }
    if let Some(tolerance) = s.tolerance {
        (options.tolerance, options.linear_tolerance) = (tolerance, options.linear_tolerance.min(0.3 * tolerance));
    }
    options.max_newton = s.max_newton.map_or(options.max_newton, |n| n as usize);
    if s.precision == Some(FilePrecision::Double) {
        options.precision = Precision::Double;
    }
    let gravity = s.gravity_m_per_s2.map_or(DVec3::new(0.0, -9.81, 0.0), DVec3::from);
    if gravity.length() > 0.0 {
        options.reference_acceleration = gravity.length();
    }
    Simulation {
        duration: s.duration_s.unwrap_or(2.0),
        step: 1e-3 * s.step_ms.unwrap_or(10.0),
        options,
        scheme,
        gravity,
        force_tolerance: 1e-3 * s.force_tolerance_mn.unwrap_or(1e-3),
        max_iterations: s.max_iterations.map_or(2000, |n| n as usize),
        level,
    }
}

fn output(o: &file::Output, gathered: &mut Gathered) -> Output {
    for (i, name) in o.formats.iter().enumerate() {
        let place = gathered.table(&format!("output.formats[{i}]"));
        word(&Some(name.clone()), "", crate::formats::FORMATS.iter().map(|f| f.name), &place, gathered);
    }
    Output {
        frames_per_second: o.frames_per_s.unwrap_or(25.0),
        formats: o.formats.clone(),
        checkpoint_seconds: o.checkpoint_s.unwrap_or(20.0),
    }
}

fn picture(p: &file::Picture) -> Picture {
    Picture {
        paint: p.paint.unwrap_or_default(),
        checker: 1e-3 * p.checker_mm.unwrap_or(40.0),
        map_maximum: p.map_maximum,
        camera_deg: [p.azimuth_deg.unwrap_or(25.0), p.elevation_deg.unwrap_or(12.0)],
        size: [p.width_px.unwrap_or(1280) as usize, p.height_px.unwrap_or(960) as usize],
        floor: p.floor_m,
        strip: p.strip.unwrap_or(0) as usize,
        animation: p.animation,
    }
}
