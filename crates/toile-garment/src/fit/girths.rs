//! Girths of a worn garment, in the planes in which the body is measured.
//!
//! A plane cuts body and garment in lines. Of the garment's, only a closed one that goes round the part of the body and round
//! nothing else is a girth of it: a skirt has no thighs, a poncho no bust, an open shirt neither.

use crate::body::slice::{Crossing, Cut, Plane, cuts};
use crate::body::tape::hull_length;
use crate::body::{Axis, Figures};
use glam::{DVec2, DVec3};
use toile_core::mesh::Mesh;

/// Parts of a body thinner than this (m round) are none: specks of a mesh that a plane grazes.
const SPECK: f64 = 0.08;
/// Stations to each side that give the direction of a limb.
const REACH: usize = 3;

/// A plane in which a girth is taken.
#[derive(Clone, Debug, PartialEq)]
pub struct GirthPlane {
    /// Name of the girth; limbs carry their side, `thigh_l`.
    pub name: String,
    /// A point inside of the part (m).
    pub origin: DVec3,
    /// Direction of the part there.
    pub direction: DVec3,
}

/// A girth of body and garment.
#[derive(Clone, Debug, PartialEq)]
pub struct GirthFit {
    /// Name, as that of the plane.
    pub name: String,
    /// Height of the plane's middle above the floor (m).
    pub level: f64,
    /// Tape round the body (m).
    pub body: f64,
    /// Tape round the garment (m).
    pub tape: f64,
    /// Length of the garment's line, folds and all (m).
    pub worn: f64,
    /// Length of the same line in the flat panels (m).
    pub flat: f64,
}

impl GirthFit {
    /// Length of the garment's line less the body's girth (m).
    pub fn ease(&self) -> f64 {
        self.worn - self.body
    }

    /// The same as the garment was cut (m): negative where it has to stretch.
    pub fn flat_ease(&self) -> f64 {
        self.flat - self.body
    }
}

/// The planes of a measured body's girths: level ones, and for arms across them.
pub fn girth_planes(figures: &Figures) -> Vec<GirthPlane> {
    let mut planes = Vec::new();
    for girth in &figures.girths {
        let y = figures.floor + girth.level;
        let level = |name: String, axis: &Axis| {
            let nearest = axis.stations.iter().min_by(|a, b| (a.centre.y - y).abs().total_cmp(&(b.centre.y - y).abs()));
            nearest.map(|s| GirthPlane { name, origin: s.centre.with_y(y), direction: DVec3::Y })
        };
        let sides = ["l", "r"].map(|side| format!("{}_{side}", girth.name)).into_iter();
        match girth.name {
            "upper_arm" | "wrist" => {
                // The measured one is the left: the right one lies as far from its wrist.
                let stations = &figures.arms[0].stations;
                let found = stations.iter().position(|s| s.girth == girth.length && (s.centre.y - y).abs() < 1e-9);
                let away = from_end(&figures.arms[0], found.unwrap_or(0));
                planes.extend(sides.zip(&figures.arms).filter_map(|(name, axis)| across(name, axis, away)));
            }
            "thigh" | "knee" | "calf" | "ankle" => {
                planes.extend(sides.zip(&figures.legs).filter_map(|(name, axis)| level(name, axis)));
            }
            name => planes.extend(level(name.into(), &figures.torso)),
        }
    }
    planes
}

/// Way (m) from a station to the end of its axis.
fn from_end(axis: &Axis, station: usize) -> f64 {
    axis.stations[station.min(axis.stations.len())..].windows(2).map(|s| s[0].centre.distance(s[1].centre)).sum()
}

/// The plane across a limb at the station nearest to a way (m) from its end.
fn across(name: String, axis: &Axis, away: f64) -> Option<GirthPlane> {
    let last = axis.stations.len().checked_sub(1)?;
    let off = |k: &usize| (from_end(axis, *k) - away).abs();
    let k = (0..=last).min_by(|a, b| off(a).total_cmp(&off(b)))?;
    let [from, to] = [k.saturating_sub(REACH), (k + REACH).min(last)].map(|k| axis.stations[k].centre);
    Some(GirthPlane { name, origin: axis.stations[k].centre, direction: (to - from).try_normalize()? })
}

/// Girths of a garment on a body: those that it goes round. `floor` is the height of the floor (m).
pub fn girths(planes: &[GirthPlane], floor: f64, body: (&[DVec3], &[[u32; 3]]), cloth: &Mesh) -> Vec<GirthFit> {
    planes.iter().filter_map(|plane| girth(plane, floor, body, cloth)).collect()
}

fn girth(
    named: &GirthPlane,
    floor: f64,
    (vertices, triangles): (&[DVec3], &[[u32; 3]]),
    cloth: &Mesh,
) -> Option<GirthFit> {
    let plane = Plane::across(named.origin, named.direction);
    let lines: Vec<Vec<DVec2>> =
        cuts(vertices, triangles, &plane).iter().map(|cut| cut.points(vertices, &plane)).collect();
    let limbs: Vec<&Vec<DVec2>> = lines.iter().filter(|l| hull_length(l) > SPECK).collect();
    let own = limbs.iter().position(|l| goes_round(l, DVec2::ZERO))?;
    let others: Vec<DVec2> = (0..limbs.len()).filter(|k| *k != own).map(|k| limbs[k][0]).collect();
    let mut found: Option<GirthFit> = None;
    for cut in cuts(&cloth.positions, &cloth.triangles, &plane).iter().filter(|cut| cut.is_closed()) {
        let points = cut.points(&cloth.positions, &plane);
        let is_alone = || !others.iter().any(|p| goes_round(&points, *p));
        if !goes_round(&points, DVec2::ZERO) || !is_alone() {
            continue;
        }
        let tape = hull_length(&points);
        // Of several layers the one next to the body.
        if found.as_ref().is_none_or(|f| tape < f.tape) {
            found = Some(GirthFit {
                name: named.name.clone(),
                level: named.origin.y - floor,
                body: hull_length(limbs[own]),
                tape,
                worn: closed_length(&points),
                flat: flat_length(cut, cloth),
            });
        }
    }
    found
}

/// Does a closed line go round a point? (Winding number.)
fn goes_round(line: &[DVec2], point: DVec2) -> bool {
    let mut turns = 0;
    for k in 0..line.len() {
        let (a, b) = (line[k] - point, line[(k + 1) % line.len()] - point);
        if (a.y <= 0.0) != (b.y <= 0.0) {
            let is_left = a.perp_dot(b) > 0.0;
            // Upwards with the point on the left, or downwards with it on the right.
            if (b.y > a.y) == is_left {
                turns += if is_left { 1 } else { -1 };
            }
        }
    }
    turns != 0
}

fn closed_length(points: &[DVec2]) -> f64 {
    (0..points.len()).map(|k| points[k].distance(points[(k + 1) % points.len()])).sum()
}

/// Length of a closed line in the flat panels (m).
fn flat_length(cut: &Cut, cloth: &Mesh) -> f64 {
    let place = |triangle: usize, c: &Crossing| {
        let corners = cloth.triangles[triangle];
        let [a, b] = c.edge.map(|v| corners.iter().position(|w| *w == v).unwrap_or(0));
        let material = cloth.material[triangle];
        material[a].lerp(material[b], c.share)
    };
    let step = |k: usize| {
        let (from, to) = (&cut.crossings[k], &cut.crossings[(k + 1) % cut.crossings.len()]);
        place(cut.triangles[k], from).distance(place(cut.triangles[k], to))
    };
    (0..cut.triangles.len()).map(step).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{Measurements, mannequin, measure};
    use std::f64::consts::TAU;

    /// A tube of a radius (m) round an upright axis, `flat` metres of cloth round it; open by a slit if asked for.
    fn tube(centre: DVec3, radius: f64, height: f64, flat: f64, is_open: bool) -> Mesh {
        const ROUND: usize = 48;
        let mut mesh = Mesh::default();
        let place = |k: usize, row: usize| {
            let angle = TAU * k as f64 / ROUND as f64;
            let y = (row as f64 / 4.0 - 0.5) * height;
            centre + DVec3::new(radius * angle.sin(), y, radius * angle.cos())
        };
        let columns = if is_open { ROUND + 1 } else { ROUND };
        mesh.positions =
            (0..5).flat_map(|row| (0..columns).map(move |k| (k, row))).map(|(k, row)| place(k, row)).collect();
        for (row, k) in (0..4).flat_map(|row| (0..ROUND).map(move |k| (row, k))) {
            let at = |k: usize, row: usize| (row * columns + if is_open { k } else { k % ROUND }) as u32;
            let material = |k: usize, row: usize| DVec2::new(flat * k as f64 / ROUND as f64, row as f64 * height / 4.0);
            let corners = [[(k, row), (k + 1, row), (k + 1, row + 1)], [(k, row), (k + 1, row + 1), (k, row + 1)]];
            for c in corners {
                mesh.triangles.push(c.map(|(k, row)| at(k, row)));
                mesh.material.push(c.map(|(k, row)| material(k, row)));
            }
        }
        mesh
    }

    /// Length of a polygon of 48 corners on a circle.
    fn polygon(radius: f64) -> f64 {
        96.0 * radius * (TAU / 96.0).sin()
    }

    /// A tube round a rod: its own length, that of the rod, and as much cloth as it was cut from.
    #[test]
    fn a_tube_round_a_rod_has_the_ease_of_their_radii() {
        let rod = tube(DVec3::ZERO, 0.10, 2.0, 1.0, false);
        let cloth = tube(DVec3::new(0.01, 0.0, 0.02), 0.15, 0.8, 0.9, false);
        // Cut where vertices lie, and where none do; straight across and at a slant.
        for (origin, direction) in [
            (DVec3::ZERO, DVec3::Y),
            (DVec3::new(0.02, 0.03, 0.0), DVec3::Y),
            (DVec3::new(0.0, 0.03, 0.01), DVec3::new(0.0, 0.8, 0.6)),
        ] {
            let plane = GirthPlane { name: "waist".into(), origin, direction };
            let found = girths(&[plane], -1.0, (&rod.positions, &rod.triangles), &cloth);
            let [found] = &found[..] else { panic!("{found:?}") };
            assert_eq!((found.name.as_str(), found.level), ("waist", 1.0 + origin.y));
            if direction == DVec3::Y {
                assert!((found.body - polygon(0.10)).abs() < 1e-12, "{found:?}");
                assert!((found.worn - polygon(0.15)).abs() < 1e-12 && (found.tape - found.worn).abs() < 1e-12);
                assert!((found.flat - 0.9).abs() < 1e-12, "{found:?}");
                assert!((found.ease() - polygon(0.05)).abs() < 1e-12);
                assert!((found.flat_ease() - (0.9 - polygon(0.10))).abs() < 1e-12);
            } else {
                // An ellipse of half axes r and r / 0.8, by Ramanujan's formula; its polygon is a little shorter.
                let (a, b): (f64, f64) = (0.15, 0.15 / 0.8);
                let h = ((a - b) / (a + b)).powi(2);
                let ellipse = 0.5 * TAU * (a + b) * (1.0 + 3.0 * h / (10.0 + (4.0 - 3.0 * h).sqrt()));
                assert!((found.worn / ellipse - 1.0).abs() < 2e-3, "{} {ellipse}", found.worn);
            }
        }
    }

    /// Folds are on the cloth's line, not on the tape.
    #[test]
    fn a_tape_bridges_folds() {
        let rod = tube(DVec3::ZERO, 0.10, 2.0, 1.0, false);
        let mut cloth = tube(DVec3::ZERO, 0.15, 0.8, 1.0, false);
        for (v, p) in cloth.positions.iter_mut().enumerate() {
            if v % 48 % 2 == 1 {
                *p *= DVec3::new(0.8, 1.0, 0.8);
            }
        }
        let plane = GirthPlane { name: "hip".into(), origin: DVec3::ZERO, direction: DVec3::Y };
        let found = girths(&[plane], 0.0, (&rod.positions, &rod.triangles), &cloth);
        // The tape touches every other vertex: a polygon of 24 corners. Cloth goes from each to the next, 3 cm further in.
        let (near, far): (f64, f64) = (0.8 * 0.15, 0.15);
        let step = (near * near + far * far - 2.0 * near * far * (TAU / 48.0).cos()).sqrt();
        assert!((found[0].tape - 48.0 * far * (TAU / 48.0).sin()).abs() < 1e-12, "{found:?}");
        assert!((found[0].worn - 48.0 * step).abs() < 1e-12, "{found:?}");
        assert!((found[0].flat - 1.0).abs() < 1e-12);
    }

    #[test]
    fn only_what_goes_round_is_a_girth() {
        let rod = tube(DVec3::ZERO, 0.10, 2.0, 1.0, false);
        let body = (&rod.positions[..], &rod.triangles[..]);
        let plane = [GirthPlane { name: "waist".into(), origin: DVec3::ZERO, direction: DVec3::Y }];
        assert!(girths(&plane, 0.0, body, &tube(DVec3::ZERO, 0.15, 0.8, 1.0, true)).is_empty(), "open");
        assert!(girths(&plane, 0.0, body, &tube(DVec3::X, 0.15, 0.8, 1.0, false)).is_empty(), "beside");
        assert!(girths(&plane, 0.0, body, &tube(DVec3::Y, 0.15, 0.8, 1.0, false)).is_empty(), "above");
        // Round both of two legs.
        let mut legs = tube(DVec3::new(-0.12, 0.0, 0.0), 0.10, 2.0, 1.0, false);
        let other = tube(DVec3::new(0.12, 0.0, 0.0), 0.10, 2.0, 1.0, false);
        let count = legs.positions.len() as u32;
        legs.positions.extend(other.positions);
        legs.triangles.extend(other.triangles.iter().map(|t| t.map(|v| v + count)));
        let thigh = [GirthPlane { name: "thigh_l".into(), origin: DVec3::new(0.12, 0.0, 0.0), direction: DVec3::Y }];
        let body = (&legs.positions[..], &legs.triangles[..]);
        assert!(girths(&thigh, 0.0, body, &tube(DVec3::ZERO, 0.4, 0.8, 1.0, false)).is_empty(), "skirt");
        let own = girths(&thigh, 0.0, body, &tube(DVec3::new(0.12, 0.0, 0.0), 0.11, 0.8, 1.0, false));
        assert!((own[0].ease() - polygon(0.01)).abs() < 1e-12, "trousers");
    }

    /// The planes give back the girths of the body they were made for, on both sides.
    #[test]
    fn planes_measure_the_body_as_it_was_measured() {
        for size in ["F38", "M50"] {
            let body = mannequin(&Measurements::of_size(size).unwrap()).unwrap();
            let figures = measure(&body.vertices, &body.triangles).unwrap();
            let planes = girth_planes(&figures);
            assert_eq!(planes.len(), 5 + 2 * 6, "{planes:?}");
            // A copy of the body that stands a little off it is its own garment.
            let material = vec![[DVec2::ZERO, DVec2::X, DVec2::Y]; body.triangles.len()];
            let skin = Mesh { positions: body.vertices.clone(), triangles: body.triangles.clone(), material };
            let found = girths(&planes, figures.floor, (&body.vertices, &body.triangles), &skin);
            assert_eq!(found.len(), planes.len());
            for girth in found {
                let name = girth.name.trim_end_matches("_l").trim_end_matches("_r");
                let wanted = figures.girth(name).unwrap();
                // Planes across arms are those of the axis after it was smoothed: within 2 %.
                assert!((girth.body / wanted - 1.0).abs() < 0.02, "{size} {}: {} for {wanted}", girth.name, girth.body);
                assert!((girth.tape - girth.body).abs() < 1e-12);
            }
        }
    }
}
