//! USD in text. Source: OpenUSD, UsdGeom schemas (Mesh, GeomSubset, Primvars) and the usda grammar.
//!
//! One mesh, points and extent sampled in time, panels as face subsets, fields as primvars, texture coordinates as `st`.

use super::shape::{bounds, even_step, identifier, name};
use super::{ExportError, Sink};
use crate::surface::{Clip, Frame, On, Surface};
use glam::Vec3;
use std::fmt::{Display, Write};

pub(super) fn write(clip: &Clip, sink: &mut Sink<'_>) -> Result<(), ExportError> {
    sink.put(".usda", text(clip))
}

/// Time codes a second, and the code of every frame. Even steps get whole numbers; others count milliseconds.
fn time_codes(frames: &[Frame]) -> (f64, Vec<f64>) {
    let per_second = match even_step(frames) {
        Some(step) => whole_if_close(1.0 / step),
        None if frames.len() == 1 => 24.0,
        None => 1000.0,
    };
    (per_second, frames.iter().map(|f| whole_if_close(f.time * per_second)).collect())
}

/// A step of 1/24 s, added up, is not quite 1/24 s.
fn whole_if_close(number: f64) -> f64 {
    if (number - number.round()).abs() <= 1e-4 { number.round() } else { number }
}

fn text(clip: &Clip) -> String {
    let surface = &clip.surface;
    let (per_second, codes) = time_codes(&clip.frames);
    let root = identifier(name(surface), &[]);
    let mut out = Out::default();
    out.line("#usda 1.0");
    out.line("(");
    out.depth = 1;
    out.line(format!("defaultPrim = \"{root}\""));
    out.line("metersPerUnit = 1");
    out.line("upAxis = \"Y\"");
    out.line(format!("startTimeCode = {}", codes[0]));
    out.line(format!("endTimeCode = {}", codes[codes.len() - 1]));
    out.line(format!("timeCodesPerSecond = {per_second}"));
    out.line(format!("framesPerSecond = {per_second}"));
    out.depth = 0;
    out.line(")");
    out.line("");
    out.line(format!("def Xform \"{root}\" ("));
    out.line("    kind = \"component\"");
    out.line(")");
    out.block(|out| {
        out.line("def Mesh \"surface\"");
        out.block(|out| mesh(out, clip, &codes));
    });
    out.text
}

fn mesh(out: &mut Out, clip: &Clip, codes: &[f64]) {
    let surface = &clip.surface;
    let triangles = &surface.mesh.triangles;
    out.line("uniform token orientation = \"rightHanded\"");
    out.line("uniform token subdivisionScheme = \"none\"");
    out.line("uniform bool doubleSided = 1");
    out.line(format!("int[] faceVertexCounts = {}", list(triangles.iter().map(|_| 3))));
    out.line(format!("int[] faceVertexIndices = {}", list(triangles.iter().flatten())));
    let points = |f: &Frame| f.positions.iter().map(|p| p.as_vec3()).collect::<Vec<_>>();
    samples(out, "float3[] extent", codes, clip, |f| list(bounds(points(f)).map(tuple)));
    samples(out, "point3f[] points", codes, clip, |f| list(points(f).into_iter().map(tuple)));
    let [r, g, b] = surface.colour.map(super::shape::linear);
    out.line(format!("color3f[] primvars:displayColor = [({r}, {g}, {b})]"));
    if !surface.mesh.material.is_empty() {
        let st = list(surface.mesh.material.iter().flatten().map(|m| format!("({}, {})", m.x as f32, m.y as f32)));
        out.line(format!("texCoord2f[] primvars:st = {st} ("));
        out.line("    interpolation = \"faceVarying\"");
        out.line(")");
    }
    fields(out, clip, codes);
    subsets(out, surface);
}

fn fields(out: &mut Out, clip: &Clip, codes: &[f64]) {
    let mut taken = vec!["st".to_owned(), "displayColor".to_owned()];
    for (i, field) in clip.frames[0].fields.iter().enumerate() {
        let word = identifier(&field.name, &taken);
        let declared = format!("float[] primvars:{word}");
        out.line(format!("{declared} ("));
        out.line(format!("    customData = {{ string unit = {} }}", quoted(&field.unit)));
        let interpolation = if field.on == On::Vertices { "vertex" } else { "uniform" };
        out.line(format!("    interpolation = \"{interpolation}\""));
        out.line(")");
        samples(out, &declared, codes, clip, |f| list(f.fields[i].values.iter()));
        taken.push(word);
    }
}

fn subsets(out: &mut Out, surface: &Surface) {
    if surface.parts.is_empty() {
        return;
    }
    out.line("uniform token subsetFamily:panels:familyType = \"nonOverlapping\"");
    let mut taken = Vec::new();
    for part in &surface.parts {
        let word = identifier(&part.name, &taken);
        out.line(format!("def GeomSubset \"{word}\""));
        out.block(|out| {
            out.line("uniform token elementType = \"face\"");
            out.line("uniform token familyName = \"panels\"");
            out.line(format!("int[] indices = {}", list(part.triangles.clone())));
        });
        taken.push(word);
    }
}

/// An attribute with one value per frame; a single frame is its default.
fn samples(out: &mut Out, attribute: &str, codes: &[f64], clip: &Clip, value: impl Fn(&Frame) -> String) {
    if let [frame] = clip.frames.as_slice() {
        out.line(format!("{attribute} = {}", value(frame)));
        return;
    }
    out.line(format!("{attribute}.timeSamples = {{"));
    for (code, frame) in codes.iter().zip(&clip.frames) {
        out.line(format!("    {code}: {},", value(frame)));
    }
    out.line("}");
}

fn tuple(v: Vec3) -> String {
    format!("({}, {}, {})", v.x, v.y, v.z)
}

fn list<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    let mut out = String::from("[");
    for (i, item) in items.into_iter().enumerate() {
        let separator = if i == 0 { "" } else { ", " };
        let _ = write!(out, "{separator}{item}"); // into memory: cannot fail
    }
    out.push(']');
    out
}

fn quoted(text: &str) -> String {
    let plain: String = text.chars().filter(|c| !c.is_control()).collect();
    format!("\"{}\"", plain.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Text with indentation.
#[derive(Default)]
struct Out {
    text: String,
    depth: usize,
}

impl Out {
    fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        if !line.is_empty() {
            self.text.extend(std::iter::repeat_n("    ", self.depth));
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn block(&mut self, inside: impl FnOnce(&mut Self)) {
        self.line("{");
        self.depth += 1;
        inside(self);
        self.depth -= 1;
        self.line("}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(times: &[f64]) -> Vec<Frame> {
        times.iter().map(|&time| Frame { time, ..Frame::default() }).collect()
    }

    #[test]
    fn time_codes_are_whole_for_even_steps() {
        assert_eq!(time_codes(&at(&[0.5, 0.5 + 1.0 / 24.0, 0.5 + 2.0 / 24.0])), (24.0, vec![12.0, 13.0, 14.0]));
        assert_eq!(time_codes(&at(&[0.0, 0.04, 0.1])), (1000.0, vec![0.0, 40.0, 100.0]));
        assert_eq!(time_codes(&at(&[2.0])), (24.0, vec![48.0]));
    }
}
