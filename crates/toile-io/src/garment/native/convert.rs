//! From what a file says to a garment in SI units.

use super::file::{self, EdgeName, GarmentDocument};
use crate::document::Document;
use crate::garment::angles::rotation;
use crate::problem::nearest;
use glam::{DVec2, DVec3};
use toile_garment::pattern::{
    Attachment, Button, Curve, Dart, Edge, Garment, Line, LineKind, MakeError, Notch, Of, Panel, Place, Placement,
    Pleat, Pocket, Seam, Span, Tape,
};

/// Makes a garment of a document; problems go to its tree.
pub(super) struct Maker<'a, 'b, 'c> {
    document: &'a GarmentDocument,
    tree: &'b mut Document<'c>,
    /// Seams and lines that short forms made, and the keys they stand under.
    made: Vec<(String, String)>,
    /// Whether darts have numbered edges on.
    shaped: bool,
}

impl<'a, 'b, 'c> Maker<'a, 'b, 'c> {
    pub(super) fn new(document: &'a GarmentDocument, tree: &'b mut Document<'c>) -> Self {
        Self { document, tree, made: Vec::new(), shaped: false }
    }

    /// The garment without short forms.
    pub(super) fn garment(&mut self) -> Option<Garment> {
        let document = self.document;
        let stem = || self.tree.path().file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut garment = Garment { name: document.name.clone().unwrap_or_else(stem), ..Garment::default() };
        if document.panel.is_empty() {
            self.fault("panel", "the garment has no [[panel]]", "add at least one");
        }
        for (i, panel) in document.panel.iter().enumerate() {
            if document.panel[..i].iter().any(|other| other.name == panel.name) {
                self.fault(
                    &format!("panel[{i}].name"),
                    "another panel has this name already",
                    "give it a name of its own",
                );
            }
            let panel = self.panel(panel, &format!("panel[{i}]"));
            garment.panels.push(panel);
        }
        for (i, seam) in document.seam.iter().enumerate() {
            let key = format!("seam[{i}]");
            let sides = [self.spans(&seam.first, &key, "first"), self.spans(&seam.second, &key, "second")];
            garment.seams.push(Seam {
                name: seam_name(seam, i),
                sides,
                ratio: seam.ratio,
                fold: seam.fold_deg.unwrap_or(0.0).to_radians(),
                stiffness: seam.stiffness,
            });
        }
        for (i, tape) in document.tape.iter().enumerate() {
            let spans = self.spans(&tape.spans, &format!("tape[{i}]"), "spans");
            let (name, ratio, stiffness) = (tape.name.clone(), tape.ratio, tape.stiffness_n);
            garment.tapes.push(Tape { name, spans, ratio, stiffness });
        }
        for (i, held) in document.attachment.iter().enumerate() {
            let spans = self.spans(&held.spans, &format!("attachment[{i}]"), "spans");
            garment.attachments.push(Attachment { name: held.name.clone(), to: held.to.clone(), spans });
        }
        for (i, button) in document.button.iter().enumerate() {
            let from = self.spot(&button.from, &format!("button[{i}].from"));
            let to = self.spot(&button.to, &format!("button[{i}].to"));
            if let (Some(from), Some(to)) = (from, to) {
                garment.buttons.push(Button { name: button.name.clone(), ends: [from, to] });
            }
        }
        (!self.tree.has_errors()).then_some(garment)
    }

    /// Adds darts, pleats and pockets to a sound garment.
    pub(super) fn shape(&mut self, garment: &mut Garment) -> Option<()> {
        let document = self.document;
        self.shaped = true;
        for (i, pocket) in document.pocket.iter().enumerate() {
            self.pocket(garment, pocket, i);
        }
        for (i, panel) in document.panel.iter().enumerate() {
            self.pleats(garment, panel, i);
            self.darts(garment, panel, i);
        }
        (!self.tree.has_errors()).then_some(())
    }

    /// Reports an error at a key.
    pub(super) fn fault(&mut self, key: &str, message: impl Into<String>, help: impl Into<String>) {
        let before = self.tree.problems.len();
        self.tree.error(key, message);
        if let Some(problem) = self.tree.problems.get_mut(before) {
            problem.help = Some(help.into()).filter(|h| !h.is_empty());
        }
    }

    /// Key of a part of the garment.
    pub(super) fn key(&self, place: &Place) -> String {
        let document = self.document;
        // Of parts of one name the later one is meant.
        let at = |list: &str, found: Option<usize>| found.map_or_else(String::new, |i| format!("{list}[{i}]"));
        let panel = |name: &str| document.panel.iter().rposition(|p| p.name == name);
        let made = |name: &str| self.made.iter().find(|(made, _)| made == name).map(|(_, key)| key.clone());
        match place {
            Place::Panel(name) => at("panel", panel(name)),
            Place::Edge(name, edge) => {
                let numbered = panel(name).filter(|&i| !self.shaped || document.panel[i].darts.is_empty());
                numbered.map_or_else(|| at("panel", panel(name)), |i| format!("panel[{i}].edges[{edge}]"))
            }
            Place::Line(name, line) => {
                let owner = panel(name);
                let found = owner.and_then(|i| document.panel[i].lines.iter().rposition(|l| l.name == *line));
                let made = || made(line).unwrap_or_else(|| at("panel", owner));
                found.map_or_else(made, |l| format!("{}.lines[{l}]", at("panel", owner)))
            }
            Place::Seam(name) => {
                let own = (0..document.seam.len()).rfind(|&i| seam_name(&document.seam[i], i) == *name);
                own.map_or_else(|| made(name).unwrap_or_default(), |i| format!("seam[{i}]"))
            }
            Place::Tape(name) => at("tape", document.tape.iter().rposition(|t| t.name == *name)),
            Place::Button(name) => at("button", document.button.iter().rposition(|b| b.name == *name)),
            Place::Attachment(name) => at("attachment", document.attachment.iter().rposition(|a| a.name == *name)),
        }
    }

    fn panel(&mut self, panel: &file::Panel, key: &str) -> Panel {
        let mut outline = Vec::new();
        let mut notches = Vec::new();
        for (e, edge) in panel.edges.iter().enumerate() {
            let curve = self.curve(edge, &format!("{key}.edges[{e}]"));
            outline.push(Edge { start: point(edge.from_cm), curve, label: edge.label.clone() });
            notches.extend(edge.notches.iter().map(|&at| Notch { edge: e, at }));
        }
        let lines = panel.lines.iter().enumerate().map(|(l, line)| self.line(line, &format!("{key}.lines[{l}]")));
        Panel {
            lines: lines.collect(),
            name: panel.name.clone(),
            outline,
            notches,
            grain: panel.grain_deg.unwrap_or(0.0).to_radians(),
            fabric: panel.fabric.clone(),
            layer: panel.layer.unwrap_or(0),
            label: panel.label.clone(),
            placement: placement(panel.place.as_ref()),
        }
    }

    fn curve(&mut self, edge: &file::Edge, key: &str) -> Curve {
        let curves: Vec<Curve> = [
            edge.quadratic.map(|c| Curve::Quadratic(DVec2::from(c))),
            edge.cubic.map(|[c, d]| Curve::Cubic(DVec2::from(c), DVec2::from(d))),
            edge.arc.map(|arc| Curve::Arc {
                radius: arc.radius_cm / 100.0,
                large: arc.large,
                right: arc.bulge == file::Bulge::Right,
            }),
        ]
        .into_iter()
        .flatten()
        .collect();
        if curves.len() > 1 {
            self.fault(key, "an edge has one shape", "keep one of `quadratic`, `cubic` and `arc`");
        }
        curves.first().copied().unwrap_or_default()
    }

    fn line(&mut self, line: &file::Line, key: &str) -> Line {
        if line.points_cm.is_empty() == line.path.is_empty() {
            self.fault(key, "a line needs either `points_cm` or `path`", "as points_cm = [[0, 10], [20, 10]]");
        }
        let mut path: Vec<(DVec2, Curve)> = line.points_cm.iter().map(|&p| (point(p), Curve::Line)).collect();
        for (k, station) in line.path.iter().enumerate() {
            path.push((point(station.from_cm), self.curve(station, &format!("{key}.path[{k}]"))));
        }
        let kind = line.fold_deg.map_or(LineKind::Stitching, |d| LineKind::Fold { angle: d.to_radians() });
        Line { name: line.name.clone(), path, kind }
    }

    fn panel_number(&mut self, name: &str, key: &str) -> Option<usize> {
        let found = self.document.panel.iter().position(|p| p.name == name);
        if found.is_none() {
            let near = nearest(name, self.document.panel.iter().map(|p| p.name.as_str()));
            let help = near.map_or_else(|| "name a panel of this file".into(), |n| format!("did you mean \"{n}\"?"));
            self.fault(key, format!("there is no panel \"{name}\""), help);
        }
        found
    }

    fn edge_number(&mut self, panel: usize, edge: &EdgeName, key: &str) -> Option<usize> {
        let owner = &self.document.panel[panel];
        let count = owner.edges.len();
        let name = &owner.name;
        let label = match edge {
            EdgeName::Number(n) if (*n as usize) < count => return Some(*n as usize),
            EdgeName::Number(n) => {
                let help = format!("edges are numbered 0 to {}", count.saturating_sub(1));
                self.fault(key, format!("panel \"{name}\" has no edge {n}, only {count}"), help);
                return None;
            }
            EdgeName::Label(label) => label,
        };
        let known = || owner.edges.iter().filter_map(|e| e.label.as_deref());
        let mut with = owner.edges.iter().enumerate().filter(|(_, e)| e.label.as_ref() == Some(label)).map(|(i, _)| i);
        match (with.next(), with.next()) {
            (Some(edge), None) => return Some(edge),
            (Some(a), Some(b)) => {
                let message = format!("edges {a} and {b} of panel \"{name}\" are both labelled \"{label}\"");
                self.fault(key, message, "name the edge by its number");
            }
            _ => {
                let near = nearest(label, known()).map(|n| format!("did you mean \"{n}\"?"));
                let help = near.unwrap_or_else(|| "name the edge by its number, from 0".into());
                self.fault(key, format!("panel \"{name}\" has no edge labelled \"{label}\""), help);
            }
        }
        None
    }

    fn spans(&mut self, spans: &[file::Span], key: &str, list: &str) -> Vec<Span> {
        spans.iter().enumerate().filter_map(|(i, span)| self.span(span, &format!("{key}.{list}[{i}]"))).collect()
    }

    fn span(&mut self, span: &file::Span, key: &str) -> Option<Span> {
        let panel = self.panel_number(&span.panel, &format!("{key}.panel"))?;
        let of = match (&span.edge, &span.line) {
            (Some(edge), None) => Of::Edge(self.edge_number(panel, edge, &format!("{key}.edge"))?),
            (None, Some(line)) => {
                let lines = &self.document.panel[panel].lines;
                let Some(found) = lines.iter().position(|l| l.name == *line) else {
                    let near = nearest(line, lines.iter().map(|l| l.name.as_str()));
                    let help = near.map_or_else(String::new, |n| format!("did you mean \"{n}\"?"));
                    let message = format!("panel \"{}\" has no line \"{line}\"", span.panel);
                    self.fault(&format!("{key}.line"), message, help);
                    return None;
                };
                Of::Line(found)
            }
            _ => {
                self.fault(key, "a span is part of either an `edge` or a `line`", "as { panel = \"front\", edge = 2 }");
                return None;
            }
        };
        let span = Span { panel, of, from: span.from.unwrap_or(0.0), to: span.to.unwrap_or(1.0) }.turned(span.reversed);
        Some(span)
    }

    fn spot(&mut self, spot: &file::Spot, key: &str) -> Option<(usize, DVec2)> {
        Some((self.panel_number(&spot.panel, &format!("{key}.panel"))?, point(spot.at_cm)))
    }

    fn darts(&mut self, garment: &mut Garment, panel: &file::Panel, i: usize) {
        // From the end of the outline to its start, so that edges and fractions before a dart stay what they are.
        let mut order: Vec<(usize, f64, usize)> = Vec::new();
        for (d, dart) in panel.darts.iter().enumerate() {
            let edge = self.edge_number(i, &dart.edge, &format!("panel[{i}].darts[{d}].edge"));
            order.extend(edge.map(|edge| (edge, dart.at, d)));
        }
        order.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)));
        let mut left: Option<(usize, f64)> = None;
        for (edge, at, d) in order {
            let (dart, key) = (&panel.darts[d], format!("panel[{i}].darts[{d}]"));
            let whole = match left {
                Some((same, length)) if same == edge => length,
                _ => garment.panels[i].edge_path(edge).length(),
            };
            let now = garment.panels[i].edge_path(edge).length();
            let cut = Dart { at: at * whole / now, width: dart.width_cm / 100.0, depth: dart.depth_cm / 100.0 };
            left = Some((edge, whole));
            let name = format!("{}-dart-{}", panel.name, d + 1);
            match garment.add_dart(i, edge, &cut, &name) {
                Ok(()) => self.made.push((name, key)),
                Err(error) => self.unmade(&key, "dart", &error),
            }
        }
    }

    fn pleats(&mut self, garment: &mut Garment, panel: &file::Panel, i: usize) {
        for (p, pleat) in panel.pleats.iter().enumerate() {
            let key = format!("panel[{i}].pleats[{p}]");
            let Some(edge) = self.edge_number(i, &pleat.edge, &format!("{key}.edge")) else { continue };
            let name = format!("{}-pleat-{}", panel.name, p + 1);
            let laid = Pleat {
                at: pleat.at,
                depth: pleat.depth_cm / 100.0,
                length: pleat.length_cm / 100.0,
                towards_start: pleat.towards_start,
            };
            match garment.add_pleat(i, edge, &laid, &name) {
                Ok(()) => self.made.push((name, key)),
                Err(error) => self.unmade(&key, "pleat", &error),
            }
        }
    }

    fn pocket(&mut self, garment: &mut Garment, pocket: &file::Pocket, i: usize) {
        let key = format!("pocket[{i}]");
        let panel = self.panel_number(&pocket.panel, &format!("{key}.panel"));
        let on = self.panel_number(&pocket.on, &format!("{key}.on"));
        let (Some(panel), Some(on)) = (panel, on) else { return };
        let edges = pocket.open.iter().enumerate();
        let open = edges.filter_map(|(e, edge)| self.edge_number(panel, edge, &format!("{key}.open[{e}]"))).collect();
        let turn = pocket.turn_deg.unwrap_or(0.0).to_radians();
        let sewn = Pocket { panel, on, at: point(pocket.at_cm), turn, open };
        let name = format!("{}-on-{}", pocket.panel, pocket.on);
        let before = garment.seams.len();
        match garment.add_pocket(&sewn, &name) {
            Ok(()) => self.made.extend(garment.seams[before..].iter().map(|s| (s.name.clone(), key.clone()))),
            Err(error) => self.unmade(&key, "pocket", &error),
        }
    }

    fn unmade(&mut self, key: &str, what: &str, error: &MakeError) {
        let help = match error {
            MakeError::Mouth { .. } => "make it narrower, or move it along the edge",
            MakeError::Tip { .. } => "make it shorter; check its unit and the edge it is on",
            _ => "",
        };
        self.fault(key, format!("this {what} cannot be made: {error}"), help);
    }
}

fn seam_name(seam: &file::Seam, number: usize) -> String {
    seam.name.clone().unwrap_or_else(|| format!("seam-{}", number + 1))
}

fn point(cm: [f64; 2]) -> DVec2 {
    DVec2::from(cm) / 100.0
}

fn placement(place: Option<&file::Place>) -> Placement {
    match place {
        None => Placement::default(),
        Some(file::Place::Flat { position_cm, turn_deg }) => Placement::Flat {
            translation: DVec3::from(*position_cm) / 100.0,
            rotation: rotation(turn_deg.unwrap_or_default()),
        },
        Some(file::Place::Wrapped { point: name, anchor_cm, turn_deg }) => Placement::Wrapped {
            point: name.clone(),
            anchor: point(*anchor_cm),
            turn: turn_deg.unwrap_or(0.0).to_radians(),
        },
    }
}
