//! Buffers of a glTF file and the numbers in them.

use super::index;
use crate::formats::bytes::Bytes;
use serde_json::Value;
use std::path::{Component, Path};

/// The buffers of a file, loaded.
pub(super) struct Buffers(Vec<Vec<u8>>);

impl Buffers {
    /// Loads buffers from the binary chunk, from text in the JSON or from files beside it.
    pub(super) fn load(document: &Value, binary: &[u8], path: &Path) -> Result<Self, String> {
        let buffers = document["buffers"].as_array().into_iter().flatten().enumerate();
        let load = |(i, buffer): (usize, &Value)| match buffer["uri"].as_str() {
            None if i == 0 => Ok(binary.to_vec()),
            None => Err(format!("buffer {i} is nowhere")),
            Some(uri) if uri.starts_with("data:") => {
                let text = uri.split_once(";base64,").ok_or_else(|| format!("buffer {i} is no base64"))?.1;
                base64(text).ok_or_else(|| format!("buffer {i} is damaged base64"))
            }
            Some(uri) => beside(path, uri),
        };
        // One file may be named by many buffers.
        let mut total = 0;
        let mut loaded = Vec::new();
        for buffer in buffers {
            let bytes = load(buffer)?;
            total += bytes.len() as u64;
            if total > crate::formats::FILE_LIMIT {
                return Err("its buffers together are larger than 2 GiB".into());
            }
            loaded.push(bytes);
        }
        Ok(Self(loaded))
    }

    /// The numbers of an accessor, `width` to an element.
    pub(super) fn numbers(&self, document: &Value, accessor: usize, width: usize) -> Result<Vec<f64>, String> {
        let fail = |what: &str| format!("accessor {accessor}: {what}");
        let entry = &document["accessors"][accessor];
        if component_count(entry) != width {
            return Err(fail(&format!("expected {width} numbers to an element, its type is {}", entry["type"])));
        }
        let kind = entry["componentType"].as_u64().unwrap_or(0);
        let count = index(&entry["count"]).ok_or_else(|| fail("no count"))?;
        let place = index(&entry["byteOffset"]).unwrap_or(0);
        let Some(view) = index(&entry["bufferView"]) else {
            return Err(fail("no buffer view: sparse and compressed accessors are not read"));
        };
        if !entry["sparse"].is_null() {
            return Err(fail("sparse accessors are not read"));
        }
        let size = component_size(kind).ok_or_else(|| fail("unknown component type"))? * width;
        let (bytes, stride) =
            self.view(document, view).ok_or_else(|| fail("its buffer view lies outside the buffer"))?;
        let stride = stride.unwrap_or(size);
        let end =
            count.checked_sub(1).map_or(Some(0), |n| n.checked_mul(stride)?.checked_add(size)?.checked_add(place));
        if stride < size || end.is_none_or(|end| end > bytes.len()) {
            return Err(fail(&format!("{count} elements do not fit into its buffer view")));
        }
        let scale = if entry["normalized"] == true { largest(kind) } else { 1.0 };
        let mut out = Vec::with_capacity(count * width);
        for element in 0..count {
            let mut reader = Bytes::little(&bytes[place + element * stride..]);
            for _ in 0..width {
                let value = number(&mut reader, kind)? / scale;
                // The most negative integer of a normalised kind stands for −1 as well.
                out.push(if scale == 1.0 { value } else { value.max(-1.0) });
            }
        }
        Ok(out)
    }

    fn view(&self, document: &Value, view: usize) -> Option<(&[u8], Option<usize>)> {
        let view = &document["bufferViews"][view];
        let begin = index(&view["byteOffset"]).unwrap_or(0);
        let end = begin.checked_add(index(&view["byteLength"])?)?;
        let bytes = self.0.get(index(&view["buffer"])?)?.get(begin..end)?;
        Some((bytes, index(&view["byteStride"])))
    }
}

fn component_count(accessor: &Value) -> usize {
    match accessor["type"].as_str() {
        Some("SCALAR") => 1,
        Some("VEC2") => 2,
        Some("VEC3") => 3,
        Some("VEC4") => 4,
        Some("MAT4") => 16,
        _ => 0,
    }
}

fn component_size(kind: u64) -> Option<usize> {
    match kind {
        5120 | 5121 => Some(1),
        5122 | 5123 => Some(2),
        5125 | 5126 => Some(4),
        _ => None,
    }
}

/// What stands for one in a normalised integer.
fn largest(kind: u64) -> f64 {
    match kind {
        5120 => 127.0,
        5121 => 255.0,
        5122 => 32767.0,
        5123 => 65535.0,
        _ => 1.0,
    }
}

fn number(reader: &mut Bytes<'_>, kind: u64) -> Result<f64, String> {
    Ok(match kind {
        5120 => reader.i8()?.into(),
        5121 => reader.u8()?.into(),
        5122 => reader.i16()?.into(),
        5123 => reader.u16()?.into(),
        5125 => reader.u32()?.into(),
        _ => reader.f32()?.into(),
    })
}

/// A file in the folder of another or below it.
fn beside(path: &Path, uri: &str) -> Result<Vec<u8>, String> {
    let name = percent_decoded(uri);
    let inside = Path::new(&name).components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
    if !inside || name.contains(':') {
        return Err(format!("buffer `{uri:.60}` is not in the folder of the file"));
    }
    let file = path.parent().unwrap_or(Path::new("")).join(&name);
    crate::read_up_to(&file, crate::formats::FILE_LIMIT).map_err(|e| format!("buffer `{uri:.60}` cannot be read: {e}"))
}

fn percent_decoded(uri: &str) -> String {
    let bytes = uri.as_bytes();
    let (mut out, mut i) = (Vec::new(), 0);
    while i < bytes.len() {
        let code = (bytes[i] == b'%').then(|| uri.get(i + 1..i + 3)).flatten();
        let (byte, length) = code.and_then(|c| u8::from_str_radix(c, 16).ok()).map_or((bytes[i], 1), |b| (b, 3));
        out.push(byte);
        i += length;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Bytes of base64 text (RFC 4648 §4), or nothing when it is damaged.
fn base64(text: &str) -> Option<Vec<u8>> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'a'..=b'z' => Some(c - b'a' + 26),
        b'0'..=b'9' => Some(c - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    for group in text.trim_end_matches('=').as_bytes().chunks(4) {
        let mut bits = 0u32;
        for &c in group {
            bits = bits << 6 | u32::from(digit(c)?);
        }
        bits <<= 6 * (4 - group.len());
        out.extend(&bits.to_be_bytes()[1..group.len().max(1)]);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vectors of RFC 4648 §10.
    #[test]
    fn base64_test_vectors() {
        for (text, bytes) in [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYmE=", "fooba")] {
            assert_eq!(base64(text).as_deref(), Some(bytes.as_bytes()), "{text}");
        }
        assert_eq!(base64("Zm9*"), None);
        assert_eq!(percent_decoded("a%20b%2"), "a b%2");
    }
}
