//! Wavefront OBJ. Source: Alias|Wavefront, Advanced Visualizer manual, appendix B1.

use super::faults::{Corner, Faults, add_fan};
use super::shape::{name, normals, number, pieces, word};
use super::{ExportError, Sink};
use crate::problem::Problem;
use crate::surface::{Clip, Part, Surface};
use glam::{DVec2, DVec3};
use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

/// Group of what has no name; the word is the format's own.
const NO_GROUP: &str = "default";

pub(super) fn write(clip: &Clip, sink: &mut Sink<'_>) -> Result<(), ExportError> {
    for (k, frame) in clip.frames.iter().enumerate() {
        sink.put(&format!("{}.obj", number(k, clip.frames.len())), text(&clip.surface, &frame.positions))?;
    }
    Ok(())
}

/// The surface at rest, vertices in their order.
pub(super) fn rest_text(surface: &Surface) -> String {
    text(surface, &surface.mesh.positions)
}

fn text(surface: &Surface, positions: &[DVec3]) -> String {
    let mut out = String::from("# Toile: metres, y up; vt are material coordinates in metres\n");
    let mut line = |text: std::fmt::Arguments<'_>| {
        let _ = out.write_fmt(text); // into memory: cannot fail
        out.push('\n');
    };
    line(format_args!("o {}", word(name(surface))));
    for p in positions.iter().map(|p| p.as_vec3()) {
        line(format_args!("v {} {} {}", p.x, p.y, p.z));
    }
    for n in normals(&surface.mesh.triangles, positions) {
        line(format_args!("vn {} {} {}", n.x, n.y, n.z));
    }
    let mut places = HashMap::new();
    for m in surface.mesh.material.iter().flatten() {
        let next = places.len() + 1;
        places.entry([m.x.to_bits(), m.y.to_bits()]).or_insert_with(|| {
            line(format_args!("vt {} {}", m.x as f32, m.y as f32));
            next
        });
    }
    for (part, run) in pieces(surface) {
        line(format_args!("g {}", part.map_or(NO_GROUP.into(), word)));
        for t in run {
            let corner = |c: usize| {
                let vertex = surface.mesh.triangles[t][c] + 1;
                let place = surface.mesh.material.get(t).map(|m| places[&[m[c].x.to_bits(), m[c].y.to_bits()]]);
                place.map_or_else(|| format!("{vertex}//{vertex}"), |vt| format!("{vertex}/{vt}/{vertex}"))
            };
            line(format_args!("f {} {} {}", corner(0), corner(1), corner(2)));
        }
    }
    out
}

/// Reads vertices, faces, texture coordinates and groups; the rest of the format is passed over.
pub(super) fn read(bytes: &[u8], path: &Path) -> Result<Surface, Vec<Problem>> {
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader::new(path);
    let mut lines = text.lines().enumerate();
    let mut joined = String::new();
    while let Some((number, mut line)) = lines.next() {
        if line.trim_end().ends_with('\\') {
            // A statement goes on after a backslash at the end of its line.
            joined.clear();
            while let Some(part) = line.trim_end().strip_suffix('\\') {
                joined.push_str(part);
                joined.push(' ');
                line = lines.next().map_or("", |(_, next)| next);
            }
            joined.push_str(line);
            line = &joined;
        }
        reader.statement(number + 1, line);
        if reader.faults.full() {
            break;
        }
    }
    reader.finish()
}

struct Reader<'a> {
    faults: Faults<'a>,
    surface: Surface,
    places: Vec<DVec2>,
    /// Some face has no texture coordinates.
    bare: bool,
    /// Where groups and objects begin, by triangle.
    groups: Vec<(usize, String)>,
    objects: Vec<(usize, String)>,
    corners: Vec<Corner>,
}

impl<'a> Reader<'a> {
    fn new(path: &'a Path) -> Self {
        Self {
            faults: Faults::new(path),
            surface: Surface { colour: [0.8; 3], ..Surface::default() },
            places: Vec::new(),
            bare: false,
            groups: Vec::new(),
            objects: Vec::new(),
            corners: Vec::new(),
        }
    }

    fn statement(&mut self, number: usize, line: &str) {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace();
        let name =
            |line: &str| line.trim().split_once(char::is_whitespace).map_or("", |(_, name)| name.trim()).to_owned();
        let triangle = self.surface.mesh.triangles.len();
        match words.next() {
            Some("v") => {
                let [x, y, z] = self.numbers(number, words, 3);
                self.surface.mesh.positions.push(DVec3::new(x, y, z));
            }
            Some("vt") => {
                let [u, v, _] = self.numbers(number, words, 1);
                self.places.push(DVec2::new(u, v));
            }
            Some("f") => self.face(number, words),
            Some("g") => self.groups.push((triangle, name(line))),
            Some("o") => self.objects.push((triangle, name(line))),
            _ => {}
        }
    }

    /// Up to three finite numbers, of which some must be there.
    fn numbers<'t>(&mut self, line: usize, words: impl Iterator<Item = &'t str>, needed: usize) -> [f64; 3] {
        let mut numbers = [0.0; 3];
        let mut count = 0;
        for (slot, word) in numbers.iter_mut().zip(words) {
            match word.parse::<f64>() {
                Ok(number) if number.is_finite() => *slot = number,
                _ => self.faults.add(line, word, format!("`{word:.40}` is no finite number")),
            }
            count += 1;
        }
        if count < needed {
            self.faults.add(line, "", format!("{count} numbers where {needed} are needed"));
        }
        numbers
    }

    fn face<'t>(&mut self, line: usize, words: impl Iterator<Item = &'t str>) {
        self.corners.clear();
        for word in words {
            let mut numbers = word.split('/');
            let vertex = index(numbers.next(), self.surface.mesh.positions.len());
            let place = numbers.next().filter(|p| !p.is_empty());
            let place = place.map(|p| index(Some(p), self.places.len()).ok_or(p));
            match (vertex, place) {
                (Some(vertex), None) => self.corners.push((vertex, None)),
                (Some(vertex), Some(Ok(place))) => self.corners.push((vertex, Some(self.places[place as usize]))),
                _ => {
                    let (vertices, places) = (self.surface.mesh.positions.len(), self.places.len());
                    let message =
                        format!("corner `{word:.40}` points past the {vertices} `v` and {places} `vt` before it");
                    return self.faults.add(line, word, message);
                }
            }
        }
        if self.corners.len() < 3 {
            return self.faults.add(line, "", format!("a face of {} corners; it needs three", self.corners.len()));
        }
        self.bare |= add_fan(&mut self.surface, &self.corners);
    }

    fn finish(mut self) -> Result<Surface, Vec<Problem>> {
        if self.bare {
            self.surface.mesh.material.clear();
        }
        let named = |(_, name): &(usize, String)| !name.is_empty() && name != NO_GROUP;
        let groups = if self.groups.iter().any(named) {
            self.groups
        } else if self.objects.len() > 1 {
            self.objects.clone()
        } else {
            Vec::new()
        };
        let count = self.surface.mesh.triangles.len();
        for (i, group) in groups.iter().enumerate() {
            let end = groups.get(i + 1).map_or(count, |next| next.0);
            if named(group) && group.0 < end {
                self.surface.parts.push(Part { name: group.1.clone(), triangles: group.0..end });
            }
        }
        self.surface.name = self.objects.into_iter().next().map(|o| o.1).unwrap_or_default();
        self.faults.finish(self.surface)
    }
}

/// An index of the format, from 1 or backwards from −1, as one from 0.
fn index(word: Option<&str>, count: usize) -> Option<u32> {
    let number: i64 = word?.parse().ok()?;
    let from_zero = if number < 0 { number + count as i64 } else { number - 1 };
    usize::try_from(from_zero).ok().filter(|&i| i < count).and_then(|i| u32::try_from(i).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Surface, Vec<Problem>> {
        read(text.as_bytes(), Path::new("body.obj"))
    }

    #[test]
    fn polygons_backward_indices_and_long_lines_are_read() {
        let square = "v 0 0 0 1\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n";
        let surface =
            parse(&format!("{square}g front\nf -4/1 -3/2 \\\n -2/3 \\\n -1/4 # a quad\ng\nf 1/1 3/3 4/4\n")).unwrap();
        assert_eq!(surface.mesh.triangles, [[0, 1, 2], [0, 2, 3], [0, 2, 3]]);
        assert_eq!(surface.mesh.material[1], [DVec2::ZERO, DVec2::ONE, DVec2::Y]);
        assert_eq!(surface.parts, [Part { name: "front".into(), triangles: 0..2 }]);
        assert_eq!(surface.name, "body");
        // One corner without a place in the texture: none has.
        assert!(parse(&format!("{square}f 1/1 2/2 3/3\nf 1 2 3")).unwrap().mesh.material.is_empty());
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let problems =
            parse("v 0 0 0\nv 1 nan 0\nv 1 1\nf 1 2 3\nf 1 2 9\nf 1 2\nf 0 1 2\nf 1//1 2//2 3/7\n").unwrap_err();
        let lines: Vec<usize> = problems.iter().map(|p| p.line).collect();
        assert_eq!(lines, [2, 3, 5, 6, 7, 8], "{problems:?}");
        assert!(problems[2].to_string().contains("body.obj:5"), "{}", problems[2]);
        assert!(parse("").unwrap_err()[0].message.contains("no faces"));
    }
}
