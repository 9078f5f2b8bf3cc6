//! Problems gathered while a file is read.

use crate::problem::Problem;
use crate::surface::Surface;
use glam::DVec2;
use std::path::Path;

/// Problems reported before a reader gives up: the rest are of the same kind.
const LIMIT: usize = 50;

/// What is wrong so far.
pub(super) struct Faults<'a> {
    path: &'a Path,
    list: Vec<Problem>,
}

impl<'a> Faults<'a> {
    pub(super) fn new(path: &'a Path) -> Self {
        Self { path, list: Vec::new() }
    }

    /// Adds an error on a line (from 1; 0 is the whole file), with the text that caused it.
    pub(super) fn add(&mut self, line: usize, value: &str, message: impl Into<String>) {
        let problem = Problem::error(self.path, (line, usize::from(line > 0)), "", message);
        self.list.push(if value.is_empty() { problem } else { problem.with_value(value) });
    }

    /// Whether enough has been said.
    pub(super) fn full(&self) -> bool {
        self.list.len() >= LIMIT
    }

    /// The surface if nothing is wrong and there is something of it.
    pub(super) fn finish(mut self, mut surface: Surface) -> Result<Surface, Vec<Problem>> {
        if self.list.is_empty() && surface.mesh.triangles.is_empty() {
            self.add(0, "", "it has no faces");
        }
        if surface.name.is_empty() {
            surface.name = self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        }
        if self.list.is_empty() { Ok(surface) } else { Err(self.list) }
    }
}

/// A corner of a polygon: its vertex, and its place in the texture if it has one.
pub(super) type Corner = (u32, Option<DVec2>);

/// Adds a polygon as a fan of triangles, without those that use a vertex twice. Returns whether it used vertices without
/// texture coordinates.
pub(super) fn add_fan(surface: &mut Surface, corners: &[Corner]) -> bool {
    let mut bare = false;
    for pair in corners.get(1..).unwrap_or_default().windows(2) {
        let fan = [corners[0], pair[0], pair[1]];
        let vertices = fan.map(|c| c.0);
        if vertices[0] == vertices[1] || vertices[1] == vertices[2] || vertices[2] == vertices[0] {
            continue;
        }
        surface.mesh.triangles.push(vertices);
        surface.mesh.material.push(fan.map(|c| c.1.unwrap_or_default()));
        bare |= fan.iter().any(|c| c.1.is_none());
    }
    bare
}
