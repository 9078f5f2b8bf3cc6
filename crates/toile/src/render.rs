//! Pictures of cloth: a software renderer of our own, the same bytes for any number of threads.
//!
//! One visibility buffer says which triangle is seen where (`raster`); light comes from a soft key lamp with a shadow map
//! (`shadow`) and from a sky of lamps with a small map each (`occlusion`), so that folds darken where the sky does not
//! reach. Everything is computed in linear light and metres, y up; [`Image`] holds sRGB.

mod animate;
mod camera;
mod image;
mod legend;
mod occlusion;
mod paint;
mod raster;
mod scene;
mod shade;
mod shadow;
mod sides;

pub use animate::{apng, gif, strip, turntable};
pub use camera::{Camera, bounds};
pub use image::Image;
pub use paint::{Paint, map_colour};
pub use sides::{Sides, sides};

use camera::Eye;
use glam::DVec3;
use legend::Legend;
use occlusion::Sky;
use paint::Coat;
use scene::Scene;
use shade::Look;
use toile_io::surface::Surface;

/// Largest picture (pixels per side): the buffers of a square one with four samples per pixel take a gigabyte.
const LARGEST: usize = 4096;

/// A surface to be drawn.
#[derive(Clone, Copy, Debug)]
pub struct Drawn<'a> {
    /// Triangles, material coordinates and colour.
    pub surface: &'a Surface,
    /// Positions of its vertices (m). Triangles with a corner that is not finite are left out.
    pub positions: &'a [DVec3],
    /// How it is painted.
    pub paint: Paint<'a>,
    /// From 0, matte like cotton, to 1, shiny like satin.
    pub gloss: f64,
}

impl<'a> Drawn<'a> {
    /// A matte surface.
    pub fn new(surface: &'a Surface, positions: &'a [DVec3], paint: Paint<'a>) -> Self {
        Self { surface, positions, paint, gloss: 0.0 }
    }

    /// The same with a gloss from 0 to 1.
    pub fn with_gloss(self, gloss: f64) -> Self {
        Self { gloss: gloss.clamp(0.0, 1.0), ..self }
    }
}

/// From where, how large and in which light.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Where the eye is.
    pub camera: Camera,
    /// Width and height (pixels).
    pub size: [usize; 2],
    /// Samples per pixel and direction, 1 to 4.
    pub samples: usize,
    /// Key lamp and sky.
    pub light: Light,
    /// Height of the floor (m), which shows shadows only; none if None.
    pub floor: Option<f64>,
    /// Colour behind everything (sRGB, 0 to 1), slightly darker towards the corners.
    pub background: [f32; 3],
    /// Are the edges of the triangles drawn?
    pub wires: bool,
    /// Lowest and highest corner (m) of the box that automatic framing fits; that of what is drawn if None. Pictures of
    /// one motion share a box.
    pub frame: Option<[DVec3; 2]>,
}

/// The lamps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Where the key lamp stands, turned from the camera to the right (°).
    pub azimuth_deg: f64,
    /// Its height over the horizon (°).
    pub elevation_deg: f64,
    /// Radius of the lamp, as an angle (°): shadows soften with it.
    pub softness_deg: f64,
    /// Strength of the key lamp; 1 shows a white sheet that faces it as white.
    pub key: f64,
    /// Strength of the sky; 1 shows a white sheet under an open sky as white.
    pub sky: f64,
}

impl Default for View {
    fn default() -> Self {
        Self {
            camera: Camera::default(),
            size: [1280, 960],
            samples: 2,
            light: Light::default(),
            floor: None,
            background: [0.86, 0.865, 0.87],
            wires: false,
            frame: None,
        }
    }
}

impl Default for Light {
    fn default() -> Self {
        Self { azimuth_deg: -42.0, elevation_deg: 44.0, softness_deg: 4.0, key: 0.88, sky: 0.48 }
    }
}

/// Why a picture cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RenderError {
    /// No pixels or too many.
    #[error("a picture of {width}×{height} pixels cannot be made: 1 to {LARGEST} per side")]
    Size {
        /// Width (px).
        width: usize,
        /// Height (px).
        height: usize,
    },
    /// Too few or too many samples.
    #[error("{0} samples per pixel and direction: 1 to 4 are possible")]
    Samples(usize),
    /// A camera or lamp that is nowhere.
    #[error("the {0} is not a finite number: the camera and the lamp need a place")]
    NotFinite(&'static str),
    /// Positions that are not those of the surface.
    #[error("surface \"{name}\" has {vertices} vertices, but {positions} positions were given")]
    Positions {
        /// Name of the surface.
        name: String,
        /// Its vertices.
        vertices: usize,
        /// Positions given.
        positions: usize,
    },
    /// A triangle without one of its corners.
    #[error("triangle {triangle} of surface \"{name}\" uses vertex {vertex}, but there are only {count}")]
    Index {
        /// Name of the surface.
        name: String,
        /// Triangle.
        triangle: usize,
        /// Vertex it asks for.
        vertex: u32,
        /// Vertices there are.
        count: usize,
    },
    /// Numbers that are not those of the surface.
    #[error("field \"{field}\" has {values} values, but surface \"{name}\" needs {wanted}")]
    Field {
        /// Name of the field.
        field: String,
        /// Name of the surface.
        name: String,
        /// Values given.
        values: usize,
        /// Vertices or triangles.
        wanted: usize,
    },
    /// Paint for other surfaces than there are.
    #[error("{paints} paints for {surfaces} surfaces: one for each is needed")]
    Paints {
        /// Paints given.
        paints: usize,
        /// Surfaces there are.
        surfaces: usize,
    },
    /// Pictures of one animation or strip that differ in size, or none at all.
    #[error("an animation needs pictures of one size, at least one: {0}")]
    Frames(String),
    /// An encoder failed.
    #[error("{format}: {message}")]
    Encode {
        /// `PNG` or `GIF`.
        format: &'static str,
        /// What it said.
        message: String,
    },
}

/// One picture.
///
/// ```
/// use toile::render::{Drawn, Paint, View, still};
/// # let mesh = toile_core::mesh::Grid { cells: [2, 2], size: [1.0, 1.0], diagonal: toile_core::mesh::Diagonal::One }.mesh();
/// let surface = toile_io::surface::Surface { mesh, colour: [0.2, 0.25, 0.45], ..Default::default() };
/// let cloth = Drawn::new(&surface, &surface.mesh.positions, Paint::Checker { size_m: 0.1 });
/// let picture = still(&[cloth], &View { size: [64, 48], floor: Some(-0.5), ..View::default() })?;
/// let bytes: Vec<u8> = picture.png()?;
/// # assert!(bytes.len() > 100);
/// # Ok::<(), toile::render::RenderError>(())
/// ```
pub fn still(drawn: &[Drawn], view: &View) -> Result<Image, RenderError> {
    let scene = Scene::new(drawn)?;
    let corners = |[a, b]: [DVec3; 2]| -> Vec<DVec3> {
        (0..8).map(|k| DVec3::select(glam::BVec3::new(k & 1 > 0, k & 2 > 0, k & 4 > 0), a, b)).collect()
    };
    let framed = view.frame.map_or_else(|| scene.seen().collect(), corners);
    picture(&scene, &coats(drawn)?, Sky::new(&scene).as_ref(), view, &framed)
}

/// What the surfaces are painted with.
fn coats<'a>(drawn: &[Drawn<'a>]) -> Result<Vec<Coat<'a>>, RenderError> {
    drawn.iter().map(Coat::new).collect()
}

/// One picture with some points in the frame.
fn picture(
    scene: &Scene,
    coats: &[Coat],
    sky: Option<&Sky>,
    view: &View,
    framed: &[DVec3],
) -> Result<Image, RenderError> {
    check_size(view)?;
    let legend = Legend::of(coats, view.size);
    let eye = Eye::new(&view.camera, view.size, legend.as_ref().map_or(0, Legend::width), framed)?;
    let mut image = Look::new(scene, view, &eye, sky)?.painted(scene, coats);
    if let Some(legend) = legend {
        legend.draw(&mut image);
    }
    Ok(image)
}

fn check_size(view: &View) -> Result<(), RenderError> {
    let [width, height] = view.size;
    if width == 0 || height == 0 || width > LARGEST || height > LARGEST {
        return Err(RenderError::Size { width, height });
    }
    if !(1..=4).contains(&view.samples) {
        return Err(RenderError::Samples(view.samples));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
