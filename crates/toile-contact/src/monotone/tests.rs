//! The test must never lose a pair, whatever the panel and its deformation, and must hold where it can.

use super::*;
use crate::detect::tests::{CELL, Noise, Scene, flat, grid};
use crate::detect::{Detector, Pruning};
use std::f64::consts::{PI, TAU};

const REACH: f64 = 0.003;

/// A smooth random map of the plane into space; `amplitude` 0 is flat, 1 folds over.
fn smooth(seed: u64, amplitude: f64) -> impl Fn(DVec2) -> DVec3 {
    let mut noise = Noise::new(seed);
    let waves: Vec<(DVec3, DVec2, f64)> = (0..6)
        .map(|_| {
            let k = 60.0 * DVec2::new(noise.next(), noise.next());
            (noise.vector(1.2 * amplitude / k.length()), k, PI * noise.next())
        })
        .collect();
    move |p| flat(p) + waves.iter().map(|(a, k, phase)| *a * (k.dot(p) + phase).sin()).sum::<DVec3>()
}

/// An L with a round hole, meshed without structure.
fn panel(seed: u64) -> (Vec<DVec2>, Vec<[u32; 3]>) {
    use toile_garment::meshing::{Options, polygon};
    let p = DVec2::new;
    let outline = [p(0.0, 0.0), p(0.12, 0.0), p(0.12, 0.05), p(0.06, 0.06), p(0.05, 0.12), p(0.0, 0.12)];
    let hole = (0..8).map(|k| 0.028 + 0.01 * DVec2::from_angle(f64::from(k) * TAU / 8.0)).collect();
    let mesh = polygon(&outline, &[hole], &Options::irregular(0.009, seed)).unwrap();
    let mut flat = vec![DVec2::ZERO; mesh.vertex_count()];
    for (t, corners) in mesh.triangles.iter().zip(&mesh.material) {
        (0..3).for_each(|k| flat[t[k] as usize] = corners[k]);
    }
    (flat, mesh.triangles.clone())
}

fn pruner(scene: &Scene) -> (Tree, Monotone) {
    let items = crate::detect::leaves::items(&scene.shapes, &scene.x, &scene.material).remove(0);
    let tree = Tree::new(items);
    let mut monotone = Monotone::new(&scene.shapes, &tree, &scene.material);
    monotone.refit(&scene.x, Some(&scene.d));
    (tree, monotone)
}

/// Leaves that need no test among themselves.
fn cleared(scene: &Scene, reach: f32) -> usize {
    let (tree, monotone) = pruner(scene);
    let mut is_clear = vec![false; tree.leaves.len()];
    for (k, node) in tree.nodes.iter().enumerate() {
        if monotone.clears_node(k as u32, &scene.shapes, reach) {
            is_clear[node.first as usize..(node.first + node.count) as usize].fill(true);
        }
    }
    is_clear.iter().filter(|c| **c).count()
}

#[test]
fn smooth_deformations_of_any_size_lose_no_pair() {
    let mut cleared_leaves = Vec::new();
    let mut near_pairs = Vec::new();
    for (step, amplitude) in [0.1, 0.3, 0.6, 1.0, 2.0].into_iter().enumerate() {
        for seed in 0..3 {
            let mut scene = Scene::default();
            let place = smooth(10 * step as u64 + seed + 1, amplitude);
            scene.sheet(12, &place);
            let to = smooth(seed + 100, 0.7 * amplitude);
            let (plane, _) = grid(12);
            scene.d = plane.iter().map(|&p| to(p) - flat(p)).collect();
            let (_, near) = scene.check_new(REACH);
            cleared_leaves.push(cleared(&scene, REACH as f32));
            near_pairs.push(near);
        }
    }
    assert!(cleared_leaves[..3].iter().all(|&c| c == 288), "gentle waves clear everything: {cleared_leaves:?}");
    assert!(near_pairs[12..].iter().all(|&n| n > 300), "strong ones meet themselves: {near_pairs:?}");
    assert!((3..12).any(|k| cleared_leaves[k] > 0 && near_pairs[k] > 0), "both at once in between");
}

#[test]
fn panel_with_corner_and_hole_loses_no_pair() {
    let (plane, triangles) = panel(1);
    let mut counts = Vec::new();
    for (step, amplitude) in [0.05, 0.5, 1.0, 1.5].into_iter().enumerate() {
        let place = smooth(7 + step as u64, amplitude);
        let mut scene = Scene::default();
        scene.cloth(&plane, &triangles, 0.0003, &place);
        scene.shake(3, 0.0, 0.001);
        let (_, near) = scene.check_new(0.001);
        counts.push((cleared(&scene, 0.001), near));
    }
    assert!(counts[0].0 > triangles.len() / 2, "{counts:?} of {}", triangles.len());
    assert!(counts[3].1 > 100, "{counts:?}");
}

/// A fold that closes during the motion: the layers are 3 cm apart, then 2 mm.
#[test]
fn fold_that_closes_is_not_cleared() {
    let (plane, triangles) = panel(2);
    for gap in [0.03, 0.008, 0.002] {
        // About the line x = 0.06 over a half circle of circumference π gap / 2.
        let place = |p: DVec2, gap: f64| {
            let (s, r) = (p.x - 0.05, gap / 2.0);
            let angle = (s / r).clamp(0.0, PI);
            let beyond = (s - PI * r).max(0.0);
            DVec3::new(s.min(0.0) + r * angle.sin() - beyond, r - r * angle.cos(), p.y)
        };
        let mut scene = Scene::default();
        scene.cloth(&plane, &triangles, 0.0003, |p| place(p, 0.03));
        scene.d = plane.iter().map(|&p| place(p, gap) - place(p, 0.03)).collect();
        let (_, near) = scene.check_new(0.002);
        assert_eq!(near > 100, gap < 0.005, "{near} near at {gap}");
    }
}

/// Both sides of a slit lie at the same place in the flat state. A shift laps them over each other while the gradient stays
/// near the identity everywhere.
#[test]
fn slit_is_not_bridged() {
    let n = 12u32;
    let (mut plane, mut triangles) = grid(n);
    let (middle, column) = (n / 2, 4); // where no node of the tree ends
    for j in 0..middle {
        let (old, new) = (j * (n + 1) + column, plane.len() as u32);
        plane.push(plane[old as usize]);
        for t in triangles.iter_mut().filter(|t| t.contains(&old)) {
            let centre = t.iter().map(|&v| plane[v as usize].x).sum::<f64>() / 3.0;
            if centre > plane[old as usize].x {
                t.iter_mut().filter(|v| **v == old).for_each(|v| *v = new);
            }
        }
    }
    let mut scene = Scene::default();
    scene.cloth(&plane, &triangles, 0.0005, flat);
    let half = f64::from(middle) * CELL;
    for (k, p) in plane.iter().enumerate() {
        let open = (half - p.y).max(0.0);
        let is_right = p.x > (f64::from(column) + 0.5) * CELL || k as u32 > n * (n + 2);
        scene.x[k].x -= if is_right { 0.2 * open } else { 0.0 };
        scene.x[k].y += if is_right { 0.02 * open } else { 0.0 };
    }
    let (_, near) = scene.check_new(REACH);
    assert!(near > 20, "{near}");
    assert!(cleared(&scene, REACH as f32) > 0, "away from the slit it still holds");
}

/// A tube: its ends are sewn, so neighbours in space are far apart in the flat state.
#[test]
fn seams_are_not_bridged() {
    let n = 12u32;
    let (plane, triangles) = grid(n);
    let material: Vec<[DVec2; 3]> = triangles.iter().map(|t| t.map(|v| plane[v as usize])).collect();
    let sewn: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|v| if v % (n + 1) == n { v - n } else { v })).collect();
    let length = f64::from(n) * CELL;
    for height in [1.0, 0.1] {
        let mut scene = Scene::default();
        let round = |p: DVec2| {
            let a = TAU * p.x / length;
            DVec3::new(a.cos(), height * a.sin(), 0.0) * length / TAU + DVec3::Z * p.y
        };
        scene.cloth(&plane, &sewn, 0.0005, round);
        scene.material = material.clone();
        let (_, near) = scene.check_new(REACH);
        assert_eq!(near > 100, height < 0.5, "{near} near");
    }
}

/// Twelve triangles of 60° about a vertex: the flat state winds twice about it, all wound alike, no outline inside.
#[test]
fn flat_state_that_winds_twice_is_of_no_use() {
    let corner = |k: u32| CELL * DVec2::from_angle(f64::from(k) * TAU / 6.0);
    let plane: Vec<DVec2> = std::iter::once(DVec2::ZERO).chain((0..12).map(corner)).collect();
    let triangles: Vec<[u32; 3]> = (0..12).map(|k| [0, 1 + k, 1 + (k + 1) % 12]).collect();
    let mut scene = Scene::default();
    scene.cloth(&plane, &triangles, 0.0001, flat);
    (7..13).for_each(|k| scene.x[k].y += 0.001);
    // To the bit, as neighbours have to be.
    scene.material.iter_mut().flatten().for_each(|p| *p = (*p * 1e9).round() / 1e9);
    assert!(scene.check_new(0.001).1 > 10);
}

/// Two layers of an arrow head ACBN, joined along AN and NB: they fill the area of the hull ABC, with no outline inside it.
#[test]
fn flat_state_with_folds_is_of_no_use() {
    let p = |x, y| CELL * DVec2::new(x, y);
    let plane = [p(-1.0, 0.0), p(1.0, 0.0), p(0.0, 2.0), p(0.0, 1.0), p(0.0, 2.0)];
    let mut scene = Scene::default();
    scene.cloth(&plane, &[[0, 3, 2], [3, 1, 2], [3, 0, 4], [1, 3, 4]], 0.0001, flat);
    scene.x[4].y += 0.001;
    assert!(scene.check_new(0.001).1 > 0);
}

/// Two layers of one panel at the same flat place (a panel folded before it was flattened): covered twice, so of no use.
#[test]
fn flat_state_that_laps_over_itself_is_of_no_use() {
    let (plane, triangles) = grid(8);
    let mut scene = Scene::default();
    scene.cloth(&plane, &triangles, 0.0005, flat);
    assert_eq!(cleared(&scene, REACH as f32), 128);
    let half = 4.0 * CELL;
    let folded = |p: DVec2| if p.x > half { DVec2::new(2.0 * half - p.x, p.y) } else { p };
    scene.material = triangles.iter().map(|t| t.map(|v| folded(plane[v as usize]))).collect();
    scene.x = plane.iter().map(|&p| flat(folded(p)) + DVec3::Y * if p.x > half { 0.0005 } else { 0.0 }).collect();
    let (_, near) = scene.check_new(REACH);
    assert!(near > 100, "{near}");
}

/// For a uniform stretch the bound is sharp: the piece is cleared up to stretch × altitude.
#[test]
fn reach_ends_at_least_stretch_times_altitude() {
    let altitude = CELL * 0.5f64.sqrt();
    for stretch in [0.5, 1.0, 1.7] {
        let mut scene = Scene::default();
        scene.sheet(8, |p| DVec3::new(0.3 * p.x, stretch * p.y, 0.4 * p.x) * 2.0);
        let (_, monotone) = pruner(&scene);
        let least = 2.0 * f64::min(0.5, stretch) * altitude - 0.001; // both radii
        assert!(monotone.clears_node(0, &scene.shapes, (least * 0.9999) as f32));
        assert!(!monotone.clears_node(0, &scene.shapes, (least * 1.0001) as f32));
        assert!(monotone.clears_star(40, &scene.shapes, (least * 0.9999) as f32));
    }
}

/// A turned patch is no different from one at rest, and one turned inside out during the motion is not cleared.
#[test]
fn motion_is_covered_between_its_ends() {
    let mut scene = Scene::default();
    scene.sheet(8, flat);
    let turn = glam::DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -0.5).normalize(), 1.0);
    scene.d = scene.x.iter().map(|&x| turn * x + 3.0 - x).collect();
    let (_, monotone) = pruner(&scene);
    assert!(monotone.clears_node(0, &scene.shapes, REACH as f32));
    // Both ends are flat; half way all points meet in one line.
    scene.d = scene.x.iter().map(|x| DVec3::new(-2.0 * x.x, 0.0, 0.0)).collect();
    let (_, monotone) = pruner(&scene);
    assert!(!monotone.clears_node(0, &scene.shapes, REACH as f32));
    assert!(!monotone.clears_star(40, &scene.shapes, REACH as f32));
}

/// Pruning takes nothing but pairs out of reach away, on a mesh large enough for all depths of the tree.
#[test]
fn pruned_pairs_are_out_of_reach() {
    let n = 40;
    for (seed, amplitude) in [(1, 0.4), (2, 0.8), (3, 1.3)] {
        let mut scene = Scene::default();
        scene.sheet(n, smooth(seed, amplitude));
        scene.shake(seed, 0.0003, 0.0006);
        let new = |pruning| Detector::new(&scene.shapes, &scene.x, &scene.material).with_pruning(pruning);
        let all = new(Pruning::None).detect(&scene.shapes, &scene.x, Some(&scene.d), REACH).clone();
        let kept = new(Pruning::Monotone).detect(&scene.shapes, &scene.x, Some(&scene.d), REACH).clone();
        let kept: std::collections::BTreeSet<_> = kept.pairs().collect();
        let gone: Vec<_> = all.pairs().filter(|p| !kept.contains(p)).collect();
        assert!(all.pairs().count() == kept.len() + gone.len(), "pruning adds nothing");
        for (kind, pair) in gone {
            assert!(!scene.is_near(kind, pair, REACH), "{kind:?} {pair:?} was lost at amplitude {amplitude}");
        }
    }
}
