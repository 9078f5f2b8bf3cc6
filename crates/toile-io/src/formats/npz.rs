//! Arrays in the files of numpy: `.npz`, a zip archive of `.npy` arrays. Source: NEP 1, "A simple file format for NumPy arrays".
//!
//! Written without compression and with fixed dates, so that the same arrays give the same bytes.

mod npy;

use super::{ExportError, read_file, zip};
use crate::atomic::write_atomically;
use crate::problem::Problem;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// An array: the last index runs fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Length along every axis; none for a single number.
    pub shape: Vec<usize>,
    /// The numbers, as many as the product of the lengths.
    pub data: Data,
}

/// The numbers of an array.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Real numbers, 64 bits.
    F64(Vec<f64>),
    /// Real numbers, 32 bits.
    F32(Vec<f32>),
    /// Counts and indices.
    U32(Vec<u32>),
    /// Whole numbers.
    I64(Vec<i64>),
    /// Bytes; text in UTF-8.
    U8(Vec<u8>),
}

macro_rules! from_vec {
    ($($number:ty => $variant:ident),*) => {$(
        impl From<Vec<$number>> for Data {
            fn from(values: Vec<$number>) -> Self {
                Self::$variant(values)
            }
        }
    )*};
}
from_vec! { f64 => F64, f32 => F32, u32 => U32, i64 => I64, u8 => U8 }

impl Data {
    /// How many numbers.
    pub fn len(&self) -> usize {
        match self {
            Self::F64(v) => v.len(),
            Self::F32(v) => v.len(),
            Self::U32(v) => v.len(),
            Self::I64(v) => v.len(),
            Self::U8(v) => v.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All numbers as `f64`; whole numbers beyond 2⁵³ are rounded.
    pub fn to_f64(&self) -> Vec<f64> {
        match self {
            Self::F64(v) => v.clone(),
            Self::F32(v) => v.iter().map(|&x| x.into()).collect(),
            Self::U32(v) => v.iter().map(|&x| x.into()).collect(),
            Self::I64(v) => v.iter().map(|&x| x as f64).collect(),
            Self::U8(v) => v.iter().map(|&x| x.into()).collect(),
        }
    }

    /// All numbers as indices, or nothing when one of them is none.
    pub fn to_u32(&self) -> Option<Vec<u32>> {
        match self {
            Self::U32(v) => Some(v.clone()),
            Self::I64(v) => v.iter().map(|&x| u32::try_from(x).ok()).collect(),
            Self::U8(v) => Some(v.iter().map(|&x| x.into()).collect()),
            Self::F64(_) | Self::F32(_) => None,
        }
    }
}

impl Array {
    /// An array of a shape.
    ///
    /// # Panics
    /// When the shape has another number of places than there are numbers: a mistake of the program, not of its input.
    pub fn new(shape: impl Into<Vec<usize>>, data: impl Into<Data>) -> Self {
        let array = Self { shape: shape.into(), data: data.into() };
        assert_eq!(place_count(&array.shape), Some(array.data.len()), "shape {:?}", array.shape);
        array
    }
}

/// The number of places of a shape, unless it is beyond counting.
fn place_count(shape: &[usize]) -> Option<usize> {
    if shape.contains(&0) { Some(0) } else { shape.iter().try_fold(1usize, |n, &l| n.checked_mul(l)) }
}

/// Writes named arrays to a file, whole or not at all.
pub fn write<S: AsRef<str>>(path: impl AsRef<Path>, arrays: &[(S, Array)]) -> Result<(), ExportError> {
    Ok(write_atomically(path, to_bytes(arrays)?)?)
}

/// Named arrays as the bytes of a file.
pub fn to_bytes<S: AsRef<str>>(arrays: &[(S, Array)]) -> Result<Vec<u8>, ExportError> {
    let too_large = |_| ExportError::Limit {
        message: "the arrays need more than 4 GiB, the limit of the zip format".into(),
        advice: "export fewer frames".into(),
    };
    let mut archive = zip::Writer::default();
    for (name, array) in arrays {
        archive.add(&format!("{}.npy", name.as_ref()), |out| npy::write(out, array)).map_err(too_large)?;
    }
    archive.finish().map_err(too_large)
}

/// Every array of a file.
pub fn read(path: impl AsRef<Path>) -> Result<BTreeMap<String, Array>, Vec<Problem>> {
    let archive = Archive::open(path)?;
    archive.names().map(|name| Ok((name.to_owned(), archive.array(name)?))).collect()
}

/// A file whose arrays are read one by one.
#[derive(Clone, Debug)]
pub struct Archive {
    path: PathBuf,
    bytes: Vec<u8>,
    entries: BTreeMap<String, zip::Entry>,
}

impl Archive {
    /// Reads a file and its table of contents.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Vec<Problem>> {
        let bytes = read_file(path.as_ref())?;
        Self::from_bytes(bytes, path.as_ref())
    }

    /// The same from memory; the path is for messages.
    pub fn from_bytes(bytes: Vec<u8>, path: &Path) -> Result<Self, Vec<Problem>> {
        let entries = zip::directory(&bytes).map_err(|m| vec![Problem::error(path, (0, 0), "", m)])?;
        let named = |e: zip::Entry| (e.name.strip_suffix(".npy").unwrap_or(&e.name).to_owned(), e);
        let entries = entries.into_iter().map(named).collect();
        Ok(Self { path: path.to_owned(), bytes, entries })
    }

    /// Names of the arrays, in order of the alphabet.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// One array.
    pub fn array(&self, name: &str) -> Result<Array, Vec<Problem>> {
        let problem = |message: String| vec![Problem::error(&self.path, (0, 0), name, message)];
        let entry = self.entries.get(name).ok_or_else(|| problem("there is no such array".into()))?;
        let content = zip::content(&self.bytes, entry).map_err(problem)?;
        npy::read(content).map_err(problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<(&'static str, Array)> {
        vec![
            ("real", Array::new([2, 3], vec![1.0, -2.5, f64::MAX, 0.1, f64::INFINITY, 3.0])),
            ("single", Array::new([3], vec![1.5f32, -0.0, 1e-40])),
            ("index", Array::new([2, 1, 2], vec![0u32, 1, u32::MAX, 7])),
            ("whole", Array::new([], vec![i64::MIN])),
            ("text", Array::new([5], b"toile".to_vec())),
            ("none", Array::new([0, 3], Vec::<f64>::new())),
        ]
    }

    #[test]
    fn arrays_come_back_bit_for_bit() {
        let bytes = to_bytes(&sample()).unwrap();
        assert_eq!(bytes, to_bytes(&sample()).unwrap());
        let archive = Archive::from_bytes(bytes, Path::new("a.npz")).unwrap();
        assert_eq!(archive.names().count(), 6);
        for (name, array) in sample() {
            assert_eq!(archive.array(name).unwrap(), array, "{name}");
        }
        let problems = archive.array("missing").unwrap_err();
        assert!(problems[0].to_string().contains("missing"), "{}", problems[0]);
    }

    /// A flipped bit anywhere in the numbers is caught by the CRC.
    #[test]
    fn damage_is_noticed() {
        let array = Array::new([4], vec![1.0, 2.0, 3.0, 4.0]);
        let mut bytes = to_bytes(&[("a", array)]).unwrap();
        bytes[150] ^= 1;
        let archive = Archive::from_bytes(bytes, Path::new("a.npz")).unwrap();
        assert!(archive.array("a").unwrap_err()[0].message.contains("CRC"));
    }
}
