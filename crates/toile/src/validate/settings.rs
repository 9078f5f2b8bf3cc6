//! Parameters of an experiment and the values chosen for a run.

use super::Experiment;
use crate::nearest::nearest;

/// What `--set` can change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Name: `gamma`.
    pub name: &'static str,
    /// Default and allowed values.
    pub kind: Kind,
    /// Unit; `–` for plain numbers, empty for words.
    pub unit: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

/// Default and allowed values of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A number.
    Number {
        /// Value unless set.
        default: f64,
        /// Smallest and largest allowed.
        range: [f64; 2],
    },
    /// One of a few words.
    Word {
        /// Value unless set.
        default: &'static str,
        /// The words.
        allowed: &'static [&'static str],
    },
}

impl Parameter {
    /// A number in a range.
    pub const fn number(
        name: &'static str,
        default: f64,
        range: [f64; 2],
        unit: &'static str,
        meaning: &'static str,
    ) -> Self {
        Self { name, kind: Kind::Number { default, range }, unit, meaning }
    }

    /// A word; the first allowed one is the default.
    pub const fn word(name: &'static str, allowed: &'static [&'static str], meaning: &'static str) -> Self {
        Self { name, kind: Kind::Word { default: allowed[0], allowed }, unit: "", meaning }
    }

    fn default(&self) -> Setting {
        match self.kind {
            Kind::Number { default, .. } => Setting::Number(default),
            Kind::Word { default, .. } => Setting::Word(default),
        }
    }

    fn parse(&self, text: &str) -> Result<Setting, SettingError> {
        let refuse = |expected: String| SettingError::Value { name: self.name, text: text.to_owned(), expected };
        match self.kind {
            Kind::Number { range: [low, high], .. } => {
                let number = text.parse::<f64>().ok().filter(|v| *v >= low && *v <= high);
                number.map(Setting::Number).ok_or_else(|| {
                    let unit = if self.unit == "–" { String::new() } else { format!(" {}", self.unit) };
                    refuse(format!("a number from {low} to {high}{unit}"))
                })
            }
            Kind::Word { allowed, .. } => {
                let word = allowed.iter().find(|w| **w == text);
                word.map(|w| Setting::Word(w)).ok_or_else(|| refuse(allowed.join(" or ")))
            }
        }
    }
}

/// The value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Setting {
    /// A number.
    Number(f64),
    /// A word.
    Word(&'static str),
}

impl std::fmt::Display for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Word(word) => f.write_str(word),
        }
    }
}

/// Why a setting is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SettingError {
    /// No parameter of that name.
    #[error("{id} has no parameter \"{name}\": {hint}")]
    Name {
        /// Experiment.
        id: &'static str,
        /// What was asked for.
        name: String,
        /// The nearest name, or all of them.
        hint: String,
    },
    /// Not a value of that parameter.
    #[error("{name} = {text}: expected {expected}")]
    Value {
        /// Parameter.
        name: &'static str,
        /// What was given.
        text: String,
        /// What is allowed.
        expected: String,
    },
}

/// The values of one run: defaults, and what was set over them.
#[derive(Clone, Debug)]
pub struct Settings {
    id: &'static str,
    values: Vec<(&'static Parameter, Setting)>,
}

impl Settings {
    /// All defaults.
    pub fn defaults(experiment: &'static Experiment) -> Self {
        Self { id: experiment.id, values: experiment.parameters.iter().map(|p| (p, p.default())).collect() }
    }

    /// Sets a parameter from text.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), SettingError> {
        let Some((parameter, value)) = self.values.iter_mut().find(|(p, _)| p.name == name) else {
            let names = || self.values.iter().map(|(p, _)| p.name);
            let hint = match nearest(name, names()) {
                Some(close) => format!("did you mean \"{close}\"?"),
                None if self.values.is_empty() => "it has none".into(),
                None => format!("it has {}", names().collect::<Vec<_>>().join(", ")),
            };
            return Err(SettingError::Name { id: self.id, name: name.to_owned(), hint });
        };
        *value = parameter.parse(text.trim())?;
        Ok(())
    }

    /// Every parameter with its value.
    pub fn values(&self) -> impl Iterator<Item = (&'static Parameter, Setting)> + '_ {
        self.values.iter().copied()
    }

    /// Value of a number.
    ///
    /// # Panics
    /// If the experiment has no such number: a slip in its own file, which the test that runs every experiment finds.
    pub fn number(&self, name: &str) -> f64 {
        match self.value(name) {
            Some(Setting::Number(number)) => number,
            _ => panic!("{} declares no number {name}", self.id),
        }
    }

    /// A number that counts something: rounded to a whole one.
    ///
    /// # Panics
    /// As [`Settings::number`].
    pub fn count(&self, name: &str) -> usize {
        self.number(name).round().max(0.0) as usize
    }

    /// Value of a word.
    ///
    /// # Panics
    /// As [`Settings::number`].
    pub fn word(&self, name: &str) -> &'static str {
        match self.value(name) {
            Some(Setting::Word(word)) => word,
            _ => panic!("{} declares no word {name}", self.id),
        }
    }

    /// Does a parameter differ from its default? Numbers that were stored for the default do not apply then.
    pub fn is_changed(&self, name: &str) -> bool {
        self.values.iter().any(|(p, v)| p.name == name && *v != p.default())
    }

    /// Does any parameter differ from its default?
    pub fn is_any_changed(&self) -> bool {
        self.values.iter().any(|(p, v)| *v != p.default())
    }

    /// The kind of mesh, for experiments that have a parameter `mesh`.
    pub fn mesh(&self) -> Option<&'static str> {
        match self.value("mesh") {
            Some(Setting::Word(word)) => Some(word),
            _ => None,
        }
    }

    fn value(&self, name: &str) -> Option<Setting> {
        self.values.iter().find(|(p, _)| p.name == name).map(|(_, v)| *v)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static SAMPLE: Experiment = Experiment {
        id: "T-1",
        title: "",
        source: "",
        parameters: &[
            Parameter::number("gamma", 10.0, [0.1, 1000.0], "–", "weight over stiffness"),
            Parameter::word("mesh", &["structured", "unstructured"], "kind of mesh"),
        ],
        run: |_| Err(super::super::ExperimentError::Failed("not run".into())),
    };

    #[test]
    fn values_override_defaults() {
        let mut settings = Settings::defaults(&SAMPLE);
        assert!(settings.number("gamma") == 10.0 && !settings.is_any_changed());
        settings.set("mesh", "structured").unwrap();
        assert!(!settings.is_any_changed());
        settings.set("gamma", "2e1").unwrap();
        settings.set("mesh", "unstructured").unwrap();
        assert!(settings.number("gamma") == 20.0 && settings.is_changed("gamma"));
        assert_eq!(settings.mesh(), Some("unstructured"));
    }

    #[test]
    fn bad_values_say_what_was_expected() {
        let mut settings = Settings::defaults(&SAMPLE);
        let message = |r: Result<(), SettingError>| r.unwrap_err().to_string();
        assert_eq!(message(settings.set("gama", "1")), "T-1 has no parameter \"gama\": did you mean \"gamma\"?");
        assert_eq!(message(settings.set("width", "1")), "T-1 has no parameter \"width\": it has gamma, mesh");
        for bad in ["", "ten", "nan", "inf", "-1", "1e4"] {
            assert!(message(settings.set("gamma", bad)).ends_with("expected a number from 0.1 to 1000"), "{bad}");
        }
        assert!(message(settings.set("mesh", "grid")).ends_with("structured or unstructured"));
    }
}
