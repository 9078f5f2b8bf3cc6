//! `toile list`: what files and commands can name.

use crate::output::{Failure, Output};
use serde::Serialize;
use toile::nearest::nearest;
use toile::registry::registries;

/// List the registries: laws, experiments, …
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// One registry only
    registry: Option<String>,
}

#[derive(Serialize)]
struct Record {
    registry: &'static str,
    name: &'static str,
    summary: &'static str,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Result<(), Failure> {
    let mut chosen = registries();
    if let Some(name) = &arguments.registry {
        let names: Vec<&str> = chosen.iter().map(|r| r.name).collect();
        if !names.contains(&name.as_str()) {
            let hint = match nearest(name, names.iter().copied()) {
                Some(close) => format!("did you mean \"{close}\"?"),
                None => format!("there are {}", names.join(", ")),
            };
            return Err(Failure::input(format!("no registry \"{name}\": {hint}")));
        }
        chosen.retain(|r| r.name == name);
    }
    for registry in chosen {
        if !output.json {
            output.line(format!("{} — {}", registry.name, registry.summary))?;
        }
        for entry in registry.entries {
            if output.json {
                output.record(&Record { registry: registry.name, name: entry.name, summary: entry.summary })?;
            } else {
                output.line(format!("  {:<16} {}", entry.name, entry.summary))?;
            }
        }
    }
    Ok(())
}
