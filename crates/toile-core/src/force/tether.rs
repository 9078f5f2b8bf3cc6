//! Springs and dampers to the ground: F = −k (x − x₀) − d v, the same for every held node. They make test equations of a
//! system (y″ = −k y − d y′ with unit mass) and soft pins of a garment.

use super::{Force, Moment, Projection, Rate, Target};
use crate::linalg::Pattern;
use glam::DVec3;

/// Soft pins.
#[derive(Clone, Debug)]
pub struct Tether {
    /// Held nodes.
    pub nodes: Vec<u32>,
    /// Where each would rest (m).
    pub anchors: Vec<DVec3>,
    /// k (N/m).
    pub stiffness: f64,
    /// d (N·s/m). May be negative in test equations that grow.
    pub damping: f64,
}

impl Tether {
    fn velocity(&self, at: &Moment, k: usize, memory: &[f64]) -> DVec3 {
        let i = self.nodes[k] as usize;
        match at.rate {
            Rate::Instant => at.velocities[i],
            Rate::Since { per_second } => {
                let base = DVec3::new(memory[3 * k], memory[3 * k + 1], memory[3 * k + 2]);
                per_second * (at.positions[i] - base)
            }
        }
    }
}

impl Force for Tether {
    fn name(&self) -> &'static str {
        "tether"
    }

    fn reads_velocities(&self) -> bool {
        false
    }

    fn stencils(&self, visit: &mut dyn FnMut(&[u32])) {
        self.nodes.iter().for_each(|&n| visit(&[n]));
    }

    fn bind(&mut self, _pattern: &Pattern) {}

    fn memory_len(&self) -> usize {
        3 * self.nodes.len()
    }

    fn prepare(&self, base: &[(f64, &[DVec3])], memory: &mut [f64]) {
        for (k, &n) in self.nodes.iter().enumerate() {
            let x: DVec3 = base.iter().map(|(w, x)| *w * x[n as usize]).sum();
            memory[3 * k..3 * k + 3].copy_from_slice(&x.to_array());
        }
    }

    fn energy(&self, at: &Moment, _memory: &[f64]) -> f64 {
        let offset = |k: usize| at.positions[self.nodes[k] as usize] - self.anchors[k];
        (0..self.nodes.len()).map(|k| 0.5 * self.stiffness * offset(k).length_squared()).sum()
    }

    fn potential(&self, at: &Moment, memory: &[f64]) -> f64 {
        let Rate::Since { per_second } = at.rate else { return self.energy(at, memory) };
        let speed = |k: usize| self.velocity(at, k, memory).length_squared();
        let viscous: f64 = (0..self.nodes.len()).map(|k| 0.5 * self.damping / per_second * speed(k)).sum();
        self.energy(at, memory) + viscous
    }

    fn add_forces(&self, at: &Moment, memory: &[f64], forces: &mut [DVec3]) {
        for (k, &n) in self.nodes.iter().enumerate() {
            let v = self.velocity(at, k, memory);
            forces[n as usize] -= self.stiffness * (at.positions[n as usize] - self.anchors[k]) + self.damping * v;
        }
    }

    fn add_jacobian(&self, at: &Moment, _memory: &[f64], _projection: Projection, target: &mut Target) {
        let weight = if let Rate::Since { per_second } = at.rate { per_second } else { 0.0 };
        let k = self.stiffness + weight * self.damping;
        for &n in &self.nodes {
            for c in [0, 4, 8] {
                match target {
                    Target::Single(m) => m.diagonal[n as usize][c] += k as f32,
                    Target::Double(m) => m.diagonal[n as usize][c] += k,
                }
            }
        }
    }

    fn add_product(
        &self,
        at: &Moment,
        _memory: &[f64],
        _projection: Projection,
        direction: &[DVec3],
        product: &mut [DVec3],
    ) -> bool {
        let weight = if let Rate::Since { per_second } = at.rate { per_second } else { 0.0 };
        for &n in &self.nodes {
            product[n as usize] += (self.stiffness + weight * self.damping) * direction[n as usize];
        }
        true
    }

    fn commit(&self, at: &Moment, memory: &mut [f64]) -> f64 {
        let power = |k: usize| self.damping * self.velocity(at, k, memory).length_squared();
        (0..self.nodes.len()).map(|k| at.elapsed * power(k)).sum()
    }
}
