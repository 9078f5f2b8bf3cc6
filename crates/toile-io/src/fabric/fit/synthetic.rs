//! Measurements of a known fabric: what a tester would write, with noise. For tests, tutorials and teaching.

use super::TestKind;
use toile_core::fabric::{Fabric, Material, Rule};
use toile_core::law::Law;
use toile_core::tensile::{Motion, Sample, bias_force, bias_strain};

/// How the fabric is tested.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Synthetic {
    /// Which test; a cantilever is written as its bending loop.
    pub kind: TestKind,
    /// The sample.
    pub sample: Sample,
    /// Largest strain (–), engineering extension for tension, or curvature (1/m).
    pub amplitude: f64,
    /// Cycles of loading and unloading; shear and bending go to both sides.
    pub cycles: usize,
    /// Points on each quarter of a cycle.
    pub points: usize,
    /// Standard deviation of the force or moment over its largest value.
    pub noise: f64,
    /// Seed of the noise.
    pub seed: u64,
}

impl Synthetic {
    /// One cycle of 100 points on the standard sample, without noise.
    pub fn new(kind: TestKind, amplitude: f64) -> Self {
        Self { kind, sample: Sample::KAWABATA, amplitude, cycles: 1, points: 100, noise: 0.0, seed: 1 }
    }

    /// The table a tester would write.
    pub fn csv(&self, fabric: &Fabric) -> String {
        let (material, mode) = match self.kind {
            TestKind::Weft => (&fabric.membrane, 0),
            TestKind::Warp => (&fabric.membrane, 1),
            TestKind::Shear | TestKind::Bias => (&fabric.membrane, 2),
            TestKind::BendingWeft | TestKind::Cantilever => (&fabric.bending, 0),
            TestKind::BendingWarp => (&fabric.bending, 1),
        };
        let rows: Vec<(f64, f64)> = self.respond(material, mode);
        let largest = rows.iter().fold(0.0f64, |a, r| a.max(r.1.abs()));
        let mut random = Random(self.seed);
        let header = match self.kind {
            TestKind::Weft | TestKind::Warp | TestKind::Bias => "elongation_mm,force_n",
            TestKind::Shear => "shear_displacement_mm,shear_force_n",
            _ => "curvature_per_m,moment_mn_m_per_m",
        };
        let mut text = format!("# synthetic measurement of {}\n{header}\n", fabric.name.replace(['\n', '\r'], " "));
        for (x, y) in rows {
            text.push_str(&format!("{x},{}\n", y + self.noise * largest * random.normal()));
        }
        text
    }

    /// Displacement (mm) and force (N), or curvature (1/m) and moment (mN·m/m), in the order of the test.
    fn respond(&self, material: &Material, mode: usize) -> Vec<(f64, f64)> {
        let pulls = matches!(self.kind, TestKind::Weft | TestKind::Warp | TestKind::Bias);
        let corners: &[f64] = if pulls { &[0.0, 1.0, 0.0] } else { &[0.0, 1.0, 0.0, -1.0, 0.0] };
        let mut path = vec![0.0];
        for _ in 0..self.cycles {
            for pair in corners.windows(2) {
                let at = |i: usize| pair[0] + (pair[1] - pair[0]) * i as f64 / self.points.max(1) as f64;
                path.extend((1..=self.points).map(|i| self.amplitude * at(i)));
            }
        }
        let mut rest = vec![0.0; material.memory.len()];
        let mut out = Vec::with_capacity(path.len());
        for x in path {
            let (length, width) = (self.sample.length, self.sample.width);
            let pull = Motion { pull: x * length, shear: 0.0 };
            let mut stress = |strain: f64| stress(material, mode, strain, &mut rest);
            out.push(match self.kind {
                TestKind::Weft | TestKind::Warp => {
                    let stress = stress(self.sample.strain(pull)[0]);
                    (1e3 * pull.pull, self.sample.force([stress, 0.0], pull).pull)
                }
                TestKind::Bias => (1e3 * pull.pull, width * bias_force(stress(bias_strain(x)), x)),
                // Eq. (16) without tension.
                TestKind::Shear => (1e3 * x * length, width * stress(x)),
                _ => (x, 1e3 * stress(x)),
            });
        }
        out
    }
}

/// Stress of one mode with the friction sliders moved along.
fn stress(material: &Material, mode: usize, strain: f64, rest: &mut [f64]) -> f64 {
    let mut strains = [0.0; 3];
    strains[mode] = strain;
    let mut total = material.elastic.stress(strains)[mode];
    for (branch, q) in material.memory.iter().zip(rest) {
        let k = branch.stiffness[mode];
        if let Rule::Slider { yield_stress } = &branch.rule
            && k > 0.0
        {
            let s = (k * (strain - *q)).clamp(-yield_stress[mode], yield_stress[mode]);
            *q = strain - s / k;
            total += s;
        }
    }
    total
}

/// SplitMix64, and normal deviates as the sum of twelve uniform ones.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}
