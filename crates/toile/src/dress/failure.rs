//! What a draping that failed leaves behind: cloth as it lay, to be looked at.

use super::{DressError, Inputs, Laps, flat, pictures};
use crate::run::Folder;
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use toile_io::atomic::write_atomically;
use toile_io::body::still;
use toile_io::formats;

/// Writes why it failed, and a picture and a surface of the cloth as it lay; nothing where no cloth was cut yet. Returns the files.
pub fn write_failure(
    inputs: &Inputs,
    error: &DressError,
    folder: &Folder,
    laps: &Laps,
) -> Result<Vec<PathBuf>, DressError> {
    let left = if let DressError::Drape(error) = error { error.left() } else { None };
    let Some(cloth) = left else { return Ok(Vec::new()) };
    let worn = flat::worn(inputs, cloth)?;
    let seconds: Map<String, Value> = laps.seconds().into_iter().map(|(phase, s)| (phase, json!(s))).collect();
    let record = json!({
        "format": "toile-failure/1",
        "version": env!("CARGO_PKG_VERSION"),
        "name": inputs.name,
        "error": error.to_string(),
        "body": inputs.body_name,
        "edge_mm": 1e3 * inputs.edge,
        "triangles": cloth.mesh.triangles.len(),
        "seconds": seconds,
    });
    let picture = pictures::dressed(inputs, &worn.pieces(inputs))?.picture()?.png()?;
    let mut made = formats::write("glb", &still(worn.surface), folder.path(), "failure")?;
    for (name, bytes) in [("failure.png", picture), ("failure.json", format!("{record:#}\n").into_bytes())] {
        let path = folder.file(name);
        write_atomically(&path, bytes)?;
        made.push(path);
    }
    Ok(made)
}
