//! The quad grid of the mannequin, by rule and the same for every size: five tubes that share vertices at armholes and
//! crotch, and five square caps.
//!
//! | tube | rows | columns |
//! |---|---|---|
//! | torso | 0 above the crotch, 1 hip, 20 waist, 27 underbust, 31 bust, 35–43 armhole, 51 neck base, 71 forehead | 64: 0 front, 16 left, 32 back |
//! | arm | 0 armhole, 10 upper arm, 20 elbow, 35 wrist, 48 fingers | 28: 0 top, 7 front, 14 underside, 21 back |
//! | leg | 0 torso row 0 and seam, 5 thigh, 23 knee, 30 calf, 45 ankle, 65 toes | 44: torso columns 0–32, seam back to front |
//!
//! Vertices are numbered torso, left arm, right arm, seam, left leg, right leg, caps of head, hands and toes. Left is +x.

use std::ops::Range;

/// Rows of the torso with neck and head.
pub(super) const TORSO_ROWS: usize = 72;
/// Columns of the torso.
pub(super) const TORSO_COLUMNS: usize = 64;
/// Rows of an arm, the armhole included.
pub(super) const ARM_ROWS: usize = 49;
/// Columns of an arm.
pub(super) const ARM_COLUMNS: usize = 28;
/// Rows of a leg, that of the torso included.
pub(super) const LEG_ROWS: usize = 66;
/// Columns of a leg.
pub(super) const LEG_COLUMNS: usize = 44;
/// Vertices of the seam between the legs.
pub(super) const SEAM: usize = 11;
/// Quads along a side of the caps of head, hand and toes.
pub(super) const CAPS: [usize; 3] = [16, 7, 11];
/// Columns of the ring at the first corner of each cap.
const CAP_CORNERS: [usize; 3] = [8, 4, 0];
/// Rows and columns of torso vertices that are left out at the left armhole.
const HOLE: (Range<usize>, Range<usize>) = (36..43, 14..19);
/// Place of a vertex that was left out.
const NONE: u32 = u32::MAX;

/// Numbers of the vertices and what joins them. Index 0 is left, 1 right.
pub(super) struct Grid {
    torso: Vec<u32>,
    arms: [Vec<u32>; 2],
    pub(super) seam: Vec<u32>,
    legs: [Vec<u32>; 2],
    head: Vec<u32>,
    hands: [Vec<u32>; 2],
    toes: [Vec<u32>; 2],
    /// Number of vertices.
    pub(super) vertex_count: usize,
    /// Quads, outward by the right hand; the first and third corner are the ends of the diagonal that splits them.
    pub(super) quads: Vec<[u32; 4]>,
    /// Where each quad lies.
    pub(super) cells: Vec<Cell>,
    /// The vertex at the other side of x = 0.
    pub(super) mirror: Vec<u32>,
    /// Vertices joined by an edge of a quad, ascending.
    pub(super) neighbours: Vec<Vec<u32>>,
}

/// Tube, row and column of a quad's first corner; caps count as the row after the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    /// Row, column.
    Torso(usize, usize),
    /// Side, row.
    Arm(usize, usize),
    /// Side, row.
    Leg(usize, usize),
}

/// Row and column on the torso of a vertex of the left armhole loop.
pub(super) fn loop_place(i: usize) -> (usize, usize) {
    match i {
        0..=3 => (43, 16 - i),
        4..=11 => (46 - i, 13),
        12..=17 => (35, i + 2),
        18..=25 => (18 + i, 19),
        _ => (43, 44 - i),
    }
}

/// Whether a torso point lies in an armhole and is no vertex.
pub(super) fn in_hole(row: usize, column: usize) -> bool {
    let left = column.min((TORSO_COLUMNS - column) % TORSO_COLUMNS);
    HOLE.0.contains(&row) && HOLE.1.contains(&left)
}

impl Grid {
    /// Builds the grid.
    pub(super) fn new() -> Self {
        let mut count = 0;
        let mut fresh = || {
            count += 1;
            count - 1
        };
        let torso: Vec<u32> = (0..TORSO_ROWS * TORSO_COLUMNS)
            .map(|n| if in_hole(n / TORSO_COLUMNS, n % TORSO_COLUMNS) { NONE } else { fresh() })
            .collect();
        let arms = [0, 1].map(|side| tube(&mut fresh, &armhole(&torso, side), ARM_ROWS));
        let seam: Vec<u32> = (0..SEAM).map(|_| fresh()).collect();
        let legs = [0, 1].map(|side| tube(&mut fresh, &leg_top(&torso, &seam, side), LEG_ROWS));
        let head = cap(&mut fresh, last(&torso, TORSO_COLUMNS), 0);
        let hands = [0, 1].map(|side| cap(&mut fresh, last(&arms[side], ARM_COLUMNS), 1));
        let toes = [0, 1].map(|side| cap(&mut fresh, last(&legs[side], LEG_COLUMNS), 2));
        let mut grid = Self {
            torso,
            arms,
            seam,
            legs,
            head,
            hands,
            toes,
            vertex_count: count as usize,
            quads: Vec::new(),
            cells: Vec::new(),
            mirror: Vec::new(),
            neighbours: Vec::new(),
        };
        grid.join();
        grid.mirror = grid.mirrors();
        grid.neighbours = neighbours(&grid.quads, grid.vertex_count);
        grid
    }

    /// A vertex of the torso, if it is not in an armhole.
    pub(super) fn torso(&self, row: usize, column: usize) -> Option<u32> {
        let vertex = self.torso[row * TORSO_COLUMNS + column % TORSO_COLUMNS];
        (vertex != NONE).then_some(vertex)
    }

    /// A vertex of an arm.
    pub(super) fn arm(&self, side: usize, row: usize, column: usize) -> u32 {
        self.arms[side][row * ARM_COLUMNS + column % ARM_COLUMNS]
    }

    /// A vertex of a leg.
    pub(super) fn leg(&self, side: usize, row: usize, column: usize) -> u32 {
        self.legs[side][row * LEG_COLUMNS + column % LEG_COLUMNS]
    }

    /// A ring of an arm.
    pub(super) fn arm_ring(&self, side: usize, row: usize) -> &[u32] {
        &self.arms[side][row * ARM_COLUMNS..(row + 1) * ARM_COLUMNS]
    }

    /// A ring of a leg.
    pub(super) fn leg_ring(&self, side: usize, row: usize) -> &[u32] {
        &self.legs[side][row * LEG_COLUMNS..(row + 1) * LEG_COLUMNS]
    }

    /// Vertices of a torso row, without those in armholes.
    pub(super) fn torso_ring(&self, row: usize) -> Vec<u32> {
        (0..TORSO_COLUMNS).filter_map(|column| self.torso(row, column)).collect()
    }

    /// Vertices of the caps, border included: head, hand or toes (0, 1, 2) of a side, in rows of `CAPS[kind] + 1`.
    pub(super) fn cap(&self, kind: usize, side: usize) -> &[u32] {
        match kind {
            0 => &self.head,
            1 => &self.hands[side],
            _ => &self.toes[side],
        }
    }

    fn join(&mut self) {
        for row in 0..TORSO_ROWS - 1 {
            for j in 0..TORSO_COLUMNS {
                let corners = [(row, j), (row, j + 1), (row + 1, j + 1), (row + 1, j)];
                let inside = (35..43).contains(&row) && ((13..19).contains(&j) || (45..51).contains(&j));
                if !inside {
                    let quad = corners.map(|(r, c)| self.torso[r * TORSO_COLUMNS + c % TORSO_COLUMNS]);
                    self.push(quad, j >= TORSO_COLUMNS / 2, Cell::Torso(row, j));
                }
            }
        }
        for side in [0, 1] {
            self.join_tube(side, ARM_ROWS, ARM_COLUMNS, Cell::Arm, false);
        }
        for side in [0, 1] {
            self.join_tube(side, LEG_ROWS, LEG_COLUMNS, Cell::Leg, true);
        }
        for (kind, side) in [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1)] {
            self.join_cap(kind, side);
        }
    }

    /// Limbs: the left one is turned as the torso if rows lead outward, the other way round if they lead down.
    fn join_tube(&mut self, side: usize, rows: usize, columns: usize, cell: fn(usize, usize) -> Cell, down: bool) {
        for row in 0..rows - 1 {
            for i in 0..columns {
                let next = (i + 1) % columns;
                let tube = if down { &self.legs[side] } else { &self.arms[side] };
                let [a, b] = [row * columns, (row + 1) * columns];
                let quad = if down { [a + i, b + i, b + next, a + next] } else { [a + i, a + next, b + next, b + i] };
                let quad = quad.map(|n| tube[n]);
                self.push(if side == 0 { quad } else { turned(quad) }, false, cell(side, row));
            }
        }
    }

    fn join_cap(&mut self, kind: usize, side: usize) {
        let n = CAPS[kind];
        for a in 0..n {
            for b in 0..n {
                let corners = [(a, b), (a, b + 1), (a + 1, b + 1), (a + 1, b)];
                let quad = corners.map(|(a, b)| self.cap(kind, side)[a * (n + 1) + b]);
                let is_turned = (kind == 2) != (side == 1);
                // The right half of the head is split as the mirror image of the left one.
                let is_mirrored = kind == 0 && a >= n / 2;
                let cell = match kind {
                    0 => Cell::Torso(TORSO_ROWS - 1, if is_mirrored { 48 } else { 16 }),
                    1 => Cell::Arm(side, ARM_ROWS - 1),
                    _ => Cell::Leg(side, LEG_ROWS - 1),
                };
                self.push(if is_turned { turned(quad) } else { quad }, is_mirrored, cell);
            }
        }
    }

    fn push(&mut self, [a, b, c, d]: [u32; 4], other_diagonal: bool, cell: Cell) {
        self.quads.push(if other_diagonal { [b, c, d, a] } else { [a, b, c, d] });
        self.cells.push(cell);
    }

    fn mirrors(&self) -> Vec<u32> {
        let mut mirror: Vec<u32> = (0..self.vertex_count as u32).collect();
        let mut pair = |a: u32, b: u32| {
            mirror[a as usize] = b;
            mirror[b as usize] = a;
        };
        for row in 0..TORSO_ROWS {
            for j in 1..TORSO_COLUMNS / 2 {
                if let (Some(a), Some(b)) = (self.torso(row, j), self.torso(row, TORSO_COLUMNS - j)) {
                    pair(a, b);
                }
            }
        }
        // Seam vertices are their own image and come as such from both legs.
        for [left, right] in [&self.arms, &self.legs, &self.hands, &self.toes] {
            left.iter().zip(right).for_each(|(a, b)| pair(*a, *b));
        }
        let n = CAPS[0];
        for a in 0..n / 2 {
            for b in 0..=n {
                pair(self.head[a * (n + 1) + b], self.head[(n - a) * (n + 1) + b]);
            }
        }
        mirror
    }

    /// Both triangles of every quad.
    pub(super) fn triangles(&self) -> Vec<[u32; 3]> {
        self.quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect()
    }
}

/// A quad seen from its other side, with the same diagonal.
fn turned([a, b, c, d]: [u32; 4]) -> [u32; 4] {
    [a, d, c, b]
}

/// The torso column of the other side for 1.
fn on_side(column: usize, side: usize) -> usize {
    if side == 0 { column } else { (TORSO_COLUMNS - column) % TORSO_COLUMNS }
}

fn armhole(torso: &[u32], side: usize) -> Vec<u32> {
    let places = (0..ARM_COLUMNS).map(loop_place);
    places.map(|(row, column)| torso[row * TORSO_COLUMNS + on_side(column, side)]).collect()
}

fn leg_top(torso: &[u32], seam: &[u32], side: usize) -> Vec<u32> {
    (0..=TORSO_COLUMNS / 2).map(|i| torso[on_side(i, side)]).chain(seam.iter().copied()).collect()
}

fn last(tube: &[u32], columns: usize) -> &[u32] {
    &tube[tube.len() - columns..]
}

/// A first ring that exists, and fresh vertices for all further rows.
fn tube(fresh: &mut impl FnMut() -> u32, first: &[u32], rows: usize) -> Vec<u32> {
    let mut all = first.to_vec();
    all.extend((first.len()..rows * first.len()).map(|_| fresh()));
    all
}

/// A square whose border is a ring that exists.
fn cap(fresh: &mut impl FnMut() -> u32, ring: &[u32], kind: usize) -> Vec<u32> {
    let n = CAPS[kind];
    let mut square = vec![NONE; (n + 1) * (n + 1)];
    for k in 0..4 * n {
        let (side, step) = (k / n, k % n);
        let (a, b) = [(0, step), (step, n), (n, n - step), (n - step, 0)][side];
        square[a * (n + 1) + b] = ring[(CAP_CORNERS[kind] + k) % ring.len()];
    }
    square.iter_mut().filter(|v| **v == NONE).for_each(|v| *v = fresh());
    square
}

fn neighbours(quads: &[[u32; 4]], vertex_count: usize) -> Vec<Vec<u32>> {
    let mut lists = vec![Vec::new(); vertex_count];
    for quad in quads {
        for k in 0..4 {
            let (a, b) = (quad[k], quad[(k + 1) % 4]);
            lists[a as usize].push(b);
            lists[b as usize].push(a);
        }
    }
    for list in &mut lists {
        list.sort_unstable();
        list.dedup();
    }
    lists
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Every directed edge once and its reverse once, V − E + F = 2, and the valences of the recipe.
    #[test]
    fn grid_is_a_closed_ball_with_known_valences() {
        let grid = Grid::new();
        assert_eq!((grid.vertex_count, grid.quads.len()), (13_454, 13_452));
        let mut edges = BTreeSet::new();
        for quad in &grid.quads {
            for k in 0..4 {
                assert!(edges.insert((quad[k], quad[(k + 1) % 4])), "edge twice");
            }
        }
        assert!(edges.iter().all(|(a, b)| edges.contains(&(*b, *a))));
        assert_eq!(grid.vertex_count as i64 - edges.len() as i64 / 2 + grid.quads.len() as i64, 2);
        let mut valences = [0; 9];
        grid.neighbours.iter().for_each(|list| valences[list.len()] += 1);
        assert_eq!([valences[3], valences[5], valences[6]], [20, 8, 2]);
        assert_eq!(valences[4], grid.vertex_count - 30);
    }

    /// Mirroring the vertices turns the set of triangles into itself, seen from the other side.
    #[test]
    fn triangles_are_their_own_mirror_image() {
        let grid = Grid::new();
        let sorted = |[a, b, c]: [u32; 3]| {
            let least = a.min(b).min(c);
            if least == a {
                [a, b, c]
            } else if least == b {
                [b, c, a]
            } else {
                [c, a, b]
            }
        };
        let own: BTreeSet<[u32; 3]> = grid.triangles().into_iter().map(sorted).collect();
        let image = |t: [u32; 3]| t.map(|v| grid.mirror[v as usize]);
        assert!(own.iter().all(|t| own.contains(&sorted(image([t[0], t[2], t[1]])))));
        assert_eq!(grid.mirror.iter().enumerate().filter(|(v, m)| *v as u32 == **m).count(), 11 + 2 * 72 + 15);
    }
}
