//! From a specification to a garment.

use super::{CurveFault, Document, Meaning, attachments, curvature, numbers, vector};
use crate::garment::angles::rotation;
use crate::json::{self, Json, Node};
use crate::problem::{Problem, nearest, place};
use glam::DVec2;
use std::path::Path;
use toile_garment::pattern::{Curve, Edge, Garment, Panel, Place, Placement, Seam, Span};

/// Units a specification may count in: in a metre, and what they are called.
const UNITS: [(f64, &str); 5] =
    [(1.0, "m"), (10.0, "dm"), (100.0, "cm"), (1000.0, "mm"), (39.370_078_740_157_48, "inch")];

/// Reads a specification: the garment, the document to write into, and what looks wrong although it works.
pub fn read(text: &str, path: &Path) -> Result<(Garment, Document, Vec<Problem>), Vec<Problem>> {
    let root = json::parse(text, path).map_err(|problem| vec![*problem])?;
    let mut reader = Reader { text, path, problems: Vec::new() };
    let garment = reader.garment(&root);
    let mut problems = reader.problems;
    if !problems.iter().any(Problem::is_error) {
        problems.extend(garment.problems().iter().map(|error| {
            let (json, key) = locate(error.place(), &root, &garment);
            Problem::error(path, place(text, json.at), key, error.to_string()).with_help(error.help())
        }));
    }
    if problems.iter().any(Problem::is_error) { Err(problems) } else { Ok((garment, Document { root }, problems)) }
}

/// Name of a garment by its file, without the word that all specifications carry.
fn name(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    stem.strip_suffix("_specification").unwrap_or(&stem).to_string()
}

/// Where in the document a part of the garment stands.
fn locate<'a>(at: &Place, root: &'a Json, garment: &Garment) -> (&'a Json, String) {
    let mut json = root;
    let mut key = String::new();
    let mut into = |name: &str| {
        if let Some(inner) = json.get(name) {
            json = inner;
            key = if key.is_empty() { name.into() } else { format!("{key}.{name}") };
        }
    };
    into("pattern");
    let item = match at {
        Place::Panel(name) | Place::Line(name, _) => {
            ["panels", name].into_iter().for_each(into);
            None
        }
        Place::Edge(name, edge) => {
            ["panels", name, "edges"].into_iter().for_each(into);
            Some(*edge)
        }
        Place::Seam(name) => {
            into("stitches");
            garment.seams.iter().position(|s| s.name == *name)
        }
        _ => None,
    };
    match item.and_then(|i| Some((i, json.items().get(i)?))) {
        Some((i, inner)) => (inner, format!("{key}[{i}]")),
        None => (json, key),
    }
}

struct Reader<'a> {
    text: &'a str,
    path: &'a Path,
    problems: Vec<Problem>,
}

/// A value and the way to it.
#[derive(Clone)]
struct At<'a> {
    json: &'a Json,
    key: String,
}

impl<'a> At<'a> {
    fn inside(&self, name: &str) -> Option<Self> {
        let json = self.json.get(name)?;
        Some(Self { json, key: if self.key.is_empty() { name.into() } else { format!("{}.{name}", self.key) } })
    }

    fn items(&self) -> impl Iterator<Item = Self> + use<'a> {
        let key = self.key.clone();
        self.json.items().iter().enumerate().map(move |(i, json)| At { json, key: format!("{key}[{i}]") })
    }
}

impl Reader<'_> {
    fn error(&mut self, at: &At, message: impl Into<String>, help: impl Into<String>) {
        let mut problem = Problem::error(self.path, place(self.text, at.json.at), &at.key, message);
        if let Some(value) = at.json.plain() {
            problem = problem.with_value(&value);
        }
        let help = help.into();
        self.problems.push(if help.is_empty() { problem } else { problem.with_help(help) });
    }

    fn warning(&mut self, at: &At, message: &str, help: &str) {
        self.error(at, message, help);
        if let Some(last) = self.problems.last_mut() {
            last.severity = crate::problem::Severity::Warning;
        }
    }

    /// A member that has to be there and to be of a kind.
    fn need<'a>(&mut self, at: &At<'a>, name: &str, what: &str, fits: fn(&Json) -> bool) -> Option<At<'a>> {
        let Some(inner) = at.inside(name) else {
            let near = nearest(name, at.json.members().iter().map(|(k, _)| k.as_str()));
            let help = near.map_or_else(String::new, |n| format!("`{n}` is there: is it meant?"));
            self.error(at, format!("`{name}` is missing: expected {what}"), help);
            return None;
        };
        if !fits(inner.json) {
            self.error(&inner, format!("expected {what}, found {}", inner.json.kind()), "");
            return None;
        }
        Some(inner)
    }

    fn garment(&mut self, root: &Json) -> Garment {
        let at = At { json: root, key: String::new() };
        let mut garment = Garment { name: name(self.path), ..Garment::default() };
        let meaning = self.meaning(&at);
        let Some(pattern) = self.need(&at, "pattern", "an object with panels and stitches", is_object) else {
            return garment;
        };
        if let Some(panels) = self.need(&pattern, "panels", "an object of panels by name", is_object) {
            if panels.json.members().is_empty() {
                self.error(&panels, "the pattern has no panels", "add at least one");
            }
            for (name, json) in panels.json.members() {
                let at = At { json, key: format!("{}.{name}", panels.key) };
                let panel = self.panel(name, &at, meaning);
                garment.panels.push(panel);
            }
        }
        if let Some(stitches) = self.need(&pattern, "stitches", "a list", is_array) {
            for stitch in stitches.items() {
                garment.seams.extend(self.seam(&stitch, &garment.panels));
            }
        }
        garment.attachments = attachments(&garment.panels);
        garment
    }

    fn meaning(&mut self, root: &At) -> Meaning {
        let mut meaning = Meaning { units: 100.0, absolute: false };
        let Some(properties) = root.inside("properties") else {
            self.warning(
                root,
                "`properties` is missing: lengths are taken as cm",
                "add \"properties\": {\"units_in_meter\": 100}",
            );
            return meaning;
        };
        match properties.inside("units_in_meter") {
            None => self.warning(
                &properties,
                "`units_in_meter` is missing: lengths are taken as cm",
                "add \"units_in_meter\": 100",
            ),
            Some(at) => match at.json.as_f64() {
                Some(units) if UNITS.iter().any(|(u, _)| (units / u - 1.0).abs() < 1e-3) => meaning.units = units,
                _ => {
                    let known = UNITS.map(|(u, name)| format!("{u} ({name})")).join(", ");
                    self.error(&at, "unknown units", format!("known are {known}"));
                }
            },
        }
        if let Some(at) = properties.inside("curvature_coords") {
            match at.json.as_str() {
                Some("relative") => {}
                Some("absolute") => meaning.absolute = true,
                _ => self.error(&at, "expected \"relative\" or \"absolute\"", ""),
            }
        }
        meaning
    }

    fn panel(&mut self, name: &str, at: &At, meaning: Meaning) -> Panel {
        let mut panel = Panel { name: name.into(), ..Panel::default() };
        if !is_object(at.json) {
            self.error(at, format!("expected an object with vertices and edges, found {}", at.json.kind()), "");
            return panel;
        }
        panel.label = self.label(at);
        let translation = self.vector(at, "translation", "three lengths");
        let turns = self.vector(at, "rotation", "three angles in degrees");
        if let (Some(t), Some(r)) = (translation, turns) {
            panel.placement =
                Placement::Flat { translation: vector(t.map(|v| v / meaning.units)), rotation: rotation(r) };
        }
        let vertices = self.vertices(at, meaning);
        if let (Some(vertices), Some(edges)) = (vertices, self.need(at, "edges", "a list of edges", is_array)) {
            panel.outline = self.outline(&edges, &vertices, meaning);
        }
        panel
    }

    fn label(&mut self, at: &At) -> Option<String> {
        let label = at.inside("label")?;
        match &label.json.node {
            Node::Text(text) => Some(text.clone()),
            Node::Null => None,
            _ => {
                self.error(&label, format!("expected a text, found {}", label.json.kind()), "");
                None
            }
        }
    }

    fn vector<const N: usize>(&mut self, at: &At, name: &str, what: &str) -> Option<[f64; N]> {
        let inner = self.need(at, name, what, is_array)?;
        let found = numbers(inner.json);
        if found.is_none() {
            self.error(&inner, format!("expected {what}, each a finite number"), "");
        }
        found
    }

    fn vertices(&mut self, at: &At, meaning: Meaning) -> Option<Vec<DVec2>> {
        let list = self.need(at, "vertices", "a list of points", is_array)?;
        let mut points = Vec::new();
        for vertex in list.items() {
            match meaning.lengths(vertex.json) {
                Some(point) => points.push(DVec2::from(point)),
                None => self.error(&vertex, "expected a point of two finite numbers, as [0.0, 34.5]", ""),
            }
        }
        (points.len() == list.json.items().len()).then_some(points)
    }

    /// Edges in loop order; empty if they are none.
    fn outline(&mut self, list: &At, vertices: &[DVec2], meaning: Meaning) -> Vec<Edge> {
        let before = self.problems.len();
        let ends: Vec<Option<[usize; 2]>> = list.items().map(|edge| self.ends(&edge, vertices.len())).collect();
        let mut outline = Vec::new();
        for (k, edge) in list.items().enumerate() {
            let next = ends[(k + 1) % ends.len()];
            let (Some([a, b]), Some([c, _])) = (ends[k], next) else { continue };
            if b != c {
                let other = (k + 1) % ends.len();
                let message =
                    format!("the outline is open: this edge ends at vertex {b}, edge {other} starts at vertex {c}");
                self.error(
                    &edge,
                    message,
                    "list the edges in the order of the outline, each from the end of the one before",
                );
            }
            let read = meaning.curve(curvature(edge.json), vertices[a], vertices[b]);
            let curve = read.unwrap_or_else(|fault| self.curve_fault(&edge, &fault));
            outline.push(Edge { start: vertices[a], curve, label: self.label(&edge) });
        }
        if self.problems.len() == before { outline } else { Vec::new() }
    }

    fn ends(&mut self, edge: &At, count: usize) -> Option<[usize; 2]> {
        if !is_object(edge.json) {
            self.error(edge, format!("expected an edge with `endpoints`, found {}", edge.json.kind()), "");
            return None;
        }
        let at = self.need(edge, "endpoints", "two vertex numbers", is_array)?;
        let ends: Vec<usize> = at.json.items().iter().filter_map(Json::as_index).collect();
        let [a, b] = ends[..] else {
            self.error(&at, "expected two vertex numbers, as [0, 1]", "");
            return None;
        };
        if a.max(b) >= count {
            let help = format!("vertices are numbered 0 to {}", count.saturating_sub(1));
            self.error(&at, format!("vertex {} is not there, the panel has {count}", a.max(b)), help);
            return None;
        }
        Some([a, b])
    }

    /// Reports a curve that cannot be read, and goes on straight.
    fn curve_fault(&mut self, edge: &At, fault: &CurveFault) -> Curve {
        const TYPES: [&str; 3] = ["quadratic", "cubic", "circle"];
        let at = edge.inside("curvature").unwrap_or_else(|| edge.clone());
        match fault {
            CurveFault::Form => {
                let help = "as {\"type\": \"quadratic\", \"params\": [[0.5, 0.2]]}";
                self.error(&at, "expected two numbers or an object with `type` and `params`", help);
            }
            CurveFault::Type => {
                let word = at.json.get("type").and_then(Json::as_str).unwrap_or_default();
                let near = nearest(word, TYPES).map_or_else(String::new, |n| format!("; did you mean \"{n}\"?"));
                let help = format!("known are {}{near}", TYPES.join(", "));
                self.error(&at, format!("unknown curvature type \"{word}\""), help);
            }
            CurveFault::Params(needed) => self.error(&at, format!("`params` needs {needed}"), ""),
        }
        Curve::Line
    }

    fn seam(&mut self, stitch: &At, panels: &[Panel]) -> Option<Seam> {
        let sides: Vec<At> = stitch.items().collect();
        let (2 | 3) = sides.len() else {
            self.error(stitch, "expected a list of two edges, as [{\"panel\": \"front\", \"edge\": 0}, …]", "");
            return None;
        };
        let same_way = match sides.get(2) {
            None => false,
            Some(third) if third.json.as_str() == Some("right_wrong") => true,
            Some(third) => {
                self.error(third, "expected \"right_wrong\" or nothing", "");
                return None;
            }
        };
        let (a, b) = (self.side(&sides[0], panels), self.side(&sides[1], panels));
        let ((p, e), (q, f)) = (a?, b?);
        let second = if same_way { Span::edge(q, f) } else { Span::edge(q, f).reversed() };
        let name = format!("{}.{e}/{}.{f}", panels[p].name, panels[q].name);
        Some(Seam { name, sides: [vec![Span::edge(p, e)], vec![second]], ..Seam::default() })
    }

    /// Panel and edge of one side of a stitch.
    fn side(&mut self, at: &At, panels: &[Panel]) -> Option<(usize, usize)> {
        let name = self.need(at, "panel", "the name of a panel", |j| j.as_str().is_some())?;
        let edge = self.need(at, "edge", "the number of an edge", |j| j.as_index().is_some())?;
        let word = name.json.as_str().unwrap_or_default();
        let number = edge.json.as_index().unwrap_or_default();
        let Some(panel) = panels.iter().position(|p| p.name == word) else {
            let near = nearest(word, panels.iter().map(|p| p.name.as_str()));
            let help = near.map_or_else(|| "name a panel of this pattern".into(), |n| format!("did you mean \"{n}\"?"));
            self.error(&name, "there is no panel of this name", help);
            return None;
        };
        let count = panels[panel].outline.len();
        // A panel whose outline could not be read is reported already.
        if count > 0 && number >= count {
            let help = format!("edges are numbered 0 to {}", count - 1);
            self.error(&edge, format!("panel \"{word}\" has only {count} edges"), help);
            return None;
        }
        (count > 0).then_some((panel, number))
    }
}

fn is_object(json: &Json) -> bool {
    matches!(json.node, Node::Object(_))
}

fn is_array(json: &Json) -> bool {
    matches!(json.node, Node::Array(_))
}
