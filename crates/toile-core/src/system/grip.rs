//! Grips: pins, clamped edges and moving handles. All are the same thing, nodes whose components follow a motion.

use glam::{DQuat, DVec3};

/// Nodes that are held.
#[derive(Clone, Debug, PartialEq)]
pub struct Grip {
    /// Name for reports.
    pub name: String,
    /// Held nodes.
    pub nodes: Vec<u32>,
    /// Which components are held.
    pub axes: [bool; 3],
    /// Where they go.
    pub motion: Motion,
    /// Their positions before the motion.
    pub rest: Vec<DVec3>,
}

/// A rigid motion in time.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Motion {
    /// Does not move.
    #[default]
    Still,
    /// Key frames in ascending time; between them translation is linear and rotation turns steadily. Before the first and
    /// after the last key it stands still.
    Keys(Vec<Key>),
}

/// A pose at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// Time (s).
    pub time: f64,
    /// Shift (m).
    pub translation: DVec3,
    /// Turn, as axis times angle (rad): more than a full turn is allowed.
    pub rotation: DVec3,
    /// Centre of the turn, before the shift (m).
    pub pivot: DVec3,
}

impl Key {
    /// A shift alone.
    pub fn shift(time: f64, translation: DVec3) -> Self {
        Self { time, translation, rotation: DVec3::ZERO, pivot: DVec3::ZERO }
    }

    fn place(&self, rest: DVec3) -> DVec3 {
        self.pivot + DQuat::from_scaled_axis(self.rotation) * (rest - self.pivot) + self.translation
    }
}

impl Motion {
    /// A constant shift.
    pub fn shift(translation: DVec3) -> Self {
        Self::Keys(vec![Key::shift(0.0, translation)])
    }

    /// Where a point at `rest` is at `time`.
    pub fn place(&self, time: f64, rest: DVec3) -> DVec3 {
        self.pose(time).map_or(rest, |pose| pose.place(rest))
    }

    /// How it has turned since rest at `time`.
    pub fn turn(&self, time: f64) -> DQuat {
        self.pose(time).map_or(DQuat::IDENTITY, |pose| DQuat::from_scaled_axis(pose.rotation))
    }

    /// The pose at a time; none without keys.
    fn pose(&self, time: f64) -> Option<Key> {
        let Self::Keys(keys) = self else { return None };
        let next = keys.partition_point(|k| k.time <= time);
        match (next.checked_sub(1).map(|k| &keys[k]), keys.get(next)) {
            (Some(a), Some(b)) => {
                let t = (time - a.time) / (b.time - a.time);
                let mix = |x: DVec3, y: DVec3| x + t * (y - x);
                Some(Key {
                    time,
                    translation: mix(a.translation, b.translation),
                    rotation: mix(a.rotation, b.rotation),
                    pivot: mix(a.pivot, b.pivot),
                })
            }
            (before, after) => before.or(after).copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_turn_and_shift_steadily() {
        let half_turn = DVec3::new(0.0, std::f64::consts::PI, 0.0);
        let keys = vec![
            Key::shift(1.0, DVec3::ZERO),
            Key { time: 3.0, translation: DVec3::new(0.0, 2.0, 0.0), rotation: half_turn, pivot: DVec3::ZERO },
        ];
        let motion = Motion::Keys(keys);
        assert_eq!(motion.place(0.0, DVec3::X), DVec3::X);
        assert!((motion.place(2.0, DVec3::X) - DVec3::new(0.0, 1.0, -1.0)).length() < 1e-15);
        assert!((motion.place(9.0, DVec3::X) - DVec3::new(-1.0, 2.0, 0.0)).length() < 1e-15);
        assert_eq!([motion.turn(0.5), Motion::Still.turn(2.0)], [DQuat::IDENTITY; 2]);
        assert!((motion.turn(2.0) * DVec3::X + DVec3::Z).length() < 1e-15);
    }
}
