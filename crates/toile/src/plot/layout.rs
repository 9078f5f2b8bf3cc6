//! From a plot to a canvas: margins, grid, ticks, data, legend.

use super::canvas::{Anchor, Canvas, Colour, Item};
use super::ticks::{Scale, Ticks};
use super::{Plot, Series, Style, font};

/// Colours that stay apart for colour-blind readers and in grey (Okabe and Ito 2008), most distinct first.
const PALETTE: [Colour; 7] = [
    Colour([0x00, 0x72, 0xb2]),
    Colour([0xd5, 0x5e, 0x00]),
    Colour([0x00, 0x9e, 0x73]),
    Colour([0xcc, 0x79, 0xa7]),
    Colour([0xe6, 0x9f, 0x00]),
    Colour([0x56, 0xb4, 0xe9]),
    Colour([0x22, 0x22, 0x22]),
];
/// Font sizes (px of a picture 720 wide).
const TITLE: f64 = 15.0;
const LABEL: f64 = 13.0;
const TICK: f64 = 12.0;
/// Height of a legend line.
const LEADING: f64 = 18.0;
/// Length of the sample line in the legend.
const SAMPLE: f64 = 26.0;

/// Width of a text (px) at a font size; capitals are 0.72 of it.
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    0.72 * size * font::width(text)
}

struct Layout {
    /// Left, top, right, bottom of the data box.
    area: [f64; 4],
    x: Scale,
    y: Scale,
}

/// The picture of a plot.
pub(super) fn canvas(plot: &Plot, size: [f64; 2]) -> Canvas {
    let named: Vec<usize> = (0..plot.series.len()).filter(|&i| !plot.series[i].name.is_empty()).collect();
    let widest = named.iter().map(|&i| text_width(&plot.series[i].name, TICK)).fold(0.0, f64::max);
    let legend = [SAMPLE + widest + 24.0, LEADING * named.len() as f64 + 10.0];
    let mut layout = Layout::new(plot, size, 20.0);
    let mut corner = layout.free_corner(plot, legend);
    if corner.is_none() && !named.is_empty() {
        layout = Layout::new(plot, size, legend[0] + 20.0);
        corner = Some([layout.area[2] + 10.0, layout.area[1]]);
    }
    let mut canvas = Canvas::new(size);
    canvas.clip = layout.area;
    title(&mut canvas, &plot.title, size[0]);
    axes(&mut canvas, &layout, [&plot.x.label, &plot.y.label]);
    for (i, series) in plot.series.iter().enumerate() {
        layout.draw(&mut canvas, series, colour(i, series), i);
    }
    if let (Some(corner), false) = (corner, named.is_empty()) {
        draw_legend(&mut canvas, plot, &named, corner, legend);
    }
    canvas
}

pub(super) fn title(canvas: &mut Canvas, text: &str, width: f64) {
    let size = (TITLE * (width - 20.0) / text_width(text, TITLE).max(1.0)).min(TITLE);
    canvas.text([0.5 * width, 20.0], text, size, Anchor::Middle);
}

fn colour(index: usize, series: &Series) -> Colour {
    PALETTE[series.colour.unwrap_or(index) % PALETTE.len()]
}

impl Layout {
    fn new(plot: &Plot, size: [f64; 2], right: f64) -> Self {
        let values = |k: usize| plot.series.iter().flat_map(move |s| s.points.iter().map(move |p| p[k]));
        let mut x = Scale::over(values(0), plot.x.range, plot.x.log);
        let mut y = Scale::over(values(1), plot.y.range, plot.y.log);
        let (top, bottom) = (42.0, size[1] - 54.0);
        y.pixels = [bottom, top];
        let widest = y.ticks(50.0).major.iter().map(|t| text_width(&t.1, TICK)).fold(0.0, f64::max);
        let left = 44.0 + widest;
        x.pixels = [left, size[0] - right];
        if plot.is_equal && !plot.x.log && !plot.y.log {
            equalise(&mut x, &mut y);
        }
        Self { area: [left, top, size[0] - right, bottom], x, y }
    }

    fn place(&self, p: [f64; 2]) -> Option<[f64; 2]> {
        Some([self.x.pixel(p[0])?, self.y.pixel(p[1])?])
    }

    /// Runs of points that can be shown.
    fn runs(&self, points: &[[f64; 2]]) -> Vec<Vec<[f64; 2]>> {
        points
            .split(|&p| self.place(p).is_none())
            .filter(|run| !run.is_empty())
            .map(|run| run.iter().filter_map(|&p| self.place(p)).collect())
            .collect()
    }

    fn draw(&self, canvas: &mut Canvas, series: &Series, colour: Colour, index: usize) {
        for points in self.runs(&series.points) {
            match series.style {
                Style::Line => canvas.clipped(Item::Line { points, colour, width: 2.0, dash: None }),
                Style::Dashed => canvas.clipped(Item::Line { points, colour, width: 2.0, dash: Some(7.0) }),
                Style::Points => {
                    let polygons = points.iter().map(|&p| marker(p, index)).collect();
                    canvas.clipped(Item::Fill { polygons, colour, opacity: 1.0 });
                }
                Style::Loop => {
                    canvas.clipped(Item::Fill { polygons: vec![points.clone()], colour, opacity: 0.25 });
                    let closed = points.iter().chain(points.first()).copied().collect();
                    canvas.clipped(Item::Line { points: closed, colour, width: 1.6, dash: None });
                }
            }
        }
    }

    /// A corner of the data box where a legend of this size hides no data.
    fn free_corner(&self, plot: &Plot, [w, h]: [f64; 2]) -> Option<[f64; 2]> {
        let [left, top, right, bottom] = self.area;
        let (x, y) = ([left + 10.0, right - w - 10.0], [top + 10.0, bottom - h - 10.0]);
        // A legend that fills most of the box would leave no room to read the data.
        if w > 0.6 * (right - left) || h > 0.6 * (bottom - top) {
            return None;
        }
        let inside = |p: [f64; 2], [cx, cy]: [f64; 2]| {
            p[0] > cx - 6.0 && p[0] < cx + w + 6.0 && p[1] > cy - 6.0 && p[1] < cy + h + 6.0
        };
        let mut marks = Vec::new();
        for series in &plot.series {
            for run in self.runs(&series.points) {
                marks.extend(run.first());
                if series.style == Style::Points {
                    marks.extend(run);
                    continue;
                }
                for pair in run.windows(2) {
                    let length = (pair[1][0] - pair[0][0]).hypot(pair[1][1] - pair[0][1]);
                    // Every 4 px, and a bound for lines that leave the picture by far.
                    let steps = (length / 4.0).ceil().clamp(1.0, 4000.0);
                    marks.extend((0..=steps as usize).map(|k| {
                        let t = k as f64 / steps;
                        [0, 1].map(|i| pair[0][i] + t * (pair[1][i] - pair[0][i]))
                    }));
                }
            }
        }
        [[x[1], y[0]], [x[0], y[0]], [x[1], y[1]], [x[0], y[1]]]
            .into_iter()
            .find(|&corner| !marks.iter().any(|&p| inside(p, corner)))
    }
}

/// Widens one of two ranges so that a unit is as long on both axes.
fn equalise(x: &mut Scale, y: &mut Scale) {
    let per_pixel = |s: &Scale| (s.high - s.low) / (s.pixels[1] - s.pixels[0]).abs();
    let wanted = per_pixel(x).max(per_pixel(y));
    for scale in [x, y] {
        let extra = 0.5 * (wanted / per_pixel(scale) - 1.0) * (scale.high - scale.low);
        scale.low -= extra;
        scale.high += extra;
    }
}

fn axes(canvas: &mut Canvas, layout: &Layout, [x_label, y_label]: [&str; 2]) {
    let [left, top, right, bottom] = layout.area;
    let (x, y) = (layout.x.ticks(80.0), layout.y.ticks(50.0));
    let placed = |scale: &Scale, ticks: &Ticks| -> Vec<(f64, String)> {
        ticks.major.iter().filter_map(|(v, label)| Some((scale.pixel(*v)?, label.clone()))).collect()
    };
    for (p, label) in placed(&layout.x, &x) {
        canvas.line(vec![[p, top], [p, bottom]], Colour::PALE, 1.0);
        canvas.text([p, bottom + 14.0], label, TICK, Anchor::Middle);
    }
    for (p, label) in placed(&layout.y, &y) {
        canvas.line(vec![[left, p], [right, p]], Colour::PALE, 1.0);
        canvas.text([left - 8.0, p], label, TICK, Anchor::End);
    }
    for p in x.minor.iter().filter_map(|&v| layout.x.pixel(v)) {
        canvas.line(vec![[p, bottom], [p, bottom - 4.0]], Colour::GREY, 0.8);
    }
    for p in y.minor.iter().filter_map(|&v| layout.y.pixel(v)) {
        canvas.line(vec![[left, p], [left + 4.0, p]], Colour::GREY, 0.8);
    }
    let frame = vec![[left, top], [right, top], [right, bottom], [left, bottom], [left, top]];
    canvas.line(frame, Colour::GREY, 1.0);
    if let Some(power) = x.power {
        canvas.text([right, bottom + 32.0], power, TICK, Anchor::End);
    }
    if let Some(power) = y.power {
        canvas.text([left, top - 11.0], power, TICK, Anchor::Start);
    }
    canvas.text([0.5 * (left + right), bottom + 37.0], x_label, LABEL, Anchor::Middle);
    let (at, text) = ([16.0, 0.5 * (top + bottom)], y_label.to_owned());
    let label = Item::Text { at, text, size: LABEL, anchor: Anchor::Middle, colour: Colour::BLACK, upright: false };
    canvas.items.push((label, false));
}

fn draw_legend(canvas: &mut Canvas, plot: &Plot, named: &[usize], [left, top]: [f64; 2], [w, h]: [f64; 2]) {
    let frame = vec![[left, top], [left + w, top], [left + w, top + h], [left, top + h]];
    let white = Item::Fill { polygons: vec![frame.clone()], colour: Colour::WHITE, opacity: 0.85 };
    canvas.items.push((white, false));
    let closed = frame.iter().chain(frame.first()).copied().collect();
    canvas.line(closed, Colour::PALE, 1.0);
    for (row, &i) in named.iter().enumerate() {
        let series = &plot.series[i];
        let (start, y) = (left + 8.0, top + 5.0 + LEADING * (row as f64 + 0.5));
        let end = start + SAMPLE;
        let colour = colour(i, series);
        let item = match series.style {
            Style::Line => Item::Line { points: vec![[start, y], [end, y]], colour, width: 2.0, dash: None },
            Style::Dashed => Item::Line { points: vec![[start, y], [end, y]], colour, width: 2.0, dash: Some(7.0) },
            Style::Points => Item::Fill { polygons: vec![marker([0.5 * (start + end), y], i)], colour, opacity: 1.0 },
            Style::Loop => {
                let patch = vec![[start, y - 5.0], [end, y - 5.0], [end, y + 5.0], [start, y + 5.0]];
                Item::Fill { polygons: vec![patch], colour, opacity: 0.4 }
            }
        };
        canvas.items.push((item, false));
        canvas.text([end + 8.0, y], series.name.clone(), TICK, Anchor::Start);
    }
}

/// A round, square, triangular or diamond mark, by series.
fn marker([x, y]: [f64; 2], index: usize) -> Vec<[f64; 2]> {
    let (sides, turn, radius): (u32, f64, f64) = match index % 4 {
        0 => (16, 0.0, 3.6),
        1 => (4, 0.25, 4.6),
        2 => (3, 0.25, 5.0),
        _ => (4, 0.0, 4.8),
    };
    (0..sides)
        .map(|k| {
            let angle = std::f64::consts::TAU
                * (f64::from(k) + turn * f64::from(sides) / if sides == 3 { 1.0 } else { 2.0 })
                / f64::from(sides);
            [x + radius * angle.cos(), y - radius * angle.sin()]
        })
        .collect()
}
