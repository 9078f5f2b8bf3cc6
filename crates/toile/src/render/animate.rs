//! Several pictures: turntables, strips in time, animated PNG and GIF.

use super::camera::Camera;
use super::image::Image;
use super::legend::caption;
use super::occlusion::{Sky, order};
use super::scene::Scene;
use super::{Drawn, RenderError, View, bounds, coats, picture};
use glam::DVec3;
use std::borrow::Cow;

/// Colours of a GIF.
const PALETTE: usize = 256;
/// Bits per channel that its colours are counted with.
const BITS: u32 = 6;

/// Pictures from all sides, `count` of them, starting at the view's camera. The eye keeps its distance and the lamp its place beside
/// the eye. A camera that looks at a place circles round it.
pub fn turntable(drawn: &[Drawn], view: &View, count: usize) -> Result<Vec<Image>, RenderError> {
    let scene = Scene::new(drawn)?;
    let (coats, sky) = (coats(drawn)?, Sky::new(&scene));
    let framed = cylinder(&scene, view);
    (0..count)
        .map(|k| {
            let camera = turned(&view.camera, 360.0 * k as f64 / count as f64);
            picture(&scene, &coats, sky.as_ref(), &View { camera, ..view.clone() }, &framed)
        })
        .collect()
}

/// Points on a cylinder round everything that is to be seen: it looks the same from all sides.
pub(super) fn cylinder(scene: &Scene, view: &View) -> Vec<DVec3> {
    let seen: Vec<DVec3> = scene.seen().collect();
    let [low, high] = view.frame.or(bounds(&seen)).unwrap_or_default();
    let middle = 0.5 * (low + high);
    let away = |p: &DVec3| (p.x - middle.x).hypot(p.z - middle.z);
    let corners = [low, DVec3::new(high.x, low.y, low.z)];
    let points: &[DVec3] = if view.frame.is_some() { &corners } else { &seen };
    let radius = points.iter().map(away).fold(0.0, f64::max);
    let ring = (0..64).map(|k| f64::from(k) * std::f64::consts::TAU / 64.0);
    let at = |angle: f64, y: f64| DVec3::new(middle.x + radius * angle.sin(), y, middle.z + radius * angle.cos());
    ring.flat_map(|angle| [at(angle, low.y), at(angle, high.y)]).collect()
}

pub(super) fn turned(camera: &Camera, angle_deg: f64) -> Camera {
    match *camera {
        Camera::Orbit { azimuth_deg, elevation_deg, distance } => {
            Camera::Orbit { azimuth_deg: azimuth_deg + angle_deg, elevation_deg, distance }
        }
        Camera::LookAt { eye, target, up, fov_deg } => {
            let turn = glam::DQuat::from_rotation_y(angle_deg.to_radians());
            Camera::LookAt { eye: target + turn * (eye - target), target, up: turn * up, fov_deg }
        }
    }
}

/// Several times side by side in one picture, the time (s) written under each. All share one frame; the size of the view is that
/// of one of them.
pub fn strip(frames: &[(f64, Vec<Drawn>)], view: &View) -> Result<Image, RenderError> {
    let Some(first) = frames.first() else { return Err(RenderError::Frames("there are none".into())) };
    let mut framed = Vec::new();
    for (_, drawn) in frames {
        framed.extend(Scene::new(drawn)?.seen());
    }
    let frame = view.frame.or(bounds(&framed));
    let view = View { frame, ..view.clone() };
    let images = frames.iter().map(|(_, drawn)| super::still(drawn, &view)).collect::<Result<Vec<_>, _>>()?;
    let (width, height) = (images[0].width, images[0].height);
    let band = (height / 14).max(9);
    let paper = images[0].pixel(0, height - 1);
    let mut strip = Image::filled(width * frames.len(), height + band, paper);
    // As many decimals as it takes to tell the times apart, three at most.
    let step = frames.windows(2).map(|f| f[1].0 - f[0].0).filter(|d| *d > 0.0).fold(first.0.abs().max(1.0), f64::min);
    let decimals = (0..3).find(|&d| step * 10f64.powi(d) >= 0.999).unwrap_or(3).max(1) as usize;
    for (k, (image, (time, _))) in images.iter().zip(frames).enumerate() {
        strip.paste(image, [k * width, 0]);
        caption(&mut strip, &format!("{time:.decimals$} s"), [k * width, height], [width, band]);
    }
    Ok(strip)
}

/// An animated PNG that repeats; a plain PNG for one picture.
pub fn apng(frames: &[Image], seconds_per_frame: f64) -> Result<Vec<u8>, RenderError> {
    let (width, height) = common_size(frames)?;
    let mut bytes = Vec::new();
    encode_apng(frames, [width, height], seconds_per_frame, &mut bytes)
        .map_err(|e| RenderError::Encode { format: "PNG", message: e.to_string() })?;
    Ok(bytes)
}

fn encode_apng(
    frames: &[Image],
    size: [usize; 2],
    seconds: f64,
    bytes: &mut Vec<u8>,
) -> Result<(), png::EncodingError> {
    let mut encoder = png::Encoder::new(bytes, size[0] as u32, size[1] as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    // A tenth of the time for files half as large again.
    encoder.set_compression(png::Compression::Fast);
    if frames.len() > 1 {
        encoder.set_animated(frames.len() as u32, 0)?;
        encoder.set_frame_delay((1000.0 * seconds).round().clamp(1.0, 65_535.0) as u16, 1000)?;
    }
    let mut writer = encoder.write_header()?;
    for frame in frames {
        writer.write_image_data(frame.pixels.as_flattened())?;
    }
    writer.finish()
}

/// A GIF that repeats, of 256 colours chosen from all its pictures.
pub fn gif(frames: &[Image], seconds_per_frame: f64) -> Result<Vec<u8>, RenderError> {
    let (width, height) = common_size(frames)?;
    let mut bytes = Vec::new();
    encode_gif(frames, [width, height], seconds_per_frame, &mut bytes)
        .map_err(|e| RenderError::Encode { format: "GIF", message: e.to_string() })?;
    Ok(bytes)
}

fn encode_gif(frames: &[Image], size: [usize; 2], seconds: f64, bytes: &mut Vec<u8>) -> Result<(), gif::EncodingError> {
    let [width, height] = size.map(|s| s as u16); // a picture has at most 4096 pixels per side
    let mut palette = Palette::of(frames);
    let mut encoder = gif::Encoder::new(bytes, width, height, palette.colours.as_flattened())?;
    encoder.set_repeat(gif::Repeat::Infinite)?;
    for image in frames {
        let buffer = Cow::Owned(palette.indices(image));
        let delay = (100.0 * seconds).round().clamp(2.0, 65_535.0) as u16;
        encoder.write_frame(&gif::Frame { width, height, delay, buffer, ..gif::Frame::default() })?;
    }
    Ok(())
}

fn common_size(frames: &[Image]) -> Result<(usize, usize), RenderError> {
    let Some(first) = frames.first() else { return Err(RenderError::Frames("there are none".into())) };
    let size = (first.width, first.height);
    match frames.iter().position(|f| (f.width, f.height) != size) {
        Some(k) => {
            let (w, h) = (frames[k].width, frames[k].height);
            Err(RenderError::Frames(format!("the first is {}×{}, number {} is {w}×{h}", size.0, size.1, k + 1)))
        }
        None => Ok(size),
    }
}

/// The colours of a GIF: boxes of colours are halved at the median of their longest side (Heckbert 1982).
struct Palette {
    colours: Vec<[u8; 3]>,
    /// Nearest colour of each coarse colour, once it has been asked for.
    nearest: Vec<Option<u8>>,
}

impl Palette {
    fn of(frames: &[Image]) -> Self {
        let mut counts = vec![0u64; 1 << (3 * BITS)];
        for pixel in frames.iter().flat_map(|f| &f.pixels) {
            counts[cell(*pixel)] += 1;
        }
        let used: Vec<(usize, u64)> = counts.into_iter().enumerate().filter(|c| c.1 > 0).collect();
        let mut boxes = vec![used];
        while boxes.len() < PALETTE {
            // The box where most is lost: many pixels over a long side. Square root of the count: rare colours count too.
            let loss =
                |b: &Vec<(usize, u64)>| (b.iter().map(|c| c.1).sum::<u64>() as f64).sqrt() * f64::from(longest(b).1);
            let worst = (0..boxes.len()).max_by(|&a, &b| loss(&boxes[a]).total_cmp(&loss(&boxes[b])).then(b.cmp(&a)));
            let Some(worst) = worst.filter(|&w| longest(&boxes[w]).1 > 0) else { break };
            let half = halved(&mut boxes[worst]);
            boxes.push(half);
        }
        Self { colours: boxes.iter().map(|b| mean(b)).collect(), nearest: vec![None; 1 << (3 * BITS)] }
    }

    /// Numbers of the colours of a picture, with an ordered pattern where a colour lies between two.
    fn indices(&mut self, image: &Image) -> Vec<u8> {
        let pixels = image.pixels.iter().enumerate();
        pixels
            .map(|(k, pixel)| {
                let nudge = (order(k % image.width, k / image.width) as f64 - 7.5) / 3.0;
                let wanted = pixel.map(|c| (f64::from(c) + nudge).round().clamp(0.0, 255.0) as u8);
                let colours = &self.colours;
                *self.nearest[cell(wanted)].get_or_insert_with(|| nearest(colours, centre(cell(wanted))))
            })
            .collect()
    }
}

/// Coarse number of a colour.
fn cell(colour: [u8; 3]) -> usize {
    colour.iter().fold(0, |n, &c| n << BITS | usize::from(c >> (8 - BITS)))
}

/// Middle of a coarse colour.
fn centre(cell: usize) -> [u8; 3] {
    let part = |k: u32| (cell >> (k * BITS)) & ((1 << BITS) - 1);
    [2, 1, 0].map(|k| ((part(k) << (8 - BITS)) | 1 << (7 - BITS)) as u8)
}

/// Longest side of a box of colours: channel and length.
fn longest(colours: &[(usize, u64)]) -> (usize, u8) {
    let side = |k: usize| {
        let values = colours.iter().map(|c| centre(c.0)[k]);
        values.clone().max().unwrap_or(0) - values.min().unwrap_or(0)
    };
    (0..3).map(|k| (k, side(k))).fold((0, 0), |best, s| if s.1 > best.1 { s } else { best })
}

/// Takes the upper half of a box out of it; neither is empty.
fn halved(colours: &mut Vec<(usize, u64)>) -> Vec<(usize, u64)> {
    let (channel, _) = longest(colours);
    colours.sort_by_key(|c| (centre(c.0)[channel], c.0));
    let total: u64 = colours.iter().map(|c| c.1).sum();
    let mut below = 0;
    let median = colours.iter().position(|c| {
        below += c.1;
        2 * below >= total
    });
    colours.split_off((median.unwrap_or(0) + 1).clamp(1, colours.len() - 1))
}

fn mean(colours: &[(usize, u64)]) -> [u8; 3] {
    let total: u64 = colours.iter().map(|c| c.1).sum::<u64>().max(1);
    [0, 1, 2].map(|k| {
        let sum: u64 = colours.iter().map(|c| u64::from(centre(c.0)[k]) * c.1).sum();
        ((sum + total / 2) / total) as u8
    })
}

fn nearest(colours: &[[u8; 3]], wanted: [u8; 3]) -> u8 {
    let distance = |c: &[u8; 3]| -> i32 { (0..3).map(|k| (i32::from(c[k]) - i32::from(wanted[k])).pow(2)).sum() };
    let found = colours.iter().enumerate().min_by_key(|(_, c)| distance(c));
    found.map_or(0, |(k, _)| k as u8)
}
