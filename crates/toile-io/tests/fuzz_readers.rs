//! Bad input never panics: a seeded mutator over valid fabric files and laboratory tables.
//!
//! 20 000 cases in the ordinary run; `TOILE_FUZZ_CASES=1000000` sets another number, `TOILE_FUZZ_SEED` another seed. A case is
//! fully determined by the seed and its number, both of which a failure prints.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};
use toile_core::tensile::Sample;
use toile_io::csv::{Csv, Limits};
use toile_io::fabric::fit::{FitInput, FitOptions, Measurement, Synthetic, TestKind, fit};
use toile_io::fabric::{by_name, library, read_bytes};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.next() % n as u64) as usize }
    }

    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

/// Numbers and words that break readers.
const POISON: &[&str] = &[
    "nan",
    "inf",
    "-inf",
    "1e999",
    "-1e999",
    "1e308",
    "1e-320",
    "-0.0",
    "0",
    "-1",
    "9223372036854775807",
    "0x7f",
    "1_0",
    "99999999999999999999999999",
    "\"\"",
    "[]",
    "{}",
    "[[]]",
    "true",
    "1979-05-27",
    "'''",
    "\"\"\"",
    "[[[[[[[[",
    "]]]]",
    "=",
    "\u{feff}",
    "\u{0}",
    "\r",
    "µ",
    "🧵",
    "a.b.c.d",
    "[a]",
    "[[a]]",
    "#",
    "\\u0000",
    "3.5.1",
    "1e",
    "--1",
    "1,5",
    ";",
    "\t",
    "\"",
];

fn mutate(bytes: &mut Vec<u8>, random: &mut Random, others: &[Vec<u8>]) {
    let at = random.below(bytes.len() + 1);
    match random.below(14) {
        0 if !bytes.is_empty() => {
            let i = random.below(bytes.len());
            bytes[i] ^= 1 << random.below(8);
        }
        1 => bytes.truncate(at),
        2 => bytes.insert(at, random.next() as u8),
        3 => replace_token(bytes, random),
        4 => swap_tokens(bytes, random),
        5 => splice(bytes, at, random.pick(POISON).as_bytes()),
        6 => {
            let depth = 1 << random.below(13);
            let opening = random.pick(&["[", "{a=", "[[", "(", "\"", "a."]).repeat(depth);
            splice(bytes, at, opening.as_bytes());
        }
        7 => {
            let long = random.pick(&["9", "a", ",", " ", "0.", "#", "é"]).repeat(1 << random.below(12));
            splice(bytes, at, long.as_bytes());
        }
        8 => splice(bytes, at, random.pick(&[&b"\xff"[..], b"\xc3\x28", b"\xed\xa0\x80", b"\xf8\x88", b"\x80"])),
        9 => remove_line(bytes, random),
        10 => repeat_line(bytes, random),
        11 => {
            let other = &others[random.below(others.len())];
            let from = random.below(other.len());
            let to = (from + random.below(200)).min(other.len());
            splice(bytes, at, &other[from..to]);
        }
        12 => {
            let end = (at + random.below(40)).min(bytes.len());
            bytes.drain(at..end);
        }
        _ => scale_number(bytes, random),
    }
}

fn splice(bytes: &mut Vec<u8>, at: usize, piece: &[u8]) {
    bytes.splice(at..at, piece.iter().copied());
}

/// Ranges of words: runs of anything but separators.
fn tokens(bytes: &[u8]) -> Vec<(usize, usize)> {
    let inside = |b: u8| !b" \t\r\n=,;[]{}\"".contains(&b);
    let mut out = Vec::new();
    let mut start = None;
    for (i, b) in bytes.iter().enumerate() {
        match (inside(*b), start) {
            (true, None) => start = Some(i),
            (false, Some(s)) => {
                out.push((s, i));
                start = None;
            }
            _ => {}
        }
    }
    out.extend(start.map(|s| (s, bytes.len())));
    out
}

fn replace_token(bytes: &mut Vec<u8>, random: &mut Random) {
    let all = tokens(bytes);
    if let Some(&(a, b)) = all.get(random.below(all.len())) {
        bytes.splice(a..b, random.pick(POISON).bytes());
    }
}

fn swap_tokens(bytes: &mut Vec<u8>, random: &mut Random) {
    let all = tokens(bytes);
    if all.len() < 2 {
        return;
    }
    let (i, j) = (random.below(all.len()), random.below(all.len()));
    let ((a, b), (c, d)) = (all[i.min(j)], all[i.max(j)]);
    if b <= c {
        let first = bytes[a..b].to_vec();
        let second = bytes[c..d].to_vec();
        bytes.splice(c..d, first);
        bytes.splice(a..b, second);
    }
}

fn scale_number(bytes: &mut Vec<u8>, random: &mut Random) {
    let numbers: Vec<(usize, usize)> = tokens(bytes).into_iter().filter(|(a, _)| bytes[*a].is_ascii_digit()).collect();
    if let Some(&(a, b)) = numbers.get(random.below(numbers.len())) {
        let power = random.below(700) as i64 - 350;
        let sign = if random.below(4) == 0 { "-" } else { "" };
        let text = format!("{sign}{}e{power}", 1 + random.below(9));
        bytes.splice(a..b, text.bytes());
    }
}

fn line(bytes: &[u8], random: &mut Random) -> (usize, usize) {
    let at = random.below(bytes.len());
    let start = bytes[..at].iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
    let end = bytes[at..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |i| at + i + 1);
    (start, end)
}

fn remove_line(bytes: &mut Vec<u8>, random: &mut Random) {
    if !bytes.is_empty() {
        let (a, b) = line(bytes, random);
        bytes.drain(a..b);
    }
}

fn repeat_line(bytes: &mut Vec<u8>, random: &mut Random) {
    if !bytes.is_empty() {
        let (a, b) = line(bytes, random);
        let copy = bytes[a..b].repeat(1 + random.below(20));
        splice(bytes, b, &copy);
    }
}

/// A fabric with every law, form and kind of memory the library does not use.
const OTHERS: &str = r#"
format = "toile-fabric/1"
name = "all forms"
[sheet]
density_g_per_m2 = 100
thickness_mm = 0.3
source = "x"
quality = "estimate"
[membrane.elastic]
law = "coupled-curves"
coupling_n_per_m = 1
source = "x"
quality = "estimate"
[membrane.elastic.weft]
form = "points"
strain = [0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07]
stress_n_per_m = [0, 2, 5, 9, 14, 20, 27, 35]
order = 2
segments = 2
source = "x"
quality = "measured"
[membrane.elastic.warp]
form = "spline"
knots_strain = [0, 0.1, 0.2]
coefficients_n_per_m = [[0, 100, 1000], [20, 300]]
compression = { form = "spline", coefficients_n_per_m = [[0, 20]], source = "x", quality = "estimate" }
source = "x"
quality = "measured"
[membrane.elastic.shear]
form = "spline"
coefficients_n_per_m = [[0, 40, 0, 900]]
source = "x"
quality = "measured"
[membrane.viscosity]
law = "surface"
low_per_s = [0, 0, 0]
high_per_s = [1, 1, 1]
points = [3, 3, 3]
table_n_per_m = [TABLE]
source = "x"
quality = "estimate"
[[membrane.hysteresis]]
kind = "relaxation"
stiffness_n_per_m = [1, 2, 3]
time_s = 0.5
source = "x"
quality = "estimate"
[bending.elastic]
law = "anisotropic"
stiffness_un_m = [[10, 1, 0.5], [1, 12, 0], [0.5, 0, 5]]
source = "x"
quality = "estimate"
[bending.viscosity]
law = "linear"
modulus_un_m_s = 0.01
poisson = 0.2
source = "x"
quality = "estimate"
[[bending.hysteresis]]
kind = "slider"
stiffness_un_m = [10, 10, 5]
yield_mn_m_per_m = [0.1, 0.1, 0.05]
source = "x"
quality = "estimate"
[drag]
normal_coefficient = 1.5
weft_coefficient = 0.02
warp_coefficient = 0.02
source = "x"
quality = "estimate"
"#;

struct Corpus {
    files: Vec<Vec<u8>>,
    tables: Vec<Vec<u8>>,
    input: FitInput,
}

impl Corpus {
    fn new() -> Self {
        let mut files: Vec<Vec<u8>> = library().iter().map(|f| f.text.as_bytes().to_vec()).collect();
        let table: Vec<String> = (0..27).map(|i| format!("[{}, {}, {}]", i / 9, i / 3 % 3, i % 3)).collect();
        let others = OTHERS.replace("TABLE", &table.join(", "));
        assert!(read_bytes(others.as_bytes(), Path::new("others.toml")).is_ok());
        files.push(others.into_bytes());
        let fabric = by_name("wool-gabardine").expect("a library fabric").read().fabric;
        let kinds = [
            (TestKind::Weft, 0.05),
            (TestKind::Warp, 0.05),
            (TestKind::Shear, 0.14),
            (TestKind::BendingWeft, 250.0),
            (TestKind::BendingWarp, 250.0),
        ];
        let tests: Vec<Measurement> = kinds
            .map(|(kind, amplitude)| {
                let plan = Synthetic { points: 8, ..Synthetic::new(kind, amplitude) };
                Measurement { kind, path: kind.name().into(), bytes: plan.csv(&fabric).into_bytes() }
            })
            .to_vec();
        let mut tables: Vec<Vec<u8>> = tests.iter().map(|t| t.bytes.clone()).collect();
        tables.push("direction;overhang (mm);angle (°)\nweft;50,1;41,5\nwarp;61,2;41,5\n".into());
        tables.push(
            "branch\tstrain (%)\tforce (gf/cm)\tweight\nload\t0\t0\t1\nload\t5\t100\t1\nunload\t2\t10\t1\n".into(),
        );
        let input = FitInput {
            name: "fuzz".into(),
            density_g_per_m2: 150.0,
            thickness_mm: 0.3,
            sample: Sample::KAWABATA,
            tests,
        };
        Self { files, tables, input }
    }

    /// Mutates and reads one input. Returns whether it was accepted.
    fn case(&self, seed: u64) -> bool {
        let mut random = Random(seed);
        // Half fabric files, three eighths tables alone, an eighth whole fits.
        let choice = random.below(8);
        let pool = if choice < 4 { &self.files } else { &self.tables };
        let pick = if choice == 7 { random.below(self.input.tests.len()) } else { random.below(pool.len()) };
        let mut bytes = pool[pick].clone();
        for _ in 0..=random.below(4) {
            mutate(&mut bytes, &mut random, pool);
        }
        match choice {
            0..4 => read_bytes(&bytes, Path::new("fuzz/fabric.toml")).is_ok(),
            4..7 => match Csv::parse(&bytes, Path::new("fuzz.csv"), Limits::default()) {
                Ok(csv) => (0..csv.names().count()).all(|column| csv.numbers(column).is_ok()),
                Err(problems) => {
                    assert!(!problems.is_empty());
                    false
                }
            },
            _ => {
                let mut input = self.input.clone();
                input.tests[pick].bytes = bytes;
                if random.below(4) == 0 {
                    input.tests[pick].kind = TestKind::Cantilever;
                }
                // With the slip given, one fit is one least-squares problem instead of a hundred.
                let options =
                    FitOptions { yield_strain: Some(0.01), yield_curvature_per_m: Some(50.0), ..FitOptions::default() };
                fit(&input, &options).is_ok()
            }
        }
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

#[test]
fn bad_input_is_an_error_and_never_a_panic() {
    let cases = setting("TOILE_FUZZ_CASES", 20_000);
    let seed = setting("TOILE_FUZZ_SEED", 1);
    let corpus = Corpus::new();
    let begin = Instant::now();
    let (mut accepted, mut slowest) = (0, (Duration::ZERO, 0));
    for number in 0..cases {
        let case = Random(seed ^ number.wrapping_mul(0x2545_f491_4f6c_dd1d)).next();
        let start = Instant::now();
        match catch_unwind(AssertUnwindSafe(|| corpus.case(case))) {
            Ok(ok) => accepted += u64::from(ok),
            Err(_) => panic!("case {number} of seed {seed} panicked"),
        }
        slowest = slowest.max((start.elapsed(), number));
    }
    println!(
        "{cases} cases in {:.1} s: {} refused, {accepted} still valid, slowest {:.1} ms (case {})",
        begin.elapsed().as_secs_f64(),
        cases - accepted,
        slowest.0.as_secs_f64() * 1e3,
        slowest.1
    );
    // The mutator must do its work: most inputs are broken, some survive.
    assert!(accepted < cases / 2 && accepted > 0, "{accepted} of {cases} accepted");
    // No input may hang a reader; generous, for a busy machine and an unoptimised build.
    assert!(slowest.0 < Duration::from_secs(20), "case {} took {:?}", slowest.1, slowest.0);
}

/// Megabytes of nonsense are refused in seconds: nothing in the readers is quadratic in the size of a file.
#[test]
fn large_files_are_refused_quickly() {
    let megabyte = 1 << 20;
    let poplin = by_name("cotton-poplin").expect("a library fabric").text;
    let keys: String = (0..60_000).map(|i| format!("densty_g_per_{i} = 1\n")).collect();
    let numbers = format!("strain = [{}]", "0.001, ".repeat(150_000));
    let weft = "form = \"kes-tensile\"\nemt_percent = 6.5\nlt = 0.72\nload_n_per_m = 490.33";
    let points = format!("form = \"points\"\norder = 7\nsegments = 32\n{numbers}\nstress_n_per_m = [1]");
    let files = [
        keys.clone(),
        format!("{keys}{poplin}"),
        poplin.replacen(weft, &points, 1),
        "[".repeat(megabyte),
        "{a=".repeat(megabyte / 3),
        format!("a = {}1{}", "[".repeat(megabyte / 2), "]".repeat(megabyte / 2)),
        "a.".repeat(megabyte / 2),
        "[a]\n".repeat(megabyte / 4),
        "= ".repeat(megabyte / 2),
        format!("name = \"{}", "x".repeat(megabyte)),
        format!("x = {}", "9".repeat(megabyte)),
    ];
    for file in &files {
        let start = Instant::now();
        assert!(read_bytes(file.as_bytes(), Path::new("large.toml")).is_err());
        let spent = start.elapsed();
        // A fraction of a second each; the margin is for a busy machine.
        assert!(spent < Duration::from_secs(10), "{:.40}… took {spent:?}", file);
    }
    let tables = [
        "a,b\n".repeat(megabyte / 4),
        ",".repeat(megabyte),
        "\"".repeat(megabyte),
        format!("a\n{}", "x\n".repeat(megabyte / 2)),
    ];
    for table in &tables {
        let start = Instant::now();
        let good = Csv::parse(table.as_bytes(), Path::new("large.csv"), Limits::default())
            .is_ok_and(|csv| csv.row_count() > 0 && csv.numbers(0).is_ok());
        assert!(!good && start.elapsed() < Duration::from_secs(10), "{:.40}…", table);
    }
}
