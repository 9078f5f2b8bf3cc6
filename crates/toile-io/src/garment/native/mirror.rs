//! From a garment to what a file says.

use super::file::{self, EdgeName, Format, GarmentDocument};
use crate::garment::angles::degrees;
use glam::DVec2;
use toile_garment::pattern::{Curve, Garment, LineKind, Of, Panel, Placement, Span};

/// The document of a garment.
pub(super) fn document(garment: &Garment) -> GarmentDocument {
    let spans = |spans: &[Span]| spans.iter().map(|s| span(garment, s)).collect();
    let spot = |(panel, at): (usize, DVec2)| file::Spot { panel: name(garment, panel), at_cm: cm(at) };
    GarmentDocument {
        format: Format::V1,
        name: Some(garment.name.clone()),
        notes: None,
        panel: garment.panels.iter().map(panel).collect(),
        seam: (garment.seams.iter())
            .map(|seam| file::Seam {
                name: Some(seam.name.clone()).filter(|n| !n.is_empty()),
                first: spans(&seam.sides[0]),
                second: spans(&seam.sides[1]),
                ratio: seam.ratio,
                fold_deg: angle(seam.fold),
                stiffness: seam.stiffness,
            })
            .collect(),
        pocket: Vec::new(),
        tape: (garment.tapes.iter())
            .map(|tape| file::Tape {
                name: tape.name.clone(),
                spans: spans(&tape.spans),
                ratio: tape.ratio,
                stiffness_n: tape.stiffness,
            })
            .collect(),
        button: (garment.buttons.iter())
            .map(|b| file::Button { name: b.name.clone(), from: spot(b.ends[0]), to: spot(b.ends[1]) })
            .collect(),
        attachment: (garment.attachments.iter())
            .map(|a| file::Attachment { name: a.name.clone(), to: a.to.clone(), spans: spans(&a.spans) })
            .collect(),
    }
}

fn name(garment: &Garment, panel: usize) -> String {
    garment.panels.get(panel).map_or_else(String::new, |p| p.name.clone())
}

fn panel(panel: &Panel) -> file::Panel {
    let edges = panel.outline.iter().enumerate().map(|(e, edge)| {
        let notches = panel.notches.iter().filter(|n| n.edge == e).map(|n| n.at).collect();
        file::Edge { label: edge.label.clone(), notches, ..station(edge.start, edge.curve) }
    });
    let lines = panel.lines.iter().map(|line| {
        let straight = line.path.iter().all(|(_, curve)| *curve == Curve::Line);
        let points_cm = line.path.iter().filter(|_| straight).map(|&(p, _)| cm(p)).collect();
        let path = line.path.iter().filter(|_| !straight).map(|&(p, curve)| station(p, curve)).collect();
        let fold_deg = match line.kind {
            LineKind::Stitching => None,
            LineKind::Fold { angle } => Some(neat(angle, f64::to_degrees, f64::to_radians)),
        };
        file::Line { name: line.name.clone(), points_cm, path, fold_deg }
    });
    file::Panel {
        name: panel.name.clone(),
        label: panel.label.clone(),
        fabric: panel.fabric.clone(),
        layer: Some(panel.layer).filter(|&l| l != 0),
        grain_deg: angle(panel.grain),
        place: place(&panel.placement),
        edges: edges.collect(),
        lines: lines.collect(),
        darts: Vec::new(),
        pleats: Vec::new(),
    }
}

fn station(at: DVec2, curve: Curve) -> file::Edge {
    let mut edge = file::Edge { from_cm: cm(at), ..file::Edge::default() };
    match curve {
        Curve::Line => {}
        Curve::Quadratic(c) => edge.quadratic = Some(c.to_array()),
        Curve::Cubic(c, d) => edge.cubic = Some([c.to_array(), d.to_array()]),
        Curve::Arc { radius, large, right } => {
            let bulge = if right { file::Bulge::Right } else { file::Bulge::Left };
            edge.arc = Some(file::Arc { radius_cm: centimetres(radius), bulge, large });
        }
    }
    edge
}

fn place(placement: &Placement) -> Option<file::Place> {
    if *placement == Placement::default() {
        return None;
    }
    Some(match placement {
        Placement::Flat { translation, rotation: turn } => {
            let position_cm = translation.to_array().map(centimetres);
            file::Place::Flat { position_cm, turn_deg: Some(degrees(*turn)).filter(|t| *t != [0.0; 3]) }
        }
        Placement::Wrapped { point, anchor, turn } => {
            file::Place::Wrapped { point: point.clone(), anchor_cm: cm(*anchor), turn_deg: angle(*turn) }
        }
    })
}

fn span(garment: &Garment, span: &Span) -> file::Span {
    let (edge, line) = match span.of {
        Of::Edge(edge) => (Some(EdgeName::Number(edge as u32)), None),
        Of::Line(line) => {
            let owner = garment.panels.get(span.panel).and_then(|p| p.lines.get(line));
            (None, Some(owner.map_or_else(String::new, |l| l.name.clone())))
        }
    };
    let reversed = (span.from, span.to) == (1.0, 0.0);
    let told = |value: f64, usual: f64| Some(value).filter(|&v| !reversed && v != usual);
    let (from, to) = (told(span.from, 0.0), told(span.to, 1.0));
    file::Span { panel: name(garment, span.panel), edge, line, from, to, reversed }
}

fn cm(point: DVec2) -> [f64; 2] {
    point.to_array().map(centimetres)
}

fn centimetres(metres: f64) -> f64 {
    neat(metres, |m| m * 100.0, |cm| cm / 100.0)
}

fn angle(radians: f64) -> Option<f64> {
    Some(neat(radians, f64::to_degrees, f64::to_radians)).filter(|&d| d != 0.0)
}

/// A value in the unit of the file: with few digits if they mean the same number.
fn neat(value: f64, to_file: fn(f64) -> f64, from_file: fn(f64) -> f64) -> f64 {
    let exact = to_file(value);
    let short = rounded(exact);
    if from_file(short) == value { short } else { exact }
}

/// Rounded to 13 digits: what a person or a program wrote with fewer comes back as written.
fn rounded(value: f64) -> f64 {
    format!("{value:.12e}").parse().unwrap_or(value)
}
