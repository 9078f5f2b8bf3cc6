//! How far the outlines of two surfaces are from each other, seen from the front and from the side.

use anyhow::{Context, Result, bail};
use std::io::Write;
use std::path::Path;

/// Side of a cell (m).
const CELL: f64 = 1e-3;

/// Prints the largest distance, and the one that 95 % of the outline keep below, of two OBJ files that show the same thing.
pub(crate) fn compare(a: &Path, b: &Path) -> Result<()> {
    let surfaces = [read(a)?, read(b)?];
    for (view, across) in [("front", 0), ("side", 2)] {
        let outlines = [0, 1].map(|k| outline(&surfaces[k], across));
        let mut all = away(&outlines[0], &outlines[1]);
        all.extend(away(&outlines[1], &outlines[0]));
        all.sort_by(f64::total_cmp);
        let (Some(largest), Some(most)) = (all.last(), all.get(all.len() * 95 / 100)) else {
            bail!("{}: nothing to see", a.display());
        };
        writeln!(std::io::stdout(), "{view}: {largest:.1} mm at most, 95 % below {most:.1} mm")?;
    }
    Ok(())
}

/// Triangles as places (m).
fn read(path: &Path) -> Result<Vec<[[f64; 3]; 3]>> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let (mut places, mut triangles) = (Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let wrong = || format!("{}:{}: `{line}`", path.display(), number + 1);
        match words.as_slice() {
            ["v", x, y, z, ..] => places.push([x.parse()?, y.parse()?, z.parse::<f64>()?]),
            ["f", corners @ ..] if corners.len() == 3 => {
                let mut triangle = [[0.0; 3]; 3];
                for (place, corner) in triangle.iter_mut().zip(corners) {
                    let index: usize = corner.split('/').next().unwrap_or_default().parse().with_context(wrong)?;
                    *place = *index.checked_sub(1).and_then(|i| places.get(i)).with_context(wrong)?;
                }
                triangles.push(triangle);
            }
            _ => {}
        }
    }
    Ok(triangles)
}

/// Cells on the rim of what triangles cover, across and up.
fn outline(triangles: &[[[f64; 3]; 3]], across: usize) -> Vec<[i64; 2]> {
    let cell = |v: f64| (v / CELL).floor() as i64;
    let flat = |p: [f64; 3]| [p[across], p[1]];
    let mut covered = std::collections::BTreeSet::new();
    for triangle in triangles {
        let [a, b, c] = triangle.map(flat);
        let bounds = [0, 1].map(|k| {
            let low = a[k].min(b[k]).min(c[k]);
            let high = a[k].max(b[k]).max(c[k]);
            cell(low)..=cell(high)
        });
        let left =
            |p: [f64; 2], q: [f64; 2], x: [f64; 2]| (q[0] - p[0]) * (x[1] - p[1]) - (q[1] - p[1]) * (x[0] - p[0]);
        for i in bounds[0].clone() {
            for j in bounds[1].clone() {
                let x = [(i as f64 + 0.5) * CELL, (j as f64 + 0.5) * CELL];
                let turns = [left(a, b, x), left(b, c, x), left(c, a, x)];
                if turns.iter().all(|t| *t >= 0.0) || turns.iter().all(|t| *t <= 0.0) {
                    covered.insert([i, j]);
                }
            }
        }
    }
    let is_rim = |[i, j]: &[i64; 2]| {
        [[i - 1, *j], [i + 1, *j], [*i, j - 1], [*i, j + 1]].iter().any(|next| !covered.contains(next))
    };
    covered.iter().filter(|at| is_rim(at)).copied().collect()
}

/// How far each cell of one outline is from the other (mm).
fn away(from: &[[i64; 2]], to: &[[i64; 2]]) -> Vec<f64> {
    let squared = |a: &[i64; 2], b: &[i64; 2]| (a[0] - b[0]).pow(2) + (a[1] - b[1]).pow(2);
    from.iter().filter_map(|a| to.iter().map(|b| squared(a, b)).min()).map(|d| (d as f64).sqrt()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square of 10 cm and one that is 7 mm wider: their outlines are 7 mm apart.
    #[test]
    fn outlines_are_as_far_apart_as_they_are() {
        let square = |wide: f64| {
            let corners = [[0.0, 0.0, 0.0], [wide, 0.0, 0.0], [wide, 0.1, 0.0], [0.0, 0.1, 0.0]];
            outline(&[[corners[0], corners[1], corners[2]], [corners[0], corners[2], corners[3]]], 0)
        };
        let largest = |d: Vec<f64>| d.into_iter().fold(0.0, f64::max);
        assert_eq!(largest(away(&square(0.107), &square(0.1))), 7.0);
        assert_eq!(largest(away(&square(0.1), &square(0.1))), 0.0);
    }
}
