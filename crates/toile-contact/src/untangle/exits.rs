//! The way out of solids for cloth that is inside them.
//!
//! Each vertex goes to the nearest point of the surface, as long as neighbours agree. Where they do not (the cloth lies across the
//! middle of the solid and would be torn), all of the piece goes one way: the one of the mean of their ways, or along
//! the mean normal of the cloth, whichever is shorter. Where the nearest points lie behind (the cloth has nearly gone
//! through a plate), it goes back through the contour it came in by.

use super::Fabric;
use super::solve::Wish;
use glam::DVec3;
use std::collections::BTreeMap;

/// Neighbours disagree if their ways out differ by more than this many times their distance.
const TORN: f64 = 2.5;
/// Strength of the wishes.
const STRENGTH: f64 = 10.0;

/// Wishes of cloth vertices inside solids: those of `who`, in pieces that hang together, with the way back if there is one.
pub(super) fn wishes(fabric: &Fabric, x: &[DVec3], inside: &[Option<u32>], who: &BTreeMap<u32, DVec3>) -> Vec<Wish> {
    let mut wishes = Vec::new();
    let mut left = who.clone();
    while let Some((&start, _)) = left.first_key_value() {
        let Some(body) = inside[start as usize] else {
            left.remove(&start);
            continue;
        };
        let mut piece = vec![start];
        left.remove(&start);
        let mut k = 0;
        while let Some(&v) = piece.get(k) {
            k += 1;
            for &(_, w) in fabric.neighbours(v) {
                if inside.get(w as usize).is_some_and(|i| *i == Some(body)) && left.remove(&w).is_some() {
                    piece.push(w);
                }
            }
        }
        let back = piece.iter().map(|v| who[v]).sum();
        add(fabric, x, body, (&piece, back), &mut wishes);
    }
    wishes
}

fn add(fabric: &Fabric, x: &[DVec3], body: u32, (piece, back): (&[u32], DVec3), wishes: &mut Vec<Wish>) {
    let solid = &fabric.solids[&body];
    let at = |v: u32| x[v as usize];
    let ways: Vec<DVec3> = piece.iter().map(|&v| solid.way_out(at(v)).unwrap_or_default()).collect();
    let number = |v: u32| piece.iter().position(|&w| w == v);
    let is_torn = piece.iter().enumerate().any(|(k, &v)| {
        fabric.neighbours(v).iter().filter(|n| n.1 > v).filter_map(|n| number(n.1)).any(|l| {
            let apart = at(v).distance(at(piece[l]));
            ways[k].distance(ways[l]) > TORN * apart
        })
    });
    let common = if ways.iter().sum::<DVec3>().dot(back) < 0.0 {
        back.try_normalize()
    } else if is_torn {
        common_way(fabric, x, body, piece, &ways)
    } else {
        None
    };
    for (&v, way) in piece.iter().zip(&ways) {
        let (direction, length) = match common {
            Some(u) => (u, solid.way_along(at(v), u)),
            None => (way.normalize_or(DVec3::Y), way.length()),
        };
        let goal = (length + fabric.margin).min(fabric.stride);
        wishes.push(Wish::of_pair([v; 4], [1.0, 0.0, 0.0, 0.0], direction, goal, STRENGTH));
    }
}

/// The direction in which the farthest vertex is out soonest.
fn common_way(fabric: &Fabric, x: &[DVec3], body: u32, piece: &[u32], ways: &[DVec3]) -> Option<DVec3> {
    let normal: DVec3 = piece.iter().map(|&v| fabric.normal(x, v)).sum();
    let mean: DVec3 = ways.iter().sum();
    let farthest =
        |u: DVec3| piece.iter().map(|&v| fabric.solids[&body].way_along(x[v as usize], u)).fold(0.0, f64::max);
    let ways = [mean, normal, -normal].into_iter().filter_map(DVec3::try_normalize);
    ways.map(|u| (farthest(u), u)).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, u)| u)
}
