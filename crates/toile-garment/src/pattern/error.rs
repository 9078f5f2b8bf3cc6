//! What can be wrong with a pattern, where, and what to do about it.

use super::place::Place;
use glam::DVec2;

/// What is wrong with a garment, and where.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PatternError {
    /// A panel without an outline.
    #[error("{place} has {edges} edges, needs at least 2")]
    Open {
        /// Panel.
        place: Place,
        /// Edges found.
        edges: usize,
    },
    /// Two parts of one kind with one name.
    #[error("{place} has the name of another one")]
    Twice {
        /// The later one.
        place: Place,
    },
    /// A number that is none, or out of range.
    #[error("{what} of {place} is {value}, must lie between {low} and {high}")]
    Range {
        /// Of what.
        place: Place,
        /// Which number: `the grain`.
        what: &'static str,
        /// Its value.
        value: f64,
        /// Smallest allowed.
        low: f64,
        /// Largest allowed.
        high: f64,
    },
    /// An edge or a line without length.
    #[error("{place} is {length:.3e} m long")]
    ZeroLength {
        /// Which.
        place: Place,
        /// Its length (m).
        length: f64,
    },
    /// An arc that cannot reach its end.
    #[error(
        "{place} is an arc of radius {:.3} cm over a chord of {:.3} cm: a circle that small does not reach",
        100.0 * radius, 100.0 * chord
    )]
    ArcRadius {
        /// Edge or line.
        place: Place,
        /// Its radius (m).
        radius: f64,
        /// From its start to its end (m).
        chord: f64,
    },
    /// An outline that crosses or touches itself.
    #[error("the outline of panel `{panel}` crosses itself: edge {a} meets edge {b} near ({:.2}, {:.2}) cm", 100.0 * at.x, 100.0 * at.y)]
    SelfCrossing {
        /// Panel.
        panel: String,
        /// The same as a place: the second edge.
        place: Place,
        /// One edge.
        a: usize,
        /// The other.
        b: usize,
        /// Where (m).
        at: DVec2,
    },
    /// A line or a button that is not on its panel.
    #[error("{place} leaves panel `{panel}` near ({:.2}, {:.2}) cm", 100.0 * at.x, 100.0 * at.y)]
    Outside {
        /// What leaves it.
        place: Place,
        /// Panel.
        panel: String,
        /// Where (m).
        at: DVec2,
    },
    /// Something is named that is not there.
    #[error("{place} names {part}, but {owner} has only {count}")]
    Missing {
        /// What names it.
        place: Place,
        /// What is missing: `edge 9`.
        part: String,
        /// Where it was looked for: `panel "front"`.
        owner: String,
        /// How many there are.
        count: usize,
    },
    /// A seam, tape or attachment, or a side of a seam, without edges.
    #[error("{place} has a side without edges")]
    Nothing {
        /// Which.
        place: Place,
    },
    /// A seam that joins a piece of an edge with the same piece.
    #[error("{place} sews {part} to itself")]
    ToItself {
        /// Seam.
        place: Place,
        /// The edge or line.
        part: String,
    },
    /// Sides of a seam whose lengths do not fit.
    #[error(
        "{place} joins {:.1} cm to {:.1} cm, 1 : {ratio:.2}; more than 1 : {limit:.2} is a mistake unless it is told",
        100.0 * lengths[0], 100.0 * lengths[1]
    )]
    Mismatch {
        /// Seam.
        place: Place,
        /// Lengths of its sides (m).
        lengths: [f64; 2],
        /// The longer over the shorter.
        ratio: f64,
        /// Largest ratio that passes without being told.
        limit: f64,
    },
    /// A ratio that is not that of the lengths.
    #[error("{place} says ratio {told:.3}, its sides have {found:.3}")]
    Ratio {
        /// Seam.
        place: Place,
        /// As told.
        told: f64,
        /// As measured.
        found: f64,
    },
}

impl PatternError {
    /// Which part is wrong.
    pub fn place(&self) -> &Place {
        match self {
            Self::Open { place, .. }
            | Self::Twice { place }
            | Self::Range { place, .. }
            | Self::ZeroLength { place, .. }
            | Self::ArcRadius { place, .. }
            | Self::SelfCrossing { place, .. }
            | Self::Outside { place, .. }
            | Self::Missing { place, .. }
            | Self::Nothing { place }
            | Self::ToItself { place, .. }
            | Self::Mismatch { place, .. }
            | Self::Ratio { place, .. } => place,
        }
    }

    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Open { .. } => "close the outline with edges that each start where the one before ends",
            Self::Twice { .. } => "give it a name of its own",
            Self::Range { .. } => "check the number and its unit",
            Self::ZeroLength { .. } => "remove it, or move one of its ends",
            Self::ArcRadius { .. } => "make the radius at least half the chord, or move one of its ends",
            Self::SelfCrossing { .. } => {
                "move a point or flatten a curve so that the outline runs round the panel once"
            }
            Self::Outside { .. } => "keep all of it inside the outline; check its unit and the panel it is on",
            Self::Missing { .. } => "count from 0, or name a part that is there",
            Self::Nothing { .. } => "name at least one edge, or remove it",
            Self::ToItself { .. } => "join it with another edge, or with another part of this one",
            Self::Mismatch { .. } => "check which edges are meant; if it is gathered, give the seam its `ratio`",
            Self::Ratio { .. } => "correct `ratio` (second side over first), or the lengths",
        }
    }
}
