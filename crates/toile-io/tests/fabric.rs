//! Fabric files: the library, round trips, and messages.

use std::path::Path;
use toile_core::fabric::{Branch, Drag, Fabric, Material, Rule};
use toile_core::law::{AnyLaw, Curve, Curves, LAWS, Law, Linear};
use toile_io::Severity;
use toile_io::fabric::{FabricDocument, Quality, by_name, check, library, read_str, schema};

fn here() -> &'static Path {
    Path::new("fabric.toml")
}

/// Every library file is read without error or warning, has the library's line, and differs along weft and warp.
#[test]
fn library_is_valid_and_anisotropic() {
    assert!(library().len() >= 16);
    for entry in library() {
        let file = read_str(entry.text, here()).unwrap_or_else(|e| panic!("{}: {e}", entry.name));
        assert!(file.warnings.is_empty(), "{}: {:?}", entry.name, file.warnings);
        assert_eq!(file.document.summary, entry.summary, "{}", entry.name);
        let (m, b) = (file.fabric.membrane.elastic.stiffness(), file.fabric.bending.elastic.stiffness());
        assert!((m[0] / m[1] - 1.0).abs() > 0.05 && (b[0] / b[1] - 1.0).abs() > 0.05, "{}", entry.name);
        assert!(b[0] > 5e-7 && b[1] < 2e-4, "{}: bending {b:?}", entry.name);
        // Knits shear about as hard as they stretch along the course; wovens far less.
        assert!(m[2] < m[0].max(m[1]), "{}: shear {m:?}", entry.name);
        assert!(file.document.friction.is_some());
    }
}

/// Bending lengths (B/ρg)^⅓ are those of apparel, about 1 to 3.5 cm, and stress rises faster than strain.
#[test]
fn library_is_sensible() {
    for entry in library() {
        let fabric = entry.read().fabric;
        let b = fabric.bending.elastic.stiffness();
        for rigidity in [b[0], b[1]] {
            let length = (rigidity / (fabric.density * 9.81)).cbrt();
            assert!((0.009..0.036).contains(&length), "{}: bending length {length}", entry.name);
        }
        if let AnyLaw::Curves(curves) = &fabric.membrane.elastic {
            for curve in curves.modes() {
                let slope = |part: f64| curve.at(part * curve.limit()).1;
                assert!(slope(0.0) < slope(0.5) && slope(0.5) < slope(1.0), "{}", entry.name);
            }
        }
    }
}

/// The numbers the library quotes from publications are in the fabrics, in SI.
#[test]
fn library_keeps_published_numbers() {
    let sheet = |name: &str| by_name(name).unwrap().read().fabric;
    // Mean of weft and warp rigidity: 0.118, 0.067 and 0.019 gf·cm²/cm.
    for (name, rigidity) in
        [("cotton-poplin", 11.572e-6), ("wool-tropical", 6.5705e-6), ("polyester-faille", 1.8633e-6)]
    {
        let b = sheet(name).bending.elastic.stiffness();
        assert!((0.5 * (b[0] + b[1]) / rigidity - 1.0).abs() < 0.01, "{name}: {b:?}");
    }
    assert_eq!(sheet("denim").density, 0.324);
    assert_eq!(sheet("cotton-canvas").thickness, 0.53e-3);
}

/// Document → text → document is the identity for every library fabric, and so is the fabric it comes down to.
#[test]
fn written_documents_read_back_the_same() {
    for entry in library() {
        let file = entry.read();
        let again = read_str(&file.document.to_toml(), here()).unwrap();
        assert_eq!(file.document, again.document, "{}", entry.name);
        assert_eq!(file.fabric, again.fabric, "{}", entry.name);
    }
}

fn memory(scale: f64) -> Vec<Branch> {
    let times = |x: [f64; 3]| x.map(|v| v * scale);
    vec![
        Branch { stiffness: times([3.0, 0.0, 0.7]), rule: Rule::Slider { yield_stress: times([0.1, 0.0, 0.03]) } },
        Branch { stiffness: times([10.0, 11.0, 1.0]), rule: Rule::Relaxation { time: 0.25 } },
    ]
}

/// Any fabric of the core is written and read back to the same bits, with every law as membrane, bending and viscosity.
#[test]
fn fabrics_of_the_core_read_back_the_same() {
    let with_compression = Curves::new(
        Curve::polynomial(vec![0.0, 800.0, 0.0, 6e4]).unwrap().with_compression(Curve::line(20.0).unwrap()),
        Curve::spline(vec![0.0, 0.1, 0.2], vec![vec![0.0, 100.0, 1000.0], vec![20.0, 300.0]]).unwrap(),
        Curve::line(33.3).unwrap(),
    );
    let laws = LAWS.iter().map(|e| (e.sample)()).chain([AnyLaw::Curves(with_compression)]);
    for law in laws.filter(|l| !matches!(l, AnyLaw::Surface(_))) {
        let bending = scaled(&law);
        let fabric = Fabric {
            name: "everything \"quoted\"".into(),
            density: 0.1234,
            thickness: 0.31e-3,
            membrane: Material { elastic: law.clone(), viscous: Some(law.clone()), memory: memory(1.0) },
            bending: Material { elastic: bending.clone(), viscous: Some(bending), memory: memory(1e-5) },
            drag: Drag { normal: 1.1, weft: 0.01, warp: 0.03 },
        };
        let document = FabricDocument::from_fabric(&fabric, "a test", Quality::Derived).unwrap();
        assert_eq!(document.fabric_alone().unwrap(), fabric);
    }
    let surface = LAWS.iter().map(|e| (e.sample)()).find(|l| matches!(l, AnyLaw::Surface(_))).unwrap();
    let mut fabric = Fabric::isotropic(100.0, 0.0, 1e-5, 0.1).unwrap();
    fabric.membrane.viscous = Some(surface);
    assert!(FabricDocument::from_fabric(&fabric, "", Quality::Estimate).is_err());
}

/// The same law with the stiffness of bending: 1e-8 of it.
fn scaled(law: &AnyLaw) -> AnyLaw {
    let rows = |rows: &[Vec<f64>]| rows.iter().map(|r| r.iter().map(|x| x * 1e-8).collect()).collect();
    let curve = |c: &Curve| {
        let tension = Curve::spline(c.knots().to_vec(), rows(c.coefficients())).expect("a scaled curve");
        match c.compression() {
            Some((k, r)) => tension.with_compression(Curve::spline(k.to_vec(), rows(r)).expect("a scaled curve")),
            None => tension,
        }
    };
    match law {
        AnyLaw::Linear(l) => {
            AnyLaw::Linear(Linear::anisotropic(l.stiffness().map(|x| x * 1e-8)).expect("a scaled law"))
        }
        AnyLaw::Curves(c) => {
            let [weft, warp, shear] = c.modes().each_ref().map(curve);
            AnyLaw::Curves(Curves::new(weft, warp, shear).with_coupling(c.coupling() * 1e-8).expect("a scaled law"))
        }
        AnyLaw::Surface(_) => law.clone(),
    }
}

const SURFACE: &str = r#"
format = "toile-fabric/1"
name = "table"
[sheet]
density_g_per_m2 = 100
thickness_mm = 0.3
source = "x"
quality = "estimate"
[membrane.elastic]
law = "surface"
low_strain = [0, 0, 0]
high_strain = [0.1, 0.1, 0.1]
points = [3, 3, 3]
TABLE
source = "x"
quality = "measured"
[bending.elastic]
law = "linear"
modulus_un_m = 10
poisson = 0.2
source = "x"
quality = "estimate"
"#;

/// A surface comes from an inline table or from a file beside the fabric, and is the law that was tabulated.
#[test]
fn surfaces_come_inline_or_from_a_table_beside_the_file() {
    let mut rows = Vec::new();
    for i in 0..27 {
        let e = [f64::from(i / 9), f64::from(i / 3 % 3), f64::from(i % 3)].map(|k| 0.05 * k);
        rows.push([500.0 * e[0] + 50.0 * e[1], 800.0 * e[1] + 50.0 * e[0], 40.0 * e[2]]);
    }
    let inline = rows.iter().map(|r| format!("{r:?}")).collect::<Vec<_>>().join(", ");
    let text = SURFACE.replace("TABLE", &format!("table_n_per_m = [{inline}]"));
    let a = read_str(&text, here()).unwrap().fabric;
    let folder = std::env::temp_dir().join(format!("toile-fabric-table-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let csv: String = rows.iter().map(|r| format!("{};{};{}\n", r[0], r[1], r[2])).collect();
    std::fs::write(folder.join("stress.csv"), format!("# N/m\nweft (N/m);warp (N/m);shear (N/m)\n{csv}")).unwrap();
    let path = folder.join("fabric.toml");
    std::fs::write(&path, SURFACE.replace("TABLE", "table_n_per_m_csv = \"stress.csv\"")).unwrap();
    let b = toile_io::fabric::read(&path).unwrap().fabric;
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(a, b);
    let s = a.membrane.elastic.stress([0.03, 0.02, 0.01]);
    assert!((s[0] - 16.0).abs() < 1e-3 && (s[1] - 17.5).abs() < 1e-3 && (s[2] - 0.4).abs() < 1e-3, "{s:?}");
    let missing = SURFACE.replace("TABLE", "");
    assert!(check(&missing, here()).iter().any(|p| p.message.contains("either")));
}

/// All mistakes come at once, each with its place, value, range and the nearest key.
#[test]
fn every_mistake_is_reported_at_once() {
    let text = by_name("cotton-poplin").unwrap().text;
    let text = text
        .replace("density_g_per_m2 = 118", "densty_g_per_m2 = 118")
        .replace("thickness_mm = 0.24", "thickness_mm = \"thin\"")
        .replace("lt = 0.78", "lt = 7.8")
        .replace("form = \"kes-shear\"", "form = \"kes-sheer\"")
        .replace("static_coefficient = 0.5", "static_coefficient = nan");
    let problems = check(&text, here());
    let found: Vec<_> = problems.iter().map(|p| (p.key.as_str(), p.value.as_deref(), p.help.as_deref())).collect();
    let expected = [
        ("sheet.density_g_per_m2", None, None),
        ("sheet.densty_g_per_m2", None, Some("did you mean `density_g_per_m2`?")),
        ("sheet.thickness_mm", Some("\"thin\""), None),
        ("membrane.elastic.warp.lt", Some("7.8"), None),
        ("membrane.elastic.shear.form", Some("\"kes-sheer\""), Some("did you mean \"kes-shear\"?")),
        ("friction.static_coefficient", Some("nan"), None),
    ];
    assert_eq!(found, expected);
    let line = text.lines().position(|l| l.starts_with("thickness_mm")).unwrap() + 1;
    let thick = problems.iter().find(|p| p.key == "sheet.thickness_mm").unwrap();
    assert_eq!(
        thick.to_string(),
        format!(
            "fabric.toml:{line}:16: error: `sheet.thickness_mm` = \"thin\": expected a number (mm), found a string"
        )
    );
    let lt = problems.iter().find(|p| p.key.ends_with("lt")).unwrap();
    assert!(lt.message.contains("at least 0.4 and at most 1"), "{}", lt.message);
}

/// Numbers off by a thousand are warned about; laws that no material has are refused where they stand.
#[test]
fn physics_is_checked() {
    let poplin = by_name("cotton-poplin").unwrap().text;
    let heavy = poplin.replace("density_g_per_m2 = 118", "density_g_per_m2 = 0.118");
    let problems = check(&heavy, here());
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].severity, Severity::Warning);
    assert!(problems[0].help.as_ref().unwrap().contains("thousand"));
    assert!(read_str(&heavy, here()).is_ok_and(|f| f.warnings.len() == 1));

    let lawn = by_name("cotton-lawn").unwrap().text;
    let indefinite = check(&lawn.replace("coupling_n_per_m = 1400", "coupling_n_per_m = 4000"), here());
    assert!(indefinite.iter().any(|p| p.is_error() && p.key == "membrane.elastic" && p.message.contains("positive")));
    let slow = check(&poplin.replace("kinetic_coefficient = 0.42", "kinetic_coefficient = 0.62"), here());
    assert!(slow.iter().any(|p| p.key == "friction.kinetic_coefficient" && p.is_error()));

    let falling = "form = \"spline\"\nknots_strain = [0, 0.5]\ncoefficients_n_per_m = [[0, 100, -300]]";
    let problems = check(&poplin.replacen(WEFT, falling, 1), here());
    let problem = problems.iter().find(|p| p.is_error()).unwrap();
    assert_eq!(problem.key, "membrane.elastic.weft.coefficients_n_per_m");
    assert!(problem.message.contains("must not be negative"), "{}", problem.message);
}

/// The weft of the poplin, as its file says it.
const WEFT: &str = "form = \"kes-tensile\"\nemt_percent = 6.5\nlt = 0.72\nload_n_per_m = 490.33";

/// Measured points become a curve through them.
#[test]
fn points_are_fitted_on_load() {
    let poplin = by_name("cotton-poplin").unwrap().text;
    assert!(poplin.contains(WEFT));
    let strain: Vec<f64> = (0..30).map(|i| f64::from(i) * 0.002).collect();
    let stress: Vec<f64> = strain.iter().map(|e| 800.0 * e + 6e4 * e * e * e).collect();
    let points = format!("form = \"points\"\nstrain = {strain:?}\nstress_n_per_m = {stress:?}");
    let fabric = read_str(&poplin.replacen(WEFT, &points, 1), here()).unwrap().fabric;
    let s = fabric.membrane.elastic.stress([0.05, 0.0, 0.0])[0];
    assert!((s - 47.5).abs() < 1e-9, "{s}");
}

#[test]
fn unknown_names_get_a_suggestion() {
    let error = by_name("coton-poplin").unwrap_err();
    assert_eq!(error.nearest, Some("cotton-poplin"));
    assert_eq!(error.to_string(), "no fabric \"coton-poplin\" in the library, did you mean \"cotton-poplin\"?");
}

/// The schema carries units, ranges and closed tables, and names the laws of the registry.
#[test]
fn schema_describes_the_format() {
    let schema = schema();
    let sheet = &schema["$defs"]["Sheet"];
    assert_eq!(sheet["additionalProperties"], false);
    assert_eq!(sheet["properties"]["density_g_per_m2"]["x-unit"], "g/m²");
    assert_eq!(sheet["properties"]["density_g_per_m2"]["exclusiveMinimum"], 0);
    let laws = schema["$defs"]["MembraneLaw"]["oneOf"].as_array().unwrap();
    let names: Vec<_> = laws.iter().map(|w| w["properties"]["law"]["const"].as_str().unwrap()).collect();
    assert_eq!(names, LAWS.iter().map(|e| e.name).collect::<Vec<_>>());
}

/// A table that is no table of this folder, and numbers that would overflow, are refused at once.
#[test]
fn hostile_surfaces_are_refused() {
    for name in ["../secret.csv", "/etc/passwd", "..", ""] {
        let text = SURFACE.replace("TABLE", &format!("table_n_per_m_csv = \"{name}\""));
        assert!(check(&text, here()).iter().any(|p| p.message.contains("beside")), "{name}");
    }
    let rows = vec!["[1e300, 0, 0]"; 27].join(", ");
    let text = SURFACE.replace("TABLE", &format!("table_n_per_m = [{rows}]"));
    assert!(check(&text, here()).iter().any(|p| p.message.contains("too large")));
}

/// The file shown in the book is one.
#[test]
fn the_books_example_is_valid() {
    let book = include_str!("../../../docs/book/src/fabrics.md");
    let example = book.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    assert_eq!(check(example, here()), []);
}

/// Every fabric of the library is in the book's table.
#[test]
fn the_book_lists_the_library() {
    let book = include_str!("../../../docs/book/src/fabrics.md");
    for entry in library() {
        assert!(book.contains(&format!("| `{}` |", entry.name)), "{}", entry.name);
    }
}
