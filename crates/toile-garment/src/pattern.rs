//! Flat patterns: panels, lines on them, seams between them, and where they start round a body.
//!
//! A panel is what a pattern maker cuts: a closed outline in the panel plane (m, x to the right, y up). Seen from the right side of
//! the fabric the outline runs counter-clockwise, so its direction says which side faces out: an outline that runs clockwise in
//! panel coordinates belongs to a panel whose right side faces −z of its own frame.
//!
//! Lengths along edges and lines are told as fractions of their arc length, 0 at the start and 1 at the end.

mod check;
mod curve;
mod error;
mod make;
mod place;

pub use curve::{Curve, Path};
pub use error::PatternError;
pub use make::{Dart, MakeError, Pleat, Pocket};
pub use place::Place;

use glam::{DQuat, DVec2, DVec3};

/// Everything that is cut and sewn into one piece of clothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Garment {
    /// Its name.
    pub name: String,
    /// Pieces of fabric.
    pub panels: Vec<Panel>,
    /// What is sewn to what.
    pub seams: Vec<Seam>,
    /// Tapes sewn along edges or lines: elastic, belts, stays.
    pub tapes: Vec<Tape>,
    /// Points fastened to points.
    pub buttons: Vec<Button>,
    /// Edges that are held on the body: waist, collar.
    pub attachments: Vec<Attachment>,
}

/// A flat piece of fabric.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// Its name, unique in the garment.
    pub name: String,
    /// Its edges in order; each ends where the next one starts, the last one where the first one starts.
    pub outline: Vec<Edge>,
    /// Lines on it: folds, stitching lines, darts.
    pub lines: Vec<Line>,
    /// Marks on edges that are matched when sewing.
    pub notches: Vec<Notch>,
    /// Angle from the panel's y axis to the grain line, the warp (rad, counter-clockwise).
    pub grain: f64,
    /// Fabric, if not that of the garment.
    pub fabric: Option<String>,
    /// Which layer it is: higher numbers lie further out.
    pub layer: i32,
    /// What part of the body it belongs to: `body`, `arm`, `leg`.
    pub label: Option<String>,
    /// Where it starts.
    pub placement: Placement,
}

/// One edge of an outline.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// Its start (m).
    pub start: DVec2,
    /// The way to the start of the next edge.
    pub curve: Curve,
    /// What it is for: `left_armhole`, `lower_interface`.
    pub label: Option<String>,
}

/// A line inside a panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its name, unique in the panel.
    pub name: String,
    /// Its shape: from each point by its curve to the next; the last curve is not used.
    pub path: Vec<(DVec2, Curve)>,
    /// What happens there.
    pub kind: LineKind,
}

/// What a line inside a panel does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LineKind {
    /// The mesh follows it, another panel may be sewn to it.
    Stitching,
    /// The fabric is folded: rest angle (rad, positive towards the right side).
    Fold {
        /// Rest angle (rad).
        angle: f64,
    },
}

/// A mark on an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Notch {
    /// Which edge.
    pub edge: usize,
    /// Where on it, as a fraction of its length.
    pub at: f64,
}

/// Where a panel starts.
#[derive(Clone, Debug, PartialEq)]
pub enum Placement {
    /// Flat in the world: x_world = rotation (x, y, 0) + translation.
    Flat {
        /// Of the panel's origin (m).
        translation: DVec3,
        /// Of its axes.
        rotation: DQuat,
    },
    /// Wrapped round a part of the body.
    Wrapped {
        /// Name of the arrangement point: `torso-front`, `arm-left`.
        point: String,
        /// Panel point that comes to lie there (m).
        anchor: DVec2,
        /// Turn of the panel on the surface it is wrapped on (rad).
        turn: f64,
    },
}

impl Default for Placement {
    fn default() -> Self {
        Self::Flat { translation: DVec3::ZERO, rotation: DQuat::IDENTITY }
    }
}

/// A part of an edge or of a line. `from` may be larger than `to`: then it runs backwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Which panel.
    pub panel: usize,
    /// Which edge or line of it.
    pub of: Of,
    /// Where it starts, as a fraction of the length.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
}

/// What a span is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Of {
    /// An edge of the outline.
    Edge(usize),
    /// A line inside.
    Line(usize),
}

impl Span {
    /// A whole edge, in its own direction.
    pub fn edge(panel: usize, edge: usize) -> Self {
        Self { panel, of: Of::Edge(edge), from: 0.0, to: 1.0 }
    }

    /// The same the other way round.
    pub fn reversed(self) -> Self {
        Self { from: self.to, to: self.from, ..self }
    }

    /// The other way round if asked for.
    pub fn turned(self, reversed: bool) -> Self {
        if reversed { self.reversed() } else { self }
    }
}

/// Two sides that are sewn together, point by point at equal fractions of their lengths. A longer side is gathered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seam {
    /// Its name.
    pub name: String,
    /// Spans of the two sides, one after the other.
    pub sides: [Vec<Span>; 2],
    /// Length of the second side over that of the first, where that is meant: ease or gathering. Checked when given.
    pub ratio: Option<f64>,
    /// Angle the seam is pressed to (rad, 0 = flat).
    pub fold: f64,
    /// Bending rigidity of the seam over that of the fabric; 1 if not told.
    pub stiffness: Option<f64>,
}

/// A tape along spans: elastic, a belt, a stay tape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tape {
    /// Its name.
    pub name: String,
    /// Where it is sewn on.
    pub spans: Vec<Span>,
    /// Its rest length over that of the spans.
    pub ratio: f64,
    /// Force per strain (N).
    pub stiffness: f64,
}

/// Two points fastened to each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Button {
    /// Its name.
    pub name: String,
    /// Panels and points on them (m): the button and its hole.
    pub ends: [(usize, DVec2); 2],
}

/// Edges held on the body.
#[derive(Clone, Debug, PartialEq)]
pub struct Attachment {
    /// Its name.
    pub name: String,
    /// Where: `waist`, `collar`.
    pub to: String,
    /// Which edges.
    pub spans: Vec<Span>,
}

impl Panel {
    /// The edge of a number, as a path that can be walked.
    pub fn edge_path(&self, edge: usize) -> Path {
        let next = &self.outline[(edge + 1) % self.outline.len()];
        Path::new(&[(self.outline[edge].start, self.outline[edge].curve), (next.start, Curve::Line)])
    }

    /// The edge or line a span is part of, as a path that can be walked.
    pub fn path(&self, of: Of) -> Path {
        match of {
            Of::Edge(edge) => self.edge_path(edge),
            Of::Line(line) => Path::new(&self.lines[line].path),
        }
    }

    /// Signed area inside the outline (m²): negative if it runs clockwise, that is if the right side faces −z.
    pub fn signed_area(&self) -> f64 {
        (0..self.outline.len()).map(|e| self.edge_path(e).swept_area()).sum()
    }

    /// Smallest and largest coordinates of the outline (m).
    pub fn bounds(&self) -> [DVec2; 2] {
        let points = (0..self.outline.len()).flat_map(|e| self.edge_path(e).into_points());
        points.fold([DVec2::INFINITY, DVec2::NEG_INFINITY], |[low, high], p| [low.min(p), high.max(p)])
    }
}

impl Garment {
    /// Number of the panel of a name.
    pub fn panel(&self, name: &str) -> Option<usize> {
        self.panels.iter().position(|p| p.name == name)
    }

    /// Several garments as one, panels and seams numbered through. A single one keeps its names; parts of several are called
    /// `garment/part`.
    pub fn together<'a>(name: &str, garments: impl IntoIterator<Item = &'a Self>) -> Self {
        let garments: Vec<&Self> = garments.into_iter().collect();
        if let [single] = garments[..] {
            let name = if name.is_empty() { single.name.clone() } else { name.into() };
            return Self { name, ..single.clone() };
        }
        let mut all = Self { name: name.into(), ..Self::default() };
        for garment in garments {
            let mut own = garment.clone();
            let shift = all.panels.len();
            let names = own.panels.iter_mut().map(|p| &mut p.name).chain(own.seams.iter_mut().map(|s| &mut s.name));
            let names = names.chain(own.tapes.iter_mut().map(|t| &mut t.name));
            let names = names.chain(own.buttons.iter_mut().map(|b| &mut b.name));
            names.chain(own.attachments.iter_mut().map(|a| &mut a.name)).for_each(|name| {
                *name = format!("{}/{name}", garment.name);
            });
            let spans = own.seams.iter_mut().flat_map(|s| s.sides.iter_mut().flatten());
            let spans = spans.chain(own.tapes.iter_mut().flat_map(|t| &mut t.spans));
            spans.chain(own.attachments.iter_mut().flat_map(|a| &mut a.spans)).for_each(|span| span.panel += shift);
            own.buttons.iter_mut().flat_map(|b| &mut b.ends).for_each(|end| end.0 += shift);
            all.panels.append(&mut own.panels);
            all.seams.append(&mut own.seams);
            all.tapes.append(&mut own.tapes);
            all.buttons.append(&mut own.buttons);
            all.attachments.append(&mut own.attachments);
        }
        all
    }

    /// Length of a span (m).
    pub fn length(&self, span: &Span) -> f64 {
        self.panels[span.panel].path(span.of).length() * (span.to - span.from).abs()
    }

    /// Flat area of all panels (m²).
    pub fn area(&self) -> f64 {
        self.panels.iter().map(|p| p.signed_area().abs()).sum()
    }
}
