//! Places taken from another mesh of the garment.

use super::*;
use glam::DMat3;

/// Any affine drape: the panel plane drawn out, sheared and put somewhere.
fn affine(p: DVec2) -> DVec3 {
    let columns = [1.1, 0.2, -0.3, 0.4, 0.1, 0.9, 0.0, 0.0, 0.0];
    DMat3::from_cols_array(&columns) * p.extend(0.0) + DVec3::new(0.3, 1.0, -0.2)
}

/// Panels that lie where an affine map puts them.
fn laid(mut cloth: Cloth) -> Cloth {
    for t in 0..cloth.panels.len() {
        for (v, p) in cloth.mesh.triangles[t].iter().zip(&cloth.flat[t]) {
            cloth.mesh.positions[*v as usize] = affine(*p);
        }
    }
    cloth
}

fn farthest(found: &[DVec3], wanted: &[DVec3]) -> f64 {
    assert_eq!(found.len(), wanted.len());
    found.iter().zip(wanted).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

#[test]
fn affine_drapes_are_carried_exactly() {
    let garment = curved();
    let old = laid(cut(&garment, None, 0.035).unwrap().cloth);
    let new = laid(cut(&garment, None, 0.02).unwrap().cloth);
    assert!(new.mesh.positions.len() > 2 * old.mesh.positions.len());
    // Curved outlines of the finer mesh stand out of the coarser one: that is carried on linearly.
    assert!(farthest(&new.carry(&old), &new.mesh.positions) < 1e-12);
    assert!(farthest(&old.carry(&new), &old.mesh.positions) < 1e-12);
}

/// The pattern grows by a fifth; its mesh reaches beyond the old one by many triangles.
#[test]
fn beyond_the_old_outline_places_go_on_linearly() {
    let old = garment(vec![rectangle("p", 0.3, 0.2)], vec![]);
    let new = garment(vec![polygon("p", &[[-0.1, -0.05], [0.45, 0.0], [0.4, 0.35], [0.0, 0.2]])], vec![]);
    let [old, new] = [old, new].map(|g| laid(cut(&g, None, 0.02).unwrap().cloth));
    assert!(farthest(&new.carry(&old), &new.mesh.positions) < 1e-12);
}

/// A crumpled garment: nothing moves at all on its own mesh.
#[test]
fn the_same_mesh_is_carried_to_the_bit() {
    let garment = flat_draft("sheath-dress");
    let pieces = cut(&garment, None, 0.04).unwrap();
    let mut numbers = Numbers(7);
    let mut cloth = pieces.weld(&pieces.cloth.mesh.positions).unwrap();
    cloth.mesh.positions.iter_mut().for_each(|x| *x = DVec3::new(numbers.next(), numbers.next(), numbers.next()));
    assert_eq!(cloth.carry(&cloth), cloth.mesh.positions);
}

/// Straight panels split in four: the same places that splitting gives, and they are on the old triangles. Seams stay together.
#[test]
fn a_finer_mesh_lies_on_the_old_triangles() {
    let garment = tube();
    let pieces = cut(&garment, None, 0.04).unwrap();
    let mut numbers = Numbers(11);
    let mut cloth = pieces.weld(&pieces.cloth.mesh.positions).unwrap();
    cloth
        .mesh
        .positions
        .iter_mut()
        .for_each(|x| *x += 0.01 * DVec3::new(numbers.next(), numbers.next(), numbers.next()));
    let fine = cloth.refine(&garment).refine(&garment);
    assert!(farthest(&fine.carry(&cloth), &fine.mesh.positions) < 1e-15);
    // Cut apart the two sides of each seam take the same places from sewn cloth: its vertices there are shared.
    let apart = cut(&garment, None, 0.01).unwrap();
    let places = apart.cloth.carry(&cloth);
    assert!(apart.widest(&places).unwrap().0 < 1e-15, "{:?}", apart.widest(&places));
    // Welded vertices lie between what their two places say.
    let mut torn = pieces.cloth.clone();
    torn.mesh.positions.iter_mut().skip(pieces.vertices[1].start as usize).for_each(|x| x.y += 0.5);
    let welded = pieces.weld(&torn.mesh.positions).unwrap();
    assert!(farthest(&cloth.carry(&torn), &welded.mesh.positions) < 1e-15);
}

/// A panel the old cloth does not have stays.
#[test]
fn new_panels_stay_where_they_are() {
    let both = cut(&pair(), None, 0.05).unwrap();
    let mut one = pair();
    one.seams.clear();
    one.panels.pop();
    let old = laid(cut(&one, None, 0.05).unwrap().cloth);
    let found = both.cloth.carry(&old);
    let second = both.vertices[1].start as usize;
    assert_eq!(found[second..], both.cloth.mesh.positions[second..]);
    assert!(
        both.cloth.flat[0]
            .iter()
            .zip(both.cloth.mesh.triangles[0])
            .all(|(p, v)| affine(*p).distance(found[v as usize]) < 1e-14)
    );
}

/// Twenty thousand vertices, some outside: a few looks for each, and not more for more.
#[test]
fn work_grows_with_the_vertices() {
    let old =
        garment(vec![polygon("p", &[[0.0, 0.0], [1.0, 0.0], [1.0, 0.2], [0.2, 0.25], [0.2, 1.0], [0.0, 1.0]])], vec![]);
    let new = garment(
        vec![polygon("p", &[[0.0, -0.02], [1.02, 0.0], [1.0, 0.22], [0.2, 0.27], [0.22, 1.0], [0.0, 1.0]])],
        vec![],
    );
    let looks = [0.01, 0.0035].map(|edge| {
        let [old, new] = [&old, &new].map(|g| cut(g, None, edge).unwrap().cloth);
        let vertices = new.mesh.positions.len();
        let (places, looks) = new.carried(&old);
        assert_eq!(places.len(), vertices);
        (vertices, looks as f64 / vertices as f64)
    });
    assert!(looks[1].0 > 20_000, "{looks:?}");
    assert!(looks[1].1 < 20.0 && looks[1].1 < 3.0 * looks[0].1, "{looks:?}");
}
