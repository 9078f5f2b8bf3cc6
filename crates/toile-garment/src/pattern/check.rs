//! What makes a pattern unusable, found before meshing.

use super::error::PatternError;
use super::place::Place;
use super::{Curve, Garment, LineKind, Of, Panel, Path, Placement, Span};
use glam::DVec2;
use std::collections::BTreeSet;
use std::f64::consts::{PI, TAU};

/// Shortest edge (m).
const SHORTEST: f64 = 1e-4;
/// Largest coordinate (m): no cloth is larger, and a file in the wrong unit is.
const FARTHEST: f64 = 100.0;
/// Length ratio of a seam's sides above which `ratio` has to be told. Gathered skirts in real patterns go to 2.
const LONGEST_RATIO: f64 = 2.5;
/// How far a line may stand out of its panel (m): its ends are drawn on edges, and curves are known to micrometres.
const TOUCH: f64 = 1e-4;

/// Faults found so far.
type Found = Vec<PatternError>;

impl Garment {
    /// Everything that can be known to be wrong before meshing. The list is empty for a sound garment.
    pub fn problems(&self) -> Vec<PatternError> {
        let mut found = Vec::new();
        self.check_names(&mut found);
        for panel in &self.panels {
            check_panel(panel, &mut found);
        }
        for seam in &self.seams {
            self.check_seam(seam, &mut found);
        }
        for tape in &self.tapes {
            let place = Place::Tape(tape.name.clone());
            self.check_spans(&place, &tape.spans, &mut found);
            within(&place, "the ratio", tape.ratio, [0.01, 10.0], &mut found);
            within(&place, "the stiffness", tape.stiffness, [0.0, 1e9], &mut found);
        }
        for held in &self.attachments {
            self.check_spans(&Place::Attachment(held.name.clone()), &held.spans, &mut found);
        }
        for button in &self.buttons {
            self.check_button(button, &mut found);
        }
        found
    }

    fn check_names(&self, found: &mut Found) {
        twice(self.panels.iter().map(|p| Place::Panel(p.name.clone())), found);
        twice(self.seams.iter().map(|s| Place::Seam(s.name.clone())), found);
        twice(self.tapes.iter().map(|t| Place::Tape(t.name.clone())), found);
        twice(self.buttons.iter().map(|b| Place::Button(b.name.clone())), found);
        twice(self.attachments.iter().map(|a| Place::Attachment(a.name.clone())), found);
    }

    fn check_seam(&self, seam: &super::Seam, found: &mut Found) {
        let place = Place::Seam(seam.name.clone());
        let before = found.len();
        seam.sides.iter().for_each(|side| self.check_spans(&place, side, found));
        within(&place, "the fold", seam.fold, [-PI, PI], found);
        within(&place, "the stiffness", seam.stiffness.unwrap_or(1.0), [0.0, 1e6], found);
        within(&place, "the ratio", seam.ratio.unwrap_or(1.0), [0.01, 100.0], found);
        if found.len() > before {
            return;
        }
        for a in &seam.sides[0] {
            if let Some(b) = seam.sides[1].iter().find(|b| overlap(a, b)) {
                let part = format!("{} of panel `{}`", words(b.of), self.panels[b.panel].name);
                found.push(PatternError::ToItself { place: place.clone(), part });
            }
        }
        self.check_lengths(seam, place, found);
    }

    fn check_spans(&self, place: &Place, spans: &[Span], found: &mut Found) {
        if spans.is_empty() {
            found.push(PatternError::Nothing { place: place.clone() });
        }
        for span in spans {
            self.check_span(place, span, found);
        }
    }

    fn check_span(&self, place: &Place, span: &Span, found: &mut Found) {
        let Some(panel) = self.panels.get(span.panel) else {
            found.push(self.missing_panel(place, span.panel));
            return;
        };
        let (index, count) = match span.of {
            Of::Edge(e) => (e, panel.outline.len()),
            Of::Line(l) => (l, panel.lines.len()),
        };
        if index >= count {
            let owner = format!("panel `{}`", panel.name);
            found.push(PatternError::Missing { place: place.clone(), part: words(span.of), owner, count });
            return;
        }
        within(place, "a span", span.from, [0.0, 1.0], found);
        within(place, "a span", span.to, [0.0, 1.0], found);
        let length = self.length(span);
        if length.is_finite() && length < SHORTEST {
            found.push(PatternError::ZeroLength { place: place.clone(), length });
        }
    }

    fn missing_panel(&self, place: &Place, panel: usize) -> PatternError {
        let (part, owner) = (format!("panel {panel}"), "the garment".to_string());
        PatternError::Missing { place: place.clone(), part, owner, count: self.panels.len() }
    }

    fn check_button(&self, button: &super::Button, found: &mut Found) {
        let place = Place::Button(button.name.clone());
        for &(panel, at) in &button.ends {
            match self.panels.get(panel) {
                None => found.push(self.missing_panel(&place, panel)),
                Some(p) if p.outline.len() >= 2 && !on_panel(p, at) => {
                    found.push(PatternError::Outside { place: place.clone(), panel: p.name.clone(), at });
                }
                Some(_) => {}
            }
        }
    }

    fn check_lengths(&self, seam: &super::Seam, place: Place, found: &mut Found) {
        let [a, b] = seam.sides.each_ref().map(|side| side.iter().map(|s| self.length(s)).sum::<f64>());
        let ratio = a.max(b) / a.min(b);
        match seam.ratio {
            None if !(ratio <= LONGEST_RATIO) => {
                found.push(PatternError::Mismatch { place, lengths: [a, b], ratio, limit: LONGEST_RATIO });
            }
            // A twentieth: patterns are drawn by hand, and walked with a tape.
            Some(told) if !((b / a / told - 1.0).abs() <= 0.05) => {
                found.push(PatternError::Ratio { place, told, found: b / a });
            }
            _ => {}
        }
    }
}

fn words(of: Of) -> String {
    match of {
        Of::Edge(e) => format!("edge {e}"),
        Of::Line(l) => format!("line {l}"),
    }
}

/// Reports names that were there before. Parts without a name are told apart by their number.
fn twice(places: impl Iterator<Item = Place>, found: &mut Found) {
    let mut seen = BTreeSet::new();
    for place in places {
        let text = place.to_string();
        if !text.ends_with("``") && !seen.insert(text) {
            found.push(PatternError::Twice { place });
        }
    }
}

/// Reports a number outside of a range, or none at all.
fn within(place: &Place, what: &'static str, value: f64, [low, high]: [f64; 2], found: &mut Found) {
    if !(low..=high).contains(&value) {
        found.push(PatternError::Range { place: place.clone(), what, value, low, high });
    }
}

/// Whether two spans share a piece.
fn overlap(a: &Span, b: &Span) -> bool {
    let ends = |s: &Span| (s.from.min(s.to), s.from.max(s.to));
    let ((p, q), (r, s)) = (ends(a), ends(b));
    a.panel == b.panel && a.of == b.of && p.max(r) + 1e-9 < q.min(s)
}

fn check_panel(panel: &Panel, found: &mut Found) {
    let place = Place::Panel(panel.name.clone());
    within(&place, "the grain", panel.grain, [-TAU, TAU], found);
    check_placement(&place, &panel.placement, found);
    if panel.outline.len() < 2 {
        found.push(PatternError::Open { place, edges: panel.outline.len() });
        return;
    }
    let before = found.len();
    for (edge, e) in panel.outline.iter().enumerate() {
        let next = panel.outline[(edge + 1) % panel.outline.len()].start;
        check_curve(&Place::Edge(panel.name.clone(), edge), e.start, next, e.curve, found);
    }
    if found.len() == before {
        found.extend(crossing(panel));
    }
    for notch in &panel.notches {
        if notch.edge >= panel.outline.len() {
            let (part, owner) = (format!("edge {} for a notch", notch.edge), "its outline".to_string());
            found.push(PatternError::Missing { place: place.clone(), part, owner, count: panel.outline.len() });
        }
        within(&place, "a notch", notch.at, [0.0, 1.0], found);
    }
    twice(panel.lines.iter().map(|l| Place::Line(panel.name.clone(), l.name.clone())), found);
    if found.len() == before {
        check_lines(panel, found);
    }
}

fn check_placement(place: &Place, placement: &Placement, found: &mut Found) {
    match placement {
        Placement::Flat { translation, rotation } => {
            let far = translation.abs().max_element();
            within(
                place,
                "the translation",
                if translation.is_finite() { far } else { f64::NAN },
                [0.0, FARTHEST],
                found,
            );
            // Rounding of a file aside, a rotation has length 1.
            within(place, "the length of the rotation", rotation.length(), [0.999, 1.001], found);
        }
        Placement::Wrapped { anchor, turn, .. } => {
            let far = if anchor.is_finite() { anchor.abs().max_element() } else { f64::NAN };
            within(place, "the anchor", far, [0.0, FARTHEST], found);
            within(place, "the turn", *turn, [-TAU, TAU], found);
        }
    }
}

/// One edge, or one piece of a line.
fn check_curve(place: &Place, a: DVec2, b: DVec2, curve: Curve, found: &mut Found) {
    let before = found.len();
    for value in [a.x, a.y, b.x, b.y] {
        within(place, "a coordinate", value, [-FARTHEST, FARTHEST], found);
    }
    let controls = match curve {
        Curve::Line | Curve::Arc { .. } => [DVec2::ZERO; 2],
        Curve::Quadratic(c) => [c, DVec2::ZERO],
        Curve::Cubic(c, d) => [c, d],
    };
    for value in controls.into_iter().flat_map(|c| [c.x, c.y]) {
        within(place, "a control point", value, [-100.0, 100.0], found);
    }
    if found.len() > before {
        found.truncate(before + 1);
        return;
    }
    if let Curve::Arc { radius, .. } = curve {
        within(place, "the radius", radius, [0.0, 10.0 * FARTHEST], found);
        // Rounding of a file aside: a hundredth of a per cent.
        if radius < 0.5 * a.distance(b) * (1.0 - 1e-4) {
            found.push(PatternError::ArcRadius { place: place.clone(), radius, chord: a.distance(b) });
        }
    }
    let length = Path::new(&[(a, curve), (b, Curve::Line)]).length();
    if found.len() == before && !(length >= SHORTEST) {
        found.push(PatternError::ZeroLength { place: place.clone(), length });
    }
}

fn check_lines(panel: &Panel, found: &mut Found) {
    let outline = outline_points(panel);
    for line in &panel.lines {
        let place = Place::Line(panel.name.clone(), line.name.clone());
        if let LineKind::Fold { angle } = line.kind {
            within(&place, "the angle", angle, [-PI, PI], found);
        }
        let before = found.len();
        for pair in line.path.windows(2) {
            check_curve(&place, pair[0].0, pair[1].0, pair[0].1, found);
        }
        if line.path.len() < 2 {
            found.push(PatternError::ZeroLength { place: place.clone(), length: 0.0 });
        }
        if found.len() > before {
            continue;
        }
        let path = Path::new(&line.path);
        // Points every centimetre, the ends among them.
        let steps = (path.length() / 0.01).ceil().clamp(1.0, 1e4) as usize;
        let outside = (0..=steps).map(|k| path.at(k as f64 / steps as f64)).find(|&p| !covers(&outline, p));
        found.extend(outside.map(|at| PatternError::Outside { place, panel: panel.name.clone(), at }));
    }
}

fn outline_points(panel: &Panel) -> Vec<DVec2> {
    let edges = (0..panel.outline.len()).map(|e| panel.edge_path(e).into_points());
    edges.flat_map(|points| points.into_iter().skip(1)).collect()
}

/// Whether a point lies on a panel, its outline included.
pub(super) fn on_panel(panel: &Panel, at: DVec2) -> bool {
    covers(&outline_points(panel), at)
}

/// Whether a point lies inside a closed outline or on it.
fn covers(outline: &[DVec2], p: DVec2) -> bool {
    let mut inside = false;
    let mut last = match outline.last() {
        Some(&last) => last,
        None => return false,
    };
    for &next in outline {
        let along = next - last;
        let t = ((p - last).dot(along) / along.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        if (last + along * t).distance(p) <= TOUCH {
            return true;
        }
        if (last.y > p.y) != (next.y > p.y) && p.x < last.x + along.x * (p.y - last.y) / along.y {
            inside = !inside;
        }
        last = next;
    }
    inside
}

/// Where an outline meets itself, looked for with chords of about a sixteenth of a curve.
fn crossing(panel: &Panel) -> Option<PatternError> {
    let mut chords: Vec<(usize, DVec2, DVec2)> = Vec::new();
    for edge in 0..panel.outline.len() {
        let path = panel.edge_path(edge);
        let pieces = if path.points().len() > 2 { 16 } else { 1 };
        let at = |k: usize| path.at(k as f64 / pieces as f64);
        chords.extend((0..pieces).map(|k| (edge, at(k), at(k + 1))));
    }
    let report = |a, b, at| {
        let (panel, place) = (panel.name.clone(), Place::Edge(panel.name.clone(), b));
        Some(PatternError::SelfCrossing { panel, place, a, b, at })
    };
    let count = chords.len();
    for i in 0..count {
        let (a, p, q) = chords[i];
        let (b, _, s) = chords[(i + 1) % count];
        // Neighbours touch where they should; they must not run back on themselves.
        if (q - p).normalize_or_zero().dot((s - q).normalize_or_zero()) < -1.0 + 1e-12 {
            return report(a, b, q);
        }
        let end = if i == 0 { count - 1 } else { count }; // the last one is a neighbour of the first
        for &(b, r, s) in chords.get(i + 2..end).unwrap_or_default() {
            if let Some(at) = meeting([p, q], [r, s]) {
                return report(a, b, at);
            }
        }
    }
    None
}

/// Where two chords meet, their ends included.
fn meeting([p, q]: [DVec2; 2], [r, s]: [DVec2; 2]) -> Option<DVec2> {
    let (d, e) = (q - p, s - r);
    let cross = d.perp_dot(e);
    if cross.abs() <= 1e-9 * d.length() * e.length() {
        // Parallel, as the two sides of a dart on one edge are: they meet where one lies on the other, to a nanometre.
        let on = |x: DVec2, p: DVec2, d: DVec2| {
            let along = (x - p).dot(d) / d.length_squared();
            (x - p).perp_dot(d).abs() <= 1e-9 * d.length() && (0.0..=1.0).contains(&along)
        };
        return [(r, p, d), (s, p, d), (p, r, e)].into_iter().find(|&(x, p, d)| on(x, p, d)).map(|(x, ..)| x);
    }
    let t = (r - p).perp_dot(e) / cross;
    let u = (r - p).perp_dot(d) / cross;
    ((0.0..=1.0).contains(&t) && (0.0..=1.0).contains(&u)).then(|| p + d * t)
}

#[cfg(test)]
mod tests {
    use super::super::{Edge, Seam};
    use super::*;

    fn panel(name: &str, corners: &[[f64; 2]]) -> Panel {
        let edge = |&[x, y]: &[f64; 2]| Edge { start: DVec2::new(x, y), curve: Curve::Line, label: None };
        Panel { name: name.into(), outline: corners.iter().map(edge).collect(), ..Panel::default() }
    }

    fn square() -> Panel {
        panel("front", &[[0.0, 0.0], [0.5, 0.0], [0.5, 0.5], [0.0, 0.5]])
    }

    #[test]
    fn sound_garments_have_no_problems() {
        let seam = Seam { sides: [vec![Span::edge(0, 1)], vec![Span::edge(0, 3).reversed()]], ..Seam::default() };
        let garment = Garment { panels: vec![square()], seams: vec![seam], ..Garment::default() };
        assert_eq!(garment.problems(), vec![]);
        assert!((garment.area() - 0.25).abs() < 1e-15);
    }

    #[test]
    fn problems_say_what_is_wrong() {
        let bow = panel("bow", &[[0.0, 0.0], [0.5, 0.5], [0.5, 0.0], [0.0, 0.5]]);
        let seam = |a, b| Seam { sides: [vec![a], vec![b]], ..Seam::default() };
        let garment = Garment {
            panels: vec![square(), bow, panel("dot", &[[0.0, 0.0], [0.0, 0.0], [0.1, 0.1]]), square()],
            seams: vec![
                seam(Span::edge(0, 7), Span::edge(9, 0)),
                seam(Span { to: 0.3, ..Span::edge(0, 0) }, Span::edge(0, 1)),
            ],
            ..Garment::default()
        };
        let text: Vec<String> = garment.problems().iter().map(ToString::to_string).collect();
        let said = |words: &str| assert!(text.iter().any(|t| t.contains(words)), "{words}: {text:#?}");
        said("panel `bow` crosses itself: edge 0 meets edge 2 near (25.00, 25.00) cm");
        said("edge 0 of panel `dot` is 0.000e0 m long");
        said("panel `front` has the name of another one");
        said("names edge 7, but panel `front` has only 4");
        said("names panel 9, but the garment has only 4");
        said("joins 15.0 cm to 50.0 cm, 1 : 3.33");
    }
}
