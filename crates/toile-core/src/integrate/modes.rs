//! Modes: the lowest eigenvalues of K x = λ M x about a state, K the exact Hessian of the potential.
//!
//! λ = ω² is the squared frequency of a small vibration; one below zero says that the state does not last, and where it passes
//! zero the sheet buckles. Found by subspace iteration: solves with K + sM, a few vectors more than asked for, and a small
//! dense eigenproblem in their span each time (Rayleigh–Ritz). The shift s is raised until K + sM is positive definite.
//! Massless nodes follow without a mode of their own.

use super::StepError;
use super::stage::dot;
use super::statics::Work;
use crate::force::Projection;
use crate::linalg::{SolveError, symmetric_eigen};
use crate::system::{State, System};
use glam::DVec3;

/// How modes are sought.
#[derive(Clone, Debug, PartialEq)]
pub struct ModeOptions {
    /// How many, from the lowest.
    pub count: usize,
    /// First shift s (1/s²): above the size of the lowest eigenvalue, below that of the highest wanted. Raised fourfold as long
    /// as the shifted matrix is not positive definite.
    pub shift: f64,
    /// Done when no wanted eigenvalue changes by more than this, relative to λ + s.
    pub tolerance: f64,
    /// Iterations before giving up.
    pub max_iterations: usize,
}

/// A mode.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// λ = ω² (1/s²); negative where the state is unstable.
    pub eigenvalue: f64,
    /// Displacement of every node, with xᵀMx = 1 (1/√kg); zero where nodes are held.
    pub shape: Vec<DVec3>,
}

impl Default for ModeOptions {
    fn default() -> Self {
        Self { count: 1, shift: 1.0, tolerance: 1e-9, max_iterations: 200 }
    }
}

/// The lowest modes of a state, which should be an equilibrium. Velocities play no part. Fails with
/// [`StepError::NoConvergence`] when the limit is reached and with the error of the solver when no shift helps.
pub fn modes(system: &System, state: &State, options: &ModeOptions) -> Result<Vec<Mode>, StepError> {
    let mut work = Work::new(system, "cholesky")?;
    work.assemble(system, state, Projection::None);
    let shift = factorise(&mut work, system, options.shift)?;
    let weights: Vec<DVec3> = system.masses.iter().zip(&system.free).map(|(m, f)| mask(*f) * *m).collect();
    let movable = weights.iter().flat_map(|w| w.to_array()).filter(|w| *w > 0.0).count();
    let count = options.count.min(movable);
    let mut basis = start(&weights, (2 * count + 4).min(movable));
    let mut last = vec![f64::INFINITY; count];
    for _ in 0..options.max_iterations {
        let loads: Vec<Vec<DVec3>> = basis.iter().map(|x| product(&weights, x)).collect();
        let mut moved = Vec::with_capacity(basis.len());
        for load in &loads {
            moved.push(work.apply_inverse(system, load)?);
        }
        // In the span of y = (K + sM)⁻¹ M x: yᵀ(K + sM)y = yᵀMx.
        let stiffness = gram(&moved, &loads);
        let inertia = gram(&moved, &moved.iter().map(|y| product(&weights, y)).collect::<Vec<_>>());
        let (values, vectors) = generalised_eigen(&stiffness, &inertia, moved.len());
        basis = vectors.iter().map(|v| combine(v, &moved)).collect();
        let change = (0..count).map(|k| (values[k] - last[k]).abs() / values[k]).fold(0.0, f64::max);
        last.copy_from_slice(&values[..count]);
        if change <= options.tolerance {
            let pairs = last.iter().zip(basis).map(|(v, shape)| Mode { eigenvalue: v - shift, shape });
            return Ok(pairs.collect());
        }
    }
    let (time, newton) = (state.time, options.max_iterations);
    Err(StepError::NoConvergence { time, residual: f64::NAN, newton, cuts: 0, node: 0 })
}

fn factorise(work: &mut Work, system: &System, first: f64) -> Result<f64, StepError> {
    let mut shift = first;
    for _ in 0..30 {
        match work.factorise(system, shift) {
            Err(StepError::Solve(SolveError::NotPositive { .. } | SolveError::Indefinite { .. })) => shift *= 4.0,
            other => return other.map(|()| shift),
        }
    }
    work.factorise(system, shift).map(|()| shift)
}

fn mask(free: [bool; 3]) -> DVec3 {
    DVec3::from(free.map(|f| if f { 1.0 } else { 0.0 }))
}

fn product(weights: &[DVec3], x: &[DVec3]) -> Vec<DVec3> {
    weights.iter().zip(x).map(|(w, x)| *w * *x).collect()
}

/// Scattered start vectors, the same every time: each has a share of every mode.
fn start(weights: &[DVec3], count: usize) -> Vec<Vec<DVec3>> {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let one = |w: &DVec3, next: &mut dyn FnMut() -> f64| {
        DVec3::new(next(), next(), next()) * w.map(|w| if w > 0.0 { 1.0 } else { 0.0 })
    };
    (0..count).map(|_| weights.iter().map(|w| one(w, &mut next)).collect()).collect()
}

fn gram(a: &[Vec<DVec3>], b: &[Vec<DVec3>]) -> Vec<f64> {
    let n = a.len();
    let mut g = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            // Symmetric but for rounding: the mean of both orders.
            let value = 0.5 * (dot(&a[i], &b[j]) + dot(&a[j], &b[i]));
            (g[i * n + j], g[j * n + i]) = (value, value);
        }
    }
    g
}

/// Eigenvalues, ascending, and vectors of A v = λ B v with vᵀBv = 1, both symmetric and B positive definite.
fn generalised_eigen(a: &[f64], b: &[f64], n: usize) -> (Vec<f64>, Vec<Vec<f64>>) {
    // B = Q diag(β) Qᵀ, so with T = Q diag(β)^−½ the problem is TᵀAT w = λ w.
    let (beta, q) = symmetric_eigen(b, n);
    let t = |i: usize, k: usize| q[i * n + k] / beta[k].max(f64::MIN_POSITIVE).sqrt();
    let mut reduced = vec![0.0; n * n];
    for k in 0..n {
        let column: Vec<f64> = (0..n).map(|i| (0..n).map(|j| a[i * n + j] * t(j, k)).sum()).collect();
        for l in 0..n {
            reduced[l * n + k] = (0..n).map(|i| t(i, l) * column[i]).sum();
        }
    }
    let (values, w) = symmetric_eigen(&reduced, n);
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|i, j| values[*i].total_cmp(&values[*j]));
    let vector = |k: &usize| (0..n).map(|i| (0..n).map(|l| t(i, l) * w[l * n + k]).sum()).collect();
    (order.iter().map(|&k| values[k]).collect(), order.iter().map(vector).collect())
}

fn combine(weights: &[f64], vectors: &[Vec<DVec3>]) -> Vec<DVec3> {
    (0..vectors[0].len()).map(|i| weights.iter().zip(vectors).map(|(w, v)| *w * v[i]).sum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::Fabric;
    use crate::mesh::{Diagonal, Grid};
    use crate::system::Builder;

    fn strip(bending: &str) -> (System, State) {
        let mesh = Grid { cells: [12, 2], size: [0.3, 0.05], diagonal: Diagonal::One }.mesh();
        let fabric = Fabric::isotropic(100.0, 0.2, 1e-4, 0.2).unwrap();
        let edge = mesh.vertices_where(|p| p.x == 0.0);
        let system = Builder::new(&mesh, &fabric).bending(bending).gravity(DVec3::ZERO);
        let system = system.clamp("root", edge, DVec3::Y).build().unwrap();
        let state = system.initial_state();
        (system, state)
    }

    /// Each mode satisfies K x = λ M x, K taken from differences of the forces, and modes are orthogonal in mass.
    #[test]
    fn modes_solve_the_eigenproblem() {
        for bending in ["midedge", "midedge-quadratic"] {
            let (system, state) = strip(bending);
            let found =
                modes(&system, &state, &ModeOptions { count: 4, tolerance: 1e-13, ..ModeOptions::default() }).unwrap();
            for (k, mode) in found.iter().enumerate() {
                // A tenth of a micrometre: stretch grows with its square, rounding with its inverse, both 1e-6 of the load here.
                let step = 1e-7 / mode.shape.iter().map(|x| x.length()).fold(0.0, f64::max);
                let moved = |sign: f64| {
                    let mut state = state.clone();
                    state.positions.iter_mut().zip(&mode.shape).for_each(|(x, d)| *x += sign * step * *d);
                    system.total_forces(&state)
                };
                let (up, down) = (moved(1.0), moved(-1.0));
                let mut error: f64 = 0.0;
                let mut size: f64 = 0.0;
                for i in 0..up.len() {
                    let free = mask(system.free()[i]);
                    let load = mode.eigenvalue * system.masses()[i] * mode.shape[i];
                    error = error.max((free * (down[i] - up[i]) / (2.0 * step) - load).length());
                    size = size.max(load.length());
                }
                assert!(error < 1e-5 * size, "{bending} {k}: {error} of {size}");
                let inner = |a: &Mode| (0..up.len()).map(|i| system.masses()[i] * a.shape[i].dot(mode.shape[i])).sum();
                for (j, other) in found.iter().enumerate() {
                    let inner: f64 = inner(other);
                    assert!((inner - if j == k { 1.0 } else { 0.0 }).abs() < 1e-9, "{bending} {j} {k}: {inner}");
                }
                assert!(k == 0 || mode.eigenvalue > found[k - 1].eigenvalue);
            }
        }
    }

    /// Compressed lengthwise beyond its Euler load a strip has one negative eigenvalue; stretched it has none.
    #[test]
    fn sign_of_the_lowest_tells_stability() {
        let (system, state) = strip("midedge");
        let lowest = |strain: f64| {
            let mut state = state.clone();
            state.positions[..system.vertex_count()].iter_mut().for_each(|x| x.x *= 1.0 + strain);
            modes(&system, &state, &ModeOptions::default()).unwrap()[0].eigenvalue
        };
        // π²B/4L² = 2.7e-3 N/m against Y = 100 N/m.
        assert!(lowest(-5e-5) < 0.0 && lowest(-1e-5) > 0.0 && lowest(1e-4) > lowest(0.0));
    }

    /// A turned director bends a strip to an arc; the sheet keeps its length and the grip holds the moment D θ/L.
    #[test]
    fn director_bends_to_an_arc() {
        use crate::integrate::{StaticOptions, relax};
        use crate::system::{Key, Motion};
        let (length, width, rigidity) = (0.3, 0.05, 1e-4);
        let mesh = Grid { cells: [12, 2], size: [length, width], diagonal: Diagonal::One }.mesh();
        let fabric = Fabric::isotropic(100.0, 0.0, rigidity, 0.2).unwrap();
        let [root, tip] = [0.0, length].map(|at| mesh.vertices_where(|p| p.x == at));
        let builder = Builder::new(&mesh, &fabric).gravity(DVec3::ZERO).clamp("root", root, DVec3::Y);
        let mut system = builder.director("tip", tip.clone(), DVec3::Y).build().unwrap();
        let angle = 0.5;
        let turn = Key { rotation: angle * DVec3::Z, ..Key::shift(0.0, DVec3::ZERO) };
        system.set_motion(2, Motion::Keys(vec![turn]));
        let mut state = system.initial_state();
        let options = StaticOptions { force_tolerance: 1e-10, ..StaticOptions::default() };
        assert!(relax(&system, &mut state, &options, None).unwrap().converged);
        let director = turn.rotation.z;
        let normal = DVec3::new(-director.sin(), director.cos(), 0.0);
        let moment = normal.cross(system.reaction(&state, 2)).z / width;
        assert!((moment / (rigidity * angle / length) - 1.0).abs() < 1e-3, "{moment}");
        let x = state.positions[tip[0] as usize];
        let circle = length / angle * DVec3::new(angle.sin(), 1.0 - angle.cos(), 0.0);
        assert!((x.truncate() - circle.truncate()).length() < 1e-3 * length, "{x} {circle}");
    }
}
