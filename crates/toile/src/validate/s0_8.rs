//! S0-8: the tensile tester of the paper as a simulation. Source: Volino09 §4.1, Fig. 9, eq. (15)–(16).
//!
//! A sample 5 cm long between clamps 20 cm wide, σ = 800ε + 6·10⁴ε³ N/m along weft and warp, 60γ N/m in shear, without contraction. One
//! clamp moves by (du, dv). The forces of a uniform sample are
//!
//! ε_uu = du/lu + (du² + dv²)/2lu², ε_uv = dv/lu;  fu = lv σ_uu (lu + du)/lu, fv = lv σ_uv + lv σ_uu dv/lu.
//!
//! In elongation the short edges are free, and the sample is uniform by itself. In shear free short edges would turn and the sample
//! would not be that of the formula; so they are led, every node moving by (du, dv)u/lu as in a sample without ends, and the
//! force is the one that does the work of all held nodes: f = (1/lu) Σ R u.

use super::setup::{self, MESH};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};
use glam::{DVec2, DVec3};
use toile_core::fabric::{Fabric, Material};
use toile_core::law::{Curve, Curves};
use toile_core::mesh::Mesh;
use toile_core::system::{Motion, System};
use toile_core::tensile::{self, Sample};

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S0-8",
    title: "virtual tensile test, elongation and shear",
    source: "Volino09 §4.1, Fig. 9, eq. (15)–(16)",
    parameters: &[
        Parameter::number("stiffness", 800.0, [1e-3, 1e9], "N/m", "initial stiffness of weft and warp"),
        Parameter::number("cubic", 6e4, [0.0, 1e9], "N/m", "factor of the cubed strain"),
        Parameter::number("shear", 60.0, [1e-3, 1e9], "N/m", "shear stiffness"),
        Parameter::number("length", 0.05, [1e-3, 10.0], "m", "distance lu of the clamps"),
        Parameter::number("width", 0.2, [1e-3, 10.0], "m", "length lv of the clamps"),
        Parameter::number("reach", 0.01, [1e-5, 1.0], "m", "largest du and dv"),
        Parameter::number("steps", 5.0, [1.0, 100.0], "–", "displacements of each mode"),
        Parameter::number("triangles", 2500.0, [8.0, 1e5], "–", "triangles of the sample"),
        MESH,
    ],
    run,
};

struct Tester {
    sample: Sample,
    law: [f64; 3],
    mesh: Mesh,
    fabric: Fabric,
    edge: f64,
}

/// A mode of the test: name, direction of the motion, are the short edges led?
const MODES: [(&str, [f64; 2], bool); 3] =
    [("elongation", [1.0, 0.0], false), ("shear", [0.0, 1.0], true), ("both", [1.0, 0.5], true)];

impl Tester {
    /// (15) and (16).
    fn exact(&self, d: DVec2) -> DVec2 {
        let motion = tensile::Motion { pull: d.x, shear: d.y };
        let [uu, uv] = self.sample.strain(motion);
        let [stiffness, cubic, shear] = self.law;
        let force = self.sample.force([stiffness * uu + cubic * uu.powi(3), shear * uv], motion);
        DVec2::new(force.pull, force.shear)
    }

    /// The system with one grip per held node, and the share u/lu of the motion that each grip makes.
    fn system(&self, led: bool) -> Result<(System, Vec<f64>), ExperimentError> {
        let Sample { length, width } = self.sample;
        let mut held = [0.0, length].map(|x| setup::vertices_at(&self.mesh, 0, x)).concat();
        if led {
            held = setup::rim(&self.mesh, [length, width]);
        }
        let mut builder = setup::in_plane(&self.mesh, &self.fabric);
        for &node in &held {
            builder = builder.pin("held", vec![node]);
        }
        let shares = held.iter().map(|&n| self.mesh.positions[n as usize].x / length).collect();
        Ok((builder.build()?, shares))
    }

    fn force(&self, system: &mut System, shares: &[f64], d: DVec2) -> Result<DVec2, ExperimentError> {
        let shift = DVec3::new(d.x, 0.0, -d.y);
        for (k, share) in shares.iter().enumerate() {
            // Grip 0 holds the plane.
            system.set_motion(k + 1, Motion::shift(*share * shift));
        }
        let mut state = system.initial_state();
        for (x, rest) in state.positions.iter_mut().zip(&self.mesh.positions) {
            *x = *rest + rest.x / self.sample.length * shift;
        }
        setup::nudge(system, &mut state, 0.05 * self.edge);
        setup::settle(system, &mut state, 1e-14 * self.law[0] * self.sample.width)?;
        let mut force = DVec2::ZERO;
        for (rest, r) in self.mesh.positions.iter().zip(&state.reactions) {
            force += rest.x / self.sample.length * DVec2::new(r.x, -r.z);
        }
        Ok(force)
    }
}

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let tester = tester(settings)?;
    let (reach, steps) = (settings.number("reach"), settings.count("steps"));
    let mut outcome = Outcome::default();
    let (mut curves, mut errors) = (Vec::new(), Vec::new());
    for (m, (name, direction, led)) in MODES.into_iter().enumerate() {
        let (mut system, shares) = tester.system(led)?;
        let mut measured = [Vec::new(), Vec::new()];
        for step in 1..=steps {
            let d = reach * step as f64 / steps as f64 * DVec2::from(direction);
            let (force, exact) = (tester.force(&mut system, &shares, d)?, tester.exact(d));
            let travel = 1e3 * d.length();
            for (k, axis) in ["fu", "fv"].into_iter().enumerate() {
                let quantity = format!("{axis}, {name} by {travel:.2} mm");
                // Where nothing is due, it is the other force that sets the scale.
                let tolerance = match exact[k] {
                    0.0 => Tolerance::Absolute(1e-8 * exact.length()),
                    _ => Tolerance::Relative(1e-8),
                };
                outcome.checks.push(Check::against(quantity, force[k], "N", exact[k], tolerance));
                measured[k].push([travel, force[k]]);
            }
            errors.push((m, [travel, (force - exact).length() / exact.length()]));
        }
        let end = reach * DVec2::from(direction);
        for (k, points) in measured.into_iter().enumerate().filter(|(k, _)| !(m == 0 && *k == 1)) {
            let at = |i: i32| f64::from(i) / 100.0;
            let line = (0..=100).map(|i| [1e3 * end.length() * at(i), tester.exact(at(i) * end)[k]]).collect();
            let colour = Some(2 * m + k);
            let label = format!("{}, {name}", ["fu", "fv"][k]);
            curves.push(Series { colour, ..Series::new(label, Style::Line, line) });
            curves.push(Series { colour, ..Series::new("", Style::Points, points) });
        }
    }
    outcome.plots = plots(curves, &errors);
    Ok(outcome)
}

fn plots(curves: Vec<Series>, errors: &[(usize, [f64; 2])]) -> Vec<(String, crate::plot::Picture)> {
    let x = || Axis::new("displacement of the clamp (mm)");
    let force = Plot {
        title: "Virtual tensile test: formula (lines) and simulation (marks)".into(),
        x: x(),
        y: Axis::new("force (N)"),
        series: curves,
        is_equal: false,
    };
    let of = |m: usize| errors.iter().filter(|e| e.0 == m).map(|e| e.1).collect();
    let error = Plot {
        title: "Error of the virtual tensile test".into(),
        x: x(),
        y: Axis::log("relative error of the force (–)"),
        series: MODES.iter().enumerate().map(|(m, mode)| Series::new(mode.0, Style::Points, of(m))).collect(),
        is_equal: false,
    };
    vec![("force".into(), force.into()), ("error".into(), error.into())]
}

fn tester(settings: &Settings) -> Result<Tester, ExperimentError> {
    let law = ["stiffness", "cubic", "shear"].map(|name| settings.number(name));
    let sample = Sample { length: settings.number("length"), width: settings.number("width") };
    let edge = (2.0 * sample.length * sample.width / settings.number("triangles")).sqrt();
    let mesh = setup::rectangle(settings.word("mesh"), [sample.length, sample.width], edge)?;
    let thread = Curve::polynomial(vec![0.0, law[0], 0.0, law[1]])?;
    let curves = Curves::new(thread.clone(), thread, Curve::line(law[2])?);
    let fabric = setup::fabric(Material::elastic(curves), 0.1)?;
    Ok(Tester { sample, law, mesh, fabric, edge })
}

#[cfg(test)]
mod tests {
    use super::super::reference;
    use super::*;

    /// The stored table, made elsewhere, agrees with the formula.
    #[test]
    fn formula_is_that_of_the_table() {
        let tester = tester(&Settings::defaults(&EXPERIMENT)).unwrap();
        let table = reference::table("S0-8").unwrap();
        let column = |name: &str| table.numbers(name).unwrap();
        for i in 0..table.len() {
            let force = tester.exact(DVec2::new(column("du_m")[i], column("dv_m")[i]));
            let stored = DVec2::new(column("fu_N")[i], column("fv_N")[i]);
            assert!((force - stored).length() <= 1e-8 * stored.length(), "{force} {stored}");
        }
    }

    #[test]
    fn other_samples_follow_too() {
        let changes = [("triangles", "300"), ("length", "0.1"), ("width", "0.07"), ("reach", "0.03"), ("steps", "2")];
        setup::expect_bands(&EXPERIMENT, &[&changes[..], &[("cubic", "900"), ("shear", "200")]].concat());
    }
}
