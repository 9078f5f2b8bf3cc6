//! Which part of a garment is meant.

use std::fmt;

/// A part of a garment, by names as a reader of its file knows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A panel.
    Panel(String),
    /// An edge of a panel.
    Edge(String, usize),
    /// A line of a panel.
    Line(String, String),
    /// A seam.
    Seam(String),
    /// A tape.
    Tape(String),
    /// A button.
    Button(String),
    /// An attachment.
    Attachment(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Panel(name) => write!(f, "panel `{name}`"),
            Self::Edge(panel, edge) => write!(f, "edge {edge} of panel `{panel}`"),
            Self::Line(panel, line) => write!(f, "line `{line}` of panel `{panel}`"),
            Self::Seam(name) => write!(f, "seam `{name}`"),
            Self::Tape(name) => write!(f, "tape `{name}`"),
            Self::Button(name) => write!(f, "button `{name}`"),
            Self::Attachment(name) => write!(f, "attachment `{name}`"),
        }
    }
}
