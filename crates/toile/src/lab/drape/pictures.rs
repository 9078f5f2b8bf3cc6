//! Pictures of a drape: its shadow, its rim, the cloth itself.

use super::hang::Hanging;
use super::shadow::Shadow;
use super::{Drape, DrapeReading, HEIGHT};
use crate::plot::{Axis, Plot, Series, Style};
use crate::render::{Camera, Drawn, Image, Paint, RenderError, View, still};
use glam::DVec3;
use std::f64::consts::TAU;
use toile_io::surface::Surface;

/// Side of the picture of the shadow (px), and of its ends over the radius of the sample.
const SIDE: usize = 1000;
const MARGIN: f64 = 1.06;
/// Rows of samples per pixel.
const SAMPLES: usize = 4;
/// Colours of the shadow, and of the circles of support and flat sample.
const BLACK: [f64; 3] = [0.04, 0.04, 0.05];
const SUPPORT: [f64; 3] = [0.95, 0.55, 0.1];
const FLAT: [f64; 3] = [0.55, 0.6, 0.68];

/// The shadow as the drapemeter shows it: black on white, with the circles of the support and of the flat sample.
pub(super) fn shadow(plan: &Drape, shadow: &Shadow) -> Image {
    let half = MARGIN * 0.5 * plan.diameter;
    let pixel = 2.0 * half / SIDE as f64;
    let mut dark = vec![0.0; SIDE * SIDE];
    for (y, spans) in shadow.rows(pixel / SAMPLES as f64, 0.5 * plan.support) {
        let row = ((half - y) / pixel).floor();
        if !(0.0..SIDE as f64).contains(&row) {
            continue;
        }
        for [a, b] in spans {
            let [a, b] = [a, b].map(|x| ((x + half) / pixel).clamp(0.0, SIDE as f64));
            for column in a as usize..(b.ceil() as usize) {
                let covered = b.min(column as f64 + 1.0) - a.max(column as f64);
                dark[row as usize * SIDE + column] += covered / SAMPLES as f64;
            }
        }
    }
    let mut image = Image::filled(SIDE, SIDE, [255; 3]);
    for (k, (to, dark)) in image.pixels.iter_mut().zip(dark).enumerate() {
        let at = [k % SIDE, k / SIDE].map(|i| (i as f64 + 0.5) * pixel - half);
        let radius = at[0].hypot(at[1]);
        let mut colour = mix([1.0; 3], BLACK, dark.min(1.0));
        for (circle, paint) in [(0.5 * plan.support, SUPPORT), (0.5 * plan.diameter, FLAT)] {
            // A line two pixels wide.
            let share = (1.5 - (radius - circle).abs() / pixel).clamp(0.0, 1.0);
            colour = mix(colour, paint, share);
        }
        *to = colour.map(|c| (255.0 * c).round() as u8);
    }
    image
}

fn mix(a: [f64; 3], b: [f64; 3], share: f64) -> [f64; 3] {
    std::array::from_fn(|c| a[c] + share * (b[c] - a[c]))
}

impl Drape {
    /// Radius of the outline over the direction.
    pub(crate) fn rim_plot(&self, title: String, reading: &DrapeReading) -> Plot {
        let outline = &reading.outline;
        let degrees = |k: usize| 360.0 * k as f64 / outline.len() as f64;
        let points = (0..=outline.len()).map(|k| [degrees(k), 1e3 * outline[k % outline.len()]]).collect();
        let crests = reading.crests.iter().map(|p| [p[0].to_degrees(), 1e3 * p[1]]).collect();
        let level = |name, diameter: f64| {
            Series::new(name, Style::Dashed, [0.0, 360.0].map(|x| [x, 500.0 * diameter]).to_vec())
        };
        Plot {
            title,
            x: Axis { range: Some([0.0, 360.0]), ..Axis::new("direction from the weft (°)") },
            y: Axis::new("radius of the shadow (mm)"),
            series: vec![
                Series::new("outline", Style::Line, points),
                Series::new("folds", Style::Points, crests),
                level("flat sample", self.diameter),
                level("support", self.support),
            ],
            is_equal: false,
        }
    }

    /// The outline seen from above.
    pub(crate) fn outline_plot(&self, title: String, reading: &DrapeReading) -> Plot {
        let count = reading.outline.len();
        let around = |radius: &dyn Fn(usize) -> f64| {
            let at = |k: usize| {
                let (sin, cos) = (TAU * k as f64 / count as f64).sin_cos();
                [1e3 * radius(k) * cos, 1e3 * radius(k) * sin]
            };
            (0..=count).map(at).collect::<Vec<_>>()
        };
        Plot {
            title,
            x: Axis::new("along the weft (mm)"),
            y: Axis::new("along the warp (mm)"),
            series: vec![
                Series::new("shadow", Style::Loop, around(&|k| reading.outline[k % count])),
                Series::new("flat sample", Style::Dashed, around(&|_| 0.5 * self.diameter)),
                Series::new("support", Style::Line, around(&|_| 0.5 * self.support)),
            ],
            is_equal: true,
        }
    }
}

/// The cloth on its support.
pub(super) fn cloth(plan: &Drape, hanging: &Hanging) -> Result<Image, RenderError> {
    let cloth =
        Surface { name: "sample".into(), mesh: hanging.mesh.clone(), parts: Vec::new(), colour: [0.78, 0.76, 0.70] };
    // The foot of the instrument, so that the drape does not float.
    let mut foot = hanging.support.clone();
    let top = foot.positions.iter().map(|p| p.y).fold(f64::NEG_INFINITY, f64::max);
    let lowest = hanging.mesh.positions.iter().map(|p| p.y).fold(0.0, f64::min);
    for p in foot.positions.iter_mut().filter(|p| p.y < top - 0.5 * HEIGHT) {
        p.y = lowest - 0.02;
    }
    foot.material.clear();
    let stand = Surface { name: "support".into(), mesh: foot, parts: Vec::new(), colour: [0.3; 3] };
    let drawn = [
        Drawn::new(&cloth, &cloth.mesh.positions, Paint::Fabric),
        Drawn::new(&stand, &stand.mesh.positions, Paint::Matte([0.32, 0.34, 0.36])),
    ];
    let half = 0.42 * plan.diameter;
    let view = View {
        camera: Camera::Orbit { azimuth_deg: 20.0, elevation_deg: 32.0, distance: None },
        size: [1280, 960],
        samples: 3,
        floor: Some(lowest - 0.02),
        frame: Some([DVec3::new(-half, lowest - 0.02, -half), DVec3::new(half, 0.005, half)]),
        ..View::default()
    };
    still(&drawn, &view)
}
