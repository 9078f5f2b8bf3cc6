//! Laboratory tests in and out of the sheet's own measures: displacement and force against strain and stress.
//! Source: Volino09, appendix, eq. (15)–(17) for the tensile test; the bias, bending and cantilever relations are derived
//! where they stand. Everything here is a pure function in SI units; [`mod@unit`] turns instrument readings into SI.
//!
//! | paper    | here                     | unit | note                                                |
//! |----------|--------------------------|------|-----------------------------------------------------|
//! | l_u, l_v | `Sample::{length,width}` | m    | along and across the pull                           |
//! | d_u, d_v | `Motion::{pull,shear}`   | m    | of the moved edge                                   |
//! | f_u, f_v | `Motion::{pull,shear}`   | N    | on the moved edge; a force is the same pair         |
//! | ε, σ     | `[f64; 2]`               | –, N/m | (extension, engineering shear) of the pulled direction |

/// Gravity (m/s²) of the instruments' gram-force.
pub const STANDARD_GRAVITY: f64 = 9.806_65;

/// A rectangular sample held along two opposite edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// l_u: distance between the clamps (m).
    pub length: f64,
    /// l_v: length of the clamped edges (m).
    pub width: f64,
}

/// A pair along and across the pull: displacement (m) or force (N) of the moved edge.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion {
    /// Along the pull.
    pub pull: f64,
    /// Along the clamped edge.
    pub shear: f64,
}

impl Default for Sample {
    fn default() -> Self {
        Self::KAWABATA
    }
}

impl Sample {
    /// The standard sample of the Kawabata tester: 5 cm between clamps 20 cm long.
    pub const KAWABATA: Self = Self { length: 0.05, width: 0.2 };

    /// Extension and shear strain of a displacement, eq. (15).
    pub fn strain(&self, d: Motion) -> [f64; 2] {
        let (u, v) = (d.pull / self.length, d.shear / self.length);
        [u + 0.5 * (u * u + v * v), v]
    }

    /// Displacement of a strain: the inverse of eq. (15). None when no displacement gives that strain (the sample would
    /// have to be shorter than nothing).
    pub fn displacement(&self, strain: [f64; 2]) -> Option<Motion> {
        let [extension, shear] = strain;
        // (1 + u)² = 1 + 2ε_uu − ε_uv²; written so that small strains keep their digits.
        let excess = 2.0 * extension - shear * shear;
        if excess.is_nan() || excess <= -1.0 {
            return None;
        }
        let u = excess / (1.0 + (1.0 + excess).sqrt());
        Some(Motion { pull: u * self.length, shear: shear * self.length })
    }

    /// Forces on the moved edge from stress (N/m) at a displacement, eq. (16).
    pub fn force(&self, stress: [f64; 2], d: Motion) -> Motion {
        let [tension, shear] = stress;
        Motion {
            pull: self.width * tension * (self.length + d.pull) / self.length,
            shear: self.width * shear + self.width * tension * d.shear / self.length,
        }
    }

    /// Stress (N/m) from forces at a displacement, eq. (17).
    pub fn stress(&self, force: Motion, d: Motion) -> [f64; 2] {
        let stretched = self.length + d.pull;
        [
            force.pull / self.width * self.length / stretched,
            (force.shear - force.pull * d.shear / stretched) / self.width,
        ]
    }
}

/// Shear strain of a bias strip (45° to the threads) stretched by `extension` (–), the threads keeping their length:
/// two unit threads at angle θ give a stretch √2 cos(θ/2), hence ε_uv = cos θ = (1 + e)² − 1.
pub fn bias_strain(extension: f64) -> f64 {
    extension * (2.0 + extension)
}

/// Extension (–) of a bias strip at a shear strain: the inverse of [`bias_strain`]. None below −1.
pub fn bias_extension(strain: f64) -> Option<f64> {
    (strain >= -1.0).then(|| strain / (1.0 + (1.0 + strain).sqrt()))
}

/// Shear stress (N/m) in a bias strip from its force per rest width (N/m): the work f de equals σ_uv dε_uv = σ_uv 2(1+e) de.
pub fn bias_stress(force_per_width: f64, extension: f64) -> f64 {
    force_per_width / (2.0 * (1.0 + extension))
}

/// Force per rest width (N/m) of a bias strip from its shear stress (N/m).
pub fn bias_force(stress: f64, extension: f64) -> f64 {
    2.0 * (1.0 + extension) * stress
}

/// Stiffness and yield stress of a friction slider that shows a loop of full width `loop_width` (2HG, 2HB: the difference of
/// the loading and unloading branches) and slips after `yield_strain`.
pub fn slider(loop_width: f64, yield_strain: f64) -> (f64, f64) {
    let stress = 0.5 * loop_width;
    (stress / yield_strain, stress)
}

/// What a cantilever strip of unit length does under its own weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cantilever {
    /// Γ = ρ g L³/B: weight against rigidity.
    pub load: f64,
    /// Angle of the tip's tangent below the clamp (rad).
    pub tip_angle: f64,
    /// Angle of the line from clamp to tip below the clamp (rad): what a cantilever tester sets to 41.5°.
    pub chord_angle: f64,
    /// Drop of the tip over the length.
    pub drop: f64,
    /// Reach of the tip over the length.
    pub reach: f64,
}

/// The heavy elastica with a given tip angle, 0 < angle < π/2 (rad); None outside.
///
/// B θ″ = −ρ g (L − s) cos θ, clamped level. Measured from the free end in units of (B/ρg)^⅓ the equation has no parameter:
/// θ″ = −τ cos θ with θ(0) the tip angle and θ′(0) = 0; the clamp is where θ reaches zero, and there τ³ = Γ.
/// Fourth-order Runge–Kutta; the step is short against the unit length, the last one is fitted to θ = 0.
pub fn cantilever_of_tip(tip_angle: f64) -> Option<Cantilever> {
    let (length, end) = integrate_from_tip(tip_angle, |_| ())?;
    Some(Cantilever {
        load: length * length * length,
        tip_angle,
        chord_angle: end[2].atan2(end[3]),
        drop: end[2] / length,
        reach: end[3] / length,
    })
}

/// Shape of the heavy elastica with a given tip angle (rad) and unit length: (reach, drop) from the clamp to the tip.
pub fn cantilever_shape(tip_angle: f64) -> Option<Vec<[f64; 2]>> {
    let mut from_tip = Vec::new();
    let (length, end) = integrate_from_tip(tip_angle, |y| from_tip.push([y[3], y[2]]))?;
    from_tip.push([end[3], end[2]]);
    Some(from_tip.iter().rev().map(|p| [(end[3] - p[0]) / length, (end[2] - p[1]) / length]).collect())
}

/// Length τ and (θ, θ′, drop, reach) at the clamp; `visit` sees every step before it.
fn integrate_from_tip(tip_angle: f64, mut visit: impl FnMut(&[f64; 4])) -> Option<(f64, [f64; 4])> {
    if !(tip_angle > 0.0 && tip_angle < std::f64::consts::FRAC_PI_2) {
        return None;
    }
    // A stiff strip is short: its length is (6 tan θ)^⅓ at most, so the step follows the angle.
    let step = 2.5e-3 * (6.0 * tip_angle).cbrt().min(1.0);
    let mut tau = 0.0;
    let mut y = [tip_angle, 0.0, 0.0, 0.0];
    // The strip reaches the clamp by τ ≈ 1e3 for any tip angle that differs from π/2 in the last digits.
    while tau < 1e3 {
        visit(&y);
        let next = runge_kutta(tau, &y, step);
        if next[0] <= 0.0 {
            let last = final_step(tau, &y, step);
            return Some((tau + last, runge_kutta(tau, &y, last)));
        }
        (y, tau) = (next, tau + step);
    }
    None
}

fn slope(tau: f64, y: &[f64; 4]) -> [f64; 4] {
    [y[1], -tau * y[0].cos(), y[0].sin(), y[0].cos()]
}

fn runge_kutta(tau: f64, y: &[f64; 4], h: f64) -> [f64; 4] {
    let ahead = |k: &[f64; 4], f: f64| -> [f64; 4] { std::array::from_fn(|i| y[i] + f * h * k[i]) };
    let k1 = slope(tau, y);
    let k2 = slope(tau + 0.5 * h, &ahead(&k1, 0.5));
    let k3 = slope(tau + 0.5 * h, &ahead(&k2, 0.5));
    let k4 = slope(tau + h, &ahead(&k3, 1.0));
    std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))
}

/// Part of a step after which θ is zero, by Newton: θ falls monotonically.
fn final_step(tau: f64, y: &[f64; 4], step: f64) -> f64 {
    let mut h = -y[0] / y[1].min(-f64::MIN_POSITIVE);
    for _ in 0..8 {
        let end = runge_kutta(tau, y, h.clamp(0.0, step));
        h -= end[0] / end[1];
    }
    h.clamp(0.0, step)
}

/// The heavy elastica with a given chord angle, 0 < angle < π/2 (rad); None outside. Bisection on the tip angle.
pub fn cantilever_of_chord(chord_angle: f64) -> Option<Cantilever> {
    use std::f64::consts::FRAC_PI_2;
    // Beyond 89.4° the strip hangs straight down for every practical purpose and its length says nothing of B.
    if !(chord_angle > 0.0 && chord_angle < 0.9935 * FRAC_PI_2) {
        return None;
    }
    // The tip hangs steeper than the chord, at most 4/3 as steep while small.
    let (mut low, mut high) = (chord_angle, (1.4 * chord_angle).min(FRAC_PI_2));
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        let steep = cantilever_of_tip(middle).is_none_or(|c| c.chord_angle > chord_angle);
        if steep { high = middle } else { low = middle }
    }
    cantilever_of_tip(low)
}

/// Bending rigidity B (N·m) of a strip of `density` (kg/m²) whose overhang `length` (m) makes `chord_angle` (rad) with the level.
///
/// Exact, where Peirce's c = L (cos ½φ / 8 tan φ)^⅓ is 5.5 % off at the tester's own angle of 41.5°.
pub fn cantilever_rigidity(density: f64, length: f64, chord_angle: f64) -> Option<f64> {
    let load = cantilever_of_chord(chord_angle)?.load;
    Some(density * STANDARD_GRAVITY * length.powi(3) / load)
}

/// Overhang (m) at which a strip of rigidity B (N·m) makes `chord_angle` (rad): the inverse of [`cantilever_rigidity`].
pub fn cantilever_overhang(density: f64, rigidity: f64, chord_angle: f64) -> Option<f64> {
    let load = cantilever_of_chord(chord_angle)?.load;
    Some((load * rigidity / (density * STANDARD_GRAVITY)).cbrt())
}

/// Rigidity B (N·m) from the bending length c (m) printed by a cantilever tester: B = ρ g c³, c being defined by it.
pub fn bending_length_rigidity(density: f64, bending_length: f64) -> f64 {
    density * STANDARD_GRAVITY * bending_length.powi(3)
}

/// Factors from the units of the instruments to SI: multiply a reading by the constant.
pub mod unit {
    use super::STANDARD_GRAVITY;

    /// gf/cm → N/m: tension, and shear force hysteresis 2HG, 2HG5 (KES-FB1).
    pub const GF_PER_CM: f64 = STANDARD_GRAVITY * 0.1;
    /// gf/(cm·degree) → N/m per radian: shear stiffness G (KES-FB1).
    pub const GF_PER_CM_DEGREE: f64 = GF_PER_CM * 180.0 / std::f64::consts::PI;
    /// gf·cm/cm² → J/m²: tensile energy WT (KES-FB1).
    pub const GF_CM_PER_CM2: f64 = GF_PER_CM;
    /// gf·cm²/cm → N·m: bending rigidity B (KES-FB2).
    pub const GF_CM2_PER_CM: f64 = STANDARD_GRAVITY * 1e-5;
    /// gf·cm/cm → N: bending moment per width and its hysteresis 2HB (KES-FB2).
    pub const GF_CM_PER_CM: f64 = STANDARD_GRAVITY * 1e-3;
    /// 1/cm → 1/m: curvature (KES-FB2).
    pub const PER_CM: f64 = 100.0;
    /// cN/cm → N/m.
    pub const CN_PER_CM: f64 = 1.0;
    /// degree → radian.
    pub const DEGREE: f64 = std::f64::consts::PI / 180.0;

    /// Tension (N/m) at which KES-FB1 turns back on wovens: 500 gf/cm. Knits are pulled to a tenth of it.
    pub const KES_TENSION: f64 = 500.0 * GF_PER_CM;

    /// Shear stiffness (N/m) from the FAST bias extension EB5 (%), exact in the extension: at 5 gf/cm.
    /// FAST's own G = 123/EB5 is its limit for small extension.
    pub fn fast_shear_stiffness(eb5_percent: f64) -> f64 {
        let extension = 0.01 * eb5_percent;
        super::bias_stress(5.0 * GF_PER_CM, extension) / super::bias_strain(extension)
    }

    /// FAST formability (mm²) from rigidity B (N·m) and extensions E5, E20 (%): F = B (E20 − E5)/14.7 with B in µN·m.
    pub fn fast_formability(rigidity: f64, e5_percent: f64, e20_percent: f64) -> f64 {
        rigidity * 1e6 * (e20_percent - e5_percent) / 14.7
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, relative: f64) {
        assert!((a - b).abs() <= relative * b.abs().max(1e-300), "{a} against {b}");
    }

    /// Displacement → strain → displacement and force → stress → force are identities, for any sample and large strains.
    #[test]
    fn tensile_conversion_goes_there_and_back() {
        for sample in [Sample::KAWABATA, Sample { length: 0.1, width: 0.025 }] {
            for (pull, shear) in [(0.01, 0.004), (0.0, 0.02), (-0.01, 0.003), (0.2, -0.05), (1e-7, 0.0)] {
                let d = Motion { pull, shear };
                let back = sample.displacement(sample.strain(d)).unwrap();
                // Absolute in the sample's length: the pull of a pure shear is a difference of squares.
                assert!((back.pull - d.pull).abs() < 1e-15 && (back.shear - d.shear).abs() < 1e-15, "{back:?} {d:?}");
                let f = Motion { pull: 31.0, shear: -2.5 };
                let again = sample.force(sample.stress(f, d), d);
                close(again.pull, f.pull, 1e-12);
                close(again.shear, f.shear, 1e-12);
            }
        }
        assert_eq!(Sample::KAWABATA.displacement([-0.6, 0.0]), None);
    }

    /// The forces do the work of the stress: f·δd = l_u l_v σ·δε, by central differences.
    #[test]
    fn forces_do_the_work_of_the_stress() {
        let (sample, d, h) = (Sample::KAWABATA, Motion { pull: 0.012, shear: 0.007 }, 1e-6);
        let stress = [55.0, 7.0];
        let force = sample.force(stress, d);
        let area = sample.length * sample.width;
        for (direction, expected) in [((1.0, 0.0), force.pull), ((0.0, 1.0), force.shear)] {
            let at =
                |s: f64| sample.strain(Motion { pull: d.pull + s * direction.0, shear: d.shear + s * direction.1 });
            let (up, down) = (at(h), at(-h));
            let work: f64 = (0..2).map(|m| area * stress[m] * (up[m] - down[m]) / (2.0 * h)).sum();
            close(work, expected, 1e-9);
        }
    }

    /// A bias strip at 5 gf/cm gives FAST's constant, 4.903/4 · 100 = 122.6 (printed as 123), in the small limit.
    #[test]
    fn bias_strip_gives_the_constant_of_fast() {
        close(unit::fast_shear_stiffness(1e-6) * 1e-6, 122.583_125, 1e-7);
        for e in [-0.2, 1e-9, 0.3] {
            close(bias_extension(bias_strain(e)).unwrap(), e, 1e-12);
            close(bias_force(bias_stress(4.0, e), e), 4.0, 1e-12);
        }
        // KES and FAST agree on a fabric of G = 1 gf/(cm·degree).
        close(unit::GF_PER_CM_DEGREE, 56.188, 1e-5);
    }

    /// Readings of a published table (gf·cm²/cm, gf·cm/cm, gf/cm) and their SI values.
    #[test]
    fn instrument_units_become_si() {
        close(0.118 * unit::GF_CM2_PER_CM, 1.1572e-5, 1e-4);
        close(0.124 * unit::GF_CM_PER_CM, 1.21602e-3, 1e-5);
        close(unit::KES_TENSION, 490.3325, 1e-12);
        // 12 µN·m and extensions of 1.2 % and 3.6 %: F = 12 · 2.4/14.7 mm².
        close(unit::fast_formability(12e-6, 1.2, 3.6), 1.959_183_67, 1e-8);
    }

    /// The shape ends at the tip of the same solution, starts level, and is as long as it should be.
    #[test]
    fn cantilever_shape_is_an_arc_of_unit_length() {
        for tip in [0.05, 0.9, 1.4] {
            let (shape, end) = (cantilever_shape(tip).unwrap(), cantilever_of_tip(tip).unwrap());
            let length: f64 = shape.windows(2).map(|p| (p[1][0] - p[0][0]).hypot(p[1][1] - p[0][1])).sum();
            // Chords of a few hundred steps are short of the arc by their square.
            assert!((length - 1.0).abs() < 1e-5, "{length}");
            let last = shape.last().unwrap();
            assert!((last[0] - end.reach).abs() < 1e-12 && (last[1] - end.drop).abs() < 1e-12);
            assert!(shape[0] == [0.0; 2] && shape[1][1] < 0.02 * shape[1][0]);
        }
        assert!(cantilever_shape(2.0).is_none());
    }

    /// The exact heavy elastica: published master curve (independent solver) and the small-load limit drop = Γ/8.
    #[test]
    fn cantilever_follows_the_heavy_elastica() {
        // Γ, chord angle (degrees), tip angle (degrees), drop, reach.
        let reference = [
            (0.5, 3.573_164_4, 4.763_375_5, 0.062_305_768, 0.997_779),
            (2.0, 13.856_705, 18.425_967, 0.238_506_58, 0.966_892_95),
            (8.0, 41.487_303, 53.864_996, 0.640_630_72, 0.724_424_73),
            (25.0, 65.716_351, 80.493_417, 0.855_900_21, 0.386_159_75),
        ];
        for (load, chord, tip, drop, reach) in reference {
            let c = cantilever_of_chord(chord * unit::DEGREE).unwrap();
            close(c.load, load, 2e-7);
            close(c.tip_angle / unit::DEGREE, tip, 1e-7);
            close(c.drop, drop, 1e-7);
            close(c.reach, reach, 1e-7);
        }
        let small = cantilever_of_tip(1e-4).unwrap();
        close(small.drop, small.load / 8.0, 1e-6);
        close(cantilever_of_chord(41.5 * unit::DEGREE).unwrap().load, 8.004, 1e-4);
        assert!(cantilever_of_chord(0.0).is_none() && cantilever_of_chord(f64::NAN).is_none());
        assert!(cantilever_of_chord(1.57).is_none() && cantilever_of_tip(2.0).is_none());
    }

    /// Rigidity → overhang → rigidity is the identity; at 41.5° the bending length is half the overhang, as the rule says.
    #[test]
    fn cantilever_test_goes_there_and_back() {
        let (density, rigidity, angle) = (0.15, 1.2e-5, 41.5 * unit::DEGREE);
        let overhang = cantilever_overhang(density, rigidity, angle).unwrap();
        close(cantilever_rigidity(density, overhang, angle).unwrap(), rigidity, 1e-12);
        close(bending_length_rigidity(density, 0.5 * overhang), rigidity, 1e-3);
    }

    /// The slider of a 2HB reading yields at half the loop, after the stated curvature.
    #[test]
    fn slider_shows_the_measured_loop() {
        let (stiffness, stress) = slider(1.2e-3, 50.0);
        assert_eq!(stress, 0.6e-3);
        close(stiffness * 50.0, stress, 1e-15);
    }
}
