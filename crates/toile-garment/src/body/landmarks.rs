//! Places with names: landmarks, girth lines and regions, by row and column.

use super::grid::{Cell, Grid, TORSO_COLUMNS};
use super::tables::{self, Mark};

/// A named vertex of every mannequin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Landmark {
    /// Name; `_l` and `_r` for the sides.
    pub name: String,
    /// Vertex.
    pub vertex: u32,
}

/// A named closed line of vertices that a tape is laid round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GirthLine {
    /// Name; `_l` and `_r` for the sides.
    pub name: String,
    /// Vertices in order.
    pub vertices: Vec<u32>,
}

const SIDES: [&str; 2] = ["_l", "_r"];

fn columns(mark: &Mark) -> usize {
    mark.columns.parse().unwrap_or(0)
}

/// Landmarks of the grid.
pub(super) fn landmarks(grid: &Grid) -> Vec<Landmark> {
    let mut all = Vec::new();
    for mark in tables::marks().iter().filter(|mark| mark.kind == "point") {
        let (row, column) = (mark.rows.0, columns(mark));
        let is_middle = mark.tube == "seam" || (mark.tube == "T" && column % (TORSO_COLUMNS / 2) == 0);
        for side in [0, 1] {
            let vertex = match mark.tube {
                "T" => grid.torso(row, if side == 0 { column } else { TORSO_COLUMNS - column }),
                "A" => Some(grid.arm(side, row, column)),
                "L" => Some(grid.leg(side, row, column)),
                _ => Some(grid.seam[row]),
            };
            let vertex = vertex.expect("landmarks lie on vertices");
            match (is_middle, side) {
                (true, 0) => all.push(Landmark { name: mark.name.to_owned(), vertex }),
                (true, _) => {}
                _ => all.push(Landmark { name: format!("{}{}", mark.name, SIDES[side]), vertex }),
            }
        }
    }
    all
}

/// Girth lines of the grid.
pub(super) fn girth_lines(grid: &Grid) -> Vec<GirthLine> {
    let mut all = Vec::new();
    for mark in tables::marks().iter().filter(|mark| mark.kind == "girth") {
        let row = mark.rows.0;
        if mark.tube == "T" {
            all.push(GirthLine { name: mark.name.to_owned(), vertices: grid.torso_ring(row) });
            continue;
        }
        for side in [0, 1] {
            let ring = if mark.tube == "A" { grid.arm_ring(side, row) } else { grid.leg_ring(side, row) };
            all.push(GirthLine { name: format!("{}{}", mark.name, SIDES[side]), vertices: ring.to_vec() });
        }
    }
    all
}

/// Names of the regions, and the region of each quad.
pub(super) fn regions(grid: &Grid) -> (Vec<String>, Vec<u16>) {
    let mut names: Vec<String> = Vec::new();
    let marks: Vec<Mark> = tables::marks().into_iter().filter(|mark| mark.kind == "region").collect();
    let of_quad = grid.cells.iter().map(|cell| {
        let name = region(&marks, *cell);
        let known = names.iter().position(|n| *n == name);
        known.unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        }) as u16
    });
    let of_quad = of_quad.collect();
    (names, of_quad)
}

/// The region of a cell: parts that exist twice carry their side.
fn region(marks: &[Mark], cell: Cell) -> String {
    let (tube, row, side, column) = match cell {
        Cell::Torso(row, j) => ("T", row, usize::from(j >= TORSO_COLUMNS / 2), j.min(TORSO_COLUMNS - 1 - j)),
        // The rows next to the torso belong to the hip; rows of the table start at vertices, cells one row earlier.
        Cell::Leg(side, row) if row < 3 => return region(marks, Cell::Torso(0, side * (TORSO_COLUMNS - 1))),
        Cell::Leg(side, row) => ("L", row + 1, side, 0),
        Cell::Arm(side, row) => ("A", row + 1, side, 0),
    };
    let last = marks.iter().filter(|m| m.tube == tube).map(|m| m.rows.1).max().unwrap_or(0);
    let row = row.min(last);
    let fits =
        |mark: &&Mark| mark.tube == tube && (mark.rows.0..=mark.rows.1).contains(&row) && has_column(mark, column);
    let mark = marks.iter().find(fits).expect("regions cover the grid");
    let is_double = tube != "T" || mark.columns == "8-24";
    format!("{}{}", mark.name, if is_double { SIDES[side] } else { "" })
}

/// Columns of cells on the left half, 0 to 31: those of the table are vertices, so cells end one earlier.
fn has_column(mark: &Mark, column: usize) -> bool {
    let first = mark.columns.split([' ', '-']).next().and_then(|text| text.parse::<usize>().ok());
    match first {
        Some(0) => column < 8,
        Some(8) => (8..24).contains(&column),
        Some(_) => column >= 24,
        None => true,
    }
}
