use super::*;
use glam::DVec2;
use toile_core::mesh::{Diagonal, Grid, Mesh};
use toile_io::surface::{Field, On};

const WHITE: [f32; 3] = [0.9, 0.9, 0.9];
const RED: [f32; 3] = [0.8, 0.05, 0.05];

/// A square in the plane z, facing +z, `side` metres wide round the z axis, of n × n cells.
fn wall(n: usize, side: f64, z: f64, colour: [f32; 3]) -> Surface {
    let mut mesh = Grid { cells: [n, n], size: [side, side], diagonal: Diagonal::Alternating }.mesh();
    for p in &mut mesh.positions {
        *p = DVec3::new(p.x - 0.5 * side, -p.z - 0.5 * side, z);
    }
    Surface { name: "wall".into(), mesh, colour, ..Surface::default() }
}

/// Folds like those of a curtain.
fn pleats(n: usize) -> Surface {
    let mut surface = wall(n, 1.0, 0.0, RED);
    for p in &mut surface.mesh.positions {
        p.z = 0.08 * (14.0 * p.x).sin() * (1.1 - p.y);
    }
    surface
}

fn fabric(surface: &Surface) -> Drawn<'_> {
    Drawn::new(surface, &surface.mesh.positions, Paint::Fabric)
}

/// An eye on the z axis, 2 m from the origin; a metre there is half the height of the picture.
fn straight(size: [usize; 2]) -> View {
    let fov_deg = 2.0 * (0.5f64).atan().to_degrees();
    let camera = Camera::LookAt { eye: 2.0 * DVec3::Z, target: DVec3::ZERO, up: DVec3::Y, fov_deg };
    View { camera, size, ..View::default() }
}

/// Is a pixel clearly red?
fn is_red([r, g, _]: [u8; 3]) -> bool {
    i32::from(r) > i32::from(g) + 40
}

fn brightness(pixel: [u8; 3]) -> i32 {
    pixel.iter().map(|&c| i32::from(c)).sum()
}

#[test]
fn threads_do_not_change_the_bytes() {
    let surface = pleats(30);
    let strain = Field {
        name: "strain_weft".into(),
        unit: "–".into(),
        on: On::Triangles,
        values: (0..surface.mesh.triangles.len()).map(|t| t as f32 * 1e-5).collect(),
    };
    let map = Paint::Map { field: &strain, max: 0.02, label: "strain weft" };
    for paint in [Paint::Fabric, Paint::Checker { size_m: 0.05 }, map] {
        let drawn = Drawn::new(&surface, &surface.mesh.positions, paint).with_gloss(0.5);
        let view = View { size: [150, 131], floor: Some(-0.6), ..View::default() };
        let bytes = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let turns = turntable(&[drawn], &view, 2).unwrap();
                [turns[1].png().unwrap(), gif(&turns, 0.1).unwrap()]
            })
        };
        assert_eq!(bytes(1), bytes(2));
    }
}

/// At 2 m a metre is 200 pixels here: known points lie where perspective puts them, y up and x to the right.
#[test]
fn points_are_projected_where_they_belong() {
    let eye = Eye::new(&straight([600, 400]).camera, [600, 400], 0, &[]).unwrap();
    for (point, x, y) in [
        (DVec3::ZERO, 300.0, 200.0),
        (DVec3::new(0.5, 0.25, 0.0), 400.0, 150.0),
        (DVec3::new(-0.5, -0.5, 1.0), 100.0, 400.0),
        (DVec3::new(1.0, 0.0, -2.0), 400.0, 200.0),
    ] {
        let place = eye.project(point).place;
        assert!((place.x / place.z - x).abs() < 1e-9 && (place.y / place.z - y).abs() < 1e-9, "{point} at {place}");
        let ray = eye.ray(x, y);
        assert!(ray.cross(point - eye.origin).length() < 1e-9, "{ray}");
    }
}

/// A square of 0.6 m covers 120 × 120 pixels, wherever it lies in the pixel grid and however it is cut.
#[test]
fn a_square_covers_its_area() {
    for (cells, shift) in [(1, 0.0), (7, 0.0013), (40, 0.0007)] {
        let mut surface = wall(cells, 0.6, 0.0, RED);
        surface.mesh.positions.iter_mut().for_each(|p| *p += DVec3::new(shift, 0.3 * shift, 0.0));
        let image = still(&[fabric(&surface)], &straight([400, 400])).unwrap();
        let covered = image.pixels.iter().filter(|&&p| is_red(p)).count() as f64;
        assert!((covered / 14_400.0 - 1.0).abs() < 0.01, "{cells}: {covered}");
    }
}

/// No pixel inside a fine mesh is left out, even where edges run through pixel centres.
#[test]
fn meshes_have_no_pinholes() {
    let surface = wall(50, 1.0, 0.0, RED);
    for samples in [1, 2, 3] {
        let image = still(&[fabric(&surface)], &View { samples, ..straight([200, 200]) }).unwrap();
        let inside = (52..148).flat_map(|y| (52..148).map(move |x| (x, y)));
        assert!(inside.clone().all(|(x, y)| is_red(image.pixel(x, y))), "{samples}");
    }
}

#[test]
fn the_nearer_sheet_hides_the_farther() {
    let (near, far) = (wall(4, 0.4, 0.3, RED), wall(4, 1.0, 0.0, WHITE));
    let middle = |drawn: &[Drawn]| still(drawn, &straight([100, 100])).unwrap().pixel(50, 50);
    assert!(is_red(middle(&[fabric(&near), fabric(&far)])) && is_red(middle(&[fabric(&far), fabric(&near)])));
    let behind = wall(4, 0.4, -0.3, RED);
    assert!(!is_red(middle(&[fabric(&behind), fabric(&far)])));
}

/// A long sheet passes under the eye and behind it: what lies before the eye fills the lower half, nothing the upper.
#[test]
fn triangles_through_the_eye_are_cut() {
    let positions = [(-50.0, 20.0), (50.0, 20.0), (50.0, -80.0), (-50.0, -80.0)].map(|(x, z)| DVec3::new(x, -0.1, z));
    let mesh = Mesh { positions: positions.to_vec(), triangles: vec![[0, 1, 2], [0, 2, 3]], material: Vec::new() };
    let surface = Surface { mesh, colour: RED, ..Surface::default() };
    let image = still(&[fabric(&surface)], &straight([80, 80])).unwrap();
    for (row, red) in [(79, true), (60, true), (45, true), (30, false), (0, false)] {
        assert!((0..80).all(|x| is_red(image.pixel(x, row)) == red), "row {row}: {:?}", image.pixel(40, row));
    }
    // Behind the eye altogether: nothing.
    let behind = wall(2, 1.0, 5.0, RED);
    let image = still(&[fabric(&behind)], &straight([80, 80])).unwrap();
    assert!(!image.pixels.iter().any(|&p| is_red(p)));
}

/// A sheet hangs in the light of a lamp straight above: the floor is dark under it and nowhere else.
#[test]
fn the_shadow_falls_under_the_sheet() {
    let mesh = Grid { cells: [8, 8], size: [0.4, 0.4], diagonal: Diagonal::One }.mesh();
    let surface = Surface { mesh, colour: WHITE, ..Surface::default() };
    let light = Light { elevation_deg: 90.0, softness_deg: 0.5, sky: 0.1, ..Light::default() };
    let eye = DVec3::new(0.2, 0.3, 3.0);
    let target = DVec3::new(0.2, -0.5, -0.2);
    let camera = Camera::LookAt { eye, target, up: DVec3::Y, fov_deg: 40.0 };
    let view = View { camera, light, floor: Some(-0.5), size: [200, 200], ..View::default() };
    let image = still(&[fabric(&surface)], &view).unwrap();
    let bare = still(&[], &view).unwrap();
    let seen = Eye::new(&camera, view.size, 0, &[]).unwrap();
    let part = |x: f64, z: f64| {
        let p = seen.project(DVec3::new(x, -0.5, z)).place;
        let (column, row) = ((p.x / p.z) as usize, (p.y / p.z) as usize);
        f64::from(brightness(image.pixel(column, row))) / f64::from(brightness(bare.pixel(column, row)))
    };
    for (x, z) in [(0.2, -0.2), (0.03, -0.03), (0.37, -0.37), (0.03, -0.37)] {
        assert!(part(x, z) < 0.6, "{x} {z}: {}", part(x, z));
    }
    for (x, z) in [(-0.05, -0.2), (0.45, -0.2), (0.2, 0.05), (0.2, -0.46)] {
        assert!(part(x, z) > 0.85, "{x} {z}: {}", part(x, z));
    }
}

/// A flat sheet in grazing light shades itself nowhere: neighbours differ by rounding only.
#[test]
fn a_flat_sheet_has_no_shadow_on_itself() {
    for azimuth_deg in [0.0, -60.0, -80.0] {
        let surface = wall(30, 1.0, 0.0, WHITE);
        let light = Light { azimuth_deg, ..Light::default() };
        let image = still(&[fabric(&surface)], &View { light, ..straight([200, 200]) }).unwrap();
        let inside = (60..140).flat_map(|y| (60..140).map(move |x| (x, y)));
        let values: Vec<i32> = inside.map(|(x, y)| brightness(image.pixel(x, y))).collect();
        let spread = values.iter().max().unwrap() - values.iter().min().unwrap();
        // Fuzz brightens the rim by a level per channel.
        assert!(spread <= 6, "{azimuth_deg}: {spread}");
    }
}

/// The depth of a fold gets less light than its crest.
#[test]
fn folds_are_darker_inside() {
    let mut surface = wall(60, 1.0, 0.0, WHITE);
    surface.mesh.positions.iter_mut().for_each(|p| p.z = 0.15 * (30.0 * p.x).cos());
    let light = Light { key: 0.0, sky: 1.0, ..Light::default() };
    let image = still(&[fabric(&surface)], &View { light, ..straight([200, 200]) }).unwrap();
    let at = |x: f64| brightness(image.pixel((100.0 + 100.0 * x) as usize, 100));
    let trough = std::f64::consts::PI / 30.0;
    assert!(at(trough) < at(0.0) * 9 / 10, "{} {}", at(trough), at(0.0));
}

/// Beside each tick of the legend, the bar has the colour of the map at that number; and a surface with that number has its hue.
#[test]
fn legend_colours_are_those_of_the_map() {
    assert_eq!([map_colour(-1.0, 2.0), map_colour(0.0, 2.0)], [[30, 60, 200]; 2]);
    assert_eq!([map_colour(2.0, 2.0), map_colour(9.0, 2.0)], [[215, 35, 35]; 2]);
    assert_eq!(map_colour(1.0, 2.0), [50, 180, 70]);
    assert_eq!(map_colour(f64::NAN, 2.0), [150; 3]);
    let surface = wall(4, 0.5, 0.0, WHITE);
    let count = surface.mesh.positions.len();
    let field = Field { name: "pressure".into(), unit: "kPa".into(), on: On::Vertices, values: vec![1.0; count] };
    let drawn = Drawn::new(&surface, &surface.mesh.positions, Paint::Map { field: &field, max: 2.0, label: "" });
    let image = still(&[drawn], &straight([480, 480])).unwrap();
    // One unit of the legend is a pixel here: a bar of 14 × 210 pixels, its right edge 16 from that of the picture.
    let (top, height, left) = (144, 210, 480 - 16 - 14);
    for row in 1..height - 1 {
        let (value, seen) = (2.0 - 2.0 * (row as f64 + 0.5) / height as f64, image.pixel(left + 7, top + row));
        let off = (0..3).map(|k| seen[k].abs_diff(map_colour(value, 2.0)[k])).max().unwrap();
        // A row is a hundredth of the scale: seven levels where the colour changes fastest.
        assert!(off <= 7, "{value}: {seen:?}");
    }
    // The tick of a number stands at its colour.
    let is_tick = |y: &usize| brightness(image.pixel(left - 2, *y)) < brightness(image.pixel(left - 2, y + 4)) - 60;
    let ticks: Vec<usize> = (top..top + height).filter(is_tick).collect();
    assert!(ticks.iter().any(|&y| y.abs_diff(top + height / 2) <= 1), "{ticks:?}");
    let [r, g, b] = image.pixel(240, 240);
    assert!(g > r && g > b && g > 120, "{r} {g} {b}");
}

/// A checker of 5 cm on 80 cm changes colour fifteen times in a row, at equal distances.
#[test]
fn checkers_have_the_size_asked_for() {
    let surface = wall(10, 0.8, 0.0, [0.1, 0.1, 0.5]);
    let drawn = Drawn::new(&surface, &surface.mesh.positions, Paint::Checker { size_m: 0.05 });
    let image = still(&[drawn], &straight([800, 800])).unwrap();
    for y in [260, 531] {
        // 0.8 m are 320 pixels, from 240 to 560.
        let is_dark = |x: usize| brightness(image.pixel(x, y)) < 400;
        let changes: Vec<usize> = (243..557).filter(|&x| is_dark(x) != is_dark(x - 1)).collect();
        assert_eq!(changes.len(), 15, "{changes:?}");
        assert!(changes.windows(2).all(|c| (19..=21).contains(&(c[1] - c[0]))), "{changes:?}");
    }
}

/// Far away a pattern becomes its mean instead of a moiré.
#[test]
fn fine_patterns_fade_to_their_mean() {
    let surface = wall(10, 1.0, 0.0, [0.1, 0.1, 0.5]);
    let drawn = Drawn::new(&surface, &surface.mesh.positions, Paint::Checker { size_m: 0.001 });
    let image = still(&[drawn], &straight([160, 160])).unwrap();
    let inside = (50..110).flat_map(|y| (50..110).map(move |x| (x, y)));
    let values: Vec<i32> = inside.map(|(x, y)| brightness(image.pixel(x, y))).collect();
    assert!(values.iter().max().unwrap() - values.iter().min().unwrap() < 40);
}

#[test]
fn bad_numbers_do_no_harm() {
    let mut surface = wall(10, 1.0, 0.0, RED);
    let view = straight([100, 100]);
    let whole = still(&[fabric(&surface)], &view).unwrap();
    for (k, bad) in [f64::NAN, f64::INFINITY, 1e300].into_iter().enumerate() {
        surface.mesh.positions[k].y = bad;
    }
    surface.mesh.material[40] = [DVec2::NAN; 3];
    let harmed = still(&[fabric(&surface)], &view).unwrap();
    assert!(is_red(harmed.pixel(60, 40)) && is_red(whole.pixel(60, 40)));
    surface.mesh.positions.fill(DVec3::NAN);
    let nothing = still(&[fabric(&surface)], &View { floor: Some(0.0), size: [20, 20], ..View::default() }).unwrap();
    assert!(!nothing.pixels.iter().any(|&p| is_red(p)));
    let empty = Surface::default();
    still(&[fabric(&empty)], &View { size: [20, 20], ..View::default() }).unwrap();
    still(&[], &View { size: [1, 1], ..View::default() }).unwrap();
}

#[test]
fn impossible_requests_are_refused() {
    let surface = wall(2, 1.0, 0.0, RED);
    let sized = |size| still(&[fabric(&surface)], &View { size, ..View::default() });
    assert_eq!(sized([0, 10]), Err(RenderError::Size { width: 0, height: 10 }));
    assert!(sized([5000, 10]).is_err());
    let view = View { size: [20, 20], ..View::default() };
    assert_eq!(still(&[fabric(&surface)], &View { samples: 0, ..view.clone() }), Err(RenderError::Samples(0)));
    let short = Drawn::new(&surface, &surface.mesh.positions[1..], Paint::Fabric);
    assert!(matches!(still(&[short], &view), Err(RenderError::Positions { vertices: 9, positions: 8, .. })));
    let field = Field { name: "f".into(), unit: "N".into(), on: On::Vertices, values: vec![0.0; 3] };
    let map = Drawn::new(&surface, &surface.mesh.positions, Paint::Map { field: &field, max: 1.0, label: "" });
    assert!(matches!(still(&[map], &view), Err(RenderError::Field { values: 3, wanted: 9, .. })));
    let camera = Camera::Orbit { azimuth_deg: f64::NAN, elevation_deg: 0.0, distance: None };
    assert_eq!(still(&[fabric(&surface)], &View { camera, ..view.clone() }), Err(RenderError::NotFinite("camera")));
    let mut broken = surface.clone();
    broken.mesh.triangles[1][2] = 77;
    assert!(matches!(still(&[fabric(&broken)], &view), Err(RenderError::Index { triangle: 1, vertex: 77, .. })));
    assert!(apng(&[], 0.1).is_err());
    let (a, b) = (Image::filled(2, 2, [0; 3]), Image::filled(3, 2, [0; 3]));
    assert!(gif(&[a, b], 0.1).is_err());
}

/// Everything is in the frame, from every side of a turntable, and not lost in it.
#[test]
fn automatic_framing_fits() {
    let surface = wall(6, 1.0, 0.3, RED);
    for size in [[120, 90], [60, 120]] {
        let view = View { size, ..View::default() };
        let mut images = turntable(&[fabric(&surface)], &view, 4).unwrap();
        images.push(still(&[fabric(&surface)], &view).unwrap());
        for image in &images {
            let red = |x: usize, y: usize| is_red(image.pixel(x, y));
            let rim = (0..size[0]).any(|x| red(x, 0) || red(x, size[1] - 1))
                || (0..size[1]).any(|y| red(0, y) || red(size[0] - 1, y));
            assert!(!rim);
        }
        let columns: Vec<usize> =
            (0..size[0]).filter(|&x| (0..size[1]).any(|y| is_red(images[4].pixel(x, y)))).collect();
        let rows: Vec<usize> = (0..size[1]).filter(|&y| (0..size[0]).any(|x| is_red(images[4].pixel(x, y)))).collect();
        let fill = (columns.len() as f64 / size[0] as f64).max(rows.len() as f64 / size[1] as f64);
        assert!((0.8..=0.88).contains(&fill), "{fill}");
    }
}

/// Animations decode to their pictures: APNG exactly, GIF to within its palette.
#[test]
fn animations_hold_their_frames() {
    let surface = pleats(10);
    let view = View { size: [48, 40], samples: 1, ..View::default() };
    let turns = turntable(&[fabric(&surface)], &view, 3).unwrap();
    let bytes = apng(&turns, 0.125).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
    assert_eq!(reader.info().animation_control().unwrap().num_frames, 3);
    for turn in &turns {
        let mut pixels = vec![0; 48 * 40 * 3];
        reader.next_frame(&mut pixels).unwrap();
        assert_eq!(pixels, turn.pixels.as_flattened());
    }
    let bytes = gif(&turns, 0.125).unwrap();
    let mut options = ::gif::DecodeOptions::new();
    options.set_color_output(::gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(std::io::Cursor::new(&bytes)).unwrap();
    for turn in &turns {
        let frame = decoder.read_next_frame().unwrap().unwrap();
        let off = frame
            .buffer
            .chunks_exact(4)
            .zip(&turn.pixels)
            .map(|(a, b)| (0..3).map(|k| a[k].abs_diff(b[k])).max().unwrap());
        let worst = off.max().unwrap();
        assert!(worst <= 24, "{worst}");
    }
    assert!(decoder.read_next_frame().unwrap().is_none());
}

/// Times stand side by side, with a line of text below.
#[test]
fn strips_stand_side_by_side() {
    let surface = pleats(8);
    let view = View { size: [60, 70], ..View::default() };
    let frames = [(0.0, vec![fabric(&surface)]), (0.25, vec![fabric(&surface)])];
    let image = strip(&frames, &view).unwrap();
    assert_eq!([image.width, image.height], [120, 79]);
    assert!((0..70).all(|y| (0..60).all(|x| image.pixel(x, y) == image.pixel(60 + x, y))));
    let is_ink = |x: usize| (70..79).any(|y| brightness(image.pixel(x, y)) < 300);
    assert!((0..60).any(is_ink) && (60..120).any(is_ink));
    assert!((0..60).any(|x| is_ink(x) != is_ink(x + 60)), "the times differ");
    assert!(strip(&[], &view).is_err());
}

/// Sides stand in a row at one scale with their names below; a wall seen edge-on is a line, its back is seen from behind. A map adds one
/// legend in a band of its own.
#[test]
fn sides_stand_side_by_side() {
    let surface = wall(2, 1.0, 0.0, RED);
    let size = [120, 90];
    let camera = Camera::Orbit { azimuth_deg: 0.0, elevation_deg: 0.0, distance: None };
    let view = View { camera, size, ..View::default() };
    let turns = [(0.0, "front"), (90.0, "side"), (180.0, "back")];
    let image = sides(&[fabric(&surface)], &view, &turns).unwrap();
    assert_eq!([image.width, image.height], [360, 99]);
    let red = |k: usize| (0..90 * 120).filter(|n| is_red(image.pixel(120 * k + n % 120, n / 120))).count();
    let [front, side, back] = [0, 1, 2].map(red);
    assert!(front > 1500 && front.abs_diff(back) < front / 10 && side < front / 20, "{front} {side} {back}");
    let values = vec![0.5; surface.mesh.positions.len()];
    let field = Field { name: "f".into(), unit: "N".into(), on: On::Vertices, values };
    let paint = Paint::Map { field: &field, max: 1.0, label: "" };
    let map = sides(&[Drawn::new(&surface, &surface.mesh.positions, paint)], &view, &turns).unwrap();
    assert!(map.width > 360 && map.width < 480 && map.height == 99, "{}", map.width);
    assert!(matches!(sides(&[fabric(&surface)], &view, &[]), Err(RenderError::Frames(_))));
}

/// Painted again, a look gives the picture that is made anew in that paint, in every byte; and its own as if nothing had been between.
#[test]
fn looks_are_painted_more_than_once() {
    let (cloth, body) = (pleats(20), wall(3, 0.6, -0.2, WHITE));
    let field = Field {
        name: "strain_weft".into(),
        unit: "–".into(),
        on: On::Triangles,
        values: (0..cloth.mesh.triangles.len()).map(|t| t as f32 * 1e-5).collect(),
    };
    let map = Paint::Map { field: &field, max: 0.01, label: "strain weft" };
    let view = View { size: [90, 80], floor: Some(-0.6), ..View::default() };
    let turns = [(0.0, "front"), (90.0, "side")];
    let drawn = |paint| {
        [Drawn::new(&cloth, &cloth.mesh.positions, paint), Drawn::new(&body, &body.mesh.positions, Paint::BODY)]
    };
    let looks = Sides::new(&drawn(Paint::Fabric), &view, &turns).unwrap();
    for paint in [map, Paint::Checker { size_m: 0.05 }, Paint::Fabric] {
        assert_eq!(looks.painted(&[paint, Paint::BODY]).unwrap(), sides(&drawn(paint), &view, &turns).unwrap());
    }
    assert_eq!(looks.picture().unwrap(), looks.painted(&[Paint::Fabric, Paint::BODY]).unwrap());
    assert_eq!(looks.painted(&[map]), Err(RenderError::Paints { paints: 1, surfaces: 2 }));
}
