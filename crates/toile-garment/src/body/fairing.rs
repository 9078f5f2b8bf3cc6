//! Fairing: one linear solve that blends the tubes where they meet.
//!
//! Minimises Σ |Lx|² + Σ w |x − target|², L the umbrella Laplacian of the grid (mean of the neighbours minus the vertex): thin-plate
//! smoothness where the weights w are small, the sections where they are 1. The matrix LᵀL + diag w is the same for every body.

use super::BodyError;
use super::grid::{ARM_COLUMNS, CAPS, Grid, LEG_COLUMNS, TORSO_COLUMNS};
use crate::sparse;
use glam::DVec3;
use toile_factor::Factor;

/// The factor of the matrix, and the weights.
pub(super) struct Fairing {
    factor: Factor,
    weights: Vec<f64>,
}

impl Fairing {
    /// Assembles and factorises the matrix.
    pub(super) fn new(grid: &Grid) -> Result<Self, BodyError> {
        let weights = weights(grid);
        let mut columns: Vec<Vec<(u32, f64)>> = weights.iter().enumerate().map(|(v, w)| vec![(v as u32, *w)]).collect();
        for (v, neighbours) in grid.neighbours.iter().enumerate() {
            let share = 1.0 / neighbours.len() as f64;
            let mut row = vec![(v as u32, -1.0)];
            row.extend(neighbours.iter().map(|n| (*n, share)));
            for &(a, x) in &row {
                let upper = row.iter().filter(|(b, _)| *b <= a);
                columns[a as usize].extend(upper.map(|(b, y)| (*b, x * y)));
            }
        }
        Ok(Self { factor: factorised(columns)?, weights })
    }

    /// The faired points of a target, exactly symmetric and on the floor or above it.
    pub(super) fn solve(&mut self, grid: &Grid, target: &[DVec3]) -> Vec<DVec3> {
        let mut axes: [Vec<f64>; 3] =
            [0, 1, 2].map(|axis| target.iter().zip(&self.weights).map(|(p, w)| w * p[axis]).collect());
        axes.iter_mut().for_each(|axis| self.factor.solve(axis));
        let point = |v: usize| DVec3::new(axes[0][v], axes[1][v], axes[2][v]);
        let mut points = vec![DVec3::ZERO; target.len()];
        for (v, &m) in grid.mirror.iter().enumerate() {
            if v <= m as usize {
                let (a, b) = (point(v), point(m as usize));
                let x = if v == m as usize { 0.0 } else { 0.5 * (a.x - b.x) };
                let mean = DVec3::new(x, (0.5 * (a.y + b.y)).max(0.0), 0.5 * (a.z + b.z));
                points[v] = mean;
                points[m as usize] = DVec3::new(if v == m as usize { 0.0 } else { -x }, mean.y, mean.z);
            }
        }
        points
    }
}

/// Factor of a symmetric matrix from the terms of its upper half, by column.
pub(super) fn factorised(columns: Vec<Vec<(u32, f64)>>) -> Result<Factor, BodyError> {
    sparse::factorised(columns).map_err(|e| BodyError::Solver { reason: format!("{e:?}") })
}

/// How firmly each vertex is held to its section: 1, less where tubes meet and at caps. Where rules overlap the least counts.
fn weights(grid: &Grid) -> Vec<f64> {
    let mut weights = vec![1.0f64; grid.vertex_count];
    let mut soften = |v: u32, weight: f64| weights[v as usize] = weights[v as usize].min(weight);
    for column in 0..TORSO_COLUMNS {
        let left = column.min(TORSO_COLUMNS - column);
        let mut at = |row: usize, weight: f64| {
            if let Some(v) = grid.torso(row, column) {
                soften(v, weight);
            }
        };
        if (12..=20).contains(&left) {
            [0.5, 0.2, 0.06, 0.06].iter().enumerate().for_each(|(k, w)| at(32 + k, *w));
        }
        if [11, 12, 20, 21].contains(&left) {
            (33..=45).for_each(|row| at(row, 0.4));
        }
        let is_middle = left <= 2 || left >= 30;
        at(0, if is_middle { 0.06 } else { 0.3 });
        if is_middle {
            at(1, 0.2);
        }
    }
    grid.seam.iter().for_each(|v| soften(*v, 0.08));
    for side in [0, 1] {
        for (row, weight) in [(0, 0.15), (1, 0.12), (2, 0.25), (3, 0.5), (37, 0.3), (38, 0.3)] {
            (0..ARM_COLUMNS).for_each(|i| soften(grid.arm(side, row, i), weight));
        }
        for (k, weight) in [0.06, 0.08, 0.15, 0.35].into_iter().enumerate() {
            (10..=18).for_each(|i| soften(grid.arm(side, k + 1, i), weight));
        }
        for (k, weight) in [0.05, 0.05, 0.12, 0.35, 0.7].into_iter().enumerate() {
            (0..LEG_COLUMNS).for_each(|i| soften(grid.leg(side, k + 1, i), weight));
        }
        for (kind, weight) in [(0, 0.5), (1, 0.1), (2, 0.1)] {
            let n = CAPS[kind];
            for m in
                (0..(n + 1) * (n + 1)).filter(|m| (1..n).contains(&(m / (n + 1))) && (1..n).contains(&(m % (n + 1))))
            {
                soften(grid.cap(kind, side)[m], weight);
            }
        }
    }
    weights
}
