//! What contact does during a step, remembered from the one before: forces, and holds at obstacles.
//!
//! A remembered force alone is wrong by what changed since, and only m/h² of a vertex stands against that: in fine cloth ten
//! thousand times less than the cloth that pulls on it. So the vertices that press on an obstacle are also held there by a spring as
//! stiff as the cloth, across the contact and, where friction holds, along it. Its force is part of the remembered one in
//! the next step (the method of multipliers), so that it comes to nothing at rest and cloth neither sinks nor hovers. A hold that pulls
//! is let go after the step.

use glam::{DMat3, DVec3};
use toile_core::force::{Force, Moment, Projection, Target};
use toile_core::linalg::{Pair as Coupling, Pattern};

/// Name of the force in a system.
pub(super) const NAME: &str = "contact";

/// Holds that find room, for each vertex. Bodies of finer meshes than the cloth make more; the weakest are then left out.
const HOLDS: usize = 2;
/// Numbers of a hold.
const SIZE: usize = 18;

/// Forces on vertices and holds whose values are memory of the state: [`Geometric`](super::Geometric) sets them after each step,
/// and they are stored and brought back with the state. A system with geometric contact has one.
#[derive(Clone, Debug)]
pub struct Push {
    vertex_count: usize,
}

/// A spring between a place on cloth and one on an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hold {
    /// Vertices of cloth, a corner, an edge or a triangle, and their weights: zero where there are fewer.
    pub(super) nodes: [u32; 3],
    pub(super) weights: [f64; 3],
    pub(super) normal: DVec3,
    /// N/m.
    pub(super) stiffness: f64,
    /// It holds along the obstacle, too.
    pub(super) sticks: bool,
    /// Σwx where it exerts nothing (m) when it is set, and the speed at which that moves with the obstacle (m/s).
    pub(super) place: DVec3,
    pub(super) velocity: DVec3,
    /// A vertex of the obstacle.
    pub(super) obstacle: u32,
}

impl Hold {
    pub(super) fn members(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.nodes.iter().map(|&v| v as usize).zip(self.weights).filter(|m| m.1 != 0.0)
    }

    fn relative(&self, of: &[DVec3]) -> DVec3 {
        self.members().map(|(v, w)| w * of[v]).sum()
    }

    /// How far it is drawn, `after` seconds after it was set (m).
    fn way(&self, y: &[DVec3], after: f64) -> DVec3 {
        self.along(self.relative(y) - self.place - after * self.velocity)
    }

    /// The part of a vector that it feels.
    fn along(&self, u: DVec3) -> DVec3 {
        if self.sticks { u } else { self.normal.dot(u) * self.normal }
    }

    fn coupling(&self) -> Coupling {
        let n = self.normal;
        let felt = if self.sticks { DMat3::IDENTITY } else { DMat3::from_cols(n.x * n, n.y * n, n.z * n) };
        let [x, y, z] = [felt.x_axis, felt.y_axis, felt.z_axis].map(|a| self.stiffness * a);
        let ([a, b, c], [p, q, r]) = (self.nodes, self.weights);
        Coupling { nodes: [a, b, c, c], weights: [p, q, r, 0.0], block: [x.x, x.y, x.z, y.y, y.z, z.z] }
    }

    fn write(&self, to: &mut [f64]) {
        let [a, b, c] = self.nodes.map(f64::from);
        let ([p, q, r], n, x, v) = (self.weights, self.normal, self.place, self.velocity);
        let sticks = f64::from(u8::from(self.sticks));
        to[..11].copy_from_slice(&[a, b, c, p, q, r, n.x, n.y, n.z, self.stiffness, sticks]);
        to[11..].copy_from_slice(&[x.x, x.y, x.z, v.x, v.y, v.z, f64::from(self.obstacle)]);
    }

    fn read(from: &[f64]) -> Self {
        let three = |k: usize| DVec3::from_slice(&from[k..k + 3]);
        Self {
            nodes: [0, 1, 2].map(|k| from[k] as u32),
            weights: [from[3], from[4], from[5]],
            normal: three(6),
            stiffness: from[9],
            sticks: from[10] != 0.0,
            place: three(11),
            velocity: three(14),
            obstacle: from[17] as u32,
        }
    }
}

impl Push {
    /// For the first vertices of a system.
    pub fn new(vertex_count: usize) -> Self {
        Self { vertex_count }
    }

    /// Numbers of memory for so many vertices: forces, number of holds, the time they are set, holds.
    pub(super) fn memory_len(vertex_count: usize) -> usize {
        (3 + HOLDS * SIZE) * vertex_count + 2
    }

    /// Forces on the vertices at `y` and `time` (N).
    pub(super) fn forces(memory: &[f64], vertex_count: usize, y: &[DVec3], time: f64) -> Vec<DVec3> {
        let mut forces = vec![DVec3::ZERO; vertex_count];
        Self { vertex_count }.add(memory, y, time, &mut forces);
        forces
    }

    /// Remembers forces, and holds with their normal forces. Of holds that find no room those with the least are left out.
    pub(super) fn remember(memory: &mut [f64], forces: &[DVec3], mut holds: Vec<(f64, Hold)>, time: f64) {
        memory.fill(0.0);
        forces.iter().zip(memory.chunks_exact_mut(3)).for_each(|(f, m)| m.copy_from_slice(&f.to_array()));
        let room = HOLDS * forces.len();
        if holds.len() > room {
            holds.sort_by(|a, b| b.0.total_cmp(&a.0));
            holds.truncate(room);
        }
        let first = 3 * forces.len();
        (memory[first], memory[first + 1]) = (holds.len() as f64, time);
        for ((_, hold), to) in holds.iter().zip(memory[first + 2..].chunks_exact_mut(SIZE)) {
            hold.write(to);
        }
    }

    pub(super) fn holds<'a>(&self, memory: &'a [f64]) -> impl Iterator<Item = Hold> + 'a {
        let first = 3 * self.vertex_count;
        memory[first + 2..].chunks_exact(SIZE).take(memory[first] as usize).map(Hold::read)
    }

    /// Seconds since the holds were set.
    fn after(&self, memory: &[f64], time: f64) -> f64 {
        time - memory[3 * self.vertex_count + 1]
    }

    fn add(&self, memory: &[f64], y: &[DVec3], time: f64, forces: &mut [DVec3]) {
        let pushes = memory.chunks_exact(3).take(self.vertex_count);
        forces.iter_mut().zip(pushes).for_each(|(f, push)| *f += DVec3::from_slice(push));
        let after = self.after(memory, time);
        for hold in self.holds(memory) {
            let pull = -hold.stiffness * hold.way(y, after);
            hold.members().for_each(|(v, w)| forces[v] += w * pull);
        }
    }
}

impl Force for Push {
    fn name(&self) -> &'static str {
        NAME
    }

    fn reads_velocities(&self) -> bool {
        false
    }

    // Holds couple vertices of one triangle: the cloth couples them already.
    fn stencils(&self, visit: &mut dyn FnMut(&[u32])) {
        (0..self.vertex_count as u32).for_each(|n| visit(&[n]));
    }

    fn bind(&mut self, _pattern: &Pattern) {}

    fn memory_len(&self) -> usize {
        Self::memory_len(self.vertex_count)
    }

    /// Contact stores none.
    fn energy(&self, _at: &Moment, _memory: &[f64]) -> f64 {
        0.0
    }

    fn potential(&self, at: &Moment, memory: &[f64]) -> f64 {
        let pushes = memory.chunks_exact(3).take(self.vertex_count).map(DVec3::from_slice);
        let pushed: f64 = pushes.zip(at.positions).map(|(f, y)| -f.dot(*y)).sum();
        let after = self.after(memory, at.time);
        let held = self.holds(memory).map(|h| 0.5 * h.stiffness * h.way(at.positions, after).length_squared());
        pushed + held.sum::<f64>()
    }

    fn add_forces(&self, at: &Moment, memory: &[f64], forces: &mut [DVec3]) {
        self.add(memory, at.positions, at.time, forces);
    }

    fn add_jacobian(&self, _at: &Moment, memory: &[f64], _projection: Projection, target: &mut Target) {
        for hold in self.holds(memory) {
            let is_coupled = target.add_pair(&hold.coupling());
            debug_assert!(is_coupled, "a corner, an edge or a triangle of cloth");
        }
    }

    fn add_product(
        &self,
        _at: &Moment,
        memory: &[f64],
        _projection: Projection,
        direction: &[DVec3],
        product: &mut [DVec3],
    ) -> bool {
        for hold in self.holds(memory) {
            let force = hold.stiffness * hold.along(hold.relative(direction));
            hold.members().for_each(|(v, w)| product[v] += w * force);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_core::force::Rate;
    use toile_core::linalg::BlockMatrix;

    /// Forces are the negative gradient of the potential, the product is its second derivative and that of the matrix, and both know
    /// the memory that was written.
    #[test]
    fn forces_and_products_are_derivatives_of_the_potential() {
        let n = DVec3::new(2.0, -1.0, 2.0) / 3.0;
        let hold = |nodes: [u32; 3], weights: [f64; 3], sticks: bool| Hold {
            nodes,
            weights,
            normal: n,
            stiffness: 30.0,
            sticks,
            place: DVec3::new(0.02, 0.05, -0.01),
            velocity: DVec3::new(0.1, 0.0, -0.3),
            obstacle: 7,
        };
        let holds = vec![
            (1.0, hold([0, 1, 2], [-0.2, -0.5, -0.3], false)),
            (1.0, hold([2, 2, 2], [1.0, 0.0, 0.0], true)),
            (1.0, hold([1, 2, 2], [0.4, 0.6, 0.0], false)),
        ];
        let push = Push::new(3);
        let mut memory = vec![0.0; Force::memory_len(&push)];
        let forces = [DVec3::X, DVec3::new(0.0, 2.0, 1.0), -DVec3::ONE];
        Push::remember(&mut memory, &forces, holds, 0.5);
        let x = vec![DVec3::new(0.1, 0.0, 0.2), DVec3::new(0.3, 0.1, 0.0), DVec3::new(-0.1, 0.2, 0.1)];
        let at = |y: &[DVec3]| (y.to_vec(), vec![DVec3::ZERO; 3]);
        let potential = |y: &[DVec3]| {
            let (positions, velocities) = at(y);
            let moment =
                Moment { positions: &positions, velocities: &velocities, time: 0.7, elapsed: 0.2, rate: Rate::Instant };
            push.potential(&moment, &memory)
        };
        let found = Push::forces(&memory, 3, &x, 0.7);
        let (velocities, step) = (vec![DVec3::ZERO; 3], 1e-4);
        let moment = Moment { positions: &x, velocities: &velocities, time: 0.7, elapsed: 0.2, rate: Rate::Instant };
        let pattern = std::sync::Arc::new(Pattern::from_stencils(3, |visit| visit(&[0, 1, 2])));
        let mut matrix = BlockMatrix::<f64>::zero(pattern);
        push.add_jacobian(&moment, &memory, Projection::Exact, &mut Target::Double(&mut matrix));
        for k in 0..9 {
            let mut along = vec![DVec3::ZERO; 3];
            along[k / 3][k % 3] = 1.0;
            let moved = |s: f64| x.iter().zip(&along).map(|(x, a)| *x + s * *a).collect::<Vec<_>>();
            let slope = (potential(&moved(step)) - potential(&moved(-step))) / (2.0 * step);
            assert!((slope + found[k / 3][k % 3]).abs() < 1e-8, "{k}: {slope} {:?}", found[k / 3]);
            let (mut product, mut stored) = (vec![DVec3::ZERO; 3], vec![DVec3::ZERO; 3]);
            push.add_product(&moment, &memory, Projection::Exact, &along, &mut product);
            matrix.add_product(&along, &mut stored);
            let ahead = Push::forces(&memory, 3, &moved(step), 0.7);
            for i in 0..3 {
                let change = (found[i] - ahead[i]) / step;
                assert!(change.distance(product[i]) < 1e-7 && stored[i].distance(product[i]) < 1e-12, "{k} {i}");
            }
        }
    }

    /// Where there is no room for all, the strongest stay.
    #[test]
    fn weakest_holds_are_left_out() {
        let hold = Hold {
            nodes: [0; 3],
            weights: [1.0, 0.0, 0.0],
            normal: DVec3::Y,
            stiffness: 1.0,
            sticks: false,
            place: DVec3::ZERO,
            velocity: DVec3::ZERO,
            obstacle: 1,
        };
        let mut memory = vec![0.0; Push::memory_len(1)];
        let holds = [1.0, 3.0, 2.0].map(|load| (load, Hold { stiffness: load, ..hold }));
        Push::remember(&mut memory, &[DVec3::ZERO], holds.to_vec(), 0.0);
        let kept: Vec<f64> = Push::new(1).holds(&memory).map(|h| h.stiffness).collect();
        assert_eq!(kept, [3.0, 2.0]);
    }
}
