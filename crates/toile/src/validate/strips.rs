//! What experiments on strips share: their parameters, their ends, and the way an equilibrium is followed along a load.

pub(super) use super::setup::MESH;
use super::{ExperimentError, Parameter, Settings};
use glam::DVec3;
use toile_core::fabric::Fabric;
use toile_core::integrate::{StaticOptions, relax};
use toile_core::mesh::{Diagonal, Grid, Mesh};
use toile_core::system::{Builder, State, System};
use toile_garment::meshing::{self, Options};

/// Bending model; `hinge` depends on the mesh and is here to show it.
pub(super) const BENDING: Parameter =
    Parameter::word("bending", &["midedge", "midedge-quadratic", "morley", "hinge"], "bending model");
/// Length of a strip.
pub(super) const LENGTH: Parameter = Parameter::number("length", 0.2, [1e-3, 10.0], "m", "length L");
/// Bending rigidity of a strip.
pub(super) const RIGIDITY: Parameter =
    Parameter::number("rigidity", 1e-5, [1e-9, 1e3], "N·m", "bending rigidity per width B");
/// Density of a strip.
pub(super) const DENSITY: Parameter = Parameter::number("density", 0.1, [1e-4, 100.0], "kg/m²", "mass per area σ");
/// Membrane stiffness of a strip. The closed forms are inextensible, so it is large; linear triangles on irregular meshes lock when
/// Y κ²h⁴/B passes some hundreds (κ curvature, h element), so it is not larger: 1e6 leaves strains of 1e-6 times the load.
pub(super) const INEXTENSIBILITY: Parameter =
    Parameter::number("inextensibility", 1e6, [1e4, 1e9], "–", "membrane modulus Y L²/B");

/// A rectangle as [`Grid`] lays it, with `along` elements along x and others like them across, two at least.
pub(super) fn sheet(kind: &str, size: [f64; 2], along: usize) -> Result<Mesh, ExperimentError> {
    let edge = size[0] / along as f64;
    Ok(match kind {
        "unstructured" => {
            // Equilateral triangles with the area of half a square cell.
            let edge = 2.0 / 12f64.sqrt().sqrt() * edge;
            meshing::rectangle(size, &Options { jitter: 0.3, seed: 1, ..Options::of_edge(edge) })?
        }
        _ => {
            let across = (size[1] / edge).round().clamp(2.0, 1e4) as usize;
            Grid { cells: [along, across], size, diagonal: Diagonal::One }.mesh()
        }
    })
}

/// Vertices at a given x.
pub(super) fn column(mesh: &Mesh, x: f64) -> Vec<u32> {
    let extent = mesh.positions.iter().map(|p| p.x.abs()).fold(0.0, f64::max);
    mesh.vertices_where(|p| (p.x - x).abs() < 1e-9 * extent)
}

/// Share of each vertex in a straight edge along z: half of the way to its neighbours. They add up to one.
pub(super) fn shares(mesh: &Mesh, vertices: &[u32]) -> Vec<(u32, f64)> {
    let mut sorted = vertices.to_vec();
    let z = |v: u32| mesh.positions[v as usize].z;
    sorted.sort_by(|a, b| z(*a).total_cmp(&z(*b)));
    let (Some(&first), Some(&last)) = (sorted.first(), sorted.last()) else { return Vec::new() };
    let length = z(last) - z(first);
    let share = |k: usize| {
        let (before, after) = (sorted[k.saturating_sub(1)], sorted[(k + 1).min(sorted.len() - 1)]);
        (sorted[k], 0.5 * (z(after) - z(before)) / length)
    };
    (0..sorted.len()).map(share).collect()
}

/// A strip along x with its two ends, from the parameters above.
pub(super) struct Strip {
    pub(super) mesh: Mesh,
    pub(super) fabric: Fabric,
    pub(super) bending: &'static str,
    pub(super) length: f64,
    pub(super) width: f64,
    pub(super) rigidity: f64,
    /// Membrane modulus Y (N/m).
    pub(super) modulus: f64,
    /// Vertices at x = 0.
    pub(super) root: Vec<u32>,
    /// Vertices at x = L with their shares of the edge.
    pub(super) tip: Vec<(u32, f64)>,
}

impl Strip {
    /// A strip of `width` (m) and Poisson ratio `poisson` with `elements` along its length.
    pub(super) fn new(settings: &Settings, width: f64, poisson: f64, elements: usize) -> Result<Self, ExperimentError> {
        let (length, rigidity) = (settings.number("length"), settings.number("rigidity"));
        let modulus = settings.number("inextensibility") * rigidity / (length * length);
        let fabric = Fabric::isotropic(modulus, poisson, rigidity, settings.number("density"))?;
        let mesh = sheet(settings.word("mesh"), [length, width], elements)?;
        let (root, tip) = (column(&mesh, 0.0), column(&mesh, length));
        let tip = shares(&mesh, &tip);
        Ok(Self { mesh, fabric, bending: settings.word("bending"), length, width, rigidity, modulus, root, tip })
    }

    /// Its models, without gravity.
    pub(super) fn builder(&self) -> Builder<'_> {
        Builder::new(&self.mesh, &self.fabric).bending(self.bending).gravity(DVec3::ZERO)
    }

    /// Vertices at x = L.
    pub(super) fn tip_vertices(&self) -> Vec<u32> {
        self.tip.iter().map(|t| t.0).collect()
    }

    /// Mean place of the far end.
    pub(super) fn tip_place(&self, state: &State) -> DVec3 {
        self.tip.iter().map(|&(v, share)| share * state.positions[v as usize]).sum()
    }

    /// Equilibrium to seven digits of the force scale B w/L²; pure Newton from the start, since loads are raised in steps.
    pub(super) fn statics(&self) -> StaticOptions {
        let force = self.rigidity * self.width / (self.length * self.length);
        // Membrane forces are Y times differences of coordinates of the size of L: this much of them is rounding.
        let rounding = 4e-15 * self.modulus * self.length;
        let time = (self.fabric.density * self.length.powi(4) / self.rigidity).sqrt();
        StaticOptions {
            force_tolerance: 1e-7 * force + rounding,
            first_step: 10.0 * time,
            max_iterations: 60,
            ..StaticOptions::default()
        }
    }

    /// Places over L of some vertices along the middle of the strip, for pictures of shapes.
    pub(super) fn profile(&self, state: &State) -> Vec<[f64; 2]> {
        let reach = 0.6 * (self.mesh.total_rest_area() / self.mesh.triangles.len() as f64 * 2.0).sqrt();
        let middle = |v: &u32| (self.mesh.positions[*v as usize].z + 0.5 * self.width).abs() < reach;
        let mut line: Vec<u32> = (0..self.mesh.vertex_count() as u32).filter(middle).collect();
        line.sort_by(|a, b| self.mesh.positions[*a as usize].x.total_cmp(&self.mesh.positions[*b as usize].x));
        let place = |v: &u32| state.positions[*v as usize] / self.length;
        // Some twenty points show the shape and leave the curve behind them to be seen.
        let every = (line.len() / 20).max(1);
        line.iter().rev().step_by(every).map(|v| [place(v).x, place(v).y]).collect()
    }
}

/// Carries an equilibrium along a parameter through `targets`, each shown to `visit`. `state` is taken as the equilibrium at
/// `from`; every further one starts from the straight line through the two before it, and a way that does not converge is halved.
pub(super) fn follow(
    options: &StaticOptions,
    (mut state, from): (State, f64),
    targets: &[f64],
    mut system_at: impl FnMut(f64) -> Result<System, ExperimentError>,
    mut visit: impl FnMut(f64, &System, &State),
) -> Result<(), ExperimentError> {
    let mut now = from;
    let mut before: Option<(f64, Vec<DVec3>)> = None;
    for &target in targets {
        let mut goal = target;
        loop {
            let system = system_at(goal)?;
            let mut next = state.clone();
            if let Some((place, positions)) = &before {
                let ahead = (goal - now) / (now - place);
                next.positions.iter_mut().zip(positions).for_each(|(x, old)| *x += ahead * (*x - *old));
            }
            let found = relax(&system, &mut next, options, None);
            if matches!(&found, Ok(f) if f.converged) {
                before = Some((now, std::mem::replace(&mut state, next).positions));
                now = goal;
                if goal == target {
                    visit(goal, &system, &state);
                    break;
                }
                goal = target;
            } else if (goal - now).abs() < 1e-3 * (target - from).abs() {
                let why = found.map_or_else(|e| e.to_string(), |f| format!("{:e} N left on a node", f.residual));
                return Err(ExperimentError::Failed(format!(
                    "no equilibrium beyond {now} on the way to {target}: {why}"
                )));
            } else {
                goal = now + 0.5 * (goal - now);
                // A bad prediction must not repeat itself on the shorter way.
                if (goal - now).abs() < 0.3 * (target - now).abs() {
                    before = None;
                }
            }
        }
    }
    Ok(())
}

/// Observed order from errors on meshes refined by two, finest last.
pub(super) fn order(errors: &[f64]) -> f64 {
    match errors {
        [.., coarse, fine] => (coarse / fine).abs().log2(),
        _ => f64::NAN,
    }
}

/// Runs an experiment with other parameters, those of all cases first; every check must pass.
#[cfg(test)]
pub(super) fn assert_bands(
    experiment: &'static super::Experiment,
    common: &[(&str, &str)],
    cases: &[[(&str, &str); 3]],
) {
    for case in cases {
        let mut settings = Settings::defaults(experiment);
        for (name, value) in common.iter().chain(case) {
            settings.set(name, value).expect("a parameter of the experiment");
        }
        let outcome = (experiment.run)(&settings).expect("a run");
        assert!(outcome.pass(), "{case:?}: {:#?}", outcome.checks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sheets_have_their_ends() {
        for kind in ["structured", "unstructured"] {
            let mesh = sheet(kind, [0.2, 0.02], 40).unwrap();
            mesh.check().unwrap();
            assert!((mesh.total_rest_area() - 0.004).abs() < 1e-15, "{kind}");
            // Two triangles per cell of 5 mm, within the freedom of an irregular mesh.
            assert!((mesh.triangles.len() as f64 / 320.0 - 1.0).abs() < 0.15, "{kind}: {}", mesh.triangles.len());
            let tip = shares(&mesh, &column(&mesh, 0.2));
            assert!(tip.len() >= 4 && (tip.iter().map(|t| t.1).sum::<f64>() - 1.0).abs() < 1e-12, "{kind}: {tip:?}");
        }
    }
}
