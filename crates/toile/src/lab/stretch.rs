//! Tensile and shear tests on the wide sample of KES-FB1. Source: Volino09, appendix, eq. (15)–(17), and §4.1.
//!
//! The sample is clamped along its long edges and kept in its plane: a test of the membrane, not of wrinkles. *Guided*
//! edges carry the two short sides along as if the sample went on, which the conversion formulas assume: strain is
//! uniform, and the mesh must return the law's own force to rounding. *Free* edges are those of the real instrument: with
//! coupling or shear the ends of the sample feel that they are ends, and the difference from the law is physics.
//!
//! The force is the one conjugate to the clamp: for the affine mode δx = (X/l_u) δd the reactions R do the work
//! f·δd = Σ R_i·δx_i, hence f = Σ (X_i/l_u) R_i over all held nodes. For uniform fields that is l_v P, exact on any mesh.

use super::outcome::{DISPLACEMENT, FORCE};
use super::rig::{Reading, Rig, follow, settled, steps, to_force};
use super::{Direction, LabError, Outcome, Point, Specimen, Test, within};
use crate::plot::{Series, Style};
use glam::DVec3;
use toile_core::fabric::{Fabric, Material};
use toile_core::integrate::relax;
use toile_core::mesh::Mesh;
use toile_core::system::{Builder, Motion as GripMotion, State, System};
use toile_core::tensile::{Motion, Sample};

/// What happens to the short edges of the sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edges {
    /// Carried along with the uniform strain.
    #[default]
    Guided,
    /// Left to themselves, as in the instrument.
    Free,
}

/// How the clamp moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Away from the other one.
    #[default]
    Tensile,
    /// Along it.
    Shear,
}

/// A tensile or shear test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// Way of the clamp.
    pub kind: Kind,
    /// Threads between the clamps.
    pub direction: Direction,
    /// Mesh.
    pub specimen: Specimen,
    /// Size: that of the Kawabata instrument unless changed.
    pub sample: Sample,
    /// Short edges.
    pub edges: Edges,
    /// Largest displacement over the distance of the clamps (–).
    pub max_strain: f64,
    /// Readings.
    pub points: usize,
    /// Shear only: tension (N/m) kept by the clamp while it moves. Zero holds the distance of the clamps instead.
    pub tension: f64,
}

impl Default for Stretch {
    fn default() -> Self {
        Self {
            kind: Kind::Tensile,
            direction: Direction::Weft,
            specimen: Specimen::default(),
            sample: Sample::KAWABATA,
            edges: Edges::Guided,
            max_strain: 0.2,
            points: 20,
            tension: 0.0,
        }
    }
}

impl Stretch {
    /// Refuses a plan that cannot be carried out.
    pub(super) fn check(&self) -> Result<(), LabError> {
        within("maximum strain", 100.0 * self.max_strain, [1e-3, 100.0], "%")?;
        within("points", self.points as f64, [1.0, 10_000.0], "")?;
        within("tension", self.tension, [0.0, 1e5], "N/m")?;
        super::sample(self.sample.length, self.sample.width).map(|_| ())
    }

    fn name(&self) -> &'static str {
        match self.kind {
            Kind::Tensile => "tensile",
            Kind::Shear => "shear",
        }
    }
}

impl Test for Stretch {
    fn steps(&self) -> usize {
        self.points
    }

    fn run(&self, fabric: &Fabric, tick: &mut dyn FnMut()) -> Result<Outcome, LabError> {
        self.check()?;
        let mut rig = Clamps::new(self, fabric)?;
        let path: Vec<f64> = steps(0.0, self.max_strain * self.sample.length, self.points).collect();
        let rows = follow(&mut rig, &path, tick)?;
        let mut outcome = Outcome::new(self.name(), &fabric.name, self.direction.name(), DISPLACEMENT, FORCE);
        outcome.triangles = rig.triangles;
        outcome.rows = rows;
        outcome.note(match self.edges {
            Edges::Guided => "guided edges: the mesh must return the law",
            Edges::Free => "free edges: the difference from the law is the effect of the sample's ends",
        });
        if rig.point.remembers() {
            outcome.note("the law carries its friction loop along the same path");
            // What loading without friction would show.
            let elastic =
                Point::new(&Material { memory: Vec::new(), ..fabric.membrane.clone() }, self.direction.grain())?;
            let path = std::iter::once(&0.0).chain(&path).filter(|_| self.tension == 0.0);
            let curve = path.map(|&x| {
                let d = rig.motion(x);
                [x, rig.component(self.sample.force(first_and_shear(elastic.elastic(rig.strain(d))), d))]
            });
            outcome.plot_extra.push(Series::new("elastic law alone", Style::Dashed, curve.collect()));
        }
        Ok(outcome)
    }
}

/// The components of stress that a clamp feels: along the pull and shear.
fn first_and_shear(stress: [f64; 3]) -> [f64; 2] {
    [stress[0], stress[2]]
}

/// The sample between its clamps. x is the way of the moving clamp (m), a reading the force along that way (N).
pub(super) struct Clamps {
    plan: Stretch,
    system: System,
    state: State,
    /// Held nodes and their share of the clamp's way.
    held: Vec<(u32, f64)>,
    pub(super) triangles: usize,
    pub(super) point: Point,
    /// Opening that keeps the tension, of the sample and of the law (m).
    opening: [f64; 2],
    tolerance: f64,
}

impl Clamps {
    pub(super) fn new(plan: &Stretch, fabric: &Fabric) -> Result<Self, LabError> {
        let grain = plan.direction.grain();
        let size = [plan.sample.length, plan.sample.width];
        let mesh = plan.specimen.rectangle(size, grain)?;
        let held = held(&mesh, size, plan.edges);
        let everything = (0..mesh.vertex_count() as u32).collect();
        let mut builder = Builder::new(&mesh, fabric).bending("none").gravity(DVec3::ZERO);
        // First, one grip for every held node: the affine motion is another shift for each.
        for &(node, _) in &held {
            builder = builder.pin("clamp", vec![node]);
        }
        let system = builder.grip("plane", everything, [false, true, false]).build()?;
        let stiffest = fabric.membrane.elastic.stiffness()[..3].iter().fold(0.0f64, |a, k| a.max(*k));
        Ok(Self {
            plan: *plan,
            state: system.initial_state(),
            system,
            held,
            triangles: mesh.triangles.len(),
            point: Point::new(&fabric.membrane, grain)?,
            opening: [0.0; 2],
            // Far below any force that is read, above the rounding of very stiff fabrics.
            tolerance: (1e-12 * stiffest * plan.sample.length).max(1e-9),
        })
    }

    /// The way of the clamp at x, without what tension adds.
    pub(super) fn motion(&self, x: f64) -> Motion {
        match self.plan.kind {
            Kind::Tensile => Motion { pull: x, shear: 0.0 },
            Kind::Shear => Motion { pull: 0.0, shear: x },
        }
    }

    /// The part of a force that the test reads.
    pub(super) fn component(&self, force: Motion) -> f64 {
        match self.plan.kind {
            Kind::Tensile => force.pull,
            Kind::Shear => force.shear,
        }
    }

    /// Uniform strain (xx, yy, xy) of a way, eq. (15).
    fn strain(&self, d: Motion) -> [f64; 3] {
        let [extension, shear] = self.plan.sample.strain(d);
        [extension, 0.0, shear]
    }

    /// Moves the clamps of a copy of the state; forces on the moving one (N) and Newton iterations.
    fn moved(&mut self, state: &mut State, d: Motion) -> Result<(Motion, usize), LabError> {
        for (grip, &(_, share)) in self.held.iter().enumerate() {
            self.system.set_motion(grip, GripMotion::shift(share * DVec3::new(d.pull, 0.0, -d.shear)));
        }
        let at = || format!("{:.3} mm pull, {:.3} mm shear", 1e3 * d.pull, 1e3 * d.shear);
        let iterations = settled(relax(&self.system, state, &to_force(self.tolerance), None), at)?;
        let sum: DVec3 = self.held.iter().map(|&(node, share)| share * state.reactions[node as usize]).sum();
        Ok((Motion { pull: sum.x, shear: -sum.z }, iterations))
    }

    /// The law's force at a way.
    fn law_force(&self, d: Motion) -> Motion {
        self.plan.sample.force(first_and_shear(self.point.respond(self.strain(d)).0), d)
    }

    /// Change of the law's pull with the opening (N/m), by central difference: only guides a search.
    fn law_slope(&self, d: Motion) -> f64 {
        let h = 1e-6 * self.plan.sample.length;
        let at = |pull: f64| self.law_force(Motion { pull, ..d }).pull;
        (at(d.pull + h) - at(d.pull - h)) / (2.0 * h)
    }
}

impl Rig for Clamps {
    fn go(&mut self, x: f64) -> Result<Reading, LabError> {
        let mut d = self.motion(x);
        let goal = self.plan.tension * self.plan.sample.width;
        d.pull += self.opening[0];
        let mut total = 0;
        // A given tension opens the clamps until it is met, by Newton with the law's slope; else one solution will do.
        let mut state = self.state.clone();
        for _ in 0..40 {
            // Positions go on from the last trial, memory from the last reading.
            state.memory.clone_from(&self.state.memory);
            state.dissipated = self.state.dissipated;
            let (force, iterations) = self.moved(&mut state, d)?;
            total += iterations;
            if goal == 0.0 || (force.pull - goal).abs() <= 1e-9 * goal {
                self.opening[0] = d.pull - self.motion(x).pull;
                self.state = state;
                return Ok(Reading { value: self.component(force), iterations: total });
            }
            d.pull -= (force.pull - goal) / self.law_slope(d);
        }
        Err(LabError::Unbalanced { at: format!("{:.3} mm", 1e3 * x), iterations: total, residual: goal })
    }

    fn law(&mut self, x: f64) -> Result<f64, LabError> {
        let mut d = self.motion(x);
        let goal = self.plan.tension * self.plan.sample.width;
        if goal > 0.0 {
            d.pull = self.opening[1];
            for _ in 0..60 {
                let miss = self.law_force(d).pull - goal;
                d.pull -= miss / self.law_slope(d);
                if miss.abs() <= 1e-12 * goal {
                    break;
                }
            }
            self.opening[1] = d.pull;
        }
        let force = self.component(self.law_force(d));
        self.point.commit(self.strain(d));
        Ok(force)
    }

    fn energy(&self) -> [f64; 2] {
        [self.system.energies(&self.state).elastic(), self.state.dissipated]
    }

    fn work_unit(&self) -> f64 {
        1.0
    }
}

/// Held boundary nodes and their share X/l_u of the clamp's way.
fn held(mesh: &Mesh, size: [f64; 2], edges: Edges) -> Vec<(u32, f64)> {
    let near = |a: f64, b: f64| (a - b).abs() < 1e-9 * (size[0] + size[1]);
    let on_clamp = |p: DVec3| near(p.x, 0.0) || near(p.x, size[0]);
    let on_side = |p: DVec3| near(p.z, 0.0) || near(-p.z, size[1]);
    let is_held = |p: DVec3| on_clamp(p) || (edges == Edges::Guided && on_side(p));
    mesh.vertices_where(is_held).into_iter().map(|v| (v, mesh.positions[v as usize].x / size[0])).collect()
}
