//! What could not be parted, by name.

use super::Problem;
use super::near::{Near, split};
use crate::certify::{Crossing, Feature, Meeting};
use crate::detect::leaves::panels;
use crate::shapes::Shapes;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Triangles of one panel of one body that are in trouble.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tangled {
    /// Name of the body.
    pub body: String,
    /// Number of the panel: pieces of a sheet that are joined in the flat state, counted over all sheets. None for obstacles, and
    /// without flat coordinates.
    pub panel: Option<u32>,
    /// Triangles, counted in the body.
    pub triangles: Vec<u32>,
}

/// Why a start cannot be taken, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tangle {
    /// Pairs of an edge and a triangle that cross where the search ended.
    pub crossings: usize,
    /// Cloth vertices inside obstacles there.
    pub inside: usize,
    /// Triangles concerned, by body and panel.
    pub places: Vec<Tangled>,
    /// In words.
    pub message: String,
}

impl fmt::Display for Tangle {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.message)?;
        for place in &self.places {
            write!(f, "\n  \"{}\"", place.body)?;
            if let Some(panel) = place.panel {
                write!(f, " panel {panel}")?;
            }
            let listed: Vec<String> = place.triangles.iter().take(LISTED).map(u32::to_string).collect();
            let more = place.triangles.len().saturating_sub(LISTED);
            write!(f, " triangles {}", listed.join(" "))?;
            if more > 0 {
                write!(f, " and {more} more")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Tangle {}

/// Triangles listed in messages.
const LISTED: usize = 12;

impl Tangle {
    pub(super) fn lost(shapes: &Shapes, vertex: usize) -> Self {
        let body = &shapes.bodies[shapes.body_of_vertex[vertex] as usize];
        let own = vertex - body.first_vertex as usize;
        let message = format!("vertex {own} of \"{}\" has no finite place: give it one", body.name);
        Self { crossings: 0, inside: 0, places: Vec::new(), message }
    }

    pub(super) fn stopped() -> Self {
        Self { crossings: 0, inside: 0, places: Vec::new(), message: "stopped before it was done".into() }
    }

    pub(super) fn crossing(problem: &Problem, meetings: &[(Meeting, Crossing)], inside: &[(u32, String)]) -> Self {
        let shapes = problem.shapes;
        let mut triangles = BTreeSet::new();
        let mut pairs: BTreeSet<[&str; 2]> = BTreeSet::new();
        for (_, pair) in meetings {
            triangles.insert(pair.triangle);
            let [a, b] = pair.bodies.map(|b| shapes.bodies[b as usize].name.as_str());
            pairs.insert([a.min(b), a.max(b)]);
            if let Feature::Edge(e) = pair.feature {
                triangles.extend(triangles_of(shapes, &shapes.edges[e as usize]));
            }
        }
        for (v, name) in inside {
            let own = shapes.bodies[shapes.body_of_vertex[*v as usize] as usize].name.as_str();
            pairs.insert([own.min(name.as_str()), own.max(name.as_str())]);
            triangles.extend(triangles_of(shapes, &[*v]));
        }
        let who: Vec<String> = pairs
            .iter()
            .map(|[a, b]| if a == b { format!("\"{a}\" and itself") } else { format!("\"{a}\" and \"{b}\"") })
            .collect();
        let crossings = meetings.iter().filter(|m| m.0 == Meeting::Crosses).count();
        let message = format!(
            "cannot part {}: {crossings} crossings and {} vertices inside obstacles are left; place the panels apart, or free pins there",
            who.join(", "),
            inside.len()
        );
        Self { crossings, inside: inside.len(), places: places(problem, &triangles), message }
    }

    pub(super) fn tight(problem: &Problem, near: &[&Near], least: f64) -> Self {
        let shapes = problem.shapes;
        let mut triangles = BTreeSet::new();
        for pair in near {
            let (first, second) = split(pair.kind, &pair.nodes);
            triangles.extend(triangles_of(shapes, first));
            triangles.extend(triangles_of(shapes, second));
        }
        let gap = near.iter().map(|p| p.gap).fold(f64::INFINITY, f64::min);
        let message = format!(
            "nothing crosses any more, but {} pairs are nearer than {:.3} mm beyond their thickness (nearest {:.3} mm), or cloth lies in a plane: make room, or use thinner cloth or a finer reach",
            near.len(),
            1e3 * least,
            1e3 * gap
        );
        Self { crossings: 0, inside: 0, places: places(problem, &triangles), message }
    }

    pub(super) fn stretched(problem: &Problem, edges: &[u32], [low, high]: [f64; 2]) -> Self {
        let shapes = problem.shapes;
        let triangles = edges.iter().flat_map(|&e| triangles_of(shapes, &shapes.edges[e as usize])).collect();
        let message = format!(
            "parting needs edges of {low:.2} to {high:.2} times their rest length: place the panels apart, or free pins there"
        );
        Self { crossings: 0, inside: 0, places: places(problem, &triangles), message }
    }
}

/// Triangles that have all of some vertices.
fn triangles_of(shapes: &Shapes, vertices: &[u32]) -> Vec<u32> {
    let has_all = |t: &[u32; 3]| vertices.iter().all(|v| t.contains(v));
    shapes.triangles.iter().enumerate().filter(|t| has_all(t.1)).map(|t| t.0 as u32).collect()
}

fn places(problem: &Problem, triangles: &BTreeSet<u32>) -> Vec<Tangled> {
    let shapes = problem.shapes;
    let panels = panels(shapes, problem.material);
    let body = |t: u32| shapes.body_of_vertex[shapes.triangles[t as usize][0] as usize];
    let mut first = BTreeMap::new();
    for t in 0..shapes.triangles.len() as u32 {
        first.entry(body(t)).or_insert(t);
    }
    let mut groups: BTreeMap<(u32, Option<u32>), Vec<u32>> = BTreeMap::new();
    for &t in triangles {
        let panel = panels.get(t as usize).copied();
        groups.entry((body(t), panel)).or_default().push(t - first[&body(t)]);
    }
    let name = |b: u32| shapes.bodies[b as usize].name.clone();
    groups.into_iter().map(|((b, panel), triangles)| Tangled { body: name(b), panel, triangles }).collect()
}
