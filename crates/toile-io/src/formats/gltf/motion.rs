//! Animations of glTF: where nodes are at a time. Source: glTF 2.0 Specification, section 3.11 and appendix C.

use super::accessor::Buffers;
use super::{index, local_parts};
use glam::{DMat4, DQuat, DVec3, DVec4};
use serde_json::Value;
use std::collections::BTreeMap;

/// Transforms of animated nodes to their parents.
pub(super) type Moved = BTreeMap<usize, DMat4>;

/// The nodes moved by the first animation at a time (s), which is held within the animation's own span.
pub(super) fn at(document: &Value, buffers: &Buffers, time: f64) -> Result<Moved, String> {
    let animation = &document["animations"][0];
    if animation.is_null() {
        return Err(format!("it has no animation: nothing to take at {time} s"));
    }
    let mut parts = BTreeMap::new();
    for (k, channel) in animation["channels"].as_array().into_iter().flatten().enumerate() {
        let target = &channel["target"];
        let (Some(node), Some(path)) = (index(&target["node"]), target["path"].as_str()) else { continue };
        let width = match path {
            "translation" | "scale" => 3,
            "rotation" => 4,
            _ => continue, // weights of morph targets
        };
        let sampler = &animation["samplers"][index(&channel["sampler"]).unwrap_or(usize::MAX)];
        let value =
            sample(document, buffers, sampler, width, time).map_err(|e| format!("animation channel {k}: {e}"))?;
        let entry = parts.entry(node).or_insert_with(|| local_parts(&document["nodes"][node]));
        match path {
            "translation" => entry.2 = value.truncate(),
            "scale" => entry.0 = value.truncate(),
            _ => entry.1 = DQuat::from_vec4(value).normalize(),
        }
    }
    let matrix =
        |(scale, turn, shift): (DVec3, DQuat, DVec3)| DMat4::from_scale_rotation_translation(scale, turn, shift);
    Ok(parts.into_iter().map(|(node, parts)| (node, matrix(parts))).collect())
}

/// The value of a sampler at a time, three or four numbers.
fn sample(document: &Value, buffers: &Buffers, sampler: &Value, width: usize, time: f64) -> Result<DVec4, String> {
    let accessor = |key: &str| index(&sampler[key]).ok_or_else(|| format!("its sampler has no {key}"));
    let times = buffers.numbers(document, accessor("input")?, 1)?;
    let values = buffers.numbers(document, accessor("output")?, width)?;
    let kind = sampler["interpolation"].as_str().unwrap_or("LINEAR");
    // A cubic spline stores the slope before, the value and the slope after.
    let each = if kind == "CUBICSPLINE" { 3 } else { 1 };
    if times.is_empty() || values.len() < each * width * times.len() {
        return Err(format!("{} values for {} times", values.len() / width, times.len()));
    }
    let value = |key: usize, part: usize| {
        let first = width * (each * key + part);
        let at = |c: usize| if c < width { values[first + c] } else { 0.0 };
        DVec4::new(at(0), at(1), at(2), at(3))
    };
    let middle = usize::from(each == 3);
    let after = times.partition_point(|t| *t <= time);
    if after == 0 || after == times.len() {
        return Ok(value(after.saturating_sub(1), middle));
    }
    let (a, b) = (after - 1, after);
    let step = times[b] - times[a];
    let t = (time - times[a]) / step;
    let (from, to) = (value(a, middle), value(b, middle));
    Ok(match kind {
        "STEP" => from,
        "CUBICSPLINE" => {
            let (leaving, arriving) = (step * value(a, 2), step * value(b, 0));
            let (tt, ttt) = (t * t, t * t * t);
            (2.0 * ttt - 3.0 * tt + 1.0) * from
                + (ttt - 2.0 * tt + t) * leaving
                + (3.0 * tt - 2.0 * ttt) * to
                + (ttt - tt) * arriving
        }
        _ if width == 4 => {
            let turn = DQuat::from_vec4(from).normalize().slerp(DQuat::from_vec4(to).normalize(), t);
            DVec4::from(turn)
        }
        _ => from.lerp(to, t),
    })
}
