//! The table of a bending model: elements whose curvature is a linear function of hinge angles.
//!
//! κ = Σ_f C_f θ_f − κ₀ per element, energy A w(κ); and creases, ½ K (θ − θ̄)² on a hinge itself. Models are builders of
//! tables; everything else reads them.

use super::Input;
use super::angle::Hinge;
use super::patch::Patch;

/// Weight of one hinge in an element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub(super) hinge: u32,
    /// C (1/m per rad).
    pub(super) c: [f64; 3],
}

/// A crease: moment K (θ − θ̄) on a hinge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spring {
    pub(super) hinge: u32,
    /// K (N·m per rad).
    pub(super) stiffness: f64,
    /// θ̄ (rad).
    pub(super) rest: f64,
}

/// Elements over hinges.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    pub(super) hinges: Vec<Hinge>,
    /// Area of each element (m²).
    pub(super) areas: Vec<f64>,
    /// κ₀ of each element (1/m).
    pub(super) rest: Vec<[f64; 3]>,
    /// Start of each element in `columns`; one longer than the elements.
    starts: Vec<u32>,
    columns: Vec<Column>,
    pub(super) springs: Vec<Spring>,
}

impl Table {
    /// A table without elements over the hinges of a sheet, with its creases.
    pub(super) fn new(input: &Input, patch: &Patch) -> Self {
        let spring = |crease: &super::Crease| {
            let edge = crease.edge as usize;
            let hinge = patch.hinge_of[edge];
            let length = patch.hinges[hinge as usize].length;
            // In series with the fabric that the two triangles stand for: the moment of both is the same.
            let rigidity = patch.mean_factor(edge) * patch.rigidity(edge);
            let fabric = patch.areas(edge).iter().sum::<f64>() / (length * rigidity);
            let stiffness = if crease.stiffness == 0.0 { 0.0 } else { length / (1.0 / crease.stiffness + fabric) };
            Spring { hinge, stiffness, rest: crease.rest_angle }
        };
        let is_own =
            |crease: &&super::Crease| input.owns(input.topology.edges[crease.edge as usize].triangles[0] as usize);
        let springs = input.creases.iter().filter(is_own).map(spring).collect();
        Self { hinges: patch.hinges.clone(), springs, starts: vec![0], ..Self::default() }
    }

    /// The creases alone, with no other hinge.
    pub(super) fn creases_alone(self) -> Self {
        let hinges = self.springs.iter().map(|s| self.hinges[s.hinge as usize]).collect();
        let springs = (0..).zip(&self.springs).map(|(hinge, s)| Spring { hinge, ..*s }).collect();
        Self { hinges, springs, starts: vec![0], ..Self::default() }
    }

    /// Adds an element; columns of the same hinge are added up, empty ones left out.
    pub(super) fn push(&mut self, area: f64, columns: impl IntoIterator<Item = Column>, rest: [f64; 3]) {
        let start = self.columns.len();
        for column in columns {
            match self.columns[start..].iter_mut().find(|c| c.hinge == column.hinge) {
                Some(known) => known.c = std::array::from_fn(|k| known.c[k] + column.c[k]),
                None => self.columns.push(column),
            }
        }
        let size = |c: &Column| c.c.iter().fold(0.0f64, |a, x| a.max(x.abs()));
        let largest = self.columns[start..].iter().map(size).fold(0.0, f64::max);
        let mut kept = self.columns.split_off(start);
        kept.retain(|c| size(c) > 1e-13 * largest);
        kept.sort_by_key(|c| c.hinge);
        self.columns.extend(kept);
        self.starts.push(self.columns.len() as u32);
        self.areas.push(area);
        self.rest.push(rest);
    }

    pub(super) fn len(&self) -> usize {
        self.areas.len()
    }

    #[inline(always)]
    pub(super) fn columns(&self, element: usize) -> &[Column] {
        &self.columns[self.range(element)]
    }

    /// Positions of an element's columns in the list of all.
    #[inline(always)]
    pub(super) fn range(&self, element: usize) -> std::ops::Range<usize> {
        self.starts[element] as usize..self.starts[element + 1] as usize
    }

    pub(super) fn column_count(&self) -> usize {
        self.columns.len()
    }

    /// Nodes of an element, ascending.
    pub(super) fn nodes(&self, element: usize) -> Vec<u32> {
        let mut nodes: Vec<u32> =
            self.columns(element).iter().flat_map(|c| self.hinges[c.hinge as usize].nodes()).copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// One more than the largest node number.
    pub(super) fn node_count(&self) -> usize {
        self.hinges.iter().flat_map(|h| h.nodes()).map(|&n| n as usize + 1).max().unwrap_or(0)
    }

    /// For each hinge the (element, C) that use it, as starts and entries.
    pub(super) fn users(&self) -> (Vec<u32>, Vec<(u32, [f64; 3])>) {
        let mut starts = vec![0u32; self.hinges.len() + 1];
        for column in &self.columns {
            starts[column.hinge as usize + 1] += 1;
        }
        for i in 0..self.hinges.len() {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut entries = vec![(0, [0.0; 3]); self.columns.len()];
        for element in 0..self.len() {
            for column in self.columns(element) {
                let place = &mut next[column.hinge as usize];
                entries[*place as usize] = (element as u32, column.c);
                *place += 1;
            }
        }
        (starts, entries)
    }
}
