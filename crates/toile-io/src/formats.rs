//! Formats of surfaces in motion: what other programs open, and what they hand back.
//!
//! Everything is in metres and seconds, y up, triangles counter-clockwise seen from the outside; a format that says so in
//! its own words does. Texture coordinates are material coordinates in metres: one unit of texture is one metre of cloth.

mod bytes;
mod cache;
mod clip;
mod faults;
pub mod glb;
mod gltf;
pub mod npz;
mod obj;
pub mod ply;
mod shape;
mod usda;
mod vtp;
mod zip;

pub use shape::opened;

use crate::atomic::{WriteError, write_atomically};
use crate::problem::{Problem, nearest};
use crate::surface::{Clip, Surface};
use std::path::{Path, PathBuf};

/// A format that can be written.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name on the command line.
    pub name: &'static str,
    /// Extension of the file to open; an animation may come with others.
    pub extension: &'static str,
    /// What it is for.
    pub summary: &'static str,
    /// Whether one opening shows the motion; otherwise the frames are a numbered series.
    pub animated: bool,
    /// Whether [`read_mesh`] or [`read_clip`] read it.
    pub reads: bool,
    write: fn(&Clip, &mut Sink<'_>) -> Result<(), ExportError>,
}

/// All formats.
#[rustfmt::skip] // one line each: it is a table
pub const FORMATS: &[Entry] = &[
    Entry { name: "glb", extension: "glb", summary: "glTF 2.0 binary with morph targets: web, Blender, viewers", animated: true, reads: true, write: glb::write },
    Entry { name: "obj", extension: "obj", summary: "Wavefront OBJ with panels as groups: everything", animated: false, reads: true, write: obj::write },
    Entry { name: "ply", extension: "ply", summary: "Stanford PLY, binary, with fields and colours: MeshLab, research code", animated: false, reads: true, write: ply::write },
    Entry { name: "usda", extension: "usda", summary: "USD text with time-sampled points and fields: Houdini, Maya, Omniverse, usdview", animated: true, reads: false, write: usda::write },
    Entry { name: "vtp", extension: "pvd", summary: "VTK poly data with all fields and a time index: ParaView", animated: true, reads: false, write: vtp::write },
    Entry { name: "pc2", extension: "pc2", summary: "point cache at even steps, with its OBJ: Blender, 3ds Max", animated: true, reads: true, write: cache::write_pc2 },
    Entry { name: "mdd", extension: "mdd", summary: "point cache with times, with its OBJ: Blender, LightWave, Houdini", animated: true, reads: true, write: cache::write_mdd },
    Entry { name: "npz", extension: "npz", summary: "numpy arrays in full precision: Python", animated: true, reads: true, write: clip::write_npz },
];

/// A surface could not be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// No format has this name.
    #[error("there is no format `{name}`{}", nearest.map_or_else(String::new, |n| format!("; did you mean `{n}`?")))]
    Unknown {
        /// The name.
        name: String,
        /// The known name most like it.
        nearest: Option<&'static str>,
    },
    /// Nothing to write.
    #[error("nothing to export: {0}")]
    Empty(&'static str),
    /// The clip contradicts itself.
    #[error("the clip cannot be exported: {0}")]
    Inconsistent(String),
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The format cannot hold this.
    #[error("{message}; {advice}")]
    Limit {
        /// What is too much, with the number.
        message: String,
        /// What to do.
        advice: String,
    },
}

/// Writes a clip as `folder/stem.*` and returns the files, the one to open last.
///
/// A format without motion gets the only frame as `stem.obj`, or all of them as `stem_000000.obj`, `stem_000001.obj`, … Every
/// file appears whole or not at all, and an index only after all that it names.
pub fn write(name: &str, clip: &Clip, folder: &Path, stem: &str) -> Result<Vec<PathBuf>, ExportError> {
    let Some(entry) = FORMATS.iter().find(|e| e.name == name) else {
        return Err(ExportError::Unknown { name: name.into(), nearest: nearest(name, FORMATS.iter().map(|e| e.name)) });
    };
    clip::check(clip)?;
    if stem.is_empty() || Path::new(stem).file_name() != Some(stem.as_ref()) {
        return Err(ExportError::Inconsistent(format!("`{stem}` is no name for a file")));
    }
    let mut sink = Sink { folder, stem, written: Vec::new() };
    (entry.write)(clip, &mut sink)?;
    Ok(sink.written)
}

/// Where a writer puts its files.
struct Sink<'a> {
    folder: &'a Path,
    stem: &'a str,
    written: Vec<PathBuf>,
}

impl Sink<'_> {
    /// Writes the file named by the stem and what follows it.
    fn put(&mut self, suffix: &str, content: impl AsRef<[u8]>) -> Result<(), ExportError> {
        let path = self.folder.join(format!("{}{suffix}", self.stem));
        write_atomically(&path, content)?;
        self.written.push(path);
        Ok(())
    }
}

/// Reads a surface at rest from OBJ, PLY, GLB or glTF, told apart by the extension.
///
/// Polygons become fans of triangles; those that use a vertex twice are left out. Texture coordinates become material
/// coordinates as they stand, with v upwards: the scene knows how many metres one unit is.
pub fn read_mesh(path: &Path) -> Result<Surface, Vec<Problem>> {
    mesh_from_bytes(&read_file(path)?, path)
}

/// The same from memory; the path names the format, and the folder in which glTF looks for its buffers.
pub fn mesh_from_bytes(bytes: &[u8], path: &Path) -> Result<Surface, Vec<Problem>> {
    match extension(path).as_str() {
        "obj" => obj::read(bytes, path),
        "ply" => ply::read(bytes, path),
        "glb" | "gltf" => gltf::read(bytes, path, None),
        _ => Err(unknown_extension(path, "a mesh is read from .obj, .ply, .glb or .gltf")),
    }
}

/// A surface of GLB or glTF as its first animation has it at a time (s); other formats have no animation.
pub fn posed_mesh_from_bytes(bytes: &[u8], path: &Path, time: f64) -> Result<Surface, Vec<Problem>> {
    match extension(path).as_str() {
        "glb" | "gltf" => gltf::read(bytes, path, Some(time)),
        _ => Err(unknown_extension(path, "a pose at a time is read from .glb or .gltf")),
    }
}

/// Reads a surface in motion from PC2, MDD or NPZ, told apart by the extension.
///
/// Point caches hold no triangles: those come from the OBJ of the same name beside them, if there is one. PC2 counts time in
/// frames, here of 1/24 s. An NPZ needs `positions` (frames × vertices × 3); the rest of what [`write()`] puts there is optional.
pub fn read_clip(path: &Path) -> Result<Clip, Vec<Problem>> {
    clip_from_bytes(read_file(path)?, path)
}

/// The same from memory; the path names the format, and where the OBJ of a point cache is.
pub fn clip_from_bytes(bytes: Vec<u8>, path: &Path) -> Result<Clip, Vec<Problem>> {
    match extension(path).as_str() {
        "pc2" => cache::read(&bytes, path, cache::parse_pc2),
        "mdd" => cache::read(&bytes, path, cache::parse_mdd),
        "npz" => clip::read_npz(bytes, path),
        _ => Err(unknown_extension(path, "motion is read from .pc2, .mdd or .npz")),
    }
}

fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

fn unknown_extension(path: &Path, help: &str) -> Vec<Problem> {
    vec![Problem::error(path, (0, 0), "", "the extension names no known format").with_help(help)]
}

/// Largest file read (2 GiB): a minute of a large garment.
const FILE_LIMIT: u64 = 2 << 30;

/// The bytes of a file.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, Vec<Problem>> {
    let content = crate::read_up_to(path, FILE_LIMIT);
    content.map_err(|e| vec![Problem::error(path, (0, 0), "", format!("cannot be read: {e}"))])
}
