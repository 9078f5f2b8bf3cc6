//! What a pattern maker adds to a panel: darts, pleats and pockets, each turned into edges, lines and seams.
//!
//! A dart and a pleat take width out of an edge. Whatever is sewn to that edge, is elastic along it or holds it goes on with what is
//! left: its spans are cut at the mouth, so that what was written before them stays true.

use super::{Curve, Edge, Garment, Line, LineKind, Notch, Of, Placement, Seam, Span};
use glam::{DQuat, DVec2};
use std::f64::consts::PI;

/// A wedge taken out of an edge and sewn shut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dart {
    /// Middle of its mouth, as a fraction of the edge's length.
    pub at: f64,
    /// Width of its mouth along the edge (m).
    pub width: f64,
    /// From the mouth to its tip, square to the mouth (m).
    pub depth: f64,
}

/// A fold that lies flat: a knife pleat, laid to the wrong side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pleat {
    /// Middle of what it takes, as a fraction of the edge's length.
    pub at: f64,
    /// How far it goes under (m); it takes twice that of the edge.
    pub depth: f64,
    /// How far its folds are pressed into the panel (m).
    pub length: f64,
    /// Laid towards the start of the edge instead of its end.
    pub towards_start: bool,
}

/// A panel sewn on another one.
#[derive(Clone, Debug, PartialEq)]
pub struct Pocket {
    /// The panel that is sewn on.
    pub panel: usize,
    /// The panel it is sewn to.
    pub on: usize,
    /// Where its origin comes to lie there (m).
    pub at: DVec2,
    /// How it is turned there (rad, counter-clockwise).
    pub turn: f64,
    /// Edges of it that are left open.
    pub open: Vec<usize>,
}

/// Why something cannot be added.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MakeError {
    /// It is on something that is not there.
    #[error("there is no {what} {index}, there are {count}")]
    Missing {
        /// What: `edge`.
        what: &'static str,
        /// Its number.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// It does not fit on its edge.
    #[error("it takes {:.1} to {:.1} cm of an edge that is {:.1} cm long", 100.0 * from, 100.0 * to, 100.0 * length)]
    Mouth {
        /// Start of what it takes (m).
        from: f64,
        /// Its end (m).
        to: f64,
        /// Length of the edge (m).
        length: f64,
    },
    /// Its tip lies outside the panel.
    #[error("its tip ({:.1}, {:.1}) cm lies outside the panel", 100.0 * tip.x, 100.0 * tip.y)]
    Tip {
        /// Where (m).
        tip: DVec2,
    },
    /// A number that makes no sense.
    #[error("{what} is {value}, must be positive")]
    Positive {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
    },
}

/// What a dart or pleat leaves of an edge: from where to where it is taken, as fractions of its length.
struct Mouth {
    panel: usize,
    edge: usize,
    ends: [f64; 2],
}

impl Garment {
    /// Cuts a dart into an edge: three more edges, and a seam that closes it. Edges behind it are numbered on.
    pub fn add_dart(&mut self, panel: usize, edge: usize, dart: &Dart, name: &str) -> Result<(), MakeError> {
        positive("the width", dart.width)?;
        positive("the depth", dart.depth)?;
        let mouth = self.mouth(panel, edge, dart.at, dart.width)?;
        let sign = self.panels[panel].signed_area().signum();
        let (start, curve) = (self.panels[panel].outline[edge].start, self.panels[panel].outline[edge].curve);
        let end = self.panels[panel].edge_path(edge).at(1.0);
        let [from, to] = mouth.ends;
        let (b, [rest, last]) = curve.cut(start, end, to);
        let (a, [first, _]) = rest.cut(start, b, from / to);
        // Inwards is to the left of an outline that runs counter-clockwise.
        let tip = 0.5 * (a + b) + (b - a).perp().normalize_or_zero() * (sign * dart.depth);
        if !super::check::on_panel(&self.panels[panel], tip) {
            return Err(MakeError::Tip { tip });
        }
        let outline = &mut self.panels[panel].outline;
        let label = outline[edge].label.clone();
        outline[edge].curve = first;
        let leg = |start| Edge { start, curve: Curve::Line, label: None };
        outline.splice(edge + 1..edge + 1, [leg(a), leg(tip), Edge { start: b, curve: last, label }]);
        self.renumber(&mouth, 3);
        let sides = [vec![Span::edge(panel, edge + 1)], vec![Span::edge(panel, edge + 2).reversed()]];
        self.seams.push(Seam { name: name.into(), sides, ..Seam::default() });
        Ok(())
    }

    /// Lays a pleat into an edge: two fold lines, and a seam that tacks it.
    pub fn add_pleat(&mut self, panel: usize, edge: usize, pleat: &Pleat, name: &str) -> Result<(), MakeError> {
        positive("the depth", pleat.depth)?;
        positive("the length", pleat.length)?;
        let mouth = self.mouth(panel, edge, pleat.at, 2.0 * pleat.depth)?;
        let [from, to] = mouth.ends;
        let middle = 0.5 * (from + to);
        // The fold that is seen turns to the wrong side, the one beneath back again.
        let folds = [(if pleat.towards_start { to } else { from }, -PI), (middle, PI)];
        let path = self.panels[panel].edge_path(edge);
        let inwards =
            (path.at(to) - path.at(from)).perp().normalize_or_zero() * self.panels[panel].signed_area().signum();
        for (k, (at, angle)) in folds.into_iter().enumerate() {
            let ends = [path.at(at), path.at(at) + inwards * pleat.length];
            if !super::check::on_panel(&self.panels[panel], ends[1]) {
                return Err(MakeError::Tip { tip: ends[1] });
            }
            let path = ends.map(|p| (p, Curve::Line)).to_vec();
            let name = format!("{name}-{}", ["fold", "back"][k]);
            self.panels[panel].lines.push(Line { name, path, kind: LineKind::Fold { angle } });
        }
        self.renumber(&mouth, 0);
        let piece = |from, to| Span { panel, of: Of::Edge(edge), from, to };
        let sides = [vec![piece(from, middle)], vec![piece(to, middle)]];
        self.seams.push(Seam { name: name.into(), sides, ..Seam::default() });
        Ok(())
    }

    /// Sews a panel on another one along lines of its own shape, one layer further out.
    pub fn add_pocket(&mut self, pocket: &Pocket, name: &str) -> Result<(), MakeError> {
        let count = self.panels.len();
        for index in [pocket.panel, pocket.on] {
            if index >= count {
                return Err(MakeError::Missing { what: "panel", index, count });
            }
        }
        let turn = DVec2::from_angle(pocket.turn);
        let outline = self.panels[pocket.panel].outline.clone();
        let place = |p: DVec2| pocket.at + turn.rotate(p);
        for k in (0..outline.len()).filter(|k| !pocket.open.contains(k)) {
            let next = outline[(k + 1) % outline.len()].start;
            let path = vec![(place(outline[k].start), outline[k].curve), (place(next), Curve::Line)];
            let name = format!("{name}-{k}");
            let line = self.panels[pocket.on].lines.len();
            self.panels[pocket.on].lines.push(Line { name: name.clone(), path, kind: LineKind::Stitching });
            let below = Span { panel: pocket.on, of: Of::Line(line), from: 0.0, to: 1.0 };
            let sides = [vec![Span::edge(pocket.panel, k)], vec![below]];
            self.seams.push(Seam { name, sides, ..Seam::default() });
        }
        let placement = match &self.panels[pocket.on].placement {
            // A finger's breadth before the panel, on its right side.
            Placement::Flat { translation, rotation } => {
                let right = self.panels[pocket.on].signed_area().signum();
                let shift = *rotation * pocket.at.extend(0.01 * right);
                let rotation = *rotation * DQuat::from_rotation_z(pocket.turn);
                Placement::Flat { translation: *translation + shift, rotation }
            }
            Placement::Wrapped { point, anchor, turn: own } => Placement::Wrapped {
                point: point.clone(),
                anchor: DVec2::from_angle(-pocket.turn).rotate(*anchor - pocket.at),
                turn: own + pocket.turn,
            },
        };
        self.panels[pocket.panel].placement = placement;
        self.panels[pocket.panel].layer = self.panels[pocket.on].layer + 1;
        Ok(())
    }

    fn mouth(&self, panel: usize, edge: usize, at: f64, width: f64) -> Result<Mouth, MakeError> {
        let count = self.panels.len();
        let owner = self.panels.get(panel).ok_or(MakeError::Missing { what: "panel", index: panel, count })?;
        let count = owner.outline.len();
        if edge >= count {
            return Err(MakeError::Missing { what: "edge", index: edge, count });
        }
        let length = owner.edge_path(edge).length();
        let (from, to) = (at * length - 0.5 * width, at * length + 0.5 * width);
        // A millimetre of the edge has to be left on both sides.
        if !(from >= 1e-3 && to <= length - 1e-3) {
            return Err(MakeError::Mouth { from, to, length });
        }
        Ok(Mouth { panel, edge, ends: [from / length, to / length] })
    }

    /// Cuts everything that runs along an edge at a mouth. `added` edges stand between its two pieces; if there are none, the edge
    /// stays whole.
    fn renumber(&mut self, mouth: &Mouth, added: usize) {
        let lists = self.seams.iter_mut().flat_map(|s| &mut s.sides);
        let lists = lists.chain(self.tapes.iter_mut().map(|t| &mut t.spans));
        for spans in lists.chain(self.attachments.iter_mut().map(|a| &mut a.spans)) {
            *spans = spans.iter().flat_map(|span| mouth.pieces(span, added)).collect();
        }
        if added > 0 {
            let notches = self.panels[mouth.panel].notches.iter().map(|notch| mouth.notch(*notch, added)).collect();
            self.panels[mouth.panel].notches = notches;
        }
    }
}

impl Mouth {
    /// What is left of a span, in its direction.
    fn pieces(&self, span: &Span, added: usize) -> Vec<Span> {
        let Of::Edge(edge) = span.of else { return vec![*span] };
        if span.panel != self.panel || edge < self.edge {
            return vec![*span];
        }
        if edge > self.edge {
            return vec![Span { of: Of::Edge(edge + added), ..*span }];
        }
        let (low, high) = (span.from.min(span.to), span.from.max(span.to));
        let [from, to] = self.ends;
        let parts = [(low, high.min(from), self.edge, 0.0, from), (low.max(to), high, self.edge + added, to, 1.0)];
        let kept = parts.into_iter().filter(|(a, b, ..)| a < b).map(|(a, b, edge, start, end)| {
            let scale = |x: f64| if added == 0 { x } else { (x - start) / (end - start) };
            Span { panel: span.panel, of: Of::Edge(edge), from: scale(a), to: scale(b) }
        });
        let forward: Vec<Span> = kept.collect();
        if span.from <= span.to { forward } else { forward.into_iter().rev().map(Span::reversed).collect() }
    }

    fn notch(&self, notch: Notch, added: usize) -> Notch {
        let [from, to] = self.ends;
        match notch.edge {
            e if e < self.edge => notch,
            e if e > self.edge => Notch { edge: e + added, ..notch },
            _ if notch.at <= to => Notch { at: (notch.at / from).min(1.0), ..notch },
            _ => Notch { edge: self.edge + added, at: (notch.at - to) / (1.0 - to) },
        }
    }
}

fn positive(what: &'static str, value: f64) -> Result<(), MakeError> {
    if value > 0.0 && value.is_finite() { Ok(()) } else { Err(MakeError::Positive { what, value }) }
}

#[cfg(test)]
mod tests {
    use super::super::{Attachment, Panel};
    use super::*;

    /// A skirt half, 40 cm wide at the waist, sewn to a band of 34 cm.
    fn skirt() -> Garment {
        let panel = |name: &str, corners: &[[f64; 2]]| {
            let edge = |&[x, y]: &[f64; 2]| Edge { start: DVec2::new(x, y), curve: Curve::Line, label: None };
            Panel { name: name.into(), outline: corners.iter().map(edge).collect(), ..Panel::default() }
        };
        let mut skirt = panel("skirt", &[[0.0, 0.0], [0.4, 0.0], [0.4, 0.6], [0.0, 0.6]]);
        skirt.outline[2].curve = Curve::Quadratic(DVec2::new(0.5, 0.05));
        skirt.notches = vec![Notch { edge: 2, at: 0.9 }, Notch { edge: 3, at: 0.5 }];
        let band = panel("band", &[[0.0, 0.0], [0.34, 0.0], [0.34, 0.04], [0.0, 0.04]]);
        let waist = Seam {
            name: "waist".into(),
            sides: [vec![Span::edge(0, 2)], vec![Span::edge(1, 0).reversed()]],
            ..Seam::default()
        };
        let held = Attachment { name: "held".into(), to: "waist".into(), spans: vec![Span::edge(0, 2).reversed()] };
        Garment { panels: vec![skirt, band], seams: vec![waist], attachments: vec![held], ..Garment::default() }
    }

    fn side(garment: &Garment, seam: usize, side: usize) -> f64 {
        garment.seams[seam].sides[side].iter().map(|s| garment.length(s)).sum()
    }

    #[test]
    fn a_dart_takes_its_width_and_closes_itself() {
        let mut garment = skirt();
        let before = side(&garment, 0, 0);
        garment.add_dart(0, 2, &Dart { at: 0.7, width: 0.03, depth: 0.12 }, "dart-2").unwrap();
        garment.add_dart(0, 2, &Dart { at: 0.25 / 0.66, width: 0.03, depth: 0.1 }, "dart-1").unwrap();
        assert_eq!(garment.problems(), vec![]);
        assert_eq!(garment.panels[0].outline.len(), 10);
        assert!((side(&garment, 0, 0) - (before - 0.06)).abs() < 1e-6);
        for dart in [1, 2] {
            assert!((side(&garment, dart, 0) - side(&garment, dart, 1)).abs() < 1e-12);
            let tip = garment.panels[0].path(garment.seams[dart].sides[0][0].of).at(1.0);
            assert!(tip.y < 0.52 && tip.y > 0.45, "{tip}");
        }
        // Backwards, what is held starts at the end of the edge.
        let held = &garment.attachments[0].spans;
        assert_eq!(held.len(), 3);
        assert_eq!(held[0], Span::edge(0, 8).reversed());
        assert_eq!(garment.panels[0].notches[1].edge, 9);
        assert_eq!(garment.panels[0].notches[0].edge, 8);
    }

    #[test]
    fn a_pleat_takes_twice_its_depth() {
        let mut garment = skirt();
        let before = side(&garment, 0, 0);
        let pleat = Pleat { at: 0.5, depth: 0.02, length: 0.2, towards_start: false };
        garment.add_pleat(0, 2, &pleat, "pleat").unwrap();
        assert_eq!(garment.problems(), vec![]);
        assert!((side(&garment, 0, 0) - (before - 0.04)).abs() < 1e-9);
        assert!((side(&garment, 1, 0) - 0.02).abs() < 1e-9 && (side(&garment, 1, 1) - 0.02).abs() < 1e-9);
        assert_eq!(garment.panels[0].lines.len(), 2);
    }

    #[test]
    fn a_pocket_is_sewn_on_three_sides() {
        let mut garment = skirt();
        let pocket = Pocket { panel: 1, on: 0, at: DVec2::new(0.05, 0.3), turn: 0.1, open: vec![2] };
        garment.seams.clear();
        garment.add_pocket(&pocket, "pocket").unwrap();
        assert_eq!(garment.problems(), vec![]);
        assert_eq!(garment.seams.len(), 3);
        for seam in 0..3 {
            assert!((side(&garment, seam, 0) - side(&garment, seam, 1)).abs() < 1e-12);
        }
        assert_eq!(garment.panels[1].layer, 1);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut garment = skirt();
        let dart = Dart { at: 0.7, width: 0.03, depth: 0.12 };
        let fault = |g: &mut Garment, dart| g.add_dart(0, 2, &dart, "dart").unwrap_err().to_string();
        assert!(fault(&mut garment, Dart { at: 0.99, ..dart }).contains("cm of an edge that is"));
        assert!(fault(&mut garment, Dart { depth: 0.9, ..dart }).contains("outside the panel"));
        assert!(fault(&mut garment, Dart { width: f64::NAN, ..dart }).contains("must be positive"));
        assert!(garment.add_dart(0, 9, &dart, "dart").unwrap_err().to_string().contains("no edge 9"));
        assert_eq!(garment, skirt());
    }
}
