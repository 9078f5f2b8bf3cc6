//! What a word on the command line is: an outfit, a garment, a draft, or a scene.

use std::path::{Path, PathBuf};
use toile_garment::draft::{DRAFTS, Entry};
use toile_io::{Problem, nearest};

/// What is to be draped.
#[derive(Clone, Debug)]
pub enum Subject {
    /// An outfit file.
    Outfit(PathBuf),
    /// A garment file.
    Garment(PathBuf),
    /// A draft, drawn to the body.
    Draft(&'static Entry),
}

/// What a path or name stands for; none where it is a scene. A folder is an outfit if it has an `outfit.toml`. JSON is a garment
/// (GarmentCode); TOML is an outfit or a garment if its format says so, or if it has garments or panels. A draft is meant where no file has
/// its name.
pub fn subject(path: &Path) -> Result<Option<Subject>, Vec<Problem>> {
    if path.is_dir() {
        let outfit = path.join("outfit.toml");
        return Ok(outfit.exists().then_some(Subject::Outfit(outfit)));
    }
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    match extension.as_str() {
        "json" => return Ok(Some(Subject::Garment(path.into()))),
        "toml" => {
            // What cannot be read is left to the reader of scenes, which says so.
            let text = std::fs::read_to_string(path).unwrap_or_default();
            let has = |table: &str, format: &str| {
                text.lines().map(str::trim_start).any(|line| {
                    line.starts_with(table) || line.starts_with("format") && line.contains(&format!("\"{format}/"))
                })
            };
            return Ok(if has("[[garment]]", "toile-outfit") {
                Some(Subject::Outfit(path.into()))
            } else {
                has("[[panel]]", "toile-garment").then(|| Subject::Garment(path.into()))
            });
        }
        _ => {}
    }
    let word = path.to_string_lossy();
    if let Some(entry) = DRAFTS.iter().find(|d| d.name == word && !path.exists()) {
        return Ok(Some(Subject::Draft(entry)));
    }
    if extension.is_empty() && !path.exists() {
        let near = nearest(&word, DRAFTS.iter().map(|d| d.name)).map(|n| format!("did you mean the draft \"{n}\"?"));
        let help = near.unwrap_or_else(|| "see `toile list drafts`, or name a folder or file".into());
        return Err(vec![
            Problem::error(path, (0, 0), "", "neither a folder, nor a file, nor a draft").with_help(help),
        ]);
    }
    let problem = Problem::error(path, (0, 0), "", "neither a scene nor a garment by its extension");
    Err(vec![problem.with_help(
        "a scene is .toml or a folder, an outfit .toml or a folder, a garment .toml or .json (GarmentCode)",
    )])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(found: &Result<Option<Subject>, Vec<Problem>>) -> &'static str {
        match found {
            Ok(Some(Subject::Outfit(_))) => "outfit",
            Ok(Some(Subject::Garment(_))) => "garment",
            Ok(Some(Subject::Draft(_))) => "draft",
            Ok(None) => "scene",
            Err(_) => "none",
        }
    }

    #[test]
    fn outfits_garments_drafts_and_scenes_are_told_apart() {
        let folder = std::env::temp_dir().join(format!("toile-told-apart-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = |name: &str, text: &str| {
            std::fs::write(folder.join(name), text).unwrap();
            subject(&folder.join(name))
        };
        assert_eq!(kind(&subject(&folder)), "scene");
        assert_eq!(kind(&file("a.json", "")), "garment");
        assert_eq!(kind(&file("a.toml", "format = \"toile-garment/1\"\n")), "garment");
        assert_eq!(kind(&file("a.toml", "name = \"format\"\n[[panel]]\nname = \"front\"\n")), "garment");
        assert_eq!(kind(&file("a.toml", "format = \"toile-outfit/1\"\n")), "outfit");
        assert_eq!(kind(&file("a.toml", "name = \"a\"\n[[garment]]\ndraft = \"shirt\"\n")), "outfit");
        assert_eq!(kind(&file("a.toml", "format = \"toile-scene/1\"\n# no toile-garment/1\n[[cloth]]\n")), "scene");
        assert_eq!(kind(&subject(&folder.join("missing.toml"))), "scene");
        assert!(file("a.obj", "").unwrap_err()[0].to_string().contains("neither a scene nor a garment"));
        file("outfit.toml", "").unwrap();
        assert_eq!(kind(&subject(&folder)), "outfit");
        assert_eq!(kind(&subject(Path::new("t-shirt"))), "draft");
        assert!(
            subject(Path::new("t-shrt")).unwrap_err()[0].to_string().contains("did you mean the draft \"t-shirt\"?")
        );
        std::fs::remove_dir_all(folder).unwrap();
    }
}
