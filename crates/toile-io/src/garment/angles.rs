//! Rotations as three turns, as pattern files tell them.

use glam::{DQuat, EulerRot};

/// Turns about the fixed axes x, then y, then z (degrees): R = Rz Ry Rx.
pub(super) fn rotation(degrees: [f64; 3]) -> DQuat {
    let [x, y, z] = degrees.map(f64::to_radians);
    DQuat::from_rotation_z(z) * DQuat::from_rotation_y(y) * DQuat::from_rotation_x(x)
}

/// The same the other way, by the smaller of the two ways to turn there. Few digits if they mean the same rotation.
pub(super) fn degrees(turn: DQuat) -> [f64; 3] {
    let (z, y, x) = turn.to_euler(EulerRot::ZYX);
    let one = [x, y, z].map(f64::to_degrees);
    let half = |v: f64| if v > 0.0 { v - 180.0 } else { v + 180.0 };
    let other = [half(one[0]), if one[1] < 0.0 { -180.0 - one[1] } else { 180.0 - one[1] }, half(one[2])];
    let size = |v: &[f64; 3]| v.iter().map(|a| a.abs()).sum::<f64>();
    let exact = if size(&other) < size(&one) { other } else { one };
    // Ten places behind the point, and no minus before a zero.
    let short = exact.map(|v| format!("{v:.10}").parse().unwrap_or(v) + 0.0);
    if [turn, -turn].contains(&rotation(short)) { short } else { exact }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_come_back_as_they_were_told() {
        for told in [
            [0.0, 180.0, 0.0],
            [0.0, 0.0, 45.483],
            [90.0, 0.0, 0.0],
            [0.0, -90.0, 0.0],
            [12.5, 100.0, -33.25],
            [-10.0, 20.0, 170.0],
        ] {
            let (turn, again) = (rotation(told), rotation(degrees(rotation(told))));
            assert!(turn.dot(again).abs() > 1.0 - 1e-14, "{told:?}");
            if told.iter().filter(|&&v| v != 0.0).count() == 1 {
                assert_eq!(degrees(turn), told);
            }
        }
    }
}
