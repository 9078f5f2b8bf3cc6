//! `toile fabric`: the library, fabric files, and files from laboratory tables.

use crate::Common;
use crate::output::{Failure, Output};
use serde_json::json;
use std::path::{Path, PathBuf};
use toile::fabrics::{self, Figures};
use toile::io::atomic::write_atomically;
use toile::io::fabric::fit::{Fit, FitInput, FitOptions, Measurement, TestKind, fit};
use toile::io::fabric::{FabricFile, check, library};

/// List, show, check and make fabric files
#[derive(clap::Subcommand)]
pub(crate) enum Arguments {
    /// Fabrics that come with the program
    List,
    /// All figures of a fabric; with -o also its curves
    Show {
        /// A name of `toile fabric list`, or a file
        fabric: String,
    },
    /// Everything that is wrong with a fabric file
    Check {
        /// The file
        file: PathBuf,
    },
    /// Make a fabric file from laboratory tables (CSV)
    Fit(Box<FitArguments>),
}

/// Options of `toile fabric fit`.
#[derive(clap::Args)]
pub(crate) struct FitArguments {
    /// Extension along the weft
    #[arg(long, value_name = "CSV")]
    weft: PathBuf,
    /// Extension along the warp
    #[arg(long, value_name = "CSV")]
    warp: PathBuf,
    /// Shear
    #[arg(long, value_name = "CSV", required_unless_present = "bias")]
    shear: Option<PathBuf>,
    /// Extension at 45° to the threads, instead of shear
    #[arg(long, value_name = "CSV", conflicts_with = "shear")]
    bias: Option<PathBuf>,
    /// Moment over curvature of both directions; --bending-warp gives the warp its own
    #[arg(long, value_name = "CSV", required_unless_present = "cantilever")]
    bending: Option<PathBuf>,
    /// Moment over curvature, bending the warp
    #[arg(long, value_name = "CSV", requires = "bending")]
    bending_warp: Option<PathBuf>,
    /// Cantilever readings of both directions, instead of bending
    #[arg(long, value_name = "CSV", conflicts_with = "bending")]
    cantilever: Option<PathBuf>,
    /// Name of the fabric; that of the file by default
    #[arg(long)]
    name: Option<String>,
    /// Mass per area
    #[arg(long, value_name = "G/M2", allow_negative_numbers = true)]
    density_g_per_m2: f64,
    /// Thickness
    #[arg(long, value_name = "MM", allow_negative_numbers = true)]
    thickness_mm: f64,
    /// Distance of the clamps of the tensile and shear samples
    #[arg(long, value_name = "MM", allow_negative_numbers = true, default_value_t = 50.0)]
    sample_length_mm: f64,
    /// Length of those clamps
    #[arg(long, value_name = "MM", allow_negative_numbers = true, default_value_t = 200.0)]
    sample_width_mm: f64,
    /// Strain at which membrane friction slips; searched by default
    #[arg(long, value_name = "STRAIN", allow_negative_numbers = true)]
    yield_strain: Option<f64>,
    /// Curvature at which bending friction slips; searched by default
    #[arg(long, value_name = "1/M", allow_negative_numbers = true)]
    yield_curvature_per_m: Option<f64>,
}

pub(crate) fn run(arguments: &Arguments, common: &Common, output: &mut Output) -> Result<(), Failure> {
    match arguments {
        Arguments::List => list(output),
        Arguments::Show { fabric } => show(fabric, common, output),
        Arguments::Check { file } => examine(file, output),
        Arguments::Fit(fit) => make(fit, common, output),
    }
}

fn list(output: &mut Output) -> Result<(), Failure> {
    if !output.json {
        let head = ["weft", "warp", "shear", "B weft", "B warp"].map(|h| format!("{h:>8}")).concat();
        output.line(format!("{:<18} {:>6} {:>5} {head}  quality   summary", "fabric", "g/m²", "mm"))?;
        let units = ["N/m", "N/m", "N/m", "µN·m", "µN·m"].map(|h| format!("{h:>8}")).concat();
        output.line(format!("{:<18} {:>6} {:>5} {units}", "", "", ""))?;
    }
    for entry in library() {
        let file = entry.read();
        let figures = Figures::of(&file);
        if output.json {
            output.line(record(entry.name, &file, &figures).to_string())?;
            continue;
        }
        let [ku, kv, ks] = figures.stiffness_n_per_m;
        let [bu, bv, _] = figures.bending_un_m;
        let marks: Vec<&str> = figures.quality.iter().map(|q| &q[..1]).collect();
        output.line(format!(
            "{:<18} {:>6.0} {:>5.2} {ku:>8.0}{kv:>8.0}{ks:>8.0}{bu:>8.1}{bv:>8.1}  {:<9} {}",
            entry.name,
            figures.density_g_per_m2,
            figures.thickness_mm,
            marks.join(" "),
            entry.summary
        ))?;
    }
    if !output.json {
        output.line(
            "stiffness and rigidity B at rest; quality of sheet, membrane, bending: m measured, d derived, e estimate",
        )?;
    }
    Ok(())
}

/// A fabric for machines.
fn record(name: &str, file: &FabricFile, figures: &Figures) -> serde_json::Value {
    json!({
        "name": name,
        "title": file.document.name,
        "summary": file.document.summary,
        "density_g_per_m2": figures.density_g_per_m2,
        "thickness_mm": figures.thickness_mm,
        "stiffness_n_per_m": figures.stiffness_n_per_m,
        "bending_un_m": figures.bending_un_m,
        "loop_n_per_m": figures.loop_n_per_m,
        "bending_loop_mn_m_per_m": figures.bending_loop_mn_m_per_m,
        "friction": figures.friction,
        "quality": {"sheet": figures.quality[0], "membrane": figures.quality[1], "bending": figures.quality[2]},
    })
}

fn show(word: &str, common: &Common, output: &mut Output) -> Result<(), Failure> {
    let file = fabrics::open(word).map_err(Failure::input)?;
    let figures = Figures::of(&file);
    if output.json {
        output.line(record(word, &file, &figures).to_string())?;
    } else {
        describe(&file, &figures, output)?;
    }
    for warning in &file.warnings {
        eprintln!("{warning}");
    }
    if let Some(folder) = &common.output {
        save(folder, word, &fabrics::plots(&file.fabric), output)?;
    }
    Ok(())
}

fn describe(file: &FabricFile, f: &Figures, output: &mut Output) -> Result<(), Failure> {
    let document = &file.document;
    output.line(&document.name)?;
    for text in [Some(&document.summary), document.composition.as_ref(), document.construction.as_ref()] {
        if let Some(text) = text.filter(|t| !t.is_empty()) {
            output.line(format!("  {text}"))?;
        }
    }
    let three = |v: [f64; 3], digits: usize| v.map(|x| format!("{x:>10.digits$}")).concat();
    output.line(format!("  {:<34}{:>10}{:>10}{:>10}", "", "weft", "warp", "shear"))?;
    output.line(format!("  {:<34}{}", "stiffness at rest (N/m)", three(f.stiffness_n_per_m, 1)))?;
    output.line(format!("  {:<34}{}", "stress at 5 %, 5 %, 8° (N/m)", three(f.tension_n_per_m, 2)))?;
    output.line(format!("  {:<34}{}", "friction loop (N/m)", three(f.loop_n_per_m, 2)))?;
    output.line(format!("  {:<34}{}", "bending, twist at rest (µN·m)", three(f.bending_un_m, 2)))?;
    output.line(format!("  {:<34}{}", "bending loop (mN·m/m)", three(f.bending_loop_mn_m_per_m, 3)))?;
    output.line(format!("  {:<34}{:>10.1}", "mass (g/m²)", f.density_g_per_m2))?;
    output.line(format!("  {:<34}{:>10.3}", "thickness (mm)", f.thickness_mm))?;
    if let Some([rest, slip]) = f.friction {
        output.line(format!("  {:<34}{rest:>10.2}{slip:>10.2}", "friction, static and kinetic"))?;
    }
    for (group, quality) in ["sheet", "membrane", "bending"].iter().zip(f.quality) {
        output.line(format!("  {:<34}{quality:>10}", format!("quality of the {group}")))?;
    }
    output.line(format!("  {:<34}{}", "source of the sheet", document.sheet.source))?;
    if let Some(notes) = &document.notes {
        output.line(format!("  {notes}"))?;
    }
    Ok(())
}

/// Writes plots as SVG and PNG.
fn save(
    folder: &Path,
    name: &str,
    plots: &[(&'static str, toile::plot::Plot)],
    output: &mut Output,
) -> Result<(), Failure> {
    let stem = Path::new(name).file_stem().map_or("fabric".into(), |s| s.to_string_lossy());
    for (part, plot) in plots {
        let png = plot.png(1080, 675).map_err(Failure::failed)?;
        for (ending, content) in [("svg", plot.svg().into_bytes()), ("png", png)] {
            let path = folder.join(format!("{stem}-{part}.{ending}"));
            write_atomically(&path, content).map_err(Failure::failed)?;
            if !output.json {
                output.line(format!("  {}", path.display()))?;
            }
        }
    }
    Ok(())
}

fn examine(path: &Path, output: &mut Output) -> Result<(), Failure> {
    let bytes = std::fs::read(path).map_err(|e| Failure::input(format!("{}: {e}", path.display())))?;
    let problems = match std::str::from_utf8(&bytes) {
        Ok(text) => check(text, path),
        // The reader says where the text breaks off.
        Err(_) => match toile::io::fabric::read_bytes(&bytes, path) {
            Err(toile::io::fabric::FabricFileError::Problems(problems)) => problems,
            Err(error) => return Err(Failure::input(error)),
            Ok(_) => Vec::new(),
        },
    };
    for p in &problems {
        if output.json {
            let severity = if p.is_error() { "error" } else { "warning" };
            let line = json!({
                "path": p.path.display().to_string(), "line": p.line, "column": p.column, "severity": severity,
                "key": p.key, "value": p.value, "message": p.message, "help": p.help,
            });
            output.line(line.to_string())?;
        } else {
            output.line(p.to_string())?;
        }
    }
    let errors = problems.iter().filter(|p| p.is_error()).count();
    if errors > 0 {
        return Err(Failure::input(format!("{}: {errors} to mend", path.display())));
    }
    if !output.json {
        output.line(format!("{}: in order, {} warnings", path.display(), problems.len()))?;
    }
    Ok(())
}

fn make(a: &FitArguments, common: &Common, output: &mut Output) -> Result<(), Failure> {
    let Some(target) = &common.output else {
        return Err(Failure::input("name the fabric file to write with -o FILE"));
    };
    if target.is_dir() {
        return Err(Failure::input(format!("{} is a folder: name the fabric file to write", target.display())));
    }
    let input = FitInput {
        name: a.name.clone().unwrap_or_else(|| stem(target)),
        density_g_per_m2: a.density_g_per_m2,
        thickness_mm: a.thickness_mm,
        sample: toile::lab::sample(a.sample_length_mm / 1e3, a.sample_width_mm / 1e3).map_err(Failure::input)?,
        tests: a.tables()?,
    };
    let options = FitOptions {
        yield_strain: a.yield_strain,
        yield_curvature_per_m: a.yield_curvature_per_m,
        ..FitOptions::default()
    };
    let fitted = fit(&input, &options).map_err(Failure::input)?;
    for warning in &fitted.warnings {
        eprintln!("{warning}");
    }
    write_atomically(target, &fitted.text).map_err(Failure::failed)?;
    report(&fitted, output)?;
    let folder = target.parent().unwrap_or(Path::new("."));
    save(folder, &stem(target), &toile::fabrics::fit_plots(&fitted), output)?;
    if !output.json {
        output.line(format!("  {}", target.display()))?;
    }
    Ok(())
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or("fabric".into(), |s| s.to_string_lossy().into_owned())
}

impl FitArguments {
    /// Every table that was named, read.
    fn tables(&self) -> Result<Vec<Measurement>, Failure> {
        let warp_bending = self.bending_warp.as_ref().or(self.bending.as_ref());
        let named = [
            (TestKind::Weft, Some(&self.weft)),
            (TestKind::Warp, Some(&self.warp)),
            (TestKind::Shear, self.shear.as_ref()),
            (TestKind::Bias, self.bias.as_ref()),
            (TestKind::BendingWeft, self.bending.as_ref()),
            (TestKind::BendingWarp, warp_bending),
            (TestKind::Cantilever, self.cantilever.as_ref()),
        ];
        let given = named.into_iter().filter_map(|(kind, path)| Some((kind, path?)));
        given.map(|(kind, path)| Measurement::read(kind, path).map_err(Failure::input)).collect()
    }
}

/// How well each table was fitted.
fn report(fitted: &Fit, output: &mut Output) -> Result<(), Failure> {
    if !output.json {
        output.line(format!(
            "  {:<14} {:>7} {:>9} {:>12} {:>12} {:>10}",
            "table", "points", "branches", "half loop", "rms", "R²"
        ))?;
    }
    for c in &fitted.curves {
        let r = &c.residual;
        if output.json {
            let line = json!({
                "table": c.kind.name(), "points": r.points, "branches": c.branches, "half_width": c.half_width,
                "yield_strain": c.yield_strain, "rms": r.rms, "r_squared": r.r_squared,
                "held_monotone": c.held_monotone,
            });
            output.line(line.to_string())?;
        } else {
            output.line(format!(
                "  {:<14} {:>7} {:>9} {:>12.4e} {:>12.4e} {:>10.6}",
                c.kind.name(),
                r.points,
                c.branches,
                c.half_width,
                r.rms,
                r.r_squared
            ))?;
        }
    }
    Ok(())
}
