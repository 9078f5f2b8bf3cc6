//! Pieces of cloth that cannot come near themselves: the monotone-patch test.
//!
//! Let a piece of a flat panel be convex and mapped to space by x, with gradient F (3×2) in each triangle, and let R be any
//! 3×2 matrix. If λ_min(sym(FᵀR)) ≥ σ > 0 in every triangle, then for any two of its points, with e = a − b,
//!
//! ‖R‖ |e| |x(a) − x(b)| ≥ (R e)·(x(a) − x(b)) = ∫ eᵀ RᵀF e ds ≥ σ |e|²,
//!
//! the integral along the segment from b to a: so |x(a) − x(b)| ≥ σ |a − b| / ‖R‖. When vertices move in straight lines F is linear
//! in time and λ_min concave: it suffices to test both ends of the motion. R is the rotation nearest to the mean of F over the
//! piece, the polar factor of its polar decomposition: where F is the same everywhere the bound is then sharp, its least stretch.
//!
//! Features without a common vertex are at least h apart in the flat state, h the least altitude of the triangles about: the
//! shortest connection of two edges, or of a vertex and a triangle, ends at a vertex p; it leaves the triangles about p
//! through a side opposite to p, and no point there is closer to p than the altitude. So with σ h / ‖R‖ > reach + 2 radius
//! no two features of the piece come within reach, and none of their pairs needs a test.
//!
//! The pieces are the convex hulls of the triangles below a tree node, and of those about a vertex. They may cut through more
//! triangles than they were made of, all of which must pass. A hull is of use only if the panel covers it once, without hole,
//! slit or fold: triangles found from neighbour to neighbour fill its area, all wound alike, and no outline runs through it.

mod flat;
mod panels;

#[cfg(test)]
mod tests;

use crate::shapes::Shapes;
use crate::tree::Tree;
use glam::{DVec2, DVec3};
use panels::{Panels, Search};
use rayon::prelude::*;
use toile_core::lane::{Kernel, Lane, Level};

/// Larger pieces are rarely flat enough, and cost more to try.
const LARGEST: u32 = 256;
/// Smaller pieces are left to the tests about vertices.
const SMALLEST: u32 = 8;

/// A convex piece: leaves `first..first + count` of the tree and those listed in `others[start..end]`.
#[derive(Clone, Copy, Debug, Default)]
struct Piece {
    first: u32,
    count: u32,
    start: u32,
    end: u32,
    /// Least rest distance of its features without common vertex (m).
    gap: f32,
    body: u32,
}

/// A piece and the leaves that are to be listed for it.
type Found = (Piece, Vec<u32>);

const NONE: u32 = u32::MAX;

/// Gradients of eight triangles at the start of the motion (columns u and v), then at its end.
type Block = [[f32; 8]; 12];

/// The pieces of all cloth and the gradients they are tested with.
#[derive(Debug)]
pub(crate) struct Monotone {
    pieces: Vec<Piece>,
    others: Vec<u32>,
    piece_of_node: Vec<u32>,
    piece_of_star: Vec<u32>,
    /// Inverse of the flat edge matrix of each leaf.
    inverses: Vec<[f64; 4]>,
    corners: Vec<[u32; 3]>,
    gradients: Vec<Block>,
    moves: bool,
    /// No gradient is larger than this.
    largest: f32,
}

impl Monotone {
    /// The pieces below the nodes of `tree`, the tree of all cloth, and about its vertices.
    pub(crate) fn new(shapes: &Shapes, tree: &Tree, material: &[[DVec2; 3]]) -> Self {
        let panels = Panels::new(shapes, tree, material);
        let node_pieces: Vec<Option<Found>> = tree
            .nodes
            .par_iter()
            .map_init(Search::default, |search, node| {
                let own: Vec<u32> = (node.first..node.first + node.count).collect();
                let usable = (SMALLEST..=LARGEST).contains(&node.count);
                let (piece, others) = usable.then(|| panels.piece(&own, search)).flatten()?;
                Some((Piece { first: node.first, count: node.count, ..piece }, others))
            })
            .collect();
        let star_pieces: Vec<Option<Found>> = panels
            .stars(shapes.cloth_vertices)
            .par_iter()
            .map_init(Search::default, |search, own| {
                let (piece, others) = panels.piece(own, search)?;
                Some((piece, own.iter().copied().chain(others).collect()))
            })
            .collect();
        let (mut pieces, mut others) = (Vec::new(), Vec::new());
        let piece_of_node = store(node_pieces, &mut pieces, &mut others);
        let piece_of_star = store(star_pieces, &mut pieces, &mut others);
        Self {
            pieces,
            others,
            piece_of_node,
            piece_of_star,
            inverses: panels.inverses(),
            corners: tree.leaves.iter().map(|l| l.corners).collect(),
            gradients: vec![[[0.0; 8]; 12]; tree.leaves.len().div_ceil(8)],
            moves: false,
            largest: 0.0,
        }
    }

    /// Sets the gradients to those of the motion from `x` to `x + d` (m).
    pub(crate) fn refit(&mut self, x: &[DVec3], d: Option<&[DVec3]>) {
        self.moves = d.is_some();
        let (corners, inverses) = (&self.corners, &self.inverses);
        let blocks = self.gradients.par_chunks_mut(BLOCKS).enumerate();
        let fill = |(k, blocks): (usize, &mut [Block])| {
            let first = 8 * BLOCKS * k;
            let kernel = Fill { blocks, corners: &corners[first..], inverses: &inverses[first..], x, d };
            Level::detect().dispatch(kernel)
        };
        self.largest = blocks.map(fill).reduce(|| 0.0, f32::max);
    }

    /// Is it sure that no features of the leaves below a node come within `reach` (m) beyond their radii?
    #[inline(always)]
    pub(crate) fn clears_node(&self, node: u32, shapes: &Shapes, reach: f32) -> bool {
        let piece = self.piece_of_node[node as usize];
        piece != NONE && self.clears(self.pieces[piece as usize], shapes, reach)
    }

    /// Is it sure that no features of the triangles about a cloth vertex come within `reach` (m) beyond their radii?
    #[inline(always)]
    pub(crate) fn clears_star(&self, vertex: u32, shapes: &Shapes, reach: f32) -> bool {
        let piece = self.piece_of_star[vertex as usize];
        piece != NONE && self.clears(self.pieces[piece as usize], shapes, reach)
    }

    #[inline(always)]
    fn clears(&self, piece: Piece, shapes: &Shapes, reach: f32) -> bool {
        let distance = reach + 2.0 * shapes.bodies[piece.body as usize].radius as f32;
        if distance >= piece.gap {
            return false;
        }
        let Some(r) = polar(self.mean(piece)) else { return false };
        let norm = spectral_norm(r);
        // The second part covers the rounding of FᵀR: 6 products of up to `largest` × norm, 2⁻²⁴ each, and as much of F itself.
        let least = distance / piece.gap * norm * (1.0 + 1e-5) + 4e-6 * norm * self.largest;
        self.all_above(piece, r, least)
    }

    /// Mean gradient over a piece and the motion.
    #[inline(always)]
    fn mean(&self, piece: Piece) -> [f32; 6] {
        let mut sums = [[0.0f32; 8]; 6];
        let (first, end) = (piece.first as usize, (piece.first + piece.count) as usize);
        for b in first / 8..end.div_ceil(8) {
            let block = &self.gradients[b];
            for k in 0..6 {
                for lane in 0..8 {
                    let is_own = 8 * b + lane >= first && 8 * b + lane < end;
                    let f = block[k][lane] + block[6 + k][lane];
                    sums[k][lane] += if is_own { f } else { 0.0 };
                }
            }
        }
        let mut mean = sums.map(|s| s.iter().sum::<f32>());
        let mut count = piece.count;
        if count == 0 {
            for &o in &self.others[piece.start as usize..piece.end as usize] {
                let (block, lane) = (&self.gradients[o as usize / 8], o as usize % 8);
                for k in 0..6 {
                    mean[k] += block[k][lane] + block[6 + k][lane];
                }
            }
            count = piece.end - piece.start;
        }
        mean.map(|m| m * 0.5 / count as f32)
    }

    /// Is λ_min(sym(FᵀR)) ≥ `least` in all triangles of a piece?
    #[inline(always)]
    fn all_above(&self, piece: Piece, r: [f32; 6], least: f32) -> bool {
        let (first, end) = (piece.first as usize, (piece.first + piece.count) as usize);
        for b in first / 8..end.div_ceil(8) {
            let mut fails = 0u32;
            for lane in 0..8 {
                let is_own = (8 * b + lane >= first) & (8 * b + lane < end);
                let f = |k: usize| self.gradients[b][k][lane];
                fails |= u32::from(is_own & !is_above(std::array::from_fn(f), r, least));
                if self.moves {
                    fails |= u32::from(is_own & !is_above(std::array::from_fn(|k| f(6 + k)), r, least));
                }
            }
            if fails != 0 {
                return false;
            }
        }
        self.others[piece.start as usize..piece.end as usize].iter().all(|&o| {
            let f = |k: usize| self.gradients[o as usize / 8][k][o as usize % 8];
            is_above(std::array::from_fn(f), r, least) && is_above(std::array::from_fn(|k| f(6 + k)), r, least)
        })
    }
}

/// Adds pieces to the lists and returns the number of each.
fn store(found: Vec<Option<Found>>, pieces: &mut Vec<Piece>, others: &mut Vec<u32>) -> Vec<u32> {
    let mut add = |(piece, list): Found| {
        let start = others.len() as u32;
        others.extend(list);
        pieces.push(Piece { start, end: others.len() as u32, ..piece });
        pieces.len() as u32 - 1
    };
    found.into_iter().map(|f| f.map_or(NONE, &mut add)).collect()
}

/// Is λ_min(sym(FᵀR)) ≥ `least`? False for what is not a number.
#[inline(always)]
fn is_above(f: [f32; 6], r: [f32; 6], least: f32) -> bool {
    let uu = f[0] * r[0] + f[1] * r[1] + f[2] * r[2] - least;
    let vv = f[3] * r[3] + f[4] * r[4] + f[5] * r[5] - least;
    let uv = 0.5 * (f[0] * r[3] + f[1] * r[4] + f[2] * r[5] + f[3] * r[0] + f[4] * r[1] + f[5] * r[2]);
    // Rounding of these products is relative to themselves.
    (uu >= 0.0) & (vv >= 0.0) & (uu * vv >= 1.000_002 * uv * uv)
}

/// F (FᵀF)^(−½), with columns of length 1 at right angles; nothing for an F near rank one.
#[inline(always)]
fn polar(f: [f32; 6]) -> Option<[f32; 6]> {
    let f = f.map(f64::from);
    let uu = f[0] * f[0] + f[1] * f[1] + f[2] * f[2];
    let vv = f[3] * f[3] + f[4] * f[4] + f[5] * f[5];
    let uv = f[0] * f[3] + f[1] * f[4] + f[2] * f[5];
    // √C = (C + √det C) / t with t = tr √C, and its inverse by cofactors, det √C = √det C.
    let det = (uu * vv - uv * uv).max(0.0).sqrt();
    let trace = (uu + vv + 2.0 * det).sqrt();
    let scale = 1.0 / (det * trace);
    if !(det > 1e-6 && scale.is_finite()) {
        return None;
    }
    let (a, b, c) = ((vv + det) * scale, -uv * scale, (uu + det) * scale);
    let column = |p: f64, q: f64| [0, 1, 2].map(|k| (p * f[k] + q * f[3 + k]) as f32);
    let (u, v) = (column(a, b), column(b, c));
    Some([u[0], u[1], u[2], v[0], v[1], v[2]])
}

/// Largest singular value of a 3×2 matrix, rounded up.
#[inline(always)]
fn spectral_norm(r: [f32; 6]) -> f32 {
    let r = r.map(f64::from);
    let uu = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    let vv = r[3] * r[3] + r[4] * r[4] + r[5] * r[5];
    let uv = r[0] * r[3] + r[1] * r[4] + r[2] * r[5];
    let half = 0.5 * (uu - vv);
    ((0.5 * (uu + vv) + (half * half + uv * uv).sqrt()).sqrt() * (1.0 + 1e-6)) as f32
}

/// Blocks that a thread takes at once.
const BLOCKS: usize = 256;

/// Sets gradients; returns the largest number in them.
struct Fill<'a> {
    blocks: &'a mut [Block],
    corners: &'a [[u32; 3]],
    inverses: &'a [[f64; 4]],
    x: &'a [DVec3],
    d: Option<&'a [DVec3]>,
}

impl Kernel for Fill<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<L: Lane>(self) -> f32 {
        let Fill { blocks, corners, inverses, x, d } = self;
        let mut largest = [0.0f32; 8];
        for ((block, corners), inverses) in blocks.iter_mut().zip(corners.chunks(8)).zip(inverses.chunks(8)) {
            let mut start = [[0.0; 8]; 6];
            gradients(x, corners, inverses, &mut start);
            let mut end = start;
            if let Some(d) = d {
                let mut change = [[0.0; 8]; 6];
                gradients(d, corners, inverses, &mut change);
                end = std::array::from_fn(|k| std::array::from_fn(|lane| start[k][lane] + change[k][lane]));
            }
            for k in 0..6 {
                for lane in 0..8 {
                    let (s, e) = (start[k][lane] as f32, end[k][lane] as f32);
                    block[k][lane] = s;
                    block[6 + k][lane] = e;
                    let m = if s.abs() > e.abs() { s.abs() } else { e.abs() };
                    largest[lane] = if largest[lane] > m { largest[lane] } else { m };
                }
            }
        }
        largest.into_iter().fold(0.0, f32::max)
    }
}

/// Gradients of up to eight triangles: columns u and v of each.
#[inline(always)]
fn gradients(x: &[DVec3], corners: &[[u32; 3]], inverses: &[[f64; 4]], out: &mut [[f64; 8]; 6]) {
    for (lane, (v, inverse)) in corners.iter().zip(inverses).enumerate() {
        let [a, b, c] = v.map(|v| x[v as usize]);
        let (p, q) = (b - a, c - a);
        let (u, v) = (p * inverse[0] + q * inverse[1], p * inverse[2] + q * inverse[3]);
        for k in 0..3 {
            out[k][lane] = u[k];
            out[3 + k][lane] = v[k];
        }
    }
}
