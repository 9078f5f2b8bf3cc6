//! Broken garment files: each gives an error at its line that says what is wrong.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::path::Path;
use toile_io::garment;

const TOML: &str = include_str!("data/skirt.toml");

/// A specification that works: two squares sewn to a tube, an arc at the waist.
const JSON: &str = r#"{
 "pattern": {
  "panels": {
   "front": {
    "translation": [0, 100, 10], "rotation": [0, 0, 0],
    "vertices": [[0, 0], [40, 0], [40, 60], [0, 60]],
    "edges": [
     {"endpoints": [0, 1]},
     {"endpoints": [1, 2], "curvature": {"type": "quadratic", "params": [[0.5, -0.1]]}},
     {"endpoints": [2, 3], "curvature": {"type": "circle", "params": [30, 0, 0]}},
     {"endpoints": [3, 0], "label": "side"}
    ]
   },
   "back": {
    "translation": [0, 100, -10], "rotation": [0, 0, 0],
    "vertices": [[0, 0], [0, 60], [40, 60], [40, 0]],
    "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2]}, {"endpoints": [2, 3]}, {"endpoints": [3, 0]}]
   }
  },
  "stitches": [
   [{"panel": "front", "edge": 1}, {"panel": "back", "edge": 2}],
   [{"panel": "front", "edge": 3}, {"panel": "back", "edge": 0}]
  ]
 },
 "properties": {"curvature_coords": "relative", "units_in_meter": 100}
}"#;

/// Name, text, its replacement, line and words of the message.
type Case = (&'static str, &'static str, &'static str, usize, &'static str);

#[rustfmt::skip] // one line each: it is a table
const JSON_CASES: &[Case] = &[
    ("open loop", "{\"endpoints\": [2, 3], \"c", "{\"endpoints\": [2, 0], \"c", 10, "outline is open"),
    ("edges out of order", "[{\"endpoints\": [0, 1]}, {\"endpoints\": [1, 2]}", "[{\"endpoints\": [1, 2]}, {\"endpoints\": [0, 1]}", 17, "outline is open"),
    ("self-crossing outline", "[[0, 0], [0, 60], [40, 60], [40, 0]]", "[[0, 0], [40, 60], [0, 60], [40, 0]]", 17, "crosses itself"),
    ("edge along another one", "[[0, 0], [0, 60], [40, 60], [40, 0]]", "[[0, 0], [0, 60], [0, 20], [40, 0]]", 17, "crosses itself"),
    ("curve through the other side", "[[0.5, -0.1]]", "[[0.5, 1.6]]", 11, "crosses itself"),
    ("seam to a missing panel", "{\"panel\": \"back\", \"edge\": 2}", "{\"panel\": \"bcak\", \"edge\": 2}", 21, "did you mean \"back\"?"),
    ("seam to a missing edge", "{\"panel\": \"back\", \"edge\": 2}", "{\"panel\": \"back\", \"edge\": 4}", 21, "only 4 edges"),
    ("seam with a negative edge", "{\"panel\": \"back\", \"edge\": 2}", "{\"panel\": \"back\", \"edge\": -1}", 21, "expected the number of an edge"),
    ("seam of one edge", "[{\"panel\": \"front\", \"edge\": 1}, {\"panel\": \"back\", \"edge\": 2}]", "[{\"panel\": \"front\", \"edge\": 1}]", 21, "two edges"),
    ("seam of an edge to itself", "{\"panel\": \"back\", \"edge\": 2}", "{\"panel\": \"front\", \"edge\": 1}", 21, "to itself"),
    ("seam twice", "{\"panel\": \"front\", \"edge\": 3}, {\"panel\": \"back\", \"edge\": 0}", "{\"panel\": \"front\", \"edge\": 1}, {\"panel\": \"back\", \"edge\": 2}", 21, "name of another one"),
    ("seam with a word that is none", "\"edge\": 2}]", "\"edge\": 2}, \"wrong_right\"]", 21, "right_wrong"),
    ("sides of 60 and 20 cm", "[[0, 0], [0, 60], [40, 60], [40, 0]]", "[[0, 0], [0, 60], [40, 60], [40, 40]]", 21, "1 : 3"),
    ("zero-length edge", "[[0, 0], [0, 60], [40, 60], [40, 0]]", "[[0, 0], [0, 60], [0, 60], [40, 0]]", 17, "m long"),
    ("NaN", "[0, 100, -10]", "[0, NaN, -10]", 15, "NaN is no number"),
    ("infinite", "[0, 100, -10]", "[0, -Infinity, -10]", 15, "no number"),
    ("number too large to be one", "[40, 60], [40, 0]]", "[40, 60], [1e999, 0]]", 16, "finite"),
    ("point a kilometre away", "[40, 60], [40, 0]]", "[40, 60], [100000, 0]]", 17, "must lie between"),
    ("control point far away", "[[0.5, -0.1]]", "[[0.5, -1e30]]", 9, "a control point"),
    ("translation far away", "[0, 100, -10]", "[0, 1e10, -10]", 14, "the translation"),
    ("arc that does not reach", "[30, 0, 0]", "[19, 0, 0]", 10, "does not reach"),
    ("arc with a negative radius", "[30, 0, 0]", "[-30, 0, 0]", 10, "the radius"),
    ("arc with a wrong flag", "[30, 0, 0]", "[30, 0, 2]", 10, "two flags"),
    ("arc without flags", "[30, 0, 0]", "[30]", 10, "two flags"),
    ("unknown curvature type", "\"quadratic\"", "\"qadratic\"", 9, "did you mean \"quadratic\"?"),
    ("curvature without parameters", "\"type\": \"quadratic\", \"params\": [[0.5, -0.1]]", "\"type\": \"quadratic\"", 9, "`type` and `params`"),
    ("cubic with one point", "\"quadratic\"", "\"cubic\"", 9, "two points"),
    ("curvature that is a word", "{\"type\": \"quadratic\", \"params\": [[0.5, -0.1]]}", "\"round\"", 9, "expected two numbers or an object"),
    ("unknown units", "\"units_in_meter\": 100", "\"units_in_meter\": 7", 25, "unknown units"),
    ("units in words", "\"units_in_meter\": 100", "\"units_in_meter\": \"cm\"", 25, "unknown units"),
    ("unknown coordinates", "\"relative\"", "\"polar\"", 25, "\"absolute\""),
    ("two panels of one name", "\"back\": {", "\"front\": {", 14, "used twice"),
    ("vertex that is not there", "{\"endpoints\": [3, 0], \"label\"", "{\"endpoints\": [3, 9], \"label\"", 11, "vertex 9 is not there"),
    ("edge with one end", "{\"endpoints\": [3, 0], \"label\"", "{\"endpoints\": [3], \"label\"", 11, "two vertex numbers"),
    ("edge without ends", "{\"endpoints\": [3, 0], \"label\"", "{\"label\"", 11, "`endpoints` is missing"),
    ("label that is a number", "\"label\": \"side\"", "\"label\": 3", 11, "expected a text"),
    ("point of three numbers", "[[0, 0], [40, 0]", "[[0, 0], [40, 0, 1]", 6, "two finite numbers"),
    ("vertices that are a text", "\"vertices\": [[0, 0], [40, 0], [40, 60], [0, 60]]", "\"vertices\": \"none\"", 6, "expected a list"),
    ("rotation of two numbers", "\"translation\": [0, 100, 10], \"rotation\": [0, 0, 0]", "\"translation\": [0, 100, 10], \"rotation\": [0, 0]", 5, "three angles"),
    ("missing translation", "\"translation\": [0, 100, 10], ", "", 4, "`translation` is missing"),
    ("misspelt edges", "\"edges\": [{", "\"edge\": [{", 14, "is it meant?"),
    ("panel that is a list", "\"back\": {", "\"side\": [1, 2],\n   \"back\": {", 14, "expected an object with vertices"),
    ("panels as a list", "\"panels\": {", "\"panels\": [], \"more\": {", 3, "expected an object of panels"),
    ("no pattern", "\"pattern\"", "\"patern\"", 1, "`patern` is there"),
    ("truncated in a number", "[{\"panel\": \"front\", \"edge\": 3}", "", 0, "CUT"),
    ("missing comma", "\"rotation\": [0, 0, 0],\n    \"vertices\": [[0, 0], [0", "\"rotation\": [0, 0, 0]\n    \"vertices\": [[0, 0], [0", 16, "expected `,`"),
    ("two documents", " \"properties\": {\"curvature_coords\": \"relative\", \"units_in_meter\": 100}\n}", "\"a\": 1}\n{}", 26, "follows the end"),
];

#[rustfmt::skip]
const TOML_CASES: &[Case] = &[
    ("unknown key", "grain_deg = 45", "grain = 45", 7, "did you mean `grain_deg`?"),
    ("wrong unit in a key", "{ from_cm = [64.3, 0] }", "{ from_mm = [643, 0] }", 42, "did you mean `from_cm`?"),
    ("wrong format", "toile-garment/1", "toile-garment/7", 1, "toile-garment/1"),
    ("no panels", "format", "FORMAT-ONLY", 0, "missing"),
    ("word for a number", "grain_deg = 45", "grain_deg = \"bias\"", 7, "expected a number (°)"),
    ("point of three numbers", "from_cm = [-24, 0], label = \"hem\" },\n  { from_cm = [24, 0], label = \"side\", quadratic = [0.6, -0.03], n", "from_cm = [-24, 0, 1], label = \"hem\" },\n  { from_cm = [24, 0], label = \"side\", quadratic = [0.6, -0.03], n", 10, "expected 2 values"),
    ("NaN", "grain_deg = 45", "grain_deg = nan", 7, "finite"),
    ("point a kilometre away", "{ from_cm = [64.3, 0] }", "{ from_cm = [64300000, 0] }", 42, "must lie between"),
    ("edge of two shapes", "quadratic = [0.6, -0.03], notches", "quadratic = [0.6, -0.03], cubic = [[0.2, 0], [0.8, 0]], notches", 11, "one shape"),
    ("arc that does not reach", "radius_cm = 90", "radius_cm = 9", 12, "does not reach"),
    ("unknown bulge", "bulge = \"left\"", "bulge = \"lef\"", 12, "did you mean \"left\"?"),
    ("self-crossing outline", "{ from_cm = [64.3, 0] },\n  { from_cm = [64.3, 4] },", "{ from_cm = [64.3, 4] },\n  { from_cm = [64.3, 0] },", 43, "crosses itself"),
    ("panel of one edge", "  { from_cm = [64.3, 0] },\n  { from_cm = [64.3, 4] },\n  { from_cm = [0, 4] },\n", "", 40, "at least 2"),
    ("zero-length edge", "{ from_cm = [64.3, 4] }", "{ from_cm = [64.3, 0] }", 42, "m long"),
    ("two panels of one name", "name = \"band\"", "name = \"front\"", 38, "another panel has this name"),
    ("two lines of one name", "name = \"crease\"", "name = \"knee\"", 17, "name of another one"),
    ("line outside the panel", "[[-10, 20], [10, 20]]", "[[-10, 20], [90, 20]]", 16, "leaves panel `front`"),
    ("line of one point", "[[-10, 20], [10, 20]]", "[[-10, 20]]", 16, "m long"),
    ("line without a shape", "points_cm = [[-10, 20], [10, 20]]", "fold_deg = 3", 16, "either `points_cm` or `path`"),
    ("notch off its edge", "notches = [0.5] },\n  { from_cm = [18", "notches = [1.5] },\n  { from_cm = [18", 4, "a notch"),
    ("dart outside the panel", "{ edge = \"waist\", at = 0.3, width_cm = 2.5, depth_cm = 10 }", "{ edge = \"waist\", at = 0.3, width_cm = 2.5, depth_cm = 100 }", 20, "outside the panel"),
    ("dart off its edge", "{ edge = \"waist\", at = 0.3", "{ edge = \"waist\", at = 0.99", 20, "of an edge that is"),
    ("dart on a missing edge", "{ edge = \"waist\", at = 0.3", "{ edge = \"wiast\", at = 0.3", 20, "did you mean \"waist\"?"),
    ("darts through each other", "{ edge = 2, at = 0.7, width_cm = 2.5", "{ edge = 2, at = 0.34, width_cm = 2.5", 20, "cannot be made"),
    ("dart without width", "width_cm = 2.5, depth_cm = 10 },\n  { edge = 2", "depth_cm = 10 },\n  { edge = 2", 20, "missing"),
    ("pleat too long", "length_cm = 15", "length_cm = 150", 35, "outside the panel"),
    ("unknown place", "kind = \"wrapped\"", "kind = \"wrappd\"", 8, "did you mean \"wrapped\"?"),
    ("wrapped without a point", "kind = \"wrapped\", point = \"torso-front\"", "kind = \"wrapped\"", 8, "missing"),
    ("seam to a missing panel", "second = [{ panel = \"back\", edge = 3", "second = [{ panel = \"bak\", edge = 3", 59, "did you mean \"back\"?"),
    ("seam to a missing edge", "second = [{ panel = \"back\", edge = 3", "second = [{ panel = \"back\", edge = 4", 59, "only 4"),
    ("label that is not there", "{ from_cm = [18, 60], label = \"waist\" }", "{ from_cm = [18, 60], label = \"hem\" }", 99, "no edge labelled \"waist\""),
    ("seam without edges", "first = [{ panel = \"front\", edge = \"side\" }]", "first = []", 58, "at least 1"),
    ("seam of neither", "first = [{ panel = \"front\", edge = \"side\" }]", "first = [{ panel = \"front\" }]", 58, "either an `edge` or a `line`"),
    ("seam to a missing line", "first = [{ panel = \"front\", edge = \"side\" }]", "first = [{ panel = \"front\", line = \"kne\" }]", 58, "did you mean \"knee\"?"),
    ("seam of an edge to itself", "second = [{ panel = \"back\", edge = 3, reversed = true }]", "second = [{ panel = \"front\", edge = 1 }]", 56, "to itself"),
    ("seam three times as long", "first = [{ panel = \"front\", edge = \"side\" }]", "first = [{ panel = \"front\", edge = \"side\", to = 0.3 }]", 56, "1 : 3.3"),
    ("seam with a wrong ratio", "ratio = 1\n", "ratio = 2\n", 68, "says ratio 2.000"),
    ("span past the end", "edge = \"side\" }]\nsecond = [{ panel = \"back\", edge = 3", "edge = \"side\", to = 1.2 }]\nsecond = [{ panel = \"back\", edge = 3", 58, "at most 1"),
    ("span of nothing", "edge = \"side\" }]\nsecond = [{ panel = \"back\", edge = 3", "edge = \"side\", to = 0 }]\nsecond = [{ panel = \"back\", edge = 3", 56, "m long"),
    ("two seams of one name", "name = \"left\"", "name = \"right\"", 61, "name of another one"),
    ("pocket on no panel", "on = \"back\"", "on = \"bcak\"", 80, "did you mean \"back\"?"),
    ("pocket outside its panel", "at_cm = [5, 25]", "at_cm = [50, 25]", 78, "leaves panel `back`"),
    ("pocket open at no edge", "open = [\"opening\"]", "open = [7]", 83, "no edge 7"),
    ("tape without stiffness", "stiffness_n = 40\n", "", 85, "`tape[0].stiffness_n`: missing"),
    ("tape of no length", "ratio = 0.85", "ratio = 0", 88, "at least 0.01"),
    ("button outside its panel", "at_cm = [63.3, 2]", "at_cm = [63.3, 20]", 91, "leaves panel `band`"),
    ("button on no panel", "from = { panel = \"band\"", "from = { panel = \"bnad\"", 93, "did you mean \"band\"?"),
    ("unclosed bracket", "ratio = 0.85", "ratio = [0.85", 0, ""),
    ("unclosed quote", "name = \"skirt\"", "name = \"skirt", 2, ""),
];

fn check(file: &str, good: &str, cases: &[Case]) {
    let mut wrong = Vec::new();
    for &(name, from, to, line, words) in cases {
        assert!(good.contains(from), "{name}: `{from}` is not in the file");
        let text = match (words, to) {
            ("CUT", _) => good[..good.find(from).unwrap() + from.len() - 2].to_string(),
            (_, "FORMAT-ONLY") => "format = \"toile-garment/1\"\n".to_string(),
            _ => good.replacen(from, to, 1),
        };
        let words = if words == "CUT" { "looks cut off" } else { words };
        let Err(problems) = garment::from_text(&text, Path::new(file)) else {
            wrong.push(format!("{name}: no error"));
            continue;
        };
        let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
        let found = told.iter().any(|t| t.contains(words) && (line == 0 || t.starts_with(&format!("{file}:{line}:"))));
        if !found || !problems.iter().any(|p| p.is_error()) {
            wrong.push(format!("{name}: wanted `{words}` in line {line}, got\n{}", told.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n\n"));
}

#[test]
fn good_files_have_no_problems() {
    for (file, text) in [("good.json", JSON), ("good.toml", TOML)] {
        let read = garment::from_text(text, Path::new(file));
        assert!(read.is_ok_and(|l| l.warnings.is_empty()), "{file}");
    }
}

#[test]
fn broken_specifications_are_told_by_line() {
    check("broken.json", JSON, JSON_CASES);
}

#[test]
fn broken_garment_files_are_told_by_line() {
    check("broken.toml", TOML, TOML_CASES);
}

/// Every beginning of a file, and a file with each byte in turn replaced, is refused or read, never a panic.
#[test]
fn damage_anywhere_is_survived() {
    for (file, text) in [("cut.json", JSON), ("cut.toml", TOML)] {
        for (i, _) in text.char_indices() {
            let cut = garment::from_text(&text[..i], Path::new(file));
            assert!(cut.is_err() || file == "cut.toml", "{file} cut at {i}");
            let byte = [b'"', b'{', b'9', b'-', b'\n', b']'][i % 6] as char;
            let mut damaged = text.to_string();
            damaged.replace_range(i..=i, &byte.to_string());
            let _ = garment::from_text(&damaged, Path::new(file));
        }
    }
}

#[test]
fn files_that_are_none_are_refused() {
    let told = |path: &str| garment::check(Path::new(path)).iter().map(ToString::to_string).collect::<String>();
    assert!(told("nowhere.json").contains("cannot be read"));
    let other = garment::from_text("", Path::new("a.dxf")).unwrap_err();
    assert!(other[0].to_string().contains("garment is read from .toml"));
}
