//! Reading: text and both byte orders, any properties, of which positions, faces and texture coordinates are kept.

use crate::formats::bytes::Bytes;
use crate::formats::faults::{Corner, Faults, add_fan};
use crate::problem::Problem;
use crate::surface::Surface;
use glam::{DVec2, DVec3};
use std::path::Path;

/// Reads a surface.
pub(in crate::formats) fn read(bytes: &[u8], path: &Path) -> Result<Surface, Vec<Problem>> {
    let mut faults = Faults::new(path);
    let mut surface = Surface { colour: [0.8; 3], ..Surface::default() };
    if let Err((line, message)) = parse(bytes, &mut surface) {
        faults.add(line, "", message);
    }
    faults.finish(surface)
}

/// A line (0 in numbers that are not text) and what is wrong there.
type Fault = (usize, String);

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Kind {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

struct Property {
    name: String,
    /// Kind of the count of a list.
    list: Option<Kind>,
    kind: Kind,
}

struct Element {
    name: String,
    count: usize,
    line: usize,
    properties: Vec<Property>,
}

enum Body<'a> {
    Text { words: std::vec::IntoIter<(usize, &'a str)>, line: usize },
    Binary(Bytes<'a>),
}

impl Body<'_> {
    /// An upper bound of the numbers left.
    fn left(&self) -> usize {
        match self {
            Self::Text { words, .. } => words.len(),
            Self::Binary(bytes) => bytes.left(),
        }
    }

    fn line(&self) -> usize {
        if let Self::Text { line, .. } = self { *line } else { 0 }
    }

    fn number(&mut self, kind: Kind) -> Result<f64, Fault> {
        match self {
            Self::Text { words, line } => {
                let (at, word) = words.next().ok_or((*line, "the file ends too early".to_owned()))?;
                *line = at;
                word.parse().map_err(|_| (at, format!("`{word:.40}` is no number")))
            }
            Self::Binary(b) => {
                let number = match kind {
                    Kind::I8 => b.i8().map(f64::from),
                    Kind::U8 => b.u8().map(f64::from),
                    Kind::I16 => b.i16().map(f64::from),
                    Kind::U16 => b.u16().map(f64::from),
                    Kind::I32 => b.i32().map(f64::from),
                    Kind::U32 => b.u32().map(f64::from),
                    Kind::F32 => b.f32().map(f64::from),
                    Kind::F64 => b.f64(),
                };
                number.map_err(|e| (0, e.into()))
            }
        }
    }

    /// A list: its length must fit into what is left.
    fn list(&mut self, count: Kind, kind: Kind, out: &mut Vec<f64>) -> Result<(), Fault> {
        out.clear();
        let length = self.number(count)?;
        if !(length >= 0.0 && length <= self.left() as f64) {
            return Err((self.line(), format!("a list of {length} numbers, more than the file holds")));
        }
        for _ in 0..length as usize {
            out.push(self.number(kind)?);
        }
        Ok(())
    }
}

fn parse(bytes: &[u8], surface: &mut Surface) -> Result<(), Fault> {
    let (elements, mut body) = header(bytes)?;
    let (mut places, mut bare) = (Vec::new(), false);
    for element in &elements {
        // Every number takes a byte or a word at least: counts beyond that are mistakes.
        let text = matches!(body, Body::Text { .. });
        let size = |p: &Property| if text { 1 } else { p.list.unwrap_or(p.kind).size() };
        let row: usize = element.properties.iter().map(size).sum();
        if row == 0 {
            continue;
        }
        if element.count > body.left() / row {
            let message = format!("{} rows of `{}` are more than the file holds", element.count, element.name);
            return Err((element.line, message));
        }
        match element.name.as_str() {
            "vertex" => places = vertices(element, &mut body, surface)?,
            "face" => bare |= faces(element, &mut body, surface, &places)?,
            _ => {
                let mut list = Vec::new();
                for _ in 0..element.count {
                    pass(&element.properties, &mut body, &mut list)?;
                }
            }
        }
    }
    if bare {
        surface.mesh.material.clear();
    }
    Ok(())
}

fn pass(properties: &[Property], body: &mut Body<'_>, list: &mut Vec<f64>) -> Result<(), Fault> {
    for property in properties {
        match property.list {
            Some(count) => body.list(count, property.kind, list)?,
            None => drop(body.number(property.kind)?),
        }
    }
    Ok(())
}

/// Positions; returns texture coordinates of vertices if they have them.
fn vertices(element: &Element, body: &mut Body<'_>, surface: &mut Surface) -> Result<Vec<DVec2>, Fault> {
    let find =
        |names: &[&str]| element.properties.iter().position(|p| p.list.is_none() && names.contains(&p.name.as_str()));
    let (Some(x), Some(y), Some(z)) = (find(&["x"]), find(&["y"]), find(&["z"])) else {
        return Err((element.line, "the vertices have no x, y and z".into()));
    };
    let u = find(&["s", "u", "texture_u", "texture_s"]);
    let v = find(&["t", "v", "texture_v", "texture_t"]);
    let mut places = Vec::new();
    let (mut row, mut list) = (vec![0.0; element.properties.len()], Vec::new());
    for vertex in 0..element.count {
        for (slot, property) in row.iter_mut().zip(&element.properties) {
            match property.list {
                Some(count) => body.list(count, property.kind, &mut list)?,
                None => *slot = body.number(property.kind)?,
            }
        }
        let position = DVec3::new(row[x], row[y], row[z]);
        let place = u.zip(v).map(|(u, v)| DVec2::new(row[u], row[v]));
        if !position.is_finite() || place.is_some_and(|p| !p.is_finite()) {
            return Err((body.line(), format!("vertex {vertex} is not finite")));
        }
        surface.mesh.positions.push(position);
        places.extend(place);
    }
    Ok(places)
}

/// Triangles; returns whether some have no texture coordinates.
fn faces(element: &Element, body: &mut Body<'_>, surface: &mut Surface, places: &[DVec2]) -> Result<bool, Fault> {
    let find =
        |names: &[&str]| element.properties.iter().position(|p| p.list.is_some() && names.contains(&p.name.as_str()));
    let Some(indices) = find(&["vertex_indices", "vertex_index"]) else {
        return Err((element.line, "the faces have no vertex_indices".into()));
    };
    let texture = find(&["texcoord"]);
    let count = surface.mesh.positions.len();
    let (mut bare, mut lists) = (false, vec![Vec::new(); element.properties.len()]);
    let mut corners: Vec<Corner> = Vec::new();
    for face in 0..element.count {
        for (list, property) in lists.iter_mut().zip(&element.properties) {
            match property.list {
                Some(count) => body.list(count, property.kind, list)?,
                None => drop(body.number(property.kind)?),
            }
        }
        corners.clear();
        for (c, &index) in lists[indices].iter().enumerate() {
            if !(index >= 0.0 && index < count as f64) || index.fract() != 0.0 {
                return Err((body.line(), format!("face {face} uses vertex {index}, but there are {count}")));
            }
            let own = texture.and_then(|t| lists[t].get(2 * c..2 * c + 2)).map(|p| DVec2::new(p[0], p[1]));
            let place = own.or_else(|| places.get(index as usize).copied());
            if place.is_some_and(|p| !p.is_finite()) {
                return Err((body.line(), format!("texture coordinates of face {face} are not finite")));
            }
            corners.push((index as u32, place));
        }
        bare |= add_fan(surface, &corners);
    }
    Ok(bare)
}

/// The elements, and the numbers that follow.
fn header(bytes: &[u8]) -> Result<(Vec<Element>, Body<'_>), Fault> {
    let (mut elements, mut format): (Vec<Element>, _) = (Vec::new(), None);
    let (mut at, mut number) = (0, 0);
    loop {
        let rest = bytes.get(at..).filter(|r| !r.is_empty()).ok_or((number, "the header has no end".to_owned()))?;
        let end = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        number += 1;
        at += end + 1;
        let line = std::str::from_utf8(&rest[..end]).map_err(|_| (number, "the header is no text".to_owned()))?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let fail = |message: String| Err((number, message));
        match words.as_slice() {
            ["ply"] if number == 1 => {}
            _ if number == 1 => return fail("it does not begin with `ply`".into()),
            [] | ["comment" | "obj_info", ..] => {}
            ["format", kind, "1.0"] => format = Some(*kind),
            ["element", name, count] => {
                let Ok(count) = count.parse() else { return fail(format!("`{count:.40}` is no count")) };
                elements.push(Element { name: (*name).into(), count, line: number, properties: Vec::new() });
            }
            ["property", description @ .., name] => {
                let (list, kind) = match description {
                    ["list", count, kind] => (Some(Kind::named(count)), Kind::named(kind)),
                    [kind] => (None, Kind::named(kind)),
                    _ => return fail(format!("`{line:.60}` is not understood")),
                };
                let (Some(kind), false, Some(element)) = (kind, list == Some(None), elements.last_mut()) else {
                    return fail(format!("`{line:.60}` is of no known kind, or of no element"));
                };
                element.properties.push(Property { name: (*name).into(), list: list.flatten(), kind });
            }
            ["end_header"] => break,
            _ => return fail(format!("`{line:.60}` is not understood")),
        }
    }
    let body = body(format.unwrap_or_default(), bytes.get(at..).unwrap_or_default(), number)?;
    Ok((elements, body))
}

/// The numbers after the header, which ends on line `header`.
fn body<'a>(format: &str, rest: &'a [u8], header: usize) -> Result<Body<'a>, Fault> {
    match format {
        "binary_little_endian" => Ok(Body::Binary(Bytes::little(rest))),
        "binary_big_endian" => Ok(Body::Binary(Bytes::ordered(rest, true))),
        "ascii" => {
            let text = std::str::from_utf8(rest).map_err(|_| (header + 1, "the numbers are no text".to_owned()))?;
            let lines = text.lines().enumerate();
            let words: Vec<_> =
                lines.flat_map(|(i, l)| l.split_whitespace().map(move |w| (header + 1 + i, w))).collect();
            Ok(Body::Text { words: words.into_iter(), line: header })
        }
        _ => Err((header, "its format is not ascii, binary_little_endian or binary_big_endian 1.0".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty double y\nproperty float z\n\
        property float s\nproperty float t\nelement face 1\nproperty list uchar int vertex_index\nend_header\n";

    fn parse(text: &str) -> Result<Surface, Vec<Problem>> {
        read(text.as_bytes(), Path::new("scan.ply"))
    }

    #[test]
    fn text_with_vertex_texture_is_read() {
        let surface = parse(&format!("{HEAD}0 0 0 0 0\n1 0 0 .5 0\n1 1 0 .5 .5\n0 1 0 0 .5\n4 0 1 2 3\n")).unwrap();
        assert_eq!(surface.mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(surface.mesh.material[0][2], DVec2::splat(0.5));
        assert_eq!(surface.name, "scan");
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let line = |text: &str| parse(text).unwrap_err()[0].line;
        assert_eq!(line(&format!("{HEAD}0 0 0 0 0\n1 0 zero 0 0\n1 1 0 0 0\n0 1 0 0 0\n3 0 1 2")), 13);
        assert_eq!(line(&format!("{HEAD}0 0 0 0 0\n1 0 0 0 0\n1 1 0 0 0\n0 1 0 0 0\n3 0 1 7")), 16);
        assert_eq!(line(&HEAD.replace("vertex 4", "vertex 4000000000000")), 3);
        assert_eq!(line(&HEAD.replace("double", "quad")), 5);
        assert_eq!(line("plyx\n"), 1);
    }
}
