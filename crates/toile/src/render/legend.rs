//! The colour bar of a map, and text under pictures.

use super::image::Image;
use super::paint::{Coat, Paint, map_colour};
use crate::plot::{Anchor, Canvas, Colour, Item, Scale, overlay, text_width};

/// Sizes in units of a 480th of the picture's height.
const BAR: [f64; 2] = [14.0, 210.0];
const TEXT: f64 = 12.0;
/// Steps of colour in the bar.
const STEPS: usize = 128;

/// The legend of a map.
pub(super) struct Legend {
    canvas: Canvas,
    /// Box in the picture (pixels).
    corner: [usize; 2],
    size: [usize; 2],
}

impl Legend {
    /// The legend of the first map among the coats, on the right of a picture; None without a map, or with one whose maximum
    /// makes no scale.
    pub(super) fn of(coats: &[Coat], picture: [usize; 2]) -> Option<Self> {
        let bar = coats.iter().find_map(|c| Bar::of(&c.paint))?;
        let unit = picture[0].min(picture[1]) as f64 / 480.0;
        let canvas = bar.canvas();
        let size = canvas.size.map(|s| (s * unit).round() as usize);
        let left = picture[0].saturating_sub(size[0] + (10.0 * unit) as usize);
        Some(Self { canvas, corner: [left, picture[1].saturating_sub(size[1]) / 2], size })
    }

    /// Pixels it takes on the right; at most a third of a narrow picture.
    pub(super) fn width(&self) -> usize {
        self.size[0].min((self.corner[0] + self.size[0]) / 3)
    }

    /// Pixels it takes where a band of its own is left to it.
    pub(super) fn room(&self) -> usize {
        self.size[0] + self.size[0] / 5
    }

    pub(super) fn draw(&self, image: &mut Image) {
        overlay(&self.canvas, &mut image.pixels, image.width, self.corner, self.size);
    }
}

/// A colour bar.
struct Bar {
    title: String,
    /// Number at the top, as written.
    max: f64,
}

impl Bar {
    fn of(paint: &Paint) -> Option<Self> {
        let Paint::Map { field, max, label } = *paint else { return None };
        let name = if label.is_empty() { field.name.replace('_', " ") } else { label.to_owned() };
        // Ratios are read in percent.
        let is_ratio = field.unit == "–" || field.unit.is_empty();
        let (unit, factor) = if is_ratio { ("%", 100.0) } else { (field.unit.as_str(), 1.0) };
        (max > 0.0 && max.is_finite()).then(|| Self { title: format!("{name}, {unit}"), max: factor * max })
    }

    /// The bar with its ticks and title.
    fn canvas(&self) -> Canvas {
        let mut scale = Scale { low: 0.0, high: self.max, log: false, pixels: [0.0, 1.0] };
        let top = 2.6 * TEXT;
        let bottom = top + BAR[1];
        scale.pixels = [bottom, top];
        let ticks = scale.ticks(34.0);
        let widest = ticks.major.iter().map(|t| text_width(&t.1, TEXT)).fold(0.0, f64::max);
        let width = (BAR[0] + 12.0 + widest).max(text_width(&self.title, TEXT)) + 12.0;
        let mut canvas = Canvas::new([width, bottom + TEXT]);
        let (left, right) = (width - 6.0 - BAR[0], width - 6.0);
        for k in 0..STEPS {
            let [a, b] = [k, k + 1].map(|k| bottom + (top - bottom) * k as f64 / STEPS as f64);
            let colour = Colour(map_colour((k as f64 + 0.5) / STEPS as f64, 1.0));
            let polygons = vec![vec![[left, a], [right, a], [right, b], [left, b]]];
            canvas.clipped(Item::Fill { polygons, colour, opacity: 1.0 });
        }
        canvas.line(vec![[left, top], [right, top], [right, bottom], [left, bottom], [left, top]], Colour::GREY, 0.8);
        for (value, label) in &ticks.major {
            if let Some(y) = scale.pixel(*value) {
                canvas.line(vec![[left - 4.0, y], [left, y]], Colour::GREY, 0.8);
                canvas.text([left - 7.0, y], label.clone(), TEXT, Anchor::End);
            }
        }
        let power = ticks.power.as_deref().unwrap_or_default();
        canvas.text([right, 0.7 * TEXT], self.title.clone(), TEXT, Anchor::End);
        canvas.text([left - 7.0, 1.9 * TEXT], power, TEXT, Anchor::End);
        canvas
    }
}

/// Writes a line of text, centred in a box of pixels.
pub(super) fn caption(image: &mut Image, text: &str, corner: [usize; 2], size: [usize; 2]) {
    let [width, height] = size.map(|s| s as f64);
    let mut canvas = Canvas::new([width, height]);
    canvas.text([0.5 * width, 0.5 * height], text, 0.62 * height, Anchor::Middle);
    overlay(&canvas, &mut image.pixels, image.width, corner, size);
}
