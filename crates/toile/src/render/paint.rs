//! Colours of surfaces: plain fabric, patterns along the threads, maps of numbers.

use super::raster::Spot;
use super::scene::Scene;
use super::{Drawn, RenderError};
use glam::{DVec2, DVec3};
use toile_io::surface::{Field, On};

/// Colours of a map from none to the maximum: blue, cyan, green, yellow, red.
const RAMP: [[u8; 3]; 5] = [[30, 60, 200], [20, 180, 220], [50, 180, 70], [245, 220, 50], [215, 35, 35]];
/// Colour where a map has no number.
const UNKNOWN: [u8; 3] = [150, 150, 150];
/// Part of a pattern's period that its thin lines take.
const LINE: f64 = 0.08;

/// How a surface is painted.
#[derive(Clone, Copy, Debug)]
pub enum Paint<'a> {
    /// The surface's colour, duller on the inside.
    Fabric,
    /// Squares along weft and warp, to show how the fabric is distorted. Fabric if there are no material coordinates.
    Checker {
        /// Side of a square (m).
        size_m: f64,
    },
    /// Stripes along the warp, and a thin line along the weft at each of their widths.
    Stripes {
        /// Width of a stripe (m).
        size_m: f64,
    },
    /// Numbers as colours from blue, none, to red, the maximum and above.
    Map {
        /// The numbers.
        field: &'a Field,
        /// The number shown red.
        max: f64,
        /// What the numbers are, for the legend; the field's name if empty. The unit is added, and numbers without a unit
        /// are shown in percent.
        label: &'a str,
    },
    /// One matte colour (sRGB, 0 to 1) on both sides: bodies and obstacles.
    Matte([f32; 3]),
}

impl Paint<'_> {
    /// The neutral colour of bodies and obstacles.
    pub const BODY: Self = Self::Matte([0.68, 0.655, 0.635]);
}

/// The colour (sRGB) of a number in a map whose maximum is `max`.
pub fn map_colour(value: f64, max: f64) -> [u8; 3] {
    let place = 4.0 * value / max;
    if !place.is_finite() {
        return UNKNOWN;
    }
    let place = place.clamp(0.0, 4.0);
    let k = (place as usize).min(3);
    [0, 1, 2].map(|i| {
        let (a, b) = (f64::from(RAMP[k][i]), f64::from(RAMP[k + 1][i]));
        // Rounded by the cast: the processor's common subset has no instruction for it.
        (a + (place - k as f64) * (b - a) + 0.5) as u8
    })
}

/// sRGB (0 to 1) to linear light.
pub(super) fn linear(c: f64) -> f64 {
    if c <= 0.040_45 { c.max(0.0) / 12.92 } else { ((c.min(1.0) + 0.055) / 1.055).powf(2.4) }
}

fn linear_colour(colour: [f32; 3]) -> DVec3 {
    // Nothing reflects all light or none.
    DVec3::from(colour.map(|c| linear(if c.is_finite() { c.into() } else { 0.5 })))
        .clamp(DVec3::splat(0.01), DVec3::splat(0.86))
}

/// Paint on a surface, ready for use.
pub(super) struct Coat<'a> {
    pub(super) paint: Paint<'a>,
    pub(super) gloss: f64,
    colour: DVec3,
    /// The other colour of patterns.
    other: DVec3,
    /// Numbers of a map at the vertices.
    values: Vec<f32>,
    /// Linear light of each code of sRGB: colours of maps are asked at every sample.
    levels: [f64; 256],
}

impl<'a> Coat<'a> {
    pub(super) fn new(item: &Drawn<'a>) -> Result<Self, RenderError> {
        let mesh = &item.surface.mesh;
        let values = match item.paint {
            Paint::Map { field, .. } => {
                let wanted = if field.on == On::Vertices { mesh.positions.len() } else { mesh.triangles.len() };
                if field.values.len() != wanted {
                    let (field, values) = (field.name.clone(), field.values.len());
                    return Err(RenderError::Field { field, name: item.surface.name.clone(), values, wanted });
                }
                field.at_vertices(mesh)
            }
            _ => Vec::new(),
        };
        let colour = linear_colour(if let Paint::Matte(colour) = item.paint { colour } else { item.surface.colour });
        let is_bright = luminance(colour) > 0.35;
        let other = if is_bright { 0.22 * colour } else { colour.lerp(DVec3::splat(0.82), 0.8) };
        let levels = std::array::from_fn(|code| linear(code as f64 / 255.0));
        Ok(Self { paint: item.paint, gloss: item.gloss, colour, other, values, levels })
    }

    /// Is it cloth, with fuzz and light through it?
    pub(super) fn is_cloth(&self) -> bool {
        matches!(self.paint, Paint::Fabric | Paint::Checker { .. } | Paint::Stripes { .. })
    }

    pub(super) fn is_map(&self) -> bool {
        matches!(self.paint, Paint::Map { .. })
    }

    /// Part of the light that is reflected (linear) at a spot.
    pub(super) fn albedo(&self, scene: &Scene, spot: &Spot, is_back: bool) -> DVec3 {
        let material = || scene.material(spot);
        let share = match self.paint {
            Paint::Map { max, .. } => return self.mapped(scene.vertices(spot), spot.weights, max),
            Paint::Matte(_) => return self.colour,
            Paint::Fabric => 0.0,
            Paint::Checker { size_m } => material().map_or(0.0, |m| checker(m, size_m)),
            Paint::Stripes { size_m } => material().map_or(0.0, |m| stripes(m, size_m)),
        };
        let colour = self.colour.lerp(self.other, share);
        if is_back { dulled(colour) } else { colour }
    }

    fn mapped(&self, vertices: [usize; 3], weights: DVec3, max: f64) -> DVec3 {
        let [a, b, c] = vertices.map(|v| f64::from(self.values[v]));
        let colour = map_colour(weights.x * a + weights.y * b + weights.z * c, max);
        DVec3::from(colour.map(|c| self.levels[usize::from(c)]))
    }
}

pub(super) fn luminance(colour: DVec3) -> f64 {
    colour.dot(DVec3::new(0.2126, 0.7152, 0.0722))
}

/// The inside of a fabric: darker and less saturated.
fn dulled(colour: DVec3) -> DVec3 {
    0.78 * colour.lerp(DVec3::splat(luminance(colour)), 0.3)
}

/// Mean over a pixel of a wave that is 1 on the first `duty` of every period 1 and 0 elsewhere, at `x`, `width` per pixel.
fn wave(x: f64, width: f64, duty: f64) -> f64 {
    // Integral of the wave from 0 to x.
    let area = |x: f64| duty * x.floor() + x.rem_euclid(1.0).min(duty);
    // Never narrower than a thousandth of a period, where the difference would lose its digits; a pixel's triangle is wider.
    let width = width.max(1e-3);
    ((area(x + 0.5 * width) - area(x - 0.5 * width)) / width).clamp(0.0, 1.0)
}

/// Material coordinates in periods, and how much of a period a pixel covers.
fn periods([place, right, below]: [DVec2; 3], period: f64) -> (DVec2, DVec2) {
    let period = period.abs().max(1e-6);
    (place / period, right.abs().max(below.abs()) / period)
}

fn checker(material: [DVec2; 3], size: f64) -> f64 {
    let (place, width) = periods(material, 2.0 * size);
    let (u, v) = (wave(place.x, width.x, 0.5), wave(place.y, width.y, 0.5));
    u + v - 2.0 * u * v
}

fn stripes(material: [DVec2; 3], size: f64) -> f64 {
    let (place, width) = periods(material, 2.0 * size);
    let band = wave(place.x, width.x, 0.5);
    let line = wave(2.0 * place.y, 2.0 * width.y, LINE);
    band + line * (1.0 - 2.0 * band)
}
