//! A pattern redrawn beneath its mesh: panels change shape, the cloth stays where it is.
//!
//! Every vertex of a panel is a weighted sum of the points that draw it. Those on edges and lines are at the same fraction of the new
//! edge or line. The others move by the harmonic extension of that (Joshi07): weights that are the discrete harmonic functions of the flat
//! mesh, so that any affine change is reproduced, and that go round the slit of a dart, not across it. The weights are never
//! stored: one sparse solve for each panel that changed has all of them in it.

use super::{Cloth, Weave};
use crate::pattern::{Garment, Of, Panel, Path};
use crate::sparse::factorised;
use glam::DVec2;
use std::collections::BTreeMap;

/// A triangle that keeps less than this part of its flat area counts as turned over: no mechanics rests on it.
const SQUASHED: f64 = 1e-3;

/// Why a mesh cannot follow its pattern. What helps is always to cut anew and to carry the places over ([`Cloth::carry`]).
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MappingError {
    /// Other panels.
    #[error("the new pattern has other panels: {new} instead of {old}; cut it anew")]
    Panels {
        /// Names as the mesh knows them.
        old: String,
        /// Names now.
        new: String,
    },
    /// Other edges or lines.
    #[error("panel `{panel}` now has {new} {what} instead of {old}: cut it anew")]
    Parts {
        /// Which panel.
        panel: String,
        /// `edges` or `lines`.
        what: &'static str,
        /// How many the mesh knows.
        old: usize,
        /// How many there are.
        new: usize,
    },
    /// Other seams.
    #[error("seam `{seam}` is new, gone or joins other parts: cut the garment anew")]
    Seam {
        /// Which seam.
        seam: String,
    },
    /// The cloth was not cut from the old pattern.
    #[error("the mesh of panel `{panel}` was not cut from this pattern")]
    Stranger {
        /// Which panel.
        panel: String,
    },
    /// A triangle would lie on its other side, or be flat.
    #[error(
        "panel `{panel}` changes too much for its mesh: a triangle near ({:.1}, {:.1}) cm would turn over; cut it anew",
        100.0 * at.x, 100.0 * at.y
    )]
    TurnedOver {
        /// Which panel.
        panel: String,
        /// Place on the new panel (m).
        at: DVec2,
    },
    /// The solve failed, which takes a mesh with flat triangles.
    #[error("panel `{panel}`: {reason}")]
    Solver {
        /// Which panel.
        panel: String,
        /// What the solver says.
        reason: String,
    },
}

impl Cloth {
    /// The same mesh at the same places in space, its flat shapes those of another drawing of its pattern: same panels, edges, lines and seams,
    /// points and curves elsewhere.
    ///
    /// The new pattern must be sound ([`Garment::problems`]). Of many edits in a row each is best mapped from the cloth as it was cut: there
    /// and back is then nowhere, while a chain of edits lets inner vertices drift.
    pub fn redrawn(&self, old: &Garment, new: &Garment) -> Result<Self, MappingError> {
        same_parts(old, new)?;
        let mut cloth = self.clone();
        if self.weaves.len() != old.panels.len() {
            let panel = old.panels.last().map_or_else(String::new, |p| p.name.clone());
            return Err(MappingError::Stranger { panel });
        }
        for (number, panel) in new.panels.iter().enumerate() {
            let sheet = Sheet::of(self, number as u32);
            let places = sheet.moved(panel)?;
            let weave = Weave { turn: Weave::of(panel).turn, ..self.weaves[number] };
            cloth.weaves[number] = weave;
            for (t, corners) in &sheet.triangles {
                let flat = corners.map(|v| places[v as usize]);
                if !(area(&flat) / area(&self.flat[*t]) > SQUASHED) {
                    let at = (flat[0] + flat[1] + flat[2]) / 3.0;
                    return Err(MappingError::TurnedOver { panel: panel.name.clone(), at });
                }
                cloth.flat[*t] = flat;
                cloth.mesh.material[*t] = flat.map(|p| weave.material(p));
            }
        }
        Ok(cloth)
    }
}

fn area([a, b, c]: &[DVec2; 3]) -> f64 {
    0.5 * (*b - *a).perp_dot(*c - *a)
}

fn same_parts(old: &Garment, new: &Garment) -> Result<(), MappingError> {
    let names = |g: &Garment| g.panels.iter().map(|p| p.name.clone()).collect::<Vec<_>>();
    if names(old) != names(new) {
        return Err(MappingError::Panels { old: names(old).join(", "), new: names(new).join(", ") });
    }
    for (a, b) in old.panels.iter().zip(&new.panels) {
        let parts = [("edges", a.outline.len(), b.outline.len()), ("lines", a.lines.len(), b.lines.len())];
        if let Some(&(what, old, new)) = parts.iter().find(|(_, old, new)| old != new) {
            return Err(MappingError::Parts { panel: a.name.clone(), what, old, new });
        }
    }
    let count = old.seams.len().max(new.seams.len());
    for (a, b) in (0..count).map(|s| (old.seams.get(s), new.seams.get(s))) {
        if a.map(|s| &s.sides) != b.map(|s| &s.sides) {
            let seam = a.or(b).map_or_else(String::new, |s| s.name.clone());
            return Err(MappingError::Seam { seam });
        }
    }
    Ok(())
}

/// The flat mesh of one panel. A vertex of sewn cloth can have several places on a panel, so places are numbered, not vertices.
#[derive(Default)]
struct Sheet {
    places: Vec<DVec2>,
    /// Number in the cloth, and places of the corners.
    triangles: Vec<(usize, [u32; 3])>,
    /// Fraction of the edge or line a place is on.
    held: Vec<Option<(Of, f64)>>,
}

impl Sheet {
    fn of(cloth: &Cloth, panel: u32) -> Self {
        let mut sheet = Self::default();
        let mut numbers = BTreeMap::new();
        for t in (0..cloth.panels.len()).filter(|t| cloth.panels[*t] == panel) {
            let corners = cloth.flat[t].map(|p| {
                *numbers.entry([p.x.to_bits(), p.y.to_bits()]).or_insert_with(|| {
                    sheet.places.push(p);
                    sheet.held.push(None);
                    sheet.places.len() as u32 - 1
                })
            });
            sheet.triangles.push((t, corners));
            for (k, trail) in cloth.sides[t].iter().enumerate() {
                let Some(trail) = trail else { continue };
                sheet.hold(corners[k], trail.of, trail.from);
                sheet.hold(corners[(k + 1) % 3], trail.of, trail.to);
            }
        }
        sheet
    }

    /// Lines that end on the outline end there whatever becomes of them.
    fn hold(&mut self, place: u32, of: Of, at: f64) {
        let held = &mut self.held[place as usize];
        if !matches!(held, Some((Of::Edge(_), _))) {
            *held = Some((of, at));
        }
    }

    /// Places on another drawing of the panel.
    fn moved(&self, panel: &Panel) -> Result<Vec<DVec2>, MappingError> {
        let mut paths: BTreeMap<Of, Path> = BTreeMap::new();
        let mut moves = vec![DVec2::ZERO; self.places.len()];
        let mut places = self.places.clone();
        for (v, held) in self.held.iter().enumerate() {
            let Some((of, at)) = *held else { continue };
            let count = if matches!(of, Of::Edge(_)) { panel.outline.len() } else { panel.lines.len() };
            let (Of::Edge(part) | Of::Line(part)) = of;
            if part >= count {
                return Err(MappingError::Stranger { panel: panel.name.clone() });
            }
            places[v] = paths.entry(of).or_insert_with(|| panel.path(of)).at(at);
            moves[v] = places[v] - self.places[v];
        }
        if moves.iter().any(|m| *m != DVec2::ZERO) {
            self.spread(&mut moves).map_err(|reason| MappingError::Solver { panel: panel.name.clone(), reason })?;
            for v in (0..places.len()).filter(|v| self.held[*v].is_none()) {
                places[v] += moves[v];
            }
        }
        Ok(places)
    }

    /// Moves of the free places as smooth as can be: K_ff m_f = −K_fh m_h, with K the stiffness of linear triangles (cotangents).
    fn spread(&self, moves: &mut [DVec2]) -> Result<(), String> {
        let mut row = vec![u32::MAX; self.places.len()];
        let free: Vec<usize> = (0..row.len()).filter(|v| self.held[*v].is_none()).collect();
        free.iter().zip(0..).for_each(|(v, k)| row[*v] = k);
        if free.is_empty() {
            return Ok(());
        }
        let mut columns: Vec<Vec<(u32, f64)>> = vec![Vec::new(); free.len()];
        let mut right = [vec![0.0; free.len()], vec![0.0; free.len()]];
        for (_, corners) in &self.triangles {
            for k in 0..3 {
                let [i, j, o] = [0, 1, 2].map(|s| corners[(k + s) % 3] as usize);
                let (a, b) = (self.places[i] - self.places[o], self.places[j] - self.places[o]);
                let weight = 0.5 * a.dot(b) / a.perp_dot(b).abs();
                for (from, to) in [(i, j), (j, i)] {
                    if row[from] == u32::MAX {
                        continue;
                    }
                    columns[row[from] as usize].push((row[from], weight));
                    if row[to] == u32::MAX {
                        right[0][row[from] as usize] += weight * moves[to].x;
                        right[1][row[from] as usize] += weight * moves[to].y;
                    } else if row[to] < row[from] {
                        columns[row[from] as usize].push((row[to], -weight));
                    }
                }
            }
        }
        let mut factor = factorised(columns).map_err(|e| format!("{e:?}"))?;
        right.iter_mut().for_each(|axis| factor.solve(axis));
        free.iter().enumerate().for_each(|(k, v)| moves[*v] = DVec2::new(right[0][k], right[1][k]));
        Ok(())
    }
}
