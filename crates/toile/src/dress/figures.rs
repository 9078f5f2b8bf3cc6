//! How a garment fits: strain and tension of its panels, pull on its seams, girths, pressure on the skin.

use super::{DressError, Inputs, Outcome};
use glam::{DVec2, DVec3};
use serde::Serialize;
use toile_core::mesh::Mesh;
use toile_garment::body;
use toile_garment::cloth::Cloth;
use toile_garment::fit::{self, Direction, GirthFit, Opening, RegionPressure, Regions, quantile};
use toile_garment::pattern::{Garment, Span};
use toile_io::surface::Surface;

/// Directions in which strain and tension are told, and shear between weft and warp.
pub const MODES: [&str; 5] = ["weft", "warp", "shear", "bias", "largest"];

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
    /// Green strain by [`MODES`].
    pub strain: [Percentiles; 5],
    /// Stress (N/m) likewise.
    pub tension: [Percentiles; 5],
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
    /// Part by part, those that are touched.
    pub regions: Vec<RegionPressure>,
}

/// Who wears it: a body, what it measures, and the forces on it.
pub struct Wearer<'a> {
    /// The body.
    pub body: &'a Surface,
    /// What it measures; none of a body that cannot be measured.
    pub figures: Option<body::Figures>,
    /// Its parts.
    pub regions: Regions,
    /// Force of all cloth on its vertices (N).
    pub forces: &'a [DVec3],
}

impl<'a> Wearer<'a> {
    /// Measures a body. Parts that its file names as ours are taken over, others are told apart by what it measures.
    pub fn of(body: &'a Surface, forces: &'a [DVec3]) -> Self {
        let mesh = &body.mesh;
        let figures = body::measure(&mesh.positions, &mesh.triangles).ok();
        let measured = |f: &body::Figures| fit::measured_regions(f, &mesh.positions, &mesh.triangles);
        let whole = || Regions { names: vec!["body".into()], of_triangle: vec![0; mesh.triangles.len()] };
        let regions = named_regions(body).or_else(|| figures.as_ref().map(measured)).unwrap_or_else(whole);
        Self { body, figures, regions, forces }
    }
}

/// Regions by the parts of a surface; None unless all of it is in parts of known names.
fn named_regions(body: &Surface) -> Option<Regions> {
    let is_known = |name: &str| fit::comfort(name).is_some();
    let covered: usize = body.parts.iter().map(|p| p.triangles.len()).sum();
    if covered != body.mesh.triangles.len() || !body.parts.iter().all(|p| is_known(&p.name)) {
        return None;
    }
    let mut of_triangle = vec![0; covered];
    for (k, part) in body.parts.iter().enumerate() {
        of_triangle[part.triangles.clone()].fill(k as u16);
    }
    Some(Regions { names: body.parts.iter().map(|p| p.name.clone()).collect(), of_triangle })
}

/// All of it.
#[derive(Clone, Debug)]
pub struct Figures {
    /// Green strain of weft, warp and shear for each triangle.
    pub strains: Vec<[f64; 3]>,
    /// Stress (N/m) likewise.
    pub stresses: Vec<[f64; 3]>,
    /// Strain over the whole garment, by [`MODES`].
    pub strain: [Percentiles; 5],
    /// Stress (N/m) likewise.
    pub tension: [Percentiles; 5],
    /// Mass (kg).
    pub mass: f64,
    /// Panel by panel.
    pub panels: Vec<PanelFigures>,
    /// Seam by seam.
    pub seams: Vec<SeamFigures>,
    /// Girths that garments go round, each on its own.
    pub girths: Vec<GirthFit>,
    /// Where they end, likewise.
    pub openings: Vec<Opening>,
    /// What the body measures; none of a body that cannot be measured.
    pub body: Option<body::Figures>,
    /// Under it.
    pub skin: Skin,
    /// Digest of where all vertices are: equal bytes give equal digests.
    pub digest: String,
}

impl Figures {
    /// Measures a draped garment.
    pub fn of(inputs: &Inputs, outcome: &Outcome) -> Result<Self, DressError> {
        let on_body = outcome.draped.settled.last().map_or(&[][..], |s| &s.on_body);
        let wearer = &Wearer::of(&inputs.body, on_body);
        let (garment, cloth) = (&inputs.garment, &outcome.cloth);
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
                strain: by_mode(&strains, strain_modes, &areas, &own),
                tension: by_mode(&stresses, tension_modes, &areas, &own),
            }
        };
        let all: Vec<usize> = (0..areas.len()).collect();
        let pieces = inputs.pieces.iter().zip(&outcome.draped.worn);
        let garments: Vec<(&str, &Mesh)> =
            pieces.map(|(piece, worn)| (piece.garment.name.as_str(), &worn.cloth.mesh)).collect();
        let names: Vec<&String> = garment.panels.iter().map(|p| &p.name).collect();
        Ok(Self {
            strain: by_mode(&strains, strain_modes, &areas, &all),
            tension: by_mode(&stresses, tension_modes, &areas, &all),
            mass: system.total_mass(),
            panels: names.into_iter().enumerate().map(panel).collect(),
            seams: (0..garment.seams.len()).map(|s| seam(garment, cloth, &stresses, s)).collect(),
            girths: of_each(&garments, |mesh| girths(mesh, wearer), |girth| &mut girth.name),
            openings: of_each(&garments, |mesh| fit::openings(mesh, wearer.figures.as_ref()), |edge| &mut edge.name),
            body: wearer.figures.clone(),
            skin: skin(wearer),
            digest: crate::bench::digest(&system, &state),
            strains,
            stresses,
        })
    }

    /// Strain of a triangle by [`MODES`].
    pub fn strain_of(&self, triangle: usize) -> [f64; 5] {
        strain_modes(self.strains[triangle])
    }

    /// Tension (N/m) of a triangle by [`MODES`].
    pub fn tension_of(&self, triangle: usize) -> [f64; 5] {
        tension_modes(self.stresses[triangle])
    }
}

fn strain_modes(s: [f64; 3]) -> [f64; 5] {
    [s[0], s[1], s[2], Direction::Bias.strain(s), fit::principal_strain(s)]
}

fn tension_modes(s: [f64; 3]) -> [f64; 5] {
    [s[0], s[1], s[2], Direction::Bias.tension(s), fit::principal_tension(s)]
}

fn by_mode(values: &[[f64; 3]], modes: fn([f64; 3]) -> [f64; 5], areas: &[f64], of: &[usize]) -> [Percentiles; 5] {
    let all: Vec<[f64; 5]> = of.iter().map(|&t| modes(values[t])).collect();
    std::array::from_fn(|m| percentiles(all.iter().zip(of).map(|(v, &t)| (v[m], areas[t])).collect()))
}

/// Percentiles of weighted numbers; zero of none.
fn percentiles(mut values: Vec<(f64, f64)>) -> Percentiles {
    values.retain(|(v, w)| v.is_finite() && *w > 0.0);
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let at = |share: f64| quantile(&values, share);
    Percentiles { p05: at(0.05), p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

/// What each garment has of its own, one after the other; of several it is called `garment/part`, as panels and seams are.
fn of_each<T>(
    garments: &[(&str, &Mesh)],
    measured: impl Fn(&Mesh) -> Vec<T>,
    name: fn(&mut T) -> &mut String,
) -> Vec<T> {
    let mut all = Vec::new();
    for (garment, mesh) in garments {
        let mut own = measured(mesh);
        if garments.len() > 1 {
            own.iter_mut().map(name).for_each(|part| *part = format!("{garment}/{part}"));
        }
        all.append(&mut own);
    }
    all
}

fn girths(cloth: &Mesh, wearer: &Wearer) -> Vec<GirthFit> {
    let mesh = &wearer.body.mesh;
    wearer.figures.as_ref().map_or_else(Vec::new, |f| {
        fit::girths(&fit::girth_planes(f), f.floor, (&mesh.positions, &mesh.triangles), cloth)
    })
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
            let pull = fit::tension_along(stresses[t], along.perp().to_angle());
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

fn skin(wearer: &Wearer) -> Skin {
    let mesh = &wearer.body.mesh;
    let skin = fit::skin(&mesh.positions, &mesh.triangles, wearer.forces);
    Skin {
        percentiles: percentiles(skin.sorted()),
        regions: fit::by_region(&skin, &wearer.regions, &mesh.positions, &mesh.triangles),
        touched: skin.touched,
        largest: skin.largest,
        pressure: skin.pressure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_garment::pattern::{Curve, Edge, Panel, Placement, Seam};

    #[test]
    fn percentiles_count_area() {
        let even: Vec<(f64, f64)> = (1..=100).rev().map(|k| (f64::from(k), 0.5)).collect();
        assert_eq!(percentiles(even), Percentiles { p05: 5.0, p50: 50.0, p95: 95.0, p99: 99.0 });
        // Ninety-eight hundredths of the area have the small value.
        let uneven = vec![(9.0, 0.02), (1.0, 0.98)];
        assert_eq!(percentiles(uneven), Percentiles { p05: 1.0, p50: 1.0, p95: 1.0, p99: 9.0 });
        assert_eq!(percentiles(Vec::new()), Percentiles::default());
    }

    /// Two squares of 20 cm sewn along an upright edge, stretched by a fifth across it and by a tenth along it, with any stress: the pull is its
    /// weft part. Turned on the fabric by an angle, it is that part along the angle.
    #[test]
    fn pull_on_a_seam_is_the_tension_across_it() {
        let square = |name: &str, x: f64, grain: f64| Panel {
            name: name.into(),
            outline: [[0.0, 0.0], [0.2, 0.0], [0.2, 0.2], [0.0, 0.2]]
                .map(|p| Edge { start: DVec2::from(p), curve: Curve::Line, label: None })
                .to_vec(),
            grain,
            placement: Placement::Flat { translation: DVec3::new(x, 0.0, 0.0), rotation: glam::DQuat::IDENTITY },
            ..Panel::default()
        };
        for grain in [0.0, 0.3, -0.8] {
            let seam = Seam {
                name: "middle".into(),
                sides: [vec![Span::edge(0, 1)], vec![Span::edge(1, 3).reversed()]],
                ..Seam::default()
            };
            let garment = Garment {
                panels: vec![square("left", 0.0, grain), square("right", 0.2, grain)],
                seams: vec![seam],
                ..Garment::default()
            };
            let pieces = toile_garment::cloth::cut(&garment, None, 0.05).unwrap();
            let mut cloth = pieces.weld(&pieces.cloth.mesh.positions).unwrap();
            cloth.mesh.positions.iter_mut().for_each(|p| *p *= DVec3::new(1.2, 1.1, 1.0));
            let stress = [7.0, 3.0, 1.0];
            let found = super::seam(&garment, &cloth, &vec![stress; cloth.mesh.triangles.len()], 0);
            // The panel's x lies at minus the grain's angle on the fabric.
            let wanted = fit::tension_along(stress, -grain);
            assert!((found.pull - wanted).abs() < 1e-12 && (found.largest_pull - wanted).abs() < 1e-12, "{found:?}");
            assert!((found.flat[0] - 0.2).abs() < 1e-12 && (found.flat[1] - 0.2).abs() < 1e-12, "{found:?}");
            assert!((found.worn - 0.22).abs() < 1e-12, "{found:?}");
        }
    }

    /// Two skins of a mannequin, one a tenth wider: each has its own girths and edges, with the name of its garment; a single one has no need of it.
    #[test]
    fn each_garment_has_its_own_girths_and_edges() {
        let made = body::mannequin(&body::Measurements::of_size("F38").unwrap()).unwrap();
        let surface = toile_io::body::surface("F38", &made);
        let wearer = Wearer::of(&surface, &[]);
        let skin = |wider: f64| {
            let mut mesh = surface.mesh.clone();
            mesh.positions.iter_mut().for_each(|p| *p *= DVec3::new(wider, 1.0, wider));
            mesh.material = vec![[DVec2::ZERO, DVec2::X, DVec2::Y]; mesh.triangles.len()];
            // Without its topmost triangle it has an edge, and all its girths.
            let height = |t: &usize| mesh.triangles[*t].map(|v| mesh.positions[v as usize].y).iter().sum::<f64>();
            let top = (0..mesh.triangles.len()).max_by(|a, b| height(a).total_cmp(&height(b))).unwrap();
            mesh.triangles.remove(top);
            mesh.material.remove(top);
            mesh
        };
        let (inner, outer) = (skin(1.0), skin(1.1));
        let measured = |garments: &[(&str, &Mesh)]| {
            let girths = of_each(garments, |mesh| girths(mesh, &wearer), |girth| &mut girth.name);
            let edges = of_each(garments, |m| fit::openings(m, wearer.figures.as_ref()), |edge| &mut edge.name);
            (girths, edges)
        };
        let (both, edges) = measured(&[("slip", &inner), ("coat", &outer)]);
        let (alone, edge) = measured(&[("slip", &inner)]);
        let of_slip = both.iter().filter(|g| g.name.starts_with("slip/")).count();
        assert_eq!((of_slip, edges.len(), edge.len()), (alone.len(), 2, 1));
        assert!(edges[0].name == format!("slip/{}", edge[0].name) && edges[1].name.starts_with("coat/"), "{edges:?}");
        for level in ["bust", "waist", "hip"] {
            let tape = |name: &str| both.iter().find(|g| g.name == name).unwrap().tape;
            let own = alone.iter().find(|g| g.name == level).unwrap();
            assert_eq!(tape(&format!("slip/{level}")), own.tape);
            assert!((tape(&format!("coat/{level}")) / own.tape - 1.1).abs() < 1e-12);
        }
    }

    /// A mannequin's parts are taken as they are, those of a file with other groups are measured.
    #[test]
    fn regions_come_from_the_file_or_from_the_body() {
        let made = body::mannequin(&body::Measurements::of_size("F38").unwrap()).unwrap();
        let mut surface = toile_io::body::surface("F38", &made);
        let own = Wearer::of(&surface, &[]).regions;
        assert_eq!(own.names, made.regions);
        surface.parts.truncate(1);
        let measured = Wearer::of(&surface, &[]).regions;
        assert_eq!(measured.of_triangle.len(), own.of_triangle.len());
        assert!(measured.names.iter().all(|n| made.regions.contains(n)), "{:?}", measured.names);
        // What is no person has no parts.
        let mesh =
            toile_core::mesh::Grid { cells: [2, 2], size: [1.0, 1.0], diagonal: toile_core::mesh::Diagonal::One }
                .mesh();
        let plate = Surface { mesh, ..Surface::default() };
        assert_eq!(Wearer::of(&plate, &[]).regions.names, ["body"]);
    }
}
