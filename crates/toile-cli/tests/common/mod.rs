//! What tests of the program share.
#![allow(clippy::unwrap_used, dead_code)] // helpers; not every test uses all of them

use std::path::PathBuf;
use std::process::{Command, Output};

pub(crate) fn toile() -> Command {
    Command::new(env!("CARGO_BIN_EXE_toile"))
}

/// A folder of its own for each test, gone at the end.
pub(crate) struct Place(pub(crate) PathBuf);

impl Place {
    /// `name` must be no other test's.
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("toile-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Output of a run that must have gone well.
pub(crate) fn good(run: &Output) -> String {
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout.clone()).unwrap()
}
