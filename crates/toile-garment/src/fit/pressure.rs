//! Pressure on the skin, from the forces of cloth on the vertices of a body.

use super::{Comfort, Regions, comfort, quantile};
use glam::DVec3;

/// Normal force (N) from which on a body vertex counts as touched: a thousandth of the weight of a square centimetre of cloth.
const TOUCH: f64 = 1e-6;

/// The skin under a garment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skin {
    /// Pressure at the vertices of the body (Pa): normal force over area; 0 where nothing touches.
    pub pressure: Vec<f64>,
    /// Area of the skin that belongs to each vertex (m²).
    pub areas: Vec<f64>,
    /// Area that is touched (m²).
    pub touched: f64,
    /// Largest pressure (Pa).
    pub largest: f64,
}

/// Pressure on a body from the force of the cloth on its vertices (N).
pub fn skin(vertices: &[DVec3], triangles: &[[u32; 3]], forces: &[DVec3]) -> Skin {
    // Both normals and areas of vertices are a third of those of their triangles.
    let mut normals = vec![DVec3::ZERO; vertices.len()];
    let mut skin = Skin { pressure: vec![0.0; vertices.len()], areas: vec![0.0; vertices.len()], ..Skin::default() };
    for corners in triangles {
        let [a, b, c] = corners.map(|v| vertices[v as usize]);
        let normal = (b - a).cross(c - a) / 6.0;
        for &v in corners {
            normals[v as usize] += normal;
            skin.areas[v as usize] += normal.length();
        }
    }
    for (v, force) in forces.iter().enumerate().filter(|(v, _)| skin.areas.get(*v).is_some_and(|a| *a > 0.0)) {
        let press = -force.dot(normals[v].normalize_or_zero());
        if press > TOUCH {
            skin.pressure[v] = press / skin.areas[v];
            skin.touched += skin.areas[v];
            skin.largest = skin.largest.max(skin.pressure[v]);
        }
    }
    skin
}

impl Skin {
    /// Pressures (Pa) with their areas (m²), ascending, of what is touched.
    pub fn sorted(&self) -> Vec<(f64, f64)> {
        let all = self.pressure.iter().copied().zip(self.areas.iter().copied());
        let mut touched: Vec<(f64, f64)> = all.filter(|p| p.0 > 0.0).collect();
        touched.sort_by(|a, b| a.0.total_cmp(&b.0));
        touched
    }
}

/// Pressure on a part of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionPressure {
    /// Name of the region.
    pub name: String,
    /// Its area (m²).
    pub area: f64,
    /// Area of it that is touched (m²).
    pub touched: f64,
    /// Mean over what is touched (Pa).
    pub mean: f64,
    /// Five per cent of what is touched have more (Pa).
    pub p95: f64,
    /// Largest (Pa).
    pub largest: f64,
    /// What it is compared with; None for a part of unknown comfort.
    pub comfort: Option<Comfort>,
    /// Share of what is touched above the limit.
    pub above: f64,
}

impl RegionPressure {
    /// Is more than a twentieth of what is touched pressed harder than the limit? A few vertices alone are no discomfort.
    pub fn exceeds(&self) -> bool {
        self.comfort.is_some_and(|c| self.p95 > c.limit)
    }
}

/// Pressure region by region; those that are not touched are left out. A vertex counts for each region by the share of its area there.
pub fn by_region(skin: &Skin, regions: &Regions, vertices: &[DVec3], triangles: &[[u32; 3]]) -> Vec<RegionPressure> {
    let mut all: Vec<(f64, Vec<(f64, f64)>)> = vec![(0.0, Vec::new()); regions.names.len()];
    for (corners, region) in triangles.iter().zip(&regions.of_triangle) {
        let [a, b, c] = corners.map(|v| vertices[v as usize]);
        let third = (b - a).cross(c - a).length() / 6.0;
        let (area, values) = &mut all[usize::from(*region)];
        *area += 3.0 * third;
        let touched = corners.map(|v| skin.pressure[v as usize]).into_iter().filter(|p| *p > 0.0);
        values.extend(touched.map(|p| (p, third)));
    }
    let named = regions.names.iter().zip(all);
    named
        .filter(|(_, (_, values))| !values.is_empty())
        .map(|(name, (area, values))| region(name, area, values))
        .collect()
}

fn region(name: &str, area: f64, mut values: Vec<(f64, f64)>) -> RegionPressure {
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let touched: f64 = values.iter().map(|v| v.1).sum();
    let comfort = comfort(name);
    let limit = comfort.map_or(f64::INFINITY, |c| c.limit);
    let above: f64 = values.iter().filter(|v| v.0 > limit).map(|v| v.1).sum();
    RegionPressure {
        name: name.into(),
        area,
        touched,
        mean: values.iter().map(|v| v.0 * v.1).sum::<f64>() / touched,
        p95: quantile(&values, 0.95),
        largest: values.last().map_or(0.0, |v| v.0),
        comfort,
        above: above / touched,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plate of a square metre in four triangles round its middle, seen from above, and forces of 300 Pa on it.
    fn plate(pascal: f64) -> (Vec<DVec3>, Vec<[u32; 3]>, Vec<DVec3>) {
        let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.5, 0.5]];
        let vertices = corners.map(|[x, z]| DVec3::new(x, 0.0, z)).to_vec();
        let triangles = vec![[1, 0, 4], [2, 1, 4], [3, 2, 4], [0, 3, 4]];
        // Corners belong to two triangles of a quarter each, the middle to all four.
        let forces = [1.0, 1.0, 1.0, 1.0, 2.0].map(|part| DVec3::new(part, -part, 0.0) * pascal / 6.0).to_vec();
        (vertices, triangles, forces)
    }

    /// Pressed evenly downwards, pulled sideways by as much: only what is normal presses.
    #[test]
    fn pressure_is_normal_force_over_area() {
        let (vertices, triangles, forces) = plate(300.0);
        let found = skin(&vertices, &triangles, &forces);
        assert!(found.pressure.iter().all(|p| (p - 300.0).abs() < 1e-9), "{:?}", found.pressure);
        assert!((found.touched - 1.0).abs() < 1e-12 && (found.largest - 300.0).abs() < 1e-9);
        // Lifted, nothing presses.
        let lifted: Vec<DVec3> = forces.iter().map(|f| -f).collect();
        let lifted = skin(&vertices, &triangles, &lifted);
        assert_eq!((lifted.touched, lifted.largest), (0.0, 0.0));
        assert!(lifted.sorted().is_empty());
    }

    /// The middle is pressed with 9 kPa, the corners with 3 kPa: a third of each triangle and two thirds. Force over contact area is the mean.
    #[test]
    fn regions_share_the_pressure_by_area() {
        let (vertices, triangles, mut forces) = plate(3000.0);
        forces[4] *= 3.0;
        let found = skin(&vertices, &triangles, &forces);
        let regions =
            Regions { names: vec!["waist".into(), "knee_l".into(), "tail".into()], of_triangle: vec![0, 0, 0, 1] };
        let by = by_region(&found, &regions, &vertices, &triangles);
        assert_eq!(by.iter().map(|r| r.name.as_str()).collect::<Vec<_>>(), ["waist", "knee_l"]);
        for (region, area) in by.iter().zip([0.75, 0.25]) {
            assert!((region.area - area).abs() < 1e-12 && (region.touched - area).abs() < 1e-12);
            assert!((region.mean - 5000.0).abs() < 1e-9 && (region.largest - 9000.0).abs() < 1e-9, "{region:?}");
        }
        let force: f64 = by.iter().map(|r| r.mean * r.touched).sum();
        assert!((force + forces.iter().map(|f| f.y).sum::<f64>()).abs() < 1e-9, "{force}");
        // 9 kPa are too much for a waist (4.67), not for a knee (9.2).
        assert!(by[0].exceeds() && (by[0].above - 1.0 / 3.0).abs() < 1e-12 && !by[1].exceeds() && by[1].above == 0.0);
    }
}
