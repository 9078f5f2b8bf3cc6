//! Every registry in one place: menus, `toile list`, the book's coverage and bindings read it.

use crate::validate::EXPERIMENTS;
use toile_core::bending::BENDINGS;
use toile_core::integrate::SCHEMES;
use toile_core::law::LAWS;
use toile_core::linalg::SOLVERS;
use toile_core::membrane::MEMBRANES;

/// A list of things that files or commands can name.
#[derive(Clone, Debug, PartialEq)]
pub struct Registry {
    /// Name of the list: `laws`.
    pub name: &'static str,
    /// What its members are.
    pub summary: &'static str,
    /// The members.
    pub entries: Vec<Entry>,
}

/// A member of a registry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Name in files and commands.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
}

/// All registries.
pub fn registries() -> Vec<Registry> {
    let list = |name, summary, entries| Registry { name, summary, entries };
    let entry = |name, summary| Entry { name, summary };
    vec![
        list("laws", "strain–stress laws of a fabric", LAWS.iter().map(|e| entry(e.name, e.summary)).collect()),
        list("membranes", "how a sheet measures strain", MEMBRANES.iter().map(|e| entry(e.name, e.summary)).collect()),
        list("bendings", "how a sheet resists bending", BENDINGS.iter().map(|e| entry(e.name, e.summary)).collect()),
        list("schemes", "how a state moves in time", SCHEMES.iter().map(|e| entry(e.name, e.summary)).collect()),
        list("solvers", "linear solvers", SOLVERS.iter().map(|e| entry(e.name, e.summary)).collect()),
        list(
            "experiments",
            "published experiments of `validate`",
            EXPERIMENTS.iter().map(|e| entry(e.id, e.title)).collect(),
        ),
        list(
            "formats",
            "files for other programs",
            toile_io::formats::FORMATS.iter().map(|f| entry(f.name, f.summary)).collect(),
        ),
        list("tests", "laboratory tests of `lab`", crate::lab::TESTS.iter().map(|&(n, s)| entry(n, s)).collect()),
        list(
            "drafts",
            "garments drawn to measure",
            toile_garment::draft::DRAFTS.iter().map(|d| entry(d.name, d.summary)).collect(),
        ),
        list(
            "fabrics",
            "fabrics that come with the program",
            toile_io::fabric::library().iter().map(|f| entry(f.name, f.summary)).collect(),
        ),
    ]
}
