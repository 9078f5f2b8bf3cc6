//! Writes one clip in every format, and what a reader should find there: `write_samples FOLDER`.
//!
//! `cargo xtask readers` runs it and opens the files with programs that are not ours.

#[path = "../tests/common/sheet.rs"]
mod sheet;

use glam::DVec3;
use serde_json::{Value, json};
use std::error::Error;
use std::path::Path;
use toile_io::atomic::write_atomically;
use toile_io::formats::{FORMATS, write};
use toile_io::surface::{Clip, On};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: write_samples FOLDER")?;
    let folder = Path::new(&folder);
    let clip = sheet::waving_sheet(50, 40, 12);
    let mut expected = expectation(&clip);
    for format in FORMATS {
        // A folder each: two point caches bring an OBJ of the same name.
        let files = write(format.name, &clip, &folder.join(format.name), "sheet")?;
        let names = files.iter().filter_map(|f| f.strip_prefix(folder).ok()).map(|f| f.display().to_string());
        expected["files"][format.name] = names.collect();
    }
    write_atomically(folder.join("expected.json"), serde_json::to_string_pretty(&expected)?)?;
    Ok(())
}

fn expectation(clip: &Clip) -> Value {
    let bounds = |points: &[DVec3]| {
        let low = points.iter().fold(DVec3::INFINITY, |b, p| b.min(*p));
        let high = points.iter().fold(DVec3::NEG_INFINITY, |b, p| b.max(*p));
        json!([low.to_array(), high.to_array()])
    };
    let fields = clip.frames[clip.frames.len() - 1].fields.iter().map(|f| {
        let on = if f.on == On::Vertices { "vertices" } else { "triangles" };
        let sum: f64 = f.values.iter().map(|v| f64::from(*v)).sum();
        json!({"name": f.name, "unit": f.unit, "on": on, "count": f.values.len(), "last_mean": sum / f.values.len() as f64})
    });
    json!({
        "name": clip.surface.name,
        "vertices": clip.surface.mesh.positions.len(),
        "triangles": clip.surface.mesh.triangles.len(),
        "rest_area_m2": clip.surface.mesh.total_rest_area(),
        "parts": clip.surface.parts.iter().map(|p| json!({"name": p.name, "triangles": p.triangles.len()})).collect::<Vec<_>>(),
        "times_s": clip.frames.iter().map(|f| f.time).collect::<Vec<_>>(),
        "bounds_m": clip.frames.iter().map(|f| bounds(&f.positions)).collect::<Vec<_>>(),
        "rest_bounds_m": bounds(&clip.surface.mesh.positions),
        "fields": fields.collect::<Vec<_>>(),
        "files": {},
    })
}
