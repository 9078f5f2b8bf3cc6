//! Panels moved apart before anything is sewn: none may start in the body or in another panel.

use super::{DrapeError, Figure, Item, Options, Way, Worn, name, share};
use crate::cloth::{Cloth, Cut};
use glam::{DVec2, DVec3};
use toile_contact::obstacle::Form;
use toile_contact::shapes::Shapes;
use toile_contact::untangle::{Problem, Tangle, faults, untangle};

/// How far a panel in the way is moved at a time (m).
const SHIFT: f64 = 0.01;
/// Moves before a start is given up: two metres.
const ROUNDS: usize = 200;

/// Highest that a garment is lifted (m), and how far at a time.
const HIGHEST: f64 = 0.12;
const LIFT: f64 = 0.01;

/// Lifts a garment until the stitches of its topmost seams go clear of the body. Straps that start lower than the shoulder are drawn into it and
/// slide off over the arm; from above they close on top of it, and fall into place. Returns how far it was lifted (m): where no height
/// serves, the one with the fewest stitches through the body.
pub(super) fn lift(cut: &mut Cut, top: &[usize], way: &Way) -> f64 {
    let top: Vec<[DVec3; 2]> = cut
        .joins
        .iter()
        .filter(|j| top.contains(&(j.seam as usize)))
        .map(|j| j.ends.map(|v| cut.cloth.mesh.positions[v as usize]))
        .collect();
    let heights = (0..=(HIGHEST / LIFT).round() as usize).map(|k| k as f64 * LIFT);
    let caught = |height: f64| {
        let up = height * DVec3::Y;
        top.iter().filter(|[a, b]| way.is_pierced(*a + up, *b + up)).count()
    };
    // Of heights that serve alike the lowest: it comes first.
    let (_, height) = heights.map(|h| (caught(h), h)).min_by_key(|h| h.0).unwrap_or_default();
    let flat = flat_places(&cut.cloth);
    for (stand, vertices) in cut.stands.iter_mut().zip(&cut.vertices) {
        *stand = stand.higher(height).tapered();
        for v in vertices.clone().map(|v| v as usize) {
            cut.cloth.mesh.positions[v] = stand.place(flat[v]);
        }
    }
    height
}

impl Way {
    /// Whether the straight way from `a` to `b` passes through anything.
    fn is_pierced(&self, a: DVec3, b: DVec3) -> bool {
        self.0.iter().any(|obstacle| match &obstacle.form {
            Form::Mesh { vertices, triangles, .. } => {
                triangles.iter().any(|t| pierces([a, b], t.map(|v| vertices[v as usize])))
            }
            _ => false,
        })
    }
}

/// Whether a segment passes through a triangle (Möller–Trumbore). One along it counts as passing by.
fn pierces([a, b]: [DVec3; 2], [p, q, r]: [DVec3; 3]) -> bool {
    let (way, e, f) = (b - a, q - p, r - p);
    let h = way.cross(f);
    let det = e.dot(h);
    if det.abs() < f64::MIN_POSITIVE {
        return false;
    }
    let s = a - p;
    let g = s.cross(e);
    let [u, v, at] = [s.dot(h), way.dot(g), f.dot(g)].map(|x| x / det);
    u >= 0.0 && v >= 0.0 && u + v <= 1.0 && (0.0..=1.0).contains(&at)
}

/// Moves whole panels outwards until nothing crosses or touches. Returns how far each was moved (m).
pub(super) fn part(item: &Item, cut: &mut Cut, way: &Way, options: &Options) -> Result<Vec<f64>, DrapeError> {
    let garment = item.garment;
    let shapes = shapes(item, cut, way);
    let count = cut.cloth.mesh.positions.len();
    let (weights, is_free) = (vec![1.0; count], vec![true; count]);
    let problem = Problem {
        shapes: &shapes,
        material: &cut.cloth.mesh.material.clone(),
        weights: &weights,
        is_free: &is_free,
        planes: &[],
        own: true,
        clearance: options.reach,
        stretch: [0.0, f64::INFINITY],
        max_rounds: 0,
    };
    let flat = flat_places(&cut.cloth);
    let mut moved = vec![0.0; garment.panels.len()];
    let mut positions = way.behind(&cut.cloth.mesh.positions);
    for _ in 0..ROUNDS {
        let found = faults(&problem, &positions).map_err(|e| DrapeError::Tangled(e.to_string()))?;
        if found.between.is_empty() {
            cut.cloth.mesh.positions.copy_from_slice(&positions[..count]);
            return Ok(moved);
        }
        let mut in_the_way = vec![false; garment.panels.len()];
        for pair in &found.between {
            // Of two panels the outer one gives way; of equal ones the one that was named later: it is the one sewn on.
            let panels = pair.iter().filter_map(|name| garment.panel(name));
            if let Some(panel) = panels.max_by_key(|p| (garment.panels[*p].layer, *p)) {
                in_the_way[panel] = true;
            }
        }
        for panel in (0..garment.panels.len()).filter(|p| in_the_way[*p]) {
            moved[panel] += SHIFT;
            let facing = garment.panels[panel].signed_area().signum();
            cut.stands[panel] = cut.stands[panel].further(SHIFT, facing);
            for v in cut.vertices[panel].clone().map(|v| v as usize) {
                positions[v] = cut.stands[panel].place(flat[v]);
            }
        }
    }
    let worst = (0..moved.len()).max_by(|a, b| moved[*a].total_cmp(&moved[*b])).unwrap_or(0);
    Err(DrapeError::Tangled(format!(
        "panel `{}` was moved out by {:.2} m and is still in the way of the body or of other cloth",
        garment.panels[worst].name, moved[worst]
    )))
}

/// Place of each vertex of cut cloth on its panel (m).
fn flat_places(cloth: &Cloth) -> Vec<DVec2> {
    let mut flat = vec![DVec2::ZERO; cloth.mesh.positions.len()];
    for (corners, places) in cloth.mesh.triangles.iter().zip(&cloth.flat) {
        corners.iter().zip(places).for_each(|(v, p)| flat[*v as usize] = *p);
    }
    flat
}

fn shapes(item: &Item, cut: &Cut, way: &Way) -> Shapes {
    let mut shapes = Shapes::default();
    let mut first = 0;
    for (panel, range) in item.garment.panels.iter().zip(&cut.vertices) {
        let triangles = cut.cloth.mesh.triangles[first..].iter().take_while(|t| range.contains(&t[0]));
        let triangles: Vec<[u32; 3]> = triangles.map(|t| t.map(|v| v - range.start)).collect();
        first += triangles.len();
        shapes.add(&panel.name, true, 0.5 * item.thickness(), range.len(), &triangles, &[]);
    }
    way.add_to(&mut shapes);
    shapes.joined = cut.joined();
    shapes
}

/// Parts cloth that has come nearer to cloth than it is thick. Splitting triangles does that where they were folded sharply: halves of
/// neighbours are none any more.
pub(super) fn clear(worn: &mut [Worn], items: &[Item], body: &Figure, options: &Options) -> Result<(), DrapeError> {
    let (mut shapes, mut material, mut positions) = (Shapes::default(), Vec::new(), Vec::new());
    for (worn, item) in worn.iter().zip(items) {
        let mesh = &worn.cloth.mesh;
        let radius = 0.5 * item.thickness();
        shapes.add(name(item.garment), true, radius, mesh.vertex_count(), &mesh.triangles, &[]);
        material.extend_from_slice(&mesh.material);
        positions.extend_from_slice(&mesh.positions);
    }
    shapes.add(super::BODY, false, 0.0, body.vertices.len(), &body.triangles, &[]);
    shapes.joined = super::joined(worn.iter().map(|w| (w.cloth.joined(), w.cloth.mesh.vertex_count())));
    let (weights, is_free) = (vec![1.0; positions.len()], vec![true; positions.len()]);
    let problem = Problem {
        shapes: &shapes,
        material: &material,
        weights: &weights,
        is_free: &is_free,
        planes: &[],
        own: true,
        clearance: 0.1 * options.reach,
        stretch: [0.5, 2.0],
        max_rounds: 200,
    };
    positions.extend_from_slice(&body.vertices);
    let tangled = |e: Tangle| DrapeError::Tangled(e.to_string());
    let found = faults(&problem, &positions).map_err(tangled)?;
    if found.crossings + found.overlaps > 0 {
        untangle(&problem, &mut positions).map_err(tangled)?;
        share(worn, &positions);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Through the middle, past a side, short of it, and along it.
    #[test]
    fn ways_through_a_triangle_are_found() {
        let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let at = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
        assert!(pierces([at(0.2, 0.2, -1.0), at(0.2, 0.2, 1.0)], triangle));
        assert!(pierces([at(0.2, 0.2, 1.0), at(0.2, 0.2, -1.0)], triangle));
        assert!(!pierces([at(0.6, 0.6, -1.0), at(0.6, 0.6, 1.0)], triangle));
        assert!(!pierces([at(0.2, 0.2, -1.0), at(0.2, 0.2, -0.1)], triangle));
        assert!(!pierces([at(-1.0, 0.2, 0.0), at(1.0, 0.2, 0.0)], triangle));
    }
}
