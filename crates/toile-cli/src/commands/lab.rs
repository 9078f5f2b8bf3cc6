//! `toile lab`: virtual tests of a fabric.

use crate::Common;
use crate::output::{Failure, Output, progress};
use clap::ValueEnum;
use std::path::Path;
use toile::fabrics;
use toile::lab::{
    self, Bend, Bias, Cantilever, Cyclic, Direction, Drape, Edges, Hold, Kind, MeshKind, Specimen, Stretch, Test,
};

/// Test a fabric on a virtual laboratory instrument
#[derive(clap::Subcommand)]
pub(crate) enum Arguments {
    /// Pull a wide sample between its long clamps (KES-FB1)
    Tensile(StretchArguments),
    /// Shift the clamps of the wide sample along each other (KES-FB1)
    Shear {
        #[command(flatten)]
        stretch: StretchArguments,
        /// Tension kept while shearing; 0 holds the distance of the clamps
        #[arg(long, value_name = "N/M", allow_negative_numbers = true, default_value_t = 0.0)]
        tension_n_per_m: f64,
    },
    /// Pull a long strip cut at an angle to the threads
    Bias(BiasArguments),
    /// Turn one clamp against the other: moment over curvature (KES-FB2)
    Bend(BendArguments),
    /// Let a strip hang over an edge: bending length and rigidity
    Cantilever(CantileverArguments),
    /// Load and unload with growing amplitude: loops and dissipation
    Cyclic(CyclicArguments),
    /// Let a round sample hang over a round support: drape coefficient and folds (Cusick)
    Drape(DrapeArguments),
}

/// Options of every test.
#[derive(clap::Args)]
pub(crate) struct Sample {
    /// Fabric: a name of `toile fabric list`, or a file
    fabric: String,
    /// About this many triangles in the sample
    #[arg(long, value_name = "N", default_value_t = 2500)]
    triangles: usize,
    /// Kind of mesh
    #[arg(long, value_enum, default_value_t = Mesh::Unstructured)]
    mesh: Mesh,
    /// Leave out hysteresis and viscosity
    #[arg(long)]
    elastic: bool,
}

/// Direction of the threads.
#[derive(clap::Args)]
pub(crate) struct Along {
    /// Threads along the pull, or those that are bent
    #[arg(long, value_enum, default_value_t = Threads::Weft)]
    direction: Threads,
}

/// Options of the tensile and shear tests.
#[derive(clap::Args)]
pub(crate) struct StretchArguments {
    #[command(flatten)]
    sample: Sample,
    #[command(flatten)]
    along: Along,
    /// Largest displacement over the distance of the clamps (5 cm)
    #[arg(long, value_name = "%", allow_negative_numbers = true, default_value_t = 20.0)]
    max_strain_percent: f64,
    /// Readings
    #[arg(long, value_name = "N", default_value_t = 20)]
    points: usize,
    /// Short edges: carried along with the uniform strain, or free as in the instrument
    #[arg(long, value_enum, default_value_t = Sides::Guided)]
    edges: Sides,
}

/// Options of the bias test.
#[derive(clap::Args)]
pub(crate) struct BiasArguments {
    #[command(flatten)]
    sample: Sample,
    /// Angle between the pull and the weft
    #[arg(long, value_name = "DEGREES", default_value_t = 45.0, allow_negative_numbers = true)]
    angle: f64,
    /// Distance of the clamps
    #[arg(long, value_name = "MM", allow_negative_numbers = true, default_value_t = 300.0)]
    length_mm: f64,
    /// Width of the strip
    #[arg(long, value_name = "MM", allow_negative_numbers = true, default_value_t = 50.0)]
    width_mm: f64,
    /// Distance of the gauge marks; a third of the length by default
    #[arg(long, value_name = "MM", allow_negative_numbers = true)]
    gauge_mm: Option<f64>,
    /// Largest displacement over the length
    #[arg(long, value_name = "%", allow_negative_numbers = true, default_value_t = 20.0)]
    max_strain_percent: f64,
    /// Readings
    #[arg(long, value_name = "N", default_value_t = 20)]
    points: usize,
}

/// Options of the bending test.
#[derive(clap::Args)]
pub(crate) struct BendArguments {
    #[command(flatten)]
    sample: Sample,
    #[command(flatten)]
    along: Along,
    /// Largest curvature to both sides; the instrument goes to 250
    #[arg(long, value_name = "1/M", allow_negative_numbers = true, default_value_t = 100.0)]
    max_curvature_per_m: f64,
    /// Readings from zero to the largest curvature
    #[arg(long, value_name = "N", default_value_t = 10)]
    points: usize,
    /// Distance of the clamps
    #[arg(long, value_name = "MM", allow_negative_numbers = true, default_value_t = 10.0)]
    length_mm: f64,
    /// Length of the clamps
    #[arg(long, value_name = "MM", allow_negative_numbers = true, default_value_t = 50.0)]
    width_mm: f64,
}

/// Options of the cantilever test.
#[derive(clap::Args)]
pub(crate) struct CantileverArguments {
    #[command(flatten)]
    sample: Sample,
    #[command(flatten)]
    along: Along,
    /// Free length; sought so that the chord makes 41.5° by default
    #[arg(long, value_name = "MM", allow_negative_numbers = true)]
    overhang_mm: Option<f64>,
    /// Width of the strip
    #[arg(long, value_name = "MM", allow_negative_numbers = true, default_value_t = 25.0)]
    width_mm: f64,
}

/// Options of the cyclic test.
#[derive(clap::Args)]
pub(crate) struct CyclicArguments {
    #[command(flatten)]
    sample: Sample,
    #[command(flatten)]
    along: Along,
    /// What is loaded
    #[arg(long, value_enum, default_value_t = Mode::Tension)]
    mode: Mode,
    /// Largest strain of tension and shear
    #[arg(long, value_name = "%", allow_negative_numbers = true, default_value_t = 6.0)]
    max_strain_percent: f64,
    /// Largest curvature of bending
    #[arg(long, value_name = "1/M", allow_negative_numbers = true, default_value_t = 100.0)]
    max_curvature_per_m: f64,
    /// Cycles, the amplitude growing from one to the next
    #[arg(long, value_name = "N", default_value_t = 3)]
    cycles: usize,
    /// Readings on a quarter of a cycle
    #[arg(long, value_name = "N", default_value_t = 12)]
    points: usize,
}

/// Options of the drape test.
#[derive(clap::Args)]
pub(crate) struct DrapeArguments {
    #[command(flatten)]
    sample: Sample,
    /// Diameter of the sample; the standards have 24, 30 and 36
    #[arg(long, value_name = "CM", allow_negative_numbers = true, default_value_t = 30.0)]
    diameter_cm: f64,
    /// Diameter of the support
    #[arg(long, value_name = "CM", allow_negative_numbers = true, default_value_t = 18.0)]
    support_cm: f64,
    /// Radius of the support's round edge
    #[arg(long, value_name = "MM", allow_negative_numbers = true, default_value_t = 1.0)]
    edge_radius_mm: f64,
    /// What holds the sample: an upper plate, or its weight and friction
    #[arg(long, value_enum, default_value_t = Held::Plates)]
    hold: Held,
    /// Friction with the support and with itself
    #[arg(long, value_name = "COEFFICIENT", allow_negative_numbers = true, default_value_t = 0.3)]
    friction: f64,
    /// Seed of the disturbance that decides where folds begin
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Samples, with seeds that count on
    #[arg(long, value_name = "N", default_value_t = 1)]
    repeats: usize,
}

#[derive(Clone, Copy, ValueEnum)]
enum Held {
    Plates,
    Weight,
}

#[derive(Clone, Copy, ValueEnum)]
enum Mesh {
    Unstructured,
    Structured,
}

#[derive(Clone, Copy, ValueEnum)]
enum Threads {
    Weft,
    Warp,
}

#[derive(Clone, Copy, ValueEnum)]
enum Sides {
    Guided,
    Free,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Mode {
    Tension,
    Shear,
    Bending,
}

impl Sample {
    fn specimen(&self) -> Specimen {
        let mesh = match self.mesh {
            Mesh::Unstructured => MeshKind::Unstructured,
            Mesh::Structured => MeshKind::Structured,
        };
        Specimen { triangles: self.triangles, mesh }
    }
}

impl Along {
    fn direction(&self) -> Direction {
        match self.direction {
            Threads::Weft => Direction::Weft,
            Threads::Warp => Direction::Warp,
        }
    }
}

impl Arguments {
    /// The sample and the plan.
    fn plan(&self) -> (&Sample, Box<dyn Test>) {
        match self {
            Self::Tensile(a) => (&a.sample, Box::new(a.plan(Kind::Tensile, 0.0))),
            Self::Shear { stretch, tension_n_per_m } => {
                (&stretch.sample, Box::new(stretch.plan(Kind::Shear, *tension_n_per_m)))
            }
            Self::Bias(a) => (&a.sample, Box::new(a.plan())),
            Self::Bend(a) => (&a.sample, Box::new(a.plan())),
            Self::Cantilever(a) => (&a.sample, Box::new(a.plan())),
            Self::Cyclic(a) => (&a.sample, Box::new(a.plan())),
            Self::Drape(a) => (&a.sample, Box::new(a.plan())),
        }
    }
}

impl StretchArguments {
    fn plan(&self, kind: Kind, tension: f64) -> Stretch {
        let edges = match self.edges {
            Sides::Guided => Edges::Guided,
            Sides::Free => Edges::Free,
        };
        Stretch {
            kind,
            direction: self.along.direction(),
            specimen: self.sample.specimen(),
            edges,
            max_strain: self.max_strain_percent / 100.0,
            points: self.points,
            tension,
            ..Stretch::default()
        }
    }
}

impl BiasArguments {
    fn plan(&self) -> Bias {
        Bias {
            angle: self.angle.to_radians(),
            specimen: self.sample.specimen(),
            length: self.length_mm / 1e3,
            width: self.width_mm / 1e3,
            gauge: self.gauge_mm.unwrap_or(self.length_mm / 3.0) / 1e3,
            max_strain: self.max_strain_percent / 100.0,
            points: self.points,
        }
    }
}

impl BendArguments {
    fn plan(&self) -> Bend {
        Bend {
            direction: self.along.direction(),
            specimen: self.sample.specimen(),
            length: self.length_mm / 1e3,
            width: self.width_mm / 1e3,
            max_curvature: self.max_curvature_per_m,
            points: self.points,
        }
    }
}

impl CantileverArguments {
    fn plan(&self) -> Cantilever {
        Cantilever {
            direction: self.along.direction(),
            specimen: self.sample.specimen(),
            overhang: self.overhang_mm.map(|mm| mm / 1e3),
            width: self.width_mm / 1e3,
        }
    }
}

impl CyclicArguments {
    fn plan(&self) -> Cyclic {
        let (mode, amplitude) = match self.mode {
            Mode::Tension => (lab::Mode::Tension, self.max_strain_percent / 100.0),
            Mode::Shear => (lab::Mode::Shear, self.max_strain_percent / 100.0),
            Mode::Bending => (lab::Mode::Bending, self.max_curvature_per_m),
        };
        Cyclic {
            mode,
            direction: self.along.direction(),
            specimen: self.sample.specimen(),
            amplitude,
            cycles: self.cycles,
            points: self.points,
        }
    }
}

impl DrapeArguments {
    fn plan(&self) -> Drape {
        let hold = match self.hold {
            Held::Plates => Hold::Plates,
            Held::Weight => Hold::Weight,
        };
        Drape {
            specimen: self.sample.specimen(),
            diameter: self.diameter_cm / 1e2,
            support: self.support_cm / 1e2,
            edge_radius: self.edge_radius_mm / 1e3,
            hold,
            friction: self.friction,
            seed: self.seed,
            repeats: self.repeats,
            ..Drape::default()
        }
    }
}

pub(crate) fn run(arguments: &Arguments, common: &Common, output: &mut Output) -> Result<(), Failure> {
    let (sample, plan) = arguments.plan();
    let file = fabrics::open(&sample.fabric).map_err(Failure::input)?;
    for warning in &file.warnings {
        eprintln!("{warning}");
    }
    let fabric = if sample.elastic { lab::without_history(&file.fabric) } else { file.fabric };
    let bar = progress(plan.steps());
    bar.set_message("readings");
    let result = plan.run(&fabric, &mut || bar.inc(1));
    bar.finish_and_clear();
    let outcome = result.map_err(|e| if e.is_input() { Failure::input(e) } else { Failure::failed(e) })?;
    let lines = if output.json { lab::json_lines(&outcome) } else { lab::table(&outcome) };
    for line in lines {
        output.line(line)?;
    }
    let folder = common.output.as_deref().unwrap_or(Path::new("out/lab"));
    for path in lab::write(folder, &outcome).map_err(Failure::failed)? {
        if !output.json {
            output.line(format!("  {}", path.display()))?;
        }
    }
    Ok(())
}
