//! Fabric files from measurements: a known fabric is recovered.

use std::path::PathBuf;
use toile_core::fabric::{Branch, Fabric, Material, Rule};
use toile_core::law::{AnyLaw, Curve, Curves, Law, Linear};
use toile_core::tensile::{Sample, cantilever_overhang, unit};
use toile_io::fabric::fit::{Fit, FitError, FitInput, FitOptions, Measurement, Synthetic, TestKind, fit};
use toile_io::fabric::read_str;
use toile_io::fabric::spline::SplineFit;

const KINDS: [TestKind; 5] =
    [TestKind::Weft, TestKind::Warp, TestKind::Shear, TestKind::BendingWeft, TestKind::BendingWarp];

fn c1(knots: &[f64], slope: f64, bends: &[[f64; 2]]) -> Curve {
    // Segments with the given second and third coefficients, each starting where and how the last one ended.
    let (mut value, mut slope, mut rows) = (0.0, slope, Vec::new());
    for (k, [b, c]) in knots.windows(2).zip(bends) {
        let h = k[1] - k[0];
        rows.push(vec![value, slope, *b, *c]);
        value += h * (slope + h * (b + h * c));
        slope += h * (2.0 * b + 3.0 * h * c);
    }
    Curve::spline(knots.to_vec(), rows).expect("a valid curve")
}

/// A fabric whose splines have the shape the fit assumes: three segments over the measured range.
fn known() -> Fabric {
    // Extension of 6 % and 4 %: Green strain e + e²/2. Shear to 0.14.
    let even = |end: f64| [0.0, end / 3.0, end / 3.0 * 2.0, end];
    let weft = c1(&even(0.0618), 420.0, &[[3e3, 2e4], [9e3, -4e4], [5e3, 3e5]]);
    let warp = c1(&even(0.0408), 900.0, &[[5e3, 8e4], [2e4, 1e5], [4e4, 5e5]]);
    let shear = c1(&even(0.14), 38.0, &[[60.0, 0.0], [10.0, 0.0], [220.0, 0.0]]);
    let slider = |k: [f64; 3], s: [f64; 3]| vec![Branch { stiffness: k, rule: Rule::Slider { yield_stress: s } }];
    Fabric {
        name: "known".into(),
        density: 0.15,
        thickness: 0.4e-3,
        membrane: Material {
            elastic: AnyLaw::Curves(Curves::new(weft, warp, shear)),
            viscous: None,
            memory: slider([600.0, 0.0, 100.0], [1.8, 0.0, 0.9]),
        },
        bending: Material {
            elastic: AnyLaw::Linear(Linear::orthotropic(8e-6, 13e-6, 5e-6, 0.0).expect("a valid plate")),
            viscous: None,
            memory: slider([9e-6, 14e-6, 0.0], [4e-4, 6e-4, 0.0]),
        },
        drag: Default::default(),
    }
}

fn amplitude(kind: TestKind) -> f64 {
    match kind {
        TestKind::Weft => 0.06,
        TestKind::Warp => 0.04,
        TestKind::Shear => 0.14,
        _ => 250.0,
    }
}

fn input(fabric: &Fabric, noise: f64) -> FitInput {
    let test = |kind: TestKind| {
        let plan = Synthetic { noise, cycles: 2, seed: kind as u64 + 7, ..Synthetic::new(kind, amplitude(kind)) };
        let path = PathBuf::from(format!("{}.csv", kind.name()));
        Measurement { kind, path, bytes: plan.csv(fabric).into_bytes() }
    };
    FitInput {
        name: "fitted".into(),
        density_g_per_m2: 150.0,
        thickness_mm: 0.4,
        sample: Sample::KAWABATA,
        tests: KINDS.map(test).to_vec(),
    }
}

fn fabric_of(fit: &Fit) -> Fabric {
    read_str(&fit.text, "fitted.toml".as_ref()).expect("a fit writes valid files").fabric
}

/// Largest difference of the middle curves over the measured range, relative to the largest stress.
fn miss(kind: TestKind, found: &Fabric, truth: &Fabric) -> f64 {
    let mode = [0, 1, 2, 0, 1][KINDS.iter().position(|k| *k == kind).expect("a test with a curve")];
    let bends = matches!(kind, TestKind::BendingWeft | TestKind::BendingWarp);
    let law = |f: &Fabric| if bends { f.bending.elastic.clone() } else { f.membrane.elastic.clone() };
    let (a, b) = (law(found), law(truth));
    let at = |law: &AnyLaw, x: f64| {
        let mut strain = [0.0; 3];
        strain[mode] = x;
        law.stress(strain)[mode]
    };
    let end = amplitude(kind);
    let worst =
        (0..=100).map(|i| end * f64::from(i) / 100.0).map(|x| (at(&a, x) - at(&b, x)).abs()).fold(0.0, f64::max);
    worst / at(&b, end)
}

/// Without noise, and told where friction slips, the fit is the fabric itself.
#[test]
fn exact_measurements_give_back_the_fabric() {
    let truth = known();
    // The warp has no friction, so any slip strain explains it; the others slip at 0.003, 0.009 and 44.4, 42.9 per metre.
    for (kind, yield_strain) in [(TestKind::Weft, 0.003), (TestKind::Warp, 0.003), (TestKind::Shear, 0.009)] {
        let options = FitOptions { yield_strain: Some(yield_strain), ..Default::default() };
        let fit = fit(&input(&truth, 0.0), &options).unwrap();
        let miss = miss(kind, &fabric_of(&fit), &truth);
        assert!(miss < 1e-9, "{}: {miss:e}", kind.name());
        let curve = fit.curves.iter().find(|c| c.kind == kind).unwrap();
        let width = [1.8, 0.0, 0.9][kind as usize];
        assert!((curve.half_width - width).abs() < 1e-9, "{}: {}", kind.name(), curve.half_width);
        assert!(curve.residual.r_squared > 1.0 - 1e-12 && curve.branches >= 4);
    }
}

/// Without being told, the slip strain is found too.
#[test]
fn slip_strain_is_found_by_search() {
    let truth = known();
    let fit = fit(&input(&truth, 0.0), &FitOptions::default()).unwrap();
    for (curve, (width, slip)) in
        fit.curves.iter().zip([(1.8, 0.003), (0.0, 0.0), (0.9, 0.009), (4e-4, 400.0 / 9.0), (6e-4, 600.0 / 14.0)])
    {
        let name = curve.kind.name();
        if width > 0.0 {
            assert!((curve.yield_strain / slip - 1.0).abs() < 1e-4, "{name}: {} {slip}", curve.yield_strain);
            assert!((curve.half_width / width - 1.0).abs() < 1e-4, "{name}: {} {width}", curve.half_width);
        }
        let miss = miss(curve.kind, &fabric_of(&fit), &truth);
        assert!(miss < 1e-4, "{name}: {miss:e}");
    }
}

/// With noise the curve is recovered below the noise level (hundreds of points average it), and the residual is the noise.
#[test]
fn noisy_measurements_give_the_fabric_to_the_noise() {
    let truth = known();
    let noise = 0.01;
    let fit = fit(&input(&truth, noise), &FitOptions::default()).unwrap();
    let found = fabric_of(&fit);
    for curve in &fit.curves {
        let name = curve.kind.name();
        let miss = miss(curve.kind, &found, &truth);
        assert!(miss < noise, "{name}: {miss}");
        let largest = curve.measured.iter().fold(0.0f64, |a, p| a.max(p.stress.abs()));
        // A residual far below the noise would be a fit of the noise; far above, a wrong curve.
        assert!(
            (0.85..1.15).contains(&(curve.residual.rms / largest / noise)),
            "{name}: {:?} {largest}",
            curve.residual
        );
        assert!(!curve.held_monotone && curve.residual.r_squared > 0.99, "{name}");
    }
}

/// The plot's two views agree: force–displacement is strain–stress by eq. (15) and (16).
#[test]
fn plots_hold_both_views() {
    let fit = fit(&input(&known(), 0.0), &FitOptions::default()).unwrap();
    let weft = &fit.curves[0];
    for p in weft.fitted.iter().chain(&weft.measured) {
        let e = p.displacement / 0.05;
        assert!((e + 0.5 * e * e - p.strain).abs() < 1e-12);
        assert!((p.force - 0.2 * p.stress * (1.0 + e)).abs() < 1e-9);
    }
    assert_eq!(weft.fitted.len(), 201);
}

/// Bending data of higher order become moment curves; cantilever lengths become rigidities by the exact elastica.
#[test]
fn bending_comes_from_loops_or_cantilevers() {
    let truth = known();
    let options = FitOptions { bending: SplineFit::new(3, 2), ..Default::default() };
    let curved = fit(&input(&truth, 0.0), &options).unwrap();
    assert!(matches!(fabric_of(&curved).bending.elastic, AnyLaw::Curves(_)));
    assert!(miss(TestKind::BendingWeft, &fabric_of(&curved), &truth) < 1e-4);

    let mut input = input(&truth, 0.0);
    input.tests.retain(|t| !t.kind.name().starts_with("bending"));
    let mut text = String::from("direction;overhang (mm);angle (°)\n");
    for (direction, rigidity, angle) in [("weft", 8e-6, 41.5), ("weft", 8e-6, 60.0), ("warp", 13e-6, 41.5)] {
        let length = cantilever_overhang(0.15, rigidity, angle * unit::DEGREE).unwrap();
        text.push_str(&format!("{direction};{};{angle}\n", format!("{}", 1e3 * length).replace('.', ",")));
    }
    input.tests.push(Measurement { kind: TestKind::Cantilever, path: "c.csv".into(), bytes: text.into_bytes() });
    let b = fabric_of(&fit(&input, &FitOptions::default()).unwrap()).bending.elastic.stiffness();
    assert!((b[0] / 8e-6 - 1.0).abs() < 1e-9 && (b[1] / 13e-6 - 1.0).abs() < 1e-9, "{b:?}");
}

/// A bias strip says the same about shear as the shear tester.
#[test]
fn bias_strips_measure_shear() {
    let truth = known();
    let mut input = input(&truth, 0.0);
    // Stretched by √1.14 − 1 the threads have turned to a shear strain of 0.14.
    let plan = Synthetic::new(TestKind::Bias, 1.14f64.sqrt() - 1.0);
    input.tests[2] =
        Measurement { kind: TestKind::Bias, path: "bias.csv".into(), bytes: plan.csv(&truth).into_bytes() };
    let options = FitOptions { yield_strain: Some(0.009), ..Default::default() };
    let fit = fit(&input, &options).unwrap();
    assert!(miss(TestKind::Shear, &fabric_of(&fit), &truth) < 1e-9);
    assert!((fit.curves[2].half_width - 0.9).abs() < 1e-9);
    let last = fit.curves[2].fitted.last().unwrap();
    assert!((last.displacement / 0.05 - (1.14f64.sqrt() - 1.0)).abs() < 1e-12);
}

/// A `branch` column, extension in percent, force per width and a decimal comma say the same as millimetres and newtons.
#[test]
fn other_layouts_give_the_same_fabric() {
    let truth = known();
    let plain = input(&truth, 0.0);
    let mut other = plain.clone();
    let text = String::from_utf8(plain.tests[0].bytes.clone()).unwrap();
    let mut table = String::from("Branch;Dehnung [%];Load (gf/cm);remark\n");
    let mut last = -1.0;
    for line in text.lines().skip(2) {
        let (d, f) = line.split_once(',').unwrap();
        let (d, f): (f64, f64) = (d.parse().unwrap(), f.parse().unwrap());
        let branch = if d >= last { "load" } else { "Unloading" };
        last = d;
        let row = format!("{branch};{};{};\n", d / 50.0 * 100.0, f / 0.2 / unit::GF_PER_CM);
        table.push_str(&row.replace('.', ","));
    }
    other.tests[0].bytes = table.into_bytes();
    let (a, b) = (fit(&plain, &FitOptions::default()).unwrap(), fit(&other, &FitOptions::default()).unwrap());
    assert!((a.curves[0].half_width - b.curves[0].half_width).abs() < 1e-6);
    assert!(miss(TestKind::Weft, &fabric_of(&b), &fabric_of(&a)) < 1e-6);
}

/// Mistakes in tables are located; missing tests are named.
#[test]
fn bad_tables_are_reported() {
    let truth = known();
    let mut bad = input(&truth, 0.0);
    bad.tests[0].bytes = b"displacement,force_n\n0,0\n1,2\n".to_vec();
    let message = fit(&bad, &FitOptions::default()).unwrap_err().to_string();
    assert!(message.starts_with("weft.csv:1:1: error: `displacement`: the extension has no unit"), "{message}");
    bad.tests[0].bytes = b"displacement_mm,force_n\n0,0\n1,two\n".to_vec();
    let message = fit(&bad, &FitOptions::default()).unwrap_err().to_string();
    assert!(message.starts_with("weft.csv:3:3: error: `force_n` = two: expected a number"), "{message}");
    bad.tests[0].bytes = b"displacement_mm,force_n\n0,0\n1,2\n".to_vec();
    assert!(matches!(fit(&bad, &FitOptions::default()), Err(FitError::Curve { .. })));
    bad.tests.remove(0);
    let message = fit(&bad, &FitOptions::default()).unwrap_err().to_string();
    assert_eq!(message, "0 tables measure weft, one is needed");
}
