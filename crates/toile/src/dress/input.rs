//! What a draping starts from: an outfit, a garment file or a draft, a body, fabrics.

use super::DressError;
use super::subject::Subject;
use crate::fabrics;
use std::ops::Range;
use std::path::Path;
use toile_core::fabric::Fabric;
use toile_core::system::{BuildError, System};
use toile_garment::body::{Measurements, mannequin, measure};
use toile_garment::cloth::Cloth;
use toile_garment::draft::{self, draft};
use toile_garment::drape::{Figure, Item, Layer};
use toile_garment::pattern::Garment;
use toile_io::Problem;
use toile_io::body::{self, Import};
use toile_io::fabric::by_name;
use toile_io::outfit::{self, Outfit, Pattern, Wearer};
use toile_io::scene::Source;
use toile_io::surface::Surface;

/// Fabric that is draped where none is named.
pub const DEFAULT_FABRIC: &str = "cotton-jersey";
/// Edge length (m) where none is given: folds of a shirt show, and it takes minutes.
const DEFAULT_EDGE: f64 = 10e-3;
/// Edge lengths (m) a garment may be draped at: below, a shirt has a million triangles; above, sleeves are no tubes any more.
const EDGES: [f64; 2] = [2e-3, 60e-3];
/// Colours of garments that have none of their own (sRGB), the innermost first.
const COLOURS: [[f32; 3]; 4] = [[0.34, 0.45, 0.60], [0.62, 0.36, 0.33], [0.42, 0.52, 0.38], [0.60, 0.52, 0.36]];

/// What is to be draped. What is given here counts more than what an outfit says.
#[derive(Clone, Debug)]
pub struct Request {
    /// Outfit, garment or draft.
    pub subject: Subject,
    /// What it is put on.
    pub body: Option<BodySource>,
    /// Fabric of all garments: a name of the library or a file.
    pub fabric: Option<String>,
    /// Wanted edge length (m).
    pub edge: Option<f64>,
}

/// What a garment is put on.
#[derive(Clone, Debug, PartialEq)]
pub struct BodySource {
    /// Size of the mannequin, or a file.
    pub word: String,
    /// How the numbers of a file are meant.
    pub import: Import,
}

/// One garment, ready to be cut.
#[derive(Clone, Debug)]
pub struct Piece {
    /// What is cut and sewn.
    pub garment: Garment,
    /// Its fabric: the elastic laws alone.
    pub fabric: Fabric,
    /// Name of the fabric as it was asked for.
    pub fabric_name: String,
    /// Panels of fabrics of their own.
    pub others: Vec<(usize, Fabric)>,
    /// Colour in pictures (sRGB, 0 to 1).
    pub colour: [f32; 3],
    /// Its panels among those of all.
    pub panels: Range<usize>,
}

/// What was read.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// Name of the outfit, or of the only garment.
    pub name: String,
    /// What is worn, the innermost first.
    pub pieces: Vec<Piece>,
    /// All of it as one garment, panels and seams named after theirs where there are several.
    pub garment: Garment,
    /// What it is put on.
    pub body: Surface,
    /// Name of the body as it was asked for.
    pub body_name: String,
    /// Wanted edge length (m).
    pub edge: f64,
    /// Friction of cloth on skin and on cloth, if not the usual one.
    pub friction: Option<f64>,
    /// Files that were read, the outfit or garment first.
    pub sources: Vec<Source>,
    /// What looks wrong although it works.
    pub warnings: Vec<String>,
}

/// Reads all that a draping needs.
pub fn read(request: &Request) -> Result<Inputs, DressError> {
    let mut reading = Reading::default();
    let outfit = reading.outfit(&request.subject)?;
    let edge = request.edge.or(outfit.edge).unwrap_or(DEFAULT_EDGE);
    if !(EDGES[0]..=EDGES[1]).contains(&edge) {
        let [low, high] = EDGES.map(|e| 1e3 * e);
        return Err(DressError::Input(format!("an edge length of {} mm: expected {low} to {high} mm", 1e3 * edge)));
    }
    let wearer = request.body.as_ref().map_or_else(|| outfit.wearer.clone(), BodySource::wearer);
    // Garments before the body: a file that cannot be read is told at once.
    let loaded: Vec<Option<Garment>> =
        outfit.pieces.iter().map(|p| reading.pattern(&p.pattern)).collect::<Result<_, _>>()?;
    let body = reading.body(&wearer)?;
    let mut pieces: Vec<Piece> = Vec::new();
    for (piece, loaded) in outfit.pieces.iter().zip(loaded) {
        let mut garment = match (loaded, &piece.pattern) {
            (Some(garment), _) => garment,
            (None, Pattern::Draft { name, ease }) => drawn(name, ease, &body, form(&wearer))?,
            (None, Pattern::File(path)) => return Err(DressError::Input(format!("{}: not read", path.display()))),
        };
        garment.name = unique(piece.name.as_ref().unwrap_or(&garment.name), &pieces);
        let word = request.fabric.as_ref().or(piece.fabric.as_ref()).map_or(DEFAULT_FABRIC, String::as_str);
        let fabric = reading.fabric(word)?;
        let others = reading.others(&garment, &piece.pattern)?;
        let colour = piece.colour.unwrap_or(COLOURS[pieces.len() % COLOURS.len()]);
        let first = pieces.last().map_or(0, |p| p.panels.end);
        let panels = first..first + garment.panels.len();
        pieces.push(Piece { garment, fabric, fabric_name: word.into(), others, colour, panels });
    }
    let garment = Garment::together(&outfit.name, pieces.iter().map(|p| &p.garment));
    Ok(Inputs {
        name: garment.name.clone(),
        garment,
        pieces,
        body,
        body_name: said(&wearer),
        edge,
        friction: outfit.friction,
        sources: reading.sources,
        warnings: reading.warnings,
    })
}

/// Files and warnings, gathered on the way.
#[derive(Default)]
struct Reading {
    sources: Vec<Source>,
    warnings: Vec<String>,
}

impl Reading {
    /// A file, which is then among the sources.
    fn file(&mut self, path: &Path) -> Result<Vec<u8>, DressError> {
        let fault = |e| DressError::Problems(vec![Problem::error(path, (0, 0), "", format!("cannot be read: {e}"))]);
        let bytes = std::fs::read(path).map_err(fault)?;
        self.note(Source { path: path.to_owned(), bytes: bytes.clone() });
        Ok(bytes)
    }

    fn note(&mut self, source: Source) {
        if !self.sources.contains(&source) {
            self.sources.push(source);
        }
    }

    /// What is worn; a garment by itself is an outfit of one.
    fn outfit(&mut self, subject: &Subject) -> Result<Outfit, DressError> {
        let single = |pattern: Pattern| {
            let piece = outfit::Piece { name: None, pattern, fabric: None, layer: 0, colour: None };
            let pieces = vec![piece];
            Outfit { name: String::new(), wearer: Wearer::default(), pieces, edge: None, friction: None }
        };
        Ok(match subject {
            Subject::Outfit(path) => {
                self.file(path)?;
                let (outfit, warnings) = outfit::read(path).map_err(DressError::Problems)?;
                self.warnings.extend(warnings.iter().map(ToString::to_string));
                outfit
            }
            Subject::Garment(path) => single(Pattern::File(path.clone())),
            Subject::Draft(entry) => single(Pattern::Draft { name: entry.name, ease: entry.ease }),
        })
    }

    /// A garment from a file; none where it is to be drawn.
    fn pattern(&mut self, pattern: &Pattern) -> Result<Option<Garment>, DressError> {
        let Pattern::File(path) = pattern else { return Ok(None) };
        self.file(path)?;
        let loaded = toile_io::garment::read(path).map_err(DressError::Problems)?;
        self.warnings.extend(loaded.warnings.iter().map(ToString::to_string));
        Ok(Some(loaded.garment))
    }

    fn body(&mut self, wearer: &Wearer) -> Result<Surface, DressError> {
        let fault = |e: toile_garment::body::BodyError| {
            DressError::Input(format!("body: {e}; or name a file (.obj, .ply, .glb, .gltf)"))
        };
        let measurements = match wearer {
            Wearer::File { path, import, .. } => {
                let bytes = self.file(path)?;
                return body::from_bytes(&bytes, path, import).map_err(DressError::Problems);
            }
            Wearer::Size(size) => Measurements::of_size(size).map_err(fault)?,
            Wearer::Measured(measurements) => **measurements,
        };
        Ok(body::surface(&said(wearer), &mannequin(&measurements).map_err(fault)?))
    }

    fn fabric(&mut self, word: &str) -> Result<Fabric, DressError> {
        let fabric = fabrics::open(word).map_err(|e| DressError::Input(e.to_string()))?;
        match by_name(word) {
            Ok(known) => {
                self.note(Source { path: format!("library/{}.toml", known.name).into(), bytes: known.text.into() });
            }
            Err(_) => {
                self.file(Path::new(word))?;
            }
        }
        self.warnings.extend(fabric.warnings.iter().map(ToString::to_string));
        // Where cloth with friction inside comes to rest depends on how it was put on, and sewing round a body is nobody's way of dressing.
        Ok(crate::lab::without_history(&fabric.fabric))
    }

    /// Fabrics of single panels; those from files lie beside the garment.
    fn others(&mut self, garment: &Garment, pattern: &Pattern) -> Result<Vec<(usize, Fabric)>, DressError> {
        let folder = if let Pattern::File(path) = pattern { path.parent() } else { None };
        let mut others = Vec::new();
        for (p, panel) in garment.panels.iter().enumerate() {
            let Some(word) = &panel.fabric else { continue };
            let path = folder.map(|f| f.join(word)).filter(|_| by_name(word).is_err());
            let word = path.map_or_else(|| word.clone(), |p| p.display().to_string());
            let named = |e: DressError| DressError::Input(format!("panel `{}`: {e}", panel.name));
            others.push((p, self.fabric(&word).map_err(named)?));
        }
        Ok(others)
    }
}

/// A draft drawn to the measurements of a body.
fn drawn(name: &str, ease: &draft::Ease, body: &Surface, form: f64) -> Result<Garment, DressError> {
    let fault = |what: &dyn std::fmt::Display| DressError::Input(format!("draft `{name}`: {what}"));
    let figures = measure(&body.mesh.positions, &body.mesh.triangles).map_err(|e| fault(&e))?;
    draft(name, &draft::Measurements::of_body(&figures, form), Some(*ease)).map_err(|e| fault(&e))
}

/// Form of a body, 0 female to 1 male.
fn form(wearer: &Wearer) -> f64 {
    match wearer {
        Wearer::Size(size) => {
            if size.starts_with(['M', 'm']) {
                1.0
            } else {
                0.0
            }
        }
        Wearer::Measured(m) => m.form,
        Wearer::File { form, .. } => *form,
    }
}

/// A body in words.
fn said(wearer: &Wearer) -> String {
    match wearer {
        Wearer::Size(size) => size.clone(),
        Wearer::Measured(_) => "made to measure".into(),
        Wearer::File { path, import, .. } => {
            let time = import.time.map_or(String::new(), |t| format!(" at {t} s"));
            format!("{}{time}", path.display())
        }
    }
}

/// A name that no garment before has.
fn unique(name: &str, before: &[Piece]) -> String {
    let taken = |name: &str| before.iter().any(|p| p.garment.name == name);
    let numbered = (2..).map(|k| format!("{name} {k}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|n| !taken(n)).unwrap_or_default()
}

impl BodySource {
    /// A file where the word looks like one, else a size of the mannequin.
    fn wearer(&self) -> Wearer {
        let path = Path::new(&self.word);
        if path.exists() || path.components().count() > 1 || path.extension().is_some() {
            return Wearer::File { path: path.to_owned(), import: self.import, form: 0.5 };
        }
        Wearer::Size(self.word.clone())
    }
}

impl Inputs {
    /// The body as draping sees it.
    pub(super) fn figure(&self) -> Figure {
        Figure { vertices: self.body.mesh.positions.clone(), triangles: self.body.mesh.triangles.clone() }
    }

    /// The garments as draping sees them.
    pub(super) fn items(&self) -> Vec<Item<'_>> {
        self.pieces.iter().map(|p| Item { garment: &p.garment, fabric: &p.fabric, others: &p.others }).collect()
    }

    /// The mechanics of all garments as one mesh, with the models they settled with.
    pub(super) fn system(&self, cloth: &Cloth) -> Result<System, DressError> {
        let first = self.pieces.first().ok_or(BuildError::Empty)?;
        let mut patches: Vec<(&Fabric, Vec<u32>)> = Vec::new();
        let mut add = |fabric, panels: Range<usize>| {
            let of = (0..).zip(&cloth.panels).filter(|(_, p)| panels.contains(&(**p as usize)));
            patches.push((fabric, of.map(|(t, _)| t).collect()));
        };
        for (k, piece) in self.pieces.iter().enumerate() {
            if k > 0 {
                add(&piece.fabric, piece.panels.clone());
            }
            // The later patch counts: single panels come after the whole.
            for (panel, fabric) in &piece.others {
                let panel = piece.panels.start + panel;
                add(fabric, panel..panel + 1);
            }
        }
        let layer = Layer { name: &self.name, mesh: &cloth.mesh, fabric: &first.fabric, patches };
        Ok(toile_garment::drape::system(&[layer])?)
    }
}
