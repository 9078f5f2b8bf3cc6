//! Seams stiffer than the fabric: the allowance that is folded back under a seam stiffens a band along it.

use super::sides::{Side, Sides};
use crate::cloth::Cloth;
use crate::pattern::Garment;
use glam::DVec2;

/// Width of the band on each side of a seam (m): the usual seam allowance.
pub(in crate::drape) const ALLOWANCE: f64 = 0.01;
/// Triangles at the rim of the band are asked at this many places along each side.
const PLACES: usize = 6;

/// Bending rigidity of each triangle over that of the fabric: that of the seam, by the share of the triangle within the allowance. Empty where no
/// seam has a stiffness of its own.
pub(super) fn factors(garment: &Garment, cloth: &Cloth, sides: &Sides) -> Vec<f64> {
    let mut factors = Vec::new();
    for seam in &garment.seams {
        let Some(stiffness) = seam.stiffness.filter(|s| *s != 1.0) else { continue };
        factors.resize(cloth.panels.len(), 1.0);
        for span in seam.sides.iter().flatten() {
            let along = sides.along(span);
            for t in (0..cloth.panels.len()).filter(|t| cloth.panels[*t] as usize == span.panel) {
                let factor = 1.0 + (stiffness - 1.0) * share(cloth.flat[t], &along);
                // Where two seams meet the stronger one counts.
                if (factor - 1.0).abs() > (factors[t] - 1.0f64).abs() {
                    factors[t] = factor;
                }
            }
        }
    }
    factors
}

/// Share of a triangle within the allowance.
fn share(corners: [DVec2; 3], along: &[&Side]) -> f64 {
    let [a, b, c] = corners;
    let middle = (a + b + c) / 3.0;
    let reach = corners.iter().map(|p| p.distance(middle)).fold(0.0, f64::max);
    let near: Vec<&&Side> = along.iter().filter(|s| distance(s, middle) <= ALLOWANCE + reach).collect();
    if near.is_empty() {
        return 0.0;
    }
    let (mut inside, mut all) = (0, 0);
    for i in 0..PLACES {
        for j in 0..PLACES - i {
            // Middles of small triangles that stand the same way, and of those upside down between them.
            for shift in if i + j + 1 < PLACES { &[1.0 / 3.0, 2.0 / 3.0][..] } else { &[1.0 / 3.0][..] } {
                let [u, v] = [i, j].map(|k| (k as f64 + shift) / PLACES as f64);
                let p = a + u * (b - a) + v * (c - a);
                inside += usize::from(near.iter().any(|s| distance(s, p) <= ALLOWANCE));
                all += 1;
            }
        }
    }
    inside as f64 / all as f64
}

fn distance(side: &Side, p: DVec2) -> f64 {
    let [a, b] = side.flat;
    let along = b - a;
    let share = ((p - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    p.distance(a + share * along)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A right triangle of 4 cm on a seam: what lies further than a centimetre from it is (3/4)² of it.
    #[test]
    fn shares_are_those_of_areas() {
        let [a, b, c] = [[0.0, 0.0], [0.04, 0.0], [0.0, 0.04]].map(|[x, y]| DVec2::new(x, y));
        let side = Side { ends: [0, 1], triangle: 0, at: [0.0, 1.0], flat: [a, b], length: 0.04 };
        assert!((share([a, b, c], &[&side]) - 7.0 / 16.0).abs() < 0.06, "{}", share([a, b, c], &[&side]));
        let far = [a, b, c].map(|p| p + DVec2::new(0.0, 0.011));
        assert_eq!(share(far, &[&side]), 0.0);
        let small = [a, b, c].map(|p| 0.1 * p + DVec2::new(0.01, 0.002));
        assert_eq!(share(small, &[&side]), 1.0);
    }
}
