//! What is made of a run's folder: pictures, exports, the report. All of it comes from the folder alone, so it can be made again
//! with other wishes long after the run.

mod page;
mod report;

pub(crate) use page::Page;
pub use report::report;

use crate::render::{self, Camera, Drawn, Image, RenderError, View};
use crate::run::{Clock, Folder, Record, RunError};
use glam::DVec3;
use std::path::{Path, PathBuf};
use toile_io::Problem;
use toile_io::atomic::{WriteError, write_atomically};
use toile_io::formats::{self, ExportError};
use toile_io::run::{Frame, Props, Wardrobe, frame_count, read_frame};
use toile_io::scene::{Animation, Paint, Picture, Scene};
use toile_io::surface::{self, Clip, Field};

/// Most frames of a moving picture; longer runs are thinned out.
const ANIMATION_FRAMES: usize = 120;
/// Width of a moving picture and of one picture of a strip (px).
const SMALL_WIDTH: usize = 480;

/// Why something could not be made of a run.
#[derive(Debug, thiserror::Error)]
pub enum ResultError {
    /// A file of the folder cannot be used.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Problems(Vec<Problem>),
    /// The folder has no frames.
    #[error("{}: there are no frames in it; is it the folder of a run?", .0.display())]
    Empty(PathBuf),
    /// There is no such frame.
    #[error("there is no frame {number}: the run has {count}, counted from 0")]
    Frame {
        /// Asked for.
        number: usize,
        /// Frames there are.
        count: usize,
    },
    /// The run has no such numbers.
    #[error("the run has no {name}: {why}")]
    Field {
        /// What was asked for.
        name: String,
        /// Why it is not there.
        why: &'static str,
    },
    /// A picture could not be made.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// A format could not be written.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// The folder of a run, opened to be looked at.
pub struct Results {
    folder: PathBuf,
    /// Its cloths.
    pub wardrobe: Wardrobe,
    /// What stood in their way.
    pub props: Props,
    /// Its frames.
    pub frames: usize,
}

impl Results {
    /// Opens a folder.
    pub fn open(folder: &Path) -> Result<Self, ResultError> {
        let frames = frame_count(folder);
        if frames == 0 {
            return Err(ResultError::Empty(folder.to_owned()));
        }
        let wardrobe = Wardrobe::read(&folder.join("cloth.npz")).map_err(ResultError::Problems)?;
        let props = Props::read(&folder.join("obstacles.npz")).map_err(ResultError::Problems)?;
        Ok(Self { folder: folder.to_owned(), wardrobe, props, frames })
    }

    /// A frame.
    pub fn frame(&self, number: usize) -> Result<Frame, ResultError> {
        if number >= self.frames {
            return Err(ResultError::Frame { number, count: self.frames });
        }
        read_frame(&self.folder, number, &self.wardrobe).map_err(ResultError::Problems)
    }

    fn cuts(&self, number: usize) -> Result<Cut, ResultError> {
        let frame = self.frame(number)?;
        let cloths = (0..self.wardrobe.surfaces.len()).map(|k| self.wardrobe.cut(&frame, k)).collect();
        Ok(Cut { time: frame.time, cloths, obstacles: self.props.positions(&frame) })
    }

    /// Evenly chosen frames, the first and the last among them.
    fn chosen(&self, count: usize) -> Vec<usize> {
        let count = count.clamp(1, self.frames);
        if count == 1 {
            return vec![self.frames - 1];
        }
        (0..count).map(|k| k * (self.frames - 1) / (count - 1)).collect()
    }

    /// One picture of a frame.
    pub fn still(&self, picture: &Picture, number: usize) -> Result<Image, ResultError> {
        let cut = self.cuts(number)?;
        let view = self.view(picture, std::slice::from_ref(&cut));
        let shown = self.shown(picture, std::slice::from_ref(&cut))?;
        Ok(render::still(&self.drawn(&shown, &cut, 0), &view)?)
    }

    /// Several times side by side.
    pub fn strip(&self, picture: &Picture, count: usize) -> Result<Image, ResultError> {
        let cuts = self.chosen(count).into_iter().map(|n| self.cuts(n)).collect::<Result<Vec<_>, _>>()?;
        let shown = self.shown(picture, &cuts)?;
        let height = SMALL_WIDTH * picture.size[1] / picture.size[0].max(1);
        let view = View { size: [SMALL_WIDTH, height.max(16)], ..self.view(picture, &cuts) };
        let frames: Vec<(f64, Vec<Drawn>)> =
            cuts.iter().enumerate().map(|(k, c)| (c.time, self.drawn(&shown, c, k))).collect();
        Ok(render::strip(&frames, &view)?)
    }

    /// The cloth of a frame, seen from all sides.
    pub fn turntable(&self, picture: &Picture, number: usize, count: usize) -> Result<Vec<Image>, ResultError> {
        let cut = self.cuts(number)?;
        let shown = self.shown(picture, std::slice::from_ref(&cut))?;
        let view = View { size: small(picture), ..self.view(picture, std::slice::from_ref(&cut)) };
        Ok(render::turntable(&self.drawn(&shown, &cut, 0), &view, count)?)
    }

    /// The run as a moving picture: its frames, and the seconds between them.
    pub fn movie(&self, picture: &Picture) -> Result<(Vec<Image>, f64), ResultError> {
        let stride = self.frames.div_ceil(ANIMATION_FRAMES).max(1);
        let numbers: Vec<usize> = (0..self.frames).step_by(stride).collect();
        let cuts = numbers.iter().map(|&n| self.cuts(n)).collect::<Result<Vec<_>, _>>()?;
        let shown = self.shown(picture, &cuts)?;
        let view = View { size: small(picture), ..self.view(picture, &cuts) };
        let images = cuts.iter().enumerate().map(|(k, c)| render::still(&self.drawn(&shown, c, k), &view));
        let images = images.collect::<Result<Vec<_>, _>>()?;
        let span = cuts.last().map_or(0.0, |c| c.time) - cuts.first().map_or(0.0, |c| c.time);
        Ok((images, if cuts.len() > 1 && span > 0.0 { span / (cuts.len() - 1) as f64 } else { 0.04 }))
    }

    /// Everything of a frame: the cloths as the paint has them, the obstacles matte. The floor of the scene is that of the picture.
    fn drawn<'a>(&'a self, shown: &'a Shown, cut: &'a Cut, number: usize) -> Vec<Drawn<'a>> {
        let mut all = shown.drawn(&self.wardrobe, cut, number);
        for (k, surface) in self.props.surfaces.iter().enumerate() {
            let is_floor = self.props.is_endless[k]
                && self.props.floor.is_some_and(|f| cut.obstacles[k].iter().all(|p| (p.y - f).abs() < 1e-9));
            if !is_floor {
                all.push(Drawn::new(surface, &cut.obstacles[k], render::Paint::Matte(surface.colour)));
            }
        }
        all
    }

    /// Camera, floor and the box that all the given frames fit in.
    fn view(&self, picture: &Picture, cuts: &[Cut]) -> View {
        let cloth = cuts.iter().flat_map(|c| c.cloths.iter().flat_map(|f| &f.positions));
        let has_ends = |(k, _): &(usize, &Vec<DVec3>)| !self.props.is_endless[*k];
        let obstacles = cuts.iter().flat_map(|c| c.obstacles.iter().enumerate().filter(has_ends)).flat_map(|o| o.1);
        let frame = render::bounds(cloth.chain(obstacles));
        let [azimuth_deg, elevation_deg] = picture.camera_deg;
        let below = |[low, high]: [DVec3; 2]| low.y - 0.08 * (high.y - low.y).max(0.2);
        View {
            camera: Camera::Orbit { azimuth_deg, elevation_deg, distance: None },
            size: picture.size,
            floor: picture.floor.or(self.props.floor).or(frame.map(below)),
            frame,
            ..View::default()
        }
    }

    /// The fields that the paint shows, and the value at their red end.
    fn shown(&self, picture: &Picture, cuts: &[Cut]) -> Result<Shown, ResultError> {
        let Some((name, label)) = map_name(picture.paint) else {
            return Ok(Shown {
                paint: picture.paint,
                checker: picture.checker,
                fields: Vec::new(),
                label: "",
                max: 1.0,
            });
        };
        let mut fields: Vec<Vec<Field>> = Vec::new();
        for cut in cuts {
            let of = |f: &surface::Frame| f.fields.iter().find(|f| f.name == name).cloned();
            let found: Option<Vec<Field>> = cut.cloths.iter().map(of).collect();
            fields.push(found.ok_or_else(|| missing(label))?);
        }
        let all = fields.iter().flatten().flat_map(|f| &f.values).filter(|v| v.is_finite());
        let largest = f64::from(all.copied().fold(0.0f32, f32::max));
        let max = picture.map_maximum.unwrap_or_else(|| rounded_up(largest));
        Ok(Shown { paint: picture.paint, checker: picture.checker, fields, label, max })
    }

    /// Writes cloths and obstacles in a format, one file set for each; as GLB also all of them together in `scene.glb`.
    pub fn export(&self, name: &str, folder: &Path) -> Result<Vec<PathBuf>, ResultError> {
        let frames = (0..self.frames).map(|n| self.frame(n)).collect::<Result<Vec<_>, _>>()?;
        let cloths = (0..self.wardrobe.surfaces.len()).map(|k| self.wardrobe.clip(&frames, k));
        let clips: Vec<Clip> =
            cloths.chain((0..self.props.surfaces.len()).map(|k| self.obstacle(&frames, k))).collect();
        let mut written = Vec::new();
        for clip in &clips {
            written.extend(formats::write(name, clip, folder, &file_name(&clip.surface.name))?);
        }
        if name == "glb" && clips.len() > 1 {
            let path = folder.join("scene.glb");
            write_atomically(&path, formats::glb::scene_bytes(&clips)?)?;
            written.push(path);
        }
        Ok(written)
    }

    /// An obstacle with all its frames; with one where it stands still.
    fn obstacle(&self, frames: &[Frame], number: usize) -> Clip {
        let shown = if self.props.is_moving[number] { frames } else { &frames[..frames.len().min(1)] };
        let one = |frame: &Frame| surface::Frame {
            time: frame.time,
            positions: self.props.positions(frame).swap_remove(number),
            fields: Vec::new(),
        };
        Clip { surface: self.props.surfaces[number].clone(), frames: shown.iter().map(one).collect() }
    }
}

/// All cloths of a frame.
struct Cut {
    time: f64,
    cloths: Vec<surface::Frame>,
    /// Vertices of each obstacle.
    obstacles: Vec<Vec<DVec3>>,
}

struct Shown {
    paint: Paint,
    checker: f64,
    /// By frame and cloth.
    fields: Vec<Vec<Field>>,
    label: &'static str,
    max: f64,
}

impl Shown {
    fn drawn<'a>(&'a self, wardrobe: &'a Wardrobe, cut: &'a Cut, number: usize) -> Vec<Drawn<'a>> {
        let one = |k: usize| {
            let paint = match self.paint {
                Paint::Fabric => render::Paint::Fabric,
                Paint::Checker => render::Paint::Checker { size_m: self.checker },
                Paint::Stripes => render::Paint::Stripes { size_m: self.checker },
                _ => render::Paint::Map { field: &self.fields[number][k], max: self.max, label: self.label },
            };
            Drawn::new(&wardrobe.surfaces[k], &cut.cloths[k].positions, paint)
        };
        (0..wardrobe.surfaces.len()).map(one).collect()
    }
}

fn missing(label: &str) -> ResultError {
    let why = match label {
        "pressure" => "its scene has no contact",
        _ => "its membrane model has no strains by triangle",
    };
    ResultError::Field { name: label.to_string(), why }
}

/// Field and words of a map.
fn map_name(paint: Paint) -> Option<(&'static str, &'static str)> {
    match paint {
        Paint::Fabric | Paint::Checker | Paint::Stripes => None,
        Paint::StrainWeft => Some(("strain_weft", "strain weft")),
        Paint::StrainWarp => Some(("strain_warp", "strain warp")),
        Paint::StrainShear => Some(("strain_shear", "shear strain")),
        Paint::StressWeft => Some(("stress_weft", "stress weft")),
        Paint::StressWarp => Some(("stress_warp", "stress warp")),
        Paint::StressShear => Some(("stress_shear", "shear stress")),
        Paint::Pressure => Some(("pressure", "pressure")),
    }
}

fn small(picture: &Picture) -> [usize; 2] {
    let width = picture.size[0].min(SMALL_WIDTH);
    [width, (width * picture.size[1] / picture.size[0].max(1)).max(16)]
}

/// The next of 1, 2, 5, 10, … at or above a number.
pub(crate) fn rounded_up(value: f64) -> f64 {
    if !(value > 0.0) {
        return 1.0;
    }
    let power = 10f64.powf(value.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|f| f * power).into_iter().find(|v| *v >= value * (1.0 - 1e-9)).unwrap_or(value)
}

/// A name of a scene or cloth as the name of a file or folder.
pub fn file_name(name: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    let safe: String = name.to_lowercase().chars().map(safe).collect();
    if safe.is_empty() { "unnamed".into() } else { safe }
}

/// A moving picture as bytes, and the extension of its file.
pub fn animation(images: &[Image], seconds: f64, kind: Animation) -> Result<(Vec<u8>, &'static str), RenderError> {
    match kind {
        // Viewers show APNG files called .png.
        Animation::Apng => Ok((render::apng(images, seconds)?, "png")),
        Animation::Gif => Ok((render::gif(images, seconds)?, "gif")),
    }
}

/// After a run: preview, strip, moving picture, exports and report, as the scene wants them. Adds their time to the record.
pub fn finish(scene: &Scene, folder: &Folder, record: &mut Record, clock: &Clock) -> Result<Vec<PathBuf>, RunError> {
    make(scene, folder, record, clock).map_err(|error| match error {
        ResultError::Problems(problems) => RunError::Problems(problems),
        ResultError::Export(source) => RunError::Write { source },
        ResultError::Write(source) => source.into(),
        other => RunError::Folder(other.to_string()),
    })
}

fn make(scene: &Scene, folder: &Folder, record: &mut Record, clock: &Clock) -> Result<Vec<PathBuf>, ResultError> {
    clock.enter(crate::run::Part::Pictures);
    let results = Results::open(folder.path())?;
    let mut made = Vec::new();
    let mut put = |name: &str, bytes: Vec<u8>| -> Result<PathBuf, ResultError> {
        let path = folder.file(name);
        write_atomically(&path, bytes)?;
        made.push(path.clone());
        Ok(path)
    };
    let preview = results.still(&scene.picture, results.frames - 1)?.png()?;
    put("preview.png", preview.clone())?;
    let strip = match scene.picture.strip {
        0 => None,
        count => Some(results.strip(&scene.picture, count)?.png()?),
    };
    if let Some(strip) = &strip {
        put("strip.png", strip.clone())?;
    }
    if let Some(kind) = scene.picture.animation {
        let (images, seconds) = results.movie(&scene.picture)?;
        let (bytes, extension) = animation(&images, seconds, kind)?;
        put(&format!("animation.{extension}"), bytes)?;
    }
    clock.enter(crate::run::Part::Write);
    let exports = folder.file("exports");
    for format in &scene.output.formats {
        made.extend(results.export(format, &exports)?);
    }
    record.take_times(clock);
    let page = report(record, folder, &preview, strip.as_deref())?;
    let path = folder.file("report.html");
    write_atomically(&path, page)?;
    made.push(path);
    Ok(made)
}
