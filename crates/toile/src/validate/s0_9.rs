//! S0-9: from the forces of a tensile test to stress and back. Source: Volino09 eq. (15)–(17), Fig. 14.
//!
//! The sample is held along two edges of length lv, lu apart; one of them is moved by (du, dv) with the forces (fu, fv):
//!
//! ```text
//! ε_uu = du/lu + (du² + dv²)/2lu²     ε_uv = dv/lu                          (15)
//! fu = lv σ_uu (lu + du)/lu            fv = lv σ_uv + lv σ_uu dv/lu           (16)
//! σ_uu = (fu/lv) lu/(lu + du)          σ_uv = fv/lv − (fu/lv) dv/(lu + du)    (17)
//! ```

use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use toile_core::law::{Law, Linear};
use toile_core::tensile::{self, Motion};

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S0-9",
    title: "tensile test: force to stress to force",
    source: "Volino09 eq. (15)–(17), Fig. 14",
    parameters: &[
        Parameter::number("length", 0.05, [1e-3, 10.0], "m", "free length lu of the sample"),
        Parameter::number("width", 0.2, [1e-3, 10.0], "m", "length lv of the held edges"),
        Parameter::number("reach", 0.5, [1e-3, 0.9], "–", "largest |du|/lu and |dv|/lu"),
        Parameter::number("force", 200.0, [1e-6, 1e6], "N", "largest |fu| and |fv|"),
        Parameter::number("steps", 8.0, [2.0, 20.0], "–", "values of each of the four quantities"),
    ],
    run,
};

/// A moved sample.
#[derive(Clone, Copy)]
struct Sample {
    lu: f64,
    lv: f64,
    du: f64,
    dv: f64,
}

/// The formulas of the project themselves: a copy here would only test itself.
impl Sample {
    fn tested(&self) -> (tensile::Sample, Motion) {
        (tensile::Sample { length: self.lu, width: self.lv }, Motion { pull: self.du, shear: self.dv })
    }

    /// (15)
    fn strain(&self) -> [f64; 2] {
        let (sample, d) = self.tested();
        sample.strain(d)
    }

    /// (16)
    fn forces(&self, stress: [f64; 2]) -> [f64; 2] {
        let (sample, d) = self.tested();
        let force = sample.force(stress, d);
        [force.pull, force.shear]
    }

    /// (17)
    fn stress(&self, [pull, shear]: [f64; 2]) -> [f64; 2] {
        let (sample, d) = self.tested();
        sample.stress(Motion { pull, shear }, d)
    }
}

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let (lu, lv) = (settings.number("length"), settings.number("width"));
    let (reach, force) = (settings.number("reach") * lu, settings.number("force"));
    let steps = settings.count("steps");
    let at = |k: usize| 2.0 * k as f64 / (steps - 1) as f64 - 1.0;
    let law = Linear::orthotropic(800.0, 2000.0, 60.0, 0.0)?;
    let (mut there, mut back, mut work) = (0f64, 0f64, 0f64);
    for code in 0..steps.pow(4) {
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| at(code / steps.pow(k) % steps));
        let sample = Sample { lu, lv, du: reach * a, dv: reach * b };
        let (forces, stress) = ([force * c, force * d], [force / lv * c, force / lv * d]);
        there = there.max(difference(sample.forces(sample.stress(forces)), forces, force));
        back = back.max(difference(sample.stress(sample.forces(stress)), stress, force / lv));
        if code < steps * steps {
            work = work.max(work_error(&sample, &law));
        }
    }
    // Reference 0: the tolerance is absolute, on an error relative to the largest force or stress.
    let zero = |quantity: &str, value, band| Check::against(quantity, value, "–", 0.0, Tolerance::Absolute(band));
    let checks = vec![
        zero("largest error of force → stress → force", there, 1e-12),
        zero("largest error of stress → force → stress", back, 1e-12),
        // Central differences of step 1e-5: their own error is about 1e-10.
        zero("largest error of forces against the work of the law", work, 1e-8),
    ];
    Ok(Outcome { checks, ..Outcome::default() })
}

fn difference(a: [f64; 2], b: [f64; 2], scale: f64) -> f64 {
    (a[0] - b[0]).abs().max((a[1] - b[1]).abs()) / scale
}

/// Are the forces of (16) the slope of the energy lu·lv·w(ε) of (15)? Relative to the stiffness of the sample.
fn work_error(sample: &Sample, law: &Linear) -> f64 {
    let energy = |s: Sample| {
        let [uu, uv] = s.strain();
        s.lu * s.lv * law.energy([uu, 0.0, uv])
    };
    let h = 1e-5 * sample.lu;
    let slope = |up: Sample, down: Sample| (energy(up) - energy(down)) / (2.0 * h);
    let Sample { du, dv, .. } = *sample;
    let measured = [
        slope(Sample { du: du + h, ..*sample }, Sample { du: du - h, ..*sample }),
        slope(Sample { dv: dv + h, ..*sample }, Sample { dv: dv - h, ..*sample }),
    ];
    let [uu, uv] = sample.strain();
    let stress = law.stress([uu, 0.0, uv]);
    difference(measured, sample.forces([stress[0], stress[2]]), sample.lv * law.stiffness()[0])
}
