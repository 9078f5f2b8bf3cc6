//! Cantilever test: a level strip hangs over an edge under its own weight. Source: Peirce30; the exact heavy elastica is in
//! [`toile_core::tensile`].
//!
//! From the angle of the chord, edge to tip, the elastica gives Γ = ρ g L³/B and with it the rigidity B that a homogeneous
//! linear strip would have; next to it stands the rigidity B of the law at rest. That is the one of a *wide* strip, D_xx: the
//! sides of a narrow one curl across and leave 1/(D⁻¹)_xx, but what counts as narrow is w²κ against the thickness
//! √(12B/Y) that a plate of this stiffness would have (Searle's number). Fabrics are so thin in this sense that a strip of
//! a centimetre is wide. The rigidity of free sides is reported where coupling makes the two differ.
//! Without a given overhang the test does what a tester's operator does: it pushes the strip out until the chord makes 41.5°.
//! The bending length is c = (B/ρg)^⅓.
//!
//! A fabric with bending friction sags less than its elastic rigidity says: the first loading works against the slider, and
//! the measured B lies between the elastic one and that of slider and spring together. Both are reported.

use super::outcome::{OVERHANG, Path, RIGIDITY};
use super::rig::{settled, to_force};
use super::{Direction, LabError, Outcome, Point, Row, Specimen, Test, within};
use crate::plot::{Axis, Plot, Series, Style};
use glam::DVec3;
use toile_core::fabric::{Fabric, Material};
use toile_core::integrate::{StaticOptions, relax};
use toile_core::system::Builder;
use toile_core::tensile::{
    STANDARD_GRAVITY, cantilever_of_chord, cantilever_overhang, cantilever_rigidity, cantilever_shape,
};

/// Chord angle of cantilever testers (rad): 41.5°.
pub const STANDARD_ANGLE: f64 = 41.5 * std::f64::consts::PI / 180.0;

/// Strips tried at most, when the overhang is sought.
const TRIES: usize = 8;

/// A cantilever test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cantilever {
    /// Threads along the strip.
    pub direction: Direction,
    /// Mesh.
    pub specimen: Specimen,
    /// Free length (m); sought so that the chord makes 41.5° if None.
    pub overhang: Option<f64>,
    /// Width (m).
    pub width: f64,
}

impl Default for Cantilever {
    fn default() -> Self {
        Self { direction: Direction::Weft, specimen: Specimen::default(), overhang: None, width: 0.025 }
    }
}

/// A strip that has come to rest.
struct Hanging {
    length: f64,
    drop: f64,
    reach: f64,
    iterations: usize,
    triangles: usize,
    /// Centre line (m): reach and drop.
    profile: Vec<[f64; 2]>,
}

impl Hanging {
    fn chord(&self) -> f64 {
        self.drop.atan2(self.reach)
    }
}

impl Test for Cantilever {
    fn steps(&self) -> usize {
        if self.overhang.is_some() { 1 } else { TRIES }
    }

    fn run(&self, fabric: &Fabric, tick: &mut dyn FnMut()) -> Result<Outcome, LabError> {
        within("width of the strip", 1e3 * self.width, [1.0, 1e3], "mm")?;
        let grain = self.direction.grain();
        let elastic = Material { memory: Vec::new(), ..fabric.bending.clone() };
        let plate = Point::new(&elastic, grain)?.respond([0.0; 3]).1;
        let (law, free) = (plate[0][0], condensed(plate));
        let mut outcome = Outcome::new("cantilever", &fabric.name, self.direction.name(), OVERHANG, RIGIDITY);
        outcome.path = Path::Trials;
        let (strip, measured) = self.seek(fabric, law, &mut outcome.rows, tick)?;
        self.describe(&mut outcome, fabric, &strip, measured, law);
        if (free / law - 1.0).abs() > 1e-9 {
            outcome.figure("free_rigidity_un_m", "rigidity of the law, free sides", 1e6 * free, "µN·m");
        }
        let point = Point::new(&fabric.bending, grain)?;
        if point.remembers() {
            let stuck = point.respond([0.0; 3]).1[0][0];
            outcome.figure("stuck_rigidity_un_m", "rigidity before friction slips", 1e6 * stuck, "µN·m");
            outcome.note("bending friction holds the strip up; the law's rigidity is that of the elastic law alone");
        }
        Ok(outcome)
    }
}

/// 1/(D⁻¹)_xx: the rigidity left when moments across and twist of a narrow strip vanish.
fn condensed(d: [[f64; 3]; 3]) -> f64 {
    let det = d[1][1] * d[2][2] - d[1][2] * d[2][1];
    let (a, b) = (d[0][1], d[0][2]);
    let [x, y] = [(d[2][2] * a - d[1][2] * b) / det, (d[1][1] * b - d[2][1] * a) / det];
    d[0][0] - a * x - b * y
}

impl Cantilever {
    /// Hangs the strip, or strips of other lengths until the chord makes the standard angle; rigidity by the elastica.
    fn seek(
        &self,
        fabric: &Fabric,
        law: f64,
        rows: &mut Vec<Row>,
        tick: &mut dyn FnMut(),
    ) -> Result<(Hanging, f64), LabError> {
        let proper = |rigidity: f64| cantilever_overhang(fabric.density, rigidity, STANDARD_ANGLE).unwrap_or(f64::NAN);
        let mut length = self.overhang.unwrap_or_else(|| proper(law));
        loop {
            within("overhang", 1e3 * length, [1.0, 5e3], "mm")?;
            let strip = self.hang(fabric, length)?;
            tick();
            let chord = strip.chord();
            let measured = cantilever_rigidity(fabric.density, length, chord);
            let measured = measured.ok_or(LabError::Limp { chord_degrees: chord.to_degrees() })?;
            rows.push(Row { x: length, measured, law, iterations: strip.iterations });
            // 0.005°: the mesh changes a little with the length, so a fixed point is not reached to rounding.
            let is_there = (chord - STANDARD_ANGLE).abs() < 1e-4;
            if self.overhang.is_some() || is_there || rows.len() == TRIES {
                return Ok((strip, measured));
            }
            length = proper(measured);
        }
    }

    /// Hangs a strip of a free length.
    fn hang(&self, fabric: &Fabric, length: f64) -> Result<Hanging, LabError> {
        let mesh = self.specimen.rectangle([length, self.width], self.direction.grain())?;
        let near = |x: f64| mesh.vertices_where(|p| (p.x - x).abs() < 1e-9 * length);
        let builder = Builder::new(&mesh, fabric).gravity(DVec3::new(0.0, -STANDARD_GRAVITY, 0.0));
        let system = builder.clamp("edge", near(0.0), DVec3::Y).build()?;
        let mut state = system.initial_state();
        // A millionth of the strip's weight, and no node further than a tenth of the strip at a time.
        let weight = STANDARD_GRAVITY * system.total_mass();
        let options = StaticOptions { max_move: 0.1 * length, ..to_force((1e-6 * weight / 100.0).min(1e-9)) };
        let found = relax(&system, &mut state, &options, None);
        let iterations = settled(found, || format!("an overhang of {:.3} mm", 1e3 * length))?;
        let tip = near(length);
        let mean: DVec3 = tip.iter().map(|&v| state.positions[v as usize]).sum::<DVec3>() / tip.len() as f64;
        let mut profile: Vec<[f64; 3]> = (0..mesh.vertex_count())
            .filter(|&v| (mesh.positions[v].z + 0.5 * self.width).abs() < 0.1 * self.width)
            .map(|v| [mesh.positions[v].x, state.positions[v].x, -state.positions[v].y])
            .collect();
        profile.sort_by(|a, b| a[0].total_cmp(&b[0]));
        Ok(Hanging {
            length,
            drop: -mean.y,
            reach: mean.x,
            iterations,
            triangles: mesh.triangles.len(),
            profile: profile.iter().map(|p| [p[1], p[2]]).collect(),
        })
    }

    fn describe(&self, outcome: &mut Outcome, fabric: &Fabric, strip: &Hanging, measured: f64, law: f64) {
        let bending_length = |b: f64| 1e3 * (b / (fabric.density * STANDARD_GRAVITY)).cbrt();
        outcome.triangles = strip.triangles;
        outcome.figure("overhang_mm", "overhang", 1e3 * strip.length, "mm");
        outcome.figure("tip_drop_mm", "drop of the tip", 1e3 * strip.drop, "mm");
        outcome.figure("tip_reach_mm", "reach of the tip", 1e3 * strip.reach, "mm");
        outcome.figure("chord_angle_degrees", "angle of the chord", strip.chord().to_degrees(), "°");
        outcome.figure("bending_length_mm", "bending length c = (B/ρg)^⅓", bending_length(measured), "mm");
        outcome.figure("law_bending_length_mm", "bending length of the law", bending_length(law), "mm");
        outcome.figure("rigidity_un_m", "rigidity by the exact elastica", 1e6 * measured, "µN·m");
        outcome.figure("law_rigidity_un_m", "rigidity of the law", 1e6 * law, "µN·m");
        let millimetres = |p: &[f64; 2]| [1e3 * p[0], -1e3 * p[1]];
        // Every node would hide the curve.
        let sheet = strip.profile.iter().step_by(1 + strip.profile.len() / 40).map(millimetres).collect();
        let mut series = vec![Series::new(format!("{} triangles", strip.triangles), Style::Points, sheet)];
        let exact = cantilever_of_chord(strip.chord()).and_then(|c| cantilever_shape(c.tip_angle));
        if let Some(shape) = exact {
            let points = shape.iter().map(|p| millimetres(&[strip.length * p[0], strip.length * p[1]])).collect();
            series.push(Series::new(format!("elastica of {:.2} µN·m", 1e6 * measured), Style::Line, points));
        }
        let plot = Plot {
            title: format!(
                "{}, {}: strip of {:.1} mm under its own weight",
                fabric.name,
                self.direction.name(),
                1e3 * strip.length
            ),
            x: Axis::new("reach (mm)"),
            y: Axis::new("height (mm)"),
            series,
            is_equal: true,
        };
        outcome.plots.push(("shape", plot));
    }
}
