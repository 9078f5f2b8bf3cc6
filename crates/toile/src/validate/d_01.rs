//! D-01: the drape coefficient of plain cotton, from its bending rigidity, shear stiffness and mass alone. Source: Gan91 (measured
//! 68.4 %, by finite elements 71.0 %; band of plain cottons 60–76 %), test of Cusick68.
//!
//! The fabric is linear and elastic: B, G, σ as a bending, a shear tester and a balance give them, those of the library's cotton
//! sheeting by default. Friction between the threads, which holds a real sample up until it is shaken down, is left out.

use super::{Check, Experiment, ExperimentError, Outcome, Parameter, Settings, Tolerance};
use crate::lab::{Drape, DrapeReading, MeshKind, Specimen};
use toile_core::fabric::{Drag, Fabric, Material, plate};
use toile_core::law::Linear;

pub(super) static EXPERIMENT: Experiment = Experiment {
    id: "D-01",
    title: "drape coefficient of plain cotton",
    source: "Gan91 (band of plain cotton), test of Cusick68",
    parameters: &[
        Parameter::number("weft_rigidity", 8.6, [0.01, 1e4], "µN·m", "bending rigidity along the weft"),
        Parameter::number("warp_rigidity", 12.5, [0.01, 1e4], "µN·m", "bending rigidity along the warp"),
        Parameter::number("shear", 110.0, [1.0, 1e5], "N/m", "shear stiffness G"),
        Parameter::number("tension", 5000.0, [50.0, 1e6], "N/m", "stiffness along weft and warp"),
        Parameter::number("density", 158.0, [5.0, 5e3], "g/m²", "mass per area σ"),
        Parameter::number("diameter", 30.0, [20.0, 80.0], "cm", "of the sample"),
        Parameter::number("support", 18.0, [10.0, 70.0], "cm", "diameter of the support"),
        Parameter::number("triangles", 1200.0, [200.0, 1e5], "–", "of the free part, coarsest mesh"),
        Parameter::number("meshes", 1.0, [1.0, 4.0], "–", "meshes, each with twice the triangles of the last"),
        Parameter::number("seeds", 1.0, [1.0, 100.0], "–", "samples with different first disturbances"),
        Parameter::word("mesh", &["unstructured", "structured"], "kind of mesh"),
    ],
    run,
};

fn run(settings: &Settings) -> Result<Outcome, ExperimentError> {
    let fabric = fabric(settings)?;
    let mesh = if settings.word("mesh") == "structured" { MeshKind::Structured } else { MeshKind::Unstructured };
    let mut outcome = Outcome::default();
    let mut last: Option<(Drape, DrapeReading)> = None;
    for level in 0..settings.count("meshes") {
        let specimen = Specimen { triangles: settings.count("triangles") << level, mesh };
        let plan = Drape {
            specimen,
            diameter: settings.number("diameter") / 1e2,
            support: settings.number("support") / 1e2,
            ..Drape::default()
        };
        let reading = plan.measure(&fabric, 1)?;
        let name = format!("{} triangles: drape coefficient", reading.triangles);
        outcome.checks.push(Check::report(name, 100.0 * reading.coefficient, "%"));
        last = Some((plan, reading));
    }
    let Some((plan, reading)) = last else { return Err(ExperimentError::Setup("no mesh".into())) };
    let mut coefficients = vec![100.0 * reading.coefficient];
    let mut counts = vec![reading.crests.len() as f64];
    for seed in 2..=settings.count("seeds") as u64 {
        let other = plan.measure(&fabric, seed)?;
        coefficients.push(100.0 * other.coefficient);
        counts.push(other.crests.len() as f64);
    }
    outcome.checks.extend(checks(settings, &reading, &coefficients, &counts));
    let title = format!("Cusick drape: DC {:.1} %, {} folds", coefficients[0], reading.crests.len());
    outcome.plots.push(("rim".into(), plan.rim_plot(title.clone(), &reading).into()));
    outcome.plots.push(("shadow".into(), plan.outline_plot(title, &reading).into()));
    outcome.notes.push("Gan91: 68.4 % measured, 71.0 % by finite elements, on their own cotton.".into());
    outcome
        .notes
        .push("`toile lab drape NAME` drapes library fabrics, with the friction between their threads.".into());
    Ok(outcome)
}

fn checks(settings: &Settings, reading: &DrapeReading, coefficients: &[f64], counts: &[f64]) -> Vec<Check> {
    let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len() as f64;
    let name = "drape coefficient, mean of all seeds";
    let coefficient = mean(coefficients);
    // The band is one of plain cotton in the standard test.
    let names = ["weft_rigidity", "warp_rigidity", "shear", "tension", "density", "diameter", "support"];
    let is_cotton = !names.iter().any(|n| settings.is_changed(n));
    let mut checks = if is_cotton {
        vec![
            Check::against(format!("{name}, lower end"), coefficient, "%", 60.0, Tolerance::AtLeast),
            Check::against(format!("{name}, upper end"), coefficient, "%", 76.0, Tolerance::AtMost),
        ]
    } else {
        vec![Check::report(name, coefficient, "%")]
    };
    checks.extend([
        Check::report("folds, mean of all seeds", mean(counts), "–"),
        Check::report("fold depth", 1e3 * reading.fold_depth, "mm"),
        Check::report("deviation of the angles between folds", 100.0 * reading.irregularity, "%"),
        Check::report("mean drop of the rim", 1e3 * reading.drops[1], "mm"),
        Check::against("crossings", reading.crossings as f64, "–", 0.0, Tolerance::AtMost),
    ]);
    checks
}

fn fabric(settings: &Settings) -> Result<Fabric, ExperimentError> {
    let [weft, warp] = ["weft_rigidity", "warp_rigidity"].map(|n| 1e-6 * settings.number(n));
    let tension = settings.number("tension");
    Ok(Fabric {
        name: "plain cotton".into(),
        density: 1e-3 * settings.number("density"),
        thickness: 0.34e-3,
        membrane: Material::elastic(Linear::orthotropic(tension, tension, settings.number("shear"), 0.0)?),
        bending: Material::elastic(plate(weft, warp, 0.0, None)?),
        drag: Drag::default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stiffer fabrics drape less, heavier ones more: signs of Hu & Chan's regressions.
    #[test]
    fn coefficient_rises_with_rigidity_and_falls_with_mass() {
        let coefficient = |changes: &[(&str, &str)]| {
            let mut settings = Settings::defaults(&EXPERIMENT);
            settings.set("triangles", "500").unwrap();
            changes.iter().for_each(|(name, value)| settings.set(name, value).unwrap());
            let outcome = run(&settings).unwrap();
            outcome.checks.iter().find(|c| c.quantity.starts_with("drape coefficient")).unwrap().value
        };
        let base = coefficient(&[]);
        let stiff = coefficient(&[("weft_rigidity", "40"), ("warp_rigidity", "50")]);
        let heavy = coefficient(&[("density", "400")]);
        assert!(stiff > base + 3.0 && heavy < base - 3.0, "{base} {stiff} {heavy}");
    }
}
