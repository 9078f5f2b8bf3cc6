//! Values on the triangles of a flat mesh, with a colour bar.

use super::canvas::{Anchor, Canvas, Colour, Item};
use super::layout;
use super::ticks::Scale;
use std::collections::BTreeMap;
use toile_core::mesh::Mesh;

/// Steps of the colour bar: fine enough to look continuous, coarse enough to share paths in SVG.
const SHADES: usize = 96;

/// From dark blue over green to yellow, even in lightness: anchors of the public-domain map `viridis`.
const SEQUENTIAL: [[u8; 3]; 9] = [
    [0x44, 0x01, 0x54],
    [0x47, 0x2d, 0x7b],
    [0x3b, 0x52, 0x8b],
    [0x2c, 0x72, 0x8e],
    [0x21, 0x91, 0x8c],
    [0x28, 0xae, 0x80],
    [0x5e, 0xc9, 0x62],
    [0xad, 0xdc, 0x30],
    [0xfd, 0xe7, 0x25],
];
/// From blue over white to orange, for values on both sides of zero.
const DIVERGING: [[u8; 3]; 5] =
    [[0x0b, 0x4f, 0x8a], [0x6f, 0xb1, 0xdc], [0xf5, 0xf5, 0xf5], [0xf0, 0x9a, 0x4a], [0xa8, 0x3a, 0x00]];

/// A map of one value per triangle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatMap {
    /// Title.
    pub title: String,
    /// What the colours mean, with its unit.
    pub label: String,
    /// Corners of the triangles in the picture plane (m, x right, y up).
    pub triangles: Vec<[[f64; 2]; 3]>,
    /// One value per triangle; those that are not finite are drawn grey.
    pub values: Vec<f64>,
    /// Values at the ends of the colour bar; those of the data if None. A range across zero is shown in two hues.
    pub range: Option<[f64; 2]>,
}

impl HeatMap {
    /// Values on the flat shape of a mesh, seen from its outside: x right, −z up.
    pub fn flat(title: impl Into<String>, label: impl Into<String>, mesh: &Mesh, values: Vec<f64>) -> Self {
        let place = |v: u32| {
            let p = mesh.positions[v as usize];
            [p.x, -p.z]
        };
        let triangles = mesh.triangles.iter().map(|t| t.map(place)).collect();
        Self { title: title.into(), label: label.into(), triangles, values, range: None }
    }

    /// One line per triangle: its number, its centre (m) and its value.
    pub(super) fn csv(&self) -> String {
        let mut out = String::from("triangle,x_m,y_m,value\n");
        for (i, (t, value)) in self.triangles.iter().zip(&self.values).enumerate() {
            let [x, y] = [0, 1].map(|k| (t[0][k] + t[1][k] + t[2][k]) / 3.0);
            out.push_str(&format!("{i},{x:?},{y:?},{value:?}\n"));
        }
        out
    }

    pub(super) fn canvas(&self, size: [f64; 2]) -> Canvas {
        let mut canvas = Canvas::new(size);
        layout::title(&mut canvas, &self.title, size[0]);
        let finite = || self.values.iter().copied().filter(|v| v.is_finite());
        let (low, high) = finite().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        let mut bar = Scale::over(std::iter::empty(), self.range.or((low < high).then_some([low, high])), false);
        if low == high && self.range.is_none() {
            bar = Scale::over(std::iter::once(low), None, false);
        }
        let area = [20.0, 44.0, size[0] - 130.0, size[1] - 46.0];
        self.draw_triangles(&mut canvas, area, &bar);
        self.draw_bar(&mut canvas, area, bar);
        canvas
    }

    fn draw_triangles(&self, canvas: &mut Canvas, [left, top, right, bottom]: [f64; 4], bar: &Scale) {
        let corners = || self.triangles.iter().flatten().filter(|p| p[0].is_finite() && p[1].is_finite());
        let extreme = |k: usize, pick: fn(f64, f64) -> f64, start: f64| corners().map(|p| p[k]).fold(start, pick);
        let low = [0, 1].map(|k| extreme(k, f64::min, f64::INFINITY));
        let high = [0, 1].map(|k| extreme(k, f64::max, f64::NEG_INFINITY));
        let extent = [high[0] - low[0], high[1] - low[1]];
        let scale = ((right - left) / extent[0]).min((bottom - top) / extent[1]);
        if !(extent[0] > 0.0 && extent[1] > 0.0 && scale.is_finite()) {
            return;
        }
        let middle = [0.5 * (left + right), 0.5 * (top + bottom)];
        let place = |p: [f64; 2]| {
            let x = middle[0] + scale * (p[0] - 0.5 * (low[0] + high[0]));
            [x, middle[1] - scale * (p[1] - 0.5 * (low[1] + high[1]))]
        };
        let mut shades: BTreeMap<Colour, Vec<Vec<[f64; 2]>>> = BTreeMap::new();
        for (t, &value) in self.triangles.iter().zip(&self.values) {
            shades.entry(colour(bar, value)).or_default().push(t.map(place).to_vec());
        }
        for (colour, polygons) in shades {
            canvas.items.push((Item::Fill { polygons, colour, opacity: 1.0 }, false));
        }
        scale_bar(canvas, [0.5 * (left + right), bottom + 16.0], scale, right - left);
    }

    fn draw_bar(&self, canvas: &mut Canvas, [_, top, right, bottom]: [f64; 4], mut bar: Scale) {
        let (left, width) = (right + 30.0, 18.0);
        bar.pixels = [bottom, top];
        for k in 0..SHADES {
            let [a, b] = [k, k + 1].map(|k| bottom + (top - bottom) * k as f64 / SHADES as f64);
            let value = bar.low + (bar.high - bar.low) * (k as f64 + 0.5) / SHADES as f64;
            let polygons = vec![vec![[left, a], [left + width, a], [left + width, b], [left, b]]];
            canvas.items.push((Item::Fill { polygons, colour: colour(&bar, value), opacity: 1.0 }, false));
        }
        let frame = [[left, top], [left + width, top], [left + width, bottom], [left, bottom], [left, top]];
        canvas.line(frame.to_vec(), Colour::GREY, 1.0);
        let ticks = bar.ticks(50.0);
        for (value, label) in &ticks.major {
            if let Some(y) = bar.pixel(*value) {
                canvas.line(vec![[left + width, y], [left + width + 4.0, y]], Colour::GREY, 1.0);
                canvas.text([left + width + 8.0, y], label.clone(), 12.0, Anchor::Start);
            }
        }
        if let Some(power) = &ticks.power {
            canvas.text([left, top - 11.0], power.clone(), 12.0, Anchor::Start);
        }
        let widest = ticks.major.iter().map(|t| layout::text_width(&t.1, 12.0)).fold(0.0, f64::max);
        let at = [left + width + 26.0 + widest, 0.5 * (top + bottom)];
        let text = self.label.clone();
        let label = Item::Text { at, text, size: 13.0, anchor: Anchor::Middle, colour: Colour::BLACK, upright: false };
        canvas.items.push((label, false));
    }
}

/// A bar of a round length under the map says how large it is.
fn scale_bar(canvas: &mut Canvas, [x, y]: [f64; 2], pixels_per_metre: f64, width: f64) {
    let wanted = 0.25 * width / pixels_per_metre;
    let power = 10f64.powf(wanted.log10().floor());
    let length = power * [5.0, 2.0, 1.0].into_iter().find(|m| m * power <= wanted).unwrap_or(1.0);
    let half = 0.5 * length * pixels_per_metre;
    canvas.line(vec![[x - half, y - 4.0], [x - half, y], [x + half, y], [x + half, y - 4.0]], Colour::GREY, 1.2);
    // A hundredth of the unit is never needed: lengths are 1, 2 or 5 times a power of ten.
    let (value, unit) = match length {
        l if l < 1e-2 => (1e3 * l, "mm"),
        l if l < 1.0 => (1e2 * l, "cm"),
        l => (l, "m"),
    };
    let text = format!("{} {unit}", (value * 1e6).round() / 1e6);
    canvas.text([x, y + 13.0], text, 12.0, Anchor::Middle);
}

fn colour(bar: &Scale, value: f64) -> Colour {
    if !value.is_finite() {
        return Colour([0xbb; 3]);
    }
    let (t, anchors): (f64, &[[u8; 3]]) = if bar.low < 0.0 && bar.high > 0.0 {
        // Zero is white, whichever side is longer.
        let reach = bar.high.max(-bar.low);
        (0.5 + 0.5 * value.clamp(bar.low, bar.high) / reach, &DIVERGING)
    } else {
        (((value - bar.low) / (bar.high - bar.low)).clamp(0.0, 1.0), &SEQUENTIAL)
    };
    let stepped = ((t * SHADES as f64).floor().min(SHADES as f64 - 1.0) + 0.5) / SHADES as f64;
    let place = stepped * (anchors.len() - 1) as f64;
    let k = (place.floor() as usize).min(anchors.len() - 2);
    let fraction = place - k as f64;
    Colour([0, 1, 2].map(|i| {
        let (a, b) = (f64::from(anchors[k][i]), f64::from(anchors[k + 1][i]));
        (a + fraction * (b - a)).round() as u8
    }))
}
