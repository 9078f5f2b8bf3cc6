//! What is sewn into a garment beside its seams: folds, stiff seams, tapes, buttons, layers on lines, and edges that are held.
//!
//! All of it is made anew for each level of triangles, from the pattern and the trails that sides of triangles have on its edges and lines:
//!
//! | of the pattern | for the mechanics |
//! |---|---|
//! | fold lines, seams pressed to an angle | creases: hinges with a rest angle, as stiff as the fabric |
//! | stiffness of a seam | bending rigidity of the triangles within the seam allowance |
//! | tapes | springs along sides of triangles |
//! | buttons | ties between points of triangles |
//! | pockets, third layers in a seam | ties between vertices, one for contact |
//! | attachments | catches: vertices that may not sink further than 6 cm |
//! | free edges attached to the waist | stays: springs that keep them as long as they were cut |

mod allowance;
mod hold;
mod sides;
mod stay;

pub(super) use hold::{Grip, Holds};

use crate::cloth::Cloth;
use crate::pattern::{Garment, LineKind, Of, Span, Tape};
use glam::DVec3;
use sides::Sides;
use std::collections::BTreeMap;
use std::f64::consts::PI;
use toile_contact::certify::{Certificate, certify};
use toile_contact::shapes::Shapes;
use toile_core::bending::Crease;
use toile_core::fabric::Material;
use toile_core::force::{Catches, Force, Pull, Tie, Ties};
use toile_core::lane::Level;
use toile_core::law::{Linear, LinearError};
use toile_core::membrane::{Spring, Springs};
use toile_core::mesh::{Mesh, Topology};
use toile_core::system::Builder;

/// What attachments to the waist say they belong to.
pub(super) const WAIST: &str = "waist";
/// Largest angle of a fold (rad): beyond it the two sides of one edge length would lie in each other, cloth has a thickness.
const FLATTEST: f64 = 170.0 / 180.0 * PI;
/// How a button pulls (N/m, N): shut against the weight of a garment, and from afar no harder than a hand.
const BUTTON: Pull = Pull { stiffness: 5e3, most: 5.0 };
/// How a button pulls while seams are closed (N/m, N): it keeps what it buttons together and on its side, no harder than stitches do.
const FASTENED: Pull = Pull { stiffness: 200.0, most: 1.0 };
/// How layers are held on each other (N/m, N): a tenth of a newton opens them by ten micrometres.
const LAYER: Pull = Pull { stiffness: 1e4, most: 100.0 };

/// A side of a triangle that folds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fold {
    /// Its ends, the smaller first.
    ends: [u32; 2],
    /// Rest angle (rad), positive towards the outside of the mesh.
    angle: f64,
}

/// Everything of a garment on one level of triangles.
#[derive(Default)]
pub(super) struct Notions {
    creases: Vec<Crease>,
    factors: Vec<f64>,
    tapes: Vec<(f64, Vec<Spring>)>,
    buttons: Vec<Tie>,
    layers: Vec<[u32; 2]>,
    catches: Catches,
    /// The same number for vertices that lie on each other; empty where none do.
    joined: Vec<u32>,
    /// Distance (m) up to which buttons are loose.
    shank: f64,
}

impl Notions {
    /// What a garment of a fabric so thick (m) has on some cloth.
    pub(super) fn new(garment: &Garment, cloth: &Cloth, holds: (&Holds, Grip), thickness: f64) -> Self {
        let sides = Sides::of(cloth);
        let mut folds = line_folds(garment, cloth, &sides);
        folds.extend(seam_folds(garment, cloth, &sides));
        let stays = (stay::STIFFNESS, stay::springs(garment, &sides));
        let tapes = garment.tapes.iter().map(|tape| (tape.stiffness, springs(tape, &sides)));
        Self {
            creases: creases(&cloth.mesh, &folds),
            factors: allowance::factors(garment, cloth, &sides),
            tapes: tapes.chain([stays]).collect(),
            buttons: garment.buttons.iter().filter_map(|b| sides::button(cloth, b)).collect(),
            layers: cloth.ties.clone(),
            catches: holds.0.catches(&sides, holds.1),
            joined: cloth.joined(),
            shank: thickness,
        }
    }

    /// Adds all of it to a system whose last sheet is the cloth, its vertices numbered from `first` on.
    pub(super) fn add_to<'a>(&self, mut builder: Builder<'a>, first: u32) -> Result<Builder<'a>, LinearError> {
        for crease in &self.creases {
            builder = builder.crease(*crease);
        }
        if !self.factors.is_empty() {
            builder = builder.bending_factors(self.factors.clone());
        }
        for (stiffness, springs) in self.tapes.iter().filter(|t| !t.1.is_empty() && t.0 > 0.0) {
            builder = builder.force(tape_force(*stiffness, springs, first)?);
        }
        if !self.buttons.is_empty() {
            let ties = self.buttons.iter().map(|tie| tie.numbered_from(first)).collect();
            builder = builder.force(Box::new(Ties::new(ties, BUTTON, self.shank)));
        }
        if !self.layers.is_empty() {
            let tie = |[a, b]: &[u32; 2]| Tie::new(&[(a + first, 1.0)], &[(b + first, 1.0)]);
            builder = builder.force(Box::new(Ties::new(self.layers.iter().map(tie).collect(), LAYER, 0.0)));
        }
        if !self.catches.all.is_empty() {
            let mut catches = self.catches.clone();
            catches.all.iter_mut().for_each(|c| c.node += first);
            builder = builder.force(Box::new(catches));
        }
        Ok(builder)
    }

    /// The same number for vertices that count as one for contact; empty where none do.
    pub(super) fn joined(&self) -> &[u32] {
        &self.joined
    }

    /// Upright force of the attachments (N) with the cloth at some positions.
    pub(super) fn held(&self, positions: &[DVec3]) -> f64 {
        self.catches.all.iter().map(|c| c.force(positions)).sum()
    }

    /// The widest gap (m) between layers that are held on each other.
    pub(super) fn layer_gap(&self, positions: &[DVec3]) -> f64 {
        let gap = |[a, b]: &[u32; 2]| positions[*a as usize].distance(positions[*b as usize]);
        self.layers.iter().map(gap).fold(0.0, f64::max)
    }

    /// The widest gap (m) between a button and its hole beyond the thickness.
    pub(super) fn button_gap(&self, positions: &[DVec3]) -> f64 {
        self.buttons.iter().map(|tie| tie.offset(positions).length() - self.shank).fold(0.0, f64::max)
    }
}

/// The certificate of cloth whose joined vertices are one vertex, in the middle of what they are: as if they had been welded. No pair is left out.
pub(super) fn certify_joined(shapes: &Shapes, positions: &[DVec3]) -> Certificate {
    if shapes.joined.is_empty() {
        return certify(shapes, positions);
    }
    let mut sums: BTreeMap<u32, (u32, DVec3, f64)> = BTreeMap::new();
    for (v, number) in shapes.joined.iter().enumerate() {
        let sum = sums.entry(*number).or_insert((v as u32, DVec3::ZERO, 0.0));
        sum.1 += positions[v];
        sum.2 += 1.0;
    }
    let one = |v: u32| shapes.joined.get(v as usize).map_or(v, |number| sums[number].0);
    let mut places = positions.to_vec();
    for &(v, sum, count) in sums.values() {
        places[v as usize] = sum / count;
    }
    let mut welded = Shapes { joined: Vec::new(), ..shapes.clone() };
    welded.triangles.iter_mut().for_each(|t| *t = t.map(one));
    welded.edges.iter_mut().for_each(|e| *e = e.map(one));
    certify(&welded, &places)
}

/// Sides along the fold lines of panels. What is sewn on right side to wrong side was turned over, and its folds with it.
pub(super) fn line_folds(garment: &Garment, cloth: &Cloth, sides: &Sides) -> Vec<Fold> {
    let mut folds = Vec::new();
    for (panel, piece) in garment.panels.iter().enumerate() {
        for (line, drawn) in piece.lines.iter().enumerate() {
            let LineKind::Fold { angle } = drawn.kind else { continue };
            let whole = Span { panel, of: Of::Line(line), from: 0.0, to: 1.0 };
            folds.extend(folds_along(garment, cloth, sides, &whole, angle));
        }
    }
    folds
}

/// Sides along seams that are pressed to an angle.
fn seam_folds(garment: &Garment, cloth: &Cloth, sides: &Sides) -> Vec<Fold> {
    let pressed = garment.seams.iter().filter(|s| s.fold != 0.0);
    let spans = pressed.flat_map(|s| s.sides[0].iter().map(|span| (s.fold, span)));
    spans.flat_map(|(angle, span)| folds_along(garment, cloth, sides, span, angle)).collect()
}

fn folds_along(garment: &Garment, cloth: &Cloth, sides: &Sides, span: &Span, angle: f64) -> Vec<Fold> {
    let right = garment.panels[span.panel].signed_area().signum();
    let angle = angle.clamp(-FLATTEST, FLATTEST);
    let fold = |side: &sides::Side| {
        let [a, b, c] = cloth.flat[side.triangle];
        let is_turned = (b - a).perp_dot(c - a) * right < 0.0;
        Fold { ends: side.sorted(), angle: if is_turned { -angle } else { angle } }
    };
    sides.along(span).into_iter().map(fold).collect()
}

/// Folds as creases of a mesh, where they are inside it; one to a side.
pub(super) fn creases(mesh: &Mesh, folds: &[Fold]) -> Vec<Crease> {
    if folds.is_empty() {
        return Vec::new();
    }
    let Ok(topology) = Topology::new(mesh) else { return Vec::new() };
    let mut found: BTreeMap<u32, f64> = BTreeMap::new();
    for fold in folds {
        let sorted = |e: &toile_core::mesh::Edge| [e.vertices[0].min(e.vertices[1]), e.vertices[0].max(e.vertices[1])];
        // Edges are sorted by their ends.
        let Ok(edge) = topology.edges.binary_search_by_key(&fold.ends, sorted) else { continue };
        if topology.edges[edge].triangles[1] != Topology::NONE {
            found.entry(edge as u32).or_insert(fold.angle);
        }
    }
    found.into_iter().map(|(edge, rest_angle)| Crease { edge, stiffness: f64::INFINITY, rest_angle }).collect()
}

impl Fold {
    /// The same among vertices of which `first` is number 0; none if it is not among `count` of them.
    pub(super) fn among(&self, first: u32, count: u32) -> Option<Self> {
        let is_own = self.ends.iter().all(|v| (first..first + count).contains(v));
        is_own.then(|| Self { ends: self.ends.map(|v| v - first), ..*self })
    }
}

/// Fold lines of cut cloth: they fold while the garment is sewn, so that pleats lie the right way.
pub(super) fn folds_of(garment: &Garment, cloth: &Cloth) -> Vec<Fold> {
    line_folds(garment, cloth, &Sides::of(cloth))
}

/// Buttons of cut cloth so thick (m). They are shut before the garment is sewn: open fronts would be drawn round the body to where neither can
/// find its way over the other again.
pub(super) fn fastened(garment: &Garment, cloth: &Cloth, thickness: f64) -> Ties {
    let ties = garment.buttons.iter().filter_map(|b| sides::button(cloth, b)).collect();
    Ties::new(ties, FASTENED, thickness)
}

/// Springs of a tape, each as long as its side of the panel times the ratio.
fn springs(tape: &Tape, sides: &Sides) -> Vec<Spring> {
    let spans = tape.spans.iter().flat_map(|span| sides.along(span));
    spans.map(|side| Spring::of_line(side.ends, tape.ratio * side.length)).collect()
}

fn tape_force(stiffness: f64, springs: &[Spring], first: u32) -> Result<Box<dyn Force>, LinearError> {
    let law = Linear::orthotropic(stiffness, stiffness, stiffness, 0.0)?;
    let springs: Vec<Spring> = springs.iter().map(|s| Spring::of_line(s.ends.map(|v| v + first), s.length)).collect();
    let count = springs.iter().flat_map(|s| s.ends).max().map_or(0, |v| v as usize + 1);
    let material = Material::elastic(law.clone());
    // An elastic law has no memory that could be refused.
    let force = Springs::new("tape", count, springs, law, &material, Level::detect()).expect("no memory");
    Ok(Box::new(force))
}

#[cfg(test)]
mod tests;
