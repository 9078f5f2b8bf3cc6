use super::*;
use toile_core::mesh::{Diagonal, Grid};

fn curves() -> Plot {
    let force = |l: f64| 0.5 * l * (l * l - 1.0);
    let at = |n: usize| (0..=n).map(move |k| 0.05 + 1.55 * k as f64 / n as f64);
    Plot {
        title: "Uniaxial stretch, linear law (ν = 0)".into(),
        x: Axis::new("stretch λ (–)"),
        y: Axis::new("force per width f/Y (–)"),
        series: vec![
            Series::new("λ(λ²−1)/2", Style::Line, at(100).map(|l| [l, force(l)]).collect()),
            Series::new("λ − 1", Style::Dashed, at(1).map(|l| [l, l - 1.0]).collect()),
            Series::new("measured", Style::Points, at(15).map(|l| [l, force(l)]).collect()),
        ],
        is_equal: false,
    }
}

/// Orders of accuracy on log axes, and a tinted loop: what the reports need most.
fn errors() -> Plot {
    let slope = |order: i32, scale: f64| -> Vec<[f64; 2]> {
        (2..12).map(|k| [2f64.powi(k), scale * 2f64.powi(-k * order)]).collect()
    };
    Plot {
        title: "Error against steps".into(),
        x: Axis::log("steps (–)"),
        y: Axis::log("error of y(1) (–)"),
        series: vec![
            Series::new("explicit Euler", Style::Line, slope(1, 3.0)),
            Series::new("midpoint", Style::Line, slope(2, 2.0)),
            Series::new("Runge–Kutta 4", Style::Line, slope(4, 1.0)),
        ],
        is_equal: false,
    }
}

fn map() -> HeatMap {
    let mesh = Grid { cells: [24, 12], size: [0.2, 0.1], diagonal: Diagonal::Alternating }.mesh();
    let values = mesh.material.iter().map(|c| (c[0].x * 40.0).sin() * c[0].y * 0.02).collect();
    HeatMap::flat("Transverse strain", "ε_vv (–)", &mesh, values)
}

/// Same bytes every time, and the parts a reader needs: labels, title, all series.
#[test]
fn svg_holds_labels_and_series() {
    let svg = curves().svg();
    assert_eq!(svg, curves().svg());
    for text in ["Uniaxial stretch", "stretch λ (–)", "force per width", "λ − 1", "measured"] {
        assert!(svg.contains(text), "{text}");
    }
    assert!(svg.contains("stroke-dasharray"));
    assert_eq!(svg.matches("<svg").count(), svg.matches("</svg>").count());
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
}

#[test]
fn markup_in_labels_is_escaped() {
    let plot = Plot { title: "a < b & \"c\"".into(), ..Plot::default() };
    assert!(plot.svg().contains("a &lt; b &amp; &quot;c&quot;"));
}

fn decoded(bytes: &[u8]) -> (u32, u32, Vec<u8>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    (info.width, info.height, pixels)
}

/// The picture decodes to its size, is white at the rim, and has the colour of each series somewhere.
#[test]
fn png_shows_every_series() {
    let bytes = curves().png(900, 600).unwrap();
    assert_eq!(bytes, curves().png(900, 600).unwrap());
    let (w, h, pixels) = decoded(&bytes);
    assert_eq!((w, h), (900, 600));
    assert!(pixels[..3 * 900].iter().all(|&c| c == 255));
    for colour in [[0x00, 0x72, 0xb2], [0xd5, 0x5e, 0x00], [0x00, 0x9e, 0x73]] {
        let count = pixels.chunks(3).filter(|p| *p == colour).count();
        assert!(count > 100, "{colour:?}: {count} pixels");
    }
}

/// The legend moves out of the way: with data in all corners it stands right of the box.
#[test]
fn legend_hides_no_data() {
    let mut plot = curves();
    let crossing = vec![[0.05, -1.0], [1.6, 1.25], [1.6, -1.0], [0.05, 1.25]];
    plot.series.push(Series::new("everywhere", Style::Line, crossing));
    let place = |plot: &Plot| {
        let svg = plot.svg();
        let line = svg.lines().find(|l| l.ends_with(">measured</text>")).unwrap().to_owned();
        line.split('"').nth(1).unwrap().parse::<f64>().unwrap()
    };
    assert!(place(&plot) > 560.0 && place(&curves()) < 560.0, "{} {}", place(&plot), place(&curves()));
}

#[test]
fn bad_sizes_are_refused() {
    for (w, h) in [(0, 10), (10, 0), (5000, 10)] {
        assert!(matches!(curves().png(w, h), Err(PlotError::Size { .. })));
    }
}

/// Points that cannot be shown are left out; nothing panics.
#[test]
fn odd_data_is_drawn() {
    let points = vec![[f64::NAN, 1.0], [0.0, 1.0], [1.0, f64::INFINITY], [1e300, -1e300], [-1.0, 0.0], [2.0, 3.0]];
    for style in [Style::Line, Style::Dashed, Style::Points, Style::Loop] {
        for log in [false, true] {
            let axis = Axis { log, ..Axis::new("x") };
            let series = vec![Series::new("s", style, points.clone()), Series::new("", style, vec![])];
            let plot = Plot { title: String::new(), x: axis.clone(), y: axis, series, is_equal: true };
            assert!(!plot.svg().contains("NaN"));
            plot.png(90, 60).unwrap();
        }
    }
    let empty = Picture::from(HeatMap::default());
    assert!(!empty.svg().contains("NaN"));
    empty.png(90, 60).unwrap();
}

/// Triangles tile without seams: the mesh fills its rectangle with colours, and no white shows through.
#[test]
fn heat_map_has_no_gaps() {
    let map = HeatMap { values: vec![1.0; 24 * 12 * 2], ..map() };
    let (w, _, pixels) = decoded(&Picture::from(map).png(720, 450).unwrap());
    let pixel = |x: u32, y: u32| &pixels[3 * (y * w + x) as usize..][..3];
    let colour = pixel(295, 224).to_vec();
    assert_ne!(colour, [255; 3]);
    for y in 90..350 {
        for x in 30..560 {
            assert_eq!(pixel(x, y), colour, "at {x}, {y}");
        }
    }
}

#[test]
fn csv_holds_the_points() {
    let csv = curves().csv();
    assert!(csv.starts_with("series,\"stretch λ (–)\",\"force per width f/Y (–)\"\n"));
    assert_eq!(csv.lines().count(), 1 + 101 + 2 + 16);
    assert_eq!(Picture::from(map()).csv().lines().count(), 1 + 24 * 12 * 2);
}

/// Pictures for the eye: `TOILE_PICTURES=dir cargo test -p toile pictures` writes them there.
#[test]
fn pictures_can_be_looked_at() {
    let cycle = (0..200).map(|k| std::f64::consts::TAU * f64::from(k) / 200.0);
    let loops = Plot {
        title: "Load–unload loop, 45° bias (Γ = 10, κ₀ ≤ 3·10⁻² 1/m)".into(),
        x: Axis::new("strain (%)"),
        y: Axis::new("stress (N/m)"),
        series: vec![Series::new("slider", Style::Loop, cycle.map(|a| [a.cos(), 2e-4 * (a + 0.4).sin()]).collect())],
        is_equal: false,
    };
    let letters = Plot {
        title: "ABCDEFGHIJKLMNOPQRSTUVWXYZ αβγδεζηθκλμνπρστφψω ΓΔΣΩ".into(),
        x: Axis::new("abcdefghijklmnopqrstuvwxyz 0123456789 ²³⁻¹ x₀ × · ° √ ± ≈ ≤ (N·s/m) [a] %"),
        y: Axis::new("quick brown fox, lazy dog"),
        ..curves()
    };
    let pictures: [(&str, Picture); 5] = [
        ("curves", curves().into()),
        ("errors", errors().into()),
        ("map", map().into()),
        ("loops", loops.into()),
        ("letters", letters.into()),
    ];
    for (name, picture) in pictures {
        let bytes = picture.png(1080, 675).unwrap();
        assert!(bytes.len() > 5000);
        if let Some(folder) = std::env::var_os("TOILE_PICTURES") {
            std::fs::write(std::path::Path::new(&folder).join(format!("{name}.png")), bytes).unwrap();
        }
    }
}

/// Maps of a sheet are those of single pictures, side by side.
#[test]
fn sheets_hold_their_maps() {
    let map = |value: f64| HeatMap {
        title: format!("map {value}"),
        triangles: vec![[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]],
        values: vec![value, 1.0],
        range: Some([0.0, 1.0]),
        ..HeatMap::default()
    };
    let decoded = |bytes: &[u8]| {
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        (info.width as usize, info.height as usize, pixels)
    };
    let maps = [0.1, 0.5, 0.9].map(map);
    let (width, height, all) = decoded(&sheet(&maps, 2, [120, 90]).unwrap());
    assert_eq!((width, height), (240, 180));
    for (k, map) in maps.iter().enumerate() {
        let (_, _, own) = decoded(&Picture::from(map.clone()).png(120, 90).unwrap());
        for y in 0..90 {
            let start = 3 * ((k / 2 * 90 + y) * 240 + k % 2 * 120);
            assert!(all[start..start + 360] == own[360 * y..360 * (y + 1)], "map {k}, row {y}");
        }
    }
    assert!(matches!(sheet(&maps, 3, [2000, 10]), Err(PlotError::Size { width: 6000, .. })));
}
