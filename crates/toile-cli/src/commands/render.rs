//! `toile render`: pictures of a run.

use crate::Common;
use crate::output::{Failure, Output};
use std::path::{Path, PathBuf};
use toile::io::atomic::write_atomically;
use toile::io::scene::{Animation, Paint, Picture};
use toile::results::{ResultError, Results, animation};

/// Make pictures of a run: stills, strips, turntables, moving pictures
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Folder of the run
    run: PathBuf,
    /// What to make
    #[arg(long, value_enum, default_value = "still")]
    kind: Kind,
    /// Frame, from 0; the last when left out
    #[arg(long)]
    frame: Option<usize>,
    /// What colours the cloth
    #[arg(long, value_parser = paint, default_value = "fabric")]
    paint: Paint,
    /// Side of a square of the checker, or width of a stripe
    #[arg(long, default_value_t = 40.0, value_name = "MM")]
    checker_mm: f64,
    /// Value at the red end of a map (% of strain, N/m of stress, Pa of pressure); a round number above the largest when left out
    #[arg(long, value_name = "VALUE")]
    map_maximum: Option<f64>,
    /// Degrees from the front (+z) towards the right (+x)
    #[arg(long, default_value_t = 25.0, allow_negative_numbers = true)]
    azimuth_deg: f64,
    /// Degrees above the horizon
    #[arg(long, default_value_t = 12.0, allow_negative_numbers = true)]
    elevation_deg: f64,
    /// Width and height in pixels
    #[arg(long, default_value = "1280x960")]
    size: String,
    /// Height of the floor; just below the cloth when left out
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    floor_m: Option<f64>,
    /// Pictures of a strip or turntable
    #[arg(long, default_value_t = 8)]
    count: usize,
    /// Format of moving pictures
    #[arg(long, value_enum, default_value = "apng")]
    animation: AnimationName,
    /// File to write; in the folder of the run when left out
    #[arg(long)]
    file: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    Still,
    Strip,
    Turntable,
    Movie,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum AnimationName {
    Apng,
    Gif,
}

pub(crate) fn run(a: &Arguments, _common: &Common, output: &mut Output) -> Result<(), Failure> {
    let picture = picture(a)?;
    let results = Results::open(&a.run).map_err(failure)?;
    let last = a.frame.unwrap_or(results.frames - 1);
    let kind = match a.animation {
        AnimationName::Apng => Animation::Apng,
        AnimationName::Gif => Animation::Gif,
    };
    let count = a.count.clamp(1, 360);
    let (name, bytes) = match a.kind {
        Kind::Still => ("still.png".into(), results.still(&picture, last).and_then(|i| Ok(i.png()?)).map_err(failure)?),
        Kind::Strip => {
            ("strip.png".into(), results.strip(&picture, count).and_then(|i| Ok(i.png()?)).map_err(failure)?)
        }
        Kind::Turntable => {
            let images = results.turntable(&picture, last, count).map_err(failure)?;
            let (bytes, extension) = animation(&images, 4.0 / count as f64, kind).map_err(Failure::failed)?;
            (format!("turntable.{extension}"), bytes)
        }
        Kind::Movie => {
            let (images, seconds) = results.movie(&picture).map_err(failure)?;
            let (bytes, extension) = animation(&images, seconds, kind).map_err(Failure::failed)?;
            (format!("animation.{extension}"), bytes)
        }
    };
    let path = a.file.clone().unwrap_or_else(|| a.run.join(Path::new(&name)));
    write_atomically(&path, bytes).map_err(Failure::failed)?;
    if output.json {
        return output.record(&serde_json::json!({ "file": path.display().to_string() }));
    }
    output.line(path.display().to_string())
}

pub(super) fn failure(error: ResultError) -> Failure {
    match error {
        ResultError::Write(_) | ResultError::Export(_) => Failure::failed(error),
        _ => Failure::input(error),
    }
}

/// A paint by the name it has in scene files.
fn paint(name: &str) -> Result<Paint, String> {
    serde_json::from_value(name.into()).map_err(|error| error.to_string())
}

fn picture(a: &Arguments) -> Result<Picture, Failure> {
    let bad = || Failure::input(format!("--size {}: expected width and height as 1280x960, 16 to 8192 each", a.size));
    let (width, height) = a.size.split_once('x').ok_or_else(bad)?;
    let side = |text: &str| text.parse::<usize>().ok().filter(|n| (16..=8192).contains(n)).ok_or_else(bad);
    for (name, value) in [("--checker-mm", Some(a.checker_mm)), ("--map-maximum", a.map_maximum)] {
        if value.is_some_and(|v| !(v > 0.0 && v.is_finite())) {
            return Err(Failure::input(format!("{name}: expected a positive number")));
        }
    }
    Ok(Picture {
        paint: a.paint,
        checker: 1e-3 * a.checker_mm,
        map_maximum: a.map_maximum,
        camera_deg: [a.azimuth_deg, a.elevation_deg],
        size: [side(width)?, side(height)?],
        floor: a.floor_m,
        strip: 0,
        animation: None,
    })
}
