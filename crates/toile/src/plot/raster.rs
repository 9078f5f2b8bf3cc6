//! A canvas as a PNG: everything is drawn without smoothing on a three times finer grid, then averaged. That keeps
//! neighbouring triangles free of seams, and the rasteriser free of special cases.

use super::PlotError;
use super::canvas::{Anchor, Canvas, Colour, Item};
use super::font;

/// Fine pixels per pixel and direction.
const FINE: usize = 3;
/// Largest picture (pixels per side): the fine grid of a square one takes 450 MB.
const LARGEST: u32 = 4096;

struct Raster {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 3]>,
    /// Fine pixels that may be touched: left, top, right, bottom.
    clip: [f64; 4],
}

/// Draws the canvas, scaled to a width and height in pixels.
pub(super) fn png(canvas: &Canvas, width: u32, height: u32) -> Result<Vec<u8>, PlotError> {
    sheet(std::slice::from_ref(canvas), 1, [width, height])
}

/// Draws canvases in rows, each scaled to a width and height in pixels.
pub(super) fn sheet(canvases: &[Canvas], columns: usize, [width, height]: [u32; 2]) -> Result<Vec<u8>, PlotError> {
    let rows = canvases.len().div_ceil(columns.max(1)).max(1);
    let size = [width.saturating_mul(columns as u32), height.saturating_mul(rows as u32)];
    if width == 0 || height == 0 || size[0] > LARGEST || size[1] > LARGEST {
        return Err(PlotError::Size { width: size[0], height: size[1], largest: LARGEST });
    }
    let [w, h] = size.map(|s| s as usize);
    let each = [width as usize, height as usize];
    let mut pixels = vec![[255; 3]; w * h];
    for (k, canvas) in canvases.iter().enumerate() {
        overlay(canvas, &mut pixels, w, [k % columns * each[0], k / columns * each[1]], each);
    }
    encode(pixels.as_flattened(), size[0], size[1])
}

/// Draws the canvas over a box of a picture whose rows have `width` pixels; what lies outside is cut off.
pub(crate) fn overlay(canvas: &Canvas, pixels: &mut [[u8; 3]], width: usize, corner: [usize; 2], size: [usize; 2]) {
    let [left, top] = corner;
    let w = size[0].min(width.saturating_sub(left));
    let h = size[1].min((pixels.len() / width.max(1)).saturating_sub(top));
    let mut raster =
        Raster { width: w * FINE, height: h * FINE, pixels: vec![[255; 3]; w * h * FINE * FINE], clip: [0.0; 4] };
    for (y, row) in raster.pixels.chunks_exact_mut((w * FINE).max(1)).enumerate() {
        let coarse = &pixels[(top + y / FINE) * width + left..][..w];
        for (fine, pixel) in row.chunks_exact_mut(FINE).zip(coarse) {
            fine.fill(*pixel);
        }
    }
    let scale = FINE as f64 * (size[0] as f64 / canvas.size[0]).min(size[1] as f64 / canvas.size[1]);
    for (item, clipped) in &canvas.items {
        raster.clip = if *clipped {
            canvas.clip.map(|c| c * scale)
        } else {
            [0.0, 0.0, raster.width as f64, raster.height as f64]
        };
        raster.draw(item, scale);
    }
    let drawn = raster.averaged(w, h);
    for (y, row) in drawn.chunks_exact(w.max(1)).enumerate() {
        pixels[(top + y) * width + left..][..w].copy_from_slice(row);
    }
}

fn encode(pixels: &[u8], width: u32, height: u32) -> Result<Vec<u8>, PlotError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header().map_err(|e| PlotError::Png(e.to_string()))?;
    writer.write_image_data(pixels).map_err(|e| PlotError::Png(e.to_string()))?;
    writer.finish().map_err(|e| PlotError::Png(e.to_string()))?;
    Ok(bytes)
}

/// Sides of a polygon, each from its upper end: neighbours must round their common side alike.
fn sides(polygon: &[[f64; 2]]) -> impl Iterator<Item = [[f64; 2]; 2]> + '_ {
    polygon.iter().enumerate().map(|(i, a)| {
        let b = polygon[(i + 1) % polygon.len()];
        if (a[1], a[0]) <= (b[1], b[0]) { [*a, b] } else { [b, *a] }
    })
}

impl Raster {
    fn draw(&mut self, item: &Item, scale: f64) {
        let place = |points: &[[f64; 2]]| -> Vec<[f64; 2]> { points.iter().map(|p| p.map(|c| c * scale)).collect() };
        match item {
            Item::Line { points, colour, width, dash } => {
                let points = place(points);
                let runs = match dash {
                    Some(dash) => dashes(&points, dash * scale),
                    None => vec![points],
                };
                runs.iter().for_each(|run| self.stroke(run, 0.5 * width * scale, *colour));
            }
            Item::Fill { polygons, colour, opacity } => {
                if *opacity < 1.0 {
                    let polygons: Vec<_> = polygons.iter().map(|p| place(p)).collect();
                    self.fill(&polygons, *colour, *opacity);
                } else {
                    polygons.iter().for_each(|p| self.fill(&[place(p)], *colour, 1.0));
                }
            }
            Item::Text { at, text, size, anchor, colour, upright } => {
                let at = at.map(|c| c * scale);
                self.text(at, text, size * scale, *anchor, *colour, *upright);
            }
        }
    }

    /// Capitals are 0.72 of the font size high, as in common sans-serif fonts, so that both forms of a picture match.
    fn text(&mut self, at: [f64; 2], text: &str, size: f64, anchor: Anchor, colour: Colour, upright: bool) {
        let unit = 0.72 * size / font::CAPITAL;
        let total = font::width(text) * font::CAPITAL;
        let mut x = match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -0.5 * total,
            Anchor::End => -total,
        };
        for c in text.chars() {
            let glyph = font::glyph(c);
            for stroke in &glyph.strokes {
                let points: Vec<[f64; 2]> = stroke
                    .iter()
                    .map(|p| {
                        let (right, up) = (unit * (x + p[0]), unit * (p[1] - 0.5 * font::CAPITAL));
                        if upright { [at[0] + right, at[1] - up] } else { [at[0] - up, at[1] - right] }
                    })
                    .collect();
                self.stroke(&points, 0.047 * size, colour);
            }
            x += glyph.advance;
        }
    }

    fn stroke(&mut self, points: &[[f64; 2]], radius: f64, colour: Colour) {
        if let [p] = points {
            self.segment(*p, *p, radius, colour);
        }
        for pair in points.windows(2) {
            self.segment(pair[0], pair[1], radius, colour);
        }
    }

    /// Paints the pixels closer than `radius` to a segment.
    fn segment(&mut self, a: [f64; 2], b: [f64; 2], radius: f64, colour: Colour) {
        let d = [b[0] - a[0], b[1] - a[1]];
        let square = d[0] * d[0] + d[1] * d[1];
        let rows = self.rows(a[1].min(b[1]) - radius, a[1].max(b[1]) + radius);
        for y in rows {
            let columns = self.columns(a[0].min(b[0]) - radius, a[0].max(b[0]) + radius);
            for x in columns {
                let p = [x as f64 + 0.5 - a[0], y as f64 + 0.5 - a[1]];
                let t = if square > 0.0 { ((p[0] * d[0] + p[1] * d[1]) / square).clamp(0.0, 1.0) } else { 0.0 };
                let (ex, ey) = (p[0] - t * d[0], p[1] - t * d[1]);
                if ex * ex + ey * ey <= radius * radius {
                    self.pixels[y * self.width + x] = colour.0;
                }
            }
        }
    }

    /// Paints the pixels whose centre lies inside an odd number of times.
    fn fill(&mut self, polygons: &[Vec<[f64; 2]>], colour: Colour, opacity: f64) {
        let ys = || polygons.iter().flatten().map(|p| p[1]);
        let rows = self.rows(ys().fold(f64::INFINITY, f64::min), ys().fold(f64::NEG_INFINITY, f64::max));
        // Sides from their upper to their lower end, highest first: those that a row crosses are in a list that changes little.
        let is_finite = |s: &[[f64; 2]; 2]| s.as_flattened().iter().all(|c| c.is_finite());
        let mut sides: Vec<[[f64; 2]; 2]> =
            polygons.iter().flat_map(|polygon| sides(polygon)).filter(is_finite).collect();
        sides.sort_by(|a, b| a[0][1].total_cmp(&b[0][1]));
        let (mut next, mut crossed): (usize, Vec<[[f64; 2]; 2]>) = (0, Vec::new());
        let mut crossings = Vec::new();
        for y in rows {
            let level = y as f64 + 0.5;
            while next < sides.len() && sides[next][0][1] <= level {
                crossed.push(sides[next]);
                next += 1;
            }
            crossed.retain(|[_, b]| b[1] > level);
            crossings.clear();
            crossings.extend(crossed.iter().map(|[a, b]| a[0] + (b[0] - a[0]) * ((level - a[1]) / (b[1] - a[1]))));
            crossings.sort_unstable_by(f64::total_cmp);
            for span in crossings.chunks_exact(2) {
                // Centres in (left, right]: half-open, so that neighbours share no pixel and leave none out.
                let columns = self.columns((span[0] - 0.5).floor() + 1.0, (span[1] - 0.5).floor() + 0.5);
                if columns.is_empty() {
                    continue;
                }
                let pixels = &mut self.pixels[y * self.width..][columns];
                if opacity == 1.0 {
                    pixels.fill(colour.0);
                    continue;
                }
                for pixel in pixels {
                    for k in 0..3 {
                        let (old, new) = (f64::from(pixel[k]), f64::from(colour.0[k]));
                        pixel[k] = (old + opacity * (new - old)).round() as u8;
                    }
                }
            }
        }
    }

    /// Pixel rows whose span meets an interval, clipped. Casts saturate, so wild coordinates are harmless.
    fn rows(&self, low: f64, high: f64) -> std::ops::Range<usize> {
        let (low, high) = (low.max(self.clip[1]).max(0.0), high.min(self.clip[3]));
        low.floor() as usize..(high.ceil().max(0.0) as usize).min(self.height)
    }

    fn columns(&self, low: f64, high: f64) -> std::ops::Range<usize> {
        let (low, high) = (low.max(self.clip[0]).max(0.0), high.min(self.clip[2]));
        low.floor() as usize..(high.ceil().max(0.0) as usize).min(self.width)
    }

    fn averaged(&self, width: usize, height: usize) -> Vec<[u8; 3]> {
        let mut result = Vec::with_capacity(width * height);
        for y in 0..height {
            for x in 0..width {
                let mut sum = [0u32; 3];
                for fine in 0..FINE * FINE {
                    let pixel = self.pixels[(y * FINE + fine / FINE) * self.width + x * FINE + fine % FINE];
                    (0..3).for_each(|k| sum[k] += u32::from(pixel[k]));
                }
                let half = (FINE * FINE / 2) as u32;
                result.push(sum.map(|s| ((s + half) / (FINE * FINE) as u32) as u8));
            }
        }
        result
    }
}

/// Cuts a line into dashes of a length, with gaps of 0.7 of it.
fn dashes(points: &[[f64; 2]], dash: f64) -> Vec<Vec<[f64; 2]>> {
    let (mut runs, mut run) = (Vec::new(), Vec::new());
    let (mut left, mut is_on) = (dash, true);
    for pair in points.windows(2) {
        let [a, b] = [pair[0], pair[1]];
        let length = (b[0] - a[0]).hypot(b[1] - a[1]);
        let at = |s: f64| [0, 1].map(|i| a[i] + (b[i] - a[i]) * (s / length));
        let mut done = 0.0;
        if is_on && run.is_empty() {
            run.push(a);
        }
        while length - done > left {
            done += left;
            if is_on {
                run.push(at(done));
                runs.push(std::mem::take(&mut run));
            } else {
                run.push(at(done));
            }
            is_on = !is_on;
            left = if is_on { dash } else { 0.7 * dash };
        }
        left -= length - done;
        if is_on {
            run.push(b);
        }
    }
    runs.extend((run.len() > 1).then_some(run));
    runs
}
