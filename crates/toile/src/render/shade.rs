//! From what is seen to colours: fabric, floor, background, tone.

use super::camera::Eye;
use super::image::Image;
use super::occlusion::{FloorSky, Sky, SkyImage, SkyLight};
use super::paint::{Coat, linear, luminance};
use super::raster::{Spot, Visible};
use super::scene::{Point, Scene};
use super::shadow::{DepthMap, Lamp, spread};
use super::{RenderError, View, bounds};
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

/// Where the floor ends (radii of what is drawn).
const FLOOR_END: f64 = 6.0;

/// Everything a pixel needs.
struct Studio<'a> {
    scene: &'a Scene<'a>,
    view: &'a View,
    /// Of samples and of pixels.
    fine: Eye,
    eye: &'a Eye,
    /// Linear.
    background: DVec3,
    /// Lamps; None if there is nothing to light.
    lights: Option<Lights>,
    /// Middle (m) and radius (m) of what is drawn.
    middle: DVec3,
    radius: f64,
}

struct Lights {
    lamp: Lamp,
    sky: SkyImage,
    floor: Option<FloorSky>,
}

/// Draws a scene.
pub(super) fn picture(scene: &Scene, view: &View, eye: &Eye) -> Result<Image, RenderError> {
    let samples = view.samples;
    let fine = eye.refined(samples);
    let size = view.size.map(|s| s * samples);
    let corners = |t| Some(scene.corners(t).map(|p| fine.project(p)));
    let visible = Visible::new(scene.triangles.len(), size, corners, fine.near());
    let seen: Vec<DVec3> = scene.seen().collect();
    let limits = bounds(&seen);
    let toward = toward_lamp(view, eye)?;
    let [low, high] = limits.unwrap_or_default();
    let (middle, radius) = (0.5 * (low + high), 0.5 * (high - low).length());
    let lights = limits.map(|b| {
        let sky = Sky::new(scene, b);
        Lights {
            lamp: Lamp::new(DepthMap::new(scene, b, toward, KEY_CELLS), view.light.softness_deg),
            sky: SkyImage::new(scene, &sky, eye, &visible, samples),
            floor: view.floor.map(|height| sky.floor(middle, radius, height)),
        }
    });
    let background = DVec3::from(view.background.map(|c| linear(c.into())));
    let studio = Studio { scene, view, fine, eye, background, lights, middle, radius };
    let [width, height] = view.size;
    let mut image = Image::filled(width, height, [0; 3]);
    image.pixels.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
        for (x, pixel) in row.iter_mut().enumerate() {
            *pixel = coded(studio.pixel(&visible, x, y));
        }
    });
    Ok(image)
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
    fn pixel(&self, visible: &Visible, x: usize, y: usize) -> DVec3 {
        let samples = self.view.samples;
        let (mut sum, mut bare) = (DVec3::ZERO, 0);
        for k in 0..samples * samples {
            let (fx, fy) = (samples * x + k % samples, samples * y + k / samples);
            match (visible.spot(fx, fy), &self.lights) {
                (Some(spot), Some(lights)) => {
                    let point = self.scene.point(&spot, self.fine.origin);
                    let distance = self.eye.forward.dot(point.position - self.eye.origin);
                    let sky = lights.sky.at(x, y, distance);
                    // Tone before the mean: a highlight beside a dark edge would else leave steps.
                    sum += toned(self.surface(&spot, &point, &lights.lamp, sky, spread(fx, fy)));
                }
                _ => bare += 1,
            }
        }
        if bare > 0 {
            sum += f64::from(bare) * self.behind(x, y);
        }
        sum / (samples * samples) as f64
    }

    /// Colour of a surface.
    fn surface(&self, spot: &Spot, point: &Point, lamp: &Lamp, sky: SkyLight, turn: f64) -> DVec3 {
        let coat = self.scene.coat(spot);
        let albedo = coat.albedo(self.scene, spot, point.is_back);
        let key = self.key_light(coat, point, lamp, turn);
        let open = self.view.light.sky * (f64::from(sky.above) * ABOVE + f64::from(sky.below) * BELOW);
        let wires = if self.view.wires { wire(spot) } else { 0.0 };
        if coat.is_map() {
            // Colours stay comparable with the legend: light only hints at the shape.
            let light = luminance(key + open);
            return albedo * (0.45 + 0.55 * light).min(1.08) * (1.0 - 0.6 * wires);
        }
        // What folds hide from the sky they light themselves, in their own colour.
        let within = 1.0 - f64::from(sky.open);
        let again = DVec3::ONE / (DVec3::ONE - 0.75 * within * albedo);
        let mut colour = albedo * (key + open * again);
        if coat.is_cloth() {
            colour += self.sheen(coat, albedo, point, lamp.map.toward, [key, open]);
        }
        colour * (1.0 - 0.6 * wires)
    }

    /// Light of the key lamp on a surface, from in front or through it.
    fn key_light(&self, coat: &Coat, point: &Point, lamp: &Lamp, turn: f64) -> DVec3 {
        let cosine = point.normal.dot(lamp.map.toward);
        let front = ((cosine + WRAP) / (1.0 + WRAP)).max(0.0);
        let through = if coat.is_cloth() { THROUGH * (-cosine).max(0.0) } else { 0.0 };
        let strength = self.view.light.key * (front + through);
        if strength <= 0.0 { DVec3::ZERO } else { strength * lamp.seen(point.raised, point.normal, turn) * KEY }
    }

    /// Fuzz that glows at grazing view, and the lustre of glossy threads.
    fn sheen(&self, coat: &Coat, albedo: DVec3, point: &Point, lamp: DVec3, [key, open]: [DVec3; 2]) -> DVec3 {
        let view = (self.eye.origin - point.position).normalize_or_zero();
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

    /// The point of the floor seen at a pixel, near what is drawn; None elsewhere.
    fn floor(&self, x: usize, y: usize) -> Option<DVec3> {
        let height = self.view.floor?;
        let ray = self.eye.ray(x as f64 + 0.5, y as f64 + 0.5);
        let drop = height - self.eye.origin.y;
        // Seen from above only, and not at the horizon.
        let distance = drop / ray.y;
        if !(drop < 0.0 && ray.y < 0.0) {
            return None;
        }
        let point = self.eye.origin + distance * ray;
        (point.distance(self.middle) < FLOOR_END * self.radius).then_some(point)
    }

    /// Background, with the shadow on the floor.
    fn behind(&self, x: usize, y: usize) -> DVec3 {
        let backdrop = self.backdrop(x, y);
        let (Some(point), Some(Lights { lamp, floor: Some(sky), .. })) = (self.floor(x, y), &self.lights) else {
            return backdrop;
        };
        let light = &self.view.light;
        // One point per pixel, so the lamp is asked more often than at a sample of a surface.
        let lit = [0.0, 0.3, 0.6].map(|t| lamp.seen(point, DVec3::Y, spread(x, y) + t)).iter().sum::<f64>() / 3.0;
        let (key, open) = (light.key * lamp.map.toward.y.max(0.0), light.sky);
        let part = (key * lit + open * sky.at(point)) / (key + open).max(1e-9);
        // The floor ends softly before the maps do.
        let away = (point.distance(self.middle) / (FLOOR_END * self.radius)).powi(2);
        backdrop * (part + (1.0 - part) * away.min(1.0))
    }

    /// The studio behind everything: a soft pool of light.
    fn backdrop(&self, x: usize, y: usize) -> DVec3 {
        let [width, height] = self.view.size.map(|s| s as f64);
        let (dx, dy) = ((x as f64 + 0.5) / width - 0.5, (y as f64 + 0.5) / height - 0.45);
        let fall = 1.04 - 0.42 * (dx * dx + dy * dy);
        self.background * fall
    }
}

/// How much of a sample the edge of a triangle covers.
fn wire(spot: &Spot) -> f64 {
    let nearest = |k: usize| {
        let slope = spot.slopes[0][k].hypot(spot.slopes[1][k]);
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

/// Linear light as sRGB.
fn coded(colour: DVec3) -> [u8; 3] {
    colour.to_array().map(|c| {
        let c = c.clamp(0.0, 1.0);
        let code = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
        (255.0 * code).round() as u8
    })
}
