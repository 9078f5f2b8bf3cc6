//! Problems for the tests of solvers: random matrices with a dense answer, and sheets.

use super::{BlockMatrix, Layout, Operator, Pair, Pattern, Place, Real, ScalarMatrix};
use crate::lane::Level;
use crate::mesh::{Diagonal, Grid, Topology};
use std::sync::Arc;

/// Numbers in (−1, 1) from a seed (xorshift).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    pub(super) fn vector<T: Real>(&mut self, free: &[[T; 3]]) -> Vec<[T; 3]> {
        free.iter().map(|f| f.map(|m| T::from_f64(self.next()) * m)).collect()
    }
}

/// A matrix with everything a solver needs to know about it.
pub(super) struct Problem<T> {
    pub(super) layout: Layout<T>,
    pub(super) blocks: BlockMatrix<T>,
    pub(super) lumped: Vec<T>,
    pub(super) pairs: Vec<Pair>,
}

impl<T: Real> Problem<T> {
    pub(super) fn operator(&self) -> Operator<'_, T> {
        Operator {
            blocks: &self.blocks,
            scalars: self.layout.scalars.as_deref(),
            lumped: &self.lumped,
            pairs: &self.pairs,
            free: &self.layout.free,
        }
    }

    /// The same problem with its vertices in a random order.
    pub(super) fn renumbered(&self, seed: u64) -> Self {
        let (n, mut random) = (self.layout.len(), Random(seed));
        let mut rank: Vec<u32> = (0..n as u32).collect();
        let keys: Vec<u64> = rank.iter().map(|_| random.next().to_bits()).collect();
        rank.sort_by_key(|&i| keys[i as usize]);
        let old = &self.layout;
        let moved = |pattern: &Pattern| {
            Arc::new(Pattern::from_stencils(n, |visit| {
                (0..n).for_each(|i| {
                    pattern.columns[pattern.row(i)].iter().for_each(|&j| visit(&[rank[i], rank[j as usize]]))
                });
            }))
        };
        let scalars = old.scalars.as_ref().map(|s| {
            let pattern = moved(&s.pattern);
            let mut new = ScalarMatrix { diagonal: s.diagonal.clone(), lower: s.lower.clone(), pattern };
            for i in 0..n {
                new.diagonal[rank[i] as usize] = s.diagonal[i];
                for k in s.pattern.row(i) {
                    let slot = new.pattern.slot(rank[i], rank[s.pattern.columns[k] as usize]).unwrap();
                    new.lower[slot as usize] = s.lower[k];
                }
            }
            Arc::new(new)
        });
        let pattern = moved(&old.blocks);
        let mut blocks = BlockMatrix::zero(pattern.clone());
        let pairs = self.pairs.iter().map(|p| Pair { nodes: p.nodes.map(|v| rank[v as usize]), ..*p }).collect();
        let (mut free, mut places, mut lumped) = (old.free.clone(), old.places.clone(), self.lumped.clone());
        for i in 0..n {
            let to = rank[i] as usize;
            (free[to], places[to], lumped[to]) = (old.free[i], old.places[i], self.lumped[i]);
            blocks.diagonal[to] = self.blocks.diagonal[i];
            for k in old.blocks.row(i) {
                let j = rank[old.blocks.columns[k] as usize] as usize;
                let b = self.blocks.lower[k];
                let turned = [b[0], b[3], b[6], b[1], b[4], b[7], b[2], b[5], b[8]];
                blocks.lower[pattern.slot(to as u32, j as u32).unwrap() as usize] = if to > j { b } else { turned };
            }
        }
        Self { layout: Layout { blocks: pattern, scalars, free, places, simd: old.simd }, blocks, lumped, pairs }
    }

    /// The answer by dense elimination in `f64`.
    pub(super) fn dense_solve(&self, b: &[[T; 3]]) -> Vec<[f64; 3]> {
        let (a, n) = (self.operator(), 3 * b.len());
        let mut m = vec![vec![0.0; n + 1]; n];
        for k in 0..n {
            let mut unit = vec![[T::default(); 3]; b.len()];
            let mut column = unit.clone();
            unit[k / 3][k % 3] = self.layout.free[k / 3][k % 3];
            a.multiply(&unit, &mut column);
            for r in 0..n {
                m[r][k] = column[r / 3][r % 3].to_f64();
            }
            let free = self.layout.free[k / 3][k % 3].to_f64();
            m[k][k] += 1.0 - free;
            m[k][n] = b[k / 3][k % 3].to_f64() * free;
        }
        for k in 0..n {
            for r in k + 1..n {
                let f = m[r][k] / m[k][k];
                for c in k..=n {
                    m[r][c] -= f * m[k][c];
                }
            }
        }
        let mut x = vec![[0.0; 3]; b.len()];
        for k in (0..n).rev() {
            let sum: f64 = (k + 1..n).map(|c| m[k][c] * x[c / 3][c % 3]).sum();
            x[k / 3][k % 3] = (m[k][n] - sum) / m[k][k];
        }
        x
    }
}

/// A sheet of springs, bending and mass under random strain, `cells` a side: E = 1000 N/m, 150 g/m², 1 m × 1 m, step 10 ms,
/// bending 8.3e-5 N·m, one edge fixed, inner vertices moved by `jitter` cells. The blocks are those of pre-stressed springs
/// along the edges, in random directions, so that no structure helps the solver.
pub(super) fn sheet<T: Real>(cells: usize, jitter: f64, seed: u64) -> Problem<T> {
    let grid = Grid { cells: [cells, cells], size: [1.0, 1.0], diagonal: Diagonal::Alternating };
    let mesh = grid.mesh();
    let topology = Topology::new(&mesh).unwrap();
    let (n, h) = (mesh.vertex_count(), 1.0 / cells as f64);
    let mut random = Random(seed);
    let pattern = Arc::new(Pattern::from_stencils(n, |visit| mesh.triangles.iter().for_each(|t| visit(t))));
    let mut blocks = BlockMatrix::zero(pattern.clone());
    let mut add = |v: [u32; 2], k: [f64; 9]| {
        let slot = pattern.slot(v[0], v[1]).unwrap() as usize;
        for e in 0..9 {
            blocks.lower[slot][e] -= T::from_f64(k[e]);
            for w in v {
                blocks.diagonal[w as usize][e] += T::from_f64(k[e]);
            }
        }
    };
    for edge in &topology.edges {
        let d = mesh.positions[edge.vertices[1] as usize] - mesh.positions[edge.vertices[0] as usize];
        let along = [d.x, d.y + 0.3 * h * random.next(), d.z];
        let squared: f64 = along.iter().map(|c| c * c).sum();
        let stress = 5.0 * random.next().abs();
        let unit = |k: usize| if k.is_multiple_of(4) { stress } else { 0.0 };
        add(edge.vertices, std::array::from_fn(|k| 600.0 * along[k / 3] * along[k % 3] / squared + unit(k)));
    }
    let hinges: Vec<[u32; 4]> = topology
        .edges
        .iter()
        .filter(|e| e.triangles[1] != Topology::NONE)
        .map(|e| [e.vertices[0], e.vertices[1], e.opposite[0], e.opposite[1]])
        .collect();
    let wide = Arc::new(Pattern::from_stencils(n, |visit| hinges.iter().for_each(|s| visit(s))));
    let mut scalars =
        ScalarMatrix { diagonal: vec![T::default(); n], lower: vec![T::default(); wide.columns.len()], pattern: wide };
    let weights = [1.0, 1.0, -1.0, -1.0];
    for hinge in &hinges {
        for (a, &i) in hinge.iter().enumerate() {
            scalars.diagonal[i as usize] += T::from_f64(8.3e-5 * 3.0 / (h * h) * weights[a] * weights[a]);
            for (b, &j) in hinge.iter().enumerate().take(a) {
                let slot = scalars.pattern.slot(i, j).unwrap() as usize;
                scalars.lower[slot] += T::from_f64(8.3e-5 * 3.0 / (h * h) * weights[a] * weights[b]);
            }
        }
    }
    let places = mesh.positions.iter().map(|p| {
        let mut nudge = |c: f64| c + jitter * h * random.next() * f64::from(u8::from(c > 0.0 && c < 1.0));
        Some(Place { panel: 0, uv: [nudge(p.x), nudge(-p.z)] })
    });
    let places = places.collect();
    let free = mesh.positions.iter().map(|p| [T::from_f64(f64::from(u8::from(p.x > 0.0))); 3]).collect();
    let lumped = mesh.lumped_masses(0.15).iter().map(|m| T::from_f64(m / 1e-4)).collect();
    Problem {
        layout: Layout { blocks: pattern, scalars: Some(Arc::new(scalars)), free, places, simd: Level::detect() },
        blocks,
        lumped,
        pairs: Vec::new(),
    }
}

/// A small sheet whose mask fixes whole vertices and single components at random.
pub(super) fn masked_sheet<T: Real>(cells: usize, seed: u64) -> Problem<T> {
    let mut problem = sheet(cells, 0.2, seed);
    let mut random = Random(seed ^ 0x9E37);
    for free in &mut problem.layout.free {
        for c in 0..3 {
            if random.next() > 0.8 {
                free[c] = T::default();
            }
        }
    }
    problem
}

/// Largest difference over largest value.
pub(super) fn relative_error<T: Real>(x: &[[T; 3]], exact: &[[f64; 3]]) -> f64 {
    let largest = exact.iter().flatten().fold(0.0, |m: f64, v| m.max(v.abs()));
    let differences = x.iter().flatten().zip(exact.iter().flatten()).map(|(a, b)| (a.to_f64() - b).abs());
    differences.fold(0.0, f64::max) / largest
}

/// Random contacts: a vertex on a triangle far away, or two far edges, as stiff as the membrane and up to a hundred times stiffer.
pub(super) fn pairs(len: usize, count: usize, seed: u64) -> Vec<Pair> {
    let mut random = Random(seed + 100);
    let mut pick = |n: usize| ((0.5 + 0.499 * random.next()) * n as f64) as usize;
    let ids: Vec<[u32; 4]> = (0..count).map(|_| std::array::from_fn(|_| pick(len) as u32)).collect();
    let distinct = |id: &[u32; 4]| (0..4).all(|a| (0..a).all(|b| id[a] != id[b]));
    let mut random = Random(seed + 200);
    ids.into_iter()
        .filter(distinct)
        .map(|nodes| {
            let (s, t) = (0.5 + 0.4 * random.next(), 0.5 + 0.4 * random.next());
            let n: [f64; 3] = std::array::from_fn(|_| random.next());
            let k = 10f64.powf(4.0 + random.next());
            let block = [n[0] * n[0], n[0] * n[1], n[0] * n[2], n[1] * n[1], n[1] * n[2], n[2] * n[2]].map(|v| k * v);
            Pair { nodes, weights: [1.0 - s, s, t - 1.0, -t], block }
        })
        .collect()
}
