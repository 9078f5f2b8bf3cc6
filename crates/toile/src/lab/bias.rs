//! Bias test: a long strip cut at an angle to the threads, pulled by its ends, sides free.
//!
//! Away from the clamps the strip is in uniaxial stress: traction on its sides vanishes, P e_y = 0, so S_yy = S_xy = 0 in
//! the sample's axes, and the force is w S_xx λ with λ = |F e_x| and E_xx = ½(λ² − 1). Lateral and shear strain follow from
//! the two conditions (a small Newton on the law). The clamps hold their edge straight and disturb a length of the order of
//! the width, so the stretch is measured as a video extensometer does: over gauge marks in the middle part of the strip, as
//! the mean of F e_x over the triangles between them.

use super::outcome::{DISPLACEMENT, FORCE, GAUGE};
use super::rig::{Reading, Rig, follow, settled, steps, to_force};
use super::{LabError, Outcome, Point, Specimen, Test, within};
use crate::plot::{Axis, Plot, Series, Style};
use glam::{DVec2, DVec3};
use toile_core::fabric::Fabric;
use toile_core::integrate::relax;
use toile_core::mesh::Mesh;
use toile_core::system::{Builder, Motion, State, System};

/// A bias test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bias {
    /// Angle between the pull and the weft (rad).
    pub angle: f64,
    /// Mesh.
    pub specimen: Specimen,
    /// Distance of the clamps (m).
    pub length: f64,
    /// Width (m).
    pub width: f64,
    /// Distance of the gauge marks (m), in the middle.
    pub gauge: f64,
    /// Largest displacement over the distance of the clamps (–).
    pub max_strain: f64,
    /// Readings.
    pub points: usize,
}

impl Default for Bias {
    fn default() -> Self {
        Self {
            angle: std::f64::consts::FRAC_PI_4,
            specimen: Specimen::default(),
            length: 0.3,
            width: 0.05,
            gauge: 0.1,
            max_strain: 0.2,
            points: 20,
        }
    }
}

impl Bias {
    fn check(&self) -> Result<(), LabError> {
        within("angle", self.angle.to_degrees(), [-90.0, 90.0], "°")?;
        within("length of the strip", 1e3 * self.length, [1.0, 1e4], "mm")?;
        within("width of the strip", 1e3 * self.width, [1.0, 1e3 * self.length], "mm")?;
        within("gauge", 1e3 * self.gauge, [0.05 * 1e3 * self.length, 1e3 * self.length], "mm")?;
        within("maximum strain", 100.0 * self.max_strain, [1e-3, 100.0], "%")?;
        within("points", self.points as f64, [1.0, 10_000.0], "")
    }
}

impl Test for Bias {
    fn steps(&self) -> usize {
        self.points
    }

    fn run(&self, fabric: &Fabric, tick: &mut dyn FnMut()) -> Result<Outcome, LabError> {
        self.check()?;
        let mut rig = Strip::new(self, fabric)?;
        let path: Vec<f64> = steps(0.0, self.max_strain * self.length, self.points).collect();
        let direction = format!("{}°", (self.angle.to_degrees() * 1e6).round() / 1e6);
        let mut outcome = Outcome::new("bias", &fabric.name, direction, DISPLACEMENT, FORCE);
        outcome.rows = follow(&mut rig, &path, tick)?;
        outcome.triangles = rig.mesh.triangles.len();
        let e = rig.gauge_strain();
        outcome.figure("gauge_stretch", "stretch between the gauge marks at the end", 1.0 + e, "–");
        outcome.figure("lateral_strain", "lateral Green strain of the law at the end", rig.last[1], "–");
        outcome.note("the law is asked at the stretch between the gauge marks, in uniaxial stress");
        if rig.point.remembers() {
            outcome.note("the law carries its friction loop along the same path");
        }
        let pairs = |y: fn(&super::Row) -> f64| {
            rig.extension.iter().zip(&outcome.rows).map(|(e, r)| [100.0 * e, y(r)]).collect()
        };
        let plot = Plot {
            title: format!("{}, {}: force over gauge extension", fabric.name, outcome.direction),
            x: Axis::new("extension between gauge marks (%)"),
            y: Axis::new("force (N)"),
            series: vec![
                Series::new("law in uniaxial stress", Style::Line, pairs(|r| r.law)),
                Series::new(format!("{} triangles", outcome.triangles), Style::Points, pairs(|r| r.measured)),
            ],
            is_equal: false,
        };
        outcome.plots.push(("gauge", plot));
        outcome.beside = vec![(GAUGE, rig.extension)];
        Ok(outcome)
    }
}

/// The strip between its clamps. x is the way of the clamp (m), a reading its force (N).
struct Strip {
    plan: Bias,
    mesh: Mesh,
    system: System,
    state: State,
    point: Point,
    /// Gauge extension of every reading.
    extension: Vec<f64>,
    /// Last strain of the law.
    last: [f64; 3],
    tolerance: f64,
}

impl Strip {
    fn new(plan: &Bias, fabric: &Fabric) -> Result<Self, LabError> {
        // The pull lies at +angle to the weft, so the weft lies at −angle to the pull.
        let grain = -plan.angle;
        let mesh = plan.specimen.rectangle([plan.length, plan.width], grain)?;
        let near = |x: f64| mesh.vertices_where(|p| (p.x - x).abs() < 1e-9 * plan.length);
        let everything = (0..mesh.vertex_count() as u32).collect();
        let builder = Builder::new(&mesh, fabric).bending("none").gravity(DVec3::ZERO);
        let builder = builder.pin("fixed", near(0.0)).pin("moving", near(plan.length));
        let system = builder.grip("plane", everything, [false, true, false]).build()?;
        let stiffest = fabric.membrane.elastic.stiffness()[..3].iter().fold(0.0f64, |a, k| a.max(*k));
        Ok(Self {
            plan: *plan,
            state: system.initial_state(),
            system,
            mesh,
            point: Point::new(&fabric.membrane, grain)?,
            extension: Vec::new(),
            last: [0.0; 3],
            tolerance: (1e-12 * stiffest * plan.length).max(1e-9),
        })
    }

    /// Extension between the gauge marks: mean of F e_x over the triangles there, less one.
    fn gauge_strain(&self) -> f64 {
        let (from, to) = (0.5 * (self.plan.length - self.plan.gauge), 0.5 * (self.plan.length + self.plan.gauge));
        let (mut sum, mut area) = (DVec2::ZERO, 0.0);
        for corners in &self.mesh.triangles {
            let rest = corners.map(|v| self.mesh.positions[v as usize]);
            let centre = (rest[0].x + rest[1].x + rest[2].x) / 3.0;
            if centre < from || centre > to {
                continue;
            }
            let flat = |p: DVec3| DVec2::new(p.x, -p.z);
            let (r, now) = (rest.map(flat), corners.map(|v| flat(self.state.positions[v as usize])));
            // F e_x = Σ ∂N_i/∂X x_i, times twice the area.
            let two_areas = (r[1] - r[0]).perp_dot(r[2] - r[0]);
            for i in 0..3 {
                sum += 0.5 * (r[(i + 1) % 3].y - r[(i + 2) % 3].y) * now[i];
            }
            area += 0.5 * two_areas;
        }
        (sum / area).length() - 1.0
    }
}

impl Rig for Strip {
    fn go(&mut self, x: f64) -> Result<Reading, LabError> {
        self.system.set_motion(1, Motion::shift(DVec3::new(x, 0.0, 0.0)));
        let found = relax(&self.system, &mut self.state, &to_force(self.tolerance), None);
        let iterations = settled(found, || format!("{:.3} mm", 1e3 * x))?;
        self.extension.push(self.gauge_strain());
        Ok(Reading { value: self.system.reaction(&self.state, 1).x, iterations })
    }

    fn law(&mut self, x: f64) -> Result<f64, LabError> {
        let e = self.gauge_strain();
        let strain = self.point.uniaxial(e + 0.5 * e * e);
        let strain = strain.ok_or_else(|| LabError::NoUniaxialState { at: format!("{:.3} mm", 1e3 * x) })?;
        let stress = self.point.respond(strain).0[0];
        self.point.commit(strain);
        self.last = strain;
        Ok(self.plan.width * stress * (1.0 + e))
    }

    fn energy(&self) -> [f64; 2] {
        [self.system.energies(&self.state).elastic(), self.state.dissipated]
    }

    fn work_unit(&self) -> f64 {
        1.0
    }
}
