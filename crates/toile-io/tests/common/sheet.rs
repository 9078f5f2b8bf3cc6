//! A waving sheet of two panels sewn along the middle, for tests and sample files.

use glam::{DVec2, DVec3};
use toile_core::mesh::Mesh;
use toile_io::surface::{Clip, Field, Frame, On, Part, Surface};

/// A sheet of 1.2 m × 0.8 m with `columns` × `rows` cells, `columns` even, in `frames` frames of 1/25 s.
///
/// Material coordinates start anew in the second panel: a vertex on the seam has two places.
pub(crate) fn waving_sheet(columns: usize, rows: usize, frames: usize) -> Clip {
    let (width, height) = (1.2, 0.8);
    let place = |i: usize, j: usize| DVec2::new(width * i as f64 / columns as f64, height * j as f64 / rows as f64);
    let vertex = |i: usize, j: usize| (j * (columns + 1) + i) as u32;
    let mut mesh = Mesh::default();
    for j in 0..=rows {
        mesh.positions.extend((0..=columns).map(|i| place(i, j)).map(|p| DVec3::new(p.x, 0.0, -p.y)));
    }
    for half in 0..2 {
        let origin = half as f64 * DVec2::new(0.5 * width, -0.1);
        for j in 0..rows {
            for i in half * columns / 2..(half + 1) * columns / 2 {
                let square = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
                for corners in [[0, 1, 2], [0, 2, 3]] {
                    mesh.triangles.push(corners.map(|c: usize| vertex(square[c].0, square[c].1)));
                    mesh.material.push(corners.map(|c| place(square[c].0, square[c].1) - origin));
                }
            }
        }
    }
    let half = mesh.triangles.len() / 2;
    let parts = vec![
        Part { name: "front".into(), triangles: 0..half },
        Part { name: "back left".into(), triangles: half..2 * half },
    ];
    let frames = (0..frames).map(|k| frame(&mesh, k as f64 / 25.0)).collect();
    Clip { surface: Surface { name: "sheet".into(), mesh, parts, colour: [0.7, 0.3, 0.2] }, frames }
}

fn frame(mesh: &Mesh, time: f64) -> Frame {
    let wave = |p: &DVec3| {
        let lift = 0.1 * (7.0 * p.x - 9.0 * time).sin() * (1.0 + p.z) + 0.05 * (11.0 * p.z + 4.0 * time).cos();
        DVec3::new(p.x + 0.1 * lift * lift, 1.0 + lift, p.z)
    };
    let positions: Vec<DVec3> = mesh.positions.iter().map(wave).collect();
    let height = positions.iter().map(|p| p.y as f32).collect();
    let stretch = |corners: &[u32; 3]| {
        let length = |points: &[DVec3]| (points[corners[1] as usize] - points[corners[0] as usize]).length();
        (length(&positions) / length(&mesh.positions) - 1.0) as f32
    };
    let strain = mesh.triangles.iter().map(stretch).collect();
    let fields = vec![
        Field { name: "height".into(), unit: "m".into(), on: On::Vertices, values: height },
        Field { name: "strain_weft".into(), unit: "–".into(), on: On::Triangles, values: strain },
    ];
    Frame { time, positions, fields }
}
