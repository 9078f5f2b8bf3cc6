//! The folder of a draping.

use super::{DressError, Figures, Inputs, Laps, Outcome, Record, flat, pictures, record, report, techsheet};
use std::path::PathBuf;
use toile_io::atomic::write_atomically;
use toile_io::body::still;
use toile_io::formats;
use toile_io::garment::sheet::{self, Sheet};
use toile_io::surface::{Clip, Field, Frame, On};

use crate::results::file_name;
use crate::run::Folder;

/// Measures the result and writes the folder: all of it, or only numbers (`bare`). Returns the record and the other files. The record is
/// written last: where it is, the folder is whole.
pub fn write(
    inputs: &Inputs,
    outcome: &Outcome,
    folder: &Folder,
    bare: bool,
    laps: &mut Laps,
) -> Result<(Record, Vec<PathBuf>), DressError> {
    laps.enter("measuring");
    let figures = Figures::of(inputs, outcome)?;
    let mut record = Record::of(inputs, outcome, &figures);
    let mut made = Vec::new();
    let mut put = |name: &str, bytes: &[u8]| -> Result<(), DressError> {
        let path = folder.file(name);
        write_atomically(&path, bytes)?;
        made.push(path);
        Ok(())
    };
    put("fit.csv", record::fit(&figures).as_bytes())?;
    if !bare {
        let worn = flat::worn(inputs, &outcome.cloth)?;
        laps.enter("pictures");
        let mut images = pictures::all(inputs, &worn, &figures)?;
        images.extend(flat::maps(&worn, &figures)?);
        laps.enter("writing");
        for (name, bytes) in &images {
            put(name, bytes)?;
        }
        let pattern = sheet::svg(&inputs.garment, &flat::sheet(&inputs.garment, Sheet::default())?)?;
        put("pattern.svg", pattern.as_bytes())?;
        // Each is cut from its own fabric.
        for piece in inputs.pieces.iter().filter(|_| inputs.pieces.len() > 1) {
            let own = sheet::svg(&piece.garment, &flat::sheet(&piece.garment, Sheet::default())?)?;
            put(&format!("pattern-{}.svg", file_name(&piece.garment.name)), own.as_bytes())?;
        }
        let preview = images.iter().find(|i| i.0 == "preview.png").map_or(&[][..], |i| &i.1);
        put("techsheet.html", techsheet::techsheet(inputs, &figures, preview, &pattern)?.as_bytes())?;
        made.extend(surfaces(inputs, worn, &figures, folder)?);
        record.take_times(laps);
        let page = report::report(&record, &figures, outcome, &images, &pattern);
        let path = folder.file("report.html");
        write_atomically(&path, page)?;
        made.push(path);
    }
    record.take_times(laps);
    let text = serde_json::to_string_pretty(&record).unwrap_or_default();
    write_atomically(folder.file("run.json"), text + "\n")?;
    Ok((record, made))
}

/// The garment as GLB and OBJ, with its seams sewn and open, the body as GLB, and both with maps as colours of their vertices.
fn surfaces(inputs: &Inputs, worn: flat::Worn, figures: &Figures, folder: &Folder) -> Result<Vec<PathBuf>, DressError> {
    let field = |name: &str, unit: &str, values: &[[f64; 3]], mode: usize| Field {
        name: name.into(),
        unit: unit.into(),
        on: On::Triangles,
        values: worn.order.iter().map(|t| values[*t][mode] as f32).collect(),
    };
    let fields = vec![
        field("strain_weft", "–", &figures.strains, 0),
        field("strain_warp", "–", &figures.strains, 1),
        field("strain_shear", "–", &figures.strains, 2),
        field("stress_weft", "N/m", &figures.stresses, 0),
        field("stress_warp", "N/m", &figures.stresses, 1),
        field("stress_shear", "N/m", &figures.stresses, 2),
    ];
    let colours = pictures::strain_colours(&worn, figures);
    let (open, _) = formats::opened(&worn.surface);
    let frame = Frame { time: 0.0, positions: worn.surface.mesh.positions.clone(), fields };
    let garment = Clip { surface: worn.surface, frames: vec![frame] };
    let body = still(inputs.body.clone());
    let mut made = formats::write("glb", &garment, folder.path(), "garment")?;
    made.extend(formats::write("obj", &garment, folder.path(), "garment")?);
    made.extend(formats::write("obj", &still(open), folder.path(), "garment_open")?);
    made.extend(formats::write("glb", &body, folder.path(), "body")?);
    let coloured = [
        ("garment_strain.glb", formats::glb::bytes(&garment, Some(&colours))?),
        ("body_pressure.glb", formats::glb::bytes(&body, Some(&pictures::pressure_colours(figures)))?),
    ];
    for (name, bytes) in coloured {
        let path = folder.file(name);
        write_atomically(&path, bytes)?;
        made.push(path);
    }
    Ok(made)
}
