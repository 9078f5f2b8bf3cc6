//! Where a garment ends: neck, hems, cuffs.

use crate::body::{Axis, Figures};
use glam::DVec3;
use std::collections::BTreeMap;
use toile_core::mesh::Mesh;

/// An edge of a garment that goes round: the neckline, a hem, a cuff.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening {
    /// What it is by where it lies: `neck`, `hem`, `arm_l`, `leg_r`; `opening` on a body that was not measured.
    pub name: String,
    /// Middle of its vertices (m).
    pub middle: DVec3,
    /// Length in the flat panels (m).
    pub flat: f64,
    /// Length on the body (m).
    pub worn: f64,
}

/// Openings of a sewn garment, from top to bottom.
pub fn openings(cloth: &Mesh, figures: Option<&Figures>) -> Vec<Opening> {
    let mut openings: Vec<Opening> = borders(cloth).iter().map(|border| opening(cloth, border, figures)).collect();
    openings.sort_by(|a, b| b.middle.y.total_cmp(&a.middle.y).then(b.middle.x.total_cmp(&a.middle.x)));
    openings
}

/// Closed lines of sides that belong to one triangle only: triangle and corner of each side, in order.
pub(super) fn borders(cloth: &Mesh) -> Vec<Vec<(usize, usize)>> {
    let mut sides: BTreeMap<[u32; 2], Vec<(usize, usize)>> = BTreeMap::new();
    for (t, corners) in cloth.triangles.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (corners[k], corners[(k + 1) % 3]);
            sides.entry([a.min(b), a.max(b)]).or_default().push((t, k));
        }
    }
    let mut next: BTreeMap<u32, Vec<(usize, usize)>> = BTreeMap::new();
    for side in sides.values().filter(|s| s.len() == 1) {
        let (t, k) = side[0];
        next.entry(cloth.triangles[t][k]).or_default().push((t, k));
    }
    let mut borders = Vec::new();
    while let Some((&start, _)) = next.iter().find(|(_, sides)| !sides.is_empty()) {
        let (mut border, mut at) = (Vec::new(), start);
        while let Some((t, k)) = next.get_mut(&at).and_then(Vec::pop) {
            border.push((t, k));
            at = cloth.triangles[t][(k + 1) % 3];
        }
        borders.push(border);
    }
    borders
}

pub(super) fn opening(cloth: &Mesh, border: &[(usize, usize)], figures: Option<&Figures>) -> Opening {
    let place = |v: u32| cloth.positions[v as usize];
    let ends =
        |&(t, k): &(usize, usize)| [k, (k + 1) % 3].map(|c| (place(cloth.triangles[t][c]), cloth.material[t][c]));
    let (mut flat, mut worn, mut sum) = (0.0, 0.0, DVec3::ZERO);
    for side in border {
        let [(a, m), (b, n)] = ends(side);
        flat += m.distance(n);
        worn += a.distance(b);
        sum += a.distance(b) * 0.5 * (a + b);
    }
    let middle = if worn > 0.0 { sum / worn } else { DVec3::ZERO };
    Opening { name: figures.map_or("opening".into(), |f| name(f, middle)), middle, flat, worn }
}

/// The part of the body whose axis passes nearest.
fn name(figures: &Figures, middle: DVec3) -> String {
    let away = |axis: &Axis| axis.stations.iter().map(|s| s.centre.distance(middle)).fold(f64::INFINITY, f64::min);
    let torso = (away(&figures.torso), if middle.y > figures.floor + figures.armpit_level { "neck" } else { "hem" });
    let [arm_l, arm_r] = figures.arms.each_ref().map(away);
    let [leg_l, leg_r] = figures.legs.each_ref().map(away);
    // Between the legs is a skirt's hem: it is as far from one as from the other.
    let is_between = (leg_l - leg_r).abs() < 0.3 * leg_l.min(leg_r).max(0.05);
    let legs = if is_between { [(leg_l, "hem"), (leg_r, "hem")] } else { [(leg_l, "leg_l"), (leg_r, "leg_r")] };
    let all = [torso, (arm_l, "arm_l"), (arm_r, "arm_r"), legs[0], legs[1]];
    all.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).map_or_else(String::new, |a| a.1.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{Measurements, mannequin, measure};
    use glam::DVec2;
    use std::f64::consts::TAU;

    /// A cone of cloth of 32 sides: two rims of known radius, cut from twice as much.
    fn cone(middle: DVec3, radii: [f64; 2], height: f64) -> Mesh {
        let mut mesh = Mesh::default();
        for (row, radius) in radii.into_iter().enumerate() {
            let y = (row as f64 - 0.5) * height;
            let place = |k: u32| DVec2::from_angle(TAU * f64::from(k) / 32.0) * radius;
            mesh.positions.extend((0..32).map(|k| middle + DVec3::new(place(k).x, y, -place(k).y)));
        }
        for k in 0..32u32 {
            let next = (k + 1) % 32;
            mesh.triangles.extend([[k, next, 32 + next], [k, 32 + next, 32 + k]]);
            let [low, high] = radii.map(|r| 2.0 * 2.0 * r * (TAU / 64.0).sin());
            let (a, b, c, d) = (DVec2::ZERO, DVec2::X * low, DVec2::new(high, height), DVec2::Y * height);
            mesh.material.extend([[a, b, c], [a, c, d]]);
        }
        mesh
    }

    #[test]
    fn a_tube_has_two_openings() {
        let found = openings(&cone(DVec3::ZERO, [0.3, 0.2], 0.5), None);
        assert_eq!(found.len(), 2);
        for (opening, (radius, y)) in found.iter().zip([(0.2, 0.25), (0.3, -0.25)]) {
            let length = 64.0 * radius * (TAU / 64.0).sin();
            assert!(
                (opening.worn - length).abs() < 1e-12 && (opening.flat - 2.0 * length).abs() < 1e-12,
                "{opening:?}"
            );
            assert!(opening.middle.distance(y * DVec3::Y) < 1e-12 && opening.name == "opening");
        }
    }

    #[test]
    fn openings_are_named_by_the_body() {
        let body = mannequin(&Measurements::of_size("F38").unwrap()).unwrap();
        let figures = measure(&body.vertices, &body.triangles).unwrap();
        let named = |middle: DVec3| name(&figures, middle);
        assert_eq!(named(figures.neck_base), "neck");
        assert_eq!(named(figures.torso.stations[1].centre), "hem");
        assert_eq!([named(figures.wrists[0]), named(figures.wrists[1])], ["arm_l", "arm_r"]);
        assert_eq!([named(figures.ankles[0]), named(figures.ankles[1])], ["leg_l", "leg_r"]);
        assert_eq!(named(0.5 * (figures.ankles[0] + figures.ankles[1])), "hem");
    }
}
