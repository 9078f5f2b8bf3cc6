//! What an element remembers: the base strain of its rate, if it is viscous, then the rest strains of its branches.

use crate::fabric::Material;
use crate::law::Response;
use crate::memory::{Branches, MemoryError};

/// Layout of the memory of a block, the same for every element.
pub(super) struct History {
    viscous: bool,
    branches: Branches,
}

impl History {
    pub(super) fn new(material: &Material) -> Result<Self, MemoryError> {
        Ok(Self { viscous: material.viscous.is_some(), branches: Branches::new(&material.memory)? })
    }

    pub(super) fn has_branches(&self) -> bool {
        !self.branches.is_empty()
    }

    fn per_element(&self) -> usize {
        self.rest_strains() + self.branches.len()
    }

    fn rest_strains(&self) -> usize {
        if self.viscous { 3 } else { 0 }
    }

    pub(super) fn len(&self, elements: usize) -> usize {
        self.per_element() * elements
    }

    fn of<'a>(&self, memory: &'a [f64], element: usize) -> &'a [f64] {
        &memory[element * self.per_element() + self.rest_strains()..(element + 1) * self.per_element()]
    }

    /// ε̂, the strain that rates are measured from.
    #[inline(always)]
    pub(super) fn base(&self, memory: &[f64], element: usize) -> [f64; 3] {
        if !self.viscous {
            return [0.0; 3];
        }
        let start = element * self.per_element();
        [memory[start], memory[start + 1], memory[start + 2]]
    }

    pub(super) fn set_base(&self, memory: &mut [f64], element: usize, strain: [f64; 3]) {
        let start = element * self.per_element();
        memory[start..start + 3].copy_from_slice(&strain);
    }

    pub(super) fn respond(&self, memory: &[f64], element: usize, strain: [f64; 3], elapsed: f64) -> Response<f64> {
        self.branches.respond(strain, elapsed, self.of(memory, element))
    }

    pub(super) fn stored(&self, memory: &[f64], element: usize, strain: [f64; 3], elapsed: f64) -> f64 {
        self.branches.stored(strain, elapsed, self.of(memory, element))
    }

    pub(super) fn potential(&self, memory: &[f64], element: usize, strain: [f64; 3], elapsed: f64) -> f64 {
        self.branches.potential(strain, elapsed, self.of(memory, element))
    }

    pub(super) fn commit(&self, memory: &mut [f64], element: usize, strain: [f64; 3], elapsed: f64) -> f64 {
        let (start, end) = (element * self.per_element() + self.rest_strains(), (element + 1) * self.per_element());
        self.branches.commit(strain, elapsed, &mut memory[start..end])
    }
}
