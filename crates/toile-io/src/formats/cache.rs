//! Point caches: positions over time for a mesh that another file holds, here the OBJ beside them.
//!
//! PC2 (little-endian): `POINTCACHE2\0`, version 1, points, first frame, frames per sample, samples, then x y z as `f32`.
//! MDD (big-endian): frames, points, times (s) as `f32`, then x y z as `f32`.

use super::bytes::Bytes;
use super::shape::even_step;
use super::{ExportError, Sink, obj, read_file};
use crate::problem::Problem;
use crate::surface::{Clip, Frame, Surface};
use glam::{DVec3, Vec3};
use std::path::Path;
use toile_core::mesh::Mesh;

const PC2_MAGIC: &[u8; 12] = b"POINTCACHE2\0";
/// PC2 counts in frames and does not say how long one is; programs that open it mostly play 24 a second.
const FRAMES_PER_SECOND: f64 = 24.0;

pub(super) fn write_pc2(clip: &Clip, sink: &mut Sink<'_>) -> Result<(), ExportError> {
    let step = match even_step(&clip.frames) {
        None if clip.frames.len() > 1 => {
            return Err(ExportError::Limit {
                message: "PC2 needs frames at even steps, and these are not".into(),
                advice: "export mdd, which keeps the time of every frame".into(),
            });
        }
        step => step.unwrap_or(1.0 / FRAMES_PER_SECOND),
    };
    let mut out = PC2_MAGIC.to_vec();
    out.extend(1u32.to_le_bytes());
    out.extend(count(clip.surface.mesh.positions.len())?.to_le_bytes());
    out.extend(((clip.frames[0].time * FRAMES_PER_SECOND) as f32).to_le_bytes());
    out.extend(((step * FRAMES_PER_SECOND) as f32).to_le_bytes());
    out.extend(count(clip.frames.len())?.to_le_bytes());
    out.extend(points(clip).flat_map(|p| p.to_array()).flat_map(f32::to_le_bytes));
    sink.put(".obj", obj::rest_text(&clip.surface))?;
    sink.put(".pc2", out)
}

pub(super) fn write_mdd(clip: &Clip, sink: &mut Sink<'_>) -> Result<(), ExportError> {
    let mut out = count(clip.frames.len())?.to_be_bytes().to_vec();
    out.extend(count(clip.surface.mesh.positions.len())?.to_be_bytes());
    out.extend(clip.frames.iter().flat_map(|f| (f.time as f32).to_be_bytes()));
    out.extend(points(clip).flat_map(|p| p.to_array()).flat_map(f32::to_be_bytes));
    sink.put(".obj", obj::rest_text(&clip.surface))?;
    sink.put(".mdd", out)
}

fn points(clip: &Clip) -> impl Iterator<Item = Vec3> {
    clip.frames.iter().flat_map(|f| f.positions.iter().map(|p| p.as_vec3()))
}

fn count(number: usize) -> Result<i32, ExportError> {
    i32::try_from(number).map_err(|_| ExportError::Limit {
        message: format!("{number} vertices or frames are more than a point cache counts"),
        advice: "export fewer".into(),
    })
}

/// Times and positions of a cache.
pub(super) struct Cache {
    times: Vec<f64>,
    points: usize,
    positions: Vec<DVec3>,
}

/// Reads a cache with its mesh.
pub(super) fn read(bytes: &[u8], path: &Path, parse: fn(&[u8]) -> Result<Cache, String>) -> Result<Clip, Vec<Problem>> {
    let fail = |message: String| vec![Problem::error(path, (0, 0), "", message)];
    let cache = parse(bytes).map_err(fail)?;
    let frames = cache.times.iter().zip(cache.positions.chunks_exact(cache.points));
    let frames: Vec<Frame> =
        frames.map(|(&time, p)| Frame { time, positions: p.to_vec(), fields: Vec::new() }).collect();
    let beside = path.with_extension("obj");
    let surface = if beside.is_file() {
        let surface = obj::read(&read_file(&beside)?, &beside)?;
        let vertices = surface.mesh.positions.len();
        if vertices != cache.points {
            let name = beside.file_name().unwrap_or_default().to_string_lossy();
            return Err(fail(format!("it has {} points, but {name} beside it has {vertices} vertices", cache.points)));
        }
        surface
    } else {
        let mesh = Mesh { positions: frames[0].positions.clone(), ..Mesh::default() };
        Surface { mesh, ..Surface::default() }
    };
    Ok(Clip { surface, frames })
}

pub(super) fn parse_pc2(bytes: &[u8]) -> Result<Cache, String> {
    let mut reader = Bytes::little(bytes);
    if reader.take(PC2_MAGIC.len())? != PC2_MAGIC {
        return Err("it does not begin with POINTCACHE2".into());
    }
    let version = reader.i32()?;
    if version != 1 {
        return Err(format!("it is of version {version}; version 1 is read"));
    }
    let (points, first, step, samples) = (reader.i32()?, reader.f32()?, reader.f32()?, reader.i32()?);
    let (points, samples) = counts(points, samples, 12, reader.left())?;
    let sane = first.is_finite() && step.is_finite() && step > 0.0;
    if !sane {
        return Err(format!("it begins at frame {first} and steps by {step}"));
    }
    let time = |k: usize| (f64::from(first) + k as f64 * f64::from(step)) / FRAMES_PER_SECOND;
    let times: Vec<f64> = (0..samples).map(time).collect();
    // A first frame of 10¹⁵ swallows the steps.
    if !times.is_sorted_by(|a, b| a < b) {
        return Err(format!("it begins at frame {first} and steps by {step}"));
    }
    let positions = positions(&mut reader, points, samples)?;
    Ok(Cache { times, points, positions })
}

pub(super) fn parse_mdd(bytes: &[u8]) -> Result<Cache, String> {
    let mut reader = Bytes::ordered(bytes, true);
    let (samples, points) = (reader.i32()?, reader.i32()?);
    let (points, samples) = counts(points, samples, 12, reader.left())?;
    let times: Vec<f64> = (0..samples).map(|_| reader.f32().map(f64::from)).collect::<Result<_, _>>()?;
    if !times.iter().all(|t| t.is_finite()) || !times.is_sorted_by(|a, b| a < b) {
        return Err("its times do not ascend".into());
    }
    let positions = positions(&mut reader, points, samples)?;
    Ok(Cache { times, points, positions })
}

/// Counts that the rest of the file can hold.
fn counts(points: i32, samples: i32, size: usize, left: usize) -> Result<(usize, usize), String> {
    let both = usize::try_from(points).ok().zip(usize::try_from(samples).ok()).filter(|(p, s)| *p > 0 && *s > 0);
    let (points, samples) = both.ok_or_else(|| format!("it counts {points} points and {samples} frames"))?;
    match points.checked_mul(samples).and_then(|n| n.checked_mul(size)) {
        Some(needed) if needed <= left => Ok((points, samples)),
        _ => Err(format!("{samples} frames of {points} points do not fit into the {left} bytes that follow")),
    }
}

fn positions(reader: &mut Bytes<'_>, points: usize, samples: usize) -> Result<Vec<DVec3>, String> {
    let mut positions = Vec::with_capacity(points * samples);
    for i in 0..points * samples {
        let p = Vec3::new(reader.f32()?, reader.f32()?, reader.f32()?).as_dvec3();
        if !p.is_finite() {
            return Err(format!("point {} of frame {} is not finite", i % points, i / points));
        }
        positions.push(p);
    }
    Ok(positions)
}
