//! From a garment to a specification, into the document it came from if there is one.

use super::{Document, Meaning, attachments, curvature, numbers, vector, whole_edge};
use crate::garment::angles::{degrees, rotation};
use crate::json::{Json, Node};
use glam::{DVec2, DVec3};
use toile_garment::pattern::{Curve, Edge, Garment, Panel, Placement, Seam, Span};

/// A specification as text.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// The file.
    pub text: String,
    /// What the format cannot hold and the file therefore does not have, one sentence each.
    pub lost: Vec<String>,
}

/// Writes a garment. With the document it was read from, what did not change keeps its digits, its place and all unknown keys.
pub fn write(garment: &Garment, document: Option<&Document>) -> Written {
    let mut root = document.map_or_else(fresh, |d| d.root.clone());
    let meaning = meaning(&root);
    let mut lost = Vec::new();
    let old = |name: &str| root.get("pattern").and_then(|p| p.get(name));
    let panels = panels(garment, old("panels"), meaning, &mut lost);
    let stitches = stitches(garment, old("stitches"), &mut lost);
    let order = old("panel_order").map(|order| panel_order(garment, order));
    if let Some(pattern) = root.get_mut("pattern") {
        pattern.set("panels", panels);
        pattern.set("stitches", stitches);
        order.into_iter().for_each(|order| pattern.set("panel_order", order));
    }
    lost.extend(unheld(garment));
    Written { text: root.to_text(), lost }
}

/// A document without panels.
fn fresh() -> Json {
    let empty = || Json::object(vec![]);
    let pattern = vec![("panels", empty()), ("stitches", Json::array(vec![])), ("panel_order", Json::array(vec![]))];
    let flag = |value| Json { at: 0, node: Node::Bool(value) };
    let properties = vec![
        ("curvature_coords", Json::text("relative")),
        ("normalize_panel_translation", flag(false)),
        ("normalized_edge_loops", flag(true)),
        ("units_in_meter", Json::count(100)),
    ];
    Json::object(vec![
        ("pattern", Json::object(pattern)),
        ("parameters", empty()),
        ("parameter_order", Json::array(vec![])),
        ("properties", Json::object(properties)),
    ])
}

/// How numbers of a document that was read are meant.
fn meaning(root: &Json) -> Meaning {
    let property = |name: &str| root.get("properties").and_then(|p| p.get(name));
    Meaning {
        units: property("units_in_meter").and_then(Json::as_f64).unwrap_or(100.0),
        absolute: property("curvature_coords").and_then(Json::as_str) == Some("absolute"),
    }
}

/// Names in the order of the document, new ones at the end.
fn panel_order(garment: &Garment, order: &Json) -> Json {
    let known = |item: &&Json| item.as_str().is_some_and(|name| garment.panel(name).is_some());
    let mut names: Vec<Json> = order.items().iter().filter(known).cloned().collect();
    for panel in &garment.panels {
        if !names.iter().any(|n| n.as_str() == Some(&panel.name)) {
            names.push(Json::text(&panel.name));
        }
    }
    Json::array(names)
}

fn panels(garment: &Garment, old: Option<&Json>, meaning: Meaning, lost: &mut Vec<String>) -> Json {
    let written = garment.panels.iter().map(|panel| {
        let mut json = old.and_then(|o| o.get(&panel.name)).cloned().unwrap_or_else(|| Json::object(vec![]));
        put_placement(&mut json, panel, meaning, lost);
        put_outline(&mut json, panel, meaning);
        put_label(&mut json, panel.label.as_deref());
        (panel.name.as_str(), json)
    });
    Json::object(written.collect())
}

fn put_placement(json: &mut Json, panel: &Panel, meaning: Meaning, lost: &mut Vec<String>) {
    let (translation, turn) = match &panel.placement {
        Placement::Flat { translation, rotation } => (*translation, *rotation),
        Placement::Wrapped { .. } => {
            lost.push(format!("panel `{}` is wrapped round the body: written flat at the origin", panel.name));
            (DVec3::ZERO, glam::DQuat::IDENTITY)
        }
    };
    if json.get("translation").and_then(|t| meaning.lengths(t)).map(vector) != Some(translation) {
        json.set("translation", Json::numbers(&(translation * meaning.units).to_array()));
    }
    if json.get("rotation").and_then(numbers).map(rotation) != Some(turn) {
        json.set("rotation", Json::numbers(&degrees(turn)));
    }
}

fn put_label(json: &mut Json, label: Option<&str>) {
    let same = json.get("label").is_none_or(|l| matches!(l.node, Node::Null)) && label.is_none();
    match label {
        _ if same => {}
        Some(text) if json.get("label").and_then(Json::as_str) != Some(text) => json.set("label", Json::text(text)),
        None => json.remove("label"),
        Some(_) => {}
    }
}

/// An edge of the document: what it means, where it ends (m), and what is written there.
struct Known {
    edge: Edge,
    end: DVec2,
    json: Json,
    /// Number of its start, and the start as written.
    vertex: usize,
    point: Json,
}

/// Vertices and edges. As many edges as before are changed in place; otherwise all are numbered anew, and edges that did not
/// change take along what the document says of them.
fn put_outline(json: &mut Json, panel: &Panel, meaning: Meaning) {
    let list = |name: &str| json.get(name).map_or_else(Vec::new, |v| v.items().to_vec());
    let (old, mut points) = (list("edges"), list("vertices"));
    let known: Vec<Known> = old.iter().filter_map(|edge| known_edge(edge, &points, meaning)).collect();
    let count = panel.outline.len();
    let in_place = known.len() == count && old.len() == count;
    if !in_place {
        points = vec![Json::array(vec![]); count];
    }
    let mut edges = Vec::with_capacity(count);
    for (k, edge) in panel.outline.iter().enumerate() {
        let next = panel.outline[(k + 1) % count].start;
        let same = |known: &&Known| known.edge == *edge && known.end == next;
        let from = if in_place { known.get(k) } else { known.iter().find(same) };
        let mut written = from.map_or_else(|| Json::object(vec![]), |known| known.json.clone());
        let kept = from.filter(|known| known.edge.start == edge.start).map(|known| known.point.clone());
        let point = kept.unwrap_or_else(|| Json::numbers(&(edge.start * meaning.units).to_array()));
        if in_place {
            points[known[k].vertex] = point;
        } else {
            points[k] = point;
            written.set("endpoints", Json::array(vec![Json::count(k), Json::count((k + 1) % count)]));
        }
        put_curve(&mut written, edge.curve, [edge.start, next], meaning);
        put_label(&mut written, edge.label.as_deref());
        edges.push(written);
    }
    json.set("vertices", Json::array(points));
    json.set("edges", Json::array(edges));
}

fn known_edge(json: &Json, points: &[Json], meaning: Meaning) -> Option<Known> {
    let vertex = |i: usize| json.get("endpoints")?.items().get(i)?.as_index();
    let at = |i: usize| -> Option<DVec2> { Some(DVec2::from(meaning.lengths::<2>(points.get(vertex(i)?)?)?)) };
    let (start, end) = (at(0)?, at(1)?);
    let label = json.get("label").and_then(Json::as_str).map(Into::into);
    let edge = Edge { start, curve: meaning.curve(curvature(json), start, end).ok()?, label };
    let point = points.get(vertex(0)?)?.clone();
    Some(Known { edge, end, json: json.clone(), vertex: vertex(0)?, point })
}

/// A curve, if it is not the one the document has between these ends (m).
fn put_curve(json: &mut Json, curve: Curve, [a, b]: [DVec2; 2], meaning: Meaning) {
    if meaning.curve(curvature(json), a, b).ok() == Some(curve) {
        return;
    }
    let point = |p: DVec2| {
        let chord = b - a;
        let absolute = (a + chord * p.x + chord.perp() * p.y) * meaning.units;
        Json::numbers(&(if meaning.absolute { absolute } else { p }).to_array())
    };
    let (kind, params) = match curve {
        Curve::Line => return json.remove("curvature"),
        Curve::Quadratic(c) => ("quadratic", vec![point(c)]),
        Curve::Cubic(c, d) => ("cubic", vec![point(c), point(d)]),
        Curve::Arc { radius, large, right } => {
            let flags = [large, right].map(|f| Json::count(usize::from(f)));
            ("circle", [Json::number(radius * meaning.units)].into_iter().chain(flags).collect())
        }
    };
    json.set("curvature", Json::object(vec![("type", Json::text(kind)), ("params", Json::array(params))]));
}

fn stitches(garment: &Garment, old: Option<&Json>, lost: &mut Vec<String>) -> Json {
    let mut known: Vec<(Json, [Vec<Span>; 2])> = old.map_or_else(Vec::new, |list| {
        list.items().iter().filter_map(|json| Some((json.clone(), sides(json, garment)?))).collect()
    });
    let mut written = Vec::new();
    for seam in &garment.seams {
        if let Some(k) = known.iter().position(|(_, sides)| *sides == seam.sides) {
            written.push(known.remove(k).0);
        } else if let Some(json) = stitch(seam, garment) {
            written.push(json);
        } else {
            lost.push(format!("seam `{}` does not join one whole edge to another: left out", seam.name));
        }
    }
    Json::array(written)
}

/// What a stitch of the document means in a garment; nothing if a panel of it is gone.
fn sides(json: &Json, garment: &Garment) -> Option<[Vec<Span>; 2]> {
    let span = |i: usize| -> Option<Span> {
        let side = json.items().get(i)?;
        Some(Span::edge(garment.panel(side.get("panel")?.as_str()?)?, side.get("edge")?.as_index()?))
    };
    let (a, b) = (span(0)?, span(1)?);
    Some([vec![a], vec![if json.items().len() > 2 { b } else { b.reversed() }]])
}

fn stitch(seam: &Seam, garment: &Garment) -> Option<Json> {
    let side = |spans: &[Span]| -> Option<(Json, bool)> {
        let [span] = spans else { return None };
        let (panel, edge, backwards) = whole_edge(span)?;
        let name = &garment.panels.get(panel)?.name;
        Some((Json::object(vec![("panel", Json::text(name)), ("edge", Json::count(edge))]), backwards))
    };
    let ((a, back_a), (b, back_b)) = (side(&seam.sides[0])?, side(&seam.sides[1])?);
    let mark = (back_a == back_b).then(|| Json::text("right_wrong"));
    Some(Json::array([a, b].into_iter().chain(mark).collect()))
}

/// What the format has no place for.
fn unheld(garment: &Garment) -> Vec<String> {
    let mut lost = Vec::new();
    for panel in &garment.panels {
        let mut has = |what: &str, there: bool| {
            if there {
                lost.push(format!("panel `{}`: {what}", panel.name));
            }
        };
        has("lines", !panel.lines.is_empty());
        has("notches", !panel.notches.is_empty());
        has("grain", panel.grain != 0.0);
        has("fabric", panel.fabric.is_some());
        has("layer", panel.layer != 0);
    }
    for seam in &garment.seams {
        if seam.ratio.is_some() || seam.fold != 0.0 || seam.stiffness.is_some() {
            lost.push(format!("seam `{}`: ratio, fold or stiffness", seam.name));
        }
    }
    lost.extend(garment.tapes.iter().map(|t| format!("tape `{}`", t.name)));
    lost.extend(garment.buttons.iter().map(|b| format!("button `{}`", b.name)));
    let labelled = attachments(&garment.panels);
    let unlabelled = garment.attachments.iter().filter(|a| !labelled.contains(a));
    lost.extend(unlabelled.map(|a| format!("attachment `{}`: not told by labels of edges", a.name)));
    lost
}
