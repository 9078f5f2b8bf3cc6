//! What light from above or below makes of a drape: the area of its shadow, the outline, and the folds in it.

use glam::{DVec2, DVec3};
use std::f64::consts::TAU;

/// Directions in which the outline is measured: half a degree.
const DIRECTIONS: usize = 720;
/// A fold stands out from its valleys by this share of the range of the outline.
const PROMINENCE: f64 = 0.15;
/// And by this much (m): less is not a fold but a wave of the mesh.
const SMALLEST: f64 = 0.5e-3;

/// Flat triangles, seen along y.
pub(super) struct Shadow {
    triangles: Vec<[DVec2; 3]>,
}

/// Folds of an outline.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Folds {
    /// Direction (rad) and radius (m) of the crests.
    pub(super) crests: Vec<[f64; 2]>,
    /// The same of the valleys between them.
    pub(super) valleys: Vec<[f64; 2]>,
}

impl Shadow {
    pub(super) fn new(positions: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        // Turned so that y is up in pictures: panels lie in x, −z.
        let flat = |v: u32| DVec2::new(positions[v as usize].x, -positions[v as usize].z);
        Self { triangles: triangles.iter().map(|t| t.map(flat)).collect() }
    }

    /// The shadow in rows of a height (m), from below: in each, where it begins and ends, exact along the row's middle. `support` is the
    /// radius (m) of a round plate that throws a shadow too.
    pub(super) fn rows(&self, height: f64, support: f64) -> Vec<(f64, Vec<[f64; 2]>)> {
        let extent = self.triangles.iter().flatten().map(|p| p.y.abs()).fold(support, f64::max);
        let half = (extent / height).ceil() as i64;
        let mut rows: Vec<(f64, Vec<[f64; 2]>)> =
            (-half..half).map(|k| ((k as f64 + 0.5) * height, Vec::new())).collect();
        for (y, spans) in &mut rows {
            let chord = (support * support - *y * *y).max(0.0).sqrt();
            spans.push([-chord, chord]);
        }
        for t in &self.triangles {
            let [low, high] = [f64::min, f64::max].map(|f| f(f(t[0].y, t[1].y), t[2].y));
            let first = ((low / height - 0.5).ceil() as i64 + half).max(0) as usize;
            for (y, spans) in rows.iter_mut().skip(first).take_while(|r| r.0 < high) {
                spans.extend(crossing(t, *y));
            }
        }
        rows.iter_mut().for_each(|r| r.1 = union(std::mem::take(&mut r.1)));
        rows
    }

    /// Largest radius (m) of the shadow in each direction, `support` at least.
    pub(super) fn outline(&self, support: f64) -> Vec<f64> {
        let mut outline = vec![support; DIRECTIONS];
        for t in &self.triangles {
            for k in 0..3 {
                widen(&mut outline, t[k], t[(k + 1) % 3]);
            }
        }
        outline
    }
}

/// Area (m²) of a shadow in rows.
pub(super) fn area(rows: &[(f64, Vec<[f64; 2]>)], height: f64) -> f64 {
    rows.iter().flat_map(|r| &r.1).map(|[a, b]| (b - a) * height).sum()
}

/// Where a level line passes through a triangle.
fn crossing(t: &[DVec2; 3], y: f64) -> Option<[f64; 2]> {
    let mut span = [f64::INFINITY, f64::NEG_INFINITY];
    for k in 0..3 {
        let (a, b) = (t[k], t[(k + 1) % 3]);
        if (a.y <= y) != (b.y <= y) {
            let x = a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x);
            span = [span[0].min(x), span[1].max(x)];
        }
    }
    (span[0] < span[1]).then_some(span)
}

/// Spans in order, those that touch made one.
fn union(mut spans: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    spans.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut out: Vec<[f64; 2]> = Vec::new();
    for [a, b] in spans {
        match out.last_mut() {
            Some(last) if a <= last[1] => last[1] = last[1].max(b),
            _ => out.push([a, b]),
        }
    }
    out
}

/// Takes the segment from a to b into an outline.
fn widen(outline: &mut [f64], a: DVec2, b: DVec2) {
    let step = TAU / DIRECTIONS as f64;
    // The angle of a segment from or to the middle is not a number: it lies within every outline.
    let (from, turn) = (a.to_angle(), a.perp_dot(b).atan2(a.dot(b)));
    if a == DVec2::ZERO || b == DVec2::ZERO {
        return;
    }
    let [start, end] = if turn < 0.0 { [from + turn, from] } else { [from, from + turn] };
    let (first, last) = ((start / step).ceil() as i64, (end / step).floor() as i64);
    for k in first..=last {
        let ray = DVec2::from_angle(k as f64 * step);
        // a + s (b − a) = r ray; s is no number on a segment along the ray, whose ends other segments have.
        let s = -ray.perp_dot(a) / ray.perp_dot(b - a);
        if (-1e-6..=1.0 + 1e-6).contains(&s) {
            let slot = &mut outline[k.rem_euclid(DIRECTIONS as i64) as usize];
            *slot = slot.max(ray.dot(a + s * (b - a)));
        }
    }
}

/// Crests and valleys of an outline that stand out.
pub(super) fn folds(outline: &[f64]) -> Folds {
    let count = outline.len();
    let [low, high] = [f64::min, f64::max].map(|f| outline.iter().copied().reduce(f).unwrap_or(0.0));
    let wanted = (PROMINENCE * (high - low)).max(SMALLEST);
    let mut folds = Folds::default();
    if high - low < wanted {
        return folds;
    }
    // Once round from the lowest place: a crest ends when the outline has fallen, a valley when it has risen far enough.
    let start = (0..count).min_by(|&a, &b| outline[a].total_cmp(&outline[b])).unwrap_or(0);
    let direction = |k: usize| TAU * ((start + k) % count) as f64 / count as f64;
    let (mut is_rising, mut best) = (true, [direction(0), low]);
    folds.valleys.push(best);
    for k in 1..=count {
        let here = [direction(k), outline[(start + k) % count]];
        let ahead = if is_rising { here[1] - best[1] } else { best[1] - here[1] };
        if ahead > 0.0 {
            best = here;
        } else if -ahead >= wanted {
            let list = if is_rising { &mut folds.crests } else { &mut folds.valleys };
            list.push(best);
            (is_rising, best) = (!is_rising, here);
        }
    }
    folds
}

impl Folds {
    /// Mean height of the crests over the valleys (m).
    pub(super) fn depth(&self) -> f64 {
        let mean = |list: &[[f64; 2]]| list.iter().map(|p| p[1]).sum::<f64>() / list.len() as f64;
        if self.crests.is_empty() { 0.0 } else { mean(&self.crests) - mean(&self.valleys) }
    }

    /// Standard deviation over mean of the angles between crests: 0 where they are evenly spaced.
    pub(super) fn irregularity(&self) -> f64 {
        let count = self.crests.len();
        if count < 2 {
            return 0.0;
        }
        let mut angles: Vec<f64> = self.crests.iter().map(|p| p[0]).collect();
        angles.sort_by(f64::total_cmp);
        let mean = TAU / count as f64;
        let gap = |k: usize| (angles[(k + 1) % count] - angles[k]).rem_euclid(TAU);
        ((0..count).map(|k| (gap(k) - mean).powi(2)).sum::<f64>() / count as f64).sqrt() / mean
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A flower r = a + b cos nφ as a fan of triangles.
    fn flower(a: f64, b: f64, n: f64) -> Shadow {
        let count = 2000;
        let at = |k: usize| {
            let angle = TAU * k as f64 / count as f64;
            DVec2::from_angle(angle) * (a + b * (n * angle + 0.3).cos())
        };
        Shadow { triangles: (0..count).map(|k| [DVec2::ZERO, at(k), at(k + 1)]).collect() }
    }

    /// The area of a flower is π(a² + b²/2); what lies on top of each other counts once.
    #[test]
    fn area_is_that_of_the_union() {
        let (a, b) = (0.12, 0.02);
        let mut shadow = flower(a, b, 7.0);
        shadow.triangles.extend(flower(0.1, 0.0, 1.0).triangles);
        let exact = 0.5 * TAU * (a * a + 0.5 * b * b);
        for height in [1e-4, 3e-4] {
            let found = area(&shadow.rows(height, 0.09), height);
            assert!((found / exact - 1.0).abs() < 2e-5, "{height}: {found} {exact}");
        }
        let bare = Shadow { triangles: Vec::new() };
        assert!((area(&bare.rows(1e-4, 0.09), 1e-4) / (0.5 * TAU * 0.0081) - 1.0).abs() < 1e-5);
    }

    #[test]
    fn outline_and_folds_are_those_of_the_flower() {
        for n in [3.0, 8.0, 17.0] {
            let outline = flower(0.12, 0.02, n).outline(0.09);
            let worst = |k: usize| {
                let angle = TAU * k as f64 / DIRECTIONS as f64;
                (outline[k] - 0.12 - 0.02 * (n * angle + 0.3).cos()).abs()
            };
            assert!((0..DIRECTIONS).map(worst).fold(0.0, f64::max) < 1e-5);
            let folds = folds(&outline);
            assert_eq!((folds.crests.len(), folds.valleys.len()), (n as usize, n as usize));
            assert!((folds.depth() - 0.04).abs() < 2e-4 && folds.irregularity() < 0.03, "{folds:?}");
        }
        assert_eq!(folds(&flower(0.12, 1e-4, 5.0).outline(0.09)), Folds::default());
    }
}
