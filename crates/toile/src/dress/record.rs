//! `run.json` of a draping, and `fit.csv`.

use super::{Figures, Inputs, Laps, Outcome, Percentiles, Piece, Skin, fault};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::fmt::Write;
use toile_contact::certify::Certificate;
use toile_garment::drape::{Draped, Settled};
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
    /// Force left on vertices over their weight, root mean square.
    pub residual: f64,
    /// What passes through what.
    pub certificate: Value,
    /// Green strain of weft, warp and shear by share of area.
    pub strain: Value,
    /// Pressure on the skin and the area touched.
    pub skin: Value,
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
            }),
            levels: draped.settled.iter().map(level).collect(),
            is_resting: last.is_resting,
            support: last.support,
            residual: last.residual,
            certificate: certificate(&last.certificate),
            strain: json!({ "weft": figures.strain[0], "warp": figures.strain[1], "shear": figures.strain[2] }),
            skin: skin(&figures.skin),
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
        let state = if self.is_resting { "at rest" } else { "not at rest" };
        format!(
            "{} panels, {} triangles, {state}, {:.1} % of {:.0} g carried by the body, {:.1} s on the clock",
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

fn level(s: &Settled) -> Value {
    json!({
        "triangles": s.triangles,
        "steps": s.steps,
        "newton": s.newton,
        "linear": s.linear,
        "moved_mm": 1e3 * s.moved,
        "support": s.support,
        "residual": s.residual,
        "is_resting": s.is_resting,
    })
}

/// The fit as a table: one figure a line, of a panel, a seam or the skin.
pub(super) fn fit(figures: &Figures) -> String {
    let mut out = String::from("of,name,figure,unit,value\n");
    let mut line = |of: &str, name: &str, figure: &str, unit: &str, value: f64| {
        let name =
            if name.contains([',', '"', '\n']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.into() };
        // Into memory: cannot fail.
        let _ = writeln!(out, "{of},{name},{figure},{unit},{value}");
    };
    for panel in &figures.panels {
        line("panel", &panel.name, "area", "m2", panel.area);
        for (m, mode) in ["weft", "warp", "shear"].into_iter().enumerate() {
            for (share, [strain, tension]) in shares(&panel.strain[m]).into_iter().zip(pairs(panel, m)) {
                line("panel", &panel.name, &format!("strain_{mode}_{}", share.0), "1", strain);
                line("panel", &panel.name, &format!("tension_{mode}_{}", share.0), "N/m", tension);
            }
        }
    }
    for seam in &figures.seams {
        line("seam", &seam.name, "flat_first", "m", seam.flat[0]);
        line("seam", &seam.name, "flat_second", "m", seam.flat[1]);
        line("seam", &seam.name, "worn", "m", seam.worn);
        line("seam", &seam.name, "pull_mean", "N/m", seam.pull);
        line("seam", &seam.name, "pull_largest", "N/m", seam.largest_pull);
    }
    line("skin", "body", "touched", "m2", figures.skin.touched);
    for (share, value) in shares(&figures.skin.percentiles) {
        line("skin", "body", &format!("pressure_{share}"), "kPa", 1e-3 * value);
    }
    line("skin", "body", "pressure_largest", "kPa", 1e-3 * figures.skin.largest);
    out
}

fn shares(p: &Percentiles) -> [(&'static str, f64); 4] {
    [("p05", p.p05), ("p50", p.p50), ("p95", p.p95), ("p99", p.p99)]
}

/// Strain and tension of a panel, share by share.
fn pairs(panel: &super::PanelFigures, mode: usize) -> [[f64; 2]; 4] {
    let (strain, tension) = (shares(&panel.strain[mode]), shares(&panel.tension[mode]));
    [0, 1, 2, 3].map(|k| [strain[k].1, tension[k].1])
}
