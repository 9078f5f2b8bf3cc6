//! Loading and unloading in the order they were measured: turning points, and the state of a friction slider along them.

use crate::csv::Csv;
use crate::problem::{Problem, nearest};
use std::ops::Range;

/// A turn counts when the motion goes back by this part of its range: above the noise of an extensometer, below any cycle.
const TURN: f64 = 0.05;

/// One monotone part of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Branch {
    pub rows: Range<usize>,
    /// Whether x grows.
    pub rising: bool,
}

/// Branches from a `branch` column when there is one, from turning points otherwise.
pub(super) fn branches(csv: &Csv, x: &[f64]) -> Result<Vec<Branch>, Vec<Problem>> {
    let column = ["branch", "phase", "direction"].into_iter().find_map(|name| csv.column_named(name));
    match column {
        Some(column) => labelled(csv, column, x),
        None => Ok(turning(x)),
    }
}

/// Cuts where the motion turns back by more than [`TURN`] of its range.
fn turning(x: &[f64]) -> Vec<Branch> {
    if x.is_empty() {
        return Vec::new();
    }
    let (low, high) = x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    let threshold = TURN * (high - low);
    let mut cuts = vec![0];
    let mut direction = 0.0;
    let mut extreme = 0;
    for i in 1..x.len() {
        let step = x[i] - x[extreme];
        if direction == 0.0 {
            if step.abs() > threshold {
                direction = step.signum();
                extreme = i;
            }
        } else if step * direction >= 0.0 {
            extreme = i;
        } else if step.abs() > threshold {
            cuts.push(extreme);
            direction = -direction;
            extreme = i;
        }
    }
    cuts.push(x.len() - 1);
    // The turning point belongs to the branch that reached it.
    let ranges = cuts.windows(2).enumerate().map(|(n, c)| if n == 0 { c[0]..c[1] + 1 } else { c[0] + 1..c[1] + 1 });
    ranges.filter(|r| !r.is_empty()).map(|rows| Branch { rising: x[rows.end - 1] >= x[rows.start], rows }).collect()
}

fn labelled(csv: &Csv, column: usize, x: &[f64]) -> Result<Vec<Branch>, Vec<Problem>> {
    const UP: [&str; 6] = ["load", "loading", "up", "forward", "increasing", "1"];
    const DOWN: [&str; 6] = ["unload", "unloading", "down", "back", "decreasing", "2"];
    let mut problems = Vec::new();
    let mut out: Vec<Branch> = Vec::new();
    let mut last = String::new();
    for row in 0..x.len() {
        let word = csv.text(row, column).to_lowercase();
        if !UP.contains(&word.as_str()) && !DOWN.contains(&word.as_str()) {
            let mut problem = csv.problem(row, column, "expected \"load\" or \"unload\"");
            problem.help = nearest(&word, UP.into_iter().chain(DOWN)).map(|w| format!("did you mean \"{w}\"?"));
            problems.push(problem);
            if problems.len() >= 50 {
                break;
            }
        } else if word == last
            && let Some(branch) = out.last_mut()
        {
            branch.rows.end = row + 1;
        } else {
            out.push(Branch { rows: row..row + 1, rising: true });
            last = word;
        }
    }
    // A loop through zero is labelled by what the load does; what friction feels is which way the sample moves.
    let split = out.into_iter().flat_map(|b| {
        let inside = turning(&x[b.rows.clone()]);
        inside.into_iter().map(move |i| Branch { rows: b.rows.start + i.rows.start..b.rows.start + i.rows.end, ..i })
    });
    let out = split.collect();
    if problems.is_empty() { Ok(out) } else { Err(problems) }
}

/// State of a slider that slips after `yield_strain`, at every row: −1 to 1. A sample that starts at rest starts at 0, one that
/// starts far out is taken to have been driven there.
pub(super) fn friction(branches: &[Branch], x: &[f64], yield_strain: f64) -> Vec<f64> {
    let largest = x.iter().fold(0.0f64, |a, v| a.max(v.abs()));
    let start = x.first().copied().unwrap_or(0.0);
    let mut state = if start.abs() > 0.5 * largest { start.signum() } else { 0.0 };
    let mut turn = start;
    let mut out = vec![0.0; x.len()];
    for branch in branches {
        let sign = if branch.rising { 1.0 } else { -1.0 };
        let first = state;
        for row in branch.rows.clone() {
            let moved = sign * (x[row] - turn);
            state = (first + sign * moved / yield_strain).clamp(-1.0, 1.0);
            out[row] = state;
        }
        turn = x[branch.rows.end - 1];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turning_points_are_found_through_noise() {
        let mut x: Vec<f64> = Vec::new();
        let jitter = |i: i32| 0.01 * f64::from((i * 7) % 5 - 2);
        x.extend((0..50).map(|i| f64::from(i) / 50.0 + jitter(i)));
        x.extend((0..50).map(|i| 1.0 - f64::from(i) / 50.0 + jitter(i)));
        x.extend((0..50).map(|i| f64::from(i) / 50.0 + jitter(i)));
        let found = turning(&x);
        assert_eq!(found.iter().map(|b| b.rising).collect::<Vec<_>>(), [true, false, true]);
        assert!(found[0].rows.end.abs_diff(50) <= 3 && found[1].rows.end.abs_diff(100) <= 3, "{found:?}");
        assert_eq!((found[0].rows.start, found[2].rows.end), (0, 150));
        assert!(turning(&[]).is_empty());
        assert_eq!(turning(&[1.0]).len(), 1);
    }

    /// The slider of the core's rule, on a clean triangle wave: σ = k(ε − q) held within ±s.
    #[test]
    fn friction_follows_the_slider_rule() {
        let x: Vec<f64> = (0..40).chain((0..40).rev()).chain(0..20).map(|i| f64::from(i) * 0.01 - 0.1).collect();
        let found = friction(&turning(&x), &x, 0.07);
        let (mut rest, mut expected) = (x[0], Vec::new());
        for v in &x {
            let s = ((v - rest) / 0.07).clamp(-1.0, 1.0);
            rest = v - s * 0.07;
            expected.push(s);
        }
        for (a, b) in found.iter().zip(&expected) {
            assert!((a - b).abs() < 1e-12, "{a} {b}");
        }
    }
}
