//! What makes a pattern unusable.

use super::{Garment, Of, Span};
use glam::DVec2;

/// What is wrong with a garment, and where.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PatternError {
    /// A panel without an outline.
    #[error("panel `{panel}` has {edges} edges, needs at least 2")]
    Open {
        /// Panel.
        panel: String,
        /// Edges found.
        edges: usize,
    },
    /// Two panels, or two lines of a panel, of one name.
    #[error("the name `{name}` is used twice")]
    Twice {
        /// Name.
        name: String,
    },
    /// A number that is none, or out of range.
    #[error("{what} is {value}, must lie between {low} and {high}")]
    Range {
        /// What: `grain of panel "front"`.
        what: String,
        /// Its value.
        value: f64,
        /// Smallest allowed.
        low: f64,
        /// Largest allowed.
        high: f64,
    },
    /// An edge without length.
    #[error("edge {edge} of panel `{panel}` is {length:.3e} m long: remove it or move one of its ends")]
    ZeroEdge {
        /// Panel.
        panel: String,
        /// Edge.
        edge: usize,
        /// Its length (m).
        length: f64,
    },
    /// An outline that crosses or touches itself.
    #[error("the outline of panel `{panel}` crosses itself: edge {a} meets edge {b} near ({:.4}, {:.4}) m", at.x, at.y)]
    SelfCrossing {
        /// Panel.
        panel: String,
        /// One edge.
        a: usize,
        /// The other.
        b: usize,
        /// Where (m).
        at: DVec2,
    },
    /// A line that leaves its panel.
    #[error("line `{line}` leaves panel `{panel}` near ({:.4}, {:.4}) m", at.x, at.y)]
    LineOutside {
        /// Panel.
        panel: String,
        /// Line.
        line: String,
        /// Where (m).
        at: DVec2,
    },
    /// A span of something that is not there.
    #[error("{what} names {part}, but {owner} has only {count}")]
    Missing {
        /// Which seam, tape or attachment.
        what: String,
        /// What is missing: `edge 9`.
        part: String,
        /// Where it was looked for: `panel "front"`.
        owner: String,
        /// How many there are.
        count: usize,
    },
    /// Sides of a seam whose lengths do not fit.
    #[error(
        "seam `{seam}` joins {:.1} cm to {:.1} cm, 1 : {ratio:.2}; more than 1 : {limit:.2} is a mistake unless its `ratio` says so",
        100.0 * lengths[0], 100.0 * lengths[1]
    )]
    Mismatch {
        /// Seam.
        seam: String,
        /// Lengths of its sides (m).
        lengths: [f64; 2],
        /// The longer over the shorter.
        ratio: f64,
        /// Largest ratio that passes without being told.
        limit: f64,
    },
    /// A ratio that is not that of the lengths.
    #[error("seam `{seam}` says ratio {told:.3}, its sides have {found:.3}")]
    Ratio {
        /// Seam.
        seam: String,
        /// As told.
        told: f64,
        /// As measured.
        found: f64,
    },
}

/// Shortest edge (m).
const SHORTEST: f64 = 1e-4;
/// Length ratio of a seam's sides above which `ratio` has to be told. Gathered skirts in real patterns go to 2.
const LONGEST_RATIO: f64 = 2.5;

impl Garment {
    /// Everything that can be known to be wrong before meshing. The list is empty for a sound garment.
    pub fn problems(&self) -> Vec<PatternError> {
        let mut found = Vec::new();
        for (i, panel) in self.panels.iter().enumerate() {
            if self.panels[..i].iter().any(|p| p.name == panel.name) {
                found.push(PatternError::Twice { name: panel.name.clone() });
            }
            if panel.outline.len() < 2 {
                found.push(PatternError::Open { panel: panel.name.clone(), edges: panel.outline.len() });
                continue;
            }
            self.check_outline(i, &mut found);
        }
        for seam in &self.seams {
            let spans: Vec<&Span> = seam.sides.iter().flatten().collect();
            let before = found.len();
            spans.iter().for_each(|span| self.check_span(&format!("seam `{}`", seam.name), span, &mut found));
            if found.len() == before {
                self.check_lengths(seam, &mut found);
            }
        }
        found
    }

    fn check_outline(&self, index: usize, found: &mut Vec<PatternError>) {
        let panel = &self.panels[index];
        let before = found.len();
        for (edge, e) in panel.outline.iter().enumerate() {
            let what = || format!("edge {edge} of panel `{}`", panel.name);
            if !(e.start.abs().max_element() <= 100.0) {
                found.push(PatternError::Range { what: what(), value: e.start.length(), low: -100.0, high: 100.0 });
                continue;
            }
            let length = panel.edge_path(edge).length();
            if !(length >= SHORTEST) {
                found.push(PatternError::ZeroEdge { panel: panel.name.clone(), edge, length });
            }
        }
        if found.len() == before {
            found.extend(self.crossing(index));
        }
    }

    /// Where an outline meets itself, looked for with chords of about a sixteenth of a curve.
    fn crossing(&self, index: usize) -> Option<PatternError> {
        let panel = &self.panels[index];
        let mut chords: Vec<(usize, DVec2, DVec2)> = Vec::new();
        for edge in 0..panel.outline.len() {
            let path = panel.edge_path(edge);
            let pieces = if path.points().len() > 2 { 16 } else { 1 };
            let at = |k: usize| path.at(k as f64 / pieces as f64);
            chords.extend((0..pieces).map(|k| (edge, at(k), at(k + 1))));
        }
        let count = chords.len();
        for i in 0..count {
            for j in i + 2..count {
                if i == 0 && j + 1 == count {
                    continue;
                }
                let ((a, p, q), (b, r, s)) = (chords[i], chords[j]);
                if let Some(at) = meeting([p, q], [r, s]) {
                    return Some(PatternError::SelfCrossing { panel: panel.name.clone(), a, b, at });
                }
            }
        }
        None
    }

    fn check_span(&self, what: &str, span: &Span, found: &mut Vec<PatternError>) {
        let Some(panel) = self.panels.get(span.panel) else {
            let (part, owner) = (format!("panel {}", span.panel), "the garment".to_string());
            found.push(PatternError::Missing { what: what.into(), part, owner, count: self.panels.len() });
            return;
        };
        let (part, index, count) = match span.of {
            Of::Edge(e) => (format!("edge {e}"), e, panel.outline.len()),
            Of::Line(l) => (format!("line {l}"), l, panel.lines.len()),
        };
        if index >= count {
            let owner = format!("panel `{}`", panel.name);
            found.push(PatternError::Missing { what: what.into(), part, owner, count });
        }
        for value in [span.from, span.to] {
            if !(0.0..=1.0).contains(&value) {
                found.push(PatternError::Range { what: format!("a span of {what}"), value, low: 0.0, high: 1.0 });
            }
        }
    }

    fn check_lengths(&self, seam: &super::Seam, found: &mut Vec<PatternError>) {
        let [a, b] = [0, 1].map(|s| seam.sides[s].iter().map(|span| self.length(span)).sum::<f64>());
        let ratio = (a / b).max(b / a);
        match seam.ratio {
            None if !(ratio <= LONGEST_RATIO) => found.push(PatternError::Mismatch {
                seam: seam.name.clone(),
                lengths: [a, b],
                ratio,
                limit: LONGEST_RATIO,
            }),
            // A twentieth: patterns are drawn by hand, and walked with a tape.
            Some(told) if !((b / a / told - 1.0).abs() <= 0.05) => {
                found.push(PatternError::Ratio { seam: seam.name.clone(), told, found: b / a });
            }
            _ => {}
        }
    }
}

/// Where two chords meet, their ends included.
fn meeting([p, q]: [DVec2; 2], [r, s]: [DVec2; 2]) -> Option<DVec2> {
    let (d, e) = (q - p, s - r);
    let cross = d.perp_dot(e);
    if cross == 0.0 {
        return None; // parallel: running on top of each other is found where they are left
    }
    let t = (r - p).perp_dot(e) / cross;
    let u = (r - p).perp_dot(d) / cross;
    ((0.0..=1.0).contains(&t) && (0.0..=1.0).contains(&u)).then(|| p + d * t)
}

#[cfg(test)]
mod tests {
    use super::super::{Curve, Edge, Garment, Panel, Seam, Span};
    use super::*;

    pub(crate) fn panel(name: &str, corners: &[[f64; 2]]) -> Panel {
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
        let seam = |a, b| Seam { name: "side".into(), sides: [vec![a], vec![b]], ..Seam::default() };
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
        said("panel `bow` crosses itself: edge 0 meets edge 2 near (0.2500, 0.2500)");
        said("edge 0 of panel `dot` is 0.000e0 m long");
        said("the name `front` is used twice");
        said("names edge 7, but panel `front` has only 4");
        said("names panel 9, but the garment has only 4");
        said("joins 15.0 cm to 50.0 cm, 1 : 3.33");
    }
}
