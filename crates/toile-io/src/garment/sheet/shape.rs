//! One panel on a sheet: right side up, grain along the fabric.

use super::{Sheet, cutting_line, escaped};
use glam::DVec2;
use std::fmt::Write;
use toile_garment::pattern::{Garment, LineKind, Of, Panel, Path, Seam};

/// Points of a path on a sheet: every eighth of the 512 of a curve, within hundredths of a millimetre.
const STRIDE: usize = 8;

/// A panel as it lies on the fabric (m, y up, lower left corner of its box at the origin).
pub(super) struct Shape {
    /// Width and height of the box of its cutting line.
    pub(super) size: DVec2,
    edges: Vec<Vec<DVec2>>,
    lines: Vec<Vec<DVec2>>,
    notches: Vec<[DVec2; 2]>,
    cut: Vec<DVec2>,
}

/// Panel points on the fabric.
struct Turn {
    mirror: bool,
    by: DVec2,
}

impl Turn {
    fn apply(&self, p: DVec2) -> DVec2 {
        let p = self.by.rotate(p);
        if self.mirror { DVec2::new(-p.x, p.y) } else { p }
    }

    fn path(&self, path: &Path) -> Vec<DVec2> {
        let points = path.points();
        let last = points.len() - 1;
        let step = if last > 16 { STRIDE } else { 1 };
        (0..=last).filter(|i| i % step == 0 || *i == last).map(|i| self.apply(points[i])).collect()
    }
}

impl Shape {
    pub(super) fn new(garment: &Garment, number: usize, sheet: &Sheet) -> Self {
        let panel = &garment.panels[number];
        let turn = Turn { mirror: panel.signed_area() < 0.0, by: DVec2::from_angle(-panel.grain) };
        let mut edges: Vec<Vec<DVec2>> = (0..panel.outline.len()).map(|e| turn.path(&panel.edge_path(e))).collect();
        let darts: Vec<usize> = garment.seams.iter().filter_map(|seam| dart(seam, number, edges.len())).collect();
        let mut outline: Vec<(DVec2, f64)> = Vec::new();
        let mut e = 0;
        while e < edges.len() {
            let hem = panel.outline[e].label.as_ref().is_some_and(|l| l.starts_with("hem"));
            let allowance = if hem { sheet.hem_allowance } else { sheet.allowance };
            let straight = darts.contains(&e);
            let points = if straight { &edges[e][..1] } else { &edges[e][..edges[e].len() - 1] };
            outline.extend(points.iter().map(|&p| (p, allowance)));
            e += if straight { 2 } else { 1 };
        }
        // A panel that runs clockwise is mirrored: on the sheet all run counter-clockwise.
        let mut cut = cutting_line(&outline);
        let mut lines: Vec<Vec<DVec2>> = (0..panel.lines.len()).map(|l| turn.path(&panel.path(Of::Line(l)))).collect();
        let mut notches: Vec<[DVec2; 2]> =
            panel.notches.iter().map(|n| notch(panel, n.edge, n.at, &turn, sheet)).collect();
        let low = cut.iter().fold(DVec2::INFINITY, |m, p| m.min(*p));
        let high = cut.iter().fold(DVec2::NEG_INFINITY, |m, p| m.max(*p));
        edges.iter_mut().chain(&mut lines).flatten().chain(&mut cut).for_each(|p| *p -= low);
        notches.iter_mut().flatten().for_each(|p| *p -= low);
        Self { size: high - low, edges, lines, notches, cut }
    }

    /// Draws it with its box at `shift` (mm, y down).
    pub(super) fn draw(&self, out: &mut String, panel: &Panel, shift: [f64; 2]) {
        let name = escaped(&panel.name);
        let _ = writeln!(out, "<g id=\"{name}\" transform=\"translate({:.2} {:.2})\">", shift[0], shift[1]);
        self.path(out, "cut", &self.cut, true);
        let sewing: Vec<DVec2> = self.edges.iter().flat_map(|e| e[..e.len() - 1].iter().copied()).collect();
        self.path(out, "sew", &sewing, true);
        for (line, points) in panel.lines.iter().zip(&self.lines) {
            let class = if matches!(line.kind, LineKind::Fold { .. }) { "fold" } else { "line" };
            self.path(out, class, points, false);
        }
        for notch in &self.notches {
            self.path(out, "notch", notch, false);
        }
        for (e, edge) in panel.outline.iter().enumerate() {
            self.label(out, e, edge.label.as_deref());
        }
        self.middle(out, panel, &sewing);
        out.push_str("</g>\n");
    }

    /// A point in millimetres of the group, y down.
    fn mm(&self, p: DVec2) -> DVec2 {
        DVec2::new(1000.0 * p.x, 1000.0 * (self.size.y - p.y))
    }

    fn path(&self, out: &mut String, class: &str, points: &[DVec2], closed: bool) {
        let _ = write!(out, "<path class=\"{class}\" d=\"M");
        for p in points {
            let p = self.mm(*p);
            let _ = write!(out, " {:.2},{:.2}", p.x, p.y);
        }
        let _ = writeln!(out, "{}\"/>", if closed { " Z" } else { "" });
    }

    /// Number and label of an edge, inside along its middle; nothing on edges that are too short.
    fn label(&self, out: &mut String, e: usize, label: Option<&str>) {
        let points = &self.edges[e];
        let length: f64 = points.windows(2).map(|w| w[0].distance(w[1])).sum();
        let half = (points.len() - 1) / 2;
        let (a, b) = (points[half], points[half + 1]);
        if length < 0.012 {
            return;
        }
        let text = match label {
            Some(label) if length > 0.0028 * label.len() as f64 + 0.01 => format!("{e} {}", escaped(label)),
            _ => e.to_string(),
        };
        let inside = if self.clockwise() { -(b - a).perp() } else { (b - a).perp() }.normalize_or_zero();
        let at = self.mm(a.midpoint(b) + inside * 0.0055);
        let along = self.mm(b) - self.mm(a);
        let mut angle = along.y.atan2(along.x).to_degrees();
        if angle.abs() > 90.0 {
            angle -= 180.0 * angle.signum();
        }
        let _ = writeln!(
            out,
            "<text class=\"edge\" dominant-baseline=\"central\" transform=\"translate({:.2} {:.2}) rotate({angle:.1})\">{text}</text>",
            at.x, at.y
        );
    }

    /// Mirrored panels run clockwise on the sheet.
    fn clockwise(&self) -> bool {
        let area: f64 = self.edges.iter().flat_map(|e| e.windows(2)).map(|w| w[0].perp_dot(w[1])).sum();
        area < 0.0
    }

    /// Name and grain, where there is most room.
    fn middle(&self, out: &mut String, panel: &Panel, outline: &[DVec2]) {
        let (centre, room) = widest(outline, self.size);
        let at = self.mm(centre);
        let half = (0.35 * 1000.0 * self.size.y).clamp(10.0, 90.0).min(1400.0 * room).max(8.0);
        let (x, top, bottom) = (at.x, at.y - half, at.y + half);
        let _ = writeln!(
            out,
            "<path class=\"grain\" d=\"M {x:.2},{bottom:.2} V {top:.2} m -2.5,6 l 2.5,-6 l 2.5,6 M {x:.2},{bottom:.2} m -2.5,-6 l 2.5,6 l 2.5,-6\"/>",
        );
        let name = escaped(&panel.name);
        // Beside the arrow, as large as fits.
        let size = (1400.0 * room / panel.name.chars().count().max(4) as f64).clamp(3.0, 11.0);
        let fabric = panel.fabric.as_ref().map_or_else(String::new, |f| format!(", {}", escaped(f)));
        let _ = writeln!(
            out,
            "<text class=\"name head\" style=\"font-size:{size:.1}px\" x=\"{x:.2}\" y=\"{:.2}\">{name}</text>\n\
             <text class=\"note head\" style=\"font-size:{:.1}px\" x=\"{x:.2}\" y=\"{:.2}\">cut 1{fabric}</text>",
            at.y,
            0.55 * size,
            at.y + 0.8 * size,
            x = x + 0.4 * size,
        );
    }
}

/// First edge of a dart of a panel: two edges that follow each other, sewn tip to tip.
fn dart(seam: &Seam, panel: usize, count: usize) -> Option<usize> {
    let ([a], [b]) = (&seam.sides[0][..], &seam.sides[1][..]) else { return None };
    let (Of::Edge(e), Of::Edge(f)) = (a.of, b.of) else { return None };
    let own = a.panel == panel && b.panel == panel;
    let (first, second) = (e.min(f), e.max(f));
    let tip = (first, second) == (e, f) && a.to == 1.0 && b.to == 0.0
        || (first, second) == (f, e) && b.to == 1.0 && a.to == 0.0;
    (own && second == first + 1 && second < count && tip).then_some(first)
}

/// A mark from the sewing line to the cutting line.
fn notch(panel: &Panel, edge: usize, at: f64, turn: &Turn, sheet: &Sheet) -> [DVec2; 2] {
    let path = panel.edge_path(edge);
    let (a, b) = (path.at((at - 1e-3).max(0.0)), path.at((at + 1e-3).min(1.0)));
    let sign = panel.signed_area().signum();
    let outside = -(b - a).perp().normalize_or_zero() * sign;
    let foot = path.at(at);
    [foot, foot + outside * sheet.allowance.max(0.004)].map(|p| turn.apply(p))
}

/// The point of a grid over the box that is furthest inside, and how far (m).
fn widest(outline: &[DVec2], size: DVec2) -> (DVec2, f64) {
    const GRID: usize = 24;
    let mut best = (0.5 * size, 0.0);
    for k in 0..GRID * GRID {
        let cell = DVec2::new((k % GRID) as f64 + 0.5, (k / GRID) as f64 + 0.5);
        let p = cell / GRID as f64 * size;
        let (mut inside, mut room) = (false, f64::INFINITY);
        let mut last = outline[outline.len() - 1];
        for &next in outline {
            let along = next - last;
            let t = ((p - last).dot(along) / along.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
            room = room.min((last + along * t).distance(p));
            if (last.y > p.y) != (next.y > p.y) && p.x < last.x + along.x * (p.y - last.y) / along.y {
                inside = !inside;
            }
            last = next;
        }
        if inside && room > best.1 {
            best = (p, room);
        }
    }
    best
}
