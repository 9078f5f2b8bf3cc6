//! A dressed body from three sides: as it is, and as maps of strain and pressure.

use super::flat::Worn;
use super::{DressError, Figures, Inputs};
use crate::render::{Camera, Drawn, Paint, Sides, View, bounds, map_colour, sides};
use crate::results::rounded_up;
use glam::DVec3;
use toile_io::surface::{Field, On, Surface};

/// The sides, by the angle the eye goes round (°): left is the wearer's.
const SIDES: [(f64, &str); 3] = [(0.0, "front"), (90.0, "left"), (180.0, "back")];
/// Width of one side (pixels), and the least and largest height.
const WIDTH: f64 = 640.0;
const HEIGHTS: [f64; 2] = [560.0, 1000.0];
/// Height over the floor (m) at which a garment comes near it.
const NEAR_FLOOR: f64 = 0.25;
/// Skin (sRGB).
const SKIN: [f32; 3] = [0.77, 0.62, 0.53];
/// Skin beside a map, where colours are to be read (sRGB).
const GREY: [f32; 3] = [0.72, 0.71, 0.70];
/// Red ends of maps are not set lower: one per cent of strain, a tenth of a kilopascal, a newton per metre.
const LEAST: [f64; 3] = [0.01, 0.1, 1.0];
/// Number of the largest of all directions among the modes.
const LARGEST: usize = 4;

/// Names of the pictures and their bytes (PNG).
pub(super) fn all(inputs: &Inputs, worn: &Worn, figures: &Figures) -> Result<Vec<(&'static str, Vec<u8>)>, DressError> {
    let pieces = worn.pieces(inputs);
    let dressed = dressed(inputs, &pieces)?;
    let mut pictures = vec![("preview.png", dressed.picture()?.png()?)];
    for (file, label, unit, values, high) in maps(worn, figures) {
        let field = |piece| {
            let values = values[worn.triangles(piece)].to_vec();
            Field { name: label.into(), unit: unit.into(), on: On::Triangles, values }
        };
        let fields: Vec<Field> = inputs.pieces.iter().map(field).collect();
        let mut paints: Vec<Paint> =
            fields.iter().map(|field| Paint::Map { field, max: rounded_up(high), label }).collect();
        paints.push(Paint::Matte(GREY));
        pictures.push((file, dressed.painted(&paints)?.png()?));
    }
    let pressure = figures.skin.pressure.iter().map(|p| (1e-3 * p) as f32).collect();
    let field = Field { name: "pressure".into(), unit: "kPa".into(), on: On::Vertices, values: pressure };
    let max = pressure_end(figures);
    let body = &inputs.body;
    let map = Drawn::new(body, &body.mesh.positions, Paint::Map { field: &field, max, label: "pressure" });
    let view = view(inputs, &worn.surface.mesh.positions);
    pictures.push(("pressure.png", sides(&[map], &view, &SIDES)?.png()?));
    Ok(pictures)
}

/// Garments in their colours on the body, which comes last.
pub(super) fn dressed<'a>(inputs: &'a Inputs, pieces: &'a [Surface]) -> Result<Sides<'a>, DressError> {
    let mut drawn: Vec<Drawn> = pieces.iter().map(|s| Drawn::new(s, &s.mesh.positions, Paint::Fabric)).collect();
    // All of them have the vertices of all.
    let positions = pieces.first().map_or(&[][..], |p| &p.mesh.positions);
    drawn.push(Drawn::new(&inputs.body, &inputs.body.mesh.positions, Paint::Matte(SKIN)));
    Ok(Sides::new(&drawn, &view(inputs, positions), &SIDES)?)
}

/// File, label, unit and numbers of the maps on the worn garment, and the number at their red end.
type Map = (&'static str, &'static str, &'static str, Vec<f32>, f64);

fn maps(worn: &Worn, figures: &Figures) -> Vec<Map> {
    let strain = |mode: usize, file, label| {
        let values = worn.order.iter().map(|t| figures.strain_of(*t)[mode] as f32).collect();
        (file, label, "–", values, figures.strain[mode].p99.max(LEAST[0]))
    };
    let tension = worn.order.iter().map(|t| figures.tension_of(*t)[LARGEST] as f32).collect();
    vec![
        strain(0, "strain_weft.png", "strain weft"),
        strain(1, "strain_warp.png", "strain warp"),
        strain(3, "strain_bias.png", "strain bias"),
        ("tension.png", "tension", "N/m", tension, figures.tension[LARGEST].p99.max(LEAST[2])),
    ]
}

/// Colours of the vertices of the worn garment by its largest strain, on the scale of the maps.
pub(super) fn strain_colours(worn: &Worn, figures: &Figures) -> Vec<[u8; 4]> {
    let values = worn.order.iter().map(|t| figures.strain_of(*t)[LARGEST] as f32).collect();
    let field = Field { name: "strain".into(), unit: "–".into(), on: On::Triangles, values };
    let max = rounded_up(figures.strain[LARGEST].p99.max(LEAST[0]));
    colours(&field.at_vertices(&worn.surface.mesh), max)
}

/// Colours of the vertices of the body by the pressure on them (kPa).
pub(super) fn pressure_colours(figures: &Figures) -> Vec<[u8; 4]> {
    let kpa: Vec<f32> = figures.skin.pressure.iter().map(|p| (1e-3 * p) as f32).collect();
    colours(&kpa, pressure_end(figures))
}

fn colours(values: &[f32], max: f64) -> Vec<[u8; 4]> {
    let opaque = |[r, g, b]: [u8; 3]| [r, g, b, 255];
    values.iter().map(|v| opaque(map_colour(f64::from(*v), max))).collect()
}

/// Pressure (kPa) at the red end of its map.
fn pressure_end(figures: &Figures) -> f64 {
    rounded_up((1e-3 * figures.skin.percentiles.p99).max(LEAST[1]))
}

/// The garment fills the picture, whatever else there is of the body.
fn view(inputs: &Inputs, garment: &[DVec3]) -> View {
    let frame = bounds(garment);
    // As high as the garment is for its width when turned round, with some of the body above and below.
    let high = frame.map_or(1.0, |[low, high]| {
        let size = high - low;
        1.2 * size.y / size.x.hypot(size.z).max(1e-6)
    });
    let size = [WIDTH, (WIDTH * high).clamp(HEIGHTS[0], HEIGHTS[1])].map(|s| s.round() as usize);
    // The floor is shown where the garment comes near it: shadows of a head that is not in the picture only puzzle.
    let feet = bounds(&inputs.body.mesh.positions).map(|[low, _]| low.y);
    let is_near = |floor: &f64| frame.is_some_and(|[low, _]| low.y - floor < NEAR_FLOOR);
    View {
        camera: Camera::Orbit { azimuth_deg: 0.0, elevation_deg: 4.0, distance: None },
        size,
        floor: feet.filter(is_near),
        frame,
        ..View::default()
    }
}
