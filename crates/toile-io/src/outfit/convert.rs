//! From the document to an outfit: SI units, paths from the folder of the file, names that exist.

use super::file::{self, OutfitDocument};
use super::{Outfit, Pattern, Piece, Wearer};
use crate::body::{self, Import};
use crate::document::Document;
use crate::problem::{Problem, nearest};
use crate::{fabric, garment, scene};
use std::path::{Path, PathBuf};
use toile_garment::body::{Measurements, SIZES, mannequin};
use toile_garment::draft::{DRAFTS, Ease};

/// Turns a document over, reporting at its keys.
pub(super) struct Maker<'a, 'b> {
    pub(super) document: &'a OutfitDocument,
    pub(super) tree: &'a mut Document<'b>,
    /// Problems of files that the outfit names.
    pub(super) elsewhere: Vec<Problem>,
}

impl Maker<'_, '_> {
    pub(super) fn outfit(&mut self) -> Option<Outfit> {
        let document = self.document;
        if document.garment.is_empty() {
            self.fault("garment", "the outfit has no [[garment]]", "add at least one, `draft = \"t-shirt\"` for one");
        }
        let wearer = document.body.as_ref().map_or_else(|| Some(Wearer::default()), |b| self.wearer(b));
        let pieces: Vec<Option<Piece>> =
            document.garment.iter().enumerate().map(|(i, g)| self.piece(g, &format!("garment[{i}]"))).collect();
        let mut pieces: Vec<Piece> = pieces.into_iter().collect::<Option<_>>()?;
        pieces.sort_by_key(|p| p.layer);
        Some(Outfit {
            name: document.name.clone().unwrap_or_else(|| name_of(self.tree.path())),
            wearer: wearer?,
            pieces,
            edge: document.edge_mm.map(|e| 1e-3 * e),
            friction: document.friction,
        })
    }

    fn fault(&mut self, key: &str, message: impl Into<String>, help: impl Into<String>) {
        let before = self.tree.problems.len();
        self.tree.error(key, message);
        if let Some(problem) = self.tree.problems.get_mut(before) {
            problem.help = Some(help.into()).filter(|h| !h.is_empty());
        }
    }

    fn wearer(&mut self, given: &file::Body) -> Option<Wearer> {
        let (unit, up) = (given.unit.unwrap_or_default(), given.up.unwrap_or_default());
        let import = Import { unit, up, time: given.time_s };
        let from_file = given.file.is_some();
        for (key, is_given) in [
            ("unit", given.unit.is_some()),
            ("up", given.up.is_some()),
            ("time_s", given.time_s.is_some()),
            ("form", given.form.is_some()),
        ] {
            if is_given && !from_file {
                self.fault(&format!("body.{key}"), "belongs to a body from a file", "");
            }
        }
        match (&given.size, &given.file, &given.measurements) {
            (None, None, None) => Some(Wearer::default()),
            (Some(size), None, None) => {
                if !SIZES.iter().any(|s| s.name.eq_ignore_ascii_case(size)) {
                    let help = "for sizes between, give [body.measurements]";
                    self.fault("body.size", "no such size: F34 to F52 and M44 to M60, even numbers", help);
                }
                Some(Wearer::Size(size.clone()))
            }
            (None, Some(file), None) => {
                let path = self.beside(file);
                self.elsewhere.extend(body::read(&path, &import).err().into_iter().flatten());
                Some(Wearer::File { path, import, form: given.form.unwrap_or(0.5) })
            }
            (None, None, Some(measured)) => {
                let measured = measurements(measured);
                if let Err(error) = mannequin(&measured) {
                    self.fault("body.measurements", error.to_string(), "");
                }
                Some(Wearer::Measured(Box::new(measured)))
            }
            _ => {
                self.fault("body", "has several of `size`, `file` and `measurements`", "keep one of them");
                None
            }
        }
    }

    fn piece(&mut self, given: &file::Garment, key: &str) -> Option<Piece> {
        let pattern = match (&given.draft, &given.file) {
            (Some(draft), None) => self.draft(draft, given.ease.as_ref(), key),
            (None, Some(file)) => {
                let path = self.beside(file);
                self.elsewhere.extend(garment::check(&path));
                if given.ease.is_some() {
                    self.fault(&format!("{key}.ease"), "belongs to a draft: a file has its own widths", "");
                }
                Some(Pattern::File(path))
            }
            (Some(_), Some(_)) => {
                self.fault(key, "has both `draft` and `file`", "keep one of them");
                None
            }
            (None, None) => {
                self.fault(
                    key,
                    "has neither `draft` nor `file`",
                    "name a draft (`toile list drafts`) or a garment file",
                );
                None
            }
        };
        let fabric = given.fabric.as_ref().map(|word| self.fabric(word, &format!("{key}.fabric")));
        let colour = given.colour.as_ref().map(|text| scene::colour(text));
        if colour == Some(None) {
            self.fault(&format!("{key}.colour"), "expected a colour as \"#rrggbb\"", "");
        }
        Some(Piece {
            name: given.name.clone(),
            pattern: pattern?,
            fabric,
            layer: given.layer.unwrap_or(0),
            colour: colour.flatten(),
        })
    }

    fn draft(&mut self, name: &str, given: Option<&file::Ease>, key: &str) -> Option<Pattern> {
        let Some(entry) = DRAFTS.iter().find(|d| d.name == name) else {
            let names = || DRAFTS.iter().map(|d| d.name);
            let help = nearest(name, names()).map_or_else(
                || format!("there are {}", names().collect::<Vec<_>>().join(", ")),
                |n| format!("did you mean \"{n}\"?"),
            );
            self.fault(&format!("{key}.draft"), "no draft has this name", help);
            return None;
        };
        let Ease { bust, waist, hip, arm } = entry.ease;
        let or = |given: Option<f64>, usual: f64| given.map_or(usual, |cm| 0.01 * cm);
        let ease = given.map_or(entry.ease, |e| Ease {
            bust: or(e.bust_cm, bust),
            waist: or(e.waist_cm, waist),
            hip: or(e.hip_cm, hip),
            arm: or(e.arm_cm, arm),
        });
        Some(Pattern::Draft { name: entry.name, ease })
    }

    /// A fabric's name in the library, or else the path of its file.
    fn fabric(&mut self, word: &str, key: &str) -> String {
        let unknown = match fabric::by_name(word) {
            Ok(known) => return known.name.into(),
            Err(unknown) => unknown,
        };
        let path = self.beside(word);
        if path.exists() || Path::new(word).extension().is_some() {
            if let Err(error) = fabric::read(&path) {
                self.fault(key, error.to_string(), "");
            }
            return path.display().to_string();
        }
        self.fault(key, unknown.to_string(), "see `toile fabric list`, or name a file");
        word.into()
    }

    /// A path as the file means it.
    fn beside(&self, path: &str) -> PathBuf {
        self.tree.path().parent().unwrap_or(Path::new("")).join(path)
    }
}

/// The folder's name for `outfit.toml`, else that of the file.
fn name_of(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default();
    let whole = path.canonicalize().unwrap_or_default();
    let folder = whole.parent().and_then(Path::file_name).filter(|_| stem == "outfit");
    folder.unwrap_or(stem).to_string_lossy().into_owned()
}

fn measurements(m: &file::Measurements) -> Measurements {
    let metres = |cm: Option<f64>| cm.map(|cm| 0.01 * cm);
    Measurements {
        form: m.form,
        height: 0.01 * m.height_cm,
        bust: 0.01 * m.bust_cm,
        waist: 0.01 * m.waist_cm,
        hip: 0.01 * m.hip_cm,
        underbust: metres(m.underbust_cm),
        neck: metres(m.neck_cm),
        upper_arm: metres(m.upper_arm_cm),
        elbow: metres(m.elbow_cm),
        wrist: metres(m.wrist_cm),
        thigh: metres(m.thigh_cm),
        knee: metres(m.knee_cm),
        calf: metres(m.calf_cm),
        ankle: metres(m.ankle_cm),
        shoulder_width: metres(m.shoulder_width_cm),
        arm_length: metres(m.arm_length_cm),
        nape_height: metres(m.nape_height_cm),
        back_length: metres(m.back_length_cm),
        nape_to_bust: metres(m.nape_to_bust_cm),
        waist_to_hip: metres(m.waist_to_hip_cm),
        crotch_height: metres(m.crotch_height_cm),
        knee_height: metres(m.knee_height_cm),
    }
}
