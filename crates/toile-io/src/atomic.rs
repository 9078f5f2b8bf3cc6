//! Files that are written whole or not at all.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A file could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {source}", path.display())]
pub struct WriteError {
    /// Which.
    pub path: PathBuf,
    /// Why.
    pub source: std::io::Error,
}

/// Writes a file under a temporary name beside its place, then renames it: a reader sees the old content or the new, never
/// half of it. Folders on the way are made.
pub fn write_atomically(path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> Result<(), WriteError> {
    let path = path.as_ref();
    let result = write(path, content.as_ref());
    result.map_err(|source| WriteError { path: path.to_owned(), source })
}

fn write(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let name = path.file_name().ok_or(std::io::ErrorKind::InvalidInput)?;
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    // The process number keeps two programs apart that write the same file; the last to finish wins, whole.
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.part", std::process::id()));
    let temporary = path.with_file_name(hidden);
    let written = File::create(&temporary).and_then(|mut file| {
        file.write_all(content)?;
        file.sync_all()
    });
    let done = written.and_then(|()| fs::rename(&temporary, path));
    if done.is_err() {
        // What remains is ours and incomplete; the first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("toile-atomic-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn content_is_replaced_and_nothing_else_stays() {
        let folder = folder("replace");
        let path = folder.join("deep").join("file.txt");
        write_atomically(&path, "one").unwrap();
        write_atomically(&path, "two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    /// A folder stands where the file should go: the error names the path and leaves no part behind.
    #[test]
    fn failure_leaves_nothing_behind() {
        let folder = folder("fail");
        fs::create_dir_all(folder.join("taken").join("inside")).unwrap();
        let error = write_atomically(folder.join("taken"), "x").unwrap_err();
        assert!(error.to_string().contains("taken"), "{error}");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }
}
