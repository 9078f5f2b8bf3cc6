//! Families of queries that are hard for continuous collision detection, made from a seed: the hand-made ones of Wang21
//! are of these sorts. Every query starts apart (distance > ξ); about half of each family collides.

use super::oracle::start_distance;
use super::{Kind, Query};
use glam::{DMat3, DVec3};

/// A family: its name and how to make a query.
pub struct Family {
    /// Name in tables and plots.
    pub name: &'static str,
    make: fn(&mut Dice, Kind) -> Query,
}

/// Every family.
#[rustfmt::skip] // one per line
pub const FAMILIES: &[Family] = &[
    Family { name: "random", make: random },
    Family { name: "coplanar", make: coplanar },
    Family { name: "parallel edges", make: parallel },
    Family { name: "grazing", make: grazing },
    Family { name: "near miss", make: near_miss },
    Family { name: "huge motion", make: huge_motion },
    Family { name: "tiny gap", make: tiny_gap },
    Family { name: "degenerate", make: degenerate },
    Family { name: "moving obstacle", make: moving_obstacle },
    Family { name: "large offset", make: large_offset },
];

const KINDS: [Kind; 6] =
    [Kind::VertexFace, Kind::EdgeEdge, Kind::VertexFace, Kind::EdgeEdge, Kind::VertexEdge, Kind::VertexVertex];

impl Family {
    /// Query number `index` of a family; the same seed and number give the same query.
    pub fn query(&self, seed: u64, index: u64) -> Query {
        let name = self.name.bytes().fold(0u64, |h, b| h.wrapping_mul(131).wrapping_add(u64::from(b)));
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ name.wrapping_add(index << 20));
        let kind = KINDS[(index % KINDS.len() as u64) as usize];
        for _ in 0..1000 {
            let query = (self.make)(&mut dice, kind);
            // A start within 1e-9 of the offset is another question: what happens there is tested by itself.
            if start_distance(&query) > query.offset * (1.0 + 1e-9) + 1e-12 {
                return query;
            }
        }
        random(&mut dice, kind)
    }
}

/// A fixed sequence of numbers (splitmix64: Steele14).
pub struct Dice(pub u64);

impl Dice {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let a = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let b = (a ^ (a >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        b ^ (b >> 31)
    }

    /// Between two numbers.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Between two powers of ten, each decade as likely.
    pub fn power(&mut self, low: f64, high: f64) -> f64 {
        10f64.powf(self.between(low, high))
    }

    /// True with a probability.
    pub fn is(&mut self, chance: f64) -> bool {
        self.between(0.0, 1.0) < chance
    }

    /// A vector with coordinates up to a size.
    pub fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::new(self.between(-size, size), self.between(-size, size), self.between(-size, size))
    }

    fn four(&mut self, size: f64) -> [DVec3; 4] {
        std::array::from_fn(|_| self.vector(size))
    }

    /// A turned frame, its third axis a normal.
    fn frame(&mut self) -> DMat3 {
        let normal = (self.vector(1.0) + DVec3::splat(1e-3)).normalize();
        let (u, v) = normal.any_orthonormal_pair();
        DMat3::from_cols(u, v, normal)
    }
}

fn random(dice: &mut Dice, kind: Kind) -> Query {
    Query { kind, x: dice.four(1.0), d: dice.four(2.0), offset: 0.0 }
}

/// Places and motions in one plane, exactly.
fn coplanar(dice: &mut Dice, kind: Kind) -> Query {
    let axis = [DVec3::new(0.0, 1.0, 1.0), DVec3::new(1.0, 0.0, 1.0), DVec3::new(1.0, 1.0, 0.0)];
    let flat = axis[(dice.between(0.0, 3.0) as usize).min(2)];
    let query = random(dice, kind);
    Query { x: query.x.map(|p| p * flat), d: query.d.map(|p| p * flat), ..query }
}

/// Edges that are parallel at all times: exactly, their coordinates are multiples of 1/256. Half meet, half pass.
fn parallel(dice: &mut Dice, _: Kind) -> Query {
    let snap = |p: DVec3| (p * 256.0).round() / 256.0;
    let (along, a) = (snap(dice.vector(1.0)), snap(dice.vector(1.0)));
    let ratio = [-2.0, -1.0, -0.5, 0.5, 1.0, 2.0][(dice.between(0.0, 6.0) as usize).min(5)];
    let from = snap(dice.vector(1.0));
    let motion = if dice.is(0.5) { 2.0 * (from - a) } else { snap(dice.vector(2.0)) };
    let own = snap(dice.vector(0.5));
    Query {
        kind: Kind::EdgeEdge,
        x: [a, a + along, from, from + ratio * along],
        d: [own + motion, own + motion, own, own],
        offset: 0.0,
    }
}

/// Features that pass each other at `nearest` (m) at some time, none of them moving along the line between the closest
/// points.
/// Their places then, and their motions.
fn nearest_places(dice: &mut Dice, kind: Kind, nearest: f64) -> ([DVec3; 4], [DVec3; 4]) {
    let frame = dice.frame();
    let [u, v, normal] = [frame.x_axis, frame.y_axis, frame.z_axis];
    let mut flat = |size: f64| u * dice.between(-size, size) + v * dice.between(-size, size);
    // Features through the middle, flat on either side of the gap.
    let mut x = match kind {
        Kind::VertexFace => [DVec3::ZERO, flat(1.0), flat(1.0), flat(1.0)],
        Kind::EdgeEdge => [flat(1.0), flat(1.0), flat(1.0), flat(1.0)],
        Kind::VertexEdge => [DVec3::ZERO, flat(1.0), flat(1.0), DVec3::ZERO],
        Kind::VertexVertex => [DVec3::ZERO; 4],
    };
    let centre = |p: &mut [DVec3]| {
        let middle = p.iter().sum::<DVec3>() / p.len() as f64;
        p.iter_mut().for_each(|q| *q -= middle);
    };
    match kind {
        Kind::VertexFace => centre(&mut x[1..4]),
        Kind::EdgeEdge => {
            centre(&mut x[..2]);
            centre(&mut x[2..]);
        }
        Kind::VertexEdge => centre(&mut x[1..3]),
        Kind::VertexVertex => {}
    }
    let first = if kind == Kind::EdgeEdge { 2 } else { 1 };
    x[..first].iter_mut().for_each(|p| *p += nearest * normal);
    // Far enough to start beside each other, not above.
    let (slide, turn) = (flat(1.0).normalize_or(u) * 4.0, 0.3);
    let d: [DVec3; 4] = std::array::from_fn(|i| if i < first { slide + flat(turn) } else { flat(turn) });
    (x, d)
}

/// The same seen from some time before.
fn passing(dice: &mut Dice, kind: Kind, nearest: f64) -> ([DVec3; 4], [DVec3; 4]) {
    let (x, d) = nearest_places(dice, kind, nearest);
    let time = dice.between(0.3, 0.8);
    (std::array::from_fn(|i| x[i] - time * d[i]), d)
}

/// Just touches: comes to ξ, or 1e-12 to 1e-3 m below it, along the tangent.
fn grazing(dice: &mut Dice, kind: Kind) -> Query {
    let offset = if dice.is(0.5) { dice.power(-3.0, -0.6) } else { 0.0 };
    let depth = if dice.is(0.2) { 0.0 } else { dice.power(-12.0, -3.0).min(offset) };
    let (x, d) = passing(dice, kind, offset - depth);
    Query { kind, x, d, offset }
}

/// Just misses: stays 1e-6 to 1e-2 m above ξ.
fn near_miss(dice: &mut Dice, kind: Kind) -> Query {
    let offset = if dice.is(0.5) { dice.power(-3.0, -0.6) } else { 0.0 };
    let margin = dice.power(-6.0, -2.0);
    let (x, d) = passing(dice, kind, offset + margin);
    Query { kind, x, d, offset }
}

/// Motions of 1 km, half of them towards each other, up to 1 km from the origin.
fn huge_motion(dice: &mut Dice, kind: Kind) -> Query {
    let shift = dice.vector(1e3);
    let x = dice.four(1.0);
    let mut d = dice.four(1e3);
    if dice.is(0.5) {
        // All ways lead through one place at one time.
        let (time, place) = (dice.between(0.2, 0.9), dice.vector(500.0));
        d = std::array::from_fn(|i| (place + dice.vector(0.5) - x[i]) / time);
    }
    Query { kind, x: x.map(|p| p + shift), d, offset: 0.0 }
}

/// Starts 1e-9 to 1e-5 m apart, the closest points inside their features; moves by 1e-9 m to 10 cm.
fn tiny_gap(dice: &mut Dice, kind: Kind) -> Query {
    let gap = dice.power(-9.0, -5.0);
    let (x, _) = nearest_places(dice, kind, gap);
    let size = dice.power(-9.0, -1.0);
    Query { kind, x, d: dice.four(size), offset: 0.0 }
}

/// Triangles that are lines or points, edges without length, features without motion.
fn degenerate(dice: &mut Dice, kind: Kind) -> Query {
    let mut query = random(dice, kind);
    let snap = |p: DVec3| (p * 4.0).round() / 4.0;
    query.x = query.x.map(snap);
    match (dice.between(0.0, 5.0)) as usize {
        0 => query.x[2] = query.x[1],
        1 => query.x[3] = query.x[2],
        2 => (query.x[2], query.x[3]) = (query.x[1], query.x[1]),
        3 => query.x[3] = 2.0 * query.x[2] - query.x[1],
        _ => query.x[1] = query.x[0] + query.x[3] - query.x[2],
    }
    if dice.is(0.5) {
        let common = query.d[3];
        query.d[1..].iter_mut().for_each(|d| *d = common);
    }
    if dice.is(0.5) {
        // The middles of the features meet.
        let first = if kind == Kind::EdgeEdge { 2 } else { 1 };
        let middle = |p: &[DVec3]| p.iter().sum::<DVec3>() / p.len() as f64;
        let last = [4, 4, 3, 2][kind as usize];
        let way = middle(&query.x[first..last]) - middle(&query.x[..first]);
        let common = query.d[3];
        query.d = std::array::from_fn(|i| if i < first { common + 2.0 * way } else { common });
    }
    if dice.is(0.3) {
        query.d = query.d.map(snap);
    }
    query
}

/// Cloth meets an obstacle that moves: all four by metres, relative to each other by centimetres.
fn moving_obstacle(dice: &mut Dice, kind: Kind) -> Query {
    let (x, _) = nearest_places(dice, kind, 0.0);
    let (shift, common, across) = (dice.vector(2.0), dice.vector(10.0), dice.vector(0.05));
    let first = if kind == Kind::EdgeEdge { 2 } else { 1 };
    let x = std::array::from_fn(|i| {
        let own = if i < first { across } else { DVec3::ZERO };
        shift + 0.1 * x[i] - own
    });
    let d = std::array::from_fn(|i| {
        let own = if i < first { 2.0 * across } else { DVec3::ZERO };
        common + own + dice.vector(0.02)
    });
    Query { kind, x, d, offset: 0.0 }
}

/// Balls and capsules: ξ from 1 cm to 25 cm.
fn large_offset(dice: &mut Dice, kind: Kind) -> Query {
    Query { offset: dice.between(0.01, 0.25), ..random(dice, kind) }
}
