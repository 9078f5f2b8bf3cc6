//! How a garment fits: strain and tension of its panels, pull on its seams, pressure on the skin.

use super::{DressError, Inputs, Outcome};
use glam::{DVec2, DVec3};
use serde::Serialize;
use toile_garment::cloth::Cloth;
use toile_garment::pattern::{Garment, Span};
use toile_io::surface::Surface;

/// Normal force (N) from which on a body vertex counts as touched: a thousandth of the weight of a square centimetre of cloth.
const TOUCH: f64 = 1e-6;

/// Numbers of all triangles by share of their rest area.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Percentiles {
    /// Five per cent of the area have less.
    pub p05: f64,
    /// The median.
    pub p50: f64,
    /// Five per cent have more.
    pub p95: f64,
    /// One per cent has more.
    pub p99: f64,
}

/// One panel.
#[derive(Clone, Debug, PartialEq)]
pub struct PanelFigures {
    /// Its name.
    pub name: String,
    /// Flat area (m²).
    pub area: f64,
    /// Green strain of weft, warp and shear.
    pub strain: [Percentiles; 3],
    /// Stress (N/m) of weft, warp and shear.
    pub tension: [Percentiles; 3],
}

/// One seam.
#[derive(Clone, Debug, PartialEq)]
pub struct SeamFigures {
    /// Its name.
    pub name: String,
    /// Flat length of its two sides (m).
    pub flat: [f64; 2],
    /// Length on the body (m).
    pub worn: f64,
    /// Tension across it (N/m), mean along both sides. Positive pulls it open.
    pub pull: f64,
    /// Its largest value.
    pub largest_pull: f64,
}

/// The skin under the garment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skin {
    /// Pressure at the vertices of the body (Pa).
    pub pressure: Vec<f64>,
    /// Area that is touched (m²).
    pub touched: f64,
    /// Pressure (Pa) by share of the touched area.
    pub percentiles: Percentiles,
    /// Largest pressure (Pa).
    pub largest: f64,
}

/// All of it.
#[derive(Clone, Debug)]
pub struct Figures {
    /// Green strain of weft, warp and shear for each triangle.
    pub strains: Vec<[f64; 3]>,
    /// Stress (N/m) likewise.
    pub stresses: Vec<[f64; 3]>,
    /// Strain over the whole garment.
    pub strain: [Percentiles; 3],
    /// Mass (kg).
    pub mass: f64,
    /// Panel by panel.
    pub panels: Vec<PanelFigures>,
    /// Seam by seam.
    pub seams: Vec<SeamFigures>,
    /// Under it.
    pub skin: Skin,
    /// Digest of where all vertices are: equal bytes give equal digests.
    pub digest: String,
}

impl Figures {
    /// Measures a draped garment.
    pub fn of(inputs: &Inputs, outcome: &Outcome) -> Result<Self, DressError> {
        let cloth = &outcome.cloth;
        // The same models as the last level settled with.
        let system = inputs.system(cloth)?;
        let state = system.initial_state();
        let states = system.triangle_states(&state);
        let strains: Vec<[f64; 3]> = states.iter().map(|s| s.strain).collect();
        let stresses: Vec<[f64; 3]> = states.iter().map(|s| s.stress).collect();
        let areas: Vec<f64> = (0..strains.len()).map(|t| cloth.mesh.rest_area(t)).collect();
        let panel = |(p, name): (usize, &String)| {
            let own: Vec<usize> = (0..areas.len()).filter(|t| cloth.panels[*t] as usize == p).collect();
            PanelFigures {
                name: name.clone(),
                area: own.iter().map(|t| areas[*t]).sum(),
                strain: by_mode(&strains, &areas, &own),
                tension: by_mode(&stresses, &areas, &own),
            }
        };
        let all: Vec<usize> = (0..areas.len()).collect();
        let garment = &inputs.garment;
        let names: Vec<&String> = garment.panels.iter().map(|p| &p.name).collect();
        let on_body = outcome.draped.settled.last().map_or(&[][..], |s| &s.on_body);
        Ok(Self {
            strain: by_mode(&strains, &areas, &all),
            mass: system.total_mass(),
            panels: names.into_iter().enumerate().map(panel).collect(),
            seams: (0..garment.seams.len()).map(|s| seam(garment, cloth, &stresses, s)).collect(),
            skin: skin(&inputs.body, on_body),
            digest: crate::bench::digest(&system, &state),
            strains,
            stresses,
        })
    }
}

fn by_mode(values: &[[f64; 3]], areas: &[f64], of: &[usize]) -> [Percentiles; 3] {
    [0, 1, 2].map(|m| percentiles(of.iter().map(|&t| (values[t][m], areas[t])).collect()))
}

/// Percentiles of weighted numbers; zero of none.
fn percentiles(mut values: Vec<(f64, f64)>) -> Percentiles {
    values.retain(|(v, w)| v.is_finite() && *w > 0.0);
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = values.iter().map(|v| v.1).sum();
    let at = |share: f64| {
        let mut below = 0.0;
        let found = values.iter().find(|(_, weight)| {
            below += weight;
            below >= share * total
        });
        found.or(values.last()).map_or(0.0, |v| v.0)
    };
    Percentiles { p05: at(0.05), p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

/// Tension across a seam: N·S·N of the triangles along it, N their normal to it in the flat panel.
fn seam(garment: &Garment, cloth: &Cloth, stresses: &[[f64; 3]], number: usize) -> SeamFigures {
    let seam = &garment.seams[number];
    let mut figures =
        SeamFigures { name: seam.name.clone(), flat: [0.0; 2], worn: 0.0, pull: 0.0, largest_pull: f64::NEG_INFINITY };
    for (t, sides) in cloth.sides.iter().enumerate() {
        for (k, trail) in sides.iter().enumerate() {
            let Some(trail) = trail else { continue };
            let middle = 0.5 * (trail.from + trail.to);
            let holds = |span: &Span| {
                let inside = (span.from.min(span.to)..=span.from.max(span.to)).contains(&middle);
                span.panel == cloth.panels[t] as usize && span.of == trail.of && inside
            };
            let Some(side) = (0..2).find(|s| seam.sides[*s].iter().any(holds)) else { continue };
            let next = (k + 1) % 3;
            let along: DVec2 = cloth.mesh.material[t][next] - cloth.mesh.material[t][k];
            let length = along.length();
            let n = along.perp() / length;
            let [uu, vv, uv] = stresses[t];
            let pull = n.x * n.x * uu + n.y * n.y * vv + 2.0 * n.x * n.y * uv;
            figures.flat[side] += length;
            figures.pull += length * pull;
            figures.largest_pull = figures.largest_pull.max(pull);
            if side == 0 {
                let [a, b] = [k, next].map(|c| cloth.mesh.positions[cloth.mesh.triangles[t][c] as usize]);
                figures.worn += a.distance(b);
            }
        }
    }
    let total = figures.flat[0] + figures.flat[1];
    if total > 0.0 {
        figures.pull /= total;
    } else {
        figures.largest_pull = 0.0;
    }
    figures
}

/// Pressure on a body from the force on its vertices (N).
fn skin(body: &Surface, forces: &[DVec3]) -> Skin {
    let mesh = &body.mesh;
    // Both normals and areas of vertices are a third of those of their triangles.
    let mut normals = vec![DVec3::ZERO; mesh.positions.len()];
    let mut areas = vec![0.0; mesh.positions.len()];
    for corners in &mesh.triangles {
        let [a, b, c] = corners.map(|v| mesh.positions[v as usize]);
        let normal = (b - a).cross(c - a) / 6.0;
        for &v in corners {
            normals[v as usize] += normal;
            areas[v as usize] += normal.length();
        }
    }
    let mut skin = Skin { pressure: vec![0.0; mesh.positions.len()], ..Skin::default() };
    let mut touched = Vec::new();
    for (v, force) in forces.iter().enumerate().filter(|(v, _)| areas[*v] > 0.0) {
        let press = -force.dot(normals[v].normalize_or_zero());
        if press > TOUCH {
            skin.pressure[v] = press / areas[v];
            skin.touched += areas[v];
            touched.push((skin.pressure[v], areas[v]));
        }
    }
    skin.largest = touched.iter().map(|t| t.0).fold(0.0, f64::max);
    skin.percentiles = percentiles(touched);
    skin
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_core::mesh::Mesh;

    #[test]
    fn percentiles_count_area() {
        let even: Vec<(f64, f64)> = (1..=100).rev().map(|k| (f64::from(k), 0.5)).collect();
        assert_eq!(percentiles(even), Percentiles { p05: 5.0, p50: 50.0, p95: 95.0, p99: 99.0 });
        // Ninety-eight hundredths of the area have the small value.
        let uneven = vec![(9.0, 0.02), (1.0, 0.98)];
        assert_eq!(percentiles(uneven), Percentiles { p05: 1.0, p50: 1.0, p95: 1.0, p99: 9.0 });
        assert_eq!(percentiles(Vec::new()), Percentiles::default());
    }

    /// A plate of a square metre, pressed evenly with 300 N downwards, pulled sideways by as much: 300 Pa.
    #[test]
    fn pressure_is_normal_force_over_area() {
        let positions = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[x, z]| DVec3::new(x, 0.0, z)).to_vec();
        let mesh = Mesh { positions, triangles: vec![[0, 2, 1], [0, 3, 2]], ..Mesh::default() };
        let plate = Surface { mesh, ..Surface::default() };
        // Corners of the diagonal belong to both triangles: a third of the area each, the others a sixth.
        let forces = [100.0, 50.0, 100.0, 50.0].map(|f| DVec3::new(f, -f, 0.0));
        let found = skin(&plate, &forces);
        assert!(found.pressure.iter().all(|p| (p - 300.0).abs() < 1e-9), "{:?}", found.pressure);
        assert!((found.touched - 1.0).abs() < 1e-12 && (found.largest - 300.0).abs() < 1e-9);
        // Lifted, nothing presses.
        let lifted = skin(&plate, &forces.map(|f| -f));
        assert_eq!((lifted.touched, lifted.largest), (0.0, 0.0));
    }
}
