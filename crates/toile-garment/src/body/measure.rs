//! Measuring any body: girths, levels and axes of a closed mesh by plane sections.
//!
//! The body stands upright in A- or T-pose, y up, facing +z, on any floor. Levels are found from bottom to top: the crotch is
//! where one line first crosses the middle, the armpits where that line suddenly grows wide, the neck where it is narrowest.
//! Girths are convex hulls of sections, as a tape bridges hollows.

mod limbs;
mod trunk;

use super::slice::{Loop, Plane, section};
use glam::{DVec2, DVec3};

/// Heights (m) a body may have: outside of it the unit is almost certainly not the metre.
const HEIGHTS: [f64; 2] = [0.5, 2.5];

/// A girth and where it was taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Girth {
    /// Name: `bust`, `underbust`, `waist`, `hip`, `neck`, `thigh`, `knee`, `calf`, `ankle`, `upper_arm`, `wrist`. Limbs: the left one.
    pub name: &'static str,
    /// Height above the floor (m) of the middle of the section.
    pub level: f64,
    /// Length of the tape (m).
    pub length: f64,
}

/// A section of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Station {
    /// Middle of the section (m).
    pub centre: DVec3,
    /// Half its extent from side to side (m); across the limb for arms.
    pub half_width: f64,
    /// Half its extent from back to front (m).
    pub half_depth: f64,
    /// Tape round it (m).
    pub girth: f64,
}

/// A line of sections along torso, arm or leg.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// Sections: torso from crotch to neck, arms from shoulder to wrist, legs from crotch to ankle.
    pub stations: Vec<Station>,
}

impl Axis {
    /// Length along the centres (m).
    pub fn length(&self) -> f64 {
        self.stations.windows(2).map(|pair| pair[0].centre.distance(pair[1].centre)).sum()
    }
}

/// What a body measures. Pairs are left (+x), right.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// Height (m).
    pub height: f64,
    /// Height of the floor it stands on (m).
    pub floor: f64,
    /// Girths.
    pub girths: Vec<Girth>,
    /// Height of the crotch above the floor (m).
    pub crotch_level: f64,
    /// Height of the armpits above the floor (m).
    pub armpit_level: f64,
    /// Middle of the neck where it is narrowest (m).
    pub neck: DVec3,
    /// Middle of the neck where it leaves the shoulders (m).
    pub neck_base: DVec3,
    /// Outer ends of the shoulders (m).
    pub shoulders: [DVec3; 2],
    /// Crevices of the armpits (m).
    pub armpits: [DVec3; 2],
    /// Middles of the wrists (m).
    pub wrists: [DVec3; 2],
    /// Middles of the ankles (m).
    pub ankles: [DVec3; 2],
    /// Crotch to neck.
    pub torso: Axis,
    /// Shoulder to wrist.
    pub arms: [Axis; 2],
    /// Crotch to ankle.
    pub legs: [Axis; 2],
}

impl Figures {
    /// Length of a girth (m).
    pub fn girth(&self, name: &str) -> Option<f64> {
        self.girths.iter().find(|girth| girth.name == name).map(|girth| girth.length)
    }
}

/// Why a body could not be measured.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeasureError {
    /// A coordinate is not a number.
    #[error("vertex {vertex} is not finite")]
    NotFinite {
        /// Which.
        vertex: usize,
    },
    /// A triangle names a vertex that is not there.
    #[error("triangle {triangle} names vertex {vertex}, there are {count}")]
    Index {
        /// Triangle.
        triangle: usize,
        /// Vertex it names.
        vertex: u32,
        /// Vertices.
        count: usize,
    },
    /// The height is not that of a person.
    #[error("the body is {height} high, must be between {} and {} m{}", HEIGHTS[0], HEIGHTS[1], unit_hint(*height))]
    Height {
        /// Height found.
        height: f64,
    },
    /// A part was not found.
    #[error("{part} not found: {hint}")]
    Missing {
        /// What.
        part: &'static str,
        /// What to check.
        hint: &'static str,
    },
}

fn unit_hint(height: f64) -> &'static str {
    match height {
        h if (50.0..250.0).contains(&h) => ": looks like centimetres",
        h if (500.0..2500.0).contains(&h) => ": looks like millimetres",
        h if (5.0..25.0).contains(&h) => ": looks like decimetres",
        h if (19.0..100.0).contains(&h) => ": looks like inches",
        _ => "",
    }
}

/// Measures a body.
///
/// # Errors
/// If the mesh is not one of a person standing upright in metres, with arms off the torso and legs apart.
pub fn measure(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<Figures, MeasureError> {
    let body = Scan::new(vertices, triangles)?;
    let trunk = trunk::trunk(&body)?;
    let arms = limbs::arms(&body, &trunk)?;
    let legs = limbs::legs(&body, &trunk)?;
    let mut girths = trunk.girths.clone();
    girths.extend(legs.girths.iter().chain(&arms.girths));
    girths.iter_mut().for_each(|girth| girth.level -= body.floor);
    Ok(Figures {
        height: body.height,
        floor: body.floor,
        girths,
        crotch_level: trunk.crotch - body.floor,
        armpit_level: trunk.armpits[0].y.min(trunk.armpits[1].y) - body.floor,
        neck: trunk.neck,
        neck_base: trunk.neck_base,
        shoulders: trunk.shoulders,
        armpits: trunk.armpits,
        wrists: arms.ends,
        ankles: legs.ends,
        torso: trunk.axis,
        arms: arms.axes,
        legs: legs.axes,
    })
}

/// A mesh that was checked, and its middle.
struct Scan<'a> {
    vertices: &'a [DVec3],
    triangles: &'a [[u32; 3]],
    floor: f64,
    height: f64,
    /// x of the plane of symmetry: the middle of the head.
    middle: f64,
}

impl<'a> Scan<'a> {
    fn new(vertices: &'a [DVec3], triangles: &'a [[u32; 3]]) -> Result<Self, MeasureError> {
        if let Some(vertex) = vertices.iter().position(|p| !p.is_finite()) {
            return Err(MeasureError::NotFinite { vertex });
        }
        let count = vertices.len();
        for (triangle, corners) in triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|v| **v as usize >= count) {
                return Err(MeasureError::Index { triangle, vertex, count });
            }
        }
        let ys = || vertices.iter().map(|p| p.y);
        let floor = ys().fold(f64::MAX, f64::min);
        let height = ys().fold(f64::MIN, f64::max) - floor;
        if !(HEIGHTS[0]..=HEIGHTS[1]).contains(&height) {
            return Err(MeasureError::Height { height });
        }
        let mut scan = Self { vertices, triangles, floor, height, middle: 0.0 };
        let head = scan.level(0.95);
        let head = head.first().ok_or(MeasureError::Missing { part: "the head", hint: "is y up?" })?;
        scan.middle = 0.5 * (head.low.x + head.high.x);
        Ok(scan)
    }

    /// Height of a share of the body.
    fn at(&self, share: f64) -> f64 {
        self.floor + share * self.height
    }

    fn section(&self, plane: &Plane) -> Vec<Loop> {
        section(self.vertices, self.triangles, plane)
    }

    /// Lines at a share of the height.
    fn level(&self, share: f64) -> Vec<Loop> {
        self.section(&Plane::level(self.at(share)))
    }

    /// The line round the middle at a height, if there is one.
    fn middle_line(&self, y: f64) -> Option<Loop> {
        let spans = |l: &Loop| l.low.x < self.middle && l.high.x > self.middle;
        self.section(&Plane::level(y)).into_iter().find(spans)
    }
}

/// A station from a line in a plane.
fn station(plane: &Plane, line: &Loop) -> Station {
    let half: DVec2 = 0.5 * (line.high - line.low);
    Station { centre: plane.point(line.centre()), half_width: half.x, half_depth: half.y, girth: line.girth() }
}
