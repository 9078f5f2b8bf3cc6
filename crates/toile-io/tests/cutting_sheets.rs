//! Cutting sheets: at full size, without overlap, all of every panel on the fabric.
#![allow(clippy::unwrap_used)] // helpers of tests

use glam::DVec2;
use std::path::Path;
use toile_garment::draft::{DRAFTS, Measurements, draft};
use toile_garment::pattern::{Curve, Panel};
use toile_io::garment::sheet::{Sheet, layout, svg};

fn garments() -> Vec<toile_garment::pattern::Garment> {
    let body = Measurements::of_size("F38").unwrap();
    DRAFTS.iter().map(|d| draft(d.name, &body, None).unwrap()).collect()
}

/// Every draft goes on wide fabric, and no two boxes share a point.
#[test]
fn panels_do_not_overlap() {
    let sheet = Sheet { fabric_width: 1.8, ..Sheet::default() };
    for garment in garments() {
        let (laid, length) = layout(&garment, &sheet).unwrap_or_else(|e| panic!("{}: {e}", garment.name));
        assert_eq!(laid.len(), garment.panels.len());
        for (i, a) in laid.iter().enumerate() {
            assert!(a.corner[0] > 0.0 && a.corner[0] + a.size[0] < sheet.fabric_width);
            assert!(a.corner[1] > 0.0 && a.corner[1] + a.size[1] < length);
            for b in &laid[i + 1..] {
                let apart = |k: usize| a.corner[k] + a.size[k] <= b.corner[k] || b.corner[k] + b.size[k] <= a.corner[k];
                assert!(apart(0) || apart(1), "{}: {a:?} {b:?}", garment.name);
            }
        }
    }
}

/// Numbers of a path.
fn points(text: &str) -> Vec<[f64; 2]> {
    let pair = |p: &str| p.split_once(',').map(|(x, y)| [x.parse().unwrap(), y.parse().unwrap()]);
    text.split_whitespace().filter_map(pair).collect()
}

fn area(points: &[[f64; 2]]) -> f64 {
    let cross = |a: [f64; 2], b: [f64; 2]| a[0] * b[1] - b[0] * a[1];
    (0..points.len()).map(|i| 0.5 * cross(points[i], points[(i + 1) % points.len()])).sum::<f64>().abs()
}

/// A panel seen from its other side.
fn turn_over(panel: &mut Panel) {
    let turned = |curve: Curve| {
        let over = |p: DVec2| DVec2::new(p.x, -p.y);
        match curve {
            Curve::Line => Curve::Line,
            Curve::Quadratic(c) => Curve::Quadratic(over(c)),
            Curve::Cubic(c, d) => Curve::Cubic(over(c), over(d)),
            Curve::Arc { radius, large, right } => Curve::Arc { radius, large, right: !right },
        }
    };
    for edge in &mut panel.outline {
        edge.start.x = -edge.start.x;
        edge.curve = turned(edge.curve);
    }
    for (point, curve) in panel.lines.iter_mut().flat_map(|l| &mut l.path) {
        point.x = -point.x;
        *curve = turned(*curve);
    }
}

/// Sewing lines on the sheet enclose the panels' areas in square millimetres, cutting lines more than that.
#[test]
fn the_sheet_is_at_full_size() {
    // Once more with the other side out: cutting lines lie outside of panels that are laid turned over, too.
    let turned = garments().into_iter().map(|mut garment| {
        garment.panels.iter_mut().for_each(turn_over);
        garment.buttons.clear();
        garment
    });
    for garment in garments().into_iter().chain(turned) {
        let text = svg(&garment, &Sheet { fabric_width: 1.8, ..Sheet::default() }).unwrap();
        assert!(text.contains("width=\"1800.0mm\"") && text.contains("viewBox=\"0 0 1800.0"));
        assert!(text.contains("M 10 15 h 100 v 100"));
        for panel in &garment.panels {
            let group = text.split(&format!("<g id=\"{}\"", panel.name)).nth(1).unwrap();
            let path = |class: &str| {
                let start = group.split(&format!("class=\"{class}\" d=\"")).nth(1).unwrap();
                points(start.split('"').next().unwrap())
            };
            let (sewn, cut) = (area(&path("sew")), area(&path("cut")));
            let wanted = panel.signed_area().abs() * 1e6;
            assert!((sewn / wanted - 1.0).abs() < 1e-3, "{} {}: {sewn} {wanted}", garment.name, panel.name);
            assert!(cut > sewn, "{} {}", garment.name, panel.name);
        }
    }
}

/// The grain is laid along the fabric, panels whose right side faces back are turned over.
#[test]
fn panels_lie_along_the_grain_right_side_up() {
    let read = toile_io::garment::from_text(include_str!("data/skirt.toml"), Path::new("skirt.toml")).unwrap();
    let mut garment = read.garment;
    let size = |g: &toile_garment::pattern::Garment| {
        let (laid, _) =
            layout(g, &Sheet { fabric_width: 3.0, allowance: 0.0, hem_allowance: 0.0, ..Sheet::default() }).unwrap();
        laid.into_iter().find(|l| l.panel == 2).unwrap().size
    };
    let [width, height] = size(&garment);
    assert!((width - 0.643).abs() < 1e-9 && (height - 0.04).abs() < 1e-9);
    garment.panels[2].grain = std::f64::consts::FRAC_PI_2;
    let [width, height] = size(&garment);
    assert!((width - 0.04).abs() < 1e-9 && (height - 0.643).abs() < 1e-9);
}

#[test]
fn what_cannot_be_cut_is_refused() {
    let garment = &garments()[4];
    let narrow = svg(garment, &Sheet { fabric_width: 0.9, ..Sheet::default() }).unwrap_err().to_string();
    assert!(narrow.contains("panel `front` is") && narrow.contains("the fabric 90.0 cm"), "{narrow}");
    let none = svg(garment, &Sheet { allowance: f64::NAN, ..Sheet::default() }).unwrap_err().to_string();
    assert!(none.contains("seam allowance is NaN"));
    let mut odd = garment.clone();
    odd.panels[0].name = "a<b>&\"c".into();
    let text = svg(&odd, &Sheet { fabric_width: 3.0, ..Sheet::default() }).unwrap();
    assert!(text.contains("a&lt;b&gt;&amp;&quot;c") && !text.contains("a<b>"));
}
