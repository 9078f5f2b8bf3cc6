//! `run.json` of a draping, and `fit.csv`.

use super::{Figures, Inputs, Laps, MODES, Outcome, Percentiles, Piece, Skin, fault};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::fmt::Write;
use toile_contact::certify::Certificate;
use toile_garment::drape::{Draped, Settled};
use toile_garment::fit::{GirthFit, RegionPressure};
use toile_io::run::{hex, sha256};

/// What went in, what was done, what came out.
#[derive(Clone, Debug, Serialize)]
pub struct Record {
    /// Kind and version of the file.
    pub format: &'static str,
    /// Version of the program.
    pub version: &'static str,
    /// Name of the garment.
    pub name: String,
    /// Files that were read, the garment first, with their SHA-256.
    pub inputs: Vec<Value>,
    /// Edge length, thickness, friction, body and fabric.
    pub settings: Value,
    /// Threads; results do not depend on them.
    pub threads: usize,
    /// Panels, seams, triangles, mass of everything.
    pub garment: Value,
    /// Garment by garment, the innermost first: fabric, panels, seams, triangles, sewing, force of body and other cloth.
    pub garments: Vec<Value>,
    /// How far each panel was moved out of the way before sewing.
    pub moved: Vec<Value>,
    /// How the seams were closed.
    pub sewing: Value,
    /// How the garment settled on each level, coarse to fine.
    pub levels: Vec<Value>,
    /// Whether it came to rest.
    pub is_resting: bool,
    /// Vertical force of the body over the weight.
    pub support: f64,
    /// Upright force of attachments over its weight.
    pub held: f64,
    /// Force left on vertices over their weight, root mean square.
    pub residual: f64,
    /// What passes through what.
    pub certificate: Value,
    /// Green strain of weft, warp, shear and bias, and the largest of all directions, by share of area.
    pub strain: Map<String, Value>,
    /// Pressure on the skin and the area touched.
    pub skin: Value,
    /// Girths that the garment goes round.
    pub girths: Vec<Value>,
    /// Pressure by part of the body, against what is comfortable.
    pub pressure: Vec<Value>,
    /// Phases in their order, with their seconds.
    #[serde(skip)]
    pub phases: Vec<(String, f64)>,
    /// Seconds by phase.
    pub seconds: Map<String, Value>,
    /// Their sum.
    pub seconds_total: f64,
    /// What is wrong with the result; none where nothing is.
    pub fault: Option<String>,
    /// What looks wrong although it works.
    pub warnings: Vec<String>,
    /// Digest of the result: equal bytes give equal digests.
    pub digest: String,
}

impl Record {
    pub(super) fn of(inputs: &Inputs, outcome: &Outcome, figures: &Figures) -> Self {
        let (draped, garment) = (&outcome.draped, &inputs.garment);
        let none = Settled::default();
        let last = draped.settled.last().unwrap_or(&none);
        let source = |s: &toile_io::scene::Source| json!({ "path": s.path.display().to_string(), "sha256": hex(&sha256(&s.bytes)) });
        let moved = garment.panels.iter().zip(draped.worn.iter().flat_map(|w| &w.moved));
        let sewing = draped.sewing();
        Self {
            format: "toile-draping/1",
            version: env!("CARGO_PKG_VERSION"),
            name: inputs.name.clone(),
            inputs: inputs.sources.iter().map(source).collect(),
            settings: settings(inputs, outcome),
            threads: rayon::current_num_threads(),
            garment: json!({
                "panels": garment.panels.len(),
                "seams": garment.seams.len(),
                "vertices": outcome.cloth.mesh.vertex_count(),
                "triangles": outcome.cloth.mesh.triangles.len(),
                "area_m2": outcome.cloth.mesh.total_rest_area(),
                "mass_g": 1e3 * figures.mass,
            }),
            garments: inputs.pieces.iter().enumerate().map(|(k, piece)| one(piece, draped, k)).collect(),
            moved: moved.map(|(p, m)| json!({ "panel": p.name, "moved_mm": 1e3 * m })).collect(),
            sewing: json!({
                "steps": sewing.steps,
                "newton": sewing.newton,
                "linear": sewing.linear,
                "open_mm": 1e3 * sewing.open,
                "lifted_mm": 1e3 * sewing.lifted,
            }),
            levels: draped.settled.iter().map(level).collect(),
            is_resting: last.is_resting,
            support: last.support,
            held: last.held,
            residual: last.residual,
            certificate: certificate(&last.certificate),
            strain: MODES.iter().zip(&figures.strain).map(|(mode, p)| ((*mode).to_owned(), json!(p))).collect(),
            skin: skin(&figures.skin),
            girths: figures.girths.iter().map(girth).collect(),
            pressure: figures.skin.regions.iter().map(region).collect(),
            phases: Vec::new(),
            seconds: Map::new(),
            seconds_total: 0.0,
            fault: fault(outcome),
            warnings: inputs.warnings.clone(),
            digest: figures.digest.clone(),
        }
    }

    pub(super) fn take_times(&mut self, laps: &Laps) {
        self.phases = laps.seconds();
        self.seconds_total = self.phases.iter().map(|s| s.1).sum();
        self.seconds = self.phases.iter().map(|(phase, s)| (phase.clone(), json!(s))).collect();
    }

    /// One line for people.
    pub fn said(&self) -> String {
        let held =
            if self.held > 0.0005 { format!(" and {:.1} % by attachments", 100.0 * self.held) } else { String::new() };
        let state = if self.is_resting { "at rest" } else { "not at rest" };
        format!(
            "{} panels, {} triangles, {state}, {:.1} % of {:.0} g carried by the body{held}, {:.1} s on the clock",
            self.garment["panels"],
            self.garment["triangles"],
            100.0 * self.support,
            self.garment["mass_g"].as_f64().unwrap_or(0.0),
            self.seconds_total
        )
    }
}

/// One garment.
fn one(piece: &Piece, draped: &Draped, number: usize) -> Value {
    let worn = &draped.worn[number];
    let mesh = &worn.cloth.mesh;
    json!({
        "name": piece.garment.name,
        "fabric": piece.fabric_name,
        "thickness_mm": 1e3 * piece.fabric.thickness,
        "panels": piece.garment.panels.len(),
        "panels_of_other_fabric": piece.others.len(),
        "seams": piece.garment.seams.len(),
        "vertices": mesh.vertex_count(),
        "triangles": mesh.triangles.len(),
        "area_m2": mesh.total_rest_area(),
        "sewing_steps": worn.sewing.steps,
        "open_mm": 1e3 * worn.sewing.open,
        "lifted_mm": 1e3 * worn.sewing.lifted,
        "carried_n": draped.contact(number).iter().map(|f| f.y).sum::<f64>(),
    })
}

fn settings(inputs: &Inputs, outcome: &Outcome) -> Value {
    let options = &outcome.options;
    json!({
        "body": inputs.body_name,
        "fabric": inputs.pieces.iter().map(|p| p.fabric_name.as_str()).collect::<Vec<_>>().join(", "),
        "edge_mm": 1e3 * options.edge,
        "coarse_edge_mm": 1e3 * options.levels().0,
        "reach_mm": 1e3 * options.reach,
        "friction": options.friction,
        "closed_mm": 1e3 * options.closed,
    })
}

fn certificate(c: &Certificate) -> Value {
    json!({
        "crossings": c.crossings,
        "self_crossings": c.self_crossings,
        "body_crossings": c.obstacle_crossings,
        "touching": c.touching,
        "lost_vertices": c.lost_vertices,
    })
}

fn skin(s: &Skin) -> Value {
    json!({
        "touched_m2": s.touched,
        "median_kpa": 1e-3 * s.percentiles.p50,
        "p95_kpa": 1e-3 * s.percentiles.p95,
        "p99_kpa": 1e-3 * s.percentiles.p99,
        "largest_kpa": 1e-3 * s.largest,
    })
}

fn girth(g: &GirthFit) -> Value {
    let cm = |metres: f64| 100.0 * metres;
    json!({
        "name": g.name,
        "level_cm": cm(g.level),
        "body_cm": cm(g.body),
        "tape_cm": cm(g.tape),
        "worn_cm": cm(g.worn),
        "flat_cm": cm(g.flat),
        "ease_cm": cm(g.ease()),
        "flat_ease_cm": cm(g.flat_ease()),
    })
}

fn region(r: &RegionPressure) -> Value {
    json!({
        "region": r.name,
        "touched_cm2": 1e4 * r.touched,
        "mean_kpa": 1e-3 * r.mean,
        "p95_kpa": 1e-3 * r.p95,
        "largest_kpa": 1e-3 * r.largest,
        "limit_kpa": r.comfort.map(|c| 1e-3 * c.limit),
        "exceeds": r.exceeds(),
    })
}

fn level(s: &Settled) -> Value {
    json!({
        "triangles": s.triangles,
        "steps": s.steps,
        "newton": s.newton,
        "linear": s.linear,
        "moved_mm": 1e3 * s.moved,
        "support": s.support,
        "held": s.held,
        "button_gap_mm": 1e3 * s.button_gap,
        "layer_gap_mm": 1e3 * s.layer_gap,
        "residual": s.residual,
        "is_resting": s.is_resting,
    })
}

/// The fit as a table: one figure a line, of the garment, a panel, a seam, a girth, an opening, the skin or a part of it.
pub(super) fn fit(figures: &Figures) -> String {
    let mut table = Table { text: String::from("of,name,figure,unit,value\n") };
    table.of("garment", "all")("mass", "kg", figures.mass);
    table.modes("garment", "all", &figures.strain, &figures.tension);
    for panel in &figures.panels {
        table.of("panel", &panel.name)("area", "m2", panel.area);
        table.modes("panel", &panel.name, &panel.strain, &panel.tension);
    }
    for seam in &figures.seams {
        let mut line = table.of("seam", &seam.name);
        line("flat_first", "m", seam.flat[0]);
        line("flat_second", "m", seam.flat[1]);
        line("worn", "m", seam.worn);
        line("pull_mean", "N/m", seam.pull);
        line("pull_largest", "N/m", seam.largest_pull);
    }
    for girth in &figures.girths {
        let mut line = table.of("girth", &girth.name);
        line("level", "m", girth.level);
        line("body", "m", girth.body);
        line("tape", "m", girth.tape);
        line("worn", "m", girth.worn);
        line("flat", "m", girth.flat);
        line("ease", "m", girth.ease());
        line("flat_ease", "m", girth.flat_ease());
    }
    for opening in &figures.openings {
        let mut line = table.of("opening", &opening.name);
        line("flat", "m", opening.flat);
        line("worn", "m", opening.worn);
    }
    table.skin(&figures.skin);
    table.text
}

/// `fit.csv` under way.
struct Table {
    text: String,
}

impl Table {
    /// Lines of one thing.
    fn of(&mut self, of: &str, name: &str) -> impl FnMut(&str, &str, f64) {
        let name =
            if name.contains([',', '"', '\n']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.into() };
        let start = format!("{of},{name}");
        move |figure, unit, value| {
            // Into memory: cannot fail.
            let _ = writeln!(self.text, "{start},{figure},{unit},{value}");
        }
    }

    /// Percentiles of strain and tension, direction by direction.
    fn modes(&mut self, of: &str, name: &str, strain: &[Percentiles; 5], tension: &[Percentiles; 5]) {
        let mut line = self.of(of, name);
        for (m, mode) in MODES.into_iter().enumerate() {
            for (share, value) in shares(&strain[m]) {
                line(&format!("strain_{mode}_{share}"), "1", value);
            }
            for (share, value) in shares(&tension[m]) {
                line(&format!("tension_{mode}_{share}"), "N/m", value);
            }
        }
    }

    fn skin(&mut self, skin: &Skin) {
        {
            let mut line = self.of("skin", "body");
            line("touched", "m2", skin.touched);
            for (share, value) in shares(&skin.percentiles) {
                line(&format!("pressure_{share}"), "kPa", 1e-3 * value);
            }
            line("pressure_largest", "kPa", 1e-3 * skin.largest);
        }
        for region in &skin.regions {
            let mut line = self.of("region", &region.name);
            line("area", "m2", region.area);
            line("touched", "m2", region.touched);
            line("pressure_mean", "kPa", 1e-3 * region.mean);
            line("pressure_p95", "kPa", 1e-3 * region.p95);
            line("pressure_largest", "kPa", 1e-3 * region.largest);
            if let Some(comfort) = region.comfort {
                line("pressure_limit", "kPa", 1e-3 * comfort.limit);
                line("above_limit", "1", region.above);
            }
        }
    }
}

fn shares(p: &Percentiles) -> [(&'static str, f64); 4] {
    [("p05", p.p05), ("p50", p.p50), ("p95", p.p95), ("p99", p.p99)]
}
