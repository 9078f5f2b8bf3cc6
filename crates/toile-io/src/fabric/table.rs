//! The stress table of a surface in a file of its own.

use crate::csv::{Csv, Limits};
use std::path::Path;

/// Rows of (weft, warp, shear) stress in the unit of the fabric file. The message of an error is ready to print.
pub(super) fn read(path: &Path) -> Result<Vec<[f64; 3]>, String> {
    let bytes = crate::read_limited(path).map_err(|e| e.to_string())?;
    let csv = Csv::parse(&bytes, path, Limits::default()).map_err(|p| listed(&p))?;
    let columns = ["weft", "warp", "shear"].map(|name| csv.column_named(name));
    let [Some(weft), Some(warp), Some(shear)] = columns else {
        return Err(format!("{}:1: the table needs the columns weft, warp and shear", path.display()));
    };
    let numbers = [weft, warp, shear].map(|c| csv.numbers(c));
    let problems: Vec<_> = numbers.iter().filter_map(|n| n.as_ref().err()).flatten().cloned().collect();
    let [Ok(weft), Ok(warp), Ok(shear)] = numbers else { return Err(listed(&problems)) };
    Ok(weft.into_iter().zip(warp).zip(shear).map(|((a, b), c)| [a, b, c]).collect())
}

fn listed(problems: &[crate::Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
