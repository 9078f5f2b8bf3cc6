//! One array: a magic word, a header that is a Python literal, the numbers.

use super::{Array, Data, place_count};
use crate::formats::bytes::{Bytes, Ended};

const MAGIC: &[u8] = b"\x93NUMPY";
/// numpy starts the numbers at a multiple of this.
const ALIGNMENT: usize = 64;

/// Appends an array.
pub(super) fn write(out: &mut Vec<u8>, array: &Array) {
    let kind = match array.data {
        Data::F64(_) => "<f8",
        Data::F32(_) => "<f4",
        Data::U32(_) => "<u4",
        Data::I64(_) => "<i8",
        Data::U8(_) => "|u1",
    };
    let lengths: String = array.shape.iter().map(|l| format!("{l}, ")).collect();
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({}), }}", lengths.trim_end());
    let before = MAGIC.len() + 4;
    let padded = (before + header.len() + 1).next_multiple_of(ALIGNMENT);
    header.extend(std::iter::repeat_n(' ', padded - before - header.len() - 1));
    header.push('\n');
    out.extend(MAGIC);
    out.extend([1, 0]);
    // A shape has few axes: the header stays far below the 64 KiB of version 1.
    out.extend((header.len() as u16).to_le_bytes());
    out.extend(header.as_bytes());
    match &array.data {
        Data::F64(v) => out.extend(v.iter().flat_map(|x| x.to_le_bytes())),
        Data::F32(v) => out.extend(v.iter().flat_map(|x| x.to_le_bytes())),
        Data::U32(v) => out.extend(v.iter().flat_map(|x| x.to_le_bytes())),
        Data::I64(v) => out.extend(v.iter().flat_map(|x| x.to_le_bytes())),
        Data::U8(v) => out.extend(v),
    }
}

/// Reads an array written by us or by numpy: the other byte order, the other index order and narrower integers included.
pub(super) fn read(bytes: &[u8]) -> Result<Array, String> {
    let mut reader = Bytes::little(bytes);
    if reader.take(MAGIC.len())? != MAGIC {
        return Err("it is no numpy array".into());
    }
    let (major, _minor) = (reader.u8()?, reader.u8()?);
    let length = if major == 1 { reader.u16()?.into() } else { reader.u32()? as usize };
    let header = std::str::from_utf8(reader.take(length)?).map_err(|_| "its header is no text")?;
    let kind = text_of(header, "descr").ok_or("its header names no kind of number")?;
    let shape = shape_of(header).ok_or("its header has no shape")?;
    let fortran = value_of(header, "fortran_order").is_some_and(|v| v.starts_with("True"));
    let count = place_count(&shape).ok_or_else(|| format!("its shape {shape:?} is beyond counting"))?;
    let data = numbers(kind, count, reader)?;
    let data = if fortran && shape.len() > 1 && count > 0 { last_index_fastest(&data, &shape) } else { data };
    Ok(Array { shape, data })
}

/// What follows a key of the header.
fn value_of<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let at = header.find(&format!("'{key}'"))? + key.len() + 2;
    header[at..].trim_start().strip_prefix(':').map(str::trim_start)
}

fn text_of<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    value_of(header, key)?.strip_prefix('\'')?.split('\'').next()
}

fn shape_of(header: &str) -> Option<Vec<usize>> {
    let inside = value_of(header, "shape")?.strip_prefix('(')?.split_once(')')?.0;
    inside.split(',').map(str::trim).filter(|l| !l.is_empty()).map(|l| l.parse().ok()).collect()
}

fn numbers(kind: &str, count: usize, mut reader: Bytes<'_>) -> Result<Data, String> {
    let (order, kind) = kind.split_at_checked(1).ok_or("its header names no kind of number")?;
    let size = match kind {
        "f8" | "i8" | "u8" => 8,
        "f4" | "i4" | "u4" => 4,
        "i2" | "u2" => 2,
        "i1" | "u1" | "b1" => 1,
        _ => return Err(format!("its numbers are `{order}{kind}`; f8, f4, integers and truth values are read")),
    };
    let needed = count.checked_mul(size).ok_or(Ended)?;
    if reader.left() < needed {
        return Err(format!("its shape asks for {needed} bytes, the file has {}", reader.left()));
    }
    let mut r = Bytes::ordered(reader.take(needed)?, order == ">");
    let data = match kind {
        "f8" => Data::F64((0..count).map(|_| r.f64()).collect::<Result<_, _>>()?),
        "f4" => Data::F32((0..count).map(|_| r.f32()).collect::<Result<_, _>>()?),
        "i8" => Data::I64((0..count).map(|_| r.i64()).collect::<Result<_, _>>()?),
        "i4" => Data::I64((0..count).map(|_| r.i32().map(i64::from)).collect::<Result<_, _>>()?),
        "i2" => Data::I64((0..count).map(|_| r.i16().map(i64::from)).collect::<Result<_, _>>()?),
        "i1" => Data::I64((0..count).map(|_| r.i8().map(i64::from)).collect::<Result<_, _>>()?),
        "u4" => Data::U32((0..count).map(|_| r.u32()).collect::<Result<_, _>>()?),
        "u2" => Data::U32((0..count).map(|_| r.u16().map(u32::from)).collect::<Result<_, _>>()?),
        "u8" => {
            let all: Vec<u64> = (0..count).map(|_| r.u64()).collect::<Result<_, _>>()?;
            let narrow = all.iter().map(|&x| i64::try_from(x)).collect::<Result<_, _>>();
            Data::I64(narrow.map_err(|_| "it holds numbers beyond 2⁶³")?)
        }
        _ => Data::U8(r.take(count)?.to_vec()),
    };
    Ok(data)
}

/// Turns an array whose first index runs fastest.
fn last_index_fastest(data: &Data, shape: &[usize]) -> Data {
    let count = data.len();
    // Where each place comes from: the digits of its number, read the other way round.
    let source = |mut place: usize| {
        let (mut at, mut block) = (0, count);
        for &length in shape.iter().rev() {
            block /= length;
            at += place % length * block;
            place /= length;
        }
        at
    };
    fn turned<T: Copy>(values: &[T], source: impl Fn(usize) -> usize) -> Vec<T> {
        (0..values.len()).map(|i| values[source(i)]).collect()
    }
    match data {
        Data::F64(v) => Data::F64(turned(v, source)),
        Data::F32(v) => Data::F32(turned(v, source)),
        Data::U32(v) => Data::U32(turned(v, source)),
        Data::I64(v) => Data::I64(turned(v, source)),
        Data::U8(v) => Data::U8(turned(v, source)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn file(header: &str, numbers: &[u8]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([1, 0]);
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(numbers);
        bytes
    }

    /// `numpy.asfortranarray([[1, 2, 3], [4, 5, 6]])` is stored column by column, big-endian here.
    #[test]
    fn other_orders_are_turned() {
        let numbers: Vec<u8> = [1i16, 4, 2, 5, 3, 6].iter().flat_map(|x| x.to_be_bytes()).collect();
        let array = read(&file("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }\n", &numbers)).unwrap();
        assert_eq!(array, Array::new([2, 3], vec![1i64, 2, 3, 4, 5, 6]));
        // Three axes: place (i, j, k) is stored at i + 2 j + 6 k.
        let numbers: Vec<u8> = (0..12).collect();
        let array = read(&file("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 2)}", &numbers)).unwrap();
        assert_eq!(array, Array::new([2, 3, 2], vec![0u8, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11]));
    }

    #[test]
    fn absurd_shapes_are_refused() {
        for shape in ["(4611686018427387904, 8)", "(1000000000000,)", "(-1,)", "(a)", "3"] {
            let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
            assert!(read(&file(&header, &[0; 64])).is_err(), "{shape}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]
        /// The CRC of the archive hides damage from this reader: here it sees it all.
        #[test]
        fn damaged_arrays_never_panic(changes in vec((0usize..200, any::<u8>()), 0..6), length in 0usize..200) {
            let mut bytes = Vec::new();
            write(&mut bytes, &Array::new([3, 2], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
            for (at, byte) in changes {
                let at = at % bytes.len();
                bytes[at] = byte;
            }
            bytes.truncate(length.max(40));
            if let Ok(array) = read(&bytes) {
                prop_assert_eq!(place_count(&array.shape), Some(array.data.len()));
            }
        }
    }
}
