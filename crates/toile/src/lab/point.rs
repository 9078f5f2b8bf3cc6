//! The law by itself: one point of fabric under a uniform strain, in the axes of the sample.
//!
//! With the weft at an angle θ to the sample's x axis, material strain is ε = T e and, by the work σ·dε = s·de, sample
//! stress is s = Tᵀσ, for c = cos θ, s = sin θ and engineering shear
//! ```text
//!     ⎡  c²    s²    cs  ⎤
//! T = ⎢  s²    c²   −cs  ⎥
//!     ⎣ −2cs   2cs  c²−s²⎦
//! ```
//! Curvatures (κ_xx, κ_yy, 2κ_xy) turn in the same way, so the point serves bending too.

use toile_core::fabric::Material;
use toile_core::law::{AnyLaw, Law};
use toile_core::memory::{Branches, MemoryError};

/// Time between readings (s): long enough for every relaxation branch to let go, as in a static solution.
const LONG: f64 = 1e9;

/// A point of a material with its memory.
#[derive(Clone, Debug)]
pub struct Point {
    law: AnyLaw,
    branches: Branches,
    memory: Vec<f64>,
    turn: [[f64; 3]; 3],
    dissipated: f64,
    /// Last lateral and shear strain of [`Point::uniaxial`], where the next search starts.
    sides: [f64; 2],
}

impl Point {
    /// A point whose weft lies at `grain` (rad) to the x axis of the sample.
    pub fn new(material: &Material, grain: f64) -> Result<Self, MemoryError> {
        let branches = Branches::new(&material.memory)?;
        let memory = vec![0.0; branches.len()];
        let (s, c) = grain.sin_cos();
        let turn = [[c * c, s * s, c * s], [s * s, c * c, -c * s], [-2.0 * c * s, 2.0 * c * s, c * c - s * s]];
        Ok(Self { law: material.elastic.clone(), branches, memory, turn, dissipated: 0.0, sides: [0.0; 2] })
    }

    fn material(&self, e: [f64; 3]) -> [f64; 3] {
        self.turn.map(|row| row[0] * e[0] + row[1] * e[1] + row[2] * e[2])
    }

    fn sample(&self, stress: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|j| (0..3).map(|i| self.turn[i][j] * stress[i]).sum())
    }

    /// Stress (xx, yy, xy) at a strain (xx, yy, engineering xy), and its derivative.
    pub fn respond(&self, strain: [f64; 3]) -> ([f64; 3], [[f64; 3]; 3]) {
        let e = self.material(strain);
        let (mut a, b) = (self.law.respond(e), self.branches.respond(e, LONG, &self.memory));
        for m in 0..3 {
            a.stress[m] += b.stress[m];
        }
        for k in 0..6 {
            a.tangent[k] += b.tangent[k];
        }
        let [uu, vv, ss, uv, us, vs] = a.tangent;
        let c = [[uu, uv, us], [uv, vv, vs], [us, vs, ss]];
        let t = &self.turn;
        let ct: [[f64; 3]; 3] =
            std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| c[i][k] * t[k][j]).sum()));
        let tangent = std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| t[k][i] * ct[k][j]).sum()));
        (self.sample(a.stress), tangent)
    }

    /// Stress without the memory: the elastic law.
    pub fn elastic(&self, strain: [f64; 3]) -> [f64; 3] {
        self.sample(self.law.stress(self.material(strain)))
    }

    /// Has the material a memory?
    pub fn remembers(&self) -> bool {
        !self.branches.is_empty()
    }

    /// Ends a step at a strain: moves the memory.
    pub fn commit(&mut self, strain: [f64; 3]) {
        let e = self.material(strain);
        self.dissipated += self.branches.commit(e, LONG, &mut self.memory);
        self.sides = [strain[1], strain[2]];
    }

    /// Energy stored per area at a strain, and dissipated per area so far.
    pub fn energy(&self, strain: [f64; 3]) -> [f64; 2] {
        let e = self.material(strain);
        [self.law.energy(e) + self.branches.stored(e, 0.0, &self.memory), self.dissipated]
    }

    /// The strain with a given xx component and neither lateral nor shear stress: Newton on two unknowns, halved where it
    /// does not come closer. None when there is no such state nearby.
    pub fn uniaxial(&self, xx: f64) -> Option<[f64; 3]> {
        let mut e = [xx, self.sides[0], self.sides[1]];
        let miss = |e: [f64; 3]| {
            let s = self.respond(e).0;
            s[1].hypot(s[2])
        };
        for _ in 0..200 {
            let (s, t) = self.respond(e);
            let scale = s[0].abs().max(1e-9 * t[0][0].abs());
            let size = s[1].hypot(s[2]);
            if size <= 1e-13 * scale {
                return Some(e);
            }
            let det = t[1][1] * t[2][2] - t[1][2] * t[2][1];
            let step = [(t[2][2] * s[1] - t[1][2] * s[2]) / det, (t[1][1] * s[2] - t[2][1] * s[1]) / det];
            if !(step[0].is_finite() && step[1].is_finite()) {
                return None;
            }
            let mut share = 1.0;
            let next = |share: f64| [xx, e[1] - share * step[0], e[2] - share * step[1]];
            while share > 1e-6 && !(miss(next(share)) < size) {
                share *= 0.5;
            }
            if share <= 1e-6 {
                // As near as rounding allows, or stuck.
                return (size <= 1e-9 * scale).then_some(e);
            }
            e = next(share);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_core::fabric::{Branch, Rule};
    use toile_core::law::{LAWS, Linear};

    fn materials() -> Vec<Material> {
        let slider = Branch { stiffness: [300.0, 200.0, 80.0], rule: Rule::Slider { yield_stress: [2.0, 3.0, 1.0] } };
        LAWS.iter().map(|l| Material { memory: vec![slider.clone()], ..Material::elastic((l.sample)()) }).collect()
    }

    /// Turned stress is the derivative of the energy by the sample's strain, and the tangent that of the stress.
    #[test]
    fn turned_stress_and_tangent_are_derivatives() {
        for material in materials() {
            let elastic = Point::new(&Material::elastic(material.elastic.clone()), 0.6).unwrap();
            let mut point = Point::new(&material, 0.6).unwrap();
            point.commit([0.01, 0.002, -0.03]);
            let (e, h) = ([0.03, -0.012, 0.05], 1e-6);
            let (stress, tangent) = point.respond(e);
            for j in 0..3 {
                let (mut up, mut down) = (e, e);
                up[j] += h;
                down[j] -= h;
                let slope = (elastic.energy(up)[0] - elastic.energy(down)[0]) / (2.0 * h);
                // Rounding of the energy over the step: 1e-16 · 10 J/m² / 1e-6.
                assert!((slope - elastic.elastic(e)[j]).abs() < 1e-5 * (1.0 + slope.abs()), "{material:?} {j}");
                for i in 0..3 {
                    let slope = (point.respond(up).0[i] - point.respond(down).0[i]) / (2.0 * h);
                    assert!((slope - tangent[i][j]).abs() < 1e-5 * tangent[0][0], "{material:?} {i}{j} {stress:?}");
                }
            }
        }
    }

    /// A quarter turn swaps weft and warp; the modulus of a turned strip is 1/E = c⁴/E_u + s⁴/E_v + c²s²/G.
    #[test]
    fn turned_modulus_has_its_closed_form() {
        let (eu, ev, g) = (4000.0, 8000.0, 100.0);
        let material = Material::elastic(Linear::orthotropic(eu, ev, g, 0.0).unwrap());
        for degrees in [0.0f64, 20.0, 45.0, 70.0, 90.0] {
            let point = Point::new(&material, degrees.to_radians()).unwrap();
            let e = point.uniaxial(1e-3).unwrap();
            let (s, _) = point.respond(e);
            let (sin, cos) = degrees.to_radians().sin_cos();
            let exact = 1.0 / (cos.powi(4) / eu + sin.powi(4) / ev + (sin * cos).powi(2) / g);
            assert!((s[0] / (exact * 1e-3) - 1.0).abs() < 1e-10, "{degrees}°: {} {exact}", s[0] * 1e3);
            assert!(s[1].abs() < 1e-9 && s[2].abs() < 1e-9);
        }
    }
}
