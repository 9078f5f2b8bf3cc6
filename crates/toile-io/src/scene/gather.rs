//! A scene file and what it includes, read and checked file by file, then put together.

use super::Source;
use super::file::{Cloth, Grip, Line, Obstacle, SceneDocument};
use crate::document::Document;
use crate::problem::{Problem, place};
use std::path::{Path, PathBuf};

/// Files that a scene may consist of.
const FILES: usize = 64;

/// Tables that a scene has once.
const TABLES: [&str; 5] = ["simulation", "wind", "output", "picture", "contact"];

/// A scene put together from its files.
pub(super) struct Gathered {
    /// The files, the scene itself last.
    files: Vec<Read>,
    /// Everything they say, included files first; single tables are those of the file nearest to the scene.
    pub(super) scene: SceneDocument,
    /// Where the entries of `cloth`, `pin`, `handle`, `line` and `obstacle` stand.
    pub(super) cloths: Vec<At>,
    pub(super) pins: Vec<At>,
    pub(super) handles: Vec<At>,
    pub(super) lines: Vec<At>,
    pub(super) obstacles: Vec<At>,
    /// Where the tables of [`TABLES`] stand.
    tables: [Option<usize>; TABLES.len()],
    /// Further files that were read: fabrics and meshes.
    pub(super) others: Vec<Source>,
    problems: Vec<Problem>,
}

/// An entry of an array of tables: file and key.
#[derive(Clone, Debug)]
pub(super) struct At {
    pub(super) file: usize,
    pub(super) key: String,
}

struct Read {
    path: PathBuf,
    text: String,
}

/// Reads a scene file and everything it includes.
pub(super) fn gather(path: &Path) -> Result<Gathered, Vec<Problem>> {
    let mut gathered = Gathered {
        files: Vec::new(),
        scene: SceneDocument::default(),
        cloths: Vec::new(),
        pins: Vec::new(),
        handles: Vec::new(),
        lines: Vec::new(),
        obstacles: Vec::new(),
        tables: [None; TABLES.len()],
        others: Vec::new(),
        problems: Vec::new(),
    };
    let bytes = crate::read_limited(path).map_err(|e| vec![Problem::error(path, (0, 0), "", e.to_string())])?;
    gathered.add(path, bytes, &mut Vec::new());
    if gathered.problems.iter().any(Problem::is_error) { Err(gathered.into_problems()) } else { Ok(gathered) }
}

impl Gathered {
    fn add(&mut self, path: &Path, bytes: Vec<u8>, above: &mut Vec<PathBuf>) {
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let good = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]).into_owned();
                let at = place(&good, good.len());
                self.problems.push(Problem::error(path, at, "", "the file is not UTF-8 text"));
                return;
            }
        };
        let mut tree = Document::parse(&text, path);
        let value = if tree.has_errors() { None } else { Some(tree.checked(&super::SCHEMA)) };
        let read = value.and_then(|v| match serde_json::from_value::<SceneDocument>(v) {
            Ok(document) => Some(document),
            Err(error) => {
                // Only after a mistake the walk has reported; if not, schema and type disagree and this says so.
                if !tree.has_errors() {
                    tree.error("", error.to_string());
                }
                None
            }
        });
        let mut document = read.unwrap_or_default();
        above.push(identity(path));
        for (i, name) in std::mem::take(&mut document.include).into_iter().enumerate() {
            self.include(&mut tree, &format!("include[{i}]"), &name, above);
        }
        above.pop();
        self.problems.append(&mut tree.problems);
        self.merge(document);
        self.files.push(Read { path: path.to_path_buf(), text });
    }

    fn include(&mut self, tree: &mut Document, key: &str, name: &str, above: &mut Vec<PathBuf>) {
        let path = beside(tree.path(), name);
        if above.contains(&identity(&path)) {
            return tree.error(key, "includes itself, directly or through other files: remove one of the includes");
        }
        if self.files.len() + above.len() >= FILES {
            return tree.error(key, format!("a scene may consist of at most {FILES} files"));
        }
        match crate::read_limited(&path) {
            Ok(bytes) => self.add(&path, bytes, above),
            Err(error) => tree.error(key, format!("cannot read {}: {error}", path.display())),
        }
    }

    /// Adds a document to what has been read: it decides over what came before.
    fn merge(&mut self, document: SceneDocument) {
        let file = self.files.len();
        let at = |list: &str, count: usize| (0..count).map(|i| At { file, key: format!("{list}[{i}]") }).collect();
        let SceneDocument { format: _, name, notes, include: _, simulation, wind, output, picture, contact, .. } =
            &document;
        let given = [simulation.is_some(), wind.is_some(), output.is_some(), picture.is_some(), contact.is_some()];
        for (table, given) in self.tables.iter_mut().zip(given) {
            *table = if given { Some(file) } else { *table };
        }
        let scene = &mut self.scene;
        scene.name = name.clone().or(scene.name.take());
        scene.notes = notes.clone().or(scene.notes.take());
        scene.simulation = simulation.clone().or(scene.simulation.take());
        scene.wind = wind.clone().or(scene.wind.take());
        scene.output = output.clone().or(scene.output.take());
        scene.picture = picture.clone().or(scene.picture.take());
        scene.contact = contact.clone().or(scene.contact.take());
        let places: [Vec<At>; 5] = [
            at("cloth", document.cloth.len()),
            at("pin", document.pin.len()),
            at("handle", document.handle.len()),
            at("line", document.line.len()),
            at("obstacle", document.obstacle.len()),
        ];
        let [cloths, pins, handles, lines, obstacles] = places;
        join::<Cloth>((&mut scene.cloth, document.cloth), (&mut self.cloths, cloths));
        join::<Grip>((&mut scene.pin, document.pin), (&mut self.pins, pins));
        join::<Grip>((&mut scene.handle, document.handle), (&mut self.handles, handles));
        join::<Line>((&mut scene.line, document.line), (&mut self.lines, lines));
        join::<Obstacle>((&mut scene.obstacle, document.obstacle), (&mut self.obstacles, obstacles));
    }

    /// Reports an error at a key of a file.
    pub(super) fn error(&mut self, at: &At, message: impl Into<String>) {
        let problem = self.problem(at, message);
        self.problems.push(problem);
    }

    /// An error at a key of a file that is not one yet.
    pub(super) fn problem(&self, at: &At, message: impl Into<String>) -> Problem {
        let Read { path, text } = &self.files[at.file];
        let mut tree = Document::parse(text, path);
        tree.problems.clear();
        tree.error(&at.key, message);
        tree.problems.remove(0)
    }

    /// Reports a warning at a key of a file.
    pub(super) fn warning(&mut self, at: &At, message: impl Into<String>, help: impl Into<String>) {
        let Read { path, text } = &self.files[at.file];
        let mut tree = Document::parse(text, path);
        tree.problems.clear();
        tree.warning(&at.key, message, help);
        self.problems.append(&mut tree.problems);
    }

    /// Adds problems of other files.
    pub(super) fn add_problems(&mut self, problems: Vec<Problem>) {
        self.problems.extend(problems);
    }

    /// Where a key of one of the single tables stands.
    pub(super) fn table(&self, key: &str) -> At {
        let table = TABLES.iter().position(|n| key.split('.').next() == Some(*n));
        let last = self.files.len() - 1;
        At { file: table.and_then(|t| self.tables[t]).unwrap_or(last), key: key.to_string() }
    }

    /// The file an entry stands in.
    pub(super) fn path(&self, at: &At) -> &Path {
        &self.files[at.file].path
    }

    /// The scene file itself.
    pub(super) fn root(&self) -> &Path {
        &self.files[self.files.len() - 1].path
    }

    /// Every file that was read, the scene itself first.
    pub(super) fn sources(&self) -> Vec<Source> {
        let own = self.files.iter().rev();
        let own = own.map(|f| Source { path: f.path.clone(), bytes: f.text.clone().into_bytes() });
        own.chain(self.others.iter().cloned()).collect()
    }

    /// All problems, file by file in the order of their lines.
    pub(super) fn into_problems(mut self) -> Vec<Problem> {
        self.problems.sort_by(|a, b| (&a.path, a.line, a.column).cmp(&(&b.path, b.line, b.column)));
        self.problems
    }
}

fn join<T>((list, more): (&mut Vec<T>, Vec<T>), (places, at): (&mut Vec<At>, Vec<At>)) {
    list.extend(more);
    places.extend(at);
}

impl At {
    /// A key inside the entry.
    pub(super) fn inside(&self, key: &str) -> Self {
        Self { file: self.file, key: format!("{}.{key}", self.key) }
    }
}

/// A path written in a file, seen from where the program runs.
pub(super) fn beside(file: &Path, name: &str) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).join(name)
}

fn identity(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}
