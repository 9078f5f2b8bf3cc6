//! What experiments on sheets share: both kinds of mesh, fabrics from numbers, sheets held in their plane, rest, and orders.
//!
//! A deformed sheet is a mesh whose positions were moved while its material coordinates stayed: [`laid_out`].

use super::{ExperimentError, Parameter};
use crate::plot::HeatMap;
use glam::{DVec2, DVec3};
use toile_core::fabric::{Drag, Fabric, Material, plate};
use toile_core::integrate::{Equilibrium, StaticOptions, relax};
use toile_core::mesh::{Diagonal, Grid, Mesh};
use toile_core::system::{Builder, State, System};
use toile_garment::meshing::{self, Options};

/// The kind of mesh, a parameter of every experiment that has one.
pub(super) const MESH: Parameter = Parameter::word("mesh", &["structured", "unstructured"], "kind of mesh");

/// A rectangle of `size` (m) in the x–z plane, u along x and v along −z: squares of side `edge` (m) cut in two, or as many
/// irregular triangles.
pub(super) fn rectangle(kind: &str, size: [f64; 2], edge: f64) -> Result<Mesh, ExperimentError> {
    Ok(match kind {
        "unstructured" => {
            let edge = meshing::edge_for_triangles(edge * edge, 2);
            meshing::rectangle(size, &Options { jitter: 0.3, seed: 1, ..Options::of_edge(edge) })?
        }
        _ => {
            let cells = size.map(|s| (s / edge).round().clamp(1.0, 1e4) as usize);
            Grid { cells, size, diagonal: Diagonal::One }.mesh()
        }
    })
}

/// A fabric whose bending does not matter: membrane material and density (kg/m²).
pub(super) fn fabric(membrane: Material, density: f64) -> Result<Fabric, ExperimentError> {
    let bending = Material::elastic(plate(1e-6, 1e-6, 0.0, None)?);
    Ok(Fabric { name: "sample".into(), density, thickness: 5e-4, membrane, bending, drag: Drag::default() })
}

/// A sheet without weight and bending whose nodes stay in the plane y = const: compressed parts would buckle otherwise.
pub(super) fn in_plane<'a>(mesh: &'a Mesh, fabric: &'a Fabric) -> Builder<'a> {
    let all = mesh.vertices_where(|_| true);
    Builder::new(mesh, fabric).bending("none").gravity(DVec3::ZERO).grip("plane", all, [false, true, false])
}

/// The same flat shapes in other places.
pub(super) fn laid_out(mesh: &Mesh, place: impl Fn(DVec3) -> DVec3) -> Mesh {
    let positions = mesh.positions.iter().map(|p| place(*p)).collect();
    Mesh { positions, triangles: mesh.triangles.clone(), material: mesh.material.clone() }
}

/// Vertices whose coordinate (0: x, 1: y, 2: z) is at a place (m).
pub(super) fn vertices_at(mesh: &Mesh, axis: usize, place: f64) -> Vec<u32> {
    let extent = mesh.positions.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    mesh.vertices_where(|p| (p[axis] - place).abs() < 1e-9 * extent)
}

/// Vertices on the rim of a rectangle of a size (m).
pub(super) fn rim(mesh: &Mesh, size: [f64; 2]) -> Vec<u32> {
    let close = 1e-9 * size[0].max(size[1]);
    let ends = |value: f64, end: f64| value.abs() < close || (value - end).abs() < close;
    mesh.vertices_where(|p| ends(p.x, size[0]) || ends(-p.z, size[1]))
}

/// Moves every free component by up to ±`size` (m): what is found afterwards was not put there.
pub(super) fn nudge(system: &System, state: &mut State, size: f64) {
    let mut random = Random(7);
    for (x, free) in state.positions.iter_mut().zip(system.free()) {
        for c in 0..3 {
            let shift = size * random.signed();
            x[c] += if free[c] { shift } else { 0.0 };
        }
    }
}

/// Newton's method to a largest force (N) on any node; an error if it does not get there.
pub(super) fn settle(system: &System, state: &mut State, force: f64) -> Result<Equilibrium, ExperimentError> {
    // Mass is left out from the first iteration: these sheets are held and in tension.
    let options = StaticOptions { force_tolerance: force, first_step: 1e5, ..StaticOptions::default() };
    let found = relax(system, state, &options, None)?;
    if found.converged {
        return Ok(found);
    }
    let Equilibrium { iterations, residual, worst_node, .. } = found;
    Err(ExperimentError::Failed(format!(
        "no equilibrium after {iterations} iterations: {residual:.1e} N left on node {worst_node}, wanted {force:.1e} N"
    )))
}

/// Mean nominal stress (N/m) of a sheet that is held at its rim alone, from work: P = Σ R⊗X / A with the reactions R and the rest
/// places X. Columns belong to u and v, components are those along u and v.
pub(super) fn mean_stress(rest: &Mesh, state: &State) -> [DVec2; 2] {
    let mut sum = [DVec2::ZERO; 2];
    for (p, r) in rest.positions.iter().zip(&state.reactions) {
        let along = DVec2::new(r.x, -r.z);
        sum[0] += p.x * along;
        sum[1] += -p.z * along;
    }
    sum.map(|s| s / rest.total_rest_area())
}

/// Least-squares slope of log y over log x; points that are not positive are left out.
pub(super) fn slope(points: &[[f64; 2]]) -> f64 {
    let logs: Vec<[f64; 2]> = points.iter().filter(|p| p[0] > 0.0 && p[1] > 0.0).map(|p| p.map(f64::ln)).collect();
    let count = logs.len() as f64;
    let mean = [0, 1].map(|k| logs.iter().map(|p| p[k]).sum::<f64>() / count);
    let above: f64 = logs.iter().map(|p| (p[0] - mean[0]) * (p[1] - mean[1])).sum();
    above / logs.iter().map(|p| (p[0] - mean[0]).powi(2)).sum::<f64>()
}

/// Value at a place on the broken line through points.
pub(super) fn interpolated(mut points: Vec<[f64; 2]>, at: f64) -> f64 {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let next = points.partition_point(|p| p[0] < at).clamp(1, points.len() - 1);
    let ([a, fa], [b, fb]) = (points[next - 1], points[next]);
    fa + (at - a) / (b - a) * (fb - fa)
}

/// Values on the triangles of a deformed sheet, seen by `view`.
pub(super) fn map(
    [title, label]: [&str; 2],
    mesh: &Mesh,
    state: &State,
    view: impl Fn(DVec3) -> [f64; 2],
    values: Vec<f64>,
) -> HeatMap {
    let corner = |v: u32| view(state.positions[v as usize]);
    let triangles = mesh.triangles.iter().map(|t| t.map(corner)).collect();
    HeatMap { title: title.into(), label: label.into(), triangles, values, range: None }
}

/// Larger principal value of strains or stresses (uu, vv, uv) with shear as a tensor component.
pub(super) fn principal([uu, vv, uv]: [f64; 3]) -> f64 {
    0.5 * (uu + vv) + (0.25 * (uu - vv).powi(2) + uv * uv).sqrt()
}

/// Numbers that look random and are the same everywhere (splitmix64).
pub(super) struct Random(pub(super) u64);

impl Random {
    /// Even between −1 and 1.
    pub(super) fn signed(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as f64 / (u64::MAX as f64) * 2.0 - 1.0
    }

    /// A vector in the cube of side 2 about the origin.
    pub(super) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }
}

/// Green strain (uu, vv and twice uv) of every triangle, from the places of its corners: springs and cloth without forces have none of their own.
pub(super) fn strains(mesh: &Mesh, places: &[DVec3]) -> Vec<[f64; 3]> {
    let strain = |(t, m): (&[u32; 3], &[DVec2; 3])| {
        let [a, b, c] = t.map(|v| places[v as usize]);
        let (p, q) = (m[1] - m[0], m[2] - m[0]);
        let area = p.perp_dot(q);
        let u = ((b - a) * q.y - (c - a) * p.y) / area;
        let v = ((c - a) * p.x - (b - a) * q.x) / area;
        [0.5 * (u.length_squared() - 1.0), 0.5 * (v.length_squared() - 1.0), u.dot(v)]
    };
    mesh.triangles.iter().zip(&mesh.material).map(strain).collect()
}

/// Runs an experiment with other settings on both kinds of mesh and expects every band to be met.
#[cfg(test)]
pub(super) fn expect_bands(experiment: &'static super::Experiment, changes: &[(&str, &str)]) {
    for mesh in ["structured", "unstructured"] {
        let mut settings = super::Settings::defaults(experiment);
        settings.set("mesh", mesh).unwrap();
        changes.iter().for_each(|(name, value)| settings.set(name, value).unwrap());
        let outcome = (experiment.run)(&settings).unwrap();
        let failed: Vec<_> = outcome.checks.iter().filter(|c| c.pass() == Some(false)).collect();
        assert!(failed.is_empty(), "{} on a {mesh} mesh: {failed:#?}", experiment.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_and_interpolation_are_exact_on_their_own_kind() {
        let cubic: Vec<[f64; 2]> = [0.1, 0.2, 0.7].map(|x: f64| [x, 4.0 * x.powi(3)]).to_vec();
        assert!((slope(&cubic) - 3.0).abs() < 1e-12);
        assert_eq!(interpolated(vec![[2.0, 5.0], [0.0, 1.0], [1.0, 3.0]], 0.25), 1.5);
        assert_eq!(principal([3.0, 3.0, 1.0]), 4.0);
    }

    /// Both kinds of mesh have about as many triangles, and the same sheet gives the same mean stress.
    #[test]
    fn kinds_of_mesh_agree() {
        for kind in ["structured", "unstructured"] {
            let mesh = rectangle(kind, [0.3, 0.2], 0.01).unwrap();
            assert!((mesh.triangles.len() as f64 / 1200.0 - 1.0).abs() < 0.1, "{}", mesh.triangles.len());
            assert!(vertices_at(&mesh, 0, 0.3).len() > 15 && rim(&mesh, [0.3, 0.2]).len() > 80);
        }
    }
}
