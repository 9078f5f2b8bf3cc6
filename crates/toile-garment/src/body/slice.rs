//! Plane sections of triangle meshes: the closed lines a saw leaves.

use super::tape::hull_length;
use glam::{DVec2, DVec3};

/// A closed line of a section, in coordinates of the plane.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Loop {
    pub(super) points: Vec<DVec2>,
    pub(super) low: DVec2,
    pub(super) high: DVec2,
}

/// A plane with axes: u and v at right angles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Plane {
    pub(crate) origin: DVec3,
    pub(crate) u: DVec3,
    pub(crate) v: DVec3,
}

impl Plane {
    /// The level at a height: u is x, v is z.
    pub(super) fn level(height: f64) -> Self {
        Self { origin: DVec3::new(0.0, height, 0.0), u: DVec3::X, v: DVec3::Z }
    }

    /// The plane across a direction.
    pub(crate) fn across(origin: DVec3, direction: DVec3) -> Self {
        let v = (DVec3::Z - direction * direction.z).normalize_or(DVec3::X);
        Self { origin, u: v.cross(direction), v }
    }

    /// The point of plane coordinates.
    pub(super) fn point(&self, at: DVec2) -> DVec3 {
        self.origin + at.x * self.u + at.y * self.v
    }
}

impl Loop {
    fn new(points: Vec<DVec2>) -> Self {
        let low = points.iter().copied().fold(DVec2::MAX, DVec2::min);
        let high = points.iter().copied().fold(DVec2::MIN, DVec2::max);
        Self { points, low, high }
    }

    /// Tape round the line.
    pub(super) fn girth(&self) -> f64 {
        hull_length(&self.points)
    }

    /// Middle of the enclosed area.
    pub(super) fn centre(&self) -> DVec2 {
        let (mut area, mut sum) = (0.0, DVec2::ZERO);
        let origin = self.points[0];
        for pair in self.points.windows(2) {
            let (a, b) = (pair[0] - origin, pair[1] - origin);
            let part = a.perp_dot(b);
            area += part;
            sum += part * (a + b);
        }
        // A line without area is only met where the plane grazes the surface.
        if area.abs() > 1e-12 { origin + sum / (3.0 * area) } else { 0.5 * (self.low + self.high) }
    }
}

/// Where a plane crosses an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Crossing {
    /// Vertices of the edge, the smaller number first.
    pub(crate) edge: [u32; 2],
    /// Share of the way from the first to the second.
    pub(crate) share: f64,
}

/// A line in which a plane cuts a mesh: from crossing to crossing, each step through one triangle.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cut {
    /// Crossings in order; one more than triangles where the line is open.
    pub(crate) crossings: Vec<Crossing>,
    /// Triangles between them.
    pub(crate) triangles: Vec<usize>,
}

impl Cut {
    /// Does it come back to where it starts?
    pub(crate) fn is_closed(&self) -> bool {
        self.crossings.len() == self.triangles.len()
    }

    /// The crossings in coordinates of the plane.
    pub(crate) fn points(&self, vertices: &[DVec3], plane: &Plane) -> Vec<DVec2> {
        let place = |c: &Crossing| {
            let [p, q] = c.edge.map(|v| vertices[v as usize] - plane.origin);
            let point = p + (q - p) * c.share;
            DVec2::new(point.dot(plane.u), point.dot(plane.v))
        };
        self.crossings.iter().map(place).collect()
    }
}

/// All lines in which a plane cuts a mesh whose triangles are oriented alike.
pub(crate) fn cuts(vertices: &[DVec3], triangles: &[[u32; 3]], plane: &Plane) -> Vec<Cut> {
    let normal = plane.v.cross(plane.u);
    let side: Vec<f64> = vertices.iter().map(|p| (*p - plane.origin).dot(normal)).collect();
    let is_above = |v: u32| side[v as usize] >= 0.0;
    // Each cut triangle leads from the edge where it rises through the plane to the one where it falls.
    let mut steps: Vec<Step> = Vec::new();
    for (number, t) in triangles.iter().enumerate() {
        let above = t.map(is_above);
        if above[0] == above[1] && above[1] == above[2] {
            continue;
        }
        let edge = |k: usize| {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            [a.min(b), a.max(b)]
        };
        let find = |from: bool| (0..3).find(|k| above[*k] == from && above[(*k + 1) % 3] != from);
        if let (Some(up), Some(down)) = (find(false), find(true)) {
            steps.push((edge(up), edge(down), number));
        }
    }
    let crossing = |edge: [u32; 2]| {
        let [s, t] = edge.map(|v| side[v as usize]);
        Crossing { edge, share: s / (s - t) }
    };
    let cut = |(edges, triangles): (Vec<[u32; 2]>, Vec<usize>)| Cut {
        crossings: edges.into_iter().map(crossing).collect(),
        triangles,
    };
    chains(steps).into_iter().map(cut).collect()
}

/// All lines in which a plane cuts a mesh, largest first. Where the mesh is open, lines end and are closed straight.
pub(super) fn section(vertices: &[DVec3], triangles: &[[u32; 3]], plane: &Plane) -> Vec<Loop> {
    let mut loops: Vec<Loop> =
        cuts(vertices, triangles, plane).iter().map(|cut| Loop::new(cut.points(vertices, plane))).collect();
    let size = |l: &Loop| (l.high - l.low).element_product();
    loops.sort_by(|a, b| size(b).total_cmp(&size(a)));
    loops
}

/// From an edge to an edge, through a triangle.
type Step = ([u32; 2], [u32; 2], usize);

/// Steps joined end to start: edges and triangles of each chain.
fn chains(mut steps: Vec<Step>) -> Vec<(Vec<[u32; 2]>, Vec<usize>)> {
    steps.sort_unstable();
    let mut is_used = vec![false; steps.len()];
    let next = |is_used: &[bool], edge: [u32; 2]| {
        let first = steps.partition_point(|step| step.0 < edge);
        (first..steps.len()).take_while(|k| steps[*k].0 == edge).find(|k| !is_used[*k])
    };
    let mut chains = Vec::new();
    for start in 0..steps.len() {
        let (mut chain, mut through) = (Vec::new(), Vec::new());
        let mut at = (!is_used[start]).then_some(start);
        while let Some(k) = at {
            is_used[k] = true;
            chain.push(steps[k].0);
            through.push(steps[k].2);
            at = next(&is_used, steps[k].1);
            if at.is_none() && steps[k].1 != chain[0] {
                chain.push(steps[k].1);
            }
        }
        if chain.len() > 2 {
            chains.push((chain, through));
        }
    }
    chains
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box cut by a level is its outline, by a diagonal plane a longer rectangle; centres are where they should be.
    #[test]
    fn sections_of_a_box_are_rectangles() {
        let corner = |k: usize| DVec3::new((k & 1) as f64, ((k >> 1) & 1) as f64, ((k >> 2) & 1) as f64);
        let vertices: Vec<DVec3> = (0..8).map(|k| corner(k) * DVec3::new(2.0, 1.0, 3.0)).collect();
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles: Vec<[u32; 3]> = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
        let loops = section(&vertices, &triangles, &Plane::level(0.3));
        assert_eq!(loops.len(), 1);
        assert!((loops[0].girth() - 10.0).abs() < 1e-12);
        assert!(loops[0].centre().distance(DVec2::new(1.0, 1.5)) < 1e-12);
        let tilted = Plane::across(DVec3::new(1.0, 0.5, 1.5), DVec3::new(0.6, 0.8, 0.0));
        let loops = section(&vertices, &triangles, &tilted);
        assert!((loops[0].girth() - 2.0 * (3.0 + 1.0 / 0.6)).abs() < 1e-12, "{}", loops[0].girth());
        assert!(tilted.point(loops[0].centre()).distance(DVec3::new(1.0, 0.5, 1.5)) < 1e-12);
        assert!(section(&vertices, &triangles, &Plane::level(2.0)).is_empty());
    }
}
