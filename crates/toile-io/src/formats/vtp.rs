//! VTK poly data for ParaView. Source: VTK file formats, "XML File Formats" (PolyData, appended raw data, header UInt64).
//!
//! One `.vtp` a frame and a `.pvd` that gives their times.

use super::shape::{normals, number, pieces};
use super::{ExportError, Sink};
use crate::surface::{Clip, Frame, On};
use std::fmt::Write;

pub(super) fn write(clip: &Clip, sink: &mut Sink<'_>) -> Result<(), ExportError> {
    let count = clip.frames.len();
    let mut index = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n<Collection>\n",
    );
    for (k, frame) in clip.frames.iter().enumerate() {
        let suffix = format!("{}.vtp", number(k, count));
        sink.put(&suffix, file(clip, frame))?;
        let (time, name) = (frame.time, escaped(&format!("{}{suffix}", sink.stem)));
        index.push_str(&format!("<DataSet timestep=\"{time}\" group=\"\" part=\"0\" file=\"{name}\"/>\n"));
    }
    index.push_str("</Collection>\n</VTKFile>\n");
    sink.put(".pvd", index)
}

/// One frame.
fn file(clip: &Clip, frame: &Frame) -> Vec<u8> {
    let mesh = &clip.surface.mesh;
    let (vertices, triangles) = (mesh.positions.len(), mesh.triangles.len());
    let mut out = File::default();
    out.line("<?xml version=\"1.0\"?>");
    out.line(
        "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>",
    );
    out.line("<FieldData>");
    out.array("Float64", "TimeValue", "NumberOfTuples=\"1\"", frame.time.to_le_bytes());
    out.line("</FieldData>");
    let counts = "NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\"";
    out.line(&format!("<Piece NumberOfPoints=\"{vertices}\" {counts} NumberOfPolys=\"{triangles}\">"));
    out.line("<Points>");
    let points = frame.positions.iter().flat_map(|p| p.as_vec3().to_array()).flat_map(f32::to_le_bytes);
    out.array("Float32", "Points", "NumberOfComponents=\"3\"", points);
    out.line("</Points>\n<Polys>");
    out.array("Int32", "connectivity", "", mesh.triangles.iter().flatten().flat_map(|i| i.to_le_bytes()));
    out.array("Int32", "offsets", "", (1..=triangles as u32).flat_map(|t| (3 * t).to_le_bytes()));
    out.line("</Polys>\n<PointData Normals=\"normal\">");
    let directions = normals(&mesh.triangles, &frame.positions);
    let directions = directions.iter().flat_map(|n| n.to_array()).flat_map(f32::to_le_bytes);
    out.array("Float32", "normal", "NumberOfComponents=\"3\"", directions);
    out.fields(frame, On::Vertices);
    out.line("</PointData>\n<CellData>");
    if !mesh.material.is_empty() {
        let corners = mesh.material.iter().flatten().flat_map(|m| [m.x as f32, m.y as f32]).flat_map(f32::to_le_bytes);
        out.array("Float32", "material", "NumberOfComponents=\"6\"", corners);
    }
    out.array("Int32", "part", "", parts(clip).into_iter().flat_map(i32::to_le_bytes));
    out.fields(frame, On::Triangles);
    out.line("</CellData>\n</Piece>\n</PolyData>");
    out.finish()
}

/// The number of the part of every triangle, −1 for none.
fn parts(clip: &Clip) -> Vec<i32> {
    let mut named = 0;
    let runs = pieces(&clip.surface).into_iter().map(|(name, run)| {
        let part = if name.is_some() { named } else { -1 };
        named += i32::from(name.is_some());
        (part, run.len())
    });
    runs.flat_map(|(part, count)| std::iter::repeat_n(part, count)).collect()
}

/// XML that refers to numbers appended to it.
#[derive(Default)]
struct File {
    head: String,
    numbers: Vec<u8>,
}

impl File {
    fn line(&mut self, line: &str) {
        self.head.push_str(line);
        self.head.push('\n');
    }

    fn array(&mut self, kind: &str, name: &str, more: &str, bytes: impl IntoIterator<Item = u8>) {
        let (name, offset) = (escaped(name), self.numbers.len());
        let description = format!("<DataArray type=\"{kind}\" Name=\"{name}\" {more} format=\"appended\"");
        let _ = writeln!(self.head, "{description} offset=\"{offset}\"/>"); // into memory: cannot fail
        self.numbers.extend([0; 8]);
        self.numbers.extend(bytes);
        let size = (self.numbers.len() - offset - 8) as u64;
        self.numbers[offset..offset + 8].copy_from_slice(&size.to_le_bytes());
    }

    fn fields(&mut self, frame: &Frame, on: On) {
        for field in frame.fields.iter().filter(|f| f.on == on) {
            self.array("Float32", &field.name, "", field.values.iter().flat_map(|v| v.to_le_bytes()));
        }
    }

    fn finish(mut self) -> Vec<u8> {
        self.line("<AppendedData encoding=\"raw\">");
        let mut out = self.head.into_bytes();
        out.push(b'_');
        out.append(&mut self.numbers);
        out.extend(b"\n</AppendedData>\n</VTKFile>\n");
        out
    }
}

fn escaped(text: &str) -> String {
    let plain: String = text.chars().filter(|c| !c.is_control()).collect();
    plain.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
