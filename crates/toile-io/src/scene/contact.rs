//! Obstacles and contact: from what the files say to shapes, motions and friction in SI units.

use super::convert::{colour, motion};
use super::file::{self, SceneDocument, Up};
use super::gather::{At, Gathered, beside};
use super::shape::{Panel, middle, turn};
use super::{Cloth, Contact, Obstacle, Response, Source};
use crate::problem::{Problem, nearest};
use glam::{DVec2, DVec3};
use std::path::Path;
use toile_contact::barrier::{self, Coefficient, Friction, NARROWEST};
use toile_contact::geometric;
use toile_contact::obstacle::{self, Form, Movement};
use toile_core::system::Motion;

/// The neutral colour of bodies and obstacles.
const COLOUR: [f32; 3] = [0.68, 0.655, 0.635];
/// Friction where the scene says nothing: cotton on cotton or on smooth wood.
const FRICTION: f64 = 0.3;
/// Longest reach chosen by itself (m): lifts cloth on a table by less than anybody sees.
const REACH: f64 = 2e-3;

/// Obstacles of a scene; problems go to `gathered`.
pub(super) fn obstacles(document: &SceneDocument, gathered: &mut Gathered) -> Vec<Obstacle> {
    let mut made = Vec::new();
    for (k, (one, at)) in document.obstacle.iter().zip(gathered.obstacles.clone()).enumerate() {
        let before = document.obstacle[..k].iter().map(|o| &o.name);
        if before.chain(document.cloth.iter().map(|c| &c.name)).any(|name| *name == one.name) {
            gathered.error(&at.inside("name"), "another cloth or obstacle has this name already");
        }
        let painted = match &one.colour {
            None => COLOUR,
            Some(text) => colour(text).unwrap_or_else(|| {
                gathered.error(&at.inside("colour"), "expected a colour as \"#rrggbb\"");
                COLOUR
            }),
        };
        let Some(form) = form(one, &at, gathered) else { continue };
        let Some(movement) = movement(one, &form, &at, gathered) else { continue };
        let body = obstacle::Obstacle { name: one.name.clone(), form, movement };
        made.push(Obstacle { body, colour: painted });
    }
    made
}

/// The one shape of an obstacle.
fn form(one: &file::Obstacle, at: &At, gathered: &mut Gathered) -> Option<Form> {
    let given = [
        one.mesh.is_some(),
        one.sphere.is_some(),
        one.capsule.is_some(),
        one.cuboid.is_some(),
        one.plane.is_some(),
        one.floor.is_some(),
    ];
    if given.iter().filter(|g| **g).count() != 1 {
        gathered.error(at, "expected exactly one of `mesh`, `sphere`, `capsule`, `box`, `plane`, `floor`");
        return None;
    }
    let skin = 1e-3 * one.skin_mm.unwrap_or(0.0);
    if let Some(name) = &one.mesh {
        return mesh(name, one, skin, at, gathered);
    }
    if let Some(s) = &one.sphere {
        let vertices = vec![DVec3::from(s.centre_m)];
        return Some(Form::Round { vertices, edges: Vec::new(), radius: s.radius_m + skin });
    }
    if let Some(c) = &one.capsule {
        let vertices = vec![DVec3::from(c.from_m), DVec3::from(c.to_m)];
        if vertices[0] == vertices[1] {
            gathered.error(&at.inside("capsule"), "both ends are at the same place: make it a `sphere`");
            return None;
        }
        return Some(Form::Round { vertices, edges: vec![[0, 1]], radius: c.radius_m + skin });
    }
    if let Some(b) = &one.cuboid {
        if !b.size_m.iter().all(|s| *s > 0.0) {
            gathered.error(&at.inside("box.size_m"), "all three sides must be above 0 m");
            return None;
        }
        let (vertices, triangles) = cuboid(b);
        return Some(Form::Mesh { vertices, triangles, skin });
    }
    let (point, normal) = match (&one.plane, &one.floor) {
        (Some(p), _) => (DVec3::from(p.point_m), DVec3::from(p.normal).try_normalize()),
        (_, Some(f)) => (f.height_m * DVec3::Y, Some(DVec3::Y)),
        _ => return None,
    };
    let Some(normal) = normal else {
        gathered.error(&at.inside("plane.normal"), "the normal has no length");
        return None;
    };
    Some(Form::HalfSpace { point: point + skin * normal, normal })
}

fn cuboid(b: &file::Cuboid) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let (centre, half, turn) = (DVec3::from(b.centre_m), 0.5 * DVec3::from(b.size_m), turn(b.turn_deg));
    let side = |k: u32, bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
    let corner = |k: u32| centre + turn * (half * DVec3::new(side(k, 0), side(k, 1), side(k, 2)));
    // Each face by its corners, counter-clockwise from the outside.
    let faces: [[u32; 4]; 6] = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    ((0..8).map(corner).collect(), triangles)
}

fn mesh(name: &str, one: &file::Obstacle, skin: f64, at: &At, gathered: &mut Gathered) -> Option<Form> {
    let key = at.inside("mesh");
    let path = beside(gathered.path(at), name);
    let read = crate::formats::read_file(&path)
        .and_then(|bytes| crate::formats::mesh_from_bytes(&bytes, &path).map(|surface| (surface.mesh, bytes)));
    let (mesh, bytes) = read.map_err(|problems| unusable(&key, &path, problems, gathered)).ok()?;
    gathered.others.push(Source { path, bytes });
    if mesh.triangles.is_empty() {
        gathered.error(&key, "the mesh has no triangles");
        return None;
    }
    let vertices = mesh.positions.iter().map(|p| placed(one, *p)).collect();
    Some(Form::Mesh { vertices, triangles: mesh.triangles, skin })
}

fn unusable(key: &At, path: &Path, problems: Vec<Problem>, gathered: &mut Gathered) {
    gathered.error(key, format!("cannot use {}", path.display()));
    gathered.add_problems(problems);
}

/// A point of a file in metres, y up.
fn placed(one: &file::Obstacle, p: DVec3) -> DVec3 {
    let turned = if one.up == Some(Up::Z) { DVec3::new(p.x, p.z, -p.y) } else { p };
    one.unit.unwrap_or_default().metres() * turned
}

fn movement(one: &file::Obstacle, form: &Form, at: &At, gathered: &mut Gathered) -> Option<Movement> {
    if one.frames.is_none() {
        for (key, is_given) in
            [("frames_start_s", one.frames_start_s.is_some()), ("frames_per_s", one.frames_per_s.is_some())]
        {
            if is_given {
                gathered.error(&at.inside(key), "only for a motion read from a file: add `frames`");
            }
        }
    }
    let vertices = match form {
        Form::Round { vertices, .. } | Form::Mesh { vertices, .. } => &vertices[..],
        Form::HalfSpace { point, .. } => std::slice::from_ref(point),
    };
    if let Some(name) = &one.frames {
        if !one.keys.is_empty() {
            gathered.error(&at.inside("frames"), "an obstacle moves by `keys` or by `frames`, not by both");
            return None;
        }
        if one.mesh.is_none() {
            gathered.error(&at.inside("frames"), "only a `mesh` moves vertex by vertex: use `keys`");
            return None;
        }
        return frames(name, one, vertices.len(), at, gathered);
    }
    if one.keys.windows(2).any(|k| k[1].time_s <= k[0].time_s) {
        gathered.error(&at.inside("keys"), "key frames must have ascending times");
        return None;
    }
    if matches!(form, Form::HalfSpace { .. }) && one.keys.iter().any(|k| k.turn_deg.is_some_and(|t| t != [0.0; 3])) {
        gathered.error(&at.inside("keys"), "a plane can be shifted, not turned: use a `box`");
        return None;
    }
    Some(match motion(&one.keys, middle(vertices)).0 {
        Motion::Still => Movement::Still,
        motion => Movement::Rigid(motion),
    })
}

/// Motion of a mesh from a file.
fn frames(name: &str, one: &file::Obstacle, vertices: usize, at: &At, gathered: &mut Gathered) -> Option<Movement> {
    let key = at.inside("frames");
    let path = beside(gathered.path(at), name);
    let read = crate::formats::read_file(&path)
        .and_then(|bytes| crate::formats::clip_from_bytes(bytes.clone(), &path).map(|clip| (clip, bytes)));
    let (clip, bytes) = read.map_err(|problems| unusable(&key, &path, problems, gathered)).ok()?;
    gathered.others.push(Source { path, bytes });
    let found = clip.frames.first().map_or(0, |f| f.positions.len());
    if found != vertices {
        gathered.error(&key, format!("the frames have {found} vertices, the mesh has {vertices}"));
        return None;
    }
    let first = clip.frames[0].time;
    let start = one.frames_start_s.unwrap_or(first);
    let time = |k: usize| match one.frames_per_s {
        Some(rate) => start + k as f64 / rate,
        None => start + clip.frames[k].time - first,
    };
    let times = (0..clip.frames.len()).map(time).collect();
    let frames = clip.frames.iter().map(|f| f.positions.iter().map(|p| placed(one, *p)).collect()).collect();
    Some(Movement::Frames { times, frames })
}

/// How contact is solved; `None` where bodies pass through each other.
pub(super) fn contact(
    document: &SceneDocument,
    cloths: &[Option<(Cloth, Panel)>],
    gathered: &mut Gathered,
) -> Option<Contact> {
    let given = document.contact.clone().unwrap_or_default();
    let is_meant = document.contact.is_some() || !document.obstacle.is_empty();
    let wanted = given.response.unwrap_or(if is_meant { file::Response::Barrier } else { file::Response::None });
    refuse_others(&given, wanted, gathered);
    let friction = friction(document, &given, gathered);
    if wanted == file::Response::None {
        return None;
    }
    let mut thicknesses = Vec::new();
    let mut shortest = f64::INFINITY;
    for (k, at) in gathered.cloths.clone().iter().enumerate() {
        let (cloth, _) = cloths.get(k)?.as_ref()?;
        let altitude = shortest_altitude(&cloth.mesh.material);
        shortest = shortest.min(altitude);
        thicknesses.push(thickness(document.cloth[k].thickness_mm, cloth, altitude, at, gathered));
    }
    let response =
        if wanted == file::Response::Geometric { corrections(&given, gathered) } else { barriers(&given, shortest) };
    Some(Contact { response, friction, thicknesses, untangle: given.untangle.unwrap_or(false) })
}

fn barriers(given: &file::Contact, shortest: f64) -> Response {
    let defaults = barrier::Settings::default();
    Response::Barrier(barrier::Settings {
        reach: given.reach_mm.map_or(REACH.min(0.25 * shortest), |mm| 1e-3 * mm),
        stick_speed: given.stick_mm_per_s.map_or(defaults.stick_speed, |mm| 1e-3 * mm),
        own: given.own.unwrap_or(true),
        ..defaults
    })
}

fn corrections(given: &file::Contact, gathered: &Gathered) -> Response {
    let defaults = geometric::Settings::default();
    let settings = geometric::Settings {
        band: given.band_mm.map_or(defaults.band, |mm| 1e-3 * mm),
        own: given.own.unwrap_or(true),
        ..defaults
    };
    let message = "`drape` needs \"barrier\": corrections follow steps in time; or let it swing out with `toile run`";
    Response::Geometric { settings, drape: gathered.problem(&gathered.table("contact.response"), message) }
}

/// Settings of another response than the one that is wanted are mistakes.
fn refuse_others(given: &file::Contact, wanted: file::Response, gathered: &mut Gathered) {
    let own = [
        ("reach_mm", given.reach_mm.is_some(), file::Response::Barrier, "barrier"),
        ("stick_mm_per_s", given.stick_mm_per_s.is_some(), file::Response::Barrier, "barrier"),
        ("band_mm", given.band_mm.is_some(), file::Response::Geometric, "geometric"),
    ];
    for (key, is_given, owner, name) in own {
        if is_given && wanted != owner && wanted != file::Response::None {
            let place = gathered.table(&format!("contact.{key}"));
            gathered.error(&place, format!("only for `response = \"{name}\"`: leave it out"));
        }
    }
}

/// Layers thicker than half a triangle would feel their own neighbours in the flat sheet.
fn thickness(given_mm: Option<f64>, cloth: &Cloth, altitude: f64, at: &At, gathered: &mut Gathered) -> f64 {
    let (wanted, limit) = (given_mm.map_or(cloth.fabric.thickness, |mm| 1e-3 * mm), 0.5 * altitude);
    if wanted <= limit {
        return wanted;
    }
    let place = if given_mm.is_some() { at.inside("thickness_mm") } else { at.inside("shape") };
    let message = format!(
        "the thickness of {:.3} mm is more than half of the narrowest triangle: contact takes {:.3} mm",
        1e3 * wanted,
        1e3 * limit
    );
    gathered.warning(&place, message, "a longer edge_mm leaves room for it");
    limit
}

/// Shortest altitude of flat triangles (m).
fn shortest_altitude(material: &[[DVec2; 3]]) -> f64 {
    let one = |[a, b, c]: &[DVec2; 3]| {
        let longest = a.distance(*b).max(b.distance(*c)).max(c.distance(*a));
        (*b - *a).perp_dot(*c - *a).abs() / longest
    };
    material.iter().map(one).fold(f64::INFINITY, f64::min)
}

/// Friction between every two bodies, row by row.
fn friction(document: &SceneDocument, given: &file::Contact, gathered: &mut Gathered) -> Vec<Friction> {
    let cloths: Vec<&str> = document.cloth.iter().map(|c| c.name.as_str()).collect();
    let names: Vec<&str> = cloths.iter().copied().chain(document.obstacle.iter().map(|o| o.name.as_str())).collect();
    let count = names.len();
    let everywhere = given.friction.map_or(FRICTION.into(), |c| {
        let place = gathered.table("contact.friction");
        coefficient(c, &place, gathered)
    });
    let both = |c: Coefficient| Friction { rest: c, sliding: c };
    let mut table = vec![both(everywhere); count * count];
    let mut set = |a: usize, b: usize, friction: Friction| {
        (table[a * count + b], table[b * count + a]) = (friction, friction);
    };
    for (k, obstacle) in document.obstacle.iter().enumerate() {
        let (Some(own), Some(at)) = (obstacle.friction, gathered.obstacles.get(k).cloned()) else { continue };
        let own = coefficient(own, &at.inside("friction"), gathered);
        (0..cloths.len()).for_each(|c| set(c, cloths.len() + k, both(own)));
    }
    for (k, pair) in given.pair.iter().enumerate() {
        let at = gathered.table(&format!("contact.pair[{k}]"));
        let sides = [0, 1].map(|side| bodies(&pair.between[side], &names, cloths.len(), &at, gathered));
        let rest = coefficient(pair.rest, &at.inside("static"), gathered);
        let sliding = pair.sliding.map_or(rest, |c| coefficient(c, &at.inside("kinetic"), gathered));
        if sliding.weft > rest.weft || sliding.warp > rest.warp {
            gathered.error(
                &at.inside("kinetic"),
                "what slides cannot be held more strongly than what rests: at most `static`",
            );
        }
        for a in sides[0].iter().flatten() {
            sides[1].iter().flatten().for_each(|b| set(*a, *b, Friction { rest, sliding }));
        }
    }
    table
}

/// A coefficient as contact takes it.
fn coefficient(given: file::Coefficient, at: &At, gathered: &mut Gathered) -> Coefficient {
    match given {
        file::Coefficient::Even(c) => c.into(),
        file::Coefficient::Woven(file::Woven { weft, warp }) => {
            if weft.max(warp) > NARROWEST * weft.min(warp) {
                let message =
                    format!("`weft` and `warp` are more than a factor of {NARROWEST} apart: bring them closer");
                gathered.error(at, message);
            }
            Coefficient { weft, warp }
        }
    }
}

/// The bodies that a word means.
fn bodies(word: &str, names: &[&str], cloths: usize, at: &At, gathered: &mut Gathered) -> Option<Vec<usize>> {
    if let Some(k) = names.iter().position(|n| *n == word) {
        return Some(vec![k]);
    }
    match word {
        "cloth" => Some((0..cloths).collect()),
        "obstacle" => Some((cloths..names.len()).collect()),
        _ => {
            let near = nearest(word, names.iter().copied().chain(["cloth", "obstacle"]));
            let near = near.map(|n| format!(", did you mean \"{n}\"?")).unwrap_or_default();
            gathered.error(&at.inside("between"), format!("there is no cloth or obstacle \"{word}\"{near}"));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Scene, read};
    use super::*;
    use std::collections::BTreeSet;

    /// Reads a scene of one sheet and this.
    fn scene(name: &str, more: &str) -> Result<(Scene, Vec<Problem>), Vec<Problem>> {
        let folder = std::env::temp_dir().join(format!("toile-scene-contact-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let text = "format = \"toile-scene/1\"\n[[cloth]]\nname = \"sheet\"\nfabric = \"cotton-lawn\"\nshape = { kind = \"rectangle\", width_m = 0.1, height_m = 0.1, edge_mm = 20, mesh = \"structured\" }\n";
        std::fs::write(folder.join("scene.toml"), format!("{text}{more}")).unwrap();
        let found = read(&folder.join("scene.toml"));
        std::fs::remove_dir_all(&folder).unwrap();
        found
    }

    /// Closed, facing out, with the volume of its sides, wherever it is turned.
    #[test]
    fn boxes_are_closed_and_face_out() {
        let b = file::Cuboid { centre_m: [1.0, 2.0, 3.0], size_m: [0.2, 0.3, 0.5], turn_deg: Some([10.0, 20.0, 30.0]) };
        let (vertices, triangles) = cuboid(&b);
        let mut edges = BTreeSet::new();
        let mut volume = 0.0;
        for t in &triangles {
            let [a, b, c] = t.map(|v| vertices[v as usize] - vertices[0]);
            volume += a.dot(b.cross(c)) / 6.0;
            (0..3).for_each(|k| assert!(edges.insert((t[k], t[(k + 1) % 3])), "an edge is run through twice"));
        }
        assert!(edges.iter().all(|(a, b)| edges.contains(&(*b, *a))));
        assert!((volume - 0.03).abs() < 1e-12, "{volume}");
        assert!(middle(&vertices).distance(DVec3::new(1.0, 2.0, 3.0)) < 1e-12);
    }

    /// A pair decides over the obstacle, the obstacle over the table; what nobody speaks of has the default.
    #[test]
    fn friction_is_decided_by_the_nearest_word() {
        let more = "[[cloth]]\nname = \"disc\"\nfabric = \"denim\"\nshape = { kind = \"disc\", radius_m = 0.1, edge_mm = 20 }\n\
            [[obstacle]]\nname = \"floor\"\nfriction = 0.7\nfloor = { height_m = -1 }\n\
            [contact]\nfriction = 0.2\n[[contact.pair]]\nbetween = [\"disc\", \"obstacle\"]\nstatic = 0.5\nkinetic = 0.4\n";
        let friction = scene("friction", more).unwrap().0.contact.unwrap().friction;
        let (sheet, disc, floor) = (0, 1, 2);
        let between = |a: usize, b: usize| (friction[3 * a + b], friction[3 * b + a]);
        let both = |f: Friction| (f, f);
        assert_eq!(between(sheet, disc), both(Friction::coulomb(0.2)));
        assert_eq!(between(sheet, floor), both(Friction::coulomb(0.7)));
        assert_eq!(between(disc, floor), both(Friction { rest: 0.5.into(), sliding: 0.4.into() }));
    }

    /// Wherever friction is a number it may go by the weave; a kinetic one that is above the static one in one direction is refused.
    #[test]
    fn friction_goes_by_the_weave() {
        let more = "[[obstacle]]\nname = \"floor\"\nfriction = { weft = 0.3, warp = 0.4 }\nfloor = { height_m = -1 }\n\
            [[obstacle]]\nname = \"ball\"\nsphere = { centre_m = [0, -2, 0], radius_m = 0.1 }\n\
            [contact]\nfriction = { weft = 0.1, warp = 0.2 }\n\
            [[contact.pair]]\nbetween = [\"sheet\", \"ball\"]\nstatic = { weft = 0.5, warp = 0.6 }\nkinetic = 0.4\n";
        let friction = scene("weave", more).unwrap().0.contact.unwrap().friction;
        let by = |weft: f64, warp: f64| Coefficient { weft, warp };
        assert_eq!(friction[0], Friction { rest: by(0.1, 0.2), sliding: by(0.1, 0.2) });
        assert_eq!(friction[1], Friction { rest: by(0.3, 0.4), sliding: by(0.3, 0.4) });
        assert_eq!(friction[2], Friction { rest: by(0.5, 0.6), sliding: by(0.4, 0.4) });
        for (value, part) in [
            (
                "{ weft = 0.5, warp = 0.02 }",
                "scene.toml:7:1: error: `contact.friction`: `weft` and `warp` are more than a factor of 10 apart",
            ),
            ("{ weft = 0.5 }", "`contact.friction.warp`: missing: expected a number"),
            ("{ weft = 0.5, warp = -1 }", "`contact.friction.warp` = -1: must be at least 0 and at most 10"),
            ("{ weft = 0.5, wrap = 1 }", "`contact.friction.wrap`: unknown key"),
            ("-1", "`contact.friction` = -1: must be at least 0 and at most 10"),
            ("\"high\"", "`contact.friction` = \"high\": expected a number or a table, found a string"),
        ] {
            let problems = scene("weave-bad", &format!("[contact]\nfriction = {value}\n")).unwrap_err();
            let said: Vec<String> = problems.iter().map(Problem::to_string).collect();
            assert!(said.iter().any(|s| s.contains(part)), "{part}: {said:?}");
        }
        let more =
            "[[contact.pair]]\nbetween = [\"cloth\", \"cloth\"]\nstatic = 0.5\nkinetic = { weft = 0.4, warp = 0.6 }\n";
        let problems = scene("weave-kinetic", more).unwrap_err();
        let is_said = |p: &Problem| p.to_string().contains("`contact.pair[0].kinetic`: what slides cannot");
        assert!(problems.iter().any(is_said), "{problems:?}");
    }

    /// Reach and thickness follow the mesh: its narrowest triangle is 14.1 mm high.
    #[test]
    fn lengths_follow_the_mesh() {
        let (found, warnings) = scene("reach", "[contact]\n").unwrap();
        let contact = found.contact.unwrap();
        let Response::Barrier(settings) = contact.response else { panic!("the default") };
        assert_eq!(settings.reach, 2e-3);
        assert_eq!(contact.thicknesses, [found.cloths[0].fabric.thickness]);
        assert!(warnings.iter().all(|w| !w.to_string().contains("thickness")));
        let (found, warnings) = scene("thick", "thickness_mm = 9\n[contact]\nself = false\n").unwrap();
        let contact = found.contact.unwrap();
        assert!((contact.thicknesses[0] - 0.5 * 0.02 / 2f64.sqrt()).abs() < 1e-9, "{:?}", contact.thicknesses);
        assert!(warnings.iter().any(|w| w.to_string().contains("9.000 mm")), "{warnings:?}");
        assert!(!contact.response.own());
    }

    /// Corrections have their own settings, go with any scheme and refuse what belongs to barriers, at its place.
    #[test]
    fn corrections_are_a_response() {
        let more = "[contact]\nresponse = \"geometric\"\nband_mm = 0.3\nself = false\n[simulation]\nscheme = \"semi-implicit\"\n";
        let found = scene("geometric", more).unwrap().0;
        let Response::Geometric { settings, drape } = found.contact.unwrap().response else { panic!("asked for") };
        assert_eq!((settings.band, settings.own), (3e-4, false));
        assert!(drape.to_string().contains("scene.toml:7:12: error"), "{drape}");
        assert_eq!(found.simulation.scheme, "semi-implicit");
        for (more, place) in [
            ("[contact]\nresponse = \"geometric\"\nreach_mm = 1\n", "scene.toml:8:12"),
            ("[contact]\nresponse = \"geometric\"\nstick_mm_per_s = 1\n", "scene.toml:8:18"),
            ("[contact]\nband_mm = 0.1\n", "scene.toml:7:11"),
        ] {
            let problems = scene("geometric-wrong", more).unwrap_err();
            let errors: Vec<String> = problems.iter().filter(|p| p.is_error()).map(ToString::to_string).collect();
            assert!(errors.len() == 1 && errors[0].contains(place), "{errors:?}");
            assert!(errors[0].contains("leave it out"), "{errors:?}");
        }
    }

    /// A start that crosses is parted only where the scene says so.
    #[test]
    fn untangling_is_asked_for() {
        for (more, wanted) in [("", false), ("untangle = false\n", false), ("untangle = true\n", true)] {
            let found = scene("untangle", &format!("[contact]\n{more}")).unwrap().0;
            assert_eq!(found.contact.unwrap().untangle, wanted, "{more}");
        }
    }

    /// Contact is on with obstacles or its table, off otherwise, and chooses the scheme.
    #[test]
    fn contact_is_on_where_something_can_touch() {
        let floor = "[[obstacle]]\nname = \"floor\"\nfloor = { height_m = -1 }\nskin_mm = 5\n";
        for (more, is_on) in
            [("", false), ("[contact]\n", true), (floor, true), ("[contact]\nresponse = \"none\"\n", false)]
        {
            let found = scene("on", more).unwrap().0;
            assert_eq!(found.contact.is_some(), is_on, "{more}");
            assert_eq!(found.simulation.scheme, if is_on { "backward-euler" } else { "bdf2" });
            assert_eq!(found.simulation.options.max_newton, if is_on { 60 } else { 12 });
        }
        let found = scene("floor", floor).unwrap().0;
        assert_eq!(found.obstacles[0].body.form, Form::HalfSpace { point: -0.995 * DVec3::Y, normal: DVec3::Y });
    }
}
