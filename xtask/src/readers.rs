//! Files that Toile writes, opened by readers that are not Toile's: numpy, trimesh, OpenUSD, VTK.

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Installs the readers below `target/`, writes the samples and compares.
pub(crate) fn check(root: &Path) -> Result<()> {
    if std::env::var_os("TOILE_SKIP_READERS").is_some_and(|v| v == "1") {
        eprintln!("readers: skipped, TOILE_SKIP_READERS is 1");
        return Ok(());
    }
    let python = root.join("target/readers/python");
    let samples = root.join("target/readers/samples");
    install(&root.join("tests/readers/requirements.txt"), &python)?;
    if samples.exists() {
        fs::remove_dir_all(&samples)?;
    }
    let mut example = Command::new("cargo");
    example.args(["run", "--quiet", "-p", "toile-io", "--example", "write_samples", "--"]).arg(&samples);
    run(example.current_dir(root), "the example write_samples")?;
    let mut script = Command::new("python3");
    script.arg(root.join("tests/readers/check.py")).arg(&samples).env("PYTHONPATH", &python);
    run(&mut script, "tests/readers/check.py")
}

/// Installs the requirements into a folder, once for each list of them. No virtual environment: Debian's python3 comes
/// without what makes one.
fn install(requirements: &Path, folder: &Path) -> Result<()> {
    let wanted = fs::read_to_string(requirements).with_context(|| requirements.display().to_string())?;
    let stamp = folder.join("requirements.txt");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let help =
        "install it (Debian: apt-get install python3 python3-pip), or set TOILE_SKIP_READERS=1 to leave this check out";
    for (tool, arguments) in [("python3", &["--version"][..]), ("pip", &["-m", "pip", "--version"])] {
        let found = Command::new("python3").args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
        if !found.is_ok_and(|status| status.success()) {
            bail!("{tool} is missing: {help}");
        }
    }
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let mut pip = Command::new("python3");
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-warn-conflicts",
        "--root-user-action",
        "ignore",
    ]);
    run(pip.arg("--target").arg(folder).arg("--requirement").arg(requirements), "pip install")?;
    Ok(fs::write(stamp, wanted)?)
}

fn run(command: &mut Command, what: &str) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {what}"))?;
    if !status.success() {
        bail!("{what} ended with {status}");
    }
    Ok(())
}
