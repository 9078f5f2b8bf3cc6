//! What a draping starts from: garment, body, fabric.

use super::DressError;
use crate::fabrics;
use std::path::{Path, PathBuf};
use toile_core::fabric::Fabric;
use toile_garment::body::{Measurements, mannequin};
use toile_garment::drape::Figure;
use toile_garment::pattern::Garment;
use toile_io::Problem;
use toile_io::body::{self, Import};
use toile_io::fabric::by_name;
use toile_io::scene::Source;
use toile_io::surface::Surface;

/// Size of the mannequin that is dressed where no body is named.
pub const DEFAULT_BODY: &str = "F38";
/// Fabric that is draped where none is named.
pub const DEFAULT_FABRIC: &str = "cotton-jersey";
/// Edge lengths (m) a garment may be draped at: below, a shirt has a million triangles; above, sleeves are no tubes any more.
const EDGES: [f64; 2] = [2e-3, 60e-3];

/// What is to be draped.
#[derive(Clone, Debug)]
pub struct Request {
    /// Garment file.
    pub garment: PathBuf,
    /// What it is put on.
    pub body: BodySource,
    /// Fabric: a name of the library or a file.
    pub fabric: String,
    /// Wanted edge length (m).
    pub edge: f64,
}

/// What a garment is put on.
#[derive(Clone, Debug, PartialEq)]
pub struct BodySource {
    /// Size of the mannequin, or a file.
    pub word: String,
    /// How the numbers of a file are meant.
    pub import: Import,
}

/// What was read.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// What is cut and sewn.
    pub garment: Garment,
    /// What it is put on.
    pub body: Surface,
    /// Its fabric: the elastic laws alone.
    pub fabric: Fabric,
    /// Name of the fabric as it was asked for.
    pub fabric_name: String,
    /// Name of the body as it was asked for.
    pub body_name: String,
    /// Wanted edge length (m).
    pub edge: f64,
    /// Files that were read, the garment first.
    pub sources: Vec<Source>,
    /// What looks wrong although it works.
    pub warnings: Vec<String>,
}

/// Whether a file is a garment, rather than a scene: JSON is (GarmentCode), and TOML that says so in its format or has panels. A
/// folder is a scene.
pub fn is_garment(path: &Path) -> Result<bool, Vec<Problem>> {
    if path.is_dir() {
        return Ok(false);
    }
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    match extension.as_str() {
        "json" => Ok(true),
        "toml" => {
            // What cannot be read is left to the reader of scenes, which says so.
            let text = std::fs::read_to_string(path).unwrap_or_default();
            let says_so = |line: &str| {
                let line = line.trim_start();
                line.starts_with("[[panel]]") || line.starts_with("format") && line.contains("\"toile-garment/")
            };
            Ok(text.lines().any(says_so))
        }
        _ => {
            let problem = Problem::error(path, (0, 0), "", "neither a scene nor a garment by its extension");
            Err(vec![problem.with_help("a scene is .toml or a folder, a garment .toml or .json (GarmentCode)")])
        }
    }
}

/// Reads all that a draping needs.
pub fn read(request: &Request) -> Result<Inputs, DressError> {
    if !(EDGES[0]..=EDGES[1]).contains(&request.edge) {
        let [low, high] = EDGES.map(|e| 1e3 * e);
        let message = format!("an edge length of {} mm: expected {low} to {high} mm", 1e3 * request.edge);
        return Err(DressError::Input(message));
    }
    let bytes = file(&request.garment)?;
    let loaded = toile_io::garment::read(&request.garment).map_err(DressError::Problems)?;
    let mut sources = vec![Source { path: request.garment.clone(), bytes }];
    let body = body(&request.body, &mut sources)?;
    let fabric = fabrics::open(&request.fabric).map_err(|e| DressError::Input(e.to_string()))?;
    sources.push(match by_name(&request.fabric) {
        Ok(known) => Source { path: format!("library/{}.toml", known.name).into(), bytes: known.text.into() },
        Err(_) => Source { path: request.fabric.clone().into(), bytes: file(Path::new(&request.fabric))? },
    });
    let problems = loaded.warnings.iter().chain(&fabric.warnings).map(ToString::to_string);
    let warnings = problems.chain(left_out(&loaded.garment)).collect();
    Ok(Inputs {
        garment: loaded.garment,
        body,
        // Where cloth with friction inside comes to rest depends on how it was put on, and sewing round a body is nobody's way of dressing.
        fabric: crate::lab::without_history(&fabric.fabric),
        fabric_name: request.fabric.clone(),
        body_name: request.body.word.clone(),
        edge: request.edge,
        sources,
        warnings,
    })
}

fn file(path: &Path) -> Result<Vec<u8>, DressError> {
    let fault = |e| DressError::Problems(vec![Problem::error(path, (0, 0), "", format!("cannot be read: {e}"))]);
    std::fs::read(path).map_err(fault)
}

/// A file where the word looks like one, else a size of the mannequin.
fn body(source: &BodySource, sources: &mut Vec<Source>) -> Result<Surface, DressError> {
    let path = Path::new(&source.word);
    if path.exists() || path.components().count() > 1 || path.extension().is_some() {
        let bytes = file(path)?;
        let surface = body::from_bytes(&bytes, path, &source.import).map_err(DressError::Problems)?;
        sources.push(Source { path: path.to_owned(), bytes });
        return Ok(surface);
    }
    let fault = |e: toile_garment::body::BodyError| {
        DressError::Input(format!("body: {e}; or name a file (.obj, .ply, .glb, .gltf)"))
    };
    let measurements = Measurements::of_size(&source.word).map_err(fault)?;
    Ok(body::surface(&source.word, &mannequin(&measurements).map_err(fault)?))
}

/// What a garment has and draping does not know.
fn left_out(garment: &Garment) -> Vec<String> {
    let count = |n: usize, what: &str, done: &str| {
        let s = if n == 1 { "" } else { "s" };
        (n > 0).then(|| format!("{n} {what}{s} of the garment {done}"))
    };
    let fabrics = garment.panels.iter().filter(|p| p.fabric.is_some()).count();
    [count(fabrics, "panel", "of a fabric of its own: all are draped in one")].into_iter().flatten().collect()
}

impl Inputs {
    /// The body as draping sees it.
    pub(super) fn figure(&self) -> Figure {
        Figure { vertices: self.body.mesh.positions.clone(), triangles: self.body.mesh.triangles.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn garments_and_scenes_are_told_apart() {
        let folder = std::env::temp_dir().join(format!("toile-told-apart-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = |name: &str, text: &str| {
            std::fs::write(folder.join(name), text).unwrap();
            is_garment(&folder.join(name))
        };
        assert_eq!(file("a.json", ""), Ok(true));
        assert_eq!(file("a.toml", "format = \"toile-garment/1\"\n"), Ok(true));
        assert_eq!(file("a.toml", "name = \"format\"\n[[panel]]\nname = \"front\"\n"), Ok(true));
        assert_eq!(file("a.toml", "format = \"toile-scene/1\"\n# no toile-garment/1\n[[cloth]]\n"), Ok(false));
        assert_eq!(is_garment(&folder), Ok(false));
        assert_eq!(is_garment(&folder.join("missing.toml")), Ok(false));
        assert!(file("a.obj", "").unwrap_err()[0].to_string().contains("neither a scene nor a garment"));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
