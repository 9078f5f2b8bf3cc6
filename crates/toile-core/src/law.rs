//! Strain–stress laws of the fabric sheet.
//!
//! A [`Law`] maps three strains to three stresses and has no memory. The same laws serve four purposes, told apart only by
//! the units of their arguments: membrane stress (N/m) of membrane strain (–), viscous stress (N/m) of strain rate (1/s,
//! stiffness in N·s/m), bending moment per width (N) of curvature (1/m, stiffness in N·m), and its viscous counterpart.
//! Hysteresis lives in [`crate::fabric::Branch`]: it moves rest strains, and springs see the difference.

mod curve;
mod curves;
mod linear;
mod surface;

pub use curve::{Curve, CurveError};
pub use curves::Curves;
pub use linear::{Linear, LinearError};
pub use surface::{Surface, SurfaceError};

use crate::lane::Lane;

/// Symmetric 3×3 matrix over the modes, stored as (uu·uu, vv·vv, uv·uv, uu·vv, uu·uv, vv·uv).
pub type Sym3<L> = [L; 6];

/// Stress and its derivative.
#[derive(Clone, Copy, Debug)]
pub struct Response<L> {
    /// Stress of the three modes.
    pub stress: [L; 3],
    /// ∂σ/∂ε.
    pub tangent: Sym3<L>,
}

/// A strain–stress law σ(ε) with a potential: σ = ∂w/∂ε, hence a symmetric tangent.
pub trait Law: Clone + Send + Sync + 'static {
    /// True where the tangent is positive definite at every strain: nothing to project.
    const CONVEX: bool = false;
    /// Stress and tangent at a strain.
    fn respond<L: Lane>(&self, strain: [L; 3]) -> Response<L>;
    /// Stress alone; override where it is cheaper.
    #[inline(always)]
    fn stress<L: Lane>(&self, strain: [L; 3]) -> [L; 3] {
        self.respond(strain).stress
    }
    /// Stored energy per area, w(ε), with w(0) = 0.
    fn energy<L: Lane>(&self, strain: [L; 3]) -> L;
}

/// Any law of the registry: what a fabric holds, before a block of elements is specialised for the member.
#[allow(clippy::large_enum_variant)] // one per fabric, never many
#[derive(Clone, Debug, PartialEq)]
pub enum AnyLaw {
    /// Linear: isotropic, orthotropic or fully anisotropic.
    Linear(Linear),
    /// Independent weft, warp and shear curves, with an optional Poisson-like coupling.
    Curves(Curves),
    /// A tabulated surface σ(ε) with every coupling.
    Surface(Surface),
}

impl AnyLaw {
    /// Initial stiffness ∂σ/∂ε at zero strain.
    pub fn stiffness(&self) -> Sym3<f64> {
        self.respond([0.0; 3]).tangent
    }
}

impl AnyLaw {
    /// One element's response. Kept out of line: kernels for every model and instruction set would otherwise each hold a
    /// copy of every law, and compile for minutes.
    #[inline(never)]
    fn respond_one(&self, strain: [f64; 3]) -> Response<f64> {
        match self {
            Self::Linear(law) => law.respond(strain),
            Self::Curves(law) => law.respond(strain),
            Self::Surface(law) => law.respond(strain),
        }
    }

    #[inline(never)]
    fn energy_one(&self, strain: [f64; 3]) -> f64 {
        match self {
            Self::Linear(law) => law.energy(strain),
            Self::Curves(law) => law.energy(strain),
            Self::Surface(law) => law.energy(strain),
        }
    }
}

/// Lane by lane: neighbouring elements sit on different segments of a curve. Linear laws have their own fast blocks.
impl Law for AnyLaw {
    #[inline(always)]
    fn respond<L: Lane>(&self, strain: [L; 3]) -> Response<L> {
        let mut lanes = [Response { stress: [0.0; 3], tangent: [0.0; 6] }; 8];
        for (i, lane) in lanes.iter_mut().enumerate().take(L::WIDTH) {
            *lane = self.respond_one(strain.map(|s| s.lane(i)));
        }
        Response {
            stress: std::array::from_fn(|m| L::from_fn(|i| lanes[i].stress[m])),
            tangent: std::array::from_fn(|k| L::from_fn(|i| lanes[i].tangent[k])),
        }
    }
    #[inline(always)]
    fn energy<L: Lane>(&self, strain: [L; 3]) -> L {
        L::from_fn(|i| self.energy_one(strain.map(|s| s.lane(i))))
    }
}

/// An entry of the registry of laws: everything that lists, documents or tests laws reads it.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Name in files.
    pub name: &'static str,
    /// One line for menus.
    pub summary: &'static str,
    /// A representative member, for the batteries of tests.
    pub sample: fn() -> AnyLaw,
}

/// Every law that a fabric file can name.
pub const LAWS: &[Entry] = &[
    Entry { name: "linear", summary: "isotropic: a modulus and a Poisson ratio", sample: linear::sample_isotropic },
    Entry {
        name: "orthotropic",
        summary: "weft, warp and shear moduli and a coupling",
        sample: linear::sample_orthotropic,
    },
    Entry { name: "anisotropic", summary: "full symmetric 3×3 stiffness", sample: linear::sample_anisotropic },
    Entry { name: "curves", summary: "weft, warp and shear splines from a tensile test", sample: curves::sample },
    Entry { name: "coupled-curves", summary: "the same with a Poisson-like coupling", sample: curves::sample_coupled },
    Entry { name: "surface", summary: "tabulated stress over all three strains", sample: surface::sample },
];

/// y = S x for a symmetric matrix over the modes.
#[inline(always)]
pub fn sym_mul<L: Lane>(s: &Sym3<L>, x: [L; 3]) -> [L; 3] {
    [
        s[0].mul_add(x[0], s[3].mul_add(x[1], s[4] * x[2])),
        s[3].mul_add(x[0], s[1].mul_add(x[1], s[5] * x[2])),
        s[4].mul_add(x[0], s[5].mul_add(x[1], s[2] * x[2])),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every law of the registry derives from its potential, and its tangent from its stress; lanes agree with scalars.
    #[test]
    fn stress_and_tangent_are_derivatives() {
        let strains = [[0.02, -0.01, 0.03], [0.11, 0.07, -0.05], [-0.04, 0.15, 0.001], [0.0, 0.0, 0.0]];
        for entry in LAWS {
            let law = (entry.sample)();
            assert!(law.energy([0.0; 3]).abs() < 1e-12, "{}: energy at rest", entry.name);
            assert!(law.stress([0.0; 3]).iter().all(|s| s.abs() < 1e-9), "{}: stress at rest", entry.name);
            for strain in strains {
                let response = law.respond(strain);
                let scale = response.tangent.iter().fold(1.0f64, |a, b| a.max(b.abs()));
                let h = 1e-5;
                for m in 0..3 {
                    let (mut up, mut down) = (strain, strain);
                    up[m] += h;
                    down[m] -= h;
                    let slope = (law.energy(up) - law.energy(down)) / (2.0 * h);
                    // Central differences: O(h²) plus rounding/h.
                    assert!((slope - response.stress[m]).abs() < 1e-6 * scale, "{} σ{m} at {strain:?}", entry.name);
                    let mut unit = [0.0; 3];
                    unit[m] = 1.0;
                    let column = sym_mul(&response.tangent, unit);
                    let (su, sd) = (law.stress(up), law.stress(down));
                    for n in 0..3 {
                        let slope = (su[n] - sd[n]) / (2.0 * h);
                        assert!((slope - column[n]).abs() < 2e-6 * scale, "{} E{n}{m} at {strain:?}", entry.name);
                    }
                }
            }
        }
    }
}
