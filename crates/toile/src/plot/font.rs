//! A stroke font of our own, so that pictures have text on a machine without fonts.
//!
//! A glyph is a width and a list of strokes. A stroke is a run of points, each a digit (x) and a letter (y): `d` is the
//! baseline, `j` the height of small letters (6), `l` that of capitals (8), `a` the descender (−3). A stroke that starts with
//! `~` is drawn as a smooth curve through its points, closed if it ends where it starts.

/// Height of capitals in font units.
pub(super) const CAPITAL: f64 = 8.0;
/// Space between glyphs in font units.
const GAP: f64 = 2.2;

/// A glyph to draw: strokes in font units, right of the origin and above the baseline.
pub(super) struct Glyph {
    pub(super) strokes: Vec<Vec<[f64; 2]>>,
    pub(super) advance: f64,
}

/// Width of a text in units of the capital height.
pub(super) fn width(text: &str) -> f64 {
    let total: f64 = text.chars().map(|c| glyph(c).advance).sum();
    (total - GAP).max(0.0) / CAPITAL
}

/// The glyph of a character; an open box for one the font does not know.
pub(super) fn glyph(c: char) -> Glyph {
    if let Some((base, rise)) = small(c) {
        let mut glyph = glyph(base);
        for p in glyph.strokes.iter_mut().flatten() {
            *p = [0.62 * p[0], 0.62 * p[1] + rise];
        }
        glyph.advance = 0.62 * (glyph.advance - GAP) + GAP;
        return glyph;
    }
    let (width, strokes) = shape(c);
    Glyph { strokes: strokes.split_whitespace().map(decode).collect(), advance: f64::from(width) + GAP }
}

/// Superscripts and subscripts: base character and rise.
fn small(c: char) -> Option<(char, f64)> {
    const HIGH: f64 = 3.8;
    const LOW: f64 = -1.8;
    let index = |set: &str| set.chars().position(|s| s == c);
    let plain = |i: usize| "0123456789−+".chars().nth(i);
    index("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺")
        .and_then(plain)
        .map(|base| (base, HIGH))
        .or_else(|| index("₀₁₂₃₄₅₆₇₈₉₋₊").and_then(plain).map(|base| (base, LOW)))
}

fn decode(stroke: &str) -> Vec<[f64; 2]> {
    let (is_smooth, stroke) = match stroke.strip_prefix('~') {
        Some(rest) => (true, rest),
        None => (false, stroke),
    };
    let bytes = stroke.as_bytes();
    let points: Vec<[f64; 2]> =
        bytes.chunks_exact(2).map(|p| [f64::from(p[0]) - f64::from(b'0'), f64::from(p[1]) - f64::from(b'd')]).collect();
    if is_smooth { smooth(&points) } else { points }
}

/// Catmull–Rom curve through the points.
fn smooth(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    const PIECES: usize = 6;
    let last = points.len() - 1;
    let closed = points[0] == points[last];
    let at = |i: isize| {
        let i = if closed { i.rem_euclid(last as isize) } else { i.clamp(0, last as isize) };
        points[i as usize]
    };
    let mut curve = vec![points[0]];
    for k in 0..last as isize {
        let [a, b, c, d] = [at(k - 1), at(k), at(k + 1), at(k + 2)];
        for piece in 1..=PIECES {
            let t = piece as f64 / PIECES as f64;
            curve.push([0, 1].map(|i| {
                let (slope, end) = (0.5 * (c[i] - a[i]), 0.5 * (d[i] - b[i]));
                let chord = c[i] - b[i];
                b[i] + t * (slope + t * ((3.0 * chord - 2.0 * slope - end) + t * (slope + end - 2.0 * chord)))
            }));
        }
    }
    curve
}

/// Width and strokes.
#[rustfmt::skip]
fn shape(c: char) -> (u8, &'static str) {
    match c {
        ' ' => (2, ""),
        '0' => (5, "~2d0f0j2l3l5j5f3d2d"),
        '1' => (3, "0j3l3d"),
        '2' => (5, "~0j1l4l5j4h0d 0d5d"),
        '3' => (5, "~0k2l4l5j4i2h ~2h4h5g5e4d2d0e"),
        '4' => (5, "4d4l0f5f"),
        '5' => (5, "5l1l0h ~0h2i4i5g5f4d2d0e"),
        '6' => (5, "~5k3l1k0h0f1d4d5e5g4i2i0g"),
        '7' => (5, "0l5l2d"),
        '8' => (5, "~2h0j1l4l5j3h2h ~2h0g0e1d4d5e5g3h2h"),
        '9' => (5, "~0e2d4e5h5j4l1l0k0i1g3g5i"),
        'A' => (6, "0d3l6d 1g5g"),
        'B' => (5, "3d0d0l3l ~3l5k5i3h 0h3h ~3h5g5e3d"),
        'C' => (6, "~6k4l2l0j0f2d4d6e"),
        'D' => (6, "3d0d0l3l ~3l5k6i6g5e3d"),
        'E' => (5, "5l0l0d5d 0h4h"),
        'F' => (5, "5l0l0d 0h4h"),
        'G' => (6, "~6k4l2l0j0f2d4d6e 6e6h3h"),
        'H' => (6, "0d0l 6d6l 0h6h"),
        'I' => (0, "0d0l"),
        'J' => (4, "4l4f ~4f3d1d0f"),
        'K' => (5, "0d0l 5l0g 2i5d"),
        'L' => (5, "0l0d5d"),
        'M' => (6, "0d0l3f6l6d"),
        'N' => (6, "0d0l6d6l"),
        'O' => (6, "~2d0f0j2l4l6j6f4d2d"),
        'P' => (5, "0d0l3l ~3l5k5i3h 3h0h"),
        'Q' => (6, "~2d0f0j2l4l6j6f4d2d 4f6c"),
        'R' => (5, "0d0l3l ~3l5k5i3h 3h0h 2h5d"),
        'S' => (5, "~5k3l1l0j1i4g5f4d2d0e"),
        'T' => (6, "0l6l 3l3d"),
        'U' => (6, "0l0g ~0g1d5d6g 6g6l"),
        'V' => (6, "0l3d6l"),
        'W' => (8, "0l2d4k6d8l"),
        'X' => (6, "0d6l 0l6d"),
        'Y' => (6, "0l3h6l 3h3d"),
        'Z' => (5, "0l5l0d5d"),
        'a' => (5, "5j5d ~5h4j2j0h0f2d4d5f"),
        'b' => (5, "0l0d ~0h1j3j5h5f3d1d0f"),
        'c' => (5, "~5i3j2j0h0f2d3d5e"),
        'd' => (5, "5l5d ~5h4j2j0h0f2d4d5f"),
        'e' => (5, "0g5g ~5g5h3j2j0h0f2d3d5e"),
        'f' => (4, "~4l3l2k2i 2i2d 0j4j"),
        'g' => (5, "5j5c ~5c4a2a0b ~5h4j2j0h0f2d4d5f"),
        'h' => (5, "0l0d ~0h2j4j5h 5h5d"),
        'i' => (0, "0j0d 0l0l"),
        'j' => (2, "2j2c ~2c1a0a 2l2l"),
        'k' => (4, "0l0d 4j0f 1g4d"),
        'l' => (0, "0l0d"),
        'm' => (8, "0j0d ~0h1j3j4h 4h4d ~4h5j7j8h 8h8d"),
        'n' => (5, "0j0d ~0h2j4j5h 5h5d"),
        'o' => (5, "~2d0f0h2j3j5h5f3d2d"),
        'p' => (5, "0j0a ~0h1j3j5h5f3d1d0f"),
        'q' => (5, "5j5a ~5h4j2j0h0f2d4d5f"),
        'r' => (3, "0j0d ~0g1i2j3j"),
        's' => (4, "~4i3j1j0i1g3g4f3d1d0e"),
        't' => (4, "2l2f ~2f3d4d 0j4j"),
        'u' => (5, "0j0f ~0f1d3d5f 5j5d"),
        'v' => (4, "0j2d4j"),
        'w' => (8, "0j2d4i6d8j"),
        'x' => (4, "0j4d 0d4j"),
        'y' => (4, "0j2d 4j2d ~2d1a0a"),
        'z' => (4, "0j4j0d4d"),
        '.' => (0, "0d0d"),
        ',' => (1, "1d0b"),
        ':' => (0, "0d0d 0i0i"),
        ';' => (1, "1d0b 1i1i"),
        '-' | '‐' => (3, "0g3g"),
        '–' | '−' => (5, "0g5g"),
        '+' => (4, "0g4g 2e2i"),
        '±' => (4, "0h4h 2f2j 0d4d"),
        '=' => (5, "0h5h 0f5f"),
        '≈' => (5, "~0h1i3h5i ~0f1g3f5g"),
        '<' => (4, "4j0g4d"),
        '>' => (4, "0j4g0d"),
        '≤' => (4, "4k0h4e 0d4d"),
        '≥' => (4, "0k4h0e 0d4d"),
        '/' => (4, "0c4m"),
        '|' => (0, "0b0m"),
        '(' => (2, "~2m0j0e2b"),
        ')' => (2, "~0m2j2e0b"),
        '[' => (2, "2m0m0b2b"),
        ']' => (2, "0m2m2b0b"),
        '%' => (6, "0d6l ~1l0k1j2k1l ~5d4e5f6e5d"),
        '°' => (2, "~1j0k1l2k1j"),
        '·' => (0, "0g0g"),
        '*' => (4, "2i2m 0j4l 4j0l"),
        '×' => (4, "0e4i 0i4e"),
        '^' => (4, "0j2m4j"),
        '_' => (5, "0c5c"),
        '\'' => (0, "0l0j"),
        '"' => (2, "0l0j 2l2j"),
        '!' => (0, "0l0g 0d0d"),
        '?' => (4, "~0k2l4k4i2g 2g2f 2d2d"),
        '√' => (5, "0h1h2d4m6m"),
        'α' => (5, "~5j4f2d0f0h2j4h5d"),
        'β' => (5, "0a0j ~0j2l4k4i2h ~2h5g5e3d0e"),
        'γ' => (4, "~0j1j2f 4j2e2a"),
        'δ' => (5, "~4k2l1k4h5f3d2d0f0g2i4h"),
        'ε' => (4, "~4i3j1j0i1g2g ~2g1g0f1d3d4e"),
        'ζ' => (4, "1l4l ~4l1h0f2d3c2b"),
        'η' => (5, "0j0d ~0h2j4j5h 5h5a"),
        'θ' => (5, "~2d0f0j2l3l5j5f3d2d 0h5h"),
        'κ' => (4, "0j0d 4j0f 1g4d"),
        'λ' => (5, "0l1l5d 3h0d"),
        'μ' | 'µ' => (5, "0j0a ~0f1d3d5f 5j5d"),
        'ν' => (4, "0j2d4j"),
        'π' => (6, "0j6j 1j1d 5j5d"),
        'ρ' => (5, "0a0h ~0h1j3j5h5f3d1d0f"),
        'σ' => (6, "~2d0f0h2j3j5h5f3d2d 2j6j"),
        'τ' => (4, "0j4j 2j2d"),
        'φ' => (6, "3l3a ~2d0f0h2j4j6h6f4d2d"),
        'ψ' => (6, "3l3a ~0j1f3d5f6j"),
        'ω' => (6, "~1j0h0f1d3f3h ~3f5d6f6h5j"),
        'Γ' => (5, "0d0l5l"),
        'Δ' => (6, "0d3l6d0d"),
        'Σ' => (5, "5l0l3h0d5d"),
        'Ω' => (6, "0d2d ~2d0h1k3l5k6h4d 4d6d"),
        _ => (5, "0d0l5l5d0d"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every stroke decodes into its box; text gets wider with every character.
    #[test]
    fn glyphs_stay_in_their_boxes() {
        let all = " 0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz.,:;-–−+±=≈<>≤≥/|()[]%°·*×^_'\"!?√αβγδεζηθκλμνπρσ\
                   τφψωΓΔΣΩ⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺₀₁₂₃₄₅₆₇₈₉";
        for c in all.chars() {
            let glyph = glyph(c);
            assert!(c == ' ' || !glyph.strokes.is_empty(), "{c} is empty");
            for p in glyph.strokes.iter().flatten() {
                assert!(p[0] >= -1.0 && p[0] <= glyph.advance, "{c}: {p:?}");
                assert!(p[1] >= -3.8 && p[1] <= 9.6, "{c}: {p:?}");
            }
        }
        assert!(width("force") < width("forces") && width("") == 0.0);
    }
}
