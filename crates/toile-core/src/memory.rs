//! Hysteresis: springs in parallel with a law whose rest strain follows the strain ([`Branch`], [`Rule`]).
//!
//! Membrane and bending share this code: a strain is three numbers, an element keeps [`Branches::len`] numbers of memory.
//! Within a step everything is a function of the strain at its end and of the *committed* memory, so Newton iterations and
//! line searches leave no trace; stress and tangent are the derivatives of one incremental potential Ψ,
//! ```text
//! slider      e = ε − q     Ψ = min over q₁ of ½k(ε − q₁)² + s|q₁ − q|  =  ½ke²  or  s|e| − s²/2k  beyond |ke| = s
//! relaxation  e₁ = e⁻ᵃ e₀ + m d          Ψ = k (e⁻ᵃ e₀ d + ½ m d²)
//! ```
//! Relaxation is exact for a strain that runs straight from ε₀ to ε during the step (q̇ = (ε − q)/τ solved in closed form):
//! constant strain decays as the exponential whatever the step, and ramps are second order. It needs the committed ε₀.
//!
//! | symbol | meaning                                   | unit           |
//! |--------|-------------------------------------------|----------------|
//! | ε, ε₀  | strain now, strain when memory was committed | of the strain |
//! | q, q₁  | rest strain committed, and at the end     | of the strain  |
//! | e, e₀  | strain of the spring, ε − q               | of the strain  |
//! | k, s   | stiffness, yield stress of a mode         | of the stress per strain, of the stress |
//! | a      | elapsed time over τ                       | –              |
//! | d      | ε − ε₀                                    | of the strain  |
//! | m      | (1 − e⁻ᵃ)/a                               | –              |
//!
//! Sources: the branches of Volino09 §2.1; the slider is one-dimensional plasticity by return mapping; the recursion for
//! one term of a Prony series under piecewise linear strain is standard in finite-element viscoelasticity.

use crate::fabric::{Branch, Rule};
use crate::law::Response;

/// What is wrong with a branch.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MemoryError {
    /// A stiffness that is negative or not a number.
    #[error("branch {branch}: the stiffness of mode {mode} is {value}, must be 0 or more")]
    Stiffness {
        /// Position in the list.
        branch: usize,
        /// 0 weft, 1 warp, 2 shear.
        mode: usize,
        /// Its value.
        value: f64,
    },
    /// A yield stress that is negative or not a number.
    #[error("branch {branch}: the yield stress of mode {mode} is {value}, must be 0 or more")]
    Yield {
        /// Position in the list.
        branch: usize,
        /// 0 weft, 1 warp, 2 shear.
        mode: usize,
        /// Its value.
        value: f64,
    },
    /// A relaxation time that is not positive.
    #[error("branch {branch}: the relaxation time is {value} s, must be positive")]
    Time {
        /// Position in the list.
        branch: usize,
        /// Its value (s).
        value: f64,
    },
}

/// The memory branches of a material. Elements without branches cost nothing: `len` is 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Branches {
    branches: Vec<Branch>,
}

/// Factors of a relaxation step that depend on a = elapsed/τ alone.
#[derive(Clone, Copy)]
struct Decay {
    /// e⁻ᵃ.
    left: f64,
    /// m = (1 − e⁻ᵃ)/a, from 1 (a = 0) to 0.
    mean: f64,
    /// (1 − m)/a, from ½ to 0.
    lag: f64,
}

impl Decay {
    fn new(elapsed: f64, time: f64) -> Self {
        let a = (elapsed / time).max(0.0);
        if a < 1e-2 {
            // Series: the closed forms lose digits here. Next terms are below 1e-13.
            let mean = 1.0 - a * (0.5 - a * (1.0 / 6.0 - a * (1.0 / 24.0 - a * (1.0 / 120.0 - a / 720.0))));
            let lag = 0.5 - a * (1.0 / 6.0 - a * (1.0 / 24.0 - a * (1.0 / 120.0 - a / 720.0)));
            return Self { left: (-a).exp(), mean, lag };
        }
        let mean = -(-a).exp_m1() / a;
        Self { left: (-a).exp(), mean, lag: (1.0 - mean) / a }
    }
}

/// One mode of one branch at the end of the step, per unit of area.
#[derive(Clone, Copy, Default)]
struct Mode {
    stress: f64,
    tangent: f64,
    potential: f64,
    stored: f64,
    dissipated: f64,
    /// Strain of the spring at the end; the new rest strain is ε minus this.
    spring: f64,
}

fn slide(k: f64, s: f64, e: f64) -> Mode {
    let trial = k * e;
    if trial.abs() <= s {
        let stored = 0.5 * trial * e;
        return Mode { stress: trial, tangent: k, potential: stored, stored, dissipated: 0.0, spring: e };
    }
    let spring = (s / k).copysign(e);
    let (stored, dissipated) = (0.5 * s * (s / k), s * (e - spring).abs());
    Mode { stress: s.copysign(e), tangent: 0.0, potential: stored + dissipated, stored, dissipated, spring }
}

fn relax(k: f64, decay: Decay, e0: f64, d: f64) -> Mode {
    let e1 = decay.left * e0 + decay.mean * d;
    // Work of the spring along the straight strain path; what is not stored has gone into the dashpot.
    let work = k * d * (decay.mean * e0 + decay.lag * d);
    let (before, stored) = (0.5 * k * e0 * e0, 0.5 * k * e1 * e1);
    Mode {
        stress: k * e1,
        tangent: k * decay.mean,
        potential: k * d * (decay.left * e0 + 0.5 * decay.mean * d),
        stored,
        dissipated: (work + before - stored).max(0.0),
        spring: e1,
    }
}

impl Branches {
    /// Checks the branches of a material.
    pub fn new(branches: &[Branch]) -> Result<Self, MemoryError> {
        for (branch, b) in branches.iter().enumerate() {
            if let Some(mode) = (0..3).find(|&m| !(b.stiffness[m] >= 0.0 && b.stiffness[m].is_finite())) {
                return Err(MemoryError::Stiffness { branch, mode, value: b.stiffness[mode] });
            }
            match &b.rule {
                Rule::Slider { yield_stress } => {
                    if let Some(mode) = (0..3).find(|&m| yield_stress[m].is_nan() || yield_stress[m] < 0.0) {
                        return Err(MemoryError::Yield { branch, mode, value: yield_stress[mode] });
                    }
                }
                Rule::Relaxation { time } => {
                    if time.is_nan() || *time <= 0.0 {
                        return Err(MemoryError::Time { branch, value: *time });
                    }
                }
            }
        }
        Ok(Self { branches: branches.to_vec() })
    }

    /// Numbers of memory per element, zero at the start: q of the three modes, and ε₀ for relaxation.
    pub fn len(&self) -> usize {
        self.branches.iter().map(Self::len_of).sum()
    }

    /// True without branches.
    pub fn is_empty(&self) -> bool {
        self.branches.is_empty()
    }

    fn len_of(branch: &Branch) -> usize {
        match branch.rule {
            Rule::Slider { .. } => 3,
            Rule::Relaxation { .. } => 6,
        }
    }

    /// Evaluates every mode of every branch: `visit(offset of q in memory, mode, result)`.
    #[inline]
    fn each(&self, strain: [f64; 3], elapsed: f64, memory: &[f64], mut visit: impl FnMut(usize, usize, Mode)) {
        let mut start = 0;
        for branch in &self.branches {
            let q = &memory[start..];
            let k = branch.stiffness;
            match &branch.rule {
                Rule::Slider { yield_stress } => {
                    for m in 0..3 {
                        visit(start, m, slide(k[m], yield_stress[m], strain[m] - q[m]));
                    }
                }
                Rule::Relaxation { time } => {
                    let decay = Decay::new(elapsed, *time);
                    for m in 0..3 {
                        visit(start, m, relax(k[m], decay, q[3 + m] - q[m], strain[m] - q[3 + m]));
                    }
                }
            }
            start += Self::len_of(branch);
        }
    }

    /// Stress and its derivative by the strain at the end of the step. `memory` is the element's slice, `elapsed` the time
    /// since it was committed (s).
    pub fn respond(&self, strain: [f64; 3], elapsed: f64, memory: &[f64]) -> Response<f64> {
        let mut response = Response { stress: [0.0; 3], tangent: [0.0; 6] };
        self.each(strain, elapsed, memory, |_, m, mode| {
            response.stress[m] += mode.stress;
            response.tangent[m] += mode.tangent;
        });
        response
    }

    /// Stress alone.
    pub fn stress(&self, strain: [f64; 3], elapsed: f64, memory: &[f64]) -> [f64; 3] {
        let mut stress = [0.0; 3];
        self.each(strain, elapsed, memory, |_, m, mode| stress[m] += mode.stress);
        stress
    }

    /// Incremental potential Ψ per area, whose derivative is the stress. It differs from stored energy plus dissipation: for
    /// relaxation by the step's own discretisation, for a slider by nothing.
    pub fn potential(&self, strain: [f64; 3], elapsed: f64, memory: &[f64]) -> f64 {
        let mut sum = 0.0;
        self.each(strain, elapsed, memory, |_, _, mode| sum += mode.potential);
        sum
    }

    /// Energy in the springs at the end of the step, per area.
    pub fn stored(&self, strain: [f64; 3], elapsed: f64, memory: &[f64]) -> f64 {
        let mut sum = 0.0;
        self.each(strain, elapsed, memory, |_, _, mode| sum += mode.stored);
        sum
    }

    /// Moves the rest strains to the end of an accepted step; returns the energy dissipated per area, never negative.
    pub fn commit(&self, strain: [f64; 3], elapsed: f64, memory: &mut [f64]) -> f64 {
        let mut dissipated = 0.0;
        let mut start = 0;
        for branch in &self.branches {
            let len = Self::len_of(branch);
            let one = &mut memory[start..start + len];
            for m in 0..3 {
                let k = branch.stiffness[m];
                let mode = match &branch.rule {
                    Rule::Slider { yield_stress } => slide(k, yield_stress[m], strain[m] - one[m]),
                    Rule::Relaxation { time } => {
                        let (q, before) = (one[m], one[3 + m]);
                        one[3 + m] = strain[m];
                        relax(k, Decay::new(elapsed, *time), before - q, strain[m] - before)
                    }
                };
                // A mode that is switched off keeps q = 0: nothing to carry along.
                if k > 0.0 {
                    one[m] = strain[m] - mode.spring;
                }
                dissipated += mode.dissipated;
            }
            start += len;
        }
        dissipated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slider(k: f64, s: f64) -> Branch {
        Branch { stiffness: [k, 2.0 * k, 0.5 * k], rule: Rule::Slider { yield_stress: [s, 3.0 * s, s] } }
    }

    fn prony(k: f64, time: f64) -> Branch {
        Branch { stiffness: [k, 0.3 * k, 2.0 * k], rule: Rule::Relaxation { time } }
    }

    /// A closed cycle of amplitude a dissipates 4 s (a − s/k), and the area of the stress loop is the same number.
    #[test]
    fn slider_cycle_dissipates_its_closed_form() {
        let (k, s, a) = (200.0, 3.0, 0.05);
        let branches = Branches::new(&[Branch { stiffness: [k, 0.0, 0.0], ..slider(k, s) }]).unwrap();
        let mut memory = vec![0.0; branches.len()];
        let n = 400;
        let path = |i: usize| a * (std::f64::consts::TAU * i as f64 / n as f64).sin();
        for i in 0..=n {
            branches.commit([path(i), 0.0, 0.0], 0.0, &mut memory);
        }
        let (mut dissipated, mut area) = (0.0, 0.0);
        let mut last = branches.stress([path(0), 0.0, 0.0], 0.0, &memory)[0];
        for i in 1..=n {
            let strain = [path(i), 0.0, 0.0];
            let stress = branches.stress(strain, 0.0, &memory)[0];
            area += 0.5 * (stress + last) * (path(i) - path(i - 1));
            last = stress;
            dissipated += branches.commit(strain, 0.0, &mut memory);
        }
        let exact = 4.0 * s * (a - s / k);
        assert!((dissipated / exact - 1.0).abs() < 1e-12, "{dissipated} {exact}");
        // The trapezoid rule cuts the four corners of the loop: second order in the step.
        assert!((area / exact - 1.0).abs() < 1e-3, "{area} {exact}");
    }

    /// At constant strain the stress decays as e^{−t/τ} to rounding, for any sequence of steps, and the energy goes with it.
    #[test]
    fn relaxation_is_exponential_for_any_steps() {
        let (k, time, strain) = (50.0, 0.7, [0.1, -0.2, 0.05]);
        let branches = Branches::new(&[prony(k, time)]).unwrap();
        for steps in [[0.3, 0.3, 0.3], [1e-6, 0.001, 0.9], [2.0, 5.0, 1e-3]] {
            let mut memory = vec![0.0; branches.len()];
            branches.commit(strain, 0.0, &mut memory);
            let start = branches.stored(strain, 0.0, &memory);
            let (mut t, mut lost) = (0.0, 0.0);
            for h in steps {
                t += h;
                let stress = branches.stress(strain, h, &memory);
                for m in 0..3 {
                    let exact = branches.branches[0].stiffness[m] * strain[m] * (-t / time).exp();
                    assert!((stress[m] - exact).abs() < 1e-13 * k, "{} {exact}", stress[m]);
                }
                lost += branches.commit(strain, h, &mut memory);
                let left = branches.stored(strain, 0.0, &memory);
                assert!((left - start * (-2.0 * t / time).exp()).abs() < 1e-13 * start.max(1.0));
                assert!((left + lost - start).abs() < 1e-13 * start.max(1.0));
            }
        }
    }

    /// A ramp is exact too: σ = k τ ε̇ (1 − e^{−t/τ}), in one step or in many; work in = stored + dissipated.
    #[test]
    fn relaxation_is_exact_on_a_ramp() {
        let (k, time, speed, end) = (80.0, 0.2, 0.4, 0.5);
        let branches = Branches::new(&[Branch { stiffness: [k, 0.0, 0.0], ..prony(k, time) }]).unwrap();
        let exact = k * time * speed * (1.0 - f64::exp(-end / time));
        // ∫ σ ε̇ dt of that stress.
        let work = k * time * speed * speed * (end - time * (1.0 - f64::exp(-end / time)));
        for n in [1, 7, 500] {
            let mut memory = vec![0.0; branches.len()];
            let (h, mut dissipated) = (end / n as f64, 0.0);
            for i in 1..=n {
                dissipated += branches.commit([speed * h * i as f64, 0.0, 0.0], h, &mut memory);
            }
            let strain = [speed * end, 0.0, 0.0];
            assert!((branches.stress(strain, 0.0, &memory)[0] - exact).abs() < 1e-12 * k);
            let stored = branches.stored(strain, 0.0, &memory);
            assert!((stored + dissipated - work).abs() < 1e-12 * work.max(1.0), "{n}: {stored} {dissipated} {work}");
        }
    }

    /// Stress is the derivative of the potential and the tangent that of the stress, below and beyond yield.
    #[test]
    fn stress_and_tangent_are_derivatives() {
        let branches = Branches::new(&[slider(200.0, 3.0), prony(90.0, 0.05), slider(40.0, 0.2)]).unwrap();
        let mut memory = vec![0.0; branches.len()];
        branches.commit([0.03, -0.01, 0.02], 0.01, &mut memory);
        branches.commit([0.01, 0.02, -0.04], 0.02, &mut memory);
        for strain in [[0.002, 0.001, 0.0], [0.05, -0.06, 0.07], [0.012, 0.021, -0.043], [-0.3, 0.2, 0.4]] {
            for elapsed in [0.0, 1e-3, 0.1, 10.0] {
                let response = branches.respond(strain, elapsed, &memory);
                assert_eq!(response.stress, branches.stress(strain, elapsed, &memory));
                let h = 1e-7;
                for m in 0..3 {
                    let (mut up, mut down) = (strain, strain);
                    up[m] += h;
                    down[m] -= h;
                    let psi = |e| branches.potential(e, elapsed, &memory);
                    let slope = (psi(up) - psi(down)) / (2.0 * h);
                    assert!((slope - response.stress[m]).abs() < 1e-6, "σ{m}: {slope} {}", response.stress[m]);
                    let s = |e| branches.stress(e, elapsed, &memory)[m];
                    let slope = (s(up) - s(down)) / (2.0 * h);
                    assert!((slope - response.tangent[m]).abs() < 1e-4, "E{m}: {slope} {}", response.tangent[m]);
                }
                assert_eq!(response.tangent[3..], [0.0; 3]);
            }
        }
    }

    /// Evaluating leaves no trace; committing continues where the evaluation ended; an infinite time relaxes everything.
    #[test]
    fn commit_continues_the_evaluated_step() {
        let branches = Branches::new(&[slider(100.0, 1.0), prony(60.0, 0.1)]).unwrap();
        let mut memory = vec![0.0; branches.len()];
        assert_eq!(memory.len(), 9);
        let strain = [0.2, -0.1, 0.004];
        let (stress, stored) = (branches.stress(strain, 0.02, &memory), branches.stored(strain, 0.02, &memory));
        assert!(branches.commit(strain, 0.02, &mut memory) > 0.0);
        for (a, b) in branches.stress(strain, 0.0, &memory).iter().zip(stress) {
            assert!((a - b).abs() < 1e-12);
        }
        assert!((branches.stored(strain, 0.0, &memory) - stored).abs() < 1e-13);
        let relaxed = branches.stress(strain, f64::INFINITY, &memory);
        let slider_only = Branches::new(&[slider(100.0, 1.0)]).unwrap().stress(strain, 0.0, &memory);
        assert_eq!(relaxed, slider_only);
        assert!(branches.commit(strain, f64::INFINITY, &mut memory).is_finite());
    }

    /// Bad numbers are named, not computed with.
    #[test]
    fn bad_branches_are_refused() {
        let bad = Branch { stiffness: [1.0, f64::NAN, 1.0], ..slider(1.0, 1.0) };
        assert!(matches!(Branches::new(&[bad]), Err(MemoryError::Stiffness { branch: 0, mode: 1, .. })));
        let bad = Branch { rule: Rule::Slider { yield_stress: [1.0, 1.0, -2.0] }, ..slider(1.0, 1.0) };
        assert!(matches!(Branches::new(&[slider(1.0, 1.0), bad]), Err(MemoryError::Yield { branch: 1, mode: 2, .. })));
        assert!(matches!(Branches::new(&[prony(1.0, 0.0)]), Err(MemoryError::Time { branch: 0, .. })));
        assert!(Branches::new(&[]).unwrap().is_empty());
    }
}
