//! Geometry of the hierarchy: an order of the vertices along the panels, coarse grids over the material coordinates, and
//! weights from one level to the next.
//!
//! Every panel carries grids of its own, aligned with its box: cells of about two vertex spacings at first, twice as wide
//! on each further level. On a structured rectangle the coarse nodes fall on vertices.

use super::super::{Layout, Pattern, Place, Real};
use std::collections::BTreeMap;

/// Nodes at which coarsening stops: a factor of this size costs less than another level.
const COARSEST: usize = 40;
/// Weights below this are dropped and the rest enlarged: rounding would otherwise couple a vertex on a grid line to both
/// sides of it.
const NEGLIGIBLE: f64 = 0.01;

/// Interpolation to a level from the next coarser one: for each fine node its coarse nodes and weights.
#[derive(Clone, Debug, Default)]
pub(super) struct Weights {
    pub(super) starts: Vec<u32>,
    pub(super) nodes: Vec<u32>,
    pub(super) weights: Vec<f64>,
    /// Number of coarse nodes.
    pub(super) coarse: usize,
}

impl Weights {
    pub(super) fn row(&self, i: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let range = self.starts[i] as usize..self.starts[i + 1] as usize;
        self.nodes[range.clone()].iter().copied().zip(self.weights[range].iter().copied())
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// From coarse to fine: for each coarse node its fine nodes.
    pub(super) fn transposed(&self) -> Self {
        let mut starts = vec![0u32; self.coarse + 1];
        self.nodes.iter().for_each(|&n| starts[n as usize + 1] += 1);
        for n in 0..self.coarse {
            starts[n + 1] += starts[n];
        }
        let mut next = starts.clone();
        let (mut nodes, mut weights) = (vec![0; self.nodes.len()], vec![0.0; self.nodes.len()]);
        for i in 0..self.len() {
            for (node, weight) in self.row(i) {
                let k = next[node as usize] as usize;
                (nodes[k], weights[k]) = (i as u32, weight);
                next[node as usize] += 1;
            }
        }
        Self { starts, nodes, weights, coarse: self.len() }
    }
}

/// A panel's grid on one level.
#[derive(Clone, Copy, Debug)]
struct PanelGrid {
    origin: [f64; 2],
    spacing: [f64; 2],
    /// Cells along u and v; a direction without extent has none and a single row of nodes.
    cells: [u32; 2],
    /// Axis whose index runs slowest in the order of nodes: the longer one, so that neighbours are few rows apart.
    slow: usize,
}

/// A node, named by the panel and its place in the grid; orders by panel, slow and fast index.
type Key = (u32, u32, u32);

impl PanelGrid {
    fn key(&self, panel: u32, at: [u32; 2]) -> Key {
        (panel, at[self.slow], at[1 - self.slow])
    }

    fn at(&self, key: Key) -> [u32; 2] {
        if self.slow == 0 { [key.1, key.2] } else { [key.2, key.1] }
    }

    fn coarser(&self, to_points: bool) -> Self {
        let halve = |c: u32| if c > 1 { c.div_ceil(2) } else { c * u32::from(!to_points) };
        Self { spacing: self.spacing.map(|s| 2.0 * s), cells: self.cells.map(halve), ..*self }
    }
}

/// Order of the vertices, and interpolation between all levels, the finest first.
pub(super) struct Grids {
    /// `order[k]` is the vertex that stands k-th.
    pub(super) order: Vec<u32>,
    pub(super) transfers: Vec<Weights>,
}

pub(super) fn build<T: Real>(layout: &Layout<T>) -> Grids {
    let mut panels = panel_grids(&layout.blocks, &layout.places);
    let order = order(layout, &panels);
    // (place in the first coarse grid, is an unknown) of each fine node, in order.
    let mut fine: Vec<(Vec<(Key, f64)>, bool)> = order
        .iter()
        .map(|&v| {
            let alive = layout.free[v as usize].iter().any(|c| c.to_f64() != 0.0);
            (layout.places[v as usize].map_or(Vec::new(), |p| bilinear(&panels[&p.panel], &p)), alive)
        })
        .collect();
    let mut transfers = Vec::new();
    let mut len = order.len();
    while len > COARSEST {
        let (weights, nodes) = transfer(&fine, len);
        if weights.coarse == 0 || weights.coarse >= len {
            break;
        }
        len = weights.coarse;
        let to_points = panels.values().all(|p| p.cells.iter().all(|&c| c <= 1));
        let coarser: BTreeMap<u32, PanelGrid> = panels.iter().map(|(&k, p)| (k, p.coarser(to_points))).collect();
        fine = nodes.iter().map(|&(key, alive)| (halved(key, &panels[&key.0], &coarser[&key.0]), alive)).collect();
        panels = coarser;
        transfers.push(weights);
    }
    Grids { order, transfers }
}

/// First coarse grid of each panel.
fn panel_grids(pattern: &Pattern, places: &[Option<Place>]) -> BTreeMap<u32, PanelGrid> {
    struct Extent {
        low: [f64; 2],
        high: [f64; 2],
        squared: f64,
        pairs: f64,
    }
    let mut extents: BTreeMap<u32, Extent> = BTreeMap::new();
    for (i, place) in places.iter().enumerate() {
        let Some(p) = place else { continue };
        let extent = extents.entry(p.panel).or_insert(Extent {
            low: [f64::INFINITY; 2],
            high: [f64::NEG_INFINITY; 2],
            squared: 0.0,
            pairs: 0.0,
        });
        for c in 0..2 {
            extent.low[c] = extent.low[c].min(p.uv[c]);
            extent.high[c] = extent.high[c].max(p.uv[c]);
        }
        let neighbours = pattern.columns[pattern.row(i)].iter().filter_map(|&j| places[j as usize]);
        for q in neighbours.filter(|q| q.panel == p.panel) {
            extent.squared += (p.uv[0] - q.uv[0]).powi(2) + (p.uv[1] - q.uv[1]).powi(2);
            extent.pairs += 1.0;
        }
    }
    let grid = |e: &Extent| {
        // Edges h, h and √2 h of a square grid have the mean square 4/3 h².
        let h = (0.75 * e.squared / e.pairs.max(1.0)).sqrt();
        let size = [e.high[0] - e.low[0], e.high[1] - e.low[1]];
        let cells = size.map(|s| if s > 0.0 { (s / (2.0 * h)).round().clamp(1.0, 1e6) as u32 } else { 0 });
        let spacing = std::array::from_fn(|c| if cells[c] > 0 { size[c] / f64::from(cells[c]) } else { 1.0 });
        PanelGrid { origin: e.low, spacing, cells, slow: usize::from(size[1] >= size[0]) }
    };
    extents.iter().map(|(&panel, e)| (panel, grid(e))).collect()
}

/// Vertices by panel, then strip by strip: neighbours stay close in memory, and fixed chunks have short borders. A
/// vertex without a place goes with its first neighbour that has one.
fn order<T: Real>(layout: &Layout<T>, panels: &BTreeMap<u32, PanelGrid>) -> Vec<u32> {
    let key = |p: &Place| {
        let g = &panels[&p.panel];
        let strip = |c: usize| 2.0 * (p.uv[c] - g.origin[c]) / g.spacing[c];
        (p.panel, strip(g.slow).round() as u32, strip(1 - g.slow))
    };
    let mut keys: Vec<Option<(u32, u32, f64)>> = layout.places.iter().map(|p| p.as_ref().map(key)).collect();
    for i in 0..keys.len() {
        for &j in &layout.blocks.columns[layout.blocks.row(i)] {
            let j = j as usize;
            if layout.places[i].is_none() && keys[i].is_none() {
                keys[i] = keys[j];
            } else if layout.places[j].is_none() && keys[j].is_none() {
                keys[j] = keys[i];
            }
        }
    }
    let mut order: Vec<u32> = (0..keys.len() as u32).collect();
    let last = (u32::MAX, u32::MAX, 0.0);
    order.sort_by(|&a, &b| {
        let (p, q) = (keys[a as usize].unwrap_or(last), keys[b as usize].unwrap_or(last));
        (p.0, p.1).cmp(&(q.0, q.1)).then(p.2.total_cmp(&q.2)).then(a.cmp(&b))
    });
    order
}

fn bilinear(grid: &PanelGrid, place: &Place) -> Vec<(Key, f64)> {
    let axes: [Vec<(u32, f64)>; 2] = std::array::from_fn(|c| {
        if grid.cells[c] == 0 {
            return vec![(0, 1.0)];
        }
        let s = (place.uv[c] - grid.origin[c]) / grid.spacing[c];
        let cell = s.floor().clamp(0.0, f64::from(grid.cells[c] - 1));
        let share = (s - cell).clamp(0.0, 1.0);
        match share {
            _ if share < NEGLIGIBLE => vec![(cell as u32, 1.0)],
            _ if share > 1.0 - NEGLIGIBLE => vec![(cell as u32 + 1, 1.0)],
            _ => vec![(cell as u32, 1.0 - share), (cell as u32 + 1, share)],
        }
    });
    outer(grid, place.panel, &axes)
}

/// Places of a coarse node in the next grid: on a node of it, or halfway between two, in each direction.
fn halved(key: Key, from: &PanelGrid, to: &PanelGrid) -> Vec<(Key, f64)> {
    let at = from.at(key);
    let axes: [Vec<(u32, f64)>; 2] = std::array::from_fn(|c| match (from.cells[c], to.cells[c]) {
        (_, 0) => vec![(0, 1.0)],
        (1, 1) => vec![(at[c], 1.0)],
        _ if at[c].is_multiple_of(2) => vec![(at[c] / 2, 1.0)],
        _ => vec![(at[c] / 2, 0.5), (at[c] / 2 + 1, 0.5)],
    });
    outer(to, key.0, &axes)
}

fn outer(grid: &PanelGrid, panel: u32, axes: &[Vec<(u32, f64)>; 2]) -> Vec<(Key, f64)> {
    let pairs = axes[0].iter().flat_map(|&(i, p)| axes[1].iter().map(move |&(j, q)| ([i, j], p * q)));
    pairs.map(|(at, weight)| (grid.key(panel, at), weight)).collect()
}

/// Numbers the coarse nodes and drops those that lie mostly among fixed ones: their motion is not wanted. Returns the
/// nodes that are left, and the dropped ones behind them for the decision on the next level: of `fine`, only the first
/// `len` are nodes.
fn transfer(fine: &[(Vec<(Key, f64)>, bool)], len: usize) -> (Weights, Vec<(Key, bool)>) {
    let mut shares: BTreeMap<Key, [f64; 2]> = BTreeMap::new();
    for (places, alive) in fine {
        for &(key, weight) in places {
            shares.entry(key).or_default()[usize::from(*alive)] += weight;
        }
    }
    let is_alive = |share: &[f64; 2]| share[1] >= share[0];
    let alive: BTreeMap<Key, u32> =
        shares.iter().filter(|s| is_alive(s.1)).enumerate().map(|(k, s)| (*s.0, k as u32)).collect();
    let mut weights = Weights { starts: vec![0], coarse: alive.len(), ..Weights::default() };
    for (places, is_unknown) in &fine[..len] {
        for (key, weight) in places {
            if let (true, Some(&node)) = (is_unknown, alive.get(key)) {
                weights.nodes.push(node);
                weights.weights.push(*weight);
            }
        }
        weights.starts.push(weights.nodes.len() as u32);
    }
    let mut nodes: Vec<(Key, bool)> = alive.keys().map(|&k| (k, true)).collect();
    nodes.extend(shares.iter().filter(|s| !is_alive(s.1)).map(|s| (*s.0, false)));
    (weights, nodes)
}
