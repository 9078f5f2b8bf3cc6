//! Pure bending as in KES-FB2: a short wide strip between two clamps, one of which turns.
//!
//! The turning clamp gives the sheet its direction and nothing else: it is free to find its place, so no force acts and the
//! moment is the same everywhere. (The instrument carries its clamp on the curve that a uniform arc would need, for the
//! same end.) With the clamps at an angle φ the mean curvature is κ = φ/L; the moment is the torque of the clamp's director
//! d under its reaction R, M = (d × R)·e/w, which is dE/dφ per width.
//!
//! The strip is wide against its length: the law is asked at κ_yy = 0. A strip with free sides and Poisson coupling
//! curls across at its edges (anticlastic), which shows as a reading below the law by a share of the order of ν² L/w.

use super::outcome::{CURVATURE, ErrorScale, MOMENT, Path};
use super::rig::{Reading, Rig, follow, settled, steps, to_force};
use super::{Direction, LabError, Outcome, Point, Specimen, Test, within};
use glam::DVec3;
use toile_core::fabric::Fabric;
use toile_core::integrate::relax;
use toile_core::mesh::Mesh;
use toile_core::system::{Builder, Key, Motion, State, System};

/// A bending test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bend {
    /// Threads that are bent.
    pub direction: Direction,
    /// Mesh.
    pub specimen: Specimen,
    /// Distance of the clamps along the sheet (m).
    pub length: f64,
    /// Length of the clamps (m).
    pub width: f64,
    /// Largest curvature to both sides (1/m).
    pub max_curvature: f64,
    /// Readings from zero to the largest curvature.
    pub points: usize,
}

impl Default for Bend {
    /// The 10 mm of the instrument, on a quarter of its width.
    fn default() -> Self {
        Self {
            direction: Direction::Weft,
            specimen: Specimen::default(),
            length: 0.01,
            width: 0.05,
            max_curvature: 100.0,
            points: 10,
        }
    }
}

impl Bend {
    pub(super) fn check(&self) -> Result<(), LabError> {
        within("length of the sample", 1e3 * self.length, [1.0, 1e3], "mm")?;
        within("width of the sample", 1e3 * self.width, [1.0, 1e3], "mm")?;
        within("points", self.points as f64, [1.0, 10_000.0], "")?;
        // Beyond three quarters of a circle the clamps would meet.
        within("maximum curvature", self.max_curvature, [1e-3, 4.7 / self.length], "1/m")
    }

    /// Up, down to the other side, and up again: the whole loop of a fabric with friction, each value once of one without.
    fn path(&self, remembers: bool) -> Vec<f64> {
        let (k, n) = (self.max_curvature, self.points);
        if !remembers {
            return std::iter::once(-k).chain(steps(-k, k, 2 * n)).filter(|x| x.abs() > 1e-9 * k).collect();
        }
        steps(0.0, k, n).chain(steps(k, -k, 2 * n)).chain(steps(-k, k, 2 * n)).collect()
    }
}

impl Test for Bend {
    fn steps(&self) -> usize {
        5 * self.points
    }

    fn run(&self, fabric: &Fabric, tick: &mut dyn FnMut()) -> Result<Outcome, LabError> {
        self.check()?;
        let mut rig = Press::new(self, fabric)?;
        let mut outcome = Outcome::new("bend", &fabric.name, self.direction.name(), CURVATURE, MOMENT);
        let elastic = fabric.bending.elastic.stiffness()[self.direction.mode()];
        outcome.figure("law_rigidity_un_m", "rigidity of the law at rest", 1e6 * elastic, "µN·m");
        if rig.point.remembers() {
            let stuck = rig.point.respond([0.0; 3]).1[0][0];
            outcome.figure("stuck_rigidity_un_m", "rigidity before friction slips", 1e6 * stuck, "µN·m");
        }
        let path = self.path(rig.point.remembers());
        outcome.rows = follow(&mut rig, &path, tick)?;
        outcome.triangles = rig.triangles;
        outcome.scale = ErrorScale::Largest;
        outcome.path = if rig.point.remembers() { Path::FromRest } else { Path::Elsewhere };
        outcome.note("errors are relative to the largest moment");
        if rig.point.remembers() {
            outcome.note("the law carries its friction loop along the same path");
        }
        Ok(outcome)
    }
}

/// The strip between its clamps. x is the curvature (1/m), a reading the moment per width (N).
pub(super) struct Press {
    plan: Bend,
    system: System,
    state: State,
    mesh: Mesh,
    pub(super) triangles: usize,
    pub(super) point: Point,
}

/// Grip of the turning clamp: after the vertices and the director of the fixed one.
const TURNING: usize = 2;

impl Press {
    pub(super) fn new(plan: &Bend, fabric: &Fabric) -> Result<Self, LabError> {
        let grain = plan.direction.grain();
        let mesh = plan.specimen.rectangle([plan.length, plan.width], grain)?;
        let near = |x: f64| mesh.vertices_where(|p| (p.x - x).abs() < 1e-9 * plan.length);
        let builder = Builder::new(&mesh, fabric).gravity(DVec3::ZERO);
        let builder = builder.clamp("fixed", near(0.0), DVec3::Y).director("turning", near(plan.length), DVec3::Y);
        let system = builder.build()?;
        let point = Point::new(&fabric.bending, grain)?;
        Ok(Self { plan: *plan, state: system.initial_state(), system, triangles: mesh.triangles.len(), mesh, point })
    }

    /// Puts the sheet on the circular arc of a curvature: where it would rest but for the corners of its triangles.
    fn put_on_arc(&mut self, curvature: f64) {
        for (x, rest) in self.state.positions.iter_mut().zip(&self.mesh.positions) {
            let turn = curvature * rest.x;
            // sin(κX)/κ and (1 − cos κX)/κ without dividing by a curvature of zero.
            let along = rest.x * sinc(turn);
            let up = 0.5 * turn * rest.x * sinc(0.5 * turn).powi(2);
            *x = DVec3::new(along, up, rest.z);
        }
    }
}

/// sin(t)/t.
fn sinc(t: f64) -> f64 {
    if t.abs() < 1e-4 { 1.0 - t * t / 6.0 } else { t.sin() / t }
}

impl Rig for Press {
    fn go(&mut self, x: f64) -> Result<Reading, LabError> {
        // Positive curvature bends towards the outside, +y: the far normal turns towards −x, about +z.
        let rotation = DVec3::new(0.0, 0.0, x * self.plan.length);
        let pose = Key { time: 0.0, translation: DVec3::ZERO, rotation, pivot: DVec3::ZERO };
        self.system.set_motion(TURNING, Motion::Keys(vec![pose]));
        self.put_on_arc(x);
        // Moments of µN·m over elements of a millimetre are forces of mN.
        let largest = self.point.respond([0.0; 3]).1[0][0] * self.plan.max_curvature;
        let options = to_force((1e-9 * largest).clamp(1e-14, 1e-9));
        let found = relax(&self.system, &mut self.state, &options, None);
        let iterations = settled(found, || format!("a curvature of {x:.3} 1/m"))?;
        let director = self.system.grips()[TURNING].nodes[0] as usize;
        let torque = self.state.positions[director].cross(self.state.reactions[director]).z;
        Ok(Reading { value: torque / self.plan.width, iterations })
    }

    fn law(&mut self, x: f64) -> Result<f64, LabError> {
        let moment = self.point.respond([x, 0.0, 0.0]).0[0];
        self.point.commit([x, 0.0, 0.0]);
        Ok(moment)
    }

    fn energy(&self) -> [f64; 2] {
        [self.system.energies(&self.state).elastic(), self.state.dissipated]
    }

    fn work_unit(&self) -> f64 {
        self.plan.width * self.plan.length
    }
}
