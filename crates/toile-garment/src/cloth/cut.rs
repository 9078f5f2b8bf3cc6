//! Panels meshed and placed.

use super::divide::{Division, Key, divide};
use super::stand::{Stand, stands};
use super::ties::tied;
use super::{Cloth, Cut, Join, Trail, Weave};
use crate::body::Figures;
use crate::meshing::{Boundary, MeshingError, Options, Shape};
use crate::pattern::{Garment, Of, Panel};
use glam::DVec2;
use std::collections::{BTreeMap, BTreeSet};
use toile_core::mesh::Mesh;

/// Why a garment could not be cut.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CutError {
    /// A panel cannot be meshed.
    #[error("panel `{panel}`: {error}")]
    Panel {
        /// Its name.
        panel: String,
        /// Why.
        error: MeshingError,
    },
    /// A panel that is wrapped round a body needs the body.
    #[error("panel `{panel}` is placed at `{point}` of a body, and there is none")]
    NoBody {
        /// Its name.
        panel: String,
        /// Arrangement point.
        point: String,
    },
    /// The edge length is no length.
    #[error("an edge length of {edge} m: must be more than 0")]
    Edge {
        /// As told (m).
        edge: f64,
    },
    /// The sides of a seam cannot be divided alike.
    #[error(
        "seam `{seam}`: its sides are cut into {} and {} pieces by what else is sewn there; sew each part of an edge to one place only",
        pieces[0], pieces[1]
    )]
    Seam {
        /// Its name.
        seam: String,
        /// Pieces of the two sides.
        pieces: [usize; 2],
    },
    /// An arrangement point that no body has.
    #[error(
        "panel `{panel}` is placed at `{point}`, which is no arrangement point: torso-front, torso-back, arm-left, arm-right, \
         leg-left-front, leg-left-back, leg-right-front, leg-right-back, neck-back, shoulders-front, \
         shoulders-back, waist-front, waist-back"
    )]
    Point {
        /// Panel.
        panel: String,
        /// As told.
        point: String,
    },
}

/// Cuts all panels into triangles of about an edge length (m) and puts them where they start. The garment must be sound
/// ([`Garment::problems`]); panels that are wrapped need the figures of the body.
pub fn cut(garment: &Garment, body: Option<&Figures>, edge: f64) -> Result<Cut, CutError> {
    // More than a tenth of a micrometre also keeps the count of vertices in bounds; meshing has limits of its own.
    if !(edge > 1e-7 && edge.is_finite()) {
        return Err(CutError::Edge { edge });
    }
    let division = divide(garment, edge)?;
    let mut cut = Cut { stands: stands(garment, body)?, ..Cut::default() };
    let mut numbers: BTreeMap<Key, Vec<u32>> = BTreeMap::new();
    for (p, panel) in garment.panels.iter().enumerate() {
        let first = cut.cloth.mesh.positions.len() as u32;
        let error = |error| CutError::Panel { panel: panel.name.clone(), error };
        let meshed = mesh(panel, p, &division, edge).map_err(error)?;
        let vertex_of: BTreeMap<[u64; 2], u32> =
            (0..).zip(&meshed.positions).map(|(v, x)| (bits(DVec2::new(x.x, -x.z)), first + v)).collect();
        for (key, points) in division.points.iter().filter(|(key, _)| key.0 == p) {
            let vertices = points.iter().map(|p| vertex_of.get(&bits(*p)).copied());
            numbers.insert(*key, vertices.map(|v| v.unwrap_or(u32::MAX)).collect());
        }
        let stand = cut.stands[p];
        cut.cloth.add(panel, p as u32, &stand, &meshed, &trails(p, panel, &division, &numbers));
        cut.vertices.push(first..cut.cloth.mesh.positions.len() as u32);
    }
    let mut known = BTreeSet::new();
    let is_tied = tied(garment);
    for (seam, ends) in &division.joins {
        let ends = ends.map(|(key, k)| numbers[&key][k]);
        let sorted = [ends[0].min(ends[1]), ends[0].max(ends[1])];
        if ends[0] != ends[1] && known.insert(sorted) {
            let list = if is_tied[*seam as usize] { &mut cut.ties } else { &mut cut.joins };
            list.push(Join { seam: *seam, ends });
        }
    }
    Ok(cut)
}

fn bits(p: DVec2) -> [u64; 2] {
    // Adding zero turns −0 into 0, as meshing does.
    let p = p + DVec2::ZERO;
    [p.x.to_bits(), p.y.to_bits()]
}

/// The flat mesh of a panel; facing +y where its outline runs counter-clockwise.
fn mesh(panel: &Panel, number: usize, division: &Division, edge: f64) -> Result<Mesh, MeshingError> {
    let along = |of: Of| &division.points[&(number, of)];
    let mut outline = Vec::new();
    for e in 0..panel.outline.len() {
        let points = along(Of::Edge(e));
        outline.extend_from_slice(&points[..points.len() - 1]);
    }
    let lines = (0..panel.lines.len()).map(|l| along(Of::Line(l)).clone()).collect();
    let shape = Shape { outline, lines, boundary: Boundary::Kept, ..Shape::default() };
    shape.mesh(&Options { grain: panel.grain, ..Options::of_edge(edge) })
}

/// Which part of which edge or line lies between two vertices.
fn trails(
    number: usize,
    panel: &Panel,
    division: &Division,
    numbers: &BTreeMap<Key, Vec<u32>>,
) -> BTreeMap<[u32; 2], Trail> {
    let mut trails = BTreeMap::new();
    let edges = (0..panel.outline.len()).map(Of::Edge);
    for of in edges.chain((0..panel.lines.len()).map(Of::Line)) {
        let (fractions, vertices) = (&division.fractions[&(number, of)], &numbers[&(number, of)]);
        for (f, v) in fractions.windows(2).zip(vertices.windows(2)) {
            // Edges come first: a coarse line may lie along one.
            trails.entry([v[0], v[1]]).or_insert(Trail { of, from: f[0], to: f[1] });
            trails.entry([v[1], v[0]]).or_insert(Trail { of, from: f[1], to: f[0] });
        }
    }
    trails
}

impl Cloth {
    /// Adds the mesh of a panel where the panel starts.
    fn add(&mut self, panel: &Panel, number: u32, stand: &Stand, meshed: &Mesh, trails: &BTreeMap<[u32; 2], Trail>) {
        let first = self.mesh.positions.len() as u32;
        let flat: Vec<DVec2> = meshed.positions.iter().map(|x| DVec2::new(x.x, -x.z)).collect();
        self.mesh.positions.extend(flat.iter().map(|p| stand.place(*p)));
        let weave = Weave::of(panel);
        self.weaves.push(weave);
        for corners in &meshed.triangles {
            let order = if weave.faces_back { [0, 2, 1] } else { [0, 1, 2] };
            let corners = order.map(|k| corners[k]);
            let numbers = corners.map(|v| first + v);
            self.mesh.triangles.push(numbers);
            self.mesh.material.push(corners.map(|v| weave.material(flat[v as usize])));
            self.flat.push(corners.map(|v| flat[v as usize]));
            self.panels.push(number);
            self.sides.push([0, 1, 2].map(|k| trails.get(&[numbers[k], numbers[(k + 1) % 3]]).copied()));
        }
    }
}
