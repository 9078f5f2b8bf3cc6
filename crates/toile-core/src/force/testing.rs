//! Derivatives of forces held against differences.

use super::{Force, Moment, Projection, Rate, Target};
use crate::linalg::{BlockMatrix, Pattern};
use glam::DVec3;
use std::sync::Arc;

fn instant<'a>(x: &'a [DVec3], still: &'a [DVec3]) -> Moment<'a> {
    Moment { positions: x, velocities: still, time: 0.0, elapsed: 0.0, rate: Rate::Instant }
}

/// Forces of a force without memory (N).
pub(super) fn forces_at(force: &dyn Force, x: &[DVec3]) -> Vec<DVec3> {
    let still = vec![DVec3::ZERO; x.len()];
    let mut forces = still.clone();
    force.add_forces(&instant(x, &still), &[], &mut forces);
    forces
}

/// Central differences of the energy give the forces; those of the forces the matrix and the product with it, to `tolerance` (N/m).
pub(super) fn check_derivatives(force: &mut dyn Force, x: &[DVec3], tolerance: f64) {
    let count = x.len();
    let pattern = Arc::new(Pattern::from_stencils(count, |visit| force.stencils(visit)));
    force.bind(&pattern);
    let still = vec![DVec3::ZERO; count];
    let mut matrix = BlockMatrix::<f64>::zero(pattern);
    force.add_jacobian(&instant(x, &still), &[], Projection::None, &mut Target::Double(&mut matrix));
    let h = 1e-6;
    for i in 0..count {
        for c in 0..3 {
            let moved = |h: f64| {
                let mut y = x.to_vec();
                y[i][c] += h;
                y
            };
            let energy = |h: f64| force.energy(&instant(&moved(h), &still), &[]);
            let slope = (energy(h) - energy(-h)) / (2.0 * h);
            assert!((slope + forces_at(force, x)[i][c]).abs() < 1e-3 * tolerance, "force {i} {c}");
            let (up, down) = (forces_at(force, &moved(h)), forces_at(force, &moved(-h)));
            let (mut direction, mut product, mut free) = (still.clone(), still.clone(), still.clone());
            direction[i][c] = 1.0;
            matrix.add_product(&direction, &mut product);
            assert!(force.add_product(&instant(x, &still), &[], Projection::None, &direction, &mut free));
            for j in 0..count {
                let difference = (down[j] - up[j]) / (2.0 * h);
                assert!((difference - product[j]).length() < tolerance, "matrix {i} {c} {j}");
                assert!((free[j] - product[j]).length() < 1e-9 * tolerance.max(1.0), "product {i} {c} {j}");
            }
        }
    }
}
