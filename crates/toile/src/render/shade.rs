//! From what is seen to colours: fabric, floor, background, tone.

use super::camera::Eye;
use super::image::Image;
use super::occlusion::{Sky, SkyImage, SkyLight};
use super::paint::{Coat, linear, luminance};
use super::raster::{Spot, Visible};
use super::scene::{Point, Scene};
use super::shadow::{DepthMap, Lamp, spread};
use super::{RenderError, View};
use glam::DVec3;
use rayon::prelude::*;

/// Cells of the key lamp's map per side: less than a millimetre for a garment, and small enough for the processor's cache.
const KEY_CELLS: usize = 1536;
/// Colours of the lamps: warm from the side, cool from above, neutral from the floor. Together they are white.
const KEY: DVec3 = DVec3::new(1.03, 1.0, 0.95);
const ABOVE: DVec3 = DVec3::new(0.95, 1.0, 1.07);
const BELOW: DVec3 = DVec3::new(0.62, 0.6, 0.58);
/// How far light creeps round a fold: threads stand out from the surface.
const WRAP: f64 = 0.12;
/// Light that comes through a fabric.
const THROUGH: f64 = 0.16;

/// Parts of the way from black to white that a code is looked up in.
const PARTS: usize = 2048;
/// Where the floor ends (radii of what is drawn).
const FLOOR_END: f64 = 6.0;

/// What an eye sees of a scene, and the light there. Paint has no part in it: one look serves pictures in any paint.
pub(super) struct Look {
    view: View,
    /// Of pixels and of samples.
    eye: Eye,
    fine: Eye,
    visible: Visible,
    /// Lamps; None if there is nothing to light.
    lights: Option<Lights>,
}

struct Lights {
    /// Towards the key lamp.
    toward: DVec3,
    /// How it reaches every sample.
    key: Vec<KeyLight>,
    sky: SkyImage,
    /// Part of all light that reaches the floor at every pixel, if there is one.
    floor: Option<Vec<f32>>,
}

/// The key lamp at a point of a surface.
#[derive(Clone, Copy, Debug, Default)]
struct KeyLight {
    /// Part of it that is seen.
    seen: f32,
    /// Cosine of its angle to the normal.
    cosine: f32,
}

/// What the light of a picture is asked with.
struct Studio<'a> {
    scene: &'a Scene<'a>,
    look: &'a Look,
    coats: &'a [Coat<'a>],
    /// Linear.
    background: DVec3,
    codes: Codes,
}

impl Look {
    /// Looks at a scene under its sky, which is the same from all sides; None if nothing is drawn.
    pub(super) fn new(scene: &Scene, view: &View, eye: &Eye, sky: Option<&Sky>) -> Result<Self, RenderError> {
        let samples = view.samples;
        let fine = eye.refined(samples);
        let size = view.size.map(|s| s * samples);
        let corners = |t| Some(scene.corners(t).map(|p| fine.project(p)));
        let visible = Visible::new(scene.triangles.len(), size, corners, fine.near());
        let toward = toward_lamp(view, eye)?;
        let lights = sky.map(|sky| {
            let lamp = Lamp::new(DepthMap::new(scene, sky.bounds, toward, KEY_CELLS), view.light.softness_deg);
            Lights {
                toward,
                key: key_light(scene, &fine, &visible, &lamp),
                sky: SkyImage::new(scene, sky, eye, &visible, samples),
                floor: view.floor.map(|height| floor_light(view, eye, height, &lamp, sky)),
            }
        });
        Ok(Self { view: view.clone(), eye: *eye, fine, visible, lights })
    }

    /// The picture with a coat on each surface.
    pub(super) fn painted(&self, scene: &Scene, coats: &[Coat]) -> Image {
        let background = DVec3::from(self.view.background.map(|c| linear(c.into())));
        let studio = Studio { scene, look: self, coats, background, codes: Codes::new() };
        let [width, height] = self.view.size;
        let mut image = Image::filled(width, height, [0; 3]);
        image.pixels.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
            for (x, pixel) in row.iter_mut().enumerate() {
                *pixel = studio.codes.of(studio.pixel(x, y));
            }
        });
        image
    }
}

/// How the key lamp reaches every sample.
fn key_light(scene: &Scene, fine: &Eye, visible: &Visible, lamp: &Lamp) -> Vec<KeyLight> {
    let width = visible.width;
    let mut key = vec![KeyLight::default(); visible.front.len()];
    key.par_chunks_mut(width.max(1)).enumerate().for_each(|(y, row)| {
        for (x, key) in row.iter_mut().enumerate() {
            if let Some(spot) = visible.spot(x, y) {
                let point = scene.point(&spot, fine.origin);
                key.cosine = point.normal.dot(lamp.map.toward) as f32;
                key.seen = lamp.seen(point.raised, point.normal, spread(x, y)) as f32;
            }
        }
    });
    key
}

/// Part of all light that reaches the floor at a height, at every pixel; 1 where there is no floor.
fn floor_light(view: &View, eye: &Eye, height: f64, lamp: &Lamp, sky: &Sky) -> Vec<f32> {
    let [low, high] = sky.bounds;
    let (middle, radius) = (0.5 * (low + high), 0.5 * (high - low).length());
    let open_sky = sky.floor(middle, radius, height);
    let (key, open) = (view.light.key * lamp.map.toward.y.max(0.0), view.light.sky);
    let light = |pixel: usize| {
        let (x, y) = (pixel % view.size[0], pixel / view.size[0]);
        let ray = eye.ray(x as f64 + 0.5, y as f64 + 0.5);
        let drop = height - eye.origin.y;
        // Seen from above only, and not at the horizon.
        if !(drop < 0.0 && ray.y < 0.0) {
            return 1.0;
        }
        let point = eye.origin + drop / ray.y * ray;
        if !(point.distance(middle) < FLOOR_END * radius) {
            return 1.0;
        }
        // One point per pixel, so the lamp is asked more often than at a sample of a surface.
        let lit = [0.0, 0.3, 0.6].map(|t| lamp.seen(point, DVec3::Y, spread(x, y) + t)).iter().sum::<f64>() / 3.0;
        let part = (key * lit + open * open_sky.at(point)) / (key + open).max(1e-9);
        // The floor ends softly before the maps do.
        let away = (point.distance(middle) / (FLOOR_END * radius)).powi(2);
        (part + (1.0 - part) * away.min(1.0)) as f32
    };
    (0..view.size[0] * view.size[1]).into_par_iter().map(light).collect()
}

/// Direction towards the key lamp, which stands still relative to the camera.
fn toward_lamp(view: &View, eye: &Eye) -> Result<DVec3, RenderError> {
    let light = &view.light;
    let is_finite = [light.azimuth_deg, light.elevation_deg, light.softness_deg, light.key, light.sky]
        .iter()
        .all(|v| v.is_finite());
    if !is_finite {
        return Err(RenderError::NotFinite("light"));
    }
    // From above, the camera's upright stands in for its view.
    let level = DVec3::new(eye.forward.x, 0.0, eye.forward.z);
    let level = if level.length() > 1e-3 { -level } else { -DVec3::new(eye.up.x, 0.0, eye.up.z) };
    let azimuth = level.x.atan2(level.z) + light.azimuth_deg.to_radians();
    let elevation = light.elevation_deg.to_radians();
    Ok(DVec3::new(azimuth.sin() * elevation.cos(), elevation.sin(), azimuth.cos() * elevation.cos()))
}

impl Studio<'_> {
    /// Colour of a pixel (linear, 0 to 1): the mean of its samples.
    fn pixel(&self, x: usize, y: usize) -> DVec3 {
        let Look { view, visible, lights, .. } = self.look;
        let samples = view.samples;
        let (mut sum, mut bare) = (DVec3::ZERO, 0);
        for k in 0..samples * samples {
            let (fx, fy) = (samples * x + k % samples, samples * y + k / samples);
            let sample = fy * visible.width + fx;
            match (visible.spot(fx, fy), lights) {
                (Some(spot), Some(lights)) => {
                    // Nearness is one over the distance along the view.
                    let distance = 1.0 / f64::from(visible.depth[sample]);
                    let sky = lights.sky.at(x, y, distance);
                    // Tone before the mean: a highlight beside a dark edge would else leave steps.
                    sum += toned(self.surface(&spot, lights.toward, lights.key[sample], sky));
                }
                _ => bare += 1,
            }
        }
        if bare > 0 {
            sum += f64::from(bare) * self.behind(x, y);
        }
        sum / (samples * samples) as f64
    }

    /// Colour of a surface under the key lamp and the sky. Where its point in space is not asked for, as for maps and matte paint, it is not found.
    fn surface(&self, spot: &Spot, toward: DVec3, key: KeyLight, sky: SkyLight) -> DVec3 {
        let view = &self.look.view;
        let coat = &self.coats[self.scene.surface(spot)];
        let cloth = coat.is_cloth().then(|| self.scene.point(spot, self.look.fine.origin));
        let albedo = coat.albedo(self.scene, spot, cloth.is_some_and(|point| point.is_back));
        let key = f64::from(key.seen) * self.strength(f64::from(key.cosine), cloth.is_some()) * KEY;
        let open = view.light.sky * (f64::from(sky.above) * ABOVE + f64::from(sky.below) * BELOW);
        let wires = if view.wires { wire(spot) } else { 0.0 };
        if coat.is_map() {
            // Colours stay comparable with the legend: light only hints at the shape.
            let light = luminance(key + open);
            return albedo * (0.45 + 0.55 * light).min(1.08) * (1.0 - 0.6 * wires);
        }
        // What folds hide from the sky they light themselves, in their own colour.
        let within = 1.0 - f64::from(sky.open);
        let again = DVec3::ONE / (DVec3::ONE - 0.75 * within * albedo);
        let mut colour = albedo * (key + open * again);
        if let Some(point) = cloth {
            colour += self.sheen(coat, albedo, &point, toward, [key, open]);
        }
        colour * (1.0 - 0.6 * wires)
    }

    /// Light of the unhidden key lamp on a surface, from in front or through cloth, by the cosine of its angle to the lamp.
    fn strength(&self, cosine: f64, is_cloth: bool) -> f64 {
        let front = ((cosine + WRAP) / (1.0 + WRAP)).max(0.0);
        let through = if is_cloth { THROUGH * (-cosine).max(0.0) } else { 0.0 };
        (self.look.view.light.key * (front + through)).max(0.0)
    }

    /// Fuzz that glows at grazing view, and the lustre of glossy threads.
    fn sheen(&self, coat: &Coat, albedo: DVec3, point: &Point, lamp: DVec3, [key, open]: [DVec3; 2]) -> DVec3 {
        let view = (self.look.eye.origin - point.position).normalize_or_zero();
        let grazing = (1.0 - point.normal.dot(view).clamp(0.0, 1.0)).powi(4);
        let fuzz = 0.25 * grazing * (1.0 - coat.gloss) * albedo.lerp(DVec3::ONE, 0.25) * (key + open);
        if coat.gloss == 0.0 {
            return fuzz;
        }
        let half = (view + lamp).normalize_or_zero();
        let power = 4.0 + 20.0 * coat.gloss;
        let lobe = point.normal.dot(half).max(0.0).powf(power) * (power + 8.0) / 8.0;
        // Dyed threads colour what they throw back.
        let lustre = coat.gloss * albedo.lerp(DVec3::ONE, 0.15);
        fuzz + lustre * (0.3 * lobe * key + (0.1 + 0.6 * grazing) * open)
    }

    /// Background, with the shadow on the floor.
    fn behind(&self, x: usize, y: usize) -> DVec3 {
        let width = self.look.view.size[0];
        let floor = self.look.lights.as_ref().and_then(|l| l.floor.as_ref());
        floor.map_or(1.0, |light| f64::from(light[y * width + x])) * self.backdrop(x, y)
    }

    /// The studio behind everything: a soft pool of light.
    fn backdrop(&self, x: usize, y: usize) -> DVec3 {
        let [width, height] = self.look.view.size.map(|s| s as f64);
        let (dx, dy) = ((x as f64 + 0.5) / width - 0.5, (y as f64 + 0.5) / height - 0.45);
        let fall = 1.04 - 0.42 * (dx * dx + dy * dy);
        self.background * fall
    }
}

/// How much of a sample the edge of a triangle covers.
fn wire(spot: &Spot) -> f64 {
    let [right, below] = spot.slopes();
    let nearest = |k: usize| {
        let slope = right[k].hypot(below[k]);
        spot.weights[k] / slope.max(1e-12)
    };
    let pixels = nearest(0).min(nearest(1)).min(nearest(2));
    (1.2 - pixels).clamp(0.0, 1.0)
}

/// Keeps bright colours below white: linear up to 0.7, then a soft shoulder.
fn toned(colour: DVec3) -> DVec3 {
    const KNEE: f64 = 0.7;
    let tone = |c: f64| if c <= KNEE { c } else { 1.0 - (1.0 - KNEE) * (-(c - KNEE) / (1.0 - KNEE)).exp() };
    DVec3::new(tone(colour.x), tone(colour.y), tone(colour.z))
}

/// Linear light as sRGB, by tables: three powers for each pixel would take longer than its light.
struct Codes {
    /// Linear light at which each code begins.
    begins: [f64; 256],
    /// Code of the lower end of each part of the way from 0 to 1.
    first: Vec<u8>,
}

impl Codes {
    fn new() -> Self {
        let begins = std::array::from_fn(|code| if code == 0 { f64::NEG_INFINITY } else { begin(code as f64) });
        let code = |part: usize| begins.partition_point(|b| *b <= part as f64 / PARTS as f64) - 1;
        Self { begins, first: (0..=PARTS).map(|part| code(part) as u8).collect() }
    }

    fn of(&self, colour: DVec3) -> [u8; 3] {
        colour.to_array().map(|c| {
            let c = c.clamp(0.0, 1.0);
            let mut code = self.first[(c * PARTS as f64) as usize];
            while code < 255 && self.begins[usize::from(code) + 1] <= c {
                code += 1;
            }
            code
        })
    }
}

/// Linear light half a step below a code.
fn begin(code: f64) -> f64 {
    linear((code - 0.5) / 255.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table codes as the formula of IEC 61966-2-1 does.
    #[test]
    fn tables_code_like_the_standard() {
        let codes = Codes::new();
        for k in 0..=100_000 {
            let c = f64::from(k) / 100_000.0;
            let code = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
            assert_eq!(codes.of(DVec3::splat(c)), [(255.0 * code).round() as u8; 3], "{c}");
        }
        assert_eq!(codes.of(DVec3::new(-1.0, 2.0, f64::NAN))[..2], [0, 255]);
    }
}
