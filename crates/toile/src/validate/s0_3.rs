//! S0-3: strips cut at an angle to the weft hang from one edge. Source: Volino09 Fig. 4, stiffness 2E_uu = E_vv = 8E_uv, ν = 0.
//!
//! Along a direction at θ to the weft a narrow strip has 1/E(θ) = c⁴/E_u + s⁴/E_v + c²s²/G, and under its own weight the middle of its
//! lower edge sinks by σgL²/2E(θ) while strains are small. The formula lets every section shear and contract as it likes, so the top edge
//! is kept level but may slide along itself (its middle is pinned); clamped, a bias strip of L/w = 5 is 1.6 % stiffer. Off the threads it also drifts sideways: +θ and −θ are mirror
//! images, which is checked on a mesh and its mirror image.

use super::setup::{self, MESH};
use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::plot::{Axis, Plot, Series, Style};
use glam::DVec3;
use toile_core::fabric::Material;
use toile_core::law::Linear;
use toile_core::mesh::Mesh;
use toile_core::system::State;

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "S0-3",
    title: "hanging strips cut at 0 to 90° to the weft",
    source: "Volino09 Fig. 4; off-axis modulus of an orthotropic strip",
    parameters: &[
        Parameter::number("weft", 4000.0, [1e-3, 1e9], "N/m", "weft stiffness E_uu"),
        Parameter::number("warp", 8000.0, [1e-3, 1e9], "N/m", "warp stiffness E_vv"),
        Parameter::number("shear", 1000.0, [1e-3, 1e9], "N/m", "shear stiffness E_uv"),
        Parameter::number("load", 1e-3, [1e-7, 0.02], "–", "weight of the strip per width over the weft stiffness"),
        Parameter::number("length", 0.5, [1e-3, 10.0], "m", "length of the strip"),
        Parameter::number("slenderness", 5.0, [3.0, 50.0], "–", "length over width"),
        Parameter::number("angles", 7.0, [3.0, 91.0], "–", "angles from 0 to 90°"),
        Parameter::number("divisions", 8.0, [2.0, 40.0], "–", "elements along the width"),
        Parameter::word("top", &["sliding", "clamped"], "is the top edge only kept level, or held along itself too?"),
        MESH,
    ],
    run,
};

/// A strip that hangs along +x.
struct Strip {
    law: Linear,
    moduli: [f64; 3],
    mesh: Mesh,
    size: [f64; 2],
    /// Mass per area (kg/m²) times gravity (m/s²).
    weight: f64,
    /// Components of the top edge that are held.
    top: [bool; 3],
}

impl Strip {
    /// E(θ).
    fn modulus(&self, angle: f64) -> f64 {
        let (c2, s2) = (angle.cos().powi(2), angle.sin().powi(2));
        let [weft, warp, shear] = self.moduli;
        1.0 / (c2 * c2 / weft + s2 * s2 / warp + c2 * s2 / shear)
    }

    fn sag_of(&self, modulus: f64) -> f64 {
        0.5 * self.weight * self.size[0] * self.size[0] / modulus
    }

    fn hang(&self, mesh: &Mesh, angle: f64) -> Result<State, ExperimentError> {
        let mesh = mesh.clone().with_grain(angle);
        let fabric = setup::fabric(Material::elastic(self.law.clone()), 0.1)?;
        let gravity = DVec3::new(self.weight / fabric.density, 0.0, 0.0);
        let top = setup::vertices_at(&mesh, 0, 0.0);
        let middle = top[top.len() / 2];
        let builder = setup::in_plane(&mesh, &fabric).gravity(gravity).grip("top", top, self.top);
        let system = builder.pin("middle", vec![middle]).build()?;
        let mut state = system.initial_state();
        // Five digits below the weight of the strip would do; mirror images are compared more closely.
        setup::settle(&system, &mut state, 1e-9 * self.weight * self.size[0] * self.size[1])?;
        Ok(state)
    }

    /// Displacement (m) of the middle of the lower edge.
    fn sag(&self, state: &State) -> f64 {
        let lower = setup::vertices_at(&self.mesh, 0, self.size[0]);
        let points = lower.iter().map(|&n| [self.mesh.positions[n as usize].z, state.positions[n as usize].x]);
        setup::interpolated(points.collect(), -0.5 * self.size[1]) - self.size[0]
    }

    /// The mesh seen from behind: z turned over, winding restored.
    fn mirrored(&self) -> Mesh {
        let width = self.size[1];
        let mut mesh = setup::laid_out(&self.mesh, |p| DVec3::new(p.x, p.y, -width - p.z));
        for (t, m) in mesh.triangles.iter_mut().zip(&mut mesh.material) {
            t.swap(1, 2);
            m.swap(1, 2);
            m.iter_mut().for_each(|c| c.y = width - c.y);
        }
        mesh
    }

    /// Largest distance between a shape and the mirror image of another, over the largest motion.
    fn asymmetry(&self, state: &State, other: &State) -> f64 {
        let (mut apart, mut motion) = (0f64, 0f64);
        for (i, rest) in self.mesh.positions.iter().enumerate() {
            let (a, b) = (state.positions[i], other.positions[i]);
            apart = apart.max(a.distance(DVec3::new(b.x, b.y, -self.size[1] - b.z)));
            motion = motion.max(a.distance(*rest));
        }
        apart / motion
    }

    /// Outline with its motion enlarged, strips side by side.
    fn outline(&self, state: &State, place: usize, enlarged: f64) -> Vec<[f64; 2]> {
        let [length, width] = self.size;
        let mut nodes = setup::rim(&self.mesh, self.size);
        let centre = DVec3::new(0.5 * length, 0.0, -0.5 * width);
        let angle = |n: &u32| {
            let d = self.mesh.positions[*n as usize] - centre;
            (d.z / width).atan2(d.x / length)
        };
        nodes.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
        let point = |n: &u32| {
            let rest = self.mesh.positions[*n as usize];
            let p = rest + enlarged * (state.positions[*n as usize] - rest);
            [-p.z + 2.0 * width * place as f64, -p.x]
        };
        nodes.iter().map(point).collect()
    }
}

fn strip(settings: &Settings) -> Result<Strip, ExperimentError> {
    let moduli = ["weft", "warp", "shear"].map(|name| settings.number(name));
    let length = settings.number("length");
    let size = [length, length / settings.number("slenderness")];
    let mesh = setup::rectangle(settings.word("mesh"), size, size[1] / settings.number("divisions").round())?;
    let law = Linear::orthotropic(moduli[0], moduli[1], moduli[2], 0.0)?;
    let weight = settings.number("load") * moduli[0] / length;
    let top = [true, true, settings.word("top") == "clamped"];
    Ok(Strip { law, moduli, mesh, size, weight, top })
}

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let strip = strip(settings)?;
    let count = settings.count("angles");
    let mirrored = strip.mirrored();
    let mut outcome = Outcome::default();
    let (mut polar, mut hung, mut worst) = (Vec::new(), Vec::new(), 0f64);
    for k in 0..count {
        let degrees = 90.0 * k as f64 / (count - 1) as f64;
        let angle = degrees.to_radians();
        let state = strip.hang(&strip.mesh, angle)?;
        let (sag, exact) = (strip.sag(&state), strip.sag_of(strip.modulus(angle)));
        let quantity = format!("sag at {degrees:.1}°");
        outcome.checks.push(Check::against(quantity, sag, "m", exact, Tolerance::Relative(0.02)));
        worst = worst.max(strip.asymmetry(&state, &strip.hang(&mirrored, -angle)?));
        let measured = strip.modulus(angle) * exact / sag;
        polar.push([measured * angle.cos(), measured * angle.sin()]);
        hung.push((degrees, state));
    }
    let quantity = "largest distance of ±θ from mirror images, over the motion";
    outcome.checks.push(Check::against(quantity, worst, "–", 0.0, Tolerance::Absolute(1e-6)));
    outcome.plots.push(("polar".into(), polar_plot(&strip, polar).into()));
    outcome.plots.push(("shapes".into(), shapes_plot(&strip, &hung).into()));
    Ok(outcome)
}

/// Strips side by side, the softest of them lower by a fifth of its length.
fn shapes_plot(strip: &Strip, hung: &[(f64, State)]) -> Plot {
    let softest = (0..=90).map(|d| strip.modulus(f64::from(d).to_radians())).fold(f64::INFINITY, f64::min);
    let enlarged = 0.2 * strip.size[0] / strip.sag_of(softest);
    let outlines = hung.iter().enumerate().map(|(k, (degrees, state))| {
        let outline = strip.outline(state, k, enlarged);
        Series { colour: Some(k % 7), ..Series::new(format!("{degrees:.0}°"), Style::Loop, outline) }
    });
    Plot {
        title: format!("Strips by their angle to the weft, motion enlarged {enlarged:.0} times"),
        x: Axis::new("across (m)"),
        y: Axis::new("height (m)"),
        series: outlines.collect(),
        is_equal: true,
    }
}

fn polar_plot(strip: &Strip, measured: Vec<[f64; 2]>) -> Plot {
    let curve = (0..=90).map(|d| f64::from(d).to_radians()).map(|a| {
        let e = strip.modulus(a);
        [e * a.cos(), e * a.sin()]
    });
    Plot {
        title: "Stiffness of a strip by its direction".into(),
        x: Axis::new("E(θ) cos θ (N/m), along the weft"),
        y: Axis::new("E(θ) sin θ (N/m), along the warp"),
        series: vec![
            Series::new("closed form", Style::Line, curve.collect()),
            Series::new("from the sag", Style::Points, measured),
        ],
        is_equal: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In the stiffness of the paper the bias strip sags most of the usual angles, and the closed form has the three moduli.
    #[test]
    fn bias_is_softest() {
        let strip = strip(&Settings::defaults(&EXPERIMENT)).unwrap();
        let at = |degrees: f64| strip.modulus(degrees.to_radians());
        assert!((at(0.0) - 4000.0).abs() < 1e-9 && (at(90.0) - 8000.0).abs() < 1e-9);
        assert!([0.0, 15.0, 30.0, 60.0, 75.0, 90.0].iter().all(|d| at(*d) > at(45.0)));
    }

    #[test]
    fn other_stiffness_follows_too() {
        setup::expect_bands(&EXPERIMENT, &[("weft", "900"), ("warp", "300"), ("slenderness", "8"), ("angles", "4")]);
        setup::expect_bands(&EXPERIMENT, &[("top", "clamped"), ("angles", "3")]);
    }
}
