//! Plots for reports: axes with units, legends, log scales, maps on flat meshes; as SVG, PNG and CSV.
//!
//! The same input gives the same bytes, on any machine: layout and letters of the PNG are our own, and the SVG names
//! common fonts without measuring them.

mod canvas;
mod font;
mod heat;
mod layout;
mod raster;
mod ticks;

pub(crate) use canvas::{Anchor, Canvas, Colour, Item, escaped};
pub use heat::HeatMap;
pub(crate) use layout::text_width;
pub(crate) use raster::overlay;
pub(crate) use ticks::Scale;

/// Size of the SVG form (px).
const SIZE: [f64; 2] = [720.0, 450.0];

/// Curves over two axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// Title.
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// What is drawn, in order.
    pub series: Vec<Series>,
    /// Is a unit as long on both axes? For shapes; linear axes only.
    pub is_equal: bool,
}

/// An axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// Quantity and unit: `force (N)`.
    pub label: String,
    /// Logarithmic? Values that are not positive are left out then.
    pub log: bool,
    /// Ends; those of the data with a margin if None.
    pub range: Option<[f64; 2]>,
}

/// One curve or cloud of points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Name in the legend; none if empty.
    pub name: String,
    /// Points; one that is not finite interrupts a line.
    pub points: Vec<[f64; 2]>,
    /// How it is drawn.
    pub style: Style,
    /// Number of its colour; its place in the plot if None. A curve and its reference may share one.
    pub colour: Option<usize>,
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// A line.
    #[default]
    Line,
    /// A dashed line.
    Dashed,
    /// Marks.
    Points,
    /// A closed line with its inside tinted: a load–unload loop, a region.
    Loop,
}

/// Why a picture cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlotError {
    /// No pixels or too many.
    #[error("a picture of {width}×{height} pixels cannot be made: 1 to {largest} per side")]
    Size {
        /// Width (px).
        width: u32,
        /// Height (px).
        height: u32,
        /// Largest side (px).
        largest: u32,
    },
    /// The encoder failed.
    #[error("PNG: {0}")]
    Png(String),
}

impl Axis {
    /// A linear axis.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    /// A logarithmic axis.
    pub fn log(label: impl Into<String>) -> Self {
        Self { label: label.into(), log: true, range: None }
    }
}

impl Series {
    /// A series in the colour of its place.
    pub fn new(name: impl Into<String>, style: Style, points: Vec<[f64; 2]>) -> Self {
        Self { name: name.into(), points, style, colour: None }
    }
}

impl Plot {
    /// SVG text.
    pub fn svg(&self) -> String {
        layout::canvas(self, SIZE).svg()
    }

    /// A PNG of a size in pixels.
    pub fn png(&self, width: u32, height: u32) -> Result<Vec<u8>, PlotError> {
        raster::png(&layout::canvas(self, shape(width, height)), width, height)
    }

    /// Every point: `series,x,y` under a header with the labels of the axes.
    pub fn csv(&self) -> String {
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        let mut out = format!("series,{},{}\n", quoted(&self.x.label), quoted(&self.y.label));
        for series in &self.series {
            for [x, y] in &series.points {
                out.push_str(&format!("{},{x:?},{y:?}\n", quoted(&series.name)));
            }
        }
        out
    }
}

/// Layout size for a PNG: the width of the SVG, in the proportions wanted.
fn shape(width: u32, height: u32) -> [f64; 2] {
    [SIZE[0], SIZE[0] * f64::from(height.max(1)) / f64::from(width.max(1))]
}

/// A plot or a map.
#[derive(Clone, Debug, PartialEq)]
pub enum Picture {
    /// Curves.
    Plot(Plot),
    /// Values on triangles.
    Heat(HeatMap),
}

impl Picture {
    /// SVG text.
    pub fn svg(&self) -> String {
        match self {
            Self::Plot(plot) => plot.svg(),
            Self::Heat(map) => map.canvas(SIZE).svg(),
        }
    }

    /// A PNG of a size in pixels.
    pub fn png(&self, width: u32, height: u32) -> Result<Vec<u8>, PlotError> {
        match self {
            Self::Plot(plot) => plot.png(width, height),
            Self::Heat(map) => raster::png(&map.canvas(shape(width, height)), width, height),
        }
    }

    /// The numbers behind it.
    pub fn csv(&self) -> String {
        match self {
            Self::Plot(plot) => plot.csv(),
            Self::Heat(map) => map.csv(),
        }
    }
}

/// Maps in one PNG, so many in a row, each of a size in pixels.
pub fn sheet(maps: &[HeatMap], columns: usize, [width, height]: [u32; 2]) -> Result<Vec<u8>, PlotError> {
    let columns = columns.clamp(1, maps.len().max(1));
    let canvases: Vec<Canvas> = maps.iter().map(|map| map.canvas(shape(width, height))).collect();
    raster::sheet(&canvases, columns, [width, height])
}

impl From<Plot> for Picture {
    fn from(plot: Plot) -> Self {
        Self::Plot(plot)
    }
}

impl From<HeatMap> for Picture {
    fn from(map: HeatMap) -> Self {
        Self::Heat(map)
    }
}

#[cfg(test)]
mod tests;
