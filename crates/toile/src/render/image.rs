//! Finished pictures.

use super::RenderError;

/// A picture in sRGB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels per row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Pixels, row by row from the top left.
    pub pixels: Vec<[u8; 3]>,
}

impl Image {
    /// A picture of one colour.
    pub fn filled(width: usize, height: usize, colour: [u8; 3]) -> Self {
        Self { width, height, pixels: vec![colour; width * height] }
    }

    /// The pixel in a column and row.
    pub fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        self.pixels[y * self.width + x]
    }

    /// Copies a picture into this one; what lies outside is cut off.
    pub fn paste(&mut self, other: &Self, [left, top]: [usize; 2]) {
        let columns = other.width.min(self.width.saturating_sub(left));
        for row in 0..other.height.min(self.height.saturating_sub(top)) {
            let start = (top + row) * self.width + left;
            self.pixels[start..start + columns].copy_from_slice(&other.pixels[row * other.width..][..columns]);
        }
    }

    /// The picture as PNG.
    pub fn png(&self) -> Result<Vec<u8>, RenderError> {
        super::apng(std::slice::from_ref(self), 1.0)
    }
}
