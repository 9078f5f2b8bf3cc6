//! Every registry in one place: menus, `toile list`, the book's coverage and bindings read it.

use crate::validate::EXPERIMENTS;
use toile_core::law::LAWS;

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
    let laws = LAWS.iter().map(|law| Entry { name: law.name, summary: law.summary });
    let experiments = EXPERIMENTS.iter().map(|e| Entry { name: e.id, summary: e.title });
    let tests = crate::lab::TESTS.iter().map(|&(name, summary)| Entry { name, summary });
    let fabrics = toile_io::fabric::library().iter().map(|f| Entry { name: f.name, summary: f.summary });
    vec![
        Registry { name: "laws", summary: "strain–stress laws of a fabric", entries: laws.collect() },
        Registry {
            name: "experiments",
            summary: "published experiments of `validate`",
            entries: experiments.collect(),
        },
        Registry { name: "tests", summary: "laboratory tests of `lab`", entries: tests.collect() },
        Registry { name: "fabrics", summary: "fabrics that come with the program", entries: fabrics.collect() },
    ]
}
