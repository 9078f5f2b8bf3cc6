//! Joints, skin weights and posing by linear blending.
//!
//! Joints are placed by rings and follow every measurement. Weights belong to the grid: the same for all sizes. Along a tube the
//! influence switches from joint to joint by smooth steps over rows; at the roots of the limbs it is a harmonic function of the
//! grid, which knows no corners.

use super::BodyError;
use super::curve::smoothstep;
use super::fairing::factorised;
use super::generate::Generated;
use super::grid::{ARM_COLUMNS, ARM_ROWS, CAPS, Grid, LEG_COLUMNS, LEG_ROWS, TORSO_COLUMNS, TORSO_ROWS, loop_place};
use super::tables::{self, JointRule};
use super::tape::{centroid, mean_radius};
use glam::{DQuat, DVec3};

/// A joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Name; `_l` and `_r` for the sides.
    pub name: String,
    /// The joint it hangs on: always an earlier one. None for the pelvis.
    pub parent: Option<usize>,
    /// Place at rest (m).
    pub rest: DVec3,
}

/// Up to four joints and their shares, which add up to one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Influence {
    /// Joints; unused places name joint 0.
    pub joints: [u16; 4],
    /// Shares, 0 for unused places.
    pub shares: [f64; 4],
}

/// Joints of a body and what they carry.
#[derive(Clone, Debug, PartialEq)]
pub struct Skeleton {
    /// Joints, parents before children.
    pub joints: Vec<Joint>,
    /// Influence of joints on each vertex.
    pub influences: Vec<Influence>,
}

/// A pose: rotations of joints about their rest place, in world axes, relative to their parents.
#[derive(Clone, Debug, PartialEq)]
pub struct Pose {
    /// One rotation per joint.
    pub rotations: Vec<DQuat>,
    /// Shift of the whole body (m).
    pub shift: DVec3,
}

impl Skeleton {
    /// The joint of a name.
    pub fn joint(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }

    /// The pose at rest.
    pub fn rest(&self) -> Pose {
        Pose { rotations: vec![DQuat::IDENTITY; self.joints.len()], shift: DVec3::ZERO }
    }

    /// Vertices in a pose. Missing rotations count as none. Far poses fold the skin at armpit and groin: arms lowered or
    /// legs raised by more than about 30°.
    pub fn posed(&self, vertices: &[DVec3], pose: &Pose) -> Vec<DVec3> {
        let mut frames: Vec<(DQuat, DVec3)> = Vec::with_capacity(self.joints.len());
        for (k, joint) in self.joints.iter().enumerate() {
            let own = pose.rotations.get(k).copied().unwrap_or(DQuat::IDENTITY);
            let (turn, shift) = joint.parent.map_or((DQuat::IDENTITY, pose.shift), |parent| frames[parent]);
            let place = turn * joint.rest + shift;
            let turn = (turn * own).normalize();
            frames.push((turn, place - turn * joint.rest));
        }
        let moved = |(p, influence): (&DVec3, &Influence)| -> DVec3 {
            let parts = influence.joints.iter().zip(influence.shares);
            parts.map(|(j, share)| share * (frames[usize::from(*j)].0 * *p + frames[usize::from(*j)].1)).sum()
        };
        vertices.iter().zip(&self.influences).map(moved).collect()
    }
}

/// Joints of a body: centroid of a ring plus an offset in mean ring radii.
pub(super) fn joints(grid: &Grid, body: &Generated) -> Vec<Joint> {
    joints_at(|rule| place(rule, grid, body))
}

/// Joints of the table, the right side mirrored.
fn joints_at(place: impl Fn(&JointRule) -> DVec3) -> Vec<Joint> {
    let mut joints: Vec<Joint> = Vec::new();
    for rule in &tables::joints() {
        let rest = place(rule);
        let sides: &[&str] = if rule.name.ends_with("_l") { &["_l", "_r"] } else { &[""] };
        for side in sides {
            let named = |name: &str| name.strip_suffix("_l").map_or(name.to_owned(), |stem| format!("{stem}{side}"));
            let parent = rule.parent.and_then(|parent| joints.iter().position(|j| j.name == named(parent)));
            let image = match *side {
                "_r" => DVec3::new(-1.0, 1.0, 1.0),
                "_l" => DVec3::ONE,
                _ => DVec3::new(0.0, 1.0, 1.0), // the middle, whatever a sum was rounded to
            };
            joints.push(Joint { name: named(rule.name), parent, rest: image * rest });
        }
    }
    joints
}

fn place(rule: &JointRule, grid: &Grid, body: &Generated) -> DVec3 {
    let at = |v: u32| body.points[v as usize];
    let ring: Vec<DVec3> = match rule.tube {
        // Points in the armhole are no vertices: they are taken from the sections.
        'T' => (0..TORSO_COLUMNS)
            .map(|j| grid.torso(rule.row, j).map_or(body.target.torso[rule.row * TORSO_COLUMNS + j], at))
            .collect(),
        'A' => grid.arm_ring(0, rule.row).iter().map(|v| at(*v)).collect(),
        _ => grid.leg_ring(0, rule.row).iter().map(|v| at(*v)).collect(),
    };
    let turn = if rule.tube == 'A' && rule.row > 0 { DQuat::from_rotation_z(body.lift) } else { DQuat::IDENTITY };
    centroid(&ring) + turn * (DVec3::from_array(rule.offset) * mean_radius(&ring))
}

/// Influences of the grid's vertices, for joints in the order of [`joints`].
pub(super) fn influences(grid: &Grid) -> Result<Vec<Influence>, BodyError> {
    let joints = joints_at(|_| DVec3::ZERO);
    let index = |name: &str| joints.iter().position(|j| j.name == name).expect("the table names all joints");
    let spine = ["pelvis", "spine1", "spine2", "spine3", "neck", "head"].map(index);
    let roots = [root(grid, is_arm, is_off_arm)?, root(grid, is_leg, is_off_leg)?];
    let chains = ["_l", "_r"].map(|side| {
        let named = |name: &str| index(&format!("{name}{side}"));
        let arm = ["upperarm", "forearm", "hand"].map(named).to_vec();
        (named("clavicle"), [arm, ["thigh", "shin", "foot", "toe"].map(named).to_vec()])
    });
    let influence = |(v, place): (usize, Place)| {
        let mut shares = vec![0.0; joints.len()];
        // What both legs hold together is shared out between them: the middle follows either by half.
        let mirror = grid.mirror[v] as usize;
        let both = roots.each_ref().map(|root| [root[v], root[mirror]]);
        let held = both.map(|[left, right]| smoothstep(left + right));
        let torso = (1.0 - held[0] - held[1]).max(0.0);
        spine.iter().zip(spine_shares(place.row)).for_each(|(j, share)| shares[*j] += torso * share);
        let taken = clavicle_share(&place);
        for j in [spine[3], spine[4]] {
            shares[chains[place.side].0] += taken * shares[j];
            shares[j] *= 1.0 - taken;
        }
        for (side, (_, limbs)) in chains.iter().enumerate() {
            for (k, limb) in limbs.iter().enumerate().filter(|(k, _)| held[*k] > 0.0) {
                let own = held[k] * both[k][side] / (both[k][0] + both[k][1]);
                limb.iter().zip(limb_shares(&place)).for_each(|(j, share)| shares[*j] += own * share);
            }
        }
        strongest(&shares)
    };
    Ok(places(grid).into_iter().enumerate().map(influence).collect())
}

/// Where a vertex lies, for its weights: side, torso row and column (of the root for limbs), and row of the limb.
#[derive(Clone, Copy, Debug)]
struct Place {
    side: usize,
    row: f64,
    column: f64,
    limb: Limb,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Limb {
    None,
    Arm(usize),
    Leg(usize),
}

fn places(grid: &Grid) -> Vec<Place> {
    let nowhere = Place { side: 0, row: (TORSO_ROWS - 1) as f64, column: 0.0, limb: Limb::None };
    let mut places = vec![nowhere; grid.vertex_count];
    for row in 0..TORSO_ROWS {
        for j in 0..TORSO_COLUMNS {
            let side = usize::from(j > TORSO_COLUMNS / 2);
            let column = j.min(TORSO_COLUMNS - j) as f64;
            if let Some(v) = grid.torso(row, j) {
                places[v as usize] = Place { side, row: row as f64, column, limb: Limb::None };
            }
        }
    }
    for v in &grid.seam {
        places[*v as usize] = Place { row: 0.0, limb: Limb::Leg(0), ..nowhere };
    }
    for side in [0, 1] {
        let arm = |row: usize, i: usize| {
            let (root, column) = loop_place(i);
            Place { side, row: root as f64, column: column as f64, limb: Limb::Arm(row) }
        };
        let leg = |row: usize| Place { side, row: 0.0, column: 16.0, limb: Limb::Leg(row) };
        for row in 1..ARM_ROWS {
            (0..ARM_COLUMNS).for_each(|i| places[grid.arm(side, row, i) as usize] = arm(row, i));
        }
        for row in 1..LEG_ROWS {
            (0..LEG_COLUMNS).for_each(|i| places[grid.leg(side, row, i) as usize] = leg(row));
        }
        for (kind, place) in [(1, arm(ARM_ROWS - 1, 0)), (2, leg(LEG_ROWS - 1))] {
            let n = CAPS[kind] + 1;
            let inner = (0..n * n).filter(|m| ![0, n - 1].contains(&(m / n)) && ![0, n - 1].contains(&(m % n)));
            inner.for_each(|m| places[grid.cap(kind, side)[m] as usize] = place);
        }
    }
    places
}

/// Shares of a chain whose influence switches at rows, each over a half-width.
fn chain_shares(row: f64, switches: &[(f64, f64)]) -> Vec<f64> {
    let reached = switches.iter().map(|(at, half)| smoothstep((row - at + half) / (2.0 * half)));
    let reached: Vec<f64> = std::iter::once(1.0).chain(reached).chain(std::iter::once(0.0)).collect();
    reached.windows(2).map(|pair| pair[0] - pair[1]).collect()
}

fn spine_shares(row: f64) -> Vec<f64> {
    chain_shares(row, &[(11.0, 5.0), (22.0, 5.0), (33.0, 5.0), (52.0, 3.0), (57.0, 3.0)])
}

fn limb_shares(place: &Place) -> Vec<f64> {
    match place.limb {
        Limb::Arm(row) => chain_shares(row as f64, &[(19.0, 4.0), (36.0, 2.5)]),
        Limb::Leg(row) => chain_shares(row as f64, &[(22.5, 4.0), (48.5, 3.0), (58.0, 2.0)]),
        Limb::None => vec![1.0],
    }
}

/// What the clavicle takes of the upper spine and neck: the shoulder between chest and neck base.
fn clavicle_share(place: &Place) -> f64 {
    let up = smoothstep((place.row - 35.0) / 4.0) * smoothstep((51.0 - place.row) / 4.0);
    0.8 * up * (1.0 - smoothstep((place.column - 16.0).abs() / 9.0))
}

/// The four strongest shares, made to add up to one.
fn strongest(shares: &[f64]) -> Influence {
    let mut order: Vec<usize> = (0..shares.len()).filter(|j| shares[*j] > 1e-4).collect();
    order.sort_by(|a, b| shares[*b].total_cmp(&shares[*a]).then(a.cmp(b)));
    order.truncate(4);
    let sum: f64 = order.iter().map(|j| shares[*j]).sum();
    let mut influence = Influence::default();
    for (k, j) in order.into_iter().enumerate() {
        influence.joints[k] = j as u16;
        influence.shares[k] = shares[j] / sum;
    }
    influence
}

/// Edges between the armhole and where the arm's influence ends.
const REACH: f64 = 7.0;

fn is_arm(place: &Place) -> bool {
    matches!(place.limb, Limb::Arm(row) if row >= 8 && place.side == 0)
}

fn is_leg(place: &Place) -> bool {
    matches!(place.limb, Limb::Leg(row) if row >= 11 && place.side == 0)
}

/// The right side, and torso further than the reach from the armhole, by rows and columns of its rectangle.
fn is_off_arm(place: &Place) -> bool {
    let beyond = |at: f64, low: f64, high: f64| (low - at).max(at - high).max(0.0);
    let distance = beyond(place.row, 35.0, 43.0) + beyond(place.column, 13.0, 19.0);
    let is_torso = !matches!(place.limb, Limb::Arm(_));
    place.side == 1 || (is_torso && distance >= REACH)
}

fn is_off_leg(place: &Place) -> bool {
    let is_high = place.limb == Limb::None && place.row >= 11.0;
    let is_other = matches!(place.limb, Limb::Leg(row) if row >= 11 && place.side == 1);
    is_high || is_other || matches!(place.limb, Limb::Arm(_))
}

/// A harmonic function of the grid: 1 on the left limb, 0 off it.
fn root(grid: &Grid, is_on: fn(&Place) -> bool, is_off: fn(&Place) -> bool) -> Result<Vec<f64>, BodyError> {
    let places = places(grid);
    let fixed: Vec<Option<f64>> = places
        .iter()
        .map(|place| {
            if is_on(place) {
                Some(1.0)
            } else if is_off(place) {
                Some(0.0)
            } else {
                None
            }
        })
        .collect();
    let free: Vec<usize> = (0..fixed.len()).filter(|v| fixed[*v].is_none()).collect();
    let mut number = vec![u32::MAX; fixed.len()];
    free.iter().enumerate().for_each(|(k, v)| number[*v] = k as u32);
    let mut columns = vec![Vec::new(); free.len()];
    let mut right = vec![0.0; free.len()];
    for (k, v) in free.iter().enumerate() {
        columns[k].push((k as u32, grid.neighbours[*v].len() as f64));
        for n in &grid.neighbours[*v] {
            match fixed[*n as usize] {
                Some(value) => right[k] += value,
                None if number[*n as usize] < k as u32 => columns[k].push((number[*n as usize], -1.0)),
                None => {}
            }
        }
    }
    factorised(columns)?.solve(&mut right);
    let value = |v: usize| fixed[v].unwrap_or_else(|| right[number[v] as usize].clamp(0.0, 1.0));
    Ok((0..fixed.len()).map(value).collect())
}
