//! Garments that slide off are told by name.

use super::notions::Notions;
use super::settle::GRAVITY;
use super::{DrapeError, Layer};
use glam::DVec3;
use std::ops::Range;
use toile_core::system::System;

/// How far (m) a garment may fall before it counts as lost.
const FALL: f64 = 0.6;
/// Share of its weight below which nothing carries a garment.
const CARRIED: f64 = 0.5;

/// How far each garment has fallen.
pub(super) struct Falls<'a> {
    garments: Vec<(&'a str, Range<usize>)>,
    /// By the centre of mass (m).
    fallen: Vec<f64>,
}

impl<'a> Falls<'a> {
    pub(super) fn new(layers: &[Layer<'a>]) -> Self {
        let mut first = 0;
        let range = |layer: &Layer<'a>| {
            let range = first..first + layer.mesh.vertex_count();
            first = range.end;
            (layer.name, range)
        };
        Self { garments: layers.iter().map(range).collect(), fallen: vec![0.0; layers.len()] }
    }

    /// Vertices of each garment among those of all.
    pub(super) fn vertices(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.garments.iter().map(|g| g.1.clone())
    }

    /// Counts a step from one set of positions (m) to the other; `contact` are the forces (N) before it. Lost is what has fallen far and is
    /// not carried, neither by the body nor by another garment nor by what holds its edges.
    pub(super) fn add(
        &mut self,
        system: &System,
        [before, after]: [&[DVec3]; 2],
        contact: &[DVec3],
        notions: &[Notions],
    ) -> Result<(), DrapeError> {
        let is_single = self.garments.len() == 1;
        for (((name, vertices), fallen), notions) in self.garments.iter().zip(&mut self.fallen).zip(notions) {
            let masses = &system.masses()[vertices.clone()];
            let mass: f64 = masses.iter().sum();
            let height =
                |x: &[DVec3]| masses.iter().zip(&x[vertices.clone()]).map(|(m, x)| m * x.y).sum::<f64>() / mass;
            *fallen += height(before) - height(after);
            let carried =
                contact[vertices.clone()].iter().map(|f| f.y).sum::<f64>() + notions.held(&after[vertices.clone()]);
            if *fallen > FALL && carried < CARRIED * GRAVITY * mass {
                let garment = if is_single { String::new() } else { (*name).into() };
                return Err(DrapeError::SlidOff { garment, fall: *fallen });
            }
        }
        Ok(())
    }
}
